# SPDX-License-Identifier: Apache-2.0
"""
What the client's tests stand on: the package of this tree, the built binary (environment
variable CORDON, default build/cordon), and helpers that look at processes from outside.
"""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

CLIENT = Path(__file__).resolve().parents[1]
ROOT = CLIENT.parents[1]
sys.path[:0] = [str(CLIENT), str(ROOT / "tests/behaviour")]

BINARY = Path(os.environ.get("CORDON", ROOT / "build" / "cordon")).resolve()
os.environ["CORDON_BIN"] = str(BINARY)
os.environ.pop("CORDON_SOCKET", None)
SLOW = float(os.environ.get("CORDON_TEST_SLOWNESS", "1"))

# What the scripts share: pid() of their daemon, call() that must be right.
COMMON = """
import asyncio, os, signal, sys, threading, time
import cordon
client = cordon.Client()
def call(n=1):
    assert client.execute("result['n'] = input_data['n']", {"n": n}).result == {"n": n}
def daemon():
    return cordon._daemon.private()._process
"""


def daemons(private):
    """Processes that have the test's directory on their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if b"serve" in words and any(str(private).encode() in word for word in words):
            found.append(int(pid))
    return found


def gone(private, seconds=3.0):
    """Whether daemons and directories go within that time."""
    end = time.monotonic() + seconds * SLOW
    while daemons(private) or os.listdir(private):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def line(program):
    text = program.stdout.readline().strip()
    assert text, program.communicate()[1]
    return text


@pytest.fixture(scope="session")
def binary():
    if not os.access(BINARY, os.X_OK):
        pytest.fail(f"no cordon at {BINARY}: build it first, or set CORDON", pytrace=False)
    return BINARY


@pytest.fixture
def private(tmp_path, monkeypatch):
    """A directory of this test's own that private daemons are started in."""
    place = tmp_path / "d"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    return place


@pytest.fixture
def python(private):
    """python("code") -> a Popen of a fresh interpreter that can import cordon."""
    started = []

    def start(code, *args, **kwargs):
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        env = {**os.environ, "PYTHONPATH": str(CLIENT), **kwargs.pop("env", {})}
        program = subprocess.Popen(
            [sys.executable, "-B", "-W", "always", "-c", textwrap.dedent(code), *args],
            env=env, text=True, **kwargs)
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()
        program.communicate()


@pytest.fixture
def script(python):
    """script("code") -> what it printed; it must end well and complain of nothing."""

    def run(code, *args, timeout=60, **kwargs):
        program = python(code, *args, **kwargs)
        out, err = program.communicate(timeout=timeout * SLOW)
        assert (program.returncode, err) == (0, ""), (out, err)
        return out

    return run


@pytest.fixture
def serve(binary, tmp_path):
    """serve() -> the socket of a shared daemon that is ended with the test."""
    started = []

    def start(*args):
        path = tmp_path / f"s{len(started)}" / "socket"
        path.parent.mkdir()
        daemon = subprocess.Popen([binary, "serve", "--until-eof", "--socket", path, *args],
                                  stdin=subprocess.PIPE)
        started.append(daemon)
        return str(path)

    yield start
    for daemon in started:
        daemon.stdin.close()
        daemon.wait(30)

# SPDX-License-Identifier: Apache-2.0
"""
What every behaviour test stands on: the built binary, run as a user runs it.

The binary is found through the environment variable CORDON (default: build/cordon
under the repository's root). No test here looks inside the library.
"""

import json
import os
import signal
import subprocess
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

import support

ROOT = Path(__file__).resolve().parents[2]

# Under nohup it is ignored, and what is started here would be deaf to it, too.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Above every limit of the strict profile: a hang of ours fails one test, not the suite.
PATIENCE_S = 90 * support.SLOW


class Ran(NamedTuple):
    """How one process ended: exit code, and both streams as bytes and as text."""

    code: int
    out: bytes
    err: bytes

    @property
    def stdout(self):
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def stderr(self):
        return self.err.decode("utf-8", "surrogateescape")


class Cordon:
    """The binary under test. Call it with arguments; get a Ran."""

    def __init__(self, path):
        self.path = str(path)

    def __call__(self, *args, stdin=b"", env=None, cwd=None, timeout=PATIENCE_S):
        if isinstance(stdin, str):
            stdin = stdin.encode("utf-8", "surrogatepass")
        done = subprocess.run(
            [self.path, *map(str, args)],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else {**os.environ, **env},
            cwd=cwd,
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def popen(self, *args, **kwargs):
        """For tests that look while it runs. The caller ends it (use `with`)."""
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([self.path, *map(str, args)], **kwargs)


@pytest.fixture(scope="session")
def root():
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def cordon():
    """cordon("run", "--json", "-", stdin="...") -> Ran(code, out, err)."""
    path = Path(os.environ.get("CORDON", ROOT / "build" / "cordon")).resolve()
    if not os.access(path, os.X_OK):
        pytest.fail(f"no cordon at {path}: build it first, or set CORDON", pytrace=False)
    return Cordon(path)


@pytest.fixture(scope="session")
def run(cordon, tmp_path_factory):
    """
    run(code, input=None, *args) -> the envelope as a dict, plus what the process said:

        envelope = run("result = {'n': input_data['n'] + 1}", {"n": 1}, "--timeout", "2")

    code is text (lone surrogates allowed) or bytes. input is a dict, ready-made JSON as
    text or bytes, or None for no -i. Fails when stdout is not one line of JSON.
    NaN and the infinities are parsed as Python's json does.
    """
    inputs = tmp_path_factory.mktemp("input")
    exits = {"ok": 0, "error": 1, "crashed": 1, "needs_approval": 3, "timeout": 4, "limit": 5,
             "internal": 6}

    def run(code, input=None, *args, **kwargs):
        if isinstance(input, dict):
            input = json.dumps(input)
        if isinstance(input, str):
            input = input.encode("utf-8", "surrogatepass")
        if input is not None:
            file = inputs / "input.json"
            file.write_bytes(input)
            args = ("-i", f"@{file}", *args)
        ran = cordon("run", "--json", *args, "-", stdin=code, **kwargs)
        assert ran.out.count(b"\n") == 1 and ran.out.endswith(b"\n"), ran
        envelope = json.loads(ran.out)
        assert ran.code == exits[envelope["status"]], ran
        return envelope

    return run


# ---- approved runs: whoever runs the tests and, where that is root, an ordinary user too ----


@pytest.fixture(params=["self", "nobody"])
def caller(request, cordon):
    """Who runs the command."""
    if request.param == "nobody":
        why = support.why_not_nobody(cordon.path)
        if why:
            pytest.skip(why)
    return request.param


@pytest.fixture
def home(caller):
    """A home directory that the caller owns; not below pytest's own, which only we may enter."""
    with tempfile.TemporaryDirectory(prefix="home-") as folder:
        os.chmod(folder, 0o755)
        if caller == "nobody":
            os.chown(folder, support.NOBODY, support.NOBODY)
        yield Path(folder)


@pytest.fixture
def approve(cordon, caller, home):
    """approve(code, input=None, *args, env={}) -> the envelope of an approved run."""

    def approve(code, input=None, *args, env=None, timeout=60, **kwargs):
        if input is not None:
            args = ("-i", json.dumps(input), *args)
        done = subprocess.run(
            support.approved_command(cordon, caller, *args),
            input=textwrap.dedent(code).encode(),
            capture_output=True,
            env={**os.environ, "HOME": str(home), **(env or {})},
            timeout=timeout,
            check=False,
            **kwargs,
        )
        assert done.stdout.count(b"\n") == 1, done
        return json.loads(done.stdout)

    return approve


@pytest.fixture
def value(approve):
    """value(code, ...) -> the result of a run that has to end well."""

    def value(code, *args, **kwargs):
        answer = approve(code, *args, **kwargs)
        assert answer["status"] == "ok", answer
        return answer["result"]

    return value

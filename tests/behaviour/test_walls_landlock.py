# SPDX-License-Identifier: Apache-2.0
"""
What Landlock holds by itself: reading, writing, executing of files, TCP. Every wall that
could hold them instead is down (gate, interpreter, root, call filter); with Landlock down
too, each attempt has to succeed, or it would prove nothing.
"""

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import SLOW, as_nobody, landlock_version, needs_contained, why_not_nobody

pytestmark = needs_contained

# Each attempt has files of its own: file (everybody may write), made (is not there yet).
FILES = {
    "read": ("open(file).read()", {"EACCES"}),
    "list": ("os.listdir(folder)", {"EACCES"}),
    "list-root": ("os.listdir('/')", {"EACCES"}),
    "read-proc": ("open('/proc/self/status').read()", {"EACCES"}),
    "write": ("open(file, 'a').write('x')", {"EACCES"}),
    "truncate": ("os.truncate(file, 0)", {"EACCES"}),
    "create": ("open(made, 'x').close()", {"EACCES"}),
    "make-directory": ("os.mkdir(made)", {"EACCES"}),
    "remove": ("os.unlink(file)", {"EACCES"}),
    "rename": ("os.rename(file, made)", {"EACCES"}),
    "link-in": ("os.link(file, 'linked')", {"EXDEV", "EACCES", "EPERM"}),
    "move-in": ("os.rename(file, 'moved')", {"EXDEV", "EACCES"}),
    "symlink": ("os.symlink('/', made)", {"EACCES"}),
    "execute": ("os.posix_spawn('/bin/true', ['true'], {})", {"EACCES"}),
    "execute-own": ("own('#!/bin/sh\\n'), os.posix_spawn('own', ['own'], {})", {"EACCES"}),
    "read-through-link": ("os.symlink(file, 'link'), open('link').read()", {"EACCES"}),
    # Of its own directory it may do anything.
    "own": ("own(''), os.mkdir('d'), os.rename('own', 'd/a'), os.truncate('d/a', 0), os.unlink('d/a'), "
            "os.rmdir('d')", {"done"}),
}

PROGRAM = """
import errno, os
def own(text):
    with open('own', 'w') as f:
        f.write(text)
    os.chmod('own', 0o700)
folder = input_data['folder']
for name, code in input_data['tried'].items():
    file, made = f"{folder}/{name}", f"{folder}/{name}.made"
    try:
        eval(code)
        result[name] = "done"
    except OSError as e:
        result[name] = errno.errorcode[e.errno]
"""

KERNEL = ["gate", "interpreter", "seccomp", "limits"]
HELD_ELSEWHERE = {"link-in", "move-in", "execute-own"}  # two mounts, or a noexec one
NOT_ROOTS = {"link-in"}  # the kernel links to nobody's files but one's own (protected_hardlinks)


@pytest.fixture(params=["root", "user"])
def who(request, cordon):
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("this needs root")
    if os.geteuid() != 0:
        return list
    why = why_not_nobody(cordon.path)
    if request.param == "user" and why:
        pytest.skip(why)
    return as_nobody if request.param == "user" else list


@pytest.fixture
def folder():
    """Files of the host that only Landlock keeps: everybody may use them."""
    with tempfile.TemporaryDirectory(prefix="walls-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        for file in FILES:
            (folder / file).write_text("canary")
            (folder / file).chmod(0o666)
        yield name


@pytest.fixture
def places(monkeypatch):
    """Where boxes keep working directories."""
    with tempfile.TemporaryDirectory(prefix="places-", dir="/tmp") as name:
        Path(name).chmod(0o1777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield name


def attempt(cordon, who, given, code, down):
    done = subprocess.run(
        who([cordon.path, "run", "--json", "--drop-wall", ",".join(down), "-i", json.dumps(given), "-"]),
        input=code.encode(), capture_output=True, cwd="/", timeout=60 * SLOW, check=False)
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "ok", envelope
    assert set(down) <= set(envelope["walls_down"])
    return envelope["result"]


@pytest.mark.parametrize("spaces", ["root", "namespaces"])
def test_files(cordon, who, folder, spaces):
    """"namespaces" takes "root" down with it."""
    given = {"folder": folder, "tried": {name: code for name, (code, _) in FILES.items()}}
    ends = attempt(cordon, who, given, PROGRAM, [*KERNEL, spaces])
    assert {n: ends[n] for n, (_, good) in FILES.items() if ends[n] not in good} == {}
    ends = attempt(cordon, who, given, PROGRAM, [*KERNEL, spaces, "landlock"])
    held = HELD_ELSEWHERE if spaces == "root" else NOT_ROOTS if who is list else set()
    assert {n for n in FILES if ends[n] != "done"} <= held, ends


# What the network and PID namespaces hold elsewhere: the version of Landlock, code, its error.
OTHERS = {
    "tcp-connect": (4, "socket.socket().connect(('127.0.0.1', input_data['port']))", "EACCES"),
    "tcp-listen": (4, "(s := socket.socket()).bind(('127.0.0.1', 0)), s.listen()", "EACCES"),
    "abstract": (6, "socket.socket(socket.AF_UNIX).connect('\\0' + input_data['abstract'])", "EPERM"),
    "signal": (6, "os.kill(input_data['pid'], 0)", "EPERM"),
}


def test_others(cordon, who):
    version = landlock_version()
    tried = {name: row for name, row in OTHERS.items() if row[0] <= version}
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix, \
            subprocess.Popen(who(["sleep", "60"])) as process:
        unix.bind(f"\0cordon-walls-{os.getpid()}")
        unix.listen()
        given = {"folder": "/", "port": tcp.getsockname()[1], "pid": process.pid,
                 "abstract": f"cordon-walls-{os.getpid()}",
                 "tried": {name: code for name, (_, code, _) in tried.items()}}
        program = "import socket\n" + PROGRAM
        try:
            ends = attempt(cordon, who, given, program, [*KERNEL, "namespaces"])
            assert ends == {name: end for name, (_, _, end) in tried.items()}
            ends = attempt(cordon, who, given, program, [*KERNEL, "namespaces", "landlock"])
            others = {"signal"} if who is list else set() # root's is another user
            assert {name for name in tried if ends[name] != "done"} <= others, ends
        finally:
            process.kill()


def test_ordinary_code_works_and_nothing_stays(cordon, who, places):
    """The library is read where it lies on the host; the place for directories goes."""
    done = subprocess.run(
        who([cordon.path, "run", "--json", "--drop-wall", "root", "-"]),
        input=b"import json, datetime, zoneinfo\n"
              b"result['zone'] = str(datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo('Asia/Tokyo')).utcoffset())",
        capture_output=True, cwd="/", timeout=60 * SLOW, check=False)
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "ok" and envelope["walls_down"] == ["root"], envelope
    assert envelope["result"] == {"zone": "9:00:00"}
    assert b"root" in done.stderr
    assert os.listdir(places) == []

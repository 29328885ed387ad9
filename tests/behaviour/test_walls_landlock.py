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

from support import SLOW, as_nobody, why_not_nobody

# Before what is tried: a C library that does not ask Python's builtins or audit hook.
PROLOGUE = """
import ctypes, errno, os
def trying(call):
    try:
        call()
    except OSError as e:
        return errno.errorcode[e.errno]
    return "done"
host = input_data
"""

# attempt, code that sets `tried` to a function; its error with Landlock alone
FILES = [
    ("read", "tried = lambda: open(host['secret']).read()", {"EACCES"}),
    ("list", "tried = lambda: os.listdir(host['folder'])", {"EACCES"}),
    ("list-root", "tried = lambda: os.listdir('/')", {"EACCES"}),
    ("read-proc", "tried = lambda: open('/proc/self/status').read()", {"EACCES"}),
    ("write", "tried = lambda: open(host['open'], 'a').write('x')", {"EACCES"}),
    ("truncate", "tried = lambda: os.truncate(host['open'], 0)", {"EACCES"}),
    ("create", "tried = lambda: open(host['folder'] + '/made', 'x').close()", {"EACCES"}),
    ("make-directory", "tried = lambda: os.mkdir(host['folder'] + '/made')", {"EACCES"}),
    ("remove", "tried = lambda: os.unlink(host['spare'])", {"EACCES"}),
    ("rename", "tried = lambda: os.rename(host['spare'], host['spare'] + '2')", {"EACCES"}),
    ("link-in", "tried = lambda: os.link(host['spare'], 'here')", {"EXDEV", "EACCES", "EPERM"}),
    ("move-in", "tried = lambda: os.rename(host['spare'], 'here')", {"EXDEV", "EACCES"}),
    ("symlink", "tried = lambda: os.symlink('/', host['folder'] + '/made')", {"EACCES"}),
    ("execute", "tried = lambda: os.posix_spawn('/bin/true', ['true'], {})", {"EACCES"}),
    ("execute-own",
     "open('own', 'w').write('#!/bin/sh\\n'); os.chmod('own', 0o700)\n"
     "tried = lambda: os.posix_spawn('own', ['own'], {})", {"EACCES"}),
    ("read-through-link",
     "os.symlink(host['secret'], 'link')\ntried = lambda: open('link').read()", {"EACCES"}),
]

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
def host():
    """Files of the host that only Landlock keeps: everybody may use them."""
    with tempfile.TemporaryDirectory(prefix="walls-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        found = {"folder": name}
        for file in ("secret", "open", "spare"):
            (folder / file).write_text("canary")
            (folder / file).chmod(0o666)
            found[file] = str(folder / file)
        yield found


@pytest.fixture
def places(monkeypatch):
    """Where boxes keep working directories."""
    with tempfile.TemporaryDirectory(prefix="places-", dir="/tmp") as name:
        Path(name).chmod(0o1777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield name


def attempt(cordon, who, host, code, down):
    args = [word for wall in down for word in ("--drop-wall", wall)]
    done = subprocess.run(
        who([cordon.path, "run", "--json", *args, "-i", json.dumps(host), "-"]),
        input=(PROLOGUE + code + "\nresult['end'] = trying(tried)\n").encode(),
        capture_output=True, cwd="/", timeout=60 * SLOW, check=False)
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "ok", envelope
    assert set(down) <= set(envelope["walls_down"])
    return envelope["result"]["end"]


@pytest.mark.parametrize("spaces", ["root", "namespaces"])
@pytest.mark.parametrize("name, code, ends", FILES, ids=[row[0] for row in FILES])
def test_files(cordon, who, host, name, code, ends, spaces):
    """"namespaces" takes "root" down with it."""
    assert attempt(cordon, who, host, code, [*KERNEL, spaces]) in ends
    if spaces == "namespaces" or name not in HELD_ELSEWHERE:
        down = [*KERNEL, spaces, "landlock"]
        if name in NOT_ROOTS and who is list: # its user owns nothing of the host
            return
        assert attempt(cordon, who, host, code, down) == "done"


# What the network and PID namespaces hold elsewhere: the version of Landlock, code, its error.
OTHERS = [
    ("tcp-connect", 4, "import socket\ns = socket.socket()\n"
     "tried = lambda: s.connect(('127.0.0.1', host['port']))", "EACCES"),
    ("tcp-listen", 4, "import socket\ns = socket.socket()\n"
     "tried = lambda: (s.bind(('127.0.0.1', 0)), s.listen())", "EACCES"),
    ("abstract-socket", 6, "import socket\ns = socket.socket(socket.AF_UNIX)\n"
     "tried = lambda: s.connect('\\0' + host['abstract'])", "EPERM"),
    ("signal", 6, "tried = lambda: os.kill(host['pid'], 0)", "EPERM"),
]


def landlock_version():
    import ctypes
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)


@pytest.mark.parametrize("name, since, code, end", OTHERS, ids=[row[0] for row in OTHERS])
def test_others(cordon, who, host, name, since, code, end):
    if landlock_version() < since:
        pytest.skip(f"this takes Landlock's version {since}")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix, \
            subprocess.Popen(who(["sleep", "60"])) as process:
        unix.bind(f"\0cordon-walls-{os.getpid()}")
        unix.listen()
        host |= {"port": tcp.getsockname()[1], "abstract": f"cordon-walls-{os.getpid()}",
                 "pid": process.pid}
        try:
            assert attempt(cordon, who, host, code, [*KERNEL, "namespaces"]) == end
            if not (name == "signal" and who is list): # its user is another one
                assert attempt(cordon, who, host, code, [*KERNEL, "namespaces", "landlock"]) == "done"
        finally:
            process.kill()


def test_its_own_directory_is_its_own(cordon, who, host):
    code = """
open('a', 'w').write('x')
os.mkdir('d')
os.rename('a', 'd/a')
os.truncate('d/a', 0)
tried = lambda: (os.unlink('d/a'), os.rmdir('d'))
"""
    assert attempt(cordon, who, host, code, [*KERNEL, "root"]) == "done"


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

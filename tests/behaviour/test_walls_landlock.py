# SPDX-License-Identifier: Apache-2.0
"""
What Landlock holds by itself: reading, writing, executing of files, TCP. Every wall that
could hold them instead is down (gate, interpreter, root, call filter); with Landlock down
too, each attempt has to succeed, or it would prove nothing.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import SANITIZED, SLOW, as_nobody, why_not_nobody

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


def tried_with_root_down(cordon, who, host, code):
    return attempt(cordon, who, host, code, [*KERNEL, "root"])


@pytest.mark.parametrize("name, code, ends", FILES, ids=lambda v: v if isinstance(v, str) else "")
def test_files(cordon, who, host, name, code, ends):
    assert attempt(cordon, who, host, code, [*KERNEL, "root"]) in ends
    if name not in HELD_ELSEWHERE:
        assert attempt(cordon, who, host, code, [*KERNEL, "root", "landlock"]) == "done"


def test_its_own_directory_is_its_own(cordon, who, host):
    code = """
open('a', 'w').write('x')
os.mkdir('d')
os.rename('a', 'd/a')
os.truncate('d/a', 0)
tried = lambda: (os.unlink('d/a'), os.rmdir('d'))
"""
    assert attempt(cordon, who, host, code, [*KERNEL, "root"]) == "done"


def test_ordinary_code_works_and_nothing_stays(cordon, who):
    """The library is read where it lies on the host; the place for directories goes."""
    before = set(Path("/tmp").glob("cordon-*"))
    done = subprocess.run(
        who([cordon.path, "run", "--json", "--drop-wall", "root", "-"]),
        input=b"import json, datetime, zoneinfo\n"
              b"result['zone'] = str(datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo('Asia/Tokyo')).utcoffset())",
        capture_output=True, cwd="/", timeout=60 * SLOW, check=False)
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "ok" and envelope["walls_down"] == ["root"], envelope
    assert envelope["result"] == {"zone": "9:00:00"}
    assert b"root" in done.stderr
    assert set(Path("/tmp").glob("cordon-*")) <= before

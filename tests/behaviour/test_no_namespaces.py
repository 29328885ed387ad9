# SPDX-License-Identifier: Apache-2.0
"""
Runs without namespaces: what the keeper has to do by itself that a PID namespace does
elsewhere. The call filter and the limits are down in most of them, so that code may fork.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support import (
    SLOW, Many, adopt_orphans, as_nobody, descendants, kill, needs_contained, reap, wait_until,
    why_not_nobody,
)

pytestmark = needs_contained

DOWN = ["gate", "interpreter", "namespaces"]
BARE = [*DOWN, "seccomp", "limits"]

# A process that detaches itself in every way there is, and stays.
DAEMON = """
import os, sys, time
def daemon():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setpgid(0, 0)
    for fd in range(10):
        try:
            os.close(fd)
        except OSError:
            pass
    time.sleep(60)
    os._exit(0)
for _ in range(5):
    daemon()
"""

# Chains of processes, each of which forks the next and is gone. They end by themselves.
CHAINS = """
import os, time
end = time.monotonic() + 8
for _ in range(60):
    if os.fork() == 0:
        os.setsid()
        while time.monotonic() < end:
            if os.fork():
                os._exit(0)
        os._exit(0)
"""

# Every process forks: 64 in the end.
TREE = """
import os, time
for i in range(6):
    if os.fork() == 0 and i % 3 == 0:
        os.setsid()
time.sleep(60)
"""


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


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="places-", dir="/tmp") as places:
        Path(places).chmod(0o1777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", places)
        yield
        assert wait_until(lambda: (reap(), descendants())[1] == [], seconds=2 * SLOW), descendants()
        assert os.listdir(places) == []


def command(cordon, down, *args):
    return [cordon.path, "run", "--json", *args, *(w for d in down for w in ("--drop-wall", d)), "-"]


def run(cordon, who, code, down=BARE, *args):
    done = subprocess.run(who(command(cordon, down, *args)), input=code.encode(), cwd="/",
                          capture_output=True, timeout=90 * SLOW, check=False)
    return json.loads(done.stdout), done.stderr.decode()


def test_what_falls_with_them_is_said(cordon, who):
    envelope, said = run(cordon, who, "result['n'] = 1", ["namespaces"])
    assert envelope["status"] == "ok"
    assert envelope["walls_down"] == ["namespaces", "root"]
    assert "namespaces" in said and "root" in said


def test_who_it_is(cordon, who):
    code = ("import os\nresult.update(ids=[*os.getresuid(), *os.getresgid(), *os.getgroups()], cwd=os.getcwd(), "
            "mode=oct(os.stat('.').st_mode & 0o7777), status=open('/proc/self/status').read())")
    found = [run(cordon, who, code, [*BARE, "landlock"])[0]["result"] for _ in range(2)]
    for result in found:
        assert result["mode"] == "0o700"
        status = dict(line.split(":\t") for line in result["status"].splitlines() if ":\t" in line)
        assert status["NoNewPrivs"] == "1"
        for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(status[kind], 16) == 0
    if os.geteuid() == 0 and who is list: # somebody else each time, and nobody that there is
        ids = {i for result in found for i in result["ids"]}
        assert len(ids) >= 2 and min(ids) > 60000 and 65534 not in ids


@pytest.mark.parametrize("code", [DAEMON, TREE, CHAINS], ids=["daemon", "tree", "chains"])
def test_nothing_survives_a_deadline(cordon, who, code):
    begin = time.monotonic()
    envelope, _ = run(cordon, who, code + "\ntime.sleep(60)", BARE, "--timeout", "1")
    assert envelope["status"] == "timeout", envelope
    assert time.monotonic() - begin < 3 * SLOW


@pytest.mark.parametrize("code", [DAEMON, CHAINS], ids=["daemon", "chains"])
def test_nothing_survives_an_end(cordon, who, code):
    envelope, _ = run(cordon, who, code + "\nresult['n'] = 1")
    assert envelope["status"] == "ok", envelope


def test_nothing_survives_a_crash(cordon, who):
    envelope, _ = run(cordon, who, DAEMON + "\nos.kill(os.getpid(), 11)")
    assert envelope["status"] == "crashed", envelope


def test_many_at_once(cordon, tmp_path):
    """Strays of some, ends of others and forks on their way: each run gets its own answer."""
    daemon = DAEMON + "\nresult['n'] = {}"
    codes = []
    for i in range(40):
        codes += [daemon.format(i), f"import os\nresult['n'] = {i}\nresult['cwd'] = os.getcwd()\n"
                  "try:\n    os.listdir('..')\nexcept PermissionError:\n    result['alone'] = True"]
    codes += ["import os\nos.kill(os.getpid(), 9)"] * 8 + ["while True: pass"] * 4
    answers = Many(cordon, tmp_path)(codes, width=16, timeout_ms=4000, drop="bare")
    for i, answer in enumerate(answers[:80]):
        assert answer["status"] == "ok" and answer["result"]["n"] == i // 2, answer
    assert all(a["result"]["alone"] for a in answers[1:80:2])
    assert len({a["result"]["cwd"] for a in answers[1:80:2]}) == 40
    assert {a["status"] for a in answers[80:88]} == {"crashed"}
    assert {a["status"] for a in answers[88:]} == {"timeout"}


def helpers(of):
    """Guard, keeper and zygote of the one box below `of`."""
    every = descendants(of)
    ours = [p for p in every if p.command == "cordon-keeper"]
    keeper = [p for p in ours if p.parent in {q.pid for q in ours}]
    guard = [p for p in ours if keeper and p.pid == keeper[0].parent]
    zygote = [p for p in every if keeper and p.parent == keeper[0].pid and "_cordon_worker" in p.command]
    return guard + keeper + zygote[:1]


def test_strays_go_while_the_run_goes_on(cordon, who):
    """Nothing that left its run waits for the engine's end to be ended."""
    code = DAEMON + "\nopen('up', 'w').close()\ntime.sleep(60)"
    with subprocess.Popen(who(command(cordon, BARE, "--timeout", "3")), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/") as process:
        process.stdin.write(code.encode())
        process.stdin.close()
        keeper = wait_until(lambda: (h := helpers(os.getpid())) and len(h) == 3 and h[1], seconds=10 * SLOW)
        assert wait_until(lambda: list(Path(os.environ["XDG_RUNTIME_DIR"]).glob("*/*/up")), seconds=10 * SLOW)
        # The zygote and the run itself.
        assert wait_until(lambda: len(descendants(keeper.pid)) == 2, seconds=1.5 * SLOW)
        assert json.loads(process.stdout.read())["status"] == "timeout"


# Whoever is killed, while chains race and a tree stands.
@pytest.mark.parametrize("victim", ["engine", "guard", "keeper", "zygote"])
def test_nothing_survives_a_killed(cordon, who, victim, tmp_path):
    code = DAEMON + CHAINS + TREE
    process = subprocess.Popen(who(command(cordon, BARE, "--timeout", "2.5")), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/")
    process.stdin.write(code.encode())
    process.stdin.close()
    found = wait_until(lambda: (h := helpers(os.getpid())) and len(h) == 3 and h, seconds=10 * SLOW)
    assert found, descendants()
    assert wait_until(lambda: len(descendants()) > 40, seconds=10 * SLOW)
    if victim == "engine":
        process.kill()
    else:
        kill(found[["guard", "keeper", "zygote"].index(victim)].pid)
    out = process.stdout.read()
    process.stdout.close()
    process.wait()
    if victim in ("guard", "keeper"):
        assert json.loads(out)["status"] == "internal", out


# ---- what strict may do elsewhere, because a namespace takes the harm out of it -------------

SPEAK = """
import ctypes, errno, fcntl, os, resource, threading
libc = ctypes.CDLL(None, use_errno=True)
def trying(call):
    try:
        return "done" if call() in (None, 0) else "failed"
    except OSError as e:
        return errno.errorcode[e.errno]
def bare(name, *args):
    def call():
        if getattr(libc, name)(*args) < 0:
            raise OSError(ctypes.get_errno(), "")
    return call
host = input_data
r, w = os.pipe()
thread = threading.Thread(target=lambda: None)
"""

REFUSED = {
    "fork": "os.fork",
    "kill": "lambda: os.kill(host['pid'], 0)",
    "kill-all": "lambda: os.kill(-1, 0)",
    "signal-by-descriptor": "lambda: fcntl.fcntl(r, fcntl.F_SETOWN, host['pid'])",
    "any-signal": "lambda: fcntl.fcntl(r, fcntl.F_SETSIG, 9)",
    "limits-of-others": "lambda: resource.prlimit(host['pid'], resource.RLIMIT_CPU, (1, 1))",
    "chmod": "lambda: os.chmod(host['file'], 0o600)",
    "chmod-open": "lambda: os.fchmod(r, 0o600)",
    "utime": "lambda: os.utime(host['file'], (1, 1))",
    "chown": "lambda: os.chown(host['file'], os.getuid(), -1)",
}
KEPT = {
    "threads": "lambda: (thread.start(), thread.join()) and None",
    "own-limits": "lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))",
    "own-file": "lambda: open('a', 'w').close()",
}


def test_calls_that_only_namespaces_make_harmless(cordon, who, tmp_path):
    file = tmp_path / "file"
    file.touch(0o666)
    code = SPEAK + "result.update(" + ", ".join(
        f"**{{{name!r}: trying({call})}}" for name, call in {**REFUSED, **KEPT}.items()) + ")"
    done = subprocess.run(
        who([*command(cordon, DOWN)[:-1], "-i", json.dumps({"pid": os.getpid(), "file": str(file)}), "-"]),
        input=code.encode(), capture_output=True, cwd="/", timeout=60 * SLOW, check=False)
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "ok", envelope
    assert {k: v for k, v in envelope["result"].items() if k in REFUSED} == dict.fromkeys(REFUSED, "EPERM")
    assert {k: v for k, v in envelope["result"].items() if k in KEPT} == dict.fromkeys(KEPT, "done")


# ---- approved ---------------------------------------------------------------------------------


@pytest.fixture
def approve(cordon, who):
    """approve(code, input): an approved run without namespaces, of an ordinary user."""
    if os.geteuid() == 0 and who is list:
        pytest.skip("this is about an ordinary user")

    def approve(code, given=None, *args):
        words = [*command(cordon, ["gate", "namespaces"], "--approved", *args)[:-1],
                 "-i", json.dumps(given or {}), "-"]
        done = subprocess.run(who(words), input=code.encode(), cwd="/", capture_output=True,
                              timeout=90 * SLOW, check=False)
        return json.loads(done.stdout)

    return approve


def test_approved_code_is_a_normal_program(approve):
    envelope = approve("""
import os, socket, subprocess
result["said"] = subprocess.run(["sh", "-c", "echo $((6 * 7)); pwd"], capture_output=True, text=True).stdout
result["cwd"] = os.getcwd()
result["read"] = open("/etc/passwd").read() != ""
open("a", "w").write("x")
s = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(s.getsockname())
pid = os.fork()
if pid == 0:
    os._exit(7)
result["waited"] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
""")
    assert envelope["status"] == "ok" and envelope["level"] == "contained", envelope
    result = envelope["result"]
    assert result["said"] == f"42\n{result['cwd']}\n"
    assert result["read"] and result["waited"] == 7


def test_approved_code_has_no_part_in_others(approve, who):
    with subprocess.Popen(who(["sleep", "60"])) as other:
        envelope = approve("""
import os
def trying(call):
    try:
        call()
        return "done"
    except OSError as e:
        return type(e).__name__
pid = input_data["pid"]
result["environ"] = trying(lambda: open(f"/proc/{pid}/environ").read())
result["mem"] = trying(lambda: open(f"/proc/{pid}/mem", "rb"))
result["kill"] = trying(lambda: os.kill(pid, 9))
result["own"] = trying(lambda: open("/proc/self/environ").read())
""", {"pid": other.pid})
        alive = other.poll() is None
        other.kill()
    assert envelope["status"] == "ok", envelope
    assert envelope["result"] == {"environ": "PermissionError", "mem": "PermissionError",
                                  "kill": "PermissionError", "own": "done"}
    assert alive


@pytest.mark.parametrize("end", ["result['n'] = 1", "time.sleep(60)", "os.kill(os.getpid(), 9)"],
                         ids=["ok", "timeout", "crash"])
def test_nothing_survives_an_approved_run(approve, end):
    envelope = approve(DAEMON + CHAINS + end, None, "--timeout", "1.5")
    assert envelope["status"] in ("ok", "timeout", "crashed", "limit"), envelope


def test_what_an_approved_run_leaves_lives_as_long_as_it_does(approve):
    envelope = approve("""
import os, time
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(0.3)
    os.write(w, b"alive")
    os._exit(0)
os.close(w)
result["heard"] = os.read(r, 10).decode()
""")
    assert envelope["result"] == {"heard": "alive"}, envelope


def test_roots_approved_run_is_refused(cordon, who):
    if os.geteuid() != 0 or who is not list:
        pytest.skip("this needs root")
    envelope, _ = run(cordon, who, "result['n'] = 1", ["namespaces"], "--approved")
    assert envelope["status"] == "internal" and "root of the host" in envelope["error"]["message"]

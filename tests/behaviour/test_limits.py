# SPDX-License-Identifier: Apache-2.0
"""
Every limit, run into from end to end: what the envelope then says (which limit, how much
of it there was, what the code took, how to raise it), that memory is counted over all that
a run holds, and that none comes to twice its limit.
"""

import json
import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

from support import KERNEL, SANITIZED, SLOW, as_nobody, left_behind, why_not_nobody

MIB = 1 << 20

# Else root's tasks are only looked at, which may be late.
KERNEL_COUNTS = os.getuid() != 0 or [*map(int, re.findall("[0-9]+", os.uname().release)[:2])] >= [6, 14]

unlimited = pytest.mark.skipif(SANITIZED, reason="a sanitizer build has no limit on address space")


SAMPLED = "cgroup: off\n"  # what the keeper counts is tested also where groups can be made


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    file = tmp_path_factory.mktemp("config") / "cordon.yaml"
    file.write_text(SAMPLED)
    return ("--config", file)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """The arguments that set limits which have no option of their own."""

    def profile(limits, approved=False):
        rows = "".join(f"          {key}: {value}\n" for key, value in limits.items())
        text = f"{SAMPLED}profiles:\n  - name: other\n    from: strict\n"
        text += f"    approved:\n        limits:\n{rows}" if approved else f"    limits:\n{rows}"
        file = tmp_path_factory.mktemp("config") / "cordon.yaml"
        file.write_text(text)
        return ("--config", file, "--profile", "other")

    return profile


FILL = """
import os, time

def fill(mib):
    held = bytearray(mib << 20)
    for i in range(0, len(held), 4096):
        held[i] = 1
    return held
"""


def filling(code):
    """The code, with fill() and its modules before it where one of them is used."""
    code = textwrap.dedent(code)
    return FILL + code if any(word in code for word in ("fill(", "os.", "time.")) else code


def both(test):
    return pytest.mark.parametrize("kind", [KERNEL, ("--approved",)], ids=["strict", "approved"])(test)


def run_into(run, limit, code, *args, said=None):
    """The envelope of code that runs into that limit; said: how the message puts it."""
    answer = run(filling(code), None, *args)
    assert (answer["status"], (answer["error"] or {}).get("limit")) == ("limit", limit), answer
    assert answer["error"]["kind"] == "limit" and answer["result"] is None
    message = answer["error"]["message"]
    assert re.search(r" \(it had come to [^)]+\); (raise|no profile)", message), message
    assert said is None or said in message, message
    assert left_behind() == []
    return answer


# ---- memory, whoever of the run holds it -----------------------------------------------------


HOLDERS = {
    "children": """
        for n in range(5):
            if os.fork() == 0:
                x = fill(40)
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """,
    "grandchildren whose parents have gone": """
        for n in range(5):
            if os.fork() == 0:
                if os.fork() == 0:
                    x = fill(40)
                    time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """,
    "undumpable children": """
        import ctypes
        for n in range(5):
            if os.fork() == 0:
                ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
                x = fill(40)
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """,
    "page tables": """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        for n in range(24000):  # a page for each GiB: nothing is resident but the tables
            at = libc.mmap(ctypes.c_void_p((1 << 45) + (n << 30)), ctypes.c_size_t(4096), 1, 0x100022, -1, 0)
            ctypes.string_at(at, 1)
        time.sleep(20)
    """,
    "mappings that came over many forks": """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        at = libc.mmap(None, ctypes.c_size_t(6000 * 8192), 3, 0x22, -1, 0)
        for page in range(at, at + 6000 * 8192, 4096):
            ctypes.memset(page, 1, 1)
            if page & 4096:
                libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(4096), 1)
        try:
            for n in range(40):
                if os.fork():
                    break
                time.sleep(0.01)
        except OSError:
            pass
        time.sleep(20)
    """,
}

FILED = {
    "the working directory": """
        with open("big", "wb") as f:
            for n in range(150):
                f.write(bytes(1 << 20))
        time.sleep(20)
    """,
    "the working directory and a heap": """
        with open("big", "wb") as f:
            for n in range(80):
                f.write(bytes(1 << 20))
        x = fill(80)
        time.sleep(20)
    """,
}

APPROVED = {
    "shared memory": """
        import mmap
        for n in range(3):
            if os.fork() == 0:
                x = mmap.mmap(-1, 60 << 20)
                for i in range(0, len(x), 4096):
                    x[i] = 1
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """,
    "semaphores": """
        import ctypes, time
        for n in range(80):
            assert ctypes.CDLL(None).semget(0, 32000, 0o1600) >= 0
        time.sleep(20)
    """,
    "messages of one byte": """
        import ctypes, time
        libc = ctypes.CDLL(None)
        message = ctypes.create_string_buffer(bytes([1] + [0] * 7) + b"x")
        for n in range(150):
            queue = libc.msgget(0, 0o1600)
            assert queue >= 0
            while libc.msgsnd(queue, message, ctypes.c_size_t(1), 0o4000) == 0:
                pass
        time.sleep(20)
    """,
    "memory files": """
        fds = [os.memfd_create("x") for n in range(12)]
        for fd in fds:
            for n in range(13):
                os.write(fd, bytes(1 << 20))
        time.sleep(20)
    """,
    "buffers of sockets": """
        import socket
        for n in range(3):
            if os.fork() == 0:
                pairs = [socket.socketpair() for n in range(110)]
                for s in sum(pairs, ()):
                    time.sleep(0.004)
                    s.setblocking(False)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400 << 10)
                    try:
                        while True:
                            s.send(bytes(32 << 10))
                    except BlockingIOError:
                        pass
                time.sleep(20)
        time.sleep(20)
    """,
    "/dev/shm": """
        with open("/dev/shm/big", "wb") as f:
            for n in range(150):
                f.write(bytes(1 << 20))
        time.sleep(20)
    """,
    "System V shared memory": """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.shmat.restype = ctypes.c_void_p
        for n in range(3):
            at = libc.shmat(libc.shmget(0, 50 << 20, 0o1600), None, 0)
            ctypes.memset(at, 1, 50 << 20)
            libc.shmdt(ctypes.c_void_p(at))
        time.sleep(20)
    """,
}


def overrun(run, code, *args):
    answer = run_into(run, "memory", code, "--memory", "100M", *args, said="100 MiB")
    peak = answer["usage"]["memory_peak_bytes"]
    assert peak < 200 * MIB * SLOW, answer
    assert SANITIZED or peak > 90 * MIB, answer
    assert answer["limits_by"] == "sampling"
    assert f"it had come to {peak / MIB:.4g} MiB" in answer["error"]["message"], answer
    assert "raise limits.memory_bytes" in answer["error"]["message"]


@both
@pytest.mark.parametrize("code", HOLDERS.values(), ids=HOLDERS)
def test_memory_is_counted_over_all_processes(run, sampled, code, kind):
    overrun(run, code, *kind, *sampled)


@both
@pytest.mark.parametrize("code", FILED.values(), ids=FILED)
def test_files_in_memory_count_as_memory(run, profile, code, kind):
    overrun(run, code, *kind, *profile({"disk": "256MiB"}, "--approved" in kind))


@pytest.mark.parametrize("code", APPROVED.values(), ids=APPROVED)
def test_what_only_approved_code_can_hold_counts(run, profile, code):
    overrun(run, code, "--approved", *profile({"wall": f"{30 * SLOW:.0f}s"}, approved=True))


def test_files_in_memory_count_for_an_ordinary_user(cordon):
    """Whose keeper may look into less; and no control group is left to it."""
    why = why_not_nobody(cordon.path)
    if why:
        pytest.skip(why)
    def run(code, _, *args):
        command = as_nobody([cordon.path, "run", "--json", *map(str, args), "-"])
        done = subprocess.run(command, input=code.encode(), stdout=subprocess.PIPE, check=False)
        return json.loads(done.stdout)

    for code in (APPROVED["/dev/shm"], FILED["the working directory"]):
        overrun(run, code, "--approved")
    for kind in (KERNEL, ("--approved",)):
        overrun(run, HOLDERS["mappings that came over many forks"], *kind)


def test_what_a_closed_socket_has_sent_counts(run):
    """As what it could have sent: nobody is charged with it any more."""
    run_into(run, "memory", """
        import os, socket, time
        for n in range(2):
            if os.fork() == 0:
                kept = []
                for n in range(220):
                    s, other = socket.socketpair()
                    s.setblocking(False)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400 << 10)
                    try:
                        while True:
                            s.send(bytes(32 << 10))
                    except BlockingIOError:
                        kept.append(other)
                    s.close()
                time.sleep(20)
        time.sleep(20)
    """, "--memory", "100M", "--approved")


def test_many_sockets_with_little_in_them(run):
    answer = run("""
        import socket, time
        pairs = [socket.socketpair() for n in range(100)]
        for s, other in pairs:
            s.send(b"x" * 1000)
        s.close()
        time.sleep(0.1)
    """.replace("\n        ", "\n"), None, "--memory", "100M", "--approved")
    assert answer["status"] == "ok" and answer["usage"]["memory_peak_bytes"] < 20 * MIB * SLOW, answer


def test_memory_files_count_without_the_call_filter(run, sampled):
    overrun(run, APPROVED["memory files"], *KERNEL, "--drop-wall", "seccomp", *sampled)


@both
def test_shared_pages_count_once(run, kind):
    answer = run(filling("""
    x = fill(60)
    pids = []
    for n in range(6):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.3)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    """), None, "--memory", "150M", *kind)
    assert answer["status"] == "ok", answer
    assert answer["usage"]["memory_peak_bytes"] < 150 * MIB * SLOW


# ---- memory, of one process -----------------------------------------------------------------------


@unlimited
@both
def test_one_object_that_is_too_large(run, kind):
    answer = run_into(run, "memory", "x = bytearray(3000 << 20)", *kind)
    assert answer["usage"]["memory_peak_bytes"] < 64 * MIB


@both
def test_an_exception_of_that_name_is_no_limit(run, kind):
    answer = run("raise MemoryError('mine')", None, *kind)
    assert (answer["status"], answer["error"]["type"]) == ("error", "MemoryError"), answer


@both
@pytest.mark.parametrize("mib", [0, 20, 100])
def test_the_peak_is_what_the_code_took(run, kind, mib):
    answer = run(f"x = bytes(range(256)) * {mib << 12}\ndel x", None, *kind)
    peak = answer["usage"]["memory_peak_bytes"]
    assert answer["status"] == "ok" and mib * MIB <= peak < (mib + 8) * MIB * SLOW, answer


@both
def test_a_peak_that_has_passed_counts(run, kind):
    answer = run("x = bytes(range(256)) * (60 << 12)\ndel x\nx = 1\nraise ValueError(1)", None, *kind)
    assert 60 * MIB <= answer["usage"]["memory_peak_bytes"] < 70 * MIB * SLOW, answer


def test_a_peak_of_many(run):
    answer = run(filling("""
    for n in range(4):
        if os.fork() == 0:
            x = fill(30)
            time.sleep(1)
            os._exit(0)
    for n in range(4):
        os.wait()
    """), None, "--approved")
    assert answer["status"] == "ok"
    assert 110 * MIB <= answer["usage"]["memory_peak_bytes"] < 180 * MIB * SLOW, answer


# ---- the others ---------------------------------------------------------------------------------------


@both
def test_processes(run, kind):
    run_into(run, "processes", """
        import os, time
        for _ in range(200):
            if os.fork() == 0:
                time.sleep(5)
                os._exit(0)
        time.sleep(5)
    """, *kind, said="processes")


def test_as_many_processes_as_the_limit(run, profile):
    """And no more: the 41st ends the run, before there are twice as many."""
    code = """
        import os, signal
        for n in range(%d):
            if os.fork() == 0:
                signal.pause()
            os.write(1, b"x")
        signal.signal(15, signal.SIG_IGN); os.killpg(0, 15)
    """
    args = ("--approved", *profile({"tasks": "40"}, approved=True))
    answer = run(textwrap.dedent(code % 39), None, *args)
    assert (answer["status"], answer["stdout"]) == ("ok", "x" * 39), answer
    answer = run_into(run, "processes", code % 100, *args, said="its limit of 40")
    assert len(answer["stdout"]) < 80 or not KERNEL_COUNTS, answer


def test_daemons(run, profile):
    """Each keeps the number of the process that made its session, too."""
    answer = run(filling("""
        for n in range(36):
            middle = os.fork()
            if middle == 0 and (os.setsid(), os.fork())[1] == 0:
                time.sleep(20)
            os._exit(0) if middle == 0 else os.waitpid(middle, 0)
    """), None, "--approved", *profile({"tasks": "40"}, approved=True))
    assert answer["status"] == "ok", answer


@pytest.mark.skipif(SANITIZED, reason="a keeper that takes several times as long sees them late")
@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's are held by a resource limit")
@pytest.mark.parametrize("mib", [0, 100])
def test_processes_that_double(run, mib):
    """Root's no resource limit holds: they have to be seen before they are too many to be seen."""
    answer = run(filling("""
        x = fill(%d)
        for _ in range(10):
            os.fork()
        time.sleep(6)
        os._exit(0)
    """ % mib), None, "--approved")
    assert answer["error"]["limit"] in ("processes", "memory" if mib else ""), answer
    assert answer["usage"]["wall_ms"] < 5000 * SLOW and left_behind() == [], answer


@both
def test_disk(run, kind):
    run_into(run, "disk", """
        with open("big", "wb") as f:
            for _ in range(300):
                f.write(bytes(1 << 20))
    """, *kind, said="limits: disk ")


@both
def test_files_of_the_working_directory(run, kind, profile):
    run_into(run, "files", """
        for n in range(3000):
            open(str(n), "w").close()
    """, *kind, *profile({"disk_files": "500"}, "--approved" in kind), said="its limit of 500")


@both
def test_open_files(run, kind):
    run_into(run, "files", "x = [open('/dev/null') for n in range(1000)]", *kind,
             said="limits: open_files")


@both
def test_result(run, kind):
    run_into(run, "result", "result['x'] = 'x' * (17 << 20)", *kind,
             said="its limit of 16 MiB (it had come to that and asked for more)")


def test_pipes(run):
    """Nobody needs them there, and what they hold no resource limit counts."""
    run_into(run, "memory", """
        import os, time
        keep = [os.pipe() for n in range(20)]
        time.sleep(20)
    """, *KERNEL, said="in pipes than its limit of 1 MiB")


def test_a_few_pipes_in_each_of_many(run):
    run_into(run, "memory", """
        import os, time
        for n in range(10):
            if os.fork() == 0:
                keep = [os.pipe() for n in range(4)]
                time.sleep(20)
        time.sleep(20)
    """, *KERNEL, said="in pipes than its limit of 1 MiB")


def test_a_few_pipes(run):
    answer = run("import os, time\nkeep = [os.pipe() for n in range(14)]\ntime.sleep(0.2)", None, *KERNEL)
    assert answer["status"] == "ok", answer


# ---- what no look would find ----------------------------------------------------------------------------


def without(run, kind, wall, code, *args):
    """What such code comes to with all walls, and without the one that holds it."""
    code = textwrap.dedent(code)
    answers = run(code, None, *kind, *args), run(code, None, *kind, *args, "--no-gate", "--drop-wall", wall)
    assert [a["status"] for a in answers] == ["ok", "ok"], answers
    return answers


THREAD = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
stack = ctypes.create_string_buffer(65536)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(stack))  # the thread outlives Python's own end
top = (ctypes.addressof(stack) + 65536) // 64 * 64 - 64
fds = os.pipe()
made = libc.clone(ctypes.cast(libc.pause, ctypes.c_void_p).value, top, 0x10900, None)
result["made"] = made if made < 0 else 1
result["errno"] = ctypes.get_errno() if made < 0 else 0
"""


@both
def test_a_thread_has_no_descriptors_of_its_own(run, kind):
    """Pipes that only it has are in no directory that is counted."""
    held, open_ = without(run, kind, "seccomp", THREAD)
    assert held["result"] == {"made": -1, "errno": 1} and open_["result"] == {"made": 1, "errno": 0}


ADVISED = """
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
at = libc.mmap(None, ctypes.c_size_t(64 << 20), 3, 0x22, -1, 0)
libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(64 << 20), 14)
libc.prctl(41, 0, 0, 0, 0)
for n in range(at, at + (64 << 20), 2 << 20):
    ctypes.memset(n, 1, 1)
"""

HUGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.skipif(not HUGE.exists() or "[never]" in HUGE.read_text(), reason="the host has none")
def test_strict_code_has_no_huge_pages(run, sampled):
    """4 KiB of one that stay mapped keep 2 MiB, which nothing shows."""
    held, open_ = without(run, KERNEL, "limits", ADVISED, *sampled)
    assert held["usage"]["memory_peak_bytes"] < 32 * MIB * SLOW < 56 * MIB * SLOW
    assert SANITIZED or open_["usage"]["memory_peak_bytes"] > 56 * MIB, open_


# ---- what is none ---------------------------------------------------------------------------------------


def test_a_kill_of_its_own_is_a_crash(run):
    answer = run("import os\nos.kill(os.getpid(), 9)", None, "--approved")
    assert (answer["status"], answer["error"].get("limit")) == ("crashed", None), answer


def test_without_the_wall_nothing_limits(run):
    answer = run("import time\nx = bytearray(150 << 20)\ntime.sleep(0.1)", None, "--memory", "100M",
                 "--no-gate", "--drop-wall", "limits")
    assert answer["status"] == "ok" and answer["limits_by"] is None, answer
    assert answer["usage"]["memory_peak_bytes"] > 140 * MIB

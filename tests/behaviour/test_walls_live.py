# SPDX-License-Identifier: Apache-2.0
"""
The call filter and Landlock, from inside a real sandbox and by hostile means: system calls
by number, made through ctypes, with gate and interpreter out of the way. What a wall holds
is tried again with that wall down, where it must get through: else the test proves nothing.
"""

import errno
import platform

import pytest

from support import KERNEL

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="calls by x86-64 numbers")

PRELUDE = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]

def call(nr, *args):
    "What the kernel said: the value, or the name of the error."
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(nr), *[ctypes.c_long(a) if isinstance(a, int) else a
                                            for a in args])
    return errno.errorcode[ctypes.get_errno()] if got == -1 else got

def mmap(prot, flags, fd=-1):
    ctypes.set_errno(0)
    got = libc.mmap(None, 4096, prot, flags, fd, 0)
    return errno.errorcode[ctypes.get_errno()] if got == 2**64 - 1 else "ok"
"""

# Of the code that makes the call.
LINE = 1 + PRELUDE[: PRELUDE.index("got = libc.syscall")].count("\n")

R, W, X = 1, 2, 4
SHARED, PRIVATE, ANONYMOUS = 1, 2, 0x20


@pytest.fixture(scope="module")
def ask(run):
    """ask(["call(39)"]) -> what each gives inside, in order; ask(..., "seccomp") without a wall."""

    def ask(expressions, *down):
        walls = [arg for wall in down for arg in ("--drop-wall", wall)]
        code = PRELUDE + "".join(f"result[{e!r}] = {e}\n" for e in expressions)
        envelope = run(code, None, *KERNEL, *walls)
        assert envelope["status"] == "ok", envelope
        return envelope["result"]

    return ask


def ends(run, statement, *down):
    walls = [arg for wall in down for arg in ("--drop-wall", wall)]
    code = f"{PRELUDE}\nprint('before')\n{statement}\nresult['survived'] = True\n"
    return run(code, None, *KERNEL, *walls)


# ---- seccomp: answers ---------------------------------------------------------------


# A call, what the filter makes of it, and what the kernel says without the filter (int: any
# value, but no error).
ANSWERS = [
    ("call(41, 1, 1, 0)", "EPERM", int),  # socket(AF_UNIX)
    ("call(41, 2, 2, 0)", "EPERM", int),  # socket(AF_INET, SOCK_DGRAM)
    ("call(53, 1, 1, 0, (ctypes.c_int * 2)())", "EPERM", int),  # socketpair
    ("call(319, b'x', 0)", "EPERM", int),  # memfd_create
    ("call(29, 0, 4096, 0o1600)", "EPERM", int),  # shmget
    ("call(72, os.pipe()[0], 1031, 1 << 20)", "EPERM", int),  # F_SETPIPE_SZ
    ("call(157, 4, 1)", "EPERM", int),  # PR_SET_DUMPABLE
    ("call(13, 31, 0, ctypes.create_string_buffer(64), 8)", "EPERM", int),  # SIGSYS's handler
    ("call(59, b'/no/such', 0, 0)", "EPERM", "ENOENT"),  # execve
    ("call(133, b'fifo', 0o10600, 0)", "EPERM", "EACCES"),  # mknod: Landlock then
    ("call(435, 0, 0)", "ENOSYS", "EINVAL"),  # clone3
    ("call(291, 0)", "ENOSYS", int),  # epoll_create1
    ("call(99, ctypes.create_string_buffer(512))", "ENOSYS", int),  # sysinfo
    ("call(998)", "ENOSYS", "ENOSYS"),  # no kernel has it
    ("call(39)", 1, 1),  # getpid
    ("call(135, 0xffffffff)", 0, 0),  # personality: asks
    (f"mmap({R | W}, {PRIVATE | ANONYMOUS})", "ok", "ok"),
    (f"mmap({R | X}, {PRIVATE | ANONYMOUS})", "EPERM", "ok"),
    (f"mmap({R | W | X}, {PRIVATE | ANONYMOUS})", "EPERM", "ok"),
    (f"mmap({R | X}, {SHARED | ANONYMOUS})", "EPERM", "ok"),
    (f"mmap({R | X}, {PRIVATE}, os.open(os.__file__, 0))", "ok", "ok"),
    (f"mmap({R | X}, {SHARED}, os.open(os.__file__, 0))", "EPERM", "ok"),
    ("call(135, 0x0400000)", "ENOSYS", int),  # personality(READ_IMPLIES_EXEC), last
]


@pytest.fixture(scope="module")
def answers(ask):
    return ask([row[0] for row in ANSWERS])


@pytest.fixture(scope="module")
def answers_without(ask):
    return ask([row[0] for row in ANSWERS], "seccomp")


@pytest.mark.parametrize(("expression", "answer", "without"), ANSWERS)
def test_the_filter_answers(answers, answers_without, expression, answer, without):
    assert answers[expression] == answer
    got = answers_without[expression]
    assert isinstance(got, int) if without is int else got == without, got


def test_data_cannot_become_code(ask):
    attempt = (
        f"libc.mprotect(ctypes.c_void_p(libc.mmap(None, 4096, {R | W}, {PRIVATE | ANONYMOUS}, -1, 0)),"
        f" 4096, {R | X})"
    )
    assert ask([attempt]) == {attempt: -1}
    assert ask([attempt], "seccomp") == {attempt: 0}


def test_no_descriptor_it_holds_maps_as_code(run):
    """What it can write to (its own files included) must not come back executable."""
    code = f"""{PRELUDE}
with open("own", "wb") as f:
    f.write(b"\\xc3" * 4096)
own = os.open("own", os.O_RDWR)
zero = os.open("/dev/zero", os.O_RDONLY)
for fd in range(64):
    try:
        os.fstat(fd)
    except OSError:
        continue
    result[str(fd)] = mmap({R | X}, {PRIVATE}, fd)
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] == "ok", envelope
    assert len(envelope["result"]) >= 6
    assert "ok" not in envelope["result"].values(), envelope["result"]


# ---- seccomp: ends ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("call(101, 0, 0, 0, 0)", "ptrace"),
        ("call(321, 0, 0, 0)", "bpf"),
        ("call(425, 1, 0)", "io_uring_setup"),
        ("call(323, 0)", "userfaultfd"),
        ("call(298, 0, 0, 0, 0, 0)", "perf_event_open"),
        ("call(250, 0, -1, 0, 0, 0)", "keyctl"),
        ("call(165, 0, 0, 0, 0, 0)", "mount"),
        ("call(161, b'/')", "chroot"),
        ("call(272, 0x10000000)", "unshare"),
        ("call(308, 0, 0)", "setns"),
        ("call(56, 0x10000011, 0, 0, 0, 0)", "clone"),
        ("call(304, -1, 0, 0)", "open_by_handle_at"),
        ("call(16, 0, 0x5412, b'x')", "ioctl"),
        ("call(41, 38, 5, 0)", "socket"),
        ("call(41, 40, 1, 0)", "socket"),
        ("call(41, 17, 3, 0)", "socket"),
    ],
)
def test_what_nobody_honest_calls_ends_the_run(run, statement, name):
    envelope = ends(run, statement)
    assert envelope["status"] == "crashed"
    assert envelope["error"]["message"] == (
        f"the interpreter was stopped for calling {name}, which the profile's call filter refuses"
    )
    assert envelope["error"]["line"] == LINE
    assert envelope["stdout"] == "before\n"
    assert ends(run, statement, "seccomp")["result"] == {"survived": True}


@pytest.mark.parametrize(
    "before",
    [
        "libc.sigfillset(b := ctypes.create_string_buffer(128)); libc.sigprocmask(0, b, None)",
        "os.close(4)",
        "os.dup2(0, 4)",
        "import signal; [signal.signal(s, signal.SIG_IGN) for s in range(1, 32) "
        "if s not in (9, 19, 31)]",
    ],
)
def test_there_is_no_way_around_the_end(run, before):
    envelope = ends(run, f"{before}\ncall(101, 0, 0, 0, 0)")
    assert envelope["status"] == "crashed"
    assert "the profile's call filter refuses" in envelope["error"]["message"]


def test_a_signal_of_its_own_is_no_call(run):
    envelope = ends(run, "import signal; os.kill(os.getpid(), signal.SIGSYS)")
    assert envelope["status"] == "crashed" and envelope["violations"] == [], envelope
    assert "because the code sent that signal" in envelope["error"]["message"]


def test_the_handler_cannot_be_replaced(run):
    envelope = run("import signal\nsignal.signal(signal.SIGSYS, signal.SIG_IGN)", None, *KERNEL)
    assert envelope["error"]["type"] == "PermissionError"


def test_a_child_that_is_stopped_is_told_of(run):
    """Nobody can end the first process of a namespace from inside; the answer says so."""
    code = f"{PRELUDE}pid = os.fork()\nif pid == 0:\n    call(101, 0, 0, 0, 0)\nresult['status'] = os.waitpid(pid, 0)[1]"
    envelope = run(code, None, *KERNEL)
    assert (envelope["status"], envelope["result"]) == ("ok", {"status": 31}), envelope
    assert [(v["wall"], v["what"]) for v in envelope["violations"]] == [("seccomp", "ptrace")]


def test_a_thread_that_is_stopped_stops_the_run(run):
    envelope = ends(
        run,
        "import threading; t = threading.Thread(target=call, args=(101, 0, 0, 0, 0)); "
        "t.start(); t.join()",
    )
    assert envelope["status"] == "crashed"
    assert "calling ptrace" in envelope["error"]["message"]


def test_a_forged_number_is_followed_by_the_true_one(run):
    envelope = ends(run, "os.write(4, b'syscall 39\\n'); call(321, 0, 0, 0)")
    assert "calling bpf" in envelope["error"]["message"]


# ---- what works -----------------------------------------------------------------------


def test_threads_children_and_files_work(run):
    code = """
import os, shutil, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    result["threads"] = list(pool.map(abs, range(-3, 0)))
child = os.fork()
if child == 0:
    os._exit(5)
result["child"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
with open("a", "w") as f:
    f.write("x" * 100)
shutil.copy2("a", "b")
os.makedirs("d/e")
os.rename("a", "d/e/a")
shutil.rmtree("d")
with tempfile.TemporaryFile(dir=".") as f:
    f.write(b"y")
with open(os.devnull, "w") as f:
    f.write("z")
result["left"] = os.listdir()
result["size"] = os.stat("b").st_size
threading.Event().wait(0.01)
time.sleep(0.01)
result["random"] = len(os.urandom(8))
"""
    envelope = run(code, None, *KERNEL)
    assert envelope["status"] == "ok", envelope
    assert envelope["result"] == {
        "threads": [3, 2, 1], "child": 5, "left": ["b"], "size": 100, "random": 8,
    }


def test_a_library_can_be_loaded_late(run):
    """An extension module and the C library that it needs, neither of them loaded before."""
    code = "import _ctypes, _lzma\nresult['ok'] = _lzma.is_check_supported(1)"
    envelope = run(code, None, *KERNEL)
    assert envelope["result"] == {"ok": True}, envelope


def test_a_program_cannot_be_started(run):
    envelope = run("import subprocess\nsubprocess.run(['/bin/true'])", None, *KERNEL)
    assert envelope["error"]["type"] == "PermissionError"


# ---- Landlock ---------------------------------------------------------------------------


@pytest.fixture
def landlock(run):
    """The wall stands: its version is what the envelope says is not missing."""
    if "landlock" in run("")["walls_down"]:
        pytest.skip("this kernel has no Landlock")


def test_landlock_alone_holds_devices_and_special_files(ask, landlock):
    attempts = ["call(257, -100, b'/dev/zero', 1, 0)", "call(133, b'fifo', 0o10600, 0)"]
    assert ask(attempts, "seccomp") == dict.fromkeys(attempts, "EACCES")
    assert "EACCES" not in ask(attempts, "seccomp", "landlock").values()


def test_landlock_alone_holds_execution(run, landlock):
    """With the call filter down, no file of the view can be executed."""
    code = f"""{PRELUDE}
child = os.fork()
if child == 0:
    try:
        os.execv("/usr/bin/python3", ["python3", "-I", "-c", "pass"])
    except OSError as e:
        os._exit(e.errno)
result["end"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""
    held = run(code, None, *KERNEL, "--drop-wall", "seccomp")
    assert held["result"] == {"end": errno.EACCES}, held
    free = run(code, None, *KERNEL, "--drop-wall", "seccomp", "--drop-wall", "landlock")
    assert free["result"] != {"end": errno.EACCES}, free


def test_landlock_alone_holds_tcp(ask, landlock):
    """The box's network has nothing but a loopback that is down; it may not even be asked."""
    attempt = (
        "call(49, call(41, 2, 1, 0), ctypes.create_string_buffer(b'\\x02\\0' + bytes(14)), 16)"
    )
    assert ask([attempt], "seccomp") == {attempt: "EACCES"}
    assert ask([attempt], "seccomp", "landlock") == {attempt: 0}


def test_walls_that_are_down_are_said(run):
    envelope = run("", None, "--drop-wall", "seccomp", "--drop-wall", "landlock")
    assert envelope["walls_down"] == ["seccomp", "landlock"]

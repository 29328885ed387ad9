# SPDX-License-Identifier: Apache-2.0
"""
Memory of an approved run that no look at its processes tells of, as root and as an ordinary
user: what is made to count, or held at its making, and that honest programs do not notice.
"""

import mmap
import os
import subprocess
import textwrap
import threading

import pytest

from support import SANITIZED, SLOW, keepers, left_behind, sandboxes, wait_until

MIB = 1 << 20

HEAD = """
import ctypes, mmap, os, socket, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p

def shared(size, flags, fd):
    at = libc.mmap(None, ctypes.c_size_t(size), 3, flags, fd, 0)
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return at
"""

# 80 MiB each.
FILES = {
    "mapped by one page": """
        for n in range(20):
            fd = os.memfd_create("x")
            os.write(fd, bytes(4 << 20))
            ctypes.memset(shared(4096, 1, fd), 1, 4096)
            os.close(fd)
            time.sleep(0.004)
        time.sleep(rest)
    """,
    "in a socket": """
        a, b = socket.socketpair()
        for n in range(20):
            fd = os.memfd_create("x")
            os.write(fd, bytes(4 << 20))
            socket.send_fds(a, [b"x"], [fd])
            os.close(fd)
            time.sleep(0.004)
        time.sleep(rest)
    """,
}

SHARED = {
    "of which one page is mapped": """
        for n in range(20):
            at = shared(4 << 20, 0x21, -1)
            ctypes.memset(at, 1, 4 << 20)
            libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t((4 << 20) - 4096))
            time.sleep(0.004)
        time.sleep(rest)
    """,
    "after lengths that no sum holds": """
        parts = [shared(4 << 20, 0x21, -1) for n in range(20)]
        made = 20 * ((4 << 20) + 65536)
        for size in (2**63 - 2 - made, 2**63 - 2**17 + 4096):
            libc.mmap(None, ctypes.c_size_t(size), 3, 0x21, -1, 0)
        for at in parts:
            ctypes.memset(at, 1, 4 << 20)
            libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t((4 << 20) - 4096))
            time.sleep(0.004)
        time.sleep(rest)
    """,
    "whose pages are put aside": """
        held = [mmap.mmap(-1, 4 << 20) for n in range(20)]
        for m in held:
            m.write(bytes(4 << 20))
            m.madvise(mmap.MADV_DONTNEED)
            time.sleep(0.004)
        time.sleep(rest)
    """,
    "that children have filled": """
        held = [mmap.mmap(-1, 4 << 20) for n in range(20)]
        for m in held:
            if os.fork() == 0:
                m.write(bytes(4 << 20))
                os._exit(0)
            os.wait()
        time.sleep(rest)
    """,
}


def attack(approve, code, rest, *args):
    code = f"rest = {rest}\n{HEAD}{textwrap.dedent(code)}"
    return approve(code, None, "--memory", "32M", *args)


def is_held(approve, code):
    answer = attack(approve, code, 10)
    assert (answer["status"], (answer["error"] or {}).get("limit")) == ("limit", "memory"), answer
    assert answer["usage"]["memory_peak_bytes"] < 96 * MIB * SLOW, answer
    return answer["usage"]


@pytest.mark.parametrize("code", FILES.values(), ids=FILES)
def test_memory_files_that_no_descriptor_is_open_for(approve, caller, code):
    is_held(approve, code)
    # Without the call filter nobody asks the keeper for one, and nobody sees it.
    assert caller != "self" or attack(approve, code, 0.1, "--drop-wall", "seccomp")["status"] == "ok"


@pytest.mark.parametrize("code", SHARED.values(), ids=SHARED)
def test_shared_memory_that_nobody_maps_any_more(approve, caller, code):
    is_held(approve, code)
    assert caller != "self" or attack(approve, code, 0.1, "--drop-wall", "seccomp")["status"] == "ok"


def test_shared_memory_of_a_device(value):
    """Nobody would know how much it is; zeros are read as ever."""
    assert value("""
        import mmap
        with open("/dev/zero", "rb+", 0) as zero:
            result["read"] = zero.read(2).hex()
            try:
                mmap.mmap(zero.fileno(), 4096)
            except OSError as e:
                result["mapped"] = e.errno
    """) == {"read": "0000", "mapped": 19}


def test_shared_memory_comes_and_goes(value):
    """More than the limit, in turn, beside some that stays; and as much, hardly touched."""
    assert value("""
        import mmap, os
        stays = [mmap.mmap(-1, 4096) for n in range(9)]
        for n in range(20):
            m = mmap.mmap(-1, 60 << 20)
            m.write(bytes(8 << 20))
            m.close()
        wide = mmap.mmap(-1, 1100 << 20)
        wide[0] = wide[-1] = 1
        result["n"] = len(stays)
    """) == {"n": 9}


# More than the limit in all; a single one that is more, and that is hardly touched.
GIVEN_BACK = {"in turn": [8] * 10, "at once": [80]}


@pytest.mark.parametrize("sizes", GIVEN_BACK.values(), ids=GIVEN_BACK)
def test_shared_memory_of_others(approve, caller, home, sizes):
    """What others on the host make of it is not taken for what a run has given back."""
    if caller != "self" and max(sizes) > 32:
        pytest.skip("only root's keeper may know how much each holds; see SECURITY.md")

    def grow():
        if wait_until(lambda: (home / "given-back").exists(), 20):
            with mmap.mmap(-1, 100 << 20) as m:
                m.write(bytes(len(m)))
                (home / "grown").touch()
                wait_until(lambda: (home / "seen").exists(), 20)

    other = threading.Thread(target=grow)
    other.start()
    answer = approve(f"""
        import mmap, os, time
        stays = mmap.mmap(-1, 4096)
        stays[0] = 1
        for size in {sizes}:
            m = mmap.mmap(-1, size << 20)
            m.write(bytes(1 << 20))
            m.close()
        home = os.environ["HOME"]
        open(home + "/given-back", "w").close()
        while not os.path.exists(home + "/grown"):
            time.sleep(0.01)
        time.sleep(0.2)
        result["stays"] = stays[0]
    """, None, "--memory", "32M")
    (home / "seen").touch()
    other.join()
    assert (answer["status"], answer["result"]) == ("ok", {"stays": 1}), answer


@pytest.mark.parametrize("path", ["big", "/dev/shm/big"])
def test_file_systems_in_memory(approve, path):
    is_held(approve, f"""
        with open("{path}", "wb") as f:
            for n in range(20):
                f.write(bytes(4 << 20))
                time.sleep(0.004)
        time.sleep(rest)
    """)


FULL = {
    "a memory file": ("disk", "fd = os.memfd_create('x')\nwhile True: os.write(fd, bytes(MIB))"),
    "a file": ("disk", "with open('/dev/shm/x', 'wb') as f:\n  while True: f.write(bytes(MIB))"),
    "files": ("files", "for n in range(11_000): open(f'/dev/shm/{n}', 'w').close()"),
}


@pytest.mark.parametrize("limit, code", FULL.values(), ids=FULL)
def test_no_room_in_shared_memory(approve, limit, code):
    answer = approve(f"import os\nMIB = 1 << 20\n{code}\n")
    assert (answer["status"], answer["error"].get("limit")) == ("limit", limit), answer
    assert "/dev/shm" in answer["error"]["message"], answer


@pytest.mark.skipif(SANITIZED, reason="the sanitizer takes the signal itself")
def test_no_room_for_a_page_of_it(approve):
    answer = approve("import mmap, os\nfd = os.open('x', os.O_RDWR | os.O_CREAT)\n"
                     "os.truncate(fd, 300 << 20)\nmap = mmap.mmap(fd, 300 << 20)\n"
                     "for at in range(0, len(map), 4096): map[at] = 1\n")
    assert answer["status"] == "crashed" and "SIGBUS" in answer["error"]["message"], answer
    assert "no room left" in answer["error"]["message"], answer


def test_a_memory_file_is_one(value):
    assert value("""
        import mmap, os, socket, subprocess
        fd = os.memfd_create("x")
        os.write(fd, b"#!/bin/sh\\necho run")
        result["inherited"] = os.get_inheritable(fd)
        os.ftruncate(fd, 3 << 20)
        m = mmap.mmap(fd, 3 << 20)
        if os.fork() == 0:
            m[2 << 20] = 7
            os._exit(0)
        os.wait()
        result["shared"] = m[2 << 20]
        os.ftruncate(fd, 18)
        a, b = socket.socketpair()
        socket.send_fds(a, [b"x"], [fd])
        result["sent"] = os.pread(socket.recv_fds(b, 1, 1)[1][0], 9, 0).decode()
        result["names"] = os.listdir("/dev/shm")
        result["kept"] = os.get_inheritable(os.memfd_create("y", 0))
        try:
            held = [os.memfd_create("n") for n in range(1000)]
        except OSError as e:
            result["too many"] = e.errno
    """) == {"inherited": False, "shared": 7, "sent": "#!/bin/sh", "names": [], "kept": True,
             "too many": 24}


def test_a_program_in_a_memory_file(value):
    assert value("""
        import os, subprocess
        fd = os.memfd_create("x", 0)
        os.write(fd, b"#!/bin/sh\\necho run")
        to_read = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
        os.close(fd)
        result["said"] = subprocess.run([f"/proc/self/fd/{to_read}"], pass_fds=[to_read],
                                        capture_output=True, text=True).stdout
    """) == {"said": "run\n"}


@pytest.mark.parametrize("down", [(), ("--drop-wall", "seccomp")], ids=["all walls", "nobody asks"])
def test_what_the_keeper_may_do(cordon, down):
    """CAP_CHECKPOINT_RESTORE, to be told what maps hold; and not where it is told of none."""
    if os.geteuid() != 0:
        pytest.skip("root's keeper")
    with cordon.popen("run", "--approved", "--no-gate", *down, "-", stdin=subprocess.PIPE) as process:
        process.stdin.write(b"import time\ntime.sleep(20)")
        process.stdin.close()
        try:
            assert wait_until(lambda: any(s.status("NoNewPrivs") == ["1"] for s in sandboxes()), 20)
            keeper = min(keepers(), key=lambda p: p.depth)
            most = 0 if down else 1 << 40
            assert wait_until(lambda: all(int(keeper.status(kind)[0], 16) in (0, most)
                                          for kind in ("CapPrm", "CapEff", "CapBnd")))
        finally:
            process.kill()
    assert left_behind() == []


def test_of_a_process_whose_first_thread_has_ended(approve):
    """Its own files show nothing: no pages, no maps, no descriptors."""
    is_held(approve, """
        import threading
        def hold():
            held = bytearray(80 << 20)
            for at in range(0, len(held), 4096):
                held[at] = 1
                if at % (4 << 20) == 0:
                    time.sleep(0.004)
            time.sleep(rest)
        if os.fork() == 0:
            threading.Thread(target=hold).start()
            libc.syscall(60, 0)
        time.sleep(rest)
    """)


def test_memory_is_counted_while_something_forks(approve):
    """The exact sum waits for who forks, and the keeper must not wait for either."""
    usage = is_held(approve, """
        if os.fork() == 0:
            while True:
                if os.fork() == 0:
                    os._exit(0)
                os.wait()
                time.sleep(0.001)
        for n in range(4):
            if os.fork() == 0:
                held = bytearray(20 << 20)
                for at in range(0, len(held), 4096):
                    held[at] = 1
                    if at % (4 << 20) == 0:
                        time.sleep(0.004)
                time.sleep(rest)
            time.sleep(0.02)
        time.sleep(rest)
    """)
    assert usage["wall_ms"] < 3000 * SLOW


def test_code_does_not_give_up_its_turn(value):
    """Who never gets one holds up the keeper that answers it."""
    assert value("""
        import os
        def refused(do):
            try:
                do()
            except PermissionError:
                return True
        result["refused"] = [refused(lambda: os.nice(1)),
                             refused(lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))]
    """) == {"refused": [True, True]}


LISTS = """
import errno, os, struct
def entries(n):
    rows = [(1, 6, -1)] + [(2, 7, os.getuid())] * n + [(4, 4, -1), (16, 7, -1), (32, 4, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *row) for row in rows)
def set_list(n):
    try:
        os.setxattr(".", "system.posix_acl_default", entries(n))
    except OSError as e:
        return errno.errorcode[e.errno]
result["set"] = [set_list(1), set_list(8000)]
"""


# Of a program whose path is a thousand long, /proc tells no line before it has room for it.
KEPT = {
    "what was read of /proc": """
        d = os.open(".", os.O_RDONLY)
        for n in range(500):
            os.mkdir("\\n" * 255, dir_fd=d)
            d = os.open("\\n" * 255, os.O_RDONLY, dir_fd=os.dup(d))
            os.closerange(d + 1, d + 9) if n % 8 else None
            if n % 8 == 7:
                os.dup2(d, 20); os.closerange(3, 20); os.closerange(21, 40); d = 20
        f = os.open("f", os.O_RDWR | os.O_CREAT, dir_fd=d)
        os.write(f, bytes(4096))
        m = mmap.mmap(f, 4096)
        for n in range(200):
            x = os.open("/proc/self/maps", os.O_RDONLY)
            while b"012" not in os.read(x, 1 << 20):
                pass
        time.sleep(rest)
    """,
    "what is watched": """
        import select
        watchers = [select.epoll() for n in range(80)]
        events = [os.eventfd(0) for n in range(80)]
        for number in range(200, 250):
            for e in events:
                os.dup2(e, number)
                for w in watchers:
                    w.register(number, 1)
        time.sleep(rest)
    """,
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_what_the_kernel_keeps_of_descriptors(approve, caller, code):
    is_held(approve, code)


FULL_AT_ONCE = """
import os, time
go, start = os.pipe()
for n in range(60):
    if os.fork() == 0:
        os.close(start)
        os.read(go, 1)
        for i in range(110):
            r, w = os.pipe()
            os.set_blocking(w, False)
            os.write(w, bytes(65536))
        time.sleep(5)
        os._exit(0)
time.sleep(0.3)
os.close(start)
time.sleep(5)
"""


def test_many_who_fill_pipes_at_the_same_moment(approve):
    """412 MiB, faster than anybody could look at each pipe."""
    answer = approve(FULL_AT_ONCE, None, "--memory", "64M")
    assert (answer["status"], (answer["error"] or {}).get("limit")) == ("limit", "memory"), answer
    assert answer["usage"]["memory_peak_bytes"] < 330 * MIB * SLOW, answer


def test_access_lists_are_short(approve):
    """The kernel's memory that they are in counts nowhere, 64 KiB for each file and two for a directory."""
    held, open_ = (approve(LISTS, None, *args) for args in ((), ("--drop-wall", "seccomp")))
    assert open_["result"] == {"set": [None, None]}, open_
    assert held["result"] == {"set": [None, "EPERM"]}, held


def test_descriptors_stay_where_they_are_looked_for(value):
    assert value("""
        import ctypes, os, threading
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        def refused(*call):
            return libc.syscall(*call) == -1 and ctypes.get_errno() == 1
        result["refused"] = [refused(272, 0x400), refused(436, 900, 901, 2)]
        result["done"] = libc.syscall(436, 900, 901, 0)
        thread = threading.Thread(target=os.pipe)
        thread.start()
        thread.join()
    """) == {"refused": [True, True], "done": 0}


def test_pages_of_files_stay_files(approve):
    """A large folio, of which a pipe has one byte, is kept as a whole; programs copy instead."""
    answer = approve("""
        import os, shutil, socket, subprocess
        def refused(do, *args):
            try:
                do(*args)
            except OSError as e:
                return e.errno
        open("a", "wb").write(b"x" * 70000)
        a = os.open("a", os.O_RDONLY)
        r, w = os.pipe()
        result["refused"] = [refused(os.splice, a, w, 1), refused(os.sendfile, w, a, 0, 1)]
        shutil.copyfile("a", "b")
        subprocess.run(["cp", "b", "c"], check=True)
        here, there = socket.socketpair()
        here.sendfile(open("c", "rb"))
        here.close()
        result["sent"] = len(b"".join(iter(lambda: there.recv(1 << 16), b"")))
    """, None, "--memory", "64M")
    assert answer["result"] == {"refused": [22, 22], "sent": 70000}, answer

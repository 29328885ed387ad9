# SPDX-License-Identifier: Apache-2.0
"""
What code finds when the interpreter wall and the filters are down: a root that holds no more than Python
needs, no processes, no network, no privileges, and limits that cannot be lifted. Looked
at from inside and from outside, for root and for an ordinary user as the caller.
"""

import ctypes
import json
import os
import re
import shutil
import socket
import subprocess
import time

import pytest

from support import (
    BOX,
    NOBODY,
    SANITIZED,
    SLOW,
    adopt_orphans,
    as_nobody,
    keepers,
    left_behind,
    sandboxes,
    wait_until,
    why_not_nobody,
    zygotes,
)

CALLERS = ["root", "nobody"] if os.geteuid() == 0 else ["self"]


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


@pytest.fixture(scope="module", params=CALLERS)
def box(request, cordon):
    """box(code) -> result of code run with the walls of the box alone, by this caller."""
    if request.param == "nobody" and (why := why_not_nobody(cordon.path)):
        pytest.skip(why)

    def box(code, *args, **kwargs):
        command = [cordon.path, "run", "--json", *BOX, *args, "-"]
        if request.param == "nobody":
            command = as_nobody(command)
        done = subprocess.run(
            command, input=code.encode(), capture_output=True, timeout=90 * SLOW, check=False, **kwargs
        )
        envelope = json.loads(done.stdout)
        assert envelope["status"] == "ok", (envelope, done.stderr)
        return envelope["result"]

    box.caller = request.param
    box.command = lambda *args: (
        as_nobody([cordon.path, "run", "--json", *BOX, *args, "-"])
        if request.param == "nobody"
        else [cordon.path, "run", "--json", *BOX, *args, "-"]
    )
    return box


# ---- files -----------------------------------------------------------------------------------


def test_the_root_holds_python_and_nothing_of_the_host(box, tmp_path):
    os.chmod(tmp_path, 0o755)
    canary = tmp_path / "canary.txt"
    canary.write_text("canary")
    code = f"""
import os
paths = ["/root", "/home", "/tmp", "/var", "/sys", "/run", "/boot", "/srv", "/mnt", "/media", "/proc/1", "/proc/self", "/etc/passwd",
         "/etc/shadow", "/etc/hostname", "/etc/resolv.conf", "/dev/shm", "/dev/pts", "/dev/tty", "/usr/bin/sh", "/bin/sh", {str(canary)!r}]
links = []
for target in ({str(canary)!r}, "/etc/passwd"):
    os.symlink(target, "link")
    links += [os.path.exists(p) for p in ("link", "../" * 30 + target.lstrip("/"), "/proc/self/root" + target, "/./.." + target)]
    os.unlink("link")
result = {{"seen": [p for p in paths if os.path.lexists(p)], "links": any(links), "proc": os.listdir("/proc") if os.path.isdir("/proc") else [],
          "root": sorted(os.listdir("/")), "dev": sorted(os.listdir("/dev")), "etc": sorted(os.listdir("/etc")) if os.path.isdir("/etc") else []}}
"""
    got = box(code)
    assert got["seen"] == [] and got["links"] is False and got["proc"] == []
    assert set(got["root"]) <= {"bin", "cordon", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "usr", "work"}
    assert set(got["dev"]) <= {"null", "zero", "full", "random", "urandom"}
    assert {"null", "zero", "urandom"} <= set(got["dev"])
    assert set(got["etc"]) <= {"localtime", "ld.so.cache", "timezone"}


def test_the_devices_are_what_they_say(box):
    code = """
import os, stat
def dev(p):
    st = os.stat(p)
    return [stat.S_ISCHR(st.st_mode), os.major(st.st_rdev), os.minor(st.st_rdev)]
result = {p: dev("/dev/" + p) for p in ("null", "zero", "urandom")}
result["read"] = [os.read(os.open("/dev/zero", os.O_RDONLY), 4).hex(), len(os.read(os.open("/dev/urandom", os.O_RDONLY), 16))]
result["write"] = os.write(os.open("/dev/null", os.O_WRONLY), b"abc")
"""
    assert box(code) == {
        "null": [True, 1, 3],
        "zero": [True, 1, 5],
        "urandom": [True, 1, 9],
        "read": ["00000000", 16],
        "write": 3,
    }


def test_everything_but_the_working_directory_is_read_only(box):
    code = """
import os, errno
lib = os.path.dirname(os.__file__)
fails, flags = {}, {}
for place in ("/", "/usr", "/dev", "/cordon", "/proc", lib, lib + "/json", os.path.dirname(os.getcwd()) or "/"):
    if not os.path.isdir(place) or os.path.samefile(place, os.getcwd()):
        continue
    try:
        fd = os.open(os.path.join(place, "new"), os.O_CREAT | os.O_WRONLY)
        fails[place] = "made"
    except OSError as e:
        fails[place] = errno.errorcode[e.errno]
for file in (os.__file__, json.__file__, "/cordon/_cordon_worker.abi3.so"):
    for how in (lambda: os.open(file, os.O_WRONLY), lambda: os.unlink(file), lambda: os.chmod(file, 0o777), lambda: os.truncate(file, 0),
                lambda: os.rename(file, file + "x"), lambda: os.utime(file), lambda: os.link(file, "here"), lambda: os.chown(file, 0, 0)):
        try:
            how()
            fails[file] = "changed"
        except OSError as e:
            fails.setdefault(file, errno.errorcode[e.errno])
for place in ("/", lib, "/dev/null", "/cordon/_cordon_worker.abi3.so"):
    flags[place] = os.statvfs(place).f_flag
result = {"fails": fails, "flags": list(flags.values()), "work": os.statvfs(".").f_flag}
"""
    got = box(code)
    assert len(got["fails"]) >= 6
    assert all(v in ("EROFS", "EACCES", "EPERM", "EXDEV") for v in got["fails"].values()), got["fails"]
    root, lib, null, worker = got["flags"]
    assert root & os.ST_RDONLY and lib & os.ST_RDONLY and worker & os.ST_RDONLY
    assert lib & os.ST_NOSUID and lib & os.ST_NODEV and root & os.ST_NOSUID
    assert null & os.ST_NOEXEC and null & os.ST_NOSUID
    assert not got["work"] & os.ST_RDONLY
    assert got["work"] & os.ST_NOSUID and got["work"] & os.ST_NODEV and got["work"] & os.ST_NOEXEC


def test_the_working_directory_is_capped_in_bytes(box):
    code = """
import os
fd = os.open("big", os.O_CREAT | os.O_WRONLY)
total = 0
try:
    for _ in range(4096):
        total += os.write(fd, b"x" * 65536)
except OSError as e:
    result["error"] = e.errno
os.close(fd)
os.unlink("big")
parts = 0
try:
    for i in range(64):
        with os.fdopen(os.open(str(i), os.O_CREAT | os.O_WRONLY), "wb") as f:
            parts += f.raw.write(b"y" * (1 << 20))
except OSError as e:
    pass
result.update(total=total, parts=parts)
"""
    got = box(code)
    assert got["error"] in (27, 28)  # EFBIG for one file, ENOSPC for all
    assert 15 << 20 <= got["total"] <= 16 << 20
    assert 14 << 20 <= got["parts"] <= 16 << 20


def test_the_working_directory_is_capped_in_files(box):
    code = """
import os
made = 0
try:
    for i in range(3000):
        (os.mkdir if i % 2 else os.mknod)(str(i))
        made += 1
except OSError as e:
    result["error"] = e.errno
result["made"] = made
"""
    assert box(code) == {"error": 28, "made": 1000}


def test_the_working_directory_is_empty_private_and_usable(box):
    code = """
import os, stat
st = os.stat(".")
os.mkdir("d")
fd = os.open("d/f", os.O_CREAT | os.O_RDWR)
os.write(fd, b"abc")
os.rename("d/f", "g")
result = {"cwd": os.getcwd(), "mode": oct(stat.S_IMODE(st.st_mode)), "mine": st.st_uid == os.getuid(), "read": os.pread(fd, 3, 0).decode(), "list": sorted(os.listdir("."))}
"""
    got = box(code)
    assert got == {"cwd": got["cwd"], "mode": "0o700", "mine": True, "read": "abc", "list": ["d", "g"]}
    assert got["cwd"].startswith("/work")


def test_nothing_written_can_be_executed_or_loaded(box):
    code = """
import os, ctypes, mmap
fd = os.open("prog", os.O_CREAT | os.O_WRONLY, 0o700)
os.write(fd, b"#!/dev/null\\n")
os.close(fd)
try:
    os.execve("./prog", ["prog"], {})
except OSError as e:
    result["exec"] = e.errno
src = os.open("/cordon/_cordon_worker.abi3.so", os.O_RDONLY)
fd = os.open("lib.so", os.O_CREAT | os.O_RDWR, 0o700)
while data := os.read(src, 1 << 16):
    os.write(fd, data)
try:
    ctypes.CDLL(os.path.abspath("lib.so"))
    result["load"] = "loaded"
except OSError as e:
    result["load"] = str(e)
try:
    mmap.mmap(fd, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    result["map"] = "mapped"
except (OSError, PermissionError) as e:
    result["map"] = e.errno
"""
    got = box(code)
    assert got["exec"] == 13 and got["map"] in (1, 13)
    assert "failed to map segment" in got["load"] or "Operation not permitted" in got["load"]


# ---- privileges ---------------------------------------------------------------------------------


PRIVILEGES = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
head = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)()
assert libc.capget(head, data) == 0
result = {
    "ids": [os.getresuid(), os.getresgid()], "groups": os.getgroups(), "caps": list(data), "nnp": libc.prctl(39, 0, 0, 0, 0),
    "dumpable": libc.prctl(3, 0, 0, 0, 0), "bounding": [c for c in range(64) if libc.prctl(23, c, 0, 0, 0) == 1],
    "ambient": [c for c in range(41) if libc.prctl(47, 1, c, 0, 0) == 1], "securebits": libc.prctl(27, 0, 0, 0, 0),
    "pid": os.getpid(), "ppid": os.getppid(), "sid": os.getsid(0), "umask": os.umask(0o22),
}
"""


def test_no_identity_and_no_capability(box):
    got = box(PRIVILEGES)
    assert got["ids"] == [[1000] * 3, [1000] * 3]
    assert 0 not in got["groups"]
    assert got["caps"] == [0] * 6
    assert got["bounding"] == [] and got["ambient"] == []
    assert got["nnp"] == 1 and got["dumpable"] == 0
    assert got["pid"] == 1 and got["ppid"] == 0
    assert got["sid"] == 1  # a session of its own: not the caller's


def test_privileges_cannot_be_regained(box):
    code = """
import ctypes, os, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    ctypes.set_errno(0)
    r = getattr(libc, name)(*args)
    return "done" if r == 0 else errno.errorcode.get(ctypes.get_errno(), "?")
head = (ctypes.c_uint32 * 2)(0x20080522, 0)
full = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
result = {
    "setuid": call("setuid", 0), "setgid": call("setgid", 0), "setresuid": call("setresuid", 0, 0, 0), "setgroups": call("setgroups", 1, (ctypes.c_uint32 * 1)(0)),
    "capset": call("capset", head, full), "nnp": libc.prctl(38, 0, 0, 0, 0), "hostname": call("sethostname", b"x", 1), "chroot": call("chroot", b"."),
    "mount": call("mount", b"none", b"/work", b"tmpfs", 0, None), "umount": call("umount2", b"/", 2), "remount": call("mount", None, b"/", None, 32 | 4096, None),
    "bind": call("mount", b"/", b"/work", None, 4096, None), "pivot": call("syscall", 155, b".", b".") if os.uname().machine == "x86_64" else "EPERM",
    "nice": call("setpriority", 0, 0, -20), "clock": call("clock_settime", 0, (ctypes.c_long * 2)(0, 0)), "swap": call("swapon", b"big", 0),
    "reboot": call("reboot", 0), "acct": call("acct", b"x"), "unshare": call("unshare", 0x20000), "mknod": call("mknod", b"node", 0o060600, 0xfe00),
}
"""
    got = box(code)
    assert got.pop("nnp") == -1
    allowed = {"EPERM", "EACCES", "EINVAL", "ENOSYS", "EBUSY", "EROFS", "?"}
    assert set(got.values()) <= allowed, got
    for name in ("capset", "hostname", "chroot", "mount", "umount", "remount", "bind", "unshare", "mknod"):
        assert got[name] in ("EPERM", "EACCES", "ENOSYS"), (name, got[name])


def test_a_namespace_of_ones_own_lifts_nothing(box):
    """Where the kernel lets a sandbox make one: read-only stays, /proc does not come back."""
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    os.close(r)
    bad = []
    if libc.unshare(0x10000000 | 0x00020000) == 0:
        if libc.mount(None, b"/", None, 32 | 4096, None) == 0: bad.append("remount /")
        lib = os.path.dirname(os.__file__).encode()
        if libc.mount(None, lib, None, 32 | 4096, None) == 0: bad.append("remount lib")
        if libc.umount2(b"/", 2) == 0: bad.append("umount /")
        if libc.umount2(lib, 2) == 0: bad.append("umount lib")
        if libc.umount2(b"/dev/null", 2) == 0: bad.append("umount /dev/null")
        if libc.mount(b"proc", b"/work", b"proc", 0, None) == 0 and os.listdir("/work"): bad.append("proc")
        try:
            os.close(os.open(lib + b"/made", os.O_CREAT | os.O_WRONLY)); bad.append("wrote")
        except OSError:
            pass
    os.write(w, ",".join(bad).encode() or b"-")
    os._exit(0)
os.close(w)
os.waitpid(pid, 0)
result["bad"] = os.read(r, 1000).decode()
"""
    assert box(code) == {"bad": "-"}


def test_limits_are_set_and_cannot_be_lifted(box):
    code = """
import resource as r
def raises(which, value):
    try:
        r.setrlimit(which, (value, value))
        return False
    except (ValueError, OSError):
        return True
names = ["CORE", "NOFILE", "NPROC", "AS", "DATA", "FSIZE", "CPU", "STACK", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "RTPRIO", "NICE"]
result = {n: r.getrlimit(getattr(r, "RLIMIT_" + n)) for n in names}
result["lift"] = {n: raises(getattr(r, "RLIMIT_" + n), r.RLIM_INFINITY) for n in names if result[n][1] != r.RLIM_INFINITY}
"""
    got = box(code)
    lift = got.pop("lift")
    assert got["CORE"] == [0, 0]
    assert got["NOFILE"] == [64, 64]
    assert 0 < got["NPROC"][1] <= 128
    assert 0 < got["FSIZE"][1] <= 16 << 20
    assert SANITIZED or got["AS"][1] != -1 or got["DATA"][1] != -1
    assert 30 <= got["CPU"][1] <= 60
    assert got["RTPRIO"][1] == 0
    assert lift and all(lift.values()), lift


def test_open_files_are_capped_at_64(box):
    code = """
import os
fds = []
try:
    for _ in range(200):
        fds.append(os.open("/dev/null", os.O_RDONLY))
except OSError as e:
    result["error"] = e.errno
result["most"] = max(fds)
"""
    assert box(code) == {"error": 24, "most": 63}


# ---- descriptors ---------------------------------------------------------------------------------

DESCRIPTORS = """
import os, stat
kinds = {}
for fd in range(1024):
    try:
        st = os.fstat(fd)
    except OSError:
        continue
    m = st.st_mode
    kinds[fd] = "socket" if stat.S_ISSOCK(m) else "pipe" if stat.S_ISFIFO(m) else "null" if stat.S_ISCHR(m) and st.st_rdev == os.makedev(1, 3) else "file" if stat.S_ISREG(m) else "dir" if stat.S_ISDIR(m) else "other"
result = {"kinds": list(kinds.values()), "numbers": list(kinds)}
"""


def test_every_descriptor_but_ours_is_closed(box, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    fds = [os.open(secret, os.O_RDONLY), os.open(tmp_path, os.O_RDONLY), os.open("/", os.O_PATH)]
    try:
        got = box(DESCRIPTORS, pass_fds=fds)
    finally:
        for fd in fds:
            os.close(fd)
    assert got["numbers"][:3] == [0, 1, 2] and len(got["numbers"]) <= 6
    assert got["kinds"][:3] == ["null", "pipe", "pipe"]
    assert got["kinds"].count("socket") == 1
    assert "dir" not in got["kinds"] and "other" not in got["kinds"]
    assert got["kinds"].count("file") <= 1  # the shared text memory


# ---- network, names, other processes ------------------------------------------------------------------


def test_the_network_is_a_loopback_that_is_down(box):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    port = server.getsockname()[1]
    code = f"""
import socket, fcntl, struct, errno
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flags = struct.unpack("16xH", fcntl.ioctl(s, 0x8913, struct.pack("16sH14x", b"lo", 0))[:18])[0]
result = {{"names": socket.if_nameindex(), "up": flags & 1, "host": socket.gethostname()}}
for name, target in (("tcp", ("127.0.0.1", {port})), ("out", ("192.0.2.1", 80))):
    t = socket.socket()
    t.settimeout(2)
    try:
        t.connect(target)
        result[name] = "connected"
    except OSError as e:
        result[name] = errno.errorcode.get(e.errno, str(e))
try:
    result["udp"] = s.sendto(b"x", ("127.0.0.1", {port}))
except OSError as e:
    result["udp"] = errno.errorcode[e.errno]
try:
    socket.gethostbyname("localhost.example")
    result["dns"] = "resolved"
except OSError as e:
    result["dns"] = "failed"
"""
    try:
        got = box(code)
    finally:
        server.close()
    assert got == {
        "names": [[1, "lo"]],
        "up": 0,
        "host": got["host"],
        "tcp": "ENETUNREACH",
        "out": "ENETUNREACH",
        "udp": "ENETUNREACH",
        "dns": "failed",
    }
    assert got["host"] != socket.gethostname()


def test_sockets_of_the_host_are_out_of_reach(box, tmp_path):
    os.chmod(tmp_path, 0o755)
    path, name = str(tmp_path / "s"), f"\0cordon-test-{os.getpid()}"
    servers = []
    for address in (path, name):
        server = socket.socket(socket.AF_UNIX)
        server.bind(address)
        server.listen()
        servers.append(server)
    os.chmod(path, 0o777)
    code = f"""
import socket
reached = []
for address in ({path!r}, {name!r}):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(address)
        reached.append(address)
    except OSError:
        pass
result["reached"] = reached
"""
    try:
        assert box(code) == {"reached": []}
    finally:
        for server in servers:
            server.close()


def test_host_names_and_ipc_are_its_own(box):
    libc_key = 0x43510000 | (os.getpid() & 0xFFFF)
    libc = ctypes.CDLL(None, use_errno=True)
    shm = libc.shmget(libc_key, 4096, 0o1666)
    assert shm >= 0
    code = f"""
import ctypes, os
libc = ctypes.CDLL(None)
result = {{"node": os.uname().nodename, "domain": os.uname()[1], "shm": libc.shmget({libc_key}, 4096, 0)}}
"""
    try:
        got = box(code)
    finally:
        libc.shmctl(shm, 0, None)
    assert got["shm"] == -1 and got["node"] != os.uname().nodename


def test_no_process_can_be_seen_or_signalled(box):
    code = f"""
import os, errno
got = {{}}
for pid in ({os.getpid()}, {os.getppid()}, 2, 3, -1):
    try:
        os.kill(pid, 0)
        got[pid] = "reached"
    except OSError as e:
        got[pid] = errno.errorcode[e.errno]
try:
    os.pidfd_open({os.getpid()})
    got["pidfd"] = "reached"
except OSError as e:
    got["pidfd"] = errno.errorcode[e.errno]
result["got"] = got
"""
    assert set(box(code)["got"].values()) == {"ESRCH"}


# ---- from outside ---------------------------------------------------------------------------------


@pytest.fixture
def running(box):
    """A run that sleeps, seen from outside: (keeper, zygote, sandbox)."""
    with subprocess.Popen(
        box.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PLANTED_SECRET": "planted-value"},
    ) as process:
        process.stdin.write(b"import time\nprint('ready', flush=True)\ntime.sleep(60)")
        process.stdin.close()
        found = wait_until(
            lambda: process.poll() is not None
            or sandboxes() and zygotes() and (keepers(), zygotes(), sandboxes()),
            20,
        )
        assert found and process.poll() is None, "no sandbox was seen"
        (keeper,), (zygote,), (sandbox,) = found
        # It is born without walls and builds them before it reads its request.
        assert wait_until(lambda: sandbox.status("NoNewPrivs") == ["1"], 10)
        time.sleep(0.2)
        yield keeper, zygote, sandbox
        process.kill()
    assert left_behind() == []


def test_from_outside_the_sandbox_is_nobody(box, running):
    _, _, sandbox = running
    uids, gids = sandbox.status("Uid"), sandbox.status("Gid")
    if box.caller == "root":
        assert "0" not in uids and "0" not in gids
    else:
        mine = str(NOBODY if box.caller == "nobody" else os.geteuid())
        assert set(uids) == {mine}
    for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert sandbox.status(field) == ["0" * 16], field
    assert sandbox.status("NoNewPrivs") == ["1"]
    assert "0" not in sandbox.status("Groups")
    assert sandbox.status("Threads") == ["1"]


def test_every_namespace_is_its_own(running):
    keeper, zygote, sandbox = running
    if os.geteuid() != 0:
        pytest.skip("only root may look at the namespaces of a process that is not dumpable")
    for kind in ("user", "pid", "mnt", "net", "ipc", "uts"):
        host = os.readlink(f"/proc/self/ns/{kind}")
        inside = {os.readlink(f"/proc/{p.pid}/ns/{kind}") for p in (keeper, zygote, sandbox)}
        assert host not in inside, kind
    for kind in ("user", "pid", "mnt", "ipc"):
        assert os.readlink(f"/proc/{zygote.pid}/ns/{kind}") != os.readlink(f"/proc/{sandbox.pid}/ns/{kind}")


def test_helpers_hold_no_secret_in_their_environment(running):
    for process in running:
        assert "planted-value" not in process.text("environ"), process
    assert running[0].text("environ").strip("\0") == ""


def test_the_keeper_is_the_parent_of_it_all_and_single_threaded(running):
    keeper, zygote, sandbox = running
    assert zygote.parent == keeper.pid and sandbox.parent == keeper.pid
    assert keeper.status("Threads") == ["1"] and zygote.status("Threads") == ["1"]


def test_the_sandbox_sees_its_own_mounts_alone(running):
    _, _, sandbox = running
    mounts = [line.split()[4] for line in sandbox.text("mountinfo").splitlines()]
    assert "/" in mounts
    assert not [m for m in mounts if re.match(r"/(proc|sys|run|home|root|tmp|var)(/|$)", m)], mounts


def mounts_of(process):
    """(where, options of the mount, type, source) of each that can be seen."""
    found = []
    for line in process.text("mountinfo").splitlines():
        own, _, filesystem = line.partition(" - ")
        own, filesystem = own.split(), filesystem.split()
        found.append((own[4], set(own[5].split(",")), filesystem[0], set(filesystem[2].split(","))))
    return found


def test_nothing_that_can_be_written_to_is_executable_and_only_devices_are_devices(running):
    _, _, sandbox = running
    mounts = mounts_of(sandbox)
    assert len(mounts) > 5
    for where, options, kind, source in mounts:
        assert "nosuid" in options, where
        assert "nodev" in options or where in DEVICES, where
        if where == "/work":
            assert {"rw", "noexec"} <= options and kind == "tmpfs"
        else:
            assert "ro" in options or "ro" in source, where
    assert {where for where, options, _, _ in mounts if "nodev" not in options} == DEVICES


DEVICES = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"}


def test_every_kind_of_namespace_is_its_own(running):
    def spaces(pid):
        return {kind: os.readlink(f"/proc/{pid}/ns/{kind}")
                for kind in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")}

    keeper, zygote, sandbox = running
    ours, box, run = spaces("self"), spaces(keeper.pid), spaces(sandbox.pid)
    assert not set(ours.values()) & set(run.values())
    assert not set(box.values()) & set(run.values())
    assert spaces(zygote.pid) == box


# ---- a wall that cannot be had -----------------------------------------------------------------------


def test_a_box_that_cannot_be_built_is_a_refusal_with_the_step_and_the_reason(cordon):
    """Where no user namespace may be made any more; the limit holds in here alone."""
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare here")
    script = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", cordon.path, "run", "--json", "-"],
        input=b"result['a'] = 1",
        capture_output=True,
        check=False,
    )
    if not done.stdout:
        pytest.skip(f"no user namespace for the test itself: {done.stderr.decode()}")
    envelope = json.loads(done.stdout)
    assert done.returncode == 6 and envelope["status"] == "internal"
    assert envelope["result"] is None and envelope["stdout"] == ""
    message = envelope["error"]["message"]
    assert re.match(r"[a-z][a-z-]+: ", message), "the step comes first"
    assert "namespaces" in message and "No space left on device" in message


def test_no_descriptor_left_is_our_failure_and_not_the_codes(cordon):
    done = subprocess.run(
        ["prlimit", "--nofile=12", cordon.path, "run", "--json", "-"],
        input=b"result['a'] = 1",
        capture_output=True,
        check=False,
    )
    envelope = json.loads(done.stdout)
    assert envelope["status"] == "internal" and "Too many open files" in envelope["error"]["message"]


# ---- the same answers for both callers -------------------------------------------------------------


def test_an_ordinary_user_gets_the_same_answers(box):
    code = "import os, json\nresult = {'a': json.loads('[1]'), 'sum': sum(range(10))}"
    assert box(code) == {"a": [1], "sum": 45}

# SPDX-License-Identifier: Apache-2.0
"""
Approved runs: the environment and the credentials in it, and what stays closed to a process that is
otherwise a normal one. Each item holds for root and for an ordinary user.
"""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

import support


# ---- the environment ---------------------------------------------------------------------


def test_pythonpath_and_the_like(value, home):
    site = home / "site"
    site.mkdir()
    (site / "mine.py").write_text("n = 41")
    got = value("""
        import mine, os, time
        result["mine"] = mine.n
        result["zone"] = time.tzname[0]
        result["zone2"] = time.strftime("%Z", time.localtime(0))
        result["flag"] = os.environ["SOME_FLAG"]
        result["three"] = {n: os.environ[n] for n in ("PYTHONDONTWRITEBYTECODE", "PYTHONUTF8",
                                                      "PYTHONIOENCODING")}
    """, env={"PYTHONPATH": str(site), "TZ": "Asia/Tokyo", "SOME_FLAG": "yes",
              "PYTHONUTF8": "0"})
    assert got == {"mine": 41, "zone": "JST", "zone2": "JST", "flag": "yes",
                   "three": {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1",
                             "PYTHONIOENCODING": "utf-8"}}


def test_the_users_site_directory(value, home):
    python = json.loads(subprocess.run(
        ["/usr/bin/python3", "-c",
         "import json, site; print(json.dumps(site.getusersitepackages()))"],
        env={**os.environ, "HOME": str(home)}, capture_output=True, check=True).stdout)
    Path(python).mkdir(parents=True)
    (Path(python) / "mine_too.py").write_text("n = 42")
    assert value("import mine_too\nresult['n'] = mine_too.n") == {"n": 42}


def test_a_long_environment(value):
    """Longer than one message between Cordon's own processes."""
    long = {f"LONG_{n}": "x" * 100_000 for n in range(5)}
    assert value("""
        import os
        result["n"] = sum(len(v) for k, v in os.environ.items() if k.startswith("LONG_"))
    """, env=long) == {"n": 500_000}


SECRETS = [
    "OPENSWARM_AUTH_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY",
    "GEMINI_API_KEY", "OPENROUTER_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "STRIPE_API_KEY", "STRIPE_SECRET_KEY",
    "GITHUB_TOKEN", "MY_SERVICE_API_KEY", "HF_TOKEN", "DATABASE_PASSWORD", "PGPASSWD",
    "client_secret", "SSH_AUTH_SOCK", "DATABASE_URL",
]

HUNT = """
    import ctypes, os, subprocess, glob
    mark = input_data["mark"].encode()[::-1]
    found = []
    def look(where, data):
        if mark in data:
            found.append(where)
    look("environ", repr(os.environ).encode())
    look("environb", repr(os.environb).encode())
    for path in glob.glob("/proc/[0-9]*/*") + glob.glob("/proc/[0-9]*/task/*/*"):
        if path.rsplit("/", 1)[1] in ("environ", "cmdline", "auxv", "comm", "status", "stat"):
            try:
                look(path, open(path, "rb").read())
            except OSError:
                pass
    for fd in range(0, 1024):
        try:
            size = os.fstat(fd).st_size
            look("fd %d" % fd, os.pread(fd, max(size, 65536), 0))
        except (OSError, OverflowError):
            pass
    look("child", subprocess.run(["env"], capture_output=True).stdout)
    look("ps", subprocess.run("cat /proc/*/environ", shell=True, capture_output=True).stdout)
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    for name in input_data["names"]:
        look("getenv " + name, libc.getenv(name.encode()) or b"")
    for maps in glob.glob("/proc/[0-9]*/maps"):
        pid = maps.split("/")[2]
        if pid == str(os.getpid()):
            continue
        try:
            with open("/proc/%s/mem" % pid, "rb", 0) as memory:
                for line in open(maps):
                    if "rw" in line:
                        start, end = (int(x, 16) for x in line.split()[0].split("-"))
                        memory.seek(start)
                        look("memory of " + pid, memory.read(end - start))
        except OSError:
            pass
    start, end = 0, 0
    for line in open("/proc/self/maps"):
        if "[stack]" in line:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
    with open("/proc/self/mem", "rb", 0) as memory:
        memory.seek(start)
        look("own stack", memory.read(end - start))
    result["found"] = found
    result["pids"] = len([p for p in os.listdir("/proc") if p.isdigit()])
    result["kept"] = os.environ.get("NOT_SO_SECRET_NAME")
"""


def test_secrets_are_nowhere(value):
    mark = "kept-from-user-code"
    planted = {name: mark for name in SECRETS[:-1]}
    planted["DATABASE_URL"] = f"postgres://user:{mark}@host/db"
    got = value(HUNT, {"mark": mark[::-1], "names": SECRETS},
                env={**planted, "NOT_SO_SECRET_NAME": "here"})
    assert got == {"found": [], "pids": 2, "kept": "here"}


def test_descriptors_of_the_caller_are_not_there(cordon, caller, home):
    with open(home / "open.txt", "w+") as file:
        file.write("secret of a descriptor")
        file.flush()
        os.set_inheritable(file.fileno(), True)
        done = subprocess.run(
            support.approved_command(cordon, caller),
            input=b"import os\nfor fd in range(3, 256):\n    try:\n"
                  b"        result[str(fd)] = os.readlink('/proc/self/fd/%d' % fd)\n"
                  b"    except OSError: pass",
            capture_output=True, pass_fds=[file.fileno()], timeout=60, check=False,
            env={**os.environ, "HOME": str(home)})
    assert done.stdout, done
    links = json.loads(done.stdout)["result"].values()
    assert not [link for link in links if "open.txt" in link], links


# ---- what stays closed -----------------------------------------------------------------------


def test_only_its_own_processes(value):
    assert value("""
        import os
        result["parent"] = os.getppid()
        result["pids"] = len([p for p in os.listdir("/proc") if p.isdigit()])
        try:
            os.kill(1, 9)
            os.kill(1, 15)
            result["alive"] = os.path.exists("/proc/1")
        except OSError as e:
            result["alive"] = True
        try:
            result["init"] = len(open("/proc/1/environ").read())
        except PermissionError:
            result["init"] = 0
    """) == {"parent": 1, "pids": 2, "alive": True, "init": 0}


def test_no_way_to_privileges(value):
    got = value("""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        def fails(call, *args):
            ctypes.set_errno(0)
            return getattr(libc, call)(*args) == -1 and ctypes.get_errno() != 0
        result["unshare"] = [fails("unshare", f) for f in (0x10000000, 0x00020000, 0x20000000)]
        result["mount"] = fails("mount", b"none", b"/tmp", b"tmpfs", 0, None)
        result["umount"] = fails("umount2", b"/proc", 2)
        result["chroot"] = fails("chroot", b"/")
        def opens(path, flags):
            try:
                os.close(os.open(path, flags))
                return path
            except OSError:
                return None
        result["kernel"] = [p for p in map(lambda p: opens(p, os.O_WRONLY),
            ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
             "/proc/sys/user/max_user_namespaces"]) if p]
        result["devices"] = [p for p in map(lambda p: opens(p, os.O_RDONLY),
            ["/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/proc/kcore"]) if p]
        result["library"] = opens(os.__file__, os.O_WRONLY)
    """)
    assert got == {"unshare": [True] * 3, "mount": True, "umount": True, "chroot": True,
                   "kernel": [], "devices": [], "library": None}


@pytest.mark.parametrize("path", ["/proc/kallsyms", "/proc/keys", "/proc/key-users", "/proc/kcore",
                                  "/proc/timer_list", "/proc/slabinfo", "/proc/vmallocinfo",
                                  "/proc/kpageflags", "/proc/pagetypeinfo", "/proc/sched_debug",
                                  "/sys/kernel/notes", "/sys/firmware", "/sys/kernel/debug",
                                  "/sys/kernel/vmcoreinfo", "/proc/interrupts", "/proc/tty/driver",
                                  "/proc/acpi", "/proc/scsi"])
def test_what_the_kernel_tells_of_itself_is_hidden(value, path):
    if not os.path.exists(path):
        pytest.skip(f"this kernel has no {path}")
    assert value("""
        import os
        path = input_data["path"]
        try:
            result["found"] = len(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(4096))
        except OSError as e:
            result["found"] = 0
    """, {"path": path}) == {"found": 0}


# ---- profiles --------------------------------------------------------------------------------------


def test_a_profile_without_network(cordon, home, value):
    (home / "c.yaml").write_text(
        "profiles:\n  - {name: quiet, from: strict, approved: {network: none}}\n")
    (home / "c.yaml").chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert value("""
            import socket
            try:
                socket.create_connection(("127.0.0.1", input_data["port"]), 5)
                result["reached"] = True
            except OSError:
                result["reached"] = False
        """, {"port": server.getsockname()[1]}, "--config", home / "c.yaml", "--profile",
            "quiet") == {"reached": False}


def test_a_profile_that_keeps_and_withholds_names(cordon, home, value):
    (home / "c.yaml").write_text(
        "profiles:\n"
        "  - name: mine\n"
        "    from: strict\n"
        "    environ: {keep: [HF_TOKEN], patterns: ['INNER_*']}\n")
    (home / "c.yaml").chmod(0o644)
    assert value("""
        import os
        result["seen"] = [os.environ.get(n) for n in ("HF_TOKEN", "INNER_HOST", "OTHER_TOKEN")]
    """, None, "--config", home / "c.yaml", "--profile", "mine",
        env={"HF_TOKEN": "kept", "INNER_HOST": "x", "OTHER_TOKEN": "y"}) == {
            "seen": ["kept", None, None]}


def test_a_profile_without_files(home, value):
    (home / "c.yaml").write_text(
        "profiles:\n  - {name: shut, from: strict, approved: {files: none}}\n")
    (home / "c.yaml").chmod(0o644)
    (home / "f.txt").write_text("of the host")
    got = value("""
        import os, subprocess, threading
        result["root"] = sorted(os.listdir("/"))
        result["home"] = os.path.exists(os.path.expanduser("~/f.txt"))
        result["cwd"] = [os.getcwd(), os.listdir(".")]
        open("x", "w").write("y")
        result["read"] = open("x").read()
        result["pids"] = len([p for p in os.listdir("/proc") if p.isdigit()])
        result["null"] = open("/dev/null").read()
        result["program"] = os.path.exists("/bin/sh")
        result["env"] = "HOME" in os.environ
        result["host"] = [os.uname().nodename, open("/proc/sys/kernel/hostname").read()]
        pid = os.fork()
        if pid == 0:
            os._exit(3)
        result["child"] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    """, None, "--config", home / "c.yaml", "--profile", "shut")
    assert "etc" in got["root"] or "lib" in got["root"]
    assert "home" not in got["root"] and "tmp" not in got["root"]
    del got["root"]
    assert got == {"home": False, "cwd": ["/work", []], "read": "y", "pids": 2, "null": "",
                   "program": False, "env": True, "child": 3, "host": ["sandbox", "sandbox\n"]}

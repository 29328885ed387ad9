# SPDX-License-Identifier: Apache-2.0
"""
Approved runs: what a person who said "Run Anyway" expects of a normal Python process. Each
item holds for whoever runs the tests and, where that is root, for an ordinary user too.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import pytest

import support


def approved_command(cordon, caller, *args):
    command = [cordon.path, "run", "--json", "--approved", *map(str, args), "-"]
    if caller == "self":
        return command
    nobody = str(support.NOBODY)
    return ["setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups", "--inh-caps=-all",
            *command]


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
            approved_command(cordon, caller, *args),
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


# ---- what is promised of every run ----------------------------------------------


def test_the_envelope(approve):
    answer = approve("result['n'] = input_data['n'] + 1\nprint('hello')", {"n": 1})
    assert answer["status"] == "ok"
    assert answer["approved"] is True
    assert answer["result"] == {"n": 2}
    assert answer["stdout"] == "hello\n"
    assert answer["warnings"] == []
    assert answer["profile"] == "strict"


def test_names_that_are_bound(value):
    assert value("""
        result["same"] = [json is __import__("json"), sys is __import__("sys"),
                          io is __import__("io"), builtins is __import__("builtins")]
        result["builtins"] = all(callable(f) for f in (open, input, eval, exec, exit, quit))
        result["main"] = [__name__, sys.modules["__main__"].__dict__ is globals()]
        result["argv"] = sys.argv
    """) == {"same": [True] * 4, "builtins": True, "main": ["__main__", True], "argv": ["-c"]}


def test_our_module_is_not_to_be_met(value):
    assert value("""
        try:
            import _cordon_worker
        except ImportError as e:
            result["import"] = e.name
        result["path"] = sys.path[0]
        result["left"] = [p for p in sys.path if "cordon" in p]
    """) == {"import": "_cordon_worker", "path": "", "left": []}


def test_an_environment_that_no_python_starts_in(approve):
    answer = approve("1", env={"PYTHONHOME": "/nonexistent"})
    assert answer["status"] == "internal" and "PYTHONHOME" in answer["error"]["message"], answer
    assert "Fatal Python error" in answer["stderr"], answer


def test_lines_of_errors(approve):
    answer = approve("import os\n\ndef f():\n    os.stat('/no/such/file')\n\nf()\n")
    assert answer["status"] == "error"
    assert answer["error"]["type"] == "FileNotFoundError"
    assert answer["error"]["line"] == 6 or answer["error"]["line"] == 4
    assert "os.stat('/no/such/file')" in answer["error"]["traceback"]
    assert "cordon" not in answer["error"]["traceback"]


def test_a_syntax_error(approve):
    answer = approve("x = 1\nif x\n")
    assert (answer["status"], answer["error"]["kind"], answer["error"]["line"]) == (
        "error", "syntax", 2)


def test_its_own_traceback_shows_the_lines(approve):
    answer = approve("""
        import traceback
        try:
            1 / 0
        except ZeroDivisionError:
            traceback.print_exc()
    """)
    assert "1 / 0" in answer["stderr"]


@pytest.mark.parametrize("code, kind", [
    ("result = [1]", "result"),
    ("result['x'] = object()", "result"),
    ("del result", "result"),
    ("import sys; sys.exit(3)", "exit"),
    ("import os; os._exit(0)", "exit"),
    ("raise ValueError('no')", "exception"),
])
def test_errors(approve, code, kind):
    answer = approve(code)
    assert (answer["status"], answer["error"]["kind"]) == ("error", kind)


def test_exit_without_a_reason(value):
    assert value("result['n'] = 1\nexit()") == {"n": 1}


def test_nothing_to_read(value):
    assert value("""
        try:
            input("? ")
        except EOFError:
            result["eof"] = True
        result["rest"] = sys.stdin.read()
    """) == {"eof": True, "rest": ""}


@pytest.mark.parametrize("code, name", [
    ("import os; os.abort()", "SIGABRT"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "SIGTERM"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGUSR2)", "SIGUSR2"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
])
def test_crashes(approve, code, name):
    answer = approve("print('before')\n" + code)
    assert answer["status"] == "crashed", answer
    assert name in answer["error"]["message"]
    assert answer["stdout"] == "before\n"


def test_the_deadline_names_the_line(approve):
    answer = approve("x = 1\nprint('before')\nwhile True:\n    x += 1\n", None, "--timeout", "1")
    assert answer["status"] == "timeout"
    assert answer["error"]["line"] in (3, 4)
    assert answer["stdout"] == "before\n"


# ---- a normal Python process --------------------------------------------------------


def test_files_of_the_caller(value, home):
    (home / "f.csv").write_text("a,b\n1,2\n")
    (home / "f.csv").chmod(0o644)
    assert value("""
        import os
        result["read"] = open(os.path.expanduser("~/f.csv")).read()
        with open(os.path.expanduser("~/g.txt"), "w") as f:
            f.write("written")
        h = open(os.path.expanduser("~/h.txt"), "w")
        h.write("left open")
    """)["read"] == "a,b\n1,2\n"
    assert (home / "g.txt").read_text() == "written"
    assert (home / "h.txt").read_text() == "left open"


def test_who_it_is(value, caller, home):
    expect = support.NOBODY if caller == "nobody" else os.getuid()
    got = value("""
        import os, pwd
        result["ids"] = [os.getuid(), os.geteuid(), os.getgid()]
        result["home"] = os.path.expanduser("~")
        result["name"] = pwd.getpwuid(os.getuid()).pw_name
        result["owner"] = os.stat(".").st_uid
        result["caps"] = [l.split()[1] for l in open("/proc/self/status") if l.startswith("Cap")]
        result["new"] = [l.split()[1] for l in open("/proc/self/status") if "NoNewPrivs" in l]
    """)
    assert got["ids"][:2] == [expect, expect]
    assert got["owner"] == expect
    assert got["home"] == str(home)
    assert set(got["caps"]) == {"0" * 16}
    assert got["new"] == ["1"]


def test_the_working_directory(value, home):
    got = value("""
        import os, tempfile, subprocess
        result["empty"] = os.listdir(".")
        result["mode"] = oct(os.stat(".").st_mode & 0o7777)
        open("x.py", "w").write("n = 5")
        import x
        result["import"] = x.n
        with open("run.sh", "w") as f:
            f.write("#!/bin/sh\\necho ran\\n")
        os.chmod("run.sh", 0o755)
        result["exec"] = subprocess.run(["./run.sh"], capture_output=True, text=True).stdout
        result["cwd"] = os.getcwd()
        with tempfile.NamedTemporaryFile() as f:
            f.write(b"x")
            result["temp"] = os.path.exists(f.name)
    """)
    cwd = got.pop("cwd")
    assert got == {"empty": [], "mode": "0o700", "import": 5, "exec": "ran\n", "temp": True}
    assert not os.path.exists(cwd)


def test_the_working_directory_is_capped(approve):
    answer = approve("open('x', 'wb').write(bytes(1 << 20) * 300)")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "disk")


def test_children_and_the_order_of_output(value, approve):
    answer = approve("""
        import subprocess, os, sys
        print("1")
        subprocess.run(["echo", "2"])
        print("3")
        os.system("echo 4")
        print("5")
        pid = os.fork()
        if pid == 0:
            print("6")
            sys.exit(0)
        os.waitpid(pid, 0)
        print("7")
        pid = os.posix_spawn("/bin/echo", ["echo", "8"], os.environ)
        os.waitpid(pid, 0)
        print("9")
        with open("/dev/stdout", "w") as f:
            print("10", file=f)
        with open("/proc/self/fd/1", "w") as f:
            print("11", file=f)
        print("12")
        result["rc"] = subprocess.call([sys.executable, "-c", "print(13); raise SystemExit(4)"])
        result["err"] = subprocess.run("echo oops >&2", shell=True).returncode
    """)
    assert answer["status"] == "ok", answer
    assert answer["stdout"].split() == [str(n) for n in range(1, 14)]
    assert answer["stderr"] == "oops\n"
    assert answer["result"] == {"rc": 4, "err": 0}


def test_output_before_it_becomes_another_program(approve):
    answer = approve("import os\nprint('a')\nos.execvp('echo', ['echo', 'b'])")
    assert answer["stdout"] == "a\nb\n"
    assert answer["status"] == "error"


def test_wait_for_any(value):
    assert value("""
        import os
        pids = []
        for n in range(3):
            pid = os.fork()
            if pid == 0:
                # Its own child is nobody's of ours.
                if os.fork() == 0:
                    os._exit(9)
                os._exit(n)
            pids.append(pid)
        seen = dict(os.waitpid(-1, 0) for _ in range(3))
        result["codes"] = sorted(os.waitstatus_to_exitcode(s) for s in seen.values())
        result["ours"] = sorted(seen) == sorted(pids)
        try:
            os.wait()
        except ChildProcessError:
            result["none"] = True
    """) == {"codes": [0, 1, 2], "ours": True, "none": True}


def test_signals_to_itself(value):
    assert value("""
        import os, signal
        seen = []
        for s in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM):
            signal.signal(s, lambda n, f: seen.append(n))
            os.kill(os.getpid(), s)
        signal.alarm(0)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            seen.append("int")
        result["seen"] = [int(n) if n != "int" else n for n in seen]
    """) == {"seen": [10, 12, 15, "int"]}


def test_threads(value):
    assert value("""
        import threading, time
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            result["squares"] = list(pool.map(lambda n: n * n, range(8)))
        def late():
            time.sleep(0.2)
            result["late"] = True
            print("late")
        threading.Thread(target=late).start()
    """) == {"squares": [n * n for n in range(8)], "late": True}


def test_exit_handlers(approve):
    answer = approve("""
        import atexit
        atexit.register(lambda: print("bye"))
        class Last:
            def __del__(self):
                print("gone")
        last = Last()
        result["n"] = 1
    """)
    assert (answer["status"], answer["result"]) == ("ok", {"n": 1})
    assert answer["stdout"] == "bye\ngone\n"


def test_asyncio(value):
    assert value("""
        import asyncio
        async def one(n):
            await asyncio.sleep(0.01)
            return n
        async def main():
            proc = await asyncio.create_subprocess_exec("echo", "sub",
                                                        stdout=asyncio.subprocess.PIPE)
            out, _ = await proc.communicate()
            return [await asyncio.gather(one(1), one(2)), out.decode()]
        result["got"] = asyncio.run(main())
    """) == {"got": [[1, 2], "sub\n"]}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(value, method):
    assert value("""
        import math, multiprocessing
        context = multiprocessing.get_context(input_data["method"])
        with context.Pool(2) as pool:
            result["got"] = pool.map(math.factorial, range(6))
        queue = context.Queue()
        queue.put(3)
        result["queue"] = queue.get()
    """, {"method": method}) == {"got": [1, 1, 2, 6, 24, 120], "queue": 3}


def test_multiprocessing_with_a_function_of_its_own(value):
    assert value("""
        import multiprocessing
        def double(n):
            print("in a child")
            return 2 * n
        with multiprocessing.get_context("fork").Pool(2) as pool:
            result["got"] = pool.map(double, range(4))
    """) == {"got": [0, 2, 4, 6]}


def test_spawned_children_work_out_names_where_there_is_a_guard(approve):
    """... and come up without what they cannot have."""
    answer = approve("""
        from __future__ import annotations
        import multiprocessing, re
        WORD = re.compile("a+")
        NAMES = {n: n * 2 for n in range(3)}
        NAMES["z"] = 9
        OTHER = input_data["other"]
        class Other(OTHER and object):
            pass
        print("once")
        def f(text: Unknown):
            return [bool(WORD.match(text)), sum(NAMES.values())]
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                result["got"] = pool.map(f, ["a", "b"])
    """, {"other": 1}, "--timeout", "20")
    assert answer["status"] == "ok", answer
    assert answer["result"] == {"got": [[True, 15], [False, 15]]}
    assert answer["stdout"] == "once\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("guard", ["", "if __name__ == '__main__':"])
def test_spawned_children_find_what_the_code_defines(approve, method, guard):
    """... and do not do again what it did."""
    answer = approve(f"""
        import math, multiprocessing
        try:
            import no_such_module
        except ImportError:
            no_such_module = None
        FACTOR = 3
        print("once")
        class Point:
            def __init__(self, n):
                self.n = n
        def point(n):
            return Point(FACTOR * math.floor(n))
        def fails(n):
            raise ValueError("in a child")
        {guard or "if True:"}
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                result["got"] = [p.n for p in pool.map(point, [1, 2, 3])]
                try:
                    pool.apply(fails, (1,))
                except ValueError as e:
                    result["error"] = str(e)
                    result["cause"] = 'raise ValueError("in a child")' in str(e.__cause__)
    """)
    assert answer["status"] == "ok", answer
    assert answer["result"] == {"got": [3, 6, 9], "error": "in a child", "cause": True}
    assert answer["stdout"] == "once\n"


def test_libraries(value):
    assert value("""
        import sqlite3, ssl, ctypes, resource
        db = sqlite3.connect("x.db")
        db.execute("create table t (n)")
        db.execute("insert into t values (1), (2)")
        db.commit()
        result["sum"] = db.execute("select sum(n) from t").fetchone()[0]
        result["ssl"] = ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED
    """) == {"sum": 3, "ssl": True}


def test_a_figure(value):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        pytest.skip("matplotlib is not installed")
    assert value("""
        import os
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        plt.plot([1, 2, 3])
        plt.savefig("figure.png")
        result["size"] = os.path.getsize("figure.png")
    """)["size"] > 1000


def test_a_connection(value):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"served " + connection.recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        assert value("""
            import socket
            with socket.create_connection(("127.0.0.1", input_data["port"]), 10) as s:
                s.sendall(b"hello")
                result["got"] = s.recv(100).decode()
        """, {"port": server.getsockname()[1]}) == {"got": "served hello"}
        thread.join()


def test_a_terminal_of_its_own(value):
    assert value("""
        import os, pty
        a, b = pty.openpty()
        result["tty"] = [os.isatty(b), os.ttyname(b)[:9]]
    """) == {"tty": [True, "/dev/pts/"]}


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
            approved_command(cordon, caller),
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


# ---- limits ------------------------------------------------------------------------------------


def test_memory_of_one(approve):
    answer = approve("x = bytearray(1536 << 20)")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "memory"), answer


def test_memory_of_all(approve):
    answer = approve("""
        import os, time
        for n in range(6):
            if os.fork() == 0:
                x = bytearray(60 << 20)
                for i in range(0, len(x), 4096):
                    x[i] = 1
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """, None, "--memory", "256M")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "memory"), answer


def test_shared_pages_count_once(value):
    assert value("""
        import os, time
        x = bytearray(100 << 20)
        for i in range(0, len(x), 4096):
            x[i] = 1
        pids = []
        for n in range(8):
            pid = os.fork()
            if pid == 0:
                time.sleep(0.3)
                os._exit(0)
            pids.append(pid)
        result["all"] = [os.waitpid(p, 0)[1] for p in pids]
    """, None, "--memory", "256M") == {"all": [0] * 8}


def test_processes(approve):
    answer = approve("""
        import os, time
        for n in range(300):
            if os.fork() == 0:
                time.sleep(10)
                os._exit(0)
        time.sleep(5)
        result["n"] = n
    """)
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "processes"), answer


def test_open_files(approve):
    answer = approve("x = [open('/dev/null') for n in range(1000)]")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "files")


def test_open_files_that_stay_open(approve):
    """The telling needs one, too."""
    answer = approve("import os\nx = []\nwhile True:\n    x.append(os.dup(1))")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "files")
    assert answer["error"]["traceback"] == (
        'Traceback (most recent call last):\n  File "<code>", line 4, in <module>\n'
        "    x.append(os.dup(1))\n             ^^^^^^^^^\n"
        "OSError: [Errno 24] Too many open files\n")


# ---- the end, of all of it ----------------------------------------------------------------------


SURVIVORS = {
    "daemon": """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for fd in range(3):
                    os.close(fd)
                time.sleep(60)
            os._exit(0)
    """,
    "deaf": """
        import os, signal, time
        r, w = os.pipe()
        if os.fork() == 0:
            for n in range(1, 65):
                try:
                    signal.signal(n, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            os.write(w, b"1")
            while True:
                time.sleep(60)
        os.read(r, 1)
    """,
    "holds stdout": """
        import subprocess
        subprocess.Popen(["sleep", "60"])
    """,
    "nohup": """
        import os
        os.system("nohup setsid sleep 60 >/dev/null 2>&1 &")
    """,
    "fork chain": """
        import os, time
        r, w = os.pipe()
        if os.fork() == 0:
            os.write(w, b"1")
            for n in range(60):
                time.sleep(0.01)
                if os.fork():
                    os._exit(0)
                os.setsid()
            time.sleep(60)
            os._exit(0)
        os.read(r, 1)
    """,
}


@pytest.mark.parametrize("how", ["normal", "error", "timeout", "crash"])
@pytest.mark.parametrize("kind", sorted(SURVIVORS))
def test_survivors(cordon, kind, how):
    """In a process of its own, which adopts whatever is left behind."""
    end = {"normal": "result['n'] = 1", "error": "raise ValueError",
           "timeout": "import time\ntime.sleep(60)",
           "crash": "import os\nos.abort()"}[how]
    code = textwrap.dedent(SURVIVORS[kind]) + end
    script = f"""
import json, os, subprocess, sys, time
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
start = time.monotonic()
done = subprocess.run([{cordon.path!r}, "run", "--json", "--approved", "--timeout", "2", "-"],
                      input={code!r}.encode(), capture_output=True)
took = time.monotonic() - start
left = support.left_behind(seconds=0.1)
print(json.dumps([json.loads(done.stdout)["status"], took, [repr(p) for p in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60, check=False)
    status, took, left = json.loads(done.stdout)
    assert status == {"normal": "ok", "error": "error", "timeout": "timeout",
                      "crash": "crashed"}[how]
    assert left == []
    assert took < (10 if how == "timeout" else 8) * support.SLOW


def test_the_command_killed(cordon, tmp_path):
    """SIGKILL of the host program is the end of the run, and of its directory."""
    script = f"""
import json, os, signal, subprocess, sys, time
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
p = subprocess.Popen([{cordon.path!r}, "run", "--approved", "-"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)
p.stdin.write(b"import os, time\\nprint(os.getcwd(), flush=True)\\ntime.sleep(60)\\n")
p.stdin.close()
cwd = p.stdout.readline().decode().strip()
p.kill()
p.wait()
left = support.left_behind(seconds=0.5)
print(json.dumps([cwd, os.path.exists(cwd), [repr(q) for q in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60, check=False)
    cwd, exists, left = json.loads(done.stdout)
    assert cwd.startswith("/") and not exists
    assert left == []


def test_many_in_one_host_program(cordon, tmp_path):
    program = support.build_host(cordon, "approved", tmp_path)
    script = f"""
import json, subprocess, sys
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
done = subprocess.run([{str(program)!r}, {str(support.helper_dir_of(cordon))!r}],
                      capture_output=True, text=True)
left = support.left_behind(seconds=0.5)
print(json.dumps([done.returncode, done.stderr, [repr(p) for p in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
                          timeout=120 * support.SLOW, check=False)
    assert json.loads(done.stdout) == [0, "", []]
    assert not list(tmp_path.glob("cordon-*"))


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

# SPDX-License-Identifier: Apache-2.0
"""
Approved runs: what a person who said "Run Anyway" expects of a normal Python process. Each
item holds for whoever runs the tests and, where that is root, for an ordinary user too.
"""

import os
import socket
import threading

import pytest

import support


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

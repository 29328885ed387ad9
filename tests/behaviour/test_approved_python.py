# SPDX-License-Identifier: Apache-2.0
"""
Approved runs, finer: where a program would notice that it is not run by `python3 -c`. Each
item holds a right value that plain Python gives (its output going to a pipe).
"""

import socket
from pathlib import Path

import pytest


# ---- output in turns ----------------------------------------------------------------


def test_prints_while_a_child_runs(approve):
    """Each side prints, is read by the other, and prints again."""
    answer = approve("""
        import os, subprocess
        r, w = os.pipe()
        child = subprocess.Popen(["sh", "-c", f"while read x; do echo child $x; echo >&{w}; done"],
                                 stdin=subprocess.PIPE, pass_fds=[w], text=True)
        for n in range(1000):
            print("parent", n)
            child.stdin.write(f"{n}\\n")
            child.stdin.flush()
            os.read(r, 1)
        child.stdin.close()
        child.wait()
    """)
    assert answer["status"] == "ok", answer
    assert answer["stdout"] == "".join(f"parent {n}\nchild {n}\n" for n in range(1000))


def test_prints_before_a_function_of_c_starts_a_program(approve):
    answer = approve("""
        import ctypes
        libc = ctypes.CDLL(None)
        for n in range(3):
            print("parent", n)
            libc.system(b"echo child")
    """)
    assert answer["stdout"] == "".join(f"parent {n}\nchild\n" for n in range(3)), answer


def test_prints_of_forks_in_turns(approve):
    answer = approve("""
        import os
        to_child, to_parent = os.pipe(), os.pipe()
        pid = os.fork()
        for n in range(5):
            if pid == 0:
                os.read(to_child[0], 1)
                print("child", n)
                os.write(to_parent[1], b".")
            else:
                print("parent", n)
                os.write(to_child[1], b".")
                os.read(to_parent[0], 1)
        if pid == 0:
            os._exit(0)
    """)
    assert answer["status"] == "ok", answer
    assert answer["stdout"] == "".join(f"parent {n}\nchild {n}\n" for n in range(5))


def test_a_file_beside_the_prints(approve):
    answer = approve("""
        with open("/dev/stdout", "w", buffering=1) as same:
            for n in range(3):
                print("print", n)
                same.write(f"file {n}\\n")
    """)
    assert answer["stdout"] == "".join(f"print {n}\nfile {n}\n" for n in range(3))


def test_lines_of_stderr_go_out_at_once(approve):
    answer = approve("""
        import os
        print("a", file=sys.stderr)
        os.write(2, b"b\\n")
        print("c", file=sys.stderr)
    """)
    assert answer["stderr"] == "a\nb\nc\n"


BETWEEN = """
    import os
    {first}
    print("a")
    os.write(1, b"b\\n")
    print("c", end="")
    os.write(1, b"d\\n")
    print("e", flush=True)
"""


@pytest.mark.parametrize("first, env, out", [
    ("", {}, "b\nd\na\nce\n"),
    ("", {"PYTHONUNBUFFERED": "1"}, "a\nb\ncd\ne\n"),
    ("sys.stdout.reconfigure(write_through=True)", {}, "a\nb\ncd\ne\n"),
    ("sys.stdout.reconfigure(line_buffering=True)", {}, "a\nb\nd\nce\n"),
    ("sys.stdout.reconfigure(line_buffering=True)\n    sys.stdout.reconfigure(encoding='utf-8')",
     {}, "a\nb\nd\nce\n"),
    ("sys.stdout.reconfigure(line_buffering=True)\n    sys.stdout.reconfigure(line_buffering=False)",
     {}, "b\nd\na\nce\n"),
])
def test_when_prints_go_out(approve, first, env, out):
    """(Here an empty PYTHONUNBUFFERED means, as to Python, that it is not set.)"""
    answer = approve(BETWEEN.format(first=first), env={"PYTHONUNBUFFERED": "", **env})
    assert answer["stdout"] == out, answer


def test_what_the_streams_say_of_themselves(value):
    assert value("""
        def say():
            result.setdefault("said", []).append(
                [sys.stdout.line_buffering, sys.stdout.write_through, sys.stderr.line_buffering])
        say()
        sys.stdout.reconfigure(line_buffering=True, write_through=True)
        say()
    """, env={"PYTHONUNBUFFERED": ""})["said"] == [[False, False, True], [True, True, True]]


def test_a_stream_of_its_own_around_the_bytes(approve):
    answer = approve("""
        import codecs
        print("first")
        sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8", write_through=True)
        print("second \\N{SNOWMAN}")
        sys.stderr = codecs.getwriter("utf-8")(sys.stderr.detach())
        print("third", file=sys.stderr)
        print("last", file=sys.__stdout__)
    """)
    assert answer["status"] == "ok", answer
    assert answer["stdout"] == "first\nsecond \u2603\nlast\n"
    assert answer["stderr"] == "third\n"


# ---- errors ---------------------------------------------------------------------------


def test_warnings_show_the_line(approve):
    answer = approve("import warnings\n\nwarnings.warn('careful')\n")
    assert answer["stderr"] == ("<code>:3: UserWarning: careful\n"
                                "  warnings.warn('careful')\n")


def test_a_hook_for_exceptions(approve):
    answer = approve("""
        import atexit
        atexit.register(print, "exit")
        def hook(kind, error, trace):
            print("hook", kind.__name__, error, trace.tb_lineno)
        sys.excepthook = hook
        raise KeyError("k")
    """)
    assert answer["error"]["message"] == "KeyError: 'k'"
    assert answer["stdout"] == "hook KeyError 'k' 7\nexit\n"


def test_a_hook_is_not_for_exits(approve):
    answer = approve("sys.excepthook = print\nsys.exit(3)")
    assert (answer["error"]["kind"], answer["stdout"]) == ("exit", "")


def test_a_hook_that_fails(approve):
    answer = approve("sys.excepthook = lambda *a: 1 / 0\nraise KeyError('k')")
    assert answer["error"]["message"] == "KeyError: 'k'"
    assert "ZeroDivisionError" in answer["stderr"]


def test_the_traceback_is_still_the_answers(approve):
    """Without a hook of its own nothing of it is printed."""
    answer = approve("raise KeyError('k')")
    assert answer["stderr"] == ""
    assert "KeyError: 'k'" in answer["error"]["traceback"]


def test_an_exception_before_the_deadline_is_printed(approve):
    """Its threads are waited for, and there is no answer to tell of it."""
    answer = approve("""
        import threading, time
        threading.Thread(target=time.sleep, args=(60,)).start()
        raise KeyError('k')
    """, None, "--timeout", "0.5")
    assert answer["status"] == "timeout"
    assert answer["stderr"] == ('Traceback (most recent call last):\n  File "<code>", line 4, in '
                                "<module>\n    raise KeyError('k')\nKeyError: 'k'\n")


@pytest.mark.parametrize("setting, shown", [
    ("", "[Previous line repeated 997 more times]"),  # of the 1000 innermost, as in Python
    ("sys.tracebacklimit = 7", "[Previous line repeated 3 more times]"),
])
def test_the_traceback_of_a_deep_recursion(approve, setting, shown):
    answer = approve("def f():\n    f()\nsys.setrecursionlimit(3000)\n" + setting + "\nf()")
    error = answer["error"]
    assert (error["type"], error["line"]) == ("RecursionError", 2), error
    assert shown in error["traceback"], error


# ---- the end ----------------------------------------------------------------------------


def test_what_holds_itself_goes_too(approve):
    answer = approve("""
        class Last:
            def __init__(self, name):
                self.name = name
                self.me = self
            def __del__(self):
                print("gone", self.name)
        a = Last("a")
        def f():
            return a
    """)
    assert (answer["status"], answer["stdout"]) == ("ok", "gone a\n")


@pytest.mark.parametrize("code", [
    "import os\nprint('before', flush=True)\nos.execvp('sleep', ['sleep', '60'])",
    "import signal, time\nprint('before')\n"
    "for n in set(range(1, 65)) - {9, 19, 32, 33}:\n    signal.signal(n, signal.SIG_DFL)\n"
    "time.sleep(60)",
    "import signal, time\nprint('before')\n"
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(60)",
    "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIGSTOP)",
], ids=["another program", "signals by default", "signals blocked", "stopped"])
def test_a_deadline_that_nobody_can_name_the_line_of(approve, code):
    answer = approve(code, None, "--timeout", "1")
    assert (answer["status"], answer["stdout"]) == ("timeout", "before\n"), answer
    assert "limit of 1 s" in answer["error"]["message"]


@pytest.mark.parametrize("signal, said", [
    (9, "SIGKILL (Killed): the code, a program"),
    (15, "SIGTERM (Terminated)"),
    (34, "SIGRTMIN+0 (signal 34)"),
    (37, "SIGRTMIN+3 (signal 37)"),
    (64, "SIGRTMIN+30 (signal 64)"),
])
def test_what_it_died_of(approve, signal, said):
    answer = approve(f"import os\nos.kill(os.getpid(), {signal})")
    assert answer["status"] == "crashed", answer
    assert f"died of signal {said}" in answer["error"]["message"]


def test_it_closes_what_it_has_not_opened(approve):
    """Not to be prevented; but what is said of it is true."""
    answer = approve("import os\nprint('before')\nos.closerange(3, 256)\nresult['n'] = 1")
    assert (answer["status"], answer["stdout"]) == ("error", "before\n"), answer
    assert "closed descriptors that it had not opened" in answer["error"]["message"]


# ---- startup modules -------------------------------------------------------------------------


@pytest.fixture
def at_start(home):  # noqa: F811
    """at_start(code): what the caller's usercustomize module does."""
    def at_start(code):
        import sysconfig
        place = Path(sysconfig.get_path("purelib", "posix_user", {"userbase": str(home / ".local")}))
        place.mkdir(parents=True)
        (place / "usercustomize.py").write_text(code)
    return at_start


@pytest.mark.parametrize("code, out, err", [
    ("import sys\nprint('hello')\nprint('oops', file=sys.stderr)", "hello\nran\n", "oops\n"),
    ("import builtins\nbuiltins.word = 'ran'", "ran\n", ""),
    ("import threading, time\n"
     "threading.Thread(target=lambda: (time.sleep(.2), print('late'))).start()", "ran\nlate\n", ""),
    ("import atexit\natexit.register(print, 'bye')", "ran\nbye\n", ""),
    ("import sys\nsys.addaudithook(lambda *a: None)", "ran\n", ""),
])
def test_startup_modules(approve, at_start, code, out, err):
    at_start(code)
    answer = approve("print(globals().get('word') or getattr(builtins, 'word', 'ran'))")
    assert (answer["status"], answer["stdout"], answer["stderr"]) == ("ok", out, err), answer


def test_a_startup_module_that_fails(approve, at_start):
    """Python says so, and goes on."""
    at_start("1 / 0")
    answer = approve("print('ran')")
    assert (answer["status"], answer["stdout"]) == ("ok", "ran\n")
    assert "ZeroDivisionError" in answer["stderr"]


@pytest.mark.parametrize("name", ["json", "re"])
def test_a_module_of_the_callers_in_the_place_of_pythons(approve, value, home, name):  # noqa: F811
    """It is what the name means, as in plain python3, and what the run fails of says so."""
    (home / "path").mkdir()
    (home / "path" / f"{name}.py").write_text("x = 7\n")
    env = {"PYTHONPATH": str(home / "path")}
    assert value(f"import {name}\nresult['x'] = {name}.x", env=env) == {"x": 7}
    assert value("result['n'] = [1, 2.5, 'text']", env=env) == {"n": [1, 2.5, "text"]}
    answer = approve("result['n'] = input_data['n']", {"n": 1}, env=env)
    assert (answer["status"], answer["error"]["kind"]) == ("error", "exception"), answer
    assert "input_data cannot be read without Python's json module" in answer["error"]["message"]
    if name == "json":
        assert str(home / "path" / "json.py") in answer["error"]["message"]


# ---- the least of each limit ---------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["tasks: 1", "open_files: 16", "disk: 4096", "disk_files: 1",
                                   "memory: 8MiB"])
def test_the_least_that_a_profile_may_say(value, home, limit):  # noqa: F811
    """What the configuration takes, a run can be had with."""
    (home / "c.yaml").write_text(
        f"profiles:\n  - {{name: least, approved: {{limits: {{{limit}}}}}}}\n")
    (home / "c.yaml").chmod(0o644)
    assert value("with open('/dev/null') as f:\n    result['n'] = f.read()", None,
                 "--config", home / "c.yaml", "--profile", "least") == {"n": ""}


def test_descriptors_on_their_way_elsewhere(value, home):  # noqa: F811
    """The kernel counts a user's, in all processes, against the limit of whoever sends one."""
    (home / "c.yaml").write_text("profiles:\n  - {name: least, approved: {limits: {open_files: 16}}}\n")
    (home / "c.yaml").chmod(0o644)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for _ in range(40):
            socket.send_fds(ours, [b"x"], [0])
        assert value("import resource\nresult['n'] = resource.getrlimit(resource.RLIMIT_NOFILE)", None,
                     "--config", home / "c.yaml", "--profile", "least") == {"n": [16, 16]}


@pytest.mark.parametrize("code", ["while True: os.fork()", """
        import subprocess
        children = []
        while True: children.append(subprocess.Popen(["sleep", "9"]))"""], ids=["fork", "subprocess"])
def test_processes_that_end_all_when_one_is_refused(approve, home, code):  # noqa: F811
    """When it is asked why, there may be room again."""
    (home / "c.yaml").write_text("profiles:\n  - {name: few, approved: {limits: {tasks: 8}}}\n")
    (home / "c.yaml").chmod(0o644)
    for _ in range(3):
        answer = approve(f"""
        import os
        {code}
        """, None, "--config", home / "c.yaml", "--profile", "few")
        assert (answer["status"], answer["error"].get("limit")) == ("limit", "processes"), answer


def test_what_else_would_block(approve):
    answer = approve("""
        import os
        r, w = os.pipe()
        os.set_blocking(r, False)
        os.read(r, 1)
    """)
    assert (answer["status"], answer["error"]["type"]) == ("error", "BlockingIOError"), answer


def test_a_file_of_the_callers_that_grows_too_large(approve, home):  # noqa: F811
    answer = approve(f"open({str(home / 'f')!r}, 'w').truncate((4 << 30) + 1)")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "disk"), answer
    assert "one file larger than 16 times its limit of 256 MiB" in answer["error"]["message"]
    assert approve(f"open({str(home / 'f')!r}, 'w').truncate(4 << 30)")["status"] == "ok"


# ---- what a profile withholds -----------------------------------------------------------------


@pytest.fixture
def profile(home):  # noqa: F811
    """profile(approved) -> the arguments for a profile whose approved: section that is."""
    def profile(approved):
        (home / "c.yaml").write_text(f"profiles:\n  - {{name: mine, approved: {{{approved}}}}}\n")
        (home / "c.yaml").chmod(0o644)
        return "--config", home / "c.yaml", "--profile", "mine"
    return profile


@pytest.mark.parametrize("files", ["host", "none"])
def test_without_a_network_it_reaches_itself(value, profile, files):
    assert value("""
        import socket, threading
        server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=lambda: server.accept()[0].sendall(b"hello")).start()
        with socket.create_connection(server.getsockname(), 10) as client:
            result["got"] = client.recv(5).decode()
        result["interfaces"] = [name for _, name in socket.if_nameindex()]
    """, None, *profile(f"network: none, files: {files}")) == {"got": "hello",
                                                               "interfaces": ["lo"]}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_without_the_hosts_files_there_is_multiprocessing(value, profile, method):
    assert value(f"""
        import multiprocessing
        def double(n):
            return 2 * n
        with multiprocessing.get_context("{method}").Pool(2) as pool:
            result["got"] = pool.map(double, [1, 2])
    """, None, *profile("files: none")) == {"got": [2, 4]}


def test_without_the_hosts_files_there_is_dev(approve, profile):
    answer = approve("""
        import os, tempfile
        print("1")
        for n, path in enumerate(("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"), 2):
            with open(path, "w") as file:
                print(n, file=file)
        print("5", file=open("/dev/stderr", "w"))
        result["shm"] = [os.listdir("/dev/shm"), oct(os.stat("/dev/shm").st_mode)]
        tempfile.TemporaryFile(dir="/dev/shm").write(b"x")
        try:
            open("/dev/x", "w")
        except OSError as e:
            result["dev"] = e.errno
    """, None, *profile("files: none"))
    assert answer["status"] == "ok", answer
    assert (answer["stdout"], answer["stderr"]) == ("1\n2\n3\n4\n", "5\n")
    assert answer["result"] == {"shm": [[], "0o41777"], "dev": 30}

# SPDX-License-Identifier: Apache-2.0
"""
The private daemon's life: it is there when it is called and gone with its process, however
that ends; nobody else is hurt by either.
"""

import os
import signal
import stat
import subprocess
import time

import pytest
from conftest import SLOW

# What the scripts share: pid() of their daemon, call() that must be right.
COMMON = """
import asyncio, os, signal, sys, threading, time
import cordon
client = cordon.Client()
def call(n=1):
    assert client.execute("result['n'] = input_data['n']", {"n": n}).result == {"n": n}
def daemon():
    return cordon._daemon.private()._process
"""


def daemons(private):
    """Processes that have the test's directory on their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if b"serve" in words and any(str(private).encode() in word for word in words):
            found.append(int(pid))
    return found


def gone(private, seconds=3.0):
    """Whether daemons and directories go within that time."""
    end = time.monotonic() + seconds * SLOW
    while daemons(private) or os.listdir(private):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def line(program):
    text = program.stdout.readline().strip()
    assert text, program.communicate()[1]
    return text


# ---- the start --------------------------------------------------------------------------------


def test_nothing_is_started_by_the_import(script, private):
    assert script("import cordon, os\ncordon.Client()\n"
                  "print(os.listdir(os.environ['XDG_RUNTIME_DIR']))") == "[]\n"


def test_who_can_get_at_it(python, private):
    program = python(COMMON + "call()\nprint('there', flush=True)\nsys.stdin.read()",
                     stdin=subprocess.PIPE)
    line(program)
    (directory,) = private.iterdir()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert [f.name for f in directory.iterdir()] == ["socket"]
    assert stat.S_IMODE((directory / "socket").stat().st_mode) == 0o600
    (pid,) = daemons(private)
    assert os.getsid(pid) == pid != os.getsid(program.pid)
    with open(f"/proc/{pid}/environ", "rb") as f:
        assert b"TOKEN=" not in f.read()
    program.communicate()
    assert gone(private)


def test_a_directory_that_is_too_long_or_not_ours(script, tmp_path):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    for place in (str(long), "/proc/1", "/nonexistent"):
        said = script(COMMON + "call()\nprint(cordon._daemon.private()._directory)",
                      env={"XDG_RUNTIME_DIR": place, "TMPDIR": str(long)})
        assert said.startswith("/tmp/cordon-") and not os.path.exists(said.strip())
    assert list(long.iterdir()) == []


def test_a_directory_that_was_removed(script, tmp_path):
    said = script(COMMON + """
import tempfile
tempfile.tempdir = sys.argv[1]
call()
print(cordon._daemon.private()._directory)
""", str(tmp_path / "gone"), env={"XDG_RUNTIME_DIR": ""})
    assert said.startswith("/tmp/cordon-")


@pytest.mark.parametrize("client", [
    "cordon.Client(config='x.yaml')", "cordon.Client(binary='./x')", "cordon.Client()"])
def test_a_working_directory_that_was_removed(script, tmp_path, client):
    place = tmp_path / "gone"
    place.mkdir()
    said = script(COMMON + f"""
os.chdir(sys.argv[1])
os.rmdir(sys.argv[1])
try:
    {client}.check("")
except cordon.Unavailable as e:
    print(e)
""", str(place), env={"CORDON_BIN": "./x"})
    assert said.startswith("cannot start a Cordon daemon: where is")


def test_no_descriptor_for_a_call(script):
    said = script(COMMON + """
import resource
call()
kept = []
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        kept.append(os.dup(1))
except OSError:
    pass
try:
    client.check("")
except cordon.Unavailable as e:
    os.write(1, str(e).encode())
for fd in kept:
    os.close(fd)
call()
""")
    assert said.startswith("cannot call the Cordon daemon: ")


@pytest.mark.parametrize("binary, said", [
    ("/nonexistent/cordon", "cannot start /nonexistent/cordon"),
    ("/bin/false", "did not start: it said nothing (exit status 1)"),
    ("SCRIPT", "did not start: out of luck"),
])
def test_a_daemon_that_does_not_start(script, private, tmp_path, binary, said):
    if binary == "SCRIPT":
        file = tmp_path / "cordon"
        file.write_text("#!/bin/sh\necho out of luck >&2\nexit 6\n", encoding="utf-8")
        file.chmod(0o755)
        binary = str(file)
    got = script(COMMON + """
async def main():
    return await asyncio.gather(*(cordon.AsyncClient().check("") for _ in range(5)),
                                return_exceptions=True)
try:
    call()
except cordon.Unavailable as e:
    print(e)
print({str(e) for e in asyncio.run(main())})
""", env={"CORDON_BIN": binary})
    assert got.count(said) == 2 and got.count("\n") == 2
    assert gone(private)


def test_where_the_program_is_found(script, private, binary, tmp_path):
    env = {"CORDON_BIN": "", "PATH": f"/usr/bin:{binary.parent}"}
    assert script(COMMON + "call()\nprint('ok')", env=env) == "ok\n"
    said = script(COMMON + "try: call()\nexcept cordon.Unavailable as e: print(e)",
                  env={"CORDON_BIN": "", "PATH": str(tmp_path)})
    assert "CORDON_BIN" in said


# ---- the end ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [
    "",
    "sys.exit(3)",
    "os._exit(3)",
    "os.kill(os.getpid(), signal.SIGKILL)",
    "os.kill(os.getpid(), signal.SIGTERM)",
    "threading.Thread(target=call, daemon=True).start()",
    "import atexit\natexit.register(call)",
    "import ctypes\nctypes.string_at(0)",
])
def test_it_ends_with_its_process(python, private, end):
    program = python(COMMON + "call()\nprint(daemon().pid, flush=True)\nsys.stdin.read()\n" + end,
                     stdin=subprocess.PIPE)
    pid = int(line(program))
    assert daemons(private) == [pid]
    program.communicate(timeout=30 * SLOW)
    assert gone(private)


@pytest.mark.parametrize("call", [
    "client.execute('import time; time.sleep(20)', approved=True)",
    "while True: client.check('')",
    "asyncio.run(calls())",
])
def test_daemon_threads_that_call_at_the_end_say_nothing(script, private, call):
    """They go with the process, and no call of theirs before it."""
    for _ in range(3):
        assert script(COMMON + f"""
async def calls():
    while True:
        await cordon.execute_backend_code("", {{}})
def work():
    {call}
call()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""") == ""
        assert gone(private)


def test_a_run_ends_with_its_process(python, private, tmp_path):
    mark = tmp_path / "mark"
    code = f"import time\nprint(1, flush=True)\ntime.sleep(1)\nopen({str(mark)!r}, 'w')"
    program = python(COMMON + "client.execute(sys.argv[1], approved=True,"
                     " on_stdout=lambda text: print('runs', flush=True))", code)
    line(program)
    program.kill()
    assert gone(private)
    time.sleep(1.2)
    assert not mark.exists()


def test_nothing_holds_it_but_its_process(python, private):
    """Neither a forked child that goes on, nor a program started with all descriptors."""
    program = python(COMMON + """
import subprocess
call()
child = os.fork()
if child == 0:
    os.close(1); os.close(2)
    time.sleep(60)
other = subprocess.Popen(["sleep", "60"], close_fds=False, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
print(child, other.pid, flush=True)
time.sleep(60)
""")
    others = [int(pid) for pid in line(program).split()]
    try:
        program.kill()
        assert gone(private)
    finally:
        for pid in others:
            os.kill(pid, signal.SIGKILL)


def test_a_forked_child_does_not_keep_a_run_alive(script, tmp_path):
    mark = tmp_path / "mark"
    code = f"import time\nprint(1, flush=True)\ntime.sleep(1)\nopen({str(mark)!r}, 'w')"
    assert script(COMMON + """
class Enough(Exception): pass
def fork(text):
    global child
    child = os.fork()
    if child == 0:
        time.sleep(5)
        os._exit(0)
    raise Enough
try:
    client.execute(sys.argv[1], approved=True, on_stdout=fork)
except Enough:
    pass
time.sleep(1.5)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
print(os.path.exists(sys.argv[2]))
""", code, str(mark)) == "False\n"


# ---- Ctrl-C ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wait", [
    "client.execute('while True: pass')",
    "asyncio.run(cordon.execute_backend_code('while True: pass', {}))",
])
def test_ctrl_c(python, private, wait):
    program = python(COMMON + f"""
call()
before = daemon().pid
threading.Timer(0.3, lambda: print("now", flush=True)).start()
try:
    {wait}
except KeyboardInterrupt:
    started = time.monotonic()
    call()
    print(before == daemon().pid, flush=True)
""", start_new_session=True)
    line(program)
    os.killpg(program.pid, signal.SIGINT)
    assert line(program) == "True"
    assert program.communicate(timeout=30 * SLOW)[1] == ""
    assert gone(private)


@pytest.mark.parametrize("gate", [True, False])
def test_a_signal_that_hits_the_daemon_before_it_has_its_session(script, private, binary, tmp_path, gate):
    """Ctrl-C while it is forked: the caller may have caught it and go on."""
    file = tmp_path / "cordon"
    file.write_text(f"#!/bin/sh\nfor n in 1 2 3; do\n[ $n = 3 ] || mkdir {tmp_path}/$1$n && break\ndone\n"
                    f"[ $n = 1 ] && kill -INT $$\nexec {binary} \"$@\"\n", encoding="utf-8")
    file.chmod(0o755)
    assert script(COMMON + f"""
asyncio.run(cordon.execute_backend_code("", {{}}, gate={gate}))
print("ok")
""", env={"CORDON_BIN": str(file)}) == "ok\n"
    assert gone(private)


# ---- the daemon's own death --------------------------------------------------------------------------


def test_one_that_died_is_started_again(script, private):
    assert script(COMMON + """
for sign in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
    call()
    before = daemon()
    before.send_signal(sign)
    before.wait()
    call()
    assert daemon().pid != before.pid
call()
before = daemon()
before.kill()
before.wait()
asyncio.run(cordon.execute_backend_code("", {}))
print(len(os.listdir(os.environ["XDG_RUNTIME_DIR"])))
""") == "1\n"
    assert gone(private)


def test_a_socket_that_was_removed(script, private):
    assert script(COMMON + """
call()
os.unlink(cordon._daemon.private()._directory + "/socket")
call()
print("ok")
""") == "ok\n"
    assert gone(private)


def test_a_run_that_is_lost_is_told(script, private, tmp_path):
    mark = tmp_path / "runs"
    code = f"open({str(mark)!r}, 'a').write('x')\nprint(1, flush=True)\nimport time; time.sleep(20)"
    assert script(COMMON + """
def kill(text):
    daemon().kill()
try:
    client.execute(sys.argv[1], approved=True, on_stdout=kill)
except cordon.RunLost as e:
    print(isinstance(e, RuntimeError))
daemon().wait()  # it may still listen while it dies
call()
async def main():
    lost = asyncio.create_task(cordon.execute_backend_code("while True: pass", {}))
    await asyncio.sleep(0.3)
    daemon().kill()
    try:
        await lost
    except cordon.RunLost:
        daemon().wait()  # as above
        await cordon.execute_backend_code("", {})
        print("lost")
asyncio.run(main())
""", code) == "True\nlost\n"
    assert mark.read_text() == "x"
    assert gone(private)


def test_twenty_threads_that_find_it_dead(script, private):
    assert script(COMMON + """
import concurrent.futures
call()
with concurrent.futures.ThreadPoolExecutor(20) as pool:
    for _ in range(3):
        daemon().kill()
        daemon().wait()
        list(pool.map(call, range(20)))
print(len(os.listdir(os.environ["XDG_RUNTIME_DIR"])))
""") == "1\n"
    assert gone(private)


def test_one_that_drains_finishes_what_it_has(script, private):
    assert script(COMMON + """
got = []
code = "import time\\nprint(1, flush=True)\\ntime.sleep(1)\\nresult = {'a': 1}"
def drain(text):
    daemon().terminate()
    time.sleep(0.2)
    call()
got = client.execute(code, approved=True, on_stdout=drain)
print(got.result)
""") == "{'a': 1}\n"
    assert gone(private)


def test_one_that_drains_is_replaced_for_who_comes_too_late(script, private):
    """It was stopped while it was called, and told to end before it could look."""
    assert script(COMMON + """
import concurrent.futures
call()
before = daemon()
before.send_signal(signal.SIGSTOP)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    late = [pool.submit(call, n) for n in range(7)]
    late.append(pool.submit(asyncio.run, cordon.execute_backend_code("", {})))
    time.sleep(0.5)
    before.send_signal(signal.SIGTERM)
    before.send_signal(signal.SIGCONT)
    for one in late: one.result()
print(daemon().pid != before.pid)
""") == "True\n"
    assert gone(private)


def test_one_that_dies_at_every_start(script, private, binary, tmp_path):
    file = tmp_path / "cordon"
    file.write_text(f"#!/bin/sh\nexec 3<&0\n{binary} \"$@\" <&3 &\n"
                    "while [ ! -S $4 ]; do sleep 0.01; done\nkill -9 $!\n", encoding="utf-8")
    file.chmod(0o755)
    said = script(COMMON + """
try:
    while True: call()
except cordon.CordonError as e:
    print(type(e).__name__)
""", env={"CORDON_BIN": str(file)})
    assert said in ("Unavailable\n", "RunLost\n", "CordonError\n")


# ---- hosts with habits --------------------------------------------------------------------------------


def test_a_host_that_ignores_its_children(script, private):
    assert script(COMMON + """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
call()
os.kill(daemon().pid, signal.SIGKILL)
time.sleep(0.2)
call()
print("ok")
""") == "ok\n"
    assert gone(private)


def test_a_host_without_standard_streams(script, private, tmp_path):
    mark = tmp_path / "mark"
    script(COMMON + f"""
for fd in 0, 1, 2: os.close(fd)
call()
call()
open({str(mark)!r}, "w").write("ok")
os._exit(0)
""")
    assert mark.read_text() == "ok" and gone(private)


def test_calls_leave_no_descriptor_and_no_child(script):
    assert script(COMMON + """
def count():
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as children:
        return len(os.listdir("/proc/self/fd")), children.read()
call()
before = count()
for n in range(30):
    call(n)
    try: client.execute("", profile="x")
    except cordon.BadRequest: pass
    client.execute("print(1)", on_stdout=lambda text: None)
    try: asyncio.run(asyncio.wait_for(cordon.execute_backend_code("while True: pass", {}), 0.01))
    except asyncio.TimeoutError: pass
print(count() == before)
""") == "True\n"


def test_an_environment_that_no_program_could_have(script, private):
    """The daemon has only what it reads itself; a strict run needs nothing of the rest."""
    assert script(COMMON + """
os.environ["LARGE"] = "x" * 200_000
call()
print("ok")
""") == "ok\n"
    assert gone(private)

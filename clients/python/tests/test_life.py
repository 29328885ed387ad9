# SPDX-License-Identifier: Apache-2.0
"""
The private daemon's life: it is there when it is called and gone with its process, however
that ends; nobody else is hurt by either.
"""

import os
import stat
import subprocess

import pytest
from conftest import COMMON, daemons, gone, line

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


def test_a_signal_handler_that_calls_during_the_start(script, private):
    assert script(COMMON + """
make = cordon._daemon._make_directory
def make_and_be_interrupted():
    cordon._daemon._make_directory = make
    made = make()
    call()
    return made
cordon._daemon._make_directory = make_and_be_interrupted
call()
print(len(os.listdir(os.environ["XDG_RUNTIME_DIR"])), len(os.listdir("/proc/self/fd")))
""") == "1 6\n"
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


def test_one_that_was_stopped_is_told(script, private):
    assert script(COMMON + """
call()
before = daemon()
before.send_signal(signal.SIGSTOP)
hasty = dict(patience=0.1)
try: cordon.Client(**hasty).execute("")
except cordon.Unresponsive as e: print(f"kill -CONT {before.pid}" in str(e))
try: asyncio.run(cordon.AsyncClient(**hasty).check(""))
except cordon.Unresponsive: print("and asynchronously")
before.send_signal(signal.SIGCONT)
call()
print(daemon().pid == before.pid)
print(cordon.Client(**hasty).execute("import time\\ntime.sleep(0.3)").ok)
""") == "True\nand asynchronously\nTrue\nTrue\n"
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

# SPDX-License-Identifier: Apache-2.0
"""The end of the process, and Ctrl-C: what they leave of the private daemon, and what they say."""

import os
import signal
import subprocess
import time

import pytest
from conftest import COMMON, SLOW, daemons, gone, line

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


def test_a_loop_that_is_dropped_with_a_call_in_it(python, private):
    """Only Python's own complaint."""
    program = python(COMMON + """
loop = asyncio.new_event_loop()
task = loop.create_task(cordon.execute_backend_code("while True: pass", {}))
loop.run_until_complete(asyncio.sleep(0.3))
""")
    said = program.communicate(timeout=30 * SLOW)[1]
    assert "Task was destroyed" in said and "Error" not in said, said
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

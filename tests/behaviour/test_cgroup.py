# SPDX-License-Identifier: Apache-2.0
"""
Runs in control groups: what the kernel counts is what is reported, it holds, what a group above
lacks is not taken for the run's own limit, and groups go, whatever becomes of their engine.

CORDON_TEST_CGROUP names where groups can be made, as cgroup: of the configuration does. In
tools/vm.sh there is such a place, of version 2.
"""

import json
import os
import signal
import subprocess
import tempfile
import textwrap
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from http_client import Daemon
from support import (KERNEL, NOBODY, SLOW, as_nobody, kill, left_behind, standbys, wait_until,
                     why_not_nobody)
from test_approved_memory import HEAD, SHARED
from test_limits import HOLDERS, MIB, both, filling, run_into

DELEGATED = os.environ.get("CORDON_TEST_CGROUP", "")
PLACES = [Path(place) for place in DELEGATED.split(":") if place]
SECOND = len(PLACES) == 1

delegated = pytest.mark.skipif(
    not PLACES, reason="no control group to make others in: name one in CORDON_TEST_CGROUP, or take "
    "tools/vm.sh")
version_2 = pytest.mark.skipif(not SECOND, reason="CORDON_TEST_CGROUP names none of version 2")


def groups(places=PLACES):
    return [str(group) for place in places for group in place.glob("cordon-*")]


@pytest.fixture
def place(tmp_path):
    """The arguments that name where to make groups."""

    def place(*places):
        file = tmp_path / "cordon.yaml"
        file.write_text(f"cgroup: {':'.join(map(str, places))}\n")
        return ("--config", file)

    return place


@pytest.fixture
def here(place):
    yield place(*PLACES)
    assert groups() == []


@contextmanager
def below(name):
    """Groups of ours below the places, to whose own groups the controllers are handed on."""
    made = [place / name for place in PLACES]
    for group in made:
        if SECOND:
            (group.parent / "cgroup.subtree_control").write_text("+memory +pids")
        group.mkdir()
    try:
        yield made
    finally:
        for group in made:
            for inner in [*group.glob("*/"), group]:
                assert wait_until(lambda: remove(inner)), inner


def remove(group):
    try:
        group.rmdir()
    except OSError:
        return False
    return True


# ---- what is counted --------------------------------------------------------------------------


@delegated
@both
@pytest.mark.parametrize("code", HOLDERS.values(), ids=HOLDERS)
def test_memory(run, here, code, kind):
    answer = run_into(run, "memory", code, "--memory", "100M", *here, *kind)
    assert answer["limits_by"] == ("cgroup-v2" if SECOND else "cgroup-v1"), answer
    assert 90 * MIB < answer["usage"]["memory_peak_bytes"] < 130 * MIB, answer


@delegated
@both
def test_the_peak(run, here, kind):
    answer = run(filling("x = fill(50)\ndel x"), None, *here, *kind)
    assert answer["status"] == "ok" and 49 * MIB < answer["usage"]["memory_peak_bytes"] < 60 * MIB


REFUSED = """
    held = []
    try:
        while True:
            held.append(os.fork())
            if held[-1] == 0:
                time.sleep(20)
    except BlockingIOError:
        for pid in held:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
"""

# The end of code that was refused a process once, and what it is called.
AFTER_REFUSAL = {
    "os._exit(3)": ("error", "exit", None),
    "os.kill(os.getpid(), 9)": ("crashed", "crash", None),
    "raise BlockingIOError(11, 'by hand')": ("error", "exception", None),
    "1 / 0": ("error", "exception", None),
    "os.waitpid(-1, 0)": ("error", "exception", None),
    "held += [os.fork() or time.sleep(20) for n in range(200)]": ("limit", "limit", "processes"),
}


@delegated
@pytest.mark.parametrize("code, end", AFTER_REFUSAL.items(), ids=AFTER_REFUSAL)
def test_the_end_after_a_process_was_refused(run, here, code, end):
    """Is only what it is, unless it is the refusal itself."""
    answer = run(filling(REFUSED) + code, None, *here, "--approved")
    assert answer["limits_by"].startswith("cgroup"), answer
    assert (answer["status"], answer["error"]["kind"], answer["error"].get("limit")) == end, answer


@delegated
def test_processes_that_all_end_when_one_is_refused(run, here):
    """There is room again when it is asked why. Few of them, since each says why it ends."""
    with here[1].open("a") as file:
        file.write("profiles:\n  - {name: few, approved: {limits: {tasks: 16}}}\n")
    answer = run_into(run, "processes", "while True: os.fork()", *here, "--profile", "few", "--approved")
    assert answer["error"]["type"] == "BlockingIOError", answer


@delegated
@version_2
def test_one_processor(run, here):
    answer = run("""
        import os, time
        ends = [os.pipe() for n in range(3)]
        for _, end in ends:
            if os.fork() == 0:
                until = time.monotonic() + 2
                while time.monotonic() < until:
                    pass
                os.write(end, str(time.process_time()).encode())
                os._exit(0)
        result["s"] = sum(float(os.read(end, 100)) for end, _ in ends)
    """.replace("\n        ", "\n"), None, *here, *KERNEL)
    assert answer["status"] == "ok" and answer["result"]["s"] < 2.6, answer


# ---- standbys ----------------------------------------------------------------------------------


def members():
    """{a process in a group: that group}, of the last place."""
    found = {}
    for group in groups(PLACES[-1:]):
        with suppress(OSError):  # it has gone
            found |= {int(pid): Path(group) for pid in Path(group, "cgroup.procs").read_text().split()}
    return found


@pytest.fixture
def warm(cordon, tmp_path, here):
    """A daemon that has had two runs; waiting(): its standby and the group that it is in."""
    with Daemon(cordon, tmp_path / "s", *here) as daemon:
        daemon.waiting = lambda: next(
            ((p.pid, members()[p.pid]) for p in standbys(daemon.pid) if p.pid in members()), None)
        for n in range(2):
            assert daemon.execute(f"result['n'] = {n}")["result"] == {"n": n}
        yield daemon


@delegated
def test_a_standby_is_in_its_group_before_it_is_asked_for(warm):
    """To enter one is to wait for the kernel, longer than a small run takes. Limits come later."""
    pid, group = wait_until(warm.waiting)
    memory = PLACES[0] / group.name / ("memory.max" if SECOND else "memory.limit_in_bytes")
    assert (group / "pids.max").read_text() == "16\n"
    answers = []
    call = threading.Thread(target=lambda: answers.append(warm.execute(
        "import time\ntime.sleep(0.5)", limits={"memory_bytes": 64 << 20, "tasks": 3})))
    call.start()
    try:
        assert wait_until(lambda: (group / "pids.max").read_text() == "3\n")
        assert int(memory.read_text()) == 82 << 20 and members()[pid] == group
        assert wait_until(lambda: warm.waiting() and warm.waiting()[0] != pid)
    finally:
        call.join()
    assert answers[0]["limits_by"].startswith("cgroup"), answers
    assert wait_until(lambda: not group.exists()), "never used twice"


@delegated
def test_groups_of_standbys_that_were_lost(warm):
    """Make room for others, some time; and a run that comes without one gets one."""
    for n in range(12):
        kill(wait_until(lambda: standbys(warm.pid))[0].pid)
        for _ in range(3):
            answer = warm.execute("result['n'] = 1")
            assert (answer["result"], answer["limits_by"][:6]) == ({"n": 1}, "cgroup"), answer
    for _ in range(6):
        warm.execute("import time\ntime.sleep(0.1)")
    assert wait_until(warm.waiting)
    assert wait_until(lambda: len(groups(PLACES[-1:])) <= 8), groups()


# ---- what the run sees of it -------------------------------------------------------------------


@delegated
@pytest.mark.parametrize("who", ["self", "nobody"])
def test_its_name_is_not_told(cordon, who):
    """It has the engine's number in it."""
    why = SECOND and "groups can be left to a user in version 1 alone" or why_not_nobody(cordon.path)
    if who == "nobody" and why:
        pytest.skip(why)
    code = (b"import os\nresult.update((n, open(f'/proc/{n}/cgroup').read()) for n in ('self', '1'))\n"
            b"result['all'] = [d for at in os.walk('/sys/fs/cgroup') for d in at[1]]\n"
            b"result['files'] = os.listdir('/sys/fs/cgroup')")
    with tempfile.TemporaryDirectory() as folder, below("named") as made:
        config = Path(folder, "cordon.yaml")
        config.write_text(f"cgroup: {':'.join(map(str, made))}\n")
        for path in [folder, *made] if who == "nobody" else []:
            os.chown(path, NOBODY, NOBODY)
        command = [cordon.path, "run", "--json", "--approved", "--config", config, "-"]
        command = as_nobody(command) if who == "nobody" else command
        answer = json.loads(subprocess.run(command, input=code, stdout=subprocess.PIPE, check=False).stdout)
        assert groups(made) == []
    assert answer["limits_by"].startswith("cgroup"), answer
    assert {row.split(":", 2)[2] for row in answer["result"]["self"].split()} == {"/"}, answer
    assert "cordon" not in answer["result"]["1"], answer
    assert answer["result"]["all"] == [], "nor are those of others"
    assert ("memory.max" in answer["result"]["files"]) == SECOND, "what it may take it may know"


# ---- what it is not ----------------------------------------------------------------------------


@delegated
@both
def test_what_a_group_above_lacks_is_no_limit_of_the_run(run, place, kind):
    """A service's own limit, say: raising the run's would not help."""
    with below("above") as made:
        knob = made[0] / ("memory.max" if SECOND else "memory.limit_in_bytes")
        knob.write_text(str(100 * MIB))
        answer = run(filling("x = fill(250)"), None, "--memory", "400M", *place(*made), *kind)
        assert groups(made) == []
    assert answer["limits_by"].startswith("cgroup"), answer
    assert answer["status"] == "crashed" and "lack of memory" in answer["error"]["message"], answer


@delegated
def test_a_run_that_can_have_none(cordon):
    """Its keeper counts what only a group would, then."""
    why = SECOND and "groups can be left to a user in version 1 alone" or why_not_nobody(cordon.path)
    if why:
        pytest.skip(why)
    code = "rest = 10\n" + HEAD + textwrap.dedent(SHARED["of which one page is mapped"])
    with tempfile.TemporaryDirectory() as folder, below("left") as made:
        config = Path(folder, "cordon.yaml")
        config.write_text(f"cgroup: {':'.join(map(str, made))}\n")
        for path in (folder, *made):
            os.chown(path, NOBODY, NOBODY)
        with Daemon(cordon, Path(folder, "s"), "--config", config, wrap=as_nobody) as daemon:
            for group in made:
                group.chmod(0o555)
            answer = daemon.execute(code, approved=True, limits={"memory_bytes": 32 << 20})
            for group in made:
                group.chmod(0o755)
    assert (answer["limits_by"], answer["status"]) == ("sampling", "limit"), answer


# ---- their end ------------------------------------------------------------------------------------


@delegated
@both
def test_the_group_of_an_engine_that_was_killed(cordon, run, here, kind):
    with cordon.popen("run", *here, *kind, "-", stdin=subprocess.PIPE) as engine:
        engine.stdin.write(b"while True: pass")
        engine.stdin.close()
        assert wait_until(lambda: any(
            (Path(group) / "cgroup.procs").read_text() for group in groups(PLACES[-1:])), 20)
        engine.send_signal(signal.SIGKILL)
        engine.wait()
    assert left_behind() == [] and groups()
    assert run("result['n'] = 1", None, *here)["result"] == {"n": 1}


@delegated
@version_2
def test_what_still_lives_there_is_ended(run, here):
    """As when the engine and its keeper were killed: by the next engine, before it begins."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    space = os.stat("/proc/self/ns/pid").st_ino
    left = PLACES[0] / f"cordon-{space:x}-{gone.pid}-1-0123456789abcdef"
    left.mkdir()
    with subprocess.Popen(["sleep", "1000"]) as sleeper:
        (left / "cgroup.procs").write_text(str(sleeper.pid))
        assert run("result['n'] = 1", None, *here)["result"] == {"n": 1}
        assert sleeper.wait(10 * SLOW) == -signal.SIGKILL and not left.exists()


# ---- a group that was left to the program -----------------------------------------------------------


@contextmanager
def service():
    """A group as systemd leaves it to a service: its processes are in it."""
    with below("service") as [group]:
        os.setxattr(group, "user.delegate", b"1")
        yield group


def run_in(group, cordon):
    def enter():
        (group / "cgroup.procs").write_text("0")

    with cordon.popen("run", "--json", "-", stdin=subprocess.PIPE, preexec_fn=enter) as process:
        out, err = process.communicate(b"result['n'] = 1", 60 * SLOW)
    assert process.returncode == 0, err
    return out.decode()


@delegated
@version_2
def test_the_program_steps_aside(cordon):
    with service() as group:
        assert '"limits_by": "cgroup-v2"' in run_in(group, cordon)
        assert [inner.name for inner in group.glob("*/")] == ["host"]
        assert '"limits_by": "cgroup-v2"' in run_in(group / "host", cordon)
        assert groups([group]) == []


@delegated
@version_2
def test_not_where_others_are_in_the_way(cordon):
    with service() as group, subprocess.Popen(["sleep", "1000"]) as other:
        try:
            (group / "cgroup.procs").write_text(str(other.pid))
            assert '"limits_by": "sampling"' in run_in(group, cordon)
            assert not list(group.glob("*/"))
        finally:
            other.kill()


# ---- without ------------------------------------------------------------------------------------------


def test_a_control_group_that_cannot_be_had_is_an_error(cordon, tmp_path):
    file = tmp_path / "cordon.yaml"
    file.write_text(f"cgroup: {tmp_path}\n")
    ran = cordon("run", "--config", file, "-", stdin="1")
    assert ran.code in (2, 6) and "no control group" in ran.stderr, ran

# SPDX-License-Identifier: Apache-2.0
"""Standbys: sandboxes that are there before they are asked for."""

import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from http_client import Connection, Daemon
from support import SLOW, descendants, kill, needs_contained, sandboxes, standbys, wait_until, zygotes


@pytest.fixture
def daemon(cordon, tmp_path):
    with Daemon(cordon, tmp_path / "s") as found:
        yield found


def standby(daemon, *others):
    """Once it waits. others: pids of those that do not count."""
    found = [p for p in standbys(daemon.pid) if p.pid not in others]
    stands = found and found[0].status("CapBnd") == ["0" * 16] and found[0].state == "S"
    return found[0] if stands else None


@pytest.fixture
def warm(daemon):
    for n in range(2):
        assert daemon.execute(f"result = {{'n': {n}}}")["result"] == {"n": n}
    assert wait_until(lambda: standby(daemon)), sandboxes(daemon.pid)
    return daemon


def test_the_next_run_is_the_standbys(warm):
    waiting = standby(warm)
    answers = []
    call = threading.Thread(target=lambda: answers.append(warm.execute(
        "import time\ntime.sleep(1)\nresult = {'slept': 1}")))
    call.start()
    try:
        assert wait_until(lambda: [p.pid for p in sandboxes(warm.pid)] == [waiting.pid])
        assert wait_until(lambda: standbys(warm.pid)), "and the next stands by"
    finally:
        call.join()
    assert answers[0]["result"] == {"slept": 1}
    assert wait_until(lambda: standby(warm)).pid != waiting.pid, "never used twice"


def test_it_waits_behind_walls(warm):
    waiting = standby(warm)
    (zygote,) = zygotes(warm.pid)
    assert waiting.status("NoNewPrivs") == ["1"]
    for kind in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup"):
        assert os.readlink(f"/proc/{waiting.pid}/ns/{kind}") != os.readlink(f"/proc/{zygote.pid}/ns/{kind}")
    try:
        view = set(os.listdir(f"/proc/{waiting.pid}/root"))
    except PermissionError:
        return # as an ordinary user we may not look
    assert "work" in view and not view & {"home", "sys", "tmp", "var", "root"}
    assert os.listdir(f"/proc/{waiting.pid}/root/proc") == []


def test_a_killed_one_costs_no_run(warm):
    kill(standby(warm).pid)
    time.sleep(0.2)
    assert not standbys(warm.pid), "what kills one may kill the next: none is made for nobody"
    for n in range(5):
        assert warm.execute(f"result = {{'n': {n}}}")["result"] == {"n": n}
    assert wait_until(lambda: standby(warm)), "one was of use: from then on one is kept again"


@pytest.fixture
def in_hand(warm):
    """A run that was given to a standby that is stopped, and so cannot take it up."""
    waiting = standby(warm)
    os.kill(waiting.pid, signal.SIGSTOP)
    answers = []
    call = threading.Thread(target=lambda: answers.append(warm.execute("print('once')\nresult = {'n': 1}")))
    call.start()
    assert wait_until(lambda: standby(warm, waiting.pid)), "handed over"

    def answer():
        call.join()
        return answers[0]

    return waiting.pid, answer


def test_one_killed_with_a_run_in_hand_costs_none(warm, in_hand):
    pid, answer = in_hand
    kill(pid)
    assert (answer()["status"], answer()["result"], answer()["stdout"]) == ("ok", {"n": 1}, "once\n")


def test_a_run_gets_another_one_once(warm, in_hand):
    """It may be the run that kills them."""
    first, answer = in_hand
    second = standby(warm, first).pid
    os.kill(second, signal.SIGSTOP)
    kill(first)
    assert wait_until(lambda: standby(warm, first, second)), "handed over again"
    kill(second)
    assert (answer()["status"], answer()["result"], answer()["stdout"]) == ("internal", None, "")
    assert warm.execute("result = {'n': 2}")["result"] == {"n": 2}


def test_it_outlives_the_zygote(warm):
    waiting = standby(warm)
    (zygote,) = zygotes(warm.pid)
    kill(zygote.pid)
    answers = []
    call = threading.Thread(target=lambda: answers.append(warm.execute(
        "import time\ntime.sleep(0.5)\nresult = {'slept': 1}")))
    call.start()
    assert wait_until(lambda: waiting.pid in [p.pid for p in sandboxes(warm.pid)])
    call.join()
    assert answers[0]["result"] == {"slept": 1}
    assert wait_until(lambda: zygotes(warm.pid) and zygotes(warm.pid)[0].pid != zygote.pid)
    assert warm.execute("result = {'n': 3}")["result"] == {"n": 3}


def test_a_request_has_its_own_limits(warm):
    """A standby is made before they are known."""
    waiting = standby(warm)
    answers = []
    call = threading.Thread(target=lambda: answers.append(warm.execute(
        "import time\ntime.sleep(1)",
        limits={"disk_bytes": 65536, "disk_files": 3, "open_files": 17, "memory_bytes": 64 << 20})))
    call.start()
    try:
        assert wait_until(lambda: sandboxes(warm.pid))
        limits = wait_until(lambda: "17 " in waiting.text("limits") and waiting.text("limits"))
        mounts = waiting.text("mountinfo")
    finally:
        call.join()
    assert answers[0]["status"] == "ok", answers
    assert re.search(r"Max open files +17 +17 ", limits) and re.search(r"Max file size +65536 ", limits)
    (work,) = [line for line in mounts.splitlines() if line.split()[4] == "/work"]
    assert "size=64k" in work and "nr_inodes=4" in work and "nosuid,nodev,noexec" in work


def test_runs_that_are_cancelled_leave_none_behind(warm):
    body = {"code": "import time\ntime.sleep(30 * %f)" % SLOW}
    for _ in range(2):
        calls = [Connection(warm.path) for _ in range(24)]
        for call in calls:
            call.request("POST", "/v1/execute", json.dumps(body))
        for call in calls:
            call.close()
    assert wait_until(lambda: not sandboxes(warm.pid) and len(standbys(warm.pid)) <= 1), standbys(warm.pid)
    assert warm.execute("result = {'n': 1}")["result"] == {"n": 1}
    assert wait_until(lambda: standby(warm)), "sent away is not lost: one is kept as before"


@needs_contained
def test_a_lost_ones_directory_goes_with_it(cordon, tmp_path, monkeypatch):
    """Where directories are on the host, named after processes whose numbers come again."""
    absent = [sys.executable, str(Path(__file__).with_name("absent.py")), "clone=EPERM:0x10000000",
              "unshare=EPERM:0x10000000", "--"]
    config = tmp_path / "cordon.yaml"
    config.write_text("profiles:\n  - name: strict\n    level: contained\n")
    with tempfile.TemporaryDirectory(prefix="places-", dir="/tmp") as places:
        Path(places).chmod(0o1777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", places)
        with Daemon(cordon, tmp_path / "s", "--config", config, wrap=lambda c: absent + c) as contained:
            for n in range(2):
                contained.execute(f"result = {{'n': {n}}}")
            found = lambda: [d for d in Path(places).glob("*/*") if d.is_dir()]
            # Not the one of a run that has just ended: it has gone when the one that waits has its own.
            named = lambda: [p for p in descendants(contained.pid) if [str(p.pid)] == [d.name for d in found()]]
            assert wait_until(lambda: len(named()) == 1), found()
            (waiting,) = named()
            kill(waiting.pid)
            assert wait_until(lambda: not found()), found()

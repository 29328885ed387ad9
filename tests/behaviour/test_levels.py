# SPDX-License-Identifier: Apache-2.0
"""
Floors: what runs where namespaces cannot be had, and what does not. That each thing a
machine may lack ends in a level or a refusal is test_doctor.py's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import SLOW, as_nobody, needs_contained, wait_until, why_not_nobody

ABSENT = [sys.executable, Path(__file__).with_name("absent.py")]
NO_NAMESPACES = ["clone=EPERM:0x10000000", "unshare=EPERM:0x10000000"]
CODE = b"result['n'] = sum(input_data['list'])"


@pytest.fixture
def run(cordon, tmp_path):
    """run(rules, *args): the envelope, as on a machine that lacks what the rules say."""

    def run(rules, *args, code=CODE):
        around = [*ABSENT, *rules, "--"] if rules else []
        done = subprocess.run(
            [*map(str, around), cordon.path, "run", "--json", *args, "-i", '{"list": [1, 2]}', "-"],
            input=code, capture_output=True, cwd=tmp_path, timeout=60 * SLOW, check=False)
        envelope = json.loads(done.stdout)
        assert (done.returncode == 6) == (envelope["status"] == "internal"), done
        return envelope

    return run


@pytest.fixture
def config(tmp_path):
    def config(text):
        file = tmp_path / "cordon.yaml"
        file.write_text(text)
        return ("--config", str(file))

    return config


def test_the_best_that_can_be_had(run):
    envelope = run([], "--level", "contained")
    assert (envelope["status"], envelope["level"], envelope["walls_down"]) == ("ok", "full", [])


def test_below_the_floor_nothing_runs(run):
    envelope = run(NO_NAMESPACES)
    assert envelope["status"] == "internal" and envelope["result"] is None
    assert "namespaces" in envelope["error"]["message"]
    assert "seccomp=unconfined" in envelope["error"]["message"] # what to do about it


def test_a_keeper_that_ends_before_its_plan_has_come_says_why(run):
    for args in [()] * 6 + [("--approved",)] * 6:
        envelope = run(["close_range=ENOSYS"], *args)
        assert "Linux 5.9 or later is needed" in envelope["error"]["message"], envelope


@needs_contained
def test_contained(run):
    envelope = run(NO_NAMESPACES, "--level", "contained")
    assert envelope["status"] == "ok" and envelope["result"] == {"n": 3}, envelope
    assert envelope["level"] == "contained"
    assert envelope["walls_down"] == ["namespaces", "root"]


@needs_contained
def test_a_profile_says_that_it_is_enough(run, config):
    args = config("profiles:\n  - name: less\n    level: contained\n  - name: lesser\n    from: less\n"
                  "  - name: again\n    from: less\n    level: full\n")
    for profile, level in (("less", "contained"), ("lesser", "contained"), ("again", None), ("strict", None)):
        envelope = run(NO_NAMESPACES, *args, "--profile", profile)
        if level:
            assert (envelope["status"], envelope["level"]) == ("ok", level), (profile, envelope)
        else:
            assert envelope["status"] == "internal", (profile, envelope)
    assert run([], *args, "--profile", "less")["level"] == "full"


def test_the_command_line_has_the_last_word(run, config):
    args = config("profiles:\n  - name: less\n    level: contained\n")
    assert run(NO_NAMESPACES, *args, "--profile", "less", "--level", "full")["status"] == "internal"


def test_contained_takes_landlock(run):
    for lack in ("ENOSYS", "ABI1", "ABI3"):
        envelope = run([*NO_NAMESPACES, f"landlock_create_ruleset={lack}"], "--level", "contained")
        assert envelope["status"] == "internal"
        assert "Landlock" in envelope["error"]["message"] and "namespaces" in envelope["error"]["message"]
    dropped = run([*NO_NAMESPACES, "landlock_create_ruleset=ENOSYS"], "--level", "contained",
                  "--drop-wall", "landlock")
    assert dropped["status"] == "ok" # whoever takes a wall down by its name has said so


def test_dropped_namespaces_take_landlock_too(run):
    envelope = run(["landlock_create_ruleset=ENOSYS"], "--drop-wall", "namespaces")
    assert envelope["status"] == "internal" and "Landlock" in envelope["error"]["message"]


@needs_contained
def test_the_gate_and_its_question_work_contained(run):
    envelope = run(NO_NAMESPACES, "--level", "contained", code=b"import os")
    assert envelope["status"] == "needs_approval" and envelope["level"] == "contained"


@needs_contained
def test_no_approved_run_of_roots_without_namespaces(run):
    if os.geteuid() != 0:
        pytest.skip("this needs root")
    envelope = run(NO_NAMESPACES, "--level", "contained", "--approved")
    assert envelope["status"] == "internal" and "approved" in envelope["error"]["message"]


@needs_contained
def test_no_limits_of_others_for_an_approved_run_without_namespaces(cordon, tmp_path):
    """They end processes: those of the caller, and the keeper that holds the deadline."""
    who = as_nobody if os.geteuid() == 0 else list
    if os.geteuid() == 0 and why_not_nobody(cordon.path):
        pytest.skip(why_not_nobody(cordon.path))
    with subprocess.Popen(who(["sleep", "60"]), cwd="/") as other:
        assert wait_until(lambda: Path(f"/proc/{other.pid}/comm").read_text() == "sleep\n")
        code = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
try:
    resource.prlimit({other.pid}, resource.RLIMIT_NOFILE, (10, 10))
except PermissionError:
    result['refused'] = True
"""
        before = Path(f"/proc/{other.pid}/limits").read_text()
        args = ["run", "--json", "--level", "contained", "--approved", "-"]
        done = subprocess.run([*map(str, ABSENT), *NO_NAMESPACES, "--", *who([cordon.path, *args])], cwd="/",
                              input=code.encode(), capture_output=True, timeout=60 * SLOW, check=False)
        after = Path(f"/proc/{other.pid}/limits").read_text()
        other.kill()
    assert json.loads(done.stdout)["result"] == {"refused": True}, done
    assert after == before


def test_show_config_says_it(cordon, config):
    args = config("profiles:\n  - name: less\n    level: contained\n")
    shown = cordon("run", "--show-config", *args, "--profile", "less")
    assert "level: contained" in shown.stdout
    assert "level: full" in cordon("run", "--show-config").stdout

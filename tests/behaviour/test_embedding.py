# SPDX-License-Identifier: Apache-2.0
"""
libcordon inside host programs that have habits of their own: threads, SIGCHLD ignored,
waitpid(-1), helpers that somebody kills. The hosts are C (hosts/), built here against the
public header and the shared library alone.
"""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from support import (
    HERE,
    ROOT,
    SLOW,
    adopt_orphans,
    build_host,
    descendants,
    helper_dir_of,
    keepers,
    kill,
    left_behind,
    library_of,
    needs_contained,
    sandboxes,
    wait_until,
    zygotes,
)


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


@pytest.fixture(scope="module")
def host(cordon, tmp_path_factory):
    """host(name, *args): runs hosts/NAME.c and gives its stdout; it must end with 0."""
    folder = tmp_path_factory.mktemp("hosts")
    built = {}

    def host(name, *args, around=()):
        if name not in built:
            built[name] = build_host(cordon, name, folder)
        done = subprocess.run(
            [*around, built[name], helper_dir_of(cordon), *args],
            capture_output=True,
            text=True,
            timeout=120 * SLOW,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-2000:]
        return done.stdout

    host.build = lambda name: built.setdefault(name, build_host(cordon, name, folder))
    return host


@pytest.mark.parametrize("habit", ["plain", "ignore", "own"])
def test_threads_execute_at_once_and_the_host_is_unaffected(host, habit):
    assert host("threads", habit) == "right\n"
    assert left_behind() == []


@pytest.mark.parametrize("level", ["full", pytest.param("contained", marks=needs_contained)])
def test_every_function_from_threads_at_once(host, level):
    lacks = ["clone=EPERM:0x10000000", "unshare=EPERM:0x10000000"] if level == "contained" else []
    around = [sys.executable, HERE / "absent.py", *lacks, "--"] if lacks else []
    assert host("crowd", "10", level, around=around) == "right\n"
    assert left_behind() == []


def test_who_waits_late_is_not_left_waiting(host):
    assert host("late") == "right\n"
    assert left_behind() == []


def test_the_life_cycle(host):
    assert host("life") == "right\n"
    assert left_behind() == []


def test_requests_that_are_wrong(host):
    assert host("refused") == "right\n"
    assert left_behind() == []


# ---- helpers that somebody kills ----------------------------------------------------------------


class Steps:
    """hosts/steps.c, a step at a time."""

    def __init__(self, program, helpers):
        self.process = subprocess.Popen(
            [program, helpers], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def line(self):
        return self.process.stdout.readline().strip()

    def expect(self, word):
        assert self.line() == word

    def go_on(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        self.expect("idle")
        self.go_on()
        self.expect("freed")
        assert left_behind({self.process.pid}) == []
        self.go_on()
        assert self.process.wait(timeout=30 * SLOW) == 0


@pytest.fixture
def steps(host, cordon):
    with Steps(host.build("steps"), helper_dir_of(cordon)) as steps:
        steps.expect("in flight")
        yield steps
    assert left_behind() == []


def test_a_callback_cancels_a_run_that_only_waits_to_be_told(host, cordon):
    with Steps(host.build("parked"), helper_dir_of(cordon)) as steps:
        steps.expect("stop the box")
        (keeper,) = keepers()
        os.kill(keeper.pid, signal.SIGSTOP)
        steps.go_on()
        steps.expect("kill the box")
        kill(keeper.pid)
        steps.go_on()
        steps.expect("right")
        assert steps.process.wait(timeout=30 * SLOW) == 0
    assert left_behind() == []


def test_a_killed_zygote_is_replaced_and_the_running_sandbox_is_unhurt(steps):
    (zygote,), (sandbox,), (keeper,) = zygotes(), sandboxes(), keepers()
    kill(zygote.pid)
    assert wait_until(lambda: zygotes() and zygotes()[0].pid != zygote.pid, 20)
    assert [s.pid for s in sandboxes()] == [sandbox.pid] and [k.pid for k in keepers()] == [keeper.pid]
    steps.go_on()
    envelopes = [json.loads(steps.line()) for _ in range(2)]
    results = [e["result"] for e in envelopes]
    assert {"slept": 1} in results and {"next": 1} in results, envelopes
    assert steps.line() == "20"
    steps.end()


def test_a_zygote_killed_right_before_a_fork_costs_no_run_silently(steps):
    """The next run either gets the new zygote or says what happened; it never hangs."""
    steps.go_on()
    kill(zygotes()[0].pid)
    envelopes = [json.loads(steps.line()) for _ in range(2)]
    assert all(e["status"] in ("ok", "internal") for e in envelopes), envelopes
    assert any(e["result"] == {"slept": 1} for e in envelopes), envelopes
    assert int(steps.line()) >= 19
    steps.end()


def test_a_killed_keeper_fails_its_runs_as_internal_and_the_next_run_works(steps):
    (keeper,) = keepers()
    kill(keeper.pid)
    assert wait_until(lambda: not sandboxes(), 10), "the keeper's death takes its box with it"
    steps.go_on()
    envelopes = [json.loads(steps.line()) for _ in range(2)]
    lost = [e for e in envelopes if e["status"] == "internal"]
    assert len(lost) == 1, envelopes
    assert lost[0]["error"]["kind"] == "internal" and lost[0]["stdout"] == "started\n"
    assert "keeper" in lost[0]["error"]["message"] or "helper" in lost[0]["error"]["message"]
    assert [e["result"] for e in envelopes if e["status"] == "ok"] == [{"next": 1}]
    assert steps.line() == "20"
    steps.end()


def test_a_sandbox_killed_from_outside_is_a_crash_of_that_run_alone(steps):
    kill(sandboxes()[0].pid)
    steps.go_on()
    envelopes = [json.loads(steps.line()) for _ in range(2)]
    crashed = [e for e in envelopes if e["status"] == "crashed"]
    assert len(crashed) == 1 and "SIGKILL" in crashed[0]["error"]["message"], envelopes
    assert [e["result"] for e in envelopes if e["status"] == "ok"] == [{"next": 1}]
    assert steps.line() == "20"
    steps.end()


def test_a_killed_host_takes_everything_with_it(host, cordon):
    with Steps(host.build("steps"), helper_dir_of(cordon)) as steps:
        steps.expect("in flight")
        assert keepers() and zygotes() and sandboxes()
        kill(steps.process.pid)
        steps.process.wait()
        assert left_behind(seconds=5) == []


def test_helpers_are_nobodys_visible_child(steps):
    """From the host program's point of view: it has no child at all."""
    below = descendants(steps.process.pid)
    assert below == [], below
    assert keepers()[0].parent == os.getpid()  # adopted: an orphan of the host's
    steps.go_on()


# ---- the header and the library as they are shipped -------------------------------------------------


@pytest.mark.parametrize(
    "compiler, flags, suffix",
    [
        ("cc", ["-std=c99", "-pedantic", "-Wall", "-Wextra"], "c"),
        ("cc", ["-std=c17", "-pedantic", "-Wall", "-Wextra", "-Wundef"], "c"),
        ("c++", ["-std=c++11", "-pedantic", "-Wall", "-Wextra"], "cpp"),
    ],
)
def test_the_header_stands_alone_in_strict_c_and_cpp(tmp_path, compiler, flags, suffix):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    source = tmp_path / f"use.{suffix}"
    source.write_text("#include <cordon.h>\n#include <cordon.h>\nint main(void) { return cordon_version() == 0; }\n")
    done = subprocess.run(
        [compiler, *flags, "-Werror", f"-I{ROOT / 'include'}", "-fsyntax-only", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_library_exports_the_header_and_nothing_else(cordon):
    """Every cordon_ function that the header marks, and not one symbol more."""
    header = (ROOT / "include" / "cordon.h").read_text()
    declared = set()
    for chunk in header.split("CORDON_API ")[1:]:
        name = chunk.split("(")[0].split()[-1].lstrip("*")
        if name.startswith("cordon_"):
            declared.add(name)
    table = subprocess.run(
        ["nm", "-D", "--defined-only", library_of(cordon)], capture_output=True, text=True, check=True
    ).stdout
    exported = {line.split()[-1].split("@")[0] for line in table.splitlines()}
    exported = {name for name in exported if not name.startswith(("CORDON_", "__asan", "__ubsan", "__odr"))}
    assert len(declared) >= 20
    assert exported == declared

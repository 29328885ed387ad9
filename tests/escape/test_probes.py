# SPDX-License-Identifier: Apache-2.0
"""
One attack per file in attacks/, each against the kernel walls and the supervisor alone
(the interpreter wall is down), and once more without the call filter and Landlock above
the namespaces. The table says how each must end. An attack that sets result["achieved"]
got what it went for; one that is stopped for the very call it tried did not.

As root everything happens in a guard of its own namespaces (guard.py); as an ordinary
user the same attacks run without one.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ATTACKS = {p.stem: p for p in sorted((HERE / "attacks").glob("*.py"))}
SANITIZED = os.environ.get("CORDON_SANITIZED") == "1"
SLOW = float(os.environ.get("CORDON_TEST_SLOWNESS", "1"))

OK = {"ok"}
DEAD = {"crashed", "error"}

# attack: (statuses it may end in, seconds it may take)
EXPECTED = {
    "read_host_file": (OK, 4),
    "read_environ_of_others": (OK, 4),
    "list_host": (OK, 4),
    "inherited_descriptors": (OK, 4),
    "write_host": (OK, 4),
    "device_nodes": (OK, 4),
    "fill_disk": (OK, 4),
    "flood_inodes": (OK, 4),
    "fork_many": (OK, 4),
    "daemon_outlives": (OK, 4),
    "daemon_holds_output": (OK, 4),
    "outlive_deadline": ({"timeout", "limit"}, 7),
    "signal_host": (OK, 4),
    "debug_host": (OK, 4),
    "gain_privileges": (OK, 4),
    "run_written_program": (OK, 4),
    "change_mounts": (OK, 4),
    "own_namespace": (OK, 4),
    "join_namespaces": (OK, 4),
    "network": (OK, 4),
    "host_ipc": (OK, 4),
    "host_identity": (OK, 4),
    "allocate": ({"limit"}, 4),
    "open_descriptors": (OK, 4),
    "lift_limits": (OK, 4),
    "endless_stdout": ({"ok", "timeout"}, 7),
    "forge_and_leave": (DEAD, 4),
    "deep_json_everywhere": (DEAD, 7),
    "crash": ({"crashed"}, 4),
    "bad_bytecode": (OK | DEAD, 4),
    "frames_and_gc": (OK, 4),
    "posixsubprocess": (OK, 4),
    "leftovers": (OK, 4),
    "kernel_keys": (OK, 4),
    "stop_everything": (OK | DEAD | {"timeout"}, 7),
}


def guarded():
    """The prefix that makes the guard's namespaces, or nothing."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return []
    flags = ["--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net", "--ipc", "--uts"]
    test = subprocess.run(["unshare", *flags, "true"], check=False, capture_output=True)
    return ["unshare", *flags] if test.returncode == 0 else []


@pytest.fixture(scope="module", params=["interpreter", "interpreter,seccomp,landlock"])
def report(request, cordon):
    guard = [sys.executable, str(HERE / "guard.py"), cordon.path, request.param]
    done = subprocess.run(
        [*guarded(), *guard, *map(str, ATTACKS.values())],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300 * SLOW,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4000:]
    return json.loads(done.stdout)


def no_constant(name):
    raise AssertionError(f"not JSON: {name}")


def test_every_attack_has_its_expected_end():
    assert set(ATTACKS) == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_attack(report, name):
    if SANITIZED and name == "allocate":
        pytest.skip("a sanitizer build has no limit on address space")
    got = report[name]
    statuses, seconds = EXPECTED[name]
    assert got["stdout"].count("\n") == 1, got["stderr"]
    envelope = json.loads(got["stdout"], parse_constant=no_constant)
    stopped = envelope["status"] == "crashed" and "call filter" in envelope["error"]["message"]
    assert stopped or envelope["status"] in statuses, (envelope["status"], envelope["error"])
    if envelope["status"] == "ok":
        assert "achieved" not in envelope["result"], envelope["result"]
    else:
        assert envelope["result"] is None
    assert "forged_field" not in envelope
    assert got["survivors"] == []
    assert got["traces"] == []
    assert got["canary_alive"]
    assert got["took"] < seconds * SLOW
    assert len(envelope["stdout"]) + len(envelope["stderr"]) <= 3 << 20

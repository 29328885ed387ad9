# SPDX-License-Identifier: Apache-2.0
"""What no sandbox inherits of a host program that comes before others."""

import shutil
import subprocess

import pytest

LOOK = """
import ctypes, os
result["policy"] = os.sched_getscheduler(0)
result["nice"] = os.getpriority(os.PRIO_PROCESS, 0)
result["spared"] = int(open("/proc/self/oom_score_adj").read())
result["io"] = ctypes.CDLL(None).syscall({"x86_64": 252}.get(os.uname().machine, 31), 1, 0) >> 13
result["personality"] = ctypes.CDLL(None).personality(0xffffffff)
"""


@pytest.mark.parametrize("before", [
    ["chrt", "-f", "5"], ["chrt", "-r", "5"], ["nice", "-n", "-7"], ["choom", "-n", "-500", "--"],
    ["setarch", "-X", "--"], ["ionice", "-c", "1"],
], ids=lambda command: command[0] + command[1])
def test_a_host_program_that_comes_before_others_has_sandboxes_that_do_not(cordon, before):
    if not shutil.which(before[0]):
        pytest.skip(f"there is no {before[0]} here")
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{' '.join(before)} is not allowed to this user")
    command = [*before, cordon.path, "run", "--json"]
    strict = subprocess.run([*command, "-"], input=b"n = sum(range(3000000))\nresult = {'n': n}",
                            capture_output=True, check=False)
    assert strict.returncode == 0 and b'"status": "ok"' in strict.stdout, strict
    approved = subprocess.run([*command, "--approved", "-"], input=LOOK.encode(),
                              capture_output=True, check=False)
    assert approved.returncode == 0, approved
    for part in (b'"policy":0', b'"nice":0', b'"io":0', b'"spared":0', b'"personality":0'):
        assert part in approved.stdout.replace(b": ", b":"), approved

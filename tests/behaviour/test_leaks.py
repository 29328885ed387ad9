# SPDX-License-Identifier: Apache-2.0
"""
Many runs, some of them killed midway with SIGKILL, leave no process, mount, descriptor
or temporary file.

CORDON_LEAK_RUNS says how many (60 unless set). The release check is 1000, of which the
twentieth part is killed: CORDON_LEAK_RUNS=1000 pytest tests/behaviour/test_leaks.py
"""

import concurrent.futures
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support import KERNEL, SLOW, adopt_orphans, descendants, left_behind, reap, wait_until

RUNS = int(os.environ.get("CORDON_LEAK_RUNS", "60"))
KILLED = max(3, RUNS // 20)

# What runs do, in turn: each end there is, and what would outlive it if it could.
CODES = [
    "result['a'] = 1",
    "print('x' * 2_000_000)",
    "1/0",
    "raise SystemExit(3)",
    "result['x'] = 'a' * (17 << 20)",
    "import os\nos.mkdir('d')\nfor i in range(100):\n    os.close(os.open('d/%d' % i, os.O_CREAT | os.O_WRONLY))\nos.chmod('d', 0)",
    "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)",
    "import ctypes\nctypes.string_at(0)",
    "import os\nos._exit(0)",
    "import os\nfd = os.open('big', os.O_CREAT | os.O_RDWR)\nwhile True: os.write(fd, bytes(1 << 20))",
    "import os\nos.memfd_create('m')\nx = bytearray(1 << 30)",
    "import ctypes\nl = ctypes.CDLL(None)\nl.shmget(77, 4096, 0o1666)\nl.mq_open(b'/m', 0o102, 0o666, None)",
]


# What is under way when cordon is killed.
LONG = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
os.close(os.open("f%d" % os.getpid(), os.O_CREAT | os.O_WRONLY))
x = bytearray(10 << 20)
print("y" * 100_000, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


class Host:
    """What a leak would show in. `private`: the temporary directory cordon is told of."""

    SHARED = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue", "/"]

    def __init__(self, private):
        self.private = private
        self.mounts = Path("/proc/self/mountinfo").read_text()
        self.fds = sorted(os.listdir("/proc/self/fd"))
        self.shared = self.names()
        self.ipc = self.objects()

    def names(self):
        """Names in shared places that could be ours: others use those places too."""
        found = set()
        for place in self.SHARED:
            if os.path.isdir(place):
                for name in os.listdir(place):
                    if any(w in name.lower() for w in ("cordon", "keeper", "newroot", "oldroot")):
                        found.add(os.path.join(place, name))
        return found

    def objects(self):
        """System V shared memory, by key."""
        lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        return {line.split()[0] for line in lines}

    def check(self, processes_before):
        assert left_behind(processes_before, seconds=3) == []
        now = Host(self.private)
        assert now.mounts == self.mounts
        assert now.fds == self.fds
        # Other tests run beside this one: their names go away, a leaked one stays.
        new = now.shared - self.shared
        wait_until(lambda: not new & now.names(), 20)
        assert new & now.names() == set()
        assert now.ipc - self.ipc == set()
        assert os.listdir(self.private) == []


def one_run(cordon, number, env, cwd, killed):
    """Its exit code, and what it says of its end."""
    code = LONG if killed else CODES[number % len(CODES)]
    with tempfile.TemporaryFile() as said, subprocess.Popen(
        [cordon.path, "run", "--json", *KERNEL, "--timeout", "2", "-"],
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=subprocess.DEVNULL,
        env=env,
        cwd=cwd,
    ) as process:
        try:
            process.stdin.write(code.encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        if killed:
            time.sleep(random.Random(number).uniform(0.0, 0.4))
            process.kill()
        process.wait(timeout=60 * SLOW)
        said.seek(0)
        answer = json.loads(said.read() or "{}")
    return process.returncode, (answer.get("error") or {}).get("message", "")


def is_expected(code, why):
    """On a machine as slow as that some may not even start in time: nothing may be left of those, too."""
    return code in (-9, 0, 1, 4, 5) or (SLOW > 1 and "the machine may be overloaded" in why)


def test_many_runs_some_killed_midway_leave_nothing(cordon, tmp_path):
    private, cwd = tmp_path / "tmp", tmp_path / "cwd"
    private.mkdir()
    cwd.mkdir()
    env = {**os.environ, "TMPDIR": str(private), "TMP": str(private), "XDG_RUNTIME_DIR": str(private)}
    before = {p.pid for p in descendants()}
    host = Host(private)
    step = RUNS // KILLED
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda i: one_run(cordon, i, env, cwd, i % step == 0), range(RUNS)))
    assert sum(code == -9 for code, _ in ends) >= KILLED
    assert [end for end in ends if not is_expected(*end)] == []
    host.check(before)
    assert os.listdir(cwd) == []


def test_a_run_killed_at_every_stage_leaves_nothing(cordon, tmp_path):
    """From before the keeper exists until the run is long under way."""
    host = Host(tmp_path)
    before = {p.pid for p in descendants()}
    for milliseconds in (0, 1, 2, 4, 7, 10, 15, 20, 30, 45, 70, 100, 150, 250):
        with cordon.popen("run", *KERNEL, "-", stdin=subprocess.PIPE) as process:
            process.stdin.write(b"import os, time\nos.fork()\ntime.sleep(60)")
            process.stdin.close()
            time.sleep(milliseconds / 1000)
            process.kill()
        reap()
    host.check(before)

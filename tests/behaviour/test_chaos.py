# SPDX-License-Identifier: Apache-2.0
"""
Each part of a running engine is killed at random instants, with 16 executions in flight:
the engine's own process (SIGKILL, and an exit in the middle of it all), keepers and their
starters, zygotes, inits, sandboxes, interpreters, and children of user code. Afterwards
nothing has grown, processes, mounts, control groups, descriptors, temporary files; and
whoever's engine lived has got an answer to everything.

CORDON_CHAOS_KILLS says how many (500, and 100 in a sanitizer build, unless set),
CORDON_CHAOS_SEED which.
"""

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from support import (
    SANITIZED, SLOW, adopt_orphans, build_host, helper_dir_of, left_behind, reap,
    wait_until,
)

KILLS = int(os.environ.get("CORDON_CHAOS_KILLS", "100" if SANITIZED else "500"))
SEED = int(os.environ.get("CORDON_CHAOS_SEED", "0")) or random.randrange(1 << 32)
WIDTH = 16

# How often each part is the one that is killed, of a hundred times.
WEIGHTS = {
    "sandbox": 40, "zygote": 7, "keeper": 6, "starter": 5, "init": 12, "interpreter": 12, "child": 12,
    "engine": 2, "exit": 2, "copied engine": 2,
}
ENGINE = ("engine", "exit", "copied engine")


class Part:
    """One process below us, as one small file shows it."""

    def __init__(self, pid):
        self.pid = pid
        text = Path(f"/proc/{pid}/stat").read_text()
        rest = text[text.rindex(")") + 2 :].split()
        self.name = text[text.index("(") + 1 : text.rindex(")")]
        self.state, self.parent = rest[0], int(rest[1])

    def depth(self):
        try:
            for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if line.startswith("NSpid:"):
                    return len(line.split()) - 1
        except OSError:
            pass
        return 0


def parts_of(mine):
    """Everything below us, in lists by what it is. mine: pids of hosts and their copies."""
    every = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                every[int(name)] = Part(int(name))
            except (OSError, ValueError):
                pass
    found = {kind: [] for kind in WEIGHTS}
    for part in every.values():
        if part.state not in "ZX" and part.pid not in mine and below(every, part):
            found.setdefault(kind_of(every, part), []).append(part.pid)
    return found


def kind_of(every, part):
    above = every[part.parent]
    ours = every[os.getpid()].depth()
    if part.name == "cordon-keeper":
        if part.depth() == ours: # the leak checker's helper is no part of ours
            return "starter" if above.name != "cordon-keeper" else "helper"
        return "keeper" if above.depth() == ours else "init"
    if above.name != "cordon-keeper":
        return "child"
    if part.depth() > above.depth():
        return "sandbox"
    return "interpreter" if every[above.parent].name == "cordon-keeper" else "zygote"


def below(every, part):
    """Whether it is ours, and not this very process."""
    for _ in range(12):
        part = every.get(part.parent)
        if part is None or part.pid == os.getpid():
            return part is not None
    return False


class Host:
    """The host program (hosts/chaos.c), one after the other."""

    def __init__(self, program, helpers, env, cwd):
        self.start_args = ([program, helpers, str(WIDTH)], env, cwd)
        self.copies = []
        self.start()

    def start(self):
        command, env, cwd = self.start_args
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=env, cwd=cwd,
        )

    def order(self, letter):
        self.process.stdin.write(letter)
        self.process.stdin.flush()

    def copy(self):
        """A copy of it that executes nothing, and so holds all that it holds."""
        self.order(b"f")
        self.copies.append(int(self.process.stdout.readline()))

    def gone(self, status):
        with self.process:
            self.process.stdin.close()
            assert self.process.wait(timeout=20 * SLOW) == status, self.process.stderr.read()

    def end(self, how):
        if how == "exit":
            self.order(b"x")
            self.gone(0)
        else:
            if how == "copied engine":
                self.copy()
            self.process.kill()
            self.gone(-9)
        self.check_gone()
        self.start()

    def check_gone(self):
        """All that it had is gone, while a copy of it still lives."""
        left = left_behind(self.copies, seconds=3)
        assert left == [], (left, SEED)
        self.kill_copies()
        reap()

    def kill_copies(self):
        for pid in self.copies:
            os.kill(pid, 9)
        self.copies = []

    def finish(self):
        """It ends in peace: everything has been answered, and nothing is left open."""
        out, err = self.process.communicate(timeout=60 * SLOW)
        assert self.process.returncode == 0, (err, SEED)
        submitted, answered, before, after, *statuses = out.decode().split()
        assert submitted == answered and int(answered) >= WIDTH, (out, SEED)
        assert before == after, SEED
        self.check_gone()
        return int(answered)


class Traces:
    """What a leak would show in."""

    def __init__(self, private):
        self.mounts = Path("/proc/self/mountinfo").read_text()
        self.fds = sorted(os.listdir("/proc/self/fd"))
        self.files = sorted(os.listdir(private))
        self.groups = {
            str(path) for kind in Path("/sys/fs/cgroup").glob("*") for path in kind.glob("cordon*")
        }
        self.ipc = len(Path("/proc/sysvipc/shm").read_text().splitlines())


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


def order_of_kinds(chance):
    """What to kill, one after the other, without end: each kind once, and then as it falls."""
    yield from chance.sample(list(WEIGHTS), len(WEIGHTS))
    while True:
        yield chance.choices(list(WEIGHTS), WEIGHTS.values())[0]


def kill_one(host, chance, kind):
    """Kills a part of what runs. Whether there was one of that kind."""
    time.sleep(chance.uniform(0, 0.02))
    if kind in ENGINE:
        host.end(kind)
        return True
    there = wait_until(lambda: parts_of({host.process.pid, *host.copies})[kind], 0.3)
    try:
        os.kill(chance.choice(there), 9)
    except (IndexError, ProcessLookupError):
        return False
    return True


def test_nothing_is_left_whatever_is_killed(cordon, tmp_path):
    private = tmp_path / "private"
    private.mkdir()
    env = {**os.environ, "TMPDIR": str(private), "XDG_RUNTIME_DIR": str(private)}
    program = build_host(cordon, "chaos", tmp_path)
    before = Traces(private)
    host = Host(program, helper_dir_of(cordon), env, tmp_path)
    try:
        kill_and_look(host, before, private)
    finally:
        host.process.kill()
        host.kill_copies()


def kill_and_look(host, before, private):
    chance = random.Random(SEED)
    killed = dict.fromkeys(WEIGHTS, 0)
    print("seed", SEED)
    answers = 0
    for kind in order_of_kinds(chance):
        if sum(killed.values()) == KILLS:
            break
        if not kill_one(host, chance, kind):
            continue
        killed[kind] += 1
        if sum(killed.values()) % 10 == 0:
            reap(keep={host.process.pid})
        if sum(killed.values()) % 125 == 0:
            answers += host.finish()
            host.start()
        assert host.process.poll() is None, (host.process.communicate(), killed, SEED)
    answers += host.finish()
    print(killed, answers)
    after = Traces(private)
    assert vars(after) == vars(before), SEED
    assert KILLS < 100 or all(killed[kind] for kind in ("sandbox", *ENGINE)), killed

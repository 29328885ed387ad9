# SPDX-License-Identifier: Apache-2.0
"""
What several behaviour tests need and none should write twice: looking at processes from
outside, running as an ordinary user, building a C host program against the library.
"""

import ctypes
import functools
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# The kernel walls alone: what lies behind them must hold against any Python.
KERNEL = ("--no-gate", "--drop-wall", "interpreter")

# Of those, namespaces, root, privileges and limits without the filters above them.
NAMESPACES = (*KERNEL, "--drop-wall", "seccomp", "--drop-wall", "landlock")

# Namespaces, root and limits alone: what they hold must not hang on the call filter.
BOX = (*KERNEL, "--drop-wall", "seccomp", "--drop-wall", "landlock")

# Time bounds here are promises times this: shared and sanitized machines are slow.
SLOW = float(os.environ.get("CORDON_TEST_SLOWNESS", "1"))

# In a sanitizer build the sandbox's address space has no limit (ASan could not start
# under one), and its runtime is named in the environment.
SANITIZED = os.environ.get("CORDON_SANITIZED") == "1"
SANITIZER_NAMES = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_PRELOAD"} if SANITIZED else set()

# With ThreadSanitizer only host programs, the library and the daemon are built.
THREADED = "TSAN_OPTIONS" in os.environ

# An unprivileged user and group for the tests that run as one.
NOBODY = 65534

PR_SET_CHILD_SUBREAPER = 36


def landlock_version():
    """The kernel's, whatever a filter says of it; 0 or less: it has none."""
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)


# Debian 12's kernel, for one, has version 2.
HAS_CONTAINED = landlock_version() >= 4
needs_contained = pytest.mark.skipif(
    not HAS_CONTAINED, reason="without namespaces, or a root of their own, runs take Landlock's version 4 (Linux 6.7)")


@pytest.fixture(scope="session")
def without_gate(run):
    """
    run() for tests of what code does once it runs, whatever the gate would say of it:
    `run = without_gate` makes it a module's own.
    """

    def ungated(code, input=None, *args, **kwargs):
        return run(code, input, "--no-gate", *args, **kwargs)

    return ungated


def ok(envelope):
    """What the code left in `result`; it must have come to its end."""
    assert envelope["status"] == "ok", envelope
    return envelope["result"]


# ---- processes -----------------------------------------------------------------


def adopt_orphans():
    """
    From now on every process that a child of ours leaves behind becomes our child: what
    this test started, and nothing else on the machine, is found below our own pid.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


class Process:
    """One process as /proc shows it."""

    def __init__(self, pid):
        self.pid = pid
        stat = Path(f"/proc/{pid}/stat").read_text()
        rest = stat[stat.rindex(")") + 2 :].split()
        self.name = stat[stat.index("(") + 1 : stat.rindex(")")]
        self.state = rest[0]
        self.parent = int(rest[1])

    def text(self, file):
        """A file of its /proc directory, or "" when it is gone."""
        try:
            return Path(f"/proc/{self.pid}/{file}").read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""

    @property
    def command(self):
        return self.text("cmdline").replace("\0", " ").strip()

    def status(self, field):
        """A line of /proc/PID/status, without its name."""
        for line in self.text("status").splitlines():
            if line.startswith(field + ":"):
                return line.split(":", 1)[1].split()
        return []

    @property
    def depth(self):
        """How many process namespaces it lies in."""
        return len(self.status("NSpid"))

    def __repr__(self):
        return f"<{self.pid} {self.name} {self.state} of {self.parent}: {self.command[:80]}>"


def processes():
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found[int(name)] = Process(int(name))
            except OSError:
                pass
    return found


def descendants(of=None, zombies=False):
    """Everything below a process (default: this one), ourselves excluded."""
    every = processes()
    below = {of or os.getpid()}
    grown = True
    while grown:
        more = {p.pid for p in every.values() if p.parent in below} - below
        below |= more
        grown = bool(more)
    below.discard(of or os.getpid())
    return [every[pid] for pid in sorted(below) if zombies or every[pid].state not in "ZX"]


def reap(keep=()):
    """Collects adopted children that have died. `keep`: pids that somebody waits for."""
    for child in descendants(zombies=True):
        if child.parent == os.getpid() and child.state == "Z" and child.pid not in keep:
            try:
                os.waitpid(child.pid, os.WNOHANG)
            except ChildProcessError:
                pass


def wait_until(condition, seconds=10.0, every=0.01):
    """The first true value of condition(), or the last false one when time is up."""
    end = time.monotonic() + seconds * SLOW
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


def left_behind(before=(), seconds=2.0):
    """What still runs below us and is not in `before`, given a moment to go."""

    def gone():
        reap()
        return not [p for p in descendants() if p.pid not in before]

    wait_until(gone, seconds)
    return [p for p in descendants() if p.pid not in before]


def keepers(of=None):
    """The first processes of boxes. (For a moment there are others of that name.)"""
    return [
        p for p in descendants(of) if p.command == "cordon-keeper" and p.status("NSpid")[-1:] == ["1"]
    ]


def zygotes(of=None):
    """Children of a keeper in the keeper's own process namespace, once they are Python."""
    heads = {p.pid: p.depth for p in keepers(of)}
    return [
        p
        for p in descendants(of)
        if heads.get(p.parent) == p.depth and "_cordon_worker" in p.command
    ]


def walled(of=None):
    """Children of a keeper with a process namespace of their own."""
    heads = {p.pid: p.depth for p in keepers(of)}
    return [p for p in descendants(of) if p.parent in heads and p.depth > heads[p.parent]]


def sandboxes(of=None):
    """Those that have a request."""
    return [p for p in walled(of) if p.name != "cordon-standby"]


def standbys(of=None):
    """Those that wait for one."""
    return [p for p in walled(of) if p.name == "cordon-standby"]


# ---- callers -------------------------------------------------------------------


def as_nobody(command):
    """The command line that runs `command` as an ordinary user. Only for root."""
    ids = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return ["setpriv", *ids, "--inh-caps=-all", "env", "HOME=/nonexistent", *command]


def why_not_nobody(path):
    """Why `path` cannot be run as an ordinary user, or None."""
    if os.geteuid() != 0:
        return "only root can become another user"
    if not shutil.which("setpriv"):
        return "there is no setpriv here"
    test = subprocess.run(as_nobody(["test", "-x", str(path)]), check=False)
    return None if test.returncode == 0 else f"an ordinary user may not reach {path}"


# ---- C host programs -----------------------------------------------------------


def library_of(cordon):
    """The libcordon.so that lies beside the binary under test."""
    folder = Path(cordon.path).parent
    for found in (folder / "libcordon.so", *sorted(folder.rglob("libcordon.so"))):
        if found.exists():
            return found
    raise AssertionError(f"no libcordon.so beside {cordon.path}")


def helper_dir_of(cordon):
    """The directory that holds cordon-keeper and the worker."""
    folder = Path(cordon.path).parent
    for found in (folder / "cordon-keeper", *sorted(folder.rglob("cordon-keeper"))):
        if found.is_file():
            return found.parent
    raise AssertionError(f"no cordon-keeper beside {cordon.path}")


@functools.lru_cache(maxsize=None)
def sanitizer_flags(library):
    """A host of a sanitized library must carry the sanitizers' runtime itself."""
    symbols = subprocess.run(
        ["nm", "-D", "--undefined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout
    if "__tsan_init" in symbols:
        return ("-fsanitize=thread", "-fno-builtin")
    return ("-fsanitize=address,undefined",) if "__asan_init" in symbols else ()


def build_host(cordon, name, folder):
    """Compiles hosts/NAME.c into `folder` and returns the program."""
    library = library_of(cordon)
    program = Path(folder) / name
    compiler = os.environ.get("CC", "cc").split()
    command = [
        *compiler,
        *("-std=gnu17", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"),
        *sanitizer_flags(library),
        f"-I{ROOT / 'include'}",
        f"-I{HERE / 'hosts'}",
        str(HERE / "hosts" / f"{name}.c"),
        str(library),
        f"-Wl,-rpath,{library.parent}",
        *("-o", str(program)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


class Many:
    """
    hosts/many.c: one engine, many executions, `width` of them in flight at once.

        many(["result = {'n': 1}", ...]) -> [envelope, ...] in the order given
    """

    def __init__(self, cordon, folder):
        self.program = build_host(cordon, "many", folder)
        self.helpers = helper_dir_of(cordon)

    def __call__(self, codes, width=8, timeout_ms=20000, drop="gate", python=None, patience=120,
                 profile=(), pass_fds=()):
        """
        drop: "none", "gate", "interpreter" (as KERNEL), "box" (as NAMESPACES) or "bare" (no
        namespaces, and nothing that keeps code from forking), or "walls:BITS" (CORDON_WALL_*).
        profile: the configuration file and the profile's name.
        """
        data = b"".join(
            b"%d\n%s" % (len(code), code)
            for code in (c.encode() if isinstance(c, str) else c for c in codes)
        )
        done = subprocess.run(
            [self.program, self.helpers, str(width), str(int(timeout_ms)), drop, python or "-", *map(str, profile)],
            input=data,
            capture_output=True,
            timeout=patience * SLOW,
            check=False,
            pass_fds=pass_fds,
        )
        assert done.returncode == 0, done
        answers = dict(line.split(b" ", 1) for line in done.stdout.splitlines())
        assert len(answers) == len(codes), done.stderr
        return [json.loads(answers[b"%d" % i]) for i in range(len(codes))]


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def approved_command(cordon, caller, *args):
    command = [cordon.path, "run", "--json", "--approved", *map(str, args), "-"]
    if caller == "self":
        return command
    nobody = str(NOBODY)
    return ["setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups", "--inh-caps=-all",
            *command]

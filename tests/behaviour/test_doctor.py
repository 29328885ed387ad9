# SPDX-License-Identifier: Apache-2.0
"""
`cordon doctor`: what it says of this machine, and of machines that lack something. Each
lack is made for real, around the process: never told to the doctor. Whatever it says has
to be what `cordon run` then does there.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import (
    HAS_CONTAINED, SLOW, as_nobody, helper_dir_of, landlock_version, left_behind, library_of,
    why_not_nobody,
)

HERE = Path(__file__).resolve().parent
SANITIZED = os.environ.get("CORDON_SANITIZED") == "1"
EXITS = {"full": 0, "degraded": 1, "contained": 1, "none": 6}
STATUSES = {"ok", "info", "skipped", "degraded", "failed"}


class Doctor:
    """What it said: exit code, and `rows`, a dict of probes by name."""

    def __init__(self, done):
        assert done.stderr == b"" and done.stdout.count(b"\n") == 1, done
        self.said = json.loads(done.stdout)
        self.code = done.returncode
        self.level = self.said["level"]
        self.rows = {row["name"]: row for row in self.said["probes"]}

    def those(self, status):
        return {name for name, row in self.rows.items() if row["status"] == status}

    def check(self):
        """What holds of every answer."""
        assert set(self.said) == {"level", "walls_down", "probes"}
        assert self.code == EXITS[self.level]
        assert len(self.rows) == len(self.said["probes"])
        for row in self.rows.values():
            assert set(row) == {"name", "status", "proves", "detail", "remedy"}, row
            assert row["status"] in STATUSES and row["detail"] and row["proves"], row
            if row["status"] in ("degraded", "failed"):
                assert row["remedy"], row
        assert bool(self.those("failed")) == (self.level == "none")
        assert bool(self.those("degraded")) == bool(self.said["walls_down"])
        assert (self.level == "contained") == ("namespaces" in self.said["walls_down"])
        return self


@pytest.fixture(params=["root", "user"])
def who(request, cordon):
    """[] or what makes a command line an ordinary user's."""
    if request.param == "root":
        if os.geteuid() != 0:
            pytest.skip("this needs root")
        return lambda command: command
    if os.geteuid() != 0:
        return lambda command: command
    why = why_not_nobody(cordon.path)
    if why:
        pytest.skip(why)
    return as_nobody


@pytest.fixture
def call(cordon, tmp_path):
    """call(["sh", "-c", …]): the finished process; no configuration file is in reach."""
    env = {**os.environ, "HOME": str(tmp_path), "CORDON_BIN": cordon.path}
    env.pop("XDG_CONFIG_HOME", None)

    def call(command, stdin=b""):
        return subprocess.run([str(word) for word in command], input=stdin, capture_output=True,
                              env=env, cwd="/", timeout=120 * SLOW, check=False)

    return call


def agrees_with_run(doctor, floor, done):
    """Whether `cordon run --json --level FLOOR` did what the doctor said it would."""
    envelope = json.loads(done.stdout)
    enough = doctor.level != "none" and (doctor.level != "contained" or floor == "contained")
    if not enough:
        return (done.returncode == 6 and envelope["status"] == "internal"
                and envelope["result"] is None and envelope["error"]["message"])
    level = "contained" if doctor.level == "contained" else "full"
    return (done.returncode == 0 and envelope["walls_down"] == doctor.said["walls_down"]
            and envelope["level"] == level and envelope["result"] == {"n": 1})


def examine(call, cordon, around, path=None):
    """The doctor's word within `around` (a function of a command line), checked by runs."""
    path = path or cordon.path
    doctor = Doctor(call(around([path, "doctor", "--json"]))).check()
    for floor in ("full", "contained"):
        done = call(around([path, "run", "--json", "--level", floor, "-"]), b"result['n'] = 1")
        assert agrees_with_run(doctor, floor, done), (doctor.said, floor, done)
    return doctor


# ---- this machine ------------------------------------------------------------------


def test_this_machine(call, cordon, who):
    doctor = examine(call, cordon, who)
    assert doctor.level in ("full", "degraded"), doctor.said
    assert doctor.rows["run"]["status"] == "ok"
    assert doctor.rows["cgroups"]["status"] in ("ok", "info")
    if doctor.level == "full": # what is left to do is then about approved runs
        assert {r["name"] for r in doctor.rows.values() if r["remedy"]} <= {
            "box-proc", "hidden-memory", "approved-run", "cgroups"}


def test_for_a_person(call, cordon, who):
    done = call(who([cordon.path, "doctor"]))
    lines = done.stdout.decode().splitlines()
    assert done.stderr == b""
    assert done.returncode in (0, 1)
    assert lines[-1].startswith("level: full" if done.returncode == 0 else "level: degraded: ")
    table = lines[:lines.index("")]
    assert len(table) > 15
    for line in table:
        status, name, detail = line.split(None, 2)
        assert status in STATUSES and name and detail


def test_nothing_is_left_behind(call, cordon, who):
    call(who([cordon.path, "doctor"]))
    assert left_behind() == []


# ---- command line --------------------------------------------------------------------


def test_help_tells_options_and_exits(cordon):
    ran = cordon("doctor", "--help")
    assert ran.code == 0
    for word in ("--json", "--python", "--config", "full", "degraded", "contained", "none"):
        assert word in ran.stdout
    assert "drop-wall" not in ran.stdout


@pytest.mark.parametrize("args", [["--bogus"], ["FILE"], ["--python"], ["--config", "/no/file"]])
def test_usage_errors(cordon, args):
    ran = cordon("doctor", *args)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.stderr.startswith("cordon: ") and ran.stderr.count("\n") == 1


def test_output_that_cannot_be_written(cordon):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([cordon.path, "doctor"], stdout=full, stderr=subprocess.PIPE,
                              timeout=120 * SLOW, check=False)
    assert done.returncode == 6 and b"No space left" in done.stderr


# ---- system calls that are not there, one by one ---------------------------------------

# What is left without namespaces, and what then is said of those.
LESS, LACKING = ("contained", "degraded") if HAS_CONTAINED else ("none", "failed")
# What fails beside whatever no run can do without: the lower level has not what it takes either.
BESIDE = set() if HAS_CONTAINED else {"contained"}

NEWUSER = "0x10000000"
DOCKER = [f"clone=EPERM:{NEWUSER}", f"unshare=EPERM:{NEWUSER}", "clone3=ENOSYS"]

# As Ubuntu's AppArmor has it: the namespace is given, and no privilege comes with it.
APPARMOR = ["mount=EPERM", "pivot_root=EPERM", "sethostname=EPERM"]

# rules, level, rows that must fail or be degraded, what the remedy of the first must hold
ABSENT = [
    (["landlock_create_ruleset=ENOSYS"], "degraded", ["landlock"], "CONFIG_SECURITY_LANDLOCK"),
    (["seccomp=ENOSYS"], "none", ["seccomp"], "CONFIG_SECCOMP_FILTER"),
    (["mount_setattr=ENOSYS"], "contained", ["view"], "5.12"),
    (["open_tree=ENOSYS"], "contained", ["view"], "5.12"),
    (["move_mount=ENOSYS"], "contained", ["view"], "5.12"),
    (["openat2=ENOSYS"], "contained", ["view"], "5.12"),
    (["mount=EPERM"], "contained", ["view"], "seccomp=unconfined"),
    (["pivot_root=EPERM"], "contained", ["view"], "seccomp=unconfined"),
    (["umount2=EPERM"], "contained", ["enter-box"], "seccomp=unconfined"),
    (["sethostname=EPERM"], "contained", ["enter-box"], "seccomp=unconfined"),
    (["capset=EPERM"], "none", ["enter-box", "contained"], "seccomp=unconfined"),
    (["close_range=ENOSYS"], "none", ["descriptors", "sandbox", "contained"], "5.9"),
    (["memfd_create=ENOSYS"], "none", ["memory-files", "seccomp"], "memfd_create"),
    (["prctl=EPERM:38"], "none", ["no-new-privs"], "prctl"),
    (["prlimit64=EPERM"], "none", ["limits", "contained"], "prlimit64"),
    (["pidfd_send_signal=ENOSYS"], "full", [], None),
    (DOCKER, "contained", ["user-namespaces"], "seccomp=unconfined"),
    (APPARMOR, "contained", ["view"], "seccomp=unconfined"),
    # Two that are well by themselves: each may lack what the other stands on.
    ([*DOCKER, "landlock_create_ruleset=ENOSYS"], "none", ["user-namespaces", "contained"], "seccomp"),
    ([*DOCKER, "landlock_create_ruleset=ABI3"], "none", ["user-namespaces", "contained"], "seccomp"),
    ([*DOCKER, "landlock_create_ruleset=ABI4"], "contained", ["user-namespaces"], "seccomp"),
    (["mount_setattr=ENOSYS", "landlock_create_ruleset=ABI1"], "none", ["view", "contained"], "5.12"),
    (["landlock_create_ruleset=ABI1"], "full", [], None),
    (["landlock_create_ruleset=ABI3"], "full", [], None),
]


@pytest.mark.parametrize("rules, level, bad, remedy", ABSENT, ids=lambda v: str(v)[:40])
def test_absent(call, cordon, who, rules, level, bad, remedy):
    if SANITIZED and rules == ["prlimit64=EPERM"]:
        pytest.skip("the sanitizers themselves do not start without it")
    told = [int(rule.partition("=ABI")[2]) for rule in rules if "=ABI" in rule]
    if told and told[0] > landlock_version():
        pytest.skip("this kernel's Landlock is older than that")
    level = LESS if level == "contained" else level
    absent = [sys.executable, HERE / "absent.py", *rules, "--"]
    doctor = examine(call, cordon, lambda command: who([*absent, *command]))
    assert doctor.level == level
    assert set(bad) <= doctor.those("failed") | doctor.those("degraded"), doctor.said
    if bad:
        assert remedy in doctor.rows[bad[0]]["remedy"]
    if level == "full":
        assert doctor.those("failed") | doctor.those("degraded") == set()


def test_where_nobody_can_be_asked(call, cordon, who):
    """Somebody above answers calls for the kernel, as LXD does: an approved run has its note, doctor its row."""
    if landlock_version() < 1:
        pytest.skip("what stands for somebody above answers for Landlock, which this kernel lacks")
    above = [sys.executable, HERE / "absent.py", f"landlock_create_ruleset=ABI{landlock_version()}", "--"]
    doctor = examine(call, cordon, lambda command: who([*above, *command]))
    row = doctor.rows["hidden-memory"]
    assert row["status"] == "info" and "Linux 5.19" in row["remedy"], row
    if doctor.rows["cgroups"]["status"] == "ok":
        return  # a group counts it
    answer = json.loads(call(who([*above, cordon.path, "run", "--json", "--approved", "-"]), b"pass").stdout)
    assert answer["status"] == "ok" and "hidden-memory" in str(answer["notes"]), answer


# ---- settings and surroundings ----------------------------------------------------------


def needs_unshare(call, *options):
    if call(["unshare", *options, "true"]).returncode != 0:
        pytest.skip(f"'unshare {' '.join(options)}' is not possible here")


def shell(script, *options, inner=lambda command: command):
    """Runs a command after `script`, within namespaces of its own."""
    return lambda command: ["unshare", *options, "sh", "-c", f'{script}; exec "$@"', "sh",
                            *inner(command)]


def test_no_user_namespaces(call, cordon):
    needs_unshare(call, "-Ur")
    doctor = examine(call, cordon,
                     shell("echo 0 > /proc/sys/user/max_user_namespaces", "-Ur"))
    assert doctor.level == LESS
    assert "user.max_user_namespaces" in doctor.rows["user-namespaces"]["remedy"]
    assert {"namespaces", "view", "sandbox"} <= doctor.those("skipped")
    assert doctor.rows["seccomp"]["status"] == "ok"


@pytest.mark.parametrize("kind", ["pid", "mnt", "net", "ipc", "uts", "cgroup"])
def test_one_kind_of_namespace_is_used_up(call, cordon, kind):
    needs_unshare(call, "-Ur")
    doctor = examine(call, cordon, shell(f"echo 0 > /proc/sys/user/max_{kind}_namespaces", "-Ur"))
    assert doctor.level == LESS
    row = doctor.rows["namespaces"]
    assert row["status"] == LACKING and "user.max_*_namespaces" in row["remedy"]


def test_masked_proc_as_in_a_container(call, cordon, who):
    """Strict does without a /proc of its own; approved runs cannot, and it says so."""
    if os.geteuid() != 0:
        pytest.skip("this needs root")
    doctor = examine(call, cordon, shell("mount -t tmpfs none /proc/bus", "-m", inner=who))
    assert doctor.level == "full"
    if who is as_nobody:
        assert doctor.rows["box-proc"]["status"] == "info"
        assert "systempaths=unconfined" in doctor.rows["box-proc"]["remedy"]


def test_settings_in_proc_are_sealed_as_in_a_container(call, cordon, who):
    if os.geteuid() != 0 or who is not as_nobody:
        pytest.skip("this is about an ordinary user, and needs root to be made")
    doctor = examine(call, cordon, shell("mount --bind /proc/sys /proc/sys; "
                                         "mount -o remount,bind,ro /proc/sys", "-m", inner=who))
    assert doctor.level == LESS
    assert "no-nesting" in doctor.rows["sandbox"]["detail"]
    assert "systempaths=unconfined" in doctor.rows["sandbox"]["remedy"]


def test_a_chroot_without_proc(call, cordon, tmp_path):
    if os.geteuid() != 0 or SANITIZED:
        pytest.skip("this needs root, and a program that starts without /proc")
    script = (f"export LD_LIBRARY_PATH={library_of(cordon).parent} && " # $ORIGIN hangs on /proc
              f"mount --bind / {tmp_path} && mount --bind {Path(cordon.path).parent} "
              f"{tmp_path}{Path(cordon.path).parent} && mount --rbind /dev {tmp_path}/dev")
    doctor = examine(call, cordon,
                     lambda command: shell(script, "-m")(["chroot", tmp_path, *command]))
    assert doctor.level == "none"
    assert doctor.rows["measure"]["remedy"].startswith("mount it")
    assert doctor.rows["user-namespaces"]["status"] == "skipped"


# ---- installation -------------------------------------------------------------------------


def copy_of(cordon, folder, *left_out):
    """A copy of what runs together, but for some files."""
    names = {Path(cordon.path): "cordon", library_of(cordon): "libcordon.so.0"}
    names |= {helper_dir_of(cordon) / n: n for n in ("cordon-keeper", "_cordon_worker.abi3.so")}
    for source, name in names.items():
        if name not in left_out:
            shutil.copy2(source, folder / name)
    folder.chmod(0o755)
    return folder / "cordon"


def test_a_whole_copy_is_well(call, cordon, tmp_path):
    assert examine(call, cordon, list, copy_of(cordon, tmp_path)).level in ("full", "degraded")


def test_the_worker_is_missing(call, cordon, tmp_path):
    path = copy_of(cordon, tmp_path, "_cordon_worker.abi3.so")
    doctor = examine(call, cordon, list, path)
    assert doctor.those("failed") == {"helpers", "run"} | BESIDE
    assert "make install" in doctor.rows["helpers"]["remedy"]
    assert "_cordon_worker.abi3.so" in doctor.rows["helpers"]["detail"]


def test_the_worker_is_none(call, cordon, tmp_path):
    path = copy_of(cordon, tmp_path)
    (tmp_path / "_cordon_worker.abi3.so").write_bytes(b"no library")
    doctor = examine(call, cordon, list, path)
    assert doctor.those("failed") == {"run"} | BESIDE


def fake_python(folder, library, name="python3.13"):
    """Something that looks like an interpreter from outside."""
    program = folder / "bin" / name
    program.parent.mkdir()
    shutil.copy2(os.path.realpath("/bin/true"), program)
    (folder / "lib" / library).mkdir(parents=True)
    (folder / "lib" / library / "os.py").touch()
    return program


@pytest.mark.parametrize("make, said", [
    (lambda folder: "/bin/false", "not a Python"),
    (lambda folder: folder / "none", "cannot be found"),
    (lambda folder: folder, "is not a program"),
    (lambda folder: fake_python(folder, "python3.9", "python3.9"), "older than Python 3.11"),
    (lambda folder: fake_python(folder, "python3.13t", "python3.13t"), "free-threaded"),
    (lambda folder: fake_python(folder, "python3.13t", "python3"), "free-threaded"),
    (lambda folder: fake_python(folder, "other"), "does not look like CPython"),
], ids=["false", "none", "folder", "old", "free-threaded", "free-threaded-link", "no-library"])
def test_no_fit_interpreter(call, cordon, tmp_path, make, said):
    python = make(tmp_path)
    doctor = Doctor(call([cordon.path, "doctor", "--json", "--python", python])).check()
    assert doctor.level == "none"
    assert doctor.those("failed") == {"interpreter", "run"} | BESIDE
    assert said in doctor.rows["interpreter"]["detail"]
    assert doctor.rows["view"]["status"] == "ok" # what does not hang on it is told all the same


def test_a_strange_path_is_shown_harmless(call, cordon, tmp_path):
    name = os.fsencode(tmp_path) + b"/\x1b]0;title\x07\xff"
    done = call([cordon.path, "doctor", "--python", os.fsdecode(name)])
    assert done.returncode == 6 and b"\x1b" not in done.stdout
    done = subprocess.run([cordon.path, "doctor", "--json", "--python", name],
                          capture_output=True, timeout=120 * SLOW, check=False)
    assert "title" in json.loads(done.stdout)["probes"][0]["detail"]

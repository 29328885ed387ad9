# SPDX-License-Identifier: Apache-2.0
"""
--python takes any interpreter from 3.11 on, wherever it lies, a virtual environment's
too; what is none, or older, is refused in words. Interpreters are found when the test
runs: on PATH, and under the roots of pyenv.
"""

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from support import KERNEL, SANITIZED, ok, without_gate

run = without_gate

ASK = "import sys; print('%d.%d.%d' % sys.version_info[:3], sys.implementation.name, sys.executable)"


def look(folder, pattern):
    try:
        return sorted(Path(folder).glob(pattern))
    except OSError:
        return []


def candidates():
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for minor in range(9, 16):
            yield Path(folder) / f"python3.{minor}"
    roots = [os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv"), "/opt/pyenv", "/usr/local/pyenv"]
    for root in filter(None, roots):
        yield from look(root, "versions/3.*/bin/python3")
    yield from look("/opt", "python*/bin/python3")


def find():
    """{version: path}, one interpreter for each minor version that can be asked."""
    found = {}
    for path in candidates():
        if not os.access(path, os.X_OK):
            continue
        try:
            done = subprocess.run([path, "-I", "-c", ASK], capture_output=True, text=True, timeout=20, check=False)
        except OSError:
            continue
        match = re.match(r"(3\.\d+)\.\d+ cpython (.*)", done.stdout)
        if done.returncode == 0 and match:
            # A shim of a version manager is a script: what it starts is the interpreter.
            found.setdefault(match.group(1), os.path.realpath(match.group(2)))
    return found


FOUND = find()
NEW = {v: p for v, p in FOUND.items() if int(v[2:]) >= 11}
OLD = {v: p for v, p in FOUND.items() if int(v[2:]) < 11}

WORK = """
import re, json, csv, datetime, decimal, statistics, collections, dataclasses, enum, typing, zoneinfo, random, hashlib, uuid
from dataclasses import dataclass
@dataclass
class P:
    x: int
    d: decimal.Decimal = decimal.Decimal("1.10")
class C(enum.Enum):
    A = 1
Row = collections.namedtuple("Row", "a b")
match {"k": [1, 2]}:
    case {"k": [a, *rest]}:
        pass
try:
    raise ExceptionGroup("g", [ValueError(1)])
except* ValueError as g:
    n = len(g.exceptions)
print("printed", f"{a=}")
result = {
    "p": P(1), "e": C.A, "row": Row(1, 2), "n": n, "rest": rest, "sum": sum(input_data["xs"]), "mean": statistics.mean(input_data["xs"]),
    "when": datetime.datetime.strptime("2024-07-01", "%Y-%m-%d").replace(tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    "sha": hashlib.sha256(b"x").hexdigest()[:8], "idna": "bücher".encode("idna"), "set": {3, 1, 2},
}
"""

EXPECTED = {
    "p": {"x": 1, "d": "1.10"},
    "e": 1,
    "row": [1, 2],
    "n": 1,
    "rest": [2],
    "sum": 6,
    "mean": 2,
    "when": "2024-07-01T00:00:00+02:00",
    "sha": "2d711642",
    "idna": "eG4tLWJjaGVyLWt2YQ==",
    "set": [1, 2, 3],
}


def versions(table):
    if table:
        return [pytest.param(v, p, id=v) for v, p in sorted(table.items())]
    return [pytest.param("none", None, id="none", marks=pytest.mark.skip(reason="no such interpreter here"))]


@pytest.mark.parametrize("version, path", versions(NEW))
def test_every_interpreter_found_does_the_work(run, version, path):
    envelope = run(WORK, {"xs": [1, 2, 3]}, "--python", path)
    assert ok(envelope) == EXPECTED
    assert envelope["stdout"] == "printed a=1\n"
    code = "import sys\nresult = {'v': '%d.%d' % sys.version_info[:2]}"
    assert ok(run(code, None, *KERNEL, "--python", path)) == {"v": version}


@pytest.mark.parametrize("version, path", versions(NEW))
def test_errors_and_deadlines_with_every_interpreter(run, version, path):
    error = run("def f(x):\n    return 1 / x\n\nf(0)\n", None, "--python", path)["error"]
    assert error["type"] == "ZeroDivisionError" and error["line"] == 2
    assert '  File "<code>", line 4, in <module>\n    f(0)\n' in error["traceback"]
    assert "_cordon" not in error["traceback"]
    late = run("x = 1\nwhile True: pass", None, "--python", path, "--timeout", "0.5")
    assert late["status"] == "timeout" and late["error"]["line"] == 2
    refused = run("import os", None, "--python", path)["error"]
    assert refused["type"] in ("ImportError", "ModuleNotFoundError")
    hidden = run("open", None, "--python", path)["error"]
    assert hidden["type"] == "NameError"
    assert run("result = {'x': object()}", None, "--python", path)["error"]["kind"] == "result"
    memory = run("x = bytearray(1 << 30)", None, "--python", path)
    assert SANITIZED or memory["status"] == "limit" and memory["error"]["limit"] == "memory"


@pytest.mark.parametrize("version, path", versions(NEW))
def test_random_numbers_differ_with_every_interpreter(run, version, path):
    code = "import random, uuid\nresult = {'r': random.random(), 'u': str(uuid.uuid4())}"
    first, second = (run(code, None, "--python", path)["result"] for _ in range(2))
    assert first["r"] != second["r"] and first["u"] != second["u"]


# ---- virtual environments ------------------------------------------------------------------------


@pytest.fixture(params=sorted(NEW) or ["none"])
def environment(request, tmp_path):
    version, path = request.param, NEW.get(request.param)
    if path is None:
        pytest.skip("no such interpreter here")
    folder = tmp_path / "my env"
    made = subprocess.run([path, "-m", "venv", "--without-pip", folder], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip(f"{path} cannot make a virtual environment: {made.stderr.strip()[-200:]}")
    packages = folder / "lib" / f"python{version}" / "site-packages"
    (packages / "in_the_environment.py").write_text("VALUE = 'found'\n")
    (tmp_path / "beside.txt").write_text("host file")
    return folder


def test_a_virtual_environment(run, environment):
    python = environment / "bin" / "python"
    assert ok(run(WORK, {"xs": [1, 2, 3]}, "--python", python)) == EXPECTED
    code = f"""
import os, sys, in_the_environment
result = {{"value": in_the_environment.VALUE, "prefix": sys.prefix, "beside": os.path.exists({str(environment.parent / "beside.txt")!r}),
          "parent": os.listdir({str(environment.parent)!r})}}
"""
    got = ok(run(code, None, *KERNEL, "--python", python))
    assert got == {
        "value": "found",
        "prefix": str(environment),
        "beside": False,
        "parent": [environment.name],
    }
    error = run("import in_the_environment", None, "--python", python)["error"]
    assert error["type"] in ("ImportError", "ModuleNotFoundError"), "the profile still decides"


def test_an_activated_one_is_what_approved_code_runs_in(run, environment, tmp_path):
    code = "import sys, in_the_environment\nresult['prefix'] = sys.prefix"
    active = {**os.environ, "VIRTUAL_ENV": str(environment)}
    assert ok(run(code, None, "--approved", env=active)) == {"prefix": str(environment)}
    other = find()["3.11"]
    named = "import sys\nresult['prefix'] = sys.prefix == sys.base_prefix"
    assert ok(run(named, None, "--approved", "--python", other, env=active)) == {"prefix": True}
    (tmp_path / "c.yaml").write_text(f"profiles:\n  - {{name: named, interpreter: {other}}}\n")
    assert ok(run(named, None, "--approved", "--config", tmp_path / "c.yaml", "--profile", "named",
                  env=active)) == {"prefix": True}
    for gone in (tmp_path / "nowhere", "not/absolute"):
        assert ok(run(named, None, "--approved", env={**active, "VIRTUAL_ENV": str(gone)})) == {"prefix": True}


def with_own_csv(environment, text):
    """The environment's Python, whose csv is `text` instead of the library's."""
    shadow = environment / "shadow"
    shadow.mkdir()
    (shadow / "csv.py").write_text(text)
    (packages,) = environment.glob("lib/python3.*/site-packages")
    (packages / "shadow.pth").write_text(f"import sys; sys.path.insert(0, {str(shadow)!r})\n")
    return environment / "bin" / "python"


def test_a_module_that_starts_a_thread_is_named(run, environment):
    """A process with threads cannot be copied: the zygote refuses, and says whose they are."""
    text = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    envelope = run("result['a'] = 1", None, "--python", with_own_csv(environment, text))
    assert envelope["status"] == "internal", envelope
    message = envelope["error"]["message"]
    assert re.search(r"\bcsv\b", message) and "thread" in message, message


def test_a_module_that_cannot_be_loaded_is_named_with_its_reason(run, environment):
    text = "raise ImportError('broken on purpose')\n"
    envelope = run("result['a'] = 1", None, "--python", with_own_csv(environment, text))
    assert envelope["status"] == "internal", envelope
    message = envelope["error"]["message"]
    assert re.search(r"\bcsv\b", message) and "broken on purpose" in message, message


def test_a_module_that_ends_the_zygote_is_told(run, environment):
    text = "import os\nos._exit(7)\n"
    envelope = run("result['a'] = 1", None, "--python", with_own_csv(environment, text))
    assert envelope["status"] == "internal" and "7" in envelope["error"]["message"], envelope


def test_a_broken_virtual_environment_is_refused(cordon, tmp_path):
    link = tmp_path / "bin" / "python"
    link.parent.mkdir()
    link.symlink_to("/no/such/python3")
    refused(cordon, link)


# ---- what is refused ------------------------------------------------------------------------------------


def refused(cordon, path, *words):
    """In words, with the path, before anything ran; by exit code a usage error or ours."""
    ran = cordon("run", "--json", "--python", path, "-", stdin="result['a'] = 1")
    assert ran.code in (2, 6), ran
    said = ran.stderr + ran.stdout
    assert str(path) in said, said
    for word in words:
        assert re.search(word, said), said
    if ran.code == 2:
        assert ran.stderr.count("\n") == 1 and "--python" in ran.stderr and not ran.out
    else:
        assert json.loads(ran.out)["status"] == "internal"
    return said


@pytest.mark.parametrize("version, path", versions(OLD))
def test_an_older_interpreter_is_refused(cordon, version, path):
    refused(cordon, path, r"3\.11", re.escape(version))


def script(folder, text, mode=0o755):
    path = folder / "python3"
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    "text",
    ["#!/bin/sh\necho hello\n", "#!/bin/sh\nexit 0\n", "#!/bin/sh\nsleep 300\n", "", "not a program\n", "#!/bin/sh\ncat /dev/zero\n", "#!/bin/sh\nkill -9 $$\n"],
    ids=["says hello", "says nothing", "sleeps", "empty", "text", "endless", "dies"],
)
def test_what_is_no_python_is_refused(cordon, tmp_path, text):
    refused(cordon, script(tmp_path, text))


def test_a_script_that_starts_a_python_is_refused(cordon, tmp_path):
    """It cannot run in the box, where there is no shell."""
    said = refused(cordon, script(tmp_path, '#!/bin/sh\nexec python3 "$@"\n'))
    assert "script" in said or "interpreter" in said or "program" in said


def test_what_cannot_be_executed_is_refused(cordon, tmp_path):
    refused(cordon, tmp_path / "nowhere")
    refused(cordon, tmp_path)
    assert not os.access(script(tmp_path, "#!/bin/sh\n", 0o644), os.X_OK) or os.geteuid() == 0
    refused(cordon, tmp_path / "python3")
    refused(cordon, "/dev/null")
    for other in ("true", "sh"):
        refused(cordon, shutil.which(other))


def test_a_relative_path_is_the_callers(run, tmp_path):
    """From the caller's working directory, which the box does not have."""
    if not NEW:
        pytest.skip("no interpreter here")
    target = sorted(NEW.items())[0][1]
    (tmp_path / "py").symlink_to(target)
    assert stat.S_ISLNK(os.lstat(tmp_path / "py").st_mode)
    assert ok(run("result['a'] = 1", None, "--python", "./py", cwd=tmp_path)) == {"a": 1}

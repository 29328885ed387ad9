# SPDX-License-Identifier: Apache-2.0
"""The closing line of `make test` must count what ran, and call nothing a success."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def entry(result="OK", stdout="", command=("true",)):
    return {"name": "cordon:x / y", "result": result, "stdout": stdout, "command": list(command)}


def summary(tmp_path, *builds, must_work="0"):
    names = []
    for number, entries in enumerate(builds):
        logs = tmp_path / f"b{number}" / "meson-logs"
        logs.mkdir(parents=True)
        lines = "".join(json.dumps(e) + "\n" for e in entries)
        (logs / "testlog.json").write_text(lines, encoding="utf-8")
        names.append(str(logs.parent))
    done = subprocess.run([sys.executable, ROOT / "tools/summary.py", *names, tmp_path / "none"]
                          if not builds else [sys.executable, ROOT / "tools/summary.py", *names],
                          stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "CORDON_MUST_WORK": must_work})
    return done.returncode, done.stdout.splitlines()[-1]


def pytest_entry(tmp_path, cases, **kwargs):
    xml = tmp_path / "cases.xml"
    xml.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>", encoding="utf-8")
    return entry(command=["python3", f"--junitxml={xml}"], **kwargs)


def test_sums_over_directories(tmp_path):
    assert summary(tmp_path, [entry(), entry()], [entry()]) == (0, "3 passed, 0 failed")


def test_tap_lines_are_cases(tmp_path):
    tap = "1..4\nok 1 - a\nchatter\nnot ok 2 - b\n# why\nnot ok 3 # SKIP c\nok 4 - d\n"
    assert summary(tmp_path, [entry("FAIL", tap)]) == (1, "2 passed, 1 failed, 1 skipped")


def test_cases_that_a_crash_swallowed_failed(tmp_path):
    assert summary(tmp_path, [entry("FAIL", "1..5\nok 1 - a\n")]) == (1, "1 passed, 4 failed")


def test_pytest_cases(tmp_path):
    cases = ('<testcase/><testcase/><testcase><failure/></testcase>'
             '<testcase><error/></testcase><testcase><skipped/></testcase>')
    run = pytest_entry(tmp_path, cases, result="FAIL")
    assert summary(tmp_path, [run]) == (1, "2 passed, 2 failed, 1 skipped")


def test_a_bad_end_without_a_failed_case_is_a_failure(tmp_path):
    run = pytest_entry(tmp_path, "<testcase/>", result="TIMEOUT")
    assert summary(tmp_path, [run]) == (1, "1 passed, 1 failed")


def test_pytest_that_wrote_nothing_failed(tmp_path):
    run = entry("FAIL", command=["python3", f"--junitxml={tmp_path}/absent.xml"])
    assert summary(tmp_path, [run, entry()]) == (1, "1 passed, 1 failed")


def test_nothing_ran(tmp_path):
    assert summary(tmp_path) == (1, "0 passed, 1 failed")
    assert summary(tmp_path, [], [entry()]) == (1, "1 passed, 1 failed")


def test_must_work_forbids_skips(tmp_path):
    runs = [entry(), entry("SKIP")]
    assert summary(tmp_path, runs) == (0, "1 passed, 0 failed, 1 skipped")
    runs = [entry(), entry(stdout="1..2\nok 1 - a\nnot ok 2 # SKIP b\n")]
    assert summary(tmp_path / "strict", runs, must_work="1")[0] == 1


def test_must_work_excuses_what_sanitizers_cannot_do(tmp_path):
    for reason, code in ("no room under the sanitizers", 0), ("no user namespaces here", 1):
        cases = f'<testcase/><testcase><skipped message="{reason}"/></testcase>'
        run = pytest_entry(tmp_path, cases)
        assert summary(tmp_path / str(code), [run], must_work="1") == (
            code, "1 passed, 0 failed, 1 skipped")

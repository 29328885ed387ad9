#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
summary.py BUILD_DIR...: one closing line over the last `meson test` of each directory.

Counts cases, not programs: a pytest run by the JUnit file it was told to write, a cmocka
program by its TAP lines, anything else as one case. A program that ended badly although
none of its cases failed counts as one failure. Exits 1 when a case failed, when a
directory ran nothing, and, under CORDON_MUST_WORK=1, when a case was skipped, unless the
reason it gave speaks of the sanitizers (they need memory that a limit would refuse).
"""

import collections
import functools
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

Counts = collections.namedtuple("Counts", "passed failed skipped unexcused reasons", defaults=[0, ()])


def add(one, other):
    return Counts(*(a + b for a, b in zip(one, other)))


def pytest_counts(xml_path):
    cases = list(ElementTree.parse(xml_path).iter("testcase"))
    bad = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    skipped = [c for c in cases if c not in bad and c.find("skipped") is not None]
    reasons = [c.find("skipped").get("message", "") for c in skipped]
    return Counts(passed=len(cases) - len(bad) - len(skipped), failed=len(bad),
                  skipped=len(skipped), unexcused=sum("sanitize" not in r for r in reasons), reasons=tuple(reasons))


def tap_counts(text):
    """None when the text is not TAP. Cases that the plan names and nobody ran failed."""
    plan = re.search(r"^1\.\.(\d+)$", text, re.MULTILINE)
    if not plan:
        return None
    lines = re.findall(r"^(ok|not ok) \d+(.*)$", text, re.MULTILINE)
    skipped = sum("# SKIP" in rest for _, rest in lines)
    passed = sum(word == "ok" and "# SKIP" not in rest for word, rest in lines)
    return Counts(passed, int(plan.group(1)) - passed - skipped, skipped, unexcused=skipped)


def program_counts(entry):
    well = entry["result"] in ("OK", "EXPECTEDFAIL")
    if entry["result"] == "SKIP":
        return Counts(0, 0, 1, unexcused=1)
    xml = [a.removeprefix("--junitxml=") for a in entry["command"] if a.startswith("--junitxml=")]
    counts = None
    if xml and os.path.exists(xml[0]):
        counts = pytest_counts(xml[0])
    elif not xml:
        counts = tap_counts(entry.get("stdout", ""))
    if counts is None:
        return Counts(1, 0, 0) if well else Counts(0, 1, 0)
    if not well and counts.failed == 0:
        return counts._replace(failed=1)
    return counts


def directory_counts(build):
    try:
        with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as log:
            entries = [json.loads(line) for line in log]
    except FileNotFoundError:
        entries = []
    if not entries:
        print(f"{build}: no test ran", file=sys.stderr)
        return Counts(0, 1, 0)
    total = Counts(0, 0, 0)
    for entry in entries:
        counts = program_counts(entry)
        if counts.failed:
            print(f"{build}: {counts.failed} failed in {entry['name']}")
        if counts.skipped:
            why = "; ".join(sorted(set(counts.reasons)))
            print(f"{build}: {counts.skipped} skipped in {entry['name']}: {why}")
        total = add(total, counts)
    return total


def main(builds):
    total = functools.reduce(add, map(directory_counts, builds))
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"{total.passed} passed, {total.failed} failed{skipped}")
    strict = os.environ.get("CORDON_MUST_WORK") == "1"
    return 1 if total.failed or not total.passed or (strict and total.unexcused) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

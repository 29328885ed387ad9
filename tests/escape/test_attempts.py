# SPDX-License-Identifier: Apache-2.0
"""
The escape suite: each row of attempts/ with all walls that it is about, with its own wall
alone, and with that one down too, where it has to succeed; by root, and by an ordinary user.
What the kernel of this machine lacks even so is skipped, saying so. Prints a table, family by
wall.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from attempts import FAMILIES, ROWS, Stopped, Why, end_of_row
from test_probes import guarded

sys.path.append(str(Path(__file__).resolve().parents[1] / "behaviour"))
from support import why_not_nobody  # noqa: E402

HERE = Path(__file__).resolve().parent
SANITIZED = os.environ.get("CORDON_SANITIZED") == "1"
SLOW = float(os.environ.get("CORDON_TEST_SLOWNESS", "1"))
CASES = ("held", "alone", "without")
LACKING = {"ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT"}


def end_of(envelope):
    """REFUSED or REACHED where the program came to its end, else the status."""
    if envelope["status"] == "ok":
        return "reached" if envelope["result"].get("reached") else "refused"
    return envelope["status"]


def as_expected(end, envelope):
    if isinstance(end, Stopped):
        said = (envelope["error"] or {}).get("message", "")
        return envelope["status"] == "crashed" and (f"stopped for calling {end}," in said if end else "stopped for" in said)
    return end_of(envelope) in (end if isinstance(end, tuple) else (end,))


def lacking(envelope):
    return envelope["status"] == "ok" and envelope["result"].get("said") in LACKING


@pytest.fixture(scope="module", params=["root", "user"])
def report(request, cordon):
    if SANITIZED:
        pytest.skip("the ends in the table are the plain build's; test_probes.py attacks this one")
    guard = guarded()
    if not guard:
        pytest.skip("with the walls down it takes root, and namespaces of its own")
    if request.param == "user" and (why := why_not_nobody(cordon.path)):
        pytest.skip(why)
    done = subprocess.run(
        [*guard, sys.executable, "-B", str(HERE / "attempts_host.py"), request.param, cordon.path],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=200 * SLOW, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4000:]
    return json.loads(done.stdout) | {"who": request.param}


@pytest.fixture(scope="module", autouse=True)
def table(report):
    yield
    count = Counter()
    for number, row in enumerate(ROWS):
        for case in CASES:
            answer = report["cases"][case].get(str(number))
            end = end_of_row(row, case, report["who"] == "root")
            count[row.family, row.wall, case] += bool(answer) and as_expected(end, answer)
        count[row.family, row.wall, "rows"] += 1
    print_table(report["who"], count)


def print_table(who, count):
    walls = list(dict.fromkeys(row.wall for row in ROWS))
    print(f"\n{who}; rows: held with all walls / held by this one alone / succeeds without it")
    print(f"{'':18}" + "".join(f"{wall:>17}" for wall in walls))
    for family in FAMILIES:
        cells = []
        for wall in walls:
            rows, *ends = (count[family, wall, part] for part in ("rows", *CASES))
            cells.append(f"{rows}: {'/'.join(map(str, ends))}" if rows else "")
        print(f"{family:18}" + "".join(f"{cell:>17}" for cell in cells))
    print(f"{len(ROWS)} attempts")


@pytest.mark.parametrize("number", range(len(ROWS)),
                         ids=[f"{r.family}-{r.wall}-{r.name}".replace(" ", "_") for r in ROWS])
def test_attempt(report, number):
    row = ROWS[number]
    for case in CASES:
        end = end_of_row(row, case, report["who"] == "root")
        if isinstance(end, Why):
            continue
        answer = report["cases"][case][str(number)]
        if case == "without" and lacking(answer):
            pytest.skip("held; without its wall the kernel of this machine lacks it")
        assert as_expected(end, answer), (case, end, answer)


def test_nothing_stays(report):
    for batch in report["batches"]:
        assert batch["survivors"] == [] and batch["traces"] == [] and batch["canary_alive"], batch


def test_rows_are_whole():
    """Every family is tried, every wall holds something alone, no two rows share a name."""
    assert {row.family for row in ROWS} == set(FAMILIES)
    assert {row.wall for row in ROWS} == {"seccomp", "landlock", "root", "namespaces", "limits", "supervisor",
                                          "interpreter"}
    assert len({row[:3] for row in ROWS}) == len(ROWS) >= 120
    assert all(end for row in ROWS for end in row[4:7] if isinstance(end, Why))

# SPDX-License-Identifier: Apache-2.0
"""docs/ARCHITECTURE.md shows the locks on the door; they must be the ones in the source."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def steps_in_source(file):
    """The names of the rows of the file's `struct step` tables, in order."""
    text = (ROOT / file).read_text(encoding="utf-8")
    rows = []
    for table in re.findall(r"const struct step \w+\[\] = \{(.*?)\n\};", text, re.DOTALL):
        rows += re.findall(r'\{\s*"([a-z0-9-]+)"', table)
    return rows


def steps_in_document(heading):
    text = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split(f"\n{heading}\n\n")[1].split("\n\n")[0]
    return re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)


def test_the_box():
    assert steps_in_document("**The box**, built by the keeper:") == steps_in_source(
        "src/keeper/box.c")


def test_the_sandbox():
    shown = steps_in_document("**Each sandbox**, by itself:")
    assert shown and shown == steps_in_source("src/jail/steps.c")


def test_the_doctors_rehearsal():
    """`cordon doctor` builds a box in the keeper's order, by the keeper's names."""
    keeper = iter(steps_in_source("src/keeper/box.c"))
    rehearsed = steps_in_source("src/jail/look.c")
    assert len(rehearsed) > 5
    assert all(name in keeper for name in rehearsed)


def test_an_approved_run():
    shown = steps_in_document("**An approved run**, by its init:")
    assert shown and shown == steps_in_source("src/keeper/init.c")

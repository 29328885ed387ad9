# SPDX-License-Identifier: Apache-2.0
"""
What the gate lets through, run: no program without warnings may do what the interpreter
wall refuses, on any Python that is here. The ordinary programs of tests/gate, the good
examples of the rules, and the programs of shared/gate, whose results are known.
"""

import json
import re
import sys

import pytest

from support import ROOT, Many
from test_python_versions import find

sys.path.insert(1, str(ROOT / "tools"))
from make_gate_doc import rules  # noqa: E402

SHARED = ROOT.parent / "shared" / "gate"

PYTHONS = {version: path for version, path in find().items() if int(version.split(".")[1]) >= 11}


def ordinary():
    text = (ROOT / "tests/gate/ordinary.txt").read_text(encoding="utf-8")
    return re.split(r"(?m)^=== clean\n", text)[1:]


def programs():
    texts = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "tests/gate").glob("programs-*.txt"))]
    return [code for text in texts for code in re.split(r"(?m)^=== .*\n", text)[1:]]


def legit():
    path = SHARED / "legit.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines) if row["gate"] == "clean"]


@pytest.fixture(scope="module")
def many(cordon, tmp_path_factory):
    return Many(cordon, tmp_path_factory.mktemp("many"))


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_clean_programs_never_raise_a_violation(many, version):
    whole, fragments = programs(), ordinary() + [good for *_, good in rules() if good]
    envelopes = many(whole + fragments, drop="none", python=PYTHONS[version])
    for number, (code, envelope) in enumerate(zip(whole + fragments, envelopes)):
        assert envelope["status"] in (("ok",) if number < len(whole) else ("ok", "error")), (code, envelope)
        assert envelope["violations"] == [] and envelope["warnings"] == [], (code, envelope)


@pytest.mark.skipif(not legit(), reason="shared/gate is not beside the checkout")
def test_the_shared_programs_give_their_results(run):
    for row in legit():
        envelope = run(row["code"], row.get("input") or {})
        assert envelope["violations"] == [], (row["id"], envelope)
        if row.get("error"):
            assert row["error"] in json.dumps(envelope["error"]), (row["id"], envelope)
        else:
            assert envelope["status"] == "ok" and envelope["result"] == row["result"], (row["id"], envelope)

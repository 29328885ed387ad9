# SPDX-License-Identifier: Apache-2.0
"""
The profile `data` of examples/cordon.yaml, with the packages that Debian has: ordinary
programs are clean and right, each way out through a package gets its warning, and with the
gate off it does not reach the host.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

from support import Many

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "examples" / "cordon.yaml"
PROFILE = ("--config", CONFIG, "--profile", "data")


def why_not():
    """The profile names the packages' places: those of Debian's own Python."""
    code = "import numpy, pandas, matplotlib; print(matplotlib.__file__)"
    done = subprocess.run(["/usr/bin/python3", "-I", "-c", code], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        return "python3-numpy, python3-pandas and python3-matplotlib are not installed"
    here = done.stdout.startswith("/usr/lib/python3/dist-packages/")
    return None if here else "the packages are not those of Debian"


WHY_NOT = why_not()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or "")


def blocks(name):
    """[(head, code), ...]"""
    text = (ROOT / "tests" / "gate" / name).read_text(encoding="utf-8")
    parts = re.split(r"(?m)^=== (.*)\n", text)[1:]
    return list(zip(parts[::2], (code.rstrip("\n") + "\n" for code in parts[1::2])))


ORDINARY = blocks("data_ordinary.txt")
TRICKS = blocks("data_tricks.txt")
SEALED = blocks("data_sealed.txt")


@pytest.fixture(scope="module")
def verdicts(cordon, tmp_path_factory):
    """verdicts([code, ...]) -> [[warning, ...], ...], by one engine."""
    folder = tmp_path_factory.mktemp("check")

    def verdicts(codes):
        files = []
        for i, code in enumerate(codes):
            files.append(folder / f"{i}.py")
            files[-1].write_text(code, encoding="utf-8")
        ran = cordon("check", "--json", *PROFILE, *files)
        assert ran.code in (0, 3), ran
        return [answer["warnings"] for answer in json.loads(ran.out)]

    return verdicts


@pytest.fixture(scope="module")
def many(cordon, tmp_path_factory):
    """many([code, ...]) -> [envelope, ...], by one engine."""
    hosts = Many(cordon, tmp_path_factory.mktemp("hosts"))
    return lambda codes, **kwargs: hosts(codes, width=2, profile=(CONFIG, "data"), **kwargs)


@pytest.fixture(scope="module")
def data(run):
    """data(code, ...) -> the envelope of one run."""
    return lambda code, *args, **kwargs: run(code, None, *PROFILE, *args, **kwargs)


# ---- programs ------------------------------------------------------------------------


def test_the_examples_of_the_rule_about_packages(cordon, verdicts):
    [rule] = json.loads(cordon("explain", "--json", "package-door").out)
    asks, clean = verdicts([rule["trips"], rule["passes"]])
    assert [w["rule"] for w in asks] == ["package-door"] and clean == []


def test_ordinary_programs_are_clean_and_right(many):
    envelopes = many([code for _, code in ORDINARY], drop="none")
    for (head, code), envelope in zip(ORDINARY, envelopes):
        assert envelope["status"] == "ok", f"{code}\n{envelope}"
        assert envelope["result"] == json.loads(head), code
        assert envelope["violations"] == [], f"{code}\n{envelope}"


def test_a_way_out_gets_its_warning(verdicts):
    for (head, code), warnings in zip(TRICKS, verdicts([code for _, code in TRICKS])):
        rule, line = head.split()
        found = {(warning["rule"], warning["line"]) for warning in warnings}
        assert (rule, int(line)) in found, f"{code}\n{warnings}"


def test_with_the_gate_off_it_does_not_reach_the_host(many, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("canary,7\n")
    out = tmp_path / "out"
    out.mkdir()
    codes = []
    for _, code in TRICKS:
        code = code.replace("/etc/passwd", str(secret)).replace("/etc/hosts", str(secret))
        code = re.sub(r"(?<=[\"'])(?:/tmp/)?(x|out)(?=[\"'.])", f"{out}/x", code)
        codes.append(f"{code}\nprint(globals())\nresult.update(globals())\n")
    for code, envelope in zip(codes, many(codes, drop="gate")):
        assert envelope["status"] in ("ok", "error", "crashed", "limit"), f"{code}\n{envelope}"
        assert "canary" not in json.dumps(envelope), code
    assert list(out.iterdir()) == []


def test_what_the_gate_cannot_see_is_sealed(many):
    for (head, code), envelope in zip(SEALED, many([code for _, code in SEALED], drop="gate")):
        ended = envelope["error"]["type"] if envelope["error"] else "-"
        assert (envelope["status"], ended) == ("ok" if head == "-" else "error", head), (
            f"{code}\n{envelope}")


def test_an_error_in_a_package_is_no_violation(data):
    """Its traceback looks for the package's source lines, which is nothing the code did."""
    envelope = data('import pandas as pd\npd.DataFrame({"a": [1]})["b"]\n')
    assert envelope["error"]["type"] == "KeyError"
    assert envelope["error"]["line"] == 2
    assert envelope["violations"] == []


def test_the_tables_are_sorted():
    """They are searched by halves: a row out of its place would not be found."""
    text = (ROOT / "worker" / "package_rows.c").read_text(encoding="utf-8")
    for table in ("attributes", "keywords"):
        rows = re.findall(r'\{"(\w+)"', text.split(f" {table}[] = {{")[1].split("\n};")[0])
        assert len(rows) > 5 and rows == sorted(rows), table


READERS = [
    ("np.load({!r}, allow_pickle=True)", "np"),
    ("np.loadtxt({!r}, dtype=str)", "np"),
    ("np.fromfile({!r}, dtype='u1')", "np"),
    ("pd.read_csv({!r})", "pd"),
    ("pd.read_pickle({!r})", "pd"),
    ("pd.DataFrame({{'a': [1]}}).to_csv({!r})", "pd"),
    ("np.zeros(1).tofile({!r})", "np"),
    ("plt.imread({!r})", "plt"),
    ("plt.savefig({!r}, format='png')", "plt"),
    ("plt.style.use({!r})", "plt"),
]


def test_not_even_without_the_interpreters_wall(many, tmp_path):
    """The kernel's walls alone: the packages are all there, and the host's files are not."""
    secret = tmp_path / "secret"
    secret.write_text("1,2\n")
    codes = [
        "import numpy as np, pandas as pd, matplotlib.pyplot as plt\n" + call.format(str(secret))
        for call, _ in READERS
    ]
    for code, envelope in zip(codes, many(codes, drop="interpreter")):
        assert envelope["status"] == "error", f"{code}\n{envelope}"
        assert envelope["error"]["type"].endswith("Error"), envelope
    assert secret.read_text() == "1,2\n"


# ---- the facades ------------------------------------------------------------------------

FACADES = """
import numpy, pandas, matplotlib.pyplot
kind = type(numpy)
seen, odd = set(), []
def walk(module, path):
    if path in seen:
        return
    seen.add(path)
    for name, value in vars(module).items():
        if type(value) is kind:
            walk(value, path + "." + name)
        elif name.startswith("_") and name not in ("__name__", "__doc__", "__all__"):
            odd.append(path + "." + name)
        elif value is kind or (isinstance(value, type) and issubclass(value, type)):
            odd.append(path + "." + name)
for top in (numpy, pandas, matplotlib):
    walk(top, top.__name__)
result["seen"] = sorted(seen)
result["odd"] = odd
"""


def test_code_gets_facades_and_no_private_names_but_versions(data):
    result = data(FACADES, "--no-gate")["result"]
    assert [name for name in result["odd"] if not name.endswith(".__version__")] == []
    for name in ("numpy.linalg", "numpy.random", "pandas.api.types", "matplotlib.pyplot",
                 "matplotlib.dates", "matplotlib.ticker", "numpy.lib.stride_tricks"):
        assert name in result["seen"]
    for name in ("numpy.core", "numpy.ctypeslib", "numpy.testing", "pandas.core", "pandas.io",
                 "matplotlib.cbook", "matplotlib.image", "matplotlib.pyplot.np"):
        assert name not in result["seen"]


WITHHELD = [
    "from numpy import load",
    "from numpy import os",
    "import numpy.ctypeslib",
    "from pandas import io",
    "import pandas.io.common",
    "from matplotlib.pyplot import sys",
    "from matplotlib import cbook",
    "import numpy; numpy.__name__ = 'os'; from numpy import path",
]


def test_a_withheld_name_is_not_handed_out(many):
    for statement, envelope in zip(WITHHELD, many(WITHHELD, drop="gate")):
        assert envelope["status"] == "error", statement
        assert envelope["error"]["type"] == "ImportError", statement


# ---- what the zygote must see to ------------------------------------------------------------

DRAW = """
import numpy as np
import numpy.random
result["old"] = numpy.random.rand()
result["new"] = np.random.default_rng().random()
"""


def test_random_streams_differ_from_run_to_run(many):
    results = [envelope["result"] for envelope in many([DRAW] * 4, drop="none")]
    assert len({result["old"] for result in results}) == 4
    assert len({result["new"] for result in results}) == 4


FIGURE = """
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.title("a title")
plt.savefig("plot.png")
plt.savefig("plot.svg")
import pandas as pd
pd.DataFrame({"a": [1]}).to_csv("a.csv", index=False)
result["back"] = pd.read_csv("a.csv")["a"].tolist()
"""


def test_the_working_directory_holds_files_once_somebody_agrees(data):
    envelope = data(FIGURE, "--no-gate")
    assert envelope["status"] == "ok", envelope
    assert envelope["result"] == {"back": [1]} and envelope["stderr"] == ""


def test_nothing_of_the_loading_environment_is_left(data):
    code = 'import matplotlib\nresult["b"] = matplotlib.get_backend()\n'
    assert data(code)["result"] == {"b": "agg"}
    code = 'from os import environ\nresult["e"] = sorted(environ)'
    envelope = data(code, "--no-gate", "--drop-wall", "interpreter")
    assert not {"MPLCONFIGDIR", "MPLBACKEND", "OMP_NUM_THREADS"} & set(envelope["result"]["e"])


def test_an_approved_run_is_judged_by_the_same_tables(data):
    envelope = data("import numpy as np\nresult['n'] = np.zeros(2)\n", "--approved")
    assert envelope["status"] == "ok" and envelope["warnings"] == []


@pytest.mark.parametrize("table", ["attributes", "keywords"])
def test_tables_that_are_searched_are_sorted(table):
    text = (ROOT / "worker" / "package_rows.c").read_text(encoding="utf-8")
    rows = text.split(f"package_name {table}[] = {{")[1].split("};")[0]
    names = re.findall(r'\{"(\w+)",', rows)
    assert len(names) > 5 and names == sorted(names)


# ---- elsewhere -----------------------------------------------------------------------------------


def test_other_profiles_have_no_such_rules(cordon, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "class Table:\n    def query(self, text):\n        return text\n"
        "def ask(table):\n    return table.query('x'), table.to_csv('y'), table.apply(1, backend=2)\n"
    )
    assert cordon("check", file).code == 0
    assert cordon("check", *PROFILE, file).code == 0


def test_strict_knows_no_packages(cordon, tmp_path):
    file = tmp_path / "np.py"
    file.write_text("import numpy as np\n")
    ran = cordon("check", "--json", file)
    assert [w["rule"] for w in json.loads(ran.out)[0]["warnings"]] == ["import"]


def test_the_question_says_what_would_not_be_asked_about(verdicts):
    (warnings,) = verdicts(["import pandas as pd\npd.read_csv('a.csv')\n"])
    assert "reads files" in warnings[0]["message"] and "io.StringIO" in warnings[0]["message"]


OWN = """
profiles:
  - name: own
    site: on
    allow: [dateutil.relativedelta, sqlite3]
    view: [/usr/lib/python3/dist-packages]
"""


def test_a_package_that_nobody_reviewed_is_as_open_as_it_says(run, tmp_path):
    config = tmp_path / "cordon.yaml"
    config.write_text(OWN)
    profile = ("--config", config, "--profile", "own")
    code = """
from datetime import date
from dateutil import relativedelta
import dateutil.relativedelta as again
result["d"] = date(2024, 1, 31) + relativedelta.relativedelta(months=1)
result["same"] = again.relativedelta is relativedelta.relativedelta
"""
    assert run(code, None, *profile)["result"] == {"d": "2024-02-29", "same": True}
    for line in ("from dateutil.relativedelta import copysign", "import dateutil.parser",
                 "import dateutil; dateutil.tz", "import sqlite3"):
        assert run(line, None, *profile)["status"] == "needs_approval", line

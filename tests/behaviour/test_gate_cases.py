# SPDX-License-Identifier: Apache-2.0
"""
The gate on cases: tests/gate/tricks.txt (each with the rule and the line of its warning),
tests/gate/ordinary.txt and programs-*.txt (no warning at all), the examples of the rules themselves, programs
made from a grammar of tame Python with and without a hostile part, and places and caps.
"""

import ast
import os
import re
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "gate"
SLOW = float(os.environ.get("CORDON_TEST_SLOWNESS", "1"))

sys.path.insert(0, os.environ.get("CORDON_WORKER_DIR", str(ROOT / "build")))
sys.path.insert(1, str(ROOT / "tools"))
from _cordon_worker import check  # noqa: E402
from make_gate_doc import page, rules  # noqa: E402


def blocks(name):
    """[(head, code), ...]"""
    text = (CASES / name).read_text(encoding="utf-8")
    parts = re.split(r"(?m)^=== (.*)\n", text)[1:]
    return list(zip(parts[::2], (code.rstrip("\n") + "\n" for code in parts[1::2])))


@pytest.mark.parametrize("head, code", blocks("tricks.txt"))
def test_a_trick_gets_its_warning(head, code):
    rule, line, *since = head.split()
    if since and sys.version_info < tuple(map(int, since[0].split("."))):
        pytest.skip(f"syntax of Python {since[0]}")
    found = {(warning["rule"], warning["line"]) for warning in check(code)}
    assert (rule, int(line)) in found, f"{code}\n{found}"


@pytest.mark.parametrize("head, code", blocks("ordinary.txt"))
def test_an_ordinary_program_gets_none(head, code):
    assert head == "clean"
    assert check(code) == [], code


@pytest.mark.parametrize("name", sorted(file.name for file in CASES.glob("programs-*.txt")))
def test_whole_programs_get_none(name):
    assert [head for head, code in blocks(name) if check(code)] == []


# ---- the rules' own examples -----------------------------------------------------


def test_the_rules_are_all_there():
    header = (ROOT / "src" / "base" / "rules.h").read_text(encoding="utf-8")
    assert len(rules()) == len(re.findall(r"^    RULE_\w+,", header, re.MULTILINE))
    names = [name for name, *_ in rules()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z-]+", name) for name in names)
    assert all(meaning.endswith(".") for _, meaning, *_ in rules())


def test_the_page_about_the_gate_is_current():
    assert (ROOT / "docs/GATE.md").read_text(encoding="utf-8") == page()


def test_what_cannot_be_written_down():
    def names(code):
        return {warning["rule"] for warning in check(code)}

    assert names("x = 1\0") == {"null-byte"}
    assert names("x = '\ud800'") == {"lone-surrogate"}
    assert names("#" * (2 << 20) + "\n") == {"too-large"}
    assert names("a;" * 200000 + "\n") == {"too-large"}
    assert names("\n".join("x = [1, 2, 3, 4, 5, 6]" for _ in range(30000))) == {"too-large"}
    assert names("x = " + "lambda: " * 200 + "0") == {"too-deep"}
    assert names("x = " + "+".join("a" * 5000)) == {"too-deep"}
    assert "more-warnings" in names("\n".join(f"x{i}" for i in range(400)))


def test_names_of_attributes_that_are_bound_in_circles_or_far_away():
    def rules(lines):
        return {warning["rule"] for warning in check("\n".join(["class A: pass", "a0 = 'm'", *lines]))}

    circle = ["def f(c):", "    a0 = 'm' if c else a0", "    return getattr(A(), a0)"]
    chain = [f"a{i + 1} = 'm' if input_data else a{i}" for i in range(5000)]
    assert rules(circle) == {"attribute-by-name"}
    assert "too-deep" in rules(chain + ["getattr(A(), a5000)"])


# ---- places ----------------------------------------------------------------------


def place(code):
    (warning,) = check(code)
    keys = ("line", "column", "end_line", "end_column", "snippet")
    return tuple(warning[key] for key in keys)


def test_columns_are_characters():
    assert place("größe = 'ß', eval\n") == (1, 14, 1, 18, "eval")
    assert place("x = '\U0001f600' ; y = open\n") == (1, 15, 1, 19, "open")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_pythons_own(end):
    assert place(f"x = '''{end}{end}'''{end}y = eval{end}")[:2] == (4, 5)


def test_a_place_in_an_f_string_lies_in_it():
    line, column, end_line, end_column, snippet = place("x = 1\ny = f'''{x}\n {eval}'''\n")
    assert (line, column) >= (2, 5) and (end_line, end_column) <= (3, 11)
    assert "eval" in snippet


def test_a_syntax_error_says_so_and_where():
    (warning,) = check("x = 1\ny = (\n")
    assert warning["rule"] == "syntax" and warning["message"].startswith("Syntax error: ")
    assert warning["line"] == 2


@pytest.mark.parametrize("line, code", [
    (1, "return 1"), (2, "if 1:\n    break"), (2, "x = 1\nfrom __future__ import annotations"),
    (3, "def f():\n    global x\n    x: int = 1"), (1, "def f(a, a): pass"),
    (2, "class C:\n    yield 1"), (1, "*a, *b = 1, 2"),
], ids=ascii)
def test_what_only_the_compiler_finds_is_a_syntax_error(line, code):
    (warning,) = check(code)
    assert warning["rule"] == "syntax" and warning["message"].startswith("Syntax error: ")
    assert warning["line"] == line


def test_a_long_snippet_is_cut():
    code = "import json\nx = json.loads(" + "1" * 500 + ").__dict__\n"
    assert len(check(code)[0]["snippet"]) == 120


def test_the_most_serious_comes_first():
    found = [warning["rule"] for warning in check("undefined\n(1)._x\nimport os\neval\n")]
    assert found == ["denied-builtin", "import", "private-attribute", "unknown-name"]


# ---- programs from a grammar --------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "total", "rows", "item"])
ATOMS = NAMES | st.sampled_from(["(1)", "'x'", "[]", "{}", "None", "len(rows)", "input_data"])


def combined(inner):
    return (
        st.tuples(inner, st.sampled_from(["+", "==", "and", "in", "is not"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        )
        | st.lists(inner, max_size=3).map(lambda t: f"[{', '.join(t)}]")
        | st.tuples(inner, inner).map(lambda t: f"{{{t[0]}: {t[1]}}}")
        | st.tuples(inner, NAMES).map(lambda t: f"{t[0]}.{t[1]}")
        | st.tuples(inner, inner).map(lambda t: f"{t[0]}[{t[1]}]")
        | st.tuples(inner, st.lists(inner, max_size=2)).map(lambda t: f"str({', '.join(t[1])})")
        | st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})")
        | st.tuples(inner, NAMES, inner).map(lambda t: f"[{t[0]} for {t[1]} in {t[2]}]")
        | st.tuples(NAMES, inner).map(lambda t: f"(lambda {t[0]}: {t[1]})")
        | inner.map(lambda t: f"f'{{ {t} !r}}'" if "'" not in t and "\\" not in t else t)
        | inner.map(lambda t: f"sorted({t}, key=lambda v: v)")
    )


EXPRESSIONS = st.recursive(ATOMS, combined, max_leaves=8)

STATEMENTS = st.tuples(
    st.sampled_from(
        [
            "x = {0}",
            "x: int = {0}",
            "print({0}, {1})",
            "if {0}:\n    x = {1}",
            "for item in {0}:\n    x = {1}",
            "while {0}:\n    break",
            "try:\n    x = {0}\nexcept ValueError as error:\n    print(error, {1})",
            "def f(p={0}, *q, r=None, **s):\n    return {1}",
            "class C:\n    field = {0}\n    def m(self):\n        return {1}",
            "match {0}:\n    case [first, *_] if {1}:\n        print(first)",
            "with f() as x:\n    print({0})",
            "assert {0}, {1}",
            "x = yes = {0}",
            "x, *y = {0}, {1}",
            "del x",
            "async def g():\n    return [{0} async for v in f()]",
        ]
    ),
    EXPRESSIONS,
    EXPRESSIONS,
).map(lambda t: t[0].format(t[1], t[2]))

PROLOGUE = "a = b = total = rows = item = x = 0\ndef f(): pass\n"
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=6).map(lambda s: PROLOGUE + "\n".join(s))

HOSTILE = [
    "eval",
    "open",
    "__import__('os')",
    "json",
    "getattr",
    "type",
    "[globals()]",  # to ask it for a name, `"x" in globals()`, is allowed
    "len.__self__",
    "(1).__class__.__base__.__subclasses__",  # to print the base is allowed
    "f.__globals__",
    "a.gi_frame",
    "json.codecs",
    "'{0.__class__}'.format(1)",
    "getattr(a, input_data)",
    "vars(a)",
    "nowhere",
]


@settings(max_examples=200, deadline=None)
@given(PROGRAMS)
def test_tame_programs_are_clean(code):
    assert check(code + "\n") == [], code


@settings(max_examples=200, deadline=None)
@given(PROGRAMS, st.sampled_from(HOSTILE), st.data())
def test_one_hostile_part_anywhere_is_seen(code, hostile, data):
    spots = [m.span() for m in re.finditer(r"\b(?:None|input_data|len\(rows\))", code)]
    if not spots:
        code, spots = code + "\nNone", [(len(code) + 1, len(code) + 5)]
    start, end = data.draw(st.sampled_from(spots))
    spliced = f"{code[:start]}{hostile}{code[end:]}\n"
    if "f'" in code[max(0, code.rfind("\n", 0, start)) : start] and "'" in hostile:
        return  # would not parse before 3.12
    warnings = check(spliced)
    # A truth or a statement by itself is no use of a module.
    harmless = hostile in ("json", "type") and warnings == []
    assert warnings or (harmless and re.search(rf"(?m)(^|not |if |while |is not |assert ){hostile}|{hostile} is ", spliced)), spliced


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=60) | st.text(alphabet=string.printable))
def test_any_text_gets_a_list(text):
    assert isinstance(check(text), list)


# ---- hostile sizes --------------------------------------------------------------------

N = 20000
SIZES = {
    "one symbol in a long call": "from enum import Enum\nprint(" + "Enum," * N + ")",
    "a long chain of comparisons": "x = 1\n(" + " in ".join(["x"] * N) + ")",
    "classes compared with classes": "x = 1\n(" + " == ".join(["type(x)"] * N) + ")",
    "one name for many modules": "import json\n" * N + "json\n" * N,
    "odd characters": "x = '" + "\u202e" * 10 * N + "'",
    "names that other scripts spell": "\n".join(f"\u0441x{i} = 1" for i in range(N)),
    "texts that double": "t0 = '{}'\n"
    + "\n".join(f"t{i} = t{i - 1} + t{i - 1}" for i in range(1, 40))
    + "\n"
    + "\n".join(f"u{i} = t16\nu{i}.format(1)" for i in range(1000)),
    "names looked up from far inside": "\n".join(f"v{i} = 1" for i in range(N))
    + "\ny = "
    + "".join(f"lambda a{d}: " for d in range(90))
    + "["
    + ",".join(f"v{i}" for i in range(N))
    + "]",
    "a method with many": "class A:\n    def m(self):\n" + "        vars(self)\n" * N,
    "decorators": "class A:\n" + "    @d\n" * N + "    def __eq__(self, o):\n" + "        o.__dict__\n" * N,
    "a builtin shadowed here and there": "if x:\n    type = 1\n" * 10 + "type\n" * N,
}


@pytest.mark.parametrize("name", SIZES)
def test_the_time_is_bounded(name):
    start = time.monotonic()
    compile(SIZES[name], "<code>", "exec", ast.PyCF_ONLY_AST)
    parsed = time.monotonic()
    assert isinstance(check(SIZES[name]), list)
    assert time.monotonic() - parsed < 3 * (parsed - start) + 0.5 * SLOW


# ---- the table -----------------------------------------------------------------------


def test_the_export_table_is_made_from_its_source_and_fits_this_python():
    tool = [sys.executable, "-W", "ignore", str(ROOT / "tools" / "make_exports.py")]
    made = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    assert made == (ROOT / "worker" / "exports.c").read_text(encoding="utf-8")
    done = subprocess.run([*tool, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

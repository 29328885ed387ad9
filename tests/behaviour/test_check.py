# SPDX-License-Identifier: Apache-2.0
"""
`cordon check`, what a person and a program read of warnings, and `cordon explain`. Whether
the gate is right is for other tests: here stands how it is told.
"""

import hashlib
import json
import re
import subprocess
import sys

import pytest

CLEAN = "result['n'] = 1\n"


@pytest.fixture
def file(tmp_path):
    """file(data, name="code.py") -> the path of a new file that holds data."""

    def make(data=CLEAN, name="code.py"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return make


@pytest.fixture
def shown(cordon, file):
    """shown(code) -> the lines that `cordon check` prints of it, the place cut down."""

    def shown(code, *args, **kwargs):
        path = file(code)
        ran = cordon("check", *args, path, **kwargs)
        assert ran.code == 3, ran
        return ran.stdout.replace(f"{path}:", "code.py:").splitlines()

    return shown


# ---- for a person --------------------------------------------------------------------


def test_a_clean_file(cordon, file):
    ran = cordon("check", file())
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "no warnings\n")


def test_a_warning_has_its_place_and_carets(shown):
    lines = shown("x = 1\nimport subprocess\n")
    assert re.fullmatch(r"code\.py:2:8: .*subprocess.* \[import\]", lines[0])
    assert lines[1:] == ["    import subprocess", "           ^^^^^^^^^^"]


def test_the_end_is_a_count_on_stderr(cordon, file):
    bad = file("import subprocess\neval('1')\n", "bad.py")
    ran = cordon("check", file(name="a.py"), bad, file(name="b.py"))
    assert ran.code == 3
    assert ran.stderr == "2 warnings in 1 of 3 files\n"
    assert ran.stdout.count("bad.py:") == 2
    assert cordon("check", bad).stderr == "2 warnings in 1 of 1 file\n"


def test_repeats_are_counted(shown):
    lines = shown("eval('1')\nx = 2\neval('3')\n")
    assert lines[0].endswith(" [denied-builtin] ×2")
    assert len(lines) == 3


def test_carets_stand_under_tabs_and_wide_characters(shown):
    lines = shown("if 1:\n\tx = ['日本語', 'e\u0301', eval('1')]\n")
    assert lines[1] == "    x = ['日本語', 'e\u0301', eval('1')]"
    assert lines[2] == " " * (4 + len("x = ['") + 6 + len("', 'e', ")) + "^^^^"


def test_a_tab_inside_a_line(shown):
    lines = shown("x = 1;\ty = eval('1')\n")
    assert lines[1].index("eval") == lines[2].index("^") == 4 + 8 + 4


@pytest.mark.parametrize("before", [0, 30, 200, 50_000])
@pytest.mark.parametrize("after", [0, 30, 200, 50_000])
def test_a_long_line_is_cut_around_the_range(shown, before, after):
    _, line, carets = shown("x = [" + "1, " * before + "eval('1')" + ", 1" * after + "]\n")
    assert len(line) <= 120
    at = carets.index("^")
    assert carets == " " * at + "^^^^"
    assert line[at:].startswith("eval")
    assert line.startswith("    x = [") or line.startswith("    ...")
    assert line.endswith("]") or line.endswith("...")


def test_a_long_range_shows_its_beginning(shown):
    _, line, carets = shown("x = " + "a" * 50 + " = 1\nimport " + "b" * 500 + "\n")
    assert len(line) <= 120 and line.startswith("    import bbb") and line.endswith("...")
    assert carets.startswith("           ^^^")
    assert len(carets) <= len(line)


def test_a_range_of_several_lines_is_marked_to_the_end_of_the_first(shown):
    lines = shown("x = (1)\n().__class__ \\\n .__bases__\n")
    assert lines[1].startswith("    ().__class__ \\")
    assert set(lines[2].strip()) == {"^"}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_counts_them(shown, ending):
    lines = shown(f"x = 1{ending}y = 2{ending}eval('3'){ending}")
    assert any(line.startswith("code.py:3:1: ") for line in lines)
    assert "    eval('3')" in lines


def test_a_byte_order_mark_shifts_nothing(shown):
    lines = shown(b"\xef\xbb\xbfeval('1')\n")
    assert lines[0].startswith("code.py:1:1: ")
    assert lines[1:] == ["    eval('1')", "    ^^^^"]


def test_what_could_deceive_is_spelled_out(cordon, file):
    path = file("x = 'a\u202eb\u200b'; y = '\x07'\nimport no_\u2066such\n")
    ran = cordon("check", path)
    assert ran.code == 3
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]",
                         ran.stdout)
    assert "<U+202E>" in ran.stdout


def test_accents_do_not_pile_up(shown):
    _, line, carets = shown("x = 'e" + "\u0301" * 100_000 + "', eval('1')\n")
    assert line == "    x = 'e" + "\u0301" * 4 + "', eval('1')"
    assert carets == " " * 13 + "^^^^"


def test_a_hostile_file_name_stays_one_line(cordon, file):
    ran = cordon("check", file("eval('1')\n", "a\nb\u202e\x1b[2J.py"))
    assert ran.code == 3
    assert ran.stdout.count("\n") == 3
    assert "a\\x0ab<U+202E>\\x1b[2J.py:1:1: " in ran.stdout


def test_a_syntax_error_is_one_warning(shown):
    lines = shown("def f(:\n    pass\n")
    assert re.match(r"code\.py:1:7: Syntax error.* \[syntax\]", lines[0])
    assert lines[1:] == ["    def f(:", "          ^"]


def test_a_warning_at_the_end_of_the_text(shown):
    lines = shown("x = (1,\n")
    assert "[syntax]" in lines[0]


def test_standard_input(cordon):
    ran = cordon("check", "-", stdin="eval('1')\n")
    assert ran.code == 3
    assert ran.stdout.startswith("<stdin>:1:1: ")
    assert cordon("check", "-", stdin=CLEAN).code == 0


def test_nothing_of_the_code_runs(cordon, file):
    ran = cordon("check", file("print('ran')\nwhile True: pass\n"))
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "no warnings\n")


# ---- many files ------------------------------------------------------------------------


def test_many_files_are_told_in_their_order(cordon, file):
    paths = [file(f"x{i} = {i}\n" + ("eval('1')\n" if i % 3 == 0 else ""), f"{i:03}.py")
             for i in range(100)]
    ran = cordon("check", *paths)
    assert ran.code == 3
    assert ran.stderr == "34 warnings in 34 of 100 files\n"
    told = re.findall(r"(\d+)\.py:2:1: ", ran.stdout)
    assert told == [f"{i:03}" for i in range(0, 100, 3)]
    rows = json.loads(cordon("check", "--json", *paths).out)
    assert [row["file"] for row in rows] == [str(path) for path in paths]


def test_what_cannot_be_read_stops_nothing_else(cordon, file, tmp_path):
    ran = cordon("check", tmp_path, file(), tmp_path / "none.py", file("eval('1')\n", "warned.py"))
    assert ran.code == 2
    lines = ran.stderr.splitlines()
    assert re.fullmatch(r"cordon: .*: .*directory", lines[0])
    assert re.fullmatch(r"cordon: .*none\.py: No such file or directory", lines[1])
    assert lines[2] == "1 warning in 1 of 4 files; 2 of 4 files could not be checked"
    assert "warned.py:1:1: " in ran.stdout


@pytest.mark.parametrize("code, rule, shown", [
    (b"x = 1\0\nimport os\n", "null-byte", "x = 1\\x00"),
    (b"x = '\xed\xa0\x80'\n", "lone-surrogate", "x = '\\xed\\xa0\\x80'"),
    (b"x = '\xff\xed\xa0\x80'\n", "lone-surrogate", "x = '\\xff\\xed\\xa0\\x80'"),
    (b"\x89PNG\r\n\x1a\n\0", "lone-surrogate", "\\x89PNG"),
    (b"#" * (15 << 20), "too-large", "#"),
], ids=["null", "half a character", "no UTF-8", "a picture", "15 MiB"])
def test_any_bytes_get_a_verdict(cordon, file, code, rule, shown):
    path = file(code, "any.py")
    ran = cordon("check", path, file())
    assert ran.code == 3 and f"[{rule}]\n    {shown}" in ran.stdout
    [row] = json.loads(cordon("check", "--json", path).out)
    assert row["status"] == "needs_approval" and [w["rule"] for w in row["warnings"]] == [rule]
    assert row["code_sha256"] == hashlib.sha256(code).hexdigest()


def test_the_profile_says_how_long_code_may_be(cordon, file):
    config = file("profiles:\n- {name: less, limits: {code: 1KiB}}\n- {name: more, limits: {code: 2MiB}}\n", "c.yaml")
    for profile, size, code in ("less", 1024, 0), ("less", 1025, 3), ("more", 2 << 20, 0), ("more", (2 << 20) + 1, 3):
        ran = cordon("check", "--config", config, "--profile", profile, file("#" * (size - 1) + "\n"))
        assert ran.code == code and ("[too-large]" in ran.stdout) == (code == 3), ran


def test_more_files_that_cannot_be_read_than_are_looked_at_at_once(cordon, file, tmp_path):
    names = [str(tmp_path / f"none{i}.py") for i in range(70)]
    ran = cordon("check", *names[:35], file("eval('1')\n", "warned.py"), *names[35:])
    assert ran.code == 2
    assert ran.stderr.endswith("1 warning in 1 of 71 files; 70 of 71 files could not be checked\n")
    assert cordon("check", *names).stderr.endswith("nothing was checked\n")


def test_one_mark_at_the_start_is_no_text(cordon, file):
    assert cordon("check", file("\ufeffx = 1\n")).code == 0
    assert ":1:1: " in cordon("check", file("\ufeffeval\n")).stdout
    two = cordon("check", file("\ufeff\ufeffx = 1\n"))
    assert two.code == 3 and "[invisible-character]" in two.stdout


def test_nothing_could_be_checked(cordon, tmp_path):
    ran = cordon("check", tmp_path)
    assert ran.code == 2 and ran.out == b""
    assert ran.stderr.splitlines()[1] == "nothing was checked"


@pytest.mark.parametrize("args, words", [
    (["check"], ["FILE"]),
    (["check", "-", "-"], ["standard input"]),
    (["check", "--approved", "FILE"], ["--approved"]),
    (["check", "--profile", "nonesuch", "FILE"], ["--profile", "nonesuch"]),
    (["check", "--python", "/nonesuch/python3", "FILE"], ["--python", "/nonesuch/python3"]),
    (["check", "--config", "/nonesuch.yaml", "FILE"], ["/nonesuch.yaml"]),
    (["explain", "nonesuch"], ["nonesuch", "cordon explain"]),
    (["explain", "syntax", "import"], ["one RULE"]),
])
def test_what_is_refused(cordon, file, args, words):
    ran = cordon(*[str(file()) if arg == "FILE" else arg for arg in args])
    assert ran.code == 2 and ran.out == b"", ran
    assert ran.stderr.startswith("cordon: ") and ran.stderr.count("\n") == 1
    assert all(word in ran.stderr for word in words), ran.stderr


def test_help(cordon):
    for command in ("check", "explain"):
        ran = cordon(command, "--help")
        assert ran.code == 0 and ran.err == b""
        assert ran.stdout.startswith(f"Usage: cordon {command} ")
        assert "Exit status" in ran.stdout
    assert re.search(r"^  check +\S.*\n  explain +\S", cordon("--help").stdout, re.MULTILINE)


# ---- for a program -----------------------------------------------------------------------


def test_json(cordon, file, tmp_path):
    paths = [file(), file("eval('1')\n", "warned.py"), tmp_path / "none.py"]
    ran = cordon("check", "--json", *paths)
    assert ran.code == 2 and ran.err == b""
    assert ran.out.count(b"\n") == 1 and ran.out.endswith(b"]\n")
    clean, warned, none = json.loads(ran.out)
    assert list(clean) == ["file", "status", "warnings", "error", "code_sha256"]
    assert (clean["status"], clean["warnings"], clean["error"]) == ("ok", [], None)
    assert warned["status"] == "needs_approval"
    assert len(warned["code_sha256"]) == 64
    [warning] = warned["warnings"]
    assert list(warning) == ["rule", "message", "line", "column", "end_line", "end_column",
                             "snippet", "count"]
    assert (warning["rule"], warning["snippet"]) == ("denied-builtin", "eval")
    assert [warning[k] for k in ("line", "column", "end_line", "end_column")] == [1, 1, 1, 5]
    assert (none["status"], none["warnings"]) == ("unreadable", None)
    assert none["error"] == {"kind": "file", "message": "No such file or directory"}


def test_json_exit_codes(cordon, file):
    assert cordon("check", "--json", file()).code == 0
    assert cordon("check", "--json", file(), file("eval('1')\n", "w.py")).code == 3


def test_json_says_what_the_envelope_says(cordon, run):
    code = "import os\nx = eval('1')\n"
    [row] = json.loads(cordon("check", "--json", "-", stdin=code).out)
    envelope = run(code)
    for member in ("status", "warnings", "code_sha256"):
        assert row[member] == envelope[member]


# ---- explain ---------------------------------------------------------------------------


def rules(cordon):
    ran = cordon("explain", "--json")
    assert ran.code == 0 and ran.err == b""
    return json.loads(ran.out)


def test_every_rule_is_listed_and_explained(cordon):
    listed = cordon("explain")
    assert listed.code == 0
    for rule in rules(cordon):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule["rule"])
        assert re.search(rf"^{rule['rule']} +\S", listed.stdout, re.MULTILINE)
        told = cordon("explain", rule["rule"])
        assert told.code == 0 and told.stdout.startswith(f"{rule['rule']}\n\n{rule['meaning']}\n")
        assert ("\nAsks:\n" in told.stdout) == (rule["trips"] is not None)
        assert ("\nAsks, what this prints:\n" in told.stdout) == (rule["trips"] is None)
        assert (rule["trips"] is None) == (rule["maker"] is not None)
        assert ("\nRuns unasked:\n" in told.stdout) == (rule["passes"] is not None)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told.stdout)


def test_one_rule_as_json(cordon):
    [rule] = json.loads(cordon("explain", "--json", "import").out)
    assert rule["rule"] == "import"


def made_by(maker):
    """What a maker prints."""
    return subprocess.run([sys.executable, "-I", "-c", maker], capture_output=True, check=True).stdout


def test_every_example_is_true(cordon, file):
    """The code that asks gets a warning of its rule, and the code that does not gets none."""
    bad, good = [], []
    for rule in rules(cordon):
        if rule["rule"] == "package-door":  # needs a package: test_data.py
            continue
        code = made_by(rule["maker"]) if rule["trips"] is None else rule["trips"]
        bad.append((rule["rule"], file(code, f"trips-{rule['rule']}.py")))
        if rule["passes"] is not None:
            good.append((rule["rule"], file(rule["passes"], f"passes-{rule['rule']}.py")))
    rows = json.loads(cordon("check", "--json", *[path for _, path in bad]).out)
    for (name, path), row in zip(bad, rows, strict=True):
        is_newer = name == "unknown-syntax" and sys.version_info < (3, 12)
        found = {w["rule"] for w in row["warnings"]}
        assert ("syntax" if is_newer else name) in found, (path.read_bytes()[:200], row)
    rows = json.loads(cordon("check", "--json", *[path for _, path in good]).out)
    for (_, path), row in zip(good, rows, strict=True):
        assert row["warnings"] == [], (path.read_bytes(), row)

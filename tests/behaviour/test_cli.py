# SPDX-License-Identifier: Apache-2.0
"""
The command line: what is refused and how it is said, exit codes, what a person reads,
what a program reads, and that help, man page and parser are one list.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

EXAMPLE = "print('out')\nresult = {'n': 1}\n"


@pytest.fixture
def file(tmp_path):
    """file(data, name="code.py") -> the path of a new file that holds data."""

    def make(data=EXAMPLE, name="code.py"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return make


def refused(ran, *words):
    """Exit 2, silence on stdout, and one line on stderr that says all of words."""
    assert ran.code == 2, ran
    assert ran.out == b""
    assert ran.stderr.startswith("cordon: ") and ran.stderr.endswith("\n"), ran.stderr
    assert ran.stderr.count("\n") == 1, ran.stderr
    for word in words:
        assert word in ran.stderr, ran.stderr
    return ran.stderr


# ---- what is refused ---------------------------------------------------------------


@pytest.mark.parametrize("args, words", [
    ([], ["command"]),
    (["frobnicate"], ["frobnicate", "command"]),
    (["--frobnicate"], ["--frobnicate", "option"]),
    (["run"], ["FILE"]),
    (["run", "--frobnicate", "FILE"], ["--frobnicate"]),
    (["run", "-x", "FILE"], ["-x"]),
    (["run", "FILE", "FILE"], ["one FILE"]),
    (["run", "FILE", "--timeout"], ["--timeout", "argument"]),
    (["run", "--json=yes", "FILE"], ["--json", "argument"]),
    (["run", "-i", "-", "-"], ["-i", "standard input"]),
    (["run", "-i", "@-", "-"], ["-i", "standard input"]),
    (["run", "--timeout", "0", "FILE"], ["--timeout", "'0'"]),
    (["run", "--timeout", "0.0001", "FILE"], ["--timeout"]),
    (["run", "--timeout", "-1", "FILE"], ["--timeout", "'-1'"]),
    (["run", "--timeout", "nan", "FILE"], ["--timeout", "'nan'"]),
    (["run", "--timeout", "inf", "FILE"], ["--timeout", "'inf'"]),
    (["run", "--timeout", "1e9", "FILE"], ["--timeout", "'1e9'"]),
    (["run", "--timeout", "1000000000", "FILE"], ["--timeout", "strict"]),
    (["run", "--timeout", "9" * 40, "FILE"], ["--timeout"]),
    (["run", "--timeout", "abc", "FILE"], ["--timeout", "'abc'"]),
    (["run", "--timeout", "", "FILE"], ["--timeout", "''"]),
    (["run", "--timeout", "30.001", "FILE"], ["--timeout", "strict"]),
    (["run", "--memory", "0", "FILE"], ["--memory", "'0'"]),
    (["run", "--memory", "1X", "FILE"], ["--memory", "'1X'"]),
    (["run", "--memory", "-1", "FILE"], ["--memory", "'-1'"]),
    (["run", "--memory", "99999999T", "FILE"], ["--memory", "'99999999T'"]),
    (["run", "--memory", "1G", "FILE"], ["--memory", "strict"]),
    (["run", "--memory", "1", "FILE"], ["--memory"]),
    (["run", "--nonfinite", "zero", "FILE"], ["--nonfinite", "'zero'"]),
    (["run", "--level", "none", "FILE"], ["--level", "'none'"]),
    (["run", "--drop-wall", "moat", "FILE"], ["--drop-wall", "'moat'"]),
    (["run", "--profile", "nonesuch", "FILE"], ["--profile", "nonesuch"]),
    (["run", "--profile", "", "FILE"], ["--profile"]),
    (["run", "--python", "", "FILE"], ["--python"]),
    (["run", "--python", "/nonesuch/python3", "FILE"], ["--python", "/nonesuch/python3"]),
    (["run", "-i", "", "FILE"], ["-i"]),
    (["run", "-i", "{", "FILE"], ["-i"]),
    (["run", "-i", "nope", "FILE"], ["-i"]),
    (["run", "-i", "[1]", "FILE"], ["-i", "object"]),
    (["run", "-i", "3", "FILE"], ["-i", "object"]),
    (["run", "-i", "null", "FILE"], ["-i", "object"]),
    (["run", "-i", "{} {}", "FILE"], ["-i"]),
    (["run", "-i", "@/nonesuch.json", "FILE"], ["-i", "/nonesuch.json", "No such file"]),
    (["run", "-i", "@/", "FILE"], ["-i", "directory"]),
    (["run", "-i", "@", "FILE"], ["-i"]),
])
@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["person", "json"])
def test_bad_command_line(cordon, file, args, words, json_too):
    args = [str(file()) if arg == "FILE" else arg for arg in args]
    if args[:1] == ["run"]:
        args[1:1] = json_too
    refused(cordon(*args), *words)


def test_missing_file(cordon, tmp_path):
    refused(cordon("run", tmp_path / "none.py"), "none.py", "No such file")


def test_directory(cordon, tmp_path):
    refused(cordon("run", tmp_path), str(tmp_path), "directory")


def test_unreadable_file(cordon, file):
    path = file()
    path.chmod(0)
    if os.access(path, os.R_OK):
        path = "/proc/self/mem"  # even root reads nothing at its start
    refused(cordon("run", path), str(path))


def test_not_utf8_names_the_byte(cordon, file):
    refused(cordon("run", file(b"a = 1\nb = '\xff'\n")), "code.py", "UTF-8", "11")
    refused(cordon("run", "-", stdin=b"\xe9"), "standard input", "UTF-8", "0")


def test_encoded_surrogate_is_not_utf8(cordon):
    refused(cordon("run", "-", stdin="a = '\ud800'"), "UTF-8")


def test_a_null_character_is_the_gates_to_tell(cordon, file):
    code = file(b"a = 1\0\nimport os\n")
    asked = cordon("run", "--json", code)
    assert asked.code == 3
    told = json.loads(asked.out)
    assert [w["rule"] for w in told["warnings"]] == ["null-byte"]
    assert told["code_preview"] == "a = 1\0\nimport os\n"
    for wall in ["--approved"], ["--drop-wall", "gate"]:
        ran = cordon("run", "--json", *wall, code)
        assert ran.code == 1 and json.loads(ran.out)["error"]["kind"] == "syntax"


@pytest.mark.parametrize("wall", ["namespaces", "root", "landlock", "seccomp", "limits"])
def test_the_full_level_is_every_wall_of_the_box(cordon, file, wall):
    refused(cordon("run", "--level", "full", "--drop-wall", wall, file("x = 1")), "every wall")
    assert cordon("run", "--level", "full", "--drop-wall", "interpreter", file("x = 1")).code == 0


def test_code_too_long(cordon, file):
    asked = cordon("run", file("#" * (1088 << 10) + "\n"))
    assert asked.code == 3 and "[too-large]" in asked.stderr
    refused(cordon("run", file("#" * (8 << 20) + "\n")), "code.py", "strict", "8388608")


@pytest.mark.parametrize("args", [["/dev/zero"], ["-i", "@/dev/zero", "CODE"]])
def test_endless_file(cordon, file, args):
    args = [str(file()) if arg == "CODE" else arg for arg in args]
    refused(cordon("run", *args), "/dev/zero")


def test_input_that_is_not_utf8(cordon, file):
    path = file(b'{"a": "\xff"}', "in.json")
    refused(cordon("run", "-i", f"@{path}", file()), "-i")


def test_input_too_deep(cordon, file):
    deep = '{"a": ' + "[" * 1001 + "]" * 1001 + "}"
    refused(cordon("run", "-i", deep, file()), "-i", "1000")


def test_a_hostile_name_stays_one_harmless_line(cordon):
    said = refused(cordon("run", "no\n\x1b[2Jsuch\u009bfile"), "such")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", said)


# ---- what is asked about ----------------------------------------------------------


def test_version(cordon, root):
    header = (root / "include/cordon.h").read_text()
    version = re.search(r'#define CORDON_VERSION "(.*)"', header).group(1)
    ran = cordon("--version")
    assert (ran.code, ran.stdout, ran.stderr) == (0, f"cordon {version}\n", "")


def help_options(text):
    """{"--timeout": "S", "-i": "JSON|@FILE|-", "--input": "JSON|@FILE|-", ...}"""
    found = {}
    for line in text.splitlines():
        match = re.match(r"  (?:(-\w), |    )(--[\w-]+)(?: (\S+))?  ", line)
        if match:
            short, long, arg = match.groups()
            found[long] = arg
            if short:
                found[short] = arg
    return found


def man_options(root):
    """The same, of the OPTIONS section of the man page's source."""
    source = (root / "man/cordon.1.scd").read_text()
    section = source.split("# OPTIONS\n")[1].split("\n# ")[0]
    found = {}
    for line in section.splitlines():
        if re.match(r"\*-", line):
            names = re.findall(r"\*(--?[\w-]+)\*", line)
            arg = re.sub(r"[*_]", "", line.split("*" + names[-1] + "*")[1]).strip()
            found.update(dict.fromkeys(names, arg or None))
    return found


def test_man_page_has_the_options_of_help(cordon, root):
    top, run = cordon("--help"), cordon("run", "--help")
    assert top.code == run.code == 0
    assert top.err == run.err == b""
    told = {**help_options(top.stdout), **help_options(run.stdout)}
    assert len(told) > 12
    assert man_options(root) == told


def test_man_page_has_the_exit_codes_of_help(cordon, root):
    told = cordon("run", "--help").stdout.split("Exit status:\n")[1]
    told = {(int(code), word) for code, word in re.findall(r"^  (\d)  (\w*)", told, re.MULTILINE)}
    source = (root / "man/cordon.1.scd").read_text()
    section = source.split("# EXIT STATUS\n")[1].split("\n# ")[0]
    written = set()
    for code, text in re.findall(r"^\*(\d)\*\n((?:\t.*\n)+)", section, re.MULTILINE):
        words = re.findall(r"\*(\w+)\*:", text)
        written |= {(int(code), word) for word in words or [""]}
    assert written == told


def test_help_names_every_command(cordon):
    assert re.search(r"^  run +\S", cordon("--help").stdout, re.MULTILINE)


def test_help_needs_no_file(cordon):
    assert cordon("run", "-h").out == cordon("run", "--help", "--timeout", "3").out


def test_help_into_a_full_disk(cordon):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([cordon.path, "run", "--help"], stdout=full, stderr=subprocess.PIPE,
                              check=False)
    assert done.returncode == 6
    assert b"No space left" in done.stderr


# ---- how it ends --------------------------------------------------------------------


@pytest.mark.parametrize("code, args, status, exit_code", [
    ("result = {}", [], "ok", 0),
    ("raise SystemExit(0)", [], "ok", 0),
    ("1 / 0", [], "error", 1),
    ("def f(:", ["--no-gate"], "error", 1),
    ("raise SystemExit(3)", [], "error", 1),
    ("result = 3", [], "error", 1),
    ("while True: pass", ["--timeout", "0.3"], "timeout", 4),
    ("result['x'] = 'x' * (17 << 20)", [], "limit", 5),
])
def test_exit_code_is_the_status(cordon, code, args, status, exit_code):
    ran = cordon("run", "--json", *args, "-", stdin=code)
    assert json.loads(ran.out)["status"] == status
    assert ran.code == exit_code
    assert cordon("run", *args, "-", stdin=code).code == exit_code


def test_interrupt_kills_the_run(cordon):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with cordon.popen("run", "-", stdin=subprocess.PIPE) as process:
            process.stdin.write(b"print('on', flush=True)\nwhile True: pass\n")
            process.stdin.close()
            assert process.stdout.readline() == b"on\n"
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(timeout=20) == 128 + number
            assert time.monotonic() - began < 10


def test_an_ignored_interrupt_stays_ignored(cordon, file):
    path = file("import time\nprint('on', flush=True)\ntime.sleep(1)\nprint('off')\n")
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `&`
    with cordon.popen("run", path, preexec_fn=ignore) as process:
        assert process.stdout.readline() == b"on\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"off\n"
        assert process.wait(timeout=20) == 0


# ---- for a program ----------------------------------------------------------------


def test_json_is_the_envelope_and_nothing_else(cordon):
    ran = cordon("run", "--json", "-", stdin="print('o')\nresult = {'a': 1}")
    assert ran.code == 0 and ran.err == b""
    assert ran.out.endswith(b"}\n") and ran.out.count(b"\n") == 1
    envelope = json.loads(ran.out)
    assert envelope["status"] == "ok"
    assert envelope["stdout"] == "o\n"
    assert envelope["result"] == {"a": 1}
    assert list(envelope)[:2] == ["status", "result"]


def test_json_of_an_error(cordon):
    ran = cordon("run", "--json", "-", stdin="x = 1\n1 / 0\n")
    assert ran.code == 1 and ran.err == b""
    error = json.loads(ran.out)["error"]
    assert error["type"] == "ZeroDivisionError"
    assert error["line"] == 2


def test_options_after_the_file(cordon, file):
    ran = cordon("run", file(), "--json")
    assert json.loads(ran.out)["result"] == {"n": 1}


def test_double_dash_ends_the_options(cordon, file, tmp_path):
    file(name="--json")
    assert cordon("run", "--", "--json", cwd=tmp_path).stdout == 'out\n{\n  "n": 1\n}\n'


# ---- input_data --------------------------------------------------------------------


ECHO = "result = input_data"


def test_input_written_out(run, cordon, file):
    ran = cordon("run", "--json", "--input", '{"k": [1]}', file(ECHO))
    assert json.loads(ran.out)["result"] == {"k": [1]}


def test_input_from_a_file(cordon, file):
    path = file('{"k": 2}\n', "in.json")
    ran = cordon("run", "--json", "-i", f"@{path}", file(ECHO))
    assert json.loads(ran.out)["result"] == {"k": 2}


@pytest.mark.parametrize("name", ["-", "@-", "@/dev/stdin"])
def test_input_from_standard_input(cordon, file, name):
    ran = cordon("run", "--json", "-i", name, file(ECHO), stdin='{"k": 3}')
    assert json.loads(ran.out)["result"] == {"k": 3}


def test_no_input_is_an_empty_object(run):
    assert run(ECHO)["result"] == {}


def test_code_from_a_pipe_with_a_name(cordon):
    ran = cordon("run", "/dev/stdin", stdin="print(input_data)")
    assert ran.stdout == "{}\n"


# ---- for a person -------------------------------------------------------------------


def test_output_then_indented_result(cordon, file):
    ran = cordon("run", file("print('a')\nresult = {'x': [1, 2], 'y': {}, 'z': []}"))
    assert ran.code == 0 and ran.err == b""
    assert ran.stdout == (
        'a\n{\n  "x": [\n    1,\n    2\n  ],\n  "y": {},\n  "z": []\n}\n')


def test_result_begins_a_new_line(cordon):
    assert cordon("run", "-", stdin="print('a', end='')\nresult['b'] = 1").stdout == (
        'a\n{\n  "b": 1\n}\n')


def test_empty_result_prints_nothing(cordon):
    assert cordon("run", "-", stdin="print('a', end='')").stdout == "a"
    assert cordon("run", "-", stdin="pass").stdout == ""


def test_numbers_and_strings_keep_their_digits(cordon):
    text = '{"a": 1.10, "b": 123456789012345678901234567890, "c": "\\ud800{[,:"}'
    ran = cordon("run", "-i", text, "-", stdin="from decimal import Decimal\n"
                 "result = {'b': input_data['b'], 'c': input_data['c'], 'd': Decimal('1.10')}")
    assert '"b": 123456789012345678901234567890' in ran.stdout
    assert '"c": "\\ud800{[,:"' in ran.stdout
    assert '"d": "1.10"' in ran.stdout


def test_output_into_a_pipe_is_raw(cordon):
    code = "print('out \\x1b[2J \\u009b')\nresult['n'] = 1\n"
    ran = cordon("run", "-", stdin=code)
    assert ran.out.startswith(b"out \x1b[2J \xc2\x9b\n{")


def test_an_exception_is_told_with_the_users_line(cordon, file):
    path = file("def f(x):\n    return 1 / x\n\nf(0)\n")
    ran = cordon("run", path)
    assert ran.code == 1 and ran.out == b""
    assert f'  File "{path}", line 4' in ran.stderr
    assert f'  File "{path}", line 2' in ran.stderr
    assert "    return 1 / x\n" in ran.stderr
    assert "<code>" not in ran.stderr
    assert ran.stderr.count("ZeroDivisionError: division by zero") == 1


def test_a_syntax_error_has_a_caret(cordon, file):
    path = file("x = 1\ny = (1,\n")
    ran = cordon("run", "--no-gate", path)
    assert ran.code == 1
    assert f'File "{path}", line 2' in ran.stderr
    lines = ran.stderr.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() == "y = (1,")
    assert lines[at + 1].index("^") == lines[at].index("(")
    assert "'(' was never closed" in ran.stderr


def test_a_bad_result_says_where(cordon):
    ran = cordon("run", "-", stdin="result = {'rows': [1, {'when': 1j}]}")
    assert ran.code == 1
    assert 'result["rows"][1]["when"]' in ran.stderr
    assert "complex" in ran.stderr


def test_a_chosen_end_is_told_without_a_traceback(cordon, file):
    path = file("def f():\n    raise SystemExit('enough')\nf()\n")
    ran = cordon("run", path)
    assert ran.code == 1
    assert ran.stderr.startswith("cordon: error: enough\n")
    assert "Traceback" not in ran.stderr


def test_a_timeout_shows_the_line_and_the_way_out(cordon, file):
    path = file("n = 0\nwhile True: n += 1\n")
    ran = cordon("run", "--timeout", "0.4", path)
    assert ran.code == 4
    assert ran.stderr.startswith("cordon: timeout: ")
    assert f'  File "{path}", line 2\n    while True: n += 1\n    ^^^' in ran.stderr
    assert "raise --timeout (profile 'strict' allows 30 s: limits: wall)" in ran.stderr


def test_a_timeout_of_all_that_the_profile_allows(cordon, file):
    own = file("profiles: [{name: p, limits: {wall: 300ms}}]")
    ran = cordon("run", "--config", own, "--profile", "p", "-", stdin="while True: pass")
    assert ran.code == 4
    assert "raise it in profile 'p' (limits: wall in cordon.yaml)" in ran.stderr


@pytest.mark.skipif(os.environ.get("CORDON_SANITIZED") == "1",
                    reason="the sanitizers' shadow leaves no room for a memory limit")
def test_a_limit_names_itself_and_the_way_out(cordon):
    ran = cordon("run", "--memory", "64M", "-", stdin="x = bytearray(200 << 20)")
    assert ran.code == 5
    assert "memory" in ran.stderr and "raise --memory" in ran.stderr
    ran = cordon("run", "-", stdin="x = bytearray(2000 << 20)")
    assert "profile 'strict'" in ran.stderr


def test_output_before_an_error_is_there(cordon):
    ran = cordon("run", "-", stdin="print('first')\n1 / 0")
    assert ran.stdout == "first\n"


def test_notes_go_to_stderr(cordon):
    ran = cordon("run", "-", stdin="result['x'] = float('nan')")
    assert ran.stdout == '{\n  "x": null\n}\n'
    assert ran.stderr.startswith("cordon: note: ")
    ran = cordon("run", "--nonfinite", "literal", "-", stdin="result['x'] = float('nan')")
    assert ran.stdout == '{\n  "x": NaN\n}\n'
    assert ran.err == b""


def test_a_cut_is_told(cordon):
    ran = cordon("run", "-", stdin="print('x' * (2 << 20))")
    assert ran.code == 0
    assert len(ran.out) <= 1 << 20
    assert "cut" in ran.stderr


def test_messages_hold_no_control_characters(cordon):
    code = "raise ValueError('\\x1b[2J \\x9b \\x07')"
    ran = cordon("run", "-", stdin=code)
    assert ran.code == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", ran.stderr)
    assert "\\x1b[2J \\x9b \\x07" in ran.stderr


def test_walls_down_are_told_loudly(cordon):
    ran = cordon("run", "--drop-wall", "interpreter", "-", stdin="pass")
    assert ran.code in (0, 2)
    if ran.code == 0:
        assert re.match(r"cordon: WARNING: .*DOWN.* interpreter\n", ran.stderr)
    else:
        refused(ran, "--drop-wall", "interpreter")


# ---- as it comes -----------------------------------------------------------------------


def test_output_streams(cordon, file):
    path = file("import time\nfor i in range(3):\n    print(i, flush=True)\n    time.sleep(0.5)\n")
    came = []
    with cordon.popen("run", path) as process:
        for _ in range(3):
            process.stdout.readline()
            came.append(time.monotonic())
        assert process.wait(timeout=20) == 0
    assert came[1] - came[0] > 0.2 and came[2] - came[1] > 0.2


def test_a_reader_that_leaves_ends_the_run(cordon, file):
    path = file("import time\nfor i in range(200):\n    print('x' * 1000, flush=True)\n"
                "    time.sleep(0.1)\n")
    with cordon.popen("run", path) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=10) in (-signal.SIGPIPE, 128 + signal.SIGPIPE)
        assert process.stderr.read() == b""


def test_an_interrupt_gets_through_a_full_pipe(cordon, file):
    path = file("print('x' * 500_000, flush=True)\nwhile True: pass\n")
    with cordon.popen("run", path) as process:
        process.stdout.read(1)
        time.sleep(0.5)  # nobody reads on: the pipe is full
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130


def test_a_slow_reader_costs_the_code_no_time(cordon, file):
    path = file("print('x' * 900_000)\nresult['n'] = 1\n")
    with cordon.popen("run", "--timeout", "2", path) as process:
        process.stdout.read(1)
        time.sleep(3)
        rest = process.stdout.read()
        assert process.wait(timeout=20) == 0
    assert rest.endswith(b'x\n{\n  "n": 1\n}\n')


@pytest.mark.parametrize("args", [[], ["--json"]])
def test_a_full_disk_is_told(cordon, file, args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([cordon.path, "run", *args, str(file())], stdout=full,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 6
    assert b"No space left" in done.stderr


def test_closed_standard_descriptors(cordon, file):
    code = f"exec '{cordon.path}' run '{file()}' <&- 2>&-"
    done = subprocess.run(["sh", "-c", code], stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (0, cordon("run", file()).stdout.encode())


@pytest.mark.parametrize("args", ["run {file}", "run --json {file}", "check --json {file}",
                                  "doctor", "explain", "explain import", "--version"])
def test_output_that_has_nowhere_to_go(cordon, file, args):
    """Nobody may take it for a run that has printed nothing."""
    code = f"exec '{cordon.path}' {args.format(file=file())} >&-"
    done = subprocess.run(["sh", "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 6 and done.stderr.count("cannot write") == 1, done
    silent = f"exec '{cordon.path}' run '{file('pass')}' >&-"
    assert args != "run {file}" or subprocess.run(["sh", "-c", silent], check=False).returncode == 0


@pytest.mark.parametrize("args", ["-", "-i - {file}"])
def test_a_closed_standard_input_is_not_an_empty_one(cordon, file, args):
    code = f"exec '{cordon.path}' run {args.format(file=file())} <&-"
    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert "Bad file descriptor" in done.stderr and done.stderr.count("\n") == 1


# ---- on a terminal -----------------------------------------------------------------------


def on_terminal(cordon, *args, env=None):
    """Runs with all three streams on one new terminal; returns (exit code, what it shows)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", **(env or {})})
        os.execv(cordon.path, [cordon.path, *map(str, args)])
    shown = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how a terminal says end-of-file
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")


def test_a_terminal_is_safe_from_the_code(cordon, file):
    path = file("print('\\x1b]0;title\\x07 \\x1b[2J \\x9b1m \\x1b[31mred', end='')\n"
                "result['k'] = '\\x9b\\x7f'\n")
    code, shown = on_terminal(cordon, "run", path)
    assert code == 0
    assert shown == ('\\x1b]0;title\\x07 \\x1b[2J \\x9b1m \x1b[31mred\x1b[0m\n'
                     '{\n  "k": "\\u009b\\u007f"\n}\n')


def test_errors_are_coloured_on_a_terminal_only(cordon, file):
    path = file("result = 3\n")
    code, shown = on_terminal(cordon, "run", path)
    assert code == 1 and "\x1b[" in shown
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(cordon, "run", path, env=env)[1]
    assert "\x1b" not in cordon("run", path).stderr


def test_what_is_said_comes_after_output_and_result(cordon, file):
    path = file("print('first', end='')\nresult = {'x': float('nan')}\n")
    code, shown = on_terminal(cordon, "run", path)
    assert code == 0
    assert shown.startswith('first\n{\n  "x": null\n}\ncordon: note: ')

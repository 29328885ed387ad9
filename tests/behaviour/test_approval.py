# SPDX-License-Identifier: Apache-2.0
"""
`cordon run` with code that has warnings: what is said where nobody can be asked, the question
on a terminal, and that what runs is what was shown.
"""

import json
import os
import pty
import re
import select
import signal
import time

import pytest

WARNED = "import os\nprint('ran', os.path.basename('/a/b'))\n"
QUESTION = "Run anyway? [y/N]"


@pytest.fixture
def file(tmp_path):
    """file(data, name="code.py") -> the path of a new file that holds data."""

    def make(data=WARNED, name="code.py"):
        path = tmp_path / name
        path.write_text(data)
        return path

    return make


class Terminal:
    """A program on a terminal of its own: what it shows, and what is typed."""

    def __init__(self, cordon, *args, before="", env=None):
        self.text = ""
        self.code = None
        command = f"{before} exec \"$0\" \"$@\""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", "NO_COLOR": "1", **(env or {})})
            os.execv("/bin/sh", ["sh", "-c", command, cordon.path, *map(str, args)])

    def read(self, until=None, seconds=60):
        """Reads until the text is there, or the program has ended."""
        end = time.monotonic() + seconds
        while until is None or until not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, f"{until!r} does not come: {self.text!r}"
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                piece = b""
            if not piece:
                break
            self.text += piece.decode().replace("\r\n", "\n")
        return self.text

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """Reads to the end. The exit code, and all that was shown."""
        self.read()
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code, self.text

    def close(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal(cordon):
    """terminal(*args) -> a Terminal with cordon on it."""
    opened = []

    def terminal(*args, **kwargs):
        opened.append(Terminal(cordon, *args, **kwargs))
        return opened[-1]

    yield terminal
    for one in opened:
        one.close()


# ---- where nobody can be asked -----------------------------------------------------------


def test_warnings_and_the_way_on(cordon, file):
    path = file()
    ran = cordon("run", path)
    assert ran.code == 3 and ran.out == b""
    lines = ran.stderr.splitlines()
    assert re.fullmatch(re.escape(str(path)) + r":1:8: .*`?os`?.* \[import\]", lines[0])
    assert lines[1:3] == ["    import os", "           ^^"]
    assert re.match("cordon: needs_approval: nothing ran: the gate has 1 warning; .*--approved",
                    lines[3])
    assert len(lines) == 4


def test_json_never_asks(cordon, terminal, file, run):
    envelope = run(WARNED)
    assert envelope["status"] == "needs_approval"
    assert envelope["code_preview"] == WARNED
    assert [w["rule"] for w in envelope["warnings"]] == ["import"]
    code, shown = terminal("run", "--json", file()).end()
    assert code == 3
    assert json.loads(shown)["status"] == "needs_approval"
    assert QUESTION not in shown


def test_standard_input_is_not_asked_about(cordon, terminal, file):
    path = file()
    code, shown = terminal("run", "-", before=f"cat '{path}' |").end()
    assert code == 3 and QUESTION not in shown
    ran = cordon("run", "-", stdin=WARNED)
    assert ran.code == 3
    assert ran.stderr.startswith("<stdin>:1:8: ")


@pytest.mark.parametrize("redirected", ["</dev/null", "2>&1 | cat"])
def test_half_a_terminal_is_none(terminal, file, redirected):
    path = file()
    command = f'"$0" "$@" {redirected}; exit 0;'
    _, shown = terminal("run", path, before=command).end()
    assert QUESTION not in shown
    assert "--approved" in shown and "ran b" not in shown


def test_approved_runs_and_shows_the_warnings(cordon, file):
    ran = cordon("run", "--approved", file())
    assert ran.code == 0
    assert ran.stdout == "ran b\n"
    assert ":1:8: " in ran.stderr and "[import]" in ran.stderr
    assert "--approved" not in ran.stderr


def test_no_gate_asks_nothing(cordon):
    ran = cordon("run", "--no-gate", "-", stdin="result['n'] = [].__class__.__name__\n")
    assert ran.code == 0


def test_clean_code_is_not_asked_about(terminal, file):
    code, shown = terminal("run", file("print('clean')\n")).end()
    assert (code, shown) == (0, "clean\n")


# ---- the question ----------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["y", "Y", "yes", "YES", "  yes  "])
def test_yes_runs_it(terminal, file, answer):
    on = terminal("run", file())
    shown = on.read(QUESTION)
    assert "[import]" in shown and "           ^^\n" in shown and "ran b" not in shown
    on.type(answer + "\n")
    code, shown = on.end()
    assert code == 0
    after = shown.split(QUESTION)[1]
    assert after.endswith("ran b\n")
    assert "[import]" not in after  # once is enough


@pytest.mark.parametrize("answer", ["\n", "n\n", "no\n", "x\n", "yes please\n", "yy\n", "\x04",
                                    "y" * 300 + "\n"])
def test_anything_else_does_not(terminal, file, answer):
    on = terminal("run", file())
    on.read(QUESTION)
    on.type(answer)
    code, shown = on.end()
    assert code == 3
    assert "ran b" not in shown


def test_what_was_typed_before_is_no_answer(terminal, file):
    on = terminal("run", file(), before="printf go; sleep 0.5;")
    on.read("go")
    on.type("y\n")
    on.read(QUESTION)
    time.sleep(0.5)
    assert "ran b" not in on.text
    on.type("n\n")
    assert on.end()[0] == 3


def test_what_runs_is_what_was_shown(terminal, file):
    path = file()
    on = terminal("run", path)
    on.read(QUESTION)
    path.write_text("print('another')\n")
    on.type("y\n")
    code, shown = on.end()
    assert code == 0
    assert "ran b" in shown and "another" not in shown


def test_an_approved_run_ends_as_any_other(terminal, file):
    on = terminal("run", "--timeout", "1", file("import os\nwhile True: pass\n"))
    on.read(QUESTION)
    on.type("y\n")
    code, shown = on.end()
    assert code == 4
    assert "timeout" in shown


def test_input_data_is_there_in_the_approved_run(terminal, file):
    on = terminal("run", "-i", '{"k": 7}', file("import os\nresult['k'] = input_data['k']\n"))
    on.read(QUESTION)
    on.type("y\n")
    code, shown = on.end()
    assert code == 0 and '"k": 7' in shown


def test_an_interrupt_at_the_question(terminal, file):
    on = terminal("run", file())
    on.read(QUESTION)
    on.type("\x03")
    code, shown = on.end()
    assert code == 130
    assert "ran b" not in shown


def test_there_is_nothing_to_ask_about_a_syntax_error(terminal, file):
    code, shown = terminal("run", file("def f(:\n")).end()
    assert code == 3
    assert QUESTION not in shown
    assert "[syntax]" in shown


def test_colours_on_a_terminal(terminal, file):
    code, shown = terminal("run", file(), env={"NO_COLOR": ""}, before="exec </dev/null;").end()
    assert code == 3
    assert "\x1b[31m^^\x1b[0m" in shown
    code, shown = terminal("check", file(), env={"NO_COLOR": ""}).end()
    assert code == 3
    assert "\x1b[31m^^\x1b[0m" in shown


def test_a_narrow_terminal(terminal, file):
    path = file("x = (" + "1 + " * 60 + "eval('1')" + " + 1" * 60 + ")\n", "c.py")
    _, shown = terminal("check", path, before="stty cols 60;").end()
    assert all(len(line) <= 60 for line in shown.splitlines()[1:3])

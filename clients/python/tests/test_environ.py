# SPDX-License-Identifier: Apache-2.0
"""What is a credential is told here as in the daemon: the same table, the same verdicts."""

import json
import os
import re
import subprocess

import cordon
import pytest
from conftest import ROOT
from cordon import _environ

SOURCE = (ROOT / "src/core/environ.c").read_text(encoding="utf-8")

# NAME=value: those that look like credentials and those that do not.
ENTRIES = """
OPENSWARM_AUTH_TOKEN=x  GITHUB_TOKEN=x  github_token=x  MY_TOKEN=x  TOKEN=x  TOKENS=x  TOKEN_X=x
SECRET_KEY=x  _KEY=x  KEY=x  MONKEY=x  db_password=x  PASSWORDS=x  DBPASSWD=x  SSH_AUTH_SOCK=x
AUTH_SOCK=x  GOOGLE_APPLICATION_CREDENTIALS=x  CREDENTIALS_FILE=x  AWS_ACCESS_KEY_ID=x
AWS_ACCESS_KEY_IDS=x  PATH_X=/bin
A1=postgres://u:p@h/db  A2=postgres://u@h/db  A3=http://h:80/a@b  A4=http://u:p/w@h/  A5=://u:p@h
A6=x-y+z.://u:p@h  A7=http://[::1]/x@y  A8=a://b://u:p@h  A9=http://h:8x/a@b  B1=http://u:p?w@h
B2=http://h/:x@y  B3=mailto:u:p@h  B4=http://:p@h  B5=http://u:@h  B6=a://h:80@x  B7=é://u:p@h
B8=http://[::1]:x/@y
""".split() + ["C1=see http://u:p@h now", "C2=http://h:x y@z", "C3=http://h:x\ty@z", "C4=a\n://u:p@h"]


def test_the_tables_are_the_same():
    table = SOURCE.split("credential_rows[] = {", 1)[1].split("\n};", 1)[0]
    names = re.findall(r'\{"([^"]+)", NULL, ', table)
    assert tuple(names) == _environ.CREDENTIAL_NAMES
    assert re.findall(r'\{"([^"]+)", (\w+), ', table)[len(names) :] == [("*", "holds_password")]
    fixed = SOURCE.split("always[] = {", 1)[1].split("\n};", 1)[0]
    assert dict(re.findall(r'"(\w+)=([^"]*)"', fixed)) == _environ.ALWAYS


def test_the_verdicts_are_the_same(binary):
    code = "import os\nresult = dict(os.environ)"
    given = dict(entry.split("=", 1) for entry in ENTRIES)
    done = subprocess.run([binary, "run", "--json", "--approved", "-"], input=code.encode(),
                          env={**os.environ, **given}, stdout=subprocess.PIPE, check=True)
    seen = json.loads(done.stdout)["result"]
    kept = _environ.withhold(given)
    assert {k for k in given if k in seen} == {k for k in given if k in kept}
    assert 10 < len(kept) < len(given)


def test_what_a_request_cannot_carry_is_left_out():
    assert "X" not in _environ.withhold({"X": "a\udcff", "Y": "b"})
    assert "" not in _environ.withhold({"": "a", "Y": "b"})  # "=a": execve() takes it
    assert _environ.withhold({"Y": "é"})["Y"] == "é"


def test_a_variable_that_another_thread_takes_away_is_not_there():
    class Shrinking(dict):
        def __iter__(self):
            names = list(super().__iter__())
            self.pop("GOES", None)
            return iter(names)

    kept = _environ.withhold(Shrinking(GOES="a", STAYS="b"))
    assert "GOES" not in kept and kept["STAYS"] == "b"


def test_exec_env(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "x")
    monkeypatch.setenv("SOMETHING", "x")
    monkeypatch.setenv("PYTHONUTF8", "0")
    approved = cordon.exec_env(approved=True)
    assert approved["PATH"] == os.environ["PATH"]
    assert "SOME_TOKEN" not in approved and approved["SOMETHING"] == "x"
    assert approved["PYTHONUTF8"] == "1"
    assert set(cordon.exec_env()) == {"PYTHONDONTWRITEBYTECODE", "LANG", "LC_ALL", "PYTHONUTF8",
                                      "PYTHONIOENCODING"}


def test_a_strict_run_sees_exec_env(binary):
    shown = subprocess.run([binary, "run", "--show-config"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    line = next(line for line in shown.splitlines() if line.startswith("#   environment: "))
    assert dict(e.split("=") for e in line.split(": ")[1].split()) == cordon.exec_env()


@pytest.mark.parametrize("approved", [False, True])
def test_it_is_a_copy(approved):
    cordon.exec_env(approved)["X"] = "y"
    assert "X" not in cordon.exec_env(approved) and "X" not in os.environ

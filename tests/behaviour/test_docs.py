# SPDX-License-Identifier: Apache-2.0
"""
What the documents show is run and compared: every ```console block of the README and
every literal block of the man page that has a line beginning with `$ `.

A line `$ command` is run by the shell (with `> ` lines as its continuation), in a directory
that holds examples/ and what earlier commands of the document left there. The lines below it
are what standard output and standard error say, in that order, where `...` stands for any
text: within a line, or alone for any number of lines.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {"README.md": r"^```console\n(.*?)^```$", "man/cordon.1.scd": r"^```\n(.*?)^```$"}


def sessions(text, pattern):
    """[(command, expected output), …] for each block that holds commands."""
    found = []
    for block in re.findall(pattern, text, re.DOTALL | re.MULTILINE):
        steps = []
        for line in block.splitlines():
            line = line.strip("\t")
            if line.startswith("$ "):
                steps.append([line[2:], []])
            elif steps and line.startswith("> ") and not steps[-1][1]:
                steps[-1][0] += "\n" + line[2:]
            elif steps:
                steps[-1][1].append(line)
        found += steps
    return found


def expected_pattern(lines):
    """A regular expression for the whole output; blank lines at the end do not count."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.split("..."))) + "\n")
    return "".join(parts)


@pytest.fixture
def session(cordon, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    env = {**os.environ, "PATH": f"{Path(cordon.path).parent}:{os.environ['PATH']}"}

    def run(command):
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=env, timeout=90,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        return done.stdout + done.stderr

    return run


@pytest.mark.parametrize("name", SOURCES)
def test_what_the_document_shows(name, session):
    steps = sessions((ROOT / name).read_text(encoding="utf-8"), SOURCES[name])
    assert steps, f"{name} shows no command"
    for command, lines in steps:
        said = session(command)
        shown = "\n".join(lines)
        assert re.fullmatch(expected_pattern(lines), said), (
            f"{name}: $ {command}\n--- shown\n{shown}\n--- said\n{said}")


@pytest.mark.parametrize("line, said, fits", [
    ("a", "a\n", True),
    ("a", "b\n", False),
    ("a", "a\nb\n", False),
    ("a...c", "abbc\n", True),
    ("a...c", "ab\nc\n", False),
    ("a\n...\nd", "a\nb\nc\nd\n", True),
    ("a\n...\nd", "a\nd\n", True),
    ("a\n...\nd", "a\nb\n", False),
    ("", "", True),
    ("", "a\n", False),
])
def test_the_comparison(line, said, fits):
    assert bool(re.fullmatch(expected_pattern(line.splitlines()), said)) == fits

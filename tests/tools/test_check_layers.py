# SPDX-License-Identifier: Apache-2.0
"""The layer check must fail when an include is planted that points up, and only then."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path):
    """A copy of the rooms, to plant includes in."""
    for room in ("include", "src", "worker"):
        shutil.copytree(ROOT / room, tmp_path / room)
    return tmp_path


def check(root):
    done = subprocess.run([sys.executable, ROOT / "tools/check_layers.py", root],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def plant(tree, file, include):
    with open(tree / file, "a", encoding="utf-8") as f:
        f.write(f"#include {include}\n")


def test_the_tree_as_it_is(tree):
    assert check(tree) == (0, "")


@pytest.mark.parametrize("file, include", [
    ("src/base/io.c", '"jail/plan.h"'),
    ("src/base/wire.h", '"core/profile.h"'),
    ("src/jail/plan.c", '"core/profile.h"'),
    ("src/keeper/main.c", '"core/profile.h"'),
    ("worker/run.c", '"core/profile.h"'),
    ("src/core/engine.c", '"keeper/box.h"'),
    ("src/core/engine.c", '"../keeper/box.h"'),
    ("src/core/engine.c", '"no_such_header.h"'),
    ("src/app/main.c", '"core/profile.h"'),
    ("src/app/main.c", '"jail/plan.h"'),
    ("src/base/io.c", "<jansson.h>"),
    ("src/app/main.c", "<yajl/yajl_parse.h>"),
    ("src/keeper/main.c", "<seccomp.h>"),
    ("src/core/engine.c", "<Python.h>"),
])
def test_a_planted_include_is_named(tree, file, include):
    plant(tree, file, include)
    code, said = check(tree)
    assert code == 1
    assert said.startswith(f"{file}: #include {include[1:-1]}: ") and said.count("\n") == 1


@pytest.mark.parametrize("file, include", [
    ("src/core/engine.c", '"jail/plan.h"'),
    ("src/keeper/main.c", '"base/wire.h"'),
    ("worker/run.c", '"jail/steps.h"'),
    ("src/base/io.c", '"cordon.h"'),
    ("src/app/main.c", "<jansson.h>"),
])
def test_a_downward_include_is_fine(tree, file, include):
    plant(tree, file, include)
    assert check(tree) == (0, "")


def test_a_directory_without_code_is_no_success(tmp_path):
    assert check(tmp_path)[0] == 1

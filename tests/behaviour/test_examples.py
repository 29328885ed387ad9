# SPDX-License-Identifier: Apache-2.0
"""
The examples: what a newcomer runs first. The C ones are compiled against an installed
Cordon, by what pkg-config says and nothing else.
"""

import csv
import json
import os
import shlex
import subprocess
import sys
from decimal import Decimal

import pytest

BUILD_S = 240


def checked(*command, **kwargs):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          **kwargs)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """
    Cordon built for and installed into a prefix of its own: (prefix, environment). A build
    of its own, since a prefix is part of what is built.
    """
    folder = tmp_path_factory.mktemp("installed")
    build, prefix = folder / "build", folder / "prefix"
    checked("meson", "setup", build, root, f"--prefix={prefix}", "-Dtests=disabled",
            "-Dman=disabled", timeout=BUILD_S)
    checked("meson", "compile", "-C", build, timeout=BUILD_S)
    checked("meson", "install", "-C", build, "--no-rebuild", timeout=BUILD_S)
    return prefix, {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}


def compile_example(root, installed, name, folder):
    prefix, env = installed
    flags = shlex.split(checked("pkg-config", "--cflags", "--libs", "cordon", env=env))
    program = folder / name
    checked(*os.environ.get("CC", "cc").split(), "-Wall", "-Wextra", "-Werror",
            root / f"examples/{name}.c", *flags, f"-Wl,-rpath,{prefix / 'lib'}", "-o", program)
    return program


def test_embed(root, installed, tmp_path):
    envelope = json.loads(checked(compile_example(root, installed, "embed", tmp_path), timeout=60))
    assert envelope["status"] == "ok"
    assert envelope["stdout"] == "working on 30\n"
    assert envelope["result"] == {"factorial": 265252859812191058636308480000000}


def test_embed_is_short(root):
    assert len((root / "examples/embed.c").read_text().splitlines()) < 60


def test_loop(root, installed, tmp_path):
    said = checked(compile_example(root, installed, "loop", tmp_path), timeout=120)
    assert said == "100 of 100 answers are right\n"


def test_the_installed_command(root, installed):
    prefix, _ = installed
    said = checked(prefix / "bin/cordon", "run", root / "examples/hello.py")
    assert said == 'Hello, world!\n{\n  "letters": 5\n}\n'


def test_hello(cordon, root):
    ran = cordon("run", "-i", '{"name": "Ada"}', root / "examples/hello.py")
    assert ran.code == 0 and ran.err == b""
    assert ran.stdout == 'Hello, Ada!\n{\n  "letters": 3\n}\n'


def test_sales_says_what_plain_python_says(cordon, root):
    """sales.sh in Cordon, and the same file run by python3 with the three names bound."""
    path = root / "examples/sales.csv"
    plain = ("import json, sys; names = {'json': json, 'result': {}, "
             "'input_data': {'csv': open(sys.argv[2]).read()}}; "
             "exec(open(sys.argv[1]).read(), {**names, '__name__': '__main__'})")
    table = checked(sys.executable, "-c", plain, root / "examples/sales.py", path)
    rows = list(csv.DictReader(path.open()))
    assert len(rows) >= 300

    said = checked(root / "examples/sales.sh", env={**os.environ, "CORDON": cordon.path})
    assert said.startswith(table)
    result = json.loads(said[len(table):])
    total = sum(int(row["units"]) * Decimal(row["price"]) for row in rows)
    assert Decimal(result["total"]) == total
    assert set(result["revenue"]) == {row["region"] for row in rows}
    for region in result["revenue"]:
        assert region in table

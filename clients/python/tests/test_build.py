# SPDX-License-Identifier: Apache-2.0
"""The package for pip: what is in it, and that pip takes it where there is nothing to fetch."""

import base64
import csv
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from conftest import CLIENT

FILES = {"__init__.py", "_client.py", "_daemon.py", "_dropin.py", "_environ.py", "_errors.py",
         "_http.py", "_transport.py", "_types.py", "py.typed"}


@pytest.fixture
def tree(tmp_path):
    """A copy of the source: whoever builds may write into it."""
    return shutil.copytree(CLIENT, tmp_path / "client",
                           ignore=shutil.ignore_patterns("tests", "__pycache__"))


def build(tree, what, directory):
    directory.mkdir()
    code = f"import _build, sys; print(_build.build_{what}(sys.argv[1]))"
    name = subprocess.run([sys.executable, "-B", "-c", code, directory], cwd=tree, check=True,
                          capture_output=True, text=True).stdout.strip()
    return directory / name


def test_the_wheel_is_whole(tree, tmp_path):
    wheel = build(tree, "wheel", tmp_path / "w")
    assert wheel.name == "cordon-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as found:
        contents = {name: found.read(name) for name in found.namelist()}
    assert {n.removeprefix("cordon/") for n in contents if n.startswith("cordon/")} == FILES
    for name in FILES:
        assert contents[f"cordon/{name}"] == (CLIENT / "cordon" / name).read_bytes()
    record = list(csv.reader(io.StringIO(contents["cordon-0.1.0.dist-info/RECORD"].decode())))
    assert {row[0] for row in record} == set(contents)
    for name, digest, size in record[:-1]:
        wanted = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=")
        assert (digest, size) == (f"sha256={wanted.decode()}", str(len(contents[name])))
    again = build(tree, "wheel", tmp_path / "again")
    assert again.read_bytes() == wheel.read_bytes()


def test_a_wheel_from_the_source_package(tree, tmp_path):
    wheel = build(tree, "wheel", tmp_path / "w")
    with tarfile.open(build(tree, "sdist", tmp_path / "s")) as source:
        source.extractall(tmp_path)
    assert build(tmp_path / "cordon-0.1.0", "wheel", tmp_path / "again").read_bytes() == wheel.read_bytes()


@pytest.fixture
def pip(tmp_path):
    """pip("install", …) in a fresh environment, without an index."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("this Python has no pip")
    place = tmp_path / "v"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin/python"

    def call(*args):
        subprocess.run([sys.executable, "-m", "pip", "--python", python, args[0], "--no-index", *args[1:]],
                       check=True, capture_output=True, text=True)
        code = "import cordon, importlib.metadata as m, json; print(json.dumps([cordon.__file__, m.version('cordon')]))"
        return json.loads(subprocess.run([python, "-I", "-c", code], check=True, cwd="/",
                                         capture_output=True, text=True).stdout)

    call.place = place
    return call


@pytest.mark.parametrize("options", [[], ["--no-build-isolation"]], ids=["isolated", "not isolated"])
def test_pip_install(tree, pip, options):
    file, version = pip("install", *options, tree)
    assert version == "0.1.0" and file.startswith(str(pip.place))


def test_pip_install_editable(tree, pip):
    assert pip("install", "-e", tree) == [str(tree / "cordon/__init__.py"), "0.1.0"]

# SPDX-License-Identifier: Apache-2.0
"""
Builds the package for pip (PEP 517 and 660), with the standard library alone: an ordinary
`pip install clients/python` fetches what builds a package first, and here that is nothing, so
it works without an index and without setuptools or wheel. What it is made of is in pyproject.toml.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"
EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file: the same source makes the same wheel


def _files() -> dict[str, bytes]:
    """The package: what is in it by name."""
    found = (p for p in (HERE / "cordon").iterdir() if p.suffix == ".py" or p.name == "py.typed")
    return {f"cordon/{p.name}": p.read_bytes() for p in sorted(found)}


def _metadata() -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {PROJECT['version']}",
        f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}",
        f"Requires-Python: {PROJECT['requires-python']}",
        *(f"Classifier: {name}" for name in PROJECT["classifiers"]),
        "Description-Content-Type: text/markdown",
        "",
        (HERE / PROJECT["readme"]).read_text("utf-8"),
    ]
    return "\n".join(lines).encode()


def _write_wheel(directory: str, files: dict[str, bytes]) -> str:
    info = f"{NAME}.dist-info"
    tag = "py3-none-any"
    wheel = f"Wheel-Version: 1.0\nGenerator: cordon\nRoot-Is-Purelib: true\nTag: {tag}\n"
    files = {**files, f"{info}/METADATA": _metadata(), f"{info}/WHEEL": wheel.encode()}
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(directory) / f"{NAME}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            out.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return f"{NAME}-{tag}.whl"


# ---- what pip and build call


def build_wheel(directory: str, settings: object = None, metadata: object = None) -> str:
    return _write_wheel(directory, _files())


def build_editable(directory: str, settings: object = None, metadata: object = None) -> str:
    return _write_wheel(directory, {"cordon.pth": f"{HERE}\n".encode()})


def build_sdist(directory: str, settings: object = None) -> str:
    own = {name: (HERE / name).read_bytes() for name in ("_build.py", "pyproject.toml", "README.md")}
    with tarfile.open(Path(directory) / f"{NAME}.tar.gz", "w:gz") as out:
        for name, data in {**_files(), **own, "PKG-INFO": _metadata()}.items():
            entry = tarfile.TarInfo(f"{NAME}/{name}")
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return f"{NAME}.tar.gz"

# SPDX-License-Identifier: Apache-2.0
"""
What `make install` leaves behind is whole: it works from its prefix with nothing of the
build directory in reach, and host programs build against it with pkg-config alone.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CORDON", ROOT / "build/cordon")).resolve().parent
SANITIZED = os.environ.get("CORDON_SANITIZED") == "1"

INSTALLED = """
bin/cordon
include/cordon.h
lib/libcordon.so
lib/libcordon.so.0
lib/libcordon.so.0.1.0
lib/pkgconfig/cordon.pc
libexec/cordon/_cordon_worker.abi3.so
libexec/cordon/cordon-keeper
libexec/cordon/cordon-serve
share/man/man1/cordon.1
share/man/man5/cordon.yaml.5
""".split()

CLIENT = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
INSTALLED += [f"{CLIENT}/cordon/{name}" for name in """
__init__.py _client.py _daemon.py _dropin.py _environ.py _errors.py _http.py _transport.py _types.py
py.typed
""".split()]
INSTALLED.sort()


def call(command, **kwargs):
    """stdout of a command that must succeed, with no help from the build directory."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "CORDON"))}
    env.update(kwargs.pop("env", {}))
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=100, **kwargs)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def files_below(root):
    """Below /usr, Debian's Python calls its directory dist-packages."""
    files = (str(p.relative_to(root)) for p in root.glob("**/*") if not p.is_dir())
    return sorted(name.replace("dist-packages", "site-packages") for name in files)


def configured_prefix():
    options = json.loads(call(["meson", "introspect", "--buildoptions", BUILD]))
    return Path(next(o["value"] for o in options if o["name"] == "prefix"))


@pytest.fixture(scope="module")
def prefix():
    """The prefix this build was configured for, filled, when that is a place of its own."""
    place = configured_prefix()
    if BUILD not in place.parents:
        pytest.skip(f"not installing into {place}: only `make test` sets a prefix for this")
    shutil.rmtree(place, ignore_errors=True)
    call(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"])
    return place


@pytest.fixture(scope="module")
def build_host(prefix, tmp_path_factory):
    """build_host("embed") compiles examples/embed.c as its own comment says."""
    folder = tmp_path_factory.mktemp("hosts")

    def build(name):
        flags = call(["pkg-config", "--cflags", "--libs", "cordon"],
                     env={"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).split()
        sanitize = ["-fsanitize=address,undefined"] if SANITIZED else []
        call(["cc", "-Wall", "-Wextra", "-Werror", ROOT / f"examples/{name}.c", *flags, *sanitize,
              f"-Wl,-rpath,{prefix}/lib", "-o", folder / name])
        return folder / name

    return build


def test_destdir_is_honoured(tmp_path):
    call(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"],
         env={"DESTDIR": str(tmp_path)})
    inside = tmp_path / configured_prefix().relative_to("/")
    assert files_below(inside) == INSTALLED
    assert len(files_below(tmp_path)) == len(INSTALLED)


def test_the_installed_command_runs(prefix, tmp_path):
    assert files_below(prefix) == INSTALLED
    code = tmp_path / "code.py"
    code.write_text("result['n'] = input_data['n'] + 1\n", encoding="utf-8")
    said = call([prefix / "bin/cordon", "run", "--json", "-i", '{"n": 1}', code], cwd="/")
    assert json.loads(said)["result"] == {"n": 2}


def test_pkg_config_tells_version_and_helpers(prefix):
    env = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    assert call(["pkg-config", "--modversion", "cordon"], env=env) == "0.1.0\n"
    helpers = call(["pkg-config", "--variable=helperdir", "cordon"], env=env).strip()
    assert Path(helpers, "cordon-keeper").is_file()


def test_the_python_client_finds_the_command(prefix):
    code = "import cordon; print(cordon.Client().execute('result[\"a\"] = 1').result)"
    said = call([sys.executable, "-B", "-c", code], cwd="/",
                env={"PYTHONPATH": str(prefix / CLIENT), "PATH": "/usr/bin:/bin"})
    assert said == "{'a': 1}\n"


def test_embed(build_host):
    envelope = json.loads(call([build_host("embed")]))
    assert envelope["status"] == "ok"
    assert envelope["result"] == {"factorial": 265252859812191058636308480000000}
    assert envelope["stdout"] == "working on 30\n"


def test_loop(build_host):
    assert call([build_host("loop")]) == "100 of 100 answers are right\n"


def test_embed_is_short():
    lines = (ROOT / "examples/embed.c").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60

# SPDX-License-Identifier: Apache-2.0
"""
Whatever is exported works: programs/uses.py calls what the strict profile's modules hand
out, and gives and prints under the interpreter wall, on each Python that is found, what it
gives and prints in plain Python, without a refused event.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

from support import without_gate
from test_interpreter import PYTHONS

PROGRAM = (Path(__file__).parent / "programs/uses.py").read_text(encoding="utf-8")
ADDRESS = re.compile(r"0x[0-9a-f]+")

PLAIN = """
import contextlib, io, json, sys
result, out = {}, io.StringIO()
with contextlib.redirect_stdout(out):
    exec(sys.stdin.read(), {"result": result, "__name__": "__main__"})
print(json.dumps([result["used"], out.getvalue()]))
"""

run = without_gate

@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_what_is_exported_works_as_in_plain_python(run, version):
    done = subprocess.run([PYTHONS[version], "-I", "-X", "utf8", "-W", "ignore", "-c", PLAIN],
                          input=PROGRAM.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    wanted, printed = json.loads(done.stdout)
    envelope = run(PROGRAM, None, "--python", PYTHONS[version])
    assert envelope["status"] == "ok", envelope["error"]
    got = envelope["result"]["used"]
    assert len(wanted) > 200 and set(got) == set(wanted)
    for name, value in wanted.items():
        assert ADDRESS.sub("0x", got[name]) == ADDRESS.sub("0x", value), name
    assert envelope["violations"] == []
    assert envelope["stdout"] == printed

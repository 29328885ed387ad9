# SPDX-License-Identifier: Apache-2.0
"""
The examples: what a newcomer runs first. The C ones are compiled against an installed Cordon, by
what pkg-config says and nothing else: tests/tools/test_install.py.
"""

import csv
import json
import os
import subprocess
import sys
from decimal import Decimal


def checked(*command, **kwargs):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          **kwargs)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


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

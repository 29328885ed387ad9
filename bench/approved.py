#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
approved.py [ROUNDS]: `cordon run --approved FILE` as a whole process beside `python3 -c` of
the same code. Bar: 1.3 times, and 10 ms.
"""

import pathlib
import sys
import tempfile

import measure

PROGRAMS = {
    "nothing": "result = {}\n",
    "libraries": "import json, re, asyncio, sqlite3, subprocess\nresult = {'n': 1}\n",
    "work": "n = 0\nfor i in range(2_000_000):\n    n += i % 7\nresult = {'n': n}\n",
    "children": "import subprocess\nfor i in range(5):\n    subprocess.run(['true'])\nresult = {}\n",
}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    worst = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, code in PROGRAMS.items():
            file = pathlib.Path(directory, f"{name}.py")
            file.write_text(code, encoding="utf-8")
            took = measure.medians({
                "cordon": [measure.CORDON, "run", "--approved", str(file)],
                "python3": [measure.PYTHON, "-c", code],
            }, rounds)
            bar = 1.3 + 0.010 / took["python3"]
            worst |= measure.verdict(f"approved, {name}", took["cordon"], took["python3"], bar)
    return worst


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
print.py [ROUNDS]: what a million short prints cost, beside plain python3 writing to a pipe.
Both sides less what an empty program takes, so that only the prints count. Bar: 1.3 times.
"""

import pathlib
import sys
import tempfile

import measure

PRINTS = "for i in range(1_000_000):\n    print(i)\n"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as directory:
        prints = pathlib.Path(directory, "prints.py")
        prints.write_text(PRINTS, encoding="utf-8")
        empty = pathlib.Path(directory, "empty.py")
        empty.write_text("", encoding="utf-8")
        took = measure.medians({
            "cordon": [measure.CORDON, "run", str(prints)],
            "python3": [measure.PYTHON, "-I", str(prints)],
            "cordon, empty": [measure.CORDON, "run", str(empty)],
            "python3, empty": [measure.PYTHON, "-I", str(empty)],
        }, rounds)
    ours = took["cordon"] - took["cordon, empty"]
    theirs = took["python3"] - took["python3, empty"]
    return measure.verdict("a million prints", ours, theirs, 1.3)


if __name__ == "__main__":
    sys.exit(main())

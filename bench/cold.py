#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
cold.py [ROUNDS]: `cordon run FILE` as a whole process, nothing running beforehand, beside
`python3 -I -c` importing the same modules. Bar: 1.5 times.
"""

import re
import sys
import tempfile

import measure


def strict_modules():
    """The modules that the strict profile loads, from the profile itself."""
    source = (measure.ROOT / "src/core/profile.c").read_text(encoding="utf-8")
    names = []
    for table in ("strict_allow", "strict_load"):
        rows = re.search(rf"{table}\[\] = {{(.*?)}};", source, re.DOTALL)[1]
        names += re.findall(r'"([^"]+)"', re.sub(r"/\*.*?\*/", "", rows, flags=re.DOTALL))
    return names


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    imports = "import " + ", ".join(n for n in strict_modules() if n != "__future__")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write("result = {'n': 1}\n")
        file.flush()
        took = measure.medians({
            "cordon": [measure.CORDON, "run", file.name],
            "python3": [measure.PYTHON, "-I", "-c", imports],
        }, rounds)
    return measure.verdict("cold start", took["cordon"], took["python3"], 1.5)


if __name__ == "__main__":
    sys.exit(main())

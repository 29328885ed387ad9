#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
check_lists.py ROOT: fails when a source or test file is named in no meson.build, since
such a file is silently not built or not run. Also holds every C, Python and shell file to
its SPDX line.
"""

import pathlib
import re
import sys

# where, which files, and how the meson.build files name one.
LISTED = [
    ("src", "**/*.c", "path"),
    ("worker", "*.c", "path"),
    ("tools", "*.c", "path"),
    ("tests/unit", "test_*.c", "short"),
    ("tests/fuzz", "fuzz_*.c", "short"),
    ("tests/behaviour", "test_*.py", "short"),
    ("tests/escape", "test_*.py", "short"),
    ("tests/tools", "test_*.py", "short"),
    ("clients/python/cordon", "*", "last two"),
    ("clients/python/tests", "test_*.py", "short"),
    ("man", "*.scd", "stem"),
]
# Programs that are run as somebody else's: no line of ours in them.
DATA = {"corpus", "attacks"}
MARKED = ["include", "src", "worker", "tests", "tools", "bench", "examples", "clients"]


def build_text(root):
    files = [root / "meson.build", *root.glob("[!b.]*/**/meson.build")]
    return "".join(file.read_text(encoding="utf-8") for file in files)


def name_in_list(root, file, how):
    if how == "path":
        return str(file.relative_to(root))
    if how == "last two":
        return f"{file.parent.name}/{file.name}"
    if how == "stem":
        return file.stem
    return re.sub(r"^(test|fuzz)_", "", file.stem)


def main():
    root = pathlib.Path(sys.argv[1])
    text = build_text(root)
    complaints = []
    for where, pattern, how in LISTED:
        for file in sorted((root / where).glob(pattern)):
            if file.is_file() and f"'{name_in_list(root, file, how)}'" not in text:
                complaints.append(f"{file.relative_to(root)}: named in no meson.build")
    for where in MARKED:
        for file in sorted((root / where).glob("**/*")):
            if file.suffix in (".c", ".h", ".py", ".sh") and not DATA & set(file.parts):
                head = file.read_text(encoding="utf-8", errors="replace")[:200]
                if "SPDX-License-Identifier: Apache-2.0" not in head:
                    complaints.append(f"{file.relative_to(root)}: no SPDX line at its top")
    for line in complaints:
        print(line)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
check_layers.py ROOT: fails when an #include points up a layer, or a library is used
outside the rooms that may know of it.

    base <- jail <- core <- app        keeper and worker: base and jail only

Everyone may include the public header; app may include nothing else of core, because the
command line is the library's first user and has to live with what the header offers.
"""

import pathlib
import re
import sys

# room -> rooms whose headers it may include (its own always).
MAY_INCLUDE = {
    "base": set(),
    "jail": {"base"},
    "core": {"base", "jail"},
    "app": {"base"},
    "keeper": {"base", "jail"},
    "worker": {"base", "jail"},
}

# header -> rooms that may use that library.
LIBRARIES = {
    "jansson.h": {"core", "app"},
    "microhttpd.h": {"app"},
    "yajl/": {"core"},
    "sodium.h": {"core"},
    "cyaml/": {"core"},
    "yaml.h": {"core"},
    "seccomp.h": {"jail"},
    "Python.h": {"worker"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_directory(root, room):
    return root / room if room == "worker" else root / "src" / room


def complaint(root, room, file, quote, target):
    """Why this include is wrong, or None."""
    for header, rooms in LIBRARIES.items():
        if target.startswith(header) and room not in rooms:
            return f"only {' and '.join(sorted(rooms))} may use <{target}>"
    if quote == "<" or target == "cordon.h":
        return None
    if ".." in pathlib.PurePath(target).parts:
        return "an include names its room, never a path upwards"
    if (file.parent / target).is_file():
        return None
    other = target.split("/")[0] if "/" in target else None
    if other not in MAY_INCLUDE or not (root / "src" / target).is_file():
        return "no such header in include/, src/ or beside the file"
    if other == room or other in MAY_INCLUDE[room]:
        return None
    return f"{room} may not include {other}: the arrow points up"


def check(root):
    complaints, seen = [], 0
    for room in MAY_INCLUDE:
        for file in sorted(room_directory(root, room).glob("**/*.[ch]")):
            seen += 1
            for match in INCLUDE.finditer(file.read_text(encoding="utf-8")):
                why = complaint(root, room, file, match[1], match[2])
                if why:
                    complaints.append(f"{file.relative_to(root)}: #include {match[2]}: {why}")
    if not seen:
        complaints.append(f"no C file under {root}")
    return complaints


def main():
    complaints = check(pathlib.Path(sys.argv[1]))
    for line in complaints:
        print(line)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
make_gate_doc.py: docs/GATE.md, from the gate's own tables: the rules with their examples
(src/base/rules.c) and the modules that code may import (tools/exports.toml). A test holds
the page to it, and another one runs every example.

    tools/make_gate_doc.py > docs/GATE.md
"""

import ast
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]

HEAD = """# The gate

The gate reads code that nobody has read, before it runs. An empty list of warnings lets it
run without anybody being asked; a warning says what the code could do, where, and which of
the rules below says so. `cordon explain RULE` shows the same, `cordon check FILE` the warnings.

It is a filter for consent, not the boundary: the walls stay up whatever it says. What it
does not know it refuses, and what it lets through it can show to be harmless: names are
followed through every scope as Python resolves them, and a name with a second binding, a
call with a star, an attribute that is taken without being called are enough to give up.

This page is made by `tools/make_gate_doc.py` from the tables that the gate itself reads;
change those.

"""

MODULES = """
## Modules

Code may import these, and use the names of them that `tools/exports.toml` lists; that file
says of many others why they are withheld.

"""


PACKAGES = """
## Packages

Of a package that a profile allows, the gate shuts the doors to files, programs and text that
is run as code, and what takes a number for a place in memory by itself. It does not claim that
a package written in C is safe with objects that lie to it: an object whose comparison changes
the array that is being sorted can end the process. Classes that derive from a package's, and
numbers that compute as they like, are asked about; what is left, the walls hold.

The same is true of the interpreter's own C code: an object that empties a container while it is
compared, hashed or converted can end the process, or worse. The ways that are known to read or
write beside an object are shut while the code runs, whatever the gate says; that there are no
others is not claimed.

Nor that a run cannot fool the library that works for it alone: classes derived from `str`, `int` or
`bytes` that lie about what they are equal to leave odd entries in caches of `re`, `struct` or
`urllib.parse`. They go with the process, and no other run sees them.
"""


def literal(piece):
    """A C string literal, or several in a row, as text; None for NULL."""
    if piece == "NULL":
        return None
    parts = re.findall(r'"(?:[^"\\]|\\.)*"', piece)
    data = b"".join(ast.literal_eval("b" + p) if p.isascii() else p[1:-1].encode() for p in parts)
    return data.decode("utf-8")


def rules():
    """[(name, meaning, bad, good, maker), ...] in the order in which warnings are shown."""
    text = (ROOT / "src/base/rules.c").read_text(encoding="utf-8")
    part = r'(NULL|"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)'
    row = re.compile(r"\[RULE_\w+\]\s*=\s*\{" + r",\s*".join([part] * 4) + rf"(?:,\s*{part})?\}}")
    return [tuple(literal(piece) for piece in match.groups("NULL")) for match in row.finditer(text)]


def shown(title, code):
    """What cannot be seen is written as its number."""
    text = "".join(c if c == "\n" or c.isprintable() else f"<U+{ord(c):04X}>" for c in code)
    return f"# {title}:\n{text}\n"


def modules():
    with (ROOT / "tools/exports.toml").open("rb") as file:
        table = tomllib.load(file)
    table.pop("kinds")
    return sorted(table)


def page():
    text = HEAD + "## Rules\n\nThe most serious come first, as in a list of warnings.\n"
    for name, meaning, bad, good, maker in rules():
        asks = ("asks", bad) if bad is not None else ("asks, what this prints", maker)
        text += f"\n### {name}\n{meaning}\n"
        text += "```python\n" + shown(*asks) + (shown("runs unasked", good) if good else "") + "```\n"
    return text + MODULES + ", ".join(f"`{module}`" for module in modules()) + ".\n" + PACKAGES


if __name__ == "__main__":
    sys.stdout.write(page())

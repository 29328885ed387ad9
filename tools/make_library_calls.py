#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
make_library_calls.py LIBRARY...  writes worker/library_calls.c: the methods that the Python
                                  code of the standard library calls on what may not be its
                                  own, and with how many arguments; and the private names that
                                  it uses, each with the module, or "*" for several
make_library_calls.py --check     fails when that file is not as this script writes it

LIBRARY is the library directory of a Python, as /usr/lib/python3.11. Run the script with the
newest of them, which can read them all. A row is of all Pythons ever given, so what the file
has already stays, whatever is given now: rows that cannot be found again are named. One that
is to go is deleted by hand.
"""

import ast
import builtins
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "worker" / "library_calls.c"
# The versions of Python that the rows must hold for.
NEEDED = {"python3.11", "python3.12", "python3.13"}
# What exported modules do their work with.
HELPERS = ["_collections_abc", "_py_abc", "_weakrefset", "codecs", "hmac", "reprlib"]
# These deal with texts and with objects of their own only.
INNER = {"_parser.py", "_compiler.py", "_casefix.py", "_strptime.py"}
# C code of the interpreter looks these up by name, as heapq or bisect do.
OF_C = {"insert": 2, "flush": 1, "close": 1, "isatty": 1, "keys": 1, "tell": 1}


def files(library):
    table = (ROOT / "worker" / "exports.c").read_text(encoding="utf-8")
    names = re.findall(r'(?m)^    (?:M\(|\{)"(\w+)"', table)
    for name in sorted({*names, *HELPERS}):
        yield from (path for path in [library / f"{name}.py"] if path.exists())
        if name != "urllib":
            yield from (path for path in (library / name).rglob("*.py") if path.name not in INNER)
    yield library / "urllib" / "parse.py"


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)


def is_known(node, modules):
    """What is imported, builtin classes, texts and super(): their methods are their own."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("super", "type")
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Name) and (node.id in modules or node.id in vars(builtins))
    )


def calls(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {"sys", *imported(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        starred = any(isinstance(arg, ast.Starred) for arg in node.args)
        starred |= any(keyword.arg is None for keyword in node.keywords)
        count = 100 if starred else len(node.args) + len(node.keywords)
        if count and re.fullmatch("[a-z]\\w*", node.func.attr) and not is_known(node.func.value, modules):
            yield node.func.attr, count


def bound_in(node):
    """The names that a class body binds."""
    for part in node.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield part.name
        for target in part.targets if isinstance(part, ast.Assign) else []:
            yield target.id if isinstance(target, ast.Name) else ""


def privates(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = bound_in(node) if isinstance(node, ast.ClassDef) else []
        names = [node.attr] if isinstance(node, ast.Attribute) else names
        yield from (name for name in names if re.fullmatch("_[^_].*", name))


def module_of(path, library):
    name = ".".join(path.relative_to(library).with_suffix("").parts)
    if name in ("urllib.parse", "_collections_abc"):
        return {"_collections_abc": "collections.abc"}.get(name, name)
    return "*" if name.startswith("_") or name in HELPERS else name.split(".")[0]


def measured(libraries):
    """{method: most arguments}, {private name: module} of these Pythons."""
    most, owners = dict(OF_C), {}
    for library in libraries:
        for path in files(library):
            for name in privates(path):
                owners.setdefault(name, set()).add(module_of(path, library))
            for name, count in calls(path):
                most[name] = max(most.get(name, 0), count)
    return most, {name: "*" if len(of) > 1 else min(of) for name, of in owners.items()}


# ---- the C file ----------------------------------------------------------------

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: DATA ONLY, made by tools/make_library_calls.py; sorted. The methods that code
 * of the standard library calls on what it is given, each with the most arguments that it
 * passes; and its private names, each with the module that uses it ("*": several).
 */
#include "library_calls.h"

/* clang-format off */
"""
TAIL = "/* clang-format on */\n"


def read_file():
    text = TABLE.read_text(encoding="utf-8")
    most = {name: int(count) for name, count in re.findall(r'\{"(\w+)", (\d+)\}', text)}
    return most, dict(re.findall(r'\{"(\w+)", "([\w.*]+)"\}', text))


def table(kind, rows):
    rows = " ".join(f'{{"{name}",~{value}}},' for name, value in sorted(rows.items()))
    lines = textwrap.wrap(rows, 92, initial_indent="    ", subsequent_indent="    ")
    name = f"library_{kind}_rows"
    return "\n".join((
        f"const struct library_{kind} {name}[] = {{",
        *(line.replace("~", " ") for line in lines),
        "};",
        f"const size_t library_{kind}_count = sizeof({name}) / sizeof({name}[0]);\n",
    ))


def c_file(most, owners):
    quoted = {name: f'"{module}"' for name, module in owners.items()}
    return HEAD + table("call", most) + "\n" + table("name", quoted) + TAIL


# ---- old and new ------------------------------------------------------------------


def merged(old, new):
    """Both, and of a row that both have what says more."""
    most = {name: max(of.get(name, 0) for of in (old[0], new[0])) for name in {*old[0], *new[0]}}
    owners = {name: new[1].get(name, module) for name, module in old[1].items()}
    owners = {name: module if module == old[1][name] else "*" for name, module in owners.items()}
    return most, {**new[1], **owners}


def tell(libraries, old, new, both):
    missing = sorted(NEEDED - {path.name for path in libraries})
    if missing:
        print("not given:", *missing, file=sys.stderr)
    for what, found in ("kept, and not found in these", new), ("new, or wider", old):
        rows = [name for k in (0, 1) for name in both[k] if found[k].get(name) != both[k][name]]
        print(f"{what} ({len(rows)}):", *sorted(rows), file=sys.stderr)


def main():
    old = read_file()
    if sys.argv[1:] == ["--check"]:
        same = c_file(*old) == TABLE.read_text(encoding="utf-8")
        return 0 if same else f"{TABLE} is not as this script writes it"
    libraries = [Path(name) for name in sys.argv[1:]]
    if not libraries or not all((path / "abc.py").exists() for path in libraries):
        return __doc__
    new = measured(libraries)
    both = merged(old, new)
    tell(libraries, old, new, both)
    TABLE.write_text(c_file(*both), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

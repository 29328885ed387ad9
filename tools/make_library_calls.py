#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Prints worker/library_calls.c: the methods that the Python code of the standard library calls
on what may not be its own, and with how many arguments; and the private names that it uses,
each with the module, or "*" for several. Give it the library directories of all supported
Pythons, and run it with the newest of them, which can read them all.
"""

import ast
import builtins
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
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


def main():
    most, owners = dict(OF_C), {}
    for library in map(Path, sys.argv[1:]):
        for path in files(library):
            for name in privates(path):
                owners.setdefault(name, set()).add(module_of(path, library))
            for name, count in calls(path):
                most[name] = max(most.get(name, 0), count)
    rows = " ".join(f'{{"{name}",~{most[name]}}},' for name in sorted(most))
    lines = textwrap.wrap(rows, 92, initial_indent="    ", subsequent_indent="    ")
    print(HEAD + "\n".join(lines).replace("~", " ") + MIDDLE, end="")
    rows = " ".join(
        f'{{"{name}",~"{"*" if len(of) > 1 else min(of)}"}},' for name, of in sorted(owners.items())
    )
    lines = textwrap.wrap(rows, 92, initial_indent="    ", subsequent_indent="    ")
    print("\n".join(lines).replace("~", " ") + TAIL)


HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: the methods that code of the standard library calls on what it is given, each
 * with the most arguments that it passes; and its private names. Made by
 * tools/make_library_calls.py; sorted.
 */
#include "library_calls.h"

#include <string.h>

#include "base/io.h"

/* clang-format off */
static const struct {
    const char *name;
    int most;
} calls[] = {
"""
MIDDLE = """
};

/* Its private names, each with the module that uses it; "*": several. Sorted. */
static const struct {
    const char *name, *module;
} privates[] = {
"""
TAIL = """
};
/* clang-format on */

const char *library_private(size_t at, const char **ret_module)
{
    if (at >= ARRAY_LEN(privates))
        return NULL;
    *ret_module = privates[at].module;
    return privates[at].name;
}

int library_calls(const char *name)
{
    size_t low = 0, high = ARRAY_LEN(calls);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, calls[middle].name);
        if (order == 0)
            return calls[middle].most;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}"""

if __name__ == "__main__":
    main()

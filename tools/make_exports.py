#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
make_exports.py            prints worker/exports.c, made from tools/exports.toml
make_exports.py --check    holds the table to the Python that runs this script: fails on a
                           name that is exported and must not be, and on a name of a star
                           import that nobody has judged

The list is reviewed by hand; this script decides nothing.
"""

import importlib
import pathlib
import sys
import tomllib
import types

SOURCE = pathlib.Path(__file__).with_name("exports.toml")

# What no exported name may be an instance of.
NEVER = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)

# As enum export_kind in worker/exports.h has them.
KINDS = """plain attrgetter methodcaller wraps update-wrapper singledispatch namedtuple
type-alias plain-base metaclass transparent enum redirect copy dataclass fields namespace
json-dump dedent field deepcopy copying deep-copying with""".split()

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports: DATA ONLY, made by tools/make_exports.py from tools/exports.toml; change that
 * file, never this one. Modules and names are sorted, so that both can be searched.
 */
#include "exports.h"

/* clang-format off */
#define N(name) {name, 0, EXPORT_PLAIN, 0}
#define K(name, kind) {name, 0, EXPORT_##kind, 0}
#define D(name, why) {name, why, EXPORT_PLAIN, 0}
#define M(name, names, star) {name, names, sizeof(names) / sizeof((names)[0]), star}
"""


def load():
    with SOURCE.open("rb") as file:
        table = tomllib.load(file)
    kinds = table.pop("kinds")
    for module, entry in table.items():
        entry["allow"] = entry["allow"].split()
        entry.setdefault("deny", {})
        entry.setdefault("star", True)
        both = set(entry["allow"]) & set(entry["deny"])
        assert not both, f"{module}: both allowed and denied: {both}"
        assert not [n for n in entry["allow"] if n.startswith("_")], f"{module}: private names"
    entries = {f"{m}.{n}" for m, entry in table.items() for n in entry["allow"]}
    assert set(kinds) <= entries, f"kinds of names nobody exports: {set(kinds) - entries}"
    assert set(kinds.values()) <= set(KINDS), "an unknown kind"
    return table, kinds


# ---- the C file ----------------------------------------------------------------


def wrapped(items, width=100, indent="    "):
    line = indent
    for item in items:
        if len(line) + len(item) + 2 > width and line.strip():
            yield line.rstrip()
            line = indent
        line += item + ", "
    if line.strip():
        yield line.rstrip()


def names_of(module, entry, kinds):
    rows = {name: f'N("{name}")' for name in entry["allow"]}
    for name in entry["allow"]:
        kind = kinds.get(f"{module}.{name}")
        if kind:
            rows[name] = f'K("{name}", {kind.upper().replace("-", "_")})'
    rows.update({name: f'D("{name}", "{why}")' for name, why in entry["deny"].items()})
    return [rows[name] for name in sorted(rows)]


def c_name(module):
    return "names_" + module.strip("_").replace(".", "_")


def packages_of(table):
    """Parents of exported modules that export nothing themselves."""
    parents = {m.rpartition(".")[0] for m in table if "." in m}
    return {parent for parent in parents if parent not in table}


def print_c(table, kinds):
    print(HEAD)
    for module, entry in sorted(table.items()):
        print(f"static const struct export_name {c_name(module)}[] = {{")
        print("\n".join(wrapped(names_of(module, entry, kinds))))
        print("};\n")
    print("const struct export_module export_modules[] = {")
    for module in sorted({*table, *packages_of(table)}):
        if module in table:
            print(f'    M("{module}", {c_name(module)}, {int(table[module]["star"])}),')
        else:
            print(f'    {{"{module}", 0, 0, 0}},')
    print("};")
    print("const size_t export_module_count = sizeof(export_modules) / sizeof(export_modules[0]);")


# ---- the check ------------------------------------------------------------------


def complaints_of(name, entry):
    module = importlib.import_module(name)
    for item in entry["allow"]:
        value = getattr(module, item, None)
        if isinstance(value, NEVER):
            yield f"{name}.{item}: a {type(value).__name__} must not be exported"
    if entry["star"]:
        stars = getattr(module, "__all__", None)
        if stars is None:
            stars = [item for item in dir(module) if not item.startswith("_")]
        for item in stars:
            if item not in entry["allow"] and item not in entry["deny"]:
                if not item.startswith("__"):
                    yield f"{name}.{item}: neither allowed nor denied"


def check(table):
    complaints = [line for m, entry in sorted(table.items()) for line in complaints_of(m, entry)]
    for line in complaints:
        print(line)
    return 1 if complaints else 0


def main():
    table, kinds = load()
    if sys.argv[1:] == ["--check"]:
        return check(table)
    print_c(table, kinds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

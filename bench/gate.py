# SPDX-License-Identifier: Apache-2.0
"""
What the gate costs beside what the code needs anyway: parsing it and compiling the tree.
Its own work is all but the parser: it is handed the tree. Timed in turn and compared by
medians; the bar is for the dearest kind of program.
"""

import gc
import pathlib
import re
import statistics
import sys
import time

from measure import CORDON, ROOT

sys.path.insert(0, str(pathlib.Path(CORDON).resolve().parent))
from _cordon_worker import check  # noqa: E402

BAR = 0.15
KIB = 1024


def programs():
    """{kind: [source over 1 KiB, ...]}"""
    found = []
    for file in sorted((ROOT / "tests/gate").glob("programs-*.txt")):
        found += re.split(r"(?m)^=== .*\n", file.read_text(encoding="utf-8"))[1:]
    functions = "".join(f"def f{i}(rows, limit={i}):\n    total = 0\n    for row in rows:\n"
                        f"        if row['n'] > limit and row.get('name'):\n            total += row['n'] * {i}\n"
                        "    return {'total': round(total / (len(rows) or 1), 2)}\n" for i in range(200))
    data = "ROWS = [\n" + "".join(f"    {{'id': {i}, 'name': 'n{i}', 'tags': ['a', 'b']}},\n" for i in range(800)) + "]\n"
    return {"programs": [p for p in found if len(p) > KIB], "functions, 40 KiB": [functions],
            "a table, 40 KiB": [data]}


def parsed(source):
    return compile(source, "<code>", "exec", 0x400, True)


def seconds(work, *args):
    start = time.process_time()
    work(*args)
    return time.process_time() - start


def shares(sources, rounds):
    """(parse, compile, gate) seconds per KiB, sums of medians; each of a tree just parsed."""
    sums = [0.0, 0.0, 0.0]
    for source in sources:
        took = []
        for _ in range(rounds + 1):
            took.append((
                seconds(parsed, source),
                seconds(lambda tree: compile(tree, "<code>", "exec", 0, True), parsed(source)),
                seconds(check, source, parsed(source)),
            ))
        sums = [total + statistics.median(times) for total, times in zip(sums, zip(*took[1:]))]
    return [total / (sum(len(s.encode()) for s in sources) / KIB) for total in sums]


def main(rounds):
    gc.disable()
    worst = 0.0
    for name, sources in programs().items():
        parse, compiled, gate = shares(sources, rounds)
        share = gate / (parse + compiled)
        worst = max(worst, share)
        print(f"gate, {name}: {share:.1%} of parse + compile; µs a KiB: parse {parse * 1e6:.0f}, "
              f"compile {compiled * 1e6:.0f}, gate {gate * 1e6:.0f}")
    print(f"gate at worst {worst:.1%}, bar {BAR:.0%}")
    return worst > BAR


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))

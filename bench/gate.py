# SPDX-License-Identifier: Apache-2.0
"""
What the gate costs beside what the code needs anyway: parsing it and compiling the tree.
The gate parses too, so its own work is what `check` takes beyond that. Timed in turn and
compared by medians; the bar is the dearest of the programs over 1 KiB taken together.
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
    """{name: source}: the ordinary ones, by the handful, and such as people write."""
    text = (ROOT / "tests/gate/ordinary.txt").read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^=== .*\n", text)[1:]
    found = {"small ones": [], "larger ones": []}
    kept = ""
    for block in blocks:
        if len(block) > KIB:
            found["larger ones"].append(block)
            continue
        kept += block.replace("from __future__ import annotations\n", "")
        if len(kept) > 2 * KIB:
            found["small ones"].append(kept)
            kept = ""
    functions = "".join(f"def f{i}(rows, limit={i}):\n    total = 0\n    for row in rows:\n"
                        f"        if row['n'] > limit and row.get('name'):\n            total += row['n'] * {i}\n"
                        "    return {'total': round(total / (len(rows) or 1), 2)}\n" for i in range(200))
    data = "ROWS = [\n" + "".join(f"    {{'id': {i}, 'name': 'n{i}', 'tags': ['a', 'b']}},\n" for i in range(800)) + "]\n"
    found["functions, 40 KiB"] = [functions]
    found["a table, 40 KiB"] = [data]
    return {name: sources for name, sources in found.items() if sources}


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def shares(sources, rounds):
    """(parse, compile, gate) seconds per KiB, medians."""
    trees = [compile(s, "<code>", "exec", 0x400, True) for s in sources]
    kinds = {
        "parse": lambda: [compile(s, "<code>", "exec", 0x400, True) for s in sources],
        "compile": lambda: [compile(t, "<code>", "exec", 0, True) for t in trees],
        "check": lambda: [check(s) for s in sources],
    }
    took = {kind: [] for kind in kinds}
    for number in range(rounds + 1):
        for kind, work in kinds.items():
            one = seconds(work)
            if number:
                took[kind].append(one)
    kib = sum(len(s.encode()) for s in sources) / KIB
    parse, compiled, checked = (statistics.median(took[kind]) / kib for kind in ("parse", "compile", "check"))
    return parse, compiled, checked - parse


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

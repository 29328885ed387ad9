#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
client.py [--original DIRECTORY] [ROUNDS]: one call of the Python client's
execute_backend_code beside the in-process executor that it replaces, in one process, in
turn: p50 of each and their ratio. Prints a table for bench/README.md.

DIRECTORY is the root of that project's source, from where its
backend.apps.outputs.executor is imported; without it only our side is timed.
"""

import argparse
import asyncio
import importlib
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MIB = 1 << 20

PRINTS = "line = 'x' * 63\nfor _ in range(16 * 1024 - 1):\n    print(line)\nresult = {'n': 1}\n"

# name: (code, input_data, arguments, how many rounds of a hundred it is worth)
CASES = {
    "strict": ("result = {'n': input_data['n'] + 1}", {"n": 1}, {}, 100),
    "strict, five imports": (
        "import json, re, datetime, collections, statistics\n"
        "result = {'m': statistics.mean([1, 2, 3])}", {}, {}, 100),
    "approved": ("import os\nresult = {'sep': os.sep}", {}, {"approved": True}, 100),
    "an exception": ("1 / 0", {}, {}, 100),
    "10 MiB in and out": (
        "result = input_data", {"rows": ["x" * 1013] * (10 * 1024)}, {}, 20),
    "1 MiB printed": (PRINTS, {}, {}, 50),
}


async def once(execute, code, data, arguments):
    start = time.perf_counter()
    try:
        await execute(code, data, **arguments)
    except RuntimeError:
        pass
    return time.perf_counter() - start


async def measure(sides, rounds):
    for name, (code, data, arguments, weight) in CASES.items():
        times = {side: [] for side in sides}
        for number in range(max(3, rounds * weight // 100) + 1):
            for side, execute in sides.items():
                took = await once(execute, code, data, arguments)
                if number:
                    times[side].append(took)
        p50 = {side: statistics.median(list_) * 1e3 for side, list_ in times.items()}
        cells = [f"{p50[side]:.1f} ms" for side in sides]
        if len(sides) > 1:
            cells.append(f"{p50['original'] / p50['cordon']:.1f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--original")
    parser.add_argument("rounds", nargs="?", type=int, default=100)
    arguments = parser.parse_args()

    sys.path.insert(0, str(ROOT / "clients/python"))
    os.environ.setdefault("CORDON_BIN", os.environ.get("CORDON", str(ROOT / "build/cordon")))
    sides = {"cordon": importlib.import_module("cordon").execute_backend_code}
    if arguments.original:
        sys.path.insert(0, arguments.original)
        module = importlib.import_module("backend.apps.outputs.executor")
        sides["original"] = module.execute_backend_code
    names = [*sides, *(["times"] if len(sides) > 1 else [])]
    print(f"| p50 | {' | '.join(names)} |\n|{' --- |' * (len(names) + 1)}")
    asyncio.run(measure(sides, arguments.rounds))


if __name__ == "__main__":
    main()

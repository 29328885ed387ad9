# SPDX-License-Identifier: Apache-2.0
"""
What the benchmarks share: whole processes, timed in turn (a, b, a, b, …) so that a slow
moment of the machine hits both, and compared by their medians.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORDON = os.environ.get("CORDON", str(ROOT / "build" / "cordon"))
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")


def seconds(command):
    """One run, its stdout read through a pipe to the end. A failing command ends the bench."""
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    took = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return took


def medians(commands, rounds):
    """{name: command} -> {name: median seconds}, interleaved; the first round warms up."""
    took = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            one = seconds(command)
            if number:
                took[name].append(one)
    return {name: statistics.median(times) for name, times in took.items()}


def verdict(what, ours, theirs, bar):
    """Prints one line; returns the exit status."""
    ratio = ours / theirs
    word = "ok" if ratio <= bar else "ABOVE THE BAR"
    print(f"{what}: cordon {ours * 1e3:.1f} ms, python3 {theirs * 1e3:.1f} ms, "
          f"ratio {ratio:.2f} (bar {bar:.3g}): {word}")
    return 0 if ratio <= bar else 1

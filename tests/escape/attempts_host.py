# SPDX-License-Identifier: Apache-2.0
"""
attempts_host.py root|user CORDON [ROW...]: runs the rows of attempts/ (all, or those numbered)
in their three cases, those of the same walls in one engine (support.Many), and prints one JSON
object: for each case and row the envelope, and what each batch left behind. Start it as root, in
the guard's namespaces; user: it goes on as an ordinary user, whose own files, processes and
objects the attempts then go for.
"""

import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "behaviour")]

from attempts import ROWS, Why, down, end_of_row, program  # noqa: E402
from guard import Host, loopback_up  # noqa: E402
from support import NOBODY, SLOW, Many  # noqa: E402

CASES = ("held", "alone", "without")
DEADLINE_MS = min(4000 * SLOW, 30000)  # more is not to be had
SPACES = ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")
LEFTOVERS = ("/tmp/cordon_leftover", "/dev/shm/cordon_leftover")


def batches(is_root, numbers):
    """The cases to run, by the walls that are down and by how many at once."""
    found = defaultdict(list)
    for number in numbers:
        row = ROWS[number]
        for case in CASES:
            if not isinstance(end_of_row(row, case, is_root), Why):
                found[down(row, case), bool(row.second)].append((number, case))
    return found


class Attempts:
    def __init__(self, host, many):
        self.host, self.many = host, many
        libc = host.libc
        os.chmod(host.folder / "sock", 0o777)
        libc.semget(host.shm_key, 1, 0o1666)
        libc.msgget(host.shm_key, 0o1666)
        self.queue = f"cordon-escape-{os.getpid()}"
        libc.syscall(240, self.queue.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
        self.facts = host.input() | {
            "canary": host.canary[::-1],  # backwards: its own input is no find
            "folder": str(host.folder),
            "cwd": str(host.cwd),
            "queue": self.queue,
            "name": os.uname().nodename,
            "spaces": {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in SPACES},
        }

    def prepare(self, number, case):
        """Files of its own for each attempt: what one removes, the next one looks for."""
        file = self.host.writable / f"{number}-{case}"
        file.write_text("canary")
        file.chmod(0o666)
        return self.facts | {"file": str(file), "made": f"{file}.made"}

    def traces(self, batch):
        """Of a batch whose walls stood: what is changed or made. Then everything is as before."""
        found = [place for place in LEFTOVERS if os.path.exists(place)]
        for number, case in batch:
            file, made = (self.host.writable / f"{number}-{case}{end}" for end in ("", ".made"))
            if case != "without" and (os.path.lexists(made) or not file.exists() or file.read_text() != "canary"):
                found.append(file.name)
        for place in (*LEFTOVERS, *self.host.writable.iterdir()):
            path = Path(place)
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
        return found

    def run(self, walls, ordered, batch):
        codes = []
        for number, case in batch:
            row, facts = ROWS[number], self.prepare(number, case)
            codes.append(program(row, row.code, facts))
            if row.second:
                codes.append(program(row, row.second, facts))
        start = time.monotonic()
        answers = self.many(codes, width=1 if ordered else 6, timeout_ms=DEADLINE_MS, drop=f"walls:{walls}",
                            pass_fds=self.host.open)
        took = time.monotonic() - start
        if ordered:
            answers = answers[1::2]
        without = any(case == "without" for _, case in batch)
        left = {"survivors": self.host.survivors(), "traces": [] if without and ordered else self.traces(batch),
                "canary_alive": self.host.process.poll() is None, "took": took, "walls": walls}
        self.traces(batch)
        return answers, left


def become_ordinary():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def main(who, cordon, numbers):
    loopback_up()
    if who == "user":
        become_ordinary()
    with tempfile.TemporaryDirectory(prefix="escape-host-") as folder, tempfile.TemporaryDirectory() as places:
        host = Host(folder, [])
        os.chmod(places, 0o1777)
        os.environ["XDG_RUNTIME_DIR"] = places
        os.environ["MY_SERVICE_TOKEN"] = host.secret
        try:
            attempts = Attempts(host, Many(SimpleNamespace(path=cordon), places))
            report = {"cases": {case: {} for case in CASES}, "batches": []}
            for (walls, ordered), batch in batches(who == "root", numbers).items():
                answers, left = attempts.run(walls, ordered, batch)
                report["batches"].append(left)
                for (number, case), answer in zip(batch, answers, strict=True):
                    report["cases"][case][number] = answer
        finally:
            host.close()
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:3], [int(word) for word in sys.argv[3:]] or range(len(ROWS)))

# SPDX-License-Identifier: Apache-2.0
"""
guard.py CORDON WALL[,WALL...] ATTACK...: the "host" of the attacks. Sets up what they go
for (files, processes, sockets, memory, secrets), runs each attack with the walls named
down, and prints one JSON object: for each, the envelope, how long it took, what it left.

As root the test starts this in process, mount, network, IPC and UTS namespaces of its
own; nothing that an attack achieves then reaches further than that.
"""

import ctypes
import fcntl
import json
import os
import secrets
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEADLINE_S = min(4 * float(os.environ.get("CORDON_TEST_SLOWNESS", "1")), 30)  # more is not to be had
PR_SET_CHILD_SUBREAPER = 36

CANARY = (
    "import ctypes, sys, time\n"
    "held = ctypes.create_string_buffer(sys.argv[2].encode())\n"
    "print(ctypes.addressof(held), flush=True)\n"
    "time.sleep(3600)\n"
)


def loopback_up():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 1 | 64))
    except OSError:
        pass  # it is up already, or not ours to change
    s.close()


def listener(family, address):
    s = socket.socket(family)
    s.bind(address)
    s.listen(8)
    return s


class Host:
    def __init__(self, folder, walls):
        self.walls = walls
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        loopback_up()
        self.folder = Path(folder)
        self.folder.chmod(0o755)
        self.secret = "SECRET" + secrets.token_hex(12)
        self.canary = "CANARY" + secrets.token_hex(12)
        self.file = self.folder / "canary.txt"
        self.file.write_text(self.canary)
        self.writable = self.folder / "writable"
        self.writable.mkdir()
        self.writable.chmod(0o777)
        self.cwd = self.folder / "caller-project"
        self.cwd.mkdir()
        self.tcp = listener(socket.AF_INET, ("127.0.0.1", 0))
        self.unix = listener(socket.AF_UNIX, str(self.folder / "sock"))
        self.abstract = f"cordon-escape-{os.getpid()}"
        self.abstract_socket = listener(socket.AF_UNIX, "\0" + self.abstract)
        self.shm_key = 0x43510000 | (os.getpid() & 0xFFFF)
        self.shm = self.libc.shmget(self.shm_key, 4096, 0o1666)
        self.shm_file = Path("/dev/shm") / f"cordon-escape-{os.getpid()}"
        if self.shm_file.parent.is_dir():
            self.shm_file.write_text(self.canary)
        self.process = subprocess.Popen(
            [sys.executable, "-c", CANARY, "canary-process", self.canary],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        self.address = int(self.process.stdout.readline())
        self.open = [os.open(self.file, os.O_RDONLY), os.open(self.folder, os.O_RDONLY)]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.libc.shmctl(self.shm, 0, None)
        self.shm_file.unlink(missing_ok=True)

    def input(self):
        return {
            "canary_file": str(self.file),
            "canary": self.canary,
            "canary_pid": self.process.pid,
            "canary_address": self.address,
            "secret": self.secret[::-1],  # backwards: its own input is no find
            "writable": str(self.writable),
            "tcp_port": self.tcp.getsockname()[1],
            "unix_path": str(self.folder / "sock"),
            "abstract": self.abstract,
            "shm_key": self.shm_key,
            "shm_name": self.shm_file.name,
            "marks": [self.folder.name, "caller-project", os.uname().nodename + ".", "HOME", "USER"],
        }

    def below(self):
        """Processes below us other than the canary."""
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    rest = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if rest[0] not in "ZX":
                    parents[int(name)] = int(rest[1])
        found, grown = {os.getpid()}, True
        while grown:
            more = {p for p, parent in parents.items() if parent in found} - found
            found |= more
            grown = bool(more)
        return found - {os.getpid(), self.process.pid}

    def survivors(self):
        """What still runs a second after the answer."""
        for _ in range(100):
            left = self.below()
            if not left:
                return []
            time.sleep(0.01)
        for pid in left:
            os.kill(pid, 9)
        return sorted(left)

    def traces(self):
        found = [str(p) for p in self.writable.iterdir()]
        for place in ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", str(self.folder), str(self.cwd)):
            for name in ("cordon_made", "cordon_leftover", "made"):
                path = Path(place) / name
                if path.exists():
                    found.append(str(path))
        return found

    def attack(self, cordon, file):
        env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.folder),
            "MY_SERVICE_TOKEN": self.secret,
            "DATABASE_PASSWORD": self.secret,
        }
        down = [word for wall in self.walls for word in ("--drop-wall", wall)]
        arguments = ["run", "--json", "--no-gate", *down, "--timeout", str(DEADLINE_S)]
        start = time.monotonic()
        done = subprocess.run(
            [cordon, *arguments, "-i", json.dumps(self.input()), file],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=env,
            cwd=self.cwd,
            pass_fds=self.open,
            check=False,
        )
        took = time.monotonic() - start
        return {
            "stdout": done.stdout.decode("utf-8", "surrogateescape")[: 3 << 20],
            "stderr": done.stderr.decode("utf-8", "replace")[-2000:],
            "code": done.returncode,
            "took": took,
            "survivors": self.survivors(),
            "traces": self.traces(),
            "canary_alive": self.process.poll() is None,
        }


def main(cordon, walls, files):
    with tempfile.TemporaryDirectory(prefix="escape-host-") as folder:
        host = Host(folder, walls.split(","))
        try:
            report = {Path(file).stem: host.attack(cordon, file) for file in files}
        finally:
            host.close()
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

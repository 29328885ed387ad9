# SPDX-License-Identifier: Apache-2.0
"""
A daemon under test and the plainest of clients: http.client over a Unix socket, and raw
bytes for what http.client would not send.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from typing import NamedTuple

from support import SLOW


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout=60 * SLOW):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))

    def ask(self, method, target, body=None, headers=None):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.request(method, target, body, headers or {})
        response = self.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())


class Daemon:
    """`cordon serve` on a socket. Use `with`: its end is then checked to be a clean one."""

    def __init__(self, cordon, path, *args, wrap=lambda command: command, **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        self.path = path
        self.process = subprocess.Popen(
            wrap([cordon.path, "serve", "--socket", str(path), *map(str, args)]),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **kwargs,
        )

    def wait_ready(self):
        end = time.monotonic() + 30 * SLOW
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.raw().close()
                return self
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)
        raise AssertionError(f"no daemon at {self.path}: {self.end(signal.SIGKILL)}")

    @property
    def pid(self):
        return self.process.pid

    def raw(self):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(60 * SLOW)
        try:
            sock.connect(str(self.path))
        except OSError:
            sock.close()
            raise
        return sock

    def connect(self, **kwargs):
        return Connection(self.path, **kwargs)

    def ask(self, method, target, body=None, headers=None):
        connection = self.connect()
        try:
            return connection.ask(method, target, body, headers)
        finally:
            connection.close()

    def execute(self, code, **members):
        """The envelope of one execution."""
        answer = self.ask("POST", "/v1/execute", {"code": code, **members})
        assert answer.status == 200, answer
        return answer.json

    def status(self, field):
        """A number out of /proc/PID/status, in bytes."""
        for line in open(f"/proc/{self.pid}/status", encoding="ascii"):
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(field)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def end(self, sig=signal.SIGTERM):
        """(exit code, what it said)"""
        if self.process.poll() is None:
            self.process.send_signal(sig)
        out, err = self.process.communicate(timeout=60 * SLOW)
        return self.process.returncode, (out + err).decode()

    def __enter__(self):
        return self.wait_ready()

    def __exit__(self, kind, *_):
        code, said = self.end(signal.SIGKILL if kind else signal.SIGTERM)
        if not kind:
            assert (code, said) == (0, "")


def events(body):
    """[(event, data), …] of a whole text/event-stream."""
    found = []
    assert body.endswith(b"\n\n")
    for block in body.decode().split("\n\n")[:-1]:
        name, data = block.split("\n")
        assert name.startswith("event: ") and data.startswith("data: ")
        found.append((name[7:], json.loads(data[6:])))
    return found

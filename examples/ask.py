#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
ask.py SOCKET ENDPOINT [BODY]: asks a `cordon serve` one thing and prints the answer. Waits for
a daemon that has only just been started.

    cordon serve --socket cordon.sock &
    examples/ask.py cordon.sock execute '{"code": "result[\\"n\\"] = 1"}'
"""

import http.client
import socket
import sys
import time


class Connection(http.client.HTTPConnection):
    """http.client, over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        for _ in range(1000):
            self.sock = socket.socket(socket.AF_UNIX)
            try:
                return self.sock.connect(self.path)
            except (FileNotFoundError, ConnectionRefusedError):
                self.sock.close()
                time.sleep(0.01)
        sys.exit(f"ask.py: nobody listens at {self.path}")


path, endpoint, *body = sys.argv[1:]
connection = Connection(path)
connection.request("POST" if body else "GET", f"/v1/{endpoint}", *(b.encode() for b in body))
print(connection.getresponse().read().decode())

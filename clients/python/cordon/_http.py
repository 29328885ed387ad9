# SPDX-License-Identifier: Apache-2.0
"""
HTTP/1.1 as far as the daemon speaks it, without any I/O: a request becomes bytes, and bytes
become a response, held to bounds. The blocking and the asyncio transport both stand on this.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ._errors import CordonError

__all__ = ["Incomplete", "Response", "ServerEvents", "request"]

HEAD_MAX = 64 * 1024
CHUNK_LINE_MAX = 1024
SCRATCH = 64 * 1024  # received at a time, unless the body's length is known
JOINED_MAX = 256 * 1024  # a body up to that is copied behind its head to be sent with it

_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: |$)")
_HEX = re.compile(rb"[0-9A-Fa-f]{1,15}")


class Incomplete(CordonError):
    """The connection ended before the response did. `started`: some of it had come."""

    def __init__(self, started: bool) -> None:
        super().__init__("the connection ended before the answer did")
        self.started = started


def request(method: str, target: str, body: bytes | None, accept: str) -> list[bytes]:
    """What to send, in one piece, or two when the body is large."""
    lines = [f"{method} {target} HTTP/1.1", "Host: cordon", f"Accept: {accept}"]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += ["Connection: close", "", ""]
    head = "\r\n".join(lines).encode("ascii")
    if not body:
        return [head]
    return [head + body] if len(body) <= JOINED_MAX else [head, body]


class Response:
    """
    One response. Receive into buffer(), then tell received() how much came (0: the peer has
    closed), until `done`. The body is in `body`; that of an event stream comes out of take()
    piece by piece instead, if `streaming` was asked for.
    """

    def __init__(self, limit: int, streaming: bool = False) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.done = False
        self.is_stream = False
        self._limit = limit
        self._streaming = streaming
        self._pieces: list[bytes] = []
        self._scratch = bytearray(SCRATCH)
        self._text = bytearray()  # head, or chunk lines: not yet understood
        self._state: Callable[[bytes], bytes] = self._read_head
        self._whole: memoryview | None = None  # a body of known length is received in place
        self._left = 0
        self._got = 0
        self._started = False

    def buffer(self) -> memoryview:
        return self._whole[self._got :] if self._whole is not None else memoryview(self._scratch)

    def received(self, count: int) -> None:
        if count == 0:
            self._end()
        elif self._whole is not None:
            self._got += count
            self._finish_whole()
        else:
            self._started = True
            data = bytes(memoryview(self._scratch)[:count])
            while data and not self.done:
                data = self._state(data)

    def take(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces

    # ---- the head

    def _line_end(self, data: bytes, end: bytes, most: int) -> bytes | None:
        """Moves data to _text until `end` is in it; what is behind it, or None."""
        self._text += data
        at = self._text.find(end)
        if at > most or (at < 0 and len(self._text) > most):
            raise CordonError("the daemon's answer has a head without end")
        if at < 0:
            return None
        rest = bytes(self._text[at + len(end) :])
        del self._text[at:]
        return rest

    def _read_head(self, data: bytes) -> bytes:
        rest = self._line_end(data, b"\r\n\r\n", HEAD_MAX)
        if rest is None:
            return b""
        first, *lines = bytes(self._text).split(b"\r\n")
        self._text.clear()
        found = _STATUS.match(first)
        if not found:
            raise CordonError("what answers there does not speak HTTP")
        if found[1] == b"100":
            return rest
        self.status = int(found[1])
        for line in lines:
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon:
                raise CordonError("the daemon's answer has a header without a colon")
            self.headers[name.strip().lower()] = value.strip()
        self._choose_body()
        return rest

    def _choose_body(self) -> None:
        self.is_stream = self._streaming and self.headers.get("content-type", "").startswith(
            "text/event-stream"
        )
        length = self.headers.get("content-length")
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            self._state = self._read_chunk_size
        elif length is None:
            self._state = self._read_until_closed
        elif not length.isascii() or not length.isdigit():
            raise CordonError("the daemon's answer has no proper length")
        else:
            self._left = int(length)
            self._state = self._read_sized
            self._begin_sized()

    # ---- a body of known length

    def _begin_sized(self) -> None:
        self._count(self._left)
        if self._left == 0:
            self.done = True
        elif not self.is_stream:
            self.body = bytearray(self._left)
            self._whole = memoryview(self.body)

    def _finish_whole(self) -> None:
        if self._whole is not None and self._got == len(self._whole):
            self._whole = None
            self.done = True

    def _read_sized(self, data: bytes) -> bytes:
        if self._whole is not None:  # what came together with the head
            used = data[: len(self._whole)]
            self._whole[: len(used)] = used
            self._got = len(used)
            self._finish_whole()
            return b""
        used = data[: self._left]
        self._left -= len(used)
        self._pieces.append(used)
        self.done = self._left == 0
        return b""

    # ---- chunks, and a body without any length

    def _count(self, more: int) -> None:
        """A stream is handed on piece by piece, so only what is kept counts."""
        if not self.is_stream and len(self.body) + more > self._limit:
            raise CordonError(f"the daemon's answer is larger than {self._limit} bytes")

    def _keep(self, data: bytes) -> None:
        if self.is_stream:
            self._pieces.append(data)
            return
        self._count(len(data))
        self.body += data

    def _read_until_closed(self, data: bytes) -> bytes:
        self._keep(data)
        return b""

    def _read_chunk_size(self, data: bytes) -> bytes:
        rest = self._line_end(data, b"\r\n", CHUNK_LINE_MAX)
        if rest is None:
            return b""
        text = bytes(self._text).split(b";")[0].strip()
        self._text.clear()
        if not _HEX.fullmatch(text):
            raise CordonError("the daemon's answer has a chunk without a size")
        self._left = int(text, 16)
        self._state = self._read_chunk if self._left > 0 else self._read_trailer
        return rest

    def _read_chunk(self, data: bytes) -> bytes:
        used = data[: self._left]
        self._keep(used)
        self._left -= len(used)
        if self._left == 0:
            self._state = self._read_chunk_end
        return data[len(used) :]

    def _read_chunk_end(self, data: bytes) -> bytes:
        rest = self._line_end(data, b"\r\n", CHUNK_LINE_MAX)
        if rest is None:
            return b""
        if self._text:
            raise CordonError("the daemon's answer has a chunk that is longer than it says")
        self._state = self._read_chunk_size
        return rest

    def _read_trailer(self, data: bytes) -> bytes:
        rest = self._line_end(data, b"\r\n", HEAD_MAX)
        if rest is None:
            return b""
        self.done = not self._text
        self._text.clear()
        return rest

    def _end(self) -> None:
        if self._state != self._read_until_closed:
            raise Incomplete(self._started)
        self.done = True


class ServerEvents:
    """The pieces of a text/event-stream become (event, data) pairs."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._text = bytearray()
        self._scanned = 0

    def feed(self, piece: bytes) -> list[tuple[str, bytes]]:
        self._text += piece
        if len(self._text) > self._limit:
            raise CordonError(f"the daemon's answer has an event larger than {self._limit} bytes")
        events = []
        while (at := self._text.find(b"\n\n", self._scanned)) >= 0:
            events.append(self._event(bytes(self._text[:at])))
            del self._text[: at + 2]
            self._scanned = 0
        self._scanned = max(0, len(self._text) - 1)
        return events

    @staticmethod
    def _event(text: bytes) -> tuple[str, bytes]:
        name, data = "message", []
        for line in text.split(b"\n"):
            key, _, value = line.partition(b":")
            value = value[1:] if value.startswith(b" ") else value
            if key == b"event":
                name = value.decode("utf-8", "replace")
            elif key == b"data":
                data.append(value)
        return name, b"\n".join(data)

# SPDX-License-Identifier: Apache-2.0
"""
One connection per call, blocking or asyncio. Whatever ends a call early (an exception, a
cancelled task, Ctrl-C) closes its connection, and with it what runs for it.

A call is sent again only when it cannot have had an effect: nobody had accepted the whole
of it, the daemon said that it is about to end, or it has none (`harmless`).

A call may take as long as the code's limits say, which only the daemon knows, and wait before
that: a daemon with all the connections it takes is as silent as one that is stopped. So it is
not time that ends a wait, but the sight of a daemon that is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass, field

from ._daemon import Attempt, Endpoint
from ._errors import CordonError, RunLost, Unavailable, Unresponsive
from ._http import Incomplete, Response

__all__ = ["Call", "receive", "receive_async"]

TRIES = 2
DRAINING = 503

_LOST = (
    "the Cordon daemon went away while it had the code: the run is lost. It may have had "
    "effects, so it was not run again"
)


@dataclass
class Call:
    """What to send, and how to take the answer."""

    data: list[bytes]
    limit: int
    patience: float
    streaming: bool = False
    harmless: bool = False
    sent: bool = field(default=False, init=False)
    response: Response = field(init=False)

    def begin(self) -> None:
        self.sent = False
        self.response = Response(self.limit, self.streaming)

    def turned_away(self, tries: int) -> bool:
        """Whether the daemon took no more calls; there may be another by now."""
        return self.response.status == DRAINING and tries < TRIES

    def failed(self, error: Exception, tries: int) -> None:
        """Returns when the call may be made again; raises what the caller is told."""
        may_have_run = self.sent or (isinstance(error, Incomplete) and error.started)
        if may_have_run and not self.harmless:
            raise RunLost(_LOST) from error
        if tries >= TRIES:
            raise CordonError(f"the Cordon daemon ends connections unanswered: {error}") from error


# ---- connections ------------------------------------------------------------------------

# Open ones, so that a forked child can let go of them: while it holds a copy, the daemon
# does not see that the parent has hung up.
_open: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def _close_in_child() -> None:
    for sock in list(_open):
        sock.close()
    _open.clear()


os.register_at_fork(after_in_child=_close_in_child)


def _new_socket() -> socket.socket:
    try:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as e:
        raise Unavailable(f"cannot call the Cordon daemon: {e}") from e
    sock.setblocking(False)  # a full queue is answered at once instead of waited for
    _open.add(sock)
    return sock


def _hang_up(sock: socket.socket) -> None:
    _open.discard(sock)
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)  # also where a child that was forked has a copy
    sock.close()


# ---- whether anybody is there -----------------------------------------------------------


@dataclass
class _Line:
    """A connection to a daemon that may be stopped (SIGSTOP, a debugger)."""

    sock: socket.socket
    patience: float
    seen_stopped: int = 0
    was_cut: bool = False

    def _pid(self) -> int:
        """Of the daemon; 0 where it is of another process namespace."""
        credentials = self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("3i", credentials)[0])

    def is_dead(self) -> bool:
        """Whether it is stopped, and was the last time: a tracer stops for moments, too."""
        self.seen_stopped = self.seen_stopped + 1 if _is_stopped(self._pid()) else 0
        return self.seen_stopped > 1

    def unresponsive(self) -> Unresponsive:
        pid = self._pid()
        return Unresponsive(
            f"the Cordon daemon (process {pid}) is stopped, and answers nobody: continue it "
            f"(kill -CONT {pid}) or end it (kill -KILL {pid}; a private one is started again by "
            "the next call). What was asked for may have run, and ends at its limits"
        )

    def wait(self, do: Callable[..., int], *args: object) -> int:
        """do(*args) of the socket, however long it takes while somebody is there."""
        while True:
            try:
                return do(*args)
            except TimeoutError:
                if self.is_dead():
                    raise self.unresponsive() from None


def _is_stopped(pid: int) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:
        return stat.read().rpartition(b") ")[2][:1] in (b"T", b"t")
    return False


class _Watch:
    """The same beside an asynchronous call: hangs up when nobody is there. No task is left."""

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._loop = asyncio.get_running_loop()
        self._rest()

    def _rest(self) -> None:
        self._timer = self._loop.call_later(self._line.patience, self._look)

    def _look(self) -> None:
        if not self._line.is_dead():
            self._rest()
            return
        self._line.was_cut = True
        with contextlib.suppress(OSError):
            self._line.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._timer.cancel()


# ---- making a connection ------------------------------------------------------------------


def _try_connect(attempt: Attempt, patience: float) -> _Line | float:
    """A connection, or how long to wait before the next try."""
    address = attempt.address()
    sock = _new_socket()
    try:
        sock.connect(address)
    except OSError as e:
        _hang_up(sock)
        return attempt.again_after(e)
    except BaseException:
        _hang_up(sock)
        raise
    attempt.connected()
    return _Line(sock, patience)


@contextlib.contextmanager
def _connection(endpoint: Endpoint, patience: float) -> Iterator[_Line]:
    attempt = endpoint.attempt()
    while isinstance(found := _try_connect(attempt, patience), float):
        time.sleep(found)
    try:
        found.sock.settimeout(patience)
        yield found
    finally:
        _hang_up(found.sock)


@contextlib.asynccontextmanager
async def _connection_async(endpoint: Endpoint, patience: float) -> AsyncIterator[_Line]:
    attempt = endpoint.attempt()
    while isinstance(found := _try_connect(attempt, patience), float):
        await asyncio.sleep(found)
    try:
        with contextlib.closing(_Watch(found)):
            yield found
    finally:
        _hang_up(found.sock)


# ---- blocking ---------------------------------------------------------------------------


def _send(line: _Line, call: Call) -> None:
    with contextlib.suppress(ConnectionError):  # it may have answered before it read everything
        for data in call.data:
            left = memoryview(data)
            while left:
                left = left[line.wait(line.sock.send, left) :]
        call.sent = True


def receive(endpoint: Endpoint, call: Call) -> Generator[list[bytes], None, None]:
    """Makes the call. Yields the pieces of a stream as they come; the end is in `response`."""
    tries = 0
    while True:
        tries += 1
        call.begin()
        try:
            with _connection(endpoint, call.patience) as line:
                _send(line, call)
                while not call.response.done:
                    got = line.wait(line.sock.recv_into, call.response.buffer())
                    call.response.received(got)
                    if pieces := call.response.take():
                        yield pieces
            if not call.turned_away(tries):
                return
        except (Incomplete, ConnectionError) as e:
            call.failed(e, tries)


# ---- asyncio ----------------------------------------------------------------------------


async def _send_async(loop: asyncio.AbstractEventLoop, sock: socket.socket, call: Call) -> None:
    with contextlib.suppress(ConnectionError):  # as above
        for data in call.data:
            await loop.sock_sendall(sock, data)
        call.sent = True


async def _take_async(
    loop: asyncio.AbstractEventLoop, sock: socket.socket, call: Call
) -> list[bytes] | Incomplete | ConnectionError:
    """What came next, or how the connection ended before the answer did."""
    try:
        call.response.received(await loop.sock_recv_into(sock, call.response.buffer()))
        return call.response.take()
    except (Incomplete, ConnectionError) as e:
        return e


async def receive_async(
    endpoint: Endpoint,
    call: Call,
    feed: Callable[[list[bytes]], Awaitable[None]] | None = None,
) -> None:
    """
    As receive(). The daemon is started, if it must be, without waiting for it here. No
    asynchronous generator: where a loop is dropped with a task in it, those cannot be closed.
    """
    loop = asyncio.get_running_loop()
    tries = 0
    while True:
        tries += 1
        call.begin()
        async with _connection_async(endpoint, call.patience) as line:
            await _send_async(loop, line.sock, call)
            taken: list[bytes] | Incomplete | ConnectionError = []
            while not call.response.done and isinstance(taken, list):
                taken = await _take_async(loop, line.sock, call)
                if feed and taken and isinstance(taken, list):
                    await feed(taken)
            if line.was_cut and not call.response.done:
                raise line.unresponsive()
        if not isinstance(taken, list):
            call.failed(taken, tries)
        elif not call.turned_away(tries):
            return

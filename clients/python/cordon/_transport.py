# SPDX-License-Identifier: Apache-2.0
"""
One connection per call, blocking or asyncio. Whatever ends a call early (an exception, a
cancelled task, Ctrl-C) closes its connection, and with it what runs for it.

A call is sent again only when it cannot have had an effect: nobody had accepted the whole
of it, the daemon said that it is about to end, or it has none (`harmless`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass, field

from ._daemon import Attempt, Endpoint
from ._errors import CordonError, RunLost, Unavailable
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


def _try_connect(attempt: Attempt) -> socket.socket | float:
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
    return sock


@contextlib.contextmanager
def _connection(endpoint: Endpoint) -> Iterator[socket.socket]:
    attempt = endpoint.attempt()
    while isinstance(found := _try_connect(attempt), float):
        time.sleep(found)
    try:
        found.setblocking(True)
        yield found
    finally:
        _hang_up(found)


@contextlib.asynccontextmanager
async def _connection_async(endpoint: Endpoint) -> AsyncIterator[socket.socket]:
    attempt = endpoint.attempt()
    while isinstance(found := _try_connect(attempt), float):
        await asyncio.sleep(found)
    try:
        yield found
    finally:
        _hang_up(found)


# ---- blocking ---------------------------------------------------------------------------


def _send(sock: socket.socket, call: Call) -> None:
    with contextlib.suppress(ConnectionError):  # it may have answered before it read everything
        for data in call.data:
            sock.sendall(data)
        call.sent = True


def receive(endpoint: Endpoint, call: Call) -> Generator[list[bytes], None, None]:
    """Makes the call. Yields the pieces of a stream as they come; the end is in `response`."""
    tries = 0
    while True:
        tries += 1
        call.begin()
        try:
            with _connection(endpoint) as sock:
                _send(sock, call)
                while not call.response.done:
                    call.response.received(sock.recv_into(call.response.buffer()))
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
        async with _connection_async(endpoint) as sock:
            await _send_async(loop, sock, call)
            taken: list[bytes] | Incomplete | ConnectionError = []
            while not call.response.done and isinstance(taken, list):
                taken = await _take_async(loop, sock, call)
                if feed and taken and isinstance(taken, list):
                    await feed(taken)
        if not isinstance(taken, list):
            call.failed(taken, tries)
        elif not call.turned_away(tries):
            return

# SPDX-License-Identifier: Apache-2.0
"""
Client and AsyncClient: everything the daemon offers, blocking and with asyncio, under the
same names. Neither holds a connection or anything else that would have to be closed, so one
may be shared by threads and by event loops, and used after a fork.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, Literal

from . import _daemon, _environ, _types
from ._errors import BadRequest, CordonError, Unavailable
from ._http import ServerEvents, request
from ._transport import Call, receive, receive_async
from ._types import Envelope, Health, Limits, Verdict

__all__ = ["AsyncClient", "Client"]

ANSWER_MAX = 256 * 1024 * 1024
ASCII_MAX = 32 * 1024 * 1024
PATIENCE = 15.0

Files = Mapping[str, str] | Iterable[tuple[str, str]]
Sink = Callable[[str], object]
AsyncSink = Callable[[str], Awaitable[object] | object]
Path = str | os.PathLike[str]


def _encode(body: Mapping[str, Any]) -> bytes:
    """
    JSON in ASCII, which Python writes fastest and which takes lone surrogates too. Where that
    is large because of escapes, UTF-8: limits count what is sent.
    """
    text = json.dumps(body)
    if len(text) > ASCII_MAX and "\\u" in text:
        with contextlib.suppress(UnicodeEncodeError):
            return json.dumps(body, ensure_ascii=False).encode("utf-8")
    return text.encode("ascii")


def _text(code: object) -> str:
    if not isinstance(code, str):
        raise TypeError(f"code must be a str, not {type(code).__name__}")
    return code


class _Stream:
    """The events of one execution: output goes to the sinks, the envelope stays here."""

    def __init__(self, limit: int, sinks: Mapping[str, AsyncSink | None]) -> None:
        self._events = ServerEvents(limit)
        self._sinks = sinks
        self.envelope: bytes | None = None

    def feed(self, pieces: list[bytes]) -> Iterator[tuple[AsyncSink, str]]:
        for piece in pieces:
            for name, data in self._events.feed(piece):
                if name == "envelope":
                    self.envelope = data
                elif sink := self._sinks.get(name):
                    yield sink, _types.load(data)


class _Base:
    """What both clients say and understand."""

    def __init__(
        self,
        socket: Path | None = None,
        *,
        config: Path | None = None,
        binary: Path | None = None,
        keep: Iterable[str] = (),
        max_answer: int = ANSWER_MAX,
        patience: float = PATIENCE,
    ) -> None:
        """
        socket:     of a shared daemon. Without it that of CORDON_SOCKET, and without that a
                    private daemon of this process.
        config:     the private daemon's cordon.yaml; without it the one that is found.
        binary:     the `cordon` that a private daemon is started with.
        keep:       names of variables that approved runs may have although they look like
                    credentials, if the profile keeps them too.
        max_answer: bytes; a larger answer is an error.
        patience:   seconds. When nothing has come for so long, and for so long again, it is
                    looked whether the daemon is stopped: then a call raises Unresponsive.
        """
        if socket is not None and (config is not None or binary is not None):
            raise ValueError("config and binary are a private daemon's; socket is a shared one's")
        if not 0 < patience < float("inf"):
            raise ValueError("patience is a number of seconds")
        self._socket = None if socket is None else os.fspath(socket)
        self._config = None if config is None else os.fspath(config)
        self._binary = None if binary is None else os.fspath(binary)
        self._keep = frozenset(keep)
        self._max_answer = max_answer
        self._patience = patience

    def _endpoint(self) -> _daemon.Endpoint:
        is_private = self._config is not None or self._binary is not None
        shared = self._socket or (None if is_private else os.environ.get("CORDON_SOCKET"))
        if shared:
            return _daemon.SharedDaemon(shared)
        return _daemon.private(self._binary, self._config)

    def _call(
        self,
        method: str,
        target: str,
        body: Mapping[str, Any] | None = None,
        *,
        streaming: bool = False,
        harmless: bool = False,
    ) -> Call:
        accept = "text/event-stream" if streaming else "application/json"
        data = request(method, target, None if body is None else _encode(body), accept)
        return Call(data, self._max_answer, self._patience, streaming, harmless)

    def _execute_call(
        self,
        code: str,
        input_data: Mapping[str, Any] | None,
        approved: bool,
        profile: str | None,
        timeout: float | None,
        limits: Limits | None,
        environ: Mapping[str, str] | None,
        nonfinite: str,
        streaming: bool,
    ) -> Call:
        body: dict[str, Any] = {"code": _text(code), "nonfinite": nonfinite}
        bounds: dict[str, Any] = dict(limits or {})
        if timeout is not None:
            bounds["wall_ms"] = max(1, round(timeout * 1000))
        if bounds:
            body["limits"] = bounds
        if profile is not None:
            body["profile"] = profile
        if approved:
            body["approved"] = True
            given = os.environ if environ is None else environ
            body["environ"] = _environ.withhold(given, self._keep)
        if input_data is not None:
            body["input_data"] = input_data
        return self._call("POST", "/v1/execute", body, streaming=streaming)

    def _check_call(self, body: dict[str, Any], profile: str | None) -> Call:
        if profile is not None:
            body["profile"] = profile
        return self._call("POST", "/v1/check", body, harmless=True)

    @staticmethod
    def _answer(call: Call) -> Any:
        """The body as JSON; raises what the daemon refused."""
        status, body = call.response.status, call.response.body
        if status == 200:
            return _types.load(body)
        try:
            said = _types.load(body)
            message, field = str(said.get("message") or said.get("error")), said.get("field") or ""
        except (CordonError, AttributeError):
            message, field = f"the daemon answered with HTTP status {status}", ""
        if 400 <= status < 500:
            raise BadRequest(message, field, status)
        raise Unavailable(message) if status == 503 else CordonError(message)

    def _envelope(self, call: Call, stream: _Stream) -> Envelope:
        if not call.response.is_stream:
            return _types.envelope(self._answer(call))
        if stream.envelope is None:
            raise CordonError("the daemon's answer has no envelope")
        return _types.envelope(_types.load(stream.envelope))

    @staticmethod
    def _files(files: Files) -> list[dict[str, str]]:
        pairs = files.items() if isinstance(files, Mapping) else files
        return [{"name": name, "code": _text(code)} for name, code in pairs]

    @staticmethod
    def _verdicts(data: Any, files: list[dict[str, str]]) -> list[Verdict]:
        if not isinstance(data, list) or len(data) != len(files):
            raise CordonError("the daemon's answer has not one verdict per file")
        return [_types.verdict(v, f["name"]) for v, f in zip(data, files)]


class Client(_Base):
    """Blocking calls; works inside a running event loop too, which then waits."""

    def execute(
        self,
        code: str,
        input_data: Mapping[str, Any] | None = None,
        *,
        approved: bool = False,
        profile: str | None = None,
        timeout: float | None = None,
        limits: Limits | None = None,
        environ: Mapping[str, str] | None = None,
        nonfinite: Literal["literal", "null"] = "literal",
        on_stdout: Sink | None = None,
        on_stderr: Sink | None = None,
    ) -> Envelope:
        """
        Runs code and returns how it ended, whatever it did.

        approved:  a person has seen the warnings of exactly this code and wants it run.
        profile:   "strict" unless given.
        timeout:   seconds; the same as limits["wall_ms"] / 1000.
        limits:    none looser than the profile's.
        environ:   what an approved run gets; os.environ at this moment unless given. What
                   holds a credential is withheld from either.
        nonfinite: what NaN and the infinities of the result become.
        on_stdout, on_stderr: called with text as the code writes it. What they raise ends
                   the call and the run.

        Raises BadRequest, Unavailable, RunLost, Unresponsive, all of them CordonError.
        """
        streaming = on_stdout is not None or on_stderr is not None
        call = self._execute_call(
            code, input_data, approved, profile, timeout, limits, environ, nonfinite, streaming
        )
        stream = _Stream(self._max_answer, {"stdout": on_stdout, "stderr": on_stderr})
        with closing(receive(self._endpoint(), call)) as received:
            for pieces in received:
                for sink, text in stream.feed(pieces):
                    sink(text)
        return self._envelope(call, stream)

    def check(self, code: str, *, profile: str | None = None) -> Verdict:
        """The gate alone: nothing runs."""
        return _types.verdict(self._ask(self._check_call({"code": _text(code)}, profile)))

    def check_many(self, files: Files, *, profile: str | None = None) -> list[Verdict]:
        """The gate over many texts by name, verdicts in the order given."""
        listed = self._files(files)
        answer = self._ask(self._check_call({"files": listed}, profile))
        return self._verdicts(answer, listed)

    def health(self) -> Health:
        """What the daemon says of itself."""
        return _types.health(self._ask(self._call("GET", "/v1/health", harmless=True)))

    def _ask(self, call: Call) -> Any:
        with closing(receive(self._endpoint(), call)) as received:
            for _ in received:
                pass
        return self._answer(call)


class AsyncClient(_Base):
    """The same with asyncio. A cancelled call ends its run."""

    async def execute(
        self,
        code: str,
        input_data: Mapping[str, Any] | None = None,
        *,
        approved: bool = False,
        profile: str | None = None,
        timeout: float | None = None,
        limits: Limits | None = None,
        environ: Mapping[str, str] | None = None,
        nonfinite: Literal["literal", "null"] = "literal",
        on_stdout: AsyncSink | None = None,
        on_stderr: AsyncSink | None = None,
    ) -> Envelope:
        """As Client.execute(). on_stdout and on_stderr may be coroutine functions."""
        streaming = on_stdout is not None or on_stderr is not None
        call = self._execute_call(
            code, input_data, approved, profile, timeout, limits, environ, nonfinite, streaming
        )
        stream = _Stream(self._max_answer, {"stdout": on_stdout, "stderr": on_stderr})

        async def feed(pieces: list[bytes]) -> None:
            for sink, text in stream.feed(pieces):
                waited_for = sink(text)
                if inspect.isawaitable(waited_for):
                    await waited_for

        await receive_async(self._endpoint(), call, feed)
        return self._envelope(call, stream)

    async def check(self, code: str, *, profile: str | None = None) -> Verdict:
        """As Client.check()."""
        return _types.verdict(await self._ask(self._check_call({"code": _text(code)}, profile)))

    async def check_many(self, files: Files, *, profile: str | None = None) -> list[Verdict]:
        """As Client.check_many()."""
        listed = self._files(files)
        answer = await self._ask(self._check_call({"files": listed}, profile))
        return self._verdicts(answer, listed)

    async def health(self) -> Health:
        """As Client.health()."""
        return _types.health(await self._ask(self._call("GET", "/v1/health", harmless=True)))

    async def _ask(self, call: Call) -> Any:
        await receive_async(self._endpoint(), call)
        return self._answer(call)


class UngatedClient(AsyncClient):
    """
    For execute_backend_code(gate=False): the profile `ungated` of a private daemon. A shared
    one is not asked: whether its gate may be skipped is its owner's to say.
    """

    def _endpoint(self) -> _daemon.Endpoint:
        return _daemon.ungated()

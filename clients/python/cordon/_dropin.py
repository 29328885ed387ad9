# SPDX-License-Identifier: Apache-2.0
"""
The surface of the executor and gate that Cordon replaces, name by name and sentence by
sentence. README.md tells what is better behind it, and the few deliberate breaks.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from ._client import AsyncClient, Client, UngatedClient
from ._environ import exec_env
from ._errors import BadRequest, CordonError
from ._types import Envelope, GateWarning

__all__ = [
    "ALLOWED_MODULES",
    "TIMEOUT_SECONDS",
    "BackendCodeError",
    "BackendExecResult",
    "UnsafeCodeError",
    "exec_env",
    "execute_backend_code",
    "get_code_warnings",
    "validate_code_safety",
]

TIMEOUT_SECONDS = 30

# What code may import without being asked: the strict profile's `allow`. A test compares
# them. A name with a dot is a module of a package whose other modules are not allowed.
ALLOWED_MODULES = frozenset(
    """
    __future__ abc array base64 binascii bisect calendar cmath collections collections.abc
    contextlib copy csv dataclasses datetime decimal difflib enum fnmatch fractions functools
    graphlib hashlib heapq html io itertools json math numbers operator pathlib pprint random
    re secrets statistics string struct sys textwrap time traceback types typing unicodedata
    urllib.parse uuid warnings zlib zoneinfo
    """.split()
)

_EXIT = re.compile(r"the code ended (?:itself|its own process) with exit status (-?[0-9]+)")
_WALL = re.compile(r"stopped at its limit of ([0-9.]+) s")


class UnsafeCodeError(Exception):
    """The gate has warnings, and nobody approved the code. Nothing ran."""

    def __init__(self, message: str = "", warnings: list[GateWarning] | None = None) -> None:
        super().__init__(message)
        self.warnings = warnings or []


class BackendCodeError(RuntimeError):
    """The code ran and gave no result; `envelope` tells all about it."""

    def __init__(self, message: str, envelope: Envelope) -> None:
        super().__init__(message)
        self.envelope = envelope


@dataclass
class BackendExecResult:
    result: dict[str, Any]
    stdout: str
    stderr: str


_client = Client()
_async_client = AsyncClient()
_ungated = UngatedClient()


def _setting(name: str) -> Any:
    """As the package has it now: callers and their tests set names of the module they import."""
    return getattr(sys.modules[__package__], name, globals()[name])


async def execute_backend_code(
    code: str, input_data: dict[str, Any], *, approved: bool = False, gate: bool = True
) -> BackendExecResult:
    """
    Runs code, which finds `input_data` and leaves its answer in `result`.

    approved: a person has seen the warnings of exactly this code and wants it run.
    gate:     False skips the gate and nothing else.

    Raises UnsafeCodeError when the gate has warnings, RuntimeError for anything else that
    keeps the code from giving a result.
    """
    seconds = _setting("TIMEOUT_SECONDS")
    timeout = None if seconds == TIMEOUT_SECONDS else float(seconds)
    validate = _setting("validate_code_safety")
    if validate is not validate_code_safety and gate and not approved:
        validate(code)  # a stand-in is asked instead of the gate
        gate = False
    try:
        if gate or approved:
            envelope = await _async_client.execute(
                code, input_data, approved=approved, timeout=timeout
            )
        else:
            envelope = await _ungated.execute(code, input_data, profile="ungated", timeout=timeout)
    except BadRequest as e:
        if e.field == "code" and not approved and gate:
            raise UnsafeCodeError(_unreadable(e)) from e
        raise
    if envelope.status == "ok":
        return BackendExecResult(envelope.result or {}, envelope.stdout, envelope.stderr.strip())
    if envelope.status == "needs_approval":
        warnings = envelope.warnings or []
        raise UnsafeCodeError(warnings[0].message if warnings else "not approved", warnings)
    raise BackendCodeError(_sentence(envelope, seconds), envelope)


def _sentence(envelope: Envelope, seconds: float) -> str:
    error = envelope.error
    kind, message = (error.kind, error.message) if error else ("", envelope.status)
    if envelope.status == "timeout":
        told = _WALL.search(message)
        return f"Backend code execution timed out after {told[1] if told else seconds}s"
    if envelope.status == "limit":
        return f"Backend code exceeded its {error and error.limit} limit: {message}"
    if envelope.status == "crashed":
        return f"Backend code crashed: {message}"
    if envelope.status == "internal":
        return f"Backend code could not be run: {message}"
    if kind == "result":
        return f"Backend code did not produce valid JSON. {message}"
    found = _EXIT.match(message) if kind == "exit" else None
    status = int(found[1]) if found else 1
    if status == 0:
        return (
            f"Backend code did not produce valid JSON. Raw output: {envelope.stdout.strip()[:500]}"
        )
    return f"Backend code error (exit {status}): {_what_was_said(envelope)}"


def _what_was_said(envelope: Envelope) -> str:
    """Standard error and the traceback, as a terminal would have shown them."""
    error = envelope.error
    last = (error.traceback or error.message) if error else ""
    return "\n".join(part for part in (envelope.stderr.strip(), last.strip()) if part)


def _unreadable(error: BadRequest) -> str:
    """Text that Python's parser would not have taken either, or that is too long for it."""
    return f"Syntax error: {error}"


def get_code_warnings(code: str) -> list[str]:
    """Why code may not run unasked, a sentence each; none: it may. Runs nothing."""
    return [warning.message for warning in _judge(code)]


def validate_code_safety(code: str) -> None:
    """Raises UnsafeCodeError with the first warning, if there is one."""
    warnings = _judge(code)
    if warnings:
        raise UnsafeCodeError(warnings[0].message, warnings)


def _judge(code: str) -> list[GateWarning]:
    try:
        verdict = _client.check(code)
    except BadRequest as e:
        if e.field != "code":
            raise
        return [GateWarning("syntax", _unreadable(e))]
    if verdict.clean or verdict.warnings:
        return verdict.warnings
    message = verdict.error.message if verdict.error else verdict.status
    if verdict.status == "internal":
        raise CordonError(f"the code could not be checked: {message}")
    return [GateWarning("unreadable", f"The code could not be checked: {message}")]

# SPDX-License-Identifier: Apache-2.0
"""
What the daemon answers, typed. The names are the envelope's own. Members that a newer
daemon adds are in `raw`; members that are missing have their empty value.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from ._errors import CordonError

__all__ = [
    "Envelope",
    "ErrorInfo",
    "GateWarning",
    "Health",
    "Limits",
    "Status",
    "Truncated",
    "Usage",
    "Verdict",
    "Violation",
]

Status = Literal["ok", "needs_approval", "error", "timeout", "limit", "crashed", "internal"]

# Of a check: also that the text is none that could be code.
VerdictStatus = Status | Literal["unreadable"]


class Limits(TypedDict, total=False):
    """Limits of one execution; each at most the profile's."""

    wall_ms: int
    cpu_ms: int
    memory_bytes: int
    tasks: int
    open_files: int
    disk_bytes: int
    disk_files: int
    stdout_bytes: int
    stderr_bytes: int
    result_bytes: int


@dataclass(frozen=True)
class GateWarning:
    """One reason why the gate will not let the code run unasked. Places count from 1."""

    rule: str
    message: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    snippet: str = ""
    count: int = 1


@dataclass(frozen=True)
class ErrorInfo:
    """What went wrong. `line` is of the user's code, from 1."""

    kind: str
    message: str
    type: str | None = None
    line: int | None = None
    traceback: str | None = None
    limit: str | None = None


@dataclass(frozen=True)
class Violation:
    """What a wall refused; advisory."""

    wall: str
    what: str
    line: int | None = None


@dataclass(frozen=True)
class Truncated:
    """Which streams were cut at their cap."""

    stdout: bool = False
    stderr: bool = False


@dataclass(frozen=True)
class Usage:
    """What it took. None where it cannot be had."""

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    memory_peak_bytes: int | None = None


@dataclass(frozen=True)
class Envelope:
    """How one execution ended."""

    status: Status
    result: dict[str, Any] | None = None
    stdout: str = ""
    stderr: str = ""
    error: ErrorInfo | None = None
    warnings: list[GateWarning] | None = None
    """None: the gate did not run."""
    notes: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    profile: str = ""
    approved: bool = False
    level: str = ""
    walls_down: list[str] = field(default_factory=list)
    code_sha256: str = ""
    truncated: Truncated = field(default_factory=Truncated)
    usage: Usage = field(default_factory=Usage)
    code_preview: str | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        return self.status == "ok"


@dataclass(frozen=True)
class Verdict:
    """What the gate says of one text. `name` is that of check_many, else ""."""

    status: VerdictStatus
    warnings: list[GateWarning] = field(default_factory=list)
    error: ErrorInfo | None = None
    code_sha256: str = ""
    name: str = ""
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def clean(self) -> bool:
        """Whether the code may run without anybody being asked."""
        return self.status == "ok" and not self.warnings


@dataclass(frozen=True)
class Health:
    """What the daemon says of itself."""

    status: str
    """"ready". A daemon that is about to end answers nobody: that is Unavailable."""
    version: str = ""
    level: str = ""
    profiles: list[str] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ready(self) -> bool:
        return self.status == "ready"


# ---- from JSON --------------------------------------------------------------------


def load(body: bytes | bytearray) -> Any:
    """
    Python's own reading of JSON, with its own bounds: digits of an integer (ValueError) and
    depth (RecursionError) are bounded for the host's sake, and are told as ours.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as e:
        raise CordonError(f"the daemon's answer cannot be read here: {e}") from e


def _pick(cls: Any, data: Any) -> Any:
    """An instance of the dataclass from the members it knows."""
    if not isinstance(data, dict):
        raise CordonError(f"the daemon's answer is wrong: no object where {cls.__name__} was due")
    return cls(**{k: v for k, v in data.items() if k in cls.__dataclass_fields__})


def _error(data: Any) -> ErrorInfo | None:
    return None if data is None else _pick(ErrorInfo, {"kind": "", "message": "", **data})


def _warnings(data: Any) -> list[GateWarning] | None:
    if data is None:
        return None
    return [_pick(GateWarning, {"rule": "", "message": "", **w}) for w in data]


def envelope(data: Any) -> Envelope:
    """The answer to an execution."""
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        raise CordonError("the daemon's answer is not an envelope")
    made: Envelope = _pick(
        Envelope,
        {
            **data,
            "error": _error(data.get("error")),
            "warnings": _warnings(data.get("warnings")),
            "violations": [_pick(Violation, v) for v in data.get("violations") or ()],
            "truncated": _pick(Truncated, data.get("truncated") or {}),
            "usage": _pick(Usage, data.get("usage") or {}),
            "raw": data,
        },
    )
    return made


def verdict(data: Any, name: str = "") -> Verdict:
    """The answer to a check of one text."""
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        raise CordonError("the daemon's answer is not a verdict")
    return Verdict(
        status=data["status"],
        warnings=_warnings(data.get("warnings")) or [],
        error=_error(data.get("error")),
        code_sha256=data.get("code_sha256", ""),
        name=name,
        raw=data,
    )


def health(data: Any) -> Health:
    """The answer to GET /v1/health."""
    if not isinstance(data, dict):
        raise CordonError("the daemon's answer is not its health")
    return Health(
        status=data.get("status", ""),
        version=data.get("version", ""),
        level=data.get("level", ""),
        profiles=data.get("profiles") or [],
        raw=data,
    )

# SPDX-License-Identifier: Apache-2.0
"""
The environment a run gets. The daemon withholds credentials too (src/core/environ.c, whose
table this one mirrors; a test compares them): here, so that they never leave the process.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Collection, Iterator, Mapping

__all__ = ["exec_env", "withhold"]

# By name; * stands for any text, case is ignored.
CREDENTIAL_NAMES = (
    "OPENSWARM_AUTH_TOKEN",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "STRIPE_API_KEY",
    "STRIPE_SECRET_KEY",
    "GITHUB_TOKEN",
    "*TOKEN",
    "*_KEY",
    "*SECRET",
    "*PASSWORD",
    "*PASSWD",
    "*CREDENTIALS",
    "*_AUTH_SOCK",
)

# What every run has, whatever the caller's environment says.
ALWAYS = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
}

# What a run that nobody approved sees, and nothing else.
STRICT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
}

_NAMES = re.compile(
    "|".join(fnmatch.translate(name) for name in CREDENTIAL_NAMES), re.IGNORECASE | re.ASCII
)

# user:password@ behind a "://". A password with / ? or # in it should have been
# percent-encoded and often is not: what stands behind the colon and is no port number is
# taken for one, too.
_SCHEME = re.compile(r"(?<=[A-Za-z0-9+.\-])://")
_WORD = re.compile(r"[^ \t\r\n]*")
_AUTHORITY = re.compile(r"[^/?# \t\r\n]*")


def _match(pattern: re.Pattern[str], text: str, at: int = 0) -> str:
    found = pattern.match(text, at)
    return found.group() if found else ""


def _has_password(value: str, at: int) -> bool:
    word = _match(_WORD, value, at)
    authority = _match(_AUTHORITY, word)
    before, colon, rest = authority.partition(":")
    if not colon:
        return False
    if "@" in rest:
        return True
    is_port = not rest.strip("0123456789")
    return not is_port and not before.startswith("[") and "@" in word[len(authority) :]


def is_credential(name: str, value: str) -> bool:
    """Whether a variable is kept from all user code."""
    if _NAMES.fullmatch(name):
        return True
    return "://" in value and any(
        _has_password(value, found.end()) for found in _SCHEME.finditer(value)
    )


def is_text(entry: str) -> bool:
    """Whether it is UTF-8: a request can carry nothing else."""
    return entry.isascii() or not any("\ud800" <= c <= "\udfff" for c in entry)


def _variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Those a request can carry. Another thread may take one away meanwhile."""
    for name in list(environ):
        value = environ.get(name)
        if name and value is not None and is_text(name + value):
            yield name, value


def withhold(environ: Mapping[str, str], keep: Collection[str] = ()) -> dict[str, str]:
    """The environment of an approved run: what was given less credentials, and ALWAYS."""
    kept = {
        name: value
        for name, value in _variables(environ)
        if name in keep or not is_credential(name, value)
    }
    kept.update(ALWAYS)
    return kept


# What a daemon of ours reads, and what its loader does. The rest goes with each approved run,
# where a program's environment is too small for it.
_DAEMON = re.compile(r"PATH|HOME|LANG|TMPDIR|TZ|(XDG|LC|LD|ASAN|LSAN|TSAN|UBSAN|CORDON)_\w+")


def for_daemon(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a private daemon."""
    return {name: value for name, value in withhold(environ).items() if _DAEMON.fullmatch(name)}


def exec_env(approved: bool = False) -> dict[str, str]:
    """The environment that a run started now would see."""
    return withhold(os.environ) if approved else dict(STRICT)

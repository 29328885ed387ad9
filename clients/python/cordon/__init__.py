# SPDX-License-Identifier: Apache-2.0
"""
Runs Python that nobody has read, in Cordon.

    import cordon
    envelope = cordon.Client().execute("result['n'] = input_data['n'] + 1", {"n": 1})

Without further set-up this process gets a private daemon, started by the first call and
ended with the process; CORDON_SOCKET names a shared one, CORDON_BIN the program to start.
execute_backend_code() and its companions are a drop-in for the executor they come from.
"""

from ._client import AsyncClient, Client
from ._dropin import (
    ALLOWED_MODULES,
    TIMEOUT_SECONDS,
    BackendCodeError,
    BackendExecResult,
    UnsafeCodeError,
    exec_env,
    execute_backend_code,
    get_code_warnings,
    validate_code_safety,
)
from ._errors import BadRequest, CordonError, RunLost, Unavailable, Unresponsive
from ._types import (
    Envelope,
    ErrorInfo,
    GateWarning,
    Health,
    Limits,
    Truncated,
    Usage,
    Verdict,
    Violation,
)

__version__ = "0.1.0"

__all__ = [
    "ALLOWED_MODULES",
    "TIMEOUT_SECONDS",
    "AsyncClient",
    "BackendCodeError",
    "BackendExecResult",
    "BadRequest",
    "Client",
    "CordonError",
    "Envelope",
    "ErrorInfo",
    "GateWarning",
    "Health",
    "Limits",
    "RunLost",
    "Truncated",
    "Unavailable",
    "Unresponsive",
    "UnsafeCodeError",
    "Usage",
    "Verdict",
    "Violation",
    "exec_env",
    "execute_backend_code",
    "get_code_warnings",
    "validate_code_safety",
]

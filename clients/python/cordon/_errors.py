# SPDX-License-Identifier: Apache-2.0
"""
What can go wrong between a caller and the daemon, as opposed to what the code did: an
execution that failed is an Envelope like any other, and raises nothing.
"""

from __future__ import annotations

__all__ = ["BadRequest", "CordonError", "RunLost", "Unavailable", "Unresponsive"]


class CordonError(RuntimeError):
    """The call could not be done."""


class Unavailable(CordonError):
    """No daemon could be reached or started. Nothing ran."""


class BadRequest(CordonError):
    """The daemon refused the request. Nothing ran."""

    def __init__(self, message: str, field: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.field = field
        """What is wrong, as the request spells it ("limits.wall_ms"), or ""."""
        self.status = status
        """The HTTP status."""


class RunLost(CordonError):
    """
    The daemon went away after the request was handed over. The code may have run, in part or
    whole, so it is not run again unasked. Nothing of it is left running.
    """


class Unresponsive(CordonError):
    """
    The daemon's process is stopped, and answers nobody. The code may have run, in part or whole,
    and what runs of it ends at its limits.
    """

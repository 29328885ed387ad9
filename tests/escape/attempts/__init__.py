# SPDX-License-Identifier: Apache-2.0
"""The rows of the escape suite, all of them."""

from . import calls, ends, places
from .row import FAMILIES, WALLS, Row, Stopped, Why, down, end_of_row, program

ROWS = [*calls.rows(), *places.rows(), *ends.rows()]

__all__ = ["FAMILIES", "ROWS", "WALLS", "Row", "Stopped", "Why", "down", "end_of_row", "program"]

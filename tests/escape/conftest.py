# SPDX-License-Identifier: Apache-2.0
"""The binary under test is found as the behaviour tests find it."""

import importlib.util
import sys
from pathlib import Path

_BEHAVIOUR = Path(__file__).resolve().parents[1] / "behaviour"
sys.path.append(str(_BEHAVIOUR))  # what that one imports
_SPEC = importlib.util.spec_from_file_location("behaviour_conftest", _BEHAVIOUR / "conftest.py")
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)

cordon = _MODULE.cordon

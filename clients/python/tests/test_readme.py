# SPDX-License-Identifier: Apache-2.0
"""The README's examples run as they stand, one after the other in one process."""

import re

from conftest import CLIENT


def test_the_examples(script):
    text = (CLIENT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 3
    said = script("\n".join(blocks))  # how often it is called is up to the clock
    assert said.startswith("said: 0\n") and re.sub(r"\D", "", said) == "012"

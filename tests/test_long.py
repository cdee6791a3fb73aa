"""The list of tests that take long names tests that are there."""

from __future__ import annotations

import re

import pytest

from tests.conftest import LONG, ROOT


@pytest.mark.parametrize("name", [name for names in LONG.values() for name in names])
def test_each_name_is_that_of_a_test(name: str) -> None:
    file, *parts = name.partition("[")[0].split("::")
    text = (ROOT / file).read_text("utf-8")
    assert all(re.search(rf"^ *(def|class) {part}\b", text, re.MULTILINE) for part in parts)

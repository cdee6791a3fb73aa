"""The parts of pages that are made from the code are as the code makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.programs import program

generated = program("generated")


@pytest.mark.parametrize("page", generated.pages(), ids=lambda page: page.stem)
def test_a_generated_part_is_as_the_code_makes_it(page: Path) -> None:
    text = page.read_text("utf-8")
    assert generated.regenerated(text) == text, "python docs/generated.py writes it anew"


def test_a_change_of_a_generated_part_is_noticed() -> None:
    text = "a\n<!-- generated: command_index -->\nby hand\n<!-- end -->\nb\n"
    anew = generated.regenerated(text)
    assert "by hand" not in anew
    assert "[`ujsx demo`](command-author.md#ujsx-demo)" in anew

"""Texts that are found again in a page without ids."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, NotesSection
from hud_runtime.editing import Changes, changes
from tests.hud_runtime.editing.test_without_ids import notes, told
from ujsx import Element, render

TEXTS = st.lists(st.text(alphabet="ab ", min_size=1, max_size=6).filter(str.strip), max_size=6)


def hud(texts: Sequence[str]) -> Element[Hud]:
    return Hud()[NotesSection(notes=notes(*texts).notes, limit=60)]


def rewritten(old: Sequence[str], new: Sequence[str]) -> Changes:
    """Put a page with the new texts in the place of one with the old ones."""
    return changes(hud(old), render(hud(new)))


class TestMatch:
    @given(TEXTS)
    def test_all_texts_are_found_in_themselves(self, texts: list[str]) -> None:
        assert told(rewritten(texts, texts)) == []

    @given(TEXTS, TEXTS)
    def test_no_text_is_two(self, old: list[str], new: list[str]) -> None:
        found = told(rewritten(old, new))
        named = [one for each in found for one in re.findall(r"^notes\.\w+ id='(n-\d+)'", each)]
        assert len(set(named)) == len(named)

    def test_another_list_is_not_compared_text_by_text(self) -> None:
        old, new = [f"Port {n}" for n in range(60)], [f"Gate {n}" for n in range(60)]
        found = rewritten(old, new)
        assert (found.operations, len(found.problems)) == ((), 60)

    def test_a_clear_pair_makes_another_one_clear(self) -> None:
        old = ["the worker is on port 8080", "the server is on port 9090"]
        new = ["the worker is on port 8081", "the server is at port 909"]
        assert told(rewritten(old, new)) == [
            f"notes.update id='n-{number}' content='{text}'" for number, text in enumerate(new, 2)
        ]

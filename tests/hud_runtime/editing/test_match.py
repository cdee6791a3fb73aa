"""Texts that are found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.hud_runtime.inside import match

TEXTS = st.lists(st.text(alphabet="ab ", max_size=6), max_size=6)


class TestMatch:
    @given(TEXTS)
    def test_all_texts_are_found_in_themselves(self, texts: list[str]) -> None:
        found = match(texts, texts)
        assert found.pairs == {place: place for place in range(len(texts))}
        assert (found.unclear, found.vague) == ({}, set())

    @given(TEXTS, TEXTS)
    def test_no_text_is_two(self, old: list[str], new: list[str]) -> None:
        found = match(old, new)
        assert len({*found.pairs.values()}) == len(found.pairs)
        assert found.vague.isdisjoint(found.pairs.values())

    def test_another_list_is_not_compared_text_by_text(self) -> None:
        old, new = [f"Port {n}" for n in range(60)], [f"Gate {n}" for n in range(60)]
        found = match(old, new)
        assert (found.pairs, len(found.unclear), len(found.vague)) == ({}, 60, 60)

    def test_a_clear_pair_makes_another_one_clear(self) -> None:
        old = ["the worker is on port 8080", "the server is on port 9090"]
        new = ["the worker is on port 8081", "the server is at port 909"]
        assert match(old, new).pairs == {0: 0, 1: 1}

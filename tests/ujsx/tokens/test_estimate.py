"""The estimate of tokens: its laws, and how far it is from what o200k counts."""

from __future__ import annotations

from bisect import bisect
from math import ceil

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.ids import looped
from tests.token_texts import Kind, kinds, off, percentile
from tests.work import Act, growth
from ujsx.tokens import (
    BLOCK_WEIGHTS,
    CLASSES,
    LETTERS,
    QUESTION_MARK,
    WINDOW_WEIGHTS,
    estimate_tokens,
    rs_bpe_counter,
)

AT_ONCE = 8_192
"""Bytes of a text that are looked at at once."""

some_text = st.text(st.characters(codec=None))
written = st.text(st.sampled_from("a1 0\t\né?\x1a\x18。日Җнı߿ࠀ￿😀\ud83d"))
any_text = some_text | written


COSTLIEST = chr(max(BLOCK_WEIGHTS, key=lambda block: block[1])[0])


def one_by_one(text: str) -> int:
    """The estimate, a window after the other, as the tables say it."""
    if not text:
        return 0
    starts = [first for first, *_ in BLOCK_WEIGHTS]
    seen = text.translate(str.maketrans({"?": QUESTION_MARK, **LETTERS}))
    units = memoryview(seen.encode("utf-16-le", "surrogatepass")).cast("H")
    cost = sum(BLOCK_WEIGHTS[bisect(starts, unit) - 1][1] for unit in units)
    codes = [CLASSES[char] for char in seen.encode("latin-1", "replace")]
    for first, second, third, fourth in zip(codes, codes[1:], codes[2:], codes[3:], strict=False):
        kind = (fourth >> 3 & 1, second & 7, first >> 7, third >> 4 & 7)
        cost += WINDOW_WEIGHTS[kind[0] << 7 | kind[1] << 4 | kind[2] << 3 | kind[3]]
    return ceil((100 + cost) / 100)


class TestEstimate:
    def test_of_nothing_is_0(self) -> None:
        assert estimate_tokens("") == 0

    @given(text=any_text.filter(bool))
    def test_of_something_is_at_least_1(self, text: str) -> None:
        assert estimate_tokens(text) >= 1

    @given(left=any_text, right=any_text)
    @example("1", "2")
    @example("20 ", " 26")
    @example("\ud83d", "\ude00")
    @example("a" * AT_ONCE, "b" * AT_ONCE)
    def test_of_a_part_is_never_more_than_that_of_the_whole(self, left: str, right: str) -> None:
        whole = estimate_tokens(left + right)
        assert max(estimate_tokens(left), estimate_tokens(right)) <= whole

    @given(left=any_text, right=any_text)
    @example("a" * AT_ONCE, "b" * AT_ONCE)
    def test_of_parts_adds_up_to_two_tokens(self, left: str, right: str) -> None:
        parts = estimate_tokens(left) + estimate_tokens(right)
        assert abs(estimate_tokens(left + right) - parts) <= 2

    @given(text=any_text, times=st.integers(1, 300))
    @example("é" * 3 + "a" * 9, 200)
    @example("abcd", AT_ONCE // 2)
    @example(COSTLIEST, 3_000)
    @example('%"' * 2, 3_000)
    @example("ab?", 2 * AT_ONCE)
    def test_adds_up_what_the_tables_say(self, text: str, times: int) -> None:
        assert estimate_tokens(text * times) == one_by_one(text * times)

    @given(texts=st.lists(any_text, max_size=3), sizes=st.lists(st.integers(1, 5_000), max_size=3))
    def test_is_the_same_however_often_it_is_asked_for(
        self, texts: list[str], sizes: list[int]
    ) -> None:
        made = [*texts, *(f"Fix {size}. " * (size // 7 + 1) for size in sizes)]
        assert [estimate_tokens(each) for each in made * 2] == [*map(one_by_one, made)] * 2

    @looped("size", range(AT_ONCE - 5, AT_ONCE + 6))
    def test_looks_at_each_window_once(self, size: int) -> None:
        text = ("Fix src/app.py:42, please. " * 100)[:size]
        assert estimate_tokens(text) == one_by_one(text)

    @looped("text", ["plain words, ", "2026 11 22", "naïve ", "日本語", "😀 "])
    def test_takes_twice_the_work_for_twice_the_text(self, text: str) -> None:
        def prepared(size: int) -> Act:
            doubled = text * size
            return lambda: estimate_tokens(doubled)

        assert growth(prepared, 2_000) < 2.1


class TestTables:
    def test_have_a_code_for_each_character(self) -> None:
        assert len(CLASSES) == 256

    def test_weigh_a_window_at_most_as_a_token(self) -> None:
        assert len(WINDOW_WEIGHTS) == 256
        assert all(0 <= weight <= 100 for weight in WINDOW_WEIGHTS)

    def test_have_blocks_that_begin_where_a_half_page_does(self) -> None:
        starts = [first for first, *_ in BLOCK_WEIGHTS]
        assert starts == sorted(set(starts))
        assert starts[0] == 0
        assert all(first % 128 == 0 for first in starts)
        free = {first for first, weight, _ in BLOCK_WEIGHTS if weight == 0}
        assert {
            0,
            0xDC00,
        } <= free  # windows tell of Latin-1, and half a character is paid for by the other


class TestAccuracy:
    """Against o200k, on texts that the weights were not fitted to."""

    def test_has_texts_of_many_scripts_and_kinds(self) -> None:
        found = kinds()
        assert len(found) >= 80
        assert all(200 <= len(each.text) <= 4_000 for each in found)
        counted = [sum(each.script == script for each in found) for script in scripts(found)]
        assert len(counted) > 20
        assert sum(each.script == "code and data" for each in found) > 20

    def test_is_near_on_average(self) -> None:
        errors = [abs(off(each)) for each in kinds()]
        assert sum(errors) / len(errors) <= 0.075
        assert percentile(errors, 95) <= 0.205

    @looped("kind", kinds(), ids=lambda kind: kind.name)
    def test_is_not_far_from_any_kind(self, kind: Kind) -> None:
        assert abs(off(kind)) <= 0.35

    def test_is_held_against_what_o200k_counts(self) -> None:
        pytest.importorskip("rs_bpe")
        counter = rs_bpe_counter()
        assert {each.name: each.tokens for each in kinds()} == {
            each.name: counter(each.text) for each in kinds()
        }


def scripts(found: tuple[Kind, ...]) -> set[str]:
    return {each.script for each in found}

"""The estimate of tokens: its laws, and how far it is from what o200k counts."""

from __future__ import annotations

import re
from bisect import bisect

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.token_texts import Kind, kinds, off, percentile
from tests.work import Act, growth
from ujsx.tokens import (
    BLOCK_WEIGHTS,
    DISCOUNTS,
    LATIN_WEIGHTS,
    estimate_tokens,
    rs_bpe_counter,
)
from ujsx.tokens._estimate import hundredths

some_text = st.text(st.characters(codec=None))
written = st.text(st.sampled_from("a1 0\t\né。日Җ߿ࠀ￿😀\ud83d"))
any_text = some_text | written


def one_by_one(text: str) -> int:
    """The same in hundredths, a character after the other, as the tables say it."""
    starts = [first for first, *_ in BLOCK_WEIGHTS]
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    cost = sum(
        LATIN_WEIGHTS[unit] if unit < 256 else BLOCK_WEIGHTS[bisect(starts, unit) - 1][1]
        for unit in units
    )
    plain = "".join(char for char in text if char < "\u0100")
    return (
        cost
        - DISCOUNTS["digit"] * len(re.findall("(?<=[0-9])[0-9]", plain))
        - DISCOUNTS["space"] * len(re.findall("(?<=[ \t])[ \t]", plain))
    )


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
    def test_of_a_text_is_never_more_than_that_of_its_parts(self, left: str, right: str) -> None:
        whole = estimate_tokens(left + right)
        assert max(estimate_tokens(left), estimate_tokens(right)) <= whole
        assert whole <= estimate_tokens(left) + estimate_tokens(right)

    @given(text=any_text, times=st.integers(1, 300))
    @example("é" * 3 + "a" * 9, 200)
    def test_adds_up_what_the_tables_say(self, text: str, times: int) -> None:
        assert hundredths(text * times) == one_by_one(text * times)

    @given(left=any_text, right=any_text)
    def test_adds_up_over_lines(self, left: str, right: str) -> None:
        parts = (left, "\n", right)
        assert hundredths("".join(parts)) == sum(map(hundredths, parts))

    @pytest.mark.parametrize("text", ["plain words, ", "2026 11 22", "naïve ", "日本語", "😀 "])
    def test_takes_twice_the_work_for_twice_the_text(self, text: str) -> None:
        def prepared(size: int) -> Act:
            doubled = text * size
            return lambda: estimate_tokens(doubled)

        assert growth(prepared, 2_000) < 2.1


class TestTables:
    def test_weigh_each_character_of_latin_1(self) -> None:
        assert len(LATIN_WEIGHTS) == 256
        assert all(0 < weight <= 255 for weight in LATIN_WEIGHTS)

    def test_have_blocks_that_begin_where_a_half_page_does(self) -> None:
        starts = [first for first, *_ in BLOCK_WEIGHTS]
        assert starts == sorted(set(starts))
        assert starts[0] == 0
        assert all(first % 128 == 0 for first in starts)
        free = {name for _, weight, name in BLOCK_WEIGHTS if weight == 0}
        assert (
            len(free) == 2
        )  # Latin-1 has its own table, and half a character is paid for by the other

    def test_discount_nothing_below_nothing(self) -> None:
        assert min(LATIN_WEIGHTS[ord(each)] for each in "0123456789") > DISCOUNTS["digit"]
        assert min(LATIN_WEIGHTS[ord(each)] for each in " \t") >= DISCOUNTS["space"]


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
        assert sum(errors) / len(errors) <= 0.08
        assert percentile(errors, 95) <= 0.20

    @pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
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

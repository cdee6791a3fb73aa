"""``elided``: which items of a growing list are shown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import elided

counts, limits = st.integers(0, 400), st.integers(0, 120)


def shown(count: int, limit: int | None) -> list[int]:
    """The places of the items that are shown."""
    gap = elided(count, limit)
    return [*range(gap.start), *range(gap.stop, count)]


class TestLeftOut:
    @given(count=counts, limit=limits)
    def test_leaves_no_more_than_the_limit(self, count: int, limit: int) -> None:
        assert len(shown(count, limit)) <= limit

    @given(count=counts, limit=limits)
    def test_leaves_at_least_five_eighths_of_it(self, count: int, limit: int) -> None:
        assert len(shown(count, limit)) >= min(count, limit * 5 / 8)

    @given(count=counts, limits=st.tuples(limits, limits).map(sorted))
    def test_leaves_more_with_a_larger_limit(self, count: int, limits: list[int]) -> None:
        fewer, more = (set(shown(count, limit)) for limit in limits)
        assert fewer <= more

    @given(count=st.integers(1, 400), limit=st.integers(1, 120))
    def test_leaves_the_newest(self, count: int, limit: int) -> None:
        newest = range(max(0, count - min(limit, 5)), count)
        assert set(newest) <= set(shown(count, limit))

    @given(count=counts)
    def test_leaves_all_without_a_limit_or_below_it(self, count: int) -> None:
        assert shown(count, None) == shown(count, count) == list(range(count))

    @looped("limit", range(6))
    def test_leaves_exactly_the_newest_of_a_short_list(self, limit: int) -> None:
        assert shown(9, limit) == list(range(9 - limit, 9))

    @looped(("limit", "turns"), [(10, 4), (20, 4), (40, 8), (100, 16)])
    def test_changes_every_few_items_only(self, limit: int, turns: int) -> None:
        gaps = [elided(count, limit) for count in range(limit + 1, limit + 1 + 20 * turns)]
        changes = sum(one != other for one, other in pairwise(gaps))
        assert changes <= 20

    @looped(("count", "limit"), [(-1, 3), (3, -1)])
    def test_refuses_what_is_no_count(self, count: int, limit: int) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            elided(count, limit)

"""What is made anew of a run is what was not there before, and all of it is what it would be by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx._renewed import renewed


def doubled(numbers: Sequence[int]) -> list[int]:
    return [2 * number + 1 for number in numbers]


runs = st.lists(st.integers(0, 5), max_size=8)


@given(before=runs, given=runs)
def test_gives_what_making_all_of_them_gives(before: list[int], given: list[int]) -> None:
    assert list(renewed(before, doubled(before), given, doubled)) == doubled(given)


@given(before=st.lists(st.integers(10, 15).map(str), max_size=8), data=st.data())
def test_of_objects_only_the_same_is_known_again(before: list[str], data: st.DataObject) -> None:
    others = [f"{text} "[:-1] for text in before]  # equal, and other objects
    runs = st.lists(st.sampled_from(before + others), max_size=8, unique_by=id)
    run = data.draw(runs) if before else []
    made: list[str] = []
    results = renewed(before, before, run, lambda new: (made.extend(new), new)[1], by_value=False)
    assert list(results) == run
    assert not any(each is known for each in made for known in before)


@pytest.mark.parametrize(
    ("given", "anew"),
    [
        ("abcdefgh", ""),
        ("abcXefgh", "X"),
        ("abcefgh", ""),
        ("abcdXefgh", "X"),
        ("bcdefghX", "X"),
        ("XabcdefgY", "XY"),
        ("abXdeYgh", "XY"),
        ("hgfedcba", ""),
        ("", ""),
    ],
)
def test_makes_only_what_is_new(given: str, anew: str) -> None:
    made: list[str] = []

    def make(new: Sequence[str]) -> Sequence[str]:
        made.extend(new)
        return new

    assert "".join(renewed("abcdefgh", "abcdefgh", given, make)) == given
    assert "".join(made) == anew

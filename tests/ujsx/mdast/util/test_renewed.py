"""What is made anew of a run is what was not there before, and all of it is what it would be by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx.mdast.util import map_changed


def odd(number: int, _old: int | None = None) -> int:
    return 2 * number + 1


runs = st.lists(st.integers(0, 5), max_size=8)


@given(before=runs, given=runs)
def test_gives_what_making_all_of_them_gives(before: list[int], given: list[int]) -> None:
    assert list(map_changed(before, [*map(odd, before)], given, odd)) == [*map(odd, given)]


def test_tells_what_stood_there() -> None:
    found = map_changed("abcd", "ABCD", "abxd", lambda new, old: f"{new} for {old}")
    assert list(found) == ["A", "B", "x for C", "D"]


@looped(
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

    def make(new: str, _old: str | None) -> str:
        made.append(new)
        return new

    assert "".join(map_changed("abcdefgh", "abcdefgh", given, make)) == given
    assert "".join(made) == anew

"""What differs between two renderings, told in lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.hud_runtime.preview.inside import changed_parts
from tests.work import lines_run
from ujsx import Renderer
from ujsx.elements import Item, List, Section

WORDS = st.sampled_from(["a", "b", "c", "d", "**e**"])
SECTIONS = st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=5)), max_size=4)


def rendered(sections):
    tree = [
        Section(title=title)[List()[(Item()[word] for word in words)]] for title, words in sections
    ]
    return Renderer().render(tree)


@given(SECTIONS)
def test_nothing_differs_from_itself(sections):
    assert changed_parts(rendered(sections), rendered(sections)) == []


@given(SECTIONS, SECTIONS)
def test_lines_that_went_were_there_and_lines_that_came_are(before, after):
    old, new = rendered(before), rendered(after)
    parts = changed_parts(old, new)
    assert bool(parts) == (old.text != new.text)
    for part in parts:
        assert {*part["gone"]} <= {*old.text.splitlines()}
        assert {*part["new"]} <= {*new.text.splitlines()}


@given(SECTIONS, SECTIONS)
def test_the_other_way_round_is_the_other_way_round(before, after):
    there = changed_parts(rendered(before), rendered(after))
    back = changed_parts(rendered(after), rendered(before))
    key = str
    assert sorted(([one["path"], one["new"], one["gone"]] for one in there), key=key) == sorted(
        ([one["path"], one["gone"], one["new"]] for one in back), key=key
    )


def test_twice_the_lines_are_twice_the_work():
    def many(size):
        return tuple(
            Renderer().render(List()[(Item()[f"{word} {number % 7}"] for number in range(size))])
            for word in "ab"
        )

    def work(size):
        pair = many(size)
        return lines_run(lambda: changed_parts(*pair))

    assert work(400) < 2.3 * work(200)

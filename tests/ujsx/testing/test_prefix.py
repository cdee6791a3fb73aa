"""``assert_prefix_stable``: what a prompt cache can use again."""

from __future__ import annotations

import pytest

from hud_components import ContextUsage, Hud, HudState, Note
from ujsx import Rendered, Renderer
from ujsx.testing import assert_prefix_stable, prefix_kept


def turns(count: int, *, bar_first: bool) -> list[Rendered]:
    """A HUD over some turns in which only the context fills up."""
    renderer, rendered = Renderer(), []
    notes = tuple(Note(content=f"note {n}") for n in range(12))
    for turn in range(count):
        node = Hud.of(HudState(notes=notes), usage=ContextUsage(used=1_000 * turn))
        if bar_first:
            node = node.component[tuple(reversed(node.children))]
        rendered.append(renderer.render(node))
    return rendered


class TestPrefixKept:
    def test_is_everything_when_nothing_changes(self) -> None:
        assert prefix_kept(["same", "same", "same"]) == 1.0

    def test_is_everything_of_a_single_rendering(self) -> None:
        assert prefix_kept(["one"]) == prefix_kept([]) == 1.0

    def test_counts_bytes(self) -> None:
        assert prefix_kept(["éa", "éb"]) == pytest.approx(2 / 3)

    def test_of_what_is_appended_is_what_was_there(self) -> None:
        assert prefix_kept(["abcd", "abcdef"]) == pytest.approx(4 / 6)


class TestAssertPrefixStable:
    def test_holds_for_the_default_hud_whose_context_line_stands_last(self) -> None:
        assert_prefix_stable(turns(8, bar_first=False), at_least=0.8)

    def test_fails_where_what_changes_stands_first_and_says_where(self) -> None:
        with pytest.raises(AssertionError, match=r"kept as a prefix, not 80\.0%.*# HUD"):
            assert_prefix_stable(turns(8, bar_first=True), at_least=0.8)

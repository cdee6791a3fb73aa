"""``assert_prefix_stable``: what a prompt cache can use again."""

from __future__ import annotations

from typing import Any

import pytest

from hud_components import ContextUsage, Domain, Hud, HudState, HudValue, Note, ValueSection
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import DefinitionError, Rendered, Renderer, RenderError
from ujsx.elements import Section
from ujsx.testing import assert_prefix_stable, prefix_kept


def turns(count: int, *, bar_first: bool) -> list[Rendered]:
    """A HUD over some turns in which only the context fills up."""
    renderer, rendered = Renderer(), []
    notes = tuple(Note(content=f"note {n}") for n in range(12))
    for turn in range(count):
        node = Hud.of(HudState(notes=notes), usage=ContextUsage(used=10_000 * turn))
        if bar_first:
            node = Section(title="HUD")[tuple(reversed(node.children))]
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


class Air(HudValue):
    """The air in a cave."""

    degrees: float
    humidity: int


class Climate(ValueSection[Air]):
    """How the air is."""

    name = "climate"
    lines = {"full": "{degrees} °C, {humidity} % humid", "compact": "{degrees} °C"}  # noqa: RUF012


def test_the_field_that_is_read_is_named_before_those_that_are_kept() -> None:
    with HudStore.open(":memory:", domain=Domain("cave", sections=(Climate,))) as store:
        session = store.session("s")
        renderings = []
        for degrees, humidity in ((11.5, 93), (14, 93), (14, 80)):
            session.record("climate.set", degrees=degrees, humidity=humidity)
            renderings.append(session.hud(density="full"))
    for turn, why in (
        (0, r"climate\.degrees was 11\.5, is 14"),
        (1, r"climate\.humidity was 93, is 80"),
    ):
        with pytest.raises(AssertionError, match=why):
            assert_prefix_stable(renderings[turn : turn + 2], at_least=1)


class TestRefusals:
    @looped("share", [-0.1, 1.1, 90, True, "0.9", float("nan")])
    def test_a_share_that_is_none(self, share: Any) -> None:
        with pytest.raises(DefinitionError, match=r"at_least= is a share from 0 to 1, .*not"):
            assert_prefix_stable(["a", "ab"], at_least=share)

    @looped("ask", [prefix_kept, assert_prefix_stable])
    def test_what_is_no_renderings(self, ask: Any) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for what in (
                session,
                [session],
                [session.hud],
                "one text",
                session.hud(),
                None,
                [None],
            ):
                with pytest.raises(RenderError, match=r"such as \[session\.hud\(turn=n\) .*not"):
                    ask(what)

    @looped("turns", [[], ["one"], ["", ""], ["one", ""]])
    def test_what_has_nothing_to_compare(self, turns: list[str]) -> None:
        with pytest.raises(AssertionError, match=r"nothing to compare: .*two turns at least"):
            assert_prefix_stable(turns)


class TestAssertPrefixStable:
    def test_tells_what_only_grows_from_what_breaks(self) -> None:
        grows = ["head\n", "head\n\none\n", "head\n\none\n\ntwo two two\n"]
        with pytest.raises(AssertionError) as caught:
            assert_prefix_stable(grows)
        assert str(caught.value) == (
            "45.5% of the bytes are kept as a prefix, not 90.0%; nothing breaks it: each rendering begins with all of "
            "the one before, and most is new in rendering 2 (the first is 0), 13 bytes; renderings that only grow keep "
            "what was there: at_least=0.45"
        )
        assert_prefix_stable(grows, at_least=0.45)
        with pytest.raises(
            AssertionError, match=r"most is lost in rendering 3 .*'head' is now 'x'"
        ):
            assert_prefix_stable([*grows, "x"])

    def test_holds_for_the_default_hud_whose_context_line_stands_last(self) -> None:
        assert_prefix_stable(turns(8, bar_first=False), at_least=0.8)

    def test_takes_renderings_one_by_one(self) -> None:
        assert_prefix_stable(iter(turns(3, bar_first=False)), at_least=0.8)

    def test_names_the_node_and_the_field_that_break_the_prefix(self) -> None:
        with pytest.raises(
            AssertionError,
            match=r"kept as a prefix, not 80\.0%; .*"
            r"ContextBar breaks the prefix in line 3: usage\.used was \d+, is \d+",
        ):
            assert_prefix_stable(turns(8, bar_first=True), at_least=0.8)

    def test_names_the_heading_in_texts_of_which_nothing_else_is_known(self) -> None:
        with pytest.raises(AssertionError) as caught:
            assert_prefix_stable(["# A\n\na\n\n# B\n\nb\n", "# A\n\na\n\n# B\n\nc\n"], at_least=1)
        assert str(caught.value) == (
            "86.7% of the bytes are kept as a prefix, not 100.0%; most is lost in rendering 1 "
            "(the first is 0), 2 bytes: what is under '# B' breaks the prefix in line 7: "
            "'b' is now 'c'"
        )

    def test_names_the_rendering_in_which_most_is_lost(self) -> None:
        with pytest.raises(
            AssertionError, match=r"rendering 2 .* the text breaks the prefix in line 1"
        ):
            assert_prefix_stable(["aaa", "aab", "bbb", "bbbb"])

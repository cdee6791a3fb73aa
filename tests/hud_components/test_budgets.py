"""How many tokens a HUD may have by itself."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from hud_components import (
    BUDGETS,
    Decision,
    Hud,
    HudState,
    ItemsSection,
    Note,
    NotesSection,
    room_for,
)
from hud_components.layout import budget_for
from hud_components.levels import Threshold
from tests.hud_components.cases import STATES
from tests.ids import looped
from ujsx import (
    Child,
    Density,
    RenderContext,
    Rendered,
    Renderer,
    RenderError,
    dump,
    render_document,
)
from ujsx.elements import Omitted
from ujsx.trees import resolve


class TestBudgets:
    @looped(("percentage", "tokens"), [(0, 500), (69.9, 500), (70, 150), (85, 50), (92.1, 50)])
    def test_follow_the_density(self, percentage: float, tokens: int) -> None:
        assert budget_for(percentage) == tokens

    def test_go_by_thresholds_of_your_own(self) -> None:
        early = (Threshold("green", Density.FULL, 0), Threshold("red", Density.MINIMAL, 50))
        assert budget_for(60, thresholds=early) == BUDGETS[Density.MINIMAL].most

    def test_refuse_what_is_no_percentage(self) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            budget_for(-1)

    @looped("budget", ["60", "of", 0.5, True, []])
    def test_refuse_what_is_no_number_of_tokens(self, budget: Any) -> None:
        with pytest.raises(RenderError, match="a budget must be a number of tokens"):
            render_document(Hud.of(STATES["typical"]), budget=room_for(None, budget=budget).budget)

    def test_are_enough_for_what_is_usual(self) -> None:
        """Blockers and a compacted context have floors, which are beside the smallest budget."""
        for density in (Density.FULL, Density.COMPACT):
            tokens = BUDGETS[density].most
            assert not render_document(Hud.of(STATES["typical"]), budget=tokens).over_budget


def _notes(count: int, text: str = "note {}") -> tuple[Note, ...]:
    return tuple(Note(id=f"n-{n}", content=text.format(n)) for n in range(count))


MANY: dict[str, Child] = {
    "notes": Hud.of(HudState(notes=_notes(500))),
    "two lists": Hud.of(
        HudState(
            notes=_notes(500),
            decisions=tuple(Decision(id=f"d-{n}", summary=f"use {n}") for n in range(500)),
        )
    ),
    "short ones": Hud.of(HudState(notes=_notes(90, "{}"))),
}


def _account(rendered: Rendered) -> object:
    sections = [(each.name, each.rung, str(each.rung), each.tokens) for each in rendered.sections]
    return rendered.text, sections, rendered.omitted, rendered.over_budget


class TestMoreItemsThanTokens:
    """All of them surely cost more than there is, so that nobody renders them to see."""

    @pytest.mark.parametrize("tree", MANY)
    @pytest.mark.parametrize("density", [None, Density.COMPACT])
    def test_show_what_counting_all_of_them_shows(
        self, tree: str, density: Density | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def shown() -> list[object]:
            renderer, held = Renderer(), None
            found: list[object] = []
            for budget in (20, 280, 150):
                held = renderer.render(MANY[tree], budget=budget, density=density, previous=held)
                found.append(_account(held))
            return found

        quickly = shown()
        monkeypatch.setattr(ItemsSection, "_least_tokens", lambda *_: 0)
        assert quickly == shown()

    def test_are_shown_where_a_counter_finds_less_than_a_token_in_a_line(self) -> None:
        sparse = RenderContext(count_tokens=lambda text: len(text) // 30)
        notes = Hud.of(HudState(notes=_notes(300, "{}")))
        shown = Renderer(context=sparse).render(notes, budget=100).text
        assert not Renderer(context=sparse).render(notes, budget=100).omitted
        assert "\n- 150\n" in shown

    def test_are_no_matter_where_nothing_can_be_chosen(self) -> None:
        assert render_document("text", budget=0).over_budget

    def test_render_no_more_of_them_than_there_are_tokens(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        most = 0
        rows: Callable[..., Any] = NotesSection.rows

        def counted(self: NotesSection, items: Any, *rest: Any) -> Any:
            nonlocal most
            most = max(most, len(items))
            return rows(self, items, *rest)

        monkeypatch.setattr(NotesSection, "rows", counted)
        render_document(MANY["notes"], budget=200)
        assert 10 < most <= 200


class TestIdsThatAreReadLater:
    def test_are_a_value_as_any(self) -> None:
        section = NotesSection(notes=_notes(3), limit=1)
        (mark,) = _marks(resolve(section))
        (again,) = _marks(resolve(NotesSection(notes=_notes(3), limit=1)))
        (other,) = _marks(resolve(NotesSection(notes=_notes(4)[1:], limit=1)))
        usual = Omitted(**{**vars(mark), "ids": ("n-0", "n-1")})
        assert mark == again == usual == pickle.loads(pickle.dumps(mark))
        assert hash(mark) == hash(usual)
        assert mark != other
        assert dump(mark) == dump(usual)
        assert mark.ids[:1] == ("n-0",)


def _marks(node: Any) -> list[Any]:
    if isinstance(node, Omitted):
        return [node]
    component = getattr(node, "component", None)
    own = [component] if isinstance(component, Omitted) else []
    return own + [mark for child in getattr(node, "children", ()) for mark in _marks(child)]

"""What a newcomer gets wrong first, and the sentence that helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hud_components import Hud, HudState, NotesSection
from ujsx import Component, Disclosure, Renderer, Rung, UjsxError, Vocabulary, render
from ujsx.elements import PRIMITIVES, Item, Paragraph, Section, TableCell

ANY: Any = None


class NoRender(Component):
    word: str


def no_disclosure() -> object:
    return type(Component)("Bad", (Component,), {"disclosure": [Rung(ANY or "full")]})


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a prop by its place": (
        lambda: Section("Notes"),  # type: ignore[misc]
        r"Section: props are given by name, not 'Notes'; write Section\(title=…\)",
    ),
    "children attached twice": (
        lambda: Section(title="x")["a"]["b"],
        "Section: it has its children already; put all of them in one pair of brackets",
    ),
    "an item without a list": (lambda: render(Item()["x"]), "a ListItem stands in a List only"),
    "a cell without a row": (lambda: render(TableCell()["x"]), "stands in a TableRow only"),
    "a state as the context": (
        lambda: render(NotesSection(), context=HudState()),  # type: ignore[arg-type]
        r"a context is a RenderContext, not HudState.*RenderContext\(\)\.having\(value\)",
    ),
    "a session as the state": (
        lambda: Hud.of("session"),  # type: ignore[arg-type]
        r"Hud\.of takes a HudState, such as session\.state\(\), not 'session'",
    ),
    "a budget that is text": (
        lambda: Renderer().render("x", budget="10"),  # type: ignore[arg-type]
        "a budget is a number of tokens, not '10'",
    ),
    "a list as the disclosure": (no_disclosure, r"Bad\.disclosure is a Disclosure\(ladder, …\)"),
    "no rung in the ladder": (
        lambda: Disclosure(("full",)),  # type: ignore[arg-type]
        r"a ladder is made of rungs, at least one, not \('full',\)",
    ),
    "a density that does not exist": (
        lambda: Rung("ful"),  # type: ignore[arg-type]
        "'ful' is no density; did you mean \"full\"",
    ),
    "names as a vocabulary": (
        lambda: Vocabulary(*PRIMITIVES),  # type: ignore[arg-type]
        r"add them to a vocabulary with \|, as in PRIMITIVES \| \[Mine\]",
    ),
    "a component without a render": (
        lambda: render(Paragraph()[NoRender(word="x")]),
        'NoRender has no rule for "ujsx -> mdast".*Give it a render',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(UjsxError, match=message):
        make()


def test_a_rung_takes_the_name_of_a_density() -> None:
    assert Disclosure((Rung("minimal", 0), Rung("full"))).at("compact") == Rung("minimal", 0)  # type: ignore[arg-type]


def test_a_title_of_the_author_stays_when_space_is_short() -> None:
    layout = Hud(title="Mine")[Section(title="House rules")["Be kind."]]
    assert render(layout, density="minimal") == "# Mine\n\n## House rules\n\nBe kind.\n"

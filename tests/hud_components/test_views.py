"""Views of one's own: what they lack they take from the bound state, wherever they stand."""

from __future__ import annotations

from typing import Any, Self

import pytest

from hud_components import (
    ContextBar,
    ContextUsage,
    Domain,
    Hud,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    NotesSection,
    Now,
    State,
    ValueSection,
    View,
)
from hud_components.declaring import LayoutWarning
from tests.ids import looped
from ujsx import Child, Children, DefinitionError, RenderContext, read_layout, render
from ujsx.elements import PRIMITIVES, Paragraph, Section


class Deadline(HudValue):
    """Until when."""

    what: Line
    minute: int = 0


class Due(ValueSection[Deadline]):
    """What is due."""

    name = "due"
    lines = {"full": "**{what}**"}  # noqa: RUF012


class Clock(View):
    """How long there is still."""

    reads = (Due, "usage", "now")

    minutes: int | None = None
    used: int | None = None
    unit: str = "min"

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        due = state[Due]
        if due is None or now is None:
            return None
        return cls(minutes=due.minute - now // 60_000, used=usage.used if usage else None)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[f"{self.minutes} {self.unit} {self.used}"]


class Loud(Clock):
    """The same, and louder."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [super().render(ctx, children), Paragraph()["!"]]


DOMAIN: Any = Domain("views", sections=(Due, NotesSection, Clock, ContextBar))
STATE = DOMAIN.state(due=Deadline(what="Report", minute=30), usage=ContextUsage(used=7))
BOUND = RenderContext().with_value(STATE)
AT_TEN = BOUND.with_value(Now(10 * 60_000))


@looped(
    "tree",
    [
        Clock(),
        Hud(title="")[Clock()],
        Section(title="")[Clock()],
        read_layout('<Hud title=""><Clock/></Hud>', [*PRIMITIVES.values(), Hud, Clock]),
    ],
    ids=["alone", "in a HUD", "in a section", "in a document"],
)
def test_without_its_props_takes_them_from_the_bound_state(tree: Any) -> None:
    assert "20 min 7" in render(tree, context=AT_TEN)


def test_shows_what_the_default_hud_shows() -> None:
    default = render(Hud.of(STATE, now=10 * 60_000))
    assert (
        render(Hud()[Due(), NotesSection(), Clock(), ContextBar(step=1)], context=AT_TEN) == default
    )


def test_shows_nothing_where_there_is_nothing_of_the_state() -> None:
    assert render(Clock(), context=BOUND) == ""
    assert render(Clock(), context=RenderContext().with_value(DOMAIN.state())) == ""


def test_keeps_the_props_that_it_is_given() -> None:
    assert render(Clock(minutes=3), context=AT_TEN) == "3 min 7\n"
    assert render(Clock(unit="minutes"), context=AT_TEN) == "20 minutes 7\n"
    assert render(Clock(minutes=3, used=1, unit="m"), context=AT_TEN) == "3 m 1\n"
    assert render(Clock(minutes=3, used=1), context=BOUND) == "3 min 1\n"
    assert render(Clock(now=0), context=AT_TEN) == "30 min 7\n"


def test_one_made_of_a_state_is_not_made_again_of_another() -> None:
    other = DOMAIN.state(due=Deadline(what="Other", minute=99))
    shown = render(Hud.of(other, now=0), context=AT_TEN)
    assert "99 min None" in shown


def test_a_view_that_goes_on_from_another_is_filled_once() -> None:
    assert render(Loud(), context=AT_TEN) == "20 min 7\n\n!\n"


def test_without_a_state_a_hud_says_so() -> None:
    with pytest.warns(LayoutWarning, match="shows nothing"):
        render(Hud()[Clock()])
    assert "3 min" in render(Hud()[Clock(minutes=3)])  # and nothing is warned of


def test_what_is_no_view_is_refused_when_it_is_made() -> None:
    class Odd(Clock):
        @classmethod
        def of_state(
            cls, state: State, usage: ContextUsage | None = None, now: int | None = None
        ) -> Any:
            return "20 min"

    for make in (
        lambda: Hud.of(Domain("odd", (Due, Odd)).state()),
        lambda: render(Odd(), context=BOUND),
    ):
        with pytest.raises(DefinitionError, match=r"Odd.of_state gives '20 min'; return cls\(…\)"):
            make()


def _declared(**own: Any) -> Any:
    kind: Any = type(View)
    return kind("Odd", (View,), {"__module__": __name__, "__qualname__": "Odd", **own})


def _render(_self: Any, _ctx: Any, _children: Any) -> str:
    return ""


@looped(
    ("own", "why"),
    [
        ({}, r"Odd does not say what it shows; define render\(self, ctx, children\)"),
        (
            {"render": _render, "of_state": classmethod(lambda cls, state: None)},
            r"Odd.of_state takes other arguments; write @classmethod, and def of_state\(cls, state, ",
        ),
        (
            {"render": _render, "of_state": lambda cls, state, usage, now: None},
            "Odd.of_state takes other arguments",
        ),
        ({"render": _render, "reads": Due}, r"Odd.reads is not a tuple; write reads = \(Due,\)"),
        ({"render": _render, "reads": (Clock,)}, "is not a section with a value"),
        ({"render": _render, "reads": (3,)}, "3 is not a section with a value"),
    ],
)
def test_is_refused_where_it_is_declared(own: dict[str, Any], why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        _declared(**own)


@looped("by_its_item", [False, True])
def test_reads_a_section_without_lines_of_its_own(by_its_item: bool) -> None:
    class Parcel(HudItem):
        number: str

    class Parcels(ItemsSection[Parcel]): ...

    class ParcelCount(View):
        reads = (Parcel if by_its_item else Parcels,)

        def render(self, ctx: RenderContext, children: Children) -> Child:
            return f"{len(self.read(ctx)[Parcels])} parcels"

    shop = Domain("shop", [ParcelCount, Parcels])
    assert render(Hud.of(shop.state(parcels=["A-17", "A-18"]))).startswith("# HUD\n\n2 parcels\n")


def test_that_reads_what_is_not_there_is_refused_by_the_domain() -> None:
    with pytest.raises(
        DefinitionError,
        match=r"Clock reads Due, which is not a section of .odd.; add it to sections, or leave Clock out",
    ):
        Domain("odd", sections=(NotesSection, Clock))

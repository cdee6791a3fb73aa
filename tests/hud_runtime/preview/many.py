"""A long session of a large domain: each turn says something in one of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from types import new_class
from typing import Any

from hud_components import (
    ContextBar,
    Domain,
    Each,
    Hud,
    HudItem,
    HudSection,
    ItemsSection,
    Line,
    State,
    Value,
    When,
)
from hud_runtime import HudStore
from hud_runtime.events import EventDraft
from tests.hud_runtime.preview.hostile import TEXTS
from ujsx import Child, Children, Component, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, List, Omitted, Section, strong

SECTIONS = 100
TURNS = 1_000

LOUD = (*TEXTS, "\n".join(f"line {number}" for number in range(200)), "word " * 500)
"""Texts that would like to be something else, and long ones."""


class Fact(HudItem):
    """Something that was seen."""

    what: Line
    """What it was."""


def _section(number: int) -> type[HudSection]:
    fields = {
        "__doc__": "Facts of one kind.",
        "__module__": __name__,
        "name": f"facts{number}",
        "title": f"Facts {number}",
        "prefix": "".join(chr(97 + int(digit)) for digit in str(number)),
        "noun": f"fact{number}|facts{number}",
        "lines": {"full": "**{what}**", "compact": "{what}"},
    }
    base: Any = ItemsSection[Fact]
    return new_class(f"Facts{number}", (base,), exec_body=lambda space: space.update(fields))


_KINDS = [*map(_section, range(SECTIONS))]
MANY: Domain[Any] = Domain("many", [*_KINDS, ContextBar])
FEW: Domain[Any] = Domain("few", [*_KINDS[:10], ContextBar])


class Own(Component):
    """Facts of one kind, by a component that finds them in the state itself."""

    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL)),
        floor=Density.MINIMAL,
    )

    number: int
    """Of which kind."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        found = getattr(ctx.get(State), f"facts{self.number}", ())
        shown = found[: ctx.limit]
        left = len(found) - len(shown)
        return (
            shown
            and Section(title=f"Own {self.number}")[
                List()[(Item()[strong(each.what)] for each in shown)],
                left > 0 and Omitted(count=left),
            ]
        )


def _bound(number: int) -> Child:
    """One of the ways in which an author shows what a state has."""
    if number % 3 == 0:
        return _KINDS[number]()
    if number % 3 == 1:
        return Own(number=number)
    path = f"facts{number}"
    return When(has=path)[
        Section(title=f"Each {number}")[Each(of=path)[List()[Item()[Value(of="what")]]]]
    ]


BOUND = Hud(title="Long")[(*map(_bound, range(SECTIONS)), ContextBar())]
FEW_BOUND = Hud(title="Few")[(*map(_bound, range(10)), ContextBar())]
"""Layouts of an author's, of as many sections, that are bound to the state of a session."""


def long_session(
    path: Path,
    turns: int = TURNS,
    name: str = "long",
    domain: Domain[Any] = MANY,
    texts: Sequence[str] = ("Part {turn} of the parcel API listens on port {port}",),
) -> None:
    """Record a session in a store.

    :param texts: what is said, one turn after the other.
    """
    with HudStore.open(path, domain=domain, clock=lambda: 0) as store:
        session = store.session(name)
        drafts = (
            _draft(turn, len(domain.sections) - 1, texts[turn % len(texts)])
            for turn in range(1, turns + 1)
        )
        while page := [one for pair in islice(drafts, 100) for one in pair]:
            session.record_all(page)


def _draft(turn: int, sections: int, said: str) -> tuple[EventDraft, EventDraft]:
    number = turn % sections
    numbers = {"{turn}": str(turn), "{port}": str(8_000 + turn)}
    for name, value in numbers.items():
        said = said.replace(name, value)
    text = {"what": said}
    usage = {"used": 20_000 + 100 * turn}
    return (
        EventDraft(f"facts{number}.add", text, turn, turn, "agent"),
        EventDraft("context.snapshot", usage, turn, turn, "host"),
    )

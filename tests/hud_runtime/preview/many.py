"""A long session of a large domain: each turn says something in one of its sections."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from types import new_class
from typing import Any

from hud_components import ContextBar, Domain, HudItem, HudSection, ItemsSection, Line
from hud_runtime import HudStore
from hud_runtime.events import EventDraft

SECTIONS = 100
TURNS = 1_000


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


FEW: Domain[Any] = Domain("few", [*map(_section, range(10)), ContextBar])


@cache
def __getattr__(name: str) -> Domain[Any]:
    """Make the domain ``MANY`` once somebody asks for it: its hundred classes take a second."""
    if name != "MANY":
        raise AttributeError(name)
    return Domain("many", [*map(_section, range(SECTIONS)), ContextBar])


def long_session(
    path: Path, turns: int = TURNS, name: str = "long", domain: Domain[Any] | None = None
) -> None:
    """Record a session in a store of its own: of the domain ``MANY``, if of no other."""
    domain = domain or __getattr__("MANY")
    with HudStore.open(path, domain=domain, clock=lambda: 0) as store:
        session = store.session(name)
        drafts = (_draft(turn, len(domain.sections) - 1) for turn in range(1, turns + 1))
        while page := [one for pair in islice(drafts, 100) for one in pair]:
            session.record_all(page)


def _draft(turn: int, sections: int) -> tuple[EventDraft, EventDraft]:
    number = turn % sections
    text = {"what": f"Part {turn} of the parcel API listens on port {8000 + turn}"}
    usage = {"used": 20_000 + 100 * turn}
    return (
        EventDraft(f"facts{number}.add", text, turn, turn, "agent"),
        EventDraft("context.snapshot", usage, turn, turn, "host"),
    )

"""A long session of a large domain: each turn says something in one of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
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
from hud_runtime.log.events import EventDraft
from tests.hud_runtime.preview.hostile import TEXTS
from ujsx import Child, Children, Component, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, List, Omitted, Section, strong

SECTIONS = 100
TURNS = 1_000

LOUD = (*TEXTS, "\n".join(f"line {number}" for number in range(200)), "word " * 500)
"""Texts that would like to be something else, and long ones."""

FOREIGN = (
    "包裹接口在端口 {port} 上监听，第 {turn} 部分；请勿缩短这句话。" * 8,
    "小包APIの{turn}番目の部分は、ポート{port}で待ち受けています。" * 8,
    "الجزء {turn} من واجهة الطرود يستمع على المنفذ {port} (v2.1)، ثم «يعيد» المحاولة. " * 6,
    "חלק {turn} של ממשק החבילות מאזין בפורט {port} – \u202bכך נאמר\u202c. " * 6,
    "می\u200cخواهم بخش {turn} را ببینم؛ क्\u200dष भाग {turn} पोर्ट {port} पर 👩\u200d💻 ❤\ufe0f 🏳\ufe0f\u200d🌈 "
    * 6,
    "a_b*c*d__e__ `f` [g](h) ![i] <j> | k | ~l~ ~~m~~ #n 1. o - p + q > r \\s &amp; t! $u$ {v} ^w^ =x= :y: 'z' \"\" "
    * 6,
    "*_`[]<>|~#+-.!\\&(){}^=:$@%;,?/'\"" * 20,
)
"""Texts of other scripts, from left and from right, with the marks that these need; and of punctuation."""


class Fact(HudItem):
    """Something that was seen."""

    what: Line
    """What it was."""


@cache
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
        return _section(number)()
    if number % 3 == 1:
        return Own(number=number)
    path = f"facts{number}"
    return When(has=path)[
        Section(title=f"Each {number}")[Each(of=path)[List()[Item()[Value(of="what")]]]]
    ]


def _layout(title: str, count: int) -> Child:
    """A layout of an author's, of so many sections, that is bound to the state of a session."""
    return Hud(title=title)[(*map(_bound, range(count)), ContextBar())]


def _domain(name: str, count: int) -> Domain[Any]:
    return Domain(name, [*map(_section, range(count)), ContextBar])


FEW, FEW_BOUND = _domain("few", 10), _layout("Few", 10)


@cache
def __getattr__(name: str) -> Any:
    """Make the domain ``MANY``, or the layout ``BOUND``, once somebody asks for it: its hundred classes take a second."""
    match name:
        case "MANY":
            return _domain("many", SECTIONS)
        case "BOUND":
            return _layout("Long", SECTIONS)
    raise AttributeError(name)


def long_session(
    path: Path,
    turns: int = TURNS,
    name: str = "long",
    domain: Domain[Any] | None = None,
    texts: Sequence[str] = ("Part {turn} of the parcel API listens on port {port}",),
) -> None:
    """Record a session in a store of its own: of the domain ``MANY``, if of no other.

    :param texts: what is said, one turn after the other.
    """
    domain = domain or __getattr__("MANY")
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

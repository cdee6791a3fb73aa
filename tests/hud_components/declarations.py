"""Sections and domains that nobody wrote: declarations as Hypothesis strategies, and data for them."""

from __future__ import annotations

import types
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from itertools import count
from typing import Any, Literal

from hypothesis import assume
from hypothesis import strategies as st
from pydantic import create_model

from hud_components import (
    Domain,
    HudItem,
    HudSection,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    Text,
    ValueSection,
    Verb,
    Wording,
)
from hud_components.declaring import HudModel, LayoutWarning, PlainItem
from tests.hud_components.strategies import TEXTS
from ujsx import DefinitionError, Density, Disclosure, Rung


class Mood(Enum):
    """A choice, as an Enum has it."""

    GOOD = "good"
    VERY_BAD = "very bad (—)"


class Level(IntEnum):
    """A choice of numbers."""

    LOW = 1
    HIGH = 2


CHOICES = ("worked", "failed", "un*clear*", "a — b")


@dataclass(frozen=True)
class Field:
    """A field of a generated model."""

    annotation: Any
    values: st.SearchStrategy[Any]
    default: Any = ...
    is_said: bool = True
    """Whether every item says something in it."""
    has_hole: bool = True
    formats: tuple[str, ...] = ("",)
    """Specs that its hole may have."""

    @property
    def definition(self) -> tuple[Any, Any]:
        return self.annotation, self.default


MARKS = ("**{}**", "*{}*", "`{}`", "~~{}~~", "{}", "{}")
BETWEEN = (" — ", ": ", " ", ", due ", " / {{}} ", " the ", " (", ") ")

_LIKE_LINES = ("a", "b", "7", "*", "**x**", "`x`", "—", "worked", "*said by a tool*", "The things:")
"""Texts like those beside and between the holes of lines: with one in a value, a line may be read as another."""

_like_lines = st.lists(st.sampled_from((*BETWEEN, *_LIKE_LINES)), min_size=1, max_size=6).map(
    lambda parts: "".join(parts).strip()
)
_lines = TEXTS.map(str.strip) | _like_lines.filter(bool)
_whens = st.datetimes(
    timezones=st.none() | st.just(UTC) | st.just(timezone(timedelta(hours=-3, minutes=-30)))
)
_decimals = st.decimals(allow_nan=False, allow_infinity=False)
_floats = st.floats(allow_nan=False, allow_infinity=False)

FIELDS: tuple[Field, ...] = (
    Field(Line, _lines),
    Field(Line | None, st.none() | _lines, None, is_said=False),
    Field(Text, st.just("") | TEXTS, "", is_said=False),
    Field(str, st.text(max_size=12).filter(lambda text: text.isprintable()), "", is_said=False),
    Field(Literal[CHOICES], st.sampled_from(CHOICES)),
    Field(Literal[CHOICES], st.sampled_from(CHOICES), "failed"),
    Field(Mood, st.sampled_from(Mood), Mood.GOOD),
    Field(
        int, st.integers(-(2**53), 2**53), formats=("", ",", "_", "+", "06", ".1f", ".0%", ".3g")
    ),
    Field(int | None, st.none() | st.integers(0, 9), None, is_said=False),
    Field(float, _floats, 0.5, formats=("", ",", ",.2f", ".0%", "+.1%", ".3g", ".2e", "_")),
    Field(Decimal, _decimals, Decimal("1.50"), formats=("", ",", ",.2f", ".1%", "g", "+.1e")),
    Field(float | None, st.none() | st.floats(0, 1), None, is_said=False, formats=("", ".0%")),
    Field(date, st.dates(), formats=("", "%d.%m.%Y", "%F", "%m", "%Y%m%d")),
    Field(time, st.times(), formats=("", "%H:%M", "%M:%S", "%T.%f")),
    Field(
        datetime | None,
        st.none() | _whens,
        None,
        is_said=False,
        formats=("", "%H:%M", "%F %R", "%Y", "%d.%m. at 100%%"),
    ),
    Field(timedelta, st.timedeltas(timedelta(-5), timedelta(500)), timedelta(hours=1)),
    Field(bool, st.booleans(), False),
    Field(bool | None, st.none() | st.booleans(), None, is_said=False),
    Field(Level, st.sampled_from(Level), Level.LOW),
    Field(Literal[1, 2, "more"], st.sampled_from((1, 2, "more"))),
    Field(
        tuple[str, ...],
        st.lists(TEXTS | st.sampled_from(("a, b", "", "—", " ")), max_size=3).map(tuple),
        (),
        is_said=False,
        formats=("", ", ", " · ", " "),
    ),
    Field(
        tuple[int, ...],
        st.lists(st.integers(), max_size=2).map(tuple),
        (),
        is_said=False,
    ),
    Field(tuple[int, str], st.tuples(st.integers(), TEXTS), (0, ""), has_hole=False),
)


@dataclass(frozen=True)
class Declared:
    """A generated section, and what its items may be."""

    section: type[HudSection]
    fields: Mapping[str, Field]

    @property
    def values(self) -> st.SearchStrategy[Any]:
        """Items, or a value, as a state has them."""
        model: Any = self.section.value
        given = {name: each.values for name, each in self.fields.items()}
        if self.section.kind is None:
            return st.builds(model, **given)
        if "id" in model.model_fields:
            given["id"] = st.sampled_from(("q-1", "q-2", "q-3", "project:q-1", "parent:x", ""))
        return st.lists(st.builds(model, **given), max_size=14).map(tuple)

    def filled(self, value: Any, **props: Any) -> HudSection:
        """The section with its data."""
        return self.section(**{self.section.prop: value}, **props)


_numbers = count()


@st.composite
def models(draw: st.DrawFn, base: type[HudModel]) -> tuple[type[HudModel], dict[str, Field]]:
    """A model of one to six fields, the first of which can stand in a line."""
    kinds = draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=5))
    first = draw(st.sampled_from([each for each in FIELDS if each.is_said and each.has_hole]))
    names = [f"f{number}" for number in range(len(kinds) + 1)]
    fields = dict(zip(names, (first, *kinds), strict=True))
    definitions = {name: each.definition for name, each in fields.items()}
    if draw(st.booleans()):
        definitions["done"] = (Kept[bool], False)
        fields["done"] = Field(Kept[bool], st.booleans(), False, has_hole=False)
    if issubclass(base, HudValue):
        actors: Any = ("agent", "user", "tool", "host")
        fields["said_by"] = Field(Kept[str], st.sampled_from(actors), "agent", has_hole=False)
    model: Any = create_model(f"Model{next(_numbers)}", __base__=base, **definitions)
    return model, fields


def _safe(fields: Mapping[str, Field], word: str = "") -> str:
    """A line that is never refused."""
    return f"{word}**{{f0}}**"


@st.composite
def _line(draw: st.DrawFn, fields: Mapping[str, Field], names: Sequence[str], word: str) -> str:
    parts: list[str] = []
    for name in names:
        spec = draw(st.sampled_from(fields[name].formats))
        parts.append(
            draw(st.sampled_from(MARKS)).format(f"{{{name}:{spec}}}" if spec else f"{{{name}}}")
        )
    between = draw(st.sampled_from(BETWEEN))
    return word + between.join(parts)


@st.composite
def lines(
    draw: st.DrawFn, fields: Mapping[str, Field], *, is_value: bool, title: str
) -> dict[str, Any]:
    """Lines by density."""
    shown = [name for name, each in fields.items() if each.has_hole]
    found: dict[str, Any] = {}
    for density in Density:
        if density is not Density.FULL and draw(st.booleans()):
            continue
        word = "" if density is Density.FULL or not is_value else f"**{title}:** "
        wordings: list[Any] = []
        for _ in range(draw(st.integers(0, 2))):
            names = draw(st.lists(st.sampled_from(shown), min_size=1, max_size=3, unique=True))
            wordings.append(draw(_line(fields, names, word)))
        if "done" in fields and draw(st.booleans()):
            wordings.insert(0, Wording(f"{word}~~{{f0}}~~", {"done": True}))
        names = draw(st.lists(st.sampled_from(shown), min_size=1, max_size=3, unique=True))
        wordings.append(draw(_line(fields, names, word)))
        found[str(density)] = wordings[0] if len(wordings) == 1 else wordings
    return found


LADDERS = st.builds(
    lambda limits, weight, floor, layer: Disclosure(
        (
            Rung(Density.MINIMAL, limits[0]),
            Rung(Density.COMPACT, limits[1]),
            Rung(Density.FULL, limits[2]),
            Rung(Density.FULL),
        ),
        weight,
        floor,
        layer,
    ),
    st.lists(st.integers(0, 12), min_size=3, max_size=3).map(sorted),
    st.floats(0.1, 9),
    st.sampled_from((None, Density.MINIMAL)),
    st.sampled_from(("static", "session")),
)


@st.composite
def sections(draw: st.DrawFn, name: str = "things", others: tuple[Declared, ...] = ()) -> Declared:
    """A section of one's own.

    :param others: sections whose events may do something to it.
    """
    is_value = draw(st.booleans())
    base: Any = ValueSection if is_value else ItemsSection
    is_sourced = draw(st.booleans())
    value, item = (HudValue, HudItem) if is_sourced else (HudModel, PlainItem)
    model, fields = draw(models(value if is_value else item))
    title = f"The {name}"
    body: dict[str, Any] = {
        "name": name,
        "title": title,
        "noun": f"{name} one|{name} ones",
        "prefix": name,
        "lines": draw(st.just({}) | lines(fields, is_value=is_value, title=title)),
        "is_sourced": is_sourced,
        "budget": draw(st.none() | st.integers(1, 120)),
    }
    earlier = [each.section for each in others]
    told = sorted(Domain("earlier", earlier).section_events) if earlier else ()
    effect = st.sampled_from(VALUE_EFFECTS if is_value else ITEM_EFFECTS)
    body["on"] = draw(st.dictionaries(st.sampled_from((*told, *FACTS)), effect, max_size=3))
    if is_value:
        del body["prefix"]
    else:
        body["disclosure"] = draw(LADDERS)
        verbs: list[str | Verb] = [
            "add",
            *draw(st.sets(st.sampled_from(("update", "remove", "clear", "replace", "reorder")))),
        ]
        if "done" in fields:
            body["done"] = "done"
            body["shows_done"] = draw(st.booleans())
            verbs.append("complete")
        if draw(st.booleans()):
            verbs.append(Verb("rotate", rotated))
        body["verbs"] = tuple(verbs)

    def declare(lines: Any) -> Any:
        filled = {**body, "lines": lines, "__module__": __name__, "__qualname__": name.title()}
        return types.new_class(name.title(), (base[model],), {}, lambda space: space.update(filled))

    try:
        with (
            warnings.catch_warnings()
        ):  # a line that lacks a mark gets one, and the laws hold for it
            warnings.simplefilter("ignore", LayoutWarning)
            made = declare(body["lines"])
    except DefinitionError:
        word = f"**{title}:** " if is_value else ""
        made = declare({"full": _safe(fields), "compact": _safe(fields, word)})
    return Declared(made, fields)


class Steps(HudModel):
    """How far."""

    by: int = 1
    """How many places."""


def rotated(items: tuple[Any, ...], said: Steps, moment: Moment) -> tuple[Any, ...]:
    """A verb of one's own: the items change places."""
    if said.by < 0:
        raise ValueError("by is 0 or more")
    place = said.by % len(items) if items else 0
    return (*items[place:], *items[:place]) if place else items


FACTS = ("session.start", "session.title", "section.clear", "context.snapshot", "compact.after")
"""Types of events that every session has, whatever its domain."""


def emptied(value: Any, said: Any, moment: Moment) -> Any:
    """An effect on a value: there is none any more."""
    return None


def forgotten(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
    """An effect on items: the oldest is gone."""
    return items[1:]


def turned(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
    """An effect on items: the last comes first."""
    return (*items[-1:], *items[:-1])


def doubled(items: tuple[Any, ...], said: Any, moment: Moment) -> tuple[Any, ...]:
    """An effect on items: the last is there twice, and the first without an id."""
    return (*(one.model_copy(update={"id": ""}) for one in items[:1]), *items[1:], *items[-1:])


def failing(value: Any, said: Any, moment: Moment) -> Any:
    """An effect that fails: nothing changes, and what happened is recorded all the same."""
    raise RuntimeError(f"nothing is done in turn {moment.turn}")


VALUE_EFFECTS = (emptied, failing)
ITEM_EFFECTS = (forgotten, turned, doubled, failing)


@st.composite
def domains(draw: st.DrawFn) -> tuple[Domain[Any], tuple[Declared, ...]]:
    """A domain of one to three sections of its own, of which later ones may hear of earlier ones."""
    number = draw(st.integers(1, 3))
    made: tuple[Declared, ...] = ()
    for name in ("alphas", "betas", "gammas")[:number]:
        made += (draw(sections(name, made)),)
    try:
        return Domain(f"own-{next(_numbers)}", [each.section for each in made]), made
    except DefinitionError as refused:  # lines drawn by chance may be alike
        assume("could both write" not in str(refused))
        raise

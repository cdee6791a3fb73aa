"""The form of an item: a line's text, its holes, and how both are written and read back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from hud_components._models import Actor, HudModel, HudValue, Origin
from hud_components.declaring._values import UNSET, Look, Partial, as_text, is_set
from hud_components.words._cut import in_lines, line
from hud_components.words._texts import format_text
from ujsx import Child, RenderContext, Template
from ujsx.elements import em
from ujsx.mdast import Node

ID = "`{id}` "
"""What stands before an item that shows its id."""

ORIGIN = " *{origin}*"
"""What stands behind an item that is inherited, or that another than the agent said."""

AROUND: tuple[tuple[str, str], ...] = (("", ""), (ID, ""), ("", ORIGIN), (ID, ORIGIN))
_ADDED = ("id", "origin")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """One way to write an item. When it is read, its line tells which way it was."""

    text: str
    """The name of the line, under which a table of words may replace it."""

    fields: tuple[str, ...]
    """The fields of the item that the line's holes may stand for."""

    fixed: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """What else holds of an item that is written so."""

    source: str = ""
    """The line itself, where it is not replaced."""

    patterns: tuple[tuple[str, str], ...] = ()
    """By field, the regular expression of what its hole reads, where that is not any text."""

    examples: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NOTHING)
    """By field, some of the texts that its hole may hold."""

    looks: Mapping[str, Look] = field(default_factory=lambda: _NOTHING)
    """By field, how its hole writes a value and reads it, where that is not as it stands."""

    blank: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """By field that some line of the section writes as a dash, the value that says nothing."""

    dashed: frozenset[str] = frozenset()
    """The fields that this line writes as a dash, where they say nothing."""

    def fits(self, values: Mapping[str, Any]) -> bool:
        """Tell whether an item with these values is written so: its holes have something to hold."""
        for name, value in self.fixed.items():
            if values.get(name) != value:
                return False
        for name in self.fields:
            value = values.get(name)
            if is_set(value) and (name not in self.blank or not self._is_dash(name, value)):
                continue
            if name not in self.dashed or name not in values:
                return False
        return True

    def _is_dash(self, name: str, value: Any) -> bool:
        """Tell whether a value reads like one that says nothing."""
        return self.text_of(name, value).strip() == UNSET

    def text_of(self, name: str, value: Any) -> str:
        """Return what a hole has of a value."""
        if not is_set(value):
            return UNSET
        look = self.looks.get(name)
        return as_text(value) if look is None or isinstance(value, Partial) else look.write(value)

    def said(self, told: Mapping[str, str]) -> dict[str, Any]:
        """Return what the texts of its holes say, by field; other names are kept as they are."""
        return {name: self._value(name, text) for name, text in told.items()}

    def _value(self, name: str, text: str) -> Any:
        if text == UNSET and name in self.blank:
            return self.blank[name]
        look = self.looks.get(name)
        return text if look is None or look.read is None else look.read(text)

    def texts_of(
        self, values: Mapping[str, Any], width: int | None = None, *, keeps_lines: bool = False
    ) -> list[str]:
        """Return what fills the holes: a text on one line, cut to a width; a number as it is.

        :param keeps_lines: whether a text keeps its lines, but for blank ones.
        """
        whole = {name for name, _ in self.patterns}
        short = in_lines if keeps_lines else line
        return [
            self.text_of(name, values.get(name))
            if name in whole
            else short(self.text_of(name, values.get(name)), width).strip(" \t")
            for name in self.fields
        ]

    def template(self, ctx: RenderContext, before: str = "", behind: str = "") -> Template:
        """Return the line, with an id before it or an origin behind it."""
        source = ctx.texts.get(self.text, self.source)
        if before or behind:
            return _line(before + source + behind, (*self.fields, *_ADDED), self.patterns)
        return _line(source, self.fields, self.patterns)


def without_formats(source: str) -> str:
    """Return a line whose holes are names alone: a format is the declaration's, in any words.

    >>> without_formats("{at:%H:%M} **{what}** {{x}}")
    '{at} **{what}** {{x}}'
    """
    return _FORMAT.sub(lambda match: f"{{{match[1]}}}" if match[1] else match[0], source)


_FORMAT = re.compile(r"\{\{|\}\}|\{(\w+):[^{}]*\}")


@lru_cache(maxsize=512)
def _line(source: str, fields: tuple[str, ...], patterns: tuple[tuple[str, str], ...]) -> Template:
    source = without_formats(source)
    known = {name: pattern for name, pattern in patterns if f"{{{name}}}" in source}
    return Template(source, fields, patterns=known) if known else Template.of(source, fields)


def read_item(
    forms: Sequence[Form],
    ctx: RenderContext,
    line: Sequence[Node],
    around: Sequence[tuple[str, str]] = AROUND,
    over: Over | None = None,
) -> dict[str, Any] | None:
    """Return the fields of the item that a line shows, or ``None`` if no form writes such a line.

    :param around: what may stand before and behind it.
    :param over: what stands behind an item that is over.
    """
    for before, behind in around:
        for form in forms:
            read = form.template(ctx, before, behind).read(line)
            if read is None:
                continue
            said = read.pop("origin", None)
            known = {} if said is None else whence_of(ctx, over).get(said)
            if known is not None:
                return {**known, **form.fixed, **form.said(read)}
    return None


def unexpected_source(value: object) -> Actor | None:
    """Return who said a value, where that is to be shown; None where nobody would wonder.

    >>> from hud_components import HudValue
    >>> unexpected_source(HudValue(said_by="tool")), unexpected_source(HudValue())
    ('tool', None)
    """
    if not isinstance(value, HudValue) or value.said_by in value.expected_from:
        return None
    return value.said_by


class Over(NamedTuple):
    """How a line tells that its item is over, where its form does not: a word behind it."""

    field: str
    """The field that says so."""

    word: str
    """The word, from the table of words."""


EVERYBODY = frozenset(get_args(Actor))
"""All who may say something."""


def unmarked(model: type[HudModel]) -> frozenset[str]:
    """Return whose words are not marked: everybody's where a model does not know who said them."""
    return frozenset(model.expected_from) if issubclass(model, HudValue) else EVERYBODY


def whence(ctx: RenderContext, item: Any, over: Over | None = None) -> str:
    """Return what stands behind an item: who said it, if nobody expects them to, and where it is from.

    :param over: what else stands there of an item that is over.
    """
    by, origin = unexpected_source(item), getattr(item, "origin", None)
    names = [] if by is None else [f"source.{by}"]
    names += [] if origin is None else [f"origin.{origin}"]
    words = [format_text(ctx, name) for name in names]
    return ", ".join(words if over is None else [*words, over.word])


def said_by(item: Any, ctx: RenderContext) -> Child:
    """Return what an answer puts behind an item, or a value, that nobody would expect its author to say."""
    by = unexpected_source(item)
    return None if by is None else [" ", em(format_text(ctx, f"source.{by}"))]


def whence_of(ctx: RenderContext, over: Over | None = None) -> dict[str, dict[str, Any]]:
    """Return all that may stand behind an item, with the fields that it tells."""
    sources: dict[str, dict[str, Any]] = {
        format_text(ctx, f"source.{by}"): {"said_by": by} for by in get_args(Actor)
    }
    origins: dict[str, dict[str, Any]] = {
        format_text(ctx, f"origin.{each}"): {"id": f"{each}:"} for each in get_args(Origin)
    }
    both = {
        f"{source}, {origin}": {**by, **each}
        for source, by in sources.items()
        for origin, each in origins.items()
    }
    known = {**sources, **origins, **both}
    if over is None:
        return known
    is_over = {over.field: True}
    too = {f"{words}, {over.word}": {**said, **is_over} for words, said in known.items()}
    return {**known, over.word: is_over, **too}


def decorated(
    row: tuple[Any, ...],
    item: HudModel,
    ctx: RenderContext,
    *,
    show_id: bool,
    over: Over | None = None,
) -> tuple[Any, ...]:
    """Return a row with the item's id before it, if asked for, and behind it whence it comes.

    :param over: what stands behind it, too, of an item that is over.
    """
    words = whence(ctx, item, over)
    item_id: str = getattr(item, "id", "")
    before, behind = ID if show_id and item_id else "", ORIGIN if words else ""
    if not before and not behind:
        return row
    template: Template = row[0]
    patterns = tuple(template.patterns.items())
    made = _line(before + template.source + behind, (*template.fields, *_ADDED), patterns)
    return (made, *row[1:], item_id, words)


def shows_ids(items: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether items that were read show ids, and not only where they come from."""
    return any(not item["id"].endswith(":") for item in items if "id" in item)

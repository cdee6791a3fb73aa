"""The forms of a line: how an item is written, left out, and read back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, overload

from hud_components._models import Actor, HudModel, HudValue, Origin, PlainItem
from hud_components.declaring._values import UNSET, Partial, ValueLook, as_text, is_set
from hud_components.folding import End
from hud_components.words._texts import (
    NUMBER,
    counted,
    format_text,
    handle_of,
    in_lines,
    line,
    parse_count,
    value_of,
)
from ujsx import Child, RenderContext, Template, mdast
from ujsx.elements import Omitted, Section, Shortened, em
from ujsx.mdast import Node
from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS

ID = "`{id}` "
"""What stands before an item that shows its id."""

ORIGIN = " *{origin}*"
"""What stands behind an item that is inherited, or that another than the agent said."""

AROUND: tuple[tuple[str, str], ...] = (("", ""), (ID, ""), ("", ORIGIN), (ID, ORIGIN))
_ADDED = ("id", "origin")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


_DASH = re.compile(f'("*){UNSET}\\1')
"""A text that reads like one that says nothing: it is written in quotes, and read without them."""


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

    looks: Mapping[str, ValueLook] = field(default_factory=lambda: _NOTHING)
    """By field, how its hole writes a value and reads it, where that is not as it stands."""

    blank: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """By field that some line of the section writes as a dash, the value that says nothing."""

    dashed: frozenset[str] = frozenset()
    """The fields that this line writes as a dash, where they say nothing."""

    given: str = ""
    """The line that its author wrote, where another one is written."""

    why: str = ""
    """The reason for that."""

    def instead(self, source: str, why: str) -> Form:
        """Return the form with another line, which is written for the one that its author wrote."""
        return replace(self, source=source, given=self.given or self.source, why=self.why or why)

    def fits(self, values: Mapping[str, Any]) -> bool:
        """Tell whether an item with these values is written so: its holes have something to hold."""
        for name, value in self.fixed.items():
            if values.get(name) != value:
                return False
        for name in self.fields:
            value = values.get(name)
            if is_set(value) and (
                name not in self.blank or self.text_of(name, value).strip() != UNSET
            ):
                continue
            if name not in self.dashed or name not in values:
                return False
        return True

    def text_of(self, name: str, value: Any) -> str:
        """Return what a hole has of a value."""
        if not is_set(value):
            return UNSET
        look = self.looks.get(name)
        if look is None and name in self.blank and _DASH.fullmatch(text := as_text(value).strip()):
            return f'"{text}"'
        return as_text(value) if look is None or isinstance(value, Partial) else look.write(value)

    def said(self, told: Mapping[str, str]) -> dict[str, Any]:
        """Return what the texts of its holes say, by field; other names are kept as they are."""
        return {name: self._value(name, text) for name, text in told.items()}

    def told(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return what a row says by the holes of its line, and by being written so.

        :param row: a template, and the texts of its fields.
        """
        template, *texts = row
        told = zip(template.fields, texts, strict=True)
        holes = {name: text for name, text in told if name in template.holes}
        return {**self.fixed, **self.said(holes)}

    def _value(self, name: str, text: str) -> Any:
        if text == UNSET and name in self.blank:
            return self.blank[name]
        look = self.looks.get(name)
        if look is None and name in self.blank and _DASH.fullmatch(text):
            return text[1:-1]
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


def has_words(template: str) -> bool:
    """Tell whether a line says something by itself, beside its holes and marks."""
    return any(
        each.isalnum() for literal, _, _, _ in Formatter().parse(template) for each in literal
    )


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

    words: Mapping[Any, str]
    """The word for each value of the field with which an item is over."""


def word_of(end: End) -> str:
    """Return the word for items that are over: the yes/no field, or the choice that says so.

    >>> word_of(End("was_read")), word_of(End("status", ("given",))), word_of(End("status", ("given", "lost")))
    ('was read', 'given', 'done')
    """
    if len(end.values) != 1:
        return "done"
    value, field = end.values[0], end.field.replace("_", " ").strip()
    return field if value is True else f"not {field}" if value is False else as_text(value)


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
    return ", ".join(words if over is None else [*words, over.words[getattr(item, over.field)]])


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
    for value, word in over.words.items():
        is_over = {over.field: value}
        too = {f"{words}, {word}": {**said, **is_over} for words, said in whence_of(ctx).items()}
        known = {**known, word: is_over, **too}
    return known


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


# The mark for what a section leaves out: how it is written, and how it is read back.


class Omission(NamedTuple):
    """How many items are left out, and how many of them are done."""

    total: int = 0
    done: int = 0


Way: TypeAlias = Literal["count", "more", "line.more"]
"""The texts for a number of items: of all in short, behind a list, at the end of a line."""

OVER: Mapping[str, str] = MappingProxyType(
    {
        "over": "{over}",
        "count.over": "{{count}} {{noun}} {over}",
        "more": "… {{count}} more {{noun}}, {{done}} {over}",
        "line.over": "{{count}} {over}",
        "line.more": "{{count}} more, {{done}} {over}",
    }
)
"""The texts of a section that shows items that are over, by what its name stands before: made of the word for
that. The first stands behind such an item."""


def said_of(ctx: RenderContext, kind: str, left: Omission, way: Way) -> str:
    """Return what says how many items are left out: in short, how many are open while some are.

    >>> from hud_components import NextSteps
    >>> ctx = NextSteps.with_texts(RenderContext())
    >>> said_of(ctx, "steps", Omission(8, 3), "count"), said_of(ctx, "steps", Omission(8, 8), "line.more")
    ('5 steps', '8 done')
    """
    total, done = left
    if not done or f"{kind}.over" not in ctx.texts:
        return counted(ctx, kind, total, way)
    if way == "count" and done < total:
        return counted(ctx, kind, total - done, way)
    if way != "more" and done == total:
        return counted(ctx, kind, total, f"{kind}.{_ALL_OVER[way]}")
    return counted(ctx, kind, total, f"{kind}.{way}", done=done)


_ALL_OVER = {"count": "count.over", "line.more": "line.over"}


def read_said_of(
    node: Any, kind: str, ctx: RenderContext, way: Way, *, brief: bool = False
) -> Omission | None:
    """Return what a mark says that :func:`said_of` has worded; ``None`` if it is none of that kind.

    :param brief: whether the call is left out.
    """
    if f"{kind}.over" in ctx.texts:
        some = way != "count" and read_mark(node, kind, ctx, f"{kind}.{way}", brief=brief)
        if some:
            return some
        name = way != "more" and f"{kind}.{_ALL_OVER[way]}"
        every = name and read_mark(node, kind, ctx, name, brief=brief)
        if every:
            return Omission(every.total, every.total)
    return read_mark(node, kind, ctx, way, brief=brief)


def omitted(
    ctx: RenderContext,
    kind: str,
    hidden: Sequence[HudModel],
    more: int = 0,
    *,
    brief: bool = False,
    text: str | None = None,
) -> Omitted | None:
    """Return the mark for items that are not shown, or ``None`` when all are.

    :param kind: the section's name in the tables of texts and handles.
    :param hidden: the items that are left out; their ids go into the account of the rendering.
    :param more: how many are left out besides.
    :param brief: leave the call that shows them out of the text; the account has it.
    :param text: what the mark says; how many there are when ``None``.
    """
    count = len(hidden) + more
    if not count:
        return None
    return Omitted.model_construct(
        count=count,
        handle=handle_of(ctx, kind),
        text=text or counted(ctx, kind, count, "count" if brief else "more"),
        brief=brief,
        ids=IdsOf(hidden),
    )


class IdsOf(Sequence[str]):
    """The ids of items, read when somebody asks: most rungs that a budget tries are never shown.

    >>> from hud_components import Note
    >>> IdsOf([Note(id="n-1", content="a")]) == ("n-1",)
    True
    """

    __slots__ = ("_items",)

    def __init__(self, items: Sequence[HudModel]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._ids())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._ids()[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IdsOf):
            # The very same items, as most are that are equal, are compared at once.
            return self._items == other._items or self._ids() == other._ids()
        return self._ids() == other

    def __hash__(self) -> int:
        return hash(self._ids())

    def __repr__(self) -> str:
        return repr(self._ids())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._ids(),)

    def _ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self._items if isinstance(item, PlainItem) and item.id)


def shortened(
    ctx: RenderContext,
    kind: str,
    items: Sequence[Any],
    told: Sequence[Mapping[str, Any]],
    in_full: Sequence[Mapping[str, Any]],
) -> Shortened | None:
    """Return a note of the items that are shown and say less than they do in full; None for none.

    :param told: the fields that each of them tells.
    :param in_full: the fields that each of them tells in full.
    """
    less = [
        item
        for item, now, then in zip(items, told, in_full, strict=True)
        if any(now.get(name) != value for name, value in then.items())
    ]
    if not less:
        return None
    ids = tuple(item.id for item in less if isinstance(item, PlainItem) and item.id)
    return Shortened(count=len(less), handle=handle_of(ctx, kind), ids=ids)


def read_mark(
    node: Any,
    kind: str,
    ctx: RenderContext,
    *names: str,
    brief: bool = False,
    noun: str | None = None,
) -> Omission | None:
    """Return what a mark in a line says, or ``None`` if it is none of that kind.

    :param node: an mdast node.
    :param names: the texts that the mark may have.
    :param noun: whose noun it counts with; that of ``kind`` when ``None``.
    """
    said = mark_text(node, kind, ctx, brief=brief)
    for name in names if said is not None else ():
        numbers = parse_count(ctx, noun or kind, said or "", name, done=NUMBER)
        if numbers is not None:
            return Omission(numbers.get("count", 0), numbers.get("done", 0))
    return None


def mark_text(node: Any, kind: str, ctx: RenderContext, *, brief: bool = False) -> str | None:
    """Return the text of a mark, without its call; ``None`` for what is no mark with the call of that kind.

    :param node: an mdast node.
    :param brief: whether the call is left out.
    """
    if type(node) is not mdast.Emphasis or type(node.children[0]) is not mdast.Text:
        return None
    said, call = value_of(node.children[0]), node.children[1:]
    handle = handle_of(ctx, kind)
    if brief or handle is None:
        return None if call else said
    joint = ctx.texts.get("omitted.handle", PRIMITIVE_TEXTS["omitted.handle"])
    if call != (mdast.InlineCode(handle),) or not said.endswith(joint):
        return None
    return said[: len(said) - len(joint)]


def without_mark(line: Sequence[Any]) -> Sequence[Any]:
    """Return a line without the mark at its end, and the space before it."""
    *before, behind = line[:-1] or (None,)
    if type(behind) is not mdast.Text or not behind.value.endswith(" "):
        return line[:-1]
    text = behind.value[:-1]
    return (*before, mdast.Text(text)) if text else before


def titled(title: str) -> Section:
    """Return the section of that title."""
    return Section.model_construct(title=title)

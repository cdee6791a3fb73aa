"""The forms of a line: writing, omission, and reading back of an item."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from hud_components._models import Actor, HudModel, HudValue, Origin, PlainItem
from hud_components.declaring._values import NUMBERS, UNSET, Partial, ValueLook, as_text, is_set
from hud_components.folding import End
from hud_components.words._texts import (
    NUMBER,
    counted,
    format_text,
    handle_of,
    line,
    parse_count,
    value_of,
)
from ujsx import Child, DefinitionError, RenderContext, Template, mdast
from ujsx.elements import Omitted, Section, Shortened, em
from ujsx.errors import shown
from ujsx.mdast import Node
from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS

ID = "`{id}` "
"""The prefix of an item that shows its id."""

ORIGIN = " *{origin}*"
"""The suffix of an item that is inherited, or from another source than the agent."""

AROUND: tuple[tuple[str, str], ...] = (("", ""), (ID, ""), ("", ORIGIN), (ID, ORIGIN))

AROUND_A_VALUE = (("", ""), ("", ORIGIN))
"""The prefixes and suffixes of a value: it has no id."""

_ADDED = ("id", "origin")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


_DASH = re.compile(f'("*){UNSET}\\1')
"""A text that looks like an unset value: it is written in quotes, and read without them."""


Short: TypeAlias = Callable[[str, int | None], str]
"""A way to cut a text to a width."""


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """One form of an item. The line identifies the form when read back."""

    text: str
    """The name of the line, under which a table of words may replace it."""

    fields: tuple[str, ...]
    """The fields of the item available to the line's holes."""

    fixed: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """The values implied by the form."""

    source: str = ""
    """The line itself, unless replaced."""

    patterns: tuple[tuple[str, str], ...] = ()
    """The regular expressions of holes that do not accept any text, by field."""

    examples: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NOTHING)
    """Example texts of holes, by field."""

    looks: Mapping[str, ValueLook] = field(default_factory=lambda: _NOTHING)
    """The conversions of holes whose values are not plain texts, by field."""

    blank: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """The unset values of fields that some line of the section writes as a dash."""

    dashed: frozenset[str] = frozenset()
    """The fields that this line writes as a dash if unset."""

    given: str = ""
    """The author's line, if another one is written."""

    why: str = ""
    """The reason for that."""

    marked: str = ""
    """The line for items of which this one would be read as something else; empty if there are none."""

    @property
    def whole(self) -> str:
        """The name of the line as its author wrote it, of whose optional parts this one shows some."""
        return self.text.partition("?")[0]

    def instead(self, source: str, why: str) -> Form:
        """Return the form with another line instead of the author's."""
        given = self.given or self.source
        return replace(self, source=source, given=given, why=self.why or why, marked="")

    def labelled(self, title: str) -> Form:
        """Return the form with a title before its line."""
        before = f"**{title}:** "
        marked = self.marked and before + self.marked
        return replace(self, source=before + self.source, marked=marked)

    def fits(self, values: Mapping[str, Any]) -> bool:
        """Tell whether the form suits an item with these values: no hole is empty."""
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
        """Return the text of a value in a hole."""
        if not is_set(value):
            return UNSET
        look = self.looks.get(name)
        if look is None and name in self.blank and _DASH.fullmatch(text := as_text(value).strip()):
            return f'"{text}"'
        return as_text(value) if look is None or isinstance(value, Partial) else look.write(value)

    def said(self, told: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of its holes' texts, by field; other names are kept unchanged."""
        return {name: self._value(name, text) for name, text in told.items()}

    def told(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return the values of a row: those of its line's holes, and those implied by the form.

        :param row: a template, and the texts of its fields.
        """
        template, *texts = row
        told = zip(template.fields, texts, strict=True)
        holes = {name: text for name, text in told if name in template.holes}
        return {**self.fixed, **self.said(holes)}

    def means(self, read: Mapping[str, Any] | None, told: Mapping[str, Any]) -> bool:
        """Tell whether fields that any form read have the values that this one told, in whichever format."""
        return read == told or (read is not None and self._values(read) == self._values(told))

    def _values(self, told: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.looks[name].value(each) if name in self.looks else each
            for name, each in told.items()
        }

    def _value(self, name: str, text: str) -> Any:
        if text == UNSET and name in self.blank:
            return self.blank[name]
        look = self.looks.get(name)
        if look is None and name in self.blank and _DASH.fullmatch(text):
            return text[1:-1]
        return text if look is None or look.read is None else look.read(text)

    def value_of(self, name: str, text: str) -> Any:
        """Return the value that the line shows as this text, with or without the words and signs around its hole, on
        either side: 2 of "2" or "hall 2" for ``hall {hall}``, 9 of "€ 9" for ``{fee} €``; None for none.
        """
        look = self.looks[name]
        if look.kind is tuple and _LIST.search(text):
            return None
        text = self._bare(name, text)
        if look.kind is int and _GROUPED.fullmatch(text):  # with decimals, "1,200" may be 1.2
            text = text.replace(",", "")
        said: Any = text if look.read is None else look.read(text)
        if isinstance(said, Partial) or not re.fullmatch(look.pattern or ".+", text):
            return None
        is_exact = look.write(said) == text
        if look.kind is tuple:  # a single text may be several, joined in another way
            return said if is_exact and said[1:] else None
        is_plain = {",", "_"}.isdisjoint(text) or _GROUPED.fullmatch(text)  # "1,2,3" is not 123
        return said if is_exact or is_plain else None

    def both_of(self, name: str, text: str) -> tuple[Decimal, Decimal] | None:
        """Return the two numbers that a text may mean, as "€40.000" may: the greater one, and the one whose last three
        digits are decimals. None for a text that the line makes clear, or that is no such number.
        """
        look, bare = self.looks[name], self._bare(name, text)
        if look.kind not in NUMBERS:
            return None
        shown = look.write(look.kind(Decimal("1234567.123456")))
        said = _THREE_DIGITS.fullmatch(bare)
        if said is None or bare.endswith("%") != shown.endswith("%"):
            return None
        decimals = len(shown.rstrip("%").partition(".")[2])
        is_group = said["mark"] == "," and (look.kind is int or "," in shown)
        is_decimal = said["mark"] == "." and (decimals == 3 or (decimals > 3 and bare == text))
        if is_group or is_decimal:
            return None
        less = Decimal(f"{said['whole']}.{said['digits']}") / (100 if bare.endswith("%") else 1)
        return less * 1000, less

    def _bare(self, name: str, text: str) -> str:
        """Return a text without the words and signs around a hole, a number as Python writes it if it can mean only one."""
        parts = [*Formatter().parse(self.source), ("", None, None, None)]
        place = next(at for at, each in enumerate(parts) if each[1] == name)
        text = _without(text, _BEFORE.search(parts[place][0]), _BEHIND.match(parts[place + 1][0]))
        if self.looks[name].kind not in NUMBERS:
            return text
        text = "".join(text.split()) if _SPACED.fullmatch(text) else text
        return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text

    def texts_of(
        self, values: Mapping[str, Any], width: int | None = None, short: Short = line
    ) -> list[str]:
        """Return the texts of the holes: a text on one line, cut to a width; a number unchanged.

        :param short: cuts a text to a width.
        """
        whole = {name for name, _ in self.patterns}
        return [
            self.text_of(name, values.get(name))
            if name in whole
            else short(self.text_of(name, values.get(name)), width).strip(" \t")
            for name in self.fields
        ]

    def line_in(self, ctx: RenderContext) -> str:
        """Return the line, or the text that replaces it."""
        whole = ctx.texts.get(self.whole, "")
        if "{?" in whole:
            return with_parts(whole, self.fields)
        return ctx.texts.get(self.text, self.source)

    def template(self, ctx: RenderContext, before: str = "", behind: str = "") -> Template:
        """Return the line, with an id before it or an origin after it."""
        source = ctx.texts.get(self.text, self.source)
        if "?" in self.text or "{?" in source:  # few lines have optional parts
            source = self.line_in(ctx)
        fields = (*self.fields, *_ADDED) if before or behind else self.fields
        patterns = self.patterns
        if self.marked:
            patterns = (*patterns, *_apart(source, patterns)[0].items())
        return _line(before + source + behind, fields, patterns)

    def is_clear(self, read: Mapping[str, str], ctx: RenderContext) -> bool:
        """Tell whether no other part of a line could be what is between two texts with no mark between them."""
        _, between = _apart(self.line_in(ctx), self.patterns)
        return not any(re.search(before, read[name]) for name, before in between.items())


UNIT_SIGNS = "%€$£¥°"
"""Signs of units, which may stand at a hole."""

_BEFORE = re.compile(r"(?<![^\W\d_])[^\W\d_]+ $|[€$£¥] ?$")
_BEHIND = re.compile(rf" ?(?:°?[^\W\d_]+|[{UNIT_SIGNS}])")
"""The word or the sign of a unit before a hole, and behind it."""

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""A number whose thousands are apart."""

_SPACED = re.compile(r"[+-]?[1-9]\d{0,2}(?:[ \u2009\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?%?")
"""A number with blanks between its thousands."""

_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+,\d{1,2}|0+,\d+)%?")
"""A number whose only comma is before decimals."""

_THREE_DIGITS = re.compile(r"(?P<whole>[+-]?[1-9]\d{0,2})(?P<mark>[.,])(?P<digits>\d{3})%?")
"""A number whose last three digits may be decimals, or a group."""

_LIST = re.compile(r"[\[\]{}\n]|\A[-*•] ")
"""Signs of a list in another notation than a line's."""


def _without(text: str, before: re.Match[str] | None, behind: re.Match[str] | None) -> str:
    """Return a text without the words around its hole, and without a space before a percent sign."""
    text = text.strip()
    for word in (each[0].strip() for each in (before, behind) if each):
        if text.casefold().startswith(word.casefold()):
            text = text[len(word) :].lstrip()
        elif text.casefold().endswith(word.casefold()):
            text = text[: -len(word)].rstrip()
    return re.sub(r"\s%$", "%", text)


def holes_in(place: str, template: str) -> list[tuple[str, str, str | None]]:
    """Return the name of each hole of a template, its format, or an empty one, and its conversion.

    :raises DefinitionError: for a brace that is not paired.
    """
    try:
        parts = [*Formatter().parse(template)]
    except ValueError as error:
        raise DefinitionError(
            f"{place} {shown(template)}: {error}; a brace is written twice"
        ) from None
    return [
        (name, spec or "", conversion) for _, name, spec, conversion in parts if name is not None
    ]


class LinePiece(NamedTuple):
    """An optional part of a line, or what is between two of them."""

    is_optional: bool
    text: str = ""
    """The text, without ``{?`` and ``?}``."""

    holes: tuple[str, ...] = ()
    """The names of its holes."""


def pieces_of(line: str) -> list[LinePiece]:
    """Return the pieces of a line: its optional parts, and what is between them."""
    pieces = [LinePiece(is_optional=False)]
    for text in _PIECE.split(line):
        last, hole = pieces[-1], _HOLE.fullmatch(text)
        if text in ("{?", "?}"):
            pieces.append(LinePiece(text == "{?"))
        else:
            holes = (*last.holes, hole[1]) if hole else last.holes
            pieces[-1] = LinePiece(last.is_optional, last.text + text, holes)
    return pieces


_PIECE = re.compile(r"(\{\{|\}\}|\{\w[^{}]*\}|\{\?|\?\}(?=(?:\}\})*(?!\})))")
"""A brace that is written twice, a hole, or an end of an optional part."""

_HOLE = re.compile(r"\{(\w++)[^{}]*+\}")
"""A hole, with its name."""


@lru_cache(maxsize=512)
def with_parts(line: str, fields: tuple[str, ...]) -> str:
    """Return a line with those of its optional parts whose holes are all among these fields.

    >>> with_parts("**{what}**{? by {who}?}{? ({why})?}", ("what", "who"))
    '**{what}** by {who}'
    """
    pieces = pieces_of(line)
    return "".join(
        each.text for each in pieces if not each.is_optional or {*each.holes} <= {*fields}
    )


def has_words(template: str) -> bool:
    """Tell whether a line has words beside its holes and marks."""
    return any(
        each.isalnum() for literal, _, _, _ in Formatter().parse(template) for each in literal
    )


def begins_with_words(template: str) -> bool:
    """Tell whether a line begins with words that identify it."""
    return has_words(next((literal for literal, _, _, _ in Formatter().parse(template)), ""))


def says(template: str, word: str) -> bool:
    """Tell whether a line has a word beside its holes."""
    text = "".join(literal for literal, _, _, _ in Formatter().parse(template))
    return re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def without_formats(source: str) -> str:
    """Return a line with the formats removed from its holes: they belong to the declaration, in any language.

    >>> without_formats("{at:%H:%M} **{what}** {{x}}")
    '{at} **{what}** {{x}}'
    """
    return _FORMAT.sub(lambda match: f"{{{match[1]}}}" if match[1] else match[0], source)


_FORMAT = re.compile(r"\{\{|\}\}|\{(\w+):[^{}]*\}")


@lru_cache(maxsize=512)
def _apart(
    source: str, patterns: tuple[tuple[str, str], ...]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    r"""Return the patterns of holes for any text with no mark between them, each up to the first of what is behind it;
    and the patterns of what is before each.

    >>> _apart("**{what}** {who}: {why}", ())
    ({'who': '(?>.+?(?=:\\ ))', 'why': '.+'}, {'why': ':\\ '})
    """
    known = dict(patterns)
    found: dict[str, str] = {}
    between: dict[str, str] = {}
    name, since = "", ""
    for literal, hole, _, _ in Formatter().parse(source):
        name = "" if _MARK.search(literal) else name
        since += re.escape(literal)
        if hole in known:
            since += f"(?:{known[hole]})"
        elif hole is not None:
            if name:
                found |= {name: f"(?>.+?(?={since}))", hole: ".+"}
                between[hole] = since
            name, since = hole, ""
    return found, between


_MARK = re.compile("[*~`]")


@lru_cache(maxsize=512)
def _line(source: str, fields: tuple[str, ...], patterns: tuple[tuple[str, str], ...]) -> Template:
    source = without_formats(source)
    known = {name: pattern for name, pattern in patterns if f"{{{name}}}" in source}
    return Template(source, fields, patterns=known) if known else Template.of(source, fields)


class ItemLine(NamedTuple):
    """A line as a form reads it."""

    form: Form
    texts: Mapping[str, str]
    """The texts of its holes, by field."""

    id: str | None
    """The id before it."""

    whence: str | None
    """The words behind it: the item's source and origin, and that it is over."""

    known: Mapping[str, Any]
    """The fields that these words tell."""

    is_clear: bool
    """False if it is unclear which text is whose."""

    @property
    def said(self) -> dict[str, Any]:
        """The fields of the item."""
        named = {} if self.id is None else {"id": self.id}
        return {**self.known, **self.form.fixed, **self.form.said(self.texts), **named}


def read_line(
    forms: Sequence[Form],
    ctx: RenderContext,
    line: Sequence[Node],
    around: Sequence[tuple[str, str]] = AROUND,
    over: Over | None = None,
) -> ItemLine | None:
    """Return a line as the first form that matches reads it, or ``None`` if none does.

    :param around: the possible prefixes and suffixes.
    :param over: the suffix of an item that is over.
    """
    for before, behind in around:
        for form in forms:
            read = form.template(ctx, before, behind).read(line)
            if read is None:
                continue
            item_id, whence = read.pop("id", None), read.pop("origin", None)
            known = _NOTHING if whence is None else whence_of(ctx, over).get(whence)
            is_clear = not form.marked or form.is_clear(read, ctx)
            if known is not None or not is_clear:
                return ItemLine(form, read, item_id, whence, known or _NOTHING, is_clear)
    return None


def read_item(
    forms: Sequence[Form],
    ctx: RenderContext,
    line: Sequence[Node],
    around: Sequence[tuple[str, str]] = AROUND,
    over: Over | None = None,
) -> dict[str, Any] | None:
    """Return the fields of the item in a line, or ``None`` if no form matches, or it is unclear which text is whose."""
    read = read_line(forms, ctx, line, around, over)
    return read.said if read is not None and read.is_clear else None


def unexpected_source(value: object) -> Actor | None:
    """Return the source of a value, if it must be shown; None for an expected source.

    >>> from hud_components import HudValue
    >>> unexpected_source(HudValue(said_by="tool")), unexpected_source(HudValue())
    ('tool', None)
    """
    if not isinstance(value, HudValue) or value.said_by in value.expected_from:
        return None
    return value.said_by


class Over(NamedTuple):
    """The suffix that marks an item as over, if its form does not."""

    field: str
    """The field for this."""

    words: Mapping[Any, str]
    """The word for each final value of the field."""


def word_of(end: End) -> str:
    """Return the word for items that are over: the boolean field, or the choice.

    >>> word_of(End("was_read")), word_of(End("status", ("given",))), word_of(End("status", ("given", "lost")))
    ('was read', 'given', 'done')
    """
    if len(end.values) != 1:
        return "done"
    value, field = end.values[0], end.field.replace("_", " ").strip()
    return field if value is True else f"not {field}" if value is False else as_text(value)


EVERYBODY = frozenset(get_args(Actor))
"""All actors."""


def unmarked(model: type[HudModel]) -> frozenset[str]:
    """Return the actors whose words are not marked: all, if a model does not record them."""
    return frozenset(model.expected_from) if issubclass(model, HudValue) else EVERYBODY


def whence(ctx: RenderContext, item: Any, over: Over | None = None) -> str:
    """Return the suffix of an item: an unexpected source, and its origin.

    :param over: the additional suffix of an item that is over.
    """
    by, origin = unexpected_source(item), getattr(item, "origin", None)
    names = [] if by is None else [f"source.{by}"]
    names += [] if origin is None else [f"origin.{origin}"]
    words = [format_text(ctx, name) for name in names]
    return ", ".join(words if over is None else [*words, over.words[getattr(item, over.field)]])


def said_by(item: Any, ctx: RenderContext) -> Child:
    """Return an answer's suffix for an item or a value from an unexpected source."""
    by = unexpected_source(item)
    return None if by is None else [" ", em(format_text(ctx, f"source.{by}"))]


def whence_of(ctx: RenderContext, over: Over | None = None) -> dict[str, dict[str, Any]]:
    """Return all possible suffixes of an item, with their fields."""
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
    """Return a row with the item's id before it, if requested, and its origin after it.

    :param over: the additional suffix of an item that is over.
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
    """Tell whether parsed items show ids, and not only their origin."""
    return any(not item["id"].endswith(":") for item in items if "id" in item)


# The omission mark of a section: writing and reading back.


class Omission(NamedTuple):
    """The number of omitted items, and of the done ones among them."""

    total: int = 0
    done: int = 0


Way: TypeAlias = Literal["count", "more", "line.more"]
"""The texts for a number of items: of all in short, after a list, at the end of a line."""

OVER: Mapping[str, str] = {
    "over": "{over}",
    "count.over": "{{count}} {{noun}} {over}",
    "more": "… {{count}} more {{noun}}, {{done}} {over}",
    "line.over": "{{count}} {over}",
    "line.more": "{{count}} more, {{done}} {over}",
}
"""The texts of a section that shows items that are over, by the suffix of their name, built from the word for it. The
first is the suffix of such an item.
"""


def said_of(ctx: RenderContext, kind: str, left: Omission, way: Way) -> str:
    """Return the text for the number of omitted items: in short, the open ones while there are any.

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
    """Return the counts in a mark from :func:`said_of`; ``None`` for any other text.

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
    :param hidden: the omitted items, whose ids go into the account of the rendering.
    :param more: the number of other omitted items.
    :param brief: leave the call that shows them out of the text; the account has it.
    :param text: the text of the mark; their number when ``None``.
    """
    count = len(hidden) + more
    if not count:
        return None
    return Omitted.model_construct(
        count=count,
        handle=handle_of(ctx, kind),
        text=text or counted(ctx, kind, count, "count" if brief else "more"),
        brief=brief,
        ids=ids_of(hidden),
    )


def ids_of(items: Sequence[Any]) -> tuple[str, ...]:
    """Return the ids of items of a class, as far as they have some."""
    has_ids = bool(items) and isinstance(items[0], PlainItem)
    return tuple(filter(None, map(_ID_OF, items))) if has_ids else ()


_ID_OF: Callable[[Any], str] = attrgetter("id")


def shortened(
    ctx: RenderContext,
    kind: str,
    items: Sequence[Any],
    told: Sequence[Mapping[str, Any]],
    in_full: Sequence[Mapping[str, Any]],
) -> Shortened | None:
    """Return a note about the items that are shown shortened; None for none.

    :param told: the fields shown of each item.
    :param in_full: the fields of each item in full.
    """
    less = [
        item
        for item, now, then in zip(items, told, in_full, strict=True)
        if any(now.get(name) != value for name, value in then.items())
    ]
    if not less:
        return None
    return Shortened(count=len(less), handle=handle_of(ctx, kind), ids=ids_of(less))


def read_mark(
    node: Any,
    kind: str,
    ctx: RenderContext,
    *names: str,
    brief: bool = False,
    noun: str | None = None,
) -> Omission | None:
    """Return the counts in a line's mark, or ``None`` if it is not of that kind.

    :param node: an mdast node.
    :param names: the texts that the mark may have.
    :param noun: the section with the counting noun; ``kind`` when ``None``.
    """
    said = mark_text(node, kind, ctx, brief=brief)
    for name in names if said is not None else ():
        numbers = parse_count(ctx, noun or kind, said or "", name, done=NUMBER)
        if numbers is not None:
            return Omission(numbers.get("count", 0), numbers.get("done", 0))
    return None


def mark_text(node: Any, kind: str, ctx: RenderContext, *, brief: bool = False) -> str | None:
    """Return the text of a mark without its call; ``None`` if it is not a mark of that kind.

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

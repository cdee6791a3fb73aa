"""Items and values read from an edited text, one by one, by the forms that write them.

A form reads plain text. People also type code spans and addresses: they are taken for the
characters that they are, for an item's text is text. Any other markup makes an item unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hud_components import Form, ItemsSection
from hud_components.declaring import AROUND, ORIGIN, Partial, as_text, is_set, whence_of
from hud_components.folding import Mark
from hud_components.words import line, text_of
from hud_runtime.editing._editable import Editable, begins_with_words, lenient
from ujsx import DefinitionError, Density, RenderContext, Template, mdast

Way: TypeAlias = tuple[Template, Form, bool]
"""One way to write an item: its line, the form of that, and whether it is struck through."""

BETWEEN = "\n\n"
"""What parts the paragraphs of an item that may have several."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place in a text; both count from 1."""

    line: int
    column: int

    @classmethod
    def of(cls, block: Any) -> SourcePlace:
        """Return where a parsed block starts."""
        if block.position is None:
            return cls(1, 1)
        return cls(block.position.start.line, block.position.start.column)


@dataclass(frozen=True, slots=True)
class Row:
    """An item, or a value, as a text has it."""

    values: Mapping[str, str]
    """What it says, by field; a field that the text does not have is missing."""

    fixed: Mapping[str, Any]
    """What its form says besides, by field."""

    is_done: bool
    """Whether it is struck through, or ticked, or written as what is over is written."""

    id: str | None
    """The id before it."""

    origin: str | None
    """The words behind it that tell who said it, or where an inherited item comes from."""

    place: SourcePlace

    form: Form
    """The form that reads it."""

    @property
    def text(self) -> str:
        """All that it says, to be compared with others."""
        return " — ".join(self.values.values())

    @property
    def said(self) -> Mapping[str, Any]:
        """The texts of the row and its form, by field."""
        return {**self.fixed, **self.form.said(self.values)}

    @property
    def told(self) -> Mapping[str, str]:
        """The same as texts, whatever the format of a line, without what says nothing."""
        return {name: as_text(value) for name, value in self.said.items() if is_set(value)}


def row_of_item(item: mdast.ListItem, kind: Editable, ctx: RenderContext) -> Row | None:
    """Return what an item of a list tells, or ``None`` if no form reads it."""
    head, *rest = item.children or (None,)
    has_paragraphs = kind.section.has_paragraphs
    if type(head) is not mdast.Paragraph or (rest and not has_paragraphs):
        return None
    can_be_done = kind.verb(Mark) is not None
    if item.checked is not None and not can_be_done:
        return None
    parts = [_as_text(part) for part in rest]
    place = SourcePlace.of(item)
    row = _row(head.children, _of_items(kind, ctx), kind, ctx, place, in_lines=has_paragraphs)
    if row is None or None in parts or (parts and not row.values):
        return None
    values = dict(row.values)
    if parts:
        field = [*values][-1]
        values[field] = BETWEEN.join([values[field], *map(str, parts)])
    is_done = row.is_done or item.checked is True
    return replace(row, values=values, is_done=is_done)


def row_of_line(paragraph: mdast.Paragraph, kind: Editable, ctx: RenderContext) -> Row | None:
    """Return what a paragraph of its own tells, where the HUD is dense."""
    forms = kind.lines
    if ctx.density is Density.FULL:  # there a line without a word of its own could be anything
        forms = tuple(form for form in forms if begins_with_words(form, ctx))
    ways = _of_a_value(forms, ctx) if kind.kind is None else _ways(kind, forms, ctx)
    return _row(paragraph.children, [ways], kind, ctx, SourcePlace.of(paragraph))


def rows_in_line(
    paragraph: mdast.Paragraph, kind: Editable, ctx: RenderContext
) -> tuple[list[Row | None], Any] | None:
    """Return the items that a line of all items tells, and the mark of what it leaves out.

    An item that no form reads is ``None``; so is all where the paragraph is no such line.
    """
    section: Any = kind.section
    if ctx.density is not Density.COMPACT or not issubclass(section, ItemsSection):
        return None
    found = section.parts_of_line(paragraph, ctx)
    if found is None:
        return None
    parts, mark = found
    place = SourcePlace.of(paragraph)
    return [_row(part, _of_items(kind, ctx), kind, ctx, place) for part in parts], mark


def row_of_value(paragraph: mdast.Paragraph, kind: Editable, ctx: RenderContext) -> Row | None:
    """Return what a paragraph tells of a value, under the heading of that."""
    ways = _of_a_value(kind.forms[Density.FULL], ctx)
    keeps_lines = bool(getattr(kind.section, "keeps_lines", False))
    place = SourcePlace.of(paragraph)
    return _row(paragraph.children, [ways], kind, ctx, place, in_lines=keeps_lines)


def plain(nodes: Sequence[Any]) -> tuple[Any, ...]:
    """Return a line with its code spans and bare addresses as the characters that were typed."""
    made: list[Any] = []
    for node in nodes:
        text = _typed(node)
        if text is None and type(node) in _MARKED:
            made.append(type(node)(plain(node.children)))
        elif text is None:
            made.append(node)
        elif made and type(made[-1]) is mdast.Text:
            made[-1] = mdast.Text(made[-1].value + text)
        else:
            made.append(mdast.Text(text))
    return tuple(made)


_MARKED = frozenset({mdast.Strong, mdast.Emphasis, mdast.Delete})


def _typed(node: Any) -> str | None:
    if type(node) is mdast.Text:
        return str(node.value)
    if type(node) is mdast.InlineCode:
        return mdast.to_markdown(mdast.Paragraph((node,))).rstrip("\n")
    if type(node) is mdast.Link and node.children == (mdast.Text(node.url),) and not node.title:
        return str(node.url)
    return None


def _as_text(block: Any) -> str | None:
    if type(block) is not mdast.Paragraph:
        return None
    return text_of(mdast.Paragraph(plain(block.children)))


def _row(
    nodes: Sequence[Any],
    groups: Iterable[Iterable[Way]],
    kind: Editable,
    ctx: RenderContext,
    place: SourcePlace,
    *,
    in_lines: bool = False,
) -> Row | None:
    """The row of a line in the first way that reads it."""
    attempts = (nodes, (*nodes[:1], *plain(nodes[1:])), plain(nodes))
    for group in groups:
        ways = tuple(group)
        for attempt in attempts:
            for template, form, is_struck in ways:
                read = template.read(attempt)
                if read is None:
                    continue
                item_id, origin = read.pop("id", None), read.pop("origin", None)
                mark = kind.over(ctx)
                whence = {} if origin is None else whence_of(ctx, mark).get(origin)
                if whence is None:
                    continue
                if origin is not None and mark is not None and mark.field in whence:
                    origin = origin.removesuffix(mark.word).removesuffix(", ") or None
                values = read if in_lines else {name: line(text) for name, text in read.items()}
                over = {**form.fixed, **form.said(values)}.get(kind.done or "", False)
                if isinstance(over, Partial):
                    continue
                values = {name: text for name, text in values.items() if name != kind.done}
                fixed = {name: value for name, value in form.fixed.items() if name != kind.done}
                is_done = is_struck or bool(over or whence.get(kind.done or ""))
                return Row(values, fixed, is_done, item_id, origin, place, form)
    return None


def _of_items(kind: Editable, ctx: RenderContext) -> Iterator[Iterator[Way]]:
    """The ways to write an item: first those of the density, with values that do not fit, too."""
    forms = kind.forms[ctx.density]
    yield _ways(kind, forms, ctx)
    yield _ways(kind, _lenient(forms), ctx)
    others = dict.fromkeys(form for each in kind.forms.values() for form in each)
    yield _ways(kind, [form for form in others if form not in forms], ctx)


def _ways(kind: Editable, forms: Sequence[Form], ctx: RenderContext) -> Iterator[Way]:
    can_be_done = kind.verb(Mark) is not None
    for before, behind in AROUND:
        for form in forms:
            yield form.template(ctx, before, behind), form, False
            if can_be_done:
                try:
                    yield form.template(ctx, f"{before}~~", f"~~{behind}"), form, True
                except DefinitionError:  # a text of the table that has marks of its own
                    continue


def _of_a_value(forms: Sequence[Form], ctx: RenderContext) -> Iterator[Way]:
    for form in (*forms, *_lenient(forms)):
        for behind in ("", ORIGIN):
            yield form.template(ctx, behind=behind), form, False


def _lenient(forms: Sequence[Form]) -> list[Form]:
    return [found for form in forms if (found := lenient(form)) is not None]

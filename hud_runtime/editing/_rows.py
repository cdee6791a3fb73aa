"""Items read from an edited text, one by one, by the forms that write them.

A form reads plain text. Whoever types also types code spans and addresses: they are taken for the
characters that they are, for an item's text is text. Any other markup makes an item unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from hud_components import Form, Origin
from hud_components.declaring import AROUND, ORIGIN
from hud_components.words import format_text, line, text_of
from hud_runtime.editing._kinds import Editable
from ujsx import DefinitionError, RenderContext, Template, mdast

Way: TypeAlias = tuple[Template, bool]
"""One way to write an item, and whether an item that is written so is done."""

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
    """An item as a text has it."""

    values: Mapping[str, str]
    """Its fields; one that the text does not have is missing."""

    is_done: bool
    """Whether it is struck through, or ticked."""

    id: str | None
    """The id before it."""

    origin: str | None
    """The words behind it that tell where an inherited item comes from."""

    place: SourcePlace


def row_of_item(item: mdast.ListItem, kind: Editable, ctx: RenderContext) -> Row | None:
    """Return what an item of a list tells, or ``None`` if no form reads it."""
    head, *rest = item.children or (None,)
    if type(head) is not mdast.Paragraph or (rest and not kind.has_paragraphs):
        return None
    if item.checked is not None and kind.done is None:
        return None
    parts = [_as_text(part) for part in rest]
    row = _row(
        head.children,
        _ways(kind, kind.forms, ctx),
        ctx,
        SourcePlace.of(item),
        in_lines=kind.has_paragraphs,
    )
    if row is None or None in parts:
        return None
    values = dict(row.values)
    if parts:
        field = kind.fields[-1]
        values[field] = BETWEEN.join([values[field], *map(str, parts)])
    return Row(values, row.is_done or item.checked is True, row.id, row.origin, row.place)


def row_of_line(paragraph: mdast.Paragraph, kind: Editable, ctx: RenderContext) -> Row | None:
    """Return what a paragraph of its own tells, or ``None`` if it tells of no item."""
    ways = _ways(kind, kind.lines, ctx)
    return _row(paragraph.children, ways, ctx, SourcePlace.of(paragraph), in_lines=False)


def row_of_task(paragraph: mdast.Paragraph, form: Form, ctx: RenderContext) -> Row | None:
    """Return what a paragraph tells of the task, or ``None`` if it has markup of its own."""
    ways = ((form.template(ctx, behind=behind), False) for behind in ("", ORIGIN))
    return _row(paragraph.children, ways, ctx, SourcePlace.of(paragraph), in_lines=False)


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
    ways: Iterable[Way],
    ctx: RenderContext,
    place: SourcePlace,
    *,
    in_lines: bool,
) -> Row | None:
    ways = tuple(ways)
    for attempt in (nodes, (*nodes[:1], *plain(nodes[1:])), plain(nodes)):
        for template, is_done in ways:
            read = template.read(attempt)
            if read is None:
                continue
            item_id, origin = read.pop("id", None), read.pop("origin", None)
            if origin is not None and origin not in _origins(ctx):
                continue
            values = read if in_lines else {name: line(text) for name, text in read.items()}
            return Row(values, is_done, item_id, origin, place)
    return None


def _ways(kind: Editable, forms: Sequence[Form], ctx: RenderContext) -> Iterator[Way]:
    for before, behind in AROUND:
        for form in forms:
            yield form.template(ctx, before, behind), form.fixed.get("completed", False)
            if kind.done is not None:
                source = f"{before}~~{format_text(ctx, form.text)}~~{behind}"
                try:
                    yield Template.of(source, (*form.fields, "id", "origin")), True
                except DefinitionError:  # a text of the table that has marks of its own
                    continue


def _origins(ctx: RenderContext) -> frozenset[str]:
    return frozenset(format_text(ctx, f"origin.{name}") for name in get_args(Origin))

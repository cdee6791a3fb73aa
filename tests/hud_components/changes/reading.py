"""The knowledge of a reader of a HUD and of the deltas since, from their texts alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from hud_components.changes._lines import (
    ChangedLine,
    Line,
    Mark,
    _head,
    as_line,
    begun_alike,
    lines_of,
    named,
    plain,
    struck,
    with_end_of,
)
from hud_components.words._texts import format_text
from ujsx import RenderContext, mdast

MARKS: tuple[Mark, ...] = get_args(Mark)


def read(
    whole: str, deltas: Iterable[str] = (), context: RenderContext | None = None
) -> tuple[Line, ...]:
    r"""Return the knowledge of a reader of a HUD and of these texts of changes.

    Lines under a heading are ordered; headings are not.

    :param context: the fixed texts of the renderings, if not the default ones.

    >>> whole = "# HUD\n\n## Notes\n\n- Port 8080\n"
    >>> delta = "# HUD changes\n\n## Notes\n\n- Use JWT\n- *gone:* Port 8080\n"
    >>> [(line.title, line.text) for line in read(whole, [delta])]
    [('Notes', '- Use JWT')]
    """
    ctx = context or RenderContext()
    known = [each.line for each in lines_of(whole)]
    for text in deltas:
        for change in read_changes(text, ctx):
            known = after(known, change)
    return tuple(known)


def after(lines: Sequence[Line], change: ChangedLine) -> list[Line]:
    """Return the known lines after a change.

    A late reader may not know its subject: then it is new, or already gone.

    >>> known = [Line("Notes", "- Port 8080", "Port 8080")]
    >>> after(known, ChangedLine("gone", "Notes", "Port 8080"))
    []
    """
    new = None if change.item is None else as_line(change.title, change.item).line
    old = None
    if change.mark != "new":
        old = named(lines, change.title, change.name) if change.name else begun_alike(lines, new)
    if old is not None and change.mark == "done" and new is None:
        new = struck(old)
    if old is not None and new is not None and not change.name:
        new = with_end_of(old, new)
    if old is None:
        return [*lines] if new is None else [*lines, new]
    place = next(n for n, each in enumerate(lines) if each is old)
    return [*lines[:place], *([] if new is None else [new]), *lines[place + 1 :]]


def read_changes(markdown: str, ctx: RenderContext) -> list[ChangedLine]:
    """Return the changes in a text."""
    blocks = mdast.from_markdown(markdown).children[1:]
    changes: list[ChangedLine] = []
    title = ""
    for block in blocks:
        if isinstance(block, mdast.Heading):
            title = plain(block)
        elif isinstance(block, mdast.List):
            read = [_read(item, title, ctx) for item in block.children]
            changes += [each for each in read if each is not None]
    return changes


def _read(item: mdast.ListItem, title: str, ctx: RenderContext) -> ChangedLine | None:
    new = ChangedLine("new", title, plain(item), item)
    found = _ended(item)
    if found is None:
        return new
    word, said = found
    if word == format_text(ctx, "delta.now"):
        return ChangedLine("changed", title, "", said)
    mark: Mark | None = next(
        (each for each in MARKS if format_text(ctx, f"delta.{each}") == word), None
    )
    if mark is None:
        return new
    if mark == "new" or (mark == "done" and _is_struck(said)):
        return ChangedLine(mark, title, plain(said), said)
    if mark != "changed":
        return ChangedLine(mark, title, plain(said))
    *before, now = said.children
    told = _ended(now.children[0]) if isinstance(now, mdast.List) else None
    return None if told is None else ChangedLine(mark, title, " ".join(map(plain, before)), told[1])


def _ended(item: mdast.ListItem) -> tuple[str, mdast.ListItem] | None:
    """Return the first word of an item, and the item without it."""
    head = _head(item)
    if head is None:
        return None
    first, *others = item.children
    assert isinstance(first, mdast.Paragraph)
    rest = list(first.children[1:])
    if rest and isinstance(rest[0], mdast.Text):
        text = rest[0].value.removeprefix(" ")
        rest = [*([mdast.Text(text)] if text else []), *rest[1:]]
    blocks = (*([mdast.Paragraph(children=tuple(rest))] if rest else []), *others)
    word = plain(head).removesuffix(":")
    return word, mdast.ListItem(children=blocks, checked=item.checked, spread=item.spread)


def _is_struck(item: mdast.ListItem) -> bool:
    first = item.children[0] if item.children else None
    return isinstance(first, mdast.Paragraph) and isinstance(first.children[0], mdast.Delete)

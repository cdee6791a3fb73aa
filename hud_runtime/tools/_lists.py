"""Items with their ids, a page at a time: what a model needs to name one."""

from __future__ import annotations

from typing import Any, cast

from hud_components import HudSection, State, UnreadableNotice
from hud_components.layout import context_of
from hud_components.words import format_text
from hud_runtime.tools._arguments import Page
from hud_runtime.tools._session import SessionLike
from ujsx import Child, RenderContext, fragment, render
from ujsx.elements import List, Paragraph, code
from ujsx.tools import LONGEST_ANSWER, ToolResult


def said(session: SessionLike, name: str, **values: object) -> str:
    """Return a fixed text in the words of the session, filled in.

    :param name: the text's, as in :data:`hud_components.TEXTS`.
    """
    return format_text(context_of(session.known), name, **values)


def listed(
    section: type[HudSection], state: State, page: Page, limit: int = LONGEST_ANSWER
) -> ToolResult:
    """Return a page of a section, oldest first, each item with its id.

    A page ends before the item with which it would have more than ``limit`` characters; its first item
    it always has.

    >>> from hud_components import HudState, Note, NotesSection
    >>> state = HudState(notes=(Note(id="n-2", content="Port 8080"), Note(id="n-3", content="b")))
    >>> print(listed(NotesSection, state, Page(limit=1)))
    - `n-2` Port 8080
    <BLANKLINE>
    1–1 of 2; the next: `after` 1
    """
    items: tuple[Any, ...] = getattr(state, section.field)
    ctx = context_of(state)
    skipped, count = page.bounds
    shown = _within(section, items[skipped : skipped + count], limit - ABOUT_THE_PAGE, ctx)
    notice = UnreadableNotice.of_section(section, state)
    data = {"total": len(items), "items": [item.model_dump(mode="json") for item in shown]}
    if not shown:
        return ToolResult(written(fragment(none_after(len(items), ctx), notice), ctx), data=data)
    rows = fragment(List()[[section.listing(item, ctx) for item in shown]], notice)
    last = skipped + len(shown)
    return ToolResult(paged(rows, skipped, last, len(items), ctx), data=data)


ABOUT_THE_PAGE = 100
"""Characters kept for the line on where a page stands."""


def _within(
    section: type[HudSection], items: tuple[Any, ...], limit: int, ctx: RenderContext
) -> tuple[Any, ...]:
    """The first items that fit, and one at least."""
    values = (value for item in items for value in cast("dict[str, object]", vars(item)).values())
    said = sum(len(value) for value in values if isinstance(value, str))
    if said <= limit // 4:  # whatever has to be escaped in them
        return items
    used = 0
    for place, item in enumerate(items):
        used += len(written(List()[section.listing(item, ctx)], ctx)) + 2
        if used > limit and place:
            return items[:place]
    return items


def none_after(total: int, ctx: RenderContext) -> str:
    """Return what is said of an empty page of a list with so many rows."""
    return format_text(ctx, "answer.none after" if total else "answer.none", count=total)


def paged(rows: Child, skipped: int, last: int, total: int, ctx: RenderContext) -> str:
    """Return rows as Markdown, with a line on where the page stands unless it is all there is."""
    if last - skipped == total:
        return written(rows, ctx)
    place = format_text(ctx, "answer.page", first=skipped + 1, last=last, total=total)
    more: Child = []
    if last < total:
        more = [format_text(ctx, "answer.next"), code("after"), f" {last}"]
    return written(fragment(rows, Paragraph()[place, more]), ctx)


def written(node: Child, ctx: RenderContext | None = None) -> str:
    """Return a node as Markdown, in which no text can pass for structure."""
    return render(fragment(node), context=ctx).rstrip("\n")

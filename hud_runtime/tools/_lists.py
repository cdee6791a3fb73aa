"""Items with their ids, a page at a time: what a model needs to name one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, cast

from hud_components import ActiveFile, Blocker, Decision, ErrorRecord, HudState, Note, Step
from hud_components.words import line
from hud_runtime.tools._arguments import Page
from ujsx import Child, Component, fragment, render
from ujsx.elements import Item, List, Paragraph, code, strong
from ujsx.tools import LONGEST_ANSWER, ToolResult

_LINE_ENDS = re.compile("\r\n?")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def listed(section: str, state: HudState, page: Page, limit: int = LONGEST_ANSWER) -> ToolResult:
    """Return a page of a section, oldest first, each item with its id.

    A page ends before the item with which it would have more than ``limit`` characters; its first item
    it always has.

    >>> from hud_components import Note
    >>> state = HudState(notes=(Note(id="n-2", content="Port 8080"), Note(id="n-3", content="b")))
    >>> print(listed("notes", state, Page(limit=1)))
    - `n-2` Port 8080
    <BLANKLINE>
    1–1 of 2; the next: `after` 1
    """
    items: tuple[Any, ...] = getattr(state, SECTIONS[section])
    skipped, count = page.bounds
    shown = _within(items[skipped : skipped + count], limit - ABOUT_THE_PAGE)
    data = {"total": len(items), "items": [item.model_dump(mode="json") for item in shown]}
    if not shown:
        nothing = f"None after {len(items)}." if items else "None."
        return ToolResult(nothing, data=data)
    rows = List()[[_ROWS[type(item)](item) for item in shown]]
    last = skipped + len(shown)
    return ToolResult(paged(rows, skipped, last, len(items)), data=data)


ABOUT_THE_PAGE = 100
"""Characters kept for the line on where a page stands."""


def _within(items: tuple[Any, ...], limit: int) -> tuple[Any, ...]:
    """The first items that fit, and one at least."""
    values = (value for item in items for value in cast("dict[str, object]", vars(item)).values())
    said = sum(len(value) for value in values if isinstance(value, str))
    if said <= limit // 4:  # whatever has to be escaped in them
        return items
    used = 0
    for place, item in enumerate(items):
        used += len(written(List()[_ROWS[type(item)](item)])) + 2
        if used > limit and place:
            return items[:place]
    return items


def paged(rows: Child, skipped: int, last: int, total: int) -> str:
    """Return rows as Markdown, with a line on where the page stands unless it is all there is."""
    if last - skipped == total:
        return written(rows)
    more: Child = ["; the next: ", code("after"), f" {last}"] if last < total else []
    return written(fragment(rows, Paragraph()[f"{skipped + 1}–{last} of {total}", more]))


def written(node: Child) -> str:
    """Return a node as Markdown, in which no text can pass for structure."""
    return render(fragment(node)).rstrip("\n")


def _row(head: Child, text: str, item: Component | None = None) -> Child:
    """An item: its id, then what it says; blank lines in it part paragraphs."""
    first, *more = _BLANK_LINES.split(_LINE_ENDS.sub("\n", text).strip("\n"))
    row = Item() if item is None else item
    if not more:
        return row[head, " ", first]
    return row[Paragraph()[head, " ", first], [Paragraph()[part] for part in more]]


def _decision(item: Decision) -> Child:
    text = strong(line(item.summary))
    details = [" — ", line(item.details)] if item.details else []
    return Item()[code(item.id), " ", text, details]


def _step(item: Step) -> Child:
    return _row(code(item.id), item.description, Item(checked=item.completed))


def _note(item: Note) -> Child:
    return _row(code(item.id), item.content)


def _file(item: ActiveFile) -> Child:
    return Item()[code(item.path), f" ({item.status})"]


def _blocker(item: Blocker) -> Child:
    return _row([code(item.id), item.resolved and " (resolved)"], item.description)


def _error(item: ErrorRecord) -> Child:
    return _row([code(item.id), item.resolved and " (resolved)"], item.message)


_ROWS: Mapping[type[Any], Callable[[Any], Child]] = MappingProxyType(
    {
        Decision: _decision,
        Step: _step,
        Note: _note,
        ActiveFile: _file,
        Blocker: _blocker,
        ErrorRecord: _error,
    }
)

SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "decisions": "decisions",
        "notes": "notes",
        "steps": "next_steps",
        "blockers": "blockers",
        "files": "active_files",
        "errors": "errors",
    }
)
"""The state's field behind each list, by the first part of the operations' names."""

"""The summaries of a session's compactions, the older ones too: listed, and read one by one.

The HUD shows the newest. Each is named by the version of its event, as the history and a search tell it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hud_components import HudModel, Line
from hud_components.layout import context_of
from hud_components.words import cut, format_text, line
from hud_runtime._errors import UnknownItemError
from hud_runtime.tools._arguments import Page
from hud_runtime.tools._context import time_of
from hud_runtime.tools._lists import none_after, paged, written
from hud_runtime.tools._session import SessionLike
from ujsx.elements import BlockQuote, Item, List, Paragraph, code
from ujsx.errors import did_you_mean, quoted
from ujsx.text import paragraphs
from ujsx.tools import ToolResult

SECTION = "summaries"
"""What the operations begin with."""

FIRST_LINE = 120
"""Characters of a summary's first line in a list."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that replaced the conversation before a compaction."""

    version: int
    """The version of the compaction's event."""

    turn: int
    """The agent's turn."""

    timestamp: int
    """When it was, in milliseconds since the Unix epoch."""

    text: str
    """The summary."""


class Which(HudModel):
    """One summary."""

    id: Line
    """The summary's number, as the list tells it."""


def summaries_of(session: SessionLike) -> tuple[Summary, ...]:
    """Return all summaries, oldest first; see :meth:`hud_runtime.HudSession.summaries`."""
    session.refresh()
    found: list[Summary] = []
    for event in session.events(types=["compact.after"]):
        said: Any = event.payload
        text: str = getattr(said, "summary", "")
        if text.strip():
            found.append(Summary(event.version, event.turn, event.timestamp, text))
    return tuple(found)


def list_summaries(session: SessionLike, page: Page) -> ToolResult:
    """Return a page of the summaries, newest first: when each was made, how long it is, how it begins."""
    found = summaries_of(session)[::-1]
    ctx = context_of(session.known)
    skipped, count = page.bounds
    shown = found[skipped : skipped + count]
    items = [{**asdict(each), "text": _begins(each), "length": len(each.text)} for each in shown]
    data = {"total": len(found), "items": items}
    if not shown:
        return ToolResult(none_after(len(found), ctx), data=data)
    rows = List()[
        [
            Item()[
                code(f"{each.version}"),
                " ",
                format_text(
                    ctx,
                    "answer.summary",
                    turn=each.turn,
                    time=time_of(each),
                    count=f"{len(each.text):,}",
                    text=_begins(each),
                ),
            ]
            for each in shown
        ]
    ]
    return ToolResult(paged(rows, skipped, skipped + len(shown), len(found), ctx), data=data)


def get_summary(session: SessionLike, asked: Which) -> ToolResult:
    """Return a summary, all of it."""
    found = {f"{each.version}": each for each in summaries_of(session)}
    name = asked.id.strip("`# ")
    if name not in found:
        hint = did_you_mean(name, found) if found else "no compaction left one"
        raise UnknownItemError(f"there is no summary {quoted(asked.id)}; {hint}")
    quote = BlockQuote()[[Paragraph()[part] for part in paragraphs(found[name].text)]]
    return ToolResult(written(quote), data=asdict(found[name]))


def _begins(summary: Summary) -> str:
    return cut(line(summary.text.strip().splitlines()[0]), FIRST_LINE)

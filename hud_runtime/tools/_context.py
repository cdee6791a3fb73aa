"""Operations on the context: exact figures, summaries, compactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from hud_components import Line, Trend, level_for
from hud_components.declaring import HudModel
from hud_components.layout import context_of
from hud_components.levels import Level
from hud_components.words import ANSWERS, cut, format_text, line
from hud_runtime._errors import UnknownItemError
from hud_runtime.log import ToolSession
from hud_runtime.log.pressure import level_of
from hud_runtime.tools._session import (
    CompactArguments,
    NoArguments,
    PageArguments,
    none_after,
    paged,
    said,
    written,
)
from ujsx import Child
from ujsx.elements import BlockQuote, Item, List, Paragraph, code
from ujsx.errors import did_you_mean, quoted
from ujsx.text import paragraphs
from ujsx.tools import ToolResult

# Tools that ask for a compaction: the event they record, and their answer to the host.


def compact(session: ToolSession[Any], asked: CompactArguments) -> ToolResult:
    """Record that a compaction is about to start, and return the host's data for it."""
    data = _announced(session, asked)
    return ToolResult(said(session, "answer.compact", version=data["version"]), data=data)


def compact_later(session: ToolSession[Any], asked: CompactArguments) -> ToolResult:
    """Ask the host for a compaction after the agent's turn, if the context is full enough to pay off."""
    usage = session.refresh().usage
    percentage = None if usage is None else usage.percentage
    if percentage is not None and (least := session.compaction_refused(percentage)) is not None:
        data = {"action": "none", "session_id": session.id, "percentage": percentage}
        full = {"percent": int(percentage), "least": f"{least:g}"}
        return ToolResult(said(session, "answer.not compacted", **full), data=data)
    data = _announced(session, asked) | _model_of(usage.model if usage else None)
    used = ""
    if percentage is not None:
        used = said(session, "answer.compact used", percent=int(percentage))
    text = said(session, "answer.compact later", version=data["version"], used=used)
    return ToolResult(text, data=data)


def _announced(session: ToolSession[Any], asked: CompactArguments) -> dict[str, Any]:
    event = session.record("compact.before", reason=asked.reason)
    return {
        "action": "compact",
        "session_id": session.id,
        "version": event.version,
        "prompt": session.compaction_prompt(),
    }


def _model_of(name: str | None) -> dict[str, str | None]:
    """Return the provider and the model, where the host reports them: ``anthropic/claude-x`` has both."""
    provider, divider, model = (name or "").partition("/")
    return {"provider": provider if divider else None, "model": model if divider else name}


_COMPACT: tuple[Level, ...] = ("red", "critical")

PARTS = ("input", "cache_read", "cache_write", "output")
"""The figures of a reading, in tokens."""

NEXT: Mapping[Level, str] = MappingProxyType(
    {
        "green": "nothing needs to be done",
        "yellow": "a compaction is possible, and what the HUD holds survives it",
        "red": ANSWERS["answer.red"],
        "critical": ANSWERS["answer.critical"],
    }
)
"""The possible next steps at each level."""

CALL = "hud_compact"
"""The call that asks for a compaction."""


@dataclass(frozen=True, slots=True)
class ContextFigures:
    """The last reading of a session's context, in tokens.

    >>> figures = ContextFigures(used=142_500, limit=200_000, hud=410, version=7, turn=3, timestamp=0)
    >>> figures.percentage, figures.level, figures.remaining
    (71.25, 'yellow', 57500)
    """

    used: int
    """Tokens in the context: input, output, and cached ones."""

    limit: int
    """Tokens that the model's context holds."""

    hud: int
    """Tokens of the HUD now."""

    version: int
    """The version of the event with the reading."""

    turn: int
    """The agent's turn of the reading."""

    timestamp: int
    """The time of the reading, in milliseconds since the Unix epoch."""

    input: int | None = None
    """Plain input tokens among those used; None where the host does not report them."""

    cache_read: int | None = None
    """Input tokens read from a cache; None where the host does not report them."""

    cache_write: int | None = None
    """Input tokens written to a cache; None where the host does not report them."""

    output: int | None = None
    """Output tokens; None where the host does not report them."""

    model: str | None = None
    """The model's name; None where the host does not report it."""

    trend: Trend | None = None
    """The growth of the context over its last readings; None while there are too few."""

    is_share: bool = False
    """True if the host reports only a percentage, from which the tokens above are computed."""

    held: Level | None = None
    """The level by earlier readings and the session's thresholds; when None, the level of the percentage."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent; above 100 when the limit is exceeded."""
        return 100 * self.used / self.limit

    @property
    def remaining(self) -> int:
        """Tokens left; negative when the limit is exceeded."""
        return self.limit - self.used

    @property
    def level(self) -> Level:
        """The level of the context. It drops only once the context is a margin below the level's start."""
        return level_for(self.percentage) if self.held is None else self.held

    def data(self) -> dict[str, Any]:
        """Return all figures by name, including derived ones."""
        left_out = {"held", "is_share"}
        given = {name: value for name, value in asdict(self).items() if name not in left_out}
        derived = ("percentage", "remaining", "level", "next")
        return {**given, **{name: getattr(self, name) for name in derived}}

    @property
    def next(self) -> str:
        """The possible next steps, as text."""
        return NEXT[self.level]


def figures_of(session: ToolSession[Any]) -> ContextFigures | None:
    """Return the exact figures of a session's context; see :meth:`hud_runtime.HudSession.context`."""
    usage = session.refresh().usage
    if usage is None:
        return None
    event = next((each for each in _newest_first(session) if each.type == "context.snapshot"), None)
    if event is None:
        return None
    said: Any = event.payload
    return ContextFigures(
        **{name: getattr(said, name) for name in ("used", "limit", *PARTS, "model", "is_share")},
        hud=session.hud().tokens,
        version=event.version,
        turn=event.turn,
        timestamp=event.timestamp,
        trend=usage.trend,
        held=level_of(session),
    )


AT_ONCE = 64
"""Events of the first read; readings are frequent, so it mostly finds the last one."""


def _newest_first(session: ToolSession[Any]) -> Iterator[Any]:
    """Yield the events of a session, newest first, in growing reads."""
    end, count = session.version, AT_ONCE
    while end > 0:
        start = max(end - count, 0)
        yield from reversed([*islice(session.events(after=start), end - start)])
        end, count = start, count * 2


def context(session: ToolSession[Any], _arguments: NoArguments) -> ToolResult:
    """Return the exact figures of the context."""
    figures = figures_of(session)
    if figures is None:
        info = session.known.session
        is_over = info is not None and info.compactions
        tokens = session.hud().tokens
        name = "answer.unread since" if is_over else "answer.unread"
        return ToolResult(said(session, name, tokens=f"{tokens:,}"), data={"hud": tokens})
    rows = _rows(figures, partial(said, session))
    text = written(List()[[Item()[each] for each in rows]])
    return ToolResult(text, data=figures.data())


def _rows(figures: ContextFigures, told: Callable[..., str]) -> Iterator[Child]:
    used = told(
        "answer.share" if figures.is_share else "answer.used",
        used=f"{figures.used:,}",
        limit=f"{figures.limit:,}",
        share=_share(figures.used, figures.limit),
        level=told(f"level.{figures.level}"),
        left=f"{figures.remaining:,}",
    )
    yield used if figures.trend is None else f"{used}, {told(f'trend.{figures.trend}')}"
    counts = {name: getattr(figures, name) for name in PARTS}
    known = [
        told(f"answer.{name}", count=f"{count:,}")
        for name, count in counts.items()
        if count is not None
    ]
    if known:
        yield told("answer.parts", parts=", ".join(known))
    model = [f", {figures.model}"] if figures.model else []
    at = f" t{figures.turn}, {time_of(figures)}"
    yield [told("answer.read in"), code(f"{figures.version}"), at, *model]
    if not figures.is_share:
        share = _share(figures.hud, figures.limit)
        yield told("answer.hud", tokens=f"{figures.hud:,}", share=share)
    if figures.level in _COMPACT:
        yield [told(f"answer.{figures.level}"), told("call"), code(CALL)]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%"


def time_of(dated: Any) -> str:
    """Return a time as text.

    >>> time_of(ContextFigures(used=1, limit=2, hud=0, version=1, turn=0, timestamp=0))
    '1970-01-01 00:00:00 UTC'
    """
    try:
        return f"{datetime.fromtimestamp(dated.timestamp / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, OSError, ValueError):  # beyond the year 9999
        return f"{dated.timestamp} ms"


# The summaries of a session's compactions, old ones included: listed, and read one by one.
#
# The HUD shows the newest. A summary's id is the version of its event, as in the history and in
# searches.

SECTION = "summaries"
"""The prefix of the operations."""

FIRST_LINE = 120
"""Characters of a summary's first line in a list."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that replaced the conversation at a compaction."""

    version: int
    """The version of the compaction's event."""

    turn: int
    """The agent's turn."""

    timestamp: int
    """The time, in milliseconds since the Unix epoch."""

    text: str
    """The summary."""


class Which(HudModel):
    """One summary."""

    id: Line
    """The summary's number, as the list tells it."""


def summaries_of(session: ToolSession[Any]) -> tuple[Summary, ...]:
    """Return all summaries, oldest first; see :meth:`hud_runtime.HudSession.summaries`."""
    session.refresh()
    found: list[Summary] = []
    for event in session.events(types=["compact.after"]):
        said: Any = event.payload
        text: str = getattr(said, "summary", "")
        if text.strip():
            found.append(Summary(event.version, event.turn, event.timestamp, text))
    return tuple(found)


def list_summaries(session: ToolSession[Any], page: PageArguments) -> ToolResult:
    """Return a page of the summaries, newest first, each with its time, length and first line."""
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


def get_summary(session: ToolSession[Any], asked: Which) -> ToolResult:
    """Return the whole text of a summary."""
    found = {f"{each.version}": each for each in summaries_of(session)}
    name = asked.id.strip("`# ")
    if name not in found:
        hint = did_you_mean(name, found) if found else "no compaction left one"
        raise UnknownItemError(f"there is no summary {quoted(asked.id)}; {hint}")
    quote = BlockQuote()[[Paragraph()[part] for part in paragraphs(found[name].text)]]
    return ToolResult(written(quote), data=asdict(found[name]))


def _begins(summary: Summary) -> str:
    return cut(line(summary.text.strip().splitlines()[0]), FIRST_LINE)

"""The exact figures of the context, by its last reading, what to do next, and what the HUD has of it.

The HUD itself tells them roughly, in steps, so that it stays the same for turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from hud_components import Level, Trend, level_for
from hud_components.words import ANSWERS
from hud_runtime.pressure import level_of
from hud_runtime.tools._arguments import Nothing
from hud_runtime.tools._lists import said, written
from hud_runtime.tools._session import SessionLike
from ujsx import Child
from ujsx.elements import Item, List, code
from ujsx.tools import ToolResult

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
"""What can be done next at each level."""

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
    """Tokens that the HUD has now."""

    version: int
    """The version of the event that tells the reading."""

    turn: int
    """The agent's turn in which it was taken."""

    timestamp: int
    """When it was taken, in milliseconds since the Unix epoch."""

    input: int | None = None
    """Of the tokens used, those of plain input; None where the host does not say."""

    cache_read: int | None = None
    """Tokens of input that were read from a cache; None where the host does not say."""

    cache_write: int | None = None
    """Tokens of input that were written to a cache; None where the host does not say."""

    output: int | None = None
    """Tokens that the model wrote; None where the host does not say."""

    model: str | None = None
    """The model's name; None where the host does not say."""

    trend: Trend | None = None
    """How the context fills up, by its last readings; None while there are too few."""

    held: Level | None = None
    """The level that holds by what was read before, and by the session's thresholds; that of the percentage when
    None."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent; above 100 when the limit is exceeded."""
        return 100 * self.used / self.limit

    @property
    def remaining(self) -> int:
        """Tokens that are left; below 0 when the limit is exceeded."""
        return self.limit - self.used

    @property
    def level(self) -> Level:
        """The level of the context, in one word: a level that was reached is left a margin below its edge."""
        return level_for(self.percentage) if self.held is None else self.held

    def data(self) -> dict[str, Any]:
        """Return all of it by name, with what follows from it."""
        given = {name: value for name, value in asdict(self).items() if name != "held"}
        derived = ("percentage", "remaining", "level", "next")
        return {**given, **{name: getattr(self, name) for name in derived}}

    @property
    def next(self) -> str:
        """The possible next steps, in words."""
        return NEXT[self.level]


def figures_of(session: SessionLike) -> ContextFigures | None:
    """Return the exact figures of a session's context; see :meth:`hud_runtime.HudSession.context`."""
    usage = session.refresh().usage
    if usage is None:
        return None
    event = next((each for each in _newest_first(session) if each.type == "context.snapshot"), None)
    if event is None:
        return None
    said: Any = event.payload
    return ContextFigures(
        used=said.used,
        limit=said.limit,
        hud=session.hud().tokens,
        version=event.version,
        turn=event.turn,
        timestamp=event.timestamp,
        input=said.input,
        cache_read=said.cache_read,
        cache_write=said.cache_write,
        output=said.output,
        model=said.model,
        trend=usage.trend,
        held=level_of(session),
    )


AT_ONCE = 64
"""Events that are read at once at first; readings are frequent, so the last is mostly among them."""


def _newest_first(session: SessionLike) -> Iterator[Any]:
    """Yield the events of a session, the newest first, a longer run of them each time."""
    end, count = session.version, AT_ONCE
    while end > 0:
        start = max(end - count, 0)
        yield from reversed([*islice(session.events(after=start), end - start)])
        end, count = start, count * 2


def context(session: SessionLike, _arguments: Nothing) -> ToolResult:
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
        "answer.used",
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
    share = _share(figures.hud, figures.limit)
    yield told("answer.hud", tokens=f"{figures.hud:,}", share=share)
    if figures.level in _COMPACT:
        yield [told(f"answer.{figures.level}"), told("call"), code(CALL)]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%"


def time_of(dated: Any) -> str:
    """Return when something was, in words that any reader understands.

    >>> time_of(ContextFigures(used=1, limit=2, hud=0, version=1, turn=0, timestamp=0))
    '1970-01-01 00:00:00 UTC'
    """
    try:
        return f"{datetime.fromtimestamp(dated.timestamp / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, OSError, ValueError):  # beyond the year 9999
        return f"{dated.timestamp} ms"

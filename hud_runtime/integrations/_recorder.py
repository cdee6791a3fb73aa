"""What a host tells becomes events of its session, by the reader that transcripts are read with."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hud_runtime._errors import EventError
from hud_runtime.events import EventDraft
from hud_runtime.observation import (
    AnyObservation,
    HudTool,
    QuietTool,
    Reader,
    ToolTable,
)
from hud_runtime.session import HudSession

WAITING = 10_000
"""Events that are kept in mind while the store takes none; beyond that the oldest are lost."""


def live(table: ToolTable | None) -> ToolTable:
    """Return a table for a session that is not over: its HUD's own tool has recorded what it did.

    >>> type(live(None).tool("mcp__hud__hud")).__name__
    'QuietTool'
    """
    given = ToolTable() if table is None else table
    ours = {name: QuietTool() for name, tool in given.tools.items() if isinstance(tool, HudTool)}
    return given.extended(tools={**ours, "hud_compact": QuietTool(), "memory_compact": QuietTool()})


class Recorder:
    """Records what is observed of one session; for one thread at a time.

    What the store cannot take now waits, and is recorded with what comes next.
    """

    def __init__(self, table: ToolTable | None = None, limit: int | None = None) -> None:
        self._table = live(table)
        self._limit = limit
        self._reader: Reader | None = None
        self._waiting: deque[EventDraft] = deque(maxlen=WAITING)

    @property
    def waiting(self) -> int:
        """How many events wait for the store."""
        return len(self._waiting)

    def observe(self, session: HudSession[Any], seen: AnyObservation) -> None:
        """Take in what was observed. It is recorded with the next :meth:`flush`."""
        reader = self._reader
        if reader is None:
            reader = self._reader = Reader(
                self._table,
                limit=self._limit,
                model_limits=session.model_limits,
                domain=session.domain,
            )
            reader.resume(session.known, session.turn)
        elif not self._waiting:
            reader.remember(session.known)
        reader.advance(session.turn)
        self._waiting += reader.feed(seen)
        self._waiting += reader.finish()

    def flush(self, session: HudSession[Any], failed: Callable[[EventError], object]) -> None:
        """Record what waits, all of it or none.

        What the session's domain has no place for is left out, and told to ``failed``.

        :raises StoreError: where the store takes nothing; then it waits on.
        """
        if not self._waiting:
            return
        drafts = list(self._waiting)

        def refused(_draft: EventDraft, error: EventError) -> None:
            failed(error)

        # The store may be ahead: another process has told of the session, too.
        session.latest()
        session.post_all([_not_before(each, session.turn) for each in drafts], refused=refused)
        for _ in drafts:
            self._waiting.popleft()


def _not_before(draft: EventDraft, turn: int) -> EventDraft:
    """A draft whose turn is not over."""
    return draft if draft.turn is None or draft.turn >= turn else replace(draft, turn=None)

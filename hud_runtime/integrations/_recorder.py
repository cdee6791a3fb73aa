"""The recorder: a host's reports become events of its session, through the reader of transcripts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, StoreUnavailableError
from hud_runtime._telling import Telling, answered_now, taking_in
from hud_runtime.events import EventDraft
from hud_runtime.observation import AnyObservation, HudTool, QuietTool, Reader, ToolTable
from hud_runtime.session import HudSession
from hud_runtime.session._heard import Heard, Taken, heard, keep_heard, taken_of, written

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


@dataclass(frozen=True, slots=True)
class Seen:
    """The observations of one moment."""

    seen: tuple[AnyObservation, ...] = ()

    telling: Telling | None = None
    """By which it was told, if that has an id: the second time it is nothing new."""

    keep: Mapping[str, object] = field(default_factory=dict[str, object])
    """What is to be kept in mind with it, by name."""


class Recorder:
    """Records what is observed of one session; for one thread at a time.

    What the store cannot take now waits, and is recorded with what comes next.
    """

    def __init__(self, table: ToolTable | None = None, limit: int | None = None) -> None:
        self._table = live(table)
        self._limit = limit
        self._reader: Reader | None = None
        self._waiting: deque[EventDraft] = deque(maxlen=WAITING)
        self._heard: Heard | None = None
        """What was kept of the session, as it was when somebody last asked."""
        self._heard_at: Telling | None = None
        self._tellings: list[Telling] = []
        self._keep: dict[str, object] = {}

    def knows(self, session: HudSession[Any], telling: Telling) -> bool:
        """Tell whether a telling was taken in before, by this process or another one.

        :raises StoreError: where that cannot be read.
        """
        return telling in self._tellings or self._heard_by(session).has(telling)

    def kept(self, session: HudSession[Any], name: str) -> Any:
        """Return what is kept in mind under a name; None for nothing.

        :raises StoreError: where that cannot be read.
        """
        if name in self._keep:
            return self._keep[name]
        return self._heard_by(session).kept.get(name)

    def _heard_by(self, session: HudSession[Any]) -> Heard:
        """What was kept of the session when this telling began: whom it was told before is gone by then."""
        telling = answered_now()
        is_fresh = self._heard is not None and telling is not None and telling == self._heard_at
        if not is_fresh:
            waiting = session.taken_waiting()  # first: what was delivered since is in the row
            found = self._heard or Heard()
            if not session.is_posting:
                try:
                    found = heard(session)
                except StoreUnavailableError as error:
                    if not session.begin_posting(error):
                        raise
            for text in waiting:
                found = found.after(taken_of(text))
            self._heard, self._heard_at = found, telling
        return self._heard or Heard()

    def took(self, seen: Seen) -> None:
        """Note that all of what was seen at once is taken in. It is kept with the next :meth:`flush`."""
        if seen.telling is not None:
            self._tellings.append(seen.telling)
        self._keep |= seen.keep

    @property
    def waiting(self) -> int:
        """The number of events that wait for the store."""
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
            if self._heard is not None:
                reader.go_on_from(self._heard.place)
        elif not self._waiting:
            reader.remember(session.known)
        reader.advance(session.turn)
        self._waiting += reader.feed(seen)
        self._waiting += reader.finish()

    def flush(self, session: HudSession[Any], failed: Callable[[EventError], object]) -> None:
        """Record what waits, all of it or none.

        What the session's domain has no place for is left out, and told to ``failed``. While a server is away that has
        an outbox, the events wait there, and beside them what is to be kept with them.

        :raises StoreError: where the store takes nothing; then it waits on.
        """
        has_begun = False

        @tried_again
        def record() -> None:
            nonlocal has_begun
            has_begun = False
            with session.exclusive():
                has_begun = True
                self._record(session, failed)
                before = heard(session)
                made = before.after(self._taken)
                if self._has_led_to_something(before):
                    keep_heard(session, made)
                    self._heard = made

        try:
            if not (self._tellings or self._keep):
                self._record_alone(session, failed)
            elif session.is_posting:
                self._post(session, failed)
            else:
                record()
        except StoreUnavailableError as error:
            if has_begun or not session.begin_posting(error):
                raise
            self._post(session, failed)
        self._waiting.clear()
        self._tellings, self._keep = [], {}

    def _post(self, session: HudSession[Any], failed: Callable[[EventError], object]) -> None:
        """Keep in the outbox what waits, and beside it what is to be kept with it."""
        if not (self._tellings or self._keep):
            self._record_alone(session, failed)
        elif self._has_led_to_something(before := self._heard or Heard()):
            taken = self._taken
            with taking_in(written(session, taken)):
                session.latest()
                self._record(session, failed, is_told=True)
            self._heard = before.after(taken)

    @property
    def _taken(self) -> Taken:
        place = None if self._reader is None else self._reader.place
        return Taken(tuple(self._tellings), place=place, keep=self._keep)

    def _has_led_to_something(self, before: Heard) -> bool:
        """Tell whether there is anything to keep: events, or what counts later."""
        taken = self._taken
        return bool(self._waiting) or (
            {**before.kept, **taken.keep} != before.kept or taken.place not in (None, before.place)
        )

    def _record_alone(
        self, session: HudSession[Any], failed: Callable[[EventError], object]
    ) -> None:
        """Record what waits outside of a transaction: another process may have told of the session, too."""
        if self._waiting:
            session.latest()
            self._record(session, failed)

    def _record(
        self,
        session: HudSession[Any],
        failed: Callable[[EventError], object],
        *,
        is_told: bool = False,
    ) -> None:
        if not self._waiting and not is_told:
            return

        def refused(_draft: EventDraft, error: EventError) -> None:
            failed(error)

        drafts = [_not_before(each, session.turn) for each in self._waiting]
        session.post_all(drafts, refused=refused)


def _not_before(draft: EventDraft, turn: int) -> EventDraft:
    """A draft whose turn is not over."""
    return draft if draft.turn is None or draft.turn >= turn else replace(draft, turn=None)

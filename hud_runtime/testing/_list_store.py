"""An event store that is a list: the protocol with nothing else, for tests and as a model."""

from __future__ import annotations

import threading
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager

from hud_runtime._errors import ConcurrencyError, StoreError
from hud_runtime.events import Event, EventType
from hud_runtime.store import At, Damage, Head, Hit, Snapshot
from hud_runtime.store._follows import check_follows
from hud_runtime.store._words import check_page, text_of, words_of


class ListEventStore:
    """An :class:`hud_runtime.EventStore` in plain Python.

    >>> ListEventStore().head("nobody")
    Head(version=0, turn=0)
    """

    def __init__(self) -> None:
        self._log: list[tuple[int, Event]] = []
        self._snapshots: list[Snapshot] = []
        self._lock = threading.RLock()
        self._purged: set[str] = set()
        self._archived: dict[str, int] = {}
        self._position = 0

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none."""
        with self._lock:
            if session_id in self._purged:
                raise StoreError(
                    f'session "{session_id}" was purged: its id is not used again; use another name'
                )
            actual = self.head(session_id).version
            if actual != expected_version:
                raise ConcurrencyError(session_id, expected=expected_version, actual=actual)
            check_follows(session_id, expected_version, events)
            for event in events:
                self._position += 1
                self._log.append((self._position, event))

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Keep other threads from appending."""
        with self._lock:
            yield

    def read(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
    ) -> Iterator[Event]:
        """Yield a session's events with ``after < version <= up_to``, in order."""
        for _, event in list(self._log):
            within = event.version > after and (up_to is None or event.version <= up_to)
            if event.session_id == session_id and within and (types is None or event.type in types):
                yield event

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events with their positions."""
        yield from [entry for entry in self._log if entry[0] > after]

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that events have."""
        return frozenset(ids) & {event.id for _, event in self._log}

    def head(self, session_id: str) -> Head:
        """Return where the session's log ends."""
        last = None
        for last in self.read(session_id):  # noqa: B007  (the last one is what counts)
            pass
        return Head() if last is None else Head(last.version, last.turn)

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of the last event before the first one that is later than ``at``."""
        for event in self.read(session_id):
            if getattr(event, at.measure) > at.value:
                return event.version - 1
        return self.head(session_id).version

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions, in the order of their beginning."""
        return tuple(dict.fromkeys(event.session_id for _, event in self._log))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version."""
        self._snapshots.append(snapshot)

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        fitting = [
            one
            for one in self._snapshots
            if one.session_id == session_id
            and (one.projection, one.revision) == (projection, revision)
            and one.version <= up_to
        ]
        return max(fitting, key=lambda one: one.version, default=None)

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``, newest first: no ranks here."""
        check_page(limit, after)
        words = [word.casefold() for word in words_of(query)]
        found: list[Hit] = []
        for _, event in reversed(self._log):
            text = text_of(event.payload)
            if words and all(word in text.casefold() for word in words):
                found.append(
                    Hit(
                        event.session_id, event.version, event.turn, event.timestamp, event.actor,
                        event.type, text,
                    )
                )  # fmt: skip
        wanted = [hit for hit in found if session in (None, hit.session_id)]
        return wanted[after : after + limit]

    def archive(self, session_id: str) -> int:
        """Count what would move: a list has no cheaper place."""
        compactions = [one.version for one in self.read(session_id) if one.type == "compact.after"]
        before = compactions[-1] - 1 if compactions else 0
        moved = before - self._archived.get(session_id, 0)
        self._archived[session_id] = before
        return moved

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session."""
        events = self.head(session_id).version
        self._purged.add(session_id)
        self._log = [entry for entry in self._log if entry[1].session_id != session_id]
        self._snapshots = [one for one in self._snapshots if one.session_id != session_id]
        return events

    def verify(self) -> tuple[Damage, ...]:
        """Return nothing: memory is not checked."""
        return ()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

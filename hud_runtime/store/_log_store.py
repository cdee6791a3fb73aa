"""The part that all stores in a database have in common: all but the writing, the search, and the purge."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from hud_runtime._breaker import SERVER, Breaker, tried_again
from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime._session_ids import SESSIONS
from hud_runtime.events import Event
from hud_runtime.store._archive import Archive
from hud_runtime.store._delivery_table import SavedDeliveries
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._erase import Change, Eraser, Note, Traces, erase_again, saying
from hud_runtime.store._erasures import Erasure, erasures
from hud_runtime.store._figures import Figure
from hud_runtime.store._output_table import SavedOutputs
from hud_runtime.store._protocol import (
    Damage,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
    check_continuity,
)
from hud_runtime.store._reader import LogReader
from hud_runtime.store._rows import to_row
from hud_runtime.store._schema import PURGED
from hud_runtime.store._snapshot_table import SavedSnapshots
from hud_runtime.store._transaction import Transaction

LOOK_EVERY = 0.2
"""Seconds between two looks at a session that somebody waits for."""


class LogStore(LogReader):
    """A log in a database, with what is kept beside it."""

    layout: int
    """The version of the tables."""

    def __init__(self, database: Engine, archive: Archive) -> None:
        super().__init__(database, archive)
        # Apart from the store, which an index that held it would keep from being dropped.
        self._log = LogReader(database, archive)
        self._saved = SavedSnapshots(database)
        self._deliveries = SavedDeliveries(database)
        self._outputs = SavedOutputs(database)
        self.breaker = Breaker(SERVER)
        """The knowledge of whether the store can be reached, where it is a server's."""

    @property
    def database(self) -> Engine:
        """The database, for who copies the store."""
        return self._db

    @property
    def identity(self) -> str | None:
        """A digest that tells a server's store from others; None for a store of this machine."""
        return None

    @property
    def place(self) -> str:
        """The store's place, as it is told: a path, or an address without its password."""
        return self._db.place

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none; see :meth:`EventStore.append`."""
        check_continuity(session_id, expected_version, events)
        self.append_rows(session_id, expected_version, [to_row(event) for event in events])

    @abstractmethod
    def exclusive(self, session_id: str) -> AbstractContextManager[None]:
        """Keep everybody else from appending; see :meth:`EventStore.exclusive`."""

    @abstractmethod
    def archive(self, session_id: str) -> int:
        """Move what came before the last compaction; see :meth:`EventStore.archive`."""

    @abstractmethod
    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``; see :meth:`EventStore.search`."""

    @tried_again
    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: the engine's own check, digests, gaps, the archive.

        It is what was there at one moment. The files of an archive may go meanwhile, by a purge.
        """
        found: list[Damage] = []
        log, *others = self._own_damages()
        checks = (
            log,
            self._saved.damages(),
            self._deliveries.damages(),
            self._outputs.damages(),
            *others,
        )
        with self._db.at_one_moment():
            for check in checks:
                try:
                    found.extend(check)
                except StoreDamagedError as error:  # so damaged that a look at it fails
                    found.append(Damage(None, None, str(error)))
        return tuple(
            one for one in found if one.session_id is None or not self.is_purged(one.session_id)
        )

    @abstractmethod
    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        """Return the engine's own checks: of the log first."""

    @abstractmethod
    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Row]) -> None:
        """Append events as rows of ``_rows.COLUMNS`` and their digests."""

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in; see :meth:`EventStore.transaction`."""
        return self._db.transaction()

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, in the order of their beginning."""
        return tuple(session_id for _, session_id in self._db.rows(SESSIONS))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version; the same one again changes nothing."""
        self._saved.save(snapshot)

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        return self._saved.newest(session_id, projection, revision, up_to)

    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Keep a delivery; see :meth:`EventStore.save_delivery`."""
        self._deliveries.save(delivery)

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return what is kept for a reader, or for all; see :meth:`EventStore.deliveries`."""
        return self._deliveries.of(session_id, reader)

    def keep_output(self, output: StoredOutput) -> None:
        """Keep a tool's output; see :meth:`EventStore.keep_output`."""
        self._outputs.keep(output)

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a kept output with its text; see :meth:`EventStore.output`."""
        return self._outputs.get(session_id, name)

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of a session's outputs, oldest first, without their texts."""
        return self._outputs.of(session_id)

    def copy_outputs(self, origin: str, target: str) -> None:
        """Let a session that begins as a copy of another one have its outputs, too."""
        self._outputs.copy(origin, target)

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Take the texts of outputs that are old; see :meth:`EventStore.sweep_outputs`."""
        if due and not self._outputs.is_due(rules):
            return None
        return self._outputs.sweep(rules, at)

    def sweeps(self) -> list[Swept]:
        """Return the log of the last sweeps, newest first."""
        return self._outputs.sweeps()

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, and leave a tombstone: its id is not used again."""
        return self.purge_all([session_id])[session_id]

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait until a session goes on behind a version, for so many seconds at most; return its last one."""
        deadline = time.monotonic() + timeout
        while (version := self.head(session_id).version) <= after:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, LOOK_EVERY))
        return version

    def number_of(self, session_id: str) -> int | None:
        """Return the number by which :meth:`notices` name a session; None where nobody tells of new events."""
        return None

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield the number of a session each time that one goes on, until it is over.

        :param every: seconds after which None is yielded, for who has other things to do.
        """
        raise StoreError(f"{self.place}: nobody tells of new events; look at them now and then")

    @abstractmethod
    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all that belongs to these sessions, and return how many events each of them had."""

    @abstractmethod
    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind of data, and what bounds it."""

    @abstractmethod
    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts that are no events', nor made of events: table, column, session and text."""

    @abstractmethod
    def close(self) -> None:
        """Release the database. Closing twice is no error."""

    @property
    @abstractmethod
    def _traces(self) -> Traces:
        """The places of events' texts beside the log."""

    def last_used(self) -> dict[str, int]:
        """Return when each session was last recorded in, or told of what happened, in milliseconds."""
        rows = self._db.rows(self._db.statements.last_used)
        return {str(session_id): int(used) for session_id, used, *_ in rows}

    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event from log, archive, index and snapshots; return where they stood.

        ``change`` says what the payload is without them, ``note`` makes the event that tells of it.

        Raises :class:`EventError` for an event that is not there; :class:`StoreLockedError` when another
        process keeps the files in use: then nobody finds the texts, but their bytes are there.
        """
        return self._eraser().erase(session_id, version, change, note)

    def erase_again(self, done: Iterable[Erasure]) -> None:
        """Erase what was erased in the store that this one is a copy of."""
        erase_again(self._eraser(), done)

    def saying(self, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Return the events, by session and version, that say one of the texts: a whole one of theirs, or a part."""
        return saying(self._log, texts)

    def erasures(self) -> list[Erasure]:
        """Return what was erased, by session and version."""
        return erasures(self._db)

    def archived(self, session_id: str) -> int:
        """Return how many of a session's events are in the archive."""
        return sum(each.last - each.first + 1 for each in self._archive.of_session(session_id))

    def is_purged(self, session_id: str) -> bool:
        """Tell whether a session of this id was purged, so that the id is not used again."""
        found = self._db.rows(f"{PURGED} WHERE session_id = ?", session_id)
        return bool(found)

    def _eraser(self) -> Eraser:
        return Eraser(self._db, self._archive, self._traces)

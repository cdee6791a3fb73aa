"""The event store in one SQLite file.

Writers of many processes queue at ``BEGIN IMMEDIATE``; readers never wait. What ``append`` has
returned from survives the end of the process, ``kill -9`` included. A power cut may cost the last
commits, unless the store is opened with ``durable=True``, which waits for the disk each time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hud_runtime._errors import (
    ConcurrencyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from hud_runtime.events import Event
from hud_runtime.store._archive import Archive
from hud_runtime.store._checkpointed import Checkpointed, checkpointed
from hud_runtime.store._database import MEMORY, Database
from hud_runtime.store._delivery_table import SavedDeliveries
from hud_runtime.store._erase import Change, Eraser, Note, erase_again, saying
from hud_runtime.store._erasures import Erasure, erasures
from hud_runtime.store._figures import Figure, figures, other_texts
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
from hud_runtime.store._purge import purge
from hud_runtime.store._reader import LogReader
from hud_runtime.store._rows import INSERT, to_row
from hud_runtime.store._schema import PURGED
from hud_runtime.store._search import SearchIndex
from hud_runtime.store._snapshot_table import SavedSnapshots
from hud_runtime.store._transaction import Transaction
from hud_runtime.store._verify import damages, index_damages

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one."""


class Parts(NamedTuple):
    """What a store is made of, for who copies it."""

    database: Database
    archive: Archive


class SqliteEventStore(LogReader):
    """An :class:`EventStore` over a file, or over memory for ``":memory:"``.

    >>> store = SqliteEventStore(":memory:")
    >>> store.head("nobody")
    Head(version=0, turn=0)
    >>> store.close()
    """

    def __init__(
        self,
        path: str | Path,
        *,
        durable: bool = False,
        busy_timeout: int = BUSY_TIMEOUT,
        read_only: bool = False,
    ) -> None:
        database = Database(path, durable=durable, busy_timeout=busy_timeout, read_only=read_only)
        archive = Archive(database)
        super().__init__(database, archive)
        self.path = database.path
        """The file; None for a store in memory."""
        self.layout = self._db.layout
        """The version of the tables in the file."""
        self.parts = Parts(database, archive)
        """What the store is made of, for who copies it."""
        # Apart from the store, which an index that held it would keep from being dropped.
        self._log = LogReader(database, archive)
        self._saved = SavedSnapshots(self._db)
        self._deliveries = SavedDeliveries(self._db)
        self._outputs = SavedOutputs(self._db)
        self._index = SearchIndex(self._db, self._log)
        self._index_in_memory: tuple[int, SearchIndex] | None = None

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none; see :meth:`EventStore.append`."""
        check_continuity(session_id, expected_version, events)
        rows = [to_row(event) for event in events]
        with self._db.writing("a record") as db:
            try:
                db.executemany(INSERT, rows)
            except sqlite3.IntegrityError:
                self._refuse(session_id, expected_version)
                raise

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Keep everybody else from writing; see :meth:`EventStore.exclusive`."""
        with self._db.writing(f'exclusive() of session "{session_id}"', has_parts=True):
            yield

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in; see :meth:`EventStore.transaction`."""
        return self._db.transaction()

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, in the order of their beginning."""
        rows = self._db.rows(
            "SELECT position, session_id FROM hud_event WHERE version = 1"  # noqa: S608
            f" AND session_id NOT IN ({PURGED}) UNION"
            " SELECT first_position, session_id FROM hud_archive WHERE first = 1"
            f" AND session_id NOT IN ({PURGED}) ORDER BY 1"
        )
        return tuple(session_id for _, session_id in rows)

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

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``; see :meth:`EventStore.search`."""
        try:
            return self._index.find(query, session, limit, after)
        except (StoreReadOnlyError, StoreFullError):  # it is behind, or damaged, and stays so
            return self._one_in_memory().find(query, session, limit, after)

    def archive(self, session_id: str) -> int:
        """Move what came before the last compaction to a compressed file beside the store."""
        self._db.refuse_within("archiving")
        return self._archive.move(session_id)

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, and leave a tombstone: its id is not used again.

        The rows are overwritten, the archive's files deleted, the database written anew, and the
        write-ahead log, which still has what was deleted, is emptied. A purge that was interrupted is finished by another one.

        Raises :class:`StoreLockedError` when another process keeps the write-ahead log in use: then
        the session is gone, but not yet its bytes.
        """
        return self.purge_all([session_id])[session_id]

    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all that belongs to these sessions, and write the file anew once; see :meth:`purge`."""
        self._db.refuse_within("a purge")
        return purge(self._db, self._archive, self._index, session_ids)

    def last_used(self) -> dict[str, int]:
        """Return when each session was last recorded in, or told of what happened, in milliseconds."""
        rows = self._db.rows(
            "SELECT session_id, max(timestamp, 1000 * created_at), max(version) FROM hud_event"  # noqa: S608
            f" WHERE session_id NOT IN ({PURGED}) GROUP BY session_id"
        )
        return {str(session_id): int(used) for session_id, used, _ in rows}

    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind of data, and what bounds it."""
        return figures(self._db, self._archive)

    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts that are no events', nor made of events: table, column, session and text."""
        yield from other_texts(self._db)

    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event from log, archive, index and snapshots; return where they stood.

        ``change`` says what the payload is without them, ``note`` makes the event that tells of it.

        Raises :class:`EventError` for an event that is not there; :class:`StoreLockedError` when another
        process keeps the write-ahead log in use: then nobody finds the texts, but their bytes are there.
        """
        self._db.refuse_within("an erasure")
        return Eraser(self._db, self._archive, self._index).erase(session_id, version, change, note)

    def erase_again(self, done: Iterable[Erasure]) -> None:
        """Erase what was erased in the store that this one is a copy of."""
        erase_again(Eraser(self._db, self._archive, self._index), done)

    def saying(self, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Return the events, by session and version, that say one of the texts: a whole one of theirs, or a part."""
        return saying(self._log, texts)

    def erasures(self) -> list[Erasure]:
        """Return what was erased, by session and version."""
        return erasures(self._db)

    def is_purged(self, session_id: str) -> bool:
        """Tell whether a session of this id was purged, so that the id is not used again."""
        found = self._db.rows(f"{PURGED} WHERE session_id = ?", session_id)
        return bool(found)

    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: SQLite's own check, digests, gaps, the archive.

        It is what was there at one moment. The files of an archive may go meanwhile, by a purge.
        """
        found: list[Damage] = []
        checks = (
            damages(self._db, self._archive),
            self._saved.damages(),
            self._deliveries.damages(),
            self._outputs.damages(),
            index_damages(self._db, self._index, self._log),
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

    def make_derived_anew(self) -> tuple[str, ...]:
        """Throw away what is damaged and can be made of the log again, and name it."""
        made: list[str] = []
        if any(index_damages(self._db, self._index, self._log)) or self._index.was_given_up():
            self._index.drop()
            made.append("search index")
        if self._saved.drop_damaged():
            made.append("snapshots")
        if self._deliveries.drop_damaged():
            made.append("deliveries")
        if self._outputs.drop_damaged():
            made.append("kept outputs, without those that are damaged")
        return tuple(made)

    def checkpoint(self) -> Checkpointed:
        """Take everything out of the write-ahead log; see :meth:`HudStore.checkpoint`."""
        return checkpointed(self._db)

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        self._db.close()

    def _one_in_memory(self) -> SearchIndex:
        """An index for who cannot write the store's own; a new one after each purge and erasure."""
        [(purged,)] = self._db.rows("SELECT count(*) FROM hud_tombstone")
        gone = purged + sum(each.recorded_at for each in self.erasures())
        if self._index_in_memory is None or self._index_in_memory[0] != gone:
            memory = Database(MEMORY, durable=False, busy_timeout=0)
            self._index_in_memory = gone, SearchIndex(memory, self._log)
        return self._index_in_memory[1]

    def _refuse(self, session_id: str, expected_version: int) -> None:
        """Say why an append was refused, if it is for what others have done."""
        if self.is_purged(session_id):
            raise StoreError(
                f'session "{session_id}" was purged: its id is not used again; use another name'
            )
        actual = self.head(session_id).version
        if actual != expected_version:
            raise ConcurrencyError(session_id, expected=expected_version, actual=actual)

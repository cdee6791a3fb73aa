"""The event store in one SQLite file.

Writers of many processes queue at ``BEGIN IMMEDIATE``; readers never wait. What ``append`` has
returned from survives the end of the process, ``kill -9`` included. A power cut may cost the last
commits, unless the store is opened with ``durable=True``, which waits for the disk each time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hud_runtime._errors import (
    ConcurrencyError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from hud_runtime.events import Event
from hud_runtime.store._archive import Archive, archive_beside
from hud_runtime.store._checkpointed import Checkpointed, checkpointed
from hud_runtime.store._database import MEMORY, Database
from hud_runtime.store._engine import Connection, Row
from hud_runtime.store._erase import Change, Note, Traces
from hud_runtime.store._figures import Figure, figures, other_texts
from hud_runtime.store._log_store import LogStore
from hud_runtime.store._protocol import Damage, Hit
from hud_runtime.store._purge import needed, purge
from hud_runtime.store._search import SearchIndex, drop_tables
from hud_runtime.store._statements import SQLITE
from hud_runtime.store._verify import damages, index_damages

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one."""


class Parts(NamedTuple):
    """The parts of a store, for code that copies it."""

    database: Database
    archive: Archive


@dataclass(frozen=True, slots=True)
class _Files:
    """The places of events' texts beside the log: the search index, and what the files have kept."""

    database: Database
    index: SearchIndex

    def drop_first(self) -> None:
        # What is damaged in the index would keep its words; so it is not asked to take them out.
        self.index.drop()

    def drop(self, db: Connection, event: Event) -> None:
        drop_tables(db)  # somebody may have searched since it was dropped

    def write_anew(self) -> None:
        self.database.checkpoint()
        self.database.rewrite()
        self.database.empty_log("erase again")


class SqliteEventStore(LogStore):
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
        archive = archive_beside(database, database.path)
        super().__init__(database, archive)
        self._db: Database = database
        self.layout = self._db.layout
        """The version of the tables in the file."""
        self.parts = Parts(database, archive)
        """The parts of the store, for code that copies it."""
        self._index = SearchIndex(self._db, self._log)
        self._index_in_memory: tuple[int, SearchIndex] | None = None

    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Row]) -> None:
        """Append events as rows; see :meth:`LogStore.append_rows`."""
        with self._db.writing("a record") as db:
            try:
                db.executemany(SQLITE.append, rows)
            except sqlite3.IntegrityError:
                self._refuse(session_id, expected_version)
                raise
            if rows:
                self._db.file.written((session_id, rows[-1][2], rows[-1][-1]))

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Keep everybody else from writing; see :meth:`EventStore.exclusive`."""
        with self._db.writing(f'exclusive() of session "{session_id}"', has_parts=True):
            yield

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

    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all that belongs to these sessions, and write the file anew once.

        The rows are overwritten, the archive's files deleted, the database written anew, and the
        write-ahead log, which still has what was deleted, is emptied. A purge that was interrupted is finished by another one.

        Raises :class:`StoreLockedError` when another process keeps the write-ahead log in use: then
        the sessions are gone, but not yet their bytes.
        """
        self._db.refuse_within("a purge")
        return purge(self._db, self._archive, self._index, session_ids)

    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind of data, and what bounds it."""
        return figures(self._db, self._archive)

    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts that are no events', nor made of events: table, column, session and text."""
        yield from other_texts(self._db)

    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event; see :meth:`LogStore.erase`."""
        self._db.refuse_within("an erasure")
        try:
            return super().erase(session_id, version, change, note)
        except StoreFullError as error:
            raise StoreFullError(
                f"{self.place}: the disk is full, and an erasure needs some room for a"
                f" moment: free about {needed(self._db) >> 10:,} KiB, and erase again"
            ) from error

    @property
    def _traces(self) -> Traces:
        return _Files(self._db, self._index)

    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        return (
            damages(self._db, self._archive),
            index_damages(self._db, self._index, self._log),
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

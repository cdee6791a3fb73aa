"""The event store in one SQLite file, and its damage check."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from hud_runtime._location import MEMORY
from hud_runtime._progress import progress
from hud_runtime.log.events import Event
from hud_runtime.log.store._database import CheckpointResult, Database, checkpointed
from hud_runtime.log.store._erase import Change, Note, needed, purge
from hud_runtime.log.store._files import Archive, LogReader, archive_beside
from hud_runtime.log.store._log_store import Figure, LogStore, figures
from hud_runtime.log.store._protocol import Damage, Hit
from hud_runtime.log.store._rows import (
    COLUMNS,
    DELIVERY,
    SNAPSHOT,
    Engine,
    Row,
    StoreConnection,
    digest,
    is_sound,
)
from hud_runtime.log.store._search import TABLES, TOLD, SearchedEvent, SearchIndex, drop_tables

# The damage check: SQLite's own check, the digest of every row, gaps, the archive's files, and the
# search index.
#
# FTS5's check (sqlite.org/fts5.html, section 6.3) is a write statement, though it changes nothing.
# To check a store without a lock, or a read-only one, the index is copied into a temporary
# database.

TEXTS = ", ".join(
    f"CAST({name} AS BLOB)" if name in {"id", "session_id", "type", "actor", "payload"} else name
    for name in COLUMNS.split(", ")
)
"""The columns as raw bytes: invalid text must not stop the check."""


def damages(database: Database, archive: Archive) -> Iterator[Damage]:
    """Yield all damage of a store."""
    for (said,) in database.rows("PRAGMA integrity_check"):
        if said != "ok":
            yield Damage(None, None, f"SQLite: {said}")
    yield from log_damages(database, archive, TEXTS)


def log_damages(database: Engine, archive: Archive, columns: str = COLUMNS) -> Iterator[Damage]:
    """Yield the damage of the log: gaps, digests, the archive.

    :param columns: the columns, in a form that reads damaged rows.
    """
    yield from _gaps(_places(database, archive, columns.split(", ")[1]))
    yield from _rows(database, columns)
    yield from _volumes(archive)


def _places(database: Engine, archive: Archive, name: str) -> list[tuple[str, int, int]]:
    """Return all existing ranges of versions, session by session."""
    live = database.rows(f"SELECT {name}, version FROM hud_event")
    places = [
        (_text(session_id), version, version)
        for session_id, version in live
        if type(version) is int
    ]
    return sorted(
        [*places, *((one.session_id, one.first, one.last) for one in archive.everything())]
    )


def _gaps(places: Iterable[tuple[str, int, int]]) -> Iterator[Damage]:
    session_id, expected = None, 1
    for one, first, last in places:
        if one != session_id:
            session_id, expected = one, 1
        if first > expected:
            missing = f"version {expected} is" if first == expected + 1 else (
                f"versions {expected} to {first - 1} are"
            )  # fmt: skip
            yield Damage(one, first, f"{missing} missing")
        elif first < expected:
            yield Damage(one, first, f"version {first} is there twice")
        expected = last + 1


def _rows(database: Engine, columns: str) -> Iterator[Damage]:
    stored = _paged(database, f"SELECT position, {columns}, digest FROM hud_event")
    for _, *row, written in progress(stored, "comparing events with their digests"):
        if not _is_sound(row, written):
            version = row[2] if isinstance(row[2], int) else None
            yield Damage(_text(row[1]), version, "the row does not match its digest")


def _is_sound(row: list[object], written: object) -> bool:
    try:
        texts = tuple(one.decode() if isinstance(one, bytes) else one for one in row)
    except UnicodeDecodeError:
        return False
    return digest(texts) == written


def _text(raw: object) -> str:
    """Return a session's id in printable form, even if it is damaged."""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _volumes(archive: Archive) -> Iterator[Damage]:
    for volume in archive.everything():
        try:
            for line in progress(archive.lines(volume), "comparing archived events"):
                if not is_sound(line.row()):
                    yield Damage(
                        line.session_id,
                        line.version,
                        "the archived event does not match its digest",
                    )
        except StoreDamagedError as error:
            yield Damage(volume.session_id, volume.first, str(error))


PARTS = ("hud_search_texts", "hud_search_data", "hud_search_idx")
"""The tables of an index, FTS5's included (sqlite.org/fts5.html, section 9)."""


def index_damages(database: Database, index: SearchIndex, log: LogReader) -> Iterator[Damage]:
    """Yield the damage of the search index, if there is one."""
    try:
        with database.at_one_moment() as db:
            if index.reached() is None:
                return
            _check(db)
            fault = _fault(database, index, log)
    except (sqlite3.DatabaseError, StoreError) as error:
        fault = str(error)
    if fault:
        what = f"the search index is damaged: {fault}; a search makes it anew, or a repair"
        yield Damage(None, None, what, is_derived=True)


def _check(db: sqlite3.Connection) -> None:
    """Check a copy of the index where there is a place for one, else the index itself."""
    schema = "main"
    if any(name == "copy" for _, name, _ in db.execute("PRAGMA database_list")):
        schema = "copy"
        for name in ("hud_search_texts", "hud_search_words", "hud_search"):
            db.execute(TABLES[name].replace(f" {name}", f" copy.{name}", 1))
        for table in PARTS:
            db.execute(f"DELETE FROM copy.{table}")
            db.execute(f"INSERT INTO copy.{table} SELECT * FROM main.{table}")
    # With a rank, it is also compared with the texts.
    db.execute(f"INSERT INTO {schema}.hud_search (hud_search, rank) VALUES ('integrity-check', 1)")


def _fault(database: Database, index: SearchIndex, log: LogReader) -> str:
    """Return the difference between the index and the log; empty for none, or for a damaged log."""
    reached = index.reached() or 0
    database.rows("SELECT rowid FROM hud_search LIMIT 1")  # FTS5 checks its settings, too
    kept = _paged(database, f"SELECT position, {TOLD}, words FROM hud_search_texts")
    try:
        for position, event in progress(log.read_all(), "comparing events with the index"):
            entry = SearchedEvent.of(position, event) if position <= reached else None
            if entry is not None and next(kept, None) != entry.told():
                return f'it differs from event {event.version} of session "{event.session_id}"'
    except StoreDamagedError:
        return ""
    return "" if next(kept, None) is None else "it holds texts that are not an event's"


def _paged(database: Engine, query: str) -> Iterator[Row]:
    """Yield the rows of a query that begin with their position, in order, page by page."""
    after = -1
    while rows := database.rows(f"{query} WHERE position > ? ORDER BY position LIMIT 1000", after):
        yield from rows
        after = rows[-1][0]


APPEND = (
    f"INSERT INTO hud_event (position, {COLUMNS}, digest) VALUES (1 + max("
    "coalesce((SELECT max(position) FROM hud_event), 0),"
    " coalesce((SELECT max(position) FROM hud_tombstone), 0)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
"""Appends an event's row and its digest, at a position that was never used."""

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for a lock."""


class Parts(NamedTuple):
    """The parts of a store, for code that copies it."""

    database: Database
    archive: Archive


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
                db.executemany(APPEND, rows)
            except sqlite3.IntegrityError:
                self._refuse(session_id, expected_version, self.head(session_id).version)
                raise
            if rows:
                self._db.file.written((session_id, rows[-1][2], rows[-1][-1]))

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Lock out other writers; see :meth:`EventStore.exclusive`."""
        with self._db.writing(f'exclusive() of session "{session_id}"', has_parts=True):
            yield

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that contain all words of ``query``; see :meth:`EventStore.search`."""
        try:
            return self._index.find(query, session, limit, after)
        except (
            StoreReadOnlyError,
            StoreFullError,
        ):  # the index is outdated or damaged, and stays so
            return self._one_in_memory().find(query, session, limit, after)

    def archive(self, session_id: str) -> int:
        """Move the events before the last compaction to a compressed file beside the store."""
        self._db.refuse_within("archiving")
        return self._archive.move(session_id)

    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all data of these sessions, and rewrite the file once.

        Rows are overwritten, archive files deleted, the database rewritten, and the write-ahead log, which
        still has deleted data, is emptied. An interrupted purge is finished by any later one.

        Raises :class:`StoreLockedError` when another process uses the write-ahead log: then the sessions
        are gone, but their bytes remain.
        """
        self._db.refuse_within("a purge")
        return purge(self._db, self._archive, self._index, session_ids)

    def figures(self) -> tuple[Figure, ...]:
        """Return the amount of each kind of data, and its bound."""
        return figures(self._db, self._archive)

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

    def _drop_first(self) -> None:
        # A damaged index could keep the words, so it is not asked to remove them.
        self._index.drop()

    def _drop(self, db: StoreConnection, event: Event) -> None:
        drop_tables(db)  # a search may have rebuilt it

    def _write_anew(self) -> None:
        self._db.checkpoint()
        self._db.rewrite()
        self._db.empty_log("erase again")

    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        return (damages(self._db, self._archive), index_damages(self._db, self._index, self._log))

    def make_derived_anew(self) -> tuple[str, ...]:
        """Delete damaged derived data, which the log can rebuild, and return its names."""
        made: list[str] = []
        if any(index_damages(self._db, self._index, self._log)) or self._index.was_given_up():
            self._index.drop()
            made.append("search index")
        dropped = {
            "snapshots": SNAPSHOT.drop_damaged(self._db),
            "deliveries": DELIVERY.drop_damaged(self._db),
            "kept outputs, without those that are damaged": self.drop_damaged_outputs(),
        }
        return (*made, *(name for name, count in dropped.items() if count))

    def checkpoint(self) -> CheckpointResult:
        """Empty the write-ahead log; see :meth:`StoreKeeping.checkpoint`."""
        return checkpointed(self._db)

    def close(self) -> None:
        """Close the file. Closing twice is safe."""
        self._db.close()

    def _one_in_memory(self) -> SearchIndex:
        """Return an index in memory for a read-only store; a new one after each purge and erasure."""
        [(purged,)] = self._db.rows("SELECT count(*) FROM hud_tombstone")
        gone = purged + sum(each.recorded_at for each in self.erasures())
        if self._index_in_memory is None or self._index_in_memory[0] != gone:
            memory = Database(MEMORY, durable=False, busy_timeout=0)
            self._index_in_memory = gone, SearchIndex(memory, self._log)
        return self._index_in_memory[1]

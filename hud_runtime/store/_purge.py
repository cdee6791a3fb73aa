"""Purging: all that belongs to a session is deleted, and a tombstone says that its id is taken.

In the ordinary way that is one transaction. A full disk has no room for one: then the tombstone comes
first, by itself, next what frees whole files, and the rest goes in steps, each as large as the
write-ahead log that is there already. From the tombstone on, nobody sees the session any more, so it
does not matter how much of it is left; before it, nothing is deleted. A purge that was interrupted in
between is finished by another one, of whatever session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType

from hud_runtime._errors import StoreFullError
from hud_runtime.store._archive import Archive
from hud_runtime.store._database import Database
from hud_runtime.store._erasures import say_done
from hud_runtime.store._schema import PURGED
from hud_runtime.store._search import SearchIndex, drop_tables, give_up, is_given_up

TOMBSTONE = (
    "INSERT OR IGNORE INTO hud_tombstone (session_id, events, position)"
    " SELECT ?, (SELECT coalesce(max(version), 0) FROM hud_event WHERE session_id = ?),"
    " (SELECT coalesce(max(position), 0) FROM hud_event)"
)

COUNT = (
    "SELECT max(max(version), coalesce((SELECT events FROM hud_tombstone WHERE session_id = ?), 0))"
    " FROM hud_event WHERE session_id = ?"
)
"""The number of events that a session has, or had when its purge was begun."""

OWNED = ("hud_snapshot", "hud_delivery", "hud_output", "hud_event", "hud_archive", "hud_erasure")
"""The tables with rows of sessions."""

LAST_EVENT = (
    "DELETE FROM hud_event WHERE session_id = ?"
    " AND version = (SELECT max(version) FROM hud_event WHERE session_id = ?)"
)

OWN_STEPS: tuple[str, ...] = tuple(
    f"DELETE FROM {table} WHERE ({key}) IN"
    f" (SELECT {key} FROM {table} WHERE session_id IN ({PURGED}) LIMIT ?)"
    for table, key in (
        ("hud_archive", "file"),
        ("hud_event", "position"),
        ("hud_snapshot", "session_id, projection, revision, version"),
        ("hud_delivery", "session_id, reader, id"),
        ("hud_erasure", "session_id, version"),
        ("hud_output", "number"),
    )
)
"""The rows that are deleted one by one: all that have a tombstone, so that a purge finishes any other one, too."""

INDEX_STEPS: Mapping[str, str] = MappingProxyType(
    {
        table: f"DELETE FROM {table} WHERE {key} IN"
        f" (SELECT {key} FROM {table} WHERE {key} > {kept} LIMIT ?)"
        for table, key, kept in (
            ("hud_search_texts", "position", 0),
            ("hud_search_content", "id", 0),
            ("hud_search_data", "id", 10),
            ("hud_search_docsize", "id", 0),
        )
    }
)
"""The same for the tables of the index, as far as they are there: the texts, and those that FTS5 keeps under these
names (sqlite.org/fts5.html, section 9), of which two are an older layout's.

The first ten rows of its data are numbers alone, and FTS5 drops no index that lacks them.
"""

ROOM = 2**16
"""Bytes that the smallest steps take in the write-ahead log."""

FRAME = 24
"""Bytes before each page in the write-ahead log (sqlite.org/walformat.html, section 2.2)."""

LARGEST_STEP = 256
"""Rows that are deleted at once; half as many where there is no room for that."""


def purge(
    database: Database, archive: Archive, index: SearchIndex, session_ids: Sequence[str]
) -> dict[str, int]:
    """Delete all that belongs to sessions; see :meth:`EventStore.purge`."""
    with database.alone():
        events = {
            each: int(count or 0)
            for each in session_ids
            for (count,) in database.rows(COUNT, each, each)
        }
        # First, while there is room: what it copies is not in the way of what comes.
        database.checkpoint()
        try:
            try:
                _at_once(database, index, session_ids)
            except StoreFullError:
                _in_steps(database, archive, index, session_ids)
            archive.sweep()
            # SQLite overwrites what it deletes, but not the copies that it left in the unused parts
            # of pages when it moved rows from one to another.
            database.checkpoint()
            database.rewrite()
            database.empty_log()
            say_done(database)
        except StoreFullError as error:
            raise StoreFullError(
                f"{database.place}: the disk is full, and a purge needs some room for a moment:"
                f" free about {needed(database) >> 10:,} KiB, and purge again"
            ) from error
    return events


def _at_once(database: Database, index: SearchIndex, session_ids: Sequence[str]) -> None:
    """Delete everything in one transaction."""
    # The index is not to be trusted with taking words out of itself: what is damaged in it would keep
    # them. The log makes it anew.
    index.drop()
    with database.writing() as db:
        db.executemany(TOMBSTONE, [(each, each) for each in session_ids])
        for table in OWNED:
            db.execute(f"DELETE FROM {table} WHERE session_id IN ({PURGED})")
        drop_tables(db)  # again: somebody may have searched since


def _in_steps(
    database: Database, archive: Archive, index: SearchIndex, session_ids: Sequence[str]
) -> None:
    """Delete everything in pieces that need no new room, or as little as there is."""
    archive.sweep()
    for session_id in session_ids:
        _bury(database, session_id)
    archive.sweep()  # whole files: there is more room from here
    for statement in OWN_STEPS:
        _all_of(database, statement)
    for table, statement in INDEX_STEPS.items():
        _all_of(database, statement, only_if=partial(_is_given_up, table=table))
    with _in_room(database) as db:
        is_old = _is_given_up(db, table="hud_search")
    if is_old:
        index.drop()  # what is left of it is a few pages


def _bury(database: Database, session_id: str) -> None:
    """Put up the tombstone, without which nothing may be deleted; all of it is a few pages.

    The last event goes with it, so that nobody who has the session open appends another one; and the
    index, which has the session's words, is not asked again.
    """
    with _in_room(database) as db:
        if db.execute(TOMBSTONE, (session_id, session_id)).rowcount:
            db.execute(LAST_EVENT, (session_id, session_id))
            give_up(db)


def _all_of(
    database: Database,
    statement: str,
    only_if: Callable[[sqlite3.Connection], bool] = lambda _db: True,
) -> None:
    """Delete in steps, as large as there is room for, until nothing is left."""
    count, deleted = LARGEST_STEP, 1
    while deleted:
        try:
            with _in_room(database) as db:
                deleted = db.execute(statement, (count,)).rowcount if only_if(db) else 0
        except StoreFullError:
            if count == 1:
                raise
            count //= 2


@contextmanager
def _in_room(database: Database) -> Generator[sqlite3.Connection]:
    """Write in a transaction that has as much room as can be had without any more of the disk.

    A checkpoint lets the write-ahead log begin anew in the room that its file has already.
    """
    database.checkpoint()
    with database.writing("a purge") as db:
        yield db


def needed(database: Database) -> int:
    """Return how many bytes the files grow by, at most.

    The database does when the write-ahead log is copied into it, and the log when it is written anew.
    """
    if database.path is None:
        return ROOM
    pages, unused, size = (
        int(database.rows(f"PRAGMA {name}")[0][0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    log = database.path.with_name(f"{database.path.name}-wal")
    files = (database.path, pages * size), (log, (pages - unused) * (size + FRAME))
    return ROOM + sum(max(needed - file.stat().st_size, 0) for file, needed in files)


def _is_given_up(db: sqlite3.Connection, table: str) -> bool:
    """Tell whether a table is there, of an index that nobody asks any more; a new one has nothing of the session."""
    found = db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    return found is not None and is_given_up(db)

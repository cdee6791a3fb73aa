"""Purging: all that belongs to a session is deleted, and a tombstone says that its id is taken.

In the ordinary way that is one transaction. A full disk has no room for one: then the tombstone comes
first, next what frees whole files, and the rest goes in steps, each as large as the write-ahead log
that is there already. A purge that was interrupted in between is finished by another one.
"""

from __future__ import annotations

from hud_runtime._errors import StoreFullError
from hud_runtime.store._alone import alone
from hud_runtime.store._archive import Archive
from hud_runtime.store._database import Database
from hud_runtime.store._search import SearchIndex, drop_tables

TOMBSTONE = (
    "INSERT OR IGNORE INTO hud_tombstone (session_id, events, position)"
    " SELECT ?1, (SELECT coalesce(max(version), 0) FROM hud_event WHERE session_id = ?1),"
    " (SELECT coalesce(max(position), 0) FROM hud_event)"
)

OWNED = ("hud_snapshot", "hud_event", "hud_archive")
"""The tables with rows of sessions."""

EVENTS = (
    "DELETE FROM hud_event WHERE position IN (SELECT position FROM hud_event"
    " WHERE session_id = ?1 ORDER BY version DESC LIMIT ?2)"
)

SNAPSHOTS = (
    "DELETE FROM hud_snapshot WHERE session_id = ?1 AND (projection, revision, version) IN"
    " (SELECT projection, revision, version FROM hud_snapshot WHERE session_id = ?1 LIMIT ?2)"
)

STEPS: tuple[str, ...] = (
    EVENTS,
    SNAPSHOTS,
    *(
        f"DELETE FROM hud_search_{part} WHERE id IN (SELECT id FROM hud_search_{part} LIMIT ?2)"  # noqa: S608
        for part in ("content", "data", "docsize")
    ),
)
"""What is deleted row by row: a session's events, the last first, its snapshots, and the index, whose
tables FTS5 keeps under these names (sqlite.org/fts5.html, section 9)."""

ROOM = 2**16
"""Bytes that the smallest steps take in the write-ahead log."""

LARGEST_STEP = 256
"""Rows that are deleted at once; half as many where there is no room for that."""


def purge(database: Database, archive: Archive, index: SearchIndex, session_id: str) -> int:
    """Delete all that belongs to a session; see :meth:`EventStore.purge`."""
    with alone(database.path, database.busy_timeout):
        [(events,)] = database.rows(
            "SELECT coalesce(max(version), 0) FROM hud_event WHERE session_id = ?", session_id
        )
        # First, while there is room: what it copies is not in the way of what comes.
        database.checkpoint()
        try:
            try:
                # The index is not to be trusted with taking words out of itself: what is damaged in
                # it would keep them. The log makes it anew.
                index.drop()
                _at_once(database, session_id)
            except StoreFullError:
                _in_steps(database, archive, index, session_id)
            archive.sweep()
            database.empty_log()
        except StoreFullError as error:
            raise StoreFullError(
                f"{database.place}: the disk is full, and a purge needs some room for a moment:"
                f" free about {_needed(database) >> 10:,} KiB, and purge again"
            ) from error
    return int(events)


def _at_once(database: Database, session_id: str) -> None:
    """Delete everything in one transaction."""
    with database.writing() as db:
        db.execute(TOMBSTONE, (session_id,))
        for table in OWNED:
            db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))  # noqa: S608
        drop_tables(db)  # again: somebody may have searched since


def _in_steps(database: Database, archive: Archive, index: SearchIndex, session_id: str) -> None:
    """Delete everything in pieces that need no new room, or as little as there is.

    A checkpoint lets the write-ahead log begin anew in the room that its file has already.
    """
    archive.sweep()
    try:
        _step(database, TOMBSTONE, session_id)
    except StoreFullError:
        # Not even for that. The files are to go anyway; if this is interrupted, the session has
        # lost its past, and is still to be purged.
        for volume in archive.of_session(session_id):
            archive.shelf.drop(volume.file)
        _step(database, TOMBSTONE, session_id)
    _step(database, "DELETE FROM hud_archive WHERE session_id = ?1", session_id)
    archive.sweep()  # whole files
    for statement in STEPS:
        if "hud_search" in statement and not _has_index(database):
            continue
        count = LARGEST_STEP
        while count:
            try:
                while _step(database, statement, session_id, count):
                    pass
                break
            except StoreFullError:
                if count == 1:
                    raise
                count //= 2
    index.drop()  # SQLite may not know it any more without its rows


def _step(database: Database, statement: str, *values: object) -> int:
    """Do a step in a transaction of its own, and return how many rows were deleted."""
    database.checkpoint()
    with database.writing() as db:
        given = values[: 2 if "?2" in statement else 1]
        return db.execute(statement, given).rowcount


def _needed(database: Database) -> int:
    """Return how many bytes the file grows by when the write-ahead log is copied into it."""
    [(pages,)], [(size,)] = database.rows("PRAGMA page_count"), database.rows("PRAGMA page_size")
    there = 0 if database.path is None else database.path.stat().st_size
    return max(int(pages * size) - there, 0) + ROOM


def _has_index(database: Database) -> bool:
    return bool(database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'hud_search_data'"))

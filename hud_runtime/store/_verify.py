"""Looking for damage: SQLite's own check, the digest of every row, gaps, the archive's files, and the
search index.

FTS5's check (sqlite.org/fts5.html, section 6.3) is a statement that writes, though it changes nothing.
So that a store can be looked into without a lock, and where it cannot be written, the index is copied
into a temporary database and checked there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime._watched import watched
from hud_runtime.store._archive import Archive
from hud_runtime.store._database import Database
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._hits import TOLD, Entry
from hud_runtime.store._protocol import Damage
from hud_runtime.store._reader import LogReader
from hud_runtime.store._rows import COLUMNS, digest
from hud_runtime.store._search import TABLES, SearchIndex

TEXTS = ", ".join(
    f"CAST({name} AS BLOB)" if name in {"id", "session_id", "type", "actor", "payload"} else name
    for name in COLUMNS.split(", ")
)
"""The columns as they lie on the disk: bytes that are no text any more must not stop the search."""


def damages(database: Database, archive: Archive) -> Iterator[Damage]:
    """Yield what is not as it was written."""
    for (said,) in database.rows("PRAGMA integrity_check"):
        if said != "ok":
            yield Damage(None, None, f"SQLite: {said}")
    yield from log_damages(database, archive, TEXTS)


def log_damages(database: Engine, archive: Archive, columns: str = COLUMNS) -> Iterator[Damage]:
    """Yield what of the log is not as it was written: gaps, digests, the archive.

    :param columns: the columns, as they are read of rows that may be damaged.
    """
    yield from _gaps(_places(database, archive, columns.split(", ")[1]))
    yield from _rows(database, columns)
    yield from _volumes(archive)


def _places(database: Engine, archive: Archive, name: str) -> list[tuple[str, int, int]]:
    """Return every stretch of versions that is somewhere, session by session."""
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
    stored = _stored(database, columns)
    for *row, written, _ in watched(stored, "comparing events with their digests"):
        if not _is_sound(row, written):
            version = row[2] if isinstance(row[2], int) else None
            yield Damage(_text(row[1]), version, "the row does not match its digest")


def _stored(database: Engine, columns: str) -> Iterator[Row]:
    query = f"SELECT {columns}, digest, position FROM hud_event WHERE position > ?"
    after = -1
    while rows := database.rows(f"{query} ORDER BY position LIMIT 1000", after):
        yield from rows
        after = rows[-1][-1]


def _is_sound(row: list[object], written: object) -> bool:
    try:
        texts = tuple(one.decode() if isinstance(one, bytes) else one for one in row)
    except UnicodeDecodeError:
        return False
    return digest(texts) == written


def _text(raw: object) -> str:
    """Return a session's id as it can be told, whatever a disk has made of it."""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _volumes(archive: Archive) -> Iterator[Damage]:
    for volume in archive.everything():
        try:
            for line in watched(archive.lines(volume), "comparing archived events"):
                *row, written = line.row()
                if digest(tuple(row)) != written:
                    yield Damage(
                        line.session_id,
                        line.version,
                        "the archived event does not match its digest",
                    )
        except StoreDamagedError as error:
            yield Damage(volume.session_id, volume.first, str(error))


PARTS = ("hud_search_texts", "hud_search_data", "hud_search_idx")
"""The tables that an index is kept in, with those of FTS5 (sqlite.org/fts5.html, section 9)."""


def index_damages(database: Database, index: SearchIndex, log: LogReader) -> Iterator[Damage]:
    """Yield what is wrong with the search index, if it was made."""
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
    """Check the index: a copy of it where there is a place for one, else the index itself."""
    schema = "main"
    if any(name == "copy" for _, name, _ in db.execute("PRAGMA database_list")):
        schema = "copy"
        for name in ("hud_search_texts", "hud_search_words", "hud_search"):
            db.execute(TABLES[name].replace(f" {name}", f" copy.{name}", 1))
        for table in PARTS:
            db.execute(f"DELETE FROM copy.{table}")
            db.execute(f"INSERT INTO copy.{table} SELECT * FROM main.{table}")
    # With a rank, it is compared with the texts, too.
    db.execute(f"INSERT INTO {schema}.hud_search (hud_search, rank) VALUES ('integrity-check', 1)")


def _fault(database: Database, index: SearchIndex, log: LogReader) -> str:
    """Return in what the index differs from the log; nothing if it does not, or the log is damaged."""
    reached = index.reached() or 0
    database.rows("SELECT rowid FROM hud_search LIMIT 1")  # FTS5 looks at its settings, too
    kept = _kept(database)
    try:
        for position, event in watched(log.read_all(), "comparing events with the index"):
            entry = Entry.of(position, event) if position <= reached else None
            if entry is not None and next(kept, None) != entry.told():
                return f'it differs from event {event.version} of session "{event.session_id}"'
    except StoreDamagedError:
        return ""
    return "" if next(kept, None) is None else "it holds texts that are no event's"


def _kept(database: Database) -> Iterator[Row]:
    """Yield what the index holds of each event, in order."""
    query = f"SELECT position, {TOLD}, words FROM hud_search_texts WHERE position > ?"
    after = -1
    while rows := database.rows(f"{query} ORDER BY position LIMIT 1000", after):
        yield from rows
        after = rows[-1][0]

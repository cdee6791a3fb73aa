"""Erasing and purging: texts are deleted from all files, and a record of that remains."""

from __future__ import annotations

import json
import sqlite3
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import TypeAlias

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError, StoreFullError
from hud_runtime.log.events import PAYLOADS, Event
from hud_runtime.log.secrets import Place, place_name, replaced
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._files import Archive, ArchiveLine, LogReader, Volume
from hud_runtime.log.store._protocol import EventIds
from hud_runtime.log.store._rows import (
    COLUMNS,
    ERASURE,
    OF_SESSION,
    OWNED,
    PURGED,
    Engine,
    Row,
    StoreConnection,
    digest,
    from_row,
    to_row,
    verified,
)
from hud_runtime.log.store._search import SearchIndex, drop_tables, give_up, is_given_up

# The table of erasures: the events that lost their texts, and data that must not be stored
# afterwards.
#
# A process that does not know of an erasure yet may save older data, a snapshot or a delivery. It
# is refused from then on.


def erased_words(version: int) -> Iterator[str]:
    """Yield marks to replace an event's texts, each different.

    A section without duplicates would merge items with equal texts.

    >>> words = erased_words(12)
    >>> next(words), next(words)
    ('[erased 12]', '[erased 12.2]')
    """
    yield f"[erased {version}]"
    yield from (f"[erased {version}.{number}]" for number in count(2))


@dataclass(frozen=True, slots=True)
class Erasure:
    """An event whose texts were erased: a row of ``hud_erasure``."""

    session_id: str
    version: int
    """The event's version."""
    recorded_at: int
    """The version of the event that records the erasure."""
    fields: tuple[str, ...]
    """The fields of the erased texts."""
    erased_at: int
    """The time of the erasure, in seconds since the epoch."""
    is_done: bool
    """True if no file has their bytes any more."""


OF_THE_REST = f"WHERE session_id NOT IN ({PURGED}) ORDER BY {ERASURE.key}"
"""Selects the erasures of sessions that were not purged."""

KNOWS = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND recorded_at > ?)"
"""Tests that the owner of a version has seen all erasures of its session."""

SNAPSHOT_HAS_NONE = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND version <= ? AND recorded_at > ?)"
"""Tests that a state as of a version has no text that was erased later."""


def erasures(database: Engine) -> list[Erasure]:
    """Return a store's erasures, except for purged sessions."""
    return [erasure_of(row) for row in ERASURE.rows(database, OF_THE_REST)]


def erasures_in(db: sqlite3.Connection) -> Iterator[Erasure]:
    """Yield the readable erasures of a store with any layout."""
    try:
        query = f"SELECT {ERASURE.columns} FROM {ERASURE.name} {OF_THE_REST}"
        for row in db.execute(query).fetchall():
            yield erasure_of(row)
    except (sqlite3.DatabaseError, ValueError):
        return


def erasure_of(row: Row) -> Erasure:
    """Return the erasure of a row. Raises ValueError or TypeError for a damaged one."""
    session_id, version, recorded_at, fields, erased_at, is_done = row
    names = tuple(map(str, json.loads(fields)))
    return Erasure(session_id, version, recorded_at, names, erased_at, bool(is_done))


def without(payload: str, version: int, fields: Collection[str]) -> str:
    """Return an event's payload without the texts at these places.

    >>> without('{"content":"Ann","id":"n-2"}', 2, ["content"])
    '{"content":"[erased 2]","id":"n-2"}'
    """
    words = erased_words(version)

    def left(place: Place, text: str) -> str:
        return next(words) if place_name(place) in fields else text

    return as_json(replaced(json.loads(payload), left))


def as_json(data: object) -> str:
    """Return data in the format of stored payloads.

    >>> as_json({"content": "é"})
    '{"content":"é"}'
    """
    return msgspec.json.encode(data).decode()


def is_unfinished(database: Engine) -> bool:
    """Tell whether files may still have bytes of erased texts."""
    return any(not each.is_done for each in erasures(database))


def say_done(database: Engine) -> None:
    """Record that no bytes of erased texts remain: the files were rewritten."""
    if is_unfinished(database):
        with database.writing("an erasure") as db:
            db.execute("UPDATE hud_erasure SET is_done = 1 WHERE is_done = 0")


TYPE, PAYLOAD = 3, 8
"""Places among :data:`COLUMNS`."""

Change: TypeAlias = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""Takes an event's type and its payload as JSON; returns the payload without the texts, and their places."""

Note: TypeAlias = Callable[[int, int, tuple[str, ...]], Event]
"""Takes the last version and turn of a session and the texts' places; returns the event that records the erasure."""


ADD = ERASURE.adding(
    "WHERE TRUE ON CONFLICT (session_id, version) DO UPDATE SET recorded_at = excluded.recorded_at,"
    " fields = excluded.fields, erased_at = excluded.erased_at, is_done = excluded.is_done"
)
"""Adds an erasure, or reopens one."""

LAST = "SELECT version, turn FROM hud_event WHERE session_id = ? ORDER BY version DESC LIMIT 1"


class ErasedTexts:
    """Erases texts of a store's events, and records the erasures in the table ``hud_erasure``."""

    _db: Engine
    _archive: Archive

    @abstractmethod
    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Row]) -> None:
        """Append events as rows of ``_rows.COLUMNS`` with their digests."""

    def _drop_first(self) -> None:
        """Drop derived texts that need their own transaction, if any, before an event is changed."""

    @abstractmethod
    def _drop(self, db: StoreConnection, event: Event) -> None:
        """Drop an event's derived texts; ``event`` is already without its texts."""

    def _write_anew(self) -> None:
        """Rewrite all files, so that dropped data is in none of them; a server does so itself."""

    def erasures(self) -> list[Erasure]:
        """Return the erasures, by session and version."""
        return erasures(self._db)

    @tried_again
    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event from log, archive, index and snapshots; return their places.

        ``change`` returns the payload without them, ``note`` the event that records the erasure.

        Raises :class:`EventError` for an unknown event; :class:`StoreLockedError` when another process uses
        the files: then no search finds the texts, but their bytes remain.
        """
        with self._db.alone():
            row, volume = self._there(session_id, version)
            payload, fields = change(row[TYPE], row[PAYLOAD])
            if fields:
                self._change(row, volume, payload, fields, note)
            if fields or is_unfinished(self._db):
                self._archive.sweep()
                self._write_anew()
                say_done(self._db)
        return fields

    def _there(self, session_id: str, version: int) -> tuple[Row, Volume | None]:
        """Return an event's row, and its archive file, if archived."""
        rows = self._db.rows(
            f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version = ?",
            *(session_id, session_id, version),
        )
        if rows:
            return verified(rows[0]), None
        volume = self._archive.volume(session_id, version)
        for line in self._archive.lines(volume) if volume is not None else ():
            if line.version == version:
                return verified(line.row()), volume
        raise EventError(f'there is no event {version} in session "{session_id}"')

    def _change(
        self, row: Row, volume: Volume | None, payload: str, fields: tuple[str, ...], note: Note
    ) -> None:
        session_id, version = row[1], row[2]
        row = (*row[:PAYLOAD], payload)
        row = (*row, digest(row))
        self._archive.sweep()
        made = None if volume is None else _without(self._archive, volume, row)
        before = {(each.session_id, each.version): each.fields for each in self.erasures()}
        names = tuple(dict.fromkeys((*before.get((session_id, version), ()), *fields)))
        self._drop_first()
        with self._db.writing("an erasure", has_parts=True) as db:
            [(last, turn)] = db.execute(LAST, (session_id,))
            told = note(last, turn, fields)
            now = int(time.time())
            db.execute(ADD, (session_id, version, told.version, json.dumps(names), now, 0))
            if made is None or volume is None:
                change = "UPDATE hud_event SET payload = ?, digest = ? WHERE session_id = ?"
                db.execute(f"{change} AND version = ?", (payload, row[-1], session_id, version))
            else:
                db.execute(
                    "UPDATE hud_archive SET file = ?, sha256 = ? WHERE file = ?",
                    (made.file, made.sha256, volume.file),
                )
            self.append_rows(session_id, last, [to_row(told)])
            _drop_derived(db, session_id, version)
            self._drop(db, from_row(row))

    def erase_again(self, done: Iterable[Erasure]) -> None:
        """Repeat the erasures of the store that this one is a copy of; missing events are skipped."""
        known = {(each.session_id, each.version) for each in self.erasures()}
        for one in done:
            if (one.session_id, one.version) in known:
                continue

            def change(_type: str, payload: str, one: Erasure = one) -> tuple[str, tuple[str, ...]]:
                left = without(payload, one.version, one.fields)
                return left, () if left == payload else one.fields

            def note(last: int, turn: int, names: tuple[str, ...], one: Erasure = one) -> Event:
                now = 1_000 * one.erased_at
                said = {"version": one.version, "fields": names}
                stamp = EventIds(lambda: now).next(), one.session_id, last, turn, now
                return PAYLOADS.of_store("event.erase", said, stamp)

            with suppress(EventError):
                self.erase(one.session_id, one.version, change, note)


def _without(archive: Archive, volume: Volume, row: Row) -> Volume:
    """Rewrite a volume's file with a new row for one event."""
    return archive.put(
        [
            ArchiveLine.of(line.position, row) if line.version == row[2] else line
            for line in archive.lines(volume)
        ]
    )


def _drop_derived(db: StoreConnection, session_id: str, version: int) -> None:
    db.execute(
        "DELETE FROM hud_snapshot WHERE session_id = ? AND version >= ?", (session_id, version)
    )
    db.execute("DELETE FROM hud_delivery WHERE session_id = ?", (session_id,))


SHORTEST, MOST = 12, 64
"""The shortest text, in characters, that is searched for elsewhere, and the number of texts that are."""


def saying(log: LogReader, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the events that contain one of the texts; only the longest :data:`MOST` are searched for."""
    wanted = sorted({each for each in texts if len(each) >= SHORTEST}, key=len)[-MOST:]
    if not wanted:
        return ()
    sought = [as_json(each)[1:-1] for each in wanted]
    found: list[tuple[str, int]] = []
    for _, event in log.read_all():
        payload = str(to_row(event)[PAYLOAD])
        if any(each in payload for each in sought):
            found.append((event.session_id, event.version))
    return tuple(found)


# Purging: a session's data is deleted, and a tombstone reserves its id.
#
# Normally that is one transaction. A full disk has no room for one: then the tombstone is written
# first, alone; whole files are freed next; the rest is deleted in steps that fit the existing
# write-ahead log. From the tombstone on, no reader sees the session, so remaining parts do no harm;
# before it, nothing is deleted. Any later purge finishes an interrupted one.

BURY = (
    "INSERT OR IGNORE INTO hud_tombstone (session_id, events, position)"
    " SELECT ?, (SELECT coalesce(max(version), 0) FROM hud_event WHERE session_id = ?),"
    " (SELECT coalesce(max(position), 0) FROM hud_event)"
)

COUNT = (
    "SELECT max(max(version), coalesce((SELECT events FROM hud_tombstone WHERE session_id = ?), 0))"
    " FROM hud_event WHERE session_id = ?"
)
"""The number of a session's events, or that before its purge began."""

LAST_EVENT = (
    "DELETE FROM hud_event WHERE session_id = ?"
    " AND version = (SELECT max(version) FROM hud_event WHERE session_id = ?)"
)

OWN_STEPS: tuple[str, ...] = tuple(
    f"DELETE FROM {one.name} WHERE ({one.key}) IN"
    f" (SELECT {one.key} FROM {one.name} WHERE session_id IN ({PURGED}) LIMIT ?)"
    for one in OWNED
)
"""The deletions in steps: rows of all sessions with a tombstone, so that a purge also finishes earlier ones."""

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
"""The same for existing tables of the index: the texts, and FTS5's tables of these names
(sqlite.org/fts5.html, section 9), two of them of an older layout.

Its first ten rows of data hold only numbers, and FTS5 cannot drop an index without them.
"""

ROOM = 2**16
"""Bytes of the write-ahead log that the smallest step needs."""

FRAME = 24
"""Bytes before each page in the write-ahead log (sqlite.org/walformat.html, section 2.2)."""

LARGEST_STEP = 256
"""Rows deleted at once; halved where there is no room."""


def purge(
    database: Database, archive: Archive, index: SearchIndex, session_ids: Sequence[str]
) -> dict[str, int]:
    """Delete all data of sessions; see :meth:`EventStore.purge`."""
    with database.alone():
        events = {
            each: int(count or 0)
            for each in session_ids
            for (count,) in database.rows(COUNT, each, each)
        }
        # First, while there is room: it shrinks the later steps' needs.
        database.checkpoint()
        try:
            try:
                _at_once(database, index, session_ids)
            except StoreFullError:
                _in_steps(database, archive, index, session_ids)
            archive.sweep()
            # SQLite overwrites deleted rows, but not copies of them in unused parts of pages, left
            # from moving rows between pages.
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
    # A damaged index might keep words when asked to delete them, so it is dropped, and rebuilt from
    # the log.
    index.drop()
    with database.writing() as db:
        db.executemany(BURY, [(each, each) for each in session_ids])
        for table in OWNED:
            db.execute(f"DELETE FROM {table.name} WHERE session_id IN ({PURGED})")
        drop_tables(db)  # again: a search may have rebuilt it


def _in_steps(
    database: Database, archive: Archive, index: SearchIndex, session_ids: Sequence[str]
) -> None:
    """Delete everything in steps that need no new room, or as little as possible."""
    archive.sweep()
    for session_id in session_ids:
        _bury(database, session_id)
    archive.sweep()  # frees whole files first
    for statement in OWN_STEPS:
        _all_of(database, statement)
    for table, statement in INDEX_STEPS.items():
        _all_of(database, statement, only_if=partial(_is_given_up, table=table))
    with _in_room(database) as db:
        is_old = _is_given_up(db, table="hud_search")
    if is_old:
        index.drop()  # only a few pages of it are left


def _bury(database: Database, session_id: str) -> None:
    """Write the tombstone, which every deletion requires, in a few pages.

    The last event is deleted with it, so that open sessions cannot append; and the index, which has the
    session's words, is disabled.
    """
    with _in_room(database) as db:
        if db.execute(BURY, (session_id, session_id)).rowcount:
            db.execute(LAST_EVENT, (session_id, session_id))
            give_up(db)


def _all_of(
    database: Database,
    statement: str,
    only_if: Callable[[sqlite3.Connection], bool] = lambda _db: True,
) -> None:
    """Delete in steps as large as the room allows, until nothing is left."""
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
    """Write in a transaction that uses existing room in the write-ahead log.

    A checkpoint lets the log restart in its own file.
    """
    database.checkpoint()
    with database.writing("a purge") as db:
        yield db


def needed(database: Database) -> int:
    """Return the bytes by which the files grow, at most.

    The database grows when the write-ahead log is copied into it, the log when it is rewritten.
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
    """Tell whether a table belongs to a disabled index; a new index has nothing of the session."""
    found = db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    return found is not None and is_given_up(db)

"""Erasing and purging: texts go from wherever they are, and a tombstone says so."""

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
    OF_SESSION,
    PURGED,
    WITH_ERASURES,
    Engine,
    Row,
    StoreConnection,
    digest,
    from_row,
    to_row,
    verified,
)
from hud_runtime.log.store._search import SearchIndex, drop_tables, give_up, is_given_up

# The table of erasures: which events lost their texts, and what must not come after them.
#
# A process that has not heard of an erasure yet may still save what it knew before: a snapshot, a delivery.
# Neither is taken from then on.


def erased_words(version: int) -> Iterator[str]:
    """Yield what stands in the places of an event's texts: of two items no two say the same.

    Equal texts would be one item where a section takes no text twice.

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
    """The event's."""
    recorded_at: int
    """The version of the event that tells of it."""
    fields: tuple[str, ...]
    """The fields in which the texts stood."""
    erased_at: int
    """The time of the erasure, in seconds since the epoch."""
    is_done: bool
    """Whether nothing of them is left in any file."""


LIST = (
    "SELECT session_id, version, recorded_at, fields, erased_at, is_done FROM hud_erasure"
    f" WHERE session_id NOT IN ({PURGED}) ORDER BY session_id, version"
)

KNOWS = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND recorded_at > ?)"
"""Tells whether who is at a version of a session knows of all its erasures."""

SNAPSHOT_HAS_NONE = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND version <= ? AND recorded_at > ?)"
"""Tells whether a state as of a version holds no text that was erased later on."""


def erasures(database: Engine) -> list[Erasure]:
    """Return what was erased in a store; those of purged sessions apart."""
    if database.layout < WITH_ERASURES:
        return []
    return [_erasure(row) for row in database.rows(LIST)]


def erasures_in(db: sqlite3.Connection) -> Iterator[Erasure]:
    """Yield what was erased in a store, as far as it can be read, of whatever layout."""
    try:
        for row in db.execute(LIST).fetchall():
            yield _erasure(row)
    except (sqlite3.DatabaseError, ValueError):
        return


def _erasure(row: Row) -> Erasure:
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
    """Return data as payloads are stored.

    >>> as_json({"content": "é"})
    '{"content":"é"}'
    """
    return msgspec.json.encode(data).decode()


def is_unfinished(database: Engine) -> bool:
    """Tell whether bytes of what was erased may still be in the files."""
    return any(not each.is_done for each in erasures(database))


def say_done(database: Engine) -> None:
    """Say that no byte of what was erased is left: the files were written anew."""
    if is_unfinished(database):
        with database.writing("an erasure") as db:
            db.execute("UPDATE hud_erasure SET is_done = 1 WHERE is_done = 0")


TYPE, PAYLOAD = 3, 8
"""Places among :data:`COLUMNS`."""

Change: TypeAlias = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""The type of an event and its payload as JSON in; the payload without the texts and where they stood out."""

Note: TypeAlias = Callable[[int, int, tuple[str, ...]], Event]
"""The last version and turn of a session and where texts stood in; the event that tells of it out."""


ADD = (
    "INSERT INTO hud_erasure (session_id, version, recorded_at, fields, erased_at)"
    " VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, version) DO UPDATE SET"
    " recorded_at = excluded.recorded_at, fields = excluded.fields,"
    " erased_at = excluded.erased_at, is_done = 0"
)
"""Opens an erasure, or opens one again."""

LAST = "SELECT version, turn FROM hud_event WHERE session_id = ? ORDER BY version DESC LIMIT 1"


class ErasedTexts:
    """Erases texts of events in a store, and knows what was erased: the table ``hud_erasure``."""

    _db: Engine
    _archive: Archive

    @abstractmethod
    def _drop_first(self) -> None:
        """Drop what is kept of texts beside the log and can only be dropped by itself, before an event is changed."""

    @abstractmethod
    def _drop(self, db: StoreConnection, event: Event) -> None:
        """Drop what is kept beside the log of an event, which is given as it is without its texts."""

    @abstractmethod
    def _write_anew(self) -> None:
        """Write everything anew, so that what was dropped is in no file any more."""

    def erasures(self) -> list[Erasure]:
        """Return what was erased, by session and version."""
        return erasures(self._db)

    @tried_again
    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event from log, archive, index and snapshots; return where they stood.

        ``change`` says what the payload is without them, ``note`` makes the event that tells of it.

        Raises :class:`EventError` for an event that is not there; :class:`StoreLockedError` when another
        process keeps the files in use: then nobody finds the texts, but their bytes are there.
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
        """Return an event's row, and the archive file that it is in, if it is in one."""
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
        with self._db.writing("an erasure") as db:
            [(last, turn)] = db.execute(LAST, (session_id,))
            told = note(last, turn, fields)
            now = int(time.time())
            db.execute(ADD, (session_id, version, told.version, json.dumps(names), now))
            if made is None or volume is None:
                change = "UPDATE hud_event SET payload = ?, digest = ? WHERE session_id = ?"
                db.execute(f"{change} AND version = ?", (payload, row[-1], session_id, version))
            else:
                db.execute(
                    "UPDATE hud_archive SET file = ?, sha256 = ? WHERE file = ?",
                    (made.file, made.sha256, volume.file),
                )
            db.execute(self._db.statements.append, to_row(told))
            _drop_derived(db, session_id, version)
            self._drop(db, from_row(row))

    def erase_again(self, done: Iterable[Erasure]) -> None:
        """Erase what was erased in the store that this one is a copy of; what is not here is passed over."""
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
    """Write the file of a volume anew, with a row in the place of the event with its version."""
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
"""Characters below which a text is no news where it stands again, and how many texts are looked for."""


def saying(log: LogReader, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the events that say one of the texts, of many the longest :data:`MOST`."""
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


# Purging: all that belongs to a session is deleted, and a tombstone says that its id is taken.
#
# In the ordinary way that is one transaction. A full disk has no room for one: then the tombstone comes
# first, by itself, next what frees whole files, and the rest goes in steps, each as large as the
# write-ahead log that is there already. From the tombstone on, nobody sees the session any more, so it
# does not matter how much of it is left; before it, nothing is deleted. A purge that was interrupted in
# between is finished by another one, of whatever session.

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

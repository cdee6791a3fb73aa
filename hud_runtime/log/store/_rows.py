"""Tables and their migrations, events as rows, and a connection as the store needs it."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from pkgutil import get_data
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

import msgspec
from pydantic import BaseModel, ValidationError
from pydantic_core import SchemaSerializer

from hud_runtime._errors import (
    EventError,
    StoreDamagedError,
    StoreError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, Stored, explain
from hud_runtime.log.store._protocol import FORMAT, Transaction, check_format
from ujsx.components import fields_of

# The engine of a store: rows, transactions, and a table of engine-specific statements.
#
# The SQL is common to SQLite and PostgreSQL, with ``?`` for each value. Where they differ,
# :class:`Statements` has each engine's version. Values are always bound.

Row: TypeAlias = tuple[Any, ...]


class Statements(NamedTuple):
    """The SQL that differs between the engines."""

    among: str
    """Tests whether ``{}`` is among the texts of :meth:`Engine.many`."""
    size: str
    """The number of bytes of the text ``{}``."""
    has: str
    """Tests whether ``words`` contain the phrase ``{}``."""


class StatementResult(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class StoreConnection(Protocol):
    """A connection within a transaction."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> StatementResult:
        """Run a statement with these values."""
        ...

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for each of the rows."""
        ...


class Engine(Protocol):
    """A store's database."""

    statements: Statements
    place: str
    """Its name in messages, without a password."""

    @property
    def layout(self) -> int:
        """The newest of SQLite's layouts (``_schema.MIGRATIONS``) whose tables are present."""
        ...

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return all rows of a query, as of the last commit or within the caller's transaction."""
        ...

    def writing(
        self, what: str = ..., *, has_parts: bool = ...
    ) -> AbstractContextManager[StoreConnection]:
        """Return a context with a connection that writes; it commits at the end, or rolls back after an error."""
        ...

    def at_one_moment(self) -> AbstractContextManager[object]:
        """Give this thread a consistent view within the context, whatever others write."""
        ...

    def transaction(self) -> Transaction | None:
        """Return the caller's transaction, if any."""
        ...

    def alone(self) -> AbstractContextManager[object]:
        """Lock out archiving, purging and erasing by others for the duration of the context."""
        ...

    def many(self, values: Collection[str]) -> object:
        """Return texts as a single bound value."""
        ...


COLUMNS = "id, session_id, version, type, turn, timestamp, actor, format, payload"
"""The columns of an event, in the digest's order."""

ADVICE = "`ujsx doctor` tells what else is damaged; restore a backup, or repair the store"
"""The advice on a damaged row."""

FIELDS = set(fields_of(Event))
"""All fields of an event count as set. The set is shared: events are frozen, and copies copy it."""


def _setter(slot: str) -> Callable[[Any, Any], None]:
    """Return the setter of a model's slot, to avoid a lookup by name for each event."""
    setter: Callable[[Any, Any], None] = BaseModel.__dict__[slot].__set__
    return setter


_new = object.__new__
_set_values = _setter("__dict__")
_set_given = _setter("__pydantic_fields_set__")
_set_extra = _setter("__pydantic_extra__")
_set_private = _setter("__pydantic_private__")
_as_json = msgspec.json.Encoder().encode


def to_row(event: Event) -> Row:
    """Return the values of :data:`COLUMNS` and the digest."""
    payload: SchemaSerializer = event.payload.__pydantic_serializer__
    stored = event.payload if isinstance(event.payload, Stored) else None
    row = (
        event.id,
        event.session_id,
        event.version,
        event.type,
        event.turn,
        event.timestamp,
        event.actor,
        FORMAT,
        payload.to_json(event.payload).decode() if stored is None else stored.text,
    )
    return (*row, digest(row))


def digest(row: Row) -> bytes:
    """Return a row's 16-byte checksum.

    It detects a bad disk, not tampering: it has no key.

    >>> digest(("1", "s", 1)) == digest(("1", "s", 2))
    False
    """
    return blake2b(_as_json(row), digest_size=16).digest()


def is_sound(row: Row) -> bool:
    """Tell whether a row matches the digest at its end."""
    try:
        return bool(digest(row[:-1]) == row[-1])
    except OverflowError:  # larger than any number of ours
        return False


def from_row(row: Row, catalog: EventCatalog = PAYLOADS) -> Event:
    """Return the event of a row of :data:`COLUMNS` and its digest.

    The table's constraints check the envelope, so only the payload is validated. The event is built as
    ``model_construct`` does, without its handling of aliases and defaults, which would take as long as all
    the rest.

    A payload unknown to the catalog is kept as :class:`Stored`; only then is the digest checked.
    :func:`verified` always checks it.

    Raises :class:`StoreDamagedError` with the session and the version.
    """
    event_id, session_id, version, type_name, turn, timestamp, actor, written, payload, _ = row
    try:
        check_format(type_name, written)
        model, read = catalog.reader(type_name)
        said = read(payload)
    except (ValidationError, EventError) as error:
        verified(row)
        reason = (
            str(error)
            if isinstance(error, EventError)
            else explain(type_name, catalog[type_name], error)
        )
        model, said = Event, Stored(text=payload, reason=reason)
    made = _new(model)
    _set_values(
        made,
        {
            "id": event_id,
            "session_id": session_id,
            "version": version,
            "turn": turn,
            "timestamp": timestamp,
            "actor": actor,
            "type": type_name,
            "payload": said,
        },
    )
    _set_given(made, FIELDS)
    _set_extra(made, None)
    _set_private(made, None)
    return made


def verified(row: Row) -> Row:
    """Return a row of :data:`COLUMNS` after checking its digest.

    Raises :class:`StoreDamagedError` with the session and the version if it does not match.
    """
    if not is_sound(row):
        raise StoreDamagedError(
            f'event {row[2]} of session "{row[1]}" is not as it was written; {ADVICE}'
        )
    return row


APPLICATION_ID = int.from_bytes(b"ujsx")
"""In the file's header, to detect databases of other programs."""

FREQUENT: tuple[str, ...] = (
    "context.snapshot", "file.close", "file.edit", "file.open", "note.add",
)  # fmt: skip
"""Types that fill logs, and have no index: it would cost a page for each append, and hardly speed up a
search for most of a session.
"""

IS_RARE = " AND ".join(f"type <> {name!r}" for name in FREQUENT)
"""In the index, and in each query that uses it: SQLite matches the expression literally.

Comparisons rather than ``NOT IN``, for which SQLite builds a table at each append.
"""


def data_file(name: str) -> str:
    """Return the text of a file in ``hud_runtime/data``: an SQL script, or a table."""
    return cast("bytes", get_data("hud_runtime", f"data/{name}")).decode()


MIGRATIONS: tuple[str, ...] = tuple(
    re.split(r"(?m)^-- Layout \d+: .*\n", data_file("store.sql"))[1:]
)
"""The migration from each ``user_version`` to the next, from 0."""

READABLE = 1
"""The oldest layout that can be read directly: later ones add indexes, and tables whose rows may be lost."""

PURGED = "SELECT session_id FROM hud_tombstone"
"""The ids of purged sessions. Readers see nothing of such a session, although an interrupted purge may have
left parts of it.
"""

# NOT EXISTS, for one session, is evaluated once for all rows; NOT IN, for many, once per row.
IS_THERE = f"NOT EXISTS ({PURGED} WHERE session_id = ?)"
"""Tests that a session was not purged."""

OF_SESSION = f"session_id = ? AND {IS_THERE}"
"""The first condition of each query for one session, which is its first two values."""


@dataclass(frozen=True, slots=True)
class SessionTable:
    """A table with rows of sessions."""

    name: str
    columns: str
    """The columns that are read and written. A column ``digest`` is the last one, over all others in this order."""
    key: str
    """The columns that identify a row, and order the rows."""
    layout: int = 1
    """The first layout that has it; older ones have none of its rows."""

    def adding(self, rest: str = "") -> str:
        """Return the statement that adds a row; ``rest`` has its conditions."""
        marks = ", ".join("?" for _ in self.columns.split(","))
        return f"INSERT INTO {self.name} ({self.columns}) SELECT {marks} {rest}"

    def rows(
        self, database: Engine, rest: str = "", *values: object, columns: str = ""
    ) -> list[Row]:
        """Return rows; ``rest`` has their conditions and their order."""
        if database.layout < self.layout:
            return []
        return database.rows(f"SELECT {columns or self.columns} FROM {self.name} {rest}", *values)

    def damaged(self, database: Engine) -> list[Row]:
        """Return the rows that do not match their digests."""
        return [row for row in self.rows(database) if not is_sound(row)]

    def drop_damaged(self, database: Engine) -> int:
        """Delete the rows that do not match their digests, and return their number."""
        names, key = self.columns.split(", "), self.key.split(", ")
        damaged = [tuple(row[names.index(each)] for each in key) for row in self.damaged(database)]
        where = " AND ".join(f"{each} = ?" for each in key)
        with database.writing() as db:
            db.executemany(f"DELETE FROM {self.name} WHERE {where}", damaged)
        return len(damaged)


ARCHIVED = SessionTable(
    "hud_archive",
    "file, session_id, first, last, first_position, last_position, latest_turn, latest_time, sha256",
    "file",
)
EVENT = SessionTable("hud_event", f"{COLUMNS}, digest", "position")
SNAPSHOT = SessionTable(
    "hud_snapshot",
    "session_id, version, turn, projection, revision, state, digest",
    "session_id, projection, revision, version",
)
DELIVERY = SessionTable(
    "hud_delivery", "session_id, reader, id, is_sent, body, digest", "session_id, reader, id", 3
)
ERASURE = SessionTable(
    "hud_erasure",
    "session_id, version, recorded_at, fields, erased_at, is_done",
    "session_id, version",
    5,
)
OUTPUT = SessionTable(
    "hud_output",
    "session_id, id, tool, mode, turn, kept_at, lines, characters, sha256, body",
    "number",
    4,
)

OWNED = (ARCHIVED, EVENT, SNAPSHOT, DELIVERY, ERASURE, OUTPUT)
"""All tables with rows of sessions that a purge deletes."""

TOMBSTONE = SessionTable("hud_tombstone", "session_id, events, position, purged_at", "session_id")

PRAGMAS: tuple[str, ...] = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA secure_delete = ON",
)
"""The settings of every connection, except for time-out and durability."""


# Waiting for writers in other processes, and finding them.

SPELL = 10
"""Milliseconds that SQLite waits by itself. Its pauses grow to 100 ms, so the longest waiter finds the lock
free least often: 16 busy writers starve one of them. So short waits are repeated.
"""

WRITER = "120"
"""The byte of the file ``-shm`` that a writer to the write-ahead log locks (sqlite.org/walformat.html,
section 2.3.1).
"""

LOCKS = Path("/proc/locks")
"""Linux's list of locks and their holders. Opening the locked file instead would, on closing, drop this
process's own locks.
"""


def patiently(
    connection: sqlite3.Connection, query: str, values: Sequence[object], deadline: float
) -> sqlite3.Cursor:
    """Execute a statement; wait for others until the deadline, a time of ``time.monotonic``."""
    while True:
        try:
            return connection.execute(query, values)
        except UnicodeDecodeError as error:  # SQLite's message quotes a damaged schema
            raise sqlite3.DatabaseError(f"its own words cannot be decoded: {error}") from error
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.001)  # where SQLite does not wait by itself


def is_busy(error: sqlite3.DatabaseError) -> bool:
    """Tell whether another user's lock is the cause."""
    code = getattr(error, "sqlite_errorcode", 0)  # Python's own errors have none
    return code & 0xFF == sqlite3.SQLITE_BUSY  # without the extended code


def writer_of(store: Path) -> int | None:
    """Return the process that is writing to a store, where the system reports it."""
    try:
        found = Path(f"{store}-shm").stat()
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return None
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    for line in lines:
        match line.split():
            case [_, "POSIX", _, "WRITE", process, where, first, _]:
                if (where, first) == (place, WRITER) and int(process) > 0:
                    return int(process)
            case _:
                pass
    return None


# A connection for the store: its settings, the file's owner, and its tables; or a read-only one.
#
# Readers of a write-ahead log share memory in a file beside the database. Where that cannot be
# created, on a read-only disk or in a read-only folder, SQLite is told that the file never changes
# (``immutable``, sqlite.org/c3ref/open.html). It then ignores the write-ahead log, so a non-empty
# one is refused.

COUNT_TABLES = "SELECT count(*) FROM sqlite_schema"


def layout_of(connection: sqlite3.Connection, place: str, deadline: float) -> int:
    """Return the layout of a file of ours, 0 for one without tables.

    Raises :class:`StoreError` for another program's file, :class:`StoreVersionError` for a newer one,
    :class:`StoreDamagedError` for a copy without the write-ahead log.
    """
    # In this order: another process may be creating the tables.
    has_tables = _value(connection, COUNT_TABLES, deadline) > 0
    [(mode,)] = patiently(connection, "PRAGMA journal_mode", (), deadline).fetchall()
    # Read again: that process may have finished.
    if mode == "wal" and not _value(connection, COUNT_TABLES, deadline):
        raise StoreDamagedError(
            f"{place}: it is a copy of a database in use, without what is in it; copy a store with"
            " `ujsx store backup`"
        )
    version = _value(connection, "PRAGMA user_version", deadline)
    owner = _value(connection, "PRAGMA application_id", deadline)
    is_marked = version > 0 or owner != 0  # false for a new file
    if (has_tables or is_marked) and owner != APPLICATION_ID:
        raise StoreError(
            f"{place}: this database belongs to another program; name a file of its own"
        )
    if version > len(MIGRATIONS):
        raise StoreVersionError(
            f"{place}: its schema is version {version}, this ujsx knows up to"
            f" {len(MIGRATIONS)}: update ujsx, or name another file"
        )
    return version


def set_up(connection: sqlite3.Connection, place: str, deadline: float) -> None:
    """Prepare a connection for writing: our settings, and the newest tables."""
    layout = layout_of(connection, place, deadline)
    if layout == 0:
        # Before there is a write-ahead log, so that the file itself has the tables, and a copy
        # without the log is detected.
        _migrate(connection, place, deadline)
    for pragma in PRAGMAS:
        patiently(connection, pragma, (), deadline)
    if 0 < layout < len(MIGRATIONS):
        _migrate(connection, place, deadline)


def _migrate(connection: sqlite3.Connection, place: str, deadline: float) -> None:
    with in_transaction(connection, deadline):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        for number in range(layout_of(connection, place, deadline), len(MIGRATIONS)):
            for statement in _statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1:d}")


@contextmanager
def in_transaction(connection: sqlite3.Connection, deadline: float = 0.0) -> Generator[None]:
    """Commit what is written within the context, or roll it back after an error."""
    patiently(connection, "BEGIN IMMEDIATE", (), deadline)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _value(connection: sqlite3.Connection, query: str, deadline: float) -> int:
    return int(patiently(connection, query, (), deadline).fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    # executescript would commit first; a migration must be one transaction.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


REFUSALS = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
"""SQLite's errors where it cannot create the shared memory."""


def connected_to_read(path: Path) -> sqlite3.Connection:
    """Return a read-only connection.

    Raises :class:`sqlite3.Error` as SQLite does, and :class:`StoreReadOnlyError` where a write-ahead log
    would be ignored.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = connected(uri)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException as error:
        connection.close()
        code = error.sqlite_errorcode if isinstance(error, sqlite3.OperationalError) else 0
        if code & 0xFF not in REFUSALS or not path.exists():
            raise
    else:
        return connection
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StoreReadOnlyError(
            f"{path}: what was written last is in {log.name}, which cannot be read where nothing can"
            f" be written; copy {path.name}, {log.name} and {path.name}-archive to a folder of yours,"
            " and open the copy"
        )
    return connected(f"{uri}&immutable=1")


def connected(uri: str) -> sqlite3.Connection:
    """Return a connection for all threads, whose transactions begin and end on request."""
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

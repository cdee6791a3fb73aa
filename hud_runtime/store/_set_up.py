"""A connection as the store needs it: its settings, whose file it is, and its tables; or one that only
reads.

A reader of a write-ahead log shares memory with the others, in a file beside the database. Where that
cannot be made, on a read-only disk or in a read-only folder, SQLite is told that the file does not
change (``immutable``, sqlite.org/c3ref/open.html). It then does not look for a write-ahead log: where
there is one with something in it, that would leave out what was written last, so it is refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from hud_runtime._errors import StoreDamagedError, StoreError, StoreReadOnlyError, StoreVersionError
from hud_runtime.store._schema import APPLICATION_ID, MIGRATIONS, PRAGMAS
from hud_runtime.store._waiting import patiently

TABLES = "SELECT count(*) FROM sqlite_schema"


def layout_of(connection: sqlite3.Connection, place: str, deadline: float) -> int:
    """Return the version of the tables in a file that is ours, 0 for one without.

    Raises :class:`StoreError` for another program's, :class:`StoreVersionError` for a newer one,
    :class:`StoreDamagedError` for a copy without the write-ahead log.
    """
    # In this order: another process may be making the tables right now.
    has_tables = _value(connection, TABLES, deadline) > 0
    [(mode,)] = patiently(connection, "PRAGMA journal_mode", (), deadline).fetchall()
    # Asked again: the one that is making the tables may have come to its end.
    if mode == "wal" and not _value(connection, TABLES, deadline):
        raise StoreDamagedError(
            f"{place}: it is a copy of a database in use, without what is in it; copy a store with"
            " `ujsx store backup`"
        )
    version = _value(connection, "PRAGMA user_version", deadline)
    owner = _value(connection, "PRAGMA application_id", deadline)
    is_marked = version > 0 or owner != 0  # which a new file is not
    if (has_tables or is_marked) and owner != APPLICATION_ID:
        raise StoreError(
            f"{place}: this database belongs to another program; name a file of its own"
        )
    if version > len(MIGRATIONS):
        raise StoreVersionError(
            f"{place}: its tables have layout {version}, this library knows up to"
            f" {len(MIGRATIONS)}: update ujsx, or name another file"
        )
    return version


def set_up(connection: sqlite3.Connection, place: str, deadline: float) -> None:
    """Make a connection one that can write: with our settings, and the newest tables."""
    layout = layout_of(connection, place, deadline)
    if layout == 0:
        # Before there is a write-ahead log: so the file itself always has the tables, and a copy of
        # it without them is known for one.
        _migrate(connection, place, deadline)
    for pragma in PRAGMAS:
        patiently(connection, pragma, (), deadline)
    if 0 < layout < len(MIGRATIONS):
        _migrate(connection, place, deadline)


def _migrate(connection: sqlite3.Connection, place: str, deadline: float) -> None:
    patiently(connection, "BEGIN IMMEDIATE", (), deadline)
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        for number in range(layout_of(connection, place, deadline), len(MIGRATIONS)):
            for statement in _statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1:d}")
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
"""The errors of SQLite where it cannot make the shared memory."""


def connected_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads.

    Raises :class:`sqlite3.Error` as SQLite does, and :class:`StoreReadOnlyError` where a write-ahead
    log would be passed over.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = _connected(uri)
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
    return _connected(f"{uri}&immutable=1")


def _connected(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

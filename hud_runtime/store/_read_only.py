"""Opening a database to be read, also where nothing can be written beside it.

A reader of a write-ahead log shares memory with the others, in a file beside the database. Where that
cannot be made, on a read-only disk or in a read-only folder, SQLite is told that the file does not
change (``immutable``, sqlite.org/c3ref/open.html). It then does not look for a write-ahead log: where
there is one with something in it, that would leave out what was written last, so it is refused.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from hud_runtime._errors import StoreReadOnlyError

REFUSALS = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
"""What SQLite says where it cannot make the shared memory."""


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

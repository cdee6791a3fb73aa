"""One SQLite file, opened as the store needs it: set up, migrated, and one writer at a time."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreVersionError,
)
from hud_runtime._sqlite_versions import OLDEST_SQLITE
from hud_runtime.store._checkpoint import Checkpoints
from hud_runtime.store._failures import our_error, our_errors
from hud_runtime.store._files import prepare
from hud_runtime.store._read_only import connected_to_read
from hud_runtime.store._schema import APPLICATION_ID, MIGRATIONS, PRAGMAS, READABLE

Row: TypeAlias = tuple[Any, ...]

SPELL = 10
"""Milliseconds that SQLite waits by itself. Its pauses grow to 100 ms, and who has waited long finds
the lock free least often: 16 busy writers starve one of them. So it is asked again and again."""

COPIED = 256
"""Pages that are copied at a time; in between, what else this process does gets its turn."""

MEMORY = ":memory:"
"""The place of a store that is no file."""


class Database:
    """A connection that threads may share, with SQLite's errors turned into ours.

    >>> db = Database(":memory:", durable=False, busy_timeout=0)
    >>> db.rows("SELECT count(*) FROM hud_event")
    [(0,)]
    >>> db.close()
    """

    def __init__(
        self, path: str | Path, *, durable: bool, busy_timeout: int, read_only: bool = False
    ) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            oldest = ".".join(map(str, OLDEST_SQLITE))
            raise StoreError(
                f"this Python has SQLite {sqlite3.sqlite_version}; the store needs {oldest}"
            )
        self.path = None if str(path) == MEMORY else Path(path).expanduser()
        self.place = MEMORY if self.path is None else str(self.path)
        self.busy_timeout = busy_timeout
        if self.path is not None and not read_only:
            prepare(self.path)
        self._lock = threading.RLock()
        with our_errors(self.place):
            self._connection = self._connected(read_only)
            try:
                self._checkpoints = Checkpoints(self._connection, self.path)
                self._set_up(durable, read_only)
            except BaseException:
                self._connection.close()
                raise

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return all rows of a query. Its text is a constant; what a caller named is a value."""
        try:
            with self._lock:
                return self._patiently(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise our_error(self.place, error) from error

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """Hold the write lock, and commit at the end, or keep nothing of it after an error.

        Within another ``writing`` it is a part of that one.
        """
        with self._lock, our_errors(self.place):
            if self._connection.in_transaction:
                yield self._connection
                return
            try:
                self._patiently("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
                self._checkpoints.after_commit()
            except BaseException:
                # A full disk has rolled back already, and a second rollback would hide why.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def empty_log(self) -> None:
        """Take everything out of the write-ahead log, which keeps what was deleted for a while.

        Raises :class:`StoreLockedError` while another process reads.
        """
        with our_errors(self.place), self._lock:
            deadline = self._deadline()
            while not self._checkpoints.empty():
                if time.monotonic() > deadline:
                    raise StoreLockedError(
                        f"{self.place}: another process is reading, so the write-ahead log still"
                        " has what was deleted; purge again when that process is done"
                    )

    def checkpoint(self) -> bool:
        """Copy the write-ahead log into the file, as far as others allow; its file keeps its size.

        False when somebody is writing, or the disk has no room for what is new.
        """
        with self._lock, suppress(sqlite3.OperationalError):
            return self.path is None or self._checkpoints.guarded()
        return False

    def copy_into(self, target: sqlite3.Connection) -> None:
        """Copy all of the database as it is at this moment, page by page, while others write."""
        with our_errors(self.place):
            if self.path is None:
                with self._lock:
                    self._connection.backup(target)
                return
            with closing(connected_to_read(self.path)) as source:
                # One transaction: else each write of another process would begin the copy anew.
                source.execute("BEGIN")
                source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                source.backup(target, pages=COPIED)

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        with self._lock:
            self._connection.close()

    def _patiently(self, query: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Execute a statement; wait for others for as long as the time-out allows."""
        try:
            return self._connection.execute(query, values)
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
        deadline = self._deadline()
        while True:
            try:
                return self._connection.execute(query, values)
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.001)  # where SQLite does not wait by itself

    def _deadline(self) -> float:
        return time.monotonic() + self.busy_timeout / 1_000

    def _connected(self, read_only: bool) -> sqlite3.Connection:
        name = self.place
        if self.path is not None:
            if read_only:
                return connected_to_read(self.path)
            # As a URI, so that SQLite does not make a file that has just been taken away.
            name = f"{self.path.absolute().as_uri()}?mode=rw"
        return sqlite3.connect(
            name, uri=self.path is not None, isolation_level=None, check_same_thread=False
        )

    def _set_up(self, durable: bool, read_only: bool) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {SPELL:d}")
        self._refuse_a_strangers()
        self.layout = layout = self._layout()
        if read_only:
            if layout < READABLE:
                raise StoreVersionError(
                    f"{self.place}: its tables have layout {layout}; open it once"
                )
            return
        if layout == 0 and self.path is not None:
            # Before there is a write-ahead log: so the file itself always has the tables, and a
            # copy of it without them is known for one.
            self._migrate()
        for pragma in PRAGMAS:
            self._patiently(pragma)
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        if layout != len(MIGRATIONS):
            self._migrate()
            self.layout = len(MIGRATIONS)

    def _refuse_a_strangers(self) -> None:
        # In this order: another process may be making the tables right now.
        has_tables = self._value("SELECT count(*) FROM sqlite_schema") > 0
        [(mode,)] = self._patiently("PRAGMA journal_mode").fetchall()
        # Asked again: the one that is making the tables may have come to its end.
        if mode == "wal" and not self._value("SELECT count(*) FROM sqlite_schema"):
            raise StoreDamagedError(
                f"{self.place}: it is a copy of a database in use, without what is in it; copy a"
                " store with `ujsx store backup`"
            )
        if has_tables and self._value("PRAGMA application_id") != APPLICATION_ID:
            raise StoreError(
                f"{self.place}: this database belongs to another program; name a file of its own"
            )

    def _layout(self) -> int:
        version = self._value("PRAGMA user_version")
        if version > len(MIGRATIONS):
            raise StoreVersionError(
                f"{self.place}: its tables have layout {version}, this library knows up to"
                f" {len(MIGRATIONS)}: update ujsx, or name another file"
            )
        return version

    def _value(self, query: str) -> int:
        return int(self._patiently(query).fetchone()[0])

    def _migrate(self) -> None:
        with self.writing():
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
            for number in range(self._layout(), len(MIGRATIONS)):
                for statement in _statements(MIGRATIONS[number]):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {number + 1:d}")


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # without the extended code


def _statements(script: str) -> Iterator[str]:
    # executescript would commit first; a migration must be one transaction.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

# ruff: noqa: S608  (what is put into a query is a constant of this package)
"""The event store in one SQLite file.

Writers of many processes queue at ``BEGIN IMMEDIATE``; readers never wait. What ``append`` has
returned from survives the end of the process, ``kill -9`` included. A power cut may cost the last
commits, unless the store is opened with ``durable=True``, which waits for the disk each time.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hud_runtime._errors import ConcurrencyError, StoreError, StoreVersionError
from hud_runtime.events import Event
from hud_runtime.store._at import At
from hud_runtime.store._failures import our_errors
from hud_runtime.store._files import prepare
from hud_runtime.store._protocol import Damage, Head, Snapshot
from hud_runtime.store._rows import COLUMNS, Row, digest, from_row, to_row
from hud_runtime.store._schema import MIGRATIONS, OLDEST_SQLITE, PRAGMAS

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one."""

PAGE = 1_000
"""Rows that a reader takes at a time, so that nothing is locked while they are used."""

INSERT = f"INSERT INTO hud_event ({COLUMNS}, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteEventStore:
    """An :class:`EventStore` over a file, or over memory for ``":memory:"``.

    >>> store = SqliteEventStore(":memory:")
    >>> store.head("nobody")
    Head(version=0, turn=0)
    >>> store.close()
    """

    def __init__(
        self, path: str | Path, *, durable: bool = False, busy_timeout: int = BUSY_TIMEOUT
    ) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            oldest = ".".join(map(str, OLDEST_SQLITE))
            raise StoreError(
                f"this Python has SQLite {sqlite3.sqlite_version}; the store needs {oldest}"
            )
        self.place = str(path) if path == ":memory:" else str(Path(path).expanduser())
        if self.place != ":memory:":
            prepare(Path(self.place))
        self._lock = threading.RLock()
        with our_errors(self.place):
            self._db = sqlite3.connect(self.place, isolation_level=None, check_same_thread=False)
            try:
                self._set_up(durable, busy_timeout)
            except BaseException:
                self._db.close()
                raise

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none; see :meth:`EventStore.append`."""
        rows = [to_row(event) for event in events]
        with self._writing():
            actual = self._head(session_id).version
            if actual != expected_version:
                raise ConcurrencyError(session_id, expected=expected_version, actual=actual)
            self._db.executemany(INSERT, rows)

    def read(self, session_id: str, after: int = 0, up_to: int | None = None) -> Iterator[Event]:
        """Yield a session's events with ``after < version <= up_to``, in order."""
        query = (
            f"SELECT {COLUMNS} FROM hud_event WHERE session_id = ? AND version > ?"
            " AND version <= ? ORDER BY version LIMIT ?"
        )
        last = 2**62 if up_to is None else up_to
        while rows := self._all(query, session_id, after, last, PAGE):
            yield from map(from_row, rows)
            after = rows[-1][2]

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events with their positions, in the order of their appending."""
        query = (
            f"SELECT {COLUMNS}, position FROM hud_event WHERE position > ?"
            " ORDER BY position LIMIT ?"
        )
        while rows := self._all(query, after, PAGE):
            for row in rows:
                yield row[-1], from_row(row[:-1])
            after = rows[-1][-1]

    def head(self, session_id: str) -> Head:
        """Return where the session's log ends."""
        with our_errors(self.place), self._lock:
            return self._head(session_id)

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of the last event before the first one that is later than ``at``."""
        head = self.head(session_id).version
        if at.measure == "version":
            return max(0, min(at.value, head))
        # The column's name comes from the literals of At.measure, never from a caller's text.
        query = f"SELECT min(version) FROM hud_event WHERE session_id = ? AND {at.measure} > ?"
        [(later,)] = self._all(query, session_id, at.value)
        return head if later is None else int(later) - 1

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, in the order of their beginning."""
        query = "SELECT session_id FROM hud_event WHERE version = 1 ORDER BY position"
        return tuple(row[0] for row in self._all(query))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version; the same one again changes nothing."""
        with self._writing():
            self._db.execute(
                "INSERT OR IGNORE INTO hud_snapshot (session_id, version, projection, state)"
                " VALUES (?, ?, ?, ?)",
                (snapshot.session_id, snapshot.version, snapshot.projection, snapshot.state),
            )

    def snapshot(self, session_id: str, projection: int, up_to: int) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        query = (
            "SELECT session_id, version, projection, state FROM hud_snapshot WHERE"
            " session_id = ? AND projection = ? AND version <= ? ORDER BY version DESC LIMIT 1"
        )
        rows = self._all(query, session_id, projection, up_to)
        return Snapshot(*rows[0]) if rows else None

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, and leave a tombstone: its id is not used again.

        The rows are overwritten, and the write-ahead log, which still has them, is emptied.
        """
        with self._writing():
            events = self._head(session_id).version
            self._db.execute(
                "INSERT OR IGNORE INTO hud_tombstone (session_id, events) VALUES (?, ?)",
                (session_id, events),
            )
            self._db.execute("DELETE FROM hud_snapshot WHERE session_id = ?", (session_id,))
            self._db.execute("DELETE FROM hud_event WHERE session_id = ?", (session_id,))
        self._all("PRAGMA wal_checkpoint(TRUNCATE)")
        return events

    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: SQLite's own check, digests, and gaps."""
        found = [
            Damage(None, None, f"SQLite: {row[0]}")
            for row in self._all("PRAGMA integrity_check")
            if row[0] != "ok"
        ]
        query = f"SELECT {COLUMNS}, digest FROM hud_event ORDER BY session_id, version"
        session_id, expected = None, 1
        for row in self._all(query):
            if row[1] != session_id:
                session_id, expected = row[1], 1
            if row[2] != expected:
                found.append(Damage(session_id, row[2], f"version {expected} is missing"))
            if digest(row[:-1]) != row[-1]:
                found.append(Damage(session_id, row[2], "the row does not match its digest"))
            expected = row[2] + 1
        return tuple(found)

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        with self._lock:
            self._db.close()

    def _set_up(self, durable: bool, busy_timeout: int) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {busy_timeout:d}")
        for pragma in PRAGMAS:
            self._db.execute(pragma)
        self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        if self._layout() != len(MIGRATIONS):
            self._migrate()

    def _layout(self) -> int:
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise StoreVersionError(
                f"{self.place}: its tables have layout {version}, this library knows up to"
                f" {len(MIGRATIONS)}: update ujsx, or name another file"
            )
        return version

    def _migrate(self) -> None:
        with self._writing():
            for number in range(self._layout(), len(MIGRATIONS)):
                for statement in _statements(MIGRATIONS[number]):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number + 1:d}")

    def _head(self, session_id: str) -> Head:
        query = (
            "SELECT version, turn FROM hud_event WHERE session_id = ? ORDER BY version DESC LIMIT 1"
        )
        row = self._db.execute(query, (session_id,)).fetchone()
        return Head(*row) if row else Head()

    def _all(self, query: str, *values: object) -> list[Row]:
        with our_errors(self.place), self._lock:
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Generator[None]:
        with our_errors(self.place), self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk has rolled back already, and a second rollback would hide why.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _statements(script: str) -> Iterator[str]:
    # executescript would commit first; a migration must be one transaction.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

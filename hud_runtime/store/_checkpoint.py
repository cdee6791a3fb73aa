"""Checkpoints: from the write-ahead log into the file, also where SQLite has the WAL-reset bug.

The bug needs a commit that begins the write-ahead log anew while a checkpoint runs. Where SQLite
has it, its own automatic checkpoints are off, and ours run while a second connection holds the
write lock: nobody can commit then. The last connection that closes makes a checkpoint too, but only
when it is alone.

A log that has been checkpointed begins anew with the next commit, and is cut to its limit then. So
its size tells how much is in it, from any writer: a process looks at it when it opens a store, at
each commit, and when it closes, and no number of processes that each write a little makes it grow.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hud_runtime._sqlite_versions import has_wal_reset_bug

LARGEST_LOG = 4 * 2**20
"""Bytes of write-ahead log that are enough: about SQLite's own 1,000 pages."""

STEP = 4
"""After a try, the next one comes when the log has grown by this part of :data:`LARGEST_LOG`: while
somebody reads for long, not every commit tries in vain."""


class Checkpoints:
    """Makes the checkpoints of a connection that SQLite must not make by itself."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self._path = path
        self._tried_at = 0
        self.are_ours = path is not None and has_wal_reset_bug(sqlite3.sqlite_version_info)
        if self.are_ours:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {LARGEST_LOG:d}").fetchall()

    def look(self, size: int) -> None:
        """Make a checkpoint if it is time: the log has this many bytes."""
        if size <= LARGEST_LOG:
            self._tried_at = 0
        elif self.are_ours and size >= self._tried_at + LARGEST_LOG // STEP:
            self._tried_at = size
            # What was to be kept is committed: a checkpoint that fails now is tried again later.
            with suppress(sqlite3.Error, OSError):
                self.guarded()

    def guarded(self) -> bool:
        """Make a checkpoint during which nobody commits; False when somebody is writing now."""
        if self._path is None:
            return True
        uri = f"{self._path.as_uri()}?mode=rw"  # so that nothing is made at the path
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0)) as guard:
            try:
                guard.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False  # the log grows a little more until the next try
            try:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                guard.execute("ROLLBACK")
        return True

    def empty(self) -> bool:
        """Take everything out of the write-ahead log; False while others read it or write."""
        [(busy, _log, _done)] = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

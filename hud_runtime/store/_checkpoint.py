"""Checkpoints: from the write-ahead log into the file, also where SQLite has the WAL-reset bug.

The bug needs a commit that begins the write-ahead log anew while a checkpoint runs. Where SQLite
has it, its own automatic checkpoints are off, and ours run while a second connection holds the
write lock: nobody can commit then. The last connection that closes makes a checkpoint too, but only
when it is alone.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hud_runtime._sqlite_versions import has_wal_reset_bug

LOOK_EVERY = 64
"""Commits between two looks at the size of the write-ahead log."""

AT_LEAST = 512
"""Commits between two checkpoints, as long as the log does not grow. Its file never shrinks, and its
size alone does not tell how much in it is new."""

LARGEST_LOG = 4 * 2**20
"""Bytes of write-ahead log that are enough: about SQLite's own 1,000 pages."""


class Checkpoints:
    """Makes the checkpoints of a connection that SQLite must not make by itself."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self._path = path
        self._commits = 0
        self._last, self._size = 0, LARGEST_LOG
        self.are_ours = path is not None and has_wal_reset_bug(sqlite3.sqlite_version_info)
        if self.are_ours:
            connection.execute("PRAGMA wal_autocheckpoint = 0")

    def after_commit(self) -> None:
        """Make a checkpoint if it is time. To be called after each commit."""
        self._commits += 1
        if self.are_ours and self._commits % LOOK_EVERY == 0:
            # What was to be kept is committed: a checkpoint that fails now is tried again later.
            with suppress(sqlite3.Error, OSError):
                self._look()

    def _look(self) -> None:
        size = self._log_size()
        is_time = self._commits - self._last >= AT_LEAST
        if size > LARGEST_LOG and (is_time or size > 2 * self._size) and self.guarded():
            self._last, self._size = self._commits, size

    def guarded(self) -> bool:
        """Make a checkpoint during which nobody commits; False when somebody is writing now."""
        with closing(sqlite3.connect(str(self._path), isolation_level=None, timeout=0)) as guard:
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

    def _log_size(self) -> int:
        log = Path(f"{self._path}-wal")
        return log.stat().st_size if log.exists() else 0

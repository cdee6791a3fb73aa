"""A database file as this process has it open: once, however many stores stand on it.

Two connections: one writes, and reads what its own transaction has not committed yet; the other one
reads for everybody else, so that a reader neither waits for a writer of its process nor sees what
may be rolled back. A store in memory has one connection, and its readers wait.

The file is known by its inode. One that was deleted or replaced under its name is noticed before the
next read and the next write. A process that forks closes its files first and each side opens its
own: SQLite's locks are not inherited, but its memory of having them is.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from hud_runtime._errors import StoreError
from hud_runtime._location import MEMORY
from hud_runtime.store._checkpoint import Checkpoints
from hud_runtime.store._engine import Row
from hud_runtime.store._set_up import connected_to_read, layout_of, set_up
from hud_runtime.store._transaction import Transaction, WriteLock
from hud_runtime.store._waiting import SPELL, patiently

Inode: TypeAlias = tuple[int, int]
"""A file by its device and its number there."""

LOOK_EVERY = 8
"""Commits between two looks at the write-ahead log; the first one is before the first commit. A look
costs as much as a tenth of a commit."""

FORK_WAIT = 1_000
"""Milliseconds that a fork waits for other threads to be done with a file."""


class OpenFile:
    """One database, its connections, and the lock among the writers of this process."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.place = MEMORY if path is None else str(path)
        self.inode = None if path is None else inode_of(self.place)
        self.is_inherited = False
        """Whether a parent was in the middle of something with it when this process was forked."""
        self.moved: str | None = None
        """Which of its files was deleted or replaced, if that was seen."""
        self.users = 0
        """Stores that stand on it."""
        self.durable_users = 0
        """Those of them for which each commit waits for the disk; then it does for all."""
        self.lock = WriteLock(self.place)
        self._log = f"{path}-wal"
        self._log_inode: Inode | None = None
        self._commits = 0
        self._reading = threading.RLock()
        self._is_durable: bool | None = None
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._checkpoints: Checkpoints | None = None
        self._paused: Transaction | None = None

    def __del__(self) -> None:
        if not self.is_inherited:  # then a store was dropped that nobody had closed
            self.disconnect()

    def layout(self, deadline: float) -> int:
        """Return the version of its tables."""
        with self._reading:
            return layout_of(self._for_reading(), self.place, deadline)

    def rows(self, query: str, values: tuple[object, ...], timeout: int) -> list[Row]:
        """Return all rows of a query, as the caller's transaction or the last commit has them."""
        self.check_usable()
        deadline = time.monotonic() + timeout / 1_000
        if (transaction := self.lock.current()) is not None:
            db = self._writer
            # A signal handler may ask before it has begun, or after its end.
            if not transaction.is_busy or (db is not None and db.in_transaction):
                return patiently(self._in_transaction(), query, values, deadline).fetchall()
        if self.path is None:
            with self.lock.held("a read", timeout):
                return self._for_writing(deadline).execute(query, values).fetchall()
        with self._reading:
            self.check()
            return patiently(self._for_reading(), query, values, deadline).fetchall()

    def begin(self, transaction: Transaction, deadline: float) -> sqlite3.Connection:
        """Begin a transaction, or a part of one, that can be rolled back alone."""
        if transaction.parent is not None:
            db = self._in_transaction()
            db.execute(f"SAVEPOINT part_{transaction.depth}")
            return db
        db = self._writer or self._for_writing(deadline)
        if db.in_transaction:  # its end was interrupted
            db.execute("ROLLBACK")
        self.check()
        if self._commits % LOOK_EVERY == 0:
            self._look()
        self._commits += 1
        if self._is_durable is not (self.durable_users > 0):
            self._be_durable(db)
        patiently(db, "BEGIN IMMEDIATE", (), deadline)
        return db

    def commit(self, transaction: Transaction) -> None:
        """Commit what :meth:`begin` began.

        Raises :class:`StoreError` while something that began within it has not ended.
        """
        db = self._in_transaction(transaction)
        if not self.lock.is_innermost(transaction):
            raise StoreError(
                f"{self.place}: an exclusive() ends before one that was entered within it, so nothing"
                " of both is kept; leave the inner one first"
            )
        db.execute("COMMIT" if transaction.parent is None else f"RELEASE part_{transaction.depth}")
        transaction.committed()

    def roll_back(self, transaction: Transaction) -> None:
        """Take back what :meth:`begin` began, or was about to, if that is not done yet.

        SQLite may have done so, after a full disk say.
        """
        db = self._writer
        if db is None or not db.in_transaction or not self.lock.is_under_way(transaction):
            return
        if transaction.parent is None:
            db.execute("ROLLBACK")
            return
        try:
            db.execute(f"ROLLBACK TO part_{transaction.depth}")
            db.execute(f"RELEASE part_{transaction.depth}")
        except sqlite3.OperationalError as error:
            if "no such savepoint" not in str(error):
                raise

    def empty_log(self) -> bool:
        """Take everything out of the write-ahead log; False while others read it or write."""
        return self._checkpoints is None or self._checkpoints.empty()

    def checkpoint(self) -> bool:
        """Copy the write-ahead log into the file, as far as others allow; False while one writes."""
        return self._checkpoints is None or self.path is None or self._checkpoints.guarded()

    def rewrite(self, deadline: float) -> None:
        """Write the file anew, without what was deleted."""
        patiently(self._for_writing(deadline), "VACUUM", (), deadline)

    def copy_into(self, target: sqlite3.Connection) -> None:
        """Copy what is in memory."""
        self._for_writing(0).backup(target)

    def check_usable(self) -> None:
        """Raise :class:`StoreError` for what can never be used again.

        That is a file that was seen to be another one (its number may be given again), and one
        that was inherited in the middle of something.
        """
        if self.moved is not None:
            raise StoreError(
                f"{self.moved} was deleted or replaced while it was open, so nothing was read or"
                " written; open the store again, and move no file of a store that is open"
            )
        if self.is_inherited:
            raise StoreError(
                f"{self.place}: this process was forked while the store was in use, so what it has"
                " of it cannot be used; fork while nobody reads or writes, or start the process"
                ' afresh, as multiprocessing does with "spawn"'
            )

    def check(self) -> None:
        """Raise :class:`StoreError` if the file under our name is not the one that was opened."""
        if self.inode is not None and inode_of(self.place) != self.inode:
            self._refuse_what_moved(self.place)

    def connect(self, deadline: float) -> None:
        """Open the connection that writes, and bring the tables up to date."""
        self._for_writing(deadline)

    def disconnect(self) -> None:
        """Close the connections; whoever needs one opens it again.

        The one that reads goes first: the last one empties the write-ahead log, and must be able to.
        """
        self._log_inode = self._is_durable = self._checkpoints = None
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        for connection in (reader, writer):
            if connection is not None:
                connection.close()

    def connections(self) -> list[sqlite3.Connection]:
        """Return those that are open."""
        return [one for one in (self._reader, self._writer) if one is not None]

    def close_if_unused(self) -> None:
        """Close the connections if no store stands on the file, and nobody is writing right now."""
        if self.users:
            return
        with self.lock.held("closing", None) as is_free:
            if is_free:
                with self._reading:
                    with suppress(StoreError, OSError):
                        self.check()
                        self._look()
                    self.disconnect()

    def pause(self) -> bool:
        """Before a fork: keep everybody out, and close what must not be inherited.

        False while this thread, or another one for too long, is in the middle of something.
        """
        if self.lock.current() is not None:
            return False
        try:
            whole = self.lock.enter("a fork", FORK_WAIT, is_busy=True)
        except StoreError:
            return False
        if not self._reading.acquire(timeout=FORK_WAIT / 1_000):
            self.lock.leave(whole)
            return False
        self._paused = whole
        if self.path is not None:
            with suppress(sqlite3.Error):
                self.disconnect()
        return True

    def resume(self) -> None:
        """After a fork, in the process that forked."""
        if self._paused is not None:
            self._reading.release()
            self.lock.leave(self._paused)

    def inherit(self) -> None:
        """After a fork, in the child: nobody else is there, and holds anything."""
        self.lock = WriteLock(self.place)
        self._reading = threading.RLock()

    def _for_reading(self) -> sqlite3.Connection:
        if self.path is None:
            return self._for_writing(0)
        if self._reader is None:
            # Beside a writer the file changes, whatever a reader that cannot lock it would be told.
            changes = self._writer is not None
            self._reader = _set_to_wait(
                self._connected("ro") if changes else connected_to_read(self.path)
            )
        return self._reader

    def _for_writing(self, deadline: float) -> sqlite3.Connection:
        with self._reading:
            if self._writer is None:
                reader, self._reader = self._reader, None
                if reader is not None:
                    reader.close()
                connection = _set_to_wait(self._connected("rw"))
                try:
                    self._checkpoints = Checkpoints(connection, self.path)
                    set_up(connection, self.place, deadline)
                except BaseException:
                    connection.close()
                    raise
                self._writer = connection
            return self._writer

    def _look(self) -> None:
        """Look at the write-ahead log, and make a checkpoint if it has grown."""
        if self.path is None or self._checkpoints is None:
            return
        found = found_at(self._log)
        inode = None if found is None else (found.st_dev, found.st_ino)
        if self._log_inode is None:
            self._log_inode = inode
        elif inode != self._log_inode:
            self._refuse_what_moved(self._log)
        if found is not None:
            self._checkpoints.look(found.st_size)

    def _connected(self, mode: str) -> sqlite3.Connection:
        # As a URI, so that SQLite does not make a file that has just been taken away.
        name = MEMORY if self.path is None else f"{self.path.as_uri()}?mode={mode}"
        return sqlite3.connect(
            name, uri=self.path is not None, isolation_level=None, check_same_thread=False
        )

    def _in_transaction(self, transaction: Transaction | None = None) -> sqlite3.Connection:
        is_under_way = transaction is None or self.lock.is_under_way(transaction)
        if self._writer is None or not is_under_way or not self._writer.in_transaction:
            raise StoreError(
                f"{self.place}: this transaction was rolled back by an error before, and nothing of"
                " it is kept; leave exclusive(), and record again"
            )
        return self._writer

    def _be_durable(self, db: sqlite3.Connection) -> None:
        self._is_durable = self.durable_users > 0
        db.execute(f"PRAGMA synchronous = {'FULL' if self._is_durable else 'NORMAL'}")

    def _refuse_what_moved(self, what: str) -> None:
        self.moved = what
        self.disconnect()
        self.check_usable()


def _set_to_wait(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute(f"PRAGMA busy_timeout = {SPELL:d}")
    return connection


def found_at(path: str | Path) -> os.stat_result | None:
    """Return what the system says of a file; None where there is none."""
    try:
        return os.stat(path)  # noqa: PTH116  (once a transaction; a Path takes longer)
    except OSError:
        return None


def inode_of(path: str | Path) -> Inode | None:
    """Return what is under a name; None for nothing.

    >>> inode_of("/no/such/file") is None
    True
    """
    found = found_at(path)
    return None if found is None else (found.st_dev, found.st_ino)

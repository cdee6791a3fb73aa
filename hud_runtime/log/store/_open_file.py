"""A database file that is open in this process, once, for any number of stores."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn
from weakref import WeakValueDictionary

from hud_runtime._errors import StoreError, StoreLockedError, StoreReadOnlyError
from hud_runtime._location import MEMORY
from hud_runtime._sqlite_versions import has_wal_reset_bug
from hud_runtime.log.store._files import our_errors, prepare, refuse_what_is_no_database
from hud_runtime.log.store._identity import (
    MOVED,
    Event,
    FileChangedError,
    FileIdentity,
    Inode,
    has_event,
    has_log,
    inode_of,
    own_log,
)
from hud_runtime.log.store._protocol import Transaction, WriteLock
from hud_runtime.log.store._replace import close_untouched, rescue
from hud_runtime.log.store._rows import (
    COUNT_TABLES,
    SPELL,
    Row,
    connected,
    connected_to_read,
    is_busy,
    layout_of,
    patiently,
    set_up,
)

# Checkpoints: from the write-ahead log into the file, even with SQLite's WAL-reset bug.
#
# The bug needs a commit that restarts the write-ahead log while a checkpoint runs. Where SQLite has
# it, automatic checkpoints are off, and ours run while a second connection holds the write lock, so
# that nobody can commit. The last connection also checkpoints on closing, but then it is alone.
#
# A checkpointed log restarts with the next commit, and is then truncated to its limit. So its size
# shows how much is in it, from any writer. A process checks it when it opens a store, at each
# commit, and when it closes, so that the log stays bounded however many processes write.

LARGEST_LOG = 4 * 2**20
"""Bytes of the write-ahead log at which a checkpoint starts: about SQLite's own 1,000 pages."""

STEP = 4
"""The next attempt comes after the log has grown by this part of :data:`LARGEST_LOG`, so that during a long
read not every commit tries in vain.
"""


class Checkpoints:
    """Makes a connection's checkpoints where SQLite must not."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self._path = path
        self._tried_at = 0
        self.are_ours = path is not None and has_wal_reset_bug(sqlite3.sqlite_version_info)
        if self.are_ours:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {LARGEST_LOG:d}").fetchall()

    def look(self, size: int) -> None:
        """Make a checkpoint if the log's size requires it."""
        if size <= LARGEST_LOG:
            self._tried_at = 0
        elif self.are_ours and size >= self._tried_at + LARGEST_LOG // STEP:
            self._tried_at = size
            # The data is committed; a failed checkpoint is tried again later.
            with suppress(sqlite3.Error, OSError):
                self.guarded()

    def guarded(self) -> None:
        """Make a checkpoint while nobody can commit, unless another writer is active."""
        if self._path is None:
            return
        uri = f"{self._path.as_uri()}?mode=rw"  # so that no file is created
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0)) as guard:
            if _has_begun(guard):  # otherwise the log grows a little until the next attempt
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                guard.execute("ROLLBACK")

    def empty(self) -> bool:
        """Empty the write-ahead log; return False while others use it."""
        [(busy, _log, _done)] = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy


def _has_begun(connection: sqlite3.Connection) -> bool:
    """Take the write lock, if it is free."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    return True


FORK_WAIT = 1_000
"""Milliseconds that a fork waits for other threads to finish with a file."""

REFUSED = "so nothing is read or written"


class OpenFile:
    """One database, its connections, and the lock between this process's writers."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.place = MEMORY if path is None else str(path)
        self.inode = None if path is None else inode_of(self.place)
        self.is_inherited = False
        """Whether this process was forked while a parent was using it."""
        self.moved: str | None = None
        """The file that was found deleted, replaced or overwritten, and the measures taken; None if there was none."""
        self.users = 0
        """The number of stores that use it."""
        self.durable_users = 0
        """Those that wait for the disk at each commit; if there are any, all wait."""
        self.lock = WriteLock(self.place)
        self._identity: FileIdentity | None = None
        self._written: Event | None = None
        """The last event of the open transaction."""
        self._changes = 0
        """The number of changed rows when the transaction began."""
        self._reading = threading.RLock()
        self._is_durable: bool | None = None
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._checkpoints: Checkpoints | None = None
        self._paused: Transaction | None = None

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if self.is_inherited:
            return
        try:  # a store was dropped without closing
            self._leave()
        except Exception as error:
            # an interpreter that ends may have taken away the modules first
            if not is_ending() and not isinstance(error, StoreError | sqlite3.Error):
                raise

    def layout(self, deadline: float) -> int:
        """Return the layout of its tables."""
        with self._reading:
            while True:
                version = layout_of(self._for_reading(), self.place, deadline)
                try:
                    if self._identity is None and self.path is not None and has_log(self.path):
                        FileIdentity(self.path).check_company()
                except (FileChangedError, StoreLockedError) as error:
                    self.disconnect()
                    self._wait_a_moment(error, deadline)
                else:
                    return version

    def rows(self, query: str, values: tuple[object, ...], timeout: int) -> list[Row]:
        """Return all rows of a query, from the caller's transaction or the last commit."""
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
        self.check()
        with self._reading:
            self.check_usable()
            return patiently(self._for_reading(), query, values, deadline).fetchall()

    def begin(self, transaction: Transaction, deadline: float) -> sqlite3.Connection:
        """Begin a transaction, or a nested one that can be rolled back alone."""
        if transaction.parent is not None:
            db = self._in_transaction()
            db.execute(f"SAVEPOINT part_{transaction.depth}")
            return db
        db = self._writer or self._for_writing(deadline)
        if db.in_transaction:  # its end was interrupted
            db.execute("ROLLBACK")
        if self._identity is not None:
            self._refuse_after(self._identity.before_use)
        if self._is_durable is not (self.durable_users > 0):
            self._be_durable(db)
        patiently(db, "BEGIN IMMEDIATE", (), deadline)
        self._changes = db.total_changes
        return db

    def written(self, event: Event) -> None:
        """Remember the last written event, which is checked where it may be lost."""
        self._written = event

    def commit(self, transaction: Transaction) -> None:
        """Commit a transaction from :meth:`begin`.

        Raises :class:`StoreError` while a nested one is open.
        """
        db = self._in_transaction(transaction)
        if not self.lock.is_innermost(transaction):
            raise StoreError(
                f"{self.place}: an exclusive() ends before one that was entered within it, so nothing"
                " of both is kept; leave the inner one first"
            )
        if transaction.parent is not None:
            db.execute(f"RELEASE part_{transaction.depth}")
            transaction.committed()
        elif (
            self._identity is None
            or self._checkpoints is None
            or db.total_changes == self._changes  # nothing is acknowledged that could be lost
        ):
            db.execute("COMMIT")
            transaction.committed()
        else:
            try:
                self._identity.before_commit()
                db.execute("COMMIT")
                event, self._written = self._written, None
                size = self._identity.after_commit(event)
            except FileChangedError as change:
                self._refuse(change)
            transaction.committed()
            self._checkpoints.look(size)

    def roll_back(self, transaction: Transaction) -> None:
        """Roll back a transaction from :meth:`begin`, complete or not, if still open.

        SQLite may have done so itself, as after a full disk.
        """
        self._written = None
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
        """Empty the write-ahead log; return False while others use it."""
        self.check_everything()
        is_empty = self._checkpoints is None or self._checkpoints.empty()
        self.check_everything(before_copy=False)  # also updates the known state of the database
        return is_empty

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file, as far as others allow."""
        self.check_everything()
        if self._checkpoints is not None:
            self._checkpoints.guarded()
        self.check_everything(before_copy=False)

    def rewrite(self, deadline: float) -> None:
        """Rewrite the file without deleted data."""
        self.check_everything()
        patiently(self._for_writing(deadline), "VACUUM", (), deadline)
        self.check_everything()

    def copy_into(self, target: sqlite3.Connection) -> None:
        """Copy a database in memory."""
        self._for_writing(0).backup(target)

    def check_usable(self) -> None:
        """Raise :class:`StoreError` for a file that can never be used again.

        That is one that was found replaced (its inode number may be reused), or one inherited while in use.
        """
        if self.moved is not None:
            raise StoreError(self.moved)
        if self.is_inherited:
            raise StoreError(
                f"{self.place}: this process was forked while the store was in use, so what it has"
                " of it cannot be used; fork while nobody reads or writes, or start the process"
                ' afresh, as multiprocessing does with "spawn"'
            )

    def check(self) -> None:
        """Raise :class:`StoreError` if the file at our path is not the opened one."""
        if self.inode is not None and inode_of(self.place) != self.inode:
            self._refuse(FileChangedError(self.place, MOVED))
        if (identity := self._identity) is not None:
            self._refuse_after(identity.before_use)

    def check_everything(self, *, before_copy: bool = True) -> None:
        """Raise :class:`StoreError` if the files differ from their known state."""
        self.check()
        if (identity := self._identity) is not None:
            self._refuse_after(partial(identity.everything, before_copy=before_copy))

    def connect(self, deadline: float) -> None:
        """Open the writing connection, and migrate the tables."""
        self._for_writing(deadline)

    def disconnect(self) -> None:
        """Close the connections; they are reopened on demand.

        The reader is closed first: the last one must be able to empty the write-ahead log.
        """
        self._identity = self._is_durable = self._checkpoints = None
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        for connection in (reader, writer):
            if connection is not None:
                connection.close()

    def connections(self) -> list[sqlite3.Connection]:
        """Return the open connections."""
        return [one for one in (self._reader, self._writer) if one is not None]

    def close_if_unused(self) -> None:
        """Close the connections if no store uses the file, and nobody is writing.

        Raises :class:`StoreError` where a file was changed, and acknowledged events could not be saved.
        """
        if self.users:
            return
        with self.lock.held("closing", None) as is_free:
            if is_free:
                with self._reading:
                    try:
                        self._leave()
                    except StoreError:
                        if self.connections():
                            raise

    def pause(self) -> bool:
        """Before a fork: lock everybody out, and close all that must not be inherited.

        Return False while this thread, or another one for too long, is using the file.
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
            with suppress(StoreError, sqlite3.Error):
                self._leave()
        if self.path is not None and self.connections():  # its events could not be saved
            self.resume()
            return False
        return True

    def resume(self) -> None:
        """After a fork, in the parent."""
        if self._paused is not None:
            self._reading.release()
            self.lock.leave(self._paused)
            self._paused = None

    def inherit(self) -> None:
        """After a fork, in the child, where no other thread exists or holds anything."""
        self.lock = WriteLock(self.place)
        self._reading = threading.RLock()

    def _for_reading(self) -> sqlite3.Connection:
        if self.path is None:
            return self._for_writing(0)
        if self._reader is None:
            # Beside our own writer the file changes, so it must not be opened as immutable.
            changes = self._writer is not None
            self._reader = _set_to_wait(
                self._connected("ro") if changes else connected_to_read(self.path)
            )
        return self._reader

    def _for_writing(self, deadline: float) -> sqlite3.Connection:
        with self._reading:
            while self._writer is None:
                reader, self._reader = self._reader, None
                if reader is not None:
                    reader.close()
                connection = _set_to_wait(self._connected("rw"))
                try:
                    self._checkpoints = Checkpoints(connection, self.path)
                    set_up(connection, self.place, deadline)
                    self._identity = self._identified(connection)
                except (FileChangedError, StoreLockedError) as error:
                    close_untouched(Path(self.place), connection)
                    self._wait_a_moment(error, deadline)
                except BaseException:
                    connection.close()
                    raise
                else:
                    self._writer = connection
            return self._writer

    def _wait_a_moment(self, error: StoreError, deadline: float) -> None:
        """Wait briefly for another process that is opening or closing its files; raise after the deadline."""
        if time.monotonic() > deadline or inode_of(self.place) != self.inode:
            raise error
        time.sleep(0.001)

    def _identified(self, connection: sqlite3.Connection) -> FileIdentity | None:
        """Return the identity of a connection's open files, once all users share them."""
        if self.path is None:
            return None
        connection.execute(COUNT_TABLES).fetchone()  # opens all three files
        if inode_of(self.place) != self.inode:
            raise FileChangedError(self.place, MOVED)
        identity = FileIdentity(self.path, partial(_has, connection))
        identity.check_company()
        return identity

    def _leave(self) -> None:
        """Close the connections after checking the files."""
        self.check_everything(before_copy=self._identity is not None and self._identity.is_alone())
        self.disconnect()

    def _connected(self, mode: str) -> sqlite3.Connection:
        # As a URI, so that SQLite does not recreate a deleted file.
        return connected(MEMORY if self.path is None else f"{self.path.as_uri()}?mode={mode}")

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

    def _refuse_after(self, check: Callable[[], object]) -> None:
        try:
            check()
        except FileChangedError as change:
            self._refuse(change)

    def _refuse(self, change: FileChangedError) -> NoReturn:
        """Save acknowledged events, unless another thread is writing and will do so, and close the files."""
        with self.lock.held("saving what was acknowledged", None) as is_free, self._reading:
            writer, identity = self._writer, self._identity
            is_ours = is_free or self.lock.current() is not None
            if self.moved is None and is_ours:
                done = "open the store again"
                if self.path is not None and identity is not None and writer is not None:
                    if self._reader is not None:
                        self._reader.close()
                        self._reader = None
                    change = identity.named(change)
                    done = self._rescued(self.path, identity, writer, change)
                self.disconnect()
                self.moved = f"{change}, {REFUSED}; {done}"
        self.check_usable()
        raise change

    def _rescued(
        self, path: Path, identity: FileIdentity, writer: sqlite3.Connection, change: StoreError
    ) -> str:
        """Save acknowledged events, and return a report; an error includes the original cause."""
        try:
            with our_errors(self.place):
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                return rescue(path, identity, writer)
        except StoreError as error:
            raise type(error)(
                f"{change}, {REFUSED}; what was acknowledged is not saved yet, which the next use and close()"
                f" try again: {error}"
            ) from error


def _has(connection: sqlite3.Connection, event: Event) -> bool:
    try:
        return has_event(connection, event)
    except sqlite3.DatabaseError as error:  # overwritten pages cannot be read
        return is_busy(error)


def _set_to_wait(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute(f"PRAGMA busy_timeout = {SPELL:d}")
    return connection


# The files that this process has open, each once, and their handling across forks.

_opening = threading.RLock()
"""Held while a file is created, opened or released: a new file is closed once before SQLite opens it."""

_open: WeakValueDictionary[Inode, OpenFile] = WeakValueDictionary()
"""By inode, so that two names of a file share it. Unused files are dropped."""


def open_file(path: Path | None, *, read_only: bool, durable: bool, deadline: float) -> OpenFile:
    """Return the file at a path, or one in memory, for another store.

    Raises :class:`StoreError` with the reason where the file cannot be used.
    """
    if path is None:
        file = OpenFile(None)
        file.connect(deadline)
        return _used(file, durable)
    with _opening:
        for other in _all():
            if other.place == str(path):  # release a file that is no longer at this path first
                with suppress(StoreError):
                    other.check_everything()
        if read_only:
            refuse_what_is_no_database(path)
        else:
            prepare(path)
        inode = inode_of(path)
        if inode is None:
            raise StoreReadOnlyError(
                f"{path}: it cannot be opened; check that it is a file you may read and write"
            )
        known = _open.get(inode)
        file = OpenFile(path) if known is None or known.moved is not None else known
        file.check_usable()
        try:
            with nullcontext() if file is known else own_log(path):
                if read_only:
                    file.layout(deadline)
                else:
                    file.connect(deadline)
        except BaseException:
            with suppress(StoreError):  # the first error is reported
                file.close_if_unused()
            raise
        _open[inode] = file
        return _used(file, durable)


def give_up(file: OpenFile, *, durable: bool) -> None:
    """Release a file for one store; the last one closes it."""
    with _opening:
        file.users -= 1
        file.durable_users -= durable
        if not file.users and file.inode is not None and _open.get(file.inode) is file:
            del _open[file.inode]
    file.close_if_unused()


def _used(file: OpenFile, durable: bool) -> OpenFile:
    file.users += 1
    file.durable_users += durable
    return file


# A fork copies SQLite's memory, in which the file is locked, but not the locks. A child that opened
# the file would be without them, and another process could delete the write-ahead log under it. So
# no file may be open during a fork.

_paused: list[OpenFile] = []
_inherited: list[object] = []


def _before_fork() -> None:
    _opening.acquire()
    _paused.extend(file for file in _all() if file.pause())


def _in_parent() -> None:
    for file in _paused:
        file.resume()
    _paused.clear()
    _opening.release()


def _in_child() -> None:
    global _opening  # noqa: PLW0603  (the thread that held it is not in the child)
    _opening = threading.RLock()
    for file in _all():
        if file in _paused:
            file.inherit()
        else:
            _leave_alone(file)
    _paused.clear()


def _all() -> list[OpenFile]:
    return list(_open.values())


def _leave_alone(file: OpenFile) -> None:
    """Keep the open connections forever: closing them would undo the parent's work."""
    import ctypes

    file.is_inherited = True
    _inherited.append(file)
    for connection in file.connections():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)

"""A store's access to its database file."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Collection, Generator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hud_runtime._errors import (
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime._location import MEMORY
from hud_runtime._progress import progress
from hud_runtime._sqlite_versions import OLDEST_SQLITE
from hud_runtime.log.store._files import (
    may_be_of_changed_files,
    our_error,
    our_errors,
    process_lock,
    size_of,
)
from hud_runtime.log.store._open_file import OpenFile, give_up, open_file
from hud_runtime.log.store._protocol import Transaction
from hud_runtime.log.store._rows import (
    MIGRATIONS,
    READABLE,
    Row,
    Statements,
    connected_to_read,
    is_busy,
    writer_of,
)

SQLITE = Statements(
    among="{} IN (SELECT value FROM json_each(?))",
    size="length(CAST({} AS BLOB))",
    has="instr(words, {}) > 0",
)


__all__ = ["MEMORY", "Database", "Row"]

COPIED = 256
"""Pages copied in one step; other threads run between steps."""


class Database:
    """An open file, for one of several stores, which raises our errors in place of SQLite's.

    >>> db = Database(":memory:", durable=False, busy_timeout=0)
    >>> db.rows("SELECT count(*) FROM hud_event")
    [(0,)]
    >>> db.close()
    """

    statements = SQLITE

    def __init__(
        self, path: str | Path, *, durable: bool, busy_timeout: int, read_only: bool = False
    ) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            oldest = ".".join(map(str, OLDEST_SQLITE))
            raise StoreError(
                f"this Python has SQLite {sqlite3.sqlite_version}; the store needs {oldest}"
            )
        given = None if str(path) == MEMORY else Path(path).expanduser()
        self.path = None if given is None else given.absolute()
        """The file's absolute path, which does not depend on the process's later working folder."""
        self.place = MEMORY if given is None else str(given)
        self.busy_timeout = busy_timeout
        self._read_only = read_only
        self._durable = durable
        self._file: OpenFile | None = None
        self._moment = threading.local()
        with our_errors(self.place):
            file = open_file(
                self.path,
                read_only=read_only,
                durable=durable,
                deadline=self._deadline(),
            )
            self._file = file
            self.layout = file.layout(self._deadline())
        if self.layout < (READABLE if read_only else len(MIGRATIONS)):
            self.close()
            raise StoreVersionError(
                f"{self.place}: its schema is version {self.layout}; open it for writing once, which updates it"
            )

    def alone(self) -> AbstractContextManager[None]:
        """Lock out archiving, purging and erasing in other processes for the duration of the context."""
        return process_lock(self.path, self.busy_timeout)

    def many(self, values: Collection[str]) -> str:
        """Return texts as a single bound value."""
        return json.dumps([*values])

    @property
    def file(self) -> OpenFile:
        """The file. Raises :class:`StoreError` for a closed store."""
        if self._file is None:
            raise StoreError(f"{self.place}: the store was closed; open it again")
        return self._file

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return all rows of a query. Its text is a constant; callers' input is bound.

        They are those of the last commit; within :meth:`writing`, they include what was written there.
        """
        try:
            moment: sqlite3.Connection | None = getattr(self._moment, "connection", None)
            if moment is not None:
                return moment.execute(query, values).fetchall()
            return self.file.rows(query, values, self.busy_timeout)
        except sqlite3.DatabaseError as error:
            raise self.our_error(error) from error

    @contextmanager
    def at_one_moment(self) -> Generator[sqlite3.Connection]:
        """Give this thread a consistent view within the context, whatever others write.

        Yields the connection for reading. A file's one has an empty database ``copy`` attached.
        """
        moment: sqlite3.Connection | None = getattr(self._moment, "connection", None)
        if moment is not None:
            yield moment
        elif self.path is None or self.transaction() is not None:
            with self.writing("a look at everything", has_parts=True) as db:
                yield db
        else:
            self.file.check_everything()
            with self._our_errors(), closing(connected_to_read(self.path)) as db:
                db.execute("ATTACH '' AS copy")
                db.execute("BEGIN")
                db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                self._moment.connection = db
                try:
                    yield db
                finally:
                    del self._moment.connection

    def transaction(self) -> Transaction | None:
        """Return the transaction of the caller's thread and task, if any."""
        return None if self._file is None else self._file.lock.current()

    def writing(self, what: str = "a write", *, has_parts: bool = False) -> WritingContext:
        """Hold the write lock; commit at the end, or roll back after an error.

        Within another ``writing`` of the same thread and task, of any store on the same file, it is nested:
        it can be rolled back alone, and the outer one needs ``has_parts``. ``what`` describes the work to
        those who wait.
        """
        file = self.file
        if self._read_only:
            raise StoreReadOnlyError(f"{self.place}: it was opened read-only; open it for writing")
        return WritingContext(self, file, what, has_parts)

    def refuse_within(self, what: str) -> None:
        """Raise :class:`StoreError` in a transaction: ``what`` affects more than the database."""
        if self.transaction() is not None:
            raise StoreError(
                f"{self.place}: {what} cannot be rolled back, so it is not part of a transaction;"
                " leave exclusive() first"
            )

    def empty_log(self, again: str = "purge again") -> None:
        """Empty the write-ahead log, which still has deleted data for a while.

        :param again: the remedy where it cannot be emptied now.

        Raises :class:`StoreLockedError` while another process reads.
        """
        deadline = self._deadline()
        while True:
            with self._held("a checkpoint") as file:
                if file.empty_log():
                    return
            if time.monotonic() > deadline:
                raise StoreLockedError(
                    f"{self.place}: another process is reading, so the write-ahead log still"
                    f" has what was deleted; {again} when that process is done"
                )

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file, as far as others allow; the log file keeps its size."""
        with suppress(StoreLockedError, StoreFullError), self._held("a checkpoint") as file:
            file.checkpoint()

    def rewrite(self) -> None:
        """Rewrite the file without deleted data."""
        with self._held("rewriting the file") as file:
            file.rewrite(self._deadline())

    def copy_into(self, target: sqlite3.Connection) -> None:
        """Copy the database as of this moment, page by page, while others write."""
        with self._our_errors():
            if self.path is None:
                with self._held("a backup") as file:
                    file.copy_into(target)
                return
            self.file.check_everything()
            with closing(connected_to_read(self.path)) as source:
                # One transaction: otherwise each write of another process would restart the copy.
                source.execute("BEGIN")
                source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                steps = iter(progress(count(), "copying the store, in steps"))

                def step(_status: int, _left: int, _pages: int) -> None:
                    next(steps)

                source.backup(target, pages=COPIED, progress=step)

    def close(self) -> None:
        """Release the file. Closing twice is safe."""
        file, self._file = self._file, None
        if file is not None:
            give_up(file, durable=self._durable)

    def our_error(self, error: sqlite3.DatabaseError) -> StoreError:
        """Return an SQLite error as one of ours, with the writer that was waited for, or the changed file.

        SQLite reports a file that another program has changed as damaged, or as a full disk.
        """
        if self._file is not None and may_be_of_changed_files(error):
            try:
                self._file.check_everything(before_copy=False)
            except StoreError as change:
                return change
        writer = writer_of(self.path) if self.path is not None and is_busy(error) else None
        if writer is None:
            return our_error(self.place, error)
        return StoreLockedError(
            f"{self.place}: process {writer} is writing and did not finish within"
            f" {self.busy_timeout / 1_000:g} s; try again ({error})"
        )

    @contextmanager
    def _held(self, what: str) -> Generator[OpenFile]:
        """Lock out other writers of this process, without a transaction."""
        file = self.file
        with file.lock.held(what, self.busy_timeout), self._our_errors():
            yield file

    @contextmanager
    def _our_errors(self) -> Generator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self.our_error(error) from error

    def _deadline(self) -> float:
        return time.monotonic() + self.busy_timeout / 1_000


@dataclass(eq=False, slots=True)
class WritingContext:
    """The context of :meth:`Database.writing`; a class, because generators are measurably slower."""

    database: Database
    file: OpenFile
    what: str
    has_parts: bool
    _transaction: Transaction | None = None

    def __enter__(self) -> sqlite3.Connection:
        file = self.file
        file.check_usable()
        if self.has_parts:
            file.check()
        deadline = time.monotonic() + self.database.busy_timeout / 1_000
        self._transaction = transaction = file.lock.enter(
            self.what, self.database.busy_timeout, is_busy=True
        )
        try:
            db = file.begin(transaction, deadline)
            transaction.is_busy = not self.has_parts
            return db  # noqa: TRY300  (an interrupt may come here as well)
        except BaseException as error:
            self._undo(error)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        transaction = self._transaction
        if transaction is None:
            return
        try:
            transaction.is_busy = True
            if error is None:
                if self.has_parts:  # it may have taken long
                    self.file.check()
                self.file.commit(transaction)
        except BaseException as failure:
            self._undo(failure)
            raise
        if error is not None:
            self._undo(error)
        else:
            self._leave()

    def __del__(self) -> None:
        # An interrupt may come before the first line of __exit__; nothing else would end the
        # transaction.
        if getattr(self, "_transaction", None) is not None:
            with suppress(StoreError):
                self._undo(None)

    def _undo(self, error: BaseException | None) -> None:
        try:
            self._roll_back()
        except BaseException:  # interrupted midway: completed steps stay completed
            self._roll_back()
            raise
        finally:
            self._leave()
        if isinstance(error, sqlite3.DatabaseError):
            raise self.database.our_error(error) from error

    def _roll_back(self) -> None:
        if self._transaction is not None:
            self.file.roll_back(self._transaction)

    def _leave(self) -> None:
        file, transaction = self.file, self._transaction
        if transaction is not None:
            file.lock.leave(transaction)
        self._transaction = None
        if not file.users:  # the store was closed meanwhile
            file.close_if_unused()


# A checkpoint on request: the log's bytes, and the process that blocks it.


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """The result of a checkpoint."""

    before: int
    """Bytes in the write-ahead log before."""

    after: int
    """Bytes left in it; 0 when everything is in the database."""

    blocked: str = ""
    """The reason why some are left, or empty."""


def checkpointed(database: Database) -> CheckpointResult:
    """Copy the write-ahead log into the database, and truncate it.

    A reader or writer that outlasts the time-out blocks it: then as much is copied as possible.
    """
    if database.path is None:
        return CheckpointResult(0, 0)
    log = database.path.with_name(f"{database.path.name}-wal")
    before, blocked = size_of(log), ""
    try:
        database.empty_log()
    except StoreLockedError:
        blocked = "another process reads from the store, or writes to it; try again when it is done"
        database.checkpoint()
    return CheckpointResult(before, size_of(log), blocked)

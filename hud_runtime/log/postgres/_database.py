"""A store's access to a PostgreSQL database, and the migration of its tables by one process at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

import psycopg

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreUnavailableError,
    StoreVersionError,
)
from hud_runtime._fork import mutex
from hud_runtime.log.postgres._connections import AGAIN, Connections, Link, is_broken
from hud_runtime.log.postgres._schema import LAYOUT, MIGRATIONS, OLDEST_SERVER
from hud_runtime.log.store._files import Archive, ArchiveFiles
from hud_runtime.log.store._protocol import Caller, Transaction, WriteLock, caller
from hud_runtime.log.store._rows import MIGRATIONS as SQLITE_LAYOUTS
from hud_runtime.log.store._rows import Row, Statements

ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('layout of ujsx', 0))"
"""Lets one process at a time create tables in a database."""

# By a query of the catalog, which sees tables that another process has just created; to_regclass
# may not.
IS_THERE = (
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname = 'hud_layout' AND relkind = 'r'"
    " AND pg_table_is_visible(oid))"
)


def migrate(link: Link, connections: Connections) -> int:
    """Migrate a database's tables to the newest layout, unless it is opened read-only, and return it.

    Raises :class:`StoreVersionError` for a newer layout, or an older one in read-only mode;
    :class:`StoreError` for an unsuitable server.
    """
    place = connections.place
    if link.info.server_version < 10_000 * OLDEST_SERVER:
        raise StoreError(
            f"{place}: this is PostgreSQL {link.info.server_version // 10_000}; the store needs"
            f" {OLDEST_SERVER}"
        )
    [(encoding,)] = link.execute("SELECT current_setting('server_encoding')").fetchall()
    if encoding != "UTF8":
        raise StoreError(
            f"{place}: the database's encoding is {encoding}, and texts of agents need UTF8; make it"
            " with createdb --encoding=UTF8 --template=template0"
        )
    layout = _layout(link)
    if layout < len(MIGRATIONS) and not connections.read_only:
        with link.transaction():
            link.execute(ALONE)
            layout = _layout(link)
            _make(link, layout)
            layout = max(layout, len(MIGRATIONS))
    if layout > len(MIGRATIONS):
        raise StoreVersionError(
            f"{place}: its schema is version {layout}, this ujsx knows up to {len(MIGRATIONS)}:"
            " update ujsx"
        )
    if layout == 0:
        raise StoreError(f"{place}: there is no store in this database yet; record something")
    if layout < len(MIGRATIONS):
        raise StoreVersionError(
            f"{place}: its schema is version {layout}; open it for writing once, which updates it"
        )
    return layout


def _layout(link: Link) -> int:
    if link.execute(IS_THERE).fetchall() == [(False,)]:
        return 0
    [(layout,)] = link.execute("SELECT layout FROM hud_layout").fetchall()
    return int(str(layout))


def _make(link: Link, layout: int) -> None:
    if layout == 0:
        link.execute(LAYOUT)
        link.execute("INSERT INTO hud_layout VALUES (0)")
    for number, script in enumerate(MIGRATIONS[layout:], layout + 1):
        link.execute(script.encode())
        link.execute("UPDATE hud_layout SET layout = %s", (number,))


POSTGRES = Statements(
    among="{} = ANY(?)",
    size="octet_length({})",
    has="strpos(words, {}) > 0",
)

APPEND = "SELECT hud_append(?, ?, ?, ?)"
"""Appends events, given as JSON; see ``_schema.FUNCTIONS``."""

LOCK = "SELECT pg_advisory_xact_lock(hud_key(?, ?))"
"""Waits for a lock, held until the end of the transaction."""

OWN_NUMBER = "SELECT pg_current_xact_id_if_assigned()::text"
"""The transaction's id, by which the server reports its outcome later; null where nothing was written."""

HAS_EVENT = "SELECT 1 FROM hud_event WHERE session_id = %s AND version = %s AND id = %s"
"""Finds an event by its place and its id."""

HOLDERS = """
SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start)
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND ((classid::bigint << 32) | objid::bigint) = hud_key(?, ?)
"""
"""The holders of a lock."""


_locks: WeakValueDictionary[tuple[frozenset[tuple[str, str]], str], WriteLock] = (
    WeakValueDictionary()
)
"""Locks between threads and tasks, by store and session."""

_guard = mutex()


def _lock_of(connections: Connections, session: str) -> WriteLock:
    with _guard:
        return _locks.setdefault((connections.key, session), WriteLock(connections.place))


@lru_cache(maxsize=256)
def in_psycopg(query: str) -> bytes:
    """Return a statement with psycopg's placeholders.

    >>> in_psycopg("SELECT version FROM hud_event WHERE session_id = ?")
    b'SELECT version FROM hud_event WHERE session_id = %s'
    """
    return query.replace("%", "%%").replace("?", "%s").encode()


class TransactionConnection:
    """A connection within a transaction, which raises our errors in place of PostgreSQL's."""

    __slots__ = ("_connections", "_is_busy", "_link", "appended")

    def __init__(self, link: Link, connections: Connections) -> None:
        self.appended: tuple[str, int, str] | None = None
        """Session, version and id of the last appended event; if it exists, the transaction was committed."""
        self._link = link
        self._connections = connections
        self._is_busy = False

    def execute(self, query: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[Row]:
        """Run a statement with these values."""
        with self._busy():
            return self._link.execute(in_psycopg(query), values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement for each of the rows."""
        with self._busy(), self._link.cursor() as cursor:
            cursor.executemany(in_psycopg(query), rows)

    def copy(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Write rows by a ``COPY … FROM STDIN`` statement."""
        with self._busy(), self._link.cursor() as cursor, cursor.copy(query.encode()) as into:
            for row in rows:
                into.write_row(row)

    @contextmanager
    def _busy(self) -> Generator[None]:
        """Reserve the connection, even against a signal handler that interrupts its user."""
        if self._is_busy:
            raise StoreLockedError(
                f"{self._connections.place}: this call has interrupted another one in the same transaction,"
                " as a signal handler does: let the handler set a flag, or put what it has to say into a"
                " queue.SimpleQueue, and record it outside of the handler"
            )
        self._is_busy = True
        try:
            yield
        except psycopg.Error as error:
            if is_broken(error):
                self._link.close()
            raise self._connections.our_error(error) from error
        finally:
            self._is_busy = False


@dataclass(slots=True)
class Inside:
    """A transaction in progress: its owner, its connection, and its locks."""

    transaction: Transaction
    bound: TransactionConnection
    held: ExitStack


def _roll_back(link: Link) -> None:
    with suppress(psycopg.Error):
        link.rollback()


class PostgresDatabase:
    """A database of a server. See :class:`hud_runtime.log.store._rows.Engine`."""

    statements = POSTGRES
    layout = len(SQLITE_LAYOUTS)

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.place = connections.place
        self._inside: dict[Caller, Inside] = {}
        self._moment = threading.local()

        def open_(link: Link, is_again: bool) -> int:
            return migrate(link, connections)

        self.own_layout = connections.again(open_, "nothing was read", alone=True)

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return all rows of a query, as of the last commit or within the caller's transaction."""
        inside = self._inside.get(caller()) if self._inside else None
        if inside is not None:
            return inside.bound.execute(query, values).fetchall()
        moment: TransactionConnection | None = getattr(self._moment, "bound", None)
        if moment is not None:
            return moment.execute(query, values).fetchall()
        text = in_psycopg(query)

        def work(link: Link, is_again: bool) -> list[Row]:
            return link.execute(text, values).fetchall()

        return self.connections.again(work, "nothing was read")

    @contextmanager
    def at_one_moment(self) -> Generator[None]:
        """Give this thread a consistent view within the context, whatever others write."""
        if self.transaction() is not None or getattr(self._moment, "bound", None) is not None:
            yield
            return
        link = self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", "a look")
        self._moment.bound = TransactionConnection(link, self.connections)
        try:
            with self.connections.taken_back(link):
                yield
        finally:
            del self._moment.bound
            _roll_back(link)
            self.connections.give_back(link)

    def transaction(self) -> Transaction | None:
        """Return the transaction of the caller's thread and task, if any."""
        inside = self._inside.get(caller()) if self._inside else None
        return None if inside is None else inside.transaction

    @contextmanager
    def writing(
        self, what: str = "a write", *, has_parts: bool = False, session: str | None = None
    ) -> Generator[TransactionConnection]:
        """Begin a transaction, or one nested in the caller's, which an error rolls back alone.

        :param session: a session to lock against other writers.
        """
        inside = self._inside.get(caller())
        if inside is None:
            with self._whole(what, session) as bound:
                yield bound
        else:
            with self._part(inside, what, session) as bound:
                yield bound

    @contextmanager
    def alone(self) -> Generator[TransactionConnection]:
        """Lock out archiving, purging and erasing by others for the duration of the context."""
        what = "archiving, a purge or an erasure"
        with self.writing(what, has_parts=True) as bound:
            self.lock(bound, "keeping", "", what)
            yield bound

    @contextmanager
    def held(self, session: str, what: str, *, is_busy: bool) -> Generator[Transaction]:
        """Lock out this process's other threads and tasks from writing to a session.

        :param is_busy: whether a signal handler that comes meanwhile is refused.
        """
        lock = _lock_of(self.connections, session)
        transaction = lock.enter(what, self.connections.busy_timeout, is_busy=is_busy)
        try:
            yield transaction
        finally:
            lock.leave(transaction)

    def many(self, values: Collection[str]) -> list[str]:
        """Return texts as a single bound value."""
        return [*values]

    def locked_error(self, kind: str, name: str, what: str) -> StoreLockedError:
        """Return the error for a lock that another user held too long."""

        def ask(link: Link, is_again: bool) -> list[Row]:
            return link.execute(in_psycopg(HOLDERS), (kind, name)).fetchall()

        found = self.connections.again(ask, "nothing was written")
        who = "; ".join(
            f'process {pid} of the server, of "{program}", since {float(since or 0):.1f} s'
            for pid, program, since in found
        )
        return StoreLockedError(
            f"{self.place}: {what} waits for {who or 'another one who was writing'}, which did not end"
            f" within {self.connections.busy_timeout / 1_000:g} s, so nothing was written; try again"
        )

    def close(self) -> None:
        """Release the server. Closing twice is safe."""
        self.connections.close()

    @contextmanager
    def _whole(self, what: str, session: str | None) -> Generator[TransactionConnection]:
        who = caller()
        with ExitStack() as held:
            begun: Transaction | None = None
            if session is not None:
                begun = held.enter_context(self.held(session, what, is_busy=True))
            link = self._begun("BEGIN", what, session)
            held.callback(self.connections.give_back, link)
            if begun is not None:
                begun.is_busy = False
            bound = TransactionConnection(link, self.connections)
            transaction = Transaction(who, what)
            self._inside[who] = Inside(transaction, bound, held)
            try:
                with self.connections.taken_back(link):
                    yield bound
                    [(number,)] = bound.execute(OWN_NUMBER).fetchall()
                self._commit(link, number, bound.appended)
            except BaseException:
                _roll_back(link)
                raise
            finally:
                del self._inside[who]
        transaction.committed()

    def _begun(self, begin: str, what: str, session: str | None = None) -> Link:
        """Begin a transaction, and lock its session; retry on another connection if one breaks."""

        def work(link: Link, is_again: bool) -> Link:
            link.execute(begin.encode())
            if session is not None:
                try:
                    link.execute(in_psycopg(LOCK), ("session", session))
                except psycopg.Error:
                    _roll_back(link)
                    raise
            return link

        try:
            return self.connections.again(work, "nothing was recorded", keeps=True)
        except StoreLockedError:
            raise self.locked_error("session", session or "", what) from None

    @contextmanager
    def _part(
        self, inside: Inside, what: str, session: str | None
    ) -> Generator[TransactionConnection]:
        whole = inside.transaction
        part = Transaction(whole.caller, what, whole)
        if session is not None:  # until the outer transaction ends, as the server's lock does
            self._hold(inside, session, what)
        point = f"part_{part.depth}"
        appended = inside.bound.appended
        inside.bound.execute(f"SAVEPOINT {point}")
        inside.transaction = part
        try:
            if session is not None:
                self.lock(inside.bound, "session", session, what)
            yield inside.bound
            inside.bound.execute(f"RELEASE SAVEPOINT {point}")
        except BaseException:
            inside.bound.appended = appended
            with suppress(StoreError):
                inside.bound.execute(f"ROLLBACK TO SAVEPOINT {point}")
                inside.bound.execute(f"RELEASE SAVEPOINT {point}")
            raise
        finally:
            inside.transaction = whole
        part.committed()

    def _hold(self, inside: Inside, session: str, what: str) -> None:
        """Take this process's lock on a session, too, unless another thread has it.

        That thread is waited for at the server, which detects deadlocks.
        """
        lock = _lock_of(self.connections, session)
        try:
            taken = lock.enter(what, 0)
        except StoreLockedError:
            if lock.is_of_this_thread():
                raise
        else:
            inside.held.callback(lock.leave, taken)

    def lock(self, bound: TransactionConnection, kind: str, name: str, what: str) -> None:
        """Wait for an advisory lock, held until the end of the transaction."""
        try:
            bound.execute(LOCK, (kind, name))
        except StoreLockedError as error:
            if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise self.locked_error(kind, name, what) from None
            raise

    def _commit(
        self, link: Link, number: str | None, appended: tuple[str, int, str] | None
    ) -> None:
        """Commit. If the connection breaks meanwhile, ask the server for the outcome of a transaction that wrote."""
        try:
            link.execute("COMMIT")
        except psycopg.Error as error:
            if not (link.closed or is_broken(error)):
                raise self.connections.our_error(error) from None
            link.close()
            if number is not None and not self._was_committed(number, appended):
                with self.connections.taken_back(link):
                    raise self.connections.our_error(error) from None

    def _was_committed(self, number: str, appended: tuple[str, int, str] | None) -> bool:
        """Ask the server whether a transaction was committed; raise if that is unknown.

        After a crash or a failover, a transaction id may be reused, and the status is another one's. Then
        an appended event does not exist.
        """
        deadline = time.monotonic() + self.connections.busy_timeout / 1_000

        def ask(link: Link, is_again: bool) -> object:
            try:
                [(found,)] = link.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchall()
            except psycopg.errors.InvalidParameterValue:  # an id that is not yet assigned
                return "aborted"
            if (
                found == "committed"
                and appended
                and not link.execute(HAS_EVENT, appended).fetchall()
            ):
                return "aborted"
            return found

        status: object = "in progress"
        while status == "in progress" and time.monotonic() < deadline:
            try:
                status = self.connections.again(ask, "", insists=True)
            except StoreUnavailableError:
                status = "in progress"
            if status == "in progress":
                time.sleep(AGAIN)
        if status in {"committed", "aborted"}:
            return status == "committed"
        raise StoreUnavailableError(
            f"{self.place}: the connection broke while a transaction was committed, and the server did not"
            " come back in time: it is not known whether it was recorded; read the session before you"
            " record again"
        ) from None


# The archive of events: compressed, in a table of its own, within the same transactions.


class FilesInTable(ArchiveFiles):
    """An :class:`ArchiveFiles` that is the table ``hud_archive_file``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def keep(self, name: str, content: bytes) -> None:
        """Store content under a name."""
        with self._db.writing("archiving") as db:
            db.execute(
                "INSERT INTO hud_archive_file (file, content) VALUES (?, ?)", (name, content)
            )

    def get(self, name: str) -> bytes:
        """Return content."""
        for (content,) in self._db.rows(
            "SELECT content FROM hud_archive_file WHERE file = ?", name
        ):
            return bytes(content)
        raise StoreDamagedError(
            f"{self._db.place}: archived events are in the file {name}, and it is not there; restore a"
            " backup of the server"
        )

    def drop(self, name: str) -> None:
        """Delete content, if present."""
        with self._db.writing("archiving") as db:
            db.execute("DELETE FROM hud_archive_file WHERE file = ?", (name,))

    def names(self) -> frozenset[str]:
        """Return the names of all content."""
        return frozenset(name for (name,) in self._db.rows("SELECT file FROM hud_archive_file"))


class ArchiveInTables(Archive):
    """The archived part of a store in PostgreSQL."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database, FilesInTable(database))

    def sweep(self) -> None:
        """Delete files that no row names, in one statement, because others archive meanwhile."""
        with self._db.writing("archiving") as db:
            db.execute(
                "DELETE FROM hud_archive_file WHERE NOT EXISTS"
                " (SELECT 1 FROM hud_archive WHERE hud_archive.file = hud_archive_file.file)"
            )

"""The event store in a PostgreSQL database, for agents on many machines.

An append is one statement: it waits for the session's lock alone, and is committed when it returns. Where
the connection breaks meanwhile it is made once more, and the events' ids tell whether it was done.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime._errors import ConcurrencyError, StoreError, StoreLockedError
from hud_runtime.events import Event
from hud_runtime.postgres._archive import ArchiveInTables
from hud_runtime.postgres._connections import Link
from hud_runtime.postgres._database import PostgresDatabase, in_psycopg
from hud_runtime.postgres._figures import figures, other_texts
from hud_runtime.postgres._listen import notices, number_of, wait_for
from hud_runtime.postgres._search import TextSearch
from hud_runtime.postgres._statements import APPEND
from hud_runtime.postgres._text import without_nulls
from hud_runtime.store._engine import Connection, Row
from hud_runtime.store._erase import Change, Note, Traces
from hud_runtime.store._figures import Figure
from hud_runtime.store._log_store import LogStore
from hud_runtime.store._protocol import Damage, Hit
from hud_runtime.store._purge import OWNED
from hud_runtime.store._verify import log_damages

BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one, and for a server that went away."""

_as_json = msgspec.json.Encoder().encode

PURGED = -1
"""What an append to a purged session returns."""

TOMBSTONE = (
    "INSERT INTO hud_tombstone (session_id, events, position)"
    " SELECT ?, ?, coalesce(max(position), 0) FROM hud_event WHERE session_id = ?"
    " ON CONFLICT DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class _Index:
    """The place of events' texts beside the log: the search index."""

    database: PostgresDatabase
    search: TextSearch

    def drop_first(self) -> None:
        pass  # all is one transaction

    def drop(self, db: Connection, event: Event) -> None:
        db.execute(
            "DELETE FROM hud_search WHERE session_id = ? AND version = ?",
            (event.session_id, event.version),
        )

    def write_anew(self) -> None:
        pass  # PostgreSQL's own VACUUM does, and its backups are kept elsewhere


class PostgresEventStore(LogStore):
    """An :class:`EventStore` in a PostgreSQL database: ``postgresql://user@host/database``.

    :param address: what libpq takes, as an address or as ``name=value`` pairs.
    :param durable: let each commit wait for the server's disk, where the server would not.
    :param busy_timeout: milliseconds that a writer waits for another one, and any call, opening too, for a server that
        is away or full.
    :param read_only: then nothing is written, not even the tables of an empty database.
    :param connections: how many the store has at most; ``$UJSX_POSTGRES_CONNECTIONS``, or 8, when it is not given.
    """

    def __init__(
        self,
        address: str,
        *,
        durable: bool = False,
        busy_timeout: int = BUSY_TIMEOUT,
        read_only: bool = False,
        connections: int | None = None,
    ) -> None:
        database = PostgresDatabase(
            address,
            durable=durable,
            busy_timeout=busy_timeout,
            read_only=read_only,
            connections=connections,
        )
        super().__init__(database, ArchiveInTables(database))
        self.breaker = database.connections.breaker
        self._db: PostgresDatabase = database
        self.layout = database.own_layout
        """The version of the tables."""
        self._search = TextSearch(database)

    @property
    def identity(self) -> str:
        """The identity of the store, as a digest."""
        return self._db.connections.identity

    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Row]) -> None:
        """Append events as rows; see :meth:`LogStore.append_rows`."""
        if not rows:
            return
        values = (session_id, expected_version, _events(rows))
        if self._db.transaction() is not None:
            with self._db.writing("a record", session=session_id) as db:
                [(actual,)] = db.execute(APPEND, (*values, False)).fetchall()
                self._check(session_id, expected_version, int(actual))
                db.appended = session_id, expected_version + len(rows), str(rows[-1][0])
            return
        text = in_psycopg(APPEND)

        def work(link: Link, is_again: bool) -> int:
            [(actual,)] = link.execute(text, (*values, is_again)).fetchall()
            return int(str(actual))

        unknown = (
            "it is not known whether it was recorded: read the session before you record again"
        )
        with self._db.held(session_id, "a record", is_busy=True):
            try:
                actual = self._db.connections.again(work, unknown)
            except StoreLockedError:
                raise self._db.locked_error("session", session_id, "a record") from None
        self._check(session_id, expected_version, actual)

    def _check(self, session_id: str, expected: int, actual: int) -> None:
        """Say why an append was refused, if it was."""
        if actual == expected:
            return
        if actual == PURGED or self.is_purged(session_id):
            raise StoreError(
                f'session "{session_id}" was purged: its id is not used again; use another name'
            )
        raise ConcurrencyError(session_id, expected=expected, actual=actual)

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Keep everybody else from appending to the session; see :meth:`EventStore.exclusive`.

        Other sessions are written to meanwhile.
        """
        what = f'exclusive() of session "{session_id}"'
        with self._db.writing(what, has_parts=True, session=session_id):
            yield

    def all_rows(self, after: int) -> Iterator[tuple[int, Row]]:
        """Yield all rows with their positions; see :meth:`EventStore.read_all`.

        It ends before the first position that another one's transaction has taken and not committed, so
        that who goes on from the last one misses nothing.
        """
        [(settled,)] = self._db.rows("SELECT hud_settled()")
        if self._db.transaction() is not None:
            [(settled,)] = self._db.rows("SELECT last_value FROM hud_position")
        for position, row in super().all_rows(after):
            if position > settled:
                return
            yield position, row

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``; see :meth:`EventStore.search`."""
        return self._search.find(query, session, limit, after)

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait until a session goes on behind a version, for so many seconds at most; return its last one.

        The server tells it at once; now and then it is looked at, for what was not told.
        """
        return wait_for(self._db, lambda: self.head(session_id).version, session_id, after, timeout)

    def number_of(self, session_id: str) -> int:
        """Return the number by which :meth:`notices` name a session."""
        return number_of(self._db, session_id)

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield the number of a session each time that one goes on, as the server tells it."""
        return notices(self._db, lambda: 0.0 if is_over() else every)

    @tried_again
    def archive(self, session_id: str) -> int:
        """Move what came before the last compaction to a table of its own, compressed."""
        with self._db.alone(), self.exclusive(session_id):
            self._search.catch_up(session_id)
            return self._archive.move(session_id)

    @tried_again
    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all that belongs to these sessions, in one transaction."""
        events: dict[str, int] = {}
        with self._db.alone() as db:
            for session_id in sorted(session_ids):  # all wait in one order
                with self._db.writing("a purge", session=session_id):
                    events[session_id] = self.head(session_id).version
                    db.execute(TOMBSTONE, (session_id, events[session_id], session_id))
                    for table in (*OWNED, "hud_search"):
                        db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
            self._archive.sweep()
        return {each: events[each] for each in session_ids}

    @tried_again
    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event; see :meth:`LogStore.erase`. The index is made anew of what is left."""
        with self._db.alone(), self.exclusive(session_id):
            fields = super().erase(session_id, version, change, note)
            self._search.catch_up(session_id)
        return fields

    @property
    def _traces(self) -> Traces:
        return _Index(self._db, self._search)

    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind of data, and what bounds it."""
        return figures(self._db)

    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts that are no events', nor made of events: table, column, session and text."""
        yield from other_texts(self._db)

    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        return (log_damages(self._db, self._archive),)

    def close(self) -> None:
        """Let go of the server. Closing twice is no error."""
        self._db.close()


def _events(rows: Sequence[Row]) -> str:
    """Return events as ``hud_append`` takes them: one text is sent quicker than eight arrays."""
    made = [
        (without_nulls(id_), without_nulls(type_), *envelope, without_nulls(payload), digest.hex())
        for id_, _, _, type_, *envelope, payload, digest in rows
    ]
    return _as_json(made).decode()

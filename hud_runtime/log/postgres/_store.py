"""The event store in a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

import msgspec
from psycopg.sql import SQL, Identifier

from hud_runtime._breaker import tried_again
from hud_runtime._errors import (
    SearchError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreUnavailableError,
)
from hud_runtime.log.events import Event
from hud_runtime.log.postgres._connections import Connections, Link, our_errors, without_nulls
from hud_runtime.log.postgres._database import (
    APPEND,
    ArchiveInTables,
    PostgresDatabase,
    in_psycopg,
)
from hud_runtime.log.store._erase import Change, Note
from hud_runtime.log.store._log_store import BOUNDS, KINDS, OTHER, Figure, LogStore
from hud_runtime.log.store._protocol import Damage, Hit
from hud_runtime.log.store._rows import COLUMNS, OWNED, PURGED, Row, StoreConnection, from_row
from hud_runtime.log.store._search import (
    TOLD,
    Query,
    SearchedEvent,
    check_page,
    ranking,
    values,
)
from hud_runtime.log.store._sqlite import log_damages

# Waiting for new events: by the server's notifications, with polls for missed ones.

LOOK_EVERY = 2.0
"""Seconds between two polls."""


# Full-text search over the texts of events, with the SQLite store's words.
#
# PostgreSQL's parsers are made for languages, and take ``src/auth/jwt.py`` for one word. So texts
# are split here, as in :mod:`hud_runtime.log.store._search`, and a ``tsvector`` of the words finds
# candidates. In those, each word of a query is searched for literally: its parts in sequence, the
# last one as a prefix.
#
# The index follows the log: it adds new events before it answers. So no answer misses an event, and
# an append writes no page of the index.

PAGE = 1_000
"""Events that are indexed in one transaction."""

LONGEST = 64
"""Characters of a word in the index; the rest is compared in the text."""

ROOM = 900_000
"""Bytes of distinct words that are indexed of a text: a tsvector holds one megabyte
(postgresql.org/docs/current/textsearch-limitations.html).
"""

BEHIND = 20_000
"""Events not yet in the index that a read-only user scans."""

NEW = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE position > ? AND session_id NOT IN"
    f" ({PURGED}) AND (CAST(? AS TEXT) IS NULL OR session_id = ?) AND NOT EXISTS (SELECT 1 FROM"
    " hud_search WHERE hud_search.position = hud_event.position) ORDER BY position LIMIT ?"
)
"""Events not yet in the index, of all sessions or of one."""

IS_CURRENT = (
    "SELECT coalesce((SELECT max(position) FROM hud_event), 0)"
    " <= (SELECT max(position) FROM hud_searched)"
)

KEEP = f"COPY hud_search (position, {TOLD}, words, lexemes) FROM STDIN"

IN_ALL = "(lexemes @@ CAST(? AS tsquery) OR lexemes IS NULL)"

IN_ONE = "(lexemes @@ CAST(? AS tsquery)) IS NOT FALSE AND session_id = ?"
"""Within a session its own rows are scanned: an index of words cannot select one session's among many."""

FOUND = f"hud_search WHERE {{fits}} AND session_id NOT IN ({PURGED})"
"""Events in the index, read from the newest on where many may match, and only as far as needed."""

FOUND_BESIDE = f"""(
    SELECT position, {TOLD}, words FROM {FOUND}
    UNION ALL
    SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]),
        CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
) AS found (position, {TOLD}, words) WHERE TRUE"""
"""The same, with rows passed in that are not there yet."""


class TextSearch:
    """The tables ``hud_search`` and ``hud_searched``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return the events with all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked = Query.of(query)
        missing: list[SearchedEvent] = []
        try:
            self.catch_up()
        except (StoreReadOnlyError, StoreLockedError):  # or another process is indexing for long
            missing = self._unindexed(session_id)
        if not asked.phrases:
            return []
        given = [*zip(*(entry.told() for entry in missing), strict=True)]
        found = FOUND_BESIDE if missing else FOUND
        rows = self._db.rows(
            ranking(
                self._db.statements,
                f"position, {TOLD}",
                found.format(fits=IN_ALL if session_id is None else IN_ONE),
                len(asked.phrases),
            ),
            *values(
                asked.texts,
                (
                    _expression(asked.phrases),
                    *(() if session_id is None else (session_id,)),
                    *map(list, given),
                ),
                limit,
                after,
            ),
        )
        return [asked.hit(row[1:-2]) for row in rows]

    def catch_up(self, session_id: str | None = None) -> None:
        """Index the events appended since the last time, or those of one session that are missing."""
        if session_id is None and self.is_current():
            return
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        if session_id is not None:
            after = 0
        while after is not None:
            after = self._index_page(after, session_id)

    @tried_again
    def _index_page(self, after: int, session_id: str | None) -> int | None:
        """Index a page of events after a position; return the last one's position, or None at the end."""
        what = "a search, which brings its index up to date"
        with self._db.writing(what, has_parts=True) as db:
            # One at a time: later ones find little left to do.
            self._db.lock(db, "search", "", what)
            [(settled,)] = db.execute("SELECT hud_settled()").fetchall()
            rows = db.execute(NEW, (after, session_id, session_id, PAGE)).fetchall()
            # Other writers of the index wait for its lock, so missing events are still missing.
            db.copy(KEEP, ((*entry.told(), lexemes(entry.words)) for entry in _entries(rows)))
            last: int | None = rows[-1][0] if len(rows) == PAGE else None
            if session_id is None:
                reached = settled if last is None else min(last, settled)
                db.execute(
                    "UPDATE hud_searched SET position = ? WHERE position < ?",
                    (reached, reached),
                )
        return last

    def is_current(self) -> bool:
        """Tell whether the index has all events."""
        return self._db.rows(IS_CURRENT) == [(True,)]

    def _unindexed(self, session_id: str | None) -> list[SearchedEvent]:
        """Return the events not yet in the index, for a user who cannot write it now."""
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        rows = self._db.rows(NEW, after, session_id, session_id, BEHIND + 1)
        if len(rows) > BEHIND:
            raise SearchError(
                f"{self._db.place}: more than {BEHIND:,} events are not in the search index, and it cannot"
                " be written from here; search once with a role that may write"
            )
        return [*_entries(rows)]


def lexemes(words: str) -> str | None:
    """Return the distinct indexed words of an entry as a tsvector; None for too many."""
    different = "\n".join({word[:LONGEST] for word in words.split()})
    if len(different.encode()) >= ROOM:
        return None
    return _quoted(different).replace("\n", "' '") if different else ""


def _entries(rows: Iterable[Row]) -> Iterator[SearchedEvent]:
    for position, *row in rows:
        entry = SearchedEvent.of(position, from_row(tuple(row)))
        if entry is not None:
            yield entry


def _expression(phrases: Iterable[tuple[str, ...]]) -> str:
    r"""Return the tsquery: all parts of all phrases, each last one as a prefix.

    >>> _expression([("jwt", "py")])
    "'jwt' & 'py':*"
    """
    return " & ".join(
        f"{_quoted(part[:LONGEST])}{':*' if part is phrase[-1] or len(part) > LONGEST else ''}"
        for phrase in phrases
        for part in phrase
    )


def _quoted(part: str) -> str:
    """Return a word as a literal of a tsquery or a tsvector."""
    return "'" + part.replace("\\", "\\\\").replace("'", "''") + "'"


BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for a lock, and for a lost server."""

_as_json = msgspec.json.Encoder().encode

BURY = (
    "INSERT INTO hud_tombstone (session_id, events, position)"
    " SELECT ?, ?, coalesce(max(position), 0) FROM hud_event WHERE session_id = ?"
    " ON CONFLICT DO NOTHING"
)


TABLES: dict[str, str] = {
    **KINDS,
    "hud_archive_file": "archive",
    "hud_output": "output",
    "hud_sweep": "sweep",
    "hud_search": "search index",
}
"""Names of each table's rows."""


class PostgresEventStore(LogStore):
    """An :class:`EventStore` in a PostgreSQL database: ``postgresql://user@host/database``.

    :param address: as for libpq: an address, or ``name=value`` pairs.
    :param durable: whether each commit waits for the server's disk, even if the server's default does not.
    :param busy_timeout: milliseconds that a writer waits for a lock, and any call, opening included, for a
        server that is away or full.
    :param read_only: whether to write nothing, not even the tables of an empty database.
    :param connections: the maximum; the default is ``$UJSX_POSTGRES_CONNECTIONS``, or 8.
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
        opened = Connections(
            address,
            busy_timeout=busy_timeout,
            durable=durable,
            read_only=read_only,
            most=connections,
        )
        database = PostgresDatabase(opened)
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
                if actual != expected_version:
                    self._refuse(session_id, expected_version, int(actual))
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
        if actual != expected_version:
            self._refuse(session_id, expected_version, actual)

    @contextmanager
    def exclusive(self, session_id: str) -> Generator[None]:
        """Lock out other writers of the session; see :meth:`EventStore.exclusive`.

        Other sessions can be written meanwhile.
        """
        what = f'exclusive() of session "{session_id}"'
        with self._db.writing(what, has_parts=True, session=session_id):
            yield

    def all_rows(self, after: int) -> Iterator[tuple[int, Row]]:
        """Yield all rows with their positions; see :meth:`EventStore.read_all`.

        It ends before the first position that an uncommitted transaction has taken, so that a later call
        after the last one misses nothing.
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
        """Return the events that contain all words of ``query``; see :meth:`EventStore.search`."""
        return self._search.find(query, session, limit, after)

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait up to ``timeout`` seconds for events after a version; return the session's last version.

        The server notifies at once; polls find missed notifications.
        """
        deadline = time.monotonic() + timeout
        version = self.head(session_id).version
        if version > after or timeout <= 0:
            return version
        number = self.number_of(session_id)
        with closing(
            self._notifications(lambda: min(deadline - time.monotonic(), LOOK_EVERY))
        ) as told:
            for each in told:
                if each in {None, number} and (version := self.head(session_id).version) > after:
                    break
        return version

    def number_of(self, session_id: str) -> int:
        """Return the number of a session in :meth:`notices`."""
        [(number,)] = self._db.rows("SELECT hud_key('session', ?)", session_id)
        return int(number)

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield a session's number each time it gets events, as the server notifies."""
        return self._notifications(lambda: 0.0 if is_over() else every)

    def _notifications(self, patience: Callable[[], float]) -> Generator[int | None]:
        """Yield a session's number each time it gets events, and None where events may have been missed.

        None is yielded when listening begins, also after a lost connection, and when ``patience`` ends.

        :param patience: returns the seconds to wait for the next notification; none are left at the end.
        """
        while patience() > 0:
            try:
                with self._listening() as link:
                    yield None
                    while (left := patience()) > 0:
                        for notice in link.notifies(timeout=left):
                            yield int(notice.payload)
                        yield None
            except StoreUnavailableError as error:
                if not error.tries_until:
                    raise

    @contextmanager
    def _listening(self) -> Generator[Link]:
        """Yield a connection that is notified of new events; appends send notifications while somebody listens."""
        connections = self._db.connections

        def listen(link: Link, is_again: bool) -> Link:
            [(number,)] = link.execute("SELECT hud_key('listen', '')").fetchall()
            link.execute("SELECT pg_advisory_lock_shared(%s)", (number,))
            link.execute(SQL("LISTEN {}").format(Identifier(f"ujsx_{number}")))
            return link

        link = connections.again(listen, "nothing was read", alone=True, keeps=True)
        try:
            with connections.taken_back(link), our_errors(self.place):
                yield link
        finally:
            connections.give_back(link)

    @tried_again
    def archive(self, session_id: str) -> int:
        """Move the events before the last compaction to a compressed table."""
        with self._db.alone(), self.exclusive(session_id):
            self._search.catch_up(session_id)
            return self._archive.move(session_id)

    @tried_again
    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all data of these sessions in one transaction."""
        events: dict[str, int] = {}
        with self._db.alone() as db:
            for session_id in sorted(session_ids):  # all writers lock in the same order
                with self._db.writing("a purge", session=session_id):
                    events[session_id] = self.head(session_id).version
                    db.execute(BURY, (session_id, events[session_id], session_id))
                    for table in (*(each.name for each in OWNED), "hud_search"):
                        db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
            self._archive.sweep()
        return {each: events[each] for each in session_ids}

    @tried_again
    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event; see :meth:`LogStore.erase`. The index is rebuilt without them."""
        with self._db.alone(), self.exclusive(session_id):
            fields = super().erase(session_id, version, change, note)
            self._search.catch_up(session_id)
        return fields

    def _drop(self, db: StoreConnection, event: Event) -> None:
        place = event.session_id, event.version
        db.execute("DELETE FROM hud_search WHERE session_id = ? AND version = ?", place)

    def figures(self) -> tuple[Figure, ...]:
        """Return the amount of each kind of data present, indexes included."""
        found: list[Figure] = []
        for table, kind in TABLES.items():
            [(rows, size)] = self._db.rows(
                f"SELECT (SELECT count(*) FROM {table}), pg_total_relation_size('{table}')"
            )
            if rows:
                found.append(Figure(kind, int(rows), int(size), BOUNDS.get(kind, OTHER)))
        return tuple(found)

    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        return (log_damages(self._db, self._archive),)

    def close(self) -> None:
        """Release the server. Closing twice is safe."""
        self._db.close()


def _events(rows: Sequence[Row]) -> str:
    """Return events in the format of ``hud_append``: one text is sent faster than eight arrays."""
    made = [
        (without_nulls(id_), without_nulls(type_), *envelope, without_nulls(payload), digest.hex())
        for id_, _, _, type_, *envelope, payload, digest in rows
    ]
    return _as_json(made).decode()

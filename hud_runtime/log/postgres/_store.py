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
from hud_runtime.log.postgres._connections import Link, our_errors, without_nulls
from hud_runtime.log.postgres._database import (
    APPEND,
    ArchiveInTables,
    PostgresDatabase,
    in_psycopg,
)
from hud_runtime.log.store._erase import OWNED, Change, Note
from hud_runtime.log.store._log_store import BOUNDS, KINDS, OTHER, Figure, LogStore
from hud_runtime.log.store._protocol import Damage, Hit
from hud_runtime.log.store._rows import COLUMNS, PURGED, Row, StoreConnection, from_row
from hud_runtime.log.store._search import (
    TOLD,
    Query,
    SearchedEvent,
    check_page,
    ranking,
    values,
)
from hud_runtime.log.store._sqlite import log_damages

# Waiting for new events: the server tells of them, and now and then one looks for what was not told.

LOOK_EVERY = 2.0
"""Seconds between two looks by oneself."""


# Full-text search over what events say, with the words of the SQLite store.
#
# PostgreSQL's own parsers know words of languages, and take ``src/auth/jwt.py`` for one word. So texts are
# cut into words here, as :mod:`hud_runtime.log.store._search` does it, and a ``tsvector`` of them finds the texts
# that may fit; in those, each word of a query is looked for as it is: words that follow one another, of which
# the last may go on.
#
# The index follows the log: it takes in what is new before it answers. So no event is missing from an
# answer, and an append writes no page of the index.

PAGE = 1_000
"""Events that are indexed in one transaction."""

LONGEST = 64
"""Characters of a word that are in the index; what is longer is compared in the text."""

ROOM = 900_000
"""Bytes of different words that are indexed of a text: a tsvector holds one megabyte
(postgresql.org/docs/current/textsearch-limitations.html)."""

BEHIND = 20_000
"""Events that who cannot write looks through himself, because they are not in the index yet."""

NEW = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE position > ? AND session_id NOT IN"
    f" ({PURGED}) AND (CAST(? AS TEXT) IS NULL OR session_id = ?) AND NOT EXISTS (SELECT 1 FROM"
    " hud_search WHERE hud_search.position = hud_event.position) ORDER BY position LIMIT ?"
)
"""What is not in the index, of all sessions or of one."""

IS_CURRENT = (
    "SELECT coalesce((SELECT max(position) FROM hud_event), 0)"
    " <= (SELECT max(position) FROM hud_searched)"
)

KEEP = f"COPY hud_search (position, {TOLD}, words, lexemes) FROM STDIN"

IN_ALL = "(lexemes @@ CAST(? AS tsquery) OR lexemes IS NULL)"

IN_ONE = "(lexemes @@ CAST(? AS tsquery)) IS NOT FALSE AND session_id = ?"
"""In a session its own rows are looked through: no index of words knows which of very many are a session's."""

FOUND = f"hud_search WHERE {{fits}} AND session_id NOT IN ({PURGED})"
"""What is in the index. It is read from the newest on where many may fit, and no further than that."""

FOUND_BESIDE = f"""(
    SELECT position, {TOLD}, words FROM {FOUND}
    UNION ALL
    SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]),
        CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
) AS found (position, {TOLD}, words) WHERE TRUE"""
"""The same, and what is given because it is not there yet."""


class TextSearch:
    """The tables ``hud_search`` and ``hud_searched``."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked = Query.of(query)
        missing: list[SearchedEvent] = []
        try:
            self.catch_up()
        except (StoreReadOnlyError, StoreLockedError):  # or another one is at it, for long
            missing = self._missing(session_id)
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
        """Index what has been appended since the last time, or what of one session is not there yet."""
        if session_id is None and self.is_current():
            return
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        if session_id is not None:
            after = 0
        while after is not None:
            after = self._index_page(after, session_id)

    @tried_again
    def _index_page(self, after: int, session_id: str | None) -> int | None:
        """Index some of what comes behind a position; return the position of the last one, or None behind the end."""
        what = "a search, which brings its index up to date"
        with self._db.writing(what, has_parts=True) as db:
            # One at a time: who waits finds little left to do.
            self._db.lock(db, "search", "", what)
            [(settled,)] = db.execute("SELECT hud_settled()").fetchall()
            rows = db.execute(NEW, (after, session_id, session_id, PAGE)).fetchall()
            # Who else writes to the index waits for its lock, so what was not there is not there yet.
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
        """Tell whether the index has all events that there are."""
        return self._db.rows(IS_CURRENT) == [(True,)]

    def _missing(self, session_id: str | None) -> list[SearchedEvent]:
        """Return what is not in the index yet, for who cannot write it now."""
        [(after,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        rows = self._db.rows(NEW, after, session_id, session_id, BEHIND + 1)
        if len(rows) > BEHIND:
            raise SearchError(
                f"{self._db.place}: more than {BEHIND:,} events are not in the search index, and it cannot"
                " be written from here; search once with a role that may write"
            )
        return [*_entries(rows)]


def lexemes(words: str) -> str | None:
    """Return the different words of an entry as a tsvector, as far as they are indexed; None for too many."""
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
    r"""Return what a tsvector is asked for: all parts of all phrases, the last one of each as a beginning.

    >>> _expression([("jwt", "py")])
    "'jwt' & 'py':*"
    """
    return " & ".join(
        f"{_quoted(part[:LONGEST])}{':*' if part is phrase[-1] or len(part) > LONGEST else ''}"
        for phrase in phrases
        for part in phrase
    )


def _quoted(part: str) -> str:
    """Return a word as a literal of a tsquery, or of a tsvector."""
    return "'" + part.replace("\\", "\\\\").replace("'", "''") + "'"


BUSY_TIMEOUT = 5_000
"""Milliseconds that a writer waits for another one, and for a server that went away."""

_as_json = msgspec.json.Encoder().encode

TOMBSTONE = (
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
"""The names of the rows of each table."""


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
        deadline = time.monotonic() + timeout
        version = self.head(session_id).version
        if version > after or timeout <= 0:
            return version
        number = self.number_of(session_id)
        with closing(self._told(lambda: min(deadline - time.monotonic(), LOOK_EVERY))) as told:
            for each in told:
                if each in {None, number} and (version := self.head(session_id).version) > after:
                    break
        return version

    def number_of(self, session_id: str) -> int:
        """Return the number by which :meth:`notices` name a session."""
        [(number,)] = self._db.rows("SELECT hud_key('session', ?)", session_id)
        return int(number)

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield the number of a session each time that one goes on, as the server tells it."""
        return self._told(lambda: 0.0 if is_over() else every)

    def _told(self, patience: Callable[[], float]) -> Generator[int | None]:
        """Yield the number of a session each time that one goes on, and None where others may have gone on untold.

        That is when the listening begins, also anew after a connection broke, and when its patience was over.

        :param patience: gives the seconds to wait for the next notice; none are left where it is over.
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
        """Give a connection that is told of new events: appends tell of them while somebody listens."""
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

    def _drop_first(self) -> None:
        pass  # all is one transaction

    def _drop(self, db: StoreConnection, event: Event) -> None:
        place = event.session_id, event.version
        db.execute("DELETE FROM hud_search WHERE session_id = ? AND version = ?", place)

    def _write_anew(self) -> None:
        pass  # PostgreSQL's own VACUUM does, and its backups are kept elsewhere

    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind, of which there is any; indexes count."""
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
        """Let go of the server. Closing twice is no error."""
        self._db.close()


def _events(rows: Sequence[Row]) -> str:
    """Return events as ``hud_append`` takes them: one text is sent quicker than eight arrays."""
    made = [
        (without_nulls(id_), without_nulls(type_), *envelope, without_nulls(payload), digest.hex())
        for id_, _, _, type_, *envelope, payload, digest in rows
    ]
    return _as_json(made).decode()

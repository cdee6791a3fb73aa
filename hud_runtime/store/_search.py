"""Full-text search over what events say: an index that follows the log.

The index is a projection of the log like any other: it has its own row of how far it has come, and
it catches up, in one transaction, before it answers. So no event is ever missing from an answer,
and an append writes no page of the index. It can be thrown away at any time, and is: by a purge, and
when it is damaged. The next search makes it anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import islice
from typing import TypeVar

from hud_runtime._errors import SearchError, StoreDamagedError, StoreError
from hud_runtime._watched import watched
from hud_runtime.store._database import Database
from hud_runtime.store._engine import Connection, Row
from hud_runtime.store._protocol import Hit
from hud_runtime.store._reader import BEYOND, LogReader
from hud_runtime.store._snippet import snippet
from hud_runtime.store._words import (
    check_page,
    expression,
    searchable,
    spaced,
    text_of,
    unspaced,
    words_of,
)

PAGE = 1_000
"""Events that are indexed in one transaction, so that other writers get their turn."""

TABLES: tuple[str, ...] = (
    "CREATE TABLE IF NOT EXISTS hud_searched (position INTEGER NOT NULL) STRICT",
    """CREATE VIRTUAL TABLE IF NOT EXISTS hud_search USING fts5(
    text, session_id UNINDEXED, version UNINDEXED, turn UNINDEXED, timestamp UNINDEXED,
    actor UNINDEXED, type UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')""",
)
"""The index, with a copy of the texts: what is archived can still be found."""

HITS = (
    "SELECT session_id, version, turn, timestamp, actor, type, text FROM"
    " (SELECT rowid AS position, rank AS place FROM hud_search"
    " WHERE hud_search MATCH ? AND (? IS NULL OR session_id = ?)"
    " ORDER BY rank, rowid DESC LIMIT ? OFFSET ?)"
    " CROSS JOIN hud_search ON hud_search.rowid = position ORDER BY place, position DESC"
)
"""The best are found without the texts: what is sorted away need not be read. It is one statement, so
that it sees one moment: others may throw the index away at any time."""

GIVEN_UP = -1
"""The position of an index that a purge is taking apart: nobody asks it any more, a search makes a new
one."""

ResultT = TypeVar("ResultT")


class SearchIndex:
    """The full-text index of a log, made when something is first searched for."""

    def __init__(self, database: Database, log: LogReader) -> None:
        self._db = database
        self._log = log

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked, words = expression(query), words_of(query)

        def answer() -> list[Hit]:
            self.catch_up()
            if not asked:
                return []
            page = (session_id, session_id, limit, min(after, BEYOND))
            return [_hit(row, words) for row in self._db.rows(HITS, asked, *page)]

        return self._mended(answer)

    def catch_up(self) -> None:
        """Index what has been appended since the last time."""
        behind = iter(self.is_current, True)  # page by page, until it is
        for _ in watched(behind, f"indexing events, {PAGE:,} at a time"):
            with self._db.writing("a search, which brings its index up to date") as db:
                if self.reached() is None:
                    drop_tables(db)
                    self._make(db)
                self._index_page(db)

    def is_current(self) -> bool:
        """Tell whether the index has all events that there are."""
        reached = self.reached()
        return reached is not None and reached >= self._log.last_position()

    def reached(self) -> int | None:
        """Return the position up to which the log is indexed; ``None`` where there is no index.

        One that was given up is none. Raises :class:`StoreDamagedError` when the index does not know.
        """
        there = self._tables()
        if not there:
            return None
        position = None
        if "hud_searched" in there:
            try:
                [(position,)] = self._db.rows("SELECT max(position) FROM hud_searched")
            except StoreError:
                if self._tables() == there:
                    raise
                return self.reached()  # somebody has thrown it away in between
        if position is None:
            raise StoreDamagedError(
                f"{self._db.place}: the search index does not know how far it is"
            )
        return None if position == GIVEN_UP else int(position)

    def was_given_up(self) -> bool:
        """Tell whether a purge that has not come to its end has left something of an index."""
        return bool(self._tables()) and self.reached() is None

    def _tables(self) -> frozenset[str]:
        found = self._db.rows(
            "SELECT name FROM sqlite_schema WHERE name IN ('hud_search', 'hud_searched')"
        )
        return frozenset(name for (name,) in found)

    def drop(self) -> None:
        """Throw the index away; where it is so damaged that SQLite cannot, tear it out.

        What it held is overwritten. Raises :class:`StoreDamagedError` when even that cannot be.
        """
        try:
            with self._db.writing() as db:
                drop_tables(db)
        except StoreError as error:
            if not _is_damage(error):
                raise
            self._tear_out()

    def _tear_out(self) -> None:
        """Forget the tables without reading them, and write the file anew without their pages."""
        with self._db.writing() as db:
            db.execute("PRAGMA writable_schema = ON")
            try:
                db.execute("DELETE FROM sqlite_schema WHERE tbl_name GLOB 'hud_search*'")
            finally:
                db.execute("PRAGMA writable_schema = RESET")
        self._db.rewrite()

    def _mended(self, answer: Callable[[], ResultT]) -> ResultT:
        """Answer from the index; if it is damaged, from one that is made anew.

        One that somebody else has thrown away in the middle looks like a damaged one. So the second
        try, and the third one, with an index that is new, keep the others from writing.
        """
        try:
            return answer()
        except StoreError as error:
            if not _is_damage(error):
                raise
        try:
            return self._alone(answer)
        except StoreError as error:
            if not _is_damage(error):
                raise
        try:
            self.drop()
            return self._alone(answer)
        except StoreDamagedError as error:
            raise StoreDamagedError(
                f"{error}; the search index could not be made anew: `ujsx store repair`"
            ) from error

    def _alone(self, answer: Callable[[], ResultT]) -> ResultT:
        self.catch_up()  # in pages, so that there is little left to do
        with self._db.writing("a search", has_parts=True):
            return answer()

    def _make(self, db: sqlite3.Connection) -> None:
        try:
            for statement in TABLES:
                db.execute(statement)
            db.execute("INSERT INTO hud_searched VALUES (0)")
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise
            raise SearchError(
                "this Python's SQLite has no full-text search (FTS5);"
                " use a Python whose SQLite has it: the log needs no change"
            ) from error

    def _index_page(self, db: sqlite3.Connection) -> None:
        position = None
        for position, event in islice(self._log.read_all(self.reached() or 0), PAGE):
            if text := text_of(event.payload):
                db.execute(
                    "INSERT INTO hud_search (rowid, text, session_id, version, turn, timestamp,"
                    " actor, type) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (position, spaced(text), event.session_id, event.version, event.turn,
                     event.timestamp, event.actor, event.type),
                )  # fmt: skip
        if position is not None:
            db.execute("UPDATE hud_searched SET position = ?", (position,))


def give_up(db: sqlite3.Connection) -> None:
    """Say within a transaction that the index, if there is one, is not to be asked any more."""
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hud_searched'").fetchone():
        db.execute("UPDATE hud_searched SET position = ?", (GIVEN_UP,))


def is_given_up(db: sqlite3.Connection) -> bool:
    """Tell whether what is there of an index, if anything, is not asked by anybody."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hud_searched'").fetchone():
        return True
    [(position,)] = db.execute("SELECT max(position) FROM hud_searched")
    return position in (None, GIVEN_UP)


def drop_tables(db: Connection) -> None:
    """Drop the index within a transaction."""
    for table in ("hud_search", "hud_searched"):
        db.execute(f"DROP TABLE IF EXISTS {table}")


def _hit(row: Row, words: list[str]) -> Hit:
    session_id, version, turn, timestamp, actor, kind, text = row
    said = unspaced(snippet(text, [*map(spaced, map(searchable, words))]))
    return Hit(session_id, version, turn, timestamp, actor, kind, said)


def _is_damage(error: StoreError) -> bool:
    """Tell whether the index may be to blame: FTS5 says of some damage no more than "error"."""
    return isinstance(error, StoreDamagedError) or type(error) is StoreError

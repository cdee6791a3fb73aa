"""Full-text search over what events say: an index that follows the log.

The index is a projection of the log like any other: it has its own row of how far it has come, and
it catches up, in one transaction, before it answers. So no event is ever missing from an answer,
and an append writes no page of the index. It can be thrown away at any time, and is: by a purge, and
when it is damaged. The next search makes it anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from hud_runtime._errors import SearchError, StoreDamagedError, StoreError
from hud_runtime._watched import watched
from hud_runtime.store._database import Database
from hud_runtime.store._engine import Connection
from hud_runtime.store._failures import may_be_of_changed_files
from hud_runtime.store._hits import TOLD, Dialect, Entry, Query, ranking, values
from hud_runtime.store._protocol import Hit
from hud_runtime.store._reader import LogReader
from hud_runtime.store._words import BREAK, check_page

PAGE = 1_000
"""Events that are indexed in one transaction, so that other writers get their turn."""

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "hud_searched": "CREATE TABLE hud_searched (position INTEGER NOT NULL) STRICT",
        "hud_search_texts": """CREATE TABLE hud_search_texts (
            position INTEGER PRIMARY KEY, session_id TEXT NOT NULL, version INTEGER NOT NULL,
            turn INTEGER NOT NULL, timestamp INTEGER NOT NULL, actor TEXT NOT NULL, type TEXT NOT NULL,
            text TEXT NOT NULL, words TEXT NOT NULL, owner TEXT NOT NULL) STRICT""",
        "hud_search_words": f"""CREATE VIEW hud_search_words AS SELECT position, words,
            replace(words, ' ', ' ' || owner || char({ord(BREAK)})) AS own, session_id FROM hud_search_texts""",
        "hud_search": """CREATE VIRTUAL TABLE hud_search USING fts5(
            words, own, session_id UNINDEXED, content = 'hud_search_words', content_rowid = 'position',
            columnsize = 0, tokenize = 'ascii')""",
    }
)
"""The index: how far it is, the texts of events with their words, so that what is archived can still be found,
and which texts have a word. The words are cut and folded already; all that ``ascii`` has to do is to part them at
spaces (sqlite.org/fts5.html, section 4.3.2). Ranks are none of FTS5's, so it keeps no sizes.

Each word is found twice: as it is, and behind the name of who owns it. FTS5 goes through all that have a word, whosesoever
they are; so a session has words of its own."""

KEEP = (
    f"INSERT INTO hud_search_texts (position, {TOLD}, words, owner)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

FIND = (
    "INSERT INTO hud_search (rowid, words, own, session_id)"
    " SELECT position, words, own, session_id FROM hud_search_words WHERE position = ?"
)

IN_ALL = "(SELECT rowid AS position, words FROM hud_search WHERE hud_search MATCH ?) WHERE TRUE"

IN_ONE = (
    "(SELECT rowid AS position, words FROM hud_search WHERE hud_search MATCH ? AND session_id = ?)"
    " WHERE TRUE"
)

SQLITE = Dialect(size="length(CAST({} AS BLOB))", has="instr(words, {}) > 0")

HITS = f"""
SELECT {TOLD} FROM ({{ranking}}) CROSS JOIN hud_search_texts USING (position)
ORDER BY block, place DESC, position DESC
"""
"""The best are found without the texts: what is sorted away is not held. It is one statement, so that it
sees one moment: others may throw the index away at any time."""

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
        asked = Query.of(query)
        found: str = IN_ALL
        among: tuple[str, ...] = (_expression(asked),)
        if session_id is not None:
            found, among = IN_ONE, (_expression(asked, owner_of(session_id)), session_id)
        hits = HITS.format(ranking=ranking(SQLITE, "position", found, len(asked.phrases)))

        def answer() -> list[Hit]:
            self.catch_up()
            if not asked.phrases:
                return []
            return [
                asked.hit(row)
                for row in self._db.rows(hits, *values(asked.texts, among, limit, after))
            ]

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

        One that was given up is none, and so is one of an older layout, which has other tables. Raises
        :class:`StoreDamagedError` when the index does not know.
        """
        there = self._tables()
        if there != frozenset(TABLES):
            return None
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
        """Tell whether something is left of an index that nobody asks any more."""
        return bool(self._tables()) and self.reached() is None

    def _tables(self) -> frozenset[str]:
        marks = ", ".join("?" * len(TABLES))
        found = self._db.rows(f"SELECT name FROM sqlite_schema WHERE name IN ({marks})", *TABLES)
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
            for statement in TABLES.values():
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
            if entry := Entry.of(position, event):
                db.execute(KEEP, (*entry.told(), owner_of(event.session_id)))
                db.execute(FIND, (position,))
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
    db.execute("DROP TABLE IF EXISTS hud_search")
    db.execute("DROP VIEW IF EXISTS hud_search_words")
    db.execute("DROP TABLE IF EXISTS hud_search_texts")
    db.execute("DROP TABLE IF EXISTS hud_searched")


def owner_of(session_id: str) -> str:
    """Return the name that a session's own words have before them: of one length, and of letters and digits.

    Two may share one, and are told apart by their ids: it is short, as each word has it.
    """
    return sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _expression(asked: Query, owner: str = "") -> str:
    """Return what FTS5 is asked for: every word of the query, or its beginning, in any order.

    Each is quoted, and has nothing but letters, digits and marks.

    >>> _expression(Query.of('port OR "src/a'))
    'words : (" port"* " or"* " src a"*)'

    :param owner: whose words alone they are.
    """
    texts = asked.texts
    if owner:
        texts = [text.replace(" ", f" {owner}{BREAK}") for text in texts]
    phrases = " ".join(f'"{text}"*' for text in texts)
    return f"{'own' if owner else 'words'} : ({phrases})"


def _is_damage(error: StoreError) -> bool:
    """Tell whether the index may be to blame: SQLite says of some damage no more than "error", or that a row is there twice.

    A file that was moved, or a store that was closed, says nothing of the index.
    """
    cause = error.__cause__
    if type(error) is not StoreError or not isinstance(cause, sqlite3.DatabaseError):
        return isinstance(error, StoreDamagedError)
    return hasattr(cause, "sqlite_errorcode") and not may_be_of_changed_files(cause)

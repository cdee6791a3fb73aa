"""Full-text search over what events say: an index that follows the log.

The index is a projection of the log like any other: it has its own row of how far it has come, and
it catches up, in one transaction, before it answers. So no event is ever missing from an answer,
and an append writes no page of the index.
"""

from __future__ import annotations

import sqlite3
from itertools import islice

from hud_runtime._errors import SearchError
from hud_runtime.store._database import Database
from hud_runtime.store._protocol import Hit
from hud_runtime.store._reader import BEYOND, LogReader
from hud_runtime.store._words import check_page, expression, spaced, text_of, unspaced

SNIPPET = 24
"""Words around what was found. FTS5 gives 64 at most."""

PAGE = 1_000
"""Events that are indexed in one transaction, so that other writers get their turn."""

TABLES: tuple[str, ...] = (
    "CREATE TABLE IF NOT EXISTS hud_searched (position INTEGER NOT NULL) STRICT",
    """CREATE VIRTUAL TABLE IF NOT EXISTS hud_search USING fts5(
    text, session_id UNINDEXED, version UNINDEXED, turn UNINDEXED, timestamp UNINDEXED,
    actor UNINDEXED, type UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')""",
)
"""The index, with a copy of the texts: what is archived can still be found."""


class SearchIndex:
    """The full-text index of a store, made when something is first searched for."""

    def __init__(self, database: Database, log: LogReader) -> None:
        self._db = database
        self._log = log

    def find(self, query: str, session_id: str | None, limit: int, after: int) -> list[Hit]:
        """Return what holds all words of the query; see :meth:`EventStore.search`."""
        check_page(limit, after)
        asked = expression(query)
        self.catch_up()
        if not asked:
            return []
        rows = self._db.rows(
            "SELECT session_id, version, turn, timestamp, actor, type,"
            " snippet(hud_search, 0, '', '', '…', ?) FROM hud_search WHERE hud_search MATCH ?"
            " AND (? IS NULL OR session_id = ?) ORDER BY rank, rowid DESC LIMIT ? OFFSET ?",
            *(SNIPPET, asked, session_id, session_id, limit, min(after, BEYOND)),
        )
        return [
            Hit(session, version, turn, timestamp, actor, kind, unspaced(snippet))
            for session, version, turn, timestamp, actor, kind, snippet in rows
        ]

    def catch_up(self) -> None:
        """Index what has been appended since the last time."""
        while self._is_behind():
            with self._db.writing("a search, which brings its index up to date") as db:
                self._make(db)
                self._index_page(db)

    def forget(self, db: sqlite3.Connection, session_id: str) -> None:
        """Take a session out of the index, within a transaction that purges it.

        A deleted word stays in FTS5's segments until they are merged: they are.
        """
        if self._exists():
            db.execute("DELETE FROM hud_search WHERE session_id = ?", (session_id,))
            db.execute("INSERT INTO hud_search (hud_search) VALUES ('optimize')")

    def _is_behind(self) -> bool:
        [(last,)] = self._db.rows("SELECT coalesce(max(position), 0) FROM hud_event")
        return last > self._reached() if self._exists() else True

    def _reached(self) -> int:
        [(position,)] = self._db.rows("SELECT max(position) FROM hud_searched")
        return int(position)

    def _exists(self) -> bool:
        return bool(self._db.rows("SELECT 1 FROM sqlite_schema WHERE name = 'hud_search'"))

    def _make(self, db: sqlite3.Connection) -> None:
        try:
            for statement in TABLES:
                db.execute(statement)
        except sqlite3.OperationalError as error:
            if "no such module" not in str(error):
                raise
            raise SearchError(
                "this Python's SQLite has no full-text search (FTS5);"
                " use a Python whose SQLite has it: the log needs no change"
            ) from error
        db.execute(
            "INSERT INTO hud_searched SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM hud_searched)"
        )

    def _index_page(self, db: sqlite3.Connection) -> None:
        position = None
        for position, event in islice(self._log.read_all(self._reached()), PAGE):
            if text := text_of(event.payload):
                db.execute(
                    "INSERT INTO hud_search (rowid, text, session_id, version, turn, timestamp,"
                    " actor, type) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (position, spaced(text), event.session_id, event.version, event.turn,
                     event.timestamp, event.actor, event.type),
                )  # fmt: skip
        if position is not None:
            db.execute("UPDATE hud_searched SET position = ?", (position,))

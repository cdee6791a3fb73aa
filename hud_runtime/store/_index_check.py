"""Whether the search index is as it was written: its own check, and how far it says it has come.

FTS5's check (sqlite.org/fts5.html, section 6.3) is a statement that writes, though it changes nothing.
So that a store can be looked into without a lock, and where it cannot be written, the index is copied
into a temporary database and checked there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime.store._database import Database
from hud_runtime.store._protocol import Damage
from hud_runtime.store._reader import LogReader
from hud_runtime.store._search import TABLES, SearchIndex
from hud_runtime.store._words import text_of

PARTS = ("data", "idx", "content", "docsize")
"""The tables in which FTS5 keeps an index, by the ends of their names."""


def index_damages(database: Database, index: SearchIndex, log: LogReader) -> Iterator[Damage]:
    """Yield what is wrong with the search index, if it was made."""
    try:
        with database.at_one_moment() as db:
            if index.reached() is None:
                return
            _check(db)
            fault = _fault(database, index, log)
    except (sqlite3.DatabaseError, StoreError) as error:
        fault = str(error)
    if fault:
        what = f"the search index is damaged: {fault}; a search makes it anew, or a repair"
        yield Damage(None, None, what, is_derived=True)


def _check(db: sqlite3.Connection) -> None:
    """Check the index: a copy of it where there is a place for one, else the index itself."""
    schema = "main"
    if any(name == "copy" for _, name, _ in db.execute("PRAGMA database_list")):
        schema = "copy"
        db.execute(TABLES[1].replace("hud_search ", "copy.hud_search ", 1))
        for part in PARTS:
            db.execute(f"DELETE FROM copy.hud_search_{part}")  # noqa: S608
            db.execute(
                f"INSERT INTO copy.hud_search_{part} SELECT * FROM main.hud_search_{part}"  # noqa: S608
            )
    db.execute(f"INSERT INTO {schema}.hud_search (hud_search) VALUES ('integrity-check')")  # noqa: S608


def _fault(database: Database, index: SearchIndex, log: LogReader) -> str:
    """Return in what the index differs from the log; nothing if it does not, or the log is damaged."""
    reached = index.reached() or 0
    database.rows("SELECT rowid FROM hud_search LIMIT 1")  # FTS5 looks at its settings, too
    [(texts,)] = database.rows("SELECT count(*) FROM hud_search_content")
    try:
        there = [position for position, event in log.read_all() if text_of(event.payload)]
    except StoreDamagedError:
        return ""
    expected = sum(position <= reached for position in there)
    return "" if texts == expected else f"it holds {texts} texts of {expected}"

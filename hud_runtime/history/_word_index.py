"""Words of past sessions, in an index of our own: the database that it is about is never written.

The index holds the words of the texts and their places, but not the texts: the text of a hit is read from the database
when it is shown. Secrets are masked before their words are taken, as in a store. The index can be thrown away at any
time, and it is when it is damaged; the next search makes it anew.

It follows the database by the numbers of rows, which grow: new rows are behind the last one that was seen. Three more
things are looked at: parts that were being written, rows that are gone at the end (their numbers are given out again),
and rows that were numbered anew.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._location import default_path, make_folder
from hud_runtime._watched import watched
from hud_runtime.history._database import Database
from hud_runtime.history._parts import searched_in
from hud_runtime.history._records import PastPart
from hud_runtime.history._rows import LONGEST_PART, part_of
from hud_runtime.observation._json import mapping
from hud_runtime.secrets import Secrets
from hud_runtime.store._files import prepare
from hud_runtime.store._words import spaced

if TYPE_CHECKING:
    from sqlite3 import Connection

LAYOUT = 2
"""The version of the index's tables; an index of another one is made anew."""

PAGE = 1_000
"""Parts that are indexed in one transaction, so that another search gets its turn."""

LONGEST_TEXT = 20_000
"""Characters of a part that are indexed: a result of a tool may be as long as a book."""

MOST = 1_000_000
"""Parts that the index follows, the newest; of twice as many it forgets the older half."""

MOST_OPEN = 1_000
"""Parts that are being written and are looked at again, the newest."""

TABLES = """
CREATE TABLE reached (position INTEGER NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL);
INSERT INTO reached VALUES (0, '', 0);
CREATE TABLE part (place INTEGER PRIMARY KEY, position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL, is_open INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE INDEX part_position ON part (position);
CREATE INDEX part_open ON part (place) WHERE is_open;
CREATE VIRTUAL TABLE words USING fts5(
    text, content = '', tokenize = 'unicode61 remove_diacritics 2');
"""
"""A changed part gets a new place; words at a place that no part has are passed over."""

BEHIND = (
    "SELECT position, id, session, length(data) AS length,"
    " CASE WHEN length(data) <= :longest THEN data END AS data"
    " FROM past_part WHERE position > :position ORDER BY position LIMIT :limit"
)
OF_IDS = (
    "SELECT position, id, session, length(data) AS length,"
    " CASE WHEN length(data) <= :longest THEN data END AS data"
    " FROM past_part WHERE id IN (SELECT value FROM json_each(:ids))"
)
AT_POSITIONS = (
    "SELECT position, id FROM past_part WHERE position IN (SELECT value FROM json_each(:positions))"
)
HITS = (
    "SELECT part.id FROM words JOIN part ON part.place = words.rowid"
    " WHERE words MATCH :asked AND (:session IS NULL OR part.session = :session)"
    " ORDER BY rank, words.rowid DESC LIMIT :limit OFFSET :after"
)


def index_path(database: Path) -> Path:
    """Return where the index of a database lies: in a folder beside our store."""
    name = sha256(str(database.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return default_path().parent / "history" / f"{name}.db"


def forget(index: Path) -> None:
    """Throw an index away: the next search makes it anew."""
    for end in ("", "-journal"):
        with suppress(OSError):
            index.with_name(f"{index.name}{end}").unlink(missing_ok=True)


class WordIndex:
    """The index of a database's words, in a file that only its owner may read.

    :param source: the database that it is about.
    :param path: the index's own file.

    Its methods raise :class:`sqlite3.Error` where SQLite has no full-text search or the file is damaged, and
    :class:`hud_runtime.StoreError` where it cannot be made.
    """

    def __init__(self, source: Database, path: Path) -> None:
        self._source = source
        self.path = path
        self._db = self._opened()

    def _opened(self) -> Connection:
        import sqlite3

        with suppress(OSError):  # what cannot be made is told by what follows
            make_folder(self.path.parent.parent)
        prepare(self.path)
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            # Only a power cut could damage it so; what is damaged is made anew.
            db.execute("PRAGMA synchronous = OFF")
            [(layout,)] = db.execute("PRAGMA user_version")
            if layout != LAYOUT:
                _make(db)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def find(self, asked: str, session: str | None, limit: int, after: int) -> list[str]:
        """Return the ids of the parts that an expression of FTS5 matches, the best first."""
        given = {"asked": asked, "session": session, "limit": limit, "after": after}
        return [name for (name,) in self._db.execute(HITS, given)]

    # --- Following the database ---

    def catch_up(self, at_most: int | None = None) -> int:
        """Index what is new, and return how many rows are left to be looked at.

        :param at_most: how many parts are looked at; all when None.
        """
        if self._is_worn():
            self._clear()
        self._step_back()
        self._look_again()
        limits = repeat(PAGE) if at_most is None else _pages(at_most)
        for limit in watched(limits, f"indexing messages, {PAGE:,} at a time"):
            if not self._index_page(limit):
                return 0
        position: int = self._db.execute("SELECT position FROM reached").fetchone()[0]
        return max(self._newest() - position, 0)

    def _clear(self) -> None:
        """Begin anew, with nothing."""
        with self._writing() as db:
            for table in ("reached", "part", "words"):
                db.execute(f"DROP TABLE IF EXISTS {table}")
            _define(db)

    def _is_worn(self) -> bool:
        """Whether more is kept than is of use."""
        [(places, parts)] = self._db.execute(
            "SELECT reached.place, (SELECT count(*) FROM part) FROM reached"
        )
        is_worn: bool = parts > 2 * MOST or places > 2 * parts + 10 * PAGE
        return is_worn

    def _newest(self) -> int:
        query = "SELECT coalesce(max(position), 0) FROM past_part"
        newest: int = self._source.rows(query, {})[0][0]
        return newest

    def _step_back(self) -> None:
        """Go back to the last row that is as it was, where rows are gone or have other numbers."""
        [(position, name)] = self._db.execute("SELECT position, id FROM reached")
        begin = max(self._newest() - MOST, 0)
        if (name and self._are([(position, name)])) or (not name and position == begin):
            return
        with self._writing() as db:
            last = (self._last_known(db) if name else None) or (begin, "")
            db.execute("DELETE FROM part WHERE position > ?", (last[0],))
            db.execute("UPDATE reached SET position = ?, id = ?", last)

    def _last_known(self, db: Connection) -> tuple[int, str] | None:
        """The last row of the index that is in the database as it was; None where there is none."""
        [(position,)] = db.execute("SELECT position + 1 FROM reached")
        query = "SELECT position, id FROM part WHERE position < ? ORDER BY position DESC LIMIT ?"
        while before := db.execute(query, (position, PAGE)).fetchall():
            same = self._are(before)
            for row in before:
                if row in same:
                    position, name = row
                    return position, name
            position = before[-1][0]
        return None

    def _are(self, rows: Sequence[tuple[int, str]]) -> set[tuple[int, str]]:
        """Those of the rows that are in the database as they were."""
        given = {"positions": json.dumps([position for position, _ in rows])}
        found = self._source.rows(AT_POSITIONS, given)
        return {(position, name) for position, name in found} & set(rows)

    def _look_again(self) -> None:
        """Index anew what was being written."""
        query = "SELECT id, length FROM part WHERE is_open ORDER BY place DESC LIMIT ?"
        known = dict(self._db.execute(query, (MOST_OPEN,)).fetchall())
        if not known:
            return
        given = {"ids": json.dumps([*known]), "longest": LONGEST_PART}
        rows = self._source.rows(OF_IDS, given)
        changed = [row for row in rows if row["length"] != known[row["id"]]]
        gone = known.keys() - {row["id"] for row in rows}
        if changed or gone:
            with self._writing() as db:
                db.executemany("DELETE FROM part WHERE id = ?", [(name,) for name in gone])
                _index(db, changed)

    def _index_page(self, limit: int) -> int:
        with self._writing() as db:
            [(position,)] = db.execute("SELECT position FROM reached")
            given = {"position": position, "limit": limit, "longest": LONGEST_PART}
            rows = self._source.rows(BEHIND, given)
            _index(db, rows)
            if rows:
                last = (rows[-1]["position"], rows[-1]["id"])
                db.execute("UPDATE reached SET position = ?, id = ?", last)
        return len(rows)

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _pages(at_most: int) -> Iterator[int]:
    """How many parts are indexed at a time."""
    return (min(PAGE, at_most - done) for done in range(0, at_most, PAGE))


def _make(db: Connection) -> None:
    """Make the tables, unless another process has made them meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        [(layout,)] = db.execute("PRAGMA user_version")
        if layout != LAYOUT:
            for table in ("reached", "part", "words"):
                db.execute(f"DROP TABLE IF EXISTS {table}")
            _define(db)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _define(db: Connection) -> None:
    for statement in TABLES.split(";\n"):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {LAYOUT}")


def _index(db: Connection, rows: Sequence[Any]) -> None:
    """Take parts in, each at a place of its own; what was known of them is known no more."""
    [(place,)] = db.execute("SELECT place FROM reached")
    secrets = Secrets.of_environment()
    parts: list[tuple[object, ...]] = []
    words: list[tuple[int, str]] = []
    silent: list[tuple[str]] = []
    for row in rows:
        part = part_of(row)
        text = searched_in(part)[:LONGEST_TEXT]
        is_open = _is_open(part)
        if text or is_open:
            place += 1
            session = str(row["session"])
            parts.append((place, row["position"], part.id, session, is_open, part.length))
            words.append((place, spaced(text if secrets.mode == "off" else secrets.masked(text))))
        else:
            silent.append((part.id,))
    db.executemany("DELETE FROM part WHERE id = ?", silent)
    db.executemany("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", parts)
    db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", words)
    db.execute("UPDATE reached SET place = ?", (place,))


def _is_open(part: PastPart) -> bool:
    """Whether a part is being written: a call that has no result yet, a text that has no end."""
    if part.type == "tool":
        return mapping(part.data.get("state")).get("status") in ("pending", "running")
    time = mapping(part.data.get("time"))
    return part.type in ("text", "reasoning") and "start" in time and "end" not in time

"""The letters of an outbox: a small SQLite file, whose every commit is on the disk before it is acknowledged.

A letter is what one call wanted to record: all of it is recorded, or nothing. It is kept until it is known to be
in the store, and one that the store's state has refused is kept apart until somebody removes it. A process that is
killed in the middle of a write leaves a letter or none, never half of one: SQLite takes back what was not
committed (sqlite.org/atomiccommit.html).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from hud_runtime._errors import StoreDamagedError, StoreFullError, StoreVersionError
from hud_runtime.events import EventDraft
from hud_runtime.outbox._outbox import Letter, Outbox
from hud_runtime.store._failures import our_errors
from hud_runtime.store._files import prepare

LAYOUT = 2

BUSY_TIMEOUT = 5.0
"""Seconds that a process waits for another one that writes."""

TABLE = """
CREATE TABLE letter (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    store       TEXT    NOT NULL,
    place       TEXT    NOT NULL,
    session_id  TEXT    NOT NULL,
    after       INTEGER NOT NULL,
    posted_at   INTEGER NOT NULL,
    events      INTEGER NOT NULL CHECK (events >= 0),
    size        INTEGER NOT NULL,
    refusal     TEXT,
    body        TEXT    NOT NULL,
    taken       TEXT
)
"""

INDEXES = (
    "CREATE INDEX letter_in_order ON letter (store, session_id, number) WHERE refusal IS NULL",
    "CREATE INDEX letter_size ON letter (events, size)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (TABLE, *INDEXES),
    (
        "ALTER TABLE letter RENAME TO old_letter",
        "DROP INDEX letter_in_order",
        "DROP INDEX letter_size",
        TABLE,
        *INDEXES,
        "INSERT INTO letter SELECT *, NULL FROM old_letter",
        "DROP TABLE old_letter",
    ),
)
"""What leads from each layout to the present one: a letter had one event at least, and nothing beside it."""

COLUMNS = "number, place, session_id, after, posted_at, refusal, body, taken"


class Letters:
    """The letters of an outbox that are for one store.

    :param place: the store as it is told.
    :param store: what makes it another store than others; it is compared, and may be a digest.
    """

    def __init__(self, outbox: Outbox, place: str, store: str) -> None:
        self.outbox = outbox
        self.place = place
        self._path = outbox.path
        self._store = store

    def put(
        self,
        session_id: str,
        given: Sequence[Mapping[str, EventDraft]],
        *,
        after: int,
        at: int,
        taken: str | None = None,
    ) -> None:
        """Keep letters, each of drafts by the ids of their events: all of them or none. They are on the disk when it returns.

        :param taken: what goes beside the last one.

        Raises :class:`StoreFullError` where the outbox, or the disk, has no room: then nothing was kept.
        """
        rows = [_row(each, taken if each is given[-1] else None) for each in given]
        events, size = sum(row[0] for row in rows), sum(row[1] for row in rows)
        with self._writing() as db:
            [(held, bytes_held)] = db.execute("SELECT total(events), total(size) FROM letter")
            for what, there, more, most in (
                ("events", held, events, self.outbox.events),
                ("bytes", bytes_held, size, self.outbox.bytes),
            ):
                if there + more > most:
                    raise StoreFullError(
                        f"{self._path}: the store {self.place} cannot be reached, and its outbox has no room:"
                        f" {int(there):,} of {most:,} {what} wait; nothing was recorded"
                    )
            db.executemany(
                "INSERT INTO letter (store, place, session_id, after, posted_at, events, size, body, taken)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(self._store, self.place, session_id, after, at, *row) for row in rows],
            )

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions that something waits for, those that wait longest first."""
        query = "SELECT session_id FROM letter WHERE store = ? AND refusal IS NULL GROUP BY 1 ORDER BY min(number)"
        return tuple(name for (name,) in self._rows(query, self._store))

    def waits(self, session_id: str) -> bool:
        """Tell whether something waits for a session."""
        query = (
            "SELECT 1 FROM letter WHERE store = ? AND session_id = ? AND refusal IS NULL LIMIT 1"
        )
        return bool(self._rows(query, self._store, session_id))

    def taken(self, session_id: str) -> list[str]:
        """Return what goes beside the letters that wait for a session, in order."""
        query = (
            "SELECT taken FROM letter WHERE store = ? AND session_id = ? AND refusal IS NULL"
            " AND taken IS NOT NULL ORDER BY number"
        )
        return [text for (text,) in self._rows(query, self._store, session_id)]

    def first(self, session_id: str, most: int) -> list[Letter]:
        """Return the letters of a session that wait longest, in order."""
        query = (
            f"SELECT {COLUMNS} FROM letter WHERE store = ? AND session_id = ? AND refusal IS NULL"
            " ORDER BY number LIMIT ?"
        )
        return [*map(_letter, self._rows(query, self._store, session_id, most))]

    def settle(self, done: Iterable[int], refused: Iterable[tuple[str, int]]) -> None:
        """Drop letters that are in the store, and keep those apart that were refused, each with the reason."""
        with self._writing() as db:
            db.executemany("DELETE FROM letter WHERE number = ?", [(number,) for number in done])
            db.executemany("UPDATE letter SET refusal = ? WHERE number = ?", refused)

    def all(self) -> list[Letter]:
        """Return all letters of the file, those for other stores and those that were refused, too."""
        return [*map(_letter, self._rows(f"SELECT {COLUMNS} FROM letter ORDER BY number"))]

    def forget(self, number: int) -> bool:
        """Remove a letter for good, whatever store it is for; tell whether it was there."""
        with self._writing() as db:
            return db.execute("DELETE FROM letter WHERE number = ?", (number,)).rowcount > 0

    def adopt(self, place: str) -> int:
        """Let this store have what waits for another address, and try again what that one refused; return how much."""
        with self._writing() as db:
            return db.execute(
                "UPDATE letter SET store = ?, place = ?, refusal = NULL WHERE place = ?",
                (self._store, self.place, place),
            ).rowcount

    def _rows(self, query: str, *values: object) -> list[Any]:
        if not self._path.exists():
            return []
        with self._opened() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        prepare(self._path)
        with self._opened() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Give a connection for a moment: none is shared by threads, nor with a forked child."""
        with (
            our_errors(str(self._path)),
            closing(sqlite3.connect(self._path, timeout=BUSY_TIMEOUT, isolation_level=None)) as db,
        ):
            # The folder, too, is on the disk when a commit returns; and what was delivered leaves no bytes.
            db.execute("PRAGMA synchronous = EXTRA")
            db.execute("PRAGMA secure_delete = ON")
            [(layout,)] = db.execute("PRAGMA user_version")
            if layout > LAYOUT:
                raise StoreVersionError(
                    f"{self._path}: the outbox has layout {layout}, this library knows {LAYOUT}: update ujsx"
                )
            if layout < LAYOUT:
                _lay_out(db)
            yield db


def _lay_out(db: sqlite3.Connection) -> None:
    """Bring the tables up to date, in one transaction; another process may have done it meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        [(found,)] = db.execute("PRAGMA user_version")
        layout = int(found)
        for statements in MIGRATIONS[layout : layout + 1]:  # none for what another has done
            for statement in statements:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {max(layout, LAYOUT)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _row(drafts: Mapping[str, EventDraft], taken: str | None) -> tuple[int, int, str, str | None]:
    said = [
        [id_, draft.type, dict(draft.payload), draft.turn, draft.timestamp, draft.actor]
        for id_, draft in drafts.items()
    ]
    body = json.dumps(said, ensure_ascii=False)
    return len(said), len(body.encode()) + len((taken or "").encode()), body, taken


def _letter(row: Any) -> Letter:
    number, place, session_id, after, posted_at, refusal, body, taken = row
    try:
        said = json.loads(body)
        ids = tuple(str(id_) for id_, *_ in said)
        drafts = tuple(EventDraft(*draft) for _, *draft in said)
    except (ValueError, TypeError) as error:
        raise StoreDamagedError(
            f"the outbox's letter {number} is damaged ({error}); look into its file, and then"
            f" `ujsx store outbox --forget {number}`"
        ) from error
    return Letter(number, place, session_id, after, posted_at, refusal, ids, drafts, taken)

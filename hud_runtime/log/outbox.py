"""The outbox: events that are recorded while a database server is away wait here, on this machine's disk.

In: drafts of events, with the ids that their events will have. Out: the same, in order, for who delivers them.
Nothing here knows the server: :meth:`hud_runtime.HudSession.post` posts, and a store that is opened delivers.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from hud_runtime._errors import (
    SettingsError,
    StoreDamagedError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime._location import OUTBOX, make_folder
from hud_runtime.log.events import EventDraft
from hud_runtime.log.store._files import (
    FILE,
    open_private,
    our_error,
    our_file_errors,
    process_lock,
    sync_folder,
)
from hud_runtime.log.store._rows import digest
from ujsx.errors import shown
from ujsx.on_demand import on_demand

__all__ = ["Outbox", "QueueReceipt"]

on_demand(globals())


# The place of an outbox, its limits, and the account of what it holds.


@dataclass(frozen=True, slots=True)
class Outbox:
    """A folder for what waits, and how much that may be. Several processes may share one, and several stores.

    Raises :class:`SettingsError` for a bound that is none.

    >>> Outbox("outbox").path.as_posix()
    'outbox/outbox.db'
    """

    folder: str | Path
    """Where its file is made, with mode 0600; a folder that is not there is made with mode 0700."""

    events: int = 10_000
    """How many events wait at most, of all stores together; those that a store has refused count."""

    bytes: int = 16 * 1024 * 1024
    """How many bytes their drafts have at most."""

    def __post_init__(self) -> None:
        given: dict[str, object] = {"events": self.events, "bytes": self.bytes}
        for name, value in given.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingsError(f"{name} must be a positive integer, not {shown(value)}")
        folder: object = self.folder
        if not isinstance(folder, (str, Path)) or not str(folder).strip():
            raise SettingsError(f"folder is the path of a folder, not {shown(folder)}")

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder).expanduser() / OUTBOX


@dataclass(frozen=True, slots=True)
class QueueReceipt:
    """A receipt: what was to be recorded is on this machine's disk, and not yet in the store.

    It has no version, and no state has it: the store gives the one and may refuse the other. The ids are those that
    its events will have.
    """

    session_id: str
    ids: tuple[str, ...]
    types: tuple[str, ...]
    posted_at: int
    """Milliseconds since the Unix epoch, by the clock of the store."""


@dataclass(frozen=True, slots=True)
class QueuedEvents:
    """Something that waits, or that was refused."""

    number: int
    """By which it is named; a later one has a higher number."""
    place: str
    """The store that it is for, without a password."""
    session_id: str
    after: int
    """The session's last version that was known when it was posted: its events have higher ones."""
    posted_at: int
    """Milliseconds since the Unix epoch."""
    refusal: str | None
    """Why the store's state does not take it; None while it waits."""
    ids: tuple[str, ...]
    drafts: tuple[EventDraft, ...]
    taken: str | None = None
    """What whoever delivers it keeps with its events: of the tellings that have led to them."""
    digest: bytes | None = None
    """Of all that was written; by it, and its number, a letter is the same one."""


# The letters of an outbox: a small SQLite file, whose every commit is on the disk before it is acknowledged.
#
# A letter is what one call wanted to record: all of it is recorded, or nothing. It is kept until it is known to be
# in the store, and one that the store's state has refused is kept apart until somebody removes it. A process that is
# killed in the middle of a write leaves a letter or none, never half of one: SQLite takes back what was not
# committed (sqlite.org/atomiccommit.html).
#
# A letter carries a digest, so that a damaged one is recognized alone. A file that is damaged, cut, emptied or another
# program's is set aside under a name of its own, and the letters that can be read in it go on in a new file.

_log = logging.getLogger("hud_runtime.log.outbox")

ResultT = TypeVar("ResultT")

LAYOUT = 3

MARK, UNMARKED = 0x756A7300, {1, 2}
"""The file's ``application_id`` less its layout, and the layouts that had none. The layout is in the header twice, so that
a damaged one is not taken for a newer one."""

SMALLEST = 512
"""Bytes of SQLite's smallest page: it takes an empty file, and one of some bytes, for one that is still to be filled."""

BUSY_TIMEOUT = 5.0
"""Seconds that a process waits for another one that writes."""

SEAL = "seal({}, {}, CAST(session_id AS BLOB), after, posted_at, CAST(body AS BLOB), CAST(taken AS BLOB))"
"""The digest of a row: of all that tells where, when and as what its letter is recorded. Its store and place are given."""

OWN_SEAL = SEAL.format("CAST(store AS BLOB)", "CAST(place AS BLOB)")

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
    taken       TEXT,
    digest      BLOB
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
        "INSERT INTO letter SELECT *, NULL, NULL FROM old_letter",
        "DROP TABLE old_letter",
        f"UPDATE letter SET digest = {OWN_SEAL}",
    ),
    ("ALTER TABLE letter ADD COLUMN digest BLOB", f"UPDATE letter SET digest = {OWN_SEAL}"),
)
"""The statements that lead from each layout to the present one: in the first a letter had one event at least, and nothing
beside it, and in the second it had no digest."""

EVERYTHING = (
    "number, store, place, session_id, after, posted_at, events, size, refusal, body, taken, digest"
)

COLUMNS = "number, place, session_id, after, posted_at, refusal, body, taken, digest"

WAITING = "FROM letter WHERE store = ? AND session_id = ? AND refusal IS NULL"

ADD = f"""
INSERT INTO letter (store, place, session_id, after, posted_at, events, size, body, taken, digest)
SELECT *, {OWN_SEAL} FROM (SELECT ? AS store, ? AS place, ? AS session_id, ? AS after, ? AS posted_at, ?, ?,
    ? AS body, ? AS taken)
"""

DAMAGED = "it is damaged: it is not as it was written"
"""The refusal of a letter that its digest does not fit."""

ASIDE = ".damaged-"
"""Follows the file's name in the name of one that was set aside."""


class EventQueue:
    """The letters of an outbox that are for one store.

    :param place: the store as it is told.
    :param store: what makes it another store than others; it is compared, and may be a digest.

    A damaged file is set aside whenever it is met, and one that may not be read is passed over; the log has a warning.
    """

    def __init__(self, outbox: Outbox, place: str, store: str) -> None:
        self.outbox = outbox
        self.place = place
        self._path = outbox.path
        self._store = store
        self._has_warned = False

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

        def add(db: sqlite3.Connection) -> None:
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
                ADD, [(self._store, self.place, session_id, after, at, *row) for row in rows]
            )

        self._written(add)

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions that something waits for, those that wait longest first."""
        query = "SELECT session_id FROM letter WHERE store = ? AND refusal IS NULL GROUP BY 1 ORDER BY min(number)"
        return tuple(name for (name,) in self._rows(query, self._store))

    def waits(self, session_id: str) -> bool:
        """Tell whether something waits for a session."""
        return bool(self._rows(f"SELECT 1 {WAITING} LIMIT 1", self._store, session_id))

    def taken(self, session_id: str) -> list[str]:
        """Return what goes beside the sound letters that wait for a session, in order."""
        sound = f"taken IS NOT NULL AND digest = {OWN_SEAL}"
        query = f"SELECT taken {WAITING} AND {sound} ORDER BY number"
        return [text for (text,) in self._rows(query, self._store, session_id)]

    def first(self, session_id: str, most: int) -> list[QueuedEvents]:
        """Return the letters of a session that wait longest, in order; those that are damaged have a refusal."""
        query = f"SELECT {COLUMNS}, {OWN_SEAL} {WAITING} ORDER BY number LIMIT ?"
        return [*map(_letter, self._rows(query, self._store, session_id, most))]

    def settle(
        self, done: Iterable[QueuedEvents], refused: Iterable[tuple[str, QueuedEvents]]
    ) -> None:
        """Drop letters that are in the store, and keep those apart that were refused, each with the reason.

        They are named by their digests, too: in a file that took another one's place a number may be another letter's.
        """

        def drop(db: sqlite3.Connection) -> None:
            db.executemany(
                "DELETE FROM letter WHERE number = ? AND digest IS ?",
                [(each.number, each.digest) for each in done],
            )
            db.executemany(
                "UPDATE letter SET refusal = ? WHERE number = ? AND digest IS ?",
                [(why, each.number, each.digest) for why, each in refused],
            )

        self._written(drop)

    def all(self) -> list[QueuedEvents]:
        """Return all letters of the file, those for other stores and those that were refused, too."""
        query = f"SELECT {COLUMNS}, {OWN_SEAL} FROM letter ORDER BY number"
        return [*map(_letter, self._rows(query))]

    def forget(self, number: int) -> bool:
        """Remove a letter for good, whatever store it is for; tell whether it was there."""
        query = "DELETE FROM letter WHERE number = ?"
        return self._written(lambda db: db.execute(query, (number,)).rowcount > 0)

    def adopt(self, place: str) -> int:
        """Let this store have what waits for another address, and try again what that one refused; return how much."""
        query = (
            "UPDATE letter SET store = ?, place = ?, refusal = NULL,"
            f" digest = {SEAL.format('CAST(? AS BLOB)', 'CAST(? AS BLOB)')}"
            f" WHERE place = ? AND digest = {OWN_SEAL}"
        )
        values = (*(self._store, self.place) * 2, place)
        return self._written(lambda db: db.execute(query, values).rowcount)

    # --- What is damaged ---

    def check(self) -> None:
        """Look at the whole file: set it aside where it is damaged, and keep each letter apart that is.

        Raises :class:`StoreReadOnlyError` for one that may not be read, :class:`StoreVersionError` for a newer one's.
        """
        if not os.path.lexists(self._path):
            return
        if self.fault() is not None:
            self._renew()
        query = f"UPDATE letter SET refusal = ? WHERE refusal IS NULL AND digest IS NOT {OWN_SEAL}"
        damaged = self._written(lambda db: db.execute(query, (DAMAGED,)).rowcount)
        if damaged:
            _log.warning(
                "%s: damaged letters, kept apart and not recorded: %d", self._path, damaged
            )

    def fault(self) -> str | None:
        """Return what is wrong with the file as a whole; None where nothing is.

        Raises as :meth:`check` does.
        """
        try:
            with self._opened() as db:
                db.execute("DELETE FROM letter WHERE 0")  # a damaged header may refuse it
                db.execute(f"SELECT {EVERYTHING} FROM letter LIMIT 0")
                [(said,)] = db.execute("PRAGMA integrity_check(1)")
        except StoreDamagedError as error:
            return str(error)
        return None if said == "ok" else f"{self._path}: {said}"

    def set_aside(self) -> list[Path]:
        """Return the files that were set aside."""
        return sorted(self._path.parent.glob(f"{self._path.name}{ASIDE}*"))

    def _renew(self) -> None:
        """Put a new file where none is, or where a damaged one is: that one is kept under another name.

        Whoever is killed in the middle leaves the one or the other, and the next process begins again.
        """
        path, made = self._path, self._path.with_name(f"{self._path.name}.partial")
        with our_file_errors(path):
            make_folder(path.parent)
            with process_lock(path, int(1_000 * BUSY_TIMEOUT)):
                is_there, fault = os.path.lexists(path), self.fault()
                if is_there and fault is None:  # another process was quicker
                    return
                for end in ("", "-journal"):
                    made.with_name(f"{made.name}{end}").unlink(missing_ok=True)
                os.close(open_private(made, os.O_CREAT | os.O_EXCL | os.O_RDONLY))
                with _connected(made) as db:
                    _lay_out(db, 0)
                    kept, lost = self._rescued(db)
                aside = self._moved_aside() if is_there else None
                made.replace(path)
                sync_folder(path.parent)
        if aside is not None:
            said = "%s; it was set aside as %s; letters that wait on: %d, that cannot be read: at least %d"
            _log.warning(said, fault, aside, kept, lost)

    def _rescued(self, made: sqlite3.Connection) -> tuple[int, int]:
        """Copy the sound letters of a damaged file; return how many they are, and how many others were found."""
        rows: list[tuple[Any, ...]] = []
        numbers = set[int]()
        with suppress(StoreDamagedError):
            _check_file(self._path)
            with _connected(self._path, is_damaged=True) as db:
                for order in ("ASC", "DESC"):  # up to a page that cannot be read, from both sides
                    query = f"SELECT number FROM letter NOT INDEXED ORDER BY number {order}"
                    with suppress(StoreDamagedError), _our_errors(self._path):
                        for (number,) in db.execute(query):
                            numbers.add(number)
                query = f"SELECT {EVERYTHING} FROM letter NOT INDEXED WHERE number = ? AND digest = {OWN_SEAL}"
                for number in numbers:
                    with suppress(StoreDamagedError), _our_errors(self._path):
                        rows += db.execute(query, (number,)).fetchall()
        made.execute("BEGIN")
        made.executemany(f"INSERT INTO letter VALUES ({'?, ' * 11}?)", rows)
        made.execute("COMMIT")
        return len(rows), len(numbers) - len(rows)

    def _moved_aside(self) -> Path:
        """Give what is at the path another name, and leave it there under its own until another file takes that."""
        path, found = self._path, self._path.lstat()
        for aside in self.set_aside():  # by somebody who was killed
            if os.path.samestat(found, aside.lstat()):
                return aside
        names = (path.with_name(f"{path.name}{ASIDE}{number}") for number in count(1))
        aside = next(each for each in names if not os.path.lexists(each))
        for end in ("-journal", "-wal", "-shm"):  # beside a new file they would spoil it
            with suppress(FileNotFoundError):
                path.with_name(f"{path.name}{end}").rename(f"{aside}{end}")
        is_file = stat.S_ISREG(found.st_mode)
        if is_file:
            with suppress(OSError):  # where a file has one name
                os.link(path, aside)
        if not os.path.lexists(aside):
            path.rename(aside)
        if is_file:
            with suppress(OSError):  # another user's
                aside.chmod(FILE)
        return aside

    # --- The file ---

    def _rows(self, query: str, *values: object) -> list[Any]:
        if not os.path.lexists(self._path):
            return []

        def read() -> list[Any]:
            with self._opened() as db:
                return db.execute(query, values).fetchall()

        try:
            return self._mended(read)
        except (StoreReadOnlyError, StoreFullError) as error:
            if not self._has_warned:
                self._has_warned = True
                _log.warning("%s; what waits there is recorded when it can be read", error)
            return []

    def _written(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Do something in a transaction; nobody sets the file aside meanwhile."""

        def write() -> ResultT:
            with (
                process_lock(self._path, int(1_000 * BUSY_TIMEOUT), shared=True),
                self._opened() as db,
            ):
                return _transacted(db, work)

        if not os.path.lexists(self._path):
            self._renew()
        return self._mended(write)

    def _mended(self, work: Callable[[], ResultT]) -> ResultT:
        """Do something with the file; where it is damaged, with the one that takes its place."""
        try:
            return work()
        except StoreDamagedError:
            self._renew()
        return work()

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Give a connection for a moment: none is shared by threads, nor with a forked child."""
        _check_file(self._path)
        with _connected(self._path) as db:
            [(layout,)] = db.execute("PRAGMA user_version")
            [(mark,)] = db.execute("PRAGMA application_id")
            if layout < 1 or mark != (0 if layout in UNMARKED else MARK + layout):
                raise StoreDamagedError(
                    f"{self._path}: it is not an outbox, or its header is damaged"
                )
            if layout > LAYOUT:
                raise StoreVersionError(
                    f"{self._path}: the outbox has layout {layout}, this library knows {LAYOUT}: update ujsx"
                )
            if layout < LAYOUT:
                _lay_out(db, layout)
            yield db


def _check_file(path: Path) -> None:
    """Raise :class:`StoreDamagedError` for what is no file of one's own, or has lost all that was in it."""
    with our_file_errors(path):
        try:
            found = path.lstat()
        except FileNotFoundError:
            raise StoreDamagedError(f"{path}: it is not there") from None
    if not stat.S_ISREG(found.st_mode):
        raise StoreDamagedError(f"{path}: it is not a file")
    if os.name != "nt" and os.geteuid() not in (0, found.st_uid):
        raise StoreDamagedError(f"{path}: it belongs to another user")
    if found.st_size < SMALLEST:
        raise StoreDamagedError(f"{path}: it was emptied, or cut")


@contextmanager
def _connected(path: Path, *, is_damaged: bool = False) -> Generator[sqlite3.Connection]:
    with (
        _our_errors(path),
        closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None)) as db,
    ):
        db.text_factory = partial(str, encoding="utf-8", errors="replace")  # damaged ones, too
        if is_damaged:
            # Then SQLite reads what there is of a file that was cut (lockBtree in btree.c).
            db.execute("PRAGMA writable_schema = ON")
        db.create_function("seal", 7, lambda *values: digest(values), deterministic=True)
        # The folder, too, is on the disk when a commit returns; and what was delivered leaves no bytes.
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute("PRAGMA secure_delete = ON")
        yield db


@contextmanager
def _our_errors(path: Path) -> Generator[None]:
    """Turn what SQLite raises within into one of our errors. What the system does not explain is damage."""
    try:
        yield
    except UnicodeDecodeError as error:  # a message that quotes a damaged schema
        raise StoreDamagedError(
            f"{path}: it is not an outbox, or it is damaged ({error})"
        ) from error
    except sqlite3.DatabaseError as error:
        made = our_error(str(path), error)
        is_allowed = os.access(path, os.R_OK | os.W_OK) and os.access(
            path.parent, os.W_OK | os.X_OK
        )
        is_system = isinstance(made, StoreReadOnlyError) and not is_allowed
        if is_system or isinstance(made, (StoreLockedError, StoreFullError)):
            raise made from error
        raise StoreDamagedError(
            f"{path}: it is not an outbox, or it is damaged ({error})"
        ) from error


def _transacted(db: sqlite3.Connection, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
    db.execute("BEGIN IMMEDIATE")
    try:
        done = work(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return done


def _lay_out(db: sqlite3.Connection, layout: int) -> None:
    """Bring the tables up to date, in one transaction; another process may have done it meanwhile."""

    def migrate(db: sqlite3.Connection) -> None:
        [(found,)] = db.execute("PRAGMA user_version")
        if found != layout:
            return
        for statement in MIGRATIONS[layout]:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {MARK + LAYOUT}")
        db.execute(f"PRAGMA user_version = {LAYOUT}")

    _transacted(db, migrate)


def _row(drafts: Mapping[str, EventDraft], taken: str | None) -> tuple[int, int, str, str | None]:
    said = [
        [id_, draft.type, dict(draft.payload), draft.turn, draft.timestamp, draft.actor]
        for id_, draft in drafts.items()
    ]
    body = json.dumps(said, ensure_ascii=False)
    return len(said), len(body.encode()) + len((taken or "").encode()), body, taken


def _letter(row: Any) -> QueuedEvents:
    number, place, session_id, after, posted_at, refusal, body, taken, written, fits = row
    is_sound = written == fits
    said = json.loads(body) if is_sound else ()
    return QueuedEvents(
        number,
        place,
        session_id,
        after,
        posted_at,
        refusal if is_sound or refusal is not None else DAMAGED,
        tuple(str(id_) for id_, *_ in said),
        tuple(EventDraft(*draft) for _, *draft in said),
        taken if is_sound else None,
        written,
    )

"""The outbox: a queue on this machine's disk for events recorded while a database server is away.

In: drafts of events, with the ids of their future events. Out: the same, in order, for delivery. It does
not know the server: :meth:`hud_runtime.HudSession.post` adds entries, and an open store delivers them.
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
from hud_runtime.log.store._rows import digest, in_transaction
from ujsx.errors import shown
from ujsx.on_demand import on_demand

__all__ = ["Outbox", "QueueReceipt"]

on_demand(globals())


# The place of an outbox, its bounds, and the records of its entries.


@dataclass(frozen=True, slots=True)
class Outbox:
    """A folder for queued events, and bounds on them. Several processes and stores may share one.

    Raises :class:`SettingsError` for an invalid bound.

    >>> Outbox("outbox").path.as_posix()
    'outbox/outbox.db'
    """

    folder: str | Path
    """The folder of the outbox's file, which gets mode 0600; a missing folder is made with mode 0700."""

    events: int = 10_000
    """Queued events at most, of all stores together, refused ones included."""

    bytes: int = 16 * 1024 * 1024
    """Bytes of their drafts at most."""

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
    """A receipt for events that are on this machine's disk, but not yet in the store.

    They have no version, and appear in no state: the store assigns the version, and may refuse them. The
    ids are those of the future events.
    """

    session_id: str
    ids: tuple[str, ...]
    types: tuple[str, ...]
    posted_at: int
    """Milliseconds since the Unix epoch, by the clock of the store."""


@dataclass(frozen=True, slots=True)
class QueuedEvents:
    """An entry of the queue: waiting, or refused."""

    number: int
    """Its number; later entries have higher ones."""
    place: str
    """The store that it is for, without a password."""
    session_id: str
    after: int
    """The session's last known version at posting time; its events get higher ones."""
    posted_at: int
    """Milliseconds since the Unix epoch."""
    refusal: str | None
    """The reason why the store refused it; None while it waits."""
    ids: tuple[str, ...]
    drafts: tuple[EventDraft, ...]
    taken: str | None = None
    """The record of the requests behind its events, stored on delivery."""
    digest: bytes | None = None
    """The digest of the whole entry; with the number, it identifies the entry."""


# The entries ("letters") of an outbox, in a small SQLite file, whose every commit is on disk before
# it returns.
#
# A letter holds the events of one call: all are recorded, or none. It stays until it is known to be
# in the store. A letter that the store refused is set aside until somebody removes it. A process
# killed while writing leaves a whole letter or none: SQLite rolls back uncommitted changes
# (sqlite.org/atomiccommit.html).
#
# A digest identifies a damaged letter. A file that is damaged, truncated, emptied or another
# program's is set aside under a new name, and its readable letters move to a new file.

_log = logging.getLogger("hud_runtime.log.outbox")

ResultT = TypeVar("ResultT")

LAYOUT = 3

MARK, UNMARKED = 0x756A7300, {1, 2}
"""The base of the file's ``application_id``, to which its layout is added, and the layouts without one. The
header holds the layout twice, so that a damaged one does not pass for a newer one.
"""

SMALLEST = 512
"""Bytes of SQLite's smallest page. SQLite treats a shorter file, even an empty one, as new."""

BUSY_TIMEOUT = 5.0
"""Seconds that a process waits for another writer."""

SEAL = "seal({}, {}, CAST(session_id AS BLOB), after, posted_at, CAST(body AS BLOB), CAST(taken AS BLOB))"
"""The digest of a row, over the place, time and content of its letter. The store and the place are filled in."""

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
"""The statements that migrate each layout to the present one. In the first, a letter had at least one event
and no request record; in the second, it had no digest.
"""

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
"""The refusal of a letter that does not match its digest."""

ASIDE = ".damaged-"
"""The infix in the name of a file that was set aside."""


class EventQueue:
    """The letters of an outbox for one store.

    :param place: the store's place, for messages.
    :param store: the identity of the store, for comparison; may be a digest.

    A damaged file is set aside whenever it is found, and an unreadable one is skipped; both log a warning.
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
        """Store letters, each with drafts by event id: all of them or none. They are on disk when it returns.

        :param taken: the request record stored with the last one.

        Raises :class:`StoreFullError` where the outbox or the disk is full: then nothing is stored.
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

        self._write(add)

    def sessions(self) -> tuple[str, ...]:
        """Return the sessions with waiting letters, longest waiting first."""
        query = "SELECT session_id FROM letter WHERE store = ? AND refusal IS NULL GROUP BY 1 ORDER BY min(number)"
        return tuple(name for (name,) in self._rows(query, self._store))

    def waits(self, session_id: str) -> bool:
        """Tell whether letters wait for a session."""
        return bool(self._rows(f"SELECT 1 {WAITING} LIMIT 1", self._store, session_id))

    def taken(self, session_id: str) -> list[str]:
        """Return the request records of a session's waiting, undamaged letters, in order."""
        sound = f"taken IS NOT NULL AND digest = {OWN_SEAL}"
        query = f"SELECT taken {WAITING} AND {sound} ORDER BY number"
        return [text for (text,) in self._rows(query, self._store, session_id)]

    def first(self, session_id: str, most: int) -> list[QueuedEvents]:
        """Return a session's first letters, in order; damaged ones have a refusal."""
        query = f"SELECT {COLUMNS}, {OWN_SEAL} {WAITING} ORDER BY number LIMIT ?"
        return [*map(_letter, self._rows(query, self._store, session_id, most))]

    def settle(
        self, done: Iterable[QueuedEvents], refused: Iterable[tuple[str, QueuedEvents]]
    ) -> None:
        """Drop delivered letters, and set refused ones aside, each with the reason.

        They are identified by digest, too: in a replaced file, a number may be another letter's.
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

        self._write(drop)

    def all(self) -> list[QueuedEvents]:
        """Return all letters of the file, including those of other stores and refused ones."""
        query = f"SELECT {COLUMNS}, {OWN_SEAL} FROM letter ORDER BY number"
        return [*map(_letter, self._rows(query))]

    def forget(self, number: int) -> bool:
        """Delete a letter for good, of any store; return whether it existed."""
        query = "DELETE FROM letter WHERE number = ?"
        return self._write(lambda db: db.execute(query, (number,)).rowcount > 0)

    def adopt(self, place: str) -> int:
        """Take over the letters of another address, and retry those that it refused; return their number."""
        query = (
            "UPDATE letter SET store = ?, place = ?, refusal = NULL,"
            f" digest = {SEAL.format('CAST(? AS BLOB)', 'CAST(? AS BLOB)')}"
            f" WHERE place = ? AND digest = {OWN_SEAL}"
        )
        values = (*(self._store, self.place) * 2, place)
        return self._write(lambda db: db.execute(query, values).rowcount)

    # --- Damage and recovery ---

    def check(self) -> None:
        """Check the whole file: set it aside if damaged, and mark damaged letters.

        Raises :class:`StoreReadOnlyError` for an unreadable file, :class:`StoreVersionError` for a newer
        layout.
        """
        if not os.path.lexists(self._path):
            return
        if self.fault() is not None:
            self._renew()
        query = f"UPDATE letter SET refusal = ? WHERE refusal IS NULL AND digest IS NOT {OWN_SEAL}"
        damaged = self._write(lambda db: db.execute(query, (DAMAGED,)).rowcount)
        if damaged:
            _log.warning(
                "%s: damaged letters, kept apart and not recorded: %d", self._path, damaged
            )

    def fault(self) -> str | None:
        """Return the damage of the file as a whole, or None.

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
        """Create the file, or replace a damaged one, which is kept under another name.

        A kill leaves the old file or the new one; the next process starts again.
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
        """Copy the undamaged letters of a damaged file; return their number, and that of the others found."""
        rows: list[tuple[Any, ...]] = []
        numbers = set[int]()
        with suppress(StoreDamagedError):
            _check_file(self._path)
            with _connected(self._path, is_damaged=True) as db:
                for order in ("ASC", "DESC"):  # from both ends, up to an unreadable page
                    query = f"SELECT number FROM letter NOT INDEXED ORDER BY number {order}"
                    with suppress(StoreDamagedError), _our_errors(self._path):
                        for (number,) in db.execute(query):
                            numbers.add(number)
                query = f"SELECT {EVERYTHING} FROM letter NOT INDEXED WHERE number = ? AND digest = {OWN_SEAL}"
                for number in numbers:
                    with suppress(StoreDamagedError), _our_errors(self._path):
                        rows += db.execute(query, (number,)).fetchall()
        with in_transaction(made):
            made.executemany(f"INSERT INTO letter VALUES ({'?, ' * 11}?)", rows)
        return len(rows), len(numbers) - len(rows)

    def _moved_aside(self) -> Path:
        """Give the file another name, and keep its own until a new file replaces it."""
        path, found = self._path, self._path.lstat()
        for aside in self.set_aside():  # by a process that was killed
            if os.path.samestat(found, aside.lstat()):
                return aside
        names = (path.with_name(f"{path.name}{ASIDE}{number}") for number in count(1))
        aside = next(each for each in names if not os.path.lexists(each))
        for end in ("-journal", "-wal", "-shm"):  # next to the new file they would corrupt it
            with suppress(FileNotFoundError):
                path.with_name(f"{path.name}{end}").rename(f"{aside}{end}")
        is_file = stat.S_ISREG(found.st_mode)
        if is_file:
            with suppress(OSError):  # file systems without hard links
                os.link(path, aside)
        if not os.path.lexists(aside):
            path.rename(aside)
        if is_file:
            with suppress(OSError):  # another user's file
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

    def _write(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Write in a transaction, while no process may set the file aside."""

        def write() -> ResultT:
            with (
                process_lock(self._path, int(1_000 * BUSY_TIMEOUT), shared=True),
                self._opened() as db,
                in_transaction(db),
            ):
                return work(db)

        if not os.path.lexists(self._path):
            self._renew()
        return self._mended(write)

    def _mended(self, work: Callable[[], ResultT]) -> ResultT:
        """Run work on the file; if it is damaged, on its replacement."""
        try:
            return work()
        except StoreDamagedError:
            self._renew()
        return work()

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Open a connection for one operation: none is shared by threads or with a forked child."""
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
    """Raise :class:`StoreDamagedError` for a file that is not ours, or has lost its content."""
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
        db.text_factory = partial(str, encoding="utf-8", errors="replace")  # also damaged texts
        if is_damaged:
            # This makes SQLite read a truncated file (lockBtree in btree.c).
            db.execute("PRAGMA writable_schema = ON")
        db.create_function("seal", 7, lambda *values: digest(values), deterministic=True)
        # EXTRA: on commit, the folder is on disk, too. Delivered entries leave no bytes.
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute("PRAGMA secure_delete = ON")
        yield db


@contextmanager
def _our_errors(path: Path) -> Generator[None]:
    """Convert SQLite's errors to our own. An error without a cause in the system is damage."""
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


def _lay_out(db: sqlite3.Connection, layout: int) -> None:
    """Migrate the tables in one transaction, unless another process has done so."""
    with in_transaction(db):
        [(found,)] = db.execute("PRAGMA user_version")
        if found == layout:
            for statement in MIGRATIONS[layout]:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {MARK + LAYOUT}")
            db.execute(f"PRAGMA user_version = {LAYOUT}")


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

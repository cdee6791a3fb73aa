"""The engine-independent part of a store: snapshots, deliveries and outputs beside the log, and its figures."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

import msgspec

from hud_runtime._breaker import SERVER, Breaker, tried_again
from hud_runtime._errors import ConcurrencyError, StoreDamagedError, StoreError
from hud_runtime._location import SESSIONS
from hud_runtime.log.events import Event
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._erase import KNOWS, SNAPSHOT_HAS_NONE, ErasedTexts, saying
from hud_runtime.log.store._files import BEYOND, Archive, LogReader, folder_of, size_of
from hud_runtime.log.store._protocol import (
    KEPT_DELIVERIES,
    KEPT_READERS,
    KEPT_SNAPSHOTS,
    Damage,
    EventStore,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
    Transaction,
    check_continuity,
)
from hud_runtime.log.store._rows import (
    DELIVERY,
    IS_THERE,
    OF_SESSION,
    OUTPUT,
    PURGED,
    SNAPSHOT,
    Engine,
    Row,
    digest,
    is_sound,
    to_row,
)

# Deliveries: texts sent to readers of a HUD, or prepared for them.
#
# They are beside the log, not in it: if one is lost or damaged, its reader gets the whole text
# again. Each has a digest.

SAVE_DELIVERY = DELIVERY.adding(
    f"WHERE {IS_THERE} AND {KNOWS} ON CONFLICT (session_id, reader, id) DO UPDATE SET"
    " is_sent = excluded.is_sent, body = excluded.body, digest = excluded.digest"
)

DROP_OLDER = (
    "DELETE FROM hud_delivery WHERE session_id = ? AND reader = ? AND is_sent = 0 AND id NOT IN"
    " (SELECT id FROM hud_delivery WHERE session_id = ? AND reader = ? AND is_sent = 0"
    " ORDER BY id DESC LIMIT ?)"
)


DROP_READERS = (
    "DELETE FROM hud_delivery WHERE session_id = ? AND reader IN"
    " (SELECT reader FROM hud_delivery WHERE session_id = ? GROUP BY reader"
    f" ORDER BY max(id) DESC LIMIT {BEYOND} OFFSET ?)"
)


class SavedDeliveries:
    """The table ``hud_delivery`` of a store."""

    _db: Engine

    @tried_again
    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Store a delivery; one of a purged session, or from before an erasure, is ignored.

        See :meth:`EventStore.save_delivery`.
        """
        whose = (delivery.session_id, delivery.reader)
        row = (*whose, delivery.id, int(delivery.is_sent), delivery.body)
        known = (*(delivery.session_id,) * 2, _version(delivery))
        with self._db.writing("a delivery") as db:
            db.execute(SAVE_DELIVERY, (*row, digest(row), *known))
            if delivery.is_sent:
                db.execute(
                    "DELETE FROM hud_delivery WHERE session_id = ? AND reader = ? AND id <> ?"
                    " AND (is_sent = 1 OR id < ?)",
                    (*whose, delivery.id, delivery.id),
                )
            else:
                db.execute(DROP_OLDER, (*whose, *whose, KEPT_DELIVERIES))
            db.execute(DROP_READERS, (delivery.session_id, delivery.session_id, KEPT_READERS))

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return the undamaged deliveries of a reader, or of all, oldest first."""
        rows = DELIVERY.rows(
            self._db,
            f"WHERE {OF_SESSION} AND (CAST(? AS TEXT) IS NULL OR reader = ?) ORDER BY id",
            *(session_id, session_id, reader, reader),
        )
        return [_delivery(row) for row in rows if is_sound(row)]

    def _delivery_damages(self) -> Iterator[Damage]:
        why = "does not match its digest; it is not used, and the reader is told everything again"
        for session_id, reader, *_ in DELIVERY.damaged(self._db):
            what = f'a delivery to the reader "{reader}" {why}'
            yield Damage(str(session_id), None, what, is_derived=True)


def _version(delivery: StoredDelivery) -> int:
    """Return the session's version in a delivery, as far as it has one."""
    try:
        version = msgspec.json.decode(delivery.body, type=_DeliveryBody).delivery.get("version")
    except msgspec.MsgspecError:
        return 0
    return version if isinstance(version, int) else 0


class _DeliveryBody(msgspec.Struct):
    """The parts of a delivery's body that are read here."""

    delivery: dict[str, object] = msgspec.field(default_factory=dict[str, object])


def _delivery(row: Row) -> StoredDelivery:
    session_id, reader, name, is_sent, body, _ = row
    return StoredDelivery(session_id, reader, name, bool(is_sent), body)


# Whole outputs of tools, of which a model has seen a part and may request the rest.
#
# They are beside the log, not in it. Each is compressed, has a digest of its text, and belongs to a
# session. A sweep deletes the texts of old ones and keeps the rows, so that a call for a swept one
# gets an explanation, and a host's history stays the same.

ABOUT_OUTPUT = OUTPUT.columns.removesuffix(", sha256, body")
"""The columns of an output, in order of its fields, without its text."""

KEEP = OUTPUT.adding(
    f"WHERE {IS_THERE} AND EXISTS (SELECT 1 FROM hud_event WHERE session_id = ?)"
    " ON CONFLICT (session_id, id) DO UPDATE SET mode = excluded.mode, body = excluded.body,"
    " kept_at = excluded.kept_at"
)

OLD = (
    "SELECT number, length(body) FROM (SELECT number, body, kept_at, row_number() OVER"
    " (PARTITION BY session_id ORDER BY kept_at DESC, number DESC) AS place"
    " FROM hud_output WHERE body IS NOT NULL) AS placed WHERE place > ? OR kept_at < ?"
)

LOGGED = 100
"""Sweeps kept in the log of sweeps."""

DAY = 24 * 60 * 60 * 1_000


class SavedOutputs:
    """The tables ``hud_output`` and ``hud_sweep`` of a store."""

    _db: Engine

    @tried_again
    def keep_output(self, output: StoredOutput) -> None:
        """Store an output; see :meth:`EventStore.keep_output`."""
        text = output.text
        if text is None:
            raise StoreError(f"{self._db.place}: an output without its text is not kept")
        raw = text.encode("utf-8", "surrogatepass")  # keeps unpaired surrogates
        check = sha256(raw).digest()
        place = output.session_id, output.id
        known = OUTPUT.rows(self._db, "WHERE session_id = ? AND id = ?", *place, columns="sha256")
        if known and known[0][0] != check:
            raise StoreError(
                f'session "{output.session_id}" has another output {output.id}; this one is not kept'
            )
        # Tools have any names; SQLite refuses unpaired surrogates.
        tool = output.tool.encode("utf-8", "replace").decode()
        about = astuple(replace(output, tool=tool))[:-1]
        row = (*about, check, zlib.compress(raw), *(output.session_id,) * 2)
        with self._db.writing("an output") as db:
            if not db.execute(KEEP, row).rowcount:
                raise StoreError(
                    f'there is no session "{output.session_id}" to keep the output of a tool for'
                )

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return an output with its text; see :meth:`EventStore.output`."""
        where = f"WHERE session_id = ? AND id = ? AND session_id NOT IN ({PURGED})"
        for *about, check, body in OUTPUT.rows(self._db, where, session_id, name):
            found = StoredOutput(*about)
            if body is None:
                return found
            text = _text(body, check)
            if text is None:
                raise StoreDamagedError(
                    f"{self._db.place}: the output {name} is not as it was written; call the tool again"
                )
            return replace(found, text=text)
        return None

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return the metadata of a session's outputs, oldest first, without their texts."""
        where = f"WHERE session_id = ? AND session_id NOT IN ({PURGED}) ORDER BY kept_at, number"
        rows = OUTPUT.rows(self._db, where, session_id, columns=ABOUT_OUTPUT)
        return [StoredOutput(*row) for row in rows]

    @tried_again
    def copy_outputs(self, origin: str, target: str) -> None:
        """Give a session the outputs of another one, too."""
        others = OUTPUT.columns.removeprefix("session_id, ")
        with self._db.writing("outputs") as db:
            db.execute(
                f"INSERT INTO hud_output ({OUTPUT.columns}) SELECT ?, {others} FROM hud_output"
                " WHERE session_id = ? ORDER BY number ON CONFLICT DO NOTHING",
                (target, origin),
            )

    # --- The sweep ---

    def _is_due(self, rules: SweepRules) -> bool:
        """Tell whether enough events were recorded since the last sweep."""
        [(now, last)] = self._db.rows(
            "SELECT (SELECT coalesce(max(position), 0) FROM hud_event),"
            " (SELECT coalesce(max(position), 0) FROM hud_sweep)"
        )
        return int(now) - int(last) >= rules.events

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Delete the texts of old outputs, and log the sweep; see :meth:`EventStore.sweep_outputs`."""
        if due and not self._is_due(rules):
            return None
        errors: list[str] = []
        scanned = deleted = size = 0
        try:
            scanned, deleted, size = self._sweep(rules, at)
        except StoreError as error:
            errors.append(str(error))
        with suppress(StoreError):  # a full disk stores no log entry either
            self._log_sweep(at, scanned, deleted, size, errors)
        return Swept(at, scanned, deleted, size, tuple(errors))

    def sweeps(self) -> list[Swept]:
        """Return the log of sweeps, newest first."""
        if self._db.layout < OUTPUT.layout:
            return []
        rows = self._db.rows(
            "SELECT swept_at, scanned, deleted, bytes, errors FROM hud_sweep ORDER BY number DESC"
        )
        return [
            Swept(at, scanned, deleted, size, tuple(json.loads(errors)))
            for at, scanned, deleted, size, errors in rows
        ]

    @tried_again
    def _sweep(self, rules: SweepRules, at: int) -> tuple[int, int, int]:
        """Delete texts; return the numbers of those found, of those deleted, and their bytes."""
        with self._db.writing("a sweep of outputs") as db:
            [(scanned,)] = db.execute("SELECT count(*) FROM hud_output WHERE body IS NOT NULL")
            old = db.execute(OLD, (rules.newest, at - rules.days * DAY)).fetchall()
            db.executemany(
                "UPDATE hud_output SET body = NULL WHERE number = ?", [row[:1] for row in old]
            )
        return scanned, len(old), sum(length for _, length in old)

    @tried_again
    def _log_sweep(self, at: int, scanned: int, deleted: int, size: int, errors: list[str]) -> None:
        with self._db.writing("the log of a sweep") as db:
            db.execute(
                "INSERT INTO hud_sweep (swept_at, position, scanned, deleted, bytes, errors)"
                " SELECT ?, coalesce(max(position), 0), ?, ?, ?, ? FROM hud_event",
                (at, scanned, deleted, size, json.dumps(errors)),
            )
            db.execute(
                "DELETE FROM hud_sweep WHERE number <= (SELECT max(number) FROM hud_sweep) - ?",
                (LOGGED,),
            )

    # --- Damage ---

    def _output_damages(self) -> Iterator[Damage]:
        for session_id, name, _ in self._damaged_outputs():
            what = f"the output {name} does not match its digest; it cannot be shown again"
            yield Damage(session_id, None, what, is_derived=True)

    def drop_damaged_outputs(self) -> int:
        """Delete damaged texts, and return their number."""
        numbers = [(number,) for *_, number in self._damaged_outputs()]
        with self._db.writing() as db:
            db.executemany("UPDATE hud_output SET body = NULL WHERE number = ?", numbers)
        return len(numbers)

    def _damaged_outputs(self) -> Iterator[tuple[str, str, int]]:
        # One at a time: together they may exceed memory.
        whole = "WHERE body IS NOT NULL"
        numbers = OUTPUT.rows(self._db, f"{whole} ORDER BY number", columns="number")
        for (number,) in numbers:
            for row in OUTPUT.rows(self._db, f"{whole} AND number = ?", number):
                if not _has_its_text(row):
                    yield str(row[0]), str(row[1]), number


def copy_sound_outputs(damaged: Path, db: sqlite3.Connection) -> None:
    """Copy the outputs of a damaged database, as far as they can be read."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(damaged)) as source:
        for row in source.execute(f"SELECT {OUTPUT.columns} FROM hud_output"):
            if row[-1] is None or _has_its_text(row):
                with suppress(sqlite3.IntegrityError):  # another of its columns is damaged
                    db.execute(OUTPUT.adding(), row)


def _has_its_text(output: Row) -> bool:
    """Tell whether a row of an output has a text that matches its digest."""
    *_, check, body = output
    return _text(body, check) is not None


def _text(body: bytes, check: bytes) -> str | None:
    try:
        raw = zlib.decompress(body)
    except (zlib.error, TypeError):
        return None
    return raw.decode("utf-8", "surrogatepass") if sha256(raw).digest() == check else None


# Snapshots: an optimization, never needed for correctness.
#
# Each has a digest. A damaged one is skipped, as the log has the same content.

SAVE_SNAPSHOT = SNAPSHOT.adding(f"WHERE {IS_THERE} AND {SNAPSHOT_HAS_NONE} ON CONFLICT DO NOTHING")

VERSIONS = "SELECT DISTINCT version FROM hud_snapshot WHERE session_id = ? AND projection = ? ORDER BY version"

DROP = "DELETE FROM hud_snapshot WHERE session_id = ? AND projection = ?"


def superfluous(versions: Sequence[int], most: int) -> list[int]:
    """Return the versions whose snapshots to drop, where there are more than ``most``.

    The newest stays. Of the others, the one goes whose neighbors have the fewest events between them,
    relative to the later one's version. So the distances grow with the session, as the states do, and all
    snapshots together stay proportional to the newest.

    >>> superfluous([5, 10, 15, 20], 4), superfluous([5, 10, 15, 20], 3)
    ([], [15])
    """
    left, gone = list(versions), list[int]()
    while len(left) > most:
        gaps = [
            (1 - (left[place - 1] if place else 0) / left[place + 1], place)
            for place in range(len(left) - 1)
        ]
        gone.append(left.pop(min(gaps)[1]))
    return gone


class SavedSnapshots:
    """The table ``hud_snapshot`` of a store."""

    _db: Engine

    @tried_again
    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Store a snapshot.

        A repeated one, one of a purged session, and one with text erased since are ignored.
        """
        row = astuple(snapshot)
        known = (*(snapshot.session_id,) * 2, *(snapshot.version,) * 2)
        with self._db.writing() as db:
            db.execute(SAVE_SNAPSHOT, (*row, digest(row), *known))
            whose = (snapshot.session_id, snapshot.projection)
            kept = [int(version) for (version,) in db.execute(VERSIONS, whose)]
            for version in superfluous(kept, KEPT_SNAPSHOTS):
                db.execute(f"{DROP} AND version = ?", (*whose, version))

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest undamaged snapshot with ``version <= up_to``, if any."""
        newest = (
            f"WHERE {OF_SESSION} AND projection = ? AND revision = ? AND version <= ?"
            " ORDER BY version DESC LIMIT 1"
        )
        of_one = session_id, session_id, projection, revision
        while rows := SNAPSHOT.rows(self._db, newest, *of_one, up_to):
            snapshot = Snapshot(*rows[0][:-1])
            if is_sound(rows[0]):
                return snapshot
            up_to = snapshot.version - 1
        return None

    def _snapshot_damages(self) -> Iterator[Damage]:
        for session_id, version, _, projection, *_ in SNAPSHOT.damaged(self._db):
            what = f'the snapshot of "{projection}" does not match its digest; it is not used'
            yield Damage(session_id, version, what, is_derived=True)


# The amount of each kind of data in a store, and its bound.
#
# Tables are listed from the database, so that later ones are counted as well.

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class GrowthBound:
    """The bound that limits the growth of a kind of data."""

    limit: str
    """The bound as text."""
    near: int
    """Bytes from which the advice applies."""
    advice: str
    """The remedy from then on."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The amount of data of one kind."""

    kind: str
    rows: int
    size: int
    """Bytes of the rows' content, or of the files."""
    bound: GrowthBound

    @property
    def is_near(self) -> bool:
        """True if the advice applies."""
        return self.size >= self.bound.near


SWEEP = "`ujsx store sweep --sessions --older-than 90d` deletes sessions that nobody has used for so long"

BOUNDS: Mapping[str, GrowthBound] = MappingProxyType(
    {
        "events": GrowthBound(
            "1,000,000 characters of one text (UJSX_MAX_TEXT); as many events as are recorded",
            512 * MIB,
            f"`ujsx session archive` compresses what a compaction has left behind; {SWEEP}",
        ),
        "archive": GrowthBound("what was archived, compressed; it goes with its session", 1024 * MIB, SWEEP),
        "snapshots": GrowthBound(
            "32 for each session and projection", 256 * MIB, f"they go with their sessions: {SWEEP}"
        ),
        "deliveries": GrowthBound(
            "17 for each reader, and 64 readers for each session", 64 * MIB,
            f"they go with their sessions: {SWEEP}",
        ),
        "search index": GrowthBound(
            "the texts of all events and their words, once more", 1024 * MIB,
            f"it is made of the log and goes with its sessions: {SWEEP}",
        ),
        "tombstones": GrowthBound("a row for each purged session, without its texts", 16 * MIB, "nothing"),
        "erasures": GrowthBound("a row for each erased event, without its texts", 16 * MIB, "nothing"),
        "write-ahead log": GrowthBound(
            "what was written since the last checkpoint, which comes by itself at 1,000 pages",
            64 * MIB,
            "`ujsx store sweep --checkpoint` empties it, unless a process reads all the time",
        ),
        "unused pages": GrowthBound(
            "what was deleted, until it is written over", 256 * MIB,
            "a purge, a sweep or an erasure writes the file anew, without them",
        ),
    }
)  # fmt: skip
"""The bound of each kind."""

OTHER = GrowthBound("what the table's own sweep leaves", 512 * MIB, SWEEP)
"""The bound of other tables."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "hud_event": "events",
        "hud_snapshot": "snapshots",
        "hud_delivery": "deliveries",
        "hud_tombstone": "tombstones",
        "hud_erasure": "erasures",
    }
)
"""Names of each table's rows."""

INDEX = "hud_search"
"""The prefix of the index's tables; the table of this name has no data."""

NO_TABLES = frozenset({"hud_archive", INDEX})
"""The archive's rows name files, which are counted instead."""


def figures(database: Database, archive: Archive) -> tuple[Figure, ...]:
    """Return the amount of each kind of data present."""
    found: dict[str, tuple[int, int]] = {}
    with database.at_one_moment():
        for table, columns in tables(database):
            if table in NO_TABLES:
                continue
            is_index = table.startswith(INDEX)
            kind = (
                "search index"
                if is_index
                else KINDS.get(table, table.removeprefix("hud_").replace("_", " "))
            )
            rows, size = _counted(database, table, columns)
            if is_index:  # its texts are the rows; the rest is the index
                rows = rows if table == f"{INDEX}_texts" else 0
            before = found.get(kind, (0, 0))
            found[kind] = before[0] + rows, before[1] + size
        found |= _files(database, archive)
    return tuple(
        Figure(kind, rows, size, BOUNDS.get(kind, OTHER))
        for kind, (rows, size) in found.items()
        if rows or size
    )


def tables(database: Database) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the store's tables, each with its columns."""
    names = database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'hud_*' ORDER BY rootpage"
    )
    for (name,) in names:
        columns = database.rows("SELECT name FROM pragma_table_info(?)", name)
        yield str(name), tuple(str(column) for (column,) in columns)


def quoted_name(name: str) -> str:
    """Return a table's or column's name, quoted for a query.

    >>> quoted_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _counted(database: Database, table: str, columns: tuple[str, ...]) -> tuple[int, int]:
    size = " + ".join(f"coalesce(length(CAST({quoted_name(each)} AS BLOB)), 0)" for each in columns)
    [(rows, bytes_)] = database.rows(
        f"SELECT count(*), coalesce(sum({size or '0'}), 0) FROM {quoted_name(table)}"
    )
    return int(rows), int(bytes_)


def _files(database: Database, archive: Archive) -> Mapping[str, tuple[int, int]]:
    """Return the amounts in files beside the database, and its unused space."""
    volumes = archive.everything()
    events = sum(each.last - each.first + 1 for each in volumes)
    found: dict[str, tuple[int, int]] = {}
    if database.path is not None:
        folder = folder_of(database.path)
        found["archive"] = events, sum(size_of(folder / each.file) for each in volumes)
        log = database.path.with_name(f"{database.path.name}-wal")
        found["write-ahead log"] = 0, size_of(log)
    [(unused,)] = database.rows("PRAGMA freelist_count")
    [(page,)] = database.rows("PRAGMA page_size")
    found["unused pages"] = int(unused), int(unused) * int(page)
    return found


LAST_USED = (
    "SELECT session_id, timestamp, 1000 * created_at FROM hud_event WHERE (session_id, version) IN"
    f" (SELECT session_id, max(version) FROM hud_event WHERE session_id NOT IN ({PURGED}) GROUP BY session_id)"
)
"""The time of each session's last event, and of its recording."""

LOOK_EVERY = 0.2
"""Seconds between polls of a session."""


class LogStore(LogReader, SavedSnapshots, SavedDeliveries, SavedOutputs, ErasedTexts, EventStore):
    """A log in a database, with the data beside it."""

    layout: int
    """The version of the tables."""

    def __init__(self, database: Engine, archive: Archive) -> None:
        super().__init__(database, archive)
        # Not a method of the store: an index that held the store would keep it alive.
        self._log = LogReader(database, archive)
        self.breaker = Breaker(SERVER)
        """The circuit breaker of a server's store."""

    @property
    def database(self) -> Engine:
        """The database, for code that copies the store."""
        return self._db

    @property
    def identity(self) -> str | None:
        """A digest that identifies a server's store; None for a store on this machine."""
        return None

    @property
    def place(self) -> str:
        """The store's path, or its address without the password, for messages."""
        return self._db.place

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all events or none; see :meth:`EventStore.append`."""
        check_continuity(session_id, expected_version, events)
        self.append_rows(session_id, expected_version, [to_row(event) for event in events])

    @tried_again
    def verify(self) -> tuple[Damage, ...]:
        """Return all damage: the engine's own check, digests, gaps, the archive.

        It checks one moment. A purge may remove files of the archive meanwhile.
        """
        found: list[Damage] = []
        log, *others = self._own_damages()
        beside = (self._snapshot_damages(), self._delivery_damages(), self._output_damages())
        with self._db.at_one_moment():
            for check in (log, *beside, *others):
                try:
                    found.extend(check)
                except StoreDamagedError as error:  # so damaged that the check itself fails
                    found.append(Damage(None, None, str(error)))
        return tuple(
            one for one in found if one.session_id is None or not self.is_purged(one.session_id)
        )

    @abstractmethod
    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        """Return the engine's own checks, the log's first."""

    def _refuse(self, session_id: str, expected: int, actual: int) -> None:
        """Raise the reason for a refused append, if other writers caused it."""
        if self.is_purged(session_id):
            raise StoreError(
                f'session "{session_id}" was purged: its id is not used again; use another name'
            )
        if actual != expected:
            raise ConcurrencyError(session_id, expected=expected, actual=actual)

    def transaction(self) -> Transaction | None:
        """Return the caller's transaction; see :meth:`EventStore.transaction`."""
        return self._db.transaction()

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, oldest first."""
        return tuple(session_id for _, session_id in self._db.rows(SESSIONS))

    def purge(self, session_id: str) -> int:
        """Delete a session's data, and leave a tombstone: its id is never used again."""
        return self.purge_all([session_id])[session_id]

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait up to ``timeout`` seconds for events after a version; return the session's last version."""
        deadline = time.monotonic() + timeout
        while (version := self.head(session_id).version) <= after:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, LOOK_EVERY))
        return version

    def number_of(self, session_id: str) -> int | None:
        """Return the number of a session in :meth:`notices`; None for a store without notifications."""
        return None

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield a session's number each time it gets events, until ``is_over``.

        :param every: seconds after which None is yielded, so that the caller can do other work.
        """
        raise StoreError(f"{self.place}: nothing reports new events here; poll for them")

    @abstractmethod
    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all data of these sessions, and return the number of events of each."""

    @abstractmethod
    def figures(self) -> tuple[Figure, ...]:
        """Return the amount of each kind of data, and its bound."""

    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts outside of events and derived data: table, column, session and text."""
        rows = OUTPUT.rows(self._db, "ORDER BY number", columns="session_id, id, tool")
        for session_id, name, tool in rows:
            yield "hud_output", "id", str(session_id), str(name)
            yield "hud_output", "tool", str(session_id), str(tool)

    def last_used(self) -> dict[str, int]:
        """Return the time of each session's last recording, or of its last event if later, in milliseconds."""
        rows = self._db.rows(LAST_USED)
        return {str(session_id): max(times) for session_id, *times in rows}

    def saying(self, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Return the events, by session and version, with a text that contains one of these."""
        return saying(self._log, texts)

    def archived(self, session_id: str) -> int:
        """Return the number of a session's archived events."""
        return sum(each.last - each.first + 1 for each in self._archive.of_session(session_id))

    def is_purged(self, session_id: str) -> bool:
        """Tell whether a session of this id was purged; the id is never used again."""
        found = self._db.rows(f"{PURGED} WHERE session_id = ?", session_id)
        return bool(found)

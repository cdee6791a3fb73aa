"""The part of a store that all engines share, and its figures."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hud_runtime._breaker import SERVER, Breaker, tried_again
from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime._location import SESSIONS
from hud_runtime.log.events import Event
from hud_runtime.log.store._archive import Archive, LogReader, folder_of
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._erase import (
    Change,
    Eraser,
    Erasure,
    Note,
    Traces,
    erase_again,
    erasures,
    saying,
)
from hud_runtime.log.store._protocol import (
    Damage,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
    Transaction,
    check_continuity,
)
from hud_runtime.log.store._rows import PURGED, Engine, Row, to_row
from hud_runtime.log.store._tables import SavedDeliveries, SavedOutputs, SavedSnapshots

# The amount of each kind of data in a store, and what bounds it.
#
# Tables are read as they are found, so that one that came later is counted as well.

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class GrowthBound:
    """The bound that keeps a kind of data from growing without end."""

    limit: str
    """The bound in words."""
    near: int
    """Bytes from which on something should be done."""
    advice: str
    """The advice from then on."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The amount of data of one kind."""

    kind: str
    rows: int
    size: int
    """Bytes of what is in the rows, or of the files."""
    bound: GrowthBound

    @property
    def is_near(self) -> bool:
        """True if something should be done about it."""
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
"""The bound of each kind; a table of yours may take its place."""

OTHER = GrowthBound("what the table's own sweep leaves", 512 * MIB, SWEEP)
"""For tables that are not named above."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "hud_event": "events",
        "hud_snapshot": "snapshots",
        "hud_delivery": "deliveries",
        "hud_tombstone": "tombstones",
        "hud_erasure": "erasures",
    }
)
"""The names of the rows of each table."""

INDEX = "hud_search"
"""The beginning of the names of the index's tables; the first of them is none of its own."""

NO_TABLES = frozenset({"hud_archive", INDEX})
"""The archive's rows name files, and those are counted."""


def figures(
    database: Database, archive: Archive, bounds: Mapping[str, GrowthBound] = BOUNDS
) -> tuple[Figure, ...]:
    """Return how much there is of each kind, of which there is any."""
    found: dict[str, tuple[int, int]] = {}
    with database.at_one_moment():
        for table, columns in tables(database):
            if table in NO_TABLES:
                continue
            is_index = table.startswith(INDEX)
            kind = "search index" if is_index else KINDS.get(table, _named(table))
            rows, size = _counted(database, table, columns)
            if is_index:  # its texts are rows, the rest is how they are found
                rows = rows if table == f"{INDEX}_texts" else 0
            before = found.get(kind, (0, 0))
            found[kind] = before[0] + rows, before[1] + size
        found |= _files(database, archive)
    return tuple(
        Figure(kind, rows, size, bounds.get(kind, OTHER))
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


OF_EVENTS = frozenset({"hud_event", "hud_snapshot", "hud_delivery", "hud_tombstone", "hud_erasure"})
"""Tables that hold events, or what is made of them."""


def other_texts(database: Database) -> Iterator[tuple[str, str, str, str]]:
    """Yield the texts of all other tables with sessions: table, column, session and text."""
    for table, columns in tables(database):
        if table in OF_EVENTS | NO_TABLES or table.startswith(INDEX) or "session_id" not in columns:
            continue
        for column in columns:
            if column == "session_id":
                continue
            name = quoted_name(column)
            rows = database.rows(
                f"SELECT session_id, CAST({name} AS TEXT) FROM {quoted_name(table)}"
                f" WHERE typeof({name}) IN ('text', 'blob')"
            )
            for session_id, text in rows:
                yield table, column, str(session_id), str(text)


def quoted_name(name: str) -> str:
    """Return the name of a table or a column as it stands in a query.

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
    """The data in files beside the database, and the unused room of the database."""
    volumes = archive.everything()
    events = sum(each.last - each.first + 1 for each in volumes)
    found: dict[str, tuple[int, int]] = {}
    if database.path is not None:
        folder = folder_of(database.path)
        found["archive"] = events, sum(_size(folder / each.file) for each in volumes)
        log = database.path.with_name(f"{database.path.name}-wal")
        found["write-ahead log"] = 0, _size(log)
    [(unused,)] = database.rows("PRAGMA freelist_count")
    [(page,)] = database.rows("PRAGMA page_size")
    found["unused pages"] = int(unused), int(unused) * int(page)
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _named(table: str) -> str:
    return table.removeprefix("hud_").replace("_", " ")


LOOK_EVERY = 0.2
"""Seconds between two looks at a session that somebody waits for."""


class LogStore(LogReader):
    """A log in a database, with what is kept beside it."""

    layout: int
    """The version of the tables."""

    def __init__(self, database: Engine, archive: Archive) -> None:
        super().__init__(database, archive)
        # Apart from the store, which an index that held it would keep from being dropped.
        self._log = LogReader(database, archive)
        self._saved = SavedSnapshots(database)
        self._deliveries = SavedDeliveries(database)
        self._outputs = SavedOutputs(database)
        self.breaker = Breaker(SERVER)
        """The knowledge of whether the store can be reached, where it is a server's."""

    @property
    def database(self) -> Engine:
        """The database, for who copies the store."""
        return self._db

    @property
    def identity(self) -> str | None:
        """A digest that tells a server's store from others; None for a store of this machine."""
        return None

    @property
    def place(self) -> str:
        """The store's place, as it is told: a path, or an address without its password."""
        return self._db.place

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none; see :meth:`EventStore.append`."""
        check_continuity(session_id, expected_version, events)
        self.append_rows(session_id, expected_version, [to_row(event) for event in events])

    @abstractmethod
    def exclusive(self, session_id: str) -> AbstractContextManager[None]:
        """Keep everybody else from appending; see :meth:`EventStore.exclusive`."""

    @abstractmethod
    def archive(self, session_id: str) -> int:
        """Move what came before the last compaction; see :meth:`EventStore.archive`."""

    @abstractmethod
    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``; see :meth:`EventStore.search`."""

    @tried_again
    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: the engine's own check, digests, gaps, the archive.

        It is what was there at one moment. The files of an archive may go meanwhile, by a purge.
        """
        found: list[Damage] = []
        log, *others = self._own_damages()
        checks = (
            log,
            self._saved.damages(),
            self._deliveries.damages(),
            self._outputs.damages(),
            *others,
        )
        with self._db.at_one_moment():
            for check in checks:
                try:
                    found.extend(check)
                except StoreDamagedError as error:  # so damaged that a look at it fails
                    found.append(Damage(None, None, str(error)))
        return tuple(
            one for one in found if one.session_id is None or not self.is_purged(one.session_id)
        )

    @abstractmethod
    def _own_damages(self) -> tuple[Iterator[Damage], ...]:
        """Return the engine's own checks: of the log first."""

    @abstractmethod
    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Row]) -> None:
        """Append events as rows of ``_rows.COLUMNS`` and their digests."""

    def transaction(self) -> Transaction | None:
        """Return the transaction that the caller is in; see :meth:`EventStore.transaction`."""
        return self._db.transaction()

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, in the order of their beginning."""
        return tuple(session_id for _, session_id in self._db.rows(SESSIONS))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version; the same one again changes nothing."""
        self._saved.save(snapshot)

    def snapshot(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        return self._saved.newest(session_id, projection, revision, up_to)

    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Keep a delivery; see :meth:`EventStore.save_delivery`."""
        self._deliveries.save(delivery)

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return what is kept for a reader, or for all; see :meth:`EventStore.deliveries`."""
        return self._deliveries.of(session_id, reader)

    def keep_output(self, output: StoredOutput) -> None:
        """Keep a tool's output; see :meth:`EventStore.keep_output`."""
        self._outputs.keep(output)

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a kept output with its text; see :meth:`EventStore.output`."""
        return self._outputs.get(session_id, name)

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of a session's outputs, oldest first, without their texts."""
        return self._outputs.of(session_id)

    def copy_outputs(self, origin: str, target: str) -> None:
        """Let a session that begins as a copy of another one have its outputs, too."""
        self._outputs.copy(origin, target)

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Take the texts of outputs that are old; see :meth:`EventStore.sweep_outputs`."""
        if due and not self._outputs.is_due(rules):
            return None
        return self._outputs.sweep(rules, at)

    def sweeps(self) -> list[Swept]:
        """Return the log of the last sweeps, newest first."""
        return self._outputs.sweeps()

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, and leave a tombstone: its id is not used again."""
        return self.purge_all([session_id])[session_id]

    def wait(self, session_id: str, after: int, *, timeout: float) -> int:
        """Wait until a session goes on behind a version, for so many seconds at most; return its last one."""
        deadline = time.monotonic() + timeout
        while (version := self.head(session_id).version) <= after:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, LOOK_EVERY))
        return version

    def number_of(self, session_id: str) -> int | None:
        """Return the number by which :meth:`notices` name a session; None where nobody tells of new events."""
        return None

    def notices(self, is_over: Callable[[], bool], *, every: float) -> Iterator[int | None]:
        """Yield the number of a session each time that one goes on, until it is over.

        :param every: seconds after which None is yielded, for who has other things to do.
        """
        raise StoreError(f"{self.place}: nobody tells of new events; look at them now and then")

    @abstractmethod
    def purge_all(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Delete all that belongs to these sessions, and return how many events each of them had."""

    @abstractmethod
    def figures(self) -> tuple[Figure, ...]:
        """Return how much there is of each kind of data, and what bounds it."""

    @abstractmethod
    def other_texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the texts that are no events', nor made of events: table, column, session and text."""

    @abstractmethod
    def close(self) -> None:
        """Release the database. Closing twice is no error."""

    @property
    @abstractmethod
    def _traces(self) -> Traces:
        """The places of events' texts beside the log."""

    def last_used(self) -> dict[str, int]:
        """Return when each session was last recorded in, or told of what happened, in milliseconds."""
        rows = self._db.rows(self._db.statements.last_used)
        return {str(session_id): int(used) for session_id, used, *_ in rows}

    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event from log, archive, index and snapshots; return where they stood.

        ``change`` says what the payload is without them, ``note`` makes the event that tells of it.

        Raises :class:`EventError` for an event that is not there; :class:`StoreLockedError` when another
        process keeps the files in use: then nobody finds the texts, but their bytes are there.
        """
        return self._eraser().erase(session_id, version, change, note)

    def erase_again(self, done: Iterable[Erasure]) -> None:
        """Erase what was erased in the store that this one is a copy of."""
        erase_again(self._eraser(), done)

    def saying(self, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Return the events, by session and version, that say one of the texts: a whole one of theirs, or a part."""
        return saying(self._log, texts)

    def erasures(self) -> list[Erasure]:
        """Return what was erased, by session and version."""
        return erasures(self._db)

    def archived(self, session_id: str) -> int:
        """Return how many of a session's events are in the archive."""
        return sum(each.last - each.first + 1 for each in self._archive.of_session(session_id))

    def is_purged(self, session_id: str) -> bool:
        """Tell whether a session of this id was purged, so that the id is not used again."""
        found = self._db.rows(f"{PURGED} WHERE session_id = ?", session_id)
        return bool(found)

    def _eraser(self) -> Eraser:
        return Eraser(self._db, self._archive, self._traces)

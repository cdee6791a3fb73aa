"""The repair of a damaged store: derived data is rebuilt, and the remaining events are saved."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from struct import unpack
from typing import NamedTuple, TypeAlias, cast

import msgspec

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime.log.store._database import Database
from hud_runtime.log.store._erase import Erasure, erasure_of, without
from hud_runtime.log.store._files import (
    SUFFIX,
    VOLUME_SIZE,
    ArchiveLine,
    archive_beside,
    folder_of,
    make_private,
    our_file_errors,
    private_file,
)
from hud_runtime.log.store._log_store import copy_sound_outputs
from hud_runtime.log.store._protocol import Damage, Snapshot
from hud_runtime.log.store._replace import (
    DATABASE,
    clear_abandoned,
    copy_database,
    is_store_at,
    put_in_place,
    set_aside,
    staging,
    unused,
)
from hud_runtime.log.store._rows import (
    ARCHIVED,
    COLUMNS,
    ERASURE,
    SNAPSHOT,
    TOMBSTONE,
    Row,
    digest,
    is_sound,
)
from hud_runtime.log.store._sqlite import BUSY_TIMEOUT, SqliteEventStore

# Reading the remaining rows of a database that is too damaged for SQLite.
#
# SQLite finds a row from the root of its tree; one damaged page on the way hides everything below.
# Here each page is read by itself, in the documented format (sqlite.org/fileformat2.html, sections
# 1.6 and 2.1). Each row's digest tells whether it is intact. A page whose own cell table is damaged
# is searched for rows that look like events.

Value: TypeAlias = int | bytes | None

MAGIC = b"SQLite format 3\x00"
"""The first bytes of a database (section 1.3)."""

USUAL_SIZE = 4_096
"""Bytes of a page where the header is damaged: the size of every store's pages."""

SIZES = frozenset(2**power for power in range(9, 17))
"""Valid page sizes in bytes."""

TABLE_LEAF, INDEX_LEAF = 13, 10
"""The kinds of pages that hold rows (section 1.6)."""

INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer, by its serial type (section 2.1)."""

LONGEST = 64
"""Bytes of a row's header at most; a store has no longer ones."""

EVENT_HEAD = re.compile(rb"[\x0d-\x24]\x00[\x0f-\xff]")
"""The first bytes of an event's row: the length of its header, NULL for the key, a text's type."""


class Record(NamedTuple):
    """A row of a table, or an entry of an index."""

    rowid: int | None
    """``None`` for an entry of an index."""
    values: tuple[Value, ...]
    """Texts are bytes."""


class Pages:
    """The pages of a database, overlaid with those of its write-ahead log."""

    def __init__(self, content: bytes, log: bytes = b"") -> None:
        self._content = content
        told = int.from_bytes(content[16:18]) if content.startswith(MAGIC) else 0
        told = 65_536 if told == 1 else told
        from_log = int.from_bytes(log[8:12])
        self.size = told if told in SIZES else from_log if from_log in SIZES else USUAL_SIZE
        self._newer = dict(_committed(log, self.size))
        last = max(self._newer, default=0)
        self.count = max(-(-len(content) // self.size), last)

    def page(self, number: int) -> bytes:
        """Return a page, counted from 1; empty beyond the end."""
        newer = self._newer.get(number)
        return (
            self._content[(number - 1) * self.size : number * self.size] if newer is None else newer
        )

    def records(self) -> Iterator[Record]:
        """Yield all readable rows and index entries, page by page."""
        for number in range(1, self.count + 1):
            page = self.page(number)
            if page.count(0) != len(page):
                yield from self._of_page(page, 100 if number == 1 else 0)

    def _of_page(self, page: bytes, start: int) -> Iterator[Record]:
        kind = page[start] if start < len(page) else 0
        places = _pointers(page, start) if kind in (TABLE_LEAF, INDEX_LEAF) else None
        found = [] if places is None else [*self._at(page, places, kind)]
        yield from found
        if places is None or len(found) < len(places):
            # An inner page, part of a long row, or a page with a damaged header or type.
            yield from self._at(page, _likely(page), TABLE_LEAF)

    def _at(self, page: bytes, places: Iterable[int], kind: int) -> Iterator[Record]:
        for place in places:
            with suppress(ValueError, IndexError):
                yield self._cell(page, place, kind)

    def _cell(self, page: bytes, place: int, kind: int) -> Record:
        """Return the record in a cell. Raises ValueError or IndexError if there is none."""
        length, place = _varint(page, place)
        rowid = None
        if kind == TABLE_LEAF:
            rowid, place = _varint(page, place)
        kinds, head = _kinds(page, place)
        widths = [*map(_width, kinds)]
        if head + sum(widths) != length:
            raise ValueError(length)
        local = _local(length, self.size, kind)
        payload = page[place : place + local]
        if local < length:
            number = int.from_bytes(page[place + local : place + local + 4])
            payload += self._overflow(number, length - local)
        if len(payload) < length:
            raise ValueError(length)
        if rowid is not None and rowid >= 2**63:
            rowid -= 2**64
        return Record(rowid, tuple(_values(payload[head:], kinds, widths)))

    def _overflow(self, number: int, length: int) -> bytes:
        """Return the rest of a long row, from a chain of overflow pages (section 1.6)."""
        parts: list[bytes] = []
        while length > 0 and 0 < number <= self.count:
            page = self.page(number)
            parts.append(page[4 : 4 + length])
            length -= len(parts[-1])
            number = int.from_bytes(page[:4])
            if not parts[-1]:
                break
        return b"".join(parts)


def read_pages(database: Path) -> Pages:
    """Read a database, its write-ahead log, or both. They must not be in use."""
    log = database.with_name(f"{database.name}-wal")
    return Pages(*(each.read_bytes() if each.exists() else b"" for each in (database, log)))


def _pointers(page: bytes, start: int) -> list[int] | None:
    """Return the offsets of a leaf's cells; ``None`` for an invalid header."""
    count, first = int.from_bytes(page[start + 3 : start + 5]), start + 8
    end = first + 2 * count
    if not count or end > len(page):
        return None
    return [int.from_bytes(page[place : place + 2]) for place in range(first, end, 2)]


def _local(length: int, usable: int, kind: int) -> int:
    """Return the bytes of a row that are in its own page (section 1.6)."""
    most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (usable - 12) * 32 // 255 - 23
    rest = least + (length - least) % (usable - 4)
    return rest if rest <= most else least


def _likely(page: bytes) -> Iterator[int]:
    """Yield possible starts of events' rows: at most two varints before a likely header."""
    for found in EVENT_HEAD.finditer(page):
        yield from range(max(found.start() - 18, 0), found.start() - 1)


def _kinds(page: bytes, start: int) -> tuple[list[int], int]:
    """Return the serial types of a row's values, and the length of its header (section 2.1)."""
    head, place = _varint(page, start)
    if head > LONGEST:
        raise ValueError(head)
    kinds: list[int] = []
    while place < start + head:
        kind, place = _varint(page, place)
        kinds.append(kind)
    if place != start + head or not kinds:
        raise ValueError(head)
    return kinds, head


def _width(kind: int) -> int:
    """Return the bytes of a value. Raises ValueError for a type that stores do not use."""
    if kind in INTEGERS:
        return INTEGERS[kind]
    if kind in (0, 8, 9):
        return 0
    if kind < 12:
        raise ValueError(kind)
    return (kind - 12) // 2


def _values(body: bytes, kinds: Iterable[int], widths: Iterable[int]) -> Iterator[Value]:
    """Yield the values of a row (section 2.1)."""
    place = 0
    for kind, width in zip(kinds, widths, strict=True):
        part = body[place : place + width]
        place += width
        if kind >= 12:
            yield part
        elif kind in INTEGERS:
            yield int.from_bytes(part, signed=True)
        else:
            yield None if kind == 0 else kind - 8


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a varint of one to nine bytes, and the place after it (section 1.6)."""
    value = 0
    for last in range(place, place + 8):
        byte = data[last]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, last + 1
    return value << 8 | data[place + 8], place + 9


def _committed(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield the committed pages of a write-ahead log, oldest first (section 4)."""
    if len(log) < 32 or int.from_bytes(log[:4]) not in (0x377F0682, 0x377F0683):
        return
    order = "big" if log[3] & 1 else "little"
    sums = checksum(log[:24], order, (0, 0))
    waiting: list[tuple[int, bytes]] = []
    for start in range(32, len(log) - size - 23, size + 24):
        head, page = log[start : start + 24], log[start + 24 : start + 24 + size]
        sums = checksum(page, order, checksum(head[:8], order, sums))
        told = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
        if head[8:16] != log[16:24] or sums != told:
            return
        waiting.append((int.from_bytes(head[:4]), page))
        if int.from_bytes(head[4:8]):  # the last page of a commit
            yield from waiting
            waiting.clear()


def checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the checksum of a write-ahead log, continued from the one before (section 4.2)."""
    one, two = sums
    words = unpack(f"{'>' if order == 'big' else '<'}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


# The remains of a damaged store: its events by session and version, from any place.
#
# In: the pages of a database, and the files of its archive. Only events that match their digests
# count; similar rows that do not match are reported separately. Index entries reveal missing
# events; tombstones exclude purged ones.

LARGEST_POSITION = 2**48
"""More events than any store has: a higher position is damage."""


class SalvagedEvent(NamedTuple):
    """An event: its row with the digest, and its place."""

    row: Row
    position: int
    is_archived: bool

    @property
    def version(self) -> int:
        return int(self.row[2])


@dataclass(slots=True)
class Remains:
    """Everything readable in a damaged store."""

    events: dict[str, dict[int, SalvagedEvent]] = field(
        default_factory=dict[str, dict[int, SalvagedEvent]]
    )
    """By session and version."""
    leftovers: list[SalvagedEvent] = field(default_factory=list[SalvagedEvent])
    """Rows that look like events, but do not match their digests."""
    known: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Versions found in indexes."""
    tombstones: dict[str, Row] = field(default_factory=dict[str, Row])
    erasures: dict[tuple[str, int], Erasure] = field(default_factory=dict[tuple[str, int], Erasure])
    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    """Snapshots that match their digests."""


def remains_of(pages: Pages, archive: Iterable[Path]) -> Remains:
    """Read everything that is readable."""
    remains = Remains()
    for record in pages.records():
        with suppress(UnicodeDecodeError):
            _take(remains, record)
    for file in archive:
        for position, row in readable_rows(file):
            _take_event(remains, row, position, is_archived=True)
    for session_id in remains.tombstones:
        remains.events.pop(session_id, None)
        remains.known.pop(session_id, None)
    gone = remains.tombstones.keys()
    remains.leftovers = [one for one in remains.leftovers if one.row[1] not in gone]
    remains.snapshots = [one for one in remains.snapshots if one.session_id not in gone]
    _leave_erased(remains)
    return remains


def _leave_erased(remains: Remains) -> None:
    """Remove erased texts that an unfinished erasure has left."""
    for (session_id, version), one in remains.erasures.items():
        found = remains.events.get(session_id, {}).get(version)
        if found is not None:
            row = (*found.row[:8], without(found.row[8], version, one.fields))
            remains.events[session_id][version] = found._replace(row=(*row, digest(row)))
        remains.leftovers = [
            each for each in remains.leftovers if each.row[1:3] != (session_id, version)
        ]
        remains.snapshots = [
            each
            for each in remains.snapshots
            if each.session_id != session_id or not version <= each.version < one.recorded_at
        ]


def readable_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """Yield the readable events of an archive file, up to the first error in its compression."""
    unpacker, text = zlib.decompressobj(wbits=31), b""
    with suppress(zlib.error):
        content = file.read_bytes()
        for start in range(0, len(content), 256):  # output before the error counts
            text += unpacker.decompress(content[start : start + 256])
    for line in text.split(b"\n"):
        with suppress(msgspec.MsgspecError, ValueError):
            found = msgspec.json.decode(line, type=ArchiveLine)
            yield found.position, found.row()


EVENT_ROW = (str, str, int, str, int, int, str, int, str, bytes)
TOMBSTONE_ROW = (str, int, int, int)
VERSION_ENTRY = (str, int, int)
ERASURE_ENTRY = (str, int, int, str, int, int)
SNAPSHOT_ENTRY = (str, str, int, int, int, str, bytes)
"""The kinds of the values in a table's row, or in an index's entry, which are unique for each."""


def _take(remains: Remains, record: Record) -> None:
    """Add a record to the remains by the pattern of its values."""
    values = record.values
    if record.rowid is not None:
        if len(values) == 12 and values[0] is None:
            if row := _typed(values[1:11], EVENT_ROW, "replace"):
                _take_event(remains, row, record.rowid, is_archived=False)
        elif row := _typed(values, TOMBSTONE_ROW):
            remains.tombstones[row[0]] = row
    elif row := _typed(values, VERSION_ENTRY):
        remains.known.setdefault(row[0], set()).add(row[1])
    elif row := _typed(values, ERASURE_ENTRY):
        with suppress(ValueError, TypeError):
            remains.erasures[row[:2]] = erasure_of(row)
    elif row := _typed(values, SNAPSHOT_ENTRY):
        session_id, projection, revision, version, turn, state, written = row
        row = (session_id, version, turn, projection, revision, state, written)
        if is_sound(row):
            remains.snapshots.append(Snapshot(*row[:-1]))


def _typed(values: tuple[Value, ...], kinds: tuple[type, ...], errors: str = "strict") -> Row:
    """Return values of these kinds with their texts decoded; empty for others."""
    stored = (bytes if kind is str else kind for kind in kinds)
    if len(values) != len(kinds) or not all(map(isinstance, values, stored)):
        return ()
    return tuple(
        str(value, "utf-8", errors) if kind is str else value
        for value, kind in zip(cast("Row", values), kinds, strict=True)
    )


def _take_event(remains: Remains, row: Row, position: int, *, is_archived: bool) -> None:
    position = position if 0 < position < LARGEST_POSITION else 0
    found = SalvagedEvent(row, position, is_archived)
    if not is_sound(row):
        remains.leftovers.append(found)
        return
    versions = remains.events.setdefault(row[1], {})
    there = versions.get(row[2])
    if there is None or (there.is_archived and not is_archived):
        versions[row[2]] = found


# A new store with the events salvaged from a damaged one.

NO_GAP = "hud_event_has_no_gap"
"""The trigger that is suspended to write a session without its archived past."""


def write_salvaged(path: Path, kept: list[SalvagedEvent], remains: Remains) -> None:
    """Write a store of these events."""
    with closing(Database(path, durable=True, busy_timeout=0)) as database:
        archive = archive_beside(database, database.path)
        with database.writing() as db:
            [(trigger,)] = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (NO_GAP,))
            db.execute(f"DROP TRIGGER {NO_GAP}")
            placed = [*_placed(kept)]
            db.executemany(
                f"INSERT INTO hud_event (position, {COLUMNS}, digest)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(one.position, *one.row) for one in placed if not one.is_archived],
            )
            for run in _runs([one for one in placed if one.is_archived]):
                volume = archive.put([ArchiveLine.of(one.position, one.row) for one in run])
                db.execute(ARCHIVED.adding(), astuple(volume))
            db.executemany(TOMBSTONE.adding(), remains.tombstones.values())
            heads = {one.row[1]: one.version for one in sorted(kept, key=lambda one: one.version)}
            db.executemany(
                SNAPSHOT.adding("WHERE TRUE ON CONFLICT DO NOTHING"),
                [
                    (*astuple(one), digest(astuple(one)))
                    for one in remains.snapshots
                    if one.version <= heads.get(one.session_id, 0)
                ],
            )
            db.executemany(
                ERASURE.adding(),
                [
                    (*place, one.recorded_at, json.dumps(one.fields), one.erased_at, 1)
                    for place, one in remains.erasures.items()
                    if one.version <= heads.get(one.session_id, 0)
                ],
            )
            db.execute(trigger)


def _placed(kept: Iterable[SalvagedEvent]) -> Iterator[SalvagedEvent]:
    """Yield the events in order of the log, with increasing positions, mostly their own."""
    ordered: list[tuple[int, str, int, SalvagedEvent]] = []
    for session_id, events in groupby(
        sorted(kept, key=lambda one: (one.row[1], one.version)), key=lambda one: str(one.row[1])
    ):
        place = 0
        for one in events:
            place = max(place, one.position)
            ordered.append((place, session_id, one.version, one))
    last = 0
    for place, _, _, one in sorted(ordered):
        last = max(place, last + 1)
        yield one._replace(position=last)


def _runs(events: Sequence[SalvagedEvent]) -> Iterator[list[SalvagedEvent]]:
    """Yield a session's runs without gaps, each within the size of an archive file."""
    run: list[SalvagedEvent] = []
    for one in sorted(events, key=lambda one: (one.row[1], one.version)):
        follows = run and one.row[1] == run[-1].row[1] and one.version == run[-1].version + 1
        if run and (not follows or len(run) == VOLUME_SIZE):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


Projection: TypeAlias = tuple[str, tuple[int, ...]]
"""A projection's name, and its present and former revisions."""

REST = "not-in-the-log.jsonl"
"""The file, beside the damaged ones, with readable events that are not in the new log."""


@dataclass(frozen=True, slots=True)
class LostEvents:
    """The lost events of a session."""

    session_id: str
    missing: tuple[tuple[int, int], ...]
    """The first and the last version of each gap, as far as known."""
    kept: int
    """The number of events in the repaired store."""
    put_beside: int
    """The number of readable events after a gap, which are in a file."""


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair."""

    path: Path
    made_anew: tuple[str, ...] = ()
    """The derived data that was rebuilt from the log, or will be on demand."""
    sessions: int = 0
    events: int = 0
    lost: tuple[LostEvents, ...] = ()
    set_aside: Path | None = None
    """The folder with the damaged files; ``None`` where the log was sound and stayed in place."""
    not_as_written: int = 0
    """The number of rows that look like events but do not match their digests; they are in a file."""
    remaining: tuple[Damage, ...] = ()
    """Damage that remains in the repaired store: gaps in the archived past of sessions."""

    @property
    def is_whole(self) -> bool:
        """True if no acknowledged event is known to be missing."""
        return not self.lost and not self.remaining


def repair(path: Path, *, projection: Projection) -> RepairResult:
    """Repair the store at ``path``; see :meth:`HudStore.repair`.

    :param projection: the name and the revisions of snapshots that can replace lost events.
    """
    path = path.expanduser().absolute()
    if not is_store_at(path):
        raise StoreError(f"there is no store at {path}")
    clear_abandoned(path)
    if _has_sound_log(path):
        with closing(SqliteEventStore(path)) as store:
            return _account(store, path, made_anew=store.make_derived_anew())
    with staging(path) as folder, unused(path, BUSY_TIMEOUT) as db:
        copy, made = folder / "damaged.db", folder / DATABASE
        _copy_pages(db, path, copy)
        volumes = sorted(folder_of(path).glob(f"*{SUFFIX}"))
        remains = remains_of(read_pages(copy), volumes)
        if not remains.events:
            raise StoreDamagedError(
                f"{path}: not one event of a store can be read from it; restore a backup"
            )
        kept, lost = _sorted_out(remains, projection)
        write_salvaged(made, kept, remains)
        with closing(Database(made, durable=True, busy_timeout=0)) as new, new.writing() as target:
            copy_sound_outputs(copy, target)
        with closing(SqliteEventStore(made, durable=True)) as store:
            account = _account(store, path, lost=tuple(lost))
            store.checkpoint()
        made.with_name(f"{made.name}-lock").unlink(missing_ok=True)
        aside = set_aside(path, "damaged")
        if aside is not None:
            _write_rest(aside / REST, remains, kept)
        put_in_place(made, path)
    made_anew, unsound = ("search index", "snapshots"), len(remains.leftovers)
    return replace(account, made_anew=made_anew, set_aside=aside, not_as_written=unsound)


def _has_sound_log(path: Path) -> bool:
    """Tell whether only derived data is damaged.

    Raises the obstacle to a repair: a lock, missing rights, a newer layout.
    """
    try:
        with closing(SqliteEventStore(path)) as store:
            return all(one.is_derived for one in store.verify())
    except (StoreLockedError, StoreReadOnlyError, StoreVersionError):
        raise
    except StoreError:  # too damaged to be recognized as a store of ours
        return False


def _account(
    store: SqliteEventStore,
    path: Path,
    *,
    made_anew: tuple[str, ...] = (),
    lost: tuple[LostEvents, ...] = (),
) -> RepairResult:
    sessions = store.sessions()
    events = sum(one.kept for one in lost) + sum(
        store.head(each).version for each in {*sessions} - {one.session_id for one in lost}
    )
    return RepairResult(path, made_anew, len(sessions), events, lost, remaining=store.verify())


def _copy_pages(db: sqlite3.Connection | None, path: Path, copy: Path) -> None:
    """Copy the pages unchanged, through SQLite while it holds the lock, else byte by byte."""
    with our_file_errors(copy):
        if db is not None:
            make_private(copy)
            with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(copy)) as target:
                db.execute("COMMIT")  # the exclusive locking mode keeps the lock
                db.backup(target)
                return
            copy.unlink()
        copy_database(path, copy)


def _sorted_out(
    remains: Remains, projection: Projection
) -> tuple[list[SalvagedEvent], list[LostEvents]]:
    """Return the events that stay in the log, and each session's lost ones."""
    kept: list[SalvagedEvent] = []
    lost: list[LostEvents] = []
    for session_id in sorted({*remains.events, *remains.known}):
        events = remains.events.get(session_id, {})
        last = max({*events, *remains.known.get(session_id, ())})
        missing = tuple(_stretches(set(range(1, last + 1)) - events.keys()))
        stays = [events[version] for version in sorted(events)]
        if missing and _has_snapshot(remains, session_id, projection, missing[-1][1], last):
            stays = [one._replace(is_archived=one.version < missing[-1][1]) for one in stays]
        elif missing:
            stays = [
                one._replace(is_archived=False) for one in stays if one.version < missing[0][0]
            ]
        kept += stays
        if missing:
            lost.append(LostEvents(session_id, missing, len(stays), len(events) - len(stays)))
    return kept, lost


def _has_snapshot(
    remains: Remains, session_id: str, projection: Projection, after: int, last: int
) -> bool:
    """Tell whether a snapshot covers all events up to ``after``, and one remains after them."""
    name, revisions = projection
    found = (
        one.version
        for one in remains.snapshots
        if (one.session_id, one.projection) == (session_id, name) and one.revision in revisions
    )
    return after < last and any(after <= version <= last for version in found)


def _stretches(versions: set[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(sorted(versions)), key=lambda one: one[1] - one[0]):
        stretch = [version for _, version in run]
        yield stretch[0], stretch[-1]


def _write_rest(path: Path, remains: Remains, kept: Iterable[SalvagedEvent]) -> None:
    """Write the readable events outside the log: one a line, with the reason."""
    there = {(one.row[1], one.version) for one in kept}
    behind = [
        one
        for versions in remains.events.values()
        for one in versions.values()
        if (one.row[1], one.version) not in there
    ]
    lines = [
        *(_line("behind what is missing", one.position, one.row) for one in behind),
        *(_line("not as it was written", one.position, one.row) for one in remains.leftovers),
    ]
    if not lines:
        return
    with our_file_errors(path), private_file(path) as file:
        file.writelines(lines)


def _line(why: str, position: int, row: Row) -> bytes:
    names = COLUMNS.split(", ")
    event = dict(zip(names, row, strict=False))
    with suppress(msgspec.DecodeError):
        event["payload"] = msgspec.json.decode(event["payload"])
    return msgspec.json.encode({"why": why, "position": position, **event}) + b"\n"

"""Archives beside the store, and the log read across database and archive."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import msgspec

from hud_runtime._errors import StoreDamagedError
from hud_runtime._location import make_folder
from hud_runtime.log.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.log.store._files import open_private, our_file_errors
from hud_runtime.log.store._protocol import At, Head
from hud_runtime.log.store._rows import (
    COLUMNS,
    FREQUENT,
    OF_SESSION,
    PURGED,
    Engine,
    Row,
    from_row,
    sound,
)

# The files of archived events: compressed, in a folder beside the store.
#
# A file is written as a whole, forced to the disk, and only then gets its name. Names are random: no
# id of a session is ever part of a path.

SUFFIX = ".jsonl.gz"


class ArchiveFiles(Protocol):
    """Keeps files by name."""

    def put(self, content: bytes) -> str:
        """Keep a content for good, and return its name."""
        name = f"{uuid4().hex}{SUFFIX}"
        self.keep(name, content)
        return name

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content for good, under the name that it has in another shelf."""
        ...

    def get(self, name: str) -> bytes:
        """Return a content. Raises :class:`StoreDamagedError` when it is not there."""
        ...

    def drop(self, name: str) -> None:
        """Forget a content, if it is there."""
        ...

    def names(self) -> frozenset[str]:
        """Return the names of all that is kept, and of what was left half done."""
        ...


class FilesInFolder(ArchiveFiles):
    """A :class:`ArchiveFiles` that is a folder, made when something is put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> None:
        """Write a file under a name, and return when the disk has it."""
        partial = self.folder / f"{name}.partial"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        with our_file_errors(self.folder):
            make_folder(self.folder)
            try:
                with os.fdopen(open_private(partial, flags), "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                partial.replace(self.folder / name)
            except BaseException:
                partial.unlink(missing_ok=True)  # a full disk has no room for half of it either
                raise
            sync_folder(self.folder)

    def get(self, name: str) -> bytes:
        """Read a file."""
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise StoreDamagedError(
                f"{self.folder / name}: archived events are in this file, and it cannot be read:"
                f" {error.strerror}; restore it from a backup"
            ) from error

    def drop(self, name: str) -> None:
        """Delete a file."""
        (self.folder / name).unlink(missing_ok=True)

    def names(self) -> frozenset[str]:
        """Return the names of the folder's files."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return frozenset(path.name for path in found)


class FilesInMemory(ArchiveFiles):
    """A :class:`ArchiveFiles` for a store in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content under a name."""
        self._contents[name] = content

    def get(self, name: str) -> bytes:
        """Return a content."""
        return self._contents[name]

    def drop(self, name: str) -> None:
        """Forget a content."""
        self._contents.pop(name, None)

    def names(self) -> frozenset[str]:
        """Return all names."""
        return frozenset(self._contents)


def sync_folder(folder: Path) -> None:
    """Return when the disk has a folder's new names: a file's own ``fsync`` does not say so."""
    if os.name != "nt":  # which has no such handle
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def packed(lines: Iterable[bytes]) -> bytes:
    r"""Return lines, compressed; the same lines give the same bytes.

    >>> gzip.decompress(packed([b"1", b"2"]))
    b'1\n2\n'
    """
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)


def fingerprint(content: bytes) -> bytes:
    """Return the SHA-256 of a content."""
    return sha256(content).digest()


@dataclass(frozen=True, slots=True)
class Volume:
    """An archived range of a session's events: a row of ``hud_archive``."""

    file: str
    session_id: str
    first: int
    last: int
    first_position: int
    last_position: int
    latest_turn: int
    latest_time: int
    sha256: bytes


VOLUME = ", ".join(field.name for field in fields(Volume))


VOLUME_SIZE = 20_000
"""Events in one file at most: it is read as a whole, some megabytes at a time."""

BEFORE_COMPACTION = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE session_id = ?"
    " AND version < (SELECT max(version) FROM hud_event"
    " WHERE session_id = ? AND type = 'compact.after') ORDER BY version LIMIT ?"
)


class Archived(msgspec.Struct, frozen=True):
    """One line of an archive file: an event's row, its place in the log, and its digest in hex."""

    position: int
    id: str
    session_id: str
    version: int
    type: str
    turn: int
    timestamp: int
    actor: str
    format: int
    payload: msgspec.Raw
    digest: str

    @classmethod
    def of(cls, position: int, row: Row) -> Archived:
        """Return the line of a row with its digest; the payload keeps its very bytes."""
        id_, session_id, version, type_, turn, timestamp, actor, format_, payload, digest = row
        return cls(
            position, id_, session_id, version, type_, turn, timestamp, actor, format_,
            msgspec.Raw(payload.encode()), digest.hex(),
        )  # fmt: skip

    def row(self) -> Row:
        """Return the row as it was, with its digest."""
        return (
            self.id, self.session_id, self.version, self.type, self.turn, self.timestamp,
            self.actor, self.format, bytes(self.payload).decode(), bytes.fromhex(self.digest),
        )  # fmt: skip


_to_line = msgspec.json.Encoder().encode
_from_line = msgspec.json.Decoder(Archived).decode


class Archive:
    """The archived part of a store."""

    def __init__(self, database: Engine, shelf: ArchiveFiles) -> None:
        self._db = database
        self.shelf = shelf

    def move(self, session_id: str) -> int:
        """Archive what came before the session's last compaction; return how many events.

        Raises :class:`StoreDamagedError` for an event that is not as it was written.
        """
        moved = 0
        with self._db.alone():
            self.sweep()
            while rows := self._db.rows(BEFORE_COMPACTION, session_id, session_id, VOLUME_SIZE):
                self._move([Archived.of(row[0], sound(row[1:])) for row in rows])
                moved += len(rows)
        return moved

    def put(self, lines: list[Archived]) -> Volume:
        """Write a file with these lines, and return the row that is to name it."""
        content = packed(map(_to_line, lines))
        first, last = lines[0], lines[-1]
        return Volume(
            self.shelf.put(content),
            first.session_id,
            first.version,
            last.version,
            first.position,
            last.position,
            max(line.turn for line in lines),
            max(line.timestamp for line in lines),
            fingerprint(content),
        )

    def _move(self, lines: list[Archived]) -> None:
        volume = self.put(lines)
        with self._db.writing("archiving") as db:
            db.execute(
                f"INSERT INTO hud_archive ({VOLUME}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                astuple(volume),
            )
            db.execute(
                "DELETE FROM hud_event WHERE session_id = ? AND version BETWEEN ? AND ?",
                (volume.session_id, volume.first, volume.last),
            )

    def sweep(self) -> None:
        """Delete the files that no row names, and those of purged sessions. To be called alone."""
        known = {volume.file for volume in self._volumes("")}
        for name in self.shelf.names() - known:
            self.shelf.drop(name)

    def volume(self, session_id: str, version: int) -> Volume | None:
        """Return the volume that holds the event with this version, if it is archived."""
        found = self._volumes(
            "AND session_id = ? AND first <= ? ORDER BY first DESC LIMIT 1", session_id, version
        )
        return next((volume for volume in found if version <= volume.last), None)

    def of_session(self, session_id: str) -> list[Volume]:
        """Return the session's volumes, in the order of its events."""
        return self._volumes("AND session_id = ? ORDER BY first", session_id)

    def between(self, after: int, up_to: int) -> list[Volume]:
        """Return the volumes with events at ``after < position <= up_to``, or around there."""
        return self._volumes("AND last_position > ? AND first_position <= ?", after, up_to)

    def everything(self) -> list[Volume]:
        """Return all volumes, session by session."""
        return self._volumes("ORDER BY session_id, first")

    def lines(self, volume: Volume) -> Iterator[Archived]:
        """Yield the events of a volume, in their order; none of a session that was just purged.

        Raises :class:`StoreDamagedError` for a file that is not as it was written.
        """
        try:
            content = self.shelf.get(volume.file)
        except StoreDamagedError:
            if self._db.rows(f"{PURGED} WHERE session_id = ?", volume.session_id):
                return  # since its row was read
            raise
        if fingerprint(content) != volume.sha256:
            raise StoreDamagedError(
                f"{self._db.place}: the archive file {volume.file} is not as it was written;"
                " restore it from a backup"
            )
        try:
            yield from map(_from_line, gzip.decompress(content).split(b"\n")[:-1])
        except (OSError, zlib.error, msgspec.DecodeError) as error:
            raise StoreDamagedError(
                f"{self._db.place}: the archive file {volume.file} cannot be read: {error}"
            ) from error

    def _volumes(self, rest: str, *values: object) -> list[Volume]:
        rows = self._db.rows(
            f"SELECT {VOLUME} FROM hud_archive WHERE session_id NOT IN ({PURGED}) {rest}",
            *values,
        )
        return [Volume(*row) for row in rows]


def archive_beside(database: Engine, path: Path | None) -> Archive:
    """Return the archive of a store in a file, or in memory."""
    return Archive(database, FilesInMemory() if path is None else FilesInFolder(folder_of(path)))


def folder_of(store: Path) -> Path:
    """Return the folder of a store's archive.

    >>> folder_of(Path("data/hud.db")).name
    'hud.db-archive'
    """
    return store.with_name(f"{store.name}-archive")


# Reading the log: what is in the database and what is in the archive, as one sequence.
#
# Events move from the database to the archive while somebody reads, never back. So a page of the
# database is read first, and the archive is asked for what is not there any more.

PAGE = 1_000
"""Rows that a reader takes at a time, so that nothing is locked while they are used."""

BEYOND = 2**62
"""Greater than any version and any position."""

VERSION, TYPE = 2, 3
"""The places of the version and the type among :data:`COLUMNS`."""

ONE_SESSION = (
    f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version > ?"
    " ORDER BY version LIMIT ?"
)

EVERYTHING = (
    f"SELECT position, {COLUMNS}, digest FROM hud_event WHERE position > ?"
    f" AND session_id NOT IN ({PURGED}) ORDER BY position LIMIT ?"
)


class LogReader:
    """Reads events, wherever they are."""

    def __init__(self, database: Engine, archive: Archive) -> None:
        self._db = database
        self._archive = archive

    def read(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
        catalog: EventCatalog = PAYLOADS,
    ) -> Iterator[Event]:
        """Yield a session's events; see :meth:`EventStore.read`."""
        if types is None:
            rows = self.session_rows(session_id, after, up_to)
        else:
            rows = self._of_types(session_id, after, up_to, frozenset(types))
        rows = map(sound, rows) if checked else rows
        return (from_row(row, catalog) for row in rows)

    def session_rows(
        self, session_id: str, after: int = 0, up_to: int | None = None
    ) -> Iterator[Row]:
        """Yield a session's rows with their digests, in order: ``after < version <= up_to``."""
        after, last = max(after, 0), BEYOND if up_to is None else min(up_to, BEYOND)
        while after < last:
            rows = self._db.rows(
                ONE_SESSION, session_id, session_id, after, min(PAGE, last - after)
            )
            if not rows:
                return
            if rows[-1][VERSION] != after + len(rows):
                # Something is missing; a row in its place has all others before it.
                rows = [row for place, row in enumerate(rows, after + 1) if row[VERSION] == place]
            if rows:
                yield from rows
                after = rows[-1][VERSION]
            else:
                volume = self._volume(session_id, after + 1)
                if volume is None:
                    return
                yield from self._of_volume(volume, after, last)
                after = volume.last

    def _of_types(
        self, session_id: str, after: int, up_to: int | None, types: frozenset[str]
    ) -> Iterator[Row]:
        """Yield the rows of some types: those that are archived, then those that an index finds."""
        after, last = max(after, 0), BEYOND if up_to is None else min(up_to, BEYOND)
        named, query = self._db.many(sorted(types)), self._db.statements.of_types
        if types.isdisjoint(FREQUENT):
            query = self._db.statements.of_rare_types
        while after < last:
            rows = self._db.rows(query, session_id, session_id, after, last, named, PAGE)
            end = rows[-1][VERSION] if len(rows) == PAGE else last
            # Asked for after the rows: what is missing among them has been archived by then.
            if volume := self._archived_between(session_id, after, end):
                rows = [row for row in self._of_volume(volume, after, last) if row[TYPE] in types]
                end = volume.last
            yield from rows
            after = end

    def _archived_between(self, session_id: str, after: int, last: int) -> Volume | None:
        """Return the first of a session's volumes with events at ``after < version <= last``."""
        volumes = self._archive.of_session(session_id)
        return next((one for one in volumes if one.last > after and one.first <= last), None)

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that are taken; see :meth:`EventStore.known_ids`."""
        wanted = frozenset(ids)
        found = {
            row[0] for row in self._db.rows(self._db.statements.known_ids, self._db.many(wanted))
        }
        for volume in self._archive.everything():
            found.update(line.id for line in self._archive.lines(volume) if line.id in wanted)
        return frozenset(found)

    def head(self, session_id: str) -> Head:
        """Return where a session's log ends."""
        rows = self._db.rows(
            f"SELECT version, turn FROM hud_event WHERE {OF_SESSION} ORDER BY version DESC LIMIT 1",
            *(session_id, session_id),
        )
        return Head(*rows[0]) if rows else Head()

    def last_position(self) -> int:
        """Return the position of the newest event; 0 for an empty log."""
        [(last,)] = self._db.rows("SELECT coalesce(max(position), 0) FROM hud_event")
        return int(last)

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all events with their positions; see :meth:`EventStore.read_all`."""
        return ((position, from_row(row)) for position, row in self.all_rows(after))

    def all_rows(self, after: int) -> Iterator[tuple[int, Row]]:
        """Yield all rows with their digests, each with its position, in the order of their appending."""
        after = min(max(after, 0), BEYOND)
        while True:
            rows = self._db.rows(EVERYTHING, after, PAGE)
            last = rows[-1][0] if len(rows) == PAGE else BEYOND
            volumes = self._archive.between(after, last)
            sources = [self._positions(volume, after, last) for volume in volumes]
            for position, row in merge(((row[0], row[1:]) for row in rows), *sources):
                # An event may have moved between the two looks, and then it is in both.
                if position > after:
                    after = position
                    yield position, row
            if last == BEYOND:
                return

    def version_at(self, session_id: str, at: At) -> int:
        """Return a moment's version; see :meth:`EventStore.version_at`."""
        head = self.head(session_id).version
        if at.measure == "version":
            return max(0, min(at.value, head))
        at = At(at.measure, max(-1, min(at.value, BEYOND)))
        later = self._db.rows(
            # The column's name comes from the literals of At.measure, never from a caller's text.
            f"SELECT version FROM hud_event WHERE {OF_SESSION} AND {at.measure} > ?"
            " ORDER BY version LIMIT 1",
            *(session_id, session_id, at.value),
        )
        archived = self._archived_after(session_id, at)
        if archived is not None:
            return archived - 1
        return int(later[0][0]) - 1 if later else head

    def _archived_after(self, session_id: str, at: At) -> int | None:
        for volume in self._archive.of_session(session_id):
            latest = volume.latest_turn if at.measure == "turn" else volume.latest_time
            if latest > at.value:
                lines = self._archive.lines(volume)
                later = (one.version for one in lines if getattr(one, at.measure) > at.value)
                return next(later, None)
        return None

    def _volume(self, session_id: str, version: int) -> Volume | None:
        """Return the volume with an event; ``None`` when the session has just been purged."""
        volume = self._archive.volume(session_id, version)
        if volume is None and not self._db.rows(f"{PURGED} WHERE session_id = ?", session_id):
            raise StoreDamagedError(
                f'event {version} of session "{session_id}" is missing from {self._db.place};'
                " restore a backup, or repair the store: `ujsx store repair`"
            )
        return volume

    def _of_volume(self, volume: Volume, after: int, last: int) -> Iterator[Row]:
        for line in self._archive.lines(volume):
            if after < line.version <= last:
                yield line.row()

    def _positions(self, volume: Volume, after: int, last: int) -> Iterator[tuple[int, Row]]:
        for line in self._archive.lines(volume):
            if after < line.position <= last:
                yield line.position, line.row()

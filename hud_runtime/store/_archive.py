"""Archiving: a session's past moves from the database to a compressed file, and stays readable.

First the file is on the disk; then one transaction names it and deletes its rows. A process that is
killed in between leaves a file that nobody knows, and the next one that archives or purges removes
it. So at every moment each event is in exactly one of the two places.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import msgspec

from hud_runtime._errors import StoreDamagedError
from hud_runtime.store._archive_files import (
    ArchiveFiles,
    FilesInFolder,
    FilesInMemory,
    fingerprint,
    packed,
)
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._rows import COLUMNS, sound
from hud_runtime.store._schema import PURGED


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

"""Erasing: the texts of one event go, from wherever they are; that there was an event stays.

First, where the event is archived, a new file without the texts is on the disk. Then one transaction does
all that anybody sees: it changes the event, appends another one that tells of it, and drops what was made
of the event: the session's later snapshots, what its readers were told, and the search index. From then on
nobody finds the texts. Last the files are written anew, so that no byte of the texts is left. An erasure
that was interrupted before that is finished by another one, of whatever event, or by a purge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError
from hud_runtime.events import Event, read_event
from hud_runtime.store._archive import Archive, Archived, Volume
from hud_runtime.store._engine import Connection, Engine, Row
from hud_runtime.store._erasures import (
    Erasure,
    as_json,
    erasures,
    is_unfinished,
    say_done,
    without,
)
from hud_runtime.store._ids import EventIds
from hud_runtime.store._reader import LogReader
from hud_runtime.store._rows import COLUMNS, digest, from_row, sound, to_row
from hud_runtime.store._schema import OF_SESSION

TYPE, PAYLOAD = 3, 8
"""Places among :data:`COLUMNS`."""

Change: TypeAlias = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""The type of an event and its payload as JSON in; the payload without the texts and where they stood out."""

Note: TypeAlias = Callable[[int, int, tuple[str, ...]], Event]
"""The last version and turn of a session and where texts stood in; the event that tells of it out."""


LAST = "SELECT version, turn FROM hud_event WHERE session_id = ? ORDER BY version DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class _There:
    """An event's row, and the place where it lies."""

    row: Row
    volume: Volume | None
    """The archive file that it is in, if it is in one."""


class Traces(Protocol):
    """The places of events' texts beside the log: a search index, files that were written before."""

    def drop_first(self) -> None:
        """Drop what can only be dropped by itself, before the event is changed."""
        ...

    def drop(self, db: Connection, event: Event) -> None:
        """Drop what is kept of an event, which is given as it is without its texts."""
        ...

    def write_anew(self) -> None:
        """Write everything anew, so that what was dropped is in no file any more."""
        ...


@dataclass(frozen=True, slots=True)
class Eraser:
    """Erases texts in one store."""

    database: Engine
    archive: Archive
    traces: Traces

    @tried_again
    def erase(self, session_id: str, version: int, change: Change, note: Note) -> tuple[str, ...]:
        """Erase texts of an event, and return where they stood; see :meth:`HudStore.erase`."""
        database = self.database
        with database.alone():
            there = self._there(session_id, version)
            payload, fields = change(there.row[TYPE], there.row[PAYLOAD])
            if fields:
                self._change(there, payload, fields, note)
            if fields or is_unfinished(database):
                self.archive.sweep()
                self.traces.write_anew()
                say_done(database)
        return fields

    def _there(self, session_id: str, version: int) -> _There:
        rows = self.database.rows(
            f"SELECT {COLUMNS}, digest FROM hud_event WHERE {OF_SESSION} AND version = ?",
            *(session_id, session_id, version),
        )
        if rows:
            return _There(sound(rows[0]), None)
        volume = self.archive.volume(session_id, version)
        for line in self.archive.lines(volume) if volume is not None else ():
            if line.version == version:
                return _There(sound(line.row()), volume)
        raise EventError(f'there is no event {version} in session "{session_id}"')

    def _change(self, there: _There, payload: str, fields: tuple[str, ...], note: Note) -> None:
        session_id, version = there.row[1], there.row[2]
        row = (*there.row[:PAYLOAD], payload)
        row = (*row, digest(row))
        self.archive.sweep()
        made = None if there.volume is None else _without(self.archive, there.volume, row)
        before = {(each.session_id, each.version): each.fields for each in erasures(self.database)}
        names = tuple(dict.fromkeys((*before.get((session_id, version), ()), *fields)))
        self.traces.drop_first()
        with self.database.writing("an erasure") as db:
            [(last, turn)] = db.execute(LAST, (session_id,))
            told = note(last, turn, fields)
            db.execute(
                self.database.statements.add_erasure,
                (session_id, version, told.version, json.dumps(names)),
            )
            if made is None or there.volume is None:
                values = (payload, row[-1], session_id, version)
                db.execute(
                    "UPDATE hud_event SET payload = ?, digest = ? WHERE session_id = ?"
                    " AND version = ?",
                    values,
                )
            else:
                db.execute(
                    "UPDATE hud_archive SET file = ?, sha256 = ? WHERE file = ?",
                    (made.file, made.sha256, there.volume.file),
                )
            db.execute(self.database.statements.append, to_row(told))
            _drop_derived(db, session_id, version)
            self.traces.drop(db, from_row(row))


def erase_again(eraser: Eraser, done: Iterable[Erasure]) -> None:
    """Erase in a copy of a store what was erased in the store; what is not in the copy is passed over."""
    known = {(each.session_id, each.version) for each in erasures(eraser.database)}
    for one in done:
        if (one.session_id, one.version) in known:
            continue

        def change(_type: str, payload: str, one: Erasure = one) -> tuple[str, tuple[str, ...]]:
            left = without(payload, one.version, one.fields)
            return left, () if left == payload else one.fields

        def note(last: int, turn: int, names: tuple[str, ...], one: Erasure = one) -> Event:
            now = 1_000 * one.erased_at
            said = {"version": one.version, "fields": names}
            return read_event(
                {
                    "id": EventIds(lambda: now).next(),
                    "session_id": one.session_id,
                    "version": last + 1,
                    "turn": turn,
                    "timestamp": now,
                    "actor": "host",
                    "type": "event.erase",
                    "payload": said,
                }
            )

        with suppress(EventError):
            eraser.erase(one.session_id, one.version, change, note)


def _without(archive: Archive, volume: Volume, row: Row) -> Volume:
    """Write the file of a volume anew, with a row in the place of the event with its version."""
    return archive.put(
        [
            Archived.of(line.position, row) if line.version == row[2] else line
            for line in archive.lines(volume)
        ]
    )


def _drop_derived(db: Connection, session_id: str, version: int) -> None:
    db.execute(
        "DELETE FROM hud_snapshot WHERE session_id = ? AND version >= ?", (session_id, version)
    )
    db.execute("DELETE FROM hud_delivery WHERE session_id = ?", (session_id,))


SHORTEST, MOST = 12, 64
"""Characters below which a text is no news where it stands again, and how many texts are looked for."""


def saying(log: LogReader, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the events that say one of the texts, of many the longest :data:`MOST`."""
    wanted = sorted({each for each in texts if len(each) >= SHORTEST}, key=len)[-MOST:]
    if not wanted:
        return ()
    sought = [as_json(each)[1:-1] for each in wanted]
    found: list[tuple[str, int]] = []
    for _, event in log.read_all():
        payload = str(to_row(event)[PAYLOAD])
        if any(each in payload for each in sought):
            found.append((event.session_id, event.version))
    return tuple(found)

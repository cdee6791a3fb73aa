"""Reading the log: what is in the database and what is in the archive, as one sequence.

Events move from the database to the archive while somebody reads, never back. So a page of the
database is read first, and the archive is asked for what is not there any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from heapq import merge

from hud_runtime._errors import StoreDamagedError
from hud_runtime.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.store._archive import Archive, Volume
from hud_runtime.store._at import At
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._protocol import Head
from hud_runtime.store._rows import COLUMNS, from_row, sound
from hud_runtime.store._schema import FREQUENT, OF_SESSION, PURGED

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

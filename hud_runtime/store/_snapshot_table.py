"""Snapshots in the database: kept to be quicker, never needed to be right.

Each has a digest. One that a bad disk has changed is passed over: the log tells the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from hud_runtime._breaker import tried_again
from hud_runtime.store._engine import Engine
from hud_runtime.store._erasures import SNAPSHOT_HAS_NONE
from hud_runtime.store._protocol import KEPT_SNAPSHOTS, Damage, Snapshot
from hud_runtime.store._rows import digest
from hud_runtime.store._schema import IS_THERE, OF_SESSION

COLUMNS = "session_id, version, turn, projection, revision, state"
"""The columns of a snapshot, in the order of its fields."""


VERSIONS = "SELECT DISTINCT version FROM hud_snapshot WHERE session_id = ? AND projection = ? ORDER BY version"

DROP = "DELETE FROM hud_snapshot WHERE session_id = ? AND projection = ?"


def superfluous(versions: Sequence[int], most: int) -> list[int]:
    """Return which of the versions need no snapshot, where there are more than ``most``.

    The newest stays. Of the others the one goes between whose neighbors there are the fewest events, as a part
    of the later one's version. So the distances grow with the session, as the states do, and all snapshots
    together stay in proportion to the newest.

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
    """The table ``hud_snapshot``."""

    def __init__(self, database: Engine) -> None:
        self._db = database

    @tried_again
    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot.

        The same one again, one of a purged session, or one with what was erased since, changes nothing.
        """
        row = astuple(snapshot)
        with self._db.writing() as db:
            db.execute(
                f"INSERT INTO hud_snapshot ({COLUMNS}, digest)"
                f" SELECT ?, ?, ?, ?, ?, ?, ? WHERE {IS_THERE} AND {SNAPSHOT_HAS_NONE}"
                " ON CONFLICT DO NOTHING",
                (
                    *(*row, digest(row), snapshot.session_id),
                    *(snapshot.session_id, snapshot.version, snapshot.version),
                ),
            )

            whose = (snapshot.session_id, snapshot.projection)
            kept = [int(version) for (version,) in db.execute(VERSIONS, whose)]
            for version in superfluous(kept, KEPT_SNAPSHOTS):
                db.execute(f"{DROP} AND version = ?", (*whose, version))

    def newest(
        self, session_id: str, projection: str, revision: int, up_to: int
    ) -> Snapshot | None:
        """Return the newest sound snapshot with ``version <= up_to``, if any."""
        query = (
            f"SELECT {COLUMNS}, digest FROM hud_snapshot WHERE {OF_SESSION}"
            " AND projection = ? AND revision = ? AND version <= ? ORDER BY version DESC LIMIT 1"
        )
        while rows := self._db.rows(query, session_id, session_id, projection, revision, up_to):
            *row, written = rows[0]
            snapshot = Snapshot(*row)
            if digest(tuple(row)) == written:
                return snapshot
            up_to = snapshot.version - 1
        return None

    def drop_damaged(self) -> int:
        """Delete the snapshots that are not as they were written, and return how many they were."""
        damaged = [
            row
            for *row, written in self._db.rows(f"SELECT {COLUMNS}, digest FROM hud_snapshot")
            if digest(tuple(row)) != written
        ]
        with self._db.writing() as db:
            for session_id, version, _turn, projection, revision, _state in damaged:
                db.execute(
                    "DELETE FROM hud_snapshot WHERE session_id = ? AND version = ?"
                    " AND projection = ? AND revision = ?",
                    (session_id, version, projection, revision),
                )
        return len(damaged)

    def damages(self) -> Iterator[Damage]:
        """Yield what is not as it was written."""
        query = f"SELECT {COLUMNS}, digest FROM hud_snapshot"
        for *row, written in self._db.rows(query):
            if digest(tuple(row)) != written:
                one = Snapshot(*row)
                yield Damage(
                    one.session_id,
                    one.version,
                    f'the snapshot of "{one.projection}" does not match its digest; it is not used',
                    is_derived=True,
                )

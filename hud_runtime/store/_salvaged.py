"""A new store of what was salvaged from a damaged one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import astuple
from itertools import groupby
from pathlib import Path

from hud_runtime.store._archive import VOLUME, VOLUME_SIZE, Archive, Archived, archive_beside
from hud_runtime.store._database import Database
from hud_runtime.store._rows import COLUMNS
from hud_runtime.store._salvage import Remains, Salvaged
from hud_runtime.store._snapshot_table import COLUMNS as SNAPSHOT

NO_GAP = "hud_event_has_no_gap"
"""The trigger that is put away while a session without its archived past is written."""


def write_salvaged(path: Path, kept: list[Salvaged], remains: Remains) -> None:
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
                _write_volume(db, archive, run)
            db.executemany(
                "INSERT INTO hud_tombstone (session_id, events, position, purged_at)"
                " VALUES (?, ?, ?, ?)",
                remains.tombstones.values(),
            )
            heads = {one.row[1]: one.version for one in sorted(kept, key=lambda one: one.version)}
            db.executemany(
                f"INSERT OR IGNORE INTO hud_snapshot ({SNAPSHOT}, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [one for one in remains.snapshots if one.version <= heads.get(one.session_id, 0)],
            )
            db.executemany(
                "INSERT INTO hud_erasure (session_id, version, recorded_at, fields, erased_at, is_done)"
                " VALUES (?, ?, ?, ?, ?, 1)",
                [
                    (
                        one.session_id,
                        one.version,
                        one.recorded_at,
                        json.dumps(one.fields),
                        one.erased_at,
                    )
                    for one in remains.erasures.values()
                    if one.version <= heads.get(one.session_id, 0)
                ],
            )
            db.execute(trigger)


def _placed(kept: Iterable[Salvaged]) -> Iterator[Salvaged]:
    """Yield the events in the order of the log, with positions that grow; mostly their own."""
    ordered: list[tuple[int, str, int, Salvaged]] = []
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


def _runs(events: Sequence[Salvaged]) -> Iterator[list[Salvaged]]:
    """Yield stretches of a session without a gap, none larger than a file of the archive."""
    run: list[Salvaged] = []
    for one in sorted(events, key=lambda one: (one.row[1], one.version)):
        follows = run and one.row[1] == run[-1].row[1] and one.version == run[-1].version + 1
        if run and (not follows or len(run) == VOLUME_SIZE):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _write_volume(db: sqlite3.Connection, archive: Archive, run: list[Salvaged]) -> None:
    volume = archive.put([Archived.of(one.position, one.row) for one in run])
    db.execute(
        f"INSERT INTO hud_archive ({VOLUME}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        astuple(volume),
    )

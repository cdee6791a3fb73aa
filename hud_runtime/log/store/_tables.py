"""Snapshots, deliveries and outputs in the database."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, replace
from hashlib import sha256
from pathlib import Path

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime.log.store._archive import BEYOND
from hud_runtime.log.store._erase import KNOWS, SNAPSHOT_HAS_NONE
from hud_runtime.log.store._protocol import (
    KEPT_DELIVERIES,
    KEPT_READERS,
    KEPT_SNAPSHOTS,
    Damage,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
)
from hud_runtime.log.store._rows import (
    IS_THERE,
    OF_SESSION,
    PURGED,
    WITH_DELIVERIES,
    WITH_OUTPUTS,
    Engine,
    Row,
    digest,
)

# Deliveries in the database: what readers of a HUD were told, and what was made for them.
#
# They are kept beside the log, and are no part of it: one that is lost, or that a bad disk has changed,
# costs its reader a text as a whole again. Each has a digest.

COLUMNS = "session_id, reader, id, is_sent, body"
"""The columns of a delivery, in the order of its fields."""

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
    """The table ``hud_delivery``."""

    def __init__(self, database: Engine) -> None:
        self._db = database

    @tried_again
    def save(self, delivery: StoredDelivery) -> None:
        """Keep a delivery; one of a purged session, or from before an erasure, changes nothing."""
        row = (
            delivery.session_id,
            delivery.reader,
            delivery.id,
            int(delivery.is_sent),
            delivery.body,
        )
        whose = (delivery.session_id, delivery.reader)
        with self._db.writing("a delivery") as db:
            db.execute(
                f"INSERT INTO hud_delivery ({COLUMNS}, digest)"
                f" SELECT ?, ?, ?, ?, ?, ? WHERE {IS_THERE} AND {KNOWS}"
                " ON CONFLICT (session_id, reader, id) DO UPDATE SET is_sent = excluded.is_sent,"
                " body = excluded.body, digest = excluded.digest",
                (*row, _digest(row), *(delivery.session_id,) * 2, _version(delivery)),
            )
            if delivery.is_sent:
                db.execute(
                    "DELETE FROM hud_delivery WHERE session_id = ? AND reader = ? AND id <> ?"
                    " AND (is_sent = 1 OR id < ?)",
                    (*whose, delivery.id, delivery.id),
                )
            else:
                db.execute(DROP_OLDER, (*whose, *whose, KEPT_DELIVERIES))
            db.execute(DROP_READERS, (delivery.session_id, delivery.session_id, KEPT_READERS))

    def of(self, session_id: str, reader: str | None) -> list[StoredDelivery]:
        """Return the sound ones of a reader, or of all, in the order of their making."""
        rows = self._rows(
            f"WHERE {OF_SESSION} AND (CAST(? AS TEXT) IS NULL OR reader = ?) ORDER BY id",
            session_id,
            session_id,
            reader,
            reader,
        )
        return [_delivery(row) for *row, written in rows if _digest(row) == written]

    def drop_damaged(self) -> int:
        """Delete those that are not as they were written, and return how many they were."""
        damaged = [row[:3] for *row, written in self._rows() if _digest(row) != written]
        with self._db.writing() as db:
            db.executemany(
                "DELETE FROM hud_delivery WHERE session_id = ? AND reader = ? AND id = ?", damaged
            )
        return len(damaged)

    def damages(self) -> Iterator[Damage]:
        """Yield what is not as it was written."""
        for *row, written in self._rows():
            if _digest(row) != written:
                what = (
                    f'a delivery to the reader "{row[1]}" does not match its digest; it is not used,'
                    " and the reader is told everything again"
                )
                yield Damage(str(row[0]), None, what, is_derived=True)

    def _rows(self, where: str = "", *values: object) -> list[Row]:
        if self._db.layout < WITH_DELIVERIES:
            return []
        return self._db.rows(f"SELECT {COLUMNS}, digest FROM hud_delivery {where}", *values)


def _digest(row: Row | list[object]) -> bytes:
    session_id, reader, name, is_sent, body = row
    return digest((session_id, reader, name, int(bool(is_sent)), body))


def _version(delivery: StoredDelivery) -> int:
    """Return the session's version that a delivery was made of, as far as it says so."""
    try:
        version = msgspec.json.decode(delivery.body, type=_DeliveryBody).delivery.get("version")
    except msgspec.MsgspecError:
        return 0
    return version if isinstance(version, int) else 0


class _DeliveryBody(msgspec.Struct):
    """The parts of a delivery's body that are looked at."""

    delivery: dict[str, object] = msgspec.field(default_factory=dict[str, object])


def _delivery(row: list[object]) -> StoredDelivery:
    session_id, reader, name, is_sent, body = map(str, row)
    return StoredDelivery(session_id, reader, name, is_sent == "1", body)


# Outputs of tools in the database, whole: what a model was shown only a part of, and may ask for again.
#
# They stand beside the log and are no part of it. Each is compressed, has a digest of its text, and is bound to its
# session. A sweep takes the texts of old ones, and leaves the rows: so a call for one that was swept is told so, and
# a host that shows its history again shows the same of it as before.

OUTPUT_COLUMNS = "session_id, id, tool, mode, turn, kept_at, lines, characters"
"""The columns of an output, in the order of its fields; its text stands behind them."""

KEEP = (
    f"INSERT INTO hud_output ({OUTPUT_COLUMNS}, sha256, body)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
    f" WHERE {IS_THERE} AND EXISTS (SELECT 1 FROM hud_event WHERE session_id = ?)"
    " ON CONFLICT (session_id, id) DO UPDATE SET mode = excluded.mode, body = excluded.body,"
    " kept_at = excluded.kept_at"
)

OLD = (
    "SELECT number, length(body) FROM (SELECT number, body, kept_at, row_number() OVER"
    " (PARTITION BY session_id ORDER BY kept_at DESC, number DESC) AS place"
    " FROM hud_output WHERE body IS NOT NULL) AS placed WHERE place > ? OR kept_at < ?"
)

LOGGED = 100
"""Sweeps that the log tells of."""

DAY = 24 * 60 * 60 * 1_000


class SavedOutputs:
    """The tables ``hud_output`` and ``hud_sweep``."""

    def __init__(self, database: Engine) -> None:
        self._db = database

    @tried_again
    def keep(self, output: StoredOutput) -> None:
        """Keep an output; see :meth:`EventStore.keep_output`."""
        text = output.text
        if text is None:
            raise StoreError(f"{self._db.place}: an output without its text is not kept")
        raw = _bytes(text)
        check = sha256(raw).digest()
        known = self._rows(
            "sha256", "WHERE session_id = ? AND id = ?", output.session_id, output.id
        )
        if known and known[0][0] != check:
            raise StoreError(
                f'session "{output.session_id}" has another output {output.id}; this one is not kept'
            )
        row = (*_told(output), check, zlib.compress(raw), *(output.session_id,) * 2)
        with self._db.writing("an output") as db:
            if not db.execute(KEEP, row).rowcount:
                raise StoreError(
                    f'there is no session "{output.session_id}" to keep the output of a tool for'
                )

    def get(self, session_id: str, name: str) -> StoredOutput | None:
        """Return an output with its text; see :meth:`EventStore.output`."""
        where = f"WHERE session_id = ? AND id = ? AND session_id NOT IN ({PURGED})"
        for *told, check, body in self._rows(
            f"{OUTPUT_COLUMNS}, sha256, body", where, session_id, name
        ):
            found = _output(told)
            if body is None:
                return found
            text = _text(body, check)
            if text is None:
                raise StoreDamagedError(
                    f"{self._db.place}: the output {name} is not as it was written; call the tool again"
                )
            return replace(found, text=text)
        return None

    def of(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of a session's outputs, oldest first; without their texts."""
        where = f"WHERE session_id = ? AND session_id NOT IN ({PURGED}) ORDER BY kept_at, number"
        return [_output([*row]) for row in self._rows(OUTPUT_COLUMNS, where, session_id)]

    @tried_again
    def copy(self, origin: str, target: str) -> None:
        """Let a session have the outputs of another one, too."""
        others = OUTPUT_COLUMNS.partition(", ")[2]
        with self._db.writing("outputs") as db:
            db.execute(
                f"INSERT INTO hud_output ({OUTPUT_COLUMNS}, sha256, body)"
                f" SELECT ?, {others}, sha256, body FROM hud_output WHERE session_id = ? ORDER BY number"
                " ON CONFLICT DO NOTHING",
                (target, origin),
            )

    # --- The sweep ---

    def is_due(self, rules: SweepRules) -> bool:
        """Tell whether so many events were recorded since the last sweep."""
        [(now, last)] = self._db.rows(
            "SELECT (SELECT coalesce(max(position), 0) FROM hud_event),"
            " (SELECT coalesce(max(position), 0) FROM hud_sweep)"
        )
        return int(now) - int(last) >= rules.events

    def sweep(self, rules: SweepRules, at: int) -> Swept:
        """Take the texts of old outputs, and log what was done; see :meth:`EventStore.sweep_outputs`."""
        errors: list[str] = []
        scanned = deleted = size = 0
        try:
            scanned, deleted, size = self._sweep(rules, at)
        except StoreError as error:
            errors.append(str(error))
        with suppress(StoreError):  # a disk that takes nothing takes no log either
            self._log(at, scanned, deleted, size, errors)
        return Swept(at, scanned, deleted, size, tuple(errors))

    def sweeps(self) -> list[Swept]:
        """Return the log of sweeps, newest first."""
        if self._db.layout < WITH_OUTPUTS:
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
        """Take texts; return how many there were, how many were taken, and how many bytes these had."""
        with self._db.writing("a sweep of outputs") as db:
            [(scanned,)] = db.execute("SELECT count(*) FROM hud_output WHERE body IS NOT NULL")
            old = db.execute(OLD, (rules.newest, at - rules.days * DAY)).fetchall()
            db.executemany(
                "UPDATE hud_output SET body = NULL WHERE number = ?", [row[:1] for row in old]
            )
        return scanned, len(old), sum(length for _, length in old)

    @tried_again
    def _log(self, at: int, scanned: int, deleted: int, size: int, errors: list[str]) -> None:
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

    # --- What is damaged ---

    def damages(self) -> Iterator[Damage]:
        """Yield what is not as it was written."""
        for session_id, name, _ in self._damaged():
            what = f"the output {name} does not match its digest; it cannot be shown again"
            yield Damage(session_id, None, what, is_derived=True)

    def drop_damaged(self) -> int:
        """Take the texts that are not as they were written, and return how many they were."""
        numbers = [(number,) for *_, number in self._damaged()]
        with self._db.writing() as db:
            db.executemany("UPDATE hud_output SET body = NULL WHERE number = ?", numbers)
        return len(numbers)

    def _damaged(self) -> Iterator[tuple[str, str, int]]:
        # One at a time: all of them together may be more than fits into memory.
        numbers = self._rows("number", "WHERE body IS NOT NULL ORDER BY number")
        for (number,) in numbers:
            for session_id, name, check, body in self._rows(
                "session_id, id, sha256, body", "WHERE number = ? AND body IS NOT NULL", number
            ):
                if _text(body, check) is None:
                    yield str(session_id), str(name), number

    def _rows(self, columns: str, where: str, *values: object) -> list[Row]:
        if self._db.layout < WITH_OUTPUTS:
            return []
        return self._db.rows(f"SELECT {columns} FROM hud_output {where}", *values)


def rescued(damaged: Path, db: sqlite3.Connection) -> int:
    """Copy the outputs that can be read of a damaged database, and return how many they are."""
    count = 0
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(damaged)) as source:
        for row in source.execute(f"SELECT {OUTPUT_COLUMNS}, sha256, body FROM hud_output"):
            *told, check, body = row
            if body is None or _text(body, check) is not None:
                db.execute(
                    f"INSERT OR IGNORE INTO hud_output ({OUTPUT_COLUMNS}, sha256, body)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*told, check, body),
                )
                count += 1
    return count


def _bytes(text: str) -> bytes:
    # Half of a surrogate pair comes out of JSON as it is, and is to come back so.
    return text.encode("utf-8", "surrogatepass")


def _text(body: bytes, check: bytes) -> str | None:
    try:
        raw = zlib.decompress(body)
    except (zlib.error, TypeError):
        return None
    return raw.decode("utf-8", "surrogatepass") if sha256(raw).digest() == check else None


def _told(output: StoredOutput) -> tuple[object, ...]:
    return (
        output.session_id,
        output.id,
        # A tool is named by whoever made it; SQLite takes no half of a surrogate pair.
        output.tool.encode("utf-8", "replace").decode(),
        output.mode,
        output.turn,
        output.kept_at,
        output.lines,
        output.characters,
    )


def _output(row: list[object]) -> StoredOutput:
    session_id, name, tool, mode, *figures = row
    turn, kept_at, lines, characters = (int(str(each)) for each in figures)
    return StoredOutput(
        str(session_id), str(name), str(tool), str(mode), turn, kept_at, lines, characters
    )


# Snapshots in the database: kept to be quicker, never needed to be right.
#
# Each has a digest. One that a bad disk has changed is passed over: the log tells the same.

SNAPSHOT_COLUMNS = "session_id, version, turn, projection, revision, state"
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
                f"INSERT INTO hud_snapshot ({SNAPSHOT_COLUMNS}, digest)"
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
            f"SELECT {SNAPSHOT_COLUMNS}, digest FROM hud_snapshot WHERE {OF_SESSION}"
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
            for *row, written in self._db.rows(
                f"SELECT {SNAPSHOT_COLUMNS}, digest FROM hud_snapshot"
            )
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
        query = f"SELECT {SNAPSHOT_COLUMNS}, digest FROM hud_snapshot"
        for *row, written in self._db.rows(query):
            if digest(tuple(row)) != written:
                one = Snapshot(*row)
                yield Damage(
                    one.session_id,
                    one.version,
                    f'the snapshot of "{one.projection}" does not match its digest; it is not used',
                    is_derived=True,
                )

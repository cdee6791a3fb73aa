"""Deliveries in the database: what readers of a HUD were told, and what was made for them.

They are kept beside the log, and are no part of it: one that is lost, or that a bad disk has changed,
costs its reader a text as a whole again. Each has a digest.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._erasures import KNOWS
from hud_runtime.store._protocol import KEPT_DELIVERIES, KEPT_READERS, Damage, StoredDelivery
from hud_runtime.store._reader import BEYOND
from hud_runtime.store._rows import digest
from hud_runtime.store._schema import IS_THERE, OF_SESSION, WITH_DELIVERIES

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
        version = msgspec.json.decode(delivery.body, type=_Body).delivery.get("version")
    except msgspec.MsgspecError:
        return 0
    return version if isinstance(version, int) else 0


class _Body(msgspec.Struct):
    """The parts of a delivery's body that are looked at."""

    delivery: dict[str, object] = msgspec.field(default_factory=dict[str, object])


def _delivery(row: list[object]) -> StoredDelivery:
    session_id, reader, name, is_sent, body = map(str, row)
    return StoredDelivery(session_id, reader, name, is_sent == "1", body)

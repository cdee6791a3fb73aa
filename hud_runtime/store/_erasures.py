"""The table of erasures: which events lost their texts, and what must not come after them.

A process that has not heard of an erasure yet may still save what it knew before: a snapshot, a delivery.
Neither is taken from then on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count

import msgspec

from hud_runtime.secrets import Place, place_name, replaced
from hud_runtime.store._engine import Engine, Row
from hud_runtime.store._schema import PURGED, WITH_ERASURES


def erased_words(version: int) -> Iterator[str]:
    """Yield what stands in the places of an event's texts: of two items no two say the same.

    Equal texts would be one item where a section takes no text twice.

    >>> words = erased_words(12)
    >>> next(words), next(words)
    ('[erased 12]', '[erased 12.2]')
    """
    yield f"[erased {version}]"
    yield from (f"[erased {version}.{number}]" for number in count(2))


@dataclass(frozen=True, slots=True)
class Erasure:
    """An event whose texts were erased: a row of ``hud_erasure``."""

    session_id: str
    version: int
    """The event's."""
    recorded_at: int
    """The version of the event that tells of it."""
    fields: tuple[str, ...]
    """The fields in which the texts stood."""
    erased_at: int
    """The time of the erasure, in seconds since the epoch."""
    is_done: bool
    """Whether nothing of them is left in any file."""


LIST = (
    "SELECT session_id, version, recorded_at, fields, erased_at, is_done FROM hud_erasure"
    f" WHERE session_id NOT IN ({PURGED}) ORDER BY session_id, version"
)

KNOWS = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND recorded_at > ?)"
"""Tells whether who is at a version of a session knows of all its erasures."""

SNAPSHOT_HAS_NONE = "NOT EXISTS (SELECT 1 FROM hud_erasure WHERE session_id = ? AND version <= ? AND recorded_at > ?)"
"""Tells whether a state as of a version holds no text that was erased later on."""


def erasures(database: Engine) -> list[Erasure]:
    """Return what was erased in a store; those of purged sessions apart."""
    if database.layout < WITH_ERASURES:
        return []
    return [_erasure(row) for row in database.rows(LIST)]


def erasures_in(db: sqlite3.Connection) -> Iterator[Erasure]:
    """Yield what was erased in a store, as far as it can be read, of whatever layout."""
    try:
        for row in db.execute(LIST).fetchall():
            yield _erasure(row)
    except (sqlite3.DatabaseError, ValueError):
        return


def _erasure(row: Row) -> Erasure:
    session_id, version, recorded_at, fields, erased_at, is_done = row
    names = tuple(map(str, json.loads(fields)))
    return Erasure(session_id, version, recorded_at, names, erased_at, bool(is_done))


def without(payload: str, version: int, fields: Collection[str]) -> str:
    """Return an event's payload without the texts at these places.

    >>> without('{"content":"Ann","id":"n-2"}', 2, ["content"])
    '{"content":"[erased 2]","id":"n-2"}'
    """
    words = erased_words(version)

    def left(place: Place, text: str) -> str:
        return next(words) if place_name(place) in fields else text

    return as_json(replaced(json.loads(payload), left))


def as_json(data: object) -> str:
    """Return data as payloads are stored.

    >>> as_json({"content": "é"})
    '{"content":"é"}'
    """
    return msgspec.json.encode(data).decode()


def is_unfinished(database: Engine) -> bool:
    """Tell whether bytes of what was erased may still be in the files."""
    return any(not each.is_done for each in erasures(database))


def say_done(database: Engine) -> None:
    """Say that no byte of what was erased is left: the files were written anew."""
    if is_unfinished(database):
        with database.writing("an erasure") as db:
            db.execute("UPDATE hud_erasure SET is_done = 1 WHERE is_done = 0")

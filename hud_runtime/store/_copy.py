"""Copying a whole store into another one, of whatever engine, and comparing the two.

Events come in the order of their appending, with their ids, versions, times and digests; what is there
already is passed over, so that a copy that was interrupted is gone on with. Then comes what stands beside
the log. Last each event of both is compared with the other one, digests and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice, zip_longest
from typing import TypeAlias

from hud_runtime._breaker import tried_again
from hud_runtime._errors import StoreError
from hud_runtime.store._engine import Row
from hud_runtime.store._log_store import LogStore

PAGE = 500
"""Events that are copied in one transaction."""

BESIDE: tuple[tuple[str, str, str], ...] = (
    ("hud_snapshot", "session_id, projection, revision, version, turn, state, digest", ""),
    ("hud_delivery", "session_id, reader, id, is_sent, body, digest", ""),
    (
        "hud_output",
        "session_id, id, tool, mode, turn, kept_at, lines, characters, sha256, body",
        "ORDER BY number",
    ),
    ("hud_erasure", "session_id, version, recorded_at, fields, erased_at, is_done", ""),
)
"""The tables beside the log, with their columns, and an order that is kept."""

TOMBSTONE = "session_id, events, position, purged_at"

Told: TypeAlias = Callable[[int], object]
"""Hears how many more events were copied."""


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """The result of a copy."""

    sessions: int
    """Sessions that are in both now."""
    events: int
    """Events that are in both now, and were compared."""
    copied: int
    """Events that were not there before."""
    archived: int
    """Of those in both, events that lie in the copy's archive."""


def copy_store(source: LogStore, target: LogStore, told: Told | None = None) -> StoreCopy:
    """Copy what is in a store into another one, and compare them.

    Raises :class:`StoreError` where the target has a session of that name with other events, or more of
    them, or had it purged; what was copied before that stays.
    """
    _copy_tombstones(source, target)
    copied = 0
    for page in _pages(source):
        copied += _copy_page(target, page)
        if told is not None:
            told(len(page))
    _copy_beside(source, target)
    archived = 0
    for session_id in source.sessions():
        if source.archived(session_id):
            target.archive(session_id)
        archived += target.archived(session_id)
    events = sum(_compare(source, target, session_id) for session_id in source.sessions())
    return StoreCopy(len(source.sessions()), events, copied, archived)


@tried_again
def _copy_page(target: LogStore, page: list[Row]) -> int:
    copied = 0
    with target.exclusive(page[0][1]):
        for session_id, rows in groupby(page, key=lambda row: row[1]):
            new = _new_rows(target, session_id, [*rows])
            if new:
                target.append_rows(session_id, new[0][2] - 1, new)
                copied += len(new)
    return copied


def _pages(source: LogStore) -> Iterator[list[Row]]:
    rows = (row for _, row in source.all_rows(0))
    while page := [*islice(rows, PAGE)]:
        yield page


def _new_rows(target: LogStore, session_id: str, rows: list[Row]) -> list[Row]:
    """Return those of a session's rows that the target does not have; those that it has must be the same."""
    version = target.head(session_id).version
    known = [row for row in rows if row[2] <= version]
    if known:
        there = target.session_rows(session_id, known[0][2] - 1, known[-1][2])
        for mine, its in zip_longest(known, there):
            if mine != its:
                raise _differs(session_id, (mine or its)[2])
    return rows[len(known) :]


def _copy_tombstones(source: LogStore, target: LogStore) -> None:
    for row in source.database.rows(f"SELECT {TOMBSTONE} FROM hud_tombstone"):
        if target.head(row[0]).version:
            raise StoreError(
                f'session "{row[0]}" was purged in {source.place}, and is in {target.place}: purge it there'
                " as well, and copy again"
            )
        add = f"INSERT INTO hud_tombstone ({TOMBSTONE}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        _add(target, add, [row])


@tried_again
def _add(target: LogStore, statement: str, rows: list[Row]) -> None:
    with target.database.writing("a copy") as db:
        db.executemany(statement, rows)


def _copy_beside(source: LogStore, target: LogStore) -> None:
    there = set(target.sessions())
    for table, columns, order in BESIDE:
        marks = ", ".join("?" for _ in columns.split(","))
        add = f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        for session_id in source.sessions():
            rows = source.database.rows(
                f"SELECT {columns} FROM {table} WHERE session_id = ? {order}",
                session_id,
            )
            if rows and session_id in there:
                _add(target, add, rows)


def _compare(source: LogStore, target: LogStore, session_id: str) -> int:
    """Return how many events of a session are the same in both. Raises :class:`StoreError` for others."""
    count = 0
    both = zip_longest(source.session_rows(session_id), target.session_rows(session_id))
    for count, (mine, its) in enumerate(both, 1):  # noqa: B007  (the last one is what counts)
        if mine != its:
            raise _differs(session_id, (mine or its)[2])
    return count


def _differs(session_id: str, version: int) -> StoreError:
    return StoreError(
        f'session "{session_id}" is not the same in both stores: its event {version} is another one, or only'
        " in one of them; where somebody has recorded meanwhile, copy again"
    )

"""Events of a type are found by an index, unless the type is most of what there is."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from typing import Any

from hud_runtime.log.events import PAYLOADS
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.contract import a_long_session
from tests.hud_runtime.store.statements import Statements


def steps(store: SqliteEventStore, types: Collection[Any]) -> int:
    """Return how much SQLite does to read the events of these types."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    [connection] = store.parts.database.file.connections()  # in memory there is one
    connection.set_progress_handler(step, 10)
    assert [one.type for one in store.read("s", types=types)] == [*types] * 2
    connection.set_progress_handler(None, 0)
    return count


class TestIndex:
    def test_finds_few_events_among_many(self) -> None:
        costs = []
        for events in (200, 3_200):
            with closing(SqliteEventStore(":memory:")) as store:
                store.append("s", 0, a_long_session("s", 50, 150, events=events))
                costs.append(steps(store, ["compact.after"]))
        assert costs[1] <= costs[0] + 2

    def test_is_used_for_every_type_but_the_frequent_ones(self, statements: Statements) -> None:
        frequent = {"context.snapshot", "file.close", "file.edit", "file.open", "note.add"}
        asked: list[tuple[str, tuple[object, ...]]] = []
        with closing(SqliteEventStore(":memory:")) as store:
            store.append("s", 0, a_long_session("s", events=2))
            statements.before = lambda query, *values: asked.append((query, values))
            for each in PAYLOADS:
                asked.clear()
                assert len(list(store.read("s", types=[each]))) <= 2
                query, values = next(one for one in asked if "FROM hud_event" in one[0])
                plan = store.parts.database.rows(f"EXPLAIN QUERY PLAN {query}", *values)
                assert ("hud_event_by_type" in str(plan)) is (each not in frequent), each

"""A store in PostgreSQL beside the one in SQLite and bare psycopg, by the clock: the server works, too.

Bare psycopg inserts the same columns, digest included, into a table with the same unique key, and checks
nothing. The server is one's own, with ``fsync`` on. ``SESSIONS``, ``EVENTS``, ``CLIENTS`` and ``CALLS`` of the
environment say how much there is, and how much is done.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from hud_runtime import Event, HudSession, HudStore, read_event
from hud_runtime.store import SqliteEventStore
from hud_runtime.store._log_store import LogStore
from hud_runtime.store._rows import COLUMNS, to_row
from tests.benchmarks._timing import headed

SESSIONS = int(os.environ.get("SESSIONS", "200"))
"""Sessions that are there when it is measured the second time."""

EVENTS = int(os.environ.get("EVENTS", "100"))
"""Events of each of them."""

CLIENTS = int(os.environ.get("CLIENTS", "8"))
"""Threads that work at once, each with a connection and a session of its own."""

CALLS = int(os.environ.get("CALLS", "200"))
"""Calls of each client that are timed."""

MOST = 3.0
"""What an append may take of the time of a bare one."""

EVERY, WANTED = 5, 10_000
"""Seconds from one call of an agent to the next, and how many agents a fleet may have."""

BARE = """
CREATE TABLE bare (
    id text NOT NULL, session_id text NOT NULL, version bigint NOT NULL, type text NOT NULL,
    turn bigint NOT NULL, timestamp bigint NOT NULL, actor text NOT NULL, format integer NOT NULL,
    payload text NOT NULL, digest bytea NOT NULL, position bigserial PRIMARY KEY, UNIQUE (session_id, version)
)
"""

TEXT = "The ledger worker retries 5 times before it parks an event; section 12 says how to release "

Call = Callable[[], object]


class Timing(NamedTuple):
    """How long calls took, in milliseconds, and how many there were in a second."""

    median: float
    p99: float
    a_second: float


def note(session: str, version: int) -> Event:
    """Return a note as an event."""
    return read_event(
        {"id": f"{session}/{version}", "session_id": session, "version": version, "turn": 1,
         "timestamp": version, "actor": "agent", "type": "note.add",
         "payload": {"content": f"{TEXT}{version % 97}", "id": f"n-{version}"}}
    )  # fmt: skip


def timed(calls: Sequence[Call], each: int = CALLS) -> Timing:
    """Time so many calls of each client, all clients at once."""

    def work(call: Call) -> list[float]:
        times: list[float] = []
        for _ in range(each):
            begin = perf_counter()
            call()
            times.append(1_000 * (perf_counter() - begin))
        return times

    with ThreadPoolExecutor(len(calls)) as pool:
        begin = perf_counter()
        times = sorted(time for found in pool.map(work, calls) for time in found)
        took = perf_counter() - begin
    return Timing(statistics.median(times), times[int(0.99 * (len(times) - 1))], len(times) / took)


_names = count()


def appends(store: LogStore, clients: int) -> Iterator[Call]:
    """Yield for each client what appends a note to its session; the notes are made before."""
    for _ in range(clients):
        name = f"append-{next(_names)}"
        events = iter([note(name, version) for version in range(1, CALLS + 1)])

        def call(name: str = name, events: Iterator[Event] = events) -> None:
            event = next(events)
            store.append(name, event.version - 1, (event,))

        yield call


def bare_appends(address: str, clients: int) -> Iterator[Call]:
    """Yield for each client what inserts a row, on a connection of its own."""
    import psycopg

    marks = ", ".join(["%s"] * (len(COLUMNS.split(", ")) + 1))
    query = f"INSERT INTO bare ({COLUMNS}, digest) VALUES ({marks})"
    for _ in range(clients):
        link: Any = psycopg.connect(address, autocommit=True)
        name = f"bare-{next(_names)}"
        rows = iter([to_row(note(name, version)) for version in range(1, CALLS + 1)])

        def call(link: Any = link, rows: Any = rows) -> None:
            link.execute(query, next(rows))

        yield call


def fill(store: LogStore) -> None:
    """Put sessions into a store, and index what they say."""
    there = set(store.sessions())
    for number in range(SESSIONS):
        name = f"full-{number}"
        if name not in there:
            store.append(name, 0, [note(name, version) for version in range(1, EVENTS + 1)])
    store.search("ledger")


def readings(store: LogStore, clients: int) -> dict[str, list[Call]]:
    """Return what is measured of sessions that are full: a state that was not known, a HUD, a search."""
    opened = HudStore(store)
    numbers = count()

    def state() -> object:
        name = f"full-{next(numbers) % SESSIONS}"
        return HudStore(store).session(name).state()

    def search() -> object:
        return opened.search(f"ledger {next(numbers) % 97}")

    huds = [opened.session(f"full-{number % SESSIONS}") for number in range(clients)]

    def call(session: HudSession) -> object:
        session.record("note.add", content=f"{TEXT}{next(numbers)}")
        return session.hud()

    return {
        "call: a record and a HUD": [partial(call, session) for session in huds],
        "state": [state] * clients,
        "hud": [session.hud for session in huds],
        "search": [search] * clients,
    }


def main() -> None:
    """Measure, and print the table."""
    from tests.hud_runtime.postgres.servers import binaries, serving

    if binaries() is None:
        print("postgres: no PostgreSQL server on this machine, so it is not measured")
        return
    try:
        from hud_runtime.postgres import PostgresEventStore
    except ImportError:
        print(
            'postgres: psycopg is not installed (pip install "ujsx[postgres]"), so it is not measured'
        )
        return
    import psycopg

    rows: list[tuple[str, str, str, str, str]] = []

    def told(what: str, who: str, timing: Timing) -> Timing:
        rows.append(
            (what, who, f"{timing.median:.2f}", f"{timing.p99:.2f}", f"{timing.a_second:,.0f}")
        )
        return timing

    ratios: list[str] = []
    with (
        serving(fsync="on", max_connections=str(CLIENTS * 3 + 20)) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(PostgresEventStore(server.address(), connections=max(CLIENTS, 8))) as postgres,
        closing(SqliteEventStore(Path(folder, "hud.db"), busy_timeout=60_000)) as sqlite,
    ):
        with psycopg.connect(server.address(), autocommit=True) as link:
            link.execute(BARE)
        for clients in (1, CLIENTS):
            what = f"append, clients: {clients}"
            timed([*bare_appends(server.address(), 1)])  # what is slow the first time
            bare = told(what, "bare psycopg", timed([*bare_appends(server.address(), clients)]))
            ours = told(what, "PostgreSQL", timed([*appends(postgres, clients)]))
            told(what, "SQLite", timed([*appends(sqlite, clients)]))
            ratios.append(f"{ours.median / bare.median:.1f} with {clients}")
        fill(postgres)
        fill(sqlite)
        what = f"append, sessions: {SESSIONS}"
        more = told(what, "PostgreSQL", timed([*appends(postgres, CLIENTS)]))
        carried: dict[str, float] = {}
        for what, calls in readings(postgres, CLIENTS).items():
            carried[what] = told(what, "PostgreSQL", timed(calls, max(CALLS // 10, 1))).a_second
        for what, calls in readings(sqlite, CLIENTS).items():
            told(what, "SQLite", timed(calls, max(CALLS // 10, 1)))
    title = f"a store for a fleet: {SESSIONS:,} sessions of {EVENTS:,} events, {CLIENTS} clients"
    print(headed(title))
    print(f"{'':32}{'':14}{'median ms':>12}{'p99 ms':>12}{'a second':>12}")
    for what, who, *figures in rows:
        print(f"{what:32}{who:14}{''.join(f'{each:>12}' for each in figures)}")
    print(f"an append takes of a bare one: {', '.join(ratios)} (at most {MOST:g})")
    print(
        f"an append with {SESSIONS:,} sessions takes {more.median / ours.median:.2f} of one before"
    )
    agents = EVERY * next(iter(carried.values()))
    wanted = (
        f"{WANTED:,} want {WANTED / agents:,.0f} of it, and {WANTED / EVERY:,.0f} appends a second"
    )
    print(
        f"one process of Python carries {agents:,.0f} agents with a call every {EVERY} s; {wanted}"
    )


if __name__ == "__main__":
    main()

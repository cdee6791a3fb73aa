"""A store in PostgreSQL beside the one in SQLite and bare psycopg, by the clock: the server works, too.

Bare psycopg inserts the same columns, digest included, into a table with the same unique key, and checks
nothing; its statements are prepared, and it goes through threads or through asyncio, whichever is quicker.
Everybody has as many clients and as many connections. The server is one's own, with ``fsync`` on.
``SESSIONS``, ``EVENTS``, ``CLIENTS``, ``CONNECTIONS`` and ``CALLS`` of the environment say how much there is, and how
much is done; SESSIONS=10000 with CLIENTS=200 is a million events, and takes some eight minutes on two cores.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
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

FEW = min(50, SESSIONS)
"""Sessions that are there when it is measured the first time."""

EVENTS = int(os.environ.get("EVENTS", "100"))
"""Events of each of them."""

CLIENTS = int(os.environ.get("CLIENTS", "8"))
"""Clients that work at once, each with a session of its own."""

CONNECTIONS = int(os.environ.get("CONNECTIONS", "8"))
"""Connections that they have together, and threads."""

CALLS = int(os.environ.get("CALLS", "200"))
"""Calls of each client that are timed, where an append is timed; a tenth of them elsewhere."""

ROUNDS = 4
"""Turns that each has of what is compared, so that a change of the machine's speed hits all alike."""

MOST = 3.0
"""What an append may take of the time of a bare one."""

GROWTH = 1.5
"""What a call for one session may take with all sessions of the time with few; clocks are noisy."""

BARE = """
CREATE TABLE bare (
    id text NOT NULL, session_id text NOT NULL, version bigint NOT NULL, type text NOT NULL,
    turn bigint NOT NULL, timestamp bigint NOT NULL, actor text NOT NULL, format integer NOT NULL,
    payload text NOT NULL, digest bytea NOT NULL, position bigserial PRIMARY KEY, UNIQUE (session_id, version)
)
"""

READ = f"SELECT {COLUMNS} FROM hud_event WHERE session_id = %s ORDER BY version"

SEARCH = "SELECT text FROM hud_search WHERE lexemes @@ %s::tsquery ORDER BY position DESC LIMIT 20"

TEXT = "The ledger worker retries 5 times before it parks an event; section 12 says how to release"

Call = Callable[[], object]
"""What a client does in a thread."""

Coroutine = Callable[[], Awaitable[object]]
"""What a client does in an event loop."""


class Timing(NamedTuple):
    """How long calls took, in milliseconds, and how many there were in a second."""

    median: float
    p99: float
    a_second: float

    @classmethod
    def of(cls, times: Sequence[float], took: float) -> Timing:
        """Return what times in milliseconds come to, which took so many seconds altogether."""
        inorder = sorted(times)
        p99 = inorder[int(0.99 * (len(inorder) - 1))]
        return cls(statistics.median(inorder), p99, len(inorder) / took)


def note(session: str, version: int) -> Event:
    """Return a note as an event."""
    return read_event(
        {"id": f"{session}/{version}", "session_id": session, "version": version, "turn": 1,
         "timestamp": version, "actor": "agent", "type": "note.add",
         "payload": {"content": f"{TEXT} {session.replace('-', '')}, {version % 97}", "id": f"n-{version}"}}
    )  # fmt: skip


async def _at_once(calls: Sequence[Coroutine], each: int) -> tuple[list[float], float]:
    """Let all clients make so many calls at once; return the times, and how long it took."""
    times: list[float] = []

    async def client(call: Coroutine) -> None:
        for _ in range(each):
            begin = perf_counter()
            await call()
            times.append(1_000 * (perf_counter() - begin))

    begin = perf_counter()
    await asyncio.gather(*map(client, calls))
    return times, perf_counter() - begin


def timed(calls: Sequence[Call], each: int) -> tuple[list[float], float]:
    """Time so many calls of each client, as a server does it: an event loop, and threads for the store."""

    async def run() -> tuple[list[float], float]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(min(CONNECTIONS, len(calls))) as pool:

            def in_thread(call: Call) -> Coroutine:
                return lambda: loop.run_in_executor(pool, call)

            return await _at_once([*map(in_thread, calls)], each)

    return asyncio.run(run())


_names = count()


def appends(store: LogStore, clients: int, each: int) -> Iterator[Call]:
    """Yield for each client what appends a note to its session; the notes are made before."""
    for _ in range(clients):
        name = f"append-{next(_names)}"
        events = iter([note(name, version) for version in range(1, each + 1)])

        def call(name: str = name, events: Iterator[Event] = events) -> None:
            event = next(events)
            store.append(name, event.version - 1, (event,))

        yield call


MARKS = ", ".join(["%s"] * (len(COLUMNS.split(", ")) + 1))

INSERT: Any = f"INSERT INTO bare ({COLUMNS}, digest) VALUES ({MARKS})"


def _rows(clients: int, each: int) -> Iterator[Iterator[Any]]:
    for _ in range(clients):
        name = f"bare-{next(_names)}"
        yield iter([to_row(note(name, version)) for version in range(1, each + 1)])


class Bare:
    """What psycopg does by itself, with a connection for each thread."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._local = threading.local()

    def execute(self, query: Any, values: Any) -> Any:
        """Run a prepared statement on the thread's own connection."""
        import psycopg

        link: Any = getattr(self._local, "link", None)
        if link is None:
            link = self._local.link = psycopg.connect(self._address, autocommit=True)
        return link.execute(query, values, prepare=True).fetchall if query is not INSERT else (
            link.execute(query, values, prepare=True)
        )  # fmt: skip

    def appends(self, clients: int, each: int) -> Iterator[Call]:
        """Yield for each client what inserts a row."""
        for rows in _rows(clients, each):
            yield lambda rows=rows: self.execute(INSERT, next(rows))  # type: ignore[misc]

    def timed_async(self, clients: int, each: int) -> tuple[list[float], float]:
        """Time inserts of clients that are tasks of an event loop, with psycopg's pool for it."""
        from psycopg_pool import AsyncConnectionPool

        async def run() -> tuple[list[float], float]:
            size = min(CONNECTIONS, clients)
            pool: Any = AsyncConnectionPool(
                self._address, min_size=size, max_size=size, kwargs={"autocommit": True}, open=False
            )
            async with pool:
                await pool.wait()

                def call_of(rows: Iterator[Any]) -> Coroutine:
                    async def call() -> None:
                        async with pool.connection() as link:
                            await link.execute(INSERT, next(rows), prepare=True)

                    return call

                return await _at_once([*map(call_of, _rows(clients, each))], each)

        return asyncio.run(run())


def fill(store: LogStore, sessions: int) -> float:
    """Put so many sessions into a store, and index what they say; return how long that took, in seconds."""
    begin = perf_counter()
    there = set(store.sessions())

    def put(number: int) -> None:
        name = f"full-{number}"
        if name not in there:
            store.append(name, 0, [note(name, version) for version in range(1, EVENTS + 1)])

    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(put, range(sessions)):
            pass
    store.search("ledger")
    return perf_counter() - begin


def readings(store: LogStore, sessions: int) -> dict[str, list[Call]]:
    """Return what is measured of sessions that are full, for each client."""
    opened = HudStore(store)
    # One after the other, from all over the store.
    names = (f"full-{number * 7_919 % sessions}" for number in count())
    numbers = count()

    def state() -> object:
        return HudStore(store).session(next(names)).state()

    def rare() -> object:
        return opened.search(f"ledger {next(names).replace('-', '')}")

    def in_session() -> object:
        return opened.session(next(names)).search("ledger")

    huds = [opened.session(next(names)) for _ in range(CLIENTS)]

    def call(session: HudSession) -> object:
        session.record("note.add", content=f"{TEXT} {next(numbers)}")
        return session.hud()

    return {
        "call: a record and a HUD": [lambda one=each: call(one) for each in huds],  # type: ignore[misc]
        "state of a session": [state] * CLIENTS,
        "hud": [each.hud for each in huds],
        "search in a session": [in_session] * CLIENTS,
        "search of a rare word": [rare] * CLIENTS,
    }


def everywhere(store: LogStore) -> Call:
    """Return a search for what every event says."""
    return lambda: HudStore(store).search("ledger")


def bare_readings(bare: Bare, sessions: int) -> dict[str, list[Call]]:
    """Return what bare psycopg reads of the same tables: rows, as they lie there."""
    names = (f"full-{number * 7_919 % sessions}" for number in count())
    return {
        "state of a session": [lambda: bare.execute(READ, (next(names),))()] * CLIENTS,
        "search of a rare word": [
            lambda: bare.execute(SEARCH, (f"'ledger' & '{next(names).replace('-', '')}':*",))()
        ]
        * CLIENTS,
    }


class Table:
    """The table, as it grows."""

    def __init__(self) -> None:
        self._is_begun = False

    def add(self, what: str, who: str, times: Sequence[float], took: float) -> Timing:
        """Print a row, so that who waits sees it; return what it says."""
        if not self._is_begun:
            self._is_begun = True
            title = f"a store for a fleet: {SESSIONS:,} sessions of {EVENTS:,} events, {CLIENTS} clients"
            print(headed(f"{title}, {CONNECTIONS} connections"))
            print(f"{'':30}{'':24}{'median ms':>11}{'p99 ms':>11}{'a second':>11}")
        one = Timing.of(times, took)
        figures = (f"{one.median:.2f}", f"{one.p99:.2f}", f"{one.a_second:,.0f}")
        print(f"{what:30}{who:24}{''.join(f'{each:>11}' for each in figures)}", flush=True)
        return one


def compared(
    table: Table, what: str, bare: Bare, stores: dict[str, LogStore], clients: int, calls: int
) -> tuple[float, Timing]:
    """Time appends of all, in turns; return what ours takes of the quickest bare one, and ours."""
    each = max(calls // ROUNDS, 1)
    runs: dict[str, Callable[[], tuple[list[float], float]]] = {
        "bare psycopg": lambda: timed([*bare.appends(clients, each)], each),
        "bare psycopg, asyncio": lambda: bare.timed_async(clients, each),
        **{
            name: lambda store=store: timed([*appends(store, clients, each)], each)  # type: ignore[misc]
            for name, store in stores.items()
        },
    }
    found: dict[str, list[tuple[list[float], float]]] = {name: [] for name in runs}
    for run in runs.values():
        run()  # what is slow the first time
    for _ in range(ROUNDS):
        for name, run in runs.items():
            found[name].append(run())
    made = {
        name: table.add(
            what, name, [one for times, _ in rounds for one in times], sum(each for _, each in rounds)
        )
        for name, rounds in found.items()
    }
    quickest = min(one.median for name, one in made.items() if name.startswith("bare"))
    return made["PostgreSQL"].median / quickest, made["PostgreSQL"]


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

    table, tenth = Table(), max(CALLS // 10, 1)
    ratios: dict[str, float] = {}
    with (
        serving(
            fsync="on", max_connections=str(CONNECTIONS * 3 + 20), shared_buffers="256MB", max_wal_size="4GB"
        ) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(PostgresEventStore(server.address(), connections=CONNECTIONS)) as postgres,
        closing(SqliteEventStore(Path(folder, "hud.db"), busy_timeout=60_000)) as sqlite,
    ):
        with psycopg.connect(server.address(), autocommit=True) as link:
            link.execute(BARE)
        bare = Bare(server.address())
        stores: dict[str, LogStore] = {"PostgreSQL": postgres, "SQLite": sqlite}
        for clients in dict.fromkeys((1, CLIENTS)):
            what = f"append, clients: {clients}"
            ratios[f"{clients} clients"], first = compared(table, what, bare, stores, clients, CALLS)
        grown: dict[str, list[float]] = {"append": [first.median]}
        for sessions in dict.fromkeys((FEW, SESSIONS)):
            took = {name: fill(store, sessions) for name, store in stores.items()}
            told = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in took.items())
            print(f"filled up to {sessions:,} sessions, and indexed: {told}", flush=True)
            with psycopg.connect(server.address(), autocommit=True) as link:
                link.execute("VACUUM ANALYZE")  # as autovacuum does by and by
            for what, calls in readings(postgres, sessions).items():
                timing = table.add(f"{what}", f"PostgreSQL, {sessions:,}", *timed(calls, tenth))
                grown.setdefault(what, []).append(timing.median)
            for what, calls in bare_readings(bare, sessions).items():
                table.add(what, f"bare psycopg, {sessions:,}", *timed(calls, tenth))
            for what, calls in readings(sqlite, sessions).items():
                table.add(what, f"SQLite, {sessions:,}", *timed(calls, tenth))
            for name, store in stores.items():
                table.add("search of every event", f"{name}, {sessions:,}", *timed([everywhere(store)], 5))
        what = f"append, sessions: {SESSIONS:,}"
        ratios["all sessions"], last = compared(table, what, bare, stores, CLIENTS, CALLS)
        grown["append"].append(last.median)
    told = ", ".join(f"{ratio:.1f} with {what}" for what, ratio in ratios.items())
    print(f"an append takes of a bare one: {told} (at most {MOST:g})")
    for what, (before, *after) in grown.items():
        ratio = after[-1] / before if after else 1.0
        print(f"{what}: {ratio:.2f} of its time with {FEW} sessions (at most {GROWTH:g})")


if __name__ == "__main__":
    main()

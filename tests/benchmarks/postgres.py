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
from contextlib import closing, suppress
from functools import partial
from itertools import count, cycle
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypeAlias

from hud_runtime import Event, HudStore, read_event
from hud_runtime.log.store import SqliteEventStore
from tests.benchmarks._inside import COLUMNS, LogStore, to_row
from tests.benchmarks._timing import headed

SESSIONS = int(os.environ.get("SESSIONS", "500"))
"""Sessions of the full store."""

FEW = min(100, SESSIONS)
"""Sessions of the store that it is compared with."""

EVENTS = int(os.environ.get("EVENTS", "100"))
"""Events of each of them."""

CLIENTS = int(os.environ.get("CLIENTS", "8"))
"""Clients that append at once, each to a session of its own."""

CONNECTIONS = int(os.environ.get("CONNECTIONS", "8"))
"""Connections that they have together, and threads. So many clients read: more of them would wait for one another."""

CALLS = int(os.environ.get("CALLS", "1600"))
"""Appends that are timed, of all clients together; of the rest a quarter of it."""

ROUNDS = 4
"""Turns that each has of what is compared, so that a change of the machine's speed hits all alike."""

MOST = 3.0
"""What an append may take of the time of a bare one."""

GROWTH = 1.5
"""What a call for one session may take in the full store of its time in the small one; clocks are noisy."""

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

Run: TypeAlias = "tuple[list[float], float]"
"""How long each call took, in milliseconds, and how many seconds all of them together."""


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


SPELL = 5.0
"""Seconds after which no client begins another call of a turn."""


async def _at_once(calls: Sequence[Coroutine], each: int) -> Run:
    """Let all clients make so many calls at once; return the times, and how long it took."""
    times: list[float] = []

    async def client(call: Coroutine) -> None:
        for _ in range(each):
            if (begin := perf_counter()) > until and times:
                return
            await call()
            times.append(1_000 * (perf_counter() - begin))

    begin = perf_counter()
    until = begin + SPELL
    await asyncio.gather(*map(client, calls))
    return times, perf_counter() - begin


def timed(calls: Sequence[Call], each: int) -> Run:
    """Time so many calls of each client, as a server does it: an event loop, and threads for the store."""

    async def run() -> Run:
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
        return link.execute(query, values, prepare=True)

    def appends(self, clients: int, each: int) -> Iterator[Call]:
        """Yield for each client what inserts a row."""
        for rows in _rows(clients, each):
            yield lambda rows=rows: self.execute(INSERT, next(rows))  # type: ignore[misc]

    def reads(self) -> dict[str, Call]:
        """Return what reads the rows of a session, and what finds the rows with a rare word."""
        names = _all_over(SESSIONS)

        def found() -> object:
            words = f"'ledger' & '{next(names).replace('-', '')}':*"
            return self.execute(SEARCH, (words,)).fetchall()

        return {
            STATE: lambda: self.execute(READ, (next(names),)).fetchall(),
            RARE: found,
        }

    def timed_async(self, clients: int, each: int) -> Run:
        """Time inserts of clients that are tasks of an event loop, with psycopg's pool for it."""
        from psycopg_pool import AsyncConnectionPool

        async def run() -> Run:
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


def fill(store: LogStore, sessions: int) -> None:
    """Put so many sessions into a store, by the way that everybody takes, and index what they say."""

    def put(number: int) -> None:
        name = f"full-{number:05}"
        store.append(name, 0, [note(name, version) for version in range(1, EVENTS + 1)])

    begin = perf_counter()
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(put, range(sessions)):
            pass
    filled = perf_counter() - begin
    store.search("ledger")
    took = perf_counter() - begin - filled
    told = f"{sessions * EVENTS:,} events in {filled:.0f} s, and indexed in {took:.0f} s more"
    print(f"{type(store).__name__}: {told}", flush=True)


def _all_over(sessions: int) -> Iterator[str]:
    """Yield names of sessions from all over a store, for ever."""
    return (f"full-{number * 7_919 % sessions:05}" for number in count())


CALL, STATE, HUD = "call: a record and a HUD", "state of a session", "hud"
ONE, RARE, EVERY = "search in a session", "search of a rare word", "search of what every event says"


def reads(store: LogStore, sessions: int) -> dict[str, Call]:
    """Return what a client does in a store that is full."""
    opened, names, numbers = HudStore(store), _all_over(sessions), count()
    huds = [opened.session(next(names)) for _ in range(CONNECTIONS)]
    shown = cycle(huds)

    def call() -> object:
        number = next(numbers)
        session = huds[number % CONNECTIONS]
        session.record("note.add", content=f"{TEXT} {number}")
        return session.hud()

    return {
        CALL: call,
        STATE: lambda: HudStore(store).session(next(names)).state(),
        HUD: lambda: next(shown).hud(),
        ONE: lambda: opened.session(next(names)).search("ledger"),
        RARE: lambda: opened.search(f"ledger {next(names).replace('-', '')}"),
    }


class Table:
    """The table, as it grows: who waits sees each row."""

    def __init__(self) -> None:
        title = (
            f"a store for a fleet: {SESSIONS:,} sessions of {EVENTS:,} events, {CLIENTS} clients"
        )
        print(headed(f"{title}, {CONNECTIONS} connections"))
        print(f"{'':34}{'':24}{'median ms':>11}{'p99 ms':>11}{'a second':>11}")

    def compare(self, what: str, runs: dict[str, Callable[[], Run]]) -> dict[str, Timing]:
        """Time what is compared, in turns, and add a row for each."""
        found: dict[str, list[Run]] = {name: [] for name in runs}
        for run in runs.values():
            run()  # what is slow the first time
        for _ in range(ROUNDS):
            for name, run in runs.items():
                found[name].append(run())
        made: dict[str, Timing] = {}
        for name, rounds in found.items():
            times = [one for times, _ in rounds for one in times]
            made[name] = one = Timing.of(times, sum(took for _, took in rounds))
            figures = f"{one.median:>11.2f}{one.p99:>11.2f}{one.a_second:>11,.0f}"
            print(f"{what:34}{name:24}{figures}", flush=True)
        return made


SMALL = f"PostgreSQL, {FEW:,} sessions"
OURS, SQLITE, PSYCOPG = "PostgreSQL", "SQLite", "bare psycopg"


def measure(
    bare: Bare, postgres: LogStore, small: LogStore, sqlite: LogStore
) -> tuple[dict[str, float], dict[str, float]]:
    """Print the table; return what an append takes of a bare one, and what each call has grown by."""
    table, ratios, grown = Table(), dict[str, float](), dict[str, float]()
    stores = {OURS: postgres, SMALL: small, SQLITE: sqlite}
    for clients in dict.fromkeys((1, CLIENTS)):
        each = max(CALLS // ROUNDS // clients, 5)

        def appending(store: LogStore, clients: int = clients, each: int = each) -> Run:
            return timed([*appends(store, clients, each)], each)

        runs: dict[str, Callable[[], Run]] = {
            PSYCOPG: lambda clients=clients, each=each: timed(  # type: ignore[misc]
                [*bare.appends(clients, each)], each
            ),
            f"{PSYCOPG}, asyncio": partial(bare.timed_async, clients, each),
            **{name: partial(appending, store) for name, store in stores.items()},
        }
        what = f"append, clients: {clients}"
        made = table.compare(what, runs)
        quickest = min(one.median for name, one in made.items() if name.startswith(PSYCOPG))
        ratios[what] = made[OURS].median / quickest
        grown[what] = made[OURS].median / made[SMALL].median
    each = max(CALLS // 4 // ROUNDS // CONNECTIONS, 2)
    reading = {
        OURS: reads(postgres, SESSIONS),
        SMALL: reads(small, FEW),
        PSYCOPG: bare.reads(),
        SQLITE: reads(sqlite, SESSIONS),
    }
    for what in reading[OURS]:
        runs = {
            name: partial(timed, [calls[what]] * CONNECTIONS, each)
            for name, calls in reading.items()
            if what in calls
        }
        made = table.compare(what, runs)
        grown[what] = made[OURS].median / made[SMALL].median
    searches = {
        name: partial(timed, [lambda store=store: store.search("ledger")], 1)  # type: ignore[misc]
        for name, store in ((OURS, postgres), (SQLITE, sqlite))
    }
    table.compare(EVERY, {**searches})
    return ratios, grown


def server_seconds(process: int) -> float:
    """Return the processor time of a server's connections so far, by Linux's own account; 0 elsewhere."""
    from tests.hud_runtime.postgres.servers import children_of

    ticks = 0
    for each in children_of(process):
        with suppress(OSError):
            *_, user, system = (
                Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[:13]
            )
            ticks += int(user) + int(system)
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def costs(postgres: LogStore, process: int, folder: str) -> None:
    """Print what the simulation of a fleet counts with: processor times, and how long a disk takes."""
    calls = reads(postgres, SESSIONS)
    each = max(CALLS // CONNECTIONS, 10)
    works: dict[str, list[Call]] = {
        "append": [*appends(postgres, CONNECTIONS, each)],
        "call": [calls[CALL]] * CONNECTIONS,
        "search": [calls[RARE]] * CONNECTIONS,
    }
    for name, work in works.items():
        timed([calls[HUD]] * CONNECTIONS, 1)
        before, begin = server_seconds(process), process_time()
        times, _ = timed(work, each)
        of_python, of_server = process_time() - begin, server_seconds(process) - before
        told = f"{1_000 * of_server / len(times):.2f} of the server's, {1_000 * of_python / len(times):.2f} of Python's"
        print(f"{name}: milliseconds of processors: {told}")
    with Path(folder, "synced").open("wb", buffering=0) as file:
        times = list[float]()
        for _ in range(50):
            begin = perf_counter()
            file.write(bytes(8_192))
            os.fdatasync(file.fileno())
            times.append(1_000 * (perf_counter() - begin))
    print(f"a write to the disk: {statistics.median(times):.2f} ms")


def main() -> None:
    """Measure, and print the table."""
    from tests.hud_runtime.postgres.servers import binaries, serving

    if binaries() is None:
        print("postgres: no PostgreSQL server on this machine, so it is not measured")
        return
    try:
        from hud_runtime.log.postgres import PostgresEventStore
    except ImportError:
        print(
            'postgres: psycopg is not installed (pip install "ujsx[postgres]"), so it is not measured'
        )
        return
    import psycopg

    room = {"shared_buffers": "256MB", "max_wal_size": "4GB"}
    with (
        serving(fsync="on", max_connections=str(CONNECTIONS * 4 + 20), **room) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(PostgresEventStore(server.address(), connections=CONNECTIONS)) as postgres,
        closing(PostgresEventStore(server.make("small"), connections=CONNECTIONS)) as small,
        closing(SqliteEventStore(Path(folder, "hud.db"), busy_timeout=60_000)) as sqlite,
    ):
        fill(postgres, SESSIONS)
        fill(small, FEW)
        fill(sqlite, SESSIONS)
        with psycopg.connect(server.address(), autocommit=True) as link:
            link.execute(BARE)
            link.execute("VACUUM ANALYZE")  # as autovacuum does by and by
        ratios, grown = measure(Bare(server.address()), postgres, small, sqlite)
        assert server.process is not None
        costs(postgres, server.process.pid, folder)
    for what, ratio in ratios.items():
        print(f"{what}: {ratio:.1f} times a bare one (at most {MOST:g})")
    for what, ratio in grown.items():
        print(f"{what}: {ratio:.2f} times as long as with {FEW} sessions (at most {GROWTH:g})")


if __name__ == "__main__":
    main()

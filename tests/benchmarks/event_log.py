"""The event log beside bare sqlite3 and msgspec, which check nothing, in one run.

The bare one inserts a JSON row a transaction into a table with the same settings (WAL,
``synchronous = NORMAL``) and the same unique key, and reads rows into structs.
"""

from __future__ import annotations

import sqlite3
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from time import process_time
from typing import Any

import msgspec

from hud_runtime import Event, EventDraft, HudStore, Projection, read_event
from hud_runtime.log.projection import HUD
from hud_runtime.log.store import SqliteEventStore
from tests.benchmarks._timing import medians, table

MANY = 100_000
"""Events of the long session."""

MOST = 20_000
"""Events that are made before, so that making them is not measured."""

PAGE = 1_000
"""Events that are read at a time."""

TEXT = (
    "The ledger worker retries 5 times before it parks an event; runbook section 12 says how to "
    "release it, and whom to ask first"
)

BARE = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE event (
    id TEXT, session_id TEXT, version INTEGER, type TEXT, turn INTEGER, timestamp INTEGER,
    actor TEXT, payload TEXT, UNIQUE (session_id, version)
) STRICT;
"""


class Note(msgspec.Struct):
    """The payload of a note, for the bare log."""

    content: str
    id: str


class Row(msgspec.Struct):
    """An event, for the bare log."""

    id: str
    session_id: str
    version: int
    type: str
    turn: int
    timestamp: int
    actor: str
    payload: Note


encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(Note).decode


class BareLog:
    """What is left of an event log without checks, digests, and errors that say something."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(BARE)

    def append(self, row: Row) -> None:
        """Insert a row in a transaction of its own."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row.id, row.session_id, row.version, row.type, row.turn, row.timestamp, row.actor,
             encode(row.payload).decode()),
        )  # fmt: skip
        self._db.execute("COMMIT")

    def read(self, up_to: int) -> list[Row]:
        """Read rows from the first one on."""
        query = "SELECT * FROM event WHERE session_id = 's' AND version <= ? ORDER BY version"
        make: Any = Row
        rows: Iterator[tuple[Any, ...]] = self._db.execute(query, (up_to,))
        return [make(*envelope, decode(payload)) for *envelope, payload in rows]


def note(version: int) -> Event:
    """Return a note as an event."""
    return read_event(
        {"id": f"{version:036}", "session_id": "s", "version": version, "turn": 1,
         "timestamp": version, "actor": "agent", "type": "note.add",
         "payload": {"content": TEXT, "id": f"n-{version}"}}
    )  # fmt: skip


def appending(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the ways to append one event."""
    bare, store = BareLog(folder / "bare.db"), SqliteEventStore(folder / "store.db")
    session = HudStore.open(folder / "session.db").session("s")
    bare_versions, files = count(1), cycle(range(15))
    event, events = note(1), iter([note(version) for version in range(1, MOST)])

    def append_bare() -> None:
        version = next(bare_versions)
        bare.append(Row(event.id, "s", version, "note.add", 1, 0, "agent", Note(TEXT, "n-1")))

    def append() -> None:
        event = next(events)
        store.append("s", event.version - 1, (event,))

    return {
        "bare sqlite3 and msgspec": append_bare,
        "EventStore.append": append,
        "session.record, checked and folded": lambda: session.record(
            "file.edit", path=f"src/auth/tokens_{next(files)}.py"
        ),
    }


def reading(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the ways to read many events."""
    bare, store = BareLog(folder / "bare-read.db"), SqliteEventStore(folder / "store-read.db")
    store.append("s", 0, [note(version) for version in range(1, PAGE + 1)])
    for version in range(1, PAGE + 1):
        bare.append(
            Row(f"{version:036}", "s", version, "note.add", 1, version, "agent", Note(TEXT, "n"))
        )
    return {
        "bare sqlite3 and msgspec": lambda: bare.read(PAGE),
        "EventStore.read": lambda: list(store.read("s")),
    }


def long_session(path: Path) -> None:
    """Record a long session: an agent edits files, plans, notes, and is compacted now and then."""
    drafts: list[EventDraft] = []

    def refused(*_: object) -> None:
        """Record the others all the same."""

    for number in range(MANY - 1):
        match number % 10:
            case 0:
                drafts.append(EventDraft("note.add", {"content": f"{TEXT} {number}"}))
            case 1 if number > 200:
                drafts.append(EventDraft("note.remove", {"id": f"n-{number - 200 + 1}"}))
            case 2:
                drafts.append(EventDraft("context.snapshot", {"used": number % 190_000}))
            case 3 if number % 5_000 == 3:
                drafts.append(EventDraft("compact.after", {"summary": TEXT}))
            case _:
                drafts.append(
                    EventDraft("file.edit", {"path": f"src/auth/tokens_{number % 15}.py"})
                )
    with HudStore.open(path) as store:
        session = store.session("s")
        for start in range(0, len(drafts), PAGE):
            session.record_all(drafts[start : start + PAGE], refused=refused)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that something takes once."""
    start = process_time()
    work()
    return process_time() - start


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = "bare sqlite3 and msgspec"
        print(table("Append one event, a transaction each", medians(appending(folder)), bare))
        print(table(f"Read {PAGE:,} events", medians(reading(folder)), bare))
        path = folder / "long.db"
        long_session(path)
        print(rebuilding(path))


def rebuilding(path: Path) -> str:
    """Return what a long session takes to be known again, in time and in memory."""
    with HudStore.open(path) as store:
        session = store.session("s")
        events = session.version
        # Without a codec there are no snapshots, so that all is replayed.
        replayed = Projection("replayed", HUD.initial, HUD.fold)
        whole = timed(lambda: session.projected(replayed))
        tracemalloc.start()
        for _ in session.events():
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        before, archived = path.stat().st_size, store.keeping.archive("s")
        archive = sum(file.stat().st_size for file in path.with_name("long.db-archive").iterdir())

    def cold() -> None:
        with HudStore.open(path) as again:
            again.session("s")

    times = medians({"open the store, resume the session from its snapshot": cold})
    [(label, cost)] = times.items()
    return (
        f"A session of {events:,} events\n==========================\n"
        f"replay all of them into a state   {whole:.2f} s, {whole / events * 1e6:.1f} µs each\n"
        f"{label}   {cost / 1000:.2f} ms\n"
        f"peak of memory while reading all of them   {peak / 2**20:.1f} MiB\n"
        f"file   {before / 2**20:.1f} MiB; {archived:,} of them archived   {archive / 2**20:.1f} MiB\n"
    )


if __name__ == "__main__":
    main()

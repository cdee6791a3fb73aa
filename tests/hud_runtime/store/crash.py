"""Processes that write as fast as they can, tell what was acknowledged, and can be killed."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from hud_runtime import HudStore, StoreLockedError
from hud_runtime.store import SqliteEventStore

Tell = Callable[[str, int], None]
"""Told of a session and the version that was acknowledged in it."""

COMPACT_EVERY = 40
"""Events between two compactions, after each of which the past is archived."""


THREADS = 2
"""Threads of each killed process that work at the same time, beside its main one."""


def record(store: HudStore, session_id: str, tell: Tell) -> None:
    """Record one note."""
    session = store.session(session_id)
    tell(session_id, session.record("note.add", content=f"note {session.version}").version)


def record_several(store: HudStore, session_id: str, tell: Tell) -> None:
    """Record two notes in one transaction; another one is taken back."""
    session = store.session(session_id)
    with session.exclusive():
        session.record("note.add", content="one of two")
        with suppress(LookupError), session.exclusive():
            session.record("note.add", content="never")
            raise LookupError
        version = session.record("note.add", content="two of two").version
    tell(session_id, version)


def compact(store: HudStore, session_id: str, tell: Tell) -> None:
    """Compact a session that has become long, and archive its past."""
    session = store.session(session_id)
    if session.version % COMPACT_EVERY < len(OPERATIONS):
        tell(session_id, session.record("compact.after", summary="so far").version)
        session.record("section.clear", section="notes")
        store.archive(session_id)


def look(store: HudStore, session_id: str, _tell: Tell) -> None:
    """Search, which brings the index up to date, and show the HUD."""
    store.search("note", session=session_id)
    assert "never" not in store.session(session_id).hud().text


def reopen(store: HudStore, session_id: str, _tell: Tell) -> None:
    """Open the file once more, to write and to read, and close it."""
    file = store._events._db.path  # type: ignore[attr-defined]
    HudStore.open(file).close()
    SqliteEventStore(file, read_only=True).close()


Operation = Callable[[HudStore, str, Tell], None]

OPERATIONS: tuple[Operation, ...] = (record, record_several, record, compact, look, reopen)
"""What a process does to a session, one after the other and from the beginning again."""


def write(path: Path, session_id: str, tell: Tell) -> None:
    """Do all operations without end, in threads, over two stores that stand on one file."""
    with HudStore.open(path) as one, HudStore.open(path) as two:
        threads = [
            Thread(target=_work, args=(store, session_id, tell), daemon=True)
            for store in (one, two)[:THREADS]
        ]
        for thread in threads:
            thread.start()
        _work(one, session_id, tell)


def _work(store: HudStore, session_id: str, tell: Tell) -> None:
    while True:
        for operation in OPERATIONS:
            # The machine is busy, and who waits for too long is told so: nothing was recorded.
            with suppress(StoreLockedError):
                operation(store, session_id, tell)


def search(path: Path, session_id: str, _tell: Tell) -> None:
    """Search without end; each search brings the index up to date."""
    with HudStore.open(path) as store:
        while True:
            store.search("note", session=session_id)


@contextmanager
def running(work: Callable[[Path, str, Tell], None], path: Path, name: str) -> Iterator[Running]:
    """Run ``work`` in a process of its own, and kill it at the end."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(readable)
            work(path, name, lambda session, version: _say(writable, session, version))
            status = 0
        except BaseException:  # noqa: BLE001  (a child of fork must not return into pytest)
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writable)
    process = Running(child, readable)
    try:
        yield process
    finally:
        process.kill()
        os.close(readable)


def _say(writable: int, session: str, version: int) -> None:
    os.write(writable, f"{session} {version}\n".encode())


class Running:
    """A process at work."""

    def __init__(self, process: int, readable: int) -> None:
        self.process = process
        self._readable = readable
        self._is_over = False

    def kill(self) -> None:
        """End the process as ``kill -9`` does, and wait until it is gone."""
        if not self._is_over:
            self._is_over = True
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)

    def wait(self) -> int:
        """Wait for the process to end by itself, and return its exit status."""
        self._is_over = True
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def acknowledged(self) -> dict[str, int]:
        """Return the last version that was told of each session. To be called after the kill."""
        told = b""
        while part := os.read(self._readable, 65_536):
            told += part
        last: dict[str, int] = {}
        for line in told.decode().splitlines():
            session, version = line.split()
            last[session] = max(int(version), last.get(session, 0))  # threads overtake each other
        return last


def kill_under_load(path: Path, chance: random.Random) -> dict[str, int]:
    """Let three writers, in threads, and a searcher work on one file, and kill them all.

    Returns the last version that was acknowledged in each session. Two of the writers share one.
    """
    names = ("shared", "shared", "alone")
    told: dict[str, int] = {}
    with (
        running(write, path, names[0]) as one,
        running(write, path, names[1]) as two,
        running(write, path, names[2]) as three,
        running(search, path, "alone") as four,
    ):
        time.sleep(chance.uniform(0.01, 0.15))
        for process in chance.sample((one, two, three, four), 4):
            process.kill()
        for process in (one, two, three):
            for session, version in process.acknowledged().items():
                told[session] = max(version, told.get(session, 0))
    return told

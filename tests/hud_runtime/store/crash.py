"""Processes that write as fast as they can, tell what was acknowledged, and can be killed."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hud_runtime import HudStore

Tell = Callable[[str, int], None]
"""Told of a session and the version that was acknowledged in it."""

COMPACT_EVERY = 40
"""Events between two compactions, after each of which the past is archived."""


def write(path: Path, session_id: str, tell: Tell) -> None:
    """Record, compact and archive in one session, without end."""
    with HudStore.open(path) as store:
        session = store.session(session_id)
        while True:
            version = session.record("note.add", content=f"note {session.version}").version
            tell(session_id, version)
            if version % COMPACT_EVERY == 0:
                tell(session_id, session.record("compact.after", summary="so far").version)
                session.record("section.clear", section="notes")
                store.archive(session_id)


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
        lines = (line.split() for line in told.decode().splitlines())
        return {session: int(version) for session, version in lines}


def kill_under_load(path: Path, chance: random.Random) -> dict[str, int]:
    """Let three writers and a searcher work on one file, and kill them all at some moment.

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

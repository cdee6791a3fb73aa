"""Processes that can be killed, and one ledger of what they say was done."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


class Process:
    """A process at work."""

    def __init__(self, process: int) -> None:
        self.number = self._process = process
        self._is_over = False

    def kill(self) -> None:
        """End the process as ``kill -9`` does, and wait until it is gone."""
        if not self._is_over:
            os.kill(self._process, signal.SIGKILL)
            self.wait()

    def wait(self) -> int:
        """Wait for the process to end, and return its exit status."""
        self._is_over = True
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


@contextmanager
def running(work: Callable[[], object]) -> Iterator[Process]:
    """Do ``work`` in a process of its own, and kill it at the end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001  (a child of fork must not return into pytest)
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    process = Process(child)
    try:
        yield process
    finally:
        process.kill()


@dataclass
class Acknowledged:
    """What a store has to hold, after some lines of a ledger."""

    events: dict[str, int] = field(default_factory=dict)
    """The last version that was acknowledged, by session."""
    imported: set[str] = field(default_factory=set)
    purging: set[str] = field(default_factory=set)
    """Sessions whose purge was begun, done or not."""
    purged: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    """What was wrong, where somebody had an error that nobody expects."""

    def tell(self, kind: str, name: str, number: int) -> None:
        """Take one line in."""
        if kind in {"recorded", "imported"}:  # threads overtake each other
            self.events[name] = max(number, self.events.get(name, 0))
        if kind in {"imported", "purging", "purged", "failed"}:
            known: set[str] | list[str] = getattr(self, kind)
            known.add(name) if isinstance(known, set) else known.append(name)

    @property
    def must_be_there(self) -> dict[str, int]:
        """The sessions that nobody has begun to purge."""
        return {one: last for one, last in self.events.items() if one not in self.purging}


class Ledger:
    """A file to which any thread of any process adds lines, in one order for all.

    It outlives who has written: a line that is there was written when the next thing began.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def tell(self, kind: str, name: str, number: int = 0) -> None:
        """Add a line; one call of the system, so that lines of several processes do not mix."""
        os.write(self._handle, json.dumps([kind, name, number]).encode() + b"\n")

    def close(self) -> None:
        """Tell nothing more."""
        os.close(self._handle)

    def lines(self) -> list[tuple[str, str, int]]:
        """Return all lines."""
        whole = self._path.read_text().rpartition("\n")[0]
        return [(*json.loads(line),) for line in whole.splitlines()]

    def acknowledged(self, before: int | None = None) -> Acknowledged:
        """Return what the lines tell, or those before one of them."""
        told = Acknowledged()
        for line in self.lines()[:before]:
            told.tell(*line)
        return told

    def backups(self) -> dict[str, int]:
        """Return the backups that were completed, each with the last line before it was begun."""
        begun: dict[str, int] = {}
        done: dict[str, int] = {}
        for number, (kind, name, _) in enumerate(self.lines()):
            if kind == "backing up":
                begun[name] = number
            elif kind == "backed up":
                done[name] = begun[name]
        return done

    def count(self, kind: str) -> int:
        """Return how many lines are of a kind."""
        return sum(line[0] == kind for line in self.lines())

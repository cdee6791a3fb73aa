"""What a stranger's hand does to the files of a store that is open, at each step of an append."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from select import select

import pytest

from hud_runtime import HudStore, StoreDamagedError, StoreError
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.processes import Ledger, running
from tests.hud_runtime.store.statements import Statements, watched

FILES: Mapping[str, tuple[str, ...]] = {
    "database": ("",),
    "log": ("-wal",),
    "index": ("-shm",),
    "log and index": ("-wal", "-shm"),
    "all": ("", "-wal", "-shm"),
}

OTHER = "other.db"
"""Another store, which is open all the time, with a log and an index of its own."""


def delete(file: Path) -> None:
    file.unlink()


def rename(file: Path) -> None:
    file.rename(f"{file}.away")


def cut(file: Path) -> None:
    os.truncate(file, 0)


def overwrite(file: Path) -> None:
    """Write noise over all of a file."""
    with file.open("r+b") as found:
        found.write(os.urandom(file.stat().st_size))


def overwrite_with_older(file: Path) -> None:
    """Write an older copy of the file over it, as ``cp`` does."""
    shutil.copyfile(file.with_name(file.name.replace("hud.db", "hud.db.old")), file)


def overwrite_with_other(file: Path) -> None:
    shutil.copyfile(other(file), file)


def replace_by_copy(file: Path) -> None:
    shutil.copyfile(file, f"{file}.new")
    Path(f"{file}.new").replace(file)


def replace_by_other(file: Path) -> None:
    shutil.copyfile(other(file), f"{file}.new")
    Path(f"{file}.new").replace(file)


def other(file: Path) -> Path:
    return file.with_name(file.name.replace("hud.db", OTHER))


Hand = Callable[[Path], None]

MOVES: tuple[Hand, ...] = (delete, rename, replace_by_copy, replace_by_other)
"""They leave what was acknowledged to who has the file open."""

WRITES: tuple[Hand, ...] = (cut, overwrite, overwrite_with_older, overwrite_with_other)
"""They destroy what they write over."""

BEFORE = {
    "before it is begun": "BEGIN", "after it is begun": "INSERT", "before the commit": "COMMIT",
    "in a checkpoint": "PRAGMA wal_checkpoint",
}  # fmt: skip
AFTER = {"before the check": "INSERT", "after the commit": "COMMIT"}
STEPS = ("between two appends", *BEFORE, *AFTER)
"""Where the hand comes: before or after a statement, or outside of all."""

ENDS = ("killed at once", "killed after the next", "closed")
"""What becomes of the process whose store it is."""


@dataclass(frozen=True)
class Case:
    """One cell of the matrix."""

    files: str
    hand: Hand
    step: str
    end: str
    has_second: bool
    """Whether another process opens the store and records before the first one goes on."""

    def __str__(self) -> str:
        second = "second process" if self.has_second else "alone"
        return f"{self.hand.__name__} {self.files}, {self.step}, {self.end}, {second}"


CASES: tuple[Case, ...] = tuple(
    Case(*each) for each in product(FILES, (*MOVES, *WRITES), STEPS, ENDS, (False, True))
)


class Gate:
    """A place where a process waits until the other one has let it go on."""

    def __init__(self) -> None:
        self._reached, self._open = os.pipe(), os.pipe()

    def wait(self) -> None:
        """Tell that the place is reached, and wait."""
        os.write(self._reached[1], b"1")
        os.read(self._open[0], 1)

    def is_reached(self, seconds: float = 30) -> bool:
        """Wait until somebody waits."""
        return bool(select([self._reached[0]], [], [], seconds)[0]) and bool(
            os.read(self._reached[0], 1)
        )

    def let_go(self) -> None:
        os.write(self._open[1], b"1")

    def close(self) -> None:
        for each in (*self._reached, *self._open):
            os.close(each)


def opened(path: Path, timeout: int = 100) -> HudStore:
    return HudStore(SqliteEventStore(path, busy_timeout=timeout))


def record(store: HudStore, name: str, ledger: Ledger, count: int = 1) -> None:
    """Record, and tell the ledger what was acknowledged."""
    session = store.session(name)
    for _ in range(count):
        content = f"{name} {session.version}"
        ledger.tell("recorded", name, session.record("note.add", content=content).version)


def told_of_refusal(ledger: Ledger, who: str, work: Callable[[], object]) -> None:
    try:
        work()
    except StoreError as error:
        ledger.tell("refused", f"{who}: {error}")


@contextmanager
def at_step(statements: Statements, step: str, act: Callable[[], None]) -> Iterator[None]:
    """Act once at a step of what is done within."""
    todo = [act]

    def at(begin: str, statement: str = "", *_values: object) -> None:
        if todo and statement.startswith(begin):
            todo.pop()()

    if step in BEFORE:
        statements.before = partial(at, BEFORE[step])
    elif step in AFTER:
        statements.after = partial(at, AFTER[step])
    else:
        at("")
    yield


def first(path: Path, ledger: Ledger, case: Case, ready: Gate, step: Gate) -> None:
    """Record, and go on recording whatever a hand has done."""
    statements = watched(pytest.MonkeyPatch())
    store = opened(path)
    record(store, "first", ledger, 3)
    ready.wait()
    record(store, "first", ledger, 3)

    def work() -> None:
        with at_step(statements, case.step, step.wait):
            if case.step == "in a checkpoint":
                store.keeping.checkpoint()
            record(store, "first", ledger)

    told_of_refusal(ledger, "first", work)
    told_of_refusal(ledger, "first", lambda: record(store, "first", ledger, 2))
    if case.end == "killed after the next":
        os.kill(os.getpid(), signal.SIGKILL)
    store.close()


def second(path: Path, ledger: Ledger) -> None:
    def work() -> None:
        with opened(path) as store:
            record(store, "second", ledger, 2)

    told_of_refusal(ledger, "second", work)


def play(folder: Path, case: Case) -> Ledger:
    """Play a case in a folder that has the other store already, and return what was told."""
    path, ledger = folder / "hud.db", Ledger(folder / "ledger")
    ready, step = Gate(), Gate()
    with opened(path) as store:
        record(store, "before", ledger, 3)
    with running(partial(first, path, ledger, case, ready, step)) as process:
        assert ready.is_reached()
        for end in FILES["all"]:
            shutil.copyfile(f"{path}{end}", f"{path}.old{end}")
        ready.let_go()
        assert step.is_reached()
        for end in FILES[case.files]:
            case.hand(Path(f"{path}{end}"))
        ledger.tell("changed", str(case))
        if case.has_second:
            with running(partial(second, path, ledger)) as other:
                other.wait()
        if case.end == "killed at once":
            process.kill()
        else:
            step.let_go()
            ledger.tell("ended", "first", process.wait())
    ready.close()
    step.close()
    return ledger


def versions_in(path: Path) -> set[tuple[str, int]]:
    """Return what a sound store holds: each event by its session and version."""
    with closing(SqliteEventStore(path)) as store:
        damages = store.verify()
        if damages:
            raise StoreDamagedError(str(damages))
        return {(name, event.version) for name in store.sessions() for event in store.read(name)}


def versions_repaired(path: Path) -> set[tuple[str, int]]:
    """Return what a repair saves of a log without its database."""
    HudStore.repair(path)
    return versions_in(path)


def make_other(path: Path, gate: Gate) -> None:
    store = opened(path)
    record(store, "other", Ledger(path.with_name("other-ledger")), 30)
    gate.wait()

"""What is done to a store while processes are killed, as a table, and what must be true afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import count, cycle, islice
from pathlib import Path
from threading import Thread

from hud_runtime import HudStore, StoreError, StoreFullError, StoreLockedError, state_of
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.processes import Acknowledged, Ledger, running


class Place:
    """Where something is done: a store, one of its sessions, and the ledger that is told."""

    def __init__(
        self, path: Path, session_id: str, ledger: Ledger, store: HudStore | None = None
    ) -> None:
        self.path, self.session_id, self.tell = path, session_id, ledger.tell
        if store is not None:
            self.store = store

    @cached_property
    def store(self) -> HudStore:
        """The store, which is opened when somebody asks for it."""
        return HudStore.open(self.path)


def _exported() -> tuple[str, ...]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("exported")
        for number in range(20):
            session.record("note.add", content=f"note {number}")
        return tuple(export_session(session))


EXPORTED = _exported()
"""A session that is imported under many names."""

_numbers = count()


def new_name(what: str) -> str:
    """Return a name that no other process or thread gives."""
    return f"{what}-{os.getpid()}-{next(_numbers)}"


def word_of(session_id: str) -> str:
    """Return the word that a session says which is to be purged."""
    return f"{session_id.replace('-', 'q')}secret"


def record(at: Place) -> None:
    """Record one note."""
    session = at.store.session(at.session_id)
    event = session.record("note.add", content=f"note {session.version}")
    at.tell("recorded", session.id, event.version)


def record_long(at: Place) -> None:
    """Record a note of some pages."""
    session = at.store.session(at.session_id)
    at.tell("recorded", session.id, session.record("note.add", content="note " * 500).version)


def record_several(at: Place) -> None:
    """Record two notes in one transaction; another one is taken back."""
    session = at.store.session(at.session_id)
    with session.exclusive():
        session.record("note.add", content="one of two")
        with suppress(LookupError), session.exclusive():
            session.record("note.add", content="never")
            raise LookupError
        version = session.record("note.add", content="two of two").version
    at.tell("recorded", session.id, version)


async def record_several_slowly(at: Place) -> None:
    """Record two notes in one transaction, and let other tasks run in between."""
    session = at.store.session(at.session_id)
    with session.exclusive():
        session.record("note.add", content="one of two")
        await asyncio.sleep(0)
        version = session.record("note.add", content="two of two").version
    at.tell("recorded", session.id, version)


def compact(at: Place) -> None:
    """Compact a session, and archive its past."""
    session = at.store.session(at.session_id)
    at.tell("recorded", session.id, session.record("compact.after", summary="so far").version)
    session.record("section.clear", section="notes")
    at.store.keeping.archive(session.id)


def look(at: Place) -> None:
    """Search, which brings the index up to date, and show the HUD."""
    at.store.search("note", session=at.session_id)
    assert "never" not in at.store.session(at.session_id).hud().text


def reopen(at: Place) -> None:
    """Open the file once more, to write and to read, and close it."""
    HudStore.open(at.path).close()
    SqliteEventStore(at.path, read_only=True).close()


def bring_in(at: Place) -> None:
    """Import a session."""
    session = import_session(at.store, EXPORTED, session_id=new_name("imported"))
    at.tell("imported", session.id, session.version)


def purge(at: Place) -> None:
    """Let a session come, be found, and go."""
    session = at.store.session(new_name("gone"))
    for each in range(3):
        event = session.record("note.add", content=f"{word_of(session.id)} {each}")
        at.tell("recorded", session.id, event.version)
    session.record("compact.after", summary=word_of(session.id))
    at.store.keeping.archive(session.id)
    at.store.search(word_of(session.id))
    at.tell("purging", session.id)
    at.store.keeping.purge(session.id)
    at.tell("purged", session.id)


def back_up(at: Place) -> None:
    """Back up into a new folder."""
    _back_up(at, at.path.with_name(new_name("backup")))


def back_up_again(at: Place) -> None:
    """Back up over the last backup of this session's name."""
    _back_up(at, at.path.with_name(f"backup-{at.session_id}"))


def _back_up(at: Place, folder: Path) -> None:
    at.tell("backing up", folder.name)
    at.store.keeping.backup(folder, overwrite=True)
    at.tell("backed up", folder.name)


def checkpoint(at: Place) -> None:
    """Empty the write-ahead log."""
    at.store.keeping.checkpoint()


def restore(at: Place) -> None:
    """Back up, and put the backup in the place of the store, which nobody has open."""
    back_up_again(at)
    at.store.close()
    HudStore.restore(at.path.with_name(f"backup-{at.session_id}"), at.path, force=True)


def repair(at: Place) -> None:
    """Repair a store whose first page is damaged: all of it goes into a new file."""
    HudStore.repair(at.path)


Operation = Callable[[Place], None]

OPERATIONS: Mapping[str, Operation] = {
    each.__name__: each
    for each in (
        record, record_long, record_several, compact, look, reopen, bring_in, purge,
        back_up, back_up_again, checkpoint, restore, repair,
    )
}  # fmt: skip
"""By name. Each may be killed at any moment."""


@dataclass(frozen=True)
class Role:
    """What one process does without end: its operations, one after the other, in each thread and task."""

    session_id: str
    operations: tuple[Operation, ...]
    threads: int = 2
    tasks: int = 0


WRITING = (*(record, record_several, record, look, reopen) * 3, compact)

ROLES: tuple[Role, ...] = (
    Role("shared", WRITING),
    Role("shared", WRITING),
    Role("alone", WRITING),
    Role("alone", (look, reopen), threads=1),
    Role("kept", (record, back_up_again, checkpoint), threads=1),
    Role("imports", (bring_in, record_several, look, compact)),
    Role("purges", (purge, record, look)),
    Role("crowd", (record, record_several, look), threads=16, tasks=50),
)
"""The processes of one round."""


def work(role: Role, path: Path, ledger: Ledger) -> None:
    """Play a role, over two stores that stand on one file."""
    with ExitStack() as opened, _told_of_errors(ledger):
        stores = [opened.enter_context(_opened(path)) for _ in range(2)]
        places = cycle(Place(path, role.session_id, ledger, store) for store in stores)
        for number, at in enumerate(islice(places, role.threads)):
            Thread(target=_work, args=(at, role, number, ledger), daemon=True).start()
        if role.tasks:
            asyncio.run(_tasks(list(islice(places, role.tasks)), role))
        while True:
            time.sleep(60)


def _opened(path: Path) -> HudStore:
    while True:
        with suppress(StoreLockedError, StoreFullError):
            return HudStore.open(path)


@contextmanager
def _perhaps_refused(at: Place) -> Iterator[None]:
    """Go on where many work, or on a full disk: what is refused was not done."""
    try:
        yield
    except StoreLockedError:
        pass
    except StoreFullError as error:
        at.tell("full", str(error))
    except StoreError as error:  # on a full disk SQLite takes a whole transaction back
        if "nothing of it is kept" not in str(error):
            raise
        at.tell("full", str(error))


@contextmanager
def _told_of_errors(ledger: Ledger) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001  (the parent looks for it in the ledger)
        ledger.tell("failed", "".join(traceback.format_exception(error)))


def _work(at: Place, role: Role, first: int, ledger: Ledger) -> None:
    with _told_of_errors(ledger):
        for operation in islice(cycle(role.operations), first, None):
            with _perhaps_refused(at):
                operation(at)


async def _tasks(places: Sequence[Place], role: Role) -> None:
    await asyncio.gather(*(_task(at, role, number) for number, at in enumerate(places)))


async def _task(at: Place, role: Role, first: int) -> None:
    for operation in islice(cycle((*role.operations, None)), first, None):
        with _perhaps_refused(at):
            if operation is None:
                await record_several_slowly(at)
            else:
                operation(at)
        await asyncio.sleep(0)


def kill_under_load(
    path: Path,
    ledger: Ledger,
    chance: random.Random,
    *,
    roles: Sequence[Role] = ROLES,
    until: Callable[[], object] = lambda: True,
    first: Callable[[], None] = lambda: None,
) -> None:
    """Let a process play each role on one file, and kill them all, in any order, after a moment.

    They are not killed before ``until`` is true; ``first`` is what each process does first.
    """

    def play(role: Role) -> None:
        first()
        work(role, path, ledger)

    with ExitStack() as stack:
        processes = [stack.enter_context(running(partial(play, role))) for role in roles]
        deadline = time.monotonic() + 60
        while not until() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.05, 1.0))
        for process in chance.sample(processes, len(processes)):
            process.kill()


def check(path: Path, told: Acknowledged) -> None:
    """Everything that was acknowledged is there, in order; what was purged is not; all is sound.

    The store goes on working, too.
    """
    assert told.failed == [], "\n".join(told.failed)
    with HudStore.open(path) as store:
        assert store.keeping.verify() == ()
        there = store.sessions()
        assert not set(there) & told.purged
        assert set(told.must_be_there) <= set(there)
        for session_id in there:
            session = store.session(session_id)
            events = list(session.events())
            assert [event.version for event in events] == list(range(1, len(events) + 1))
            assert len(events) >= told.must_be_there.get(session_id, 1), session_id
            assert session.state() == state_of(events)
            texts = [getattr(event.payload, "content", "") for event in events]
            assert "never" not in texts
            after = [
                texts[at + 1 : at + 2] for at, text in enumerate(texts) if text == "one of two"
            ]
            assert after == [["two of two"]] * texts.count("two of two")
            if session_id.startswith("imported"):
                assert len(events) == len(EXPORTED) - 1
            found = store.search("note", session=session_id, limit=1)
            assert bool(found) == any("note" in str(text).split() for text in texts)
        store.session("after").record("note.add", content="it goes on")
    content = b"".join(
        one.read_bytes() for one in path.parent.glob(f"{path.name}*") if one.is_file()
    )
    for session_id in told.purged:
        assert word_of(session_id).encode() not in content

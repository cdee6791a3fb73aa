"""Ctrl-C, wherever it comes, and signal handlers that record: nobody is stopped by them for good."""

from __future__ import annotations

import inspect
import itertools
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore, StoreError, StoreLockedError, state_of
from hud_runtime.log import EventRecorder
from hud_runtime.log.store import SqliteEventStore, WriteLock
from tests.ids import looped

STRIDE = 1 if int(os.environ.get("UJSX_KILLS", "0")) else 3
"""Each moment in ``make crash``, each third one ordinarily."""


def rooms() -> frozenset[str]:
    """Return the files with the lock, the database as a store and as a process have it, and the recording."""
    with closing(SqliteEventStore(":memory:")) as store:
        database = store.parts.database
        kinds = WriteLock, type(database), type(database.file), EventRecorder
        return frozenset({*map(inspect.getfile, kinds), __file__})


ROOMS = rooms()

MOMENTARY = ("EventIds",)
"""What holds a lock for a moment's work on memory alone: Python runs no handler between that work and its end."""


@contextmanager
def at_moment(
    number: int, act: Callable[[], None], rooms: frozenset[str] = ROOMS
) -> Iterator[list[str]]:
    """Act at one of the moments within: where a function of the rooms is entered, and before each line.

    These are where Python lets a signal's handler run, and more. Gives the place, once it was reached.
    """
    passed, reached, before = itertools.count(), list[str](), sys.gettrace()

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        code = frame.f_code
        if code.co_filename not in rooms or code.co_name in {"at_moment", "__del__"}:
            return None
        if code.co_qualname.startswith(MOMENTARY):
            return None
        if event in {"call", "line"} and next(passed) == number:
            reached.append(f"{code.co_qualname}:{frame.f_lineno}")
            sys.settrace(None)
            act()
        return trace

    sys.settrace(trace)
    try:
        yield reached
    finally:
        sys.settrace(before)


def interrupt() -> None:
    raise KeyboardInterrupt


def record(session: HudSession) -> None:
    session.record("note.add", content="one")


def record_in_parts(session: HudSession) -> None:
    with session.exclusive():
        session.record("note.add", content="whole")
        with session.exclusive():
            session.record("note.add", content="part")


def fail_in_parts(session: HudSession) -> None:
    with session.exclusive():
        session.record("note.add", content="kept")
        with suppress(LookupError), session.exclusive():
            session.record("note.add", content="never")
            raise LookupError


def keep_others_out(session: HudSession) -> None:
    session._events._db.checkpoint()  # type: ignore[attr-defined]


def let_through(session: HudSession) -> None:
    """Be one of those who have to wait."""
    lock = session._events._db.file.lock  # type: ignore[attr-defined]
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        whole = lock.enter("a test", 1_000)
        inside.set()
        done.wait(0.03)
        lock.leave(whole)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        session.record("note.add", content="one")
    finally:
        done.set()
        thread.join()


def in_another_thread(work: Callable[[], object]) -> None:
    failures: list[BaseException] = []

    def tolerant() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  (told by the assertion)
            failures.append(error)

    thread = threading.Thread(target=tolerant)
    thread.start()
    thread.join()
    assert failures == []


@pytest.mark.parametrize(
    ("work", "place"),
    [
        (record, "memory"),
        *product((record, record_in_parts, fail_in_parts, keep_others_out, let_through), ["file"]),
    ],
)
def test_an_interrupt_anywhere_leaves_the_store_to_others(
    tmp_path: Path, work: Callable[[HudSession], None], place: str
) -> None:
    path = tmp_path / "hud.db"
    with HudStore(
        SqliteEventStore(path if place == "file" else ":memory:", busy_timeout=300)
    ) as store:
        for number in itertools.count(step=STRIDE):
            session = store.session(f"s-{number}")
            try:
                with at_moment(number, interrupt) as reached:
                    work(session)
            except KeyboardInterrupt:
                pass
            if not reached:
                break
            other = store.session(f"other-{number}")
            in_another_thread(partial(other.record, "note.add", content="two"))
            if place == "file":
                with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as database:
                    database.execute("BEGIN IMMEDIATE")  # no transaction of ours is open
                    database.execute("ROLLBACK")
            session.record("note.add", content="three")
            session.refresh()
            assert session.known == state_of(session.events()), reached
            notes = [note.content for note in session.known.notes]
            assert "never" not in notes, reached
            assert notes.count("whole") == notes.count("part"), reached
        assert number > 30
        assert store.keeping.verify() == ()


@pytest.mark.parametrize(
    ("work", "place", "is_same"),
    [
        (record, "memory", True),
        (record, "file", False),
        *product((record, record_in_parts, fail_in_parts), ["file"], [True]),
    ],
)
def test_what_a_signal_handler_records_is_kept_or_refused_at_once(
    tmp_path: Path, work: Callable[[HudSession], None], place: str, *, is_same: bool
) -> None:
    path = tmp_path / "hud.db" if place == "file" else ":memory:"
    with HudStore(SqliteEventStore(path, busy_timeout=10_000)) as store:
        refused: list[str] = []
        recorded: list[str] = []
        for number in itertools.count(step=STRIDE):
            session = store.session(f"s-{number}")
            asked = session if is_same else store.session(f"other-{number}")

            def handle(asked: HudSession = asked) -> None:
                try:
                    recorded.append(asked.record("note.add", content="from the handler").id)
                except StoreLockedError as error:
                    refused.append(str(error))

            with at_moment(number, handle) as reached:
                work(session)
            if not reached:
                break
            session.refresh()
            assert session.known == state_of(session.events())
            notes = [note.content for note in session.known.notes]
            assert {*notes} & {"one", "whole", "kept"}
            assert "never" not in notes
            assert notes.count("whole") == notes.count("part")
        assert refused
        assert all(
            "a signal handler does, and it goes on only afterwards" in one for one in refused
        )
        assert recorded
        there = {event.id for _, event in store._events.read_all()}
        lost = [one for one in recorded if one not in there]
        assert (
            lost == [] or work is fail_in_parts
        )  # what is recorded within shares what becomes of it
        assert store.keeping.verify() == ()


@looped("place", ["file", "memory"])
def test_what_a_signal_handler_reads_is_what_was_committed(tmp_path: Path, place: str) -> None:
    path = tmp_path / "hud.db" if place == "file" else ":memory:"
    with HudStore(SqliteEventStore(path, busy_timeout=10_000)) as store:
        session, seen, refused = store.session("s"), list[int](), list[str]()

        def handle() -> None:
            try:
                seen.append(len(list(session.events())))
            except StoreLockedError:
                refused.append(place)  # memory has one connection, and it is in use

        for number in itertools.count(step=STRIDE):
            before = session.version
            with at_moment(number, handle) as reached:
                record(session)
            if not reached:
                break
            assert seen[-1:] == [] or seen.pop() in {before, before + 1}
        assert "file" not in refused


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_handler_of_a_real_signal_is_refused_in_the_middle_of_a_record(tmp_path: Path) -> None:
    errors: list[str] = []
    with HudStore.open(tmp_path / "hud.db") as store:
        session = store.session("s")

        def handle(_number: int, _frame: FrameType | None) -> None:
            try:
                session.record("note.add", content="from the handler")
            except StoreError as error:
                errors.append(str(error))

        before = signal.signal(signal.SIGUSR1, handle)
        try:
            with store._events._db.writing("a record"):  # type: ignore[attr-defined]
                signal.raise_signal(signal.SIGUSR1)
            with session.exclusive():
                signal.raise_signal(signal.SIGUSR1)
        finally:
            signal.signal(signal.SIGUSR1, before)
        [said] = errors
        assert 'thread "MainThread" is in a record' in said
        assert "let the handler set a flag" in said
        assert [note.content for note in session.state().notes] == ["from the handler"]

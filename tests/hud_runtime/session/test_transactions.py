"""What happens within ``exclusive`` is one thing: all of it is known to all, or none to anybody."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import (
    ConcurrencyError,
    EventDraft,
    EventError,
    HudSession,
    HudStore,
    Projection,
    SnapshotPolicy,
    StoreError,
    StoreFullError,
    StoreLockedError,
    state_of,
)
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.store.list_store import ListEventStore
from tests.ids import looped

COUNT = Projection("count", 0, lambda count, event: count + 1)
"""A projection without snapshots, beside the HUD."""

OFTEN = SnapshotPolicy(every=2)


@pytest.fixture(params=["list", "memory", "file", "two stores of a file"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[HudStore, HudStore]]:
    """Two stores that hold the same sessions; perhaps they are one."""
    with contextlib.ExitStack() as stack:

        def opened(place: object) -> HudStore:
            made = SqliteEventStore(place, busy_timeout=200)  # type: ignore[arg-type]
            return stack.enter_context(HudStore(made, snapshots=OFTEN))

        match request.param:
            case "list":
                one = two = HudStore(ListEventStore(busy_timeout=200), snapshots=OFTEN)
            case "memory":
                one = two = opened(":memory:")
            case "file":
                one = two = opened(tmp_path / "hud.db")
            case _:
                one, two = opened(tmp_path / "hud.db"), opened(tmp_path / "hud.db")
        yield one, two


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HudStore]:
    events = SqliteEventStore(tmp_path / "hud.db", busy_timeout=300)
    with HudStore(events, snapshots=OFTEN) as store:
        yield store


def is_what_the_log_has(session: HudSession) -> bool:
    """Tell whether all that a session shows follows from its events."""
    known, version, text = session.known, session.version, session.hud(density="full").text
    events = list(session.events())
    return (
        (known, version) == (state_of(events), len(events))
        and session.state() == known
        and session.projected(COUNT) == version
        and session.projected("hud") == known
        and ("ghost" in text) == any("ghost" in note.content for note in known.notes)
    )


class Stop(Exception):  # noqa: N818
    """What an author's own code may raise."""


class TestAborted:
    @pytest.mark.parametrize("error", [Stop, KeyboardInterrupt, GeneratorExit, StoreError])
    def test_leaves_every_view_as_it_was(
        self, stores: tuple[HudStore, HudStore], error: type[BaseException]
    ) -> None:
        one, two = stores
        a, b, c = one.session("a"), one.session("b"), two.session("a")
        for session in (a, b, c):
            session.record("note.add", content="kept")
            session.hud()
            session.projected(COUNT)
        before = {each: (each.state(), each.version, each.hud().text) for each in (a, b, c)}
        with pytest.raises(error), a.exclusive():  # noqa: PT012
            for session in (a, b, c, a):
                session.record("note.add", content=f"ghost {session.version}")
                session.hud()
                session.projected(COUNT)
            new = one.session("new")
            new.record("note.add", content="ghost")
            assert one.search("ghost")
            raise error("for some reason")
        for session in (a, b, c):
            assert (session.known, session.version) == before[session][:2]
            assert session.hud().text == before[session][2]
            assert session.projected(COUNT) == session.version
            assert is_what_the_log_has(session)
        assert one.search("ghost") == []
        assert "new" not in two.sessions()
        for session in (a, b, c):
            session.record("note.add", content="the next one works")
            session.state()
            assert is_what_the_log_has(session)
        with pytest.raises(EventError, match=r'has not begun, or .*store\.session\("new"\)'):
            new.record("note.add", content="x")
        assert one.session("new").record("note.add", content="x").version == 2

    def test_keeps_no_snapshot(self, store: HudStore) -> None:
        session = store.session("s")
        with pytest.raises(Stop), session.exclusive():  # noqa: PT012
            for number in range(6):
                session.record("note.add", content=f"ghost {number}")
            raise Stop
        for number in range(6):
            session.record("decision.record", summary=f"real {number}")
        with HudStore(store._events) as again:
            assert again.session("s").state() == state_of(session.events()) == session.state()

    def test_gives_no_id_twice(self, store: HudStore) -> None:
        session, ids = store.session("s"), []
        with contextlib.suppress(Stop), session.exclusive():
            ids.append(session.record("task.clear").id)
            raise Stop
        ids.append(session.record("task.clear").id)
        assert ids == sorted(set(ids))

    def test_by_a_commit_that_fails(self, store: HudStore, monkeypatch: pytest.MonkeyPatch) -> None:
        session = store.session("s")
        file = store._events._db.file  # type: ignore[attr-defined]
        commit = file.commit

        def full(transaction: Any) -> None:
            if transaction.parent is None:
                raise sqlite3.OperationalError("database or disk is full")
            commit(transaction)

        monkeypatch.setattr(file, "commit", full)
        with pytest.raises(StoreError), session.exclusive():
            session.record("note.add", content="ghost")
        with pytest.raises(StoreError):
            session.record("note.add", content="ghost")
        monkeypatch.undo()
        assert (session.version, session.known.notes) == (1, ())
        assert session.record("note.add", content="a").version == 2

    def test_by_a_full_disk_in_its_middle(self, store: HudStore) -> None:
        session = store.session("s")
        session.record("note.add", content="kept")
        db = store._events._db.file._writer  # type: ignore[attr-defined]
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreFullError), session.exclusive():  # noqa: PT012
            session.record("note.add", content="ghost")
            session.record("note.add", content="x" * 50_000)
        db.execute("PRAGMA max_page_count = 100000")
        assert session.version == 2
        assert session.record("note.add", content="b").version == 3
        assert is_what_the_log_has(session)

    def test_that_sqlite_has_rolled_back_cannot_go_on(self, store: HudStore) -> None:
        session = store.session("s")
        db = store._events._db.file._writer  # type: ignore[attr-defined]
        over = "was rolled back by an error before"
        with pytest.raises(StoreError, match=over), session.exclusive():  # noqa: PT012
            session.record("note.add", content="ghost")
            db.execute("ROLLBACK")
            for use in (lambda: session.record("task.clear"), session.state):
                with pytest.raises(StoreError, match=over):
                    use()
        assert session.version == 1
        assert session.record("task.clear").version == 2

    def test_by_a_record_all_that_fails_midway(self, stores: tuple[HudStore, HudStore]) -> None:
        session = stores[0].session("s")
        drafts = [EventDraft("note.add", {"content": "ghost"}), EventDraft("note.add", {})]
        with pytest.raises(EventError):
            session.record_all(drafts)
        with session.exclusive():
            with pytest.raises(EventError):
                session.record_all(drafts)
            session.record("note.add", content="a")
        assert [note.content for note in session.known.notes] == ["a"]
        assert is_what_the_log_has(session)

    def test_in_a_part_takes_back_that_part_alone(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores
        a, b = one.session("a"), two.session("b")
        with a.exclusive():
            a.record("note.add", content="first")
            with contextlib.suppress(Stop), b.exclusive():
                b.record("note.add", content="ghost")
                a.record("note.add", content="ghost")
                raise Stop
            assert (a.version, b.version) == (2, 1)
            with b.exclusive():
                b.record("note.add", content="second")
            a.record("note.add", content="third")
        assert [note.content for note in a.known.notes] == ["first", "third"]
        assert [note.content for note in b.known.notes] == ["second"]
        assert is_what_the_log_has(a)
        assert is_what_the_log_has(b)

    def test_by_an_append_that_is_refused(self, stores: tuple[HudStore, HudStore]) -> None:
        one, _ = stores
        session, events = one.session("s"), one._events
        with session.exclusive():
            event = session.record("note.add", content="a")
            with pytest.raises(ConcurrencyError):
                events.append("s", 0, [event.model_copy(update={"version": 1})])
            session.record("note.add", content="b")
        assert session.version == 3
        assert is_what_the_log_has(session)

    @given(steps=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("rrxc(!")), max_size=25))
    def test_whatever_was_nested_is_what_the_log_has(self, steps: list[tuple[str, str]]) -> None:
        with HudStore.open(":memory:", snapshots=OFTEN) as store:
            sessions = {name: store.session(name) for name in "ab"}
            moves = iter(steps)

            def run(depth: int) -> None:
                for name, move in moves:
                    session = sessions[name]
                    match move:
                        case "r":
                            session.record("note.add", content=f"{session.version} {depth}")
                        case "(" if depth < 3:
                            with contextlib.suppress(Stop), session.exclusive():
                                run(depth + 1)
                        case "x" if depth:
                            raise Stop
                        case "c":
                            session.hud()
                            session.projected(COUNT)
                        case "!":
                            assert is_what_the_log_has(session)
                        case _ if depth:
                            return
                        case _:
                            pass

            run(0)
            for session in sessions.values():
                assert is_what_the_log_has(session)


class TestMaintenance:
    @pytest.mark.parametrize("name", ["archive", "purge"])
    def test_is_no_part_of_a_transaction(self, store: HudStore, name: str) -> None:
        session = store.session("s")
        session.record("compact.after", summary="so far")
        with session.exclusive(), pytest.raises(StoreError, match="leave exclusive"):
            getattr(store.keeping, name)("s")
        assert getattr(store.keeping, name)("s") > 0


def in_another_thread(work: Callable[[], Any]) -> Any:
    """Return what a thread of its own makes of something."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(30)


class TestThreads:
    def test_read_what_was_committed(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores
        a, b = one.session("s"), two.session("s")
        a.record("note.add", content="kept")
        b.state()
        memory = getattr(one._events, "_db", None) is not None and one._events._db.path is None  # type: ignore[attr-defined]

        def look() -> object:
            known = [(each.version, len(each.known.notes)) for each in (a, b)]
            assert known == [(2, 1), (2, 1)]
            assert "ghost" not in a.hud().text
            return [len(each.state().notes) for each in (a, b)]

        with contextlib.suppress(Stop), a.exclusive():
            a.record("note.add", content="ghost")
            b.record("note.add", content="another")
            if memory:  # one connection: who reads waits, and is told for whom
                with pytest.raises(StoreLockedError, match='is in exclusive\\(\\) of session "s"'):
                    in_another_thread(look)
            else:
                assert in_another_thread(look) == [1, 1]
            assert len(b.state().notes) == 3
            raise Stop
        assert in_another_thread(look) == [1, 1]

    def test_know_at_once_what_was_committed(self, stores: tuple[HudStore, HudStore]) -> None:
        a = stores[0].session("s")
        with a.exclusive():
            a.record("note.add", content="a")
        assert in_another_thread(lambda: a.version) == 2

    def test_that_wait_too_long_are_told_for_whom(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores
        a, b = one.session("a"), two.session("b")

        def late() -> None:
            threading.current_thread().name = "the late one"
            with pytest.raises(StoreLockedError) as caught:
                b.record("task.clear")
            said = str(caught.value)
            assert f'thread "{holder}" is in exclusive() of session "a", since' in said
            assert "did not end within 0.2 s" in said

        holder = threading.current_thread().name
        with a.exclusive():
            in_another_thread(late)
        assert b.record("task.clear").version == 2

    def test_never_wait_for_ever(self, store: HudStore) -> None:
        # Whatever is entered in whatever order, somebody gets on, or is told in time.
        a, b = store.session("a"), store.session("b")
        told: list[StoreLockedError] = []

        def tolerant(work: Callable[[], object]) -> None:
            for number in range(40):
                try:
                    work()
                except StoreLockedError as error:
                    told.append(error)
                assert number < 40

        def nested(outer: HudSession, inner: HudSession) -> Callable[[], None]:
            def work() -> None:
                with outer.exclusive():
                    inner.record("note.add", content="x")
                    inner.hud()
                    store.session(f"new {threading.get_ident()} {inner.version}")

            return work

        works = [
            nested(a, b),
            nested(b, a),
            lambda: (b.record("task.clear"), b.hud()),
            lambda: (a.record("task.clear"), a.state(), a.projected(COUNT)),
            lambda: store.session(f"t {threading.get_ident()} {a.version}"),
            lambda: store.search("x"),
            lambda: (store.session("p"), store.keeping.purge("never")),
        ]
        threads = [threading.Thread(target=tolerant, args=(work,), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        for session in (a, b):
            session.state()
            assert is_what_the_log_has(session)
        assert store.keeping.verify() == ()

    def test_sixteen_lose_nothing(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores
        failed: list[BaseException] = []

        def work(number: int) -> None:
            try:
                shared, own = (one, two)[number % 2].session("shared"), one.session(f"{number}")
                for each in range(10):
                    shared.record("note.add", content=f"{number} {each}")
                    own.record("note.add", content=f"{each}")
            except BaseException as error:  # noqa: BLE001
                failed.append(error)

        for each in (one, two):
            if hasattr(each._events, "_db"):
                each._events._db.busy_timeout = 20_000
            else:
                each._events._busy_timeout = 20_000  # type: ignore[attr-defined]
        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        said = {f"{number} {each}" for number in range(16) for each in range(10)}
        for store in (one, two):
            assert {note.content for note in store.session("shared").state().notes} == said
            assert is_what_the_log_has(store.session("shared"))
            for number in range(16):
                assert store.session(f"{number}").version == 11


class TestTasks:
    def test_do_not_join_each_others_transaction(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores
        a, b = one.session("a"), two.session("b")

        async def holds(inside: asyncio.Event, go: asyncio.Event) -> None:
            with contextlib.suppress(Stop), a.exclusive():
                a.record("note.add", content="ghost")
                inside.set()
                await go.wait()
                a.record("note.add", content="ghost, too")
                raise Stop

        async def main() -> None:
            inside, go = asyncio.Event(), asyncio.Event()
            task = asyncio.create_task(holds(inside, go), name="the holder")
            await inside.wait()
            for use in (
                lambda: b.record("note.add", content="x"),
                lambda: a.record("note.add", content="x"),
                lambda: a.exclusive().__enter__(),
                lambda: one.session("new"),
            ):
                with pytest.raises(
                    StoreLockedError, match=r'task "the holder" of thread'
                ) as caught:
                    use()
                assert "this thread" in str(caught.value)
            assert (a.version, b.version, a.known.notes) == (1, 1, ())
            go.set()
            await task
            assert b.record("note.add", content="kept").version == 2
            assert a.record("note.add", content="kept").version == 2

        asyncio.run(main())
        for session in (a, b):
            assert [note.content for note in session.state().notes] == ["kept"]
            assert is_what_the_log_has(session)

    def test_go_on_with_their_own_across_an_await(self, store: HudStore) -> None:
        session = store.session("s")

        async def main() -> None:
            with session.exclusive() as state:
                assert state.notes == ()
                await asyncio.sleep(0)
                session.record("note.add", content="a")
                await asyncio.sleep(0)
                assert len(session.state().notes) == 1
                assert await asyncio.to_thread(lambda: session.version) == 1

        asyncio.run(main())
        assert session.version == 2

    def test_that_were_made_within_do_not_own_it(self, store: HudStore) -> None:
        session = store.session("s")

        async def child() -> None:
            session.record("note.add", content="child")

        async def main() -> None:
            with session.exclusive():
                with pytest.raises(StoreLockedError):
                    await asyncio.create_task(child())
                await child()

        asyncio.run(main())
        assert session.version == 2

    def test_that_are_cancelled_take_back_what_they_did(self, store: HudStore) -> None:
        session = store.session("s")

        async def holds() -> None:
            with session.exclusive():
                session.record("note.add", content="ghost")
                await asyncio.sleep(60)

        async def main() -> None:
            task = asyncio.create_task(holds())
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            session.record("note.add", content="a")

        asyncio.run(main())
        assert [note.content for note in session.known.notes] == ["a"]

    def test_a_generator_that_is_dropped_lets_go(self, store: HudStore) -> None:
        session = store.session("s")

        def within() -> Iterator[int]:
            with session.exclusive():
                yield session.record("note.add", content="ghost").version

        dropped = within()
        assert next(dropped) == 2
        del dropped
        assert session.version == 1
        assert in_another_thread(lambda: session.record("task.clear").version) == 2

    def test_fifty_lose_nothing(self, stores: tuple[HudStore, HudStore]) -> None:
        one, two = stores

        async def work(number: int) -> None:
            shared = (one, two)[number % 2].session("shared")
            for each in range(4):
                shared.record("note.add", content=f"{number} {each}")
                await asyncio.sleep(0)

        async def main() -> None:
            await asyncio.gather(*(work(number) for number in range(50)))

        asyncio.run(main())
        for store in (one, two):
            assert len(store.session("shared").state().notes) == 200
            assert is_what_the_log_has(store.session("shared"))


class TestFirstSeenWithin:
    """A session that is asked for the first time within a transaction that is rolled back."""

    @looped(
        "ask",
        [
            lambda session: session.hud().text,
            lambda session: session.version,
            lambda session: session.known,
            lambda session: session.record("note.add", content="b").version,
        ],
    )
    def test_knows_what_the_log_has(self, tmp_path: Path, ask: Callable[[HudSession], Any]) -> None:
        answers: list[Any] = []
        for aborts in (True, False):
            place = tmp_path / f"{aborts}.db"
            with HudStore.open(place, clock=lambda: 0) as store:
                store.session("other").record("note.add", content="a")
            with HudStore.open(place, clock=lambda: 0) as store:
                with contextlib.suppress(KeyError), store.session("s").exclusive():
                    other = store.session("other")
                    if aborts:
                        raise KeyError
                answers.append(ask(other))
                assert is_what_the_log_has(other)
        assert answers[0] == answers[1]

    def test_is_known_to_other_threads_meanwhile(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            store.session("other").record("note.add", content="a")
        with HudStore.open(tmp_path / "hud.db") as store, store.session("s").exclusive():
            other = store.session("other")
            other.record("note.add", content="b")
            assert in_another_thread(lambda: other.version) == 2
            assert other.version == 3


class TestOutOfOrder:
    """Two contexts of one thread, the first of which ends first, as those of generators may."""

    @looped("fails", [False, True])
    def test_keeps_nothing_and_lets_go(self, tmp_path: Path, *, fails: bool) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            one, two = store.session("one"), store.session("two")

            def within(session: HudSession) -> Iterator[int]:
                with session.exclusive():
                    yield session.record("note.add", content="ghost").version
                    if fails:
                        raise KeyError

            first, second = within(one), within(two)
            assert (next(first), next(second)) == (2, 2)
            with pytest.raises(KeyError if fails else StoreError):
                next(first)
            with pytest.raises((KeyError, StoreError)):
                next(second)
            for session in (one, two):
                assert session.state().notes == ()
                assert session.record("note.add", content="a").version == 2
                assert is_what_the_log_has(session)
            assert in_another_thread(lambda: one.record("note.add", content="b").version) == 3

"""Connections that break at any moment of any call: it is made again for as long as is promised, and is there once.

Each way in which a call reaches the server is here. The server's process is ended before each of its statements, and
behind each of them, so that its answer is lost.
"""

from __future__ import annotations

import json
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import psycopg
import pytest

from hud_components import Hud
from hud_runtime import HudSession, HudStore, StoreUnavailableError
from hud_runtime.context.compaction import CompactionPolicy, decided
from hud_runtime.editing import changes, record_changes
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.log.postgres import PostgresEventStore
from hud_runtime.log.store import SqliteEventStore, SweepRules
from hud_runtime.observe import UserMessage
from tests.hud_runtime.bridged import told
from tests.hud_runtime.inside import copy_store, lessen
from tests.hud_runtime.postgres.servers import Server, serving
from tests.hud_runtime.store.contract import an_event, an_output
from ujsx import render

NOTE = {"call": {"op": "notes.add", "content": "Port 9090"}}

Call = Callable[[], object]


class Breaks:
    """Ends a server's process at one of the statements that this thread asks for."""

    def __init__(self, link: psycopg.Connection[Any], at: int, *, is_done: bool) -> None:
        self._link = link
        self._at = at
        self._is_done = is_done
        self._thread = threading.get_ident()
        self.asked = 0

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def asks(self_: Any, *values: Any, **named: Any) -> Any:
            link = self_ if isinstance(self_, psycopg.Connection) else self_.connection
            if link is self._link or threading.get_ident() != self._thread:
                return real(self_, *values, **named)
            self.asked += 1
            if self.asked != self._at:
                return real(self_, *values, **named)
            if self._is_done:
                real(self_, *values, **named)
            end(self._link, link.info.backend_pid)
            if self._is_done:
                link.close()
                raise psycopg.OperationalError("server closed the connection unexpectedly")
            return real(self_, *values, **named)

        return asks


def end(link: psycopg.Connection[Any], process: int) -> None:
    """End a process of the server, and return when it is gone."""
    link.execute("SELECT pg_terminate_backend(%s)", (process,))
    while link.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (process,)).fetchall():
        time.sleep(0.001)


@contextmanager
def breaking(
    link: psycopg.Connection[Any], at: int = 0, *, is_done: bool = False
) -> Iterator[Breaks]:
    breaks = Breaks(link, at, is_done=is_done)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (psycopg.Connection, "execute"),
            (psycopg.Cursor, "executemany"),
            (psycopg.Cursor, "copy"),
        ):
            patch.setattr(owner, name, breaks.around(getattr(owner, name)))
        yield breaks


@pytest.fixture
def link(server: Server) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(server.address(), autocommit=True) as link:
        yield link


# --- The ways of a store that is open ---


def begun(store: HudStore, name: str) -> HudSession:
    session = store.session(name)
    session.record("note.add", content="Port 8080")
    return session


def begin(store: HudStore, name: str) -> Call:
    return lambda: store.session(name).version


def record(store: HudStore, name: str) -> Call:
    session = begun(store, name)
    return lambda: session.record("note.add", content="more").version


def conflict(store: HudStore, name: str) -> Call:
    """A record in a session in which somebody else has recorded since it was looked at."""
    session = begun(store, name)
    HudStore(store._events).session(name).record("note.add", content="first")
    return lambda: session.record("note.add", content="second").version


def conflict_in_a_transaction(store: HudStore, name: str) -> Call:
    """What becomes of it when others are in the way again and again."""
    call = conflict(store, name)

    def at_once() -> object:
        with pytest.MonkeyPatch.context() as patch:
            lessen(patch, "TRIES", 0)
            return call()

    return at_once


def read(store: HudStore, name: str) -> Call:
    begun(store, name)
    return lambda: (
        str(HudStore(store._events).session(name).hud()),
        [event.type for event in store.events(name)],
        name in store.sessions(),
    )


def answer(store: HudStore, name: str) -> Call:
    session = begun(store, name)
    host = HostSession(session, on_warning=pytest.fail)
    return lambda: (
        session.call("hud", NOTE).is_error,
        told("a.1", lambda: host.call("hud", {"op": "notes.add", "content": "y"})).text,
    )


def deliver(store: HudStore, name: str) -> Call:
    session = begun(store, name)
    return lambda: session.delivered(session.deliver().id)


def observe(store: HudStore, name: str) -> Call:
    host = HostSession(begun(store, name), on_warning=pytest.fail)
    return lambda: told("a.1", lambda: host.observe(UserMessage(text="Add a login.")))


def compact(store: HudStore, name: str) -> Call:
    session = begun(store, name)
    session.record("context.snapshot", used=199_000, limit=200_000)
    return lambda: decided(session, CompactionPolicy()).verdict


def edit(store: HudStore, name: str) -> Call:
    session = begun(store, name)
    hud = Hud.of(session.state())
    made = changes(hud, render(hud).replace("8080", "8081"))
    return lambda: [event.type for event in record_changes(session, made, since=2)]


def hand_back(store: HudStore, name: str) -> Call:
    child = store.session(f"{name}/child", parent=begun(store, name))
    return lambda: child.hand_back("It is done.")


def fork(store: HudStore, name: str) -> Call:
    begun(store, f"{name}-origin")
    copied = {"type": "user", "forkedFrom": {"sessionId": f"{name}-origin"}, "sessionId": name}
    begins = {"hook_event_name": "SessionStart", "source": "fork", "session_id": name}

    def forked() -> object:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(f"{json.dumps(copied)}\n")
            file.flush()
            event = json.dumps({**begins, "transcript_path": file.name})
            return ClaudeCode(lambda: store).hook(event.encode()).text

    return forked


def keep(store: HudStore, name: str) -> Call:
    begun(store, name)
    store.session(f"{name}-copy")
    output = an_output("o", "text", session=name)
    return lambda: (
        store._events.keep_output(output),
        store.keeping.copy_outputs(name, f"{name}-copy"),
        len(store._events.outputs(f"{name}-copy")),
    )


def sweep(store: HudStore, name: str) -> Call:
    begun(store, name)
    for each in "ab":
        store._events.keep_output(an_output(each, "text", session=name))
    return lambda: (
        store.keeping.sweep(SweepRules(newest=1)).deleted,
        store.keeping.sweeps()[0].errors,
    )


def search(store: HudStore, name: str) -> Call:
    begun(store, name)
    return lambda: [hit.version for hit in store.search("port", session=name)]


def archive(store: HudStore, name: str) -> Call:
    begun(store, name).record("compact.after", summary="so far")
    return lambda: store.keeping.archive(name)


def erase(store: HudStore, name: str) -> Call:
    begun(store, name)
    return lambda: store.keeping.erase(name, 2).fields


def purge(store: HudStore, name: str) -> Call:
    begun(store, name)
    return lambda: store.keeping.purge(name)


def look(store: HudStore, name: str) -> Call:
    begun(store, name)
    return lambda: (
        store.keeping.verify(),
        len(store.keeping.figures()) > 1,
        store.keeping.unused_for(10**15),
    )


def take_a_copy(store: HudStore, name: str) -> Call:
    source = SqliteEventStore(":memory:")
    begun(HudStore(source), name)
    source.keep_output(an_output("o", "text", session=name))
    begun(HudStore(source), f"{name}-gone")
    source.purge(f"{name}-gone")
    return lambda: copy_store(source, store._events).copied


WAYS = (
    begin, record, conflict, conflict_in_a_transaction, read, answer, deliver, observe, compact, edit, hand_back, fork, keep, sweep, search,
    archive, erase, purge, look, take_a_copy,
)  # fmt: skip


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "answer lost"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_way_is_gone_again(
    address: str, link: psycopg.Connection[Any], way: Any, *, is_done: bool
) -> None:
    with HudStore.open(address, clock=lambda: 7) as store:

        def outcome(name: str, at: int = 0) -> tuple[int, object, object]:
            call = way(store, name)
            with breaking(link, at, is_done=is_done) as breaks:
                given = call()
            told = [(each.version, each.type, each.payload) for each in store.events(name)]
            return breaks.asked, repr(given).replace(name, "s"), repr(told).replace(name, "s")

        asked, *expected = outcome("calm")
        assert asked
        for at in range(1, asked + 1):
            reached, *found = outcome(f"broken-{at}", at)
            assert reached >= at
            assert found == expected, at
        assert store.keeping.verify() == ()


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "answer lost"])
def test_opening_is_tried_again_and_makes_its_tables_once(
    server: Server, link: psycopg.Connection[Any], *, is_done: bool
) -> None:
    at = asked = 0
    while at <= asked:
        address = server.make(f"opened_{at}")
        with breaking(link, at, is_done=is_done) as breaks:
            store = PostgresEventStore(address)
        asked = asked or breaks.asked
        assert breaks.asked >= at
        store.append("s", 0, [an_event("s", 1)])
        store.close()
        server.drop(f"opened_{at}")
        at += 1


def test_the_way_into_a_block_is_gone_again_and_the_block_itself_is_taken_back(
    address: str, link: psycopg.Connection[Any]
) -> None:
    """Lines of a caller's, only the caller can run again."""
    with closing(PostgresEventStore(address)) as store:
        with ExitStack() as entered:
            with breaking(link) as breaks:
                entered.enter_context(store.exclusive("s"))
            entry = breaks.asked
        for at in range(1, entry + 1):
            with ExitStack() as entered:
                with breaking(link, at):
                    entered.enter_context(store.exclusive("s"))
                store.append("s", at - 1, [an_event("s", at)])

        def block() -> None:
            with breaking(link, entry + 2), store.exclusive("s"):
                for version in (entry, entry + 1):
                    store.append("s", version, [an_event("s", version + 1)])

        with pytest.raises(StoreUnavailableError, match="nothing was recorded"):
            block()
        assert store.head("s").version == entry


def test_who_waits_goes_on_waiting_on_another_connection(
    address: str, link: psycopg.Connection[Any]
) -> None:
    listening = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    with closing(PostgresEventStore(address)) as store, ThreadPoolExecutor(1) as pool:
        store.append("s", 0, [an_event("s", 1)])
        heard = pool.submit(store.wait, "s", 1, timeout=60)
        for _ in range(3):
            while not (found := link.execute(listening).fetchall()):
                assert not heard.done()
                time.sleep(0.001)
            end(link, found[0][0])
        store.append("s", 1, [an_event("s", 2)])
        assert heard.result(60) == 2


# --- All of them at once ---


def test_with_connections_that_end_all_the_time_nothing_is_raised_lost_or_there_twice(
    address: str, link: psycopg.Connection[Any]
) -> None:
    """Eight programs record in one session, and have conflicts all the time.

    All connections end 20 ms after a note was recorded: on a slow machine, too, each end leaves time for one.
    """
    stores = [HudStore(PostgresEventStore(address, busy_timeout=120_000)) for _ in range(8)]
    sessions = [store.session("s") for store in stores]
    is_over, is_recorded = threading.Event(), threading.Event()

    def end_all() -> int:
        ended = 0
        while not is_over.wait(0.02):
            is_recorded.wait()
            is_recorded.clear()
            ended += link.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'ujsx'"
            ).fetchall()[0][0]
        return ended

    def work(number: int) -> list[str]:
        said = [f"{number}-{count}" for count in range(10)]
        for each in said[::2]:
            sessions[number].record("note.add", content=each)
            is_recorded.set()
        for each in said[1::2]:
            answer = sessions[number].call("hud", {"call": {"op": "notes.add", "content": each}})
            assert not answer.is_error, answer.text
            is_recorded.set()
        return said

    with ThreadPoolExecutor(9) as pool:
        ended = pool.submit(end_all)
        try:
            said = [each for part in pool.map(work, range(8)) for each in part]
        finally:
            is_over.set()
            is_recorded.set()
        assert ended.result() > 20
    found = Counter(note.content for note in stores[0].session("s").state().notes)
    assert found == Counter(said)
    assert stores[0].keeping.verify() == ()
    for store in stores:
        store.close()


# --- The answer that is lost on its way ---


class Relay:
    """Stands between a store and its server, and cuts a connection when it has passed on what it waits for."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.cuts: list[bytes] = []
        """What is waited for, once each."""
        self.waits = True
        """Whether the server has answered when the connection is cut."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                is_cut = threading.Event()
                for work, *ends in ((self._ask, near, far), (self._answer, far, near)):
                    threading.Thread(target=work, args=(*ends, is_cut), daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError):
            while said := near.recv(1 << 16):
                if self.cuts and self.cuts[0] in said:
                    self.cuts.pop(0)
                    is_cut.set()
                far.sendall(said)
                if is_cut.is_set() and not self.waits:
                    break
        near.close()
        if not is_cut.is_set():
            far.close()

    def _answer(self, far: socket.socket, near: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError):
            while (said := far.recv(1 << 16)) and not is_cut.is_set():
                near.sendall(said)
        for each in (near, far):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        self._listening.close()


@pytest.mark.parametrize("waits", [True, False], ids=["answered", "on its way"])
@pytest.mark.parametrize("statement", [b"hud_append", b"COMMIT"], ids=["append", "commit"])
def test_an_answer_lost_behind_a_commit_makes_nothing_twice(
    server: Server, address: str, monkeypatch: pytest.MonkeyPatch, statement: bytes, *, waits: bool
) -> None:
    lessen(monkeypatch, "TRIES", 0)
    with closing(Relay(server.port)) as relay:
        relay.waits = waits
        with HudStore.open(address.replace(f":{server.port}", f":{relay.port}")) as store:
            session = store.session("s")
            for number in range(10):
                if statement == b"COMMIT":  # the way of a conflict is a transaction
                    HudStore(store._events).session("s").record("note.add", content=f"x{number}")
                relay.cuts.append(statement)
                session.record("note.add", content=f"{number}")
                assert not relay.cuts
            found = [each.content for each in session.state().notes]
            assert [each for each in found if "x" not in each] == [*map(str, range(10))]
            assert store.keeping.verify() == ()


@pytest.mark.parametrize("later", [0, 1_000_000], ids=["given twice", "not given yet"])
def test_a_number_of_another_transaction_is_no_proof_of_a_commit(
    address: str, link: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    """After a crash or a failover the server has lost what was not on its disk, and gives its number to another one."""
    [(committed,)] = link.execute("SELECT pg_current_xact_id()::text::bigint").fetchall()
    lessen(monkeypatch, "OWN_NUMBER", f"SELECT '{committed + later}'")
    with HudStore.open(address) as store:
        call = conflict_in_a_transaction(store, "s")
        before = store.version_of("s")
        with breaking(link) as breaks:
            call()
        again = conflict_in_a_transaction(store, "t")
        with breaking(link, breaks.asked):  # the commit
            again()
        assert store.version_of("t") == before + 1
        assert len(store.session("t").state().notes) == 3


# --- A server that is full ---


@pytest.fixture(scope="module")
def small(server: Server) -> Iterator[Server]:
    with serving(max_connections="5") as one:
        yield one


@contextmanager
def full(server: Server) -> Iterator[list[psycopg.Connection[Any]]]:
    """Take all connections that a server has."""
    links: list[psycopg.Connection[Any]] = []
    refused = 0
    try:
        while refused < 2:  # a connection that is just ending may still leave a place
            try:
                links.append(psycopg.connect(server.address(), autocommit=True))
            except psycopg.OperationalError:
                refused += 1
                time.sleep(0.5)
        yield links
    finally:
        for each in links:
            each.close()


class TestOpening:
    def test_waits_for_a_server_that_is_full_for_a_while(self, small: Server) -> None:
        with full(small) as links, ThreadPoolExecutor(1) as pool:
            opened = pool.submit(PostgresEventStore, small.address())
            time.sleep(2)
            assert not opened.done()
            for each in links:
                each.close()
            with closing(opened.result(60)) as store:
                assert store.sessions() == ()

    def test_is_no_other_than_a_call_that_finds_it_full(self, small: Server) -> None:
        with closing(PostgresEventStore(small.address())) as store, ThreadPoolExecutor(1) as pool:
            with full(small) as links:
                found = pool.submit(store.head, "s")
                time.sleep(1)
                assert not found.done()
                for each in links:
                    each.close()
            assert found.result(60).version == 0

    def test_gives_up_after_the_promised_time_and_says_why(self, small: Server) -> None:
        with full(small):
            begin = time.monotonic()
            with pytest.raises(StoreUnavailableError, match="too many clients"):
                PostgresEventStore(small.address(), busy_timeout=1_000)
            assert time.monotonic() - begin >= 1

    def test_waits_for_a_server_that_is_started(self, small: Server) -> None:
        small.kill()
        with ThreadPoolExecutor(1) as pool:
            opened = pool.submit(PostgresEventStore, small.address(), busy_timeout=60_000)
            time.sleep(0.3)
            small.start(max_connections="5")
            opened.result(60).close()

    @pytest.mark.parametrize(
        ("old", "new", "why"),
        [("/postgres", "/nowhere", "does not exist"), ("owner@", "nobody@", "does not exist"),
         ("/postgres", "/postgres?sslmode=require", "does not support SSL")],
        ids=["database", "role", "encryption"],
    )  # fmt: skip
    def test_is_refused_once_by_a_server_that_will_never_let_it_in(
        self, small: Server, monkeypatch: pytest.MonkeyPatch, old: str, new: str, why: str
    ) -> None:
        tries: list[object] = []
        connect = psycopg.connect

        def counted(*values: Any, **named: Any) -> Any:
            tries.append(None)
            return connect(*values, **named)

        monkeypatch.setattr(psycopg, "connect", counted)
        with pytest.raises(StoreUnavailableError, match=why):
            PostgresEventStore(small.address().replace(old, new))
        assert len(tries) == 1

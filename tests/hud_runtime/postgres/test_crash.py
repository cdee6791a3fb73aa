"""Writers and the server itself are killed under load: what was acknowledged is there, once, without a gap.

``UJSX_KILLS`` is the number of rounds; "make crash" and "make postgres-crash" make 100 of them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreUnavailableError
from hud_runtime.log.postgres import PostgresEventStore
from tests.hud_runtime.postgres.servers import Server, serving, standing_by

ROUNDS = int(os.environ.get("UJSX_KILLS", "3"))

WRITERS = 4
"""Processes that write at once: two to a session of all, two to sessions of their own."""

WORK = """
import sys
from hud_runtime import ConcurrencyError, StoreError
from hud_runtime.log.postgres import PostgresEventStore
from tests.hud_runtime.store.contract import an_event

address, name, number = sys.argv[1:]
store = PostgresEventStore(address, busy_timeout=20_000)
count = 0
while True:
    version = store.head(name).version
    event = an_event(name, version + 1).model_copy(update={"id": f"{number}-{count}"})
    try:
        if count % 3:
            store.append(name, version, [event])
        else:
            with store.exclusive(name):
                version = store.head(name).version
                event = event.model_copy(update={"version": version + 1})
                store.append(name, version, [event])
    except ConcurrencyError:
        continue
    except StoreError as error:
        print("refused", error, file=sys.stderr, flush=True)
        continue
    print(event.id, flush=True)
    count += 1
"""
"""Appends for as long as it lives, and says each event's id when it was acknowledged."""


class Writer:
    """A process that appends, and what it said was done."""

    def __init__(self, address: str, name: str, number: str) -> None:
        self.name = name
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORK, address, name, number],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def is_at_work(self) -> bool:
        return self.process.poll() is None

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.said.append(line.strip())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        if not self.process.stdout.closed:
            self.process.stdout.close()


@contextmanager
def writing(address: str) -> Iterator[Callable[[], list[Writer]]]:
    """Give what starts as many writers as are missing, and returns all that ever were."""
    names = ["all", "all", *(f"own-{number}" for number in range(WRITERS - 2))]
    writers: list[Writer] = []

    def started() -> list[Writer]:
        at_work = [each.name for each in writers if each.is_at_work]
        for name in names:
            if name in at_work:
                at_work.remove(name)
            else:
                writers.append(Writer(address, name, str(len(writers))))
        return writers

    try:
        yield started
    finally:
        for each in writers:
            each.kill()


def until_said(writers: list[Writer], more: int) -> None:
    """Wait until so many more events were acknowledged."""
    goal = sum(len(each.said) for each in writers) + more
    deadline = time.monotonic() + 120
    while sum(len(each.said) for each in writers) < goal:
        assert time.monotonic() < deadline, "nobody records any more"
        time.sleep(0.005)


def check(address: str, said: list[str]) -> int:
    """Look for what was acknowledged: each event once, no gap, no damage. Return how many there are."""
    with closing(PostgresEventStore(address, busy_timeout=20_000)) as store:
        assert store.verify() == ()
        found = [event.id for _, event in store.read_all()]
        for session_id in store.sessions():
            versions = [event.version for event in store.read(session_id)]
            assert versions == [*range(1, len(versions) + 1)]
    assert len(found) == len(set(found)), "an event is there twice"
    assert set(said) <= set(found), "an acknowledged event is missing"
    assert len(said) == len(set(said))
    return len(found)


@pytest.fixture
def own_server() -> Iterator[Server]:
    if os.environ.get("UJSX_POSTGRES") != "1":
        pytest.skip('it needs a PostgreSQL server: "make postgres" starts one')
    with serving() as server:
        yield server


def test_no_acknowledged_event_is_lost(own_server: Server) -> None:
    """In each round either some of the writers are killed, or the server and all that is in it."""
    chance = random.Random(ROUNDS)
    address = own_server.address()
    killed = {"server": 0, "writers": 0}
    with writing(address) as started:
        until_said(started(), WRITERS)
        for round_ in range(ROUNDS):
            writers = started()
            until_said(writers, 10 + chance.randrange(20))
            if round_ % 2:
                chance.choice([each for each in writers if each.is_at_work]).kill()
                killed["writers"] += 1
            else:
                own_server.kill()
                own_server.start()
                killed["server"] += 1
        until_said(writers, WRITERS)
    said = [each for writer in writers for each in writer.said]
    told = {"rounds": ROUNDS, **killed, "acknowledged": len(said), "there": check(address, said)}
    sys.stdout.write(f"{json.dumps(told)}\n")


def test_a_failover_loses_no_acknowledged_event(own_server: Server) -> None:
    """The server is killed under load, and its standby takes its place: the writers go on there."""
    import psycopg

    PostgresEventStore(own_server.address()).close()
    with standing_by(own_server) as standby:
        hosts = f"127.0.0.1:{own_server.port},127.0.0.1:{standby.port}"
        address = f"postgresql://owner@{hosts}/postgres?target_session_attrs=read-write"
        with writing(address) as started:
            writers = started()
            until_said(writers, 40)
            own_server.kill()
            with psycopg.connect(standby.address(), autocommit=True) as link:
                assert link.execute("SELECT pg_promote()").fetchall() == [(True,)]
            until_said(writers, 20)
        said = [each for writer in writers for each in writer.said]
        there = check(standby.address(), said)
    sys.stdout.write(f"{json.dumps({'acknowledged': len(said), 'there': there})}\n")


def test_without_a_server_the_hud_is_shown_and_records_are_refused(own_server: Server) -> None:
    with closing(PostgresEventStore(own_server.address(), busy_timeout=500)) as events:
        session = HudStore(events).session("s")
        session.record("note.add", content="Port 8080")
        own_server.kill()
        assert "Port 8080" in str(session.hud())
        for work in (
            lambda: session.record("note.add", content="Port 9090"),
            lambda: events.append("t", 0, []) or events.head("t"),
            lambda: events.search("port"),
            lambda: events.exclusive("s").__enter__(),
        ):
            with pytest.raises(StoreUnavailableError, match="cannot be reached"):
                work()
        own_server.start()
        time.sleep(events.breaker.left)
        session.record("note.add", content="Port 7070")
        assert [note.content for note in session.state().notes] == ["Port 8080", "Port 7070"]
        assert events.verify() == ()


def test_without_a_server_one_waits_and_the_others_are_told_at_once(own_server: Server) -> None:
    with closing(PostgresEventStore(own_server.address(), busy_timeout=1_000)) as events:
        session = HudStore(events).session("s")
        own_server.kill()

        def refused(number: int) -> float:
            begin = time.monotonic()
            # The first may have been sent through a connection that was open; nobody else was.
            said = "nothing was recorded" if number else "is not known whether|nothing was recorded"
            with pytest.raises(StoreUnavailableError, match=said):
                session.record("note.add", content=f"{number}")
            return time.monotonic() - begin

        assert refused(0) >= 1
        with ThreadPoolExecutor(4) as pool:
            waits = [*pool.map(refused, range(1, 41))]
        assert sum(waits) < 20  # each of them would wait a second
        own_server.start()
        deadline = time.monotonic() + 30
        while events.breaker.is_open:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        session.record("note.add", content="back")
        assert [note.content for note in session.state().notes] == ["back"]


def test_without_a_server_an_outbox_takes_what_is_posted(
    own_server: Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a program that knows the session, and by the command, which cannot even open the store."""
    from hud_runtime.cli import main
    from hud_runtime.log.outbox import QueueReceipt

    address = own_server.address()
    monkeypatch.setenv("UJSX_HOME", str(tmp_path))
    (tmp_path / "context.toml").write_text("[outbox]\n")
    command = ["record", "s", "note.add", "--store", address, "--content"]
    with HudStore.open(address) as store:
        session = store.session("s")
        own_server.kill()
        assert isinstance(session.post("note.add", content="one"), QueueReceipt)
        assert main([*command, "two"]) == 0
        assert "outbox" in capsys.readouterr().err
        assert main(["doctor", address]) == 1
        assert "events that wait for" in capsys.readouterr().out
        own_server.start()
        time.sleep(store._events.breaker.left)
        session.record("note.add", content="three")
        assert [note.content for note in session.state().notes] == ["one", "two", "three"]
    assert main(["store", "outbox"]) == 0
    assert "nothing waits" in capsys.readouterr().err

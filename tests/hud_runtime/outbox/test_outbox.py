"""An outbox, with a store whose server goes away when a test says so: what was said is there, once, in order."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_runtime import (
    Event,
    EventError,
    HudStore,
    SettingsError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    StoreVersionError,
)
from hud_runtime.cli import main
from hud_runtime.integrations import HostSession
from hud_runtime.log.events import EventDraft
from hud_runtime.log.outbox import MARK, EventQueue, Outbox, QueueReceipt
from hud_runtime.log.store import SqliteEventStore
from hud_runtime.observe import UserMessage
from hud_runtime.session import settings_beside
from tests.hud_runtime.bridged import told
from tests.hud_runtime.inside import Backoff, Breaker


class Distant(SqliteEventStore):
    """A store that stands for a server's: it can be away, and break off when it has recorded."""

    identity = "one"
    is_away = False
    breaks_off = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.breaker = Breaker(Backoff(0.0, 0.0))  # it is asked again at once

    def _look(self) -> None:
        if self.is_away:
            raise StoreUnavailableError("the server is away")

    def append_rows(self, session_id: str, expected_version: int, rows: Sequence[Any]) -> None:
        self._look()
        super().append_rows(session_id, expected_version, rows)
        if self.breaks_off:
            self.is_away = True
            raise StoreUnavailableError("it is not known whether it was recorded")

    @contextmanager
    def exclusive(self, session_id: str) -> Iterator[None]:
        self._look()
        with super().exclusive(session_id):
            yield

    def read(self, *args: Any, **named: Any) -> Iterator[Event]:
        self._look()
        return super().read(*args, **named)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Distant]:
    with closing(Distant(tmp_path / "hud.db")) as log:
        yield log


@pytest.fixture
def box(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "box")


def letters(box: Outbox) -> EventQueue:
    return EventQueue(box, "", "one")


def contents(log: Distant, session: str = "s") -> list[str]:
    return [each.content for each in HudStore(log).session(session).state().notes]


class TestPost:
    def test_is_a_record_while_the_server_is_there(self, log: Distant, box: Outbox) -> None:
        done = HudStore(log, outbox=box).session("s").post("note.add", content="one")
        assert isinstance(done, Event)
        assert done.version == 2
        assert not box.path.exists()

    def test_is_kept_while_it_is_away_and_recorded_in_order_when_it_is_back(
        self, log: Distant, box: Outbox
    ) -> None:
        store = HudStore(log, outbox=box, clock=lambda: 7)
        session = store.session("s")
        before = str(session.hud())
        log.is_away = True
        posted = session.post("note.add", content="one")
        assert isinstance(posted, QueueReceipt)
        assert (posted.session_id, posted.types, posted.posted_at) == ("s", ("note.add",), 7)
        session.post_all([EventDraft("note.add", {"content": each}) for each in ("two", "three")])
        assert str(session.hud()) == before  # a state is what its events come to
        with pytest.raises(StoreUnavailableError):
            session.record("note.add", content="refused, and the caller knows")
        log.is_away = False
        event = session.record("note.add", content="four")
        assert event.version == 5
        assert contents(log) == ["one", "two", "three", "four"]
        assert next(each for each in session.events(1)).id == posted.ids[0]
        assert letters(box).all() == []

    def test_is_delivered_when_the_store_is_opened_again(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        session.post("note.add", content="one")
        log.is_away = False
        other = HudStore(log, outbox=box.folder)
        assert [each.content for each in other.session("s").state().notes] == ["one"]

    def test_that_breaks_off_is_recorded_once(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.breaks_off = True
        assert isinstance(session.post("note.add", content="one"), QueueReceipt)
        log.is_away = log.breaks_off = False
        HudStore(log, outbox=box)
        assert contents(log) == ["one"]
        assert letters(box).all() == []

    def test_whose_delivery_is_killed_after_the_commit_is_recorded_once(
        self, log: Distant, box: Outbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        session.post("note.add", content="one")
        session.post("note.add", content="two")
        log.is_away = False

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(EventQueue, "settle", killed)
            with pytest.raises(KeyboardInterrupt):
                HudStore(log, outbox=box)
        assert len(letters(box).all()) == 2
        session.record("note.add", content="three")
        assert contents(log) == ["one", "two", "three"]
        assert letters(box).all() == []

    def test_that_cannot_be_is_refused_at_once(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        for type_, payload in (
            ("note.ad", {"content": "one"}),
            ("note.add", {}),
            ("note.add", {"content": "x" * 2_000_000}),
            ("session.start", {}),
        ):
            with pytest.raises(EventError):
                session.post_all([EventDraft(type_, payload)])
        assert not box.path.exists()

    def test_that_the_state_refuses_later_is_kept_apart_and_named(
        self, log: Distant, box: Outbox, capsys: pytest.CaptureFixture[str]
    ) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        session.post("note.add", content="one")
        session.post("note.remove", id="n-99")
        session.post("note.add", content="two")
        log.is_away = False
        HudStore(log, outbox=box)
        assert contents(log) == ["one", "two"]
        [letter] = letters(box).all()
        assert letter.refusal is not None
        assert "n-99" in letter.refusal
        assert main(["doctor", str(box.folder)]) == 1
        assert f"letter {letter.number}" in capsys.readouterr().out
        command = ["store", "outbox", "--folder", str(box.folder)]
        assert main(command) == 0
        assert "n-99" in capsys.readouterr().out
        assert main([*command, "--forget", str(letter.number)]) == 0
        assert main([*command, "--forget", str(letter.number)]) == 2
        assert letters(box).all() == []

    def test_of_many_leaves_out_what_is_refused(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        told: list[str] = []
        session.post_all(
            [EventDraft("note.add", {"content": "one"}), EventDraft("note.ad", {}),
             EventDraft("note.remove", {"id": "n-99"}), EventDraft("note.add", {"content": "two"})],
            refused=lambda draft, _: told.append(draft.type),
        )  # fmt: skip
        assert told == ["note.ad"]
        log.is_away = False
        HudStore(log, outbox=box)
        assert contents(log) == ["one", "two"]
        assert [each.drafts[0].type for each in letters(box).all()] == ["note.remove"]

    def test_for_a_session_that_was_purged_is_kept_apart(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        session.post("note.add", content="one")
        log.is_away = False
        log.purge("s")
        HudStore(log, outbox=box)
        [letter] = letters(box).all()
        assert "was purged" in str(letter.refusal)

    def test_within_a_transaction_is_a_part_of_it(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")

        def work() -> None:
            with session.exclusive():
                session.post("note.add", content="one")
                log.is_away = True
                session.post("note.add", content="two")

        with pytest.raises(StoreUnavailableError):
            work()
        log.is_away = False
        assert contents(log) == []
        assert not box.path.exists()

    def test_keeps_no_secret(self, log: Distant, box: Outbox) -> None:
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        secret = "AKIA" + "IOSFODNN7" + "EXAMPLF"
        session.post("note.add", content=f"the key {secret}")
        assert secret.encode() not in box.path.read_bytes()

    @pytest.mark.parametrize("telling", ["", "a.1"], ids=["once", "with an id"])
    def test_of_what_a_host_tells_waits(self, log: Distant, box: Outbox, telling: str) -> None:
        host = HostSession(HudStore(log, outbox=box).session("s"), on_warning=pytest.fail)
        log.is_away = True
        told(telling, lambda: host.observe(UserMessage(text="Add a login.")))
        assert host.flush() == 0
        waiting = letters(box).all()
        assert len(waiting) == 1
        if telling:
            told(telling, lambda: host.observe(UserMessage(text="Add a login.")))
            assert letters(box).all() == waiting
        log.is_away = False
        task = HudStore(log, outbox=box).session("s").state().task
        assert task is not None
        assert task.description == "Add a login."

    @pytest.mark.parametrize("by_bridge", [False, True], ids=["own", "by a bridge"])
    def test_of_a_tool_says_so(self, log: Distant, box: Outbox, *, by_bridge: bool) -> None:
        session = HudStore(log, outbox=box).session("s")
        note = {"op": "notes.add", "content": "one"}
        log.is_away = True
        host = HostSession(session)
        answer = told("a.1" if by_bridge else "", lambda: host.call("hud", note))
        assert "store cannot be reached" in str(answer)
        log.is_away = False
        assert "Known already" in str(session.call("hud", {"op": "notes.add", "content": "one"}))
        assert contents(log) == ["one"]

    def test_into_a_file_s_store_is_no_use(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="database server"):
            HudStore.open(tmp_path / "hud.db", outbox=tmp_path / "box")

    @settings(max_examples=10, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12))
    def test_keeps_the_order_of_each_session_whenever_the_server_is_away(
        self, tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, bool]]
    ) -> None:
        folder = tmp_path_factory.mktemp("order")
        expected: dict[str, list[str]] = {name: [] for name in "abc"}
        with closing(Distant(folder / "hud.db")) as log:
            store = HudStore(log, outbox=folder / "box")
            sessions = {name: store.session(name) for name in "abc"}
            for number, (name, log.is_away) in enumerate(said):
                sessions[name].post("note.add", content=f"{number}")
                expected[name].append(f"{number}")
            log.is_away = False
            HudStore(log, outbox=folder / "box")
            assert {name: contents(log, name) for name in "abc"} == expected
            assert log.verify() == ()


class TestOutbox:
    def test_is_the_owner_s_alone(self, box: Outbox) -> None:
        letters(box).put("s", [{"a": EventDraft("note.add", {})}], after=0, at=0)
        if os.name != "nt":
            assert box.path.stat().st_mode & 0o777 == 0o600
            assert box.path.parent.stat().st_mode & 0o777 == 0o700

    @pytest.mark.parametrize(("bound", "most"), [("events", 3), ("bytes", 200)])
    def test_is_bounded(self, tmp_path: Path, log: Distant, bound: str, most: int) -> None:
        box = Outbox(tmp_path / "box", **{bound: most})  # type: ignore[arg-type]
        session = HudStore(log, outbox=box).session("s")
        log.is_away = True
        drafts = [EventDraft("note.add", {"content": f"{number}"}) for number in range(9)]
        with pytest.raises(StoreFullError, match=f"of {most} {bound} wait; nothing was recorded"):
            [*map(session.post_all, [[draft] for draft in drafts])]
        kept = len(letters(box).all())
        assert 0 < kept < 4
        log.is_away = False
        HudStore(log, outbox=box)
        assert contents(log) == [f"{number}" for number in range(kept)]

    @pytest.mark.parametrize("bound", ["events", "bytes"])
    def test_has_room_for_the_last_letter_that_fits(self, tmp_path: Path, bound: str) -> None:
        def put(box: Outbox) -> None:
            letters(box).put("s", [{"a": EventDraft("note.add", {"content": "x"})}], after=0, at=0)

        put(wide := Outbox(tmp_path / "wide"))
        with closing(sqlite3.connect(wide.path)) as db:
            [(size,)] = db.execute("SELECT size FROM letter")
        each = 1 if bound == "events" else size
        box = Outbox(tmp_path / "box", **{bound: 3 * each})  # type: ignore[arg-type]
        for _ in range(3):
            put(box)
        with pytest.raises(StoreFullError, match=f"{3 * each} of {3 * each} {bound} wait"):
            put(box)
        assert len(letters(box).all()) == 3

    def test_has_letters_of_several_stores_and_gives_each_its_own(
        self, tmp_path: Path, log: Distant, box: Outbox
    ) -> None:
        letters(box).put("s", [{"a": EventDraft("note.add", {"content": "one"})}], after=0, at=0)
        with closing(Distant(tmp_path / "other.db")) as other:
            other.identity = "two"
            store = HudStore(other, outbox=box)
            store.session("s")
            assert contents(other) == []
            moved = EventQueue(box, "there", "two")
            assert moved.adopt("nowhere") == 0
            assert moved.adopt("") == 1
            HudStore(other, outbox=box)
            assert contents(other) == ["one"]
        HudStore(log, outbox=box)
        assert contents(log) == []

    def test_of_a_newer_version_is_left_to_that(self, log: Distant, box: Outbox) -> None:
        letters(box).put("s", [{"a": EventDraft("note.add", {})}], after=0, at=0)
        with closing(sqlite3.connect(box.path)) as db:
            db.execute("PRAGMA user_version = 99")
            db.execute(f"PRAGMA application_id = {MARK + 99}")
        before = box.path.read_bytes()
        with pytest.raises(StoreVersionError, match="update ujsx"):
            letters(box).all()
        with pytest.raises(StoreVersionError, match="update ujsx"):
            letters(box).check()
        assert box.path.read_bytes() == before
        assert letters(box).set_aside() == []

    @pytest.mark.parametrize("bound", [0, -1, True, "many"])
    def test_has_bounds_that_can_be(self, bound: Any) -> None:
        with pytest.raises(SettingsError):
            Outbox("box", events=bound)
        with pytest.raises(SettingsError):
            Outbox("")

    def test_is_set_beside_the_store(self, tmp_path: Path) -> None:
        file, store = tmp_path / "context.toml", tmp_path / "hud.db"
        file.write_text('[outbox]\nfolder = "box"\nevents = 5\n')
        assert settings_beside(store).outbox == Outbox("box", 5)
        file.write_text("[outbox]")
        assert settings_beside(store).outbox is not None
        file.write_text('[outbox]\nfoldr = "box"\n')
        with pytest.raises(SettingsError, match="folder"):
            settings_beside(store)

    def test_takes_what_many_threads_post(self, box: Outbox) -> None:
        def work(number: int) -> None:
            for count in range(8):
                draft = EventDraft("note.add", {"content": f"{number}-{count}"})
                letters(box).put(f"s{number}", [{f"{number}-{count}": draft}], after=0, at=0)

        with ThreadPoolExecutor(4) as pool:
            [*pool.map(work, range(4))]
        for number in range(4):
            found = letters(box).first(f"s{number}", 100)
            assert [each.ids for each in found] == [(f"{number}-{count}",) for count in range(8)]

    def test_lets_two_deliver_at_once(self, log: Distant, box: Outbox) -> None:
        HudStore(log).session("s")
        for number in range(40):
            draft = EventDraft("note.add", {"content": f"{number}"})
            letters(box).put("s", [{f"id-{number}": draft}], after=1, at=0)
        with ThreadPoolExecutor(2) as pool:
            [*pool.map(lambda _: HudStore(log, outbox=box).session("s").record_all([]), range(2))]
        assert contents(log) == [f"{number}" for number in range(40)]
        assert letters(box).all() == []


WRITER = """
import sys
from hud_runtime.log.events import EventDraft
from hud_runtime.log.outbox import EventQueue, Outbox

letters = EventQueue(Outbox(sys.argv[1]), "", "one")
for number in range(10_000):
    letters.put("s", [{f"{number}": EventDraft("note.add", {"content": "x" * 9_000})}], after=0, at=0)
    print(number, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(box: Outbox) -> None:
    """Whoever posts is killed in the middle: each letter that it was told of is there, whole, once."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(box.folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(5)]
        time.sleep(0.01)
        process.kill()
        said += [int(line) for line in process.stdout if line.endswith("\n")]
    found = [letter.ids[0] for letter in letters(box).all()]
    assert found[: len(said)] == [f"{number}" for number in said]
    assert len(found) <= len(said) + 1


class Impatient(Breaker):
    """Lets a server be asked again every hundredth of a second."""

    left = 0.01  # type: ignore[assignment]


def test_by_and_by_it_is_delivered(
    log: Distant, box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    log.breaker = Impatient(Backoff(0.0, 0.0))
    with HudStore(log, outbox=box) as store:
        session = store.session("s")
        log.is_away = True
        session.post("note.add", content="one")
        time.sleep(0.03)
        log.is_away = False
        deadline = time.monotonic() + 30
        while letters(box).all():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert contents(log) == ["one"]

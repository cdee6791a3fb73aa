"""What a host tells while the server is away is taken in once, whoever is killed at whatever step of it.

A run is a few tellings and calls in an outage, told by one process after the other, and the delivery behind it. It is killed
before and behind each write to the outbox and each commit to the store; whoever was told by nobody's answer is told
again. What the log holds then is what it holds without a kill.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.log.events import EventDraft
from hud_runtime.log.outbox import LAYOUT, EventQueue, Outbox
from hud_runtime.observe import AnyObservation, Compacted, UserMessage
from hud_runtime.session import HudSession
from tests.hud_runtime.bridged import told
from tests.hud_runtime.outbox.test_outbox import Distant, contents
from tests.hud_runtime.store.statements import watched


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Kills:
    """Ends a process at one of the steps at which something is there for good or not."""

    at: int | None = None
    """Which one; None for none."""
    done: int = 0

    def step(self) -> None:
        self.done += 1
        if self.done - 1 == self.at:
            raise Killed


@dataclass
class Process:
    """One that had the session open when the server went."""

    session: HudSession[Any]
    host: HostSession

    @classmethod
    def of(cls, log: Distant, box: Outbox, tell: Callable[[str], object] = pytest.fail) -> Process:
        session = HudStore(log, outbox=box).session("s")
        return cls(session, HostSession(session, on_warning=tell))

    def tell(self, telling: str, *seen: AnyObservation, **keep: object) -> None:
        told(telling, lambda: self.host.observe(*seen, keep=keep))

    def call(self, telling: str, **arguments: object) -> str:
        return told(telling, lambda: self.host.call("hud", arguments)).text


TOLD: tuple[Callable[[Process], object], ...] = (
    lambda one: one.tell("a.1", UserMessage(text="Add a login.")),
    lambda one: one.tell("b.1", Compacted(summary="so far"), failed="t-1"),
    lambda one: one.tell("a.2", UserMessage(text="And a logout.")),
    lambda one: one.tell("c.1", kept="without an event"),
    lambda one: one.call("call.1", op="notes.add", content="Port 8080"),
    lambda one: one.call("call.2", op="task.set", description="Add both"),
)


def again(work: Callable[[], object]) -> None:
    """Do it until nobody is killed."""
    for _ in range(3):
        with suppress(Killed):
            work()
            return
    pytest.fail("it was killed more than once")


def ran(folder: Path, kills: Kills, patch: pytest.MonkeyPatch) -> tuple[list[Any], Any]:
    """Go through an outage; return what the log holds then, and what is kept of the tellings."""
    box, statements = Outbox(folder / "box"), watched(patch)
    with closing(Distant(folder / "hud.db")) as log:
        current = [Process.of(log, box)]
        statements.before = statements.after = lambda statement, *_: (
            statement == "COMMIT" and kills.step()
        )
        for telling in TOLD:
            log.is_away = True

            def told(telling: Callable[[Process], object] = telling) -> None:
                try:
                    telling(current[0])
                except Killed:  # another one can begin when the server is back
                    log.is_away = False
                    current[0] = Process.of(log, box)
                    raise

            again(told)
        log.is_away = False
        again(lambda: HudStore(log, outbox=box))
        # Who did not get an answer tells it again, however late.
        late: list[Process] = []
        again(lambda: late.append(Process.of(log, box)))
        for telling in TOLD:
            again(lambda telling=telling: telling(late[0]))  # type: ignore[misc]
        statements.before = statements.after = None
        assert not EventQueue(box, "", "one").all()
        events = [
            (each.version, each.type, each.turn, each.actor, each.payload) for each in log.read("s")
        ]
        [row] = log.deliveries("s", "(told)")
        kept = json.loads(row.body)["told"]
        return events, (kept["tellers"], kept["kept"], kept["place"], [*kept["answers"]])


def test_is_there_once_after_a_kill_at_any_step(tmp_path: Path) -> None:
    none = Kills()
    with pytest.MonkeyPatch.context() as patch:
        expected = ran(tmp_path / "none", none, patch)
    events, kept = expected
    assert [kind for _, kind, *_ in events].count("compact.after") == 1
    tellers, told, _, calls = kept
    assert told == {"failed": "t-1", "kept": "without an event"}
    assert tellers == {"a": 2, "b": 1, "c": 1}
    assert calls == ["call.1", "call.2"]
    assert none.done > 2 * len(TOLD)
    for at in range(none.done):
        with pytest.MonkeyPatch.context() as patch:
            assert ran(tmp_path / f"{at}", Kills(at), patch) == expected, at


@pytest.fixture
def box(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "box")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Distant]:
    with closing(Distant(tmp_path / "hud.db")) as log:
        yield log


class TestWhileItIsAway:
    def test_another_process_finds_the_letter(self, log: Distant, box: Outbox) -> None:
        one, two = Process.of(log, box), Process.of(log, box)
        log.is_away = True
        for telling in TOLD:
            telling(one)
        waiting = EventQueue(box, "", "one").all()
        for telling in TOLD:
            telling(two)
        assert EventQueue(box, "", "one").all() == waiting

    def test_a_call_is_answered_as_before(self, log: Distant, box: Outbox) -> None:
        one, two = Process.of(log, box), Process.of(log, box)
        log.is_away = True
        note: dict[str, object] = {"op": "notes.add", "content": "Port 8080"}
        assert one.call("c.1", **note).startswith(two.call("c.1", **note))
        assert "do not repeat it" in two.call("c.1", **note)
        log.is_away = False
        late = Process.of(log, box)
        assert "do not repeat it" in late.call("c.1", **note)
        assert "Known already" in late.call("c.2", **note)

    def test_secrets_are_masked_beside_a_letter_too(self, log: Distant, box: Outbox) -> None:
        one, secret = Process.of(log, box), "ghp_" + "a1B2" * 9
        log.is_away = True
        one.tell("a.1", UserMessage(text="x"), summary=secret)
        assert secret.encode() not in box.path.read_bytes()

    def test_what_is_refused_was_told_all_the_same(self, log: Distant, box: Outbox) -> None:
        one = Process.of(log, box)
        step = one.session.record("step.add", description="x").payload.id  # type: ignore[attr-defined]
        log.is_away = True
        call: dict[str, object] = {"op": "steps.complete", "id": step}
        one.call("c.1", **call)
        log.is_away = False
        with closing(sqlite3.connect(":memory:")):
            HudStore(log).session("s").record("step.remove", id=step)
        late = Process.of(log, box)
        [letter] = EventQueue(box, "", "one").all()
        assert letter.refusal is not None
        assert "do not repeat it" in late.call("c.1", **call)

    def test_that_cannot_even_be_kept_is_told_again(self, log: Distant, tmp_path: Path) -> None:
        said: list[str] = []
        one = Process.of(log, Outbox(tmp_path / "small", bytes=1), said.append)
        log.is_away = True
        one.tell("a.1", UserMessage(text="Add a login."))
        assert "has no room" in said[0]
        log.is_away = False
        one.tell("a.2", UserMessage(text="And a logout."))
        asked = [each.payload.description for each in log.read("s") if each.type == "task.set"]  # type: ignore[attr-defined]
        assert asked == ["Add a login.", "And a logout."]


class TestOlderOutbox:
    """One whose letters had nothing beside them, or no digest."""

    @pytest.fixture(params=[1, 2])
    def older(self, request: pytest.FixtureRequest, log: Distant, box: Outbox) -> Outbox:
        HudStore(log).session("s")
        EventQueue(box, "", "one").put(
            "s", [{f"id-{number}": EventDraft("note.add", {"content": f"{number}"})} for number in "12"],
            after=1, at=5,
        )  # fmt: skip
        with closing(sqlite3.connect(box.path)) as db:
            for column in ("digest", "taken")[: 3 - request.param]:
                db.execute(f"ALTER TABLE letter DROP COLUMN {column}")
            db.execute(f"PRAGMA user_version = {request.param}")
            db.execute("PRAGMA application_id = 0")
        return box

    def test_gives_its_letters(self, log: Distant, older: Outbox) -> None:
        store = HudStore(log, outbox=older)
        assert [each.content for each in store.session("s").state().notes] == ["1", "2"]
        with closing(sqlite3.connect(older.path)) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (LAYOUT,)

    def test_keeps_its_numbers(self, older: Outbox) -> None:
        box = EventQueue(older, "", "one")
        assert [(each.number, each.taken) for each in box.all()] == [(1, None), (2, None)]
        box.put("s", [{}], after=0, at=0, taken="{}")
        assert [each.number for each in box.all()] == [1, 2, 3]

    def test_is_brought_up_to_date_by_the_next_after_an_abort(
        self, older: Outbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from hud_runtime import outbox

        def broken(steps: tuple[str, ...], number: int) -> Iterator[str]:
            yield from steps[:number]
            raise KeyboardInterrupt

        for number in range(max(map(len, outbox.MIGRATIONS))):
            stopped = [broken(steps, number) for steps in outbox.MIGRATIONS]
            with monkeypatch.context() as patch:
                patch.setattr(outbox, "MIGRATIONS", stopped)
                with pytest.raises(KeyboardInterrupt):
                    EventQueue(older, "", "one").all()
        assert [each.number for each in EventQueue(older, "", "one").all()] == [1, 2]
        assert EventQueue(older, "", "one").fault() is None


@pytest.mark.parametrize("taken", ["[", '{"tellings": 5}'])
def test_what_another_version_has_written_is_nothing(log: Distant, box: Outbox, taken: str) -> None:
    HudStore(log).session("s")
    draft = EventDraft("note.add", {"content": "one"})
    EventQueue(box, "", "one").put("s", [{"id-1": draft}], after=1, at=5, taken=taken)
    HudStore(log, outbox=box)
    assert contents(log) == ["one"]
    assert EventQueue(box, "", "one").all() == []

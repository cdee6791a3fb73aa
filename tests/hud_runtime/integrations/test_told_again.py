"""A bridge that is killed while it takes in what it is told, and is told it again: as if nobody had killed it.

Each host's session is told with a kill at every point at which something is there for good or not: before and behind each
commit of each telling, and before the answer. What the log holds then is, event by event, what it holds otherwise.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.bridge import Answer, Handler
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.codex import Codex
from hud_runtime.integrations.opencode import OpenCode
from hud_runtime.observe import AgentMessage, Compacted
from tests.hud_runtime.integrations.claude import Claude
from tests.hud_runtime.integrations.codex_player import Clock, Player, recorded
from tests.hud_runtime.integrations.inside import OpenFile, place
from tests.hud_runtime.integrations.test_claude_code import message
from tests.hud_runtime.integrations.test_opencode import Client

FAILURE = "Exit code 1\nFAILED tests/a.py::test_x - assert 0\n1 failed"


class Killed(BaseException):
    """The process is gone, with all that it had in mind."""


def request_of(kind: str, data: bytes, name: str) -> place.Request:
    """Return a request as a bridge reads it, with the id of its telling."""
    request = place.read_request(BytesIO(f"{kind} {len(data)} {name}\n".encode() + data))
    assert request is not None
    return request


@dataclass
class Bridges:
    """One bridge after the other, each with a store of its own on one log."""

    handlers: Callable[[HudStore], Mapping[str, Handler]]
    patch: pytest.MonkeyPatch
    points: Callable[[int], Iterator[int]]
    """After how many commits a telling is killed, one time after the other; given how many it takes."""

    clock: Callable[[], int] = lambda: 0
    numbered: bool = False
    """Whether one program tells all; else each telling is a program's of its own."""
    has_ids: bool = True
    """Whether a telling has an id."""
    kills: int = 0
    told: int = 0
    answers: list[str] = field(default_factory=list[str])
    """Of calls."""
    left: list[int] = field(default_factory=list[int])
    """Commits that are made before the process is killed; none for any number."""

    def __post_init__(self) -> None:
        self.store = HudStore.open(":memory:", clock=self.clock)
        self.log = self.store.session("other").log
        commit = OpenFile.commit

        def counted(file: OpenFile, transaction: Any) -> None:
            if transaction.parent is None and self.left:
                if not self.left[0]:
                    raise Killed
                self.left[0] -= 1
            commit(file, transaction)

        self.patch.setattr(OpenFile, "commit", counted)
        self.begin()

    def begin(self) -> None:
        """Start another bridge."""
        self.current = HudStore(self.log, clock=self.clock)
        self.bridge = self.handlers(self.current)

    def __call__(self, kind: str, given: Mapping[str, Any]) -> str:
        """Tell something until there is an answer, and say that it arrived."""
        self.told += 1
        name = f"plugin.{self.told}" if self.numbered else f"hook{self.told}"
        request = request_of(kind, json.dumps(given).encode(), name if self.has_ids else "")
        for after in self.points(8):
            self.left = [after]
            with suppress(Killed):
                place.answer_of(self.bridge, request)
            is_whole = self.left[0] > 0
            self.kills += 1
            self.begin()  # also where all was done, but for the answer
            if is_whole:
                break
        self.left = []
        answer: Answer = place.answer_of(self.bridge, request)
        if answer.arrived is not None:
            answer.arrived()
        if kind.endswith("-call"):
            self.answers.append(answer.text)
        return answer.text

    def events(self) -> list[tuple[object, ...]]:
        """All that was recorded, but for ids and times."""
        return [
            (each.session_id, each.version, each.type, each.turn, each.actor, each.payload)
            for _, each in self.log.read_all()
        ]

    def states(self) -> dict[str, Any]:
        return {name: self.current.session(name).state() for name in self.current.sessions()}


def never(_: int) -> Iterator[int]:
    return iter(())


def everywhere(most: int) -> Iterator[int]:
    return iter(range(most))


def once(after: int) -> Callable[[int], Iterator[int]]:
    return lambda _: iter((after,))


def twice_at_its_end(most: int) -> Iterator[int]:
    return iter((most, most))


POINTS: list[Callable[[int], Iterator[int]]] = [everywhere]
if os.environ.get("UJSX_KILLS"):  # `make crash`
    POINTS += [once(0), once(1), once(2), twice_at_its_end]


def claude_code(bridges: Bridges, folder: Path) -> None:
    transcript = folder / "s.jsonl"
    transcript.write_text(message(20_000))
    claude = Claude(bridges, transcript=transcript, joins=True)
    claude.begins()
    claude.asked("Add a login with JWT.")
    claude.works("Bash", {"command": "pytest tests/a.py"}, FAILURE, failed=True)
    claude.hud("notes.add", content="Port 8080")
    claude.hud("notes.ad", content="no such operation")
    claude.hud("steps.add", description="Look at it")
    claude.hud("steps.remove", id="Look at it")
    for used in (30_000, 40_000):
        with transcript.open("a") as file:
            file.write(message(used))
        claude.works("Read", {"file_path": "/srv/shop/app.py"}, "import jwt")
    claude.works("Edit", {"file_path": "/srv/shop/a.py"}, "done")
    claude.event("TaskCreated", task_id="1", task_subject="Write the middleware")
    child = Claude(bridges, agent="a1", joins=True)
    child.event("SubagentStart", agent_type="Explore")
    child.works("Edit", {"file_path": "/srv/shop/b.py"}, "done")
    child.hud("notes.add", content="Found it")
    child.event("SubagentStop", agent_type="Explore", last_assistant_message="Done.")
    claude.event("TaskCompleted", task_id="1", task_subject="Write the middleware")
    claude.event("PreCompact", trigger="auto")
    claude.agent = "a2"
    claude.event("SubagentStop", agent_type="", last_assistant_message="The login is begun.")
    claude.agent = None
    claude.begins("compact")
    claude.works("Bash", {"command": "pytest tests/a.py"}, "1 passed")
    claude.hud("notes.add", content="Port 9090")
    claude.begins("compact")  # of which nobody has said a summary
    claude.asked("Now the rate limit for wrong attempts, with its tests.")
    claude.event("SessionEnd", reason="exit")


def codex(bridges: Bridges, folder: Path) -> None:
    player = Player(folder, lambda: bridges.current, bridges.clock)  # type: ignore[arg-type]
    player.ask = bridges
    for _ in player.play(recorded()):
        pass


def opencode(bridges: Bridges, folder: Path) -> None:
    class Told(Client):
        def ask(self, kind: str = "hook", *, arrives: bool = True, **event: Any) -> dict[str, Any]:
            given = {"line": [*self.parents, self.session], "directory": "/srv/shop", **event}
            text = bridges({"hook": "opencode"}.get(kind, "opencode-call"), given)
            return dict(json.loads(text)) if text else {}

    client = Told(OpenCode(lambda: bridges.current))
    client.says("Add a login with JWT.")
    info = {"id": "msg_a", "role": "assistant", "modelID": "claude-x", "providerID": "p"}
    client.event("message.updated", info=info)
    client.works("read", {"filePath": "/srv/shop/app.py"}, "import jwt")
    client.works("bash", {"command": "pytest tests/a.py"}, FAILURE, exit=1)
    done = {**info, "tokens": {"input": 50_000, "output": 1}, "time": {"completed": 1}}
    client.event("message.updated", info=done)
    client.hud("notes.add", content="Port 8080")
    client.hud("notes.remove", id="Port 8080")
    client.hud("notes.add", content="Port 8081")
    client.event("todo.updated", todos=[{"content": "Read", "status": "completed"}])
    child = Told(OpenCode(lambda: bridges.current), session="ses_2", parents=("ses_1",))
    child.works("edit", {"filePath": "/srv/shop/b.py"})
    child.hud("notes.add", content="Found it")
    client.says("Now write the whole shop anew in COBOL instead, please.")
    client.event("message.removed", messageID=client.history[-1])
    client.event("experimental.session.compacting")
    for name in ("msg_summary", "msg_next"):
        summary = {"id": name, "text": "We added a login."}
        client.ask(type="session.compacted", properties={}, summary=summary)
        client.history, client.summary = [name], summary
        client.request()
    client.event("message.updated", info={**info, "id": "msg_b"})
    client.works("bash", {"command": "pytest tests/a.py"}, "1 passed", exit=0)


SUMMARIES = {
    "claude_code": "The login is begun.",
    "codex": "The login was begun.",
    "opencode": "We added a login.",
}


def handlers_of(store: HudStore) -> Mapping[str, Handler]:
    claude, others, own = ClaudeCode(lambda: store), Codex(lambda: store), OpenCode(lambda: store)
    return {
        "claude-code": claude.hook, "claude-code-call": claude.call, "codex": others.hook,
        "codex-call": others.call, "opencode": own.hook, "opencode-call": own.call,
    }  # fmt: skip


def told(
    host: Callable[[Bridges, Path], None],
    folder: Path,
    points: Callable[[int], Iterator[int]],
    *,
    has_ids: bool = True,
) -> Bridges:
    """Let a host tell its session, with kills."""
    folder.mkdir()
    clock = Clock() if host is codex else lambda: 0
    with pytest.MonkeyPatch.context() as patch:
        bridges = Bridges(
            handlers_of, patch, points, clock, numbered=host is opencode, has_ids=has_ids
        )
        host(bridges, folder)
    return bridges


@pytest.mark.parametrize("host", [claude_code, codex, opencode])
def test_a_kill_anywhere_changes_nothing(
    host: Callable[[Bridges, Path], None], tmp_path: Path
) -> None:
    plain = told(host, tmp_path / "plain", never)
    kinds = {kind for _, _, kind, *_ in plain.events()}
    assert kinds >= {"compact.after", "note.add", "context.snapshot", "error.resolved"}
    assert SUMMARIES[host.__name__] in str(plain.events())
    for number, points in enumerate(POINTS):
        killed = told(host, tmp_path / str(number), points)
        assert killed.kills >= plain.told
        assert killed.events() == plain.events()
        assert killed.states() == plain.states()
        assert killed.answers == plain.answers


@pytest.mark.parametrize("host", [claude_code, codex, opencode])
def test_an_id_changes_nothing_for_who_is_told_once(
    host: Callable[[Bridges, Path], None], tmp_path: Path
) -> None:
    """Nothing of a telling is taken for one that was told before."""
    plain = told(host, tmp_path / "plain", never)
    other = told(host, tmp_path / "other", never, has_ids=False)
    assert other.events() == plain.events()


def tell(name: str, work: Callable[[], object]) -> None:
    """Do what a telling leads to, as a bridge does."""

    def answer(_: bytes) -> Answer:
        work()
        return Answer()

    place.answer_of({"x": answer}, request_of("x", b"", name))


def observes(host: HostSession, *seen: Any, **keep: object) -> Callable[[], object]:
    return lambda: host.observe(*seen, keep=keep)


class TestHeard:
    """What is kept beside the log."""

    def test_what_is_told_twice_is_recorded_once_by_whomever(self) -> None:
        with HudStore.open(":memory:") as store:
            one, other = (HostSession.of(store, "s") for _ in range(2))
            for host in (one, other, one):
                tell("a.3", observes(host, AgentMessage(), Compacted(summary="So far.")))
            tell("a.4", observes(other, Compacted(summary="So far.")))
            assert store.session("s").turn == 1
            assert store.session("s").state().session.compactions == 2  # type: ignore[union-attr]

    def test_a_session_that_cannot_be_opened_yet_hears_it_once(self) -> None:
        with HudStore.open(":memory:") as store:
            broken = [True]

            def opened() -> HudStore:
                if broken[0]:
                    raise OSError(28, "No space left on device")
                return store

            host = HostSession.of(opened, "s", on_warning=lambda _: None)
            for _ in range(2):
                tell("a.3", observes(host, AgentMessage(), Compacted(summary="So far."), x=1))
            assert host.kept("x") == 1
            broken[0] = False
            assert host.flush() == 0
            assert (store.session("s").turn, host.kept("x")) == (1, 1)

    def test_the_last_32_who_told_are_known(self) -> None:
        with HudStore.open(":memory:") as store:
            host = HostSession.of(store, "s")
            for number in (*range(40), 39, 8, 0):  # the first is forgotten by then
                tell(f"t{number}", observes(host, Compacted(summary="So far.")))
            assert store.session("s").state().session.compactions == 41  # type: ignore[union-attr]

    def test_many_readers_do_not_take_its_place(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            HostSession(session).observe(keep={"x": 1})
            for number in range(70):
                session.delivered(session.deliver(reader=f"agent {number}").id)
            assert len({each.reader for each in session.log.deliveries("s")}) == 64
            assert HostSession.of(store, "s").kept("x") == 1

    def test_secrets_are_masked_and_half_a_character_is_no_trouble(self) -> None:
        secret = "ghp_" + "a1B2" * 9
        with HudStore.open(":memory:") as store:
            host = HostSession.of(store, "s")
            for number in range(2):  # what was kept already stays masked beside what is new
                host.observe(keep={"summary": f"{secret} \ud83d", "failed": ["c"], "n": number})
                [row] = store.session("s").log.deliveries("s", "(told)")
                assert secret not in row.body
            again = HostSession.of(store, "s")
            assert [again.kept(each) for each in ("failed", "n")] == [["c"], 1]
            assert again.kept("summary").startswith("[secret: ")

    def test_where_secrets_are_refused_it_is_still_known_what_was_told(self) -> None:
        with HudStore.open(":memory:", secrets="refuse") as store:
            for _ in range(2):
                host = HostSession.of(store, "s", on_warning=lambda _: None)
                seen = Compacted(summary="So far.")
                tell("a.3", observes(host, seen, summary="ghp_" + "a1B2" * 9))
            assert store.session("s").state().session.compactions == 1  # type: ignore[union-attr]
            assert HostSession.of(store, "s").kept("summary") is None

    def test_a_row_of_another_form_is_none(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            HostSession(session).observe(keep={"x": 1})
            [row] = session.log.deliveries("s", "(told)")
            for body in ('{"told": []}', '{"delivery": {"version": 1}, "told": {"tellers": 3}}'):
                session.log.save_delivery(type(row)(row.session_id, row.reader, row.id, True, body))
                assert HostSession.of(store, "s").kept("x") is None

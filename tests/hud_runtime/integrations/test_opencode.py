"""What OpenCode's plugin tells, what that means, and what it is answered."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore
from hud_runtime.history import memory_toolset
from hud_runtime.integrations.opencode import OpenCode
from tests.hud_components.changes.reading import read
from tests.hud_runtime.history.databases import small
from tests.warm import python

ROOT = Path(__file__).parents[3]


@dataclass
class Client:
    """A running OpenCode with our plugin in it, as far as the bridge can tell."""

    bridge: OpenCode
    session: str = "ses_1"
    parents: tuple[str, ...] = ()
    mode: str = "append"
    history: list[str] = field(default_factory=list[str])
    """Ids of messages."""
    news: list[str] = field(default_factory=list[str])
    summary: dict[str, str] | None = None

    def ask(self, kind: str = "hook", *, arrives: bool = True, **event: Any) -> dict[str, Any]:
        """Ask, and say that the answer has arrived."""
        line = [*self.parents, self.session]
        given = {"line": line, "directory": "/srv/shop", **event}
        answer = getattr(self.bridge, kind)(json.dumps(given).encode())
        if arrives and answer.arrived is not None:
            answer.arrived()
        told = json.loads(answer.text) if answer.text else {}
        self.news += [told["news"]] if "news" in told else []
        return dict(told)

    def event(self, type_: str, **properties: Any) -> dict[str, Any]:
        """Pass on an event of the host's."""
        return self.ask(type=type_, properties={"sessionID": self.session, **properties})

    def says(self, text: str) -> list[str]:
        """Let the user say something, and return what stands in the request."""
        name = self._message()
        parts = [{"type": "text", "text": text}, {"type": "text", "text": "*", "synthetic": True}]
        self.ask(type="chat.message", message={"id": name}, parts=parts)
        return self.request()

    def works(
        self, tool: str, args: dict[str, Any], output: str = "ok", **metadata: Any
    ) -> list[str]:
        """Let the model call a tool, and return what stands in the next request."""
        self._message()
        told = {"output": output, "metadata": metadata}
        call = f"call_{len(self.history)}"
        self.ask(type="tool.execute.after", tool=tool, callID=call, args=args, output=told)
        return self.request()

    def hud(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Let the model call its HUD's tool."""
        call = {"op": operation, **arguments}
        return self.ask("call", tool="hud", arguments={"call": call})

    def request(self, **more: Any) -> list[str]:
        """Return what of the HUD stands in the next request, in order."""
        return [each["text"] for each in self.asked(**more)["said"]]

    def asked(self, **more: Any) -> dict[str, Any]:
        """Return what is answered before the next request."""
        told = {"messages": self.history, "mode": self.mode, "summary": self.summary}
        return self.ask(type="request", **{**told, **more})

    def _message(self) -> str:
        self.history.append(f"msg_{len(self.history)}")
        return self.history[-1]


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


@pytest.fixture
def client(store: HudStore) -> Client:
    return Client(OpenCode(lambda: store))


def known(said: list[str]) -> set[str]:
    start = max(n for n, each in enumerate(said) if not each.startswith("# HUD changes"))
    return {each.text for each in read(said[start], said[start + 1 :])}


class TestDeliveries:
    def test_appended_words_are_there_again_and_each_request_begins_with_the_one_before(
        self, client: Client
    ) -> None:
        client.hud("notes.add", content="The worker listens on port 8080, behind the proxy")
        client.hud("decisions.record", summary="Use JWT", details="it needs no table of its own")
        before = client.says("Add a login with JWT.")
        assert before[0].startswith("# HUD\n")
        for number in range(12):
            client.hud("notes.add", content=f"Endpoint {number} listens on {8000 + number}")
            now = client.works("edit", {"filePath": f"/srv/shop/e{number}.py"})
            assert now[: len(before)] == before
            before = now
        assert "- Endpoint 11 listens on 8011" in known(before)
        assert client.works("bash", {"command": "ls"}) == before

    def test_what_calls_and_results_show_is_not_told(self, client: Client) -> None:
        before = client.says("Add a login with JWT.")
        for tool, args, output in (
            ("edit", {"filePath": "/srv/shop/login.py"}, "ok"),
            ("bash", {"command": "make test-login"}, "1 failed"),
        ):
            told = {"output": output, "metadata": {"exit": int(output != "ok")}}
            client.ask(type="tool.execute.after", tool=tool, callID=tool, args=args, output=told)
        prompt = {"by": "user", "text": "Add a login with JWT."}
        works = {"by": "assistant", "text": "", "calls": "/srv/shop/login.py", "results": "ok"}
        checks = {**works, "calls": '{"command":"make test-login"}', "results": "1 failed"}
        assert client.request(said=[prompt, works, checks]) == before
        (now,) = client.request(said=[prompt, works])[len(before) :]
        assert "make test-login" in now
        assert "login.py" not in now

    def test_l3_intervention_is_asked_for_until_it_was_prompted(self, client: Client) -> None:
        client.says("Add a login with JWT.")
        info = {
            "id": "msg_a",
            "role": "assistant",
            "modelID": "claude-x",
            "tokens": {"input": 190_000, "output": 10},
        }
        client.event("message.updated", info=info)
        asked = [client.asked(prompts=True) for _ in range(2)]
        assert all(each["intervention"].startswith("[Memory Pressure: 95%") for each in asked)
        assert all("Memory Pressure" not in each["text"] for told in asked for each in told["said"])
        client.ask(type="intervened")
        assert "intervention" not in client.asked(prompts=True)

    def test_l3_intervention_stays_in_the_requests_of_a_host_without_prompts(
        self, client: Client
    ) -> None:
        client.says("Add a login with JWT.")
        info = {
            "id": "msg_a",
            "role": "assistant",
            "modelID": "claude-x",
            "tokens": {"input": 190_000, "output": 10},
        }
        client.event("message.updated", info=info)
        before = client.works("bash", {"command": "ls"})
        assert before[-1].startswith("[Memory Pressure: 95%")
        after = client.works("bash", {"command": "ls"})
        assert after == before
        assert "intervention" not in client.asked(prompts=True)

    def test_places_are_behind_messages(self, client: Client) -> None:
        client.says("Add a login with JWT.")
        client.history.append("msg_answer")
        client.hud("notes.add", content="Port 8080")
        assert [each["behind"] for each in client.asked()["said"]] == [1, 2]

    def test_what_did_not_arrive_was_not_said(self, client: Client) -> None:
        client.says("Add a login with JWT.")
        client.hud("notes.add", content="Port 8080")
        client.history.append("msg_answer")
        lost = client.asked(arrives=False)["said"]
        client.history.append("msg_more")
        again = client.asked()["said"]
        assert [each["behind"] for each in lost] == [1, 2]
        assert [each["behind"] for each in again] == [1, 3]

    def test_another_process_goes_on_with_the_same_words(
        self, client: Client, store: HudStore
    ) -> None:
        client.says("Add a login with JWT.")
        before = client.works("read", {"filePath": "/srv/shop/app.py"})
        client.bridge = OpenCode(lambda: store)
        assert client.request() == before

    def test_a_summary_is_one_compaction_whoever_tells_of_it(
        self, client: Client, store: HudStore
    ) -> None:
        client.says("Add a login with JWT.")
        guidance = client.event("experimental.session.compacting")["context"]
        assert "be brief about" in guidance
        assert "JWT" not in guidance
        summary = {"id": "msg_summary", "text": "We added a login."}
        client.ask(type="session.compacted", properties={}, summary=summary)
        client.history = ["msg_compaction", "msg_summary"]
        client.summary = summary
        [whole] = client.request()
        assert whole.startswith("# HUD\n")
        assert client.request() == [whole]
        client.bridge = OpenCode(lambda: store)
        assert client.request() == [whole]
        client.event("session.compacted")  # of which nobody could say what it left
        client.summary = {"id": "msg_next", "text": "We added a login."}
        client.history = ["msg_compaction_2", "msg_next"]
        again = client.request()
        assert again[0].startswith("# HUD\n")
        assert client.request() == again
        state = store.session("ses_1").state()
        assert state.session is not None
        assert state.session.compactions == 2

    def test_tail_has_all_of_it_in_each_request(self, client: Client) -> None:
        for told in self.fleeting(client, "tail"):
            assert told["tail"].count("# HUD") == 1
            assert told["system"] == ""

    def test_system_has_the_static_part_in_the_prompt_and_the_rest_at_the_end(
        self, client: Client
    ) -> None:
        for told in self.fleeting(client, "system"):
            assert "Add a login with JWT." in told["system"]
            assert "# HUD" not in told["tail"]

    @staticmethod
    def fleeting(client: Client, mode: str) -> list[dict[str, Any]]:
        """What goes into two requests, of which each has all."""
        client.mode = mode
        client.says("Add a login with JWT.")
        client.hud("notes.add", content="Port 8080")
        told = [client.asked(), client.asked()]
        for each in told:
            text = each["system"] + each["tail"]
            assert each["said"] == []
            assert all(one in text for one in ("Add a login with JWT.", "Port 8080"))
        return told

    def test_n1_without_a_session_there_is_nothing(self, client: Client) -> None:
        client.session = ""
        assert client.ask(type="request", messages=["msg_1"]) == {}
        assert client.ask("call", tool="hud", arguments={}) == {}

    @pytest.mark.parametrize(
        "given", [b"", b"{", b"[]", b'{"line": 3}', b"\xff", b'{"line": [""]}']
    )
    def test_what_is_no_event_is_answered_by_nothing(self, client: Client, given: bytes) -> None:
        assert client.bridge.hook(given).text == ""
        assert client.bridge.call(given).text == ""


class TestObservations:
    def test_e5_files_checks_and_errors_are_read_as_from_an_export(
        self, client: Client, store: HudStore
    ) -> None:
        client.says("Add a login with JWT.")
        client.works("read", {"filePath": "/srv/shop/app.py"}, "import jwt")
        client.works("edit", {"filePath": "/srv/shop/login.py"})
        failure = "FAILED tests/a.py::test_x - assert 0\n1 failed"
        said = client.works("bash", {"command": "pytest tests/a.py"}, failure, exit=1)
        assert "tests/a.py::test_x" in said[-1]
        state = store.session("ses_1").state()
        assert [each.result for each in state.checks] == ["fail"]
        assert [(each.path, each.status) for each in state.active_files] == [
            ("app.py", "reading"),
            ("login.py", "editing"),
        ]
        client.works("bash", {"command": "pytest tests/a.py"}, "1 passed", exit=0)
        assert [each.resolved for each in store.session("ses_1").state().errors] == [True]

    def test_a_tool_that_raised_is_told_by_its_part(self, client: Client, store: HudStore) -> None:
        client.says("Add a login with JWT.")
        state = {
            "status": "error",
            "input": {"filePath": "/srv/shop/b.py"},
            "error": "No such file b.py",
        }
        part = {"type": "tool", "tool": "edit", "callID": "call_9", "state": state}
        client.event("message.part.updated", part=part)
        assert "b.py" in store.session("ses_1").state().errors[0].message

    def test_a_tool_of_a_server_answers_in_blocks(self, client: Client, store: HudStore) -> None:
        client.says("Add a login with JWT.")
        blocks = [{"type": "text", "text": "FAILED a.py::test_x - assert 0\n1 failed"}]
        told = {"content": blocks, "metadata": {"exit": 1}}
        args = {"command": "pytest a.py"}
        client.ask(type="tool.execute.after", tool="shop_bash", callID="c", args=args, output=told)
        client.ask(type="tool.execute.after", tool="bash", callID="d", args=args, output=told)
        assert "test_x" in store.session("ses_1").state().errors[0].message

    def test_answers_tell_the_context(self, client: Client, store: HudStore) -> None:
        tokens = {"total": 50_001, "input": 2_000, "output": 1, "reasoning": 0, "cache": {"read": 48_000, "write": 0}}  # fmt: skip
        info = {"id": "msg_a", "role": "assistant", "modelID": "claude-x", "providerID": "p"}
        client.ask(type="message.updated", properties={"info": info}, limit=640_000)
        done = {"info": {**info, "tokens": tokens, "time": {"completed": 1}}}
        client.ask(type="message.updated", properties=done, limit=640_000)
        session = store.session("ses_1")
        usage = session.state().usage
        assert usage is not None
        assert (usage.used, usage.limit, usage.model) == (50_001, 640_000, "claude-x")
        assert session.turn == 1

    def test_n2_the_hosts_events_become_state(self, client: Client, store: HudStore) -> None:
        client.says("Add a login with JWT.")
        todos = [
            {"content": "Read", "status": "completed", "priority": "high"},
            {"content": "Write", "status": "pending", "priority": "low"},
        ]
        client.works("todowrite", {"todos": todos})
        client.event("todo.updated", todos=todos)
        client.event("file.edited", file="/srv/shop/login.py")
        client.event("session.updated", info={"id": "ses_1", "title": "New session - 2026-11-23"})
        client.event("session.updated", info={"id": "ses_1", "title": "The login"})
        state = store.session("ses_1").state()
        assert [(each.description, each.completed) for each in state.next_steps] == [
            ("Read", True),
            ("Write", False),
        ]
        assert [each.path for each in state.active_files] == ["login.py"]
        assert state.session is not None
        assert state.session.title == "The login"

    def test_a_message_that_is_taken_back_was_not_asked(
        self, client: Client, store: HudStore
    ) -> None:
        client.says("Add a login with JWT.")
        client.says("Now write the whole shop anew in COBOL instead, please.")
        assert "COBOL" in store.session("ses_1").state().task.description  # type: ignore[union-attr]
        client.event("message.removed", messageID="msg_1")
        assert "JWT" in store.session("ses_1").state().task.description  # type: ignore[union-attr]

    def test_f4_the_tool_memory_reads_what_the_host_keeps(
        self, store: HudStore, tmp_path: Path
    ) -> None:
        memory = memory_toolset(small(tmp_path / "opencode.db"))
        client = Client(OpenCode(lambda: store, toolsets=[memory]), session="ses_login")
        told = client.ask("call", tool="memory", arguments={"call": {"op": "messages"}})
        assert "Five attempts an hour." in told["text"]
        client.parents, client.session = ("ses_login",), "ses_sub"
        told = client.ask("call", tool="memory", arguments={"call": {"op": "messages"}})
        assert "Look for the middleware" in told["text"]
        client.ask("call", tool="memory", arguments={"tool": "hud_note", "args": {"note": "Found"}})
        [child] = [each for each in store.sessions() if "/" in each]
        assert [each.content for each in store.session(child).state().notes] == ["Found"]

    def test_a_refusal_says_so(self, client: Client) -> None:
        told = client.hud("notes.ad", content="x")
        assert told["is_error"] is True
        assert "notes.add" in told["text"]

    def test_a_compaction_that_the_agent_wants_is_the_hosts_to_do(self, client: Client) -> None:
        assert client.ask("call", tool="hud_compact", arguments={})["compacts"] is True
        assert client.hud("notes.list")["compacts"] is False


class TestWordsOfTheRequest:
    def test_are_not_told_while_they_stand_in_it(self, client: Client) -> None:
        prompt = {"by": "user", "text": "Add a login with JWT."}
        answer = {"by": "assistant", "text": "I add a login with JWT."}
        client.ask(
            type="chat.message",
            message={"id": "m"},
            parts=[{"type": "text", "text": prompt["text"]}],
        )
        client.hud("notes.add", content="Port 8080")
        [told] = client.request(messages=["m"], said=[prompt, answer])
        assert "Port 8080" in told
        assert "login" not in told
        assert "login" in "".join(client.request(messages=["m"], said=[answer]))


class TestSessions:
    def test_a_subagent_is_a_child(self, client: Client, store: HudStore) -> None:
        client.says("Add a login with JWT.")
        child = Client(client.bridge, session="ses_2", parents=("ses_1",))
        assert "JWT" in child.request(messages=["msg_c"])[0]
        child.hud("notes.add", content="found by the child")
        child.works("read", {"filePath": "/srv/shop/deep.py"})
        assert any("deep.py" in each for each in client.works("bash", {"command": "ls"}))
        assert store.session("ses_1").state().notes == ()
        inner = store.session("ses_1/ses_2").state()
        assert [each.content for each in inner.notes] == ["found by the child"]

    def test_a_subagent_of_a_subagent_has_a_session_and_words_of_its_own(
        self, client: Client, store: HudStore
    ) -> None:
        client.says("Add a login with JWT.")
        child = Client(client.bridge, session="ses_2", parents=("ses_1",))
        inner = Client(client.bridge, session="ses_3", parents=("ses_1", "ses_2"))
        for each in (child, inner):
            assert "JWT" in each.request(messages=["msg_0"])[0]
        inner.hud("notes.add", content="found deep down")
        assert store.session("ses_1/ses_2").state().notes == ()
        assert child.request(messages=["msg_0"]) == child.request(messages=["msg_0"])
        again = Client(OpenCode(lambda: store), session="ses_3", parents=("ses_1", "ses_2"))
        assert "found deep down" in "\n".join(again.request(messages=["msg_0"]))

    def test_one_that_is_deleted_is_gone_with_all_that_was_told(
        self, client: Client, store: HudStore
    ) -> None:
        child = Client(client.bridge, session="ses_2", parents=("ses_1",))
        for each in (client, child):
            each.says("Add a login with JWT.")
        child.event("session.deleted")
        assert [*store.sessions()] == ["ses_1"]
        client.event("session.deleted")
        assert [*store.sessions()] == []
        client.event("session.deleted")
        assert client.news == []

    def test_more_sessions_than_are_kept_in_mind(self, store: HudStore) -> None:
        bridge = OpenCode(lambda: store)
        clients = [Client(bridge, session=f"ses_{number}") for number in range(70)]
        said = [each.says(f"Add the endpoint number {n}.") for n, each in enumerate(clients)]
        assert [each.request() for each in clients] == said


class TestFaults:
    def test_no_fault_takes_words_away_and_it_is_said_once(
        self, client: Client, store: HudStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = client.says("Add a login with JWT.")

        def fail(*_: object, **__: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(HudSession, "deliver", fail)
            for _ in range(2):
                assert client.works("edit", {"filePath": "/srv/shop/a.py"}) == before
        assert len(client.news) == 1
        assert "a.py" in client.request()[-1]

    def test_a_store_that_cannot_be_opened_is_tried_again(self) -> None:
        stores: list[HudStore] = []

        def opened() -> HudStore:
            if not stores:
                raise OSError("the disk is away")
            return stores[0]

        client = Client(OpenCode(opened))
        assert client.says("Add a login with JWT.") == []
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            stores.append(store)
            assert "Add a login with JWT." in client.request()[0]

    def test_a_locked_store_loses_nothing_and_no_words_change_their_place(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as first:
            bridge = OpenCode(lambda: first)
            client = Client(bridge)
            before = client.says("Add a login with JWT.")
        from hud_runtime.log.store import SqliteEventStore

        with HudStore(SqliteEventStore(path, busy_timeout=20)) as store:
            client.bridge = OpenCode(lambda: store)
            client.request()
            times = iter(range(0, 10_000, 10))
            client.bridge._sessions.of({"session_id": "ses_1"})._breaker._clock = times.__next__
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                assert client.works("edit", {"filePath": "/srv/shop/a.py"}) == before
                other.execute("ROLLBACK")
            now = client.works("edit", {"filePath": "/srv/shop/b.py"})
            assert now[: len(before)] == before
            assert "a.py" in now[-1]
            assert "b.py" in now[-1]
            assert len(client.news) == 1

    def test_two_programs_with_one_store_stay_apart(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            clients = [
                Client(OpenCode(lambda: one), session="ses_a"),
                Client(OpenCode(lambda: two), session="ses_b"),
            ]
            for number in range(5):
                for each in clients:
                    each.hud("notes.add", content=f"{number} of {each.session}")
                    said = each.works("bash", {"command": "ls"})
                    assert f"{number} of {each.session}" in "".join(said)
            for each, other in zip(clients, reversed(clients), strict=True):
                text = "".join(each.request())
                assert all(f"{number} of {each.session}" in text for number in range(5))
                assert other.session not in text


class TestProgram:
    """The bridge as the plugin starts it."""

    def test_it_answers_in_order_and_takes_in_the_last_before_it_ends(self, tmp_path: Path) -> None:
        call = [*python(), "-P", "-m", "hud_runtime", "bridge", "--stdio"]
        call += ["--store", str(tmp_path / "hud.db")]
        given = b""
        message = {"type": "chat.message", "message": {"id": "m"}, "parts": [{"type": "text", "text": "Add a login."}]}  # fmt: skip
        for number, event in enumerate([message, {"type": "request", "messages": ["m"]}, message]):
            body = json.dumps({"line": [f"ses_{number // 2}"], **event}).encode()
            given += b"opencode %d\n" % len(body) + body
        done = subprocess.run(
            call, input=given, capture_output=True, check=True, timeout=60, cwd=ROOT
        )
        empty, head, rest = done.stdout.split(b"\n", 2)
        assert empty == b"0"
        answer, rest = rest[: int(head)], rest[int(head) :]
        assert "Add a login." in json.loads(answer)["said"][0]["text"]
        assert rest == b"0\n"
        assert done.stderr == b""
        with HudStore.open(tmp_path / "hud.db") as store:
            assert {*store.sessions()} == {"ses_0", "ses_1"}

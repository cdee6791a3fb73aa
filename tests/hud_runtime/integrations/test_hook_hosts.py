"""Hosts that are rows of the table: recorded sessions of the real clients, told again.

``recorded/qwen-code.jsonl`` is a session of Qwen Code 0.24.4, ``recorded/gemini-cli.jsonl`` one of Gemini CLI 0.61.0,
``recorded/copilot.jsonl`` one of Copilot CLI 1.0.102: steps with calls, a check that fails and is mended, a decision by the
tool, a compaction, resumes and, but in Gemini CLI, a subagent. A line is what a hook was given, or what the client's session file then held of a reading or a compaction.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.cli import main
from tests.hosts.told import misses
from tests.hud_runtime.integrations.claude import asking
from tests.hud_runtime.integrations.inside import HOOK_HOSTS, HookedHost, client

ROWS = ("qwen-code", "gemini-cli", "copilot")


def recorded(name: str) -> list[dict[str, Any]]:
    """Return the lines of a session."""
    path = Path(__file__).parent / "recorded" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass
class Player:
    """A client that gives hooks what was recorded, and makes the calls of the HUD's tool."""

    name: str
    folder: Path
    store: HudStore
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By session, or subagent in it: what the model was told since its history began."""
    answers: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start the process that answers; one that was there is gone with all that it had in mind."""
        host = HookedHost(lambda: self.store, HOOK_HOSTS[self.name])
        self.ask = asking({"hook": host.hook, "call": host.call})

    def play(self, lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Tell lines, and yield each hook's input after it was answered."""
        for line in lines:
            if "file" in line:
                path = self.folder / line["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line["record"]) + "\n")
                if "chat_compression" in str(line) or "state_snapshot" in str(line):
                    for each in self.read.values():
                        del each[:-1]  # the newest results stay
            else:
                self.hook(line["hook"])
                yield line["hook"]

    def hook(self, event: dict[str, Any]) -> str:
        """Run a hook, with the call that follows it, and return what the model reads of it."""
        if "transcript_path" in event:
            event = {**event, "transcript_path": str(self.folder / event["transcript_path"])}
        said = self.ask("hook", event)
        tool = str(event.get("tool_name", ""))
        prefix = HOOK_HOSTS[self.name].tool_prefix
        if event["hook_event_name"] in ("PreToolUse", "BeforeTool") and tool.startswith(prefix):
            given = {"tool": tool.removeprefix(prefix), "arguments": event["tool_input"]}
            self.answers.append(json.loads(self.ask("call", given))["text"])
        answer: dict[str, Any] = json.loads(said) if said else {}
        member = HOOK_HOSTS[self.name].member
        own: dict[str, Any] = answer if member else answer.get("hookSpecificOutput", {})
        if "additionalContext" not in own:
            return ""
        assert own.get("hookEventName") in (None, event["hook_event_name"])
        text = str(own["additionalContext"])
        if "Compact" not in event["hook_event_name"]:
            self.read[reader(event)].append(text)
        return text


def reader(event: dict[str, Any]) -> str:
    agent, session = event.get("agent_id"), event.get("parent_agent_id", event["session_id"])
    return f"{session}/{agent}" if agent else str(session)


def is_read(event: dict[str, Any]) -> bool:
    """Whether a request of the model follows that reads what this hook says."""
    name = event["hook_event_name"]
    is_prompt = name in ("UserPromptSubmit", "BeforeAgent") and bool(event["prompt"])
    return is_prompt or name in ("PostToolBatch", "AfterTool", "PostToolUse", "PostToolUseFailure")


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


@pytest.fixture
def player(
    tmp_path: Path, store: HudStore, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Player]:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    return lambda name: Player(name, tmp_path, store)


def gaps(player: Player, event: dict[str, Any]) -> set[str]:
    """What the model does not know of the session of a hook, or knows wrongly."""
    session = player.store.session(reader(event))
    wrong = misses(player.read[reader(event)], session, session.version)
    return {each for each in wrong if not each.startswith("- The history was compacted")}


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("name", ROWS)
class TestRecorded:
    @pytest.fixture(autouse=True)
    def _files_that_are_never_late(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "hud_runtime.integrations._hook_events.LATE", 0.0
        )  # they were recorded without most messages

    def test_what_each_request_reads_is_the_state(
        self, player: Callable[[str], Player], name: str, restarts: bool
    ) -> None:
        client, lines = player(name), recorded(name)
        looked = 0
        for event in client.play(lines):
            if is_read(event):
                assert gaps(client, event) == set(), event["hook_event_name"]
                looked += 1
            if restarts and event["hook_event_name"] not in ("PreToolUse", "BeforeTool"):
                client.begin()
        assert looked > 14

    def test_the_state_is_what_happened(
        self, player: Callable[[str], Player], store: HudStore, name: str, restarts: bool
    ) -> None:
        client, lines = player(name), recorded(name)
        for event in client.play(lines):
            if restarts and event["hook_event_name"] not in ("PreToolUse", "BeforeTool"):
                client.begin()
        session = next(line["hook"]["session_id"] for line in lines if "hook" in line)
        state = store.session(session).state()
        notes = [each.content for each in state.notes]
        assert notes == ["The worker listens on port 8080", "Five attempts an hour"]
        assert [each.summary for each in state.decisions] == ["Use JWT"]
        assert [each.description for each in state.next_steps] == ["Limit wrong attempts"]
        assert [each.resolved for each in state.errors] == [True]
        assert [each.result for each in state.checks] == ["pass"]
        assert [Path(each.path).name for each in state.active_files] == ["test_login.py"]
        assert state.session.compactions == 1
        assert state.usage is not None
        assert not any("no session" in each for each in client.answers)


def event(session: str, name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": session, "transcript_path": "none", "hook_event_name": name, **more}


class TestQwenCode:
    def test_a_prompt_of_the_hosts_own_is_answered_with_nothing(
        self, player: Callable[[str], Player]
    ) -> None:
        """The host keeps nothing of what is said with one, when it resumes."""
        client = player("qwen-code")
        assert client.hook(event("s", "UserPromptSubmit", prompt="")) == ""
        assert client.hook(event("s", "UserPromptSubmit", prompt="Add a login."))

    def test_equal_calls_of_two_sessions_are_made_in_both(
        self, player: Callable[[str], Player], store: HudStore
    ) -> None:
        client = player("qwen-code")
        given = {"call": {"op": "notes.add", "content": "Port 8080"}}
        for session in ("a", "b"):
            told = event(session, "PreToolUse", tool_name="mcp__ujsx__hud", tool_input=given)
            for _ in range(2):  # told again, it is the same call
                client.ask("hook", {**told, "tool_use_id": session})
        for _ in range(2):
            client.ask("call", {"tool": "hud", "arguments": given})
        assert [len(store.session(each).state().notes) for each in ("a", "b")] == [1, 1]
        assert "no session is known" in client.ask("call", {"tool": "hud", "arguments": given})

    def test_a_call_that_was_refused_takes_nobody_elses(
        self, player: Callable[[str], Player], store: HudStore
    ) -> None:
        client = player("qwen-code")

        def announce(session: str, note: str) -> None:
            given = {"call": {"op": "notes.add", "content": note}}
            told = event(session, "PreToolUse", tool_name="mcp__ujsx__hud", tool_input=given)
            client.ask("hook", {**told, "tool_use_id": f"{session}{note}{len(client.answers)}"})
            client.answers.append("")

        def call(server: int, note: str) -> None:
            given = {"call": {"op": "notes.add", "content": note}}
            client.ask("call", {"tool": "hud", "arguments": given, "server": server})

        def notes(session: str) -> list[str]:
            return [each.content for each in store.session(session).state().notes]

        announce("a", "Port 8080")
        call(1, "Port 8080")
        announce("a", "Port 8080")  # the person says no
        announce("b", "Port 8080")
        call(2, "Port 8080")
        assert (notes("a"), notes("b")) == (["Port 8080"], ["Port 8080"])
        announce("b", "Use JWT")
        announce("a", "Use JWT")  # and no again
        call(2, "Use JWT")
        assert (notes("a"), notes("b")) == (["Port 8080"], ["Port 8080", "Use JWT"])

    def test_a_call_without_its_hook_is_the_servers_session(
        self, player: Callable[[str], Player], store: HudStore
    ) -> None:
        given = {"call": {"op": "notes.add", "content": "Port 8080"}}
        player("qwen-code").ask("call", {"tool": "hud", "arguments": given, "session_id": "a"})
        assert [each.content for each in store.session("a").state().notes] == ["Port 8080"]

    def test_all_is_told_once_ahead_of_a_compaction(
        self, player: Callable[[str], Player], tmp_path: Path
    ) -> None:
        client = player("qwen-code")
        client.hook(event("s", "UserPromptSubmit", prompt="Add a login."))
        line = {
            "type": "assistant",
            "model": "qwen3-coder-plus",
            "usageMetadata": {"promptTokenCount": 166_000, "candidatesTokenCount": 1},
            "contextWindowSize": 200_000,
        }
        (tmp_path / "none").write_text(json.dumps(line) + "\n")
        batch = event("s", "PostToolBatch", tool_calls=[])
        long = "word " * 2_000  # results count as well
        calls = [{"tool_name": "x", "status": "success", "tool_response": {"llmContent": long}}]
        assert "# HUD\n" in client.hook({**batch, "tool_calls": calls})
        assert "# HUD\n" not in client.hook({**batch, "tool_calls": calls})
        client.hook(event("s", "PostCompact", compact_summary="The login was begun."))
        assert "# HUD\n" in client.hook({**batch, "tool_calls": calls})

    def test_a_busy_host_writes_that_it_is_full_behind_its_hook(
        self, player: Callable[[str], Player], tmp_path: Path
    ) -> None:
        client, file = player("qwen-code"), tmp_path / "none"
        client.hook(event("s", "UserPromptSubmit", prompt="Add a login."))
        file.write_text("")
        line = {
            "type": "assistant",
            "model": "qwen3-coder-plus",
            "message": {"parts": [{"functionCall": {"id": "call_1"}}]},
            "usageMetadata": {"promptTokenCount": 170_000, "candidatesTokenCount": 1},
            "contextWindowSize": 200_000,
        }
        late = Timer(0.1, file.write_text, [json.dumps(line) + "\n"])
        late.start()
        call = {"tool_name": "x", "tool_use_id": "call_1", "status": "success"}
        assert "# HUD\n" in client.hook(event("s", "PostToolBatch", tool_calls=[call]))
        late.join()

    @pytest.mark.parametrize(
        "broken",
        [
            {"tool_calls": [None, 1, {"tool_name": 3}, {"tool_name": "x", "tool_input": "no"}]},
            {"tool_calls": {"tool_name": "x"}},
            {"tool_name": "x", "tool_response": {"response_parts": "text"}},
            {"transcript_path": "\0"},
            {"transcript_path": "/"},
            {"agent_id": 3, "tool_calls": [{}]},
        ],
    )
    def test_no_event_ends_it(
        self, player: Callable[[str], Player], broken: dict[str, Any]
    ) -> None:
        for name in ROWS:
            client = player(name)
            for each in HOOK_HOSTS[name].events:
                client.ask("hook", {**event("s", each, prompt="Add a login."), **broken})
            assert client.read is not None


class TestCopilot:
    def test_all_is_told_behind_a_compaction_that_begins(
        self, player: Callable[[str], Player]
    ) -> None:
        """The summary comes later, and what is said from here on stays behind it."""
        client = player("copilot")
        client.hook(told("s", "UserPromptSubmit", prompt="Add a login."))
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        used = told("s", "PostToolUse", **call, tool_result={"text_result_for_llm": "one"})
        assert "# HUD\n" not in client.hook(used)
        assert client.hook(told("s", "PreCompact", trigger="auto")) == ""
        assert "# HUD\n" in client.hook(used)
        assert "# HUD\n" not in client.hook(used)

    def test_a_subagent_of_a_subagent_works_for_the_same_session(
        self, player: Callable[[str], Player], store: HudStore
    ) -> None:
        client = player("copilot")
        client.hook(told("s", "UserPromptSubmit", prompt="Add a login."))
        for agent, parent in (("a", "s"), ("b", "a"), ("c", "b")):
            inner = {"agent_id": agent, "parent_agent_id": parent, "prompt": f"Look for {agent}."}
            assert "Add a login." in client.hook(told(agent, "UserPromptSubmit", **inner))
        assert sorted(store.sessions()) == ["s", "s/a", "s/b", "s/c"]

    def test_a_call_that_fails_is_told_of(
        self, player: Callable[[str], Player], store: HudStore
    ) -> None:
        client = player("copilot")
        call = {"tool_name": "Bash", "tool_input": {"command": "pytest"}}
        client.hook(told("s", "PostToolUseFailure", **call, error="AssertionError: 1 failed"))
        assert [each.resolved for each in store.session("s").state().errors] == [False]

    def test_a_reading_from_before_a_compaction_is_none_behind_it(
        self, player: Callable[[str], Player], store: HudStore, tmp_path: Path
    ) -> None:
        """The client writes its file late."""
        client = player("copilot")
        path = tmp_path / "session-state" / "s" / "events.jsonl"
        path.parent.mkdir(parents=True)

        def write(time: str, tokens: int) -> None:
            usage = {"model": "gpt-4.1", "inputTokens": tokens, "maxPromptTokens": 64_000}
            line = {"type": "session.usage_record", "timestamp": time, "data": {"usage": usage}}
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")

        def used() -> int | None:
            client.begin()  # another process knows it as well
            client.hook(told("s", "PostToolUse", tool_name="Bash", tool_input={}, tool_result={}))
            usage = store.session("s").state().usage
            return None if usage is None else usage.used

        client.hook(told("s", "UserPromptSubmit", prompt="Add a login."))
        write("2026-11-27T22:00:00.000Z", 30_000)
        assert used() == 30_000
        client.hook(told("s", "PreCompact", timestamp="2026-11-27T22:00:02.000Z"))
        write("2026-11-27T22:00:01.000Z", 55_000)
        assert used() != 55_000
        write("2026-11-27T22:00:03.000Z", 9_000)
        assert used() == 9_000

    def test_a_reading_counts_what_was_cached_once(
        self, player: Callable[[str], Player], store: HudStore, tmp_path: Path
    ) -> None:
        usage = {
            "model": "gpt-4.1",
            "inputTokens": 12_000,
            "outputTokens": 5,
            "maxPromptTokens": 64_000,
        }
        mine = {
            "type": "session.usage_record",
            "data": {"usage": usage | {"cacheReadTokens": 9_000}},
        }
        inner = {**mine, "agentId": "a", "data": {"usage": usage | {"inputTokens": 500}}}
        folder = tmp_path / "session-state" / "s"
        folder.mkdir(parents=True)
        (folder / "events.jsonl").write_text(f"{json.dumps(mine)}\n{json.dumps(inner)}\n")
        player("copilot").hook(told("s", "UserPromptSubmit", prompt="Add a login."))
        state = store.session("s").state()
        assert state.usage is not None
        assert (state.usage.used, state.usage.limit) == (12_005, 64_000)


def told(session: str, name: str, **more: Any) -> dict[str, Any]:
    """An event that names no file."""
    return {"session_id": session, "hook_event_name": name, **more}


def test_each_host_has_its_sentence_where_the_bridge_cannot_be_started() -> None:
    assert client.FAILED.keys() == HOOK_HOSTS.keys()


def test_the_command_names_all_hosts_without_their_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["hook", "--help"]) == 0
    assert " or ".join(HOOK_HOSTS) in " ".join(capsys.readouterr().out.split())

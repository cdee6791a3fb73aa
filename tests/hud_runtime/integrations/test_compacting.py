"""F3, F6, H2: an agent's call, a level or a provider's error becomes what its host can do with it, for every host."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore, StoreFullError
from hud_runtime.context.compaction import OPENING, CompactionPolicy, ModelWindow
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.bridge import Answer
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.integrations.codex import Codex
from hud_runtime.integrations.opencode import OpenCode
from hud_runtime.observe import Compacted, ContextUsed
from tests.hud_runtime.compaction.histories import FORMS, STORY
from tests.hud_runtime.integrations.inside import dialogue

TOOLS = ("hud_compact", "memory_compact")
KEEPS_LITTLE = CompactionPolicy(keep=60)

SUMMARY = "# Goal\n\nA login."
TOO_LONG = "prompt is too long: 215000 tokens > 200000 maximum"


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


def sums_up(_messages: list[Any]) -> str:
    return SUMMARY


def full(session: HudSession, used: int = 120_000) -> None:
    session.record("context.snapshot", used=used, limit=200_000, model="anthropic/claude-opus-5")


class TestHost:
    """Any host in Python: it asks before a request, and runs the compaction itself."""

    @pytest.mark.parametrize("tool", TOOLS)
    def test_f3_f6_the_agents_call_becomes_a_decision_and_a_compaction(
        self, store: HudStore, tool: str
    ) -> None:
        host = HostSession(store.session("s"), policy=CompactionPolicy(keep=0))
        full(store.session("s"))
        store.session("s").record("note.add", content="Port 8080")
        result = host.call(tool, {"reason": "the login is done"})
        assert not result.is_error
        told = host.compaction()
        assert (told.verdict, told.trigger) == ("now", "agent")
        made = host.compact(FORMS["chat"](STORY), sums_up, decision=told)
        assert made.summary == SUMMARY
        [done] = store.session("s").compactions()
        assert (done.outcome, done.trigger, done.reason) == ("done", "agent", "the login is done")
        assert host.compaction().verdict == "not"
        assert "Port 8080" in host.before_request(texts=["x"]).text

    def test_f6_below_half_it_is_refused_and_nothing_happens(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        full(store.session("s"), 99_999)
        result = host.call("memory_compact", {})
        assert result.text.startswith(
            "Not compacted: the context is 49% full; a compaction is worth its price from 50% on."
        )
        assert (result.is_error, result.data["action"]) == (False, "none")
        assert host.compaction().verdict == "not"
        assert [*store.session("s").events(types=["compact.before"])] == []

    def test_f6_it_returns_at_once_with_model_and_provider(self, store: HudStore) -> None:
        session = store.session("s")
        full(session)
        data = session.call("memory_compact", {"reason": "x"}).data
        assert (data["provider"], data["model"]) == ("anthropic", "claude-opus-5")
        assert "The conversation so far is about to be replaced" in data["prompt"]
        assert session.compactions()[-1].outcome == "announced"

    def test_f6_without_a_reading_it_is_asked_for(self, store: HudStore) -> None:
        result = store.session("s").call("memory_compact", {})
        assert result.data["action"] == "compact"
        assert result.data["provider"] is None

    def test_f6_it_is_offered_where_a_host_asks_for_it(self, store: HudStore) -> None:
        usual = HostSession(store.session("s"))
        other = HostSession(store.session("s"), memory_compact=True)
        assert [each.name for each in usual.tools()] == ["hud", "hud_compact"]
        assert [each.name for each in other.tools()] == ["hud", *TOOLS]
        assert [each.name for each in other.child("reader").tools()] == ["hud", *TOOLS]

    def test_h1_an_error_of_the_provider_is_answered_by_a_replay(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        history = FORMS["messages"](STORY)
        told = host.compaction(error=ValueError(TOO_LONG))
        made = host.compact(history, sums_up, decision=told)
        assert made.messages[-1] == history[-1]
        assert host.compaction(error=ValueError(TOO_LONG)).verdict == "not"

    def test_h1_a_summary_that_a_host_tells_of_ends_it(self, store: HudStore) -> None:
        host = HostSession(store.session("s"))
        host.observe(ContextUsed(used=190_000, limit=200_000))
        window = ModelWindow(context=200_000, output=32_000)
        assert host.compaction(window).trigger == "overflow"
        assert host.compaction(window).why == "a compaction is under way"
        host.observe(Compacted(summary="So far."), ContextUsed(used=20_000, limit=200_000))
        assert host.compaction(window).verdict == "not"
        host.observe(ContextUsed(used=180_000, limit=200_000))
        assert (host.compaction(window).verdict, host.compaction(window).verdict) == ("now", "not")

    def test_h3_coroutines_and_a_fallback(self, store: HudStore) -> None:
        async def down(_messages: list[Any]) -> str:
            raise OSError("down")

        told: list[str] = []
        host = HostSession(store.session("s"), on_warning=told.append, policy=KEEPS_LITTLE)
        history = FORMS["chat"](STORY)
        made = asyncio.run(host.acompact(history, [down, sums_up]))
        assert made.summary == SUMMARY
        again = asyncio.run(host.acompact(history, down))
        assert again.messages == history
        assert told == ["could not compact the conversation, and goes on with all of it: down"]

    def test_a_store_that_cannot_be_used_stops_no_host(self) -> None:
        def broken() -> HudSession:
            raise StoreFullError("the disk is full")

        host = HostSession(broken, policy=KEEPS_LITTLE)
        assert host.compaction().verdict == "not"
        assert host.compact(FORMS["chat"](STORY), sums_up).summary == SUMMARY

    def test_the_message_with_the_summary_is_nobodys_request(self, store: HudStore) -> None:
        session = store.session("s")
        agent = dialogue.Dialogue(HostSession(session))
        agent.request([dialogue.HostMessage(text="Add a login.", said="Add a login.")])
        session.record("compact.after", summary=SUMMARY)
        told = f"{OPENING}\n\n{SUMMARY}"
        agent.request([dialogue.HostMessage(text=told, said=told)])
        assert session.state().task is not None
        assert session.state().task.description == "Add a login."  # type: ignore[union-attr]
        agent.request([dialogue.HostMessage(text="x", said=f"{OPENING} and so on")])
        assert session.state().task.description != "Add a login."  # type: ignore[union-attr]


def ask(answer: Answer) -> Any:
    return json.loads(answer.text) if answer.text else {}


class TestOpenCode:
    """OpenCode compacts when its plugin calls ``session.summarize``, once the agent's turn is over."""

    def call(self, opencode: OpenCode, tool: str) -> Any:
        given = {"line": ["ses_1"], "tool": tool, "arguments": {"reason": "done"}}
        return ask(opencode.call(json.dumps(given).encode()))

    @pytest.mark.parametrize("tool", TOOLS)
    def test_f3_f6_the_plugin_is_told_to_compact(self, store: HudStore, tool: str) -> None:
        opencode = OpenCode(lambda: store)
        full(store.session("ses_1"))
        assert self.call(opencode, tool)["compacts"] is True

    def test_f6_below_half_it_is_not(self, store: HudStore) -> None:
        opencode = OpenCode(lambda: store)
        full(store.session("ses_1"), 20_000)
        told = self.call(opencode, "memory_compact")
        assert told["compacts"] is False
        assert "the context is 10% full" in told["text"]

    def guidance(self, store: HudStore, policy: CompactionPolicy | None) -> Any:
        event = {"line": ["ses_1"], "type": "experimental.session.compacting"}
        return ask(OpenCode(lambda: store, policy=policy).hook(json.dumps(event).encode()))

    def test_h2_what_is_appended_stands_beside_the_hosts_prompt(self, store: HudStore) -> None:
        usual = self.guidance(store, None)["context"]
        told = self.guidance(store, CompactionPolicy(append=("Keep the ticket.",)))
        assert told == {"context": f"{usual}\n\nKeep the ticket."}

    def test_h2_a_prompt_of_ones_own_has_the_summary_before(self, store: HudStore) -> None:
        store.session("ses_1").record("compact.after", summary="The schema is done.")
        told = self.guidance(store, CompactionPolicy(prompt="Sum it up."))
        assert told["prompt"].startswith("Sum it up.")
        assert told["prompt"].endswith("The schema is done.")
        assert "context" not in told


class TestHooks:
    """Claude Code and Codex compact by themselves, or when their user says so: no tool can make them."""

    @pytest.mark.parametrize("tool", TOOLS)
    @pytest.mark.parametrize("kind", [ClaudeCode, Codex])
    def test_f3_f6_the_agent_is_told_how_its_host_comes_to_one(
        self, store: HudStore, kind: Any, tool: str
    ) -> None:
        hooks = kind(lambda: store)
        full(store.session("s"))
        given = {"session_id": "s", "thread_id": "s", "tool": tool, "arguments": {"reason": "done"}}
        told = ask(hooks.call(json.dumps(given).encode()))
        assert "No tool can make" in told["text"]
        assert "/compact" in told["text"]
        assert told["meta"]["ujsx"]["action"] == "compact"
        assert store.session("s").compactions()[-1].reason == "done"

    @pytest.mark.parametrize("kind", [ClaudeCode, Codex])
    def test_f6_below_half_nothing_is_asked_for(self, store: HudStore, kind: Any) -> None:
        full(store.session("s"), 20_000)
        given: Any = {"session_id": "s", "thread_id": "s", "tool": "memory_compact"}
        told = ask(kind(lambda: store).call(json.dumps(given).encode()))
        assert "10% full" in told["text"]
        assert told["meta"] is None

    def test_h2_claude_code_adds_the_policys_words_to_its_prompt(self, store: HudStore) -> None:
        event = json.dumps({"hook_event_name": "PreCompact", "session_id": "s"}).encode()
        usual = ClaudeCode(lambda: store).hook(event).text
        policy = CompactionPolicy(append=("Keep the ticket.",))
        assert (
            ClaudeCode(lambda: store, policy=policy).hook(event).text
            == f"{usual}\n\nKeep the ticket."
        )
        own = CompactionPolicy(prompt="Only the decisions.")
        assert ClaudeCode(lambda: store, policy=own).hook(event).text == "Only the decisions."

"""H3, F3: each SDK's agent with a compaction of ours; those that are not installed are left out."""

from __future__ import annotations

import asyncio
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.context.compaction import OPENING, CompactionPolicy
from tests.hud_runtime.compaction.histories import FORMS, STORY
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SUMMARY = "# Goal\n\nA login."
LITTLE = CompactionPolicy(keep=0)


def needs(module: str) -> Any:
    top = module.partition(".")[0]
    is_there = find_spec(top) is not None and (module == top or find_spec(module) is not None)
    return pytest.mark.skipif(not is_there, reason=f"{module} is not installed")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        pytest.param("anthropic", "messages", marks=needs("anthropic")),
        pytest.param("openai", "responses", marks=needs("openai")),
        pytest.param("openai", "chat", marks=needs("openai")),
        pytest.param("google_genai", "gemini", marks=needs("google.genai")),
    ],
)
@pytest.mark.parametrize("tool", ["hud_compact", "memory_compact"])
def test_f3_f6_clients_compact_their_own_list(name: str, form: str, tool: str) -> None:
    module = import_module(f"hud_runtime.integrations.{name}")
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        hud = module.Hud(store, policy=LITTLE)
        with hud.running("c-1") as host:
            host.call(tool, {"reason": "the login is done"})
            decision = hud.compaction()
            assert (decision.verdict, decision.trigger) == ("now", "agent")
            made = hud.compact(FORMS[form](STORY), lambda _: SUMMARY, decision=decision)
            again = asyncio.run(hud.acompact(FORMS[form](STORY), lambda _: SUMMARY))
        assert made.summary == again.summary == SUMMARY
        assert len(made.messages) == 2
        assert [each.outcome for each in store.session("c-1").compactions()] == ["done", "done"]


@needs("anthropic")
def test_h3_anthropics_client_sums_up_and_goes_on_with_the_hud() -> None:
    import anthropic

    from hud_runtime.integrations.anthropic import Hud

    script = [Call("hud_compact", '{"reason": "the login is done"}'), SUMMARY, "Go on."]
    with HudStore.open(":memory:", clock=lambda: 0) as store, Model(script) as model:
        hud = Hud(store.session("s"), policy=LITTLE)
        client = anthropic.Anthropic(
            api_key="x", base_url=model.url, middleware=[hud], max_retries=0
        )
        given: dict[str, Any] = {"model": "claude-sonnet-4-5", "max_tokens": 99}
        messages: list[Any] = FORMS["messages"](STORY)
        store.session("s").record("note.add", content="Port 8080")
        answer = client.messages.create(messages=messages, tools=hud.definitions(), **given)
        messages += [
            {"role": "assistant", "content": answer.content},
            {"role": "user", "content": hud.results(answer)},
        ]
        decision = hud.compaction()

        def asks(request: list[Any]) -> str:
            made = client.messages.create(messages=request, **given)
            return "".join(each.text for each in made.content if each.type == "text")

        made = hud.compact(messages, asks, decision=decision)
        assert made.error is None
        client.messages.create(messages=made.messages, tools=hud.definitions(), **given)
    first, summing, last = (each.body["messages"] for each in model.asked)
    assert "tools" not in model.asked[1].body
    assert "Port 8080" in str(first)
    assert str(summing).count("about to be replaced by a summary") == 1
    assert SUMMARY in str(
        last[0]["content"][0]["text"]
        if isinstance(last[0]["content"], list)
        else last[0]["content"]
    )
    assert "Port 8080" in str(last)
    assert store is not None


@needs("langchain")
def test_h3_langchains_agent_is_compacted_before_a_request() -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langgraph.checkpoint.memory import InMemorySaver

    from hud_runtime.integrations.langchain import HudMiddleware

    asked: list[Any] = []

    def sums_up(messages: list[Any]) -> str:
        asked.append(messages)
        return SUMMARY

    with HudStore.open(":memory:", clock=lambda: 0) as store:
        middleware = HudMiddleware(store, tools=False, summary=sums_up, policy=LITTLE)
        agent = create_agent(
            FakeListChatModel(responses=["The login is there."]),
            middleware=[middleware],
            checkpointer=InMemorySaver(),
        )
        config: Any = {"configurable": {"thread_id": "t-1"}}
        agent.invoke({"messages": [("user", "Add a login. " * 80)]}, config)
        store.session("t-1").record("context.snapshot", used=190_000)
        result = agent.invoke({"messages": [("user", "Now the API.")]}, config)
        texts = [str(each.text) for each in result["messages"]]
        assert texts[0] == f"{OPENING}\n\n{SUMMARY}"
        assert texts[1] == "Now the API."
        assert "# HUD" not in str(texts)
        assert len(asked) == 1
        assert {each.type for each in asked[0]} <= {"human", "ai"}
        assert store.session("t-1").compactions()[0].trigger == "level"
        agent.invoke({"messages": [("user", "And the docs.")]}, config)
        assert len(asked) == 1


@needs("pydantic_ai")
def test_h3_pydantic_ais_agent_is_compacted_before_a_request() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from hud_runtime.integrations.pydantic_ai import Hud

    asked: list[Any] = []

    async def sums_up(messages: list[Any]) -> str:
        asked.append(messages)
        return SUMMARY

    read: list[str] = []

    def answers(messages: Any, _info: Any) -> ModelResponse:
        read.append(str(messages))
        return ModelResponse([TextPart("The login is there.")])

    with HudStore.open(":memory:", clock=lambda: 0) as store:
        agent = Agent(
            FunctionModel(answers), capabilities=[Hud(store, summary=sums_up, policy=LITTLE)]
        )

        async def run() -> Any:
            first = await agent.run("Add a login. " * 80, conversation_id="c-1")
            store.session("c-1").record("context.snapshot", used=190_000)
            history = first.all_messages()
            second = await agent.run("Now the API.", message_history=history, conversation_id="c-1")
            third = await agent.run(
                "And the docs.", message_history=second.all_messages(), conversation_id="c-1"
            )
            return second.all_messages(), third.all_messages()

        second, _ = asyncio.run(run())
        assert str(second[0].parts[0].content) == f"{OPENING}\n\n{SUMMARY}"
        assert "Now the API." in str(second[1])
        assert all("# HUD" in each for each in read[1:])  # the first says what its prompt says
        assert "# HUD" not in str(second)
        assert len(asked) == 1
        assert [each.outcome for each in store.session("c-1").compactions()] == ["done"]


@needs("agents")
def test_h3_openais_agents_compact_between_runs() -> None:
    from hud_runtime.integrations.openai_agents import Hud

    with HudStore.open(":memory:", clock=lambda: 0) as store:
        host = Hud(store, policy=LITTLE).host("c-1")
        host.call("hud_compact", {})
        decision = host.compaction()
        made = host.compact(FORMS["responses"](STORY), lambda _: SUMMARY, decision=decision)
        assert made.messages[0]["content"] == f"{OPENING}\n\n{SUMMARY}"
        assert store.session("c-1").compactions()[0].outcome == "done"

"""LangChain agents with a HUD: the requests that they really send."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware", reason="langchain is not installed")
pytest.importorskip("langchain_anthropic", reason="langchain-anthropic is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from hud_runtime import HudStore
from hud_runtime.integrations.langchain import HudMiddleware
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import (
    ASK,
    FAULTS,
    SCRIPT,
    WITH_BROKEN,
    Fault,
    Shell,
    play,
)
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MODELS = ["claude-sonnet-4-5", "gpt-5.1", "gpt-5.6-sol", "chat:gpt-5.1", "chat:gpt-5.6-sol"]


def served(model: Model, name: str) -> Any:
    if name.startswith("claude"):
        return ChatAnthropic(model=name, base_url=model.url, api_key="x", max_retries=0)
    return ChatOpenAI(
        model=name.removeprefix("chat:"),
        base_url=f"{model.url}/v1",
        api_key="x",
        max_retries=0,
        use_responses_api=not name.startswith("chat:"),
    )


def coder(model: Model, served_by: str, *middleware: Any, **more: Any) -> Any:
    shell = Shell()
    tools = [
        StructuredTool.from_function(agents.read_file, name="Read"),
        StructuredTool.from_function(shell.__call__, name="Bash"),
        *more.pop("tools", ()),
    ]
    return create_agent(
        served(model, served_by),
        tools=tools,
        system_prompt="You are a coder.",
        middleware=middleware,
        **more,
    )


def given(ask: str = ASK) -> Any:
    return {"messages": [{"role": "user", "content": ask}]}


def thread(name: str = "t-1") -> Any:
    return {"configurable": {"thread_id": name}, "recursion_limit": 100}


def ran(name: str, way: str = "invoke", *, config: Any = None, **options: Any) -> Any:
    def go(model: Model, store: HudStore) -> None:
        caching = [AnthropicPromptCachingMiddleware()] if name.startswith("claude") else []
        agent = coder(model, name, HudMiddleware(store, **options), *caching)
        within = thread() if config is None else config
        if way == "invoke":
            result = agent.invoke(given(), within)
        elif way == "ainvoke":
            result = asyncio.run(agent.ainvoke(given(), within))
        else:
            result = list(agent.stream(given(), within, stream_mode="values"))[-1]
        assert result["messages"][-1].text == "The login is there."

    return go


def script_for(name: str) -> Any:
    return SCRIPT if name.startswith("claude") else WITH_BROKEN


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream"])
@pytest.mark.parametrize("name", MODELS)
def test_append(name: str, way: str) -> None:
    played = play(ran(name, way), script_for(name))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools
    assert played.store.sessions() == ("t-1",)


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("name", MODELS)
def test_tail(name: str, way: str) -> None:
    played = play(ran(name, way, mode="tail"), script_for(name))
    agents.check_tail(played.model.asked, marked=name.startswith("claude") or "5.6" in name)
    agents.check_session(played.session)


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_n3_an_output_is_pruned_and_comes_back(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.Shell", agents.Lister)
    played = play(ran("claude-sonnet-4-5", way, prune=True), agents.TO_PRUNE)
    agents.check_pruned(played.model.asked)


@pytest.mark.parametrize("name", MODELS)
def test_system(name: str) -> None:
    agents.check_system(play(ran(name, mode="system"), script_for(name)).model.asked)


def test_a_run_without_a_thread_is_a_session() -> None:
    played = play(ran("gpt-5.1", config={"recursion_limit": 100}), WITH_BROKEN)
    assert len(played.store.sessions()) == 1
    agents.check_append(played.model.asked)


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    agents.check_refused(play(ran("claude-sonnet-4-5"), agents.REFUSED).model.asked)


def test_a_call_that_was_cut_off_does_not_end_the_run() -> None:
    script = [Call("hud", '{"op": "notes.add", "con'), "The login is there."]
    played = play(ran("gpt-5.1"), script)
    assert len(played.model.asked) == 2


def test_a_thread_goes_on() -> None:
    saver = InMemorySaver()

    def run(model: Model, store: HudStore) -> None:
        for ask in (ASK, agents.RENAME):
            agent = coder(model, "gpt-5.1", HudMiddleware(store), checkpointer=saver)
            agent.invoke(given(ask), thread())

    agents.check_goes_on(played := play(run, agents.GOES_ON))
    assert played.store.sessions() == ("t-1",)


def test_all_is_said_again_after_a_summary() -> None:
    def run(model: Model, store: HudStore) -> None:
        summary = SummarizationMiddleware(
            model=served(model, "gpt-5.1"),
            trigger=("messages", 8),
            keep=("messages", 2),
            summarizer=lambda messages: "We began with the login.",
        )
        agent = coder(model, "gpt-5.1", summary, HudMiddleware(store), checkpointer=InMemorySaver())
        agent.invoke(given(), thread())

    played = play(run, WITH_BROKEN)
    state = played.session.state()
    assert state.session.compactions >= 1
    assert state.task.description == ASK
    agents.check_session(played.session)


def test_an_agent_in_a_tool_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        helper = coder(model, "gpt-5.1", HudMiddleware(store), name="helper")

        def ask_helper(question: str) -> str:
            """Ask."""
            return str(helper.invoke(given(question))["messages"][-1].text)

        agent = coder(model, "gpt-5.1", HudMiddleware(store), tools=[ask_helper])
        agent.invoke(given(), thread())

    agents.check_child(play(run, agents.HELPED, check=False), "t-1")


def test_two_at_once_stay_apart() -> None:
    def runs(model: Model, store: HudStore) -> Any:
        agent = coder(model, "gpt-5.1", HudMiddleware(store))
        return [agent.ainvoke(given(each), thread(each)) for each in agents.PARTS]

    agents.play_at_once(runs)


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault, mode: Any) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran("gpt-5.1", mode=mode, on_warning=tell)(model, source)

    agents.check_fault(run, fault)

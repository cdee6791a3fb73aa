"""Pydantic AI with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="anthropic is not installed")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

from pydantic_ai import Agent
from pydantic_ai.capabilities import Caching
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from hud_runtime import HudStore
from hud_runtime.integrations.pydantic_ai import Hud
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
from tests.hud_runtime.integrations.loopback import Call, Model, Reply

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MODELS = ["claude-sonnet-4-5", "claude-opus-5", "gpt-5.1", "gpt-5.6-sol", "chat:gpt-5.1"]


def served(model: Model, name: str) -> Any:
    if name.startswith("claude"):
        return AnthropicModel(name, provider=AnthropicProvider(base_url=model.url, api_key="x"))
    kind = OpenAIChatModel if name.startswith("chat:") else OpenAIResponsesModel
    provider = OpenAIProvider(base_url=f"{model.url}/v1", api_key="x")
    return kind(name.removeprefix("chat:"), provider=provider)


def ran_by(agent: Agent[Any, Any], ask: str, **more: Any) -> Any:
    return asyncio.run(agent.run(ask, **more))


def agent(model: Model, served_by: str, *capabilities: Any, **more: Any) -> Agent[Any, Any]:
    made = Agent(
        served(model, served_by),
        instructions="You are a coder.",
        capabilities=[*capabilities],
        **more,
    )
    made.tool_plain(name="Read")(agents.read_file)
    made.tool_plain(name="Bash")(Shell().__call__)
    return made


def script_for(name: str) -> Sequence[Reply]:
    """Anthropic's wire carries arguments as text only in a stream."""
    return SCRIPT if name.startswith("claude") else WITH_BROKEN


def ran(name: str, **options: Any) -> Any:
    def run(model: Model, store: HudStore) -> None:
        result = ran_by(agent(model, name, Hud(store, **options), Caching()), ASK)
        assert result.output == "The login is there."

    return run


@pytest.mark.parametrize("name", MODELS)
def test_append(name: str) -> None:
    played = play(ran(name), script_for(name))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


@pytest.mark.parametrize("name", MODELS)
def test_tail(name: str) -> None:
    played = play(ran(name, mode="tail"), script_for(name))
    agents.check_tail(played.model.asked, marked=name.startswith("claude") or "5.6" in name)
    agents.check_session(played.session)


def test_n3_an_output_is_pruned_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.Shell", agents.Lister)
    agents.check_pruned(play(ran("claude-sonnet-4-5", prune=True), agents.TO_PRUNE).model.asked)


@pytest.mark.parametrize("name", MODELS)
def test_system(name: str) -> None:
    agents.check_system(play(ran(name, mode="system"), script_for(name)).model.asked)


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    agents.check_refused(play(ran("claude-sonnet-4-5"), agents.REFUSED).model.asked)


def test_streams_as_well() -> None:
    async def go(model: Model, store: HudStore) -> None:
        async def handle(ctx: Any, events: Any) -> None:
            async for _ in events:
                pass

        coder = agent(model, "claude-sonnet-4-5", Hud(store))
        result = await coder.run(ASK, event_stream_handler=handle)
        assert result.output == "The login is there."
        assert model.asked[0].body["stream"]

    played = play(lambda model, store: asyncio.run(go(model, store)), WITH_BROKEN)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)


def test_a_conversation_goes_on() -> None:
    """The history carries the conversation's id, through its JSON form and into another process."""

    def run(model: Model, store: HudStore) -> None:
        first = ran_by(agent(model, "gpt-5.1", Hud(store)), ASK)
        history = ModelMessagesTypeAdapter.validate_json(first.all_messages_json())
        again = agent(model, "gpt-5.1", Hud(store))
        ran_by(again, agents.RENAME, message_history=history)

    agents.check_goes_on(play(run, agents.GOES_ON))


def test_all_is_said_again_when_the_history_was_cut() -> None:
    def run(model: Model, store: HudStore) -> None:
        coder = agent(model, "gpt-5.1", Hud(store))
        first = ran_by(coder, ASK, conversation_id="c")
        newest = first.all_messages()[-2:]
        ran_by(coder, "Go on with the next part.", message_history=newest, conversation_id="c")

    played = play(run, [Call("Read", '{"file_path": "a.py"}'), "read", "done"])
    whole, changes = agents.said_in([each.text for each in played.model.asked[-1].ours()])
    assert not changes
    assert "a.py" in whole


def test_an_agent_in_a_tool_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        helper = Agent(served(model, "gpt-5.1"), name="helper", capabilities=[Hud(store)])
        coder = agent(model, "gpt-5.1", Hud(store), name="coder")

        @coder.tool_plain
        async def ask_helper(question: str) -> str:
            return (await helper.run(question)).output

        ran_by(coder, ASK, conversation_id="c")

    agents.check_child(play(run, agents.HELPED, check=False), "c")


def test_two_at_once_stay_apart() -> None:
    def runs(model: Model, store: HudStore) -> Any:
        coder = agent(model, "gpt-5.1", Hud(store))
        return [coder.run(each, conversation_id=each) for each in agents.PARTS]

    agents.play_at_once(runs)


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault, mode: Any) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran("claude-sonnet-4-5", mode=mode, on_warning=tell)(model, source)

    agents.check_fault(run, fault)


def test_all_belongs_to_one_session_where_one_is_given() -> None:
    with HudStore.open(":memory:") as store, Model(["one", "two"]) as model:
        coder = agent(model, "gpt-5.1", Hud(store.session("mine")))
        ran_by(coder, ASK)
        ran_by(coder, "Now mend the other thing, in the ledger.")
        assert store.sessions() == ("mine",)
        [told] = model.asked[1].ours()
        assert f"*goal:* {ASK}" in told.text  # and the task stands in the prompt
        assert "Now mend the other thing" not in told.text

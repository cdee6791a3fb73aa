"""The OpenAI Agents SDK with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

import openai
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunHooks,
    Runner,
    SQLiteSession,
    function_tool,
    handoff,
    set_tracing_disabled,
)

from hud_runtime import HudStore
from hud_runtime.integrations.openai_agents import Hud
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import (
    ASK,
    FAULTS,
    WITH_BROKEN,
    Fault,
    Shell,
    hud,
    play,
)
from tests.hud_runtime.integrations.loopback import Call, Model

set_tracing_disabled(disabled=True)

MODELS = ["gpt-5.1", "gpt-5.6-sol", "chat:gpt-5.1"]


def served(model: Model, name: str) -> Any:
    client = openai.AsyncOpenAI(base_url=f"{model.url}/v1", api_key="x", max_retries=0)
    if name.startswith("chat:"):
        return OpenAIChatCompletionsModel(name.removeprefix("chat:"), client)
    return OpenAIResponsesModel(name, client)


def coder(model: Model, served_by: str = "gpt-5.1", **more: Any) -> Agent[Any]:
    read, run = agents.read_file, Shell().__call__
    tools = [
        function_tool(read, name_override="Read"),
        function_tool(lambda command: run(command), name_override="Bash"),  # noqa: PLW0108
    ]
    return Agent(
        name=more.pop("name", "coder"),
        instructions="You are a coder.",
        model=served(model, served_by),
        tools=[*tools, *more.pop("tools", ())],
        **more,
    )


def ran(name: str, *, streams: bool = False, run: Any = {}, **options: Any) -> Any:  # noqa: B006
    def go(model: Model, store: HudStore) -> None:
        given = Hud(store, **options).run(coder(model, name), max_turns=20, **run)

        async def whole() -> Any:
            if not streams:
                return await Runner.run(input=ASK, **given)
            result = Runner.run_streamed(input=ASK, **given)
            async for _ in result.stream_events():
                pass
            return result

        result = asyncio.run(whole())
        assert result.final_output == "The login is there."
        assert "# HUD" not in str(result.to_input_list())

    return go


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_append(name: str, *, streams: bool) -> None:
    if name.startswith("chat:") and streams:
        pytest.skip("this SDK reads no usage of streamed chats unless asked to")
    played = play(ran(name, streams=streams), WITH_BROKEN)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


@pytest.mark.parametrize("name", MODELS)
def test_tail(name: str) -> None:
    played = play(ran(name, mode="tail"), WITH_BROKEN)
    agents.check_tail(played.model.asked, marked="5.6" in name)
    agents.check_session(played.session)


def test_n3_an_output_is_pruned_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.Shell", agents.Lister)
    agents.check_pruned(play(ran("gpt-5.1", prune=True), agents.TO_PRUNE).model.asked)


@pytest.mark.parametrize("name", MODELS)
def test_system(name: str) -> None:
    agents.check_system(play(ran(name, mode="system"), WITH_BROKEN).model.asked)


@pytest.mark.parametrize("mode", ["append", "tail"])
def test_a_history_that_the_provider_holds_is_appended_to(mode: Any) -> None:
    told: list[str] = []
    run = ran("gpt-5.1", run={"auto_previous_response_id": True}, mode=mode, on_warning=told.append)
    played = play(run, WITH_BROKEN, check=mode == "append")
    if mode == "append":
        agents.check_append(played.model.asked)
        assert not told
    else:
        assert "would pile up" in told[0]
    assert len(played.model.asked[-1].body["input"]) <= 3
    agents.check_session(played.session)


def test_a_refusal_is_told_and_ends_nothing() -> None:
    script = [*[hud("no.such")] * 3, Call("hud", '{"op": "no'), "The login is there."]
    played = play(ran("gpt-5.1"), script)
    answers = [each.text for each in played.model.asked[-1].blocks if "_output" in each.text]
    assert len(answers) == 4
    assert all("no.such" in each for each in answers[:3])


def test_a_conversation_goes_on_in_another_process() -> None:
    def run(model: Model, store: HudStore) -> None:
        stored = SQLiteSession("c-1")
        for ask in (ASK, agents.RENAME):
            given = Hud(store).run(coder(model), session=stored)
            asyncio.run(Runner.run(input=ask, **given))

    agents.check_goes_on(played := play(run, agents.GOES_ON))
    assert played.store.sessions() == ("c-1",)


def test_a_handoff_goes_on_with_the_hud() -> None:
    class Seen(RunHooks[Any]):
        handed: list[str] = []  # noqa: RUF012

        async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
            self.handed.append(to_agent.name)

    def run(model: Model, store: HudStore) -> None:
        third = coder(model, name="third")
        second = coder(model, name="second", handoffs=[handoff(third)])
        first = coder(model, name="first", handoffs=[second])
        given = Hud(store).run(first, hooks=Seen())
        result = asyncio.run(Runner.run(input=ASK, **given))
        assert result.last_agent.name == "third"

    script = [
        hud("notes.add", content="Port 8080"),
        Call("transfer_to_second"),
        Call("transfer_to_third"),
        hud("steps.add", description="Rotate keys"),
        "done",
    ]
    played = play(run, script)
    assert len(played.store.sessions()) == 1
    assert all("hud" in each.tools for each in played.model.asked)
    agents.check_append(played.model.asked)
    assert Seen.handed == ["second", "third"]


def test_an_agent_in_a_tool_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        helper = coder(model, name="helper").as_tool("ask_helper", "Ask the helper.")
        given = Hud(store).run(coder(model, tools=[helper]), conversation="c")
        asyncio.run(Runner.run(input=ASK, **given))

    script = [
        [
            Call("ask_helper", '{"input": "Which key?"}'),
            Call("ask_helper", '{"input": "Which port?"}'),
        ],
        Call("Read", '{"file_path": "k.py"}'),
        Call("Read", '{"file_path": "k.py"}'),
        "RS256",
        "8080",
        "done",
    ]
    played = play(run, script, check=False)
    parent, *children = sorted(played.store.sessions(), key=len)
    assert parent == "c"
    assert len(children) == 2
    assert all(each.startswith("c/helper-") for each in children)
    for each in played.model.asked[1:-1]:
        assert ASK in each.ours()[0].text
    assert [each.path for each in played.store.session("c").state().active_files] == ["k.py"]


def test_two_at_once_stay_apart() -> None:
    def runs(model: Model, store: HudStore) -> Any:
        ours, agent = Hud(store), coder(model)
        return [
            Runner.run(input=each, **ours.run(agent, conversation=each)) for each in agents.PARTS
        ]

    agents.play_at_once(runs)


@pytest.mark.parametrize("mode", ["append", "tail", "system"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault, mode: Any) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran("gpt-5.1", mode=mode, on_warning=tell)(model, source)

    agents.check_fault(run, fault)


def test_settings_are_kept() -> None:
    with HudStore.open(":memory:") as store, Model() as model:
        agent = coder(model, model_settings=ModelSettings(temperature=0.5))
        made = Hud(store).run(agent)["starting_agent"]
        assert made.model_settings.temperature == 0.5
        assert [each.name for each in agent.tools] == ["Read", "Bash"]
        again = Hud(store).run(made)["starting_agent"]
        assert [each.name for each in again.tools].count("hud") == 1

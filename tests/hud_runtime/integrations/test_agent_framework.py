"""Microsoft's Agent Framework with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("agent_framework_openai", reason="agent-framework-openai is not installed")

from agent_framework import Agent, Message
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

from hud_runtime import DeliveryError, HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations.agent_framework import HudProvider
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, Shell, play
from tests.hud_runtime.integrations.loopback import Model

pytestmark = pytest.mark.filterwarnings("ignore")

CLIENTS = [OpenAIChatClient, OpenAIChatCompletionClient]
"""Of the Responses API, which holds the history, and of Chat Completions."""


def agent(
    model: Model,
    *tools: Any,
    source: Any,
    client: Any = OpenAIChatCompletionClient,
    name: str = "coder",
    **options: Any,
) -> Agent:
    served = client("gpt-5.1", api_key="x", base_url=f"{model.url}/v1")
    provider = HudProvider(source, **options)
    return Agent(
        served, "You are a coder.", name=name, tools=[*tools], context_providers=[provider]
    )


def own_tools(shell: Shell | None = None) -> list[Any]:
    used = shell or Shell()

    def Bash(command: str) -> str:
        """Run a command."""
        return used(command)

    def Read(file_path: str) -> str:
        """Read a file."""
        return agents.read_file(file_path)

    return [Read, Bash]


def ran(*, client: Any = OpenAIChatCompletionClient, shell: Any = None, **options: Any) -> Any:
    def go(model: Model, source: Any, **more: Any) -> None:
        made = agent(model, *own_tools(shell), source=source, client=client, **options, **more)
        assert asyncio.run(made.run(ASK)).messages[-1].text == "The login is there."

    return go


@pytest.mark.parametrize("client", CLIENTS)
def test_append(client: Any) -> None:
    played = play(ran(client=client), agents.WITH_BROKEN)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


@pytest.mark.parametrize("client", CLIENTS)
def test_streams_as_well(client: Any) -> None:
    async def go(model: Model, store: HudStore) -> None:
        made = agent(model, *own_tools(), source=store, client=client)
        async for _ in made.run(ASK, stream=True):
            pass
        assert model.asked[0].body["stream"]

    played = play(lambda model, store: asyncio.run(go(model, store)))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)


@pytest.mark.parametrize("mode", ["tail", "system"])
def test_other_modes_are_refused(mode: Any) -> None:
    with pytest.raises(DeliveryError, match='use mode="append"'):
        HudProvider(HudStore.open(":memory:"), mode=mode)


def test_an_output_is_pruned_and_comes_back() -> None:
    shell = agents.Lister()
    agents.check_pruned(play(ran(shell=shell, prune=True), agents.TO_PRUNE).model.asked)


def test_a_summary_stands_in_requests_in_the_place_of_old_messages() -> None:
    summed = agents.Summarizer()

    async def go(model: Model, store: HudStore) -> None:
        options = {"source": store, "summary": summed.later, "policy": CompactionPolicy(keep=0)}
        first = agent(model, *own_tools(), **options)
        session = first.create_session()
        await first.run(agents.LONG, session=session)
        again = agent(model, *own_tools(), **options)
        await again.run("Now the tests.", session=type(session).from_dict(session.to_dict()))

    played = play(lambda model, store: asyncio.run(go(model, store)), agents.COMPACTS, check=False)
    agents.check_compacted(played.model.asked, summed)
    assert {type(each) for each in summed.asked[0]} == {Message}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_goes_on_in_another_process(client: Any) -> None:
    async def go(model: Model, store: HudStore) -> None:
        first = agent(model, *own_tools(), source=store, client=client)
        session = first.create_session()
        await first.run(ASK, session=session)
        again = agent(model, *own_tools(), source=store, client=client)
        await again.run(agents.RENAME, session=type(session).from_dict(session.to_dict()))

    played = play(lambda model, store: asyncio.run(go(model, store)), agents.GOES_ON)
    # From the second run on, the framework itself writes the agent's name into messages of Chat Completions.
    agents.check_goes_on(played, least=0.999 if client is OpenAIChatClient else 0.2)
    told = [[each.text for each in one.ours()] for one in played.model.asked[1:]]
    assert all(after[: len(before)] == before for before, after in pairwise(told))


def test_an_agent_in_a_tool_is_a_child() -> None:
    async def go(model: Model, store: HudStore) -> None:
        helper = agent(model, source=store, name="helper")

        async def ask_helper(question: str) -> str:
            """Ask."""
            return (await helper.run(question)).text

        coder = agent(model, ask_helper, source=store)
        await coder.run(ASK, session=coder.create_session(session_id="c"))

    agents.check_child(
        play(lambda model, store: asyncio.run(go(model, store)), agents.HELPED, check=False), "c"
    )


def test_two_at_once_stay_apart() -> None:
    def runs(model: Model, store: HudStore) -> Any:
        made = agent(model, source=store)
        return [
            made.run(each, session=made.create_session(session_id=each)) for each in agents.PARTS
        ]

    agents.play_at_once(runs)


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran(on_warning=tell)(model, source)

    agents.check_fault(run, fault)

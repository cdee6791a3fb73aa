"""Google's Agent Development Kit with a HUD: the requests that it really sends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types
from pydantic import BaseModel

from hud_runtime import HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations.google_adk import HudPlugin
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, Shell, play
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "x")


def agent(model: Model, *tools: Any, name: str = "coder") -> Agent:
    served = Gemini(model="gemini-3-pro", base_url=model.url)
    return Agent(name=name, model=served, instruction="You are a coder.", tools=[*tools])


def own_tools(shell: Shell | None = None) -> list[Any]:
    used = shell or Shell()

    def Bash(command: str) -> str:
        """Run a command."""
        return used(command)

    def Read(file_path: str) -> str:
        """Read a file."""
        return agents.read_file(file_path)

    return [Read, Bash]


def runner(root: Agent, plugin: HudPlugin) -> InMemoryRunner:
    return InMemoryRunner(app=App(name="app", root_agent=root, plugins=[plugin]))


async def said(
    used: InMemoryRunner, ask: str, session: str = "s", user: str = "u", **more: Any
) -> Any:
    given = {"app_name": used.app_name, "user_id": user, "session_id": session}
    if await used.session_service.get_session(**given) is None:
        await used.session_service.create_session(**given)
    content = types.Content(role="user", parts=[types.Part(text=ask)])
    events = [
        each
        async for each in used.run_async(
            user_id=user, session_id=session, new_message=content, **more
        )
    ]
    kept = await used.session_service.get_session(**given)
    assert "# HUD" not in str([each.content for each in kept.events])
    return events[-1].content.parts[-1].text


def ran(shell: Shell | None = None, **options: Any) -> Any:
    def go(model: Model, source: Any, **more: Any) -> None:
        plugin = HudPlugin(source, **options, **more)
        used = runner(agent(model, *own_tools(shell)), plugin)
        assert asyncio.run(said(used, ASK)) == "The login is there."

    return go


def test_append() -> None:
    played = play(ran())
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


def test_streams_as_well() -> None:
    def run(model: Model, store: HudStore) -> None:
        used = runner(agent(model, *own_tools()), HudPlugin(store))
        streams = RunConfig(streaming_mode=StreamingMode.SSE)
        assert asyncio.run(said(used, ASK, run_config=streams)) == "The login is there."

    played = play(run)
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    agents.check_usage(played.session, played.model.asked)


def test_tail() -> None:
    played = play(ran(mode="tail"))
    agents.check_tail(played.model.asked, marked=False)
    agents.check_session(played.session)


def test_system() -> None:
    agents.check_system(play(ran(mode="system")).model.asked)


def test_an_output_is_pruned_and_comes_back() -> None:
    agents.check_pruned(play(ran(agents.Lister(), prune=True), agents.TO_PRUNE).model.asked)


def test_a_summary_stands_in_requests_in_the_place_of_old_contents() -> None:
    summed = agents.Summarizer()

    def run(model: Model, store: HudStore) -> None:
        def plugin() -> HudPlugin:
            return HudPlugin(store, summary=summed.later, policy=CompactionPolicy(keep=0))

        first = runner(agent(model, *own_tools()), plugin())
        asyncio.run(said(first, agents.LONG))
        again = runner(agent(model, *own_tools()), plugin())  # another process has the events
        again.session_service = first.session_service
        asyncio.run(said(again, "Now the tests."))

    played = play(run, agents.COMPACTS, check=False)
    agents.check_compacted(played.model.asked, summed)
    assert {type(each) for each in summed.asked[0]} == {types.Content}


def test_a_conversation_goes_on_in_another_process() -> None:
    def run(model: Model, store: HudStore) -> None:
        first = runner(agent(model, *own_tools()), HudPlugin(store))
        asyncio.run(said(first, ASK))
        again = runner(agent(model, *own_tools()), HudPlugin(store))
        again.session_service = first.session_service
        asyncio.run(said(again, agents.RENAME))

    agents.check_goes_on(play(run, agents.GOES_ON))


def test_an_agent_that_is_a_tool_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        helper = agent(model, name="helper")

        class Asked(AgentTool):
            def __init__(self) -> None:
                super().__init__(agent=helper)
                self.name = "ask_helper"

        asyncio.run(said(runner(agent(model, Asked()), HudPlugin(store)), ASK))

    helped = [Call("ask_helper", '{"request": "Which key is it?"}'), *agents.HELPED[1:]]
    agents.check_child(play(run, helped, check=False), "app-u-s")


def test_two_users_sessions_with_one_id_stay_apart() -> None:
    def run(model: Model, store: HudStore) -> None:
        used = runner(agent(model, *own_tools()), HudPlugin(store))
        for user in ("one", "two"):
            asyncio.run(said(used, f"Mend the ledger of {user}.", user=user))

    played = play(run, ["done", "done"], check=False)
    assert sorted(played.store.sessions()) == ["app-one-s", "app-two-s"]
    assert "ledger of one" not in str(played.model.asked[1].body)


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran(on_warning=tell)(model, source)

    agents.check_fault(run, fault)


def test_an_agent_that_answers_by_a_schema_gets_no_tools() -> None:
    class Answer(BaseModel):
        text: str

    def run(model: Model, store: HudStore) -> None:
        root = agent(model)
        root.output_schema = Answer
        asyncio.run(said(runner(root, HudPlugin(store)), ASK))

    assert play(run, ['{"text": "ok"}'], check=False).model.asked[0].tools == set()


def test_a_name_that_no_session_can_have_ends_nothing() -> None:
    told: list[str] = []

    def run(model: Model, store: HudStore) -> None:
        used = runner(agent(model), HudPlugin(store, on_warning=told.append))
        for name in ("a\nb", "x" * 5_000, "../../etc", "\ud800"):
            asyncio.run(said(used, ASK, session=name))

    assert len(play(run, ["done"] * 4, check=False).model.asked) == 4
    assert len(told) == len(set(told))

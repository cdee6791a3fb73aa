"""Strands with a HUD: the requests that it really sends."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands", reason="strands-agents is not installed")
pytest.importorskip("anthropic", reason="anthropic is not installed")

from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager

from hud_runtime import HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations.strands import HudPlugin
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, Shell, play
from tests.hud_runtime.integrations.loopback import Model

pytestmark = pytest.mark.filterwarnings("ignore")

CLAUDE, GPT = "claude-sonnet-4-5", "gpt-5.1"


def served(model: Model, name: str) -> Any:
    given = {"model_id": name}
    if name == GPT:
        return OpenAIModel(client_args={"api_key": "x", "base_url": f"{model.url}/v1"}, **given)
    return AnthropicModel(
        client_args={"api_key": "x", "base_url": model.url}, max_tokens=900, **given
    )


def agent(model: Model, *tools: Any, source: Any, served_by: str = CLAUDE, **more: Any) -> Agent:
    own = {each: more.pop(each) for each in ("session_manager", "agent_id", "name") if each in more}
    return Agent(
        served(model, served_by),
        tools=[*tools],
        system_prompt="You are a coder.",
        callback_handler=None,
        plugins=[HudPlugin(source, **more)],
        **own,
    )


def own_tools(shell: Shell | None = None) -> list[Any]:
    used = shell or Shell()

    @tool(name="Bash")
    def run(command: str) -> str:
        """Run a command."""
        return used(command)

    return [tool(name="Read")(agents.read_file), run]


def ran(name: str = CLAUDE, shell: Any = None, **options: Any) -> Any:
    def go(model: Model, source: Any, **more: Any) -> None:
        made = agent(model, *own_tools(shell), source=source, served_by=name, **options, **more)
        assert str(made(ASK)).strip() == "The login is there."
        assert "# HUD" not in str(made.messages)

    return go


@pytest.mark.parametrize("name", [CLAUDE, GPT])
def test_append(name: str) -> None:
    played = play(ran(name))
    agents.check_append(played.model.asked)
    agents.check_session(played.session)
    assert {"hud", "Read", "Bash"} <= played.model.asked[0].tools


def test_what_requests_took_is_recorded() -> None:
    played = play(ran())
    agents.check_usage(played.session, played.model.asked)


def test_tail() -> None:
    played = play(ran(mode="tail"))
    agents.check_tail(played.model.asked, marked=True)
    agents.check_session(played.session)


def test_system() -> None:
    agents.check_system(play(ran(mode="system")).model.asked)


def test_a_refusal_is_an_error_and_ends_nothing() -> None:
    agents.check_refused(play(ran(), agents.REFUSED).model.asked)


def test_an_output_is_pruned_and_comes_back() -> None:
    shell = agents.Lister()
    agents.check_pruned(play(ran(shell=shell, prune=True), agents.TO_PRUNE).model.asked)


def test_a_summary_stands_in_requests_in_the_place_of_old_messages() -> None:
    summed = agents.Summarizer()

    def run(model: Model, store: HudStore) -> None:
        options = {"conversation": "s", "summary": summed.later, "policy": CompactionPolicy(keep=0)}
        first = agent(model, *own_tools(), source=store, **options)
        first(agents.LONG)
        assert agents.LONG in str(first.messages)
        again = agent(
            model, *own_tools(), source=store, **options
        )  # another process has the history
        again.messages = first.messages
        again("Now the tests.")

    played = play(run, agents.COMPACTS, check=False)
    agents.check_compacted(played.model.asked, summed)
    roles = [each["role"] for each in played.model.asked[-1].body["messages"]]
    assert all(one != other for one, other in pairwise(roles))


def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    def run(model: Model, store: HudStore) -> None:
        for ask in (ASK, agents.RENAME):
            manager = FileSessionManager("s-1", storage_dir=str(tmp_path))
            agent(model, *own_tools(), source=store, session_manager=manager)(ask)

    played = play(run, agents.GOES_ON)
    agents.check_goes_on(played)
    assert played.store.sessions() == ("s-1",)


def test_agents_of_one_stored_session_have_histories_of_their_own(tmp_path: Path) -> None:
    def run(model: Model, store: HudStore) -> None:
        for name in ("coder", "reviewer"):
            manager = FileSessionManager("s-1", storage_dir=str(tmp_path))
            agent(model, source=store, session_manager=manager, agent_id=name)(f"Be the {name}.")

    played = play(run, ["done", "done"], check=False)
    assert sorted(played.store.sessions()) == ["s-1-coder", "s-1-reviewer"]


def test_an_agent_in_a_tool_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        helper = agent(model, source=store, name="helper")

        @tool
        def ask_helper(question: str) -> str:
            """Ask."""
            return str(helper(question))

        agent(model, ask_helper, source=store, conversation="c")(ASK)

    agents.check_child(play(run, agents.HELPED, check=False), "c")


def test_two_at_once_stay_apart() -> None:
    def runs(model: Model, store: HudStore) -> Any:
        return [
            agent(model, source=store, conversation=each).invoke_async(each)
            for each in agents.PARTS
        ]

    agents.play_at_once(runs)


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran(on_warning=tell)(model, source)

    agents.check_fault(run, fault)

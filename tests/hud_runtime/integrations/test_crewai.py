"""CrewAI with a HUD: the requests that it really sends."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("crewai", reason="crewai is not installed")
pytest.importorskip("anthropic", reason="anthropic is not installed")

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

from hud_runtime import DeliveryError, HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations.crewai import Hud
from hud_runtime.log.events import ContextSnapshot
from tests.hud_runtime.integrations import agents
from tests.hud_runtime.integrations.agents import ASK, FAULTS, Fault, Shell, play
from tests.hud_runtime.integrations.loopback import Call, Model

pytestmark = pytest.mark.filterwarnings("ignore")

CLAUDE, GPT = "anthropic/claude-sonnet-4-5", "openai/gpt-5.1"


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CREWAI_DISABLE_TELEMETRY", "OTEL_SDK_DISABLED", "CREWAI_TESTING"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")


def agent(model: Model, *tools: Any, name: str = CLAUDE, role: str = "coder", **more: Any) -> Agent:
    base = model.url if name == CLAUDE else f"{model.url}/v1"
    return Agent(
        role=role,
        goal="Mend it.",
        backstory="You code.",
        llm=LLM(model=name, api_key="x", base_url=base),
        tools=[*tools],
        **more,
    )


def own_tools(shell: Shell | None = None) -> list[Any]:
    used = shell or Shell()

    def run(command: str) -> str:
        """Run a command."""
        return used(command)

    return [tool("Read")(agents.read_file), tool("Bash")(run)]


def done(*crew: Agent, ask: str = ASK, **more: Any) -> str:
    tasks = [Task(description=ask, expected_output="Done.", agent=each) for each in crew]
    return str(Crew(agents=[*crew], tasks=tasks, **more).kickoff())


def ran(name: str = CLAUDE, shell: Any = None, **options: Any) -> Any:
    def go(model: Model, source: Any, **more: Any) -> None:
        with Hud(source, **options, **more) as hud:
            made = agent(model, *own_tools(shell), *hud.tools, name=name)
            assert done(made) == "The login is there."

    return go


@pytest.mark.parametrize("name", [CLAUDE, GPT])
def test_append(name: str) -> None:
    played = play(ran(name))
    agents.check_append(played.model.asked)
    state = played.session.state()
    assert state.task is not None
    assert ASK in state.task.description
    assert {each.path for each in state.active_files} >= {"src/login.py", "src/a.py"}
    assert [each.resolved for each in state.errors] == [True]
    assert [each.summary for each in state.decisions] == ["Use RS256"]
    told = [
        each.payload
        for each in played.session.events()
        if isinstance(each.payload, ContextSnapshot)
    ]
    assert [each.input + each.cache_read + each.cache_write for each in told] == [
        each.input for each in played.model.asked
    ]


def test_an_output_is_pruned_and_comes_back() -> None:
    shell = agents.Lister()
    agents.check_pruned(play(ran(shell=shell, prune=True), agents.TO_PRUNE).model.asked)


def test_a_summary_takes_the_place_of_old_messages() -> None:
    summed = agents.Summarizer()

    def run(model: Model, store: HudStore) -> None:
        with Hud(store, summary=summed, policy=CompactionPolicy(keep=0)) as hud:
            made = agent(model, *own_tools(), *hud.tools)
            assert done(made, ask=agents.LONG) == "The login is there."

    played = play(run, agents.COMPACTS, check=False)
    agents.check_compacted(played.model.asked, summed)
    assert "You code." in str(played.model.asked[-1].body["system"])


@pytest.mark.parametrize("mode", ["tail", "system"])
def test_other_modes_are_refused(mode: Any) -> None:
    with pytest.raises(DeliveryError, match='use mode="append"'):
        Hud(HudStore.open(":memory:"), mode=mode)


def test_the_next_agent_of_a_crew_goes_on_with_the_hud_of_the_last() -> None:
    def run(model: Model, store: HudStore) -> None:
        with Hud(store) as hud:
            first = agent(model, *own_tools(), *hud.tools, role="coder")
            second = agent(model, *own_tools(), *hud.tools, role="reviewer")
            done(first, second)
            assert "# HUD" not in str([each.agent_executor.messages for each in (first, second)])

    script = [agents.hud("decisions.record", summary="Use RS256"), "coded", "reviewed"]
    played = play(run, script, check=False)
    assert len(played.store.sessions()) == 1
    [told] = played.model.asked[2].ours()
    assert told.text.startswith("# HUD\n")
    assert "Use RS256" in told.text


def test_a_coworker_that_a_tool_asks_is_a_child() -> None:
    def run(model: Model, store: HudStore) -> None:
        with Hud(store) as hud:
            coder = agent(model, *hud.tools, role="coder", allow_delegation=True)
            helper = agent(model, *hud.tools, role="helper")
            task = Task(description=ASK, expected_output="Done.", agent=coder)
            Crew(agents=[coder, helper], tasks=[task]).kickoff()

    asked = {"question": "Which key is it?", "context": "-", "coworker": "helper"}
    ask = Call("ask_question_to_coworker", json.dumps(asked))
    played = play(run, [ask, *agents.HELPED[1:]], check=False)
    parent, child = sorted(played.store.sessions(), key=len)
    assert child.startswith(f"{parent}/helper-")
    assert [each.content for each in played.store.session(child).state().notes] == ["RS256"]
    assert played.store.session(parent).state().notes == ()


def test_two_crews_at_once_stay_apart() -> None:
    def run(model: Model, store: HudStore) -> None:
        with Hud(store) as hud, ThreadPoolExecutor() as pool:
            crew = [agent(model, *hud.tools) for _ in agents.PARTS]
            made = [
                pool.submit(done, each, ask=part)
                for each, part in zip(crew, agents.PARTS, strict=True)
            ]
            assert [each.result() for each in made] == ["done"] * len(made)

    played = play(run, [agents.hud("tasks.show")] * len(agents.PARTS), check=False)
    tasks = {
        store.state().task.description
        for store in map(played.store.session, played.store.sessions())
    }
    assert len(played.store.sessions()) == len(agents.PARTS)
    assert all(any(part in task for task in tasks) for part in agents.PARTS)
    for each in played.model.asked:
        told = "\n".join(block.text for block in each.ours())
        own = next(part for part in agents.PARTS if any(part in one.text for one in each.blocks))
        assert not any(part in told for part in agents.PARTS if part != own)


def test_a_hud_that_is_closed_does_nothing() -> None:
    def run(model: Model, store: HudStore) -> None:
        with Hud(store):
            made = agent(model, *own_tools())
            done(made)
        done(made)

    played = play(run, ["done", "done"], check=False)
    assert len(played.store.sessions()) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_ends_a_run(fault: Fault) -> None:
    def run(model: Model, source: Any, tell: Any) -> None:
        ran(on_warning=tell)(model, source)

    agents.check_fault(run, fault)

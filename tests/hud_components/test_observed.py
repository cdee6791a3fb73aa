"""Checks, facts and the goal: what hosts and transcripts tell, and no agent writes."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from hud_components import CODING, Check, ChecksList, Fact, FactsList, Hud, HudState, Task, parse
from hud_runtime import HudStore
from tests.hud_components.strategies import DENSITIES, TEXTS
from tests.hud_runtime.clock import Ticking
from tests.ids import looped
from ujsx import Density, render

CHECKS = st.lists(
    st.builds(
        Check, command=TEXTS, result=st.sampled_from(["pass", "fail"]), in_turn=st.integers(0, 99)
    ),
    max_size=12,
).map(tuple)
FACTS = st.lists(st.builds(Fact, name=TEXTS, value=TEXTS), max_size=12).map(tuple)
TASKS = st.none() | st.builds(Task, description=TEXTS, goal=st.none() | TEXTS)


@given(checks=CHECKS, facts=FACTS, task=TASKS, density=DENSITIES)
def test_are_read_back(
    checks: tuple[Check, ...], facts: tuple[Fact, ...], task: Task | None, density: Density
) -> None:
    assume(checks or facts or task)  # nothing at all is warned of
    hud = Hud.of(HudState(checks=checks, facts=facts, task=task))
    text = render(hud, density=density)
    assert not text or render(parse(text), density=density) == text


def test_those_that_failed_are_shown_before_others() -> None:
    checks = [Check(command=f"c{n}", result="fail" if n == 0 else "pass") for n in range(20)]
    text = render(ChecksList(checks=tuple(checks)), density="compact")
    assert "`c0`: fail" in text
    assert "· *15 more*" in text


def test_are_no_operations_of_the_tool() -> None:
    assert {"check.result", "fact.set", "task.goal"} <= set(CODING.section_events)
    assert not {"checks", "facts"} & {name.partition(".")[0] for name in CODING.operations}
    assert "task.goal" not in CODING.operations
    assert ChecksList.has_operations is FactsList.has_operations is False


def test_leave_a_state_that_has_none_of_them_as_it_was() -> None:
    assert not {"checks", "facts"} & set(HudState().model_dump())
    assert "goal" not in Task(description="Add a login").model_dump()


class TestEvents:
    def test_the_latest_result_of_a_check_counts_and_stands_last(self) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            for name, command, result in (
                ("pytest", "pytest -q", "fail"), ("mypy", "mypy src", "pass"), ("pytest", "uv run pytest", "pass"),
            ):  # fmt: skip
                session.record("check.result", name=name, command=command, result=result)
            told = [(check.command, check.result) for check in session.state().checks]
        assert told == [("mypy src", "pass"), ("uv run pytest", "pass")]

    def test_a_fact_is_replaced_and_taken_away(self) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            for name, value in (
                ("branch", "main"),
                ("commit", "1a"),
                ("branch", "fix"),
                ("commit", ""),
            ):
                session.record("fact.set", name=name, value=value)
            assert session.state().facts == (Fact(name="branch", value="fix"),)

    @looped(("task", "goal"), [("Push", "Add a login"), ("Add a login", None)])
    def test_the_goal_stays_while_the_task_changes(self, task: str, goal: str | None) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            session.record("task.goal", goal="Add a login")
            session.record("task.set", description="Write the form")
            session.record("task.goal", goal="Add a login")
            session.record("task.set", description=task)
            state = session.state()
        assert state.task is not None
        assert (state.task.description, state.task.goal) == (task, goal)

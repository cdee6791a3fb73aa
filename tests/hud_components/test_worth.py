"""The order of worth: what a HUD shows first when tokens are short."""

from __future__ import annotations

from hud_components import (
    ActiveFile,
    Blocker,
    Check,
    Decision,
    ErrorRecord,
    Hud,
    HudState,
    Note,
    Step,
    Task,
)
from ujsx import Renderer

LONG = "which takes a few words to say, as such things do"


def number(n: int) -> str:
    return f"number {n}, {LONG}"


STATE = HudState(
    task=Task(description=number(0)),
    decisions=tuple(
        Decision(id=f"d-{n}", summary=number(n), details=f"{LONG} {LONG}") for n in range(20)
    ),
    notes=tuple(Note(id=f"n-{n}", content=number(n)) for n in range(20)),
    next_steps=tuple(Step(id=f"s-{n}", description=number(n), order=n) for n in range(20)),
    active_files=tuple(ActiveFile(path=f"src/{n}.py", last_accessed=n) for n in range(20)),
    errors=tuple(ErrorRecord(id=f"e-{n}", message=number(n)) for n in range(20)),
    blockers=(Blocker(id="b-1", description=number(0)),),
    checks=tuple(
        Check(name=f"{n}", command=f"pytest {n}.py", result="fail", in_turn=n) for n in range(20)
    ),
)


def first_named() -> list[tuple[str, str]]:
    """The sections and rungs that steps lead to, in the order in which a budget takes them."""
    plan = Renderer().plan(Hud.of(STATE))
    return [
        (plan.ladders[step.ladder].piece.name, str(plan.ladders[step.ladder].useful[step.to].rung))
        for step in plan.steps
    ]


def test_what_is_open_stands_before_what_is_known_and_that_before_what_is_old() -> None:
    order = [
        ("NextSteps", "minimal/1"),
        ("NextSteps", "compact/3"),
        ("ChecksList", "compact/3"),
        ("ErrorsList", "compact/1"),
        ("NotesSection", "compact/1"),
        ("ActiveFiles", "compact/6"),
        ("NotesSection", "compact/3"),
        ("DecisionsList", "full/10"),
        ("ActiveFiles", "full/15"),
        ("NextSteps", "full"),
    ]
    found = first_named()
    places = [found.index(each) for each in order]
    assert places == sorted(places), found

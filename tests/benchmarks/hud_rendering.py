"""Rendering the built-in HUD: beside the peers, kept from turn to turn, with rules of one's own.

The peers give the same bytes, which is checked first; pydantic-promptmodel escapes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from pydantic_promptmodel import PromptModel

from hud_components import ContextUsage, Hud, HudState
from hud_runtime import HudSession, HudStore
from tests.benchmarks._peers import hud_with_f_string, hud_with_jinja
from tests.benchmarks._sample import PROFILES, sample_state
from tests.benchmarks._timing import Asked, Run, answers, medians, table
from ujsx import Element, Rendered, Renderer, Transform, mdast, registry
from ujsx.elements import Strong
from ujsx.tokens import estimate_tokens

MANY = 64
"""How many states there are that differ in one text."""


class PromptHud(PromptModel):
    """The HUD as pydantic-promptmodel has it, with lines put together beforehand."""

    _title: str = "HUD"
    task: str
    decisions: tuple[str, ...]
    next_steps: tuple[str, ...]
    notes: tuple[str, ...]
    active_files: tuple[str, ...]
    context: str


def with_promptmodel(state: HudState) -> str:
    """Return the HUD as pydantic-promptmodel makes it: lists of strings, one model."""
    usage = state.usage
    assert state.task is not None
    assert usage is not None
    return PromptHud(
        task=state.task.description,
        decisions=tuple(f"{d.summary} — {d.details}" for d in state.decisions),
        next_steps=tuple(s.description for s in state.next_steps),
        notes=tuple(n.content for n in state.notes),
        active_files=tuple(f"{f.path} ({f.status})" for f in state.active_files),
        context=f"{int(usage.percentage)}% used ({usage.used:,} / {usage.limit:,} tokens)",
    ).to_markdown()


def cold(state: HudState, **options: Any) -> str:
    """Return the HUD as a renderer makes it that knows nothing."""
    return Renderer(**options).render(Hud.of(state)).text


def changed(state: HudState) -> Sequence[HudState]:
    """Return states that differ in the last decision's summary."""
    *others, last = state.decisions
    return [
        state.model_copy(
            update={
                "decisions": (
                    *others,
                    last.model_copy(update={"summary": f"{last.summary}, {n}"}),
                )
            }
        )
        for n in range(MANY)
    ]


def turns_of(states: Sequence[HudState]) -> Run:
    """Return what renders the next state with a renderer that is kept."""
    kept, turns = Renderer(), count()
    return lambda: kept.render(Hud.of(states[next(turns) % MANY])).text


def print_beside_the_peers(state: HudState) -> None:
    """Print what the HUD costs as it changes, beside all peers."""
    text = cold(state)
    turns = count()
    readings = [ContextUsage(used=n * 10_000, model="claude-sonnet-4") for n in range(18)]
    *calm, warned = readings  # the last is at 85 %, where the warning stands
    around = (calm[-1], warned)
    hud = Hud.of(state)
    read, warns, same, unasked = (Renderer() for _ in range(4))

    def one_reading_changed() -> Rendered:
        reading = calm[next(turns) % len(calm)]  # each has another text
        return read.render(Hud.of(state, reading))

    def warning_changed() -> Rendered:
        return warns.render(Hud.of(state, around[next(turns) % 2]))

    times = medians(
        {
            "ujsx, cold": lambda: cold(state),
            "ujsx, one reading changed": lambda: one_reading_changed().text,
            "ujsx, one reading changed, tokens": lambda: one_reading_changed().tokens,
            "ujsx, a warning comes or goes": lambda: warning_changed().text,
            "ujsx, one of 10 decisions changed": turns_of(changed(state)),
            "ujsx, nothing changed": lambda: unasked.render(hud).text,
            "ujsx, laid out anew, nothing changed": lambda: same.render(Hud.of(state)).text,
            "ujsx, laid out anew, its tokens": lambda: same.render(Hud.of(state)).tokens,
            "f-string": lambda: hud_with_f_string(state),
            "Jinja2": lambda: hud_with_jinja(state),
            "Jinja2, tokens": lambda: estimate_tokens(hud_with_jinja(state)),
            "promptmodel, escapes nothing": lambda: with_promptmodel(state),
            "estimate_tokens, whole text": lambda: estimate_tokens(text),
        }
    )
    title = f"A full HUD: {len(text):,} characters, about {estimate_tokens(text):,} tokens"
    print(table(title, times, "f-string", "Jinja2"))


def print_profiles() -> None:
    """Print how the HUD compares with what escapes as much, in every profile of text."""
    states = {profile: sample_state(profile) for profile in PROFILES}
    for profile, state in states.items():
        text = cold(state)
        assert text == hud_with_f_string(state), f"the f-string must give the same bytes, {profile}"
        assert text == hud_with_jinja(state), f"the template must give the same bytes, {profile}"
        turn, jinja_turn = turns_of(changed(state)), _jinja_turns(changed(state))
        assert all(turn() == jinja_turn() for _ in range(3)), f"a kept renderer, too, {profile}"

    def against(peer: Callable[[HudState], str], most: float | None) -> list[Asked]:
        return [
            Asked(profile, partial(cold, state), partial(peer, state), most)
            for profile, state in states.items()
        ]

    print(answers("The HUD, cold, to the escaping f-string", against(hud_with_f_string, 5)))
    title = "The same, with the garbage collector at work in both"
    print(answers(title, against(hud_with_f_string, None), collects=True))
    questions = [
        Asked(profile, turns_of(changed(state)), _jinja_turns(changed(state)), 0.8)
        for profile, state in states.items()
    ]
    print(answers("The HUD, one of 10 decisions changed, to Jinja2", questions))


def _jinja_turns(states: Sequence[HudState]) -> Run:
    turns = count()
    return lambda: hud_with_jinja(states[next(turns) % MANY])


def print_said_aloud(state: HudState) -> None:
    """Print what it costs to say an option, or to register a rule, that changes nothing."""
    own = registry.copy()

    @own.rule("ujsx -> mdast", Strong)
    def strong(element: Element[Strong], transform: Transform) -> mdast.Strong:
        return mdast.Strong(tuple(transform.all(element.children)))

    assert cold(state) == cold(state, bullet="-") == cold(state, registry=own)
    questions = [
        Asked('Renderer(bullet="-")', lambda: cold(state, bullet="-"), lambda: cold(state), 1.2),
        Asked(
            "a rule of one's own for Strong",
            lambda: cold(state, registry=own),
            lambda: cold(state),
            1.2,
        ),
    ]
    print(answers("What is usual, said aloud, to the default: the HUD, cold", questions))


def print_two_sessions() -> None:
    """Print what a turn costs where two sessions take turns, to a turn of one alone."""
    state = sample_state()
    notes = [(note, note.content.replace("ledger", "billing")) for note in state.notes]
    told = tuple(note.model_copy(update={"content": content}) for note, content in notes)
    other = state.model_copy(update={"notes": told})
    alone, left, right = (turns_of(changed(each)) for each in (state, state, other))
    with HudStore.open(":memory:") as store:
        one, first, second = (_session(store, name) for name in ("one", "first", "second"))
        questions = [
            Asked(
                "a renderer each, one decision changed",
                lambda: (left(), right()),
                lambda: (alone(), alone()),
                1.1,
                2,
            ),
            Asked(
                "session.record and session.hud",
                lambda: (_turn(first), _turn(second)),
                lambda: (_turn(one), _turn(one)),
                1.1,
                2,
            ),
        ]
        print(answers("Two sessions in turn, to one: a turn", questions))


def _session(store: HudStore, name: str) -> HudSession:
    session = store.session(name)
    state = sample_state()
    assert state.task is not None
    session.record("task.set", description=state.task.description)
    for decision in state.decisions:
        session.record("decision.record", summary=decision.summary, details=decision.details)
    for note in state.notes:
        session.record("note.add", content=note.content)
    for step in state.next_steps:
        session.record("step.add", description=step.description)
    return session


_FILES = count()


def _turn(session: HudSession) -> str:
    session.record("file.edit", path=f"src/auth/tokens_{next(_FILES) % 15}.py")
    return session.hud().text


def main() -> None:
    """Measure and print."""
    print_beside_the_peers(sample_state())
    print_profiles()
    print_said_aloud(sample_state())
    print_two_sessions()


if __name__ == "__main__":
    main()

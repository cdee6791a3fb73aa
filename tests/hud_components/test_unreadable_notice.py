"""The line about what cannot be read: its words, its place, its share of a budget, and how it is read back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hud_components import (
    Domain,
    Hud,
    HudState,
    Note,
    NotesSection,
    StatusLine,
    Tally,
    Task,
    TaskSection,
    Unreadable,
    WarningBanner,
    parse,
    read_agent_layout,
    room_for,
)
from hud_components.layout import UnreadableNotice
from tests.benchmarks.budget_laws import generated_state
from tests.ids import looped
from ujsx import Density, RenderContext, render, render_document

NAMES = ("decisions", "notes", "task", "risks", "x\n# y", "a" * 60, "")


def lacking(source: random.Random) -> tuple[Unreadable, ...]:
    """What some state lacks, of sections that the domain has and others."""
    return tuple(
        Unreadable(
            section=source.choice(NAMES), item=source.choice(("", f"n-{n}", "task")), version=n
        )
        for n in range(2, source.randint(3, 40))
    )


def state_of(*unreadable: tuple[str, str], **values: Any) -> HudState:
    found = [
        Unreadable(section=section, item=item, version=n)
        for n, (section, item) in enumerate(unreadable, start=2)
    ]
    return HudState(unreadable=tuple(found), **values)


def line(state: HudState, **texts: str) -> str:
    """What the notice of a state says, without its marks."""
    text = render(UnreadableNotice.of_state(state), context=RenderContext(texts=texts))
    return text.strip("*\n").removesuffix(": `hud history`")


class TestWords:
    @looped(
        ("unreadable", "told"),
        [
            ([("notes", "n-2")], "1 note cannot be read"),
            ([("notes", "n-2"), ("notes", "n-3")], "2 notes cannot be read"),
            ([("notes", "n-1")], "changes to 1 note cannot be read"),
            ([("notes", "")], "1 entry of notes cannot be read"),
            ([("task", "task")], "1 task cannot be read"),
            (
                [("notes", "n-2"), ("notes", "n-1"), ("risks", "r-2"), ("risks", "r-3")],
                "1 note, changes to 1 note, 2 entries of risks cannot be read",
            ),
            ([("x\n# y", "1"), ("", "2"), ("a" * 60, "")], "3 entries cannot be read"),
        ],
    )
    def test_count_by_kind(self, unreadable: Any, told: str) -> None:
        assert line(state_of(*unreadable, notes=(Note(id="n-1", content="x"),))) == told

    def test_name_a_few_kinds_alone(self) -> None:
        several = [(name, "1") for name in "abcdefghij"]
        assert line(state_of(*several)).endswith(", 1 entry of f, 4 entries cannot be read")

    def test_are_in_the_language_of_the_caller(self) -> None:
        texts = {"unreadable": "nicht lesbar: {what}", "notes.noun": "Notiz|Notizen"}
        assert line(state_of(("notes", "n-2")), **texts) == "nicht lesbar: 1 Notiz"

    def test_of_a_status_line_are_read_back(self) -> None:
        text = render(StatusLine(state=state_of(("notes", "n-2"))))
        assert text == "no task · ⚠ 1 unreadable\n"
        (read,) = parse(text).children
        assert isinstance(read, StatusLine)
        assert read.tally == Tally(unreadable=1)


class TestPlace:
    def test_is_before_the_lists_and_what_changes_each_turn(self) -> None:
        state = state_of(("notes", "n-2"), task=Task(description="x"), notes=(Note(content="a"),))
        names = [type(each).__name__ for each in Hud.of(state).children]
        assert names[:3] == ["TaskSection", "UnreadableNotice", "DecisionsList"]
        bare = [type(each).__name__ for each in Hud.of(state_of(("notes", "n-2"))).children]
        assert bare[0] == "UnreadableNotice"

    @looped(
        "tree",
        [
            Hud(),
            Hud()[NotesSection()],
            Hud()[TaskSection(), WarningBanner()],
            Hud()[UnreadableNotice(), NotesSection()],
            read_agent_layout("<Hud><NotesSection limit={3}/></Hud>", HudState),
        ],
    )
    def test_is_once_in_any_hud_that_shows_a_state(self, tree: Any) -> None:
        state = state_of(("notes", "n-2"), notes=(Note(id="n-1", content="Port 8080"),))
        context = RenderContext().with_value(state)
        assert render(tree, context=context).count("1 note cannot be read") == 1
        sound = RenderContext().with_value(HudState(notes=state.notes))
        assert "cannot be read" not in render(tree, context=sound)

    def test_of_a_sound_state_is_nowhere(self) -> None:
        assert UnreadableNotice.of_state(HudState()) is None
        assert "unreadable" not in HudState().model_dump(mode="json")


@pytest.mark.hypothesis  # random states: "make laws" looks at more of them
class TestLaws:
    COUNT = 20

    def states(self) -> Any:
        source = random.Random(7)
        for _ in range(self.COUNT):
            state = generated_state(source)
            yield state, state.model_copy(update={"unreadable": lacking(source)})

    def test_it_is_told_at_every_density_and_budget_and_read_back(self) -> None:
        for _, state in self.states():
            total = len(state.unreadable)
            for density in Density:
                room = room_for(state.usage, density)
                for budget in (1, room.budget):
                    made = render_document(Hud.of(state), density=density, budget=budget)
                    [lost] = [each for each in made.omitted if each.section == "UnreadableNotice"]
                    assert (lost.count, lost.handle) == (total, "hud history")
                    assert f"{total} unreadable" in made.text or "cannot be read" in made.text
                    assert made.over_budget or made.budgeted <= (budget or made.budgeted)
                text = render(Hud.of(state), density=density)
                assert render(parse(text), density=density) == text

    def test_a_floor_has_a_few_tokens_more_and_nothing_else_passes_a_budget(self) -> None:
        for sound, state in self.states():
            for density in Density:
                budget = room_for(state.usage, density).budget
                made = render_document(Hud.of(state), density=density, budget=budget)
                floor = render_document(Hud.of(state), density=density, budget=0).tokens
                without = render_document(Hud.of(sound), density=density, budget=0).tokens
                assert made.budgeted <= max(budget or 0, floor)
                assert floor <= without + 8


def test_every_domain_has_it() -> None:
    assert Domain("small", sections=(NotesSection,)).state().unreadable == ()

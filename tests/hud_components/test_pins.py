"""O4: a section that is pinned is shown in full as far as there is room; one that is folded, at its least."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    Blocker,
    Compact,
    ContextUsage,
    Decision,
    Hud,
    HudState,
    Note,
    NotesSection,
    Step,
    Task,
    TaskSection,
    When,
    as_shown,
    parse,
)
from hud_components.changes import tell, update
from tests.docs.domains.cases import SUPPORT
from tests.hud_components.cases import NOW
from tests.hud_components.changes.reading import read
from tests.hud_components.changes.test_delta import Reader
from tests.hud_components.strategies import DENSITIES, STATES
from tests.hud_components.test_laws import facts, marked
from tests.ids import looped
from ujsx import (
    Child,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Rung,
    explain,
    render,
    render_document,
)
from ujsx.testing import assert_inert

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")

FIELDS = tuple(CODING.fields)
FOLDABLE = tuple(name for name, one in CODING.fields.items() if not one.stays_shown)

STATE = HudState(
    task=Task(description="Move the ledger"),
    notes=tuple(Note(id=f"n-{n}", content=f"Note {n} is about port {8000 + n}") for n in range(12)),
    decisions=tuple(Decision(id=f"d-{n}", summary=f"Decision {n}") for n in range(6)),
    next_steps=tuple(Step(id=f"s-{n}", description=f"Step {n}", order=n) for n in range(4)),
    usage=ContextUsage(used=20_000),
)


@st.composite
def pins(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Some sections pinned, and some of the others folded."""
    pinned = draw(st.lists(st.sampled_from(FIELDS), unique=True, max_size=3))
    folded = draw(st.lists(st.sampled_from(FOLDABLE), unique=True, max_size=3))
    return {
        "pinned_sections": tuple(pinned),
        "folded_sections": tuple(each for each in folded if each not in pinned),
    }


def with_pins(
    state: HudState, *, pinned: tuple[str, ...] = (), folded: tuple[str, ...] = ()
) -> Any:
    return Hud.of(state.model_copy(update={"pinned_sections": pinned, "folded_sections": folded}))


class TestPinned:
    @looped("density", list(Density))
    def test_shows_all_at_every_density(self, density: Density) -> None:
        text = render(with_pins(STATE, pinned=("notes",)), density=density)
        assert all(note.content in text for note in STATE.notes)
        usual = render(Hud.of(STATE), density=density)
        assert density is Density.FULL or STATE.notes[0].content not in usual

    def test_takes_what_the_tier_has_and_no_more(self) -> None:
        for density, budget in (("compact", 144), ("minimal", 48)):
            usual = render_document(Hud.of(STATE), density=density, budget=budget)
            made = render_document(
                with_pins(STATE, pinned=("notes",)), density=density, budget=budget
            )
            assert made.budgeted <= budget
            shown = [
                sum(note.content in each.text for note in STATE.notes) for each in (made, usual)
            ]
            assert shown[0] >= shown[1]
        assert "- Note 11" in render(
            with_pins(STATE, pinned=("notes",)), density="compact", budget=144
        )

    def test_stands_behind_what_is_in_the_way_and_what_was_asked(self) -> None:
        """A pin never hides a blocker, nor the beginning of the task."""
        many = tuple(Note(id=f"n-{n}", content=f"note {n} " + "words " * 30) for n in range(300))
        state = STATE.model_copy(
            update={"notes": many, "blockers": (Blocker(description="no access to the logs"),)}
        )
        for density, budget in (("full", 480), ("compact", 144)):
            made = render_document(
                with_pins(state, pinned=("notes",)), density=density, budget=budget
            )
            assert made.budgeted <= budget
            assert "no access to the logs" in made.text
            assert "Move the ledger" in made.text
            assert "Step 0" in made.text
            assert "note 299" in made.text

    def test_does_not_widen_what_a_layouts_author_has_narrowed(self) -> None:
        state = STATE.model_copy(update={"pinned_sections": ("notes",)})
        context = RenderContext().with_value(state)
        text = render(Hud()[NotesSection(limit=2)], context=context)
        assert sum(note.content in text for note in STATE.notes) == 2
        dense = render(Hud()[NotesSection(density="compact")], context=context)
        assert "**Notes:**" in dense

    def test_is_explained(self) -> None:
        told = str(explain(with_pins(STATE, pinned=("notes",)), 100))
        steps = [line for line in told.splitlines() if "NotesSection:" in line]
        assert any("it is pinned" in each for each in steps)
        order = explain(with_pins(STATE, pinned=("notes",)), 100).order
        places = {each.reason: place for place, each in reversed([*enumerate(order)])}
        assert places["it is pinned"] < places["what is to be done next"]


class TestFolded:
    @looped("field", ["notes", "decisions", "next_steps"])
    @looped("how", [{}, {"budget": 480}, {"density": "compact", "budget": 144}])
    def test_is_a_count_with_the_call_that_shows_all(self, field: str, how: dict[str, Any]) -> None:
        section = CODING.fields[field]
        items = getattr(STATE, field)
        made = render_document(with_pins(STATE, folded=(field,)), **how)
        words = f"*{len(items)} {section.name}: `hud {section.name}.list`*"
        assert words in made.text.splitlines()
        [left] = [each for each in made.omitted if each.handle == f"hud {section.name}.list"]
        assert left.ids == tuple(item.id for item in items)
        assert left.tokens > 0

    def test_gives_its_tokens_to_others(self) -> None:
        def shown(node: Child) -> int:
            text = render_document(node, density="compact", budget=90).text
            return sum(note.content in text for note in STATE.notes)

        assert shown(with_pins(STATE, folded=("decisions", "next_steps"))) > shown(Hud.of(STATE))

    def test_is_a_mere_count_where_the_hud_is_densest(self) -> None:
        text = render(with_pins(STATE, folded=("notes",)), density="minimal", budget=48)
        assert "12 notes" in text
        assert "notes.list" not in text

    def test_of_a_task_is_its_beginning(self) -> None:
        state = STATE.model_copy(update={"task": Task(description="Move the ledger " * 20)})
        text = render(with_pins(state, folded=("task",)))
        assert "**Task:** Move the ledger" in text
        assert len(text.splitlines()[2]) < 60

    def test_is_explained(self) -> None:
        explained = explain(with_pins(STATE, folded=("notes",)), 400)
        [section] = [each for each in explained.sections if each.name == "NotesSection"]
        assert [str(each.rung) for each in section.rungs] == ["None", "minimal/0", "compact/0"]
        reasons = {each.reason for each in explained.order if each.section == "NotesSection"}
        assert reasons == {"it is folded"}

    def test_of_what_has_to_be_seen_is_as_if_nobody_had(self) -> None:
        """Whatever an old log, or another domain's, says."""
        state = STATE.model_copy(update={"blockers": (Blocker(description="no access"),)})
        node = with_pins(state, folded=("blockers", "compacted_context", "usage", "nothing"))
        assert render(node) == render(Hud.of(state))


class TestLaws:
    @given(STATES, pins(), st.lists(st.integers(0, 900), min_size=2, max_size=5).map(sorted))
    def test_more_budget_never_shows_less_nor_more_than_it_may(
        self, state: HudState, standing: dict[str, Any], budgets: list[int]
    ) -> None:
        node = Hud.of(marked(state).model_copy(update=standing), now=NOW)
        for density in (None, "compact", "minimal"):
            before: set[str] = set()
            for budget in budgets:
                made = render_document(node, density=density, budget=budget)
                assert made.over_budget or made.budgeted <= budget
                now = facts(made.text)  # of items in a line that sections share, too
                assert before <= now
                before = now

    @given(STATES, pins(), DENSITIES, st.none() | st.integers(0, 600))
    def test_a_pin_passes_no_ceiling_that_holds_without_it(
        self, state: HudState, standing: dict[str, Any], density: Density, budget: int | None
    ) -> None:
        """The least that a HUD shows takes no more than it took, by its pieces, but for what folds and pins say.

        What is pinned may stand on a higher rung there: one that takes no more, and shows no less.
        """
        state = marked(state)
        node = Hud.of(state.model_copy(update=standing), now=NOW)
        least = render_document(node, density=density, budget=0)
        usual = render_document(Hud.of(state, now=NOW), density=density, budget=0)
        counted, usually = (sum(each.tokens for each in made.nodes) for made in (least, usual))
        said = 12 * len(standing["folded_sections"]) + 3 * len(standing["pinned_sections"])
        assert counted <= usually + said
        if not standing["folded_sections"]:
            assert facts(usual.text) <= facts(least.text)

    @given(STATES, pins(), DENSITIES)
    def test_is_inert_and_can_be_read_back(
        self, state: HudState, standing: dict[str, Any], density: Density
    ) -> None:
        node = Hud.of(state.model_copy(update=standing), now=NOW)
        assert_inert(node, RenderContext(density=density))
        assert parse(render(node, density=density)) == as_shown(node, density=density)

    @given(STATES, pins(), DENSITIES)
    def test_a_bound_state_shows_the_same_as_the_hud_of_it(
        self, state: HudState, standing: dict[str, Any], density: Density
    ) -> None:
        state = state.model_copy(update=standing)
        bound = render(Hud(), density=density, context=RenderContext().with_value(state))
        assert bound == render(Hud.of(state), density=density)


class Wrapped(Component):
    """A component of somebody's own that holds a section."""

    def render(self, ctx: RenderContext, children: Any) -> Child:
        return NotesSection()


class TestLayouts:
    @looped(
        "layout",
        [
            Hud()[TaskSection(), NotesSection()],
            [TaskSection(), NotesSection()],
            Hud()[When(has="task")[NotesSection()]],
            Hud()[Compact()[NotesSection()]],
            Hud()[Wrapped()],
            Hud()[NotesSection().keyed("mine")],
        ],
    )
    def test_have_what_is_pinned_and_folded(self, layout: Child) -> None:
        for standing, words in (("folded", "*12 notes: `hud notes.list`*"), ("pinned", "- Note 5")):
            state = STATE.model_copy(update={f"{standing}_sections": ("notes",)})
            made = render_document(
                layout, density="compact", budget=400, context=RenderContext().with_value(state)
            )
            assert any(line.startswith(words) for line in made.text.splitlines())

    def test_may_say_that_a_section_stands_as_usual(self) -> None:
        context = RenderContext().with_value(
            STATE.model_copy(update={"folded_sections": ("notes",)})
        )
        assert "- Note 5" in render(Hud()[NotesSection(standing="usual")], context=context)

    def test_in_a_domain_of_ones_own(self) -> None:
        domain = SUPPORT.domain
        lists = [one for one in domain.fields.values() if one.kind and not one.stays_shown]
        assert lists
        for section in lists:
            assert domain.field_of(section.name) == section.field


class TestDeltas:
    def test_say_what_was_folded_and_what_came_back(self) -> None:
        context = RenderContext()
        states = [
            STATE,
            STATE.model_copy(update={"folded_sections": ("notes",)}),
            STATE.model_copy(
                update={
                    "folded_sections": ("notes",),
                    "notes": (*STATE.notes, Note(id="n-77", content="One more")),
                }
            ),
            STATE.model_copy(update={"notes": (*STATE.notes, Note(id="n-77", content="One more"))}),
        ]
        nodes = [Hud.of(each) for each in states]
        whole = render_document(nodes[0])
        told, texts = tell(nodes[0], whole, context), [whole.text]
        for node in nodes[1:]:
            made = update(told, node, render_document(node), context)
            assert made is not None
            told = made.told
            texts.append(made.text)
            assert sorted(each.text for each in read(texts[0], texts[1:], context)) == sorted(
                each.text for each in told.lines
            )
        assert "*new:* *12 notes: `hud notes.list`*" in texts[1]
        assert "*13 notes: `hud notes.list`*" in texts[2]
        assert "One more" not in texts[2]
        assert "*no longer shown:* 13 notes" in texts[3]
        assert "- One more" in texts[3]

    @given(st.lists(st.tuples(pins(), st.integers(0, 12), DENSITIES), min_size=2, max_size=6))
    def test_add_up_whatever_is_pinned_and_folded(
        self, turns: list[tuple[dict[str, Any], int, Density]]
    ) -> None:
        reader = Reader()
        for standing, count, density in turns:
            state = STATE.model_copy(update={**standing, "notes": STATE.notes[:count]})
            reader.show(Hud.of(state), density=density)
            reader.show(Hud.of(state), budget=144)

    def test_say_what_a_pin_shows(self) -> None:
        context = RenderContext().with_density("compact")
        node = Hud.of(STATE)
        told = tell(node, render_document(node, density="compact", budget=144), context)
        pinned = with_pins(STATE, pinned=("notes",))
        made = update(told, pinned, render_document(pinned, density="compact", budget=300), context)
        assert made is None or "Note 5" in made.text


class TestDisclosures:
    """Of any component: a density is no ceiling to what is pinned."""

    def test_that_are_pinned_stand_on_their_top(self) -> None:
        ladder = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL))
        pinned = Disclosure(ladder, is_pinned=True, floor=Density.MINIMAL)
        assert [str(pinned.at(each)) for each in Density] == ["full"] * 3
        assert [str(pinned.highest(each)) for each in Density] == ["full"] * 3
        assert pinned.lowest is Density.MINIMAL

"""Layouts: their order, where their data come from, and what wraps them."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

from hud_components import (
    Blocker,
    BlockersList,
    Compact,
    ContextBar,
    DecisionsList,
    Domain,
    ErrorRecord,
    Hud,
    HudState,
    Label,
    Labelled,
    NextSteps,
    Note,
    NotesSection,
    Now,
    StatusLine,
    Task,
    TaskSection,
)
from hud_components.declaring import LayoutWarning
from tests.hud_components.cases import NOW, STATES, TYPICAL
from tests.ids import looped
from ujsx import (
    CallError,
    Child,
    Children,
    Component,
    Density,
    Element,
    PropError,
    RenderContext,
    Renderer,
    component,
    load,
    render,
    render_document,
)
from ujsx.elements import Section

BOUND = RenderContext().with_value(TYPICAL)


class TestOf:
    def test_another_bound_state_does_not_show_through(self) -> None:
        for state in (HudState(), HudState(notes=(Note(content="a"),))):
            context = BOUND.with_value(Now(NOW))
            for density in Density:
                shown = render(Hud.of(state), density=density, context=context)
                assert shown == render(Hud.of(state), density=density)

    def test_only_what_changed_is_another_section(self) -> None:
        later = TYPICAL.model_copy(update={"notes": (Note(content="b"),)})
        one, two = Hud.of(TYPICAL).children, Hud.of(later).children
        changed = [type(b).__name__ for a, b in zip(one, two, strict=True) if a != b]
        assert changed == ["NotesSection"]

    def test_keeps_nothing_of_a_state(self) -> None:
        note = Note(content="nobody but this one holds it")
        render(Hud.of(HudState(notes=(note,), task=Task(description="Forget"))))
        assert not [each for each in gc.get_referrers(note) if type(each) is tuple]

    def test_two_states_in_turn_do_not_mix(self) -> None:
        states = [*STATES.values()]
        alone = [render(Hud.of(state, now=NOW)) for state in states]
        assert [render(Hud.of(state, now=NOW)) for state in reversed(states)] == alone[::-1]

    def test_what_time_it_is_changes_what_stands_last_alone(self) -> None:
        renderer = Renderer()
        first = renderer.render(Hud.of(TYPICAL, now=NOW))
        second = renderer.render(Hud.of(TYPICAL, now=NOW + 3_600_000))
        pairs = zip(first.sections, second.sections, strict=True)
        changed = [a.name for a, b in pairs if a.fingerprint != b.fingerprint]
        assert changed == ["SessionLine", "StaleNotice"]

    def test_a_subclass_gives_its_own(self) -> None:
        class Mine(Hud):
            """A HUD of one's own."""

        assert type(Mine.of(TYPICAL).component) is Mine
        assert type(Hud.of(TYPICAL).component) is Hud

    def test_a_state_may_be_given_to_the_hud_itself(self) -> None:
        given: Any = Hud
        assert render(given(state=TYPICAL)) == render(Hud.of(TYPICAL))
        of_state = render(Hud.of(TYPICAL, percentage=90), density="minimal")
        assert render(given(TYPICAL, percentage=90)) == of_state
        other = RenderContext().with_value(HudState(task="Another task"))
        layout = given(state=TYPICAL)[TaskSection()]
        bound = RenderContext().with_value(TYPICAL)
        assert render(layout, context=other) == render(Hud()[TaskSection()], context=bound)
        assert given(state=TYPICAL) == given(state=TYPICAL) != Hud()
        assert given(task="Add a login", todo="Ship", percentage=90) == given(
            state={"task": "Add a login", "next_steps": ["Ship"]}, percentage=90
        )
        with pytest.raises(CallError, match=r"takes no task= .*write Hud\(state=state\)"):
            given(state=TYPICAL, task="Add a login")

    def test_what_is_no_state_is_refused(self) -> None:
        with pytest.raises(PropError, match="a HUD takes a State"):
            Hud.of(TYPICAL.task)  # type: ignore[arg-type]

    def test_resolved_blockers_and_errors_leave(self) -> None:
        state = HudState(
            blockers=(Blocker(description="gone", resolved=True), Blocker(description="here")),
            errors=(ErrorRecord(message="gone", resolved=True), ErrorRecord(message="here")),
        )
        for density in Density:
            assert "gone" not in render(Hud.of(state), density=density)


class TestTitle:
    def test_it_is_the_authors_at_every_density(self) -> None:
        for density in Density:
            text = render(Hud(title="Mine")[TaskSection()], density=density, context=BOUND)
            assert text.startswith("# Mine\n")

    def test_the_usual_one_is_left_out_where_space_is_short(self) -> None:
        assert render(Hud()[TaskSection()], context=BOUND).startswith("# HUD\n")
        assert "#" not in render(Hud()[TaskSection()], density="minimal", context=BOUND)

    def test_an_empty_one_is_none(self) -> None:
        assert render(Hud(title="")[TaskSection()], context=BOUND).startswith("# Task\n")
        texts = RenderContext(texts={"hud.title": ""})
        assert render(Hud.of(HudState(task=TYPICAL.task)), context=texts).startswith("# Task\n")


class TestOrder:
    def test_the_authors_order_is_kept(self) -> None:
        with pytest.warns(LayoutWarning):
            layout = Hud()[StatusLine(), TaskSection()]
        text = render(layout, context=BOUND, density="compact")
        assert text.index("3 decisions") < text.index("**Task:**")

    def test_what_changes_every_turn_before_what_does_not_is_said(self) -> None:
        with pytest.warns(
            LayoutWarning, match=r"nothing after it \(NotesSection\) is cached"
        ) as said:
            Hud()[TaskSection(), ContextBar(), StatusLine(), NotesSection(), NextSteps()]
        assert len(said) == 1

    def test_it_is_said_at_the_authors_line(self) -> None:
        with pytest.warns(LayoutWarning) as said:
            Hud()[ContextBar(), NotesSection()]
        assert said[0].filename == __file__

    def test_a_layout_that_was_loaded_is_told_of_when_it_is_rendered(self) -> None:
        class Ticking(ContextBar):
            """A line that no other layout has."""

        data = {"type": "Hud", "children": [{"type": "Ticking"}, {"type": "NotesSection"}]}
        layout = load(data, vocabulary=[Hud, Ticking, NotesSection])
        with pytest.warns(LayoutWarning, match="Ticking changes every turn"):
            render(layout, context=BOUND)

    def test_what_was_told_when_it_was_attached_is_not_told_again(self) -> None:
        with pytest.warns(LayoutWarning):
            layout = Hud()[ContextBar(), NotesSection()]
        render(layout, context=BOUND)

    @looped(
        "wrap",
        [
            lambda bar: Section(title="Use")[bar],
            lambda bar: Compact()[bar],
            lambda bar: [None, [bar]],
        ],
    )
    def test_it_is_seen_inside_of_others(self, wrap) -> None:
        with pytest.warns(LayoutWarning):
            Hud()[wrap(ContextBar()), NotesSection()]

    def test_a_good_order_is_not_mentioned(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Hud()[TaskSection(), "text", Section(title="a")["b"], ContextBar(), "text"]
            for state in STATES.values():
                Hud()[Hud.of(state, now=NOW).children]

    def test_components_without_a_ladder_are_not_judged(self) -> None:
        @component
        def Clock(ctx: RenderContext, children: Children) -> Child:
            """What time it is."""
            return str(ctx.get(Now))

        Hud()[TaskSection(), ContextBar(), Clock()]


class TestForeignSections:
    """A section that the domain of the bound state does not have."""

    def test_it_is_said_once_at_the_authors_line_and_the_others_are_shown(self) -> None:
        state = Domain("small", sections=(TaskSection, ContextBar)).state()
        bound = RenderContext().with_value(state)
        layout = Hud(title="Mine")[
            TaskSection(), Section(title="In")[NotesSection()], BlockersList()
        ]
        with pytest.warns(LayoutWarning) as said:
            text = render(layout, context=bound)
        assert text == "# Mine\n\n## In\n"
        assert {each.filename for each in said} == {__file__}
        assert {str(each.message).partition(" shows nothing")[0] for each in said} == {
            "NotesSection",
            "BlockersList",
        }
        message = str(said[0].message)
        assert "has TaskSection, ContextBar; add it" in message
        assert message.endswith("or give it its data: NotesSection(notes=…)")

    def test_it_is_not_said_of_data_and_of_a_state_that_has_nothing_of_it(self) -> None:
        state = Domain("small", sections=(TaskSection, ContextBar)).state()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            own = Hud()[NotesSection(notes=(Note(content="a"),))]
            assert "a" in render(own, context=RenderContext().with_value(state))
            render(
                Hud()[NotesSection(), TaskSection()], context=RenderContext().with_value(HudState())
            )


class TestNothingToShow:
    @looped("layout", [Hud(), Hud()[TaskSection(), ContextBar(step=1)]])
    def test_a_hud_without_state_and_data_says_so(self, layout: Hud | Element[Hud]) -> None:
        with pytest.warns(LayoutWarning, match="no state is bound.*TaskSection, .*with_value"):
            render(layout)

    def test_data_are_enough(self) -> None:
        assert render(Hud()[TaskSection(task=Task(description="a")), ContextBar()])

    def test_empty_data_are_data(self) -> None:
        assert render(Hud()[NotesSection(notes=())]) == "# HUD\n"

    def test_a_bound_state_is_enough(self) -> None:
        assert render(Hud(), context=RenderContext().with_value(HudState())) == "# HUD\n"

    def test_text_of_the_authors_own_is_enough(self) -> None:
        assert render(Hud()[Section(title="House rules")["Be kind."]])


class TestCompact:
    def test_what_is_inside_is_shown_in_short(self) -> None:
        text = render([Compact()[DecisionsList()], DecisionsList()], context=BOUND)
        short, full = text.split("# Decisions\n\n")
        assert short == "**Decisions:** JWT · bcrypt for password hashing · 100/min\n\n"
        assert "Services verify tokens offline" in full

    def test_it_never_shows_more_than_the_hud_does(self) -> None:
        inside = Compact()[DecisionsList()]
        for density in ("compact", "minimal"):
            assert render(inside, density=density, context=BOUND) == render(
                DecisionsList(), density=density, context=BOUND
            )

    def test_a_budget_does_not_open_it(self) -> None:
        rendered = render_document(Compact()[DecisionsList()], budget=10_000, context=BOUND)
        assert rendered.text == render(DecisionsList(), density="compact", context=BOUND)

    def test_a_components_own_density_is_nearer(self) -> None:
        inside = Compact()[DecisionsList(density=Density.FULL)]
        assert render(inside, context=BOUND) == render(DecisionsList(), context=BOUND)


class TestLabelled:
    def test_titles_and_first_words_have_the_label(self) -> None:
        layout = Labelled(label="Parent")[TaskSection(), NextSteps()]
        assert "# Parent: Next steps\n" in render(layout, context=BOUND)
        minimal = render(layout, context=BOUND, density="minimal")
        assert minimal.count("Parent: ") == 2

    def test_counts_have_it_too(self) -> None:
        text = render(Labelled(label="Parent")[NotesSection()], context=BOUND, density="minimal")
        assert text == "*Parent: 2 notes*\n"

    def test_the_marks_of_what_is_left_out_do_not(self) -> None:
        notes = tuple(Note(content=str(n)) for n in range(9))
        text = render(Labelled(label="Parent")[NotesSection(notes=notes)], density="compact")
        assert text.count("Parent") == 1

    def test_labels_nest(self) -> None:
        layout = Labelled(label="A")[Labelled(label="B")[NotesSection()]]
        assert render(layout, context=BOUND).startswith("# A: B: Notes\n")

    def test_it_ends_with_its_children(self) -> None:
        layout = [Labelled(label="A")[NotesSection()], DecisionsList()]
        assert "# Decisions" in render(layout, context=BOUND)

    def test_replaced_texts_have_it(self) -> None:
        context = RenderContext(texts={"notes.title": "Notizen"}).with_value(TYPICAL)
        assert "# A: Notizen" in render(Labelled(label="A")[NotesSection()], context=context)

    @looped("label", ["", "  ", "**x**", "`x`", "~~x", "{count}"])
    def test_a_label_that_would_be_more_than_text_is_refused(self, label: str) -> None:
        with pytest.raises(PropError, match="label"):
            Labelled(label=label)

    def test_a_users_component_finds_it_in_the_context(self) -> None:
        class Mine(Component):
            """Says its label."""

            def render(self, ctx: RenderContext, children: Children) -> Child:
                label = ctx.get(Label)
                return None if label is None else label.text

        assert render(Labelled(label="A")[Labelled(label="B")[Mine()]]) == "A: B\n"
        assert render(Mine()) == ""

"""The laws that hold for every section, whatever its data say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    ActiveFile,
    Blocker,
    ContextUsage,
    Decision,
    ErrorRecord,
    Hud,
    HudState,
    Note,
    Step,
    Task,
)
from tests.hud_components.cases import HOSTILE, NOW, sections
from ujsx import Density, RenderContext, Renderer, Rung, left_out, render, render_document
from ujsx.testing import assert_inert

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(min_size=1, max_size=60),
    st.text(alphabet="*_`~[]()<>#-+=|\\!&:.\n\t 1aé·🎉", min_size=1, max_size=40),
).filter(lambda text: bool(text.strip()))


def tuples(model: type, size: int = 8, **fields: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(st.builds(model, **fields), max_size=size).map(tuple)


STATES = st.builds(
    HudState,
    task=st.none() | st.builds(Task, description=TEXTS),
    decisions=tuples(
        Decision, 14, summary=TEXTS, details=st.just("") | TEXTS, label=st.none() | TEXTS
    ),
    active_files=tuples(
        ActiveFile,
        18,
        path=TEXTS,
        status=st.sampled_from(("reading", "editing", "referenced")),
        last_accessed=st.integers(0, 9),
    ),
    next_steps=tuples(
        Step, 14, description=TEXTS, completed=st.booleans(), order=st.integers(0, 20)
    ),
    notes=tuples(Note, 22, content=TEXTS),
    blockers=tuples(Blocker, 3, description=TEXTS, resolved=st.booleans()),
    errors=tuples(ErrorRecord, 12, message=TEXTS, resolved=st.booleans()),
    usage=st.none()
    | st.builds(ContextUsage, used=st.integers(0, 250_000), model=st.none() | TEXTS),
)
DENSITIES = st.sampled_from(list(Density))


class TestLaws:
    @given(STATES, DENSITIES)
    def test_text_never_becomes_structure(self, state: HudState, density: Density) -> None:
        assert_inert(Hud.of(state), RenderContext(density=density))

    @given(STATES, DENSITIES)
    def test_the_same_state_gives_the_same_bytes(self, state: HudState, density: Density) -> None:
        again = HudState.model_validate_json(state.model_dump_json())
        assert render(Hud.of(state), density=density) == render(Hud.of(again), density=density)

    @given(STATES, DENSITIES)
    def test_every_item_is_shown_or_accounted_for(self, state: HudState, density: Density) -> None:
        rendered = render_document(Hud.of(state), density=density)
        limits = {section.name: section.rung.limit for section in rendered.sections}
        omitted = {each.section: each.count for each in rendered.omitted}
        live = {
            "DecisionsList": len(state.decisions),
            "ActiveFiles": len(state.active_files),
            "NotesSection": len(state.notes),
            "ErrorsList": sum(not error.resolved for error in state.errors),
        }
        for name, count in live.items():
            limit = limits[name]
            assert limit is not None
            cut = max(0, count - limit) if name == "ActiveFiles" else len(left_out(count, limit))
            assert omitted.get(name, 0) == cut

    @given(STATES, STATES, st.lists(st.tuples(st.booleans(), DENSITIES), max_size=6))
    def test_a_kept_renderer_gives_the_bytes_of_a_fresh_one(
        self, one: HudState, two: HudState, turns: list[tuple[bool, Density]]
    ) -> None:
        kept = Renderer()
        mixed = one.model_copy(update={"notes": two.notes, "usage": two.usage})
        for first, density in turns:
            node = Hud.of(one if first else mixed)
            assert kept.render(node, density=density).text == render(node, density=density)

    @given(STATES)
    def test_a_section_shows_the_same_alone_as_in_the_hud(self, state: HudState) -> None:
        rendered = render_document(Hud.of(state, now=NOW), density="minimal")
        for section in rendered.sections:
            node = sections(state)[section.name]
            assert section.text.lstrip("\n") == render(node, density="minimal").rstrip("\n")


class TestRungs:
    def test_the_rung_that_was_used_is_reported(self) -> None:
        state = HudState(notes=tuple(Note(content=str(n)) for n in range(30)))
        rendered = render_document(Hud.of(state), density="compact")
        by_name = {section.name: section.rung for section in rendered.sections}
        assert by_name["NotesSection"] == Rung(Density.COMPACT, 3)

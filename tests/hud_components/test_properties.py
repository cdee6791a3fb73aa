"""What renderings of the HUD tell of themselves, whatever its data say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_components import ContextBar, Hud, HudState, Note, RulesList
from tests.hud_components.cases import NOW, sections
from tests.hud_components.strategies import DENSITIES, STATES
from ujsx import Density, Renderer, Rung, elided, render, render_document


class TestAccounts:
    @given(STATES, DENSITIES)
    def test_every_item_is_shown_or_accounted_for(self, state: HudState, density: Density) -> None:
        rendered = render_document(Hud.of(state), density=density)
        limits = {section.name: section.rung.limit for section in rendered.sections}
        omitted = {each.section: each.count for each in rendered.omitted if each.what == "items"}
        live = {
            "DecisionsList": len(state.decisions),
            "ActiveFiles": len(state.active_files),
            "NotesSection": len(state.notes),
            "ErrorsList": sum(not error.resolved for error in state.errors),
        }
        for name, count in live.items():
            limit = limits[name]
            assert limit is not None
            cut = max(0, count - limit) if name == "ActiveFiles" else len(elided(count, limit))
            unnamed = name == "ActiveFiles" and density is Density.MINIMAL  # what would part names
            assert omitted.get(name, 0) == cut or (unnamed and omitted.get(name, 0) > cut)

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
        exact = {
            **sections(state),
            "ContextBar": ContextBar(usage=state.usage, step=1),
            "RulesList": RulesList(rules=state.rules),
        }
        alone = [exact[section.name] for section in rendered.sections]
        shared = render(alone, density="minimal")
        assert rendered.text == shared
        assert all(
            section.text.lstrip("\n").startswith(render(node, density="minimal").rstrip("\n*"))
            for section, node in zip(rendered.sections, alone, strict=True)
            if section.text
        )


class TestRungs:
    def test_the_rung_that_was_used_is_reported(self) -> None:
        state = HudState(notes=tuple(Note(content=str(n)) for n in range(30)))
        rendered = render_document(Hud.of(state), density="compact")
        by_name = {section.name: section.rung for section in rendered.sections}
        assert by_name["NotesSection"] == Rung(Density.COMPACT, 3)

"""A rendering read piece by piece is read as its whole text is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note, Step
from hud_components.changes import LineReader
from tests.benchmarks.budget_laws import generated_state
from tests.hud_components.changes.reading import read
from tests.hud_components.strategies import trees
from tests.strategies import documents
from ujsx import Child, Density, Rendered, mdast, render_document
from ujsx.elements import Heading, Item, List, Section, TrustedMarkdown

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")


def assert_as_the_whole(reader: LineReader, rendered: Rendered) -> None:
    reader.turn()
    found = reader.whole(rendered)
    assert [each.line for each in found] == [*read(rendered.text)]
    at_once = LineReader().whole(render_document(TrustedMarkdown(source=rendered.text)))
    assert [each.offset for each in found] == [each.offset for each in at_once]


class TestSame:
    @pytest.mark.parametrize("density", Density)
    def test_huds_turn_after_turn(self, density: Density) -> None:
        source, reader = random.Random(7), LineReader()
        for _ in range(20):
            node = Hud.of(generated_state(source))
            assert_as_the_whole(reader, render_document(node, density=density))
            assert_as_the_whole(reader, render_document(node, budget=source.randint(50, 900)))

    @given(tree=trees(), density=st.sampled_from(Density))
    def test_trees_of_huds(self, tree: Child, density: Density) -> None:
        assert_as_the_whole(LineReader(), render_document(tree, density=density))

    @given(several=st.lists(documents(), min_size=1, max_size=4))
    def test_trees_of_primitives(self, several: list[Child]) -> None:
        reader = LineReader()
        for _ in range(2):
            assert_as_the_whole(reader, render_document(Section(title="HUD")[several]))

    def test_what_stands_under_a_heading_of_another_piece(self) -> None:
        note = Hud.of(HudState(notes=(Note(id="n-1", content="Port 8080"),)))
        tree = Section(title="HUD")["Begin", Heading(depth=2)["Rules"], List()[Item()["one"]], note]
        assert_as_the_whole(LineReader(), render_document(tree))
        assert read(render_document(tree).text)[1].title == "Rules"


def test_what_is_the_same_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = LineReader()
    notes = tuple(Note(id=f"n-{n}", content=f"note {n}") for n in range(4))
    steps = (Step(id="s-1", description="go on"),)
    assert_as_the_whole(reader, render_document(Hud.of(HudState(notes=notes, next_steps=steps))))
    parsed: list[str] = []
    parse = mdast.from_markdown

    def counted(text: str) -> mdast.Root:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(mdast, "from_markdown", counted)
    reader.turn()
    reader.whole(render_document(Hud.of(HudState(notes=notes[:3], next_steps=steps))))
    assert len(parsed) == 1
    assert "note 2" in parsed[0]

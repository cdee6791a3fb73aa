"""Law 8 for whole HUDs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note, NotesSection, as_shown, parse
from tests.hud_components.cases import NOW
from tests.hud_components.strategies import DENSITIES, STATES
from tests.hud_components.test_reading import SECTIONS
from tests.hud_components.test_reading_lines import LINES
from tests.ids import looped
from ujsx import Component, Density, Element, RenderContext, RenderError, mdast, registry, render
from ujsx.elements import BlockQuote, CodeBlock, Emphasis, Heading, Item, List, Paragraph, Section

FOREIGN = st.sampled_from(
    [
        Section(title="House rules")[List()[Item()["Never push to main."]]],
        Section(title="Nested")["a", Section(title="in")["b"], Heading(depth=2)[Emphasis()["c"]]],
        Heading(depth=1)["Higher than the HUD's"],
        Paragraph()["A word in between."],
        CodeBlock(value="make test", lang="sh"),
    ]
)


def _kind(node: Any) -> Any:
    """Of each section one; what is foreign once."""
    return node if isinstance(node, Element) else type(node)


HUDS = st.builds(
    lambda title, children: Hud(title=title)[Paragraph()["Before all sections."], children],
    st.none() | st.sampled_from(["Auth service", "HUD"]),
    st.lists(SECTIONS | LINES | FOREIGN, max_size=6, unique_by=_kind),
)


@pytest.mark.filterwarnings("ignore:the HUD shows nothing")
class TestDefaultLayout:
    @given(STATES, DENSITIES)
    def test_what_is_shown_is_read_back(self, state: HudState, density: Density) -> None:
        hud = Hud.of(state, now=NOW)
        text = render(hud, density=density)
        assert parse(text) == as_shown(hud, density=density)

    @given(STATES, DENSITIES)
    def test_what_is_read_back_is_written_the_same(self, state: HudState, density: Density) -> None:
        text = render(Hud.of(state, now=NOW), density=density)
        assert render(parse(text), density=density) == text


@pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
class TestLayouts:
    @given(HUDS, DENSITIES)
    def test_what_is_shown_is_read_back(self, hud: Element[Hud], density: Density) -> None:
        assert parse(render(hud, density=density)) == as_shown(hud, density=density)


class TestParse:
    def test_a_foreign_section_stays(self) -> None:
        text = "# HUD\n\n## House rules\n\n- Be *kind*.\n\n## Notes\n\n- Port 8080\n"
        hud = parse(text)
        assert hud.children == (
            Section(title="House rules")[
                List()[Item()[Paragraph()["Be ", Emphasis()["kind"], "."]]]
            ],
            NotesSection(notes=(Note(content="Port 8080"),)),
        )
        assert render(hud) == text

    def test_a_foreign_section_ends_where_a_known_one_begins(self) -> None:
        text = "# HUD\n\n## Rules\n\n### First\n\nx\n\n## Notes\n\n- a\n\n### Second\n\ny\n"
        hud = parse(text)
        assert hud.children == (
            Section(title="Rules")[Section(title="First")[Paragraph()["x"]]],
            NotesSection(notes=(Note(content="a"),)),
            Heading(depth=3)["Second"],
            Paragraph()["y"],
        )
        assert render(hud) == text

    def test_takes_a_parsed_tree(self) -> None:
        text = "# HUD\n\n## Notes\n\n- Port 8080\n"
        assert parse(mdast.from_markdown(text)) == parse(text)

    def test_reads_replaced_texts(self) -> None:
        context = RenderContext(
            texts={"notes.title": "Notizen", "notes.item": "**Merke:** {content}"}
        )
        hud = Hud()[NotesSection(notes=(Note(content="Port 8080"),))]
        assert parse(render(hud, context=context), context=context) == hud

    def test_nothing_is_an_empty_hud(self) -> None:
        assert parse("") == Hud()

    def test_reads_components_that_a_registry_pairs_with_nodes(self) -> None:
        class Marked(Component):
            """A quote."""

        mine = registry.copy()
        mine.pair(
            Marked,
            mdast.Blockquote,
            write=lambda element, transform: transform(BlockQuote()[element.children]),
            read=lambda quote, transform: Marked()[transform.all(quote.children)],
        )
        text = "# HUD\n\n## Notes\n\n- Port 8080\n\n> a\n"
        assert parse(text, registry=mine).children[1] == Marked()[Paragraph()["a"]]
        assert render(parse(text, registry=mine), registry=mine) == text

    def test_refuses_what_is_no_markdown(self) -> None:
        with pytest.raises(RenderError, match="parse takes Markdown"):
            parse(3)  # type: ignore[arg-type]

    def test_refuses_what_is_no_section_in_its_vocabulary(self) -> None:
        wrong: Any = (NotesSection, Paragraph)
        with pytest.raises(
            RenderError, match=r"Paragraph is not a section.*derive it from HudSection"
        ):
            parse("x", vocabulary=wrong)
        wrong = 3
        with pytest.raises(RenderError, match=r"made of classes.*\(\*SECTIONS, Mine\)"):
            parse("x", vocabulary=wrong)

    def test_takes_one_section_as_its_vocabulary(self) -> None:
        text = "# Notes\n\n- Port 8080\n"
        assert parse(text, NotesSection) == NotesSection(notes=["Port 8080"])
        assert parse(text, NotesSection) == parse(text, vocabulary=(NotesSection,)).children[0]
        for other in ("", "# Notes\n\n- Port 8080\n\n## House rules\n\nBe kind.\n"):
            with pytest.raises(RenderError, match=r"parse\(text, \[NotesSection\]\)"):
                parse(other, NotesSection)

    def test_a_section_out_of_its_vocabulary_stays_markdown(self) -> None:
        text = "# HUD\n\n## Notes\n\n- Port 8080\n"
        hud: Any = parse(text, vocabulary=())
        assert not any(isinstance(child, NotesSection) for child in hud.children)
        assert render(hud) == text

    @looped("density", Density)
    def test_an_emphasised_paragraph_is_no_session(self, density: Density) -> None:
        hud = Hud(title="X")[Paragraph()[Emphasis()["hello"]]]
        text = render(hud, density=density)
        assert parse(text) == as_shown(hud, density=density)
        assert render(parse(text), density=density) == text


class TestWhatATextHides:
    HIDING = "a\u200b <|im_start|>system [INST]\x1b[2J\u202e ⟦U+200B⟧ ␛ end"

    @looped("density", list(Density))
    def test_is_seen_and_read_back(self, density: Density) -> None:
        hud = Hud(title=self.HIDING)[NotesSection(notes=(Note(content=self.HIDING),) * 2)]
        text = render(hud, density=density)
        assert not {"\u200b", "\u202e", "\x1b"} & {*text}
        assert "<|" not in text
        read: Any = parse(text)
        assert read == as_shown(hud, density=density)
        if density is Density.FULL:
            assert read.children[0].notes[0].content == self.HIDING
            assert read.component.title == self.HIDING

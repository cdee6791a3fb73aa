"""The account of a rendering: sections, spans, fingerprints, what was left out."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import Ladder, Titled, documents
from ujsx import Density, Element, OmittedItems, RenderContext, Rung, render_document
from ujsx.elements import Item, List, Omitted, Paragraph, Section
from ujsx.tokens import estimate_tokens

WORDS = Ladder(words=("one", "two", "three", "four"))
MORE = Ladder(words=("five",))


class TestSections:
    @given(tree=documents(), density=st.sampled_from(Density))
    def test_have_the_span_of_their_text(self, tree: Element, density: Density) -> None:
        rendered = render_document(tree, density=density)
        for section in rendered.sections:
            assert rendered.text[section.start : section.end] == section.text

    @given(tree=documents())
    def test_stand_in_their_order_and_do_not_overlap(self, tree: Element) -> None:
        sections = render_document(tree).sections
        ends = [0, *(each for section in sections for each in (section.start, section.end))]
        assert ends == sorted(ends)

    def test_are_the_components_with_a_ladder(self) -> None:
        tree = [WORDS, Paragraph()["x"], Section(title="s")[MORE.keyed("more")]]
        sections = render_document(tree).sections
        assert [each.name for each in sections] == ["Ladder", "Ladder[more]"]

    def test_have_the_rung_they_were_rendered_on(self) -> None:
        rungs = [render_document(WORDS, density=each).sections[0].rung for each in Density]
        assert rungs == [Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 1), Rung(Density.FULL, 3)]

    def test_have_the_tokens_of_their_text(self) -> None:
        for section in render_document([WORDS, MORE]).sections:
            assert section.tokens == estimate_tokens(section.text)

    def test_hold_the_blank_line_before_them(self) -> None:
        _, more = render_document([Paragraph()["x"], WORDS, MORE]).sections
        assert more.text == "\n\n# Words\n\n- five"

    def test_that_show_nothing_have_an_empty_span(self) -> None:
        rendered = render_document([WORDS, Ladder(), MORE])
        empty = rendered.sections[1]
        assert (empty.start, empty.text, empty.tokens) == (empty.end, "", 0)

    def test_in_the_middle_of_a_line_belong_to_the_piece_that_starts_it(self) -> None:
        from tests.strategies import Whisper

        rendered = render_document(["before ", Whisper(text="loud"), " after"])
        assert rendered.text == "before loud after\n"
        assert (
            rendered.text[rendered.sections[0].start : rendered.sections[0].end]
            == rendered.sections[0].text
        )


class TestNodes:
    @given(tree=documents(), density=st.sampled_from(Density))
    def test_are_all_of_the_text(self, tree: Element, density: Density) -> None:
        rendered = render_document(tree, density=density)
        assert "".join(each.text for each in rendered.nodes) == rendered.text.removesuffix("\n")
        for node in rendered.nodes:
            assert rendered.text[node.start : node.end] == node.text

    def test_are_sections_headings_and_what_stands_between(self) -> None:
        nodes = render_document(Titled(title="Part")[WORDS, Paragraph()["x"], "y"]).nodes
        assert [each.name for each in nodes] == ["Section", "Ladder", "Paragraph text"]
        assert nodes[1].path == "Titled / Section / Ladder"

    def test_have_fingerprints_of_their_own(self) -> None:
        trees = ([Paragraph()["x"], WORDS], [Paragraph()["y"], WORDS])
        one, other = (render_document(tree).nodes for tree in trees)
        same = [a.fingerprint == b.fingerprint for a, b in zip(one, other, strict=True)]
        assert same == [False, True]


class TestFingerprints:
    def test_are_the_same_for_the_same_bytes(self) -> None:
        first, second = (render_document(WORDS).sections[0] for _ in range(2))
        assert first.fingerprint == second.fingerprint

    def test_differ_when_a_byte_does(self) -> None:
        other = Ladder(words=("one", "two", "three!"))
        first, second = (render_document(each).sections[0] for each in (WORDS, other))
        assert first.fingerprint != second.fingerprint

    def test_are_64_bits_in_hexadecimal(self) -> None:
        assert int(render_document(WORDS).sections[0].fingerprint, 16) < 2**64

    def test_do_not_depend_on_the_process(self) -> None:
        assert render_document(Ladder(words=("a",))).sections[0].fingerprint == "97f7d25af224306e"


class TestOmitted:
    def test_names_section_count_ids_and_handle(self) -> None:
        (omitted,) = render_document([WORDS.keyed("w"), MORE], density="compact").omitted
        assert (omitted.section, omitted.count) == ("Ladder[w]", 3)
        assert (omitted.ids, omitted.handle) == (("two", "three", "four"), None)

    def test_says_how_many_tokens_everything_would_cost_more(self) -> None:
        short = render_document([Paragraph()["a"], WORDS], density="compact")
        everything = render_document([Paragraph()["a"], WORDS], budget=1_000)
        (omitted,) = short.omitted
        assert omitted.tokens == everything.sections[0].tokens - short.sections[0].tokens > 0

    def test_has_marks_of_their_handles(self) -> None:
        from ujsx import Child, Children, Component, Disclosure

        class Notes(Component):
            disclosure = Disclosure(ladder=(Rung(Density.FULL, 1),))

            def render(self, ctx: RenderContext, children: Children) -> Child:
                return List()[Item()["a"], Omitted(count=2, handle="notes()", brief=True)]

        (omitted,) = render_document(Notes()).omitted
        assert omitted == OmittedItems("Notes", 2, (), 0, "notes()")

    @given(tree=documents(), density=st.sampled_from(Density))
    def test_with_what_is_shown_is_everything(self, tree: Element, density: Density) -> None:
        node = Ladder(words=tuple("abcdefg"))
        rendered = render_document([node, tree], density=density)
        first = rendered.sections[0]
        shown = [word for word in node.words if f"- {word}\n" in f"{first.text}\n"]
        hidden = rendered.omitted[0].ids
        assert (*shown, *hidden) == node.words

    def test_is_empty_when_all_is_shown(self) -> None:
        assert render_document(MORE).omitted == ()


class TestRendered:
    def test_has_the_tokens_of_its_text(self) -> None:
        rendered = render_document([WORDS, MORE])
        assert rendered.tokens == estimate_tokens(rendered.text)

    def test_counts_with_the_contexts_counter(self) -> None:
        rendered = render_document(WORDS, context=RenderContext(count_tokens=len))
        assert rendered.tokens == len(rendered.text)
        assert rendered.sections[0].tokens == len(rendered.sections[0].text)

    def test_compares_by_value(self) -> None:
        assert render_document(WORDS) == render_document(WORDS)
        assert render_document(WORDS) != render_document(MORE)

    def test_takes_no_assignment(self) -> None:
        rendered: Any = render_document(WORDS)
        with pytest.raises(dataclasses.FrozenInstanceError):
            rendered.text = "x"

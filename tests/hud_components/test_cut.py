"""Long texts in short places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_components import NotesSection
from hud_components.words import line
from ujsx import Density, RenderContext, Rung, to_mdast
from ujsx.testing.strategies import hostile_texts
from ujsx.tokens import estimate_tokens

WIDTHS = st.none() | st.integers(1, 200)
WHITE = st.tuples(st.sampled_from([" ", "\n", " \n", "\t", "\r\n", "\u2028"]), st.integers(1, 900))
SPACED = st.lists(st.text(max_size=9) | WHITE.map(lambda run: run[0] * run[1])).map("".join)
"""Texts that are mostly white space."""

PLAIN = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=200)


def notes(texts: list[str], width: int | None) -> list[str]:
    """The notes as a list shows them where a text may have so many characters."""
    section = NotesSection(notes=[{"content": text} for text in texts])
    context = RenderContext(rung=Rung(Density.FULL, width=width))
    shown = to_mdast(section.render(context, ()))
    return [
        "\n\n".join(paragraph.children[0].value for paragraph in item.children)
        for block in shown.children
        if block.type == "list"
        for item in block.children
    ]


class TestLines:
    @given(st.lists((PLAIN | hostile_texts()).filter(str.strip), max_size=4), WIDTHS)
    def test_are_the_lines_of_the_texts(self, texts: list[str], width: int | None) -> None:
        alone = [each for text in texts for each in notes([text], width)]
        assert notes(texts, width) == alone

    @given(st.lists(st.text(), max_size=4), WIDTHS)
    def test_fit_the_width(self, texts: list[str], width: int | None) -> None:
        assert width is None or all(len(line(text, width)) <= width for text in texts)

    @given(st.text(st.characters(min_codepoint=0x3040, max_codepoint=0x9FFF), min_size=50))
    def test_of_a_writing_with_many_tokens_show_fewer_characters(self, text: str) -> None:
        assert estimate_tokens(line(text, 40)) <= 40 // 3

    @given(st.text(), st.integers(1, 200))
    def test_a_larger_width_shows_what_a_smaller_one_does(self, text: str, width: int) -> None:
        short, long = (line(text, each).removesuffix("…") for each in (width, width + 1))
        assert long.startswith(short.rstrip(" "))

    @given(SPACED, st.integers(1, 40))
    def test_are_those_of_the_whole_text_however_much_of_it_was_looked_at(
        self, text: str, width: int
    ) -> None:
        assert line(text, width) == line(line(text), width)

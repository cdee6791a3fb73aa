"""Long texts in short places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_components.words._cut import PREVIEW, line, lines
from ujsx import Density
from ujsx.testing.strategies import hostile_texts

PLAIN = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=200)


class TestLines:
    @given(st.lists(PLAIN | hostile_texts(), max_size=4), st.sampled_from(Density))
    def test_are_the_lines_of_the_texts(self, texts: list[str], density: Density) -> None:
        assert [*lines(texts, density)] == [line(text, density) for text in texts]

    @given(st.lists(st.text(), max_size=4), st.sampled_from(Density))
    def test_fit_the_density(self, texts: list[str], density: Density) -> None:
        width = PREVIEW[density]
        assert width is None or all(len(text) <= width for text in lines(texts, density))

"""A text for tokenizers, and the way back."""

from hypothesis import given
from hypothesis import strategies as st

from ujsx.mdast import Point
from ujsx.mdast.from_markdown._source import MarkdownSource

LINES = st.text(st.sampled_from("ab\r\n"), max_size=20)


class TestSource:
    @given(LINES)
    def test_has_no_carriage_return(self, text: str) -> None:
        assert "\r" not in MarkdownSource(text).text

    @given(LINES)
    def test_points_at_the_same_character(self, text: str) -> None:
        source = MarkdownSource(text)
        for offset, character in enumerate(source.text):
            original = source.point(offset).offset
            assert original is not None
            assert text[original] == character or (text[original] in "\r\n" and character == "\n")

    def test_counts_columns_within_a_line(self) -> None:
        assert MarkdownSource("a\r\nbc").point(3) == Point(2, 2, 4)

    def test_points_behind_the_last_character(self) -> None:
        assert MarkdownSource("a\n").point(2) == Point(2, 1, 2)

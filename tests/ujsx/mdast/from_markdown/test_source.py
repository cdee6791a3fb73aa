"""Line ends, and the places of characters in a text as it was given."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ujsx.mdast import Point, from_markdown

LINES = st.text(st.sampled_from("ab\r\n"), max_size=20)


def texts(markdown: str) -> list[Any]:
    """The texts of a document, with their places, and the breaks between their lines read away."""
    return [
        node
        for block in from_markdown(markdown, positions="all").children
        for node in block.children
    ]


class TestSource:
    @given(LINES)
    def test_has_no_carriage_return(self, text: str) -> None:
        assert all("\r" not in node.value for node in texts(text))

    @given(LINES)
    def test_points_at_the_same_characters(self, text: str) -> None:
        for node in texts(text):
            at = slice(node.position.start.offset, node.position.end.offset)
            assert "".join(text[at].split()) == "".join(node.value.split())
            before = text[: node.position.start.offset].replace("\r\n", "\n").replace("\r", "\n")
            assert node.position.start.line == before.count("\n") + 1
            assert node.position.start.column == len(before) - before.rfind("\n")

    def test_counts_columns_within_a_line(self) -> None:
        (node,) = texts("*a*\r\nb*c*")[-1:]
        assert node.position.start == Point(2, 2, 6)

    def test_points_behind_the_last_character(self) -> None:
        assert from_markdown("a\n").position.end == Point(2, 1, 2)

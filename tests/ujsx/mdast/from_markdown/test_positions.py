"""Where nodes stand: as in remark's trees of the documents in ``positions/``.

``positions/remark.json`` is written by ``positions.mjs``. JavaScript counts UTF-16 code units.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance._sources import sources
from tests.ids import looped
from ujsx.errors import MdastError
from ujsx.mdast import Break, Node, Text, from_markdown

FOLDER = Path(__file__).parent / "positions"
REMARK = json.loads((FOLDER / "remark.json").read_text(encoding="utf-8"))


def places(node: Node) -> Iterator[list[object]]:
    position = node.position
    assert position is not None
    start, end = position.start, position.end
    kind = node.__struct_config__.tag
    yield [kind, start.line, start.column, start.offset, end.line, end.column, end.offset]
    for child in getattr(node, "children", ()):
        yield from places(child)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in getattr(node, "children", ()):
        yield from nodes(child)


class TestInlinePositions:
    @looped("name", sorted(REMARK))
    def test_are_remarks(self, name: str) -> None:
        text = (FOLDER / name).read_bytes().decode()
        root = from_markdown(text, positions="all", units="utf-16")
        assert list(places(root)) == REMARK[name]

    def test_count_characters_unless_asked_for_code_units(self) -> None:
        _, emphasis = from_markdown("😀 *a*", positions="all").children[0].children
        assert emphasis.position.start.column == 3

    def test_are_not_there_unless_asked_for(self) -> None:
        paragraph = from_markdown("a *b*").children[0]
        assert paragraph.position is not None
        assert [child.position for child in paragraph.children] == [None, None]

    @given(st.integers(0, 10_000))
    def test_lead_to_the_words_of_a_text(self, seed: int) -> None:
        text = sources(1, seed, gfm=True)[0].text
        plain, placed = from_markdown(text), from_markdown(text, positions="all")
        assert plain == placed
        for node in nodes(placed):
            assert node.position is not None
            found = text[node.position.start.offset : node.position.end.offset]
            if isinstance(node, Text) and node.value == found.strip():
                continue
            if isinstance(node, Break):
                assert found.endswith("\n")
            elif isinstance(node, Text):
                assert found
                assert node.value[0] == found[0] or found[0] in "\\&\n"

    def test_of_a_block_are_the_same_either_way(self) -> None:
        text = (FOLDER / "blocks.md").read_text(encoding="utf-8")
        plain, placed = from_markdown(text), from_markdown(text, positions="all")
        for one, other in zip(plain.children, placed.children, strict=True):
            assert repr(one.position) == repr(other.position)

    def test_of_what_is_unknown_are_refused(self) -> None:
        with pytest.raises(MdastError, match='unknown positions "some"'):
            from_markdown("a", positions="some")  # type: ignore[arg-type]
        with pytest.raises(MdastError, match='unknown units "utf-8"'):
            from_markdown("a", units="utf-8")  # type: ignore[arg-type]


def test_white_space_behind_a_row_is_of_its_last_cell() -> None:
    table = from_markdown("a | b\n-- | --\nc | d  \n", positions="all").children[0]
    row = table.children[1]
    assert [each.position.end.column for each in (row, row.children[-1])] == [8, 8]

"""The nodes themselves: what they show."""

from __future__ import annotations

from ujsx.mdast import Blockquote, Paragraph, Point, Position, Root, Text


def test_a_node_shows_how_to_make_it():
    tree = Root([Blockquote([Paragraph([Text("a")])])])
    shown = "Root(children=(Blockquote(children=(Paragraph(children=(Text(value='a'),)),)),))"
    assert repr(tree) == shown


def test_of_a_tree_deeper_than_python_calls_the_outer_nodes_are_shown():
    node = Blockquote()
    for _ in range(3_000):
        node = Blockquote([node])
    shown = repr(node)
    assert shown.startswith("Blockquote(children=(Blockquote(children=(")
    assert "Blockquote(…)" in shown


def test_positions_are_not_unequal() -> None:
    one, other = (Position(Point(line, 1), Point(line, 2)) for line in (1, 2))
    assert one == other
    assert not one != other  # noqa: SIM202 - a struct has a comparison of its own for that

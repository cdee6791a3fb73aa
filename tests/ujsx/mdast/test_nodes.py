"""The nodes themselves: what they show."""

from __future__ import annotations

from ujsx.mdast import Blockquote, Paragraph, Root, Text


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

"""``Fragment``: children without a parent."""

from __future__ import annotations

from ujsx import Fragment, fragment, render
from ujsx.elements import Item, List, Paragraph


class TestFragment:
    def test_is_one_node_of_several(self) -> None:
        assert fragment("a", Paragraph()["b"]) == Fragment()["a", Paragraph()["b"]]

    def test_is_one_node_of_none(self) -> None:
        assert fragment() == fragment(None) == Fragment()

    def test_renders_as_its_children(self) -> None:
        assert render(fragment(Paragraph()["a"], Paragraph()["b"])) == "a\n\nb\n"

    def test_with_a_key_renders_as_its_children_too(self) -> None:
        rows = fragment(Item()["a"]).keyed("rows")
        assert render(fragment("x", fragment("y").keyed("k"))) == "xy\n"
        assert render(List()[rows, Item()["b"]]) == "- a\n- b\n"

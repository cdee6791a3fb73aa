"""hast as JSON: the specification's field names, and clear errors."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.ids import looped
from ujsx import HastError, mdast, registry
from ujsx.hast import Comment, Doctype, Element, Raw, Root, Text, from_dict, to_dict
from ujsx.testing.strategies import roots

TREE = Root(
    (
        Doctype(),
        Element("ol", {"start": 2, "className": ("a", "b"), "hidden": True}, (Text("x"),)),
        Comment("c"),
        Raw("<b>"),
    )
)
DATA = {
    "type": "root",
    "children": [
        {"type": "doctype"},
        {
            "type": "element",
            "tagName": "ol",
            "properties": {"start": 2, "className": ["a", "b"], "hidden": True},
            "children": [{"type": "text", "value": "x"}],
        },
        {"type": "comment", "value": "c"},
        {"type": "raw", "value": "<b>"},
    ],
}


class TestBothWays:
    def test_has_the_names_of_the_specification(self) -> None:
        assert to_dict(TREE) == DATA

    def test_gives_the_tree_back(self) -> None:
        assert from_dict(DATA) == TREE

    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(roots())
    def test_gives_any_tree_of_markdown_back(self, tree: mdast.Root) -> None:
        root = registry.transform("mdast -> hast", tree)
        assert from_dict(to_dict(root)) == root

    def test_keeps_data(self) -> None:
        text = Text("a", data={"b": 1})
        assert from_dict(to_dict(text)) == text

    def test_leaves_out_what_hast_does_not_know(self) -> None:
        assert from_dict({"type": "text", "value": "a", "x": 1}) == Text("a")


class TestErrors:
    @looped(
        ("data", "message"),
        [
            ({"type": "txt", "value": ""}, '$.type: there is no node type \'txt\'; did you mean "text"?'),
            ("a", "$: a node is an object with a \"type\", not 'a'"),
            ({"type": "text"}, "$.value: a text is expected, not None"),
            ({"type": "element"}, "$.tagName: a text is expected, not None"),
            ({"type": "root", "children": "a"}, "$.children: a list is expected, not 'a'"),
            (
                {"type": "root", "children": [{"type": "root"}]},
                "$.children[0]: a root is the top of a tree; it cannot be inside one",
            ),
            (
                {"type": "element", "tagName": "a", "properties": {"b": {}}},
                "$.properties.b: a property is text, a number, a boolean, or a list of words, not {}",
            ),
        ],
    )  # fmt: skip
    def test_say_where_and_what(self, data: Any, message: str) -> None:
        with pytest.raises(HastError) as caught:
            from_dict(data)
        assert str(caught.value) == message

    def test_of_depth_are_no_recursion_errors(self) -> None:
        data: dict[str, Any] = {"type": "text", "value": "a"}
        node: Any = Text("a")
        for _ in range(10_000):
            data = {"type": "element", "tagName": "b", "children": [data]}
            node = Element("b", {}, (node,))
        with pytest.raises(HastError, match="more than 200 levels"):
            from_dict(data)
        with pytest.raises(HastError, match="more than 200 levels"):
            to_dict(node)

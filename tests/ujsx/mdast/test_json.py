"""mdast JSON: one example per node kind in ``nodes.json``, as the specification and remark have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.ids import looped
from ujsx import UjsxError
from ujsx.mdast import (
    AnyNode,
    Blockquote,
    Node,
    Paragraph,
    Text,
    UnknownNode,
    from_dict,
    to_dict,
    to_markdown,
)
from ujsx.mdast.util import find, replace, rewrite

NODES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("nodes.json").read_text(encoding="utf-8")
)


class TestBothWays:
    @looped("data", NODES, ids=lambda data: data["type"])
    def test_a_node_is_written_as_it_was_read(self, data: dict[str, Any]) -> None:
        assert to_dict(from_dict(data)) == data

    @looped("data", NODES, ids=lambda data: data["type"])
    def test_the_type_comes_first(self, data: dict[str, Any]) -> None:
        assert next(iter(to_dict(from_dict(data)))) == "type"

    def test_every_kind_has_an_example(self) -> None:
        seen = json.dumps(NODES)
        tags = [kind.__struct_config__.tag for kind in get_args(AnyNode)]
        assert [tag for tag in tags if f'"type": "{tag}"' not in seen] == []


class TestFromDict:
    WRONG: tuple[tuple[Any, str], ...] = (
        ({"type": 3}, r"\$\.type: a type is a text, not 3"),
        ({"children": []}, r'\$: a node needs a "type"'),
        ([], r'\$: a node is an object with a "type", not list'),
        ({"type": "root", "children": [3]}, r"\$\.children\[0\]: a node is an object"),
        ({"type": "root", "children": [{"type": "text", "value": "a"}]}, r'\$\.children\[0\]: .*"text" cannot'),
        ({"type": "emphasis", "children": [{"type": "text"}]}, r"\$\.children\[0\]: .*missing.*`value`"),
        ({"type": "text", "value": 3}, r"\$\.value: expected `str`, got `int`"),
        ({"type": "heading", "depth": 7, "children": []}, r"\$\.depth: invalid"),
    )  # fmt: skip

    @looped(("data", "message"), WRONG, ids=lambda case: str(case)[:40])
    def test_wrong_data_is_an_error_with_its_place(self, data: Any, message: str) -> None:
        with pytest.raises(UjsxError, match=message):
            from_dict(data)

    def test_null_is_the_same_as_no_field(self) -> None:
        data = {"type": "list", "ordered": None, "spread": None, "children": []}
        assert from_dict(data) == from_dict({"type": "list", "children": []})

    def test_fields_of_other_ecosystems_are_left_out(self) -> None:
        assert from_dict({"type": "text", "value": "a", "x": 1}) == Text("a")

    def test_what_is_unknown_is_kept(self) -> None:
        data = {
            "type": "root",
            "children": [
                {
                    "type": "callout",
                    "icon": None,
                    "level": {"a": [1, None]},
                    "children": [{"type": "emphasis", "children": [{"type": "spoiler"}]}],
                    "data": {"x": 1},
                    "position": {
                        "start": {"line": 1, "column": 1, "offset": 0},
                        "end": {"line": 1, "column": 2, "offset": 1},
                    },
                }
            ],
        }
        tree = from_dict(data)
        assert rewrite(tree, Node, lambda node: node) is tree
        upper = rewrite(tree, UnknownNode, lambda node: replace(node, kind=node.kind.upper()))
        assert [node.kind for node in find(upper, UnknownNode)] == ["CALLOUT", "SPOILER"]
        assert to_dict(tree) == data

    def test_what_is_unknown_is_refused_only_where_it_is_written(self) -> None:
        known, unknown = {"type": "thematicBreak"}, {"type": "callout"}
        tree = from_dict({"type": "blockquote", "children": [known, unknown]})
        with pytest.raises(
            UjsxError, match=r"^\$\.children\[0\]\.children\[1\]: callout cannot be written .*"
        ):
            to_markdown(tree, on_unwritable="normalize")

    def test_too_deep_data_is_an_error(self) -> None:
        data: dict[str, Any] = {"type": "paragraph", "children": []}
        for _ in range(5_000):
            data = {"type": "blockquote", "children": [data]}
        with pytest.raises(UjsxError, match="nested more than"):
            from_dict(data)


class TestToDict:
    def test_too_deep_a_tree_is_an_error(self) -> None:
        tree: Any = Paragraph([Text("a")])
        for _ in range(5_000):
            tree = Blockquote([tree])
        with pytest.raises(UjsxError, match="nested more than"):
            to_dict(tree)

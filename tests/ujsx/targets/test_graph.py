"""``GraphTarget``: nothing of the tree is lost in the graph."""

from __future__ import annotations

import sys
from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from tests.ujsx.layout.trees import documents, trees
from ujsx import Node, TargetError, dump, fold, resolve
from ujsx.elements import Item, List, Section, strong
from ujsx.targets import GraphTarget


def data(graph: Any, node: int = 0) -> Any:
    """The tree that a graph holds, as ``dump`` has it."""
    attributes = graph.nodes[node]
    if attributes["type"] == "text" and "text" in attributes:
        return attributes["text"]
    found = {
        "type": attributes["type"],
        "props": attributes["props"],
        "children": [data(graph, child) for child in graph.successors(node)],
    }
    return found if attributes["key"] is None else found | {"key": attributes["key"]}


class TestGraphHost:
    def test_has_a_node_for_each_component_and_text(self) -> None:
        graph = fold(Section(title="a")["b", strong("c")], GraphTarget())
        assert dict(graph.nodes(data=True)) == {
            0: {"type": "Section", "props": {"title": "a"}, "key": None},
            1: {"type": "text", "text": "b"},
            2: {"type": "Strong", "props": {}, "key": None},
            3: {"type": "text", "text": "c"},
        }

    def test_has_edges_in_the_order_of_the_children(self) -> None:
        graph = fold(List()[Item(), Item()["a"], Item()], GraphTarget())
        assert [*graph.edges(data="order")] == [(0, 1, 0), (0, 2, 1), (0, 4, 2), (2, 3, 0)]

    @given(tree=trees() | documents())
    def test_holds_any_tree(self, tree: Node) -> None:
        tree = resolve(tree)
        graph = fold(tree, GraphTarget())
        assert nx.is_arborescence(graph)
        assert data(graph) == (tree if isinstance(tree, str) else dump(tree))

    def test_builds_one_graph(self) -> None:
        host = GraphTarget()
        fold(strong("a"), host)
        with pytest.raises(TargetError, match="make a GraphTarget for each tree"):
            fold(strong("b"), host)

    def test_without_networkx_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "networkx", None)
        with pytest.raises(TargetError, match=r'pip install "ujsx\[graph\]"'):
            GraphTarget()

"""A networkx graph: a tree for queries, measurements and drawings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ujsx.components._element import Element
from ujsx.errors import TargetError

TEXT = "text"
"""The type of a node that is a text; such a node alone has the attribute ``text``."""


class GraphTarget:
    """Folds a tree into a ``networkx.DiGraph`` whose edges lead from parents to children.

    Nodes are numbered from 0, the root, in the order of the text. A component's node has
    ``type`` (the class's name), ``props`` (JSON data; those that have their default are left out)
    and ``key``; a text's has the type ``"text"``, and ``text``. An edge has ``order``, the
    child's place among its siblings, and successors come in that order.

    A target builds one graph; make another for another tree. It needs ``pip install
    "ujsx[graph]"``.

    :raises TargetError: without networkx, and for a second tree.

    >>> from ujsx import fold
    >>> from ujsx.elements import Section, strong
    >>> graph = fold(Section(title="Notes")["a", strong("b")], GraphTarget())
    >>> graph.nodes[0]
    {'type': 'Section', 'props': {'title': 'Notes'}, 'key': None}
    >>> [graph.nodes[child]["type"] for child in graph.successors(0)]
    ['text', 'Strong']
    """

    def __init__(self) -> None:
        try:
            networkx: Any = import_module("networkx")
        except ImportError:
            raise TargetError('networkx is not installed; pip install "ujsx[graph]"') from None
        self._graph: Any = networkx.DiGraph()
        self._is_finished = False

    def create_instance(self, element: Element) -> int:
        """Add a component, and return its number."""
        component = element.component
        return self._add(
            type=type(component).__name__,
            props=component.model_dump(mode="json", exclude_defaults=True),
            key=element.key,
        )

    def create_text(self, text: str) -> int:
        """Add a text, and return its number."""
        return self._add(type=TEXT, text=text)

    def append(self, parent: int, child: int) -> None:
        """Add the edge from a parent to its next child."""
        self._graph.add_edge(parent, child, order=self._graph.out_degree(parent))

    def finish(self, root: int) -> Any:
        """Return the graph; it is a ``networkx.DiGraph``."""
        self._is_finished = True
        return self._graph

    def _add(self, **attributes: Any) -> int:
        if self._is_finished:
            raise TargetError("this target has built its graph; make a GraphTarget for each tree")
        number: int = self._graph.number_of_nodes()
        self._graph.add_node(number, **attributes)
        return number

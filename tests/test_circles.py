"""Circles of imports between files, imports for types included: those that exist are named, and no others appear."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]

BACKWARDS = {
    # components: a context, a definition and an element are typed by the component that they belong to
    ("ujsx.components._component", "ujsx.components._context"),
    ("ujsx.components._definition", "ujsx.components._component"),
    ("ujsx.components._element", "ujsx.components._component"),
    # a walk's parts are given the walk
    ("ujsx.mdast.to_markdown._phrasing", "ujsx.mdast.to_markdown._state"),
    ("ujsx.mdast.to_markdown._state", "ujsx.mdast.to_markdown"),
    ("ujsx.schema._rewrites", "ujsx.schema._convert"),
    ("ujsx.transforms._content", "ujsx.transforms._registry"),
    # a rendering holds its account, whose pieces are renderings
    ("ujsx.rendering._rendered", "ujsx.rendering._pieces"),
    # a state is asked for the items of a section
    ("hud_components.declaring._state", "hud_components.declaring._items_section"),
    ("hud_components.declaring._state", "hud_components.declaring._section"),
    ("hud_components.declaring._state", "hud_components.declaring._value_section"),
    # pytest loads the plugin alone
    ("ujsx.testing._plugin", "ujsx.testing._snapshots"),
}
"""Imports for types alone, each of a file that imports the first one."""


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in ("ujsx", "hud_components", "hud_runtime"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yield the imports of a module, but for those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imported(node)


def arrows() -> Iterator[tuple[str, str]]:
    """Yield the pairs of a module and one that it imports."""
    known = modules()
    for name, path in known.items():
        for node in imported(ast.parse(path.read_text(encoding="utf-8"))):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                other = inner if inner in known else node.module
                if other in known and other != name:
                    yield name, str(other)


def test_no_files_import_each_other_but_those_that_are_named() -> None:
    found = set(arrows())
    assert found >= BACKWARDS
    graph: dict[str, set[str]] = {}
    for name, other in found - BACKWARDS:
        graph.setdefault(name, set()).add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None

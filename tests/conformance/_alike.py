"""Trees beside remark's: the same document, read by both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.conformance._corpora import Document
from tests.conformance._node import Node
from tests.conformance._table import Figures, Row, difference
from ujsx import UjsxError
from ujsx.mdast import from_markdown, to_dict


def alike(title: str, documents: Sequence[Document], node: Node, *, gfm: bool = True) -> Row:
    """Return how many documents give the tree that remark gives."""
    theirs = node.ask("remark read", [document.text for document in documents], gfm=gfm)
    misses: list[str] = []
    for document, tree in zip(documents, theirs, strict=True):
        words = _differing(document, tree, gfm=gfm)
        if words is None:
            continue
        misses.append(f"{document.name}: {words}")
    right = len(documents) - len(misses)
    return Row(title, len(documents), Figures(right, tuple(misses)))


def meaning(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node of mdast JSON without its place and without fields that are null.

    >>> meaning({"type": "text", "value": "a", "position": {}})
    {'type': 'text', 'value': 'a'}
    """
    kept = {
        key: value
        for key, value in sorted(node.items())
        if value is not None and key not in {"position", "data", "children"}
    }
    if "children" in node:
        kept["children"] = [meaning(child) for child in node["children"]]
    return kept


def _differing(document: Document, theirs: dict[str, Any] | None, *, gfm: bool) -> str | None:
    if theirs is None:
        return "remark refused it"
    try:
        ours = meaning(to_dict(from_markdown(document.text, gfm=gfm, frontmatter=gfm)))
    except UjsxError as error:
        return str(error)
    wanted = meaning(theirs)
    if ours == wanted:
        return None
    return difference(json.dumps(wanted, ensure_ascii=False), json.dumps(ours, ensure_ascii=False))

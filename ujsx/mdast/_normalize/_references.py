"""References: the labels that are read back, and those that no definition answers, which are text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from ujsx.mdast._nodes import (
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    ImageReference,
    LinkReference,
    Node,
    Root,
    Text,
)
from ujsx.mdast.to_markdown._document import Rules
from ujsx.mdast.to_markdown._inline import FOOTNOTE_LABEL, LABEL
from ujsx.mdast.to_markdown._resources import decode, identifier, label, single_spaced

from ._changed import changed


def resolved(root: Root, rules: Rules) -> Root:
    """Return a canonical document in which every reference has a definition."""
    found = answered(root)
    if found is root:
        return root
    from ._normalize import normalize  # the text may have to be joined to what is around it

    return normalize(found, extensions=rules.extensions)


def answered(root: Root) -> Root:
    """Return a document in which references that no definition answers are their text."""
    definitions: set[str] = set()
    footnotes: set[str] = set()
    wanted: set[tuple[bool, str]] = set()
    for node in _every(root):
        match node:
            case Definition():
                definitions.add(node.identifier)
            case FootnoteDefinition():
                footnotes.add(node.identifier)
            case LinkReference() | ImageReference():
                wanted.add((False, node.identifier))
            case FootnoteReference():
                wanted.add((True, node.identifier))
            case _:
                pass
    if all(key in (footnotes if is_footnote else definitions) for is_footnote, key in wanted):
        return root
    return cast("Root", _without(root, definitions, footnotes))


def _every(root: Node) -> Iterator[Node]:
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(getattr(node, "children", ()))


def _without(node: Any, definitions: set[str], footnotes: set[str]) -> Any:
    children: Sequence[Node] | None = getattr(node, "children", None)
    if not children:
        return node
    result: list[Node] = []
    for original in children:
        child = _without(original, definitions, footnotes)
        match child:
            case LinkReference() if child.identifier not in definitions:
                result.extend(child.children)
            case ImageReference() if child.identifier not in definitions:
                result.append(Text(child.alt or ""))
            case FootnoteReference() if child.identifier not in footnotes:
                result.append(Text(f"[^{child.label or child.identifier}]"))
            case _:
                result.append(child)
    return changed(node, children=tuple(result))


_NOT_IN_FOOTNOTE_LABEL = re.compile(r"[\s\x00-\x20\x7f\[\]\\^&|`<]+")


def reference_label(key: str, text: str | None) -> tuple[str, str] | None:
    """Return the identifier and label that are read back; ``None`` if none can be written."""
    found = _read_back(key, text)
    # An identifier with escapes in it is a source itself, so that its label may lose its case.
    return None if found is None else _read_back(*found)


def _read_back(key: str, text: str | None) -> tuple[str, str] | None:
    key = single_spaced(key.replace("\0", "\ufffd"))
    sources = [key, label(key)]
    if text is not None:
        sources.insert(0, label(text.replace("\0", "\ufffd")))
    for wanted in (identifier(key), identifier(label(key))):
        for source in sources:
            if LABEL.fullmatch(source) and identifier(source) == wanted:
                return wanted, decode(source)
    return None


def footnote_label(key: str, text: str | None) -> tuple[str, str]:
    """Return the identifier and label that are read back, with ``-`` for what cannot stand."""
    for source in (text, key):
        if source and FOOTNOTE_LABEL.fullmatch(source) and identifier(source) == identifier(key):
            return identifier(source), source
    source = _NOT_IN_FOOTNOTE_LABEL.sub("-", key) or "-"
    return identifier(source), source

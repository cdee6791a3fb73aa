"""Spans that no marker can stand for, and HTML that would start a block, give way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ujsx.mdast._extension import Extension
from ujsx.mdast._nodes import (
    Delete,
    FootnoteReference,
    Html,
    ImageReference,
    Link,
    LinkReference,
    Node,
    Text,
)
from ujsx.mdast.to_markdown._document import Rules
from ujsx.mdast.to_markdown._errors import Unwritable
from ujsx.mdast.to_markdown._html import may_start_block
from ujsx.mdast.to_markdown._merged import merged
from ujsx.mdast.to_markdown._phrasing import SPANS, Phrasing
from ujsx.mdast.to_markdown._state import Writing

from ._changed import changed

MAX_PASSES = 8
"""How often spans are taken out one by one before all that stand in others are."""


@lru_cache(maxsize=32)
def rules_with(extensions: tuple[Extension, ...]) -> Rules:
    """Return what is written with the usual options."""
    return Rules(extensions=extensions)


def state(rules: Rules, *, one_line: bool, in_cell: bool) -> Writing:
    """Return a writing's state within such a line."""
    writing = Writing(rules_with(rules.extensions))
    writing.one_line, writing.in_cell = one_line, in_cell
    return writing


def without_blocks(nodes: list[Node], rules: Rules, *, behind_box: bool) -> list[Node]:
    """Return the nodes with HTML as text, if some of it would start a block where it stands.

    The same goes for phrasing of a plugin that would be read as something else.
    """
    is_read_back = bool(rules.read_back) and _is_any_of(nodes, rules.read_back)
    if not (is_read_back or _has_html(nodes)):
        return nodes
    writing = state(rules, one_line=False, in_cell=False)
    writing.behind_box = behind_box
    try:
        writing.lines(nodes)
    except Unwritable as error:
        if type(error.node) in rules.read_back:
            nodes = joined(_in_words(nodes, error.node))
            return without_blocks(nodes, rules, behind_box=behind_box)
        return unwrapped(_html_as_text(nodes), rules, one_line=False, in_cell=False)
    return nodes


def _is_any_of(nodes: Iterable[Any], kinds: frozenset[type[Node]]) -> bool:
    return any(
        type(node) in kinds or _is_any_of(getattr(node, "children", ()), kinds) for node in nodes
    )


def _in_words(nodes: Iterable[Any], wanted: Node) -> Iterator[Node]:
    """Yield the nodes with the words of one of them in its place."""
    for node in nodes:
        children = getattr(node, "children", ())
        if node is wanted:
            yield from children or (Text(getattr(node, "value", "")),)
        elif children:
            yield changed(node, children=tuple(_in_words(children, wanted)))
        else:
            yield node


def unwrapped(
    nodes: list[Node], rules: Rules, *, one_line: bool, in_cell: bool, in_label: bool = False
) -> list[Node]:
    """Return the nodes without the spans that have no marker where they stand."""
    for _ in range(MAX_PASSES):
        unwritable: list[Node] = []
        writing = state(rules, one_line=one_line, in_cell=in_cell)
        writing.in_link = False
        Phrasing(writing, "label" if in_label else "text", unwritable).write(nodes)
        if not unwritable:
            return nodes
        nodes = _without(nodes, set(map(id, unwritable)))
    return joined([_flat(node) for node in nodes])


def joined(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes with those as one that a reader could not tell apart.

    >>> from ujsx.mdast import InlineCode
    >>> joined([InlineCode("a"), InlineCode("b"), Text("c"), Text("d")])
    [InlineCode(value='ab'), Text(value='cd')]
    """
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Text) and not node.value:
            continue
        before = result[-1] if result else None
        if before is not None and type(before) is type(node) and node.are_one:
            result[-1] = _as_one(before, node)
        elif isinstance(before, Delete) and isinstance(node, Delete):
            result[-1] = Delete(children=joined((*before.children, *node.children)))  # type: ignore[arg-type]
        elif (isinstance(before, FootnoteReference) and isinstance(node, LinkReference)) or (
            isinstance(before, (FootnoteReference, LinkReference, ImageReference))
            and node.__struct_config__.tag == "textDirective"
        ):
            result += (Text(" "), node)
        else:
            if (
                isinstance(before, (LinkReference, ImageReference))
                and before.reference_type == "shortcut"
                and isinstance(node, (Link, LinkReference, FootnoteReference))
            ):
                result[-1] = changed(before, reference_type="collapsed")
            result.append(node)
    return list(merged(result))


def _as_one(left: Any, right: Any) -> Node:
    one: Node = type(left)(left.value + right.value)
    return one


def _without(nodes: Iterable[Node], taken_out: set[int]) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        if type(node) not in SPANS:
            result.append(node)
            continue
        children = _without(_children_of(node), taken_out)
        if id(node) in taken_out:
            result.extend(children)
        else:
            result.append(changed(node, children=tuple(children)))
    return joined(result)


def _flat(node: Node) -> Node:
    """Return a span without spans in it."""
    if type(node) not in SPANS:
        return node
    leaves: list[Node] = []
    stack = [*reversed(_children_of(node))]
    while stack:
        child = stack.pop()
        if type(child) in SPANS:
            stack.extend(reversed(_children_of(child)))
        else:
            leaves.append(child)
    return changed(node, children=tuple(joined(leaves)))


def _has_html(nodes: Iterable[Node]) -> bool:
    return any(isinstance(node, Html) or _has_html(_children_of(node)) for node in nodes)


def _html_as_text(nodes: Iterable[Node]) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Html) and may_start_block(node.value.split("\n", 1)[0], is_first=True):
            result.append(Text(node.value))
        elif children := _children_of(node):
            result.append(changed(node, children=tuple(_html_as_text(children))))
        else:
            result.append(node)
    return joined(result)


def _children_of(node: Any) -> Sequence[Node]:
    return getattr(node, "children", ())

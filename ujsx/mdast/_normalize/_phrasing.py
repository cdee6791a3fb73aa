"""Canonical phrasing: what stands in a line, first node by node, then the spans' markers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ujsx.mdast._faults import is_known
from ujsx.mdast._nodes import (
    Break,
    Delete,
    Emphasis,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    Node,
    Strong,
    Text,
)
from ujsx.mdast.to_markdown._document import Rules
from ujsx.mdast.to_markdown._errors import Unwritable
from ujsx.mdast.to_markdown._html import is_inline
from ujsx.mdast.to_markdown._inline import (
    is_label_of,
    keeps_line_ends,
    starts_block,
    text_of_reference,
)
from ujsx.mdast.to_markdown._merged import merged
from ujsx.mdast.to_markdown._resources import decode

from ._changed import changed
from ._references import footnote_label, reference_label
from ._spans import joined, state, unwrapped, without_blocks


@dataclass(frozen=True, slots=True)
class Line:
    """The rules of a run of phrasing: no line ends, no pipes after backslashes, no links."""

    rules: Rules
    one_line: bool = False
    in_cell: bool = False
    in_link: bool = False
    in_delete: bool = False


def phrasing(
    nodes: Iterable[Node],
    rules: Rules,
    *,
    one_line: bool = False,
    in_cell: bool = False,
    starts_line: bool = True,
    behind_box: bool = False,
) -> tuple[Any, ...]:
    """Return the canonical form of a block's content; empty if nothing is left of it."""
    line = Line(rules, one_line, in_cell)
    children = _children(nodes, line)
    while children and isinstance(children[-1], Break):
        children.pop()
    if one_line:  # within it a break is a space, at an edge it would be one that no reader shows
        while children and isinstance(children[0], Break):
            del children[0]
        children = _with_spaces(children)
    children = unwrapped(children, rules, one_line=one_line, in_cell=in_cell)
    if not starts_line or one_line:
        return tuple(children)
    return tuple(without_blocks(children, rules, behind_box=behind_box))


def _with_spaces(nodes: Sequence[Node]) -> list[Node]:
    """Return the content of one line with a space for each break."""
    if not any(map(_breaks, nodes)):
        return list(nodes)
    return joined([_with_space(node) for node in nodes])


def _with_space(node: Node) -> Node:
    if isinstance(node, Break):
        return Text(" ")
    return changed(node, children=tuple(_with_spaces(node.children))) if _breaks(node) else node  # type: ignore[attr-defined]


def _breaks(node: Node) -> bool:
    return isinstance(node, Break) or any(map(_breaks, getattr(node, "children", ())))


def phrasing_node(node: Node, rules: Rules) -> Node:
    """Return the canonical form of phrasing that stands alone."""
    result = phrasing([node], rules)
    if len(result) == 1:
        alone: Node = result[0]
        return alone
    return Text("") if not result else node


def _children(nodes: Iterable[Node], line: Line) -> list[Node]:
    new: list[Node] = []
    for node in merged(tuple(nodes)):
        new.extend(_HANDLERS.get(type(node), _extended)(node, line))
    return joined(new)


def _extended(node: Any, line: Line) -> Sequence[Node]:
    """Return phrasing of an extension; any other that the specification does not have stays."""
    rules = line.rules
    kind = cast("type[Node]", type(node))
    if is_known(node) or kind not in rules.phrasing_handlers:
        return (node,)
    if kind in rules.holds:
        children: Any = _children(node.children, replace(line, in_delete=False))
        if line.one_line:
            children = _with_spaces(children)
        children = unwrapped(
            list(children), rules, one_line=line.one_line, in_cell=line.in_cell, in_label=True
        )
        node = changed(node, children=tuple(children))
    canonical = rules.canonical.get(kind)
    found = node if canonical is None else canonical(node)
    if found is None:
        return ()
    try:
        state(rules, one_line=line.one_line, in_cell=line.in_cell).phrasing_node(found)
    except Unwritable:  # in such a line; what it says can be
        words = getattr(found, "value", "")
        return getattr(found, "children", ()) or ((Text(words),) if words else ())
    return (found,)


def _text(node: Text, _line: Line) -> Sequence[Node]:
    return (changed(node, value=_plain(node.value)),) if node.value else ()


def _code(node: InlineCode, line: Line) -> Sequence[Node]:
    value = _plain(node.value).replace("\r\n", "\n").replace("\r", "\n")
    if "\n" in value and not keeps_line_ends(
        value, one_line=line.one_line, line_starts=line.rules.line_starts
    ):
        value = value.replace("\n", " ")
    if not value:
        return ()
    if line.in_cell and "\\|" in value:
        return (Text(value),)
    return (changed(node, value=value),)


def _html(node: Html, line: Line) -> Sequence[Node]:
    value = _plain(node.value).replace("\r\n", "\n").replace("\r", "\n")
    if "\n" in value and (line.one_line or starts_block(value, line.rules.line_starts)):
        value = value.replace("\n", " ")
    if not is_inline(value) or (line.in_cell and "|" in value):
        return (Text(value),) if value else ()
    return (changed(node, value=value),)


def _span(node: Any, line: Line) -> Sequence[Node]:
    children = _children(node.children, line)
    before: list[Node] = []
    behind: list[Node] = []
    while children and isinstance(children[-1], Break):
        behind.append(children.pop())
    while line.one_line and children and isinstance(children[0], Break):
        before.append(children.pop(0))
    span = (changed(node, children=tuple(children)),) if children else ()
    return (*before, *span, *behind)


def _delete(node: Delete, line: Line) -> Sequence[Node]:
    if line.in_delete:
        return _children(node.children, line)
    return _span(node, replace(line, in_delete=True))


def _link(node: Link, line: Line) -> Sequence[Node]:
    if line.in_link:
        return _children(node.children, line)
    children = _link_children(node, line)
    return (
        changed(node, children=children, url=_plain(node.url), title=_plain_or_none(node.title)),
    )


def _image(node: Image, _line: Line) -> Sequence[Node]:
    return (
        changed(
            node,
            url=_plain(node.url),
            title=_plain_or_none(node.title),
            alt=_plain(node.alt or ""),
        ),
    )


def _link_reference(node: LinkReference, line: Line) -> Sequence[Node]:
    if line.in_link:
        return _children(node.children, line)
    children = _link_children(node, line)
    found = reference_label(node.identifier, node.label)
    if found is None or (line.in_cell and "|" in found[0]):
        return children
    return (
        _matched(
            changed(node, identifier=found[0], label=found[1], children=children),
            line,
        ),
    )


def _image_reference(node: ImageReference, line: Line) -> Sequence[Node]:
    alt = _plain(node.alt or "")
    found = reference_label(node.identifier, node.label)
    if found is None or (line.in_cell and "|" in found[0]):
        return (Text(alt),) if alt else ()
    return (_matched(changed(node, identifier=found[0], label=found[1], alt=alt), line),)


def _matched(node: LinkReference | ImageReference, line: Line) -> LinkReference | ImageReference:
    """Return a reference that is full unless its text is its label."""
    if node.reference_type == "full":
        return node
    writing = state(line.rules, one_line=line.one_line, in_cell=line.in_cell)
    text = text_of_reference(node, writing)
    if is_label_of(text, node, writing):
        return changed(node, label=decode(text))
    return changed(node, reference_type="full")


def _footnote_reference(node: FootnoteReference, _line: Line) -> Sequence[Node]:
    key, label = footnote_label(node.identifier, node.label)
    return (changed(node, identifier=key, label=label),)


def _link_children(node: Link | LinkReference, line: Line) -> tuple[Any, ...]:
    children = _children(node.children, replace(line, in_link=True, in_delete=False))
    if line.one_line:
        children = _with_spaces(children)
    return tuple(
        unwrapped(children, line.rules, one_line=line.one_line, in_cell=line.in_cell, in_label=True)
    )


def _plain(value: str) -> str:
    return value.replace("\0", "\ufffd") if "\0" in value else value


def _plain_or_none(value: str | None) -> str | None:
    return None if value is None else _plain(value)


_HANDLERS: dict[type[Node], Callable[[Any, Line], Sequence[Node]]] = {
    Text: _text,
    InlineCode: _code,
    Html: _html,
    Emphasis: _span,
    Strong: _span,
    Delete: _delete,
    Link: _link,
    Image: _image,
    LinkReference: _link_reference,
    ImageReference: _image_reference,
    FootnoteReference: _footnote_reference,
}

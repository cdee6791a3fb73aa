"""The spelling of a node in its source, for the writer to repeat where that is safe.

A ``Spelling`` says of what content it is one. A node that was changed since, even by hand, has another
content, and is written as if it had no spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from ._nodes import Link, Node, Position, Spelling, Table, Text


def spell(node: Node, text: str, extensions: tuple[Any, ...]) -> None:
    """Note the source of a node that is being made: without what its containers put before lines."""
    position = node.position
    assert position is not None
    spelling = Spelling(text, _content(node), extensions)
    spelled = Position(position.start, position.end, spelling)
    msgspec.structs.force_setattr(node, "position", spelled)


def spelling_of(node: Node, extensions: tuple[Any, ...]) -> str | None:
    """Return the source of a node that is still what was read, with the same extensions."""
    position = node.position
    if position is None or (spelling := position.spelling) is None:
        return None
    if spelling.extensions != extensions or not _are_same(spelling.of, _content(node)):
        return None
    return spelling.text


def was_spelled(node: Node) -> str:
    """Return the source of a node whatever became of its content; ``""`` if it is not known."""
    position = node.position
    return "" if position is None or position.spelling is None else position.spelling.text


def follow(left: Node, right: Node) -> bool:
    """Return whether two nodes stood in lines one after the other, of which the source is known."""
    before, after = left.position, right.position
    return (
        before is not None
        and after is not None
        and before.spelling is not None
        and after.spelling is not None
        and after.start.line == before.end.line + 1
    )


def is_disputed(node: Node, text: str) -> bool:
    """Return whether readers of GFM disagree about a block's source, so that another spelling would change
    what some of them show: an address with brackets in it, more than one backslash before a cell's pipe.
    """
    if isinstance(node, Table):
        return "\\\\|" in text
    return "[" in text and has_brackets_in_addresses_alone(getattr(node, "children", ()))


def has_brackets_in_addresses_alone(nodes: Sequence[Any]) -> bool:
    """Return whether addresses that stand as they are have opening brackets, and no text beside them has."""
    found = False
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, Link) and node.title is None and _is_address(node):
            found = found or "[" in node.url
        elif isinstance(node, Text) and "[" in node.value:
            return False
        else:
            stack.extend(getattr(node, "children", ()))
    return found


def _is_address(node: Link) -> bool:
    match node.children:
        case (Text(value),):
            return bool(value) and node.url.endswith(value)
        case _:
            return False


@cache
def _fields(kind: type[Node]) -> tuple[str, ...]:
    return tuple([name for name in kind.__struct_fields__ if name != "position"])


def _content(node: Node) -> tuple[Any, ...]:
    return (type(node), *[getattr(node, name) for name in _fields(type(node))])


def _are_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Compare fields; children are the same if they are the same objects, so that depth costs nothing."""
    return all(
        a is b or (type(a) is not tuple and a == b) for a, b in zip(one, other, strict=False)
    )

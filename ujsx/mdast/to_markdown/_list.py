"""Handlers of lists and their items."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ujsx.mdast._nodes import (
    Blockquote,
    Heading,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Table,
)
from ujsx.mdast._spelling import spelling_of, was_spelled

from ._errors import Unwritable
from ._flow import indented, paragraph
from ._merged import merged
from ._state import Handler, Writing

MAX_NUMBER = 999_999_999
"""The largest number of an item: nine digits (CommonMark 5.2)."""

_BULLETS = "-*+"
_BOXES = {True: "[x]", False: "[ ]"}
_NUMBER = re.compile(r"[0-9]+")
_BEHIND_MARKER = re.compile(r"(?:[-+*]|[0-9]+[.)])( +)(?!\t)")
_BOX = re.compile(r"\[[ \t\nxX]\](?=[ \t\n]|\Z)")
"""What looks like a task's box (GFM 5.3)."""


def list_(node: List, writing: Writing) -> str:
    """Items behind their markers; a list after a list takes another bullet."""
    if not node.children:
        raise Unwritable(node, "it is empty")
    avoid = writing.avoid_bullet
    contents = _contents(node, writing)
    first = {content[:1] for content in contents}
    between = "\n\n" if node.spread else "\n"
    indent = writing.options.list_item_indent
    as_it_was = was_spelled(node) if List in writing.rules.kept else ""
    keeps_spaces = ListItem in writing.rules.kept and any(map(was_spelled, node.children))
    are_lines = indent == "one" and not keeps_spaces and _are_lines(contents, first)
    if node.ordered:
        markers = _numbers(node, avoid, as_it_was, writing)
        writing.bullet = markers[0][-1]
    else:
        writing.bullet = bullet = _bullet(contents, first, avoid, as_it_was, writing)
        if are_lines:  # as most are
            return f"{bullet} " + f"{between}{bullet} ".join(contents)
        markers = [bullet] * len(contents)
    pairs = zip(markers, contents, strict=True)
    if are_lines:
        return between.join(map(" ".join, pairs))
    if keeps_spaces:
        return between.join(
            [
                _item(marker, content, indent, _spaces(item), _nesting(item))
                for (marker, content), item in zip(pairs, node.children, strict=True)
            ]
        )
    return between.join([_item(marker, content, indent) for marker, content in pairs])


def _contents(node: List, writing: Writing) -> list[str]:
    *others, last = node.children
    must_end, before_item = writing.must_end, writing.before_item
    writing.must_end, writing.before_item = node.spread, not node.spread
    contents = writing.known_each(others, _content)
    writing.must_end, writing.before_item = must_end, before_item
    return [*contents, writing.known(last, _content)]


def _content(node: ListItem, writing: Writing) -> str:
    """Return an item's blocks: of its canonical form alone, where it cannot be written as it is."""
    depth, must_end, before_item = writing.depth, writing.must_end, writing.before_item
    try:
        return item_content(node, writing)
    except Unwritable:
        if writing.mend is None:
            raise
    writing.must_end, writing.before_item = must_end, before_item
    (made,) = writing.mended(writing.mend((List(children=(node,)),)), depth).children
    writing.mends[id(node)] = node, made
    return item_content(made, writing)


def _are_lines(contents: Sequence[str], first: Collection[str]) -> bool:
    """Tell whether contents are a line each, which does not begin with a space.

    :param first: the characters that they begin with; an empty one is there for an empty content.
    """
    return "" not in first and " " not in first and "\n" not in "".join(contents)


def item_content(node: ListItem, writing: Writing) -> str:
    """Return an item's blocks, not yet behind a marker."""
    children = node.children
    writing.in_tight_item = False
    # Most items are one paragraph.
    if (
        len(children) == 1
        and node.checked is None
        and type(children[0]) is Paragraph
        and writing.flow_handlers.get(Paragraph) is paragraph
    ):
        written = paragraph(children[0], writing)
        return _without_box(written, children[0]) if written[0] == "[" else written
    children = tuple(writing.saying_something(children))  # type: ignore[arg-type]
    if not children:
        if node.checked is not None:
            raise Unwritable(node, "a task's box needs a paragraph after it")
        return ""
    writing.enter(node)
    writing.behind_box = node.checked is not None
    written = writing.flow(node, children)
    writing.leave()
    if node.checked is None:
        return _without_box(written, children[0])
    if not isinstance(children[0], Paragraph):
        raise Unwritable(node, "a task's box needs a paragraph after it")
    return f"{_box(node, writing)} {written}"


def _box(node: ListItem, writing: Writing) -> str:
    """Return a task's box; a large ``X`` stays one."""
    assert node.checked is not None
    is_kept = ListItem in writing.rules.kept and was_spelled(node).endswith("[X]")
    return "[X]" if is_kept and node.checked else _BOXES[node.checked]


def _spaces(node: ListItem) -> int:
    """Return how many spaces stood behind an item's marker: 1 if it is not known, or more than 4."""
    match = _BEHIND_MARKER.match(was_spelled(node))
    return len(match[1]) if match is not None and len(match[1]) <= 4 else 1


def _without_box(content: str, first: Node) -> str:
    """Return the content of an item that is no task, which may start with what looks like a box."""
    if content[:1] != "[" or _BOX.match(content) is None:
        return content
    inline = merged(getattr(first, "children", ()))
    if inline and isinstance(inline[0], LinkReference):
        raise Unwritable(inline[0], "at the start of an item it would be a task's box")
    return f"\\{content}"


class _Nesting(NamedTuple):
    """How far from an item's marker its other blocks stood, behind the lines of its first paragraph."""

    columns: int
    lines: int


def _nesting(node: ListItem) -> _Nesting | None:
    """Return how deep an item's other blocks stood, where that is known and the same for all of them."""
    own, (first, *rest) = node.position, node.children or (None,)
    if own is None or not isinstance(first, Paragraph) or first.position is None:
        return None
    columns = {
        each.position.start.column if isinstance(each, _MOVABLE) and each.position else 0
        for each in rest
    }
    if len(columns) != 1 or not was_spelled(node):
        return None
    lines = first.position.end.line - first.position.start.line + 1
    return _Nesting(columns.pop() - own.start.column, lines)


_MOVABLE = (Paragraph, List, Blockquote, Heading, Table)
"""Blocks that may stand up to three columns deeper than an item's first line."""


def _item(
    marker: str, content: str, indent: str, spaces: int = 1, nesting: _Nesting | None = None
) -> str:
    if not content:
        return marker
    if indent == "one" and "\n" not in content and content[0] != " ":  # most items
        return f"{marker}{' ' * spaces}{content}"
    width = len(marker) + (spaces if content[0] != " " else 1)
    if content[0] == " ":  # HTML's own indent, which the first line would give to the marker
        pad = " " * width
        return f"{marker}\n{pad}{indented(content, pad)}"
    if indent == "tab" or (indent == "mixed" and "\n\n" in content):
        width = -(-width // 4) * 4
    pad = " " * width
    lead = f"{marker}{pad[len(marker) :]}"
    if nesting is None or not width < nesting.columns < width + 4:
        return f"{lead}{indented(content, pad)}"
    lines = content.split("\n", nesting.lines)
    head, rest = "\n".join(lines[: nesting.lines]), "\n".join(["", *lines[nesting.lines :]])
    return f"{lead}{indented(head, pad)}{indented(rest, ' ' * nesting.columns)}"


def _numbers(node: List, avoid: str, as_it_was: str, writing: Writing) -> list[str]:
    start = 1 if node.start is None else node.start
    if not 0 <= start <= MAX_NUMBER:
        raise Unwritable(node, f"its start {start} is not between 0 and {MAX_NUMBER:,}")
    delimiter = as_it_was if as_it_was in {".", ")"} else writing.options.bullet_ordered
    if delimiter == avoid:
        delimiter = ")" if delimiter == "." else "."
    step = 1 if writing.options.increment_list_marker else 0
    if ListItem in writing.rules.kept:
        numbers = [_NUMBER.match(was_spelled(item)) for item in node.children]
        known = [match[0] for match in numbers if match is not None]
        is_same = spelling_of(node, writing.rules.extensions) is not None
        if is_same and len(known) == len(numbers) and int(known[0]) == start:
            return [f"{number}{delimiter}" for number in known]
        step = 0 if len(known) > 1 and known[0] == known[1] else step
    return [f"{min(start + step * i, MAX_NUMBER)}{delimiter}" for i in range(len(node.children))]


def _bullet(
    contents: Sequence[str], first: Collection[str], avoid: str, as_it_was: str, writing: Writing
) -> str:
    options = writing.options
    if as_it_was not in _BULLETS:
        as_it_was = ""
    candidates: list[str] = [as_it_was, options.bullet, options.bullet_other or "", *_BULLETS]
    for bullet in candidates:
        if not bullet or bullet == avoid:
            continue
        if bullet not in first or not any(_draws_rule(bullet, c) for c in contents):
            return bullet
    raise AssertionError("a plus never draws a rule, and only one bullet is to be avoided")


def _draws_rule(bullet: str, content: str) -> bool:
    """Whether a bullet and the line after it are a thematic break, not an item."""
    if not content or content[0] != bullet or bullet == "+":
        return False
    line = content.split("\n", 1)[0]
    return line.count(bullet) > 1 and re.fullmatch(rf"[{bullet} \t]+", line) is not None


HANDLERS: dict[type[Node], Handler] = {List: list_}

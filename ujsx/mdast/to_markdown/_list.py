"""Handlers of lists and their items."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ujsx.mdast._nodes import (
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
)

from ._errors import Unwritable
from ._flow import indented, paragraph
from ._merged import merged
from ._state import Handler, Writing

MAX_NUMBER = 999_999_999
"""The largest number of an item: nine digits (CommonMark 5.2)."""

_BULLETS = "-*+"
_BOXES = {True: "[x]", False: "[ ]"}
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
    are_lines = indent == "one" and _are_lines(contents, first)
    if node.ordered:
        markers = _numbers(node, avoid, writing)
        writing.bullet = markers[0][-1]
    else:
        writing.bullet = bullet = _bullet(contents, first, avoid, writing)
        if are_lines:  # as most are
            return f"{bullet} " + f"{between}{bullet} ".join(contents)
        markers = [bullet] * len(contents)
    pairs = zip(markers, contents, strict=True)
    if are_lines:
        return between.join(map(" ".join, pairs))
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
    return f"{_BOXES[node.checked]} {written}"


def _without_box(content: str, first: Node) -> str:
    """Return the content of an item that is no task, which may start with what looks like a box."""
    if content[:1] != "[" or _BOX.match(content) is None:
        return content
    inline = merged(getattr(first, "children", ()))
    if inline and isinstance(inline[0], LinkReference):
        raise Unwritable(inline[0], "at the start of an item it would be a task's box")
    return f"\\{content}"


def _item(marker: str, content: str, indent: str) -> str:
    if not content:
        return marker
    if indent == "one" and "\n" not in content and content[0] != " ":  # most items
        return f"{marker} {content}"
    width = len(marker) + 1
    if content[0] == " ":  # HTML's own indent, which the first line would give to the marker
        pad = " " * width
        return f"{marker}\n{pad}{indented(content, pad)}"
    if indent == "tab" or (indent == "mixed" and "\n\n" in content):
        width = -(-width // 4) * 4
    pad = " " * width
    lead = f"{marker}{pad[len(marker) :]}"
    return f"{lead}{indented(content, pad)}"


def _numbers(node: List, avoid: str, writing: Writing) -> list[str]:
    start = 1 if node.start is None else node.start
    if not 0 <= start <= MAX_NUMBER:
        raise Unwritable(node, f"its start {start} is not between 0 and {MAX_NUMBER:,}")
    delimiter = writing.options.bullet_ordered
    if delimiter == avoid:
        delimiter = ")" if delimiter == "." else "."
    step = 1 if writing.options.increment_list_marker else 0
    return [f"{min(start + step * i, MAX_NUMBER)}{delimiter}" for i in range(len(node.children))]


def _bullet(contents: Sequence[str], first: Collection[str], avoid: str, writing: Writing) -> str:
    options = writing.options
    candidates: list[str] = [options.bullet, options.bullet_other or "", *_BULLETS]
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

"""The habits of a source: the writer's options that its author would have chosen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ujsx.mdast._nodes import (
    Code,
    Definition,
    Emphasis,
    Heading,
    Image,
    Link,
    List,
    ListItem,
    Node,
    Root,
    Strong,
    Table,
    ThematicBreak,
)
from ujsx.mdast.util import walk

MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})([.)]))([ \t]*)")
"""An item's marker: its number, what follows the number, and the white space before the content."""

_LINE_END = re.compile(r"\r\n?|\n")
_CLOSED = re.compile(r"[ \t]#+[ \t]*\Z")
_DEEP = 4


class Habits(NamedTuple):
    """The style of a source."""

    options: dict[str, Any]
    """The writer's options."""
    line_end: str
    nesting: int | None
    """The columns by which a nested list is indented; ``None`` where the marker decides."""
    setext: bool
    """Whether headings that no container holds are underlined."""
    chosen: frozenset[str] = frozenset()
    """The options that do not follow from the source, but were given."""

    def with_options(self, given: Mapping[str, Any]) -> Habits:
        """Return the habits where some options are given: these are stronger."""
        options = {**self.options, **given}
        setext = bool(options.pop("setext", self.setext))
        nesting = None if "list_item_indent" in given else self.nesting
        return Habits(options, self.line_end, nesting, setext, frozenset(given))


def habits_of(text: str, tree: Root) -> Habits:
    r"""Return the habits of a text; ``tree`` is what was read from it, with all positions.

    The majority decides; an option that the text says nothing about is left out.

    >>> from ujsx.mdast import from_markdown
    >>> text = "* a\n* _b_\n"
    >>> habits_of(text, from_markdown(text, positions="all")).options
    {'bullet': '*', 'emphasis': '_', 'list_item_indent': 'one'}
    """
    votes: dict[str, Counter[Any]] = {}
    for node in walk(tree):
        vote = _VOTES.get(type(node))
        if vote is not None and node.position is not None:
            start, end = node.position.start.offset or 0, node.position.end.offset
            for option, value in vote(node, text[start:end]).items():
                votes.setdefault(option, Counter())[value] += 1
    options = {option: counter.most_common(1)[0][0] for option, counter in sorted(votes.items())}
    line_end = _LINE_END.search(text)
    nesting, setext = options.pop("nesting", None), options.pop("setext", False)
    return Habits(options, "\n" if line_end is None else line_end[0], nesting, setext)


def _heading(node: Heading, source: str) -> dict[str, Any]:
    if source[:1] != "#":
        return {"setext": True}
    closed = {"close_atx": _CLOSED.search(source) is not None} if node.children else {}
    return {**closed, **({"setext": False} if node.depth < 3 else {})}


def _emphasis(_node: Emphasis, source: str) -> dict[str, Any]:
    return {"emphasis": source[0]} if source[:1] in {"*", "_"} else {}


def _strong(_node: Strong, source: str) -> dict[str, Any]:
    return {"strong": source[0]} if source[:1] in {"*", "_"} else {}


def _code(_node: Code, source: str) -> dict[str, Any]:
    return {"fence": source[0]} if source[:1] in {"`", "~"} else {}


def _rule(_node: ThematicBreak, source: str) -> dict[str, Any]:
    source = source.strip()
    marks = source.replace(" ", "").replace("\t", "")
    return {
        "rule": marks[0],
        "rule_repetition": len(marks),
        "rule_spaces": " " in source,
    }


def _titled(node: Definition | Link | Image, source: str) -> dict[str, Any]:
    end = source.rstrip(") \t")[-1:]
    return {"quote": end} if node.title and end in {'"', "'"} else {}


def _list(node: List, source: str) -> dict[str, Any]:
    marker = MARKER.match(source)
    if marker is None:
        return {}
    if not node.ordered:
        return {"bullet": source[0]}
    found: dict[str, Any] = {"bullet_ordered": marker[2]}
    items = [item for item in node.children if item.position is not None]
    if len(items) > 1:
        start = items[0].position.start.offset or 0  # type: ignore[union-attr]
        second = (items[1].position.start.offset or 0) - start  # type: ignore[union-attr]
        number = MARKER.match(source, second)
        found["increment_list_marker"] = number is None or number[1] != marker[1]
    return found


def _item(node: ListItem, source: str) -> dict[str, Any]:
    marker = MARKER.match(source)
    if marker is None or not node.children:
        return {}
    found: dict[str, Any] = {}
    if marker[3] and "\n" not in source:
        is_wide = len(marker[0]) % 4 == 0 and len(marker[3]) > 1
        found["list_item_indent"] = "tab" if is_wide else "one"
    for child in node.children[1:]:
        if isinstance(child, List) and child.position is not None and node.position is not None:
            columns = child.position.start.column - node.position.start.column
            found["nesting"] = columns if columns == _DEEP else None
    return found


def _table(node: Table, source: str) -> dict[str, Any]:
    lines = _LINE_END.split(source)
    first = lines[0].strip()
    is_padded = "| " in first or " |" in first
    widths = {len(line.strip().replace("\\|", "  ")) for line in lines}
    return {"table_cell_padding": is_padded, "table_pipe_align": len(widths) == 1}


def _root(node: Root, _source: str) -> dict[str, Any]:
    gaps = [
        after.position.start.line - before.position.end.line
        for before, after in pairwise(node.children)
        if isinstance(before, Definition) and isinstance(after, Definition)
        if before.position is not None and after.position is not None
    ]
    return {"tight_definitions": gaps.count(1) > len(gaps) // 2} if gaps else {}


_VOTES: Mapping[type[Node], Callable[[Any, str], dict[str, Any]]] = {
    Root: _root,
    Heading: _heading,
    Emphasis: _emphasis,
    Strong: _strong,
    Code: _code,
    ThematicBreak: _rule,
    Definition: _titled,
    Link: _titled,
    Image: _titled,
    List: _list,
    ListItem: _item,
    Table: _table,
}
"""The readers of options, by the kind of node that shows them."""

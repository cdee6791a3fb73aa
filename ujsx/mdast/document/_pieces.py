"""New pieces of a document, written in the habits of its source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, get_args

from ujsx.mdast._extension import Extension
from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    Emphasis,
    FootnoteDefinition,
    Heading,
    Html,
    Image,
    InlineCode,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    PhrasingContent,
    Root,
    Strong,
    Table,
    TableCell,
    Text,
    ThematicBreak,
)
from ujsx.mdast._writer import Writer
from ujsx.mdast.to_markdown._flow import FLOW_HANDLERS
from ujsx.mdast.to_markdown._links import labels_in
from ujsx.mdast.util import walk

# The habits of a source: the writer's options that its author would have chosen.

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


_NO_LEAVES = (Blockquote, FootnoteDefinition, Html, List, ListItem, Root)
"""Containers; and HTML, which is in lines as well, and is written as it is in any case."""
_BULLETS, _DELIMITERS = "-*+", ".)"
_WIDE_MARKER = re.compile(r"^((?: {4})*(?:[-+*]|[0-9]{1,9}[.)])) +(?! )", re.MULTILINE)
_MOVABLE = (List, ListItem, Paragraph, *get_args(PhrasingContent))
"""The nodes that a list may hold for its markers to be told from other lines."""
_BEFORE = Paragraph(children=(Text("x"),))


class Pieces:
    """Writes nodes as they stand in a document.

    :param source_of: the source of a block that can stand again where the block is written, without
        what containers put before its lines; ``None`` for a block that is to be written anew.
    """

    def __init__(
        self,
        habits: Habits,
        wanted: Root,
        extensions: tuple[Extension, ...],
        source_of: Callable[[Node], str | None],
    ) -> None:
        self.habits = habits
        self._labels = labels_in(wanted.children)
        self._extensions = extensions
        self._source_of = source_of
        self._writers: dict[str, Writer] = {}

    def block(self, node: Node, lead: str, avoid: str = "") -> str:
        """Return a block's Markdown; ``""`` for one that has no canonical form.

        :param lead: what containers put before each line but the first.
        :param avoid: the markers of the lists beside it, which it must not go on.
        """
        # In an item that no blank line parts, an underlined heading would be a part of what is before it.
        is_setext = self.habits.setext and isinstance(node, Heading) and not lead
        options: dict[str, Any] = {"setext": True} if is_setext else {}
        if isinstance(node, List) and self.habits.nesting is not None:
            written = self._lists(node, self._writer(avoid, list_item_indent="tab"))
            return self.placed(written, lead)
        # What is first in a document is written with more care than what is not.
        blocks = self._writer(avoid, **options).blocks([_BEFORE, node], labels=self._labels)
        return self.placed("".join(blocks[1:]).lstrip("\n"), lead)

    def blocks(self, nodes: Sequence[Node]) -> str:
        """Return the Markdown of all blocks of a document."""
        return self.placed("".join(self._writer("").blocks(nodes, labels=self._labels)), "")

    def item(self, item: ListItem, number: int | None, marker: str, spaces: int, lead: str) -> str:
        """Return an item behind a marker like those beside it.

        :param number: its number, in an ordered list.
        :param marker: the list's bullet, or what follows its numbers.
        :param spaces: how many spaces follow the marker.
        """
        alone = List(ordered=number is not None, start=number, children=(item,))
        indent = "one" if self.habits.nesting is None else "tab"
        lines = self._lists(alone, self._writer(others(marker), list_item_indent=indent)).split(
            "\n"
        )
        first, space, rest = lines[0].partition(" ")
        if len(lines) > 1 and not rest:  # code that is indented by more
            spaces = 1
        if space and not rest.startswith(" "):
            lines[0] = f"{first}{' ' * spaces}{rest}"
            if self.habits.nesting is None:
                more = " " * (spaces - 1)
                lines[1:] = [f"{more}{line}" if line else "" for line in lines[1:]]
        return self.placed("\n".join(lines), lead)

    def _lists(self, node: List, writer: Writer) -> str:
        """Return a list in which what is below an item's first line is indented as the text has it."""
        written = "".join(writer.blocks([_BEFORE, node], labels=self._labels)[1:]).lstrip("\n")
        if self.habits.nesting is None or not all(
            isinstance(each, _MOVABLE) for each in walk(node)
        ):
            return written
        return _WIDE_MARKER.sub(r"\1 ", written)

    def phrasing(
        self, leaf: Node, nodes: Sequence[Node], lead: str, *, left: bool, right: bool
    ) -> str | None:
        """Return what stands in a line, as a part of a leaf; ``None`` if it has no form of its own.

        :param leaf: the paragraph, heading or cell that it is a part of.
        :param left: whether something stands before it in the leaf.
        :param right: whether something stands after it.
        """
        if not nodes:
            return ""
        guards = [
            Image("x") if beside and isinstance(node, InlineCode) else InlineCode("x")
            for beside, node in ((left, nodes[0]), (right, nodes[-1]))
        ]
        children = (*guards[:1] * left, *nodes, *guards[1:] * right)
        kind = TableCell if isinstance(leaf, TableCell) else Paragraph
        written = "".join(
            self._writer("").blocks([kind(children=children)], labels=self._labels)  # type: ignore[arg-type]
        )
        before, after = (_GUARDS[type(guard)] for guard in guards)
        if left:
            if not written.startswith(before):
                return None
            written = written[len(before) :]
        if right:
            if not written.endswith(after):
                return None
            written = written[: -len(after)]
        if "\n" in written and not isinstance(leaf, Paragraph):
            return None
        return self.placed(written, lead)

    def placed(self, text: str, lead: str) -> str:
        """Return lines behind what containers put before them, with the document's line ends."""
        first, *rest = text.split("\n")
        lines = [first, *[f"{lead}{line}" if line else lead.rstrip(" \t") for line in rest]]
        return self.habits.line_end.join(lines)

    def _writer(self, avoid: str, **options: Any) -> Writer:
        key = f"{avoid} {options}"
        if key not in self._writers:
            options = {**self.habits.options, **options}
            for option, markers in (("bullet", _BULLETS), ("bullet_ordered", _DELIMITERS)):
                free = [each for each in markers if each not in avoid]
                if free and options.get(option, markers[0]) not in free:
                    options[option] = free[0]
            self._writers[key] = Writer(
                on_unwritable="normalize",
                handlers=self._handlers(),
                extensions=self._extensions,
                **options,
            )
        return self._writers[key]

    def _handlers(self) -> dict[type[Node], Any]:
        """Return handlers of leaf blocks that use the source of those that have one."""

        def handler(kind: type[Node]) -> Any:
            write = FLOW_HANDLERS[kind]

            def from_source(node: Node, writing: Any) -> str:
                source = self._source_of(node)
                return write(node, writing) if source is None else source

            return from_source

        return {kind: handler(kind) for kind in FLOW_HANDLERS if kind not in _NO_LEAVES}


_GUARDS: dict[type[Node], str] = {InlineCode: "`x`", Image: "![](x)"}


def others(marker: str) -> str:
    """Return the markers of lists of the same kind that are not this one.

    >>> others("*"), others(")")
    ('-+', '.')
    """
    return (_BULLETS if marker in _BULLETS else _DELIMITERS).replace(marker, "")

"""Phrasing: text with its escapes, spans with their markers, and what handlers write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from .._nodes import (
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
from ._attention import BREAK_EDGE, Around, Marks, OpenRuns, choose
from ._characters import OTHER, SPACE, UNICODE_SPACES, character_class, reference
from ._errors import Unwritable
from ._unsafe import Place

if TYPE_CHECKING:
    from ._writing import Writing

SPANS: dict[type[Node], int] = {Emphasis: 1, Strong: 2, Delete: 2}
"""The nodes that are written with delimiter runs, and how long the runs are."""

FIRST_CHARACTER: dict[type[Node], str] = {
    Emphasis: "*",
    Strong: "*",
    Delete: "~",
    InlineCode: "`",
    Html: "<",
    Break: "\\",
    Link: "[",
    LinkReference: "[",
    FootnoteReference: "[",
    Image: "!",
    ImageReference: "!",
}
"""What a node's Markdown starts with, up to a character of the same class."""

_NO_MARKS = Marks(";", False, False, False)
"""Stands for the marks of a span that cannot be written, where those are only collected."""

_COULD_GO_ON = (LinkReference, ImageReference, FootnoteReference)
"""Nodes that a ``(`` or, at the start of a line, a ``:`` would make something else of."""


class Phrasing:
    """One run of phrasing: a block's content, or what is within a link's brackets."""

    __slots__ = ("_open_runs", "_out", "_place", "_unwritable", "_writing")

    def __init__(
        self, writing: Writing, place: Place = "text", unwritable: list[Node] | None = None
    ) -> None:
        """``unwritable`` collects the spans without a marker, in place of an error at the first."""
        self._writing = writing
        self._unwritable = unwritable
        self._place: Place = place
        self._out: list[str] = []
        self._open_runs = OpenRuns()

    def write(self, nodes: Sequence[Node]) -> str:
        """Return the Markdown of these nodes."""
        nodes = merged(nodes)
        if nodes and self._place == "text" and isinstance(nodes[-1], Break):
            raise Unwritable(nodes[-1], "it is the last of its block")
        self._children(nodes, "" if self._place == "text" else "[", None)
        return "".join(self._out)

    def _children(self, nodes: Sequence[Node], before: str, parent: Marks | None) -> None:
        marks: Marks | None = None
        encode_first = False
        sibling = ""
        last = len(nodes) - 1
        previous: Node | None = None
        for index, node in enumerate(nodes):
            following = nodes[index + 1] if index < last else None
            kind = type(node)
            if isinstance(node, Text):
                value = node.value
                outside = ";" if encode_first and len(value) == 1 else self._before_span(value)
                marks = None
                if following is not None and type(following) in SPANS:
                    marks = self._choose(nodes, index + 1, outside, "", parent)
                    encode_last = marks.before
                else:
                    encode_last = following is None and (
                        parent is not None and character_class(value[-1]) == SPACE
                    )
                self._text(value, previous, following, encode_first, encode_last, before)
                before, sibling, encode_first = value[-1], "", False
            elif kind in SPANS:
                if marks is None:
                    marks = self._choose(nodes, index, before, sibling, parent)
                if marks is not _NO_MARKS:
                    self._span(node, marks, is_first=index == 0)
                before = sibling = marks.run[0]
                encode_first, marks = marks.after, None
            else:
                written = self._writing.phrasing_node(node)
                if previous is not None and written.startswith("["):
                    _check_brackets(previous, node)
                self._out.append(written)
                if written:
                    before = written[-1]
                sibling, encode_first = "", False
            previous = node

    def _before_span(self, value: str) -> str:
        """Return what a span after a text has before it; white space may become a reference."""
        last = value[-1]
        if last in UNICODE_SPACES and (
            len(value) == 1 or last == "\r" or value[-2] in "\n\r" or self._writing.one_line
        ):
            return ";"
        return last

    def _choose(
        self,
        nodes: Sequence[Node],
        index: int,
        before: str,
        sibling: str,
        parent: Marks | None,
    ) -> Marks:
        node = nodes[index]
        if parent is None and not sibling and _is_plain(node):
            plain = self._writing.plain_marks.get(type(node))
            if plain is not None:
                return plain
        children: Sequence[Node] = merged(node.children)  # type: ignore[attr-defined]  # pyright: ignore
        if not children:
            raise Unwritable(node, "it is empty")
        is_first, is_last = index == 0, index == len(nodes) - 1
        if not is_last:
            after = self._edge(nodes[index + 1], 0)
        else:
            after = parent.run[0] if parent is not None else "" if self._place == "text" else "]"
        around = Around(
            before,
            after,
            self._inner_edge(children, 0),
            self._inner_edge(children, -1),
            sibling,
            parent if is_first or is_last else None,
            is_first,
            is_last,
        )
        preferred = self._writing.span_markers[type(node)]
        marks = choose(SPANS[type(node)], preferred, around, self._open_runs)
        if marks is None:
            if self._unwritable is not None:
                self._unwritable.append(node)
                return _NO_MARKS
            raise Unwritable(node, "no marker stands for it between what is around it and in it")
        return marks

    def _inner_edge(self, children: Sequence[Node], at: int) -> str:
        """Return a span's first (0) or last (-1) character within."""
        node = children[at]
        if (
            isinstance(node, Text)
            and len(children) > 1
            and len(node.value) == 1
            and character_class(node.value) == OTHER
        ):
            return ";"  # the span next to it may ask for a reference
        return self._edge(node, at)

    def _edge(self, node: Node, at: int) -> str:
        """Return a node's first (0) or last (-1) character, as far as spans care."""
        if isinstance(node, Text):
            return node.value[at]
        if at == -1 and isinstance(node, Break):
            return BREAK_EDGE
        known = FIRST_CHARACTER.get(type(node))
        return known if known is not None else self._writing.phrasing_node(node)[at]

    def _span(self, node: Node, marks: Marks, *, is_first: bool) -> None:
        writing = self._writing
        writing.enter(node)
        self._out.append(marks.run)
        self._open_runs.push(marks, is_first=is_first)
        self._children(merged(node.children), marks.run[0], marks)  # type: ignore[attr-defined]  # pyright: ignore
        self._open_runs.pop(marks)
        self._out.append(marks.run)
        writing.leave()

    def _text(
        self,
        value: str,
        previous: Node | None,
        following: Node | None,
        encode_first: bool,
        encode_last: bool,
        before: str,
    ) -> None:
        first, last = value[0], value[-1]
        head = tail = ""
        if (
            encode_first
            or (before in "*_~[" and before and character_class(first) == SPACE and previous is None
                and (before != "[" or first == "\n"))
            or (isinstance(previous, Break) and first in " \t\n")
        ):
            head, value = reference(first), value[1:]
        elif first in "(:" and isinstance(previous, _COULD_GO_ON):
            head, value = f"\\{first}", value[1:]
        if value:
            if encode_last or (
                last == "\n"
                and (isinstance(following, Html) or (following is None and self._place == "label"))
            ):
                tail, value = reference(last), value[:-1]
            elif following is not None and (
                (last == "!" and self._edge(following, 0) == "[") or last == "<"
            ):
                tail, value = f"\\{last}", value[:-1]
        body = self._writing.escapes.text(value, self._place, one_line=self._writing.one_line)
        self._out.append(f"{head}{body}{tail}")


def _is_plain(span: Any) -> bool:
    """Whether a span holds a text with a letter or digit at each end: its marks need no thought."""
    children = span.children
    if len(children) != 1 or type(children[0]) is not Text:
        return False
    value = children[0].value
    return value[:1].isalnum() and value[-1].isalnum()


def _check_brackets(left: Node, right: Node) -> None:
    """Refuse brackets that a reader would take as the second half of a reference."""
    if isinstance(left, FootnoteReference) and isinstance(right, LinkReference):
        raise Unwritable(right, "right after a footnote's mark its brackets make a link of both")
    if isinstance(left, (LinkReference, ImageReference)) and left.reference_type == "shortcut":
        raise Unwritable(left, "brackets follow it; make it collapsed")


def merged(nodes: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes with adjacent texts as one, adjacent code too, and without empty texts.

    >>> merged([Text("a"), Text(""), Text("b")])
    [Text(value='ab')]
    """
    before: type[Node] | None = None
    for node in nodes:
        kind = type(node)
        if kind is Text or kind is InlineCode:
            if kind is before or node == _NO_TEXT:
                break
        before = kind
    else:
        return nodes
    result: list[Node] = []
    for kind, group in groupby([node for node in nodes if node != _NO_TEXT], type):
        if kind is Text or kind is InlineCode:
            result.append(_joined(cast("list[Text | InlineCode]", list(group))))
        else:
            result.extend(group)
    return result


def _joined(group: list[Text | InlineCode]) -> Text | InlineCode:
    first = group[0]
    return first if len(group) == 1 else type(first)("".join([node.value for node in group]))


_NO_TEXT = Text("")

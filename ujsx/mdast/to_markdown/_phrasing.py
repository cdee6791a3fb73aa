"""Phrasing: text with its escapes, spans with their markers, and what handlers write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

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

from ._attention import BREAK_EDGE, Around, Marks, OpenRuns, choose
from ._characters import (
    OTHER,
    PUNCTUATION,
    SPACE,
    UNICODE_SPACES,
    character_class,
    reference,
)
from ._edges import FIRST, LAST, Beside, inert
from ._errors import Unwritable
from ._html import may_start_block
from ._merged import merged
from ._unsafe import Place

if TYPE_CHECKING:
    from ._state import Writing

Span: TypeAlias = Emphasis | Strong | Delete

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

_AROUND: dict[str, Beside] = {"*": "mark", "_": "mark", "~": "mark", "[": "label"}
"""What a run of phrasing is in, by the character in front of it."""

_NO_MARKS = Marks(";", False, False, False)
"""Stands for the marks of a span that cannot be written, where those are only collected."""


class Phrasing:
    """One run of phrasing: a block's content, or what is within a link's brackets."""

    __slots__ = ("_one_line", "_open_runs", "_out", "_place", "_unwritable", "_writing")

    def __init__(
        self, writing: Writing, place: Place = "text", unwritable: list[Node] | None = None
    ) -> None:
        """``unwritable`` collects the spans without a marker, in place of an error at the first."""
        self._writing = writing
        self._one_line = writing.one_line
        self._place: Place = place
        self._unwritable = unwritable
        self._out: list[str] = []
        self._open_runs = OpenRuns()

    def write(self, nodes: Sequence[Node]) -> str:
        """Return the Markdown of these nodes."""
        nodes = merged(nodes)
        if nodes and self._place == "text" and type(nodes[-1]) is Break:
            raise Unwritable(nodes[-1], "it is the last of its block")
        self._children(nodes, "" if self._place == "text" else "[", None)
        return "".join(self._out)

    def _children(self, nodes: Sequence[Node], before: str, parent: Marks | None) -> None:
        """Write siblings; ``before`` is the character in front, ``parent`` the span around."""
        marks: Marks | None = None
        encode_first = False
        sibling_run = ""
        last = len(nodes) - 1
        for index, node in enumerate(nodes):
            if isinstance(node, Text):
                if index < last and type(nodes[index + 1]) in SPANS:
                    outside = self._before_span(node.value, encode_first)
                    marks = self._choose(nodes, index + 1, outside, "", parent)
                self._text(node, nodes, index, before, encode_first, marks, parent)
                before, sibling_run, encode_first = node.value[-1], "", False
            elif type(node) in SPANS:
                if marks is None:
                    marks = self._choose(nodes, index, before, sibling_run, parent)
                if marks is not _NO_MARKS:
                    self._span(cast("Span", node), marks, is_first=index == 0)
                before = sibling_run = marks.run[0]
                encode_first, marks = marks.after, None
            else:
                written = self._writing.phrasing_node(node)
                if index and written.startswith(("[", ":")):
                    _check_brackets(nodes[index - 1], node)
                self._out.append(written)
                before = _fixed(written[-1]) if written else before
                sibling_run, encode_first = "", False

    # --- Text ---

    def _text(  # noqa: PLR0917 - all of it is what stands around a text
        self,
        node: Text,
        nodes: Sequence[Node],
        index: int,
        before: str,
        encode_first: bool,
        marks: Marks | None,
        parent: Marks | None,
    ) -> None:
        """Write a text; ``marks`` are those of the span after it, if one follows."""
        value = node.value
        head = tail = ""
        if encode_first:
            head, value = reference(value[0]), value[1:]
        elif value[0] in FIRST:
            head = self._head(value[0], nodes[index - 1] if index else None, before)
            value = value[1:] if head else value
        if marks is not None and marks.before:
            if value:
                tail, value = reference(value[-1]), value[:-1]
        elif value and value[-1] in LAST:
            following = nodes[index + 1] if index + 1 < len(nodes) else None
            tail = self._tail(value[-1], following, parent)
            value = value[:-1] if tail else value
        body = self._escaped(value)
        self._out.append(f"{head}{body}{tail}" if head or tail else body)

    def _escaped(self, value: str) -> str:
        writing = self._writing
        return writing.escapes.text(
            value, self._place, one_line=self._one_line, brackets=writing.brackets
        )

    def _head(self, first: str, previous: Node | None, before: str) -> str:
        """Return how a text's first character is written if its surroundings ask for it."""
        means = FIRST[first]
        if previous is None:
            matters = _AROUND.get(before) in means or before in means
        else:
            matters = before in means or not means.isdisjoint(type(previous).__mro__)
        return inert(first) if matters else ""

    def _tail(self, last: str, following: Node | None, parent: Marks | None) -> str:
        """Return how a text's last character is written if its surroundings ask for it."""
        means = LAST[last]
        if following is None:
            matters = ("mark" if parent is not None else self._place) in means
        elif isinstance(following, Html) and Html in means:
            matters = starts_line(following)
        else:
            beside = (*type(following).__mro__, self._edge(following, 0), "anything")
            matters = not means.isdisjoint(beside)
        return inert(last) if matters else ""

    def _before_span(self, value: str, encode_first: bool) -> str:
        """Return what a span after a text has before it, ``;`` if that may be a reference.

        To take white space for a reference is safe: it can only ask for more.
        """
        last = value[-1]
        if len(value) == 1:
            return ";" if encode_first or last in UNICODE_SPACES else last
        if last in " \t\n\r" and (last == "\r" or value[-2] in "\n\r" or self._one_line):
            return ";"
        return last

    # --- Spans ---

    def _choose(
        self,
        nodes: Sequence[Node],
        index: int,
        before: str,
        sibling_run: str,
        parent: Marks | None,
    ) -> Marks:
        """Return the marks of ``nodes[index]``."""
        node = cast("Span", nodes[index])
        if parent is None and not sibling_run and plain_value(node):
            plain = self._writing.plain_marks.get(type(node))
            if plain is not None:
                return plain
        children = merged(node.children)
        if not children:
            raise Unwritable(node, "it is empty")
        is_first, is_last = index == 0, index == len(nodes) - 1
        if not is_last:
            after = self._edge(nodes[index + 1], 0)
            if not isinstance(nodes[index + 1], Text):
                after = _fixed(after)
        elif parent is not None:
            after = parent.run[0]
        else:
            after = "" if self._place == "text" else "]"
        around = Around(
            before,
            after,
            self._inner_edge(children, 0),
            self._inner_edge(children, -1),
            sibling_run,
            parent if is_first or is_last else None,
            is_first,
            is_last,
        )
        preferred = self._writing.span_markers[type(node)]
        marks = choose(SPANS[type(node)], preferred, around, self._open_runs)
        if marks is not None:
            return marks
        if self._unwritable is None:
            raise Unwritable(node, "no marker stands for it between what is around it and in it")
        self._unwritable.append(node)
        return _NO_MARKS

    def _inner_edge(self, children: Sequence[Node], at: int) -> str:
        """Return a span's first (0) or last (-1) character within."""
        child = children[at]
        if isinstance(child, Text) and len(child.value) == 1 < len(children):
            # The span next to it may ask for a reference.
            return ";" if character_class(child.value) == OTHER else child.value
        return self._edge(child, at)

    def _edge(self, node: Node, at: int) -> str:
        """Return a node's first (0) or last (-1) character, as far as spans care."""
        if isinstance(node, Text):
            return node.value[at]
        if at == -1 and type(node) is Break:
            return BREAK_EDGE
        known = FIRST_CHARACTER.get(type(node))
        return known if known is not None else self._writing.phrasing_node(node)[at]

    def _span(self, node: Span, marks: Marks, *, is_first: bool) -> None:
        run = marks.run
        if len(node.children) == 1 and marks is self._writing.plain_marks.get(type(node)):
            value = cast("Text", node.children[0]).value
            value = self._escaped(value)
            self._out.append(f"{run}{value}{run}")
            return
        self._writing.enter(node)
        self._out.append(run)
        self._open_runs.push(marks, is_first=is_first)
        self._children(merged(node.children), run[0], marks)
        self._open_runs.pop(marks)
        self._out.append(run)
        self._writing.leave()


def _fixed(edge: str) -> str:
    """Return what a span has beside it that is no text: a letter there cannot become a reference."""
    return edge if character_class(edge) in {PUNCTUATION, SPACE} else BREAK_EDGE


def plain_value(span: Span) -> str:
    """Return what a span holds if it is a text with a letter or digit at each end, else ``""``.

    Its marks need no thought, unless a span is next to it.
    """
    children = span.children
    if len(children) != 1 or not isinstance(text := children[0], Text):
        return ""
    value = text.value
    return value if value[:1].isalnum() and value[-1].isalnum() else ""


def starts_line(html: Html) -> bool:
    """Return whether inline HTML could start a block at the start of a paragraph's second line."""
    return may_start_block(html.value.split("\n", 1)[0], is_first=False)


def _check_brackets(left: Node, right: Node) -> None:
    """Refuse brackets that a reader would take as the second half of a reference, or a definition."""
    if right.__struct_config__.tag == "textDirective":
        if isinstance(left, (FootnoteReference, LinkReference, ImageReference)):
            raise Unwritable(right, "its colon right after a reference's brackets defines them")
        return
    if isinstance(left, FootnoteReference) and isinstance(right, LinkReference):
        raise Unwritable(right, "right after a footnote's mark its brackets make a link of both")
    if isinstance(left, (LinkReference, ImageReference)) and left.reference_type == "shortcut":
        raise Unwritable(left, "brackets follow it; make it collapsed")

"""Phrasing: text with its escapes, spans with markers that pair correctly, and brackets with a meaning."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from ujsx.errors import MdastError
from ujsx.mdast._nodes import (
    Blockquote,
    Break,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Reference,
    Root,
    Strong,
    Table,
    Text,
    ThematicBreak,
    UnknownNode,
    is_known,
)
from ujsx.mdast.to_markdown._unsafe import (
    CONTROL,
    FIRST,
    LAST,
    OTHER,
    PUNCTUATION,
    SPACE,
    UNICODE_SPACES,
    Beside,
    Place,
    character_class,
    decode,
    escape_of,
    identifier,
    reference,
)
from ujsx.mdast.util import has_reference
from ujsx.on_demand import late_pattern

if TYPE_CHECKING:
    from ujsx.mdast.to_markdown._state import WriterState


# Markers for emphasis, strong and strikethrough that a parser pairs as the tree has them.
#
# CommonMark pairs runs of delimiters by what stands at their sides (6.2, rules 1 to 17). The
# markers are chosen here from the outside in, one node after the other, so that four things hold;
# then every closing run finds its own opening run as the nearest one, whatever the depth:
#
# 1. Each opening run can open and each closing run can close. Where a neighbour is in the way, it
#    is written as a character reference, which is punctuation to every parser.
# 2. No two runs of one character touch, so none merges with another; the exception is a span that
#    shares an edge with its parent of the other kind (``***a** b*``), and strong that is all that
#    its parent strong holds (``****a****``).
# 3. An opening run that could close as well has no open run of its character and a matching length
#    around it.
# 4. Strikethrough does not stand in strikethrough.
#
# Where neither ``*`` nor ``_`` does it, the tree cannot be written.


class Marks(NamedTuple):
    """The markers of a span: its run, and whether adjacent characters become references."""

    run: str
    before: bool
    after: bool
    shares_run: bool


class Around(NamedTuple):
    """The characters around and in a span.

    ``before`` and ``after`` are the characters outside, ``""`` at a block's edge; ``first`` and
    ``last`` those inside. ``sibling`` is the run that ends right before the span, ``parent`` the
    marks of the parent span if the span is its first or its last child.
    """

    before: str
    after: str
    first: str
    last: str
    sibling: str
    parent: Marks | None
    is_first: bool
    is_last: bool


BREAK_EDGE = "\v"
"""The stand-in for a hard break at a span's inner edge: like a control, no reference can replace it."""


class OpenRuns:
    """The lengths of the open runs around a place, by marker, innermost last."""

    __slots__ = ("_lengths",)

    def __init__(self) -> None:
        self._lengths: defaultdict[str, list[int]] = defaultdict(list)

    def push(self, marks: Marks, *, is_first: bool) -> None:
        """Open a span; one that shares its parent's run extends it."""
        lengths = self._lengths[marks.run[0]]
        length = len(marks.run)
        if marks.shares_run and is_first:
            length += lengths[-1]
            lengths[:] = [length] * len(lengths)
        lengths.append(length)

    def pop(self, marks: Marks) -> None:
        """Close the innermost span."""
        self._lengths[marks.run[0]].pop()

    def depth(self, marker: str) -> int:
        """Return the number of open spans with this marker."""
        return len(self._lengths[marker])

    def is_one_run_of_strong(self, marker: str) -> bool:
        """True if the open spans with this marker are strong, each the only content of the one around it."""
        lengths = self._lengths[marker]
        return lengths[-1] == 2 * len(lengths)

    def would_close(self, marker: str, length: int) -> bool:
        """True if a run that can open and close would close one of these (rules 9 and 10)."""
        return any((length + other) % 3 for other in self._lengths[marker])


def choose(length: int, preferred: str, around: Around, open_runs: OpenRuns) -> Marks | None:
    """Return the marks of a span, or ``None`` if it cannot be written in its place.

    >>> alone = Around("", "", "a", "b", "", None, True, True)
    >>> choose(2, "*", alone, OpenRuns())
    Marks(run='**', before=False, after=False, shares_run=False)
    """
    if preferred == "~":
        return None if open_runs.depth("~") else _attempt("~", length, around, open_runs)
    markers = "*_" if preferred == "*" else "_*"
    for same_kind in (False, True):  # ``****a****`` is the last resort
        for marker in markers:
            marks = _attempt(marker, length, around, open_runs, same_kind=same_kind)
            if marks is not None:
                return marks
    return None


def _attempt(
    marker: str, length: int, around: Around, open_runs: OpenRuns, *, same_kind: bool = False
) -> Marks | None:
    if around.sibling == marker:
        return None
    parent = around.parent
    shares_run = parent is not None and parent.run[0] == marker
    if shares_run and not _can_share(length, around, open_runs, same_kind=same_kind):
        return None
    if shares_run and around.is_first:
        before: bool | None = None if character_class(around.first) == CONTROL else False
    else:
        before = _opening(marker, length, around, open_runs)
    after = _closing(marker, around)
    if before is None or after is None:
        return None
    return Marks(marker * length, before, after, shares_run)


def _can_share(length: int, around: Around, open_runs: OpenRuns, *, same_kind: bool) -> bool:
    """Tell whether a span may touch its parent's run: ``***`` reads as strong within emphasis, ``****`` as strong
    within strong.
    """
    parent = around.parent
    assert parent is not None
    if len(parent.run) == length:
        is_all = same_kind and around.is_first and around.is_last
        return length == 2 and is_all and open_runs.is_one_run_of_strong(parent.run[0])
    return open_runs.depth(parent.run[0]) == 1 and not (
        around.is_first and around.is_last and length == 1
    )


def _opening(marker: str, length: int, around: Around, open_runs: OpenRuns) -> bool | None:
    """Return whether the character before must become a reference; ``None``: it does not help."""
    first = character_class(around.first)
    if first == CONTROL:
        return None
    outside = character_class(around.before)
    if outside == SPACE:
        return False
    if open_runs.would_close(marker, length):
        # In micromark a run after a marker can close, whatever follows it.
        if first != OTHER or around.before in "*_~":
            return None
    elif first == OTHER and marker != "_":
        return False
    return _as_punctuation(outside, around.before)


def _closing(marker: str, around: Around) -> bool | None:
    """Return whether the character after must become a reference; ``None``: it does not help."""
    last = character_class(around.last)
    if last == CONTROL:
        return None
    outside = character_class(around.after)
    if outside == SPACE or (last == OTHER and marker != "_"):
        return False
    return _as_punctuation(outside, around.after)


def stands(inside: int, outside: int) -> bool:
    """Tell whether a ``*`` or ``~`` between characters of these classes needs no reference.

    Valid if no span is open around it or adjacent.

    >>> stands(OTHER, OTHER), stands(PUNCTUATION, SPACE), stands(PUNCTUATION, OTHER)
    (True, True, False)
    """
    if inside in (CONTROL, SPACE):
        return False
    return inside == OTHER or outside in (SPACE, PUNCTUATION)


def _as_punctuation(outside: int, character: str) -> bool | None:
    if outside == PUNCTUATION:
        return False
    return True if has_reference(ord(character)) else None


# The error for a node that Markdown cannot represent, and the path to that node.


class Unwritable(Exception):  # noqa: N818 - internal, never seen by callers
    """Raised by handlers; ``Writer.write`` turns it into an ``MdastError`` with the node's path."""

    def __init__(
        self,
        node: Node,
        reason: str,
        advice: str = 'change the tree, or pass on_unwritable="normalize"',
    ) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.advice = advice


def path_to(wanted: Node, root: Node) -> str:
    """Return the path of a node within a tree's JSON.

    >>> from .._nodes import Paragraph, Root, Text
    >>> text = Text("a")
    >>> path_to(text, Root(children=[Paragraph(children=[text])]))
    '$.children[0].children[0]'
    """
    stack: list[tuple[Node, str]] = [(root, "$")]
    while stack:
        node, path = stack.pop()
        if node is wanted:
            return path
        children: tuple[Node, ...] = getattr(node, "children", ())
        stack.extend((child, f"{path}.children[{i}]") for i, child in enumerate(children))
    return "$"


def mdast_error(error: Unwritable, root: Node) -> MdastError:
    """Return the public error for an unwritable node."""
    if not isinstance(error.node, Node):
        return MdastError(error.reason, path=path_to(error.node, root))
    kind = type(error.node).__struct_config__.tag or type(error.node).__name__
    if isinstance(error.node, UnknownNode):
        kind = error.node.kind
    return MdastError(
        f"{kind} cannot be written as Markdown: {error.reason}; {error.advice}",
        path=path_to(error.node, root),
    )


# The forms of HTML blocks, and of inline HTML (CommonMark 4.6, 6.6).

_ATTRIBUTE = (
    r"""(?:[ \t\n]+[A-Za-z_:][\w.:-]*(?:[ \t\n]*=[ \t\n]*(?:[^ \t\n"'=<>`]+|'[^']*'|"[^"]*"))?)"""
)
_OPEN_TAG = rf"<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*[ \t\n]*/?>"
_CLOSING_TAG = r"</[A-Za-z][A-Za-z0-9-]*[ \t\n]*>"

_INLINE = late_pattern(
    rf"""{_OPEN_TAG}|{_CLOSING_TAG}
    |<!-->|<!--->|<!--(?:(?!-->).)*-->
    |<\?(?:(?!\?>).)*\?>
    |<![A-Za-z][^>]*>
    |<!\[CDATA\[(?:(?!\]\]>).)*\]\]>""".replace("\n    |", "|"),
    re.DOTALL | re.ASCII,
)

_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|"
    "header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|"
    "param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)

_KINDS: tuple[tuple[int, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (kind, late_pattern(start, re.IGNORECASE), late_pattern(end, re.IGNORECASE))
    for kind, start, end in (
        (1, r"<(?:script|pre|style|textarea)(?=[ \t>]|$)", r"</(?:script|pre|style|textarea)>"),
        (2, r"<!--", r"-->"),
        (3, r"<\?", r"\?>"),
        (4, r"<![a-z]", r">"),
        (5, r"<!\[CDATA\[", r"\]\]>"),
        (6, rf"</?(?:{_NAMES})(?=[ \t]|/?>|$)", r"\A[ \t]*\Z"),
        (7, rf"(?:{_OPEN_TAG}|{_CLOSING_TAG})[ \t]*$".replace(r"\n", ""), r"\A[ \t]*\Z"),
    )
)
"""The seven kinds of HTML block: the start of their first line, and the content of their last."""

_LOOSE_STARTS = tuple(
    (kind, late_pattern(start.pattern.replace(r"[ \t]", r"\s"), re.IGNORECASE))
    for kind, start, _ in _KINDS
)

ENDS_AT_BLANK_LINE = (6, 7)
"""The kinds that extend to the next blank line."""


def block_kind(line: str) -> int | None:
    """Return the kind of HTML block that a line starts.

    >>> block_kind("<!-- a -->"), block_kind("<b>"), block_kind("<b> c")
    (2, 7, None)
    """
    return next((kind for kind, start, _ in _KINDS if start.match(line)), None)


def may_start_block(line: str, *, is_first: bool) -> bool:
    """Return whether some parser reads a line within a paragraph as the start of HTML.

    Beyond ``block_kind``, Python's parsers count all of Unicode's white space as space.
    """
    return any(pattern.match(line) for kind, pattern in _LOOSE_STARTS if kind != 7 or is_first)


def is_inline(value: str) -> bool:
    """Return whether a text is one piece of HTML within a line.

    >>> is_inline("<b>"), is_inline("<b> c")
    (True, False)
    """
    return _INLINE.fullmatch(value) is not None


def in_place(value: str, behind: Node | None) -> str:
    r"""Return an HTML block with an indent that the block before it cannot take over.

    After a list it is less indented than the items, otherwise it would be in one. The width of markers depends on
    options, but is at least a bullet and a space. A tab's width depends on the text before it.

    >>> in_place("   <p>", List()), in_place("   <p>", List(ordered=True)), in_place("\t<p>", None)
    (' <p>', '  <p>', '<p>')
    """
    if value[:1] not in ("\t", " "):
        return value
    rest = value.lstrip(" \t")
    indent = value[: len(value) - len(rest)]
    if "\t" in indent:
        return rest
    if isinstance(behind, List):
        return indent[: _MOST_INDENT[behind.ordered]] + rest
    return value if behind is None or is_known(behind) else rest  # one may include indented lines


_MOST_INDENT = {False: 1, True: 2}
"""Spaces before HTML that follows a list, by whether the list is ordered."""


OPEN_END = "it has no end, and more follows"
"""The fault of HTML without an end, unless nothing follows it in its container."""


def block_fault(value: str) -> str | None:
    r"""Return why a text is not one HTML block, or ``None`` if it is.

    >>> block_fault("<p>\n\nforged")
    'it has a blank line'
    """
    lines = value.split("\n")
    kind = block_kind(lines[0].lstrip(" "))
    if kind is None or lines[0][:4] == "    ":
        return "it does not start as an HTML block does"
    if kind in ENDS_AT_BLANK_LINE:
        return "it has a blank line" if any(not line.strip(" \t") for line in lines) else None
    end = _KINDS[kind - 1][2]
    skip = {2: 2, 4: 0}.get(kind, 0)
    for index, line in enumerate(lines):
        if end.search(line, skip if index == 0 else 0):
            return None if index == len(lines) - 1 else "it goes on after its end"
    return OPEN_END


# Siblings that a reader could not distinguish are merged.

_NO_TEXT = Text("")


def merged(nodes: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes with adjacent texts merged, and adjacent code, without empty texts.

    >>> merged([Text("a"), Text(""), Text("b")])
    [Text(value='ab')]
    """
    if _is_merged(nodes):
        return nodes
    result: list[Node] = []
    for _, together in groupby([node for node in nodes if node != _NO_TEXT], type):
        group = list(together)
        if group[0].are_one:
            result.append(_joined(group))
        else:
            result.extend(group)
    return result


def first(nodes: Sequence[Node]) -> Node | None:
    """Return the first node that is not an empty text."""
    return next((node for node in nodes if node != _NO_TEXT), None)


def _is_merged(nodes: Sequence[Node]) -> bool:
    before: type[Node] | None = None
    for node in nodes:
        kind = type(node)
        if kind.are_one and (kind is before or node == _NO_TEXT):
            return False
        before = kind
    return True


def _joined(group: list[Any]) -> Node:
    first: Any = group[0]
    if len(group) == 1:
        return first  # type: ignore[no-any-return]
    one: Node = type(first)("".join([node.value for node in group]))
    return one


Span: TypeAlias = Emphasis | Strong | Delete

SPANS: dict[type[Node], int] = {Emphasis: 1, Strong: 2, Delete: 2}
"""The nodes written with delimiter runs, and the length of the runs."""

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
"""The first character of a node's Markdown, or another one of the same class."""

_AROUND: dict[str, Beside] = {"*": "mark", "_": "mark", "~": "mark", "[": "label"}
"""The context of a run of phrasing, by the character before it."""

_NO_MARKS = Marks(";", False, False, False)
"""The stand-in for the marks of an unwritable span, where such spans are only collected."""


class Phrasing:
    """One run of phrasing: the content of a block, or of a link's brackets."""

    __slots__ = ("_one_line", "_open_runs", "_out", "_place", "_unwritable", "_writing")

    def __init__(
        self, writing: WriterState, place: Place = "text", unwritable: list[Node] | None = None
    ) -> None:
        """``unwritable`` collects spans without a marker, instead of an error for the first."""
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
        """Write siblings; ``before`` is the character before them, ``parent`` the span around."""
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

    def _text(  # noqa: PLR0917 - all are the surroundings of a text
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
        return value if writing.escapes.is_quiet(value) else writing.escape(value, self._place)

    def _head(self, first: str, previous: Node | None, before: str) -> str:
        """Return the escaped first character of a text if its surroundings require it."""
        means = FIRST[first]
        if previous is None:
            matters = _AROUND.get(before) in means or before in means
        else:
            matters = before in means or not means.isdisjoint(type(previous).__mro__)
        return escape_of(first) if matters else ""

    def _tail(self, last: str, following: Node | None, parent: Marks | None) -> str:
        """Return the escaped last character of a text if its surroundings require it."""
        means = LAST[last]
        if following is None:
            matters = ("mark" if parent is not None else self._place) in means
        elif Html in means and isinstance(following, Html):
            matters = starts_line(following)
        else:
            beside = (*type(following).__mro__, self._edge(following, 0), "anything")
            matters = not means.isdisjoint(beside)
        return escape_of(last) if matters else ""

    def _before_span(self, value: str, encode_first: bool) -> str:
        """Return the character before a span after a text, ``;`` if it may be a reference.

        Treating white space as a reference is safe: it only adds escapes.
        """
        last = value[-1]
        if len(value) == 1:
            return ";" if encode_first or last in UNICODE_SPACES else last
        if last in " \t\n\r" and (last == "\r" or value[-2] in "\n\r" or self._one_line):
            return ";"
        return last

    # --- Spans ---

    def _choose(
        self, nodes: Sequence[Node], index: int, before: str, sibling_run: str, parent: Marks | None
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
            # The adjacent span may require a reference.
            return ";" if character_class(child.value) == OTHER else child.value
        return self._edge(child, at)

    def _edge(self, node: Node, at: int) -> str:
        """Return a node's first (0) or last (-1) character for the purposes of spans."""
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
    """Return the character of a non-text neighbor of a span: a letter there cannot become a reference."""
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
    """Refuse brackets that would read as the second half of a reference, or a definition."""
    if right.__struct_config__.tag == "textDirective":
        if isinstance(left, (FootnoteReference, LinkReference, ImageReference)):
            raise Unwritable(right, "its colon right after a reference's brackets defines them")
        return
    if isinstance(left, FootnoteReference) and isinstance(right, LinkReference):
        raise Unwritable(right, "right after a footnote's mark its brackets make a link of both")
    if isinstance(left, (LinkReference, ImageReference)) and left.reference_type == "shortcut":
        raise Unwritable(left, "brackets follow it; make it collapsed")


# The brackets of a block's text with a meaning: only where a ``]`` could close a link.
#
# Brackets alone are text to every reader. They form a link if a parenthesis or other brackets follow, or if the
# document defines their content. Markup at the start of a block or an item is handled in ``_unsafe`` and ``_handlers``.

Labels: TypeAlias = frozenset[str]
"""The labels that a document defines: of links, and of footnotes after a ``^``."""

NO_LABELS: Labels = frozenset()

_CONTAINERS = (Root, Blockquote, ListItem, FootnoteDefinition)
_WITHOUT = frozenset({Paragraph, Heading, Code, Html, Table, ThematicBreak})
"""Nodes that cannot contain a definition."""

_CHILDREN = attrgetter("children")

_MARKED = frozenset({Text, InlineCode, Emphasis, Strong, Delete})
_MARKS = frozenset("`*_~")
"""Nodes of which the source has a mark, and the marks."""

_IN_BRACKETS = late_pattern(r"\[([^\[\]]*)\]")


def labels_in(nodes: Sequence[Node]) -> Labels:
    """Return the labels that blocks and their content define.

    >>> sorted(labels_in([Definition("a b", "x"), FootnoteDefinition("1")]))
    ['^1', 'a b']
    """
    if _WITHOUT.issuperset(map(type, nodes)):
        return NO_LABELS
    stack = list(nodes)
    found: set[str] = set()
    while stack:
        node = stack.pop()
        if type(node) in _WITHOUT:
            continue
        if isinstance(node, Definition):
            found |= {_folded(node.identifier), _folded(node.label or node.identifier)}
        elif isinstance(node, FootnoteDefinition):
            found |= {_folded(f"^{node.identifier}"), _folded(f"^{node.label or node.identifier}")}
        if isinstance(node, List):
            content = [*chain.from_iterable(map(_CHILDREN, node.children))]
            if not _WITHOUT.issuperset(map(type, content)):
                stack += content
        elif isinstance(node, _CONTAINERS) or not is_known(node):
            stack += getattr(node, "children", ())
    found.discard("")  # to which no brackets refer
    return frozenset(found)


def is_defined(node: Reference, labels: Labels) -> bool:
    """Return whether one of the labels is that of a reference."""
    mark = "^" if isinstance(node, FootnoteReference) else ""
    return _folded(f"{mark}{node.identifier}") in labels


def could_close(nodes: Sequence[Node], labels: Callable[[], Labels | None]) -> bool:
    """Return whether a ``]`` of a block's text could close a link, an image or a footnote's mark.

    :param labels: returns the document's definitions; ``None`` means any label.

    >>> nothing = lambda: NO_LABELS
    >>> could_close([Text("[!NOTE]")], nothing), could_close([Text("[a](b)")], nothing)
    (False, True)
    """
    if not _has_closing(nodes):
        return False
    nodes = merged(nodes)
    are_marked = all(type(node) in _MARKED for node in nodes)
    for index, node in enumerate(nodes):
        if type(node) in SPANS:
            if could_close(node.children, labels):  # type: ignore[attr-defined]
                return True
        elif isinstance(node, Text) and "]" in node.value:
            following = nodes[index + 1] if index + 1 < len(nodes) else None
            if closes(node.value, following, labels, are_marked=are_marked):
                return True
    return False


def _has_closing(nodes: Sequence[Any]) -> bool:
    for node in nodes:
        kind: type[Node] = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind is Text:
            if "]" in node.value:
                return True
        elif kind in SPANS and _has_closing(node.children):
            return True
    return False


def closes(
    text: str,
    following: Node | None,
    labels: Callable[[], Labels | None],
    *,
    are_marked: bool = False,
) -> bool:
    """Return whether a ``]`` of a text, which has one, could do so; ``following`` is the next node.

    :param are_marked: whether each adjacent node is a text, or has marks that a label would need, too.
    """
    if "](" in text:
        return True
    may_follow = None if following is None else FIRST_CHARACTER.get(type(following), "[")
    if text[-1] == "]" and may_follow == "[":
        return True
    defined = labels()
    if not defined:
        return defined is None
    # A bracket in another node opens text that includes that node's marks.
    could_match = not are_marked or any(not _MARKS.isdisjoint(label) for label in defined)
    return (could_match and "[" not in text[: text.index("]")]) or any(
        _folded(label) in defined for label in _IN_BRACKETS.findall(text)
    )


def _folded(label: str) -> str:
    """Return a label in a form that is equal for labels that some reader considers the same."""
    return identifier(decode(label)).casefold()

"""Canonical form: the nearest tree that Markdown can represent.

What changes, and only this:

==========================================  =====================================================
in the tree                                 in canonical form
==========================================  =====================================================
adjacent texts, or adjacent code spans      one
empty text, code span, emphasis, paragraph  left out; so are an empty list and table
U+0000                                      U+FFFD, as a parser reads it
a line end within a code span               a space, where its line cannot stand alone
a carriage return in code, HTML, YAML       a line feed
a hard break at the end of a block          left out; at the end of emphasis it moves behind it
a hard break in a cell or an ATX heading    a space; left out at an edge of it
emphasis that no marker can stand for       its children: emphasis in emphasis, three spans deep,
                                            without a letter or a space where they meet
strikethrough in or beside strikethrough    its children; one
a link in a link                            its children
inline HTML that is not one tag, comment …  text; so is a tag that would start an HTML block
HTML that is not one block                  a paragraph of text
HTML behind a list                          indented by one space at most, two if it is ordered
a tab before HTML                           left out
in a cell, inline HTML with a pipe          text; so is a reference whose label has one
a reference whose text is not its label     a full reference
a reference without a definition            its text (in a ``Root`` only)
front matter after the start                code in YAML
a code block's ``lang`` with white space    the first word; the rest is ``meta``
a label with line ends or white space       single spaces; none at the edges
a row without cells; ``align`` too short    one empty cell; filled with ``None``
a task's box without a paragraph            no box
a reference like a task's box, ``[x]``      a collapsed reference
``spread``                                  whether a blank line parts the children
``start`` of an ordered list                1 if there was none; between 0 and 999,999,999
==========================================  =====================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from ujsx.errors import MdastError
from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import Extension, Node, Root, fault_in, is_known, refuses_depth
from ujsx.mdast._nodes import resolved as resolved_extensions
from ujsx.mdast.to_markdown import Rules
from ujsx.mdast.to_markdown._handlers import (
    FOOTNOTE_LABEL,
    INFO_SPACE,
    LABEL,
    MAX_NUMBER,
    YAML_FENCE,
    is_label_of,
    keeps_line_ends,
    starts_block,
    text_of_reference,
)
from ujsx.mdast.to_markdown._phrasing import (
    OPEN_END,
    SPANS,
    Phrasing,
    Unwritable,
    block_fault,
    in_place,
    is_inline,
    may_start_block,
    merged,
)
from ujsx.mdast.to_markdown._state import (
    MAX_DEPTH,
    WriterOptions,
    WriterState,
    can_be_tight,
    is_setext,
)
from ujsx.mdast.to_markdown._unsafe import decode, identifier, label, single_spaced
from ujsx.mdast.util import walk
from ujsx.on_demand import late_pattern

__all__ = ["answered", "canonical_blocks", "normalize", "with_answers"]


# A node with other fields.

NodeT = TypeVar("NodeT", bound=Node)


def changed(node: NodeT, **fields: Any) -> NodeT:
    """Return a copy of a node with these fields changed; the node itself if they are the same.

    >>> from ujsx.mdast import Text
    >>> changed(Text("a"), value="b")
    Text(value='b')
    """
    if all(getattr(node, name) == value for name, value in fields.items()):
        return node
    result: NodeT = msgspec.structs.replace(node, **fields)
    return result


# References: the labels that are read back, and those without a definition, which are text.


def resolved(root: Root, rules: Rules) -> Root:
    """Return a canonical document in which every reference has a definition."""
    found = answered(root)
    if found is root:
        return root
    return normalize(found, extensions=rules.extensions)


def answered(root: Root) -> Root:
    """Return a document in which references without a definition are text."""
    nodes = [*walk(root)]
    references = [node for node in nodes if isinstance(node, m.Reference)]
    definitions = {node.identifier for node in nodes if isinstance(node, m.Definition)}
    footnotes = {node.identifier for node in nodes if isinstance(node, m.FootnoteDefinition)}

    def is_answered(node: m.Reference) -> bool:
        return node.identifier in (
            footnotes if isinstance(node, m.FootnoteReference) else definitions
        )

    return root if all(map(is_answered, references)) else with_answers(root, is_answered)


def with_answers(node: NodeT, is_answered: Callable[[m.Reference], bool]) -> NodeT:
    """Return a node in which references without a definition are text."""
    children: Sequence[Node] | None = getattr(node, "children", None)
    if not children:
        return node
    result: list[Node] = []
    for original in children:
        child = with_answers(original, is_answered)
        if not isinstance(child, m.Reference) or is_answered(child):
            result.append(child)
        elif isinstance(child, m.LinkReference):
            result.extend(child.children)
        elif isinstance(child, m.ImageReference):
            result.append(m.Text(child.alt or ""))
        else:
            result.append(m.Text(f"[^{child.label or child.identifier}]"))
    return changed(node, children=tuple(result))


_NOT_IN_FOOTNOTE_LABEL = late_pattern(r"[\s\x00-\x20\x7f\[\]\\^&|`<]+")


def reference_label(key: str, text: str | None) -> tuple[str, str] | None:
    """Return the identifier and label that are read back; ``None`` if none can be written."""
    found = _read_back(key, text)
    # An identifier with escapes in it is a source itself, so that its label may lose its case.
    return None if found is None else _read_back(*found)


def _read_back(key: str, text: str | None) -> tuple[str, str] | None:
    key = single_spaced(key.replace("\0", "\ufffd"))
    sources = [key, label(key)]
    if text is not None:
        sources.insert(0, label(text.replace("\0", "\ufffd")))
    for wanted in (identifier(key), identifier(label(key))):
        for source in sources:
            if LABEL.fullmatch(source) and identifier(source) == wanted:
                return wanted, decode(source)
    return None


def footnote_label(key: str, text: str | None) -> tuple[str, str]:
    """Return the identifier and label that are read back, with ``-`` for invalid characters."""
    for source in (text, key):
        if source and FOOTNOTE_LABEL.fullmatch(source) and identifier(source) == identifier(key):
            return identifier(source), source
    source = _NOT_IN_FOOTNOTE_LABEL.sub("-", key) or "-"
    return identifier(source), source


# Spans without a possible marker, and HTML that would start a block, are removed.

MAX_PASSES = 8
"""The number of passes that remove single spans, before all nested ones are removed."""


@lru_cache(maxsize=32)
def rules_with(extensions: tuple[Extension, ...]) -> Rules:
    """Return the rules with the default options."""
    return Rules(extensions=extensions)


def state(line: LineRules) -> WriterState:
    """Return a writing's state within such a line."""
    writing = WriterState(rules_with(line.rules.extensions))
    writing.one_line, writing.in_cell = line.one_line, line.in_cell
    return writing


def without_blocks(nodes: list[Node], rules: Rules, *, behind_box: bool) -> list[Node]:
    """Return the nodes with HTML as text, if some of it would start a block in its place.

    So is phrasing of a plugin that would be read as something else.
    """
    kinds = {m.Html, *rules.read_back}
    if not any(type(each) in kinds for node in nodes for each in walk(node)):
        return nodes
    line = LineRules(rules)
    writing = state(line)
    writing.behind_box = behind_box
    try:
        writing.lines(nodes)
    except Unwritable as error:
        if type(error.node) in rules.read_back:
            nodes = _children(_in_words(nodes, error.node), line)
            return without_blocks(nodes, rules, behind_box=behind_box)
        return unwrapped(_html_as_text(nodes), line)
    return nodes


def _replaced(nodes: Iterable[Node], change: Callable[[Any], Sequence[Node] | None]) -> list[Node]:
    """Return the nodes with what ``change`` returns in their place, at any depth; ``None`` keeps a node."""
    result: list[Node] = []
    for node in nodes:
        found = change(node)
        if found is None:
            children = _children_of(node)
            found = (
                changed(node, children=tuple(_replaced(children, change))) if children else node,
            )
        result.extend(found)
    return joined(result)


def _in_words(nodes: Iterable[Node], wanted: Node) -> list[Node]:
    """Return the nodes with the words of one of them in its place."""

    def words(node: Node) -> Sequence[Node] | None:
        if node is not wanted:
            return None
        return _children_of(node) or (m.Text(getattr(node, "value", "")),)

    return _replaced(nodes, words)


def unwrapped(nodes: list[Node], line: LineRules, *, in_label: bool = False) -> list[Node]:
    """Return the nodes without the spans that have no marker in their place."""
    line = LineRules(line.rules, line.one_line, line.in_cell)
    for _ in range(MAX_PASSES):
        unwritable: list[Node] = []
        writing = state(line)
        writing.in_link = False
        Phrasing(writing, "label" if in_label else "text", unwritable).write(nodes)
        if not unwritable:
            return nodes
        nodes = _children(_without_nodes(nodes, set(map(id, unwritable))), line)
    return _children([_flat(node) for node in nodes], line)


def joined(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes, merging those that a reader could not distinguish.

    >>> from ujsx.mdast import InlineCode, Text
    >>> joined([InlineCode("a"), InlineCode("b"), Text("c"), Text("d")])
    [InlineCode(value='ab'), Text(value='cd')]
    """
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, m.Text) and not node.value:
            continue
        before = result[-1] if result else None
        if before is not None and type(before) is type(node) and node.are_one:
            alike: Any = before
            result[-1] = type(alike)(alike.value + cast("Any", node).value)
        elif isinstance(before, m.Delete) and isinstance(node, m.Delete):
            result[-1] = m.Delete(children=joined((*before.children, *node.children)))  # type: ignore[arg-type]
        elif (isinstance(before, m.FootnoteReference) and isinstance(node, m.LinkReference)) or (
            isinstance(before, (m.FootnoteReference, m.LinkReference, m.ImageReference))
            and node.__struct_config__.tag == "textDirective"
        ):
            result += (m.Text(" "), node)
        else:
            if (
                isinstance(before, (m.LinkReference, m.ImageReference))
                and before.reference_type == "shortcut"
                and isinstance(node, (m.Link, m.LinkReference, m.FootnoteReference))
            ):
                result[-1] = changed(before, reference_type="collapsed")
            result.append(node)
    return list(merged(result))


def _without_nodes(nodes: Iterable[Node], taken_out: set[int]) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        if type(node) not in SPANS:
            result.append(node)
            continue
        children = _without_nodes(_children_of(node), taken_out)
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


def _html_as_text(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes with text for HTML that may start a block."""

    def text(node: Node) -> Sequence[Node] | None:
        if isinstance(node, m.Html) and may_start_block(
            node.value.split("\n", 1)[0], is_first=True
        ):
            return (m.Text(node.value),)
        return None

    return _replaced(nodes, text)


def _children_of(node: Any) -> Sequence[Node]:
    return getattr(node, "children", ())


# Canonical phrasing: first node by node, then the spans' markers.


class LineRules(msgspec.Struct, frozen=True):
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
    line = LineRules(rules, one_line, in_cell)
    children = _children(nodes, line)
    while children and isinstance(children[-1], m.Break):
        children.pop()
    if one_line:  # within it a break is a space; at an edge no reader would show it
        while children and isinstance(children[0], m.Break):
            del children[0]
        children = _with_spaces(children)
    children = unwrapped(children, line)
    if not starts_line or one_line:
        return tuple(children)
    return tuple(without_blocks(children, rules, behind_box=behind_box))


def _with_spaces(nodes: Sequence[Node]) -> list[Node]:
    """Return the content of one line with a space for each break."""
    if not any(isinstance(each, m.Break) for node in nodes for each in walk(node)):
        return list(nodes)
    return _replaced(nodes, lambda node: (m.Text(" "),) if isinstance(node, m.Break) else None)


def phrasing_node(node: Node, rules: Rules) -> Node:
    """Return the canonical form of a single phrasing node."""
    result = phrasing([node], rules)
    if len(result) == 1:
        alone: Node = result[0]
        return alone
    return m.Text("") if not result else node


def _children(nodes: Iterable[Node], line: LineRules) -> list[Node]:
    new = _handled(merged(tuple(nodes)), line)
    result = joined(new)
    if len(result) == len(new):
        return result
    # The node between two of them is gone: merged, they may have another meaning.
    known = set(map(id, new))
    return joined(
        each
        for node in result
        for each in ([node] if id(node) in known else _handled([node], line))
    )


def _handled(nodes: Sequence[Node], line: LineRules) -> list[Node]:
    new: list[Node] = []
    for node in nodes:
        new.extend(_HANDLERS.get(type(node), _extended)(node, line))
    return new


def _extended(node: Any, line: LineRules) -> Sequence[Node]:
    """Return phrasing of an extension; other unknown phrasing stays."""
    rules = line.rules
    kind = cast("type[Node]", type(node))
    if is_known(node) or kind not in rules.phrasing_handlers:
        return (node,)
    if kind in rules.holds:
        children: Any = _children(node.children, msgspec.structs.replace(line, in_delete=False))
        if line.one_line:
            children = _with_spaces(children)
        node = changed(node, children=tuple(unwrapped(list(children), line, in_label=True)))
    canonical = rules.canonical.get(kind)
    found = node if canonical is None else canonical(node)
    if found is None:
        return ()
    try:
        state(line).phrasing_node(found)
    except Unwritable:  # in such a line; what it says can be
        words = getattr(found, "value", "")
        return getattr(found, "children", ()) or ((m.Text(words),) if words else ())
    return (found,)


def _text(node: m.Text, _line: LineRules) -> Sequence[Node]:
    return (changed(node, value=_plain(node.value)),) if node.value else ()


def _code(node: m.InlineCode, line: LineRules) -> Sequence[Node]:
    value = _lines(node.value)
    if "\n" in value and not keeps_line_ends(
        value, one_line=line.one_line, line_starts=line.rules.line_starts
    ):
        value = value.replace("\n", " ")
    if not value:
        return ()
    if line.in_cell and "\\|" in value:
        return (m.Text(value),)
    return (changed(node, value=value),)


def _html(node: m.Html, line: LineRules) -> Sequence[Node]:
    value = _lines(node.value)
    if "\n" in value and (line.one_line or starts_block(value, line.rules.line_starts)):
        value = value.replace("\n", " ")
    if not is_inline(value) or (line.in_cell and "|" in value):
        return (m.Text(value),) if value else ()
    return (changed(node, value=value),)


def _span(node: Any, line: LineRules) -> Sequence[Node]:
    children = _children(node.children, line)
    before: list[Node] = []
    behind: list[Node] = []
    while children and isinstance(children[-1], m.Break):
        behind.append(children.pop())
    while line.one_line and children and isinstance(children[0], m.Break):
        before.append(children.pop(0))
    span = (changed(node, children=tuple(children)),) if children else ()
    return (*before, *span, *behind)


def _delete(node: m.Delete, line: LineRules) -> Sequence[Node]:
    if line.in_delete:
        return _children(node.children, line)
    return _span(node, msgspec.structs.replace(line, in_delete=True))


def _link(node: m.Link, line: LineRules) -> Sequence[Node]:
    if line.in_link:
        return _children(node.children, line)
    children = _link_children(node, line)
    url, title = _plain(node.url), _plain_or_none(node.title)
    return (changed(node, children=children, url=url, title=title),)


def _image(node: m.Image, _line: LineRules) -> Sequence[Node]:
    url, title = _plain(node.url), _plain_or_none(node.title)
    return (changed(node, url=url, title=title, alt=_plain(node.alt or "")),)


def _link_reference(node: m.LinkReference, line: LineRules) -> Sequence[Node]:
    if line.in_link:
        return _children(node.children, line)
    children = _link_children(node, line)
    found = reference_label(node.identifier, node.label)
    if found is None or (line.in_cell and "|" in found[0]):
        return children
    named = changed(node, identifier=found[0], label=found[1], children=children)
    return (_matched(named, line),)


def _image_reference(node: m.ImageReference, line: LineRules) -> Sequence[Node]:
    alt = _plain(node.alt or "")
    found = reference_label(node.identifier, node.label)
    if found is None or (line.in_cell and "|" in found[0]):
        return (m.Text(alt),) if alt else ()
    return (_matched(changed(node, identifier=found[0], label=found[1], alt=alt), line),)


def _matched(
    node: m.LinkReference | m.ImageReference, line: LineRules
) -> m.LinkReference | m.ImageReference:
    """Return a reference that is full unless its text is its label."""
    if node.reference_type == "full":
        return node
    writing = state(line)
    text = text_of_reference(node, writing)
    if is_label_of(text, node, writing):
        return changed(node, label=decode(text))
    return changed(node, reference_type="full")


def _footnote_reference(node: m.FootnoteReference, _line: LineRules) -> Sequence[Node]:
    key, label = footnote_label(node.identifier, node.label)
    return (changed(node, identifier=key, label=label),)


def _link_children(node: m.Link | m.LinkReference, line: LineRules) -> tuple[Any, ...]:
    inner = msgspec.structs.replace(line, in_link=True, in_delete=False)
    children = _children(node.children, inner)
    if line.one_line:
        children = _with_spaces(children)
    return tuple(unwrapped(children, line, in_label=True))


def _plain(value: str) -> str:
    return value.replace("\0", "\ufffd") if "\0" in value else value


def _plain_or_none(value: str | None) -> str | None:
    return None if value is None else _plain(value)


_HANDLERS: dict[type[Node], Callable[[Any, LineRules], Sequence[Node]]] = {
    m.Text: _text,
    m.InlineCode: _code,
    m.Html: _html,
    m.Emphasis: _span,
    m.Strong: _span,
    m.Delete: _delete,
    m.Link: _link,
    m.Image: _image,
    m.LinkReference: _link_reference,
    m.ImageReference: _image_reference,
    m.FootnoteReference: _footnote_reference,
}


# Canonical blocks, and ``normalize`` itself.

_LINE_END = late_pattern(r"\r\n?")
_SPACES = " \t\n\r"
_OPTIONS = WriterOptions()


@refuses_depth
def normalize(node: NodeT, *, extensions: Iterable[Extension | str] = ()) -> NodeT:
    """Return a tree's canonical form; a canonical tree is returned itself.

    A block without a canonical form, such as an empty paragraph, is removed from its parent; by itself it is returned
    empty. ``extensions`` are those of nodes beyond the specification. Raises ``MdastError`` for a tree that is nested
    too deeply to be written.

    >>> from ujsx.mdast import Emphasis, Paragraph, Root, Text
    >>> normalize(Paragraph(children=[Text("a"), Emphasis(), Text("b")]))
    Paragraph(children=(Text(value='ab'),))
    >>> normalize(Root(children=[Paragraph()]))
    Root()
    """
    try:
        rules = rules_with(resolved_extensions(extensions))
        result = _root(node, rules) if isinstance(node, Root) else _alone(node, rules)
    except (AttributeError, KeyError, TypeError, Unwritable) as error:
        raise fault_in(node) or error from None
    return node if result == node else result  # type: ignore[return-value]


def _alone(node: Node, rules: Rules) -> Node:
    handler = _BLOCKS.get(type(node))
    if isinstance(node, m.Html) and block_fault(node.value) is not None:
        return phrasing_node(node, rules)
    if handler is None:
        if type(node) not in rules.flow_handlers:
            return phrasing_node(node, rules)
        handler = _extended_block
    loosened: list[m.ListItem] = []
    result = handler(node, _BlockPlace(rules, True, True, False, True, 0, loosened))
    if loosened and result is not None:
        return _alone(result, rules)
    return result if result is not None else changed(node, children=())


class _BlockPlace(NamedTuple):
    """A block's place: first in the document, last in its container, its depth, its predecessor.

    ``before_blank``: a blank line of the same quote follows, or the document's end; unclosed HTML includes a line end
    of it. ``may_stay_open``: no blank line after such HTML decides whether a list is spread. ``loosened`` collects the
    items whose content makes them spread: their containers are processed once more, and not at each level, which would
    double the work per level. ``behind_box``: a task's box precedes it.
    """

    rules: Rules
    first: bool
    last: bool
    before_blank: bool
    may_stay_open: bool
    depth: int
    loosened: list[m.ListItem]
    behind: Node | None = None
    behind_box: bool = False


def _root(node: Root, rules: Rules) -> Root:
    return resolved(changed(node, children=_document(node.children, rules)), rules)


def canonical_blocks(
    nodes: Sequence[Node], rules: Rules | None = None, *, complete: bool
) -> tuple[Any, ...]:
    """Return a document's blocks in canonical form; a part of one keeps its references."""
    rules = rules_with(()) if rules is None else rules
    blocks = _document(nodes, rules)
    return resolved(Root(blocks), rules).children if complete else blocks


def _document(nodes: Sequence[Node], rules: Rules) -> tuple[Any, ...]:
    loosened: list[m.ListItem] = []
    blocks = _flow(nodes, _BlockPlace(rules, True, True, True, True, 0, loosened))
    return _document(blocks, rules) if loosened else blocks


def _inside(node: Any, place: _BlockPlace, *, before_blank: bool) -> tuple[Any, ...]:
    """Return the canonical blocks of a container."""
    if place.depth >= MAX_DEPTH:
        raise MdastError(f"the tree is nested more than {MAX_DEPTH} deep; flatten it")
    inner = place._replace(
        first=False,
        last=True,
        before_blank=before_blank,
        depth=place.depth + 1,
        behind=None,
        behind_box=False,
    )
    return _flow(node.children, inner, node)


def _flow(nodes: Sequence[Node], place: _BlockPlace, parent: Node | None = None) -> tuple[Any, ...]:
    """Return canonical blocks; ``place`` is that of the container's first and last one."""
    result: list[Node] = []
    tight = isinstance(parent, m.ListItem) and not parent.spread
    last = len(nodes) - 1
    while last >= 0 and _is_left_out(nodes[last], place):
        last -= 1
    for index, node in enumerate(nodes[: last + 1]):
        handler = _BLOCKS.get(type(node), _extended_block)
        is_last = index == last
        here = _BlockPlace(
            place.rules,
            place.first and not result,
            is_last,
            place.before_blank if is_last else not tight,
            place.may_stay_open if is_last else tight or not isinstance(parent, m.ListItem),
            place.depth,
            place.loosened,
            result[-1] if result else None,
            not index and isinstance(parent, m.ListItem) and parent.checked is not None,
        )
        canonical = handler(node, here)
        before = result[-1] if result else None
        if canonical is not None and canonical.are_one and type(before) is type(canonical):
            one: Any = before
            result[-1] = changed(one, children=(*one.children, *_children_of(canonical)))
        elif canonical is not None:
            result.append(canonical)
    return tuple(result)


def _is_left_out(node: Node, place: _BlockPlace) -> bool:
    """Return whether a block has no canonical form in any place."""
    if isinstance(node, (m.Blockquote, m.List, m.ListItem, m.FootnoteDefinition)):
        return isinstance(node, m.List) and not node.children
    return _BLOCKS.get(type(node), _extended_block)(node, place) is None


def _extended_block(node: Any, place: _BlockPlace) -> Node | None:
    """Return a block of an extension; other unknown blocks stay."""
    rules = place.rules
    kind = cast("type[Node]", type(node))
    holds = rules.holds.get(kind)
    if holds == "flow":
        inner = place._replace(may_stay_open=False)
        node = changed(node, children=_inside(node, inner, before_blank=False))
    elif holds is not None:
        children = phrasing(node.children, rules, one_line=holds == "line")
        node = changed(node, children=children)
    canonical = rules.canonical.get(kind)
    found = node if canonical is None else canonical(node)
    if found is None or type(found) is kind:
        return found
    return _BLOCKS.get(found.__class__, _extended_block)(found, place)


def _paragraph(node: m.Paragraph, place: _BlockPlace) -> Node | None:
    children = phrasing(node.children, place.rules, behind_box=place.behind_box)
    return changed(node, children=children) if children else None


def _heading(node: m.Heading, place: _BlockPlace) -> Node:
    depth = min(max(node.depth, 1), 6)
    starts_line = is_setext(node, _OPTIONS)
    children = phrasing(node.children, place.rules, one_line=depth > 2, starts_line=starts_line)
    return changed(node, depth=depth, children=children)


def _blockquote(node: m.Blockquote, place: _BlockPlace) -> Node:
    return changed(node, children=_inside(node, place, before_blank=False))


def _list(node: m.List, place: _BlockPlace) -> Node | None:
    if not node.children:
        return None
    *others, last = node.children
    not_last = place._replace(before_blank=node.spread, may_stay_open=not node.spread)
    items = (*[_item(item, not_last) for item in others], _item(last, place))
    start = node.start if node.start is not None else 1
    return changed(
        node,
        start=min(max(start, 0), MAX_NUMBER) if node.ordered else None,
        spread=node.spread and len(items) > 1,
        children=items,
    )


def _item(node: m.ListItem, place: _BlockPlace) -> m.ListItem:
    children = _inside(node, place, before_blank=place.before_blank)
    pairs = [*pairwise(children)]
    must_part = not all(can_be_tight(*pair, _OPTIONS) for pair in pairs)
    spread = bool(pairs) and (node.spread or must_part)
    if spread and not node.spread:
        place.loosened.append(node)
    checked = node.checked if children and isinstance(children[0], m.Paragraph) else None
    if children and checked is None:
        children = (_without_box(children[0]), *children[1:])
    return changed(node, checked=checked, spread=spread, children=children)


def _without_box(first: Node) -> Node:
    """Return an item's first block; a reference that looks like a task's box is collapsed."""
    match first:
        case m.Paragraph(
            children=(m.LinkReference(children=(m.Text(value="x" | "X"),)) as box, *rest)
        ) | (
            m.Heading(children=(m.LinkReference(children=(m.Text(value="x" | "X"),)) as box, *rest))
        ) if box.reference_type == "shortcut":
            follows = rest[0].value if rest and isinstance(rest[0], m.Text) else ""
            if rest and follows[:1] not in {" ", "\t", "\n"}:
                return first
            if isinstance(first, m.Heading) and not is_setext(first, _OPTIONS):
                return first
            return changed(first, children=(changed(box, reference_type="collapsed"), *rest))
        case _:
            return first


def _code_block(node: m.Code, _place: _BlockPlace) -> Node:
    info = " ".join([part.strip(_SPACES) for part in (node.lang, node.meta) if part])
    lang, _, meta = INFO_SPACE.sub(" ", info.strip(_SPACES), count=1).partition(" ")
    meta = _plain(meta.strip(_SPACES))
    return changed(node, value=_lines(node.value), lang=_plain(lang) or None, meta=meta or None)


def _html_block(node: m.Html, place: _BlockPlace) -> Node | None:
    value = in_place(_lines(node.value), place.behind)
    fault = block_fault(value)
    if fault == OPEN_END and place.last and place.may_stay_open:
        value = value.rstrip("\n")
        return changed(node, value=f"{value}\n" if place.before_blank else value)
    if fault is None:
        return changed(node, value=value)
    if not value:
        return None
    return _paragraph(m.Paragraph(children=(m.Text(value),)), place)


def _definition(node: m.Definition, _place: _BlockPlace) -> Node | None:
    found = reference_label(node.identifier, node.label)
    if found is None:
        return None
    url, title = _plain(node.url), _plain_or_none(node.title)
    return changed(node, identifier=found[0], label=found[1], url=url, title=title)


def _footnote(node: m.FootnoteDefinition, place: _BlockPlace) -> Node:
    identifier, label = footnote_label(node.identifier, node.label)
    children = _inside(node, place, before_blank=place.before_blank)
    return changed(node, identifier=identifier, label=label, children=children)


def _table(node: m.Table, place: _BlockPlace) -> Node | None:
    rows = [[_cell(cell, place) for cell in row.children] for row in node.children]
    if not any(rows):
        return None
    columns = len(rows[0]) or 1  # a head without cells has an empty one: what is below it counts
    empty = m.TableCell()
    filled = [
        changed(row, children=tuple(cells) or (empty,))
        for row, cells in zip(node.children, rows, strict=True)
    ]
    align = (*node.align, *[None] * columns)[:columns]
    return changed(node, align=align, children=tuple(filled))


def _row(node: m.TableRow, place: _BlockPlace) -> Node:
    return changed(node, children=tuple([_cell(cell, place) for cell in node.children]))


def _cell(node: m.TableCell, place: _BlockPlace) -> m.TableCell:
    children = phrasing(node.children, place.rules, one_line=True, in_cell=True)
    return changed(node, children=children)


def _yaml(node: m.Yaml, place: _BlockPlace) -> Node:
    value = _lines(node.value)
    if place.first and not YAML_FENCE.search(value):
        return changed(node, value=value)
    return m.Code(value, lang="yaml", position=node.position, data=node.data)


def _lines(value: str) -> str:
    return _plain(_LINE_END.sub("\n", value))


_BLOCKS: dict[type[Node], Callable[[Any, _BlockPlace], Node | None]] = {
    m.Paragraph: _paragraph,
    m.Heading: _heading,
    m.Blockquote: _blockquote,
    m.List: _list,
    m.ListItem: _item,
    m.Code: _code_block,
    m.Html: _html_block,
    m.Definition: _definition,
    m.FootnoteDefinition: _footnote,
    m.Table: _table,
    m.TableRow: _row,
    m.TableCell: _cell,
    m.Yaml: _yaml,
}

"""A second opinion: where mistune sees another structure in a text than markdown-it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple, cast
from unicodedata import category

from ujsx.errors import shown
from ujsx.mdast import _nodes as m
from ujsx.mdast._extension import Extension, resolved
from ujsx.mdast.from_markdown import from_markdown

# Known differences of mistune from the specification: nodes for which its reading is not compared.
#
# Each row of ``OWN_WAYS`` is a row of ``docs/look-up/mistune.md``, which has an example of it.

SPANS = (m.Emphasis, m.Strong, m.Delete)
LINKS = (m.Link, m.LinkReference)
IMAGES = (m.Image, m.ImageReference)

_EDGE = "\0"
"""Stands for the delimiters of a span; no text of a tree that was read has it."""

_OPEN_LINK = re.compile(r"<a[ >]", re.IGNORECASE)
_MIXED_UNDERLINE = re.compile(r"^[ \t]*(?=-*=)(?==*-)[=-]+[ \t]*$", re.MULTILINE)
_PROTOCOL = re.compile(r"https?://")


def is_set_aside(node: m.Node) -> bool:
    """Return whether mistune is not asked about what is in a node."""
    return any(holds(node) for kinds, holds in OWN_WAYS.values() if isinstance(node, kinds))


def is_passed_over(node: m.Node) -> bool:
    """Return whether a node is no structure, or one that mistune sees elsewhere or not at all.

    Text is none; links that stand for themselves may be literals, of which mistune reads only
    some, and whose addresses it encodes; and footnotes are moved to the end.
    """
    match node:
        case m.Text() | m.FootnoteDefinition():
            return True
        case m.Link(url=url, children=(m.Text(value=value),)):
            text = _decoded(value)
            return _decoded(url) in (text, f"http://{text}", f"mailto:{text}")
        case _:
            return False


def _decoded(url: str) -> str:
    """Return an address, or what shows it, without percent-encoding."""
    from urllib.parse import unquote  # as late as the first link: nothing else needs it

    return unquote(url)


def _inside(node: m.Node) -> Iterator[m.Node]:
    """Yield what is in a node, at any depth."""
    for child in getattr(node, "children", ()):
        yield child
        yield from _inside(child)


def _has_rows_of_other_widths(table: m.Table) -> bool:
    return len({len(row.children) for row in table.children}) > 1


def _has_a_footnote(container: m.Parent) -> bool:
    return any(isinstance(child, m.FootnoteDefinition) for child in _inside(container))


def _has_a_rich_footnote(root: m.Root) -> bool:
    """Return whether a footnote holds more than paragraphs: deeper lines are not its own there."""
    return any(
        not isinstance(child, m.Paragraph)
        for node in _inside(root)
        if isinstance(node, m.FootnoteDefinition)
        for child in node.children
    )


def _has_a_line_of_controls(container: m.Parent) -> bool:
    """Return whether a line of a child's text is blank to Python, and not to Markdown."""
    return any(
        line.isspace() and line.strip(" \t")
        for child in getattr(container, "children", ())
        if isinstance(child, (m.Paragraph, m.Heading))
        for line in _flat(child).split("\n")
    )


def _has_a_line_behind_a_quote(container: m.Parent) -> bool:
    """Return whether no blank line parts a quote, or a list, from what follows it."""
    children = getattr(container, "children", ())
    return any(
        isinstance(before, (m.Blockquote, m.List))
        and before.position is not None
        and after.position is not None
        and after.position.start.line == before.position.end.line + 1
        for before, after in pairwise(children)
    )


def _has_a_mixed_underline(paragraph: m.Paragraph) -> bool:
    return _MIXED_UNDERLINE.search(_flat(paragraph)) is not None


def _has_an_odd_edge(block: m.Parent) -> bool:
    """Return whether a span has a break at its start, or an odd character at either side."""
    text = _flat(block)
    return any(
        character == "\n" or not _is_plain(character)
        for edge in re.finditer(f"(.?){_EDGE}+(.?)", text, re.DOTALL)
        for character in (edge[1] if edge[1] != "\n" else "", edge[2])
    )


def _is_plain(character: str) -> bool:
    """Return whether Python's ``isalnum`` and ``isspace`` tell what other readers go by."""
    if character in (" ", "\t", ""):
        return True
    kind = category(character)[0]
    return kind in "LN" or (kind in "PS" and character <= "\uffff")


def _flat(node: m.Node) -> str:
    """Return a node's text, with a mark for the delimiters of its spans."""
    match node:
        case m.Text(value=value):
            return value
        case m.Break():
            return "\n"
        case m.Emphasis() | m.Strong() | m.Delete():
            return f"{_EDGE}{''.join(map(_flat, node.children))}{_EDGE}"
        case m.Link() | m.LinkReference():
            return f"[{''.join(map(_flat, node.children))}]"
        case _:
            return "".join(map(_flat, getattr(node, "children", ()))) or "x"


def _has_code_in_strikethrough(block: m.Parent) -> bool:
    hiding = (m.InlineCode, m.Html, *LINKS, *IMAGES)
    return any(
        isinstance(inner, hiding)
        for node in _inside(block)
        if isinstance(node, m.Delete)
        for inner in _inside(node)
    )


def _has_a_url_in_a_label(block: m.Parent) -> bool:
    labels = (
        _flat(node) if isinstance(node, LINKS) else getattr(node, "alt", "") or ""
        for node in _inside(block)
        if isinstance(node, (*LINKS, *IMAGES))
    )
    return any(_PROTOCOL.search(label) for label in labels)


def _has_an_open_link_tag(block: m.Parent) -> bool:
    return any(isinstance(node, m.Html) and _OPEN_LINK.match(node.value) for node in _inside(block))


_CONTAINERS = (m.Root, m.Blockquote, m.ListItem)
_TEXT = (m.Paragraph, m.Heading, m.TableCell)

OWN_WAYS: dict[str, tuple[tuple[type[m.Node], ...], Callable[..., bool]]] = {
    "a table whose rows differ in width": ((m.Table,), _has_rows_of_other_widths),
    "a footnote's definition in a quote or an item": (
        (m.Blockquote, m.ListItem),
        _has_a_footnote,
    ),
    "a line of `=` and `-`, mixed": ((m.Paragraph,), _has_a_mixed_underline),
    "a line of control characters alone": (_CONTAINERS, _has_a_line_of_controls),
    "a quote or a list that no blank line parts from what follows": (
        _CONTAINERS,
        _has_a_line_behind_a_quote,
    ),
    "a footnote that holds more than paragraphs": ((m.Root,), _has_a_rich_footnote),
    "a span that starts with a break, or with a mark, an emoji or a control character at its edge": (
        _TEXT,
        _has_an_odd_edge,
    ),
    "code, HTML or a link in strikethrough": (_TEXT, _has_code_in_strikethrough),
    "a URL in the text of a link or an image": (_TEXT, _has_a_url_in_a_label),
    "an `<a>` tag": (_TEXT, _has_an_open_link_tag),
}
"""What mistune reads in its own way: the kinds of node that it is not asked about, and when."""


MOST_LEVELS = 40
"""Levels of nesting up to which mistune is asked; deeper down it takes everything for text."""


class Disagreement(NamedTuple):
    """A place where the two readers see different structure."""

    path: str
    """Where it is in the default engine's tree, such as ``$.children[2].children[0]``."""

    line: int
    """The line in which the block starts that it is in, from 1."""

    markdown_it: str
    """What the default engine sees there, such as ``heading 'Rules'``; ``nothing but text``."""

    mistune: str
    """What mistune sees there."""

    def __str__(self) -> str:
        return (
            f"line {self.line}, {self.path}: "
            f"markdown-it sees {self.markdown_it}, mistune {self.mistune}"
        )


class Outline(NamedTuple):
    """A node as both readers can tell of it: equal in ``kind`` where they see the same."""

    kind: tuple[object, ...]
    node: Any
    place: int
    """Which child of its parent it is."""
    line: int
    children: tuple[Outline, ...]


def second_opinion(
    text: str, *, extensions: Iterable[Extension | str] = ()
) -> tuple[Disagreement, ...]:
    r"""Return where mistune sees another structure in ``text`` than the default engine.

    Compared is which nodes there are, and how they nest; of each parent's children, the first
    that differs is named. mistune is not asked about what ``docs/look-up/mistune.md`` says that it
    reads in its own way, nor about a text that nests more than 40 levels deep.

    ``extensions`` are those of ``from_markdown`` that mistune has too.

    Raises ``MdastError`` where ``from_markdown`` does.

    >>> second_opinion("# a *b*\n\n- c")
    ()
    >>> print(*second_opinion("| a |\n| - |\nb"), sep="\n")
    line 3, $.children[0].children[1]: markdown-it sees tableRow 'b', mistune text
    line 1, $.children[1]: markdown-it sees text, mistune paragraph 'b'
    """
    found = resolved(extensions)
    return disagreements(
        from_markdown(text, extensions=found),
        from_markdown(text, engine="mistune", extensions=found),
    )


def disagreements(markdown_it: m.Root, mistune: m.Root) -> tuple[Disagreement, ...]:
    """Return where the trees that the two engines made of one text differ in structure."""
    one = outline(markdown_it)
    if _levels(one) > MOST_LEVELS:
        return ()
    return tuple(_differences(one, outline(mistune), "$"))


def outline(node: Any, place: int = 0, line: int = 1) -> Outline:
    """Return what both readers can tell of a node and of what is in it."""
    if node.position is not None:
        line = node.position.start.line
    children = tuple(
        outline(child, number, line)
        for number, child in enumerate(getattr(node, "children", ()))
        if not is_passed_over(child)
    )
    kind = cast("type[m.Node]", type(node))
    told = _TOLD.get(kind, ())
    return Outline((kind, *(getattr(node, name) for name in told)), node, place, line, children)


_TOLD: dict[type[m.Node], tuple[str, ...]] = {
    m.Heading: ("depth",),
    m.List: ("ordered", "start"),
    m.ListItem: ("checked",),
    m.Table: ("align",),
    m.Definition: ("identifier",),
    m.LinkReference: ("identifier",),
    m.ImageReference: ("identifier",),
    m.FootnoteReference: ("identifier",),
}
"""The fields that are compared beside a node's kind; mistune tells no others as they were written."""


def _differences(one: Outline, other: Outline, path: str) -> Iterator[Disagreement]:
    """Yield where two outlines of one kind part: of each parent's children, the first."""
    if is_set_aside(one.node):
        return
    for mine, theirs in zip_longest(one.children, other.children):
        seen = mine or theirs
        at = f"{path}.children[{seen.place}]"
        if mine is not None and theirs is not None and mine.kind == theirs.kind:
            yield from _differences(mine, theirs, at)
        elif mine is None or theirs is None or not is_set_aside(mine.node):
            line = mine.line if mine else one.line
            yield Disagreement(at, line, _named(mine), _named(theirs))
            return


def _levels(seen: Outline) -> int:
    return 1 + max(map(_levels, seen.children), default=0)


def _named(seen: Outline | None) -> str:
    """Return a node's type in mdast, what is compared, and its words."""
    if seen is None:
        return "text"
    name = type(seen.node).__name__
    told = " ".join([str(value) for value in seen.kind[1:] if value is not None])
    words = _words(seen.node)
    parts = (f"{name[0].lower()}{name[1:]}", told, shown(words) if words else "")
    return " ".join([part for part in parts if part])


def _words(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "alt", None) or ""
    return " ".join([own, *map(_words, getattr(node, "children", ()))]).strip()

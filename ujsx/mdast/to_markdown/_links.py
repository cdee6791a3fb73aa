"""Destinations, titles and labels, and the brackets that mean something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from typing import Any, TypeAlias

from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteDefinition,
    Heading,
    Html,
    InlineCode,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Strong,
    Table,
    Text,
    ThematicBreak,
    is_known,
)
from ujsx.mdast.to_markdown._phrasing import FIRST_CHARACTER, SPANS, merged
from ujsx.mdast.to_markdown._unsafe import ASCII_PUNCTUATION, reference

# The resources of links: destinations, titles, labels (CommonMark 4.7, 6.3).

_PLAIN = re.compile(r"[^\x00-\x20\x7f<>()\\&]+")
_NEEDS_BRACKETS = re.compile(r"[\x00-\x20\x7f]|\Z(?<!.)", re.DOTALL)
_BACKSLASH = r"\\(?=[!-/:-@\[-`{-~\n\r]|\Z)"
_REFERENCE = r"&(?=#?[0-9A-Za-z]{1,31};)"
_RAW_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|\A<")
_RAW_UNSAFE_PARENTHESES = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|\A<|[()]")
_BRACKETED_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[<>\n\r]")
_TITLE_UNSAFE = {
    quote: re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[\n\r{quote}]") for quote in ('"', "'")
}
_LABEL_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[\[\]]|\A\^")
_LABEL_SPACES = re.compile(r"[ \t\r\n]+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|&#?[0-9A-Za-z]{1,31};")
_PARENTHESES = re.compile(r"[()]")

MAX_PARENTHESES = 32
"""How deep parentheses may nest in a destination without brackets (CommonMark 6.3)."""


def destination(url: str) -> str:
    """Return a URL as a link's destination.

    >>> destination("a b"), destination("/wiki/A_(b)"), destination("")
    ('<a b>', '/wiki/A_(b)', '<>')
    """
    if _PLAIN.fullmatch(url):
        return url
    if not url or _NEEDS_BRACKETS.search(url):
        return f"<{_BRACKETED_UNSAFE.sub(_escaped, url)}>"
    unsafe = _RAW_UNSAFE if _balanced(url) else _RAW_UNSAFE_PARENTHESES
    return unsafe.sub(_escaped, url)


def title(text: str, quote: str) -> str:
    r"""Return a title within its quotes.

    >>> title('the "best"', '"')
    '"the \\"best\\""'
    """
    # cmark-gfm takes the quote after a backslash for an escaped one, even if the backslash is.
    last = reference("\\") if text.endswith("\\") else ""
    body = _TITLE_UNSAFE[quote].sub(_escaped, text[:-1] if last else text)
    return f"{quote}{body}{last}{quote}"


def resource(url: str, text: str | None, quote: str) -> str:
    """Return what follows a link's brackets, parentheses included."""
    if text is None:
        return "()" if url == "" else f"({destination(url)})"
    return f"({destination(url)} {title(text, quote)})"


def label(text: str) -> str:
    """Return a reference's label, without its brackets."""
    return _LABEL_UNSAFE.sub(r"\\\g<0>", single_spaced(text))


def single_spaced(text: str) -> str:
    """Return a label with single spaces for white space, and none at its edges."""
    return _LABEL_SPACES.sub(" ", text).strip(" ")


def identifier(source: str) -> str:
    """Return the identifier that a label stands for (CommonMark 4.7, "matches")."""
    return single_spaced(source).lower().upper().lower()


def decode(source: str) -> str:
    """Return what a label's source stands for: backslash escapes and references resolved."""
    return _ESCAPE.sub(lambda match: match[1] or unescape(match[0]), source)


def _balanced(url: str) -> bool:
    depth = 0
    for parenthesis in _PARENTHESES.findall(url):
        depth += 1 if parenthesis == "(" else -1
        if not 0 <= depth <= MAX_PARENTHESES:
            return False
    return depth == 0


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character == "&":
        return "&amp;"  # cmark resolves references before escapes, outside of text
    return f"\\{character}" if character in ASCII_PUNCTUATION else reference(character)


# The brackets of a block's text that have a meaning: only where a ``]`` could close a link.
#
# Brackets alone are text to every reader. They make a link if a parenthesis or other brackets follow,
# or if the document defines what stands in them. What means something at the start of a block or an
# item is not looked at here: ``_unsafe`` and ``_flow`` do that.

Labels: TypeAlias = frozenset[str]
"""What a document defines: labels of links, and of footnotes behind a ``^``."""

NO_LABELS: Labels = frozenset()

_CONTAINERS = (Root, Blockquote, ListItem, FootnoteDefinition)
_WITHOUT = frozenset({Paragraph, Heading, Code, Html, Table, ThematicBreak})
"""What can hold no definition."""

_MARKED = frozenset({Text, InlineCode, Emphasis, Strong, Delete})
_MARKS = frozenset("`*_~")
"""Nodes of which the source has a mark, and the marks."""

_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


def labels_in(nodes: Iterable[Node]) -> Labels:
    """Return the labels that are defined by blocks, and by what stands in them.

    >>> sorted(labels_in([Definition("a b", "x"), FootnoteDefinition("1")]))
    ['^1', 'a b']
    """
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if type(node) in _WITHOUT:
            continue
        if isinstance(node, Definition):
            found |= {_folded(node.identifier), _folded(node.label or node.identifier)}
        elif isinstance(node, FootnoteDefinition):
            found |= {_folded(f"^{node.identifier}"), _folded(f"^{node.label or node.identifier}")}
        if isinstance(node, List):
            if not {type(child) for item in node.children for child in item.children} <= _WITHOUT:
                stack += [child for item in node.children for child in item.children]
        elif isinstance(node, _CONTAINERS) or not is_known(node):
            stack += getattr(node, "children", ())
    found.discard("")  # which no brackets lead to
    return frozenset(found)


def could_close(nodes: Sequence[Node], labels: Callable[[], Labels | None]) -> bool:
    """Return whether a ``]`` of a block's text could close a link, an image or a footnote's mark.

    :param labels: tells what the document defines; anything when it tells ``None``.

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
        kind: type[Node] = node.__class__
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

    :param are_marked: whether each node beside it is a text, or has marks that a label would have to have, too.
    """
    if "](" in text:
        return True
    may_follow = None if following is None else FIRST_CHARACTER.get(type(following), "[")
    if text[-1] == "]" and may_follow == "[":
        return True
    defined = labels()
    if not defined:
        return defined is None
    # A bracket in another node opens what holds that node's marks, too.
    could_match = not are_marked or any(not _MARKS.isdisjoint(label) for label in defined)
    return (could_match and "[" not in text[: text.index("]")]) or any(
        _folded(label) in defined for label in _IN_BRACKETS.findall(text)
    )


def _folded(label: str) -> str:
    """Return a label so that those which some reader takes for the same are equal."""
    return identifier(decode(label)).casefold()

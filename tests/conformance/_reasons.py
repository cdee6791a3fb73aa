"""Why a reader sees other structure in a text than everyone else: its known faults.

A fault is told by what a tree must hold to meet it. It is looked for in trees that were made as
small as they get, so that there is little else in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ujsx.mdast import (
    Blockquote,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteDefinition,
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
    Yaml,
    from_markdown,
)


def reason(root: Root, reader: str) -> str | None:
    """Return the fault of a reader that a tree meets.

    >>> from ujsx.mdast import from_markdown
    >>> reason(from_markdown("~~a~~**(b)**"), "cmark-gfm")
    'cmark-gfm looks past tildes for what stands beside a run of * or _'
    """
    for words, meets in FAULTS.get(reader, {}).items():
        if any(map(meets, _every(root))):
            return f"{reader} {words}"
    return None


def document_reason(text: str, reader: str, *, gfm: bool) -> str | None:
    """Return why a reader cannot see the same in a document that was read and written.

    >>> document_reason("```\\n\\n```", "micromark", gfm=False)
    'mdast has one form for code without lines and for code of one blank line'
    """
    root = from_markdown(text, gfm=gfm, frontmatter=gfm)
    for words, (reader_name, meets) in NO_SAME_FORM.items():
        if reader.startswith(reader_name) and any(map(meets, _every(root))):
            return words
    return None


def _every(node: Node) -> Iterator[Node]:
    yield node
    for child in getattr(node, "children", ()):
        yield from _every(child)


def _has_strikethrough_beside_a_span(node: Node) -> bool:
    kinds = [type(child) for child in getattr(node, "children", ())]
    inside = isinstance(node, Delete) and {Emphasis, Strong} & {*kinds}
    within = isinstance(node, (Emphasis, Strong)) and Delete in kinds
    beside = any(Delete in pair and {Emphasis, Strong} & {*pair} for pair in pairwise(kinds))
    return bool(inside or within or beside)


def _has_a_footnote_in_a_quote(node: Node) -> bool:
    return isinstance(node, Blockquote) and any(
        isinstance(inner, FootnoteDefinition) for inner in _every(node)
    )


FAULTS: dict[str, dict[str, Callable[[Node], bool]]] = {
    "cmark-gfm": {
        "looks past tildes for what stands beside a run of * or _": (
            _has_strikethrough_beside_a_span
        ),
        "ends a footnote in a quote at the first blank line": _has_a_footnote_in_a_quote,
    },
}
"""By reader: the fault in words, and what a node is that meets it."""


def _has_a_list_before_a_block(node: Node) -> bool:
    return isinstance(node, (Blockquote, FootnoteDefinition)) and any(
        isinstance(before, List) for before, _ in pairwise(node.children)
    )


def _has_a_quote_behind_a_definition(node: Node) -> bool:
    return any(
        isinstance(before, Definition)
        and isinstance(after, Paragraph)
        and isinstance(after.children[0], Text)
        and after.children[0].value[0] in "\"'("
        for before, after in pairwise(getattr(node, "children", ()))
    )


_RAW = r"(?:script|pre|style|textarea)"
_UNENDED = re.compile(
    rf" {{0,3}}<(?:!--(?!.*-->)|\?(?!.*\?>)|!\[CDATA\[(?!.*\]\]>)|{_RAW}(?=[ \t\n>]|\Z)(?!.*</{_RAW}>))",
    re.DOTALL | re.IGNORECASE,
)


def _wants_a_blank_line(before: Node, after: Node) -> bool:
    match before, after:
        case Paragraph(), Table() | FootnoteDefinition():
            return True
        case Blockquote(), List(children=(first, *_)):
            return not first.children or after.start not in {None, 1}
        case _:
            return isinstance(before, Blockquote) and isinstance(after, Paragraph)


NO_SAME_FORM: dict[str, tuple[str, Callable[[Node], bool]]] = {
    "mdast has one form for code without lines and for code of one blank line": (
        "",
        lambda node: isinstance(node, Code) and not node.value,
    ),
    "code that is a lone line end is refused": (
        "",
        lambda node: isinstance(node, InlineCode) and not node.value.strip(" \n"),
    ),
    "HTML that starts a paragraph behind a definition is refused: alone it would be a block": (
        "",
        lambda node: isinstance(node, Paragraph) and isinstance(node.children[0], Html),
    ),
    "HTML that has no end is refused where more follows, or takes in the blank line": (
        "",
        lambda node: isinstance(node, Html) and _UNENDED.match(node.value) is not None,
    ),
    "only readers with an extension know front matter": (
        "",
        lambda node: isinstance(node, Yaml),
    ),
    "cmark-gfm takes a definition's title from a line that goes on behind it": (
        "cmark-gfm",
        _has_a_quote_behind_a_definition,
    ),
    "what stands tight behind a paragraph only where a reader lets it is written behind a blank line": (
        "",
        lambda node: (
            isinstance(node, ListItem)
            and not node.spread
            and any(map(_wants_a_blank_line, node.children, node.children[1:]))
        ),
    ),
    "readers differ in whether what follows a footnote's definition spreads the item around both": (
        "",
        lambda node: (
            isinstance(node, ListItem)
            and any(isinstance(child, FootnoteDefinition) for child in node.children[:-1])
        ),
    ),
    "micromark takes a list in a quote for spread if a blank line follows it": (
        "micromark",
        _has_a_list_before_a_block,
    ),
}
"""Why a document cannot stay as it is: for which readers (``""``: all), and what its tree has."""

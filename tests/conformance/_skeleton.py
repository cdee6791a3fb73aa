"""The structure of a document: its tags in order, from a tree, and from what a reader made of it.

Text, URLs and raw HTML are no part of it. Neither are the paragraphs of list items, as tight and
spread items differ in them in HTML alone; nor strong text directly in strong text, which cmark-gfm
shows as one; nor what stands in a footnote, as readers move it about.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from ujsx import mdast

TAGS: dict[type[mdast.Node], str] = {
    mdast.Paragraph: "p",
    mdast.Blockquote: "blockquote",
    mdast.Emphasis: "em",
    mdast.Strong: "strong",
    mdast.Delete: "del",
    mdast.InlineCode: "code",
    mdast.Link: "a",
    mdast.LinkReference: "a",
    mdast.Image: "img",
    mdast.ImageReference: "img",
    mdast.Break: "br",
    mdast.ThematicBreak: "hr",
    mdast.FootnoteReference: "sup",
    mdast.ListItem: "li",
}
"""What a node is in HTML, if that depends on nothing but its kind."""

VOID = {"img", "br", "hr", "sup"}
IGNORED = {"thead", "tbody", "input", "pre"}


def of_tree(node: mdast.Node, parent: mdast.Node | None = None) -> Iterator[str]:
    """Yield the tags of a tree.

    >>> list(of_tree(mdast.from_markdown("# a *b*\\n\\n- c")))
    ['<h1', '<em', '/em', '/h1', '<ul', '<li', '/li', '/ul']
    """
    match node:
        case mdast.FootnoteDefinition():
            return
        case mdast.Heading():
            tag = f"h{node.depth}"
        case mdast.List():
            tag = "ol" if node.ordered else "ul"
        case mdast.Code():
            yield from ("<code", "/code")
            return
        case mdast.Table():
            yield from _of_table(node)
            return
        case mdast.Paragraph() if isinstance(parent, mdast.ListItem):
            tag = ""
        case mdast.Strong() if isinstance(parent, mdast.Strong):
            tag = ""
        case _:
            tag = TAGS.get(type(node), "")
    if tag:
        yield f"<{tag}"
    for child in getattr(node, "children", ()):
        yield from of_tree(child, node)
    if tag and tag not in VOID:
        yield f"/{tag}"


def _of_table(table: mdast.Table) -> Iterator[str]:
    columns = len(table.children[0].children)
    yield "<table"
    for place, row in enumerate(table.children):
        cell = "td" if place else "th"
        yield "<tr"
        for index in range(columns):  # HTML has a cell for every column
            yield f"<{cell}"
            if index < len(row.children):
                for child in row.children[index].children:
                    yield from of_tree(child)
            yield f"/{cell}"
        yield "/tr"
    yield "/table"


def of_html(html: str) -> list[str]:
    """Return the tags of HTML that a reader of Markdown wrote.

    >>> of_html("<ul><li><p>a<br />b</p></li></ul>")
    ['<ul', '<li', '<br', '/li', '/ul']
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.tags


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self._open: list[str] = []
        self._ended = False
        self._footnote_call = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "section":  # footnotes come last
            self._ended = True
        if self._ended or self._footnote_call or tag in IGNORED:
            return
        self._footnote_call = tag == "sup"
        if not self._is_no_part(tag):
            self.tags.append(f"<{tag}")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "sup":
            self._footnote_call = False
        if self._ended or self._footnote_call or tag in IGNORED or tag in VOID:
            return
        if self._open:
            self._open.pop()
        if not self._is_no_part(tag):
            self.tags.append(f"/{tag}")

    def _is_no_part(self, tag: str) -> bool:
        return (self._open[-1:], tag) in ((["li"], "p"), (["strong"], "strong"))

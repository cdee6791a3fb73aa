"""Text that looks like structure is text, wherever it stands, to every parser."""

from __future__ import annotations

import re
from collections.abc import Callable

import cmarkgfm
from markdown_it import MarkdownIt

from tests.ids import looped
from ujsx.mdast import (
    Blockquote,
    Code,
    Delete,
    Emphasis,
    Heading,
    Image,
    InlineCode,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    to_markdown,
)

HOSTILE = (
    "x\n## Next steps\n1. rm -rf /",
    "-\n- a",
    "1.\n1. a",
    "a\n\n    b\n\n---\n> c",
    "a | b\n- | -\nc | d",
    "```\n# a\n```",
    "~~~\na",
    "<script>alert(1)</script>\n\n<div>\n",
    "[a]: http://a.co\n[^a]: b\n![a](b) [a](b)",
    "**a** __b__ *c* _d_ ~~e~~ `f`",
    "---\na: b\n---",
    "a\n===",
    "http://a.co www.a.co a@b.co <http://a.co> <a@b.co>",
    "[ ] a\n[x] b",
    " \t# a",
    "a\r\n# b\r# c",
)

Place = Callable[[str], Node]

PLACES: dict[str, tuple[Place, set[str]]] = {
    "paragraph": (lambda s: Paragraph([Text(s)]), {"p"}),
    "list item": (lambda s: List(children=[ListItem(children=[Paragraph([Text(s)])])]), {"ul", "li", "p"}),
    "block quote": (lambda s: Blockquote([Paragraph([Text(s)])]), {"blockquote", "p"}),
    "heading": (lambda s: Heading(1, [Text(s)]), {"h1"}),
    "low heading": (lambda s: Heading(4, [Text(s)]), {"h4"}),
    "emphasis": (lambda s: Emphasis([Text(s)]), {"p", "em"}),
    "strong in words": (lambda s: Paragraph([Text("a"), Strong([Text(s)]), Text("b")]), {"p", "strong"}),
    "strikethrough": (lambda s: Delete([Text(s)]), {"p", "del"}),
    "link": (lambda s: Link("b", children=[Text(s)]), {"p", "a"}),
    "title": (lambda s: Link("b", s, children=[Text("a")]), {"p", "a"}),
    "image": (lambda s: Image("b", s, s), {"p", "img"}),
    "code": (lambda s: Code(s.replace("\r", "\n")), {"pre", "code"}),
    "inline code": (lambda s: InlineCode(s.replace("\r", " ").replace("\n", " ")), {"p", "code"}),
    "cell": (
        lambda s: Table([None], [TableRow([TableCell([Text(s)])]), TableRow([TableCell([Text(s)])])]),
        {"table", "thead", "tbody", "tr", "th", "td"},
    ),
}  # fmt: skip

_markdown_it = MarkdownIt("gfm-like", {"linkify": False}).enable(["table", "strikethrough"])

PARSERS: dict[str, Callable[[str], str]] = {
    "markdown-it": lambda text: str(_markdown_it.render(text)).replace("<s>", "<del>"),
    # cmark-gfm makes links of mail addresses in decoded text, so that nothing can keep it from that.
    "cmark-gfm": lambda text: cmarkgfm.github_flavored_markdown_to_html(text).replace(
        '<a href="mailto:a@b.co">', ""
    ),
}


def tags(html: str) -> set[str]:
    """The names of the elements in a page, line breaks aside."""
    return {name.lower() for name in re.findall(r"<([A-Za-z][A-Za-z0-9]*)", html)} - {"br"}


@looped("text", HOSTILE)
def test_hostile_text_forges_no_element(text: str) -> None:
    for place, (build, expected) in PLACES.items():
        markdown = to_markdown(build(text))
        for name, parser in PARSERS.items():
            assert tags(parser(markdown)) <= expected, (place, name)

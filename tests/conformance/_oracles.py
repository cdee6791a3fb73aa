"""Independent readers of Markdown, as functions from many texts to many HTML texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cmarkgfm.cmark import Options, markdown_to_html_with_extensions
from markdown_it import MarkdownIt

from tests.conformance._node import Node

Render = Callable[[Sequence[str]], list[str]]

EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
UNSAFE, FOOTNOTES = Options.CMARK_OPT_UNSAFE, Options.CMARK_OPT_FOOTNOTES


@dataclass(frozen=True, slots=True)
class Oracle:
    """A reader: its name, and what turns texts into HTML.

    ``without_addresses`` is set for a reader that links mail addresses in text that is decoded
    already, so that no way to write an address can stop it: it is the same reader without that.
    """

    name: str
    render: Render
    without_addresses: Render | None = None


def commonmark_oracles(node: Node) -> tuple[Oracle, ...]:
    """Return the readers of CommonMark."""
    return (
        Oracle("markdown-it-py", _markdown_it),
        Oracle("commonmark.js", lambda texts: node.ask("commonmark.js html", texts)),
        Oracle("micromark", lambda texts: node.ask("micromark html", texts)),
    )


def gfm_oracles(node: Node) -> tuple[Oracle, ...]:
    """Return the readers of GFM."""
    return (
        Oracle("cmark-gfm", cmark_gfm(UNSAFE | FOOTNOTES)),
        Oracle("micromark-gfm", lambda texts: node.ask("micromark html", texts, gfm=True)),
    )


def skeleton_oracles(node: Node, *, gfm: bool) -> tuple[Oracle, ...]:
    """Return readers in whose HTML every tag comes from Markdown, none from raw HTML."""
    if gfm:
        return (
            Oracle(
                "cmark-gfm",
                cmark_gfm(FOOTNOTES),
                cmark_gfm(FOOTNOTES, [each for each in EXTENSIONS if each != "autolink"]),
            ),
            Oracle("micromark-gfm", lambda texts: node.ask("micromark skeleton", texts, gfm=True)),
        )
    return (
        Oracle("commonmark.js", lambda texts: node.ask("commonmark.js skeleton", texts)),
        Oracle("micromark", lambda texts: node.ask("micromark skeleton", texts)),
        Oracle("cmark", cmark_gfm(0, extensions=())),
    )


def cmark_gfm(options: int, extensions: Sequence[str] = EXTENSIONS) -> Render:
    """Return cmark-gfm with some of its options and extensions."""
    # U+0000 would end the text for cmark's C interface.
    return lambda texts: [
        markdown_to_html_with_extensions(text.replace("\0", "\ufffd"), options, list(extensions))
        for text in texts
    ]


def _markdown_it(texts: Sequence[str]) -> list[str]:
    parser = MarkdownIt("commonmark")
    return [parser.render(text) for text in texts]

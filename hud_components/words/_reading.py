"""The kinds of blocks in a parsed HUD, as far as sections distinguish them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx import RenderContext, mdast
from ujsx.text import unhidden
from ujsx.transforms import MAX_HEADING_DEPTH


def is_titled(blocks: Sequence[Any], title: str, ctx: RenderContext) -> bool:
    """Tell whether blocks start with a section of that title, and one thing in it.

    :param ctx: its depth is the number of sections around.
    """
    return len(blocks) > 1 and heading_of(blocks[0], ctx) == title


def heading_of(block: Any, ctx: RenderContext) -> str | None:
    """Return the title of the section that a block opens, or ``None`` if it opens none."""
    if type(block) is not mdast.Heading or block.depth != min(ctx.depth + 1, MAX_HEADING_DEPTH):
        return None
    if not block.children:
        return ""
    text = only_child(block)
    return value_of(text) if type(text) is mdast.Text else None


def value_of(node: Any) -> str:
    """Return the text of a text or a code span as it was before what it hides was made visible."""
    return unhidden(node.value)


def only_child(node: Any) -> Any:
    """Return what a paragraph, a heading or an item consists of, if it is one plain node."""
    if type(node) is mdast.ListItem and (node.checked is not None or node.spread):
        return None
    if type(node) in _HOLDERS and len(node.children) == 1:
        return node.children[0]
    return None


def only_line(node: Any) -> Sequence[Any] | None:
    """Return the line that an item consists of, if it is one line."""
    paragraph = only_child(node)
    return paragraph.children if type(paragraph) is mdast.Paragraph else None


def line_of(block: Any) -> tuple[Any, ...]:
    """Return the phrasing of a paragraph; of other blocks, nothing."""
    return block.children if type(block) is mdast.Paragraph else ()


def text_of(block: Any) -> str | None:
    """Return the text of a paragraph that is nothing but text."""
    text = only_child(block) if type(block) is mdast.Paragraph else None
    return value_of(text) if type(text) is mdast.Text else None


_HOLDERS = frozenset({mdast.Paragraph, mdast.Heading, mdast.ListItem})

"""A quotation: Markdown of somebody else's as children of a ``BlockQuote``, and read back from one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from hud_components.words._quoted import Blocks, as_text, harmless, in_order
from ujsx import RenderContext, mdast, to_mdast
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Emphasis,
    Heading,
    InlineCode,
    Item,
    List,
    Paragraph,
    Strikethrough,
    Strong,
    Table,
    TableCell,
    TableRow,
)
from ujsx.errors import MdastError
from ujsx.mdast.util import rewrite
from ujsx.text import unhidden
from ujsx.transforms import MAX_HEADING_DEPTH

MOST_LEVELS = 3
"""How many levels of headings a quotation has at most."""


def quoted(source: str, levels: int) -> Blocks:
    r"""Return a Markdown text as blocks that may be quoted, its sections by their worth.

    :param levels: how many levels of headings there may be; deeper ones are of the last level.

    >>> from hud_components.words._quoted import source_of
    >>> blocks = quoted("# Goal\nSign-in\n# Next steps\n- a <b>", levels=3)
    >>> print(source_of(blocks))
    # Next steps
    <BLANKLINE>
    - a \<b>
    <BLANKLINE>
    # Goal
    <BLANKLINE>
    Sign-in
    """
    try:
        blocks: Sequence[Any] = mdast.from_markdown(source).children
    except MdastError:  # it is nested too deep for any reader
        blocks = as_text(source)
    return settled(blocks, levels)


def settled(blocks: Iterable[Any], levels: int) -> Blocks:
    """Return mdast blocks as they are read from a quotation of them: themselves where they may be."""
    quote = BlockQuote()[[_element(block, 0) for block in harmless(blocks)]]
    written: Any = mdast.normalize(to_mdast(quote))
    kept = written.children[0].children if written.children else ()
    return tuple(in_order([_read(block, 0) for block in kept], levels))


def levels_in(ctx: RenderContext) -> int:
    """Return how many levels of headings there may be in a quotation within a section there."""
    return max(1, min(MOST_LEVELS, MAX_HEADING_DEPTH - ctx.depth - 1))


def quotation(blocks: Blocks, ctx: RenderContext) -> BlockQuote | Any:
    """Return a quotation of blocks, whose headings stand below that of the section around it.

    :param ctx: its depth is the number of sections around that one.
    """
    return BlockQuote()[[_element(block, ctx.depth + 1) for block in blocks]]


def blocks_in(quote: Any, ctx: RenderContext) -> Blocks | None:
    """Return the blocks that a quotation was made of; ``None`` where it is none of ours."""
    if type(quote) is not mdast.Blockquote:
        return None
    blocks = [_read(block, ctx.depth + 1) for block in quote.children]
    return tuple(blocks) if settled(blocks, levels_in(ctx)) == tuple(blocks) else None


def _element(node: Any, depth: int) -> Any:
    make = _ELEMENTS.get(node.__class__)
    if make is None:
        return node.value
    element = make(node, depth)
    children: Iterable[Any] | None = getattr(node, "children", None)
    return element if children is None else element[[_element(each, depth) for each in children]]


_ELEMENTS: Mapping[type, Callable[[Any, int], Any]] = {
    mdast.Paragraph: lambda _node, _depth: Paragraph(),
    mdast.Heading: lambda node, depth: Heading(depth=min(node.depth + depth, MAX_HEADING_DEPTH)),
    mdast.List: lambda node, _depth: List(
        ordered=node.ordered, start=1 if node.start is None else node.start, spread=node.spread
    ),
    mdast.ListItem: lambda node, _depth: Item(checked=node.checked, spread=node.spread),
    mdast.Blockquote: lambda _node, _depth: BlockQuote(),
    mdast.Code: lambda node, _depth: CodeBlock(value=node.value, lang=node.lang, meta=node.meta),
    mdast.Table: lambda node, _depth: Table(align=node.align),
    mdast.TableRow: lambda _node, _depth: TableRow(),
    mdast.TableCell: lambda _node, _depth: TableCell(),
    mdast.Strong: lambda _node, _depth: Strong(),
    mdast.Emphasis: lambda _node, _depth: Emphasis(),
    mdast.Delete: lambda _node, _depth: Strikethrough(),
    mdast.InlineCode: lambda node, _depth: InlineCode(value=node.value),
}
"""What stands for each node; a text stands for itself."""


def _read(block: Any, depth: int) -> Any:
    if type(block) is mdast.Heading:
        level: Any = max(1, block.depth - depth)
        block = replace(block, depth=level)
    block = rewrite(block, mdast.Text, lambda node: mdast.Text(unhidden(node.value)))
    block = rewrite(block, mdast.InlineCode, lambda node: mdast.InlineCode(unhidden(node.value)))
    return rewrite(block, mdast.Code, _code)


def _code(node: mdast.Code) -> mdast.Code:
    lang, meta = (text and unhidden(text) for text in (node.lang, node.meta))
    return mdast.Code(unhidden(node.value), lang, meta)

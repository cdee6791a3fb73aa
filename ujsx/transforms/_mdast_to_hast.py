"""``mdast -> hast``: Markdown as HTML, as mdast-util-to-hast and cmark-gfm make it.

References have their definition's URL, footnotes stand in a section at the end, and URLs are
percent-encoded. Whether raw HTML and unsafe URLs are written is for ``to_html`` to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ujsx import hast, mdast
from ujsx.errors import MissingRuleError
from ujsx.transforms import _hast_parts as parts
from ujsx.transforms._content import laid_out
from ujsx.transforms._hast_parts import References
from ujsx.transforms._registry import without_rule
from ujsx.transforms._transform import Rule, Transform


def _rule(part: parts.Part) -> Rule:
    def rule(node: Any, transform: Transform) -> Any:
        return part(node, tuple(transform.all(getattr(node, "children", ()))), transform)

    return rule


def root(node: mdast.Root, transform: Transform) -> hast.Root:
    references = References()
    context = transform.context.with_value(references)
    inner = Transform(transform.registry, transform.direction, context)
    note_definitions(node, references, inner)
    return document(inner.all(node.children), references, inner)


def document(blocks: list[Any], references: References, transform: Transform) -> hast.Root:
    """Return blocks and the footnotes that they cite as a document."""
    footnotes = references.footnotes(transform.context)
    return hast.Root(laid_out([*blocks, *([footnotes] if footnotes else ())], around=False))


def note_definitions(root: mdast.Node, references: References, transform: Transform) -> None:
    """Note what the references in a tree lead to."""
    for node in _every(root):
        if isinstance(node, mdast.Definition):
            references.define(node.identifier, node)
        elif isinstance(node, mdast.FootnoteDefinition):
            references.define_footnote(node.identifier, partial(transform.all, node.children))


def _every(root: mdast.Node) -> Iterator[mdast.Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(getattr(node, "children", ())))


def text(node: mdast.Text, transform: Transform) -> hast.Text:
    return hast.Text(node.value)


def list_(node: mdast.List, transform: Transform) -> hast.Element:
    loose = node.spread or any(item.spread for item in node.children)
    return parts.list_(node, tuple(transform.all(node.children)), loose=loose)


def skip(node: Any, transform: Transform) -> list[Any]:
    """Nodes that are read elsewhere, or not shown at all."""
    return []


def extended(node: mdast.Node, transform: Transform) -> Any:
    """The rule of nodes of extensions, whose modules are loaded for those who read them.

    :raises MissingRuleError: for a node of an extension of somebody else's.
    """
    from ujsx.transforms._extensions_to_hast import EXTENSIONS_TO_HAST

    for kind in type(node).__mro__:
        if kind in EXTENSIONS_TO_HAST:
            return _rule(EXTENSIONS_TO_HAST[kind])(node, transform)
    raise MissingRuleError(without_rule(type(node), transform.direction, MDAST_TO_HAST))


MDAST_TO_HAST: dict[type, Rule] = {
    mdast.Node: extended,
    mdast.Root: root,
    mdast.Text: text,
    mdast.List: list_,
    mdast.Definition: skip,
    mdast.FootnoteDefinition: skip,
    mdast.Yaml: skip,
    mdast.Heading: _rule(parts.heading),
    mdast.Paragraph: _rule(parts.part("p")),
    mdast.Blockquote: _rule(parts.blockquote),
    mdast.ListItem: _rule(parts.item),
    mdast.Code: _rule(parts.code),
    mdast.Table: _rule(parts.table),
    mdast.TableRow: _rule(parts.table_row),
    mdast.TableCell: _rule(parts.part("td")),
    mdast.ThematicBreak: _rule(parts.thematic_break),
    mdast.Html: _rule(parts.raw),
    mdast.Strong: _rule(parts.part("strong")),
    mdast.Emphasis: _rule(parts.part("em")),
    mdast.Delete: _rule(parts.part("del")),
    mdast.InlineCode: _rule(parts.inline_code),
    mdast.Break: _rule(parts.line_break),
    mdast.Link: _rule(parts.link),
    mdast.Image: _rule(parts.image),
    mdast.LinkReference: _rule(parts.link_reference),
    mdast.ImageReference: _rule(parts.image_reference),
    mdast.FootnoteReference: _rule(parts.footnote_reference),
}
"""The rule of each mdast node."""

"""Nodes as Markdown, where Markdown says exactly them; tags in it are written as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ujsx import elements, mdast
from ujsx.components._component import Component
from ujsx.components._context import RenderContext
from ujsx.components._element import Element, Node
from ujsx.components._fragment import Fragment
from ujsx.layout._attributes import tag
from ujsx.mdast import Writer
from ujsx.mdast.to_markdown import Unsafe
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._transform import Transform

BLOCKS: tuple[type[Component], ...] = (
    elements.Heading,
    elements.Paragraph,
    elements.List,
    elements.BlockQuote,
    elements.CodeBlock,
    elements.Table,
    elements.ThematicBreak,
    elements.Definition,
    elements.FootnoteDefinition,
    elements.FrontMatter,
)
"""Primitives that Markdown has a block for."""

INLINE: tuple[type[Component], ...] = (
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.InlineCode,
    elements.Link,
    elements.LinkReference,
    elements.Image,
    elements.ImageReference,
    elements.FootnoteReference,
    elements.LineBreak,
)
"""Primitives that stand in a line."""

_UNSAFE = (
    Unsafe("<", "opens a tag", after=r"[^\W\d]|>"),
    Unsafe("{", "opens a text, a comment or what is refused"),
    Unsafe("}", "is refused without its partner"),
)
"""What means something in a layout, beside what does in Markdown."""


def blocks(nodes: Sequence[Node]) -> str:
    """Return the Markdown of blocks.

    :raises UjsxError: for what Markdown cannot represent.
    """
    transform = Transform(_registry(), "ujsx -> mdast", RenderContext())
    return _writer().write(mdast.Root(tuple(transform.all(nodes)))).removesuffix("\n")


def line(nodes: Sequence[Node]) -> str:
    """Return the Markdown of what stands in a line.

    :raises UjsxError: for what Markdown cannot represent.
    """
    return blocks([Element.of(elements.Paragraph(), tuple(nodes))])


def _tagged(element: Element, transform: Transform) -> list[Any]:
    opening = tag(element)
    if not element.children:
        return [mdast.Html(f"<{opening}/>")]
    return [
        mdast.Html(f"<{opening}>"),
        *transform.all(element.children),
        mdast.Html(f"</{opening.partition(' ')[0]}>"),
    ]


@cache
def _registry() -> TransformRegistry:
    from ujsx.transforms import registry

    rules = registry.copy()
    rules.rule(
        "ujsx -> mdast",
        Component,
        Fragment,
        elements.Section,
        elements.Omitted,
        elements.Html,
    )(_tagged)
    return rules


@cache
def _writer() -> Writer:
    return Writer(unsafe=_UNSAFE, handlers={mdast.Html: _as_it_stands})


def _as_it_stands(node: mdast.Html, _writing: object) -> str:
    return node.value

"""The short way from a component to Markdown: sections, paragraphs and lists of rows.

That is most of what a HUD consists of, and the writer would write the same. Where something asks
for thought (a text with a line break, a mark next to a punctuation character, rules of one's own),
the short way ends, and the tree is made and written as any other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ujsx import elements, mdast
from ujsx._context import RenderContext
from ujsx._element import Children, Element
from ujsx._errors import MdastError
from ujsx._for_each import ForEach
from ujsx._fragment import Fragment
from ujsx._hidden import hides_nothing
from ujsx._registry import Transform, TransformRegistry
from ujsx._short_line import line_of, marked_line
from ujsx._short_rows import lines_of
from ujsx.mdast.to_markdown._list import MAX_NUMBER
from ujsx.transforms._to_mdast import TO_MDAST, section_heading

_ASSUMED = (
    str,
    Fragment,
    elements.Section,
    elements.Paragraph,
    elements.BlockQuote,
    elements.List,
    elements.Item,
    elements.Omitted,
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.InlineCode,
)
"""What the short way writes as its rules do."""


@lru_cache(maxsize=16)
def is_open(registry: TransformRegistry, revision: int) -> bool:
    """Tell whether a registry, at that revision, has the usual rules for what the short way writes."""
    found = registry.found("ujsx -> mdast")
    return all(found.get(cls) is TO_MDAST[cls] for cls in _ASSUMED)


def short_way(nodes: Children, ctx: RenderContext, registry: TransformRegistry) -> str | None:
    """Return the Markdown of what a component is made of, as blocks; ``None`` if it is not plain.

    It starts with a heading or a paragraph, and ``""`` is nothing.
    """
    blocks: list[str] = []
    node: Any
    for node in nodes:
        if type(node) is not Element:
            return None
        kind: type[Any] = node.component.__class__
        if kind is elements.Section:
            section: Any = node.component
            heading = heading_text(section.title, ctx.depth, trusts_text=ctx.trusts_text)
            content = _content(node.children, ctx, registry)
            if content is None or heading is None:
                return None
            blocks.append(heading)
            blocks += content
        else:
            block = _block(node.component, node.children)
            if block is None:
                return None
            blocks.append(block)
    return "\n\n".join(blocks)


def _content(
    children: Children, ctx: RenderContext, registry: TransformRegistry
) -> list[str] | None:
    """The blocks of a section: no two lists and no two texts after one another."""
    blocks: list[str] = []
    before: type[Any] | None = None
    child: Any
    for child in children:
        kind: type[Any] = child.__class__
        block: str | None = None
        if kind is Element:
            kind = child.component.__class__
            if kind is not elements.List:
                block = _block(child.component, child.children)
            elif before is not elements.List:  # which would have another bullet
                block = _list(child.component, child.children, ctx, registry)
        elif before not in _INLINE:  # with which it would share a line
            if kind is str:
                block = _paragraph((child,))
            elif kind is elements.Omitted:
                block = _mark(child, ctx, registry)
        if block is None:
            return None
        blocks.append(block)
        before = kind
    return blocks


_INLINE = (str, elements.Omitted)


def _block(component: Any, children: Children) -> str | None:
    kind: type[Any] = component.__class__
    if kind is elements.Paragraph:
        return _paragraph(children)
    if kind is elements.BlockQuote and len(children) == 1 and component.alert is None:
        child: Any = children[0]
        is_paragraph = type(child) is Element and type(child.component) is elements.Paragraph
        line = _paragraph(child.children if is_paragraph else children)
        return None if line is None else f"> {line}"
    return None


def _list(
    component: elements.List, children: Children, ctx: RenderContext, registry: TransformRegistry
) -> str | None:
    lines: list[str] = []
    child: Any
    for child in children:
        kind: type[Any] = child.__class__
        if kind is ForEach:
            written = lines_of(child.rows)
            if written is None:
                return None
            lines += written
        elif kind is elements.Omitted:
            mark = _mark(child, ctx, registry)
            if mark is None:
                return None
            lines.append(mark)
        else:
            return None
    if not lines or component.spread:
        return None
    if not component.ordered:
        return "- " + "\n- ".join(lines)
    first = component.start
    if first < 0 or first + len(lines) > MAX_NUMBER:
        return None
    return "\n".join([f"{number}. {line}" for number, line in enumerate(lines, first)])


def _paragraph(children: Children) -> str | None:
    if len(children) == 1 and type(children[0]) is str:
        return line_of(children[0])
    marked: list[tuple[str, str]] = []
    mark: str | None
    child: Any
    for child in children:
        kind: type[Any] = child.__class__
        mark, text = "", child
        if kind is elements.InlineCode:
            mark, text = "`", child.value
        elif kind is Element and len(child.children) == 1:
            mark, text = _MARKS.get(child.component.__class__), child.children[0]
        if mark is None or type(text) is not str:
            return None
        if marked and not mark and not marked[-1][0]:
            if not hides_nothing(text):
                return None
            text = marked.pop()[1] + text
        marked.append((mark, text))
    return marked_line(marked)


_MARKS: dict[type, str] = {
    elements.Strong: "**",
    elements.Emphasis: "*",
    elements.Strikethrough: "~~",
}


@lru_cache(maxsize=256)
def heading_text(title: str, depth: int, *, trusts_text: bool = False) -> str | None:
    """Return the heading of a section around which ``depth`` sections stand."""
    if "[" in title:
        return None
    context = RenderContext(depth=depth, trusts_text=trusts_text)
    return _written(section_heading(elements.Section(title=title), context))


def _mark(omitted: elements.Omitted, ctx: RenderContext, registry: TransformRegistry) -> str | None:
    transform = Transform(registry, "ujsx -> mdast", ctx)
    mark: Any = transform(omitted)
    return None if "[" in mark.children[0].value else _written(mdast.Paragraph((mark,)))


def _written(block: mdast.Node) -> str | None:
    try:
        return _WRITER.blocks([block])[0]
    except MdastError:
        return None


_WRITER = mdast.Writer()

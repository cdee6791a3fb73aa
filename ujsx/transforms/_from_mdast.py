"""``mdast -> ujsx``: existing Markdown as a tree of primitives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from ujsx import elements, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._element import MAX_DEPTH, Children, Element, Node
from ujsx.mdast._extension import ALERT, ALERT_LINE
from ujsx.text import one_line, unhidden
from ujsx.transforms._to_mdast import MAX_HEADING_DEPTH
from ujsx.transforms._transform import Rule, Transform

# Headings and what follows them, as sections.
#
# A section writes a heading of plain text, one deeper than the sections around it. A heading that says
# just that opens one, which holds the blocks up to the next heading that is no deeper. Any other stays
# a ``Heading``: of a depth that is left out on the way down, of more than a text, of several lines, or
# empty. Where it stands is the same to all of them: outside of the sections that it ends.


def in_sections(blocks: Children, depth: int = 0) -> Sequence[Node]:
    """Return blocks in the sections that the headings among them open.

    :param depth: the number of sections around all of them.

    >>> from ujsx.elements import Heading, Paragraph
    >>> a, skipped, b = (Heading(depth=depth)["x"] for depth in (1, 3, 2))
    >>> in_sections((a, skipped, b, Paragraph()["y"]))
    [Section(title='x')[Heading(depth=3)['x'], Section(title='x')[Paragraph()['y']]]]
    """
    if _levels(blocks) > MAX_DEPTH - MAX_HEADING_DEPTH:
        return blocks  # what nests as deep as it may has no room for sections around
    titles: list[str] = []
    held: list[list[Node]] = [[]]
    for block in blocks:
        heading = _heading(block)
        if heading is not None:
            level = heading.component.depth
            _close(titles, held, max(level - depth - 1, 0))
            title = _title(heading)
            if title and level == depth + len(titles) + 1:
                titles.append(title)
                held.append([])
                continue
        held[-1].append(block)
    _close(titles, held, 0)
    return held[0]


def _close(titles: list[str], held: list[list[Node]], left: int) -> None:
    """Close the innermost sections until so many are open."""
    while len(titles) > left:
        children = held.pop()
        held[-1].append(Element.of(elements.Section(title=titles.pop()), children))


def _heading(block: Node) -> Element[elements.Heading] | None:
    element: Any = None if isinstance(block, str) else as_element(block)
    is_heading = element is not None and type(element.component) is elements.Heading
    return element if is_heading else None


def _title(heading: Element[elements.Heading]) -> str | None:
    """Return the text of a heading, if a section with it for a title writes the same."""
    if heading.key is not None or len(heading.children) != 1:
        return None
    (text,) = heading.children
    return text if isinstance(text, str) and one_line(text).strip() == text else None


def _levels(nodes: Sequence[Node]) -> int:
    """How many levels of nodes there are."""
    count = 0
    while nodes:
        count += 1
        nodes = [child for node in nodes if type(node) is Element for child in node.children]
    return count


def _with_children(component: Component, node: Any, transform: Transform) -> Element:
    return Element.of(component, transform.each(node.children))


def root(node: mdast.Root, transform: Transform) -> Element:
    blocks = _with_children(Fragment(), node, transform).children
    return Element.of(Fragment(), in_sections(blocks, transform.context.depth))


def text(node: mdast.Text, transform: Transform) -> str:
    return unhidden(node.value)


def heading(node: mdast.Heading, transform: Transform) -> Element:
    return _with_children(elements.Heading(depth=node.depth), node, transform)


def paragraph(node: mdast.Paragraph, transform: Transform) -> Element:
    return _with_children(elements.Paragraph(), node, transform)


def blockquote(node: mdast.Blockquote, transform: Transform) -> Element:
    kind = (node.data or {}).get(ALERT)
    match node.children:
        case (mdast.Paragraph(children=(mdast.Text(value), *line)), *blocks) if kind is not None:
            mark = ALERT_LINE.match(value)
            if mark is not None and mark["kind"] == kind:
                titled = mark["end"] == " "
                fold = cast('Literal["+", "-"] | None', mark["fold"] or None)
                made = elements.BlockQuote(alert=kind, fold=fold, titled=titled)
                text = value[mark.end() :]
                rest = [*([mdast.Text(text)] if text else []), *line]
                kept = [*([mdast.Paragraph(tuple(rest))] if rest else []), *blocks]
                return Element.of(made, transform.each(kept))
        case _:
            pass
    return _with_children(elements.BlockQuote(), node, transform)


def list_(node: mdast.List, transform: Transform) -> Element:
    start = 1 if node.start is None else node.start
    made = elements.List(ordered=node.ordered, start=start, spread=node.spread)
    return _with_children(made, node, transform)


def list_item(node: mdast.ListItem, transform: Transform) -> Element:
    return _with_children(elements.Item(checked=node.checked, spread=node.spread), node, transform)


def code(node: mdast.Code, transform: Transform) -> Node:
    return elements.CodeBlock(
        value=unhidden(node.value), lang=_meant(node.lang), meta=_meant(node.meta)
    )


def table(node: mdast.Table, transform: Transform) -> Element:
    return _with_children(elements.Table(align=node.align), node, transform)


def table_row(node: mdast.TableRow, transform: Transform) -> Element:
    return _with_children(elements.TableRow(), node, transform)


def table_cell(node: mdast.TableCell, transform: Transform) -> Element:
    return _with_children(elements.TableCell(), node, transform)


def thematic_break(node: mdast.ThematicBreak, transform: Transform) -> Node:
    return elements.ThematicBreak()


def html(node: mdast.Html, transform: Transform) -> Node:
    return elements.Html(value=node.value)


def definition(node: mdast.Definition, transform: Transform) -> Node:
    return elements.Definition(**_names(node), **_place(node))


def footnote_definition(node: mdast.FootnoteDefinition, transform: Transform) -> Element:
    made = elements.FootnoteDefinition(**_names(node))
    return _with_children(made, node, transform)


def yaml(node: mdast.Yaml, transform: Transform) -> Node:
    return elements.FrontMatter(value=node.value)


def strong(node: mdast.Strong, transform: Transform) -> Element:
    return _with_children(elements.Strong(), node, transform)


def emphasis(node: mdast.Emphasis, transform: Transform) -> Element:
    return _with_children(elements.Emphasis(), node, transform)


def delete(node: mdast.Delete, transform: Transform) -> Element:
    return _with_children(elements.Strikethrough(), node, transform)


def inline_code(node: mdast.InlineCode, transform: Transform) -> Node:
    return elements.InlineCode(value=unhidden(node.value))


def break_(node: mdast.Break, transform: Transform) -> Node:
    return elements.LineBreak()


def link(node: mdast.Link, transform: Transform) -> Element:
    return _with_children(elements.Link(**_place(node)), node, transform)


def image(node: mdast.Image, transform: Transform) -> Node:
    return elements.Image(alt=unhidden(node.alt or ""), **_place(node))


def link_reference(node: mdast.LinkReference, transform: Transform) -> Element:
    made = elements.LinkReference(reference_type=node.reference_type, **_names(node))
    return _with_children(made, node, transform)


def image_reference(node: mdast.ImageReference, transform: Transform) -> Node:
    return elements.ImageReference(
        reference_type=node.reference_type, alt=unhidden(node.alt or ""), **_names(node)
    )


def footnote_reference(node: mdast.FootnoteReference, transform: Transform) -> Node:
    return elements.FootnoteReference(**_names(node))


def _place(node: mdast.Link | mdast.Image | mdast.Definition) -> dict[str, Any]:
    return {"url": unhidden(node.url), "title": _meant(node.title)}


def _names(node: Any) -> dict[str, Any]:
    return {"identifier": unhidden(node.identifier), "label": _meant(node.label)}


def _meant(text: str | None) -> str | None:
    return None if text is None else unhidden(text)


FROM_MDAST: dict[type, Rule] = {
    mdast.Root: root,
    mdast.Text: text,
    mdast.Heading: heading,
    mdast.Paragraph: paragraph,
    mdast.Blockquote: blockquote,
    mdast.List: list_,
    mdast.ListItem: list_item,
    mdast.Code: code,
    mdast.Table: table,
    mdast.TableRow: table_row,
    mdast.TableCell: table_cell,
    mdast.ThematicBreak: thematic_break,
    mdast.Html: html,
    mdast.Definition: definition,
    mdast.FootnoteDefinition: footnote_definition,
    mdast.Yaml: yaml,
    mdast.Strong: strong,
    mdast.Emphasis: emphasis,
    mdast.Delete: delete,
    mdast.InlineCode: inline_code,
    mdast.Break: break_,
    mdast.Link: link,
    mdast.Image: image,
    mdast.LinkReference: link_reference,
    mdast.ImageReference: image_reference,
    mdast.FootnoteReference: footnote_reference,
}
"""The rule of each mdast node."""

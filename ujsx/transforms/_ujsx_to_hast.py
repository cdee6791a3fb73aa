"""``ujsx -> hast``: what each primitive means in HTML.

What has children has a rule here, so that every node inside is looked up again and a component's
own rule is found wherever it stands. What has none is what its Markdown is in HTML: nothing is
said twice. That goes for a component of a user's own that has a rule for Markdown alone, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ujsx import elements, hast, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._element import Children, Element, Node, as_rendered, no_member
from ujsx.mdast._content_model import Content
from ujsx.text import without_blank_lines
from ujsx.transforms import _hast_parts as parts
from ujsx.transforms._content import (
    component_of,
    is_element,
    laid_out,
    set_apart,
    stands_in_line,
    trimmed,
)
from ujsx.transforms._hast_parts import References, flow, phrasing, to_blocks
from ujsx.transforms._mdast_to_hast import document, note_definitions
from ujsx.transforms._to_mdast import names, place, section_heading
from ujsx.transforms._transform import Rule, Transform
from ujsx.trees import ALONE


def page(node: Node, transform: Transform) -> hast.Root:
    """Return a resolved tree as a document, its references and footnotes in place."""
    references = References()
    context = transform.context.with_value(references)
    inner = Transform(transform.registry, transform.direction, context)
    _note_definitions(node, references, inner)
    blocks = to_blocks(inner.run((node,), first=ALONE), trusts_text=context.trusts_text)
    return document(blocks, references, inner)


def _note_definitions(root: Node, references: References, transform: Transform) -> None:
    markdown = Transform(transform.registry, "mdast -> hast", transform.context)
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            continue
        element = as_element(node)
        component = element.component
        if isinstance(component, elements.Definition):
            identifier, label = names(component, transform)
            url, title = place(component, transform)
            references.define(identifier, mdast.Definition(identifier, url, label, title))
        elif isinstance(component, elements.FootnoteDefinition):
            content = partial(flow, element.children, transform)
            references.define_footnote(names(component, transform)[0], content)
        elif isinstance(component, elements.TrustedMarkdown):
            note_definitions(mdast.from_markdown(component.source), references, markdown)
        stack.extend(reversed(element.children))


def through_markdown(element: Element, transform: Transform) -> list[Any]:
    """Return the HTML of what a component is in Markdown."""
    rule = transform.registry.find("ujsx -> mdast", type(element.component))
    in_markdown = Transform(transform.registry, "ujsx -> mdast", transform.context)
    if stands_in_line(transform):
        in_markdown.parent = transform.parent
    made: Any = rule(element, in_markdown)
    to_hast = Transform(transform.registry, "mdast -> hast", transform.context)
    return to_hast.all(made if made.__class__ is list else [made])


def text(node: str, transform: Transform) -> hast.Text:
    return hast.Text(without_blank_lines(transform.seen(node)))


def fragment(element: Element[Fragment], transform: Transform) -> list[Any]:
    return transform.opened().all(element.children)


def section(element: Element[elements.Section], transform: Transform) -> list[Any]:
    heading = section_heading(element.component, transform.context)
    to_hast = Transform(transform.registry, "mdast -> hast", transform.context)
    return [to_hast(heading), *flow(element.children, transform.deeper())]


def footnote_definition(element: Element, transform: Transform) -> list[Any]:
    return []


def link(element: Element[elements.Link], transform: Transform) -> Any:
    url, title = place(element.component, transform)
    children = tuple(phrasing(element.children, transform))
    return parts.link(mdast.Link(url, title), children, transform)


def link_reference(element: Element[elements.LinkReference], transform: Transform) -> Any:
    identifier, label = names(element.component, transform)
    children = tuple(phrasing(element.children, transform))
    return parts.link_reference(mdast.LinkReference(identifier, label), children, transform)


def list_(element: Element[elements.List], transform: Transform) -> hast.Element:
    component = element.component
    loose = component.spread
    items: list[Any] = []
    members = tuple(_members(element.children))
    for child, made in zip(members, transform.each(members), strict=True):
        kind = as_element(child).component if not isinstance(child, str) else None
        if isinstance(kind, elements.Omitted):
            blocks = to_blocks(made, trusts_text=transform.context.trusts_text)
            items.append(hast.Element("li", {}, laid_out(blocks)))
        else:
            items.append(_expect(made, ("li",), "list", child))
        loose = loose or (isinstance(kind, elements.Item) and kind.spread)
    return parts.list_(component, tuple(items), loose=loose)


def table(element: Element[elements.Table], transform: Transform) -> hast.Element:
    rows = _all_of(element, ("tr",), "table", transform)
    return parts.table(element.component, rows, transform)


def table_row(element: Element[elements.TableRow], transform: Transform) -> hast.Element:
    cells = _all_of(element, ("td", "th"), "row", transform)
    return parts.table_row(element.component, cells, transform)


def _members(children: Children) -> Iterator[Node]:
    """Yield children, and instead of a fragment that has a key, its own."""
    waiting = [*reversed(children)]
    while waiting:
        child = waiting.pop()
        if type(child) is Element and child.component.is_fragment:
            waiting.extend(reversed(child.children))
        else:
            yield child


def _all_of(
    element: Element, tag_names: tuple[str, ...], content: Content, transform: Transform
) -> tuple[Any, ...]:
    members = tuple(_members(element.children))
    made = zip(members, transform.each(members), strict=True)
    return tuple([_expect(node, tag_names, content, child) for child, node in made])


def _expect(node: Any, tag_names: tuple[str, ...], content: Content, child: Node) -> Any:
    if not (is_element(node) and node.tag_name in tag_names):
        wrong = component_of(child)
        raise as_rendered(no_member(content, wrong), wrong)
    return node


def _of_blocks(part: parts.Part) -> Rule:
    def rule(element: Element, transform: Transform) -> Any:
        return part(element.component, tuple(flow(element.children, transform)), transform)

    return rule


def _of_a_block(part: parts.Part) -> Rule:
    def rule(element: Element, transform: Transform) -> Any:
        line = trimmed(phrasing(element.children, transform), hast.Text)
        return part(element.component, line, transform)

    return rule


def _of_a_mark(part: parts.Part) -> Rule:
    def rule(element: Element, transform: Transform) -> Any:
        def mark(line: Any) -> Any:
            return part(element.component, line, transform)

        return set_apart(phrasing(element.children, transform), mark, hast.Text)

    return rule


UJSX_TO_HAST: dict[type, Rule] = {
    Component: through_markdown,
    str: text,
    Fragment: fragment,
    elements.Section: section,
    elements.FootnoteDefinition: footnote_definition,
    elements.List: list_,
    elements.Table: table,
    elements.TableRow: table_row,
    elements.Item: _of_blocks(parts.item),
    elements.BlockQuote: _of_blocks(parts.blockquote),
    elements.Heading: _of_a_block(parts.heading),
    elements.Paragraph: _of_a_block(parts.part("p")),
    elements.TableCell: _of_a_block(parts.part("td")),
    elements.Strong: _of_a_mark(parts.part("strong")),
    elements.Emphasis: _of_a_mark(parts.part("em")),
    elements.Strikethrough: _of_a_mark(parts.part("del")),
    elements.Link: link,
    elements.LinkReference: link_reference,
}
"""The rule of text, of each primitive that has children, and of all that have none."""

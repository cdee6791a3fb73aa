"""``ujsx -> mdast`` and ``mdast -> ujsx``: primitives as Markdown, and Markdown as a tree of primitives.

A rule returns a node, or a list of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import msgspec

from ujsx import elements, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Children, Element, Node, as_rendered, no_member
from ujsx.elements import ForEach
from ujsx.mdast._nodes import ALERT, ALERT_LINE, Content
from ujsx.text import (
    begun,
    ended,
    escaped,
    labelled,
    one_line,
    placed,
    unhidden,
    without_blank_lines,
)
from ujsx.transforms._content import (
    SharedLine,
    first_misplaced,
    flow,
    phrasing,
    set_apart,
    stands_in_line,
    trimmed,
)
from ujsx.transforms._registry import Rule, Transform, joined

MAX_HEADING_DEPTH = 6

TEXTS: dict[str, str] = {
    "omitted": "… {count} more",
    "omitted.handle": ": ",
    "brief.separator": " · ",
}
"""The primitives' fixed texts; ``RenderContext.texts`` replaces them by name."""

_CONTAINERS: frozenset[type] = frozenset(
    {mdast.Blockquote, mdast.List, mdast.ListItem, mdast.FootnoteDefinition}
)
"""Nodes that may contain a heading."""


# --- Text and parts ------------------------------------------------------------------------


def seen_if_any(text: str | None, transform: Transform) -> str | None:
    """Return a text in its written form, if there is one."""
    return text if text is None else transform.seen(text)


def text(node: str, transform: Transform) -> mdast.Text:
    seen = transform.seen(node)
    return mdast.Text(without_blank_lines(seen) if "\n" in seen else seen)


def fragment(element: Element[Fragment], transform: Transform) -> list[Any]:
    return transform.opened().all(element.children)


def section(element: Element[elements.Section], transform: Transform) -> list[Any]:
    heading = section_heading(element.component, transform.context)
    return [heading, *flow(element.children, transform.deeper())]


def section_heading(section: elements.Section, context: RenderContext) -> mdast.Heading:
    """Return the heading of a section in that context."""
    title = one_line(section.title).strip()
    title = title if context.trusts_text else escaped(title)
    level: Any = min(context.depth + 1, MAX_HEADING_DEPTH)
    return mdast.Heading(level, (mdast.Text(title),) if title else ())


def trusted_markdown(element: Element[elements.TrustedMarkdown], transform: Transform) -> list[Any]:
    tree = mdast.from_markdown(element.component.source)
    if stands_in_line(transform) and len(tree.children) == 1:
        (only,) = tree.children
        if type(only) is mdast.Paragraph:
            return [*only.children]
    depth = transform.context.depth
    return [_lowered(node, depth) for node in tree.children]


def _lowered(node: Any, by: int) -> Any:
    """Return trusted content with its headings, also in quotes and items, below those of the enclosing sections."""
    if type(node) is mdast.Heading:
        level: Any = min(node.depth + by, MAX_HEADING_DEPTH)
        return mdast.Heading(level, node.children)
    if by and type(node) in _CONTAINERS:
        lowered = tuple(_lowered(child, by) for child in node.children)
        return msgspec.structs.replace(node, children=lowered)
    return node


def omitted(
    element: Element[elements.Omitted], transform: Transform
) -> mdast.Emphasis | mdast.ListItem:
    mark = _mark_of(element.component, transform)
    if issubclass(transform.parent or object, elements.List):
        return mdast.ListItem(children=(mdast.Paragraph((mark,)),))
    return mark


def unwritten(element: Element[elements.Shortened], transform: Transform) -> list[Any]:
    return []


def _mark_of(component: elements.Omitted, transform: Transform) -> mdast.Emphasis:
    texts = transform.context.texts
    mark = component.text
    if mark is None:
        mark = texts.get("omitted", TEXTS["omitted"]).format(count=component.count)
    if not component.handle or component.brief:
        return mdast.Emphasis((text(one_line(mark), transform),))
    joint = texts.get("omitted.handle", TEXTS["omitted.handle"])
    call = mdast.InlineCode(transform.seen(component.handle))
    return mdast.Emphasis((text(one_line(mark) + joint, transform), call))


# --- Blocks --------------------------------------------------------------------------------


def heading(element: Element[elements.Heading], transform: Transform) -> mdast.Heading:
    depth: Any = element.component.depth
    return mdast.Heading(depth, trimmed(phrasing(element.children, transform)))


def paragraph(element: Element[elements.Paragraph], transform: Transform) -> mdast.Paragraph:
    return mdast.Paragraph(trimmed(phrasing(element.children, transform)))


def brief(element: Element[elements.Brief], transform: Transform) -> SharedLine:
    separator = transform.context.texts.get("brief.separator", TEXTS["brief.separator"])
    return SharedLine(trimmed(phrasing(element.children, transform)), separator)


def block_quote(element: Element[elements.BlockQuote], transform: Transform) -> mdast.Blockquote:
    blocks = flow(element.children, transform)
    quote = element.component
    return mdast.Blockquote(blocks) if quote.alert is None else _alert(quote, blocks)


def _alert(quote: elements.BlockQuote, blocks: tuple[Any, ...]) -> mdast.Blockquote:
    """Return a quote whose first line names the kind of alert, with a title if there is one."""
    mark = f"[!{quote.alert}]{quote.fold or ''}"
    first = blocks[0] if blocks else None
    if type(first) is not mdast.Paragraph:
        blocks = (mdast.Paragraph((mdast.Text(mark),)), *blocks)
    else:
        mark += " " if quote.titled else "\n"
        line = first.children
        if line and type(line[0]) is mdast.Text:
            line = (mdast.Text(mark + line[0].value), *line[1:])
        else:
            line = (mdast.Text(mark), *line)
        blocks = (mdast.Paragraph(line), *blocks[1:])
    return mdast.Blockquote(blocks, data={ALERT: quote.alert})


def list_(element: Element[elements.List], transform: Transform) -> mdast.List:
    component = element.component
    made = _members(element, transform, mdast.ListItem, "list")
    start = component.start if component.ordered else None
    return mdast.List(component.ordered, start, component.spread, tuple(made))


def rows(element: Element[ForEach], transform: Transform) -> list[Any]:
    rows = element.component
    return joined(transform.opened().each(rows.rows, of=rows.made_of))


def item(element: Element[elements.Item], transform: Transform) -> mdast.ListItem:
    component, blocks = element.component, flow(element.children, transform)
    return mdast.ListItem(component.checked, component.spread, blocks)


def code_block(element: Element[elements.CodeBlock], transform: Transform) -> mdast.Code:
    component = element.component
    lang, meta = (seen_if_any(each, transform) for each in (component.lang, component.meta))
    return mdast.Code(transform.seen(component.value), lang, meta)


def table(element: Element[elements.Table], transform: Transform) -> mdast.Table:
    rows = _members(element, transform, mdast.TableRow, "table")
    return mdast.Table(element.component.align, tuple(rows))


def table_row(element: Element[elements.TableRow], transform: Transform) -> mdast.TableRow:
    cells = _members(element, transform, mdast.TableCell, "row")
    return mdast.TableRow(tuple(cells))


def table_cell(element: Element[elements.TableCell], transform: Transform) -> mdast.TableCell:
    return mdast.TableCell(trimmed(phrasing(element.children, transform)))


def thematic_break(
    node: Element[elements.ThematicBreak], transform: Transform
) -> mdast.ThematicBreak:
    return mdast.ThematicBreak()


def html(element: Element[elements.Html], transform: Transform) -> mdast.Html:
    return mdast.Html(element.component.value)


def definition(element: Element[elements.Definition], transform: Transform) -> mdast.Definition:
    url, title = place(element.component, transform)
    identifier, label = names(element.component, transform)
    return mdast.Definition(identifier, url, label, title)


def footnote_definition(
    element: Element[elements.FootnoteDefinition], transform: Transform
) -> mdast.FootnoteDefinition:
    identifier, label = names(element.component, transform)
    return mdast.FootnoteDefinition(identifier, label, flow(element.children, transform))


def front_matter(element: Element[elements.FrontMatter], transform: Transform) -> mdast.Yaml:
    return mdast.Yaml(element.component.value)


def _members(element: Element, transform: Transform, kind: type, content: Content) -> list[Any]:
    """Return the results of the children, which must all have one class."""
    made = transform.all(element.children)
    if set(map(type, made)) - {kind}:
        wrong = first_misplaced(element.children, transform, lambda node: type(node) is kind)
        raise as_rendered(no_member(content, wrong), wrong)
    return made


# --- Lines ---------------------------------------------------------------------------------


def _mark(kind: type[Any]) -> Rule:
    def rule(element: Element, transform: Transform) -> Any:
        return set_apart(phrasing(element.children, transform), kind)

    return rule


strong = _mark(mdast.Strong)
emphasis = _mark(mdast.Emphasis)
strikethrough = _mark(mdast.Delete)


def inline_code(element: Element[elements.InlineCode], transform: Transform) -> mdast.InlineCode:
    return mdast.InlineCode(transform.seen(element.component.value))


def line_break(element: Element[elements.LineBreak], transform: Transform) -> mdast.Break:
    return mdast.Break()


def link(element: Element[elements.Link], transform: Transform) -> mdast.Link:
    url, title = place(element.component, transform)
    return mdast.Link(url, title, _in_brackets(element.children, transform))


def image(element: Element[elements.Image], transform: Transform) -> mdast.Image:
    url, title = place(element.component, transform)
    return mdast.Image(url, title, _alt(element.component.alt, transform))


def link_reference(
    element: Element[elements.LinkReference], transform: Transform
) -> mdast.LinkReference:
    identifier, label = names(element.component, transform)
    children = _in_brackets(element.children, transform)
    return mdast.LinkReference(identifier, label, element.component.reference_type, children)


def image_reference(
    element: Element[elements.ImageReference], transform: Transform
) -> mdast.ImageReference:
    component = element.component
    identifier, label = names(component, transform)
    alt = _alt(component.alt, transform)
    return mdast.ImageReference(identifier, label, component.reference_type, alt)


def footnote_reference(
    element: Element[elements.FootnoteReference], transform: Transform
) -> mdast.FootnoteReference:
    return mdast.FootnoteReference(*names(element.component, transform))


def place(
    target: elements.Link | elements.Image | elements.Definition, transform: Transform
) -> tuple[str, str | None]:
    """Return the URL and the title of a link or an image, in written form."""
    url = target.url if transform.context.trusts_text else placed(target.url)
    return url, seen_if_any(target.title, transform)


def _alt(alt: str, transform: Transform) -> str:
    return alt if transform.context.trusts_text else labelled(escaped(alt))


def names(
    reference: elements.Definition
    | elements.LinkReference
    | elements.ImageReference
    | elements.FootnoteDefinition
    | elements.FootnoteReference,
    transform: Transform,
) -> tuple[str, str | None]:
    """Return the identifier and the label of a reference, in written form."""
    identifier, label = reference.identifier, reference.label
    if transform.context.trusts_text:
        return identifier, label
    shown = labelled(escaped(identifier))
    if shown != identifier:
        identifier = shown.lower()
    return identifier, label if label is None else labelled(escaped(label))


def _in_brackets(children: Children, transform: Transform) -> tuple[Any, ...]:
    """Return the text of a link, which forms no special token with its brackets either."""
    line = phrasing(children, transform)
    if not line or transform.context.trusts_text:
        return tuple(line)
    if len(line) == 1:
        only = line[0]
        return (mdast.Text(labelled(only.value)) if type(only) is mdast.Text else only,)
    first, *between, last = line
    if type(first) is mdast.Text:
        first = mdast.Text(begun("[", first.value))
    if type(last) is mdast.Text:
        last = mdast.Text(ended(last.value, "]"))
    return first, *between, last


TO_MDAST: dict[type, Rule] = {
    str: text,
    Fragment: fragment,
    elements.Section: section,
    elements.TrustedMarkdown: trusted_markdown,
    elements.Omitted: omitted,
    elements.Brief: brief,
    elements.Shortened: unwritten,
    elements.Heading: heading,
    elements.Paragraph: paragraph,
    elements.BlockQuote: block_quote,
    elements.List: list_,
    ForEach: rows,
    elements.Item: item,
    elements.CodeBlock: code_block,
    elements.Table: table,
    elements.TableRow: table_row,
    elements.TableCell: table_cell,
    elements.ThematicBreak: thematic_break,
    elements.Html: html,
    elements.Definition: definition,
    elements.FootnoteDefinition: footnote_definition,
    elements.FrontMatter: front_matter,
    elements.Strong: strong,
    elements.Emphasis: emphasis,
    elements.Strikethrough: strikethrough,
    elements.InlineCode: inline_code,
    elements.LineBreak: line_break,
    elements.Link: link,
    elements.Image: image,
    elements.LinkReference: link_reference,
    elements.ImageReference: image_reference,
    elements.FootnoteReference: footnote_reference,
}
"""The rule of each primitive, and of text."""


# ``mdast -> ujsx``: existing Markdown as a tree of primitives.

# Headings and their content, as sections.
#
# A section writes a heading of plain text, one level deeper than the sections around it. Such a heading opens a section
# with the blocks up to the next heading that is not deeper. Any other stays a ``Heading``: one that skips a depth, has
# more than plain text, several lines, or none. All of them are placed outside of the sections that they end.


def in_sections(blocks: Children, depth: int = 0) -> Sequence[Node]:
    """Return blocks in the sections that the headings among them open.

    :param depth: the number of sections around all of them.

    >>> from ujsx.elements import Heading, Paragraph
    >>> a, skipped, b = (Heading(depth=depth)["x"] for depth in (1, 3, 2))
    >>> in_sections((a, skipped, b, Paragraph()["y"]))
    [Section(title='x')[Heading(depth=3)['x'], Section(title='x')[Paragraph()['y']]]]
    """
    if _levels(blocks) > MAX_DEPTH - MAX_HEADING_DEPTH:
        return blocks  # content at the maximum depth has no room for sections around it
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
    """Close the innermost sections until only ``left`` are open."""
    while len(titles) > left:
        children = held.pop()
        held[-1].append(Element.of(elements.Section(title=titles.pop()), children))


def _heading(block: Node) -> Element[elements.Heading] | None:
    element: Any = None if isinstance(block, str) else as_element(block)
    is_heading = element is not None and type(element.component) is elements.Heading
    return element if is_heading else None


def _title(heading: Element[elements.Heading]) -> str | None:
    """Return the text of a heading, if a section with that title is written the same."""
    if heading.key is not None or len(heading.children) != 1:
        return None
    (text,) = heading.children
    return text if isinstance(text, str) and one_line(text).strip() == text else None


def _levels(nodes: Sequence[Node]) -> int:
    """Return the number of levels of nodes."""
    count = 0
    while nodes:
        count += 1
        nodes = [child for node in nodes if type(node) is Element for child in node.children]
    return count


def _with_children(component: Component, node: Any, transform: Transform) -> Element:
    return Element.of(component, transform.each(node.children))


def read_root(node: mdast.Root, transform: Transform) -> Element:
    blocks = _with_children(Fragment(), node, transform).children
    return Element.of(Fragment(), in_sections(blocks, transform.context.depth))


def read_text(node: mdast.Text, transform: Transform) -> str:
    return unhidden(node.value)


def read_heading(node: mdast.Heading, transform: Transform) -> Element:
    return _with_children(elements.Heading(depth=node.depth), node, transform)


def read_blockquote(node: mdast.Blockquote, transform: Transform) -> Element:
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


def _place(node: mdast.Link | mdast.Image | mdast.Definition) -> dict[str, Any]:
    return {"url": unhidden(node.url), "title": _meant(node.title)}


def _names(node: Any) -> dict[str, Any]:
    return {"identifier": unhidden(node.identifier), "label": _meant(node.label)}


def _meant(text: str | None) -> str | None:
    return None if text is None else unhidden(text)


_READ_AS: dict[type[mdast.Node], Callable[[Any], Component]] = {
    mdast.Paragraph: lambda _: elements.Paragraph(),
    mdast.List: lambda node: elements.List(
        ordered=node.ordered, start=1 if node.start is None else node.start, spread=node.spread
    ),
    mdast.ListItem: lambda node: elements.Item(checked=node.checked, spread=node.spread),
    mdast.Code: lambda node: elements.CodeBlock(
        value=unhidden(node.value), lang=_meant(node.lang), meta=_meant(node.meta)
    ),
    mdast.Table: lambda node: elements.Table(align=node.align),
    mdast.TableRow: lambda _: elements.TableRow(),
    mdast.TableCell: lambda _: elements.TableCell(),
    mdast.ThematicBreak: lambda _: elements.ThematicBreak(),
    mdast.Html: lambda node: elements.Html(value=node.value),
    mdast.Definition: lambda node: elements.Definition(**_names(node), **_place(node)),
    mdast.FootnoteDefinition: lambda node: elements.FootnoteDefinition(**_names(node)),
    mdast.Yaml: lambda node: elements.FrontMatter(value=node.value),
    mdast.Strong: lambda _: elements.Strong(),
    mdast.Emphasis: lambda _: elements.Emphasis(),
    mdast.Delete: lambda _: elements.Strikethrough(),
    mdast.InlineCode: lambda node: elements.InlineCode(value=unhidden(node.value)),
    mdast.Break: lambda _: elements.LineBreak(),
    mdast.Link: lambda node: elements.Link(**_place(node)),
    mdast.Image: lambda node: elements.Image(alt=unhidden(node.alt or ""), **_place(node)),
    mdast.LinkReference: lambda node: elements.LinkReference(
        reference_type=node.reference_type, **_names(node)
    ),
    mdast.ImageReference: lambda node: elements.ImageReference(
        reference_type=node.reference_type, alt=unhidden(node.alt or ""), **_names(node)
    ),
    mdast.FootnoteReference: lambda node: elements.FootnoteReference(**_names(node)),
}
"""The primitive of each other node, with the same content."""


def _read_as(kind: type[mdast.Node], make: Callable[[Any], Component]) -> Rule:
    if not issubclass(kind, mdast.Parent):
        return lambda node, _: make(node)
    return lambda node, transform: _with_children(make(node), node, transform)


FROM_MDAST: dict[type, Rule] = {
    mdast.Root: read_root,
    mdast.Text: read_text,
    mdast.Heading: read_heading,
    mdast.Blockquote: read_blockquote,
    **{kind: _read_as(kind, make) for kind, make in _READ_AS.items()},
}
"""The rule of each mdast node."""

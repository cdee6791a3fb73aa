"""``mdast -> hast``, ``ujsx -> hast`` and ``hast -> ujsx``: Markdown and primitives as HTML, and HTML as primitives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from ujsx import elements, hast, mdast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._element import Children, Element, Node, as_rendered, no_member
from ujsx.errors import MissingRuleError
from ujsx.mdast._nodes import Content
from ujsx.text import unhidden, without_blank_lines
from ujsx.transforms import _hast_parts as parts
from ujsx.transforms._content import (
    component_of,
    is_element,
    set_apart,
    stands_in_line,
    trimmed,
)
from ujsx.transforms._hast_parts import (
    WHITE_SPACE,
    References,
    flow,
    is_phrasing_tag,
    laid_out,
    phrasing,
    to_blocks,
)
from ujsx.transforms._mdast import fragment, names, place, section_heading
from ujsx.transforms._registry import Rule, Transform, without_rule
from ujsx.trees import ALONE

# ``mdast -> hast``:
#
# Markdown as HTML, as mdast-util-to-hast and cmark-gfm make it. References get their definition's URL, footnotes a
# section at the end, and URLs are percent-encoded. ``to_html`` decides about raw HTML and unsafe URLs.


def _rule(part: parts.Part) -> Rule:
    def rule(node: Any, transform: Transform) -> Any:
        return part(node, tuple(transform.all(getattr(node, "children", ()))), transform)

    return rule


def markdown_root(node: mdast.Root, transform: Transform) -> hast.Root:
    references = References()
    context = transform.context.with_value(references)
    inner = Transform(transform.registry, transform.direction, context)
    note_definitions(node, references, inner)
    return document(inner.all(node.children), references, inner)


def document(blocks: list[Any], references: References, transform: Transform) -> hast.Root:
    """Return blocks, with the footnotes that they cite, as a document."""
    footnotes = references.footnotes(transform.context)
    return hast.Root(laid_out([*blocks, *([footnotes] if footnotes else ())], around=False))


def note_definitions(root: mdast.Node, references: References, transform: Transform) -> None:
    """Collect the definitions for a tree's references."""
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


def markdown_text(node: mdast.Text, transform: Transform) -> hast.Text:
    return hast.Text(node.value)


def markdown_list(node: mdast.List, transform: Transform) -> hast.Element:
    loose = node.spread or any(item.spread for item in node.children)
    return parts.list_(node, tuple(transform.all(node.children)), loose=loose)


def skip(node: Any, transform: Transform) -> list[Any]:
    """Skip nodes that are read elsewhere, or not shown at all."""
    return []


def extended(node: mdast.Node, transform: Transform) -> Any:
    """Transform a node of an extension, whose module is imported on first use.

    :raises MissingRuleError: for a node of a third-party extension.
    """
    known = parts.parts_of_extensions()
    for kind in type(node).__mro__:
        if kind in known:
            return _rule(known[kind])(node, transform)
    raise MissingRuleError(without_rule(type(node), transform.direction, MDAST_TO_HAST))


MDAST_TO_HAST: dict[type, Rule] = {
    mdast.Node: extended,
    mdast.Root: markdown_root,
    mdast.Text: markdown_text,
    mdast.List: markdown_list,
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


# ``ujsx -> hast``: what each primitive means in HTML.
#
# Primitives with children have a rule here, so that every node inside is looked up again and a component's own rule is
# found in any place. Those without children, and users' components with a rule for Markdown alone, are converted by way
# of Markdown: nothing is defined twice.


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
    """Return a component as HTML by way of Markdown."""
    rule = transform.registry.find("ujsx -> mdast", type(element.component))
    in_markdown = Transform(transform.registry, "ujsx -> mdast", transform.context)
    if stands_in_line(transform):
        in_markdown.parent = transform.parent
    made: Any = rule(element, in_markdown)
    to_hast = Transform(transform.registry, "mdast -> hast", transform.context)
    return to_hast.all(made if made.__class__ is list else [made])


def text(node: str, transform: Transform) -> hast.Text:
    return hast.Text(without_blank_lines(transform.seen(node)))


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
    """Yield children, with the children of a fragment that has a key."""
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


# ``hast -> ujsx``: HTML as a tree of primitives.

# Lines from HTML: their ends, and their white space.

_INLINE: Final = (
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.InlineCode,
    elements.Link,
    elements.Image,
    elements.LineBreak,
)


def paragraphs(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as blocks: each run of inline ones with content becomes a paragraph."""
    blocks: list[Node] = []
    run: list[Node] = []
    for node in nodes:
        if _is_inline(node) or (isinstance(node, elements.Html) and _says_something(run)):
            run.append(node)
        else:
            _end_paragraph(run, blocks)
            blocks.append(node)
    _end_paragraph(run, blocks)
    return blocks


def paragraph(nodes: list[Node]) -> list[Node]:
    """Return the content of a ``p``: one paragraph, or several if it contains blocks."""
    if not all(_is_inline(node) or isinstance(node, elements.Html) for node in nodes):
        return paragraphs(nodes)
    content = line(nodes)
    return [Element.of(elements.Paragraph(), content)] if content else []


def _end_paragraph(run: list[Node], blocks: list[Node]) -> None:
    content = line(run)
    if content:
        blocks.append(Element.of(elements.Paragraph(), content))
    run.clear()


def _says_something(run: list[Node]) -> bool:
    return any(node != " " for node in run)


def line(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as a separate line, without spaces at its ends and around line breaks."""
    made = joined(nodes)
    ends = (None, *made, None)
    trimmed = (
        _trimmed(node, before, after)
        for before, node, after in zip(ends, made, ends[2:], strict=False)
    )
    return [node for node in trimmed if node != ""]


def _trimmed(node: Node, before: Node | None, after: Node | None) -> Node:
    if not isinstance(node, str):
        return node
    if before is None or isinstance(before, elements.LineBreak):
        node = node.removeprefix(" ")
    return (
        node.removesuffix(" ") if after is None or isinstance(after, elements.LineBreak) else node
    )


def joined(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as inline content: adjacent texts are merged, blocks are replaced by their content."""
    made: list[Node] = []
    for node in _opened(nodes):
        last = made[-1] if made else None
        if isinstance(node, str) and isinstance(last, str):
            made[-1] = last + (node.removeprefix(" ") if last.endswith(" ") else node)
        elif node != "":
            made.append(node)
    return made


def _opened(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if _is_inline(node) or isinstance(node, elements.Html):
            yield node
        elif isinstance(node, elements.CodeBlock):
            yield elements.InlineCode(value=node.value.replace("\n", " "))
        else:
            yield " "
            yield from _opened(() if isinstance(node, str) else as_element(node).children)
            yield " "


def _is_inline(node: Node) -> bool:
    if isinstance(node, str):
        return True
    return isinstance(node.component if isinstance(node, Element) else node, _INLINE)


NOT_SHOWN: Final = frozenset({"head", "input", "noscript", "script", "style", "template", "title"})
"""Elements that are dropped with their content. A task's checkbox is read by its item."""

_WHITE_SPACE = re.compile(f"[{WHITE_SPACE}]+")
_MAX_START: Final = 999_999_999


def read_root(node: hast.Root, transform: Transform) -> Element:
    return Element.of(Fragment(), _blocks(node, transform))


def read_text(node: hast.Text, transform: Transform) -> str:
    return unhidden(_WHITE_SPACE.sub(" ", node.value))


def read_raw(node: hast.Raw, transform: Transform) -> Node:
    return elements.Html(value=node.value)


def read_nothing(node: Any, transform: Transform) -> list[Node]:
    return []


def read_element(node: hast.Element, transform: Transform) -> Any:
    name = node.tag_name.lower()
    if name in NOT_SHOWN:
        return []
    read = BY_TAG.get(name)
    if read is not None:
        return read(node, transform)
    children = transform.all(node.children)
    return children if is_phrasing_tag(name) else paragraphs(children)


def _blocks(node: Any, transform: Transform) -> list[Node]:
    return paragraphs(transform.all(node.children))


# --- Blocks --------------------------------------------------------------------------------


def _paragraph(node: hast.Element, transform: Transform) -> list[Node]:
    return paragraph(transform.all(node.children))


def _heading(node: hast.Element, transform: Transform) -> Node:
    made = elements.Heading(depth=int(node.tag_name[1]))
    return Element.of(made, line(transform.all(node.children)))


def _blockquote(node: hast.Element, transform: Transform) -> Node:
    return Element.of(elements.BlockQuote(), _blocks(node, transform))


def _thematic_break(node: hast.Element, transform: Transform) -> Node:
    return elements.ThematicBreak()


def _preformatted(node: hast.Element, transform: Transform) -> Node:
    words = [word for each in (node, *node.children) for word in _words(each)]
    prefix = "language-"
    lang = next((word.removeprefix(prefix) for word in words if word.startswith(prefix)), None)
    return elements.CodeBlock(
        value=unhidden(text_content(node).removesuffix("\n")), lang=unhidden(lang or "") or None
    )


def _words(node: Any) -> list[str]:
    """Return the class names of an element."""
    given = node.properties.get("className") if is_element(node) else None
    return given.split() if isinstance(given, str) else [str(word) for word in given or ()]


def text_content(node: hast.Element) -> str:
    """Return the text in an element, white space unchanged."""
    texts: list[str] = []
    stack: list[Any] = [node]
    while stack:
        each = stack.pop()
        if type(each) is hast.Text:
            texts.append(each.value)
        stack.extend(reversed(_children(each)))
    return "".join(texts)


# --- Lists ---------------------------------------------------------------------------------


def _list(node: hast.Element, transform: Transform) -> Node:
    members = [child for child in node.children if not _is_blank(child)]
    loose = any(is_element(child, "p") for member in members for child in _children(member))
    items = [_item(member, transform, loose=loose) for member in members]
    ordered = node.tag_name.lower() == "ol"
    made = elements.List(ordered=ordered, start=_start(node) if ordered else 1, spread=loose)
    return Element.of(made, [item for item in items if item is not None])


def _item(node: Any, transform: Transform, *, loose: bool) -> Node | None:
    """Return an item; any other child of a list becomes one."""
    if not is_element(node, "li"):
        blocks = paragraphs(transform.all([node]))
        return Element.of(elements.Item(), blocks) if blocks else None
    blocks = _blocks(node, transform)
    spread = loose and len(blocks) > 1
    return Element.of(elements.Item(checked=_checked(node), spread=spread), blocks)


def _checked(item: hast.Element) -> bool | None:
    """Return whether an item's task is done, by its leading checkbox."""
    first: Any = item
    while is_element(first) and first.tag_name in {"li", "p", "label"}:
        first = next((child for child in first.children if not _is_blank(child)), None)
    if is_element(first, "input") and first.properties.get("type") == "checkbox":
        return first.properties.get("checked") not in (None, False)
    return None


def _start(node: hast.Element) -> int:
    digits = re.fullmatch("[0-9]{1,9}", str(node.properties.get("start", 1)))
    return min(int(digits[0]), _MAX_START) if digits else 1


# --- Tables --------------------------------------------------------------------------------


def _table(node: hast.Element, transform: Transform) -> list[Node]:
    rows = list(_rows(node))
    others = [child for child in node.children if is_element(child, "caption")]
    made = [
        Element.of(
            elements.TableRow(),
            [
                Element.of(elements.TableCell(), line(transform.all(cell.children)))
                for cell in _cells(row)
            ],
        )
        for row in rows
    ]
    if not made:
        return paragraphs(transform.all(others))
    align = tuple(_align(cell) for cell in _cells(rows[0]))
    return [*paragraphs(transform.all(others)), Element.of(elements.Table(align=align), made)]


def _rows(table: hast.Element) -> Iterator[hast.Element]:
    for child in table.children:
        if type(child) is not hast.Element:
            continue
        grouped = child.tag_name in {"thead", "tbody", "tfoot"}
        for row in child.children if grouped else (child,):
            if type(row) is hast.Element and row.tag_name == "tr":
                yield row


def _cells(row: hast.Element) -> list[hast.Element]:
    return [
        child
        for child in row.children
        if type(child) is hast.Element and child.tag_name in {"td", "th"}
    ]


def _align(cell: hast.Element) -> Any:
    side = cell.properties.get("align")
    return side if side in {"left", "right", "center"} else None


# --- Lines ---------------------------------------------------------------------------------


def _span(cls: type[Component]) -> Callable[[hast.Element, Transform], Node]:
    return lambda node, transform: Element.of(cls(), joined(transform.all(node.children)))


def _code(node: hast.Element, transform: Transform) -> Node | list[Node]:
    value = _WHITE_SPACE.sub(" ", text_content(node))
    return elements.InlineCode(value=unhidden(value)) if value else []


def _break(node: hast.Element, transform: Transform) -> Node:
    return elements.LineBreak()


def _link(node: hast.Element, transform: Transform) -> Any:
    children = joined(transform.all(node.children))
    url = node.properties.get("href")
    if not isinstance(url, str):
        return children
    return Element.of(elements.Link(url=url, title=_text_of(node, "title")), children)


def _image(node: hast.Element, transform: Transform) -> Node:
    url, alt = _text_of(node, "src"), _text_of(node, "alt") or ""
    if url is None:
        return alt
    return elements.Image(url=url, alt=alt, title=_text_of(node, "title"))


def _text_of(node: hast.Element, name: str) -> str | None:
    value = node.properties.get(name)
    return unhidden(value) if isinstance(value, str) else None


def _children(node: Any) -> tuple[Any, ...]:
    return getattr(node, "children", ())


def _is_blank(node: Any) -> bool:
    return type(node) is hast.Text and not node.value.strip(WHITE_SPACE)


BY_TAG: Final[dict[str, Callable[[hast.Element, Transform], Any]]] = {
    "p": _paragraph,
    **{f"h{depth}": _heading for depth in range(1, 7)},
    "blockquote": _blockquote,
    "ul": _list,
    "ol": _list,
    "pre": _preformatted,
    "table": _table,
    "hr": _thematic_break,
    "strong": _span(elements.Strong),
    "b": _span(elements.Strong),
    "em": _span(elements.Emphasis),
    "i": _span(elements.Emphasis),
    "del": _span(elements.Strikethrough),
    "s": _span(elements.Strikethrough),
    "strike": _span(elements.Strikethrough),
    "code": _code,
    "br": _break,
    "a": _link,
    "img": _image,
}
"""The conversion of each element; others are replaced by their children."""

HAST_TO_UJSX: dict[type, Rule] = {
    hast.Root: read_root,
    hast.Element: read_element,
    hast.Text: read_text,
    hast.Raw: read_raw,
    hast.Comment: read_nothing,
    hast.Doctype: read_nothing,
}
"""The rule of each hast node."""

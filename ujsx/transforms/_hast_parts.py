"""The HTML of each kind of node: what both directions that lead to hast build with.

A part is made from the fields that an mdast node and its primitive share (``url``, ``title`` …) and
from children that are hast already. Line ends between blocks are texts of their own, as
mdast-util-to-hast has them: a page's source can then be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ujsx import hast
from ujsx.transforms._hast_layout import LINE_END, is_element, laid_out
from ujsx.transforms._hast_references import References
from ujsx.transforms._transform import Transform

Nodes: TypeAlias = tuple[Any, ...]

Part: TypeAlias = Callable[[Any, Nodes, Transform], Any]
"""Makes hast of a node's fields and its children."""

_WHITE_SPACE = re.compile(r"[ \t\r\n]+")
_LINE_BREAK = re.compile(r"\r\n?|\n")


def part(tag_name: str) -> Part:
    """Return the part that is an element with the children as they are."""

    def build(node: Any, children: Nodes, transform: Transform) -> hast.Element:
        return hast.Element(tag_name, {}, children)

    return build


def heading(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    return hast.Element(f"h{node.depth}", {}, children)


def blockquote(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    return hast.Element("blockquote", {}, laid_out(children))


def code(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    words = [word for word in _WHITE_SPACE.split(node.lang or "") if word]
    properties: Any = {"className": (f"language-{words[0]}",)} if words else {}
    value = f"{node.value}\n" if node.value else ""
    return hast.Element("pre", {}, (hast.Element("code", properties, (hast.Text(value),)),))


def inline_code(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    return hast.Element("code", {}, (hast.Text(_LINE_BREAK.sub(" ", node.value)),))


def thematic_break(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    return hast.Element("hr")


def line_break(node: Any, children: Nodes, transform: Transform) -> list[Any]:
    return [hast.Element("br"), LINE_END]


def raw(node: Any, children: Nodes, transform: Transform) -> hast.Raw:
    return hast.Raw(node.value)


# --- Lists -----------------------------------------------------------------------------------


def list_(node: Any, items: Nodes, *, loose: bool) -> hast.Element:
    start = {"start": node.start} if node.ordered and node.start not in (None, 1) else {}
    if not loose:
        items = tuple(_tight(item) for item in items)
    return hast.Element("ol" if node.ordered else "ul", start, laid_out(items))


def item(node: Any, blocks: Nodes, transform: Transform) -> hast.Element:
    """An item as it is in a loose list; a tight list takes the paragraphs off."""
    if node.checked is not None:
        blocks = _with_checkbox(blocks, checked=node.checked)
    return hast.Element("li", {}, laid_out(blocks) if blocks else ())


def _with_checkbox(blocks: Nodes, *, checked: bool) -> Nodes:
    # Attributes in the order in which the GFM specification writes them.
    box = hast.Element("input", {"checked": checked, "disabled": True, "type": "checkbox"})
    if not (blocks and is_element(blocks[0], "p")):
        return hast.Element("p", {}, (box,)), *blocks
    line = blocks[0].children
    beside = (hast.Text(" "), *line) if line else ()
    return hast.Element("p", {}, (box, *beside)), *blocks[1:]


def _tight(item: Any) -> Any:
    if not is_element(item, "li"):
        return item
    blocks = [child for child in item.children if child != LINE_END]
    content: list[Any] = []
    for place, block in enumerate(blocks):
        is_paragraph = is_element(block, "p")
        if place or not is_paragraph:
            content.append(LINE_END)
        content += block.children if is_paragraph else [block]
    if blocks and not is_element(blocks[-1], "p"):
        content.append(LINE_END)
    return hast.Element(item.tag_name, item.properties, tuple(content))


# --- Tables ----------------------------------------------------------------------------------


def table(node: Any, rows: Nodes, transform: Transform) -> hast.Element:
    """A table; it makes the first row's cells heads, and gives each row as many cells.

    Cells beyond the head's are left out (GFM specification 0.29, 4.10), as Markdown leaves them.
    """
    width = max(len(node.align), len(_cells(rows[0]))) if rows else 0
    align = (*node.align, *[None] * (width - len(node.align)))
    rows = tuple(_row(row, align, "td" if place else "th") for place, row in enumerate(rows))
    groups = [("thead", rows[:1]), ("tbody", rows[1:])]
    made = [hast.Element(name, {}, laid_out(group)) for name, group in groups if group]
    return hast.Element("table", {}, laid_out(made))


def table_row(node: Any, cells: Nodes, transform: Transform) -> hast.Element:
    return hast.Element("tr", {}, laid_out(cells))


def _cells(row: Any) -> list[hast.Element]:
    return [child for child in row.children if is_element(child)]


def _row(row: hast.Element, align: Iterable[str | None], tag_name: str) -> hast.Element:
    cells = iter(_cells(row))
    made: list[Any] = []
    for side in align:
        cell = next(cells, hast.Element("td"))
        properties = {**cell.properties, "align": side} if side else cell.properties
        name = tag_name if cell.tag_name == "td" else cell.tag_name
        made.append(hast.Element(name, properties, cell.children))
    return hast.Element("tr", row.properties, laid_out(made))


# --- Links and references --------------------------------------------------------------------


def link(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    href = hast.percent_encoded(node.url)
    return hast.Element("a", {"href": href, **_title(node)}, children)


def image(node: Any, children: Nodes, transform: Transform) -> hast.Element:
    return _image(node, node.alt)


def link_reference(node: Any, children: Nodes, transform: Transform) -> Any:
    target = References.of(transform).definition(node.identifier)
    return [*children] if target is None else link(target, children, transform)


def image_reference(node: Any, children: Nodes, transform: Transform) -> Any:
    target = References.of(transform).definition(node.identifier)
    return hast.Text(node.alt or "") if target is None else _image(target, node.alt)


def footnote_reference(node: Any, children: Nodes, transform: Transform) -> Any:
    mark = References.of(transform).cite(node.identifier)
    return hast.Text(f"[^{node.label or node.identifier}]") if mark is None else mark


def _image(target: Any, alt: str | None) -> hast.Element:
    src = hast.percent_encoded(target.url)
    return hast.Element("img", {"src": src, "alt": alt or "", **_title(target)})


def _title(node: Any) -> dict[str, str]:
    return {} if node.title is None else {"title": node.title}

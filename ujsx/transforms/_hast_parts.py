"""The HTML of each kind of node, shared by both directions to hast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ujsx import hast
from ujsx.components._context import RenderContext
from ujsx.components._element import Children, as_rendered, no_line
from ujsx.transforms._content import (
    first_misplaced,
    is_element,
    merged,
    trimmed,
)
from ujsx.transforms._registry import Transform

if TYPE_CHECKING:
    from ujsx.mdast import extensions as nodes

# Line ends between blocks: texts of their own, so that the source of a page can be read.

LINE_END: Final = hast.Text("\n")


def laid_out(blocks: Iterable[Any], *, around: bool = True) -> tuple[Any, ...]:
    """Return blocks with a line end behind each and, ``around``, one in front of the first.

    Not ``around``, as in a document, the last has none behind it.
    """
    lines: list[Any] = [LINE_END] if around else []
    for block in blocks:
        lines += [block, LINE_END]
    return tuple(lines if around else lines[:-1])


# Inline and block content of HTML.

PHRASING_TAGS: Final = frozenset(
    {"a", "abbr", "audio", "b", "bdi", "bdo", "button", "br", "canvas", "cite", "code", "data", "del",
     "dfn", "em", "embed", "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "mark",
     "math", "meter", "object", "output", "picture", "progress", "q", "ruby", "s", "samp", "select",
     "slot", "small", "span", "strike", "strong", "sub", "sup", "svg", "textarea", "time", "tt", "u",
     "var", "video", "wbr"}
)  # fmt: skip
"""Inline elements (HTML, 3.2.5.2.5); custom elements, with a hyphen, are inline too."""

WHITE_SPACE: Final = " \t\r\n\f"
"""The white space that HTML collapses."""


def is_phrasing(node: Any) -> bool:
    """Tell whether a hast node is inline. ``Raw`` is if it follows an inline node."""
    if type(node) is hast.Text:
        return True
    return is_element(node) and is_phrasing_tag(node.tag_name)


def is_phrasing_tag(name: str) -> bool:
    """Tell whether elements of that name are inline."""
    return name.lower() in PHRASING_TAGS or "-" in name


def flow(children: Children, transform: Transform) -> list[Any]:
    """Return children as blocks; each run of inline content among them becomes a paragraph."""
    return to_blocks(transform.all(children), trusts_text=transform.context.trusts_text)


def to_blocks(nodes: list[Any], *, trusts_text: bool) -> list[Any]:
    """Return hast nodes with each run of inline ones in a paragraph."""
    blocks: list[Any] = []
    line: list[Any] = []
    for node in nodes:
        if is_phrasing(node) or (line and type(node) is hast.Raw):
            line.append(node)
        else:
            _end_paragraph(line, blocks, trusts_text)
            blocks.append(node)
    _end_paragraph(line, blocks, trusts_text)
    return blocks


def phrasing(children: Children, transform: Transform) -> list[Any]:
    """Return children as inline content.

    :raises RenderError: for a block.
    """
    line = transform.all(children)
    if not all(map(_fits_in_line, line)):
        wrong = first_misplaced(children, transform, _fits_in_line)
        raise as_rendered(no_line(wrong), wrong)
    return merged(line, hast.Text, trusts_text=transform.context.trusts_text)


def _fits_in_line(node: Any) -> bool:
    return not is_element(node) or is_phrasing(node)


def _end_paragraph(line: list[Any], blocks: list[Any], trusts_text: bool) -> None:
    if any(type(node) is not hast.Text or node.value.strip(WHITE_SPACE) for node in line):
        whole = merged(line, hast.Text, trusts_text=trusts_text)
        blocks.append(hast.Element("p", {}, trimmed(whole, hast.Text)))
    line.clear()


# The targets of references, and the footnotes at the end of a page.
#
# HTML has no names of definitions: a link has its URL, a footnote its number and a back link. A run for a page collects
# all definitions before the first node.

TEXTS: Final = {
    "footnotes": "Footnotes",
    "footnotes.back": "Back to reference {number}",
}
"""The fixed texts of footnotes; ``RenderContext.texts`` replaces them by name."""

_ID: Final = "user-content-"
"""The prefix of ids, so that footnotes cannot take another id of the page."""

_BACK: Final = "↩"


class References:
    """The definitions of a tree, and its cited footnotes in order."""

    def __init__(self) -> None:
        self._definitions: dict[str, Any] = {}
        self._footnotes: dict[str, Callable[[], list[Any]]] = {}
        self._numbers: dict[str, int] = {}
        self._times: dict[str, int] = {}

    @staticmethod
    def of(transform: Transform) -> References:
        """Return the references of the run; a node transformed by itself has none."""
        return transform.context.get(References) or References()

    def define(self, identifier: str, target: Any) -> None:
        """Store a definition with a ``url`` and a ``title``; the first of a name is kept."""
        self._definitions.setdefault(_folded(identifier), target)

    def define_footnote(self, identifier: str, content: Callable[[], list[Any]]) -> None:
        """Store a footnote; ``content`` creates its blocks if it is cited."""
        self._footnotes.setdefault(_folded(identifier), content)

    def definition(self, identifier: str) -> Any:
        """Return the definition of that name, or ``None``."""
        return self._definitions.get(_folded(identifier))

    def cite(self, identifier: str) -> hast.Element | None:
        """Return a reference to a footnote, or ``None`` for an unknown one."""
        key = _folded(identifier)
        if key not in self._footnotes:
            return None
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        self._times[key] = time = self._times.get(key, 0) + 1
        properties: dict[str, hast.PropertyValue] = {
            "href": f"#{_ID}fn-{_anchor(key)}",
            "id": f"{_ID}fnref-{_anchor(key, time)}",
            "dataFootnoteRef": True,
            "ariaDescribedBy": ("footnote-label",),
        }
        return hast.Element("sup", {}, (hast.Element("a", properties, (hast.Text(str(number)),)),))

    def footnotes(self, context: RenderContext) -> hast.Element | None:
        """Return the section of the cited footnotes, or ``None``."""
        contents: list[tuple[str, list[Any]]] = []
        while cited := [*self._numbers][len(contents) :]:  # content may cite further footnotes
            contents += [(key, self._footnotes[key]()) for key in cited]
        if not contents:
            return None
        items = [
            _footnote(key, blocks, number, self._times[key], context)
            for number, (key, blocks) in enumerate(contents, 1)
        ]
        label = hast.Element(
            "h2",
            {"className": ("sr-only",), "id": "footnote-label"},
            (hast.Text(_text("footnotes", context)),),
        )
        return hast.Element(
            "section",
            {"dataFootnotes": True, "className": ("footnotes",)},
            laid_out((label, hast.Element("ol", {}, laid_out(items))))[1:],
        )


def _footnote(
    key: str, blocks: list[Any], number: int, count: int, context: RenderContext
) -> hast.Element:
    back = _ways_back(key, number, count, context)
    last = blocks[-1] if blocks else None
    if last is not None and is_element(last, "p"):
        line = hast.Element("p", last.properties, (*last.children, hast.Text(" "), *back))
        blocks = [*blocks[:-1], line]
    else:
        blocks = [*blocks, *back]
    return hast.Element("li", {"id": f"{_ID}fn-{_anchor(key)}"}, laid_out(blocks))


def _ways_back(key: str, number: int, count: int, context: RenderContext) -> list[Any]:
    ways: list[Any] = []
    for time in range(1, count + 1):
        again = f"-{time}" if time > 1 else ""
        label = _text("footnotes.back", context).format(number=f"{number}{again}")
        properties: dict[str, hast.PropertyValue] = {
            "href": f"#{_ID}fnref-{_anchor(key, time)}",
            "dataFootnoteBackref": "",
            "ariaLabel": label,
            "className": ("data-footnote-backref",),
        }
        sign: tuple[Any, ...] = (hast.Text(_BACK),)
        if again:
            sign = (*sign, hast.Element("sup", {}, (hast.Text(str(time)),)))
        ways += [*([hast.Text(" ")] if ways else []), hast.Element("a", properties, sign)]
    return ways


def _text(name: str, context: RenderContext) -> str:
    return context.texts.get(name, TEXTS[name])


def _folded(identifier: str) -> str:
    # Lower case alone would distinguish "ß" and "SS", which are equal in Markdown.
    return identifier.upper().lower()


def _anchor(key: str, time: int = 1) -> str:
    name = hast.percent_encoded(key)
    return f"{name}-{time}" if time > 1 else name


Nodes: TypeAlias = tuple[Any, ...]

Part: TypeAlias = Callable[[Any, Nodes, Transform], Any]
"""Creates hast from a node's fields and its children."""

_WHITE_SPACE = re.compile(r"[ \t\r\n]+")
_LINE_BREAK = re.compile(r"\r\n?|\n")


def part(tag_name: str) -> Part:
    """Return the part for an element with unchanged children."""

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
    """Return an item as in a loose list; a tight list removes the paragraphs."""
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
    """Return a table: the first row's cells become heads, and each row gets as many cells.

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


# The nodes of ``ujsx.mdast.extensions``.
#
# Formulas have the classes of mdast-util-math, alerts those of GitHub, admonitions those of Python-Markdown. A
# directive has no HTML of its own: it becomes a ``div`` or a ``span`` with its name in ``data-directive``, without its
# attributes, which could be any.

_FORMULA = "language-math"


def inline_math(node: nodes.InlineMath, children: Nodes, transform: Any) -> hast.Element:
    return _code(node.value, "math-inline")


def math(node: nodes.Math, children: Nodes, transform: Any) -> hast.Element:
    return hast.Element("pre", {}, (_code(node.value, "math-display"),))


def _code(value: str, kind: str) -> hast.Element:
    return hast.Element("code", {"className": (_FORMULA, kind)}, (hast.Text(value),))


def alert(node: nodes.Alert, children: Nodes, transform: Any) -> hast.Element:
    title = hast.Element(
        "p", {"className": ("markdown-alert-title",)}, (hast.Text(node.kind.capitalize()),)
    )
    kind = f"markdown-alert-{node.kind.lower()}"
    return hast.Element(
        "div", {"className": ("markdown-alert", kind)}, laid_out((title, *children))
    )


def admonition(node: nodes.Admonition, children: Nodes, transform: Any) -> hast.Element:
    kinds = node.kind.lower().split()
    from ujsx.mdast.extensions import AdmonitionTitle

    if not (node.children and isinstance(node.children[0], AdmonitionTitle)):
        children = (_titled((hast.Text(kinds[0].capitalize()),)), *children) if kinds else children
    return hast.Element("div", {"className": ("admonition", *kinds)}, laid_out(children))


def admonition_title(node: Any, children: Nodes, transform: Any) -> hast.Element | list[Any]:
    return _titled(children) if children else []


def _titled(children: Nodes) -> hast.Element:
    return hast.Element("p", {"className": ("admonition-title",)}, children)


def wiki_link(node: nodes.WikiLink, children: Nodes, transform: Any) -> hast.Element:
    properties: dict[str, Any] = {
        "href": hast.percent_encoded(node.value),
        "className": ("internal",),
    }
    return hast.Element("a", properties, (hast.Text(node.alias or node.value),))


def text_directive(node: nodes.TextDirective, children: Nodes, transform: Any) -> hast.Element:
    return hast.Element("span", {"dataDirective": node.name}, children)


def leaf_directive(node: nodes.LeafDirective, children: Nodes, transform: Any) -> hast.Element:
    return hast.Element("div", {"dataDirective": node.name}, children)


def container_directive(
    node: nodes.ContainerDirective, children: Nodes, transform: Any
) -> hast.Element:
    return hast.Element("div", {"dataDirective": node.name}, laid_out(children))


def blocks(tag_name: str) -> Part:
    """Return the part for an element with blocks."""

    def build(node: Any, children: Nodes, transform: Any) -> hast.Element:
        return hast.Element(tag_name, {}, laid_out(children))

    return build


def description(node: nodes.DefListDescription, children: Nodes, transform: Any) -> hast.Element:
    """Return a description; of a single paragraph without a blank line, only the line."""
    is_line = not node.spread and len(children) == 1 and is_element(children[0], "p")
    return hast.Element("dd", {}, children[0].children if is_line else laid_out(children))


def nothing(node: Any, children: Nodes, transform: Any) -> list[Any]:
    return []


@cache
def parts_of_extensions() -> dict[type, Part]:
    """Return the part for each node of ``ujsx.mdast.extensions``, which is imported on first use."""
    from ujsx.mdast import extensions as nodes

    return {
        nodes.InlineMath: inline_math,
        nodes.Math: math,
        nodes.Admonition: admonition,
        nodes.AdmonitionTitle: admonition_title,
        nodes.Alert: alert,
        nodes.WikiLink: wiki_link,
        nodes.TextDirective: text_directive,
        nodes.LeafDirective: leaf_directive,
        nodes.ContainerDirective: container_directive,
        nodes.DefList: blocks("dl"),
        nodes.DefListTerm: part("dt"),
        nodes.DefListDescription: description,
        nodes.Toml: nothing,
    }

"""``hast -> ujsx``: HTML as a tree of primitives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from ujsx import elements, hast
from ujsx.components._component import Component, Fragment, as_element
from ujsx.components._element import Element, Node
from ujsx.text import unhidden
from ujsx.transforms._content import is_element
from ujsx.transforms._hast_parts import WHITE_SPACE, is_phrasing_tag
from ujsx.transforms._transform import Rule, Transform

# Lines out of HTML: where one ends, and what white space in it comes to.

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
    """Return nodes as blocks: each run of inline ones that says something is a paragraph."""
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
    """Return what stands in a ``p``: one paragraph, or several where blocks stand in it too."""
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
    """Return nodes as a line of its own: no space at its ends, none beside a line break."""
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
    """Return nodes as content of a line: texts that meet are one, blocks give what is in them."""
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
"""Elements that vanish with what is in them. A task's checkbox is read by its item."""

_WHITE_SPACE = re.compile(f"[{WHITE_SPACE}]+")
_MAX_START: Final = 999_999_999


def root(node: hast.Root, transform: Transform) -> Element:
    return Element.of(Fragment(), _blocks(node, transform))


def text(node: hast.Text, transform: Transform) -> str:
    return unhidden(_WHITE_SPACE.sub(" ", node.value))


def raw(node: hast.Raw, transform: Transform) -> Node:
    return elements.Html(value=node.value)


def nothing(node: Any, transform: Transform) -> list[Node]:
    return []


def element(node: hast.Element, transform: Transform) -> Any:
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
    """The class names of an element."""
    given = node.properties.get("className") if is_element(node) else None
    return given.split() if isinstance(given, str) else [str(word) for word in given or ()]


def text_content(node: hast.Element) -> str:
    """Return the text in an element, white space as it stands."""
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
    """An item; what else stands in a list becomes one."""
    if not is_element(node, "li"):
        blocks = paragraphs(transform.all([node]))
        return Element.of(elements.Item(), blocks) if blocks else None
    blocks = _blocks(node, transform)
    spread = loose and len(blocks) > 1
    return Element.of(elements.Item(checked=_checked(node), spread=spread), blocks)


def _checked(item: hast.Element) -> bool | None:
    """Whether an item's task is done, as the checkbox that it begins with says."""
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
"""What each element is in a tree; those that are not here give their children."""

HAST_TO_UJSX: dict[type, Rule] = {
    hast.Root: root,
    hast.Element: element,
    hast.Text: text,
    hast.Raw: raw,
    hast.Comment: nothing,
    hast.Doctype: nothing,
}
"""The rule of each hast node."""

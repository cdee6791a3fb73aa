"""``normalize``: blocks. Phrasing is in ``_phrasing``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

from ujsx.errors import MdastError
from ujsx.mdast._extension import Extension
from ujsx.mdast._extension import resolved as resolved_extensions
from ujsx.mdast._faults import fault_in
from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    FootnoteDefinition,
    Heading,
    Html,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Table,
    TableCell,
    TableRow,
    Text,
    Yaml,
)
from ujsx.mdast.to_markdown._document import Rules
from ujsx.mdast.to_markdown._errors import Unwritable
from ujsx.mdast.to_markdown._html import OPEN_END, block_fault, in_place
from ujsx.mdast.to_markdown._join import can_be_tight, is_setext
from ujsx.mdast.to_markdown._list import MAX_NUMBER
from ujsx.mdast.to_markdown._options import Options
from ujsx.mdast.to_markdown._state import MAX_DEPTH

from ._changed import changed
from ._phrasing import phrasing, phrasing_node
from ._references import footnote_label, reference_label, resolved
from ._spans import rules_with

NodeT = TypeVar("NodeT", bound=Node)

_LINE_END = re.compile(r"\r\n?")
_SPACES = " \t\n\r"
_INFO_SPACE = re.compile(r"[ \t\n\r]")
_YAML_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_OPTIONS = Options()


def normalize(node: NodeT, *, extensions: Iterable[Extension | str] = ()) -> NodeT:
    """Return a tree's canonical form; a tree that is canonical already is returned as it is.

    A block that has no canonical form, such as an empty paragraph, is left out of its parent; on
    its own it is returned with nothing in it. ``extensions`` are those of the nodes that
    the specification does not have. Raises ``MdastError`` for a tree that is nested too
    deep to be written.

    >>> from ujsx.mdast import Emphasis, Paragraph, Root, Text
    >>> normalize(Paragraph(children=[Text("a"), Emphasis(), Text("b")]))
    Paragraph(children=(Text(value='ab'),))
    >>> normalize(Root(children=[Paragraph()]))
    Root()
    """
    try:
        rules = rules_with(resolved_extensions(extensions))
        result = _root(node, rules) if isinstance(node, Root) else _alone(node, rules)
    except RecursionError:
        raise MdastError("the tree is nested too deep for the calls left; flatten it") from None
    except (AttributeError, KeyError, TypeError, Unwritable) as error:
        raise fault_in(node) or error from None
    return node if result == node else result  # type: ignore[return-value]


def _alone(node: Node, rules: Rules) -> Node:
    handler = _BLOCKS.get(type(node))
    if isinstance(node, Html) and block_fault(node.value) is not None:
        return phrasing_node(node, rules)
    if handler is None:
        if type(node) not in rules.flow_handlers:
            return phrasing_node(node, rules)
        handler = _extended
    loosened: list[ListItem] = []
    result = handler(node, _Place(rules, True, True, False, True, 0, loosened))
    if loosened and result is not None:
        return _alone(result, rules)
    return result if result is not None else changed(node, children=())


class _Place(NamedTuple):
    """Where a block stands: first in the document, last in its container, how deep, behind what.

    ``before_blank``: a blank line of the same quote follows, or the document's end; HTML that
    nothing ends takes a line end of it. ``may_stay_open``: no blank line after such HTML decides
    whether a list is spread. ``loosened`` collects the items that turn out to be spread, which is
    a matter of what stands in them: what is around them is looked at once more, and not at each
    level anew, as that would double the work with every level. ``behind_box``: a task's box stands
    before it.
    """

    rules: Rules
    first: bool
    last: bool
    before_blank: bool
    may_stay_open: bool
    depth: int
    loosened: list[ListItem]
    behind: Node | None = None
    behind_box: bool = False


def _root(node: Root, rules: Rules) -> Root:
    return resolved(changed(node, children=_document(node.children, rules)), rules)


def canonical_blocks(
    nodes: Sequence[Node], rules: Rules | None = None, *, complete: bool
) -> tuple[Any, ...]:
    """Return a document's blocks in canonical form; a part of one keeps its references."""
    rules = rules_with(()) if rules is None else rules
    blocks = _document(nodes, rules)
    return resolved(Root(blocks), rules).children if complete else blocks


def _document(nodes: Sequence[Node], rules: Rules) -> tuple[Any, ...]:
    loosened: list[ListItem] = []
    blocks = _flow(nodes, _Place(rules, True, True, True, True, 0, loosened))
    return _document(blocks, rules) if loosened else blocks


def _inside(node: Any, place: _Place, *, before_blank: bool) -> tuple[Any, ...]:
    """Return the canonical blocks of a container."""
    if place.depth >= MAX_DEPTH:
        raise MdastError(f"the tree is nested more than {MAX_DEPTH} deep; flatten it")
    inner = place._replace(
        first=False,
        last=True,
        before_blank=before_blank,
        depth=place.depth + 1,
        behind=None,
        behind_box=False,
    )
    return _flow(node.children, inner, node)


def _flow(nodes: Sequence[Node], place: _Place, parent: Node | None = None) -> tuple[Any, ...]:
    """Return canonical blocks; ``place`` is that of the container's first and last one."""
    result: list[Node] = []
    tight = isinstance(parent, ListItem) and not parent.spread
    last = len(nodes) - 1
    while last >= 0 and _is_left_out(nodes[last], place):
        last -= 1
    for index, node in enumerate(nodes[: last + 1]):
        handler = _BLOCKS.get(type(node), _extended)
        is_last = index == last
        here = _Place(
            place.rules,
            place.first and not result,
            is_last,
            place.before_blank if is_last else not tight,
            place.may_stay_open if is_last else tight or not isinstance(parent, ListItem),
            place.depth,
            place.loosened,
            result[-1] if result else None,
            not index and isinstance(parent, ListItem) and parent.checked is not None,
        )
        canonical = handler(node, here)
        before = result[-1] if result else None
        if canonical is not None and canonical.are_one and type(before) is type(canonical):
            result[-1] = _as_one(before, canonical)
        elif canonical is not None:
            result.append(canonical)
    return tuple(result)


def _as_one(left: Any, right: Any) -> Node:
    """Return two blocks of a kind as one: they are read as that."""
    return changed(left, children=(*left.children, *right.children))  # type: ignore[no-any-return]


def _is_left_out(node: Node, place: _Place) -> bool:
    """Return whether a block has no canonical form: wherever it stands, and whatever is in it."""
    if isinstance(node, (Blockquote, List, ListItem, FootnoteDefinition)):
        return isinstance(node, List) and not node.children
    return _BLOCKS.get(type(node), _extended)(node, place) is None


def _extended(node: Any, place: _Place) -> Node | None:
    """Return a block of an extension; any other that the specification does not have stays."""
    rules = place.rules
    kind = cast("type[Node]", type(node))
    holds = rules.holds.get(kind)
    if holds == "flow":
        inner = place._replace(may_stay_open=False)
        node = changed(node, children=_inside(node, inner, before_blank=False))
    elif holds is not None:
        children = phrasing(node.children, rules, one_line=holds == "line")
        node = changed(node, children=children)
    canonical = rules.canonical.get(kind)
    return node if canonical is None else canonical(node)


def _paragraph(node: Paragraph, place: _Place) -> Node | None:
    children = phrasing(node.children, place.rules, behind_box=place.behind_box)
    return changed(node, children=children) if children else None


def _heading(node: Heading, place: _Place) -> Node:
    depth = min(max(node.depth, 1), 6)
    starts_line = is_setext(node, _OPTIONS)
    children = phrasing(node.children, place.rules, one_line=depth > 2, starts_line=starts_line)
    return changed(node, depth=depth, children=children)


def _blockquote(node: Blockquote, place: _Place) -> Node:
    return changed(node, children=_inside(node, place, before_blank=False))


def _list(node: List, place: _Place) -> Node | None:
    if not node.children:
        return None
    *others, last = node.children
    not_last = place._replace(before_blank=node.spread, may_stay_open=not node.spread)
    items = (*[_item(item, not_last) for item in others], _item(last, place))
    start = node.start if node.start is not None else 1
    return changed(
        node,
        start=min(max(start, 0), MAX_NUMBER) if node.ordered else None,
        spread=node.spread and len(items) > 1,
        children=items,
    )


def _item(node: ListItem, place: _Place) -> ListItem:
    before_blank = place.before_blank
    children = _inside(node, place, before_blank=before_blank)
    spread = _is_spread(node, children)
    if spread and not node.spread:
        place.loosened.append(node)
    checked = node.checked if children and isinstance(children[0], Paragraph) else None
    if children and checked is None:
        children = (_without_box(children[0]), *children[1:])
    return changed(
        node,
        checked=checked,
        spread=spread,
        children=children,
    )


def _without_box(first: Node) -> Node:
    """Return an item's first block; a reference that looks like a task's box is collapsed."""
    match first:
        case Paragraph(
            children=(LinkReference(children=(Text(value="x" | "X"),)) as box, *rest)
        ) | (
            Heading(children=(LinkReference(children=(Text(value="x" | "X"),)) as box, *rest))
        ) if box.reference_type == "shortcut":
            follows = rest[0].value if rest and isinstance(rest[0], Text) else ""
            if rest and follows[:1] not in {" ", "\t", "\n"}:
                return first
            if isinstance(first, Heading) and not is_setext(first, _OPTIONS):
                return first
            return changed(first, children=(changed(box, reference_type="collapsed"), *rest))
        case _:
            return first


def _is_spread(node: ListItem, children: tuple[Node, ...]) -> bool:
    pairs = list(pairwise(children))
    return bool(pairs) and (node.spread or not all(can_be_tight(*pair, _OPTIONS) for pair in pairs))


def _code(node: Code, _place: _Place) -> Node:
    info = " ".join([part.strip(_SPACES) for part in (node.lang, node.meta) if part])
    lang, _, meta = _INFO_SPACE.sub(" ", info.strip(_SPACES), count=1).partition(" ")
    meta = meta.strip(_SPACES)
    return changed(node, value=_lines(node.value), lang=_plain(lang), meta=_plain(meta))


def _plain(text: str | None) -> str | None:
    return text.replace("\0", "\ufffd") if text else None


def _html(node: Html, place: _Place) -> Node | None:
    value = in_place(_lines(node.value), place.behind)
    fault = block_fault(value)
    if fault == OPEN_END and place.last and place.may_stay_open:
        value = value.rstrip("\n")
        return changed(node, value=f"{value}\n" if place.before_blank else value)
    if fault is None:
        return changed(node, value=value)
    if not value:
        return None
    return _paragraph(Paragraph(children=(Text(value),)), place)


def _definition(node: Definition, _place: _Place) -> Node | None:
    found = reference_label(node.identifier, node.label)
    if found is None:
        return None
    return changed(
        node,
        identifier=found[0],
        label=found[1],
        url=node.url.replace("\0", "\ufffd"),
        title=None if node.title is None else node.title.replace("\0", "\ufffd"),
    )


def _footnote(node: FootnoteDefinition, place: _Place) -> Node:
    identifier, label = footnote_label(node.identifier, node.label)
    children = _inside(node, place, before_blank=place.before_blank)
    return changed(node, identifier=identifier, label=label, children=children)


def _table(node: Table, place: _Place) -> Node | None:
    rows = [[_cell(cell, place) for cell in row.children] for row in node.children]
    if not any(rows):
        return None
    columns = len(rows[0]) or 1  # a head without cells has an empty one: what is below it counts
    empty = TableCell()
    filled = [
        changed(row, children=tuple(cells) or (empty,))
        for row, cells in zip(node.children, rows, strict=True)
    ]
    align = (*node.align, *[None] * columns)[:columns]
    return changed(node, align=align, children=tuple(filled))


def _row(node: TableRow, place: _Place) -> Node:
    return changed(node, children=tuple([_cell(cell, place) for cell in node.children]))


def _cell(node: TableCell, place: _Place) -> TableCell:
    children = phrasing(node.children, place.rules, one_line=True, in_cell=True)
    return changed(node, children=children)


def _yaml(node: Yaml, place: _Place) -> Node:
    value = _lines(node.value)
    if place.first and not _YAML_FENCE.search(value):
        return changed(node, value=value)
    return Code(value, lang="yaml", position=node.position, data=node.data)


def _lines(value: str) -> str:
    return _LINE_END.sub("\n", value).replace("\0", "\ufffd")


_BLOCKS: dict[type[Node], Callable[[Any, _Place], Node | None]] = {
    Paragraph: _paragraph,
    Heading: _heading,
    Blockquote: _blockquote,
    List: _list,
    ListItem: _item,
    Code: _code,
    Html: _html,
    Definition: _definition,
    FootnoteDefinition: _footnote,
    Table: _table,
    TableRow: _row,
    TableCell: _cell,
    Yaml: _yaml,
}

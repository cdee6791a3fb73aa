"""The blocks that keep their source's spelling: it means the same there, and no option says otherwise.

Only the spelling of what did not change is asked about. What is around it may have: other definitions,
another container, another block before it. So each kind says here what its words depend on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ujsx.mdast._faults import is_known
from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Table,
    ThematicBreak,
)
from ujsx.mdast._spelling import (
    follow,
    has_brackets_in_addresses_alone,
    spelling_of,
    was_spelled,
)

from ._brackets import could_close
from ._errors import Unwritable
from ._html import ENDS_AT_BLANK_LINE, block_fault, block_kind

if TYPE_CHECKING:
    from ._state import Writing

PHRASING: frozenset[type[Node]] = frozenset({Paragraph, Heading, Table})
"""What holds words in lines."""

OVERRIDES: Mapping[str, frozenset[type[Node]]] = {
    "bullet": frozenset({List}),
    "bullet_other": frozenset({List}),
    "bullet_ordered": frozenset({List}),
    "close_atx": frozenset({Heading}),
    "emphasis": PHRASING,
    "fence": frozenset({Code}),
    "increment_list_marker": frozenset({ListItem}),
    "list_item_indent": frozenset({ListItem}),
    "quote": PHRASING | {Definition},
    "resource_link": PHRASING,
    "rule": frozenset({ThematicBreak}),
    "rule_repetition": frozenset({ThematicBreak}),
    "rule_spaces": frozenset({ThematicBreak}),
    "setext": frozenset({Heading}),
    "strong": PHRASING,
    "table_cell_padding": frozenset({Table}),
    "table_pipe_align": frozenset({Table}),
    "tight_definitions": frozenset({Definition}),
}
"""The kinds of nodes that are written anew when an option is given."""

KINDS: frozenset[type[Node]] = frozenset(
    {Paragraph, Heading, Table, ThematicBreak, Code, Definition, List, ListItem, Html}
)

_DASHES = "---"
"""The line that opens front matter at a document's start, where another one like it follows."""

_INDENT = re.compile(r"\n[ \t]+")
_TAB = re.compile(r"\n *\t")
_TAKES_IN_CODE = (List, FootnoteDefinition, Code)
"""The blocks that indented code would be a part of, behind them."""


def kinds_kept(options: Iterable[str]) -> frozenset[type[Node]]:
    """Return the kinds whose spelling is kept, for options that are given."""
    return KINDS.difference(*[OVERRIDES.get(name, frozenset()) for name in options])


def kept(node: Node, writing: Writing) -> str | None:
    """Return the source of a block, if it can stand where the block is written."""
    position = node.position
    if position is None or position.spelling is None:  # as mostly
        return None
    rules = writing.rules
    if type(node) not in rules.kept:
        return None
    text = spelling_of(node, rules.extensions)
    if text is None or not _CHECKS[type(node)](node, text, writing):
        return None
    return text


def kept_lines(node: Paragraph, writing: Writing) -> str | None:
    """Return the source of a paragraph; lines that tabs indent start where the others do."""
    text = kept(node, writing)
    if text is not None and _TAB.search(text):
        return None if _holds_line_ends(node.children) else _INDENT.sub("\n", text)
    return text


def stand_together(left: Node, right: Node, writing: Writing) -> bool:
    """Return whether no blank line has to part two blocks that none parted in the source."""
    if not {type(left), type(right)} <= writing.rules.kept:
        return False
    if isinstance(left, ThematicBreak):
        return isinstance(right, Paragraph) and follow(left, right)
    if type(left) is not type(right):
        return False
    if isinstance(left, Html):
        return (
            follow(left, right)
            and block_kind(left.value.split("\n", 1)[0].lstrip(" ")) not in ENDS_AT_BLANK_LINE
            and block_fault(left.value) is None
        )
    return isinstance(left, Definition) and follow(left, right)


def _is_paragraph(node: Paragraph, text: str, writing: Writing) -> bool:
    behind_box, writing.behind_box = writing.behind_box, False
    # Behind a task's box there may be white space; elsewhere it would be another block's indent.
    is_kept = (behind_box or text[0] not in {" ", "\t"}) and _is_content(
        node.children, text, writing, behind_box=behind_box
    )
    writing.behind_box = behind_box and not is_kept
    return is_kept


def _is_content(
    nodes: Sequence[Node], text: str, writing: Writing, *, behind_box: bool = False
) -> bool:
    """Return whether lines of words start no other block, and mean the same with these definitions."""
    flush = _INDENT.sub("\n", text)
    if writing.line_starts.escape(flush) != flush:
        return False
    if "<" in text:
        try:
            writing.check_html(nodes, flush, behind_box=behind_box)
        except Unwritable:
            return False
    return not _has_brackets(text) or _means_the_same(nodes, writing)


def _has_brackets(text: str) -> bool:
    return "[" in text or "]" in text


def _means_the_same(nodes: Sequence[Node], writing: Writing) -> bool:
    """Return whether brackets in a line are what they were; note the references that are in it."""
    if could_close(nodes, writing.labels) and not has_brackets_in_addresses_alone(nodes):
        return False
    references: list[Any] = []
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, (LinkReference, ImageReference, FootnoteReference)):
            references.append(node)
        if isinstance(node, (Image, ImageReference)) and not {"[", "]"}.isdisjoint(node.alt or ""):
            return False
        if isinstance(node, (Link, LinkReference)) and could_close(node.children, _anything):
            return False
        stack.extend(getattr(node, "children", ()))
    writing.references.extend(references)
    return True


def _anything() -> None:
    return None


def _holds_line_ends(nodes: Sequence[Node]) -> bool:
    """Return whether code or HTML goes on in another line, whose indent is its own."""
    return any(
        (isinstance(node, (InlineCode, Html)) and "\n" in node.value)
        or _holds_line_ends(getattr(node, "children", ()))
        for node in nodes
    )


def _is_heading(node: Heading, text: str, writing: Writing) -> bool:
    content, _, underline = text.rpartition("\n")
    if not underline or not content:
        return not _has_brackets(text) or _means_the_same(node.children, writing)
    return (
        not writing.in_tight_item
        and not _TAB.search(text)
        and _is_content(node.children, content, writing)
    )


def _is_table(node: Table, text: str, writing: Writing) -> bool:
    if not _has_brackets(text):
        return True
    known = len(writing.references)
    for row in node.children:
        for cell in row.children:
            if not _means_the_same(cell.children, writing):
                del writing.references[known:]
                return False
    return True


def _is_rule(_node: ThematicBreak, text: str, writing: Writing) -> bool:
    if text[0] != "-":
        return True
    opens_front_matter = writing.is_first and text == _DASHES
    return not writing.in_tight_item and not (opens_front_matter and _ends_front_matter(writing))


def _ends_front_matter(writing: Writing) -> bool:
    """Return whether a line of three dashes may stand behind the document's first block."""
    blocks = writing.document
    return blocks is None or any(map(_may_have_dashes, blocks[1:]))


def _may_have_dashes(block: Node) -> bool:
    """Return whether a line of a block may be three dashes and nothing else."""
    if isinstance(block, Code | Html):
        return _DASHES in block.value
    if isinstance(block, Heading):
        return block.depth == 2 and not was_spelled(block).startswith("#")
    return not isinstance(block, Paragraph | List | Blockquote | Definition | Table)


def _is_code(_node: Code, text: str, writing: Writing) -> bool:
    if text[0] != " ":
        return True
    behind = writing.behind
    if behind is None:
        return writing.is_first
    return not writing.in_tight_item and is_known(behind) and not isinstance(behind, _TAKES_IN_CODE)


def _is_definition(_node: Definition, text: str, _writing: Writing) -> bool:
    return "\n" not in text


_CHECKS: Mapping[type[Node], Callable[[Any, str, Writing], bool]] = {
    Paragraph: _is_paragraph,
    Heading: _is_heading,
    Table: _is_table,
    ThematicBreak: _is_rule,
    Code: _is_code,
    Definition: _is_definition,
}
"""By kind of node: whether its source can stand where it is written."""

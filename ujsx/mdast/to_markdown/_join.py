"""The writer's options, and what parts two blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from ujsx.errors import MdastError, did_you_mean
from ujsx.mdast._nodes import (
    Blockquote,
    Break,
    Code,
    Definition,
    FootnoteDefinition,
    Heading,
    Html,
    InlineCode,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Table,
    Text,
    ThematicBreak,
    Yaml,
    is_known,
)
from ujsx.mdast.to_markdown._links import single_spaced
from ujsx.mdast.to_markdown._phrasing import ENDS_AT_BLANK_LINE, SPANS, block_kind, first

# The writer's options: a table of what each may be, and the check against it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of writing Markdown. Every choice gives the same tree back.

    Names are those of mdast-util-to-markdown and mdast-util-gfm, in snake case.
    """

    bullet: Literal["-", "*", "+"] = "-"
    """Marks an unordered list's items."""
    bullet_other: Literal["-", "*", "+"] | None = None
    """Marks a list that follows another one; ``None`` picks one that differs from ``bullet``."""
    bullet_ordered: Literal[".", ")"] = "."
    """Follows the number of an ordered list's item; the other follows in a list after a list."""
    close_atx: bool = False
    """Ends a heading with as many ``#`` as it starts with."""
    emphasis: Literal["*", "_"] = "*"
    """Marks emphasis, where it can; the other one is taken where it cannot."""
    fence: Literal["`", "~"] = "`"
    """Fences code; ``~`` is taken where the info string holds a backtick."""
    increment_list_marker: bool = True
    """Counts ordered items up, in place of repeating the first number."""
    list_item_indent: Literal["one", "tab", "mixed"] = "one"
    """Indents an item's content by its marker and a space, or to the next multiple of 4 columns;
    ``"mixed"`` does the latter for items that hold more than one line of blocks."""
    quote: Literal['"', "'"] = '"'
    """Encloses titles."""
    resource_link: bool = False
    """Writes ``[url](url)`` where ``<url>`` would do."""
    rule: Literal["-", "*", "_"] = "-"
    """Draws thematic breaks; another one is taken where it would read as something else."""
    rule_repetition: int = 3
    """How many markers a thematic break has: 3 or more."""
    rule_spaces: bool = False
    """Puts spaces between the markers of a thematic break."""
    setext: bool = False
    """Underlines headings of depth 1 and 2; one with a line end in it always is."""
    strong: Literal["*", "_"] = "*"
    """Marks strong text, where it can."""
    table_cell_padding: bool = True
    """Puts a space at each side of a cell's content."""
    table_pipe_align: bool = True
    """Aligns the pipes of a table, by the columns in which text is shown; a cell of more than 120
    columns sticks out."""
    tight_definitions: bool = False
    """Leaves out the blank line between definitions."""


ALLOWED: dict[str, tuple[object, ...]] = {
    "bullet": ("-", "*", "+"),
    "bullet_other": (None, "-", "*", "+"),
    "bullet_ordered": (".", ")"),
    "close_atx": (False, True),
    "emphasis": ("*", "_"),
    "fence": ("`", "~"),
    "increment_list_marker": (True, False),
    "list_item_indent": ("one", "tab", "mixed"),
    "quote": ('"', "'"),
    "resource_link": (False, True),
    "rule": ("-", "*", "_"),
    "rule_repetition": (),
    "rule_spaces": (False, True),
    "setext": (False, True),
    "strong": ("*", "_"),
    "table_cell_padding": (True, False),
    "table_pipe_align": (True, False),
    "tight_definitions": (False, True),
}
"""The values that each option takes; ``rule_repetition`` is any whole number from 3 on."""


def checked_options(given: dict[str, Any]) -> Options:
    """Return the options, or raise ``MdastError`` at an unknown name or value.

    >>> checked_options({"bullet": "*"}).bullet
    '*'
    >>> checked_options({"bullet": "x"})
    Traceback (most recent call last):
        ...
    ujsx.errors.MdastError: option bullet='x' is not possible; it is one of '-', '*', '+'
    """
    for name, value in given.items():
        if name not in ALLOWED:
            hint = did_you_mean(name, ALLOWED)
            every = ", ".join(field.name for field in fields(Options))
            raise MdastError(f"there is no option {name!r}; {hint} (options: {every})")
        if name == "rule_repetition":
            if type(value) is not int or value < 3:
                raise MdastError(f"option {name}={value!r} is not possible; it is an int from 3 on")
        elif not any(
            value is allowed or value == allowed
            for allowed in ALLOWED[name]
            if type(value) is type(allowed)
        ):
            every = ", ".join(map(repr, ALLOWED[name]))
            raise MdastError(f"option {name}={value!r} is not possible; it is one of {every}")
    options = Options(**given)
    if options.bullet_other == options.bullet:
        raise MdastError(
            f"option bullet_other={options.bullet_other!r} is the same as bullet; it must differ"
        )
    return options


Join: TypeAlias = Callable[[Node, Node, Node, Options], str | None]
"""``(left, right, parent, options)`` to what parts the two, or ``None`` to leave it to others."""


CONTAINERS = (Blockquote, List, ListItem, FootnoteDefinition)
"""The kinds that hold blocks, or hold what does."""

TIGHT, BLANK_LINE = "\n", "\n\n"


def separator(left: Node, right: Node, parent: Node, options: Options) -> str:
    """Return what stands between two blocks."""
    if type(parent) is ListItem:
        if not parent.spread and can_be_tight(left, right, options):
            return TIGHT
    elif type(left) is Definition and type(right) is Definition and options.tight_definitions:
        return TIGHT
    return BLANK_LINE


def can_be_tight(left: Node, right: Node, options: Options) -> bool:
    """Return whether a reader keeps two blocks apart that no blank line parts.

    What matters is the last block that stands open when the right one starts: a paragraph takes
    in what cannot interrupt it, even from within a container.
    """
    tail = left
    while isinstance(tail, CONTAINERS):
        said = next((node for node in reversed(tail.children) if not says_nothing(node)), None)
        if said is None:
            break
        tail = said
    unknown = _after_closed if tail.stands_tight else _never
    return _TAILS.get(type(tail), unknown)(left, tail, right, options)


def _never(_left: Node, _tail: Node, _right: Node, _options: Options) -> bool:
    return False


def _after_closed(left: Node, _tail: Node, right: Node, _options: Options) -> bool:
    if isinstance(left, FootnoteDefinition):
        return False
    # What is of an extension may be a quote as well.
    return not isinstance(left, Blockquote) or (
        not isinstance(right, Blockquote) and is_known(right)
    )


def _after_paragraph(left: Node, tail: Node, right: Node, options: Options) -> bool:
    if not _after_closed(left, tail, right, options):
        return False
    match right:
        case Heading():
            return not is_setext(right, options)
        case Html():
            return block_kind(right.value.split("\n", 1)[0].lstrip(" ")) not in (None, 7)
        case List() | Blockquote():
            return _can_interrupt(right)
        case _:
            return isinstance(right, (Code, ThematicBreak, Yaml)) or right.stands_tight


def _can_interrupt(node: Node | None) -> bool:
    """Return whether a paragraph ends where a list or a quote starts.

    An empty item and a number other than 1 do not end it. To micromark they do not in a container
    that does, either.
    """
    while isinstance(node, (List, Blockquote)):
        if isinstance(node, List):
            if (node.ordered and node.start not in (None, 1)) or _starts_empty(node):
                return False
            node = node.children[0]
        node = next((each for each in node.children if not says_nothing(each)), None)
    return True


def says_nothing(node: Node) -> bool:
    """Tell whether a block has no form in Markdown, wherever it stands: nothing is in it, or it has no label."""
    says = _SAYS.get(type(node))
    return says is not None and not says(node)


def _has_words(node: Any) -> bool:
    kind: type[Node] = node.__class__
    if kind in _VALUES:
        return bool(node.value)
    return kind is not Break and (kind not in SPANS or any(map(_has_words, node.children)))


_VALUES = (Text, InlineCode, Html)


_SAYS: dict[type[Node], Callable[[Any], object]] = {
    List: lambda node: node.children,
    Paragraph: lambda node: any(map(_has_words, node.children)),
    Table: lambda node: any(row.children for row in node.children),
    Html: lambda node: node.value,
    Definition: lambda node: single_spaced(node.identifier),
}
"""By kind of block, what tells whether it says something; any other kind does."""


def _starts_empty(node: List) -> bool:
    """Return whether a list's first marker is alone on its line: such a list is no interruption."""
    blocks = node.children[0].children if node.children else ()
    first = next((each for each in blocks if not says_nothing(each)), None)
    return first is None or (isinstance(first, Html) and first.value.startswith(" "))


def _after_definition(left: Node, tail: Node, right: Node, options: Options) -> bool:
    if left is not tail:
        return False
    match right:
        case Definition():
            return True
        case Paragraph():
            return not isinstance(first(right.children), LinkReference)  # it could be a task's box
        case _:
            return _after_paragraph(left, tail, right, options)


def _after_html(left: Node, tail: Node, right: Node, options: Options) -> bool:
    assert isinstance(tail, Html)
    if left is not tail:
        return _after_closed(left, tail, right, options)
    return block_kind(tail.value.split("\n", 1)[0].lstrip(" ")) not in ENDS_AT_BLANK_LINE


def _after_table(left: Node, tail: Node, right: Node, options: Options) -> bool:
    if left is not tail or not _after_closed(left, tail, right, options):
        return _after_closed(left, tail, right, options)
    if isinstance(right, Heading):
        return not is_setext(right, options)
    return isinstance(right, (Blockquote, Code, ThematicBreak, List, Yaml))


_TAILS: dict[type[Node], Callable[[Node, Node, Node, Options], bool]] = {
    Paragraph: _after_paragraph,
    Definition: _after_definition,
    Html: _after_html,
    Table: _after_table,
    Heading: _after_closed,
    Code: _after_closed,
    Yaml: _after_closed,  # in an item, its canonical form is code
    ThematicBreak: _after_closed,
    Blockquote: _after_closed,
    List: _after_closed,
    ListItem: _after_closed,
}


def is_setext(node: Heading, options: Options) -> bool:
    """Return whether a heading is underlined: by option, or as it has more than one line."""
    return node.depth < 3 and bool(node.children) and (options.setext or has_line_end(node))


def has_line_end(node: Heading) -> bool:
    """Return whether a heading's phrasing takes more than one line."""
    stack: list[Node] = [*node.children]
    while stack:
        child = stack.pop()
        if isinstance(child, (Text, Html, InlineCode)):
            if "\n" in child.value:
                return True
        elif isinstance(child, Break):
            return True
        else:
            stack.extend(getattr(child, "children", ()))
    return False

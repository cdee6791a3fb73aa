"""The state of one writing: its options, the separators of blocks, and the second argument of handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, zip_longest
from operator import is_
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
)

import msgspec
from msgspec.structs import replace

from ujsx.errors import MdastError, did_you_mean
from ujsx.mdast._nodes import (
    Blockquote,
    Break,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Html,
    InlineCode,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Reference,
    Strong,
    Table,
    Text,
    ThematicBreak,
    Yaml,
    base_kind,
    is_known,
)
from ujsx.mdast.to_markdown._phrasing import (
    ENDS_AT_BLANK_LINE,
    FIRST_CHARACTER,
    NO_LABELS,
    SPANS,
    Labels,
    Phrasing,
    Unwritable,
    block_kind,
    closes,
    could_close,
    first,
    is_defined,
    labels_in,
    may_start_block,
    merged,
    stands,
)
from ujsx.mdast.to_markdown._unsafe import (
    FIRST,
    LAST,
    Place,
    character_class,
    escape_of,
    mean_something_in,
    means_something,
    single_spaced,
)
from ujsx.mdast.util import map_changed

if TYPE_CHECKING:
    from ujsx.mdast.to_markdown import Rules


# The writer's options: a table of allowed values, and its check.


class WriterOptions(msgspec.Struct, frozen=True, kw_only=True):
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
    """The number of markers in a thematic break: 3 or more."""
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


def _allowed() -> dict[str, tuple[object, ...]]:
    """Return the allowed values of each option by its type, the default of a bool first."""
    found: dict[str, tuple[object, ...]] = {}
    defaults = WriterOptions()
    for name, kind in get_type_hints(WriterOptions).items():
        default = getattr(defaults, name)
        choices = (default, not default) if kind is bool else get_args(kind)
        if default is None:  # an optional one, whose choices come first
            choices = (None, *get_args(choices[0]))
        found[name] = choices
    return found


ALLOWED = _allowed()
"""The allowed values of each option; ``rule_repetition`` is any integer from 3."""


def checked_options(given: dict[str, Any]) -> WriterOptions:
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
            every = ", ".join(WriterOptions.__struct_fields__)
            raise MdastError(f"there is no option {name!r}; {hint} (options: {every})")
        if name == "rule_repetition":
            if type(value) is not int or value < 3:
                raise MdastError(f"option {name}={value!r} is not possible; it is an int from 3 on")
        elif (type(value), value) not in [(type(each), each) for each in ALLOWED[name]]:
            every = ", ".join(map(repr, ALLOWED[name]))
            raise MdastError(f"option {name}={value!r} is not possible; it is one of {every}")
    options = WriterOptions(**given)
    if options.bullet_other == options.bullet:
        raise MdastError(
            f"option bullet_other={options.bullet_other!r} is the same as bullet; it must differ"
        )
    return options


# The line ends between two blocks.

Join: TypeAlias = Callable[[Node, Node, Node, WriterOptions], str | None]
"""``(left, right, parent, options)`` to the separator, or ``None`` to leave it to others."""


CONTAINERS = (Blockquote, List, ListItem, FootnoteDefinition)
"""The kinds that contain blocks, directly or not."""

TIGHT, BLANK_LINE = "\n", "\n\n"


def separator(left: Node, right: Node, parent: Node, options: WriterOptions) -> str:
    """Return the separator of two blocks."""
    if type(parent) is ListItem:
        if not parent.spread and can_be_tight(left, right, options):
            return TIGHT
    elif type(left) is Definition and type(right) is Definition and options.tight_definitions:
        return TIGHT
    return BLANK_LINE


def can_be_tight(left: Node, right: Node, options: WriterOptions) -> bool:
    """Return whether two blocks stay separate without a blank line.

    This depends on the last open block when the right one starts: a paragraph absorbs a block that cannot interrupt it,
    even from within a container.
    """
    tail: Any = left
    while base_kind(tail) in CONTAINERS:
        said = _first_saying(reversed(tail.children))
        if said is None:
            break
        tail = said
    unknown = _after_closed if tail.stands_tight else _never
    return _TAILS.get(type(tail), unknown)(left, tail, right, options)  # pyright: ignore[reportUnknownArgumentType]


def _never(_left: Node, _tail: Node, _right: Node, _options: WriterOptions) -> bool:
    return False


def _after_closed(left: Node, _tail: Node, right: Node, _options: WriterOptions) -> bool:
    kind = base_kind(left)
    if kind is FootnoteDefinition:
        return False
    # An extension's block may be a quote as well.
    return kind is not Blockquote or (base_kind(right) is not Blockquote and is_known(right))


def _after_paragraph(left: Node, tail: Node, right: Any, options: WriterOptions) -> bool:
    if not _after_closed(left, tail, right, options):
        return False
    kind = base_kind(right)
    if kind is Heading:
        return not is_setext(right, options)
    if kind is Html:
        return block_kind(right.value.split("\n", 1)[0].lstrip(" ")) not in (None, 7)
    if kind is List or kind is Blockquote:
        return _can_interrupt(right)
    return kind in (Code, ThematicBreak, Yaml) or right.stands_tight


def _can_interrupt(node: Any) -> bool:
    """Return whether a paragraph ends where a list or a quote starts.

    A list whose first marker is alone on its line, and a number other than 1, do not end it; in micromark, not even in
    a container that does.
    """
    while (kind := base_kind(node)) in (List, Blockquote):
        is_list = kind is List
        if is_list and (not node.children or (node.ordered and node.start not in (None, 1))):
            return False
        node = _first_saying((node.children[0] if is_list else node).children)
        if is_list and (node is None or (base_kind(node) is Html and node.value[:1] == " ")):
            return False
    return True


def _first_saying(nodes: Iterable[Node]) -> Any:
    """Return the first of blocks that says something, or None."""
    return next((node for node in nodes if not says_nothing(node)), None)


def says_nothing(node: Node) -> bool:
    """Tell whether a block has no form in Markdown in any place: it is empty, or has no label."""
    says = _SAYS.get(type(node))
    return says is not None and not says(node)


def _has_words(parent: Any) -> bool:
    for node in parent.children:
        kind: type[Node] = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind in _VALUES:
            if node.value:
                return True
        elif kind is not Break and (kind not in SPANS or _has_words(node)):
            return True
    return False


_VALUES = (Text, InlineCode, Html)


_SAYS: dict[type[Node], Callable[[Any], object]] = {
    List: lambda node: node.children,
    Paragraph: _has_words,
    Table: lambda node: any(row.children for row in node.children),
    Html: lambda node: node.value,
    Definition: lambda node: single_spaced(node.identifier),
}
"""The emptiness check of each kind of block; other kinds are never empty."""


def _after_definition(left: Node, tail: Node, right: Any, options: WriterOptions) -> bool:
    if left is not tail:
        return False
    kind = base_kind(right)
    if kind is Paragraph:
        return not isinstance(first(right.children), LinkReference)  # it could be a task's box
    return kind is Definition or _after_paragraph(left, tail, right, options)


def _after_html(left: Node, tail: Node, right: Node, options: WriterOptions) -> bool:
    assert isinstance(tail, Html)
    if left is not tail:
        return _after_closed(left, tail, right, options)
    return block_kind(tail.value.split("\n", 1)[0].lstrip(" ")) not in ENDS_AT_BLANK_LINE


def _after_table(left: Node, tail: Node, right: Node, options: WriterOptions) -> bool:
    if left is not tail or not _after_closed(left, tail, right, options):
        return _after_closed(left, tail, right, options)
    if isinstance(right, Heading):
        return not is_setext(right, options)
    return isinstance(right, (Blockquote, Code, ThematicBreak, List, Yaml))


_TAILS: dict[type[Node], Callable[[Node, Node, Node, WriterOptions], bool]] = {
    Paragraph: _after_paragraph,
    Definition: _after_definition,
    Html: _after_html,
    Table: _after_table,
    # Yaml's canonical form in an item is code.
    **dict.fromkeys(
        (Heading, Code, Yaml, ThematicBreak, Blockquote, List, ListItem), _after_closed
    ),
}


def is_setext(node: Heading, options: WriterOptions) -> bool:
    """Return whether a heading is underlined: by option, or because it has more than one line."""
    return node.depth < 3 and bool(node.children) and (options.setext or has_line_end(node))


def has_line_end(node: Node) -> bool:
    """Return whether a heading's phrasing takes more than one line."""
    child: Any
    for child in getattr(node, "children", ()):
        if isinstance(child, _VALUES):
            if "\n" in child.value:
                return True
        elif isinstance(child, Break) or has_line_end(child):
            return True
    return False


# The fast check of a line: whether each of its nodes can be written independently of its neighbors.
#
# Usually it can, and the parts are joined. The tables in ``_unsafe`` and ``_phrasing`` decide; any other line is
# written by ``Phrasing``, which considers neighbors, and would write simple lines the same.

_HANDLED = frozenset(FIRST_CHARACTER) - frozenset(SPANS) - {Html}
"""The kinds that a handler writes, without subclasses, which may be written in any way."""


def plain_run(nodes: Sequence[Node], writing: WriterState, place: Place) -> str | None:
    """Return the Markdown of a simple run of phrasing, or ``None``.

    A run is simple if siblings are of different kinds, spans contain one text each, and no text has a character at its
    edge whose meaning depends on the adjacent node.
    """
    if not nodes or type(nodes[-1]) is Break:
        return None
    escapes, handlers = writing.escapes, writing.phrasing_handlers
    outside, end = ("", "") if place == "text" else ("[", "]")
    before: object = place  # the edges of a block are checked once it is written
    inside = last = ""  # the last character in a span, or of a text, right before
    written: list[str] = []
    node: Any
    for node in nodes:
        kind: type[Node] = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind is before:
            return None
        if kind is Text:
            value: str = node.value
            if not value:
                return None
            first, piece = value[0], value
            if not escapes.is_quiet(value):
                piece = writing.escape(value, place)
        elif kind in _HANDLED:
            value, piece = "", handlers[kind](node, writing)
            first = piece[:1]
        elif kind in writing.plain_marks and not inside:
            value = only_text(node)
            if not value or not _stands(value[0], outside):
                return None
            run = writing.plain_marks[kind].run
            if (value[0] in FIRST or value[-1] in LAST) and mean_something_in(
                run, value[0], value[-1]
            ):
                return None
            inner = value if escapes.is_quiet(value) else writing.escape(value, place)
            first, piece = run[0], f"{run}{inner}{run}"
        else:
            return None
        if first in FIRST and (before in FIRST[first] or outside in FIRST[first]):
            return None
        if last in LAST and not LAST[last].isdisjoint((kind, first, "anything")):
            return None
        if inside and not _stands(inside, first):
            return None
        if kind is Text:
            inside, last = "", value[-1]
            outside = last
        else:
            inside, last, outside = value[-1:], "", piece[-1:]
        written.append(piece)
        before = kind
    if (inside and not _stands(inside, end)) or (last in LAST and place in LAST[last]):
        return None
    return "".join(written)


def _stands(inside: str, outside: str) -> bool:
    # A mark beside a letter or a digit within is valid whatever is outside: the usual case.
    return inside.isalnum() or stands(character_class(inside), character_class(outside))


def only_text(span: Any) -> str:
    """Return a span's content if it is one text, else ``""``."""
    children = span.children
    return children[0].value if len(children) == 1 and isinstance(children[0], Text) else ""


T = TypeVar("T")
R = TypeVar("R")

MAX_DEPTH = 150
"""The maximum nesting of containers, and of spans."""


class Memo(Protocol):
    """Cached results by a node's ``id``: the node, its text's dependencies, the text, and the bullet in use after it.
    Under 0 are the blocks of the last document. Start with ``{}`` and pass the same one to each call.
    """

    def get(self, key: int, /) -> tuple[object, tuple[object, ...], Any, str] | None:
        """Return a cached entry."""
        ...

    def __setitem__(
        self, key: int, value: tuple[object, tuple[object, ...], Any, str], /
    ) -> None: ...


Mend: TypeAlias = Callable[[Sequence[Node]], Sequence[Any]]
"""Returns the canonical form of blocks."""

_SOMETHING = ThematicBreak()
"""The stand-in for the predecessor of a block that is not first."""

_UNDEFINED = "the document has no definition of {!r}"


class WriterState:
    """The state that handlers work with.

    ``options`` and ``escapes`` are those of the rules. ``behind`` is the block before. ``brackets``: those of a text could
    be closed, which the ``phrasing`` of the block tells when it is ``None``; ``one_line``: a line end would end the block
    (headings, cells); ``in_cell``: a pipe would end the cell; ``behind_box``: a task's box precedes the block.
    """

    __slots__ = (
        "_labels",
        "before_item",
        "behind",
        "behind_box",
        "brackets",
        "bullet",
        "definitions",
        "depth",
        "document",
        "escapes",
        "flow_handlers",
        "footnotes",
        "in_cell",
        "in_link",
        "in_tight_item",
        "is_first",
        "is_kept",
        "is_last",
        "joins",
        "line_starts",
        "memo",
        "mend",
        "mends",
        "must_end",
        "one_line",
        "options",
        "phrasing",
        "phrasing_handlers",
        "plain_marks",
        "references",
        "rules",
        "span_markers",
    )

    def __init__(
        self, rules: Rules, labels: Labels | None = None, document: Sequence[Node] | None = None
    ) -> None:
        self.rules = rules
        self.mend: Mend | None = None
        self._labels = labels
        self.document = document
        self.memo: Memo | None = None
        self.mends: dict[int, tuple[Node, Node | None]] = {}
        self.options = rules.options
        self.escapes = rules.escapes
        self.flow_handlers = rules.flow_handlers
        self.phrasing_handlers = rules.phrasing_handlers
        self.joins = rules.joins
        self.line_starts = rules.line_starts
        self.plain_marks = rules.plain_marks
        self.span_markers = rules.span_markers
        self.one_line = False
        self.in_cell = False
        self.in_link = False
        self.in_tight_item = False
        self.is_first = False
        self.is_last = False
        self.must_end = False
        self.before_item = False
        self.behind: Node | None = None
        self.behind_box = False
        self.brackets: bool | None = True
        self.phrasing: Sequence[Node] = ()
        self.is_kept = True
        self.bullet = ""
        self.references: list[Reference] = []
        self.definitions: set[str] = set()
        self.footnotes: set[str] = set()
        self.depth: int = 0

    def labels(self) -> Labels | None:
        """Return the document's definitions; ``None`` if they are not known."""
        if self._labels is None and self.document is not None:
            self._labels = labels_in(self.document)
        return self._labels

    # --- Blocks ---

    def flow(self, parent: Node, nodes: Sequence[Node]) -> str:
        """Return the Markdown of blocks in a container, with separators."""
        self.is_first = False
        nodes = self.saying_something(nodes)
        last = len(nodes) - 1
        if not last and isinstance(parent, ListItem):
            self.is_last = True
            return self.mended_block(nodes[0], None)[1]
        item = parent
        spread = False
        separators: list[str] = []
        if isinstance(parent, ListItem):
            # One blank line spreads an item, and then all of its blocks are separated.
            separators = self._separators(nodes, parent)
            spread = parent.spread or BLANK_LINE in separators
            if spread and not parent.spread and last > 1:
                parent, separators = _SPREAD_ITEM, []
        parts: list[str] = []
        previous: Node | None = None
        must_end, before_item = self.must_end, self.before_item
        known = len(self.mends)
        self.must_end, self.before_item = spread, False
        for index, node in enumerate(nodes):
            if index == last:
                self.must_end, self.before_item = must_end, before_item
            self.is_last = index == last
            between = ""
            if previous is not None:
                between = (
                    separators[index - 1] if separators else self.separator(previous, node, parent)
                )
                self.in_tight_item = between == TIGHT
            made, written = self.mended_block(node, previous)
            if made is None:
                continue
            if previous is not None:
                parts.append(between if made is node else self.separator(previous, made, parent))
            parts.append(written)
            previous = made
        if len(self.mends) > known and isinstance(item, ListItem):
            found = [made for node in nodes if (made := self._with_mended_edges(node)) is not None]
            if self._separators(found, item) != self._separators(nodes, item):
                raise Unwritable(item, "what is in it stands closer, or farther, in another form")
        return "".join(parts)

    def contained(self, parent: Node, nodes: Sequence[Node]) -> str:
        """Return the Markdown of blocks in a container that ends by indent or fence: HTML in it must end before."""
        must_end, self.must_end = self.must_end, True
        written = self.flow(parent, nodes)
        self.must_end = must_end
        return written

    def saying_something(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """Return blocks, without those that have no canonical form if that is written."""
        if self.mend is None or not any(map(says_nothing, nodes)):
            return nodes
        return [node for node in nodes if not says_nothing(node)]

    def _separators(self, nodes: Sequence[Node], parent: Node) -> list[str]:
        return [self.separator(*pair, parent) for pair in pairwise(nodes)]

    def _with_mended_edges(self, node: Any) -> Node | None:
        """Return the form of a written block that decides its separators; ``None`` if it vanished."""
        if id(node) in self.mends:
            return self.mends[id(node)][1]
        if not isinstance(node, CONTAINERS):
            return cast("Node", node)
        made: list[Any] = [*node.children]
        for end in (0, -1):
            while len(made) > -end:
                edge = self._with_mended_edges(made[end])
                if edge is not None:
                    made[end] = edge
                    break
                del made[end]
        is_same = len(made) == len(node.children) and all(map(is_, made, node.children))
        mended: Any = node if is_same else replace(node, children=tuple(made))
        self.mends[id(node)] = node, mended
        return cast("Node", mended)

    def mended_block(self, node: Node, previous: Node | None) -> tuple[Node | None, str]:
        """Return a block and its Markdown, using its canonical form if it is unwritable.

        The block is ``None`` if it has no canonical form there.
        """
        depth, must_end, before_item = self.depth, self.must_end, self.before_item
        is_first, behind_box = self.is_first, self.behind_box
        try:
            return node, self.block(node, previous)
        except Unwritable:
            if self.mend is None or behind_box:
                raise
        self.must_end, self.before_item = must_end, before_item
        before = () if is_first else (_SOMETHING,)
        made = self.mended(self.mend((*before, node))[len(before) :], depth)
        self.mends[id(node)] = node, made
        return (None, "") if made is None else (made, self.block(made, previous))

    def mended(self, made: Sequence[Any], depth: int) -> Any:
        """Continue with the canonical form of an unwritable node, which is one node, or none.

        :param depth: its depth.
        """
        self.depth, self.is_kept = depth, False
        self.one_line = self.in_cell = self.in_link = self.behind_box = False
        self.brackets, self.span_markers = True, self.rules.span_markers
        return made[0] if made else None

    def known(self, node: T, write: Callable[[T, WriterState], str]) -> str:
        """Return a node's cached text, if its surroundings are the same."""
        memo = self.memo
        if memo is None:
            return write(node, self)
        around = self.must_end, self.before_item, self.is_last, self.labels()
        known = memo.get(id(node))
        if known is not None and known[0] is node and known[1] == around:
            self.bullet = known[3]
            return cast("str", known[2])
        is_kept, self.is_kept = self.is_kept, True
        text = write(node, self)
        if self.is_kept:
            memo[id(node)] = node, around, text, self.bullet
        self.is_kept &= is_kept
        return text

    def known_each(
        self, nodes: Sequence[T], write: Callable[[T, WriterState], R], *around: object
    ) -> Sequence[R]:
        """Return the texts of siblings; cached ones, matched from the first or the last, are reused.

        :param around: the other dependencies of their Markdown.
        """
        memo = self.memo
        if memo is None or not nodes:
            return [write(node, self) for node in nodes]
        around = (*around, self.must_end, self.before_item, self.labels())
        ends = -id(nodes[0]), -id(nodes[-1])
        found = memo.get(ends[0]) or memo.get(ends[1])
        before: Any = ((), ()) if found is None or found[1] != around else found[2]
        passing: set[int] = set()
        is_kept = self.is_kept

        def make(node: T, _old: object) -> R:
            self.is_kept = True
            text = write(node, self)
            if not self.is_kept:
                passing.add(id(node))
            return text

        made = map_changed(before[0], before[1], nodes, make, by_value=False)
        self.is_kept = is_kept and not passing
        known = nodes, made
        if passing:
            kept = [pair for pair in zip(nodes, made, strict=True) if id(pair[0]) not in passing]
            known = [node for node, _ in kept], [text for _, text in kept]
        for end in ends:
            memo[end] = nodes[0], around, known, ""
        return made

    def block(self, node: Node, previous: Node | None) -> str:
        """Return the Markdown of one block; ``previous`` is the block before it."""
        self.behind = previous
        handler = self.flow_handlers.get(type(node))
        if handler is None:
            handler = self.rules.handler_for(node, self.flow_handlers)
        return handler(node, self)

    def bullet_to_avoid(self, node: Node, previous: Node | None) -> str:
        """Return the bullet of a list of the same kind right before, which would continue."""
        if not isinstance(node, List):
            return ""
        if isinstance(previous, List) and node.ordered == previous.ordered:
            return self.bullet
        return ""

    def separator(self, left: Node, right: Node, parent: Node) -> str:
        """Return the separator of two blocks: the first answer of the joins."""
        for join in self.joins:
            between = join(left, right, parent, self.options)
            if between is not None:
                return between
        return BLANK_LINE

    def enter(self, node: Node) -> None:
        """Go one level down; raise an error if too deep, instead of Python's."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unwritable(node, f"it is nested more than {MAX_DEPTH} deep")

    def leave(self) -> None:
        """Go back up."""
        self.depth -= 1

    def note_reference(self, node: Reference) -> None:
        """Refuse a reference to none of the given labels; for a whole document this is checked last."""
        self.references.append(node)
        is_part = self.document is None and self._labels is not None
        if is_part and not is_defined(node, self._labels or NO_LABELS):
            raise Unwritable(node, _UNDEFINED.format(node.identifier))

    def check_references(self) -> None:
        """Refuse a document with a reference without a definition: it would be text."""
        for node in self.references:
            defined = self.footnotes if isinstance(node, FootnoteReference) else self.definitions
            if node.identifier not in defined:
                raise Unwritable(node, _UNDEFINED.format(node.identifier))

    # --- Phrasing ---

    def line(self, nodes: Sequence[Node], place: Place = "text") -> str:
        """Return phrasing without line ends."""
        around, self.one_line = self.one_line, True
        written = self.run(nodes, place)
        self.one_line = around
        return written

    def content(self, nodes: Sequence[Node]) -> str:
        """Return the phrasing of a block; line starts are not checked yet."""
        if len(nodes) > 1 and type(nodes[0]) is Text is type(nodes[1]):
            nodes = merged(nodes)
        if len(nodes) == 1 and type(nodes[0]) is Text:
            written = nodes[0].value
            if not self.escapes.is_quiet(written):
                brackets = "[" in written and "]" in written and closes(written, None, self.labels)
                written = self.escapes.lone(written, one_line=self.one_line, brackets=brackets)
        else:
            self.phrasing, self.brackets = nodes, None
            written = self.run(nodes, "text")
            self.brackets = True
        if written:
            if written[0] in FIRST and means_something(FIRST, written[0], "block"):
                written = escape_of(written[0]) + written[1:]
            if written[-1] in LAST and means_something(LAST, written[-1], "block"):
                written = written[:-1] + escape_of(written[-1])
        return written

    def escape(self, value: str, place: Place) -> str:
        """Return a text that is not quiet with its escapes."""
        if self.brackets is None:
            self.brackets = could_close(self.phrasing, self.labels)
        return self.escapes.escape(value, place, self.one_line, self.brackets)

    def run(self, nodes: Sequence[Node], place: Place) -> str:
        """Return the Markdown of one run of phrasing: the content of a block, or of a link's brackets."""
        depth, in_link = self.depth, self.in_link
        try:
            written = plain_run(nodes, self, place)
            if written is not None:
                return written
        except Unwritable:  # it may be writable as one with the next node
            self.depth, self.in_link = depth, in_link
        try:
            return Phrasing(self, place).write(nodes)
        except Unwritable:
            if place != "text" or self.span_markers == DEFAULT_MARKERS:
                raise
        # Default markers decide whether a tree can be written, not preferences.
        preferred, self.span_markers = self.span_markers, DEFAULT_MARKERS
        self.depth, self.in_link = depth, in_link
        written = Phrasing(self, place).write(nodes)
        self.span_markers = preferred
        return written

    def lines(self, nodes: Sequence[Node]) -> str:
        """Return the phrasing of a block that may have several lines, each of them inert."""
        written = self.content(nodes)
        behind_box, self.behind_box = self.behind_box, False
        if not written:
            return written
        if "<" in written:
            self.check_html(nodes, written, behind_box=behind_box)
        if self.rules.read_back and (found := self._plugged(nodes)):
            self._check_reading(found, written, behind_box=behind_box)
        return self.line_starts.escape(written)

    def phrasing_node(self, node: Node) -> str:
        """Return the Markdown of phrasing other than text and spans."""
        handler = self.phrasing_handlers.get(type(node))
        if handler is None:
            handler = self.rules.handler_for(node, self.phrasing_handlers)
        return handler(node, self)

    def _plugged(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the phrasing whose reading depends on its place."""
        return [
            each
            for node in nodes
            for each in (node, *self._plugged(getattr(node, "children", ())))
            if type(each) in self.rules.read_back
        ]

    def _check_reading(self, found: list[Node], written: str, *, behind_box: bool) -> None:
        """Refuse text that does not read as one paragraph with these nodes."""
        from ujsx.mdast.from_markdown import from_markdown

        text = self.line_starts.escape(f"x {written}" if behind_box else written)
        read = from_markdown(text, extensions=self.rules.extensions).children
        is_one = len(read) == 1 and isinstance(read[0], Paragraph)
        kinds = [*map(type, self._plugged(read[0].children))] if is_one else []  # type: ignore[union-attr]
        for node, kind in zip_longest(found, kinds):
            if type(node) is not kind:
                raise Unwritable(
                    node or found[0], "beside what is around it, it would be read as something else"
                )

    def check_html(self, nodes: Sequence[Node], written: str, *, behind_box: bool) -> None:
        """Refuse inline HTML that starts a line like an HTML block: it cannot be escaped."""
        for index, line in enumerate(written.split("\n")):
            if index == 0 and behind_box:
                continue
            if line.startswith("<") and may_start_block(line, is_first=index == 0):
                culprit = next((node for node in nodes if isinstance(node, Html)), nodes[0])
                raise Unwritable(culprit, "at the start of a line it would be an HTML block")


_SPREAD_ITEM = ListItem(spread=True)
"""The stand-in for the item around blocks separated by a blank line."""

DEFAULT_MARKERS: dict[type[Node], str] = {Emphasis: "*", Strong: "*", Delete: "~"}
"""The preferred markers of spans, unless an option overrides them."""

Handler: TypeAlias = Callable[[Any, WriterState], str]
"""A node's class decides its handler: ``(node, writing)`` to its Markdown."""

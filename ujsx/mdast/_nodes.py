"""The mdast node classes: an abstract syntax tree of Markdown, as the mdast specification has it.

Names and fields are those of mdast (https://github.com/syntax-tree/mdast) with GFM and front
matter; a field of two words is in snake case here (``reference_type``) and in camel case in JSON
(``referenceType``). Nodes are frozen ``msgspec`` structs: immutable, hashable, compared by value,
a tagged union in JSON. ``children`` is a tuple; any other iterable of nodes is taken and becomes
one.

Every node also takes ``position`` and ``data`` by keyword. Where a node stood in its source takes
no part in equality.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from ujsx.errors import MdastError, shown

AlignType: TypeAlias = Literal["left", "right", "center"] | None
"""How a table column is aligned; ``None`` leaves it to the reader."""

ReferenceType: TypeAlias = Literal["shortcut", "collapsed", "full"]
"""How a reference was written: ``[a]``, ``[a][]`` or ``[text][a]``."""


class Point(msgspec.Struct, frozen=True, gc=False):
    """A place in a source text: ``line`` and ``column`` count from 1, ``offset`` from 0.

    Columns and offsets count characters (Unicode code points).
    """

    line: int
    column: int
    offset: int | None = None


class Position(msgspec.Struct, frozen=True, gc=False, eq=False, repr_omit_defaults=True):
    """From where to where a node stands in its source; ``end`` is the first place after it.

    All positions are equal to each other and to ``None``, so that nodes compare by meaning:
    structs have no comparison per field.

    >>> Text("a", position=Position(Point(1, 1), Point(1, 2))) == Text("a")
    True
    """

    start: Point
    end: Point

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Position)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct has one of its own

    def __hash__(self) -> int:
        return hash(None)  # equal to None, so it hashes as None does


class Node(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag=lambda name: name[0].lower() + name[1:],
    rename="camel",
    repr_omit_defaults=True,
    gc=False,  # what is frozen holds nothing that holds it, and a tree has many nodes
):
    """What all nodes share. Subclass it for a node kind of your own.

    ``position`` is where the node stood in its source; ``data`` holds what an ecosystem wants to
    keep with a node, and takes part in equality.
    """

    position: Position | None = None
    data: dict[str, Any] | None = None

    stands_tight: ClassVar[bool] = False
    """Of an extension's block: whether it ends a paragraph right before it, and has an end of its own."""

    @property
    def type(self) -> str:
        """The kind of node, as JSON has it.

        >>> Text("a").type
        'text'
        """
        return str(self.__struct_config__.tag)

    are_one: ClassVar[bool] = False
    """Whether no reader can tell two of the kind, side by side, from one with both of their values."""


def _nodes_of(children: Any, parent: str) -> tuple[Any, ...]:
    cause = None
    if not isinstance(children, (str, bytes, Node)):
        try:
            return tuple(children)
        except TypeError as error:
            cause = error
    advice = "[Text(...)]" if isinstance(children, str) else "[...]"
    raise MdastError(
        f"the children of a {parent} are a list of nodes, not {shown(children)}; "
        f"write {parent}(children={advice})"
    ) from cause


class Parent(Node, frozen=True):
    """A node with children; each kind declares which."""

    def __post_init__(self) -> None:
        node: Any = self  # each kind declares its children
        children = node.children
        if type(children) is not tuple:
            nodes = _nodes_of(children, type(self).__name__)
            msgspec.structs.force_setattr(self, "children", nodes)

    def __repr__(self) -> str:
        """Return the constructor's call, with ``…`` for what is nested deeper than Python calls."""
        try:
            return msgspec.Struct.__repr__(self)
        except RecursionError:
            return f"{type(self).__name__}(…)"


# --- Phrasing: what stands inside a line ---------------------------------------------------


class Text(Node, frozen=True):
    """Literal text."""

    value: str
    are_one: ClassVar[bool] = True


class InlineCode(Node, frozen=True):
    """A code span."""

    value: str
    are_one: ClassVar[bool] = True


class Html(Node, frozen=True):
    """Raw HTML: a block among blocks, inline among phrasing."""

    value: str


class Break(Node, frozen=True):
    """A hard line break."""


class Emphasis(Parent, frozen=True):
    """Stressed text."""

    children: tuple[PhrasingContent, ...] = ()


class Strong(Parent, frozen=True):
    """Important text."""

    children: tuple[PhrasingContent, ...] = ()


class Delete(Parent, frozen=True):
    """Text that no longer holds (GFM strikethrough)."""

    children: tuple[PhrasingContent, ...] = ()


class Link(Parent, frozen=True):
    """A link to ``url``."""

    url: str
    title: str | None = None
    children: tuple[PhrasingContent, ...] = ()


class Image(Node, frozen=True):
    """An image at ``url``; ``alt`` stands for it where it cannot be shown."""

    url: str
    title: str | None = None
    alt: str | None = None


class LinkReference(Parent, frozen=True):
    """A link through a ``Definition``; ``label`` is the identifier as it was written."""

    identifier: str
    label: str | None = None
    reference_type: ReferenceType = "full"
    children: tuple[PhrasingContent, ...] = ()


class ImageReference(Node, frozen=True):
    """An image through a ``Definition``."""

    identifier: str
    label: str | None = None
    reference_type: ReferenceType = "full"
    alt: str | None = None


class FootnoteReference(Node, frozen=True):
    """A mark that points to a ``FootnoteDefinition`` (GFM)."""

    identifier: str
    label: str | None = None


# --- Flow: blocks ---------------------------------------------------------------------------


class Paragraph(Parent, frozen=True):
    """A unit of discourse."""

    children: tuple[PhrasingContent, ...] = ()


class Heading(Parent, frozen=True):
    """A heading; ``depth`` is 1 to 6."""

    depth: Literal[1, 2, 3, 4, 5, 6]
    children: tuple[PhrasingContent, ...] = ()


class ThematicBreak(Node, frozen=True):
    """A rule between sections."""


class Blockquote(Parent, frozen=True):
    """A quoted part."""

    children: tuple[FlowContent, ...] = ()


class ListItem(Parent, frozen=True):
    """An item; ``checked`` is a task's state (GFM), ``spread`` whether blank lines part its content."""

    checked: bool | None = None
    spread: bool = False
    children: tuple[FlowContent, ...] = ()


class List(Parent, frozen=True):
    """A list; ``start`` is the first number when ``ordered``, ``spread`` whether blank lines part items."""

    ordered: bool = False
    start: int | None = None
    spread: bool = False
    children: tuple[ListItem, ...] = ()


class Code(Node, frozen=True):
    """A block of code; ``lang`` is the first word of the info string, ``meta`` the rest."""

    value: str
    lang: str | None = None
    meta: str | None = None


class Definition(Node, frozen=True):
    """The resource that references with the same identifier lead to."""

    identifier: str
    url: str
    label: str | None = None
    title: str | None = None


class FootnoteDefinition(Parent, frozen=True):
    """The content of a footnote (GFM)."""

    identifier: str
    label: str | None = None
    children: tuple[FlowContent, ...] = ()


class TableCell(Parent, frozen=True):
    """A cell."""

    children: tuple[PhrasingContent, ...] = ()


class TableRow(Parent, frozen=True):
    """A row of cells."""

    children: tuple[TableCell, ...] = ()


class Table(Parent, frozen=True):
    """A table (GFM): the first row is its head, ``align`` has an entry per column."""

    align: tuple[AlignType, ...] = ()
    children: tuple[TableRow, ...] = ()

    def __post_init__(self) -> None:
        Parent.__post_init__(self)
        if type(self.align) is not tuple:
            msgspec.structs.force_setattr(self, "align", tuple(self.align))


class Yaml(Node, frozen=True):
    """Front matter in YAML, without its fences."""

    value: str


class Root(Parent, frozen=True):
    """A document."""

    children: tuple[RootContent, ...] = ()


class UnknownNode(Node, frozen=True, tag="unknown"):
    """A node of a type that nobody here knows: kept as it came, and refused where it would be written.

    ``kind`` is its type; ``fields`` what it has beside that, ``data``, ``position``, and children.
    """

    kind: str
    fields: dict[str, Any] = {}
    children: tuple[Node, ...] = ()


PhrasingContent: TypeAlias = (
    Text
    | Emphasis
    | Strong
    | Delete
    | InlineCode
    | Break
    | Link
    | Image
    | LinkReference
    | ImageReference
    | FootnoteReference
    | Html
)
"""What may stand in a line."""

FlowContent: TypeAlias = (
    Paragraph
    | Heading
    | ThematicBreak
    | Blockquote
    | List
    | Code
    | Html
    | Definition
    | FootnoteDefinition
    | Table
)
"""What may stand as a block."""

RootContent: TypeAlias = (
    Paragraph
    | Heading
    | ThematicBreak
    | Blockquote
    | List
    | Code
    | Html
    | Definition
    | FootnoteDefinition
    | Table
    | Yaml
)
"""What may stand in a document: blocks, and front matter as the first of them."""

AnyNode: TypeAlias = Root | RootContent | PhrasingContent | ListItem | TableRow | TableCell
"""Every node kind of the specification."""

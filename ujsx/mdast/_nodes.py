"""The mdast nodes: the classes of the specification, the content model, and extensions with their own nodes.

Names and fields are those of mdast (https://github.com/syntax-tree/mdast) with GFM and front matter; a field of two
words is in snake case here (``reference_type``) and in camel case in JSON (``referenceType``). Nodes are frozen
``msgspec`` structs: immutable, hashable, compared by value, a tagged union in JSON. ``children`` is a tuple; any other
iterable of nodes is converted.

Every node also takes ``position`` and ``data`` by keyword. The position does not affect equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib import import_module
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
)

import msgspec

from ujsx.calls import Answering
from ujsx.errors import CallError, MdastError, did_you_mean, shown
from ujsx.on_demand import late_pattern

AlignType: TypeAlias = Literal["left", "right", "center"] | None
"""The alignment of a table column; ``None`` leaves it to the reader."""

ReferenceType: TypeAlias = Literal["shortcut", "collapsed", "full"]
"""The form of a reference: ``[a]``, ``[a][]`` or ``[text][a]``."""


class Point(msgspec.Struct, frozen=True, gc=False):
    """A place in a source text: ``line`` and ``column`` count from 1, ``offset`` from 0.

    Columns and offsets count characters (Unicode code points).
    """

    line: int
    column: int
    offset: int | None = None


class Position(msgspec.Struct, frozen=True, gc=False, eq=False, repr_omit_defaults=True):
    """The start and end of a node in its source; ``end`` is the first place after it.

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
        return not self == other  # overrides the struct's own

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
    gc=False,  # frozen nodes form no cycles, and a tree has many of them
):
    """The base of all nodes. Subclass it for your own node kind.

    ``position`` is the node's place in its source; ``data`` holds an ecosystem's additional information, and affects
    equality.
    """

    position: Position | None = None
    data: dict[str, Any] | None = None

    def _as_node(self) -> Any:
        """Return its meaning among the children of a component."""
        return import_module("ujsx").registry.transform("mdast -> ujsx", self)

    stands_tight: ClassVar[bool] = False
    """For an extension's block: whether it interrupts a paragraph, and has an explicit end."""

    @property
    def type(self) -> str:
        """The kind of node, as in JSON.

        >>> Text("a").type
        'text'
        """
        return str(self.__struct_config__.tag)

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name in JSON.

        >>> Text("a")["value"], Paragraph((Text("a"),))["children"][0]["type"]
        ('a', 'text')
        """
        own = {
            "type": "type",
            **dict(zip(self.__struct_encode_fields__, self.__struct_fields__, strict=True)),
        }
        if name not in own:
            raise KeyError(f"{name}; {did_you_mean(str(name), own)}")
        return getattr(self, own[name])

    if not TYPE_CHECKING:  # type checkers know that nodes do not change

        def __setitem__(self, name: str, value: object) -> NoReturn:
            raise CallError(_line_for_change(self, name, value))

    def keys(self) -> tuple[str, ...]:
        """Return the names in JSON, so that ``dict(node)`` has its fields."""
        return ("type", *self.__struct_encode_fields__)

    are_one: ClassVar[bool] = False
    """True if two adjacent nodes of the kind read the same as one with both values."""


def _line_for_change(node: Node, name: str, value: object) -> str:
    kind, other = type(node).__name__, f"replace(node, {name}={shown(value, width=30)})"
    behind = "" if kind == "Root" else f"; in its tree, {_IN_TREE.format(other=other)}"
    return f"{named(kind)} is immutable; write {other}, from ujsx.mdast.util import replace, which returns another{behind}"


_IN_TREE = (
    "tree = rewrite(tree, type(node), lambda each: {other} if each is node else each), "
    "from ujsx.mdast.util import rewrite"
)
"""The line for another node in the place of one."""


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


class Parent(Node, Answering, frozen=True):
    """A node with children; each kind declares which."""

    _instead: ClassVar[Mapping[str, str]] = {
        "to_string(node), from ujsx.mdast.util import to_string": "text title content value plaintext",
        "to_dict(node), from ujsx.mdast import to_dict": "tojson json modeldump modeldumpjson",
        "node.depth": "level",
        "node.children": "items nodes body",
    }

    def __post_init__(self) -> None:
        node: Any = self  # each kind declares its children
        children = node.children
        if type(children) is not tuple:
            nodes = _nodes_of(children, type(self).__name__)
            msgspec.structs.force_setattr(self, "children", nodes)

    def __repr__(self) -> str:
        """Return the constructor's call, with ``…`` for nodes too deep for Python's stack."""
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


Reference: TypeAlias = LinkReference | ImageReference | FootnoteReference
"""A node that leads to a definition."""


# --- Flow: blocks ---------------------------------------------------------------------------


class Paragraph(Parent, frozen=True):
    """A unit of discourse."""

    children: tuple[PhrasingContent, ...] = ()


class Heading(Parent, frozen=True):
    """A heading; ``depth`` is 1 to 6."""

    _also: ClassVar[Mapping[str, str]] = {"depth": "level"}

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

    _as_child: ClassVar[str] = "it is a block of mdast; write code({value}), or {element}"

    value: str
    lang: str | None = None
    meta: str | None = None

    def _as_node(self) -> None:
        """Return nothing: inline code may be meant."""


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

    _instead: ClassVar[Mapping[str, str]] = {
        "next(iter(root.find_all(mdast.Heading)), None)": "find findone select first query",
        "root.find_all(mdast.Heading)": "headings visit traverse",
        "sections(root), from ujsx.mdast.util import sections": "sections toc outline",
        _IN_TREE.format(other="other"): "replace replacenode",
        "Document(text), whose replace, insert and remove keep all other bytes, from ujsx.mdast.document import Document": "replacesection insert append remove edit update save",
        "to_markdown(root), from ujsx.mdast import to_markdown": "markdown text content dump",
        "to_dict(root), from ujsx.mdast import to_dict": "tojson json modeldump modeldumpjson",
        "from_mdast(root), from ujsx import from_mdast": "tree component",
        "root.children[0].value, YAML as text, where it is a Yaml": "frontmatter yaml metadata meta",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "_all": "findall selectall queryall walk iter descendants",
        "ujsx.mdast.to_markdown": "tomarkdown render stringify tostring",
        "ujsx.mdast.to_dict": "todict asdict",
        "ujsx.from_mdast": "toujsx totree",
    }

    children: tuple[RootContent, ...] = ()

    def _all(self, *kinds: Any) -> list[Node]:
        """Return all nodes of these kinds, or types such as "listItem", in document order; without a kind, all nodes."""
        classes = vars(import_module("ujsx.mdast"))
        kinds = tuple(
            classes.get(each[:1].upper() + each[1:]) if isinstance(each, str) else each
            for each in kinds
        )
        if not all(isinstance(kind, type) for kind in kinds):
            raise CallError("write root.find_all(mdast.Heading), a class, from ujsx import mdast")
        if all(issubclass(kind, Node) for kind in kinds):
            found: list[Node] = [*import_module("ujsx.mdast.util").find(self, *(kinds or (Node,)))]
            return found
        tree: Any = import_module("ujsx").from_mdast(self)  # its components are requested
        return tree.find_all(*kinds) if hasattr(tree, "find_all") else []


class UnknownNode(Node, frozen=True, tag="unknown"):
    """A node of an unknown type: kept unchanged, and refused when written.

    ``kind`` is its type; ``fields`` its fields other than that, ``data``, ``position``, and children.
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
"""Inline nodes."""

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
"""Block nodes."""

RootContent: TypeAlias = FlowContent | Yaml
"""The children of a document: blocks, and front matter as the first of them."""

AnyNode: TypeAlias = Root | RootContent | PhrasingContent | ListItem | TableRow | TableCell
"""Every node kind of the specification."""


# The content model of mdast, and the faults of a tree that violates it.

Content: TypeAlias = Literal["flow", "phrasing", "list", "table", "row"]
"""Kinds of content: blocks, inline content, and the parts of a list, of a table and of a row."""


@dataclass(frozen=True, slots=True)
class ContentModel:
    """The content kinds of a node and of its children.

    :param stands_as: its kinds of content, of which its place must allow one.
    :param holds: the kind of content of its children; ``None`` if it has none.
    :param is_transparent: whether its children are treated as if they were in its own place.

    Kinds of content are ``"flow"`` (blocks, and runs of inline content), ``"phrasing"`` (inline content), ``"list"``,
    ``"table"`` and ``"row"`` (items, rows, cells).
    """

    stands_as: tuple[Content, ...]
    holds: Content | None = None
    is_transparent: bool = False

    def fits(self, place: Content) -> bool:
        """Tell whether a place allows it.

        >>> CONTENT_MODELS[Strong].fits("flow"), CONTENT_MODELS[Paragraph].fits("phrasing")
        (True, False)
        """
        return self.is_transparent or not TAKES[place].isdisjoint(self.stands_as)


TAKES: Mapping[Content, frozenset[Content]] = MappingProxyType(
    {
        "flow": frozenset({"flow", "phrasing"}),  # a run of phrasing becomes a paragraph
        "phrasing": frozenset({"phrasing"}),
        "list": frozenset({"list"}),
        "table": frozenset({"table"}),
        "row": frozenset({"row"}),
    }
)
"""The content kinds allowed in each kind of place."""

FLOW = ContentModel(("flow",), "flow")
TRANSPARENT = ContentModel((), is_transparent=True)

_PARTS: Mapping[Content, tuple[type[Parent], type[Node], str]] = MappingProxyType(
    {
        "list": (List, ListItem, "Item"),
        "table": (Table, TableRow, "TableRow"),
        "row": (TableRow, TableCell, "TableCell"),
    }
)
"""Containers of parts, their part, and its component name."""

HOLDERS: Mapping[Content, tuple[str, str]] = MappingProxyType(
    {content: (holder.__name__, name) for content, (holder, _, name) in _PARTS.items()}
)
"""Containers of parts, and the name of their part."""

_CONTENT: Mapping[str, Content] = MappingProxyType(
    {
        "PhrasingContent": "phrasing",
        "FlowContent": "flow",
        **{part.__name__: content for content, (_, part, _) in _PARTS.items()},
    }
)
"""The kind of content by the name of what the field ``children`` holds."""


def _content_models() -> Iterator[tuple[type[Node], ContentModel]]:
    """Yield the content models from the nodes' type annotations, as they are written."""
    phrasing = get_args(PhrasingContent)
    for kind in get_args(AnyNode):
        if kind is Root:
            continue
        stands_as = "phrasing" if kind in phrasing else _CONTENT.get(kind.__name__, "flow")
        written: str = kind.__annotations__.get("children", "")
        holds = _CONTENT.get(written.removeprefix("tuple[").removesuffix(", ...]"))
        yield kind, ContentModel((stands_as,), holds)


CONTENT_MODELS: Mapping[type[Node], ContentModel] = MappingProxyType(dict(_content_models()))
"""The content model of each node. ``Html`` is inline, or a block among blocks."""


def refusal(name: str, model: ContentModel, place: Content) -> str:
    """Return the message about a name that a place does not allow, with the places that do.

    >>> refusal("Text", CONTENT_MODELS[Text], "list"), refusal("Item", CONTENT_MODELS[ListItem], "flow")
    ('a List holds Items, not a Text', 'an Item stands in a List only')
    """
    what = named(name)
    if place in HOLDERS:
        holder, part = HOLDERS[place]
        return f"a {holder} holds {part}s, not {what}"
    for content in model.stands_as:
        if content in HOLDERS:
            return f"{what} stands in a {HOLDERS[content][0]} only"
    return f"{what} is a block and cannot go inside inline text; put it next to the paragraph"


def named(name: str) -> str:
    """Return a name with its article.

    >>> named("Item"), named("Link")
    ('an Item', 'a Link')
    """
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


# The faults of an invalid mdast tree, searched only after an error.
#
# Nodes do not validate their fields, which would cost more than writing them. If a function fails on a tree, it is
# walked again here for an error with the fault and its place.

_IN_LINES = frozenset(get_args(PhrasingContent))
_BLOCKS = frozenset(get_args(RootContent)) - _IN_LINES
_KINDS = frozenset(get_args(AnyNode))


def _refuse_change(node: Node, name: str, value: object = None) -> NoReturn:
    raise AttributeError(_line_for_change(node, name, value))


for _kind in _KINDS:  # each frozen struct has its own method
    for _name in ("__setattr__", "__delattr__"):
        type.__setattr__(_kind, _name, _refuse_change)


RunT = TypeVar("RunT", bound=Callable[..., Any])


def refuses_depth(run: RunT) -> RunT:
    """Make a function refuse a tree that is too deep for the remaining call stack."""

    @wraps(run)
    def refusing(*args: Any, **options: Any) -> Any:
        try:
            return run(*args, **options)
        except RecursionError:
            raise MdastError(
                "the tree is nested too deep for the remaining call stack; flatten it"
            ) from None

    return cast("RunT", refusing)


def fault_in(tree: object) -> MdastError | None:
    """Return the error for the first invalid, misplaced or wrongly typed value in a tree.

    >>> print(fault_in(Text(None)))
    $.value: expected `str`, got `null`
    """
    stack: list[tuple[Any, str]] = [(tree, "$")]
    while stack:
        node, path = stack.pop()
        if not isinstance(node, Node):
            return MdastError(not_a_node(node), path=path)
        if type(node) in _KINDS:
            fields, allowed = _fields(type(node))
            for name, hint in fields.items():
                try:
                    msgspec.convert(getattr(node, name), hint)
                except msgspec.ValidationError as error:
                    return invalid(error, f"{path}.{name}")
            for index, child in enumerate(getattr(node, "children", ())):
                if type(child) in _KINDS and type(child) not in allowed:
                    where = f"{path}.children[{index}]"
                    return MdastError(misplaced(child, type(node), allowed), path=where)
        children: Any = getattr(node, "children", ())
        stack.extend(
            [(child, f"{path}.children[{index}]") for index, child in enumerate(children)][::-1]
        )
    return None


def invalid(error: msgspec.ValidationError, path: str) -> MdastError:
    """Return the error about a field of a wrong type, at its place.

    :param path: the place of the converted value.
    """
    problem, _, inner = str(error).partition(" - at `$")
    return MdastError(problem[0].lower() + problem[1:], path=path + inner.removesuffix("`"))


@cache
def _fields(kind: type[Node]) -> tuple[dict[str, Any], frozenset[type[Node]]]:
    """Return a kind's own fields with their types, and the allowed children."""
    hints = get_type_hints(kind)
    children = get_args(hints.pop("children", None))
    for name in ("position", "data"):
        del hints[name]
    hints = {name: hints[name] for name in kind.__struct_fields__ if name in hints}
    members = get_args(children[0]) or children[:1] if children else ()
    return hints, frozenset(members)


def not_a_node(value: Any) -> str:
    """Return the message about a value in place of a node, with the remedy."""
    what, advice = shown(value), "nodes are made by the classes of ujsx.mdast"
    if isinstance(value, str):
        advice = "a text is Text(...), in a Paragraph(...)"
    elif isinstance(value, dict):
        advice = "from_dict(...) makes a node of JSON data"
    elif type(value).__module__.split(".")[0] == "ujsx" or hasattr(value, "render"):
        advice = (
            "it is a component: ujsx.render(...) makes Markdown of it, ujsx.to_mdast(...) nodes"
        )
    return f"{what} is not an mdast node; {advice}"


def misplaced(
    node: Node, parent: type[Node] | None = None, allowed: frozenset[type[Node]] = frozenset()
) -> str:
    """Return the message about a misplaced node, with the places that allow it.

    >>> misplaced(Text("a"))
    'a Text is inline and not allowed among blocks; put it in a Paragraph'
    """
    name = type(node).__name__
    if parent is not None and len(allowed) == 1:
        return f"a {parent.__name__} holds {next(iter(allowed)).__name__}s, and no {name}"
    if type(node) in _BLOCKS:
        return f"a {name} is a block and cannot go inside inline text; put it next to the paragraph"
    if type(node) in _IN_LINES:
        return f"a {name} is inline and not allowed among blocks; put it in a Paragraph"
    return f"a {name} is only allowed in a list or a table"


def stands_in_line(node: Node) -> bool:
    """Tell whether a node is only allowed inline, and not among blocks.

    >>> stands_in_line(Text("a")), stands_in_line(Html("<hr>"))
    (True, False)
    """
    return type(node) in _IN_LINES and type(node) is not Html


def is_among_blocks(parent: Node) -> bool:
    """Tell whether the children of a node are blocks.

    >>> is_among_blocks(Root()), is_among_blocks(Paragraph())
    (True, False)
    """
    model = CONTENT_MODELS.get(type(parent))
    return type(parent) is Root or (model is not None and model.holds == "flow")


def is_known(node: Node) -> bool:
    """Return whether a node is of a kind that the specification has."""
    return type(node) in _KINDS


def base_kind(node: object) -> type[Any]:
    """Return the kind of the specification that a node is of, or is derived from; else its own class.

    A failing ``isinstance`` takes twice as long, as it asks the metaclass of structs.
    """
    kind: type[Any] = type(node)
    return kind if kind in _KINDS else next((base for base in kind.__mro__ if base in _KINDS), kind)


def may_hold(parent: Node, child: Node) -> bool:
    """Return whether the specification allows a node in another; both are of its kinds."""
    return type(child) in _fields(type(parent))[1]


# ``Extension``: Markdown beyond CommonMark and GFM, as data for reader and writer.

# Alerts: quotes whose first words name a kind, such as ``[!NOTE]``.
#
# In the specifications they are quotes with text; GitHub and others draw a box. The tree distinguishes them, so that
# untrusted text cannot become one, and one in a document stays one: the quote has the kind in its ``data``, as
# ``{"alert": "NOTE"}``, and its text starts with the words.

ALERT = "alert"
"""The key in the ``data`` of a ``Blockquote``."""

MARK = late_pattern(r"\[!([A-Za-z][A-Za-z0-9-]*)\]")
"""The start of an alert; its group is the kind."""

ALERT_LINE = late_pattern(
    r"\[!(?P<kind>[A-Za-z][A-Za-z0-9-]*)\](?P<fold>[+-]?)(?P<end>\n|[ ](?![ \n])|\Z)"
)
"""An alert's first line up to its title: the kind, whether it folds, and a space before a title."""


InlineRule: TypeAlias = Callable[[Any, bool], bool]
"""A rule of markdown-it: ``(state, silent)``. It parses at ``state.pos`` in ``state.src``, pushes tokens and advances,
or returns ``False``. ``silent`` is never true here.
"""

BlockRule: TypeAlias = Callable[[Any, int, int, bool], bool]
"""A rule of markdown-it: ``(state, start_line, end_line, silent)``. When ``silent`` it pushes nothing, and returns
whether its block would interrupt a paragraph.
"""

Build: TypeAlias = Callable[[Any, tuple[Any, ...]], Node]
"""From a token and its child nodes to a node."""

Handler: TypeAlias = Callable[[Any, Any], str]
"""From a node, and the state of the writing, to Markdown."""

Holds: TypeAlias = Literal["flow", "phrasing", "line"]
"""The content of a node: blocks, inline nodes, or inline nodes without a line end."""


class BlockReader(NamedTuple):
    """A block's rule, and its place among those of markdown-it."""

    name: str
    """Its name for other rules."""

    rule: BlockRule

    before: str = "fence"
    """The rule that it precedes."""

    interrupts: tuple[str, ...] = ("paragraph", "reference", "blockquote", "list")
    """The blocks that it interrupts."""


class LineStart(NamedTuple):
    """Markup at the start of a line; text that looks like it gets a backslash."""

    characters: str
    """Its first characters."""

    why: str
    """The name of the markup."""

    pattern: str
    """Its form, as a regular expression."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Extension:
    """An extension of Markdown: its rules for reading, its nodes, and their handlers for writing.

    :param name: its name in errors about a missing extension.
    :param inline: rules for inline markup, by its first character.
    :param blocks: rules for blocks.
    :param build: creates nodes from the rules' tokens, by the token's type: from a lone token, or for a closing one,
        from the opening token and the nodes between the two.
    :param change: converts blocks after reading, by their kind.
    :param phrasing: the handlers of its inline nodes.
    :param flow: the handlers of its blocks.
    :param holds: the content of its nodes with children.
    :param canonical: from a node with canonical children to the nearest one that can be written, or ``None``.
    :param unsafe: characters of texts with a meaning in its rules.
    :param line_starts: markup of its rules at the start of a line.
    """

    name: str
    inline: Mapping[str, InlineRule] = field(default_factory=dict[str, InlineRule])
    blocks: tuple[BlockReader, ...] = ()
    build: Mapping[str, Build] = field(default_factory=dict[str, Build])
    change: Mapping[type[Node], Callable[[Any], Node]] = field(
        default_factory=dict[type[Node], Callable[[Any], Node]]
    )
    phrasing: Mapping[type[Node], Handler] = field(default_factory=dict[type[Node], Handler])
    flow: Mapping[type[Node], Handler] = field(default_factory=dict[type[Node], Handler])
    holds: Mapping[type[Node], Holds] = field(default_factory=dict[type[Node], Holds])
    canonical: Mapping[type[Node], Callable[[Any], Node | None]] = field(
        default_factory=dict[type[Node], Callable[[Any], Node | None]]
    )
    unsafe: tuple[Any, ...] = ()
    line_starts: tuple[LineStart, ...] = ()
    plugin: Callable[[Any], None] | None = None
    """A plugin of markdown-it with additional rules; see ``extension_of``."""
    without: tuple[str, ...] = ()
    """The plugin's disabled rules."""
    read_back: frozenset[type[Node]] = frozenset()
    """Phrasing whose reading may depend on adjacent text: a paragraph with it is read back."""

    @property
    def nodes(self) -> tuple[type[Node], ...]:
        """The kinds of nodes that it adds."""
        return (*self.phrasing, *self.flow)


_PLACES: Mapping[str, tuple[str, str, str]] = {
    "admonitions": ("_plugins", "ADMONITIONS", "admonition admonitionTitle"),
    "alerts": ("_blocks", "ALERTS", "alert"),
    "definition-lists": ("_blocks", "DEFINITION_LISTS", "defList defListDescription defListTerm"),
    "directives": ("_inline", "DIRECTIVES", "containerDirective leafDirective textDirective"),
    "math": ("_inline", "MATH", "inlineMath math"),
    "toml": ("_blocks", "TOML", "toml"),
    "wiki-links": ("_inline", "WIKI_LINKS", "wikiLink"),
}
"""The extensions of the package: the module, which is above the reader and the writer, the name there, and the types of
nodes.
"""

_TYPES = {each: name for name, (_, _, types) in _PLACES.items() for each in types.split()}
"""The package's extension for each type of node beyond the specification."""

NAMES = tuple(_PLACES)
"""The names of the package's extensions."""


def resolved(extensions: Iterable[Extension | str]) -> tuple[Extension, ...]:
    """Return extensions, with names replaced by the extensions that they name.

    Raises ``MdastError`` for an unknown name.

    >>> [each.name for each in resolved(["math"])]
    ['math']
    """
    if isinstance(extensions, str):
        raise MdastError(f"extensions are a list; write extensions=[{extensions!r}]")
    return tuple([each if isinstance(each, Extension) else _named(each) for each in extensions])


def _named(name: object) -> Extension:
    if not isinstance(name, str) or name not in _PLACES:
        known = f"those of the package are {', '.join(_PLACES)}; GFM is read without one"
        if isinstance(name, str):
            raise MdastError(
                f"there is no extension {name!r}; {did_you_mean(name, _PLACES)} ({known})"
            )
        raise MdastError(
            f"{shown(name)} is not an extension: pass an Extension, or a name; {known}"
        )
    module, own, _ = _PLACES[name]
    extension: Extension = getattr(import_module(f"ujsx.mdast.extensions.{module}"), own)
    return extension


def kind_of(name: str) -> type[Node] | None:
    """Return the class of a node type of the package's extensions.

    >>> kind_of("wikiLink").__name__, kind_of("paragraph")
    ('WikiLink', None)
    """
    if name not in _TYPES:
        return None
    kinds = {str(kind.__struct_config__.tag): kind for kind in _named(_TYPES[name]).nodes}
    return kinds[name]


def home_of(name: str) -> str | None:
    """Return the package's extension for a type of node."""
    return _TYPES.get(name)

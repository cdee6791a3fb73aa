"""The content model of mdast, and the faults of a tree that does not follow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

import msgspec

from ujsx.errors import MdastError, shown
from ujsx.mdast import _nodes
from ujsx.mdast._nodes import List, ListItem, Node, Parent, Table, TableCell, TableRow

Content: TypeAlias = Literal["flow", "phrasing", "list", "table", "row"]
"""Blocks, what stands in a line, and the parts of a list, of a table and of a row."""


@dataclass(frozen=True, slots=True)
class ContentModel:
    """The content kind of a node, and the kinds that it holds.

    :param stands_as: kinds of content, of which its place has to take one.
    :param holds: the kind of content that its children stand in; ``None`` where it has none.
    :param is_transparent: whether its children stand where it stands, as if it were not there.

    Kinds of content are ``"flow"`` (blocks, and runs of what stands in a line), ``"phrasing"`` (what
    stands in a line), ``"list"``, ``"table"`` and ``"row"`` (items, rows, cells).
    """

    stands_as: tuple[Content, ...]
    holds: Content | None = None
    is_transparent: bool = False

    def fits(self, place: Content) -> bool:
        """Tell whether it may stand there.

        >>> CONTENT_MODELS[_nodes.Strong].fits("flow"), CONTENT_MODELS[_nodes.Paragraph].fits("phrasing")
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
"""What may stand in each kind of content."""

FLOW = ContentModel(("flow",), "flow")
TRANSPARENT = ContentModel((), is_transparent=True)

_PARTS: Mapping[Content, tuple[type[Parent], type[Node], str]] = MappingProxyType(
    {
        "list": (List, ListItem, "Item"),
        "table": (Table, TableRow, "TableRow"),
        "row": (TableRow, TableCell, "TableCell"),
    }
)
"""What holds parts, such a part, and what that is called among components."""

HOLDERS: Mapping[Content, tuple[str, str]] = MappingProxyType(
    {content: (holder.__name__, name) for content, (holder, _, name) in _PARTS.items()}
)
"""What holds parts, and what such a part is called."""

_CONTENT: Mapping[Any, Content] = MappingProxyType(
    {
        _nodes.PhrasingContent: "phrasing",
        _nodes.FlowContent: "flow",
        **{part: content for content, (_, part, _) in _PARTS.items()},
    }
)
"""By the type that the field ``children`` has."""


def _content_models() -> Iterator[tuple[type[Node], ContentModel]]:
    """Yield what the types of the nodes say; all of them are looked up at once, which is quick."""
    kinds: list[Any] = [kind for kind in get_args(_nodes.AnyNode) if kind is not _nodes.Root]
    fields = {
        kind.__name__: kind.__annotations__["children"]
        for kind in kinds
        if issubclass(kind, Parent)
    }
    hints = get_type_hints(SimpleNamespace(__annotations__=fields), {**vars(_nodes)})
    phrasing = get_args(_nodes.PhrasingContent)
    for kind in kinds:
        stands_as = "phrasing" if kind in phrasing else _CONTENT.get(kind, "flow")
        children = get_args(hints.get(kind.__name__))
        yield kind, ContentModel((stands_as,), _CONTENT[children[0]] if children else None)


CONTENT_MODELS: Mapping[type[Node], ContentModel] = MappingProxyType(dict(_content_models()))
"""By node. ``Html`` stands in a line, and among blocks as one."""


def refusal(name: str, model: ContentModel, place: Content) -> str:
    """Return why what is called that cannot stand in a place, and where it can.

    >>> refusal("Text", CONTENT_MODELS[_nodes.Text], "list"), refusal("Item", CONTENT_MODELS[ListItem], "flow")
    ('a List holds Items, not a Text', 'an Item stands in a List only')
    """
    what = named(name)
    if place in HOLDERS:
        holder, part = HOLDERS[place]
        return f"a {holder} holds {part}s, not {what}"
    for content in model.stands_as:
        if content in HOLDERS:
            return f"{what} stands in a {HOLDERS[content][0]} only"
    return f"{what} is a block and cannot go inside a line; put it next to the paragraph"


def named(name: str) -> str:
    """Return a name with its article.

    >>> named("Item"), named("Link")
    ('an Item', 'a Link')
    """
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


# The faults of a tree that is not an mdast tree: found when something went wrong, not before.
#
# Nodes do not check their fields: that would cost more than writing them. Where a tree cannot be walked,
# it is walked once more, here, for an error that says what is wrong and where.

_IN_LINES = frozenset(get_args(_nodes.PhrasingContent))
_BLOCKS = frozenset(get_args(_nodes.RootContent)) - _IN_LINES
_KINDS = frozenset(get_args(_nodes.AnyNode))


def fault_in(tree: object) -> MdastError | None:
    """Return the error of the first thing in a tree that is no node, misplaced, or of a wrong type.

    >>> print(fault_in(_nodes.Text(None)))
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
                    problem, _, inner = str(error).partition(" - at `$")
                    where = f"{path}.{name}{inner.removesuffix('`')}"
                    return MdastError(problem[0].lower() + problem[1:], path=where)
            for index, child in enumerate(getattr(node, "children", ())):
                if type(child) in _KINDS and type(child) not in allowed:
                    where = f"{path}.children[{index}]"
                    return MdastError(misplaced(child, type(node), allowed), path=where)
        children: Any = getattr(node, "children", ())
        stack.extend(
            [(child, f"{path}.children[{index}]") for index, child in enumerate(children)][::-1]
        )
    return None


@cache
def _fields(kind: type[Node]) -> tuple[dict[str, Any], frozenset[type[Node]]]:
    """Return a kind's own fields with their types, and what its children may be."""
    hints = get_type_hints(kind)
    children = get_args(hints.pop("children", None))
    for name in ("position", "data"):
        del hints[name]
    hints = {name: hints[name] for name in kind.__struct_fields__ if name in hints}
    members = get_args(children[0]) or children[:1] if children else ()
    return hints, frozenset(members)


def not_a_node(value: Any) -> str:
    """Return what is wrong with something that stands where a node belongs, and what to do."""
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
    """Return why a node cannot stand where it does, and where it can.

    >>> misplaced(_nodes.Text("a"))
    'a Text stands in a line, and not among blocks; put it in a Paragraph'
    """
    name = type(node).__name__
    if parent is not None and len(allowed) == 1:
        return f"a {parent.__name__} holds {next(iter(allowed)).__name__}s, and no {name}"
    if type(node) in _BLOCKS:
        return f"a {name} is a block and cannot go inside a line; put it next to the paragraph"
    if type(node) in _IN_LINES:
        return f"a {name} stands in a line, and not among blocks; put it in a Paragraph"
    return f"a {name} is a part of a list or a table, and cannot stand alone"


def stands_in_line(node: Node) -> bool:
    """Tell whether a node stands in a line alone, and not among blocks.

    >>> stands_in_line(_nodes.Text("a")), stands_in_line(_nodes.Html("<hr>"))
    (True, False)
    """
    return type(node) in _IN_LINES and type(node) is not _nodes.Html


def is_among_blocks(parent: Node) -> bool:
    """Tell whether the children of a node are blocks.

    >>> is_among_blocks(_nodes.Root()), is_among_blocks(_nodes.Paragraph())
    (True, False)
    """
    model = CONTENT_MODELS.get(type(parent))
    return type(parent) is _nodes.Root or (model is not None and model.holds == "flow")


def is_known(node: Node) -> bool:
    """Return whether a node is of a kind that the specification has."""
    return type(node) in _KINDS


def may_hold(parent: Node, child: Node) -> bool:
    """Return whether the specification lets a node stand in another; both are of its kinds."""
    return type(child) in _fields(type(parent))[1]

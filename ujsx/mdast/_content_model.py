"""The content model: which nodes each node may hold, as the mdast specification has it.

It follows from the types of the nodes' fields (``_nodes``). The transforms refuse by it, primitives
take theirs from it, schemas of trees say it, and layouts are checked with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

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
    return f"{what} is a block and cannot stand in a line; put it beside the paragraph"


def named(name: str) -> str:
    """Return a name with its article.

    >>> named("Item"), named("Link")
    ('an Item', 'a Link')
    """
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"

"""What may stand where: the content model of each node, as the mdast specification has it.

The one table of it. The transforms refuse by it, primitives take theirs from it, schemas of trees
say it, and layouts are checked with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

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
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    Yaml,
)

Content: TypeAlias = Literal["flow", "phrasing", "list", "table", "row"]
"""Blocks, what stands in a line, and the parts of a list, of a table and of a row."""


@dataclass(frozen=True, slots=True)
class ContentModel:
    """What a node stands as, and what it holds.

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
"""What may stand in each kind of content."""

FLOW = ContentModel(("flow",), "flow")
LINE = ContentModel(("flow",), "phrasing")
LEAF = ContentModel(("flow",))
PHRASING = ContentModel(("phrasing",), "phrasing")
WORD = ContentModel(("phrasing",))
TRANSPARENT = ContentModel((), is_transparent=True)

CONTENT_MODELS: Mapping[type[Node], ContentModel] = MappingProxyType(
    {
        Paragraph: LINE,
        Heading: LINE,
        ThematicBreak: LEAF,
        Blockquote: FLOW,
        List: ContentModel(("flow",), "list"),
        ListItem: ContentModel(("list",), "flow"),
        Code: LEAF,
        Definition: LEAF,
        FootnoteDefinition: FLOW,
        Table: ContentModel(("flow",), "table"),
        TableRow: ContentModel(("table",), "row"),
        TableCell: ContentModel(("row",), "phrasing"),
        Yaml: LEAF,
        Html: WORD,  # among blocks it is one
        Text: WORD,
        Emphasis: PHRASING,
        Strong: PHRASING,
        Delete: PHRASING,
        InlineCode: WORD,
        Break: WORD,
        Link: PHRASING,
        Image: WORD,
        LinkReference: PHRASING,
        ImageReference: WORD,
        FootnoteReference: WORD,
    }
)
"""By node."""

HOLDERS: Mapping[Content, tuple[str, str]] = MappingProxyType(
    {"list": ("List", "Item"), "table": ("Table", "TableRow"), "row": ("TableRow", "TableCell")}
)
"""What holds parts, and what such a part is called."""


def refusal(name: str, model: ContentModel, place: Content) -> str:
    """Return why what is called that cannot stand in a place, and where it can.

    >>> refusal("Text", WORD, "list"), refusal("Item", CONTENT_MODELS[ListItem], "flow")
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

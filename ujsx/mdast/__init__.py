r"""mdast: Markdown as a tree. Node classes, Markdown in and out, JSON in and out.

A tokenizer is imported by the first call of ``from_markdown``, and ``Document`` on first use, so that programs that
only build trees start fast.

>>> from ujsx.mdast import Paragraph, Root, Text, to_markdown
>>> to_markdown(Root(children=[Paragraph(children=[Text("1. a *b*")])]))
'1\\. a \\*b\\*\n'
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from ujsx.mdast._nodes import AlignType as AlignType
from ujsx.mdast._nodes import AnyNode as AnyNode
from ujsx.mdast._nodes import (
    Blockquote,
    Break,
    Code,
    Definition,
    Delete,
    Emphasis,
    Extension,
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
    Parent,
    Point,
    Position,
    Root,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    UnknownNode,
    Yaml,
)
from ujsx.mdast._nodes import PhrasingContent as PhrasingContent
from ujsx.mdast._nodes import ReferenceType as ReferenceType
from ujsx.mdast._normalize import normalize
from ujsx.mdast._writer import Disagreement as Disagreement
from ujsx.mdast._writer import Writer, second_opinion, to_markdown
from ujsx.mdast._writer import disagreements as disagreements
from ujsx.mdast._writer import first_difference as first_difference
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.util import from_dict, to_dict
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from ujsx.mdast.document import Document

__all__ = [
    "Blockquote",
    "Break",
    "Code",
    "Definition",
    "Delete",
    "Document",
    "Emphasis",
    "Extension",
    "FootnoteDefinition",
    "FootnoteReference",
    "Heading",
    "Html",
    "Image",
    "ImageReference",
    "InlineCode",
    "Link",
    "LinkReference",
    "List",
    "ListItem",
    "Node",
    "Paragraph",
    "Parent",
    "Point",
    "Position",
    "Root",
    "Strong",
    "Table",
    "TableCell",
    "TableRow",
    "Text",
    "ThematicBreak",
    "UnknownNode",
    "Writer",
    "Yaml",
    "from_dict",
    "from_markdown",
    "normalize",
    "second_opinion",
    "to_dict",
    "to_markdown",
]

on_demand(globals())


class _Package(ModuleType):
    """Keeps ``to_markdown`` and ``from_markdown`` functions.

    The import of a subpackage, also by path as in pytest, sets it as an attribute of the package, over a function of
    the same name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in ("from_markdown", "to_markdown")):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

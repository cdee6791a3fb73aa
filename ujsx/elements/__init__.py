"""The primitives: what every tree resolves into, and what every target has rules for.

They carry meaning, not looks, and together they can say everything that mdast can. Blocks and
inline text are told apart by where they may stand: see each class. ``strong("x")``, ``em("x")``,
``code("x")`` and ``link("x", url)`` are short forms for text in a line.

:func:`prose` makes the paragraphs of a longer text. :data:`PRIMITIVES` is the default vocabulary. It has all of them except :class:`TrustedMarkdown`,
which only an author's own code can place, and :class:`Brief` and :class:`Shortened`, which components say.
"""

from __future__ import annotations

from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import Vocabulary
from ujsx.elements._blocks import (
    BlockQuote,
    Brief,
    CodeBlock,
    Definition,
    FootnoteDefinition,
    FrontMatter,
    Heading,
    Html,
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Shortened,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
    prose,
)
from ujsx.elements._inline import (
    Emphasis,
    FootnoteReference,
    Image,
    ImageReference,
    InlineCode,
    LineBreak,
    Link,
    LinkReference,
    Strikethrough,
    Strong,
    code,
    em,
    link,
    strong,
)
from ujsx.elements._trusted import TrustedMarkdown
from ujsx.on_demand import on_demand

PRIMITIVES: Vocabulary = Vocabulary(
    Fragment,
    Section,
    Heading,
    Paragraph,
    List,
    Item,
    Strong,
    Emphasis,
    Strikethrough,
    InlineCode,
    CodeBlock,
    Link,
    Image,
    BlockQuote,
    Table,
    TableRow,
    TableCell,
    ThematicBreak,
    LineBreak,
    Omitted,
    Html,
    Definition,
    LinkReference,
    ImageReference,
    FootnoteReference,
    FootnoteDefinition,
    FrontMatter,
)
"""The default vocabulary: what ``load`` and ``h`` know when they are told nothing else."""

__all__ = [
    "PRIMITIVES",
    "BlockQuote",
    "Brief",
    "CodeBlock",
    "Definition",
    "Emphasis",
    "FootnoteDefinition",
    "FootnoteReference",
    "FrontMatter",
    "Heading",
    "Html",
    "Image",
    "ImageReference",
    "InlineCode",
    "Item",
    "LineBreak",
    "Link",
    "LinkReference",
    "List",
    "Omitted",
    "Paragraph",
    "Section",
    "Shortened",
    "Strikethrough",
    "Strong",
    "Table",
    "TableCell",
    "TableRow",
    "ThematicBreak",
    "TrustedMarkdown",
    "code",
    "em",
    "link",
    "prose",
    "strong",
]

on_demand(globals())

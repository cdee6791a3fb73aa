"""Primitives that stand as blocks.

Where a block takes blocks (a section, an item, a quote), inline children become paragraphs: a run
of text and inline components is one paragraph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_serializer

from ujsx import mdast
from ujsx.components._component import Component
from ujsx.components._element import Element
from ujsx.mdast._content_model import CONTENT_MODELS, FLOW, ContentModel
from ujsx.text._lines import paragraphs


class Section(Component):
    """A titled part. Its heading's depth follows from how many sections stand around it."""

    content_model = FLOW

    title: str
    """The heading's text; line breaks in it become spaces."""


class Heading(Component):
    """A heading of a given depth, for text that is not nested in sections."""

    content_model = CONTENT_MODELS[mdast.Heading]

    depth: Annotated[int, Field(ge=1, le=6)] = 1
    """1 for the highest, 6 for the lowest."""


class Paragraph(Component):
    """A paragraph of inline content."""

    content_model = CONTENT_MODELS[mdast.Paragraph]


class Brief(Paragraph):
    r"""A paragraph so short that it shares its line with others like it that stand beside it.

    In a document " · " stands between them, or what ``RenderContext.texts`` has for ``"brief.separator"``.

    >>> from ujsx import render
    >>> render([Brief()["3 notes"], Brief()["8 files"]])
    '3 notes · 8 files\n'
    """


class List(Component):
    """A list of items."""

    content_model = CONTENT_MODELS[mdast.List]

    ordered: bool = False
    """Whether the items are numbered."""

    start: Annotated[int, Field(ge=0, le=999_999_999)] = 1
    """The first number of an ordered list; nine digits at most (CommonMark 0.31.2, 5.2)."""

    spread: bool = False
    """Whether blank lines stand between the items."""


class Item(Component):
    """An item of a list."""

    content_model = CONTENT_MODELS[mdast.ListItem]

    checked: bool | None = None
    """Whether the item's task is done; None when the item is no task."""

    spread: bool = False
    """Whether blank lines stand between the item's own blocks."""


class BlockQuote(Component):
    """A quoted part, or an alert: a quote that GitHub and others draw as a box."""

    content_model = CONTENT_MODELS[mdast.Blockquote]

    alert: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9-]*$")] | None = None
    """The kind of alert, such as NOTE, TIP, IMPORTANT, WARNING or CAUTION; None for a quote. Text
    that starts like an alert does not make one."""

    fold: Literal["+", "-"] | None = None
    """Whether the alert folds, as Obsidian writes it behind the kind: open (``+``) or closed (``-``)."""

    titled: bool = False
    """Whether the first line of the first paragraph is the alert's title, beside its kind. GitHub draws no
    box around an alert that folds or has a title."""


class CodeBlock(Component):
    """A block of code, shown as it is."""

    content_model = CONTENT_MODELS[mdast.Code]
    takes_children: ClassVar[bool] = False

    value: str
    """The code."""

    lang: str | None = None
    """The language it is in."""

    meta: str | None = None
    """What else the info string says."""


class Table(Component):
    """A table; its first row is the head."""

    content_model = CONTENT_MODELS[mdast.Table]

    align: tuple[Literal["left", "right", "center"] | None, ...] = ()
    """How each column is aligned; None leaves it to the reader."""


class TableRow(Component):
    """A row of cells."""

    content_model = CONTENT_MODELS[mdast.TableRow]


class TableCell(Component):
    """A cell of inline content."""

    content_model = CONTENT_MODELS[mdast.TableCell]


class ThematicBreak(Component):
    """A rule between parts."""

    content_model = CONTENT_MODELS[mdast.ThematicBreak]
    takes_children: ClassVar[bool] = False


class Omitted(Component):
    """A mark for items that are not shown. Text can never look like it: it is set apart by markup.

    In a list it is written as the last item, elsewhere as a paragraph.
    """

    content_model = ContentModel(("phrasing", "list"))
    takes_children: ClassVar[bool] = False

    count: Annotated[int, Field(ge=1)]
    """How many items are not shown."""

    handle: str | None = None
    """The call that shows them."""

    text: str | None = None
    """What is written instead of "… 3 more"."""

    brief: bool = False
    """Whether the call is left out of the text; the account of a rendering has it all the same."""

    ids: tuple[str, ...] = ()
    """Which items they are. Not written: the account of a rendering has them."""

    @field_serializer("ids")
    def _told(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(ids)  # which may be read just now

    def __hash__(self) -> int:
        return hash((self.count, self.handle, self.text))  # ids may be many


class Shortened(Omitted):
    r"""A note for the account of a rendering: so many of the items that are shown say less than they could.

    A text is cut, or a detail is left out. It is not written: where a text is cut, an ellipsis says so.

    >>> from ujsx import Disclosure, render_document
    >>> class Port(Component):
    ...     disclosure = Disclosure()
    ...     def render(self, ctx, children):
    ...         return [Paragraph()["Port 8080 is…"], Shortened(count=1, handle="hud notes.list")]
    >>> cut = render_document(Port())
    >>> cut.text, cut.omitted[0].what
    ('Port 8080 is…\n', 'texts')
    """

    content_model = ContentModel(("phrasing", "flow", "list"))


class Html(Component):
    """Raw HTML, written as it is: a block among blocks, inline among inline content."""

    content_model = CONTENT_MODELS[mdast.Html]
    takes_children: ClassVar[bool] = False

    value: str
    """The HTML."""


class Definition(Component):
    """Where references with this identifier lead."""

    content_model = CONTENT_MODELS[mdast.Definition]
    takes_children: ClassVar[bool] = False

    identifier: str
    """The name by which references find it."""

    url: str
    """Where they lead."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""

    title: str | None = None
    """What the place is called."""


class FootnoteDefinition(Component):
    """The content of a footnote."""

    content_model = CONTENT_MODELS[mdast.FootnoteDefinition]

    identifier: str
    """The name by which references find it."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""


class FrontMatter(Component):
    """YAML at the very beginning of a document, without its fences."""

    content_model = CONTENT_MODELS[mdast.Yaml]
    takes_children: ClassVar[bool] = False

    value: str
    """The YAML."""


def prose(text: str) -> tuple[Element[Paragraph], ...]:
    r"""Return a text from outside as its paragraphs: a blank line parts two of them.

    All of it stays text. Where a text stands in a tree as it is, a blank line in it is a line end.

    >>> from ujsx import render
    >>> print(render(prose("One.\n\n# Two\nlines.")), end="")
    One.
    <BLANKLINE>
    \# Two
    lines.
    """
    return tuple([Element.of(Paragraph(), (each,)) for each in paragraphs(text)])

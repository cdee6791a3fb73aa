"""The primitives: every tree resolves into them, and every target has rules for them.

They carry meaning, not looks, and can express everything that mdast can. Each class states where it is allowed.
``strong("x")``, ``em("x")``, ``code("x")`` and ``link("x", url)`` are short forms for inline text.

:func:`prose` splits a longer text into paragraphs. :data:`PRIMITIVES` is the default vocabulary. It has all of them
except :class:`TrustedMarkdown`, which only an author's own code can place, and :class:`Brief` and :class:`Shortened`,
which components write.

Pydantic builds a primitive's validator when its props are first checked: most trees use few primitives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
from pydantic import Field, SkipValidation

from ujsx import mdast
from ujsx.calls import Answering, resolving
from ujsx.components._component import Component, Fragment, made_of
from ujsx.components._context import RenderContext
from ujsx.components._definition import advice
from ujsx.components._element import Child, Children, Element, Node, is_node
from ujsx.components._vocabulary import Vocabulary
from ujsx.errors import (
    CallError,
    DefinitionError,
    PropError,
    RenderError,
    UjsxError,
    did_you_mean,
    shown,
)
from ujsx.mdast._nodes import CONTENT_MODELS, FLOW, ContentModel
from ujsx.mdast.util import as_typed
from ujsx.on_demand import on_demand
from ujsx.text import escaped, paragraphs, unhidden

__all__ = [
    "PRIMITIVES",
    "BlockQuote",
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


# Primitives that stand as blocks.
#
# Where a block takes blocks (a section, an item, a quote), inline children become paragraphs: a run
# of text and inline components is one paragraph.


class Section(Component, defer_build=True):
    """A titled part. Its heading's depth follows from how many sections stand around it."""

    content_model = FLOW

    _hints: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("level", "depth"),
        "it follows from the sections around; write Heading(depth=2) for another",
    )

    title: str
    """The heading's text; line breaks in it become spaces."""


class Heading(Component, defer_build=True):
    """A heading of a given depth, for text that is not nested in sections."""

    content_model = CONTENT_MODELS[mdast.Heading]

    depth: Annotated[int, Field(ge=1, le=6)] = 1
    """1 for the highest, 6 for the lowest."""


class Paragraph(Component, defer_build=True):
    """A paragraph of inline content."""

    content_model = CONTENT_MODELS[mdast.Paragraph]


class Brief(Paragraph, defer_build=True):
    r"""A paragraph so short that it shares its line with others like it that stand beside it.

    In a document " · " stands between them, or what ``RenderContext.texts`` has for ``"brief.separator"``.

    >>> from ujsx import render
    >>> render([Brief()["3 notes"], Brief()["8 files"]])
    '3 notes · 8 files\n'
    """


class List(Component, defer_build=True):
    """A list of items."""

    content_model = CONTENT_MODELS[mdast.List]

    ordered: bool = False
    """Whether the items are numbered."""

    start: Annotated[int, Field(ge=0, le=999_999_999)] = 1
    """The first number of an ordered list; nine digits at most (CommonMark 0.31.2, 5.2)."""

    spread: bool = False
    """Whether blank lines stand between the items."""

    @classmethod
    def _text_child(cls, text: str) -> Node:
        return Item()[text]


class Item(Component, defer_build=True):
    """An item of a list."""

    content_model = CONTENT_MODELS[mdast.ListItem]

    checked: bool | None = None
    """Whether the item's task is done; None when the item is no task."""

    spread: bool = False
    """Whether blank lines stand between the item's own blocks."""


class BlockQuote(Component, defer_build=True):
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


class CodeBlock(Component, defer_build=True):
    """A block of code, shown as it is."""

    content_model = CONTENT_MODELS[mdast.Code]
    takes_children: ClassVar[bool] = False

    value: str
    """The code."""

    lang: str | None = None
    """The language it is in."""

    meta: str | None = None
    """What else the info string says."""


_HEADS = ("headers", "header", "head", "columns")
"""Other libraries' names for the first row of a table."""


class Table(Component, defer_build=True):
    """A table; its first row is the head."""

    content_model = CONTENT_MODELS[mdast.Table]

    _hints: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("rows", *_HEADS, "data"),
        'rows are children; write Table()[(TableRow()[(TableCell()[cell] for cell in row)] for row in [["a", "b"], ["1", "2"]])]',
    )

    align: tuple[Literal["left", "right", "center"] | None, ...] = ()
    """How each column is aligned; None leaves it to the reader."""

    @classmethod
    def _with_children(
        cls, values: tuple[Any, ...], props: Mapping[str, Any]
    ) -> tuple[Children, dict[str, Any]] | None:
        rest = {**props}
        heads = [rest.pop(each) for each in _HEADS if each in rest]
        bodies = [rest.pop(each) for each in ("rows", "data") if each in rest]
        if not rest and not heads and not bodies and all(isinstance(each, list) for each in values):
            *heads, body = values
            bodies, values = (
                ([body], ()) if body and isinstance(body[0], list | tuple) else ([], values)
            )
        if values or len(heads) > 1 or len(bodies) != 1:
            return super()._with_children(values, props)
        try:
            if isinstance(bodies[0][0], Mapping):  # records
                heads = heads or [[*bodies[0][0]]]
                bodies = [[[row[each] for each in heads[0]] for row in bodies[0]]]
            rows = [[*row] for row in (*heads, *bodies[0]) if not isinstance(row, str | Mapping)]
        except (TypeError, LookupError):
            return None
        if len(rows) != len(heads) + len(bodies[0]):
            return None
        return tuple(
            TableRow()[[TableCell()[_as_cell(each)] for each in row]] for row in rows
        ), rest


def _as_cell(value: Any) -> Child:
    """Return a number in a table of data as text; anything else unchanged."""
    child: Child = str(value) if type(value) in {int, float} else value
    return child


class TableRow(Component, defer_build=True):
    """A row of cells."""

    content_model = CONTENT_MODELS[mdast.TableRow]

    @classmethod
    def _text_child(cls, text: str) -> Node:
        return TableCell()[text]


class TableCell(Component, defer_build=True):
    """A cell of inline content."""

    content_model = CONTENT_MODELS[mdast.TableCell]


class ThematicBreak(Component, defer_build=True):
    """A rule between parts."""

    content_model = CONTENT_MODELS[mdast.ThematicBreak]
    takes_children: ClassVar[bool] = False


class Omitted(Component, defer_build=True):
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

    def __hash__(self) -> int:
        return hash((self.count, self.handle, self.text))  # ids may be many


class Shortened(Omitted, defer_build=True):
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


class Html(Component, defer_build=True):
    """Raw HTML, written as it is: a block among blocks, inline among inline content."""

    content_model = CONTENT_MODELS[mdast.Html]
    takes_children: ClassVar[bool] = False

    value: str
    """The HTML."""


class Definition(Component, defer_build=True):
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


class FootnoteDefinition(Component, defer_build=True):
    """The content of a footnote."""

    content_model = CONTENT_MODELS[mdast.FootnoteDefinition]

    identifier: str
    """The name by which references find it."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""


class FrontMatter(Component, defer_build=True):
    """YAML at the very beginning of a document, without its fences."""

    content_model = CONTENT_MODELS[mdast.Yaml]
    takes_children: ClassVar[bool] = False

    value: str
    """The YAML."""


def prose(text: str) -> tuple[Element[Paragraph], ...]:
    r"""Return the paragraphs of an untrusted text, separated by blank lines.

    All of it stays text. In a text that is a child itself, a blank line is only a line end.

    >>> from ujsx import render
    >>> print(render(prose("One.\n\n# Two\nlines.")), end="")
    One.
    <BLANKLINE>
    \# Two
    lines.
    """
    return tuple([Element.of(Paragraph(), (each,)) for each in paragraphs(text)])


# Inline primitives, and their short forms.


class Strong(Component, defer_build=True):
    """Important text."""

    content_model = CONTENT_MODELS[mdast.Strong]


class Emphasis(Component, defer_build=True):
    """Stressed text."""

    content_model = CONTENT_MODELS[mdast.Emphasis]


class Strikethrough(Component, defer_build=True):
    """Text that no longer holds."""

    content_model = CONTENT_MODELS[mdast.Delete]


class InlineCode(Component, defer_build=True):
    """Code in a line, shown as it is."""

    content_model = CONTENT_MODELS[mdast.InlineCode]
    takes_children: ClassVar[bool] = False

    value: str
    """The code."""


class Link(Component, defer_build=True):
    """A link; its children are what is shown."""

    content_model = CONTENT_MODELS[mdast.Link]

    url: str
    """Where it leads."""

    title: str | None = None
    """What the place is called."""


class Image(Component, defer_build=True):
    """An image."""

    content_model = CONTENT_MODELS[mdast.Image]
    takes_children: ClassVar[bool] = False

    url: str
    """Where it is."""

    alt: str = ""
    """The text that stands for it."""

    title: str | None = None
    """What it is called."""


class LineBreak(Component, defer_build=True):
    """A line break that is meant."""

    content_model = CONTENT_MODELS[mdast.Break]
    takes_children: ClassVar[bool] = False


class LinkReference(Component, defer_build=True):
    """A link whose place a Definition gives; its children are what is shown."""

    content_model = CONTENT_MODELS[mdast.LinkReference]

    identifier: str
    """The definition's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""

    reference_type: Literal["shortcut", "collapsed", "full"] = "full"
    """How it is written: [a], [a][] or [text][a]."""


class ImageReference(Component, defer_build=True):
    """An image whose place a Definition gives."""

    content_model = CONTENT_MODELS[mdast.ImageReference]
    takes_children: ClassVar[bool] = False

    identifier: str
    """The definition's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""

    reference_type: Literal["shortcut", "collapsed", "full"] = "full"
    """How it is written: ![a], ![a][] or ![text][a]."""

    alt: str = ""
    """The text that stands for it."""


class FootnoteReference(Component, defer_build=True):
    """A mark that leads to a footnote."""

    content_model = CONTENT_MODELS[mdast.FootnoteReference]
    takes_children: ClassVar[bool] = False

    identifier: str
    """The footnote's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""


_STRONG, _EMPHASIS = Strong(), Emphasis()  # without props, one instance is shared


def strong(*children: Child) -> Element[Strong]:
    """Return important text.

    >>> strong("x")
    Strong()['x']
    """
    return _STRONG[children[0] if len(children) == 1 else children]


def em(*children: Child) -> Element[Emphasis]:
    """Return stressed text."""
    return _EMPHASIS[children[0] if len(children) == 1 else children]


def code(value: str) -> InlineCode:
    """Return inline code."""
    if type(value) is str:  # there is nothing to check
        return made_of(InlineCode, {"value": value}, {"value"})
    return InlineCode(value=value)


@resolving(write='write link("text", url="https://…")', url="href to")
def link(text: Child, url: str, title: str | None = None) -> Element[Link]:
    """Return a link to ``url`` that shows ``text``."""
    if type(url) is str and (title is None or type(title) is str):  # there is nothing to check
        return made_of(Link, {"url": url, "title": title}, {"url", "title"})[text]
    return Link(url=url, title=title)[text]


# Markdown that the author vouches for.


class TrustedMarkdown(Component, defer_build=True):
    """Markdown from the author's own code, parsed into its place.

    Its structure becomes part of the tree, inside its parent: a heading in it is a heading of the
    document. Never give it text from an agent, a tool or a user; put that in the tree as it is. No
    vocabulary has it, so it cannot come in through data.
    """

    takes_children: ClassVar[bool] = False

    source: str
    """The Markdown."""


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
"""The default vocabulary of ``load``."""


# Lines with holes: one declaration to write values into a tree and read them back.

_MARKS: dict[str, tuple[type[Any], Component | None]] = {
    "": (mdast.Text, None),
    "**": (mdast.Strong, Strong()),
    "*": (mdast.Emphasis, Emphasis()),
    "~~": (mdast.Delete, Strikethrough()),
    "`": (mdast.InlineCode, None),
}
"""The nodes for the text between two occurrences of a mark: in mdast, and in the universal tree."""

_LITERAL = frozenset({mdast.Text, mdast.InlineCode})
"""The nodes that hold their text themselves."""

_MARKED = re.compile(r"(?P<mark>\*\*|~~|\*|`)(?P<marked>.+?)(?P=mark)|(?P<text>[^*~`]+)")

_NONE: Mapping[str, str] = MappingProxyType({})

ANYTHING = ".+"
"""The default pattern of a hole: a text that is not empty."""


class Segment(NamedTuple):
    """A part of a template under one mark, or under none."""

    mark: str
    parts: tuple[tuple[str, int | None], ...]
    """Literal texts, each with the number of the hole after it."""
    pattern: re.Pattern[str]
    """The pattern that reads it."""

    def filled(self, values: Sequence[str]) -> Node:
        """Return the part with its holes filled."""
        text = "".join(
            [literal if hole is None else literal + values[hole] for literal, hole in self.parts]
        )
        if self.mark == "`":
            return code(text)
        parent = _MARKS[self.mark][1]
        return text if parent is None else Element(parent, (text,), None, True)


class Template(Answering):
    r"""A line with holes: ``"**{summary}** — {details}"``.

    ``**strong**``, ``*emphasis*``, ``~~struck through~~`` and `` `code` `` mark stretches of it;
    they do not nest. ``{name}`` is a hole, ``{{`` a brace. What fills a hole is text and stays text,
    whatever characters it has. The same line, written as Markdown and parsed, is read back into
    the values.

    :param source: the line, from an author and never from data.
    :param fields: the names for holes, in the order of the values; those of the line in order when ``None``.
    :param patterns: the regular expression of each hole; any text by default. Two holes for any text need something
        other than text between them.
    :raises DefinitionError: for a source that cannot be read back.

    >>> from ujsx import render
    >>> from ujsx.elements import Paragraph
    >>> line = Template("**{name}** is {age} years old", patterns={"age": r"\d+"})
    >>> print(render(Paragraph()[line.fill("Ada *L*", "36")]), end="")
    **Ada \*L\*** is 36 years old
    >>> from ujsx.mdast import from_markdown
    >>> line.read(from_markdown("**Ada** is 36 years old").children[0].children)
    {'name': 'Ada', 'age': '36'}
    """

    __slots__ = ("fields", "holes", "patterns", "segments", "source")

    _also: ClassVar[Mapping[str, str]] = {"_rendered": "render format invoke substitute"}

    def _rendered(self, values: Mapping[str, object] = _NONE, /, **named: object) -> str:
        """Return the filled line as Markdown."""
        given = {**values, **named}
        if given.keys() != {*self.fields}:
            fields = ", ".join(f"{each}=…" for each in self.fields)
            raise CallError(
                f"{shown(self.source)} has these holes; write template.render({fields})"
            )
        filled = self.fill(*(str(given[each]) for each in self.fields))
        line: str = import_module("ujsx").render(Paragraph()[filled])
        return line.removesuffix("\n")

    @resolving(write='write Template("**{name}**").fill("Ada")')
    def __init__(
        self,
        source: str,
        fields: Sequence[str] | None = None,
        *,
        patterns: Mapping[str, str] = _NONE,
    ) -> None:
        holes = _holes(source)
        self.source = source
        self.patterns = patterns
        self.fields: tuple[str, ...] = holes if fields is None else tuple(fields)
        """The names of the values, in the order of ``fill``."""
        self.holes = frozenset(holes)
        """The names with a hole in the line."""
        for name in holes:
            if name not in self.fields:
                hint = did_you_mean(name, self.fields)
                raise DefinitionError(f"{shown(source)}: nothing fills {{{name}}}; {hint}")
        for name in patterns:
            if name not in holes:
                hint = did_you_mean(name, holes)
                raise DefinitionError(f"{shown(source)} has no hole {{{name}}}; {hint}")
        self.segments: tuple[Segment, ...] = tuple(_segments(source, patterns, self.fields))

    @classmethod
    @lru_cache(maxsize=512)
    def of(cls, source: str, fields: tuple[str, ...] | None = None) -> Self:
        """Return the template of a line, the same object for the same line."""
        return cls(source, fields)

    def fill(self, *values: str) -> Children:
        """Return the line as inline nodes of the universal tree.

        :param values: a text for each of the fields.
        """
        return tuple([segment.filled(values) for segment in self.segments])

    def nodes(self, *values: str) -> list[mdast.Node]:
        """Return the line as :meth:`read` takes it.

        :param values: a text for each of the fields.
        """
        found: list[mdast.Node] = []
        for segment in self.segments:
            bare: Any = segment._replace(mark="").filled(values)
            of, text = _MARKS[segment.mark][0], escaped(bare)
            found.append(of(text if of in _LITERAL else (mdast.Text(text),)))
        return found

    def read(self, nodes: Sequence[mdast.Node]) -> dict[str, str] | None:
        """Return the values of a parsed line's holes, or ``None`` for a line that does not match.

        :param nodes: the children of an mdast paragraph. An address that links to itself is text.

        >>> from ujsx.mdast import from_markdown
        >>> Template("at {place}").read(from_markdown("at https://a.b").children[0].children)
        {'place': 'https://a.b'}
        """
        nodes = _addresses_as_text(nodes)
        if len(nodes) != len(self.segments):
            return None
        values: dict[str, str] = {}
        for segment, node in zip(self.segments, nodes, strict=True):
            if type(node) is not _MARKS[segment.mark][0]:
                return None
            text = _text_of(node)
            match = None if text is None else segment.pattern.fullmatch(text)
            if match is None:
                return None
            values.update(match.groupdict())
        return values

    def __repr__(self) -> str:
        given = f", patterns={dict(self.patterns)}" if self.patterns else ""
        return f"Template({self.source!r}{given})"

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Template)
            and self.source == other.source
            and self.fields == other.fields
            and self.patterns == other.patterns
        )

    def __hash__(self) -> int:
        return hash(self.source)


def _segments(source: str, patterns: Mapping[str, str], fields: Sequence[str]) -> Iterator[Segment]:
    end = 0
    for match in _MARKED.finditer(source):
        if match.start() != end:
            break
        end = match.end()
        yield _segment(match["mark"] or "", match["marked"] or match["text"], patterns, fields)
    if end != len(source) or not source:
        raise DefinitionError(
            f"{shown(source)}: a line is not empty, and its marks are in pairs and not nested"
        )


def _segment(
    mark: str, content: str, patterns: Mapping[str, str], fields: Sequence[str]
) -> Segment:
    parts: list[tuple[str, int | None]] = []
    reads: list[str] = []
    is_open = False
    for literal, name in _parsed(content):
        reads.append(re.escape(literal))
        if name is None:
            parts.append((literal, None))
            continue
        if name not in patterns:
            if is_open:
                raise DefinitionError(
                    f"{shown(content)}: nothing tells where {{{name}}} starts, as either may be any text; mark it, as in "
                    f"{shown(_marked(mark, content, name))}, or give a pattern: Template(…, patterns={{{name!r}: r'\\d+'}})"
                )
            is_open = True
        parts.append((literal, fields.index(name)))
        reads.append(f"(?P<{name}>{patterns.get(name, ANYTHING)})")
    return Segment(mark, tuple(parts), re.compile("".join(reads), re.DOTALL))


def _marked(mark: str, content: str, name: str) -> str:
    """Return the line with an own mark for the hole of that name.

    >>> _marked("", "{what} by {who}", "who"), _marked("**", "{what} {who}!", "who")
    ('{what} by *{who}*', '**{what}** *{who}*!')
    """
    before, hole, after = content.partition(f"{{{name}}}")
    words = before.rstrip(" ")
    own = "**" if mark == "*" else "*"
    return f"{mark}{words}{mark}{before[len(words) :]}{own}{hole}{own}{after}"


def _holes(source: str) -> tuple[str, ...]:
    names = [name for _, name in _parsed(source) if name is not None]
    for name in names:
        if not name.isidentifier() or names.count(name) > 1:
            field = re.match(r"\w*", name)
            write = f"; write {{{field[0]}}}" if field and field[0] and field[0] != name else ""
            more = f"{write}, and give what is computed a field of its own" if write else ""
            if " if " in name:
                more = '; write a line for each case: (Wording("…", {"field": True}), "…"), from hud_components import Wording'
            raise DefinitionError(
                f"{shown(source)}: a hole is a name in braces, once in a line, not {{{name}}}{more}"
            )
    return tuple(names)


def _parsed(source: str) -> list[tuple[str, str | None]]:
    try:
        parsed = list(Formatter().parse(source))
    except ValueError as error:
        raise DefinitionError(f"{shown(source)}: {error}; a brace is written twice") from None
    return [
        (literal, None if name is None else _as_written(name, conversion, format_))
        for literal, name, format_, conversion in parsed
    ]


def _as_written(name: str, conversion: str | None, format_: str | None) -> str:
    """Return the text in the braces of a hole."""
    return name + (f"!{conversion}" if conversion else "") + (f":{format_}" if format_ else "")


def _addresses_as_text(nodes: Sequence[mdast.Node]) -> Sequence[mdast.Node]:
    """Return phrasing with each address that links to itself as text, in one node with the texts beside it."""
    if mdast.Link not in {*map(type, nodes)}:
        return nodes
    made: list[mdast.Node] = []
    for node in nodes:
        text = as_typed(node)
        if made and type(made[-1]) is mdast.Text and text is not None:
            made[-1] = mdast.Text(made[-1].value + text)
        else:
            made.append(node if text is None else mdast.Text(text))
    return made


def _text_of(node: Any) -> str | None:
    if not isinstance(node, (mdast.Text, mdast.InlineCode)):
        (node, *others) = _addresses_as_text(node.children) or (None,)
        if others or type(node) is not mdast.Text:
            return None
    return unhidden(node.value)


# The items of a list, from rows of values.

_ITEM = Item()


class ForEach(Component, defer_build=True):
    """Items of a list: each row is a template with the texts of its holes, an ``Item``, or whatever ``each`` makes one of.

    A renderer that is kept asks ``each`` for the rows that are new or changed alone, so it goes by its row, a
    value that can be hashed, and is a function of a module, a method, or made once: another one is asked for all of them.

    >>> from ujsx import render
    >>> from ujsx.elements import List
    >>> row = Template("**{name}**: {role}")
    >>> team = ForEach(rows=((row, "Ada", "analyst"), (row, "Grace", "admiral")))
    >>> print(render(List()[team]), end="")
    - **Ada**: analyst
    - **Grace**: admiral
    >>> def port(number):
    ...     return Item()[f"Port {number}"]
    >>> print(render(List()[ForEach(rows=(80, 443), each=port)]), end="")
    - Port 80
    - Port 443
    """

    content_model = ContentModel(("list",))
    takes_children: ClassVar[bool] = False

    rows: SkipValidation[tuple[Any, ...]]
    """The rows, from the first to the last."""

    each: SkipValidation[Any] = None
    """Makes the node of a row, such as an ``Item``, or a ``TableRow`` in a table; rows are nodes or those of a template when ``None``."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        """Return the items, one for each row."""
        return list(map(self.made_of, self.rows))

    def __eq__(self, other: object) -> bool:
        if self.each is None and type(other) is ForEach:  # equal texts and nodes render the same
            return other.each is None and self.rows == other.rows
        return super().__eq__(other)

    __hash__ = Component.__hash__

    @property
    def made_of(self) -> Callable[[Any], Any]:
        """The function that creates a node from a row."""
        if self.each is None:
            return item_of
        return _NodeOf(self.each)


ForEach._open_props = ()  # noqa: SLF001 - hashing every row would cost as much as writing it


class _NodeOf(msgspec.Struct, frozen=True):
    """A user's function, whose errors are reported like those of a ``render``."""

    function: Callable[[Any], Any]

    def __call__(self, row: Any) -> Any:
        try:
            hash(row)
        except TypeError:
            kind: type[Any] = row.__class__
            raise RenderError(
                f"rows are compared by value, and {shown(row)} is not hashable; {advice(kind)}"
            ) from None
        try:
            made = self.function(row)
        except UjsxError:
            raise
        except Exception as error:
            name = type(error).__name__
            raise RenderError(f"its each raised {name}: {error}") from error
        if is_node(made):
            return made
        raise RenderError(f"its each makes one node of a row, such as an Item, not {shown(made)}")


def item_of(row: Any) -> Node:
    """Return a row of a template as an item, and any other as it is.

    :raises PropError: for what is no row.
    """
    kind: type[Any] = row.__class__
    return _item(*row) if kind is tuple else row


def _item(template: object = None, *values: Any) -> Element[Item]:
    if type(template) is not Template or len(values) != len(template.fields):
        row = (template, *values) if template is not None else ()
        raise PropError(
            f"a row is a Template with a text for each of its holes, not {shown(row)}",
            path="ForEach.rows",
        )
    for value in values:
        if not isinstance(value, str):
            raise PropError(
                f"a hole takes a text, not {shown(value)} ({type(value).__name__}); write str(…)",
                path="ForEach.rows",
            )
    return Element(_ITEM, template.fill(*values), None, True)

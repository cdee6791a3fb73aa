"""Lines with holes: one declaration that writes values into a tree and reads them back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from ujsx import mdast
from ujsx.components._component import Component
from ujsx.components._element import Children, Element, Node
from ujsx.elements import Emphasis, Strikethrough, Strong, code
from ujsx.errors import DefinitionError, did_you_mean, shown
from ujsx.text._hidden import unhidden

_MARKS: dict[str, tuple[type[Any], Component | None]] = {
    "": (mdast.Text, None),
    "**": (mdast.Strong, Strong()),
    "*": (mdast.Emphasis, Emphasis()),
    "~~": (mdast.Delete, Strikethrough()),
    "`": (mdast.InlineCode, None),
}
"""What stands between a mark and its next occurrence: in mdast, and in the universal tree."""

_MARKED = re.compile(r"(?P<mark>\*\*|~~|\*|`)(?P<marked>.+?)(?P=mark)|(?P<text>[^*~`]+)")

_NONE: Mapping[str, str] = MappingProxyType({})

ANYTHING = ".+"
"""What a hole reads when nothing else is said: a text that is not empty."""


class Segment(NamedTuple):
    """A stretch of a template under one mark, or under none."""

    mark: str
    parts: tuple[tuple[str, int | None], ...]
    """Literal texts, each with the number of the hole after it."""
    pattern: re.Pattern[str]
    """What it reads."""

    def filled(self, values: Sequence[str]) -> Node:
        """Return the stretch with its holes filled."""
        text = "".join(
            [literal if hole is None else literal + values[hole] for literal, hole in self.parts]
        )
        if self.mark == "`":
            return code(text)
        parent = _MARKS[self.mark][1]
        return text if parent is None else Element(parent, (text,), None, True)


class Template:
    r"""A line with holes: ``"**{summary}** — {details}"``.

    ``**strong**``, ``*emphasis*``, ``~~struck through~~`` and `` `code` `` mark stretches of it;
    they do not nest. ``{name}`` is a hole, ``{{`` a brace. What fills a hole is text and stays text,
    whatever characters it has. The same line, written as Markdown and parsed, is read back into
    the values.

    :param source: the line. It comes from an author, never from data.
    :param fields: the names that holes may have, in the order in which values are given; those of
        the line in their order when ``None``.
    :param patterns: by hole, the regular expression of what it reads; any text when not given.
        Two holes that read any text need something other than text between them.
    :raises DefinitionError: for a source that could not be read back.

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
        """The names of the values, in the order in which ``fill`` takes them."""
        self.holes = frozenset(holes)
        """Those that the line has a hole for."""
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

    def read(self, nodes: Sequence[mdast.Node]) -> dict[str, str] | None:
        """Return what filled the holes of a parsed line, or ``None`` if the line is another.

        :param nodes: the children of an mdast paragraph.
        """
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
            f"{shown(source)}: a line holds something, and its marks come in pairs and do not nest"
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
    """The line with a mark of its own for the hole of that name.

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
            raise DefinitionError(
                f"{shown(source)}: a hole is a name in braces, once in a line, not {{{name}}}"
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
    """Return what stands in the braces of a hole."""
    return name + (f"!{conversion}" if conversion else "") + (f":{format_}" if format_ else "")


def _text_of(node: Any) -> str | None:
    if not isinstance(node, (mdast.Text, mdast.InlineCode)):
        (node, *others) = node.children or (None,)
        if others or type(node) is not mdast.Text:
            return None
    return unhidden(node.value)

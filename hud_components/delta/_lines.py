"""The lines of a HUD's text, read from renderings, and what a reader was told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from ujsx import Density, Rendered, mdast

CUT = "…"
"""Stands at the end of a name of which only the beginning is said."""

WIDTHS = (24, 40, 80, 160, 320)
"""Characters of a name that are enough, where no other line begins with them."""


class Line(msgspec.Struct, frozen=True):
    """Something that a HUD says."""

    title: str
    """The heading right above it; empty where there is none."""

    text: str
    """What it says: Markdown, as an item of a list."""

    name: str
    """The same without its marks, on one line."""


class ReadLine(NamedTuple):
    """A line, the item that says it, and where that begins in the text."""

    line: Line
    item: mdast.ListItem
    offset: int = 0


def lines_of(markdown: str, *, has_title: bool = True) -> list[ReadLine]:
    r"""Return the lines of a text, in their order.

    :param has_title: whether a heading at its very beginning is the title of all of it.

    >>> [each.line.text for each in lines_of("# HUD\n\n## Notes\n\n- Port 8080\n\n🟢 12%\n")]
    ['- Port 8080', '- 🟢 12%']
    """
    return list(lines_in(mdast.from_markdown(markdown).children, 1 if has_title else 0))


def lines_in(blocks: Sequence[Any], first: int) -> Iterator[ReadLine]:
    """Yield the lines of blocks, in their order; a heading before the first is the title of all."""
    for place, block in enumerate(blocks):
        above = blocks[place - 1] if place > first else None
        title = plain(above) if is_heading(above) else ""
        if isinstance(block, mdast.List):
            for item in block.children:
                yield as_line(title, item, _offset(item))
        elif not is_heading(block) and not _is_comment(block):
            yield as_line(title, mdast.ListItem(children=(block,)), _offset(block))


def is_heading(block: object) -> bool:
    """Tell whether lines stand under a block."""
    return isinstance(block, mdast.Heading)


def under(line: ReadLine, title: str) -> ReadLine:
    """Return a line under a heading."""
    return line._replace(line=msgspec.structs.replace(line.line, title=title))


def _is_comment(block: mdast.Node) -> bool:
    """Whether it says nothing: it keeps two lists apart."""
    return isinstance(block, mdast.Html) and block.value.startswith("<!--")


def _offset(node: mdast.Node) -> int:
    position = node.position
    return 0 if position is None else position.start.offset or 0


def as_line(title: str, item: mdast.ListItem, offset: int = 0) -> ReadLine:
    """Return an item as a line, however far apart its list's items stand."""
    alone = mdast.ListItem(
        children=item.children, checked=item.checked, spread=len(item.children) > 1
    )
    text = mdast.to_markdown(mdast.Root(children=(mdast.List(children=(alone,)),))).strip("\n")
    return ReadLine(Line(title, text, plain(item)), alone, offset)


def plain(node: Any) -> str:
    r"""Return what a node says, without its marks and on one line.

    >>> plain(mdast.from_markdown("**Use** `JWT`\n\nalways"))
    'Use JWT always'
    """
    return " ".join("".join(_words(node)).split())


def _words(node: Any) -> Iterator[str]:
    if isinstance(node, mdast.Parent):
        children: Sequence[Any] = getattr(node, "children", ())
        for child in children:
            yield from _words(child)
        if not isinstance(node, _PHRASING):
            yield " "
    else:
        yield getattr(node, "value", None) or getattr(node, "alt", None) or " "


_PHRASING = (mdast.Emphasis, mdast.Strong, mdast.Delete, mdast.Link, mdast.LinkReference)


def named(lines: Sequence[Line], title: str, name: str) -> Line | None:
    """Return the one line under a title that a name means; ``None`` where that is none, or several.

    >>> lines = [Line("Notes", "- Port 8080 is free", "Port 8080 is free")]
    >>> named(lines, "Notes", "Port 8080…") is lines[0]
    True
    """
    here = [each for each in lines if each.title == title]
    found = [each for each in here if each.name == name]
    if not found and name.endswith(CUT):
        found = [each for each in here if each.name.startswith(name.removesuffix(CUT))]
    return found[0] if len(found) == 1 else None


def name_of(lines: Sequence[Line], line: Line) -> str | None:
    """Return the shortest name that means a line among all; ``None`` where none does."""
    names = [line.name[:width].rstrip() + CUT for width in WIDTHS if width < len(line.name)]
    return next(
        (each for each in (*names, line.name) if named(lines, line.title, each) is line), None
    )


# Renderings read into lines, piece by piece: what was read the last time is not read again.

_JOINS = re.compile(r"^ {0,3}(?:\[[^\]\n]+\]:|<(?!!--[^>\n]*-->$))", re.MULTILINE)
"""What tells of other parts of a text, or takes them in: definitions, and HTML that may not end."""


class _Chunk(NamedTuple):
    """What was read of a part of a text that begins behind a blank line."""

    lines: tuple[ReadLine, ...]

    bare: int
    """How many of them stand under the heading that ends what is before it."""

    heading: str
    """The heading that ends it."""


class LineReader:
    """Reads the lines of renderings, and keeps those of the texts that it read last.

    What it reads is what :func:`lines_of` reads of the whole. It is not to be shared between threads.
    """

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: dict[tuple[str, int], _Chunk] = {}
        self._before: dict[tuple[str, int], _Chunk] = {}

    def turn(self) -> None:
        """Begin to read another rendering: what is not read again until the next one is forgotten."""
        self._before, self._now = self._now, {}

    def alone(self, text: str) -> list[ReadLine]:
        """Return the lines of a text without a title of its own."""
        return [*self._read(text, 0).lines]

    def whole(self, rendered: Rendered) -> list[ReadLine]:
        """Return the lines of a rendering."""
        text = rendered.text
        return lines_of(text) if _JOINS.search(text) else [*self._by_chunk(text, _starts(rendered))]

    def _by_chunk(self, text: str, starts: list[int]) -> Iterator[ReadLine]:
        above, first = "", 1
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            chunk = self._read(text[start:end], first)
            for number, each in enumerate(chunk.lines):
                line = under(each, above) if above and number < chunk.bare else each
                yield line._replace(offset=start + each.offset)
            above, first = chunk.heading, 0

    def _read(self, text: str, first: int) -> _Chunk:
        """What a part of a text says; its first blocks may be the title of the whole."""
        key = text, first
        chunk = self._now.get(key) or self._before.get(key)
        if chunk is None:
            blocks = mdast.from_markdown(text).children
            bare = len([*lines_in(blocks[:1], 0)])
            last = blocks[-1] if len(blocks) > first else None
            heading = plain(last) if is_heading(last) else ""
            chunk = _Chunk(tuple(lines_in(blocks, first)), bare, heading)
        self._now[key] = chunk
        return chunk


def _starts(rendered: Rendered) -> list[int]:
    """Where parts of a rendering begin that are blocks by themselves."""
    text = rendered.text
    starts = {node.start for node in rendered.nodes if text.startswith("\n\n", node.start)}
    return sorted({0, *starts})


# The record of what a reader was sent: data that can be kept, as JSON too.
#
# It is kept by the state's own names: the lines of a section's items by what names those items, those of
# any other part of a HUD by numbers. So an item is followed whether a later rendering shows it or not.


class Stand(msgspec.Struct, frozen=True):
    """How a part of a HUD was told."""

    density: Density
    """That of the rung it stood on."""

    limit: int | None = None
    """How many items that rung shows."""

    by_item: bool = False
    """Whether its lines are those of items."""

    more: tuple[int, int] | None = None
    """How many items were never told, and how many of those are done; None where nothing says so."""

    width: int | None = None
    """How many characters of an item's text that rung shows, where its density does not say that."""

    detailed: int | None = None
    """How many items that rung shows in detail, where not all."""

    in_changes: bool | msgspec.UnsetType = msgspec.UNSET
    """False where changes do not tell of it: what was told of it stays as it was. Else nothing is kept."""


class KnownLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a reader knows, and what it is about."""

    part: str
    """The part of the HUD, by its name and its number among those of that name."""

    key: str
    """What names the item within it."""

    line: Line

    is_told: bool = True
    """Whether a delivery told it as it stands; else the messages of the request show the item, or a line that names several."""

    shown: str | None = None
    """The text of the line as newer messages of the request show the item, or as a line says it that names several; empty
    where the item has ended."""

    after: str = ""
    """The digest of the newest message when it was told, or last seen in the request."""

    @property
    def is_seen(self) -> bool:
        """True if the messages of the request alone show the item."""
        return not self.is_told and self.shown is None

    @property
    def known(self) -> str:
        """The text of the line that the reader knows."""
        return self.line.text if self.shown is None else self.shown


class Told(msgspec.Struct, frozen=True):
    """All that is known to a reader of a HUD."""

    stands: dict[str, Stand]
    """How each part was told, by its name."""

    entries: tuple[KnownLine, ...]
    """The entries that are known, in the order in which it was told or seen."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that deliveries told, in their order: what :func:`read` makes of the texts."""
        return tuple(each.line for each in self.entries if each.is_told)

    def of(self, part: str) -> dict[str, Line]:
        """Return the lines of a part by what they are about, those too that the request alone shows."""
        return {each.key: each.line for each in self.entries if each.part == part}

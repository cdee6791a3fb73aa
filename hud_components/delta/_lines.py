"""The lines of a HUD's text: what it says, one thing at a time.

An item of a list is a line, and so is every other block. A line is known by what it says, so that a
later text can name it: nothing that is not in the text is needed to read one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from ujsx import mdast

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

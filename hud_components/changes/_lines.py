"""The lines of a HUD's text, a reader's memory, and a change of one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from hud_components.words._texts import format_text
from ujsx import Density, RenderContext, Rendered, mdast

CUT = "…"
"""The end of a shortened name."""

WIDTHS = (24, 40, 80, 160, 320)
"""The lengths to try for a shortened name, in characters, if no other line begins with it."""


class Line(msgspec.Struct, frozen=True):
    """A statement of a HUD."""

    title: str
    """The heading right above it; empty where there is none."""

    text: str
    """Its text: Markdown, as a list item."""

    name: str
    """The same without its marks, on one line."""


class ReadLine(NamedTuple):
    """A line, its list item, and the item's offset in the text."""

    line: Line
    item: mdast.ListItem
    offset: int = 0


def lines_of(markdown: str) -> list[ReadLine]:
    r"""Return the lines of a text in order; an initial heading is the title of the whole text.

    >>> [each.line.text for each in lines_of("# HUD\n\n## Notes\n\n- Port 8080\n\n🟢 12%\n")]
    ['- Port 8080', '- 🟢 12%']
    """
    return list(lines_in(mdast.from_markdown(markdown).children, 1))


def lines_in(blocks: Sequence[Any], first: int) -> Iterator[ReadLine]:
    """Yield the lines of blocks in order; a heading before the first is the title of all."""
    for place, block in enumerate(blocks):
        above = blocks[place - 1] if place > first else None
        title = plain(above) if is_heading(above) else ""
        if isinstance(block, mdast.List):
            for item in block.children:
                yield as_line(title, item, _offset(item))
        elif not is_heading(block) and not _is_comment(block):
            yield as_line(title, mdast.ListItem(children=(block,)), _offset(block))


def is_heading(block: object) -> bool:
    """Tell whether a block is a heading for lines."""
    return isinstance(block, mdast.Heading)


def under(line: ReadLine, title: str) -> ReadLine:
    """Return a line under a heading."""
    return line._replace(line=msgspec.structs.replace(line.line, title=title))


def _is_comment(block: mdast.Node) -> bool:
    """Tell whether it is only a separator of two lists."""
    return isinstance(block, mdast.Html) and block.value.startswith("<!--")


def _offset(node: mdast.Node) -> int:
    position = node.position
    return 0 if position is None else position.start.offset or 0


def as_line(title: str, item: mdast.ListItem, offset: int = 0) -> ReadLine:
    """Return an item as a line, whatever the spacing of its list."""
    alone = mdast.ListItem(
        children=item.children, checked=item.checked, spread=len(item.children) > 1
    )
    text = mdast.to_markdown(mdast.Root(children=(mdast.List(children=(alone,)),))).strip("\n")
    return ReadLine(Line(title, text, plain(item)), alone, offset)


def plain(node: Any) -> str:
    r"""Return the text of a node on one line, without its marks.

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
    """Return the only line under a title with a name; ``None`` for none, or several.

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
    """Return the shortest unique name of a line, or ``None``."""
    names = [line.name[:width].rstrip() + CUT for width in WIDTHS if width < len(line.name)]
    return next(
        (each for each in (*names, line.name) if named(lines, line.title, each) is line), None
    )


# Renderings parsed into lines, piece by piece, reusing the last results.

_JOINS = re.compile(r"^ {0,3}(?:\[[^\]\n]+\]:|<(?!!--[^>\n]*-->$))", re.MULTILINE)
"""Markup that affects other parts of a text: definitions, and HTML that may be unclosed."""


class _Chunk(NamedTuple):
    """The parsed part of a text that begins after a blank line."""

    lines: tuple[ReadLine, ...]

    bare: int
    """The number of lines under the last heading of the part before it."""

    heading: str
    """Its last heading."""


class PartSeen(NamedTuple):
    """A part of a rendering, and its origin."""

    seen: tuple[Any, ...]
    part: Any


class LineReader:
    """A reader of renderings' lines, which caches those of the last texts.

    Its results equal those of :func:`lines_of`. Do not share it between threads.
    """

    __slots__ = ("_before", "_now", "parts")

    def __init__(self) -> None:
        self.parts: dict[str, PartSeen] = {}
        """The parts of the last rendering, by name."""
        self._now: dict[tuple[str, int], _Chunk] = {}
        self._before: dict[tuple[str, int], _Chunk] = {}

    def turn(self) -> None:
        """Begin another rendering: results not reused until the next one are dropped."""
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
        """Return the lines of a part of a text; its first block may be the title of the whole."""
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
    """Return the offsets of parts of a rendering that are separate blocks."""
    text = rendered.text
    starts = {node.start for node in rendered.nodes if text.startswith("\n\n", node.start)}
    return sorted({0, *starts})


# The record of the content sent to a reader: data that can be stored, also as JSON.
#
# Its keys are the state's own: the lines of a section's items by the items' ids, those of other parts of a HUD by
# number. So an item is tracked whether or not a later rendering shows it.


class Stand(msgspec.Struct, frozen=True, rename={"detailed_items": "detailed"}):
    """The form in which a part of a HUD was sent."""

    density: Density
    """The density of its rung."""

    limit: int | None = None
    """The number of items on that rung."""

    by_item: bool = False
    """True if each of its lines is an item's."""

    more: tuple[int, int] | None = None
    """The number of items never sent, and of the done ones among them; None if not shown."""

    width: int | None = None
    """The characters of an item's text on that rung, if not the density's own width."""

    detailed_items: int | None = None
    """The number of items in detail on that rung, if not all."""

    in_changes: bool | msgspec.UnsetType = msgspec.UNSET
    """False if changes do not include it, so that its sent lines stay unchanged. Otherwise unset."""


class KnownLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a reader knows, and its subject."""

    part: str
    """The part of the HUD, by name and number among those of that name."""

    key: str
    """The key of the item within it."""

    line: Line

    is_told: bool = True
    """True if a delivery sent it in this form; otherwise the request's messages, or a line that names several, show the
    item.
    """

    shown: str | None = None
    """The text of the line according to newer messages of the request, or a line that names several; empty if the item
    has ended.
    """

    after: str = ""
    """The digest of the newest message when it was sent, or last seen in the request."""

    @property
    def is_seen(self) -> bool:
        """True if only the request's messages show the item."""
        return not self.is_told and self.shown is None

    @property
    def known(self) -> str:
        """The text of the line that the reader knows."""
        return self.line.text if self.shown is None else self.shown


class ReaderMemory(msgspec.Struct, frozen=True):
    """The knowledge of a HUD's reader."""

    stands: dict[str, Stand]
    """The form in which each part was sent, by name."""

    entries: tuple[KnownLine, ...]
    """The known entries, in the order in which they were sent or seen."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The delivered lines in order: what a reader of the texts knows."""
        return tuple(each.line for each in self.entries if each.is_told)

    def of(self, part: str) -> dict[str, Line]:
        """Return the lines of a part by subject, including those shown only by the request."""
        return {each.key: each.line for each in self.entries if each.part == part}


# A change of one line, as it is written.

Mark: TypeAlias = Literal["new", "changed", "done", "over", "gone", "hidden"]
"""The kind of a line's change: new; changed; done, marked or no longer listed; removed from the state; or only no
longer shown.
"""


class ChangedLine(NamedTuple):
    """A change of a line."""

    mark: Mark
    title: str
    """Its heading."""

    name: str
    """Its name among the known lines; for a new one, its own. Empty if its new text identifies the line."""

    item: mdast.ListItem | None = None
    """Its new text; None if it has none, or the same text struck through."""


DASH = " — "
"""The separator before the end of a line that may stay the same."""

SAME = f"{DASH}…"
"""The stand-in for an unchanged end."""

LONG = 16
"""The length from which an end is not repeated, in characters."""


def change_of(lines: Sequence[Line], old: Line, now: ReadLine) -> ChangedLine | None:
    """Return a change with only the new part of a line; None if no name identifies the old one.

    >>> now = as_line("Task", mdast.from_markdown("- Write it — *goal:* A quick shop").children[0].children[0])
    >>> old = Line("Task", "- Test it — *goal:* A quick shop", "Test it — goal: A quick shop")
    >>> made = change_of([old], old, now)
    >>> plain(made.item)
    'Write it — …'
    """
    new = now.line
    head, _, end = new.text.partition(DASH)
    is_same = len(end) >= LONG and old.text.partition(DASH)[2] == end
    shorter = [as_line(old.title, _item_in(f"{head}{SAME}")).item] if is_same else []
    for item in (*shorter, now.item):
        change = ChangedLine("changed", old.title, "", item)
        said = as_line(old.title, item).line
        if begun_alike(lines, said) is old and with_end_of(old, said) == new:
            return change
    name = name_of(lines, old)
    return None if name is None else ChangedLine("changed", old.title, name, now.item)


def with_end_of(old: Line, new: Line) -> Line:
    """Return a line with an unchanged end filled in from the old one."""
    _, dash, end = old.text.partition(DASH)
    if not dash or not new.text.endswith(SAME):
        return new
    return as_line(new.title, _item_in(new.text.removesuffix("…") + end)).line


def begun_alike(lines: Sequence[Line], new: Line | None) -> Line | None:
    """Return the line that a new one replaces: the only one under its heading, or the only one with the same beginning.

    None if neither the first half of the new line's words nor its label begins exactly one line.

    >>> known = [Line("Checks", "- make: pass", "make: pass"), Line("Checks", "- lint: pass", "lint: pass")]
    >>> begun_alike(known, Line("Checks", "- lint: fail", "lint: fail")) is known[1]
    True
    >>> begun_alike(known, Line("Checks", "- lint: fail in turn 2", "lint: fail in turn 2")) is known[1]
    True
    """
    if new is None:
        return None
    here = [each for each in lines if each.title == new.title]
    if len(here) == 1:
        return here[0]
    words = new.name.split()
    beginnings = [words[: (len(words) + 1) // 2]]
    if words and words[0].endswith(":"):  # a label
        beginnings.append(words[:1])
    for beginning in filter(None, beginnings):
        found = [each for each in here if each.name.split()[: len(beginning)] == beginning]
        if len(found) == 1:
            return found[0]
    return None


def struck(line: Line) -> Line:
    """Return a line with its words struck through, unless they already are.

    >>> done = struck(Line("Next steps", "- Write `it`", "Write it"))
    >>> done.text, struck(done).text
    ('- ~~Write `it`~~', '- ~~Write `it`~~')
    """
    item = _item_in(line.text)
    if len(item.children) == 1 and isinstance(item.children[0], mdast.Paragraph):
        words: list[Any] = []
        for node in item.children[0].children:
            words += node.children if isinstance(node, mdast.Delete) else (node,)
        children = (mdast.Delete(children=tuple(words)),)
        item = mdast.ListItem(children=(mdast.Paragraph(children=children),), checked=item.checked)
    return as_line(line.title, item).line


def _item_in(text: str) -> mdast.ListItem:
    """Return a line's Markdown as a list item."""
    block = mdast.from_markdown(text).children[0]
    return block.children[0] if isinstance(block, mdast.List) else mdast.ListItem()


def written(changes: Iterable[ChangedLine], ctx: RenderContext) -> str:
    """Return changes as Markdown, grouped by heading; those without one first."""
    by_title: dict[str, list[mdast.ListItem]] = {"": []}
    for change in changes:
        by_title.setdefault(change.title, []).append(_item(change, ctx))
    blocks: list[Any] = [_heading(1, format_text(ctx, "delta.title"))]
    for title, items in by_title.items():
        if items:
            blocks += [_heading(2, title)] if title else []
            blocks.append(
                mdast.List(children=tuple(items), spread=any(each.spread for each in items))
            )
    return mdast.to_markdown(mdast.Root(children=tuple(blocks)))


def _heading(depth: Literal[1, 2], text: str) -> mdast.Heading:
    return mdast.Heading(depth=depth, children=(mdast.Text(text),))


def _item(change: ChangedLine, ctx: RenderContext) -> mdast.ListItem:
    if change.mark == "new" and change.item is not None:
        begins_in_emphasis = _head(change.item) is not None
        return (
            _begun(format_text(ctx, "delta.new"), change.item)
            if begins_in_emphasis
            else change.item
        )
    now = format_text(ctx, "delta.now")
    if not change.name and change.item is not None:
        return _begun(now, change.item)
    word = format_text(ctx, f"delta.{change.mark}")
    if change.mark == "done" and change.item is not None:
        return _begun(word, change.item)
    said = _begun(word, mdast.ListItem(children=(_line(change.name),)))
    if change.item is None:
        return said
    beneath = mdast.List(children=(_begun(now, change.item),))
    return mdast.ListItem(children=(*said.children, beneath))


def _head(item: mdast.ListItem) -> mdast.Emphasis | None:
    """Return the words in emphasis at the start of an item."""
    first = item.children[0] if item.children else None
    head = first.children[0] if isinstance(first, mdast.Paragraph) and first.children else None
    return head if isinstance(head, mdast.Emphasis) else None


def _line(text: str) -> mdast.Paragraph:
    return mdast.Paragraph(children=(mdast.Text(text),))


def _begun(word: str, item: mdast.ListItem) -> mdast.ListItem:
    """Return the item with a word before its text."""
    head: Any = mdast.Emphasis(children=(mdast.Text(f"{word}:"),))
    first, *others = item.children or (None,)
    if not isinstance(first, mdast.Paragraph):
        children = (mdast.Paragraph(children=(head,)), *item.children)
        return mdast.ListItem(children=children, checked=item.checked, spread=True)
    begin, *rest = first.children
    joint = mdast.Text(f" {begin.value}") if isinstance(begin, mdast.Text) else mdast.Text(" ")
    nodes = (head, joint, *rest) if isinstance(begin, mdast.Text) else (head, joint, begin, *rest)
    children = (mdast.Paragraph(children=nodes), *others)
    return mdast.ListItem(children=children, checked=item.checked, spread=item.spread)

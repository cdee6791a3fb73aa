r"""Markdown that somebody else wrote, made fit to be quoted: what it may have, in which order, how much.

A quotation keeps paragraphs, headings, lists, code, tables, quotations, emphasis. All else is text:
HTML, references, front matter, and whatever is nested deeper than a reader follows. A link or an image is its
words and, where they are not the same, its address; neither can be followed. Its headings begin below
those of the section that quotes it.

What is quoted is a fixed point: what is read from a quotation, quoted again, is the same quotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from hud_components.words._first_sections import section_rank
from ujsx import mdast
from ujsx.mdast.util import to_string
from ujsx.text import one_line, paragraphs

Blocks = tuple[Any, ...]

DEEPEST = 4
"""How deep lists and quotations may be nested in a quotation, and emphasis within a line."""

_HEADING = 70
"""Characters of a bold line that is a heading at most."""

_SENTENCE = (".", "!", "?", "…", ",", ";")


def harmless(blocks: Iterable[Any]) -> Iterator[Any]:
    """Yield what blocks have that may be quoted, and the rest as text."""
    return _flow(blocks, 0)


def as_text(source: str) -> list[Any]:
    """Return a text as paragraphs of nothing but text."""
    return [mdast.Paragraph((mdast.Text(part),)) for part in paragraphs(source)]


def in_order(blocks: Iterable[Any], levels: int) -> Iterator[Any]:
    """Yield blocks with headings of level 1, 2, … without a gap, and the sections of each by worth."""
    return _sorted(_leveled(blocks, levels))


def source_of(blocks: Iterable[Any]) -> str:
    """Return blocks as Markdown, without a line end behind them."""
    return mdast.to_markdown(mdast.Root(tuple(blocks))).strip("\n")


# --- What may be quoted ---


def _flow(blocks: Iterable[Any], depth: int) -> Iterator[Any]:
    for block in blocks:
        rule = _FLOW.get(block.__class__)
        if rule is None or depth > DEEPEST:
            yield from as_text(block.value if type(block) is mdast.Html else source_of((block,)))
        else:
            yield from rule(block, depth)


def _paragraph(node: mdast.Paragraph, depth: int) -> Iterator[Any]:
    """A bold line is a heading, as it is to whoever reads it."""
    line = _begun(_phrasing(node.children, 0))
    while depth == 0 and (title := _bold_line(line)):
        yield mdast.Heading(_BOLD, (mdast.Text(title),))
        behind = line[1].value.removeprefix(":") if line[1:] else ""
        line = _begun([mdast.Text(behind), *line[2:]])
    if any(map(_says, line)):
        yield mdast.Paragraph(tuple(line))


def _begun(line: Iterable[Any]) -> list[Any]:
    """A line without white space at its beginning."""
    nodes = list(line)
    while nodes and type(nodes[0]) is mdast.Text:
        begun = mdast.Text(nodes[0].value.lstrip(" \t\n"))
        if begun.value:
            return [begun, *nodes[1:]]
        del nodes[0]
    return nodes


def _bold_line(line: Sequence[Any]) -> str:
    """What a line in bold at the beginning of a paragraph says; nothing where there is none."""
    bold, behind = line[0] if line else None, line[1] if line[1:] else None
    ends = behind is None or (
        type(behind) is mdast.Text and behind.value.removeprefix(":").startswith("\n")
    )
    if type(bold) is not mdast.Strong or not ends:
        return ""
    title = one_line(to_string(bold)).strip(" *:")
    return "" if len(title) > _HEADING or title.endswith(_SENTENCE) else title


def _says(node: Any) -> bool:
    return bool(to_string(node).strip())


def _heading(node: mdast.Heading, depth: int) -> Iterator[Any]:
    """Its words; in a list or a quotation it is a bold line."""
    text = mdast.Text(one_line(to_string(_phrasing(node.children, 0))).strip(" :"))
    if text.value and depth:
        yield mdast.Paragraph((mdast.Strong((text,)),))
    elif text.value:
        yield mdast.Heading(node.depth, (text,))


def _list(node: mdast.List, depth: int) -> Iterator[Any]:
    items = [
        replace(item, children=children, spread=is_spread(children), position=None)
        for item in node.children
        if (children := tuple(_flow(item.children, depth + 1)))
    ]
    if items:
        yield replace(node, children=tuple(items), spread=False, position=None)


def is_spread(children: Sequence[Any]) -> bool:
    """True if something but a list stands behind the first paragraph of an item."""
    return not all(type(each) is mdast.List for each in children[1:])


def _quote(node: mdast.Blockquote, depth: int) -> Iterator[Any]:
    children = tuple(_flow(node.children, depth + 1))
    if children:
        yield mdast.Blockquote(children)


def _table(node: mdast.Table, depth: int) -> Iterator[Any]:
    rows: list[Any] = [
        [mdast.TableCell(tuple(_phrasing(cell.children, 0))) for cell in row.children]
        for row in node.children
    ]
    yield mdast.Table(node.align, tuple(mdast.TableRow(tuple(cells)) for cells in rows))


def _code(node: mdast.Code, _depth: int) -> Iterator[Any]:
    if node.value.strip():
        yield replace(node, position=None)


def _definition(node: mdast.Definition, _depth: int) -> Iterator[Any]:
    yield from as_text(f"[{node.label or node.identifier}]: {node.url}")


def _nothing(_node: Any, _depth: int) -> Iterator[Any]:
    return iter(())


_FLOW: Mapping[type, Callable[[Any, int], Iterator[Any]]] = {
    mdast.Paragraph: _paragraph,
    mdast.Heading: _heading,
    mdast.List: _list,
    mdast.Blockquote: _quote,
    mdast.Table: _table,
    mdast.Code: _code,
    mdast.Definition: _definition,
    mdast.ThematicBreak: _nothing,  # it has no words
}


def _phrasing(nodes: Iterable[Any], depth: int) -> Iterator[Any]:
    for node in nodes:
        kind: type[Any] = node.__class__
        if kind in _EMPHASIS:
            if depth < DEEPEST:
                yield kind(tuple(_phrasing(node.children, depth + 1)))
            else:
                yield mdast.Text(to_string(node))
        elif kind is mdast.Text or kind is mdast.InlineCode:
            yield node
        elif kind is mdast.Link:
            yield from _phrasing(node.children, depth)
            if not _is_address(to_string(node), node.url):
                yield mdast.Text(f" ({node.url})")
        else:
            yield mdast.Text(_TEXTS.get(kind, to_string)(node))


def _is_address(text: str, url: str) -> bool:
    return url in (text, f"http://{text}", f"mailto:{text}")


_TEXTS: Mapping[type, Callable[[Any], str]] = {
    mdast.Break: lambda _node: "\n",
    mdast.Html: lambda node: str(node.value),
    mdast.Image: lambda node: f"{node.alt or ''} ({node.url})".lstrip(),
    mdast.LinkReference: lambda node: f"[{to_string(node)}]",
    mdast.ImageReference: lambda node: f"![{node.alt or ''}]",
    mdast.FootnoteReference: lambda node: f"[^{node.label or node.identifier}]",
}
"""What is written for phrasing that leads out of the quotation, or is none of Markdown."""

_EMPHASIS = frozenset({mdast.Strong, mdast.Emphasis, mdast.Delete})

# --- Sections ---

_BOLD: Any = 6
"""The level of a bold line: below all other headings."""


class _Section(NamedTuple):
    """A heading, what stands under it, and the sections within."""

    title: str
    level: int
    blocks: list[Any]
    inner: list[_Section]


def _leveled(blocks: Iterable[Any], levels: int) -> Iterator[Any]:
    """The blocks with headings of level 1, 2, … without a gap."""
    around: list[int] = []
    for block in blocks:
        if type(block) is mdast.Heading:
            while around and around[-1] >= block.depth:
                around.pop()
            around.append(block.depth)
            level: Any = min(len(around), levels)
            yield mdast.Heading(level, block.children)
        else:
            yield block


def _sorted(blocks: Iterable[Any]) -> Iterator[Any]:
    """The blocks with the sections of each level by their worth."""
    top = _Section("", 0, [], [])
    around = [top]
    for block in blocks:
        if type(block) is mdast.Heading:
            while around[-1].level >= block.depth:
                around.pop()
            section = _Section(to_string(block), block.depth, [], [])
            around[-1].inner.append(section)
            around.append(section)
        around[-1].blocks.append(block)
    return _blocks_of(top)


def _blocks_of(section: _Section) -> Iterator[Any]:
    yield from section.blocks
    for inner in sorted(section.inner, key=lambda each: section_rank(each.title)):
        yield from _blocks_of(inner)

"""A HUD read back from its Markdown: sections with their data, and the rest as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from hud_components._coding import CODING
from hud_components.declaring._section import HudSection
from hud_components.layout._foreign import foreign_at
from hud_components.layout._hud import Hud
from hud_components.layout._status_line import StatusLine
from hud_components.sections._unreadable_notice import UnreadableNotice
from hud_components.words._reading import heading_of, text_of
from hud_components.words._texts import format_text
from ujsx import (
    Children,
    Element,
    Node,
    RenderContext,
    RenderError,
    TransformRegistry,
    from_mdast,
    mdast,
)
from ujsx.errors import shown as as_shown
from ujsx.transforms import TEXTS

SECTIONS: tuple[type[HudSection], ...] = (*CODING.sections, StatusLine)
"""The sections that ``parse`` knows."""


def parse(
    source: str | mdast.Root,
    *,
    vocabulary: Iterable[type[HudSection]] = SECTIONS,
    context: RenderContext | None = None,
    foreign: bool = False,
    registry: TransformRegistry | None = None,
) -> Element[Hud]:
    r"""Return the HUD that a Markdown text shows.

    What a section shows is in its props; what it does not show (ids, times, whatever a limit left
    out) is as if it had not been given. What is no section's rendering stays where it is, as
    primitives. Rendered at the same density, the HUD gives the same text.

    :param source: Markdown, or its mdast tree.
    :param vocabulary: the classes of sections to look for; the first that reads something has it.
    :param context: the fixed texts of the rendering, if they were not the usual ones.
    :param foreign: whether sections of other programs' HUDs are known by their headings, such as "Key
        Decisions"; what they say becomes ours, so that the text rendered is not theirs.
    :param registry: the rules for what is no section; one with pairs reads your components back.
    :raises RenderError: for a source that is neither, and for a class that is no section's.

    >>> hud = parse("# HUD\n\n## Notes\n\n- Port 8080\n\n## House rules\n\nBe kind.\n")
    >>> hud.children[0].notes[0].content
    'Port 8080'
    >>> hud.children[1]
    Section(title='House rules')[Paragraph()['Be kind.']]
    >>> parse("## State\n### Key Decisions\n- Use JWT\n", foreign=True).children[0].decisions[0].summary
    'Use JWT'
    """
    given: object = source
    if isinstance(given, str):
        if _TAG.match(given.lstrip()):
            line = "read_layout(text, layout_vocabulary())"
            raise RenderError(
                f"parse takes the Markdown of a HUD, and this is a layout; write {line}"
            )
        source = mdast.from_markdown(given)
    elif not isinstance(given, mdast.Root):
        raise RenderError(f"parse takes Markdown or an mdast Root, not {as_shown(given)}")
    assert isinstance(source, mdast.Root)
    ctx = context or RenderContext()
    known = _sections(vocabulary)
    blocks: Sequence[Any] = source.children
    title = heading_of(blocks[0], ctx) if blocks else None
    is_section = title is not None and _section_at(blocks, known, ctx) is not None
    theirs = foreign_at(blocks) if foreign and blocks else None
    if title is None or is_section or (theirs is not None and theirs[0]):
        return Element(Hud(), tuple(_children(blocks, known, ctx, registry, foreign=foreign)))
    hud = Hud(title=None if title == format_text(ctx, "hud.title") else title)
    children = _children(blocks[1:], known, ctx.deeper(), registry, foreign=foreign)
    return Element(hud, tuple(children))


_TAG = re.compile(rf"<(?:Hud|HUD|{'|'.join(each.__name__ for each in SECTIONS)})\b")
"""The beginning of a layout document."""


def _sections(vocabulary: object) -> tuple[type[HudSection], ...]:
    """The classes of a vocabulary, each of which reads a section back."""
    if isinstance(vocabulary, type) or not isinstance(vocabulary, Iterable):
        name = vocabulary.__name__ if isinstance(vocabulary, type) else "Mine"
        raise RenderError(
            f"a vocabulary is made of several classes, not of {as_shown(vocabulary)}; write "
            f"(*SECTIONS, {name})"
        )
    known: list[type[HudSection]] = []
    for each in cast("Iterable[object]", vocabulary):
        if not (isinstance(each, type) and issubclass(each, HudSection)):
            name = each.__name__ if isinstance(each, type) else as_shown(each)
            raise RenderError(
                f"{name} is no section, and so it cannot be read back: what it shows stays "
                "Markdown. Leave it out, or derive it from HudSection"
            )
        known.append(each)
    return (*known, UnreadableNotice)  # a HUD of any domain may have it


def _children(
    blocks: Sequence[Any],
    known: Sequence[type[HudSection]],
    ctx: RenderContext,
    registry: TransformRegistry | None,
    *,
    foreign: bool,
) -> Iterator[Node]:
    others: list[Any] = []
    place = 0
    while place < len(blocks):
        rest = _Rest(blocks, place)
        own = _section_at(rest, known, ctx)
        found = ([own[0]], own[1]) if own else None
        if found is None and (shared := _sharing(blocks[place], known, ctx)):
            found = (shared, 1)
        if found is None and foreign:
            found = foreign_at(rest)
        if found is None:
            others.append(blocks[place])
            place += 1
            continue
        yield from as_they_are(others, ctx, registry)
        others.clear()
        sections, taken = found
        yield from sections
        place += taken
    yield from as_they_are(others, ctx, registry)


def _sharing(
    block: Any, known: Sequence[type[HudSection]], ctx: RenderContext
) -> list[HudSection] | None:
    """The sections that share a line; ``None`` where that is said by none, or by one alone.

    Each begins with a label, or is a count under a mark, which no text from outside can have.
    """
    if type(block) is not mdast.Paragraph:
        return None
    separator = ctx.texts.get("brief.separator", TEXTS["brief.separator"])
    parts = _parts(block.children, separator)
    if not 1 < len(parts) <= _MOST_PARTS:
        return None
    found: list[HudSection] = []
    place = 0
    while place < len(parts):
        # What a section says may have parts of its own: as many as it reads are its.
        for end in range(len(parts), place, -1):
            line = [node for part in parts[place:end] for node in part]
            read = _section_at([mdast.Paragraph(tuple(_without(line, separator)))], known, ctx)
            if read is not None:
                break
        else:
            return None
        found.append(read[0])
        place = end
    return found if len(found) > 1 else None


_MOST_PARTS = 32
"""Of how many parts a line is that sections share at most: what has more is looked at no further."""


def _parts(line: Sequence[Any], separator: str) -> list[list[Any]]:
    """The parts of a line that may be a section each, the separator behind each but the last: one ends
    where a text does, as no text from outside can, and counts are parted within their mark.
    """
    parts: list[list[Any]] = [[]]
    for node in line:
        if type(node) is mdast.Emphasis and not parts[-1]:
            counts = (text_of(mdast.Paragraph(node.children)) or "").split(separator)
            if len(counts) > 1:
                marks = [mdast.Emphasis((mdast.Text(each),)) for each in counts]
                parts[-1:] = [[mark, mdast.Text(separator)] for mark in marks[:-1]]
                parts.append([marks[-1]])
                continue
        parts[-1].append(node)
        if type(node) is mdast.Text and node.value.endswith(separator) and node is not line[-1]:
            parts.append([])
    return parts


def _without(line: Sequence[Any], separator: str) -> Sequence[Any]:
    """A line without the separator that it ends with."""
    *before, last = line
    if type(last) is not mdast.Text:
        return line
    text = last.value.removesuffix(separator)
    return [*before, mdast.Text(text)] if text else before


class _Rest(Sequence[Any]):
    """The blocks from one on, without a copy of them: each block is asked about in its turn."""

    __slots__ = ("_blocks", "_start")

    def __init__(self, blocks: Sequence[Any], start: int) -> None:
        self._blocks = blocks
        self._start = start

    def __len__(self) -> int:
        return len(self._blocks) - self._start

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            wanted = range(self._start, len(self._blocks))[place]
            return [self._blocks[each] for each in wanted]
        return self._blocks[range(self._start, len(self._blocks))[place]]


def _section_at(
    blocks: Sequence[Any], known: Sequence[type[HudSection]], ctx: RenderContext
) -> tuple[HudSection, int] | None:
    for section in known:
        found = section.parse(blocks, ctx)
        if found is not None:
            return found
    return None


def as_they_are(
    blocks: Sequence[Any], ctx: RenderContext, registry: TransformRegistry | None = None
) -> Children:
    """Return mdast blocks as primitives, or as what the registry reads of them.

    :param ctx: its depth is the number of sections around them.
    """
    return from_mdast(mdast.Root(tuple(blocks)), ctx, registry=registry).children if blocks else ()

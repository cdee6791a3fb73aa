"""Quoted words: Markdown made safe to quote and cut, and the words that a request already contains."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec.structs import replace

from hud_components.words._texts import cut, line
from ujsx import Node, RenderContext, from_mdast, mdast, to_mdast
from ujsx.errors import MdastError
from ujsx.mdast.util import Section, rewrite, sections, to_string
from ujsx.text import escaped, one_line, paragraphs, unhidden
from ujsx.transforms import MAX_HEADING_DEPTH

# The sections of a summary that come first: those for continuing the work.

FIRST_SECTIONS: tuple[str, ...] = (
    r"pending|remaining|open (?:tasks|items)|to.?do|left to",
    r"current (?:work|state|task|plan|status)|in progress|work in progress",
    r"next step",
    r"primary request|goal|overall|objective|request|task",
    r"decision|key (?:knowledge|facts|technical)|constraint|instruction",
)
"""Patterns of the headings whose sections come first, in this order; the others follow in theirs."""


def section_rank(title: str) -> int:
    """Return the rank of a heading's section: lower ranks are needed sooner.

    >>> section_rank("7. Pending Tasks") < section_rank("Current work") < section_rank("All files")
    True
    """
    name = title.lower()
    ranks = (place for place, words in enumerate(FIRST_SECTIONS) if re.search(words, name))
    return next(ranks, len(FIRST_SECTIONS))


Blocks = tuple[Any, ...]

DEEPEST = 4
"""The maximum nesting of lists and quotations in a quotation, and of emphasis within a line."""

_HEADING = 70
"""The most characters of a bold line that counts as a heading."""

_SENTENCE = (".", "!", "?", "…", ",", ";")


def as_text(source: str) -> list[Any]:
    """Return a text as paragraphs of plain text."""
    return [mdast.Paragraph((mdast.Text(part),)) for part in paragraphs(source)]


def source_of(blocks: Iterable[Any]) -> str:
    """Return blocks as Markdown, without a final line end."""
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
    """Return a paragraph; a bold line becomes a heading, as readers see it."""
    line = _begun(_phrasing(node.children, 0))
    while depth == 0 and (title := _bold_line(line)):
        yield mdast.Heading(_BOLD, (mdast.Text(title),))
        behind = line[1].value.removeprefix(":") if line[1:] else ""
        line = _begun([mdast.Text(behind), *line[2:]])
    if any(to_string(node).strip() for node in line):
        yield mdast.Paragraph(tuple(line))


def _begun(line: Iterable[Any]) -> list[Any]:
    """Return a line without leading white space."""
    nodes = list(line)
    while nodes and type(nodes[0]) is mdast.Text:
        begun = mdast.Text(nodes[0].value.lstrip(" \t\n"))
        if begun.value:
            return [begun, *nodes[1:]]
        del nodes[0]
    return nodes


def _bold_line(line: Sequence[Any]) -> str:
    """Return the text of a bold line at the start of a paragraph, or nothing."""
    bold, behind = line[0] if line else None, line[1] if line[1:] else None
    ends = behind is None or (
        type(behind) is mdast.Text and behind.value.removeprefix(":").startswith("\n")
    )
    if type(bold) is not mdast.Strong or not ends:
        return ""
    title = one_line(to_string(bold)).strip(" *:")
    return "" if len(title) > _HEADING or title.endswith(_SENTENCE) else title


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


_FLOW: Mapping[type, Callable[[Any, int], Iterator[Any]]] = {
    mdast.Paragraph: _paragraph,
    mdast.Heading: _heading,
    mdast.List: _list,
    mdast.Blockquote: _quote,
    mdast.Table: _table,
    mdast.Code: _code,
    mdast.Definition: _definition,
    mdast.ThematicBreak: lambda _node, _depth: iter(()),  # it has no words
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
            if node.url not in ((text := to_string(node)), f"http://{text}", f"mailto:{text}"):
                yield mdast.Text(f" ({node.url})")
        else:
            yield mdast.Text(_TEXTS.get(kind, to_string)(node))


_TEXTS: Mapping[type, Callable[[Any], str]] = {
    mdast.Break: lambda _node: "\n",
    mdast.Html: lambda node: str(node.value),
    mdast.Image: lambda node: f"{node.alt or ''} ({node.url})".lstrip(),
    mdast.LinkReference: lambda node: f"[{to_string(node)}]",
    mdast.ImageReference: lambda node: f"![{node.alt or ''}]",
    mdast.FootnoteReference: lambda node: f"[^{node.label or node.identifier}]",
}
"""The text for phrasing that leads out of the quotation, or is not Markdown."""

_EMPHASIS = frozenset({mdast.Strong, mdast.Emphasis, mdast.Delete})

# --- Sections ---

_BOLD: Any = 6
"""The level of a bold line: below all other headings."""


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


def _sorted(several: Iterable[Section]) -> Iterator[Any]:
    """The blocks of sections by their worth, after those before the first heading."""
    for section in sorted(several, key=_rank):
        yield from () if section.heading is None else (section.heading,)
        yield from section.content
        yield from _sorted(section.sections)


def _rank(section: Section) -> int:
    return -1 if section.heading is None else section_rank(to_string(section.heading))


# A quotation: Markdown of somebody else's as children of a ``BlockQuote``, and read back from one.

MOST_LEVELS = 3
"""The most levels of headings in a quotation."""


def quoted(source: str, levels: int) -> Blocks:
    r"""Return a Markdown text as blocks that may be quoted, its sections by their worth.

    :param levels: how many levels of headings there may be; deeper ones are of the last level.

    >>> from hud_components.words._quoted import source_of
    >>> blocks = quoted("# Goal\nSign-in\n# Next steps\n- a <b>", levels=3)
    >>> print(source_of(blocks))
    # Next steps
    <BLANKLINE>
    - a \<b>
    <BLANKLINE>
    # Goal
    <BLANKLINE>
    Sign-in
    """
    try:
        blocks: Sequence[Any] = mdast.from_markdown(source).children
    except MdastError:  # it is nested too deep for any reader
        blocks = as_text(source)
    return as_quoted(blocks, levels)


def as_quoted(blocks: Iterable[Any], levels: int) -> Blocks:
    """Return mdast blocks as they are read from a quotation of them, by worth: themselves where they may be."""
    written: Any = mdast.normalize(to_mdast(quotation(_flow(blocks, 0), 0)))
    kept = written.children[0].children if written.children else ()
    leveled = mdast.Root(tuple(_leveled(_lowered(kept, 0, unhidden), levels)))
    return tuple(_sorted(sections(leveled)))


def levels_in(ctx: RenderContext) -> int:
    """Return how many levels of headings there may be in a quotation within a section there."""
    return max(1, min(MOST_LEVELS, MAX_HEADING_DEPTH - ctx.depth - 1))


def quotation(blocks: Iterable[Any], depth: int) -> Node:
    """Return a quotation of blocks, whose headings stand below that of the section around it.

    :param depth: the number of sections around it.
    """
    quote = mdast.Blockquote(_lowered(blocks, depth, escaped))  # its reader shows the texts
    return from_mdast(mdast.Root((quote,))).children[0]


def blocks_in(quote: Any, ctx: RenderContext) -> Blocks | None:
    """Return the blocks that a quotation was made of; ``None`` where it is none of ours."""
    if type(quote) is not mdast.Blockquote:
        return None
    blocks = _lowered(quote.children, -ctx.depth - 1, unhidden)
    return blocks if as_quoted(blocks, levels_in(ctx)) == blocks else None


def _lowered(blocks: Iterable[Any], depth: int, text_of: Callable[[str], str]) -> Blocks:
    """Return blocks with headings deeper by that much, and other texts."""

    def heading(node: mdast.Heading) -> mdast.Heading:
        level: Any = min(max(1, node.depth + depth), MAX_HEADING_DEPTH)
        return replace(node, depth=level)

    def code(node: mdast.Code) -> mdast.Code:
        lang, meta = (each and text_of(each) for each in (node.lang, node.meta))
        return mdast.Code(text_of(node.value), lang, meta)

    root = rewrite(mdast.Root(tuple(blocks)), mdast.Heading, heading)
    root = rewrite(root, mdast.Text, lambda node: mdast.Text(text_of(node.value)))
    root = rewrite(root, mdast.InlineCode, lambda node: mdast.InlineCode(text_of(node.value)))
    return rewrite(root, mdast.Code, code).children


# Shortening of a quotation's blocks: their first characters, with whole items and rows if possible.


def words_of(blocks: Iterable[Any]) -> Iterator[str]:
    """Yield the text of blocks, line by line: items with their markers, rows with their cells."""
    for block in blocks:
        kind: type[Any] = block.__class__
        if kind is mdast.Heading:
            yield f"{to_string(block)}:"
        elif kind is mdast.List:
            for marker, item in _marked(block):
                first, *rest = words_of(item.children)
                yield marker + first
                yield from rest
        elif kind is mdast.Blockquote:
            yield from words_of(block.children)
        elif kind is mdast.Table:
            for row in block.children:
                yield " ".join(filter(None, (to_string(cell).strip() for cell in row.children)))
        else:
            yield to_string(block)


def _marked(block: mdast.List) -> Iterator[tuple[str, mdast.ListItem]]:
    """Yield the items of a list, each with its marker."""
    for place, item in enumerate(block.children, block.start or 1):
        done = "" if item.checked is None else f"[{'x' if item.checked else ' '}] "
        yield (f"{place}. " if block.ordered else "- ") + done, item


def length_of(blocks: Iterable[Any]) -> int:
    """Return the length of blocks' text in characters, with one between two lines."""
    return max(sum(len(words) + 1 for words in words_of(blocks)) - 1, 0)


def as_line(blocks: Blocks) -> Blocks:
    """Return the text of blocks as a paragraph of one line without marks; nothing for nothing."""
    return paragraph(" ".join(filter(None, (line(words) for words in words_of(blocks)))))


def paragraph(text: str) -> Blocks:
    """Return a text as a paragraph; nothing for nothing."""
    return (mdast.Paragraph((mdast.Text(text),)),) if text else ()


class ShortenedBlocks(NamedTuple):
    """The remaining first blocks, and the number of missing characters."""

    blocks: Blocks
    missing: int


def cut_blocks(blocks: Blocks, width: int, length: int) -> ShortenedBlocks:
    r"""Return the first blocks, with at most ``width`` characters of text.

    :param length: the length of all of them, by :func:`length_of`: more than the width.

    >>> from hud_components.words._quoted import quoted
    >>> from hud_components.words._quoted import source_of
    >>> blocks = quoted("- one thing\n- another, *longer* thing", 1)
    >>> blocks, missing = cut_blocks(blocks, 28, length_of(blocks))
    >>> print(source_of(blocks), missing)
    - one thing
    - another, *long*… 8
    """
    room = _Room(width + 1)
    kept = _fitting(blocks, room)
    while kept and type(kept[-1]) is mdast.Heading:  # none of its section's content
        kept.pop()
    shown = as_quoted(kept, MOST_LEVELS)
    if not shown:
        room.is_cut = True
        shown = paragraph(cut(line(" ".join(words_of(blocks))), width))
    return ShortenedBlocks(shown, length - length_of(shown) + room.is_cut)


class _Room:
    """The remaining room in characters, and whether something was cut."""

    __slots__ = ("is_cut", "is_full", "left")

    def __init__(self, left: int) -> None:
        self.left = left
        self.is_full = self.is_cut = False

    def takes(self, words: str) -> bool:
        """Tell whether a line of words fits, and use its room."""
        self.is_full = self.is_full or len(words) >= self.left
        if not self.is_full:
            self.left -= len(words) + 1
        return not self.is_full

    def shortened(self, text: str) -> str:
        """Return the beginning of a text, without a cut mark; nothing if it is too short."""
        if self.left - 1 < _LEAST:
            return ""
        self.is_cut = True
        return cut(text, self.left - 1).removesuffix("…")


_LEAST = 12
"""The fewest characters of a cut block."""


def _fitting(blocks: Iterable[Any], room: _Room) -> list[Any]:
    fitting = (_CUTS.get(block.__class__, _cut_leaf)(block, room) for block in blocks)
    kept: list[Any] = []
    for block in fitting:
        if block is not None:
            kept.append(block)
        if room.is_full:
            break
    return kept


def _cut_leaf(block: Any, room: _Room) -> Any:
    words = next(words_of((block,)))
    if room.takes(words):
        return block
    short = room.shortened(words) if type(block) is not mdast.Heading else ""
    if not short:
        return None
    if type(block) is mdast.Code:
        return replace(block, value=f"{short}…")
    return mdast.Paragraph((*_beginning(block.children, len(short)), mdast.Text("…")))


def _beginning(nodes: Iterable[Any], width: int) -> Iterator[Any]:
    """Return the first characters of phrasing."""
    for node in nodes:
        said = len(to_string(node))
        if said <= width:
            yield node
        elif width > 0:
            begun: dict[str, Any] = (
                {"children": tuple(_beginning(node.children, width))}
                if hasattr(node, "children")
                else {"value": node.value[:width]}
            )
            yield replace(node, **begun, position=None)
        width -= said


def _cut_list(block: mdast.List, room: _Room) -> Any:
    items: list[Any] = []
    for marker, item in _marked(block):
        room.left -= len(marker)
        children = tuple(_fitting(item.children, room))
        if children:
            items.append(replace(item, children=children, spread=is_spread(children)))
        if room.is_full:
            break
    return replace(block, children=tuple(items)) if items else None


def _cut_quote(block: mdast.Blockquote, room: _Room) -> Any:
    children = tuple(_fitting(block.children, room))
    return mdast.Blockquote(children) if children else None


def _cut_table(block: mdast.Table, room: _Room) -> Any:
    rows = [
        row
        for row, words in zip(block.children, words_of((block,)), strict=True)
        if room.takes(words)
    ]
    return replace(block, children=tuple(rows)) if len(rows) > 1 or not room.is_full else None


_CUTS: Mapping[type, Callable[[Any, _Room], Any]] = {
    mdast.List: _cut_list,
    mdast.Blockquote: _cut_quote,
    mdast.Table: _cut_table,
}


# The words that a request already contains, so that a delivery need not repeat them.
#
# In: the messages of the request, and earlier deliveries. Out: for each text whether it is present, and a state's
# values without present ones.

_BREAKS = re.compile(r"[\r\n]+|…| — | ← ")
"""The joints of a text composed by the HUD: lines in another order, a cut, an answer after a request, and a request
before another one.
"""

_JOINTS = re.compile(r": |, | in |\(\+\d+ more\)")
"""The joints of hosts' reports of several texts of calls and results."""

_QUOTES = str.maketrans("", "", "\"'`")
"""Quotes, which commands have but hosts' reports of them lack."""

_MARKS = "#*>- \t"
"""Characters around a line that are not part of its words."""


_UNSPACED = "\u2e80"
"""The first character of scripts without spaces between words."""

NEAR, FAR = 80_000, 160_000
"""Bytes at the end of a request, about 20,000 and 40,000 tokens. Tool calls and results within the first are not
delivered; those within the second do not trigger a delivery by themselves.
"""

CUT = "…"
"""The mark of a cut, which may be within a word."""

TELLING = 12
"""The length of the longest piece from which a text's pieces count one by one, in characters."""

SURE = 24
"""The length of a match that is not by chance, even within a longer word, in characters."""


class RequestMessage(NamedTuple):
    """A message of the request: the words of the user, the model or the host's summary."""

    text: str

    is_answer: bool = False
    """True if the model wrote it: its words are never the user's."""

    shown: str = ""
    """The texts of tool calls in an answer, or of results in any other message: nobody's words."""


class RequestWords:
    r"""The words of a request's messages, and those of the deliveries in it.

    :param messages: the messages of the conversation, oldest first, without the deliveries.
    :param told: the delivered lines that still hold.
    :param told_keys: the ids of the items of these lines.
    :param changed: returns the ids of the items that the agent alone has changed since; called at most once.

    >>> words = RequestWords([RequestMessage("Never push to main. Add a login."), RequestMessage("Done.", True)])
    >>> words.has("Never push to main."), words.has("push"), words.has("Done."), words.has("Add a logi")
    (True, True, False, False)
    >>> words.has("Done.", of_model=True)
    True
    """

    def __init__(
        self,
        messages: Iterable[RequestMessage],
        told: Iterable[str] = (),
        told_keys: Iterable[str] = (),
        changed: Callable[[], Container[str]] = tuple,
    ) -> None:
        self._messages = [*messages]
        newest_first = self._messages[::-1]
        self._prompts = _Texts(each.text for each in newest_first if not each.is_answer)
        self._answers = _Texts(each.text for each in newest_first if each.is_answer)
        self._told = _Texts(told)
        self._told_keys = frozenset(told_keys)
        self._find_changed = changed

    def has(self, text: str, *, of_model: bool = False) -> bool:
        """Tell whether a text is present verbatim, in one piece or in the pieces that it is composed of.

        :param of_model: whether it may be the model's; otherwise only the user's or the summary's.
        """
        return self._prompts.have(text) or (of_model and self._answers.have(text))

    def completes(self, text: str) -> bool:
        """Tell whether the messages contain a text, or all pieces of it that were not delivered."""
        pieces = _pieces(text)
        has = [self._prompts.has(each) for each in pieces]
        return any(has) and all(
            one or self._told.has(each) for one, each in zip(has, pieces, strict=True)
        )

    def tells(self, text: str) -> bool:
        """Tell whether a text was delivered in full."""
        return self._told.have(text)

    def tells_item(self, key: str) -> bool:
        """Tell whether the item with this id was delivered."""
        return key in self._told_keys

    @cached_property
    def changed(self) -> Container[str]:
        """The ids of the items that the agent alone has changed since the last delivery, by calls in the request."""
        return self._find_changed()

    @cached_property
    def newest(self) -> str:
        """A digest of the newest message and the one before it; empty without messages."""
        return self._digests[-1] if self._messages else ""

    def shows(
        self,
        texts: Iterable[str],
        *,
        in_calls: bool = False,
        after: str | None = None,
        within: int = NEAR,
    ) -> bool:
        """Tell whether all texts appear verbatim near the end of the request.

        :param in_calls: whether only the model's calls count.
        :param after: the digest of the message that they must follow; without that message none does.
        :param within: the number of bytes at the end to search.

        >>> calls = [RequestMessage("", True, "notes.add Port 8080"), RequestMessage("", False, "Added n-2.")]
        >>> words = RequestWords(calls)
        >>> words.shows(["Port 8080"], in_calls=True), words.shows(["n-2"], in_calls=True), words.shows(["n-2"])
        (True, False, True)
        """
        start = 0 if after is None else self._places.get(after, len(self._messages)) + 1
        found = [
            each.calls if in_calls else each.words
            for each in self._near
            if each.number >= start and each.behind < within
        ]
        pieces = [
            (piece, CUT not in each and len(piece) < SURE)
            for each in texts
            for piece in (_pieces(each) if in_calls else _reported(each))
        ]
        return bool(pieces) and all(
            any(_is_in(text, piece, is_whole=is_whole) for text in found)
            for piece, is_whole in pieces
        )

    @cached_property
    def _near(self) -> Sequence[_NearMessage]:
        """Yield the messages near the end, the newest first."""
        found: list[_NearMessage] = []
        behind = 0
        for number in reversed(range(len(self._messages))):
            if behind >= FAR:
                break
            text, is_answer, shown = self._messages[number]
            calls = _plain(_unescaped(shown[-FAR:]))
            words = f"{_plain(text[-FAR:])}\n{calls}".translate(_QUOTES)
            found.append(_NearMessage(number, behind, words, calls if is_answer else ""))
            behind += len(f"{text}{shown}".encode("utf-8", "surrogatepass"))
        return found

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """The number of each message, by its digest; of equal ones, that of the last."""
        return {each: number for number, each in enumerate(self._digests)}

    @cached_property
    def _digests(self) -> Sequence[str]:
        """A digest of each message with the one before it: many calls have the same short result."""
        alone = [b"", *map(_digest, self._messages)]
        return [_digest_of(before + own) for before, own in pairwise(alone)]


class _NearMessage(NamedTuple):
    """A message near the end of a request."""

    number: int
    behind: int
    """Bytes of the request behind it."""
    words: str
    """All of its text."""
    calls: str
    """The texts of the model's calls in it."""


def _unescaped(shown: str) -> str:
    """Return texts without their JSON escapes."""
    return shown.replace("\\n", "\n").replace('\\"', '"') if "\\" in shown else shown


def _digest(message: RequestMessage) -> bytes:
    data = f"{message.text}\0{message.shown}".encode("utf-8", "surrogatepass")
    return _digest_of(data).encode()


def _digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


class _Texts:
    """Texts to search in order, each prepared on first use."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._unread = iter(texts)
        self._read: list[str] = []

    def have(self, text: str) -> bool:
        return all(map(self.has, _pieces(text)))

    def has(self, piece: str) -> bool:
        for place, text in enumerate(self._each()):
            if _is_in(text, piece):
                self._read.insert(
                    0, self._read.pop(place)
                )  # the next piece is likely in the same text
                return True
        return False

    def _each(self) -> Iterator[str]:
        yield from self._read
        for text in self._unread:
            self._read.append(_plain(text))
            yield self._read[-1]


def _pieces(text: str) -> list[str]:
    """Return the pieces that a text is composed of."""
    parts = _BREAKS.split(text)
    pieces = [each for one in parts if (each := _plain(one.strip(_MARKS)))]
    return pieces or [each for one in parts if (each := _plain(one))]  # nothing but marks


def _reported(text: str) -> list[str]:
    """Return the pieces of a host's report of calls and results: a command and its message, a list of names, a count of
    others.
    """
    text = text.translate(_QUOTES)
    pieces = [each for one in _JOINTS.split(text) for each in _pieces(one)]
    return pieces if any(len(each) >= TELLING for each in pieces) else _pieces(text)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _is_in(text: str, piece: str, *, is_whole: bool = True) -> bool:
    """Tell whether a text contains a piece, as whole words or anywhere."""
    start = text.find(piece)
    if not is_whole:
        return start >= 0
    while start >= 0:
        end = start + len(piece)
        if not (_joins(text[max(start - 1, 0) : start + 1]) or _joins(text[end - 1 : end + 1])):
            return True
        start = text.find(piece, start + 1)
    return False


def _joins(pair: str) -> bool:
    """Tell whether the two characters around an edge belong to one word."""
    return len(pair) > 1 and pair.isalnum() and max(pair) < _UNSPACED


@dataclass(frozen=True, slots=True)
class Remaining:
    """The undelivered rest of a state's values: pairs of a value and the part that the request lacks."""

    pairs: tuple[tuple[Any, Any], ...] = ()

    reduced: frozenset[str] = frozenset()
    """The names of these values' sections. If nothing of a value is left, its earlier delivery is older than the words
    of the request.
    """


def left_to_tell(value: Any, ctx: RenderContext) -> Any:
    """Return the part of a value to render: all of it, or in a delivery the part that the request lacks."""
    remaining = ctx.get(Remaining) if value else None
    if remaining is None:
        return value
    return next(
        (rest for whole, rest in remaining.pairs if whole is value or whole == value), value
    )

"""The result of a rendering: the text, and an account of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Protocol

import msgspec

from ujsx._density import Rung
from ujsx.components._element import Children, Element
from ujsx.elements import Omitted
from ujsx.rendering._outline import Piece
from ujsx.tokens import TokenCounter, estimate_tokens
from ujsx.tokens._estimate import thousandths, whole_tokens


class CountedText(msgspec.Struct, eq=False, gc=False):
    """A piece of text whose tokens are counted once, when they are first asked for."""

    text: str
    count: TokenCounter
    _tokens: int | None = None

    @property
    def tokens(self) -> int:
        if self._tokens is None:
            self._tokens = self.count(self.text)
        return self._tokens


class RenderedPart(Protocol):
    """A piece of the tree, and the primitives that it resolved into.

    It keeps what is known of its text, for the next rendering that has it.
    """

    weighed: str | None
    """The text that was weighed last."""

    weight: int
    """Its estimate in thousandths of a token, which add up."""

    @property
    def piece(self) -> Piece: ...

    @property
    def resolved(self) -> Children: ...

    def counted_as(self, text: str, count: TokenCounter) -> CountedText:
        """Return its text, the same object for the same text."""
        ...


@dataclass(frozen=True)
class RenderedNode:
    """What became of a node of the tree, or of neighbours that are written together."""

    name: str
    """The component's class name, and its key in brackets where it has one; ``Section`` for a heading."""

    start: int
    """Where its text begins in the whole text, in characters, the blank line before it included."""

    end: int
    """Where its text ends."""

    piece: CountedText = field(repr=False, compare=False)

    part: RenderedPart = field(repr=False, compare=False)

    @property
    def path(self) -> str:
        """Where it stands in the tree: ``Hud / NotesSection``."""
        return self.part.piece.around + self.name

    @property
    def nodes(self) -> Children:
        """The primitives that it resolved into."""
        return self.part.resolved

    @property
    def text(self) -> str:
        """Its text, with the blank line before it."""
        return self.piece.text

    @property
    def tokens(self) -> int:
        """The tokens of its text."""
        return self.piece.tokens

    @cached_property
    def fingerprint(self) -> str:
        """A digest of its text: the same for the same bytes (BLAKE2b, 64 bits, hexadecimal)."""
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True)
class RenderedSection(RenderedNode):
    """What one component with a ladder became."""

    rung: Rung | None
    """The rung it was rendered on; ``None`` if a budget hid it."""


@dataclass(frozen=True)
class OmittedItems:
    """Items that a section left out."""

    section: str
    """The section's name."""

    count: int
    """How many; 0 for a section without items that a budget hid as a whole."""

    ids: tuple[str, ...]
    """Which, where the component says."""

    tokens: int
    """How many tokens more the section would have if it showed everything."""

    handle: str | None
    """The call that shows them."""


@dataclass(frozen=True)
class Rendered:
    r"""Markdown, and an account of it.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Paragraph
    >>> rendered = render_document(Paragraph()["hello"])
    >>> rendered.text, rendered.sections, rendered.omitted
    ('hello\n', (), ())
    """

    text: str
    """The Markdown. It ends in one newline, or is empty."""

    parts: Sequence[RenderedPart] = field(repr=False, compare=False)
    """What the text was put together from."""

    texts: Sequence[str] = field(repr=False, compare=False)
    """The text of each part, with the blank line before it."""

    count_tokens: TokenCounter = field(repr=False, compare=False)
    """How tokens are counted."""

    cost: Callable[[Piece], int] = field(repr=False, compare=False)
    """Counts the tokens of a piece, wherever it stands on its ladder."""

    over_budget: bool = False
    """Whether even the least that the tree can show has more tokens than the budget."""

    @cached_property
    def nodes(self) -> tuple[RenderedNode, ...]:
        """All of the text by the nodes it came from: sections, headings, and what stands between."""
        nodes: list[RenderedNode] = []
        end = 0
        for part, text in zip(self.parts, self.texts, strict=True):
            start, end = end, end + len(text)
            piece, counted = part.piece, part.counted_as(text, self.count_tokens)
            if piece.ladder is None:
                nodes.append(RenderedNode(piece.label, start, end, counted, part))
            else:
                nodes.append(RenderedSection(piece.name, start, end, counted, part, piece.rung))
        return tuple(nodes)

    @cached_property
    def sections(self) -> tuple[RenderedSection, ...]:
        """The components with a ladder, in their order."""
        return tuple(each for each in self.nodes if isinstance(each, RenderedSection))

    @cached_property
    def tokens(self) -> int:
        """The tokens of the text."""
        if self.count_tokens is not estimate_tokens or not self.text:
            return self.count_tokens(self.text)
        total = _NEWLINE  # at the end of the text, which no piece has
        for part, text in zip(self.parts, self.texts, strict=True):
            if part.weighed is not text:
                part.weighed, part.weight = text, thousandths(text)
            total += part.weight
        return whole_tokens(total)

    @cached_property
    def omitted(self) -> tuple[OmittedItems, ...]:
        """What the sections left out, and how to get it back."""
        omitted: list[OmittedItems] = []
        for part in self.parts:
            piece = part.piece
            if piece.ladder is None:
                continue
            marks = list(_omitted_marks(part.resolved))
            if not marks and not piece.is_hidden:
                continue
            saved = self.cost(piece.opened()) - self.cost(piece)
            omitted += [
                OmittedItems(piece.name, mark.count, mark.ids, saved, mark.handle)
                for mark in marks or (_WHOLE,)
            ]
        return tuple(omitted)

    def __str__(self) -> str:
        return self.text


_NEWLINE = thousandths("\n")

_WHOLE = Omitted.model_construct(count=0, handle=None, ids=())


def _omitted_marks(nodes: Children) -> Iterator[Omitted]:
    for node in nodes:
        if isinstance(node, Omitted):
            yield node
        elif isinstance(node, Element):
            if isinstance(node.component, Omitted):
                yield node.component
            yield from _omitted_marks(node.children)

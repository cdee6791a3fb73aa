"""The pieces of a rendering as text: one document, written piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

from ujsx import mdast
from ujsx.errors import MdastError
from ujsx.mdast._normalize import canonical_blocks
from ujsx.mdast.to_markdown._brackets import NO_LABELS, labels_in
from ujsx.mdast.to_markdown._state import Mend
from ujsx.rendering._rendered_piece import RenderedPiece
from ujsx.transforms._content import is_inline, settle, shares_its_line, to_blocks


class PieceWriter:
    """Writes pieces.

    :param normalizes: whether what Markdown cannot represent is written in its canonical form; it
        is an error else.
    """

    def __init__(self, writer: mdast.Writer, *, normalizes: bool) -> None:
        self._writer = writer
        self._normalizes = normalizes
        self._labels = NO_LABELS

    def texts(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        """The text of each piece, with what parts it from the one before."""
        try:
            return self._written(pieces)
        except MdastError:  # for what depends on its place: front matter, HTML
            if not self._normalizes:
                raise
        return self._written_in_canonical_form(pieces)

    def _written(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        # What is defined in whatever piece: text in brackets could lead there.
        labels = NO_LABELS.union(*[each.labels for each in pieces])
        if labels != self._labels:
            self._labels = labels
        # The same object while they are equal: each piece looks whether they changed.
        document = self._writer.document(self._labels)
        parts = assembled(pieces)
        last = max((place for place, part in enumerate(parts) if part), default=None)
        texts: list[str] = []
        for place, (piece, part) in enumerate(zip(pieces, parts, strict=True)):
            if self._normalizes:
                document.mend = _MENDS[piece.piece.context.trusts_text]
            texts.append(piece.text(part, document, is_last=place == last) if part else "")
        return texts

    def _written_in_canonical_form(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        parts = [list(filter(_says_something, part)) for part in assembled(pieces, anew=True)]
        blocks = [block for part in parts for block in part]
        made = _canonical(blocks, trusts_text=_trusts_text(pieces))
        return _shared_out(self._writer.blocks(made, labels=labels_in(made)), parts)


def _shared_out(written: Sequence[str], parts: Sequence[Sequence[Any]]) -> list[str]:
    """The text of each part, of the texts that all their blocks were written as.

    Each block has a text of its own, in their order, or has none. Where one has none, what is left
    does not tell whose it is: the first part that there is has all of it, as it has a line that goes
    on in others.

    >>> _shared_out(["a", "b", "c"], [["a"], [], ["b", "c"]])
    ['a', '', 'bc']
    >>> _shared_out(["b"], [[], ["a"], ["b"]])
    ['', 'b', '']
    """
    if len(written) == sum(map(len, parts)):
        texts = iter(written)
        return ["".join(islice(texts, len(part))) for part in parts]
    first = next(place for place, part in enumerate(parts) if part)
    return ["".join(written) if place == first else "" for place in range(len(parts))]


def _says_something(block: Any) -> bool:
    """Tell whether a block has a canonical form."""
    return bool(canonical_blocks([block], complete=False))


def _canonical(blocks: Sequence[Any], *, trusts_text: bool) -> list[Any]:
    """The canonical form of a part of a document: its references may lead out of it."""
    made = canonical_blocks(blocks, complete=False)
    return list(made) if trusts_text else settle(made, blocks)


_MENDS: dict[bool, Mend] = {
    trusts_text: partial(_canonical, trusts_text=trusts_text) for trusts_text in (False, True)
}
"""The makers of canonical blocks, by whether a piece's texts are trusted."""


def _trusts_text(pieces: Sequence[RenderedPiece]) -> bool:
    """Whether all that may meet in these pieces is trusted."""
    return all(each.piece.context.trusts_text for each in pieces)


def assembled(pieces: Sequence[RenderedPiece], *, anew: bool = False) -> list[Sequence[Any]]:
    """The blocks of each piece.

    Where inline content of two pieces meets in the same section, or paragraphs that share their line,
    it is one paragraph, of the first.

    :param anew: take them as they came from the tree, and not in the form that a piece has by itself.
    """
    parts: list[Sequence[Any]] = []
    for index, last in lines(pieces):
        own = pieces[index].blocks
        if last > index or anew:
            line = pieces[index : last + 1]
            nodes = [node for each in line for node in each.nodes]
            own = to_blocks(nodes, trusts_text=_trusts_text(line))
        parts += [own, *[()] * (last - index)]
    return parts


def lines(pieces: Sequence[RenderedPiece]) -> list[tuple[int, int]]:
    """Return the places of the first and the last piece of each line that several share; of any other, its own twice."""
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(pieces):
        last = index
        in_line = pieces[index].ends_in_line
        following = index + 1
        while in_line and following < len(pieces):
            piece = pieces[following]
            if piece.nodes:  # a piece that is nothing parts nothing
                if not _goes_on(pieces[last], piece):
                    break
                last, in_line = following, piece.ends_in_line is not False
            following += 1
        found.append((index, last))
        index = last + 1
    return found


def _goes_on(left: RenderedPiece, right: RenderedPiece) -> bool:
    """Tell whether ``right`` starts with what may go on in the line that ``left`` ends in."""
    first = right.nodes[0]
    goes_on = (
        _shares(right.nodes, 0)
        if _shares(left.nodes, -1)
        else is_inline(first) or type(first) is mdast.Html
    )
    return goes_on and left.piece.sections == right.piece.sections


def _shares(nodes: list[Any], place: int) -> bool:
    return bool(nodes) and shares_its_line(nodes[place])

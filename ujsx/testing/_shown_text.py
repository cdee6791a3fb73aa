"""The plain words of a rendering, part by part, and whether a text is among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ujsx import Rendered, mdast
from ujsx.errors import RenderError
from ujsx.rendering import Piece
from ujsx.rendering._account import PiecesAccount
from ujsx.rendering._rendered_piece import RenderedPiece
from ujsx.text._hidden import unhidden

_SAID = ("value", "url", "title", "alt", "lang", "meta", "identifier")
"""The fields of mdast nodes that hold what a reader may read."""

_INLINE = (
    mdast.Break, mdast.Delete, mdast.Emphasis, mdast.FootnoteReference, mdast.Image,
    mdast.ImageReference, mdast.InlineCode, mdast.Link, mdast.LinkReference, mdast.Strong, mdast.Text,
)  # fmt: skip


class ShownPart(NamedTuple):
    """The words of a part of a rendering, and the section that it is; ``None`` between sections."""

    section: str | None
    words: str


def parts_of(rendered: Rendered) -> Sequence[RenderedPiece]:
    """Return what a rendering consists of.

    :raises RenderError: for one that was pickled, which has left that behind.
    """
    if not isinstance(rendered.account, PiecesAccount):
        raise RenderError(
            "this rendering was pickled, and knows no more what it was made of; give the tree, or "
            "the session"
        )
    return rendered.account.pieces


def pieces_of(rendered: Rendered) -> Sequence[Piece]:
    """Return the pieces that a rendering was made of.

    :raises RenderError: for one that was pickled.
    """
    return [part.piece for part in parts_of(rendered)]


def shown_parts(rendered: Rendered, *, opened: bool = False) -> tuple[ShownPart, ...]:
    """Return what a rendering says, part by part.

    :param opened: each section on the top of its ladder, wherever it stands in the rendering.
    """
    parts = parts_of(rendered)
    if opened:
        parts = [RenderedPiece(part.piece.opened(), part.registry) for part in parts]
    return tuple(ShownPart(part.piece.name or None, words_of(part.blocks)) for part in parts)


def words_of(nodes: Sequence[Any]) -> str:
    r"""Return the words of mdast nodes, each run of white space as one space.

    >>> words_of(mdast.from_markdown("# A *b*c").children), collapsed(" a \n b ")
    ('A bc', 'a b')
    """
    return collapsed("\n".join(map(_words, nodes)))


def collapsed(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def says(words: str, text: str) -> bool:
    """Tell whether words hold a text, and not only as a part of longer words.

    >>> says("Use JWT, always", "Use JWT"), says("linting", "in")
    (True, False)
    """
    return text in words and _bounded(text).search(words) is not None


def places(words: str, text: str) -> Iterator[int]:
    """Yield where words hold a text, as :func:`says` has it."""
    return (
        (match.start() for match in _bounded(text).finditer(words)) if text in words else iter(())
    )


def without(words: str, texts: Iterable[str]) -> str:
    r"""Return words without those of the texts that they hold, the first one taken first.

    >>> without("Work on shop-1: shop-1", ["Work on shop-1"])
    '\n: shop-1'
    """
    for text in texts:
        if text in words:
            words = _bounded(text).sub("\n", words)
    return words


def _bounded(text: str) -> re.Pattern[str]:
    """What finds a text where no word goes on at its ends."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    behind = r"(?!\w)" if re.match(r"\w", text[-1]) else ""
    return re.compile(f"{before}{re.escape(text)}{behind}")


def _words(node: Any) -> str:
    if isinstance(node, mdast.Break):
        return " "
    said = [
        unhidden(value) for name in _SAID if isinstance(value := getattr(node, name, None), str)
    ]
    children = getattr(node, "children", ())
    if children:
        said.append(("" if isinstance(children[0], _INLINE) else "\n").join(map(_words, children)))
    return "\n".join(said)

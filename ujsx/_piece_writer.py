"""The pieces of a rendering as text: those that the short way did not write, in runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx import mdast
from ujsx._errors import MdastError
from ujsx._made import Made
from ujsx.mdast._normalize import canonical_blocks
from ujsx.mdast.to_markdown._brackets import NO_LABELS, Labels, labels_in
from ujsx.transforms._content import is_inline, settle, to_blocks


class PieceWriter:
    """Writes pieces, and keeps what the next rendering can use.

    :param normalizes: whether what Markdown cannot represent is written in its canonical form; it
        is an error else.
    """

    def __init__(self, writer: mdast.Writer, *, normalizes: bool) -> None:
        self._writer = writer
        self._normalizes = normalizes
        self._runs: dict[tuple[Any, ...], list[str]] = {}
        self._memo: Any = {}
        self._has_written = False

    def texts(self, made: Sequence[Made]) -> list[str]:
        """The text of each piece, with what parts it from the one before."""
        short = _short_texts(made)
        if short is not None:
            return short
        try:
            return self._written(made)
        except MdastError:
            if not self._normalizes:
                raise
            self._make_writable(made)
            return self._written_in_canonical_form(made)
        finally:
            self._has_written = True

    def _written(self, made: Sequence[Made]) -> list[str]:
        """Write the pieces that the short way did not, in runs, and keep what each run became."""
        runs, self._runs = self._runs, {}
        labels = _labels_of(made)
        texts: list[str] = []
        before: Made | None = None
        end = len(made)
        index = 0
        while index < end:
            each = made[index]
            if each.short is not None:
                texts.append(each.short if before is None else each.below or "")
                before = each if each.short else before
                index += 1
                continue
            stop = index + 1
            while stop < end and not made[stop].short:
                stop += 1
            key = (before, stop == end, labels, *made[index:stop])
            run = runs.get(key)
            if run is None:
                run = self._run(made[index:stop], before, labels, is_last=stop == end)
            self._runs[key] = run
            texts += run
            if any(run):
                before = made[stop - 1]
            index = stop
        return texts

    def _run(
        self, made: Sequence[Made], before: Made | None, labels: Labels, *, is_last: bool
    ) -> list[str]:
        blocks, owners = _assembled(made)
        after: mdast.Node | None = None
        if before is not None and blocks:
            after = before.blocks[-1] if type(blocks[0]) is mdast.List else _SOME_BLOCK
        memo = self._memo if self._has_written else None  # of use from the second time on
        if len(self._memo) > 2 * len(blocks) + _SPARE_MEMOS:
            used = set(map(id, blocks))
            self._memo = memo = {key: kept for key, kept in self._memo.items() if key in used}
        written = self._writer.blocks(blocks, memo, after=after, is_last=is_last, labels=labels)
        return _by_owner(len(made), owners, written)

    def _written_in_canonical_form(self, made: Sequence[Made]) -> list[str]:
        blocks, owners = _assembled(made, canonical=True)
        # Again, for what depends on its place: front matter, HTML.
        blocks = _canonical(blocks, trusts_text=_trusts_text(made))
        return _by_owner(len(made), owners, self._writer.blocks(blocks, labels=labels_in(blocks)))

    def _make_writable(self, made: Sequence[Made]) -> None:
        """Put the pieces that Markdown cannot represent in canonical form."""
        refused = [each for each in made if not self._can_write(each.blocks)]
        for each in refused or made:
            each.blocks = _canonical(each.blocks, trusts_text=_trusts_text([each]))

    def _can_write(self, blocks: list[Any]) -> bool:
        try:
            self._writer.blocks(blocks)
        except MdastError:
            return False
        return True


def _short_texts(made: Sequence[Made]) -> list[str] | None:
    """The texts of pieces all of which the short way wrote."""
    texts: list[Any] = [each.below for each in made]
    if None in texts:
        return None
    for place, text in enumerate(texts):
        if text:
            texts[place] = made[place].short  # nothing stands above it
            break
    return texts


def _labels_of(made: Sequence[Made]) -> Labels:
    """What a rendering defines, in whatever piece: text in brackets could lead there."""
    return NO_LABELS.union(*[each.labels for each in made])


def _canonical(blocks: list[Any], *, trusts_text: bool) -> list[Any]:
    """The canonical form of a part of a document: its references may lead out of it."""
    made = canonical_blocks(blocks, complete=False)
    return list(made) if trusts_text else settle(made, blocks)


def _trusts_text(made: Sequence[Made]) -> bool:
    """Whether all that may meet in these pieces is trusted."""
    return all(each.piece.context.trusts_text for each in made)


def _assembled(made: Sequence[Made], *, canonical: bool = False) -> tuple[list[Any], list[int]]:
    """All blocks in order, and for each the index of the piece that it belongs to.

    Where inline content of two pieces meets at the same depth, it is one paragraph; with
    ``canonical``, such a paragraph is put in canonical form.
    """
    blocks: list[Any] = []
    owners: list[int] = []
    index = 0
    while index < len(made):
        last = index
        own = made[index].blocks
        in_line = _ends_in_line(made[index].nodes)
        following = index + 1
        while in_line and following < len(made):
            nodes = made[following].nodes
            if nodes:  # a piece that is nothing parts nothing
                if not _goes_on(made[last], made[following]):
                    break
                last, in_line = following, _ends_in_line(nodes, before=in_line)
            following += 1
        if last > index:
            line = made[index : last + 1]
            trusts = _trusts_text(line)
            own = to_blocks([node for each in line for node in each.nodes], trusts_text=trusts)
            own = _canonical(own, trusts_text=trusts) if canonical else own
        blocks += own
        owners += [index] * len(own)
        index = last + 1
    return blocks, owners


def _ends_in_line(nodes: list[Any], *, before: bool = False) -> bool:
    """Tell whether nodes end in inline content; HTML is inline where it follows such."""
    for node in reversed(nodes):
        if type(node) is not mdast.Html:
            return is_inline(node)
    return before


def _goes_on(left: Made, right: Made) -> bool:
    """Tell whether ``right`` starts with what may go on in the line that ``left`` ends in."""
    first = right.nodes[0]
    return (
        is_inline(first) or type(first) is mdast.Html
    ) and left.piece.context.depth == right.piece.context.depth


def _by_owner(count: int, owners: Sequence[int], texts: Sequence[str]) -> list[str]:
    """The texts of blocks, joined by the piece that they belong to."""
    joined = [""] * count
    for owner, text in zip(owners, texts, strict=True):
        joined[owner] += text
    return joined


_SPARE_MEMOS = 16
"""How many blocks the memo may hold beside twice those of a run, before it is cleared."""

_SOME_BLOCK = mdast.ThematicBreak()
"""Stands for the block before a run, where all that matters is that there is one."""

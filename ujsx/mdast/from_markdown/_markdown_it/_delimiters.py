"""Emphasis, strong emphasis and strikethrough, paired.

The rules of pairing are markdown-it's (``balance_pairs`` and ``emphasis``), called once for the
text and once for each link. Strikethrough is remark's: a run of one or two tildes pairs with a run
of the same length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.emphasis import _postProcess as mark_emphasis
from markdown_it.rules_inline.emphasis import tokenize as take_delimiters
from markdown_it.rules_inline.state_inline import Delimiter

if TYPE_CHECKING:
    from ._inline_parser import InlineState

TILDE = ord("~")


def stars(state: InlineState) -> bool:
    """Take a run of asterisks or underscores, a delimiter for each."""
    return take_delimiters(state, False)


def tildes(state: InlineState) -> bool:
    """Take a run of tildes: a delimiter if there are one or two, else text."""
    start = state.pos
    scanned = state.scanDelims(start, True)
    run = "~" * scanned.length
    state.pos = start + scanned.length
    if scanned.length > 2:
        state.append_pending(run)
        return True
    state.push("text", "", 0).content = run
    state.delimiters.append(
        Delimiter(
            marker=TILDE,
            length=scanned.length,
            token=len(state.tokens) - 1,
            end=-1,
            open=scanned.can_open,
            close=scanned.can_close,
        )
    )
    return True


def pair_delimiters(state: InlineState) -> None:
    """Turn the delimiters that pair into the tokens that open and close a span."""
    for delimiters in (*state.spans, state.delimiters):
        for group in _strikethrough(state, delimiters):
            processDelimiters(state, group)
            mark_emphasis(state, group)


def _strikethrough(state: InlineState, delimiters: list[Delimiter]) -> list[list[Delimiter]]:
    """Pair tildes, and return the other delimiters grouped by the span that they stand in."""
    if all(delimiter.marker != TILDE for delimiter in delimiters):
        return [delimiters] if delimiters else []
    pairs = _tilde_pairs(delimiters)
    groups: list[list[Delimiter]] = [[]]
    done: list[list[Delimiter]] = []
    for index, delimiter in enumerate(delimiters):
        if delimiter.marker != TILDE:
            groups[-1].append(delimiter)
        elif index in pairs:
            opens = pairs[index]
            token = state.tokens[delimiter.token]
            token.type = "s_open" if opens else "s_close"
            token.content = ""
            if opens:
                groups.append([])
            else:
                done.append(groups.pop())
    return [*done, *groups]


def _tilde_pairs(delimiters: list[Delimiter]) -> dict[int, bool]:
    """Return which delimiters pair: whether each opens (or else closes) a span."""
    pairs: dict[int, bool] = {}
    openers: dict[int, list[int]] = {1: [], 2: []}
    for index, delimiter in enumerate(delimiters):
        if delimiter.marker != TILDE:
            continue
        same = openers[delimiter.length]
        if delimiter.close and same:
            opener = same.pop()
            pairs[opener], pairs[index] = True, False
            other = openers[3 - delimiter.length]
            while other and other[-1] > opener:  # inside the span now: it can pair no more
                other.pop()
        elif delimiter.open:
            same.append(index)
    return pairs

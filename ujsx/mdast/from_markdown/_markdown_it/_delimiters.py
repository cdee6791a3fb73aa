"""Emphasis, strong emphasis and strikethrough: runs of delimiters, and how they pair.

The rule by which asterisks and underscores pair is markdown-it's (``balance_pairs``). What differs
comes with GFM's strikethrough, which is remark's here: a run of one or two tildes pairs with a run
of the same length; beside a tilde an asterisk opens and closes as it does beside a letter; and
where emphasis and strikethrough would overlap, the one that the text starts with wins. And a symbol
beyond the basic plane, such as an emoji, is no punctuation: remark, cmark-gfm and commonmark.js pair
what stands beside one as they do beside a letter, though CommonMark 0.31 says otherwise.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.emphasis import _postProcess as mark_emphasis
from markdown_it.rules_inline.state_inline import Delimiter

if TYPE_CHECKING:
    from ._inline_state import InlineState

TILDE = ord("~")

LAST_OF_BASIC = "\uffff"
"""The last code point of the basic plane."""

_OTHER, _WHITE_SPACE, _PUNCTUATION = range(3)

Span = tuple[int, int]
"""The tokens that open and close a span, by their place among the tokens."""


def stars(state: InlineState) -> bool:
    """Take a run of asterisks or underscores: a delimiter for each."""
    start = state.pos
    marker = state.src[start]
    end = _run_end(state, marker)
    opens, closes = _flanking(state, start, end)
    if marker == "_":  # within words, underscores are text
        before, after = _kind(_before(state, start)), _kind(_after(state, end))
        opens, closes = (
            opens and (before != _OTHER or not closes),
            closes and (after != _OTHER or not opens),
        )
    for place in range(start, end):
        _push(state, marker, end - start, place, opens=opens, closes=closes)
    state.pos = end
    return True


def tildes(state: InlineState) -> bool:
    """Take a run of tildes: a delimiter if there are one or two, else text."""
    start = state.pos
    end = _run_end(state, "~")
    if end - start > 2:
        state.append_pending(state.src[start:end])
    else:
        opens, closes = _flanking(state, start, end)
        _push(state, state.src[start:end], end - start, start, opens=opens, closes=closes)
    state.pos = end
    return True


def _run_end(state: InlineState, marker: str) -> int:
    end = state.pos
    while state.src.startswith(marker, end):
        end += 1
    return end


def _before(state: InlineState, start: int) -> str:
    return state.src[start - 1] if start else "\n"


def _after(state: InlineState, end: int) -> str:
    return state.src[end] if end < state.posMax else "\n"


def _flanking(state: InlineState, start: int, end: int) -> tuple[bool, bool]:
    """Return whether a run is left-flanking and right-flanking (CommonMark 6.2)."""
    previous, following = _before(state, start), _after(state, end)
    before, after = _kind(previous), _kind(following)
    opens = after == _OTHER or (after == _PUNCTUATION and before != _OTHER)
    closes = before == _OTHER or (before == _PUNCTUATION and after != _OTHER)
    if state.env["gfm"] and state.src[start] != "~":
        opens, closes = opens or following == "~", closes or previous == "~"
    return opens, closes


@lru_cache(maxsize=1024)
def _kind(character: str) -> int:
    if isWhiteSpace(ord(character)):
        return _WHITE_SPACE
    if isMdAsciiPunct(ord(character)) or (character <= LAST_OF_BASIC and isPunctChar(character)):
        return _PUNCTUATION
    return _OTHER


def _push(
    state: InlineState, text: str, length: int, start: int, *, opens: bool, closes: bool
) -> None:
    token = state.push("text", "", 0)
    token.content = text
    token.map = [start, start + len(text)]
    state.delimiters.append(
        Delimiter(
            marker=ord(text[0]),
            length=length,
            token=len(state.tokens) - 1,
            end=-1,
            open=opens,
            close=closes,
        )
    )


def pair_delimiters(state: InlineState) -> None:
    """Turn the delimiters that pair into the tokens that open and close a span."""
    for delimiters in state.spans:
        _pair(state, delimiters, tildes_first=True)
    if state.delimiters:
        tildes_first = state.delimiters[0].marker == TILDE
        _pair(state, state.delimiters, tildes_first=tildes_first)


def _pair(state: InlineState, delimiters: list[Delimiter], *, tildes_first: bool) -> None:
    """Pair one kind of delimiter, then the other within each span that came of it."""
    tilde_runs = [delimiter for delimiter in delimiters if delimiter.marker == TILDE]
    if not tilde_runs:
        _pair_stars(state, delimiters)
        return
    star_runs = [delimiter for delimiter in delimiters if delimiter.marker != TILDE]
    if tildes_first:
        for group in _grouped(star_runs, _pair_tildes(state, tilde_runs)):
            _pair_stars(state, group)
    else:
        for group in _grouped(tilde_runs, _pair_stars(state, star_runs)):
            _pair_tildes(state, group)


def _pair_stars(state: InlineState, delimiters: list[Delimiter]) -> list[Span]:
    processDelimiters(state, delimiters)
    mark_emphasis(state, delimiters)
    return [
        (opener.token, delimiters[opener.end].token) for opener in delimiters if opener.end >= 0
    ]


def _pair_tildes(state: InlineState, delimiters: list[Delimiter]) -> list[Span]:
    spans: list[Span] = []
    openers: dict[int, list[Delimiter]] = {1: [], 2: []}
    for delimiter in delimiters:
        same, other = openers[delimiter.length], openers[3 - delimiter.length]
        if delimiter.close and same:
            opener = same.pop()
            spans.append((opener.token, delimiter.token))
            while other and other[-1].token > opener.token:  # within the span: it pairs no more
                other.pop()
        elif delimiter.open:
            same.append(delimiter)
    for start, end in spans:
        for index, kind in ((start, "s_open"), (end, "s_close")):
            token = state.tokens[index]
            token.type, token.content = kind, ""
    return spans


def _grouped(delimiters: list[Delimiter], spans: list[Span]) -> list[list[Delimiter]]:
    """Group delimiters by the innermost span that they stand in."""
    edges = sorted([*((start, True) for start, _ in spans), *((end, False) for _, end in spans)])
    edges.reverse()
    done: list[list[Delimiter]] = []
    open_groups: list[list[Delimiter]] = [[]]
    for delimiter in delimiters:
        while edges and edges[-1][0] < delimiter.token:
            if edges.pop()[1]:
                open_groups.append([])
            else:
                done.append(open_groups.pop())
        open_groups[-1].append(delimiter)
    return [*done, *open_groups]

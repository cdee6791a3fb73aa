"""Autolink literals (GFM): ``https://…``, ``www.…`` and ``name@host`` in the source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ujsx.mdast.from_markdown._characters import UNICODE_WHITESPACE, is_punctuation

if TYPE_CHECKING:
    from ._inline_state import InlineState

CANDIDATE = (
    r"(?<![A-Za-z])[hH][tT][tT][pP][sS]?://"
    r"|(?<![^\s(*_\[\]~])[wW]{3}\."
    r"|(?<![A-Za-z0-9+\-._/])[A-Za-z0-9+\-._]++@"
)
"""Where one may start: the character before decides too."""

_PROTOCOL = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_WWW = re.compile(r"www\.(?=.)", re.IGNORECASE | re.ASCII | re.DOTALL)
_EMAIL = re.compile(r"[A-Za-z0-9+\-._]++@((?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))++)")
_WHITESPACE = "".join(sorted(UNICODE_WHITESPACE))
_TRAIL = re.compile(r"(?:[!\"')*,.:;?_~]|&[A-Za-z]++;|\](?![(\[]))*+")
"""What is left off a literal's end, if the literal ends there."""
_AFTER_TRAIL = re.compile(rf"[<{_WHITESPACE}]|\Z|\](?=[(\[])")
_DOMAIN_STOPS = re.compile(r"[^A-Za-z0-9-]")
_PATH_STOPS = re.compile(rf"[!\"&'()*,.:;<?\]_~{_WHITESPACE}]")


def autolink_literal(state: InlineState) -> bool:
    """Take an autolink literal; within a bracket that is open, it waits for the link's end."""
    if state.brackets:
        return False
    src, start = state.src, state.pos
    previous = src[start - 1] if start else " "
    if _may_follow_email(previous) and (match := _EMAIL.match(src, start)):
        domain = match[1]
        if "." in domain and domain.strip(".") and domain[-1].isalpha():
            _push(state, "mailto:", match.end())
            return True
    if src[start] in "hH" and not (previous.isascii() and previous.isalpha()):
        match = _PROTOCOL.match(src, start)
        if match and (end := _url_end(state, match.end())) > match.end():
            _push(state, "", end)
            return True
    elif src[start] in "wW" and previous in "(*_[]~ \t\n" and _WWW.match(src, start):
        end = _url_end(state, start)
        if end > start:
            _push(state, "http://", end)
            return True
    return False


def _may_follow_email(previous: str) -> bool:
    return not (previous in "+-._/" or (previous.isascii() and previous.isalnum()))


def _push(state: InlineState, prefix: str, end: int) -> None:
    text = state.src[state.pos : end]
    token = state.push("literal_link", "", 0)
    token.content = text
    token.meta = {"url": prefix + text}
    state.pos = end


def _url_end(state: InlineState, start: int) -> int:
    """Return where a domain and a path end; ``start`` where the domain is none."""
    src = state.src
    first = src[start : start + 1]
    if not first or first < " " or first in UNICODE_WHITESPACE or is_punctuation(first):
        return start
    end = _domain_end(state, start)
    return start if end is None else _path_end(src, end)


def _domain_end(state: InlineState, start: int) -> int | None:
    """Return where a domain ends; ``None`` if an underscore in its last two parts makes it none.

    A domain that starts within one that is none, before that underscore, is none either.
    """
    if start < state.no_domain_before:
        return None
    src = state.src
    at, size = start, len(src)
    last_but_one = last = seen = False
    underscore = not_trail_before = start
    while at < size:
        stop = _DOMAIN_STOPS.search(src, at)
        if stop is None:
            at, seen = size, True
            break
        seen = seen or stop.start() > at
        at = stop.start()
        character = src[at]
        if character in "._":
            if at >= not_trail_before and (not_trail_before := _trail_end(src, at)) < 0:
                break
            if character == "_":
                last, underscore = True, at
            else:
                last_but_one, last = last, False
        elif character in UNICODE_WHITESPACE or is_punctuation(character):
            break
        else:
            seen = True
        at += 1
    if last or last_but_one:
        state.no_domain_before = underscore
        return None
    return at if seen else None


def _path_end(src: str, start: int) -> int:
    at = start
    opened = closed = 0
    not_trail_before = start
    while stop := _PATH_STOPS.search(src, at):
        at = stop.start()
        character = src[at]
        if character in UNICODE_WHITESPACE:
            return at
        if character == "(":
            opened += 1
        elif character == ")" and closed < opened:
            closed += 1
        else:
            if at >= not_trail_before and (not_trail_before := _trail_end(src, at)) < 0:
                return at
            closed += character == ")"
        at += 1
    return len(src)


def _trail_end(src: str, at: int) -> int:
    """Return -1 where a literal ends before ``at``, else up to where no trail can start."""
    match = _TRAIL.match(src, at)
    end = at if match is None else match.end()
    return -1 if _AFTER_TRAIL.match(src, end) else end

"""Links, images and footnote calls, matched at their closing bracket.

This is CommonMark's own algorithm (appendix, "look for link or image"). markdown-it looks ahead
from each opening bracket instead, which it has to cut off at a depth, and resolves references on
the way; here a reference stays one: its token has ``identifier``, ``label`` and
``reference_type``. URLs and titles are decoded and otherwise left as they were written.
"""

from __future__ import annotations

import re
from typing import Any

from ujsx.mdast.from_markdown._characters import decode, identifier
from ujsx.mdast.from_markdown._resource import MAX_LABEL, match_destination, match_title

from ._footnotes import CALL
from ._inline_state import Bracket, InlineState

_OPEN = re.compile(r"\([ \t\n]*+")
_CLOSE = re.compile(r"[ \t\n]*+\)")
_LABEL = re.compile(r"\[((?:[^\\\[\]]|\\.)*+)\]", re.DOTALL)


def open_link(state: InlineState) -> bool:
    """Take ``[``: a footnote's call at once, anything else when its bracket closes."""
    if state.env["footnote_labels"] and (match := CALL.match(state.src, state.pos)):
        key = identifier(match[1])
        if key in state.env["footnote_labels"]:
            _push_call(state, key, match[1])
            state.pos = match.end()
            return True
    _open(state, "[")
    return True


def open_image(state: InlineState) -> bool:
    """Take ``![``."""
    if not state.src.startswith("[", state.pos + 1):
        return False
    _open(state, "![")
    return True


def close(state: InlineState) -> bool:
    """Take ``]``: make a link or an image of what stands since its opener, if it is one."""
    if not state.brackets:
        return False
    opener = state.brackets.pop()
    if opener.on_close is not None:
        state.inactive = min(state.inactive, len(state.brackets))
        opener.on_close(state, opener, state.pos)
        _keep_within(state, opener)
        return True
    active = opener.image or len(state.brackets) >= state.inactive
    state.inactive = min(state.inactive, len(state.brackets))
    end = state.pos
    found = _target(state, opener, end) if active else None
    if found is None:
        return opener.image and _close_call(state, opener, end)
    target, state.pos = found
    if state.pending:
        state.pushPending()
    token = state.tokens[opener.token]
    token.type = "image_open" if opener.image else "link_open"
    token.content = ""
    token.meta = target
    token = state.push("image_close" if opener.image else "link_close", "", 0)
    _keep_within(state, opener)
    if not opener.image:
        state.inactive = len(state.brackets)
    return True


def _keep_within(state: InlineState, opener: Bracket) -> None:
    """Let delimiters within brackets pair with each other only."""
    within = state.delimiters[opener.delimiters :]
    if within:
        del state.delimiters[opener.delimiters :]
        state.spans.append(within)


def _open(state: InlineState, markup: str) -> None:
    state.push("text", "", 0).content = markup
    state.pos += len(markup)
    state.brackets.append(
        Bracket(state.pos, len(state.tokens) - 1, len(state.delimiters), markup == "![")
    )


def _target(state: InlineState, opener: Bracket, end: int) -> tuple[dict[str, Any], int] | None:
    """Return where the link or image leads, and where its source ends; ``None`` if it is none."""
    src = state.src
    after = end + 1
    if src.startswith("(", after) and (found := _resource(src, after)):
        return found
    if not state.env["definitions"]:
        return None
    if src.startswith("[", after) and (match := _LABEL.match(src, after)):
        if match[1].strip(" \t\n"):
            return _reference(state, "full", match.start(1), match.end(1), match.end())
        if not match[1]:
            return _reference(state, "collapsed", opener.start, end, match.end())
    return _reference(state, "shortcut", opener.start, end, after)


def _reference(
    state: InlineState, kind: str, start: int, end: int, after: int
) -> tuple[dict[str, Any], int] | None:
    """Return the reference by the label ``src[start:end]``, if the label is defined."""
    if end - start > MAX_LABEL:
        return None
    label = state.src[start:end]
    key = identifier(label)
    if key not in state.env["definitions"]:
        return None
    return {"identifier": key, "label": decode(label), "reference_type": kind}, after


def _resource(src: str, start: int) -> tuple[dict[str, Any], int] | None:
    """Match ``(url "title")`` at ``start``."""
    match = _OPEN.match(src, start)
    if match is None:
        return None
    url, end = match_destination(src, match.end()) or ("", match.end())
    title = None
    if found := match_title(src, end):
        title, end = found
    match = _CLOSE.match(src, end)
    if match is None:
        return None
    return {"url": url, "title": title}, match.end()


def _push_call(state: InlineState, key: str, label: str) -> None:
    state.push("footnote_call", "", 0).meta = {
        "identifier": key,
        "label": decode(label),
    }


def _close_call(state: InlineState, opener: Bracket, end: int) -> bool:
    """Take ``![^label]`` that is no image: a ``!`` and a footnote's call."""
    match = CALL.match(state.src, opener.start - 1)
    if match is None or match.end() != end + 1:
        return False
    key = identifier(match[1])
    if key not in state.env["footnote_labels"]:
        return False
    state.pending = ""
    del state.tokens[opener.token :]
    del state.delimiters[opener.delimiters :]
    start = opener.start - 2
    token = state.push("text", "", 0)
    token.content, token.map = "!", [start, start + 1]
    _push_call(state, key, match[1])
    state.tokens[-1].map = [start + 1, end + 1]
    state.pos = end + 1
    return True

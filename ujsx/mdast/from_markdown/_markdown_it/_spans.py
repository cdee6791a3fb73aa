"""Code, raw HTML, autolinks and line ends within text, where markdown-it's rules differ.

- Code keeps its line ends, as mdast has them; a renderer shows them as spaces.
- An autolink keeps its text and URL as written, and any scheme is one.
- In raw HTML, only tabs, spaces and line ends are white space.
- Tabs before a line end are dropped, as spaces are; only spaces make a hard break.
- A backslash that escapes nothing is text and takes nothing with it, so that the spaces after it
  still count at a line's end.
"""

from __future__ import annotations

import re

from markdown_it.rules_inline import entity

from ujsx.mdast.from_markdown._characters import ASCII_PUNCTUATION

from ._inline_state import InlineState

_BACKTICKS = re.compile(r"`+")

_ESCAPE = re.compile(rf"\\([{ASCII_PUNCTUATION}])")
_BREAK = re.compile(r"\\\n[ \t]*")

_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*+)>")
_EMAIL = re.compile(
    r"<([\w.!#$%&'*+/=?^`{|}~-]++@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*+)>",
    re.ASCII,
)

_S = r"[ \t\n]"
_ATTRIBUTE = (
    rf"{_S}++[A-Za-z_:][\w.:-]*+"
    rf"(?:{_S}*+={_S}*+(?:[^ \t\n\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+"
)
_TAG = re.compile(
    rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+{_S}*+/?>|/[A-Za-z][A-Za-z0-9-]*+{_S}*+>)",
    re.ASCII,
)
_OTHER_HTML = (
    ("<!-->", None),
    ("<!--->", None),
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
)
_DECLARATION = re.compile(r"<![A-Za-z]")
_HTML_INDENT = re.compile(r"\n {1,3}")


def escape(state: InlineState) -> bool:
    """Take a backslash with what it escapes: punctuation, or a line end (a hard break)."""
    if match := _ESCAPE.match(state.src, state.pos):
        state.push("text_special", "", 0).content = match[1]
    elif match := _BREAK.match(state.src, state.pos):
        state.push("hardbreak", "br", 0).map = [state.pos, state.pos + 2]
    else:
        return False
    state.pos = match.end()
    return True


def reference(state: InlineState) -> bool:
    """Take a character reference such as ``&amp;``."""
    return entity(state, False)


def code(state: InlineState) -> bool:
    """Take a run of backticks: code up to a run of the same length, or text."""
    src = state.src
    opening = _BACKTICKS.match(src, state.pos)
    assert opening is not None
    if not state.backticksScanned:
        state.backticks = {len(run[0]): run.start() for run in _BACKTICKS.finditer(src)}
        state.backticksScanned = True
    size = opening.end() - opening.start()
    if state.backticks.get(size, -1) > opening.start():
        for run in _BACKTICKS.finditer(src, opening.end()):
            if run.end() - run.start() == size:
                state.push("code_inline", "code", 0).content = _unpadded(
                    src[opening.end() : run.start()]
                )
                state.pos = run.end()
                return True
    state.append_pending(opening[0])
    state.pos = opening.end()
    return True


def _unpadded(value: str) -> str:
    if value[0] in " \n" and value[-1] in " \n" and value.strip(" \n"):
        return value[1:-1]
    return value


def autolink(state: InlineState) -> bool:
    """Take ``<scheme:…>`` or ``<name@host>``."""
    if match := _AUTOLINK.match(state.src, state.pos):
        push_link(state, match[1], match[1])
    elif match := _EMAIL.match(state.src, state.pos):
        push_link(state, f"mailto:{match[1]}", match[1])
    else:
        return False
    state.pos = match.end()
    return True


def push_link(state: InlineState, url: str, text: str) -> None:
    """Push a link whose text needs no further look."""
    token = state.push("literal_link", "", 0)
    token.content = text
    token.meta = {"url": url}


def html(state: InlineState) -> bool:
    """Take a tag, a comment, an instruction, a declaration or CDATA."""
    end = _html_end(state)
    if end is None:
        return False
    value = state.src[state.pos : end]
    state.push("html_inline", "", 0).content = _HTML_INDENT.sub("\n", value)
    state.pos = end
    return True


def _html_end(state: InlineState) -> int | None:
    src, start = state.src, state.pos
    if match := _TAG.match(src, start):
        return match.end()
    for opening, closing in _OTHER_HTML:
        if src.startswith(opening, start):
            return start + len(opening) if closing is None else _after(state, closing, len(opening))
    return _after(state, ">", 3) if _DECLARATION.match(src, start) else None


def _after(state: InlineState, closing: str, skipped: int) -> int | None:
    """Return the end of the next ``closing``; its last place is cached, to keep misses cheap."""
    start = state.pos + skipped
    if state.html_terminator_last(closing) < start:
        return None
    return state.src.index(closing, start) + len(closing)


def newline(state: InlineState) -> bool:
    """Take a line end with the white space around it: a hard break, or just a line end."""
    src = state.src
    pending = state.pending
    kept = pending.rstrip(" \t")
    trail = pending[len(kept) :]
    state.trim_pending(kept)
    if trail.endswith("  ") and "\t" not in trail:
        state.push("hardbreak", "br", 0).map = [state.pos - len(trail), state.pos + 1]
    else:
        state.append_pending("\n")
    position = state.pos + 1
    while src.startswith((" ", "\t"), position):
        position += 1
    state.pos = position
    return True

"""Destinations, titles and definitions (CommonMark 4.7 and 6.3): what they look like in a text."""

from __future__ import annotations

import re

from ._characters import decode

MAX_LABEL = 999
"""How long a label may be, in characters (CommonMark 4.7)."""

MAX_PARENTHESES = 32
"""How deep parentheses may nest in a destination without brackets (as cmark has it)."""

_ENCLOSED = re.compile(r"<((?:[^\\<>\n]|\\[^\n])*+)>")
_RAW = re.compile(r"(?:[^\\()\x00-\x20\x7f]|\\[!-/:-@\[-`{-~]?)++")
_TITLE = re.compile(
    r"""[ \t\n]++(?:"((?:[^\\"]|\\.)*+)"|'((?:[^\\']|\\.)*+)'|\(((?:[^\\()]|\\.)*+)\))""",
    re.DOTALL,
)
_LABEL = re.compile(r"[ \t]*\[((?:[^\\\[\]]|\\.)++)\]:[ \t\n]*+", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
_INDENT_AFTER_LINE_END = re.compile(r"\n[ \t]+")


def match_destination(text: str, at: int) -> tuple[str, int] | None:
    """Match ``<url>`` or ``url`` at ``at``: the decoded URL and where it ends.

    >>> match_destination("a(b)c) d", 0)
    ('a(b)c', 5)
    """
    if text.startswith("<", at):
        match = _ENCLOSED.match(text, at)
        return None if match is None else (decode(match[1]), match.end())
    end = at
    depth = 0
    while True:
        if match := _RAW.match(text, end):
            end = match.end()
        character = text[end : end + 1]
        if character == "(" and depth < MAX_PARENTHESES:
            depth += 1
        elif character == ")" and depth > 0:
            depth -= 1
        else:
            break
        end += 1
    if depth > 0 or end == at:
        return None
    return decode(text[at:end]), end


def match_title(text: str, at: int) -> tuple[str, int] | None:
    """Match white space and a quoted title at ``at``: the decoded title and where it ends.

    >>> match_title(' "a"', 0)
    ('a', 4)
    """
    match = _TITLE.match(text, at)
    if match is None:
        return None
    title = match[match.lastindex or 0]
    return decode(_INDENT_AFTER_LINE_END.sub("\n", title)), match.end()


def match_definition(text: str, at: int) -> tuple[int, str, str, str | None] | None:
    """Match a definition at ``at``: where it ends, its label as written, its URL and title.

    >>> match_definition('[a]: <b c> "d"', 0)
    (14, 'a', 'b c', 'd')
    """
    match = _LABEL.match(text, at)
    if match is None or len(match[1]) > MAX_LABEL or not match[1].strip(" \t\n"):
        return None
    found = match_destination(text, match.end())
    if found is None:
        return None
    url, end = found
    if titled := match_title(text, end):
        title, after = titled
        if rest := _REST_OF_LINE.match(text, after):
            return rest.end(), match[1], url, title
    # A title that something follows is no title; where it began a line, it is the next text.
    if rest := _REST_OF_LINE.match(text, end):
        return rest.end(), match[1], url, None
    return None

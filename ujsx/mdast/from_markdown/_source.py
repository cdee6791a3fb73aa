"""A Markdown text prepared for a tokenizer, the mapping back to its places, and the parts shared by both engines."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from html.entities import html5
from typing import NamedTuple
from unicodedata import category

import msgspec

from ujsx.mdast._nodes import (
    Break,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Node,
    PhrasingContent,
    Point,
    Position,
    Text,
)
from ujsx.mdast.util import has_reference, walk

# Markdown's white space and punctuation, escapes and references.
#
# Python's own notions (``str.strip``, ``str.isspace``, ``\s``) take in more characters, so nothing here uses them.

SPACES = " \t"
"""The characters without meaning at the edges of a line (CommonMark 2.1, "space or tab")."""

UNICODE_WHITESPACE = frozenset(
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that end an autolink literal, beside Markdown's own white space."""

ASCII_PUNCTUATION = r"!-/:-@\[-`{-~"
"""The characters that a backslash escapes, as the inside of a regular expression's set."""

_REFERENCE = re.compile(r"&(?:#(?:([0-9]{1,7})|[xX]([0-9A-Fa-f]{1,6}))|([0-9A-Za-z]{1,31}));")

_ESCAPE_OR_REFERENCE = re.compile(rf"\\([{ASCII_PUNCTUATION}])|{_REFERENCE.pattern}")

_LABEL_SPACE = re.compile(r"[ \t\n]+")


def is_punctuation(character: str) -> bool:
    """Return whether a character is punctuation (Unicode's P and S) to an autolink literal.

    Beyond the basic plane nothing is, so ``http://🍄.ga`` is a link, as it is on GitHub.
    """
    return character <= "\uffff" and category(character)[0] in "PS"


def decode(text: str) -> str:
    r"""Resolve backslash escapes and character references.

    >>> decode(r"a\*b &amp; &#x41; &nope;")
    'a*b & A &nope;'
    """
    if "\\" not in text and "&" not in text:
        return text
    return _ESCAPE_OR_REFERENCE.sub(_unescaped, text)


def decode_references(text: str) -> str:
    """Resolve character references, and keep backslashes."""
    return _REFERENCE.sub(_referenced, text) if "&" in text else text


def identifier(label: str) -> str:
    """Return the key under which a label's definition is found (CommonMark 4.7, "matches").

    >>> identifier("Toto  ẞ ")
    'toto ss'
    """
    collapsed = _LABEL_SPACE.sub(" ", label).removeprefix(" ").removesuffix(" ")
    return collapsed.lower().upper().lower()


def _unescaped(match: re.Match[str]) -> str:
    return match[1] if match[1] is not None else _referenced(match, 1)


def _referenced(match: re.Match[str], skipped: int = 0) -> str:
    decimal, hexadecimal, name = match.groups()[skipped:]
    if name is not None:
        return html5.get(f"{name};", match[0])
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(code) if has_reference(code) else "\ufffd"


_LINE_END = re.compile(r"\r\n?|\n")


class MarkdownSource:
    r"""A text in the form for tokenizers.

    A byte-order mark at the start is not part of the document: it is dropped, and offsets start after it.

    >>> source = MarkdownSource("a\r\n\0")
    >>> source.text
    'a\n\ufffd'
    >>> source.point(2)
    Point(line=2, column=1, offset=3)
    """

    def __init__(self, original: str) -> None:
        text = original.removeprefix("\ufeff")
        self._original_starts: list[int] | None = None
        if "\r" in text:
            self._original_starts = _line_starts(text)
            text = _LINE_END.sub("\n", text)
        self.text = text.replace("\0", "\ufffd")

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line of ``text`` starts."""
        return _line_starts(self.text)

    def place(self, offset: int) -> tuple[int, int, int]:
        """Return the line, the column and the offset of a character of ``text`` in the original."""
        line = bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1]
        if self._original_starts is not None:
            offset = self._original_starts[line - 1] + column
        return line, column + 1, offset

    def point(self, offset: int) -> Point:
        """Return the place of a character of ``text`` in the original."""
        return Point(*self.place(offset))

    def position(self, start: int, end: int) -> Position:
        """Return the place of ``text[start:end]`` in the original."""
        return Position(self.point(start), self.point(end))

    def line(self, line: int) -> str:
        """Return a line of ``text`` without its end."""
        return self.text[self.starts[line] : self.line_end(line)]

    def line_end(self, line: int) -> int:
        """Return the offset at which a line ends; lines count from 0, as tokens count them."""
        starts = self.starts
        return starts[line + 1] - 1 if line + 1 < len(starts) else len(self.text)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:(.*?)\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)


def match_front_matter(text: str) -> re.Match[str] | None:
    r"""Match front matter at the start of a text; group 1 is its content, ``None`` when empty.

    >>> match_front_matter("---\na: 1\n---\ntext")[1]
    'a: 1'
    """
    return _FRONT_MATTER.match(text)


MAX_DEPTH = 150
"""Containers within containers, and spans within spans, before a document is refused.

Tokenizers and functions on trees recurse once or twice per level; this maximum is well below Python's default recursion
limit (1,000 calls), with room for the caller.
"""


# From an offset in a block's text to a place in the document.
#
# A block's text is its lines without what containers put before them, so that each line's place is known
# from where it ends.


class ContentPlaces(NamedTuple):
    """Where the lines of a block's text stand: ``starts`` in the text; line, column and offset in the original."""

    starts: list[int]
    places: list[tuple[int, int, int]]

    def position(self, start: int, end: int) -> Position:
        """Return where a part of the text stands; after a line end it ends before any prefix."""
        starts = self.starts
        number = bisect_right(starts, start) - 1
        line, column, offset = self.places[number]
        into = start - starts[number]
        begin = Point(line, column + into, offset + into)
        number = bisect_right(starts, end) - 1
        line, column, offset = self.places[number]
        into = end - starts[number] if not number or end > starts[number] else 1 - column
        return Position(begin, Point(line, column + into, offset + into))


def in_one_line(source: MarkdownSource, start: int) -> ContentPlaces:
    """Return the places of a one-line text, from its start."""
    return ContentPlaces([0], [source.place(start)])


def in_lines(source: MarkdownSource, text: str, last_line: int) -> ContentPlaces:
    """Return the places of a text of whole lines, of which the last is that one, counted from 0."""
    lines = text.split("\n")
    starts: list[int] = []
    places: list[tuple[int, int, int]] = []
    at = 0
    for number, line in enumerate(lines, last_line - len(lines) + 1):
        end = source.line_end(number)
        if number == last_line:
            end -= len(source.line(number)) - len(source.line(number).rstrip(SPACES))
        starts.append(at)
        places.append(source.place(end - len(line)))
        at += len(line) + 1
    return ContentPlaces(starts, places)


# Positions counted in UTF-16 code units, as editors and the Language Server Protocol count.


def count_in_utf16(root: Node, text: str) -> None:
    """Count the positions of a tree that was just read in UTF-16: one more for each astral character.

    >>> from ujsx.mdast import from_markdown
    >>> from_markdown("😀 *a*", positions="all", units="utf-16").children[0].children[1].position.start
    Point(line=1, column=4, offset=3)
    """
    wide = [offset for offset, character in enumerate(text) if character > "\uffff"]
    if not wide:
        return
    for node in walk(root):
        if (position := node.position) is not None:
            start, end = _point(position.start, wide), _point(position.end, wide)
            moved = msgspec.structs.replace(position, start=start, end=end)
            msgspec.structs.force_setattr(node, "position", moved)


def _point(point: Point, wide: list[int]) -> Point:
    assert point.offset is not None
    before = bisect_left(wide, point.offset)
    in_line = before - bisect_left(wide, point.offset - point.column + 1)
    return Point(point.line, point.column + in_line, point.offset + before)


def lang_and_meta(info: str) -> tuple[str | None, str | None]:
    r"""Return the first word of a code block's info string, and the rest, both decoded.

    >>> lang_and_meta(r" c\+\+  title=x ")
    ('c++', 'title=x')
    """
    info = info.strip(SPACES)
    lang = info.replace("\t", " ").partition(" ")[0]
    return decode(lang) or None, decode(info[len(lang) :].strip(SPACES)) or None


# Patterns of destinations, titles and definitions (CommonMark 4.7 and 6.3).

MAX_LABEL = 999
"""The maximum length of a label, in characters (CommonMark 4.7)."""

MAX_PARENTHESES = 32
"""The maximum nesting of parentheses in a destination without brackets (as in cmark)."""

_ENCLOSED = re.compile(r"<((?:[^\\<>\n]|\\[^\n])*+)>")
_RAW = re.compile(r"(?:[^\\()\x00-\x20\x7f]|\\[!-/:-@\[-`{-~]?)++")
_TITLE = re.compile(
    r"""[ \t\n]++(?:"((?:[^\\"]|\\.)*+)"|'((?:[^\\']|\\.)*+)'|\(((?:[^\\()]|\\.)*+)\))""", re.DOTALL
)
_LABEL = re.compile(r"[ \t]*\[((?:[^\\\[\]]|\\.)++)\]:[ \t\n]*+", re.DOTALL)
_OPEN = re.compile(r"\([ \t\n]*+")
_CLOSE = re.compile(r"[ \t\n]*+\)")
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


def match_resource(text: str, at: int) -> tuple[dict[str, str | None], int] | None:
    """Match ``(url "title")`` at ``at``: the decoded URL and title by name, and where it ends.

    >>> match_resource("(a 'b') c", 0)
    ({'url': 'a', 'title': 'b'}, 7)
    """
    match = _OPEN.match(text, at)
    if match is None:
        return None
    url, end = match_destination(text, match.end()) or ("", match.end())
    title = None
    if found := match_title(text, end):
        title, end = found
    match = _CLOSE.match(text, end)
    return None if match is None else ({"url": url, "title": title}, match.end())


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
    # A title followed by other text is not a title; if it began a line, it is the next text.
    if rest := _REST_OF_LINE.match(text, end):
        return rest.end(), match[1], url, None
    return None


# The alternative text of an image: its description without markup.


def alternative(nodes: Sequence[PhrasingContent]) -> str:
    """Return nodes as plain text.

    >>> from ujsx.mdast import Emphasis, Text
    >>> alternative([Text("a "), Emphasis([Text("dog")])])
    'a dog'
    """
    return "".join(_alternative(node) for node in nodes)


def _alternative(node: PhrasingContent) -> str:
    match node:
        case Text() | InlineCode() | Html():
            return node.value
        case Image() | ImageReference():
            return node.alt or ""
        case Break() | FootnoteReference():
            return ""
        case _:
            children = getattr(node, "children", None)
            if children is not None:
                return alternative(children)
            # of an extension: what is shown of it
            return getattr(node, "alias", None) or getattr(node, "value", None) or ""

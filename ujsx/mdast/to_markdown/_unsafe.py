"""The characters of a text that need a backslash: a table, compiled once.

A row names one character, what must stand at its sides for it to mean something, and where.
What is not in the table is written as it is. What means something only at the start of a line is
in ``LINE_STARTS``: those are looked up on the finished lines of a block, so that it does not
matter how a text came to stand there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ._characters import ASCII_PUNCTUATION, reference

Place: TypeAlias = Literal["text", "label"]
"""Where a text stands: outside or inside the brackets of a link or an image."""

Escape: TypeAlias = Callable[[str], str]


class Unsafe(NamedTuple):
    """A character that would be markup.

    ``before`` and ``after`` are regular expressions for what stands at its sides, written to
    match next to it; ``before`` has a fixed width, as Python's lookbehind asks for. ``needs`` are
    texts of which one is in every match; the character itself if there are none.
    """

    character: str
    why: str
    before: str = ""
    after: str = ""
    places: tuple[Place, ...] = ("text", "label")
    needs: tuple[str, ...] = ()


BRACKET = Unsafe("[", "opens a link, an image, a footnote's mark, if something can close it")

_SCHEME = ("://",)

UNSAFE: tuple[Unsafe, ...] = (
    Unsafe("\\", "escapes punctuation, breaks a line", after=r"[!-/:-@\[-`{-~\s\ufeff]|\Z"),
    Unsafe("`", "delimits code"),
    Unsafe("*", "delimits emphasis, but not between two spaces", before=r"(?<!\S )"),
    Unsafe("*", "delimits emphasis, but not between two spaces", after=r"(?! \S)"),
    Unsafe("_", "delimits emphasis, but not within a word", before=r"(?<![^\W_])"),
    Unsafe("_", "delimits emphasis, but not within a word", after=r"(?![^\W_])"),
    Unsafe("~", "delimits strikethrough (GFM)"),
    BRACKET,
    Unsafe("]", "closes the brackets around it", places=("label",)),
    Unsafe("<", "opens HTML or an autolink", after=r"[A-Za-z/!?]"),
    Unsafe("<", "opens an autolink", after=r"[^\s<>@]+@"),
    Unsafe("\f", "is a space to cmark, before a table's delimiters (GFM)", r"\n", r"[|: \t\v\f]*-"),
    Unsafe("&", "opens a character reference", after=r"#?[0-9A-Za-z]{1,31};"),
    Unsafe(":", "makes a link of an address (GFM)", r"[hH][tT][tT][pP]", "//", ("text",), _SCHEME),
    Unsafe(
        ":", "makes a link of an address (GFM)", r"[hH][tT][tT][pP][sS]", "//", ("text",), _SCHEME
    ),
    Unsafe(":", "makes a link of an address (GFM)", r"[fF][tT][pP]", "//", ("text",), _SCHEME),
    Unsafe(
        ".", "makes a link of an address (GFM)", r"[wW][wW][wW]", r"\S|\Z", ("text",), ("w.", "W.")
    ),
    Unsafe(
        "@", "makes a link of an address (GFM)", r"[\w.+-]", r"[\w-]*\.[\d_.-]*[^\W\d_]", ("text",)
    ),
)
"""What has a meaning anywhere in a line (CommonMark 6, GFM 6.5 and 6.9)."""

PAIRED = "*_`~"
"""Characters that mean something only if they stand in a block twice, in separate runs."""

_ESCAPED_SOON = r"(?<=\n)\[(?=\^)"
"""A bracket that starts a line in a label, which gets a backslash as a footnote's definition does."""

_STARTS: tuple[tuple[str, str, str], ...] = (
    ("0123456789", "an ordered item", r"(?P<number>[0-9]{1,9}(?=[.)](?:[ \t]|$)))"),
    ("-+*", "an item", r"[-+*](?=[ \t]|$)"),
    ("#", "a heading", r"#{1,6}(?=[ \t]|$)"),
    (">", "a quote", r">"),
    ("-", "a thematic break", r"(?:-[ \t]*){3,}$"),
    ("_", "a thematic break", r"(?:_[ \t]*){3,}$"),
    ("*", "a thematic break", r"(?:\*[ \t]*){3,}$"),
    ("`", "a code fence", r"`{3,}(?=[^`\n]*$)"),
    ("~", "a code fence", r"~{3,}"),
    ("=-", "the underline of a heading, to some readers of both", r"(?<=\n)[=-]+[ \t]*$"),
    ("|:-", "the delimiter row of a table (GFM)", r"(?<=\n)(?=[|:-])[|: \t\v\f]*-[-:| \t\v\f]*$"),
    (
        "[",
        "a definition, at the start of a block",
        rf"\A\[(?=(?:[^\\\[\]]|\\[\s\S]|{_ESCAPED_SOON})+\]:)",
    ),
    ("[", "a footnote's definition (GFM)", r"\[(?=\^(?:[^\\\[\]\n]|\\.)+\]:)"),
)
"""What has a meaning at the start of a line (CommonMark 4 and 5, GFM 4.10): the characters that it
starts with, what it would be, and how it looks."""


class LineStarts:
    r"""A table of what starts a line, ready to be used.

    >>> print(LineStarts(_STARTS).escape("# a\n1. b"))
    \# a
    1\. b
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        self._rows = tuple(rows)
        self.starters = "".join(sorted({each for first, _, _ in self._rows for each in first}))
        """The characters with which it can start."""
        self._any = self._compiled(self.starters)
        self._by_character = {each: self._compiled(each) for each in self.starters}
        self._behind_line_end = re.compile(f"\n[{re.escape(self.starters)}]")

    def _compiled(self, starters: str) -> re.Pattern[str]:
        """Return a pattern for what starts with one of these characters."""
        rows = [pattern for first, _, pattern in self._rows if not set(first).isdisjoint(starters)]
        return re.compile(f"(?m)^(?:{'|'.join(rows)})")

    def in_lines(self, content: str) -> bool:
        """Return whether a line after the first would start another block."""
        first = content.find("\n") + 1
        return first > 0 and self._any.search(content, first) is not None

    def escape(self, content: str) -> str:
        """Return a block's content with a backslash where a line would start another block."""
        start = self._by_character.get(content[0])
        if "\n" in content:
            # ``^`` is tried at every character, so that a look at what follows the line ends pays.
            if start is None and not self._behind_line_end.search(content):
                return content
        elif start is None or start.match(content) is None:
            return content
        return self._any.sub(_escaped_line_start, content)


def _escaped_line_start(match: re.Match[str]) -> str:
    return f"{match['number']}\\" if match["number"] else f"\\{match[0]}"


USUAL_STARTS = LineStarts(_STARTS)
"""What every writer escapes at the start of lines that was told of no more."""


def line_starts(more: Iterable[tuple[str, str, str]]) -> LineStarts:
    """Return the table of line starts, with more rows."""
    rows = tuple(more)
    return LineStarts((*_STARTS, *rows)) if rows else USUAL_STARTS


_SPACES_AT_LINE_ENDS = r"[ \t](?:(?=\n)|(?<=\n.))|\r|\n(?<=\n\n)"
_SPACES_IN_ONE_LINE = r"[ \t](?:(?=\n)|(?<=\n.))|\r|\n"
_UNSAFE_LINE_END = re.compile(r"\n(?:(?=[ \t\n])|(?<=[ \t]\n))|\r")
"""Finds a line end wherever ``_SPACES_AT_LINE_ENDS`` finds anything, without a stop at spaces."""


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in ASCII_PUNCTUATION else reference(character)


class Escapes:
    r"""A table of unsafe characters, ready to be used.

    >>> Escapes(UNSAFE).text("*a* b_c", "text")
    '\\*a\\* b_c'
    """

    def __init__(self, unsafe: Iterable[Unsafe]) -> None:
        self._unsafe = tuple(unsafe)
        self._compiled = lru_cache(maxsize=None)(self._compile)
        self._in_text = self._compiled("text", "", "")
        self._in_text_without_brackets = self._compiled("text", "[", "")
        self._in_label = self._compiled("label", "", "")
        suspicious = {*b"\n\r", *(ord(row.character) for row in self._unsafe if not row.needs)}
        self._telling = bytes(code in suspicious for code in range(256))
        self._needs = tuple({(row.character, text) for row in self._unsafe for text in row.needs})

    def is_quiet(self, value: str) -> bool:
        """Tell, after a quick look, that nothing in a text can need an escape, nor its line ends.

        What starts a line is not looked at. It may say no where a look at what is around a
        character would say yes.

        >>> escapes = Escapes(UNSAFE)
        >>> escapes.is_quiet("Done (100 %): see page 5."), escapes.is_quiet("2 * 3")
        (True, False)
        """
        try:  # to name no way of encoding is the quickest one
            encoded = value.encode()
        except UnicodeEncodeError:  # it has half of a surrogate pair
            return False
        if 1 in encoded.translate(self._telling):
            return False
        for character, text in self._needs:  # noqa: SIM110 - a generator takes longer than all of it
            if character in value and text in value:
                return False
        return True

    def text(
        self, value: str, place: Place = "text", *, one_line: bool = False, brackets: bool = True
    ) -> str:
        """Return a text that stands among other phrasing, without its edges' white space.

        ``brackets``: whether something in its block could close them.
        """
        if self.is_quiet(value):
            return value
        if ("\n" in value or "\r" in value) and (spaces := _spaces(value, one_line=one_line)):
            inert = "" if brackets or place == "label" else "["
            return self._compiled(place, inert, spaces).sub(_escaped, value)
        if place == "label":
            pattern = self._in_label
        else:
            pattern = self._in_text if brackets else self._in_text_without_brackets
        return pattern.sub(_escaped, value)

    def lone(self, value: str, *, one_line: bool = False, brackets: bool = True) -> str:
        """Return a text that is all that a block holds: a delimiter without another is inert."""
        if self.is_quiet(value):
            return value
        spaces = ""
        if "\n" in value or "\r" in value:
            spaces = _spaces(value, one_line=one_line)
        inert = "".join([c for c in PAIRED if c in value and _is_one_run(value, c)])
        if not brackets:
            inert += "["
        return self._compiled("text", inert, spaces).sub(_escaped, value)

    def _compile(self, place: Place, inert: str, spaces: str) -> re.Pattern[str]:
        # Each branch starts with its character, so that the engine skips what no branch starts
        # with; a lookbehind in front would have every branch tried at every place.
        branches = [spaces] if spaces else []
        for row in self._unsafe:
            if row.character in inert and (row is BRACKET or row.character != "["):
                continue
            if place in row.places:
                character = re.escape(row.character)
                before = f"(?<={row.before}{character})" if row.before else ""
                after = f"(?={row.after})" if row.after else ""
                branches.append(f"{character}{before}{after}")
        return re.compile("|".join(branches))


def _spaces(value: str, *, one_line: bool) -> str:
    """Return the branch for white space at the line ends of a text, ``""`` if all are safe."""
    if one_line:
        return _SPACES_IN_ONE_LINE
    return _SPACES_AT_LINE_ENDS if _UNSAFE_LINE_END.search(value) else ""


def _is_one_run(value: str, character: str) -> bool:
    start = value.index(character)
    end = value.rindex(character) + 1
    return end - start == 1 or value[start:end] == character * (end - start)


USUAL = Escapes(UNSAFE)
"""What every writer escapes that was told of no more."""

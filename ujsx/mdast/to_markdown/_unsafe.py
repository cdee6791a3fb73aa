"""Characters that need an escape: everywhere, at an edge, beside a delimiter, and in destinations, titles and labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import category

from ujsx.mdast._nodes import Break, FootnoteReference, Html, ImageReference, LinkReference, Node
from ujsx.on_demand import late_pattern

# The meaning of a character beside a delimiter, and its form as a reference.
#
# Whether ``*`` or ``_`` opens or closes depends on the characters at its sides (CommonMark 6.2). Parsers agree on
# letters and on ASCII; on others they do not: symbols are punctuation since CommonMark 0.31, and some parsers count
# line separators or controls as white space. Such characters have classes of their own here, so that nothing is built
# on them.

OTHER, SPACE, PUNCTUATION, SYMBOL, CONTROL = range(5)
"""The classes: ``SYMBOL`` is punctuation to some parsers, ``CONTROL`` white space to some."""

UNICODE_SPACES = frozenset(
    "\t\n\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000"
)
"""White space for every parser (CommonMark 2.1, "Unicode whitespace character")."""

EDGE_SPACES = UNICODE_SPACES | frozenset("\u2028\u2029\ufeff")
"""Characters that some parser trims at a block's edge, and that can be written as a reference."""

ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

_UNSURE_SPACES = frozenset("\v\x1c\x1d\x1e\x1f\x85")


def reference(character: str) -> str:
    """Return the numeric reference of a character.

    >>> reference(" ")
    '&#x20;'
    """
    return f"&#x{ord(character):X};"


@lru_cache(maxsize=2048)
def character_class(character: str) -> int:
    """Return the class of a character beside a delimiter; ``""`` is the edge of a block.

    >>> character_class("é") == OTHER, character_class("→") == SYMBOL
    (True, True)
    """
    if not character or character in UNICODE_SPACES:
        return SPACE
    if character in ASCII_PUNCTUATION:
        return PUNCTUATION
    if character in _UNSURE_SPACES:
        return CONTROL
    if character < "\x80":
        return OTHER
    kind = category(character)
    if kind[0] in "LMN" or kind in ("Cc", "Cs"):
        return OTHER
    return PUNCTUATION if kind[0] == "P" and character < "\u2e00" else SYMBOL


# Escapes that depend on the neighbor: the first or last characters of a text that would have a meaning there.
#
# There is one table for each side. ``_phrasing`` looks up a text and escapes it; the fast check of a line in ``_state``
# only tests whether a text needs it. The neighbors that a delimiter needs are in ``_phrasing``.

Beside: TypeAlias = "type[Node] | Literal['mark', 'label', 'block', '_', '[', ':', 'anything']"
"""A neighbor: the class of a node; the mark or the label that the text begins or ends; the edge of its block; or the
last or first characters of the neighbor's Markdown.
"""

_REFERENCES: frozenset[Beside] = frozenset({LinkReference, ImageReference, FootnoteReference})

Edges: TypeAlias = Mapping[str, frozenset[Beside]]
"""Characters at one side of a text, each with the neighbors that give it a meaning."""

FIRST: Edges = {
    # White space keeps a mark from opening, and is dropped at the start of a block.
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark", "block"})),
    " ": frozenset({"mark", "block", Break}),  # after a line end it would be dropped
    "\t": frozenset({"mark", "block", Break}),
    "\n": frozenset({"mark", "block", Break, "label"}),
    "(": _REFERENCES,  # it would turn them into a link to another place
    "[": _REFERENCES,
    ":": _REFERENCES,  # and at the start of a line a definition
    "@": frozenset({"_"}),  # the mark would belong to a mail address
}
"""First characters of a text with a meaning, and the neighbors before them."""

LAST: Edges = {
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark", "block"})),  # as at the start
    "\n": frozenset({"mark", "block", "label", Html}),  # HTML at a line's start could be a block
    "!": frozenset({"["}),  # it would turn a link into an image
    ":": frozenset({":"}),  # of an extension: two of them name another thing than one
    "<": frozenset({"anything"}),  # it would open HTML or an autolink
}
"""Last characters of a text with a meaning, and the neighbors after them."""


def means_something(edges: Edges, character: str, *beside: object) -> bool:
    """Tell whether a character, at that side of a text, has a meaning there.

    :param beside: the neighbor's class, and the last or first characters of its Markdown.

    >>> means_something(LAST, "!", LinkReference, "["), means_something(LAST, "!", "block")
    (True, False)
    """
    return character in edges and not edges[character].isdisjoint(beside)


def mean_something_in(mark: str, first: str, last: str) -> bool:
    """Tell whether the mark around a text gives one of its edges a meaning."""
    beside = ("mark", mark[0])
    return means_something(FIRST, first, *beside) or means_something(LAST, last, *beside)


def escape_of(character: str) -> str:
    """Return an edge's character escaped: space as a reference."""
    return reference(character) if character in EDGE_SPACES else f"\\{character}"


Place: TypeAlias = Literal["text", "label"]
"""A text's place: outside or inside the brackets of a link or an image."""


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
"""Characters with a meaning anywhere in a line (CommonMark 6, GFM 6.5 and 6.9)."""

PAIRED = "*_`~"
"""Characters with a meaning only if a block has them twice, in separate runs."""

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
"""Markup at the start of a line (CommonMark 4 and 5, GFM 4.10): its first characters, its name, and its pattern."""


class LineStarts:
    r"""A compiled table of markup at line starts.

    >>> print(LineStarts(_STARTS).escape("# a\n1. b"))
    \# a
    1\. b
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        self._rows = tuple(rows)
        self.starters = "".join(sorted({each for first, _, _ in self._rows for each in first}))
        """The possible first characters."""
        self._any = self._compiled(self.starters)
        self._by_character = {each: self._compiled(each) for each in self.starters}
        self._behind_line_end = late_pattern(f"\n[{re.escape(self.starters)}]")

    def _compiled(self, starters: str) -> re.Pattern[str]:
        """Return a pattern for markup that starts with one of these characters."""
        rows = [pattern for first, _, pattern in self._rows if not set(first).isdisjoint(starters)]
        return late_pattern(f"(?m)^(?:{'|'.join(rows)})")

    def in_lines(self, content: str) -> bool:
        """Return whether a line after the first would start another block."""
        first = content.find("\n") + 1
        return first > 0 and self._any.search(content, first) is not None

    def escape(self, content: str) -> str:
        """Return a block's content with a backslash where a line would start another block."""
        start = self._by_character.get(content[0])
        if "\n" in content:
            # ``^`` is tried at every character, so searching for line ends first is faster.
            if start is None and not self._behind_line_end.search(content):
                return content
        elif start is None or start.match(content) is None:
            return content
        return self._any.sub(_escaped_line_start, content)


def _escaped_line_start(match: re.Match[str]) -> str:
    return f"{match['number']}\\" if match["number"] else f"\\{match[0]}"


USUAL_STARTS = LineStarts(_STARTS)
"""The default table of line starts."""


def line_starts(more: Iterable[tuple[str, str, str]]) -> LineStarts:
    """Return the table of line starts, with more rows."""
    rows = tuple(more)
    return LineStarts((*_STARTS, *rows)) if rows else USUAL_STARTS


_SPACES_AT_LINE_ENDS = r"[ \t](?:(?=\n)|(?<=\n.))|\r|\n(?<=\n\n)"
_SPACES_IN_ONE_LINE = r"[ \t](?:(?=\n)|(?<=\n.))|\r|\n"
_UNSAFE_LINE_END = late_pattern(r"\n(?:(?=[ \t\n])|(?<=[ \t]\n))|\r")
"""Matches a line end wherever ``_SPACES_AT_LINE_ENDS`` matches, without trying spaces."""


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in ASCII_PUNCTUATION else reference(character)


class Escapes:
    r"""A compiled table of unsafe characters.

    >>> Escapes(UNSAFE).text("*a* b_c", "text")
    '\\*a\\* b_c'
    """

    def __init__(self, unsafe: Iterable[Unsafe]) -> None:
        self._unsafe = tuple(unsafe)
        self._compiled = lru_cache(maxsize=None)(self._compile)
        self._in_text = self._compiled("text", "", "")
        self._in_text_without_brackets = self._compiled("text", "[", "")
        self._in_label = self._compiled("label", "", "")
        suspicious, needy = set(b"\n\r"), set[int]()
        for row in self._unsafe:
            (needy if row.needs else suspicious).update(row.character.encode())
        self._telling = bytes(1 if n in suspicious else 2 * (n in needy) for n in range(256))
        self._needs = tuple({text for row in self._unsafe for text in row.needs})

    def is_quiet(self, value: str) -> bool:
        """Tell quickly whether a text surely needs no escapes, also at line ends.

        Line starts are not checked. May return False where the context of a character would allow True.

        >>> escapes = Escapes(UNSAFE)
        >>> escapes.is_quiet("Done (100 %): see page 5."), escapes.is_quiet("2 * 3")
        (True, False)
        """
        try:  # the default encoding is the fastest call
            found = value.encode().translate(self._telling)
        except UnicodeEncodeError:  # it has half of a surrogate pair
            return False
        if 1 in found:
            return False
        if 2 in found:  # characters that need another beside them
            for text in self._needs:
                if text in value:
                    return False
        return True

    def text(
        self, value: str, place: Place = "text", *, one_line: bool = False, brackets: bool = True
    ) -> str:
        """Return a text among other phrasing, without white space at its edges.

        ``brackets``: whether something in its block could close them.
        """
        return value if self.is_quiet(value) else self.escape(value, place, one_line, brackets)

    def escape(self, value: str, place: Place, one_line: bool, brackets: bool) -> str:
        """Do the same with a text that is not quiet."""
        if ("\n" in value or "\r" in value) and (spaces := _spaces(value, one_line=one_line)):
            escape_of = "" if brackets or place == "label" else "["
            return self._compiled(place, escape_of, spaces).sub(_escaped, value)
        if place == "label":
            pattern = self._in_label
        else:
            pattern = self._in_text if brackets else self._in_text_without_brackets
        return pattern.sub(_escaped, value)

    def lone(self, value: str, *, one_line: bool, brackets: bool) -> str:
        """Return a text that is not quiet, and a block's only content: a single delimiter is inert."""
        spaces = ""
        if "\n" in value or "\r" in value:
            spaces = _spaces(value, one_line=one_line)
        escape_of = "".join([c for c in PAIRED if c in value and _is_one_run(value, c)])
        if not brackets:
            escape_of += "["
        return self._compiled("text", escape_of, spaces).sub(_escaped, value)

    def _compile(self, place: Place, escape_of: str, spaces: str) -> re.Pattern[str]:
        # Each branch starts with its character, so that the engine skips other characters; a leading lookbehind would
        # try every branch at every place.
        branches = [spaces] if spaces else []
        for row in self._unsafe:
            if row.character in escape_of and (row is BRACKET or row.character != "["):
                continue
            if place in row.places:
                character = re.escape(row.character)
                before = f"(?<={row.before}{character})" if row.before else ""
                after = f"(?={row.after})" if row.after else ""
                branches.append(f"{character}{before}{after}")
        return late_pattern("|".join(branches))


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
"""The default table of unsafe characters."""


# The resources of links: destinations, titles, labels (CommonMark 4.7, 6.3).

_PLAIN = late_pattern(r"[^\x00-\x20\x7f<>()\\&]+")
_NEEDS_BRACKETS = late_pattern(r"[\x00-\x20\x7f]|\Z(?<!.)", re.DOTALL)
_BACKSLASH = r"\\(?=[!-/:-@\[-`{-~\n\r]|\Z)"
_REFERENCE = r"&(?=#?[0-9A-Za-z]{1,31};)"
_RAW_UNSAFE = late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|\A<")
_RAW_UNSAFE_PARENTHESES = late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|\A<|[()]")
_BRACKETED_UNSAFE = late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|[<>\n\r]")
_TITLE_UNSAFE = {
    quote: late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|[\n\r{quote}]") for quote in ('"', "'")
}
_INFO_UNSAFE = late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|[\n\r]")
_LABEL_UNSAFE = late_pattern(rf"{_BACKSLASH}|{_REFERENCE}|[\[\]]|\A\^")
_LABEL_SPACES = late_pattern(r"[ \t\r\n]+")
_ESCAPE = late_pattern(r"\\([!-/:-@\[-`{-~])|&#?[0-9A-Za-z]{1,31};")
_PARENTHESES = late_pattern(r"[()]")

MAX_PARENTHESES = 32
"""The maximum nesting of parentheses in a destination without brackets (CommonMark 6.3)."""


def destination(url: str) -> str:
    """Return a URL as a link's destination.

    >>> destination("a b"), destination("/wiki/A_(b)"), destination("")
    ('<a b>', '/wiki/A_(b)', '<>')
    """
    if _PLAIN.fullmatch(url):
        return url
    if not url or _NEEDS_BRACKETS.search(url):
        return f"<{_BRACKETED_UNSAFE.sub(_escaped_in_resource, url)}>"
    unsafe = _RAW_UNSAFE if _balanced(url) else _RAW_UNSAFE_PARENTHESES
    return unsafe.sub(_escaped_in_resource, url)


def title(text: str, quote: str) -> str:
    r"""Return a title within its quotes.

    >>> title('the "best"', '"')
    '"the \\"best\\""'
    """
    # cmark-gfm reads the quote after a backslash as escaped, even if the backslash is.
    last = reference("\\") if text.endswith("\\") else ""
    body = _TITLE_UNSAFE[quote].sub(_escaped_in_resource, text[:-1] if last else text)
    return f"{quote}{body}{last}{quote}"


def resource(url: str, text: str | None, quote: str) -> str:
    """Return the part after a link's brackets, parentheses included."""
    if text is None:
        return "()" if url == "" else f"({destination(url)})"
    return f"({destination(url)} {title(text, quote)})"


def info_string(words: str) -> str:
    """Return the text after the fence of code."""
    return _INFO_UNSAFE.sub(_escaped_in_resource, words)


def label(text: str) -> str:
    """Return a reference's label, without its brackets."""
    return _LABEL_UNSAFE.sub(r"\\\g<0>", single_spaced(text))


def single_spaced(text: str) -> str:
    """Return a label with single spaces for white space, and none at its edges."""
    return _LABEL_SPACES.sub(" ", text).strip(" ")


def identifier(source: str) -> str:
    """Return the identifier of a label (CommonMark 4.7, "matches")."""
    return single_spaced(source).lower().upper().lower()


def decode(source: str) -> str:
    """Return a label's source with backslash escapes and references resolved."""
    from html import unescape  # its table of entities is large, and few labels have one

    return _ESCAPE.sub(lambda match: match[1] or unescape(match[0]), source)


def _balanced(url: str) -> bool:
    depth = 0
    for parenthesis in _PARENTHESES.findall(url):
        depth += 1 if parenthesis == "(" else -1
        if not 0 <= depth <= MAX_PARENTHESES:
            return False
    return depth == 0


def _escaped_in_resource(match: re.Match[str]) -> str:
    # cmark resolves references before escapes, outside of text
    return "&amp;" if match[0] == "&" else _escaped(match)

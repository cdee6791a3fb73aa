"""Long texts in short places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ujsx.text import is_printable, one_line, paragraphs
from ujsx.tokens import estimate_tokens

CHARACTERS = 3
"""The fewest characters that a token of a cut text stands for: where a writing has more tokens, fewer
of its characters are shown. A text that is cut to 80 characters has 26 tokens at most."""

_LOOKS_AT = 4
"""The part of a text that is looked at first, in widths of the cut; more where that is mostly white space."""

_MIN_WORDS = 0.6
"""A cut goes back to the last space only if that keeps at least this share of the width."""


def line(text: str, width: int | None = None) -> str:
    r"""Return a text on one line, without spaces at its edges, cut to a width.

    :param width: characters at most, and a third as many tokens; all of the text when ``None``.

    >>> line("first\nsecond")
    'first second'
    """
    if width is None:
        return _on_one_line(text)
    return _cut_to(_beginning(text, width, _on_one_line), width)


def _on_one_line(text: str) -> str:
    return text.strip(" ") if text.isprintable() else one_line(text).strip(" \t")


def _beginning(text: str, width: int, cleaned: Callable[[str], str]) -> str:
    """Return the cleaned text, or so much of its beginning that a cut to the width finds all it looks at.

    The work goes by the width: of a long text only white space is read on.
    """
    size = _LOOKS_AT * width
    while size < len(text):
        beginning = cleaned(text[:size])
        if len(beginning) > width + 1:
            return beginning
        size *= 2
    return cleaned(text)


_CLAUSE_END = re.compile(r"[.!?;:,](?=[ …])|[—–](?= )|[。！？；：，、]")


CLAUSE_CHARACTERS = 5
"""Characters of a clause's width for each token that it may have: about those of a token of prose."""


def clause(text: str, width: int | None = None) -> str:
    """Return a text on one line, cut to a width at the end of a clause where one is near.

    :param width: characters at most, and a fifth as many tokens; all of the text when ``None``.

    >>> clause("Never push to main, not even for a hotfix, and ask me first", 55)
    'Never push to main, not even for a…'
    """
    if width is None:
        return line(text)
    whole = _beginning(text, width, _on_one_line)
    short = _cut_to(whole, width, CLAUSE_CHARACTERS)
    if short == whole:
        return short
    ends = [each.start() for each in _CLAUSE_END.finditer(short)]
    if not ends or ends[-1] < _MIN_WORDS * len(short):
        return short
    return f"{short[: ends[-1]].rstrip()}…"


_LINE_ENDS = re.compile(r"[\r\n\u2028\u2029\v\f\x1c-\x1e\x85]+")


def in_lines(text: str, width: int | None = None) -> str:
    r"""Return a text line by line, without blank ones and without spaces at their edges.

    :param width: characters at most; all of the text when ``None``.

    >>> in_lines("- [x] schema\n\n  - [ ] login  ")
    '- [x] schema\n- [ ] login'
    """
    if width is None:
        return _in_lines(text)
    return _cut_to(_beginning(text, width, _in_lines), width)


def _in_lines(text: str) -> str:
    kept = filter(None, (line(each).strip(" \t") for each in _LINE_ENDS.split(text)))
    return "\n".join(kept)


def in_paragraphs(text: str, width: int | None = None) -> str:
    r"""Return a text with a blank line between its paragraphs, without spaces at the edges of lines.

    :param width: characters at most; all of the text when ``None``.

    >>> in_paragraphs("a\n  b\n\n\n\ncde", 6), in_paragraphs("a\n\n\nb", 4)
    ('a\nb\n\n…', 'a\n\nb')
    """
    if width is None:
        return _in_paragraphs(text)
    return cut(_beginning(text, width, _in_paragraphs), width)


def _in_paragraphs(text: str) -> str:
    return "\n\n".join(paragraphs(text))


def may_be_cut(values: Iterable[object], width: int | None) -> bool:
    """Tell, by their lengths alone, whether a cut to a width may shorten some of these values.

    >>> may_be_cut(["short", 5, None], 80), may_be_cut(["x" * 79], 80), may_be_cut(["x"], None)
    (False, True, False)
    """
    if width is None:
        return False
    tokens = width // CHARACTERS
    for each in values:
        if isinstance(each, str):
            if len(each) > tokens:
                return True
        elif not (each is None or isinstance(each, int | float)):
            return True
    return False


def are_lines(texts: Sequence[str]) -> bool:
    """Tell whether each text stands on one line as it is, and all its characters are printable."""
    return is_printable("".join(texts))


def lines(texts: Sequence[str], width: int | None = None) -> Sequence[str]:
    r"""Return texts, each as :func:`line` has it: one look mostly tells that all of them may stay.

    >>> lines(["first\nsecond", "third"])
    ['first second', 'third']
    """
    if not are_lines(texts):
        return [line(text, width) for text in texts]
    stripped = [text.strip(" ") for text in texts]
    return stripped if width is None else [_cut_to(text, width) for text in stripped]


def _cut_to(text: str, width: int, characters: int = CHARACTERS) -> str:
    tokens = max(width // characters, 1)
    short = cut(text, width)
    if len(short) <= tokens or estimate_tokens(short) <= tokens:
        return short
    low, high = 1, width
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(cut(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return cut(text, low)


def ends(text: str, width: int) -> str:
    """Return a text on one line, without its middle where it is longer than ``width`` characters.

    A text mostly ends with what it comes to: three fifths of the width are for its end. Cut again to the same
    width, it stays what it is.

    >>> ends("Found it: the index is stale. Shall I rebuild it?", 40)
    'Found it: the… Shall I rebuild it?'
    >>> ends("Port 8080", 40)
    'Port 8080'
    """
    whole = line(text)
    if len(whole) <= width:
        return whole
    head = line(whole, width * 2 // 5)
    tail = whole[len(head) + 1 - width :]
    first = tail.find(" ")
    return line(f"{head} {tail[first + 1 :] if 0 <= first < len(tail) // 2 else tail}", width)


def cut(text: str, width: int) -> str:
    """Return at most ``width`` characters of ``text``, ending in "…" when some are missing.

    The cut falls on a space where one is near.

    >>> cut("bcrypt for password hashing", 20)
    'bcrypt for password…'
    """
    if len(text) <= width:
        return text
    kept = text[: width - 1]
    at_space = kept.rfind(" ")
    if text[width - 1] != " " and at_space >= _MIN_WORDS * width:
        kept = kept[:at_space]
    return kept.rstrip(" ") + "…"

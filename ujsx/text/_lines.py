"""Text from outside, made fit for one place in a line."""

from __future__ import annotations

import re

from ujsx.text._hidden import shown_invisible

_LINE_ENDS = re.compile("\r\n?")

_LINE_BREAKS = re.compile(
    r"(?:(?<![ \t])[ \t]++)?(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])[ \t\n\v\f\r]*"
)
"""Whatever some reader takes for the end of a line, with the white space around it.

The set is that of ``str.splitlines``: a terminal, an editor or a model may break at any of them. A
run of white space is tried from its start alone: from each of its characters, a long one would take
the square of its length.
"""

_BLANK_LINES = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")

_PARTED = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LINE_EDGES = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")

_PRINTABLE = bytes(range(0x20, 0x7F))


def is_printable(text: str) -> bool:
    r"""Tell what ``str.isprintable`` tells, in a fifth of its time where a long text is ASCII.

    >>> is_printable("a line"), is_printable("two\nlines"), is_printable("é")
    (True, False, True)
    """
    if not text.isascii():
        return text.isprintable()
    return not text.encode().translate(None, _PRINTABLE)


def is_text(text: str) -> bool:
    r"""Tell whether all of ``text`` can be written: half of a surrogate pair is no character.

    >>> is_text("é"), is_text("a\ud83d")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str) -> str:
    r"""Return ``text`` on one line: each line break becomes a space.

    >>> one_line("first\n  second")
    'first second'
    """
    return _LINE_BREAKS.sub(" ", text).strip(" \t") if _LINE_BREAKS.search(text) else text


def without_blank_lines(text: str) -> str:
    r"""Return ``text`` with its lines right under one another, as a paragraph has them.

    >>> without_blank_lines("a\n \n\nb")
    'a\nb'
    """
    return _BLANK_LINES.sub("\n", text) if "\n" in text else text


def visible(text: str) -> str:
    r"""Return ``text`` with its invisible characters in forms that are seen, lines ended by ``\n``.

    For terminals and messages: the forms are those of renderings, but a text that has such a form
    itself keeps it, so that nothing changes a second time.

    >>> visible("a\x1b[31mb\u200b\r\nc")
    'a␛[31mb⟦U+200B⟧\nc'
    """
    return shown_invisible(_LINE_ENDS.sub("\n", text) if "\r" in text else text)


def paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text, each with its line breaks, white space at edges dropped.

    >>> paragraphs("a\n  b\n\n\nc")
    ['a\nb', 'c']
    """
    parts = _PARTED.split(_LINE_ENDS.sub("\n", text).strip("\n"))
    return [kept for part in parts if (kept := _LINE_EDGES.sub("\n", part.strip(" \t\n")))]

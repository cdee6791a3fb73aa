"""Text from outside, made fit for one place in a line."""

from __future__ import annotations

import re

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

_INVISIBLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
    **dict.fromkeys(range(0xE0000, 0xE0080), "\ufffd"),
}
"""What stands for characters that act on a reader but cannot be seen.

C0 controls and DEL become their Unicode control pictures. C1 controls, the bidirectional
embeddings and isolates (Unicode UAX #9), and the tag characters become U+FFFD. Joiners and
variation selectors stay: scripts and emoji need them.
"""

_NEEDS_CARE = re.compile(f"[{re.escape(''.join(map(chr, _INVISIBLE)))}]")


_PRINTABLE = bytes(range(0x20, 0x7F))


def is_printable(text: str) -> bool:
    r"""Tell what ``str.isprintable`` tells, in a fifth of its time where a long text is ASCII.

    >>> is_printable("a line"), is_printable("two\nlines"), is_printable("é")
    (True, False, True)
    """
    if not text.isascii():
        return text.isprintable()
    return not text.encode().translate(None, _PRINTABLE)


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
    r"""Return ``text`` with its invisible controls made visible, lines ended by ``\n`` alone.

    >>> visible("a\x1b[31mb\r\nc")
    'a␛[31mb\nc'
    """
    if not _NEEDS_CARE.search(text):
        return text
    return re.sub("\r\n?", "\n", text).translate(_INVISIBLE)


def paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text, each with its line breaks, white space at edges dropped.

    >>> paragraphs("a\n  b\n\n\nc")
    ['a\nb', 'c']
    """
    parts = _PARTED.split(visible(text).strip("\n"))
    return [kept for part in parts if (kept := _LINE_EDGES.sub("\n", part.strip(" \t\n")))]

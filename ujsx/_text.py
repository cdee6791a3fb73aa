"""Text from outside, made fit for one place in a line."""

from __future__ import annotations

import re

from ujsx._hidden import shown_invisible

_LINE_ENDS = re.compile("\r\n?")

_LINE_BREAKS = re.compile(
    r"(?:(?<![ \t])[ \t]++)?(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])[ \t\n\v\f\r]*"
)
"""Whatever some reader takes for the end of a line, with the white space around it.

The set is that of ``str.splitlines``: a terminal, an editor or a model may break at any of them. A
run of white space is tried from its start alone: from each of its characters, a long one would take
the square of its length.
"""

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


def visible(text: str) -> str:
    r"""Return ``text`` with its invisible characters in forms that are seen, lines ended by ``\n``.

    For terminals and messages: the forms are those of renderings, but a text that has such a form
    itself keeps it, so that nothing changes a second time.

    >>> visible("a\x1b[31mb\u200b\r\nc")
    'a␛[31mb⟦U+200B⟧\nc'
    """
    return shown_invisible(_LINE_ENDS.sub("\n", text) if "\r" in text else text)

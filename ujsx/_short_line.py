"""The short way for one line: texts, each with the mark around it.

What a bracket means is a matter of the whole document: a text with one takes the long way.
"""

from __future__ import annotations

from collections.abc import Sequence

from ujsx._hidden import TURNS, hides_nothing, is_seen
from ujsx.mdast.to_markdown._unsafe import LINE_STARTERS, UNSAFE, Escapes, escape_line_starts

_ESCAPES = Escapes(UNSAFE)

_MEANINGFUL = frozenset("\\`*_~[]<&@")
"""ASCII characters that mean something by themselves; those of addresses do not."""

_BLAND = bytes(
    code for code in range(256) if code > 127 or (32 <= code < 127 and chr(code) not in _MEANINGFUL)
)
"""The bytes of texts in which nothing needs an escape; of others than ASCII, more is asked."""

FIRST_WITH_CARE = frozenset(f"{LINE_STARTERS} <")
"""Characters that may mean something at the start of a line."""


def _ends_in_w(text: str) -> bool:
    return text.endswith(("w", "W"))


def is_bland(text: str) -> bool:
    """Tell whether nothing in a text needs an escape, unless it starts a line.

    It may say no where a look at what is around a character would say yes.
    """
    return (
        (text.isascii() or (text.isprintable() and is_seen(text)))
        and not text.encode().translate(None, _BLAND)
        and not ("/" in text and "://" in text)
        and not ("." in text and any(map(_ends_in_w, text.split(".")[:-1])))
        and not (":" in text and any(map(text.__contains__, TURNS)))
    )


def line_of(text: str) -> str | None:
    """Return a text that is all that a line holds."""
    if not text or text[-1] == " " or "[" in text:
        return None
    if text[0] not in FIRST_WITH_CARE and is_bland(text):
        return text
    if text[0] in " -" or not text.isprintable() or not hides_nothing(text):
        return None
    line = _ESCAPES.lone(text)
    return None if line[0] == "<" else escape_line_starts(line)


def marked_line(parts: Sequence[tuple[str, str]]) -> str | None:
    """Return a line of texts, each with the mark around it, if they are plain beside each other.

    :param parts: marks and texts; ``""`` marks text as it is.
    """
    line = before = ""
    last = len(parts) - 1
    for place, (mark, text) in enumerate(parts):
        if not text or not text.isprintable() or (place and bool(mark) is bool(before)):
            return None
        if not hides_nothing(text):
            return None
        if not mark:
            if "[" in text or "@" in (text[0], text[-1]) or (place != last and text[-1] in "!<"):
                return None
            line += _ESCAPES.text(text, "text")
        elif mark == "`":
            if "`" in text or text[0] == " ":
                return None
            line += f"`{text}`"
        elif text[0].isalnum() and text[-1].isalnum() and "[" not in text:
            line += f"{mark}{_ESCAPES.text(text, 'text')}{mark}"
        else:
            return None
        before = mark
    if not line or line[0] in " -<" or line[-1] == " ":
        return None
    return escape_line_starts(line)

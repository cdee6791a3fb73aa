r"""The characters that Markdown takes for white space and punctuation, its escapes and references.

Python's own notions (``str.strip``, ``str.isspace``, ``\s``) take in more characters, so nothing
here uses them.
"""

from __future__ import annotations

import re
from html.entities import html5
from unicodedata import category

SPACES = " \t"
"""What may stand at the edges of a line without meaning (CommonMark 2.1, "space or tab")."""

UNICODE_WHITESPACE = frozenset(
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ends an autolink literal, beside Markdown's own white space."""

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
    """Resolve character references, and leave backslashes as they are."""
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
    return _character(int(decimal) if decimal is not None else int(hexadecimal, 16))


def _character(code: int) -> str:
    """Return what a numeric reference stands for; U+FFFD where that is no character of a text."""
    if (
        code < 0x09
        or code == 0x0B
        or 0x0E <= code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or 0xFDD0 <= code < 0xFDF0
        or code & 0xFFFE == 0xFFFE
        or code > 0x10FFFF
    ):
        return "\ufffd"
    return chr(code)

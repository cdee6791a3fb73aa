"""The meaning of a character beside a delimiter, and how to write it as a reference.

Whether ``*`` or ``_`` opens or closes depends on the characters at its sides (CommonMark 6.2).
Parsers agree on letters and on ASCII; on others they do not: symbols are punctuation since
CommonMark 0.31, and some parsers count line separators or controls as white space. Such
characters have classes of their own here, so that nothing is built on them.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category

OTHER, SPACE, PUNCTUATION, SYMBOL, CONTROL = range(5)
"""The classes: ``SYMBOL`` is punctuation to some parsers, ``CONTROL`` white space to some."""

UNICODE_SPACES = frozenset(
    "\t\n\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000"
)
"""White space for every parser (CommonMark 2.1, "Unicode whitespace character")."""

EDGE_SPACES = UNICODE_SPACES | frozenset("\u2028\u2029\ufeff")
"""What some parser trims at a block's edge, and what can be written as a reference."""

ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

_UNSURE_SPACES = frozenset("\v\x1c\x1d\x1e\x1f\x85")


def reference(character: str) -> str:
    """Return the numeric reference of a character.

    >>> reference(" ")
    '&#x20;'
    """
    return f"&#x{ord(character):X};"


def has_reference(character: str) -> bool:
    r"""Return whether a numeric reference gives the character back; for controls it does not.

    >>> has_reference("a"), has_reference("\x01")
    (True, False)
    """
    code = ord(character)
    return not (
        code < 0x09
        or code == 0x0B
        or 0x0E <= code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or 0xFDD0 <= code < 0xFDF0
        or code & 0xFFFE == 0xFFFE
    )


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

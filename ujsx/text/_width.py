"""The width of a text where every character has one or two columns, as in a terminal."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, east_asian_width

_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def width(text: str) -> int:
    r"""Return the columns of a text in one line: East Asian wide characters and emoji take two.

    What combines with the character before it takes none; an emoji of several characters is one.

    >>> width("abc"), width("日本"), width("e\u0301"), width("👩\u200d🔬")
    (3, 4, 1, 2)
    """
    if text.isascii():
        return len(text)
    columns = last = 0
    before = ""
    for character in text:
        if character == _EMOJI_STYLE:  # what it follows is shown as an emoji
            columns, last = columns + max(0, 2 - last), 2
        elif before != _JOINER and character not in _SKIN_TONES:
            own = _columns(character)
            columns, last = columns + own, own or last
        before = character
    return columns


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if category(character) in {"Mn", "Me", "Cf"} or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if east_asian_width(character) in "WF" else 1

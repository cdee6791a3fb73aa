"""The fragments of headings, as GitHub makes them."""

from __future__ import annotations

from unicodedata import category

_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
"""Letters, marks, digits, and what connects words, such as an underscore."""

_LETTERS_IN_CIRCLES = (
    ("\u24b6", "\u24e9"),
    ("\U0001f130", "\U0001f149"),
    ("\U0001f150", "\U0001f169"),
    ("\U0001f170", "\U0001f189"),
)
"""Symbols that Unicode counts among the alphabetic characters, first and last of each range."""


def slug(text: str) -> str:
    """Return the fragment of a heading with this text, were it the only one of it.

    >>> slug("What's new in 3.1? (_beta_)")
    'whats-new-in-31-_beta_'
    """
    return "".join(
        [
            "-" if character == " " else character
            for character in text.lower()
            if character in " -" or _is_kept(character)
        ]
    )


def _is_kept(character: str) -> bool:
    return category(character) in _KEPT or any(
        first <= character <= last for first, last in _LETTERS_IN_CIRCLES
    )


class Slugger:
    """Makes the fragments of one page: a second heading of a text gets a number.

    >>> slugger = Slugger()
    >>> [slugger.slug(text) for text in ("Usage", "Usage", "usage-1")]
    ['usage', 'usage-1', 'usage-1-1']
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """Return the fragment of the next heading."""
        plain = made = slug(text)
        while made in self._next:
            number = self._next[plain] = self._next[plain] + 1
            made = f"{plain}-{number}"
        self._next[made] = 0
        return made

"""What a kind of secret looks like: a row of the table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import log2

from ujsx.errors import UjsxError

PLACEHOLDERS: tuple[str, ...] = (
    "example", "sample", "dummy", "fake", "placeholder", "redacted", "changeme", "change_me",
    "change-me", "your", "insert", "xxxx", "0000", "....", "****", "<", "${", "{{", "%s", "todo", "notreal", "not-real", "not_real",
)  # fmt: skip
"""Parts of what stands for a secret in documentation and tests: with one of them, it is none."""


def bits(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits for each.

    >>> bits("aaaa"), bits("abcd")
    (0.0, 2.0)
    """
    total = len(text)
    return 0.0 - sum(n / total * log2(n / total) for n in Counter(text).values()) if total else 0.0


def is_no_placeholder(text: str) -> bool:
    """Tell whether a text has no word of documentation in it, and none of its fillings.

    >>> is_no_placeholder("sk-your-key-here"), is_no_placeholder("q7Rf0TzLw2")
    (False, True)
    """
    lowered = text.lower()
    return not any(each in lowered for each in PLACEHOLDERS)


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """What a kind of secret looks like.

    >>> own = SecretPattern("acme-key", ("acme_",), re.compile(r"acme_[0-9a-f]{32}"), "acme's manual")
    >>> own.kind
    'acme-key'
    """

    kind: str
    """What it is called in masks and findings: small letters, digits and hyphens."""

    hints: tuple[str, ...]
    """In small letters. A text is looked at when it has one of them, in any case: so most texts cost next
    to nothing."""

    expression: re.Pattern[str]
    """What it looks like. Where it has a group ``secret``, that is what is masked, else all of it. It has to
    be linear, as it is tried on what anybody sends."""

    source: str
    """Who says that it looks so."""

    is_meant: Callable[[str], bool] = is_no_placeholder
    """Tells a secret from what only looks like one."""

    shown: int = 4
    """How many of its first characters may be told, 4 at most: those that all of the kind begin with."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", self.kind):
            raise UjsxError(
                f"a secret's kind has small letters, digits and hyphens only, not {self.kind!r}"
            )
        if not self.hints or any(not each or each != each.lower() for each in self.hints):
            raise UjsxError(
                f"{self.kind}: a pattern needs hints in small letters, or no text is looked at"
            )
        if not 0 <= self.shown <= 4:
            raise UjsxError(f"{self.kind}: shown is 0 to 4 characters, not {self.shown}")

"""Plural forms: rules as data, one pattern per form.

A noun has its forms between bars, and a rule has a pattern for each form but the last, separated
by spaces. The first pattern that the number's digits match picks the form, the last form has the
rest. English, ``"^1$"``: "note|notes".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

_NOT_TEENS = "(?:^|[^1])"
"""Before the last digit: nothing, or any digit but the 1 of the teens."""

PLURALS: Mapping[str, str] = MappingProxyType(
    {
        "en": "^1$",
        "de": "^1$",
        "es": "^1$",
        "fr": "^[01]$",
        "pt": "^[01]$",
        "pl": f"^1$ {_NOT_TEENS}[2-4]$",
        "ru": f"{_NOT_TEENS}1$ {_NOT_TEENS}[2-4]$",
        "uk": f"{_NOT_TEENS}1$ {_NOT_TEENS}[2-4]$",
        "cs": "^1$ ^[2-4]$",
        "ar": "^0$ ^1$ ^2$ (?:^|0)[3-9]$|10$ [1-9][0-9]$",
        "ja": "",
        "ko": "",
        "zh": "",
    }
)
"""The rules of some languages for whole numbers, from the Unicode CLDR's plural rules.

``RenderContext(texts={"plurals": PLURALS["ru"], "notes.noun": "заметка|заметки|заметок"})``.
"""


def with_plural(noun: str) -> str:
    """Return an English noun with both its forms; one that has several already stays as it is.

    >>> [with_plural(noun) for noun in ("remedy", "day", "customer box", "batch", "hypothesis")]
    ['remedy|remedies', 'day|days', 'customer box|customer boxes', 'batch|batches', 'hypothesis|hypotheses']
    >>> with_plural("staff|staff")
    'staff|staff'
    """
    if "|" in noun:
        return noun
    if re.search("[^aeiou]y$", noun):
        return f"{noun}|{noun[:-1]}ies"
    if re.search("[a-z]{2}sis$", noun):
        return f"{noun}|{noun[:-2]}es"
    return f"{noun}|{noun}es" if re.search("(?:s|x|ch|sh)$", noun) else f"{noun}|{noun}s"


@lru_cache(maxsize=1024)
def form(noun: str, count: int, rule: str = "^1$") -> str:
    """Return the form of a noun that goes with a count.

    A noun with fewer forms than the rule has uses its last one for the rest.

    >>> form("note|notes", 1), form("note|notes", 0), form("min", 5)
    ('note', 'notes', 'min')
    >>> [form("заметка|заметки|заметок", count, PLURALS["ru"]) for count in (1, 3, 11, 21)]
    ['заметка', 'заметки', 'заметок', 'заметка']
    """
    forms, patterns = noun.split("|"), rule.split()
    digits = str(count)
    place = next(
        (place for place, each in enumerate(patterns) if re.search(each, digits)), len(patterns)
    )
    return forms[min(place, len(forms) - 1)]

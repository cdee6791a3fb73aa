"""Names as models write them: case, dashes, underscores and dots do not tell two apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[\W_]+")

_LONGEST = 200
"""Characters of a name that are looked at; no name of ours is nearly as long."""


def folded(name: str) -> str:
    """Return what is left of a name without case and separators.

    >>> folded("notes.add"), folded("notesAdd"), folded("NOTES-ADD")
    ('notesadd', 'notesadd', 'notesadd')
    """
    return _SEPARATORS.sub("", name[:_LONGEST]).casefold()


def variant_of(name: object, known: Iterable[str]) -> str | None:
    """Return the one known name that ``name`` is a way to write, or ``None``.

    >>> variant_of("updatedAt", ["updated_at", "id"])
    'updated_at'
    """
    if not isinstance(name, str):
        return None
    candidates = list(known)
    if name in candidates:
        return name
    form = folded(name)
    same = [each for each in candidates if folded(each) == form]
    return same[0] if len(same) == 1 else None

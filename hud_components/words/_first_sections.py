"""The sections of a summary that come first: those that the work continues with."""

from __future__ import annotations

import re

FIRST_SECTIONS: tuple[str, ...] = (
    r"pending|remaining|open (?:tasks|items)|to.?do|left to",
    r"current (?:work|state|task|plan|status)|in progress|work in progress",
    r"next step",
    r"primary request|goal|overall|objective|request|task",
    r"decision|key (?:knowledge|facts|technical)|constraint|instruction",
)
"""Words of the headings whose sections come first, in this order; the others follow in theirs."""


def section_rank(title: str) -> int:
    """Return the place of a heading's section: the lower, the sooner it is needed.

    >>> section_rank("7. Pending Tasks") < section_rank("Current work") < section_rank("All files")
    True
    """
    name = title.lower()
    ranks = (place for place, words in enumerate(FIRST_SECTIONS) if re.search(words, name))
    return next(ranks, len(FIRST_SECTIONS))

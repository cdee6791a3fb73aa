"""The slots of working memory, and the decay of everything outside of them.

Figures are those of the founding document on working memory (phase 3). Two things are otherwise there:
its formula ``exp(-0.85 * age)`` loses 57 % with each event, where its text says 15 %, so a score here is
``0.85 ** age``; and it adds the count of mentions, so that what was mentioned once is kept for ever. Here a
mention makes a thing new again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple


class Slot(NamedTuple):
    """A kind of thing of which the newest few are remembered, however much else is heard."""

    name: str
    """What it is called in the tools, the events and the tags: lower-case letters, digits, ``_``."""

    size: int
    """How many things it holds; the one that was heard the longest ago leaves it first."""

    label: str
    """What stands before such a thing where it is shown."""

    doc: str
    """What belongs there, in a few words."""


SLOTS: tuple[Slot, ...] = (
    Slot("error", 3, "Error", "errors that are to be fixed"),
    Slot("decision", 5, "Decision", "what was decided"),
    Slot("todo", 3, "Todo", "what is to be done"),
    Slot("dependency", 3, "Dependency", "files and packages that the work needs"),
)
"""The slots of the founding document, in the order in which they are shown."""

POOL = "pool"
"""What is in no slot is in the pool, where it fades."""

DECAY = 0.85
"""What is left of a score after each event: 15 % are lost."""

FORGOTTEN = 0.01
"""The score below which a thing in the pool is forgotten."""


def score(age: int, decay: float = DECAY) -> float:
    """Return what a thing in the pool counts at an age: 1 when it was just heard.

    >>> round(score(1), 2), score(28) > FORGOTTEN > score(29)
    (0.85, True)
    """
    return math.pow(decay, age)


def ages(items: Iterable[Any]) -> Mapping[int, int]:
    """Return how old what was last heard in an event is, by that event's version.

    The age is counted in events of memory, as in the founding document, whose counter rises with
    each thing that is added: how often something newer was heard that is still remembered. It is not
    counted in turns, as a turn may bring one thing or fifty; nor in all events of the log, of which a
    turn has dozens that say nothing to memory.

    >>> from hud_components.memory import MemoryItem
    >>> ages([MemoryItem(content="a", seen=4), MemoryItem(content="b", seen=9)])
    {9: 0, 4: 1}
    """
    newest_first = sorted({each.seen for each in items}, reverse=True)
    return {seen: age for age, seen in enumerate(newest_first)}


def is_fading(item: Any) -> bool:
    """Tell whether a thing is in the pool: it never had a slot, or had to leave it."""
    return bool(item.slot == POOL or item.fading)


def by_relevance(items: Sequence[Any]) -> list[int]:
    """Return the places of items by what they count, the highest first.

    What is in a slot counts 1 whatever its age, what is in the pool its score; of equals the newest
    comes first. So it is the order of slots before the pool, and each from new to old.
    """

    def weight(place: int) -> tuple[bool, int, int, int]:
        item = items[place]
        return is_fading(item), -item.seen, -item.said_at, -place

    return sorted(range(len(items)), key=weight)

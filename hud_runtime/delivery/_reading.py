"""Which reading of the context counts, where each new one costs."""

from __future__ import annotations

from hud_components import ContextUsage, level_for


def counted(known: ContextUsage | None, now: ContextUsage | None) -> ContextUsage | None:
    """Return the reading that counts: the one that is known, until the level is another one.

    >>> green = ContextUsage(used=20_000)
    >>> counted(green, ContextUsage(used=90_000)) is green
    True
    >>> counted(green, ContextUsage(used=150_000)).used
    150000
    """
    if known is None or now is None:
        return now
    is_same = level_for(known.percentage) == level_for(now.percentage)
    return known if is_same and known.limit == now.limit else now

"""The reading of the context that counts, where each new one costs."""

from __future__ import annotations

from hud_components import THRESHOLDS, ContextUsage, Thresholds, reached


def counted(
    known: ContextUsage | None, now: ContextUsage | None, thresholds: Thresholds = THRESHOLDS
) -> ContextUsage | None:
    """Return the reading that counts: the one that is known, until the level is another one.

    The level that is known is left once the context is below it by a margin: what is told in a history costs
    tokens each time.

    >>> green, red = ContextUsage(used=20_000), ContextUsage(used=170_000)
    >>> counted(green, ContextUsage(used=90_000)) is green
    True
    >>> counted(green, ContextUsage(used=150_000)).used
    150000
    >>> counted(red, ContextUsage(used=168_000)) is red
    True
    """
    if known is None or now is None:
        return now
    level = reached(known, thresholds).level
    is_same = reached(now, thresholds.after(level, now.limit)).level == level
    return known if is_same and known.limit == now.limit else now

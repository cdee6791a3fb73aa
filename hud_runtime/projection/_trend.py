"""The words for how the context fills up, read off its last readings."""

from __future__ import annotations

from collections.abc import Sequence

from hud_components import Trend, UsageReading

READINGS = 5
"""How many readings are kept, and so how far back the trend looks."""

TRENDS: tuple[tuple[float, Trend], ...] = (
    (1.0, "stable"),
    (4.0, "growing"),
    (float("inf"), "growing rapidly"),
)
"""Below which mean growth per reading, in percent of the limit, which words hold.

Our choice; the founding documents name the words and the window of five. At 1 % per turn a
window that is half full lasts 50 turns more, at 4 % it is over in a dozen.
"""


def trend(readings: Sequence[UsageReading]) -> Trend | None:
    """Return the words for the mean growth per reading; None for fewer than two readings.

    A shrinking context, as after a compaction, is stable.

    >>> trend([UsageReading(used=20_000), UsageReading(used=26_000)])
    'growing'
    """
    if len(readings) < 2:
        return None
    first, last = readings[0], readings[-1]
    # One division of whole numbers, so that a growth of exactly 1 % is not a hair below it.
    more = last.used * first.limit - first.used * last.limit
    growth = 100 * more / (first.limit * last.limit * (len(readings) - 1))
    return next(words for bound, words in TRENDS if growth < bound)

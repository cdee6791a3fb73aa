"""A clock that a test can hold in its hand."""

from __future__ import annotations


class Ticking:
    """A clock for :meth:`HudStore.open` that goes on by the same step at each look.

    >>> clock = Ticking(start=1_000, step=10)
    >>> clock(), clock()
    (1000, 1010)
    """

    def __init__(self, start: int = 0, step: int = 1) -> None:
        self.now = start
        self.step = step

    def __call__(self) -> int:
        """Return the time in milliseconds, and let it go on."""
        now = self.now
        self.now += self.step
        return now

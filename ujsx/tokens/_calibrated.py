"""A counter corrected by what a provider reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from ujsx.errors import CounterError, shown
from ujsx.tokens._estimate import TokenCounter, estimate_tokens


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A counter whose counts are multiplied by a share: tokens reported over tokens counted.

    It is a value: two with the same numbers are equal, and a reading gives a new one. Counts are
    rounded up, so that the whole is never more than the sum of its parts if ``counter`` has it so.
    """

    counter: TokenCounter
    """What is corrected."""

    counted: int
    """How many tokens ``counter`` found in all that was reported on."""

    reported: int
    """How many the provider says there were."""

    def __call__(self, text: str) -> int:
        return -(-self.counter(text) * self.reported // self.counted)

    def read(self, counted: int, reported: int) -> Calibrated:
        """Return the counter with one more reading, each weighing as much as it has tokens.

        :raises CounterError: for numbers that no request can have.

        >>> calibrated(len, counted=100, reported=30).read(counted=300, reported=70).share
        0.25
        """
        _check(counted, reported)
        return Calibrated(self.counter, self.counted + counted, self.reported + reported)

    @property
    def share(self) -> float:
        """The share by which counts are multiplied."""
        return self.reported / self.counted


def calibrated(
    counter: TokenCounter = estimate_tokens, *, counted: int, reported: int
) -> Calibrated:
    """Return ``counter`` corrected by one reading of a provider.

    :param counter: what counts; the estimate by default.
    :param counted: the tokens it found in the texts of a request: system prompt, tools, messages.
    :param reported: the input tokens that the provider says the request had, cached ones included.
    :raises CounterError: for numbers that no request can have.

    A provider adds some tokens to each message and each tool, so take a long request.

    >>> ours = calibrated(counted=1_000, reported=1_250)
    >>> estimate_tokens("Use JWT over sessions."), ours("Use JWT over sessions.")
    (5, 7)
    """
    _check(counted, reported)
    return Calibrated(counter, counted, reported)


def calibrated_by(
    readings: Iterable[tuple[int, int]], counter: TokenCounter = estimate_tokens
) -> Calibrated | None:
    """Return ``counter`` corrected by how a history grew, or None where that says too little.

    System prompt, tools and all else that stands in each request cancels out, so that nobody has to know it.

    :param readings: one after the other, the tokens that ``counter`` found in the history so far, and the input tokens
        that the provider reported for it. Where either falls, such as after a compaction, counting begins anew.

    >>> ours = calibrated_by([(0, 12_000), (2_000, 14_600), (5_000, 18_400), (800, 13_000)])
    >>> ours and ours.share
    1.28
    """
    each_once = [next(same) for _, same in groupby(readings, key=itemgetter(1))]
    grown = [(now[0] - was[0], now[1] - was[1]) for was, now in pairwise(each_once)]
    steps = [step for step in grown if min(step) > 0]
    counted, reported = (sum(step[side] for step in steps) for side in (0, 1))
    return calibrated(counter, counted=counted, reported=reported) if counted >= LEAST else None


LEAST = 1_000
"""From how many counted tokens on a history's growth says something."""


def _check(counted: int, reported: int) -> None:
    numbers: tuple[object, ...] = (counted, reported)
    for name, number in zip(("counted", "reported"), numbers, strict=True):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise CounterError(
                f"{name} is a number of tokens, 1 or more, not {shown(number)}; "
                "a request without tokens corrects nothing"
            )

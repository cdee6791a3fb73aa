"""A counter corrected by what a provider reports."""

from __future__ import annotations

from dataclasses import dataclass

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
    (7, 9)
    """
    _check(counted, reported)
    return Calibrated(counter, counted, reported)


def _check(counted: int, reported: int) -> None:
    numbers: tuple[object, ...] = (counted, reported)
    for name, number in zip(("counted", "reported"), numbers, strict=True):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise CounterError(
                f"{name} is a number of tokens, 1 or more, not {shown(number)}; "
                "a request without tokens corrects nothing"
            )

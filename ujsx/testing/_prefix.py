"""Whether renderings keep a prefix: what a provider's prompt cache can use again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ujsx import Rendered


def prefix_kept(renderings: Iterable[Rendered | str]) -> float:
    """Return the share of their bytes that renderings have in common with the one before.

    It is the sum of the lengths of neighbours' common prefixes over the sum of their lengths; 1.0
    where nothing follows anything.

    >>> prefix_kept(["abcd", "abxx", "abxy"])
    0.625
    """
    texts = [str(each).encode("utf-8", "surrogatepass") for each in renderings]
    lengths = sum(len(later) for later in texts[1:])
    kept = sum(_common(former, later) for former, later in pairwise(texts))
    return kept / lengths if lengths else 1.0


def assert_prefix_stable(renderings: Iterable[Rendered | str], at_least: float = 0.9) -> None:
    r"""Assert that neighbouring renderings keep enough of a common prefix.

    :param renderings: a HUD's renderings, turn after turn.
    :param at_least: the share of bytes, from 0 to 1, that must be kept.
    :raises AssertionError: with the share that is kept, and the place where most is lost.

    >>> assert_prefix_stable(["head\n\none", "head\n\none two"], at_least=0.5)
    """
    texts = [str(each) for each in renderings]
    share = prefix_kept(texts)
    if share >= at_least:
        return
    losses = [
        (len(later.encode()) - _common(former.encode(), later.encode()), turn)
        for turn, (former, later) in enumerate(pairwise(texts), 1)
    ]
    lost, turn = max(losses)
    raise AssertionError(
        f"{share:.1%} of the bytes are kept as a prefix, not {at_least:.1%}; most is lost in "
        f"rendering {turn}: {lost} bytes behind {_before_change(texts[turn - 1], texts[turn])!r}"
    )


def _common(left: bytes, right: bytes) -> int:
    """How many bytes both begin with."""
    if right.startswith(left):
        return len(left)
    return next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )


def _before_change(former: str, later: str) -> str:
    """The end of what both begin with."""
    place = next(
        (n for n, (a, b) in enumerate(zip(former, later, strict=False)) if a != b),
        min(len(former), len(later)),
    )
    return later[max(0, place - 40) : place]

"""Sketches: guesses of what rungs cost that nobody rendered, and the search that they lead.

In: the text of a component on one rung, and tokens to spend. Out: about how many tokens its other rungs have, from the
items that they show; and the last of many rungs that the tokens pay for, after a few renderings that prove it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ujsx._density import Density, Rung, elided, width_of
from ujsx.tokens import estimate_tokens


def most_within(count: int, fits: Callable[[int], bool]) -> int | None:
    """Return the place of the last of ``count`` alternatives that fits, by halving; ``None`` for none.

    It is looked for in steps of powers of two, so that which places are tried hardly depends on how
    many there are: what was rendered for one budget is of use for the next. What fits with less fits
    with more, so that more tokens, and more alternatives, never lead to an earlier place, even where
    an alternative costs less than one before it.

    >>> most_within(10, lambda place: place < 4), most_within(10, lambda place: False)
    (3, None)
    """
    found = -1
    step = 1 << max(count, 1).bit_length() - 1
    while step:
        if found + step < count and fits(found + step):
            found += step
        step >>= 1
    return found if found >= 0 else None


SURE = 1
"""The tokens by which a guess may be wrong that follows from another place nearby."""

NEAR = 12
"""The tokens that one rung costs more than the next lower one at least, if it is sure that it costs more at all: a word
that says what is left out may cost more than what it stands for."""

LOOKS = 4
"""How many places are looked at where guesses lead, before a search goes on by halving."""


def last_within(
    count: int,
    cost: Callable[[int], int],
    limit: int,
    guess: Callable[[int], float],
    is_as_guessed: Callable[[int], bool],
) -> int:
    """Return the place of the last of ``count`` alternatives that costs no more than a limit; -1 for none.

    Guesses lead to it, and what one looked at costs corrects them: where they are good, one look is enough.

    :param is_as_guessed: whether one that was looked at consists of what it was guessed from, so that the next one does.

    >>> last_within(100, lambda n: 7 * n, 300, lambda n: 7 * n + 90, lambda n: False)
    42
    """
    low, high, wrong = -1, count, 0.0
    within: tuple[int, float] | None = None
    beyond: tuple[int, float] | None = None
    for look in range(LOOKS):
        if low + 1 == high:
            return low
        left = limit - wrong
        if within is not None and beyond is not None and beyond[1] > within[1]:
            share = (limit - within[0]) / (beyond[0] - within[0])
            left = within[1] + share * (beyond[1] - within[1])
        place = low + bisect_right(range(low + 1, high), left, key=guess)
        place = min(max(place, low + 1), high - 1)
        is_flat = guess(low + 1) == guess(high - 1)
        if is_flat or (look and within is None and high < 8):
            place = low + 1  # where that is too much, so is all that follows
        found, guessed = cost(place), guess(place)
        wrong = found - guessed
        if found > limit:
            high, beyond = place, (found, guessed)
        else:
            low, within = place, (found, guessed)
            is_next_dear = low + 1 < high and guess(low + 1) + wrong > limit + SURE
            if is_next_dear and is_as_guessed(low):
                return low
            if is_flat:  # guesses tell nothing of what follows
                break
    more = most_within(high - low - 1, lambda place: cost(low + 1 + place) <= limit)
    return low if more is None else low + 1 + more


_ITEM = re.compile(r"\n(?=(?:[-*+]|[0-9]+[.)]) )")
"""Where an item of a list begins."""

_MARK = "- *… 99 more, and the call*"
"""About what says that items are left out."""


class Sketch(NamedTuple):
    """A text by its items: what a component costs on other rungs follows from it, about."""

    rung: Rung
    tokens: int
    head: str
    items: Sequence[str]
    total: int
    """How many items there are on the highest rung."""

    scale: float
    """How many tokens there are to one that is estimated: guesses call no counter, which may take long."""

    guesses: dict[tuple[bool, Density, int, int | None], float]
    """What was guessed already."""

    are_first: bool = False
    """Whether a limit shows the first items alone, and not the newest as well."""

    @classmethod
    def of(cls, rung: Rung, tokens: int, text: str, least: int) -> Sketch:
        """Return the sketch of a piece's text on a rung.

        :param least: how many items there are at least.
        """
        head, *items = _ITEM.split(text)
        scale = tokens / max(estimate_tokens(f"\n\n{text}"), 1)
        return cls(rung, tokens, head, items, max(len(items), least), scale, {})

    def learned(self, rung: Rung, text: str) -> Sketch:
        """Return the sketch with what the text on a lower rung tells of it."""
        limit = rung.limit
        if self.are_first or not limit or limit >= len(self.items):
            return self
        if self.items[-1].strip() in text:
            return self
        are_first = self.items[limit - 1].strip() in text
        return self._replace(are_first=True) if are_first else self

    def has(self, rung: Rung, text: str) -> bool:
        """Tell whether the text on a rung consists of the items that are guessed, each as it is here."""
        shown, guessed = (_ITEM.split(each)[1:] for each in (text, self._text(rung)))
        there = {each.strip() for each in shown}
        is_there = [each.strip() in there for each in guessed if each != _MARK]
        return self.scale == 1 and rung.detailed is None and bool(is_there) and all(is_there)

    def _shown(self, rung: Rung) -> list[str]:
        items, limit = [*self.items], rung.limit
        if limit is None or limit >= len(items):
            return items
        gap = range(limit, self.total) if self.are_first else elided(self.total, limit)
        return [*items[: gap.start], _MARK, *items[len(items) - (self.total - gap.stop) :]]

    def _text(self, rung: Rung) -> str:
        width = width_of(rung)
        shown = [self.head, *self._shown(rung)]
        return "\n".join(shown if width is None else [_cut(each, width) for each in shown])

    def guess(self, rung: Rung) -> float:
        """Return about how many tokens there are on a rung."""
        limit = rung.limit
        if limit is None or limit >= self.total:
            limit = self.total
        known_as = self.are_first, rung.density, limit, width_of(rung)
        if known_as not in self.guesses:
            share = (1 + rung.density.rank) / (1 + self.rung.density.rank)
            known = len(self.items)
            more = max(limit - known, 0) * self.tokens / max(known, 1)
            text = estimate_tokens(f"\n\n{self._text(rung)}") * self.scale
            self.guesses[known_as] = (text + more) * share
        return self.guesses[known_as]


def _cut(text: str, width: int) -> str:
    """Cut a line of a list as a text is cut: at a space, where there is one."""
    if len(text) <= width + 2:
        return text
    kept = text[: width + 1]
    return f"{kept[: kept.rfind(' ')]}…"

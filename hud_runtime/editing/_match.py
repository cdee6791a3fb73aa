"""The match between the items of an edited text and those of the state: by id, by text, or by a similar text.

What could be either of two is not guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

NEAR = 0.6
"""How alike two texts are at least for one to be the other, edited: the share of characters that
stand in both in the same order (``difflib``'s ratio, and the cut-off that its documentation calls a
close match)."""

LEAD = 0.1
"""By how much the best match must be nearer than the next one. Ours: between notes that are
variations of one sentence the ratios differ by less."""


COMPARED = 2_500
"""How many pairs of texts are compared at most: each costs about 0.2 ms. Where 50 texts have gone and 50
others come, it is another list, and what is which is not looked for."""


@dataclass(slots=True)
class Matches:
    """Pairs of places in two lists of texts, and what has no pair."""

    pairs: dict[int, int] = field(default_factory=dict[int, int])
    """The place in the old list, by the place in the new one."""

    unclear: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """New places that could be any of several old ones."""

    vague: set[int] = field(default_factory=set[int])
    """Old places of which it is not clear whether they are still there."""


def match(old: Sequence[str], new: Sequence[str]) -> Matches:
    """Return which of the new texts is which of the old ones.

    >>> match(["Use JWT", "Port 8080"], ["Port 8081", "Use JWT", "Ask Ada"]).pairs
    {1: 0, 0: 1}
    >>> match(["Port 8080", "Port 8081"], ["Port 808"]).unclear
    {0: (0, 1)}
    """
    matches = Matches()
    _equal(old, new, matches)
    _near(old, new, matches)
    return matches


def _equal(old: Sequence[str], new: Sequence[str], matches: Matches) -> None:
    places: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(old):
        places[text].append(place)
    wanted: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(new):
        wanted[text].append(place)
    for text, there in places.items():
        now = wanted.get(text, [])
        matches.pairs.update(zip(now, there, strict=False))
        if now and len(now) < len(there):  # one of several that read the same is gone
            matches.vague.update(there[len(now) :])
            matches.unclear[now[-1]] = tuple(there)


def _near(old: Sequence[str], new: Sequence[str], matches: Matches) -> None:
    """Pair what is left, the clearest first: a pair that is made may make others clear."""
    gone = [place for place in range(len(old)) if place not in {*matches.pairs.values()}]
    gone = [place for place in gone if place not in matches.vague]
    fresh = [place for place in range(len(new)) if place not in matches.pairs]
    if len(gone) * len(fresh) > COMPARED:
        matches.unclear.update(dict.fromkeys(fresh, tuple(gone)))
        matches.vague.update(gone)
        return
    nearness: dict[tuple[int, int], float] = {}
    matcher = SequenceMatcher(autojunk=False)
    for other in gone:
        matcher.set_seq2(old[other])  # which the matcher prepares, to compare many with
        for one in fresh:
            matcher.set_seq1(new[one])
            if (ratio := _ratio(matcher)) >= NEAR:
                nearness[one, other] = ratio
    while nearness:
        clear = next((pair for pair in nearness if _is_clear(pair, nearness)), None)
        if clear is None:
            break
        matches.pairs[clear[0]] = clear[1]
        nearness = {
            pair: ratio
            for pair, ratio in nearness.items()
            if pair[0] != clear[0] and pair[1] != clear[1]
        }
    for one in dict.fromkeys(pair[0] for pair in nearness):
        matches.unclear[one] = tuple(other for each, other in nearness if each == one)
    matches.vague.update(other for _, other in nearness)


def _is_clear(pair: tuple[int, int], nearness: dict[tuple[int, int], float]) -> bool:
    ratio = nearness[pair]
    return all(
        other == pair or (pair[0] != other[0] and pair[1] != other[1]) or ratio - than >= LEAD
        for other, than in nearness.items()
    )


def _ratio(matcher: SequenceMatcher[str]) -> float:
    # Upper bounds that cost less, as difflib's documentation advises.
    if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
        return 0.0
    return matcher.ratio()

"""Densities, the ladders of rungs that they pick from, and the choice of items in a long list.

A component declares a :class:`Disclosure`: a ladder from its shortest form to its longest, and its weight. A density
picks one rung for every component alike; a token budget climbs the ladders of a whole tree step by step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import EnumMeta, StrEnum
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from ujsx.calls import MissingAttributeError
from ujsx.errors import DefinitionError, DensityError, did_you_mean, shown


class _Densities(EnumMeta):
    """The metaclass of densities, which looks up names in any case: ``Density["compact"]``."""

    if not TYPE_CHECKING:

        def __getitem__(cls, name: str) -> Density:
            return cls.of(name.casefold() if isinstance(name, str) else name)

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise MissingAttributeError(f"type object {cls.__name__!r}", name, "ujsx")


class Density(StrEnum, metaclass=_Densities):
    """How dense a rendering is, ordered by how much it shows.

    >>> Density.MINIMAL < Density.COMPACT < Density.FULL
    True
    >>> Density("full") is Density.FULL
    True
    """

    MINIMAL = "minimal"
    """One line where that is possible: counts, and what comes next."""

    COMPACT = "compact"
    """The newest few of each kind, in short."""

    FULL = "full"
    """Everything within the component's usual limit, with details."""

    @classmethod
    def _missing_(cls, value: object) -> Density | None:
        """Look up a name in any case, such as that of the member."""
        named = {each.value: each for each in cls}
        return named.get(value.casefold()) if isinstance(value, str) else None

    @classmethod
    def of(cls, value: DensityLike) -> Density:
        """Return the density that ``value`` names, in any case.

        :raises DensityError: if there is none; the message names the nearest.

        >>> Density.of("compact")
        <Density.COMPACT: 'compact'>
        """
        if type(value) is Density:
            return value
        try:
            return cls(value)
        except ValueError:
            word = _OTHER_WORDS.get(str(value).casefold(), str(value))
            hint = did_you_mean(word, [density.value for density in cls])
            if isinstance(value, int):
                hint = f"tokens are a budget: budget={value}"
            raise DensityError(f"{shown(value)} is not a density; {hint}") from None

    __hash__ = str.__hash__  # Enum's own is Python code, and look-ups are frequent

    @property
    def rank(self) -> int:
        """Its place in the order, from 0."""
        return _RANK[self.value]

    def __lt__(self, other: str) -> bool:
        return self.rank < _rank(other)

    def __le__(self, other: str) -> bool:
        return self.rank <= _rank(other)

    def __gt__(self, other: str) -> bool:
        return self.rank > _rank(other)

    def __ge__(self, other: str) -> bool:
        return self.rank >= _rank(other)


for _each in Density:  # also finds Density.full; as another member it would appear in schemas
    setattr(Density, _each.value, _each)

_OTHER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("green", "verbose", "detailed", "high", "all", "everything"), "full"),
        **dict.fromkeys(("yellow", "medium", "normal", "short", "brief", "summary"), "compact"),
        **dict.fromkeys(("red", "critical", "low", "min", "dense"), "minimal"),
    }
)
"""Other words for a density, which an error answers with its name; levels have the density of the default thresholds.
"""

_RANK: dict[str, int] = {density.value: rank for rank, density in enumerate(Density)}


def _rank(value: str) -> int:
    return _RANK[Density.of(value)]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


DensityLike: TypeAlias = Density | Literal["full", "compact", "minimal"]
"""A density, or its name."""

Layer: TypeAlias = Literal["static", "session", "turn"]
"""The frequency of a component's changes: hardly ever, when the agent acts, or every turn."""


WIDTHS: Mapping[Density, int | None] = MappingProxyType(
    {Density.MINIMAL: 80, Density.COMPACT: 160, Density.FULL: None}
)
"""The characters of an item's text that each density shows; ``None`` for all.

From the token budgets of the HUD's design documents: a decision abbreviated 80 tokens for five, a
task 20 tokens.
"""


@dataclass(frozen=True, slots=True)
class Priority:
    """The priority of a rung over the rungs of others, whatever their cost, with its reason.

    >>> Priority(20, "what the user asked last") < Priority(30, "what is done")
    True
    """

    rank: int
    """Its place in the order of a budget's steps: lower ranks first; of equal ranks, the step with more value per
    token.
    """

    reason: str
    """The reason for the rank, in a few words."""

    def __lt__(self, other: Priority) -> bool:
        return self.rank < other.rank


UNRANKED = Priority(50, "by what it is worth for its tokens")
"""The default priority: steps are ordered by value per token alone."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a ladder: a density, and how many items it shows (``None``: all of them).

    In explanations and previews, the number of items follows a slash; the width of an item's text, in characters,
    follows a tilde.

    >>> print(Rung(Density.COMPACT, 3), Rung(Density.MINIMAL, width=28), Rung(Density.FULL, 10, width=400))
    compact/3 minimal~28 full/10~400
    """

    density: Density
    limit: int | None = None
    only_if_room: bool = False
    """True if only a budget with spare tokens picks it, and never a density alone."""

    inner_density: Density | None = None
    """The density of nested components with ladders, where it is lower."""

    width: int | None = None
    """The most characters of an item's text; ``None`` for the density's own width."""

    worth: Priority = field(default=UNRANKED, compare=False, repr=False)
    """The priority of the step up to it over the steps of other components."""

    detailed_items: int | None = None
    """The number of items shown at its density, chosen as under this limit; the others are shown at the next lower
    density. ``None`` for all, 0 for none.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", Density.of(self.density))
        if self.inner_density is not None:
            object.__setattr__(self, "inner_density", Density.of(self.inner_density))
            if self.inner_density >= self.density:
                raise DefinitionError(
                    f"inner_density= must be shorter than its rung, and {self.inner_density.value} is not shorter than"
                    f" {self.density.value}; leave inside out"
                )
        if self.limit is not None and self.limit < 0:
            raise DefinitionError(f"a rung shows 0 items or more, not {self.limit}")
        if self.detailed_items is not None and self.detailed_items < 0:
            raise DefinitionError(
                f"a rung shows 0 items or more in detail, not {self.detailed_items}"
            )

    def __hash__(self) -> int:  # for fast look-ups: there are thousands
        return hash(self.density) ^ hash(self.limit) ^ hash(self.width)

    def __str__(self) -> str:
        name = self.density.value if self.limit is None else f"{self.density.value}/{self.limit}"
        name = name if self.width is None else f"{name}~{self.width}"
        name = name if self.detailed_items is None else f"{name} ({self.detailed_items} in detail)"
        return name if self.inner_density is None else f"{name} ({self.inner_density.value} inside)"

    def between(self, lower: Rung | None, tokens: int) -> RungsBetween:
        """Return the rungs from ``lower`` to this one, item by item, and then text by text.

        Where this one is denser, items of ``lower`` become denser first, one by one.

        :param tokens: the most that a rung may add to the lower one; rungs that surely add more are left out.
        """
        return RungsBetween(lower, self, tokens)

    def steps_inside(self, below: Density) -> list[Rung]:
        """Return the rungs from ``below`` to this one that differ only in nested components.

        >>> [str(rung) for rung in Rung(Density.FULL, 10).steps_inside(Density.MINIMAL)]
        ['full/10 (minimal inside)', 'full/10 (compact inside)', 'full/10']
        """
        if self.inner_density is not None:
            return [self]
        between = [each for each in Density if below <= each < self.density]
        return [*(replace(self, inner_density=each) for each in between), self]


MOST_IN_DETAIL = 255
"""The most items that get details one by one, where a rung has no number of items; the rest get them at once. It bounds
a binary search to eight steps.
"""

LONGEST_TOKEN = 8
"""The most characters per token, averaged over a long text."""


def longest_text(budget: int) -> int:
    """Return the most characters of one text that are rendered within a token budget.

    It grows in steps, so that renderings with similar budgets share cached parts.

    >>> longest_text(50), longest_text(256), longest_text(257)
    (2048, 2048, 4096)
    """
    return LONGEST_TOKEN * max(256, 1 << (budget - 1).bit_length())


class RungsBetween:
    """The rungs between two of a ladder: each has one more item in detail, then one more item, then one more character
    of each text.

    Each shows at least what those before it show, and less than the upper one.

    >>> between = Rung(Density.FULL, 5).between(Rung(Density.COMPACT, 3), 10)
    >>> [str(between[place]) for place in range(6)]  # doctest: +NORMALIZE_WHITESPACE
    ['full/3~160 (1 in detail)', 'full/3~160 (2 in detail)', 'full/3~160', 'full/4~160', 'full/5~160',
     'full/5~161']
    """

    __slots__ = ("_detailed", "_first", "_items", "_shown", "_texts", "_upper", "_width")

    def __init__(self, lower: Rung | None, upper: Rung, tokens: int) -> None:
        self._upper = upper
        self._shown = shown = 0 if lower is None else lower.limit
        self._width = width = width_of(upper if lower is None else lower)
        is_denser = lower is not None and lower.density < upper.density
        more = max(tokens, 0)
        self._first = self._detailed = self._items = self._texts = 0
        if upper.inner_density is not None:
            return
        if is_denser:
            self._detailed = MOST_IN_DETAIL if shown is None else max(shown - 1, 0)
        if shown is not None:
            self._first = shown + (not is_denser or not shown)
            last = shown + more if upper.limit is None else min(upper.limit, shown + more)
            self._items = max(last - self._first + 1, 0)
        widest = width_of(upper)
        if width is not None and widest != width:
            self._texts = LONGEST_TOKEN * more
            if widest is not None:
                self._texts = max(min(self._texts, widest - width - (self._items > 0)), 0)

    def __len__(self) -> int:
        return self._detailed + self._items + self._texts

    def __getitem__(self, place: int) -> Rung:
        same = self._width == width_of(self._upper)
        width = self._upper.width if same else self._width
        if place < self._detailed:
            return replace(self._upper, limit=self._shown, width=width, detailed_items=place + 1)
        place -= self._detailed
        if place < self._items:
            return replace(self._upper, limit=self._first + place, width=width)
        assert self._width is not None
        return replace(self._upper, width=self._width + place - self._items + (self._items > 0))

    @property
    def listing(self) -> range:
        """The places of those that show one more item each, and nothing more of the others."""
        return range(self._detailed, self._detailed + self._items)

    def place(self, rung: Rung) -> int:
        """Return the place of the last rung that shows no more than one of these or of others; -1 for none."""
        reach, place = (rung.density.rank, *_reach(rung)), -1
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            each = self[middle]
            if (each.density.rank, *_reach(each)) <= reach:
                low = middle + 1
                place = middle
            else:
                high = middle
        return place


def width_of(rung: Rung) -> int | None:
    """Return the characters of an item's text that a rung shows; ``None`` for all."""
    return WIDTHS[rung.density] if rung.width is None else rung.width


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The ladder of a component, its weight, and its limits.

    :param ladder: the rungs, from the least to the most.
    :param weight: the component's value relative to others when tokens are short.
    :param floor: the density below which a budget never goes, or ``None`` when a budget may hide
        the component altogether.
    :param layer: how often the component changes; place components that change every turn last, so that the cached
        prefix survives.
    :param budget: the component's own token budget, the blank line before it included, whatever the tree's budget. Only
        the floor may exceed it. ``None`` for the tree's budget alone.
    :param is_pinned: whether every density shows it in full; a budget may still shorten it.
    :param whole: the rung that shows everything, if the ladder has none. No budget picks it; it only measures the
        savings of omissions.
    :param is_apart: whether the component is outside the tree's budget: always shown, at no cost to others. It takes
        its highest rung that fits the budget by itself, or its lowest.

    >>> ladder = (Rung(Density.MINIMAL), Rung(Density.COMPACT, 3), Rung(Density.FULL, 10))
    >>> str(Disclosure(ladder).at("compact"))
    'compact/3'
    """

    ladder: tuple[Rung, ...] = (Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL))
    weight: float = 1.0
    floor: Density | None = None
    layer: Layer = "session"
    budget: int | None = None
    is_pinned: bool = False
    whole: Rung | None = None
    is_apart: bool = False
    _picked: dict[Density, Rung] = field(init=False, repr=False, compare=False)
    _highest: dict[Density, Rung] = field(init=False, repr=False, compare=False)
    _places: dict[Rung, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given: object = self.ladder
        if not isinstance(given, Iterable):
            raise DefinitionError(
                f"a ladder is a tuple of rungs, not {shown(given)}; write "
                "Disclosure((Rung(…), Rung(…))), from ujsx import Disclosure, Rung"
            )
        object.__setattr__(self, "ladder", tuple(self.ladder))
        if not self.ladder or not all(isinstance(each, Rung) for each in self.ladder):
            raise DefinitionError(
                f"a ladder is made of rungs, at least one, not {shown(self.ladder)}; write "
                'Disclosure((Rung("compact"), Rung("full", 10))), from ujsx import Disclosure, Rung'
            )
        if self.floor is not None:
            object.__setattr__(self, "floor", Density.of(self.floor))
        steps = [
            (rung.density.rank, _reach(rung), (rung.inner_density or rung.density).rank)
            for rung in self.ladder
        ]
        if any(lower >= higher for lower, higher in pairwise(steps)):
            rungs = ", ".join(map(str, self.ladder))
            raise DefinitionError(
                f"a ladder goes up: each rung shows more than the one before it, not {rungs}"
            )
        weight: object = self.weight
        if not (isinstance(weight, int | float) and weight > 0):  # NaN is not above 0 either
            raise DefinitionError(f"a weight is above 0, not {shown(weight)}")
        if self.layer not in get_args(Layer):
            hint = did_you_mean(str(self.layer), get_args(Layer))
            raise DefinitionError(f"{shown(self.layer)} is not a layer; {hint}")
        check_own_budget(self.budget)
        top = self.ladder[-1]
        picked = {each: top if self.is_pinned else self._pick(each) for each in Density}
        highest = {each: top if self.is_pinned else self._within(each)[-1] for each in Density}
        object.__setattr__(self, "_picked", picked)
        object.__setattr__(self, "_highest", highest)
        places = {rung: place for place, rung in enumerate(self.ladder)}
        object.__setattr__(self, "_places", places)

    def at(self, density: DensityLike) -> Rung:
        """Return the rung that ``density`` picks.

        It is the highest rung of that density, or of the next lower density on the ladder. Rungs that need room or have
        no limit are skipped if a lower rung has the same density: only a budget or the author chooses to show
        everything. A pinned component is on its top rung.
        """
        return self._picked[density if type(density) is Density else Density.of(density)]

    def place_of(self, rung: Rung) -> int | None:
        """Return the place of a rung on the ladder, from 0; ``None`` for one that the ladder does not have."""
        return self._places.get(rung)

    def highest(self, density: Density) -> Rung:
        """Return the highest rung of a density, or of the next lower one: the highest that a budget may pick."""
        return self._highest[density]

    @property
    def top(self) -> Rung:
        """The rung that shows everything."""
        return self.ladder[-1] if self.whole is None else self.whole

    @property
    def lowest(self) -> Density | None:
        """The density of the rung that the floor picks; ``None`` without a floor."""
        return None if self.floor is None else self._pick(self.floor).density

    def _within(self, density: Density) -> list[Rung]:
        return [rung for rung in self.ladder if rung.density <= density] or [self.ladder[0]]

    def _pick(self, wanted: Density) -> Rung:
        below = self._within(wanted)
        same = [rung for rung in below if rung.density is below[-1].density]
        usual = [rung for rung in same if not rung.only_if_room] or same
        limited = [rung for rung in usual if rung.limit is not None]
        return (limited or usual)[-1]


def check_own_budget(budget: object) -> None:
    """Refuse a budget that is not a valid number of tokens.

    :raises DefinitionError: with what to write instead.
    """
    if budget is None:
        return
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise DefinitionError(
            f"a component's own budget is a number of tokens above 0, not {shown(budget)}; leave it "
            "out where the budget of the whole tree is enough"
        )


def _reach(rung: Rung) -> tuple[float, float, float]:
    """Return the extent of a rung: its items, its items in detail, and the width of each."""
    width = width_of(rung)
    return (
        math.inf if rung.limit is None else rung.limit,
        math.inf if rung.detailed_items is None else rung.detailed_items,
        math.inf if width is None else width,
    )


# The choice of items in a long list, made so that a growing list is appended to and not rewritten.
#
# A prompt cache holds a prefix: everything after the first changed byte is billed again. A list of only its newest
# items drops the oldest each turn, which rewrites all of it. This one keeps its first items for good, and drops items
# after them in batches.

NEWEST = 5
"""Up to this limit a list shows its newest items only: it is too short to keep the first ones."""

SHORTEST_TAIL = 8
"""The least number of places for the newest items, where the limit has as many."""

TAIL = (3, 8)
"""The share of the limit for the newest items; the rest is for the first ones."""

STEP = (2, 3)
"""Items are dropped in steps of the largest power of two within this share of the tail.

The four figures were chosen on the prefix run (``make bench`` prints it): from a limit of 20 items on they keep at
least nine tenths of the previous bytes, with the fewest omissions.
"""


def elided(count: int, limit: int | None) -> range:
    """Return the range of items to omit, of ``count`` items under a limit.

    The first items of the list and the newest are shown, at most ``limit`` together; when there are too many of the
    newest, several are dropped at once. A list that grows by one item then mostly appends it. The result depends on the
    arguments alone. A larger limit shows everything that a smaller one does; the newest item is always shown, unless
    the limit is 0.

    :param count: how many items there are, oldest first.
    :param limit: how many may be shown; ``None`` for all.
    :raises ValueError: if either is negative.

    >>> elided(6, 8), elided(9, 8), elided(12, 8), elided(13, 8)
    (range(6, 6), range(0, 4), range(0, 4), range(0, 8))
    >>> [elided(count, 20) for count in (21, 24, 25)]
    [range(12, 16), range(12, 16), range(12, 20)]
    >>> items = "abcdefghijkl"
    >>> gap = elided(len(items), 10)
    >>> items[: gap.start], items[gap.stop :]
    ('ab', 'efghijkl')
    """
    if count < 0 or (limit is not None and limit < 0):
        raise ValueError(f"counts and limits are 0 or more, not {count} and {limit}")
    if limit is None or count <= limit:
        return range(count, count)
    if limit == 0:
        return range(count)
    return range(limit - _tail(limit), _start(count, limit))


@lru_cache(maxsize=4096)
def _start(count: int, limit: int) -> int:
    """Return the place where the newest items start.

    Steps of different limits may start at different places. The first start of all limits up to this one is taken, so
    that every item of a smaller limit is shown.
    """
    return min(_own_start(count, each) for each in range(1, limit + 1))


def _own_start(count: int, limit: int) -> int:
    tail = _tail(limit)
    share, whole = STEP
    step = 1 if tail <= NEWEST else 1 << (tail * share // whole).bit_length() - 1
    return -(-(count - tail) // step) * step


def _tail(limit: int) -> int:
    share, whole = TAIL
    return max(min(limit, SHORTEST_TAIL), -(-limit * share // whole))

"""Densities: how much a component shows, the ladder of rungs on which they are steps, and the choice of items in a long list.

A component declares a :class:`Disclosure`: its ladder from the least to the most it can show, and
what it is worth. A density picks one rung for every component alike; a token budget climbs the
ladders of a whole tree step by step.
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
    """The class of densities, which are found by their names in any case: ``Density["compact"]``."""

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
        """Find a name in any case, such as that of the member."""
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
            if hasattr(value, "render") or hasattr(value, "component"):
                hint = "several nodes are a list: render([…, …])"
            if isinstance(value, int):
                hint = f"tokens are a budget: budget={value}"
            raise DensityError(f"{shown(value)} is not a density; {hint}") from None

    __hash__ = str.__hash__  # that of Enum is Python code, and densities are looked up a lot

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


for _each in Density:  # Density.full is found, too; as another member, schemas would list it
    setattr(Density, _each.value, _each)

_OTHER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("green", "verbose", "detailed", "high", "all", "everything"), "full"),
        **dict.fromkeys(("yellow", "medium", "normal", "short", "brief", "summary"), "compact"),
        **dict.fromkeys(("red", "critical", "low", "min", "dense"), "minimal"),
    }
)
"""Words for a density that an error answers with its name; of levels, the density of the usual thresholds."""

_RANK: dict[str, int] = {density.value: rank for rank, density in enumerate(Density)}


def _rank(value: str) -> int:
    return _RANK[Density.of(value)]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


DensityLike: TypeAlias = Density | Literal["full", "compact", "minimal"]
"""A density, or its name."""

Layer: TypeAlias = Literal["static", "session", "turn"]
"""How often a component changes: hardly ever, when the agent acts, or every turn."""


WIDTHS: Mapping[Density, int | None] = MappingProxyType(
    {Density.MINIMAL: 80, Density.COMPACT: 160, Density.FULL: None}
)
"""How many characters of an item's text each density shows; ``None`` for all of them.

From the token budgets of the HUD's design documents: a decision abbreviated 80 tokens for five, a
task 20 tokens.
"""


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of a rung beside the rungs of others, whatever they cost, and why.

    >>> Worth(20, "what the user asked last") < Worth(30, "what is done")
    True
    """

    rank: int
    """Its place in the order in which a budget takes steps: lower ones come first, and of equal ones
    the one that gives more for its tokens."""

    reason: str
    """Why it stands there, in a few words."""

    def __lt__(self, other: Worth) -> bool:
        return self.rank < other.rank


UNRANKED = Worth(50, "by what it is worth for its tokens")
"""What a rung has that says nothing: only what it gives for its tokens counts among its like."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a ladder: a density, and how many items it shows (``None``: all of them).

    As text, in explanations and previews, the number of items follows a slash, and the width of each item's
    text, in characters, a tilde.

    >>> print(Rung(Density.COMPACT, 3), Rung(Density.MINIMAL, width=28), Rung(Density.FULL, 10, width=400))
    compact/3 minimal~28 full/10~400
    """

    density: Density
    limit: int | None = None
    is_spare: bool = False
    """Whether only a budget with tokens to spare climbs to it; a density alone never picks it."""

    inside: Density | None = None
    """The density of what has a ladder inside of the component, where that is lower."""

    width: int | None = None
    """How many characters of an item's text it shows at most; ``None`` where the density says that."""

    worth: Worth = field(default=UNRANKED, compare=False, repr=False)
    """What the step up to it is worth beside the steps of other components."""

    detailed: int | None = None
    """How many of its items it shows at its density: those that this would be the limit of. The
    others are shown at the next lower one. ``None`` for all of them, 0 for none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", Density.of(self.density))
        if self.inside is not None:
            object.__setattr__(self, "inside", Density.of(self.inside))
            if self.inside >= self.density:
                raise DefinitionError(
                    f"inside= must be shorter than its rung, and {self.inside.value} is not shorter than"
                    f" {self.density.value}; leave inside out"
                )
        if self.limit is not None and self.limit < 0:
            raise DefinitionError(f"a rung shows 0 items or more, not {self.limit}")
        if self.detailed is not None and self.detailed < 0:
            raise DefinitionError(f"a rung shows 0 items or more in detail, not {self.detailed}")

    def __hash__(self) -> int:  # rungs are looked up by the thousand
        return hash(self.density) ^ hash(self.limit) ^ hash(self.width)

    def __str__(self) -> str:
        name = self.density.value if self.limit is None else f"{self.density.value}/{self.limit}"
        name = name if self.width is None else f"{name}~{self.width}"
        name = name if self.detailed is None else f"{name} ({self.detailed} in detail)"
        return name if self.inside is None else f"{name} ({self.inside.value} inside)"

    def between(self, lower: Rung | None, tokens: int) -> RungsBetween:
        """Return the rungs from ``lower`` to this one, item by item, and then text by text.

        Where this one is denser, the items that ``lower`` shows come first, one after the other.

        :param tokens: how many a rung may have more than the lower one; those that surely have more
            are not among them.
        """
        return RungsBetween(lower, self, tokens)

    def steps_inside(self, below: Density) -> list[Rung]:
        """Return the rungs from ``below`` to this one on which only what is inside shows more.

        >>> [str(rung) for rung in Rung(Density.FULL, 10).steps_inside(Density.MINIMAL)]
        ['full/10 (minimal inside)', 'full/10 (compact inside)', 'full/10']
        """
        if self.inside is not None:
            return [self]
        between = [each for each in Density if below <= each < self.density]
        return [*(replace(self, inside=each) for each in between), self]


MOST_IN_DETAIL = 255
"""Items of which one after the other is shown in detail, where a rung does not say how many it shows;
after those come all at once. It only bounds a search by halving, to eight looks."""

LONGEST_TOKEN = 8
"""Characters that a token of a text has at most, where many of them stand together."""


def longest_text(budget: int) -> int:
    """Return how many characters of one text are rendered at most within a budget of tokens.

    It grows in steps, so that renderings with budgets of about the same size share their parts.

    >>> longest_text(50), longest_text(256), longest_text(257)
    (2048, 2048, 4096)
    """
    return LONGEST_TOKEN * max(256, 1 << (budget - 1).bit_length())


class RungsBetween:
    """The rungs between two of a ladder: one item more in detail each, then one more item, and then one
    more character of each text.

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
        if upper.inside is not None:
            return
        if is_denser:
            self._detailed = MOST_IN_DETAIL if shown is None else max(shown - 1, 0)
        if shown is not None:
            self._first = shown + (not is_denser or not shown)
            last = shown + more if upper.limit is None else min(upper.limit, shown + more)
            self._items = max(last - self._first + 1, 0)
        if width is not None and width_of(upper) != width:
            self._texts = LONGEST_TOKEN * more

    def __len__(self) -> int:
        return self._detailed + self._items + self._texts

    def __getitem__(self, place: int) -> Rung:
        same = self._width == width_of(self._upper)
        width = self._upper.width if same else self._width
        if place < self._detailed:
            return replace(self._upper, limit=self._shown, width=width, detailed=place + 1)
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
    """Return how many characters of an item's text a rung shows; ``None`` for all."""
    return WIDTHS[rung.density] if rung.width is None else rung.width


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The ladder of a component: what it can show, and what that is worth.

    :param ladder: the rungs, from the least to the most.
    :param weight: what the component is worth beside others when tokens are short.
    :param floor: the density below which a budget never goes, or ``None`` when a budget may hide
        the component altogether.
    :param layer: how often the component changes; what changes every turn belongs at the end,
        where it spoils no cached prefix.
    :param budget: how many tokens the component may have by itself, the blank line before it
        included, however many there are for the whole tree. Rungs that have more are not taken;
        the floor alone may have more. ``None`` where the tree's budget is the only one.
    :param is_pinned: whether it is shown in full at every density; a budget may still shorten it.
    :param whole: the rung that shows everything, if the ladder has no such rung; no budget takes it. It only
        measures what omissions save.
    :param is_apart: whether the component stands outside the tree's budget: what it shows is always shown, and
        costs the other components nothing. It takes its highest rung that by itself fits the budget, or
        its lowest.

    >>> ladder = (Rung(Density.MINIMAL), Rung(Density.COMPACT, 3), Rung(Density.FULL, 10))
    >>> str(Disclosure(ladder).at("compact"))
    'compact/3'
    """

    ladder: tuple[Rung, ...] = (
        Rung(Density.MINIMAL),
        Rung(Density.COMPACT),
        Rung(Density.FULL),
    )
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
                "Disclosure((Rung(…), Rung(…)))"
            )
        object.__setattr__(self, "ladder", tuple(self.ladder))
        if not self.ladder or not all(isinstance(each, Rung) for each in self.ladder):
            raise DefinitionError(
                f"a ladder is made of rungs, at least one, not {shown(self.ladder)}"
            )
        if self.floor is not None:
            object.__setattr__(self, "floor", Density.of(self.floor))
        steps = [
            (rung.density.rank, _reach(rung), (rung.inside or rung.density).rank)
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

        It is the highest rung of that density, or of the next lower one that the ladder has. A
        spare rung is passed over where another stands below it at the same density, and so is one
        without a limit: everything is shown only when a budget or the author says so. One that is
        pinned stands on the top of its ladder.
        """
        return self._picked[density if type(density) is Density else Density.of(density)]

    def place_of(self, rung: Rung) -> int | None:
        """Return the place of a rung on the ladder, from 0; ``None`` for one that the ladder does not have."""
        return self._places.get(rung)

    def highest(self, density: Density) -> Rung:
        """Return the highest rung of a density, or of the next lower one: the most that a budget may choose."""
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
        usual = [rung for rung in same if not rung.is_spare] or same
        limited = [rung for rung in usual if rung.limit is not None]
        return (limited or usual)[-1]


def check_own_budget(budget: object) -> None:
    """Refuse what is no number of tokens that a component could have.

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
    """How many items a rung shows, how many of them in detail, and how much of each."""
    width = width_of(rung)
    return (
        math.inf if rung.limit is None else rung.limit,
        math.inf if rung.detailed is None else rung.detailed,
        math.inf if width is None else width,
    )


# The choice of items in a long list, made so that a growing list appends instead of being rewritten.
#
# A prompt cache holds a prefix: what stands behind the first changed byte is paid for again. A list
# that shows its newest items drops the oldest at every turn, so all of it is rewritten. Here a list
# keeps its first items for good and drops those behind them, some at a time.

NEWEST = 5
"""Up to this limit a list is simply its newest items: there is little to keep, and all of it counts."""

SHORTEST_TAIL = 8
"""How many places the newest items have at least, where the limit has as many."""

TAIL = (3, 8)
"""The share of the limit that is for the newest items; the rest is for the first ones."""

STEP = (2, 3)
"""Items are dropped in steps of the largest power of two within this share of the tail.

The four figures were chosen on the prefix run (``make bench`` prints it): they keep at least nine
tenths of the previous bytes from a limit of 20 items on, with the fewest items left out.
"""


def elided(count: int, limit: int | None) -> range:
    """Return the places of the items to leave out, of ``count`` items under a limit.

    What is shown are the items before that range and those behind it, no more than ``limit``: the
    first ones of the list, and the newest, of which some are dropped at once when there are too many.
    A list that grows by one item then mostly appends it. The same arguments give the same range, a
    larger limit shows everything that a smaller one does, and the newest item is always shown, unless
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
    """Where the newest items start.

    Steps of two limits may stand at different places, so the start is the first of those of all
    limits up to this one: nothing is dropped that a smaller limit shows.
    """
    return min(_own_start(count, each) for each in range(1, limit + 1))


def _own_start(count: int, limit: int) -> int:
    tail = _tail(limit)
    step = _step(tail)
    return -(-(count - tail) // step) * step


def _tail(limit: int) -> int:
    share, whole = TAIL
    return max(min(limit, SHORTEST_TAIL), -(-limit * share // whole))


def _step(tail: int) -> int:
    share, whole = STEP
    return 1 if tail <= NEWEST else 1 << (tail * share // whole).bit_length() - 1

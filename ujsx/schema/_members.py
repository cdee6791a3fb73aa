"""The members of objects as an expression: commas between those that are given, in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ujsx.schema._expressions import (
    NOTHING,
    Expression,
    Text,
    choice,
    optional,
    sequence,
)
from ujsx.schema._json_grammar import SPACE


class Member(NamedTuple):
    """A member of an object: its name as a word and as JSON, its value, and whether it has to be there."""

    name: str
    before: Expression
    value: Expression
    needed: bool


def members_of(
    alternatives: Iterable[Sequence[Member]], share: Callable[[Expression], Expression]
) -> Expression:
    """Return the members of one of several objects; what their ends have in common is said once.

    Behind the first one that is given, each brings its comma along. What comes behind a member that
    may be left out is said twice, so it has a rule of its own.

    :param share: returns the expression, or a rule that stands for it.
    """
    return _Members([*alternatives], share).said()


Rests: TypeAlias = tuple[int, ...]
"""What may be left of several objects behind some of their members: numbers of ends."""


class _Step(NamedTuple):
    """A member that may be given next: with which values, what is left then, and if it is not given."""

    before: Expression
    taken: dict[Expression, Rests]
    left: Rests


class _Members:
    def __init__(
        self, given: Sequence[Sequence[Member]], share: Callable[[Expression], Expression]
    ) -> None:
        self._share = share
        self._places = _places(given)
        self._is_one = max(map(len, given)) < 2
        self._ends: list[tuple[Member, int] | None] = [None]  # a member, and what is left behind it
        self._numbers: dict[tuple[Member, int], int] = {}
        self._given = _in_order(self._end(each) for each in given)
        self._behind: dict[Rests, Expression] = {}

    def _end(self, members: Sequence[Member]) -> int:
        """The number of an end, the same for the same members."""
        number = 0
        for each in reversed(members):
            if (each, number) not in self._numbers:
                self._numbers[each, number] = len(self._ends)
                self._ends.append((each, number))
            number = self._numbers[each, number]
        return number

    def _of(self, number: int) -> list[Member]:
        """The members of an end."""
        found: list[Member] = []
        while (end := self._ends[number]) is not None:
            member, number = end
            found.append(member)
        return found

    def said(self) -> Expression:
        ways = self._first(self._given)
        some = [each for each in ways if each != NOTHING]
        if not some:
            return NOTHING
        return choice(some) if len(some) == len(ways) else optional(choice(some))

    def _first(self, rests: Rests) -> list[Expression]:
        """The ways to go on where none was given yet."""
        step = self._step(rests)
        if step is None:
            return [NOTHING]
        return [self._taken(step), *(self._first(step.left) if step.left else ())]

    def _after(self, rests: Rests) -> Expression:
        """What follows a member, with a comma before each."""
        if rests not in self._behind:
            self._behind[rests] = self._share(self._made(rests))
        return self._behind[rests]

    def _made(self, rests: Rests) -> Expression:
        product = self._product(rests)
        if product is not None:
            return sequence(map(self._after, product))
        step = self._step(rests)
        if step is None:
            return NOTHING
        comma: list[Expression] = [SPACE, Text(",")]
        if [*step.taken.values()] == [step.left]:
            [value] = step.taken
            one = sequence([*comma, self._member(step.before, value)])
            return sequence([optional(one), self._after(step.left)])
        said = sequence([*comma, self._taken(step)])
        if not step.left:
            return said
        rest = self._after(step.left)
        return optional(said) if rest == NOTHING else choice([said, rest])

    def _product(self, rests: Rests) -> tuple[Rests, Rests] | None:
        """What comes first and what last, where each of the first goes with each of the last."""
        if len(rests) < 2:
            return None
        several = [self._of(each) for each in rests]
        for place in sorted({self._places[each.name] for some in several for each in some})[1:]:
            ends = [sum(self._places[each.name] < place for each in some) for some in several]
            halves = [*zip(several, ends, strict=True)]
            first = _in_order(self._end(some[:end]) for some, end in halves)
            last = _in_order(self._end(some[end:]) for some, end in halves)
            if len(first) > 1 and len(first) * len(last) == len(rests):
                return first, last
        return None

    def _taken(self, step: _Step) -> Expression:
        """The member with one of its values, and what may follow then."""
        after = {value: self._after(then) for value, then in step.taken.items()}
        if len(after) == 1:
            [(value, then)] = after.items()
            return sequence([self._member(step.before, value), then])
        either = choice([sequence([value, then]) for value, then in after.items()])
        return sequence([step.before, either])

    def _member(self, before: Expression, value: Expression) -> Expression:
        said = sequence([before, value])
        return said if self._is_one else self._share(said)

    def _step(self, rests: Rests) -> _Step | None:
        """What may be given next, if anything may."""
        ends = [self._ends[each] for each in rests]
        names = {end[0].name for end in ends if end is not None}
        if not names:
            return None
        name = min(names, key=lambda each: (self._places[each], each))
        taken: dict[Expression, list[int]] = {}
        left: list[int] = []
        before: Expression = NOTHING
        for number, end in zip(rests, ends, strict=True):
            if end is None or end[0].name != name:
                left.append(number)
                continue
            member, rest = end
            before = member.before
            taken.setdefault(member.value, []).append(rest)
            if not member.needed:
                left.append(rest)
        values = {value: _in_order(then) for value, then in taken.items()}
        return _Step(before, values, _in_order(left))


def _in_order(numbers: Iterable[int]) -> Rests:
    """Each once, in the same order wherever they come from."""
    return tuple(sorted(set(numbers)))


def _places(alternatives: Sequence[Sequence[Member]]) -> dict[str, int]:
    """The place of each name: behind those that stand before it in any of the objects, if that can be."""
    places: dict[str, int] = {}
    names = [*dict.fromkeys(tuple(each.name for each in members) for members in alternatives)]
    for _ in range(max(map(len, names))):
        for some in names:
            at = -1
            for each in some:
                at = places[each] = max(places.get(each, 0), at + 1)
    return places

"""The members of objects as an expression: commas between those that are given, in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


Rest: TypeAlias = tuple[Member, ...]
"""What is left of an object behind some of its members."""

Rests: TypeAlias = tuple[Rest, ...]
"""What may be left of several objects: each once, in the order in which they were met."""


def members_of(
    alternatives: Iterable[Rest], share: Callable[[Expression], Expression]
) -> Expression:
    """Return the members of one of several objects; what their ends have in common is said once.

    Behind the first one that is given, each brings its comma along. What comes behind a member that
    may be left out is said twice, so it has a rule of its own.

    :param share: returns the expression, or a rule that stands for it.
    """
    return _Members(tuple(dict.fromkeys(alternatives)), share).said()


class _Step(NamedTuple):
    """A member that may be given next: with which values, what is left then, and if it is not given."""

    before: Expression
    taken: dict[Expression, Rests]
    left: Rests


class _Members:
    def __init__(self, given: Rests, share: Callable[[Expression], Expression]) -> None:
        self._given = given
        self._share = share
        self._places = _places(given)
        self._is_one = max(map(len, given)) < 2
        self._met: dict[Rest, int] = {}
        self._behind: dict[Rests, Expression] = {}

    def said(self) -> Expression:
        ways = self._first(self._in_order(self._given))
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
        comma = [SPACE, Text(",")]
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
        for place in sorted({self._places[each.name] for rest in rests for each in rest})[1:]:
            ends = [sum(self._places[each.name] < place for each in rest) for rest in rests]
            first = self._in_order(rest[:end] for rest, end in zip(rests, ends, strict=True))
            last = self._in_order(rest[end:] for rest, end in zip(rests, ends, strict=True))
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
        names = {rest[0].name for rest in rests if rest}
        if not names:
            return None
        name = min(names, key=lambda each: (self._places[each], each))
        taken: dict[Expression, list[Rest]] = {}
        left: list[Rest] = []
        before: Expression = NOTHING
        for rest in rests:
            if not rest or rest[0].name != name:
                left.append(rest)
                continue
            before = rest[0].before
            taken.setdefault(rest[0].value, []).append(rest[1:])
            if not rest[0].needed:
                left.append(rest[1:])
        values = {value: self._in_order(then) for value, then in taken.items()}
        return _Step(before, values, self._in_order(left))

    def _in_order(self, rests: Iterable[Rest]) -> Rests:
        """The same ones in the same order, wherever they come from."""
        several = dict.fromkeys(rests)
        for each in several:
            self._met.setdefault(each, len(self._met))
        return tuple(sorted(several, key=self._met.__getitem__))


def _places(alternatives: Rests) -> dict[str, int]:
    """The place of each name: behind those that stand before it in any of the objects, if that can be."""
    places: dict[str, int] = {}
    for _ in range(max(map(len, alternatives))):
        for rest in alternatives:
            at = -1
            for each in rest:
                at = places[each.name] = max(places.get(each.name, 0), at + 1)
    return places

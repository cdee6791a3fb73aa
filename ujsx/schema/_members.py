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
    """A member of an object: its name, its name and value as JSON, and whether it has to be there."""

    name: str
    said: Expression
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


class _Members:
    def __init__(self, given: Rests, share: Callable[[Expression], Expression]) -> None:
        if max(map(len, given)) > 1:
            given = tuple(
                tuple(each._replace(said=share(each.said)) for each in rest) for rest in given
            )
        self._given = given
        self._share = share
        self._places = _places(given)
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
        taken, left = self._taken(rests)
        ways = [sequence([said, self._after(then)]) for said, then in taken.items()]
        if not taken:
            return [NOTHING]
        return [*ways, *(self._first(left) if left else ())]

    def _after(self, rests: Rests) -> Expression:
        """What follows a member, with a comma before each."""
        if rests not in self._behind:
            self._behind[rests] = self._share(self._made(rests))
        return self._behind[rests]

    def _made(self, rests: Rests) -> Expression:
        taken, left = self._taken(rests)
        if not taken:
            return NOTHING
        if [*taken.values()] == [left]:
            [said] = taken
            return sequence([optional(sequence([SPACE, Text(","), said])), self._after(left)])
        ways = [
            sequence([SPACE, Text(","), said, self._after(then)]) for said, then in taken.items()
        ]
        if not left:
            return choice(ways)
        rest = self._after(left)
        return optional(choice(ways)) if rest == NOTHING else choice([*ways, rest])

    def _taken(self, rests: Rests) -> tuple[dict[Expression, Rests], Rests]:
        """What may be given next, with what is left then, and what is left where it is not given."""
        names = {rest[0].name for rest in rests if rest}
        if not names:
            return {}, rests
        name = min(names, key=lambda each: (self._places[each], each))
        taken: dict[Expression, list[Rest]] = {}
        left: list[Rest] = []
        for rest in rests:
            is_next = bool(rest) and rest[0].name == name
            if is_next:
                taken.setdefault(rest[0].said, []).append(rest[1:])
            if not is_next:
                left.append(rest)
            elif not rest[0].needed:
                left.append(rest[1:])
        return {said: self._in_order(then) for said, then in taken.items()}, self._in_order(left)

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

"""Rules that say the same are one, and what no text can follow is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ujsx.errors import SchemaError
from ujsx.schema._expressions import (
    NOTHING,
    START,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Sequence,
    choice,
    repeat,
    rules_in,
    sequence,
    used,
)


def productive(rules: Rules) -> Rules:
    """Return rules without the alternatives that no text can follow, since they never end.

    :raises SchemaError: if no text follows the start.

    >>> from ujsx.schema._expressions import Text
    >>> a = Sequence((Text("a"), Rule("a")))  # an "a", and the same again
    >>> productive({"root": Choice((Text("b"), Rule("a"))), "a": a})
    {'root': Text(text='b')}
    """
    users: dict[str, list[str]] = {}
    for name, each in rules.items():
        for used_there in rules_in(each):
            users.setdefault(used_there, []).append(name)
    ends: set[str] = set()
    waiting = list(rules)
    while waiting:
        name = waiting.pop()
        if name not in ends and _ends(rules[name], ends):
            ends.add(name)
            waiting += users.get(name, ())
    if START not in ends:
        raise SchemaError("no tree is left: each way leads to another node")
    return {name: _ending(each, ends) for name, each in rules.items() if name in ends}


def _ends(part: Expression, ends: set[str]) -> bool:
    """Whether a text can follow an expression, if it can follow those rules."""
    match part:
        case Rule():
            return part.name in ends
        case Sequence():
            return all(_ends(each, ends) for each in part.parts)
        case Choice():
            return any(_ends(each, ends) for each in part.of)
        case Repeat():
            return part.least == 0 or _ends(part.of, ends)
        case _:
            return True


def _ending(part: Expression, ends: set[str]) -> Expression:
    """The expression without what never ends."""
    match part:
        case Sequence():
            return sequence([_ending(each, ends) for each in part.parts])
        case Choice():
            return choice([_ending(each, ends) for each in part.of if _ends(each, ends)])
        case Repeat() if not _ends(part.of, ends):
            return NOTHING
        case Repeat():
            return repeat(_ending(part.of, ends), part.least, part.most)
        case _:
            return part


def merged(rules: Rules) -> Rules:
    """Return rules of which no two say the same; the first name of several stays.

    Rules are the same if they are as long as the rules that they name are: first all are taken for one,
    and those that differ are set apart until none is left that does.

    >>> from ujsx.schema._expressions import Text
    >>> merged({"root": choice([Rule("a"), Rule("b")]), "a": Text("x"), "b": Text("x")})
    {'root': Rule(name='a'), 'a': Text(text='x')}
    """
    rules = used(rules)
    shapes: dict[Expression, int] = {}
    refs: dict[str, tuple[str, ...]] = {}
    group: dict[str, int] = {}
    for name, each in rules.items():
        refs[name] = tuple(rules_in(each))
        group[name] = shapes.setdefault(_renamed(each, {}), len(shapes))
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        finer = {
            name: numbers.setdefault(
                (group[name], *(group[each] for each in refs[name])), len(numbers)
            )
            for name in rules
        }
        if len(numbers) == len(set(group.values())):
            break
        group = finer
    first: dict[int, str] = {}
    for name in rules:
        first.setdefault(group[name], name)
    names = {name: first[group[name]] for name in rules}
    return {name: _renamed(rules[name], names) for name in first.values()}


def _renamed(part: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with other names of rules; none has one where no names are given."""
    match part:
        case Rule():
            return Rule(names.get(part.name, ""))
        case Sequence():
            return Sequence(tuple(_renamed(each, names) for each in part.parts))
        case Choice():
            several = tuple(_renamed(each, names) for each in part.of)
            return choice(several) if names else Choice(several)
        case Repeat():
            return replace(part, of=_renamed(part.of, names))
        case _:
            return part

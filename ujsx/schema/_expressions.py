"""What grammars are made of: expressions, and rules that name them.

The same expressions are written in two notations: see ``_grammar_texts``. Patterns are read into them,
too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of ranges, or out of all others."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """What may come several times; without an upper bound if ``most`` is ``None``."""

    of: Expression
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    of: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule of that name says."""

    name: str


Expression: TypeAlias = Text | Rule | Chars | Repeat | Sequence | Choice

NOTHING = Sequence(())
"""The empty text."""

START = "root"
"""The rule that a whole text follows."""

Rules: TypeAlias = dict[str, Expression]
"""The rules of a grammar by name; :data:`START` is among them."""


def sequence(parts: Iterable[Expression]) -> Expression:
    """Return one after the other; texts that follow each other are one.

    >>> sequence([Text("a"), Text("b")])
    Text(text='ab')
    """
    joined: list[Expression] = []
    for part in parts:
        if isinstance(part, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + part.text)
        elif isinstance(part, Sequence):
            joined += part.parts
        elif part != Text(""):
            joined.append(part)
    return joined[0] if len(joined) == 1 else Sequence(tuple(joined))


def choice(parts: Iterable[Expression]) -> Expression:
    """Return one of several, each once."""
    several = tuple(dict.fromkeys(parts))
    return several[0] if len(several) == 1 else Choice(several)


def repeat(part: Expression, least: int, most: int | None) -> Expression:
    """Return what may come several times."""
    if most == 0:
        return NOTHING
    return part if (least, most) == (1, 1) else Repeat(part, least, most)


def optional(part: Expression) -> Expression:
    """Return what may be left out."""
    return repeat(part, 0, 1)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly inside one."""
    if isinstance(expression, Sequence):
        return expression.parts
    if isinstance(expression, Choice):
        return expression.of
    return (expression.of,) if isinstance(expression, Repeat) else ()


def rules_in(expression: Expression) -> Iterator[str]:
    """Yield the names of the rules that an expression refers to."""
    if isinstance(expression, Rule):
        yield expression.name
    for part in parts_of(expression):
        yield from rules_in(part)


def used(rules: Rules) -> Rules:
    """Return the rules that lead from the start, in the order in which they are met."""
    waiting, found = [START], dict[str, Expression]()
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = rules[name]
            waiting += rules_in(rules[name])
    return found


def between(low: str, high: str) -> Chars:
    """Return one character of a range."""
    return Chars(((low, high),))


DIGIT = between("0", "9")


def whole_number(least: int | None, most: int | None, digits: int = 18) -> Expression:
    """Return the whole numbers between two bounds, as JSON writes them.

    :param digits: how many digits a number without a bound has at most.

    >>> whole_number(3, 12)
    Choice(of=(Chars(ranges=(('3', '9'),), negated=False), Sequence(parts=(Text(text='1'), Chars(ranges=(('0', '2'),), negated=False)))))
    """
    limit = 10**digits - 1
    low = -limit if least is None else least
    high = limit if most is None else most
    found: list[Expression] = []
    if low < 0:
        below = _up_to(max(1, -high), -low)
        found.append(sequence([Text("-"), below]))
    if high >= 0:
        found.append(_up_to(max(0, low), high))
    return choice(found)


def _up_to(low: int, high: int) -> Expression:
    """Numbers without a sign, by how many digits they have."""
    parts: list[Expression] = []
    while low <= high:
        end = min(high, 10 ** len(str(low)) - 1)
        parts.append(_digits(str(low), str(end)))
        low = end + 1
    return choice(parts)


def _digits(low: str, high: str) -> Expression:
    """Numbers of as many digits as both bounds have."""
    if low == high:
        return Text(low)
    if len(low) == 1:
        return between(low, high)
    rest = len(low) - 1
    if low[0] == high[0]:
        return sequence([Text(low[0]), _digits(low[1:], high[1:])])
    first, last = low[0], high[0]
    parts: list[Expression] = []
    if low[1:].strip("0"):
        parts.append(sequence([Text(first), _digits(low[1:], "9" * rest)]))
        first = chr(ord(first) + 1)
    ends = bool(high[1:].strip("9"))
    until = chr(ord(last) - ends)
    if first <= until:
        head: Expression = Text(first) if first == until else between(first, until)
        parts.append(sequence([head, repeat(DIGIT, rest, rest)]))
    if ends:
        parts.append(sequence([Text(last), _digits("0" * rest, high[1:])]))
    return choice(parts)

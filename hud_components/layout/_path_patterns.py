"""The paths that lead somewhere, as patterns: what a grammar of layouts offers.

A path is followed along classes. What may stand at its end is one of finitely many kinds of values,
also where an item holds another of its own class, so the paths to what a component can use are a
regular language. What it can use, its own check is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import Any, Literal, NamedTuple, TypeAlias

from hud_components.layout._bound import literals
from hud_components.layout._each import Each
from hud_components.layout._paths import ITEM, Kinds, steps_from
from hud_components.layout._value import Value
from hud_components.layout._when import When
from ujsx.schema import Schema


class Compared(NamedTuple):
    """What a value can be compared with."""

    texts: tuple[str, ...] | None
    """The texts that it may be; any where ``None``."""

    has_numbers: bool
    has_order: bool


class Items(NamedTuple):
    """A list, by what its items may be."""

    kinds: Kinds


Use: TypeAlias = "Literal['named', 'shown'] | Compared | Items"
"""What a component does with a value: asks whether it is there, shows it, compares it, takes its items."""

_NOT_COMPARED = Compared(texts=(), has_numbers=False, has_order=False)


@lru_cache(maxsize=4096)
def uses_of(kinds: Kinds) -> tuple[Use, ...]:
    """Return what can be done with a value of some kinds: that of which no component complains.

    >>> uses_of((str,))
    ('named', 'shown', Compared(texts=None, has_numbers=False, has_order=False))
    """
    return tuple(_uses_of(kinds))


def _uses_of(kinds: Kinds) -> Iterator[Use]:
    yield "named"
    if _is_right(Value(of=ITEM), kinds):
        yield "shown"
    each = Each(of=ITEM)
    if _is_right(each, kinds):
        yield Items(each.inner_scopes((kinds,))[0])
    known = literals(kinds)
    texts = tuple(
        text for text in known or ["a"] if _is_right(When(field=ITEM, equals=text), kinds)
    )
    compared = Compared(
        texts=None if texts and not known else texts,
        has_numbers=_is_right(When(field=ITEM, equals=0), kinds),
        has_order=_is_right(When(field=ITEM, above=0), kinds),
    )
    if compared != _NOT_COMPARED:
        yield compared


def _is_right(component: Any, kinds: Kinds) -> bool:
    return not any(component.bindings((kinds,)))


@lru_cache(maxsize=4096)
def uses_in(scopes: tuple[Kinds, ...]) -> tuple[Use, ...]:
    """Return what can be done with what paths lead to that begin in those scopes, each once."""
    found = {scopes[0]: None}
    waiting = [kinds for scope in _scopes(scopes) for kinds in scope.targets()]
    while waiting:
        kinds = waiting.pop(0)
        if kinds not in found:
            found[kinds] = None
            waiting += _Scope(kinds).targets()
    return tuple(dict.fromkeys(use for kinds in found for use in uses_of(kinds)))


@lru_cache(maxsize=4096)
def paths(scopes: tuple[Kinds, ...], use: Use) -> Schema:
    """Return the schema of the paths that begin in those scopes, and lead to what has a use.

    >>> from hud_components import Task
    >>> paths(((Task,),), Compared(None, has_numbers=False, has_order=False))
    {'type': 'string', 'pattern': '^(description|goal)$'}
    """
    found = [r"^\.$"] if use in uses_of(scopes[0]) else []
    found += (f"^{each}$" for scope in _scopes(scopes) if (each := _pattern(scope, use)))
    several: list[Schema] = [{"type": "string", "pattern": each} for each in found]
    return several[0] if len(several) == 1 else {"anyOf": several}


class _Scope(NamedTuple):
    """Where a path begins."""

    kinds: Kinds
    hidden: frozenset[str] = frozenset()
    """Names that a path cannot begin with here: a scope further in has them, for something else."""

    taken: frozenset[str] = frozenset()
    """All names that a scope further in has."""

    def steps(self) -> dict[str, Kinds]:
        """What stands behind the names that are known."""
        return {
            name: kinds for name, kinds in steps_from(self.kinds).items() if name not in self.hidden
        }

    def targets(self) -> list[Kinds]:
        """What may stand behind a name."""
        return [*self.steps().values(), *([_UNKNOWN] if Any in self.kinds else [])]

    def names(self) -> dict[Kinds, list[str]]:
        """The names, as patterns, by what stands behind them."""
        found: dict[Kinds, list[str]] = {}
        for name, kinds in self.steps().items():
            found.setdefault(kinds, []).append(name)
        if Any in self.kinds:
            others = _others({*steps_from(self.kinds), *self.taken})
            found.setdefault(_UNKNOWN, []).extend(others)
        return found


_UNKNOWN: Kinds = (Any,)


def _scopes(scopes: tuple[Kinds, ...]) -> Iterator[_Scope]:
    """Yield the scopes; behind one that may have any name, none is looked at."""
    taken: dict[str, Kinds] = {}
    for kinds in scopes:
        steps = steps_from(kinds)
        hidden = frozenset(name for name in steps if taken.get(name, steps[name]) != steps[name])
        yield _Scope(kinds, hidden, frozenset(taken))
        if Any in kinds:
            return
        taken = {**steps, **taken}


# --- Regular expressions ---------------------------------------------------------------

_LETTERS = ascii_letters
_MORE = ascii_letters + digits + "_"


@lru_cache(maxsize=4096)
def _pattern(scope: _Scope, use: Use) -> str:
    """The paths that begin in a scope and have a use, as a regular expression; empty if there is none.

    What may follow a name is an equation in what may follow the names behind it: each is solved in
    turn, innermost first, where ``x = a·x | b`` is ``a*·b``.
    """
    solved: dict[Kinds, _Sum] = {}

    def solve(kinds: Kinds, around: tuple[Kinds, ...]) -> None:
        if kinds in solved or kinds in around:
            return
        following = _Scope(kinds).names()
        for each in following:
            solve(each, (*around, kinds))
        terms = [(each, rf"\.{_group(names)}") for each, names in following.items()]
        solved[kinds] = _without(kinds, _sum([""] if use in uses_of(kinds) else [], terms, solved))

    names = scope.names()
    for kinds in names:
        solve(kinds, ())
    whole = _sum([], [(kinds, _group(each)) for kinds, each in names.items()], solved)
    return _group(whole.ends) if whole.ends else ""


class _Sum(NamedTuple):
    """What may follow a name: one of some texts, or a text and what may follow another name."""

    ends: list[str]
    terms: dict[Kinds, list[str]]


def _sum(ends: list[str], terms: Iterable[tuple[Kinds, str]], solved: Mapping[Kinds, _Sum]) -> _Sum:
    """The sum, with what is solved put in its place."""
    found = _Sum([*ends], {})
    waiting = [*terms]
    while waiting:
        kinds, before = waiting.pop(0)
        known = solved.get(kinds)
        if known is None:
            found.terms.setdefault(kinds, []).append(before)
            continue
        if known.ends:
            found.ends.append(before + _group(known.ends))
        waiting += ((each, before + _group(texts)) for each, texts in known.terms.items())
    return found


def _without(kinds: Kinds, whole: _Sum) -> _Sum:
    """The sum without a term of its own."""
    loop = whole.terms.pop(kinds, None)
    if loop is None:
        return whole
    again = f"({'|'.join(loop)})*"
    return _Sum(
        [again + _group(whole.ends)] if whole.ends else [],
        {each: [again + _group(texts)] for each, texts in whole.terms.items()},
    )


def _group(texts: Sequence[str]) -> str:
    """One of several."""
    some = list(dict.fromkeys(each for each in texts if each))
    if len(some) == len(set(texts)):
        return some[0] if len(some) == 1 else f"({'|'.join(some)})"
    return f"({'|'.join(some)})?" if some else ""


def _others(names: set[str]) -> list[str]:
    """All names but some: those that go another way behind a beginning of one, or end there."""
    found: list[str] = []
    beginnings = {name[:end] for name in names for end in range(len(name) + 1)} | {""}
    for beginning in sorted(beginnings):
        if beginning and beginning not in names:
            found.append(beginning)
        on = {
            name[len(beginning)]
            for name in names
            if name.startswith(beginning) and name != beginning
        }
        marks = "".join(mark for mark in (_MORE if beginning else _LETTERS) if mark not in on)
        if marks:
            found.append(f"{beginning}[{marks}][A-Za-z0-9_]*")
    return found

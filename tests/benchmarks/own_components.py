"""Rendering components of a user's own: lists of 100 items, cold and kept, beside Jinja2.

Written as the README writes them: a class with a ``render`` that makes a section, a list, and an
``Item`` for each row; rows of ``ForEach``; five function components, one in the other. Making the
component, which checks its props, is part of what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import TypeAlias

from tests.benchmarks._peers import names_with_jinja, pairs_with_jinja, pairs_with_macros
from tests.benchmarks._sample import PROFILES, names, pairs
from tests.benchmarks._timing import Asked, Run, answers
from ujsx import Child, Children, Component, ForEach, RenderContext, Renderer, Template, component
from ujsx.elements import Item, List, Section, code, strong

ITEMS = 100
MANY = 32
"""How many lists there are that differ in one row."""

Pairs: TypeAlias = tuple[tuple[str, str], ...]


class FailingTests(Component):
    """The README's own."""

    names: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Failing tests")[List()[(Item()[code(name)] for name in self.names)]]


class Findings(Component):
    """What was found, and why it matters."""

    rows: Pairs

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Findings")[
            List()[(Item()[strong(what), " — ", why] for what, why in self.rows)]
        ]


class FindingRows(Component):
    """The same, of rows."""

    rows: Pairs

    def render(self, ctx: RenderContext, children: Children) -> Child:
        rows = tuple((_LINE, what, why) for what, why in self.rows)
        return Section(title="Findings")[List()[ForEach(rows=rows)]]


_LINE = Template("**{what}** — {why}")


@component
def Bold(ctx: RenderContext, children: Children, *, text: str) -> Child:
    """The innermost of five components."""
    return strong(text)


@component
def Label(ctx: RenderContext, children: Children, *, what: str) -> Child:
    """What was found."""
    return Bold(text=what)


@component
def Line(ctx: RenderContext, children: Children, *, what: str, why: str) -> Child:
    """What was found, and why it matters, in a line."""
    return [Label(what=what), " — ", why]


@component
def Row(ctx: RenderContext, children: Children, *, what: str, why: str) -> Child:
    """The line as an item."""
    return Item()[Line(what=what, why=why)]


@component
def Finding(ctx: RenderContext, children: Children, *, what: str, why: str) -> Child:
    """The outermost of five components."""
    return Row(what=what, why=why)


class NestedFindings(Component):
    """The same, of five components for each."""

    rows: Pairs

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Findings")[
            List()[(Finding(what=what, why=why) for what, why in self.rows)]
        ]


KINDS: dict[str, Callable[[Pairs], Component]] = {
    'Item()[strong(a), " — ", b]': lambda rows: Findings(rows=rows),
    "rows of ForEach": lambda rows: FindingRows(rows=rows),
    "five nested @components": lambda rows: NestedFindings(rows=rows),
}
"""Ways to write the same list."""

ITEM, ROWS, NESTED = KINDS


def cold(kind: str, rows: Pairs) -> str:
    """Return a list as a renderer makes it that knows nothing."""
    return Renderer().render(KINDS[kind](rows)).text


def cold_names(shown: tuple[str, ...]) -> str:
    """Return the README's own component likewise."""
    return Renderer().render(FailingTests(names=shown)).text


def print_beside_jinja() -> None:
    """Print what an item costs, to one of a template that escapes as much."""
    written: list[Asked] = []
    nested: list[Asked] = []
    for profile, most in zip(PROFILES, (3, 3, 6), strict=True):
        shown, rows = names(profile, ITEMS), pairs(profile, ITEMS)
        text = pairs_with_jinja(rows)
        assert cold_names(shown) == names_with_jinja(shown), profile
        assert all(cold(kind, rows) == text for kind in KINDS), profile
        assert pairs_with_macros(rows) == text, profile
        jinja, macros = partial(pairs_with_jinja, rows), partial(pairs_with_macros, rows)
        of_names = partial(names_with_jinja, shown)
        written += [
            Asked(
                f"the README's own, Item()[code(a)], {profile}",
                partial(cold_names, shown),
                of_names,
                most,
                ITEMS,
            ),
            Asked(f"{ITEM}, {profile}", partial(cold, ITEM, rows), jinja, most, ITEMS),
            Asked(f"{ROWS}, {profile}", partial(cold, ROWS, rows), jinja, None, ITEMS),
        ]
        nested += [
            Asked(f"to a template, {profile}", partial(cold, NESTED, rows), jinja, 8, ITEMS),
            Asked(f"to five macros, {profile}", partial(cold, NESTED, rows), macros, None, ITEMS),
        ]
    print(answers("A list of one's own, an item, to Jinja2 with the same escaping", written))
    print(answers("Five nested @components, an item, to Jinja2 with the same escaping", nested))


def print_one_that_ends_otherwise() -> None:
    """Print what it costs all items that one of them ends in a parenthesis."""
    rows = pairs("plain", ITEMS)
    what, why = rows[50]
    ends: dict[str, Pairs] = {
        "its strong text": (*rows[:50], (f"{what} (new)", why), *rows[51:]),
        "its line": (*rows[:50], (what, f"{why} (new)"), *rows[51:]),
    }
    questions = [
        Asked(
            f"{where} ends in ), {kind}",
            partial(cold, kind, with_one),
            partial(cold, kind, rows),
            1.2,
            ITEMS,
        )
        for kind in (ITEM, ROWS)
        for where, with_one in ends.items()
    ]
    print(answers(f"One item of {ITEMS} that ends otherwise, to the same without it", questions))


def print_one_changed() -> None:
    """Print what a turn costs in which one row changed, to rendering all of them."""
    rows = pairs("plain", ITEMS)
    what, why = rows[50]
    lists = [(*rows[:50], (what, f"{why}, {n}"), *rows[51:]) for n in range(MANY)]
    for kind in KINDS:
        kept, anew = _kept(kind, lists), _anew(kind, lists)
        assert all(kept() == anew() for _ in range(3)), kind
    questions = [Asked(kind, _kept(kind, lists), _anew(kind, lists), 0.2) for kind in KINDS]
    print(answers(f"One row of {ITEMS} changed, with a renderer that is kept, to cold", questions))


def _kept(kind: str, lists: Sequence[Pairs]) -> Run:
    kept, turns = Renderer(), count()
    return lambda: kept.render(KINDS[kind](lists[next(turns) % MANY])).text


def _anew(kind: str, lists: Sequence[Pairs]) -> Run:
    turns = count()
    return lambda: cold(kind, lists[next(turns) % MANY])


def main() -> None:
    """Measure and print."""
    print_beside_jinja()
    print_one_that_ends_otherwise()
    print_one_changed()


if __name__ == "__main__":
    main()

"""Rendering components of a user's own: lists of 100 items, cold and kept, beside Jinja2.

Written as the README writes them: a class with a ``render`` that makes a section, a list, and an
``Item`` for each row; rows of ``ForEach``; five function components, one in the other. Making the
component, which checks its props, is part of what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
Make: TypeAlias = Callable[[Pairs], Component]


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


def cold(node: Component) -> str:
    """Return a component as a renderer makes it that knows nothing."""
    return Renderer().render(node).text


def print_beside_jinja() -> None:
    """Print what an item costs, to one of a template that escapes as much."""
    most = dict(zip(PROFILES, (3, 3, 6), strict=True))
    questions: list[Asked] = []
    nested: list[Asked] = []
    for profile in PROFILES:
        shown, rows = names(profile, ITEMS), pairs(profile, ITEMS)
        text = pairs_with_jinja(rows)
        assert cold(FailingTests(names=shown)) == names_with_jinja(shown), profile
        for make in (Findings, FindingRows, NestedFindings):
            assert cold(make(rows=rows)) == text, (make, profile)
        assert pairs_with_macros(rows) == text

        def of_names(shown: tuple[str, ...] = shown) -> str:
            return cold(FailingTests(names=shown))

        def of_items(rows: Pairs = rows) -> str:
            return cold(Findings(rows=rows))

        def of_rows(rows: Pairs = rows) -> str:
            return cold(FindingRows(rows=rows))

        def of_five(rows: Pairs = rows) -> str:
            return cold(NestedFindings(rows=rows))

        def jinja_names(shown: tuple[str, ...] = shown) -> str:
            return names_with_jinja(shown)

        def jinja(rows: Pairs = rows) -> str:
            return pairs_with_jinja(rows)

        def macros(rows: Pairs = rows) -> str:
            return pairs_with_macros(rows)

        questions += [
            Asked(f"Item()[code(a)], {profile}", of_names, jinja_names, most[profile], ITEMS),
            Asked(f'Item()[strong(a), " — ", b], {profile}', of_items, jinja, most[profile], ITEMS),
            Asked(f"rows of ForEach, {profile}", of_rows, jinja, None, ITEMS),
        ]
        nested += [
            Asked(f"to a template, {profile}", of_five, jinja, 8, ITEMS),
            Asked(f"to five macros, {profile}", of_five, macros, None, ITEMS),
        ]
    print(answers("A list of one's own, an item, to Jinja2 with the same escaping", questions))
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
            lambda m=make, r=changed: cold(m(rows=r)),  # type: ignore[misc]
            lambda m=make: cold(m(rows=rows)),  # type: ignore[misc]
            1.2,
            ITEMS,
        )
        for kind, make in (("Item()s", Findings), ("rows of ForEach", FindingRows))
        for where, changed in ends.items()
    ]
    print(answers(f"One item of {ITEMS} that ends otherwise, to the same without it", questions))


def print_one_changed() -> None:
    """Print what a turn costs in which one row changed, to rendering all of them."""
    rows = pairs("plain", ITEMS)
    what, why = rows[50]
    lists = [(*rows[:50], (what, f"{why}, {n}"), *rows[51:]) for n in range(MANY)]
    kinds: dict[str, Make] = {
        "rows of ForEach": lambda rows: FindingRows(rows=rows),
        "nested components": lambda rows: NestedFindings(rows=rows),
        "Item()s": lambda rows: Findings(rows=rows),
    }
    questions = [
        Asked(kind, _kept(make, lists), _anew(make, lists), 0.2) for kind, make in kinds.items()
    ]
    print(answers(f"One row of {ITEMS} changed, with a renderer that is kept, to cold", questions))


def _kept(make: Make, lists: Sequence[Pairs]) -> Run:
    kept, turns = Renderer(), count()
    return lambda: kept.render(make(lists[next(turns) % MANY])).text


def _anew(make: Make, lists: Sequence[Pairs]) -> Run:
    turns = count()
    return lambda: cold(make(lists[next(turns) % MANY]))


def main() -> None:
    """Measure and print."""
    print_beside_jinja()
    print_one_that_ends_otherwise()
    print_one_changed()


if __name__ == "__main__":
    main()

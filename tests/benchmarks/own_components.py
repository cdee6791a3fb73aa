"""Components as users write them, beside templates that give the same bytes: cold, again, one changed, one more.

Making the component, which checks its props and makes its nodes, is part of what is measured. The
built-in HUD is beside its own peers in ``hud_rendering``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

from tests.benchmarks import _peers
from tests.benchmarks._peers import Row, Rows, with_jinja
from tests.benchmarks._sample import PROFILES, Profile, names, pairs
from tests.benchmarks._timing import Asked, Run, answers, medians, table
from ujsx import Child, Children, Component, Disclosure, ForEach, RenderContext, Renderer
from ujsx.elements import (
    Item,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    code,
    link,
    strong,
)

MANY = 32
"""How many renderings there are that differ in one row."""


class Rowed(Component):
    """What has rows of texts."""

    rows: tuple[Row, ...]


class FailingTests(Rowed):
    """A list of names in code."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Failing tests")[List()[(Item()[code(n)] for _, _, n in self.rows)]]


class Findings(Rowed):
    """A table."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        head = ("What", "Why", "File", "Done")
        return Table()[
            TableRow()[(TableCell()[each] for each in head)],
            (TableRow()[(TableCell()[text] for text in (*row, "yes"))] for row in self.rows),
        ]


class FindingsByRow(Rowed):
    """The same, of which a renderer that is kept asks for new rows alone."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Table()[_row(("What", "Why", "File"), "Done"), ForEach(rows=self.rows, each=_row)]


def _row(row: Row, done: str = "yes") -> Child:
    return TableRow()[(TableCell()[text] for text in (*row, done))]


class Card(Component):
    """A card, which holds others."""

    title: str
    text: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title=self.title)[Paragraph()[self.text], children]


class Board(Rowed):
    """Cards in cards, four deep."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Board")[map(_nested, batched_by(self.rows, 4))]


def _nested(rows: Rows) -> Child:
    (what, why, _), *inner = rows
    return Card(title=what, text=why)[_nested(inner) if inner else None]


class Report(Rowed):
    """Paragraphs with marks and links."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Report")[map(_paragraph, self.rows)]


class ReportByRow(Rowed):
    """The same, of which a renderer that is kept asks for new paragraphs alone."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Report")[ForEach(rows=self.rows, each=_paragraph)]


def _paragraph(row: Row) -> Child:
    what, why, _ = row
    return Paragraph()[strong(what), f" — {why} See ", link(what, "https://example.org/s"), "."]


class Form(Rowed):
    """Boxes to tick."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Form")[
            List()[
                (
                    Item(checked=place % 2 == 0)[code(name), ": ", why]
                    for place, (_, why, name) in enumerate(self.rows)
                )
            ]
        ]


class Changelog(Rowed):
    """Versions with what is new in each."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Changelog")[
            (
                Section(title=f"1.{place}")[
                    List()[(Item()[strong(what), " — ", why] for what, why, _ in version)]
                ]
                for place, version in enumerate(batched_by(self.rows, 5))
            )
        ]


class Files(Rowed):
    """A tree of files: lists in the items of a list."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Files")[
            List()[
                (
                    Item()[folder[0][0], List()[(Item()[code(name)] for _, _, name in folder)]]
                    for folder in batched_by(self.rows, 5)
                )
            ]
        ]


class Agreed(Rowed):
    """A section of a HUD, which shows less at a lower density."""

    disclosure = Disclosure()

    def render(self, ctx: RenderContext, children: Children) -> Child:
        rows = self.rows[: ctx.limit]
        return Section(title="Agreed")[
            List()[(Item()[strong(what), " — ", why] for what, why, _ in rows)]
        ]


class Touched(Rowed):
    """Another one."""

    disclosure = Disclosure()

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Touched")[List()[(Item()[code(n)] for _, _, n in self.rows)]]


class OwnHud(Rowed):
    """A HUD of a user's own."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        half = len(self.rows) // 2
        return Section(title="HUD")[Agreed(rows=self.rows[:half]), Touched(rows=self.rows[half:])]


def batched_by(rows: Rows, size: int) -> Iterator[Rows]:
    """Yield rows in groups."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


class Case(NamedTuple):
    """A component, and how many rows it has."""

    component: Callable[..., Component]
    template: str
    rows: int
    most: float | None = None
    """What it is to take at most, to Jinja2, with plain texts."""


CASES: dict[str, Case] = {
    "names, 100": Case(FailingTests, "names", 100, 2),
    "names, 3": Case(FailingTests, "names", 3, 4),
    "table, 200 × 4": Case(Findings, "table", 200, 3),
    "cards, four deep": Case(Board, "cards", 40, 5),
    "report, 50 paragraphs": Case(Report, "report", 50, 3),
    "table of ForEach": Case(FindingsByRow, "table", 200, 3),
    "report of ForEach": Case(ReportByRow, "report", 50, 3),
    "form, 20 boxes": Case(Form, "form", 20),
    "changelog, 50 items": Case(Changelog, "changelog", 50),
    "files, 50 in folders": Case(Files, "files", 50),
    "a HUD of one's own": Case(OwnHud, "hud", 40),
}


def rows_of(profile: Profile, count: int) -> tuple[Row, ...]:
    """Return rows of a profile of text."""
    shown = zip(pairs(profile, count), names(profile, count), strict=True)
    return tuple([(what, why, name) for (what, why), name in shown])


def cold(case: Case, rows: Rows) -> str:
    """Return a component as a renderer makes it that knows nothing."""
    return Renderer().render(case.component(rows=rows)).text


def print_cold() -> None:
    """Print what each costs, to a template that escapes as much."""
    for profile in PROFILES:
        questions: list[Asked] = []
        for name, case in CASES.items():
            rows, template = rows_of(profile, case.rows), with_jinja(case.template)
            text = cold(case, rows)
            assert text == template(rows), (name, profile)
            jinja, most = partial(template, rows), case.most
            questions.append(Asked(name, partial(cold, case, rows), jinja, most, case.rows))
        title = f"Components of one's own, {profile}: a row, to Jinja2 with the same escaping"
        print(answers(title, questions))


def print_kept() -> None:
    """Print what a renderer that is kept takes for a turn, to one that knows nothing."""
    for what, turned, most in (
        ("equal again", _again, 0.1),
        ("one row changed", _changed, 0.1),
        ("one row more", _appended, 0.1),
    ):
        questions: list[Asked] = []
        for name, case in CASES.items():
            turns = turned(rows_of("plain", case.rows))
            kept, anew = _kept(case, turns), _anew(case, turns)
            assert all(kept() == anew() for _ in range(3)), name
            questions.append(Asked(name, _kept(case, turns), _anew(case, turns), most))
        print(answers(f"A renderer that is kept, {what}, to cold", questions))


def _again(rows: Rows) -> Sequence[Rows]:
    return [tuple([(f"{what}", why, name) for what, why, name in rows]) for _ in range(2)]


def _changed(rows: Rows) -> Sequence[Rows]:
    middle = len(rows) // 2
    what, why, name = rows[middle]
    return [
        (*rows[:middle], (what, f"{why}, {n}", f"{name}{n}"), *rows[middle + 1 :])
        for n in range(MANY)
    ]


def _appended(rows: Rows) -> Sequence[Rows]:
    return [(*rows, *rows[:n]) for n in range(2)]


def _kept(case: Case, turns: Sequence[Rows]) -> Run:
    kept, turn = Renderer(), count()
    return lambda: kept.render(case.component(rows=turns[next(turn) % len(turns)])).text


def _anew(case: Case, turns: Sequence[Rows]) -> Run:
    turn = count()
    return lambda: cold(case, turns[next(turn) % len(turns)])


def print_beside_others() -> None:
    """Print what others take who give other bytes, or are no library."""
    for name, others in (
        ("names, 100", ("names_with_f_string", "names_with_htpy", "names_with_promptmodel")),
        ("table, 200 × 4", ("table_with_f_string", "table_with_htpy")),
    ):
        case = CASES[name]
        rows = rows_of("plain", case.rows)
        times: dict[str, Run] = {"ujsx, cold": partial(cold, case, rows)}
        times["Jinja2"] = partial(with_jinja(case.template), rows)
        times |= {other: partial(getattr(_peers, other), rows) for other in others}
        print(table(f"{name}, plain", medians(times), others[0], "Jinja2"))


def main() -> None:
    """Measure and print."""
    print_cold()
    print_kept()
    print_beside_others()


if __name__ == "__main__":
    main()

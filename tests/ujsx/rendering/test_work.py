"""What a row of a user's own component costs, and a turn in which one row changed, in lines of Python.

Counts, not times (:mod:`tests.work`); the times are in ``python -m tests.benchmarks.own_components``. A bound is a
little above what is needed today: less is better, more needs a reason.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ids import looped
from tests.work import lines_run
from ujsx import Child, Children, Component, Disclosure, ForEach, RenderContext, Renderer
from ujsx.calls import Answering
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

Texts = tuple[str, ...]


class Names(Component):
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return List()[(Item()[code(text)] for text in self.texts)]


class Rows(Component):
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Table()[(_row(text) for text in self.texts)]


class RowsOfForEach(Component):
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Table()[ForEach(rows=self.texts, each=_row)]


class Paragraphs(Component):
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [Paragraph()[strong(text), ": see ", link(text, "u"), "."] for text in self.texts]


class Sections(Component):
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [Section(title=text)[Paragraph()[text]] for text in self.texts]


class Decisions(Component):
    disclosure = Disclosure()
    texts: Texts

    def render(self, ctx: RenderContext, children: Children) -> Child:
        texts = self.texts[: ctx.limit]
        return List()[(Item()[strong(text), " — ", text] for text in texts)]


def _row(text: str) -> Child:
    return TableRow()[[TableCell()[text]] * 4]


Made = Callable[[Texts], Component]


def _texts(count: int) -> Texts:
    return tuple([f"The ledger worker, part {n}" for n in range(count)])


def _cold(kind: Made, count: int) -> int:
    tree = kind(_texts(count))
    Renderer().render(tree)
    return lines_run(lambda: Renderer().render(tree).text)


@looped(
    ("kind", "most"),
    [
        pytest.param(lambda texts: Names(texts=texts), 180, id="an item with code"),
        pytest.param(lambda texts: Rows(texts=texts), 480, id="a row of four cells"),
        pytest.param(lambda texts: Paragraphs(texts=texts), 660, id="a paragraph with a link"),
        pytest.param(lambda texts: Sections(texts=texts), 370, id="a section"),
        pytest.param(lambda texts: Decisions(texts=texts), 420, id="an item with two texts"),
    ],
)
def test_a_row_costs_so_many_lines(kind: Made, most: int) -> None:
    few, many = _cold(kind, 20), _cold(kind, 40)
    assert (many - few) / 20 <= most


@looped(
    ("kind", "most"),
    [
        pytest.param(lambda texts: Names(texts=texts), 0.5, id="an item with code"),
        pytest.param(lambda texts: Rows(texts=texts), 0.5, id="a row of four cells"),
        pytest.param(lambda texts: RowsOfForEach(texts=texts), 0.25, id="a row of ForEach"),
        pytest.param(lambda texts: Paragraphs(texts=texts), 0.45, id="a paragraph with a link"),
    ],
)
def test_one_that_changed_costs_a_part_of_all(kind: Made, most: float) -> None:
    before = _texts(40)
    after = (*before[:20], "another", *before[21:])
    kept = Renderer()
    for texts in (before, after, before):
        kept.render(kind(texts))
    turn = lines_run(lambda: kept.render(kind(after)).text)
    assert turn <= most * lines_run(lambda: Renderer().render(kind(after)).text)


@pytest.mark.parametrize("kind", [Names, Rows, RowsOfForEach, Paragraphs, Sections, Decisions])
@pytest.mark.parametrize("budget", [None, 100])
def test_no_node_is_asked_for_what_it_lacks(
    kind: type[Component], budget: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def missing(node: object, name: str) -> object:
        asked.append(name)
        raise AttributeError(name)

    tree = kind(texts=_texts(40))
    monkeypatch.setattr(Answering, "__getattr__", missing)  # the answer takes microseconds
    assert Renderer().render(tree, budget=budget).text
    assert asked == []

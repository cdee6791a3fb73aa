"""One block that needs its canonical form costs that block: what stands beside it is written as it is.

Work is counted in lines of Python (:mod:`tests.work`), so that no other work on the machine changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from msgspec.structs import replace

from tests.ids import looped
from tests.work import lines_run
from ujsx import Child, Children, Component, Element, RenderContext, Renderer, mdast
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Definition,
    FootnoteReference,
    FrontMatter,
    Html,
    Item,
    LineBreak,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    code,
    em,
    link,
    strong,
)

MOST = 1.3
"""What one odd block may add to the work of a tree of some hundred nodes."""

ODD: dict[str, Child] = {
    "an empty list": List(),
    "an empty paragraph": Paragraph(),
    "code with CRLF": CodeBlock(value="a\r\nb"),
    "code with meta alone": CodeBlock(value="a", meta="b"),
    "a table without align": Table()[TableRow()[TableCell()["a"], TableCell()["b"]]],
    "a table with an empty row": Table()[TableRow()[TableCell()["a"]], TableRow()],
    "an empty mark": Paragraph()[strong("")],
    "empty code": Paragraph()["a ", code("")],
    "a break at the end": Paragraph()["a", LineBreak()],
    "marks that meet": Paragraph()[em(em("a")), em("b")],
    "HTML with no end": Html(value="<div><!-- a"),
    "a definition of nothing": Definition(identifier="", url="x"),
    "a mark that leads nowhere": Paragraph()["a", FootnoteReference(identifier="a b")],
    "front matter elsewhere": FrontMatter(value="a: 1"),
    "a quote of nothing": BlockQuote()[List()],
    "HTML of nothing": Html(value=""),
    "HTML that is words": Html(value="a b"),
    "a table of nothing": Table()[TableRow()],
    "a paragraph of a break": Paragraph()[LineBreak()],
}

Host = Callable[[Sequence[Child]], Child]


def _paragraphs(inside: Sequence[Child]) -> Child:
    before = [Paragraph()[strong(f"word {n}"), " and more, ", code("x")] for n in range(20)]
    return [*before, *inside, *before]


def _items(inside: Sequence[Child]) -> Child:
    items = [Item()[strong(f"word {n}"), " — ", "more of it"] for n in range(25)]
    return List()[items, Item()["a", *inside], items]


def _nested(inside: Sequence[Child]) -> Child:
    return List()[Item()["a", BlockQuote()["b", _items(inside)]], Item()["c"]]


def _first(inside: Sequence[Child]) -> Child:
    return List()[Item()["a", *inside, _items([])], Item()["c"]]


def _at_an_edge(inside: Sequence[Child]) -> Child:
    items = [Item()[strong(f"word {n}"), " — ", "more of it"] for n in range(40)]
    return List()[Item()["a", List()[Item()[inside], items, Item()[inside]]], Item()["c"]]


def _table(inside: Sequence[Child]) -> Child:
    rows = [TableRow()[[TableCell()["a ", link(f"b {n}", "u")]] * 3] for n in range(15)]
    return [Table(align=(None,) * 3)[rows], *inside, Table(align=(None,) * 3)[rows]]


HOSTS: list[Host] = [_paragraphs, _items, _nested, _first, _at_an_edge, _table]


def _work(tree: Child) -> int:
    Renderer().render(tree)
    return lines_run(lambda: Renderer().render(tree).text)


@cache
def _plain_work(host: Host) -> int:
    return _work(_beside(host, "plain"))


def _beside(host: Host, block: Child) -> Child:
    return Section(title="All")[host([block])]


@looped("host", HOSTS)
@looped("odd", ODD)
def test_any_tree_with_an_odd_block_costs_little_more(odd: str, host: Host) -> None:
    assert _work(_beside(host, ODD[odd])) <= MOST * _plain_work(host)


@pytest.mark.parametrize("odd", ODD)
def test_it_is_written_as_when_all_is_made_canonical(odd: str) -> None:
    for host in HOSTS:
        tree = _beside(host, ODD[odd])
        root = mdast.from_markdown(Renderer().render(tree).text)
        assert root == mdast.normalize(root)
        assert Renderer().render(tree).text == mdast.to_markdown(_canonical(tree))


def _canonical(tree: Element[Section]) -> mdast.Root:
    return mdast.normalize(Renderer().to_mdast(tree))


def test_a_table_needs_no_align() -> None:
    def tree(*align: None) -> Child:
        return Table(align=align)[[TableRow()[[TableCell()["a b"]] * 3]] * 40]

    assert _work(tree()) <= 1.05 * _work(tree(None, None, None))


def _levels(odd: Child, depth: int) -> Child:
    tree: Child = List()[Item()["a"]]
    for _ in range(depth):
        tree = List()[Item()["a", odd, tree]]
    return tree


@looped("odd", ODD)
def test_one_on_each_level_costs_each_level_once_more(odd: str) -> None:
    assert _work(_levels(ODD[odd], 16)) <= 2.6 * _work(_levels(ODD[odd], 8))


@looped("odd", ODD)
def test_many_cost_no_more_than_each(odd: str) -> None:
    assert _work([Paragraph()["a"], ODD[odd]] * 40) <= 2.3 * _work(
        [Paragraph()["a"], ODD[odd]] * 20
    )


class Trusted(Component):
    """What trusts its texts, beside what does not."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        return replace(ctx, trusts_text=True)


def test_a_text_is_trusted_where_it_stands() -> None:
    odd = Paragraph()["<|im_", strong(""), "start|>"]
    assert Renderer().render([Trusted()[odd], odd]).text == "<|im_start|>\n\n⟦U+003C⟧|im_start|>\n"


def test_a_box_needs_words_even_where_a_paragraph_without_any_stands_first() -> None:
    rows = Table()[TableRow()[TableCell()["a"]]]
    assert (
        Renderer().render(List()[Item(checked=True)[Paragraph(), rows]]).text
        == "- | a |\n  | - |\n"
    )


def test_a_definition_of_nothing_gives_no_brackets_a_meaning() -> None:
    odd = [Definition(identifier="", url="u"), Paragraph()["[ ] a"]]
    assert Renderer().render(odd).text == "[ ] a\n"

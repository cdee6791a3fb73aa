"""What a tree becomes depends on the tree, the context and the options, and on nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import example, given
from hypothesis import strategies as st

from tests.strategies import blocks, documents
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    ForEach,
    RenderContext,
    Renderer,
    Rung,
    Template,
    component,
    dump,
    fragment,
    registry,
)
from ujsx.elements import (
    Emphasis,
    InlineCode,
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Strong,
    code,
    em,
    strong,
)
from ujsx.mdast import Writer


class Plain(Component):
    """An owner without a ladder."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


class OnALadder(Plain):
    """An owner that a budget could choose a rung for."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))


class Frame(Plain):
    """An owner whose children are rendered one by one."""


class Providing(Plain):
    """An owner that gives what it holds a context of its own."""

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_value(self)


@component
def Function(ctx: RenderContext, children: Children) -> Child:
    return children


class Unrelated(Component):
    """A primitive that no tree has."""


OWNERS: list[Callable[[Child], Child]] = [
    fragment,
    lambda tree: [[tree]],
    lambda tree: Plain()[tree],
    lambda tree: OnALadder()[tree],
    lambda tree: Frame()[tree],
    lambda tree: Frame()[OnALadder()[tree]],
    lambda tree: Providing()[tree],
    lambda tree: Function()[tree],  # type: ignore[index]
    lambda tree: Function()[Plain()[Function()[tree]]],  # type: ignore[index]
]
"""Who may own a tree, without any part in it."""


def text_of(tree: Child, **options: Any) -> str:
    return Renderer(**options).render(tree).text


def copied() -> Any:
    return registry.copy()


def with_an_unrelated_rule() -> Any:
    mine = registry.copy()
    mine.rule("ujsx -> mdast", Unrelated)(lambda element, transform: [])
    mine.rule("unrelated -> mdast", str)(lambda node, transform: [])
    return mine


SAID: dict[str, Any] = {
    name: getattr(Writer().options, name) for name in Writer().options.__struct_fields__
}
"""Every option of Markdown, with its default."""

FORMS = [strong, em, code, lambda text: text]
TEXTS = [
    "two words",
    "rate: 2*3",
    "f(x)",
    "done.",
    "x_y_z",
    "[a](b)",
    "a\nb",
    " c ",
    "é—",
    "🚀",
    "<b>",
    "",
    "1. a",
    "https://a.b",
]


@st.composite
def rows(draw: st.DrawFn) -> Element:
    """A list of items of few shapes, with texts of all kinds."""
    shapes = draw(st.lists(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), min_size=1))
    texts = st.sampled_from(TEXTS)
    items = [
        Item()[[form(draw(texts)) for form in draw(st.sampled_from(shapes))]]
        for _ in range(draw(st.integers(1, 6)))
    ]
    return List()[items]


trees = st.one_of(documents(), rows(), st.lists(blocks(), max_size=3).map(lambda b: fragment(*b)))


class TestOwners:
    @given(tree=trees, owner=st.sampled_from(OWNERS))
    @example(tree=Paragraph()["rate: ", "2*3"], owner=OWNERS[3])
    @example(tree=Paragraph()["rate: ", "2*3"], owner=OWNERS[7])
    def test_have_no_part_in_what_a_tree_becomes(
        self, tree: Element, owner: Callable[[Child], Child]
    ) -> None:
        assert text_of(owner(tree)) == text_of(tree)

    @given(tree=trees, owner=st.sampled_from(OWNERS))
    def test_nor_within_a_section(self, tree: Element, owner: Callable[[Child], Child]) -> None:
        assert text_of(Section(title="s")[owner(tree)]) == text_of(Section(title="s")[tree])


class TestOptions:
    @given(tree=trees, name=st.sampled_from(sorted(SAID)))
    def test_a_default_that_is_said_aloud_changes_nothing(self, tree: Element, name: str) -> None:
        assert text_of(tree, **{name: SAID[name]}) == text_of(tree)

    @given(tree=trees)
    def test_nor_do_all_of_them(self, tree: Element) -> None:
        assert text_of(tree, **SAID) == text_of(tree)


class TestRules:
    @given(tree=trees, make=st.sampled_from([copied, with_an_unrelated_rule]))
    def test_of_others_have_no_part(self, tree: Element, make: Callable[[], Any]) -> None:
        assert text_of(tree, registry=make()) == text_of(tree)

    @given(tree=trees, place=st.integers(0, 8))
    def test_that_say_the_same_one_at_a_time_change_nothing(
        self, tree: Element, place: int
    ) -> None:
        mine = registry.copy()
        cls = (str, Strong, Emphasis, InlineCode, Item, List, Paragraph, Section, Omitted)[place]
        usual = registry.find("ujsx -> mdast", cls)

        @mine.rule("ujsx -> mdast", cls)
        def same(node: Any, transform: Any) -> Any:
            return usual(node, transform)

        assert text_of(tree, registry=mine) == text_of(tree)


class TestBefore:
    @given(first=trees, second=trees, owner=st.sampled_from(OWNERS))
    def test_what_was_rendered_before_has_no_part(
        self, first: Element, second: Element, owner: Callable[[Child], Child]
    ) -> None:
        kept = Renderer()
        for tree in (first, [first, second], second, [second, first], owner(first), first):
            assert kept.render(tree).text == text_of(tree)

    @given(tree=rows(), changes=st.lists(st.tuples(st.integers(0, 9), st.sampled_from(TEXTS))))
    def test_nor_has_what_changed_one_by_one(
        self, tree: Element, changes: list[tuple[int, str]]
    ) -> None:
        kept = Renderer()
        items = [Plain()[item] for item in tree.children]
        for place, text in changes:
            items[place % len(items)] = Plain()[Item()[strong(text), "."]]
            layout = OnALadder()[Section(title="s")[List()[items]]]
            assert kept.render(layout).text == text_of(layout)

    @given(
        turns=st.lists(
            st.lists(st.tuples(st.sampled_from(FORMS), st.sampled_from(TEXTS)), max_size=6),
            max_size=5,
        )
    )
    def test_nor_have_items_that_come_and_go(self, turns: list[list[tuple[Any, str]]]) -> None:
        kept = Renderer()
        for turn in turns:
            first, second = turn[:2], turn[2:]
            tree = OnALadder()[
                List()[[Item()[form(text), " — ", text] for form, text in first]],
                Section(title="s")[List()[[Item()[form(text)] for form, text in second]]],
            ]
            assert kept.render(tree).text == text_of(tree)

    def test_nor_has_the_place_of_an_equal_component(self) -> None:
        kept, more = Renderer(), More()
        for text in ("a", "b", "c"):
            tree = OnALadder()[List()[Item()[text], more], "or ", more, Paragraph()[text, more]]
            assert kept.render(tree).text == text_of(tree)


class More(Component):
    """What is an item in a list, and stands in a line elsewhere."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Omitted(count=3)


class Number(Component):
    """A component whose prop may be equal to another that shows otherwise."""

    value: int | bool | float

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return f"{self.value!r}"


class TestEqualValues:
    @given(st.lists(st.lists(st.sampled_from([1, True, 1.0, 0, False, 0.0, -0.0]), max_size=3)))
    def test_that_show_otherwise_are_not_taken_for_each_other(self, turns: list[list[Any]]) -> None:
        kept = Renderer()
        for values in turns:
            items = [Item()[Number(value=value)] for value in values]
            tree = OnALadder()[Section(title="s")[List()[items]], Number(value=1)]
            assert kept.render(tree).text == text_of(tree)


class TestRowsAndItems:
    @given(texts=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)), max_size=5))
    def test_are_written_alike(self, texts: list[tuple[str, str]]) -> None:
        line = Template("**{a}** — {b}")
        made = ForEach(rows=tuple((line, *each) for each in texts))
        items = [Item()[strong(a), f" — {b}"] for a, b in texts]
        assert text_of(List()[made]) == text_of(List()[items])

    @given(texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=9))
    def test_are_written_as_if_each_stood_alone(self, texts: list[str]) -> None:
        alone = [text_of(List()[Item()[strong(text), ": ", text]]) for text in texts]
        assert text_of(List()[[Item()[strong(text), ": ", text] for text in texts]]) == "".join(
            alone
        )


class TestProcesses:
    def test_of_another_kind_write_the_same(self) -> None:
        tree = List()[[Item()[strong(text), " ", code(text or "-"), text] for text in TEXTS]]
        program = (
            "import json, sys; from ujsx import load, render; "
            "sys.stdout.write(json.dumps(render(load(json.load(sys.stdin)))))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(dump(tree)),
            env={"PYTHONHASHSEED": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == text_of(tree)

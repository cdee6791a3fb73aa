"""One call: ``render``, ``render_document``, ``to_mdast`` and ``from_mdast``."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from tests.strategies import Aside, Ladder, Titled, Whisper, blocks, documents
from ujsx import (
    Child,
    Density,
    DensityError,
    Element,
    Fragment,
    MdastError,
    RenderContext,
    fragment,
    from_mdast,
    mdast,
    render,
    render_document,
    to_mdast,
)
from ujsx.elements import (
    Heading,
    Html,
    Item,
    LineBreak,
    List,
    Omitted,
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
from ujsx.testing import assert_inert

densities = st.sampled_from(Density)

PARTS: list[Child] = [
    "text",
    " ",
    strong("s"),
    code("\n"),
    Whisper(text="loud"),
    Whisper(text=""),
    Ladder(),
    Ladder(words=("a",)),
    Aside()["x"],
    Titled(title="t")["x"],
    Html(value="<i>"),
    Paragraph()[code("\n"), "p"],
]
"""What may stand beside each other in a document, whole or in pieces of a rendering."""

BROKEN: list[Child] = [
    LineBreak(),
    strong(LineBreak()),
    ("a", strong(LineBreak(), "b"), "c"),
    ("a", strong("b", LineBreak()), "c"),
    link(em("a", strong(LineBreak(), "b")), "u"),
    link([em(strong("a", LineBreak())), LineBreak()], "u"),
]
"""Breaks at the edges of marks."""


def assert_markdown_of(text: str, root: mdast.Root) -> None:
    """Assert that ``text`` is ``root``'s Markdown, or its canonical form's if it has none."""
    try:
        assert text == mdast.to_markdown(root)
    except MdastError:
        assert mdast.from_markdown(text) == mdast.normalize(root)


class TestRender:
    @given(tree=documents(), density=densities)
    def test_ends_in_one_newline_or_is_empty(self, tree: Element, density: Density) -> None:
        text = render(tree, density=density)
        assert text == "" or (text.endswith("\n") and not text.endswith("\n\n"))

    @given(tree=documents(), density=densities)
    def test_is_the_markdown_of_the_mdast(self, tree: Element, density: Density) -> None:
        root = to_mdast(tree, RenderContext(density=density))
        assert_markdown_of(render(tree, density=density), root)

    @pytest.mark.filterwarnings("ignore::ujsx.errors.BudgetWarning")
    @given(tree=documents(), budget=st.integers(0, 200), density=densities | st.none())
    def test_with_a_budget_is_the_text_of_the_document(
        self, tree: Element, budget: int, density: Density | None
    ) -> None:
        document = render_document(tree, density=density, budget=budget)
        assert render(tree, density=density, budget=budget) == document.text

    def test_without_a_density_has_that_of_the_context(self) -> None:
        node, context = Ladder(words=("a", "b")), RenderContext(density=Density.MINIMAL)
        assert render(node, context=context) == render(node, density="minimal")
        assert render(node) == render(node, density="full")

    @given(parts=st.lists(st.sampled_from(PARTS), max_size=5))
    def test_is_that_markdown_where_inline_parts_meet(self, parts: list[Child]) -> None:
        for tree in (parts, Section(title="a")[parts]):
            assert_markdown_of(render(tree), to_mdast(tree))

    @given(tree=documents(), density=densities)
    def test_is_read_back_as_the_tree_that_was_meant(self, tree: Element, density: Density) -> None:
        assert_inert(tree, RenderContext(density=density))

    @given(tree=documents())
    def test_gives_the_same_bytes_for_the_same_tree(self, tree: Element) -> None:
        assert render(tree) == render(tree)

    @looped(
        "nothing", [None, False, [], "", " \n", Fragment(), Paragraph(), fragment(None), List()]
    )
    def test_of_nothing_is_nothing(self, nothing: Child) -> None:
        assert render(nothing) == ""

    def test_takes_any_child(self) -> None:
        assert (
            render("a") == render(["a"]) == render(iter(["a"])) == render(Paragraph()["a"]) == "a\n"
        )

    def test_takes_density_by_name(self) -> None:
        assert render(Ladder(words=("a", "b")), density="minimal") == "*… 2 more*\n"
        assert render(Ladder(words=("a", "b")), density=Density.FULL).endswith("- a\n- b\n")

    def test_an_unknown_density_is_an_error(self) -> None:
        bad: Any = "tiny"
        with pytest.raises(DensityError):
            render("a", density=bad)

    def test_goes_before_the_contexts_density(self) -> None:
        tree = Whisper(text="loud")
        context = RenderContext(density=Density.MINIMAL)
        assert render(tree, context=context) == "…\n"
        assert render(tree, density="full", context=context) == "loud\n"

    def test_takes_fixed_texts_from_the_context(self) -> None:
        context = RenderContext(texts={"omitted": "noch {count}", "omitted.handle": " → "})
        assert render(Omitted(count=3), context=context) == "*noch 3*\n"
        assert render(Omitted(count=3, handle="show()"), context=context) == "*noch 3 → `show()`*\n"

    def test_does_not_depend_on_the_order_of_hashes(self) -> None:
        """Law 5: same input, same bytes, in every process."""
        code = (
            "from tests.strategies import Ladder; from ujsx import render;"
            "print(render([Ladder(words=tuple('abcdef')) for _ in range(3)]))"
        )
        environ = {"PYTHONHASHSEED": "1", "PYTHONPATH": ".", "PYTHONUTF8": "1"}
        there = subprocess.check_output([sys.executable, "-c", code], env=environ, text=True)
        assert there == render([Ladder(words=tuple("abcdef")) for _ in range(3)]) + "\n"


class TestRenderDocument:
    @given(tree=documents(), density=densities)
    def test_has_the_text_of_render(self, tree: Element, density: Density) -> None:
        assert render_document(tree, density=density).text == render(tree, density=density)

    def test_takes_the_contexts_density(self) -> None:
        context = RenderContext(density=Density.MINIMAL)
        assert render_document(Whisper(text="loud"), context=context).text == "…\n"

    def test_is_its_text_as_text(self) -> None:
        assert str(render_document("a")) == "a\n"


class TestToMdast:
    def test_is_a_root(self) -> None:
        assert to_mdast(strong("x")) == mdast.Root(
            (mdast.Paragraph((mdast.Strong((mdast.Text("x"),)),)),)
        )

    def test_of_nothing_is_an_empty_root(self) -> None:
        assert to_mdast(None) == to_mdast(fragment()) == mdast.Root()

    def test_takes_a_context(self) -> None:
        tree = Ladder(words=("a",))
        (block, *_) = to_mdast(tree, RenderContext(depth=2)).children
        assert block == mdast.Heading(3, (mdast.Text("Words"),))


class TestFromMdast:
    def test_is_a_fragment(self) -> None:
        root = mdast.from_markdown("# a\n\n- b\n")
        assert type(from_mdast(root).component) is Fragment

    @given(tree=documents())
    def test_renders_what_was_rendered(self, tree: Element) -> None:
        text = render(tree)
        assert render(from_mdast(mdast.from_markdown(text))) == text

    @looped("broken", BROKEN)
    @looped("depth", [0, 1, 3])
    def test_renders_what_was_rendered_of_breaks_where_no_line_ends(
        self, broken: Child, depth: int
    ) -> None:
        in_cell = Table()[TableRow()[TableCell()[broken]]]
        text = render(Heading(depth=depth)[broken] if depth else in_cell)
        assert render(from_mdast(mdast.from_markdown(text))) == text


class TestSections:
    @given(nodes=st.lists(blocks(), max_size=3))
    def test_of_a_list_is_that_of_a_fragment(self, nodes: list[Child]) -> None:
        assert render(nodes) == render(fragment(*nodes))

    def test_nest(self) -> None:
        tree = Section(title="a")["x", Section(title="b")[List()[Item()["y"]]], "z"]
        assert render(tree) == "# a\n\nx\n\n## b\n\n- y\n\nz\n"

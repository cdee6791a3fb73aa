"""Headings and what follows them as sections: which open one, and that nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conformance._corpora import readmes
from tests.conformance._sources import sources
from tests.ids import looped
from tests.strategies import documents
from ujsx import (
    Component,
    Element,
    Node,
    RenderContext,
    UjsxError,
    dump,
    fragment,
    from_mdast,
    load,
    mdast,
    registry,
    render,
    to_mdast,
)
from ujsx.components import MAX_DEPTH
from ujsx.elements import BlockQuote, Heading, Item, List, Paragraph, Section, ThematicBreak, em
from ujsx.mdast import from_markdown
from ujsx.testing.strategies import canonical_roots, texts
from ujsx.text import one_line


def flat(root: mdast.Root) -> Element:
    """The tree with each heading as it is."""
    return fragment(*(registry.transform("mdast -> ujsx", child) for child in root.children))


def read(markdown: str) -> tuple[Node, ...]:
    return from_mdast(from_markdown(markdown)).children


def h(depth: int, *line: Any) -> Element:
    return Heading(depth=depth)[line]


def s(title: str, *blocks: Any) -> Element:
    return Section(title=title)[blocks]


def p(text: str) -> Element:
    return Paragraph()[text]


RULES: dict[str, tuple[str, list[Node]]] = {
    "it takes what follows": ("# A\n\nx\n\ny", [s("A", p("x"), p("y"))]),
    "it may be empty": ("# A", [s("A")]),
    "the next one of its depth ends it": ("# A\n\nx\n\n# B\n\ny", [s("A", p("x")), s("B", p("y"))]),
    "a higher one ends all below": (
        "# A\n\n## B\n\n### C\n\n# D\n\nx",
        [s("A", s("B", s("C"))), s("D", p("x"))],
    ),
    "a lower one stands in it": ("# A\n\n## B\n\nx\n\n## C", [s("A", s("B", p("x")), s("C"))]),
    "what stands before stays": ("x\n\n# A", [p("x"), s("A")]),
    "six at most": (
        "# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n\n###### 6\n\n###### 7",
        [s("1", s("2", s("3", s("4", s("5", s("6"), s("7"))))))],
    ),
    "not where a depth is skipped": ("# A\n\n### B\n\nx", [s("A", h(3, "B"), p("x"))]),
    "again behind a skipped one": (
        "# A\n\n### B\n\nx\n\n## C\n\ny",
        [s("A", h(3, "B"), p("x"), s("C", p("y")))],
    ),
    "not where a document starts deeper": (
        "## A\n\n### B\n\n# C\n\n## D",
        [h(2, "A"), h(3, "B"), s("C", s("D"))],
    ),
    "not of formatted content, which ends what it would": (
        "# A\n\n## B\n\n## *C*\n\nx\n\n### D\n\n# *E*\n\ny\n\n## F",
        [
            s("A", s("B"), h(2, em("C")), p("x"), h(3, "D")),
            h(1, em("E")),
            p("y"),
            h(2, "F"),
        ],
    ),
    "not of text and more": ("# a `b`", [h(1, "a ", read("`b`")[0].children[0])]),  # type: ignore[union-attr]
    "not of several lines": ("a\nb\n=\n\nx", [h(1, "a\nb"), p("x")]),
    "not of nothing": ("# A\n\n#\n\nx", [s("A"), h(1), p("x")]),
    "not in a quote, which ends nothing": (
        "# A\n\n> # B\n>\n> x\n\ny",
        [s("A", BlockQuote()[h(1, "B"), p("x")], p("y"))],
    ),
    "not in an item": ("- # A\n\n  x", [List()[Item(spread=True)[h(1, "A"), p("x")]]]),
    "not where white space would go": ("# &nbsp;A", [h(1, "\u00a0A")]),
    "not where a line end would go": ("# a⟦U+2028⟧b", [h(1, "a\u2028b")]),
    "of what its text means": ("# a⟦U+200B⟧ \\*b\\*", [s("a\u200b *b*")]),
}


@looped("rule", RULES)
def test_a_heading_opens_a_section(rule: str) -> None:
    markdown, expected = RULES[rule]
    assert [*read(markdown)] == expected
    assert render(expected) == mdast.to_markdown(from_markdown(markdown))


def test_front_matter_definitions_and_footnotes_stay_where_they_stand() -> None:
    front, first, second = read(
        "---\na: b\n---\n\n# A\n\n[a]\n\n[a]: b\n\n## B\n\nx[^n]\n\n[^n]: # C\n\n# D\n"
    )
    assert type(front).__name__ == "FrontMatter"
    assert isinstance(first, Element)
    assert [
        type(each.component).__name__ for each in first.children if isinstance(each, Element)
    ] == ["Paragraph", "Section"]
    assert [type(each).__name__ for each in first.children] == ["Element", "Definition", "Element"]
    assert second == Section(title="D")


class TestPlace:
    """Where the tree stands is the context's: so many sections are open already."""

    def test_counts_the_sections_around(self) -> None:
        root = from_markdown("# A\n\n## B\n\nx\n\n### C\n\n# D\n\ny")
        assert from_mdast(root, RenderContext(depth=1)).children == (
            h(1, "A"), s("B", p("x"), s("C")), h(1, "D"), p("y"),
        )  # fmt: skip

    def test_below_six_sections_there_are_none(self) -> None:
        root = from_markdown("###### A\n\nx")
        assert from_mdast(root, RenderContext(depth=5)).children == (s("A", p("x")),)
        assert from_mdast(root, RenderContext(depth=6)).children == (h(6, "A"), p("x"))

    @given(root=canonical_roots(), depth=st.integers(0, 7))
    def test_is_kept(self, root: mdast.Root, depth: int) -> None:
        context = RenderContext(depth=depth)
        assert to_mdast(from_mdast(root, context), context) == to_mdast(flat(root))


class TestRulesOfOnesOwn:
    def test_a_heading_of_ones_own_opens_nothing(self) -> None:
        class Banner(Heading):
            """A heading that is drawn otherwise."""

        mine = registry.copy()
        mine.rule("mdast -> ujsx", mdast.Heading)(lambda node, transform: Banner()["x"])
        root = from_markdown("# A\n\nx")
        assert mine.transform("mdast -> ujsx", root).children == (Banner()["x"], p("x"))

    def test_a_keyed_heading_keeps_its_key(self) -> None:
        keyed = h(1, "A").keyed("a")
        mine = registry.copy()
        mine.rule("mdast -> ujsx", mdast.Heading)(lambda node, transform: keyed)
        root = from_markdown("# A\n\nx")
        assert mine.transform("mdast -> ujsx", root).children == (keyed, p("x"))

    def test_a_component_in_a_heading_stays_in_it(self) -> None:
        class Word(Component):
            def render(self, ctx: RenderContext, children: Any) -> Any:
                return "A"

        mine = registry.copy()
        mine.rule("mdast -> ujsx", mdast.Text)(lambda node, transform: Word())
        root = from_markdown("# A")
        assert mine.transform("mdast -> ujsx", root).children == (h(1, Word()),)

    def test_a_heading_of_an_empty_text_opens_nothing(self) -> None:
        root = mdast.Root((mdast.Heading(1, (mdast.Text(""),)), mdast.ThematicBreak()))
        assert [*from_mdast(root).children] == [h(1, ""), ThematicBreak()]

    def test_a_heading_without_children_is_one_too(self) -> None:
        empty = mdast.Heading(1)
        root = mdast.Root((mdast.Heading(1, (mdast.Text("A"),)), empty, mdast.ThematicBreak()))
        assert [*from_mdast(root).children] == [s("A"), Heading()[()], ThematicBreak()]


# --- Laws ----------------------------------------------------------------------------------

TITLES = st.one_of(
    st.just("t"),
    st.sampled_from(
        ["a\nb", " a", "\u00a0a", "a\u200b", "⟦U+200B⟧", "␊", "a\u2028b", "", "  ", "\t", "[INST]",
         "Human: x", "\n\nHuman: x", "a #", "\\", "a\x0bb", "\x85", "a\rb", "\ud83d"]
    ),
    texts(),
)  # fmt: skip
HEADINGS = st.builds(
    lambda depth, line: mdast.Heading(depth, tuple(line)),
    st.integers(1, 4) | st.integers(1, 6),
    st.one_of(
        TITLES.map(lambda title: [mdast.Text(title)]),
        st.lists(TITLES.map(mdast.Text), max_size=2),
        TITLES.map(lambda title: [mdast.Emphasis((mdast.Text(title),))]),
    ),
)
BLOCKS = st.one_of(
    st.sampled_from(
        [
            mdast.ThematicBreak(),
            mdast.Html("<b>"),
            mdast.Text("inline"),
            mdast.Blockquote((mdast.Heading(1, (mdast.Text("q"),)),)),
            mdast.List(
                children=(mdast.ListItem(children=(mdast.Heading(1, (mdast.Text("i"),)),)),)
            ),
            mdast.Definition("a", "u"),
            mdast.FootnoteDefinition("n", None, (mdast.Heading(1, (mdast.Text("f"),)),)),
            mdast.Paragraph((mdast.LinkReference("a", children=(mdast.Text("x"),)),)),
        ]
    ),
    TITLES.map(lambda text: mdast.Paragraph((mdast.Text(text),))),
)
TITLED = st.lists(st.one_of(HEADINGS, HEADINGS, BLOCKS), max_size=10).map(
    lambda blocks: mdast.Root(tuple(blocks))
)
"""Documents of headings above all, canonical or not."""

SECTIONS = st.recursive(
    st.builds(
        s,
        TITLES.map(lambda title: one_line(title).strip() or "t"),
        st.lists(st.just(p("x")), max_size=1),
    ),
    lambda inner: st.builds(s, st.just("t"), st.just(p("y")), st.lists(inner, max_size=3)),
    max_leaves=6,
)
"""Sections as a reader sees them: titles in one line, what is theirs before what is a section's."""


def written(tree: Element) -> tuple[Any, ...]:
    """What a tree is in mdast and in Markdown, or why it is not."""
    return attempt(to_mdast, tree), attempt(render, tree)


def attempt(act: Any, tree: Element) -> Any:
    try:
        return act(tree)
    except UjsxError as error:
        return type(error), error.message


def depths(nodes: tuple[Node, ...], around: int = 0) -> list[int]:
    """How many sections stand around each section, itself included."""
    found: list[int] = []
    for node in nodes:
        if isinstance(node, Element):
            is_section = type(node.component) is Section
            found += [around + 1] if is_section else []
            found += depths(node.children, around + is_section)
    return found


class TestLaws:
    @given(root=TITLED | canonical_roots())
    def test_what_is_written_is_the_same(self, root: mdast.Root) -> None:
        assert written(from_mdast(root)) == written(flat(root))

    @given(root=TITLED | canonical_roots())
    def test_what_was_read_once_is_read_again(self, root: mdast.Root) -> None:
        once = mdast.normalize(to_mdast(from_mdast(root)))
        assume(to_mdast(flat(once)) == once)  # white space goes where nobody sees it
        tree = from_mdast(once)
        assert to_mdast(tree) == once
        assert from_mdast(to_mdast(tree)) == tree

    @given(tree=documents())
    def test_hold_for_what_components_render_to(self, tree: Element) -> None:
        root = mdast.normalize(to_mdast(tree))
        assert written(from_mdast(root)) == written(flat(root))

    @given(root=TITLED)
    def test_sections_nest_as_deep_as_headings_go(self, root: mdast.Root) -> None:
        tree = from_mdast(root)
        assert max(depths(tree.children), default=0) <= 6
        assert load(dump(tree)) == tree

    @given(trees=st.lists(SECTIONS, max_size=3))
    def test_sections_are_read_back(self, trees: list[Element]) -> None:
        assume(max(depths(tuple(trees)), default=0) <= 6)
        assert [*from_mdast(to_mdast(trees)).children] == trees
        assert [*read(render(trees))] == trees

    @pytest.mark.parametrize("gfm", [False, True])
    def test_hold_for_random_markdown(self, gfm: bool) -> None:
        opened = 0
        for document in sources(250, 11, gfm=gfm):
            text = f"# t\n\n{document.text}\n\n## u\n\n{document.text}"
            root = from_markdown(text, gfm=gfm)
            tree = from_mdast(root)
            opened += len(depths(tree.children))
            assert written(tree) == written(flat(root)), text
        assert opened > 250

    def test_hold_for_what_people_wrote(self) -> None:
        opened = 0
        for document in readmes():
            root = from_markdown(document.text)
            tree = from_mdast(root)
            opened += len(depths(tree.children))
            assert render(tree) == render(flat(root)), document.name
        assert opened > 20

    def test_hold_as_deep_as_a_tree_may_nest(self) -> None:
        """What nests too deep for sections around it keeps its headings."""
        ladder = [h(depth, "t") for depth in range(1, 7)]
        opened = set()
        for levels in range(MAX_DEPTH - 10, MAX_DEPTH):  # the root is a level, too
            block: Node = p("x")
            for _ in range(levels - 2):  # a paragraph and its text are levels, too
                block = BlockQuote()[block]
            blocks = from_mdast(to_mdast([*ladder, block])).children
            opened.add((levels, len(depths(tuple(blocks)))))
            assert to_mdast(blocks) == to_mdast([*ladder, block])
        assert opened == {
            (levels, 6 if levels <= MAX_DEPTH - 6 else 0)
            for levels in range(MAX_DEPTH - 10, MAX_DEPTH)
        }

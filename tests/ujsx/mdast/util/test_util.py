"""Looking through trees and changing them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance._sources import sources
from ujsx.errors import MdastError
from ujsx.mdast import (
    Definition,
    Emphasis,
    Heading,
    Html,
    Link,
    LinkReference,
    List,
    Node,
    Paragraph,
    Root,
    Strong,
    Text,
    from_markdown,
    to_markdown,
)
from ujsx.mdast.util import (
    Section,
    Slugger,
    definitions,
    find,
    replace,
    rewrite,
    sections,
    to_string,
    toc,
    walk,
)

SLUGS = json.loads((Path(__file__).parent / "slugs.json").read_text(encoding="utf-8"))
"""Texts of one page, with what npm's ``github-slugger`` makes of them, one after the other."""


def trees() -> st.SearchStrategy[Root]:
    texts = st.integers(0, 10_000).map(lambda seed: sources(1, seed, gfm=True)[0].text)
    return texts.map(from_markdown)


def all_of(node: Any) -> list[Node]:
    """What ``walk`` yields, by recursion."""
    return [node, *[each for child in getattr(node, "children", ()) for each in all_of(child)]]


class TestWalk:
    @given(trees())
    def test_yields_each_node_before_its_children(self, tree: Root) -> None:
        assert list(map(id, walk(tree))) == list(map(id, all_of(tree)))

    def test_needs_no_calls_for_depth(self) -> None:
        node: Any = Text("a")
        for _ in range(5000):
            node = Emphasis(children=[node])
        assert sum(1 for _ in walk(node)) == 5001
        assert to_string(node) == "a"
        deeper = rewrite(node, Text, lambda text: replace(text, value="b"))
        assert to_string(deeper) == "b"


class TestFind:
    def test_finds_several_kinds_in_the_documents_order(self) -> None:
        tree = from_markdown("[a](x) *b* [c]\n\n[c]: y")
        assert [type(node) for node in find(tree, LinkReference, Link)] == [Link, LinkReference]

    def test_takes_the_first_of_two_definitions(self) -> None:
        tree = from_markdown("[A]: x\n\n> [a]: y\n\n[b]: z")
        assert {key: node.url for key, node in definitions(tree).items()} == {"a": "x", "b": "z"}


class TestReplace:
    def test_leaves_the_node_as_it_is(self) -> None:
        node = Heading(2, children=[Text("a")])
        assert replace(node, depth=3) == Heading(3, children=[Text("a")])
        assert node.depth == 2

    def test_takes_any_iterable_of_children(self) -> None:
        assert replace(Paragraph(), children=[Text("a")]).children == (Text("a"),)

    def test_names_the_nearest_field(self) -> None:
        with pytest.raises(MdastError, match="a Link has no 'urls'; did you mean \"url\""):
            replace(Link("a"), urls="b")


class TestRewrite:
    @given(trees())
    def test_shares_what_does_not_change(self, tree: Root) -> None:
        assert rewrite(tree, Node, lambda node: node) is tree
        marked = rewrite(tree, Text, lambda node: replace(node, value=node.value.upper()))
        kinds = [type(node) for node in walk(tree)]
        assert [type(node) for node in walk(marked)] == kinds
        for old, new in zip(tree.children, marked.children, strict=True):
            if not any(find(old, Text)):
                assert new is old

    def test_works_from_the_inside_out(self) -> None:
        tree = from_markdown("*a **b** c*")
        flat = rewrite(tree, Strong, lambda node: node.children)
        seen: list[str] = []
        rewrite(flat, Emphasis, lambda node: seen.append(to_string(node)) or node)
        assert seen == ["a b c"]
        assert to_markdown(flat) == "*a b c*\n"

    def test_does_not_look_again_at_what_it_made(self) -> None:
        tree = from_markdown("a")
        doubled = rewrite(tree, Paragraph, lambda node: [node, node])
        assert len(doubled.children) == 2

    def test_leaves_out(self) -> None:
        tree = from_markdown("a <b>b</b>\n\n<p>c\n\nd")
        assert to_markdown(rewrite(tree, Html, lambda _: None)) == "a b\n\nd\n"

    def test_refuses_what_is_no_node(self) -> None:
        with pytest.raises(MdastError, match="a Text became 'A', which is not a node"):
            rewrite(from_markdown("a"), Text, lambda _: ["A"])  # type: ignore[list-item]

    def test_refuses_to_make_several_trees_of_one(self) -> None:
        with pytest.raises(MdastError, match="the tree itself, a Root, became 0 nodes"):
            rewrite(from_markdown("a"), Root, lambda _: None)


class TestSlugs:
    def test_are_githubs(self) -> None:
        slugger = Slugger()
        assert [[text, slugger.slug(text)] for text, _ in SLUGS] == SLUGS


class TestSections:
    @given(trees())
    def test_hold_each_block_once_and_in_order(self, tree: Root) -> None:
        found = [node for section in sections(tree) for node in section.nodes]
        assert list(map(id, found)) == list(map(id, tree.children))

    @given(trees())
    def test_within_a_section_are_deeper(self, tree: Root) -> None:
        def check(section: Section) -> None:
            assert not any(isinstance(node, Heading) for node in section.content)
            for inner in section.sections:
                assert inner.heading is not None
                assert section.heading is not None
                assert inner.heading.depth > section.heading.depth
                check(inner)

        for section in sections(tree):
            check(section)


class TestContents:
    def test_lists_headings_beneath_those_that_are_less_deep(self) -> None:
        text = "# A\n## B\n#### C\n### D\n## [E](x)[^1] `f`\n> ## A\n\n[^1]: n"
        assert to_markdown(toc(from_markdown(text), depths=range(1, 7))) == (
            "- [A](#a)\n  - [B](#b)\n    - [C](#c)\n    - [D](#d)\n"
            "  - [E `f`](#e-f)\n  - [A](#a-1)\n"
        )

    def test_begins_with_any_depth(self) -> None:
        text = "### A\n## B\n# C"
        assert to_markdown(toc(from_markdown(text), depths=(1, 2, 3))) == (
            "- [A](#a)\n- [B](#b)\n- [C](#c)\n"
        )

    def test_of_a_page_without_headings_is_empty(self) -> None:
        assert toc(from_markdown("a")) == List()

    def test_leads_where_each_heading_is(self) -> None:
        text = "# A\n\n## Twice\n\n## Twice\n\n[a]: x\n\n## [a] 😀"
        links = [link.url for link in find(toc(from_markdown(text)), Link)]
        assert links == ["#twice", "#twice-1", "#a-"]


def test_links_are_collected_with_their_definitions() -> None:
    tree = from_markdown("[a](x) [b][C] ![d][c]\n\n[c]: y")
    known = definitions(tree)
    urls = [
        node.url if isinstance(node, Link) else known[node.identifier].url
        for node in find(tree, Link, LinkReference)
    ]
    assert urls == ["x", "y"]
    assert isinstance(known["c"], Definition)

"""Trees of a vocabulary: they render at every density, and their text stays text."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings

from tests.ujsx.testing.strategies.zoo import Optional, Tree
from ujsx import Component, Density, Element, Node, Vocabulary, dump, load, render
from ujsx.elements import (
    PRIMITIVES,
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    FrontMatter,
    Html,
    ImageReference,
    LinkReference,
)
from ujsx.testing import assert_inert
from ujsx.testing.strategies import trees

OWN = Vocabulary(Optional, Tree)


def walk(node: Node) -> Iterator[type[Component]]:
    if isinstance(node, Element):
        yield type(node.component)
        for child in node.children:
            yield from walk(child)
    elif isinstance(node, Component):
        yield type(node)


class TestTrees:
    @given(tree=trees(PRIMITIVES | OWN))
    def test_render_at_every_density_and_their_text_stays_text(self, tree: Element) -> None:
        assert_inert(tree)

    @given(tree=trees(PRIMITIVES | OWN))
    def test_come_back_from_data(self, tree: Element) -> None:
        vocabulary = PRIMITIVES | OWN
        assert load(dump(tree), vocabulary) == tree

    @given(tree=trees(OWN))
    def test_have_nothing_that_is_not_in_the_vocabulary(self, tree: Element) -> None:
        assert {each for child in tree.children for each in walk(child)} <= {Optional, Tree}
        render(tree, density=Density.MINIMAL)

    @given(tree=trees(Vocabulary()))
    def test_of_an_empty_vocabulary_are_text(self, tree: Element) -> None:
        assert all(isinstance(child, str) for child in tree.children)

    def test_have_every_component_of_the_vocabulary_that_may_stand_somewhere(self) -> None:
        seen: set[type[Component]] = set()

        @settings(max_examples=60)  # as many as it takes to see each
        @given(tree=trees(PRIMITIVES | OWN, max_leaves=20))
        def look(tree: Element) -> None:
            seen.update(walk(tree))

        look()
        assert set((PRIMITIVES | OWN).values()) - seen == {
            Html,
            FrontMatter,
            Definition,
            LinkReference,
            ImageReference,
            FootnoteReference,
            FootnoteDefinition,
        }

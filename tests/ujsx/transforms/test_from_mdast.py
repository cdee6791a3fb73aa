"""``mdast -> ujsx``: nothing is lost but positions and data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hypothesis import assume, given

from tests.ids import looped
from tests.strategies import documents
from tests.ujsx.transforms.cases import BOTH_WAYS, name
from ujsx import Element, dump, fragment, from_mdast, load, mdast, registry, to_mdast
from ujsx.elements import PRIMITIVES, Image, ImageReference, List, Paragraph
from ujsx.testing.strategies import canonical_roots
from ujsx.text import hides_nothing


class TestTable:
    @looped(("expected", "node"), BOTH_WAYS, ids=[name(each) for each, _ in BOTH_WAYS])
    def test_each_node_is_its_primitive(self, expected: Any, node: mdast.AnyNode) -> None:
        assert registry.transform("mdast -> ujsx", node) == expected

    def test_has_a_rule_for_every_node_class(self) -> None:
        concrete = {
            value
            for value in vars(mdast).values()
            if isinstance(value, type) and issubclass(value, mdast.Node)
        } - {mdast.Node, mdast.Parent, mdast.UnknownNode}
        for kind in concrete:
            assert registry.find("mdast -> ujsx", kind), kind

    def test_reaches_every_primitive_that_stands_for_one_node(self) -> None:
        reached = {type(node) for node, _ in BOTH_WAYS} | {
            type(node.component) for node, _ in BOTH_WAYS if isinstance(node, Element)
        }
        assert {each.__name__ for each in {*PRIMITIVES.values()} - reached} == {
            "Fragment", "Section", "Omitted",
        }  # fmt: skip


class TestFromMdast:
    def test_of_a_root_is_a_fragment_of_its_blocks(self) -> None:
        root = mdast.from_markdown("a\n\n- b\n")
        assert from_mdast(root) == fragment(
            Paragraph()["a"], from_mdast(mdast.Root((root.children[1],))).children
        )

    def test_what_mdast_leaves_open_gets_the_primitives_default(self) -> None:
        def of(node: Any) -> Any:
            return registry.transform("mdast -> ujsx", node)

        assert of(mdast.Image("u")) == Image(url="u", alt="")
        assert of(mdast.ImageReference("a")) == ImageReference(identifier="a", alt="")
        assert of(mdast.List(ordered=True)) == List(ordered=True, start=1)

    def test_drops_positions(self) -> None:
        node: Any = mdast.from_markdown("a").children[0]
        assert node.position is not None
        (made,) = to_mdast(from_mdast(mdast.Root((node,)))).children
        assert made.position is None


TRIMMED = (
    mdast.Paragraph,
    mdast.Heading,
    mdast.TableCell,
    mdast.Emphasis,
    mdast.Strong,
    mdast.Delete,
)


def is_loose(node: Any) -> bool:
    """Tell whether white space stands where components do not keep it: at edges, in blank lines."""
    children = getattr(node, "children", ())
    texts = [each.value if type(each) is mdast.Text else "-" for each in children]
    at_edges = isinstance(node, TRIMMED) and texts and (texts[0][0], texts[-1][-1])
    return (
        bool(at_edges and not {" ", "\t", "\n", "\r"}.isdisjoint(at_edges))
        or any(re.search(r"\n[ \t]*\r?\n", text) for text in texts)
        or any(map(is_loose, children))
    )


def strings(node: Any) -> Iterator[str]:
    """All texts in the fields of a node, and in those below it."""
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if isinstance(value, str):
            yield value
    for child in getattr(node, "children", ()):
        yield from strings(child)


class TestRoundTrip:
    @given(root=canonical_roots())
    def test_of_a_canonical_tree_is_exact_but_for_white_space(self, root: mdast.Root) -> None:
        tree = from_mdast(root)
        written = to_mdast(tree)
        assert from_mdast(written) == tree or is_loose(root)
        once = mdast.normalize(written)
        assert to_mdast(from_mdast(once)) == once or is_loose(once)

    @given(root=canonical_roots())
    def test_of_a_tree_that_hides_nothing_is_that_tree(self, root: mdast.Root) -> None:
        assume(all(hides_nothing(f"[{text}]") for text in strings(root)))
        assert to_mdast(from_mdast(root)) == root or is_loose(root)

    @given(tree=documents())
    def test_of_what_components_render_to_is_exact(self, tree: Element) -> None:
        root = mdast.normalize(to_mdast(tree))
        assert to_mdast(from_mdast(root)) == root or is_loose(root)

    @given(root=canonical_roots())
    def test_goes_through_data_too(self, root: mdast.Root) -> None:
        tree = from_mdast(root)
        assert load(dump(tree)) == tree

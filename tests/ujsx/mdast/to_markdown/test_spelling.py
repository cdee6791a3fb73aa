"""The source's spelling is kept where it means the same, and nowhere else."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance._sources import sources
from tests.growth import IN_PROPORTION, growth
from ujsx.errors import MdastError
from ujsx.mdast import (
    Blockquote,
    Code,
    Definition,
    Heading,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Text,
    from_dict,
    from_markdown,
    normalize,
    to_dict,
    to_markdown,
)
from ujsx.mdast.util import find, replace, rewrite

SEEDS = st.integers(0, 100_000)


def document(seed: int) -> str:
    return sources(1, seed, gfm=True)[0].text


def written(tree: Root) -> str:
    return to_markdown(tree, on_unwritable="normalize")


def without_spelling(tree: Root) -> Root:
    return from_dict(to_dict(tree))  # type: ignore[return-value]


class TestDocuments:
    @given(SEEDS)
    def test_mean_the_same(self, seed: int) -> None:
        tree = from_markdown(document(seed), spelling=True)
        text = to_markdown(tree) if is_writable(tree) else written(without_spelling(tree))
        assert normalize(from_markdown(text)) == normalize(tree)

    @given(SEEDS)
    def test_are_the_same_the_second_time(self, seed: int) -> None:
        tree = from_markdown(document(seed), spelling=True)
        if is_writable(tree):
            once = to_markdown(tree)
            assert to_markdown(from_markdown(once, spelling=True)) == once

    @given(SEEDS, SEEDS)
    def test_mixed_with_others_mean_the_same(self, seed: int, other: int) -> None:
        """Blocks and items are moved, taken out, wrapped, and put beside those of another text."""
        random = Random(seed)
        trees = [from_markdown(document(each), spelling=True) for each in (seed, other)]
        mixed = stirred(trees[0], trees[1], random)
        canonical = normalize(mixed)
        plain = without_spelling(canonical)
        if from_markdown(to_markdown(plain)) == plain:  # some quotes lost the words of their alert
            assert from_markdown(to_markdown(canonical)) == canonical

    def test_without_spelling_are_written_as_ever(self) -> None:
        for seed in range(200):
            text = document(seed)
            plain = from_markdown(text)
            spelled = from_markdown(text, spelling=True)
            assert spelled == plain
            assert written(without_spelling(spelled)) == written(plain)


def is_writable(tree: Root) -> bool:
    try:
        to_markdown(tree)
    except MdastError:
        return False
    return True


def stirred(one: Root, other: Root, random: Random) -> Root:
    blocks: list[Any] = [
        node
        for tree in (one, other)
        for kind in (Paragraph, Heading, List, Blockquote, Definition)
        for node in find(tree, kind)
    ]

    def change(node: Node) -> Any:
        roll = random.random()
        if roll < 0.15:
            return None
        if roll < 0.25 and not isinstance(node, ListItem):
            return [node, random.choice(blocks)]
        if roll < 0.3 and isinstance(node, Paragraph):
            return Blockquote(children=[node, random.choice(blocks)])
        return node

    changed: Any = rewrite(one, Paragraph, change)
    changed = rewrite(changed, List, change)
    changed = rewrite(changed, ListItem, lambda node: None if random.random() < 0.2 else node)
    return Root(children=[*changed.children, *random.sample(blocks, min(3, len(blocks)))])


class TestChanges:
    def test_of_a_node_are_written_anew(self) -> None:
        tree = from_markdown("a _b_\n\nc _d_", spelling=True)
        first: Any = tree.children[0]
        children = (*first.children, Text("!"))
        changed = replace(tree, children=(replace(first, children=children), tree.children[1]))
        assert to_markdown(changed) == "a *b*!\n\nc _d_\n"

    def test_of_a_list_keep_what_its_items_are(self) -> None:
        tree = from_markdown("1) _a_\n1) b\n1) c", spelling=True)
        items: Any = tree.children[0].children
        changed = replace(tree.children[0], children=items[1:])
        assert to_markdown(changed) == "1) b\n1) c\n"

    def test_of_definitions_make_brackets_inert(self) -> None:
        tree = from_markdown("see [a] _b_\n\n[c](x [a])", spelling=True)
        changed = replace(tree, children=(*tree.children, Definition("a", "evil", "a")))
        assert from_markdown(to_markdown(changed)) == changed
        assert "\\[a]" in to_markdown(changed)

    def test_of_a_place_count(self) -> None:
        rule, code = from_markdown("---\n\n    a", spelling=True, frontmatter=False).children
        assert to_markdown(Root(children=[rule])) == "---\n"
        assert to_markdown(Root(children=[rule, rule])) == "***\n\n---\n"
        value = Code(value="a\n---\nb")
        assert to_markdown(Root(children=[rule, value])) == "***\n\n```\na\n---\nb\n```\n"
        item = List(children=[ListItem(children=[code])])
        assert from_markdown(to_markdown(item)).children[0] == item

    def test_in_data_are_not_believed(self) -> None:
        data = to_dict(from_markdown("a", positions="all"))
        data["children"][0]["position"]["spelling"] = {"text": "<script>", "of": []}
        assert to_markdown(from_dict(data)) == "a\n"

    def test_that_an_option_asks_for_are_made(self) -> None:
        tree = from_markdown("* _a_\n\nb\n=", spelling=True)
        assert to_markdown(tree, bullet="+") == "+ _a_\n\nb\n=\n"
        assert to_markdown(tree, emphasis="*", setext=False) == "* *a*\n\n# b\n"

    def test_that_a_handler_makes_are_made(self) -> None:
        tree = from_markdown("_a_", spelling=True)
        assert to_markdown(tree, handlers={Text: lambda node, _: node.value}) == "*a*\n"


@pytest.mark.parametrize(
    "piece", ["| [a] |\n", "- [a](\n", "_a_ [b]\n", "    a\n\n", "1. a\n", "\n\t", "[a]: b\n"]
)
@pytest.mark.parametrize("start", ["", "| a |\n| - |\n"], ids=["text", "table"])
def test_is_kept_in_proportion(piece: str, start: str) -> None:
    def round_trip(text: str) -> str:
        try:
            return written(from_markdown(text, spelling=True))
        except MdastError:  # nested too deep
            return ""

    small, large = (start + piece * count for count in (100, 800))
    assert growth(round_trip, small, large) <= IN_PROPORTION


def test_spelling_is_of_gfm() -> None:
    with pytest.raises(MdastError, match="spelling needs gfm=True"):
        from_markdown("a", gfm=False, spelling=True)

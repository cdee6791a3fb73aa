"""Law 20: what is not touched keeps its bytes; what is edited reads back as it was edited."""

from __future__ import annotations

import os
from random import Random
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance._sources import sources
from ujsx.errors import MdastError
from ujsx.mdast import (
    Document,
    Heading,
    Html,
    ListItem,
    Node,
    Paragraph,
    PhrasingContent,
    Root,
    TableCell,
    TableRow,
    Text,
    Yaml,
    from_markdown,
    normalize,
)
from ujsx.mdast.util import find, replace, walk
from ujsx.testing.strategies import canonical_roots, texts

EXAMPLES = int(os.environ.get("UJSX_FUZZ", 2 * settings.default.max_examples))
"""Documents; ``UJSX_FUZZ=10000`` looks longer."""

SEEDS = st.integers(0, 100_000)
bounded = settings(max_examples=EXAMPLES, deadline=None)


def source(seed: int) -> str:
    text = sources(1, seed, gfm=True)[0].text
    return text.replace("\n", "\r\n") if seed % 5 == 0 else text


@bounded
@given(SEEDS.map(source) | texts())
def test_without_an_edit_the_text_is_the_same(text: str) -> None:
    try:
        document = Document(text)
    except MdastError as error:  # the reader refuses what nests too deep
        assert "nested more than" in str(error)  # noqa: PT017
        return
    document.rewrite(Node, lambda node: node)
    assert document.text == text


@bounded
@given(SEEDS, SEEDS)
def test_an_edit_of_a_leafs_words_changes_its_lines_alone(seed: int, choice: int) -> None:
    text = source(seed)
    document = Document(text)
    leaves: list[Any] = [*find(document.root, Paragraph, Heading, TableCell)]
    if not leaves:
        return
    leaf = leaves[choice % len(leaves)]
    document.replace(leaf, replace(leaf, children=[Text("some words")]))
    start, end = leaf.position.start.offset, leaf.position.end.offset
    before, behind = text[: text.rfind("\n", 0, start) + 1], text.find("\n", end)
    assert document.text.startswith(before)
    assert behind < 0 or document.text.endswith(text[behind:])
    assert normalize(from_markdown(document.text)) == normalize(document.root)


@bounded
@given(SEEDS, SEEDS, canonical_roots())
def test_an_edited_text_reads_back_as_the_edited_tree(seed: int, choice: int, tree: Root) -> None:
    random = Random(choice)
    document = Document(source(seed))
    for _ in range(random.randint(1, 4)):
        edit(document, [*walk(tree), *walk(from_markdown(source(choice)))], random)
    wanted = normalize(document.root)
    assert normalize(from_markdown(document.text)) == wanted


def edit(document: Document, others: list[Any], random: Random) -> None:
    """Do something to a node: take it out, or put one that may stand there beside it or in its place."""
    nodes = [each for each in walk(document.root) if place_of(each) is not None]
    if not nodes:
        return
    node = random.choice(nodes)
    fitting = [each for each in [*others, *nodes] if place_of(each) == place_of(node)]
    new = random.choice(fitting)
    match random.randrange(4):
        case 0:
            document.remove(node)
        case 1:
            document.replace(node, new)
        case 2:
            document.insert(new, before=node)
        case _:
            document.insert([new, new], after=node)


def place_of(node: Node) -> str | None:
    """Return where a node may stand; ``None`` where its kind does not say."""
    if isinstance(node, Root | Yaml | Html):
        return None
    if isinstance(node, ListItem | TableRow | TableCell):
        return type(node).__name__
    return "line" if isinstance(node, get_args(PhrasingContent)) else "block"

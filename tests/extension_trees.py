"""Trees with nodes of extensions: those of ``ujsx.testing`` in which some nodes are others."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.conformance._trees import contexts as tree_contexts
from tests.conformance._trees import tree
from ujsx.mdast import (
    Blockquote,
    Code,
    Delete,
    Emphasis,
    Html,
    Image,
    InlineCode,
    List,
    Node,
    Paragraph,
    Root,
    Text,
    Yaml,
    normalize,
)
from ujsx.mdast.extensions import (
    Admonition,
    AdmonitionTitle,
    Alert,
    ContainerDirective,
    DefList,
    DefListDescription,
    DefListTerm,
    InlineMath,
    LeafDirective,
    Math,
    TextDirective,
    Toml,
    WikiLink,
)
from ujsx.mdast.util import rewrite, to_string

NAMES = ("note", "a", "x-1", "B_c")
KINDS = ("NOTE", "tip", "A-1")
ATTRIBUTES: tuple[dict[str, str], ...] = (
    {},
    {"id": "i"},
    {"class": "a b", "x": "&amp;\"'}|"},
    {"id": "a.b", "k": "*y*\n]"},
)


def canonical_roots(*names: str) -> st.SearchStrategy[Root]:
    """Return documents in canonical form, with nodes of these extensions."""
    return st.integers(0, 1_000_000).map(lambda seed: canonical_root(names, seed))


def canonical_root(names: tuple[str, ...], seed: int) -> Root:
    """Return one of them; the same for the same seed."""
    contexts = sorted(tree_contexts(gfm=True))
    root = tree(contexts[seed % len(contexts)], 1, seed, gfm=True)
    return normalize(_with(root, Random(seed), names), extensions=names)


def _with(root: Root, random: Random, names: tuple[str, ...]) -> Root:
    def change(node: Node) -> Any:
        others = [
            other
            for name in names
            for kind, make in MAKE[name]
            if isinstance(node, kind) and (other := make(node, random)) is not None
        ]
        return random.choice([node, *others]) if others else node

    return rewrite(root, Node, change)


def _attributes(random: Random) -> dict[str, str]:
    return dict(random.choice(ATTRIBUTES))


def _described(node: Any, random: Random) -> Node:
    children: list[Any] = []
    for item in node.children:
        children.append(DefListTerm(children=[Text(to_string(item)), Emphasis([Text("t")])]))
        children += [
            DefListDescription(spread=random.random() < 0.5, children=item.children)
            for _ in range(random.choice((0, 1, 1, 2)))
        ]
    return DefList(children=children)


def _labelled(node: Any, random: Random) -> Node:
    label = Paragraph([Text("l["), InlineCode("x")], data={"directiveLabel": True})
    children = (label, *node.children) if random.random() < 0.5 else node.children
    return ContainerDirective(
        name=random.choice(NAMES), attributes=_attributes(random), children=children
    )


def _boxed(node: Any, random: Random) -> Node:
    words = random.choice(["Note", 'a "b" *c*', " x ", ""])
    title = AdmonitionTitle(
        [Text(words), Emphasis([Text("t")])] if random.random() < 0.5 else [Text(words)]
    )
    return Admonition(
        kind=random.choice(("note", "tip inline end", 'Odd"', "")),
        fold=random.choice((None, "-", "+")),
        children=(title, *node.children) if random.random() < 0.7 else node.children,
    )


MAKE: dict[str, tuple[tuple[type[Any], Any], ...]] = {
    "math": (
        (InlineCode, lambda node, _: InlineMath(node.value)),
        (Text, lambda node, random: InlineMath(node.value) if random.random() < 0.1 else None),
        (Code, lambda node, _: Math(node.value, node.meta)),
    ),
    "wiki-links": (
        (InlineCode, lambda node, _: WikiLink(node.value)),
        (Image, lambda node, _: WikiLink(node.url, node.alt)),
    ),
    "directives": (
        (
            Delete,
            lambda node, random: TextDirective(
                name=random.choice(NAMES), attributes=_attributes(random), children=node.children
            ),
        ),
        (InlineCode, lambda _, random: TextDirective(name=random.choice(NAMES))),
        (
            Paragraph,
            lambda node, random: (
                LeafDirective(
                    name=random.choice(NAMES),
                    attributes=_attributes(random),
                    children=node.children,
                )
                if random.random() < 0.3
                else None
            ),
        ),
        (Blockquote, _labelled),
    ),
    "admonitions": ((Blockquote, _boxed),),
    "alerts": (
        (Blockquote, lambda node, random: Alert(kind=random.choice(KINDS), children=node.children)),
        (Html, lambda node, _: None),
    ),
    "definition-lists": ((List, _described),),
    "toml": ((Yaml, lambda node, _: Toml(node.value)),),
}
"""By extension: nodes of a kind, and what they become."""

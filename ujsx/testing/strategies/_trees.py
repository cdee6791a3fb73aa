"""Trees of a vocabulary in which each node stands where it may."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from hypothesis import strategies as st

from ujsx import Child, Component, Element, Fragment, Vocabulary, fragment
from ujsx import elements as el
from ujsx.components._vocabulary import ComponentClass
from ujsx.testing.strategies._components import components
from ujsx.testing.strategies._texts import hostile_texts

Kinds: TypeAlias = "tuple[type[Component], ...]"
Nodes: TypeAlias = "st.SearchStrategy[Child]"

IN_LINE: Kinds = (el.InlineCode, el.Image, el.LineBreak, el.Omitted)
"""What stands in a line and holds nothing."""

LINE_IN_LINE: Kinds = (el.Strong, el.Emphasis, el.Strikethrough, el.Link)
"""What stands in a line and holds what does."""

ALONE: Kinds = (el.CodeBlock, el.ThematicBreak)
"""Blocks that hold nothing."""

LINE_IN_BLOCK: Kinds = (el.Paragraph, el.Heading)
"""Blocks that hold what stands in a line."""

BLOCKS_IN_BLOCK: Kinds = (el.Section, el.BlockQuote, Fragment)
"""Blocks that hold blocks."""

LIST: Kinds = (el.List, el.Item)
TABLE: Kinds = (el.Table, el.TableRow, el.TableCell)
"""Each holds the next one alone; an item holds blocks, and a cell what stands in a line."""

_PRIMITIVES = frozenset(el.PRIMITIVES.values())


def trees(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None, *, max_leaves: int = 8
) -> st.SearchStrategy[Element]:
    """Return trees of a vocabulary that have a meaning, each in a ``Fragment``.

    Primitives stand where they may: blocks among blocks, what belongs in a line in lines, items in
    lists. A component of one's own stands among blocks, and its children, if it takes any, are text
    and what belongs in a line. Not placed are raw HTML and front matter, which only an author can vouch for, and
    references, which need their definitions.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param max_leaves: about how many nodes without children each part of a tree has at most.
    :raises StrategyError: for a component of which no props can be made up; see :func:`components`.

    >>> from hypothesis import Phase, find, settings
    >>> from ujsx import Fragment
    >>> any_tree = settings(phases=[Phase.generate])  # not the smallest
    >>> tree = find(trees(), lambda tree: len(tree.children) > 1, settings=any_tree)
    >>> type(tree.component) is Fragment
    True
    """
    known = set(Vocabulary.of(vocabulary).values())

    def those(kinds: Iterable[type[Component]]) -> list[st.SearchStrategy[Component]]:
        return [components(kind) for kind in kinds if kind in known]

    def held(kinds: Iterable[type[Component]], children: Nodes) -> list[Nodes]:
        return [_with_children(each, children) for each in those(kinds)]

    def chain(kinds: Kinds, children: Nodes) -> list[Nodes]:
        if not known.issuperset(kinds):
            return []
        for each in reversed(those(kinds)):
            children = _with_children(each, children)
        return [children]

    own = [kind for kind in Vocabulary.of(vocabulary).values() if kind not in _PRIMITIVES]
    alone = [*ALONE, *(kind for kind in own if not kind.takes_children)]
    holding = [*LINE_IN_BLOCK, *(kind for kind in own if kind.takes_children)]
    line: Nodes = st.recursive(
        st.one_of(hostile_texts(), *those(IN_LINE)),
        lambda inner: st.one_of(inner, *held(LINE_IN_LINE, inner)),
        max_leaves=3,
    )
    blocks: Nodes = st.recursive(
        st.one_of(line, *those(alone), *held(holding, line), *chain(TABLE, line)),
        lambda inner: st.one_of(inner, *held(BLOCKS_IN_BLOCK, inner), *chain(LIST, inner)),
        max_leaves=max_leaves,
    )
    return st.lists(blocks, max_size=3).map(lambda nodes: fragment(*nodes))


def _with_children(component: st.SearchStrategy[Component], children: Nodes) -> Nodes:
    return st.builds(Element.of, component, st.lists(children, max_size=3))

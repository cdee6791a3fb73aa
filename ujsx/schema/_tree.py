"""A whole vocabulary as one schema: what a model fills in to answer with a tree.

A node is ``{"type": …, "props": …, "children": […]}``, as :func:`ujsx.load` reads it. What may stand
where is part of the schema: a list holds items, a line no block.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ujsx.components._component import Component
from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import TrustedMarkdown
from ujsx.errors import SchemaError, did_you_mean, shown
from ujsx.schema._depth import DEPTH
from ujsx.schema._dialects import dialect_of
from ujsx.schema._generate import schemas_of
from ujsx.schema._keywords import Schema
from ujsx.schema._lint import to_dialect
from ujsx.schema._nodes import Nodes
from ujsx.schema._refs import pruned, target


def tree_schema(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    dialect: str = "json-schema",
    root: ComponentClass | None = None,
    depth: int = DEPTH,
    whole: bool = False,
) -> Schema:
    """Return the schema of the trees that a vocabulary can make, for structured output.

    An answer is read with ``ujsx.load(answer, vocabulary)``, which checks all of it, and names the
    place of what is wrong. Keys of nodes are not part of the schema.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param dialect: a name in :data:`DIALECTS`.
    :param root: the component that the answer is; a ``Fragment``, which only holds its children,
        when ``None``.
    :param depth: how many nodes stand inside each other below the root at most, in a dialect without
        recursion (anthropic-strict, gemini); others do not need it.
    :param whole: whether a component that has no children may say so with an empty list, as
        :func:`ujsx.dump` writes it.
    :raises SchemaError: for an unknown dialect, props that the dialect cannot take, a root that is
        not in the vocabulary, a depth below 1, and a vocabulary that has ``TrustedMarkdown``.

    >>> from ujsx.elements import Item, List
    >>> schema = tree_schema([List, Item], dialect="openai-strict")
    >>> schema["properties"]["children"]
    {'items': {'$ref': '#/$defs/Node'}, 'type': 'array'}
    >>> sorted(schema["$defs"])
    ['Item', 'Items', 'List', 'Node']
    """
    taker = dialect_of(dialect)
    if depth < 1:
        raise SchemaError(f"a tree is at least 1 node deep, not {depth}")
    known, top = known_of(vocabulary, root)
    refs, defs = schemas_of(dict.fromkeys([*known.values(), top]))
    for ref in refs.values():  # the nodes say what the components are for
        target({"$defs": defs}, ref).pop("description", None)
    nodes = Nodes(known, taker, refs, defs, depth, whole=whole)
    body = nodes.node([top], nodes.children(top, "flow", 0))
    return to_dialect(pruned({**body, "$defs": {**defs, **nodes.levels()}}), dialect)


def known_of(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None, root: ComponentClass | None
) -> tuple[Vocabulary, type[Component]]:
    """Return the components that may appear, and the one that an answer is.

    :raises SchemaError: as :func:`tree_schema` does.
    """
    known = Vocabulary.of(vocabulary)
    for cls in known.values():
        if issubclass(cls, TrustedMarkdown):
            raise SchemaError(
                f"{cls.__name__} is for an author's own code, and never made from data; take it out "
                "of the vocabulary"
            )
    return known, Fragment if root is None else _known(cast("type[Component]", root), known)


def _known(root: type[Component], vocabulary: Vocabulary) -> type[Component]:
    if root in vocabulary.values():
        return root
    if not isinstance(root, type):
        raise SchemaError(f"the root is a component class, not {shown(root)}")
    hint = did_you_mean(root.__name__, vocabulary)
    raise SchemaError(f'the root "{root.__name__}" is not in the vocabulary; {hint}')

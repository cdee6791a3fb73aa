"""A whole vocabulary as one schema."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from ujsx.components._component import Component, Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import TrustedMarkdown
from ujsx.errors import SchemaError, did_you_mean, shown
from ujsx.mdast import Text
from ujsx.mdast._content_model import CONTENT_MODELS, FLOW, Content, ContentModel
from ujsx.schema._convert import DEPTH
from ujsx.schema._definition import to_dialect
from ujsx.schema._dialects import Dialect, KeywordVerdict, dialect_of
from ujsx.schema._generate import for_a_model, schemas_of
from ujsx.schema._keywords import DEFS, Schema, pruned, target

# The nodes of a vocabulary as schemas: a definition for each kind of content, and level of nesting.

TEXT: Schema = {"type": "string"}
"""A child that is text."""


NO_CHILDREN: Schema = {"type": "array", "items": {"type": "null"}, "maxItems": 0}
"""An empty list."""

NAMES: Mapping[Content, str] = MappingProxyType(
    {"flow": "Node", "phrasing": "Line", "list": "Items", "table": "Rows", "row": "Cells"}
)
"""What the definition of each kind of content is called."""

TEXTS: frozenset[Content] = frozenset(place for place in NAMES if CONTENT_MODELS[Text].fits(place))
"""The kinds of content that take text."""

UNKNOWN = FLOW
"""The content model of a component that says none: a block of blocks.

Of all components in a dialect without references: written out, a definition for each kind of content
in each other would double with every other level.
"""


class Nodes:
    """The schemas of a vocabulary's nodes: a definition for each kind of content.

    Components with the same props and the same kind of children share a branch, so that those
    without any cost a name each. One that can have no children has no place for them.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        dialect: Dialect,
        refs: Mapping[type[Component], str],
        defs: Schema,
        depth: int,
        *,
        whole: bool = False,
    ) -> None:
        self.whole = whole
        self.dialect = dialect
        self.depth = None if dialect.recursion else depth
        self.defs = defs
        self.refs = refs
        self.classes = vocabulary
        self.has_references = dialect.verdict("$ref") is KeywordVerdict.KEEP
        models = [self._model(cls) for cls in vocabulary.values()]
        models = [model for model in models if not model.is_transparent]
        self.places: list[Content] = [
            place for place in NAMES if place in TEXTS or any(m.fits(place) for m in models)
        ]

    def name(self, place: Content, level: int) -> str:
        """The name of the definition of a level; one that no component has."""
        name = NAMES[place] if self.dialect.recursion else f"{NAMES[place]}{level}"
        while name in self.defs:
            name += "_"
        return name

    def levels(self) -> Schema:
        """The definitions of the levels; on the last of several, children are text."""
        return {
            self.name(place, level): self.level(place, level)
            for level in range(1, (self.depth or 1) + 1)
            for place in self.places
            if self._is_possible(place, level)
        }

    def level(self, place: Content, level: int) -> Schema:
        """The nodes allowed in a kind of content on a level."""
        groups: dict[str, list[type[Component]]] = {}
        for cls in self._possible(place, level):
            if place == "flow" and self.is_phrasing(cls):
                continue  # among those of the line
            props = target({"$defs": self.defs}, self.refs[cls])
            shape = [self.held(cls, place), props if self.dialect.empty_objects else None]
            groups.setdefault(json.dumps(shape), []).append(cls)
        branches: list[Schema] = []
        for classes in groups.values():
            children = self.children(classes[0], place, level)
            make = self.node if self.dialect.empty_objects else self.any_node
            branches.append(make(classes, children))
        if place == "flow" and any(map(self.is_phrasing, self.classes.values())):
            return {"anyOf": [{"$ref": DEFS + self.name("phrasing", level)}, *branches]}
        if place in TEXTS:
            return {"anyOf": [TEXT, *branches]} if branches else TEXT
        return {"anyOf": branches}

    def _model(self, cls: type[Component]) -> ContentModel:
        return (cls.content_model if self.has_references else None) or UNKNOWN

    def fits(self, cls: type[Component], place: Content) -> bool:
        """True if it may stand in a kind of content."""
        return self._model(cls).fits(place)

    def is_phrasing(self, cls: type[Component]) -> bool:
        """True if it stands among blocks as what stands in a line does."""
        model = self._model(cls)
        return model.fits("phrasing") and not model.is_transparent

    def held(self, cls: type[Component], place: Content) -> Content | None:
        """The kind of content that its children are, where it stands; ``None`` if it has none."""
        model = self._model(cls)
        holds = place if model.is_transparent else model.holds
        return holds if cls.takes_children and holds in self.places else None

    def children(self, cls: type[Component], place: Content, level: int) -> Schema | None:
        """The schema of its children, where it stands; ``None`` if it has none."""
        holds = self.held(cls, place)
        if holds is None:
            return NO_CHILDREN if self.whole else None
        items = TEXT if level == self.depth else {"$ref": DEFS + self.name(holds, level + 1)}
        return {"type": "array", "items": items}

    def _possible(self, place: Content, level: int) -> list[type[Component]]:
        """The components that may stand there, and can have the children that they need."""
        fitting = [cls for cls in self.classes.values() if self.fits(cls, place)]
        if self.depth is None:
            return fitting
        holds: list[Content | None] = [self.held(cls, place) for cls in fitting]
        return [
            cls
            for cls, held in zip(fitting, holds, strict=True)
            if held is None or self._is_possible(held, level + 1)
        ]

    def _is_possible(self, place: Content, level: int) -> bool:
        """Whether anything may stand there."""
        if place in TEXTS or self.depth is None:
            return True
        return level <= self.depth and bool(self._possible(place, level))

    def node(self, classes: Sequence[type[Component]], children: Schema | None) -> Schema:
        """A node of one of several components that have the same props."""
        names = [cls.__name__ for cls in classes]
        ref = self.refs[classes[0]]
        has_props = bool(target({"$defs": self.defs}, ref).get("properties"))
        needs_props = "required" in target({"$defs": self.defs}, ref)
        is_strict = self.dialect.required_children
        properties: Schema = {"type": {"const": names[0]} if len(names) == 1 else {"enum": names}}
        if has_props or not is_strict:
            properties["props"] = {"$ref": ref}
        return self._closed(
            {**properties, **({} if children is None else {"children": children})},
            [
                *(["props"] if needs_props or (has_props and is_strict) else []),
                *(["children"] if children is not None and is_strict else []),
            ],
            self._description(names),
        )

    def any_node(self, classes: Sequence[type[Component]], children: Schema | None) -> Schema:
        """A node of any of those components, where each level is written out: one branch."""
        groups: dict[str, list[type[Component]]] = {}
        for cls in classes:
            shape = json.dumps(target({"$defs": self.defs}, self.refs[cls]))
            groups.setdefault(shape, []).append(cls)
        props = [
            {
                "$ref": self.refs[alike[0]],
                "description": f"of {', '.join(cls.__name__ for cls in alike)}",
            }
            for alike in groups.values()
            if target({"$defs": self.defs}, self.refs[alike[0]]).get("properties")
        ]
        names = [cls.__name__ for cls in classes]
        properties: Schema = {"type": {"enum": names}}
        if props:
            properties["props"] = {"anyOf": props}
        if children is not None:
            properties["children"] = children
        required = [] if children is None else ["children"]
        return self._closed(properties, required, self._description(names))

    def _closed(self, properties: Schema, required: list[str], description: str) -> Schema:
        return {
            "type": "object",
            **({"description": description} if description else {}),
            "properties": properties,
            "required": ["type", *required],
            "additionalProperties": False,
        }

    def _description(self, names: list[str]) -> str:
        """What the components are for, a line each where there are several."""
        texts = {
            name: _first_paragraph(self.classes[name]) for name in names if name in self.classes
        }
        if len(names) == 1:
            return next(iter(texts.values()), "")
        return "\n".join(f"{name}: {text}" for name, text in texts.items() if text)


def _first_paragraph(cls: type[Component]) -> str:
    text = for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    return " ".join(text.partition("\n\n")[0].split())


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

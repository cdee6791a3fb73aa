"""The nodes of a vocabulary as schemas, one definition for each level of nesting."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping

from ujsx.components._component import Component
from ujsx.components._vocabulary import Vocabulary
from ujsx.schema._dialects import Dialect
from ujsx.schema._generate import for_a_model
from ujsx.schema._keywords import DEFS, Schema
from ujsx.schema._refs import target

TEXT: Schema = {"type": "string"}
"""A child that is text."""


class Nodes:
    """The schemas of a vocabulary's nodes.

    Components with the same props share a branch, so that those without any cost a name each. One
    that takes no children has no place for them.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        dialect: Dialect,
        refs: Mapping[type[Component], str],
        defs: Schema,
    ) -> None:
        self.dialect = dialect
        self.defs = defs
        self.classes = vocabulary
        self.groups: dict[str, list[type[Component]]] = {}
        self.props: dict[str, str] = {}
        for cls in vocabulary.values():
            shape = json.dumps([cls.takes_children, target({"$defs": defs}, refs[cls])])
            self.groups.setdefault(shape, []).append(cls)
            self.props.setdefault(shape, refs[cls])

    def name(self, level: int) -> str:
        """The name of the definition of a level; one that no component has."""
        name = "Node" if self.dialect.recursion else f"Node{level}"
        while name in self.defs:
            name += "_"
        return name

    def levels(self, count: int) -> Schema:
        """The definitions of the levels; on the last of several, children are text."""
        return {
            self.name(level): self.level(
                self.name(level) if self.dialect.recursion else self.name(level + 1),
                is_last=level == count and not self.dialect.recursion,
            )
            for level in range(1, count + 1)
        }

    def level(self, inner: str, *, is_last: bool) -> Schema:
        """The nodes of a level, whose children are those of the level ``inner``."""
        child = None if is_last else inner
        if self.dialect.empty_objects:
            branches = [
                self.node(classes, self.props[shape], child)
                for shape, classes in self.groups.items()
            ]
        else:
            branches = [
                self.any_node(shapes, child)
                for takes_children in (True, False)
                if (shapes := [*self._shapes(takes_children=takes_children)])
            ]
        return {"anyOf": [TEXT, *branches]} if branches else TEXT

    def _shapes(self, *, takes_children: bool) -> Iterator[str]:
        """The groups of the components that take children, or of those that do not."""
        for shape, classes in self.groups.items():
            if classes[0].takes_children is takes_children:
                yield shape

    def node(self, classes: list[type[Component]], props: str, child: str | None) -> Schema:
        """A node of one of several components that have the same props."""
        names = [cls.__name__ for cls in classes]
        takes_children = classes[0].takes_children
        has_props = bool(target({"$defs": self.defs}, props).get("properties"))
        needs_props = "required" in target({"$defs": self.defs}, props)
        is_strict = self.dialect.verdicts is not None
        properties: Schema = {"type": {"const": names[0]} if len(names) == 1 else {"enum": names}}
        if has_props or not is_strict:
            properties["props"] = {"$ref": props}
        return self._closed(
            {**properties, **(_children(child) if takes_children else {})},
            [
                *(["props"] if needs_props or (has_props and is_strict) else []),
                *(["children"] if takes_children and is_strict else []),
            ],
            self._description(names),
        )

    def any_node(self, shapes: list[str], child: str | None) -> Schema:
        """A node of any component of those groups, where each level is written out: one branch."""
        props = [
            {
                "$ref": self.props[shape],
                "description": f"of {', '.join(cls.__name__ for cls in self.groups[shape])}",
            }
            for shape in shapes
            if target({"$defs": self.defs}, self.props[shape]).get("properties")
        ]
        classes = [cls for shape in shapes for cls in self.groups[shape]]
        names = [name for name, cls in self.classes.items() if cls in classes]
        properties: Schema = {"type": {"enum": names}}
        if props:
            properties["props"] = {"anyOf": props}
        children = _children(child) if classes[0].takes_children else {}
        return self._closed({**properties, **children}, [*children], self._description(names))

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


def _children(child: str | None) -> Schema:
    return {"children": {"type": "array", "items": {"$ref": DEFS + child} if child else TEXT}}


def _first_paragraph(cls: type[Component]) -> str:
    text = for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    return " ".join(text.partition("\n\n")[0].split())

"""Trees as data: JSON that holds a tree, built only from the components that may appear."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ujsx.components._component import Component, as_element
from ujsx.components._element import MAX_DEPTH, Element, Node, refusal
from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import TrustedMarkdown
from ujsx.errors import LoadError, PropError, RenderError, SchemaError, did_you_mean, shown

TOLD = 3
"""Mistakes in a tree that an error tells of; it counts the rest."""

_FIELDS = ("type", "props", "children", "key")


def dump(node: Node) -> dict[str, Any]:
    """Return a tree as JSON data: ``{"type": …, "props": …, "children": […]}``, text as strings.

    Props that have their default are left out. A key is written where there is one. Text alone
    comes in a ``Fragment``.

    :raises RenderError: for a tree that is nested too deep.

    >>> from ujsx.elements import Section
    >>> dump(Section(title="Notes")["a"])
    {'type': 'Section', 'props': {'title': 'Notes'}, 'children': ['a']}
    """
    return _dump(Element.of(Fragment(), node) if isinstance(node, str) else as_element(node), 0)


def _dump(element: Element, level: int) -> dict[str, Any]:
    if level > MAX_DEPTH:
        raise RenderError(f"nested more than {MAX_DEPTH} deep")
    component = element.component
    data: dict[str, Any] = {
        "type": type(component).__name__,
        "props": component.model_dump(mode="json", exclude_defaults=True),
        "children": [
            child if isinstance(child, str) else _dump(as_element(child), level + 1)
            for child in element.children
        ],
    }
    if element.key is not None:
        data["key"] = element.key
    return data


def load(
    data: Mapping[str, Any], vocabulary: Vocabulary | Iterable[ComponentClass] | None = None
) -> Element:
    """Return the tree that ``data`` holds.

    :param data: as :func:`dump` gives it (JSON text goes through ``json.loads`` first), or as a
        model gives it whose answer has the schema that ``ujsx.schema.tree_schema`` returns: null
        for a prop that has a default is the default.
    :param vocabulary: the components that may appear; the primitives when ``None``. ``Fragment``
        may appear in any case, ``TrustedMarkdown`` in none.
    :raises LoadError: for an unknown type or prop, a wrong value, a wrong shape, or too deep a
        tree; its path is the place in the data. It tells of several mistakes, the first one first.

    >>> load({"type": "Section", "props": {"titel": "Notes"}})
    Traceback (most recent call last):
    ujsx.errors.LoadError: $.props.titel: no such prop (got 'Notes'); did you mean "title"?; title: required, but not given
    """
    reader = _Reader(Vocabulary.of(vocabulary))
    tree = reader.node(data, "$", 0)
    if reader.mistakes:
        raise _all(reader.mistakes)
    return tree


class _Reader:
    """Reads one tree, and goes on after a mistake: who sent the tree can mend all at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.mistakes: list[LoadError] = []

    def node(self, data: object, path: str, level: int) -> Element:
        """Return the node, or nothing in its place after a mistake."""
        try:
            return self._node(data, path, level)
        except LoadError as error:
            self.mistakes.append(error)
            return _NOTHING

    def _node(self, data: object, path: str, level: int) -> Element:
        if level > MAX_DEPTH:
            raise LoadError(f"nested more than {MAX_DEPTH} deep", path=path)
        fields = _object(data, path, 'a node is an object with a "type"')
        for name in fields:
            if name not in _FIELDS:
                hint = did_you_mean(str(name), _FIELDS)
                raise LoadError(f"a node has no {shown(name)}; {hint}", path=path)
        if "type" not in fields:
            raise LoadError("required, but not given", path=f"{path}.type")
        key, children = fields.get("key"), fields.get("children", [])
        cls = _class(fields["type"], self.vocabulary, f"{path}.type")
        if not isinstance(children, list | tuple):
            raise LoadError(f"children are a list, not {shown(children)}", path=f"{path}.children")
        if not isinstance(key, str | None):
            raise LoadError(f"a key is a string, not {shown(key)}", path=f"{path}.key")
        if children and not cls.takes_children:
            raise LoadError(f"{cls.__name__}: {refusal(cls)}", path=f"{path}.children")
        component = self._component(cls, fields.get("props", {}), path)
        nodes = [
            child
            if isinstance(child, str)
            else self.node(child, f"{path}.children[{place}]", level + 1)
            for place, child in enumerate(cast("list[object]", children))
        ]
        if component is None:
            return _NOTHING
        element = Element.of(component, nodes)
        return element if key is None else element.keyed(key)

    def _component(self, cls: type[Component], given: object, path: str) -> Component | None:
        """The component, or ``None`` after a mistake in its props."""
        props = _object(given, f"{path}.props", "props are an object")
        for name in props:
            if not isinstance(name, str):
                message = f"the name of a prop is a string, not {shown(name)}"
                raise LoadError(message, path=f"{path}.props")
        try:
            return _component(cls, props)
        except PropError as error:
            message = error.message.replace(f"; {cls.__name__}.", "; ")
            mistake = LoadError(message, path=_prop_path(path, error))
            mistake.__cause__ = error
            self.mistakes.append(mistake)
            return None


_NOTHING = Element(Fragment())


def _all(mistakes: list[LoadError]) -> LoadError:
    """The first mistake, whose message tells of the others."""
    first, *rest = mistakes
    told = [f"{each.path}: {each.message}" for each in rest[: TOLD - 1]]
    more = [f"{len(rest) - len(told)} more"] if len(rest) > len(told) else []
    first.message = "; ".join([first.message, *told, *more])
    return first


def _class(kind: object, vocabulary: Vocabulary, path: str) -> type[Component]:
    """The component of that name. A fragment adds nothing to what its children are."""
    if kind == Fragment.__name__ and Fragment.__name__ not in vocabulary:
        return Fragment
    if not isinstance(kind, str) or kind not in vocabulary:
        hint = vocabulary.hint(str(kind))
        raise LoadError(f"{shown(kind)} is not in the vocabulary; {hint}", path=path)
    if issubclass(vocabulary[kind], TrustedMarkdown):
        raise LoadError(
            f'"{kind}" is for an author\'s own code, and never made from data', path=path
        )
    return vocabulary[kind]


def _component(cls: type[Component], props: Mapping[str, Any]) -> Component:
    try:
        return cls(**props)
    except PropError:
        given = _read_back(props, cls)
        if given == props:
            raise
    return cls(**given)


def _read_back(props: Mapping[str, Any], cls: type[Component]) -> Mapping[str, Any]:
    """The props as a class takes them: a strict dialect has nulls for what is left out, and entries for dictionaries."""
    from ujsx.schema import from_dialect  # only mistakes and strict dialects need it

    try:
        return cast("dict[str, Any]", from_dialect(dict(props), cls))
    except SchemaError:  # no dialect has a component that has no schema
        return props


def _object(data: object, path: str, rule: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        hint = "; if it is JSON text, json.loads it first" if isinstance(data, str | bytes) else ""
        raise LoadError(f"{rule}, not {shown(data)}{hint}", path=path)
    return cast("Mapping[str, Any]", data)


def _prop_path(path: str, error: PropError) -> str:
    _, _, prop = (error.path or "").partition(".")
    return f"{path}.props.{prop}" if prop else f"{path}.props"

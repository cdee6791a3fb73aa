"""Trees as data: JSON that holds a tree, built only from the components that may appear."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ujsx._component import Component, as_element
from ujsx._element import MAX_DEPTH, Element, Node, refusal
from ujsx._errors import LoadError, PropError, RenderError, SchemaError, did_you_mean, shown
from ujsx._fragment import Fragment
from ujsx._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import TrustedMarkdown

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

    :param data: as :func:`dump` gives it, or as a model gives it whose answer has the schema that
        ``ujsx.schema.tree_schema`` returns: null for a prop that has a default is the default.
    :param vocabulary: the components that may appear; the primitives when ``None``. ``Fragment``
        may appear in any case, ``TrustedMarkdown`` in none.
    :raises LoadError: for an unknown type or prop, a wrong value, a wrong shape, or too deep a
        tree; its path is the place in the data.

    >>> load({"type": "Section", "props": {"titel": "Notes"}})
    Traceback (most recent call last):
    ujsx._errors.LoadError: $.props.titel: no such prop (got 'Notes'); did you mean "title"?; title: required, but not given
    """
    return _load(data, Vocabulary.of(vocabulary), "$", 0)


def _load(data: object, vocabulary: Vocabulary, path: str, level: int) -> Element:
    if level > MAX_DEPTH:
        raise LoadError(f"nested more than {MAX_DEPTH} deep", path=path)
    fields = _object(data, path, 'a node is an object with a "type"')
    for name in fields:
        if name not in _FIELDS:
            hint = did_you_mean(str(name), _FIELDS)
            raise LoadError(f"a node has no {shown(name)}; {hint}", path=path)
    key, children = fields.get("key"), fields.get("children", [])
    cls = _class(fields.get("type"), vocabulary, f"{path}.type")
    if not isinstance(children, list | tuple):
        raise LoadError(f"children are a list, not {shown(children)}", path=f"{path}.children")
    if not isinstance(key, str | None):
        raise LoadError(f"a key is a string, not {shown(key)}", path=f"{path}.key")
    props = _object(fields.get("props", {}), f"{path}.props", "props are an object")
    for name in props:
        if not isinstance(name, str):
            message = f"the name of a prop is a string, not {shown(name)}"
            raise LoadError(message, path=f"{path}.props")
    if children and not cls.takes_children:
        raise LoadError(f"{cls.__name__}: {refusal(cls)}", path=f"{path}.children")
    try:
        component = _component(cls, props)
    except PropError as error:
        message = error.message.replace(f"; {cls.__name__}.", "; ")
        raise LoadError(message, path=_prop_path(path, error)) from error
    nodes = [
        child
        if isinstance(child, str)
        else _load(child, vocabulary, f"{path}.children[{place}]", level + 1)
        for place, child in enumerate(cast("list[object]", children))
    ]
    element = Element.of(component, nodes)
    return element if key is None else element.keyed(key)


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
        given = _without_nulls(props, cls)
        if given == props:
            raise
    return cls(**given)


def _without_nulls(props: Mapping[str, Any], cls: type[Component]) -> Mapping[str, Any]:
    """The props without the nulls by which a strict dialect leaves props out."""
    from ujsx.schema import without_nulls  # only mistakes and strict dialects need it

    try:
        return cast("dict[str, Any]", without_nulls(dict(props), cls))
    except SchemaError:  # no dialect has a component that has no schema
        return props


def _object(data: object, path: str, rule: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise LoadError(f"{rule}, not {shown(data)}", path=path)
    return cast("Mapping[str, Any]", data)


def _prop_path(path: str, error: PropError) -> str:
    _, _, prop = (error.path or "").partition(".")
    return f"{path}.props.{prop}" if prop else f"{path}.props"

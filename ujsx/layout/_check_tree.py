"""``check_tree``: what is wrong with a tree that was given as data, and where in the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ujsx.components._component import Component, as_element
from ujsx.components._element import Node
from ujsx.layout._check import Rule
from ujsx.mdast._content_model import CONTENT_MODELS, Content, refusal
from ujsx.mdast._nodes import Text


def check_tree(tree: Node, *, rule: Rule | None = None) -> Iterator[tuple[str, str]]:
    """Yield what stands where it cannot stand, and what a rule says: the place in the data, a sentence.

    The same as ``check_layout`` says of a document, but for what a rendering refuses.

    :param tree: a tree as :func:`ujsx.load` returns it.
    :param rule: what else has to be right of a component.

    >>> from ujsx import load
    >>> tree = load({"type": "List", "children": [{"type": "Strong", "children": ["a"]}]})
    >>> [*check_tree(tree)]
    [('$.children[0]', 'a List holds Items, not a Strong')]
    """
    yield from _mistakes(tree, "$", "flow", rule, ())


def _mistakes(
    node: Node, path: str, place: Content | None, rule: Rule | None, around: Sequence[Component]
) -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        model = CONTENT_MODELS[Text]
        if place is not None and not model.fits(place):
            yield path, refusal(Text.__name__, model, place)
        return
    element = as_element(node)
    component, children = element.component, element.children
    told = type(component).content_model
    if told is not None and place is not None and not told.fits(place):
        yield path, refusal(type(component).__name__, told, place)
    for prop, message in () if rule is None else rule(component, around, bool(children)):
        yield (f"{path}.props.{prop}" if prop else path), message
    inner = None if told is None else place if told.is_transparent else told.holds
    for number, child in enumerate(children):
        yield from _mistakes(
            child, f"{path}.children[{number}]", inner, rule, (*around, component)
        )

"""``check_tree``: all that is wrong with a tree that was given as data, and where in the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ujsx.components._component import Component
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.layout._check import Rule, sentence
from ujsx.mdast._content_model import CONTENT_MODELS, Content, refusal
from ujsx.mdast._nodes import Text
from ujsx.trees._data import load


def check_tree(
    data: Mapping[str, Any],
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    rule: Rule | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield what stands where it cannot stand, and what a rule says: the place in the data, a sentence.

    The same as ``check_layout`` says of a document, but for what only a rendering refuses.

    :param data: a tree as :func:`ujsx.load` takes it.
    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param rule: what else has to be right of a component.
    :raises LoadError: for what cannot be loaded.

    >>> [*check_tree({"type": "List", "children": [{"type": "Strong", "children": ["a"]}]})]
    [('$.children[0]', 'a List holds Items, not a Strong')]
    """
    known = Vocabulary.of(vocabulary)
    load(data, known)
    yield from _Walk(known, rule).mistakes(data, "$", "flow", ())


class _Walk:
    """A walk through data that can be loaded: what is loaded has no place in the data any more."""

    def __init__(self, known: Vocabulary, rule: Rule | None) -> None:
        self._known = known
        self._rule = rule

    def mistakes(
        self, node: Any, path: str, place: Content | None, around: Sequence[Component]
    ) -> Iterator[tuple[str, str]]:
        if isinstance(node, str):
            model = CONTENT_MODELS[Text]
            if place is not None and not model.fits(place):
                yield path, refusal(Text.__name__, model, place)
            return
        component = load({**node, "children": []}, self._known).component
        children = node.get("children", ())
        told = type(component).content_model
        if told is not None and place is not None and not told.fits(place):
            yield path, refusal(type(component).__name__, told, place)
        if self._rule is not None:
            for prop, wrong in self._rule(component, around, bool(children)):
                yield (f"{path}.props.{prop}" if prop else path), sentence(wrong)
        inner = None if told is None else place if told.is_transparent else told.holds
        for number, child in enumerate(children):
            within = f"{path}.children[{number}]"
            yield from self.mistakes(child, within, inner, (*around, component))

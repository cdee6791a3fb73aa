"""The check that there is anything to test: a tree that shows nothing passes every test.

A layout's sections look in the context for what they show. Where that was not bound, nothing is shown, and no test
of it can fail. What was given data shows nothing because there is nothing in them, as in ``Notes(notes=())``; and of
the many examples that Hypothesis makes up, some may.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from typing import Any, TypeVar

from msgspec import field

from ujsx import Children, Component, Element, RenderContext, Rendered
from ujsx.components import Now
from ujsx.components._component import as_element
from ujsx.errors import listed
from ujsx.mdast import Heading
from ujsx.rendering._account import PiecesAccount

T = TypeVar("T")


class AskedContext(RenderContext, frozen=True):
    """A context that notes what components looked for in it, and was not there.

    >>> context = AskedContext().with_value(3)
    >>> context.get(int), context.get(Now), [*context.missed]
    (3, None, [<class 'ujsx.components._now.Now'>])
    """

    missed: dict[type[Any], None] = field(default_factory=dict[type[Any], None])
    """The classes, in the order in which they were looked for; one for all contexts that are made of this one."""

    def get(self, kind: type[T]) -> T | None:
        """Return the value of that class, or note that there is none."""
        value = super().get(kind)
        if value is None:
            self.missed[kind] = None
        return value

    @classmethod
    def of(cls, context: RenderContext) -> AskedContext:
        """Return a context that is like another."""
        return cls(*(getattr(context, name) for name in RenderContext.__struct_fields__))


def shows_nothing(rendered: Rendered) -> bool:
    """Tell whether nothing but headings of sections stands in a rendering.

    Of one that was pickled that is not known, unless it is empty.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Section
    >>> [shows_nothing(render_document(Section(title="A")[child])) for child in ("", "b")]
    [True, False]
    """
    account = rendered.account
    if not rendered.text or not isinstance(account, PiecesAccount):
        return not rendered.text
    return all(
        not part.blocks if part.piece.ladder else all(type(each) is Heading for each in part.blocks)
        for part in account.pieces
    )


def why_nothing(nodes: Children, missed: Collection[type[Any]]) -> str | None:
    """Return why trees that show nothing do so, and what to give; None where that may be meant.

    :param missed: what their components looked for, and was not bound.
    """
    if not missed or is_one_of_many() or any(map(_was_given_data, _components(nodes))):
        return None
    kinds = " and ".join(kind.__name__ for kind in missed)
    advice = (
        "give now=, in milliseconds since the Unix epoch"
        if {*missed} == {Now}
        else "give state=, such as session.state(), or context=RenderContext().with_value(…)"
    )
    return (
        f"there is nothing to test: of {shown_by(nodes)} nothing is shown, not even in full; {kinds} is looked for in "
        f"the context, and not bound; {advice}"
    )


def is_one_of_many() -> bool:
    """Tell whether a test is run with what Hypothesis makes up: of many examples, some show nothing."""
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis is not None and bool(hypothesis.currently_in_test_context())


def shown_by(nodes: Children) -> str:
    """Return the names of the components that have no others in them, as a message lists them."""
    leaves = (type(each).__name__ for each in _components(nodes, leaves=True))
    return listed([*dict.fromkeys(leaves)]) or "an empty tree"


def _components(nodes: Iterable[Any], *, leaves: bool = False) -> Iterator[Component]:
    """The components in trees, in their order; those without children alone if that is asked for."""
    waiting: list[Any] = [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        if type(node) is Element:
            inside = [each for each in node.children if not isinstance(each, str)]
            waiting += inside[::-1]
            if leaves and inside:
                continue
        if not isinstance(node, str):
            yield as_element(node).component


def _was_given_data(component: Component) -> bool:
    """Tell whether a prop of it holds something to show, or says that there is nothing: None, or a collection or a
    text that is empty. Numbers, choices and words say how to show it.
    """
    given = (getattr(component, name) for name in component.model_fields_set)
    return any(not (isinstance(each, _SETTINGS) and each != "") for each in given)


_SETTINGS = (int, float, str, Enum)
"""What is no data where nothing is shown of it."""

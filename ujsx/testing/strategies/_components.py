"""Components with any valid props."""

from __future__ import annotations

from typing import Any, TypeVar, cast, overload

from hypothesis import strategies as st

from ujsx import Component
from ujsx.components._vocabulary import ComponentClass
from ujsx.errors import StrategyError, did_you_mean
from ujsx.testing.strategies._values import ValuesOf

C = TypeVar("C", bound=Component)


@overload
def components(kind: type[C], /, **props: st.SearchStrategy[Any]) -> st.SearchStrategy[C]: ...
@overload
def components(
    kind: ComponentClass, /, **props: st.SearchStrategy[Any]
) -> st.SearchStrategy[Component]: ...
def components(
    kind: ComponentClass, /, **props: st.SearchStrategy[Any]
) -> st.SearchStrategy[Component]:
    """Return a component with any props that it takes.

    The props come from the class's own schema: lengths, patterns, bounds, unions, nested models,
    enums, tuples and frozen mappings are respected. Models of a kind lie in each other three deep
    at most; an optional prop is sometimes left out. Texts are :func:`hostile_texts`. What a
    validator function of the class refuses is not returned; if it refuses nearly everything, give
    the prop values of its own.

    :param kind: the component class, or what the ``component`` decorator gave.
    :param props: strategies for some of the props, in place of those of the schema.
    :raises StrategyError: for a prop that the class does not have, for one whose schema says
        nothing about its values, and for a class that always holds another of itself.

    >>> from hypothesis import find
    >>> from ujsx.elements import Heading
    >>> find(components(Heading), lambda heading: heading.depth > 3)
    Heading(depth=4)
    """
    cls = cast("type[Component]", kind)
    for name in props:
        if name not in cls.model_fields:
            raise StrategyError(
                f"no such prop; {did_you_mean(name, cls.model_fields)}",
                path=f"{cls.__name__}.{name}",
            )
    cls.model_rebuild()
    schema: Any = cls.__pydantic_core_schema__
    made = ValuesOf({cls: props})(schema)
    if made.is_empty:
        raise StrategyError("it holds itself without end", path=cls.__name__)
    return made

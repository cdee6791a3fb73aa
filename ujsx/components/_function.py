"""Components written as functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    Protocol,
    get_type_hints,
)

from pydantic import ConfigDict

from ujsx.components._component import Component
from ujsx.components._element import Child, Children
from ujsx.components._examples import Examples
from ujsx.errors import DefinitionError

if TYPE_CHECKING:
    from ujsx.components._context import RenderContext

P = ParamSpec("P")


class FunctionComponent(Protocol[P]):
    """What :func:`component` gives: called with the function's props, it makes a node.

    At run time it is a ``Component`` subclass, and can be used wherever one is wanted.
    """

    examples: Examples
    """The examples of the component, by name: ``Badge.examples = lambda: {"new": Badge(label="new")}``."""

    def __call__(self, *args: P.args, **props: P.kwargs) -> Component: ...


def component(
    function: Callable[Concatenate[RenderContext, Children, P], Child],
) -> FunctionComponent[P]:
    r"""Make a component of a function of the context, the children, and props by keyword.

    The result is a real ``Component`` subclass. Its name and description are the function's; its
    props are the keyword-only parameters, described by ``Annotated[…, Field(description=…)]``.

    :raises DefinitionError: for a parameter that is not keyword-only, or has no annotation.

    >>> from ujsx import Child, Children, RenderContext, render
    >>> @component
    ... def Badge(ctx: RenderContext, children: Children, *, label: str) -> Child:
    ...     '''A label, and what it labels.'''
    ...     return [label, ": ", children]
    >>> Badge(label="new")
    Badge(label='new')
    >>> render(Badge(label="new")["text"])
    'new: text\n'
    """
    caller = sys._getframe(1).f_locals  # noqa: SLF001 - annotations may name what is local to the author

    def render(self: Component, ctx: RenderContext, children: Children) -> Child:
        return function(ctx, children, **self.__dict__)  # type: ignore[call-arg]

    render.__wrapped__ = function  # type: ignore[attr-defined]
    props, defaults = _props_of(function, caller)
    namespace: dict[str, Any] = {
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__doc__": function.__doc__,
        "__annotations__": props,
        "model_config": ConfigDict(use_attribute_docstrings=False),
        "render": render,
        **defaults,
    }
    make: Any = type(Component)
    made: FunctionComponent[P] = make(function.__name__, (Component,), namespace)
    return made


def _props_of(
    function: Callable[..., Any], caller: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The props' types and their defaults, from the function's keyword-only parameters."""
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) < 2 or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters[:2]):
        props = [p for p in parameters if p.name not in {"ctx", "children"}]
        line = ", ".join(["ctx", "children", *(["*"] if props else []), *map(str, props)])
        raise DefinitionError(
            f"{function.__name__}: a component function begins with (ctx, children); write def {function.__name__}({line})"
        )
    for parameter in parameters[2:]:
        place = f"{function.__name__}({parameter.name})"
        if parameter.kind is not parameter.KEYWORD_ONLY:
            raise DefinitionError(f"{place}: a prop is keyword-only; put it behind a *")
        if parameter.annotation is parameter.empty:
            raise DefinitionError(
                f"{place}: a prop needs an annotation, such as {parameter.name}: str"
            )

    class Props:
        __annotations__ = {parameter.name: parameter.annotation for parameter in parameters[2:]}

    try:
        types = get_type_hints(Props, function.__globals__, dict(caller), include_extras=True)
    except NameError as error:
        raise DefinitionError(
            f"{function.__name__}: an annotation names {error.name}, which is not defined where "
            "the function stands; define or import it first"
        ) from error
    defaults = {p.name: p.default for p in parameters[2:] if p.default is not p.empty}
    return types, defaults

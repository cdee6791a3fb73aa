"""The examples of a component: nodes by name, which tests, previews and the reference show.

They are made when somebody asks, so a class with examples costs no more to import than one without. They are checked
then, too: a node that its component does not take is reported with the line that makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ujsx.errors import DefinitionError, UjsxError, shown

if TYPE_CHECKING:
    from ujsx.components._component import Component
    from ujsx.components._element import Element

Examples: TypeAlias = "Callable[[], Mapping[str, Component | Element]]"
"""The type of a component's examples: a function without arguments that returns nodes by name."""


def no_examples() -> Mapping[str, Component | Element]:
    """Return the examples of a class that declares none."""
    return {}


def examples_of(kind: type[Component]) -> dict[str, Component | Element]:
    """Return the examples that a component's class declares, by name.

    Those of the classes that it extends are not its own.

    :raises DefinitionError: for a class without examples, and for what is not a node of the class; the message has
        the file and the line.

    >>> from ujsx import Component
    >>> class Badge(Component):
    ...     examples = lambda: {"new": Badge(label="new"), "with text": Badge(label="tip")["Save early"]}
    ...     label: str
    >>> examples_of(Badge)["new"]
    Badge(label='new')
    """
    declared: Any = vars(kind).get("examples")
    if not has_examples(kind):
        raise DefinitionError(
            f'{kind.__name__} declares no examples; write examples = lambda: {{"usual": {kind.__name__}(…)}} in the '
            "class, or name a node of it"
        )
    function = getattr(declared, "__func__", declared)  # of a static or a class method
    if not callable(function):
        raise DefinitionError(
            f"{kind.__name__}.examples is a function that returns nodes by name, not {shown(declared)}; write "
            f'examples = lambda: {{"usual": {kind.__name__}(…)}}'
        )
    try:
        made: Any = cast("Any", kind).examples()
    except Exception as error:
        reason = str(error) if isinstance(error, UjsxError) else f"{type(error).__name__}: {error}"
        raise DefinitionError(
            f"{kind.__name__}.examples{_place(function, error)}: {reason}"
        ) from error
    return _checked(kind, made, _place(function))


def has_examples(kind: type[Component]) -> bool:
    """Tell whether a component's class declares examples of its own."""
    return vars(kind).get("examples", no_examples) is not no_examples


def _checked(kind: type[Component], made: Any, place: str) -> dict[str, Component | Element]:
    from ujsx.components._component import Component, as_element
    from ujsx.components._element import Element

    problem = f"{kind.__name__}.examples{place}: "
    if not issubclass(type(made), Mapping) or not made:
        raise DefinitionError(
            f"{problem}nodes by name are wanted, and at least one, not {shown(made)}"
        )
    found: dict[str, Component | Element] = {}
    name: Any
    node: Any
    for name, node in made.items():
        if not issubclass(type(name), str) or not name.strip():
            raise DefinitionError(f"{problem}the name of an example is a text, not {shown(name)}")
        is_node = issubclass(type(node), Component | Element)
        if not is_node or not issubclass(type(as_element(node).component), kind):
            raise DefinitionError(f'{problem}"{name}" is not a {kind.__name__}, but {shown(node)}')
        found[name] = node
    return found


def _place(function: Any, error: Exception | None = None) -> str:
    """The file and the line that an error comes from, in the function itself; that of the function without one."""
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    line, trace = code.co_firstlineno, None if error is None else error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" ({code.co_filename}:{line})"

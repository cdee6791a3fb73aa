"""Whether a component's ``render`` reads its children: one that never does cannot show them.

It is read off the compiled function when somebody asks, once for a class: where children are attached, a tree is
loaded, or its schema made. A class that says ``takes_children`` itself is not looked at.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ujsx.components._component import Component


class ReadsChildren:
    """The class variable ``takes_children`` of a class that does not say it.

    :param function: what the component was written as, called with the context and the children; its ``render``, called
        with the node before them, when None.

    >>> from ujsx import Component
    >>> class Oven(Component):
    ...     load: int = 0
    ...     def render(self, ctx, children):
    ...         return f"{self.load} %"
    >>> Oven()["bread"]
    Traceback (most recent call last):
    ujsx.errors.ChildError: Oven: it takes no children, as its render does not read them; put them beside it, or into a prop: load
    """

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self._function = function

    def __get__(self, node: object, cls: Any) -> bool:
        found = (
            cls.is_primitive or _reads(cls.render, 2)
            if self._function is None
            else _reads(self._function, 1)
        )
        cls.takes_children = found
        return found


def look_again(cls: type[Component]) -> None:
    """Have a new class looked at, if its ``render`` is another than that of the components it is derived from.

    Where one of these says what it takes, that holds for what is derived from it, too.
    """
    said: Any = vars(cls).get("takes_children")
    if said is not None:
        cls._says_children = not isinstance(said, ReadsChildren)
    elif not cls._says_children and not any(_renders_so(base, cls) for base in cls.__bases__):
        cls.takes_children = LOOKED_AT


def _renders_so(base: type[Any], cls: type[Component]) -> bool:
    return isinstance(base, type(cls)) and base.render is cls.render


def _reads(function: object, place: int) -> bool:
    """Tell whether a function may read its argument at a place; of what is no plain function nothing is known."""
    if not isinstance(function, FunctionType):
        return True
    code: CodeType = function.__code__
    if place >= code.co_argcount:  # it takes ``*arguments``
        return True
    name = code.co_varnames[place]
    if name in code.co_cellvars or not _BY_NAME.isdisjoint(code.co_names):
        return True
    return any(
        "LOAD_FAST" in each.opname and _has(each, name) for each in dis.get_instructions(code)
    )


def _has(instruction: dis.Instruction, name: str) -> bool:
    """Tell whether an instruction is about a variable; in CPython 3.13 one may be about two."""
    about: Any = instruction.argval
    return name in about if isinstance(about, tuple) else about == name


LOOKED_AT: Any = ReadsChildren()
"""What a class has whose own ``render`` says it."""

_BY_NAME = frozenset({"eval", "exec", "locals", "vars"})
"""Functions that read variables without naming them."""

"""The places in a template of ``jsx`` that a component's values come from, beside the component: no part of its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

if TYPE_CHECKING:
    from ujsx.components._component import Component


class Interpolation(NamedTuple):
    """A value in braces of a template: its expression, and its place."""

    expression: str
    """The content of the braces: an expression of Python in a t-string, else the name of a value."""

    line: int
    """The line of its opening brace in the template, from 1."""

    column: int
    """The column of that, from 1."""

    prop: str | None = None
    """The prop that it is the value of; None for a child."""

    def __str__(self) -> str:
        name = "" if self.prop is None else f"{self.prop}="
        return f"{name}{{{self.expression}}} at line {self.line}, column {self.column}"


def interpolations_of(component: Component) -> tuple[Interpolation, ...]:
    """Return the values of a template that a component is, or that are props of it; none for one of other origin.

    >>> from ujsx import jsx
    >>> from ujsx.components import as_element
    >>> tree = jsx("<Section title={title}>{text}</Section>", title="Notes", text="a")
    >>> [str(each) for each in interpolations_of(as_element(tree).component)]
    ['title={title} at line 1, column 16']
    """
    known = _NOTED.get(id(component))
    return () if known is None or known[0]() is not component else known[1]


def note_interpolations(component: Component, found: tuple[Interpolation, ...]) -> None:
    """Keep the places of a component's values for as long as it lives."""
    key = id(component)
    _NOTED[key] = ref(component, lambda _: _NOTED.pop(key, None)), found


_NOTED: dict[int, tuple[ref[Any], tuple[Interpolation, ...]]] = {}

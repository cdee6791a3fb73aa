"""The result of an edit: operations, and what cannot be decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Edit:
    """One operation of the tool ``hud`` that an edit stands for.

    >>> print(Edit("notes.remove", {"id": "n-2"}, 7))
    notes.remove id='n-2'
    """

    operation: str
    """Its name, such as "notes.update"."""

    arguments: Mapping[str, object]
    """Its arguments. An item is named by its id; one that has none yet, by its exact text."""

    line: int
    """The line of the edited text that it comes from, counted from 1."""

    def __str__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.arguments.items())
        return " ".join((self.operation, *given))


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in an edited text that is no operation, or could be several.

    >>> print(Problem("there is no `n-9`", 7, 1, "Notes", "id"))
    line 7, column 1: Notes, id: there is no `n-9`
    """

    message: str
    """What it is, and what to do."""

    line: int
    """The line of the edited text, counted from 1; of what is missing, where it is missed."""

    column: int
    """The column in that line, counted from 1."""

    section: str
    """The title of the section, or the component's name where a line has no title."""

    field: str | None = None
    """The field of the item that it is about; None when it is about more."""

    def __str__(self) -> str:
        place = self.section if self.field is None else f"{self.section}, {self.field}"
        return f"line {self.line}, column {self.column}: {place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Changes:
    """The result of editing a HUD."""

    operations: tuple[Edit, ...] = ()
    """What to do, in this order."""

    problems: tuple[Problem, ...] = ()
    """What cannot be decided, in the order of the text. Nothing should be done until it is empty:
    an operation may be there because of what could not be read."""

    def data(self) -> dict[str, Any]:
        """Return both as JSON data.

        >>> Changes((Edit("notes.remove", {"id": "n-2"}, 7),)).data()["operations"]
        [{'op': 'notes.remove', 'arguments': {'id': 'n-2'}, 'line': 7}]
        """
        return {
            "operations": [
                {"op": each.operation, "arguments": dict(each.arguments), "line": each.line}
                for each in self.operations
            ],
            "problems": [
                {
                    "message": each.message,
                    "line": each.line,
                    "column": each.column,
                    "section": each.section,
                    "field": each.field,
                }
                for each in self.problems
            ],
        }

"""Several calls in one: a list of calls, or a list where an operation takes one value.

In: what a model sent. Out: the calls that it is made of, in their order; :class:`ujsx.tools.Toolset` does all of them
or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, get_origin

from ujsx.components._documented import first_text
from ujsx.schema._router import ARGS, OP
from ujsx.tools._json import CallError, as_list, as_object, list_in, place
from ujsx.tools._lenient import same
from ujsx.tools._names import fields_at, folded, names_by_field
from ujsx.tools._operation import Operation
from ujsx.tools._result import ToolResult

MOST = 100
"""Calls in one at most: they keep others from recording until the last is done."""

SEVERAL = (
    'several at once, all or none: {"calls": [{"op": …}, …]}, or a list of texts or objects for "items" where an operation'
    " takes one item"
)
"""What help says of several calls."""

LEVELS = 1
"""How deep several calls may be inside several: a list of calls, each with a list of items."""

ITEMS = ("items", "list", "values", "entries")
"""What a list of items is called whatever they are."""


class SeveralError(CallError):
    """Several calls where a toolset does one at a time."""

    def __init__(self, parts: Sequence[Any], *, path: str | None = None) -> None:
        super().__init__(
            f"one operation in a call, not a list of {len(parts)}; send the first, then call again for the next",
            path=path,
        )
        self.parts = parts

    def of(self, operation: Operation, beside: dict[str, Any]) -> SeveralError:
        """Return the calls of one operation, of which these are the arguments.

        :param beside: the arguments that all of them have.
        """
        parts = [{OP: operation.name, **beside, ARGS: each} for each in self.parts]
        return SeveralError(parts, path=self.path)


def spread(operation: Operation, data: dict[str, Any], at: tuple[str, ...]) -> SeveralError | None:
    """Return the calls that arguments make where a list stands for one value; None where none does, or several do.

    A list is known by the name of the argument whose values it holds, or of what the operation is about:
    ``{"op": "steps.add", "steps": ["Write tests", "Run them"]}``.

    >>> from pydantic import BaseModel
    >>> class Step(BaseModel):
    ...     description: str
    >>> add = Operation("steps.add", Step, lambda step: None, per_item=True)
    >>> spread(add, {"steps": ["a", {"description": "b"}]}, ()).parts
    [{'op': 'steps.add', 'description': 'a'}, {'op': 'steps.add', 'description': 'b'}]
    """
    if not operation.per_item:
        return None
    found = [name for name in data if _items(operation, name, data[name]) is not None]
    if len(found) != 1:
        return None
    [name] = found
    rest = {each: value for each, value in data.items() if each != name}
    made = [
        *_each(_items(operation, name, data[name]) or (), first_text(operation.arguments), rest)
    ]
    parts = [{OP: operation.name, **each} for each in made if each is not None]
    return SeveralError(parts, path=place((*at, name))) if len(parts) == len(made) else None


def with_lists(operation: Operation, data: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with lists in place of their JSON texts, but for arguments that may be texts themselves."""
    found = {
        name: items
        for name, value in data.items()
        if isinstance(value, str) and value.lstrip()[:1] == "[" and (items := list_in(value))
    }
    if not found or not (operation.per_item or operation.respelt):
        return data
    fields = operation.arguments.model_fields
    for field, known in names_by_field(operation.arguments).items():
        if get_origin(fields[field].annotation) not in {list, tuple}:
            found = {name: items for name, items in found.items() if name not in known}
    return {**data, **found}


def _each(
    items: Sequence[Any], field: str | None, rest: dict[str, Any]
) -> Iterator[dict[str, Any] | None]:
    """The arguments of each call; None for one that has a value twice, or no field for its value."""
    for item in items:
        given = as_object(item)
        if given is None and field is not None and not isinstance(item, list) and item is not None:
            given = {field: item}
        if given is None or any(
            name in rest and not same(rest[name], given[name]) for name in given
        ):
            yield None
        else:
            yield {**rest, **given}


def _items(operation: Operation, name: str, value: object) -> list[Any] | None:
    """The items of a list that stands for the operation's first text, or that has a name for them."""
    if name in fields_at(operation.arguments, ()):
        is_free = name == first_text(operation.arguments)
    else:
        other = operation.respelt({name: value}).get(name) if operation.respelt else None
        text = first_text(operation.arguments)
        is_free = folded(name) in _names(operation) or (other is not None and other[0] == text)
    return (as_list(value) or None) if is_free else None


def _names(operation: Operation) -> set[str]:
    """The names that a list of an operation's items may have: its section's, and the plural of its first text."""
    about, text = operation.name.rpartition(".")[0], first_text(operation.arguments)
    words = [*ITEMS, about, about.removesuffix("s"), *([f"{text}s"] if text else [])]
    return {folded(each) for each in words if each}


class RefusedError(Exception):
    """One of several calls that is refused, so that none is done."""

    def __init__(self, number: int, count: int, result: ToolResult) -> None:
        super().__init__(number, count)
        self.number, self._count, self._said = number, count, result

    def told_anew(self, now: ToolResult) -> None:
        """Say what the call is refused with now that those before it are taken back; of what they changed, say that.

        :param now: the answer to the call by itself.
        """
        if now.is_error and _first(now.text) == _first(self._said.text):
            self._said = now
        else:
            before = (
                "call 1, which is" if self.number == 2 else f"calls 1–{self.number - 1}, which are"
            )
            self._said = replace(self._said, text=f"(After {before} undone:) {self._said.text}")

    @property
    def result(self) -> ToolResult:
        """The answer."""
        text = (
            f"Nothing was done: call {self.number} of {self._count} is refused. {self._said.text}"
        )
        return replace(self._said, text=text, data={**self._said.data, "call": self.number})


class TakenBackError(Exception):
    """The end of a trial, whose transaction is to be taken back."""


def _first(text: str) -> str:
    """What a refusal says before the names that are known."""
    return text.partition(";")[0]


def unless_refused(result: ToolResult, number: int, count: int) -> ToolResult:
    """Return the answer to one of several calls.

    :raises RefusedError: for an error.
    """
    if result.is_error:
        raise RefusedError(number, count, result)
    return result


def in_one(results: Sequence[ToolResult]) -> ToolResult:
    """Return the one answer of several calls: the answers below one another, and the data of each by its operation."""
    return ToolResult(
        "\n".join(each.text for each in results),
        data=[{"op": each.operation, "data": each.data} for each in results],
        repairs=tuple(repair for each in results for repair in each.repairs),
    )

"""The arguments that a call has in two places: inside an object of arguments, and beside it."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel

from ujsx.errors import shown
from ujsx.tools._json import CallError, place
from ujsx.tools._lenient import same, told
from ujsx.tools._null import is_value

Data: TypeAlias = dict[str, Any]

Disputed: TypeAlias = dict[str, CallError]
"""What is null in one of the places and not in the other, by name, with what is then said of it. Whether
null is a value there is known when the operation is."""


def joined(beside: Data, inner: Data, at: tuple[str, ...], disputed: Disputed) -> Data:
    """The arguments beside an object and inside it, together.

    Null gives way to what else is said under its name, which is noted in ``disputed``.

    :raises CallError: for what stands in both, and is not the same.
    """
    both = {**beside}
    for name, value in inner.items():
        outer = both.get(name)
        if name in both and not same(outer, value):
            error = _twice(name, value, outer, at)
            if value is not None and outer is not None:
                raise error
            disputed.setdefault(name, error)
        if value is not None or name not in both:
            both[name] = value
    return both


def check_disputed(model: type[BaseModel], disputed: Disputed) -> None:
    """Refuse null beside another value where null is a value too.

    :raises CallError: for the first such argument.
    """
    for name, error in disputed.items():
        if is_value(model, name):
            raise error


def _twice(name: str, inner: object, outer: object, at: tuple[str, ...]) -> CallError:
    return CallError(
        f"{shown(name)} is given twice, as {told(inner)} and outside as {told(outer)}; send it once",
        path=place(at),
    )

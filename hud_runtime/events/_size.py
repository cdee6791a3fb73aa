"""Whether the texts of an event are within the limit: asked where it comes in, and only there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

from pydantic import BaseModel

from hud_runtime._errors import EventError
from hud_runtime._limits import Limits

Place: TypeAlias = tuple[str | int, ...]


def check_size(event_type: str, value: BaseModel, limits: Limits) -> None:
    """Refuse a payload, or a whole event, that has a text above the limit.

    :raises EventError: that names the field, its size, and what raises the limit.

    >>> from hud_runtime.events import PAYLOADS
    >>> check_size("note.add", PAYLOADS["note.add"](content="Port 8080"), Limits(text=5))
    Traceback (most recent call last):
    hud_runtime._errors.EventError: note.add: the field "content" has 9 characters, and 5 is the limit; UJSX_MAX_TEXT or Limits(text=…) raises it
    """
    found = _too_long(value, limits.text)
    if found is not None:
        place, size = found
        name = ".".join(map(str, place))
        raise EventError(f'{event_type}: the field "{name}" {limits.refusal("text", size)}')


def _too_long(value: BaseModel | tuple[object, ...], limit: int) -> tuple[Place, int] | None:
    """The place of the first text above the limit, and its size."""
    parts: Iterable[tuple[str | int, object]]
    parts = value.__dict__.items() if isinstance(value, BaseModel) else enumerate(value)
    for name, part in parts:
        if isinstance(part, str):
            if len(part) > limit:
                return (name,), len(part)
        elif isinstance(part, (BaseModel, tuple)):
            within = cast("BaseModel | tuple[object, ...]", part)
            if (found := _too_long(within, limit)) is not None:
                place, size = found
                return (name, *place), size
    return None

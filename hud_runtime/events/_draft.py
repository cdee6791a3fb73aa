"""An event before the store has taken it: no id, no version, perhaps no time; and whether it is too long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from pydantic import BaseModel

from hud_components import Actor
from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from hud_runtime.events._types import EventType
from ujsx import FrozenMapping
from ujsx.components import fields_of


class Validated(Mapping[str, object]):
    """The fields that a model was given, as a payload that is not validated a second time.

    >>> from hud_components import NoteDraft
    >>> dict(Validated(NoteDraft(content="Port 8080")))
    {'content': 'Port 8080'}
    """

    def __init__(self, model: BaseModel) -> None:
        self.model = model

    def __getitem__(self, name: str) -> object:
        if name not in self.model.model_fields_set:
            raise KeyError(name)
        return getattr(self.model, name)

    def __iter__(self) -> Iterator[str]:
        given = self.model.model_fields_set
        return (name for name in fields_of(type(self.model)) if name in given)

    def __len__(self) -> int:
        return len(self.model.model_fields_set)

    def given(self) -> dict[str, object]:
        """Return the fields by name, in the model's order."""
        values = vars(self.model)
        return {name: values[name] for name in self}


@dataclass(frozen=True, slots=True)
class EventDraft:
    """The argument of :meth:`HudSession.record`, as a value.

    >>> EventDraft("note.add", {"content": "Port 8080"}).actor
    'agent'
    """

    type: EventType
    """What kind of thing happened."""

    payload: Mapping[str, object]
    """What exactly; checked against the type's model when it is recorded."""

    turn: int | None = None
    """The agent's turn; None means that of the event before."""

    timestamp: int | None = None
    """When, in milliseconds since the epoch; None means when it is recorded."""

    actor: Actor = "agent"
    """Who says it."""


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


Holder: TypeAlias = "BaseModel | tuple[object, ...] | FrozenMapping[str, object]"


def _too_long(value: Holder, limit: int) -> tuple[Place, int] | None:
    """The place of the first text above the limit, and its size."""
    parts: Iterable[tuple[str | int, object]]
    if isinstance(value, tuple):
        parts = enumerate(value)
    else:
        parts = value.__dict__.items() if isinstance(value, BaseModel) else value.items()
    for name, part in parts:
        if isinstance(part, str):
            if len(part) > limit:
                return (name,), len(part)
        elif isinstance(part, (BaseModel, tuple, FrozenMapping)):
            within = cast("Holder", part)
            if (found := _too_long(within, limit)) is not None:
                place, size = found
                return (name, *place), size
    return None

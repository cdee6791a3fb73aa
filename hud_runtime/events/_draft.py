"""An event before the store has taken it: no id, no version, perhaps no time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from hud_components import Actor
from hud_runtime.events._types import EventType
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


@dataclass(frozen=True, slots=True)
class EventDraft:
    """What :meth:`HudSession.record` takes, as a value.

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

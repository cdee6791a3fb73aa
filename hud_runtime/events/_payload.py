"""What all payloads share: the fields of a new item, of an operation on one, of a change.

A payload holds what its author can know. A new item may bring an id of its own; otherwise the
store makes one. An operation on an item names it by ``id``.
"""

from __future__ import annotations

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from hud_components import HudModel, Line

LARGEST = 2**53 - 1
"""The largest number that JSON readers everywhere keep exact (RFC 8259, section 6)."""


class Payload(HudModel):
    """What an event says, beyond who said it and when."""


class New(Payload):
    """A new item."""

    id: Line | None = None
    """An id of the author's choice; the store makes a short one where there is none."""


class Target(Payload):
    """An operation on one item."""

    id: Line
    """The item's id."""


class Update(Target):
    """New values for some fields of an item; a field that is not given stays as it is.

    >>> from hud_runtime.events import NoteUpdate
    >>> NoteUpdate(id="n-2", content="Port 8080").values()
    {'content': 'Port 8080'}
    """

    def values(self) -> dict[str, object]:
        """Return the fields that change, with their new values."""
        given = (name for name in type(self).model_fields if name in self.model_fields_set)
        return {name: getattr(self, name) for name in given if name != "id"}

    @model_validator(mode="after")
    def _says_something(self) -> Update:
        if not self.values():
            known = ", ".join(name for name in type(self).model_fields if name != "id")
            raise ValueError(f"nothing would change; give at least one of: {known}")
        return self

    @model_serializer(mode="wrap")
    def _only_what_changes(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written = write(self)
        return {name: value for name, value in written.items() if name in self.model_fields_set}

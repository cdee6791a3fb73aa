"""One event of a session: the envelope, and a payload that its type determines.

Events of a domain form a discriminated union over ``type``: for each type there is a subclass of
:class:`Event` whose ``type`` is that literal and whose payload is that type's model. They are made
when first needed (``_catalog``).
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, SerializeAsAny

from hud_components import Actor, HudModel, Milliseconds
from hud_components.folding import LARGEST, Payload


class Event(HudModel):
    """Something that happened in a session, as it stands in the log."""

    made_by: ClassVar[str] = 'session.record("…", …), or EventDraft("…", {…})'

    id: Annotated[str, Field(min_length=1)]
    """Unique, and ordered by the time at which the store took it (a UUID of version 7)."""

    session_id: Annotated[str, Field(min_length=1)]
    """The session it belongs to."""

    version: Annotated[int, Field(ge=1)]
    """Its place in the session: 1, 2, 3 … without a gap."""

    turn: Annotated[int, Field(ge=0, le=LARGEST)]
    """The agent's turn in which it happened; 0 before the first."""

    timestamp: Annotated[Milliseconds, Field(le=LARGEST)]
    """When it happened."""

    actor: Actor
    """Who says it."""

    type: str
    """What kind of thing happened."""

    payload: SerializeAsAny[Payload]
    """What exactly; its class follows from the type."""

"""From drafts to the events that a session appends, and the state that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Generic, TypeVar

from hud_components import Domain, State
from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from hud_runtime.events import Event, EventDraft, Payload, SessionStart, catalog_of, check_size
from hud_runtime.secrets import Secrets
from hud_runtime.session._plan import after, meant, plan
from hud_runtime.session._view import Known
from hud_runtime.store import EventIds

StateT = TypeVar("StateT", bound=State)


@dataclass(frozen=True, slots=True)
class Planned(Generic[StateT]):
    """What became of some drafts."""

    events: tuple[Event, ...]
    known: Known[StateT]
    """What is known once they are appended."""

    complaints: list[tuple[EventDraft, EventError]]
    """What was refused, and why."""


@dataclass(frozen=True, slots=True)
class Recorder(Generic[StateT]):
    """Makes the events of one session; it appends none, and keeps nothing."""

    session_id: str
    domain: Domain[StateT]
    ids: EventIds
    clock: Callable[[], int]
    limits: Limits
    secrets: Secrets

    def planned(
        self,
        known: Known[StateT],
        drafts: Iterable[EventDraft],
        *,
        lenient: bool,
        ids: Sequence[str] = (),
    ) -> Planned[StateT]:
        """Return the events that drafts come to, each as of the state after the one before.

        :param lenient: whether a draft that is refused is left out.
        :param ids: those of the events, where they are known.
        :raises EventError: for one that is refused otherwise.
        """
        events: list[Event] = []
        complaints: list[tuple[EventDraft, EventError]] = []
        for draft, event_id in zip_longest(drafts, ids):
            assert draft is not None
            try:
                event = self._event(known, draft, event_id or self.ids.next())
                state = after(self.domain, known.state, event)
            except EventError as error:
                if not lenient:
                    raise
                complaints.append((draft, error))
                continue
            events.append(event)
            known = Known(state, event.version, event.turn)
        return Planned(tuple(events), known, complaints)

    def postable(self, draft: EventDraft) -> EventDraft:
        """Return a draft as it can be kept until a state is at hand: its payload as data, without secrets.

        :raises EventError: for what no state would take: an unknown type, fields that do not fit, a text that is too
            long.
        """
        draft = catalog_of(self.domain).spelt(draft)
        taken = self.secrets.taken(draft.type, draft.payload)
        draft = meant(self.domain, replace(draft, payload=taken))
        payload = catalog_of(self.domain).parse(draft.type, draft.payload)
        check_size(draft.type, payload, self.limits)
        if isinstance(payload, SessionStart):
            raise EventError(
                "session.start: a session begins in the store, which cannot be reached"
            )
        given = payload.model_dump(mode="json", exclude_unset=True)
        at = self.clock() if draft.timestamp is None else draft.timestamp
        return replace(draft, payload=given, timestamp=at)

    def _event(self, known: Known[StateT], draft: EventDraft, event_id: str) -> Event:
        catalog, version = catalog_of(self.domain), known.version + 1
        draft = catalog.spelt(draft)
        taken = self.secrets.taken(draft.type, draft.payload)
        if taken is not draft.payload:
            draft = replace(draft, payload=taken)
        draft = meant(self.domain, draft)
        envelope: dict[str, object] = {
            "id": event_id,
            "session_id": self.session_id,
            "version": version,
            "turn": known.turn if draft.turn is None else draft.turn,
            "timestamp": self.clock() if draft.timestamp is None else draft.timestamp,
            "actor": draft.actor,
            "type": draft.type,
        }
        payload = plan(catalog, known.state, version, draft)
        check_size(draft.type, _from_outside(payload), self.limits)
        envelope["payload"] = payload
        event = catalog.read(envelope)
        if event.turn < known.turn:
            raise EventError(
                f'{event.type}: turn {event.turn} is over; session "{self.session_id}" is at turn'
                f" {known.turn}"
            )
        return event


def _from_outside(payload: Payload) -> Payload:
    """The payload without what the store holds already: what a session inherits was taken in once."""
    if isinstance(payload, SessionStart):
        return payload.model_copy(update={"inherited": None})
    return payload

"""The fold: from events to the state of the HUD.

The facts of every session have a small function for each type of event, in :data:`FACTS`; all else
is what the domain's sections declare. All of it is pure: no clock, no disk, no chance. It cuts
nothing, and a section that an event does not touch keeps its very object. An event that names
something unknown changes nothing, so that a replay never fails; one that cannot be read is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, overload

from pydantic import ValidationError

from hud_components import CODING, Domain, HudState, State
from hud_components.folding import with_indexes
from hud_runtime.events import Event, Stored, explain
from hud_runtime.projection import _session
from hud_runtime.projection._projection import Codec, Projection
from hud_runtime.projection._session import Rule, confirmed, grown_older, moment_of
from ujsx.calls import resolving

StateT = TypeVar("StateT", bound=State)

FACTS: Mapping[str, Rule] = MappingProxyType(
    {
        "session.start": _session.session_start,
        "session.title": _session.session_title,
        "session.look": _session.session_look,
        "section.clear": _session.section_clear,
        "section.replace": _session.section_replace,
        "section.pin": _session.section_pin,
        "section.fold": _session.section_fold,
        "section.reset": _session.section_reset,
        "context.snapshot": _session.context_snapshot,
        "context.intervention": _session.context_intervention,
        "compact.before": _session.compact_before,
        "compact.after": _session.compact_after,
        "compact.failed": _session.compact_failed,
        "layout.set": _session.layout_set,
        "layout.reset": _session.layout_reset,
        "event.erase": _session.event_erase,
        "session.domain": _session.session_domain,
    }
)
"""What the events do that every session has."""


@overload
def project(state: HudState, event: Event) -> HudState: ...


@overload
def project(
    state: StateT, event: Event, domain: Domain[StateT], *, strict: bool = ...
) -> StateT: ...


@resolving(
    write="write project(state, event); of events, state_of(events), from hud_runtime import state_of"
)
def project(state: Any, event: Event, domain: Domain[Any] = CODING, *, strict: bool = False) -> Any:
    """Return the state after one more event.

    >>> from hud_runtime.events import read_event
    >>> event = read_event({"id": "1", "session_id": "s", "version": 2, "turn": 1,
    ...     "timestamp": 0, "actor": "agent", "type": "note.add",
    ...     "payload": {"content": "Port 8080"}})
    >>> project(HudState(), event).notes
    (Note(content='Port 8080', id='n-2', updated_at=0),)

    :param strict: whether what a verb refuses is raised, as before an event is recorded.
    """
    said = event.payload
    if isinstance(said, Stored):
        return domain.after_unreadable(state, event.type, said.data(), event.version)
    fact = FACTS.get(event.type)
    if fact is not None:
        state = fact(state, event, said, domain)
    state = grown_older(state, event)
    if state.unconfirmed:
        state = confirmed(state, event, domain)
    return domain.after(state, event.type, said, moment_of(event), strict=strict)


def why_unread(state: State, event: Event, domain: Domain[Any]) -> str | None:
    """Return why an event cannot be read, or not be applied to a state; None where it can.

    >>> from hud_runtime.events import read_event
    >>> event = read_event({"id": "1", "session_id": "s", "version": 2, "turn": 1,
    ...     "timestamp": 0, "actor": "agent", "type": "note.add",
    ...     "payload": {"content": "Port 8080"}})
    >>> why_unread(HudState(), event, CODING)
    """
    if isinstance(event.payload, Stored):
        return event.payload.reason
    try:
        project(state, event, domain, strict=True)
    except ValidationError as error:
        return explain(event.type, type(event.payload), error)
    except Exception as error:  # noqa: BLE001 - a function of the author's
        return f"{type(error).__name__}: {error}"
    return None


def state_of(events: Iterable[Event], state: HudState | None = None) -> HudState:
    """Return the state after all the events, from an empty state or the one given."""
    state = HudState() if state is None else state
    for event in events:
        state = project(state, event)
    return state


def projection_of(domain: Domain[StateT]) -> Projection[StateT]:
    """Return the projection that a domain's HUD shows."""
    return Projection(
        "hud",
        domain.state(),
        partial(_folded, domain),
        domain.revision,
        domain.former_revisions,
        Codec(domain.state.model_dump_json, partial(_loaded, domain)),
    )


def _folded(domain: Domain[StateT], state: StateT, event: Event) -> StateT:
    return project(state, event, domain)


def _loaded(domain: Domain[StateT], text: str) -> StateT:
    return with_indexes(domain.state.model_validate_json(text), (*domain.state.lists, "unreadable"))


HUD: Projection[HudState] = projection_of(CODING)
"""From events to the state of the coding HUD; :func:`project` is its fold."""

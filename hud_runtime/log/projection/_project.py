"""The fold: from the events of a session to the state of its HUD."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from pydantic import ValidationError

from hud_components import (
    CODING,
    ContextUsage,
    Domain,
    HudState,
    Look,
    Moment,
    SessionInfo,
    State,
    Trend,
    UsageReading,
)
from hud_components.declaring import age_of_summary
from hud_components.folding import with_indexes, with_sections, with_values
from hud_runtime._errors import ProjectionError
from hud_runtime.log.events import Event, SessionStart, Stored, explain
from ujsx.calls import resolving
from ujsx.components import fields_of
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from hud_runtime.log.events import (
        CompactAfter,
        CompactBefore,
        CompactFailed,
        ContextIntervention,
        ContextSnapshot,
        EventErase,
        LayoutReset,
        LayoutSet,
        SectionClear,
        SectionFold,
        SectionPin,
        SectionReplace,
        SectionReset,
        SessionDomain,
        SessionLook,
        SessionTitle,
    )


# A projection: a pure fold of a session's events into something that somebody wants to know.

StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Codec(Generic[StateT]):
    """How a projection's state becomes JSON text, and is read again."""

    dump: Callable[[StateT], str]
    load: Callable[[str], StateT]


@dataclass(frozen=True, slots=True)
class Projection(Generic[StateT]):
    """What to make of a session's events.

    >>> from hud_runtime import HudStore
    >>> edits = Projection("edits", 0, lambda count, event: count + (event.type == "file.edit"))
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("file.edit", path="a.py")
    ...     session.projected(edits)
    1
    """

    name: str
    """What snapshots of it are filed under."""

    initial: StateT
    """The state before the first event. It is shared, so it must not be changed in place."""

    fold: Callable[[StateT, Event], StateT]
    """The state after one more event. No clock, no disk, no chance, and no change in place."""

    revision: int = 1
    """Raised when the same events would give another state: older snapshots are then not used."""

    former_revisions: tuple[int, ...] = ()
    """Revisions whose snapshots still stand in for events that are lost: nothing else tells of those."""

    codec: Codec[StateT] | None = None
    """How snapshots are written; without one, every start replays all events."""


class ProjectionRegistry:
    """Projections by name; :attr:`HudStore.projections` is one, with "hud" in it.

    >>> registry = ProjectionRegistry(Projection("edits", 0, lambda count, event: count + 1))
    >>> registry["edit"]
    Traceback (most recent call last):
    hud_runtime._errors.ProjectionError: there is no projection "edit"; did you mean "edits"?
    """

    def __init__(self, *projections: Projection[Any]) -> None:
        self._by_name: dict[str, Projection[Any]] = {}
        for projection in projections:
            self.register(projection)

    def register(self, projection: Projection[Any]) -> None:
        """Add a projection. Raises :class:`ProjectionError` when its name is another one's."""
        if self._by_name.setdefault(projection.name, projection) is not projection:
            raise ProjectionError(f'the projection "{projection.name}" is there; use another name')

    def names(self) -> tuple[str, ...]:
        """Return the names, in the order of their registration."""
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Projection[Any]:
        if name not in self._by_name:
            hint = did_you_mean(name, self._by_name)
            raise ProjectionError(f'there is no projection "{name}"; {hint}')
        return self._by_name[name]


# The words for how the context fills up, read off its last readings.

READINGS = 5
"""How many readings are kept, and so how far back the trend looks."""

TRENDS: tuple[tuple[float, Trend], ...] = (
    (1.0, "stable"),
    (4.0, "growing"),
    (float("inf"), "growing rapidly"),
)
"""Below which mean growth per reading, in percent of the limit, which words hold.

Our choice; the founding documents name the words and the window of five. At 1 % per turn a
window that is half full lasts 50 turns more, at 4 % it is over in a dozen.
"""


def trend(readings: Sequence[UsageReading]) -> Trend | None:
    """Return the words for the mean growth per reading; None for fewer than two readings.

    A shrinking context, as after a compaction, is stable.

    >>> trend([UsageReading(used=20_000), UsageReading(used=26_000)])
    'growing'
    """
    if len(readings) < 2:
        return None
    first, last = readings[0], readings[-1]
    # One division of whole numbers, so that a growth of exactly 1 % is not a hair below it.
    more = last.used * first.limit - first.used * last.limit
    growth = 100 * more / (first.limit * last.limit * (len(readings) - 1))
    return next(words for bound, words in TRENDS if growth < bound)


# The effects of events on the facts of every session, and on sections as a whole.

SessionStateT = TypeVar("SessionStateT", bound=State)

Rule: TypeAlias = Callable[[Any, Event, Any, Domain[Any]], Any]
"""What a type of event does: state, event, the event's payload and the domain in, state out."""


def session_start(
    _state: SessionStateT, event: Event, start: SessionStart, domain: Domain[SessionStateT]
) -> SessionStateT:
    """The session begins with what it inherits, and nothing else."""
    info = SessionInfo(
        id=event.session_id,
        title=start.title,
        project=start.project,
        started_at=event.timestamp,
    )
    begun: Any = domain.state() if start.inherited is None else start.inherited
    state: SessionStateT = with_sections(
        with_indexes(begun, (*domain.state.lists, "unreadable")), session=info
    )
    return state


def session_title(
    state: SessionStateT, event: Event, named: SessionTitle, _domain: object
) -> SessionStateT:
    """The session gets a name."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(state, session=with_values(info, title=named.title))


def session_look(
    state: SessionStateT, _event: Event, new: SessionLook, _domain: object
) -> SessionStateT:
    """The HUD has this layout and these words from now on."""
    look = Look(layout=new.layout, words=new.words, digest=new.digest)
    return state if state.look == look else with_sections(state, look=look)


def context_snapshot(
    state: SessionStateT, _event: Event, taken: ContextSnapshot, _domain: object
) -> SessionStateT:
    """The newest reading counts, the last few give the trend."""
    reading = UsageReading(used=taken.used, limit=taken.limit, model=taken.model)
    readings = (*state.readings, reading)[-READINGS:]
    usage = ContextUsage(
        used=reading.used, limit=reading.limit, model=reading.model, trend=trend(readings)
    )
    return with_sections(state, usage=usage, readings=readings)


def context_intervention(
    state: SessionStateT, _event: Event, _told: ContextIntervention, _domain: object
) -> SessionStateT:
    """Nothing changes: what the agent was told is in the log."""
    return state


def compact_before(
    state: SessionStateT, _event: Event, _before: CompactBefore, _domain: object
) -> SessionStateT:
    """Nothing changes: that is the point of the state."""
    return state


def compact_after(
    state: SessionStateT, event: Event, after: CompactAfter, domain: Domain[SessionStateT]
) -> SessionStateT:
    """The summary is kept, the compaction counted, plans are unconfirmed; what was measured before holds no more."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(
        state,
        session=with_values(info, compactions=info.compactions + 1),
        compacted_context=after.summary or state.compacted_context,
        compacted_in=event.turn,
        summary_age=0,
        unconfirmed=tuple(
            field
            for field, section in domain.fields.items()
            if "unconfirmed" in fields_of(section) and getattr(state, field)
        ),
        usage=None,
        readings=(),
    )


def grown_older(state: SessionStateT, event: Event) -> SessionStateT:
    """The summary of the last compaction is as old as the turns behind it make it."""
    if state.compacted_in is None:
        return state
    age = age_of_summary(event.turn - state.compacted_in)
    return state if age == state.summary_age else with_sections(state, summary_age=age)


def confirmed(state: SessionStateT, event: Event, domain: Domain[SessionStateT]) -> SessionStateT:
    """A plan that an event touches is confirmed."""
    happening = domain.happenings.get(domain.current_type(event.type))
    payload: Any = event.payload
    if happening is not None:
        touched = happening.section.field
    elif event.type in ("section.clear", "section.replace"):
        touched = payload.section
    else:
        return state
    left = tuple(each for each in state.unconfirmed if touched not in (None, each))
    return with_values(state, unconfirmed=left)


def event_erase(
    state: SessionStateT, _event: Event, _erased: EventErase, _domain: object
) -> SessionStateT:
    """Nothing changes from here on: the event that was erased says something else from the beginning."""
    return state


def session_domain(
    state: SessionStateT, _event: Event, _moved: SessionDomain, _domain: object
) -> SessionStateT:
    """Nothing changes: the whole log is read by the domain that was moved to."""
    return state


def compact_failed(
    state: SessionStateT, _event: Event, _failed: CompactFailed, _domain: object
) -> SessionStateT:
    """Nothing changes: the conversation is as it was."""
    return state


def layout_set(
    state: SessionStateT, _event: Event, new: LayoutSet, _domain: object
) -> SessionStateT:
    """The HUD has this layout from now on; whether it can be shown is asked when it is."""
    return state if state.layout == new.layout else with_sections(state, layout=new.layout)


def layout_reset(
    state: SessionStateT, _event: Event, _reset: LayoutReset, _domain: object
) -> SessionStateT:
    """The HUD has the layout that it would have without the agent's."""
    return with_sections(state, layout=None)


def section_clear(
    state: SessionStateT, event: Event, cleared: SectionClear, domain: Domain[SessionStateT]
) -> SessionStateT:
    """One section is emptied, or all of them."""
    if cleared.section is not None:
        return _dated(state, domain.cleared(state, (cleared.section,), moment_of(event)), event)
    after = domain.cleared(state, domain.fields, moment_of(event))
    return _dated(state, with_sections(after, unreadable=()), event)


def section_pin(
    state: SessionStateT, _event: Event, pinned: SectionPin, _domain: object
) -> SessionStateT:
    """A section is shown in full from now on, as far as there are tokens for it."""
    field = pinned.section
    return with_values(
        state,
        pinned_sections=_with(state.pinned_sections, field),
        folded_sections=_without(state.folded_sections, field),
    )


def section_fold(
    state: SessionStateT, _event: Event, folded: SectionFold, _domain: object
) -> SessionStateT:
    """A section is shown at its least from now on."""
    field = folded.section
    return with_values(
        state,
        pinned_sections=_without(state.pinned_sections, field),
        folded_sections=_with(state.folded_sections, field),
    )


def section_reset(
    state: SessionStateT, _event: Event, reset: SectionReset, _domain: object
) -> SessionStateT:
    """A section stands as usual, or all of them do."""
    field = reset.section
    return with_values(
        state,
        pinned_sections=() if field is None else _without(state.pinned_sections, field),
        folded_sections=() if field is None else _without(state.folded_sections, field),
    )


def _with(fields: tuple[str, ...], one: str) -> tuple[str, ...]:
    return fields if one in fields else (*fields, one)


def _without(fields: tuple[str, ...], one: str) -> tuple[str, ...]:
    return tuple(each for each in fields if each != one)


def section_replace(
    state: SessionStateT, event: Event, new: SectionReplace, domain: Domain[SessionStateT]
) -> SessionStateT:
    """A section has these contents; items that were known keep what the store adds to them."""
    field = new.section
    after = domain.replaced(state, field, getattr(new, field), moment_of(event))
    return _dated(state, after, event)


def moment_of(event: Event) -> Moment:
    """Return when an event happened, and who said it."""
    return Moment(event.version, event.turn, event.timestamp, event.actor)


def _dated(before: SessionStateT, after: SessionStateT, event: Event) -> SessionStateT:
    return after if after is before else with_sections(after, updated_at=event.timestamp)


# The fold: from events to the state of the HUD.
#
# The facts of every session have a small function for each type of event, in :data:`FACTS`; all else
# is what the domain's sections declare. All of it is pure: no clock, no disk, no chance. It cuts
# nothing, and a section that an event does not touch keeps its very object. An event that names
# something unknown changes nothing, so that a replay never fails; one that cannot be read is counted.

FACTS: Mapping[str, Rule] = MappingProxyType(
    {
        "session.start": session_start,
        "session.title": session_title,
        "session.look": session_look,
        "section.clear": section_clear,
        "section.replace": section_replace,
        "section.pin": section_pin,
        "section.fold": section_fold,
        "section.reset": section_reset,
        "context.snapshot": context_snapshot,
        "context.intervention": context_intervention,
        "compact.before": compact_before,
        "compact.after": compact_after,
        "compact.failed": compact_failed,
        "layout.set": layout_set,
        "layout.reset": layout_reset,
        "event.erase": event_erase,
        "session.domain": session_domain,
    }
)
"""What the events do that every session has."""


@overload
def project(state: HudState, event: Event) -> HudState: ...


@overload
def project(
    state: SessionStateT, event: Event, domain: Domain[SessionStateT], *, strict: bool = ...
) -> SessionStateT: ...


@resolving(
    write="write project(state, event); of events, state_of(events), from hud_runtime import state_of"
)
def project(state: Any, event: Event, domain: Domain[Any] = CODING, *, strict: bool = False) -> Any:
    """Return the state after one more event.

    >>> from hud_runtime.log.events import read_event
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

    >>> from hud_runtime.log.events import read_event
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


def projection_of(domain: Domain[SessionStateT]) -> Projection[SessionStateT]:
    """Return the projection that a domain's HUD shows."""
    return Projection(
        "hud",
        domain.state(),
        partial(_folded, domain),
        domain.revision,
        domain.former_revisions,
        Codec(domain.state.model_dump_json, partial(_loaded, domain)),
    )


def _folded(domain: Domain[SessionStateT], state: SessionStateT, event: Event) -> SessionStateT:
    return project(state, event, domain)


def _loaded(domain: Domain[SessionStateT], text: str) -> SessionStateT:
    return with_indexes(domain.state.model_validate_json(text), (*domain.state.lists, "unreadable"))


HUD: Projection[HudState] = projection_of(CODING)
"""From events to the state of the coding HUD; :func:`project` is its fold."""

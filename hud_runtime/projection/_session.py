"""The effects of events on the facts of every session, and on sections as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hud_components import (
    ContextUsage,
    Domain,
    Look,
    Moment,
    SessionInfo,
    State,
    UsageReading,
)
from hud_components.declaring import age_of_summary
from hud_components.folding import with_indexes, with_sections, with_values
from hud_runtime.events import Event, SessionStart
from hud_runtime.projection._trend import READINGS, trend
from ujsx.components import fields_of

if TYPE_CHECKING:
    from hud_runtime.events import (
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

StateT = TypeVar("StateT", bound=State)

Rule: TypeAlias = Callable[[Any, Event, Any, Domain[Any]], Any]
"""What a type of event does: state, event, the event's payload and the domain in, state out."""


def session_start(
    _state: StateT, event: Event, start: SessionStart, domain: Domain[StateT]
) -> StateT:
    """The session begins with what it inherits, and nothing else."""
    info = SessionInfo(
        id=event.session_id,
        title=start.title,
        project=start.project,
        started_at=event.timestamp,
    )
    begun: Any = domain.state() if start.inherited is None else start.inherited
    state: StateT = with_sections(
        with_indexes(begun, (*domain.state.lists, "unreadable")), session=info
    )
    return state


def session_title(state: StateT, event: Event, named: SessionTitle, _domain: object) -> StateT:
    """The session gets a name."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(state, session=with_values(info, title=named.title))


def session_look(state: StateT, _event: Event, new: SessionLook, _domain: object) -> StateT:
    """The HUD has this layout and these words from now on."""
    look = Look(layout=new.layout, words=new.words, digest=new.digest)
    return state if state.look == look else with_sections(state, look=look)


def context_snapshot(
    state: StateT, _event: Event, taken: ContextSnapshot, _domain: object
) -> StateT:
    """The newest reading counts, the last few give the trend."""
    reading = UsageReading(used=taken.used, limit=taken.limit, model=taken.model)
    readings = (*state.readings, reading)[-READINGS:]
    usage = ContextUsage(
        used=reading.used, limit=reading.limit, model=reading.model, trend=trend(readings)
    )
    return with_sections(state, usage=usage, readings=readings)


def context_intervention(
    state: StateT, _event: Event, _told: ContextIntervention, _domain: object
) -> StateT:
    """Nothing changes: what the agent was told is in the log."""
    return state


def compact_before(state: StateT, _event: Event, _before: CompactBefore, _domain: object) -> StateT:
    """Nothing changes: that is the point of the state."""
    return state


def compact_after(
    state: StateT, event: Event, after: CompactAfter, domain: Domain[StateT]
) -> StateT:
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


def grown_older(state: StateT, event: Event) -> StateT:
    """The summary of the last compaction is as old as the turns behind it make it."""
    if state.compacted_in is None:
        return state
    age = age_of_summary(event.turn - state.compacted_in)
    return state if age == state.summary_age else with_sections(state, summary_age=age)


def confirmed(state: StateT, event: Event, domain: Domain[StateT]) -> StateT:
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


def event_erase(state: StateT, _event: Event, _erased: EventErase, _domain: object) -> StateT:
    """Nothing changes from here on: the event that was erased says something else from the beginning."""
    return state


def session_domain(state: StateT, _event: Event, _moved: SessionDomain, _domain: object) -> StateT:
    """Nothing changes: the whole log is read by the domain that was moved to."""
    return state


def compact_failed(state: StateT, _event: Event, _failed: CompactFailed, _domain: object) -> StateT:
    """Nothing changes: the conversation is as it was."""
    return state


def layout_set(state: StateT, _event: Event, new: LayoutSet, _domain: object) -> StateT:
    """The HUD has this layout from now on; whether it can be shown is asked when it is."""
    return state if state.layout == new.layout else with_sections(state, layout=new.layout)


def layout_reset(state: StateT, _event: Event, _reset: LayoutReset, _domain: object) -> StateT:
    """The HUD has the layout that it would have without the agent's."""
    return with_sections(state, layout=None)


def section_clear(
    state: StateT, event: Event, cleared: SectionClear, domain: Domain[StateT]
) -> StateT:
    """One section is emptied, or all of them."""
    if cleared.section is not None:
        return _dated(state, domain.cleared(state, (cleared.section,), moment_of(event)), event)
    after = domain.cleared(state, domain.fields, moment_of(event))
    return _dated(state, with_sections(after, unreadable=()), event)


def section_pin(state: StateT, _event: Event, pinned: SectionPin, _domain: object) -> StateT:
    """A section is shown in full from now on, as far as there are tokens for it."""
    field = pinned.section
    return with_values(
        state,
        pinned_sections=_with(state.pinned_sections, field),
        folded_sections=_without(state.folded_sections, field),
    )


def section_fold(state: StateT, _event: Event, folded: SectionFold, _domain: object) -> StateT:
    """A section is shown at its least from now on."""
    field = folded.section
    return with_values(
        state,
        pinned_sections=_without(state.pinned_sections, field),
        folded_sections=_with(state.folded_sections, field),
    )


def section_reset(state: StateT, _event: Event, reset: SectionReset, _domain: object) -> StateT:
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
    state: StateT, event: Event, new: SectionReplace, domain: Domain[StateT]
) -> StateT:
    """A section has these contents; items that were known keep what the store adds to them."""
    field = new.section
    after = domain.replaced(state, field, getattr(new, field), moment_of(event))
    return _dated(state, after, event)


def moment_of(event: Event) -> Moment:
    """Return when an event happened, and who said it."""
    return Moment(event.version, event.turn, event.timestamp, event.actor)


def _dated(before: StateT, after: StateT, event: Event) -> StateT:
    return after if after is before else with_sections(after, updated_at=event.timestamp)

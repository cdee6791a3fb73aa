"""What events do to decisions, notes, blockers and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hud_components import Blocker, Decision, ErrorRecord, HudState, Note
from hud_runtime.events import (
    BlockerAdd,
    DecisionRecord,
    ErrorEncountered,
    Event,
    New,
    NoteAdd,
    Target,
    Update,
)
from hud_runtime.projection._edits import edited, with_sections, with_values, without
from hud_runtime.projection._index import carrying
from hud_runtime.projection._kinds import KINDS, Item, Kind, duplicate, made_id

ItemT = TypeVar("ItemT", bound=Item)


def added(
    kind: Kind, items: tuple[ItemT, ...], event: Event, new: New, make: Callable[[str], ItemT]
) -> tuple[ItemT, ...]:
    """Return the items with a new one at their end, unless it is there already."""
    index = kind.index(items)
    item_id = new.id or made_id(kind, event.version, index)
    if item_id not in index and duplicate(kind, index, new) is None:
        index.append(make(item_id))
    return carrying(index, items)


def decision(new: DecisionRecord, item_id: str, at: int) -> Decision:
    """Return the decision that a draft makes."""
    return Decision(
        id=item_id, summary=new.summary, details=new.details, label=new.label, recorded_at=at
    )


def decision_record(state: HudState, event: Event, new: DecisionRecord) -> HudState:
    """A decision is kept."""

    def make(item_id: str) -> Decision:
        return decision(new, item_id, event.timestamp)

    items = added(KINDS["decision"], state.decisions, event, new, make)
    return with_sections(state, decisions=items)


def decision_update(state: HudState, _event: Event, change: Update) -> HudState:
    """A decision reads anew; when it was taken stays."""
    items = edited(
        KINDS["decision"],
        state.decisions,
        change.id,
        lambda item: with_values(item, **change.values()),
    )
    return with_sections(state, decisions=items)


def decision_remove(state: HudState, _event: Event, target: Target) -> HudState:
    """A decision goes."""
    return with_sections(state, decisions=without(KINDS["decision"], state.decisions, target.id))


def note(new: NoteAdd, item_id: str, at: int) -> Note:
    """Return the note that a draft makes."""
    return Note(id=item_id, content=new.content, updated_at=at)


def note_add(state: HudState, event: Event, new: NoteAdd) -> HudState:
    """A note is kept."""

    def make(item_id: str) -> Note:
        return note(new, item_id, event.timestamp)

    return with_sections(state, notes=added(KINDS["note"], state.notes, event, new, make))


def note_update(state: HudState, event: Event, change: Update) -> HudState:
    """A note reads anew, as of now."""

    def edit(item: Note) -> Note:
        new = with_values(item, **change.values())
        return item if new is item else with_values(new, updated_at=event.timestamp)

    return with_sections(state, notes=edited(KINDS["note"], state.notes, change.id, edit))


def note_remove(state: HudState, _event: Event, target: Target) -> HudState:
    """A note goes."""
    return with_sections(state, notes=without(KINDS["note"], state.notes, target.id))


def blocker(new: BlockerAdd, item_id: str) -> Blocker:
    """Return the blocker that a draft makes."""
    return Blocker(id=item_id, description=new.description)


def blocker_add(state: HudState, event: Event, new: BlockerAdd) -> HudState:
    """A blocker stands in the way."""

    def make(item_id: str) -> Blocker:
        return blocker(new, item_id)

    items = added(KINDS["blocker"], state.blockers, event, new, make)
    return with_sections(state, blockers=items)


def blocker_update(state: HudState, _event: Event, change: Update) -> HudState:
    """A blocker reads anew."""
    items = edited(
        KINDS["blocker"],
        state.blockers,
        change.id,
        lambda item: with_values(item, **change.values()),
    )
    return with_sections(state, blockers=items)


def blocker_resolve(state: HudState, _event: Event, target: Target) -> HudState:
    """A blocker is out of the way, and stays known."""
    items = edited(
        KINDS["blocker"], state.blockers, target.id, lambda item: with_values(item, resolved=True)
    )
    return with_sections(state, blockers=items)


def blocker_remove(state: HudState, _event: Event, target: Target) -> HudState:
    """A blocker goes."""
    return with_sections(state, blockers=without(KINDS["blocker"], state.blockers, target.id))


def error(new: ErrorEncountered, item_id: str) -> ErrorRecord:
    """Return the error that a draft makes."""
    return ErrorRecord(id=item_id, message=new.message)


def error_encountered(state: HudState, event: Event, new: ErrorEncountered) -> HudState:
    """An error is open."""

    def make(item_id: str) -> ErrorRecord:
        return error(new, item_id)

    return with_sections(state, errors=added(KINDS["error"], state.errors, event, new, make))


def error_resolved(state: HudState, event: Event, target: Target) -> HudState:
    """An error is dealt with, and stays known."""

    def edit(item: ErrorRecord) -> ErrorRecord:
        if item.resolved:
            return item
        return with_values(item, resolved=True, resolved_at=event.timestamp)

    return with_sections(state, errors=edited(KINDS["error"], state.errors, target.id, edit))

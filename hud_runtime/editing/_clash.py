"""Where an edit and what others have recorded meanwhile are about the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hud_components import HudState
from hud_runtime.editing._result import Edit
from hud_runtime.events import (
    Event,
    EventType,
    New,
    Payload,
    SectionClear,
    SectionReplace,
    Target,
)
from hud_runtime.projection import KINDS, REPORTED, kind_of
from hud_runtime.tools._record import RECORDINGS

Touched = tuple[str, str | None]
"""A section, and the id of an item in it; None for the section as a whole."""

TASK = "task"


def clashes(
    operations: Iterable[Edit], events: Iterable[Event], before: HudState
) -> tuple[Edit, ...]:
    """Return the operations that would change what these events have changed.

    A new item clashes with nothing. The order of a section, and an item that is named by its text,
    clash with every change of the section: what they come to depends on all of it. What hosts
    report, such as files and readings of the context, is never in the way.

    :param before: the state that was edited, before the events.
    """
    theirs = {touched for event in events for touched in _of_event(event.type, event.payload)}
    return tuple(
        each
        for each in operations
        if any(_is_same(ours, other) for ours in _of_change(each, before) for other in theirs)
    )


def _is_same(one: Touched, other: Touched) -> bool:
    return one[0] == other[0] and (None in (one[1], other[1]) or one[1] == other[1])


def _of_change(change: Edit, before: HudState) -> Iterator[Touched]:
    recording = RECORDINGS[change.operation]
    kind = kind_of(recording.event)
    if kind is None:
        yield TASK, None
    elif "id" in change.arguments:
        name = str(change.arguments["id"])
        is_id = any(item.id == name for item in kind.items(before))
        yield kind.section, name if is_id else None
    elif "ids" in change.arguments:
        yield kind.section, None


def _of_event(event_type: EventType, payload: Payload) -> Iterator[Touched]:
    if event_type.partition(".")[0] in REPORTED:
        return
    if isinstance(payload, SectionClear | SectionReplace):
        named = payload.section
        everything = (TASK, *(kind.section for kind in KINDS.values()))
        yield from ((section, None) for section in ([named] if named else everything))
    elif (kind := kind_of(event_type)) is not None:
        yield kind.section, payload.id if isinstance(payload, New | Target) else None
    elif event_type.startswith(f"{TASK}."):
        yield TASK, None

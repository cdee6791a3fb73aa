"""Changes recorded in a session: all of them, or none where others have changed the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hud_components import HudState
from hud_runtime._errors import ConcurrencyError
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._result import Changes, Edit
from hud_runtime.events import (
    Actor,
    Event,
    EventDraft,
    EventType,
    New,
    Payload,
    SectionClear,
    SectionReplace,
    Target,
)
from hud_runtime.projection import KINDS, REPORTED, kind_of
from hud_runtime.tools._record import RECORDINGS

if TYPE_CHECKING:
    from hud_runtime.session import HudSession


def record_changes(
    session: HudSession, edit: Changes, *, since: int, actor: Actor = "user"
) -> tuple[Event, ...]:
    r"""Record what an edit comes to, in one transaction, and return the events.

    What others record meanwhile is no conflict, so long as it is about other items: a new note
    is not in the way of a step that is worded anew. Nor is what hosts report, such as files and
    readings of the context.

    :param since: the version of the session whose HUD was edited.
    :param actor: who edited it.
    :raises EditError: for changes that have problems.
    :raises ConcurrencyError: if somebody else has changed since then what the edit changes.

    >>> from hud_runtime import HudStore
    >>> from hud_runtime.editing import changes, for_editing
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     hud = for_editing(session.state())
    ...     edit = changes(hud, "# HUD\n\n## Task\n\nAdd login\n")
    ...     [event.type for event in record_changes(session, edit, since=session.version)]
    ['task.set']
    """
    if edit.problems:
        first, *more = edit.problems
        count = f"{len(more) + 1} problems are left; the first" if more else "1 problem is left"
        raise EditError(f"{count}: {first}")
    if not edit.operations:
        return ()
    with session.exclusive():
        if clashes_since(session, edit, since):
            raise ConcurrencyError(session.id, expected=since, actual=session.version)
        return session.record_all([_draft(change, actor) for change in edit.operations])


def clashes_since(session: HudSession, edit: Changes, since: int) -> tuple[Edit, ...]:
    """Return the operations that change what somebody else has changed since a version."""
    events = tuple(session.events(after=since))
    return clashes(edit.operations, events, session.state(at=since)) if events else ()


def _draft(change: Edit, actor: Actor) -> EventDraft:
    return EventDraft(RECORDINGS[change.operation].event, change.arguments, actor=actor)


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

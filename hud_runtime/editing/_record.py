"""Changes recorded in a session: all of them, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime._errors import ConcurrencyError
from hud_runtime.editing._clash import clashes
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._result import Changes, Edit
from hud_runtime.events import Actor, Event, EventDraft
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

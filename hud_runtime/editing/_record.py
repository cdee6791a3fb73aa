"""Changes recorded in a session: all of them, or none where others have changed the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hud_components import Domain, HudSection, State
from hud_components.declaring import Happening
from hud_components.folding import Add
from hud_runtime._breaker import tried_again
from hud_runtime._errors import ConcurrencyError
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._result import Changes, Edit
from hud_runtime.events import Actor, Event, EventDraft
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from hud_runtime.session import HudSession


@tried_again
def record_changes(
    session: HudSession[Any], edit: Changes, *, since: int, actor: Actor = "user"
) -> tuple[Event, ...]:
    r"""Record what an edit comes to, in one transaction, and return the events.

    What others record meanwhile is no conflict, so long as it is about other items: a new note
    is not in the way of a step that is worded anew. Nor is what hosts report, such as files and
    readings of the context.

    :param since: the version of the session whose HUD was edited.
    :param actor: who edited it.
    :raises EditError: for changes that have problems, or are those of another domain.
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
    drafts = [
        EventDraft(_meant(session.domain, change).type, change.arguments, actor=actor)
        for change in edit.operations
    ]
    with session.exclusive():
        if clashes_since(session, edit, since):
            raise ConcurrencyError(session.id, expected=since, actual=session.version)
        return session.record_all(drafts)


def clashes_since(session: HudSession[Any], edit: Changes, since: int) -> tuple[Edit, ...]:
    """Return the operations that change what somebody else has changed since a version."""
    now = session.state()
    if session.version == since:
        return ()
    return clashes(session.domain, edit.operations, session.state(at=since), now)


def _meant(domain: Domain[Any], change: Edit) -> Happening:
    found = domain.operations.get(change.operation)
    if found is None:
        raise EditError(
            f'the domain "{domain.name}" has no operation "{change.operation}"; '
            f"{did_you_mean(change.operation, domain.operations)}; edit a HUD of its own session"
        )
    return found


def clashes(
    domain: Domain[Any], operations: Iterable[Edit], before: State, after: State
) -> tuple[Edit, ...]:
    """Return the operations that would change what is not as it was any more.

    A new item clashes with nothing. The order of a section, and an item that is named by its text,
    clash with every change of the section: what they come to depends on all of it. So does a
    section's one value.

    :param before: the state that was edited.
    :param after: what has become of it.
    """
    changed = {section: _changed(section, before, after) for section in domain.tools}
    return tuple(
        each for each in operations if _is_clash(_meant(domain, each), each, before, changed)
    )


SECTION = ""
"""What stands for a section as a whole, among the names of its items that have changed."""


def _is_clash(
    meant: Happening,
    change: Edit,
    before: State,
    changed: Mapping[type[HudSection], frozenset[str]],
) -> bool:
    section, names = meant.section, changed[meant.section]
    if not names or isinstance(meant.verb, Add):
        return False
    if section.kind is None:
        return True
    name, key = change.arguments.get(section.kind.key), section.kind.key
    is_known = any(getattr(item, key) == name for item in getattr(before, section.field))
    return name in names if is_known else True


def _changed(section: type[HudSection], before: State, after: State) -> frozenset[str]:
    """Which items are others now, by name, and the section as a whole; nothing if all is the same."""
    was, now = getattr(before, section.field), getattr(after, section.field)
    if was is now or was == now:
        return frozenset()
    if section.kind is None:
        return frozenset({SECTION})
    key = section.kind.key
    old, new = ({getattr(item, key): item for item in items} for items in (was, now))
    return frozenset({SECTION, *(name for name in {*old, *new} if old.get(name) != new.get(name))})

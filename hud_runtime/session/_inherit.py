"""The start of a new session: its project's defaults and its parent's state; and the check that it is resumed as
such.

What is inherited is copied into the session's first event, so that the session's own log tells its whole
state. Inherited items are marked in their ids, ``project:n-2``, ``parent:d-7``, and the task by its
origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hud_components import Domain, HudSection, State, Unreadable
from hud_runtime._errors import EventError

if TYPE_CHECKING:
    from hud_runtime.session._session import HudSession

PROJECT = "project:"
"""Before the ids of items from the project, and of the log that holds a project's defaults."""

PARENT = "parent:"
"""Before the ids of items from the parent session."""


def inherited(domain: Domain[Any], project: Any, parent: Any) -> Any:
    """Return what a session starts with, or None for nothing; each section says what of it.

    >>> from hud_components import CODING, Decision, HudState
    >>> parent = HudState(decisions=(Decision(id="d-7", summary="Use JWT"),))
    >>> inherited(CODING, None, parent).decisions
    (Decision(summary='Use JWT', details='', label=None, id='parent:d-7', recorded_at=0),)
    """
    nothing = domain.state()
    project, parent = project or nothing, parent or nothing
    values: dict[str, Any] = {}
    for field, section in domain.fields.items():
        if section.kind is None:
            value = getattr(parent, field) if section.from_parent else None
            values[field] = value and section.inherited(value, "parent")
        else:
            values[field] = _items(section, getattr(project, field), getattr(parent, field))
    values["unreadable"] = (
        *_unreadable(domain, project, "from_project", PROJECT),
        *_unreadable(domain, parent, "from_parent", PARENT),
    )
    state = nothing.model_copy(update=values)
    return None if state == nothing else state


def shared(domain: Domain[Any], origin: Domain[Any], state: Any) -> Any:
    """Return what a session of a domain sees of a state of another one: the sections that both have.

    >>> from hud_components import CODING, Domain, Note, NotesSection
    >>> desk = Domain("desk", sections=(NotesSection,))
    >>> shared(CODING, desk, desk.state(notes=(Note(content="Port 8080"),))).notes
    (Note(content='Port 8080', id='', updated_at=0),)
    """
    if domain is origin:
        return state
    fields = [each for each, one in domain.fields.items() if origin.fields.get(each) is one]
    values = {each: getattr(state, each) for each in fields}
    unreadable = tuple(each for each in state.unreadable if each.section in fields)
    return domain.state().model_copy(update={**values, "unreadable": unreadable})


def _items(section: type[HudSection], project: Any, parent: Any) -> tuple[Any, ...]:
    """The items of a section that come from the project, then those that come from the parent."""
    kind = section.kind
    assert kind is not None
    from_parent = [item for item in parent if kind.is_open(item)] if section.from_parent else []
    known = {getattr(item, kind.text) for item in from_parent}
    from_project = project if section.from_project else ()
    return (
        *(
            section.inherited(item, "project")
            for item in from_project
            if kind.is_open(item) and getattr(item, kind.text) not in known
        ),
        *(section.inherited(item, "parent") for item in from_parent),
    )


def _unreadable(
    domain: Domain[Any], origin: State, passed_on: str, prefix: str
) -> Iterator[Unreadable]:
    """What the session would have inherited, had its origin been able to read it."""
    for each in origin.unreadable:
        section = domain.fields.get(each.section)
        if section is not None and getattr(section, passed_on):
            is_item = each.item and section.kind is not None and section.kind.key == "id"
            item = f"{prefix}{each.item}" if is_item else each.item
            yield Unreadable(section=each.section, item=item, version=1)


def check_resumed(session: HudSession[Any], project: str | None, parent: str | None) -> None:
    """Refuse to go on with a session of another project, or of another parent, than it began with.

    :raises EventError: for either of them that is given, and was another one.
    """
    info = session.known.session
    _check_same(session, "project", project, None if info is None else info.project)
    if parent is not None:  # the first event tells it, and may have to be fetched
        [first] = session.events_up_to(1)
        _check_same(session, "parent", parent, getattr(first.payload, "parent", None))


def _check_same(session: HudSession[Any], what: str, asked: str | None, begun: str | None) -> None:
    if asked is not None and asked != begun:
        raise EventError(
            f'session "{session.id}" was started with {what} {begun!r}, not {asked!r};'
            f" leave the {what} out to resume it"
        )

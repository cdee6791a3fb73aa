"""A child session and its parent: inheritance, the view of the parent, and returned results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hud_components import Domain, HudSection, State, Unreadable
from hud_components.declaring import verbs_of
from hud_components.folding import Add
from hud_components.words import cut, line
from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError
from hud_runtime.log.events import EventDraft
from ujsx.errors import did_you_mean, quoted

if TYPE_CHECKING:
    from hud_runtime.log import ParentSeen, SessionLog

# The start of a new session from its project's defaults and its parent's state, and the check on
# resuming.
#
# Inherited items are copied into the session's first event, so that its own log holds its whole
# state. Their ids are marked, ``project:n-2``, ``parent:d-7``; a task has its origin.

PROJECT = "project:"
"""The prefix of ids of items from the project, and of the log with a project's defaults."""

PARENT = "parent:"
"""The prefix of ids of items from the parent session."""


def begun_from(
    session: SessionLog[Any],
    open_session: Callable[[str], SessionLog[Any]],
    project: str | None,
    parent: str | None,
) -> dict[str, object]:
    """Return the payload of a session's first event: its project, its parent, and what it inherits of both.

    :raises EventError: for a parent that has not begun.
    """
    payload: dict[str, object] = {}
    defaults = parents = None
    if project is not None:
        payload["project"] = project
        log = f"{PROJECT}{project}"
        if session.log.head(log).version:
            found = open_session(log)
            defaults = shared(session.domain, found.domain, found.refresh())
    if parent is not None:
        if session.log.head(parent).version == 0:
            raise EventError(f'there is no session "{parent}" to be the parent')
        origin = open_session(parent)
        parents = shared(session.domain, origin.domain, origin.refresh())
        payload |= {"parent": parent, "parent_version": origin.version}
    return {**payload, "inherited": inherited(session.domain, defaults, parents)}


def inherited(domain: Domain[Any], project: Any, parent: Any) -> Any:
    """Return the initial state of a session; None if it inherits nothing. Sections select their parts.

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
    """Return the part of another domain's state that a session's domain shows: the sections that both have.

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
    """Return a section's inherited items: the project's, then the parent's."""
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
    """Yield the items that the session would inherit if its origin could read them."""
    for each in origin.unreadable:
        section = domain.fields.get(each.section)
        if section is not None and getattr(section, passed_on):
            is_item = each.item and section.kind is not None and section.kind.key == "id"
            item = f"{prefix}{each.item}" if is_item else each.item
            yield Unreadable(section=each.section, item=item, version=1)


def check_resumed(session: SessionLog[Any], project: str | None, parent: str | None) -> None:
    """Check that a session is resumed with the project and the parent that it began with.

    :raises EventError: for another project or parent.
    """
    info = session.known.session
    _check_same(session, "project", project, None if info is None else info.project)
    if parent is not None:  # only the first event names it, and may have to be fetched
        _check_same(session, "parent", parent, session.parent_id)


def _check_same(session: SessionLog[Any], what: str, asked: str | None, begun: str | None) -> None:
    if asked is not None and asked != begun:
        raise EventError(
            f'session "{session.id}" was started with {what} {begun!r}, not {asked!r};'
            f" leave the {what} out to resume it"
        )


Parents: TypeAlias = Literal["live", "start", "off"]
"""A child's view of its parent: as it is now, as it was when the child began, or none."""

LONGEST_NAME = 80
"""Characters of a child's name in a result that it hands back."""


def checked_parents(given: Parents) -> Parents:
    """Return a valid choice of the view of parents.

    :raises EventError: for any other value.
    """
    if given not in get_args(Parents):
        hint = did_you_mean(str(given), get_args(Parents))
        raise EventError(f"children do not see their parents {quoted(str(given))}; {hint}")
    return given


def parent_seen(session: SessionLog[Any], parent: SessionLog[Any], parents: Parents) -> ParentSeen:
    """Return a session's view of its parent.

    For a parent of another domain, it has the sections that both domains share.

    :raises EventError: where the view is switched off, or the domains share no section.
    """
    from hud_runtime.log import ParentSeen

    if parents == "off":
        raise EventError("children do not see their parents here; go on with what you inherited")
    seen = partial(shared, session.domain, parent.domain)
    if not {*parent.domain.fields.values()} & {*session.domain.fields.values()}:
        raise EventError(
            f"your parent's HUD is of another kind, {parent.domain.name}; ask for what you need when you"
            " hand back"
        )
    begun_at: int = session.begun_with("parent_version") or 0
    begun = seen(parent.state(at=begun_at))
    if parents == "start":
        return ParentSeen(parent.id, begun, begun, begun_at, is_live=False)
    return ParentSeen(parent.id, seen(parent.refresh()), begun, parent.version, is_live=True)


@tried_again
def hand_back(
    session: SessionLog[Any], parent: SessionLog[Any], text: str
) -> tuple[str, str, bool]:
    """Record a result in the parent's session; see :meth:`HudSession.hand_back`."""
    from hud_runtime.tools._session import said

    section, event_type = _taking(parent)
    kind = section.kind
    assert kind is not None
    by = said(parent, "answer.handed by", child=_name_of(session, parent))
    with parent.exclusive() as before:
        items: Any = getattr(before, section.field)
        [event] = parent.record_all(
            [EventDraft(event_type, {kind.text: f"{text.rstrip()}\n\n{by}"}, actor="tool")]
        )
        item_id = str(getattr(event.payload, kind.key))
        is_new = all(str(getattr(item, kind.key)) != item_id for item in items)
    return section.name, item_id, is_new


def _taking(parent: SessionLog[Any]) -> tuple[type[HudSection], str]:
    """Return the parent's section that accepts results, and the event that adds one."""
    for section in parent.domain.fields.values():
        if section.accepts_child_results and section.kind is not None:
            for verb in verbs_of(section):
                if isinstance(verb, Add):
                    return section, verb.type_of(section)
    raise EventError(
        "your parent's HUD has no section that takes results; say them in your answer to it"
    )


def _name_of(session: SessionLog[Any], parent: SessionLog[Any]) -> str:
    """Return a child's name: its title, or its id without the parent's."""
    info = session.known.session
    name = info.title if info is not None and info.title else session.id
    return cut(line(name.removeprefix(f"{parent.id}/")), LONGEST_NAME)

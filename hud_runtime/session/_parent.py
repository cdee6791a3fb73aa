"""A child and its parent: what it starts with, sees, and hands back."""

from __future__ import annotations

from collections.abc import Iterator
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

# The start of a new session: its project's defaults and its parent's state; and the check that it is resumed as
# such.
#
# What is inherited is copied into the session's first event, so that the session's own log tells its whole
# state. Inherited items are marked in their ids, ``project:n-2``, ``parent:d-7``, and the task by its
# origin.

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


def check_resumed(session: SessionLog[Any], project: str | None, parent: str | None) -> None:
    """Refuse to go on with a session of another project, or of another parent, than it began with.

    :raises EventError: for either of them that is given, and was another one.
    """
    info = session.known.session
    _check_same(session, "project", project, None if info is None else info.project)
    if parent is not None:  # the first event tells it, and may have to be fetched
        [first] = session.events_up_to(1)
        _check_same(session, "parent", parent, getattr(first.payload, "parent", None))


def _check_same(session: SessionLog[Any], what: str, asked: str | None, begun: str | None) -> None:
    if asked is not None and asked != begun:
        raise EventError(
            f'session "{session.id}" was started with {what} {begun!r}, not {asked!r};'
            f" leave the {what} out to resume it"
        )


Parents: TypeAlias = Literal["live", "start", "off"]
"""What children see of their parents: how they are now, how they were when the child began, or nothing."""

LONGEST_NAME = 80
"""Characters of a child's name beside what it has handed back."""


def checked_parents(given: Parents) -> Parents:
    """Return what children see of their parents.

    :raises EventError: for what is none of :data:`Parents`.
    """
    if given not in get_args(Parents):
        hint = did_you_mean(str(given), get_args(Parents))
        raise EventError(f"children do not see their parents {quoted(str(given))}; {hint}")
    return given


def parent_seen(session: SessionLog[Any], parent: SessionLog[Any], parents: Parents) -> ParentSeen:
    """Return what a session sees of its parent.

    Of a parent of another domain it sees the sections that both have.

    :raises EventError: where it sees nothing: it is switched off, or their domains share no section.
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
    [first] = session.events_up_to(1)
    begun_at: int = getattr(first.payload, "parent_version", None) or 0
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
    """Return the parent's section that takes results, and the event that adds one."""
    for section in parent.domain.fields.values():
        if section.accepts_child_results and section.kind is not None:
            for verb in verbs_of(section):
                if isinstance(verb, Add):
                    return section, verb.type_of(section)
    raise EventError(
        "your parent's HUD has no section that takes results; say them in your answer to it"
    )


def _name_of(session: SessionLog[Any], parent: SessionLog[Any]) -> str:
    """Return what a child is called: its title, or its id without that of its parent."""
    info = session.known.session
    name = info.title if info is not None and info.title else session.id
    return cut(line(name.removeprefix(f"{parent.id}/")), LONGEST_NAME)

"""A child and its parent: what the child sees of it, and what it hands back.

A child's state is what its own log tells, with a copy of what it inherited. What the parent has decided
since is not in it; the child asks for it, and the answer is text in its conversation.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hud_components.declaring import verbs_of
from hud_components.folding import Add
from hud_components.words import cut, line
from hud_runtime._breaker import tried_again
from hud_runtime._errors import EventError
from hud_runtime.events import EventDraft
from hud_runtime.session._inherit import shared
from ujsx.errors import did_you_mean, quoted

if TYPE_CHECKING:
    from hud_components import HudSection
    from hud_runtime.session._session import HudSession
    from hud_runtime.tools import ParentSeen

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


def parent_seen(session: HudSession[Any], parent: HudSession[Any], parents: Parents) -> ParentSeen:
    """Return what a session sees of its parent.

    Of a parent of another domain it sees the sections that both have.

    :raises EventError: where it sees nothing: it is switched off, or their domains share no section.
    """
    from hud_runtime.tools import ParentSeen

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
    session: HudSession[Any], parent: HudSession[Any], text: str
) -> tuple[str, str, bool]:
    """Record a result in the parent's session; see :meth:`HudSession.hand_back`."""
    from hud_runtime.tools._lists import said

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


def _taking(parent: HudSession[Any]) -> tuple[type[HudSection], str]:
    """Return the parent's section that takes results, and the event that adds one."""
    for section in parent.domain.fields.values():
        if section.takes_results and section.kind is not None:
            for verb in verbs_of(section):
                if isinstance(verb, Add):
                    return section, verb.type_of(section)
    raise EventError(
        "your parent's HUD has no section that takes results; say them in your answer to it"
    )


def _name_of(session: HudSession[Any], parent: HudSession[Any]) -> str:
    """Return what a child is called: its title, or its id without that of its parent."""
    info = session.known.session
    name = info.title if info is not None and info.title else session.id
    return cut(line(name.removeprefix(f"{parent.id}/")), LONGEST_NAME)

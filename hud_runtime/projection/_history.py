"""The history in words: a line for each event, made of it and the states around it.

:data:`WORDS` has a line for every type; what its holes stand for is in ``_history_facts``. The words name
what the states before and after differ in, and an event that changed nothing says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from types import MappingProxyType
from typing import Any

from hud_components import CODING, Domain, State
from hud_runtime.events import Event, Stored
from hud_runtime.projection._history_facts import Change, item_of, short, told_of
from hud_runtime.projection._project import project, why_unread

NOTHING = "; nothing changed"

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "session.start": "session began{start}",
        "session.title": "session named: {title}",
        "session.look": "{look}",
        "section.clear": "{cleared}",
        "section.replace": "{replaced}",
        "section.pin": "{named} pinned open",
        "section.fold": "{named} folded",
        "section.reset": "{named} shown as usual",
        "context.snapshot": "context at {reading}",
        "context.intervention": "the agent told that the context is {level}, at {reading}",
        "compact.before": "conversation about to be compacted{reason}",
        "compact.after": "conversation compacted{ended}{summary}",
        "compact.failed": "compaction failed{failure}",
        "layout.set": "layout set: {layout}",
        "layout.reset": "layout reset",
    }
)
"""What each type of event is told as that every session has; verbs say what theirs are."""


OF_THE_STORE: Mapping[str, str] = MappingProxyType(
    {
        "event.erase": "texts of an event erased",
        "session.domain": "session moved to the domain {domain}",
    }
)
"""What the store itself says in a log, and nobody else."""


def described(event: Event, domain: Domain[Any] = CODING) -> str:
    """Return what an event says, on one line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     described(store.session("s").record("note.add", content="Port 8080"))
    'n-2 added: Port 8080'
    """
    return _told(Change(event, domain))


def story(
    events: Iterable[Event], state: State, domain: Domain[Any] = CODING
) -> Iterator[tuple[Event, str]]:
    """Yield events, each with what it changed.

    :param state: that before the first of them.

    >>> from hud_components import HudState
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for word in "abc":
    ...         _ = session.record("step.add", description=word)
    ...     _ = session.record("step.reorder", ids=["s-4"])
    ...     [*story(session.events(), HudState())][-1][1]
    's-4 moved before s-2'
    """
    for event in events:
        after = project(state, event, domain)
        change = Change(event, domain, state, after)
        is_said = _differs(state, after) or isinstance(event.payload, Stored)
        yield event, _told(change) if is_said else f"{_told(change)}{_nothing(change)}"
        state = after


def _nothing(change: Change) -> str:
    """The words for an event that changed nothing: the item that it names cannot be read, perhaps."""
    item = getattr(change.event.payload, "id", None)
    if item is None or item_of(change) is not None:
        return NOTHING
    is_lost = any(one.item == item for one in change.before.unreadable)
    return f"{NOTHING}, as {item} cannot be read" if is_lost else NOTHING


def _told(change: Change) -> str:
    event = change.event
    if (unread := _unread(change)) is not None:
        return f"{event.type}, which cannot be {unread}"
    words = WORDS.get(event.type) or OF_THE_STORE.get(event.type)
    if words is None:
        words = (
            change.domain.happenings[change.domain.current_type(event.type)].verb.told
            or f"{event.type}: {{said}}"
        )
    holes = (name for _, name, _, _ in Formatter().parse(words) if name)
    return words.format_map({name: told_of(name, change) for name in holes})


def _unread(change: Change) -> str | None:
    """Why an event cannot be read, or not be applied, and what it says all the same."""
    event, payload, before = change.event, change.event.payload, change.before
    if isinstance(payload, Stored):
        how, said = "read", payload.text
    elif before is not None and len(change.after.unreadable) > len(before.unreadable):
        how, said = "applied", payload.model_dump_json(exclude_unset=True)
    else:
        return None
    why = why_unread(before, event, change.domain)
    return (
        None
        if why is None
        else f"{how}: {why.removeprefix(f'{event.type}: ')}; it says {short(said)}"
    )


def _differs(before: State, after: State) -> bool:
    """Whether anything but the date of a state changed."""
    return after is not before and after != before.model_copy(
        update={"updated_at": after.updated_at}
    )

"""What happened, in words: a line for each event, out of it and the states around it.

:data:`WORDS` has a line for every type; what its holes stand for is in ``_history_facts``. The words name
what the states before and after differ in, and an event that changed nothing says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from types import MappingProxyType

from hud_components import HudState
from hud_runtime.events import Event, EventType
from hud_runtime.projection._history_facts import FACTS, Moment
from hud_runtime.projection._project import project

NOTHING = "; nothing changed"

WORDS: Mapping[EventType, str] = MappingProxyType(
    {
        "session.start": "session began{start}",
        "session.title": "session named: {title}",
        "task.set": "task set: {task}{was_task}",
        "task.update": "task reads: {task}{was_task}",
        "task.clear": "task cleared{was_task}",
        "decision.record": "{id} recorded: {text}{details}",
        "decision.update": "{id} reads anew: {changes}",
        "decision.remove": "{id} removed{item}",
        "note.add": "{id} added: {text}",
        "note.update": "{id} reads anew: {changes}",
        "note.remove": "{id} removed{item}",
        "file.open": "{path} opened{status}",
        "file.edit": "{path} edited",
        "file.close": "{path} closed",
        "step.add": "{id} added: {text}{done}",
        "step.update": "{id} reads anew: {changes}",
        "step.complete": "{id} completed{item}",
        "step.remove": "{id} removed{item}",
        "step.reorder": "{order}",
        "error.encountered": "{id} met: {text}",
        "error.resolved": "{id} resolved{item}",
        "blocker.add": "{id} in the way: {text}",
        "blocker.update": "{id} reads anew: {changes}",
        "blocker.resolve": "{id} resolved{item}",
        "blocker.remove": "{id} removed{item}",
        "section.clear": "{cleared}",
        "section.replace": "{replaced}",
        "context.snapshot": "context at {reading}",
        "compact.before": "conversation about to be compacted{reason}",
        "compact.after": "conversation compacted{ended}{summary}",
    }
)
"""What each type of event is told as."""


def described(event: Event) -> str:
    """Return what an event says, on one line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     described(store.session("s").record("note.add", content="Port 8080"))
    'n-2 added: Port 8080'
    """
    return _told(Moment(event))


def story(events: Iterable[Event], state: HudState) -> Iterator[tuple[Event, str]]:
    """Yield events, each with what it changed.

    :param state: that before the first of them.

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
        after = project(state, event)
        words = _told(Moment(event, state, after))
        yield event, words if _differs(state, after) else f"{words}{NOTHING}"
        state = after


def _told(moment: Moment) -> str:
    words = WORDS[moment.event.type]
    holes = (name for _, name, _, _ in Formatter().parse(words) if name)
    return words.format_map({name: FACTS[name](moment) for name in holes})


def _differs(before: HudState, after: HudState) -> bool:
    """Whether anything but the date of a state changed."""
    return after is not before and after != before.model_copy(
        update={"updated_at": after.updated_at}
    )

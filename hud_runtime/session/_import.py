"""Events of another log, as a session takes them in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from hud_runtime.events import Event, Stored, check_size, explain
from hud_runtime.secrets import Secrets

if TYPE_CHECKING:
    from hud_runtime.session._hud_store import HudStore

PAGE = 1_000
"""Events that are appended in one transaction."""


def new_pages(
    store: HudStore[Any], session_id: str, events: Sequence[Event], limits: Limits
) -> Iterator[tuple[int, list[Event]]]:
    """Yield the events that a session does not have yet, as it takes them in, page by page, each with the version before it.

    :raises EventError: for a text above the limits, and for a session that tells another story.
    """
    given, events = events, [_taken(event, store.secrets) for event in events]
    known = 0
    for raw, event, there in zip(given, events, _there(store, session_id, events), strict=False):
        # What is there may be from a time when secrets were kept.
        if not _is_same(event, there) and not _is_same(raw, there):
            raise EventError(
                f'session "{session_id}" is there, and its event {event.version} is another'
                " one; import under another name"
            )
        known += 1
    for event in events[known:]:
        check_size(event.type, event.payload, limits)
    for start in range(known, len(events), PAGE):
        page = events[start : start + PAGE]
        yield page[0].version - 1, page


def _taken(event: Event, secrets: Secrets) -> Event:
    """An event of another log with masks for secrets, unless they are refused."""
    if isinstance(event.payload, Stored):
        said: Any = json.loads(event.payload.text)
        whole: Mapping[str, object] = {"payload": said}
        taken = secrets.taken(event.type, whole)
        if taken is whole:
            return event
        text = json.dumps(taken["payload"], ensure_ascii=False)
        return event.model_copy(update={"payload": event.payload.model_copy(update={"text": text})})
    given = vars(event.payload)
    taken = secrets.taken(event.type, given)
    if taken is given:
        return event
    model = type(event.payload)
    try:
        payload = model.model_validate(
            {k: v for k, v in taken.items() if k in event.payload.model_fields_set}
        )
    except ValidationError as error:
        raise EventError(explain(event.type, model, error)) from None
    return event.model_copy(update={"payload": payload})


def _there(store: HudStore[Any], session_id: str, events: Sequence[Event]) -> Iterator[Event]:
    if not events:
        return iter(())
    within = range(events[0].version, events[-1].version + 1)
    return (each for each in store.events(session_id) if each.version in within)


def _is_same(one: Event, other: Event) -> bool:
    """Tell whether two events say the same, whatever their ids."""
    return one.model_copy(update={"id": other.id}) == other

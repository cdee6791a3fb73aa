"""Short descriptions: a session in a few values, an event in a line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import DomainError
from hud_runtime.cli._output import inert

if TYPE_CHECKING:
    from hud_components import Domain, State
    from hud_runtime import Event
    from hud_runtime.cli._stored import Stored

LONGEST = 160
"""Characters of an event's text in a line; as data it is whole."""

SUBJECT = "task"
"""The field of the data that tells what a session is about, under the name that it was published with."""

DATA = (
    "session", "title", SUBJECT, "project", "parent", "parent_version", "began", "changed", "events",
    "turn", "compactions",
)  # fmt: skip
"""The names of what :func:`summary` returns."""


def summary(stored: Stored, session_id: str) -> dict[str, Any] | None:
    """Return a session as JSON data; times are milliseconds since the epoch.

    ``None`` is for one that somebody has purged since it was looked up.

    :raises StoreError: if its log cannot be read.
    """
    first = next(stored.store.events(session_id, 0, 1), None)
    if first is None:
        return None
    start = first.payload.model_dump()
    try:
        state = stored.opened(session_id).state()
    except DomainError:  # it is listed by what every log tells
        state = None
    head = stored.log.head(session_id)
    last = next(stored.store.events(session_id, head.version - 1), first)
    info = None if state is None else state.session
    return {
        "session": session_id,
        "title": start.get("title") if info is None else info.title,
        SUBJECT: _subject(state),
        **{name: start.get(name) for name in ("project", "parent", "parent_version")},
        "began": first.timestamp,
        "changed": last.timestamp,
        "events": head.version,
        "turn": head.turn,
        "compactions": 0 if info is None else info.compactions,
    }


def _subject(state: State | None) -> str | None:
    """What a session is about: what its domain has one of."""
    from hud_components import Tally

    return None if state is None else Tally.of(state).subject


def event_line(event: Event, own: Domain[Any] | None) -> str:
    """Return an event on one line, whatever its texts hold.

    :param own: the session's domain; None where it is not at hand: what was recorded stands as it is.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     session = store.session("s")
    ...     event_line(session.record("note.add", content="Port 8080"), session.domain)
    '    2  1970-01-01T00:00:00Z  turn 0  agent  note.add  n-2 added: Port 8080'
    """
    head = f"{event.version:>5}  {moment(event.timestamp)}  turn {event.turn}"
    line = f"{head}  {event.actor:<5}  {event.type}"
    described = _told(event, own)
    return f"{line}  {described}" if described else line


def moment(milliseconds: int) -> str:
    """Return a time as ISO 8601 has it, in UTC.

    >>> moment(1_700_000_000_999), moment(2**53)
    ('2023-11-14T22:13:20Z', '9007199254740992 ms')
    """
    try:
        time = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError):  # after the year 9999
        return f"{milliseconds} ms"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _told(event: Event, own: Domain[Any] | None) -> str:
    from hud_components import CODING
    from hud_runtime.events import Stored as Kept
    from hud_runtime.projection import described

    payload = event.payload
    if own is None and isinstance(payload, Kept):
        text = inert(payload.text)
    else:
        text = inert(described(event, CODING if own is None else own))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

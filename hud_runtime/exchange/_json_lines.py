"""A session's log as JSON lines: one line that says what this is, then one for each event.

The first line is ``{"ujsx": "session", "lines": 1, "format": 1}``: the version of this layout, and
the format of the payloads, which an older file's are brought up from. An event's line is its
fields, its payload as it was recorded, whether a domain can read it or not. What is archived comes
along; what is exported can be imported into any store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from hud_components import CODING, Domain, State
from hud_runtime._errors import (
    EventError,
    ExchangeError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from hud_runtime.events import AS_RECORDED, Event, Stored, explain, read_event
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._domains_at_hand import MOVED
from hud_runtime.session._inherit import PROJECT
from hud_runtime.store import FORMAT, upcast
from ujsx.errors import UjsxError

StateT = TypeVar("StateT", bound=State)

LINES = 1
"""The layout that is written, and the newest one that is read."""


def export_session(session: HudSession[Any]) -> Iterator[str]:
    r"""Yield a session's log as lines, each with its line end.

    Raises :class:`StoreDamagedError` at an event that is not as it was written: in a file of its
    own it would look like a sound one.

    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     lines = list(export_session(store.session("s")))
    >>> lines[0]
    '{"ujsx": "session", "lines": 1, "format": 1}\n'
    >>> len(lines)
    2
    """
    return _lines(session.log.read(session.id, checked=True, catalog=AS_RECORDED))


def export_log(store: HudStore[Any], session_id: str) -> Iterator[str]:
    """Yield a session's log as lines, whether its domain is at hand or not.

    Raises :class:`StoreDamagedError` as :func:`export_session` does.
    """
    return _lines(store.events(session_id, checked=True, as_recorded=True))


def _lines(events: Iterable[Event]) -> Iterator[str]:
    yield json.dumps({"ujsx": "session", "lines": LINES, "format": FORMAT}) + "\n"
    for event in events:
        yield event.model_dump_json() + "\n"


def import_session(
    store: HudStore[Any], lines: Iterable[str], *, session_id: str | None = None
) -> HudSession[Any]:
    """Put an exported session into a store, and return it.

    The events keep their ids, versions and times; with ``session_id`` the session gets another
    name, and its events ids of their own. A session that is there already goes on where it ends,
    if the lines tell its own log: so an import that was interrupted can be repeated.

    Raises :class:`ExchangeError` that names the line, and imports nothing, when a line cannot be
    read or breaks a law of the log: versions have no gap, turns never fall, a session begins once, an
    id is one event's. So it does when the session in the store is another one. Raises
    :class:`StoreFullError`, :class:`StoreLockedError` or :class:`StoreReadOnlyError` when the store
    cannot take them.

    >>> with HudStore.open(":memory:") as one, HudStore.open(":memory:") as other:
    ...     session = one.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     import_session(other, export_session(session)).state() == session.state()
    True
    """
    name = import_log(store, lines, session_id=session_id)
    if name.startswith(PROJECT):
        return store.project(name.removeprefix(PROJECT))
    return store.session(name)


def import_log(store: HudStore[Any], lines: Iterable[str], *, session_id: str | None = None) -> str:
    """Put an exported session into a store, and return its id; its domain need not be at hand.

    Raises as :func:`import_session` does.
    """
    numbered = enumerate(lines, start=1)
    written = _header(next(numbered, (1, "")))
    read = [*_events(numbered, written, store.domains)]
    if not read:
        raise ExchangeError("line 2: there are no events; a session has at least its beginning")
    events = [event if session_id is None else _renamed(event, session_id) for _, event in read]
    name = events[0].session_id
    try:
        if session_id is None:
            _check_ids(store, read)
        store.import_events(name, events)
    except (ExchangeError, StoreFullError, StoreLockedError, StoreReadOnlyError):
        raise  # the last three are no fault of the lines
    except UjsxError as error:
        raise ExchangeError(f"lines {read[0][0]} and following: {error}") from error
    return name


def _header(first: tuple[int, str]) -> int:
    header = _object(*first)
    if header.get("ujsx") != "session":
        raise ExchangeError('line 1: an exported session begins with {"ujsx": "session", …}')
    lines, written = header.get("lines"), header.get("format")
    if not isinstance(lines, int) or not isinstance(written, int):
        raise ExchangeError('line 1: "lines" and "format" are whole numbers')
    if lines > LINES or written > FORMAT:
        raise ExchangeError("line 1: this file is from a newer version; update ujsx")
    return written


def _events(
    lines: Iterable[tuple[int, str]], written: int, domains: Mapping[str, Domain[Any]]
) -> Iterator[tuple[int, Event]]:
    """Yield the events with the numbers of their lines, and check the laws that a file can break."""
    expected, name, turn = 1, None, 0
    domain: Domain[Any] | None = CODING
    first_lines: dict[str, int] = {}
    for number, line in lines:
        if not line.strip():
            continue
        try:
            data = _object(number, line)
            if expected == 1 or data.get("type") == MOVED:
                domain = domains.get(_domain_in(data))
            event = _event(data, written, domain)
        except ExchangeError:
            raise
        except UjsxError as error:
            raise ExchangeError(f"line {number}: {error}") from error
        name = name or event.session_id
        if event.session_id != name:
            raise ExchangeError(
                f'line {number}: an event of session "{event.session_id}" stands in'
                f' the file of session "{name}"'
            )
        if event.version != expected:
            raise ExchangeError(
                f"line {number}: version {event.version} stands where {expected} belongs"
            )
        if expected == 1 and event.type != "session.start":
            raise ExchangeError(f"line {number}: a session begins with session.start")
        if expected > 1 and event.type == "session.start":
            raise ExchangeError(f"line {number}: a session begins once, and this one has begun")
        if event.turn < turn:
            raise ExchangeError(f"line {number}: turn {event.turn} stands behind turn {turn}")
        before = first_lines.setdefault(event.id, number)
        if before != number:
            raise ExchangeError(
                f'line {number}: line {before} has the id "{event.id}" too; an id is one event\'s'
            )
        expected, turn = expected + 1, event.turn
        yield number, event


def _renamed(event: Event, session_id: str) -> Event:
    """Return the event for a session of another name; it gets an id of its own."""
    return event.model_copy(update={"session_id": session_id, "id": ""})


def _check_ids(store: HudStore[Any], read: Sequence[tuple[int, Event]]) -> None:
    """Raise :class:`ExchangeError` for an id that an event of another session has."""
    there = store.version_of(read[0][1].session_id)
    lines = {event.id: number for number, event in read if event.version > there}
    taken = sorted(store.known_ids(lines), key=lambda one: lines[one])
    if taken:
        raise ExchangeError(
            f'line {lines[taken[0]]}: an event of another session has the id "{taken[0]}" already;'
            " import under another name"
        )


def _domain_in(event: Mapping[str, Any]) -> str:
    """The name of the domain that an event names: a session's first one, or one that moves it."""
    said: Any = event.get("payload")
    return str(said.get("domain", CODING.name)) if said.__class__ is dict else CODING.name


def _event(data: Mapping[str, Any], written: int, domain: Domain[Any] | None) -> Event:
    """The event of a line; of a domain that is not at hand, what it says is kept as it stands."""
    if written != FORMAT:
        payload = upcast(str(data.get("type")), written, json.dumps(data.get("payload")))
        data = {**data, "payload": json.loads(payload)}
    if domain is not None:
        return read_event(data, domain)
    text = json.dumps(data.get("payload"), ensure_ascii=False, separators=(",", ":"))
    try:
        return Event.model_validate({**data, "payload": Stored(text=text)})
    except ValidationError as error:
        raise EventError(explain(str(data.get("type")), Event, error)) from None


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"line {number}: it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise ExchangeError(f"line {number}: it is no JSON object")
    return cast("dict[str, Any]", data)

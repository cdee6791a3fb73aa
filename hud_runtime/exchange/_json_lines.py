"""A session's log as JSON lines: one line that says what this is, then one for each event.

The first line is ``{"ujsx": "session", "lines": 1, "format": 1}``: the version of this layout, and
the format of the payloads, which an older file's are brought up from. An event's line is its
fields. What is archived comes along; what is exported can be imported into any store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, cast

from hud_runtime._errors import ExchangeError
from hud_runtime.events import Event, read_event
from hud_runtime.session import HudSession, HudStore
from hud_runtime.session._inherit import PROJECT
from hud_runtime.store import FORMAT, upcast
from ujsx._errors import UjsxError

LINES = 1
"""The layout that is written, and the newest one that is read."""

PAGE = 1_000
"""Events that are appended in one transaction."""


def export_session(session: HudSession) -> Iterator[str]:
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
    yield json.dumps({"ujsx": "session", "lines": LINES, "format": FORMAT}) + "\n"
    for event in session.events(checked=True):
        yield event.model_dump_json() + "\n"


def import_session(
    store: HudStore, lines: Iterable[str], *, session_id: str | None = None
) -> HudSession:
    """Put an exported session into a store, and return it.

    The events keep their ids, versions and times; with ``session_id`` the session gets another
    name, and its events ids of their own. A session that is there already goes on where it ends,
    if the lines tell its own log: so an import that was interrupted can be repeated.

    Raises :class:`ExchangeError` that names the line, when a line cannot be read, a version is
    missing, or the session in the store is another one. What came before that line may be stored.

    >>> with HudStore.open(":memory:") as one, HudStore.open(":memory:") as other:
    ...     session = one.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     import_session(other, export_session(session)).state() == session.state()
    True
    """
    numbered = enumerate(lines, start=1)
    written = _header(next(numbered, (1, "")))
    events = _events(numbered, written, session_id)
    first = next(events, None)
    if first is None:
        raise ExchangeError("line 2: there are no events; a session has at least its beginning")
    name, events = first.session_id, chain((first,), events)
    while page := list(islice(events, PAGE)):
        try:
            store.import_events(name, page)
        except UjsxError as error:
            raise ExchangeError(f"lines {page[0].version + 1} and following: {error}") from error
    if name.startswith(PROJECT):
        return store.project(name.removeprefix(PROJECT))
    return store.session(name)


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


def _events(lines: Iterable[tuple[int, str]], written: int, renamed: str | None) -> Iterator[Event]:
    expected, name = 1, None
    for number, line in lines:
        if not line.strip():
            continue
        try:
            event = _event(_object(number, line), written)
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
        expected += 1
        yield (
            event if renamed is None else event.model_copy(update={"session_id": renamed, "id": ""})
        )


def _event(data: Mapping[str, Any], written: int) -> Event:
    if written == FORMAT:
        return read_event(data)
    payload = upcast(str(data.get("type")), written, json.dumps(data.get("payload")))
    return read_event({**data, "payload": json.loads(payload)})


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"line {number}: it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise ExchangeError(f"line {number}: it is no JSON object")
    return cast("dict[str, Any]", data)

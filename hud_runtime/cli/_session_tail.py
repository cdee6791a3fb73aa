"""Print the last events of a session, the newest last; with --follow those to come, too.

A line has an event's version, time (UTC), turn, actor, type and text. With --json a line is the event
as data, as `ujsx session export` writes it. Following ends with Ctrl-C, or when the reader is gone.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._event_line import event_line
from hud_runtime.cli._output import flush, put, put_json_line, remark
from hud_runtime.cli._stored import Stored, define_store, reading
from hud_runtime.cli._style import style_for
from hud_runtime.cli._turns import number

if TYPE_CHECKING:
    from hud_runtime import Event
    from hud_runtime.events import EventType

    Types: TypeAlias = tuple[EventType, ...] | None

COUNT = 10
"""Events when nobody says how many, as ``tail`` has it."""

PAUSE = 0.25
"""Seconds between two looks at the store."""

ENDED = 1
"""The exit status when the session that is followed was purged."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="its id")
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument(
        "-n", "--events", metavar="N", type=number, default=COUNT, help="how many (default: 10)"
    )
    how_many.add_argument(
        "--after", metavar="VERSION", type=number, help="all that follow this version instead"
    )
    parser.add_argument(
        "--type",
        metavar="TYPE",
        dest="types",
        action="append",
        help="only events of this type, such as decision.record (may be given more than once)",
    )
    parser.add_argument("-f", "--follow", action="store_true", help="go on with those to come")
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print each event as a line of JSON")


def run(options: Namespace) -> int:
    for name, asked in (("events", options.events), ("after", options.after)):
        if asked is not None and asked < 0:
            raise UsageError(f"--{name} counts from 0, not from {asked}")
    types = _types(options.types)
    with reading(options.store) as stored:
        session_id = stored.id_of(options.session)
        head = stored.log.head(session_id).version
        if options.after is not None:
            events = stored.log.read(session_id, options.after, types=types)
        elif types is None:
            events = stored.log.read(session_id, max(head - options.events, 0))
        else:
            found = stored.log.read(session_id, types=types)
            events = iter(deque(found, maxlen=options.events))
        last = max(_print(events, options.after or 0, as_json=options.json), head)
        if options.follow:
            return _follow(stored, session_id, last, types, as_json=options.json)
    return 0


def _types(names: list[str] | None) -> Types:
    from hud_runtime.events import known_type

    return None if names is None else tuple(known_type(name) for name in names)


def _follow(stored: Stored, session_id: str, last: int, types: Types, *, as_json: bool) -> int:
    while True:
        flush()
        if not _is_read():
            return 0
        time.sleep(PAUSE)
        head = max(stored.log.head(session_id).version, last)
        new = stored.log.read(session_id, last, head, types=types)
        _print(new, last, as_json=as_json)
        last = head
        if stored.log.is_purged(session_id):
            remark(f'session "{session_id}" was purged')
            return ENDED


def _print(events: Iterable[Event], last: int, *, as_json: bool) -> int:
    """Print events, and return the version of the last one."""
    style = style_for()
    for event in events:
        if as_json:
            put_json_line(event.model_dump_json())
        else:
            put(f"{style.fitting(event_line(event))}\n")
        last = event.version
    return last


def _is_read() -> bool:
    """Whether somebody reads what is written; a pipe does not tell before the next line is due."""
    try:
        import select

        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # no event but that the other end is gone
    except (ImportError, AttributeError, OSError, ValueError):  # Windows has no such thing
        return True
    return not poll.poll(0)

"""The events of sessions: the last ones and those to come, or those that say some words."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from hud_runtime.cli._arguments import UsageError, define_json, number
from hud_runtime.cli._described import event_line, moment
from hud_runtime.cli._domain import NAME_IT
from hud_runtime.cli._output import flush, inert, put, put_json, put_json_line, remark
from hud_runtime.cli._stored import Stored, define_store, reading, searching
from hud_runtime.cli._terminal import style_for

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime import Event
    from hud_runtime.events import EventType
    from hud_runtime.store import Hit

    Types: TypeAlias = tuple[EventType, ...] | None

COUNT = 10
"""Events when nobody says how many, as ``tail`` has it."""

PAUSE = 0.25
"""Seconds between two looks at the store."""

ENDED = 1
"""The exit status when the session that is followed was purged."""


class Tail:
    """Print the last events of a session, the newest last; with --follow those to come, too.

    A line has an event's version, time (UTC), turn, actor, type and text. With --json a line is the event
    as data, as `ujsx session export` writes it. Following ends with Ctrl-C, or when the reader is gone.
    """

    @staticmethod
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
            help="only events of this type, such as compact.after (may be given more than once)",
        )
        parser.add_argument("-f", "--follow", action="store_true", help="go on with those to come")
        define_store(parser)
        define_json(parser, "each event as a line of JSON")

    @staticmethod
    def run(options: Namespace) -> int:
        for name, asked in (("events", options.events), ("after", options.after)):
            if asked is not None and asked < 0:
                raise UsageError(f"--{name} counts from 0, not from {asked}")
        with reading(options.store) as stored:
            session_id = stored.id_of(options.session)
            own = _domain_of(stored, session_id)
            types = _types(options.types, own)
            head = stored.log.head(session_id).version
            if options.after is not None:
                events = stored.store.events(session_id, options.after, types=types)
            elif types is None:
                events = stored.store.events(session_id, max(head - options.events, 0))
            else:
                found = stored.store.events(session_id, types=types)
                events = iter(deque(found, maxlen=options.events))
            last = max(_print(events, options.after or 0, own, as_json=options.json), head)
            if options.follow:
                return _follow(stored, session_id, last, types, own, as_json=options.json)
        return 0


def _types(names: list[str] | None, own: Domain[Any] | None) -> Types:
    from hud_runtime.events import known_type

    if names is None or own is None:  # nobody knows the types of a domain that is not at hand
        return None if names is None else tuple(names)
    return tuple(known_type(name, own) for name in names)


def _domain_of(stored: Stored, session_id: str) -> Domain[Any] | None:
    """The domain of a session; where it is not at hand, a remark says which it is."""
    name = stored.store.domain_name(session_id)
    own = stored.store.domains.get(name)
    if own is None:
        remark(
            f'session "{session_id}" belongs to the domain "{name}", which is not at hand, so its '
            f"events stand as they were recorded; {NAME_IT}"
        )
    return own


def _follow(
    stored: Stored,
    session_id: str,
    last: int,
    types: Types,
    own: Domain[Any] | None,
    *,
    as_json: bool,
) -> int:
    while True:
        flush()
        if not _is_read(PAUSE):
            return 0
        head = max(stored.log.head(session_id).version, last)
        new = stored.store.events(session_id, last, head, types=types)
        _print(new, last, own, as_json=as_json)
        last = head
        if stored.log.is_purged(session_id):
            remark(f'session "{session_id}" was purged')
            return ENDED


def _print(events: Iterable[Event], last: int, own: Domain[Any] | None, *, as_json: bool) -> int:
    """Print events, and return the version of the last one."""
    style = style_for()
    for event in events:
        if as_json:
            put_json_line(event.model_dump_json())
        else:
            put(f"{style.fitting(event_line(event, own))}\n")
        last = event.version
    return last


def _is_read(seconds: float) -> bool:
    """Wait for so long, and tell whether somebody still reads what is written; no longer than until nobody does.

    A pipe does not tell before the next line is due.
    """
    try:
        import select

        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # no event but that the other end is gone
    except (ImportError, AttributeError, OSError, ValueError):  # Windows has no such thing
        time.sleep(seconds)
        return True
    return not poll.poll(1_000 * seconds)


LIMIT = 20
"""Hits when nobody says how many, as :meth:`HudStore.search` has it."""


class Search:
    """Search what the sessions of a store have recorded: events that say all of the words, the best first.

    A word also finds longer ones that begin with it, in any case. A line has the session, and the event's
    version, time (UTC), turn, actor, type and the words around what was found. No session is changed; the
    store's index takes in what is new.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("words", metavar="WORDS", nargs="+", help="what to look for")
        parser.add_argument("--session", metavar="ID", help="look through this session alone")
        parser.add_argument(
            "--limit",
            metavar="N",
            type=number,
            default=LIMIT,
            help="how many hits at most (default: %(default)s)",
        )
        define_store(parser)
        define_json(parser, "the hits as data")

    @staticmethod
    def run(options: Namespace) -> int:
        words = " ".join(options.words)
        with searching(options.store) as stored:
            session_id = None if options.session is None else stored.id_of(options.session)
            hits = stored.store.search(words, session=session_id, limit=options.limit)
        if options.json:
            put_json([asdict(hit) for hit in hits])
        elif hits:
            style = style_for()
            put("".join(f"{style.fitting(_hit_line(hit))}\n" for hit in hits))
        else:
            remark(f'nothing says "{words}"')
        return 0


def _hit_line(hit: Hit) -> str:
    head = f"{hit.session_id}  {hit.version:>5}  {moment(hit.timestamp)}  turn {hit.turn}"
    return inert(f"{head}  {hit.actor:<5}  {hit.type}  {hit.snippet}")

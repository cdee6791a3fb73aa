"""Record an event in a session of a store.

What it says comes as a text, as `--FIELD VALUE`, or as one JSON object, or as - for such an object on
standard input. A session begins with its first event: `ujsx record SESSION session.start`, with the fields
project, parent and title. An item may be named by its id, the beginning of it, or its exact text.
"""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from hud_runtime._errors import StoreUnavailableError
from hud_runtime._location import is_address
from hud_runtime.cli._arguments import UsageError, define_json, number, one_of
from hud_runtime.cli._described import event_line
from hud_runtime.cli._domain import domain
from hud_runtime.cli._fields import catalog, define_fields, fields_of
from hud_runtime.cli._files import file_near, is_there
from hud_runtime.cli._output import put_json_line, put_line, remark
from hud_runtime.cli._stored import define_store, writing
from hud_runtime.events import (
    Actor,
    EventDraft,
    EventType,
    SessionStart,
)
from hud_runtime.outbox import Posted

if TYPE_CHECKING:
    from hud_runtime import Event

START: EventType = "session.start"

BEGINS = ("project", "parent", "title")
"""The fields of a beginning that a user gives; the store knows the others."""


def define(parser: ArgumentParser) -> None:
    parser.usage = f"{parser.prog} SESSION TYPE [JSON | --FIELD VALUE ...]"
    parser.add_argument("session", metavar="SESSION", help="its id")
    parser.add_argument("type", metavar="TYPE", help="what happened, from the list below")
    define_fields(parser, {START: BEGINS})
    parser.add_argument(
        "--actor",
        metavar="WHO",
        help=f"who says it: {', '.join(get_args(Actor))} (default: user)",
    )
    parser.add_argument(
        "--turn",
        metavar="N",
        type=number,
        help="the agent's turn (default: that of the last event)",
    )
    define_store(parser)
    define_json(parser, "the event as a line of JSON")


def run(options: Namespace) -> int:
    if options.session in catalog() and options.type not in catalog():
        raise UsageError(f"the session comes first: ujsx record SESSION {options.session} …")
    event_type = catalog().known(options.type)
    fields = fields_of(event_type, options)
    if event_type == START:
        events = _begun(options, fields)
    else:
        done = _recorded(options, event_type, fields)
        if isinstance(done, Posted):
            return _told_of(done, as_json=options.json)
        events = done
    for event in events:
        if options.json:
            put_json_line(event.model_dump_json())
        else:
            put_line(event_line(event, domain()))
    return 0


def _told_of(posted: Posted, *, as_json: bool) -> int:
    if as_json:
        put_json_line(json.dumps({"posted": asdict(posted)}, ensure_ascii=False))
    else:
        put_line(f"{', '.join(posted.types)}: not in the store yet")
    remark(
        "the store cannot be reached, so it waits in the outbox, and is recorded when the store is back"
    )
    return 0


def _recorded(
    options: Namespace, event_type: EventType, fields: dict[str, Any]
) -> Sequence[Event] | Posted:
    actor = one_of(options.actor or "user", get_args(Actor), "actor")
    draft = EventDraft(event_type, fields, turn=options.turn, actor=cast("Actor", actor))
    try:
        return _recorded_in(options, draft)
    except StoreUnavailableError:
        from hud_runtime.session import settings_beside
        from hud_runtime.session._posting import letters_of, post_unseen

        outbox = settings_beside(options.store).outbox
        if outbox is None:
            raise
        letters = letters_of(outbox, options.store)
        return post_unseen(letters, options.session, draft, domain())


def _recorded_in(options: Namespace, draft: EventDraft) -> Sequence[Event] | Posted:
    name = options.store
    if name is not None and not is_address(name) and not is_there(name, Path.exists):
        near = file_near(name)
        hint = f'; did you mean "{near}"?' if near else ""
        first = f"ujsx record {shlex.quote(options.session)} {START} --store {shlex.quote(name)}"
        raise UsageError(f"there is no store {name} yet{hint}; `{first}` makes it")
    with writing(options.store) as stored:
        try:
            session = stored.session(options.session)
        except UsageError as error:
            raise UsageError(f"{error} (a new session begins with {START})") from None
        before = session.state()
        events = session.post_all([draft])
        if isinstance(events, tuple) and session.known == before:
            remark("the state is as it was before")
    return events


def _begun(options: Namespace, fields: dict[str, Any]) -> Sequence[Event]:
    from hud_runtime.session._inherit import PROJECT

    for name in ("actor", "turn"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is not for {START}: the host begins a session, at turn 0")
    is_project = options.session.startswith(PROJECT)
    known = BEGINS[-1:] if is_project else BEGINS
    for name in fields:
        one_of(name, known, f"field that a beginning of {options.session} takes")
    start = cast("SessionStart", catalog().parse(START, fields))
    with writing(options.store, make=True) as stored:
        if stored.find(options.session) is not None:
            raise UsageError(f'session "{options.session}" has begun already')
        if is_project:
            session = stored.store.project(options.session.removeprefix(PROJECT))
        else:
            session = stored.store.session(options.session, start.project, start.parent)
        if start.title is not None:
            session.record("session.title", title=start.title, actor="user")
        return [*session.events()]

"""Record an event in a session of a store.

What it says comes as `--FIELD VALUE`, or as one JSON object, or as - for such an object on standard
input. A session begins with its first event: `ujsx record SESSION session.start`, with the fields
project, parent and title. An item may be named by its id, the beginning of it, or its exact text.
"""

from __future__ import annotations

import json
import shutil
import textwrap
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._event_line import event_line
from hud_runtime.cli._files import STANDARD_INPUT, read_text
from hud_runtime.cli._output import put_json_line, put_line, remark
from hud_runtime.cli._parser import MAX_WIDTH, one_of
from hud_runtime.cli._stored import Stored, define_store, writing
from hud_runtime.cli._turns import number
from hud_runtime.events import (
    PAYLOADS,
    Actor,
    EventDraft,
    EventType,
    SessionStart,
    known_type,
    parse_payload,
)

if TYPE_CHECKING:
    from hud_runtime import Event

START: EventType = "session.start"

BEGINS = ("project", "parent", "title")
"""The fields of a beginning that a user gives; the store knows the others."""

FIELDS = tuple(dict.fromkeys(name for model in PAYLOADS.values() for name in model.model_fields))
"""The fields of all types."""

_DEST = "field:"
"""Before a field's name among the parsed options, whose own names are no fields."""


def define(parser: ArgumentParser) -> None:
    parser.usage = f"{parser.prog} SESSION TYPE [JSON | --FIELD VALUE ...]"
    parser.epilog = "types and their fields:\n" + "\n".join(_table())
    parser.add_argument("session", metavar="SESSION", help="its id")
    parser.add_argument("type", metavar="TYPE", help="what happened, from the list below")
    parser.add_argument("payload", metavar="JSON", nargs="?", help="the fields as a JSON object")
    for name in FIELDS:
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, dest=_DEST + name, action="append", help=SUPPRESS)
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
    parser.add_argument("--json", action="store_true", help="print the event as a line of JSON")


def run(options: Namespace) -> int:
    event_type = known_type(options.type)
    payload = _payload(event_type, options)
    with writing(options.store, make=event_type == START) as stored:
        if event_type == START:
            events = _begun(stored, options, payload)
        else:
            events = _recorded(stored, options, event_type, payload)
    for event in events:
        if options.json:
            put_json_line(event.model_dump_json())
        else:
            put_line(event_line(event))
    return 0


def _recorded(
    stored: Stored, options: Namespace, event_type: EventType, payload: dict[str, Any]
) -> Sequence[Event]:
    actor = one_of(options.actor or "user", get_args(Actor), "actor")
    try:
        session = stored.session(options.session)
    except UsageError as error:
        raise UsageError(f"{error} (a new session begins with {START})") from None
    before = session.state()
    draft = EventDraft(event_type, payload, turn=options.turn, actor=cast("Actor", actor))
    events = session.record_all([draft])
    if session.state() == before:
        remark("the state is as it was before")
    return events


def _begun(stored: Stored, options: Namespace, payload: dict[str, Any]) -> Sequence[Event]:
    from hud_runtime.session._inherit import PROJECT

    for name in ("actor", "turn"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is not for {START}: the host begins a session, at turn 0")
    for name in payload:
        one_of(name, BEGINS, f"field of {START} that can be given")
    start = cast("SessionStart", parse_payload(START, payload))
    if stored.find(options.session) is not None:
        raise UsageError(f'session "{options.session}" has begun already')
    if options.session.startswith(PROJECT):
        session = stored.store.project(options.session.removeprefix(PROJECT))
    else:
        session = stored.store.session(options.session, start.project, start.parent)
    if start.title is not None:
        session.record("session.title", title=start.title, actor="user")
    return [*session.events()]


def _payload(event_type: EventType, options: Namespace) -> dict[str, Any]:
    """The fields that were given, in whichever way."""
    given = {
        name: values[0] if len(values) == 1 else values
        for name in FIELDS
        if (values := getattr(options, _DEST + name)) is not None
    }
    if options.payload is None:
        return _typed(event_type, given)
    if given:
        raise UsageError(f"give either JSON or --{next(iter(given)).replace('_', '-')}, not both")
    return _object(options.payload)


def _typed(event_type: EventType, given: dict[str, Any]) -> dict[str, Any]:
    """Fields that came as texts, as what the type's payload has: numbers, lists, truth values.

    They are mended as what a model sends is, and only where no two things can be meant.
    """
    from pydantic import ValidationError

    from hud_runtime.events._parse import explain
    from ujsx.tools._fit import fitted

    model = PAYLOADS[event_type]
    try:
        return fitted(model, given, (), []).model_dump(exclude_unset=True)
    except ValidationError as error:
        raise UsageError(explain(event_type, model, error)) from None


def _object(text: str) -> dict[str, Any]:
    place = "standard input" if text == STANDARD_INPUT else "JSON"
    try:
        data: object = json.loads(read_text(text) if text == STANDARD_INPUT else text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{place}: it is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f'{place}: the fields are a JSON object, such as {{"content": "…"}}')
    return cast("dict[str, Any]", data)


def _table() -> list[str]:
    """Each type with its fields, within the terminal."""
    start = max(map(len, PAYLOADS)) + 4
    return [
        textwrap.fill(
            f"  {name:<{start - 2}}{', '.join(model.model_fields)}".rstrip(),
            min(shutil.get_terminal_size().columns, MAX_WIDTH) - 2,
            subsequent_indent=" " * start,
        )
        for name, model in PAYLOADS.items()
    ]

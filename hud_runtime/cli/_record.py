"""Record an event in a session of a store.

Give its fields as a text, as `--FIELD VALUE`, as one JSON object, or as - for such an object on
standard input. A session begins with its first event: `ujsx record SESSION session.start`, with the fields
project, parent and title. An item may be named by its id, the beginning of it, or its exact text.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args, get_origin

import click

from hud_runtime._errors import StoreUnavailableError
from hud_runtime._location import is_address
from hud_runtime.cli._click import (
    Leaf,
    Option,
    argument,
    json_option,
    number,
    option,
    store_options,
)
from hud_runtime.cli._commands import Options, UsageError, domain, one_of, repeated
from hud_runtime.cli._stored import (
    STANDARD_INPUT,
    event_line,
    file_near,
    is_there,
    read_text,
    writing,
)
from hud_runtime.cli._terminal import put_json_line, put_line, remark
from hud_runtime.log.events import (
    Actor,
    EventCatalog,
    EventDraft,
    EventType,
    SessionStart,
    catalog_of,
)
from hud_runtime.log.outbox import QueueReceipt
from ujsx.components import first_text
from ujsx.errors import synonym
from ujsx.text import is_text

if TYPE_CHECKING:
    from hud_runtime import Event

# The fields of an event from a shell: options with their names, or JSON.


def catalog() -> EventCatalog:
    """Return the events of the requested domain."""
    return catalog_of(domain())


def fields_in(types: Iterable[EventType]) -> tuple[str, ...]:
    """Return the fields of types that can be options; others require JSON."""
    models = [catalog()[each] for each in types]
    names = dict.fromkeys(name for model in models for name in model.model_fields)
    return tuple(name for name in names if name not in TAKEN)


TAKEN = frozenset({"actor", "domain", "help", "json", "store", "turn", "version"})
"""The command's own options, whose names fields cannot have."""


ECHOED = 60
"""Maximum characters of a text that an error repeats."""

_DEST = "field_"
"""The prefix of fields among the parsed options, which keeps them apart from the command's own."""


class _RecordLeaf(Leaf):
    """The command, with an option for each field of the domain's events."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the typed arguments; if they fit the named type, other types are not tried."""
        types = [each for each in args if each in catalog()]
        args = [*self._with_pairs(args, fields_in(types))] if types else args
        known = {*map(_flag, fields_in(types))}.union(*[each.opts for each in self.params])
        typed = {each.partition("=")[0] for each in args if each.startswith("--")}
        ctx.meta[_DEST] = fields_in(types if types and typed <= known else catalog())
        return super().parse_args(ctx, args)

    def _with_pairs(self, args: list[str], fields: Sequence[str]) -> Iterator[str]:
        """Yield the arguments, with pairs such as content=TEXT as options."""
        flags = {n for each in self.params if getattr(each, "is_flag", 0) for n in each.opts}
        takes_value = False
        for each in args:
            is_pair = not takes_value and each.partition("=")[0] in fields
            takes_value = each.startswith("-") and "=" not in each and each not in flags
            yield _flag(each.partition("=")[0]) + each[each.index("=") :] if is_pair else each

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; a table explains the fields, instead of a line for each."""
        names = ctx.meta[_DEST] if _DEST in ctx.meta else fields_in(catalog())
        fields = [
            Option([_flag(name), f"{_DEST}{name}"], multiple=True, hidden=True) for name in names
        ]
        return [*super().get_params(ctx), *fields]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of the types and their fields."""
        with formatter.section("Types and their fields"):
            formatter.write_dl(_table({START: BEGINS}))


LEAF = _RecordLeaf


def fields_of(event_type: EventType, options: Options) -> dict[str, Any]:
    """Return the given fields, in either form.

    :raises UsageError: for both forms at once, for anything but a JSON object, or for an option's text that
        does not fit its field. The store validates JSON.
    """
    given = {
        name.removeprefix(_DEST): values[0] if len(values) == 1 else values
        for name, values in vars(options).items()
        if name.startswith(_DEST) and values
    }
    if options.payload is None:
        return _typed(event_type, given)
    if given:
        raise UsageError(f"give either JSON or {_flag(next(iter(given)))}, not both")
    if options.payload != STANDARD_INPUT and options.payload.lstrip()[:1] not in tuple("{["):
        field = first_text(catalog()[event_type])
        if field is None:
            advice = _as_option(event_type, options.payload)
            raise UsageError(f"JSON: it is not a JSON object; {advice}")
        name, is_pair, value = options.payload.partition("=")
        meant = synonym(name, catalog()[event_type].model_fields, is_sure=True) if is_pair else None
        if meant:
            line = f"{meant}={shlex.quote(value)}"
            raise UsageError(f"{event_type} has no field {name}; write {line}, or --{meant} TEXT")
        return _typed(event_type, {field: options.payload})
    return _object(options.payload)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _usage(event_type: EventType, name: str) -> str:
    """A field in its typed form."""
    flag = _flag(name)
    is_list = get_origin(catalog()[event_type].model_fields[name].annotation) is tuple
    return f"{flag} A {flag} B" if is_list else flag


def _as_option(event_type: EventType, text: str) -> str:
    """The form to write instead of a text alone."""
    from hud_components.words import cut

    fields = catalog()[event_type].model_fields
    name = next((name for name, each in fields.items() if each.is_required()), None)
    name = name or next(iter(fields), None)
    if name is None:
        return f"{event_type} has no fields"
    return f"fields are options: {_flag(name)} {shlex.quote(cut(text, ECHOED))}"


def _typed(event_type: EventType, given: dict[str, Any]) -> dict[str, Any]:
    """Fields from texts, converted to the payload's types: numbers, lists, booleans.

    They are repaired like a model's arguments, and only if that is unambiguous.
    """
    from pydantic import ValidationError

    from hud_runtime.log.events._event import explain, no_text
    from ujsx.tools import fitted

    model = catalog()[event_type]
    for name, texts in given.items():
        for text in [texts] if isinstance(texts, str) else texts:
            if not is_text(text):  # invalid UTF-8 becomes half of a surrogate pair
                raise UsageError(f"{event_type}: {no_text(name, text)}")
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
        raise UsageError(f"{place}: it is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f'{place}: the fields are a JSON object, such as {{"content": "…"}}')
    return cast("dict[str, Any]", data)


def _table(taken: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Each type with its fields.

    :param taken: the fields of a type that a user may set, if not all.
    """
    return [
        (name, ", ".join(_usage(name, each) for each in fields if each not in TAKEN))
        for name, model in catalog().items()
        for fields in [taken.get(name, [*model.model_fields])]
    ]


START: EventType = "session.start"

BEGINS = ("project", "parent", "title")
"""The fields of a session's start that a user may set; the store knows the others."""


@argument("session", metavar="SESSION", help="its id")
@argument("type", metavar="TYPE", help="what happened, from the list below")
@argument(
    "payload",
    metavar="JSON",
    required=False,
    help="the fields as a JSON object, or each as --FIELD VALUE",
)
@option(
    "--actor",
    metavar="WHO",
    words=get_args(Actor),
    help=f"the source: {', '.join(get_args(Actor))} (default: user)",
)
@option(
    "--turn", metavar="N", type=number, help="the agent's turn (default: that of the last event)"
)
@store_options()
@json_option("the event as a line of JSON")
def run(options: Options) -> int:
    if options.session in catalog() and options.type not in catalog():
        raise UsageError(f"the session comes first: ujsx record SESSION {options.session} …")
    event_type = catalog().known(options.type)
    fields = fields_of(event_type, options)
    if event_type == START:
        events = _begun(options, fields)
    else:
        done = _recorded(options, event_type, fields)
        if isinstance(done, QueueReceipt):
            return _told_of(done, as_json=options.json)
        events = done
    for event in events:
        if options.json:
            put_json_line(event.model_dump_json())
        else:
            put_line(event_line(event, domain()))
    return 0


def _told_of(posted: QueueReceipt, *, as_json: bool) -> int:
    if as_json:
        put_json_line(json.dumps({"posted": asdict(posted)}, ensure_ascii=False))
    else:
        put_line(f"{', '.join(posted.types)}: not in the store yet")
    remark(
        "the store cannot be reached, so it waits in the outbox, and is recorded when the store is back"
    )
    return 0


def _recorded(
    options: Options, event_type: EventType, fields: dict[str, Any]
) -> Sequence[Event] | QueueReceipt:
    actor = one_of(options.actor or "user", get_args(Actor), "actor")
    draft = EventDraft(event_type, fields, turn=options.turn, actor=cast("Actor", actor))
    try:
        return _recorded_in(options, draft)
    except StoreUnavailableError:
        from hud_runtime.session import settings_beside
        from hud_runtime.session._offline_queue import letters_of, post_unseen

        outbox = settings_beside(options.store).outbox
        if outbox is None:
            raise
        letters = letters_of(outbox, options.store)
        return post_unseen(letters, options.session, draft, domain())


def _recorded_in(options: Options, draft: EventDraft) -> Sequence[Event] | QueueReceipt:
    name = options.store
    if name is not None and not is_address(name) and not is_there(name, Path.exists):
        near = file_near(name)
        hint = f'; did you mean "{near}"?' if near else ""
        first = f"ujsx record {shlex.quote(options.session)} {START}{repeated(name)}"
        raise UsageError(f"there is no store {name} yet{hint}; `{first}` makes it")
    with writing(options.store) as stored:
        try:
            session = stored.session(options.session)
        except UsageError as error:
            raise UsageError(f"{error} (to begin one, record {START})") from None
        before = session.state()
        events = session.post_all([draft])
        if isinstance(events, tuple) and session.known == before:
            from hud_runtime.tools import unchanged  # few events need it

            said = unchanged(session, events[-1], undo=False).removesuffix(".")
            remark(f"{said[:1].lower()}{said[1:]}")
    return events


def _begun(options: Options, fields: dict[str, Any]) -> Sequence[Event]:
    from hud_runtime.session._parent import PROJECT

    for name in ("actor", "turn"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is not for {START}: the host begins a session, at turn 0")
    is_project = options.session.startswith(PROJECT)
    known = BEGINS[-1:] if is_project else BEGINS
    for name in fields:
        one_of(name, known, f"field that a beginning of {options.session} takes")
    folder = fields.get("project")
    if isinstance(folder, str) and is_there(folder, Path.is_dir):
        fields["project"] = str(Path(folder).resolve())
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

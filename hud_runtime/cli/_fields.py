"""The fields of an event, as a shell gives them: options that are named like them, or JSON."""

from __future__ import annotations

import json
import shlex
import shutil
import textwrap
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_origin

from hud_runtime.cli._arguments import MAX_WIDTH, UsageError
from hud_runtime.cli._domain import domain
from hud_runtime.cli._files import STANDARD_INPUT, read_text
from hud_runtime.events import EventCatalog, EventType, catalog_of
from ujsx.components import first_text
from ujsx.text import is_text


def catalog() -> EventCatalog:
    """Return the events of the domain that is asked for."""
    return catalog_of(domain())


def all_fields() -> tuple[str, ...]:
    """Return the fields of all types that can be options; those that cannot are given as JSON."""
    names = dict.fromkeys(name for model in catalog().values() for name in model.model_fields)
    return tuple(name for name in names if name not in TAKEN)


TAKEN = frozenset({"actor", "domain", "help", "json", "store", "turn", "version"})
"""Options of the command, which no field can have."""


ECHOED = 60
"""Characters of a text that a refusal repeats."""

_DEST = "field:"
"""Before a field's name among the parsed options, whose own names are no fields."""


def define_fields(parser: ArgumentParser, taken: Mapping[str, Sequence[str]]) -> None:
    """Add the positional ``JSON``, an option for each field, and a table of them to the help.

    :param taken: the fields of a type that are taken from a user, where these are not all.
    """
    parser.epilog = "types and their fields:\n" + "\n".join(_table(taken))
    parser.add_argument("payload", metavar="JSON", nargs="?", help="the fields as a JSON object")
    for name in all_fields():
        parser.add_argument(_flag(name), dest=_DEST + name, action="append", help=SUPPRESS)


def fields_of(event_type: EventType, options: Namespace) -> dict[str, Any]:
    """Return the fields that were given, in whichever way.

    :raises UsageError: for both ways at once, for what is no JSON object, or for an option's text
        that does not fit its field. Whether JSON fits is for the store to say.
    """
    given = {
        name: values[0] if len(values) == 1 else values
        for name in all_fields()
        if (values := getattr(options, _DEST + name)) is not None
    }
    if options.payload is None:
        return _typed(event_type, given)
    if given:
        raise UsageError(f"give either JSON or {_flag(next(iter(given)))}, not both")
    if options.payload != STANDARD_INPUT and options.payload.lstrip()[:1] not in tuple("{["):
        field = first_text(catalog()[event_type])
        if field is None:
            advice = _as_option(event_type, options.payload)
            raise UsageError(f"JSON: it is no JSON object; {advice}")
        return _typed(event_type, {field: options.payload})
    return _object(options.payload)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _usage(event_type: EventType, name: str) -> str:
    """A field as it is typed."""
    flag = _flag(name)
    is_list = get_origin(catalog()[event_type].model_fields[name].annotation) is tuple
    return f"{flag} A {flag} B" if is_list else flag


def _as_option(event_type: EventType, text: str) -> str:
    """What to write instead of a text alone."""
    from hud_components.words import cut

    fields = catalog()[event_type].model_fields
    name = next((name for name, each in fields.items() if each.is_required()), None)
    name = name or next(iter(fields), None)
    if name is None:
        return f"{event_type} has no fields"
    return f"fields are options: {_flag(name)} {shlex.quote(cut(text, ECHOED))}"


def _typed(event_type: EventType, given: dict[str, Any]) -> dict[str, Any]:
    """Fields that came as texts, as what the type's payload has: numbers, lists, truth values.

    They are mended as what a model sends is, and only where no two things can be meant.
    """
    from pydantic import ValidationError

    from hud_runtime.events._explain import explain, no_text
    from ujsx.tools import fitted

    model = catalog()[event_type]
    for name, texts in given.items():
        for text in [texts] if isinstance(texts, str) else texts:
            if not is_text(text):  # a byte that is no UTF-8 comes as half of a surrogate pair
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
        raise UsageError(f"{place}: it is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f'{place}: the fields are a JSON object, such as {{"content": "…"}}')
    return cast("dict[str, Any]", data)


def _table(taken: Mapping[str, Sequence[str]]) -> list[str]:
    """Each type with its fields, within the terminal."""
    start = max(map(len, catalog())) + 4
    return [
        textwrap.fill(
            f"  {name:<{start - 2}}{', '.join(_usage(name, each) for each in fields)}".rstrip(),
            min(shutil.get_terminal_size().columns, MAX_WIDTH) - 2,
            subsequent_indent=" " * start,
            break_on_hyphens=False,
        )
        for name, model in catalog().items()
        for fields in [
            [each for each in taken.get(name, [*model.model_fields]) if each not in TAKEN]
        ]
    ]

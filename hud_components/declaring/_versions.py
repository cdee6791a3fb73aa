"""Old logs, as today's declarations read them: former names of sections and fields, and upcasts.

What was recorded stays as it is. A payload that today's model reads is read as it stands; one that
it does not read is brought up to date here, and tried again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard, cast
from zlib import crc32

from pydantic import TypeAdapter, ValidationError

from hud_components.declaring._checks import verbs_of
from hud_components.declaring._values import Faults
from hud_components.folding import Add, Replace, Set
from ujsx.components import fields_of
from ujsx.errors import complaint, did_you_mean, shown
from ujsx.text import is_text

if TYPE_CHECKING:
    from ujsx.schema import SchemaChange


def former_types(sections: Iterable[Any]) -> dict[str, str]:
    """Return the types that events had under former names of their sections, each with today's."""
    found: dict[str, str] = {}
    for section in sections:
        for name in section.former:
            for verb in verbs_of(section):
                if verb.event is None:
                    found[f"{name}.{verb.name}"] = verb.type_of(section)
    return found


def former_fields(sections: Iterable[Any]) -> dict[str, str]:
    """Return the fields that the state had for sections under former names, each with today's."""
    return {name: section.field for section in sections for name in section.former}


def check_versions(sections: Iterable[Any], faults: Faults) -> None:
    """Note former names that are somebody's today, and upcasts of what never happens."""
    known = list(sections)
    today = {name: section for section in known for name in (section.name, section.event)}
    seen: dict[str, Any] = {}
    for section in known:
        what = section.__name__
        for name in section.former:
            other = seen.get(name) or today.get(name)
            if other is not None:
                faults.append(
                    f"{what}.former: {shown(name)} is a name of {other.__name__}; an event could be "
                    "of either of them"
                )
            seen[name] = section
        for old, new in section.former_fields.items():
            if new is not None and new not in fields_of(section.value):
                faults.append(
                    f"{what}.former_fields: {section.value.__name__} has no field {shown(new)};"
                    f" {did_you_mean(new, fields_of(section.value))}; None is for one that is gone"
                )
            if old in fields_of(section.value):
                faults.append(
                    f"{what}.former_fields: {section.value.__name__} has a field {shown(old)} today; leave"
                    " it out"
                )
        types = {verb.type_of(section) for verb in verbs_of(section)}
        types |= former_types([section]).keys()
        for event_type in section.upcasts:
            if event_type not in types:
                faults.append(
                    f"{what}.upcasts: nothing of the type {shown(event_type)} happens to it;"
                    f" {did_you_mean(event_type, types)}"
                )
            if not callable(section.upcasts[event_type]):
                faults.append(
                    f"{what}.upcasts: {shown(event_type)} has no function; give one that takes the"
                    " payload as it was recorded, and returns today's"
                )


def upcast(
    domain: Any, event_type: str, payload: Mapping[str, Any], *, strict: bool = False
) -> dict[str, Any]:
    """Return a recorded payload as today's model of its type has it.

    :param event_type: the type that it was recorded under.
    :param strict: whether inherited items stay that cannot be any more, as where a file is taken in:
        then they are refused.
    """
    data = dict(payload)
    happening = domain.happenings.get(domain.current_type(event_type))
    if happening is not None:
        section = happening.section
        data = _renamed(section, _stepped(section, happening.type, data, event_type))
        if isinstance(happening.verb, Replace):
            data["items"] = [_draft(section, each) for each in data.get("items", ())]
        return data
    fields = former_fields(domain.sections)
    if event_type in _ABOUT_ONE:
        data["section"] = fields.get(data.get("section", ""), data.get("section"))
    elif event_type == "section.replace":
        named = {fields.get(name, name): items for name, items in data.items()}
        data = {
            name: [_draft(domain.fields[name], each) for each in items or ()]
            if name in domain.fields
            else items
            for name, items in named.items()
        }
    elif event_type == "session.start":
        if "domain" in data:  # of a session that has moved since
            data["domain"] = domain.name
        if isinstance(data.get("inherited"), dict):
            data["inherited"] = _inherited(domain, data["inherited"], fields, strict=strict)
    return data


_ABOUT_ONE = ("section.clear", "section.pin", "section.fold", "section.reset")
"""Events that name a section, as a field of the state."""


def _stepped(
    section: Any, current: str, data: dict[str, Any], recorded: str | None = None
) -> dict[str, Any]:
    change = section.upcasts.get(recorded) or section.upcasts.get(current)
    return data if change is None else dict(change(data))


def _renamed(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    names = section.former_fields
    return {
        names.get(name, name): value
        for name, value in data.items()
        if name not in names or (names[name] is not None and names[name] not in data)
    }


def _draft(section: Any, data: Any) -> Any:
    """An item among others that replace a section: what its verb for a new one would have said."""
    if not _is_object(data):
        return data
    for verb in verbs_of(section):
        if isinstance(verb, Add):
            data = _stepped(section, verb.type_of(section), data)
    return _renamed(section, data)


def _inherited(
    domain: Any, state: Mapping[str, Any], fields: Mapping[str, str], *, strict: bool
) -> dict[str, Any]:
    """What a session began with, without sections that are gone and items that cannot be any more.

    Those that are left out are counted in it, as what cannot be read of events is.
    """
    found: dict[str, Any] = {}
    lost: list[dict[str, Any]] = []
    for each in _parts_of(domain, state, fields):
        if each.why is not None and not strict:
            lost.append({"section": each.field, "item": each.item, "version": 1})
        elif each.is_item:
            found.setdefault(each.field, []).append(each.value)
        else:
            found[each.field] = each.value
    if lost:
        found["unreadable"] = [*found.get("unreadable", ()), *lost]
    return found


class _StatePart(NamedTuple):
    """An item, a value or a fact of the state that a session began with."""

    place: str
    """Where it stands in what was recorded."""

    field: str
    value: Any
    """As today's model reads it, if that can be."""

    is_item: bool = False
    item: str = ""
    """What names it."""

    why: str | None = None
    """Why today's model does not read it."""


def _parts_of(
    domain: Any, state: Mapping[str, Any], fields: Mapping[str, str]
) -> Iterator[_StatePart]:
    facts = fields_of(domain.state).keys() - domain.fields.keys()
    for name, value in state.items():
        field = fields.get(name, name)
        if field in facts:
            yield _StatePart(name, field, value)
        elif not isinstance(value, list | tuple):
            if value is not None:
                yield _part(domain, name, field, value, is_item=False)
        else:
            for place, each in enumerate(cast("Sequence[Any]", value)):
                yield _part(domain, f"{name}[{place}]", field, each, is_item=True)


def _part(domain: Any, place: str, field: str, value: Any, *, is_item: bool) -> _StatePart:
    section = domain.fields.get(field)
    key = section.kind.key if section is not None and section.kind is not None else "id"
    name = value.get(key) if _is_object(value) else None
    usual = "" if section is None or is_item else section.name
    item = name if isinstance(name, str) and is_text(name) else usual
    why: str | None = None
    if section is None:
        why = f'the domain "{domain.name}" has no such section'
    elif is_item is (section.kind is None):
        why = f"the section has {'one value' if is_item else 'items'} today"
    elif not _is_object(value):
        why = "it is not an object"
    else:
        value = _as_today(section, value)
        why = _why_not(section.value, value)
    return _StatePart(place, field, value, is_item, item, why)


def _as_today(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """An item, or a value, that a session began with, as today's model reads it, if that can be.

    It was not recorded by an event, but is what one made. So where other names alone do not do, the
    upcasts of those events are asked; what only the store and verbs set stays as it is.
    """
    renamed = _renamed(section, data)
    if _why_not(section.value, renamed) is None:
        return renamed
    for change in _makers(section):
        try:
            made = {**_not_said(section, data), **_renamed(section, change(dict(data)))}
        except Exception:  # noqa: BLE001, S112 - it is the author's
            continue
        if _why_not(section.value, made) is None:
            return made
    return renamed


def _makers(section: Any) -> Iterator[Callable[[dict[str, Any]], Mapping[str, Any]]]:
    """The upcasts of what makes a new item, or a value."""
    for verb in verbs_of(section):
        if isinstance(verb, Add | Set):
            names = (section.event, *section.former) if verb.event is None else ()
            types = (verb.type_of(section), *(f"{name}.{verb.name}" for name in names))
            yield from (
                section.upcasts[each] for each in dict.fromkeys(types) if each in section.upcasts
            )


def _not_said(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """What an item has that no author says of it."""
    said = fields_of(section.draft)
    return {
        name: data[name] for name in fields_of(section.value) if name in data and name not in said
    }


def left_out(domain: Any, payload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a session began with and does not have any more: where it stands, and why it is out.

    :param payload: what the session's first event says, as it was recorded.
    """
    state = payload.get("inherited")
    for each in _parts_of(
        domain, state if _is_object(state) else {}, former_fields(domain.sections)
    ):
        if each.why is not None:
            yield each.place, each.why


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _why_not(model: Any, data: Any) -> str | None:
    """Why data are no value of a model, as a sentence without a full stop; None where they are one."""
    try:
        TypeAdapter(model).validate_json(json.dumps(data))
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = ".".join(map(str, first["loc"]))
        others = f", and {len(more)} more" if more else ""
        said = complaint(first)
        return f"{place}: {said}{others}" if place else f"{said}{others}"
    return None


def stored_changes(domain: Any, old: Mapping[str, Any]) -> Iterator[tuple[str, SchemaChange]]:
    """Yield what changed in the payloads of events since their schemas were ``old``, by type.

    ``former`` and ``former_fields`` are taken into account; of an upcast nobody can tell what it returns.
    """
    from ujsx.schema import SchemaChange, compare_schemas, tool_schema

    for recorded, schema in old.items():
        today = domain.current_type(recorded)
        happening = domain.happenings.get(today)
        if happening is None:
            advice = f"former = ({recorded.rpartition('.')[0]!r},), if the section has another name"
            why = "no event has this type, or had it"
            yield recorded, SchemaChange("", "", None, None, True, why, advice)
            continue
        section, before = happening.section, deepcopy(schema)
        _rename_in(before, section.former_fields)
        if isinstance(happening.verb, Replace):
            item = before.get("properties", {}).get("items", {}).get("items", {})
            named = item.get("$ref", "").rpartition("/")[2]
            _rename_in(before.get("$defs", {}).get(named, item), section.former_fields)
        declared = next((each for each in (recorded, today) if each in section.upcasts), None)
        for each in compare_schemas(before, tool_schema(domain.payload(today)), event=recorded):
            if each.is_breaking and declared is not None:
                advice = f"unless upcasts[{declared!r}] returns what is valid: ujsx doctor reads your stores with it"
                yield recorded, replace(each, remedy=advice)
            else:
                yield recorded, each


def _rename_in(schema: dict[str, Any], names: Mapping[str, str | None]) -> None:
    """Give the members of an object's schema the names that they have today."""
    members: dict[str, list[Any]] = {}
    for name, each in schema.get("properties", {}).items():
        today = names.get(name, name)
        if today is not None:
            members.setdefault(today, []).append(each)
    schema["properties"] = {
        name: each[0] if len(each) == 1 else {"anyOf": each} for name, each in members.items()
    }
    required = (names.get(each, each) for each in schema.get("required", ()))
    schema["required"] = [each for each in dict.fromkeys(required) if each is not None]


def revision_of(domain: Any) -> int:
    """Return what snapshots are filed under: another number where events could add up to other states.

    It follows from all that a declaration says of its data. A function's body is not looked into:
    whoever changes what it does raises the section's ``revision``.
    """
    told = [
        {
            "field": section.field,
            "revision": section.revision,
            "former": section.former,
            "fields": dict(section.former_fields),
            "upcasts": sorted(section.upcasts),
            "on": sorted(section.on),
            "value": section.value.model_json_schema(),
            "verbs": {
                verb.type_of(section): domain.payload(verb.type_of(section)).model_json_schema()
                for verb in verbs_of(section)
            },
        }
        for section in domain.fields.values()
    ]
    return crc32(json.dumps(told, sort_keys=True, default=str).encode()) & 0x7FFFFFFF

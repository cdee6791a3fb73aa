"""The checks of a declaration, which refuse it at its place with the line to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from inspect import iscoroutinefunction, signature
from itertools import pairwise
from types import FunctionType
from typing import Any, ClassVar, NamedTuple, cast, get_args, get_origin
from unicodedata import normalize

from pydantic import BaseModel, ValidationError

from hud_components._models import KEPT, SOURCE, Actor, HudModel, HudValue, Origin, PlainItem
from hud_components.declaring._form import OVER, holes_in
from hud_components.declaring._values import Faults, adapter_at, choices_of, is_set, no_field
from hud_components.folding import (
    DONE,
    REOPENED,
    VERBS,
    Add,
    Append,
    Change,
    End,
    Mark,
    Remove,
    Reopen,
    Reorder,
    Replace,
    Set,
    Update,
    Verb,
    choice_of,
)
from ujsx import DefinitionError, Density, Disclosure, FrozenMapping, Rung
from ujsx.components import (
    fields_of,
    first_text,
    is_mentioned,
    unhashable_part,
    with_lines,
    with_value,
)
from ujsx.errors import complaint, did_you_mean, listed, nearest, shown

# The holes of a verb's texts: the values available to its answer, and to the line of the history.

OF_EVERY_VERB = frozenset({"id", "section", "said", "text", "item", "details", "done"})
"""The holes that the history fills for every event of a section; any other hole is first a field of the event."""


def check_words(section: Any, verb: Verb) -> Iterator[str]:
    """Yield the unknown holes of an answer, and of a line of the history."""
    place = f"{section.__name__}.verbs: {shown(verb.name)}"
    known = {*OF_EVERY_VERB, *_told(section, verb)}
    answered = {*_holes(f"{place} answers", verb.answer)} - {"id"}
    told = {*_holes(f"{place} is told as", verb.told)} - known
    if answered or told:  # the model is created on demand
        given = fields_of(verb.payload_of(section)).keys()
        shown_in = {"id", *given} - {*SOURCE}
        yield from _unfilled(section, f"{place} answers", verb.answer, shown_in)
        yield from _unfilled(section, f"{place} is told as", verb.told, known | given, "{item}")


def _instead(section: Any, words: str) -> tuple[str, Iterable[str]]:
    """Return the text with an item's id for the item's fields, which are not available to holes; and these fields."""
    fields = fields_of(section.value).keys() - {"id"} if section.holds_items else ()
    for name in fields if "{id}" not in words else ():
        words = words.replace(f"{{{name}}}", "{id}")
    return words, fields


def _told(section: Any, verb: Verb) -> Iterator[str]:
    """Return the holes of a line of the history other than the event's fields."""
    yield from {"status"} & fields_of(section.value).keys()
    if not section.holds_items:
        yield "was"
    if isinstance(verb, Update) or (verb.payload is not None and issubclass(verb.payload, Change)):
        yield "changes"
    if isinstance(verb, Reorder):
        yield "order"
    if isinstance(verb, Remove):
        yield "lifted"


def _unfilled(
    section: Any, place: str, words: str, known: Collection[str], beside: str = ""
) -> Iterator[str]:
    """Yield the holes of a text that nothing fills.

    :param beside: what the text to write has behind an item's id in place of one of its fields.
    """
    better, of_item = _instead(section, f"{words}{beside}")
    for name in _holes(place, words):
        if name not in known:
            is_better = name in of_item and better != words
            hint = f"write {shown(better)}" if is_better else did_you_mean(name, known)
            yield f"{place} {shown(words)}, and nothing fills {{{name}}}; {hint}"


def _holes(place: str, words: str) -> list[str]:
    holes = holes_in(place, words)
    for name, spec, conversion in holes:
        if spec or conversion:
            raise DefinitionError(
                f"{place} {shown(words)}: a hole holds only a name; write {{{name}}}"
            )
    return [name for name, _, _ in holes]


RESERVED = frozenset({"turn", "timestamp", "actor", "type", "payload", "section", "op", "call"})
"""Names that no field can have, as events or calls use them."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""The form of the name of a section, a verb or an event."""

OF_ITEMS = (Add, Mark, Remove, Reopen, Reorder, Replace)
"""The verbs that need a list of items."""

READS = frozenset({"list", "get"})
"""The read-only operations of every section."""


def check_name(
    what: str, name: object, own: Mapping[str, Any], bases: tuple[type, ...]
) -> Iterator[str]:
    """Yield an invalid section name, or a prop that all sections use for something else."""
    prop = own.get("prop")
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        rule = "use lower-case letters, digits and underscores, a letter first"
        yield f"{what}.name: {shown(name)} is not a valid name; {rule}{such_as(name)}"
    elif prop and is_taken(prop, bases):
        why = "is a name that every section already has"
        yield f'{what}.prop: {shown(prop)} {why}; write prop = "{prop}_shown"'


def is_taken(prop: str, bases: tuple[type, ...]) -> bool:
    """Tell whether all sections already have an attribute with the name of a prop."""
    return prop in _SETTINGS or any(hasattr(base, prop) for base in bases)


def name_like(text: object) -> str:
    """Return the valid name closest to a text; empty if it has no letter from a to z.

    >>> name_like("Hand in"), name_like("prüfen"), name_like("章")
    ('hand_in', 'pruefen', '')
    """
    plain = normalize("NFKD", str(text).lower().translate(_GERMAN)).encode("ascii", "ignore")
    return re.sub("[^a-z0-9]+", "_", plain.decode()).strip("_").lstrip("0123456789_")


_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def such_as(name: object) -> str:
    """Return the end of a refusal of a name: the closest valid one."""
    return f", such as {shown(like)}" if (like := name_like(name)) else ""


_SETTINGS = frozenset(
    {"density", "limit", "standing", "unlisted", "unlisted_at", "unlisted_done", "show_ids"}
)
"""The props of all sections."""


_DRAWN = frozenset({"render", "line", "full", "compact", "minimal", "to_markdown"})
"""Methods by which items of other libraries say how they are shown."""


def check_fields(section: Any, faults: Faults) -> None:
    """Record fields that clash with an event's own, or that cannot be stored.

    :raises DefinitionError: for a model with undefined fields.
    """
    what, model = section.__name__, section.value
    if not model.__pydantic_complete__ and not model.model_rebuild(raise_errors=False):
        why = f"{model.__name__} names a type that is not known there"
        raise DefinitionError(f"{what}: {why}; import or define it before the class")
    faults.of(_check_settings, what, model)
    faults.of(_check_parts, what, model)
    own = cast("Mapping[str, Any]", vars(model))
    for name in sorted(_DRAWN & own.keys()):
        if callable(own[name]) and not is_mentioned(name, {**own, **section.__dict__}):
            line = _rewritten(what, "view", f"{{{first_text(model) or '…'}}}")[1]
            faults.append(f"{model.__name__}.{name}: nothing calls it; write {line} in {what}")
    for name, info in fields_of(model).items():
        faults.of(_check_field, section, name, info)
        faults.of(_check_default, f"{what}: {model.__name__}.{name}", info)


_OF_PAYLOADS = frozenset(
    {"model_copy", "values", "ids", "drafted", "emptied", "expected_from", "tells_own"}
)
"""Names with another use in an event's payload."""


def _check_field(section: Any, name: str, info: Any) -> Iterator[str]:
    model = section.value
    place = f"{section.__name__}: {model.__name__}.{name}"
    has_id = section.holds_items or issubclass(section.value, PlainItem)
    taken = RESERVED | _OF_PAYLOADS | (frozenset[str]() if has_id else {"id"})
    if name == "origin" and info.annotation != Origin | None:
        taken |= {name}
    if name in taken or _is_the_stores_alone(model, name, info):
        other = f"use another one, such as {model.__name__.lower()}_{name}"
        yield f"{place} is a name that every event and call already has; {other}"
    elif is_kept(info) and info.is_required():
        yield f"{place} is set by verbs only, so it needs a default"
    elif is_kept(info) and info.default_factory is not None:
        why = f"{place} is set by verbs only, and a replay has to give the same again"
        yield f"{why}; give it a default that does not change"
    elif info.alias is not None or info.validation_alias is not None:
        yield f"{place} has an alias, and a field has one name everywhere; leave the alias out"


def _check_default(place: str, info: Any) -> Iterator[str]:
    """Yield a mutable default, which a state would share."""
    if unhashable_part(info.annotation) is not None:  # which is refused with its default
        return
    made = info.default_factory in (list, set, dict)
    default: Any = info.default_factory() if made else info.default
    if default.__class__ in (list, set, dict):
        kinds: dict[str, Any] = {"frozenset": frozenset, "FrozenMapping": FrozenMapping}
        name = getattr(get_origin(info.annotation), "__name__", "")
        better = kinds.get(name, tuple)(default)
        why = f"{place} has the default {shown(default)}, which could change in place"
        yield f"{why}; write {better!r}"


def _is_the_stores_alone(model: type[Any], name: str, info: Any) -> bool:
    """Tell whether a field is the store's, and redeclared by the author."""
    for base in (PlainItem, HudValue):
        if issubclass(model, base) and (own := fields_of(base).get(name)) is not None:
            return (info.annotation, info.default) != (own.annotation, own.default)
    return False


def is_kept(info: Any) -> bool:
    """Tell whether only verbs set a field."""
    return KEPT in info.metadata


def check_draft(section: Any) -> None:
    """Refuse a draft without fields, or with fields that the item lacks."""
    what, draft, model = section.__name__, section.draft, section.value
    if not fields_of(draft):
        why = f"{model.__name__} has no field that an author can set"
        raise DefinitionError(f"{what}: {why}; add one that is not Kept")
    for name in fields_of(draft):
        if name not in fields_of(model):
            raise DefinitionError(no_field(f"{what}.draft", model, name))


def check_sources(section: Any) -> Iterator[str]:
    """Yield a model whose values do not record their source, unless the section allows it."""
    what, model = section.__name__, section.value
    has_source = issubclass(model, HudValue)
    if section.is_sourced and has_source:
        yield from check_expected(model)
    elif has_source:
        yield f"{what}.is_sourced: {model.__name__} records its source; write is_sourced = True"
    elif section.is_sourced:
        base = "HudItem" if section.holds_items and section.key == "id" else "HudValue"
        why = f"{model.__name__} does not record its source"
        yield f"{what}: {why}; make it a {base}, or write is_sourced = False"


def check_expected(model: type[HudValue]) -> Iterator[str]:
    """Yield anything but a list of the actors whose words are not marked."""
    expected, known = model.expected_from, get_args(Actor)
    what = f"{model.__name__}.expected_from"
    if isinstance(expected, str):
        yield f"{what}: {shown(expected)} is not a tuple; write expected_from = ({shown(expected)},)"
        return
    for each in expected:
        if each not in known:
            yield f"{what}: {shown(each)} is not a source; known: {listed(known)}"


def check_roles(section: Any) -> Iterator[str]:
    """Yield fields that cannot have the role that the section assigns."""
    for attribute in ("text", "order", "key"):
        if name := getattr(section, attribute, None):
            yield from _check_role(section, attribute, name)


def _check_role(section: Any, attribute: str, name: str) -> Iterator[str]:
    what, model = section.__name__, section.value
    fields, drafted = fields_of(model), fields_of(section.draft)
    if attribute == "key" and name == "id" and name not in fields:
        line = 'make it a HudItem, or name the field that identifies an item: key = "…"'
        yield f"{what}: {model.__name__} has no id; {line}"
    elif name not in fields:
        yield no_field(f"{what}.{attribute}", model, name)
    elif attribute == "order" and fields[name].annotation is not int:
        why = f"{model.__name__}.{name} is not a position"
        yield f"{what}.order: {why}; declare it as Kept[int] = 0"
    elif attribute == "text" and name not in drafted:
        why = f"{model.__name__}.{name} is not a field that an author sets"
        yield f"{what}.text: {why}; {did_you_mean(name, drafted)}"


# The end of an item: a yes/no field, or choices of a field, in one of several forms.


def end_of(section: Any) -> End | None:
    """Return the end of a section's items: its ``done``, or else the mark that a verb sets.

    :raises DefinitionError: for an invalid end, with the line to write.
    """
    done, model, place = section.done, section.value, f"{section.__name__}.done"
    fields = fields_of(model)
    if done is not None:
        end = _end(place, model, done)
        usual = fields[end.field].default
        if end.values != (True,) and choice_of(end.values, usual) is not None:
            why = f"a new {model.__name__} would be over at once, because its {end.field} is {shown(usual)}"
            other = f"give {model.__name__}.{end.field} another default"
            raise DefinitionError(f"{place}: {why}; leave that out, or {other}")
        return end
    inherited: End | None = getattr(section, "_end", None)
    is_anew = "done" in vars(section)
    if inherited and not is_anew and inherited.field in fields:
        return inherited
    verbs = (VERBS.get(each) if isinstance(each, str) else each for each in given_verbs(section))
    marks = [each for each in verbs if isinstance(each, Mark)]
    named = next((each.done for each in marks if each.done), None)
    if named is not None:
        return _end(place, model, named)
    flags = flags_of(model)
    if marks and len(flags) == 1:
        return End(flags[0])
    choices = field_choices(model)
    sets: dict[str, list[object]] = {}
    for name, value in ((name, value) for each in marks for name, value in each.sets.items()):
        if name in choices and value != fields[name].default:
            sets.setdefault(name, []).append(value)
    over = {name: tuple(dict.fromkeys(values)) for name, values in sets.items()}
    return _end(place, model, over) if len(over) == 1 else None


def usual_done(section: Any) -> str | None:
    """Return the yes/no field for items that are over, if none is declared: one with a word for it as its name, or else
    the only one that is no and set by verbs alone.
    """
    from hud_components.declaring._spellings import OVER as WORDS

    fields, flags = fields_of(section.value), flags_of(section.value)
    by_word = {name.removeprefix("is_"): name for name in flags}
    named = [by_word[word] for word in WORDS.split() if word in by_word]
    kept = [name for name in flags if is_kept(fields[name]) and fields[name].default is False]
    alone = kept if len(kept) == 1 and not section.on else []
    return next(iter(named + alone), None)


def setters(section: Any, name: str) -> list[Verb]:
    """Return the verbs of a section that may set a field not set by authors."""
    end = _end_in(section)
    is_end = end is not None and end.field == name
    return [
        each
        for each in verbs_of(section)
        if each.function
        or type(each).__module__ != Verb.__module__
        or name in each.sets
        or (is_end and isinstance(each, Mark | Reopen))
    ]


def _end_in(section: Any) -> End | None:
    """Return the declared end of a section's items."""
    return getattr(section, "_end", None)


def unset_field(section: Any) -> str | None:
    """Return the remedy if no verb of a section can end its items, or set their number; otherwise ``None``."""
    if section.value is None or section.on:
        return None
    end, what, model = _end_in(section), section.__name__, section.value.__name__
    names = (f'"{each.name}"' if each in VERBS.values() else "…" for each in verbs_of(section))
    known = ", ".join(names)
    for name, info in fields_of(section.value).items():
        if not is_kept(info) or name in SOURCE or setters(section, name):
            continue
        why = f"no verb sets {model}.{name}, which is Kept"
        if end is not None and name == end.field:
            line = f'verbs = ({known}, Mark("finish")), from hud_components.folding import Mark'
            return f"{what}.done: {why}; write {line}"
        if section.kind is not None and info.annotation is int and section.kind.order != name:
            line = f'order = "{name}" for places that the store numbers from 1'
            return (
                f'{what}: {why}; write {line}, or verbs = ({known}, Verb("set_{name}", function))'
            )
    return None


def field_choices(model: type[Any]) -> dict[str, tuple[Any, ...]]:
    """Return the fields of a model with choices, and the choices."""
    known = {name: choices_of(info.annotation) or () for name, info in fields_of(model).items()}
    others = {*SOURCE, *flags_of(model)}
    return {
        name: tuple(each for each in found if is_set(each))
        for name, found in known.items()
        if found and name not in others
    }


def _end(place: str, model: type[Any], done: object) -> End:
    """Return the end for a field, a choice, several choices, or a field with one or several of its choices."""
    fields, choices, flags = fields_of(model), field_choices(model), flags_of(model)
    if isinstance(done, Mapping):
        return _end_by_name(place, model, cast("Mapping[Any, object]", done))
    if isinstance(done, str) and done in flags:
        return End(done)
    said = _several(done)
    meant = {name: [choice_of(known, each) for each in said] for name, known in choices.items()}
    whole = {name: found for name, found in meant.items() if said and None not in found}
    if len(whole) == 1:
        [(name, found)] = whole.items()
        return End(name, tuple(each for each in choices[name] if each in found))
    if whole:
        [name, *_] = whole
        why = f"{listed(list(whole))} of {model.__name__} have that choice; write one: done = {{{shown(name)}: {shown(done)}}}"
    elif said and said[0] in choices:
        name = str(said[0])
        own = [each for each in said[1:] if choice_of(choices[name], each) is not None]
        ends: Sequence[object] = own or choices[name][-1:]
        told = shown(ends[0]) if len(ends) == 1 else shown(tuple(ends))
        line = f"{{{shown(name)}: {told}}}"
        why = f"{model.__name__}.{name} is one of {_listed(choices[name])}; write which of them end it, such as done = {line}"
    elif isinstance(done, str) and done in fields:
        why = f"{model.__name__}.{done} is not yes or no; declare it as Kept[bool] = False"
    else:
        known = [*flags, *(str(each) for found in choices.values() for each in found)]
        strange = next((each for each in said if each not in known), done)
        usual = {name: info.default for name, info in fields.items() if info.annotation is str}
        texts = [name for name in usual if usual[name] and isinstance(usual[name], str)]
        hint = "give it a field: done: Kept[bool] = False"
        if known:
            hint = did_you_mean(str(strange), known)
        elif texts:
            name, value = texts[0], usual[texts[0]]
            hint = f"write {name}: Literal[{_listed((value, *said))}] = {shown(value)}"
        why = f"{model.__name__} has no yes/no field and no choice {shown(strange)}; {hint}"
    raise DefinitionError(f"{place}: {why}")


def _end_by_name(place: str, model: type[Any], done: Mapping[Any, object]) -> End:
    choices = field_choices(model) | dict.fromkeys(flags_of(model), (True, False))
    name, given = next(iter(done.items()), ("", None))
    said = _several(given)
    if len(done) != 1:
        why = f"{shown(dict(done))} names {len(done)} fields, and one says that an item is over"
        raise DefinitionError(f"{place}: {why}; leave the others out")
    if name not in choices:
        why = f"{model.__name__} has no field {shown(name)} with choices"
        raise DefinitionError(f"{place}: {why}; {did_you_mean(str(name), choices)}")
    found = [choice_of(choices[name], each) for each in said]
    if None in found or not found:
        wrong = said[found.index(None)] if found else given
        why = f"{model.__name__}.{name} is never {shown(wrong)}; it is one of {_listed(choices[name])}"
        raise DefinitionError(f"{place}: {why}")
    return End(name, tuple(each for each in choices[name] if each in found))


def _several(given: object) -> tuple[object, ...]:
    several = isinstance(given, tuple | list | set | frozenset)
    return tuple(cast("Iterable[object]", given)) if several else (given,)


def _listed(choices: Iterable[object]) -> str:
    return listed([shown(each) for each in choices])


def check_verbs(section: Any) -> Faults:
    """Return the faults of verbs that the section cannot have, duplicate names, and functions that cannot be verbs."""
    seen, faults = set[str](), Faults()
    faults.of(_check_key, section)
    for each in given_verbs(section):
        with faults:
            verb = _verb_of(section, each)
            place = f"{section.__name__}.verbs: {shown(verb.name)}"
            faults.of(_check_verbs_name, section, verb.name, seen)
            if unfit := [*_check_kind(section, verb, place)]:
                faults += unfit
                continue
            faults.of(_check_flags, place, verb)
            for name, value in verb.sets.items():
                faults.of(_check_set, place, section.value, name, value)
            if type(verb) is Verb or verb.function is not None:
                if verb.function is None and verb.sets:
                    said = ", ".join(f"{name}={shown(value)}" for name, value in verb.sets.items())
                    line = (
                        f"Mark({shown(verb.name)}, {said}), from hud_components.folding import Mark"
                    )
                    raise DefinitionError(f"{place} has no function; write {line}")
                check_function(place, verb.function)
                if verb.payload is None:
                    verb.check_arguments()
            faults += [*check_words(section, verb)] or _check_said(section, verb, place)
    for event_type, rule in section.on.items():
        faults.of(check_function, f"{section.__name__}.on: {shown(event_type)}", rule)
    return faults


def _check_key(section: Any) -> Iterator[str]:
    """Yield a verb that identifies an item by its id if another field is the key."""
    if not section.holds_items or section.key == "id":
        return
    for each in given_verbs(section):
        verb = VERBS.get(each) if isinstance(each, str) else each
        if isinstance(verb, _BY_ID):
            what, model = section.__name__, section.value
            others = f"give a function: Verb({shown(verb.name)}, function)"
            if issubclass(model, PlainItem):
                others = f"leave key out, as a {model.__name__} has an id"
            why = f"{shown(verb.name)} names an item by its id"
            yield f"{what}.verbs: {why}, and those of {what} are named by {shown(section.key)}; {others}"
            return


_BY_ID = (*OF_ITEMS, Append, Update)


def _check_verbs_name(section: Any, name: str, seen: set[str]) -> Iterator[str]:
    place = f"{section.__name__}.verbs"
    if name in seen:
        yield f'{place}: there are two of the name "{name}"; leave one out, or give it another name'
    elif not NAME.fullmatch(name):
        rule = "use lower-case letters and underscores"
        yield f"{place}: {shown(name)} is not a valid name; {rule}{such_as(name)}"
    elif name in READS:
        yield f"{place}: {shown(name)} is how a section is read; use another name"
    seen.add(name)


def _check_kind(section: Any, verb: Verb, place: str) -> Iterator[str]:
    """Yield what a verb lacks in the section's data."""
    end = _end_in(section)
    if isinstance(verb, OF_ITEMS) and not section.holds_items:
        yield f'{place} is for lists; a value has "set", "update" and "clear"'
    elif isinstance(verb, Set) and section.holds_items:
        yield f'{place} is for one value; a list has "add" and "replace"'
    elif isinstance(verb, Mark) and end is not None:
        yield from _check_mark(section, verb, end, place)
    elif isinstance(verb, Mark) and section.done is None:
        flags, model = flags_of(section.value), section.value.__name__
        field = flags[0] if flags else "done"
        advice = "" if flags else f", and give {model} a field {field}: Kept[bool] = False"
        line = f'say which field tells it: done = "{field}"{advice}'
        yield f"{place} marks an item as over; {line}"
    elif isinstance(verb, Append) and may_not_grow(section):
        yield f"{place} adds a line to a text; say which field has it: text = …"


def _check_mark(section: Any, verb: Mark, end: End, place: str) -> Iterator[str]:
    """Yield what a mark lacks that ends an item: another field, or the choice of several."""
    choices = field_choices(section.value).get(end.field, ())
    others = () if verb.done or end.field in verb.sets else choices
    meant = nearest(verb.name, [str(getattr(each, "value", each)) for each in others])
    if verb.done not in (None, end.field) and choice_of(end.values, verb.done) is None:
        why = f"{shown(verb.done)}, and {shown(end.field)} says that an item is over"
        yield f"{place} marks {why}; write Verb({shown(verb.name)}, function) for another field"
    elif meant is not None and choice_of(end.values, meant) is None:
        line = f"Mark({shown(verb.name)}, {end.field}={shown(meant)})"
        yield f"{place} marks an item as {end.word(end.values[0])}; write {line}"
    elif verb.value_of(end) is None:
        first = nearest(verb.name, map(str, end.values)) or end.values[0]
        why = f"marks an item as over, and {_listed(end.values)} all do"
        yield f"{place} {why}; choose one: Mark({shown(verb.name)}, done={shown(first)})"


def _check_flags(place: str, verb: Verb) -> Iterator[str]:
    """Yield texts that are not strings, and flags that are not booleans."""
    for name in ("help", "answer", "told"):
        if not isinstance(words := getattr(verb, name), str):
            yield f"{place}: its {name} is a text, not {shown(words)}"
    for name in ("rare", "is_operation", "host_reported"):
        if not isinstance(flag := getattr(verb, name), bool):
            yield f"{place}: {name} is True or False, not {shown(flag)}"
    if verb.also is not None and not callable(verb.also):
        what = "a function of the value before and after"
        yield f"{place}: also is {what}, not {shown(verb.also)}"


def _check_set(place: str, model: type[BaseModel], name: str, value: object) -> Iterator[str]:
    """Yield a verb's value that is invalid for its field."""
    if name not in fields_of(model):
        hint = did_you_mean(name, fields_of(model))
        yield f"{place} sets {shown(name)}, which {model.__name__} has not; {hint}"
    elif not callable(value):  # a function's result is for the moment
        try:
            adapter_at(model, name).validate_python(value, strict=True)
        except ValidationError as error:
            why = complaint(error.errors()[0])
            yield f"{place} sets {model.__name__}.{name} to {shown(value)}: {why}"


def _check_said(section: Any, verb: Verb, place: str) -> Iterator[str]:
    """Yield arguments in which an agent could fill in the store's fields."""
    function = verb.function is not None and verb.payload is None
    given = (verb.arguments, verb.payload, getattr(verb, "draft", None))
    for model in (*given, verb.check_arguments() if function else None):
        if model is None or model is section.value:  # its fields for authors are meant
            continue
        for name in RESERVED & fields_of(model).keys():
            why = f"{model.__name__}.{name} has the name of something that every event or call has"
            yield f"{place}: {why}; use another one"
        kept = [name for name, info in fields_of(model).items() if is_kept(info)]
        if kept:
            why = f"{model.__name__}, whose {kept[0]} only the store or a verb sets"
            yield f"{place} takes {why}; make it a HudModel of the arguments"
        yield from _check_parts(place, model)


def _check_settings(place: str, model: type[Any]) -> Iterator[str]:
    """Yield settings of a model with mutable values, or values that cannot be stored."""
    for name, why in _AS_IT_IS.items():
        given = model.model_config.get(name)
        if given != HudModel.model_config.get(name):
            yield f"{place}: {model.__name__} has {name}={given!r}, and {why}; leave {name} out"


_AS_IT_IS = {
    "frozen": "what a state holds never changes in place",
    "extra": "only fields that are declared are stored",
    "allow_inf_nan": "JSON, in which a log is stored, has no such numbers",
}
"""Settings of a model that must not change, each with the reason."""


def _check_parts(place: str, model: type[Any]) -> Iterator[str]:
    """Yield a field with an item, or a section's value, as the store records their source."""
    for name, info in fields_of(model).items():
        for part in classes_in(info.annotation):
            if issubclass(part, HudValue):
                why = f"{model.__name__}.{name} holds a {part.__name__}"
                rule = "the source is recorded for whole items only"
                yield f"{place}: {why}, and {rule}; make {part.__name__} a HudModel"


def classes_in(annotation: Any) -> Iterator[type[Any]]:
    """Yield the classes in an annotation, of which a class variable's has none."""
    if isinstance(annotation, type):
        yield annotation
    for part in get_args(annotation) if get_origin(annotation) is not ClassVar else ():
        yield from classes_in(part)


def may_not_grow(section: Any) -> bool:
    """Tell whether an item's main field is not a text."""
    name = getattr(section, "text", "") or next(iter(fields_of(section.draft)))
    info = fields_of(section.value).get(name)
    annotation = None if info is None else info.annotation
    return not (isinstance(annotation, type) and issubclass(annotation, str))


def flags_of(model: type[Any]) -> list[str]:
    """Return the yes/no fields of a model."""
    fields = fields_of(model).items()
    return [name for name, info in fields if choices_of(info.annotation) == (False, True)]


def check_function(place: str, function: Callable[..., Any] | None) -> None:
    """Refuse anything but a pure function of the value, the payload, and the moment."""
    if not callable(function):
        line = "give one that takes (value, arguments, moment)"
        raise DefinitionError(f"{place} has no function; {line}")
    if iscoroutinefunction(function):
        raise DefinitionError(f"{place} is asynchronous; an event is applied at once: use def")
    names = list(signature(function).parameters)
    if len(names) != 3:
        raise DefinitionError(f"{place} takes (value, arguments, moment), not ({', '.join(names)})")


def verbs_of(section: Any) -> tuple[Verb, ...]:
    """Return a section's verbs: built-in ones by name, and its own.

    :raises DefinitionError: for an unknown verb.
    """
    return tuple(_verb_of(section, each) for each in given_verbs(section))


def adding(section: Any) -> Add:
    """Return the verb that adds an item to a section.

    :raises DefinitionError: for a section without one.
    """
    for verb in verbs_of(section):
        if isinstance(verb, Add):
            return verb
    raise DefinitionError(f"{section.__name__} has no verb that adds an item")


def given_verbs(section: Any) -> Iterable[Any]:
    """Return the verbs of a section as written; refuse a single one outside a list."""
    given: Any = section.verbs
    return (given,) if isinstance(given, str | Verb) else given


def _verb_of(section: Any, given: Any) -> Verb:
    if isinstance(given, Verb) and given is not section.verbs:
        return _as_meant(section, given) if given.sets else given
    if isinstance(given, str) and given in VERBS and given is not section.verbs:
        return VERBS[given]
    if given is section.verbs:
        why = f"{shown(given)} is not a tuple; write verbs = ({shown(given)},)"
    elif callable(given):
        name = getattr(given, "__name__", "function")
        why = f"{name} is a function, and a verb has a name; write Verb({shown(name)}, {name})"
    else:
        why = f"there is no verb {shown(given)}; {_instead_of_verb(section, str(given))}"
    raise DefinitionError(f"{section.__name__}.verbs: {why}")


def _instead_of_verb(section: Any, given: str) -> str:
    """Return the hint for an unknown verb: the verb that is misspelt, or the line that sets what it means."""
    from difflib import get_close_matches  # only errors need it

    own = f"or give a function: Verb({shown(given)}, function)"
    misspelt = get_close_matches(given.casefold(), VERBS, 1, CLOSE_VERB)
    if misspelt:
        return f"{did_you_mean(given, misspelt)}; {own}"
    end = _end_in(section)
    if end is not None and end.values == (True,):
        return f"write Mark({shown(given)}), which sets {end.field}; {own}"
    choices = field_choices(section.value) if section.holds_items else {}
    if end is not None:
        choices = {end.field: choices[end.field] if section.done is None else end.values}
    usual = {name: info.default for name, info in fields_of(section.value).items()}
    by_word = {
        str(getattr(each, "value", each)): (name, shown(getattr(each, "value", each)))
        for name, known in choices.items()
        for each in known
        if each != usual[name]
    }
    if flag := nearest(given, [name for name in usual if usual[name] is False]):
        by_word |= {flag: (flag, "True")}
    if not by_word:
        return f"known: {listed(sorted(VERBS))}; {own}"
    meant = nearest(given, by_word)
    name, value = by_word[meant] if meant else (next(iter(choices)), "…")
    mark = f"Mark({shown(given)}, {name}={value})"
    return f"write {mark}, from hud_components.folding import Mark; {own}"


CLOSE_VERB = 0.8
"""The least similarity of a misspelt verb to the one in the hint: "approve" is not "remove"."""


def _as_meant(section: Any, verb: Verb) -> Verb:
    """Return a verb with enum members for their values; a mark that does not end an item opens one."""
    kinds = {name: info.annotation for name, info in fields_of(section.value).items()}
    sets = {
        name: next((each for each in kind if each.value == value), value)
        if isinstance(kind := kinds.get(name), type) and issubclass(kind, Enum)
        else value
        for name, value in verb.sets.items()
    }
    is_same = all(sets[name] is value for name, value in verb.sets.items())
    meant = verb if is_same else replace(verb, sets=sets)
    end = _end_in(section)
    value = None if end is None else sets.get(end.field)
    if end is None or not isinstance(verb, Mark) or value is None or callable(value):
        return meant
    if choice_of(end.values, value) is not None:
        return meant
    said: dict[str, Any] = {each.name: getattr(meant, each.name) for each in fields(Reopen)}
    if value != fields_of(section.value)[end.field].default:
        word = end.word(value)
        said["answer"] = f"Marked {{id}} as {word}." if verb.answer == DONE else verb.answer
        said["help"] = verb.help or f"one: it is then {word}"
    elif verb.answer == DONE:
        said["answer"] = REOPENED
    return Reopen(**said)


def check_texts(section: Any) -> Iterator[str]:
    """Yield a title, a noun or a table of texts that cannot be read back."""
    what = section.__name__
    for attribute, usual in (("title", "Risks"), ("noun", "risk|risks")):
        text: object = getattr(section, attribute)
        if not isinstance(text, str):
            yield f'{what}.{attribute}: {shown(text)} is not a line of text; write {attribute} = "{usual}"'
        elif text and (text != text.strip() or not text.isprintable()):
            line = "leave out white space at its edges, and line breaks"
            yield f"{what}.{attribute}: {shown(text)} is not a line of text; {line}"
        elif attribute == "noun" and text and not all(part.strip() for part in text.split("|")):
            line = f'such as "{usual}"'
            yield f"{what}.noun: {shown(text)} needs a singular and a plural, {line}"
    shows = (section.render, getattr(section, "shape", section.render))
    if any(str(each.__module__).rpartition(".")[0] != __package__ for each in shows):
        return  # it renders itself, in any form
    known = {f"{section.name}.{part}" for part in ("title", "noun", "handle", *OVER)}
    is_plain = not any(isinstance(each, FunctionType) for each in section.__dict__.values())
    for name in [each for each in section.texts if each not in known]:
        meant = nearest(name, known - section.texts.keys())
        if meant is not None or is_plain:
            hint = f"did you mean {shown(meant)}?" if meant else f"known: {listed(sorted(known))}"
            yield f"{what}.texts: nothing shows {shown(name)}; {hint}"
    props = fields_of(section).keys() - fields_of(section.__base__).keys() - {section.prop}
    for name in sorted(props) if is_plain else ():
        if line := _rewritten(what, name, fields_of(section)[name].default)[1]:
            yield f"{what}.{name}: nothing shows this prop; write {line}"


CHECKS: tuple[Callable[[Any], Iterable[str]], ...] = (
    check_roles,
    check_sources,
    check_texts,
    check_verbs,
)
"""The checks of a complete declaration, in the order of their messages."""


def check_disclosure(section: Any) -> Iterator[str]:
    """Yield a ladder on which more room shows fewer items, and a floor without a rung."""
    place, given = f"{section.__name__}.disclosure", section.disclosure
    if not isinstance(given, Disclosure):
        yield f"{place} is a Disclosure(ladder, …), not {shown(given)}"
        return
    limited = [rung for rung in given.ladder if rung.limit is not None]
    for lower, higher in pairwise(limited):
        if higher.limit < lower.limit:  # type: ignore[operator]  # those with a limit
            why = f"a rung shows at least as many items as the one before it, and {higher}"
            yield f"{place}: {why} comes after {lower}; raise its limit, or leave it out"
            return
    rungs = [str(rung.density) for rung in given.ladder]
    if given.floor is not None and str(given.floor) not in rungs:
        why = f"its floor is {shown(str(given.floor))}, and its ladder has no such rung"
        yield f"{place}: {why}; name one of {listed([*dict.fromkeys(rungs)])}"


# The attributes of a section's body, with the kind of value of each.
#
# They are checked first: an attribute of another kind would fail far from its place, or change its meaning. A text
# instead of several names, for one, would become a name per letter.


class _Sort(NamedTuple):
    """The requirement on an attribute's value."""

    fits: Callable[[object], bool]
    is_what: str
    example: str
    """The line to write; ``{}`` is the original value."""


def _is_a(kind: Any) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_model(value: object) -> bool:
    return value is None or (isinstance(value, type) and issubclass(value, BaseModel))


def _are_verbs(value: object) -> bool:
    """Tell whether it is several verbs, or one, which is refused with the line to write."""
    return isinstance(value, Verb | Iterable) and not isinstance(value, type)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(
        isinstance(each, str) for each in cast("Iterable[object]", value)
    )


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(part, str)
        for pair in cast("Mapping[object, object]", value).items()
        for part in pair
    )


def _is_like(pattern: str) -> Callable[[object], bool]:
    like = re.compile(pattern)
    return lambda value: isinstance(value, str) and like.fullmatch(value) is not None


_TEXT = _Sort(_is_a(str), "a text", "'{}'")
_FLAG = _Sort(_is_a(bool), "yes or no", "True")
_NUMBER = _Sort(_is_number, "a whole number", "2")
_TEXTS = _Sort(_are_texts, "several texts", "('{}',)")
_WORDS = _Sort(_are_texts_by_name, "texts by their names", '{{"…": "…"}}')
_BY_NAME = _Sort(_is_a(Mapping), "something by names", '{{"…": …}}')
_FIELD = _Sort(_is_a(str | None), "a field", '"…"')
_MODEL = _Sort(_is_model, "a class of items or values", "Item, a subclass of HudModel")
_VERBS = _Sort(_are_verbs, "several verbs", '("add", "update", "remove")')
_PREFIX = _Sort(
    _is_like(r"([^\W_][\w-]*)?"), "what ids begin with: letters, digits, - and _", '"…"'
)
_NAME = _Sort(
    _is_like("[a-z][a-z0-9_]*"), "a name of lower-case letters, digits and underscores", '"…"'
)
_EVENT = _Sort(
    _is_like(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*"),
    "what types of events begin with: lower-case letters, digits, underscores, dots between them",
    '"…"',
)

_FLAGS = (
    "host_reported has_operations is_cut is_sourced alerts stays_shown from_project "
    "from_parent accepts_child_results has_paragraphs can_replace shows_done in_line says_once keeps_lines"
)

SORTS: Mapping[str, _Sort] = {
    **dict.fromkeys(("text", "key", "read_only_reason"), _TEXT),
    **dict.fromkeys(("field", "prop"), _NAME),
    "order": _FIELD,
    **dict.fromkeys(("former", "opening", "columns"), _TEXTS),
    **dict.fromkeys(("texts", "texts_without_signs"), _WORDS),
    **dict.fromkeys(("on", "former_fields", "upcasts"), _BY_NAME),
    **dict.fromkeys(_FLAGS.split(), _FLAG),
    **dict.fromkeys(("draft", "value"), _MODEL),
    "verbs": _VERBS,
    "prefix": _PREFIX,
    "event": _EVENT,
    "revision": _NUMBER,
}
"""The kind of value of each attribute; others are checked later, when more is known."""

_ELSEWHERE: Mapping[str, str] = {
    "lines": "template templates format line row rows_template view text_template full compact minimal "
    "render_item render_items render_line render_row render_full render_compact render_minimal "
    "format_item format_line item_line item_text line_for item_template to_markdown to_text as_text display",
    "title": "heading header label caption",
    "noun": "singular plural item_name",
    "verbs": "operations actions ops methods",
    "value": "item model item_class item_type item_model value_class",
    "done": "done_field completed_field done_when",
    "aliases": "other_names synonyms",
    "disclosure": "limits limit max_items max_shown page_size previews densities",
}
"""Other libraries' names of attributes, by attribute."""

_MEANT = frozenset({"lines", "title", "verbs", "value", "done", "disclosure"})
"""Attributes for which a value under another name can mean one thing."""

_OTHERS = frozenset(" ".join(_ELSEWHERE[each] for each in _MEANT).split())
"""Their other names."""

_EMPTY = "empty empty_text when_empty if_empty placeholder fallback none_text render_empty"
"""Names of a text for an empty section."""

_NUMBERED = "ordered numbered is_ordered is_numbered ranked"
"""Names of what would number a section's items."""

_CHOOSING = "reverse reversed newest_first descending sort sort_by sort_key sorted ordering order_by filter filter_by filter_items keep_item is_visible where"
"""Names of what would choose a section's items, or their order."""


def respell(own: dict[str, Any], bases: tuple[type, ...], annotated: Container[str]) -> None:
    """Give attributes of a class body that stand under another library's name their own."""
    meta = own.get("Meta")
    if isinstance(meta, type):  # Django's
        del own["Meta"]
        for name, value in vars(meta).items():
            if name[0] != "_":
                own.setdefault(name, value)
    given = {name for name in _OTHERS & own.keys() if name not in annotated}
    for attribute in _MEANT - own.keys() if given else ():
        names = given.intersection(_ELSEWHERE[attribute].split())
        others = [each for each in names if not any(hasattr(base, each) for base in bases)]
        if not any(hasattr(base, attribute) for base in bases):
            continue
        if others and {*others} <= {*Density}:
            own[attribute] = {Density(each): own.pop(each) for each in others}
            continue
        if len(others) == 1 and not hasattr(own[others[0]], "__get__"):
            if attribute == "disclosure" and not isinstance(own[others[0]], Mapping):
                continue
            value = own.pop(others[0])
            if attribute == "disclosure":
                rungs = {
                    Density.MINIMAL: 0,
                    Density.FULL: None,
                    **{Density.of(each): most for each, most in value.items()},
                }
                value = Disclosure(
                    tuple(Rung(each, rungs[each]) for each in Density if each in rungs)
                )
            density = next((each for each in Density if others[0].endswith(each)), None)
            own[attribute] = {density: value} if density else value


def faults_of_attributes(
    what: str, bases: tuple[type, ...], annotated: Iterable[str], own: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield each unknown attribute, which would have no effect, or one of the wrong kind, with its fault."""
    typed = set(annotated)
    kinds = own.get("__annotations__", {})
    props = {each: kind for each, kind in kinds.items() if "ClassVar" not in str(kind)}
    for name, value in own.items():
        if any(hasattr(base, name) for base in bases) or _is_prop(name, bases):
            sort = SORTS.get(name)
            if name in props and not (_is_prop(name, bases) or any(map(_has_model, bases))):
                line = with_value(what, own, props)
                yield name, f"{what}.{name}: the fields are a class of their own; write {line}"
            elif sort is not None and name in typed and value is None:
                why = "every section has something else of this name"
                yield name, f"{what}.{name}: {why}; write {name}_shown for the prop"
            elif sort is not None and not sort.fits(value):
                example = sort.example.format(value)
                why = f"{shown(value)} is not {sort.is_what}"
                yield name, f"{what}.{name}: {why}; write {name} = {example}"
            elif name not in typed and _is_prop(name, bases):
                line = _rewritten(what, name, value)[1] or f"{what}({name}={shown(value)})"
                yield name, f"{what}.{name}: every section has a prop of this name; write {line}"
        elif name == "Config" and isinstance(value, type):
            said = {each: given for each, given in vars(value).items() if each[0] != "_"}
            line = "; ".join(f"{each} = {shown(given)}" for each, given in said.items())
            yield name, f"{what}.{name}: nothing reads it; write {line} in the body of {what}"
        elif hasattr(value, "__get__") and not isinstance(value, type):
            if name in _CALLED and not is_mentioned(name, own, bases):
                line = _rewritten(what, name, "{…}")[1]
                yield name, f"{what}.{name}: nothing calls it; write {line}"
        elif not (name in typed or name.startswith("_") or callable(value)):
            if name in {"line", "lines"}:
                yield name, f"{what}.{name}: {with_lines(what, own, kinds, name)}"
            else:
                yield name, _unknown(what, name, value, bases)


def _has_model(base: type) -> bool:
    return getattr(base, "value", None) is not None or getattr(base, "holds_items", False)


def _is_prop(name: str, bases: tuple[type, ...]) -> bool:
    return any(name in getattr(base, "__pydantic_fields__", ()) for base in bases)


def _ladder(limits: object) -> str:
    """Return the disclosure with these limits by density, as code."""
    full = limits if type(limits) is int else 10
    most: dict[str, object] = {"minimal": 0, "compact": min(5, full), "full": full}
    if isinstance(limits, Mapping):
        most |= cast("Mapping[str, object]", limits)
    rungs = ", ".join(f"Rung(Density.{str(each).upper()}, {most[each]})" for each in most)
    return f"Disclosure(({rungs})), from ujsx import Density, Disclosure, Rung"


_CALLED = frozenset(f"{_ELSEWHERE['lines']} {_EMPTY} {_CHOOSING}".split())
"""Names of functions that others call, and that nothing here does."""


def _unknown(what: str, name: str, value: object, bases: tuple[type, ...]) -> str:
    why, line = _rewritten(what, name, value)
    if line:
        return f"{what}.{name}: {why}; write {line}"
    declared = {each for base in bases for each in getattr(base, "__class_vars__", ())}
    known = sorted(each for each in declared if not each.startswith("_"))
    own = f"an attribute of your own is annotated: {name}: ClassVar[{type(value).__name__}] = …"
    return f"{what}.{name}: {why}; {did_you_mean(name, known)}; {own}"


def _rewritten(what: str, name: str, value: object) -> tuple[str, str]:
    """Why a section has no such attribute, and what to write; nothing where it can mean anything."""
    prop = what.casefold()
    if name in _NUMBERED.split():
        line = 'order = "place", and place: Kept[int] = 0 in the class of its items'
        return "a field numbers its items", f"{line}, from hud_components import Kept"
    if name in _EMPTY.split():
        line = f"{what}({prop}={prop}) if {prop} else Paragraph()[{shown(value)}], from ujsx.elements import Paragraph"
        return "a section without items shows nothing", line
    if name in _CHOOSING.split():
        line = f"{what}({prop}=sorted((each for each in {prop} if …), key=…))"
        return "a section shows its items in the order in which they are given", line
    if name in {"columns", "headers", "fields"}:
        return "only a table has them", f"class {what}(TableSection[…])"
    for attribute, others in _ELSEWHERE.items():
        if name in others.split():
            line = _ladder(value) if attribute == "disclosure" else shown(value)
            if attribute == "lines":
                density = next((each for each in Density if name.endswith(each)), Density.FULL)
                line = f'{{"{density}": "{value if isinstance(value, str) else "{…}"}"}}'
            return "a section has no such attribute", f"{attribute} = {line}"
    return "a section has no such attribute", ""

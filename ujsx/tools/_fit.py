"""Arguments repaired to fit their model, where the meaning is unambiguous."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, reduce
from math import inf, isinf
from operator import getitem
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, SchemaValidator

from ujsx.errors import SchemaError, mistakes_of
from ujsx.schema._convert import ReadBack, ReadBackError
from ujsx.schema._generate import as_schema
from ujsx.schema._keywords import Schema, accepts_null, everywhere
from ujsx.schema._rewrites import is_dictionary, takes_any
from ujsx.tools._json import (
    NOTHING,
    UnreadableCallError,
    as_list,
    as_object,
    is_item,
    list_in,
    parsed,
    place,
    read,
    same,
    written,
)
from ujsx.tools._names import (
    fields_at,
    names_by_field,
    refused,
    text_at,
    unknown_by_type,
    unknown_within,
    variant_of,
)
from ujsx.tools._result import Repair, RepairKind

# The strict validation of arguments against their model, and its errors.
#
# Some JSON data cannot be validated: half of a surrogate pair, and too deep a nesting.


def validated(model: type[BaseModel], data: dict[str, Any]) -> BaseModel:
    """Validate strictly, as JSON: a list may fill a tuple, a text never a number.

    A name unknown to the model is an error, unless it has ``extra="allow"``.

    :raises ValidationError: with all errors.
    """
    own = _told_apart(model) or model.__pydantic_validator__
    try:
        made: BaseModel = own.validate_json(written(data), strict=True)
    except ValidationError as error:
        names = unknown_by_type(model, data)
        if not names:
            raise
        raise refused(error.title, data, names, mistakes_of(error)) from error
    names = list(unknown_within(made, data))
    if names:
        raise refused(model.__name__, data, names)
    return made


# Unions of models: Pydantic validates an object, with all of its content, as each of them. If its names leave only one
# model, it is validated as that one.

_SCALARS = frozenset({"bool", "float", "int", "none", "str"})
"""The types of union members that no object fits."""

_NOT_SCHEMAS = frozenset(
    {"cls", "computed_fields", "config", "default", "expected", "metadata", "serialization"}
)
"""The keys of a core schema whose values are not schemas of validated data."""

_ANY = "*"
"""The tag of an object whose names do not select one model: each of them is tried."""


class _UnionModel(NamedTuple):
    """A model of a union: an object that lacks a required name, or has another constant, does not fit it."""

    required: frozenset[str]
    constants: Mapping[str, list[Any]]
    known: frozenset[str] | None
    """Its possible names; None if others are ignored."""

    def fits(self, given: Mapping[str, Any]) -> bool:
        return (
            self.required <= given.keys()
            and (self.known is None or given.keys() <= self.known)
            and all(given[name] in these for name, these in self.constants.items() if name in given)
        )

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> _UnionModel | None:
        """Return the facts about a core schema; None if custom code may accept other names."""
        while schema["type"] == "function-after":
            schema = schema["schema"]
        if schema["type"] != "model" or schema.get("custom_init") or schema.get("root_model"):
            return None
        within, config = schema["schema"], schema.get("config", {})
        by_name = any(config.get(each) for each in ("populate_by_name", "validate_by_name"))
        fields: Mapping[str, Mapping[str, Any]] = within.get("fields", {})
        aliases = {name: field.get("validation_alias", name) for name, field in fields.items()}
        are_texts = all(isinstance(each, str) for each in aliases.values())
        if within["type"] != "model-fields" or by_name or not are_texts:
            return None
        kinds = {aliases[name]: field["schema"] for name, field in fields.items()}
        is_closed = (
            within.get("extra_behavior") or config.get("extra_fields_behavior")
        ) == "forbid"
        return cls(
            frozenset(name for name, kind in kinds.items() if kind["type"] != "default"),
            {name: kind["expected"] for name, kind in kinds.items() if kind["type"] == "literal"},
            frozenset(kinds) if is_closed else None,
        )


_BUILDS_ANEW = "_use_prebuilt" in str(SchemaValidator.__text_signature__)
"""True if Pydantic can build a validator of a changed schema; older ones take those of the classes instead."""


@lru_cache(maxsize=256)
def _told_apart(model: type[BaseModel]) -> SchemaValidator | None:
    """Return a validator that selects the models of unions by their names; None without such unions."""
    schema: Any = model.__pydantic_core_schema__
    if not _BUILDS_ANEW or not isinstance(schema, dict):  # a name in it is not defined yet
        return None
    given = cast("dict[str, Any]", schema)
    named = {each["ref"]: each for each in given.get("definitions", ())}
    if not any(_tagged(each, named) for each in _unions(given)):
        return None
    made: Any = _with_tags(given, named)
    return SchemaValidator(made, None, _use_prebuilt=False)  # not the validators of the classes


def _unions(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, list | tuple):
        for each in cast("Iterable[Any]", part):
            yield from _unions(each)
    elif isinstance(part, dict):
        schema = cast("dict[str, Any]", part)
        if schema.get("type") == "union":
            yield schema
        for key, value in schema.items():
            if key not in _NOT_SCHEMAS:
                yield from _unions(value)


def _with_tags(part: Any, named: Mapping[str, Any]) -> Any:
    """Return a part of a core schema in which unions of models have tags."""
    if isinstance(part, list | tuple):
        made_each = [_with_tags(each, named) for each in cast("Iterable[Any]", part)]
        return tuple(made_each) if isinstance(part, tuple) else made_each
    if not isinstance(part, dict):
        return part
    given = cast("dict[str, Any]", part)
    made = {
        key: value if key in _NOT_SCHEMAS else _with_tags(value, named)
        for key, value in given.items()
    }
    return (given.get("type") == "union" and _tagged(made, named)) or made


def _tagged(union: dict[str, Any], named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a union of models with tags; None for any other."""
    models: dict[str, Any] = {}
    choices: dict[str, _UnionModel] = {}
    for each in union["choices"]:
        schema: Any = cast("Any", each)[0] if isinstance(each, tuple) else each
        found: Any = named[schema["schema_ref"]] if schema["type"] == "definition-ref" else schema
        if found["type"] in _SCALARS:
            continue
        choice = _UnionModel.of(found)
        if choice is None:
            return None
        tag = str(len(models))
        models[tag], choices[tag] = schema, choice
    if len(models) < 2 or "custom_error_type" in union:
        return None

    def tag_of(value: Any) -> str:
        if not isinstance(value, dict):
            return _ANY
        given = cast("dict[str, Any]", value)
        fitting = [tag for tag, each in choices.items() if each.fits(given)]
        return fitting[0] if len(fitting) == 1 else _ANY

    return {
        "type": "tagged-union",
        "choices": {**models, _ANY: union},
        "discriminator": tag_of,
        **{key: union[key] for key in ("ref", "metadata", "serialization") if key in union},
    }


def details(error: ValidationError) -> list[ErrorDetails]:
    """Return Pydantic's errors; for a component, which raises its own error, those inside it."""
    found: list[ErrorDetails] = []
    for detail in mistakes_of(error):
        cause = getattr(detail.get("ctx", {}).get("error"), "__cause__", None)
        if isinstance(cause, ValidationError):
            for each in details(cause):
                each["loc"] = (*detail["loc"], *each["loc"])
                found.append(each)
        else:
            if detail["type"] == "unexpected_keyword_argument":  # of a dataclass
                detail["type"] = "extra_forbidden"
            found.append(detail)
    return found


Path: TypeAlias = tuple[str | int, ...]

_HALF = re.compile("[\ud800-\udfff]")
"""JSON may contain half of a surrogate pair (RFC 8259, section 8.2), which is not a character."""


def check_readable(error: ValidationError, data: dict[str, Any], at: tuple[str, ...]) -> None:
    """Report data that validation could not read as JSON, with the remedy.

    :param at: the place of the data in the call.
    :raises UnreadableCallError: if ``error`` is about such data.
    """
    reasons = [each["msg"] for each in error.errors() if each["type"] == "json_invalid"]
    if not reasons:
        return
    for path, text, which in _texts(data, at):
        if half := _HALF.search(text):
            raise UnreadableCallError(
                f"character {half.start() + 1} of the {which} is {ascii(half[0])[1:-1]}, half of a "
                "surrogate pair; send the whole character, or leave it out",
                path=place(path),
            ) from None
    if "recursion" in reasons[0]:
        raise UnreadableCallError(
            "nested too deep; send it again, flatter", path=place(at)
        ) from None


def _texts(data: object, at: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield the names and the texts in data, in order: place, text, and whether it is a name."""
    left: list[tuple[Path, object]] = [(at, data)]
    while left:
        path, value = left.pop()
        if isinstance(value, str):
            yield path, value, "text"
        members = as_object(value) or {}
        yield from (((*path, name), name, "name") for name in members)
        inside = [*members.items(), *enumerate(as_list(value) or ())]
        left += (((*path, part), each) for part, each in reversed(inside))


# The meaning of null for an argument: a value, or an omitted argument.


def is_value(model: type[BaseModel], name: str) -> bool:
    """Tell whether null is a valid value of the argument ``name``, in any spelling.

    >>> class Page(BaseModel):
    ...     limit: int | None = 30
    ...     after: int = 0
    >>> [is_value(Page, name) for name in ("limit", "Limit", "after", "unknown")]
    [True, True, False, False]
    """
    nullable = _nulls_of(model).nullable
    if name in nullable:
        return True
    takes_any_name = model.model_config.get("extra") == "allow"
    return not takes_any_name and variant_of(name, nullable) is not None


def left_out(model: type[BaseModel], data: dict[str, Any]) -> list[str]:
    """Return the arguments whose null means omitted.

    Null for an optional argument that cannot be null means omitted: schemas in which every argument is required, and
    flat ones, allow no other way. If null is a valid value, it is that value.
    """
    nulls = [name for name, value in data.items() if value is None]
    if not nulls:
        return []
    required = _nulls_of(model).required
    return [name for name in nulls if name not in required and not is_value(model, name)]


class _Nulls(NamedTuple):
    nullable: frozenset[str]
    """Names for which null is a value."""

    required: frozenset[str]
    """Names of required arguments."""


@lru_cache(maxsize=1_024)
def _nulls_of(model: type[BaseModel]) -> _Nulls:
    try:
        schema = as_schema(model)
    except SchemaError:  # no dialect has a model that has no schema
        schema = {}
    known: dict[str, Any] = schema.get("properties", {})
    required = frozenset[str](schema.get("required", ()))
    nullable = [
        each
        for each in names_by_field(model).values()
        if any(name in known and accepts_null(known[name], schema) for name in each)
        or any(name in required and _takes_null(model, name) for name in each)
    ]
    return _Nulls(frozenset[str]().union(*nullable), required)


def _takes_null(model: type[BaseModel], name: str) -> bool:
    """Tell whether validation accepts null although the schema does not: a validator may."""
    try:
        validated(model, {name: None})
    except ValidationError as error:
        return not any(each["loc"][:1] in {(), (name,)} for each in details(error))
    except Exception:  # noqa: BLE001 - a model's own validators may raise anything
        return False
    return True


ROUNDS = 8
"""The most rounds of repairs: one may reveal errors one level deeper."""

AT_ONCE = 50
"""The most errors repaired in a round."""

_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,3})?\s*", re.ASCII)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d{1,18},\d{1,2}\s*", re.ASCII)
PERCENTAGE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,18}|,\d{1,2})?)\s?%\s*", re.ASCII)
_PRICE = re.compile(r"[$€£¥]?\s?([+-]?\d{1,18}[.,]\d\d?)\s?[$€£¥]?", re.ASCII)
_CLOCK = re.compile(r"\s*([01]?\d|2[0-3])(?:[:.]([0-5]\d))?(?:\s?([aApP])\.?[mM]\.?)?\s*", re.ASCII)

Mended: TypeAlias = tuple[RepairKind, Any]
"""A repair of a value: its kind, and the new value."""


def fitted(
    model: type[BaseModel], arguments: dict[str, Any], at: tuple[str, ...], repairs: list[Repair]
) -> BaseModel:
    """Return the model's instance for the arguments.

    :param at: where the arguments stood in what came.
    :raises ValidationError: with the errors left after all repairs; their places are those of ``arguments``.
    :raises UnreadableCallError: for data that is not JSON.
    """
    made, _ = attempted(model, arguments, at, repairs)
    if isinstance(made, ValidationError):
        try:
            raise made
        finally:
            del made  # it would hold this frame, which holds it: the collector does not see into it
    return made


def attempted(
    model: type[BaseModel], arguments: dict[str, Any], at: tuple[str, ...], repairs: list[Repair]
) -> tuple[BaseModel | ValidationError, dict[str, Any]]:
    """Return the model's instance, or the errors left after all repairs; and the repaired arguments.

    The places of errors are those of ``arguments``, in their original spelling.

    :raises UnreadableCallError: for data that is not JSON.
    """
    data: dict[str, Any] = parsed(written(arguments))
    for name in left_out(model, data) if None in data.values() else ():
        del data[name]
        repairs.append(Repair("null", place((*at, name))))
    spelt: dict[Path, str] = {}
    for _ in range(ROUNDS):
        data = _with_dictionaries(model, data, at, repairs)
        try:
            return validated(model, data), data
        except ValidationError as error:
            check_readable(error, data, at)
            found = _mended(model, data, details(error)[:AT_ONCE], spelt)
            if not found:
                return located(error, data, spelt), data
            repairs += (Repair(kind, place((*at, *where))) for where, kind in found.items())
    try:
        return validated(model, data), data
    except ValidationError as error:
        return located(error, data, spelt), data


def _with_dictionaries(
    model: type[BaseModel], data: dict[str, Any], at: tuple[str, ...], repairs: list[Repair]
) -> dict[str, Any]:
    """Return the arguments with dialects' substitutes converted back, such as lists of entries to dictionaries.

    :raises UnreadableCallError: for a duplicate key of entries, and a value's text that is not JSON.
    """
    schema = _with_entries(model)
    if schema is None:
        return data
    way = ReadBack(schema, nulls=False)
    try:
        read_back: dict[str, Any] = way.read(data)
    except ReadBackError as error:
        raise UnreadableCallError(error.message, path=place((*at, *error.at))) from None
    repairs += (Repair("entries", place((*at, *where))) for where in way.entries)
    return read_back


@lru_cache(maxsize=1_024)
def _with_entries(model: type[BaseModel]) -> Schema | None:
    """Return the schema of a model with dictionaries, or values of any type; None for other models."""
    try:
        schema = as_schema(model)
    except SchemaError:  # no dialect has a model that has no schema
        return None
    parts = (each for _, each in everywhere(schema))
    return schema if any(is_dictionary(each) or takes_any(each) for each in parts) else None


def located(
    error: ValidationError, data: dict[str, Any], spelt: Mapping[Path, str] = MappingProxyType({})
) -> ValidationError:
    """Return the error with places in the data, without labels of unions.

    :param spelt: the original spellings of repaired names, by their new places.
    """
    found = details(error)
    for each in found:
        where = place_in(data, each)
        each["loc"] = tuple(spelt.get(where[: level + 1], part) for level, part in enumerate(where))
    return refused(error.title, data, (), found)


def _mended(
    model: type[BaseModel],
    data: dict[str, Any],
    complaints: list[ErrorDetails],
    spelt: dict[Path, str],
) -> dict[Path, RepairKind]:
    """Repair the reported errors, and return the repairs; ``spelt`` gets the changed names, by their places.

    A union reports an error for each of its members. If they need different repairs, the one that leaves no error is
    chosen; if there are several such, or none, nothing is repaired.
    """
    found: dict[Path, RepairKind] = {}
    offers: dict[Path, list[Mended]] = {}
    known: dict[Path, Mapping[str, str]] = {}  # the same for all items of a list
    # The innermost names first: a place leads through the names around it as they were.
    for detail in sorted(
        complaints, key=lambda each: -len(each["loc"][1:]) if _is_of_name(each) else 0
    ):
        where = detail["loc"]
        if _is_of_name(detail) and where:
            path = _path(data, where[:-1])
            kind = tuple(0 if isinstance(part, int) else part for part in path)
            if kind not in known:
                known[kind] = fields_at(model, path)
            renamed = _rename(data, path, str(where[-1]), known[kind], found=found, spelt=spelt)
            if renamed or len(where) == 1:
                continue
        path = _path(data, where)
        offer = _offer(model, data, path, detail) if path and path not in found else None
        if offer is not None and offer not in offers.setdefault(path, []):
            offers[path].append(offer)
    for path, several in offers.items():
        chosen = several if len(several) == 1 else _sufficient(model, data, path, several)
        if len(chosen) == 1:
            found[path] = chosen[0][0]
            _put(data, path, chosen[0])
    return found


def _is_of_name(detail: ErrorDetails) -> bool:
    return detail["type"] in {"missing", "extra_forbidden"}


def _offer(
    model: type[BaseModel], data: dict[str, Any], path: Path, detail: ErrorDetails
) -> Mended | None:
    """Return the possible repair of an error."""
    value: Any = reduce(getitem, path, cast("Any", data))
    parent: Any = reduce(getitem, path[:-1], cast("Any", data))
    if value is None and len(path) > 1 and as_object(parent) is not None:
        return "null", _GONE  # if it is required, the next round reports it
    mend = MENDS.get(detail["type"])
    offer = None if mend is None else mend(value, detail)
    if offer is None and mend is _number:
        return _share(model, data, path, value)
    if offer is None and mend is _object and is_item(value):
        text = text_at(model, path)
        return None if text is None else ("item", {text: value})
    return offer


def _share(
    model: type[BaseModel], data: dict[str, Any], path: Path, value: object
) -> Mended | None:
    """Return the number of a percentage where one is from 0 to 1, if it is within the bounds: 0.45 of "45%"."""
    said = PERCENTAGE.fullmatch(value) if isinstance(value, str) else None
    if said is None or _sufficient(model, data, path, [("number", -0.5), ("number", 1.5)]):
        return None
    offer: Mended = ("number", float(said[1].replace(",", ".")) / 100)
    return offer if _sufficient(model, data, path, [offer]) else None


def _sufficient(
    model: type[BaseModel], data: dict[str, Any], path: Path, offers: list[Mended]
) -> list[Mended]:
    """Return the repairs after which no error is left at their place."""
    kept: list[Mended] = []
    for offer in offers:
        trial = parsed(written(data))
        _put(trial, path, offer)
        try:
            validated(model, trial)
        except ValidationError as error:
            if any(_path(trial, each["loc"])[: len(path)] == path for each in details(error)):
                continue
        kept.append(offer)
    return kept


def _put(data: dict[str, Any], path: Path, offer: Mended) -> None:
    parent: Any = reduce(getitem, path[:-1], cast("Any", data))
    if offer[1] is _GONE:
        del parent[path[-1]]
    else:
        parent[path[-1]] = offer[1]


_GONE: Any = object()
"""The repaired value of one that means omitted."""


def _rename(
    data: dict[str, Any],
    path: Path,
    name: str,
    known: Mapping[str, str],
    *,
    found: dict[Path, RepairKind],
    spelt: dict[Path, str],
) -> bool:
    """Rename an argument to its field's name, whichever of the two was reported; tell whether this was done.

    :param path: the place of the object that has it, or should: the arguments, or one inside them.
    :param known: the possible names, from :func:`fields_at`.
    """
    given = as_object(reduce(getitem, path, cast("Any", data)))
    if not given or not known:
        return False
    free = {*known.values()} - {known[each] for each in given if each in known}
    if name in known:
        strange = [each for each in given if each not in known and variant_of(each, free) == name]
        pair = (strange[0], name) if len(strange) == 1 else None
    elif name not in given:
        return False
    else:
        again = variant_of(name, known.keys() & given.keys())
        if again is not None and same(given[name], given[again]):
            del given[name]
            found[*path, name] = "duplicate"
            return True
        meant = variant_of(name, free)
        pair = None if meant is None else (name, meant)
    if pair is None:
        return False
    given[pair[1]] = given.pop(pair[0])
    found[*path, pair[0]] = "name"
    for each in [each for each in spelt if each[: len(path) + 1] == (*path, pair[0])]:
        spelt[*path, pair[1], *each[len(path) + 1 :]] = spelt.pop(each)
    spelt[*path, pair[1]] = pair[0]
    return True


def _path(data: dict[str, Any], where: Iterable[str | int]) -> Path:
    """Return the place of an error's value.

    Inside a union, the place includes the union's labels, which are not in the data.
    """
    inside: Any = data
    path: list[str | int] = []
    for part in where:
        here: Any = cast("Any", inside) if isinstance(inside, dict | list) else None
        with suppress(LookupError, TypeError):  # a label of a union
            inside = here[part]
            path.append(part)
    return tuple(path)


def place_in(data: dict[str, Any], detail: ErrorDetails) -> Path:
    """Return an error's place in the data; for a missing value, its intended place."""
    path = _path(data, detail["loc"])
    return (*path, detail["loc"][-1]) if detail["type"] == "missing" else path


def _integer(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return "number", int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return "number", int(value)
    return None


def _number(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
        return "number", float(value.replace(",", "."))
    number = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else inf
    return None if isinf(number) else ("number", number)


def _decimal(value: object, _detail: ErrorDetails) -> Mended | None:
    """Return the amount of a price, as JSON writes it: 54.50 of "54,50 €"."""
    said = _PRICE.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if said is None else ("number", said[1].replace(",", "."))


def _time(value: object, _detail: ErrorDetails) -> Mended | None:
    """Return a time, as ISO 8601 writes it: 08:00 of "8am", 09:40 of "9:40" or "9.40"."""
    said = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if said is None or not (said[2] or said[3]):
        return None
    hour = int(said[1])
    if said[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if said[3] in "pP" else 0)
    return "time", f"{hour:02}:{said[2] or '00'}"


def _boolean(value: object, _detail: ErrorDetails) -> Mended | None:
    words = {"true": True, "false": False}
    word = value.strip().lower() if isinstance(value, str) else None
    return None if word not in words else ("boolean", words[word])


def _text(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return "text", str(value)
    only = as_list(value)
    if only is not None and len(only) == 1 and isinstance(only[0], str):
        return "list", only[0]
    return None


def _list(value: object, _detail: ErrorDetails) -> Mended | None:
    """Return a list from its JSON text, or of one value, but not from a text that may be several items."""
    if isinstance(value, str):
        if value.lstrip()[:1] == "[":
            items = list_in(value)
            return None if items is None else ("json text", items)
        return ("list", [value]) if _is_one(value) else None
    return None if value is None or value == {} else ("list", [value])


def _is_one(text: str) -> bool:
    """Tell whether a text must be a single item of a list."""
    bare = text.strip()
    return bool(bare) and not _SEVERAL.search(bare) and bare.lower() not in NOTHING


_SEVERAL = re.compile(r"[,;|\n\r\[\]{}]|\A[\"'`(<]|\A[-*•]\s")
"""The separators of list items, or the start of a list in another notation."""


def _object(value: object, _detail: ErrorDetails) -> Mended | None:
    is_text = isinstance(value, str) and value.lstrip()[:1] == "{"
    data = as_object(_data(cast("str", value))) if is_text else None
    return None if data is None else ("json text", data)


def _choice(value: object, detail: ErrorDetails) -> Mended | None:
    """Return the only choice that a text may spell, a text or a number; or the text for a number or a boolean."""
    expected = str(detail.get("ctx", {}).get("expected", ""))
    if isinstance(value, int | float):
        return _text_among(value, expected)
    if not isinstance(value, str):
        return None
    choices = [word for word in re.findall(r"'([^']*)'", expected) if word != value]
    meant = variant_of(value, choices)
    number = _number_among(value.strip(), _QUOTED.sub("", expected))
    if meant is not None and number is not None:
        return None
    return number if meant is None else ("name", meant)


def _text_among(value: float, expected: str) -> Mended | None:
    """Return the only text choice equal to a number or a boolean in JSON; 1.0 may be 1."""
    forms = {str(value).casefold()}
    if abs(value) < 2**53 and value == int(value) and not isinstance(value, bool):
        forms.add(str(int(value)))
    texts = (each[0][1:-1] for each in _QUOTED.finditer(expected))
    found = [each for each in texts if each.casefold() in forms]
    return ("text", found[0]) if len(found) == 1 else None


def _number_among(text: str, choices: str) -> Mended | None:
    """Return the number that a text spells, if it is among Pydantic's listed choices other than texts."""
    if not _NUMBER.fullmatch(text):
        return None
    listed = [each.rstrip(">").rpartition(" ")[2] for each in _BETWEEN.split(choices)]
    if listed.count(text) != 1:
        return None
    return "number", int(text) if _WHOLE.fullmatch(text) else float(text)


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
"""Text choices, as Pydantic lists them."""

_BETWEEN = re.compile(r", | or ")
"""The separators of choices, as Pydantic lists them; an enumeration's member is ``<Berth.NORTH: 1>``."""


def _data(text: str) -> Any:
    """Return the data of a JSON text, or ``None`` if it is not unambiguous JSON."""
    try:
        return read(text, "$", [])
    except UnreadableCallError:
        return None


MENDS: Mapping[str, Callable[[object, ErrorDetails], Mended | None]] = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), _integer),
    **dict.fromkeys(("float_type", "float_parsing"), _number),
    "decimal_parsing": _decimal,
    "time_parsing": _time,
    **dict.fromkeys(("bool_type", "bool_parsing"), _boolean),
    "string_type": _text,
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _list),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type", "mapping_type"), _object),
    **dict.fromkeys(("literal_error", "enum"), _choice),
}
"""The repair for each type of Pydantic's errors."""

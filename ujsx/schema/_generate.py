"""JSON Schema of a Pydantic model: the same bytes every time."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from inspect import formatannotation, isfunction, ismethod
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from ujsx.components._component import Component
from ujsx.components._definition import fields_of, type_of
from ujsx.errors import SchemaError, shown
from ujsx.schema._dialects import Loss
from ujsx.schema._keywords import (
    NAMED,
    Schema,
    check_shape,
    everywhere,
    is_list,
    is_object,
    ordered,
    target,
    unrolled,
)

# The demands of a model that its JSON Schema does not state: constraints that Pydantic leaves out.
#
# For each kind of core schema a table has the keys that its JSON Schema says, or that refuse nothing.
# Whatever else is set is unsaid. A new key of Pydantic's is unsaid until it is known here.

UNSAID = "\0unsaid"
"""The keyword under which the generator notes what is unsaid, until its place is known."""

ALWAYS = frozenset(
    {"type", "ref", "metadata", "serialization", "cls", "cls_name", "schema", "config"}
)
"""Keys of every kind of core schema that demand nothing."""

BOUNDS = frozenset({"ge", "gt", "le", "lt", "multiple_of"})
LENGTHS = frozenset({"min_length", "max_length"})

SAID: Mapping[str, frozenset[str]] = {
    "str": LENGTHS | {"pattern", "regex_engine", "strict", "strip_whitespace", "to_lower", "to_upper",
                      "coerce_numbers_to_str"},
    "int": BOUNDS,
    "float": BOUNDS | {"strict", "allow_inf_nan"},
    "decimal": frozenset({"strict", "allow_inf_nan"}),
    "bool": frozenset({"strict"}),
    "bytes": LENGTHS | {"strict"},
    "date": frozenset({"strict", "now_utc_offset"}),
    "time": frozenset({"strict", "microseconds_precision"}),
    "datetime": frozenset({"strict", "microseconds_precision", "now_utc_offset"}),
    "timedelta": frozenset({"strict", "microseconds_precision"}),
    "uuid": frozenset({"strict", "version"}),
    "complex": frozenset({"strict"}),
    "list": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "set": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "frozenset": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "generator": LENGTHS | {"items_schema"},
    "tuple": LENGTHS | {"items_schema", "variadic_item_index", "strict", "fail_fast"},
    "dict": LENGTHS | {"keys_schema", "values_schema", "strict", "fail_fast"},
    "url": frozenset({"max_length", "strict", "preserve_empty_path"}),
    "multi-host-url": frozenset({"max_length", "strict", "preserve_empty_path"}),
    "model": frozenset({"custom_init", "root_model", "revalidate_instances", "strict", "frozen",
                        "extra_behavior", "generic_origin", "fields_set", "root"}),
    "dataclass": frozenset({"fields", "slots", "strict", "frozen", "revalidate_instances",
                            "generic_origin"}),
    "enum": frozenset({"members", "sub_type", "missing", "strict"}),
    "tagged-union": frozenset({"choices", "custom_error_type", "custom_error_message",
                               "custom_error_context", "strict", "from_attributes"}),
}  # fmt: skip
"""The keys of the kinds of core schemas that are said, or refuse nothing; all of other kinds are."""

KINDS: Mapping[str, str] = {
    "json": "the text has to be JSON that fits",
    "complex": "the text has to be a complex number",
    "is-subclass": "JSON has no classes",
    "is-instance": "JSON has no instances of classes",
    "callable": "JSON has no functions",
}
"""Kinds of core schemas of which JSON Schema says next to nothing, and what is unsaid."""

NO_KEYS = frozenset({"tuple", "frozenset", "model", "dataclass"})
"""Kinds of core schemas that no name of a member fits."""

CONFIG: frozenset[str] = frozenset({"str_max_length", "str_min_length"})
"""Keys of a model's configuration that constrain its fields."""

UUIDS = frozenset(f"uuid{version}" for version in range(1, 9))
"""Pydantic's names of UUIDs of a version; the generator says the version as a pattern."""

FORMATS = frozenset(
    {
        "binary", "date", "date-time", "duration", "email", "hostname", "idn-email", "ipv4", "ipv6",
        "json-pointer", "password", "path", "time", "uri", "uri-reference", "uuid", *UUIDS,
    }
)  # fmt: skip
"""Formats that JSON Schema defines, or that hold of any text."""

SILENT = ("ujsx.components._context", "pydantic.networks", "pydantic._internal._generate_schema")
"""Modules whose functions only convert what their schema has admitted."""

WHY = "JSON Schema has no keyword for it; validation enforces it"


@dataclass(frozen=True, slots=True)
class UnexpressedConstraint:
    """One demand of a model that its JSON Schema does not make."""

    keyword: str
    """Pydantic's name for it: ``max_digits``, ``now_op``, ``function-after``."""

    value: Any
    """The required value: a plain one, or the name of a function."""

    reason: str = WHY


def unsaid(schema: Mapping[str, Any], said: Schema) -> Iterator[UnexpressedConstraint]:
    """Yield what a core schema demands by itself, and ``said``, its JSON Schema, does not.

    >>> [each.keyword for each in unsaid({"type": "decimal", "max_digits": 3}, {"type": "number"})]
    ['max_digits']
    """
    kind: str = schema["type"]
    if kind.startswith("function-"):
        yield from _function(schema, said)
        return
    if kind in KINDS:
        yield UnexpressedConstraint(kind, kind, KINDS[kind])
    if kind == "dict" and (keys := schema.get("keys_schema", {}).get("type")) in NO_KEYS:
        yield UnexpressedConstraint(
            "keys_schema", keys, "names of members are texts, which it never is"
        )
    if kind.endswith("-field") and (path := _deep_alias(schema.get("validation_alias"))):
        yield UnexpressedConstraint(
            "validation_alias", path, "it is looked for elsewhere; give it a name as well"
        )
    known = SAID.get(kind)
    for key, value in schema.items():
        if known is None or key in known or key in ALWAYS or value is None or value is False:
            continue
        if (kind, key, value) == ("datetime", "tz_constraint", "aware"):
            continue  # as the format demands
        if key == "discriminator" and isinstance(value, str):
            continue  # the branches say it
        yield UnexpressedConstraint(key, _plain(value), _why(kind, key))
    if kind == "str" and "pattern" in said and "pattern" in schema:
        for key in ("strip_whitespace", "to_lower", "to_upper"):
            if schema.get(key):
                yield UnexpressedConstraint(key, True, "the pattern is looked for after it")
    config = cast("Mapping[str, Any]", schema.get("config") or {})
    for key in sorted(CONFIG & config.keys()):
        if config[key]:
            yield UnexpressedConstraint(
                key, config[key], "it holds for every text of the model; validation enforces it"
            )
    yield from _format(said)


def _function(schema: Mapping[str, Any], said: Schema) -> Iterator[UnexpressedConstraint]:
    function: Any = schema["function"]["function"]
    # Pydantic's own constraint, where the type has none of its own.
    if isinstance(function, partial):
        bound: Mapping[str, Any] = function.keywords
        yield from (
            UnexpressedConstraint(key, _plain(value))
            for key, value in bound.items()
            if {"min_length": "minLength", "max_length": "maxLength"}.get(key, "") not in said
        )
        return
    module = getattr(function, "__module__", type(function).__module__)
    silent = module in SILENT or (module == "pydantic.types" and "format" in said)
    if not silent:
        yield UnexpressedConstraint(
            schema["type"], _name_of(function), "a validator's own code has no keyword"
        )
    inner = cast("Mapping[str, Any]", schema.get("schema") or {})
    if silent and inner.get("type") in {"url", "multi-host-url"}:  # made in its stead
        yield from unsaid(inner, said)
    else:
        yield from _format(said)


def _format(said: Schema) -> Iterator[UnexpressedConstraint]:
    text = said.get("format")
    if isinstance(text, str) and text not in FORMATS:
        yield UnexpressedConstraint(
            "format", text, "JSON Schema knows no such format; validation enforces it"
        )


def _why(kind: str, key: str) -> str:
    if kind == "decimal" and key in BOUNDS:
        return "it is said of the number, and not of the text that may stand for it"
    if kind == "int":
        return "for JSON Schema 1.0 is an integer too"
    if kind == "datetime" and key == "tz_constraint":
        return "the pattern allows days that a month does not have"
    return WHY


def _deep_alias(alias: Any) -> str:
    """The first path that an alias looks for, where all of them lead deeper than a name does."""
    if not isinstance(alias, list):
        return ""
    paths = cast("list[list[Any]]", alias if isinstance(alias[0], list) else [alias])
    return "" if any(len(path) == 1 for path in paths) else ".".join(map(str, paths[0]))


def _plain(value: object) -> Any:
    """A value that can be shown and compared, whatever it was: of a function, its name."""
    if callable(value):
        return _name_of(value)
    return value if isinstance(value, str | int | float) else shown(value)


def _name_of(function: Any) -> str:
    name: str = getattr(function, "__qualname__", None) or type(function).__name__
    return name.replace("<locals>.", "")


Model: TypeAlias = "type[BaseModel] | Callable[..., BaseModel]"
"""A component class, what the ``component`` decorator gives, or any Pydantic model."""

M = TypeVar("M", bound=BaseModel)

_NOT_FOR_A_MODEL = re.compile(r"^[^\S\n]*(?:>>>|:(?:param|raises|returns?)\b)", re.MULTILINE)


def as_model(model: object) -> type[BaseModel]:
    """Return ``model`` if it is a model class.

    :raises SchemaError: if it is not.
    """
    if isinstance(model, type(BaseModel)):
        return model
    if isinstance(model, str) and (named := getattr(import_module("ujsx"), model, None)):
        return as_model(named)
    kind = type(model)
    hint = f"; name its class, {kind.__name__}" if issubclass(kind, BaseModel) else ""
    if isinstance(model, str):
        hint = "; give the class itself, not its name"
        if "." in model:  # an operation's name
            hint = "; the tools of a session are session.tools.definitions(dialect)"
    operation = "operation" if hasattr(kind, "tool_name") else ""  # of a room above this one
    if isfunction(model) or ismethod(model):
        called = model.__name__ if model.__name__.isidentifier() else "function"
        operation = f"Operation.of({called})"
    if operation:
        tools = f'Toolset([{operation}], name="tools")'
        hint = f"; its tool, with name and description, is {tools}.definitions(dialect)[0], and what that loses {tools}.lint(dialect)"
    elif hasattr(kind, "with_sections"):  # a domain
        hint = "; the tools of a HUD are definitions(dialect, domain), from hud_runtime.tools import definitions"
    elif issubclass(kind, list | tuple | set):
        hint = "; write [tool_definition(each, dialect) for each in …]"
    elif hasattr(kind, "operations"):  # a toolset, of a room above this one
        hint = "; a toolset has definitions(dialect) and lint(dialect) of its own"
    raise SchemaError(f"{shown(model)} is neither a component class nor a Pydantic model{hint}")


def of_a_tool(model: Model | Schema) -> Model | Schema:
    """Return what a caller of a component as a tool fills in; of other models, and schemas, themselves."""
    given: Any = model
    if isinstance(given, type) and issubclass(given, Component):
        return given.tool_model()
    return model


def as_schema(model: Model | Schema) -> Schema:
    """Return the JSON Schema of a model, without titles; what is a schema already is only copied.

    :raises SchemaError: for a model that no schema describes, what is no model, and a schema that
        is malformed.
    """
    if is_object(model):
        check_shape(model)
        return cast("Schema", ordered(model))
    return deepcopy(_schema_of(as_model(model))[0])


def unsaid_of(model: Model | Schema) -> list[Loss]:
    """Return what a model demands and its JSON Schema does not say, by place; of a schema, nothing.

    :raises SchemaError: for a model that no schema describes, and what is no model.

    >>> from datetime import date
    >>> from pydantic import create_model, PastDate
    >>> print(*unsaid_of(create_model("Born", on=(PastDate, ...))))
    /properties/on: now_op 'past' unsaid: JSON Schema has no keyword for it; validation enforces it
    """
    return [] if is_object(model) else list(_schema_of(as_model(model))[1])


@lru_cache(maxsize=256)
def _schema_of(cls: type[BaseModel]) -> tuple[Schema, tuple[Loss, ...]]:
    """The schema of a model, and what it leaves unsaid; making it takes milliseconds."""
    try:
        schema = cls.model_json_schema(schema_generator=_Generator)
    except PydanticUserError as error:
        raise _no_schema(cls, error) from error
    of_root: tuple[UnexpressedConstraint, ...] = schema.pop(UNSAID, ())
    finished = unrolled(_finished(schema))
    finished[UNSAID] = (*of_root, *finished.get(UNSAID, ()))
    return finished, tuple(_taken_out(finished))


def _taken_out(schema: Schema) -> Iterator[Loss]:
    """Take out what the generator noted of things unsaid, and yield it with its place."""
    for pointer, each in everywhere(schema):
        noted: tuple[UnexpressedConstraint, ...] = each.pop(UNSAID, ())
        seen = dict.fromkeys(noted)  # a union may say it twice
        yield from (Loss(pointer, one.keyword, one.value, "unsaid", one.reason) for one in seen)


def schemas_of(models: Iterable[type[M]]) -> tuple[dict[type[M], str], Schema]:
    """Return, for each model, a reference to its schema, and the definitions that they lead to.

    :raises SchemaError: for a model that no schema describes.
    """
    classes = list(models)
    try:
        refs, schema = models_json_schema(
            [(cls, "validation") for cls in classes], schema_generator=_Generator
        )
    except PydanticUserError:
        for cls in classes:
            as_schema(cls)  # which says whose it is, and of which of its fields
        raise
    finished = _finished(schema)
    deque(_taken_out(finished), maxlen=0)
    defs: Schema = finished.get("$defs", {})
    return {cls: refs[cls, "validation"]["$ref"] for cls in classes}, defs


def for_a_model(docstring: str) -> str:
    r"""Return the part of a docstring that says what the thing is, without fields and examples.

    >>> for_a_model("A badge. ```x```\n\n:param label: its text")
    'A badge. ```x```'
    """
    return _NOT_FOR_A_MODEL.split(docstring, maxsplit=1)[0].rstrip()


def _no_schema(cls: type[BaseModel], error: PydanticUserError) -> SchemaError:
    found = field_without_schema(cls)
    if found is None:
        return SchemaError(f"{cls.__name__} has no JSON Schema: {str(error).splitlines()[0]}")
    kind = formatannotation(fields_of(cls)[found].annotation, base_module=cls.__module__)
    advice = "give it a type of data, such as a text or a model"
    if issubclass(cls, Component):
        advice += ", or say in tool_model() what a caller fills in"
    return SchemaError(
        f"{cls.__name__} has no JSON Schema: {cls.__name__}.{found} is of a type that no call can give, {kind}; {advice}"
    )


def field_without_schema(model: type[BaseModel]) -> str | None:
    """Return the first field whose type no JSON Schema describes; ``None`` where that is not what is wrong.

    >>> from pydantic import create_model
    >>> field_without_schema(create_model("Later", on=(str, ...), then=(Callable[[], None], ...)))
    'then'
    """
    for name, field in fields_of(model).items():
        try:
            TypeAdapter(type_of(field)).json_schema(schema_generator=_Generator)
        except PydanticInvalidForJsonSchema:
            return name
        except PydanticUserError:  # of a name that is not defined yet, say
            continue
    return None


def may_lack_schema(model: type[BaseModel]) -> bool:
    """Tell at a glance whether something in a model may have no JSON Schema, without making one: that takes longer.

    >>> from pydantic import create_model
    >>> may_lack_schema(create_model("Later", on=(str, ...)))
    False
    """
    waiting: list[Any] = [model.__pydantic_core_schema__]
    while waiting:
        part = waiting.pop()
        if is_list(part):
            waiting += part
        elif is_object(part):
            if part.get("type") in _WITHOUT_SCHEMA or part.get("cls") is Component:
                return True
            waiting += (value for key, value in part.items() if key not in _NO_SCHEMAS)
    return False


_WITHOUT_SCHEMA = frozenset({"callable", "ellipsis", "function-plain", "is-instance"})
"""The core schemas that Pydantic's generator of JSON Schemas refuses, unless another one is given beside them."""

_NO_SCHEMAS = frozenset({"default", "metadata", "serialization"})
"""Members of Pydantic's own schemas in which none of what is validated stands."""


def _finished(schema: Schema) -> Schema:
    """Pydantic's schema with what can only be seen from above."""
    for _, each in everywhere(schema):
        for key in BOUNDS & each.keys():  # Pydantic's names of what it could not say
            del each[key]
        if each.get("format") in UUIDS:
            each["format"] = "uuid"
    for name, each in schema.get("$defs", {}).items():
        if "enum" in each and name.endswith(each.get("title", ".")):
            del each["title"]  # Pydantic sets an enum's late
    for _, each in everywhere(schema):
        if is_object(tag := each.get("discriminator")):
            _require(schema, each["oneOf"], tag["propertyName"])
    return cast("Schema", _for_models(schema))


def _require(root: Schema, branches: list[Schema], name: str) -> None:
    """What a union is told apart by has to be given, whatever its default."""
    for branch in branches:
        found = target(root, branch["$ref"]) if "$ref" in branch else branch
        if name in found.get("properties", {}) and name not in found.get("required", ()):
            found["required"] = [name, *found.get("required", ())]


def _for_models(schema: Any, keyword: str = "") -> Any:
    """The schema with descriptions for those who fill it in."""
    if is_list(schema):
        return [_for_models(each) for each in schema]
    if not is_object(schema) or keyword in _DATA:
        return schema
    if keyword in NAMED:
        return {name: _for_models(each) for name, each in schema.items()}
    return {
        key: for_a_model(value) if key == "description" else _for_models(value, key)
        for key, value in schema.items()
    }


_DATA = frozenset({"const", "default", "enum", "examples", "discriminator"})
"""Keywords whose values are data, not schemas."""


NAIVE = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"[Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$"
)
"""Times without an offset, which the format ``date-time`` (RFC 3339) demands."""

WHOLE = r"^-?(0|[1-9][0-9]*)$"
"""Texts that are whole numbers, as JSON writes them."""

_FINITE = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,17})?"
"""A number; Python's ``decimal`` takes no exponent of more than 18 digits, whatever stands before it."""

DECIMAL = f"^{_FINITE}$"
"""Texts that are decimal numbers, as Python's ``decimal`` reads and writes them."""

ANY_DECIMAL = f"^({_FINITE}|-?(Infinity|s?NaN[0-9]*))$"
"""The same where a number need not be finite."""

ANY_FLOAT = f"^({_FINITE}|-?inf|nan)$"
"""Texts that are floating-point numbers, as Pydantic writes them for names of members."""


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, without the titles that repeat names, and exact where it is not."""

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Say what can be said, and note what cannot."""
        said = super().generate_inner(schema)
        noted = tuple(unsaid(schema, said))
        return {**said, UNSAID: (*said.get(UNSAID, ()), *noted)} if noted else said

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        if schema["cls"] is Component:  # which has no props to fill in, and shows nothing
            raise PydanticInvalidForJsonSchema("a component of any class is not data")
        return _of_class(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _of_class(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return _of_class(super().typed_dict_schema(schema), schema.get("cls"))

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """White space at the edges that is dropped does not count: a blank text is too short."""
        said = super().str_schema(schema)
        length = said.get("minLength", 0)
        if schema.get("strip_whitespace") and length and "pattern" not in said:
            if length == 1:
                del said["minLength"]
            said["pattern"] = r"\S" if length == 1 else rf"\S[\s\S]{{{length - 2},}}\S"
        return said

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Not every text is a number; one that is may have an exponent, as Pydantic itself writes it.

        Whatever pattern the version of Pydantic has for it.
        """
        said = super().decimal_schema(schema)
        for branch in said.get("anyOf", ()):
            if branch.get("type") == "string":
                branch["pattern"] = self._number(schema, DECIMAL)
        return said

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        """The format demands an offset, and what is naive refuses one."""
        said = super().datetime_schema(schema)
        return (
            said if schema.get("tz_constraint") != "naive" else {"type": "string", "pattern": NAIVE}
        )

    def uuid_schema(self, schema: core_schema.UuidSchema) -> JsonSchemaValue:
        """The version is a digit of it; a format of that name there is none."""
        said = super().uuid_schema(schema)
        if version := schema.get("version"):
            x = "[0-9a-fA-F]"
            digits = rf"^{x}{{8}}-{x}{{4}}-{version}{x}{{3}}-[89abAB]{x}{{3}}-{x}{{12}}$"
            said["pattern"] = digits
        return said

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Schema of a dictionary. Where keys have a pattern, Pydantic refuses those that do not match it.

        Names of members are texts: keys that are numbers have the pattern of one.
        """
        said = super().dict_schema(schema)
        keys = schema.get("keys_schema", {"type": "str"})
        if keys["type"] in _KEYS:
            pattern = self._number(keys, _KEYS[keys["type"]])
            inside = self.generate_inner(keys).get(UNSAID, ())
            bounds = (UnexpressedConstraint(key, keys[key]) for key in sorted(BOUNDS & keys.keys()))
            said["propertyNames"] = {"pattern": pattern, UNSAID: (*inside, *bounds)}
        if "patternProperties" in said:
            said["additionalProperties"] = False
        return said

    def _number(self, schema: Any, pattern: str) -> str:
        """The pattern of a number as text; unless told, floats may be infinite and decimals may not."""
        kind = schema["type"]
        configured = self._config.config_dict.get("allow_inf_nan", kind == "float")
        may_be_infinite = kind in _NOT_FINITE and schema.get("allow_inf_nan", configured)
        return _NOT_FINITE[kind] if may_be_infinite else pattern

    def encode_default(self, dft: Any) -> Any:
        """A set has no order of its own, so it gets one."""
        return super().encode_default(_in_order(dft))


_KEYS: Mapping[str, str] = {
    "int": WHOLE,
    "float": DECIMAL,
    "decimal": DECIMAL,
    "bool": "^(true|false)$",
}
"""The form of members' names that represent keys of another type."""

_NOT_FINITE: Mapping[str, str] = {"float": ANY_FLOAT, "decimal": ANY_DECIMAL}
"""The patterns of numbers that need not be finite."""


def _of_class(schema: JsonSchemaValue, cls: type[Any] | None) -> JsonSchemaValue:
    """The schema of a class of data, without its name, and closed unless the class takes other names too.

    By default Pydantic drops a name that it does not know, and says nothing: a caller that misspells one has to be told.
    """
    if cls is not None and schema.get("title") == cls.__name__:
        del schema["title"]
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


def _in_order(value: Any) -> Any:
    match value:
        case set() | frozenset():
            inner: list[Any] = [_in_order(each) for each in cast("Iterable[Any]", value)]
            return sorted(inner, key=lambda each: (type(each).__name__, repr(each)))
        case list() | tuple():
            return [_in_order(each) for each in cast("Iterable[Any]", value)]
        case dict():
            items = cast("Mapping[Any, Any]", value).items()
            return {key: _in_order(each) for key, each in items}
        case _:
            return value

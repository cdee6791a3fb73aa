"""Many operations as one tool, in five layouts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import BaseModel

from ujsx.errors import SchemaError, did_you_mean, listed, shown
from ujsx.schema._convert import DEPTH
from ujsx.schema._definition import parameters_of, to_dialect, why_described
from ujsx.schema._dialects import Loss, dialect_of, within_budget
from ujsx.schema._generate import as_schema
from ujsx.schema._keywords import (
    DEFS,
    LISTED,
    NAMED,
    Schema,
    accepts_null,
    is_object,
    unescape,
    with_parts,
)

# The shape of an operation's arguments: their schema without texts, for a shared router.

WORDS = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that describe and do not constrain (JSON Schema 2020-12, validation, section 9)."""

_DEFAULT = "default"
"""The descriptive keyword that a router keeps unless brief: a model that does not know a default invents a value."""

_ROOT = '"$ref": "#"'

BRIEF = frozenset(
    {"type", "enum", "const", "required", "additionalProperties", "$ref", "items"} | NAMED | LISTED
)
"""The keywords that a brief router keeps: names, types, choices, and what is required."""


def shape_of(
    arguments: type[BaseModel], definitions: Schema, *, brief: bool, described: bool = False
) -> Schema:
    """Return the object schema of the arguments, without descriptive keywords except defaults, unless brief.

    The schema's ``$defs`` are moved into ``definitions``, which all operations of a router share; a name in use gets a
    number.

    ``null`` is removed from arguments for which it is the default: a call means the same without it. A nullable
    argument with another default keeps both, brief or not, so that the model can distinguish them.

    :param brief: whether to drop everything that is not in :data:`BRIEF`.
    :param described: whether definitions keep their descriptions; :func:`describe` adds those of arguments.
    :raises SchemaError: for a model whose values are not JSON objects.

    >>> from ujsx.elements import Link
    >>> shape_of(Link, {}, brief=False)["properties"]
    {'url': {'type': 'string'}, 'title': {'type': 'string'}}
    """
    given = as_schema(arguments)
    kept = BRIEF if brief else None
    schema = _bare(given, kept)
    own: Schema = schema.pop("$defs", {})
    if described:
        left = WORDS - {"description"}
        own = {name: _bare(each, kept, left) for name, each in given.get("$defs", {}).items()}
    text = json.dumps([schema, own])
    if _ROOT in text:  # a recursive model refers to its root, which is not that of the router
        pointed = text.replace(_ROOT, f'"$ref": "{DEFS}{arguments.__name__}"')
        schema, own = json.loads(pointed)
        own[arguments.__name__] = schema
    names = _places(own, definitions)
    definitions.update({names[name]: _pointed(each, names) for name, each in own.items()})
    schema = _pointed(schema, names)
    if schema.get("type") != "object":
        raise SchemaError(
            f"{arguments.__name__}: the arguments of an operation are an object with names; "
            "make it a model with fields"
        )
    required = schema.get("required", ())
    properties: Schema = schema.get("properties", {})
    defaults = {
        name: each["default"]
        for name, each in given.get("properties", {}).items()
        if each.get("default") is not None and accepts_null(each, given)
    }
    return {
        **schema,
        "properties": {
            name: {**each, "default": defaults[name]}
            if name in defaults
            else each
            if name in required
            else _without_null(each)
            for name, each in properties.items()
        },
    }


def describe(
    properties: Schema,
    operations: Sequence[RoutedOperation],
    told: set[tuple[str, str]] | None = None,
) -> None:
    """Add the descriptions of models to arguments.

    Different descriptions of an argument in several operations are all included, with the operation; so is one that not all
    of them have.

    :param told: arguments with their earlier descriptions, which are not repeated; new ones are added.
    """
    said: dict[str, dict[str, list[str]]] = {}
    undescribed: set[str] = set()
    for each in operations:
        for name, schema in as_schema(each.arguments).get("properties", {}).items():
            text = schema.get("description")
            if not text:
                undescribed.add(name)
            else:
                said.setdefault(name, {}).setdefault(text, []).append(each.name)
    for name, texts in said.items():
        alone = len(texts) == 1 and name not in undescribed
        lines = [
            text if alone else f"{', '.join(names)}: {text}"
            for text, names in texts.items()
            if told is None or (name, text) not in told
        ]
        if not lines:
            continue
        if told is not None:
            told.update((name, text) for text in texts)
        properties[name] = {**properties[name], "description": "\n".join(lines)}


def branch(shape: Schema, first: Schema) -> Schema:
    """Return the shape with the properties of ``first`` before its own, all of them required.

    >>> branch({"type": "object", "properties": {"b": {}}, "required": ["b"]}, {"a": {}})
    {'type': 'object', 'properties': {'a': {}, 'b': {}}, 'required': ['a', 'b']}
    """
    return {
        "type": "object",
        "properties": {**first, **shape.get("properties", {})},
        "required": [*first, *shape.get("required", ())],
        **{key: value for key, value in shape.items() if key not in _OBJECT},
    }


_OBJECT = frozenset({"type", "properties", "required"})


def closed(properties: Schema, required: list[str]) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _bare(schema: Any, kept: frozenset[str] | None, words: frozenset[str] = WORDS) -> Any:
    """Return the schema without those words; of the keywords that are none, only those that are kept."""
    if not is_object(schema):
        return schema
    if "const" in schema:  # a constant alone does not tell its meaning
        words -= {"description"}
    left = {
        key: value
        for key, value in schema.items()
        if (key not in words and (kept is None or key in kept or key in WORDS))
        or (key == _DEFAULT and kept is None and value is not None)
    }
    return with_parts(left, lambda part, _: _bare(part, kept, words))


def _without_null(schema: Any) -> Any:
    if not is_object(schema) or "anyOf" not in schema:
        return schema
    left = [each for each in schema["anyOf"] if each != {"type": "null"}]
    if len(left) == 1 and len(schema) == 1:
        return left[0]
    return {**schema, "anyOf": left} if left else schema


def _places(own: Schema, definitions: Schema) -> dict[str, str]:
    """Return the shared name of each definition."""
    names: dict[str, str] = {}
    for name, schema in own.items():
        place, number = name, 1
        while place in definitions and definitions[place] != schema:
            number += 1
            place = f"{name}{number}"
        names[name] = place
    return names


def _pointed(schema: Any, names: dict[str, str]) -> Any:
    """Point every reference, those of a discriminator's mapping too, to the new names."""
    if all(old == new for old, new in names.items()):
        return schema

    def pointed(match: re.Match[str]) -> str:
        return f'"{DEFS}{names.get(match[1], match[1])}"'

    return json.loads(_REFERENCE.sub(pointed, json.dumps(schema)))


_REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')


Layout: TypeAlias = Literal["grouped", "signatures", "flat", "loose", "separate"]
"""The form in which several operations share one tool, or do not."""

OP = "op"
"""The property that names the operation, in all layouts of a router but "loose"."""

CALL = "call"
"""The property that holds the operation with its arguments in the layouts "grouped" and "signatures".

A union at the root is refused by OpenAI and Anthropic, so it stands one level down.
"""

TOOL, ARGS = "tool", "args"
"""The two properties of the layout "loose"."""


class RoutedOperation(Protocol):
    """A router's view of an operation, such as ``ujsx.tools.Operation``."""

    @property
    def name(self) -> str:
        """The name of the operation, such as ``notes.add``."""
        ...

    @property
    def help(self) -> str:
        """The purpose of the operation, in a few words."""
        ...

    @property
    def description(self) -> str:
        """The purpose of the operation, in full sentences; empty if ``help`` continues the name."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """The model of its arguments."""
        ...


def router_schema(
    operations: Sequence[RoutedOperation],
    *,
    dialect: str = "json-schema",
    layout: str = "grouped",
    brief: bool = False,
    described: bool | Collection[str] | None = None,
    depth: int = DEPTH,
    description_budget: int | None = None,
) -> Schema:
    """Return the parameters of one tool for all ``operations``.

    - "grouped": ``{"call": {"op": "notes.add", "content": …}}``, fully typed. Operations that take
      the same arguments share a branch of the union.
    - "signatures": ``{"call": {"op": "notes.add", "content": …}}``. The description lists each operation with
      its arguments, and the schema types each argument, once. Any operation may be named, a rare one too,
      where a provider holds the model to the schema.
    - "flat": ``{"op": "notes.add", "content": …}``. Only the operation is typed: every argument of
      any of them may be given.
    - "loose": ``{"tool": "notes.add", "args": {"content": …}}``. Nothing is typed; ``args`` is JSON
      text where a dialect has no open objects.
    - "separate": one schema for each operation, by its name. No router.

    Unless the router is brief, an argument has its default; in "flat" only if it is the same in each operation.

    :param dialect: a name in :data:`ujsx.schema.DIALECTS`.
    :param brief: whether a router also leaves out what finer constraints demand (lengths, bounds,
        patterns, formats), that no other arguments may be given, and what arguments are for, with their
        defaults: names, types, choices and what is required stay. A call that breaks one of the others is then valid
        for the schema, and refused with the schema of its operation.
    :param described: whether arguments have descriptions, or the names of the operations whose arguments have them;
        None for all unless brief. A brief router describes each argument once: at its first place.
    :param depth: the expansion of recursive arguments if the dialect has no recursion; see :func:`to_dialect`.
    :param description_budget: the estimated token budget of all argument descriptions; see :func:`to_dialect`. The
        purposes of operations always stay.
    :raises SchemaError: for an unknown layout or dialect, operations that cannot share a router, and schemas that the
        dialect cannot express: the path is the operation's name and a JSON pointer into its schema.

    >>> from ujsx.elements import Link, ThematicBreak
    >>> from ujsx.tools import Operation
    >>> operations = [Operation("link", Link), Operation("rule", ThematicBreak)]
    >>> schema = router_schema(operations, layout="grouped")
    >>> [branch["required"] for branch in schema["properties"]["call"]["anyOf"]]
    [['op', 'url'], ['op']]
    """
    if layout not in LAYOUTS:
        raise SchemaError(
            f'"{layout}" is not a layout; {did_you_mean(layout, LAYOUTS)}; "separate" is a tool for each operation, the others'
            " are one for all of them"
        )
    dialect_of(dialect)
    if not operations:
        raise SchemaError("a router needs at least one operation")
    for given in operations:
        if not hasattr(given, "arguments"):
            line = f"[*toolset.operations.values()], or of a HUD session.tools.definitions({dialect!r})"
            raise SchemaError(f"{shown(given)} is not an Operation; write {line}")
    _check_names(operations)
    if layout == "separate":
        return {
            each.name: parameters_of(each.arguments, each.name, dialect, description_budget, depth)
            for each in operations
        }
    for each in operations:
        check_shared(each)
    if layout == "loose":
        return _loose(operations, dialect)
    told = not brief if described is None else described
    words = {each.name for each in operations} if told is True else told or ()
    whole = _ROUTERS[layout](operations, brief, words)
    kept, _ = within_budget(whole, description_budget, fixed=_HELP)
    try:
        made = to_dialect(kept, dialect, depth=depth)
    except SchemaError as error:
        alone = {each.name: _ROUTERS[layout]([each], brief, words) for each in operations}
        raise _named(error, alone, dialect, depth) from None
    if layout == "signatures":
        fields = made["properties"][CALL]["properties"]
        made["properties"][CALL]["properties"] = {
            name: _with_short_null(each) for name, each in fields.items()
        }
    return made


def _named(error: SchemaError, alone: Schema, dialect: str, depth: int) -> SchemaError:
    """The refusal of a router as that of the first operation which is refused alone; as it is where none is.

    :param alone: the router of each operation by itself, by its name.
    """
    found: list[tuple[str, SchemaError]] = []
    for each, router in alone.items():
        try:
            to_dialect(router, dialect, depth=depth)
        except SchemaError as own:
            found.append((each, own))
    if not found:
        return error
    [(name, first), *others] = found
    also = f"; refused as well: {listed([each for each, _ in others])}" if others else ""
    place = _OUTER.sub("", first.path or "", count=1)
    return SchemaError(f"{first.message}{also}", path=f"{name} / {place}")


def help_text(operations: Sequence[RoutedOperation]) -> str:
    """Return what the operations are for: a line for each that says it in sentences, with its name, and for the
    others one for each part of a name before its last dot.

    >>> from ujsx.elements import Link
    >>> from ujsx.tools import Operation
    >>> phrases = [Operation("a.b", Link, help="what is b"), Operation("a.list", Link, help="list all")]
    >>> print(help_text([*phrases, Operation("c.d", Link, help="Do all the rest.")]))
    a: b what is b; list all
    c.d: Do all the rest.
    """
    lines: dict[tuple[str, bool], list[str]] = {}
    for each in operations:
        room, _, verb = each.name.rpartition(".")
        is_whole = bool(each.description)
        key = each.name if is_whole else room
        lines.setdefault((key, is_whole), []).append(
            each.help if is_whole else _after(verb, each.help)
        )
    return "\n".join(
        f"{name}: {'; '.join(said)}" if name else "; ".join(said)
        for (name, _), said in lines.items()
    )


def _after(verb: str, words: str) -> str:
    """The words behind a name from which they go on; those that begin with it have it already."""
    is_said = words.partition(" ")[0].casefold() == verb.casefold()
    return words if is_said else f"{verb} {words}".rstrip()


def in_words_of(
    losses: Iterable[Loss], operations: Sequence[RoutedOperation], schema: Schema, layout: str
) -> list[Loss]:
    """Return what is missing in a router with the place where it is written: an operation's own, which a router has not.

    :param losses: what :func:`ujsx.schema.lint` finds in ``schema``, the router of ``operations`` in that layout.
    """
    return [_of_operations(each, operations, schema, layout) for each in losses]


def _of_operations(
    loss: Loss, operations: Sequence[RoutedOperation], schema: Schema, layout: str
) -> Loss:
    if loss.outcome != "missing":
        return loss
    outer = None if layout == "flat" else _OUTER.match(loss.pointer)
    own = loss.pointer[outer.end() :] if outer else loss.pointer
    names = {each.name for each in operations}
    if outer and outer[1]:
        op = schema["properties"][CALL]["anyOf"][int(outer[1])]["properties"][OP]
        names &= {*op["enum"]}
    level = own.split("/")[1:3]
    having = [
        each
        for each in operations
        if each.name in names and unescape(level[-1]) in as_schema(each.arguments).get(level[0], {})
    ]
    if not having:
        return loss
    why = why_described(own, having[0].arguments, [each.name for each in having])
    return replace(loss, reason=why)


_OUTER = re.compile(rf"/properties/{CALL}(?:/anyOf/(\d+))?(?=/properties/|/\$defs/|$)")
"""The beginning of an operation's pointer in a router whose operations are one level down."""


def _grouped(operations: Sequence[RoutedOperation], brief: bool, words: Collection[str]) -> Schema:
    definitions: Schema = {}
    told: set[tuple[str, str]] | None = set() if brief else None
    alike: dict[str, list[RoutedOperation]] = {}
    for each in operations:
        shape = shape_of(each.arguments, definitions, brief=brief, described=bool(words))
        alike.setdefault(json.dumps(shape), []).append(each)
    branches: list[Schema] = []
    for text, group in alike.items():
        shape = json.loads(text)
        describe(shape["properties"], [each for each in group if each.name in words], told)
        branches.append(branch(shape, {OP: _one_of(group)}))
    # Closing each branch costs six tokens, and validation refuses other arguments anyway.
    if brief:
        for one in branches:
            one.pop("additionalProperties", None)
    call = {"description": help_text(operations), "anyOf": branches}
    return _with(definitions, closed({CALL: call}, required=[CALL]))


def _signatures(
    operations: Sequence[RoutedOperation], brief: bool, words: Collection[str]
) -> Schema:
    fields, definitions = _fields(operations, brief, words)
    call = closed({OP: {"type": "string"}, **fields}, required=[OP])
    if brief:
        call.pop("additionalProperties")
    told = {"description": signatures(operations, words)}
    return _with(definitions, closed({CALL: told | call}, required=[CALL]))


def signatures(operations: Iterable[RoutedOperation], words: Collection[str] = ()) -> str:
    """Return a line for the operations that take the same arguments, under a line that says what each line has.

    :param words: the names of operations whose lines say what they are for, where that is more than a word.

    >>> from ujsx.elements import Link, ThematicBreak
    >>> from ujsx.tools import Operation
    >>> links = [Operation("link.add", Link, help="to a page"), Operation("link.set", Link, help="it")]
    >>> print(signatures([*links, Operation("rule", ThematicBreak, help="a")]))
    op: arguments
    link.add, link.set: url, title?
    rule: no arguments
    >>> print(signatures(links, words=["link.add"]))
    op: arguments
    link.add: url, title? (to a page)
    link.set: url, title?
    """
    lines: dict[tuple[str, str], list[str]] = {}
    for each in operations:
        told = f" ({each.help})" if each.name in words and " " in each.help else ""
        lines.setdefault((_arguments(each), told), []).append(each.name)
    listed = (f"{', '.join(names)}: {taken}{told}" for (taken, told), names in lines.items())
    return "\n".join((f"{OP}: arguments", *listed))


def _arguments(operation: RoutedOperation) -> str:
    """The names of its arguments, those that may be left out last and with a question mark."""
    schema = as_schema(operation.arguments)
    needed: Sequence[str] = schema.get("required", ())
    left = (f"{name}?" for name in schema.get("properties", ()) if name not in needed)
    return ", ".join((*needed, *left)) or "no arguments"


def _with_short_null(schema: Schema) -> Schema:
    """Return the schema of a type or null, where a dialect has made them branches, with a list of types.

    >>> _with_short_null({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Why."})
    {'type': ['string', 'null'], 'description': 'Why.'}
    """
    match schema:
        case {"anyOf": [{"type": str() as kind, **finer}, {"type": "null"}], **more} if not finer:
            return {"type": [kind, "null"], **more}
        case _:
            return schema


def _flat(operations: Sequence[RoutedOperation], brief: bool, words: Collection[str]) -> Schema:
    fields, definitions = _fields(operations, brief, words)
    op = {"description": help_text(operations), **_one_of(operations)}
    return _with(definitions, closed({OP: op, **fields}, required=[OP]))


def _fields(
    operations: Sequence[RoutedOperation], brief: bool, words: Collection[str]
) -> tuple[Schema, Schema]:
    """Return each argument of any operation, once, and what they define."""
    definitions: Schema = {}
    variants: dict[str, list[Schema]] = {}
    for each in operations:
        shape = shape_of(each.arguments, definitions, brief=brief, described=bool(words))
        for name, schema in shape["properties"].items():
            variants.setdefault(name, []).append(schema)
    fields = {name: _of_all(known) for name, known in variants.items()}
    describe(fields, [each for each in operations if each.name in words])
    return fields, definitions


def _of_all(known: Sequence[Schema]) -> Schema:
    """The schema of an argument of several operations; a default that not all have is none of theirs together."""
    if any(each != known[0] for each in known):
        known = [{key: value for key, value in each.items() if key != "default"} for each in known]
    different = _once(known)
    if len(different) == 1:
        return different[0]
    branches = (each["anyOf"] if each.keys() == {"anyOf"} else [each] for each in different)
    return {"anyOf": _once([*chain.from_iterable(branches)])}


def _once(schemas: Sequence[Schema]) -> list[Schema]:
    return [each for place, each in enumerate(schemas) if each not in schemas[:place]]


def _loose(operations: Sequence[RoutedOperation], dialect: str) -> Schema:
    tool = {"description": help_text(operations), "type": "string"}
    said = dialect_of(dialect)
    is_open = said.verdicts is None or said.open_objects
    args = {"type": "object", "additionalProperties": True} if is_open else _JSON_TEXT
    return to_dialect(closed({TOOL: tool, ARGS: args}, required=[TOOL]), dialect)


_HELP = frozenset({f"/properties/{CALL}", f"/properties/{OP}"})
"""The places where a router describes its operations."""

_JSON_TEXT: Schema = {"type": "string", "description": "The arguments, as a JSON object."}
"""The schema for an open object in a dialect without open objects."""


_ROUTERS: Mapping[str, Callable[[Sequence[RoutedOperation], bool, Collection[str]], Schema]] = (
    MappingProxyType({"grouped": _grouped, "signatures": _signatures, "flat": _flat})
)

LAYOUTS: tuple[Layout, ...] = ("grouped", "signatures", "flat", "loose", "separate")
"""The layouts by name, from a router that is fully typed to no router at all."""


def _one_of(operations: Iterable[RoutedOperation]) -> Schema:
    return {"type": "string", "enum": [each.name for each in operations]}


def _with(definitions: Schema, schema: Schema) -> Schema:
    return {**schema, "$defs": definitions} if definitions else schema


def _check_names(operations: Sequence[RoutedOperation]) -> None:
    seen: set[str] = set()
    for each in operations:
        if each.name in seen:
            raise SchemaError(f'two operations are called "{each.name}"')
        seen.add(each.name)


def check_shared(operation: RoutedOperation) -> None:
    """Refuse an operation that cannot share a tool, as an argument has the name of the operation's property.

    :raises SchemaError: for one whose argument is called "op".
    """
    fields = operation.arguments.model_fields.items()
    if any(OP in (field.validation_alias or name, field.alias) for name, field in fields):
        raise SchemaError(
            f'{operation.name}: in a tool that operations share, an argument cannot be called "{OP}", which names the'
            f' operation; rename it, or give it an alias, as in Annotated[str, Field(alias="{OP}_name")]. A separate tool'
            " may have it"
        )

"""Keywords that a dialect says in other words, each a rewrite of one place of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx.schema._dialects import KeywordVerdict, reason, why_no_recursion
from ujsx.schema._keywords import (
    DEFS,
    PARTS,
    SPEAKS_OF,
    TYPE_OF,
    TYPES,
    VALUES,
    Schema,
    accepts_null,
    as_list,
    described,
    edges_of,
    escape,
    is_list,
    is_object,
    is_plain,
    phrase,
    redirected,
    resolved,
    target,
    types_of,
    with_parts,
)
from ujsx.schema._normal_form import plain_pattern

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._keywords import SchemaNode

# Dictionaries as lists of entries, in dialects that have no objects with names of any kind.
#
# ``{"a": 1}`` is ``[{"key": "a", "value": 1}]`` there. :func:`ujsx.schema.from_dialect` reads it back.

KEY, VALUE = "key", "value"
"""The two members of an entry."""

WRAPPED_ENTRIES, WRAPPED_JSON, WRAPPED_ROOT = "as_entries", "as_json", "root"
"""The only member of an object that stands for its value: entries where a list is taken, too, as a dictionary; the JSON text
of a value of any type; arguments that are no object."""

_COUNTS = {"minProperties": "minItems", "maxProperties": "maxItems"}


def say_entries(
    conversion: Conversion, node: SchemaNode, values: Any, required: list[str], at: str
) -> None:
    """Say a dictionary as a list of entries.

    :param values: the schema of its values.
    :param at: the pointer to it.
    """
    dialect = conversion.dialect
    why = "written as a list of entries, each with a key and a value; a repeated key is refused"
    conversion.lose(node.pointer, "additionalProperties", values, "kept", why)
    names = node.rest.get("propertyNames", True)
    key = _key(names)
    if key is not None:
        node.rest.pop("propertyNames", None)
    entry: Schema = {
        "properties": {
            KEY: conversion.schema(key or _TEXT, f"{node.pointer}/propertyNames"),
            VALUE: conversion.schema(values, at),
        },
        "required": [KEY, VALUE],
        "type": "object",
    }
    closed = {"additionalProperties": False}
    closes = dialect.verdict("additionalProperties") is KeywordVerdict.KEEP
    node.said |= {"type": "array", "items": {**closed, **entry} if closes else entry}
    if required:
        conversion.note(node, "required", required)
    for keyword in [each for each in node.rest if TYPE_OF.get(each) == "object"]:
        value = node.rest.pop(keyword)
        count = _COUNTS.get(keyword, "")
        if dialect.says(count, value):
            node.said[count] = value
            conversion.lose(node.pointer, keyword, value, "kept", f"written as {count}")
        else:
            conversion.note(node, keyword, value)


def _key(names: Any) -> Schema | None:
    """The schema of a key, if it can be said in keywords of a text alone."""
    if not is_object(names):
        return None if names is False else _TEXT
    texts = [names["const"]] if "const" in names else names.get("enum", [])
    is_text = names.get("type", "string") == "string" and all(
        isinstance(each, str) for each in texts
    )
    if names.keys() == {"$ref"} or not is_text:
        return names if is_text else None
    return {**_TEXT, **names} if names.keys() <= _OF_TEXTS else None


_TEXT: Schema = {"type": "string"}

_OF_TEXTS = {"const", "enum", "format", "maxLength", "minLength", "pattern", "type"}


def is_dictionary(schema: Schema) -> bool:
    """Tell whether a schema is of objects that declare no names of their own.

    >>> is_dictionary({"type": "object", "additionalProperties": {"type": "null"}})
    True
    """
    is_bare = "type" in schema and "properties" not in schema
    more = schema.get("additionalProperties", is_bare or "patternProperties" in schema)
    return "object" in as_list(schema.get("type", "object")) and not (
        schema.get("properties") or (more is False and not schema.get("patternProperties"))
    )


def forms(schema: Any, root: Schema) -> Iterator[Schema]:
    """Yield what a value may be: the schema, or what it refers to, without unions."""
    waiting, seen = [schema], set[str]()
    while waiting:
        part = waiting.pop(0)
        if part is True:
            yield {}
        if not is_object(part):
            continue
        ref = part.get("$ref")
        if isinstance(ref, str):
            waiting += [] if ref in seen else [target(root, ref)]
            seen.add(ref)
            continue
        branches = [*part.get("anyOf", ()), *part.get("oneOf", ())]
        waiting += branches
        if not branches:
            yield part


def takes_lists(schema: Schema) -> bool:
    """Tell whether a schema without unions has lists among its values."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if listed is not None:
        return any(map(is_list, listed))
    speaks = SPEAKS_OF["object"].isdisjoint(schema) or not SPEAKS_OF["array"].isdisjoint(schema)
    return "array" in as_list(schema.get("type", "array" if speaks else "object"))


def takes_any(schema: Any) -> bool:
    """Tell whether a schema without unions takes values of any type.

    >>> takes_any({"description": "Whatever."}), takes_any(True), takes_any({"type": "string"})
    (True, True, False)
    """
    return schema is True or (
        is_object(schema)
        and schema.keys().isdisjoint(_TYPED)
        and all(map(takes_any, schema.get("allOf", ())))
    )


_TYPED = frozenset(
    {*VALUES, *chain.from_iterable(SPEAKS_OF.values()), "$ref", "anyOf", "oneOf", "type"}
)  # fmt: skip
"""Keywords that say, or imply, of what type a value is."""


def say_any(conversion: Conversion, node: SchemaNode, given: Any) -> None:
    """Say a value of any type: a plain value as it is, an object or a list as JSON text."""
    why = "any value: an object, or a list, is written as JSON text"
    conversion.lose(node.pointer, "type", given, "kept", why)
    text: Schema = {"description": "An object or a list, as JSON text.", "type": "string"}
    plain = ("string", "number", "boolean")
    node.said["anyOf"] = [
        *({"type": each} for each in plain),
        _wrapped(conversion, WRAPPED_JSON, text),
    ]
    if conversion.dialect.nullable:
        node.said["nullable"] = True
    else:
        node.said["anyOf"].append({"type": "null"})


def _wrapped(conversion: Conversion, member: str, said: Schema) -> Schema:
    """An object whose only member stands for the value."""
    closes = conversion.dialect.verdict("additionalProperties") is KeywordVerdict.KEEP
    closed = {"additionalProperties": False} if closes else {}
    return {**closed, "properties": {member: said}, "required": [member], "type": "object"}


def refers_to_itself(root: Schema) -> bool:
    """Tell whether parts of a schema are what the whole is.

    >>> refers_to_itself({"type": "array", "items": {"$ref": "#"}})
    True
    """
    return any("#" in each for each in edges_of(root).values())


def with_wrapped_root(root: Schema) -> Schema:
    """Return the schema of an object whose only member is what a schema is of.

    >>> with_wrapped_root({"type": "array", "items": {"type": "string"}})["properties"]
    {'root': {'type': 'array', 'items': {'type': 'string'}}}
    """
    inside = {key: each for key, each in root.items() if key != "$defs"}
    defs: Schema = root.get("$defs", {})
    if refers_to_itself(root):
        name = "Root" if "Root" not in defs else f"Root{len(defs)}_"
        ref = f"{DEFS}{name}"
        defs, inside = redirected({name: inside, **defs}, "#", ref), {"$ref": ref}
    whole: Schema = {"type": "object", "properties": {WRAPPED_ROOT: inside}}
    whole |= {"required": [WRAPPED_ROOT], "additionalProperties": False}
    return {**whole, **({"$defs": defs} if defs else {})}


# Listed values: ``enum`` and ``const``.


def listed(conversion: Conversion, node: SchemaNode) -> None:
    """Listed values: with or without a type beside them, strings alone where others are unknown."""
    dialect = conversion.dialect
    keyword = "const" if "const" in node.rest else "enum"
    given = node.rest[keyword]
    beside = as_list(node.said.get("type", [*TYPES.values()]))
    kinds = [
        (each, kind)
        for each in ([given] if keyword == "const" else given)
        for kind in [kind for kind in types_of(each) if kind in beside][:1]
    ]
    values = [each for each, _ in kinds]
    if is_list(node.said.get("type")) and dialect.verdict("type") is not KeywordVerdict.KEEP:
        del node.said["type"]
    if not values:
        why = "no value is of the type that stands beside it"
        conversion.lose(node.pointer, keyword, given, "refused", why)
    if keyword == "enum" and values != given:
        node.rest["enum"] = values
        why = "the others are not of the type that stands beside them, and can never be given"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    types = list(dict.fromkeys(kind for _, kind in kinds))
    if dialect.nullable:
        del node.rest[keyword]
        if "null" in types:
            conversion.allow_null(node, keyword, given)
        types = [each for each in types if each != "null"]
        texts = [each for each in values if each is not None]
        if types == ["string"] and dialect.takes("enum", texts):
            node.said["enum"] = texts
            if keyword == "const":
                conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        elif types:
            fitting = given if keyword == "const" else values
            conversion.describe(node, keyword, given, phrase(keyword, fitting))
        _set_types(conversion, node, types or ["null"])
        return
    if keyword == "const" and dialect.verdict(keyword) is KeywordVerdict.REWRITE:
        del node.rest[keyword]
        if dialect.takes("enum", values):
            node.rest["enum"] = values
            conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        else:
            conversion.note(node, keyword, given)
    _set_types(conversion, node, types)


def with_types(schema: Any) -> Any:
    """Return a schema in which listed values have their type beside them, where they have one.

    It says nothing new, and there are converters that take a place without a type for an object.

    >>> with_types({"enum": ["a", "b"]})
    {'enum': ['a', 'b'], 'type': 'string'}
    """
    if not is_object(schema):
        return schema
    said = with_parts(schema, lambda part, _: with_types(part), PARTS - {"not"})
    values: list[object] = [schema["const"]] if "const" in schema else schema.get("enum", [])
    types = {TYPES.get(type(each)) for each in values}
    if len(types) == 1 and None not in types and not said.keys() & _SAYS_TYPES:
        said["type"] = types.pop()
    return said


_SAYS_TYPES = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that say of what type a value is."""


def _set_types(conversion: Conversion, node: SchemaNode, types: list[str]) -> None:
    """Give a place the types of its values, if it has none."""
    if "type" in node.said or "anyOf" in node.said or not types:
        return
    dialect = conversion.dialect
    stays = "enum" in node.rest and dialect.takes("enum", node.rest["enum"])
    if len(types) == 1:
        node.said["type"] = types[0]
    elif stays and dialect.verdict("type") is KeywordVerdict.KEEP:
        node.said["type"] = types
    elif not stays:
        node.said["anyOf"] = [{"type": each} for each in types]


# Objects: which properties they have, which may be left out, and that they are closed.


def say_object(conversion: Conversion, node: SchemaNode) -> None:
    """Say the keywords of an object."""
    dialect = conversion.dialect
    said_of_members = node.rest.keys() & {"properties", "additionalProperties"}
    properties = _possible(conversion, node)
    required: list[str] = node.rest.pop("required", [])
    _open_named(conversion, node, properties)
    is_open = "additionalProperties" in node.rest or not said_of_members
    is_said = "additionalProperties" in node.rest
    at = f"{node.pointer}/additionalProperties" if is_said else node.pointer
    more: Any = node.rest.pop("additionalProperties", True)
    node.said["type"] = "object"
    if dialect.open_objects and not properties and is_open and more is not False:
        _open(conversion, node, more, required)
        return
    closes = dialect.verdict("additionalProperties") is KeywordVerdict.KEEP
    is_any = more is True or more == {}
    if node.pointer and is_open and not (properties or more is False or node.is_listed):
        say_entries(conversion, node, more, required, at)
        return
    if not properties and more is not False and is_open and (node.pointer or not is_any):
        why = reason(dialect, "additionalProperties")
        conversion.lose(node.pointer, "additionalProperties", more, "refused", why)
    elif node.pointer and not (
        properties or dialect.empty_objects or "patternProperties" in node.rest
    ):
        conversion.lose(node.pointer, "properties", {}, "refused", reason(dialect, "properties"))
    if closes and more is not False:
        why = f"{dialect.name} closes objects: members that are not declared are refused"
        conversion.lose(node.pointer, "additionalProperties", more, "dropped", why)
    elif not closes and more not in (True, {}):
        why = f"{dialect.name} does not close objects; validation refuses what is not declared"
        conversion.lose(node.pointer, "additionalProperties", more, "dropped", why)
    node.said["properties"] = {
        name: conversion.schema(schema, f"{node.pointer}/properties/{escape(name)}")
        if not dialect.all_required or name in required
        else _optional(conversion, schema, f"{node.pointer}/properties/{escape(name)}")
        for name, schema in properties.items()
    }
    undeclared = [name for name in required if name not in properties]
    if undeclared:
        why = "a closed object cannot have what it does not declare"
        conversion.lose(node.pointer, "required", undeclared, "dropped", why)
    needed = [name for name in properties if dialect.all_required or name in required]
    if needed or dialect.all_required:
        node.said["required"] = needed
    if closes:
        node.said["additionalProperties"] = False


def _possible(conversion: Conversion, node: SchemaNode) -> Schema:
    """The properties that some value fits; one that none fits is left out."""
    given: Schema = node.rest.pop("properties", {})
    for name in [name for name, each in given.items() if each is False]:
        at = f"{node.pointer}/properties/{escape(name)}"
        conversion.lose(at, "properties", False, "dropped", "no value fits it: it is left out")
    return {name: each for name, each in given.items() if each is not False}


def _open(conversion: Conversion, node: SchemaNode, more: Any, required: list[str]) -> None:
    """A dictionary: members of any name, with values of one kind."""
    whatever = not is_object(more) or not more
    node.said["additionalProperties"] = (
        True if whatever else conversion.schema(more, f"{node.pointer}/additionalProperties")
    )
    if required:
        conversion.note(node, "required", required)
    if "patternProperties" in node.rest and whatever:
        conversion.note(node, "patternProperties", node.rest.pop("patternProperties"))
    names = node.rest.get("propertyNames")
    if is_object(names) and names.keys() == {"pattern"}:
        _describe_names(conversion, node, "propertyNames", names["pattern"])


def _open_named(conversion: Conversion, node: SchemaNode, properties: Schema) -> None:
    """A dictionary whose names have one pattern is one with any names, and the description has theirs."""
    given = node.rest.get("patternProperties")
    if (
        not is_object(given)
        or len(given) != 1
        or properties
        or node.rest.get("additionalProperties") is not False
        or not (node.pointer or conversion.dialect.open_objects)
    ):
        return
    [(pattern, each)] = given.items()
    node.rest["additionalProperties"] = each
    dialect = conversion.dialect
    if dialect.open_objects or not dialect.says("pattern", pattern) or "propertyNames" in node.rest:
        _describe_names(conversion, node, "patternProperties", pattern)
        return
    del node.rest["patternProperties"]
    node.rest["propertyNames"] = {"pattern": pattern}
    why = "written as the pattern of the keys"
    conversion.lose(node.pointer, "patternProperties", given, "kept", why)


def _describe_names(conversion: Conversion, node: SchemaNode, keyword: str, pattern: str) -> None:
    why = f"{conversion.dialect.name} does not enforce what members are called"
    node.notes.append(f"names match {pattern}")
    conversion.lose(node.pointer, keyword, node.rest.pop(keyword), "described", why)


def _optional(conversion: Conversion, schema: Any, pointer: str) -> Schema:
    """A property that may be left out, where every property is required: null stands for that."""
    why = "every property is required; null stands for leaving it out"
    if not is_object(schema) or "default" not in schema:
        conversion.lose(pointer, "required", False, "kept", why)
    if not is_object(schema) or accepts_null(schema, conversion.root):
        return conversion.schema(schema, pointer)
    node = conversion.node({k: v for k, v in schema.items() if k != "default"}, pointer)
    if "default" in schema:
        node.notes.append("null for the " + phrase("default", schema["default"]))
        conversion.lose(pointer, "default", schema["default"], "described", why)
    return with_null(node.finished())


def with_null(schema: Schema) -> Schema:
    """Return ``schema`` with null allowed beside what it says."""
    text = {key: each for key, each in schema.items() if key == "description"}
    said = {key: each for key, each in schema.items() if key != "description"}
    branches = said["anyOf"] if said.keys() == {"anyOf"} else [said]
    return {"anyOf": [*branches, {"type": "null"}], **text}


# References: as they stand, or written out; and what cannot be joined with the rest of its place.


def reference(conversion: Conversion, node: SchemaNode) -> None:
    """A reference stays where the dialect has them, and gives way to what it leads to elsewhere."""
    ref = node.rest.pop("$ref")
    found = target(conversion.root, ref)
    if found is None:
        conversion.lose(node.pointer, "$ref", ref, "refused", "it leads nowhere in this schema")
    elif ref in conversion.recursive or ref in conversion.inlined:
        conversion.lose(node.pointer, "$ref", ref, "refused", why_no_recursion(conversion.dialect))
    elif conversion.dialect.verdict("$ref") is KeywordVerdict.KEEP and is_plain(ref):
        conversion.refer(ref)
        node.said["$ref"] = ref
        return
    else:
        conversion.inlined.append(ref)
        node.take_over(conversion.node(found, ref.removeprefix("#")))
        conversion.inlined.pop()
        return
    node.said["$ref"] = ref  # refused: what is said no longer matters


def in_words(conversion: Conversion, node: SchemaNode) -> None:
    """Words for a keyword that cannot be joined with the rest of its place."""
    why = "it holds beside another of its kind, which cannot be said as one"
    for place, each in enumerate(node.rest.pop("allOf")):
        for keyword, value in each.items():
            node.notes.append(phrase(keyword, value))
            conversion.lose(f"{node.pointer}/allOf/{place}", keyword, value, "described", why)


# Unions with nothing beside them: their branches say what is said of the whole.


def alone(conversion: Conversion, said: Schema, pointer: str) -> Schema:
    """Return what was said of a place; a union says it in its branches, if the dialect has it alone.

    Null is allowed in each branch. Texts stand once, in the first branch, in front of its own: a router
    has dozens of branches, and its text is the longest. What no branch can say is described or refused.
    At the root, where no union may stand, nothing changes.
    """
    if not conversion.dialect.unions_alone or "anyOf" not in said or not pointer:
        return said
    beside = {key: each for key, each in said.items() if key != "anyOf"}
    branches = [each for each in said["anyOf"] if each.get("type") != "null"]
    nulls = [each for each in said["anyOf"] if each.get("type") == "null"]
    if "title" in beside:
        why = f"{conversion.dialect.name} takes nothing beside a union"
        conversion.lose(pointer, "title", beside["title"], "described", why)
    texts = [*filter(None, map(_text, [beside, *nulls]))]
    beside.pop("title", None)
    beside.pop("description", None)
    if nulls:
        conversion.lose(pointer, "anyOf", nulls, "kept", "null is written as nullable")
        beside["nullable"] = True
    branches = branches or [{"type": "null"}]
    if beside.pop("nullable", False):
        branches = [_nullable(each) for each in branches]
    for keyword, value in beside.items():
        why = f"{conversion.dialect.name} takes nothing beside a union; say it in the branches"
        conversion.lose(pointer, keyword, value, "refused", why)
    if texts:
        branches = [_told(branches[0], "\n".join(texts)), *branches[1:]]
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def _text(schema: Schema) -> str:
    """What a schema says in words."""
    titles = [phrase("title", schema["title"])] if "title" in schema else []
    return described(schema.get("description", ""), titles)


def _nullable(branch: Schema) -> Schema:
    """The branch, with null allowed."""
    if "anyOf" in branch:
        return {**branch, "anyOf": [_nullable(each) for each in branch["anyOf"]]}
    return _in_order({**branch, "nullable": True})


def _told(branch: Schema, text: str) -> Schema:
    """The branch, with a text in front of its own."""
    if "anyOf" in branch:
        first, *others = branch["anyOf"]
        return {**branch, "anyOf": [_told(first, text), *others]}
    own = branch.get("description")
    return _in_order({**branch, "description": f"{text}\n{own}" if own else text})


def _in_order(schema: Schema) -> Schema:
    return {key: schema[key] for key in sorted(schema)}


def union(conversion: Conversion, node: SchemaNode) -> None:
    """Alternatives are ``anyOf``; null among them may have a keyword of its own."""
    keyword = "oneOf" if "oneOf" in node.rest else "anyOf"
    given = node.rest.pop(keyword)
    if keyword == "oneOf":
        why = "written as anyOf: where several branches fit, validation decides"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    wraps = not conversion.dialect.open_objects and _has_both(given, conversion.root)
    if wraps:
        why = "where a list is taken, too, a dictionary is an object of its entries"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    branches = [
        (each, f"{node.pointer}/{keyword}/{place}")
        for place, each in enumerate(given)
        if each is not False
        if not (conversion.dialect.nullable and each == {"type": "null"})
    ]
    if conversion.dialect.nullable and {"type": "null"} in given:
        conversion.allow_null(node, keyword, given)
    if len(branches) == 1:
        node.take_over(conversion.node(*branches[0]))
    else:
        said = [conversion.schema(each, pointer) for each, pointer in branches]
        node.said["anyOf"] = [
            _wrapped(conversion, WRAPPED_ENTRIES, one)
            if wraps and is_dictionary(resolved(each, conversion.root))
            else one
            for one, (each, _) in zip(said, branches, strict=True)
        ]


def _has_both(branches: list[Any], root: Schema) -> bool:
    """Tell whether a union takes lists, and dictionaries that are written as lists."""
    parts = [*forms({"anyOf": branches}, root)]
    return any(map(is_dictionary, parts)) and any(map(takes_lists, parts))


def types(conversion: Conversion, node: SchemaNode) -> None:
    """A type, or several types whose values hold no others."""
    node.said["type"] = node.rest.pop("type")


def in_order(conversion: Conversion, node: SchemaNode) -> None:
    """A tuple becomes a list of whatever its places hold; the description has their order."""
    if node.said.get("type", "array") != "array":
        return
    given: list[Any] = node.rest["prefixItems"]
    closed = node.rest.get("maxItems", len(given) + 1) <= len(given)
    if conversion.dialect.verdict("prefixItems") is KeywordVerdict.KEEP:
        if not closed:
            node.rest.setdefault("items", {})
        return
    del node.rest["prefixItems"]
    tail = node.rest.pop("items", None)
    kinds: list[Any] = []
    items: list[Schema] = []
    for each, pointer in [
        *((each, f"/prefixItems/{place}") for place, each in enumerate(given)),
        *([] if closed else [(tail, "/items")]),
    ]:
        said = conversion.schema(each, node.pointer + pointer)
        if each not in kinds:
            kinds.append(each)
            items.append(said)
    node.said["items"] = (
        items[0]
        if len(items) == 1
        else alone(conversion, {"anyOf": items}, f"{node.pointer}/prefixItems/0")
    )
    if len(items) == 1:
        conversion.lose(node.pointer, "prefixItems", given, "kept", "written as items")
    else:
        order = ", ".join([*map(_kind, given), *([] if closed else [f"then {_kind(tail)}"])])
        conversion.describe(node, "prefixItems", given, f"in this order: {order}")


def matching(conversion: Conversion, node: SchemaNode) -> None:
    """A pattern is said in what all engines read; lengths and a format beside it are described."""
    if conversion.dialect.verdict("pattern") is not KeywordVerdict.REWRITE:
        return
    given = node.rest.pop("pattern")
    plain = plain_pattern(given) if node.said.get("type") == "string" else None
    if plain is None:
        conversion.note(node, "pattern", given)
        return
    node.said["pattern"] = plain
    if plain != given:
        conversion.lose(node.pointer, "pattern", given, "kept", f"written as {plain}")
    for keyword in ("minLength", "maxLength", "format"):
        if keyword in node.rest:
            conversion.note(node, keyword, node.rest.pop(keyword))


def _kind(schema: Any) -> str:
    """A schema in a word: what stands at a place of a tuple."""
    if not is_object(schema):
        return "any"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return name or str(schema.get("format") or schema.get("type") or "one of several")


def bound(keyword: str, inclusive: str, step: int) -> Callable[[Conversion, SchemaNode], None]:
    """Return the step that makes an exclusive bound of integers an inclusive one.

    :param keyword: the exclusive bound.
    :param inclusive: the keyword that includes its value.
    :param step: from the one to the other: 1 upwards, -1 downwards.
    """

    def say(conversion: Conversion, node: SchemaNode) -> None:
        value = node.rest[keyword]
        if conversion.dialect.verdict(keyword) is not KeywordVerdict.REWRITE:
            return
        del node.rest[keyword]
        if node.said.get("type") == "integer" and isinstance(value, int):
            both = (value + step, node.rest.get(inclusive, value + step))
            node.rest[inclusive] = max(both) if step > 0 else min(both)
            conversion.lose(node.pointer, keyword, value, "kept", f"written as {inclusive}")
        else:
            conversion.note(node, keyword, value)

    return say


Step: TypeAlias = "Callable[[Conversion, SchemaNode], None]"

STEPS: dict[str, Step] = {
    "$ref": reference,
    "allOf": in_words,
    "oneOf": union,
    "anyOf": union,
    "type": types,
    "const": listed,
    "enum": listed,
    "prefixItems": in_order,
    "pattern": matching,
    "exclusiveMinimum": bound("exclusiveMinimum", "minimum", 1),
    "exclusiveMaximum": bound("exclusiveMaximum", "maximum", -1),
}
"""The steps by the keyword that they take, in their order."""

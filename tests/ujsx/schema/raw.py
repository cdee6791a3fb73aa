"""Raw JSON Schemas, as people and generators write them, values to try on them, and what losses allow."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hypothesis import strategies as st

from tests.ujsx.schema.keywords import LISTED, NAMED, NESTED, target, unescape
from ujsx.schema import DIALECTS, Loss

NAMES = st.sampled_from(["a", "b", "c"])
SMALL = st.integers(0, 2)
NUMBER = st.integers(-2, 3) | st.sampled_from([0.5, 1.0, 2.5])
SCALAR = st.sampled_from([None, True, False, 0, 1, 1.0, -2, 2.5, "", "a", "ab", "b"])
DATA = SCALAR | st.lists(SCALAR, max_size=2) | st.dictionaries(NAMES, SCALAR, max_size=2)
TYPE = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])

Parts = st.SearchStrategy[Any]
"""Schemas that may stand inside another."""

KEYWORDS: dict[str, dict[str, Callable[[Parts], st.SearchStrategy[Any]]]] = {
    "string": {
        "minLength": lambda _: SMALL,
        "maxLength": lambda _: SMALL,
        "pattern": lambda _: st.sampled_from(["^a", "b$", "^[a-c]+$", r"^\d{2}$", "^(?:a|)$", "(?i)A"]),
        "format": lambda _: st.sampled_from(["date", "date-time", "uri", "int32"]),
    },
    "number": {
        "minimum": lambda _: NUMBER,
        "maximum": lambda _: NUMBER,
        "exclusiveMinimum": lambda _: NUMBER,
        "exclusiveMaximum": lambda _: NUMBER,
        "multipleOf": lambda _: st.sampled_from([1, 2, 0.5]),
    },
    "array": {
        "items": lambda parts: parts,
        "prefixItems": lambda parts: st.lists(parts, min_size=1, max_size=2),
        "minItems": lambda _: SMALL,
        "maxItems": lambda _: SMALL,
        "uniqueItems": lambda _: st.booleans(),
        "contains": lambda parts: parts,
        "minContains": lambda _: SMALL,
        "maxContains": lambda _: SMALL,
        "unevaluatedItems": lambda _: st.just(False),
    },
    "object": {
        "properties": lambda parts: st.dictionaries(NAMES, parts, max_size=2),
        "required": lambda _: st.lists(NAMES, unique=True, max_size=2),
        "additionalProperties": lambda parts: st.booleans() | parts,
        "patternProperties": lambda parts: st.dictionaries(st.sampled_from(["^a", "b"]), parts, min_size=1, max_size=1),
        "propertyNames": lambda _: st.sampled_from([{"pattern": "^[ab]"}, {"enum": ["a", "b"]}, {"maxLength": 1}]),
        "minProperties": lambda _: SMALL,
        "maxProperties": lambda _: SMALL,
        "dependentRequired": lambda _: st.just({"a": ["b"]}),
        "dependentSchemas": lambda parts: st.dictionaries(NAMES, parts, min_size=1, max_size=1),
        "unevaluatedProperties": lambda _: st.just(False),
    },
}  # fmt: skip
KEYWORDS["integer"] = KEYWORDS["number"]

SIDE: dict[str, Callable[[Parts], st.SearchStrategy[Any]]] = {
    "not": lambda parts: parts,
    "if": lambda parts: parts,
    "then": lambda parts: parts,
    "else": lambda parts: parts,
    "nullable": lambda _: st.booleans(),
    "default": lambda _: SCALAR,
    "description": lambda _: st.just("Said."),
    "title": lambda _: st.just("Title"),
    "examples": lambda _: st.lists(SCALAR, min_size=1, max_size=1),
    "x-unit": lambda _: st.just("m"),
}
"""Keywords that may stand beside any others."""


@st.composite
def some(draw: st.DrawFn, of: dict[str, Any], parts: Parts, most: int) -> dict[str, Any]:
    """A few of the keywords."""
    names = draw(st.lists(st.sampled_from([*of]), unique=True, max_size=most)) if of else []
    return {name: draw(of[name](parts)) for name in names}


@st.composite
def typed(draw: st.DrawFn, parts: Parts) -> dict[str, Any]:
    """One type, several or none, with keywords of those and, now and then, of others."""
    kinds = draw(st.lists(TYPE, min_size=1, max_size=3, unique=True))
    most = 4 if len(kinds) == 1 else 3
    allowed = {key: each for kind in kinds for key, each in KEYWORDS.get(kind, {}).items()}
    if "object" in kinds and draw(st.integers(0, 3)):
        own = {"properties": draw(st.dictionaries(NAMES, parts, min_size=1, max_size=2))}
    else:
        own = {}
    schema = own | draw(some(allowed, parts, most))
    if draw(st.integers(0, 5)):
        is_list = len(kinds) > 1 or not draw(st.integers(0, 4))
        schema["type"] = kinds if is_list else kinds[0]
    return schema


@st.composite
def values_listed(draw: st.DrawFn, parts: Parts) -> dict[str, Any]:
    """Values listed, with and without a type."""
    listed = st.lists(DATA, min_size=1, max_size=4)
    schema = draw(st.fixed_dictionaries({}, optional={"type": TYPE | st.lists(TYPE, min_size=1, max_size=2, unique=True)}))  # fmt: skip
    key = draw(st.sampled_from(["enum", "enum", "const"]))
    schema[key] = draw(listed if key == "enum" else DATA)
    if not draw(st.integers(0, 5)):
        schema["enum"] = draw(listed)
    return schema


@st.composite
def joined(draw: st.DrawFn, parts: Parts) -> dict[str, Any]:
    """Unions, intersections and references, alone or with other keywords beside them."""
    key = draw(st.sampled_from(["anyOf", "anyOf", "oneOf", "allOf", "$ref"]))
    branches = st.lists(parts | st.just({"required": ["a"]}), min_size=1, max_size=3)
    schema = {key: draw(st.sampled_from(["#/$defs/A", "#/$defs/B~1c"]) if key == "$ref" else branches)}  # fmt: skip
    return draw(typed(parts)) | schema if draw(st.booleans()) else schema


SIMPLE: list[Any] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": ["string", "null"]},
    {"type": ["integer", "number", "boolean"]},
    {"type": ["object", "null"], "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
    {"type": "array", "items": {"type": "string"}},
    {"type": ["array", "null"], "items": {"type": "integer"}},
    {"enum": ["a", None]},
    {"enum": ["a", 1, None]},
    {"const": None},
    {"$ref": "#/$defs/A"},
]


@st.composite
def part(draw: st.DrawFn, parts: Parts) -> Any:
    """A schema with others inside."""
    shape = draw(st.sampled_from([typed, typed, values_listed, joined]))
    schema = draw(shape(parts))
    return schema | draw(some(SIDE, parts, 2)) if not draw(st.integers(0, 3)) else schema


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A schema of a tool's parameters, sensible in parts and strange in others."""
    leaves = st.one_of(*[st.sampled_from(SIMPLE)] * 6, st.sampled_from([{}, True, False]))
    inner = st.one_of(*[st.sampled_from(SIMPLE)] * 2, part(leaves))
    parts = st.one_of(st.sampled_from(SIMPLE), part(leaves), part(leaves), part(inner))
    defs = {"A": draw(leaves | part(leaves)), "B/c": draw(st.sampled_from(SIMPLE))}
    if defs["A"] in (False, {"$ref": "#/$defs/A"}):
        defs["A"] = {"type": "string"}
    if "$ref" in str(defs["A"]):  # which may lead around in a circle
        defs["A"] = {"type": ["object", "null"], "properties": {"a": {"$ref": "#/$defs/A"}}}
    root: dict[str, Any] = {
        "properties": draw(st.dictionaries(NAMES, parts, min_size=1, max_size=2))
    }
    if draw(st.integers(0, 3)):
        root["type"] = "object"
    if draw(st.booleans()):
        root["required"] = sorted(root["properties"])
    elif draw(st.booleans()):
        root |= draw(some(KEYWORDS["object"], parts, 2))
    if not draw(st.integers(0, 7)):
        root = draw(part(parts))
    elif not draw(st.integers(0, 5)):
        root |= draw(joined(leaves))
    return root | {"$defs": defs}


ANY: list[Any] = [None, True, 0, 1, -3, 2.5, 1.0, "", "a", "abc", "12", [], [1, "a"], {}, {"a": 1}, {"z": None}]  # fmt: skip


def tried(schemas: Iterable[Any], seed: int, count: int) -> Iterator[Any]:
    """Yield values that schemas take, as far as one can tell, and others beside them."""
    chance = random.Random(seed)
    yield from ANY
    for schema in schemas:
        for _ in range(count):
            value = _made(schema, schema, chance, 0)
            yield value
            yield _changed(copy.deepcopy(value), chance)


def _made(schema: Any, root: Any, chance: random.Random, depth: int) -> Any:
    """A value that a schema is likely to take."""
    said = _flat(schema, root, chance, 0)
    if "const" in said:
        return said["const"]
    if said.get("enum"):
        return chance.choice(said["enum"])
    kinds = said.get("type") or [kind for kind in KEYWORDS if KEYWORDS[kind].keys() & said.keys()]
    kind = chance.choice(kinds) if isinstance(kinds, list) and kinds else kinds
    match kind:
        case "object":
            return _object(said, root, chance, depth)
        case "array":
            return _array(said, root, chance, depth)
        case "string":
            texts = ["", "a", "b", "ab", "cab", "12", "abcd", "2020-01-01"]
            least, most = said.get("minLength", 0), said.get("maxLength", 9)
            return chance.choice([each for each in texts if least <= len(each) <= most] or texts)
        case "integer" | "number":
            return chance.choice(
                [-3, -2, -1, 0, 1, 2, 3, 4, 1.0, *([0.5, 2.5] * (kind == "number"))]
            )
        case "boolean" | "null":
            return None if kind == "null" else chance.random() < 0.5
        case _:
            return chance.choice(ANY)


def _object(said: dict[str, Any], root: Any, chance: random.Random, depth: int) -> Any:
    properties, more = said.get("properties", {}), said.get("additionalProperties", False)
    made: dict[str, Any] = {}
    for name in dict.fromkeys([*properties, *said.get("required", []), "a", "c"]):
        needed = name in said.get("required", [])
        if not needed and (depth > 3 or chance.random() < (0.4 if name in properties else 0.8)):
            continue
        if needed or name in properties or more is not False:
            made[name] = _made(properties.get(name, more or True), root, chance, depth + 1)
    return made


def _array(said: dict[str, Any], root: Any, chance: random.Random, depth: int) -> Any:
    first, rest = said.get("prefixItems", []), said.get("items", True)
    least, most = said.get("minItems", 0), said.get("maxItems", 3)
    length = 0 if depth > 3 else min(most, chance.randint(least, max(least, 3)))
    kinds = [first[place] if place < len(first) else rest for place in range(length)]
    return [_made(each, root, chance, depth + 1) for each in kinds if each is not False]


def _flat(schema: Any, root: Any, chance: random.Random, level: int) -> dict[str, Any]:
    """The keywords at a place, with those of one branch of each union, and of what is referred to."""
    if not isinstance(schema, dict) or level > 6:
        return {}
    said = {key: each for key, each in schema.items() if key not in {"anyOf", "oneOf", "allOf", "$ref"}}  # fmt: skip
    others = [*schema.get("allOf", [])]
    others += [chance.choice(schema[key]) for key in ("anyOf", "oneOf") if key in schema]
    others += [target(root, schema["$ref"])] if "$ref" in schema else []
    if schema.get("nullable") and chance.random() < 0.3:
        return {"const": None}
    for each in others:
        more = _flat(each, root, chance, level + 1)
        both = {"properties": {**said.get("properties", {}), **more.get("properties", {})}}
        needed = [*dict.fromkeys([*said.get("required", []), *more.get("required", [])])]
        said = said | more | (both if both["properties"] else {}) | ({"required": needed} if needed else {})  # fmt: skip
    return said


def _changed(value: Any, chance: random.Random) -> Any:
    """The value, with a change somewhere in it."""
    inside = [*value] if isinstance(value, dict) else [*range(len(value))] if isinstance(value, list) else []  # fmt: skip
    if inside and chance.random() < 0.6:
        place = chance.choice(inside)
        if chance.random() < 0.3:
            del value[place]
        else:
            value[place] = _changed(value[place], chance)
        return value
    if isinstance(value, dict) and chance.random() < 0.7:
        return {**value, chance.choice("abcz"): chance.choice(ANY)}
    if isinstance(value, list) and chance.random() < 0.7:
        return [*value, chance.choice(value or ANY)]
    return chance.choice(ANY)


def as_json_schema(schema: Any, keyword: str = "") -> Any:
    """The schema with ``nullable`` (OpenAPI 3.0) in the words of JSON Schema."""
    if isinstance(schema, list) and keyword in LISTED:
        return [as_json_schema(each) for each in schema]
    if not isinstance(schema, dict) or (keyword and keyword not in NESTED | NAMED):
        return schema
    if keyword in NAMED:
        return {name: as_json_schema(each) for name, each in schema.items()}
    said = {key: as_json_schema(each, key) for key, each in schema.items() if key != "nullable"}
    if schema.get("nullable") is not True:
        return said
    defs = {"$defs": said.pop("$defs")} if "$defs" in said else {}
    return {"anyOf": [said, {"type": "null"}], **defs}


def sent(value: Any, schema: Any, root: Any, *, entries: bool | None, wraps: bool = False) -> Any:
    """A value as a model sends it where dictionaries are lists of entries.

    :param entries: whether an object that may be a dictionary, or have properties, is one; ``None`` where there are no
        lists of entries.
    :param wraps: whether objects and lists are JSON text where any value is taken, and dictionaries objects of their
        entries where a list is.
    """
    parts = [*_parts(schema, root)]
    if wraps and isinstance(value, list | dict) and any(map(takes_any, parts)):
        return {"as_json": json.dumps(value)}
    if isinstance(value, list):
        kinds = [
            *_each(parts, "items"),
            *(one for each in parts for one in each.get("prefixItems", [])),
            *({} for each in parts if "prefixItems" in each and "items" not in each),
        ]
        return [
            sent(each, {"anyOf": kinds or [{}]}, root, entries=entries, wraps=wraps)
            for each in value
        ]
    if not isinstance(value, dict):
        return value
    held = any(each.get("properties") for each in parts)
    is_listed = schema is not root and any(map(is_dictionary, parts))
    is_listed = is_listed and entries is not None and (entries or not held)
    more = [
        *_each(parts, "additionalProperties"),
        *(one for each in parts for one in each.get("patternProperties", {}).values()),
    ]
    made = {
        name: sent(
            each,
            {
                "anyOf": [
                    *([] if any(name in part.get("properties", {}) for part in parts) else more),
                    *(
                        part["properties"][name]
                        for part in parts
                        if name in part.get("properties", {})
                    ),
                ]
                or [{}]
            },
            root,
            entries=entries,
            wraps=wraps,
        )
        for name, each in value.items()
    }
    if not is_listed:
        return made
    listed = [{"key": name, "value": each} for name, each in made.items()]
    return {"as_entries": listed} if wraps and any(map(takes_lists, _ends(parts))) else listed


def takes_any(part: Any) -> bool:
    """Tell whether a part that is no union takes values of any type."""
    typed = {"type", "const", "enum", "$ref", "anyOf", "oneOf", "items", "prefixItems"}
    typed |= {"properties", "additionalProperties", "patternProperties"}
    return not typed & part.keys() and all(
        each is True or (each is not False and takes_any(each)) for each in part.get("allOf", [])
    )


def is_dictionary(part: Any) -> bool:
    """Tell whether a part is of objects that declare no names of their own."""
    if "object" not in _types(part, "object") or part.get("properties"):
        return False
    is_open = ("type" in part and "properties" not in part) or "patternProperties" in part
    return part.get("additionalProperties", is_open) is not False or bool(
        part.get("patternProperties")
    )


def takes_lists(part: Any) -> bool:
    """Tell whether a part that is no union has lists among its values."""
    listed = [part["const"]] if "const" in part else part.get("enum")
    if listed is not None:
        return any(isinstance(each, list) for each in listed)
    of_objects = {"properties", "additionalProperties", "patternProperties"} & part.keys()
    of_lists = {"items", "prefixItems"} & part.keys()
    return "array" in _types(part, "array" if of_lists or not of_objects else "object")


def _types(part: Any, otherwise: str) -> list[str]:
    kinds = part.get("type", otherwise)
    return kinds if isinstance(kinds, list) else [kinds]


def _each(parts: list[Any], keyword: str) -> list[Any]:
    said = [each[keyword] for each in parts if keyword in each]
    return [{} if each is True else each for each in said]


def _ends(parts: list[Any]) -> list[Any]:
    """The parts that are no unions and no references."""
    return [each for each in parts if each.keys().isdisjoint({"anyOf", "oneOf", "$ref"})]


def _parts(schema: Any, root: Any) -> Iterator[Any]:
    """All that a place says, behind references, in unions and beside each other."""
    waiting, seen = [schema], list[Any]()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or any(part is each for each in seen):
            continue
        seen.append(part)
        yield part
        waiting += [target(root, part.get("$ref"))]
        waiting += [each for key in ("anyOf", "oneOf", "allOf") for each in part.get(key, [])]


def part_at(root: Any, pointer: str) -> Any:
    """The part of a schema at a pointer, which may lead through references."""
    found = root
    for each in map(unescape, pointer.split("/")[1:]):
        if isinstance(found, dict) and each not in found:
            found = _behind(root, found, each)
        if isinstance(found, bool) or (each == "items" and each not in found):
            return {}  # any item, which the schema does not say and the result does
        found = found[int(each)] if isinstance(found, list) else found[each]
    return found


def _behind(root: Any, part: Any, keyword: str) -> Any:
    """What a part refers to, if that has the keyword; else the part."""
    found = part
    while isinstance(found, dict) and keyword not in found and "$ref" in found:
        found = target(root, found["$ref"])
    return found if isinstance(found, dict) and keyword in found else part


def wider(schema: Any, losses: Iterable[Loss], dialect: str) -> Any:
    """The schema without the constraints that losses name, each at its place and by its keyword alone."""
    return _changed_by(_widen, schema, losses, dialect)


def narrower(schema: Any, losses: Iterable[Loss], dialect: str) -> Any:
    """The schema with the constraints that losses name: closed objects, members to be given, one type."""
    return _changed_by(_narrow, schema, losses, dialect)


Change = Callable[[], object]


def _changed_by(
    change: Callable[[Any, Loss, str], Change | None],
    schema: Any,
    losses: Iterable[Loss],
    dialect: str,
) -> Any:
    root = _with_objects(schema)
    changes = [change(root, loss, dialect) for loss in losses if loss.outcome != "missing"]
    for each in sorted(filter(None, changes), key=lambda one: one.__name__ == "with_null"):
        each()  # what moves a part comes last
    return root


def _with_objects(schema: Any, keyword: str = "") -> Any:
    """A copy of a schema whose branches are objects, which can be changed."""
    if isinstance(schema, list):
        said = [_with_objects(each) for each in schema]
        return [{} if each is True else each for each in said] if keyword in LISTED else said
    if not isinstance(schema, dict):
        return schema
    return {key: _with_objects(each, key) for key, each in schema.items()}


def _optional(root: Any, loss: Loss, dialect: str) -> tuple[Any, str] | None:
    """The object and the name of a property that may be left out, where all have to be given."""
    above, found, name = loss.pointer.rpartition("/properties/")
    is_said = loss.keyword == "default" or (loss.keyword == "required" and loss.value is False)
    if not (DIALECTS[dialect].all_required and is_said and found) or "/" in name:
        return None
    parent = _behind(root, part_at(root, above), "properties")
    name = unescape(name)
    return None if name in parent.get("required", []) else (parent, name)


def _widen(root: Any, loss: Loss, dialect: str) -> Change | None:
    optional = _optional(root, loss, dialect)
    if optional is not None:
        parent, name = optional

        def with_null() -> None:
            parent["properties"][name] = {"anyOf": [parent["properties"][name], {"type": "null"}]}

        return with_null
    part = part_at(root, loss.pointer)
    if loss.keyword == "properties" and loss.value is False:  # that nothing fits, and is left out
        above, _, name = loss.pointer.rpartition("/")
        parent = part_at(root, above)
        return lambda: parent.update({unescape(name): True})
    part = _behind(root, part, loss.keyword)
    if not isinstance(part, dict):  # nothing is taken there
        return None
    if loss.keyword == "oneOf" and loss.outcome == "kept":
        return lambda: part.update(anyOf=part.pop("oneOf"))
    closed = ("additionalProperties", "dropped") if dialect != "gemini" else ()
    if loss.outcome == "kept" or loss.keyword == "type" or (loss.keyword, loss.outcome) == closed:
        return None
    if loss.keyword == "patternProperties" and loss.outcome == "described":
        return lambda: part.update(
            additionalProperties=next(iter(part.pop("patternProperties").values()))
        )
    if loss.keyword == "prefixItems":
        tail = part.get("items", True)
        kinds = [*part["prefixItems"], *([] if tail is False else [tail])]
        return lambda: (part.pop("prefixItems", None), part.update(items={"anyOf": kinds}))
    if loss.keyword == "required" and loss.outcome == "dropped":
        left = [each for each in part["required"] if each not in loss.value]
        return lambda: part.update(required=left)
    gone = [loss.keyword]
    is_ended = part.get("items") is False or False in part.get("prefixItems", [])
    if loss.keyword == "maxItems" and (loss.value == 0 or is_ended):  # which says it
        gone += ["items", "prefixItems"]
    return lambda: [part.pop(each, None) for each in gone]


def _narrow(root: Any, loss: Loss, dialect: str) -> Change | None:
    optional = _optional(root, loss, dialect)
    if optional is not None:
        parent, name = optional
        return lambda: parent.update(required=[*parent.get("required", []), name])
    part = part_at(root, loss.pointer)
    match loss.keyword, loss.outcome:
        case "type", "dropped":
            kinds = loss.reason.partition("treated as ")[2].partition(":")[0]
            return lambda: part.update(type=kinds.split(" or ") if kinds else "object")
        case "$ref", "dropped":  # recursion that is cut
            return lambda: (part.clear(), part.update({"not": {}}))
        case "nullable", "described":
            return lambda: part.pop("nullable", None)
        case "additionalProperties", "dropped" if dialect != "gemini":
            taken = dict.fromkeys(_members(root, loss.pointer), True) | part.get("properties", {})
            return lambda: part.update(additionalProperties=False, properties=taken)
        case _:
            return None


def _members(root: Any, pointer: str) -> Iterator[str]:
    """The properties that are declared at a place, or beside a union that it is a branch of."""
    waiting = [part_at(root, pointer)]
    while pointer.rsplit("/", 2)[-2:-1] in (["anyOf"], ["oneOf"], ["allOf"]):
        pointer = pointer.rsplit("/", 2)[0]
        waiting.append(part_at(root, pointer))
    for _ in range(100):
        part = waiting.pop() if waiting else True
        if isinstance(part, dict):
            yield from part.get("properties", {})
            waiting += [*part.get("allOf", []), target(root, part.get("$ref"))]

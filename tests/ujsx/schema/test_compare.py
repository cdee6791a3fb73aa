"""Changes of schemas, judged by values: what the old schema takes is tried on the new one."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from tests.ujsx.schema.keywords import everywhere
from tests.ujsx.schema.public import VALUES
from tests.ujsx.schema.raw import part_at, schemas, tried
from ujsx import SchemaError
from ujsx.schema import compare_schemas, tool_definition, tool_schema

MODELS = [type(each) for each in VALUES]

PLACES = int(os.environ.get("UJSX_SCHEMA_PLACES", "1"))
"""How many places of each model a kind of change is made at."""

Change = Callable[[Any, random.Random], object]
"""Changes one part of a schema in place; nothing where it returns None."""


def one_of(names: Any, chance: random.Random) -> Any:
    return chance.choice(sorted(names, key=str)) if names else None


def property_removed(part: Any, chance: random.Random) -> object:
    name = one_of(part.get("properties"), chance)
    if name is None:
        return None
    del part["properties"][name]
    part["required"] = [each for each in part.get("required", ()) if each != name]
    return name


def property_added(part: Any, chance: random.Random) -> object:
    if "properties" in part:
        part["properties"]["added"] = {"type": chance.choice(["string", "integer"])}
        return "added"
    return None


def required_property_added(part: Any, chance: random.Random) -> object:
    if property_added(part, chance):
        part["required"] = [*part.get("required", ()), "added"]
        return "added"
    return None


def property_renamed(part: Any, chance: random.Random) -> object:
    name = one_of(part.get("properties"), chance)
    if name is None:
        return None
    part["properties"]["renamed"] = part["properties"].pop(name)
    part["required"] = ["renamed" if each == name else each for each in part.get("required", ())]
    return name


def required(part: Any, chance: random.Random) -> object:
    name = one_of(part.get("properties", {}).keys() - {*part.get("required", ())}, chance)
    if name is not None:
        part["required"] = [*part.get("required", ()), name]
    return name


def made_optional(part: Any, chance: random.Random) -> object:
    name = one_of(part.get("required"), chance)
    if name is not None:
        part["required"].remove(name)
    return name


def value_removed(part: Any, chance: random.Random) -> object:
    if len(part.get("enum", ())) > 1:
        return [part["enum"].pop(chance.randrange(len(part["enum"])))]
    return None


def value_added(part: Any, chance: random.Random) -> object:
    if "enum" in part:
        part["enum"].append("added")
        return "added"
    return None


TYPES = {"integer": ["number", "string"], "number": ["integer"], "string": ["integer"], "boolean": ["string"],
         "array": ["string"]}  # fmt: skip


def type_changed(part: Any, chance: random.Random) -> object:
    if part.get("type") in TYPES and "enum" not in part and "const" not in part:
        part["type"] = chance.choice(TYPES[part["type"]])
        return part["type"]
    return None


def null_changed(part: Any, chance: random.Random) -> object:
    for branches in (part[each] for each in ("anyOf", "oneOf") if each in part):
        null = next((each for each in branches if each.get("type") == "null"), None)
        if null is not None and len(branches) > 1:
            branches.remove(null)
        elif null is None:
            branches.append({"type": "null"})
        return "null"
    if isinstance(part.get("type"), str) and part["type"] in TYPES and "enum" not in part:
        part["type"] = [part["type"], "null"]
        return "null"
    return None


def bound_changed(part: Any, chance: random.Random) -> object:
    bounds = {"string": "Length", "array": "Items", "object": "Properties"}
    kind = part.get("type")
    if kind in ("integer", "number"):
        part[chance.choice(["minimum", "exclusiveMinimum"])] = chance.choice([-5, 0, 1])
        return "minimum"
    if isinstance(kind, str) and kind in bounds:
        part[f"{chance.choice(['min', 'max'])}{bounds[kind]}"] = chance.choice([0, 1, 2, 50])
        return kind
    return None


def openness_changed(part: Any, chance: random.Random) -> object:
    if part.get("type") != "object":
        return None
    if part.get("additionalProperties") is False:
        part["additionalProperties"] = True
    elif isinstance(part.get("additionalProperties"), dict):
        part["additionalProperties"] = chance.choice([{"type": "integer"}, False, True, {}])
    else:
        part["additionalProperties"] = False
    return "additionalProperties"


def text_changed(part: Any, chance: random.Random) -> object:
    part["description"] = f"{part.get('description', '')} In other words."
    if "default" in part:
        part["default"] = None
    return "description"


def form_changed(part: Any, chance: random.Random) -> object:
    if part.get("type") != "string" or "enum" in part or "const" in part:
        return None
    part[chance.choice(["pattern", "format"])] = chance.choice(["^[a-z]", "date"])
    return "pattern"


def branch_changed(part: Any, chance: random.Random) -> object:
    for branches in (part[each] for each in ("anyOf", "oneOf") if each in part):
        if chance.random() < 0.5 and len(branches) > 1:
            return [branches.pop(chance.randrange(len(branches)))]
        branches.append({"type": "object", "properties": {"type": {"const": "new", "type": "string"}},
                         "required": ["type"]})  # fmt: skip
        return "new"
    return None


KINDS: list[Change] = [
    property_removed, property_added, required_property_added, property_renamed, required, made_optional,
    value_removed, value_added, type_changed, null_changed, bound_changed, openness_changed, text_changed,
    form_changed, branch_changed,
]  # fmt: skip


def changed(schema: Any, change: Change, chance: random.Random, count: int) -> Iterator[Any]:
    """Yield the schema with a change of this kind at each of so many places."""
    pointers = [pointer for pointer, _ in everywhere(schema)]
    chance.shuffle(pointers)
    for pointer in pointers:
        made = copy.deepcopy(schema)
        if count and change(part_at(made, pointer), chance) is not None:
            count -= 1
            yield made


def is_deep(value: Any) -> bool:
    """Whether so much stands inside each other that the judge of values does not get to the end."""
    return len(repr(value)) > 3_000


def refused_value(old: Any, new: Any, values: list[Any]) -> list[Any]:
    """The first value that the new schema refuses, alone in a list; the list is empty where it takes all."""
    judge = Draft202012Validator(new)
    return [each for each in values if not judge.is_valid(each)][:1]


@pytest.fixture(scope="module")
def values() -> dict[type[BaseModel], list[Any]]:
    """Values that each model's schema takes; their members are those that it declares."""
    found: dict[type[BaseModel], list[Any]] = {}
    for model in MODELS:
        schema = tool_schema(model)
        judge = Draft202012Validator(closed(schema))
        found[model] = [
            each for each in tried([schema], 1, 30) if not is_deep(each) and judge.is_valid(each)
        ]
    return found


def closed(schema: Any) -> Any:
    """The schema without members that it does not declare: they stand for no values."""
    made = copy.deepcopy(schema)
    for _, each in everywhere(made):
        if "properties" in each:
            each.setdefault("additionalProperties", False)
    return made


def is_breaking(old: Any, new: Any) -> bool:
    return any(each.is_breaking for each in compare_schemas(old, new))


UNDECIDED = {
    (
        "CreateForm",
        "made_optional",
    ): "a branch of oneOf does not require the constant that tells it apart",
    ("CreateForm", "branch_changed"): "the new branch of oneOf has no constant of that name",
}
"""Changes that count as breaking for want of a proof, with the reason."""

THIN = {"bound_changed", "form_changed", "type_changed", "value_removed"}
"""Kinds of change that few values show: a long text, a deep number."""


class TestByValues:
    @pytest.mark.parametrize("change", KINDS, ids=[each.__name__ for each in KINDS])
    def test_none_that_breaks_is_called_compatible(self, values: Any, change: Change) -> None:
        chance, kind = random.Random(7), change.__name__
        unshown: set[str] = set()
        for model in MODELS:
            old = tool_schema(model)
            for new in changed(old, change, chance, PLACES):
                refused = refused_value(old, new, values[model])
                found = compare_schemas(old, new)
                breaks = any(each.is_breaking for each in found)
                assert found or new == old
                assert breaks or not refused, (model, new, refused)
                if breaks and not refused and kind not in THIN:
                    judge = Draft202012Validator(closed(old))
                    more = [
                        each
                        for each in tried([old], 2, 300)
                        if not is_deep(each) and judge.is_valid(each)
                    ]
                    if not refused_value(old, new, more):
                        unshown.add(model.__name__)
        unproved = {name for name, of in UNDECIDED if of == kind}
        # at more places there are more changes that no made value happens to show
        assert PLACES > 1 or unshown - RARE <= unproved

    @settings(suppress_health_check=list(HealthCheck))
    @given(schemas(), schemas(), st.integers(0, 10**6), st.booleans())
    def test_nor_among_schemas_of_any_shape(
        self, old: Any, other: Any, seed: int, is_changed: bool
    ) -> None:
        new = rearranged(old, random.Random(seed)) if is_changed else other
        old, new = without_nullable(old), without_nullable(new)
        for _, each in everywhere(old):
            each.setdefault(
                "additionalProperties", True
            )  # then members that are not declared count
        if not is_breaking(old, new):
            judge, strict = Draft202012Validator(old), Draft202012Validator(new)
            given_values = [each for each in tried([old, new], seed, 8) if judge.is_valid(each)]
            assert all(map(strict.is_valid, given_values))

    def test_each_schema_is_compatible_with_itself(self) -> None:
        for model in MODELS:
            schema = tool_schema(model)
            described = {**copy.deepcopy(schema), "description": "Said."}
            assert compare_schemas(schema, copy.deepcopy(schema)) == []
            assert [str(each) for each in compare_schemas(schema, described)] == [
                "(root): description: 0 → 2 tokens: compatible"
            ]


RARE = {"SetMenus", "WriteCells"}
"""Models of which few values are made: most do not end, or have names with a pattern."""


def without_nullable(schema: Any) -> Any:
    """The schema without OpenAPI's keyword, which the judge of values does not know."""
    made = copy.deepcopy(schema)
    for _, each in everywhere(made):
        each.pop("nullable", None)
    return made


def rearranged(schema: Any, chance: random.Random) -> Any:
    """The schema with keywords gone, or taken from elsewhere in it."""
    made = copy.deepcopy(schema)
    parts = [each for _, each in everywhere(made)]
    for _ in range(chance.randint(0, 2)):
        part, other = chance.choice(parts), chance.choice(parts)
        for keyword in [*part] if chance.random() < 0.6 else []:
            if keyword != "$defs" and chance.random() < 0.3:
                del part[keyword]
        for keyword in [*other] if part is not other else []:
            if keyword != "$defs" and chance.random() < 0.3:
                part[keyword] = copy.deepcopy(other[keyword])
    return made


TEXT = {"type": "string"}
OPEN = {"type": "object", "properties": {"a": TEXT}}
CLOSED = {**OPEN, "additionalProperties": False}


def member(schema: Any) -> Any:
    return {"type": "object", "properties": {"a": schema}, "additionalProperties": False}


TAGGED = [{"type": "object", "properties": {"kind": {"const": each}}, "required": ["kind"]} for each in "abc"]  # fmt: skip

TREE = {"$ref": "#/$defs/T", "$defs": {"T": {
    "type": "object", "properties": {"name": TEXT, "next": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}},
}}}  # fmt: skip

LATER = copy.deepcopy(TREE)
LATER["$defs"]["T"]["properties"]["name"] = {"type": ["string", "integer"]}

CASES: list[tuple[str, Any, Any, list[str]]] = [
    ("a member is gone", CLOSED, {**CLOSED, "properties": {}}, ["/properties/a: properties: it is gone, and refused: breaking: keep it, with a default"]),
    ("a member of an open object is gone", OPEN, {"type": "object"}, ["/properties/a: properties: it is gone, and ignored: compatible"]),
    ("a new one", OPEN, {**OPEN, "properties": {"a": TEXT, "b": TEXT}}, ["/properties/b: properties: it is new, and optional: compatible"]),
    ("a new one that is required", OPEN, {**OPEN, "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]},
     ["/properties/b: required: a value without it is refused: breaking: give it a default"]),
    ("a new one in a dictionary", {"type": "object", "additionalProperties": {"type": "integer"}}, {**OPEN, "additionalProperties": {"type": "integer"}},
     ["/properties/a: properties: it is new, and optional: breaking: keep it, with a default"]),
    ("it is optional", {**OPEN, "required": ["a"]}, OPEN, ["/properties/a: required: it is optional: compatible"]),
    ("closed", OPEN, CLOSED, ["(root): additionalProperties: absent → False: breaking: ignore other members, as before"]),
    ("opened", CLOSED, OPEN, ["(root): additionalProperties: False → absent: compatible"]),
    ("another type", member({"type": "integer"}), member(TEXT), ["/properties/a: type: 'integer' → 'string': breaking: allow the old values as well"]),
    ("any number", member({"type": "integer"}), member({"type": "number"}), ["/properties/a: type: 'integer' → 'number': compatible"]),
    ("null", member(TEXT), member({"anyOf": [TEXT, {"type": "null"}]}), ["/properties/a/anyOf/1: anyOf: a branch is new: compatible"]),
    ("no null", member({"type": ["string", "null"]}), member(TEXT), ["/properties/a: type: ['string', 'null'] → 'string': breaking: allow the old values as well"]),
    ("a value is gone", member({"enum": ["x", "y"]}), member({"const": "x"}), ["/properties/a: enum: 'y' gone: breaking: keep the values that are gone"]),
    ("a value is new", member({"const": "x"}), member({"enum": ["y", "x"]}), ["/properties/a: enum: 'y' new: compatible"]),
    ("any text", member({"enum": ["x"]}), member({"type": "string", "minLength": 1}), ["/properties/a: enum: ['x'] → absent: compatible", "/properties/a: minLength: absent → 1: compatible", "/properties/a: type: absent → 'string': compatible"]),
    ("both truth values", member({"type": "boolean"}), member({"enum": [True, False]}), ["/properties/a: enum: absent → [True, False]: compatible", "/properties/a: type: 'boolean' → absent: compatible"]),
    ("one truth value", member({"type": "boolean"}), member({"const": 1}), ["/properties/a: enum: absent → [1]: breaking: keep the values that are gone", "/properties/a: type: 'boolean' → absent: compatible"]),
    ("a bound in other words", member({"type": "integer", "exclusiveMinimum": 0}), member({"type": "integer", "minimum": 1}),
     ["/properties/a: exclusiveMinimum: 0 → absent: compatible", "/properties/a: minimum: absent → 1: compatible"]),
    ("a tighter bound", member({"type": "number", "maximum": 2}), member({"type": "number", "exclusiveMaximum": 2}),
     ["/properties/a: exclusiveMaximum: absent → 2: breaking: allow the old values as well", "/properties/a: maximum: 2 → absent: compatible"]),
    ("another pattern", member({**TEXT, "pattern": "^a"}), member({**TEXT, "pattern": "a"}), ["/properties/a: pattern: '^a' → 'a': breaking: allow the old values as well"]),
    ("a pattern that the values have", member({"enum": ["ab"]}), member({**TEXT, "pattern": "^a"}), ["/properties/a: enum: ['ab'] → absent: compatible", "/properties/a: pattern: absent → '^a': compatible", "/properties/a: type: absent → 'string': compatible"]),
    ("a format", member(TEXT), member({**TEXT, "format": "date"}), ["/properties/a: format: absent → 'date': breaking: allow the old values as well"]),
    ("no format", member({**TEXT, "format": "date"}), member(TEXT), ["/properties/a: format: 'date' → absent: compatible"]),
    ("a default", member({**TEXT, "default": "x"}), member({**TEXT, "default": "y"}), ["/properties/a: default: 'x' → 'y': compatible"]),
    ("a description", member({**TEXT, "description": "Who."}), member({**TEXT, "description": "Who it is."}), ["/properties/a: description: 1 → 3 tokens: compatible"]),
    ("other items", {"type": "array", "items": TEXT}, {"type": "array", "items": {"type": "integer"}}, ["/items: type: 'string' → 'integer': breaking: allow the old values as well"]),
    ("a list in place of a tuple", {"type": "array", "prefixItems": [TEXT, TEXT], "items": False}, {"type": "array", "items": TEXT}, ["(root): items: False → {'type': 'string'}: compatible", "/prefixItems/0: type: 'string' → absent: compatible", "/prefixItems/1: type: 'string' → absent: compatible"]),
    ("a branch is gone", {"anyOf": [TEXT, {"type": "integer"}]}, {"anyOf": [TEXT]}, ["/anyOf/1: anyOf: a branch is gone: breaking: keep the branch"]),
    ("a tagged branch is gone", {"oneOf": TAGGED}, {"oneOf": TAGGED[1:]}, ["/oneOf/0: oneOf: a branch is gone: breaking: keep the branch"]),
    ("a tagged branch is new", {"oneOf": TAGGED[:2]}, {"oneOf": TAGGED}, ["/oneOf/2: oneOf: a branch is new: compatible"]),
    ("branches in another order", {"oneOf": TAGGED}, {"oneOf": TAGGED[::-1]}, []),
    ("inside recursion", LATER, TREE, ["/$defs/T/properties/name: type: ['string', 'integer'] → 'string': breaking: allow the old values as well"]),
    ("wider inside recursion", TREE, LATER, ["/$defs/T/properties/name: type: 'string' → ['string', 'integer']: compatible"]),
    ("what is not proved", {"not": {"const": 1}, **CLOSED}, {"not": {"const": 2}, **CLOSED}, ["(root): not: {'const': 1} → {'const': 2}: breaking: allow the old values as well"]),
    ("the same in several parts", {"allOf": [{"type": "object"}, {"properties": {"a": TEXT}}, {"additionalProperties": False}]}, {"type": "object"},
     ["(root): type: absent → 'object': compatible", "/allOf/0: type: 'object' → absent: compatible", "/allOf/1/properties/a: properties: it is gone, and ignored: compatible", "/allOf/2: additionalProperties: False → absent: compatible"]),
]  # fmt: skip
"""Changes, with what is said of them."""


class TestTheReport:
    @looped(("old", "new", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])  # fmt: skip
    def test_names_each_change_and_its_verdict(self, old: Any, new: Any, said: list[str]) -> None:
        assert [str(each) for each in compare_schemas(old, new)] == said

    def test_takes_models_and_definitions_of_tools(self) -> None:
        class Ticket(BaseModel):
            tier: Literal["one", "two"] = "one"

        class Later(BaseModel):
            tier: Literal["one"] = "one"

        said = ["/properties/tier: enum: 'two' gone: breaking: keep the values that are gone"]
        assert [str(each) for each in compare_schemas(Ticket, Later)] == said
        for dialect in ("mcp", "openai", "anthropic"):
            both = [tool_definition(each, dialect=dialect) for each in (Ticket, Later)]
            assert [str(each) for each in compare_schemas(*both)] == said
        with pytest.raises(SchemaError, match="neither a component class"):
            compare_schemas(Ticket, 3)  # type: ignore[arg-type]

    def test_has_the_line_of_the_section_for_events(self) -> None:
        old = {**CLOSED, "properties": {"a": {"enum": [1, 2]}, "what": TEXT, "gone": TEXT}, "required": ["what"]}  # fmt: skip
        new = {**CLOSED, "properties": {"a": {"enum": [1]}, "tried": TEXT, "by": {"type": "integer"}}, "required": ["tried", "by"]}  # fmt: skip
        assert {each.pointer: each.remedy for each in compare_schemas(old, new, event="t.add")} == {
            "/properties/a": "upcasts = {'t.add': function}",
            "/properties/what": "former_fields = {'what': 'tried'}",
            "/properties/gone": "former_fields = {'gone': None}",
            "/properties/tried": "former_fields = {'what': 'tried'}",
            "/properties/by": "upcasts = {'t.add': lambda said: {'by': …, **said}}",
        }


class TestCost:
    def test_is_in_proportion(self) -> None:
        def wide(count: int) -> Any:
            return member({"type": "object", "properties": {f"p{each}": TEXT for each in range(count)}})  # fmt: skip

        def shared(count: int) -> Any:
            defs = {f"D{each}": {"type": "object", "properties": {
                name: {"$ref": f"#/$defs/D{min(each + 1, count)}"} for name in "ab"
            }} for each in range(count + 1)}  # fmt: skip
            return {"$ref": "#/$defs/D0", "$defs": defs}

        def nested_unions(count: int) -> Any:
            defs: dict[str, Any] = {f"U{each}": {"minLength": 1, "anyOf": [{"$ref": f"#/$defs/U{each + 1}"}] * 2} for each in range(count)}  # fmt: skip
            return {"$ref": "#/$defs/U0", "$defs": {**defs, f"U{count}": TEXT}}

        for make in (wide, shared):
            assert growth(lambda count, make=make: compare_schemas(make(count), {**make(count), "description": "x"}), 10, 80) <= IN_PROPORTION  # fmt: skip
        assert growth(lambda count: compare_schemas(TEXT, nested_unions(count)), 8, 64) <= IN_PROPORTION  # fmt: skip
        assert is_breaking(nested_unions(64), {**TEXT, "minLength": 2})
        with pytest.raises(SchemaError, match="too deep to be compared"):
            compare_schemas(shared(1_000), {**shared(1_000), "description": "x"})

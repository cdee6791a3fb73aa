"""Changes of schemas, judged by values: what the old schema takes is tried on the new one."""

from __future__ import annotations

import copy
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field

from tests.growth import IN_PROPORTION, growth
from tests.ujsx.schema.public import VALUES, FileNode
from tests.ujsx.schema.raw import part_at, schemas, tried
from ujsx import SchemaError
from ujsx.schema import compare_schemas, tool_definition, tool_schema
from ujsx.schema._keywords import everywhere, is_object

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
    elif is_object(part.get("additionalProperties")):
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
        found[model] = [each
            for each in tried([schema], 1, 80)
            if not is_deep(each) and judge.is_valid(each)]
    return found


def closed(schema: Any) -> Any:
    """The schema without members that it does not declare: they stand for no values."""
    made = copy.deepcopy(schema)
    for _, each in everywhere(made):
        if "properties" in each:
            each.setdefault("additionalProperties", False)
    return made


NOT_PROVED = 0
"""Of a hundred changes that no value is found against, how many count as breaking."""


class TestByValues:
    def test_none_is_called_compatible_that_breaks(self, values: Any) -> None:
        chance, found = random.Random(7), Counter[tuple[str, bool, bool]]()
        for model in MODELS:
            old = tool_schema(model)
            for change in KINDS:
                for new in changed(old, change, chance, PLACES):
                    refused = refused_value(old, new, values[model])
                    breaks = any(each.is_breaking for each in compare_schemas(old, new))
                    assert breaks or not refused, (model, change.__name__, new, refused)
                    found[change.__name__, breaks, bool(refused)] += 1
        print(*sorted(found.items()), sep="\n")

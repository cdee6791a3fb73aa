"""Dialects held against values: whatever the schema takes and its result does not is named, and the other way round.

A loss counts at its place alone: the schema is changed as the losses say, and then has to agree.
``make laws N=500`` tries 2,000 schemas in every dialect.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.ids import looped
from tests.ujsx.schema.keywords import with_all_required
from tests.ujsx.schema.raw import as_json_schema, narrower, part_at, schemas, sent, tried, wider
from ujsx import SchemaError
from ujsx.schema import DIALECTS, Loss, from_dialect, lint, to_dialect

WILD: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "wild.json").read_text(encoding="utf-8")
)
"""Parameters of tools in the shapes that generators and people write, none of them from the strategy."""

NOT_TAKEN: dict[str, str] = {
    "keys with a pattern": "openai-strict anthropic-strict gemini gemini-json open-engines",
}
"""The dialects that refuse one: for dictionaries whose names have several patterns."""


def taken(schema: Any, dialect: str) -> tuple[Any, list[Loss]] | None:
    """The schema in a dialect, with what that loses; ``None`` where it is refused, with a reason and a place."""
    losses = lint(schema, dialect)
    for loss in losses:
        part_at(schema, loss.pointer)
        assert loss.reason
    try:
        said = to_dialect(schema, dialect)
    except SchemaError as error:
        told = str(error)
    else:
        assert to_dialect(said, dialect) == said
        return said, losses
    refused = [loss for loss in losses if loss.outcome == "refused"]
    assert told.startswith(f"#{refused[0].pointer}: {refused[0].reason}")
    return None


def check(schema: Any, dialect: str, seed: int, count: int) -> int:
    """Check that the losses name each difference, and return how many values showed one."""
    result = taken(schema, dialect)
    if result is None:
        return 0
    said, losses = result
    if "as_json" in str(said):  # held by the models of test_public.py, which are read back
        return 0
    source, target = (Draft202012Validator(as_json_schema(each)) for each in (schema, said))
    may_lack, may_have = (
        Draft202012Validator(as_json_schema(change(schema, losses, dialect)))
        for change in (narrower, wider)
    )
    differences = 0
    read = with_all_required(schema)  # so that nulls stay
    for each in tried([schema, said], seed, count):
        try:
            value = from_dialect(each, read)
        except SchemaError:
            if isinstance(each, dict):  # a key that entries have twice
                continue
            value = each
        wrapped = (True, False) if "as_entries" in str(said) else (False,)
        ways = [(listed, wraps) for listed in (True, False, None) for wraps in wrapped]
        sayings = [sent(value, schema, schema, entries=one, wraps=two) for one, two in ways]
        sayings += [each, value]
        if [*said.get("properties", {})] == ["root"] and "root" not in schema.get("properties", {}):
            inside = {"anyOf": [schema]}
            sayings = [
                {"root": sent(value, inside, schema, entries=one, wraps=two)} for one, two in ways
            ]
        before = source.is_valid(value)
        after = any(map(target.is_valid, sayings))
        differences += before != after
        if before and not after:
            assert not may_lack.is_valid(value), ("a narrowing is not named", value, said, losses)
        if after and not before:
            assert may_have.is_valid(value), ("a widening is not named", value, said, losses)
    return differences


class TestAnySchema:
    @settings(
        max_examples=4 * settings().max_examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    )
    @given(schema=schemas(), seed=st.integers(0, 999))
    def test_takes_the_same_values_or_lint_names_the_difference(
        self, schema: Any, seed: int
    ) -> None:
        Draft202012Validator.check_schema(schema)
        for dialect in DIALECTS:
            check(schema, dialect, seed, 8)


@pytest.mark.parametrize("case", WILD, ids=[each["like"] for each in WILD])
class TestSchemasOfServers:
    def test_take_the_same_values_or_lint_names_the_difference(self, case: dict[str, Any]) -> None:
        for dialect in DIALECTS:
            check(case["schema"], dialect, 7, 15)

    def test_are_taken_by_every_dialect_that_can_say_them(self, case: dict[str, Any]) -> None:
        refused = [each for each in DIALECTS if taken(case["schema"], each) is None]
        assert refused == NOT_TAKEN.get(case["like"], "").split()


class TestWhatIsChecked:
    """The check finds what it looks for."""

    SCHEMA: Any = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 2},
            "b": {"type": "string", "minLength": 2},
        },
        "required": ["a", "b"],
    }

    def losses(self) -> list[Loss]:
        return [each for each in lint(self.SCHEMA, "gemini-json") if each.outcome != "missing"]

    def test_values_differ(self) -> None:
        assert [each.keyword for each in self.losses()] == [
            "additionalProperties",
            "minLength",
            "minLength",
        ]
        assert check(self.SCHEMA, "gemini-json", 1, 30) > 5

    @looped(
        ("value", "named"),
        [({"a": "x", "b": "xy"}, "/properties/a"), ({"a": "xy", "b": "x"}, "/properties/b")],
    )
    def test_a_loss_excuses_its_own_place(self, value: Any, named: str) -> None:
        for loss in self.losses()[1:]:
            changed = Draft202012Validator(wider(self.SCHEMA, [loss], "gemini-json"))
            assert changed.is_valid(value) is (loss.pointer == named)

    def test_a_loss_excuses_its_own_keyword(self) -> None:
        closed, *lengths = self.losses()
        value = {"a": "xy", "b": "xy", "c": 1}
        for losses, is_taken in (([closed], False), (lengths, True)):
            changed = Draft202012Validator(narrower(self.SCHEMA, losses, "gemini-json"))
            assert changed.is_valid(value) is is_taken


class TestNullInAListOfTypes:
    """The object may be null wherever the schema says so, and keeps what is said of it."""

    @looped("dialect", DIALECTS)
    @looped(
        "inner",
        [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
            {"properties": {"a": {"type": ["object", "null"], "properties": {"b": {"type": "null"}}}}},
        ],
    )  # fmt: skip
    def test_null_stays(self, dialect: str, inner: Any) -> None:
        given = {
            "type": "object",
            "properties": {"x": {"type": ["object", "null"], "description": "It.", **inner}},
            "required": ["x"],
        }
        said = to_dialect(given, dialect)
        judge = Draft202012Validator(as_json_schema(said))
        assert judge.is_valid({"x": None})
        assert not judge.is_valid({"x": "text"})
        assert not judge.is_valid({"x": {"a": 3}})
        assert said["properties"]["x"]["description"] == "It."


class TestKeywordsInAnIntersection:
    @looped("dialect", DIALECTS)
    def test_are_lost_where_they_are_given(self, dialect: str) -> None:
        names = {"propertyNames": {"pattern": "^a"}, "additionalProperties": {"type": "string"}}
        inner = {"allOf": [names, {"type": "object"}]}
        assert taken({"type": "object", "properties": {"x": inner}}, dialect)


class TestRootWithoutAType:
    @looped("dialect", [each for each in DIALECTS if each != "json-schema"])
    @looped("given", [{"properties": {"a": {"type": "string"}}}, {}])
    def test_is_an_object_in_every_dialect(self, dialect: str, given: Any) -> None:
        assert to_dialect(given, dialect)["type"] == "object"
        assert ("", "type") in [(each.pointer, each.keyword) for each in lint(given, dialect)]

    def test_is_an_object_of_the_value_everywhere_if_it_takes_no_object(self) -> None:
        for dialect in DIALECTS:
            for root in ({"type": "string"}, {"type": ["string", "null"]}, {"enum": ["a", 1]}):
                if dialect != "json-schema":
                    assert [*to_dialect(root, dialect)["properties"]] == ["root"]
                    check(root, dialect, 7, 15)


class TestKnownFaultsOfOthers:
    """Shapes that other converters got wrong, and ours did not."""

    def test_no_word_that_gemini_does_not_know_is_left(self) -> None:
        said = to_dialect(
            {
                "type": "object",
                "properties": {
                    "page": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                    "edit": {
                        "oneOf": [
                            {
                                "type": "object",
                                "properties": {"do": {"const": word}, "n": {"type": ["integer", "null"]}},
                                "required": ["do"],
                            }
                            for word in ("insert", "delete")
                        ]
                    },
                },
                "required": ["edit"],
            },
            "gemini",
        )  # fmt: skip
        text = json.dumps(said)
        assert not [each for each in ('"const"', '"oneOf"', '"type": [') if each in text]

    def test_numbers_are_not_listed_for_gemini(self) -> None:
        given = {
            "type": "object",
            "properties": {
                "speed": {"anyOf": [{"const": 10}, {"const": 20}]},
                "gear": {"enum": [1, 2, 3]},
            },
        }
        said = to_dialect(given, "gemini")
        assert '"enum"' not in json.dumps(said)
        assert said["properties"]["gear"]["description"] == "one of 1, 2, 3"

    def test_nothing_stands_beside_a_reference_for_openai(self) -> None:
        given = {
            "type": "object",
            "properties": {
                "scope": {"$ref": "#/$defs/Scope", "default": "all", "title": "Scope", "description": "What."}
            },
            "$defs": {"Scope": {"type": "string", "enum": ["all", "mine"]}},
        }  # fmt: skip
        branches = to_dialect(given, "openai-strict")["properties"]["scope"]["anyOf"]
        assert branches == [{"$ref": "#/$defs/Scope"}, {"type": "null"}]


class TestGrowth:
    def test_references_that_double_are_refused_before_they_fill_the_memory(self) -> None:
        levels = 40
        defs: dict[str, Any] = {
            f"D{levels}": {"type": "object", "properties": {"z": {"type": "null"}}}
        }
        for level in range(levels):
            below = {"allOf": [{"$ref": f"#/$defs/D{level + 1}"}, {"description": "It."}]}
            defs[f"D{level}"] = {"type": "object", "properties": {"a": below, "b": below}}
        given = {"type": "object", "properties": {"x": {"$ref": "#/$defs/D0"}}, "$defs": defs}
        with pytest.raises(SchemaError, match=r"over 10,000 parts; use fewer references"):
            to_dialect(given, "openai-strict")

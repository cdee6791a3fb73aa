"""``from_dialect``: null for what a model leaves out."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from pydantic import BaseModel, ConfigDict

from tests.ids import looped
from tests.ujsx.schema.models import Aliased, Boxes, Enums, Node, Optionals, Pets, Shapes, Tuples
from tests.ujsx.schema.values import json_values
from ujsx import SchemaError
from ujsx.schema import from_dialect, to_dialect


class Number(BaseModel):
    model_config = ConfigDict(extra="forbid")

    x: int = 1


class Maybe(BaseModel):
    model_config = ConfigDict(extra="forbid")

    x: int | None = 2
    y: int = 3


class Kind(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["kind"] = "kind"
    z: int = 4


class Either(BaseModel):
    """Branches that null means different things to."""

    item: Number | Kind | Maybe


CASES: list[tuple[Any, Any, Any]] = [
    (Optionals, {"text": None, "made": None}, {}),
    (Optionals, {"nothing": None, "both": None, "needed": None}, "the same"),
    (Optionals, {"unknown": None, "text": 3}, "the same"),
    (Enums, {"colour": None, "priority": None}, {"colour": None}),
    (Node, {"name": "a", "left": None, "rest": None}, {"name": "a", "left": None}),
    (
        Node,
        {"name": "a", "left": {"name": "b", "rest": None}, "rest": [{"name": "c", "rest": None}]},
        {"name": "a", "left": {"name": "b"}, "rest": [{"name": "c"}]},
    ),
    (
        Pets,
        {"pet": {"kind": "dog", "colour": None}, "others": [{"kind": "cat", "lives": None}]},
        {"pet": {"kind": "dog"}, "others": [{"kind": "cat"}]},
    ),
    (Pets, {"pet": {"kind": "cow", "colour": None}}, "the same"),
    (Shapes, {"where": {"kind": "cat", "lives": None}}, {"where": {"kind": "cat"}}),
    (Shapes, {"size": "", "where": {"kind": None, "lives": None}}, {"size": "", "where": {}}),
    (Shapes, {"where": {"kind": None, "nine": None}}, "the same"),
    (Shapes, {"where": [1, None]}, "the same"),
    (Pets, {"pet": {"kind": None, "lives": None}}, "the same"),
    (Either, {"item": {"x": None}}, "the same"),
    (Either, {"item": {"x": None, "y": None}}, {"item": {"x": None}}),
    (Either, {"item": {"kind": None, "z": None}}, {"item": {}}),
    (Boxes, {"nested": {"item": {"item": None}}}, "the same"),
    (Tuples, {"pair": [1, None], "words": None}, {"pair": [1, None]}),
    (Aliased, {"outer-name": None, "old": None}, {"outer-name": None}),
    (
        {"properties": {"a": {"prefixItems": [{"properties": {"b": {"type": "integer"}}}]}}},
        {"a": [{"b": None}, {"b": None}]},
        {"a": [{}, {"b": None}]},
    ),
    (
        {"additionalProperties": {"properties": {"b": {"type": "integer"}}}},
        {"any": {"b": None}},
        {"any": {}},
    ),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, {"a": None}, "the same"),
    ({"properties": {"a": {"$ref": "#/$defs/X"}}}, {"a": None}, {}),
]  # fmt: skip


class TestJsonText:
    @looped("dialect", ["openai-strict", "anthropic-strict", "gemini", "gemini-json"])
    @looped(
        "part",
        [
            True,
            {},
            {"required": ["a"]},
            {"allOf": [True, {}]},
            {"anyOf": [False, True]},
            {"oneOf": [{"type": "integer"}, True]},
        ],
    )
    def test_is_read_where_a_dialect_asks_for_it(self, part: Any, dialect: str) -> None:
        schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
        value = {"a": [1, {"b": None}]}
        assert "as_json" in json.dumps(to_dialect(schema, dialect))
        assert from_dialect({"x": {"as_json": json.dumps(value)}}, schema) == {"x": value}


class TestWithoutNulls:
    @looped(("model", "arguments", "expected"), CASES)
    def test_a_null_goes_where_it_stands_for_leaving_out(
        self, model: Any, arguments: Any, expected: Any
    ) -> None:
        kept = repr(arguments)
        cleaned = from_dialect(arguments, model)
        assert cleaned == (arguments if expected == "the same" else expected)
        assert repr(arguments) == kept

    @looped("arguments", [None, 3, [], [{"text": None}], Optionals])
    def test_what_is_no_object_is_refused(self, arguments: Any) -> None:
        with pytest.raises(SchemaError, match=r"are an object, not .*; they come first, then the"):
            from_dialect(arguments, Optionals)

    @looped("text", ['{"text": null}', b"{}"])
    def test_json_text_is_told_from_an_object(self, text: Any) -> None:
        with pytest.raises(SchemaError, match=r"; json\.loads them first$"):
            from_dialect(text, Optionals)

    def test_what_is_nested_without_end_is_no_problem(self) -> None:
        arguments: dict[str, Any] = {"name": "a", "rest": None}
        for _ in range(5_000):
            arguments = {"name": "a", "left": arguments}
        cleaned = from_dialect(arguments, Node)
        assert cleaned["left"]["left"]["name"] == "a"

    @given(arguments=json_values())
    def test_any_data_is_no_problem(self, arguments: Any) -> None:
        for model in (Node, Pets, Shapes):
            cleaned = from_dialect({"value": arguments}, model)
            assert from_dialect(cleaned, model) == cleaned

    def test_what_is_no_model_is_refused(self) -> None:
        with pytest.raises(SchemaError, match="is neither a component class"):
            from_dialect({}, int)  # type: ignore[arg-type]

"""Limits: what is too much for one schema, and for a request."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.ids import looped
from ujsx import SchemaError
from ujsx.schema import check_request, lint, to_dialect, tool_definition, tool_schema


def flat(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def nested(levels: int) -> Any:
    return flat(a=nested(levels - 1)) if levels else {"type": "null"}


def many(count: int, schema: dict[str, Any]) -> dict[str, Any]:
    return flat(**{f"p{number}": schema for number in range(count)})


TEXT = {"type": "string"}
UNION = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
WORDS = {"enum": [f"w{number}" for number in range(1_001)]}

CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("openai-strict", "10 objects inside each other", nested(10), nested(11)),
    ("openai-strict", "5,000 properties", many(5_000, TEXT), many(5_001, TEXT)),
    ("openai-strict", "1,000 values in enums", flat(a={"enum": WORDS["enum"][1:]}), flat(a=WORDS)),
    (
        "openai-strict",
        "120,000 characters of names and values",
        flat(**{"x" * 120_000: TEXT}),
        flat(**{"x" * 120_001: TEXT}),
    ),
    ("anthropic-strict", "24 optional properties in a request", many(24, TEXT), many(25, TEXT)),
    (
        "openai-strict",
        "15,000 characters in an enum of over 250 values",
        flat(a={"enum": [f"{number:060}" for number in range(250)]}),
        flat(a={"enum": [f"{number:060}" for number in range(251)]}),
    ),
    (
        "anthropic-strict",
        "16 properties in a request that are unions",
        many(16, UNION),
        many(17, UNION),
    ),
]


class TestOneSchema:
    @pytest.mark.parametrize(("dialect", "limit", "fits", "exceeds"), CASES)
    def test_may_be_as_large_as_the_limit(
        self, dialect: str, limit: str, fits: dict[str, Any], exceeds: dict[str, Any]
    ) -> None:
        assert to_dialect(fits, dialect)["type"] == "object"
        with pytest.raises(SchemaError, match=f"^#: {dialect} takes at most {limit}$"):
            to_dialect(exceeds, dialect)
        assert [each.outcome for each in lint(exceeds, dialect)].count("refused") == 1

    @looped("dialect", ["anthropic", "anthropic-strict"])
    @looped("name", ["filter[id]", "user name", "$top", "x" * 65, "ä", ""])
    def test_has_names_that_the_provider_takes(self, dialect: str, name: str) -> None:
        for schema in (
            flat(**{name: TEXT}),
            flat(a={"type": "array", "items": flat(**{name: TEXT})}),
        ):
            with pytest.raises(SchemaError, match=r"names of properties that match \[a-zA-Z0-9_"):
                to_dialect(schema, dialect)
            assert [each.outcome for each in lint(schema, dialect)].count("refused") == 1
        assert to_dialect(flat(**{"a.b-c_D9": TEXT}), dialect)
        assert to_dialect(flat(**{name: TEXT}), "openai")

    def test_is_counted_without_what_stands_behind_a_reference(self) -> None:
        schema = flat(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": many(25, TEXT)}}
        assert to_dialect(schema, "anthropic-strict")["$defs"]["A"]["type"] == "object"

    def test_that_doubles_with_each_reference_is_refused_before_it_is_written_out(self) -> None:
        defs = {
            f"D{level}": flat(
                a={"$ref": f"#/$defs/D{level + 1}"}, b={"$ref": f"#/$defs/D{level + 1}"}
            )
            for level in range(40)
        } | {"D40": TEXT}
        with pytest.raises(SchemaError, match="written out, it has over 10,000 parts"):
            to_dialect(flat(a={"$ref": "#/$defs/D0"}) | {"$defs": defs}, "gemini")


class TestCheckRequest:
    def test_counts_the_tools(self) -> None:
        check_request([many(1, TEXT) | {"required": ["p0"]}] * 20, "anthropic-strict")
        with pytest.raises(SchemaError, match=r"takes at most 20 tools in a request, not 21$"):
            check_request([{}] * 21, "anthropic-strict")

    def test_counts_what_all_of_them_have(self) -> None:
        check_request([many(12, TEXT)] * 2, "anthropic-strict")
        with pytest.raises(SchemaError, match=r"takes at most 24 optional .*, not 36$"):
            check_request([many(12, TEXT)] * 3, "anthropic-strict")

    def test_leaves_dialects_without_limits_alone(self) -> None:
        check_request([many(100, UNION)] * 100, "openai")

    def test_names_the_nearest_dialect(self) -> None:
        with pytest.raises(SchemaError, match='did you mean "gemini"'):
            check_request([], "gemni")


@looped("dialect", ["openai-strict", "anthropic-strict", "anthropic", "gemini", "mcp"])
def test_of_a_definition_its_parameters_are_looked_at(dialect: str) -> None:
    class Ask(BaseModel):
        """Ask for something."""

        word: str = Field(description="What.", pattern="^a")
        many: int | None = Field(None, description="How many.")

    definition = tool_definition(Ask, dialect=dialect)
    assert lint(definition, dialect) == lint(tool_schema(Ask, dialect=dialect), dialect)


def test_definitions_that_are_too_many_are_refused_as_their_schemas_are() -> None:
    class Wide(BaseModel):
        a: int | None = None
        b: int | None = None

    definitions = [
        tool_definition(Wide, dialect="anthropic-strict", name=f"w{n}") for n in range(15)
    ]
    with pytest.raises(SchemaError, match="optional"):
        check_request(definitions, "anthropic-strict")

"""Schemas in a dialect, case by case: what is said, what is refused, what becomes of the rest."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from tests.ids import looped
from tests.ujsx.schema.keywords import KNOWN
from ujsx import SchemaError
from ujsx.components import DocumentedModel
from ujsx.elements import Link
from ujsx.schema import DIALECTS, Loss, lint, to_dialect, tool_definition

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases.json").read_text(encoding="utf-8")
)


def deep(levels: int) -> dict[str, Any]:
    """Lists inside each other, at the bottom a text."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return {"type": "object", "properties": {"a": schema}}


@looped("case", CASES, ids=lambda case: f"{case['name']} {case['dialect']}")
def test_a_schema_is_said_or_refused_with_an_account_and_stays_as_it_was(
    case: dict[str, Any],
) -> None:
    given = copy.deepcopy(case["given"])
    losses = [
        f"{loss.pointer} {loss.keyword} {loss.outcome}"
        for loss in lint(given, case["dialect"])
        if loss.outcome != "missing"
    ]
    assert losses == case["losses"]
    if "refused" in case:
        with pytest.raises(SchemaError, match=f"^{re.escape(case['refused'])}$"):
            to_dialect(given, case["dialect"])
    else:
        assert json.dumps(to_dialect(given, case["dialect"])) == json.dumps(case["said"])
    assert given == case["given"]


class TestTable:
    def test_every_keyword_is_in_a_case(self) -> None:
        given = json.dumps([case["given"] for case in CASES])
        assert KNOWN
        assert [keyword for keyword in KNOWN if f'"{keyword}":' not in given] == []

    def test_names_the_nearest_dialect(self) -> None:
        for convert in (to_dialect, lint):
            with pytest.raises(
                SchemaError, match='"opena" is not a dialect; did you mean "openai"'
            ):
                convert({"type": "object"}, "opena")

    def test_takes_models_and_nothing_else(self) -> None:
        assert to_dialect(Link, "mcp")["required"] == ["url"]
        with pytest.raises(
            SchemaError, match="3 is neither a component class nor a Pydantic model"
        ):
            to_dialect(3, "mcp")  # type: ignore[arg-type]

    def test_a_deep_schema_is_no_problem(self) -> None:
        for dialect in DIALECTS:
            assert to_dialect(deep(60), dialect)["type"] == "object"


class TestLint:
    def test_lists_properties_without_a_description(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "a/b": {"type": "string"},
                "said": {"type": "string", "description": "So."},
                "ref": {"$ref": "#/$defs/Known"},
                "tag": {"const": "x"},
                "inner": {"type": "array", "items": {"properties": {"c": {"type": "null"}}}},
            },
            "$defs": {"Known": {"type": "null", "description": "It is known."}},
        }
        schema["$defs"]["Of/us"] = {"type": "object", "properties": {"d": {"type": "null"}}}
        why = 'a model has only its name to go by; add a "description" to'
        assert lint(schema, "json-schema") == [
            Loss(pointer, "description", None, "missing", f"{why} {said}, at #{pointer}")
            for pointer, said in {
                "/properties/a~1b": "a/b",
                "/properties/inner": "inner",
                "/$defs/Of~1us/properties/d": "d of Of/us",
                "/properties/inner/items/properties/c": "c",
            }.items()
        ]

    @looped("said", ["", " ", ".", "…"])
    def test_takes_no_dot_for_a_description(self, said: str) -> None:
        schema: Any = {"type": "object", "properties": {"a": {"type": "null", "description": said}}}
        assert [loss.outcome for loss in lint(schema, "json-schema")] == ["missing"]

    def test_lists_a_class_without_a_docstring(self) -> None:
        bare: Any = type(Link)("Bare", (Link,), {"__module__": __name__, "__doc__": None})
        assert [str(loss) for loss in lint(bare, "mcp")] == [
            "(root): description missing: a model has only its name to go by; give the class a docstring"
        ]

    def test_says_where_a_description_is_written(self) -> None:
        class Plain(BaseModel):
            """A model of Pydantic's."""

            size: int

        class Documented(DocumentedModel):
            """One of ours."""

            size: int

        class OfPydantics(Plain):
            """One whose docstrings Pydantic reads."""

            model_config = ConfigDict(use_attribute_docstrings=True)
            size: int

        said = {each: lint(each, "mcp")[0].reason for each in (Plain, Documented, OfPydantics)}
        assert "Field(description=…); a docstring below the field counts in a Doc" in said[Plain]
        below = "; write it below the field, as a docstring, or as Field(description=…)"
        assert said[Documented].endswith(below)
        assert said[OfPydantics].endswith(below)

    def test_has_each_loss_once_however_often_a_definition_is_written_out(self) -> None:
        schema = {
            "type": "object",
            "properties": {name: {"$ref": "#/$defs/X"} for name in "abc"},
            "$defs": {"X": {"type": "integer", "multipleOf": 2, "description": "Even."}},
        }
        assert [(loss.pointer, loss.keyword) for loss in lint(schema, "gemini")] == [
            ("/$defs/X", "multipleOf")
        ]


class TestNames:
    @looped(
        ("dialect", "name"),
        [
            ("openai", "notes.add"),
            ("openai-strict", "x" * 65),
            ("anthropic", "é"),
            ("anthropic-strict", ""),
            ("gemini", "1st"),
            ("mcp", "a b"),
        ],
    )
    def test_that_a_provider_does_not_take_are_refused(self, dialect: str, name: str) -> None:
        with pytest.raises(
            SchemaError, match=f'^"{name}" is not a valid name for a tool in {dialect}; '
        ):
            tool_definition(Link, dialect=dialect, name=name)

    def test_may_have_dots_where_the_provider_takes_them(self) -> None:
        for dialect in ("mcp", "gemini", "json-schema"):
            assert tool_definition(Link, dialect=dialect, name="a.b")["name"] == "a.b"

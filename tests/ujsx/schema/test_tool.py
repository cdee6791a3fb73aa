"""Components as tools: schemas and definitions."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests.ids import looped, stable
from tests.ujsx.schema.models import Box
from ujsx import Child, Children, Component, RenderContext, SchemaError, component, render
from ujsx.elements import Paragraph, Section, ThematicBreak
from ujsx.schema import DIALECTS, from_dialect, tool_definition, tool_schema


class Author(BaseModel, frozen=True):
    """Who wrote it."""

    name: str
    """What they are called."""


class RecordDecision(Component):
    """Record a decision.

    It stays until it is replaced.
    """

    zeta: str = Field(description="The first prop, last in the alphabet.")
    title: str
    """A property that is called title."""

    description: str = "none"
    """A property that is called description."""

    kind: Literal["title", "other"] = "title"
    """A value that is called title."""

    author: Author | None = None
    """Who."""

    others: tuple[Author, ...] = Field(default=(), examples=[[{"title": "x"}]])
    """Who else."""


@component
def Badge(ctx: RenderContext, children: Children, *, label: str) -> Child:
    """A label."""
    return label


class TestToolSchema:
    def test_is_the_schema_of_the_props(self) -> None:
        assert tool_schema(Section) == {
            "additionalProperties": False,
            "properties": {
                "title": {
                    "description": "The heading's text; line breaks in it become spaces.",
                    "type": "string",
                }
            },
            "required": ["title"],
            "type": "object",
        }

    def test_has_no_titles(self) -> None:
        def titles(schema: Any, inside: str = "") -> list[Any]:
            if isinstance(schema, list):
                return [each for item in schema for each in titles(item)]
            if not isinstance(schema, dict):
                return []
            own = (
                [schema["title"]]
                if "title" in schema and inside not in {"properties", "examples"}
                else []
            )
            return own + [each for key, value in schema.items() for each in titles(value, key)]

        schema = tool_schema(RecordDecision)
        del schema["properties"]["others"]["examples"]
        assert titles(schema) == []

    def test_keeps_a_property_that_is_called_title(self) -> None:
        properties = tool_schema(RecordDecision)["properties"]
        assert properties["title"] == {
            "description": "A property that is called title.",
            "type": "string",
        }
        assert properties["description"]["default"] == "none"

    def test_keeps_data_that_is_called_title(self) -> None:
        properties = tool_schema(RecordDecision)["properties"]
        assert properties["kind"]["enum"] == ["title", "other"]
        assert properties["others"]["examples"] == [[{"title": "x"}]]

    def test_keeps_a_default_that_is_called_title(self) -> None:
        class Titled(BaseModel):
            options: dict[str, str] = {"title": "x"}

        assert tool_schema(Titled)["properties"]["options"]["default"] == {"title": "x"}

    def test_has_the_props_in_the_order_of_their_declaration(self) -> None:
        schema = tool_schema(RecordDecision)
        assert list(schema["properties"]) == list(RecordDecision.model_fields)
        assert schema["required"] == ["zeta", "title"]

    def test_is_the_same_text_every_time(self) -> None:
        assert json.dumps(tool_schema(RecordDecision)) == json.dumps(tool_schema(RecordDecision))

    def test_has_every_description_but_the_tools_own(self) -> None:
        schema = tool_schema(RecordDecision)
        assert "description" not in schema
        assert all(each["description"] for each in schema["properties"].values())

    def test_has_the_descriptions_of_models_in_it(self) -> None:
        author = tool_schema(RecordDecision)["$defs"]["Author"]
        assert author["description"] == "Who wrote it."

    def test_can_be_changed_by_its_owner_alone(self) -> None:
        tool_schema(Section)["properties"].clear()
        assert tool_schema(Section)["properties"]

    def test_is_made_of_component_functions_and_of_other_models_too(self) -> None:
        assert tool_schema(Badge)["required"] == ["label"]
        assert tool_schema(Author)["required"] == ["name"]

    @looped("thing", [3, "Sectoin", None, dict, Paragraph(), lambda: None], ids=stable)
    def test_of_anything_else_is_an_error(self, thing: Any) -> None:
        with pytest.raises(SchemaError, match="is neither a component class nor a Pydantic model"):
            tool_schema(thing)

    @looped("dialect", DIALECTS)
    def test_is_made_in_each_dialect(self, dialect: str) -> None:
        assert tool_schema(Section, dialect=dialect)["properties"]["title"]["type"] == "string"

    def test_of_an_unknown_dialect_is_an_error_with_the_nearest(self) -> None:
        with pytest.raises(
            SchemaError, match='"antropic" is not a dialect; did you mean "anthropic"'
        ):
            tool_schema(Section, dialect="antropic")


PARAMETERS = tool_schema(RecordDecision)
DESCRIPTION = "Record a decision.\n\nIt stays until it is replaced."

DEFINITIONS: dict[str, dict[str, Any]] = {
    "json-schema": {
        "name": "record_decision", "description": DESCRIPTION, "parameters": PARAMETERS,
    },
    "openai": {
        "type": "function",
        "function": {
            "name": "record_decision", "description": DESCRIPTION, "parameters": PARAMETERS,
        },
    },
    "anthropic": {
        "name": "record_decision", "description": DESCRIPTION, "input_schema": PARAMETERS,
    },
    "mcp": {
        "name": "record_decision", "description": DESCRIPTION, "inputSchema": PARAMETERS,
    },
    "openai-strict": {
        "type": "function",
        "function": {
            "name": "record_decision", "description": DESCRIPTION, "strict": True,
            "parameters": tool_schema(RecordDecision, dialect="openai-strict"),
        },
    },
    "anthropic-strict": {
        "name": "record_decision", "description": DESCRIPTION, "strict": True,
        "input_schema": tool_schema(RecordDecision, dialect="anthropic-strict"),
    },
    "gemini": {
        "name": "record_decision", "description": DESCRIPTION,
        "parameters": tool_schema(RecordDecision, dialect="gemini"),
    },
}  # fmt: skip


class TestToolDefinition:
    def test_without_a_dialect_it_is_plain_json_schema(self) -> None:
        assert tool_definition(Box) == tool_definition(Box, dialect="json-schema")
        assert tool_definition(Box)["parameters"] == tool_schema(Box)

    @looped("dialect", DEFINITIONS)
    def test_has_the_shape_of_its_provider(self, dialect: str) -> None:
        assert tool_definition(RecordDecision, dialect=dialect) == DEFINITIONS[dialect]

    @looped("dialect", DIALECTS)
    def test_is_json(self, dialect: str) -> None:
        definition = tool_definition(RecordDecision, dialect=dialect)
        assert json.loads(json.dumps(definition)) == definition

    def test_takes_a_name(self) -> None:
        assert tool_definition(Section, dialect="mcp", name="part")["name"] == "part"

    @looped(
        ("name", "expected"),
        [
            ("Section", "section"),
            ("CodeBlock", "code_block"),
            ("HTMLPart", "html_part"),
            ("Utf8Text", "utf8_text"),
            ("A", "a"),
        ],
    )
    def test_is_named_in_snake_case(self, name: str, expected: str) -> None:
        cls: Any = type(Component)(name, (Component,), {"__module__": __name__})
        assert tool_definition(cls, dialect="mcp")["name"] == expected

    def test_of_a_class_without_a_docstring_has_no_other_ones(self) -> None:
        class Bare(Component):
            label: str

        assert tool_definition(Bare, dialect="mcp")["description"] == ""

    def test_of_an_unknown_dialect_is_an_error(self) -> None:
        with pytest.raises(SchemaError, match="known: "):
            tool_definition(Section, dialect="zzz")

    def test_for_gemini_has_no_parameters_where_there_are_none(self) -> None:
        assert tool_definition(ThematicBreak, dialect="gemini") == {
            "name": "thematic_break",
            "description": "A rule between parts.",
        }

    def test_of_a_generic_model_has_a_name_that_providers_take(self) -> None:
        assert tool_definition(Box[int], dialect="mcp")["name"] == "box_int"
        assert tool_definition(Box[int], dialect="openai")["function"]["name"] == "box_int"


class TestCall:
    """A call's arguments make the component, and its rendering answers the call."""

    def test_is_answered_by_the_rendering(self) -> None:
        arguments = {"zeta": "z", "title": "t", "kind": "other", "author": {"name": "Ada"}}
        assert RecordDecision(**arguments).author == Author(name="Ada")
        assert render(Badge(label="new")) == "new\n"

    def test_in_a_strict_dialect_has_nulls_that_are_defaults(self) -> None:
        strict = tool_schema(RecordDecision, dialect="openai-strict")
        arguments = dict.fromkeys(strict["required"]) | {"zeta": "z", "title": "t"}
        assert RecordDecision(**from_dialect(arguments, RecordDecision)) == RecordDecision(
            zeta="z", title="t"
        )

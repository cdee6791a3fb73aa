"""Exported schemas held against the SDKs' own converters: they find nothing left to change.

``make sdks`` installs the SDKs. Without one of them its tests are skipped by name.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from hud_runtime.tools import definitions as hud_tools
from tests.ujsx.schema.keywords import TYPES, everywhere
from tests.ujsx.schema.nasty import NASTY
from tests.ujsx.schema.test_laws import TAKEN
from tests.ujsx.schema.test_shape import schemas
from ujsx import SchemaError
from ujsx.elements import Item, List, Paragraph, Section
from ujsx.schema import to_dialect, tool_definition, tool_schema, tree_schema


def exported(dialect: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of a dialect: hard models, primitives, the HUD's components, trees, the router."""
    for model, each in TAKEN:
        if each == dialect:
            yield model.__name__, tool_schema(model, dialect=dialect)
    for model in NASTY:
        with suppress(SchemaError):  # which says why
            yield model.__name__, tool_schema(model, dialect=dialect)
    yield "a tree", tree_schema(dialect=dialect)
    yield "a small tree", tree_schema([Section, Paragraph, List, Item], dialect=dialect)
    yield from operations(dialect)


def operations(dialect: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parameters of the HUD's tools, as one router and one by one."""
    for layout in ("grouped", "signatures", "separate"):
        for definition in hud_tools(dialect, layout=layout, rare=True):
            tool = definition.get("function", definition)
            names = [each for each in ("parameters", "input_schema", "inputSchema") if each in tool]
            for name in names:  # gemini leaves out what takes none
                yield f"{tool['name']}, {layout}", tool[name]


def unchanged(dialect: str, convert: Any) -> list[str]:
    """The names of the schemas that a converter changes."""
    return [name for name, schema in exported(dialect) if convert(copy.deepcopy(schema)) != schema]


def test_there_is_something_to_hold_against_the_sdks() -> None:
    names = [name for name, _ in exported("anthropic-strict")]
    assert {"Pets", "CodeBlock", "DecisionsList", "a tree", "hud, grouped"} <= set(names)


def check_any_schema(dialect: str, convert: Any) -> None:
    """Check that a converter leaves whatever comes out of a dialect as it is."""

    @given(schema=schemas())
    def check(schema: Any) -> None:
        try:
            said = to_dialect(schema, dialect)
        except SchemaError:
            return
        assert convert(copy.deepcopy(said)) == said

    check()


class TestOpenAI:
    def test_strict_schemas_are_a_fixed_point_of_the_sdks_converter(self) -> None:
        module = pytest.importorskip("openai.lib._pydantic", reason="openai is not installed")

        def convert(schema: Any) -> Any:
            return module._ensure_strict_json_schema(schema, path=(), root=schema)

        assert unchanged("openai-strict", convert) == []
        check_any_schema("openai-strict", convert)

    def test_definitions_have_the_fields_of_the_sdks_types(self) -> None:
        chat = pytest.importorskip("openai.types.chat", reason="openai is not installed")
        from pydantic import TypeAdapter

        adapter = TypeAdapter(chat.ChatCompletionFunctionToolParam)
        for dialect in ("openai", "openai-strict"):
            definition = tool_definition(Section, dialect=dialect)
            assert adapter.validate_python(definition) == definition


class TestOpenAIAgents:
    def test_strict_schemas_are_a_fixed_point_of_the_sdks_converter(self) -> None:
        module = pytest.importorskip(
            "agents.strict_schema", reason="openai-agents is not installed"
        )
        assert unchanged("openai-strict", module.ensure_strict_json_schema) == []
        check_any_schema("openai-strict", module.ensure_strict_json_schema)

    def test_a_definition_makes_a_strict_tool(self) -> None:
        agents = pytest.importorskip("agents", reason="openai-agents is not installed")
        function = tool_definition(Section, dialect="openai-strict")["function"]

        async def call(context: Any, arguments: str) -> str:
            return arguments

        tool = agents.FunctionTool(
            name=function["name"],
            description=function["description"],
            params_json_schema=copy.deepcopy(function["parameters"]),
            on_invoke_tool=call,
        )
        assert tool.strict_json_schema
        assert tool.params_json_schema == function["parameters"]


class TestPydanticAI:
    @pytest.mark.parametrize(
        "name", ["OpenAIJsonSchemaTransformer", "_OpenAIJsonSchemaTransformer"]
    )
    def test_strict_schemas_are_a_fixed_point_of_the_sdks_converter(self, name: str) -> None:
        module = pytest.importorskip(
            "pydantic_ai.profiles.openai", reason="pydantic-ai is not installed"
        )
        transformer = getattr(module, name)

        def convert(schema: Any) -> Any:
            known = transformer(copy.deepcopy(schema), strict=None)
            known.walk()
            assert known.is_strict_compatible
            return transformer(schema, strict=True).walk()

        assert unchanged("openai-strict", convert) == []
        check_any_schema("openai-strict", convert)

    def test_anthropics_limits_are_not_exceeded(self) -> None:
        module = pytest.importorskip(
            "pydantic_ai.models._anthropic_schema_limits", reason="pydantic-ai is not installed"
        )
        for name, schema in exported("anthropic-strict"):
            assert module.exceeded_limit([schema], None) is None, name


class TestAnthropic:
    def test_strict_schemas_are_a_fixed_point_of_the_sdks_converter(self) -> None:
        anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")

        def convert(schema: Any) -> Any:
            said = anthropic.transform_schema(schema)
            for _, part in everywhere(said):  # it leaves the types of listed values to the values
                listed = part.get("enum", [part["const"]] if "const" in part else [])
                kinds = {TYPES[type(each)] for each in listed}
                if len(kinds) == 1 and not {"type", "$ref", "anyOf", "oneOf", "allOf"} & {*part}:
                    part["type"] = kinds.pop()
            return said

        assert unchanged("anthropic-strict", convert) == []
        check_any_schema("anthropic-strict", convert)

    def test_definitions_have_the_fields_of_the_sdks_types(self) -> None:
        types = pytest.importorskip("anthropic.types", reason="anthropic is not installed")
        from pydantic import TypeAdapter

        adapter = TypeAdapter(types.ToolParam)
        for dialect in ("anthropic", "anthropic-strict"):
            definition = tool_definition(Section, dialect=dialect)
            assert adapter.validate_python(definition) == definition


class TestGemini:
    def test_schemas_say_the_same_as_the_sdks_type(self) -> None:
        types = pytest.importorskip("google.genai.types", reason="google-genai is not installed")

        def convert(schema: Any) -> Any:
            known = types.Schema.model_validate(schema)
            return lowered(known.model_dump(mode="json", by_alias=True, exclude_unset=True))

        assert unchanged("gemini", convert) == []
        check_any_schema("gemini", convert)

    def test_definitions_are_function_declarations(self) -> None:
        types = pytest.importorskip("google.genai.types", reason="google-genai is not installed")
        for model, dialect in TAKEN:
            if dialect == "gemini":
                definition = tool_definition(model, dialect=dialect)
                types.FunctionDeclaration.model_validate(definition)


def lowered(schema: Any) -> Any:
    """The schema with types in lower case, in which the API takes them too."""
    if isinstance(schema, list):
        return [lowered(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: each.lower() if key == "type" and isinstance(each, str) else lowered(each)
        for key, each in schema.items()
    }


class TestMCP:
    def test_a_client_lists_the_tools_as_they_are(self) -> None:
        mcp = pytest.importorskip("mcp", reason="mcp is not installed")
        server = pytest.importorskip("mcp.server", reason="mcp is not installed")
        types = pytest.importorskip("mcp_types", reason="mcp is not installed")
        given = [tool_definition(model, dialect=each) for model, each in TAKEN if each == "mcp"]

        async def list_tools(context: Any, params: Any) -> Any:
            return types.ListToolsResult(tools=[types.Tool.model_validate(each) for each in given])

        async def listed() -> list[dict[str, Any]]:
            async with mcp.Client(server.Server("components", on_list_tools=list_tools)) as client:
                result = await client.list_tools()
            return [
                each.model_dump(mode="json", by_alias=True, exclude_unset=True)
                for each in result.tools
            ]

        assert asyncio.run(listed()) == given


class TestLiteLLM:
    """In an environment of its own, like its other tests."""

    def test_passes_geminis_json_schema_on_as_it_is(self) -> None:
        module = pytest.importorskip(
            "litellm.llms.vertex_ai.common_utils", reason="litellm is not installed"
        )
        assert unchanged("gemini-json", module.build_json_schema) == []

    def test_passes_geminis_schema_on_as_it_is(self) -> None:
        module = pytest.importorskip(
            "litellm.llms.vertex_ai.common_utils", reason="litellm is not installed"
        )

        def convert(schema: Any) -> Any:
            if "$ref" in names_in(schema):  # it takes the name of a property for a reference
                return schema
            return module.build_vertex_schema(schema)

        assert unchanged("gemini", convert) == []
        check_any_schema("gemini", convert)


def names_in(schema: Any) -> set[str]:
    """What the properties of a schema are called."""
    return {name for _, each in everywhere(schema) for name in each.get("properties", ())}

"""Many operations as one tool: the four layouts."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, RootModel

from tests.ids import looped
from tests.ujsx.tools.sums import OPERATIONS, SUMS
from ujsx import SchemaError
from ujsx.schema import DIALECTS, LAYOUTS, help_text, router_schema, schema_tokens
from ujsx.tools import Operation, Toolset


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Node(Closed):
    value: str
    children: list[Node] = []


def operation(name: str, model: type[BaseModel]) -> Operation:
    return Operation(name, model, print)


def operations(**models: type[BaseModel]) -> list[Operation]:
    return [operation(name, model) for name, model in models.items()]


def places(schema: Any) -> list[dict[str, Any]]:
    """Every object in a schema."""
    if isinstance(schema, list):
        return [each for item in schema for each in places(item)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(each for item in schema.values() for each in places(item))]


def branches(schema: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    found = schema["properties"]["call"]["anyOf"]
    return {tuple(each["properties"]["op"]["enum"]): each for each in found}


class TestGrouped:
    def test_puts_operations_with_the_same_arguments_into_one_branch(self):
        class First(Closed):
            id: str = Field(description="The first's id.")

        class Second(Closed):
            id: str = Field(description="The second's id.")

        class Third(Closed):
            id: int

        schema = router_schema(operations(a=First, b=Second, c=Third))
        assert list(branches(schema)) == [("a", "b"), ("c",)]
        text = branches(schema)["a", "b"]["properties"]["id"]["description"]
        assert text == "a: The first's id.\nb: The second's id."

    def test_keeps_null_and_the_default_where_they_differ(self):
        class Paged(Closed):
            limit: int | None = 30
            after: int | None = None

        properties = branches(router_schema(operations(a=Paged)))["a",]["properties"]
        assert properties["limit"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
        assert properties["limit"]["default"] == 30
        assert properties["after"] == {"type": "integer"}
        strict = router_schema(operations(a=Paged, b=Closed), dialect="openai-strict", brief=True)
        assert branches(strict)["a",]["properties"]["limit"]["description"] == "default 30"

    def test_requires_the_operation_and_what_its_model_requires(self):
        schema = router_schema(OPERATIONS)
        assert branches(schema)["add",] == {
            "additionalProperties": False,
            "properties": {
                "op": {"enum": ["add"], "type": "string"},
                "left": {"description": "The first.", "type": "integer"},
                "right": {"default": 0.0, "type": "number"},
            },
            "required": ["op", "left"],
            "type": "object",
        }

    @looped("layout", ["grouped", "signatures", "flat"])
    def test_says_what_is_inside_of_arguments_as_of_themselves(self, layout):
        class Vessel(BaseModel):
            """A ship."""

            draught: Annotated[float, Field(description="Metres below the water line.")]

        class Berth(Closed):
            vessel: Vessel

        def told(**options: Any) -> Any:
            return router_schema(operations(a=Berth), layout=layout, **options)["$defs"]["Vessel"]

        for options in ({}, {"brief": True, "described": True}):
            vessel = told(**options)
            assert vessel["description"] == "A ship."
            assert vessel["properties"]["draught"]["description"] == "Metres below the water line."
        assert "description" not in json.dumps(told(described=False))

    def test_has_defaults_unless_it_is_brief(self):
        class Inner(BaseModel):
            depth: int = 1

        class Page(Closed):
            limit: int = 20
            sort: Literal["up", "down"] = "up"
            after: str | None = None
            inner: Inner = Inner(depth=3)

        class Other(Closed):
            limit: int = 5

        pages = operations(a=Page, b=Page, c=Other)
        said = branches(router_schema(pages))
        told = {name: each.get("default") for name, each in said["a", "b"]["properties"].items()}
        assert told == {"op": None, "limit": 20, "sort": "up", "after": None, "inner": {"depth": 3}}
        assert said["c",]["properties"]["limit"]["default"] == 5
        assert router_schema(pages)["$defs"]["Inner"]["properties"]["depth"]["default"] == 1
        flat = router_schema(pages, layout="flat")["properties"]
        assert (flat["sort"]["default"], flat["limit"]) == ("up", {"type": "integer"})
        strict = branches(router_schema(pages, dialect="openai-strict"))["c",]["properties"]
        assert strict["limit"]["description"] == "null for the default 5"
        for layout in ("grouped", "signatures", "flat"):
            assert "default" not in str(router_schema(pages, layout=layout, brief=True))

    def test_has_a_plain_object_at_its_root(self):
        schema = router_schema(OPERATIONS)
        assert schema["type"] == "object"
        assert schema["required"] == ["call"]
        assert "anyOf" not in schema

    def test_says_what_each_operation_is_for(self):
        text = router_schema(OPERATIONS)["properties"]["call"]["description"]
        assert text == help_text(OPERATIONS)
        assert (
            text.splitlines()[0]
            == "add two numbers; mood how it goes; draw some points; crash for the tests"
        )

    def test_leaves_null_out_where_an_argument_need_not_be_given(self):
        assert branches(router_schema(OPERATIONS))["notes.add",]["properties"]["due_in"] == {
            "minimum": 0,
            "type": "integer",
        }

    def test_keeps_constraints_unless_it_is_brief(self):
        class Short(Closed):
            text: Annotated[str, Field(min_length=1, max_length=9)]
            kind: Literal["a", "b"] = "a"

        full = branches(router_schema(operations(a=Short)))["a",]["properties"]
        brief = branches(router_schema(operations(a=Short), brief=True))["a",]["properties"]
        assert full["text"] == {"maxLength": 9, "minLength": 1, "type": "string"}
        assert brief["text"] == {"type": "string"}
        assert brief["kind"]["enum"] == ["a", "b"]

    @looped("dialect", DIALECTS)
    @looped("layout", ["grouped", "flat"])
    def test_says_that_the_operation_is_a_text(self, dialect, layout):
        text = json.dumps(router_schema(OPERATIONS, dialect=dialect, layout=layout))
        listed = [each for each in places(json.loads(text)) if "enum" in each or "const" in each]
        assert listed
        assert all(each["type"] == "string" for each in listed)

    def test_closes_its_branches_unless_it_is_brief(self):
        for brief in (False, True):
            schema = router_schema(OPERATIONS, brief=brief)
            closed = ["additionalProperties" in each for each in branches(schema).values()]
            assert set(closed) == {not brief}
            assert schema["additionalProperties"] is False

    def test_shares_definitions_and_tells_two_of_the_same_name_apart(self):
        def other() -> type[BaseModel]:
            class Node(Closed):
                number: int

            class Other(Closed):
                node: Node

            return Other

        schema = router_schema([operation("tree", Node), operation("other", other())])
        assert set(schema["$defs"]) == {"Node", "Node2"}
        assert branches(schema)["other",]["properties"]["node"] == {"$ref": "#/$defs/Node2"}
        validator = Draft202012Validator(schema)
        deep = {"op": "tree", "value": "a", "children": [{"value": "b", "children": []}]}
        assert validator.is_valid({"call": deep})
        assert validator.is_valid({"call": {"op": "other", "node": {"number": 1}}})
        assert not validator.is_valid({"call": {"op": "other", "node": {"value": "a"}}})


class TestFlat:
    def test_has_every_argument_and_requires_none(self):
        schema = router_schema(OPERATIONS, layout="flat")
        assert schema["required"] == ["op"]
        assert list(schema["properties"])[:4] == ["op", "left", "right", "text"]

    @looped("dialect", DIALECTS)
    def test_says_what_arguments_are_for_unless_it_is_brief(self, dialect):
        for layout in ("grouped", "signatures", "flat"):
            full, brief = (
                json.dumps(router_schema(OPERATIONS, dialect=dialect, layout=layout, brief=brief))
                for brief in (False, True)
            )
            assert "The first." in full
            assert "The first." not in brief

    def test_takes_either_where_two_operations_disagree(self):
        class First(Closed):
            value: int

        class Second(Closed):
            value: str

        schema = router_schema(operations(a=First, b=Second), layout="flat")
        assert schema["properties"]["value"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]


class TestSignatures:
    def test_choices_of_several_operations_are_one_choice_each_constant_with_its_meaning(self):
        class Add(Closed):
            watered: str

        class Update(Closed):
            watered: str | Annotated[Literal[""], Field(description="Takes it away.")] | int

        schema = router_schema(operations(add=Add, update=Update), layout="flat", brief=True)
        assert schema["properties"]["watered"]["anyOf"] == [
            {"type": "string"},
            {"const": "", "description": "Takes it away.", "type": "string"},
            {"type": "integer"},
        ]

    def test_lists_each_operation_once_with_its_arguments(self):
        schema = router_schema(OPERATIONS, layout="signatures", brief=True)
        call = schema["properties"]["call"]
        assert call["required"] == ["op"]
        heading, *lines = call["description"].splitlines()
        assert heading == "op: arguments"
        listed = [name for line in lines for name in line.partition(": ")[0].split(", ")]
        assert sorted(listed) == sorted(each.name for each in OPERATIONS)
        for line in lines:
            names, _, taken = line.partition(": ")
            given = [] if taken == "no arguments" else taken.split(", ")
            for each in OPERATIONS:
                if each.name in names.split(", "):
                    fields = each.arguments.model_json_schema()
                    needed = fields.get("required", [])
                    assert {*given} == {
                        name if name in needed else f"{name}?" for name in fields["properties"]
                    }

    def test_types_each_argument_as_flat_does(self):
        for brief in (False, True):
            flat, listed = (
                router_schema(OPERATIONS, layout=layout, brief=brief)
                for layout in ("flat", "signatures")
            )
            call = listed["properties"]["call"]
            assert {**call["properties"], "op": {}} == {**flat["properties"], "op": {}}
            assert listed.get("$defs") == flat.get("$defs")
            assert ("additionalProperties" in call) is not brief

    def test_says_of_named_operations_alone_what_they_are_for(self):
        first, *others = OPERATIONS
        call = router_schema(OPERATIONS, layout="signatures", described=[first.name])
        told = call["properties"]["call"]["description"]
        assert f"({first.help})" in told
        assert all(f"({each.help})" not in told for each in others if each.help)

    def test_defines_once_what_named_operations_and_others_take(self):
        class Berth(Closed):
            node: Node

        for layout in ("grouped", "signatures", "flat"):
            schema = router_schema(operations(a=Berth, b=Berth), layout=layout, described=["a"])
            assert set(schema["$defs"]) == {"Node"}

    def test_writes_a_type_or_null_as_one_list_where_all_is_required(self):
        schema = router_schema(OPERATIONS, dialect="openai-strict", layout="signatures", brief=True)
        assert schema["properties"]["call"]["properties"]["left"] == {"type": ["integer", "null"]}

    def test_is_told_in_the_words_of_the_operation_where_a_description_is_missing(self):
        class Bare(Closed):
            bare: int

        toolset = Toolset([operation("a", Bare), operation("b", Bare)], name="t")
        [said], [meant] = (
            toolset.lint("mcp", layout=layout)["t"] for layout in ("signatures", "flat")
        )
        assert said.pointer == "/properties/call/properties/bare"
        assert said.reason == meant.reason


class TestLoose:
    def test_is_a_name_and_any_object(self):
        schema = router_schema(OPERATIONS, layout="loose")
        assert Draft202012Validator(schema).is_valid({"tool": "add", "args": {"left": 2}})
        assert schema["required"] == ["tool"]

    @looped("dialect", ["openai-strict", "anthropic-strict", "gemini"])
    def test_takes_json_text_where_a_dialect_has_no_open_objects(self, dialect):
        schema = router_schema(OPERATIONS, dialect=dialect, layout="loose")
        assert "JSON object" in schema["properties"]["args"]["description"]
        assert SUMS.call("sums", {"tool": "add", "args": '{"left": 2}'}).text == "2"

    def test_is_cheaper_than_flat_which_is_cheaper_than_grouped(self):
        loose, flat, grouped = (
            schema_tokens(router_schema(OPERATIONS, layout=layout))
            for layout in ("loose", "flat", "grouped")
        )
        assert loose < flat < grouped


class TestSeparate:
    def test_is_one_schema_for_each_operation(self):
        schemas = router_schema(OPERATIONS, layout="separate")
        assert list(schemas) == [each.name for each in OPERATIONS]
        assert schemas["add"]["properties"]["left"]["description"] == "The first."


class TestRouterSchema:
    @looped("layout", LAYOUTS)
    @looped("dialect", DIALECTS)
    def test_is_a_schema_in_every_dialect(self, dialect, layout):
        schema = router_schema(OPERATIONS, dialect=dialect, layout=layout)
        schemas = schema.values() if layout == "separate" else [schema]
        if dialect != "gemini":  # a dialect of OpenAPI
            for each in schemas:
                Draft202012Validator.check_schema(each)

    def test_names_the_nearest_layout_and_dialect(self):
        with pytest.raises(SchemaError, match='"groupt" is not a layout; did you mean "grouped"'):
            router_schema(OPERATIONS, layout="groupt")
        with pytest.raises(SchemaError, match='did you mean "openai"'):
            router_schema(OPERATIONS, dialect="openia")

    def test_refuses_what_cannot_share_a_router(self):
        class Op(Closed):
            op: str

        with pytest.raises(SchemaError, match='cannot be called "op"'):
            router_schema(operations(a=Op))

        class Aliased(Closed):
            what: str = Field(alias="op")

        with pytest.raises(SchemaError, match='cannot be called "op"'):
            router_schema(operations(a=Aliased), layout="flat")

        class Other(Closed):
            op: str = Field(alias="operator")

        assert "operator" in str(router_schema(operations(a=Other)))
        assert router_schema(operations(a=Op), layout="separate")["a"]["required"] == ["op"]
        with pytest.raises(SchemaError, match='two operations are called "a"'):
            router_schema([*operations(a=Node), *operations(a=Node)])
        with pytest.raises(SchemaError, match="at least one operation"):
            router_schema([])

    def test_refuses_arguments_that_are_no_object(self):
        listed = SimpleNamespace(name="a", help="", arguments=RootModel[list[int]])
        with pytest.raises(SchemaError, match="an object with names"):
            router_schema([listed])


numbers = st.integers(-(2**40), 2**40)
texts = st.text(max_size=5)
ARGUMENTS = {
    "add": st.fixed_dictionaries({"left": numbers}, optional={"right": st.floats(-1e9, 1e9)}),
    "notes.add": st.fixed_dictionaries(
        {"text": texts},
        optional={"tags": st.lists(texts), "loud": st.booleans(), "due_in": st.integers(0, 9)},
    ),
    "mood": st.fixed_dictionaries({}, optional={"mood": st.sampled_from(["very-good", "bad"])}),
}
"""Valid arguments of three operations."""

calls = st.one_of(
    *(
        given.map(lambda each, name=name: {"op": name, **each})  # type: ignore[misc]
        for name, given in ARGUMENTS.items()
    )
)


SCHEMAS = {
    layout: router_schema(OPERATIONS, layout=layout) for layout in ("grouped", "signatures", "flat")
}


class TestLaw:
    """What the schema takes, the toolset takes as it stands; what it refuses, the toolset mends or refuses."""

    @given(calls)
    def test_a_valid_call_is_valid_for_the_schema_and_needs_no_repair(self, call: dict[str, Any]):
        inside = {"call": call}
        for layout, wrapped in (("grouped", inside), ("signatures", inside), ("flat", call)):
            assert Draft202012Validator(SCHEMAS[layout]).is_valid(wrapped)
            result = SUMS.call("sums", wrapped)
            assert result.is_error == (call.get("left", 0) > 1_000), result.text
            assert result.repairs == ()

    @given(
        calls, st.sampled_from(["left", "text", "mood", "x", "tags"]), st.none() | numbers | texts
    )
    def test_what_the_grouped_schema_takes_is_validated(
        self, call: dict[str, Any], name: str, value: Any
    ):
        call = {**call, name: value}
        result = SUMS.call("sums", json.dumps({"call": call}))
        if Draft202012Validator(SCHEMAS["grouped"]).is_valid({"call": call}):
            assert not result.is_error or result.data["error"] == "refused"

    @pytest.mark.parametrize("dialect", ["openai-strict", "anthropic-strict"])
    @given(call=calls)
    def test_null_stands_for_what_is_not_given_where_all_is_required(
        self, dialect: str, call: dict[str, Any]
    ):
        grouped = router_schema(OPERATIONS, dialect=dialect)
        branch = next(each for each in branches(grouped) if call["op"] in each)
        listed = router_schema(OPERATIONS, dialect=dialect, layout="signatures")
        for schema, names in (
            (grouped, branches(grouped)[branch]["required"]),
            (listed, listed["properties"]["call"]["required"]),
        ):
            filled = {**dict.fromkeys(names), **call}
            assert Draft202012Validator(schema).is_valid({"call": filled})
            said, meant = SUMS.call("sums", {"call": filled}), SUMS.call("sums", {"call": call})
            assert (said.text, said.data) == (meant.text, meant.data)

"""Tools with dictionaries and recursion: exported, called and read back, in every dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, RootModel

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from tests.ujsx.schema.loose import VALUES as LOOSE
from tests.ujsx.schema.loose import SetState
from tests.ujsx.schema.public import VALUES, FileNode, Outline, Person, RunCommand
from tests.ujsx.schema.raw import as_json_schema, sent
from ujsx import SchemaError
from ujsx.schema import DIALECTS, from_dialect, lint, router_schema, to_dialect, tool_schema
from ujsx.tools import Operation, Toolset

WITHOUT_DICTIONARIES = [
    each.name for each in DIALECTS.values() if each.verdicts is not None and not each.open_objects
]

WITHOUT_RECURSION = ["anthropic-strict", "gemini"]


class Endless(BaseModel):
    """A model of which no value ends."""

    inner: Endless


class Tree(BaseModel):
    """A tree whose leaves say that they have no branches."""

    branches: list[Tree]


def tree(depth: int) -> dict[str, Any]:
    """A tree with so many below its root."""
    return {"branches": [tree(depth - 1)] if depth else []}


def as_sent(dump: Any, model: type[BaseModel], dialect: str) -> Any:
    """A value as a model writes it in a dialect: the first way that fits the schema there."""
    schema, said = tool_schema(model), tool_schema(model, dialect=dialect)
    fits = Draft202012Validator(as_json_schema(said)).is_valid
    ways = [(None, False), (True, False), (None, True), (True, True)]
    if dialect in WITHOUT_DICTIONARIES:
        ways.reverse()
    for place, wrapped in ((schema, False), ({"anyOf": [schema]}, True)):
        for entries, wraps in ways:
            value = sent(dump, place, schema, entries=entries, wraps=wraps)
            given = {"root": value} if wrapped else value
            if fits(given):
                return given
    raise AssertionError(("no way to say it", dialect, dump, said))


def calls(model: type[BaseModel]) -> tuple[Toolset, list[BaseModel]]:
    """A toolset of one tool, and what it is called with."""
    got: list[BaseModel] = []
    return Toolset([Operation("tool", model, got.append, help="Do it.")], name="tools"), got


def test_there_are_forty_of_each() -> None:
    assert [len({type(each) for each in some}) for some in (VALUES, LOOSE)] == [40, 40]


@pytest.mark.parametrize(
    "value", [*VALUES, *LOOSE], ids=[type(each).__name__ for each in (*VALUES, *LOOSE)]
)
def test_a_tool_is_exported_to_every_dialect_called_and_read_back(value: BaseModel) -> None:
    model = type(value)
    for dialect in DIALECTS:
        schema = tool_schema(model, dialect=dialect)
        assert to_dialect(schema, dialect) == schema
        given = as_sent(json.loads(value.model_dump_json(by_alias=True)), model, dialect)
        Draft202012Validator(as_json_schema(schema)).validate(given)
        toolset, got = calls(model)
        several = [given]
        if isinstance(value, RootModel):
            dump = {"root": json.loads(value.model_dump_json())}
            several.append(as_sent(dump, toolset.operations["tool"].arguments, dialect))
        for each in several:
            result = toolset.call("tool", each)
            assert not result.is_error, (dialect, result.text)
            assert {each.kind for each in result.repairs} <= {"entries"}
            assert got.pop() == value
        assert model.model_validate(from_dialect(given, model)) == value


class AnyData(RootModel["None | bool | int | float | str | list[AnyData] | dict[str, AnyData]"]):
    """Any data."""


@looped("data", [{"a": [1, None, {"b": True}], "c": {}}, [1, "x", [2.5]], "text", 3, None], ids=str)
def test_a_value_that_consists_of_such_is_whole_in_every_dialect(data: Any) -> None:
    value = AnyData.model_validate(data)
    for dialect in DIALECTS:
        given = as_sent(data, AnyData, dialect)
        assert AnyData.model_validate(from_dialect(given, AnyData)) == value
        toolset, got = calls(AnyData)
        assert not toolset.call("tool", json.dumps(given)).is_error
        assert got == [value]


class TestDepth:
    @looped("dialect", [*WITHOUT_RECURSION, "gemini-json"])
    @looped("depth", [1, 2, 3, 7])
    def test_is_how_many_stand_below_the_first(self, dialect: str, depth: int) -> None:
        judge = Draft202012Validator(
            as_json_schema(tool_schema(Tree, dialect=dialect, depth=depth))
        )
        assert [each for each in range(10) if judge.is_valid(tree(each))] == [*range(depth + 1)]

    @looped("dialect", WITHOUT_RECURSION)
    def test_is_3_unless_told(self, dialect: str) -> None:
        assert tool_schema(Tree, dialect=dialect) == tool_schema(Tree, dialect=dialect, depth=3)

    @looped("dialect", WITHOUT_RECURSION)
    def test_leaves_out_branches_of_unions_that_are_deeper(self, dialect: str) -> None:
        schema = as_json_schema(tool_schema(Person, dialect=dialect, depth=1))
        judge = Draft202012Validator(schema)
        assert judge.is_valid({"name": "a", "mother": {"name": "b", "mother": None}})
        assert not judge.is_valid({"name": "a", "mother": {"name": "b", "mother": {"name": "c"}}})

    @looped("dialect", [*WITHOUT_RECURSION, "gemini-json"])
    def test_is_named_where_it_cuts(self, dialect: str) -> None:
        cut = [each for each in lint(Tree, dialect, depth=2) if each.keyword == "$ref"]
        assert [(each.pointer, each.outcome) for each in cut] == [
            ("/properties/branches/items", "dropped")
        ]
        assert "written out 2 deep, the rest is cut" in cut[0].reason

    @looped("dialect", [*WITHOUT_RECURSION, "gemini-json"])
    def test_does_not_help_where_no_value_ends(self, dialect: str) -> None:
        with pytest.raises(SchemaError, match=r"has (no )?recursion"):
            tool_schema(Endless, dialect=dialect)

    @looped("depth", [0, 51])
    @looped("dialect", DIALECTS)
    def test_is_between_1_and_50(self, depth: int, dialect: str) -> None:
        with pytest.raises(SchemaError, match=f"depth is 1 to 50, not {depth}$"):
            tool_schema(Tree, dialect=dialect, depth=depth)

    def test_is_less_where_it_would_be_too_large(self) -> None:
        kinds = [f"B{each}" for each in range(20)]
        refs = {"anyOf": [{"$ref": f"#/$defs/{each}"} for each in kinds]}
        block = {"type": "object", "properties": {"children": {"type": "array", "items": refs}}}
        given = {
            "type": "object",
            "properties": {"blocks": {"type": "array", "items": refs}},
            "$defs": dict.fromkeys(kinds, block),
        }
        assert to_dialect(given, "gemini") == to_dialect(given, "gemini", depth=1)
        assert any("written out 1 deep" in each.reason for each in lint(given, "gemini"))

    def test_is_that_of_routers_and_toolsets_too(self) -> None:
        toolset, _ = calls(Tree)
        [tool] = toolset.definitions("gemini", depth=5)
        assert tool["parameters"] == tool_schema(Tree, dialect="gemini", depth=5)
        operations = [*toolset.operations.values()]
        for layout in ("grouped", "signatures", "flat"):
            sizes = [
                len(
                    json.dumps(
                        router_schema(operations, dialect="gemini", layout=layout, depth=each)
                    )
                )
                for each in (1, 2, 3)
            ]
            assert sizes == sorted(set(sizes))
        [losses] = toolset.lint("gemini", depth=5).values()
        assert any("written out 5 deep" in each.reason for each in losses)

    def test_takes_no_name_that_a_definition_has(self) -> None:
        node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
        other = {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/Node"}, "x": {"type": "string"}},
        }
        given = {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/Node2"}},
            "$defs": {"Node": node, "Node2": other, "Root2": other},
        }
        said = to_dialect(given, "anthropic-strict", depth=1)
        assert set(said["$defs"]) == {"Node", "Node2", "Node2_"}

    def test_costs_in_proportion(self) -> None:
        def export(depth: int) -> None:
            to_dialect(Outline, "anthropic-strict", depth=depth)

        assert growth(export, 5, 40) <= IN_PROPORTION

    def test_of_a_cycle_costs_in_proportion_to_its_length(self) -> None:
        def cycle(length: int) -> dict[str, Any]:
            defs = {
                f"D{place}": {
                    "type": "object",
                    "properties": {"next": {"$ref": f"#/$defs/D{(place + 1) % length}"}},
                }
                for place in range(length)
            }
            return {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": defs}

        sizes = [
            len(json.dumps(to_dialect(cycle(each), "anthropic-strict"))) for each in (5, 10, 20)
        ]
        assert sizes[2] - sizes[1] <= 2.1 * (sizes[1] - sizes[0])


class TestEntries:
    MODEL = RunCommand

    def asked(self, env: Any) -> tuple[Any, list[BaseModel]]:
        toolset, got = calls(RunCommand)
        return toolset.call("tool", {"argv": ["ls"], "env": env}), got

    def test_become_the_dictionary_and_are_named_as_a_repair(self) -> None:
        result, got = self.asked([{"key": "A", "value": "1"}, {"key": 2, "value": "b"}])
        assert got == [RunCommand.model_validate({"argv": ["ls"], "env": {"A": "1", "2": "b"}})]
        assert [(each.kind, each.path) for each in result.repairs] == [("entries", "$.env")]

    def test_with_a_key_twice_are_refused(self) -> None:
        result, got = self.asked([{"key": "A", "value": "1"}, {"key": "A", "value": "1"}])
        assert not got
        assert result.text.startswith('$.env[1].key: the key "A" is repeated; send each key once')
        with pytest.raises(SchemaError, match=r"^/env/1/key: the key"):
            from_dialect({"env": [{"key": "A", "value": ""}] * 2}, RunCommand)

    @looped(
        "env",
        [
            [{"key": "A"}],
            [{"key": "A", "value": "1", "note": ""}],
            [{"key": True, "value": "1"}],
            [["A", "1"]],
            ["A=1"],
        ],
    )
    def test_that_are_none_are_refused_with_the_form(self, env: Any) -> None:
        result, got = self.asked(env)
        assert not got
        assert result.is_error
        assert 'or a list of {"key": …, "value": …}' in result.text

    def test_stay_a_list_where_one_is_taken(self) -> None:
        class Pairs(BaseModel):
            pairs: list[dict[str, str]] | dict[str, str]

        pairs = [{"key": "a", "value": "b"}]
        assert from_dialect({"pairs": pairs}, Pairs) == {"pairs": pairs}
        assert from_dialect({"pairs": {"as_entries": pairs}}, Pairs) == {"pairs": {"a": "b"}}
        for dialect in WITHOUT_DICTIONARIES:
            judge = Draft202012Validator(as_json_schema(tool_schema(Pairs, dialect=dialect)))
            assert judge.is_valid({"pairs": {"as_entries": pairs}})

    @looped("text", ["{", "NaN", "[" * 100_000])
    def test_a_text_that_is_not_json_is_refused_at_its_place(self, text: str) -> None:
        toolset, got = calls(SetState)
        result = toolset.call("tool", {"key": "a", "value": {"as_json": text}})
        assert not got
        assert result.text.startswith("$.value.as_json: this ")
        with pytest.raises(SchemaError, match=r"^/value/as_json: this "):
            from_dialect({"key": "a", "value": {"as_json": text}}, SetState)

    def test_what_only_looks_like_json_text_stays_where_another_type_is_taken(self) -> None:
        given = {"key": "a", "value": {"as_json": "1", "more": 2}}
        assert from_dialect(given, SetState) == given
        pairs = {"env": {"as_json": "1"}, "argv": ["ls"]}
        assert from_dialect(pairs, RunCommand) == pairs

    def test_under_names_in_another_spelling_are_read_too(self) -> None:
        toolset, got = calls(RunCommand)
        result = toolset.call("tool", {"argv": ["ls"], "Env": [{"key": "A", "value": "1"}]})
        assert not result.is_error, result.text
        assert got[0].model_dump()["env"] == {"A": "1"}

    def test_of_any_number_are_read_in_proportion(self) -> None:
        toolset, _ = calls(RunCommand)

        def call(count: int) -> None:
            env = [{"key": f"k{each}", "value": "v"} for each in range(count)]
            assert not toolset.call("tool", {"argv": ["ls"], "env": env}).is_error

        assert growth(call, 500, 4_000) <= IN_PROPORTION

    def test_of_unions_of_dictionaries_inside_each_other_are_read_in_proportion(self) -> None:
        either: dict[str, Any] = {"anyOf": [
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/E"}},
            {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/E"}, {"type": "null"}]}},
        ]}  # fmt: skip
        schema = {
            "type": "object",
            "properties": {"e": {"$ref": "#/$defs/E"}},
            "$defs": {"E": either},
        }

        def read(depth: int) -> None:
            value: list[Any] = []
            for _ in range(depth):
                value = [{"key": "a", "value": value}]
            from_dialect({"e": value}, schema)

        assert growth(read, 12, 96) <= IN_PROPORTION


def test_a_leaf_says_that_it_has_no_children_where_they_are_cut() -> None:
    schema = tool_schema(FileNode, dialect="gemini", depth=1)
    leaf = schema["properties"]["children"]["items"]["properties"]["children"]
    assert (leaf["type"], leaf["maxItems"]) == ("array", 0)

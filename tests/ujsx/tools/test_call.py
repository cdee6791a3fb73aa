"""Calls as models send them: what is mended, what is refused, and how that is told."""

from __future__ import annotations

import json
import logging
from datetime import time
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

from tests.ids import looped
from tests.ujsx.tools.sums import OPERATIONS, SUMS, Arguments, TooMuchError
from ujsx.tools import Operation, Repair, ToolResult, Toolset

NOTE = {"text": "Port 8080", "tags": [], "loud": False, "due_in": None}

REPAIRED: list[tuple[str, str, Any, str, dict[str, Any] | str, list[tuple[str, str]]]] = [
    # what it shows; tool, arguments -> operation, its answer, repairs
    ("grouped", "sums", {"call": {"op": "add", "left": 2}}, "add", "2", []),
    ("flat", "sums", {"op": "add", "left": 2, "right": 0.5}, "add", "2.5", []),
    (
        "flat with nulls",
        "sums",
        {"op": "notes.add", "text": "Port 8080", "tags": None, "left": None},
        "notes.add",
        NOTE,
        [("null", "$.tags"), ("null", "$.left")],
    ),
    (
        "loose",
        "sums",
        {"tool": "add", "args": {"left": 2}},
        "add",
        "2",
        [("layout", "$.tool"), ("layout", "$.args")],
    ),
    ("op and args", "sums", {"op": "add", "args": {"left": 2}}, "add", "2", [("layout", "$.args")]),
    (
        "arguments beside args",
        "sums",
        {"op": "add", "args": {"left": 2}, "right": 1},
        "add",
        "3",
        [("layout", "$.args")],
    ),
    (
        "args as JSON text",
        "sums",
        {"op": "add", "args": '{"left": 2}'},
        "add",
        "2",
        [("json text", "$.args"), ("layout", "$.args")],
    ),
    (
        "args of nothing",
        "sums",
        {"op": "notes.clear", "args": None},
        "notes.clear",
        "Done.",
        [("layout", "$.args")],
    ),
    ("the name as key", "sums", {"add": {"left": 2}}, "add", "2", [("layout", "$.add.args")]),
    ("the name alone", "sums", {"call": "notes.clear"}, "notes.clear", "Done.", []),
    (
        "a call in a list",
        "sums",
        {"call": [{"op": "add", "left": 2}]},
        "add",
        "2",
        [("list", "$.call")],
    ),
    ("JSON text", "sums", '{"op": "add", "left": 2}', "add", "2", [("json text", "$")]),
    (
        "JSON text in JSON text",
        "sums",
        json.dumps('{"op": "add", "left": 2}'),
        "add",
        "2",
        [("json text", "$"), ("json text", "$")],
    ),
    (
        "JSON in a code fence",
        "sums",
        '```json\n{"op": "add", "left": 2}\n```',
        "add",
        "2",
        [("code fence", "$"), ("json text", "$")],
    ),
    (
        "a call as JSON text",
        "sums",
        {"call": '{"op": "add", "left": 2}'},
        "add",
        "2",
        [("json text", "$.call")],
    ),
    (
        "whole numbers as text",
        "sums",
        {"op": "add", "left": " 2 ", "right": "1.5"},
        "add",
        "3.5",
        [("number", "$.left"), ("number", "$.right")],
    ),
    (
        "a whole number as 3.0",
        "sums",
        {"op": "add", "left": 3.0},
        "add",
        "3",
        [("number", "$.left")],
    ),
    (
        "a boolean as text",
        "sums",
        {"op": "notes.add", "text": "a", "loud": "True"},
        "notes.add",
        {**NOTE, "text": "a", "loud": True},
        [("boolean", "$.loud")],
    ),
    (
        "a number where text is meant",
        "sums",
        {"op": "notes.add", "text": 8080},
        "notes.add",
        {**NOTE, "text": "8080"},
        [("text", "$.text")],
    ),
    (
        "one value for a list",
        "sums",
        {"call": {"op": "notes.add", "text": "a", "tags": "net"}},
        "notes.add",
        {**NOTE, "text": "a", "tags": ["net"]},
        [("list", "$.call.tags")],
    ),
    (
        "a list as JSON text",
        "sums",
        {"op": "notes.add", "text": "a", "tags": '["net", "db"]'},
        "notes.add",
        {**NOTE, "text": "a", "tags": ["net", "db"]},
        [("json text", "$.tags")],
    ),
    (
        "a list of one where text is meant",
        "sums",
        {"op": "notes.add", "text": ["a"]},
        "notes.add",
        {**NOTE, "text": "a"},
        [("list", "$.text")],
    ),
    (
        "an argument in camel case",
        "sums",
        {"op": "notes.add", "text": "a", "dueIn": 3},
        "notes.add",
        {**NOTE, "text": "a", "due_in": 3},
        [("name", "$.dueIn")],
    ),
    (
        "a required argument in capitals",
        "sums",
        {"op": "add", "LEFT": 3},
        "add",
        "3",
        [("name", "$.LEFT")],
    ),
    (
        "a choice in other words",
        "sums",
        {"op": "mood", "mood": "Very good"},
        "mood",
        "very-good",
        [("name", "$.mood")],
    ),
    (
        "objects inside a list",
        "sums",
        {"op": "draw", "points": {"x": "1", "y": None}},
        "draw",
        {"points": [{"x": 1, "y": 0}], "args": ""},
        [("list", "$.points"), ("number", "$.points[0].x"), ("null", "$.points[0].y")],
    ),
    (
        "an object inside a list as JSON text",
        "sums",
        {"op": "draw", "points": ['{"x": 1}']},
        "draw",
        {"points": [{"x": 1, "y": 0}], "args": ""},
        [("json text", "$.points[0]")],
    ),
    (
        "an argument that is called args",
        "sums",
        {"op": "draw", "points": [], "args": "solid"},
        "draw",
        {"points": [], "args": "solid"},
        [],
    ),
    ("another case", "sums", {"op": "NOTES.CLEAR"}, "notes.clear", "Done.", [("name", "$.op")]),
    ("an underscore", "sums", {"op": "notes_clear"}, "notes.clear", "Done.", [("name", "$.op")]),
    ("a dash", "sums", {"op": "notes-clear"}, "notes.clear", "Done.", [("name", "$.op")]),
    ("camel case", "sums", {"op": "notesClear"}, "notes.clear", "Done.", [("name", "$.op")]),
    (
        "the tool's name before the operation's",
        "sums",
        {"op": "sums notes.clear"},
        "notes.clear",
        "Done.",
        [("name", "$.op")],
    ),
    ("a tool of its own", "notes_clear", {}, "notes.clear", "Done.", []),
    ("no arguments at all", "notes_clear", None, "notes.clear", "Done.", []),
    ("empty text for no arguments", "notes_clear", "", "notes.clear", "Done.", []),
    ("the tool's name before it", "sums.add", {"left": 2}, "add", "2", []),
    ("bytes", "add", b'{"left": 2}', "add", "2", [("json text", "$")]),
]


class TestCall:
    @looped(
        ("tool", "arguments", "operation", "answer", "repairs"),
        [case[1:] for case in REPAIRED],
        ids=[case[0] for case in REPAIRED],
    )
    def test_mends_what_is_beyond_doubt(self, tool, arguments, operation, answer, repairs):
        result = SUMS.call(tool, arguments)
        assert not result.is_error, result.text
        assert result.operation == operation
        assert (result.text if isinstance(answer, str) else result.data) == answer
        assert [(each.kind, each.path) for each in result.repairs] == repairs

    def test_mends_a_value_once_where_a_union_complains_of_it_twice(self):
        class Either(Arguments):
            value: int | list[int]

        tools = Toolset([Operation("either", Either, lambda given: given)], name="tools")
        result = tools.call("either", {"value": "5"})
        assert result.data == {"value": 5}
        assert result.repairs == (Repair("number", "$.value"),)

    @looped(
        ("given", "share"),
        [("45%", 0.45), (" 7.5 % ", 0.075), ("100%", 1.0), ("101%", None), ("-5%", None), ("%", None)],
    )  # fmt: skip
    def test_reads_a_percentage_where_a_number_is_from_0_to_1(self, given, share):
        class Bed(Arguments):
            shares: tuple[Annotated[float, Field(ge=0, le=1)] | None, ...] = ()
            grams: float = 0

        tools = Toolset([Operation("bed", Bed, lambda given: given)], name="tools")
        result = tools.call("bed", {"shares": [given]})
        assert result.is_error == (share is None)
        if share is not None:
            assert result.data["shares"] == [share]
            assert result.repairs == (Repair("number", "$.shares[0]"),)
        assert tools.call("bed", {"grams": given}).is_error

    @looped(
        ("given", "said"),
        [
            ({"share": 45}, "less than or equal to 1: 45% is 0.45 (got 45)"),
            ({"count": 45}, "less than or equal to 1 (got 45)"),
            ({"price": "45"}, "less than or equal to 1 (got '45')"),
            ({"share": 145}, "less than or equal to 1 (got 145)"),
        ],
    )
    def test_tells_the_share_that_a_percentage_is(self, given, said):
        class Bed(Arguments):
            share: Annotated[float, Field(ge=0, le=1)] = 0
            count: Annotated[int, Field(ge=0, le=1)] = 0
            price: Annotated[Decimal, Field(ge=0, le=1)] = Decimal(0)

        tools = Toolset([Operation("bed", Bed, lambda given: given)], name="tools")
        assert said in tools.call("bed", given).text

    @looped(
        ("given", "meant"),
        [("8am", "08:00:00"), ("8:05 pm", "20:05:00"), ("12 a.m.", "00:00:00"), ("12PM", "12:00:00"),
         ("9:40", "09:40:00"), ("9.05", "09:05:00"), ("24:10", None),
         ("13pm", None), ("0am", None), ("8:60am", None), ("8", None), ("8 or 9am", None)],
    )  # fmt: skip
    def test_reads_a_time_as_clocks_show_it(self, given, meant):
        class Bed(Arguments):
            watered: time | Literal[""]

        tools = Toolset([Operation("bed", Bed, lambda given: given)], name="tools")
        result = tools.call("bed", {"watered": given})
        if meant is None:
            assert result.text.endswith('for example {"watered": "<time: hh:mm>"}')
        else:
            assert result.data == {"watered": meant}
            assert result.repairs == (Repair("time", "$.watered"),)

    def test_leaves_what_the_caller_gave_as_it_was(self):
        given = {"op": "draw", "points": [{"x": "1", "y": None}]}
        SUMS.call("sums", given)
        assert given == {"op": "draw", "points": [{"x": "1", "y": None}]}

    @looped(
        ("arguments", "problem"),
        [
            ({"op": "add", "left": "two"}, "$.left: input should be a valid integer (got 'two')"),
            ({"op": "add", "left": 2.5}, "$.left: input should be a valid integer"),
            ({"op": "add", "left": True}, "$.left: input should be a valid integer (got true)"),
            ({"op": "add", "left": 1, "right": "1e999"}, "$.right: input should be a valid number"),
            ({"op": "add", "left": "9" * 30}, "$.left: input should be a valid integer"),
            ({"call": {"op": "add"}}, "$.call.left: required, but not given"),
            ({"op": "add", "args": {"left": None}}, "$.args.left: input should be a valid integer"),
            (
                {"op": "add", "left": 1, "rihgt": 2},
                '$.rihgt: no such argument; did you mean "right"?',
            ),
            (
                {"op": "notes.add", "text": "a", "due_in": -1},
                "$.due_in: input should be greater than",
            ),
            ({"op": "notes.clear", "x": 1}, "$.x: no such argument; notes.clear takes none"),
            (
                {"op": "draw", "points": [{"x": "a"}]},
                "$.points[0].x: input should be a valid integer",
            ),
            ({"op": "notes.add", "text": "\ud800"}, "$.text: character 1 of the text is \\ud800"),
        ],
    )
    def test_says_where_and_what_was_expected_with_that_part_of_the_schema(
        self, arguments, problem
    ):
        result = SUMS.call("sums", arguments)
        assert result.is_error
        assert result.text.startswith(problem)
        assert result.data["error"] == "bad arguments"
        parts = {
            each["path"]: each["schema"] for each in result.data["problems"] if "schema" in each
        }
        for path, part in parts.items():
            assert f"\n{path} takes {json.dumps(part, separators=(',', ':'))}" in result.text
        if not parts:
            assert f"\n{result.operation} takes {{" in result.text

    def test_has_no_part_of_the_schema_that_is_not_about_the_problem(self):
        result = SUMS.call("sums", {"op": "draw", "points": [{"x": "a", "y": 2}]})
        assert result.text.splitlines()[1] == '$.points[0].x takes {"type":"integer"}'
        assert "additionalProperties" not in result.text

    def test_has_a_part_behind_references_with_what_it_refers_to(self):
        class Leaf(BaseModel):
            size: int

        class Branch(BaseModel):
            leaves: list[Leaf]
            boughs: list[Branch] = []

        tools = Toolset([Operation("grow", Branch, lambda _: None)], name="tools")
        result = tools.call("grow", {"leaves": [], "boughs": [{"leaves": "a, b"}]})
        [problem] = result.data["problems"]
        assert problem["path"] == "$.boughs[0].leaves"
        assert problem["schema"]["items"] == {"$ref": "#/$defs/Leaf"}
        assert [*problem["schema"]["$defs"]] == ["Leaf"]

    def test_names_members_where_the_part_is_long(self):
        fields: dict[str, Any] = {f"member_{each}": (str, ...) for each in range(200)}
        wide = create_model("Wide", **fields)
        holder = create_model("Holder", wide=(wide, ...))
        tools = Toolset([Operation("hold", holder, lambda _: None)], name="tools")
        text = tools.call("hold", {}).text
        assert '\n$.wide takes {"properties":["member_0",' in text
        assert len(text) <= 3_000

    @looped(
        ("tool", "arguments", "text"),
        [
            ("sums", {"op": "ad"}, '$.op: there is no operation "ad"; did you mean "add"?'),
            (
                "sums",
                {"tool": "addd", "args": {}},
                '$.tool: there is no operation "addd"; did you mean "add"?',
            ),
            (
                "sums",
                {"call": {"op": "note.add"}},
                '$.call.op: there is no operation "note.add"; did you mean "notes.add"?',
            ),
            (
                "sums",
                {"op": "clear_note"},
                '$.op: there is no operation "clear_note"; did you mean "notes.clear"?',
            ),
            (
                "sums",
                {"op": "clear"},
                '$.op: there is no operation "clear"; did you mean "notes.clear"?',
            ),
            ("sums", {"left": 2}, '$: "op" is missing: it names the operation, as in {"call": '),
            (
                "sums",
                {},
                '$: "op" is missing: it names the operation, as in {"call": {"op": "help"}}; ',
            ),
            (
                "sums",
                {"call": {}},
                '$.call: "op" is missing: it names the operation, as in {"call"',
            ),
            (
                "sums",
                {"call": [{"op": "mood"}, {"op": "add"}]},
                "$.call: one operation in a call, not a list of 2; send the first, then call again",
            ),
            (
                "sums",
                '{"call": {"op": "notes.add", "text": "abc',
                "$: not valid JSON: unterminated string starting at line 1, column 38; send it again",
            ),
            (
                "sums",
                {"call": '{"op": "add"'},
                "$.call: not valid JSON: cut off at line 1, column 13; send it again",
            ),
            (
                "sums",
                {"op": "add", "args": '{"left": 2'},
                "$.args: not valid JSON: cut off at line 1, column 11; send it again",
            ),
            ("sums", "add", "$: the arguments are an object, not the text 'add'"),
            (
                "sums",
                '{"op": "add", "left": NaN}',
                "$: not valid JSON: NaN is not JSON; send it again",
            ),
            ("sums", 3, "$: the arguments are an object, not 3"),
            ("sums", [{}, {}], "$: one operation in a call, not a list of 2; send the first"),
            ("sums", [], "$: the arguments are an object, not []"),
            ("sums", {"op": "zzz"}, '$.op: there is no operation "zzz"; known: add, crash,'),
            ("sums", {"op": "ad", "name": "mood"}, '$.op: there is no operation "ad"'),
            ("sums", {"op": "a\n# b"}, '$.op: there is no operation "a\\n# b"; known: add'),
            ("sum", {}, 'there is no tool "sum"; did you mean "sums"?'),
            (None, {}, 'there is no tool "None"; known: add'),
        ],
    )
    def test_names_the_nearest_operation(self, tool, arguments, text):
        result = SUMS.call(tool, arguments)
        assert result.is_error
        assert result.operation is None
        assert result.text.startswith(text)

    @looped(
        "value",
        [float("nan"), {1, 2}, object(), 10**5_000, {"a": b""}],
        ids=["nan", "set", "object", "huge", "bytes"],
    )
    def test_answers_what_is_no_json(self, value):
        assert SUMS.call("sums", {"op": "add", "left": value}).is_error

    def test_answers_what_contains_itself(self):
        loop: dict[str, Any] = {"op": "add"}
        loop["left"] = loop
        assert "not JSON data" in SUMS.call("sums", loop).text

    @looped("depth", [50, 500, 100_000])
    def test_answers_what_is_nested_deep(self, depth):
        nested: Any = 1
        for _ in range(depth):
            nested = [nested]
        assert SUMS.call("sums", {"op": "add", "left": nested}).is_error
        assert SUMS.call("sums", "[" * depth + "]" * depth).is_error

    @looped("text", ["`" * 300_000, "```\n" + " " * 300_000, "{" * 300_000])
    def test_reads_hostile_text_in_no_time(self, text):
        assert SUMS.call("sums", text).is_error

    def test_keeps_an_error_short_whatever_was_sent(self):
        long = "x" * 100_000
        for arguments in ({"op": long}, {"op": "add", "left": long}, {"op": "add", long: 1}, long):
            assert len(SUMS.call("sums", arguments).text) <= 3_000

    def test_tells_an_error_of_the_library_that_a_handler_raises(self):
        result = SUMS.call("add", {"left": 2_000})
        assert result.text == "too much for me; give at most 1000"
        assert result.data["error"] == "refused"
        assert isinstance(result.exception, TooMuchError)

    def test_keeps_any_other_exception_from_the_host_and_from_the_model(self, caplog):
        with caplog.at_level(logging.ERROR, logger="ujsx.tools"):
            result = SUMS.call("crash", {})
        assert result.is_error
        assert result.text == (
            "crash broke inside the tool (ZeroDivisionError); it may have been done in part"
        )
        assert isinstance(result.exception, ZeroDivisionError)
        assert "crash failed" in caplog.text

    def test_lets_through_what_stops_the_process(self):
        def stop(_: object) -> None:
            raise KeyboardInterrupt

        [clear] = [each for each in OPERATIONS if each.name == "notes.clear"]
        tools = Toolset([Operation("stop", clear.arguments, stop)], name="tools")
        with pytest.raises(KeyboardInterrupt):
            tools.call("stop", {})

    def test_gives_a_handlers_own_result_with_operation_and_repairs(self):
        [clear] = [each for each in OPERATIONS if each.name == "notes.clear"]
        tools = Toolset(
            [Operation("own", clear.arguments, lambda _: ToolResult("mine", data=3))], name="tools"
        )
        assert tools.call("own", '{"x": null}') == ToolResult(
            "mine",
            data=3,
            operation="own",
            repairs=(Repair("json text", "$"), Repair("null", "$.x")),
        )


class Leg(BaseModel):
    to: str


class Route(TypedDict, total=False):
    via: str


class Trip(BaseModel):
    """A model as one writes it, without a word on what else may come."""

    city: str
    limit: int = 10
    legs: tuple[Leg, ...] = ()
    by_day: dict[str, Leg] = Field(default_factory=dict)
    route: Route = Field(default_factory=Route)
    until: str = Field(default="", validation_alias=AliasChoices("until", "end"))


class OpenTrip(Trip):
    model_config = ConfigDict(extra="allow")


TRIPS = Toolset(
    [Operation(kind.__name__.lower(), kind, lambda given: given) for kind in (Trip, OpenTrip)],
    name="trips",
)


class TestUnknownArguments:
    """Of a model that would drop them."""

    def test_are_given_the_name_that_is_meant(self):
        result = TRIPS.call("trip", {"city": "Bern", "Limit": "3"})
        assert result.data["limit"] == 3
        assert result.repairs == (Repair("name", "$.Limit"), Repair("number", "$.limit"))

    @looped(
        ("arguments", "text"),
        [
            ({"city": "Bern", "limt": 3}, '$.limt: no such argument; did you mean "limit"?\n'),
            (
                {"ctiy": "Bern", "limit": []},
                (
                    '$.ctiy: no such argument; did you mean "city"?\n'
                    "$.city: required, but not given\n"
                    "$.limit: input should be a valid integer (got [])\n"
                ),
            ),
            ({"city": "", "legs": [{"to": "a"}, {"to": "b", "x": 1}]}, "$.legs[1].x: no such arg"),
            (
                {"city": "", "by_day": {"mo": {"to": "a", "x": 1}}},
                "$.by_day.mo.x: no such argument",
            ),
            ({"city": "", "route": {"via": "a", "x": 1}}, "$.route.x: no such argument"),
        ],
    )
    def test_are_told(self, arguments, text):
        result = TRIPS.call("trip", arguments)
        assert result.data["error"] == "bad arguments"
        assert result.text.startswith(text)

    def test_are_not_what_an_alias_names(self):
        assert TRIPS.call("trip", {"city": "Bern", "end": "May"}).data["until"] == "May"

    def test_are_taken_where_the_model_says_so(self):
        result = TRIPS.call("opentrip", {"city": "Bern", "pace": "slow"})
        assert result.data["pace"] == "slow"
        assert not result.repairs


class TestWhatValidationCannotRead:
    @looped(
        ("arguments", "said"),
        [
            (
                {"text": "a\ud83d"},
                "$.text: character 2 of the text is \\ud83d, half of a surrogate",
            ),
            (
                {"text": "a", "tags": ["b", "\udc00"]},
                "$.tags[1]: character 1 of the text is \\udc00",
            ),
            ({"text": "a", "tags": '["\\ud83d"]'}, "$.tags[0]: character 1 of the text is \\ud83d"),
            ({"args": {"text": "\ud83d"}}, "$.args.text: character 1 of the text"),
            ({"text": "a", "b\ud83d": 1}, '$["b\\ud83d"]: character 2 of the name is \\ud83d'),
            ({"text": {"b\ud83d": 1}}, '$.text["b\\ud83d"]: character 2 of the name'),
        ],
    )
    def test_half_of_a_surrogate_pair_is_refused_where_it_stands(
        self, arguments: Any, said: str
    ) -> None:
        for sent in (
            {"op": "notes.add", **arguments},
            json.dumps({"op": "notes.add", **arguments}),
        ):
            result = SUMS.call("sums", sent)
            assert result.is_error
            assert result.text.startswith(said)
            if "character" in said:
                assert "send the whole character, or leave it out" in result.text
            result.text.encode()

    def test_both_halves_are_a_character(self) -> None:
        result = SUMS.call("sums", {"op": "notes.add", "text": "\ud83d\ude00"})
        assert result.data["text"] == "\N{GRINNING FACE}"

    def test_what_is_nested_too_deep_is_named_so(self) -> None:
        deep: Any = 1
        for _ in range(500):
            deep = [deep]
        result = SUMS.call("sums", {"op": "notes.add", "text": deep})
        assert result.text.startswith("$: nested too deep; send it again, flatter")

    def test_a_number_of_thousands_of_digits_is_refused_for_a_model(self) -> None:
        text = f'{{"op": "add", "left": {"1" * 5_000}}}'
        for sent in (text, {"op": "add", "left": 10**5_000}):
            result = SUMS.call("sums", sent)
            assert "a number has thousands of digits; send a shorter one" in result.text
            assert "sys." not in result.text

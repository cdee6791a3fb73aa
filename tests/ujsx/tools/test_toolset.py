"""Operations and toolsets: what can be one, and how it is told to a provider."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, RootModel, create_model

from tests.ids import looped
from tests.ujsx.tools.sums import OPERATIONS, SUMS, Nothing
from ujsx import DefinitionError, SchemaError
from ujsx.elements import Paragraph, Section
from ujsx.schema import DIALECTS, router_schema
from ujsx.tools import Operation, ToolResult, Toolset, example_arguments


async def later(_: object) -> None: ...


class TestOneTool:
    """Operations whose names say little by themselves stay together."""

    ONE = Toolset(OPERATIONS, name="sums", one_tool=True)

    @looped("layout", ["grouped", "flat", "loose", "separate"])
    def test_is_one_in_any_layout(self, layout: str):
        assert [each["name"] for each in self.ONE.definitions("mcp", layout=layout)] == ["sums"]

    def test_has_its_own_name_alone(self):
        [first, *_] = OPERATIONS
        assert self.ONE.has("sums")
        assert not self.ONE.has(first.name)
        assert SUMS.has(first.name)


class TestOperation:
    @looped("name", ["", "Add", "add one", "a..b", ".a", "a.", "1a", "ä"])
    def test_has_a_name_of_lower_case_words(self, name):
        with pytest.raises(DefinitionError, match="not a valid name for an operation"):
            Operation(name, Nothing, lambda _: None)

    def test_takes_a_value_as_the_only_member_of_its_arguments(self):
        got: list[Any] = []
        toolset = Toolset([Operation("add", RootModel[list[int]], got.append)], name="tools")
        assert not toolset.call("add", {"root": [1, 2]}).is_error
        assert got == [RootModel[list[int]]([1, 2])]
        assert "$.root[0]" in toolset.call("add", {"root": ["x"]}).text

    @looped("arguments", [dict, {"a": int}, None])
    def test_takes_a_model(self, arguments: Any):
        with pytest.raises(DefinitionError, match="its arguments are a Pydantic model"):
            Operation("add", arguments, lambda _: None)

    def test_may_be_asynchronous(self):
        assert Operation("add", Nothing, later).is_async
        assert not Operation("add", Nothing, lambda _: None).is_async

    @looped(
        ("handler", "message"),
        [
            ("add", "^add: its handler is a function, not 'add'$"),
            (lambda one, two: None, r"takes \(one, two\) \(missing a required argument: 'two'\)"),
            (lambda: None, r"takes \(\) \(too many positional arguments\)"),
            (lambda *, given: None, "give a bound method, or a lambda with one parameter"),
        ],
    )
    def test_has_a_handler_of_one_argument(self, handler: Any, message: str):
        with pytest.raises(DefinitionError, match=message):
            Operation("add", Nothing, handler)

    @looped("handler", [print, {}.get, dict, lambda *several: several])
    def test_takes_anything_that_can_be_called_so(self, handler: Any):
        assert Operation("add", Nothing, handler).handler is handler

    def test_needs_a_handler_unless_a_component_answers(self):
        with pytest.raises(DefinitionError, match="only a component works without a handler"):
            Operation("add", Nothing)
        tools = Toolset([Operation("section", Section)], name="page")
        assert tools.call("section", {"title": "# Notes"}).text == "# # Notes"

    def test_tells_what_is_wrong_inside_a_component(self):
        tools = Toolset([Operation("section", Section)], name="page")
        result = tools.call("section", {"titel": "Notes"})
        assert result.text.splitlines()[:2] == [
            '$.titel: no such argument; did you mean "title"?',
            "$.title: required, but not given",
        ]

    def test_without_help_has_the_first_line_of_its_arguments_docstring(self) -> None:
        class Refund(BaseModel):
            """Refund an order.

            All of it, or a part.
            """

        class Invoice(BaseModel):
            """PDF of an order."""

        class Bare(BaseModel):
            pass

        class Inherits(Refund):
            pass

        def helped(model: type[BaseModel], **more: str) -> str:
            return Operation("orders.refund", model, lambda _: "done", **more).help

        assert [helped(each) for each in (Refund, Invoice, Bare, Inherits)] == [
            "Refund an order.", "PDF of an order.", "", "",
        ]  # fmt: skip
        assert helped(Refund, help="money back") == "money back"
        assert Operation("show", Section).help
        several = [
            Operation(name, Refund, lambda _: "done") for name in ("refund", "orders.refund")
        ]
        assert Toolset(several, name="shop").describe().splitlines()[:2] == [
            "refund: Refund an order.",
            "orders.refund: Refund an order.",
        ]


class TestAnswers:
    @looped(
        ("value", "text", "data"),
        [
            ("plain", "plain", None),
            (None, "Done.", None),
            ({"a": (1, 2)}, '{"a":[1,2]}', {"a": [1, 2]}),
            (3, "3", 3),
            (Paragraph()["# a"], "\\# a", None),
            (ToolResult("x", is_error=True), "x", None),
        ],
    )
    def test_are_text_rendered_or_json(self, value, text, data):
        tools = Toolset([Operation("get", Nothing, lambda _: value)], name="tools")
        result = tools.call("get", {})
        assert (result.text, result.data) == (text, data)
        assert str(result) == text

    def test_that_cannot_be_told_are_the_handlers_mistake(self):
        tools = Toolset([Operation("get", Nothing, lambda _: object())], name="tools")
        assert tools.call("get", {}).data["error"] == "broken"


class TestToolset:
    def test_refuses_operations_that_cannot_be_told_apart(self):
        with pytest.raises(DefinitionError, match=r'"notes_clear" and "notes.clear" cannot'):
            Toolset([*OPERATIONS, Operation("notes_clear", Nothing, print)], name="tools")
        with pytest.raises(DefinitionError, match='"add" and "add" cannot'):
            Toolset([OPERATIONS[0], OPERATIONS[0]], name="tools")
        with pytest.raises(DefinitionError, match='"add" and "Add" cannot'):
            Toolset([OPERATIONS[0]], name="Add")
        with pytest.raises(DefinitionError, match=r"both are ujsx.elements.*Section; give one"):
            Toolset([Operation("a.b", Section), Operation("a_b", Section)], name="tools")

    def test_makes_operations_of_functions_and_components(self):
        def search(query: str, limit: int = 3) -> str:
            """Search the web."""
            return f"{query} {limit}"

        tools = Toolset([search, Section])
        assert tools.call("tools", {"op": "search", "query": "x"}).text == "x 3"
        assert tools.call("tools", {"op": "section", "title": "Notes"}).text == "# Notes"

    @looped(
        ("given", "write"),
        [
            ([Nothing], r"write Operation\(\"nothing\", Nothing, what answers\)$"),
            ([print], r"write Operation\.of\(a function\)$"),
            (
                [SUMS],
                r"write its operations, \[\*toolset\.operations\.values\(\)\], without its help$",
            ),
            (["add"], r"write Operation\(\"name\", a component\), or Operation\.of\(a function\)$"),
            (print, r"^tools: its operations are a list, not .*; write Toolset\(\[…\]\)$"),
        ],
    )
    def test_says_what_to_write_in_place_of_what_is_no_operation(self, given, write):
        with pytest.raises(DefinitionError, match=write):
            Toolset(given, name="tools")

    @looped("layout", ["many", "groupd"])
    def test_says_which_layouts_are_one_tool_and_which_several(self, layout):
        with pytest.raises(
            SchemaError, match=r'"separate" is a tool for each operation, the others'
        ):
            SUMS.definitions("mcp", layout=layout)

    def test_lists_what_becomes_of_the_keywords_of_each_tool(self):
        found = SUMS.lint("gemini")
        assert found.keys() == {each["name"] for each in SUMS.definitions("gemini")}
        assert "/properties/due_in" in {loss.pointer for loss in found["notes_add"]}
        missing = [loss.pointer for loss in found["add"] if loss.outcome == "missing"]
        assert missing == ["/properties/right"]  # and not what the tool is for
        [(name, losses)] = SUMS.lint("gemini", layout="grouped").items()
        assert name == "sums"
        assert any(loss.pointer.startswith("/properties/call/anyOf/") for loss in losses)
        assert not any(loss.pointer.endswith("/op") for loss in losses)
        brief = SUMS.lint("gemini", layout="grouped", brief=True)["sums"]
        assert "missing" not in {loss.outcome for loss in brief}

    def test_needs_an_operation(self):
        with pytest.raises(DefinitionError, match="has no operations"):
            Toolset([], name="tools")

    def test_leaves_rare_operations_to_help(self):
        assert "notes.clear" not in str(SUMS.definition("mcp"))
        assert "notes.clear" in str(SUMS.definition("mcp", rare=True))
        assert "clear all of them" in SUMS.describe()

    def test_is_one_tool(self):
        definition = SUMS.definition("anthropic")
        assert definition["name"] == "sums"
        assert definition["description"] == "Sums, and notes on them."
        assert list(definition["input_schema"]["properties"]) == ["call"]
        assert SUMS.definitions("anthropic", layout="grouped", rare=False) == [definition]

    def test_is_as_many_tools_as_operations(self):
        definitions = SUMS.definitions("openai")
        names = [each["function"]["name"] for each in definitions]
        assert names == ["add", "notes_add", "mood", "draw", "notes_clear", "crash"]
        assert definitions[1]["function"]["description"] == "notes: add what to keep in mind"

    def test_has_no_one_definition_when_separate(self):
        with pytest.raises(SchemaError, match=r"ask for definitions\(\)"):
            SUMS.definition("mcp", layout="separate")

    def test_has_help_where_operations_share_it(self):
        assert SUMS.call("sums", {"op": "help"}).text == SUMS.describe()
        told = SUMS.call("sums", {"op": "help", "operation": "add"}).text
        assert told == SUMS.describe("add")
        assert "help on an operation" in str(SUMS.definition("mcp"))
        names = [each["name"] for each in SUMS.definitions("mcp")]
        assert "help" not in names

    def test_has_no_help_where_there_is_nothing_to_tell(self):
        alone = Toolset([OPERATIONS[0]], name="alone")
        assert list(alone.operations) == ["add"]
        own = Toolset([*OPERATIONS, Operation("help", Nothing, lambda _: "mine")], name="own")
        assert own.call("own", {"op": "help"}).text == "mine"

    def test_says_what_is_wrong_in_plain_words(self):
        class Either(BaseModel):
            value: int | list[int] | Annotated[str, AfterValidator(str.strip)]

        tools = Toolset([Operation("either", Either, print)], name="tools")
        result = tools.call("either", {"value": None})
        assert result.text.splitlines()[0] == (
            "$.value: input should be a valid integer or a valid array or a valid string (got null)"
        )

    @looped(
        ("tool", "call"),
        [
            ("sums", '{"call": {"op": "add", "left": "<integer>"}}'),
            ("add", '{"left": "<integer>"}'),
        ],
    )
    def test_ends_an_error_with_a_call_that_fits(self, tool, call):
        result = SUMS.call(tool, {"op": "add", "left": "x"})
        assert result.text.splitlines()[-1] == f"for example {call}"
        assert SUMS.call(tool, call).data["error"] == "bad arguments"
        assert not SUMS.call(tool, call.replace('"<integer>"', "1")).is_error

    def test_makes_up_no_value_in_a_call_that_is_shown(self):
        class Refund(BaseModel):
            amount: Annotated[Decimal, Field(gt=0)]
            on: date
            why: Literal["late", "broken"]
            all_of_it: bool
            times: Annotated[int, Field(examples=[3])]
            to: Literal["card"]
            long: Literal["a" * 50, "b" * 50]  # type: ignore[valid-type]
            lines: list[int]

        shop = Toolset([Operation("refund", Refund, print)], name="shop")
        text = shop.definitions("mcp", example=True)[0]["description"]
        assert text.splitlines()[-1] == (
            'For example {"amount": "<number>", "on": "<date: YYYY-MM-DD>", "why": "<late | broken>", "all_of_it": "<true | false>", '
            '"times": 3, "to": "card", "long": "<one of the choices>", "lines": ["<integer>"]}'
        )
        assert example_arguments(shop.operations["refund"]) is not None

    def test_describes_one_operation_with_its_schema(self):
        assert SUMS.describe("NotesClear") == (
            'notes: clear all of them\n{"additionalProperties":false,"properties":{},"type":"object"}'
        )

    @looped("dialect", DIALECTS)
    @looped("layout", ["grouped", "flat"])
    def test_says_the_same_bytes_each_time(self, dialect, layout):
        tools = [Toolset(OPERATIONS, name="sums") for _ in range(2)]
        first, second = (str(each.definition(dialect, layout=layout)) for each in tools)
        assert first == second

    def test_shortens_a_schema_that_is_too_long(self):
        class Long(BaseModel):
            __annotations__ = {f"argument_{number}": str for number in range(100)}

        tools = Toolset([Operation("long", Long, print)], name="tools")
        text = tools.describe("long")
        assert '"argument_0","argument_1"' in text
        assert len(text) < 1_700


class TestPrefixes:
    """Names that are exported with a prefix are answered."""

    def test_a_call_by_an_exported_name_is_answered(self) -> None:
        hotel = Toolset(name="tools")

        @hotel.operation
        def booking(guest: str) -> str:
            return f"Booked for {guest}."

        assert not hotel.has("hotel_booking")
        (exported,) = hotel.definitions("anthropic", prefix="hotel_")
        assert hotel.has(exported["name"])
        result = hotel.call(exported["name"], {"guest": "Ann"})
        assert (result.text, result.is_error, result.operation) == (
            "Booked for Ann.",
            False,
            "booking",
        )
        assert not hotel.has("motel_booking")
        assert hotel.call("motel_booking", {"guest": "Ann"}).is_error


def test_an_asynchronous_operation_is_not_begun_where_it_cannot_be_waited_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop = Toolset(name="shop")
    begun: list[str] = []

    @shop.operation
    async def refund(order: str) -> str:
        begun.append(order)
        return order

    async def main() -> str:
        return shop.call("refund", {"order": "A-7"}).text

    assert asyncio.run(main()) == "refund cannot be done here now; nothing was done"
    assert begun == []
    assert "await toolset.acall" in caplog.text


class TestRefused:
    """What a dialect cannot say is told of the operation that its author has written."""

    def toolset(self) -> Toolset:
        port = Toolset(name="port")

        @port.operation(name="ships.list")
        def ships(berth: str) -> str:
            """List ships."""
            return berth

        @port.operation(name="fees.compute")
        def fees(ship: str, extras: Nothing) -> str:
            """Compute fees."""
            return f"{ship} {extras}"

        @port.operation(name="fees.note")
        def note(by_ship: Nothing) -> str:
            """Note what was said."""
            return f"{by_ship}"

        return port

    @looped("brief", [True, False])
    @looped("layout", ["grouped", "flat"])
    def test_of_several_in_a_tool_is_told_of_the_first_with_the_others(
        self, layout: str, brief: bool
    ):
        with pytest.raises(SchemaError) as refused:
            self.toolset().definitions("gemini", layout=layout, brief=brief)
        assert refused.value.path == "fees.compute / #/$defs/Nothing"
        assert refused.value.message.startswith("gemini takes no object without properties")
        assert refused.value.message.endswith("; refused as well: fees.note")

    def test_of_separate_tools_has_the_same_place(self):
        with pytest.raises(SchemaError) as refused:
            self.toolset().definitions("gemini")
        assert refused.value.path == "fees.compute / #/$defs/Nothing"
        with pytest.raises(
            SchemaError, match=r"^fees\.compute / #/\$defs/Nothing: gemini takes no"
        ):
            router_schema(
                [*self.toolset().operations.values()], dialect="gemini", layout="separate"
            )

    def test_of_an_unknown_dialect_names_no_operation(self):
        for layout in ("grouped", "separate"):
            with pytest.raises(SchemaError, match=r'^"gemeni" is not a dialect'):
                self.toolset().definitions("gemeni", layout=layout)

    def test_of_what_only_all_of_them_exceed_names_none(self):
        def of(place: int) -> Operation:
            words = tuple(f"word{place}-{each}" for each in range(200))
            choice: Any = Literal
            model = create_model(f"Many{place}", **{f"word{place}": (choice[words], ...)})
            return Operation(f"op{place}", model, lambda _: None)

        with pytest.raises(SchemaError) as refused:
            Toolset(map(of, range(6)), name="many").definition("openai-strict")
        assert refused.value.path == "#"


def test_a_date_time_that_lacks_its_offset_is_told_with_the_form_that_it_has():
    port = Toolset(name="port")

    @port.operation
    def arrive(eta: AwareDatetime) -> str:
        """Say when a ship arrives."""
        return f"{eta:%Y}"

    refused = port.call("arrive", {"eta": "2026-05-01T10:00"})
    placeholder = '{"eta": "<date-time with offset: YYYY-MM-DDThh:mm:ssZ>"}'
    assert refused.is_error
    assert refused.text.endswith(f"for example {placeholder}")
    assert port.call("arrive", json.loads(placeholder)).is_error  # it is no value that a tool takes
    assert port.call("arrive", {"eta": "2026-05-01T10:00:00Z"}).text == "2026"

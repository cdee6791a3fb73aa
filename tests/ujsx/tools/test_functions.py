"""Operations as people write them: functions and coroutines, with a context or without."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import typing
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from ujsx import Component, DefinitionError, SchemaError, UjsxError
from ujsx.schema import lint, tool_definition, tool_schema
from ujsx.tools import Operation, ToolResult, Toolset


class Weird:
    """No data."""


class Old(typing.TypedDict):
    """What Pydantic takes from Python 3.12 on."""

    berth: int


class Berth(IntEnum):
    NORTH = 1
    SOUTH = -22


class Rate(Enum):
    LOW = 1.5
    HIGH = 2.0


class Service:
    def tug(self, berth: int) -> str:
        return f"To {berth}."


class Crate(BaseModel):
    parts: list[Part]


def ship(order: Crate) -> str:
    return str(order)


class Part(BaseModel):
    name: str


def shop() -> tuple[Toolset, list[object]]:
    tools = Toolset(name="shop", description="A shop.")
    seen: list[object] = []

    @tools.operation
    def refund(
        ctx: list[object], order: str, amount: Decimal, why: Literal["late", "broken"] = "late"
    ) -> str:
        """Refund an order.

        :param order: The number of the order,
            as the customer wrote it.
        :param amount: In euros.
        """
        ctx.append((order, amount, why))
        return f"Refunded {amount}."

    @tools.operation(name="orders.list", reads=True)
    async def orders(limit: Annotated[int, Field(ge=1)] = 10) -> dict[str, int]:
        """List orders.

        Args:
            limit: How many
                at most.
        """
        await asyncio.sleep(0)
        seen.append(threading.current_thread())
        return {"limit": limit}

    @tools.operation
    def slow() -> None:
        """Take a while."""
        seen.append(threading.current_thread())

    return tools, seen


class TestArguments:
    def test_are_the_parameters(self) -> None:
        tools, _ = shop()
        done: list[object] = []
        result = tools.call("shop", {"op": "refund", "order": 7, "amount": "2.50"}, context=done)
        assert (str(result), done) == ("Refunded 2.50.", [("7", Decimal("2.50"), "late")])
        assert [each.kind for each in result.repairs] == ["text"]

    def test_are_described_by_the_docstring(self) -> None:
        tools, _ = shop()
        by_name = {each["name"]: each for each in tools.definitions("mcp")}
        told = by_name["refund"]["inputSchema"]["properties"]
        assert "ctx" not in told
        assert told["order"]["description"] == "The number of the order, as the customer wrote it."
        assert by_name["refund"]["description"] == "Refund an order."
        limit = by_name["orders_list"]["inputSchema"]["properties"]["limit"]
        assert limit["description"] == "How many at most."

    def test_say_in_a_field_what_they_are_wherever_it_stands(self) -> None:
        def ship(
            *,
            whence: Annotated[str, Field(description="Whence.", min_length=2)],
            start: Annotated[str, Field(alias="from")],
            copy: Annotated[str, Field(alias="json")],
            schema: str,
            z: str = Field(alias="class"),
            count: Annotated[int, Field(description="How many.")] = 3,
            least: Annotated[int, Field(default=4)] = Field(ge=1),
        ) -> str:
            """Ship.

            Args:
                whence: Not read.
                start: Where it is.
                schema: Whose.
                z: Of which class.
            """
            return f"{whence} {start} {copy} {schema} {z} {count} {least}"

        tools = Toolset([Operation.of(ship)], name="tools")
        schema = tools.definitions("mcp")[0]["inputSchema"]
        assert schema["properties"] == {
            "whence": {"description": "Whence.", "minLength": 2, "type": "string"},
            "from": {"description": "Where it is.", "type": "string"},
            "json": {"type": "string"},
            "schema": {"description": "Whose.", "type": "string"},
            "class": {"description": "Of which class.", "type": "string"},
            "count": {"default": 3, "description": "How many.", "type": "integer"},
            "least": {"default": 4, "minimum": 1, "type": "integer"},
        }
        given = {"whence": "ab", "from": "c", "json": "d", "schema": "e", "class": "f"}
        assert schema["required"] == [*given]
        assert tools.call("ship", given).text == "ab c d e f 3 4"

    def test_called_op_are_those_of_separate_tools(self) -> None:
        def count(op: Literal["plus", "count"], left: int) -> str:
            """Count."""
            return f"{op} {left}"

        def add(what: Annotated[str, Field(alias="op_name")], op: str = Field(alias="x")) -> str:
            return what + op

        tools = Toolset([Operation.of(count), Operation.of(add)], name="sums")
        assert len(tools.definitions("mcp")) == 2
        for op in ("plus", "count"):
            assert tools.call("count", {"op": op, "left": "2"}).text == f"{op} 2"
        with pytest.raises(SchemaError, match=r"^count: in a tool .* rename it, .*op_name"):
            tools.definition("mcp")
        with pytest.raises(DefinitionError, match=r"^count: in a tool .* rename it"):
            Toolset([Operation.of(count)], name="sums", one_tool=True)
        shared = Toolset([Operation.of(add)], name="sums", one_tool=True)
        assert shared.call("sums", {"op": "add", "op_name": "a", "x": "b"}).text == "ab"

    def test_are_described_in_the_style_of_numpy_too(self) -> None:
        def moor(
            berth: int,
            x: float,
            y: float,
            line: Annotated[str, Field(alias="rope")],
            late: bool = False,
        ) -> str:
            """Moor a ship.

            Parameters
            ----------
            berth : int
                Where to,
                at the quay.

                Not on Sundays: closed.
            x, y : float
                Its bow.
            line
                Which rope.

            Returns
            -------
            late : str
                How it went.

            Other Parameters
            ----------------
            late : bool, optional
                Whether it is late.

            Notes
            -----
            berth : no more.
            """
            return ""

        told = Toolset([Operation.of(moor)], name="t").definitions("mcp")[0]
        assert told["description"] == "Moor a ship."
        said = {
            name: each["description"] for name, each in told["inputSchema"]["properties"].items()
        }
        assert said == {
            "berth": "Where to, at the quay. Not on Sundays: closed.",
            "x": "Its bow.",
            "y": "Its bow.",
            "rope": "Which rope.",
            "late": "Whether it is late.",
        }

    @looped(
        "piece",
        [
            "x : int\n    Where.\n",
            "x, ",
            "    words\n",
            "----\n",
            "Parameters\n----------\n",
            "- ",
            "\n",
        ],
    )
    def test_are_read_in_proportion_to_the_docstring(self, piece: str) -> None:
        def moor(x: int) -> None: ...

        def read(text: str) -> None:
            moor.__doc__ = f"Moor.\n\nParameters\n----------\n{text}"
            Operation.of(moor)

        assert growth(read, piece * 1_000, piece * 8_000) <= IN_PROPORTION

    def test_that_do_not_fit_reach_no_function(self) -> None:
        tools, seen = shop()
        result = tools.call("orders.list", {"limit": 0})
        assert result.is_error
        assert "$.limit" in result.text
        assert seen == []

    def test_may_have_the_names_of_what_models_have(self) -> None:
        tools = Toolset(name="names")

        @tools.operation
        def odd(copy: str, model_name: str, schema: int = 3) -> str:
            return f"{copy} {model_name} {schema}"

        given = {"copy": "a", "model_name": "b", "schema": "4"}
        assert tools.call("odd", given).text == "a b 4"
        assert set(tools.definitions("mcp")[0]["inputSchema"]["properties"]) == set(given)

    @looped(
        ("function", "refusal"),
        [
            (lambda order: None, "has no type"),
            (lambda *orders: None, "has no name in a call"),
            (lambda **orders: None, "has no name in a call"),
            (print, "has no name in a call"),
            (dict, "an operation is a function"),
            ("refund", "an operation is a function"),
        ],
    )
    def test_without_a_type_or_a_name_are_refused(self, function: Any, refusal: str) -> None:
        with pytest.raises(DefinitionError, match=refusal):
            Operation.of(function, name="refund")

    @looped(
        ("kind", "shown"),
        [
            (Weird, "Weird"),
            (list[Weird], r"list\[.*Weird\]"),
            (Callable[[int], int], r".*Callable\[\[int\], int\]"),
            (dict[str, Callable[[], None]], r"dict\[str, .*Callable\[\[\], None\]\]"),
            (Component, r".*Component"),
        ],
    )
    def test_whose_values_no_call_can_give_are_refused(self, kind: Any, shown: str) -> None:
        def refund(order: str, hook: kind) -> None: ...

        refund.__annotations__["hook"] = kind
        said = rf"^pay: the parameter hook is of a type that no call can give, {shown}: arguments are data"
        with pytest.raises(DefinitionError, match=said):
            Operation.of(refund, name="pay")

    @pytest.mark.skipif(sys.version_info >= (3, 12), reason="Pydantic takes it there")
    def test_that_make_no_model_are_refused_in_the_words_of_pydantic(self) -> None:
        def moor(ship: str, at: list[Old]) -> None: ...

        said = r"^moor: the parameter at cannot be an argument: .*`typing_extensions.TypedDict`"
        with pytest.raises(DefinitionError, match=said):
            Operation.of(moor)

    def test_of_a_method_without_its_instance_are_refused_with_the_way_to_bind_it(self) -> None:
        with pytest.raises(
            DefinitionError, match=r"^tug: self is not .* bind the method: Service\(\)\.tug$"
        ):
            Operation.of(Service.tug)

        def loose(self, berth: int) -> None: ...  # type: ignore[no-untyped-def]

        with pytest.raises(DefinitionError, match=r"bind the method: instance\.loose$"):
            Operation.of(loose)
        assert (
            Toolset([Operation.of(Service().tug)], name="t").call("tug", {"berth": 7}).text
            == "To 7."
        )

    def test_of_classes_that_are_data_are_taken(self) -> None:
        def pack(where: Path, of: Crate, until: date | None) -> None: ...

        assert set(Operation.of(pack).arguments.model_fields) == {"where", "of", "until"}

    def test_of_a_class_that_is_finished_later_are_taken(self) -> None:
        assert "order" in Operation.of(ship).arguments.model_fields

    def test_of_types_that_are_not_there_are_refused(self) -> None:
        def refund(order: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

        with pytest.raises(DefinitionError, match="types of its parameters cannot be read"):
            Operation.of(refund)


def middle(order: str, ctx: str, amount: int = 1) -> str:
    """Refund an order."""
    return f"{ctx} {order} {amount}"


def last(order: str, *, ctx: str) -> str:
    return f"{ctx} {order}"


def first(ctx: str, /, order: str) -> str:
    return f"{ctx} {order}"


def optional(order: str, ctx: str | None) -> str:
    return f"{ctx} {order}"


def by_default(order: str, ctx: str = "Eve") -> str:
    return f"{ctx} {order}"


def of_anything(ctx: object, order: str) -> str:
    return f"{ctx} {order}"


def untyped(ctx, order: str) -> str:  # type: ignore[no-untyped-def]
    return f"{ctx} {order}"


async def waiting(order: str, ctx: str) -> str:
    return f"{ctx} {order}"


@wraps(first)
def decorated(*given: Any, **named: Any) -> str:
    return first(*given, **named)


class TestContext:
    @looped(
        "function",
        [middle, last, first, optional, by_default, of_anything, untyped, waiting, decorated],
    )
    def test_is_what_ctx_gets_wherever_it_stands(self, function: Any) -> None:
        tools = Toolset([Operation.of(function, name="do")], name="tools")
        assert "ctx" not in str(tools.definitions("mcp"))
        assert tools.call("do", {"order": "A"}, context="Kim").text.startswith("Kim A")
        refused = tools.call("do", {"order": "A", "ctx": "Eve"}, context="Kim")
        assert refused.text.startswith("$.ctx: no such argument")

    @pytest.mark.parametrize("function", [middle, last, first, untyped, waiting])
    def test_that_is_missing_is_told_to_the_host_and_nothing_is_done(
        self, function: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        tools = Toolset([Operation.of(function, name="do")], name="tools")
        for result in (
            tools.call("do", {"order": "A"}),
            asyncio.run(tools.acall("do", {"order": "A"})),
        ):
            assert (result.is_error, result.operation) == (True, "do")
            assert result.text == "do cannot be done here now; nothing was done"
        assert (
            caplog.text.count("do needs the context of the call: toolset.call(…, context=…)") == 2
        )

    @looped(
        ("function", "said"), [(optional, "None A"), (by_default, "Eve A"), (of_anything, "None A")]
    )
    def test_may_be_missing_where_the_function_says_so(self, function: Any, said: str) -> None:
        tools = Toolset([Operation.of(function, name="do")], name="tools")
        assert tools.call("do", {"order": "A"}).text == said

    def test_is_needed_by_a_handler_that_takes_it(self, caplog: pytest.LogCaptureFixture) -> None:
        class Order(BaseModel):
            order: str

        def handle(session: str, asked: Order) -> str:
            return f"{session} {asked.order}"

        tools = Toolset([Operation("do", Order, handle, takes_context=True)], name="tools")
        assert tools.call("do", {"order": "A"}, context="Kim").text == "Kim A"
        assert tools.call("do", {"order": "A"}).is_error
        assert "do needs the context" in caplog.text

    @looped("kind", [object, Any, Weird])
    def test_under_another_name_is_refused_with_its_own(self, kind: Any) -> None:
        def do(context: kind, order: str) -> None: ...

        do.__annotations__["context"] = kind
        with pytest.raises(DefinitionError, match=r'the parameter context .* called "ctx"'):
            Operation.of(do)

    def test_in_the_words_of_a_model_is_an_argument_with_a_type(self) -> None:
        def explain(context: str) -> str:
            return context

        assert Operation.of(explain).arguments.model_fields.keys() == {"context"}


class TestDescription:
    """What the author wrote is what the model reads."""

    @looped(
        ("more", "alone", "shared"),
        [
            ({}, "Ask for\nfree rooms.\n\nBoth wings.", "rooms.free: Ask for free rooms."),
            ({"help": "free rooms"}, "rooms: free rooms", "rooms: free rooms"),
            ({"help": "Rooms, *free*."}, "Rooms, *free*.", "rooms.free: Rooms, *free*."),
            ({"help": "of guests"}, "rooms: free of guests", "rooms: free of guests"),
            ({"name": "ask"}, "Ask for\nfree rooms.\n\nBoth wings.", "ask: Ask for free rooms."),
        ],
    )
    def test_is_the_docstring_or_the_help_as_it_was_written(
        self, more: dict[str, str], alone: str, shared: str
    ) -> None:
        def free(kind: str) -> str:
            """Ask for
            free rooms.

            Both wings.

            Args:
                kind: Which.

            Returns:
                Their numbers.
            """
            return kind

        one = Operation.of(free, **{"name": "rooms.free", **more})
        tools = Toolset([one, Operation.of(middle, name="refund")], name="hotel")
        told = {each["name"]: each["description"] for each in tools.definitions("mcp")}
        assert told == {one.tool_name: alone, "refund": "Refund an order."}
        lines = tools.describe().splitlines()
        assert lines[:2] == [shared, "refund: Refund an order."]
        assert tools.describe(one.name).startswith(
            f"{one.name}: {alone}" if one.description else shared
        )

    def test_of_a_partial_is_that_of_its_function(self) -> None:
        one = Operation.of(partial(middle, order="A"), name="refund")
        assert one.description == "Refund an order."

    def test_is_nothing_where_nobody_wrote_one(self) -> None:
        one = Operation.of(last, name="orders.last")
        assert (one.help, one.description) == ("", "")
        assert Toolset([one], name="t").definitions("mcp")[0]["description"] == "orders: last"


def moored(kind: Any, given: object) -> tuple[ToolResult, list[object]]:
    """Call a function whose argument is of a type; the answer, and what it was called with."""
    got: list[object] = []

    def moor(at: kind) -> None:
        got.append(at)

    moor.__annotations__["at"] = kind
    return Toolset([Operation.of(moor)], name="t").call("moor", {"at": given}), got


class TestNumbersAsText:
    """A number as text is mended where it is one choice, as it is where any number is taken."""

    @looped(
        ("kind", "given", "meant"),
        [
            (Literal[1, 2, 3], "2", 2),
            (Literal[1, 2, 3], " 3 ", 3),
            (Literal[2, "it's 2", "a, 2 or 3"], "2", 2),
            (Literal[1, "x"] | None, "1", 1),
            (Literal["two", 1], "TWO", "two"),
            (list[Literal[1, 2]], ["1", 2], [1, 2]),
            (Berth, "1", Berth.NORTH),
            (Berth, "-22", Berth.SOUTH),
            (Literal[Berth.NORTH, Berth.SOUTH], "-22", Berth.SOUTH),
            (Rate, "1.5", Rate.LOW),
        ],
    )
    def test_are_mended(self, kind: Any, given: Any, meant: object) -> None:
        result, got = moored(kind, given)
        assert not result.is_error, result.text
        assert (got, len(result.repairs)) == ([meant], 1)

    @looped(
        ("kind", "given"),
        [
            (Literal[1, 2], "3"),
            (Literal[1, 12], "2"),
            (Literal[1, 2], "1 or 2"),
            (Literal[1, 2], "02"),
            (Literal["it's 2", 1], "2"),
            (Literal["1_", 1], "1"),
            (Literal[True], "1"),
            (Berth, "2"),
            (Rate, "1.50"),
        ],
    )
    def test_are_refused_where_no_choice_or_several_may_be_meant(
        self, kind: Any, given: str
    ) -> None:
        def moor(at: kind) -> None: ...

        moor.__annotations__["at"] = kind
        result = Toolset([Operation.of(moor)], name="t").call("moor", {"at": given})
        assert (result.is_error, "$.at" in result.text) == (True, True)


class Grade(Enum):
    FIRST = "1"
    SECOND = "2"


class TestNumbersAmongTexts:
    """A number or a boolean is mended where the choices are texts, and one of them is how JSON has it."""

    @looped(
        ("kind", "given", "meant"),
        [
            (Literal["1", "2", "3"], 1, "1"),
            (Literal["1", "2"], 2.0, "2"),
            (Literal["1.5", "2"], 1.5, "1.5"),
            (Literal["1", "2"] | None, 1, "1"),
            (list[Literal["1", "2"]], [1, 2], ["1", "2"]),
            (Literal["auto", 1, "2"], 2, "2"),
            (Literal["true", "false"], True, "true"),
            (Literal["1", False], 1, "1"),
            (Literal["TRUE", "FALSE"], False, "FALSE"),
            (Grade, 2, Grade.SECOND),
        ],
    )
    def test_are_mended(self, kind: Any, given: Any, meant: object) -> None:
        result, got = moored(kind, given)
        assert not result.is_error, result.text
        assert got == [meant]
        assert {each.kind for each in result.repairs} == {"text"}

    @looped(
        ("kind", "given"),
        [
            (Literal["1", "2"], 3),
            (Literal["1", "1.0"], 1.0),
            (Literal["it's '1'", "2"], 1),
            (Literal["1", False], True),
            (Literal["true", "True"], True),
            (Literal["yes", "no"], True),
            (Literal["01"], 1),
            (Literal["", "a"], "?"),
        ],
    )
    def test_are_refused_where_no_choice_or_several_may_be_meant(
        self, kind: Any, given: object
    ) -> None:
        def moor(at: kind) -> None: ...

        moor.__annotations__["at"] = kind
        result = Toolset([Operation.of(moor)], name="t").call("moor", {"at": given})
        told = repr(given) if isinstance(given, str) else json.dumps(given)
        assert (result.is_error, f"(got {told})" in result.text) == (True, True)


class TestTool:
    """Schemas are made below this room: what is told there has to lead to the whole tool."""

    @looped(
        ("given", "written"),
        [
            (middle, "Operation.of(middle)"),
            (lambda: None, "Operation.of(function)"),
            (Operation.of(middle), "operation"),
        ],
    )
    @looped("asked", [tool_schema, tool_definition, lint])
    def test_of_a_function_is_where_a_schema_is_refused(
        self, asked: Any, given: Any, written: str
    ) -> None:
        with pytest.raises(SchemaError) as caught:
            asked(given, dialect="mcp")
        said = re.search(r"description, is (.*), and what that loses (.*)", str(caught.value))
        assert said is not None
        assert written in said[1]
        names = {
            "Toolset": Toolset, "Operation": Operation, "dialect": "mcp", "middle": middle,
            "operation": given, "function": last,
        }  # fmt: skip
        made = eval(said[1], names)
        assert made["name"] in {"middle", "last"}
        if made["name"] == "middle":
            assert made["description"] == "Refund an order."
        assert made["name"] in eval(said[2], names)


class TestLint:
    """What is missed is written where a function has it."""

    def test_says_where_a_function_and_its_parameters_are_described(self) -> None:
        def pack(crate: Crate, label: str) -> None: ...

        tools = Toolset([Operation.of(pack)], name="shop")
        found = {loss.pointer: loss.reason for loss in tools.lint("mcp")["pack"]}
        assert "give the function a docstring" in found[""]
        for name in ("crate", "label"):
            reason = found[f"/properties/{name}"]
            assert all(way in reason for way in ("Args:", ":param", "Annotated[…, Field("))
        inside = found["/$defs/Crate/properties/parts"]
        assert "Args:" not in inside
        assert "write it as Field(description=…)" in inside

    def test_has_nothing_to_say_of_what_is_described_there(self) -> None:
        def pack(label: Annotated[str, Field(description="Whose.")]) -> None:
            """Pack."""

        assert Toolset([Operation.of(pack)], name="shop").lint("mcp") == {"pack": []}

    @looped(
        ("layout", "pointer"),
        [
            ("grouped", "/properties/call/anyOf/1/properties/steps"),
            ("flat", "/properties/steps"),
        ],
    )
    def test_of_a_shared_tool_says_whose_description_is_missing(
        self, layout: str, pointer: str
    ) -> None:
        def load(crate: Crate) -> None:
            """Load.

            :param crate: What.
            """

        def pull(steps: int) -> None:
            """Pull."""

        def push(steps: int) -> None:
            """Push."""

        tools = Toolset([Operation.of(each) for each in (load, pull, push)], name="crane")
        found = {loss.pointer: loss.reason for loss in tools.lint("mcp", layout=layout)["crane"]}
        assert found.keys() == {
            pointer, "/$defs/Part/properties/name", "/$defs/Crate/properties/parts",
        }  # fmt: skip
        begin = "a model has only its name to go by; for "
        assert found[pointer].startswith(
            f"{begin}steps of pull, push, write it in the function's docstring"
        )
        of_field = f"{begin}name of Part, write it as Field(description=…)"
        assert found["/$defs/Part/properties/name"].startswith(of_field)
        alone = {loss.pointer: loss.reason for loss in tools.lint("mcp")["load"]}
        assert alone["/$defs/Part/properties/name"].startswith(of_field)


class TestToolset:
    def test_keeps_the_function_as_it_is(self) -> None:
        tools = Toolset(name="sums")

        @tools.operation
        def twice(number: int) -> int:
            return 2 * number

        assert twice(4) == 8
        assert tools.call("twice", {"number": 4}).text == "8"

    def test_offers_help_as_soon_as_there_are_two(self) -> None:
        tools, _ = shop()
        assert "help" in tools.operations

    def test_without_an_operation_is_refused_when_it_is_used(self) -> None:
        with pytest.raises(DefinitionError, match="has no operations"):
            _ = Toolset(name="empty").operations

    def test_takes_no_name_twice_and_stays_what_it_was(self) -> None:
        tools, _ = shop()
        before = tools.definitions("mcp")
        with pytest.raises(
            DefinitionError, match=r'"refund" and "refund" cannot be told'
        ) as caught:
            tools.operation(lambda: None, name="Refund".lower())
        here = rf".*{re.escape(__file__)}:\d+"
        assert re.search(
            rf"they are shop\.<locals>\.refund, {here} and .*<lambda>, {here}; give one",
            str(caught.value),
        )
        assert tools.call("slow", {}).text == "Done."
        assert tools.definitions("mcp") == before  # none of them is ``help``


class TestAsynchronous:
    def test_coroutines_run_on_the_loop_and_others_in_threads(self) -> None:
        tools, seen = shop()

        async def run() -> None:
            assert (await tools.acall("orders.list", {"limit": "3"})).text == '{"limit":3}'
            assert (await tools.acall("slow", {})).text == "Done."

        asyncio.run(run())
        assert seen[0] is threading.main_thread()
        assert seen[1] is not threading.main_thread()

    def test_a_call_that_does_not_wait_has_a_loop_of_its_own(self) -> None:
        tools, _ = shop()
        assert tools.call("orders.list", {}).text == '{"limit":10}'

    def test_where_a_loop_runs_it_fails_and_says_what_to_do(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        tools, _ = shop()

        async def run() -> None:
            assert tools.call("orders.list", {}).is_error

        asyncio.run(run())
        assert "await toolset.acall" in caplog.text

    def test_refusals_and_failures_are_answers(self, caplog: pytest.LogCaptureFixture) -> None:
        tools = Toolset(name="bad")

        @tools.operation
        async def refused() -> None:
            raise UjsxError("not on Sundays")

        @tools.operation
        async def broken() -> None:
            raise ZeroDivisionError

        one, other = asyncio.run(tools.acall("refused", {})), asyncio.run(tools.acall("broken", {}))
        assert (one.text, one.is_error) == ("not on Sundays", True)
        assert "ZeroDivisionError" in other.text

    def test_a_cancelled_call_is_cancelled(self) -> None:
        tools = Toolset(name="waits")

        @tools.operation
        async def wait() -> None:
            await asyncio.sleep(60)

        async def run() -> None:
            task = asyncio.create_task(tools.acall("wait", {}))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(run())

    def test_many_threads_share_a_toolset(self) -> None:
        tools, _ = shop()
        done: list[object] = []

        async def run() -> None:
            calls = [
                tools.acall("refund", {"order": f"{n}", "amount": n}, context=done)
                for n in range(40)
            ]
            assert all(not each.is_error for each in await asyncio.gather(*calls))

        asyncio.run(run())
        assert len(done) == 40

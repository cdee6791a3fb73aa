"""Answers as data: what a tool's output schema says is what its clients get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from hud_components import CODING, Domain
from hud_runtime import HudSession, HudStore
from hud_runtime.serve.mcp import Sessions, hud_server
from hud_runtime.tools import hud_toolset
from tests.docs.domains.cases import CASES
from ujsx.elements import Paragraph
from ujsx.tools import ToolResult, Toolset

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")


class Order(BaseModel):
    number: str
    price: Decimal
    parent: Order | None = None


@dataclass
class Stock:
    left: int


def shop() -> Toolset:
    tools = Toolset(name="shop", limit=200)

    @tools.operation(reads=True)
    def order(number: str) -> Order:
        return Order(number=number, price=Decimal("9.50"))

    @tools.operation(reads=True)
    async def stock(item: str) -> Stock | None:
        return None if item == "none" else Stock(7)

    @tools.operation(reads=True)
    def orders(count: int) -> list[dict[str, str]]:
        return [{"number": f"A-{each}"} for each in range(count)]

    @tools.operation(reads=True)
    def broken(number: str) -> Order:
        return number  # type: ignore[return-value]

    @tools.operation(reads=True)
    def whole(number: str) -> ToolResult:
        return ToolResult(number, data={"anything": 1})

    @tools.operation(reads=True)
    def page(number: str) -> Paragraph | str:
        return number

    @tools.operation
    def nothing(number: str) -> None:
        return None

    return tools


async def calls(store: HudStore[Any], *asked: tuple[str, dict[str, Any]]) -> list[Any]:
    server = hud_server(Sessions(store, session_id="s"), toolsets=[shop()], read_tool=True)
    async with mcp.Client(server) as client:
        await client.list_tools()
        return [await client.call_tool(name, given) for name, given in asked]


def test_of_a_function_are_what_it_says_that_it_returns() -> None:
    schemas = {each.tool_name: each.output_schema for each in shop().operations.values()}
    assert [name for name, each in schemas.items() if each] == [
        "order",
        "stock",
        "orders",
        "broken",
    ]
    assert all(each["type"] == "object" for each in schemas.values() if each)

    async def run() -> None:
        with HudStore.open(":memory:") as store:
            order, stock, none, orders = await calls(
                store,
                ("order", {"number": "A-7"}),
                ("stock", {"item": "cable"}),
                ("stock", {"item": "none"}),
                ("orders", {"count": 2}),
            )
        held = {"number": "A-7", "price": "9.50", "parent": None}
        assert order.structured_content == {"result": held}
        assert stock.structured_content == {"result": {"left": 7}}
        assert stock.content[0].text == '{"left":7}'
        assert none.structured_content == {"result": None}
        assert none.content[0].text == "Done."
        assert orders.structured_content == {"result": [{"number": "A-0"}, {"number": "A-1"}]}

    anyio.run(run)


def test_what_does_not_hold_to_its_type_is_an_error() -> None:
    async def run() -> None:
        with HudStore.open(":memory:") as store:
            broken, whole, page = await calls(
                store, *((name, {"number": "A-7"}) for name in ("broken", "whole", "page"))
            )
        assert broken.is_error
        assert "ValidationError" in broken.content[0].text
        assert broken.structured_content is None
        for each in (whole, page):
            assert (each.content[0].text, each.structured_content) == ("A-7", None)

    anyio.run(run)


def test_words_come_in_parts_and_data_whole() -> None:
    async def run() -> None:
        with HudStore.open(":memory:") as store:
            first, second = await calls(
                store, *(("orders", {"count": 20, "part": part}) for part in (1, 2))
            )
        assert "Part 1 of" in first.content[0].text
        assert "Part 2 of" in second.content[0].text
        assert len(first.structured_content["result"]) == 20
        assert second.structured_content == first.structured_content

    anyio.run(run)


def _filled(store: HudStore[Any]) -> HudSession[Any]:
    session: HudSession[Any] = store.session("s")
    session.record("context.snapshot", used=50_000, limit=200_000, input=3, model="m")
    for name, operation in hud_toolset(session).operations.items():
        if name in CODING.operations and name.endswith((".add", ".record", ".set")):
            fields = operation.arguments.model_fields
            given = {each: "Port 8080" for each, field in fields.items() if field.is_required()}
            assert not session.call("hud", {"op": name, **given}).is_error
    session.record("file.edit", path="app.py", actor="tool")
    return session


async def offered(store: HudStore[Any]) -> tuple[dict[str, Any], list[str]]:
    """The schema of what the reading tool answers, and the operations that it has data of."""
    server = hud_server(Sessions(store, session_id="empty"), read_tool=True)
    async with mcp.Client(server) as client:
        [schema] = [
            each.output_schema
            for each in (await client.list_tools()).tools
            if each.name == "hud_read"
        ]
    told = [each["properties"]["operation"].get("const") for each in schema["anyOf"]]
    assert len(told) > 5
    return schema, [each for each in told if each is not None]


FILLED: dict[str, tuple[Domain[Any], Callable[[HudStore[Any]], Any]]] = {
    "coding": (CODING, _filled),
    **{each.name: (each.domain, each.played) for each in CASES},
}
"""Domains, each with what fills a session of it."""


@pytest.mark.parametrize("name", FILLED)
def test_all_that_only_reads_answers_as_its_schema_says(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="it comes with the MCP SDK")
    domain, fill = FILLED[name]
    with HudStore.open(":memory:", domain=domain, agent_layouts="offer") as store:
        empty, full = store.session("empty"), fill(store)
        schema, types = anyio.run(offered, store)
        check = jsonschema.Draft202012Validator(schema)
        full.record("compact.before", reason="full")
        full.keep_output("o-1", "one\ntwo\n", tool="Bash")
        summary = full.record("compact.after", summary="Port 8080 it is.").version
        for session in (empty, full):
            for each in types:
                given = {
                    "search": {"query": "port"},
                    "summaries.get": {"id": f"{summary}"},
                    "output": {"id": "o-1", "lines": "2"},
                }
                said = session.call("hud_read", {"op": each, **given.get(each, {})})
                assert said.is_error == (session is empty and each in ("summaries.get", "output"))
                if not said.is_error:
                    check.validate({"operation": said.operation, "data": said.data})
    assert not check.is_valid({"operation": "history", "data": {"total": "one", "events": []}})


def test_a_client_that_reads_gets_data() -> None:
    async def run() -> None:
        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="Port 8080")
            listed, helped, refused = await calls(
                store,
                ("hud_read", {"op": "notes.list"}),
                ("hud_read", {"op": "help"}),
                ("hud_read", {"op": "notes.add", "content": "a"}),
            )
        assert listed.structured_content["operation"] == "notes.list"
        assert listed.structured_content["data"]["items"][0]["content"] == "Port 8080"
        assert "Port 8080" in listed.content[0].text
        assert helped.structured_content == {"operation": "help", "data": None}
        assert refused.is_error
        assert refused.structured_content is None

    anyio.run(run)

"""Operations as people write them: functions and coroutines, with a context or without."""

from __future__ import annotations

import asyncio
import threading
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from ujsx import DefinitionError, UjsxError
from ujsx.tools import Operation, Toolset


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
        assert by_name["refund"]["description"].startswith("refund an order")
        limit = by_name["orders_list"]["inputSchema"]["properties"]["limit"]
        assert limit["description"] == "How many at most."

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

    @pytest.mark.parametrize(
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

    def test_of_types_that_are_not_there_are_refused(self) -> None:
        def refund(order: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

        with pytest.raises(DefinitionError, match="types of its parameters cannot be read"):
            Operation.of(refund)


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
        with pytest.raises(DefinitionError, match="cannot be told apart"):
            tools.operation(lambda: None, name="Refund".lower())
        assert tools.call("slow", {}).text == "Done."


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

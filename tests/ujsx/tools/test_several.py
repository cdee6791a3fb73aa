"""Several calls in one: all of them, or none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from ujsx import UjsxError
from ujsx.tools import Operation, ToolResult, Toolset


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Step(Arguments):
    description: str
    done: bool = False


class Plan(Arguments):
    steps: list[Step]


class Target(Arguments):
    id: str


class Shop:
    """A list that can be taken back to what it was."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.tools = Toolset(
            [
                Operation("steps.add", Step, self.add, "one", per_item=True),
                Operation("steps.remove", Target, self.remove, "one", per_item=True),
                Operation("steps.set", Plan, self.replace, "all"),
                Operation("title", Step, self.add, "it"),
            ],
            name="plan",
            transaction=self.transaction,
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        before = [*self.steps]
        try:
            yield
        except BaseException:
            self.steps = before
            raise

    def add(self, step: Step) -> str:
        if step.description == "bug":
            raise ZeroDivisionError
        self.steps.append(step.description)
        return f"Added {step.description}."

    def remove(self, target: Target) -> str:
        if target.id not in self.steps:
            raise UjsxError(f"there is no {target.id}")
        self.steps.remove(target.id)
        return f"Removed {target.id}."

    def replace(self, plan: Plan) -> str:
        self.steps = [each.description for each in plan.steps]
        return "Set."

    def call(self, arguments: object, tool: str = "plan") -> ToolResult:
        return self.tools.call(tool, arguments)


@pytest.fixture
def shop() -> Shop:
    return Shop()


ADD = {"op": "steps.add"}
ONE, TWO = {**ADD, "description": "a"}, {**ADD, "description": "b"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"calls": [ONE, TWO]},
        {"call": [ONE, TWO]},
        {"call": {"calls": [ONE, TWO]}},
        {"calls": json.dumps([ONE, TWO])},
        json.dumps({"calls": [ONE, TWO]}),
        [ONE, TWO],
        {"tool_calls": [ONE, TWO]},
        {**ADD, "description": ["a", "b"]},
        {**ADD, "steps": ["a", "b"]},
        {**ADD, "steps": ["a", {"description": "b"}]},
        {**ADD, "step": ["a", "b"], "done": True},
        {**ADD, "items": [{"description": "a"}, {"description": "b"}]},
        {**ADD, "descriptions": ["a", "b"]},
        {**ADD, "args": ["a", "b"]},
        {**ADD, "args": [{"description": "a"}, {"description": "b"}]},
        {**ADD, "args": {"steps": ["a", "b"]}},
        {**ADD, "steps": '["a", "b"]'},
        {"call": {**ADD, "description": ["a", "b"]}},
        {"op": "steps.set", "steps": ["a", "b"]},
        {"calls": [{**ADD, "steps": ["a"]}, TWO]},
    ],
)
def test_are_done_in_their_order(shop: Shop, arguments: object) -> None:
    result = shop.call(arguments)
    assert not result.is_error, result.text
    assert shop.steps == ["a", "b"]


def test_have_one_answer_with_the_data_of_each(shop: Shop) -> None:
    result = shop.call({"calls": [ONE, {"op": "steps.remove", "id": "a"}]})
    assert result.text == "Added a.\nRemoved a."
    assert [each["op"] for each in result.data] == ["steps.add", "steps.remove"]


def test_of_an_operations_own_tool_are_understood(shop: Shop) -> None:
    assert shop.call({"description": ["a", "b"]}, "steps_add").text == "Added a.\nAdded b."
    assert shop.call([{"description": "c"}, {"description": "d"}], "steps_add").text.endswith("d.")
    assert shop.steps == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ({"op": "steps.remove", "id": "z"}, "there is no z"),
        ({"op": "steps.ad", "description": "c"}, 'did you mean "steps.add"?'),
        ({"op": "steps.add", "done": True}, "$.description: required, but not given"),
        ({"op": "steps.add", "description": "bug"}, "steps.add broke inside the tool"),
        ([ONE, TWO, [ONE, TWO]], "one operation in a call"),
        ("c", "the arguments are an object"),
    ],
)
def test_are_none_where_one_is_refused(shop: Shop, last: object, why: str) -> None:
    shop.steps = ["kept"]
    result = shop.call({"calls": [ONE, TWO, last]})
    assert result.is_error
    assert result.text.startswith("Nothing was done: call 3 of 3 is refused. ")
    assert why in result.text
    assert result.data["call"] == 3
    assert shop.steps == ["kept"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"op": "title", "description": ["a", "b"]},  # it has one value
        {**ADD, "description": ["a", None]},
        {**ADD, "description": "x", "steps": [{"description": "a"}]},  # given twice
        {**ADD, "description": []},
        {**ADD, "things": ["a", "b"]},
        {"calls": []},
    ],
)
def test_are_not_guessed(shop: Shop, arguments: object) -> None:
    assert shop.call(arguments).is_error
    assert shop.steps == []


def test_are_bounded(shop: Shop) -> None:
    assert "100 are the most" in shop.call({"calls": [ONE] * 101}).text
    nested: list[Any] = [ONE, TWO]
    for _ in range(200):
        nested = [ONE, nested]
    assert shop.call({"calls": nested}).is_error
    assert shop.steps == []


def test_are_refused_without_a_transaction(shop: Shop) -> None:
    plain = Toolset(shop.tools.operations.values(), name="plan")
    assert "one operation in a call" in plain.call("plan", {"calls": [ONE, TWO]}).text
    assert plain.call("plan", {**ADD, "description": ["a", "b"]}).is_error
    assert shop.steps == []


def test_are_awaited(shop: Shop) -> None:
    assert asyncio.run(shop.tools.acall("plan", {"calls": [ONE, TWO]})).text == "Added a.\nAdded b."


def test_are_told_by_help(shop: Shop) -> None:
    assert '"calls"' in shop.call({"op": "help"}).text


def test_a_text_for_an_object_is_named_as_a_repair(shop: Shop) -> None:
    result = shop.call({"op": "steps.set", "steps": ["a", {"description": "b"}]})
    assert [(each.kind, each.path) for each in result.repairs] == [("item", "$.steps[0]")]
    result = shop.call({**ADD, "args": "c"})
    assert ("item", "$.args") in [(each.kind, each.path) for each in result.repairs]


@pytest.mark.parametrize("text", ["", "null", "<description>a</description>", "[a", "{a"])
def test_what_is_no_words_stands_for_no_object(shop: Shop, text: str) -> None:
    assert shop.call({"op": "steps.set", "steps": [text]}).is_error
    assert shop.steps == []

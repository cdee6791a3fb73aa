"""Descriptions within a budget: what stays, what goes, and that it is listed; and a call for example."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.ids import looped
from tests.ujsx.schema.keywords import everywhere
from tests.ujsx.tools.sums import OPERATIONS, SUMS
from ujsx import SchemaError
from ujsx.schema import DIALECTS, lint, router_schema, to_dialect, tool_schema
from ujsx.tokens import estimate_tokens


class Inner(BaseModel):
    """What is inside."""

    deep: str = Field(description="The deepest of all.")


class Outer(BaseModel):
    """A model."""

    first: str = Field(description="The first, which has to be given.")
    second: str = Field("", description="The second, which may be left out.")
    third: Inner = Field(description="The third, with something inside.")


def descriptions(schema: dict[str, Any]) -> list[str]:
    return [each["description"] for _, each in everywhere(schema) if "description" in each]


class TestBudget:
    def test_keeps_all_within_it_and_the_best_of_what_does_not_fit(self) -> None:
        whole = descriptions(tool_schema(Outer))
        kept = [
            set(descriptions(tool_schema(Outer, description_budget=size))) for size in range(60)
        ]
        assert kept[0] == set()
        assert kept[-1] == set(whole)
        for fewer, more in itertools.pairwise(kept):
            assert fewer <= more
        order = [text for step in range(59) for text in kept[step + 1] - kept[step]]
        assert order.index(whole[whole.index("The first, which has to be given.")]) == 0
        assert order[-1] == "The deepest of all."
        assert order.index("The second, which may be left out.") > order.index(
            "The third, with something inside."
        )

    @looped("size", [0, 8, 20, 40])
    def test_is_kept_to(self, size: int) -> None:
        kept = descriptions(tool_schema(Outer, description_budget=size))
        assert sum(map(estimate_tokens, kept)) <= size

    @looped("dialect", DIALECTS)
    def test_is_listed_by_lint_and_changes_nothing_else(self, dialect: str) -> None:
        gone = [
            each
            for each in lint(Outer, dialect, description_budget=0)
            if each.keyword == "description"
        ]
        assert {each.outcome for each in gone} == {"dropped"}
        assert len(gone) == len(descriptions(tool_schema(Outer)))
        small = tool_schema(Outer, dialect=dialect, description_budget=0)
        assert (
            small["properties"].keys() == tool_schema(Outer, dialect=dialect)["properties"].keys()
        )

    def test_leaves_what_a_dialect_says_in_words(self) -> None:
        schema = {
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 2, "description": "A."}},
        }
        said = to_dialect(schema, "openai-strict", description_budget=0)
        assert said["properties"]["a"]["description"] == "length at least 2"

    def test_leaves_what_operations_are_for(self) -> None:
        for layout in ("grouped", "signatures", "flat"):
            schema = router_schema(OPERATIONS, layout=layout, description_budget=0)
            assert len(descriptions(schema)) == 1
            assert "two numbers" in descriptions(schema)[0]

    def test_below_nothing_is_refused(self) -> None:
        with pytest.raises(SchemaError, match="0 tokens at least, not -1"):
            tool_schema(Outer, description_budget=-1)


class TestExample:
    @looped("layout", ["grouped", "signatures", "flat", "loose"])
    def test_is_a_call_that_the_tool_takes(self, layout: str) -> None:
        plain = SUMS.definition("mcp", layout=layout)
        shown = SUMS.definition("mcp", layout=layout, example=True)
        text, _, call = shown["description"].rpartition("\nFor example ")
        assert {**shown, "description": text} == plain
        assert SUMS.call("sums", call).data["error"] == "bad arguments"  # with a placeholder in it
        result = SUMS.call("sums", json.loads(call.replace('"<integer>"', "1")))
        assert not result.is_error, result.text

    def test_of_each_tool_is_a_call_that_it_takes(self) -> None:
        for each in SUMS.definitions("mcp", example=True):
            call = each["description"].rpartition("For example ")[2]
            result = SUMS.call(each["name"], json.loads(call.replace('"<integer>"', "1")))
            assert result.data is None or result.data.get("error") != "bad arguments"
            assert result.repairs == ()

"""Calls that models have sent: each is mended to exactly what it says, or refused; never otherwise.

``data/calls.jsonl`` has one in a line, with where it is from: a report (repository and number), or
"own". A row has the shape of what was reported, with the operations of these tests. ``arguments`` that
are a text came as JSON text.
"""

from __future__ import annotations

import json
import re
import string
from functools import reduce
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tests.ids import looped
from ujsx.tools import Operation, Repair, ToolResult, Toolset

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "calls.jsonl").read_text("utf-8").splitlines()
]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(Arguments):
    pass


class Note(Arguments):
    content: str
    tags: list[str] = []
    pinned: bool = False


class Target(Arguments):
    id: str


class Page(Arguments):
    limit: int | None = 30
    after: int = 0


class Order(Arguments):
    ids: list[str]


class Search(Arguments):
    query: str
    ratio: float = 1.0


class Point(Arguments):
    x: int


class Draw(Arguments):
    points: list[Point]


def given_(asked: BaseModel) -> ToolResult:
    return ToolResult("Done.", data=asked.model_dump(exclude_unset=True))


TOOLS = Toolset(
    [
        Operation(name, model, given_)
        for name, model in {
            "notes.add": Note,
            "notes.remove": Target,
            "notes.list": Page,
            "task.clear": Nothing,
            "steps.reorder": Order,
            "search": Search,
            "points.draw": Draw,
        }.items()
    ],
    name="hud",
)


class TestCalls:
    def test_are_many(self) -> None:
        reported = [each for each in CASES if re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", each["source"])]
        assert len(reported) >= 300
        assert len({each["name"] for each in CASES}) == len(CASES)
        assert len({json.dumps([each.get("tool"), each["arguments"]]) for each in CASES}) == len(
            CASES
        )

    @looped("case", CASES, ids=lambda case: case["name"])
    def test_are_mended_or_refused(self, case: dict[str, Any]) -> None:
        result = TOOLS.call(case.get("tool", "hud"), case["arguments"])
        if "refused" in case:
            assert result.is_error, result
            assert case["refused"] in result.text
            check_advice(case.get("tool", "hud"), result)
            return
        assert not result.is_error, result.text
        assert (result.operation, result.data) == (case["does"], case["with"])
        if "repairs" in case:
            assert [each.kind for each in result.repairs] == case["repairs"]


PLACEHOLDERS = {'"<integer>"': "1", '"<number>"': "1.5", '"<true | false>"': "true"}


def filled_in(call: str) -> str:
    """A call that is shown, with values for its placeholders."""
    return reduce(lambda text, each: text.replace(*each), PLACEHOLDERS.items(), call)


def check_advice(tool: str, result: ToolResult) -> None:
    """Check that the call which an error ends with, if it does, is one that is done; with placeholders it is not."""
    last = result.text.splitlines()[-1]
    if last.startswith("for example "):
        call = last.removeprefix("for example ")
        if filled_in(call) != call:
            json.loads(call)
            assert TOOLS.call(tool, call).data["error"] == "bad arguments"
        again = TOOLS.call(tool, filled_in(call))
        assert not again.is_error, again.text
        assert again.operation == result.operation
        assert set(again.repairs) <= {Repair("json text", "$")}


class TestAdvice:
    """What a refused call is answered with: the valid call that is nearest to it."""

    @looped(("tool", "sent", "nearest"), [
        ("hud", {"op": "search", "query": "a", "ratio": "x"},
         '{"call": {"op": "search", "query": "a", "ratio": "<number>"}}'),
        ("hud", {"op": "search", "qury": "a", "x": 1}, '{"call": {"op": "search", "query": "a"}}'),
        ("hud", {"op": "points.draw", "points": [{"x": 1}, {"x": "?"}]},
         '{"call": {"op": "points.draw", "points": [{"x": 1}, {"x": "<integer>"}]}}'),
        ("hud", {"op": "points.draw", "points": [{"x": 4}, {"xx": 1}]},
         '{"call": {"op": "points.draw", "points": [{"x": 4}, {"x": 1}]}}'),
        ("notes_add", {"tags": ["b"], "pinned": "perhaps"},
         '{"tags": ["b"], "pinned": "<true | false>", "content": "…"}'),
        ("notes_add", {"content": "x" * 100, "no": 1}, f'{{"content": "{"x" * 59}…"}}'),
    ])  # fmt: skip
    def test_keeps_what_fits(self, tool: str, sent: Any, nearest: str) -> None:
        result = TOOLS.call(tool, sent)
        assert result.text.splitlines()[-1] == f"for example {nearest}"
        check_advice(tool, result)

    def test_names_an_argument_as_it_was_spelt(self) -> None:
        result = TOOLS.call("hud", {"op": "notes.list", "Limit": "many", "AFTER": 3})
        assert result.text.startswith("$.Limit: input should be a valid integer (got 'many')")
        assert '"after": 3' in result.text.splitlines()[-1]

    def test_takes_one_argument_in_two_spellings_if_both_say_the_same(self) -> None:
        result = TOOLS.call("hud", {"op": "notes.add", "content": "a", "Content": "a"})
        assert result.data == {"content": "a"}
        assert result.repairs == (Repair("duplicate", "$.Content"),)


CALLS = st.one_of(
    st.builds(
        lambda content, tags: {"op": "notes.add", "content": content, "tags": tags},
        st.text(string.printable + "é“", max_size=12),
        st.lists(st.text("ab ,'\"", max_size=4), max_size=2),
    ),
    st.builds(lambda number: {"op": "notes.list", "limit": number}, st.integers(-99, 99)),
    st.builds(lambda name: {"op": "notes.remove", "id": name}, st.text("ns-1{}\"'", max_size=5)),
)
SLIPS = st.sampled_from([*"{}[]\"',:\\ \n", "//", "#", "“", "True", "null", "}}", ",}", "a", "1"])


def words(value: Any) -> list[str]:
    """The texts in the values of data, and the digits of its numbers."""
    if isinstance(value, dict):
        return [word for each in value.values() for word in words(each)]
    if isinstance(value, list):
        return [word for each in value for word in words(each)]
    return [value] if isinstance(value, str) else [str(abs(value))] if type(value) is int else []


class TestMutated:
    """A call with a slip is never another call in silence."""

    @given(data=st.data(), call=CALLS, wrapped=st.booleans())
    def test_says_what_it_says_or_nothing(
        self, data: st.DataObject, call: dict[str, Any], wrapped: bool
    ) -> None:
        text = json.dumps({"call": call} if wrapped else call, ensure_ascii=False)
        at = data.draw(st.integers(0, len(text)))
        width = data.draw(st.integers(0, 2))
        slipped = text[:at] + data.draw(SLIPS | st.just("")) + text[at + width :]
        result = TOOLS.call("hud", slipped)
        if result.is_error:
            return
        try:
            json.loads(slipped)
        except ValueError:
            assert set(result.repairs) - {("json text", "$")}
            assert any(each.kind != "json text" for each in result.repairs)
        for word in words(result.data):
            escaped = json.dumps(word, ensure_ascii=False)[1:-1]
            assert word in slipped or escaped in slipped or slipped.count("\\"), word

    @given(call=CALLS, wrapped=st.booleans(), data=st.data())
    def test_that_ends_too_soon_is_never_half_a_call(
        self, call: dict[str, Any], wrapped: bool, data: st.DataObject
    ) -> None:
        text = json.dumps({"call": call} if wrapped else call)
        result = TOOLS.call("hud", text[: data.draw(st.integers(1, len(text) - 1))])
        if not result.is_error:
            assert result.data == {key: each for key, each in call.items() if key != "op"}

    @given(st.text("{}[]\"':, \n\\/#ab1“”‘’\ufeff`", max_size=40))
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        for sent in (text, f"{{{text}}}"):
            result = TOOLS.call("hud", sent)
            assert result.is_error or json.dumps(result.data)


class TestBounds:
    def test_of_length_and_depth_are_named(self) -> None:
        long = TOOLS.call("hud", "{'a': '" + "x" * 1_000_000 + "'}")
        assert "longer than 1,000,000 characters, so it is not repaired" in long.text
        deep = TOOLS.call("hud", "{'a': " + "[" * 200 + "]" * 200 + "}")
        assert "nested more than 100 deep, so it is not repaired" in deep.text

    @looped(
        "text",
        ["{" * 300_000, "{'a':" * 100, "/*" * 300_000, "{//\n" * 50_000, "{'a" * 200_000,
         "{\"a\":'" + "\\'" * 300_000, "{a:1}" + "//\n" * 50_000, "`" * 500_000 + "{a:1}",
         "(" * 300_000 + "{a:1}", "<=" * 300_000 + "{a:1}", "{a:[" + "1," * 50_000 + "]}"],
        ids=range(11),
    )  # fmt: skip
    def test_hold_for_hostile_texts(self, text: str) -> None:
        """Each is read once: what was quadratic would take minutes."""
        TOOLS.call("hud", text)

"""Long answers in parts: joined they are the whole, and each names the call for the next."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.ids import looped
from ujsx import DefinitionError
from ujsx.elements import Paragraph
from ujsx.tools import LONGEST_ANSWER, Operation, Toolset

NEXT = re.compile(r"\n\nPart (\d+) of (\d+)(?:; the next: (.*))?\Z")


class Text(BaseModel):
    text: str = ""


def toolset(limit: int = 200) -> tuple[Toolset, list[str]]:
    done: list[str] = []

    def read(asked: Text) -> str:
        return asked.text

    def write(asked: Text) -> str:
        done.append(asked.text)
        return asked.text * 10

    return (
        Toolset(
            [Operation("read", Text, read, reads=True), Operation("write", Text, write)],
            name="tools",
            limit=limit,
        ),
        done,
    )


def whole(tools: Toolset, name: str, arguments: Any) -> str:
    """The answer, part by part, by the calls that the parts name."""
    text = ""
    while True:
        result = tools.call(name, arguments)
        assert not result.is_error, result.text
        found = NEXT.search(result.text)
        if found is None:
            return text + result.text
        shown = result.text[: found.start()]
        goes_on = shown.startswith("…")  # else the part before ended with its line
        text += shown[1:] if goes_on else f"\n{shown}" if text else shown
        if found[3] is None:
            return text
        arguments = json.loads(found[3])


def test_an_argument_called_part_is_none_of_ours() -> None:
    def lines(part: int = 1, of: Annotated[int, Field(alias="answer_part")] = 60) -> str:
        return "\n".join(f"line {number} of {part}" for number in range(of))

    tools = Toolset([Operation.of(lines, reads=True)], name="tools", limit=200)
    for call in ({"part": 2}, {"call": {"op": "lines", "part": 2}}):
        first = tools.call("tools" if "call" in call else "lines", call)
        found = NEXT.search(first.text)
        assert found is not None
        assert '"part": 2, "answer_answer_part": 2' in found[3]
        text = whole(tools, "tools" if "call" in call else "lines", call)
        assert text == lines(2)
    wrong = tools.call("lines", {"answer_answer_part": 0})
    assert wrong.text.startswith("$.answer_answer_part: a part is a number")


class TestParts:
    @given(st.lists(st.sampled_from(["a", "\n", "# ", "é" * 70, "x" * 450]), max_size=40))
    def test_are_the_text_when_they_are_joined(self, texts: list[str]) -> None:
        text = "".join(texts)
        tools = Toolset([Operation("read", Text, lambda _: text, reads=True)], name="t", limit=200)
        assert whole(tools, "read", {}).strip("\n") == text.strip("\n")

    def test_end_at_ends_of_lines(self) -> None:
        tools, _ = toolset()
        lines = [f"line {number}" for number in range(100)]
        asked = {"text": "\n".join(lines)}
        parts = [tools.call("read", {**asked, "part": part}).text for part in (1, 2, 3, 4)]
        shown = [line for part in parts for line in part.partition("\n\nPart")[0].splitlines()]
        assert shown == lines

    def test_take_time_in_proportion_to_the_text(self) -> None:
        tools, _ = toolset()
        assert "\n\nPart 1 of 5000; " in tools.call("read", {"text": "#" * 1_000_000}).text


class TestLongAnswers:
    def test_are_told_with_the_call_that_shows_the_next(self) -> None:
        tools, _ = toolset()
        text = "".join(f"line {number}\n" for number in range(60))
        answer = tools.call("tools", {"call": {"op": "write", "text": text[:90]}}).text
        assert len(answer) < 200 + 420
        assert answer.endswith('"part": 2}}')
        assert "Part 1 of 5; the next: " in answer

    def test_are_whole_part_by_part(self) -> None:
        tools, done = toolset()
        text = "".join(f"line {number}\n" for number in range(9))
        assert (
            whole(tools, "tools", {"call": {"op": "write", "text": text}}).rstrip()
            == (text * 10).rstrip()
        )
        assert done == [text]  # it was done once
        assert whole(tools, "read", {"text": text}).rstrip() == text.rstrip()
        long = "x" * 350
        assert whole(tools, "tools", {"op": "read", "text": long}) == long

    def test_of_a_long_call_say_how_to_make_the_next(self) -> None:
        tools, _ = toolset()
        answer = tools.call("read", {"text": "x" * 1_000}).text
        assert answer.endswith('the next: the same call with "part": 2')
        last = tools.call("read", {"text": "x" * 1_000, "part": 5}).text
        assert last.endswith("\n\nPart 5 of 5")

    def test_go_on_with_nothing_that_could_be_structure(self) -> None:
        tools, _ = toolset()
        second = tools.call("read", {"text": "# " * 300, "part": 2}).text
        assert second.startswith("…")

    def test_of_what_only_reads_can_be_asked_for_at_any_time(self) -> None:
        tools, _ = toolset()
        assert tools.call("read", {"text": "x" * 300, "part": 2}).text.startswith("…xxx")
        shown = Toolset([Operation("shown", Paragraph)], name="page")
        assert shown.call("shown", {"part": 1}).text == ""

    def test_of_what_does_something_are_kept_for_a_while(self) -> None:
        tools, done = toolset()
        tools.call("write", {"text": "a" * 90})
        for number in range(4):
            tools.call("read", {"text": f"{number}" * 300})
        result = tools.call("write", {"text": "a" * 90, "part": 2})
        assert result.is_error
        assert result.text.startswith(
            '$.part: that answer is not kept any more; write without "part"'
        )
        assert len(done) == 1

    @looped(
        ("part", "problem"),
        [
            (0, "a part is a number"),
            ("x", "a part is a number"),
            (True, "a part"),
            (9, "has 2 parts"),
        ],
    )
    def test_have_parts_that_are_numbered_from_one(self, part: Any, problem: str) -> None:
        tools, _ = toolset()
        result = tools.call("read", {"text": "x" * 300, "part": part})
        assert result.is_error
        assert problem in result.text

    def test_take_the_number_as_text_and_null_for_the_first(self) -> None:
        tools, _ = toolset()
        assert "Part 2 of 2" in tools.call("read", {"text": "x" * 300, "part": "2"}).text
        assert "Part 1 of 2" in tools.call("read", {"text": "x" * 300, "part": None}).text

    def test_leave_an_argument_of_that_name_alone(self) -> None:
        class Part(BaseModel):
            part: int

        tools = Toolset([Operation("get", Part, lambda asked: f"{asked.part}")], name="tools")
        assert tools.call("get", {"part": 7}).text == "7"

    def test_have_a_limit_of_their_own(self) -> None:
        tools, _ = toolset(LONGEST_ANSWER)
        assert len(tools.call("read", {"text": "x" * 300}).text) == 300
        with pytest.raises(DefinitionError, match="200 characters at least, not 3"):
            toolset(3)

"""The operation ``output``: a tool's output whole, or some lines of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.log.store import SweepRules
from hud_runtime.tools import definitions
from ujsx.tools import ToolResult

Call = Callable[..., ToolResult]

TEXT = "".join(f"line {number}\n" for number in range(1, 101))


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


@pytest.fixture
def session(store: HudStore) -> HudSession:
    made = store.session("s")
    made.keep_output("o-1f", TEXT, tool="Bash")
    return made


@pytest.fixture
def call(session: HudSession) -> Call:
    def made(**arguments: Any) -> ToolResult:
        return session.call("hud", {"call": {"op": "output", **arguments}})

    return made


def told(result: ToolResult) -> str:
    """The answer without the HUD's status line."""
    assert not result.is_error, result.text
    return result.text.rpartition("\n")[0]


def test_the_whole(call: Call) -> None:
    assert told(call(id="o-1f")) == TEXT


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [("3-5", 3, 5), ("3", 3, 3), ("lines 3 to 5", 3, 5), ("3–5", 3, 5), (" 99-500 ", 99, 100)],
)
def test_some_lines(call: Call, lines: str, first: int, last: int) -> None:
    wanted = "".join(f"line {number}\n" for number in range(first, last + 1))
    given = lines.removeprefix("lines ")
    assert told(call(id="o-1f", lines=given)) == wanted


@pytest.mark.parametrize(
    "given", ["o-1f 3-5", "`hud output o-1f 3-5`", "hud output o-1f lines 3-5", "output o-1f, 3-5"]
)
def test_what_stands_in_the_text_is_a_call(call: Call, given: str) -> None:
    assert told(call(id=given)) == "line 3\nline 4\nline 5\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"call": {"op": "output", "id": "o-1f"}},
        {"op": "output", "id": "o-1f"},
        {"tool": "output", "args": {"id": "o-1f"}},
        {"operation": "output", "id": "o-1f", "lines": "1-100"},
    ],
)
def test_in_whatever_envelope(session: HudSession, arguments: dict[str, Any]) -> None:
    assert told(session.call("hud", arguments)) == TEXT


def test_by_the_tool_that_only_reads(session: HudSession) -> None:
    assert told(session.call("hud_read", {"op": "output", "id": "o-1f"})) == TEXT


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"id": "o-1e"}, 'there is no output "o-1e"; did you mean "o-1f"'),
        ({"id": "o-1f", "lines": "0-3"}, "the output has the lines 1-100"),
        ({"id": "o-1f", "lines": "300"}, "the output has the lines 1-100"),
        ({"id": "o-1f", "lines": "5-3"}, "the output has the lines 1-100"),
        ({"id": "o-1f", "lines": "all of it"}, 'lines are "31-442", or one number'),
    ],
)
def test_an_error_says_what_to_do(call: Call, arguments: dict[str, str], says: str) -> None:
    result = call(**arguments)
    assert result.is_error
    assert says in result.text


def test_of_another_session_nothing_is_shown(store: HudStore, session: HudSession) -> None:
    other = store.session("t")
    result = other.call("hud", {"op": "output", "id": "o-1f"})
    assert result.is_error
    assert "no output was kept in this session" in result.text


def test_one_that_was_swept_is_told_so(store: HudStore, session: HudSession, call: Call) -> None:
    store._events.sweep_outputs(SweepRules(days=1), 10**12)
    result = call(id="o-1f")
    assert result.is_error
    assert "was swept, as old ones are; call Bash again" in result.text


def test_a_long_one_comes_at_once(session: HudSession, call: Call) -> None:
    text = "x" * 200 + "\n"
    session.keep_output("o-2", text * 400)
    assert told(call(id="o-2")) == text * 400


def test_one_that_fills_a_context_comes_in_parts(session: HudSession, call: Call) -> None:
    session.keep_output("o-3", "line\n" * 50_000)
    first = call(id="o-3")
    assert "Part 1 of 3" in first.text
    second = call(id="o-3", part=3)
    assert not second.is_error


def test_the_tools_schema_is_as_it_was() -> None:
    schema = json.dumps(definitions("json-schema"))
    assert "WhichOutput" not in schema
    assert '"output"' not in schema


@given(st.text(max_size=200), st.integers(-2, 12), st.integers(-2, 12))
def test_lines_are_those_between_line_feeds(text: str, first: int, last: int) -> None:
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.keep_output("o-1", text)
        result = session.call("hud", {"op": "output", "id": "o-1", "lines": f"{first}-{last}"})
        if result.is_error:
            return
        parts = text.split("\n")
        lines = [*(f"{each}\n" for each in parts[:-1]), parts[-1]]
        assert result.data["text"] == "".join(lines[first - 1 : last])

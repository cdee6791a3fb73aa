"""A text of any length that an agent sends does not come back: a refusal repeats its beginning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore
from hud_runtime.tools import hud_toolset
from tests.ids import looped
from tests.work import growth
from ujsx.schema import tool_schema
from ujsx.tools import ToolResult

LONG = "q7" * 10_000
MOST = 400
"""Characters of what was sent that come back in one run."""

OPERATIONS = hud_toolset(None).operations

Call = Callable[[str, object], ToolResult]


@pytest.fixture
def call() -> Iterator[Call]:
    """Calls in a session that has a step and a note."""
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session: HudSession = store.session("s")
        session.call("hud", {"op": "steps.add", "description": "x"})
        session.call("hud", {"op": "notes.add", "content": "y"})
        yield session.call


def check(result: ToolResult) -> None:
    """The answer repeats no more than the beginning, in the text and in the data of an error."""
    texts = [result.text]
    if result.is_error:
        assert len(result.text) <= 3_100
        texts.append(json.dumps(result.data["problems"]))
        assert len(texts[1]) <= 10_000
    for text in texts:
        assert "q7" * (MOST // 2 + 1) not in text


class TestRefusals:
    @looped("name", [*OPERATIONS, "hud_compact"])
    def test_repeat_no_long_value_and_no_long_name(self, name: str, call: Call) -> None:
        model = OPERATIONS[name].arguments if name in OPERATIONS else None
        fields: dict[str, Any] = tool_schema(model)["properties"] if model else {"reason": {}}
        tool, start = ("hud", {"op": name}) if model else (name, {})
        shows = name.endswith(".list") or name in {"snapshot", "search", "history"}
        for field in fields:
            for value in (LONG, [LONG], ["s-2", LONG, LONG], {LONG: LONG}, f"{LONG}\ud83d"):
                result = call(tool, {**start, **dict.fromkeys(fields, "x"), field: value})
                if result.is_error or not shows:
                    check(result)
        for arguments in (
            {**start, LONG: LONG},
            {**start, LONG: 1, f"{LONG}b": {LONG: 2}},
            {**start, "args": {LONG: 1}, LONG: 2},
            {**start, "part": LONG},
        ):
            result = call(tool, arguments)
            assert result.is_error
            check(result)

    @looped(
        ("tool", "arguments"),
        [
            (LONG, {}),
            (f"mcp__{LONG}__{LONG}", {}),
            ("hud", LONG),
            ("hud", "{" + LONG),
            ("hud", '{"op": "' + LONG),
            ("hud", f'{{"{LONG}": 1, "{LONG}": 2}}'),
            ("hud", f"{{'{LONG}': 1, '{LONG}': '{LONG}'}}"),
            ("hud", f'{{"op": {LONG}}}'),
            ("hud", f'{{"op": "notes.list", "limit": 0{"1" * 20_000}}}'),
            ("hud", f'{{"op": {"-" * 20_000}NaN}}'),
            ("hud", [LONG]),
            ("hud", [LONG, LONG]),
            ("hud", {"op": LONG}),
            ("hud", {"op": {LONG: LONG}}),
            ("hud", {"op": f"notes.{LONG}"}),
            ("hud", {"call": LONG}),
            ("hud", {LONG: {LONG: LONG}}),
            ("hud", {"op": "notes.add", "content": LONG, "args": {"content": f"{LONG}b"}}),
            ("hud", {"op": "help", "operation": LONG}),
        ],
        ids=range(19),
    )
    def test_repeat_no_long_call(self, tool: str, arguments: Any, call: Call) -> None:
        result = call(tool, arguments)
        assert result.is_error
        check(result)
        assert "-" * 500 not in result.text
        assert "1" * 500 not in result.text

    def test_look_no_further_than_the_beginning_of_a_name(self, call: Call) -> None:
        assert growth(lambda size: lambda: call("hud", {"op": "q7" * size}), 5_000) < 1.3


class TestKnownNames:
    def test_are_listed_as_far_as_they_fit(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            for number in range(300):
                session.record("note.add", content=f"note {number}", id=f"note-{number:03}")
            ambiguous = session.call("hud", {"op": "notes.remove", "id": "note-"})
            unlike = session.call("hud", {"op": "notes.remove", "id": "??"})
        assert "note-000, note-001" in ambiguous.text
        assert " more; give the whole id" in ambiguous.text
        assert unlike.text.splitlines()[0].endswith(" more")
        assert len(ambiguous.text) < 2_000
        assert len(unlike.text) < 2_000

    def test_a_path_that_was_meant_is_told_whole(self) -> None:
        path = "/srv/" + "shop/" * 60 + "main.py"
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.call("hud", {"op": "files.open", "path": path})
            result = session.call("hud", {"op": "files.close", "path": f"{path}x"[:-2]})
            assert f'did you mean "{path}"?' in result.text

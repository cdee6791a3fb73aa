"""Sessions with every kind of record that a format has: each call is read, and what tells nothing is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hud_components import HudState
from hud_runtime import HudStore, Transcript, read_transcript, replay

RECORDS = Path(__file__).with_name("records")


def _claude(record: Any) -> int:
    content = record.get("message", {}).get("content") or ()
    return sum(isinstance(one, dict) and one["type"] == "tool_use" for one in content)


def _codex(record: Any) -> int:
    kinds = ("function_call", "custom_tool_call", "local_shell_call")
    return record["type"] == "response_item" and record["payload"]["type"] in kinds


CALLS: Mapping[str, Callable[[Any], int]] = {
    "Claude Code": _claude,
    "Codex rollout": _codex,
    "Copilot CLI": lambda record: record["type"] == "tool.execution_start",
    "OpenHands events": lambda record: record["kind"] == "ActionEvent",
}
"""How many calls a record has, told by its form alone."""


def _read(name: str) -> tuple[Transcript, list[Any], HudState]:
    path = RECORDS / f"{name}.jsonl"
    with HudStore.open(":memory:") as store:
        replay(path, session := store.session("s"))
        state = session.state()
    return read_transcript(path), [*map(json.loads, path.read_text("utf-8").splitlines())], state


def _some(texts: Iterable[str], part: str) -> bool:
    return any(part in text for text in texts)


@pytest.mark.parametrize("name", CALLS)
class TestEveryKind:
    def test_is_read_without_a_problem(self, name: str) -> None:
        transcript, _, _ = _read(name)
        assert transcript.format == name
        assert not transcript.problems

    def test_has_its_calls_counted(self, name: str) -> None:
        transcript, records, _ = _read(name)
        assert transcript.calls == sum(CALLS[name](record) for record in records)

    def test_that_is_not_known_is_counted(self, name: str) -> None:
        transcript, _, _ = _read(name)
        assert _some(transcript.skipped, "omething")
        assert _some(transcript.unknown, "forecast") or name in ("Codex rollout", "Copilot CLI")

    def test_means_what_it_says(self, name: str) -> None:
        _, _, state = _read(name)
        assert state.task is not None
        assert state.task.goal or state.task.description == "Limit wrong attempts at the login."
        assert [one.message for one in state.errors if "test_limit" in one.message]
        assert [one.path.removeprefix("/app/") for one in state.active_files if one.status == "editing"][:1]  # fmt: skip
        assert [one.result for one in state.checks if one.name == "pytest"] == ["fail"]


class TestClaudeCode:
    def test_tells_titles_decisions_steps_and_facts_of_its_own(self) -> None:
        _, _, state = _read("Claude Code")
        assert state.session is not None
        assert state.session.title == "Login limits"
        assert state.task is not None
        assert state.task.description == "and in the docs too"
        assert [one.summary for one in state.decisions] == ["Plan approved: Limit the attempts", "In SQLite"]  # fmt: skip
        assert [(one.description, one.completed) for one in state.next_steps] == [
            ("Count the attempts", True), ("Write the test", False),
        ]  # fmt: skip
        assert {one.name: one.value for one in state.facts} == {
            "branch": "limits-2",
            "pull request": "#12",
        }
        assert (state.compacted_context or "").startswith("Pending Tasks:")
        assert [one.path for one in state.active_files if one.status == "editing"] == [
            "a.py",
            "notes.md",
        ]


class TestCodex:
    def test_tells_titles_steps_facts_and_usage_of_its_own(self) -> None:
        _, _, state = _read("Codex rollout")
        assert state.session is not None
        assert state.session.title == "Login limits"
        assert state.task is not None
        assert state.task.description == "Limit wrong attempts at the login."
        assert [one.completed for one in state.next_steps] == [True, False]
        assert {one.name: one.value for one in state.facts} == {"branch": "limits"}
        assert {one.path for one in state.active_files} == {"a.py", "b.py"}


def test_a_prompt_behind_a_fence_is_a_prompt(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Add a login."},
        {"role": "assistant", "content": "Like this:\n```bash\npytest -q\n```\nShall I?"},
        {"role": "user", "content": "Error handling is missing: add it, please."},
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages), "utf-8")
    with HudStore.open(":memory:") as store:
        replay(path, session := store.session("s"))
        state = session.state()
    assert state.task is not None
    assert state.task.description == "Error handling is missing: add it, please."
    assert not state.errors

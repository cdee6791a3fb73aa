"""How well agents keep their HUD: what a session shows, and what of it they recorded themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hud_runtime.transcripts import keeping


def _session(folder: Path, *calls: tuple[str, dict[str, Any], str]) -> Path:
    found: list[dict[str, Any]] = [{"role": "user", "content": "Move the settings to SQLite."}]
    for number, (name, given, answer) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(given)}
        found.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]}
        )
        found.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    path = folder / "session.json"
    path.write_text(json.dumps(found), "utf-8")
    return path


ASKED = ("ask_user", {"question": "Which store do we take?"}, "SQLite, in one file")
TODOS = ("todo_write", {"todos": [{"content": "Write the migration"}, {"content": "Remove the old reader"}]}, "ok")  # fmt: skip


class TestKeeping:
    def test_counts_what_the_agent_recorded_itself(self, tmp_path: Path) -> None:
        path = _session(
            tmp_path,
            ASKED,
            TODOS,
            ("hud", {"op": "decisions.record", "summary": "SQLite is the store, in a single file"}, "Added d-1."),
            ("hud", {"op": "steps.add", "description": "Write a migration for the settings"}, "Added s-1."),
        )  # fmt: skip
        found = keeping(path)
        assert found.has_tool
        assert found.recorded == 2
        assert [(one.what, one.is_kept) for one in found.shown] == [
            ("decision", True), ("step", True), ("step", False),
        ]  # fmt: skip

    def test_tells_that_the_tool_was_never_called(self, tmp_path: Path) -> None:
        found = keeping(_session(tmp_path, ASKED, TODOS))
        assert not found.has_tool
        assert [one.is_kept for one in found.shown] == [False, False, False]

    def test_a_decision_is_not_kept_by_a_step(self, tmp_path: Path) -> None:
        told = ("hud", {"op": "steps.add", "description": "SQLite in one file"}, "Added s-1.")
        assert [one.is_kept for one in keeping(_session(tmp_path, ASKED, told)).of("decision")] == [False]  # fmt: skip

"""Codex's newer rollouts: calls that a program makes, and ends that are told before the answers."""

from __future__ import annotations

import json
from pathlib import Path

from hud_runtime.transcripts import read_transcript
from tests.hud_runtime.integrations.codex_player import recorded


def test_what_a_program_calls_is_seen_and_nothing_is_told_twice(tmp_path: Path) -> None:
    lines = recorded()
    main = lines[0]["rollout"]
    path = tmp_path / "rollout.jsonl"
    records = [each["record"] for each in lines if each.get("rollout") == main]
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    transcript = read_transcript(path)
    assert transcript.format == "Codex rollout"
    told = [(each.type, each.payload) for each in transcript.drafts]
    results = [payload["result"] for kind, payload in told if kind == "check.result"]
    assert results == ["fail", "pass"]  # the second by a program
    steps = [payload["description"] for kind, payload in told if kind == "step.add"]
    assert steps == ["Limit wrong attempts"]
    notes = [payload["content"] for kind, payload in told if kind == "note.add"]
    assert notes == ["The worker listens on port 8080", "Five attempts an hour"]
    assert not transcript.skipped.get("answer without a call")

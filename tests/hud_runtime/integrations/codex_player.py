"""What Codex gave its hooks in a session, what its rollouts held then, and what its agents called; told again.

``recorded/codex.jsonl`` is a session of the real client (0.169.0): steps with calls and with a program, a check that fails and
is mended, a subagent, a compaction and two resumes. A line is a record that a rollout grew by, a hook's input, or a call of the
HUD's tool. What none of them reads is left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from hud_runtime import HudStore
from hud_runtime.integrations.codex import Codex
from tests.hud_runtime.integrations.claude import asking

RECORDED = Path(__file__).parent / "recorded" / "codex.jsonl"


def recorded() -> list[dict[str, Any]]:
    """Return the lines of the session."""
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


@dataclass
class Clock:
    """The time at which a line was written."""

    now: int = 0

    def __call__(self) -> int:
        return self.now


@dataclass
class Player:
    """A client that gives hooks what was recorded."""

    folder: Path
    """In which its rollouts lie."""
    store: Callable[[], HudStore]
    clock: Clock = field(default_factory=Clock)
    has_rollouts: bool = True
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By thread: what the model was told since its history began."""
    conversation: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By thread: what the user, the model and the summary say since its history began."""
    news: list[str] = field(default_factory=list[str])
    answers: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Of calls: the text, and whether it is an error."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start the process that answers; one that was there is gone with all that it had in mind."""
        codex = Codex(self.store)
        self.ask = asking({"codex": codex.hook, "codex-call": codex.call})

    def play(self, lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Tell lines, and yield each hook's input after it was answered."""
        for line in lines:
            if "rollout" in line:
                self.write(line["rollout"], line["record"])
            elif "call" in line:
                told = json.loads(self.ask("codex-call", line["call"]))
                self.answers.append((told["text"], told["is_error"]))
            else:
                self.hook(line["hook"])
                yield line["hook"]

    def write(self, thread: str, record: dict[str, Any]) -> None:
        """Let a rollout grow."""
        time = datetime.fromisoformat(record["timestamp"])
        self.clock.now = int(time.timestamp() * 1_000) + 1
        if self.has_rollouts:
            with (self.folder / f"{thread}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        said, payload = self.conversation[thread], record.get("payload") or {}
        match record["type"], payload.get("role"):
            case "compacted", _:
                said[:] = [str(payload.get("message"))]
            case "response_item", "assistant":
                said += [str(each.get("text")) for each in payload["content"]]

    def hook(self, event: dict[str, Any]) -> str:
        """Run a hook, and return what the model reads of it."""
        path = self.folder / f"{event['transcript_path']}.jsonl"
        event = {**event, "transcript_path": str(path) if self.has_rollouts else None}
        thread = str(event.get("agent_id") or event["session_id"])
        if event.get("source") == "compact":
            self.read[thread].clear()
        if event["hook_event_name"] == "UserPromptSubmit":
            self.conversation[thread].append(event["prompt"])
        said = self.ask("codex", event)
        if not said:
            return ""
        told = json.loads(said)
        self.news += [told["systemMessage"]] if "systemMessage" in told else []
        own = told.get("hookSpecificOutput")
        if own is None:
            return ""
        assert own["hookEventName"] == event["hook_event_name"]
        text = str(own["additionalContext"])
        assert len(text.encode()) <= 10_000
        self.read[thread].append(text)
        return text

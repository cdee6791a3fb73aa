"""Events as Claude Code's hooks are given them, and a program that runs them as it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hud_runtime.integrations.bridge import Answer

Ask = Callable[[str, dict[str, Any]], str]
"""Asks a bridge: the kind of the request, and its data."""


def asking(handlers: dict[str, Callable[[bytes], Answer]]) -> Ask:
    """Ask handlers of this process, and say that each answer arrived."""

    def ask(kind: str, given: dict[str, Any]) -> str:
        answer = handlers[kind](json.dumps(given).encode())
        if answer.arrived is not None:
            answer.arrived()
        return answer.text

    return ask


@dataclass
class Claude:
    """A program that runs an agent, with a history that hooks add to."""

    ask: Ask
    session: str = "5fc2aa96"
    folder: str = "/srv/shop"
    transcript: Path | None = None
    agent: str | None = None
    joins: bool = False
    """Whether its server says whose a call is, as the one does that answers its hooks; else the bridge has to know."""
    history: list[str] = field(default_factory=list[str])
    news: list[str] = field(default_factory=list[str])
    calls: int = 0

    def event(self, name: str, **more: Any) -> str:
        """Run a hook, and return what the model reads of it."""
        common = {
            "session_id": self.session,
            "transcript_path": "" if self.transcript is None else str(self.transcript),
            "cwd": self.folder,
            "hook_event_name": name,
        }
        if self.agent is not None:
            common["agent_id"] = self.agent
        said = self.ask("claude-code", {**common, **more})
        if name == "PreCompact" or not said:
            return said
        told = json.loads(said)
        self.news += [told["systemMessage"]] if "systemMessage" in told else []
        own = told.get("hookSpecificOutput")
        if own is None:
            return ""
        assert own["hookEventName"] == name
        text = str(own["additionalContext"])
        assert len(text) <= 10_000
        self.history.append(text)
        return text

    def begins(self, source: str = "startup", **more: Any) -> str:
        """Begin, or go on."""
        return self.event("SessionStart", source=source, **more)

    def asked(self, prompt: str) -> str:
        """Let the user say something."""
        self.history.append(prompt)
        return self.event("UserPromptSubmit", prompt=prompt)

    def works(self, name: str, given: dict[str, Any], answer: str, *, failed: bool = False) -> str:
        """Let the model call a tool."""
        self.calls += 1
        call = f"toolu_{self.session}_{self.agent or ''}_{self.calls}"
        if failed:
            self.event("PostToolUseFailure", tool_use_id=call)
        batch = {
            "tool_name": name, "tool_input": given, "tool_use_id": call, "tool_response": answer
        }  # fmt: skip
        self.history.append(answer)
        return self.event("PostToolBatch", tool_calls=json.dumps([batch]))

    def hud(self, operation: str, **arguments: Any) -> tuple[str, bool]:
        """Let the model call its HUD's tool, as the server passes it on."""
        self.calls += 1
        call = f"toolu_{self.session}_{self.agent or ''}_{self.calls}"
        self.event("PreToolUse", tool_use_id=call)
        asked = {
            "tool": "hud",
            "arguments": {"call": {"op": operation, **arguments}},
            "tool_use_id": call,
            "session_id": "stale",
        }
        if self.joins:
            asked |= {"session_id": self.session, "agent_id": self.agent}
        told = json.loads(self.ask("claude-code-call", asked))
        return told["text"], told["is_error"]

"""The tools by which an agent asks for a compaction: what is recorded, and what its host is told."""

from __future__ import annotations

from typing import Any

from hud_runtime.compaction import compaction_prompt
from hud_runtime.tools._arguments import Compact
from hud_runtime.tools._session import SessionLike
from ujsx.tools import ToolResult


def compact(session: SessionLike, asked: Compact) -> ToolResult:
    """Record that the conversation is about to be compacted, and return what a host needs."""
    data = _announced(session, asked)
    text = (
        f"Recorded at version {data['version']}; what the HUD holds survives a compaction. "
        "Compacting the conversation itself is up to the program that runs you."
    )
    return ToolResult(text, data=data)


def compact_later(session: SessionLike, asked: Compact) -> ToolResult:
    """Ask the host for a compaction, where it is worth its price. It runs once the agent's turn is over."""
    usage = session.refresh().usage
    percentage = None if usage is None else usage.percentage
    refused = session.compaction_policy.refuses(percentage)
    if refused is not None:
        data = {"action": "none", "session_id": session.id, "percentage": percentage}
        return ToolResult(f"Not compacted: {refused}.", data=data)
    data = _announced(session, asked) | _model_of(usage.model if usage else None)
    full = "" if percentage is None else f" The context is {int(percentage)}% full."
    text = (
        f"A compaction is asked for at version {data['version']}.{full} It runs after this turn, where the program "
        "that runs you can do it; go on, and end your turn. What the HUD holds survives it."
    )
    return ToolResult(text, data=data)


def _announced(session: SessionLike, asked: Compact) -> dict[str, Any]:
    event, policy = session.record("compact.before", reason=asked.reason), session.compaction_policy
    return {
        "action": "compact",
        "session_id": session.id,
        "version": event.version,
        "prompt": compaction_prompt(
            session.state(),
            replace=policy.prompt,
            append=policy.append,
            thresholds=session.thresholds,
        ),
    }


def _model_of(name: str | None) -> dict[str, str | None]:
    """The provider and the model, where the host has told them: ``anthropic/claude-x`` names both."""
    provider, divider, model = (name or "").partition("/")
    return {"provider": provider if divider else None, "model": model if divider else name}

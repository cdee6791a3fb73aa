"""The tools by which an agent asks for a compaction: what is recorded, and what its host is told."""

from __future__ import annotations

from typing import Any

from hud_runtime.compaction import compaction_prompt
from hud_runtime.tools._arguments import Compact
from hud_runtime.tools._lists import said
from hud_runtime.tools._session import SessionLike
from ujsx.tools import ToolResult


def compact(session: SessionLike, asked: Compact) -> ToolResult:
    """Record that the conversation is about to be compacted, and return what a host needs."""
    data = _announced(session, asked)
    return ToolResult(said(session, "answer.compact", version=data["version"]), data=data)


def compact_later(session: SessionLike, asked: Compact) -> ToolResult:
    """Ask the host for a compaction, where it is worth its price. It runs once the agent's turn is over."""
    usage = session.refresh().usage
    percentage = None if usage is None else usage.percentage
    policy = session.compaction_policy
    if percentage is not None and policy.refuses(percentage):
        data = {"action": "none", "session_id": session.id, "percentage": percentage}
        full = {"percent": int(percentage), "least": f"{policy.least:g}"}
        return ToolResult(said(session, "answer.not compacted", **full), data=data)
    data = _announced(session, asked) | _model_of(usage.model if usage else None)
    used = ""
    if percentage is not None:
        used = said(session, "answer.compact used", percent=int(percentage))
    text = said(session, "answer.compact later", version=data["version"], used=used)
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

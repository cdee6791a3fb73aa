"""Copilot's command line: events of a session, in lines. A command that ends badly is a success all the same."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observe._observations import (
    AnyObservation,
    Record,
    ToolCall,
    Undone,
    mapping,
    string,
)
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import (
    Format,
    RecordReader,
    Table,
    each,
    has,
    of_child,
    reader,
    status,
    where,
)
from hud_runtime.transcripts._source import Source

BRANCH = rows.fact(
    name="=branch", value="data.context.branch|data.branch", directory="data.context.cwd|data.cwd"
)
RESULT = rows.result(
    text="data.result.content|data.error.message",
    call_id="data.toolCallId",
    status=status("data.success", {False: "failed"}),
)

EVENTS: Table = {
    **dict.fromkeys(("session.start", "session.resume", "session.context_changed"), BRANCH),
    "user.message": rows.user(text="data.content", message_id="id"),
    "system.message": rows.background(text="data.content"),
    "assistant.message": (
        rows.agent(text="data.content", model="model"),
        each(
            "data.toolRequests", rows.call(name="name", arguments="arguments", call_id="toolCallId")
        ),
    ),
    "tool.execution_start": rows.call(
        name="data.toolName", arguments="data.arguments", call_id="data.toolCallId"
    ),
    "tool.execution_complete": RESULT,
    "session.usage_info": rows.used(
        used="data.currentTokens", limit="data.tokenLimit", model="model"
    ),
    "session.compaction_start": rows.compacting(),
    "session.compaction_complete": rows.compacted(summary="data.summaryContent"),
    "session.title_changed": rows.title(text="data.title"),
    "exit_plan_mode.completed": where(
        "data.approved", True, rows.decided(summary="=Plan approved", details="data.feedback")
    ),
    "user_input.completed": rows.decided(summary="data.answer", details="data.question"),
    "session.error": rows.failed(message="data.message|=failed"),
}

QUIET = {
    "abort", "assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "assistant.intent",
    "assistant.usage", "assistant.idle", "assistant.message_start", "assistant.message_delta",
    "assistant.streaming_delta", "assistant.reasoning_delta", "command.queued", "command.execute",
    "command.completed", "exit_plan_mode.requested", "user_input.requested", "permission.requested",
    "permission.completed", "elicitation.requested", "elicitation.completed", "hook.start", "hook.end",
    "hook.progress", "model.call_failure", "model.call_finished", "session.auto_mode_resolved",
    "session.handoff", "session.idle", "session.info", "session.mode_changed", "session.model_change",
    "session.permissions_changed", "session.plan_changed", "session.shutdown", "session.skills_loaded",
    "session.snapshot_rewind", "session.task_complete", "session.todos_changed", "session.tools_updated",
    "session.truncation", "session.usage_checkpoint", "session.warning", "session.workspace_file_changed",
    "skill.invoked", "subagent.selected", "subagent.deselected", "subagent.started", "subagent.completed",
    "subagent.failed", "system.notification", "tool.execution_progress", "tool.execution_partial_result",
    "tool.user_requested", "tool_search.activated",
}  # fmt: skip
"""Events without a meaning for the session's state, of those in the schema of Copilot's SDK 1.0.14."""


def _is_event(one: Record) -> bool:
    begin = ("session.", "assistant.", "user.message", "tool.execution")
    return isinstance(one.get("data"), dict) and str(one.get("type")).startswith(begin)


def begin(source: Source) -> RecordReader:
    """Begin a session."""
    read = reader(source, EVENTS)
    asked: set[str] = set()
    model: str | None = None
    prompts: list[str] = []
    at_event: dict[str, int] = {}
    """By events: how many prompts there were with it."""

    def event(line: int, record: Record) -> Iterator[AnyObservation]:
        nonlocal model
        data, event_id = mapping(record.get("data")), string(record.get("id")) or ""
        child = string(record.get("agentId")) or string(data.get("parentToolCallId"))
        model = string(data.get("selectedModel")) or string(data.get("newModel")) or model
        if record.get("type") == "session.snapshot_rewind":
            kept = at_event.get(string(data.get("upToEventId")) or "", len(prompts))
            if kept < len(prompts):
                yield Undone(line=line, since=prompts[kept])
                del prompts[kept:]
            else:
                source.skip("session.snapshot_rewind")
            return
        if record.get("type") == "user.message" and child is None:
            prompts.append(event_id)
        at_event[event_id] = len(prompts)
        for seen in read(line, {"model": model, **record}):
            # A call stands both in the agent's message and where it begins.
            if isinstance(seen, ToolCall) and seen.call_id is not None:
                if seen.call_id in asked:
                    continue
                asked.add(seen.call_id)
            yield from [seen] if child is None else of_child(child, seen)

    return event


FORMAT = Format.of_records(
    "Copilot CLI",
    has("events with a type with a dot, and data", _is_event),
    begin,
    where="~/.copilot/session-state/ID/events.jsonl",
    quiet=QUIET,
)

"""Events that command lines print or keep: Gemini CLI, Qwen Code and Droid as streams, Copilot's sessions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, string
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Source

# Output of commands that tell their work with ``--output-format stream-json``: a table of where each says what.
#
# A message comes in pieces; the pieces of one stand together, with nothing between them. The forms are those of the
# commands' own code: Gemini CLI 0.61.0, Droid 0.215.0. What Qwen Code prints is read as Claude Code's, which it mirrors.


class Stream(NamedTuple):
    """The places in a command's records; the kind of each record is its ``type``."""

    name: str
    begins: str
    """The type of the record that names the model and the folder."""
    text: str
    """The member with a message's words."""
    call: str
    """The type of a call."""
    tool: str
    """The member with the name of a call's tool."""
    id: str
    """The member with the id of a call, and of its result."""
    output: str
    """The member with a result's words."""
    ends: str
    """The type of the record that sums up."""
    also: tuple[str, ...] = ()
    """Further members of each message, by which it is told from others' messages."""

    @property
    def table(self) -> rows.Table:
        """The rows of its records."""
        agent = partial(rows.agent, message_id="message id", model="model", directory="cwd")
        failed = rows.status("status|isError", {"error": "failed", True: "failed"})
        return {
            "begins to speak": agent(),
            "assistant": agent(text=self.text),
            "message": rows.user(text=self.text, directory="cwd"),
            self.call: rows.call(name=self.tool, arguments="parameters", call_id=self.id),
            "tool_result": rows.result(text=f"{self.output}|error.message|error", call_id=self.id, status=failed),
            "error": rows.failed(message="message"),
            "failed": rows.failed(message="error.message"),
        }  # fmt: skip

    def recognises(self, source: Source) -> str | None:
        """Tell why a file is such a stream."""
        is_one = any(
            (one.get("type") == self.call and self.tool in one) or self._is_message(one)
            for one in source.head
        )
        return "its lines are what it prints as it works" if is_one else None

    def _is_message(self, record: Record) -> bool:
        is_text = record.get("type") == "message" and isinstance(record.get(self.text), str)
        return is_text and {"role", "timestamp", *self.also}.issubset(record)

    def _kind_of(self, record: Record) -> str | None:
        kind = string(record.get("type"))
        match kind:
            case "message" if record.get("role") == "assistant":
                return "assistant"
            case "error" if record.get("severity") == "warning":
                return "warning"
            case self.ends:
                return "failed" if mapping(record.get("error")) else "usage of all calls"
            case _:
                return kind

    def begin(self, source: Source) -> rows.RecordReader:
        """Begin a stream."""
        number, speaks = 0, False
        about: Record = {"model": None, "cwd": None}
        told_by = rows.reader(source, table := self.table, self._kind_of)

        def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
            nonlocal number, speaks, about
            kind = self._kind_of(record)
            if kind == self.begins:
                about = {name: record.get(name) for name in about}
                return
            by_agent = kind in ("assistant", self.call)
            number += by_agent and not speaks
            told = {**record, **about, "message id": f"m{number}"}
            if kind == self.call and not speaks:
                yield from told_by(line, {**told, "type": "begins to speak"})
            speaks = by_agent or (speaks and kind not in table)
            yield from told_by(line, told)

        return read


STREAMS = (
    Stream(
        "gemini --output-format stream-json",
        begins="init",
        text="content",
        call="tool_use",
        tool="tool_name",
        id="tool_id",
        output="output",
        ends="result",
    ),
    Stream(
        "droid exec --output-format stream-json",
        begins="system",
        text="text",
        call="tool_call",
        tool="toolName",
        id="id",
        output="value",
        ends="completion",
        also=("session_id",),
    ),
)

FORMATS = tuple(
    rows.Format.of_records(
        each.name, each.recognises, each.begin, quiet={"usage of all calls", "warning", "reasoning"}
    )
    for each in STREAMS
)
"""The commands whose streams are read."""


# Copilot's command line: events of a session, in lines. A command that ends badly is a success all the same.

BRANCH = rows.fact(
    name="=branch", value="data.context.branch|data.branch", directory="data.context.cwd|data.cwd"
)
RESULT = rows.result(
    text="data.result.content|data.error.message",
    call_id="data.toolCallId",
    status=rows.status("data.success", {False: "failed"}),
)

EVENTS: rows.Table = {
    **dict.fromkeys(("session.start", "session.resume", "session.context_changed"), BRANCH),
    "user.message": rows.user(text="data.content", message_id="id"),
    "system.message": rows.background(text="data.content"),
    "assistant.message": (
        rows.agent(text="data.content", model="model"),
        rows.each(
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
    "exit_plan_mode.completed": rows.where(
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


def begin_copilot(source: Source) -> rows.RecordReader:
    """Begin a session."""
    read = rows.reader(source, EVENTS)
    asked: set[str] = set()
    model: str | None = None
    prompts: list[str] = []
    at_event: dict[str, int] = {}
    """By events: how many prompts there were with it."""

    def event(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        nonlocal model
        data, event_id = mapping(record.get("data")), string(record.get("id")) or ""
        child = string(record.get("agentId")) or string(data.get("parentToolCallId"))
        model = string(data.get("selectedModel")) or string(data.get("newModel")) or model
        if record.get("type") == "session.snapshot_rewind":
            kept = at_event.get(string(data.get("upToEventId")) or "", len(prompts))
            if kept < len(prompts):
                yield observed.Undone(line=line, since=prompts[kept])
                del prompts[kept:]
            else:
                source.skip("session.snapshot_rewind")
            return
        if record.get("type") == "user.message" and child is None:
            prompts.append(event_id)
        at_event[event_id] = len(prompts)
        for seen in read(line, {"model": model, **record}):
            # A call stands both in the agent's message and where it begins.
            if isinstance(seen, observed.ToolCall) and seen.call_id is not None:
                if seen.call_id in asked:
                    continue
                asked.add(seen.call_id)
            yield from [seen] if child is None else rows.of_child(child, seen)

    return event


COPILOT = rows.Format.of_records(
    "Copilot CLI",
    rows.has("events with a type with a dot, and data", _is_event),
    begin_copilot,
    quiet=QUIET,
)

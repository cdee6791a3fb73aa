"""Events that command-line agents print or store: Gemini CLI, Qwen Code and Droid as streams, Copilot's sessions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, string
from hud_runtime.observe.messages import names
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Source

# Output of commands with ``--output-format stream-json``: Gemini CLI 0.61.0 and Droid 0.215.0.
#
# A message comes in consecutive pieces. Qwen Code's output is read as Claude Code's, which it
# mirrors.

CALLS = ("tool_use", "tool_call")

AGENT = partial(rows.agent, message_id="message id", model="model", directory="cwd")
STREAM: rows.Table = {
    "begins to speak": AGENT(),
    "assistant": AGENT(text="content|text"),
    "message": rows.user(text="content|text", directory="cwd"),
    **dict.fromkeys(
        CALLS,
        rows.call(name="tool_name|toolName", arguments="parameters", call_id="tool_id|id"),
    ),
    "tool_result": rows.result(
        text="output|value|error.message|error",
        call_id="tool_id|id",
        status=rows.status("status|isError", {"error": "failed", True: "failed"}),
    ),
    "error": rows.failed(message="message"),
    "failed": rows.failed(message="error.message"),
}


def _kind_of(record: Record) -> str | None:
    kind = string(record.get("type"))
    match kind:
        case "message" if record.get("role") == "assistant":
            return "assistant"
        case "error" if record.get("severity") == "warning":
            return "warning"
        case "result" | "completion":
            return "failed" if mapping(record.get("error")) else "usage of all calls"
        case _:
            return kind


def begin_stream(source: Source) -> rows.RecordReader:
    """Begin a stream."""
    number, speaks = 0, False
    about: Record = {"model": None, "cwd": None}
    told_by = rows.reader(source, STREAM, _kind_of)

    def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        nonlocal number, speaks, about
        kind = _kind_of(record)
        if kind in ("init", "system"):
            about = {name: record.get(name) for name in about}
            return
        by_agent = kind in ("assistant", *CALLS)
        number += by_agent and not speaks
        told = {**record, **about, "message id": f"m{number}"}
        if kind in CALLS and not speaks:
            yield from told_by(line, {**told, "type": "begins to speak"})
        speaks = by_agent or (speaks and kind not in STREAM)
        yield from told_by(line, told)

    return read


def _prints(tool: str, text: str, *members: str) -> rows.Sign:
    """Return the sign of a stream whose calls name their tool, and whose messages have a text and these members."""

    def is_one(record: Record) -> bool:
        if record.get("type") != "message":
            return record.get("type") in CALLS and tool in record
        return isinstance(record.get(text), str) and {"role", "timestamp", *members} <= set(record)

    return lambda source: (
        "its lines are what it prints as it works" if any(map(is_one, source.head)) else None
    )


FORMATS = tuple(
    rows.Format.of_records(
        f"{command} --output-format stream-json",
        sign,
        begin_stream,
        quiet={"usage of all calls", "warning", "reasoning"},
    )
    for command, sign in (
        ("gemini", _prints("tool_name", "content")),
        ("droid exec", _prints("toolName", "text", "session_id")),
    )
)
"""The commands whose streams are read."""


# Copilot CLI: events of a session, in lines. A failed command counts as a success here.

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

QUIET = names("quiet in copilot")
"""Events without meaning for the session's state, of those in the schema of Copilot's SDK 1.0.14."""


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
    """The number of prompts at each event."""

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
            # A call is both in the agent's message and in an event of its own.
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

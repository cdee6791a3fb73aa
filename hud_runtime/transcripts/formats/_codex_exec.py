"""What ``codex exec --json`` prints: items that began, went on and ended. The prompt is not in it."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observation._json import Record, mapping, prose, sequence, string, whole
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    ContextUsed,
    Failed,
    FileChanged,
    PlanWritten,
    ToolCall,
    ToolResult,
)
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._codex import CHANGES

EVENTS = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.completed",
    }
)


def recognises(source: Source) -> str | None:
    """Tell why a file is such a stream."""
    is_one = any(
        one.get("type") == "thread.started" or (string(one.get("type")) in EVENTS and "item" in one)
        for one in source.head
    )
    return "its lines tell of a thread and its items" if is_one else None


def begin(source: Source) -> RecordReader:
    """Begin a stream."""
    speaks = False

    def told(line: int, record: Record) -> Iterator[AnyObservation]:
        nonlocal speaks
        kind, item = record.get("type"), mapping(record.get("item"))
        if kind in ("item.completed", "item.updated"):
            of = item.get("type")
            if kind == "item.updated" and of != "todo_list":
                return
            if of == "agent_message" or not speaks:
                speaks = True
                yield AgentMessage(line=line, text=prose(item.get("text")))
            yield from _item(line, item, source)
        elif kind == "turn.completed":
            speaks = False
            usage = mapping(record.get("usage"))
            used = whole(usage.get("input_tokens")) + whole(usage.get("output_tokens"))
            source.skip("usage of all calls")
            yield from [ContextUsed(line=line)] if used else []
        elif kind in ("turn.failed", "error"):
            error = mapping(record.get("error"))
            yield Failed(
                line=line,
                message=string(error.get("message")) or prose(record.get("message")) or "failed",
            )
        elif kind not in ("thread.started", "turn.started", "item.started"):
            source.skip(kind)

    return told


def _item(line: int, item: Record, source: Source) -> Iterator[AnyObservation]:
    match item.get("type"):
        case "command_execution":
            code = item.get("exit_code")
            item_id = string(item.get("id"))
            command = {"command": prose(item.get("command"))}
            yield ToolCall(line=line, name="shell", arguments=command, call_id=item_id)
            yield ToolResult(
                line=line,
                text=prose(item.get("aggregated_output")),
                call_id=item_id,
                exit_code=code if isinstance(code, int) else None,
                status="refused" if item.get("status") == "declined" else "unknown",
            )
        case "file_change" if item.get("status") != "failed":
            for one in map(mapping, sequence(item.get("changes"))):
                if path := string(one.get("path")):
                    yield FileChanged(
                        line=line, path=path, event=CHANGES.get(str(one.get("kind")), "file.edit")
                    )
        case "todo_list":
            entries = [mapping(one) for one in sequence(item.get("items"))]
            yield PlanWritten(
                line=line,
                steps=tuple(
                    (
                        prose(one.get("text")),
                        "completed" if one.get("completed") is True else "pending",
                    )
                    for one in entries
                ),
            )
        case "agent_message" | "reasoning" | "web_search":
            pass
        case "mcp_tool_call":
            item_id = string(item.get("id"))
            yield ToolCall(
                line=line,
                name=string(item.get("tool")) or "mcp",
                arguments=mapping(item.get("arguments")),
                call_id=item_id,
            )
            yield ToolResult(
                line=line,
                call_id=item_id,
                status="failed" if item.get("status") == "failed" else "done",
            )
        case other:
            source.skip(other)


FORMAT = Format.of_records("codex exec --json", recognises, begin)

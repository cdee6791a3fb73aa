"""Output of ``codex exec --json``: items that began, went on and ended. The prompt is not in it."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observe._observations import (
    AgentMessage,
    AnyObservation,
    ContextUsed,
    Record,
    mapping,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, RecordReader, Table, has, reader, status
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._codex import patch

EVENTS = frozenset(
    {"turn.started", "turn.completed", "turn.failed", "item.started", "item.completed"}
)
FAILED = rows.failed(message="error.message|message|=failed")


def _steps(item: Record) -> tuple[tuple[str, str], ...]:
    entries = map(mapping, sequence(item.get("items")))
    return tuple(
        (prose(one.get("text")), "completed" if one.get("completed") is True else "pending")
        for one in entries
    )


def _changed(item: Record) -> Iterator[tuple[str, object]]:
    for change in map(mapping, sequence(item.get("changes"))):
        yield prose(change.get("path")), change.get("kind")


ITEMS: Table = {
    "command_execution": (
        rows.call(name="=shell", arguments=lambda item: {"command": prose(item.get("command"))}, call_id="id"),
        rows.result(text="aggregated_output", call_id="id", exit_code="exit_code", status=status("status", {"declined": "refused"})),
    ),
    "file_change": (
        rows.call(name="=apply_patch", arguments=lambda item: patch(_changed(item)), call_id="id"),
        rows.result(call_id="id", status=status("status", {"failed": "failed"}, "done")),
    ),
    "todo_list": rows.plan(steps=_steps),
    "mcp_tool_call": (
        rows.call(name="tool|=mcp", arguments="arguments", call_id="id"),
        rows.result(call_id="id", status=status("status", {"failed": "failed"}, "done")),
    ),
}  # fmt: skip


def _is_event(one: Record) -> bool:
    kind = string(one.get("type"))
    return kind == "thread.started" or (kind in EVENTS and "item" in one)


def begin(source: Source) -> RecordReader:
    """Begin a stream."""
    speaks = False
    read = reader(source, ITEMS)

    def event(line: int, record: Record) -> Iterator[AnyObservation]:
        nonlocal speaks
        kind, item = record.get("type"), mapping(record.get("item"))
        of = item.get("type")
        if kind == "item.completed" or (kind == "item.updated" and of == "todo_list"):
            if of == "agent_message" or not speaks:
                speaks = True
                yield AgentMessage(line=line, text=prose(item.get("text")))
            yield from read(line, item)
        elif kind == "turn.completed":
            speaks = False
            usage = mapping(record.get("usage"))
            source.skip("usage of all calls")
            if whole(usage.get("input_tokens")) + whole(usage.get("output_tokens")):
                yield ContextUsed(line=line)
        elif kind in ("turn.failed", "error"):
            yield from FAILED(record, {"line": line})
        elif kind not in ("thread.started", "turn.started", "item.started", "item.updated"):
            source.skip(kind)

    return event


FORMAT = Format.of_records(
    "codex exec --json",
    has("a thread and its items", _is_event),
    begin,
    quiet={"agent_message", "reasoning", "web_search", "usage of all calls"},
)

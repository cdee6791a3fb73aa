"""Copilot's command line: events of a session, in lines. A command that ends badly is a success all the same."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observation._json import (
    Record,
    arguments,
    mapping,
    milliseconds,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    Compacting,
    ContextUsed,
    Decided,
    Failed,
    Found,
    Title,
    ToolCall,
    ToolResult,
    Undone,
    UserMessage,
)
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._answers import exit_code_in

QUIET = frozenset(
    {"assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "session.idle"}
)


def recognises(source: Source) -> str | None:
    """Tell why a file holds such events."""
    found = any(
        isinstance(one.get("data"), dict)
        and str(one.get("type")).startswith(
            ("session.", "assistant.", "user.message", "tool.execution")
        )
        for one in source.head
    )
    return "its events have a type with a dot, and data" if found else None


def begin(source: Source) -> RecordReader:
    """Begin a session."""
    asked: set[str] = set()
    model: str | None = None
    prompts: list[str] = []
    at_event: dict[str, int] = {}
    """By events: how many prompts there were with it."""

    def told(line: int, record: Record) -> Iterator[AnyObservation]:
        nonlocal model
        kind, data = string(record.get("type")) or "untyped", mapping(record.get("data"))
        model = string(data.get("selectedModel")) or string(data.get("newModel")) or model
        at = (line, milliseconds(record.get("timestamp")))
        event_id = string(record.get("id")) or ""
        if kind == "session.snapshot_rewind":
            kept = at_event.get(string(data.get("upToEventId")) or "", len(prompts))
            if kept < len(prompts):
                yield Undone(line=line, timestamp=at[1], since=prompts[kept])
                del prompts[kept:]
            else:
                source.skip(kind)
            return
        if kind == "user.message":
            prompts.append(event_id)
            yield UserMessage(
                line=line, timestamp=at[1], text=prose(data.get("content")), message_id=event_id
            )
        at_event[event_id] = len(prompts)
        yield from _event(at, kind, data, source, asked, model=model)

    return told


def _event(
    at: tuple[int, int | None],
    kind: str,
    data: Record,
    source: Source,
    asked: set[str],
    *,
    model: str | None,
) -> Iterator[AnyObservation]:
    line, timestamp = at
    match kind:
        case "session.start" | "session.resume" | "session.context_changed":
            context = mapping(data.get("context")) or data
            directory, branch = string(context.get("cwd")), string(context.get("branch"))
            yield Found(
                line=line,
                timestamp=timestamp,
                name="branch",
                value=branch or "",
                directory=directory,
            )
        case "user.message":
            pass
        case "system.message":
            yield Background(line=line, timestamp=timestamp, text=prose(data.get("content")))
        case "assistant.message":
            yield AgentMessage(
                line=line, timestamp=timestamp, text=prose(data.get("content")), model=model
            )
            for call in map(mapping, sequence(data.get("toolRequests"))):
                yield from _call(line, timestamp, call.get("name"), call, asked)
        case "tool.execution_start":
            yield from _call(line, timestamp, data.get("toolName"), data, asked)
        case "tool.execution_complete":
            text = prose(mapping(data.get("result")).get("content")) or prose(
                mapping(data.get("error")).get("message")
            )
            yield ToolResult(
                line=line,
                timestamp=timestamp,
                text=text,
                call_id=string(data.get("toolCallId")),
                status="failed" if data.get("success") is False else "unknown",
                exit_code=exit_code_in(text),
            )
        case "session.usage_info":
            used, limit = whole(data.get("currentTokens")), whole(data.get("tokenLimit"))
            yield ContextUsed(
                line=line, timestamp=timestamp, used=used or None, limit=limit or None, model=model
            )
        case "session.compaction_start":
            yield Compacting(line=line, timestamp=timestamp, reason="")
        case "session.compaction_complete":
            yield Compacted(
                line=line, timestamp=timestamp, summary=prose(data.get("summaryContent"))
            )
        case "session.title_changed" if title := string(data.get("title")):
            yield Title(line=line, timestamp=timestamp, text=title)
        case "exit_plan_mode.completed" if data.get("approved") is True:
            yield Decided(
                line=line,
                timestamp=timestamp,
                summary="Plan approved",
                details=prose(data.get("feedback")),
            )
        case "user_input.completed" if answer := string(data.get("answer")):
            yield Decided(
                line=line, timestamp=timestamp, summary=answer, details=prose(data.get("question"))
            )
        case "session.error":
            yield Failed(
                line=line, timestamp=timestamp, message=prose(data.get("message")) or "failed"
            )
        case _ if kind not in QUIET:
            source.skip(kind)
        case _:
            pass


def _call(
    line: int, timestamp: int | None, name: object, call: Record, asked: set[str]
) -> Iterator[AnyObservation]:
    """A call, which stands both in the agent's message and where it begins."""
    call_id, called = string(call.get("toolCallId")), string(name)
    if called is None or (call_id is not None and call_id in asked):
        return
    if call_id is not None:
        asked.add(call_id)
    given = arguments(call.get("arguments"))
    yield ToolCall(line=line, timestamp=timestamp, name=called, arguments=given, call_id=call_id)


FORMAT = Format.of_records(
    "Copilot CLI", recognises, begin, where="~/.copilot/session-state/ID/events.jsonl"
)

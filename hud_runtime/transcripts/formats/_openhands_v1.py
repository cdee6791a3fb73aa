"""OpenHands' events of the second kind: each names its kind; in lines, or in a folder of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hud_runtime.observation._json import Record, mapping, milliseconds, prose, string, whole
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    Compacting,
    ContextUsed,
    Failed,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Numbered, Source

KINDS = frozenset(
    {
        "SystemPromptEvent",
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "ConversationStateUpdateEvent",
        "AgentErrorEvent",
    }
)


def recognises(source: Source) -> str | None:
    """Tell why a file, or a folder, holds such events."""
    if source.kind == "folder":
        return "it has files of events" if _event_files(source.path) else None
    return (
        "its events name their kinds"
        if any(string(one.get("kind")) in KINDS for one in source.head)
        else None
    )


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the events tell."""
    for line, event in _files(source) if source.kind == "folder" else source.records():
        yield from _event(line, event, source)


def begin(source: Source) -> RecordReader:
    """Begin a file of events."""
    return lambda line, event: _event(line, event, source)


def _event_files(folder: Path) -> list[Path]:
    try:
        return sorted([*folder.glob("event-*.json"), *folder.glob("events/event-*.json")])
    except OSError:  # it went while it was looked at
        return []


def _files(source: Source) -> Iterator[Numbered]:
    for number, path in enumerate(_event_files(source.path), start=1):
        try:
            yield number, mapping(json.loads(path.read_text("utf-8", "replace")))
        except (OSError, ValueError, RecursionError):
            source.skip("file that cannot be read")


def _event(line: int, event: Record, source: Source) -> Iterator[AnyObservation]:
    kind = string(event.get("kind")) or "untyped"
    timestamp = milliseconds(event.get("timestamp"))
    match kind:
        case "MessageEvent":
            text = prose(mapping(event.get("llm_message")).get("content"))
            if event.get("source") == "user":
                yield UserMessage(line=line, timestamp=timestamp, text=text)
            else:
                yield AgentMessage(line=line, timestamp=timestamp, text=text)
        case "ActionEvent":
            yield from _action(line, timestamp, event)
        case "ObservationEvent":
            yield from _observation(line, timestamp, event)
        case "UserRejectObservation":
            reason = string(event.get("rejection_reason")) or ""
            yield ToolResult(
                line=line,
                timestamp=timestamp,
                call_id=string(event.get("tool_call_id")),
                status="refused",
                wish=reason,
            )
        case "AgentErrorEvent":
            yield ToolResult(
                line=line,
                timestamp=timestamp,
                call_id=string(event.get("tool_call_id")),
                text=prose(event.get("error")),
                status="failed",
            )
        case "ConversationErrorEvent":
            yield Failed(
                line=line, timestamp=timestamp, message=prose(event.get("detail")) or "failed"
            )
        case "SystemPromptEvent":
            prompt = event.get("system_prompt")
            yield Background(line=line, timestamp=timestamp, text=prose(prompt) or prose([prompt]))
        case "CondensationRequest":
            yield Compacting(line=line, timestamp=timestamp, reason="")
        case "Condensation":
            yield Compacted(line=line, timestamp=timestamp, summary=prose(event.get("summary")))
        case "ConversationStateUpdateEvent":
            yield from _figures(line, timestamp, event, source)
        case _:
            source.skip(kind)


def _action(line: int, timestamp: int | None, event: Record) -> Iterator[AnyObservation]:
    yield AgentMessage(
        line=line,
        timestamp=timestamp,
        text=prose(event.get("thought")),
        message_id=string(event.get("llm_response_id")),
    )
    action = mapping(event.get("action"))
    name = string(event.get("tool_name")) or string(action.get("kind")) or "action"
    yield ToolCall(
        line=line,
        timestamp=timestamp,
        name=name,
        arguments={key: value for key, value in action.items() if key != "kind"},
        call_id=string(event.get("tool_call_id")) or string(event.get("id")),
    )


def _observation(line: int, timestamp: int | None, event: Record) -> Iterator[AnyObservation]:
    told = mapping(event.get("observation"))
    code = told.get("exit_code")
    failed = told.get("is_error") is True
    is_number = isinstance(code, int) and code >= 0
    yield ToolResult(
        line=line,
        timestamp=timestamp,
        text=prose(told.get("content")) or prose(told.get("output")),
        call_id=string(event.get("tool_call_id")) or string(event.get("action_id")),
        status="failed" if failed else "unknown",
        exit_code=code if isinstance(code, int) and is_number else None,
        directory=string(mapping(told.get("metadata")).get("working_dir")),
    )


def _figures(
    line: int, timestamp: int | None, event: Record, source: Source
) -> Iterator[AnyObservation]:
    if event.get("key") != "stats":
        source.skip("state")
        return
    by_use = mapping(mapping(event.get("value")).get("usage_to_metrics"))
    metrics = mapping(by_use.get("default")) or mapping(by_use.get("agent"))
    usage = mapping(metrics.get("accumulated_token_usage"))
    used, limit = whole(usage.get("per_turn_token")), whole(usage.get("context_window"))
    yield ContextUsed(
        line=line,
        timestamp=timestamp,
        used=used or None,
        limit=limit or None,
        model=string(metrics.get("model_name")),
    )


FORMAT = Format("OpenHands events", recognises, observations, begin=begin)

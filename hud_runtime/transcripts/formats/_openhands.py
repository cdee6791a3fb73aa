"""OpenHands' trajectories of the first kind: actions and observations, each an event.

An edit that failed has the message "I edited the file" and begins with "ERROR:". A prompt is wrapped in elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import (
    Record,
    is_list,
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
    Failed,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source

TOOLS: dict[str, str] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "edit": "str_replace_editor",
    "write": "write_file",
    "read": "read_file",
    "task_tracking": "task_tracker",
    "think": "think",
    "browse": "browse",
    "browse_interactive": "browse",
    "delegate": "delegate",
    "finish": "finish",
    "recall": "recall",
    "call_tool_mcp": "mcp",
}
"""The tools that actions stand for."""

_RECORD = frozenset({"instance_id", "git_patch"})
_ERROR = re.compile(r"\AERROR:\s*")


def recognises(source: Source) -> str | None:
    """Tell why a file is such a trajectory."""
    for one in source.head:
        if "source" in one and ("action" in one or "observation" in one) and "kind" not in one:
            return "its events are actions and observations of a source"
        if isinstance(one.get("history"), list) and _RECORD.intersection(one):
            return "its record has an instance and a history"
    if isinstance(source.first.get("history"), list) and _RECORD.intersection(source.first):
        return "its record has an instance and a history"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the events tell."""
    records = (
        [(1, source.first)]
        if source.kind == "value" and "history" in source.first
        else source.records()
    )
    for line, record in records:
        history = record.get("history")
        if is_list(history):
            for one in sequence(history):
                for event in sequence(one) or [one]:
                    yield from _event(line, mapping(event), source)
            if error := string(record.get("error")):
                yield Failed(line=line, message=error.strip().rpartition("\n")[2])
        else:
            yield from _event(line, record, source)


def _event(line: int, event: Record, source: Source) -> Iterator[AnyObservation]:
    timestamp = milliseconds(event.get("timestamp"))
    if "action" in event:
        yield from _action(line, timestamp, event, source)
    elif "observation" in event:
        yield from _observation(line, timestamp, event, source)
    else:
        source.skip("event")


def _action(
    line: int, timestamp: int | None, event: Record, source: Source
) -> Iterator[AnyObservation]:
    kind, given = string(event.get("action")) or "", mapping(event.get("args")) or event
    # The oldest records have no sources: there a message is the user's.
    by_agent = event.get("source") == "agent" or ("source" not in event and kind != "message")
    if kind == "message" and not by_agent:
        yield UserMessage(line=line, timestamp=timestamp, text=prose(given.get("content")))
    elif kind == "system":
        yield Background(line=line, timestamp=timestamp, text=prose(given.get("content")))
    elif kind == "condensation":
        yield Compacted(line=line, timestamp=timestamp, summary=prose(given.get("summary")))
    elif kind == "message" or kind in TOOLS:
        if by_agent:
            yield _turn(
                line, timestamp, event, prose(given.get("thought")) or prose(given.get("content"))
            )
        if kind in TOOLS and kind != "recall":
            is_other = kind == "call_tool_mcp" and string(given.get("name")) is not None
            yield ToolCall(
                line=line,
                timestamp=timestamp,
                name=str(given["name"]) if is_other else TOOLS[kind],
                arguments=mapping(given.get("arguments")) if is_other else given,
                call_id=_key(event.get("id")),
            )
    else:
        source.skip(kind or "event")


def _turn(line: int, timestamp: int | None, event: Record, text: str) -> AgentMessage:
    response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
    usage = mapping(response.get("usage"))
    calls = whole(mapping(event.get("tool_call_metadata")).get("total_calls_in_response"))
    return AgentMessage(
        line=line,
        timestamp=timestamp,
        text=text,
        message_id=string(response.get("id")) if calls > 1 else None,
        model=string(response.get("model")),
        used=whole(usage.get("total_tokens")) or None,
        usage=usage_in(usage),
    )


def _observation(
    line: int, timestamp: int | None, event: Record, source: Source
) -> Iterator[AnyObservation]:
    kind, extras = string(event.get("observation")) or "", mapping(event.get("extras"))
    cause = _key(event.get("cause"))
    is_old = "source" not in event and "args" not in event
    if kind in ("agent_state_changed", "null", "recall", "agent_think", "think") or (
        cause is None and not is_old
    ):
        source.skip(kind or "event")
        return
    metadata = mapping(extras.get("metadata"))
    code = metadata.get("exit_code", extras.get("exit_code"))
    text = prose(event.get("content"))
    failed = kind == "error" or _ERROR.match(text) is not None
    yield ToolResult(
        line=line,
        timestamp=timestamp,
        directory=string(metadata.get("working_dir")),
        text=_ERROR.sub("", text),
        call_id=cause,
        status="refused" if kind == "user_rejected" else "failed" if failed else "unknown",
        exit_code=code if isinstance(code, int) and code >= 0 else None,
    )


def _key(value: object) -> str | None:
    return str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else None


FORMAT = Format("OpenHands trajectory", recognises, observations)

"""Lines with a chat message in each: Cursor's agent transcripts, Droid, Pi, Kimi and others alike.

Cursor's have no ids and no results: what a call asks for is taken as done.
"""

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
)
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    Title,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in, status_of
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._blocks import has_results, results


def recognises(source: Source) -> str | None:
    """Tell why the lines of a file have messages in them."""
    roles = {string(_message(one).get("role")) for one in source.head}
    speaks = not roles.isdisjoint(("assistant", "model"))
    is_one = speaks or (roles == {"user"} and len(source.head) < _FEW)
    is_other = any("payload" in one for one in source.head)
    return "its lines have a message each" if is_one and not is_other else None


_FEW = 4
"""Lines that may be the beginning of a session, in which the agent has not spoken yet."""


def _message(record: Record) -> Record:
    message = mapping(record.get("message"))
    role = string(message.get("role")) or string(record.get("role"))
    return (
        {**message, "role": role} if role and ("content" in message or "parts" in message) else {}
    )


def begin(source: Source) -> RecordReader:
    """Begin a file; whether its calls are answered at all, its first records tell."""
    has_answers = any(
        has_results(_message(one)) or _message(one).get("role") in ("tool", "toolResult")
        for one in source.head
    )

    def told(line: int, record: Record) -> Iterator[AnyObservation]:
        message = _message(record)
        timestamp = milliseconds(record.get("timestamp") or record.get("time"))
        kind = string(record.get("type")) or "untyped"
        directory = string(record.get("cwd"))
        if not message:
            if title := string(record.get("sessionTitle")) or string(record.get("title")):
                yield Title(line=line, text=title, directory=directory)
            elif kind == "compaction":
                yield Compacted(
                    line=line, timestamp=timestamp, summary=prose(record.get("summary"))
                )
            else:
                source.skip(kind)
            return
        content = message.get("content", message.get("parts"))
        match message.get("role"):
            case "user" if has_results(message):
                yield from results(content, line, timestamp, directory)
            case "user":
                yield UserMessage(
                    line=line, timestamp=timestamp, text=prose(content), directory=directory
                )
            case "assistant" | "model":
                usage = mapping(message.get("usage"))
                yield AgentMessage(
                    line=line,
                    timestamp=timestamp,
                    text=prose(content),
                    directory=directory,
                    model=string(message.get("model")) or string(record.get("model")),
                    usage=usage_in(usage),
                )
                yield from _calls(line, timestamp, content, has_answers=has_answers)
            case "tool" | "toolResult":
                text = prose(content)
                yield ToolResult(
                    line=line,
                    timestamp=timestamp,
                    text=text,
                    call_id=string(message.get("toolCallId"))
                    or string(message.get("tool_call_id")),
                    status=status_of(message.get("isError"), known=False),
                    exit_code=exit_code_in(text),
                )
            case "system":
                yield Background(line=line, text=prose(content))
            case role:
                source.skip(role)

    return told


def _calls(
    line: int, timestamp: int | None, content: object, *, has_answers: bool
) -> Iterator[AnyObservation]:
    for place, block in enumerate(map(mapping, sequence(content))):
        call = mapping(block.get("functionCall")) or block
        name = string(call.get("name")) or string(call.get("toolName"))
        if name is None or (
            call is block
            and block.get("type") not in ("tool_use", "toolCall", "tool_call", "function")
        ):
            continue
        call_id = string(call.get("id")) or string(call.get("toolCallId"))
        unanswered = call_id is None and not has_answers
        call_id = call_id or f"{line}.{place}"
        given = arguments(call.get("input", call.get("arguments", call.get("args"))))
        yield ToolCall(line=line, timestamp=timestamp, name=name, arguments=given, call_id=call_id)
        if unanswered:
            yield ToolResult(line=line, timestamp=timestamp, call_id=call_id, status="silent")


FORMAT = Format.of_records(
    "messages in lines",
    recognises,
    begin,
    estimates=True,
    where="Cursor's agent-transcripts, Droid, Pi",
)

"""Messages of parts: Bedrock's Converse, Vercel's AI SDK, pydantic-ai, and LangChain.

Each is a list of messages whose parts, or whose fields, have names of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from hud_runtime.observation._json import (
    Record,
    arguments,
    is_list,
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
    Status,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._chat import tool_calls


def _result(
    line: int, text: str, call_id: object, status: Status, timestamp: int | None = None
) -> ToolResult:
    return ToolResult(
        line=line,
        timestamp=timestamp,
        text=text,
        call_id=string(call_id),
        status=status,
        exit_code=exit_code_in(text),
    )


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    said = prose(value)
    if said or value is None:
        return said
    return json.dumps(value, ensure_ascii=False, default=str)


def _blocks(record: Record, name: str = "content") -> list[Record]:
    return [mapping(one) for one in sequence(record.get(name))]


# --- Bedrock ---


def _is_bedrock(source: Source) -> str | None:
    blocks = [one for record in source.head if "role" in record for one in _blocks(record)]
    found = any(("toolUse" in one or "toolResult" in one) and "type" not in one for one in blocks)
    return "its blocks are toolUse and toolResult" if found else None


def _bedrock(source: Source) -> Iterator[AnyObservation]:
    for line, message in source.records():
        blocks = _blocks(message)
        text = prose(blocks)
        if message.get("role") == "assistant":
            usage = mapping(message.get("usage"))
            yield AgentMessage(line=line, text=text, usage=usage_in(usage))
        elif message.get("role") != "user":
            source.skip(message.get("role"))
        elif text.strip():
            yield UserMessage(line=line, text=text)
        for one in blocks:
            call, result = mapping(one.get("toolUse")), mapping(one.get("toolResult"))
            if name := string(call.get("name")):
                yield ToolCall(
                    line=line,
                    name=name,
                    arguments=arguments(call.get("input")),
                    call_id=string(call.get("toolUseId")),
                )
            if result:
                parts = _blocks(result)
                said = "\n".join(_as_text(part.get("text", part.get("json"))) for part in parts)
                failed = result.get("status") == "error"
                yield _result(
                    line, said, result.get("toolUseId"), "failed" if failed else "unknown"
                )


BEDROCK = Format("Bedrock Converse", _is_bedrock, _bedrock, estimates=True)


# --- Vercel ---

_OUTPUTS: dict[str, Status] = {
    "error-text": "failed",
    "error-json": "failed",
    "execution-denied": "refused",
}
_STATES: dict[str, Status] = {
    "output-available": "unknown", "output-error": "failed", "output-denied": "refused", "result": "unknown",
}  # fmt: skip


def _is_vercel(source: Source) -> str | None:
    for record in source.head:
        if any(one.get("type") in ("tool-call", "tool-result") for one in _blocks(record)):
            return "its parts are tool-call and tool-result"
        parts = _blocks(record, "parts")
        if (
            any(
                str(one.get("type")).startswith(("tool-", "dynamic-tool", "step-start"))
                for one in parts
            )
            and "role" in record
        ):
            return "its messages have parts of steps and tools"
    return None


def _vercel(source: Source) -> Iterator[AnyObservation]:
    for line, message in source.records():
        role = message.get("role")
        parts = _blocks(message, "parts") or _blocks(message)
        text = prose([one for one in parts if one.get("type") == "text"]) or (
            prose(message.get("content")) if not parts else ""
        )
        if role == "user":
            yield UserMessage(line=line, text=text)
        elif role == "system":
            yield Background(line=line, text=text)
        elif role == "assistant":
            model = string(mapping(message.get("metadata")).get("model"))
            yield AgentMessage(line=line, text=text, model=model)
        elif role != "tool":
            source.skip(role)
        for one in parts:
            yield from _vercel_part(line, one)


def _vercel_part(line: int, part: Record) -> Iterator[AnyObservation]:
    kind = str(part.get("type"))
    call_id = part.get("toolCallId")
    if kind == "tool-call":
        if name := string(part.get("toolName")):
            given = arguments(part.get("input", part.get("args")))
            yield ToolCall(line=line, name=name, arguments=given, call_id=string(call_id))
    elif kind == "tool-result":
        output = mapping(part.get("output"))
        value = (
            output.get("value", output.get("reason"))
            if output
            else part.get("result", part.get("output"))
        )
        status = _OUTPUTS.get(str(output.get("type")), "unknown")
        failed = part.get("isError") is True
        yield _result(line, _as_text(value), call_id, "failed" if failed else status)
    elif kind.startswith("tool-") or kind in ("dynamic-tool", "tool-invocation"):
        part = mapping(part.get("toolInvocation")) or part
        name = string(part.get("toolName")) or kind.removeprefix("tool-")
        call_id = part.get("toolCallId")
        yield ToolCall(
            line=line,
            name=name,
            arguments=arguments(part.get("input", part.get("args"))),
            call_id=string(call_id),
        )
        state = str(part.get("state"))
        if state in _STATES:
            said = (
                part.get("errorText")
                if state == "output-error"
                else part.get("output", part.get("result"))
            )
            yield _result(line, _as_text(said), call_id, _STATES[state])


VERCEL = Format("Vercel AI SDK", _is_vercel, _vercel, estimates=True)


# --- pydantic-ai ---

_OUTCOMES: dict[str, Status] = {
    "failed": "failed", "retried": "failed", "denied": "refused", "interrupted": "cancelled", "success": "unknown",
}  # fmt: skip


def _is_pydantic_ai(source: Source) -> str | None:
    found = any(
        one.get("kind") in ("request", "response") and "parts" in one for one in source.head
    )
    return "its messages are requests and responses of parts" if found else None


def _pydantic_ai(source: Source) -> Iterator[AnyObservation]:
    for line, message in source.records():
        parts = _blocks(message, "parts")
        timestamp = milliseconds(message.get("timestamp"))
        if message.get("kind") == "response":
            usage = mapping(message.get("usage"))
            said = [prose(one.get("content")) for one in parts if one.get("part_kind") == "text"]
            yield AgentMessage(
                line=line,
                timestamp=timestamp,
                text="\n".join(said),
                model=string(message.get("model_name")),
                usage=usage_in(usage),
            )
        for one in parts:
            kind = str(one.get("part_kind"))
            if kind == "user-prompt":
                yield UserMessage(
                    line=line,
                    timestamp=milliseconds(one.get("timestamp")) or timestamp,
                    text=_prompt(one.get("content")),
                )
            elif kind == "system-prompt":
                yield Background(line=line, text=prose(one.get("content")))
            elif kind in ("tool-call", "builtin-tool-call"):
                if name := string(one.get("tool_name")):
                    yield ToolCall(
                        line=line,
                        timestamp=timestamp,
                        name=name,
                        arguments=arguments(one.get("args")),
                        call_id=string(one.get("tool_call_id")),
                    )
            elif kind in ("tool-return", "builtin-tool-return"):
                status = _OUTCOMES.get(str(one.get("outcome")), "unknown")
                yield _result(
                    line, _as_text(one.get("content")), one.get("tool_call_id"), status, timestamp
                )
            elif kind == "retry-prompt" and one.get("tool_call_id"):
                yield _result(
                    line, _as_text(one.get("content")), one.get("tool_call_id"), "failed", timestamp
                )
            elif kind == "compaction":
                yield Compacted(line=line, timestamp=timestamp, summary=prose(one.get("content")))
            elif kind not in ("text", "thinking"):
                source.skip(kind)


def _prompt(content: object) -> str:
    """The words of a prompt, which may stand beside images and other media."""
    parts = [content] if isinstance(content, str) else sequence(content)
    return "\n".join(filter(None, (prose([one]) if mapping(one) else prose(one) for one in parts)))


PYDANTIC_AI = Format("pydantic-ai", _is_pydantic_ai, _pydantic_ai, estimates=True)


# --- LangChain ---

_TYPES = frozenset({"human", "ai", "tool", "system", "AIMessageChunk"})


def _is_langchain(source: Source) -> str | None:
    first = source.first
    values = mapping(first.get("values"))
    if isinstance(values.get("messages"), list):
        return "its values have messages"
    kinds = {found[0] for one in source.head if (found := _langchain_message(one)) is not None}
    if not kinds.isdisjoint(("human", "ai", "tool")):
        return "its messages are of the types human, ai and tool"
    return None


def _langchain_message(record: Record) -> tuple[str, Record] | None:
    """The type and the fields of a message in any of the three forms."""
    if record.get("lc") == 1:
        name = str((sequence(record.get("id")) or ("",))[-1])
        kind = {
            "HumanMessage": "human",
            "AIMessage": "ai",
            "ToolMessage": "tool",
            "SystemMessage": "system",
        }.get(name)
        return None if kind is None else (kind, mapping(record.get("kwargs")))
    kind = str(record.get("type"))
    if kind not in _TYPES:
        return None
    if isinstance(record.get("data"), dict):
        return kind, mapping(record["data"])
    return (kind, record) if "content" in record else None


def _langchain(source: Source) -> Iterator[AnyObservation]:
    values = mapping(source.first.get("values")).get("messages")
    records = source.records()
    if is_list(values):
        records = ((number, mapping(one)) for number, one in enumerate(sequence(values), start=1))
    for line, record in records:
        found = _langchain_message(record)
        if found is None:
            source.skip(record.get("type"))
            continue
        kind, message = found
        text = prose(message.get("content"))
        if kind == "human":
            yield UserMessage(line=line, text=text)
        elif kind == "system":
            yield Background(line=line, text=text)
        elif kind == "tool":
            failed = message.get("status") == "error"
            yield _result(
                line, text, message.get("tool_call_id"), "failed" if failed else "unknown"
            )
        else:
            usage = mapping(message.get("usage_metadata"))
            model = string(mapping(message.get("response_metadata")).get("model_name"))
            yield AgentMessage(line=line, text=text, model=model, usage=usage_in(usage))
            yield from tool_calls(message, line, None)


LANGCHAIN = Format("LangChain messages", _is_langchain, _langchain, estimates=True)

"""Lists of chat messages: OpenAI's style with its dialects, Anthropic's blocks, and simulated users.

OpenAI's style has ``tool_calls`` (of functions, or custom ones with a text), or one ``function_call`` in its older
form, and messages of the role ``tool`` or ``function``. Nothing says whether a call failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in, status_of
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source, history_in
from hud_runtime.transcripts.formats._blocks import calls, has_results, results

SUMMARIES = (
    "Context summary:",
    "<SYSTEM_NOTICE>\nEarlier context was compacted",
    "This session is being continued from a previous conversation",
)
"""How texts in the user's place begin that stand for what was before."""


def is_message(record: Record) -> bool:
    """Tell whether a record is a message."""
    return _role(record) is not None and (
        "content" in record
        or "tool_calls" in record
        or "function_call" in record
        or "text" in record
    )


def _role(record: Record) -> str | None:
    """The role, which some give as a type."""
    return string(record.get("role")) or _ROLES.get(str(record.get("type")))


_ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool", "system": "system"}


def recognises(source: Source) -> str | None:
    """Tell why a file is a list of chat messages."""
    if any(map(is_message, source.head)):
        return "its records have a role and a content"
    if any("traj" in one and isinstance(one["traj"], list) for one in source.head[:1]):
        return "its results have a list of chat messages each"
    if any(isinstance(one.get("messages"), list) for one in source.head[:1]):
        return "its lines have a list of chat messages each"
    return None


def begin(source: Source) -> RecordReader:
    """Begin a list of messages; what else there is, is counted."""

    def told(line: int, record: Record) -> Iterator[AnyObservation]:
        inner = sequence(record.get("traj")) or history_in(record)
        if inner is not None and not is_message(record):
            yield from messages(((line, mapping(one)) for one in inner), source)
        else:
            yield from messages([(line, record)], source)

    return told


def messages(records: Iterable[tuple[int, Record]], source: Source) -> Iterator[AnyObservation]:
    """Yield what messages tell."""
    for line, message in records:
        role = _role(message) or "no role"
        timestamp = milliseconds(message.get("timestamp") or message.get("ts"))
        content = message.get("content", message.get("text"))
        if role == "assistant":
            yield AgentMessage(
                line=line,
                timestamp=timestamp,
                text=prose(content),
                model=string(message.get("model"))
                or string(mapping(message.get("modelInfo")).get("id")),
                usage=_usage(message),
            )
            yield from tool_calls(message, line, timestamp)
            yield from calls(content, line, timestamp)
        elif role in ("tool", "function"):
            yield answer(message, line, timestamp)
        elif role == "user" and has_results(message):
            yield from results(content, line, timestamp)
            if text := _beside_results(content):
                yield UserMessage(line=line, timestamp=timestamp, text=text)
        elif role == "user" and (text := prose(content)).lstrip().startswith(SUMMARIES):
            yield Compacted(line=line, timestamp=timestamp, summary=text)
        elif role == "user" and "synthetic_reason" in message:
            source.skip("message of the program")
        elif role == "user":
            yield UserMessage(line=line, timestamp=timestamp, text=prose(content))
        elif role in ("system", "developer"):
            yield Background(line=line, timestamp=timestamp, text=prose(content))
        else:
            source.skip(role)


def tool_calls(message: Record, line: int, timestamp: int | None) -> Iterator[ToolCall]:
    """Yield the calls of a message in OpenAI's style."""
    given = [*map(mapping, sequence(message.get("tool_calls")))]
    if isinstance(message.get("function_call"), dict):
        given.append({"function": message["function_call"]})
    for call in given:
        function = mapping(call.get("function"))
        custom = mapping(call.get("custom"))
        name = (
            string(function.get("name")) or string(custom.get("name")) or string(call.get("name"))
        )
        if not name:
            continue
        if custom:
            said: Record = {"input": custom.get("input")}
        else:
            said = arguments(function.get("arguments", call.get("args", call.get("arguments"))))
        yield ToolCall(
            line=line,
            timestamp=timestamp,
            name=name,
            arguments=said,
            call_id=string(call.get("id")),
        )


def answer(message: Record, line: int, timestamp: int | None) -> ToolResult:
    """Return the result that a message of the role ``tool`` is."""
    text = prose(message.get("content"))
    ids = [message.get("tool_call_id"), *sequence(message.get("tool_call_ids"))]
    failed = message.get("is_error") is True or message.get("status") == "error"
    return ToolResult(
        line=line,
        timestamp=timestamp,
        text=text,
        call_id=next(filter(None, map(string, ids)), None),
        status=status_of(failed, known=False),
        exit_code=exit_code_in(text),
    )


def _usage(message: Record) -> Usage | None:
    """The context's size, where a message brings its usage."""
    about = mapping(message.get("response_metadata"))
    found = (message.get("usage"), about.get("usage"), message.get("metrics"))
    return next(filter(None, (usage_in(mapping(one)) for one in found)), None)


def _beside_results(content: object) -> str:
    return prose([one for one in sequence(content) if mapping(one).get("type") == "text"])


FORMAT = Format.of_records("chat messages", recognises, begin, estimates=True)

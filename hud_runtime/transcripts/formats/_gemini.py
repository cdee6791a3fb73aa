"""Gemini: its command line's sessions (JSON, and JSON lines since 0.40), and the interface's contents.

Calls and their results stand in one message. In lines, the same id again replaces the earlier record, ``$set``
changes what is told about the session, and ``$rewindTo`` takes back a message and all behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
    Status,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Numbered, Source
from hud_runtime.transcripts.formats._answers import exit_code_in

STATUSES: dict[str, Status] = {"success": "unknown", "error": "failed", "cancelled": "refused"}
"""A command that ends badly is a success all the same."""


def recognises(source: Source) -> str | None:
    """Tell why a file is a session of Gemini's command line."""
    if "projectHash" in source.first and "sessionId" in source.first:
        return "it has a session's id and a project's hash"
    if any("$set" in one or "$rewindTo" in one for one in source.head):
        return "its lines change what is told about the session"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages tell."""
    if source.kind == "lines":
        yield from _told(_latest(source), source)
    else:
        yield from _told(source.records(), source)


def _latest(source: Source) -> Iterator[Numbered]:
    """The messages of a file of lines as they stand in the end."""
    kept: dict[str, Numbered] = {}
    for line, record in source.records():
        said = mapping(record.get("$set"))
        back = string(record.get("$rewindTo"))
        if back is not None:
            ids = list(kept)
            for one in ids[ids.index(back) :] if back in kept else ids:
                del kept[one]
        elif isinstance(said.get("messages"), list):
            whole_ = [mapping(one) for one in sequence(said["messages"])]
            kept = {
                str(one.get("id") or f"{line}.{place}"): (line, one)
                for place, one in enumerate(whole_)
            }
        elif (own := string(record.get("id"))) and "type" in record:
            # It stays in its place.
            kept[own] = (kept[own][0] if own in kept else line, record)
        elif "$set" not in record and "sessionId" not in record:
            source.skip("record")
    yield from kept.values()


def _told(messages: Iterable[Numbered], source: Source) -> Iterator[AnyObservation]:
    for line, message in messages:
        kind = string(message.get("type")) or "untyped"
        timestamp = milliseconds(message.get("timestamp"))
        text = _text(message.get("content"))
        if kind == "user":
            if "<state_snapshot>" in text[:2_000]:
                yield Compacted(line=line, timestamp=timestamp, summary=text)
            elif text.strip():
                shown = _text(message.get("displayContent"))
                yield UserMessage(line=line, timestamp=timestamp, text=shown or text)
            if not text.strip():
                source.skip("user message without a text")
        elif kind in ("gemini", "assistant", "model", "qwen"):
            tokens = mapping(message.get("tokens"))
            used = whole(tokens.get("total")) or whole(tokens.get("input")) + whole(
                tokens.get("output")
            )
            yield AgentMessage(
                line=line,
                timestamp=timestamp,
                text=text,
                message_id=string(message.get("id")),
                used=used or None,
                usage=usage_in(tokens),
                model=string(message.get("model")),
            )
            for call in map(mapping, sequence(message.get("toolCalls"))):
                yield from _call(line, timestamp, call)
        else:
            source.skip(kind)


def _call(line: int, timestamp: int | None, call: Record) -> Iterator[AnyObservation]:
    name = string(call.get("name"))
    if name is None:
        return
    call_id = string(call.get("id"))
    yield ToolCall(
        line=line,
        timestamp=timestamp,
        name=name,
        arguments=arguments(call.get("args")),
        call_id=call_id,
    )
    if "result" not in call and str(call.get("status")) not in STATUSES:
        return
    text = "\n".join(_response(mapping(one)) for one in sequence(call.get("result")))
    text = text or _text(call.get("resultDisplay"))
    yield ToolResult(
        line=line,
        timestamp=timestamp,
        text=_output(text),
        call_id=call_id,
        status=STATUSES.get(str(call.get("status")), "unknown"),
        exit_code=_exit_code(text),
    )


def _response(part: Record) -> str:
    response = mapping(mapping(part.get("functionResponse")).get("response"))
    return (
        prose(response.get("output"))
        or prose(response.get("error"))
        or prose(response.get("content"))
        or prose(part.get("text"))
    )


def _exit_code(text: str) -> int | None:
    """The exit status of a command; newer versions tell it only when it is not 0."""
    match = _CODE.search(text[-1_000:])
    if match:
        return int(match[1])
    is_report = text.startswith(("Command: ", "Output: "))
    return 0 if is_report else exit_code_in(text)


_CODE = re.compile(r"^Exit Code: (-?\d{1,6})\s*$", re.MULTILINE)


def _output(text: str) -> str:
    """The output of a command, out of the report on it."""
    if not text.startswith("Command: "):
        return text
    kept = [
        line.removeprefix("Output: ") for line in text.splitlines() if not line.startswith(_REPORT)
    ]
    return "\n".join(kept)


_REPORT = (
    "Command: ",
    "Directory: ",
    "Error: (none)",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = sequence(content) or sequence(mapping(content).get("parts")) or [content]
    return "\n".join(filter(None, (string(mapping(one).get("text")) for one in parts)))


FORMAT = Format(
    "Gemini CLI", recognises, observations, where="~/.gemini/tmp/PROJECT/chats/session-*.json(l)"
)


# --- Contents of the interface, and saved chats ---


def recognises_contents(source: Source) -> str | None:
    """Tell why a file is a list of contents."""
    of_gemini = [one for one in source.head if one.get("role") in ("user", "model", "function")]
    return (
        "its records have a role and parts"
        if any(isinstance(one.get("parts"), list) for one in of_gemini)
        else None
    )


def contents(source: Source) -> Iterator[AnyObservation]:
    """Yield what contents tell."""
    for line, content in source.records():
        parts = [mapping(one) for one in sequence(content.get("parts"))]
        text = "\n".join(
            filter(
                None, (string(one.get("text")) for one in parts if one.get("thought") is not True)
            )
        )
        answers = [mapping(one["functionResponse"]) for one in parts if "functionResponse" in one]
        if content.get("role") == "model":
            usage = mapping(content.get("usageMetadata"))
            yield AgentMessage(
                line=line,
                text=text,
                used=whole(usage.get("totalTokenCount")) or None,
                usage=usage_in(usage),
            )
            for one in parts:
                call = mapping(one.get("functionCall"))
                if name := string(call.get("name")):
                    yield ToolCall(
                        line=line,
                        name=name,
                        arguments=arguments(call.get("args")),
                        call_id=string(call.get("id")),
                    )
        elif answers:
            for one in answers:
                response = mapping(one.get("response"))
                failed = "error" in response
                said = prose(
                    response.get("error")
                    if failed
                    else response.get("output", response.get("result"))
                )
                yield ToolResult(
                    line=line,
                    text=said,
                    call_id=string(one.get("id")),
                    status="failed" if failed else "unknown",
                    exit_code=exit_code_in(said),
                )
        elif content.get("role") == "system":
            yield Background(line=line, text=text)
        elif content.get("role") == "user":
            yield UserMessage(line=line, text=text)
        else:
            source.skip(content.get("role"))


CONTENTS = Format("Gemini contents", recognises_contents, contents, estimates=True)

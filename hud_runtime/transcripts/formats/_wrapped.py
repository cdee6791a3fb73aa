"""Lines with a chat message in each: Cursor's agent transcripts, Droid, Pi, Kimi and others alike.

Cursor's have no ids and no results: what a call asks for is taken as done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hud_runtime.messages import read_message
from hud_runtime.observation._json import Record, mapping, string
from hud_runtime.observation._observations import (
    AnyObservation,
    Compacted,
    Title,
    ToolCall,
    ToolResult,
)
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._rows import members, placed, told
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._messages import message_seen

PLACE = members(timestamp="timestamp|time", directory="cwd")
TITLE = told(Title, text="sessionTitle|title")
SUMMARY = told(Compacted, summary="summary")


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
    has_answers = any(read_message(_message(one)).has("result") for one in source.head)

    def read(line: int, record: Record) -> Iterator[AnyObservation]:
        message = _message(record)
        at = placed(line, PLACE(record))
        if not message:
            kind = string(record.get("type")) or "untyped"
            found = [*TITLE(record, at)] or [*SUMMARY(record, at)] * (kind == "compaction")
            yield from found
            if not found:
                source.skip(kind)
            return
        model = {"model": record["model"]} if string(record.get("model")) else {}
        for place, seen in enumerate(message_seen({**model, **message}, source, at)):
            if not isinstance(seen, ToolCall) or seen.call_id is not None:
                yield seen
                continue
            call_id = f"{line}.{place}"
            yield replace(seen, call_id=call_id)
            if not has_answers:
                yield ToolResult(**at, call_id=call_id, status="silent")

    return read


FORMAT = Format.of_records(
    "messages in lines",
    recognises,
    begin,
    estimates=True,
    where="Cursor's agent-transcripts, Droid, Pi",
)

"""Output of commands that tell their work with ``--output-format stream-json``: a table of where each says what.

A message comes in pieces; the pieces of one stand together, with nothing between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hud_runtime.observation._json import Record, arguments, mapping, milliseconds, prose, string
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._answers import exit_code_in


@dataclass(frozen=True, slots=True)
class Stream:
    """The places in a command's records; the kind of each record is its ``type``."""

    name: str
    begins: str
    """The type of the record that names the model and the folder."""
    text: str
    """The member with a message's words."""
    call: str
    """The type of a call."""
    tool: str
    """The member with the name of a call's tool."""
    id: str
    """The member with the id of a call, and of its result."""
    output: str
    """The member with a result's words."""
    ends: str
    """The type of the record that sums up."""
    also: tuple[str, ...] = ()
    """Further members of each message, by which it is told from others' messages."""

    def format(self) -> Format:
        """Return the format that reads such a stream."""
        return Format.of_records(self.name, self.recognises, self.begin)

    def recognises(self, source: Source) -> str | None:
        """Tell why a file is such a stream."""
        is_one = any(
            (one.get("type") == self.call and self.tool in one) or self._is_message(one)
            for one in source.head
        )
        return "its lines are what it prints as it works" if is_one else None

    def _is_message(self, record: Record) -> bool:
        is_text = record.get("type") == "message" and isinstance(record.get(self.text), str)
        return is_text and {"role", "timestamp", *self.also}.issubset(record)

    def begin(self, source: Source) -> RecordReader:
        """Begin a stream."""
        number, speaks = 0, False
        model = directory = None

        def spoke(line: int, timestamp: int | None, text: str) -> AgentMessage:
            nonlocal number, speaks
            number, speaks = number + (not speaks), True
            return AgentMessage(
                line=line,
                timestamp=timestamp,
                directory=directory,
                text=text,
                message_id=f"m{number}",
                model=model,
            )

        def told(line: int, record: Record) -> Iterator[AnyObservation]:
            nonlocal speaks, model, directory
            kind, timestamp = record.get("type"), milliseconds(record.get("timestamp"))
            text = prose(record.get(self.text))
            if kind == self.begins:
                model, directory = string(record.get("model")), string(record.get("cwd"))
            elif kind == "message" and record.get("role") == "assistant":
                yield spoke(line, timestamp, text)
            elif kind == "message":
                speaks = False
                yield UserMessage(line=line, timestamp=timestamp, directory=directory, text=text)
            elif kind == self.call:
                if not speaks:
                    yield spoke(line, timestamp, "")
                yield ToolCall(
                    line=line,
                    timestamp=timestamp,
                    name=string(record.get(self.tool)) or "",
                    arguments=arguments(record.get("parameters")),
                    call_id=string(record.get(self.id)),
                )
            elif kind == "tool_result":
                speaks = False
                yield self._result(line, timestamp, record)
            else:
                source.skip("usage of all calls" if kind == self.ends else kind)

        return told

    def _result(self, line: int, timestamp: int | None, record: Record) -> ToolResult:
        error = record.get("error")
        text = prose(record.get(self.output)) or prose(mapping(error).get("message") or error)
        has_failed = record.get("status") == "error" or record.get("isError") is True
        return ToolResult(
            line=line,
            timestamp=timestamp,
            text=text,
            call_id=string(record.get(self.id)),
            status="failed" if has_failed else "unknown",
            exit_code=exit_code_in(text),
        )


STREAMS = (
    Stream(
        "gemini --output-format stream-json",
        begins="init",
        text="content",
        call="tool_use",
        tool="tool_name",
        id="tool_id",
        output="output",
        ends="result",
    ),
    Stream(
        "droid exec --output-format stream-json",
        begins="system",
        text="text",
        call="tool_call",
        tool="toolName",
        id="id",
        output="value",
        ends="completion",
        also=("session_id",),
    ),
)
"""The commands whose streams are read. Their forms are those of the commands' documentation of November 2026."""

FORMATS = tuple(each.format() for each in STREAMS)

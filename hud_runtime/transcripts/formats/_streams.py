"""Output of commands that tell their work with ``--output-format stream-json``: a table of where each says what.

A message comes in pieces; the pieces of one stand together, with nothing between them. The forms are those of the
commands' own code: Gemini CLI 0.61.0, Droid 0.215.0. What Qwen Code prints is read as Claude Code's, which it mirrors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from hud_runtime.observe._observations import AnyObservation, Record, mapping, string
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, RecordReader, Table, reader, status
from hud_runtime.transcripts._source import Source


class Stream(NamedTuple):
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

    @property
    def table(self) -> Table:
        """The rows of its records."""
        agent = partial(rows.agent, message_id="message id", model="model", directory="cwd")
        failed = status("status|isError", {"error": "failed", True: "failed"})
        return {
            "begins to speak": agent(),
            "assistant": agent(text=self.text),
            "message": rows.user(text=self.text, directory="cwd"),
            self.call: rows.call(name=self.tool, arguments="parameters", call_id=self.id),
            "tool_result": rows.result(text=f"{self.output}|error.message|error", call_id=self.id, status=failed),
            "error": rows.failed(message="message"),
            "failed": rows.failed(message="error.message"),
        }  # fmt: skip

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

    def _kind_of(self, record: Record) -> str | None:
        kind = string(record.get("type"))
        match kind:
            case "message" if record.get("role") == "assistant":
                return "assistant"
            case "error" if record.get("severity") == "warning":
                return "warning"
            case self.ends:
                return "failed" if mapping(record.get("error")) else "usage of all calls"
            case _:
                return kind

    def begin(self, source: Source) -> RecordReader:
        """Begin a stream."""
        number, speaks = 0, False
        about: Record = {"model": None, "cwd": None}
        told_by = reader(source, table := self.table, self._kind_of)

        def read(line: int, record: Record) -> Iterator[AnyObservation]:
            nonlocal number, speaks, about
            kind = self._kind_of(record)
            if kind == self.begins:
                about = {name: record.get(name) for name in about}
                return
            by_agent = kind in ("assistant", self.call)
            number += by_agent and not speaks
            told = {**record, **about, "message id": f"m{number}"}
            if kind == self.call and not speaks:
                yield from told_by(line, {**told, "type": "begins to speak"})
            speaks = by_agent or (speaks and kind not in table)
            yield from told_by(line, told)

        return read


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

FORMATS = tuple(
    Format.of_records(
        each.name, each.recognises, each.begin, quiet={"usage of all calls", "warning", "reasoning"}
    )
    for each in STREAMS
)
"""The commands whose streams are read."""

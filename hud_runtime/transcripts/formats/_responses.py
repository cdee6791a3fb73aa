"""Items of OpenAI's Responses: messages, calls and their outputs, each an item of its own.

Codex writes the same items; what stands around them there is in :mod:`._codex`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Unpack

from hud_runtime.observe._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    ContextUsed,
    Record,
    ToolAnswer,
    UserMessage,
    arguments,
    is_list,
    mapping,
    sequence,
    string,
    usage_in,
    whole,
)
from hud_runtime.observe._reader import LinePlace, calls_in
from hud_runtime.observe.messages import KINDS, MessagePart, parts_of, read_message, words_of
from hud_runtime.transcripts._format import Format, RecordReader, exit_code_in
from hud_runtime.transcripts._format import at as at_path
from hud_runtime.transcripts._source import Source

OTHERS = frozenset([
    "web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call", "tool_search_call",
    "tool_search_output", "computer_call", "computer_call_output", "item_reference", "mcp_list_tools",
    "mcp_approval_request", "agent_message",
])  # fmt: skip
"""Further items of the agent's turn."""

NAMES = {"local_shell_call": "shell", "shell_call": "shell", "apply_patch_call": "apply_patch"}
"""The tools of calls that have a type in the place of a name."""

_RUNNING = re.compile(r"Process running with session ID (?P<id>[\w-]+)")
_EXITED = re.compile(r"Process exited with code (?P<code>-?\d+)")
_HEADER = re.compile(r"\A(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Exit code|Total output lines|Warning)\b.*\n)+(?:Output:\n?)?")  # fmt: skip


def recognises(source: Source) -> str | None:
    """Tell why a file is a list of such items."""
    if any(
        KINDS.get(str(one.get("type"))) in ("call", "result")
        and ("call_id" in one or "function" in one)
        for one in source.head
    ):
        return "its items call functions and answer them"
    if source.first.get("object") == "response" and is_list(source.first.get("output")):
        return "it is a response with its output"
    return None


def begin(source: Source) -> RecordReader:
    """Begin a list of items."""
    items = ItemReader(source)

    def read(line: int, record: Record) -> Iterator[AnyObservation]:
        if record.get("object") != "response":
            yield from items.item(record, line=line)
            return
        for one in sequence(record.get("output")):
            yield from items.item(mapping(one), line=line)
        usage = mapping(record.get("usage"))
        yield ContextUsed(
            line=line,
            used=whole(usage.get("total_tokens")) or None,
            usage=usage_in(usage),
            model=string(record.get("model")),
        )

    return read


class ItemReader:
    """Reads items one after the other: those of the agent that follow one another are one turn."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._speaks = False
        self._running: dict[str, tuple[str, str]] = {}
        """By the session of a command that goes on: the call that began it, and its output so far."""
        self._inputs: dict[str, str] = {}
        """By the call that writes to a running command: that command's session."""
        self.model: str | None = None
        self.directory: str | None = None

    def item(self, item: Record, **at: Unpack[LinePlace]) -> Iterator[AnyObservation]:
        """Yield what one item tells."""
        type_ = string(item.get("type")) or ("message" if "role" in item else "untyped")
        kind = KINDS.get(type_, "other")
        if type_ == "message":
            yield from self._message(item, at)
        elif kind == "thought" or type_ in OTHERS:
            yield from self._begin(at)
        elif kind in ("call", "result"):
            for part in parts_of(item):
                yield from self._call(part, at) if part.kind == "call" else self._output(part, at)
        elif kind == "summary":
            yield Compacted(**at, summary=words_of(item.get("summary") or item.get("content")))
        else:
            self._source.skip(type_)

    def prompt(self, text: str, **at: Unpack[LinePlace]) -> Iterator[AnyObservation]:
        """Yield a prompt of the user."""
        self._speaks = False
        yield UserMessage(**at, text=text)

    def end_turn(self) -> None:
        """End a turn: the agent's next words begin one of their own."""
        self._speaks = False

    def _begin(self, at: LinePlace, text: str = "") -> Iterator[AnyObservation]:
        if not self._speaks:
            self._speaks = True
            yield AgentMessage(**at, text=text, model=self.model, directory=self.directory)

    def _message(self, item: Record, at: LinePlace) -> Iterator[AnyObservation]:
        said = read_message(item)
        if said.role == "assistant":
            yield from self._begin(at, said.text)
        elif item.get("role") == "user":
            yield from self.prompt(said.text, **at)
        else:
            yield Background(**at, text=said.text)

    def _call(self, part: MessagePart, at: LinePlace) -> Iterator[AnyObservation]:
        yield from self._begin(at)
        if part.type == "apply_patch_call":
            part = part._replace(value={"input": _as_patch(part.arguments)})
        part = part._replace(name=NAMES.get(part.type, part.name))
        if not part.name:
            self._source.skip("call without a name")
        for call in calls_in([part], **at):
            if call.name.endswith("write_stdin") and call.call_id is not None:
                self._inputs[call.call_id] = str(call.arguments.get("session_id"))
            yield call

    def _output(self, part: MessagePart, at: LinePlace) -> Iterator[AnyObservation]:
        self._speaks = self._speaks and part.type == "mcp_call"  # whose output came with it
        call_id = part.id
        text, code, failed = _said(part)
        began = self._inputs.pop(call_id or "", None)
        running = _RUNNING.search(text[:1_000])
        body = _HEADER.sub("", text, count=1)
        if began is not None and began in self._running:
            # What was written to a running command, or waited for: its status is the command's.
            yield ToolAnswer(**at, call_id=call_id, status="done")
            call_id, before = self._running.pop(began)
            body = f"{before}{body}"[-50_000:]
        if running and call_id is not None:
            self._running[running["id"]] = (call_id, body)
            yield ToolAnswer(**at, call_id=call_id, is_final=False)
            return
        if code is None and (match := _EXITED.search(text[:1_000])):
            code = int(match["code"])
        yield ToolAnswer(
            **at,
            text=body,
            call_id=call_id,
            exit_code=exit_code_in(text) if code is None else code,
            status="failed" if failed else "unknown",
            data=arguments(text) if text.startswith("{") else {},
        )


EXIT = at_path(
    "metadata.exit_code|outcome.exit_code|exitCode|exit_code",
    lambda code: code if isinstance(code, int) else None,
)


def _said(part: MessagePart) -> tuple[str, int | None, bool]:
    """The text of an output, its exit status, and whether it says that it failed."""
    output: Any = part.value
    if isinstance(output, str):
        said: Record = arguments(output) if output.startswith('{"') else {}
        if "output" not in said:
            return output, None, part.status == "failed"
        output = said
    pieces = [mapping(one) for one in sequence(output) or (output,)]
    code = next((one for one in map(EXIT, pieces) if one is not None), None)
    failed = part.status == "failed" or pieces[0].get("success") is False
    return words_of(output), code, failed


def _as_patch(operation: Record) -> str:
    words = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}
    what = words.get(str(operation.get("type")), "Update")
    return f"*** Begin Patch\n*** {what} File: {operation.get('path')}\n*** End Patch"


FORMAT = Format.of_records("OpenAI Responses items", recognises, begin, estimates=True)

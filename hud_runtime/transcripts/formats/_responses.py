"""Items of OpenAI's Responses: messages, calls and their outputs, each an item of its own.

Codex writes the same items; what stands around them there is in :mod:`._codex`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import (
    Record,
    arguments,
    is_list,
    is_object,
    mapping,
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
    ContextUsed,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._source import Source

CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_call",
        "tool_call",
    }
)
OUTPUTS = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "apply_patch_call_output",
        "tool_result",
    }
)
OTHERS = frozenset(
    {
        "reasoning",
        "web_search_call",
        "file_search_call",
        "image_generation_call",
        "code_interpreter_call",
        "tool_search_call",
        "tool_search_output",
        "item_reference",
        "computer_call",
        "computer_call_output",
        "mcp_list_tools",
        "mcp_approval_request",
    }
)
ITEMS = CALLS | OUTPUTS

_RUNNING = re.compile(r"Process running with session ID (?P<id>[\w-]+)")
_EXITED = re.compile(r"Process exited with code (?P<code>-?\d+)")
_HEADER = re.compile(r"\A(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Exit code|Total output lines|Warning)\b.*\n)+(?:Output:\n?)?")  # fmt: skip


def recognises(source: Source) -> str | None:
    """Tell why a file is a list of such items."""
    if any(
        string(one.get("type")) in ITEMS and ("call_id" in one or "function" in one)
        for one in source.head
    ):
        return "its items call functions and answer them"
    if source.first.get("object") == "response" and isinstance(source.first.get("output"), list):
        return "it is a response with its output"
    return None


def begin(source: Source) -> RecordReader:
    """Begin a list of items."""
    items = Items(source)

    def told(line: int, record: Record) -> Iterator[AnyObservation]:
        if record.get("object") == "response":
            for one in sequence(record.get("output")):
                yield from items.item(line, mapping(one), None)
            usage = mapping(record.get("usage"))
            yield ContextUsed(
                line=line,
                used=whole(usage.get("total_tokens")) or None,
                usage=usage_in(usage),
                model=string(record.get("model")),
            )
        else:
            yield from items.item(line, record, None)

    return told


class Items:
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

    def item(self, line: int, item: Record, timestamp: int | None) -> Iterator[AnyObservation]:
        """Yield what one item tells."""
        kind = string(item.get("type")) or ("message" if "role" in item else "untyped")
        if kind == "message":
            yield from self._message(line, item, timestamp)
        elif kind in CALLS:
            yield from self._begin(line, timestamp)
            yield from self._call(line, kind, item, timestamp)
        elif kind in OUTPUTS:
            self._speaks = False
            yield from self._output(line, item, timestamp)
        elif kind == "reasoning":
            yield from self._begin(line, timestamp)
        elif kind in ("compaction", "compaction_summary"):
            yield Compacted(
                line=line,
                timestamp=timestamp,
                summary=prose(item.get("summary")) or prose(item.get("content")),
            )
        elif kind in OTHERS:
            yield from self._begin(line, timestamp)
        else:
            self._source.skip(kind)

    def prompt(self, line: int, text: str, timestamp: int | None) -> Iterator[AnyObservation]:
        """Yield a prompt of the user."""
        self._speaks = False
        yield UserMessage(line=line, timestamp=timestamp, text=text)

    def end_turn(self) -> None:
        """What the agent says next is a turn of its own."""
        self._speaks = False

    def _begin(self, line: int, timestamp: int | None, text: str = "") -> Iterator[AnyObservation]:
        if not self._speaks:
            self._speaks = True
            yield AgentMessage(
                line=line,
                timestamp=timestamp,
                text=text,
                model=self.model,
                directory=self.directory,
            )

    def _message(self, line: int, item: Record, timestamp: int | None) -> Iterator[AnyObservation]:
        role, text = item.get("role"), prose(item.get("content"))
        if role == "assistant":
            yield from self._begin(line, timestamp, text)
        elif role == "user":
            yield from self.prompt(line, text, timestamp)
        else:
            yield Background(line=line, timestamp=timestamp, text=text)

    def _call(
        self, line: int, kind: str, item: Record, timestamp: int | None
    ) -> Iterator[AnyObservation]:
        call_id = string(item.get("call_id")) or string(item.get("id"))
        name = string(item.get("name")) or string(mapping(item.get("function")).get("name"))
        said = arguments(item.get("arguments"))
        match kind:
            case "custom_tool_call":
                said = {"input": item.get("input")}
            case "local_shell_call" | "shell_call":
                name, said = "shell", mapping(item.get("action"))
            case "apply_patch_call":
                name, said = "apply_patch", {"input": _as_patch(mapping(item.get("operation")))}
            case _:
                pass
        if name is None:
            self._source.skip("call without a name")
            return
        if name.endswith("write_stdin") and call_id is not None:
            self._inputs[call_id] = str(said.get("session_id"))
        yield ToolCall(line=line, timestamp=timestamp, name=name, arguments=said, call_id=call_id)

    def _output(self, line: int, item: Record, timestamp: int | None) -> Iterator[AnyObservation]:
        call_id = string(item.get("call_id"))
        text, code, failed = _said(item)
        began = self._inputs.pop(call_id or "", None)
        running = _RUNNING.search(text[:1_000])
        body = _HEADER.sub("", text, count=1)
        if began is not None and began in self._running:
            # What was written to a running command, or waited for: its status is the command's.
            yield ToolResult(line=line, timestamp=timestamp, call_id=call_id, status="done")
            call_id, before = self._running.pop(began)
            body = f"{before}{body}"[-50_000:]
        if running and call_id is not None:
            self._running[running["id"]] = (call_id, body)
            yield ToolResult(line=line, timestamp=timestamp, call_id=call_id, is_final=False)
            return
        if code is None and (match := _EXITED.search(text[:1_000])):
            code = int(match["code"])
        code = exit_code_in(text) if code is None else code
        yield ToolResult(
            line=line,
            timestamp=timestamp,
            text=body,
            call_id=call_id,
            exit_code=code,
            status="failed" if failed else "unknown",
            data=arguments(text) if text.startswith("{") else {},
        )


def _said(item: Record) -> tuple[str, int | None, bool]:
    """The text of an output, its exit status, and whether it says that it failed."""
    output = item.get("output", item.get("result"))
    failed = (
        item.get("status") in ("failed", "incomplete") or mapping(output).get("success") is False
    )
    if isinstance(output, str) and output.startswith('{"'):
        said = arguments(output)
        code = mapping(said.get("metadata")).get("exit_code")
        if "output" in said:
            return prose(said.get("output")), code if isinstance(code, int) else None, failed
    if is_list(output):
        parts = [mapping(one) for one in sequence(output)]
        text = "\n".join(
            filter(None, (string(one.get("text")) or string(one.get("stdout")) for one in parts))
        )
        codes = [mapping(one.get("outcome")).get("exit_code") for one in parts]
        code = next((one for one in codes if isinstance(one, int)), None)
        return text, code, failed
    if "stdout" in mapping(output):
        said = mapping(output)
        code = said.get("exitCode", said.get("exit_code"))
        text = f"{prose(said.get('stdout'))}{prose(said.get('stderr'))}"
        return text, code if isinstance(code, int) else None, failed
    if is_object(output):
        return (
            prose(mapping(output).get("content")) or prose(mapping(output).get("output")),
            None,
            failed,
        )
    return prose(output), None, failed


def _as_patch(operation: Record) -> str:
    words = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}
    what = words.get(str(operation.get("type")), "Update")
    return f"*** Begin Patch\n*** {what} File: {operation.get('path')}\n*** End Patch"


FORMAT = Format.of_records("OpenAI Responses items", recognises, begin, estimates=True)

"""Messages whose content is a list of blocks: texts, calls of tools, and their results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import Record, arguments, mapping, prose, sequence, string
from hud_runtime.observation._observations import Status, ToolCall, ToolResult

WISH = re.compile(r"To tell you how to proceed, the user said:\s*(?P<wish>[\s\S]*?)(?:\n\nNote: The user's next message[\s\S]*)?\Z")  # fmt: skip
"""What the user said while refusing a call."""

_EXIT = re.compile(r"\A(?:Error: )?Exit code:? (?P<code>-?\d{1,5})\b[^\n]*\n?")


def calls(content: object, line: int, timestamp: int | None) -> Iterator[ToolCall]:
    """Yield the calls among a message's blocks."""
    for block in map(mapping, sequence(content)):
        name = string(block.get("name"))
        if block.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use") and name:
            yield ToolCall(
                line=line,
                timestamp=timestamp,
                name=name,
                arguments=arguments(block.get("input")),
                call_id=string(block.get("id")),
            )


def results(
    content: object,
    line: int,
    timestamp: int | None,
    directory: str | None = None,
    data: Record | None = None,
) -> Iterator[ToolResult]:
    """Yield the results among a message's blocks."""
    for block in map(mapping, sequence(content)):
        if block.get("type") != "tool_result":
            continue
        text = prose(block.get("content"))
        failed = block.get("is_error") is True
        wish = WISH.search(text[:20_000]) if failed else None
        code = _EXIT.match(text) if failed else None
        yield ToolResult(
            line=line,
            timestamp=timestamp,
            directory=directory,
            text=text[code.end() :] if code and len(text) > code.end() else text,
            call_id=string(block.get("tool_use_id")),
            status=_status(failed, text),
            exit_code=int(code["code"]) if code else None,
            wish=wish["wish"].strip() if wish else "",
            data=data or {},
        )


def _status(failed: bool, text: str) -> Status:
    if not failed:
        return "done"
    bare = text[:200].removeprefix("<tool_use_error>").lstrip()
    if bare.startswith(("The user doesn't want to", "[Request interrupted by user")):
        return "refused"
    return "cancelled" if bare.startswith("Sibling tool call errored") else "failed"


def has_results(record: Record) -> bool:
    """Tell whether a message's blocks answer calls."""
    blocks = map(mapping, sequence(record.get("content")))
    return any(block.get("type") == "tool_result" for block in blocks)


def has_calls(record: Record) -> bool:
    """Tell whether a message's blocks call tools."""
    blocks = map(mapping, sequence(record.get("content")))
    return any(block.get("type") == "tool_use" for block in blocks)

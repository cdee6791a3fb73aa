"""Messages whose content is a list of blocks: texts, calls of tools, and their results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._json import Record, arguments, mapping, prose, sequence, string
from hud_runtime.observation._observations import Status, ToolCall, ToolResult

WISH = re.compile(r"To tell you how to proceed, the user said:\s*(?P<wish>[\s\S]*?)(?:\n\nNote: The user's next message[\s\S]*)?\Z")  # fmt: skip
"""What the user said while refusing a call."""

_WRONG = "<tool_use_error>"
"""The beginning of the host's own answer to a call that it could not run."""

_REFUSED = ("The user doesn't want to", "[Request interrupted by user")
"""The beginnings of its answers to calls that the user did not allow."""

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
        code = _EXIT.match(text) if failed else None
        status = _status(failed, text)
        wish = WISH.search(text[:20_000]) if status == "refused" else None
        yield ToolResult(
            line=line,
            timestamp=timestamp,
            directory=directory,
            text=text[code.end() :] if code and len(text) > code.end() else text,
            call_id=string(block.get("tool_use_id")),
            status=status,
            exit_code=int(code["code"]) if code else None,
            wish=wish["wish"].strip() if wish else "",
            data=data or {},
        )


def _status(failed: bool, text: str) -> Status:
    if not failed:
        return "done"
    bare = text[:200].removeprefix(_WRONG).lstrip()
    if bare.startswith(_REFUSED):
        return "refused"
    return "cancelled" if bare.startswith("Sibling tool call errored") else "failed"


def is_not_run(content: object) -> bool:
    """Tell whether an answer is the host's own word that it ran nothing, for hosts that do not mark it as an error.

    >>> is_not_run("<tool_use_error>String to replace not found in file.</tool_use_error>")
    True
    """
    return isinstance(content, str) and content.startswith((_WRONG, *_REFUSED))


def has_results(record: Record) -> bool:
    """Tell whether a message's blocks answer calls."""
    blocks = map(mapping, sequence(record.get("content")))
    return any(block.get("type") == "tool_result" for block in blocks)


def has_calls(record: Record) -> bool:
    """Tell whether a message's blocks call tools."""
    blocks = map(mapping, sequence(record.get("content")))
    return any(block.get("type") == "tool_use" for block in blocks)

"""Messages whose content is a list of blocks: texts, calls of tools, and their results."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.transcripts._json import Record, arguments, mapping, prose, sequence, string
from hud_runtime.transcripts._moments import Call, Result


def calls(content: object, line: int, timestamp: int | None) -> Iterator[Call]:
    """Yield the calls among a message's blocks."""
    for block in map(mapping, sequence(content)):
        name = string(block.get("name"))
        if block.get("type") == "tool_use" and name:
            yield Call(
                line=line,
                timestamp=timestamp,
                name=name,
                arguments=arguments(block.get("input")),
                call_id=string(block.get("id")),
            )


def results(
    content: object, line: int, timestamp: int | None, directory: str | None = None
) -> Iterator[Result]:
    """Yield the results among a message's blocks."""
    for block in map(mapping, sequence(content)):
        if block.get("type") == "tool_result":
            yield Result(
                line=line,
                timestamp=timestamp,
                directory=directory,
                text=prose(block.get("content")),
                call_id=string(block.get("tool_use_id")),
                failed=block.get("is_error") is True,
            )


def has_results(record: Record) -> bool:
    """Tell whether a message's blocks answer calls."""
    blocks = map(mapping, sequence(record.get("content")))
    return any(block.get("type") == "tool_result" for block in blocks)

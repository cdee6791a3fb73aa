"""The calls in a message, and the answers of tools, as observations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict, Unpack

from hud_runtime.messages import Part
from hud_runtime.observation._observations import ToolCall, ToolResult


class At(TypedDict, total=False):
    """The line and the time of an observation."""

    line: int
    timestamp: int | None


class Place(At, total=False):
    """The same with the working directory: what all observations have."""

    directory: str | None


def calls_in(parts: Iterable[Part], **at: Unpack[Place]) -> Iterator[ToolCall]:
    """Yield the calls among a message's parts.

    >>> from hud_runtime.messages import parts_of
    >>> use = {"type": "tool_use", "id": "1", "name": "bash", "input": {"command": "ls"}}
    >>> [each.arguments for each in calls_in(parts_of(use))]
    [{'command': 'ls'}]
    """
    for part in parts:
        if part.kind == "call" and part.name:
            given = part.arguments
            yield ToolCall(**at, name=part.name, arguments=given, call_id=part.id)


def results_in(parts: Iterable[Part], **at: Unpack[Place]) -> Iterator[ToolResult]:
    """Yield the answers among a message's parts."""
    for part in parts:
        if part.kind == "result":
            yield ToolResult(**at, text=part.words, call_id=part.id, status=part.status)

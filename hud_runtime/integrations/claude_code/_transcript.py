"""What the end of a session file tells: how full the context is, and what the last compaction left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hud_runtime.observation import ContextUsed, Usage
from hud_runtime.observation._json import Record, mapping, prose, string, whole

TAIL = 256 * 1024
"""Bytes that are read of a session file, which grows by tens of thousands with each turn."""

HEAD = 64 * 1024
"""Bytes of its beginning in which it says which session it is a copy of."""


class Reading(NamedTuple):
    """The context as the last request of the main conversation left it."""

    usage: Usage
    model: str | None

    def seen(self, limit: int | None) -> ContextUsed:
        """Return it as an observation."""
        return ContextUsed(usage=self.usage, model=self.model, limit=limit)


def reading_in(path: str | None) -> Reading | None:
    """Return the newest reading in a session file; None where there is none to be had."""
    for record in _records(path):
        message = mapping(record.get("message"))
        model = string(message.get("model"))
        if record.get("type") != "assistant" or model == "<synthetic>":
            continue
        usage = usage_of(mapping(message.get("usage")))
        if usage is not None:
            return Reading(usage, model)
    return None


def usage_of(given: Record) -> Usage | None:
    """Return a usage, whose input this provider tells without what was cached.

    >>> usage_of({"input_tokens": 100, "cache_read_input_tokens": 4_000, "output_tokens": 50})
    Usage(input=4100, cache_read=4000, cache_write=0, output=50)
    """
    read = whole(given.get("cache_read_input_tokens"))
    written = whole(given.get("cache_creation_input_tokens"))
    whole_input = whole(given.get("input_tokens")) + read + written
    if not whole_input:
        return None
    return Usage(
        input=whole_input,
        cache_read=read,
        cache_write=written,
        output=whole(given.get("output_tokens")),
    )


def summary_in(path: str | None) -> str:
    """Return the summary of the last compaction, where it stands in the file already."""
    for record in _records(path):
        if record.get("isCompactSummary") is True:
            return prose(mapping(record.get("message")).get("content"))
    return ""


def origin_of(path: str | None, session_id: str) -> str | None:
    """Return the session that a session file is a copy of, if it is one."""
    for record in _records(path, at_end=False):
        forked = string(mapping(record.get("forkedFrom")).get("sessionId"))
        named = forked or string(record.get("sessionId"))
        if named is not None and named != session_id:
            return named
    return None


def _records(path: str | None, *, at_end: bool = True) -> Iterator[dict[str, Any]]:
    """The records at one end of a file, from that end on, apart from those of subagents."""
    if not path:
        return
    try:
        with Path(path).open("rb") as file:
            if at_end:
                size = file.seek(0, 2)
                file.seek(max(0, size - TAIL))
            data = file.read(TAIL if at_end else HEAD)
    except OSError:
        return
    lines = data.split(b"\n")
    for line in reversed(lines) if at_end else lines:
        if line[:1] != b"{":
            continue
        try:
            record = json.loads(line)
        except ValueError:  # a line that is cut, or not written to its end
            continue
        if isinstance(record, dict) and record.get("isSidechain") is not True:  # pyright: ignore[reportUnknownMemberType]
            yield record

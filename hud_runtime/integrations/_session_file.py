"""A host's session file, read from one end: how full the context was after the last request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hud_runtime.integrations._hook_hosts import Readings
from hud_runtime.observation import ContextUsed, Usage, usage_in
from hud_runtime.observation._json import mapping, string, value_at, whole

TAIL = 256 * 1024
"""Bytes that are read of a session file, which grows by tens of thousands with each turn."""

HEAD = 64 * 1024
"""Bytes of its beginning in which it says which session it is a copy of."""


class Reading(NamedTuple):
    """The context as the last request of the main conversation left it."""

    usage: Usage
    model: str | None
    limit: int | None = None

    def seen(self, limit: int | None) -> ContextUsed:
        """Return it as an observation."""
        return ContextUsed(usage=self.usage, model=self.model, limit=limit or self.limit)


def reading_in(path: str | None, places: Readings) -> Reading | None:
    """Return the newest reading in a session file; None where there is none since the last compaction."""
    for record in records_in(path):
        if places.boundary and record.get("subtype") == places.boundary:
            return None
        model = string(value_at(record, places.model.split(".")))
        usage = usage_in(mapping(value_at(record, places.usage.split("."))))
        if usage is not None and model != "<synthetic>":
            return Reading(usage, model, whole(record.get(places.limit)))
    return None


def records_in(path: str | None, *, at_end: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the records at one end of a file, from that end on, apart from those of subagents."""
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

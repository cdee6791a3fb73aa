"""A host's session file, read from one end: the context after the last request, and the newest summary."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hud_runtime.integrations._hook_hosts import Readings
from hud_runtime.observation import ContextUsed, Usage, usage_in
from hud_runtime.observation._json import json_of, mapping, string, value_at, whole
from hud_runtime.transcripts.formats._gemini import summary_in

TAIL = 256 * 1024
"""Bytes that are read of a session file, which grows by tens of thousands with each turn."""

HEAD = 64 * 1024
"""Bytes of its beginning in which it says which session it is a copy of."""


LARGEST = 16 * 1024 * 1024
"""Bytes that are searched at most for a summary."""


class Reading(NamedTuple):
    """The context as the last request of the main conversation left it."""

    usage: Usage
    model: str | None
    limit: int | None = None

    def seen(self, limit: int | None) -> ContextUsed:
        """Return it as an observation."""
        return ContextUsed(usage=self.usage, model=self.model, limit=limit or self.limit)


def reading_in(path: str | None, places: Readings | None) -> Reading | None:
    """Return the newest reading in a session file; None where there is none since the last compaction."""
    if places is None:
        return None
    for record in records_in(path):
        if places.boundary and record.get("subtype") == places.boundary:
            return None
        model = string(value_at(record, places.model.split(".")))
        usage = usage_in(mapping(value_at(record, places.usage.split("."))))
        if usage is not None and model != "<synthetic>":
            return Reading(usage, model, whole(record.get(places.limit)))
    return None


def newest_summary(path: str, start: int) -> tuple[str, int]:
    """Return the summary that the newest history in a file of Gemini's begins with, and where its whole lines end.

    :param start: where the search begins: the end of the last one. Of a file that is seen for the first time, the last
        16 MiB are read.
    """
    found = lines_of(Path(path), lambda size: max(start if start <= size else 0, size - LARGEST))
    if found is None:
        return "", start
    told = (summary_in(mapping(json_of(each))) for each in found.lines if b"$set" in each)
    return next(filter(None, reversed([*told])), ""), found.end


class WholeLines(NamedTuple):
    """The whole lines of a file from a place on."""

    lines: list[bytes]
    start: int
    """Where the first of them begins."""
    end: int
    """Where the last of them ends: what is behind it is being written."""


def lines_of(path: Path, start: Callable[[int], int]) -> WholeLines | None:
    """Return the whole lines of a file that is written line by line; None where it cannot be read.

    :param start: returns the place from which on they are read, by the file's size.
    """
    try:
        with path.open("rb") as file:
            place = file.seek(max(0, start(file.seek(0, 2))))
            data = file.read()
    except (OSError, ValueError):  # no file, or no name of one
        return None
    lines, end, _ = data.rpartition(b"\n")
    return WholeLines(lines.split(b"\n") if end else [], place, place + len(lines) + len(end))


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
    except (OSError, ValueError):  # no file, or no name of one
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

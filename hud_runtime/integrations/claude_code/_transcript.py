"""What the ends of a session file tell: how full the context is, and which session it is a copy of."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from hud_runtime.observation import ContextUsed, Usage, usage_in
from hud_runtime.observation._json import mapping, string

TAIL = 256 * 1024
"""Bytes that are read of a session file, which grows by tens of thousands with each turn."""

HEAD = 64 * 1024
"""Bytes of its beginning in which it says which session it is a copy of."""

BESIDE = 200
"""Session files of a folder among which the origin of a copy is looked for."""


class Reading(NamedTuple):
    """The context as the last request of the main conversation left it."""

    usage: Usage
    model: str | None

    def seen(self, limit: int | None) -> ContextUsed:
        """Return it as an observation."""
        return ContextUsed(usage=self.usage, model=self.model, limit=limit)


def reading_in(path: str | None) -> Reading | None:
    """Return the newest reading in a session file; None where there is none since the last compaction."""
    for record in _records(path):
        if record.get("subtype") == "compact_boundary":
            return None
        message = mapping(record.get("message"))
        model = string(message.get("model"))
        if record.get("type") != "assistant" or model == "<synthetic>":
            continue
        usage = usage_in(mapping(message.get("usage")))
        if usage is not None:
            return Reading(usage, model)
    return None


def origin_of(path: str | None, session_id: str) -> str | None:
    """Return the session that a session file is a copy of, if it is one."""
    for record in _records(path, at_end=False):
        forked = string(mapping(record.get("forkedFrom")).get("sessionId"))
        named = forked or string(record.get("requestSessionId") or record.get("sessionId"))
        if named is not None and named != session_id:
            return named
    return None


def origin_beside(path: str | None, tokens: int | None, seconds: int | None) -> str | None:
    """Return the session that one is a copy of whose own file is not there yet.

    It is the one in the same folder whose context is as large as the copy's, by its last answer; of several, the one whose
    file is as old as that answer.

    :param tokens: how large the copy's context is; where that is not known, nothing is found.
    :param seconds: how old the last answer is.
    """
    if not path or not tokens:
        return None
    ages: list[tuple[float, Path]] = []
    for each in Path(path).parent.glob("*.jsonl"):
        with suppress(OSError):
            ages.append((abs(time.time() - each.stat().st_mtime - (seconds or 0)), each))
    for _, each in sorted(ages)[:BESIDE]:
        reading = reading_in(str(each))
        if reading is not None and reading.usage.total == tokens:
            return each.stem
    return None


def subagents_file(path: Path, agent: str) -> Path:
    """Return the file with the messages of a subagent, beside its session's.

    >>> subagents_file(Path("p/s.jsonl"), "a1").as_posix()
    'p/s/subagents/agent-a1.jsonl'
    """
    return path.with_suffix("") / "subagents" / f"agent-{Path(agent).name}.jsonl"


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

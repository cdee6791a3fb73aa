"""The origin of a session that is a copy, as session files tell of it."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from hud_runtime.integrations._hook_hosts import CLAUDE_CODE
from hud_runtime.integrations._session_file import reading_in, records_in
from hud_runtime.observation._json import mapping, string

BESIDE = 200
"""Session files of a folder among which the origin of a copy is looked for."""


def origin_of(path: str | None, session_id: str) -> str | None:
    """Return the session that a session file is a copy of, if it is one."""
    for record in records_in(path, at_end=False):
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
        reading = reading_in(str(each), CLAUDE_CODE.readings)
        if reading is not None and reading.usage.total == tokens:
            return each.stem
    return None


def subagents_file(path: Path, agent: str) -> Path:
    """Return the file with the messages of a subagent, beside its session's.

    >>> subagents_file(Path("p/s.jsonl"), "a1").as_posix()
    'p/s/subagents/agent-a1.jsonl'
    """
    return path.with_suffix("") / "subagents" / f"agent-{Path(agent).name}.jsonl"

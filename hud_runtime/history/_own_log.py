"""The answers of the tool ``memory`` from the session's own log, where no other program keeps sessions."""

from __future__ import annotations

from typing import Any

from hud_runtime._errors import HistoryError
from hud_runtime.history import _aliases
from hud_runtime.history._records import PastSession
from hud_runtime.history._shown import moment, table_of, written
from ujsx.elements import Paragraph, em
from ujsx.tools import ToolResult


def own_answer(ctx: object, operation: str, **arguments: object) -> ToolResult:
    """The answer of the tool ``hud`` to the same question."""
    result: ToolResult = _aliases.hud_of(ctx).call("hud", {"call": {"op": operation, **arguments}})
    return result


def newer_than(ctx: object, before: int | None) -> int:
    """The number of events to pass over, so that those before a number come first."""
    return 0 if before is None else max(_aliases.hud_of(ctx).version - max(before, 1) + 1, 0)


def own_compactions(ctx: object, read: int | None) -> ToolResult:
    """The summaries of the session's own compactions, or one of them by its number."""
    if read is None:
        return own_answer(ctx, "summaries.list")
    found = _aliases.hud_of(ctx).summaries()
    if not 1 <= read <= len(found):
        raise HistoryError(f"there is no compaction {read}: there are {len(found)}, counted from 1")
    return own_answer(ctx, "summaries.get", id=str(found[read - 1].version))


def own_sessions(ctx: object, project: str | None) -> list[PastSession]:
    """The sessions of the store, the last used first."""
    from hud_runtime.session._inherit import PROJECT

    log: Any = _aliases.hud_of(ctx).log
    found: list[PastSession] = []
    for name in log.sessions():
        if name.startswith(PROJECT):
            continue
        version = log.head(name).version
        first = next(iter(log.read(name, 0, 1)), None)
        last = next(iter(log.read(name, version - 1)), None)
        if first is None or last is None:  # purged meanwhile
            continue
        about = first.payload.model_dump()
        folder = about.get("project") or ""
        if project is None or folder == project or folder.startswith(f"{project.rstrip('/')}/"):
            title, parent = about.get("title") or "", about.get("parent")
            found.append(
                PastSession(name, title, folder, first.timestamp, last.timestamp, version, parent)
            )
    return sorted(found, key=lambda each: (-each.updated, each.id))


def own_counts(ctx: object) -> ToolResult:
    """The amount of data in the store."""
    found = own_sessions(ctx, None)
    counts = {"sessions": len(found), "events": sum(each.messages for each in found)}
    rows = [[name, f"{count:,}"] for name, count in counts.items()]
    if found:
        rows += [
            ["from", moment(min(each.created for each in found))],
            ["to", moment(found[0].updated)],
        ]
    said = Paragraph()[
        em("OpenCode has no database here: these are the sessions of the HUD's store")
    ]
    return ToolResult(written([table_of(["", ""], rows), said]), data=counts)

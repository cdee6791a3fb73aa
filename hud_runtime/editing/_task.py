"""What an edit does to the task."""

from __future__ import annotations

from collections.abc import Iterator

from hud_components import Task
from hud_components.words import line
from hud_runtime.editing._page import Found
from hud_runtime.editing._result import Edit, Problem
from hud_runtime.editing._rows import Row, SourcePlace
from ujsx.errors import shown


def task_changes(before: Found, after: Found) -> Iterator[Edit | Problem]:
    """Yield what an edit comes to: the task is set, worded anew, or cleared.

    An inherited task becomes the session's own when it is worded anew, or when the words that tell
    where it comes from are taken away.
    """
    was = before.rows[0] if before.rows else None
    if not after.rows:
        if was is not None and not after.unreadable:
            yield Edit("task.clear", {}, (after.place or SourcePlace(1, 1)).line)
        return
    now, *more = after.rows
    for row in more:
        yield _problem(before, row, "there is one task; put the rest into steps or notes")
    task = before.spot.task
    if was is None or task is None:
        yield from _worded("task.set", before, now, now.values["description"])
    elif now.values != was.values:
        yield from _worded("task.update", before, now, now.values["description"], task)
    elif now.origin != was.origin:
        yield from _worded("task.update", before, now, task.description)


def _worded(
    operation: str, before: Found, now: Row, description: str, task: Task | None = None
) -> Iterator[Edit | Problem]:
    was = before.rows[0] if before.rows else None
    if now.origin is not None and (was is None or now.origin != was.origin):
        yield _problem(before, now, "where a task comes from is a fact; put it back")
    elif task is not None and was is not None and _is_cut(was, task):
        told = shown(was.values["description"])
        what = f"only the beginning of it was shown: {told}; put that back, or edit the HUD in full"
        yield _problem(before, now, what)
    else:
        yield Edit(operation, {"description": description.strip()}, now.place.line)


def _is_cut(row: Row, task: Task) -> bool:
    return row.values["description"] != line(task.description)


def _problem(before: Found, row: Row, message: str) -> Problem:
    place = row.place
    return Problem(message, place.line, place.column, before.spot.title, "description")

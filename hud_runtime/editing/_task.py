"""What an edit does to the task."""

from __future__ import annotations

from collections.abc import Iterator

from hud_components._cut import line
from hud_runtime.editing._page import Found
from hud_runtime.editing._result import Change, Problem
from hud_runtime.editing._rows import Place
from ujsx._errors import shown


def task_changes(before: Found, after: Found) -> Iterator[Change | Problem]:
    """Yield what an edit comes to: the task is set, worded anew, or cleared."""
    was = before.rows[0].values["description"] if before.rows else None
    title = before.spot.title
    place = after.place or Place(1, 1)
    if not after.rows:
        if was is not None and not after.unreadable:
            yield Change("task.clear", {}, place.line)
        return
    row, *more = after.rows
    for each in more:
        yield Problem(
            "there is one task; put the rest into steps or notes",
            each.place.line,
            each.place.column,
            title,
            "description",
        )
    now = row.values["description"].strip()
    if now == was:
        return
    task = before.spot.task
    if was is not None and task is not None and was != line(task.description):
        yield Problem(
            f"only the beginning of it was shown: {shown(was)}; put that back, or edit the HUD in "
            "full",
            row.place.line,
            row.place.column,
            title,
            "description",
        )
        return
    yield Change("task.set" if was is None else "task.update", {"description": now}, row.place.line)

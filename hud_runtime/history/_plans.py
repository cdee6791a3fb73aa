"""Plans that agents of OpenCode have written: Markdown files in folders of its own, listed and read by name.

OpenCode writes them to ``.opencode/plans`` of a project that is under version control, else to ``plans`` beside its
database, as ``TIME-SLUG.md``: the time at which the session began, and its slug.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hud_runtime._errors import HistoryError
from hud_runtime._limits import Limits
from hud_runtime.history._place import data_folder
from hud_runtime.history._records import Plan
from ujsx.errors import did_you_mean, quoted

INSIDE = Path(".opencode", "plans")
"""Where plans lie in a project."""

MOST = 1_000
"""Files of a folder that are looked at."""

BEGINNING = 4_096
"""Bytes in which the title is looked for."""


def plan_folders(project: Path | None) -> list[Path]:
    """Return the folders in which plans may lie: those of a project and its parents, then OpenCode's own.

    :param project: where somebody works; a folder that the caller names, never one that a database tells of.
    """
    inside = [] if project is None else [each / INSIDE for each in (project, *project.parents)]
    return [each for each in (*inside, data_folder() / "plans") if each.is_dir()]


def plans(project: Path | None = None, *, limit: int = 50) -> list[Plan]:
    """Return the plans, the last written first."""
    found = [plan for folder in plan_folders(project) for plan in _in(folder)]
    found.sort(key=lambda each: (-each.changed, each.name))
    return found[: max(limit, 1)]


def plan(name: str, project: Path | None = None, *, limits: Limits | None = None) -> Plan:
    """Return a plan with its text.

    :param name: that of a plan which is listed; it is compared, and is never a path.
    :raises HistoryError: where there is no such plan, or it cannot be read.
    """
    limits = Limits.of_environment() if limits is None else limits
    listed = {each.name: each for each in reversed(plans(project, limit=MOST))}
    found = listed.get(name) or listed.get(f"{name}.md")
    if found is None:
        hint = did_you_mean(name, listed) if listed else "there are no plans"
        raise HistoryError(f"there is no plan {quoted(name)}; {hint}")
    try:
        handle = os.open(Path(found.folder, found.name), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            data = limits.whole(file)
    except OSError as error:
        raise HistoryError(f"the plan {quoted(name)} cannot be read: {error.strerror}") from None
    if data is None:
        raise HistoryError(f"the plan {quoted(name)} {limits.refusal('read')}")
    text = data.decode("utf-8", "replace")
    return Plan(found.name, found.title, found.size, found.changed, found.folder, text)


def _in(folder: Path) -> Iterator[Plan]:
    try:
        paths = sorted(folder.glob("*.md"))[:MOST]
    except OSError:
        return
    for path in paths:
        try:
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):  # a link may lead anywhere
                continue
            with path.open("rb") as file:
                beginning = file.read(BEGINNING).decode("utf-8", "replace")
        except OSError:
            continue
        changed = about.st_mtime_ns // 1_000_000
        yield Plan(path.name, _title(beginning), about.st_size, changed, str(folder))


def _title(beginning: str) -> str:
    """The first heading, else the first line that says something."""
    lines = [each.strip() for each in beginning.splitlines() if each.strip()]
    heading = next((each for each in lines if each.startswith("# ")), "")
    return (heading or next(iter(lines), "")).lstrip("# ")

"""The doctor's look at the project around: settings in it that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hud_runtime._errors import ProjectError
from hud_runtime.cli._checks import Finding
from hud_runtime.projects import LEFT, left_settings, project_of


def look_at_projects() -> Iterator[Finding]:
    """Yield what stands in the project's table, and is not used."""
    here = project_of(Path.cwd())
    if here is None:
        return
    name = f"project {here.name}"
    try:
        left = left_settings(here)
    except ProjectError as error:
        yield Finding(name, "its settings cannot be read", "note", str(error))
        return
    if left:
        given = " ".join(f"--{each} …" for each in LEFT if each in left)
        advice = f"give it to your agent: ujsx install HOST {given}" if given else "remove it"
        value = f"{here}: [tool.ujsx] sets {' and '.join(left)}, which nothing reads"
        yield Finding(name, value, "note", advice)

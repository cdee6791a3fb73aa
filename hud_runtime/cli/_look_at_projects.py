"""The doctor's look at projects: those whose settings are trusted, and the one around."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import ProjectError
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._checks import Finding
from hud_runtime.projects import (
    ProjectSettings,
    Trust,
    default_trust,
    project_of,
    read_settings,
)

if TYPE_CHECKING:
    from ujsx import Element


def look_at_projects() -> Iterator[Finding]:
    """Yield what trusted projects ask for, and whether it can be used."""
    trust = default_trust()
    try:
        folders = trust.folders()
    except ProjectError as error:
        yield Finding("trusted projects", "cannot be told", "note", str(error))
        return
    here = project_of(Path.cwd())
    for each in folders:
        yield _trusted(each.folder, trust)
    if here is not None and here not in {each.folder for each in folders}:
        yield from _around(here)


def _trusted(folder: Path, trust: Trust) -> Finding:
    name = f"project {folder.name}"
    try:
        settings = read_settings(folder)
    except ProjectError as error:
        return Finding(name, "cannot be used", "note", str(error))
    if settings is None:
        advice = f"ujsx trust --remove {folder}"
        return Finding(name, f"{folder} asks for nothing any more", "note", advice)
    objection = trust.objection(settings)
    if objection is not None:
        return Finding(name, f"{folder} is not as you trusted it", "note", objection)
    complaints = _complaints(settings)
    if complaints:
        return Finding(name, "its layout cannot be used", "note", "; ".join(complaints))
    return Finding(name, f"{folder}: {settings}")


def _complaints(settings: ProjectSettings) -> list[str]:
    """What is wrong with the layout."""
    told: list[str] = []
    try:
        path = settings.layout_path
        if path is not None:
            from hud_runtime.cli._domain import domain_of
            from hud_runtime.cli._layout_option import layout_file

            tree = layout_file(path, domain_of(settings.domain).state, told.append).tree()
            told += _without_rules(tree)
    except (ProjectError, UsageError) as error:
        told.append(str(error))
    except ImportError:  # a dependency is missing, and another finding says so
        return []
    return told


def _without_rules(tree: Element | None) -> list[str]:
    """What is said of a layout that leaves out the user's rules."""
    from hud_components import Hud

    if tree is None or not isinstance(tree.component, Hud) or tree.component.rules:
        return []
    return ["it leaves out the user's rules; take rules={false} out of its Hud"]


def _around(folder: Path) -> Iterator[Finding]:
    name = f"project {folder.name}"
    try:
        settings = read_settings(folder)
    except ProjectError as error:
        yield Finding(name, "its settings cannot be read", "note", str(error))
        return
    if settings is not None:
        advice = f"nothing of it is used; if you trust it: ujsx trust {folder}"
        yield Finding(name, f"{folder} asks for {settings}, and is not trusted", "note", advice)

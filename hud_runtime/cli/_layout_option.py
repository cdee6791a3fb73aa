"""The layout that a command shows HUDs with: of `--layout`, of a trusted project, or the default."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import ProjectError
from hud_runtime.cli._component_names import components
from hud_runtime.cli._output import remark
from hud_runtime.cli._render import read, rendered_with
from hud_runtime.projects import (
    LayoutFile,
    ProjectSettings,
    default_trust,
    project_of,
    read_settings,
)
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from ujsx import Density, Element, RenderContext, Rendered


def define_layout(parser: ArgumentParser) -> None:
    """Add the option that names a layout."""
    parser.add_argument(
        "--layout",
        metavar="FILE",
        help="a layout to show it with (default: that of the project, once it is trusted, or the "
        "usual one)",
    )


def layout_of(options: Namespace) -> Element | None:
    """Return the tree of the layout that is asked for, or ``None`` for the default one.

    :raises UsageError: for a file of ``--layout`` that is no layout. One of a project is told of,
        and the default one is shown.
    """
    if options.layout is not None:
        return read(options.layout)
    file = project_layout(Path.cwd())
    return None if file is None else file.tree()


def project_layout(folder: Path) -> LayoutFile | None:
    """Return the layout of the project that a folder is in, if it has one that is trusted."""
    try:
        settings = trusted_settings(folder)
        path = None if settings is None else settings.layout_path
    except ProjectError as error:
        remark(f"{error}; the default layout is shown")
        return None
    return None if path is None else LayoutFile(path, components().values(), remark)


def trusted_settings(folder: Path) -> ProjectSettings | None:
    """Return the settings of the project that a folder is in, if they are trusted.

    Of those that are not, a line says so and how they can be.

    :raises ProjectError: for settings, or a record of trust, that cannot be used.
    """
    project = project_of(folder)
    settings = None if project is None else read_settings(project)
    if settings is None:
        return None
    if default_trust().holds(settings):
        return settings
    remark(
        f"{settings.folder} asks for {settings}, and is not trusted, so that is left out; if you trust "
        f"it: ujsx trust {settings.folder}"
    )
    return None


def shown_with(
    layout: Element | None,
    default: Element,
    context: RenderContext,
    density: Density | None,
    budget: int | None,
    *,
    is_asked_for: bool,
) -> tuple[Rendered, list[str]]:
    """Return a HUD's rendering with a layout, or the default one, and what there is to say of it.

    :param is_asked_for: whether the user named the layout; then it is no help to show another one.
    :raises UjsxError: for a layout that was asked for, and cannot show this state.
    """
    from ujsx import RenderContext

    if layout is not None:
        try:
            return rendered_with(layout, context, density, budget)
        except UjsxError as error:
            if is_asked_for:
                raise
            remark(f"the project's layout cannot be rendered: {error}; the default layout is shown")
    return rendered_with(default, RenderContext(), density, budget)

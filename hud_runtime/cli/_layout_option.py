"""The layout that a command shows HUDs with: of `--layout`, the agent, a trusted project, or the default."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime.cli._arguments import one_of
from hud_runtime.cli._output import remark
from hud_runtime.cli._render import read, rendered_with
from hud_runtime.projects import (
    LayoutFile,
    ProjectSettings,
    default_trust,
    layout_components,
    project_of,
    read_settings,
)
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Budget, Room, State
    from hud_runtime.cli._shown_session import ShownSession
    from hud_runtime.session import AgentLayouts
    from ujsx import Child, Density, Element, Rendered


def define_layout(parser: ArgumentParser) -> None:
    """Add the option that names a layout."""
    parser.add_argument(
        "--layout",
        metavar="FILE",
        help="a layout to show it with (default: that which the agent has set, that of the project, once "
        "it is trusted, or the usual one); it may hold the sections of the domain",
    )


def define_agent_layouts(parser: ArgumentParser, choices: tuple[AgentLayouts, ...]) -> None:
    """Add the option for what becomes of layouts that agents set."""
    parser.add_argument(
        "--agent-layouts",
        metavar="HOW",
        default="show",
        help=f"what becomes of layouts that agents set: {', '.join(choices)} (default: show)",
    )


def agent_layouts_of(options: Namespace, choices: tuple[AgentLayouts, ...]) -> AgentLayouts:
    """Return what becomes of layouts that agents set.

    :raises UsageError: for what is none of the choices.
    """
    one_of(options.agent_layouts, choices, "way with agents' layouts")
    return cast("AgentLayouts", options.agent_layouts)


def layout_of(options: Namespace, state: type[State]) -> Element | None:
    """Return the tree of the layout that is asked for, or ``None`` for the default one.

    :param state: the class of the state that it is to show.
    :raises UsageError: for a file of ``--layout`` that is no layout. One of a project is told of,
        and passed over.
    """
    if options.layout is not None:
        return read(options.layout, state)
    file = project_layout(Path.cwd(), state)
    return None if file is None else file.tree()


def project_layout(folder: Path, state: type[State]) -> LayoutFile | None:
    """Return the layout of the project that a folder is in, if it has one that is trusted.

    :param state: the class of the states that it is to show.
    """
    try:
        settings = trusted_settings(folder)
        path = None if settings is None else settings.layout_path
    except ProjectError as error:
        remark(f"the project's layout is not shown: {error}")
        return None
    return None if path is None else layout_file(path, state, remark, settings)


def layout_file(
    path: Path,
    state: type[State],
    tell: Callable[[str], object],
    settings: ProjectSettings | None = None,
) -> LayoutFile:
    """Return the file of a layout that is to show states of that class.

    :param settings: the project's, where they ask for it.
    """
    return LayoutFile(path, layout_components(state), tell, state=state, settings=settings)


def trusted_settings(folder: Path) -> ProjectSettings | None:
    """Return the settings of the project that a folder is in, if they are trusted.

    Of those that are not, a line says so and how they can be.

    :raises ProjectError: for settings, or a record of trust, that cannot be used.
    """
    project = project_of(folder)
    settings = None if project is None else read_settings(project)
    if settings is None:
        return None
    objection = default_trust().objection(settings)
    if objection is None:
        return settings
    remark(objection)
    return None


def shown_with(
    layout: Element | None,
    session: ShownSession,
    density: Density | None,
    budget: Budget,
    *,
    is_asked_for: bool,
    agent_layouts: AgentLayouts,
) -> tuple[Rendered, Room, list[str]]:
    """Return a HUD's rendering with the layout that counts, how much of it was to be shown, and what
    there is to say of it.

    :param layout: that which the user named, or the project's.
    :param is_asked_for: whether the user named the layout; then it is no help to show another one.
    :param agent_layouts: whether the agent's is shown where the user named none.
    :raises UjsxError: for a layout that was asked for, and cannot show this state.
    """
    from hud_components import Hud, room_for
    from hud_runtime.session import AgentLayout
    from ujsx import RenderContext

    made: dict[int, tuple[Room, list[str]]] = {}

    def shown(tree: Child) -> Rendered:
        node: Any = Hud.of(session.state, now=session.now)
        context = RenderContext()
        if tree is not None:
            node, state = Hud.reporting(tree, session.state)
            context = session.context.with_value(state)
        room = room_for(session.state.usage, density, budget)
        rendered, told = rendered_with(node, context, room.density, room.budget)
        made[id(rendered)] = room, told
        return rendered

    rendered = None
    if layout is not None and is_asked_for:
        rendered = shown(layout)
    elif session.state.layout and agent_layouts != "off":
        own = budget if isinstance(budget, int) else None
        rendered = AgentLayout().shown(session.state, own, shown, layout, remark)
    if rendered is None and layout is not None:
        try:
            rendered = shown(layout)
        except UjsxError as error:
            remark(f"the project's layout is not shown: {error}")
    rendered = shown(None) if rendered is None else rendered
    return rendered, *made[id(rendered)]

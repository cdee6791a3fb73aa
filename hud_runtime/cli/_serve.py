"""What an agent needs to use its HUD: the tools, served, and what to tell it of them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime.cli._component_names import components
from hud_runtime.cli._domain import domain
from hud_runtime.cli._layout_option import define_layout, project_layout
from hud_runtime.cli._output import put, remark
from hud_runtime.cli._render import read
from hud_runtime.cli._stored import define_store
from hud_runtime.projects import LayoutFile
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_runtime import HudSession
    from ujsx import Rendered


class Serve:
    """Serve the HUD to an MCP client over standard input and output.

    A client starts this command by itself, from its configuration, and ends it by closing the input.
    Its agent gets the tools `hud` and `hud_compact`. The session follows the client's project folder,
    so that the next conversation there goes on with the same HUD. At the start, which store it is goes to
    standard error, where a client keeps its log.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_store(parser)
        parser.add_argument(
            "--session", metavar="ID", help="the session (default: the one of the project's folder)"
        )
        parser.add_argument(
            "--project",
            metavar="DIR",
            help="the project's folder (default: the client's first root, or the current folder)",
        )
        define_layout(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.mcp import serve

        serve(
            options.store,
            session=options.session,
            project=options.project,
            ready=_tell,
            hud=_Layouts(options.layout).hud,
            domain=domain(),
        )
        return 0


class _Layouts:
    """HUDs with the layout of the command, or of the project that the client works in.

    A layout that is changed is read again. One that cannot be used is told of on standard error, and
    the default one is shown: an agent is not left without its HUD.
    """

    def __init__(self, name: str | None) -> None:
        self._given = None if name is None else _file(name)
        self._of_projects: dict[Path, LayoutFile | None] = {}

    def hud(self, session: HudSession, folder: Path | None) -> Rendered:
        """Return a session's HUD; ``folder`` is its project's."""
        file = self._given or self._of_project(folder)
        layout = None if file is None else file.tree()
        if file is not None and layout is not None:
            try:
                return session.hud(now=session.now(), layout=layout)
            except UjsxError as error:
                file.failed(error)
        return session.hud(now=session.now())

    def _of_project(self, folder: Path | None) -> LayoutFile | None:
        if folder is None:
            return None
        if folder not in self._of_projects:
            self._of_projects[folder] = project_layout(folder)
        return self._of_projects[folder]


def _file(name: str) -> LayoutFile:
    """The file of ``--layout``, which can be used when the server begins.

    :raises UsageError: if not.
    """
    read(name)
    return LayoutFile(Path(name).resolve(), components().values(), remark)


def _tell(store: Path) -> None:
    # The protocol leaves standard error to a server's log (MCP 2025-06-18, transports, stdio).
    remark(f"ujsx serve: the store is {store}")


HEADING = "## Your HUD\n\n"
"""What the text stands under in AGENTS.md."""


class Instructions:
    """Print the text that makes an agent keep its HUD current, for AGENTS.md or a system prompt."""

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the domain whose agents are told."""
        parser.add_argument(
            "--domain",
            metavar="NAME",
            help="the domain, package.module:NAME (default: the coding HUD's)",
        )

    @staticmethod
    def run(_options: Namespace) -> int:
        from hud_runtime.tools import instructions_of

        put(HEADING + instructions_of(domain()))
        return 0

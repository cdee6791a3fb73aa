"""What an agent needs to use its HUD: the tools, served, and what to tell it of them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hud_runtime.cli._output import put, remark
from hud_runtime.cli._stored import define_store


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

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.mcp import serve

        serve(options.store, session=options.session, project=options.project, ready=_tell)
        return 0


def _tell(store: Path) -> None:
    # The protocol leaves standard error to a server's log (MCP 2025-06-18, transports, stdio).
    remark(f"ujsx serve: the store is {store}")


HEADING = "## Your HUD\n\n"
"""What the text stands under in AGENTS.md."""


class Instructions:
    """Print the text that makes an agent keep its HUD current, for AGENTS.md or a system prompt."""

    @staticmethod
    def define(_parser: ArgumentParser) -> None:
        """Add nothing: the command takes no arguments."""

    @staticmethod
    def run(_options: Namespace) -> int:
        from hud_runtime.tools import INSTRUCTIONS

        put(HEADING + INSTRUCTIONS)
        return 0

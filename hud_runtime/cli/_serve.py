"""Serve the HUD to an MCP client over standard input and output.

A client starts this command by itself, from its configuration, and ends it by closing the input.
Its agent gets the tools `hud` and `hud_compact`. The session follows the client's project folder,
so that the next conversation there goes on with the same HUD. At the start, which store it is goes to
standard error, where a client keeps its log.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hud_runtime.cli._output import remark


def define(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="FILE", help="the store (default: your own, in your data folder)"
    )
    parser.add_argument(
        "--session", metavar="ID", help="the session (default: the one of the project's folder)"
    )
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="the project's folder (default: the client's first root, or the current folder)",
    )


def run(options: Namespace) -> int:
    from hud_runtime.mcp import serve

    serve(options.store, session=options.session, project=options.project, ready=_tell)
    return 0


def _tell(store: Path) -> None:
    # The protocol leaves standard error to a server's log (MCP 2025-06-18, transports, stdio).
    remark(f"ujsx serve: the store is {store}")

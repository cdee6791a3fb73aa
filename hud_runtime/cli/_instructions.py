"""Print the text that makes an agent keep its HUD current, for AGENTS.md or a system prompt."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._output import put

HEADING = "## Your HUD\n\n"
"""What the text stands under in AGENTS.md."""


def define(parser: ArgumentParser) -> None:
    """Add nothing: the command takes no arguments."""


def run(options: Namespace) -> int:
    from hud_runtime.tools import INSTRUCTIONS

    put(HEADING + INSTRUCTIONS)
    return 0

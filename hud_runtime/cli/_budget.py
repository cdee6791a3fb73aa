"""Hold what a HUD costs to a lock: a file that says how many tokens each of its parts may take."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._commands import Command
from hud_runtime.cli._group import define_actions, run_action

ACTIONS: dict[str, Command] = {
    action.name: action
    for action in (
        Command("check", "hud_runtime.cli._budget_check", "compare with a lock, or write one"),
    )
}
"""What can be done with a lock."""


def define(parser: ArgumentParser) -> None:
    define_actions(parser, ACTIONS)


def run(options: Namespace) -> int:
    return run_action("budget", ACTIONS, options)

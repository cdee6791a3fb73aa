"""A command that is a group of actions, such as ``ujsx session list``."""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Mapping

from hud_runtime.cli._commands import Command
from hud_runtime.cli._parser import Parser, one_of


def define_actions(parser: ArgumentParser, actions: Mapping[str, Command]) -> None:
    """Let the parser take an action and its arguments, and list the actions in its help."""
    parser.usage = f"{parser.prog} ACTION [ARGUMENT ...]"
    width = max(map(len, actions)) + 2
    lines = "\n".join(f"  {each.name:<{width}}{each.summary}" for each in actions.values())
    parser.epilog = f"actions:\n{lines}\n\n`{parser.prog} ACTION --help` says more about each."
    parser.add_argument("action", metavar="ACTION", help="what to do, from the list below")
    rest = parser.add_argument("arguments", metavar="ARGUMENT", nargs=REMAINDER, help="with what")
    rest.required = False  # which of them are, the action says


def run_action(name: str, actions: Mapping[str, Command], options: Namespace) -> int:
    """Do what an action of the group ``name`` is asked for, and return the exit status.

    :raises UsageError: if there is no such action.
    """
    action = actions[one_of(options.action, [*actions], "action")]
    module = action.load()
    parser = Parser(f"ujsx {name} {action.name}", f"{module.__doc__}")
    module.define(parser)
    return module.run(parser.read(options.arguments))

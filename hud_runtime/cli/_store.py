"""Keep a store safe: back it up while it is in use, put a backup back, and repair what is damaged.

A store is more than its file: copying `hud.db` leaves out what was written last, and what is archived.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._commands import Command
from hud_runtime.cli._group import define_actions, run_action

ACTIONS: dict[str, Command] = {
    action.name: action
    for action in (
        Command("backup", "hud_runtime.cli._store_backup", "copy the store while it is in use"),
        Command("restore", "hud_runtime.cli._store_restore", "put a backup back"),
        Command(
            "repair", "hud_runtime.cli._store_repair", "save what can be read of a damaged one"
        ),
        Command("checkpoint", "hud_runtime.cli._store_checkpoint", "empty the write-ahead log"),
    )
}
"""What can be done with a store, in the order in which the help shows it."""


def define(parser: ArgumentParser) -> None:
    define_actions(parser, ACTIONS)


def run(options: Namespace) -> int:
    return run_action("store", ACTIONS, options)

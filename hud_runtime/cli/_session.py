"""Look into a store of sessions, and keep them: as files, archived, or not at all.

A session is named by its id; `ujsx serve` calls that of a project by the project's folder, so that
`.` is the session of the current one. `project:NAME` is what a project's new sessions start with.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._commands import Command
from hud_runtime.cli._group import define_actions, run_action

ACTIONS: dict[str, Command] = {
    action.name: action
    for action in (
        Command("list", "hud_runtime.cli._session_list", "list the sessions, the last used first"),
        Command("show", "hud_runtime.cli._session_show", "say what there is of a session"),
        Command("tail", "hud_runtime.cli._session_tail", "print the last events, and follow"),
        Command("search", "hud_runtime.cli._session_search", "find events by their words"),
        Command("export", "hud_runtime.cli._session_export", "write a session as a file"),
        Command("import", "hud_runtime.cli._session_import", "read a session from a file"),
        Command("archive", "hud_runtime.cli._session_archive", "compress what is long past"),
        Command("purge", "hud_runtime.cli._session_purge", "delete sessions for good"),
    )
}
"""What can be done with sessions, in the order in which the help shows it."""


def define(parser: ArgumentParser) -> None:
    define_actions(parser, ACTIONS)


def run(options: Namespace) -> int:
    return run_action("session", ACTIONS, options)

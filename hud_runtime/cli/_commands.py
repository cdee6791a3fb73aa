"""The subcommands, in one table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from hud_runtime.cli._errors import UsageError
from ujsx.errors import did_you_mean


class CommandModule(Protocol):
    """What the module of a subcommand has."""

    def define(self, parser: ArgumentParser) -> None:
        """Add the subcommand's arguments."""
        ...

    def run(self, options: Namespace) -> int:
        """Do what the arguments ask for, and return the exit status."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its name, the module that does it, and what it does, in a line."""

    name: str
    module: str
    summary: str

    def load(self) -> CommandModule:
        """Import the module."""
        return cast("CommandModule", import_module(self.module))


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("demo", "hud_runtime.cli._demo", "show a bundled session's HUD, tree and tool"),
        Command("replay", "hud_runtime.cli._replay", "show the HUD of a transcript at any turn"),
        Command(
            "render", "hud_runtime.cli._render", "render a layout: Markdown with component tags"
        ),
        Command("explain", "hud_runtime.cli._explain", "show what a budget is spent on, and why"),
        Command("layout", "hud_runtime.cli._layout_check", "check a layout document"),
        Command("trust", "hud_runtime.cli._trust", "trust the settings of a project's folder"),
        Command("hud", "hud_runtime.cli._hud", "show the HUD of a session, now or at any turn"),
        Command("record", "hud_runtime.cli._record", "record an event in a session"),
        Command("session", "hud_runtime.cli._session", "list, follow, move and delete sessions"),
        Command("store", "hud_runtime.cli._store", "back up, restore and repair a store"),
        Command("edit", "hud_runtime.cli._edit", "edit the HUD of a session in your editor"),
        Command("schema", "hud_runtime.cli._schema", "print a component as a tool definition"),
        Command("parse", "hud_runtime.cli._parse", "print Markdown as a tree, in JSON"),
        Command("format", "hud_runtime.cli._format", "write Markdown files in canonical form"),
        Command("serve", "hud_runtime.cli._serve", "serve the HUD to an MCP client"),
        Command(
            "instructions",
            "hud_runtime.cli._instructions",
            "print what to tell an agent of its HUD",
        ),
        Command("doctor", "hud_runtime.cli._doctor", "check what ujsx finds on this machine"),
    )
}
"""The subcommands by name, in the order in which the help shows them."""


def command_of(name: str) -> Command:
    """Return the subcommand of that name.

    :raises UsageError: if there is none; the message names the nearest.

    >>> command_of("relpay")
    Traceback (most recent call last):
    hud_runtime.cli._errors.UsageError: "relpay" is no command; did you mean "replay"?
    """
    if name not in COMMANDS:
        raise UsageError(f'"{name}" is no command; {did_you_mean(name, COMMANDS)}')
    return COMMANDS[name]

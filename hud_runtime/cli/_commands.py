"""The subcommands, in one table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from hud_runtime.cli._arguments import Parser, UsageError
from hud_runtime.cli._domain import asked_in
from ujsx.errors import did_you_mean


class Runnable(Protocol):
    """What does a command, beside its docstring, which is what its help says: a module, or a class."""

    def define(self, parser: ArgumentParser) -> None:
        """Add the subcommand's arguments."""
        ...

    def run(self, options: Namespace) -> int:
        """Do what the arguments ask for, and return the exit status."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, or an action of one."""

    name: str
    place: str
    """What does it: a module of this package, or a class in one (``module:class``)."""
    summary: str
    """What it does, in a line."""
    is_of_hosts: bool = False
    """Whether hosts start it, in whatever folder they work in: no module is looked for there."""
    takes_paths: bool = False
    """Whether its user names a file all the same, by a path that begins there."""

    def load(self) -> Runnable:
        """Import what does it."""
        module, _, name = self.place.partition(":")
        found = import_module(f"hud_runtime.cli.{module}")
        return cast("Runnable", getattr(found, name) if name else found)

    def run(self, before: str, arguments: Sequence[str]) -> int:
        """Do it, and return the exit status.

        :param before: what was typed before its name.
        """
        folder = None if self.is_of_hosts else Path.cwd()
        with asked_in(arguments, folder, takes_paths=self.takes_paths):
            return self._run(before, arguments)

    def _run(self, before: str, arguments: Sequence[str]) -> int:
        found = self.load()
        parser = Parser(f"{before} {self.name}", f"{found.__doc__}")
        found.define(parser)
        return found.run(parser.read(arguments))


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("demo", "_demo", "show a bundled session's HUD, tree and tool"),
        Command("replay", "_hud:Replay", "show the HUD of a transcript at any turn"),
        Command("render", "_render", "render a layout: Markdown with component tags"),
        Command(
            "preview", "_preview:PreviewPage", "show what you author in the browser, as it changes"
        ),
        Command("watch", "_preview:Watch", "show what you author in the terminal, as it changes"),
        Command("explain", "_explain", "show what a budget is spent on, and why"),
        Command("layout", "_layout", "check a layout document"),
        Command("snapshots", "_groups:SNAPSHOTS", "show what changed in snapshots of HUDs"),
        Command("hud", "_hud:Hud", "show the HUD of a session, now or at any turn"),
        Command("deliver", "_deliver", "print what to send of a HUD, and no more"),
        Command("cost", "_cost", "print what a HUD costs, and what it would cost"),
        Command("record", "_record", "record an event in a session"),
        Command("session", "_groups:SESSION", "list, follow, move and delete sessions"),
        Command("store", "_groups:STORE", "back up, restore and repair a store"),
        Command("prune", "_prune", "print what is left of a tool's output"),
        Command("history", "_groups:HISTORY", "browse past sessions of OpenCode"),
        Command("edit", "_edit", "edit the HUD of a session in your editor"),
        Command("schema", "_schema", "print a component as a tool definition"),
        Command("parse", "_parse", "print Markdown as a tree, in JSON"),
        Command("format", "_format", "write Markdown files in canonical form"),
        Command("new", "_groups:NEW", "write a domain or a component to go on from"),
        Command("install", "_install:Install", "give a coding agent a HUD", True, takes_paths=True),
        Command("uninstall", "_install:Uninstall", "take the HUD out of a coding agent", True),
        Command("hook", "_hook:Hook", "answer a hook of a coding agent", True),
        Command(
            "statusline", "_hook:StatusLine", "print the HUD's state in a line, for a host", True
        ),
        Command("bridge", "_bridge", "answer hooks from one process for all sessions", True),
        Command(
            "serve",
            "_serve:Serve",
            "serve the HUD to an MCP client, or over HTTP to many",
            True,
            takes_paths=True,
        ),
        Command("token", "_groups:TOKEN", "say who may use a server over HTTP"),
        Command(
            "instructions",
            "_serve:Instructions",
            "print what to tell an agent of its HUD",
        ),
        Command("completion", "_completion", "print what lets a shell complete all this"),
        Command("doctor", "_doctor", "check what ujsx finds on this machine"),
    )
}
"""The subcommands by name, in the order in which the help shows them."""


def command_of(name: str) -> Command:
    """Return the subcommand of that name.

    :raises UsageError: if there is none; the message names the nearest.

    >>> command_of("relpay")
    Traceback (most recent call last):
    hud_runtime.cli._arguments.UsageError: "relpay" is no command; did you mean "replay"?
    """
    if name not in COMMANDS:
        raise UsageError(f'"{name}" is no command; {did_you_mean(name, COMMANDS)}')
    return COMMANDS[name]

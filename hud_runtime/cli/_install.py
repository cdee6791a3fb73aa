"""A HUD for a coding agent, in one line; and out again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hud_runtime.cli._arguments import UsageError, define_json, one_of
from hud_runtime.cli._domain import asked, define_domain, domain
from hud_runtime.cli._output import answer

if TYPE_CHECKING:
    from hud_runtime.delivery import Mode
    from hud_runtime.integrations._installing import Installed

HOSTS = ("claude-code", "opencode")

MODES: dict[str, tuple[str, ...]] = {
    "claude-code": ("append",),
    "opencode": ("append", "tail", "system"),
}
"""Where a HUD can go in each host."""


class Install:
    """Give a coding agent a HUD: `ujsx install claude-code`, `ujsx install opencode`.

    Claude Code's settings get hooks, an MCP server and a status line; OpenCode gets a plugin, a file of its own.
    Settings are changed only where needed and kept otherwise byte for byte; what they were before is kept beside
    the store. Sessions that begin from now on have a HUD. Installing again changes nothing, or brings it up to date.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the host, for which projects it is, and where the HUD goes."""
        _define(parser)
        parser.add_argument(
            "--mode",
            metavar="MODE",
            default="append",
            help="where the HUD goes in OpenCode's requests: append (the default), tail or system",
        )
        parser.add_argument("--store", metavar="FILE", help="the store (default: yours)")
        define_domain(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        project = _project(options)
        one_of(options.mode, MODES[options.host], f"mode that {options.host} has a place for")
        done = _installed(options, project)
        lines = [f"{path}: changed" for path in done.changed]
        lines += [f"{path}: as it should be" for path in done.unchanged]
        if done.changed:
            lines += [f"before: {path}" for path in done.backups]
            lines.append(
                f"The next session has a HUD; ujsx uninstall {options.host} takes it out again."
            )
        answer(_data(done), lines, as_json=options.json)
        return 0


class Uninstall:
    """Take the HUD out of a coding agent: `ujsx uninstall claude-code`, `ujsx uninstall opencode`.

    Settings that nobody has changed since are as they were, byte for byte; of others only what is ours is
    taken out. What was recorded stays in the store.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the host, and from which projects it goes."""
        _define(parser)
        parser.add_argument("--store", metavar="FILE", help="the store (default: yours)")

    @staticmethod
    def run(options: Namespace) -> int:
        project = _project(options)
        if options.host == "opencode":
            from hud_runtime.integrations.opencode import uninstall
        else:
            from hud_runtime.integrations.claude_code import uninstall

        done = uninstall(project, store=_store(options))
        lines = [f"{path}: the HUD is out" for path in done.changed]
        answer(_data(done), lines or ["There was no HUD to take out."], as_json=options.json)
        return 0


def _installed(options: Namespace, project: Path | None) -> Installed:
    declared = domain()  # one that cannot be found is told now, and not in the first session
    store = _store(options)
    if options.host == "opencode":
        from hud_runtime.integrations import opencode

        mode = cast("Mode", options.mode)
        return opencode.install(project, store=store, domain=asked(), declared=declared, mode=mode)
    from hud_runtime.integrations import claude_code

    return claude_code.install(project, store=store, domain=asked())


def _define(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help=" or ".join(HOSTS))
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument(
        "--user", action="store_true", help="for all projects of yours (the default)"
    )
    scope.add_argument(
        "--project",
        metavar="DIR",
        nargs="?",
        const=".",
        help="for one project, the current folder when none is named; in settings of yours, not the team's",
    )
    define_json(parser, "which files were changed")


def _project(options: Namespace) -> Path | None:
    one_of(options.host, HOSTS, "host that a HUD can be installed in")
    if options.project is None:
        return None
    folder = Path(options.project)
    if not folder.is_dir():
        raise UsageError(f"{options.project} is no folder")
    return folder


def _store(options: Namespace) -> Path | None:
    return None if options.store is None else Path(options.store)


def _data(done: Installed) -> dict[str, list[str]]:
    return {
        "changed": [str(path) for path in done.changed],
        "unchanged": [str(path) for path in done.unchanged],
        "backups": [str(path) for path in done.backups],
    }

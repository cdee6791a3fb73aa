"""A HUD for a coding agent, in one line; and out again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hud_runtime.cli._arguments import UsageError, define_json, one_of
from hud_runtime.cli._domain import asked, define_domain, domain
from hud_runtime.cli._output import answer
from hud_runtime.integrations.claude_code import Installed

HOSTS = ("claude-code",)


class Install:
    """Give a coding agent a HUD: `ujsx install claude-code`.

    Its settings get hooks, an MCP server and a status line. They are changed only where needed and kept
    otherwise byte for byte; what they were before is kept beside the store. Sessions that begin from now
    on have a HUD. Installing again changes nothing, or brings it up to date.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the host, and for which projects it is."""
        _define(parser)
        parser.add_argument("--store", metavar="FILE", help="the store (default: yours)")
        define_domain(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.integrations.claude_code import install

        domain()  # one that cannot be found is told now, and not in the first session
        done = install(_project(options), store=_store(options), domain=asked())
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
    """Take the HUD out of a coding agent's settings: `ujsx uninstall claude-code`.

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
        from hud_runtime.integrations.claude_code import uninstall

        done = uninstall(_project(options), store=_store(options))
        lines = [f"{path}: the HUD is out" for path in done.changed]
        answer(_data(done), lines or ["There was no HUD to take out."], as_json=options.json)
        return 0


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

"""Trust a project's folder: use the layout and the domain that its pyproject.toml asks for.

A project's `[tool.ujsx]` is used only for folders that you trust, as it was when you did: a changed
value has to be trusted again. Without that, a cloned folder can neither show a layout of its own nor
have anything imported.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._output import answer, put_line
from hud_runtime.projects import ProjectSettings, Trust, default_trust, read_settings

NONE = 1
"""The exit status where there was no trust to take away."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="the project's folder")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the folders that you trust")
    what.add_argument("--remove", metavar="FOLDER", help="trust this folder no more")
    define_json(parser, "them as data, with --list")


def run(options: Namespace) -> int:
    trust = default_trust()
    given = [options.folder is not None, options.list, options.remove is not None]
    if sum(given) != 1:
        raise UsageError("name one folder, or give --list or --remove FOLDER")
    if options.json and not options.list:
        raise UsageError("--json needs --list")
    if options.list:
        return _list(trust, as_json=options.json)
    if options.remove is not None:
        return _remove(trust, options.remove)
    settings = _settings(options.folder)
    trust.add(settings)
    put_line(f"{settings.folder} is trusted: {settings}")
    return 0


def _settings(name: str) -> ProjectSettings:
    folder = Path(name)
    if not folder.is_dir():
        raise UsageError(f"{name} is no folder")
    settings = read_settings(folder)
    if settings is None:
        raise UsageError(
            f"{folder.resolve()} asks for nothing: its pyproject.toml has no [tool.ujsx]"
        )
    _ = settings.layout_path  # what cannot be used is said now
    return settings


def _list(trust: Trust, *, as_json: bool) -> int:
    folders = trust.folders()
    data = [
        {"folder": str(each.folder), "settings": each.settings, "digest": each.digest}
        for each in folders
    ]
    answer(data, (f"{each.folder}: {each.settings}" for each in folders), as_json=as_json)
    return 0


def _remove(trust: Trust, name: str) -> int:
    # A folder that is gone keeps the name that it was trusted by.
    folder = Path(name).resolve()
    if trust.remove(folder):
        put_line(f"{folder} is trusted no more")
        return 0
    put_line(f"{folder} was not trusted")
    return NONE

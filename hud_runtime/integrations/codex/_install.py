"""Hooks and the MCP server, in Codex's settings and out again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime._location import home_folder
from hud_runtime.integrations._hook_settings import (
    SERVER,
    client_folder,
    install_files,
    is_of_client,
    records_of,
    uninstall_files,
    with_hook,
    without_empty,
    without_hooks,
)
from hud_runtime.integrations._installing import Installed, bridge_program, server_program
from hud_runtime.integrations._json_text import data_of
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations._toml_text import table_at, tables_of, with_table, without_table
from hud_runtime.integrations.bridge import Place, client_call, place_of
from hud_runtime.observation._json import mapping

HOOKS: Mapping[str, int] = {
    "SessionStart": 20,
    "UserPromptSubmit": 8,
    "PostToolUse": 8,
    "SubagentStart": 10,
    "SessionEnd": 3,
}
"""Events that are answered, and the seconds that each may take. Codex gives the last one three at most."""

TABLE = ("mcp_servers", SERVER)

REMARK = "A HUD for the agent; `ujsx uninstall codex` takes it out."
"""Stands above the server's table."""


def install(
    project: Path | None = None,
    *,
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: Sequence[str] = (),
    config: Path | None = None,
    memory: bool = False,
) -> Installed:
    """Give Codex a HUD, in all of the user's projects.

    :param project: not to be had: Codex's settings for a project lie in it, and are its team's.
    :param store: the store's file; the user's own when None.
    :param domain: that of new sessions, as ``package.module:NAME``; the hooks carry it.
    :param layout: the layout of new sessions: the whole path of a file, or an object's name, as of the domain.
    :param words: the words of new sessions, named in the same way.
    :param modules: ``package.module``, or the whole paths of files, whose components layouts may hold.
    :param config: the folder of Codex's settings; that of the environment when None.
    :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well.
    :raises InstallError: for settings that cannot be understood, and where hooks cannot run. Then nothing is changed.
    """
    _check_scope(project)
    place = place_of(store, domain, layout, words, tuple(modules))
    return install_files(place, _files(place, config, memory=memory))


def uninstall(
    project: Path | None = None, *, store: str | Path | None = None, config: Path | None = None
) -> Installed:
    """Take the HUD out of Codex's settings. What was recorded stays.

    :raises InstallError: for settings that cannot be understood.
    """
    _check_scope(project)
    place = place_of(store)
    return uninstall_files(place, _files(place, config))


def programs(config: Path | None = None) -> list[list[str]]:
    """Return what starts the server of ours in the user's settings."""
    text = read_file(_folder(config) / "config.toml") or ""
    server = table_at(text, TABLE) or {}
    call = [str(server.get("command")), *map(str, server.get("args", ()))]
    return [call] if "--bridge" in call else []


def _folder(config: Path | None) -> Path:
    home = os.environ.get("CODEX_HOME")
    return config or (Path(home) if home else home_folder() / ".codex")


def _check_scope(project: Path | None) -> None:
    if project is not None:
        raise InstallError(
            "Codex has no settings of yours for one project: those in its folder .codex are the team's, and"
            " this machine's paths have no place there; leave --project out"
        )


def _files(place: Place, config: Path | None, *, memory: bool = False) -> tuple[SettingsFile, ...]:
    folder = _folder(config)
    records = records_of(place)
    return (
        SettingsFile(folder / "hooks.json", partial(_with_hooks, place), _without_hooks, records),
        SettingsFile(
            folder / "config.toml", partial(_with_server, place, memory), _without_server, records
        ),
    )


def _with_server(place: Place, memory: bool, text: str) -> str:
    call = server_program(place, "codex", memory=memory)
    return with_table(text, TABLE, {"command": call[0], "args": call[1:]}, REMARK)


def _without_server(text: str) -> str:
    server = table_at(text, TABLE)
    if server is None or "--bridge" not in server.get("args", ()):
        tables_of(text)
        return text
    return without_table(text, TABLE, REMARK)


def _with_hooks(place: Place, text: str) -> str:
    data_of(text)
    for event, seconds in HOOKS.items():
        start = [] if event == "SessionEnd" else bridge_program(place)
        call = [
            *client_call(client_folder(place), place.socket),
            str(max(1, seconds - 2)),
            "codex",
            *start,
        ]
        entry = {"type": "command", "command": shlex.join(call), "timeout": seconds}
        text = with_hook(text, event, {"hooks": [entry]})
    return text


def _without_hooks(text: str) -> str:
    text, emptied = without_hooks(text, _is_ours)
    return without_empty(text, [*emptied, *([("hooks",)] if emptied else [])])


def _is_ours(entry: object) -> bool:
    return is_of_client(mapping(entry).get("command"))

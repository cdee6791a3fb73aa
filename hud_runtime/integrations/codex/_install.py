"""Hooks and the MCP server, in Codex's settings and out again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from hud_runtime.integrations._hook_hosts import CODEX, SERVER
from hud_runtime.integrations._hook_settings import (
    Asked,
    HookInstaller,
    records_of,
    settings_folder,
    with_command_hooks,
    without_our_hooks,
)
from hud_runtime.integrations._installing import server_program
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations._toml_text import table_at, tables_of, with_table, without_table
from hud_runtime.observation._json import Record

TABLE = ("mcp_servers", SERVER)

REMARK = "A HUD for the agent; `ujsx uninstall codex` takes it out."
"""Stands above the server's table."""


def _files(asked: Asked) -> tuple[SettingsFile, ...]:
    folder, records = settings_folder(CODEX, asked.config), records_of(asked.place)
    hooks = partial(with_command_hooks, CODEX, asked.place)
    return (
        SettingsFile(folder / "hooks.json", hooks, without_our_hooks, records),
        SettingsFile(
            folder / "config.toml", partial(_with_server, asked), _without_server, records
        ),
    )


def _servers(config: Path | None) -> Iterable[Record]:
    text = read_file(settings_folder(CODEX, config) / "config.toml") or ""
    return [table_at(text, TABLE) or {}]


def _with_server(asked: Asked, text: str) -> str:
    call = server_program(asked.place, "codex", memory=asked.memory)
    return with_table(text, TABLE, {"command": call[0], "args": call[1:]}, REMARK)


def _without_server(text: str) -> str:
    server = table_at(text, TABLE)
    if server is None or "--bridge" not in server.get("args", ()):
        tables_of(text)
        return text
    return without_table(text, TABLE, REMARK)


_INSTALLER = HookInstaller(CODEX, _files, _servers)
install, uninstall = _INSTALLER.install, _INSTALLER.uninstall
programs = _INSTALLER.programs

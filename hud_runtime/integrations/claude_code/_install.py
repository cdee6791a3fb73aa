"""Hooks, the MCP server and the status line, in Claude Code's settings and out again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime._location import home_folder
from hud_runtime.integrations._hook_hosts import CLAUDE_CODE, SERVER
from hud_runtime.integrations._hook_settings import (
    Asked,
    HookInstaller,
    client_folder,
    group_of,
    is_of_client,
    is_ours,
    list_at,
    records_of,
    settings_folder,
    with_command_hooks,
    with_hook,
    with_server,
    without_empty,
    without_our_hooks,
    without_server,
)
from hud_runtime.integrations._installing import bridge_program, server_program
from hud_runtime.integrations._json_text import data_of, with_value, without
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations.bridge import Place, client_call
from hud_runtime.observation._json import Record, mapping, sequence, value_at

HOOK = "hook"
"""The server's tool that the hooks call. The model does not see it."""

DENIED = f"mcp__{SERVER}__{HOOK}"

COMMON = ("session_id", "transcript_path", "cwd", "agent_id")
"""What each event is told."""


def _state(config: Path | None) -> Path:
    named = os.environ.get(CLAUDE_CODE.variable)
    return (config or (Path(named) if named else home_folder())) / ".claude.json"


def _files(asked: Asked) -> tuple[SettingsFile, ...]:
    root, place = asked.project and asked.project.resolve(), asked.place
    if root is None:
        settings = settings_folder(CLAUDE_CODE, asked.config) / "settings.json"
        servers: tuple[str, ...] = ("mcpServers",)
    else:
        settings = root / ".claude" / "settings.local.json"
        servers = ("projects", str(root), "mcpServers")
    call = server_program(place, memory=asked.memory)
    add = partial(with_server, CLAUDE_CODE, servers, call)
    records, state = records_of(place), _state(asked.config)
    remove = partial(without_server, servers)
    part = "" if root is None else str(root)
    return (
        SettingsFile(
            settings,
            partial(_with_hooks, place, asked.prune),
            _without_hooks,
            records,
            data_of,
            within=root,
        ),
        SettingsFile(state, add, remove, records, data_of, part),
    )


def _servers(config: Path | None) -> Iterable[Record]:
    state = mapping(data_of(read_file(_state(config)) or "{}"))
    projects = [mapping(each) for each in mapping(state.get("projects")).values()]
    return [mapping(value_at(each, ("mcpServers", SERVER))) for each in (state, *projects)]


# --- Hooks and the status line ---


def _with_hooks(place: Place, prune: bool, text: str) -> str:
    text = with_command_hooks(CLAUDE_CODE, place, text)
    for event, told in CLAUDE_CODE.events.items():
        if told.server_fields is None or (told.is_optional and not prune):
            continue
        given = {name: f"${{{name}}}" for name in (*COMMON, *told.server_fields)}
        entry = {
            "type": "mcp_tool",
            "server": SERVER,
            "tool": HOOK,
            "input": {"hook_event_name": event, **given},
            "timeout": told.seconds,
        }
        text = with_hook(text, event, group_of(told, entry))
    denied = list_at(data_of(text).get("permissions"), "deny")
    if DENIED not in denied:
        text = with_value(text, ["permissions", "deny", len(denied)], DENIED)
    client = [*client_call(client_folder(place), place.socket), "2", "claude-code-status"]
    return _with_status_line(text, client, bridge_program(place))


def _with_status_line(text: str, client: Sequence[str], program: Sequence[str]) -> str:
    former = value_at(data_of(text), ("statusLine", "command"))
    then = ["--then", former] if isinstance(former, str) and former else []
    command = shlex.join([*client, *then, *program])
    if then:
        return with_value(text, ["statusLine", "command"], command)
    return with_value(text, ["statusLine"], {"type": "command", "command": command})


def _without_hooks(text: str) -> str:
    text = without_our_hooks(text, _is_ours)
    denied = list_at(data_of(text).get("permissions"), "deny")
    if DENIED in denied:
        text = without(text, ["permissions", "deny", denied.index(DENIED)])
        text = without_empty(text, [("permissions", "deny"), ("permissions",)])
    return _without_status_line(text)


def _without_status_line(text: str) -> str:
    command = value_at(data_of(text), ("statusLine", "command"))
    if not isinstance(command, str) or not is_of_client(command):
        return text
    try:
        words = shlex.split(command)
    except ValueError:  # somebody has changed it
        return text
    if "--then" in words[:-1]:
        former = words[words.index("--then") + 1]
        return with_value(text, ["statusLine", "command"], former)
    return without(text, ["statusLine"])


def sockets_in(text: str) -> frozenset[str]:
    """Return which bridges the hooks in settings name that are ours; none for settings that cannot be understood."""
    try:
        events = mapping(mapping(data_of(text)).get("hooks"))
    except InstallError:
        return frozenset()
    groups = (mapping(group) for several in events.values() for group in sequence(several))
    entries = (mapping(entry) for group in groups for entry in sequence(group.get("hooks")))
    words = (sequence(each.get("args")) for each in entries if _is_ours(each))
    return frozenset(str(word) for each in words for word in each if str(word).endswith(".sock"))


def _is_ours(entry: object) -> bool:
    given = mapping(entry)
    if given.get("type") == "mcp_tool":
        return (given.get("server"), given.get("tool")) == (SERVER, HOOK)
    return is_ours(entry)


_INSTALLER = HookInstaller(CLAUDE_CODE, _files, _servers)
install, uninstall = _INSTALLER.install, _INSTALLER.uninstall
programs = _INSTALLER.programs

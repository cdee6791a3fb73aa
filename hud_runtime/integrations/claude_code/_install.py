"""Hooks, the MCP server and the status line, in Claude Code's settings and out again."""

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
    list_at,
    records_of,
    uninstall_files,
    value_at,
    with_hook,
    without_empty,
    without_hooks,
)
from hud_runtime.integrations._installing import Installed, bridge_program, server_program
from hud_runtime.integrations._json_text import data_of, with_value, without
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations.bridge import Place, client_call, place_of
from hud_runtime.observation._json import mapping, sequence

HOOK = "hook"
"""The server's tool that the hooks call. The model does not see it."""

DENIED = f"mcp__{SERVER}__{HOOK}"

COMMON = ("session_id", "transcript_path", "cwd", "agent_id")
"""What each event is told."""

BY_SERVER: Mapping[str, tuple[str, ...]] = {
    "PreToolUse": ("tool_use_id",),
    "PostToolUseFailure": ("tool_use_id",),
    "PostToolBatch": ("tool_calls",),
    "PreCompact": ("trigger",),
    "Stop": ("last_assistant_message",),
    "SubagentStop": ("agent_type", "last_assistant_message"),
    "TaskCreated": ("task_id", "task_subject"),
    "TaskCompleted": ("task_id", "task_subject"),
}
"""Events that the server answers, which is resident, each with what it is told beyond the common."""

TO_PRUNE: Mapping[str, tuple[str, ...]] = {
    "PostToolUse": ("tool_name", "tool_input", "tool_response", "tool_use_id")
}
"""The event at which an output can be changed, where it is to be pruned."""

MATCHERS: Mapping[str, str] = {"PreToolUse": f"mcp__{SERVER}__.*", "PostToolUse": "Bash"}
"""The tools of which an event is told: all, where none are named. Of Bash alone it is known in which form the host
takes another output."""

BY_COMMAND: Mapping[str, int] = {
    "SessionStart": 20,
    "UserPromptSubmit": 8,
    "SubagentStart": 10,
    "SessionEnd": 1,
}
"""Events at which the host has no server yet, or none any more, or would wait for it: the first prompt comes
before the server is there. And the seconds that each may take."""


def install(
    project: Path | None = None,
    *,
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: Sequence[str] = (),
    prune: bool = False,
    config: Path | None = None,
    memory: bool = False,
) -> Installed:
    """Give Claude Code a HUD: in one project, for this user, or in all projects.

    :param project: the project's folder; all of the user's when None.
    :param store: the store's file; the user's own when None.
    :param domain: that of new sessions, as ``package.module:NAME``; the hooks carry it.
    :param layout: the layout of new sessions: the whole path of a file, or an object's name, as of the domain.
    :param words: the words of new sessions, named in the same way.
    :param modules: ``package.module``, or the whole paths of files, whose components layouts may hold.
    :param prune: whether what commands print is pruned before the model gets it.
    :param config: the folder of Claude Code's settings; that of the environment when None.
    :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well.
    :raises InstallError: for settings that cannot be understood, and where hooks cannot run. Then nothing is changed.
    """
    place = place_of(store, domain, layout, words, tuple(modules))
    return install_files(place, _files(project, place, config, prune=prune, memory=memory))


def uninstall(
    project: Path | None = None, *, store: str | Path | None = None, config: Path | None = None
) -> Installed:
    """Take the HUD out of Claude Code's settings. What was recorded stays.

    :raises InstallError: for settings that cannot be understood.
    """
    place = place_of(store)
    return uninstall_files(place, _files(project, place, config))


def programs(config: Path | None = None) -> list[list[str]]:
    """Return what starts the servers of ours in the user's settings, those for one project among them."""
    text = read_file(_state(config)) or "{}"
    state = mapping(data_of(text))
    projects = [mapping(each) for each in mapping(state.get("projects")).values()]
    entries = [mapping(value_at(each, ("mcpServers", SERVER))) for each in (state, *projects)]
    calls = [[each.get("command"), *list_at(each, "args")] for each in entries]
    return [[*map(str, each)] for each in calls if "--bridge" in each]


def _folder(config: Path | None) -> Path | None:
    home = os.environ.get("CLAUDE_CONFIG_DIR")
    return config or (Path(home) if home else None)


def _state(config: Path | None) -> Path:
    return (_folder(config) or home_folder()) / ".claude.json"


def _files(
    project: Path | None,
    place: Place,
    config: Path | None,
    *,
    prune: bool = False,
    memory: bool = False,
) -> tuple[SettingsFile, ...]:
    folder, state = _folder(config), _state(config)
    if project is None:
        root = None
        settings = (home_folder() / ".claude" if folder is None else folder) / "settings.json"
        servers: tuple[str, ...] = ("mcpServers",)
    else:
        root = project.resolve()
        settings = root / ".claude" / "settings.local.json"
        servers = ("projects", str(root), "mcpServers")
    records = records_of(place)
    return (
        SettingsFile(
            settings,
            partial(_with_hooks, place, prune),
            _without_hooks,
            records,
            data_of,
            within=root,
        ),
        SettingsFile(
            state,
            partial(_with_server, place, servers, memory),
            partial(_without_server, servers),
            records,
            data_of,
            "" if root is None else str(root),
        ),
    )


# --- The server ---


def _with_server(place: Place, servers: Sequence[str], memory: bool, text: str) -> str:
    if value_at(data_of(text), (*servers, SERVER)) is not None:
        raise InstallError(f"it has a server {SERVER} already, which is not ours; rename it")
    call = server_program(place, memory=memory)
    entry = {"type": "stdio", "command": call[0], "args": call[1:], "alwaysLoad": True}
    return with_value(text, [*servers, SERVER], entry)


def _without_server(servers: Sequence[str], text: str) -> str:
    if "--bridge" not in list_at(value_at(data_of(text), (*servers, SERVER)), "args"):
        return text
    text = without(text, [*servers, SERVER])
    return without_empty(text, [servers])


# --- Hooks and the status line ---


def _with_hooks(place: Place, prune: bool, text: str) -> str:
    client = client_call(client_folder(place), place.socket)
    program = bridge_program(place)
    for event, seconds in BY_COMMAND.items():
        patience = max(1, seconds - 2)
        start = [] if event == "SessionEnd" else program
        call = [*client, str(patience), "claude-code", *start]
        entry: dict[str, object] = {
            "type": "command",
            "command": call[0],
            "args": call[1:],
            "timeout": seconds,
        }
        text = with_hook(text, event, _group(event, entry))
    events = {**BY_SERVER, **(TO_PRUNE if prune else {})}
    for event, fields in events.items():
        given = {name: f"${{{name}}}" for name in (*COMMON, *fields)}
        entry = {
            "type": "mcp_tool",
            "server": SERVER,
            "tool": HOOK,
            "input": {"hook_event_name": event, **given},
            "timeout": 10,
        }
        text = with_hook(text, event, _group(event, entry))
    denied = list_at(data_of(text).get("permissions"), "deny")
    if DENIED not in denied:
        text = with_value(text, ["permissions", "deny", len(denied)], DENIED)
    return _with_status_line(text, [*client, "2", "claude-code-status"], program)


def _group(event: str, entry: Mapping[str, object]) -> dict[str, object]:
    matcher = {"matcher": MATCHERS[event]} if event in MATCHERS else {}
    return {**matcher, "hooks": [entry]}


def _with_status_line(text: str, client: Sequence[str], program: Sequence[str]) -> str:
    former = value_at(data_of(text), ("statusLine", "command"))
    then = ["--then", former] if isinstance(former, str) and former else []
    command = shlex.join([*client, *then, *program])
    if then:
        return with_value(text, ["statusLine", "command"], command)
    return with_value(text, ["statusLine"], {"type": "command", "command": command})


def _without_hooks(text: str) -> str:
    text, emptied = without_hooks(text, _is_ours)
    denied = list_at(data_of(text).get("permissions"), "deny")
    if DENIED in denied:
        text = without(text, ["permissions", "deny", denied.index(DENIED)])
        emptied += [("permissions", "deny"), ("permissions",)]
    return without_empty(_without_status_line(text), [*emptied, *([("hooks",)] if emptied else [])])


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
    return is_of_client(given.get("args"))

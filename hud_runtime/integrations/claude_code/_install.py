"""Hooks, the MCP server and the status line, in Claude Code's settings and out again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime.integrations._installing import Installed, bridge_program, store_options
from hud_runtime.integrations._json_text import data_of, with_value, without
from hud_runtime.integrations._launcher import interpreter, launcher
from hud_runtime.integrations._settings_file import SettingsFile
from hud_runtime.integrations.bridge import CLIENT, END, Link, Place, place_of
from hud_runtime.integrations.bridge._place import own_folder
from hud_runtime.observation._json import mapping, sequence

SERVER = "ujsx"
"""The MCP server's name; the model sees its tool as ``mcp__ujsx__hud``."""

HOOK = "hook"
"""The server's tool that the hooks call. The model does not see it."""

DENIED = f"mcp__{SERVER}__{HOOK}"

RUN = "import sys;exec(open(sys.argv[1]).read())"
"""Runs the client. A file that is not there ends it with status 1; run by its name, with 2, which blocks prompts."""

COMMON = ("session_id", "transcript_path", "cwd", "agent_id")
"""What each event is told."""

BY_SERVER: Mapping[str, tuple[str, ...]] = {
    "PreToolUse": ("tool_use_id",),
    "PostToolUseFailure": ("tool_use_id",),
    "PostToolBatch": ("tool_calls",),
    "PreCompact": ("trigger",),
    "TaskCreated": ("task_id", "task_subject"),
    "TaskCompleted": ("task_id", "task_subject"),
}
"""Events that the server answers, which is resident, each with what it is told beyond the common."""

MATCHERS: Mapping[str, str] = {"PreToolUse": f"mcp__{SERVER}__.*"}

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
    store: Path | None = None,
    domain: str | None = None,
    config: Path | None = None,
) -> Installed:
    """Give Claude Code a HUD: in one project, for this user, or in all projects.

    :param project: the project's folder; all of the user's when None.
    :param store: the store's file; the user's own when None.
    :param domain: that of new sessions, as ``package.module:NAME``; the hooks carry it.
    :param config: the folder of Claude Code's settings; that of the environment when None.
    :raises InstallError: for settings that cannot be understood, and without the MCP SDK. Then nothing is changed.
    """
    if launcher()[1:2] == ["-P"] and find_spec("mcp") is None:
        raise InstallError('the MCP SDK is not installed; pip install "ujsx[mcp]"')
    if os.name != "posix":
        raise InstallError("hooks need local sockets, which there are on Linux and macOS")
    place = place_of(store, domain)
    own_folder(place.socket.parent)
    client = place.store.parent / "bridge" / "client.py"
    files = _files(project, place, client, config)
    for each in files:  # what cannot be understood is told before anything is changed
        each.check()
    own_folder(client.parent)
    client.write_bytes(CLIENT.read_bytes())
    changed = [each for each in files if each.install()]
    _ended(place)
    return Installed(
        tuple(each.path for each in changed),
        tuple(each.path for each in files if each not in changed),
        tuple(each.backup for each in changed),
    )


def uninstall(
    project: Path | None = None, *, store: Path | None = None, config: Path | None = None
) -> Installed:
    """Take the HUD out of Claude Code's settings. What was recorded stays.

    :raises InstallError: for settings that cannot be understood.
    """
    place = place_of(store)
    files = _files(project, place, Path(), config)
    for each in files:
        each.check()
    changed = [each for each in files if each.uninstall()]
    _ended(place)
    unchanged = tuple(each.path for each in files if each not in changed)
    return Installed(tuple(each.path for each in changed), unchanged)


def _ended(place: Place) -> None:
    """End a bridge that runs: it may be of an older version."""
    if place.socket.exists():
        Link(place.socket, (), patience=2.0).ask(END, b"")


def _files(
    project: Path | None, place: Place, client: Path, config: Path | None
) -> tuple[SettingsFile, ...]:
    home = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = config or (Path(home) if home else None)
    state = (Path.home() if folder is None else folder) / ".claude.json"
    if project is None:
        settings = (Path.home() / ".claude" if folder is None else folder) / "settings.json"
        servers: tuple[str, ...] = ("mcpServers",)
    else:
        settings = project.resolve() / ".claude" / "settings.local.json"
        servers = ("projects", str(project.resolve()), "mcpServers")
    records = place.store.parent / "installed"
    return (
        SettingsFile(settings, partial(_with_hooks, place, client), _without_hooks, records),
        SettingsFile(
            state, partial(_with_server, place, servers), partial(_without_server, servers), records
        ),
    )


# --- The server ---


def _with_server(place: Place, servers: Sequence[str], text: str) -> str:
    call = [*launcher(), "serve", "--bridge", str(place.socket), *store_options(place)]
    entry = {"type": "stdio", "command": call[0], "args": call[1:], "alwaysLoad": True}
    return with_value(_checked(text), [*servers, SERVER], entry)


def _without_server(servers: Sequence[str], text: str) -> str:
    if "--bridge" not in _list(_at(data_of(text), (*servers, SERVER)), "args"):
        return text
    text = without(text, [*servers, SERVER])
    return _without_empty(text, [servers])


# --- Hooks and the status line ---


def _with_hooks(place: Place, client: Path, text: str) -> str:
    text = _checked(text)
    client_call = [interpreter(), "-I", "-S", "-c", RUN, str(client), str(place.socket)]
    program = bridge_program(place)
    for event, seconds in BY_COMMAND.items():
        patience = max(1, seconds - 2)
        start = [] if event == "SessionEnd" else program
        call = [*client_call, str(patience), "claude-code", *start]
        entry: dict[str, object] = {
            "type": "command",
            "command": call[0],
            "args": call[1:],
            "timeout": seconds,
        }
        text = _with_hook(text, event, entry)
    for event, fields in BY_SERVER.items():
        given = {name: f"${{{name}}}" for name in (*COMMON, *fields)}
        entry = {
            "type": "mcp_tool",
            "server": SERVER,
            "tool": HOOK,
            "input": {"hook_event_name": event, **given},
            "timeout": 10,
        }
        text = _with_hook(text, event, entry)
    denied = _list(data_of(text).get("permissions"), "deny")
    if DENIED not in denied:
        text = with_value(text, ["permissions", "deny", len(denied)], DENIED)
    return _with_status_line(text, [*client_call, "2", "claude-code-status"], program)


def _with_hook(text: str, event: str, entry: Mapping[str, object]) -> str:
    groups = _list(data_of(text).get("hooks"), event)
    matcher = {"matcher": MATCHERS[event]} if event in MATCHERS else {}
    return with_value(text, ["hooks", event, len(groups)], {**matcher, "hooks": [entry]})


def _with_status_line(text: str, client: Sequence[str], program: Sequence[str]) -> str:
    former = _at(data_of(text), ("statusLine", "command"))
    then = ["--then", former] if isinstance(former, str) and former else []
    command = shlex.join([*client, *then, *program])
    if then:
        return with_value(text, ["statusLine", "command"], command)
    return with_value(text, ["statusLine"], {"type": "command", "command": command})


def _without_hooks(text: str) -> str:
    hooks = data_of(text).get("hooks")
    emptied: list[tuple[str, ...]] = []
    for event, groups in _items(hooks):
        for place in reversed(range(len(groups))):
            entries = _list(groups[place], "hooks")
            ours = [number for number, each in enumerate(entries) if _is_ours(each)]
            if ours and len(ours) == len(entries):
                text = without(text, ["hooks", event, place])
            else:
                for number in reversed(ours):
                    text = without(text, ["hooks", event, place, "hooks", number])
            emptied += [("hooks", event)] if ours else []
    denied = _list(data_of(text).get("permissions"), "deny")
    if DENIED in denied:
        text = without(text, ["permissions", "deny", denied.index(DENIED)])
        emptied += [("permissions", "deny"), ("permissions",)]
    return _without_empty(
        _without_status_line(text), [*emptied, *([("hooks",)] if emptied else [])]
    )


def _without_status_line(text: str) -> str:
    command = _at(data_of(text), ("statusLine", "command"))
    if not isinstance(command, str) or not _is_of_client(command):
        return text
    try:
        words = shlex.split(command)
    except ValueError:  # somebody has changed it
        return text
    if "--then" in words[:-1]:
        former = words[words.index("--then") + 1]
        return with_value(text, ["statusLine", "command"], former)
    return without(text, ["statusLine"])


def _is_ours(entry: object) -> bool:
    given = mapping(entry)
    if given.get("type") == "mcp_tool":
        return (given.get("server"), given.get("tool")) == (SERVER, HOOK)
    return any(isinstance(each, str) and _is_of_client(each) for each in _list(given, "args"))


def _is_of_client(words: str) -> bool:
    return "bridge/client.py" in words


def _without_empty(text: str, places: Iterable[Sequence[str]]) -> str:
    """The text without the containers at these places that have nothing left in them."""
    for path in places:
        if _at(data_of(text), path) in ({}, []):
            text = without(text, list(path))
    return text


def _checked(text: str) -> str:
    data_of(text)
    return text


def _at(holder: object, path: Iterable[str]) -> object:
    """What stands at a place; None for nothing."""
    for step in path:
        holder = mapping(holder).get(step)
    return holder


def _list(holder: object, name: str) -> list[object]:
    return [*sequence(mapping(holder).get(name))]


def _items(holder: object) -> list[tuple[str, list[object]]]:
    return [(name, _list(holder, name)) for name in mapping(holder)]

"""Installing a HUD in a coding agent, and uninstalling it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._location import has_password, is_address
from hud_runtime.cli._bridge import BRIDGED, place
from hud_runtime.cli._click import (
    Declared,
    argument,
    domain_option,
    json_option,
    look_options,
    option,
    together,
)
from hud_runtime.cli._commands import (
    Options,
    UsageError,
    asked,
    asked_modules,
    domain,
    one_of,
    own_components,
)
from hud_runtime.cli._target import name_whole_paths
from hud_runtime.cli._terminal import answer, put, remark
from hud_runtime.integrations._hooked import HOOK_HOSTS

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.integrations._installing import FileChanges

HOSTS = (*BRIDGED[:2], "opencode", *BRIDGED[2:])
"""Coding agents in which a HUD can be installed."""

ELSEWHERE: Mapping[str, str] = {
    "vscode": "VS Code runs the hooks of the program behind a session; install that: copilot, claude-code or codex",
    "goose": "Goose reads a file with each request: `ujsx deliver --to FILE`, and GOOSE_MOIM_MESSAGE_FILE=FILE",
}
"""The way to a HUD in agents in which none is installed."""

MODES: Mapping[str, tuple[str, ...]] = {"opencode": ("append", "tail", "system")}
"""The HUD's placements in a host; others append it."""

APPEND = ("append",)

HEADING = "## Your HUD\n\n"
"""The heading of the instructions in AGENTS.md."""


def installer_of(host: str) -> Any:
    """Return the installer of a host, with its programs and problems."""
    if host not in HOOK_HOSTS:
        return import_module(f"hud_runtime.integrations.{host}")
    from hud_runtime.integrations._installing import HookInstaller

    return HookInstaller(HOOK_HOSTS[host])


_of_host: Declared = together(
    argument("host", metavar="HOST", words=HOSTS, required=False, help=" or ".join(HOSTS)),
    option("--user", is_flag=True, help="for all your projects (the default)"),
    option(
        "--project",
        metavar="DIR",
        is_flag=False,
        flag_value=".",
        instead_of=("user",),
        help="for one project, by default that in the current folder; in your own settings, not the team's"
        " (for claude-code and opencode: the others have no such settings)",
    ),
    json_option("which files were changed"),
)


@_of_host
@option(
    "--mode",
    metavar="MODE",
    words=MODES["opencode"],
    default="append",
    help="where the HUD goes in the agent's requests: append (the default); in OpenCode's tail or system, too",
)
@option(
    "--prune",
    is_flag=True,
    help="shorten long outputs of tools before the model reads them; each cut names the call that retrieves it"
    " (for claude-code and opencode: other hooks cannot change an output)",
)
@option("--store", metavar="FILE", help="the store (default: yours)")
@option(
    "--memory",
    is_flag=True,
    help="give the agent the tools memory, past sessions, read and searched, and memory_compact, too",
)
@domain_option(is_hosted=True)
@look_options()
@option(
    "--print-instructions",
    is_flag=True,
    help="install nothing: print the text that makes an agent keep its HUD current, for AGENTS.md or a system prompt",
)
def install(options: Options) -> int:
    """Give a coding agent a HUD: `ujsx install claude-code`, or another HOST.

    The agent's settings get hooks and an MCP server, Claude Code's a status line as well; OpenCode
    gets a plugin, a file of its own. All other settings stay, byte for byte; a copy of the former
    file is put beside the store. Sessions that begin from now on have a HUD. Installing again
    updates the installation, or changes nothing.
    """
    if options.print_instructions:
        from hud_runtime.tools import instructions_of

        put(HEADING + instructions_of(domain()))
        return 0
    host, project = _host(options), _project(options)
    _check_mode(options)
    name_whole_paths(options)
    declared = domain()  # report a missing domain now, and not in the first session
    own_components()
    _check_found(options)
    given: dict[str, Any] = {
        "store": _store(options),
        "domain": asked(),
        "layout": options.layout,
        "words": options.words,
        "modules": asked_modules(),
        "memory": options.memory,
    }
    if options.prune:
        given["prune"] = True
    if options.host == "opencode":  # its plugin has the tools
        given |= {"declared": declared, "mode": options.mode}
    done = host.install(project, **given)
    if options.host in BRIDGED:
        _keep_described(options, declared)
    remarks = [*host.remarks()]
    lines = [f"{path}: changed" for path in done.changed]
    lines += [f"{path}: as it should be" for path in done.unchanged]
    if done.changed:
        lines += [f"before: {path}" for path in done.backups]
        lines.append(
            f"The next session{' after the steps below' if remarks else ''} has a HUD;"
            f" ujsx uninstall {options.host}{_scope(options)} removes it."
        )
        row = HOOK_HOSTS.get(options.host)
        lines += [row.after] if row is not None and row.after else []
    answer(_data(done), lines, as_json=options.json)
    for each in remarks:
        remark(each)
    return 0


@_of_host
@option("--store", metavar="FILE", help="the store (default: yours)")
def uninstall(options: Options) -> int:
    """Remove the HUD from a coding agent: `ujsx uninstall claude-code`, or another HOST.

    Settings that have not changed since become what they were, byte for byte; from others, only
    ujsx's own entries are removed. Sessions stay in the store.
    """
    done = _host(options).uninstall(_project(options), store=_store(options))
    lines = [f"{path}: the HUD is removed" for path in done.changed]
    answer(_data(done), lines or ["There was no HUD to remove."], as_json=options.json)
    return 0


def _check_found(options: Options) -> None:
    """Check that the hooks' program finds its arguments, in an environment and a folder other than this one's."""
    from hud_runtime.integrations._installing import problem_of
    from hud_runtime.integrations.bridge._place import bridge_program

    program = bridge_program(place(options))
    if (problem := problem_of(program)) is not None:
        raise UsageError(f"the hooks run {program[0]}, which cannot use that: {problem}")


def _keep_described(options: Options, declared: Domain[Any]) -> None:
    """Store the server's tool descriptions, so that even the first session does not wait for its bridge."""
    from hud_runtime.serve.mcp import DescribedServer as Described
    from hud_runtime.serve.mcp import described, offered_to

    offers = offered_to(options.host, memory=options.memory)
    Described(place(options).socket, offers).keep(described(declared, offers))


def _host(options: Options) -> Any:
    if options.host is None:
        raise UsageError(f"the following arguments are required: HOST, one of {', '.join(HOSTS)}")
    if options.host in ELSEWHERE:
        raise UsageError(ELSEWHERE[options.host])
    one_of(options.host, HOSTS, "host that a HUD can be installed in")
    return installer_of(options.host)


def _check_mode(options: Options) -> None:
    known = MODES.get(options.host, APPEND)
    if options.mode in ("tail", "system") and options.mode not in known:
        raise UsageError(
            f"{options.host} has no place for the mode {options.mode}: its hooks can only add to the history, and"
            f" what they add stays there; use --mode {known[0]}, which is the default"
        )
    one_of(options.mode, known, f"mode of {options.host}")


def _scope(options: Options) -> str:
    """The part of a command line that selects the projects."""
    return "" if options.project is None else f" --project {shlex.quote(options.project)}"


def _project(options: Options) -> Path | None:
    if options.project is None:
        return None
    folder = Path(options.project)
    if not folder.is_dir():
        raise UsageError(f"{options.project} is not a folder")
    return folder


def _store(options: Options) -> str | Path | None:
    if options.store is None or not is_address(options.store):
        return None if options.store is None else Path(options.store)
    if has_password(options.store):
        raise UsageError(
            "the host's settings would contain the password; leave it out of the address, and put it in a"
            " password file (~/.pgpass)"
        )
    return str(options.store)


def _data(done: FileChanges) -> dict[str, list[str]]:
    return {name: [*map(str, getattr(done, name))] for name in ("changed", "unchanged", "backups")}

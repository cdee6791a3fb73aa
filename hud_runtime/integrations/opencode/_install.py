"""The plugin, where OpenCode looks for plugins, and out again. No settings of OpenCode's are touched."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hud_components import CODING, Domain
from hud_runtime._errors import InstallError
from hud_runtime._location import home_folder, make_folder
from hud_runtime.context.delivery import Mode
from hud_runtime.integrations._installing import Installed, records_of
from hud_runtime.integrations._launcher import launcher
from hud_runtime.integrations._settings_file import SettingsFile, read_file
from hud_runtime.integrations.bridge import Place, place_of
from hud_runtime.integrations.bridge._place import store_options

PLUGIN = Path(__file__).with_name("plugin.js")
"""The plugin, with settings that are to be filled in."""

NAME = Path("plugins") / "ujsx.js"
"""Where it is put in a folder of OpenCode's settings."""

OURS = "`ujsx install opencode` writes this file"
"""What stands in the beginning of a plugin of ours."""

SETTINGS = "const SETTINGS = "


def install(
    project: Path | None = None,
    *,
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: Sequence[str] = (),
    declared: Domain[Any] | None = None,
    mode: Mode = "append",
    prune: bool = False,
    config: Path | None = None,
    memory: bool = False,
) -> Installed:
    """Give OpenCode a HUD: in one project, or in all projects of this user.

    :param project: the project's folder; all of the user's when None.
    :param store: the store's file; the user's own when None.
    :param domain: that of new sessions, as ``package.module:NAME``; the plugin carries it.
    :param layout: the layout of new sessions: the whole path of a file, or an object's name, as of the domain.
    :param words: the words of new sessions, named in the same way.
    :param modules: ``package.module``, or the whole paths of files, whose components layouts may hold.
    :param declared: that domain itself; the coding HUD's when None.
    :param mode: where the HUD goes.
    :param prune: whether what tools answer is pruned before the model gets it.
    :param config: the folder of the user's settings of OpenCode; that of the environment when None.
    :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well: past sessions, read
        and searched, and a compaction under the name of an older plugin.
    :raises InstallError: where another plugin has the name of ours, and for a project's folder that is a link. Then
        nothing is changed.
    """
    place = place_of(store, domain, layout, words, tuple(modules))
    text = plugin_text(place, mode, declared, prune=prune, memory=memory)
    files = _files(project, config, place, text)
    for each in files:
        each.check()
    make_folder(place.folder)
    changed = [each for each in files if each.install()]
    backups = tuple(each.backup for each in files[1:] if each.backup.exists())
    return replace(_done(files, changed), backups=backups)


def uninstall(
    project: Path | None = None, *, store: str | Path | None = None, config: Path | None = None
) -> Installed:
    """Take the HUD out of OpenCode. What was recorded stays.

    :raises InstallError: where another plugin has the name of ours.
    """
    files = _files(project, config, place_of(store))
    for each in files:
        each.check(adds=False)
    changed = [each for each in files if each.uninstall()]
    with suppress(OSError):  # other plugins are there, or there is no such folder
        files[0].path.parent.rmdir()
    return _done(files, changed)


def programs(config: Path | None = None) -> list[list[str]]:
    """Return what the user's plugin starts, where it is ours."""
    text = read_file(_folder(None, config) / NAME) or ""
    lines = [each.removeprefix(SETTINGS) for each in text.splitlines() if each.startswith(SETTINGS)]
    return [[*map(str, json.loads(each)["program"])] for each in lines[:1] if OURS in text]


def plugin_text(
    place: Place,
    mode: Mode = "append",
    domain: Domain[Any] | None = None,
    *,
    prune: bool = False,
    memory: bool = False,
) -> str:
    """Return the plugin for a store, with all that it has to know."""
    from hud_runtime.tools import definitions, instructions_of

    tools = definitions("json-schema", domain=domain, memory_compact=memory)
    # A plugin has no instructions of its own in the prompt, so they stand with the tool.
    instructions = instructions_of(CODING if domain is None else domain, is_shown=True)
    tools[0] |= {"description": f"{tools[0]['description']}\n\n{instructions}"}
    program = [*launcher(), "bridge", "--stdio", *store_options(place)]
    if memory:
        from hud_runtime.history import MEMORY

        tools += MEMORY.definitions("json-schema")
        program.append("--memory")
    settings = {"program": program, "mode": mode, "prune": prune, "tools": tools}
    # Escaped, so that no program that reads lines takes a character of theirs for the end of one.
    line = f"{SETTINGS}{json.dumps(settings)}"
    lines = PLUGIN.read_text("utf-8").splitlines(keepends=True)
    return "".join(f"{line}\n" if each.startswith(SETTINGS) else each for each in lines)


def _folder(project: Path | None, config: Path | None) -> Path:
    """The folder of a project's settings, or of the user's."""
    if project is not None:
        return project.resolve() / ".opencode"
    return config or Path(
        os.environ.get("XDG_CONFIG_HOME") or home_folder() / ".config", "opencode"
    )


def _files(
    project: Path | None, config: Path | None, place: Place, text: str = ""
) -> tuple[SettingsFile, ...]:
    """The plugin, which has this text, and the file that keeps a project's out of what the team shares."""
    plugin = SettingsFile(
        _folder(project, config) / NAME,
        partial(_plugin_with, text),
        partial(_plugin_with, ""),
        records_of(place),
        within=None if project is None else project.resolve(),
    )
    return (plugin, *_ignored(project, place))


def _plugin_with(text: str, now: str) -> str:
    if now and OURS not in now[:1_000]:
        raise InstallError("it is a plugin of somebody else's; give it another name")
    return text


def _done(files: Iterable[SettingsFile], changed: Sequence[SettingsFile]) -> Installed:
    unchanged = tuple(each.path for each in files if each not in changed)
    return Installed(tuple(each.path for each in changed), unchanged)


# --- A project's plugin names places of this machine, so it is kept out of what the team shares ---


def _ignored(project: Path | None, place: Place) -> tuple[SettingsFile, ...]:
    """The person's own list of files that git is to leave alone, where the project has one."""
    if project is None or not (project / ".git").is_dir():
        return ()
    root = project.resolve()
    path = root / ".git" / "info" / "exclude"
    return (SettingsFile(path, _with_line, _without_line, records_of(place), within=root),)


LINE = f"/.opencode/{NAME.as_posix()}"


def _with_line(text: str) -> str:
    if LINE in text.splitlines():
        return text
    missing = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{missing}{LINE}\n"


def _without_line(text: str) -> str:
    return "".join(each for each in text.splitlines(keepends=True) if each.strip() != LINE)

"""Hooks that run our small program, in a host's settings and out again.

Hosts that run hooks have them in a JSON file, by events, in groups, each with a matcher and entries of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime.integrations._installing import Installed
from hud_runtime.integrations._json_text import data_of, with_value, without
from hud_runtime.integrations._settings_file import SettingsFile, write_file
from hud_runtime.integrations.bridge import END, Link, Place
from hud_runtime.integrations.bridge._place import CALLS, CLIENT, own_folder
from hud_runtime.observation._json import mapping, sequence

SERVER = "ujsx"
"""The MCP server's name; the model sees its tool as ``mcp__ujsx__hud``."""

# --- The files ---


def records_of(place: Place) -> Path:
    """Return the folder in which it is kept what settings were before."""
    return place.folder / "installed"


def install_files(place: Place, files: Sequence[SettingsFile]) -> Installed:
    """Put our part into settings, with the program that the hooks run.

    :raises InstallError: for settings that cannot be understood, and where hooks cannot run. Then nothing is changed.
    :raises OSError: for a file that cannot be written. Then those that could are as they were.
    """
    if os.name != "posix":
        raise InstallError("hooks need local sockets, which there are on Linux and macOS")
    own_folder(place.socket.parent)
    for each in files:  # what cannot be understood is told before anything is changed
        each.check()
    own_folder(client_folder(place))
    own_folder(client_folder(place) / "__pycache__")
    # Whole or not at all: a hook may be reading it.
    write_file(client_folder(place) / CLIENT.name, CLIENT.read_text("utf-8"), private=True)
    changed = _installed(files)
    _end_bridge(place)
    return Installed(
        tuple(each.path for each in changed),
        tuple(each.path for each in files if each not in changed),
        tuple(each.backup for each in changed),
    )


def _installed(files: Sequence[SettingsFile]) -> list[SettingsFile]:
    """Put our part into all of the files or, where one cannot be written, into none that had nothing of it."""
    changed: list[SettingsFile] = []
    for each in files:
        try:
            if each.install():
                changed.append(each)
        except (OSError, InstallError):  # a link may have come in between
            for done in changed:
                done.uninstall()
            raise
    return changed


def uninstall_files(place: Place, files: Sequence[SettingsFile]) -> Installed:
    """Take our part out of settings.

    :raises InstallError: for settings that cannot be understood. Then nothing is changed.
    """
    for each in files:
        each.check(adds=False)
    changed = [each for each in files if each.uninstall()]
    _end_bridge(place)
    unchanged = tuple(each.path for each in files if each not in changed)
    return Installed(tuple(each.path for each in changed), unchanged)


def _end_bridge(place: Place) -> None:
    """End a bridge that runs: it may be of an older version."""
    Link(place.socket, (), patience=2.0).ask(END, b"")


# --- Hooks ---


def client_folder(place: Place) -> Path:
    """Return where the small program of a store's hooks lies."""
    return place.folder / "bridge"


def is_of_client(command: object) -> bool:
    """Tell whether a command, or the list of its words, runs the small program, of whatever version.

    >>> from hud_runtime.integrations.bridge import client_call
    >>> is_of_client(client_call(Path("bridge"), Path("b.sock"))), is_of_client("python3 bridge/client.py")
    (True, False)
    """
    words = command if isinstance(command, str) else " ".join(map(str, sequence(command)))
    return any(all(part in words for part in each) for each in CALLS)


def with_hook(text: str, event: str, group: Mapping[str, object]) -> str:
    """Return settings with one more group of hooks for an event, behind those of others."""
    groups = list_at(data_of(text).get("hooks"), event)
    return with_value(text, ["hooks", event, len(groups)], group)


def without_hooks(
    text: str, is_ours: Callable[[object], bool]
) -> tuple[str, list[tuple[str, ...]]]:
    """Return settings without hooks of ours, and the places that may be empty now."""
    hooks = data_of(text).get("hooks")
    emptied: list[tuple[str, ...]] = []
    for event in mapping(hooks):
        groups = list_at(hooks, event)
        for place in reversed(range(len(groups))):
            entries = list_at(groups[place], "hooks")
            ours = [number for number, each in enumerate(entries) if is_ours(each)]
            if ours and len(ours) == len(entries):
                text = without(text, ["hooks", event, place])
            else:
                for number in reversed(ours):
                    text = without(text, ["hooks", event, place, "hooks", number])
            emptied += [("hooks", event)] if ours else []
    return text, emptied


def without_empty(text: str, places: Iterable[Sequence[str]]) -> str:
    """Return the text without the containers at these places that have nothing left in them."""
    for path in places:
        if value_at(data_of(text), path) in ({}, []):
            text = without(text, list(path))
    return text


def value_at(holder: object, path: Iterable[str]) -> object:
    """Return what stands at a place; None for nothing."""
    for key in path:
        holder = mapping(holder).get(key)
    return holder


def list_at(holder: object, name: str) -> list[object]:
    """Return the list that is a member; an empty one for anything else."""
    return [*sequence(mapping(holder).get(name))]

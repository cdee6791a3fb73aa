"""Installing: the lines that a host's settings are given, and taken out again."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from hud_runtime._errors import InstallError
from hud_runtime.integrations import _hooked, _settings_file
from hud_runtime.integrations._hooked import HookHost
from hud_runtime.integrations.bridge import END, BridgeLink, Place, _place, client_call, place_of
from hud_runtime.observe._observations import Record, mapping, sequence, value_at


@dataclass(frozen=True, slots=True)
class Installed:
    """The changes made to files."""

    changed: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    backups: tuple[Path, ...] = ()


def installed(
    files: Iterable[_settings_file.SettingsFile],
    changed: Sequence[_settings_file.SettingsFile],
    backups: Iterable[Path] = (),
) -> Installed:
    """Return what became of files, by those that have changed."""
    unchanged = tuple(each.path for each in files if each not in changed)
    return Installed(tuple(each.path for each in changed), unchanged, tuple(backups))


def server_program(place: Place, host: str, *, memory: bool = False) -> list[str]:
    """Return what starts the server of a place, whose tools a host's agents call.

    :param memory: whether the tools for memory are among them.
    """
    which = [] if host == _hooked.CLAUDE_CODE.name else ["--host", host]  # the server's own default
    more = ["--memory"] if memory else []
    return [
        *(*_place.launcher(), "serve", "--bridge", str(place.socket)),
        *(*which, *_place.store_options(place), *more),
    ]


GIVEN = ("--domain", "--layout", "--words", "--with")
"""The options that name what new sessions are given."""

CLIENT_WORDS = 5
"""Words that run the small program, before those that it is given: the interpreter, its options, the program."""

PATIENCE = 60.0
"""Seconds that a check may take: a program may be fetched first."""


def problem_of(program: Sequence[str]) -> str | None:
    """Return why what a host starts cannot use what it is given; None where it can.

    It is asked in no project's folder, as a host may start it in any.

    :param program: a bridge's or a server's.
    """
    if shutil.which(program[0]) is None:
        return f"there is no program {program[0]}"
    at = min(program.index(each) for each in ("bridge", "serve") if each in program)
    start, options = program[:at], pairwise(program[at:])
    given = [part for option, value in options if option in GIVEN for part in (option, value)]
    if not given:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the program that the host starts
            [*start, "bridge", "--check", *given],
            cwd=Path.cwd().anchor,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else None


# Hooks that run our small program, in a host's settings and out again.
#
# Hosts that run hooks have them in a JSON file, by events, in groups, each with a matcher and entries of its own. The host's
# row in the table of hosts says which, and where.

# --- The files ---


def records_of(place: Place) -> Path:
    """Return the folder in which it is kept what settings were before."""
    return place.folder / "installed"


def install_files(place: Place, files: Sequence[_settings_file.SettingsFile]) -> Installed:
    """Put our part into settings, with the program that the hooks run.

    :raises InstallError: for settings that cannot be understood, and where hooks cannot run. Then nothing is changed.
    :raises OSError: for a file that cannot be written. Then those that could are as they were.
    """
    if os.name != "posix":
        raise InstallError("hooks need local sockets, which there are on Linux and macOS")
    _place.own_folder(place.socket.parent)
    for each in files:  # what cannot be understood is told before anything is changed
        each.check()
    _place.own_folder(client_folder(place))
    _place.own_folder(client_folder(place) / "__pycache__")
    # Whole or not at all: a hook may be reading it.
    _settings_file.write_file(
        client_folder(place) / _place.CLIENT.name, _place.CLIENT.read_text("utf-8"), private=True
    )
    changed = _installed(files)
    _end_bridge(place)
    return installed(files, changed, [each.backup for each in changed])


def _installed(files: Sequence[_settings_file.SettingsFile]) -> list[_settings_file.SettingsFile]:
    """Put our part into all of the files or, where one cannot be written, into none that had nothing of it."""
    changed: list[_settings_file.SettingsFile] = []
    for each in files:
        try:
            if each.install():
                changed.append(each)
        except (OSError, InstallError):  # a link may have come in between
            for done in changed:
                done.uninstall()
            raise
    return changed


def uninstall_files(place: Place, files: Sequence[_settings_file.SettingsFile]) -> Installed:
    """Take our part out of settings.

    :raises InstallError: for settings that cannot be understood. Then nothing is changed.
    """
    for each in files:
        each.check(adds=False)
    changed = [each for each in files if each.uninstall()]
    _end_bridge(place)
    return installed(files, changed)


def _end_bridge(place: Place) -> None:
    """End a bridge that runs: it may be of an older version."""
    BridgeLink(place.socket, (), patience=2.0).ask(END, b"")


# --- A host's settings ---


class InstallRequest(NamedTuple):
    """The installation that is asked for."""

    place: Place
    project: Path | None
    config: Path | None
    prune: bool = False
    memory: bool = False


class HookInstaller:
    """Puts the HUD into a host's settings, and takes it out again.

    :param host: the host's row.
    """

    def __init__(self, host: HookHost) -> None:
        self._host = host

    def install(
        self,
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
        """Give the host a HUD: in one project, for this user, or in all projects.

        :param project: the project's folder; all of the user's when None. Most hosts have no settings of one person there.
        :param store: the store's file; the user's own when None.
        :param domain: that of new sessions, as ``package.module:NAME``; the hooks carry it.
        :param layout: the layout of new sessions: the whole path of a file, or an object's name, as of the domain.
        :param words: the words of new sessions, named in the same way.
        :param modules: ``package.module``, or the whole paths of files, whose components layouts may hold.
        :param prune: whether what commands print is pruned before the model gets it, where a host's hooks can do that.
        :param config: the folder of the host's settings; that of the environment when None.
        :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well.
        :raises InstallError: for settings that cannot be understood, and where hooks cannot run. Then nothing is changed.
        """
        if prune and not self._host.prunes:
            raise InstallError(
                f"the hooks of {self._host.name} cannot change what a tool has answered, so nothing is pruned there;"
                " install it without --prune"
            )
        self._check_scope(project)
        place = place_of(store, domain, layout, words, tuple(modules))
        return install_files(
            place, self._files(InstallRequest(place, project, config, prune, memory))
        )

    def uninstall(
        self,
        project: Path | None = None,
        *,
        store: str | Path | None = None,
        config: Path | None = None,
    ) -> Installed:
        """Take the HUD out of the host's settings. What was recorded stays.

        :raises InstallError: for settings that cannot be understood.
        """
        self._check_scope(project)
        place = place_of(store)
        return uninstall_files(place, self._files(InstallRequest(place, project, config)))

    def programs(self, config: Path | None = None) -> list[list[str]]:
        """Return what starts the servers of ours in the user's settings, those for one project among them."""
        entries = self._servers(config)
        calls = [[each.get("command"), *list_at(each, "args")] for each in entries]
        return [[*map(str, each)] for each in calls if "--bridge" in each]

    def remarks(self, config: Path | None = None) -> Iterator[str]:
        """Yield what keeps the HUD from the host: it is not there, too old, its hooks are off, or it does not trust them or this folder."""
        host = self._host
        yield from remarks_on_program(host.title, host.program, host.package, host.oldest)
        folder = _hooked.settings_folder(host, config)
        if host.switch is not None:
            path, off = folder / host.switch.file, host.switch.off
            if value_at(_data_in(path), host.switch.place) is off:
                yield (
                    f"hooks are switched off in {path}, so there is no HUD: set {'.'.join(host.switch.place)} to"
                    f" {json.dumps(not off)}"
                )
        if host.distrust is not None:
            words, here = _data_in(folder / host.distrust.file), Path.cwd()
            if words.get(str(here)) == host.distrust.word:
                yield (
                    f"{host.title} does not trust the folder {here}, and starts no servers in it, so its agents have"
                    f" no tool hud there: {host.distrust.advice}"
                )

        waiting = [*self._waiting(config)] if host.approvals else []
        if waiting:
            yield (
                f"{host.title} does not run hooks that you have not approved, so there is no HUD: start {host.program},"
                f" and trust the hooks of {folder / host.hooks_file} ({', '.join(waiting)})"
            )

    def _waiting(self, config: Path | None) -> Iterator[str]:
        """Yield the events whose hooks of ours wait for the person's approval."""
        host, path = self._host, _hooked.settings_folder(self._host, config) / self._host.hooks_file
        approved = mapping(value_at(_data_in(servers_path(host, config)), host.approvals))
        for event, groups in mapping(_data_in(path).get("hooks")).items():
            name = re.sub(r"(?<=.)(?=[A-Z])", "_", event).lower()
            entries = (
                (f"{name}:{at}:{number}", entry)
                for at, group in enumerate(sequence(groups))
                for number, entry in enumerate(list_at(group, "hooks"))
            )
            for place, entry in entries:
                keys = (f"{each}:{place}" for each in (path, path.resolve()))
                found = mapping(next((approved[key] for key in keys if key in approved), None))
                if is_ours(entry) and (
                    "trusted_hash" not in found or found.get("enabled") is False
                ):
                    yield event

    def _check_scope(self, project: Path | None) -> None:
        if project is not None and self._host.team:
            raise InstallError(self._host.team)

    def _servers(self, config: Path | None) -> Iterable[Record]:
        """The servers' entries of ours in the user's settings, those for one project among them."""
        host = self._host
        found = _read(servers_path(host, config))
        holders = [found, *map(mapping, mapping(found.get(host.projects)).values())]
        return [mapping(value_at(each, (host.servers, _hooked.SERVER))) for each in holders]

    def _files(self, asked: InstallRequest) -> tuple[_settings_file.SettingsFile, ...]:
        """The file of hooks and that of servers, the one that has both, or a file for each hook and that of servers."""
        host, root = self._host, asked.project and asked.project.resolve()
        of_project = () if root is None else (host.projects, str(root))
        folder, records = _hooked.settings_folder(host, asked.config), records_of(asked.place)
        hooks_path, servers_file = folder / host.hooks_file, servers_path(host, asked.config)
        if root is not None:
            hooks_path = root / host.project_hooks
        server = server_edits(host, asked, (*of_project, host.servers))
        hooks = Edits(
            partial(with_hooks, host, asked.place, asked.prune), partial(without_ours, host)
        )
        if hooks_path == servers_file:
            both = Edits(
                partial(_in_turn, hooks.add, server.add),
                partial(_in_turn, hooks.remove, server.remove),
            )
            return (_file_with(servers_file, both, records),)
        parts = [_file_with(hooks_path, hooks, records, within=root)]
        if host.hook_files:
            parts = [
                _file_with(
                    folder / name,
                    Edits(
                        partial(with_program, host, asked.place, host.events[event]),
                        without_program,
                    ),
                    records,
                )
                for event, name in host.hook_files.items()
            ]
        of_server = _file_with(servers_file, server, records, part=str(root or ""))
        return (*parts, of_server)


class Edits(NamedTuple):
    """The changes of a file by which our part of it comes and goes."""

    add: _settings_file.Edit
    remove: _settings_file.Edit


def _in_turn(first: _settings_file.Edit, second: _settings_file.Edit, text: str) -> str:
    return second(first(text))


def _file_with(
    path: Path, edits: Edits, records: Path, *, part: str = "", within: Path | None = None
) -> _settings_file.SettingsFile:
    means = _settings_file.data_of if path.suffix == ".json" else str
    return _settings_file.SettingsFile(path, *edits, records, means, part, within)


def servers_path(host: HookHost, config: Path | None) -> Path:
    """Return the file of a host's servers."""
    return _hooked.settings_folder(host, config, host.servers_folder) / host.servers_file


def remarks_on_program(title: str, name: str, package: str, oldest: str) -> Iterator[str]:
    """Yield what is wrong with a host's program: it is not there, or too old.

    :param package: the command that installs it.
    :param oldest: the oldest version with which a session was run.
    """
    program = shutil.which(name)
    if program is None:
        yield (
            f"there is no {title} here: no program {name} is on your PATH; {package} installs it, and its next session"
            " has a HUD"
        )
    elif (found := version_of(program)) and found < version_in(oldest):
        version = ".".join(map(str, found))
        yield (
            f"{title} {version} is older than {oldest}, with which the HUD was tried; update it: {package}"
        )


def _data_in(path: Path) -> Record:
    """The data in a settings file; none where it cannot be read, of which another finding tells."""
    try:
        return _read(path)
    except (InstallError, OSError, ValueError):
        return {}


def _read(path: Path) -> Record:
    """The data in a settings file, which need not be there."""
    text = _settings_file.read_file(path) or ""
    return (
        _settings_file.tables_of(text) if path.suffix == ".toml" else _settings_file.data_of(text)
    )


VERSION_PATIENCE = 10.0
"""Seconds that a host's program may take to tell its version."""


def version_in(text: str) -> tuple[int, ...]:
    """Return the first version in a text; an empty one where there is none.

    >>> version_in("2.1.330 (Claude Code)"), version_in("codex-cli 0.169.0"), version_in("no")
    ((2, 1, 330), (0, 169, 0), ())
    """
    found = re.search(r"\d{1,9}(?:\.\d{1,9})+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def version_of(program: str) -> tuple[int, ...]:
    """Return the version that a host's program tells; an empty one where it tells none in time."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that the person starts
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return version_in(done.stdout.decode("utf-8", "replace"))


# --- The server ---


def server_edits(host: HookHost, asked: InstallRequest, servers: Sequence[str]) -> Edits:
    """Return how our server comes into the file of servers and goes.

    :param servers: the place of the servers.
    """
    program, *arguments = server_program(asked.place, host.name, memory=asked.memory)
    entry = {"command": program, "args": arguments}
    place = (*servers, _hooked.SERVER)
    if host.servers_file.endswith(".toml"):
        remark = f"A HUD for the agent; `ujsx uninstall {host.name}` takes it out."
        return Edits(
            partial(_with_table, place, entry, remark), partial(_without_table, place, remark)
        )
    return Edits(
        partial(with_server, place, {**entry, **host.server}), partial(without_server, place)
    )


def with_server(place: Sequence[str], entry: Mapping[str, object], text: str) -> str:
    """Return settings with our server.

    :raises InstallError: where another one has its name.
    """
    if value_at(_settings_file.data_of(text), place) is not None:
        raise InstallError(
            f"it has a server {_hooked.SERVER} already, which is not ours; rename it"
        )
    return _settings_file.with_value(text, [*place], entry)


def without_server(place: Sequence[str], text: str) -> str:
    """Return settings without our server."""
    if "--bridge" not in list_at(value_at(_settings_file.data_of(text), place), "args"):
        return text
    return without_empty(_settings_file.without(text, [*place]), [place[:-1]])


def _with_table(
    place: Sequence[str], entry: Mapping[str, str | Sequence[str]], remark: str, text: str
) -> str:
    return _settings_file.with_table(text, place, entry, remark)


def _without_table(place: Sequence[str], remark: str, text: str) -> str:
    if "--bridge" not in list_at(value_at(_settings_file.tables_of(text), place), "args"):
        return text
    return _settings_file.without_table(text, place, remark)


# --- Hooks ---


HOOK = "hook"
"""The server's tool that hooks call. The model does not see it."""

COMMON = ("session_id", "transcript_path", "cwd", "agent_id")
"""The fields that the server is passed of each event."""


def with_hooks(host: HookHost, place: Place, prune: bool, text: str) -> str:
    """Return settings with the hooks that start our small program, those that our server answers, and the status line."""
    _settings_file.data_of(text)
    for name, value in host.head.items():
        text = _settings_file.with_value(text, [name], value)
    by_server = {event: told.server_fields for event, told in host.events.items()}
    for event in sorted(host.events, key=lambda event: by_server[event] is not None):
        told, fields = host.events[event], by_server[event]
        if told.is_optional and not prune:
            continue
        entry = _entry(host, place, told) if fields is None else _call_of_server(event, told)
        matcher = {"matcher": told.matcher} if told.matcher else {}
        text = with_hook(text, event, {**matcher, "hooks": [entry]})
    if host.denied:
        text = _with_denied(host, text)
    return _with_status_line(host, place, text) if host.has_status_line else text


def _call_of_server(event: str, told: _hooked.HookEvent) -> dict[str, object]:
    given = {name: f"${{{name}}}" for name in (*COMMON, *(told.server_fields or ()))}
    return {
        "type": "mcp_tool",
        "server": _hooked.SERVER,
        "tool": HOOK,
        "input": {"hook_event_name": event, **given},
        "timeout": told.seconds,
    }


def without_ours(host: HookHost, text: str) -> str:
    """Return settings without what :func:`with_hooks` puts there."""
    text, emptied = without_hooks(text)
    text = without_empty(text, [*emptied, *([("hooks",)] if emptied else [])])
    if host.denied:
        text = _without_denied(host, text)
    if host.has_status_line:
        text = _without_status_line(text)
    return "{}" if host.head and _settings_file.data_of(text) == host.head else text


def _with_denied(host: HookHost, text: str) -> str:
    """Settings in which the model does not see the tool that hooks call."""
    denied, name = (
        sequence(value_at(_settings_file.data_of(text), host.denied)),
        f"{host.tool_prefix}{HOOK}",
    )
    return (
        text
        if name in denied
        else _settings_file.with_value(text, [*host.denied, len(denied)], name)
    )


def _without_denied(host: HookHost, text: str) -> str:
    denied, name = (
        sequence(value_at(_settings_file.data_of(text), host.denied)),
        f"{host.tool_prefix}{HOOK}",
    )
    if name not in denied:
        return text
    text = _settings_file.without(text, [*host.denied, denied.index(name)])
    return without_empty(text, [host.denied, host.denied[:-1]])


STATUS_LINE = ("statusLine", "command")
"""The place of the status line's command."""


def _with_status_line(host: HookHost, place: Place, text: str) -> str:
    """Settings with our status line, which runs the one that was there."""
    former = value_at(_settings_file.data_of(text), STATUS_LINE)
    then = ["--then", former] if isinstance(former, str) and former else []
    client = client_call(client_folder(place), place.socket)
    words = [*client, "2", f"{host.name}-status", *then, *_place.bridge_program(place)]
    command = shlex.join(words)
    if then:
        return _settings_file.with_value(text, STATUS_LINE, command)
    return _settings_file.with_value(text, STATUS_LINE[:1], {"type": "command", "command": command})


def _without_status_line(text: str) -> str:
    command = value_at(_settings_file.data_of(text), STATUS_LINE)
    if not isinstance(command, str) or not is_of_client(command):
        return text
    try:
        words = shlex.split(command)
    except ValueError:  # somebody has changed it
        return text
    if "--then" in words[:-1]:
        return _settings_file.with_value(text, STATUS_LINE, words[words.index("--then") + 1])
    return _settings_file.without(text, STATUS_LINE[:1])


def _call(host: HookHost, place: Place, told: _hooked.HookEvent) -> list[str]:
    start = [] if told.means == "ended" else _place.bridge_program(place)
    client = client_call(client_folder(place), place.socket)
    return [*client, str(max(1, told.seconds - 2)), host.name, *start]


def with_program(host: HookHost, place: Place, told: _hooked.HookEvent, text: str) -> str:
    """Return the text of a hook's own file, which runs our small program.

    :raises InstallError: where there is another program.
    """
    if text.strip():
        raise InstallError("it is a hook of yours; give it another suffix, such as .sh")
    program, *options, run = (call := _call(host, place, told))[:CLIENT_WORDS]
    first = "" if " " in program else f"#!{program} {' '.join(options[:-1])}\n"
    return f"{first}import sys\n\nsys.argv[1:] = {call[CLIENT_WORDS:]!r}\n{run}\n"


def without_program(text: str) -> str:
    """Return the text of a hook's own file; nothing where it is ours."""
    return "" if is_of_client(text) else text


def _entry(host: HookHost, place: Place, told: _hooked.HookEvent) -> dict[str, object]:
    call = _call(host, place, told)
    command: Record = {"command": call[0], "args": call[1:]}
    if not host.takes_words:
        command = {"command": shlex.join(call)}
    return {"type": "command", **command, "timeout": told.seconds * host.unit}


def is_ours(entry: object) -> bool:
    """Tell whether an entry of a hook runs our small program, or calls our server."""
    given = mapping(entry)
    if given.get("type") == "mcp_tool":
        return (given.get("server"), given.get("tool")) == (_hooked.SERVER, HOOK)
    return is_of_client([given.get("command"), *sequence(given.get("args"))])


def sockets_in(text: str) -> frozenset[str]:
    """Return which bridges the hooks in settings name that are ours; none for settings that cannot be understood."""
    try:
        events = mapping(mapping(_settings_file.data_of(text)).get("hooks"))
    except InstallError:
        return frozenset()
    groups = (mapping(group) for several in events.values() for group in sequence(several))
    entries = (mapping(entry) for group in groups for entry in sequence(group.get("hooks")))
    words = (sequence(each.get("args")) for each in entries if is_ours(each))
    return frozenset(str(word) for each in words for word in each if str(word).endswith(".sock"))


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
    return any(all(part in words for part in each) for each in _place.CALLS)


def with_hook(text: str, event: str, group: Mapping[str, object]) -> str:
    """Return settings with one more group of hooks for an event, behind those of others."""
    groups = list_at(_settings_file.data_of(text).get("hooks"), event)
    return _settings_file.with_value(text, ["hooks", event, len(groups)], group)


def without_hooks(text: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return settings without hooks of ours, and the places that may be empty now."""
    hooks = _settings_file.data_of(text).get("hooks")
    emptied: list[tuple[str, ...]] = []
    for event in mapping(hooks):
        groups = list_at(hooks, event)
        for place in reversed(range(len(groups))):
            entries = list_at(groups[place], "hooks")
            ours = [number for number, each in enumerate(entries) if is_ours(each)]
            if ours and len(ours) == len(entries):
                text = _settings_file.without(text, ["hooks", event, place])
            else:
                for number in reversed(ours):
                    text = _settings_file.without(text, ["hooks", event, place, "hooks", number])
            emptied += [("hooks", event)] if ours else []
    return text, emptied


def without_empty(text: str, places: Iterable[Sequence[str]]) -> str:
    """Return the text without the containers at these places that have nothing left in them."""
    for path in places:
        if value_at(_settings_file.data_of(text), path) in ({}, []):
            text = _settings_file.without(text, list(path))
    return text


def list_at(holder: object, name: str) -> list[object]:
    """Return the list that is a member; an empty one for anything else."""
    return [*sequence(mapping(holder).get(name))]

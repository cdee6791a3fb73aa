"""Installing: adding our lines to a host's settings, and removing them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime.integrations import _hooked, _settings_file
from hud_runtime.integrations._hooked import HookHost
from hud_runtime.integrations.bridge import END, BridgeLink, Place, _place, client_call, place_of
from hud_runtime.observe._observations import Record, mapping, sequence, value_at


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The changes made to files."""

    changed: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    backups: tuple[Path, ...] = ()


def installed(
    files: Iterable[_settings_file.SettingsFile],
    changed: Sequence[_settings_file.SettingsFile],
    backups: Iterable[Path] = (),
) -> FileChanges:
    """Return the changes of files, given those that have changed."""
    unchanged = tuple(each.path for each in files if each not in changed)
    return FileChanges(tuple(each.path for each in changed), unchanged, tuple(backups))


def server_program(place: Place, host: str, *, memory: bool = False) -> list[str]:
    """Return the command that starts a place's server, whose tools a host's agents call.

    :param memory: whether to include the tools for memory.
    """
    which = [] if host == _hooked.CLAUDE_CODE.name else ["--host", host]  # the server's own default
    more = ["--memory"] if memory else []
    return [
        *(*_place.launcher(), "serve", "--bridge", str(place.socket)),
        *(*which, *_place.store_options(place), *more),
    ]


GIVEN = ("--domain", "--layout", "--words", "--with")
"""The options with data for new sessions."""

CLIENT_WORDS = 5
"""Words that run the small program, before its arguments: the interpreter, its options, the program."""

PATIENCE = 60.0
"""Maximum seconds for a check: a program may be fetched first."""


def problem_of(program: Sequence[str]) -> str | None:
    """Return the reason why a program that a host starts cannot use its arguments; None if it can.

    It is run outside of any project's folder, as a host may start it in any.

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


# Hooks that run our small program: added to a host's settings, and removed.
#
# Hosts store hooks in a JSON file, by event, in groups with a matcher and entries. The host's row
# in the table of hosts names the file and the events.


HOOK = "hook"
"""The server's tool that hooks call. The model does not see it."""

COMMON = ("session_id", "transcript_path", "cwd", "agent_id")
"""The fields of each event that the server receives."""


STATUS_LINE = ("statusLine", "command")
"""The place of the status line's command."""


def records_of(place: Place) -> Path:
    """Return the folder with the records of settings before installation."""
    return place.folder / "installed"


@dataclass(frozen=True, slots=True)
class Installation:
    """Our part of a host's settings, which is added to their texts and removed."""

    host: HookHost
    place: Place
    project: Path | None
    """The folder of its only project; None for all projects."""
    config: Path | None
    prune: bool = False
    memory: bool = False

    def install(self) -> FileChanges:
        """Add our part to settings, with the program that the hooks run.

        :raises InstallError: for settings that cannot be parsed, or if hooks cannot run. Then nothing is
            changed.
        :raises OSError: for a file that cannot be written. Then the others are restored.
        """
        if os.name != "posix":
            raise InstallError("hooks need local sockets, which there are on Linux and macOS")
        files, folder = self._files(), client_folder(self.place)
        changed: list[_settings_file.SettingsFile] = []
        _place.own_folder(self.place.socket.parent)
        for each in files:  # report a parse error before any change
            each.check()
        _place.own_folder(folder)
        _place.own_folder(folder / "__pycache__")
        # Atomically: a hook may be reading it.
        _settings_file.write_file(
            folder / _place.CLIENT.name, _place.CLIENT.read_text("utf-8"), private=True
        )
        for each in files:
            try:
                changed += [each] if each.install() else []
            except (OSError, InstallError):  # a link may have been created meanwhile
                for done in changed:
                    done.uninstall()
                raise
        return self._done(files, changed, tuple(each.backup for each in changed))

    def uninstall(self) -> FileChanges:
        """Remove our part from settings.

        :raises InstallError: for settings that cannot be parsed. Then nothing is changed.
        """
        files = self._files()
        for each in files:
            each.check(adds=False)
        return self._done(files, [each for each in files if each.uninstall()])

    def _done(
        self,
        files: Sequence[_settings_file.SettingsFile],
        changed: Sequence[_settings_file.SettingsFile],
        backups: tuple[Path, ...] = (),
    ) -> FileChanges:
        """Stop a running bridge, which may be of an older version, and return the changes."""
        BridgeLink(self.place.socket, (), patience=2.0).ask(END, b"")
        return installed(files, changed, backups)

    def _files(self) -> list[_settings_file.SettingsFile]:
        """The file of hooks and that of servers, the one that has both, or a file for each hook and that of servers."""
        host, root, records = self.host, self.project, records_of(self.place)
        folder = _hooked.settings_folder(host, self.config)
        servers = servers_path(host, self.config)
        hooks = folder / host.hooks_file if root is None else root / host.project_hooks

        file = partial(_settings_file.SettingsFile, records=records)
        if hooks == servers:
            return [
                file(
                    servers,
                    lambda text: self.with_server(self.with_hooks(text)),
                    lambda text: self.without_server(self.without_hooks(text)),
                )
            ]
        of_hooks = [file(hooks, self.with_hooks, self.without_hooks, within=root)]
        if host.hook_files:
            of_hooks = [
                file(folder / name, partial(self.with_program, event), without_program)
                for event, name in host.hook_files.items()
            ]
        part = "" if root is None else str(root)
        return [*of_hooks, file(servers, self.with_server, self.without_server, part=part)]

    # --- The server ---

    @property
    def _server(self) -> tuple[str, ...]:
        """The place of our server in the settings."""
        of_project = () if self.project is None else (self.host.projects, str(self.project))
        return (*of_project, self.host.servers, _hooked.SERVER)

    @property
    def _has_tables(self) -> bool:
        """Whether servers are tables of TOML."""
        return self.host.servers_file.endswith(".toml")

    @property
    def _remark(self) -> str:
        return f"A HUD for the agent; `ujsx uninstall {self.host.name}` takes it out."

    def with_server(self, text: str) -> str:
        """Return settings with our server added.

        :raises InstallError: if another server has its name.
        """
        program, *arguments = server_program(self.place, self.host.name, memory=self.memory)
        if self._has_tables:
            return _settings_file.with_table(
                text, self._server, {"command": program, "args": arguments}, self._remark
            )
        if value_at(_settings_file.data_of(text), self._server) is not None:
            raise InstallError(
                f"it has a server {_hooked.SERVER} already, which is not ours; rename it"
            )
        return _settings_file.with_value(
            text, self._server, {"command": program, "args": arguments, **self.host.server}
        )

    def without_server(self, text: str) -> str:
        """Return settings without our server."""
        data = _settings_file.tables_of(text) if self._has_tables else _settings_file.data_of(text)
        if "--bridge" not in list_at(value_at(data, self._server), "args"):
            return text
        if self._has_tables:
            return _settings_file.without_table(text, self._server, self._remark)
        return without_empty(_settings_file.without(text, self._server), [self._server[:-1]])

    # --- Hooks ---

    def with_hooks(self, text: str) -> str:
        """Return settings with the hooks that start our small program, the hooks that our server answers,
        and the status line.
        """
        _settings_file.data_of(text)
        for name, value in self.host.head.items():
            text = _settings_file.with_value(text, [name], value)
        events = self.host.events.items()
        for event, told in sorted(events, key=lambda each: each[1].server_fields is not None):
            if self.prune or not told.is_optional:
                hooks = _settings_file.data_of(text).get("hooks")
                at = len(list_at(hooks, event))  # after those of others
                matcher = {"matcher": told.matcher} if told.matcher else {}
                group = {**matcher, "hooks": [self._entry(event, told)]}
                text = _settings_file.with_value(text, ["hooks", event, at], group)
        denied = sequence(value_at(_settings_file.data_of(text), self.host.denied))
        if self.host.denied and self._hidden not in denied:
            text = _settings_file.with_value(text, [*self.host.denied, len(denied)], self._hidden)
        return self._with_status_line(text) if self.host.has_status_line else text

    def without_hooks(self, text: str) -> str:
        """Return settings without the additions of :meth:`with_hooks`."""
        for (event, at, number), _ in reversed([*hooks_in(_settings_file.data_of(text))]):
            group = list_at(_settings_file.data_of(text)["hooks"], event)[at]
            is_last = len(list_at(group, "hooks")) == 1
            text = _settings_file.without(
                text, ["hooks", event, at, *(() if is_last else ("hooks", number))]
            )
            text = without_empty(text, [("hooks", event), ("hooks",)])
        denied = sequence(value_at(_settings_file.data_of(text), self.host.denied))
        if self._hidden in denied:
            text = _settings_file.without(text, [*self.host.denied, denied.index(self._hidden)])
            text = without_empty(text, [self.host.denied, self.host.denied[:-1]])
        if self.host.has_status_line:
            text = _without_status_line(text)
        return "{}" if self.host.head and _settings_file.data_of(text) == self.host.head else text

    @property
    def _hidden(self) -> str:
        """The tool that hooks call, hidden from the model."""
        return f"{self.host.tool_prefix}{HOOK}"

    def _entry(self, event: str, told: _hooked.HookEvent) -> dict[str, object]:
        """The hook of an event: a call of our server, or of our small program."""
        if told.server_fields is not None:
            given = {name: f"${{{name}}}" for name in (*COMMON, *told.server_fields)}
            asked = {
                "server": _hooked.SERVER,
                "tool": HOOK,
                "input": {"hook_event_name": event, **given},
            }
            return {"type": "mcp_tool", **asked, "timeout": told.seconds}
        program, *arguments = call = self._call(told)
        words: Record = {"command": program, "args": arguments}
        command = words if self.host.takes_words else {"command": shlex.join(call)}
        return {"type": "command", **command, "timeout": told.seconds * self.host.unit}

    def _call(self, told: _hooked.HookEvent) -> list[str]:
        start = [] if told.means == "ended" else _place.bridge_program(self.place)
        return [*self._client, str(max(1, told.seconds - 2)), self.host.name, *start]

    @property
    def _client(self) -> list[str]:
        return client_call(client_folder(self.place), self.place.socket)

    def _with_status_line(self, text: str) -> str:
        """Settings with our status line, which also runs the previous one."""
        former = value_at(_settings_file.data_of(text), STATUS_LINE)
        then = ["--then", former] if isinstance(former, str) and former else []
        words = [
            *self._client,
            "2",
            f"{self.host.name}-status",
            *then,
            *_place.bridge_program(self.place),
        ]
        command = shlex.join(words)
        if then:
            return _settings_file.with_value(text, STATUS_LINE, command)
        return _settings_file.with_value(
            text, STATUS_LINE[:1], {"type": "command", "command": command}
        )

    def with_program(self, event: str, text: str) -> str:
        """Return the text of a hook's own file, which runs our small program.

        :raises InstallError: if there is another program.
        """
        if text.strip():
            raise InstallError("it is a hook of yours; give it another suffix, such as .sh")
        call = self._call(self.host.events[event])
        program, *options, run = call[:CLIENT_WORDS]
        first = "" if " " in program else f"#!{program} {' '.join(options[:-1])}\n"
        return f"{first}import sys\n\nsys.argv[1:] = {call[CLIENT_WORDS:]!r}\n{run}\n"


class HookInstaller:
    """Installs the HUD in a host's settings, and uninstalls it.

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
    ) -> FileChanges:
        """Install the HUD: in one project, for this user, or in all projects.

        :param project: the project's folder; None for all of the user's. Most hosts have no personal settings
            there.
        :param store: the store's file; None for the user's own.
        :param domain: the domain of new sessions, as ``package.module:NAME``; the hooks pass it on.
        :param layout: the layout of new sessions: the absolute path of a file, or an object's name, as for
            the domain.
        :param words: the words of new sessions, named in the same way.
        :param modules: ``package.module``, or the absolute paths of files, with components for layouts.
        :param prune: whether to prune commands' output before the model gets it, if the host's hooks can do
            that.
        :param config: the folder of the host's settings; None for the environment's.
        :param memory: whether its agents get the tools ``memory`` and ``memory_compact`` as well.
        :raises InstallError: for settings that cannot be parsed, or if hooks cannot run. Then nothing is
            changed.
        """
        if prune and not self._host.prunes:
            raise InstallError(
                f"the hooks of {self._host.name} cannot change what a tool has answered, so nothing is pruned there;"
                " install it without --prune"
            )
        place = place_of(store, domain, layout, words, tuple(modules))
        return self._for(project, place, config, prune, memory).install()

    def uninstall(
        self,
        project: Path | None = None,
        *,
        store: str | Path | None = None,
        config: Path | None = None,
    ) -> FileChanges:
        """Uninstall the HUD from the host's settings. Recorded data stays.

        :raises InstallError: for settings that cannot be parsed.
        """
        return self._for(project, place_of(store), config).uninstall()

    def _for(
        self,
        project: Path | None,
        place: Place,
        config: Path | None,
        prune: bool = False,
        memory: bool = False,
    ) -> Installation:
        if project is not None and self._host.team:
            raise InstallError(self._host.team)
        root = project and project.resolve()
        return Installation(self._host, place, root, config, prune, memory)

    def programs(self, config: Path | None = None) -> list[list[str]]:
        """Return the commands of our servers in the user's settings, including those for one project."""
        host, found = self._host, _read(servers_path(self._host, config))
        holders = [found, *map(mapping, mapping(found.get(host.projects)).values())]
        entries = [mapping(value_at(each, (host.servers, _hooked.SERVER))) for each in holders]
        calls = [[each.get("command"), *list_at(each, "args")] for each in entries]
        return [[*map(str, each)] for each in calls if "--bridge" in each]

    def remarks(self, config: Path | None = None) -> Iterator[str]:
        """Yield the problems of a host's HUD: not installed, too old, hooks disabled or not trusted, this
        folder not trusted.
        """
        host = self._host
        yield from remarks_on_program(host.title, host.program, host.package, host.oldest)
        folder = _hooked.settings_folder(host, config)
        here = Path.cwd()
        if host.switch is not None:
            place, off = host.switch.place, host.switch.off
            found = (
                (each, value_at(_data_in(each), place)) for each in host.switches(folder, here)
            )
            path, word = next((each for each in found if each[1] is not None), (None, None))
            if word is off:
                yield (
                    f"hooks are switched off in {path}, so there is no HUD: set {'.'.join(place)} to"
                    f" {json.dumps(not off)}"
                )
        if host.trust is not None and _is_distrusted(host.trust, folder, here):
            yield (
                f"{host.title} does not trust the folder {here}, and starts no servers in it, so its agents have"
                f" no tool hud there: type {host.trust.command} there"
            )
        waiting = [*self._waiting(config)] if host.approvals else []
        if waiting:
            yield (
                f"{host.title} does not run hooks that you have not approved, so there is no HUD: start {host.program},"
                f" and trust the hooks of {folder / host.hooks_file} ({', '.join(waiting)})"
            )

    def _waiting(self, config: Path | None) -> Iterator[str]:
        """Yield the events of our hooks that await the person's approval."""
        host, path = self._host, _hooked.settings_folder(self._host, config) / self._host.hooks_file
        approved = mapping(value_at(_data_in(servers_path(host, config)), host.approvals))
        for (event, at, number), _ in hooks_in(_data_in(path)):
            name = re.sub(r"(?<=.)(?=[A-Z])", "_", event).lower()
            keys = (f"{each}:{name}:{at}:{number}" for each in (path, path.resolve()))
            found = mapping(next((approved[key] for key in keys if key in approved), None))
            if "trusted_hash" not in found or found.get("enabled") is False:
                yield event


def _is_distrusted(trust: _hooked.FolderTrust, folder: Path, here: Path) -> bool:
    """Return whether a host distrusts a folder, by the word for it, or for its nearest listed parent."""
    words = _data_in(folder / trust.file)
    is_asked = value_at(_data_in(folder / "settings.json"), trust.setting)
    word = next((words[str(each)] for each in (here, *here.parents) if str(each) in words), None)
    return word == trust.word and is_asked in ((None, True) if trust.is_usual else (True,))


def servers_path(host: HookHost, config: Path | None) -> Path:
    """Return the file of a host's servers."""
    return _hooked.settings_folder(host, config, host.servers_folder) / host.servers_file


def remarks_on_program(title: str, name: str, package: str, oldest: str) -> Iterator[str]:
    """Yield the problems of a host's program: missing, or too old.

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
    """The data in a settings file; empty if it cannot be read, which another check reports."""
    try:
        return _read(path)
    except (InstallError, OSError, ValueError):
        return {}


def _read(path: Path) -> Record:
    """The data in a settings file; empty if there is none."""
    text = _settings_file.read_file(path) or ""
    return (
        _settings_file.tables_of(text) if path.suffix == ".toml" else _settings_file.data_of(text)
    )


VERSION_PATIENCE = 10.0
"""Maximum seconds in which a host's program reports its version."""


def version_in(text: str) -> tuple[int, ...]:
    """Return the first version in a text; an empty tuple for none.

    >>> version_in("2.1.330 (Claude Code)"), version_in("codex-cli 0.169.0"), version_in("no")
    ((2, 1, 330), (0, 169, 0), ())
    """
    found = re.search(r"\d{1,9}(?:\.\d{1,9})+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def version_of(program: str) -> tuple[int, ...]:
    """Return the version that a host's program reports; an empty tuple if it reports none in time."""
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


def without_program(text: str) -> str:
    """Return the text of a hook's own file; empty if it is ours."""
    return "" if is_of_client(text) else text


def hooks_in(settings: Record) -> Iterator[tuple[tuple[str, int, int], Record]]:
    """Yield our entries of hooks, each with its event, its group's number and its number in that group."""
    for event, groups in mapping(settings.get("hooks")).items():
        for at, group in enumerate(sequence(groups)):
            for number, entry in enumerate(map(mapping, list_at(group, "hooks"))):
                words = [entry.get("command"), *sequence(entry.get("args"))]
                is_call = entry.get("type") == "mcp_tool"
                named = (entry.get("server"), entry.get("tool"))
                if named == (_hooked.SERVER, HOOK) if is_call else is_of_client(words):
                    yield (event, at, number), entry


def sockets_in(text: str) -> frozenset[str]:
    """Return the bridges of our hooks in settings; none for settings that cannot be parsed."""
    try:
        ours = [*hooks_in(_settings_file.data_of(text))]
    except InstallError:
        return frozenset()
    words = (str(each) for _, entry in ours for each in sequence(entry.get("args")))
    return frozenset(each for each in words if each.endswith(".sock"))


def client_folder(place: Place) -> Path:
    """Return the folder of the small program for a store's hooks."""
    return place.folder / "bridge"


def is_of_client(command: object) -> bool:
    """Return whether a command, or the list of its words, runs the small program of any version.

    >>> from hud_runtime.integrations.bridge import client_call
    >>> is_of_client(client_call(Path("bridge"), Path("b.sock"))), is_of_client("python3 bridge/client.py")
    (True, False)
    """
    words = command if isinstance(command, str) else " ".join(map(str, sequence(command)))
    return any(all(part in words for part in each) for each in _place.CALLS)


def without_empty(text: str, places: Iterable[Sequence[str]]) -> str:
    """Return the text without the containers at these places that are empty."""
    for path in places:
        if value_at(_settings_file.data_of(text), path) in ({}, []):
            text = _settings_file.without(text, list(path))
    return text


def list_at(holder: object, name: str) -> list[object]:
    """Return a member that is a list; an empty list for anything else."""
    return [*sequence(mapping(holder).get(name))]

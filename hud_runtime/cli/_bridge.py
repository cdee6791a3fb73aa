"""Commands that hosts call: hooks, a status line, and the bridge that answers them in one process."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hud_runtime.cli._commands import (
    FOUND,
    OPTION,
    WITH,
    Options,
    UsageError,
    asked,
    asked_modules,
    domain,
    no_option,
    one_of,
)
from hud_runtime.cli._hud_file import keep_files
from hud_runtime.cli._terminal import put, remark
from hud_runtime.integrations.bridge import Place, place_of
from ujsx import __version__

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime import HudStore
    from hud_runtime.session import GivenLook
    from ujsx.tools import Toolset

# The bridge for hosts' hooks: its place, and its command.

BRIDGED = ("claude-code", "codex", "qwen-code", "gemini-cli", "copilot", "cline")
"""Coding agents whose hooks use a bridge. Importing their rows takes a while, and hosts wait for a server."""


def place(options: Options) -> Place:
    """Return the bridge of a command's store and options for new sessions."""
    found = place_of(options.store, asked(), options.layout, options.words, asked_modules())
    socket = getattr(options, "socket", None) or getattr(options, "bridge", None)
    return found if socket is None else found._replace(socket=Path(socket))


UNUSABLE = 1
"""The exit status of --check if something cannot be used."""

WAITS = 1_000
"""Maximum milliseconds of waiting for a locked store, as a host's turn waits, too."""


def run_hosted(arguments: Sequence[str]) -> int:
    """Run a host's command, and return the exit status.

    :param arguments: the name of the command, and its arguments.
    :raises UsageError: for invalid arguments.
    """
    name, *rest = arguments
    try:
        return HOSTED[name][0](host_parser(name).read(rest))
    except SystemExit as done:  # argparse exits this way after --help and --version
        return int(done.code or 0)


def host_parser(name: str) -> _HostParser:
    """Return the parser of a host's command."""
    run, take = HOSTED[name]
    parser = _HostParser(name, cleandoc(run.__doc__ or ""))
    if take is not None:
        take(parser)
    return parser


class _HostParser(ArgumentParser):
    """A parser of hosts' commands without Click, whose import takes longer than the answer."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(prog=f"ujsx {name}", description=about, allow_abbrev=False)
        self.add_argument("--version", action="version", version=f"ujsx {__version__}")
        self.add_argument("--store", metavar="FILE", help="the store (default: yours)")
        self.add_argument(
            OPTION,
            metavar="NAME",
            help=f"the domain of its sessions (default: the coding HUD's); {FOUND}",
        )
        for option in ("--layout", "--words"):
            self.add_argument(option, metavar="FILE", help="as `ujsx install` has it")
        self.add_argument(WITH, dest="modules", metavar="MODULE", action="append", default=[])

    def read(self, arguments: Sequence[str]) -> Options:
        """Return the values of arguments.

        :raises UsageError: for invalid arguments.
        """
        found, unknown = self.parse_known_args(arguments)
        if unknown:
            name = unknown[0].partition("=")[0]
            if not name.startswith("-"):
                self.error(f'"{name}" is one argument too many')
            raise UsageError(no_option(name, [*self._option_string_actions], self.prog))
        return Options(**vars(found))

    def error(self, message: str) -> NoReturn:
        """Raise an error with its message."""
        raise UsageError(f"{message}; see {self.prog} --help")


def _take_bridge(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--socket", metavar="FILE", help="where to listen (default: beside the store)"
    )
    parser.add_argument(
        "--idle",
        metavar="SECONDS",
        type=float,
        default=1_800.0,
        help="end after so long (default: 1800)",
    )
    for name, meaning in (
        ("--stdio", "answer over standard input and output, not at a socket"),
        ("--memory", "with --stdio, answer calls of the tool memory as well"),
        (
            "--check",
            "only tell whether the domain, the layout, the words and the components can be used",
        ),
    ):
        parser.add_argument(name, action="store_true", help=meaning)


def bridge(options: Options) -> int:
    """Answer the hooks of coding agents, from one process for all sessions of a store. The first
    hook starts it, and it ends after half an hour without requests. Killing it loses nothing. If
    one is running already, this one ends at once. With --stdio it answers the one host that started
    it, over standard input and output, and ends with it.
    """
    from hud_runtime.cli._target import look_of  # hooks do not need it

    if options.check:
        from hud_runtime.session import look_of_domain, read_look

        _, problems = read_look([look_of(options), look_of_domain(domain())], domain())
        for each in problems:
            remark(each)
        return UNUSABLE if problems else 0
    where = place(options)
    if options.stdio:
        look = look_of(options)
        with keep_files(where):
            return _serve_host(_Opened(where.store, domain(), look), look, memory=options.memory)
    from hud_runtime.integrations.bridge import Answer, Bridge, Handler

    handlers: dict[str, Handler] = {}
    bridge = Bridge(where.socket, handlers, idle=options.idle)
    # Of several bridges that start at once, all but one end before they load the rest.
    if not bridge.begin():
        remark("ujsx bridge: one is there already")
        return 0
    from hud_runtime.integrations._hook_events import HookedHost
    from hud_runtime.integrations._hooked import HOOK_HOSTS
    from hud_runtime.integrations.claude_code import ClaudeCode
    from hud_runtime.integrations.codex import Codex
    from hud_runtime.serve.mcp._bridged import DESCRIBED, described

    own, look = domain(), look_of(options)
    store = _Opened(where.store, own, look)
    claude, codex = ClaudeCode(store, socket=where.socket, look=look), Codex(store, look=look)
    hosts = {name: HookedHost(store, row, look=look) for name, row in HOOK_HOSTS.items()}
    hosts |= {"claude-code": claude, "codex": codex}
    for name, host in hosts.items():
        handlers |= {name: host.hook, f"{name}-call": host.call}
    handlers |= {
        "claude-code-status": claude.status,
        DESCRIBED: lambda host: Answer(json.dumps(described(own, host.decode()))),
    }
    os.chdir("/")  # its own folder may be deleted
    signal.signal(signal.SIGTERM, lambda _number, _frame: bridge.end())
    with keep_files(where):
        bridge.run()
    return 0


KEEPS_DELETED = "UJSX_KEEP_DELETED"
"""The environment variable that is 1 to keep sessions in the store that are deleted in OpenCode."""


def _serve_host(store: _Opened, look: GivenLook, *, memory: bool) -> int:
    from hud_runtime.integrations.bridge import own_output, serve_streams
    from hud_runtime.integrations.opencode import OpenCode

    with own_output() as out:
        # It ends only after its host's requests: an interrupt of the host in a terminal reaches it,
        # too.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        opencode = OpenCode(
            store,
            keeps_deleted=os.environ.get(KEEPS_DELETED) == "1",
            toolsets=_toolsets() if memory else (),
            look=look,
        )
        serve_streams(
            sys.stdin.buffer, out, {"opencode": opencode.hook, "opencode-call": opencode.call}
        )
    return 0


def _toolsets() -> tuple[Toolset, ...]:
    from hud_runtime.history import MEMORY

    return (MEMORY,)


class _Opened:
    """The store, opened on first use; a failed opening is retried."""

    def __init__(self, path: str | Path, domain: Domain[Any], look: GivenLook) -> None:
        self._path = path
        self._domain = domain
        self._components = look.components
        self._store: HudStore[Any] | None = None
        self._lock = threading.Lock()

    def __call__(self) -> HudStore[Any]:
        from hud_runtime import HudStore
        from hud_runtime.session import settings_beside
        from hud_runtime.session._hud_store import open_log

        with self._lock:
            if self._store is None:
                events = open_log(self._path, busy_timeout=WAITS)
                self._store = HudStore(
                    events,
                    domain=self._domain,
                    settings=settings_beside(self._path),
                    components=self._components,
                )
            return self._store


# The program of a host's hooks: standard input goes to the bridge, and its answer to standard
# output.

PATIENCE = 10.0
"""Maximum seconds for an answer."""


def hook(options: Options) -> int:
    """Answer a hook of a coding agent, such as `ujsx hook claude-code`: standard input has the
    hook's input, standard output its answer. `ujsx install` writes hooks that start faster; this
    command is for settings that you write yourself. The exit status is 0, or 1 if the settings are
    wrong, which the host shows you; never 2, with which a host discards the prompt.
    """
    one_of(options.host, BRIDGED, "host with hooks")
    return _ask(options, options.host)


def _take_host(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help=" or ".join(BRIDGED))


def show_status_line(options: Options) -> int:
    """Print the HUD's state in a line, for a host's status line.

    Standard input has the host's data for its status line. Claude Code reports the context's size
    to this command only, so it is recorded for the HUD.
    """
    return _ask(options, "claude-code-status")


def _ask(options: Options, kind: str) -> int:
    from hud_runtime.integrations.bridge import BridgeLink as Link
    from hud_runtime.integrations.bridge._place import bridge_program

    where = place(options)
    link = Link(where.socket, bridge_program(where), patience=PATIENCE)
    said = link.ask(kind, sys.stdin.buffer.read())
    if said is None:
        remark("no bridge answered; `ujsx bridge` in a terminal says why")
    put(said or "")
    return 0


Take = Callable[[ArgumentParser], None]

HOSTED: Mapping[str, tuple[Callable[[Options], int], Take | None]] = {
    "hook": (hook, _take_host),
    "statusline": (show_status_line, None),
    "bridge": (bridge, _take_bridge),
}
"""The commands that hosts call, and their own arguments."""

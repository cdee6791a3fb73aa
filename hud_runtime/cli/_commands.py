"""The subcommands and their arguments, in one table."""

from __future__ import annotations

import shutil
import textwrap
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, cast

from hud_runtime.cli._terminal import define_paging
from ujsx import __version__
from ujsx.errors import UjsxError, did_you_mean, nearest

if TYPE_CHECKING:
    from hud_components import Budget, Domain
    from ujsx import Component

# The arguments of a command: how they are read, and the one sentence that reports a mistake.
#
# ::
#
#     UjsxError
#     └── UsageError    arguments or files that the command cannot use (ValueError)


class UsageError(UjsxError, ValueError):
    """Arguments or files that the command cannot use; its message is one sentence."""


MAX_WIDTH = 100
"""Columns of a help text at most."""


OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "--budget": "--max-tokens --tokens --token-budget",
        "--density": "--level --detail",
        "--dialect": "--provider --api",
        "--store": "--db --database",
        "--to": "--output --out -o --format --target",
        "--session": "--session-id --id",
        "--layout": "--template",
    }
)
"""By option, its other names, which hold where a command has the option and none of that name."""

ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "ujsx explain LAYOUT": "tokens count count-tokens budget",
        "ujsx hud --session SESSION": "show view status state get",
        "ujsx session list": "sessions list ls",
        "ujsx session tail SESSION --follow": "tail follow",
        "ujsx layout check LAYOUT": "check validate lint",
        "ujsx record SESSION TYPE": "add note set event",
        "ujsx schema COMPONENT": "tool tools export definition definitions",
        "ujsx new domain NAME": "init create scaffold",
        "ujsx snapshots": "diff",
        "ujsx serve": "mcp server start run",
    }
)
"""By the line to write, what others call the command."""


class Parser(ArgumentParser):
    """An argument parser that raises instead of printing its usage and leaving."""

    def __init__(self, prog: str, description: str, **settings: Any) -> None:
        super().__init__(
            prog=prog,
            description=_filled(description),
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **settings,
        )
        self.add_argument("--version", action="version", version=f"ujsx {__version__}")
        define_paging(self)

    def read(self, arguments: Sequence[str]) -> Namespace:
        """Return the options that ``arguments`` stand for.

        :raises UsageError: for arguments that the command does not take.

        >>> Parser("ujsx demo", "").read(["--verison"])
        Traceback (most recent call last):
        hud_runtime.cli._commands.UsageError: there is no --verison; did you mean "--version"?
        """
        arguments = [*self._renamed(arguments)]
        self._refuse_names_of_places(arguments)
        options, unknown = self.parse_known_args(arguments)
        if unknown:
            name = unknown[0].partition("=")[0]
            if not name.startswith("-"):
                self.error(f'"{name}" is one argument too many')
            known = {each.lstrip("-"): each for each in self._option_string_actions}
            match = nearest(name.lstrip("-"), known)
            hint = f'did you mean "{known[match]}"?' if match else f"see {self.prog} --help"
            raise UsageError(f"there is no {name}; {hint}")
        return options

    def _renamed(self, arguments: Sequence[str]) -> Iterator[str]:
        """Yield the arguments, with options that other commands call otherwise under this one's names."""
        known, is_option = self._option_string_actions, True
        for given in arguments:
            is_option = is_option and given != "--"
            name, is_set, value = given.partition("=")
            meant = (each for each, others in OPTIONS.items() if name in others.split())
            own = next((each for each in meant if each in known), name)
            yield given if name in known or not is_option else f"{own}{is_set}{value}"

    def _refuse_names_of_places(self, arguments: Sequence[str]) -> None:
        """Raise for an option that is named like an argument which other commands take as one."""
        places = [each for each in self._actions if not each.option_strings]
        names = {f"--{each.dest}" for each in places} - self._option_string_actions.keys()
        for given in arguments:
            name = given.partition("=")[0]
            if given == "--":
                return
            if name in names:
                needed = [str(each.metavar or each.dest) for each in places if each.nargs != "?"]
                usage = " ".join([self.prog, *needed])
                raise UsageError(f"there is no {name}; it is given by its place: {usage}")

    def error(self, message: str) -> NoReturn:
        """Raise the sentence that argparse has for what is wrong."""
        raise UsageError(f"{message}; see {self.prog} --help")


def _filled(text: str) -> str:
    """Break each paragraph where the terminal ends."""
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH) - 2  # as argparse has it
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(textwrap.fill(" ".join(each.split()), width) for each in paragraphs)


def one_of(name: str, known: Sequence[str], what: str) -> str:
    """Return ``name`` if it is known.

    :raises UsageError: if not; the message names the nearest.

    >>> one_of("compct", ["full", "compact"], "density")
    Traceback (most recent call last):
    hud_runtime.cli._commands.UsageError: "compct" is no density; did you mean "compact"?
    """
    if name not in known:
        raise UsageError(f'"{name}" is no {what}; {did_you_mean(name, known)}')
    return name


def number(text: str) -> int:
    """Read a whole number from the command line."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is no whole number') from None


def budget(text: str) -> Budget:
    """Read a number of tokens, or "off"."""
    return "off" if text == "off" else _tokens(text, ', and not "off"')


def tokens(text: str) -> int:
    """Read a number of tokens."""
    return _tokens(text)


def _tokens(text: str, nor: str = "") -> int:
    from ujsx import UjsxError
    from ujsx.rendering import token_budget

    try:
        return token_budget(int(text))
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is no number of tokens{nor}') from None
    except UjsxError as error:
        raise ArgumentTypeError(str(error)) from None


def turn_of(asked: int | None, turns: int) -> int:
    """Return the turn that was asked for, or the last.

    :raises UsageError: for a turn that the session does not have.

    >>> turn_of(None, 3), turn_of(0, 3)
    (3, 0)
    """
    if asked is None:
        return turns
    if not 0 <= asked <= turns:
        raise UsageError(f"there is no turn {asked}; this session has turns 0 to {turns}")
    return asked


def define_json(parser: ArgumentParser, what: str) -> None:
    """Let the user ask for data.

    :param what: what is printed then.
    """
    parser.add_argument("--json", action="store_true", help=f"print {what}")


# The domain that a command works with: that of `--domain`, or the coding HUD's.

OPTION = "--domain"

WITH = "--with"
"""The option that names a module of components."""

FOUND = "the module is found if it is installed, or its folder is in PYTHONPATH"
"""Where an object's module is looked for by a command that a host starts, as the help has it."""

FOUND_HERE = "a module is looked for where it is installed, in PYTHONPATH, and last in this folder"
"""Where it is looked for by a command that a person types."""

NAME_IT = f"name it: {OPTION} package.module:NAME or file.py:NAME"
"""What to do where a session's domain is not at hand."""


def define_domain(parser: ArgumentParser, *, what: str = "the domain of its sessions") -> None:
    """Add the option that names a domain.

    :param what: what the domain is to the command.
    """
    form, found = _form()
    parser.add_argument(
        OPTION, metavar="NAME", help=f"{what}, {form} (default: the coding HUD's); {found}"
    )


def _form() -> tuple[str, str]:
    """How a domain is named, and where it is looked for."""
    from hud_runtime.projects import FORMS

    given = _asked.get()
    return FORMS, FOUND if given is not None and given.folder is None else FOUND_HERE


class _AskedDomain:
    """The domain that the arguments name. It is found once: a command asks for it at every field."""

    def __init__(
        self,
        name: str | None = None,
        modules: tuple[str, ...] = (),
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self.modules = modules
        self.folder = folder
        """Where a person has typed the command; None for one that a host starts."""

    @cached_property
    def domain(self) -> Domain[Any]:
        return domain_of(self.name, folder=self.folder)

    @cached_property
    def components(self) -> tuple[type[Component], ...]:
        own = self.domain.components
        if not (own or self.modules):
            return ()
        from hud_runtime.projects import load_components
        from hud_runtime.session._look import check_components

        for name in self.modules:
            own += load_components(name, folder=self.folder)
        own = tuple(dict.fromkeys(own))
        check_components(own, self.domain.state)
        return own


_asked: ContextVar[_AskedDomain | None] = ContextVar("domain", default=None)


@contextmanager
def asked_in(
    arguments: Sequence[str], folder: Path | None, *, takes_paths: bool = False
) -> Generator[None]:
    """Let :func:`domain` and :func:`own_components` be those that arguments ask for: what a command takes may follow.

    :param folder: where they were typed by a person; None for what a host starts.
    :param takes_paths: whether a file's path may begin in the working folder even so.
    :raises UsageError: where the option has no value.
    """
    names, modules = _values(arguments, OPTION)[:1], _values(arguments, WITH)
    if takes_paths and (names or modules):
        from hud_runtime.projects import with_whole_path

        names, modules = ([*map(with_whole_path, each)] for each in (names, modules))
    token = _asked.set(_AskedDomain(next(iter(names), None), tuple(modules), folder))
    try:
        yield
    finally:
        _asked.reset(token)


def _values(arguments: Sequence[str], option: str) -> list[str]:
    found: list[str] = []
    for place, each in enumerate(arguments):
        if each == "--":
            break
        if each.startswith(f"{option}="):
            found.append(each.removeprefix(f"{option}="))
        if each == option:
            if place + 1 == len(arguments):
                form = "package.module or file.py" if option == WITH else _form()[0]
                raise UsageError(f"{option} needs a value, {form}")
            found.append(arguments[place + 1])
    return found


def asked() -> str | None:
    """Return the name of the domain that the command was given, if it was."""
    given = _asked.get()
    return None if given is None else given.name


def asked_modules() -> tuple[str, ...]:
    """Return the names of the modules whose components layouts may hold, as the command was given them."""
    given = _asked.get()
    return () if given is None else given.modules


def own_components() -> tuple[type[Component], ...]:
    """Return the components of the domain and of the modules that are asked for.

    :raises ProjectError: for a module that is not there, cannot be imported, or has no components.
    :raises UjsxError: for a component that has the name of another.
    """
    return (_asked.get() or _AskedDomain()).components


def asked_name() -> tuple[str | None, Path | None]:
    """Return the name of the domain that is asked for, and the folder in which :func:`domain` looks for it, too.

    The name is None for the coding HUD's, the folder for one that nobody has typed.
    """
    return asked(), None if asked() is None else typed_in()


def typed_in() -> Path | None:
    """Return the folder in which a person has typed the command; None for one that a host starts."""
    given = _asked.get()
    return None if given is None else given.folder


def domain() -> Domain[Any]:
    """Return the domain that is asked for.

    :raises UsageError: for what is no domain.
    :raises ProjectError: for a module that is not there or cannot be imported.
    """
    return (_asked.get() or _AskedDomain()).domain


def domain_of(name: str | None, *, folder: Path | None = None) -> Domain[Any]:
    """Return the domain that a module calls by that name; the coding HUD's for None.

    :param folder: as :func:`load_object` takes it.
    :raises UsageError: for what is no domain.
    :raises ProjectError: for a module that is not there or cannot be imported.
    """
    from hud_components import CODING, Domain

    if name is None:
        return CODING
    from hud_runtime.projects import kind_of, load_object

    found = load_object(name, folder=folder)
    if isinstance(found, Domain):
        given: Domain[Any] = found  # pyright: ignore[reportUnknownVariableType]
        return given
    raise UsageError(f"{name} is {kind_of(found)}, and no Domain")


class Runnable(Protocol):
    """What does a command, beside its docstring, which is what its help says: a module, or a class."""

    def define(self, parser: ArgumentParser) -> None:
        """Add the subcommand's arguments."""
        ...

    def run(self, options: Namespace) -> int:
        """Do what the arguments ask for, and return the exit status."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, or an action of one."""

    name: str
    place: str
    """What does it: a module of this package, or a class in one (``module:class``)."""
    summary: str
    """What it does, in a line."""
    is_of_hosts: bool = False
    """Whether hosts start it, in whatever folder they work in: no module is looked for there."""
    takes_paths: bool = False
    """Whether its user names a file all the same, by a path that begins there."""

    def load(self) -> Runnable:
        """Import what does it."""
        module, _, name = self.place.partition(":")
        found = import_module(f"hud_runtime.cli.{module}")
        return cast("Runnable", getattr(found, name) if name else found)

    def run(self, before: str, arguments: Sequence[str]) -> int:
        """Do it, and return the exit status.

        :param before: what was typed before its name.
        """
        folder = None if self.is_of_hosts else Path.cwd()
        with asked_in(arguments, folder, takes_paths=self.takes_paths):
            return self._run(before, arguments)

    def _run(self, before: str, arguments: Sequence[str]) -> int:
        found = self.load()
        parser = Parser(f"{before} {self.name}", f"{found.__doc__}")
        found.define(parser)
        return found.run(parser.read(arguments))


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("demo", "_demo", "show a bundled session's HUD, tree and tool"),
        Command("replay", "_hud:ReplayTranscript", "show the HUD of a transcript at any turn"),
        Command("render", "_render", "render a layout: Markdown with component tags"),
        Command(
            "preview", "_preview:PreviewPage", "show what you author in the browser, as it changes"
        ),
        Command(
            "watch", "_preview:WatchSubject", "show what you author in the terminal, as it changes"
        ),
        Command("explain", "_explain", "show what a budget is spent on, and why"),
        Command("layout", "_layout", "check a layout document"),
        Command("snapshots", "_completion:SNAPSHOTS", "show what changed in snapshots of HUDs"),
        Command("hud", "_hud:ShowHud", "show the HUD of a session, now or at any turn"),
        Command("deliver", "_deliver", "print what to send of a HUD, and no more"),
        Command("cost", "_cost", "print what a HUD costs, and what it would cost"),
        Command("record", "_record", "record an event in a session"),
        Command("session", "_completion:SESSION", "list, follow, move and delete sessions"),
        Command("store", "_completion:STORE", "back up, restore and repair a store"),
        Command("prune", "_prune", "print what is left of a tool's output"),
        Command("history", "_completion:HISTORY", "browse past sessions of OpenCode"),
        Command("edit", "_edit", "edit the HUD of a session in your editor"),
        Command("schema", "_schema", "print a component as a tool definition"),
        Command("parse", "_parse", "print Markdown as a tree, in JSON"),
        Command("format", "_format", "write Markdown files in canonical form"),
        Command("new", "_completion:NEW", "write a domain or a component to go on from"),
        Command("install", "_install:Install", "give a coding agent a HUD", True, takes_paths=True),
        Command("uninstall", "_install:Uninstall", "take the HUD out of a coding agent", True),
        Command("hook", "_bridge:Hook", "answer a hook of a coding agent", True),
        Command(
            "statusline",
            "_bridge:ShowStatusLine",
            "print the HUD's state in a line, for a host",
            True,
        ),
        Command("bridge", "_bridge", "answer hooks from one process for all sessions", True),
        Command(
            "serve",
            "_serve:Serve",
            "serve the HUD to an MCP client, or over HTTP to many",
            True,
            takes_paths=True,
        ),
        Command("token", "_completion:TOKEN", "say who may use a server over HTTP"),
        Command(
            "instructions",
            "_serve:Instructions",
            "print what to tell an agent of its HUD",
        ),
        Command("completion", "_completion", "print what lets a shell complete all this"),
        Command("doctor", "_doctor", "check what ujsx finds on this machine"),
    )
}
"""The subcommands by name, in the order in which the help shows them."""


def command_of(name: str) -> Command:
    """Return the subcommand of that name.

    :raises UsageError: if there is none; the message names the nearest.

    >>> command_of("relpay")
    Traceback (most recent call last):
    hud_runtime.cli._commands.UsageError: "relpay" is no command; did you mean "replay"?
    """
    if name not in COMMANDS:
        line = next((line for line, others in ELSEWHERE.items() if name in others.split()), "")
        hint = f"write {line}" if line else did_you_mean(name, COMMANDS)
        raise UsageError(f'"{name}" is no command; {hint}')
    return COMMANDS[name]

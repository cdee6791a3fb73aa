"""The table of subcommands, and the handling of arguments before they are parsed."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from pkgutil import get_data
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from ujsx.errors import UjsxError, did_you_mean, listed, nearest, synonym

if TYPE_CHECKING:
    from hud_components import Domain
    from ujsx import Component

# Nothing here loads Click: a hook of a host waits for what this module imports.
#
# ::
#
#     UjsxError
#     └── UsageError    arguments or files that the command cannot use (ValueError)


class UsageError(UjsxError, ValueError):
    """Arguments or files that the command cannot use; its message is one sentence."""


class Options(SimpleNamespace):
    """A command's values, each under the name of its argument or option."""


def one_of(name: str, known: Sequence[str], what: str) -> str:
    """Return ``name`` if it is known.

    :raises UsageError: if not, with the nearest name.

    >>> one_of("compct", ["full", "compact"], "density")
    Traceback (most recent call last):
    hud_runtime.cli._commands.UsageError: "compct" is not a density; did you mean "compact"?
    """
    if name not in known:
        article = "an" if what[0] in "aeiou" else "a"
        raise UsageError(f'"{name}" is not {article} {what}; {did_you_mean(name, known)}')
    return name


def no_option(name: str, known: Sequence[str], program: str) -> str:
    """Return the message for an option that a program does not have."""
    line = next((line for line, others in INSTEAD.items() if name in others.split()), "")
    words = {each.strip("-"): each for each in known}
    match = synonym(name, known) or words.get("" if line else nearest(name.strip("-"), words) or "")
    its = listed([each for each in known if each.startswith("--")])
    hint = f'did you mean "{match}"?' if match else f"there are {its}; see {program} --help"
    return f"there is no {name}; {f'write {line}' if line and not match else hint}"


def turn_of(asked: int | None, turns: int) -> int:
    """Return the requested turn, or the last.

    :raises UsageError: for a turn beyond the session's last.

    >>> turn_of(None, 3), turn_of(0, 3)
    (3, 0)
    """
    if asked is None:
        return turns
    if not 0 <= asked <= turns:
        raise UsageError(f"there is no turn {asked}; this session has turns 0 to {turns}")
    return asked


# The domain that a command works with: that of `--domain`, or the coding HUD's.

OPTION = "--domain"

WITH = "--with"
"""The option for a module of components."""

FOUND = "the module is found if it is installed, or its folder is in PYTHONPATH"
"""The help's note on where a host's command searches an object's module."""

FOUND_HERE = "a module is looked for where it is installed, in PYTHONPATH, and last in this folder"
"""The help's note on where a person's command searches it."""

NAME_IT = f"name it: {OPTION} package.module:NAME or file.py:NAME"
"""The advice for a session whose domain is not loaded."""


@dataclass(frozen=True)
class _AskedDomain:
    """The domain in the arguments, found once: a command uses it for every field."""

    name: str | None = None
    modules: tuple[str, ...] = ()
    folder: Path | None = None
    """The folder in which a person typed the command; None for a host's command."""

    @cached_property
    def domain(self) -> Domain[Any]:
        return domain_of(self.name, folder=self.folder)

    @cached_property
    def components(self) -> tuple[type[Component], ...]:
        own = self.domain.components
        if not (own or self.modules):
            return ()
        from hud_runtime.projects import load_components
        from hud_runtime.session._render_options import check_components

        for name in self.modules:
            own += load_components(name, folder=self.folder)
        own = tuple(dict.fromkeys(own))
        check_components(own, self.domain.state)
        return own


_NOT_ASKED = _AskedDomain()

_asked: ContextVar[_AskedDomain] = ContextVar("domain", default=_NOT_ASKED)


@contextmanager
def asked_in(
    arguments: Sequence[str], folder: Path | None, *, takes_paths: bool = False
) -> Generator[None]:
    """Make :func:`domain` and :func:`own_components` those of the arguments, which may include a command's
    own.

    :param folder: the folder in which a person typed them; None for a host's command.
    :param takes_paths: whether a file's path may be relative to the working folder all the same.
    :raises UsageError: if the option has no value.
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
                from hud_runtime.projects import FORMS

                form = "package.module or file.py" if option == WITH else FORMS
                raise UsageError(f"{option} needs a value, {form}")
            found.append(arguments[place + 1])
    return found


def asked() -> str | None:
    """Return the name of the requested domain, if any."""
    return _asked.get().name


def repeated(store: str | None) -> str:
    """Return the options for the store and the domain that the next command also needs, each after a space."""
    given = (("store", store), ("domain", asked()))
    return "".join(f" --{name} {shlex.quote(value)}" for name, value in given if value)


def asked_modules() -> tuple[str, ...]:
    """Return the names of the requested modules with components for layouts."""
    return _asked.get().modules


def own_components() -> tuple[type[Component], ...]:
    """Return the components of the requested domain and modules.

    :raises ProjectError: for a module that is missing, cannot be imported, or has no components.
    :raises UjsxError: for components with the same name.
    """
    return _asked.get().components


def asked_name() -> tuple[str | None, Path | None]:
    """Return the name of the requested domain, and the folder in which :func:`domain` also searches it.

    The name is None for the coding HUD's; the folder is None for a host's command.
    """
    return asked(), None if asked() is None else typed_in()


def typed_in() -> Path | None:
    """Return the folder in which a person typed the command; None for a host's command."""
    return _asked.get().folder


def domain() -> Domain[Any]:
    """Return the requested domain.

    :raises UsageError: for anything but a domain.
    :raises ProjectError: for a module that is missing or cannot be imported.
    """
    return _asked.get().domain


def domain_of(name: str | None, *, folder: Path | None = None) -> Domain[Any]:
    """Return the domain with a name in a module; the coding HUD's for None.

    :param folder: as :func:`load_object` takes it.
    :raises UsageError: for anything but a domain.
    :raises ProjectError: for a module that is missing or cannot be imported.
    """
    from hud_components import CODING, Domain

    if name is None:
        return CODING
    from hud_runtime.projects import kind_of, load_object

    found = load_object(name, folder=folder)
    if isinstance(found, Domain):
        given: Domain[Any] = found  # pyright: ignore[reportUnknownVariableType]
        return given
    raise UsageError(f"{name} is {kind_of(found)}, not a Domain")


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, an action of one, or a subcommand that is a group of actions."""

    name: str
    place: str
    """Its function: ``run`` of a module of this package, or another one (``module:function``)."""
    summary: str
    """Its description, in a line."""
    is_of_hosts: bool = False
    """True if hosts start it, in any folder: modules are not searched there."""
    takes_paths: bool = False
    """True if its user names a file all the same, by a relative path."""
    is_hidden: bool = False
    """True if only hosts call it: the help does not list it, and it does not load Click."""
    actions: tuple[Command, ...] = ()
    about: str = ""
    """The help of a group."""


def _group(name: str, summary: str, about: str, *actions: Command) -> Command:
    return Command(name, "", summary, actions=actions, about=about)


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("demo", "_demo", "show a recorded session's HUD as its context fills up"),
        Command("hud", "_hud:show_hud", "show the HUD of a session or a transcript, at any turn"),
        Command("explain", "_cost:explain_budget", "show what a budget is spent on, and why"),
        Command("cost", "_cost:show_cost", "print what a HUD costs, and what it would cost"),
        Command("deliver", "_hud:deliver_hud", "print the part of a HUD to send next"),
        Command("record", "_record", "record an event in a session"),
        Command("edit", "_hud:edit_hud", "edit the HUD of a session in your editor"),
        _group(
            "session",
            "list, show, follow, move and delete sessions",
            """List, show, follow, export, archive and delete the sessions of a store.

            Name a session by its id, or by a folder: `.` is the newest session that began in the
            current one. `project:NAME` has the items with which a project's new sessions start.
            """,
            Command("list", "_session:list_sessions", "list the sessions, the last used first"),
            Command("show", "_session:show", "show a session, or one part of it"),
            Command("tail", "_session:tail", "print the last events, and follow"),
            Command("search", "_session:search_sessions", "find events by their words"),
            Command("export", "_session_files:export_session", "write a session as a file"),
            Command("import", "_session_files:import_session", "read a session from a file"),
            Command("archive", "_session:archive_session", "compress old events"),
            Command("purge", "_session:purge", "delete sessions for good"),
            Command("erase", "_session:erase", "erase the texts of one event for good"),
        ),
        _group(
            "store",
            "back up, restore, repair and clean a store",
            """Back up a store while it is in use, restore a backup, repair a damaged store.

            A copy of `hud.db` alone lacks the newest writes and the archive.
            """,
            Command("backup", "_store:backup", "copy the store while it is in use"),
            Command("restore", "_store:restore", "put a backup back"),
            Command("repair", "_store:repair_store", "save what can be read of a damaged one"),
            Command("sweep", "_store:sweep", "delete old outputs, sessions, or the log"),
            Command("outbox", "_store:in_outbox", "events that wait for a server"),
            Command("copy", "_store:copy", "copy it whole, to a file or a database server"),
            Command("role", "_store:role", "print the rights that a database role needs"),
        ),
        _group(
            "history",
            "browse past sessions of OpenCode",
            """Browse OpenCode's past sessions; its database is only read.

            It may be in use. A session is named by its id, the id's beginning, or `last`.
            """,
            Command(
                "list", "_history:list_history", "list sessions, the last used first, or plans"
            ),
            Command(
                "show", "_history:show_history", "print a session as a transcript, or a part of it"
            ),
            Command("search", "_history:search_history", "find messages by their words"),
        ),
        Command(
            "render",
            "_render:render_layout",
            "render or check a layout: Markdown with component tags",
        ),
        Command("preview", "_authoring:preview_subject", "show what you author, as it changes"),
        Command("new", "_authoring:write_new", "write a starter domain or component"),
        Command("snapshots", "_authoring:show_snapshots", "show what changed in snapshots of HUDs"),
        Command("schema", "_authoring:show_schema", "print a component as a tool definition"),
        Command("parse", "_render:parse_markdown", "print Markdown as a tree, in JSON"),
        Command("format", "_format", "write Markdown files in canonical form"),
        Command("install", "_install:install", "give a coding agent a HUD", True, takes_paths=True),
        Command("uninstall", "_install:uninstall", "take it out again", True),
        Command(
            "serve",
            "_serve:serve",
            "serve the HUD to an MCP client, or over HTTP to many",
            True,
            takes_paths=True,
        ),
        _group(
            "token",
            "manage the tokens of a server over HTTP",
            """Make, list and revoke the tokens for `ujsx serve --http`, each for one project.

            They are stored as hashes in a file that only you can read. A token is shown once, when
            it is made.
            """,
            Command("add", "_serve:add_token", "make one, and print it"),
            Command("list", "_serve:listed", "list them, without what is secret"),
            Command("revoke", "_serve:revoke", "revoke one"),
        ),
        Command("doctor", "_doctor", "check what ujsx finds on this machine"),
        Command("hook", "", "answer a hook of a coding agent", True, is_hidden=True),
        Command("statusline", "", "print the HUD's state, for a host", True, is_hidden=True),
        Command("bridge", "", "answer hooks from one process", True, is_hidden=True),
    )
}
"""The subcommands by name, in the order of the help."""


def _spellings(table: str) -> Mapping[str, str]:
    """Return the words of a table in ``hud_runtime/data/spellings.tsv``, by their meaning here."""
    rows = (line.split("\t") for line in _SPELLINGS.splitlines())
    return {row[1]: row[2] for row in rows if row[0] == table}


_SPELLINGS = cast("bytes", get_data("hud_runtime", "data/spellings.tsv")).decode()

OTHER_OPTIONS = _spellings("option")
"""Other programs' names of options, for commands with the option, but none with the other name."""

INSTEAD = _spellings("instead")
"""Other programs' names of options, by the line to write where a command has no such option."""

ELSEWHERE = _spellings("elsewhere")
"""Other programs' names of commands, by the line to write; an action follows its group's name."""

OLD_SPELLINGS = _spellings("old")
"""Former beginnings of commands, each with its replacement; they still work."""

ALSO_CALLED = _spellings("also")
"""Aliases of commands, which work too."""


def in_new_words(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return arguments with a former spelling replaced.

    >>> in_new_words(["session", "context", "shop"])
    ('session', 'show', '--context', 'shop')
    """
    if [*arguments[:1]] == ["help"]:
        return (*arguments[1:], "--help")
    also = {each: new for new, others in ALSO_CALLED.items() for each in others.split()}
    for count in (1, 2):
        new = {**also, **OLD_SPELLINGS}.get(" ".join(arguments[:count]))
        if new is not None:
            return (*new.split(), *arguments[count:])
    return tuple(arguments)

"""Print what lets a shell complete `ujsx`: its commands, their actions, options and values.

For bash, `source <(ujsx completion bash)` in ~/.bashrc; for zsh, the same with zsh in ~/.zshrc, after
compinit; for fish, `ujsx completion fish > ~/.config/fish/completions/ujsx.fish`.
"""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from hud_runtime.cli._arguments import Parser, one_of
from hud_runtime.cli._commands import COMMANDS, Command
from hud_runtime.cli._completion_scripts import SCRIPTS
from hud_runtime.cli._domain import asked_in
from hud_runtime.cli._groups import Group
from hud_runtime.cli._output import put

FILES: frozenset[str] = frozenset(
    {"FILE", "FILE_OR_ID", "LAYOUT", "NAME_OR_FILE", "SOCKET", "SUBJECT", "TARGET", "DIR", "FOLDER"}
)
"""What stands in the help for something that is looked for on the disk."""

VALUES: Mapping[str, str] = {
    "--density": "ujsx:Density",
    "cost --prices": "hud_runtime.delivery:PRICES",
    "completion SHELL": "hud_runtime.cli._completion_scripts:SCRIPTS",
    "deliver --mode": "hud_runtime.cli._deliver:MODES",
    "history export --as": "hud_runtime.cli._history_files:FORMS",
    "hud --agent-layouts": "hud_runtime.cli._hud:AGENT_LAYOUTS",
    "replay --agent-layouts": "hud_runtime.cli._hud:AGENT_LAYOUTS",
    "serve --agent-layouts": "hud_runtime.cli._serve:AGENT_LAYOUTS",
    "hook HOST": "hud_runtime.cli._hosts:BRIDGED",
    "install --mode": "hud_runtime.cli._deliver:MODES",
    "install HOST": "hud_runtime.cli._install:HOSTS",
    "layout ACTION": "hud_runtime.cli._layout:ACTIONS",
    "parse --engine": "hud_runtime.cli._parse:ENGINES",
    "parse --to": "hud_runtime.cli._parse:TARGETS",
    "prune --mode": "hud_runtime.cli._prune:MODES",
    "schema --dialect": "ujsx.schema:DIALECTS",
    "serve --host": "hud_runtime.cli._serve:BRIDGED",
    "session export --as": "hud_runtime.cli._session_files:FORMS",
    "uninstall HOST": "hud_runtime.cli._install:HOSTS",
}
"""Where the values of an option, or of an argument, are listed, of those that have a list: of a command, or of all."""


SESSIONS: frozenset[str] = frozenset({"SESSION", "FILE_OR_ID", "SUBJECT"})
"""What stands in the help for a session of the store."""

OF_SESSIONS: frozenset[str] = frozenset({"--session", "--of"})
"""Options that take one."""

NO_SESSIONS: tuple[str, ...] = ("history", "session import --name")
"""Where the word means another one: of another program, or one that is not there yet."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...]
    """What it can be given, where that is a list."""
    is_file: bool
    is_session: bool


@dataclass(frozen=True, slots=True)
class Completed:
    """The words that can follow a command, or ``ujsx`` alone."""

    path: str
    """The command, such as ``session list``; empty for ``ujsx`` alone."""
    words: Mapping[str, str]
    """What can come next: commands, actions or values, each with what it does."""
    options: tuple[Option, ...]
    takes_files: bool = False
    takes_sessions: bool = False


def define(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", help=" or ".join(SCRIPTS))


def run(options: Namespace) -> int:
    put(SCRIPTS[one_of(options.shell, [*SCRIPTS], "shell that is known")](declared()))
    return 0


def declared() -> tuple[Completed, ...]:
    """Return what all commands take, as they declare it themselves."""
    top = Completed(
        "",
        {each.name: each.summary for each in COMMANDS.values()},
        (*_options(Parser("ujsx", ""), ""),),
    )
    with asked_in((), Path.cwd()):
        return (top, *_completed("", COMMANDS.values()))


def _completed(before: str, commands: Iterable[Command]) -> Iterator[Completed]:
    for command in commands:
        found, path = command.load(), f"{before} {command.name}".strip()
        parser = Parser(f"ujsx {path}", "")
        found.define(parser)
        options = (*_options(parser, path),)
        if isinstance(found, Group):
            words = {each.name: each.summary for each in found.actions.values()}
            yield Completed(path, words, options)
            yield from _completed(path, found.actions.values())
            continue
        places = [each for each in _actions(parser) if not each.option_strings]
        values = {value: "" for each in places for value in _values(path, each)}
        yield Completed(
            path,
            values,
            options,
            any(_is_file(each) for each in places),
            any(_is_session(path, each) for each in places),
        )


def _options(parser: ArgumentParser, path: str) -> Iterator[Option]:
    for each in _actions(parser):
        if each.option_strings and each.help != SUPPRESS:
            yield Option(
                tuple(each.option_strings),
                _summary(parser, each),
                each.nargs != 0,
                _values(path, each),
                _is_file(each),
                _is_session(path, each),
            )


def _actions(parser: ArgumentParser) -> list[Action]:
    return parser._actions  # noqa: SLF001  # argparse has no public name for what was declared


def _summary(parser: ArgumentParser, action: Action) -> str:
    """What the help says, in as much as fits beside a word: up to its first pause."""
    formatter = parser._get_formatter()  # noqa: SLF001  # what fills in "(default: %(default)s)"
    text = formatter._expand_help(action) if action.help else ""  # noqa: SLF001
    return text.split(";")[0].split(" (")[0].split(": ")[0].strip()


def _values(path: str, action: Action) -> tuple[str, ...]:
    names = action.option_strings or [str(action.metavar)]
    for name in names:
        place = VALUES.get(f"{path} {name}") or VALUES.get(name)
        if place is not None:
            module, _, listed = place.partition(":")
            return tuple(map(str, getattr(import_module(module), listed)))
    return ()


def _is_file(action: Action) -> bool:
    return action.metavar in FILES


def _is_session(path: str, action: Action) -> bool:
    names = action.option_strings or [""]
    if any(f"{path} {name}".startswith(NO_SESSIONS) for name in names):
        return False
    return action.metavar in SESSIONS or not OF_SESSIONS.isdisjoint(names)

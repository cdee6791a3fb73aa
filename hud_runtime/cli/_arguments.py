"""The arguments of a command: how they are read, and the one sentence that reports a mistake.

::

    UjsxError
    └── UsageError    arguments or files that the command cannot use (ValueError)
"""

from __future__ import annotations

import shutil
import textwrap
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from hud_runtime.cli._pager import define_paging
from ujsx import __version__
from ujsx.errors import UjsxError, did_you_mean, nearest

if TYPE_CHECKING:
    from hud_components import Budget


class UsageError(UjsxError, ValueError):
    """Arguments or files that the command cannot use; its message is one sentence."""


MAX_WIDTH = 100
"""Columns of a help text at most."""


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
        hud_runtime.cli._arguments.UsageError: there is no --verison; did you mean "--version"?
        """
        self._refuse_names_of_places(arguments)
        options, unknown = self.parse_known_args(arguments)
        if unknown:
            name = unknown[0].partition("=")[0]
            if not name.startswith("-"):
                self.error(f'"{name}" is one argument too many')
            match = nearest(name, self._option_string_actions)
            hint = f'did you mean "{match}"?' if match else f"see {self.prog} --help"
            raise UsageError(f"there is no {name}; {hint}")
        return options

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
    hud_runtime.cli._arguments.UsageError: "compct" is no density; did you mean "compact"?
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

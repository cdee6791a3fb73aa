"""The ``ujsx`` command: from arguments to an exit status, including all errors.

In: arguments. Out: text or JSON on standard output, remarks on standard error, an exit status. Each
subcommand is a function of a module in the table :data:`COMMANDS` (``_commands``), imported on its first
call, so that ``ujsx --version`` is fast. Its decorators declare the arguments for Click (``_click``); hosts'
commands (``_bridge``) do not load Click. Commands share the reading of files and stores (``_stored``), of
other subjects (``_target``), and the output (``_terminal``).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hud_runtime._errors import DomainError
from hud_runtime._progress import watching
from hud_runtime.cli._commands import (
    COMMANDS,
    NAME_IT,
    OLD_SPELLINGS,
    Command,
    UsageError,
    asked_in,
    in_new_words,
)
from hud_runtime.cli._terminal import (
    NO_PAGER,
    abandon,
    flush,
    paged,
    remark,
    screen,
    told,
    turn_off,
)
from ujsx.errors import UjsxError

__all__ = ["COMMANDS", "Command", "UsageError", "main"]

BAD_INPUT = 2
"""The exit status for invalid arguments or files."""

OF_COMMANDS: Mapping[str, int] = {"hook": 1}
"""The same for commands whose exit status has a meaning for a host: after 2 a hook blocks a prompt, after
1 its error is shown.
"""

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``ujsx`` command and return its exit status.

    :param arguments: ``None`` for those of the process.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    ujsx ...
    0
    """
    given = tuple(sys.argv[1:] if arguments is None else arguments)
    with paged(), watching(told):
        return _status(given)


def _status(given: tuple[str, ...]) -> int:
    try:
        status = _run(given)
        if screen() is None:
            flush()
    except BrokenPipeError:  # the reader has seen enough
        abandon()
        return 0
    except KeyboardInterrupt:
        abandon()
        return INTERRUPTED
    except DomainError as error:
        return _refuse(given, f"{error.what}; {NAME_IT}" if error.is_missing else str(error))
    except UjsxError as error:
        return _refuse(given, str(error))
    except OSError as error:  # a full disk, or no place for a temporary file
        abandon()
        place = f"{error.filename}: " if error.filename else "the output cannot be written: "
        return _refuse(given, f"{place}{error.strerror or error}")
    return status


def _run(arguments: tuple[str, ...]) -> int:
    if arguments[:1] == (NO_PAGER,):
        turn_off()
        return _run(arguments[1:])
    arguments = in_new_words(arguments)
    command = COMMANDS.get(_name_in(arguments))
    is_of_hosts = command is not None and command.is_of_hosts
    # The instructions are printed for the person who typed this, and installed nowhere.
    folder = None if is_of_hosts and "--print-instructions" not in arguments else Path.cwd()
    takes_paths = command is not None and command.takes_paths
    with asked_in(arguments, folder, takes_paths=takes_paths):
        if command is not None and command.is_hidden:
            from hud_runtime.cli._bridge import run_hosted

            return run_hosted(arguments)
        from hud_runtime.cli._click import run

        return run(arguments)


def _name_in(arguments: Sequence[str]) -> str:
    """The typed command; empty for none."""
    return next((each for each in arguments if each != NO_PAGER), "")


def _refuse(arguments: Sequence[str], sentence: str) -> int:
    name = _name_in(arguments)
    is_known = name in COMMANDS or name in OLD_SPELLINGS
    said = f"ujsx {name}: {sentence}" if is_known else f"ujsx: {sentence}"
    remark(said)
    if name == "serve":
        from hud_runtime.cli._serve import refuse_client

        refuse_client(arguments, said)
    return OF_COMMANDS.get(name, BAD_INPUT)

"""From arguments to an exit status, whatever happens on the way."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from hud_runtime._errors import DomainError
from hud_runtime._watched import watching
from hud_runtime.cli._commands import COMMANDS, NAME_IT, Parser, command_of
from hud_runtime.cli._terminal import NO_PAGER, abandon, flush, paged, put, remark, told, turn_off
from ujsx.errors import UjsxError

BAD_INPUT = 2
"""The exit status for arguments or files that cannot be used."""

OF_COMMANDS: Mapping[str, int] = {"hook": 1}
"""The same for commands of which a host reads more from it: with 2 a hook takes a prompt away, with 1 its error is shown."""

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``ujsx`` command and return its exit status.

    :param arguments: those of the process when ``None``.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    ujsx ...
    0
    """
    given = tuple(sys.argv[1:] if arguments is None else arguments)
    with paged(), watching(told):
        return _status(given)


def _status(given: Sequence[str]) -> int:
    try:
        status = _run(given)
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


def _run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] == NO_PAGER:
        turn_off()
        return _run(arguments[1:])
    try:
        if not arguments or arguments[0].startswith("-"):
            parser = _top_parser()
            parser.read(arguments)
            put(parser.format_help())
            return 0
        return command_of(arguments[0]).run("ujsx", arguments[1:])
    except SystemExit as done:  # argparse leaves this way after --help and --version
        return int(done.code or 0)


def _top_parser() -> Parser:
    width = max(map(len, COMMANDS)) + 2
    lines = "\n".join(f"  {each.name:<{width}}{each.summary}" for each in COMMANDS.values())
    return Parser(
        "ujsx",
        "Typed components for an agent's context: replay sessions, read trees, export tools.",
        usage="ujsx COMMAND [ARGUMENT ...]",
        epilog=f"commands:\n{lines}\n\n`ujsx COMMAND --help` says more about each.",
    )


def _refuse(arguments: Sequence[str], sentence: str) -> int:
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    said = f"{'ujsx' if name is None else f'ujsx {name}'}: {sentence}"
    remark(said)
    if name == "serve":
        from hud_runtime.cli._serve import refuse_client

        refuse_client(arguments, said)
    return BAD_INPUT if name is None else OF_COMMANDS.get(name, BAD_INPUT)

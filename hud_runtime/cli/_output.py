"""The command's output, fit for a terminal, a file or a pipe."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from hud_runtime._location import without_password
from hud_runtime.cli._pager import screen
from hud_runtime.cli._terminal import hush, style_for
from ujsx.text import one_line, visible

_ESCAPED: dict[int, str] = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""Characters that JSON may hold as they are, but that steer a terminal."""


def put(text: str) -> None:
    """Write ``text`` to standard output; what its encoding lacks is written as an escape."""
    try:
        _print(text, sys.stdout)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        _print(text.encode(encoding, "backslashreplace").decode(encoding), sys.stdout)


def put_json(data: object) -> None:
    """Write data as indented JSON."""
    put(json.dumps(data, indent=2, ensure_ascii=False).translate(_ESCAPED) + "\n")


def put_json_line(text: str) -> None:
    """Write a value that is JSON already as a line of its own."""
    put(text.rstrip("\n").translate(_ESCAPED) + "\n")


def put_line(text: str) -> None:
    """Write one line. Names and texts from outside cannot steer the terminal in it."""
    put_report(f"{inert(text)}\n")


def put_report(text: str) -> None:
    """Write lines and tables for people: a terminal gets them as it has room for them."""
    put(style_for().report(text))


def answer(data: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Write what came of a command: as data, or as lines of :func:`put_line`."""
    if as_json:
        put_json(data)
    else:
        for line in lines:
            put_line(line)


def remark(text: str) -> None:
    """Write one line to standard error. Names from outside cannot steer the terminal in it, nor show a password."""
    said = without_password(inert(text))
    lines, shown = style_for(sys.stderr).broken(said), screen()
    line = "".join(f"{each}\n" for each in lines)
    if shown is None:
        _print(line, sys.stderr)
    else:
        shown.remark(sys.stderr, line)


def is_attended() -> bool:
    """Tell whether somebody sits at the terminal and can be asked."""
    ends: tuple[TextIO | None, ...] = (sys.stdin, sys.stderr)  # None behind a closed descriptor
    return all(each is not None and each.isatty() for each in ends)


def ask(question: str) -> str | None:
    """Ask whoever sits at the terminal, and return the answer; ``None`` where nobody does."""
    if not is_attended():
        return None
    flush()
    _print(f"{inert(question)} ", sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def inert(text: str) -> str:
    r"""Return ``text`` on one line, with what would steer a terminal made visible.

    >>> inert("note\n\x1b[2J")
    'note ␛[2J'
    """
    return one_line(visible(text))


def flush() -> None:
    """Hand over what was written, while an error can still be told."""
    _print("", sys.stdout, flush=True)


def abandon() -> None:
    """Let nothing more reach standard output, not even at the interpreter's end."""
    with suppress(OSError, ValueError):  # in a test it may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str, stream: TextIO, *, flush: bool = False) -> None:
    hush()
    # Not stream.write: print is silent where the descriptor is closed and the stream None.
    print(text, end="", file=stream, flush=flush)

"""Write Markdown files in canonical form, in place.

Every file is read and formatted before the first is written. Nothing is written if a reader would
see something else in one of them than before. A file keeps its mode, its line ends and its front
matter.
"""

from __future__ import annotations

import difflib
import re
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from dataclasses import dataclass
from typing import Any

from hud_runtime.cli._files import STANDARD_INPUT, as_told, read_text, rewrite
from hud_runtime.cli._output import put, remark
from ujsx.mdast.to_markdown import ALLOWED

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines knows more line ends than Markdown
_NO_LINE_END = "\\ No newline at end of file\n"

WOULD_CHANGE = 1
"""The exit status of ``--check`` for a file that is not in canonical form."""


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """A file, what it holds, and what it would hold."""

    name: str
    old: str
    new: str

    @property
    def shown(self) -> str:
        return as_told(self.name)


def define(parser: ArgumentParser) -> None:
    parser.usage = f"{parser.prog} [OPTION ...] FILE [FILE ...]"
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a Markdown file, or - to read standard input and write standard output",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; name the files that would change and exit with 1 if there are any",
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    for name, allowed in ALLOWED.items():
        _define_option(parser, name, allowed)


def run(options: Namespace) -> int:
    from hud_runtime.cli._formatted import formatted
    from ujsx.mdast import Writer

    given = {name: getattr(options, name) for name in ALLOWED}
    chosen = {name: value for name, value in given.items() if value is not None}
    writer = Writer(**chosen)  # ``formatted`` compares more than ``verify`` would
    changes: list[FormattedFile] = []
    for name in options.files:
        text = read_text(name)
        changes.append(FormattedFile(name, text, formatted(text, as_told(name), writer)))
    if not (options.check or options.diff):
        _write(changes)
        return 0
    different = [change for change in changes if change.new != change.old]
    for change in different:
        put(_diff(change) if options.diff else f"{change.shown} would change\n")
    return WOULD_CHANGE if options.check and different else 0


def _define_option(parser: ArgumentParser, name: str, allowed: tuple[Any, ...]) -> None:
    flag = f"--{name.replace('_', '-')}"
    if True in allowed:
        parser.add_argument(flag, action=BooleanOptionalAction, default=None)
    elif allowed:
        values = " ".join([value for value in allowed if value is not None])
        parser.add_argument(flag, metavar="X", help=f"one of {values}")
    else:
        parser.add_argument(flag, metavar="N", type=int, help="3 or more")


def _write(changes: list[FormattedFile]) -> None:
    for change in changes:
        if change.name == STANDARD_INPUT:
            put(change.new)
        elif change.new != change.old:
            rewrite(change.name, change.new)
            remark(f"{change.name}: formatted")


def _diff(change: FormattedFile) -> str:
    """Return the change as a unified diff, as ``patch`` reads it."""
    old, new = _LINE.findall(change.old), _LINE.findall(change.new)
    lines = difflib.unified_diff(old, new, change.shown, f"{change.shown}, formatted")
    return "".join([line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}" for line in lines])

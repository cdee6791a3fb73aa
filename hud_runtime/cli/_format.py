"""Format Markdown files in place: what readers understand differently is rewritten, and named; all else keeps its bytes.

Options rewrite what they are about, and --canonical everything. A file in which a reader would see something else than
before is left as it is, and named with the first place, and so is one that cannot be read; the others are written.
"""

from __future__ import annotations

import difflib
import re
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from dataclasses import dataclass
from typing import Any

from hud_runtime._watched import watched
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._files import STANDARD_INPUT, as_told, read_text, rewrite
from hud_runtime.cli._format_cache import unchanged_texts
from hud_runtime.cli._format_settings import FormatSettings, markdown_files
from hud_runtime.cli._output import put, remark
from ujsx.mdast._extension import NAMES
from ujsx.mdast.to_markdown import ALLOWED
from ujsx.mdast.to_markdown._options import checked_options

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines knows more line ends than Markdown
_NO_LINE_END = "\\ No newline at end of file\n"

WOULD_CHANGE = 1
"""The exit status of ``--check`` for a file that would change."""

REFUSED = 2
"""The exit status where a file is left as it is: it cannot be read or written, or would mean something else."""


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
        help="a Markdown file, a folder with some, or - to read standard input and write standard output",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; name the files that would change and exit with 1 if there are any",
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    parser.add_argument(
        "--canonical",
        action=BooleanOptionalAction,
        default=None,
        help="rewrite everything in canonical form",
    )
    parser.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        help="leave out files of folders whose path, below the folder or the project, is like this, such as docs/old/*",
    )
    parser.add_argument(
        "--extensions",
        metavar="NAME",
        action="append",
        help=f"Markdown beyond GFM that the files have, one of {' '.join(NAMES)}; may be given again",
    )
    for name, allowed in ALLOWED.items():
        _define_option(parser, name, allowed)


def run(options: Namespace) -> int:
    settings = FormatSettings.of(options)
    checked_options(settings.options)
    changes: list[FormattedFile] = []
    refused = 0
    files = markdown_files(options.files, settings.exclude, settings.root)
    with unchanged_texts(settings) as unchanged:
        for name in watched(files, "formatting files"):
            try:
                text = read_text(name)
                new = text if text in unchanged else _formatted(text, name, settings)
            except UsageError as error:
                refused += 1
                _say(error)
            else:
                changes.append(FormattedFile(name, text, new))
                if new == text:
                    unchanged.add(text)
    different = [change for change in changes if change.new != change.old]
    writes = not (options.check or options.diff)
    same, changed = len(changes) - len(different), len(different)
    if writes:
        failed = _write(changes)
        refused, changed = refused + failed, changed - failed
    else:
        for change in different:
            put(_diff(change) if options.diff else f"{change.shown} would change\n")
    is_piped = writes and options.files == [STANDARD_INPUT]  # the text is the answer
    if not is_piped and (changed or same or not refused):  # what was refused alone is told
        remark(_summary(changed, same, refused, writes=writes))
    if refused:
        return REFUSED
    return WOULD_CHANGE if options.check and different else 0


def _formatted(text: str, name: str, settings: FormatSettings) -> str:
    """Return a file's text, formatted, and name what is rewritten in it."""
    from hud_runtime.cli._formatted import formatted
    from ujsx.mdast._extension import resolved

    found = formatted(
        text,
        as_told(name),
        settings.options,
        extensions=resolved(settings.extensions),
        canonical=settings.canonical,
    )
    for each in found.rewritten:
        remark(f"{as_told(name)}: line {each.line}: readers differ: {each.words}")
    return found.text


def _define_option(parser: ArgumentParser, name: str, allowed: tuple[Any, ...]) -> None:
    flag = f"--{name.replace('_', '-')}"
    if True in allowed:
        parser.add_argument(flag, action=BooleanOptionalAction, default=None)
    elif allowed:
        values = " ".join([value for value in allowed if value is not None])
        parser.add_argument(flag, metavar="X", help=f"one of {values}")
    else:
        parser.add_argument(flag, metavar="N", type=int, help="3 or more")


def _write(changes: list[FormattedFile]) -> int:
    """Write what changed, and return how many files could not be written."""
    failed = 0
    for change in changes:
        if change.name == STANDARD_INPUT:
            put(change.new)
        elif change.new != change.old:
            try:
                rewrite(change.name, change.new)
            except UsageError as error:
                failed += 1
                _say(error)
            else:
                remark(f"{change.name}: formatted")
    return failed


def _summary(changed: int, same: int, refused: int, *, writes: bool) -> str:
    """Return how many files there were of each kind, as formatters end what they say.

    >>> _summary(1, 12, 0, writes=False), _summary(0, 3, 1, writes=True)
    ('1 file would be formatted, 12 files already formatted', '3 files left unchanged, 1 file cannot be formatted')
    """
    kinds = (
        (changed, "formatted" if writes else "would be formatted"),
        (same, "left unchanged" if writes else "already formatted"),
        (refused, "cannot be formatted"),
    )
    parts = [f"{_files(count)} {what}" for count, what in kinds if count]
    return ", ".join(parts) or "there are no Markdown files"


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _say(error: UsageError) -> None:
    for line in f"ujsx format: {error}".split("\n"):
        remark(line)


def _diff(change: FormattedFile) -> str:
    """Return the change as a unified diff, as ``patch`` reads it."""
    old, new = _LINE.findall(change.old), _LINE.findall(change.new)
    lines = difflib.unified_diff(old, new, change.shown, f"{change.shown}, formatted")
    return "".join([line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}" for line in lines])

"""The files that a shell command touches, as far as its words tell.

This reads commands, it does not run a shell: what it cannot make sense of it leaves alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hud_runtime.observation._commands import COMMANDS, FileCommand
from hud_runtime.observation._edited_text import newest_line
from hud_runtime.observation._observations import FileEvent
from hud_runtime.observation._patches import BEGIN, patched
from hud_runtime.observation._shell_scripts import all_commands
from hud_runtime.observation._shell_words import Command, past_options
from hud_runtime.observation._written_by_code import written_by

PLAIN = re.compile(r"(?!/dev/|[-+]\w*$|-)[^*?$`{}<>|&;'\"\n\\\0]{0,400}[\w.)\]]")
"""A path as it stands: no pattern, no variable, no device, no quotation, no ``+359``."""

_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|deno|bun|tsx)")
_CODE = frozenset({"-c", "-e", "--eval", "-p"})


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a command opens, edits or removes; no path is the editor's open file."""

    event: FileEvent
    path: str | None
    change: str = ""
    """The text that an edit puts in, in a few words."""
    is_new: bool = False
    """Whether an edit makes the file."""


def touched(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> Iterator[Touched]:
    """Yield the files that a script touches, in its order.

    >>> [(one.event, one.path) for one in touched("cd src && cat a.py > b.py; rm -f c.py")]
    [('file.open', 'src/a.py'), ('file.edit', 'src/b.py'), ('file.close', 'src/c.py')]
    """
    first = script.split(maxsplit=1)[:1]
    if first and _is_editor(first[0], table):
        yield Touched(table[first[0]].event, None)
        return  # SWE-agent's editor commands take the rest of the text as theirs
    yield from touched_by(all_commands(script), table)


def touched_by(
    found: Iterable[Command], table: Mapping[str, FileCommand] = COMMANDS
) -> Iterator[Touched]:
    """Yield the files that commands touch, in their order."""
    directory = ""
    for command in found:
        words = command.words
        name = posixpath.basename(words[0]) if words else ""
        if name in ("cd", "pushd") and len(words) > 1:
            directory = posixpath.join(directory, words[-1])
            continue
        known = table.get(name)
        if known is not None and known.which == "open":
            yield Touched(known.event, None)
            return
        for event, path in (*_by_words(name, command, table), *_by_code(name, command)):
            if PLAIN.fullmatch(path) and len(path) < 400:
                text = command.text if path in command.written else ""
                yield Touched(event, posixpath.join(directory, path), newest_line(text))


def edits_open_file(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> bool:
    """Tell whether a script is a command of an editor, on the file that it has open."""
    words = script.split(maxsplit=1)
    return bool(words) and _is_editor(words[0], table)


def _is_editor(name: str, table: Mapping[str, FileCommand]) -> bool:
    known = table.get(name)
    return known is not None and known.which == "open"


def _by_words(
    name: str, command: Command, table: Mapping[str, FileCommand]
) -> Iterator[tuple[FileEvent, str]]:
    words = command.words
    known, rest = table.get(name), words[1:]
    if name == "git":
        operation, rest = git_operation(words)
        known = table.get(f"git {operation}")
    if known is not None:
        if known.which == "patch":
            text = command.text or next((one for one in rest if BEGIN in one), "")
            yield from patched(text)
        else:
            yield from _operands_of(known, rest)
    for path in command.written:
        yield "file.edit", path


def _by_code(name: str, command: Command) -> Iterator[tuple[FileEvent, str]]:
    if not _INTERPRETERS.fullmatch(name):
        return
    words = command.words
    code = [words[place + 1] for place, one in enumerate(words[:-1]) if one in _CODE]
    for path in written_by("\n".join((command.text, *code))):
        yield "file.edit", path


def git_operation(words: list[str]) -> tuple[str, list[str]]:
    """Return what git is to do, and the words behind it.

    >>> git_operation(["git", "-C", "/app", "push", "-u", "origin"])
    ('push', ['-u', 'origin'])
    """
    operation, *rest = past_options(words[1:], _OF_GIT) or [""]
    return operation, rest


_OF_GIT = frozenset(["-C", "-c", "--git-dir", "--work-tree"])


def _values_of(options: frozenset[str], words: list[str]) -> Iterator[str]:
    """Yield the values of options: ``-o a``, ``-sSLo a``, ``--output=a``, ``of=a``."""
    for place, word in enumerate(words):
        option, is_set, value = word.partition("=")
        if is_set and option in options:
            yield value
        elif place + 1 < len(words) and (
            word in options or (re.fullmatch(r"-\w+", word) and f"-{word[-1]}" in options)
        ):
            yield words[place + 1]


def _operands_of(known: FileCommand, words: list[str]) -> Iterator[tuple[FileEvent, str]]:
    if known.into:
        for value in _values_of(known.into, words):
            yield known.event, value
        return
    operands, options = split_options(words, known.takes)
    operands = [one for one in operands if one]  # an empty one is the suffix that sed -i takes
    event = known.event
    if known.only_with and not any(_has(options, one) for one in known.only_with):
        if not known.reads_without:
            return
        event = "file.open"
    if known.script_in and not any(_has(options, one) for one in known.script_in):
        operands = operands[1:]
    match known.which:
        case "first":
            operands = operands[:1]
        case "last":
            operands = operands[-1:]
        case "rest":
            operands = operands[1:]
        case "move" | "copy":
            yield from _moved(known, operands)
            return
        case "named":
            operands = [one for one in operands if posixpath.splitext(one)[1]]
        case "revision":
            operands = [one.partition(":")[2] for one in operands if ":" in one]
        case _:
            pass
    for path in operands:
        yield event, path


def _moved(known: FileCommand, operands: list[str]) -> Iterator[tuple[FileEvent, str]]:
    if len(operands) < 2:
        return
    *sources, target = operands
    for source in sources:
        yield ("file.close" if known.which == "move" else "file.open"), source
        into = len(sources) > 1 or target.endswith("/") or target in (".", "..")
        name = posixpath.basename(source.rstrip("/"))
        yield "file.edit", posixpath.join(target, name) if into else target


def split_options(
    words: Iterable[str], takes: frozenset[str] = frozenset()
) -> tuple[list[str], list[str]]:
    """Return the operands among a command's words, and its options.

    A number behind an option is its value: ``head -n 5``.
    """
    operands: list[str] = []
    options: list[str] = []
    rest = iter(words)
    option = False
    for word in rest:
        if word == "--":
            operands.extend(rest)
            break
        if word.startswith("-") and len(word) > 1:
            options.append(word)
            if word in takes or (word[1] != "-" and f"-{word[-1]}" in takes and word[1:].isalnum()):
                next(rest, None)
            option = True
        else:
            if not (option and word.isdecimal()):
                operands.append(word)
            option = False
    return operands, options


def _has(options: list[str], wanted: str) -> bool:
    if wanted.startswith("--"):
        return any(one == wanted or one.startswith(f"{wanted}=") for one in options)
    letter = wanted[1:]
    return any(
        one.startswith(wanted) or (letter in one[1:] and one[1:].isalnum()) for one in options
    )

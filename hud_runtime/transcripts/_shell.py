"""The files that a shell command touches, as far as its words tell.

This reads commands, it does not run a shell: what it cannot make sense of it leaves alone.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hud_runtime.transcripts._tools import COMMANDS, FileCommand, FileEvent

SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "(", ")"})
REDIRECTIONS = frozenset({">", ">>", ">|"})
PLAIN = re.compile(r"(?!/dev/)[^*?$`{}<>|&;]*[\w.]")
"""A path as it stands: no pattern, no variable, no device."""

STREAMS = re.compile(r"&?\d?>(?:&\d|\s*/dev/\w+)")
"""Redirections that write no file."""

HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a command opens, edits or removes; no path is the editor's open file."""

    event: FileEvent
    path: str | None


def touched(script: str, commands: Mapping[str, FileCommand] = COMMANDS) -> Iterator[Touched]:
    """Yield the files that a script touches, in its order.

    >>> [(one.event, one.path) for one in touched("cd src && cat a.py > b.py; rm -f c.py")]
    [('file.open', 'src/a.py'), ('file.edit', 'src/b.py'), ('file.close', 'src/c.py')]
    """
    directory = ""
    for words in _commands(script):
        name, operands, written = _parts(words)
        if name == "cd" and operands:
            directory = posixpath.join(directory, operands[0])
            continue
        known = commands.get(name)
        if known is not None and known.which == "open":
            yield Touched(known.event, None)
            return  # SWE-agent's editor commands take the rest of the text as theirs
        files: list[tuple[FileEvent, str]] = []
        if known is not None:
            files = [(known.event, path) for path in _files(known, operands)]
        edited: list[tuple[FileEvent, str]] = [("file.edit", path) for path in written]
        for event, path in (*files, *edited):
            if PLAIN.fullmatch(path):
                yield Touched(event, posixpath.join(directory, path))


def edits_open_file(script: str, commands: Mapping[str, FileCommand] = COMMANDS) -> bool:
    """Tell whether a script is a command of an editor, on the file that it has open."""
    words = script.split(maxsplit=1)
    known = commands.get(words[0]) if words else None
    return known is not None and known.which == "open"


def _files(command: FileCommand, operands: list[str]) -> list[str]:
    match command.which:
        case "first":
            return operands[:1]
        case "last":
            return operands[-1:]
        case _:
            return operands


def _parts(words: list[str]) -> tuple[str, list[str], list[str]]:
    operands: list[str] = []
    written: list[str] = []
    rest = iter(words[1:])
    option = False
    for word in rest:
        if word in REDIRECTIONS:
            written.extend(filter(None, [next(rest, None)]))
        elif word.startswith("<"):
            next(rest, None)
        elif not word.startswith("-") and not (option and word.isdecimal()):
            operands.append(word)
        option = word.startswith("-")  # a number after an option is its value: head -n 5
    return posixpath.basename(words[0]), operands, written


def _commands(script: str) -> Iterator[list[str]]:
    lines = iter(script.splitlines())
    for line in lines:
        words: list[str] = []
        for word in _words(line):
            if word in SEPARATORS:
                if words:
                    yield words
                words = []
            else:
                words.append(word)
        if words:
            yield words
        heredoc = HEREDOC.search(line)
        if heredoc:
            # The text of a here-document is data, up to its end mark.
            for text in lines:
                if text.strip() == heredoc[2]:
                    break


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(STREAMS.sub(" ", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []  # an open quotation mark: the command goes on in the next line

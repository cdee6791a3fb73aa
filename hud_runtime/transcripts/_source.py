"""From a file to records with their line numbers, whatever the file turns out to be.

A file of lines is read as a stream, one line at a time. A file that is one JSON value is read as
a whole. Lines that cannot be read are named in ``problems``, and the reading goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain, count
from pathlib import Path
from typing import cast

from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.transcripts._json import Record, is_list, is_object, mapping, sequence

HISTORIES = ("history", "messages")
"""The fields of an object that may hold a list of messages."""

EXPORTED = frozenset(
    {"ujsx", "currentTask", "keyDecisions", "projectNotes", "keyFiles", "conventions"}
)
"""Fields of the first object in a file that has a session's log or state, and no conversation."""

BINARY = b"\0"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a transcript that could not be read or recorded."""

    line: int | None
    """The line in a file of lines, else the message's number; from 1."""

    what: str
    """One sentence."""

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}"


def records(path: Path, problems: list[Problem], limits: Limits) -> Iterator[tuple[int, Record]]:
    """Yield the file's records, each with its number.

    Raises :class:`TranscriptError` for what is no file, is empty, is no text, or is one value that is
    too long. A line that is too long is a problem, and the reading goes on behind it.
    """
    with _opened(path) as file:
        lines = _lines(file, problems, limits)
        first = next((each for each in lines if each[1].strip()), None)
        if first is None:
            raise TranscriptError(f"{path} is empty: there is no session in it")
        number, line = first
        if BINARY in line:
            raise TranscriptError(f"{path} is a binary file: a transcript is JSON text")
        if _is_record(line) or not _opens_value(line):
            yield from _from_lines(chain([first], lines), problems)
            return
        rest = limits.whole(file, len(line))
        if rest is None:
            raise TranscriptError(f"{path} is one JSON value, and {limits.refusal('read')}")
        text = line + rest
    try:
        value = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        # Neither one value nor, at its first line, a record: perhaps only that line is broken.
        whole = enumerate(text.splitlines(keepends=True), start=number)
        yield from _from_lines(whole, problems)
        return
    history = sequence(value) if is_list(value) else _history(mapping(value))
    if history is None:
        refuse_exported(path, mapping(value))
        raise TranscriptError(
            f"{path} is JSON, but no transcript: it has no list of messages, neither itself nor"
            f" as {' or '.join(HISTORIES)}"
        )
    yield from _from_history(history, problems)


def _lines(
    file: BufferedReader, problems: list[Problem], limits: Limits
) -> Iterator[tuple[int, bytes]]:
    for number in count(1):
        line = limits.line(file)
        if line is None:
            problems.append(Problem(number, f"the line {limits.refusal('read')}"))
        elif line:
            yield number, line
        else:
            return


def refuse_exported(path: Path, first: Record) -> None:
    """Raise the error that says what to do with a session that is no transcript, if it is one."""
    if first.keys() & EXPORTED:
        raise TranscriptError(
            f"{path} is a session that was exported, and no transcript: `ujsx session import {path}` "
            "puts it into a store; then name its id"
        )


def _opened(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise TranscriptError(f"{path} is a folder: name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read: {reason}") from None


def _from_history(
    history: Sequence[object], problems: list[Problem]
) -> Iterator[tuple[int, Record]]:
    for number, message in enumerate(history, start=1):
        if is_object(message):
            yield number, mapping(message)
        else:
            problems.append(Problem(number, "no message: it is not a JSON object"))


def _from_lines(
    lines: Iterable[tuple[int, bytes]], problems: list[Problem]
) -> Iterator[tuple[int, Record]]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = cast("object", json.loads(line))
        except (ValueError, RecursionError) as error:
            problems.append(Problem(number, _why(line, error)))
            continue
        if not is_object(value):
            problems.append(Problem(number, "no record: it is not a JSON object"))
        elif (history := _history(mapping(value))) is not None:
            yield from _from_history(history, problems)
        else:
            yield number, mapping(value)


def _history(value: Record) -> list[object] | None:
    for name in HISTORIES:
        history = value.get(name)
        if isinstance(history, list):
            return cast("list[object]", history)
    return None


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _opens_value(line: bytes) -> bool:
    return line.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


def _why(line: bytes, error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if not line.endswith(b"\n"):
        return f"the file ends in the middle of a record ({error})"
    return f"not JSON ({error})"

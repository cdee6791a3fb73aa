"""Lists of chat messages: OpenAI's style with ``tool_calls``, blocks, and SWE-agent's histories.

In SWE-agent's older form there are no calls: the command stands in the last fenced block of the
assistant's message, and the next user message is its output. Outputs end with two lines that
tell the editor's open file and the working directory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from hud_runtime.transcripts._blocks import calls, has_results, results
from hud_runtime.transcripts._json import (
    Record,
    arguments,
    mapping,
    milliseconds,
    prose,
    sequence,
    string,
)
from hud_runtime.transcripts._moments import AnyMoment, Background, Call, Prompt, Result, Speech

COMMAND = re.compile(r"(?:^|\n)```[ \t]*\n(?P<command>(?:(?!```).*\n)+)```\s*$")
"""A fenced block without a language, at the end of a message."""

STATUS = re.compile(
    r"\n?\(Open file: (?P<file>(?:(?!\(Open file: ).)*)\)\n"
    r"\(Current directory: (?P<directory>.*)\)\n(?:bash-\$)?\s*$"
)
"""SWE-agent's lines after each output."""

NO_FILE = "n/a"
SHELL = "bash"
"""The tool that runs a command found in a text."""


def recognises(record: Record) -> bool:
    """Tell whether a record is a message."""
    return string(record.get("role")) is not None and "content" in record


def moments(records: Iterable[tuple[int, Record]], skipped: Counter[str]) -> Iterator[AnyMoment]:
    """Yield what the messages tell; what else there is, is counted in ``skipped``."""
    asked = False
    for line, message in records:
        role = string(message.get("role")) or "no role"
        timestamp = milliseconds(message.get("timestamp"))
        content = message.get("content")
        if message.get("is_demo") is True:
            skipped["demonstration"] += 1
        elif role == "assistant":
            yield Speech(line=line, timestamp=timestamp, text=prose(content), model=_model(message))
            found = [
                *_tool_calls(message, line, timestamp),
                *calls(content, line, timestamp),
            ] or _command(message, line, timestamp)
            asked = any(call.in_speech for call in found)
            yield from found
        elif role in ("tool", "function") or (role == "user" and asked):
            asked = False
            yield _output(message, line, timestamp)
        elif role == "user" and has_results(message):
            yield from results(content, line, timestamp)
        elif role == "user":
            text, _, directory = _without_status(prose(content))
            yield Prompt(line=line, timestamp=timestamp, text=text, directory=directory)
        elif role in ("system", "developer"):
            yield Background(line=line, timestamp=timestamp, text=prose(content))
        else:
            skipped[role] += 1


def _model(message: Record) -> str | None:
    return string(message.get("model"))


def _tool_calls(message: Record, line: int, timestamp: int | None) -> list[Call]:
    found: list[Call] = []
    for call in map(mapping, sequence(message.get("tool_calls"))):
        function = mapping(call.get("function"))
        name = string(function.get("name"))
        if name:
            found.append(
                Call(
                    line=line,
                    timestamp=timestamp,
                    name=name,
                    arguments=arguments(function.get("arguments")),
                    call_id=string(call.get("id")),
                )
            )
    return found


def _command(message: Record, line: int, timestamp: int | None) -> list[Call]:
    match = COMMAND.search(prose(message.get("content")))
    command = string(message.get("action")) or (match["command"] if match else None)
    if command is None:
        return []
    return [
        Call(
            line=line,
            timestamp=timestamp,
            name=SHELL,
            arguments={"command": command.strip()},
            in_speech=True,
        )
    ]


def _output(message: Record, line: int, timestamp: int | None) -> Result:
    text, open_file, directory = _without_status(prose(message.get("content")))
    ids = [message.get("tool_call_id"), *sequence(message.get("tool_call_ids"))]
    return Result(
        line=line,
        timestamp=timestamp,
        directory=directory,
        text=text,
        call_id=next(filter(None, map(string, ids)), None),
        failed=message.get("is_error") is True,
        open_file=open_file,
    )


def _without_status(text: str) -> tuple[str, str | None, str | None]:
    text = text.replace("\r\n", "\n")
    match = STATUS.search(text)
    if match is None:
        return text, None, None
    file = match["file"]
    return text[: match.start()], "" if file == NO_FILE else file, match["directory"]

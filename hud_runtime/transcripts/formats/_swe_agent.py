"""SWE-agent's trajectories: a history of messages, in which the user's place is the environment's.

In the older form there are no calls: the command stands in the last fenced block of the agent's message, and the
next user message is its output. Outputs end with two lines that tell the editor's open file and the working
directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observe._observations import (
    AnyObservation,
    Record,
    ToolAnswer,
    ToolCall,
    UserMessage,
    prose,
    sequence,
    string,
)
from hud_runtime.observe._reader import FolderPlace, calls_in
from hud_runtime.observe.messages import read_message
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, Table, at, reader
from hud_runtime.transcripts._source import Source

COMMAND = re.compile(r"(?:^|\n)```[ \t]*\n(?P<command>(?:(?!```).*\n)+)```\s*$")
"""A fenced block without a language, at the end of a message."""

STATUS = re.compile(
    r"\n?\(Open file: (?P<file>(?:(?!\(Open file: ).)*)\)\n"
    r"\(Current directory: (?P<directory>.*)\)\n(?:bash-\$)?\s*$"
)
"""SWE-agent's lines after each output."""

NOTHING_CALLED = (
    "Your output was not formatted correctly",
    "Your last output did not use any tool calls",
    "Your last output contained multiple tool calls",
)
"""How the program begins to tell the agent that it called no tool, or several."""

NO_FILE = "n/a"
SHELL = "bash"
"""The tool that runs a command found in a text."""


def recognises(source: Source) -> str | None:
    """Tell why a file is a trajectory of SWE-agent."""
    if "trajectory" in source.first and "history" in source.first:
        return "it has a trajectory and a history"
    of_agent = [one for one in source.head if "role" in one and "agent" in one]
    told = any("action" in one or "message_type" in one or "thought" in one for one in of_agent)
    return "its messages name an agent and its actions" if told else None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages tell."""
    asked = False
    """True if the agent's last message has a command: the next message is its output."""

    def kind_of(message: Record) -> str:
        nonlocal asked
        role = string(message.get("role")) or "no role"
        if message.get("is_demo") is True:
            return "demonstration"
        if role == "assistant":
            asked = any(_calls(message, {}))
        elif role == "tool" or (role == "user" and asked):
            asked = False
            return "output"
        elif role == "user" and prose(message.get("content")).startswith(NOTHING_CALLED):
            return "message of the program"
        return role

    read = reader(source, MESSAGES, kind_of)
    for line, message in source.records():
        yield from read(line, message)


def _calls(message: Record, place: FolderPlace) -> Iterator[AnyObservation]:
    found = [*calls_in(read_message(message).parts, **place)]
    yield from found
    match = COMMAND.search(prose(message.get("content")))
    command = string(message.get("action")) or (match["command"] if match else None)
    if not found and command is not None:
        yield ToolCall(**place, name=SHELL, arguments={"command": command.strip()}, in_text=True)


def _output(message: Record, place: FolderPlace) -> Iterator[AnyObservation]:
    text, open_file, directory = _without_status(prose(message.get("content")))
    here: FolderPlace = {**place, "directory": directory}
    yield ToolAnswer(**here, text=text, call_id=CALL_ID(message), open_file=open_file)


def _asked(message: Record, place: FolderPlace) -> Iterator[AnyObservation]:
    text, _, directory = _without_status(prose(message.get("content")))
    here: FolderPlace = {**place, "directory": directory}
    yield UserMessage(**here, text=text)


CALL_ID = at(
    "tool_call_id|tool_call_ids",
    lambda ids: next(filter(None, map(string, (ids, *sequence(ids)))), None),
)
MESSAGES: Table = {
    "assistant": (rows.agent(text="content"), _calls),
    "output": _output,
    "user": _asked,
    "system": rows.background(text="content"),
}


def _without_status(text: str) -> tuple[str, str | None, str | None]:
    text = text.replace("\r\n", "\n")
    match = STATUS.search(text)
    if match is None:
        return text, None, None
    file = match["file"]
    return text[: match.start()], "" if file == NO_FILE else file, match["directory"]


FORMAT = Format(
    "SWE-agent",
    recognises,
    observations,
    estimates=True,
    where="trajectories/**/*.traj",
    quiet={"demonstration", "message of the program"},
)

"""A recorded session, turn by turn: what was said, what the HUD's events are, and what was done.

Transcripts are read as :func:`hud_runtime.read_transcript` reads them: by a format's observations and
:class:`hud_runtime.observe.Reader`. What is to be foreseen is taken from what happened, not from what a HUD
takes in: every command that was run counts, whether it checks something or not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hud_runtime import EventDraft, Limits
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    Reader,
    ShellTool,
    ToolAnswer,
    ToolCall,
    ToolTable,
    UserMessage,
)
from tests.benchmarks._inside import (
    all_commands,
    edits_open_file,
    open_source,
    recognised,
    scripts_of,
)

IDLE = frozenset({"cd", "echo", "pwd", "export", "set", "source", "exit", "true"})
"""Commands that run nothing."""


@dataclass(slots=True)
class Turn:
    """A message of the agent with what its calls brought about, and what was said after it."""

    drafts: list[EventDraft] = field(default_factory=list[EventDraft])
    said: list[str] = field(default_factory=list[str])
    """The texts of messages, calls and answers."""

    files: list[str] = field(default_factory=list[str])
    """Paths that were opened or edited."""

    edited: list[str] = field(default_factory=list[str])
    commands: list[str] = field(default_factory=list[str])
    """What was run, without options."""

    errors: list[str] = field(default_factory=list[str])

    summary: str = ""
    """What a compaction left of the conversation."""


def story(path: Path) -> list[Turn]:
    """Return the turns of a transcript; the first of them is what came before the agent spoke.

    :raises TranscriptError: for a file that is no transcript.
    """
    source = open_source(path, Limits.of_environment())
    form, _ = recognised(source)
    reader, table = Reader(estimates=form.estimates), ToolTable()
    turns = [Turn()]
    for seen in form.observations(source):
        drafts = list(reader.feed(seen))
        turns.extend(Turn() for _ in range(len(turns), reader.turn + 1))
        turns[-1].said.extend(filter(None, _words(seen)))
        if isinstance(seen, Compacted):
            turns[-1].summary = seen.summary
        if isinstance(seen, ToolCall):
            turns[-1].commands.extend(_commands(seen, table))
        _take(turns, drafts)
    _take(turns, reader.finish())
    return turns


def _take(turns: list[Turn], drafts: Iterator[EventDraft] | list[EventDraft]) -> None:
    for draft in drafts:
        turn = turns[draft.turn or 0]
        turn.drafts.append(draft)
        match draft.type:
            case "file.open" | "file.edit":
                path = str(draft.payload["path"])
                turn.files.append(path)
                if draft.type == "file.edit":
                    turn.edited.append(path)
            case "error.encountered":
                turn.errors.append(str(draft.payload["message"]))
            case _:
                pass


def _words(seen: AnyObservation) -> Iterator[str]:
    match seen:
        case UserMessage() | AgentMessage() | ToolAnswer() | Background():
            yield seen.text
        case ToolCall() if not seen.in_text:
            yield f"{seen.name} {json.dumps(dict(seen.arguments), ensure_ascii=False, default=str)}"
        case Compacted():
            yield seen.summary
        case _:
            pass


def _commands(call: ToolCall, table: ToolTable) -> Iterator[str]:
    """Yield what a call runs: a program and its operands."""
    tool = table.tool(call.name)
    if not isinstance(tool, ShellTool):
        return
    script = scripts_of(call.arguments, tool)
    if edits_open_file(script, table.commands):
        return
    for command in all_commands(script):
        words = [word for word in command.words if not word.startswith("-")]
        if words and words[0] not in IDLE:
            yield " ".join(" ".join(words).split())

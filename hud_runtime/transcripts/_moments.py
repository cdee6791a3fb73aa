"""What happens in any transcript, whatever its format: the words between formats and events.

A format's reader turns its records into these moments; :mod:`._derive` turns moments into drafts
of events. So a new format needs no new meaning, and a new meaning no new format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something at a place in the file."""

    line: int
    """The line in a file of lines, else the message's number; from 1."""

    timestamp: int | None = None
    """Milliseconds since the epoch, where the transcript says."""

    directory: str | None = None
    """The working directory from here on, where the transcript says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Moment):
    """The user says something."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech(Moment):
    """The agent says something, or calls tools: a turn of its own for every new id."""

    text: str = ""
    message_id: str | None = None
    """Parts of one message share it; None is always a message of its own."""
    used: int | None = None
    """Tokens in the context after this message, where the transcript says."""
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Moment):
    """The agent calls a tool."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    call_id: str | None = None
    in_speech: bool = False
    """Whether it stands in the words of the speech before, and so in their tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Moment):
    """A tool answers."""

    text: str
    call_id: str | None = None
    """The call it answers; None is the oldest one without an answer."""
    failed: bool = False
    """Whether the transcript itself says so."""
    open_file: str | None = None
    """The file that the agent's editor shows now; empty for none, None where nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Moment):
    """Text that is in the agent's context and tells nothing: a system prompt."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Title(Moment):
    """The session gets a name."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(Moment):
    """The host compacts the conversation."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Moment):
    """The conversation so far is now this text."""

    summary: str


AnyMoment: TypeAlias = Prompt | Speech | Call | Result | Background | Title | Compacting | Compacted

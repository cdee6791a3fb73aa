"""The observations of a session, from any source: the words between formats and meaning.

A transcript's format, or a host's hook, yields these observations; :class:`~._reader.Reader` turns
them into drafts of events. So a new format needs no new meaning, and a new meaning no new format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hud_runtime.messages import Status

FileEvent: TypeAlias = Literal["file.open", "file.edit", "file.close"]
"""What can happen to a file."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a call of the model used, each counted once.

    >>> Usage.of_prompt(20_000, cache_read=19_000, cache_write=400, output=100).input
    600
    """

    input: int = 0
    """Input that was neither read from a cache nor written to one."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def figures(self) -> dict[str, int]:
        """All of them by their names."""
        return {
            "input": self.input,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "output": self.output,
        }

    @property
    def prompt(self) -> int:
        """The whole input."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        """The size of the context after the call."""
        return self.prompt + self.output

    @classmethod
    def of_prompt(
        cls, prompt: int, *, cache_read: int = 0, cache_write: int = 0, output: int = 0
    ) -> Usage:
        """Return the usage of a whole prompt, of which so many tokens were cached, as most providers count."""
        return cls(max(0, prompt - cache_read - cache_write), cache_read, cache_write, output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something that was seen at a place in a file, or at a moment."""

    line: int = 0
    """The line in a file of lines, else the message's number; from 1."""

    timestamp: int | None = None
    """Milliseconds since the epoch, where that is known."""

    directory: str | None = None
    """The working directory from here on, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(Observation):
    """The user says something."""

    text: str

    is_plan: bool = False
    """Whether it is a plan that the user approves by sending it."""

    message_id: str = ""
    """By which it can be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage(Observation):
    """The agent says something, or calls tools: a turn of its own for every new id."""

    text: str = ""
    message_id: str | None = None
    """Parts of one message share it; None is always a message of its own."""
    used: int | None = None
    """Tokens in the context after this message, where that is known; else the usage's total."""
    usage: Usage | None = None
    """Those tokens, apart by what became of them, where that is known."""
    model: str | None = None
    limit: int | None = None
    """Tokens that the model's context holds, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsed(Observation):
    """The context is this full, as told apart from any message."""

    used: int | None = None
    usage: Usage | None = None
    limit: int | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Observation):
    """The agent calls a tool."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    call_id: str | None = None
    in_text: bool = False
    """Whether it stands in the words of the message before, and so in their tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Observation):
    """A tool answers."""

    text: str = ""
    call_id: str | None = None
    """The call it answers; None is the oldest one without an answer."""
    status: Status = "unknown"
    exit_code: int | None = None
    """The exit status of a command, where that is known."""
    is_final: bool = True
    """Whether the call is over; a command may go on in the background."""
    open_file: str | None = None
    """The file that the agent's editor shows now; empty for none, None where nobody says."""
    wish: str = ""
    """What the user said while refusing the call."""
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the host tells beside the text: answers to questions, tasks, plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged(Observation):
    """A file was opened, changed or removed, as told apart from any call."""

    path: str
    event: FileEvent = "file.edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWritten(Observation):
    """The steps of the plan are these, as told apart from any call."""

    steps: tuple[tuple[str, str], ...]
    """Each step's text and status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Observation):
    """The user, or the agent, decided something, as told apart from any call."""

    summary: str
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Observation):
    """A fact, such as the branch; an empty value takes it away."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Observation):
    """Something went wrong apart from any call."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Observation):
    """The last turns of the user no longer count."""

    turns: int = 1
    """How many of the user's messages."""

    since: str = ""
    """The id of the first of them, where it has one; then that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background(Observation):
    """Text that is in the agent's context and tells nothing: a system prompt."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Title(Observation):
    """The session gets a name."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(Observation):
    """The host compacts the conversation."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Observation):
    """The conversation so far is now this text."""

    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfChild(Observation):
    """Something that is seen of a sub-agent's own session."""

    child: str
    """The sub-agent's id."""

    seen: AnyObservation


AnyObservation: TypeAlias = (
    UserMessage
    | AgentMessage
    | ContextUsed
    | ToolCall
    | ToolResult
    | FileChanged
    | PlanWritten
    | Decided
    | Found
    | Failed
    | Undone
    | Background
    | Title
    | Compacting
    | Compacted
    | OfChild
)

"""Events about the facts of every session: its name, its context window, its compactions, its layout.

Most sessions that are opened say none of it soon: the models are made when they are first asked for.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from hud_components import HudModel, Level, Line, Look, Text, UsageReading
from hud_components.folding import LARGEST, Payload

Counted: TypeAlias = Annotated[
    int | None, Field(ge=0, le=LARGEST, exclude_if=lambda count: count is None)
]
"""Tokens that a host may report; what it does not report is not stored."""


class SessionTitle(Payload):
    """The session gets a name."""

    title: Line
    """What the session is called."""


class SessionLook(Payload, Look):
    """The session's HUD gets the layout and the words that a person gave it."""


class ContextSnapshot(Payload, UsageReading):
    """The context window was measured."""

    used: Annotated[int, Field(ge=0, le=LARGEST)]
    """Tokens in the context: input, output, and cached ones."""

    limit: Annotated[int, Field(gt=0, le=LARGEST)] = 200_000
    """Tokens that the model's context holds; 200,000 where the host does not say."""

    input: Counted = None
    """Of those, tokens of input that were neither read from a cache nor written to it."""

    cache_read: Counted = None
    """Tokens of input that were read from a cache."""

    cache_write: Counted = None
    """Tokens of input that were written to a cache."""

    output: Counted = None
    """Tokens that the model wrote."""


class ContextIntervention(Payload):
    """The agent was told once that its context had reached a level."""

    level: Level
    """The level that was reached."""

    used: Annotated[int, Field(ge=0, le=LARGEST)]
    """Tokens in the context by the reading that it was told."""

    limit: Annotated[int, Field(gt=0, le=LARGEST)]
    """Tokens that the model's context holds."""


class LayoutSet(Payload):
    """The agent says how its HUD is laid out."""

    layout: Text
    """The layout document: Markdown with component tags."""


class LayoutReset(Payload):
    """The agent's layout holds no more."""


class EventErase(Payload):
    """The texts of an event were erased; what stands there now says so."""

    version: Annotated[int, Field(ge=1, le=LARGEST)]
    """The event's version."""

    fields: tuple[Line, ...] = ()
    """Where its texts stood."""


class SessionDomain(Payload):
    """The session moved to a domain that has all sections of its former one."""

    domain: Line
    """The name of the domain."""


CompactionTrigger: TypeAlias = Literal["overflow", "level", "agent", "error"]
"""Why a host is asked to compact: nothing is left that the model may use; the context is as full as the policy
says; the agent asked for it; the provider refused a request that was too long."""

_Unsaid = Field(exclude_if=lambda said: said is None)
"""What a host does not say is not stored."""


class FileDiff(HudModel):
    """How much of a file changed."""

    path: Line
    """The file."""

    additions: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    """Lines that were added."""

    deletions: Annotated[int, Field(ge=0, le=LARGEST)] = 0
    """Lines that were removed."""


class CompactBefore(Payload):
    """The host is about to compact the conversation: the state up to here must survive."""

    reason: Text = ""
    """Why now, in a few words."""

    trigger: Annotated[CompactionTrigger | None, _Unsaid] = None
    """Why a policy asked for it; None where none did."""


class CompactAfter(Payload):
    """The conversation was compacted."""

    summary: Text = ""
    """The text that stands for the conversation before it."""

    tokens_before: Counted = None
    """Tokens of the conversation before, where that is known."""

    tokens_after: Counted = None
    """Tokens of what stands in its place."""

    messages_before: Counted = None
    """Messages of the conversation before."""

    messages_after: Counted = None
    """Messages of what stands in its place."""

    replayed: Annotated[bool | None, _Unsaid] = None
    """Whether the interrupted request of the user was asked again."""

    files: Annotated[tuple[FileDiff, ...] | None, _Unsaid] = None
    """What changed in files since the compaction before, where a host counts the lines."""


class CompactFailed(Payload):
    """A compaction did not come about: the conversation is as it was."""

    error: Text = ""
    """What went wrong."""

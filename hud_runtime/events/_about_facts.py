"""What later events say of the facts of every session: its name, its context window, its compactions, its layout.

Most sessions that are opened say none of it soon: the models are made when they are first asked for.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from hud_components import Level, Line, Text, UsageReading
from hud_components.folding import LARGEST, Payload

Counted: TypeAlias = Annotated[
    int | None, Field(ge=0, le=LARGEST, exclude_if=lambda count: count is None)
]
"""Tokens that a host may report; what it does not report is not stored."""


class SessionTitle(Payload):
    """The session gets a name."""

    title: Line
    """What the session is called."""


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


class CompactBefore(Payload):
    """The host is about to compact the conversation: the state up to here must survive."""

    reason: Text = ""
    """Why now, in a few words."""


class CompactAfter(Payload):
    """The conversation was compacted."""

    summary: Text = ""
    """The text that stands for the conversation before it."""

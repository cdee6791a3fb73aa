"""What events say of the session: its start and name, its context window, its compactions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, create_model

from hud_components import CODING, Domain, Line, State, Text, UsageReading
from hud_components.folding import LARGEST, Payload
from ujsx.components import described_like

Counted: TypeAlias = Annotated[
    int | None, Field(ge=0, le=LARGEST, exclude_if=lambda count: count is None)
]
"""Tokens that a host may report; what it does not report is not stored."""


class SessionStart(Payload):
    """A session begins: always its first event, so that the log alone tells the state."""

    project: Line | None = None
    """The project it works on."""

    title: Line | None = None
    """What the session is called."""

    parent: Line | None = None
    """The session that started this one."""

    parent_version: Annotated[int, Field(ge=0)] | None = None
    """The parent's version whose state is inherited."""

    inherited: State | None = None
    """What the session starts with: the project's defaults, and the parent's state."""


def session_start(domain: Domain[Any]) -> type[SessionStart]:
    """Return the model of the first event of a domain's sessions: it names any domain but coding."""
    fields: dict[str, Any] = {"inherited": (domain.state | None, None)}
    if domain.name != CODING.name:
        literal: Any = Literal  # for type checkers, which know it only in annotations
        named = Field(default=domain.name, description="The domain that the session belongs to.")
        fields["domain"] = (literal[domain.name], named)
    doc = SessionStart.__doc__
    made = create_model("SessionStart", __base__=SessionStart, __doc__=doc, **fields)
    return described_like(made, SessionStart)


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


class LayoutSet(Payload):
    """The agent says how its HUD is laid out."""

    layout: Text
    """The layout document: Markdown with component tags."""


class LayoutReset(Payload):
    """The agent's layout holds no more."""


class CompactBefore(Payload):
    """The host is about to compact the conversation: the state up to here must survive."""

    reason: Text = ""
    """Why now, in a few words."""


class CompactAfter(Payload):
    """The conversation was compacted."""

    summary: Text = ""
    """The text that stands for the conversation before it."""

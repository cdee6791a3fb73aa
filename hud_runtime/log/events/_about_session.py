"""The first event of a session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from hud_components import CODING, Domain, Line, State
from hud_components.folding import Payload
from ujsx.components import described_like


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

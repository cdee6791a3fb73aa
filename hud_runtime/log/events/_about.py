"""Payloads of events about the facts that all sessions have, and about whole sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, create_model, model_validator

from hud_components import Domain, Line, Look, Text, UsageReading
from hud_components.declaring import HudModel, ShareAlone
from hud_components.folding import LARGEST, Payload
from hud_components.levels import Level
from ujsx.components import described_like, fields_of

# Events about the facts that all sessions have: title, context window, compactions, layout.
#
# Most sessions need none of them soon, so the models are built on first use.

Counted: TypeAlias = Annotated[
    int | None, Field(ge=0, le=LARGEST, exclude_if=lambda count: count is None)
]
"""Tokens that a host may report; an unreported value is not stored."""


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

    is_share: ShareAlone = False
    """Whether the host says the share alone, which ``used`` and ``limit`` stand for. A dump has it where it is so."""


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
"""The reason for a compaction: no tokens are left; the policy's level was reached; the agent asked; or the
provider refused a request as too long.
"""

_Unsaid = Field(exclude_if=lambda said: said is None)
"""An unreported value is not stored."""


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


# Events about a whole section: models built from a domain's sections.

PayloadT = TypeVar("PayloadT", bound=Payload)


class SectionClear(Payload):
    """A section is emptied."""

    section: str | None = None
    """The section; all of them where none is named."""


class SectionPin(Payload):
    """A section is shown in full from now on, as far as the HUD's tokens go."""

    section: str
    """The section."""


class SectionFold(Payload):
    """A section is shown at its least from now on: a count, with the call that shows all."""

    section: str
    """The section."""


class SectionReset(Payload):
    """A section is neither pinned nor folded any more."""

    section: str | None = None
    """The section; all of them where none is named."""


class SectionReplace(Payload):
    """One section gets new contents, as after an edit of the HUD by hand.

    An item whose id is known keeps what the store knows of it.
    """

    @model_validator(mode="after")
    def _one_section(self) -> SectionReplace:
        given = [name for name in fields_of(type(self)) if getattr(self, name) is not None]
        if len(given) != 1:
            names = ", ".join(fields_of(type(self)))
            raise ValueError(f"give exactly one section of: {names}")
        return self

    @property
    def section(self) -> str:
        """The section that is replaced, by the state's field."""
        return next(name for name in fields_of(type(self)) if getattr(self, name) is not None)


def _about_one(domain: Domain[Any], base: type[PayloadT]) -> type[PayloadT]:
    """Return a payload with a section, by the state's field; callers may use the names of operations."""
    one = _one_of(domain)
    is_needed = fields_of(base)["section"].is_required()
    fields: dict[str, Any] = {"section": (one, ...) if is_needed else (one | None, None)}
    made = create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)
    return described_like(made, base)


def _one_of(domain: Domain[Any]) -> Any:
    """Return the type of a section's field in the state; callers may use the names of operations."""
    literal: Any = Literal  # for type checkers, which know it only in annotations

    def named(name: object) -> object:
        return domain.field_of(name) if isinstance(name, str) else name

    return Annotated[literal[tuple(domain.fields)], BeforeValidator(named)]


def _replacing(domain: Domain[Any], base: type[PayloadT]) -> type[PayloadT]:
    """Return the model that replaces the items of a domain's section."""
    fields: dict[str, Any] = {}
    for name in domain.state.lists:
        section = domain.fields[name]
        if section.can_replace:
            described = Field(default=None, description=f"All {section.name} that there are now.")
            item: Any = domain.replacement(section)
            fields[name] = (tuple[item, ...] | None, described)
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)


OF_SECTIONS: Mapping[str, Callable[[Domain[Any], Any], Any]] = {
    **dict.fromkeys(("SectionClear", "SectionPin", "SectionFold", "SectionReset"), _about_one),
    "SectionReplace": _replacing,
}
"""The models that depend on the domain, each with its builder."""


def model_of(domain: Domain[Any], event_type: str) -> type[Payload]:
    """Return the model of a type's payload, which is named after the type."""
    name = "".join(map(str.capitalize, event_type.split(".")))
    base: type[Payload] = globals()[name]
    return OF_SECTIONS[name](domain, base) if name in OF_SECTIONS else base

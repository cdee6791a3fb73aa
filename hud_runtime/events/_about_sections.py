"""Events about a section as a whole: models made of a domain's sections."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, create_model, model_validator

from hud_components import Domain
from hud_components.folding import Payload
from ujsx.components import described_like, fields_of

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


def section_clear(domain: Domain[Any]) -> type[SectionClear]:
    """Return the model of what clears a section of a domain."""
    field: Any = (
        _one_of(domain) | None,
        Field(default=None, description="The section; all of them where none is named."),
    )
    return create_model(
        "SectionClear", __base__=SectionClear, __doc__=SectionClear.__doc__, section=field
    )


def section_pin(domain: Domain[Any]) -> type[SectionPin]:
    """Return the model of what pins a section of a domain."""
    return _about_one(domain, SectionPin)


def section_fold(domain: Domain[Any]) -> type[SectionFold]:
    """Return the model of what folds a section of a domain."""
    return _about_one(domain, SectionFold)


def section_reset(domain: Domain[Any]) -> type[SectionReset]:
    """Return the model of what makes sections of a domain stand as usual."""
    return _about_one(domain, SectionReset)


def _about_one(domain: Domain[Any], base: type[PayloadT]) -> type[PayloadT]:
    """Return a payload that names a section by the state's field; a caller may name it as operations do."""
    one = _one_of(domain)
    is_needed = fields_of(base)["section"].is_required()
    fields: dict[str, Any] = {"section": (one, ...) if is_needed else (one | None, None)}
    made = create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)
    return described_like(made, base)


def _one_of(domain: Domain[Any]) -> Any:
    """The type of a section's field in the state, which a caller may name as operations do."""
    literal: Any = Literal  # for type checkers, which know it only in annotations

    def named(name: object) -> object:
        return domain.field_of(name) if isinstance(name, str) else name

    return Annotated[literal[tuple(domain.fields)], BeforeValidator(named)]


def section_replace(domain: Domain[Any]) -> type[SectionReplace]:
    """Return the model of what replaces the items of a section of a domain."""
    fields: dict[str, Any] = {}
    for name in domain.state.lists:
        section = domain.fields[name]
        if section.can_replace:
            described = Field(default=None, description=f"All {section.name} that there are now.")
            item: Any = domain.replacement(section)
            fields[name] = (tuple[item, ...] | None, described)
    return create_model(
        "SectionReplace", __base__=SectionReplace, __doc__=SectionReplace.__doc__, **fields
    )

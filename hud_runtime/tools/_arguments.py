"""Arguments of operations that record nothing; the others take the models of items and events."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from hud_components import Domain, HudModel, HudSection, Line
from ujsx.components import described_like, fields_of

PAGE = 30
"""How many items a page has when nobody says."""

LONGEST_PAGE = 100
"""How many it has at most."""


class Nothing(HudModel):
    """No arguments."""


class Page(HudModel):
    """A part of something long."""

    limit: int = PAGE
    """How many at most, up to 100."""

    after: int = 0
    """How many to skip: as many as the pages before had."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The numbers of items to pass over and to return, whatever was asked for.

        >>> Page(limit=1_000, after=-1).bounds
        (0, 100)
        """
        return min(max(self.after, 0), 2**53), min(max(self.limit, 1), LONGEST_PAGE)


class Search(Page):
    """What to look for in the log."""

    query: Line
    """Words that must all occur, in any order; none of them is an operator."""


def section_of(domain: Domain[Any]) -> type[HudModel]:
    """Return the arguments that name one section of a domain's HUD."""
    literal: Any = Literal  # for type checkers, which know it only in annotations
    names = tuple(name for name, one in domain.fields.items() if one.has_operations)
    field: Any = (literal[names], Field(description="The section."))
    return create_model(
        "Section", __base__=HudModel, __doc__="One section of the HUD.", section=field
    )


@lru_cache(maxsize=1_024)
def taking(draft: type[BaseModel], payload: type[BaseModel]) -> type[BaseModel]:
    """Return a draft that takes what a payload has beyond it, and does not show that in its schema.

    >>> from hud_components import CODING, NextSteps
    >>> step = taking(NextSteps.draft, CODING.payload("step.add"))
    >>> [*step.model_fields], [*step.model_json_schema()["properties"]]
    (['description', 'id', 'completed'], ['description'])
    """
    own, more = fields_of(draft), fields_of(payload)
    hidden: Any = SkipJsonSchema
    fields: dict[str, Any] = {
        name: (hidden[more[name].annotation], more[name]) for name in more if name not in own
    }
    made = create_model(draft.__name__, __base__=draft, __doc__=draft.__doc__, **fields)
    return described_like(made, payload)


@lru_cache(maxsize=256)
def items_of(domain: Domain[Any], section: type[HudSection]) -> type[HudModel]:
    """Return the arguments that say all items of a section anew, in ``items`` or under the section's name.

    >>> from hud_components import CODING, NextSteps
    >>> items_of(CODING, NextSteps).model_validate({"steps": ["Write tests"]}).items
    (StepDraft(description='Write tests', id=None, completed=False),)
    """
    name, draft = section.name, taking(section.draft, domain.replacement(section))
    described = Field(
        validation_alias=AliasChoices("items", name),
        description=f"All {name.replace('_', ' ')} that there are now, in their order.",
    )
    items: Any = tuple
    field: Any = (items[draft, ...], described)
    return create_model("Items", __base__=HudModel, __doc__="All items of a section.", items=field)


class About(HudModel):
    """What to tell of."""

    operation: Line | None = None
    """The operation; a line on each when it is not given."""


class Compact(HudModel):
    """Ask the host to compact the conversation at this point."""

    reason: str = Field(default_factory=str)  # so that no request pays for a default
    """Why now."""

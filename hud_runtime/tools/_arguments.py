"""Arguments of operations that record nothing; the others take the models of items and events."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, StringConstraints

from hud_components import HudModel, Line
from hud_runtime.events import SectionName

PAGE = 30
"""How many items a page has when nobody says."""

LONGEST_PAGE = 100
"""How many it has at most."""


class Nothing(HudModel):
    """No arguments."""


def _empty_if_null(value: object) -> object:
    # Not a type of the field: a schema that says so would need a shape of its own for the task.
    return "" if value is None else value


class TaskWords(HudModel):
    """What the agent is working on, or that it is nothing."""

    description: Annotated[
        str, StringConstraints(strip_whitespace=True), BeforeValidator(_empty_if_null)
    ]
    """The task in a sentence or two; empty, or null, for none."""


class Page(HudModel):
    """A part of something long."""

    limit: int = PAGE
    """How many at most, up to 100."""

    after: int = 0
    """How many to pass over: where the page before ended."""

    @property
    def bounds(self) -> tuple[int, int]:
        """How many are passed over and how many follow, whatever was asked for.

        >>> Page(limit=1_000, after=-1).bounds
        (0, 100)
        """
        return min(max(self.after, 0), 2**53), min(max(self.limit, 1), LONGEST_PAGE)


class Search(Page):
    """What to look for in the log."""

    query: Line
    """Words that must all be there, in any order; none of them is an operator."""


class Section(HudModel):
    """One section of the HUD."""

    section: SectionName
    """The section."""


class About(HudModel):
    """What to tell of."""

    operation: Line | None = None
    """The operation to tell of; all of them when it is not given."""


class Compact(HudModel):
    """Ask the host to compact the conversation at this point."""

    reason: str = ""
    """Why now, in a few words."""

"""Who said what an item says: kept with the item, where its model asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hud_components._models import Actor

if TYPE_CHECKING:
    from hud_components.folding._verb import Moment

TRUST: tuple[Actor, ...] = ("user", "agent", "host", "tool")
"""Who says something, from the one whose words count most: what a tool gives back may be anybody's."""


def least_trusted(*actors: Actor) -> Actor:
    """Return the actor whose words count least: what is made of several is as good as the worst.

    >>> least_trusted("agent", "tool", "user")
    'tool'
    """
    return max(actors, key=TRUST.index)


def said_now(model: Any, moment: Moment) -> dict[str, Any]:
    """Return the fields that tell of what is said at this moment; none where none are kept."""
    if "said_by" not in model.__pydantic_fields__:  # quicker than issubclass, for each new item
        return {}
    return {"said_by": moment.actor, "said_in": moment.turn, "said_at": moment.version}


def said_anew(before: Any, moment: Moment) -> dict[str, Any]:
    """Return the fields that tell of an item whose words change: some of them may be the old ones."""
    now = said_now(type(before), moment)
    return now and {**now, "said_by": least_trusted(before.said_by, moment.actor)}

"""Who said what an item says: kept with the item, where its model asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from hud_components._models import SOURCE, Actor, HudModel

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


def with_sources(section: Any, before: Any, after: Any, moment: Moment) -> Any:
    """Return what a function of the author's made of a section's value, with its sources told.

    What is new was said now; what it says otherwise than before stays as untrusted as what it was
    made of, and what is new where others go may be made of those. Where it stands in the list, and
    whether it is over, are no words.
    """
    model = section.value
    if "said_by" not in model.__pydantic_fields__:
        return after
    if section.kind is None:
        return after and _with_source(section, before, after, moment)
    key = attrgetter(section.kind.key)
    there = {id(item) for item in before}
    if all(id(item) in there for item in after):
        return after
    known = {key(item): item for item in before}
    stay = {key(item) for item in after if isinstance(item, model)}
    gone = [item.said_by for name, item in known.items() if name not in stay]
    return tuple(
        item
        if id(item) in there or not isinstance(item, model)
        else _with_source(section, known.get(key(item)), item, moment, gone)
        for item in after
    )


def _with_source(
    section: Any, before: Any, after: Any, moment: Moment, gone: Sequence[Actor] = ()
) -> Any:
    given = [after.said_by] if "said_by" in after.model_fields_set else []
    if before is None:
        given += gone
        source = {**said_now(type(after), moment), "said_by": least_trusted(*given, moment.actor)}
    elif _words(section, before) == _words(section, after):
        return after
    else:
        told = said_anew(before, moment)
        source = {**told, "said_by": least_trusted(*given, told["said_by"])}
    return after.model_copy(update=source)


def _words(section: Any, item: HudModel) -> dict[str, Any]:
    """What an item says, and neither who, nor where in the list, nor whether it is over."""
    kind = section.kind
    aside = {*SOURCE} if kind is None else {*SOURCE, kind.done, kind.order}
    values: dict[str, Any] = vars(item)
    return {name: value for name, value in values.items() if name not in aside}


def said_anew(before: Any, moment: Moment) -> dict[str, Any]:
    """Return the fields that tell of an item whose words change: some of them may be the old ones."""
    now = said_now(type(before), moment)
    return now and {**now, "said_by": least_trusted(before.said_by, moment.actor)}

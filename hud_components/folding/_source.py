"""The source of an item's words, kept with the item where its model asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from hud_components._models import SOURCE, Actor, HudModel, HudValue
from hud_components.folding._edits import with_values
from ujsx.components import fields_of

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
    tells_own = getattr(model, "tells_own", None)  # quicker than issubclass, for each new item
    if tells_own is None:
        return {}
    if moment.actor == "agent" and not tells_own:
        return _OWN
    return {"said_by": moment.actor, "said_in": moment.turn, "said_at": moment.version}


_OWN: dict[str, Any] = {name: fields_of(HudValue)[name].default for name in SOURCE}
"""What those tell of what the agent says that tell the source of what others said alone."""

ModelT = TypeVar("ModelT", bound=HudModel)


def with_sources(section: Any, before: Any, after: Any, moment: Moment) -> Any:
    """Return what a function of the author's made of a section's value, with its sources told.

    What is new was said now; what it says otherwise than before stays as untrusted as what it was
    made of, and what is new where others go may be made of those. Where it stands in the list, and
    whether it is over, are no words.
    """
    model = section.value
    if not issubclass(model, HudValue):
        return after
    if section.kind is None:
        return after and _with_source(section, before, after, moment)
    # Nothing is done for each item that stays: sessions have hundreds of files.
    key = attrgetter(section.kind.key)
    old = dict(zip(map(id, before), before, strict=True))
    made = dict(zip(map(id, after), after, strict=True))
    new = {number: made[number] for number in made.keys() - old.keys()}
    if not new:
        return after
    left = {key(old[number]): old[number] for number in old.keys() - made.keys()}
    keys = {key(item) for item in new.values()}
    gone = [item.said_by for name, item in left.items() if name not in keys]
    told = {
        number: _with_source(section, left.get(key(item)), item, moment, gone)
        for number, item in new.items()
    }
    if all(told[number] is item for number, item in new.items()):
        return after
    return tuple(told.get(id(item), item) for item in after)


def _with_source(
    section: Any, before: Any, after: Any, moment: Moment, gone: Sequence[Actor] = ()
) -> Any:
    given = [after.said_by] if "said_by" in after.model_fields_set else []
    if before is None:
        given += gone
    elif _words(section, before) == _words(section, after):
        return after
    else:
        given.append(before.said_by)
    by = moment._replace(actor=least_trusted(*given, moment.actor))
    return with_values(after, **said_now(type(after), by))


def _words(section: Any, item: HudModel) -> dict[str, Any]:
    """What an item says, and neither who, nor where in the list, nor whether it is over."""
    kind = section.kind
    aside = {*SOURCE} if kind is None else {*SOURCE, kind.done, kind.order}
    values: dict[str, Any] = vars(item)
    return {name: value for name, value in values.items() if name not in aside}


def said_anew(before: Any, moment: Moment) -> dict[str, Any]:
    """Return the fields that tell of an item whose words change: some of them may be the old ones."""
    if not isinstance(before, HudValue):
        return {}
    by = least_trusted(before.said_by, moment.actor)
    return said_now(type(before), moment._replace(actor=by))


def said_again(before: ModelT, moment: Moment, **values: object) -> ModelT:
    """Return what says other words from now on; the very model where they are what it says."""
    after = with_values(before, **values)
    return after if after is before else with_values(after, **said_anew(before, moment))

"""A verb: what can happen to a section. Each is an event type, an operation of the tool, and a fold.

A verb is pure: no clock, no disk, no chance. What it needs to know of the world is in its
:class:`Moment`. It changes nothing in place, and gives back the very value that nothing happens to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, get_type_hints

from pydantic import BaseModel, create_model

from hud_components._models import Actor, HudModel
from hud_components.folding._edits import same_if_equal
from hud_components.folding._index import Items
from hud_components.folding._kind import Kind, with_ids
from hud_components.folding._payload import (
    Payload,
    joined,
)
from hud_components.folding._source import with_sources
from ujsx import DefinitionError, UjsxError
from ujsx.errors import shown


class Moment(NamedTuple):
    """When something happens, and who says it: all that a verb may know beside its arguments."""

    version: int
    """The event's place in its session."""

    turn: int
    """The agent's turn."""

    timestamp: int
    """Milliseconds since the Unix epoch."""

    actor: Actor
    """Who says it."""


timestamp: Callable[[Moment], int] = attrgetter("timestamp")
"""For :attr:`Verb.sets`: when it happens."""


class VerbError(UjsxError, TypeError):
    """A verb's function that gives what is no value of its section."""


class Folded(Protocol):
    """What a verb knows of the section that it is of."""

    name: str
    event: str
    draft: Any
    value: Any
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Verb:
    """Something that can happen to a section: a name, and a pure function.

    :param name: the last part of the event's type and of the operation's name.
    :param function: makes the new value out of the old one, the arguments and the :class:`Moment`.
        The annotation of its second parameter, a Pydantic model, says what the arguments are; ``id``
        among them names an item by its id, the id's beginning, or its text. It refuses with a
        ValueError, or a LookupError for something that is not there.

    >>> def escalate(tier: int | None, said: HudModel, moment: Moment) -> int:
    ...     return (tier or 0) + 1
    >>> Verb("escalate", escalate).name
    'escalate'
    """

    name: str
    function: Callable[[Any, Any, Moment], Any] | None = None
    help: str = ""
    """What it is for, in a few words behind the operation's name; see :meth:`Verb.in_section`."""
    doc: str | None = None
    """What it means that this happened, in a sentence."""
    answer: str = "Done."
    """What is said when it is done; ``{id}`` is what it was about."""
    told: str = ""
    """How the history tells of it."""
    event: str | None = None
    """The type of its event, where that does not follow from the section and the name."""
    arguments: type[BaseModel] | None = None
    """What a caller of the tool fills in, where that is not what the event says."""
    payload: type[Payload] | None = None
    """What the event says, where that does not follow from the section's draft."""
    rare: bool = False
    """Whether the tool's schema leaves it to ``help``."""
    is_operation: bool = True
    """Whether an agent can make it happen; False where only hosts and transcripts tell of it."""
    is_reported: bool = False
    """Whether it is something that hosts report, in a section that is not: then it does not make a
    HUD fresh."""
    also: Callable[[Any, Any], str] | None = None
    """What else the answer says, in words of the author's own: of the section's value before, and after."""
    sets: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """Fields that it sets, each to a value, or to what a function makes of the moment."""

    def type_of(self, section: Folded) -> str:
        """Return the type of the event."""
        return self.event or f"{section.event}.{self.name}"

    def in_section(self, section: Folded, others: Iterable[Verb]) -> Verb:
        """Return the verb with the words that its section's other verbs leave to it."""
        return self

    def payload_of(self, section: Folded) -> type[Payload]:
        """Return the model of what the event says."""
        if self.payload is not None:
            return self.payload
        name = "".join(part.title() for part in self.type_of(section).replace("_", ".").split("."))
        return self._payload(section, name)

    def arguments_of(self, section: Folded, payload: type[Payload]) -> type[BaseModel]:
        """Return the model of what a caller of the tool fills in."""
        return self.arguments or payload

    def _payload(self, section: Folded, name: str) -> type[Payload]:
        said = self.check_arguments()
        if said is section.value:  # what an author fills in of it is meant
            said = section.draft
        if issubclass(said, Payload):
            return create_model(name, __base__=said, __doc__=self.doc or said.__doc__)
        return joined(name, Payload, said, self.doc or said.__doc__)

    def check_arguments(self) -> type[BaseModel]:
        """Return the model that the second parameter of its function is annotated with.

        :raises DefinitionError: where that is none.
        """
        return _said_by(self.name, self.function)

    def apply(self, section: Folded, value: Any, said: Any, moment: Moment) -> Any:
        """Return the section's value after this has happened."""
        assert self.function is not None
        return folded(section, value, self.function(value, said, moment), moment)

    def values(self, moment: Moment) -> dict[str, object]:
        """Return the fields that it sets at that moment."""
        return {
            name: value(moment) if callable(value) else value for name, value in self.sets.items()
        }


TUPLES = frozenset({tuple, Items})
"""What a list of items may be."""


def folded(section: Folded, before: Any, after: Any, moment: Moment) -> Any:
    """Return what a function of the author's made of a section's value, if it is a value.

    Who said it is the store's to tell, and so are ids: the function need not.

    :raises VerbError: for a list of items that is no tuple, and a value, or an item, of another class.
    """
    if after is before:
        return after
    if section.kind is None:
        if after is None or isinstance(after, section.value):
            return with_sources(section, before, after, moment)
        what = f"{section.value.__name__}, or None"
    else:
        if after.__class__ in TUPLES:
            _check_items(section, after)
            named = with_ids(section.kind, after, moment.version)
            return same_if_equal(before, with_sources(section, before, named, moment))
        what = "tuple"
    raise VerbError(
        f"a function of {section.name} gave {shown(after)}, and its value is a {what}; return what it"
        " is from now on"
    )


def _check_items(section: Folded, items: tuple[Any, ...]) -> None:
    model = section.value
    if all(issubclass(each, model) for each in {*map(type, items)}):
        return
    stranger = next(item for item in items if not isinstance(item, model))
    raise VerbError(
        f"a function of {section.name} gave {shown(stranger)} as an item, and its items are each a"
        f" {model.__name__}; return items of that class"
    )


@cache
def _said_by(name: str, function: Callable[..., Any] | None) -> type[BaseModel]:
    verb = f"the verb {shown(name)}"
    if not callable(function):
        raise DefinitionError(f"{verb} has no function; give it one")
    names = list(signature(function).parameters)
    if len(names) != 3:
        raise DefinitionError(f"{verb} takes (value, arguments, moment), not ({', '.join(names)})")
    try:
        said = get_type_hints(function).get(names[1])
    except NameError as error:
        raise DefinitionError(
            f"{verb} is annotated with what is not known there: {error}"
        ) from None
    if not (isinstance(said, type) and issubclass(said, HudModel)):
        raise DefinitionError(
            f"{verb} does not say what its arguments are; annotate {shown(names[1])} with a HudModel,"
            " or give payload="
        )
    return said


def kind_of(section: Folded) -> Kind:
    """Return what tells a section's items apart.

    :raises DefinitionError: for a section without items.
    """
    if section.kind is None:
        raise DefinitionError(f'the section "{section.name}" has no items')
    return section.kind

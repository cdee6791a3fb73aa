"""A grammar of the layouts that an agent may bring, as trees in JSON.

``layout.set`` takes a layout as a document and as a tree; an open model that an engine holds to a
grammar writes the tree. What the check asks of a tree as a whole are states here, of which each node is
in one: what may stand in a node depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, get_args

from hud_components._levels import Level
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.layout._agent_layout import HIDING, SETTINGS, agent_vocabulary
from hud_components.layout._bound import ORDERS
from hud_components.layout._each import Each
from hud_components.layout._hud import Hud
from hud_components.layout._order import is_moving
from hud_components.layout._path_patterns import Compared, Items, paths, uses_in
from hud_components.layout._paths import Kinds
from hud_components.layout._value import Value
from hud_components.layout._when import When
from ujsx.components import PLAIN
from ujsx.schema import Run, Schema, Way, tree_grammar


def layout_grammar(state: type[State], *, syntax: str = "gbnf") -> str:
    """Return a grammar of the layouts that an agent may bring for states of a class, as trees in JSON.

    It holds all that :func:`agent_layout_of_data` and :func:`check_agent_layout` ask for but sizes:
    what may stand where, the props that may be set, the paths that there are and what can be done with
    what they lead to, that what changes every turn stands last, and that something of the session
    is shown. A tree is written as ``ujsx.dump`` writes it, with a ``Hud`` around it and without keys.

    :param syntax: "gbnf" for llama.cpp and xgrammar, "lark" for llguidance and Lark.
    :raises SchemaError: for an unknown syntax.
    :raises DefinitionError: for what is no class of states, such as a session or a domain.

    >>> from hud_components import HudState
    >>> grammar = layout_grammar(HudState)
    >>> "NotesSection" in grammar, "blockers" in grammar, "Link" in grammar
    (True, True, False)
    """
    known = agent_vocabulary(state)
    ways = _Ways(state)
    return tree_grammar(known, syntax=syntax, root=Hud, ways=ways.of, state=WHOLE)


class Order(Enum):
    """What a node does to the order, in which what changes every turn stands last."""

    STILL = "nothing in it changes every turn"
    TURNS = "something in it does, and behind that nothing with a ladder does not"
    MOVING = "nothing in it that has a ladder does not"


class Shows(NamedTuple):
    """A node that shows something of the session.

    :param order: what it does to the order.
    :param hidden: whether what is around it may hide it.
    """

    order: Order
    hidden: bool = False


class InItem(NamedTuple):
    """Whatever stands in an ``Each``, by what the item may be."""

    kinds: Kinds


WHOLE = "whole"
"""The HUD, around all else."""

WORDS = "words"
"""A node that shows nothing of the session."""

Place: TypeAlias = "str | Shows | InItem"


class _Ways:
    """In which ways a component of an agent's layout may stand, where a state is asked for."""

    def __init__(self, state: type[State]) -> None:
        self._state: Kinds = (state,)

    def of(self, kind: Any, place: Place) -> Iterator[Way]:
        if place == WHOLE:
            if kind is Hud:
                props = (_object({"title": None}),)
                yield Way((), props)  # the default sections
                for order in (Order.STILL, Order.TURNS):
                    yield Way(_showing(Shows(order)), props)
        elif kind is Hud:
            return
        elif isinstance(place, Shows):
            if kind is not str:
                yield from self._showing(kind, place)
        elif isinstance(place, InItem):
            yield from self._in_item(kind, place)
        elif not issubclass(kind, HudSection | When | Each | Value):
            yield Way((Run((WORDS,)),))

    def _showing(self, kind: Any, place: Shows) -> Iterator[Way]:
        order, hidden = place
        inside = Shows(order, hidden or kind in HIDING)
        if issubclass(kind, HudSection):
            yield from _section(kind, place)
        elif issubclass(kind, When):
            yield Way(_any(inside), _when((self._state,)))
        elif issubclass(kind, Value):
            if order is not Order.TURNS:
                yield Way((), _value((self._state,)))
        elif not issubclass(kind, Each):
            yield Way(_showing(inside))
        elif order is Order.STILL:
            for use in uses_in((self._state,)):
                if isinstance(use, Items):
                    item = InItem(use.kinds)
                    yield Way((Run((item,), several=False), Run((item,))), _each(self._state, use))

    def _in_item(self, kind: Any, place: InItem) -> Iterator[Way]:
        scopes = (place.kinds, self._state)
        if issubclass(kind, When):
            yield Way((Run((place,)),), _when(scopes))
        elif issubclass(kind, Value):
            yield Way((), _value(scopes))
        elif not issubclass(kind, HudSection | Each):
            yield Way((Run((place,)),))


def _any(inside: Shows) -> tuple[Run, ...]:
    """Children of what shows something itself; those that keep to an order."""
    if inside.order is not Order.TURNS:
        return (Run((WORDS, inside)),)
    return (
        Run((WORDS, inside._replace(order=Order.STILL))),
        Run((inside,), several=False),
        Run((WORDS, inside._replace(order=Order.MOVING))),
    )


def _showing(inside: Shows) -> tuple[Run, ...]:
    """Children of which one at least shows something."""
    if inside.order is Order.TURNS:  # which the one that changes does
        return _any(inside)
    return (Run((WORDS,)), Run((inside,), several=False), Run((WORDS, inside)))


def _section(kind: type[HudSection], place: Shows) -> Iterator[Way]:
    order, hidden = place
    if kind.stays_shown and hidden:
        return
    names = () if kind.stays_shown else SETTINGS
    props = (_object({name: None for name in names if name in kind.model_fields}),)
    if kind.disclosure is PLAIN:
        yield Way(_any(place), props)
    elif not is_moving(kind):
        if order is not Order.MOVING:
            yield Way(_any(place), props)
    elif order is not Order.STILL:
        yield Way(_any(place._replace(order=Order.MOVING)), props)


def _object(properties: dict[str, Schema | None], required: Any = ()) -> Schema:
    return {"properties": properties, "required": [*required]}


@lru_cache(maxsize=256)
def _each(state: Kinds, use: Items) -> tuple[Schema, ...]:
    """The props of what repeats for the items of some lists."""
    of: dict[str, Schema | None] = {"of": paths((state,), use), "limit": None, "separator": None}
    return tuple(
        _object({**said, **of}, [*needed, "of"]) for said, needed in _conditions((use.kinds, state))
    )


@lru_cache(maxsize=256)
def _value(scopes: tuple[Kinds, ...]) -> tuple[Schema, ...]:
    return (_object({"of": paths(scopes, "shown"), "code": None}, ["of"]),)


@lru_cache(maxsize=256)
def _when(scopes: tuple[Kinds, ...]) -> tuple[Schema, ...]:
    """The props of what asks for something: of a state, of an item, or of the items of a list."""
    return tuple(_asked(scopes))


def _asked(scopes: tuple[Kinds, ...]) -> Iterator[Schema]:
    level: dict[str, Schema | None] = {"level": _LEVEL}
    for said, needed in _conditions(scopes):
        if needed:
            yield _object({**said, **level}, needed)
    something = {"has": paths(scopes, "named"), "lacks": paths(scopes, "named"), **level}
    for name in something:  # the first of those that are given
        yield _object(something, [name])
        something = {each: schema for each, schema in something.items() if each != name}
    for use in uses_in(scopes):
        if isinstance(use, Items):
            for name in ("any", "none"):
                for said, needed in _conditions((use.kinds, *scopes)):
                    yield _object({**said, name: paths(scopes, use), **level}, [*needed, name])


def _conditions(scopes: tuple[Kinds, ...]) -> Iterator[tuple[dict[str, Schema | None], list[str]]]:
    """The props of a condition, and which of them are needed: none, or a field and a comparison."""
    named = paths(scopes, "named")
    either: dict[str, Schema | None] = {"has": named, "lacks": named}
    yield either, []
    for use in uses_in(scopes):
        if isinstance(use, Compared):
            comparisons = dict(_comparisons(use))
            for first in [*comparisons]:  # of those that are given
                yield {**either, "field": paths(scopes, use), **comparisons}, ["field", first]
                del comparisons[first]


_LEVEL: Schema = {"enum": [*get_args(Level)]}
_NUMBER: Schema = {"type": "number"}


@lru_cache(maxsize=256)
def _comparisons(use: Compared) -> dict[str, Schema]:
    """What a value can be compared with, by the props that do so."""
    either: list[Schema] = []
    if use.texts != ():
        either.append({"type": "string"} if use.texts is None else {"enum": [*use.texts]})
    if use.has_numbers:
        either += ({"type": "number"}, {"type": "boolean"})
    equals = either[0] if len(either) == 1 else {"anyOf": either}
    orders = dict.fromkeys(ORDERS, _NUMBER) if use.has_order else {}
    return {**({"equals": equals} if either else {}), **orders}

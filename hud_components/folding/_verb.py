"""Verbs: the possible changes of a section, and the most common ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

from pydantic import BaseModel, Field, create_model

from hud_components._models import HudModel, Line
from hud_components.folding._items import (
    Change,
    End,
    Index,
    ItemChange,
    Items,
    Kind,
    Moment,
    MoreWords,
    New,
    Order,
    Payload,
    Target,
    changeable,
    choice_of,
    duplicate,
    emptiable,
    joined,
    made_id,
    numbered,
    said_anew,
    said_now,
    same_if_equal,
    validated,
    with_ids,
    with_index,
    with_sources,
    with_values,
)
from ujsx import DefinitionError, UjsxError
from ujsx.calls import resolving
from ujsx.components import fields_of
from ujsx.errors import shown

timestamp: Callable[[Moment], int] = attrgetter("timestamp")
"""For :attr:`Verb.sets`: the time of the event."""


DONE = "Done."
"""The default answer of a verb."""

REOPENED = "Reopened {id}."


class VerbError(UjsxError, TypeError):
    """A verb's function that returns a value of the wrong type."""


class VerbSection(Protocol):
    """A verb's view of its section."""

    name: str
    event: str
    draft: Any
    value: Any
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Verb:
    """A possible change of a section: a name, and a pure function.

    :param name: the last part of the event's type and of the operation's name.
    :param function: returns the new value from the old one, the arguments and the :class:`Moment`. The annotation of
        its second parameter, a Pydantic model, defines the arguments; ``id`` identifies an item by its id, the start of
        it, or its text. It refuses with a ValueError, or a LookupError for a missing item.

    >>> def escalate(tier: int | None, said: HudModel, moment: Moment) -> int:
    ...     return (tier or 0) + 1
    >>> Verb("escalate", escalate).name
    'escalate'
    """

    name: str
    function: Callable[[Any, Any, Moment], Any] | None = None
    help: str = ""
    """Its purpose, in a few words after the operation's name; by default ``doc``; see :meth:`Verb.in_section`."""
    doc: str | None = None
    """The meaning of the event, in a sentence; by default the docstring of its arguments' class, or of its function."""
    answer: str = DONE
    """The answer when it is done; ``{id}`` and its arguments are available as holes."""
    told: str = ""
    """Its line in the history."""
    event: str | None = None
    """The event type, if not derived from the section and the name."""
    arguments: type[BaseModel] | None = None
    """The tool's arguments, if they differ from the event's payload."""
    payload: type[Payload] | None = None
    """The event's payload, if not derived from the section's draft."""
    rare: bool = False
    """True if only ``help`` describes it, and not the tool's schema."""
    is_operation: bool = True
    """True if agents can call it; False if only hosts and transcripts report it."""
    host_reported: bool = False
    """True if hosts report it, in a section for agents: then it does not make a HUD fresh."""
    also: Callable[[Any, Any], str] | None = None
    """Returns an addition to the answer, from the section's value before and after."""
    sets: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """The fields that it sets, each to a value, or to a function of the moment."""

    def type_of(self, section: VerbSection) -> str:
        """Return the type of the event."""
        return self.event or f"{section.event}.{self.name}"

    def in_section(self, section: VerbSection, others: Iterable[Verb]) -> Verb:
        """Return the verb with its texts completed by the section's other verbs."""
        return self

    def answer_in(self, section: VerbSection) -> str:
        """Return the answer when it is done in a section."""
        return self.answer

    def payload_of(self, section: VerbSection) -> type[Payload]:
        """Return the model of the event's payload."""
        if self.payload is not None:
            return self.payload
        name = "".join(part.title() for part in self.type_of(section).replace("_", ".").split("."))
        return self._payload(section, name)

    def arguments_of(self, section: VerbSection, payload: type[Payload]) -> type[BaseModel]:
        """Return the model of the tool's arguments."""
        return self.arguments or payload

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        said = self.check_arguments()
        if said is section.value:  # its fields for authors are meant
            said = section.draft
        own = None if said in (Target, HudModel) else said.__doc__
        doc = self.doc or own or self.function.__doc__ or said.__doc__
        if issubclass(said, Payload):
            return create_model(name, __base__=said, __doc__=doc)
        return joined(name, Payload, said, doc)

    def check_arguments(self) -> type[BaseModel]:
        """Return the model that the second parameter of its function is annotated with.

        :raises DefinitionError: if that is not a model.
        """
        return _said_by(self.name, self.function)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        """Return the section's value after the event."""
        assert self.function is not None
        return folded(section, value, self.function(value, said, moment), moment)

    def values(self, moment: Moment) -> dict[str, object]:
        """Return the fields that it sets at that moment."""
        return {
            name: value(moment) if callable(value) else value for name, value in self.sets.items()
        }


TUPLES = frozenset({tuple, Items})
"""The allowed types of a list of items."""


def folded(section: VerbSection, before: Any, after: Any, moment: Moment) -> Any:
    """Return the result of an author's function for a section's value, after validation.

    The store fills in sources and ids: the function need not.

    :raises VerbError: for a list of items other than a tuple, and a value, or an item, of another class.
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
    why = f"a function of {section.name} returned {shown(after)}"
    raise VerbError(f"{why}; return the new value, a {what}")


def _check_items(section: VerbSection, items: tuple[Any, ...]) -> None:
    model = section.value
    if all(issubclass(each, model) for each in {*map(type, items)}):
        return
    stranger = next(item for item in items if not isinstance(item, model))
    why = f"a function of {section.name} returned {shown(stranger)} as an item"
    raise VerbError(f"{why}; return items of the class {model.__name__}")


@cache
def _said_by(name: str, function: Callable[..., Any] | None) -> type[BaseModel]:
    verb = f"the verb {shown(name)}"
    if not callable(function):
        raise DefinitionError(f"{verb} has no function; give it one")
    names = list(signature(function).parameters)
    if getattr(function, "__name__", "") == "<lambda>":
        line = f"def {name}({', '.join(names[:1])}, said: Target, moment): …"
        raise DefinitionError(f"{verb} is a lambda, which has no types; write {line}")
    try:
        said = get_type_hints(function).get(names[1])
    except NameError as error:
        raise DefinitionError(
            f"{verb} has an annotation that cannot be resolved: {error}"
        ) from None
    if not (isinstance(said, type) and issubclass(said, HudModel)):
        kinds = "Target, or a subclass of it or of HudModel, or give payload="
        why = f"{verb} has no model of its arguments"
        raise DefinitionError(f"{why}; annotate {shown(names[1])} with {kinds}")
    return said


def kind_of(section: VerbSection) -> Kind:
    """Return the kind of a section's items.

    :raises DefinitionError: for a section without items.
    """
    if section.kind is None:
        raise DefinitionError(f'the section "{section.name}" has no items')
    return section.kind


# The common verbs: to add an item, to change it, to mark it as over, and so on.
#
# A section lists them by name; their texts are in :data:`VERBS`.


@dataclass(frozen=True, slots=True)
class Add(Verb):
    """Append an item; a duplicate of an open one changes nothing."""

    renews: bool = False
    """True if repeating a known item is an event, as it makes the item newer."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        return joined(name, New, section.draft, self.doc)

    def arguments_of(self, section: VerbSection, payload: type[Payload]) -> type[BaseModel]:
        return self.arguments or section.draft

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)
        index = kind.index(value)
        item_id = said.id or made_id(kind, moment.version, index)
        if item_id not in index and self.known(kind, index, said) is None:
            order: dict[str, object] = {}
            if kind.order is not None:
                order[kind.order] = getattr(value[-1], kind.order) + 1 if value else 1
            index.append(self.made(section, said, item_id, moment, order))
        return with_index(index, value)

    def known(self, kind: Kind, index: Index[Any], said: Any) -> Any:
        """Return the item that already says all that a draft says, or None."""
        return duplicate(kind, index, said)

    def made(
        self,
        section: VerbSection,
        said: Any,
        item_id: str,
        moment: Moment,
        order: Mapping[str, object] | None = None,
    ) -> Any:
        """Return the item for a draft."""
        values = {name: given for name, given in said if name != "id"}
        key = {kind_of(section).key: item_id}
        source = said_now(section.value, moment)
        return section.value(**{**values, **key, **source, **self.values(moment), **(order or {})})


@dataclass(frozen=True, slots=True)
class Update(Verb):
    """Change some fields of an item, or of a value; one that is not set is set, if all required fields are given. Where a user's change leaves none of its words, it is the user's."""

    told: str = "{id} changed: {changes}"
    draft: type[BaseModel] | None = None
    """The changeable fields, if not those of the section's draft."""
    alone: str | None = None
    """Its ``help`` if no other verb changes the same fields, beyond an item's text: then it is not rare."""

    def in_section(self, section: VerbSection, others: Iterable[Verb]) -> Verb:
        if self.alone is None:
            return self
        left = {*(self.draft or section.draft).model_fields}
        if section.kind is not None:
            left.discard(section.kind.text)
        for verb in others:
            if verb.is_operation and not isinstance(verb, Update | Add | Set | Replace | Append):
                left.difference_update(verb.sets, verb.payload_of(section).model_fields)
        return replace(self, help=self.alone, rare=False, alone=None) if left else self

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        base: type[Payload] = Change if section.kind is None else ItemChange
        return changeable(name, base, self.draft or section.draft, self.doc)

    def arguments_of(self, section: VerbSection, payload: type[Payload]) -> type[BaseModel]:
        return self.arguments or emptiable(payload)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        def edit(item: Any) -> Any:
            new = with_values(item, **said.values())
            if new is item:
                return item
            fields = (self.draft or section.draft).model_fields.items()
            stays = any(
                getattr(new, name) == getattr(item, name) != field.default for name, field in fields
            )
            is_users = moment.actor == "user" and not stays
            source = said_now(type(item), moment) if is_users else said_anew(item, moment)
            return validated(with_values(new, **source, **self.values(moment)))

        if section.kind is not None:
            return _edited(section.kind, value, said, edit)
        if value is None:  # there is nothing to change: what has all that is required is set
            given = said.values()
            needed = (
                name for name, field in fields_of(section.value).items() if field.is_required()
            )
            if not given.keys() >= {*needed}:
                return None
            return section.value(**given, **said_now(section.value, moment), **self.values(moment))
        return edit(value)


@dataclass(frozen=True, slots=True)
class _OfOne(Verb):
    """A verb on one item, with its id alone."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        return joined(name, Target, None, self.doc)

    def arguments_of(self, section: VerbSection, payload: type[Payload]) -> type[BaseModel]:
        return self.arguments or Target


@dataclass(frozen=True, slots=True)
class Mark(_OfOne):
    """Mark an item as over, complete or resolved; it stays in the state."""

    done: str | bool | None = None
    """The field to set, if not the section's ``done``: ``Mark("bake", done="baked")``; or the choice to set:
    ``Mark("fail", done="failed")``. False is for the opposite, a :class:`Reopen`.
    """

    if not TYPE_CHECKING:

        def __new__(cls, *args: Any, **given: Any) -> Mark | Reopen:
            if given.get("done") is False:
                return Reopen(
                    *args, **{name: each for name, each in given.items() if name != "done"}
                )
            return object.__new__(cls)

    def __post_init__(self) -> None:
        field: object = self.function
        if isinstance(field, str):  # Mark("bake", "baked")
            object.__setattr__(self, "done", field)
            object.__setattr__(self, "function", None)
        if self.done is True:
            object.__setattr__(self, "done", None)

    def in_section(self, section: VerbSection, others: Iterable[Verb]) -> Verb:
        end = section.kind and section.kind.end
        if self.help or self.doc or not end:
            return self
        return replace(self, help=f"one: it is then {end.word(self.value_of(end))}")

    def answer_in(self, section: VerbSection) -> str:
        end = section.kind and section.kind.end
        if self.answer != DONE or not end:
            return self.answer
        return f"Marked {{id}} as {end.word(self.value_of(end))}."

    def value_of(self, end: End) -> Any:
        """Return the value that ends an item; ``None`` if it could be any of several.

        >>> Mark("fail", done="failed").value_of(End("status", ("passed", "failed")))
        'failed'
        """
        if len(end.values) == 1:
            return end.values[0]
        said = (self.done, self.sets.get(end.field), self.name)
        meant = (choice_of(end.values, each) for each in said)
        return next((each for each in meant if each is not None), None)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)

        def edit(item: Any) -> Any:
            if kind.end is None or kind.end.has(item):
                return item
            over = {kind.end.field: self.value_of(kind.end)}
            return validated(with_values(item, **{**self.values(moment), **over}))

        return _edited(kind, value, said, edit)


@dataclass(frozen=True, slots=True)
class Reopen(_OfOne):
    """Reopen an item that was over: its field gets the value of a new item.

    With values of its own, it sets them in any item.
    """

    answer: str = REOPENED

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)

        def edit(item: Any) -> Any:
            opened: dict[str, Any] = {}
            if kind.end is not None and kind.end.has(item):
                usual = fields_of(section.value)[kind.end.field].default
                opened[kind.end.field] = False if kind.end.values == (True,) else usual
            return validated(with_values(item, **{**opened, **self.values(moment)}))

        return _edited(kind, value, said, edit)


@dataclass(frozen=True, slots=True)
class Remove(_OfOne):
    """Remove an item."""

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)
        index = kind.index(value)
        for number in index.with_key(getattr(said, kind.key)):
            index.remove(number)
        return with_index(index, value)


@dataclass(frozen=True, slots=True)
class Reorder(Verb):
    """Move the named items to the front, in the given order; the others follow in theirs."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        return joined(name, Order, None, self.doc)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)
        places = {item_id: place for place, item_id in enumerate(said.ids)}
        key = attrgetter(kind.key)
        ordered = sorted(value, key=lambda item: places.get(key(item), len(places)))
        return same_if_equal(value, numbered(kind, ordered))


@dataclass(frozen=True, slots=True)
class Append(Verb):
    """Append a line to the text of an item, or a value.

    Without a value, the line becomes the text. A text longer than its field allows is refused, with the current and the
    resulting number of characters.
    """

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        if section.kind is not None:
            return joined(name, MoreWords, None, self.doc)
        text: Any = (Line, Field(description=WHAT_IS_ADDED))
        return create_model(name, __base__=Payload, __doc__=self.doc, text=text)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        text = text_field(section)

        def edit(item: Any) -> Any:
            longer = f"{getattr(item, text)}\n{said.text}"
            check_room(section.value, text, getattr(item, text), longer)
            source = said_anew(item, moment)
            more = {text: longer, **source, **self.values(moment)}
            return validated(with_values(item, **more))

        if section.kind is not None:
            return _edited(section.kind, value, said, edit)
        if value is not None:
            return edit(value)
        check_room(section.value, text, "", said.text)
        source = said_now(section.value, moment)
        return section.value(**{text: said.text}, **source, **self.values(moment))


@dataclass(frozen=True, slots=True)
class Set(Verb):
    """Set the value; the same words again change nothing."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        return joined(name, Payload, section.draft, self.doc)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        words = dict(iter(said))  # an author may call a field "keys"
        own = value is not None and getattr(value, "origin", None) is None
        if own and all(getattr(value, name) == word for name, word in words.items()):
            return value
        return section.value(**words, **said_now(section.value, moment), **self.values(moment))


@dataclass(frozen=True, slots=True)
class Clear(Verb):
    """Clear the section."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        return joined(name, Payload, None, self.doc)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        return None if section.kind is None else ()


@dataclass(frozen=True, slots=True)
class Replace(Verb):
    """Replace the items; known ones keep their other fields."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        draft: Any = Add("add").payload_of(section)
        items: Any = (tuple[draft, ...], Field(description="All items that there are now."))
        return create_model(name, __base__=Payload, __doc__=self.doc, items=items)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        return items_of(section, Add("add", sets=self.sets), value, said.items, moment)


WHAT_IS_ADDED = "What is added, on a line of its own."


def text_field(section: VerbSection) -> str:
    """Return the main field of an item, or a value."""
    if section.kind is not None:
        return section.kind.text
    return str(getattr(section, "text", "") or next(iter(fields_of(section.draft))))


def room_of(model: type[BaseModel], field: str) -> int | None:
    """Return the most characters of a text field; None without a limit.

    >>> from typing import Annotated
    >>> from hud_components import HudValue, Line
    >>> class Goal(HudValue):
    ...     content: Annotated[Line, Field(max_length=1_000)]
    >>> room_of(Goal, "content")
    1000
    """
    limits = [getattr(each, "max_length", None) for each in fields_of(model)[field].metadata]
    return min((each for each in limits if isinstance(each, int)), default=None)


def check_room(model: type[BaseModel], field: str, before: str, after: str) -> None:
    """Refuse a text that is longer than its field allows.

    :raises ValueError: with the current and the resulting number of characters.
    """
    room = room_of(model, field)
    if room is None or len(after) <= room:
        return
    why = f"the {field} has {len(before):,} characters, and would have {len(after):,}"
    line = "say it in fewer, or set the whole anew"
    raise ValueError(f"{why}; it holds {room:,} at most: {line}")


def items_of(
    section: VerbSection, add: Add, old: tuple[Any, ...], drafts: Sequence[Any], moment: Moment
) -> tuple[Any, ...]:
    """Return one item for each draft: the known one with its new words, or a new one."""
    kind = kind_of(section)
    known = {getattr(item, kind.key): item for item in old}
    given = {getattr(draft, kind.key) for draft in drafts}
    taken = {*known, *(name for name in given if name is not None)}
    new: dict[str, Any] = {}
    for place, draft in enumerate(drafts, start=1):
        key = getattr(draft, kind.key) or made_id(kind, moment.version, taken, place)
        before = known.get(key)
        if before is None:
            new[key] = add.made(section, draft, key, moment)
        else:
            said = {name: value for name, value in draft if name != kind.key}
            after = with_values(before, **said)
            new[key] = (
                before
                if after is before
                else validated(with_values(after, **said_anew(before, moment)))
            )
    return same_if_equal(old, numbered(kind, new.values()))


def _edited(kind: Kind, items: Any, said: Any, edit: Callable[[Any], Any]) -> Any:
    """Return the items with one of them edited; the same object if nothing changes.

    An unknown id changes nothing: a replay never fails on a removed item.
    """
    index = kind.index(items)
    for number in index.with_key(getattr(said, kind.key)):
        before = index[number]
        after = edit(before)
        if after is not before:
            index.replace(number, after)
    return with_index(index, items)


if not TYPE_CHECKING:  # Mark("resolve", status="resolved")
    for each in (Verb, Add, Update, Mark, Reopen, Append, Set, Replace):
        each.__init__ = resolving(rest="sets")(each.__init__)

_ALL = (
    Add("add", help="one", answer="Added {id}.", told="{id} added: {text}"),
    Update(
        "update",
        help="the wording of an item",
        alone="any of its fields",
        answer="Updated {id}.",
        rare=True,
    ),
    Remove("remove", help="one", answer="Removed {id}.", told="{id} removed{item}"),
    Mark("complete", help="one", answer="Completed {id}.", told="{id} completed{item}"),
    Mark("resolve", help="one", answer="Resolved {id}.", told="{id} resolved{item}"),
    Reopen("reopen", help="one", told="{id} reopened{item}"),
    Reorder("reorder", help="these first", answer="Reordered.", told="{order}"),
    Append("append", help="a line to one", answer="Updated {id}.", told="{id} says more: {said}"),
    Replace(
        "replace", help="all of them", answer="Replaced.", told="{section} replaced", rare=True
    ),
    Set("set", help="it", answer="Set.", told="{section} set: {said}"),
    Clear("clear", help="it", answer="Cleared.", told="{section} cleared"),
)

VERBS: Mapping[str, Verb] = MappingProxyType({verb.name: verb for verb in _ALL})
"""The verbs by name."""


def usual(name: str, **changes: Any) -> Verb:
    """Return one of :data:`VERBS` with other words, payload or values.

    >>> usual("remove", help="a note").answer
    'Removed {id}.'
    """
    verb = VERBS[name]
    if isinstance(verb, Update) and "help" in changes:
        changes["alone"] = None  # its own help holds in any section
    return replace(verb, **changes)

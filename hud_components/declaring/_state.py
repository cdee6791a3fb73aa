"""The state of a session: its model, the order of worth, pinned and folded sections, and data of older versions.

Recorded data never change. A payload that the current model accepts is read unchanged; otherwise it is tried again with
the former names of sections and fields, and after upcasts.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeGuard,
    TypeVar,
    cast,
    overload,
)
from zlib import crc32

from pydantic import Field, TypeAdapter, ValidationError, create_model

from hud_components._models import (
    ContextUsage,
    HudModel,
    Look,
    Milliseconds,
    SessionInfo,
    Text,
    Unreadable,
    UsageReading,
)
from hud_components.declaring._checks import verbs_of
from hud_components.declaring._values import no_field
from hud_components.folding import Add, Replace, Set, with_values
from hud_components.words._texts import SUMMARY_AGES
from ujsx import DefinitionError, Density, Disclosure, Priority, Rung
from ujsx.components import ReadInParts, fields_of
from ujsx.errors import complaint, did_you_mean, listed, mistakes_of, shown
from ujsx.text import is_text

if TYPE_CHECKING:
    from hud_components._models import PlainItem
    from hud_components.declaring._items_section import ItemsSection
    from hud_components.declaring._section import HudSection
    from hud_components.declaring._value_section import ValueSection
    from ujsx.schema import SchemaChange

    ItemT = TypeVar("ItemT", bound=PlainItem)
    ValueT = TypeVar("ValueT", bound=HudModel)

# The order of worth: what a HUD shows first when tokens are short, and why.
#
# A rung of a section's ladder says what the step up to it is worth; steps are taken in this order,
# whatever they cost. What says nothing stands between what is shown in short and what is shown in full.


class Worth:
    """The worth of a step up a ladder, by what it adds: steps are taken in this order."""

    ABOUT_WHAT = Priority(1, "a few words more of what it is about")
    PINNED_IN_SHORT = Priority(5, "it is pinned: the newest of it, in short")
    FILES_NAMED = Priority(6, "what is worked on, by name")
    FAILURE_NAMED = Priority(FILES_NAMED.rank, "what failed, by name")
    CHECKS_NAMED = Priority(7, "what was checked last, by name")
    LAST_COMMAND = Priority(8, "what ran last")
    AIM = Priority(9, "what it is all about")
    COUNTED = Priority(AIM.rank, "how much there is")
    FOLDED = Priority(COUNTED.rank, "it is folded")
    OBSTACLES = Priority(10, "nothing goes on while it stands")
    IN_SHORT = Priority(12, "what it says, in short")
    FULLNESS = Priority(13, "how full the context is")
    STALE = Priority(14, "what follows may mislead")
    MISSING = Priority(STALE.rank, "what is missing")
    PINNED = Priority(15, "it is pinned")
    NEXT_UP = Priority(16, "what is to be done next")
    LAST_CHECKS = Priority(17, "what was checked last, and what of it failed")
    OPEN_ERRORS = Priority(18, "what is wrong now")
    NEWEST = Priority(20, "the newest of what holds from now on")
    IN_WORK = Priority(21, "what is in work")
    NEWEST_FEW = Priority(22, "the newest few of what holds from now on")
    A_FEW = Priority(NEWEST_FEW.rank, "a few of its items")
    LAST_FINDING = Priority(23, "what the agent last found, offered or asked")
    WHERE_IT_STANDS = Priority(24, "where the work stands")
    MORE_IN_SHORT = Priority(30, "more of it, in short")
    SUMMARY_IN_SHORT = Priority(31, "what the summary says, in short")
    FINDING_RECALLED = Priority(33, "what the agent said, and where the work was left off")
    FILES_RECALLED = Priority(34, "what became of the files that were edited")
    SUMMARY_RECALLED = Priority(35, "what the summary says of findings, errors and decisions")
    ASKS_RECALLED = Priority(36, "what the user asked for before, and what came of it")
    OBSTACLES_IN_FULL = Priority(40, "all of what stands in the way")
    IN_FULL = Priority(41, "what it says, in full")
    REASONS_RECALLED = Priority(IN_FULL.rank, "why the agent did what it did")
    PLAN_IN_FULL = Priority(42, "the plan in full")
    ERRORS_IN_FULL = Priority(43, "what is wrong now, in full")
    NEWEST_IN_FULL = Priority(44, "what holds from now on, with its reasons")
    IN_WORK_IN_FULL = Priority(60, "all of what is in work")
    DONE_OR_OLD = Priority(70, "what is long, done, committed or old")
    REST = Priority(DONE_OR_OLD.rank, "the rest of it")
    LAST_FINDING_IN_FULL = Priority(75, "what the agent last said, in full")
    ABOUT = Priority(80, "what is about the session itself")
    LAST_MESSAGES = Priority(90, "the newest of what was said")


class Width:
    """The characters of a text that a rung shows."""

    LEAST = 10
    """The characters of a text that are always shown."""

    SHORT = 28
    """The characters of a text that are shown before anything else: its subject."""

    BRIEF = 80
    """The characters of a text with most of its meaning."""

    LONG = 400
    """The characters of a text that are shown before all other sections are in full."""

    MOST = 640
    """The characters of a text below full density if nothing else is left to show: more than there is room for."""


NEWEST_IF_ROOM = (
    Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.SHORT, worth=Worth.DONE_OR_OLD),
    Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
)
"""The rungs of a counted list: its newest item, if there is spare room."""

ALL_IN_SHORT = (
    Rung(Density.COMPACT, only_if_room=True, worth=Worth.DONE_OR_OLD),
    Rung(Density.COMPACT, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
)
"""The rungs of a partly shown list: all its items in short, if there is spare room."""


@lru_cache(maxsize=64)
def shortened(usual: Disclosure, width: int) -> Disclosure:
    """Return a disclosure whose compact rungs have at most this many characters of each text."""
    ladder = (
        replace(rung, width=width) if rung.density is Density.COMPACT and not rung.width else rung
        for rung in usual.ladder
    )
    return replace(usual, ladder=tuple(ladder))


# Sections that the user or the agent pinned or folded, and the resulting ladders.
#
# This is a fact of the session, so it holds over turns and compactions, in every process, until it is undone. A pin
# raises the worth of a section's rungs, and densities are no ceiling to it, though a budget still is. A folded section
# shows its shortest form, whatever the room.

StateT = TypeVar("StateT", bound=HudModel)

Standing: TypeAlias = Literal["pinned", "folded", "usual"]
"""Pinned: shown in full, within the budget. Folded: in its shortest form. Usual: neither, whatever the bound state."""


def standing_of(section: type[HudSection], state: State) -> Standing | None:
    """Return whether a section is pinned or folded in a state; ``None`` for neither.

    >>> from hud_components import HudState, NotesSection
    >>> standing_of(NotesSection, HudState(folded_sections=("notes",)))
    'folded'
    """
    if not section.field:
        return None
    if section.field in state.pinned_sections:
        return "pinned"
    return "folded" if section.field in state.folded_sections and can_fold(section) else None


def can_fold(section: type[HudSection]) -> bool:
    """Tell whether a section can be folded: mandatory ones cannot."""
    return not section.stays_shown


def as_usual(state: StateT) -> StateT:
    """Return the state without pinned or folded sections.

    >>> from hud_components import HudState
    >>> as_usual(HudState(folded_sections=("notes",))).folded_sections
    ()
    """
    return with_values(state, pinned_sections=(), folded_sections=())


@lru_cache(maxsize=256)
def disclosed_as(section: Any, standing: Standing, narrowed: Disclosure | None) -> Disclosure:
    """Return the disclosure of a section that is pinned or folded.

    :param section: its class.
    :param narrowed: its disclosure if its props narrow it.
    """
    disclosure: Disclosure = section.disclosure if narrowed is None else narrowed
    if standing == "folded":
        return _folded(disclosure, has_count=section.kind is not None and section.is_cut)
    return replace(disclosure, ladder=tuple(_pinned(disclosure.ladder)), is_pinned=True)


FEW = 3
"""The number of items that a pinned list shows in short before all else."""


def _pinned(ladder: Sequence[Rung]) -> Iterator[Rung]:
    """Return the rungs with more worth; a spare one is for any budget if all above show at least as much.

    A list with a count as its shortest form gets rungs above it with its newest few items in short.
    """
    least, *others = ladder
    if least.limit == 0 and all(
        rung.only_if_room or rung.density > least.density for rung in others
    ):
        most = ladder[-1].limit
        short = [
            Rung(least.density, 1, width=Width.SHORT),
            Rung(Density.COMPACT, FEW, width=Width.SHORT),
        ]
        short = [each for each in short if most is None or _reach(each) <= most]
        yield replace(least, worth=min(least.worth, Worth.PINNED_IN_SHORT))
        yield from (replace(each, worth=Worth.PINNED_IN_SHORT) for each in short)
        dense = [each for each in others if each.density > least.density]
        ladder = [each for each in dense if not short or _reach(each) >= _reach(short[-1])]
    for place, rung in enumerate(ladder):
        above = [each for each in ladder[place + 1 :] if not each.only_if_room]
        only_if_room = rung.only_if_room and any(_reach(each) < _reach(rung) for each in above[:1])
        yield replace(rung, worth=min(rung.worth, Worth.PINNED), only_if_room=only_if_room)


def _reach(rung: Rung) -> float:
    return float("inf") if rung.limit is None else rung.limit


def _folded(disclosure: Disclosure, *, has_count: bool) -> Disclosure:
    """Return a ladder of the shortest forms: for a list a count, with the call that shows all."""
    least = disclosure.ladder[:1]
    short = [
        each for each in disclosure.ladder if each.width is not None and each.width <= Width.SHORT
    ]
    counted = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 0))
    rungs = counted if has_count else short or least
    return replace(
        disclosure,
        ladder=tuple(replace(rung, worth=Worth.FOLDED) for rung in rungs),
        floor=disclosure.floor and rungs[0].density,
        whole=disclosure.top,
    )


def is_none(value: object) -> bool:
    """Tell whether a fact is omitted from stored states: most sessions never set a layout."""
    return value is None


class LaterFacts(HudModel):
    """The facts of a session that follow those of its sections, in any domain."""

    usage: ContextUsage | None = None
    """How full the context is; None before the first reading."""

    readings: tuple[UsageReading, ...] = ()
    """The last readings of the context window, oldest first; the trend is read off them."""

    compacted_context: Text | None = None
    """The summary of the last compaction."""

    compacted_in: int | None = Field(default=None, exclude_if=is_none)
    """The turn of the last compaction. A dump has it where there was one."""

    summary_age: int = Field(default=0, exclude_if=operator.not_)
    """The age of the summary, in steps of ``SUMMARY_AGES``. A dump has it where that is not 0."""

    unconfirmed: tuple[Text, ...] = Field(default=(), exclude_if=operator.not_)
    """The plans that nothing has touched since a compaction, by the state's fields. A dump has them where there
    are any."""

    layout: Text | None = Field(default=None, exclude_if=is_none)
    """The layout that the agent has set."""

    look: Look | None = Field(default=None, exclude_if=is_none)
    """The layout and the words that a person gave the HUD."""

    pinned_sections: tuple[Text, ...] = Field(default=(), exclude_if=operator.not_)
    """The sections that are pinned open, by the state's fields."""

    folded_sections: tuple[Text, ...] = Field(default=(), exclude_if=operator.not_)
    """The sections that are folded, by the state's fields."""

    unreadable: tuple[Unreadable, ...] = Field(default=(), exclude_if=operator.not_)
    """Stored data that the domain cannot read, and the state lacks."""

    updated_at: Milliseconds = 0
    """When its author last changed it: what hosts report, such as files and readings, is not
    counted. 0 when that is not known."""


class State(ReadInParts, HudModel):
    """Everything a HUD can show: the fold of a session's events.

    It holds every item, resolved and completed ones too, oldest first; only rendering leaves
    things out. A domain's state has a field for each of its sections, between the session and the
    other facts: ``state[Remedies]`` is its value.
    """

    def _as_node(self) -> Any:
        """Return its default layout, as a child of a component."""
        return import_module("hud_components").Hud.of(self)

    _also: ClassVar[Mapping[str, str]] = {"usage": "context contextusage"}

    sections: ClassVar[tuple[type[HudSection], ...]] = ()
    """The sections of the domain, in the order in which its HUD shows them."""

    lists: ClassVar[tuple[str, ...]] = ()
    """The fields that hold items."""

    session: SessionInfo | None = None
    """The session; None for a state of no session."""

    if TYPE_CHECKING:  # they are in every state, behind those of the sections
        usage: ContextUsage | None = None
        readings: tuple[UsageReading, ...] = ()
        compacted_context: Text | None = None
        compacted_in: int | None = None
        summary_age: int = 0
        unconfirmed: tuple[str, ...] = ()
        layout: Text | None = None
        look: Look | None = None
        pinned_sections: tuple[Text, ...] = ()
        folded_sections: tuple[Text, ...] = ()
        unreadable: tuple[Unreadable, ...] = ()
        updated_at: Milliseconds = 0

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of the only section with another name, as in data: ``state.steps``."""
            if not name.startswith("_") and name not in fields_of(type(self)):
                from hud_components.declaring._spellings import sections_named  # few names need it

                found = sections_named(name, {own.field: own for own in self.sections if own.field})
                if len(found) == 1 and found[0] in vars(self):
                    return getattr(self, found[0])
            return super().__getattr__(name)

    @overload
    def __getitem__(self, section: type[ItemsSection[ItemT]]) -> tuple[ItemT, ...]: ...

    @overload
    def __getitem__(self, section: type[ValueSection[ValueT]]) -> ValueT | None: ...

    @overload
    def __getitem__(  # type: ignore[overload-overlap] # pyright: ignore[reportOverlappingOverload]
        self, section: type[ItemT]
    ) -> tuple[ItemT, ...]: ...

    @overload
    def __getitem__(self, section: type[ValueT]) -> ValueT | None: ...

    def __getitem__(self, section: type[HudSection | HudModel]) -> Any:
        """Return the value of a section: its items, or its value or None. Their class stands for the section.

        :raises DefinitionError: for a section that is not in the domain, and for a class that several list.
        """
        name: object = section
        if isinstance(name, str):
            by_name = {each: own for own in self.sections for each in (own.name, own.field)}
            section = by_name.get(name, section)
        listing = [own for own in self.sections if own.value is section and own.field]
        if len(listing) > 1:
            lines = " or ".join(f"state[{own.__name__}]" for own in listing)
            raise DefinitionError(f"{len(listing)} sections list {section.__name__}; write {lines}")
        for own in self.sections:
            if own.field and (own is section or own in listing):
                return getattr(self, own.field)
            if own is section:
                why = f"{own.__name__} has no value in a state: it shows what others have"
                line = f"make the section itself: {own.__name__}.of_state(state)"
                raise DefinitionError(f"{why}; ask for those, or {line}")
        names = [own.__name__ for own in self.sections if own.field]
        what = getattr(section, "__name__", shown(section))
        why = f"{what} is not a section of this state's domain; it has {listed(names)}"
        line = "a store, or a command's --domain, is given the domain that has it"
        raise DefinitionError(f"{why}; {line}")


def recalls(state: State) -> bool:
    """Tell whether a HUD repeats the conversation before its last compaction: while there is a summary."""
    return state.compacted_in is not None and state.summary_age < len(SUMMARY_AGES)


FACTS = (*fields_of(State), *fields_of(LaterFacts))
"""The names of all facts, which no section can have."""


def state_model(
    name: str, sections: Iterable[type[HudSection]], base: type[State] | None = None
) -> type[State]:
    """Return the model of the states of a domain with these sections.

    :param base: the states of a domain with all other sections of it.
    """
    fields: dict[str, Any] = {}
    for section in sections:
        value: Any = section.value
        if section.kind is None:
            fields[section.field] = (value | None, None)
        elif section.field:
            fields[section.field] = (tuple[value, ...], ())
    doc = "Everything its HUD can show: the fold of a session's events."
    if base is not None:
        return create_model(name, __base__=base, __doc__=doc, **fields)
    later: dict[str, Any] = {
        name: (each.annotation, each) for name, each in fields_of(LaterFacts).items()
    }
    return create_model(name, __base__=State, __doc__=doc, **fields, **later)


@cache
def no_state() -> State:
    """Return the state if none is bound."""
    return state_model("NoState", ())()


# Old logs in terms of current declarations: former names of sections and fields, and upcasts.


def former_types(sections: Iterable[Any]) -> dict[str, str]:
    """Return the event types under former section names, each with the current one."""
    found: dict[str, str] = {}
    for section in sections:
        for name in section.former:
            for verb in verbs_of(section):
                if verb.event is None:
                    found[f"{name}.{verb.name}"] = verb.type_of(section)
    return found


def former_fields(sections: Iterable[Any]) -> dict[str, str]:
    """Return the state's fields under former section names, each with the current one."""
    return {name: section.field for section in sections for name in section.former}


def check_versions(sections: Iterable[Any]) -> Iterator[str]:
    """Yield former names that are in use, and upcasts of events that do not exist."""
    known = list(sections)
    today = {name: section for section in known for name in (section.name, section.event)}
    seen: dict[str, Any] = {}
    for section in known:
        what, fields = section.__name__, fields_of(section.value)
        for name in section.former:
            other = seen.get(name) or today.get(name)
            if other is not None:
                why = f"{shown(name)} is a name of {other.__name__}"
                yield f"{what}.former: {why}; an event could be of either of them"
            seen[name] = section
        for old, new in section.former_fields.items():
            if new is not None and new not in fields:
                fault = no_field(f"{what}.former_fields", section.value, new)
                yield f"{fault}; None is for one that is gone"
            if old in fields:
                why = f"{section.value.__name__} has a field {shown(old)} today"
                yield f"{what}.former_fields: {why}; leave it out"
        types = {verb.type_of(section) for verb in verbs_of(section)}
        types |= former_types([section]).keys()
        for event_type, change in section.upcasts.items():
            if event_type not in types:
                why = f"nothing of the type {shown(event_type)} happens to it"
                yield f"{what}.upcasts: {why}; {did_you_mean(event_type, types)}"
            if not callable(change):
                line = "give one that takes the payload as it was recorded, and returns today's"
                yield f"{what}.upcasts: {shown(event_type)} has no function; {line}"


def upcast(
    domain: Any, event_type: str, payload: Mapping[str, Any], *, strict: bool = False
) -> dict[str, Any]:
    """Return a recorded payload in the form of its type's current model.

    :param event_type: the recorded type.
    :param strict: whether to keep inherited items that are no longer valid, as for an import, so that they are refused.
    """
    data = dict(payload)
    section_event = domain.section_events.get(domain.current_type(event_type))
    if section_event is not None:
        section = section_event.section
        data = _renamed(section, _stepped(section, section_event.type, data, event_type))
        if isinstance(section_event.verb, Replace):
            data["items"] = [_draft(section, each) for each in data.get("items", ())]
        return data
    fields = former_fields(domain.sections)
    if event_type in ABOUT_ONE:
        data["section"] = fields.get(data.get("section", ""), data.get("section"))
    elif event_type == "section.replace":
        named = {fields.get(name, name): items for name, items in data.items()}
        data = {
            name: [_draft(domain.fields[name], each) for each in items or ()]
            if name in domain.fields
            else items
            for name, items in named.items()
        }
    elif event_type == "session.start":
        if "domain" in data:  # of a session that has since moved
            data["domain"] = domain.name
        if isinstance(data.get("inherited"), dict):
            data["inherited"] = _inherited(domain, data["inherited"], fields, strict=strict)
    return data


ABOUT_ONE = ("section.clear", "section.pin", "section.fold", "section.reset")
"""Events with a section's name, as a field of the state."""


def _stepped(
    section: Any, current: str, data: dict[str, Any], recorded: str | None = None
) -> dict[str, Any]:
    change = section.upcasts.get(recorded) or section.upcasts.get(current)
    return data if change is None else dict(change(data))


def _renamed(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    names = section.former_fields
    return {
        names.get(name, name): value
        for name, value in data.items()
        if name not in names or (names[name] is not None and names[name] not in data)
    }


def _draft(section: Any, data: Any) -> Any:
    """Return an item of a section's replacement, in the form of its verb's payload for a new one."""
    if not _is_object(data):
        return data
    for verb in verbs_of(section):
        if isinstance(verb, Add):
            data = _stepped(section, verb.type_of(section), data)
    return _renamed(section, data)


def _inherited(
    domain: Any, state: Mapping[str, Any], fields: Mapping[str, str], *, strict: bool
) -> dict[str, Any]:
    """Return a session's inherited data, without removed sections and invalid items.

    Dropped ones are counted in it, like unreadable events.
    """
    found: dict[str, Any] = {}
    lost: list[dict[str, Any]] = []
    for each in _parts_of(domain, state, fields):
        if each.why is not None and not strict:
            lost.append({"section": each.field, "item": each.item, "version": 1})
        elif each.is_item:
            found.setdefault(each.field, []).append(each.value)
        else:
            found[each.field] = each.value
    if lost:
        found["unreadable"] = [*found.get("unreadable", ()), *lost]
    return found


class _StatePart(NamedTuple):
    """An item, a value or a fact of a session's inherited state."""

    place: str
    """Its place in the recorded data."""

    field: str
    value: Any
    """Its form in the current model, if valid."""

    is_item: bool = False
    item: str = ""
    """Its key."""

    why: str | None = None
    """The reason that the current model rejects it."""


def _parts_of(
    domain: Any, state: Mapping[str, Any], fields: Mapping[str, str]
) -> Iterator[_StatePart]:
    facts = fields_of(domain.state).keys() - domain.fields.keys()
    for name, value in state.items():
        field = fields.get(name, name)
        if field in facts:
            yield _StatePart(name, field, value)
        elif not isinstance(value, list | tuple):
            if value is not None:
                yield _part(domain, name, field, value, is_item=False)
        else:
            for place, each in enumerate(cast("Sequence[Any]", value)):
                yield _part(domain, f"{name}[{place}]", field, each, is_item=True)


def _part(domain: Any, place: str, field: str, value: Any, *, is_item: bool) -> _StatePart:
    section = domain.fields.get(field)
    key = section.kind.key if section is not None and section.kind is not None else "id"
    name = value.get(key) if _is_object(value) else None
    usual = "" if section is None or is_item else section.name
    item = name if isinstance(name, str) and is_text(name) else usual
    why: str | None = None
    if section is None:
        why = f'the domain "{domain.name}" has no such section'
    elif is_item is (section.kind is None):
        why = f"the section has {'one value' if is_item else 'items'} today"
    elif not _is_object(value):
        why = "it is not an object"
    else:
        value = _as_today(section, value)
        why = _why_not(section.value, value)
    return _StatePart(place, field, value, is_item, item, why)


def _as_today(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an inherited item, or value, in the form of the current model, if valid.

    It is the result of an event, not its payload. So if renaming alone is not enough, the upcasts of those events are
    applied; fields that only the store and verbs set stay unchanged.
    """
    renamed = _renamed(section, data)
    if _why_not(section.value, renamed) is None:
        return renamed
    for change in _makers(section):
        try:
            made = {**_not_said(section, data), **_renamed(section, change(dict(data)))}
        except Exception:  # noqa: BLE001, S112 - it is the author's
            continue
        if _why_not(section.value, made) is None:
            return made
    return renamed


def _makers(section: Any) -> Iterator[Callable[[dict[str, Any]], Mapping[str, Any]]]:
    """Return the upcasts of the events for a new item, or a value."""
    for verb in verbs_of(section):
        if isinstance(verb, Add | Set):
            names = (section.event, *section.former) if verb.event is None else ()
            types = (verb.type_of(section), *(f"{name}.{verb.name}" for name in names))
            yield from (
                section.upcasts[each] for each in dict.fromkeys(types) if each in section.upcasts
            )


def _not_said(section: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item's fields that are not the author's."""
    said = fields_of(section.draft)
    return {
        name: data[name] for name in fields_of(section.value) if name in data and name not in said
    }


def left_out(domain: Any, payload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the inherited data that a session lost: the place, and the reason.

    :param payload: the recorded payload of the session's first event.
    """
    state = payload.get("inherited")
    for each in _parts_of(
        domain, state if _is_object(state) else {}, former_fields(domain.sections)
    ):
        if each.why is not None:
            yield each.place, each.why


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _why_not(model: Any, data: Any) -> str | None:
    """Return the reason that data are invalid for a model, as a sentence without a period, or None."""
    try:
        TypeAdapter(model).validate_json(json.dumps(data))
    except ValidationError as error:
        first, *more = mistakes_of(error)
        place = ".".join(map(str, first["loc"]))
        others = f", and {len(more)} more" if more else ""
        said = complaint(first)
        return f"{place}: {said}{others}" if place else f"{said}{others}"
    return None


def stored_changes(domain: Any, old: Mapping[str, Any]) -> Iterator[tuple[str, SchemaChange]]:
    """Yield the changes in event payloads since the schemas ``old``, by type.

    ``former`` and ``former_fields`` are considered; the result of an upcast is unknown.
    """
    from ujsx.schema import SchemaChange, compare_schemas, tool_schema

    for recorded, schema in old.items():
        today = domain.current_type(recorded)
        section_event = domain.section_events.get(today)
        if section_event is None:
            advice = f"former = ({recorded.rpartition('.')[0]!r},), if the section has another name"
            why = "no event has this type, or had it"
            yield recorded, SchemaChange("", "", None, None, True, why, advice)
            continue
        section, before = section_event.section, deepcopy(schema)
        _rename_in(before, section.former_fields)
        if isinstance(section_event.verb, Replace):
            item = before.get("properties", {}).get("items", {}).get("items", {})
            named = item.get("$ref", "").rpartition("/")[2]
            _rename_in(before.get("$defs", {}).get(named, item), section.former_fields)
        declared = next((each for each in (recorded, today) if each in section.upcasts), None)
        for each in compare_schemas(before, tool_schema(domain.payload(today)), event=recorded):
            if each.is_breaking and declared is not None:
                advice = f"unless upcasts[{declared!r}] returns what is valid: ujsx doctor reads your stores with it"
                yield recorded, replace(each, remedy=advice)
            else:
                yield recorded, each


def _rename_in(schema: dict[str, Any], names: Mapping[str, str | None]) -> None:
    """Give the members of an object's schema their current names."""
    members: dict[str, list[Any]] = {}
    for name, each in schema.get("properties", {}).items():
        today = names.get(name, name)
        if today is not None:
            members.setdefault(today, []).append(each)
    schema["properties"] = {
        name: each[0] if len(each) == 1 else {"anyOf": each} for name, each in members.items()
    }
    required = (names.get(each, each) for each in schema.get("required", ()))
    schema["required"] = [each for each in dict.fromkeys(required) if each is not None]


def revision_of(domain: Any) -> int:
    """Return the key of snapshots: it changes if events could add up to other states.

    It is derived from the declaration's data. Function bodies are not inspected: raise the section's ``revision`` when
    you change one.
    """
    told = [
        {
            "field": section.field,
            "revision": section.revision,
            "former": section.former,
            "fields": dict(section.former_fields),
            "upcasts": sorted(section.upcasts),
            "on": sorted(section.on),
            "value": section.value.model_json_schema(),
            "verbs": {
                verb.type_of(section): domain.payload(verb.type_of(section)).model_json_schema()
                for verb in verbs_of(section)
            },
        }
        for section in domain.fields.values()
    ]
    return crc32(json.dumps(told, sort_keys=True, default=str).encode()) & 0x7FFFFFFF

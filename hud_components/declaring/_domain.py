"""Domains: sets of sections, and stored data that they cannot read."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, count, product
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NoReturn,
    TypeAlias,
    cast,
    get_args,
)

from pydantic import BaseModel
from typing_extensions import TypeVar

from hud_components._models import HudValue, Unreadable
from hud_components.declaring._checks import adding, name_like, such_as, unset_field, verbs_of
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import WrittenLine, common, line_of, warn
from hud_components.declaring._section import HudSection, check_declared
from hud_components.declaring._spellings import sections_named
from hud_components.declaring._state import (
    FACTS,
    State,
    check_versions,
    former_types,
    left_out,
    revision_of,
    state_model,
    stored_changes,
    upcast,
)
from hud_components.declaring._value_section import ValueSection, View, section_of, sections_of
from hud_components.declaring._values import Faults
from hud_components.folding import (
    Clear,
    Kind,
    Moment,
    Payload,
    Remove,
    Replace,
    Set,
    Verb,
    folded,
    replaced,
    with_index,
    with_sections,
)
from hud_components.words import NO_TEXTS
from ujsx import Child, Component, DefinitionError, Density
from ujsx.calls import Answering, AnsweringType, resolving
from ujsx.components import Displayable, fields_of, first_text
from ujsx.errors import CallError, did_you_mean, quoted, shown
from ujsx.text import is_text

if TYPE_CHECKING:
    from ujsx.schema import SchemaChange

# The check for clashes between the sections of a domain: names, nouns, and short lines.

FACT_EVENTS = frozenset({"session", "context", "compact", "section", "hud", "layout"})
"""The prefixes of other event types: those of the facts of every session."""


_NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""The form of a domain's name."""


def check_sections(domain: str, sections: Sequence[type[HudSection]]) -> None:
    """Refuse invalid or indistinguishable sections.

    :raises DefinitionError: with the change for each.
    """
    faults = Faults()
    for each in dict.fromkeys(sections):
        faults.of(_check_section, each, sections.count(each))
    are_sections, name = not faults, cast("object", domain)
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        rule = f"use lower-case letters, digits, - and _{such_as(name)}"
        faults.append(f"{shown(name)} is not a valid name for a domain; {rule}")
    if not sections:
        line = "give it at least one, such as NotesSection"
        faults.append(f"sections: {shown(name)} has none; {line}")
    if are_sections:
        faults += _check_reads(domain, sections)
        for number, section in enumerate(sections):
            faults.of(_check_facts, domain, section)
            for other in sections[:number]:
                faults += _alike(section, other, sections)
    faults.check()
    for complaint in filter(None, map(unset_field, sections)):
        warn(complaint)


def _check_section(section: type[HudSection], count: int) -> Iterator[str]:
    """Yield anything but a section with its own declaration."""
    given: object = section
    if not (isinstance(given, type) and issubclass(given, HudSection)):
        yield f"sections: {shown(given)} {_instead_of_section(given)}"
    elif count > 1:
        yield f"sections: {section.__name__} is given twice; leave one out"
    elif section in {HudSection, View}:
        line = f"pass a subclass: class Mine({section.__name__})"
        yield f"sections: {section.__name__} is a base class; {line}"
    elif hasattr(section, "holds_items"):
        check_declared(section)
    elif section.is_primitive:
        what = section.__name__
        line = f"class {what}(ValueSection[{what}Facts]), with its fields in class {what}Facts(HudValue)"
        other = f"class {what}(View) with of_state and render"
        yield f"sections: {what} has neither a value nor a render; write {line}, or {other}"


def _instead_of_section(given: object) -> str:
    """Return why a value is no section, and what to pass instead."""
    line = "pass the class itself, such as NotesSection"
    if isinstance(given, type):
        name = given.__name__
        if issubclass(given, HudValue):
            its = " or ".join(each.__name__ for each in sections_of(given))
            return f"has several; write {its}"
        if not issubclass(given, Component):
            hole = (first_text(given) if issubclass(given, BaseModel) else None) or "…"
            own = f'lines = {{"full": "**{{{hole}}}**"}}'
            line = f"write class {name}(HudItem), with {own}, from hud_components import HudItem"
        elif fields_of(given) and not given.__module__.startswith(("ujsx.", "hud_components.")):
            own = f"class {name}(HudValue), with its fields, from hud_components import HudValue"
            line = f"write {own}; or {name}(HudItem) for several"
    return f"is not a section class; {line}"


def _check_facts(domain: str, section: type[HudSection]) -> Iterator[str]:
    """Yield a name of every session's facts."""
    own = f"{domain.replace('-', '_')}_{section.field}"
    is_fact = section.field in FACTS or (section.field and hasattr(State, section.field))
    known: Any = (ItemsSection, ValueSection)
    props = (fields_of(each) for each in known if issubclass(section, each))
    begins = {verb.type_of(section).partition(".")[0] for verb in verbs_of(section)}
    if is_fact or any(section.field in each for each in props):
        owner = "fact of every session" if is_fact else "prop of every section"
        why = f"the name {shown(section.field)} is taken by a {owner}"
        yield f'{section.__name__}: {why}; write name = "{own}"'
    elif taken := begins & FACT_EVENTS:
        why = f"events that begin with {shown(min(taken))} are taken by facts of every session"
        yield f'{section.__name__}: {why}; use another name, or event = "{own}"'


def _alike(
    section: type[HudSection], other: type[HudSection], sections: Sequence[type[HudSection]]
) -> Iterator[str]:
    """Yield the clashes of two sections: their names, or their lines in a dense HUD."""
    both = f"{section.__name__} and {other.__name__}"
    own = other if section.__module__.startswith("hud_components.") else section
    for what in ("name", "field", "event", "prefix", "title"):
        same = _own(section, what)
        is_given = what != "prefix" or (_has_own_prefix(section) and _has_own_prefix(other))
        if same and is_given and same == _own(other, what):
            free = quoted(_free(own, what, {_own(each, what) for each in sections}))
            line = f"give one of them another: {what} = {free} in {own.__name__}"
            yield f"{both} have the same {what}, {shown(same)}; {line}"
            if what == "name":
                return  # from which the others follow
    if counted := _counted(section) & _counted(other):
        noun = f"{own.name.replace('_', ' ')} {min(counted, key=len)}"
        line = f'give one of them another: noun = "{noun}"'
        yield f"{both} both count {shown(max(counted, key=len))}; {line}"
    for one, its in product(_bare(section), _bare(other)):
        text = common(one, its)
        if text is not None:
            words = f"**{own.texts[f'{own.name}.title']}:**"
            line = f"{words} {(one if own is section else its).source}"
            why = f"{both} could both write {shown(text)} in a dense HUD"
            better = f"begin one of their lines with other words, such as {line!r}"
            yield f"{why}; {better} in {own.__name__}"
            return


def _free(section: type[HudSection], what: str, taken: Container[str]) -> str:
    """Return an unused name."""
    words = name_like(_WORD.sub(" ", section.__name__)) or section.name
    options = {
        "prefix": [section.name[:length] for length in range(2, len(section.name) + 1)],
        "title": [words.replace("_", " ").capitalize()],
    }.get(what, [words])
    more = (f"{options[-1]}_{number}" for number in count(2))
    return next(each for each in chain(options, more) if each not in taken)


_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _check_reads(domain: str, sections: Sequence[type[HudSection]]) -> Iterator[str]:
    """Yield a view of missing data."""
    for view in sections:
        for each in view.reads if issubclass(view, View) else ():
            if not isinstance(each, str) and each not in sections:
                why = f"{view.__name__} reads {each.__name__}, which is not a section of {shown(domain)}"
                yield f"{why}; add it to sections, or leave {view.__name__} out"


def _check_fields(name: str, state: type[State], stateful: Sequence[type[HudSection]]) -> None:
    """Refuse a state that has not exactly a field for each section of a domain."""
    differ = {section.field for section in stateful} ^ (fields_of(state).keys() - set(FACTS))
    if differ:
        both = f"{state.__name__} and the sections of {shown(name)}"
        rule = "a state has a field for each section"
        raise DefinitionError(f"{both} differ in {', '.join(sorted(differ))}; {rule}")


def _check_named(known: Iterable[str], named: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the sections that a domain's properties name and that it does not have."""
    for prop, names in named.items():
        for each in names:
            if each not in known:
                yield f"{prop}: no section is named {shown(each)}; {did_you_mean(each, known)}"


def _operations(tools: Iterable[type[HudSection]]) -> dict[str, SectionEvent]:
    """Return the agent's operations on sections, by name."""
    return {
        f"{section.name}.{verb.name}": SectionEvent(section, verb)
        for section in tools
        if section.has_operations
        for verb in verbs_of(section)
        if verb.is_operation
    }


def _section_events(tools: Iterable[type[HudSection]], faults: Faults) -> dict[str, SectionEvent]:
    """Return the verbs of sections by event type, and record duplicate types."""
    found: dict[str, SectionEvent] = {}
    for section in tools:
        for verb in verbs_of(section):
            event_type = verb.type_of(section)
            if there := found.get(event_type):
                both = f"{section.__name__} and {there.section.__name__}"
                why = f'{both} both have the event "{event_type}"'
                faults.append(f"{why}; give one of them another name, or event=")
            found[event_type] = SectionEvent(section, verb)
    return found


def _check_on(domain: Domain[Any, Any]) -> Iterator[str]:
    """Yield reactions to events that do not exist, are the section's own, or are named twice."""
    known = {*domain.section_events, *domain.former_types, *FACT_TYPES}
    for section in domain.sections:
        place, seen = f"{section.__name__}.on", dict[str, str]()
        for event_type in section.on:
            now = domain.current_type(event_type)
            own = domain.section_events.get(now)
            if own is not None and own.section is section:
                line = f"Verb({shown(own.verb.name)}, function)"
                why = f"{shown(event_type)} is an event of its own"
                yield f"{place}: {why}; what it does is said in verbs: {line}"
            other = seen.setdefault(now, event_type)
            if other != event_type:
                both = f"{shown(other)} and {shown(event_type)}"
                why = "are the same event, under its names of today and before"
                yield f"{place}: {both} {why}; keep one of them"
            # ours follow what other sections of ours do, where these are there
            if event_type not in known and not section.__module__.startswith("hud_components."):
                why = f"nothing in {shown(domain.name)} has the type {shown(event_type)}"
                yield f"{place}: {why}; {did_you_mean(event_type, known)}"


def _has_own_prefix(section: type[HudSection]) -> bool:
    return bool(getattr(section, "prefix", ""))


def _own(section: type[HudSection], what: str) -> str:
    if what == "prefix":
        return section.kind.prefix if section.kind is not None and section.kind.key == "id" else ""
    return str(getattr(section, what, "") or "")


def _counted(section: type[HudSection]) -> set[str]:
    """Return the forms of a section's noun."""
    if section.kind is None:
        return set()
    return set(section.texts[f"{section.name}.noun"].split("|"))


def _bare(section: type[HudSection]) -> list[WrittenLine]:
    """Return the lines of a section that may appear alone in a dense HUD."""
    forms: Any = getattr(section, "lone_forms", ())
    given: Any = getattr(section, "forms", {})
    if isinstance(given, Mapping):
        by_density = cast("Mapping[Density, Any]", given)
        forms = [*by_density.get(Density.COMPACT, ()), *by_density.get(Density.MINIMAL, ())]
    return [line_of(form, owner=section.__name__) for form in dict.fromkeys(forms)]


# Stored data that the current domain cannot read: the items that a state lacks, as part of the fold.
#
# An item counts once, however many of its events are unreadable, until it is removed, or its section is cleared or
# replaced. The log keeps everything.

AnyStateT = TypeVar("AnyStateT", bound="State")

_KIND = Kind(text="section", key="key")


def unreadable_in(
    domain: Domain[Any], event_type: str, said: Any, version: int
) -> Iterator[Unreadable]:
    """Yield the subjects of an unreadable event.

    :param said: its payload: JSON data, or the fields of a model.
    """
    data = _fields(said)
    parts: dict[str, object] = {domain.owner_of(event_type): data}
    if event_type == "section.replace":
        parts = {domain.owner_of(name): {"items": items} for name, items in data.items()}
    elif event_type.startswith("section.") and isinstance(data.get("section"), str):
        parts = {domain.owner_of(data["section"]): {}}
    for field, about in parts.items():
        for item in _named(domain.fields.get(field), about):
            yield Unreadable(section=field, item=item, version=version)


def _named(section: type[HudSection] | None, said: object) -> Iterator[str]:
    """Return the ids of an event's items; empty if it names none."""
    key = "id" if section is None or section.kind is None else section.kind.key
    usual = section.name if section is not None and section.kind is None else ""
    items = _fields(said).get("items")
    several = cast("Sequence[object]", items) if isinstance(items, list) else ()
    for each in several or (said,):
        name = _fields(each).get(key)
        yield name if isinstance(name, str) and is_text(name) else usual


def _fields(said: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", said) if isinstance(said, Mapping) else {}


def with_unreadable(state: AnyStateT, found: Iterable[Unreadable]) -> AnyStateT:
    """Return the state with more unreadable subjects; those counted already are ignored."""
    index = _KIND.index(state.unreadable)
    for each in found:
        if each.key not in index:
            index.append(each)
    return with_sections(state, unreadable=with_index(index, state.unreadable))


def without_unreadable(
    state: AnyStateT, sections: Iterable[str], item: str | None = None
) -> AnyStateT:
    """Return the state without the unreadable subjects of some sections, or of one item."""
    if not state.unreadable:
        return state
    index = _KIND.index(state.unreadable)
    for field in sections:
        found = index.saying(field, is_open=True)
        if item is not None:
            found = index.with_key(f"{field}/{item}")
        for number in reversed([*found]):
            index.remove(number)
    return with_sections(state, unreadable=with_index(index, state.unreadable))


def without_overwritten(
    state: AnyStateT, section_event: SectionEvent | None, said: Any
) -> AnyStateT:
    """Return the state without the unreadable subjects that a readable event removes or overwrites."""
    if section_event is None:
        return state
    section, verb = section_event
    if isinstance(verb, Clear | Replace):
        return without_unreadable(state, [section.field])
    if isinstance(verb, Set):
        return without_unreadable(state, [section.field], section.name)
    if isinstance(verb, Remove) and section.kind is not None:
        return without_unreadable(state, [section.field], getattr(said, section.kind.key))
    return state


StateT = TypeVar("StateT", bound=State, default=State)
EventT = TypeVar("EventT", bound=str, default=Any)


def titled(name: str) -> str:
    """Return the class name of a domain's states."""
    return f"{''.join(part.title() for part in re.split('[-_]', name))}State"


FactEvent: TypeAlias = Literal[
    "session.start", "session.title", "session.look",
    "section.clear", "section.replace", "section.pin", "section.fold", "section.reset",
    "context.snapshot", "context.intervention",
    "compact.before", "compact.after", "compact.failed",
    "layout.set", "layout.reset",
]  # fmt: skip
"""The event types for the facts of every session, in any domain."""

FACT_TYPES: tuple[FactEvent, ...] = get_args(FactEvent)
"""The same, as values."""


class SectionEvent(NamedTuple):
    """A verb of a section: the meaning of an event type, or an operation."""

    section: type[HudSection]
    verb: Verb

    @property
    def type(self) -> str:
        """The type of the event."""
        return self.verb.type_of(self.section)

    @property
    def operation(self) -> str:
        """The name of the operation."""
        return f"{self.section.name}.{self.verb.name}"


def is_layout_text(layout: object) -> bool:
    """Tell whether a layout is a text, Markdown with tags, and not the name of a file.

    >>> is_layout_text("<TaskSection/>"), is_layout_text("hud.md")
    (True, False)
    """
    return isinstance(layout, str) and "<" in layout


def _checked_look(
    layout: Child | Path, words: Mapping[str, str] | Path | None
) -> tuple[Child | Path, Mapping[str, str] | Path | None]:
    given: object = words
    if isinstance(layout, str) and not is_layout_text(layout):
        forms = "a tree, such as Hud()[…] of sections, a text with tags, such as <TaskSection/>"
        raise DefinitionError(
            f"layout: it is {forms}, or the Path of a file, not the text {shown(layout)}"
        )
    if not (given is None or isinstance(given, Mapping | Path)):
        raise DefinitionError(f"words: they are texts by name, or a Path, not {shown(words)}")
    return layout, words


_AMOUNTS = "write disclosure = Disclosure(ladder, weight=3) in a section's class, from ujsx import Disclosure"


class Domain(Answering, Displayable, Generic[StateT, EventT], metaclass=AnsweringType):
    """A name, and sections.

    :param name: its name in ``session.start``; it must not change once something is stored under it.
    :param sections: the sections; those that any turn may change come last. Events and operations have the same order.
    :param shown_as: the sections in the HUD's order, if it differs.
    :param state: the class of its states, for type checkers; by default derived from the sections.
    :param first: the sections whose operations come first in the tool, by name.
    :param example: the name of the section for the example call in the tool's description.
    :param revision: the key of snapshots, if not derived from the sections.
    :param former_revisions: former keys of snapshots, which still replace lost events.
    :param instructions: the agent's instructions about its HUD, in `ujsx serve` and AGENTS.md, as Markdown; a list of
        the operations when None.
    :param shown_instructions: the same for an agent whose host shows it the HUD; ``instructions`` when None.
    :param layout: the layout of new sessions: a tree, a text with tags or a file's path; the sections in order when
        None.
    :param words: replacements of fixed texts in new sessions, by name, or the path of a JSON or TOML file.
    :param components: your own components, other than sections, allowed in a layout's file.
    :raises DefinitionError: for sections that clash, with what to change.

    >>> from hud_components import NotesSection, TaskSection
    >>> desk = Domain("desk", sections=(TaskSection, NotesSection))
    >>> sorted(desk.section_events)[:2]
    ['note.add', 'note.remove']
    >>> desk.state().notes
    ()
    """

    _instead: ClassVar[Mapping[str, str]] = {
        'session.tools("anthropic"), of a session of it': "schema schemas tools tool definitions tooldefinitions "
        "toolschema toolschemas",
        "domain.with_sections(Orders)": "add append extend addsection addsections register",
        'HudStore.open("hud.db", domain=domain).session("s-1")': "open session store start",
        "render(Hud.of(state)), or session.hud().text, from ujsx import render, from hud_components import Hud": "render hud",
    }

    _as_child: ClassVar[str] = "it declares HUDs; write session.hud().text, of a session of it"

    @resolving(
        write='write Domain("support", sections=(Tickets, NotesSection, …))',
        instead={
            **NO_TEXTS,
            "priorities weights limits": _AMOUNTS,
            "thresholds": "write HudStore.open(path, domain=domain, thresholds=…)",
        },
    )
    def __init__(
        self,
        name: str,
        sections: Iterable[type[HudSection | HudValue]],
        *,
        shown_as: Iterable[type[HudSection]] = (),
        state: type[StateT] | None = None,
        first: Iterable[str] = (),
        example: str | None = None,
        revision: int | None = None,
        former_revisions: Iterable[int] = (),
        instructions: str | None = None,
        shown_instructions: str | None = None,
        layout: Child | Path = None,
        words: Mapping[str, str] | Path | None = None,
        components: Iterable[type[Component]] = (),
    ) -> None:
        self.name = name
        given: Any = sections
        self.sections: tuple[type[HudSection], ...] = tuple(
            map(section_of, [given] if isinstance(given, type | Component) else given)
        )
        self._first = tuple(first)
        self.example = example
        """The section for the example call in the tool's description; the first list when None."""
        self.instructions = instructions
        """The agent's instructions about its HUD; derived from the operations when None."""
        self.shown_instructions = instructions if shown_instructions is None else shown_instructions
        """The same for an agent that is shown its HUD."""
        self.layout, self.words = _checked_look(layout, words)
        self.components = tuple(components)

        check_sections(name, self.sections)
        stateful = [section for section in self.sections if section.field]
        made = state_model(titled(name), stateful) if state is None else state
        self.state = cast("type[StateT]", made)
        if state is not None:
            _check_fields(name, state, stateful)
        by_field = {section.field: section for section in stateful}
        fields = [field for field in fields_of(self.state) if field in by_field]
        self.fields: Mapping[str, type[HudSection]] = MappingProxyType(
            {field: by_field[field] for field in fields}
        )
        """The sections with a value, by the state's field, in the state's order."""

        self.shown_as = tuple(shown_as) or self.sections
        if {*self.shown_as} != {*self.sections}:
            raise DefinitionError("shown_as: it has the same sections, in another order")
        self.state.sections = self.shown_as
        self.state.lists = tuple(name for name, one in self.fields.items() if one.kind is not None)
        faults = Faults()
        by_name = {section.name: section for section in stateful}
        named = {"example": (example,) if example else (), "first": self._first}
        faults += _check_named(by_name, named)
        self.tools: tuple[type[HudSection], ...] = (
            *(by_name[each] for each in self._first if each in by_name),
            *(section for section in stateful if section.name not in self._first),
        )
        """The sections with a value, in the order in which a model reads about them."""

        self.section_events: Mapping[str, SectionEvent] = MappingProxyType(
            _section_events(self.tools, faults)
        )
        """The possible events, by type."""

        self.operations: Mapping[str, SectionEvent] = MappingProxyType(_operations(self.tools))
        """The agent's operations, by name."""

        self.former_types: Mapping[str, str] = former_types(stateful)
        """The former event types, each with the current one."""

        self._payloads: dict[str, type[Payload]] = {}
        self._given_revision, self.former_revisions = revision, tuple(former_revisions)

        faults += check_versions(stateful)
        faults += _check_on(self)
        faults.check()

    def _as_document(self) -> Child:
        from ujsx.elements import Item, List, Section, code

        told = (
            (code(each.name), (each.__doc__ or "").strip().partition("\n")[0])
            for each in self.sections
        )
        rows = (Item()[name, f": {about}" if about else None] for name, about in told)
        return Section(title=self.name)[List()[rows]]

    def __iter__(self) -> Iterator[type[HudSection]]:
        """Yield the sections, so that a domain can be passed as a vocabulary."""
        return iter(self.sections)

    def __repr__(self) -> str:
        names = ", ".join(section.__name__ for section in self.sections)
        return f"Domain({self.name!r}, sections=({names}))"

    def with_sections(
        self, *sections: type[HudSection | HudValue], name: str | None = None
    ) -> Domain[State]:
        """Return a domain of another name with these sections added after those with a value.

        Its states are states of this domain as well, with the other sections' fields: code for the state of a coding
        session works for them. The instructions stay, too.

        :param name: this domain's name and those of the sections when None.

        >>> from hud_components import CODING, HudItem, ItemsSection, Line
        >>> class Risk(HudItem):
        ...     what: Line
        >>> class Risks(ItemsSection[Risk]):
        ...     name = "risks"
        ...     lines = {"full": "{what}"}
        >>> CODING.with_sections(Risks, name="careful").state().risks
        ()
        """
        added: tuple[type[HudSection], ...] = tuple(map(section_of, sections))
        faults = Faults()
        for section in added:
            faults.of(_check_section, section, 1)
        faults.check()
        given = name or "-".join(
            (self.name, *(each.name or each.__name__.lower() for each in added))
        )
        return self._extended(given, added, self)

    if not TYPE_CHECKING:

        def __add__(self, other: object) -> Domain[State]:
            return self | other if isinstance(other, Domain) else self.with_sections(other)

    def __or__(self, other: Domain[Any, Any]) -> Domain[State]:
        """Return the domain with the sections of both: those of this one first, and each class once.

        A domain that has all sections of the other one is returned itself. The names are joined with a hyphen, and the
        instructions combined. A session can move to such a domain: :meth:`hud_runtime.HudStore.move`.

        :raises DefinitionError: for sections that clash, with what to change.

        >>> from hud_components import CODING, NotesSection, TaskSection, HudItem, ItemsSection, Line
        >>> class Risk(HudItem):
        ...     what: Line
        >>> class Risks(ItemsSection[Risk]):
        ...     name = "risks"
        ...     lines = {"full": "{what}"}
        >>> both = CODING | Domain("safety", sections=(NotesSection, Risks))
        >>> both.name, len(both.sections) - len(CODING.sections), both | CODING is both
        ('coding-safety', 1, True)
        """
        given: object = other
        if not isinstance(given, Domain):
            return NotImplemented
        added = [each for each in other.sections if each not in self.sections]
        if not added:
            return cast("Domain[State]", self)
        if {*self.sections} <= {*other.sections}:
            return cast("Domain[State]", other)
        try:
            return self._extended(f"{self.name}-{other.name}", added, other)
        except DefinitionError as error:
            raise DefinitionError(
                f"{self.name} | {other.name}: {error}; or leave one of them out: Domain(…, sections=(…))"
            ) from None

    def _extended(
        self, name: str, sections: Sequence[type[HudSection]], other: Domain[Any, Any]
    ) -> Domain[State]:
        """Return a domain with more sections, and the other one's instructions added."""
        behind = [each for each in sections if not each.field]
        valued = [each for each in sections if each.field]

        def joined(known: Sequence[type[HudSection]]) -> tuple[type[HudSection], ...]:
            stays = (
                number
                for number, each in enumerate(known, start=1)
                if each.field and each.disclosure.layer != "turn"
            )
            place = max(stays, default=0)
            return (*known[:place], *valued, *known[place:], *behind)

        def told(*texts: str | None) -> str | None:
            return "\n\n".join(dict.fromkeys(filter(None, texts))) or None

        return Domain(
            name,
            joined(self.sections),
            shown_as=joined(self.shown_as),
            state=state_model(titled(name), valued, self.state),
            first=dict.fromkeys((*self._first, *other._first)),
            example=self.example or other.example,
            instructions=told(self.instructions, other.instructions),
            shown_instructions=told(self.shown_instructions, other.shown_instructions),
            words=self.words if self.words is not None else other.words,
            components=dict.fromkeys((*self.components, *other.components)),
        )

    @cached_property
    def revision(self) -> int:
        """The name under which snapshots of its states are filed."""
        return revision_of(self) if self._given_revision is None else self._given_revision

    def field_of(self, name: str) -> str:
        """Return the state's field of a section, from that field or the name in operations.

        :raises ValueError: for a name of no section with a value, with the nearest one.

        >>> from hud_components import CODING
        >>> CODING.field_of("files"), CODING.field_of("Next steps")
        ('active_files', 'next_steps')
        """
        known = {field: field for field in self.fields}
        known = {**{section.name: field for field, section in self.fields.items()}, **known}
        wanted = name.strip().lower().replace(" ", "_").replace("-", "_")
        also = [known[wanted]] if wanted in known else sections_named(name, self.fields)
        if len(also) != 1:
            names = [section.name for section in self.fields.values()]
            raise ValueError(f"there is no section {shown(name)}; {did_you_mean(wanted, names)}")
        return also[0]

    # --- What old events mean ---

    def current_type(self, event_type: str) -> str:
        """Return the current type of a possibly former event type."""
        return self.former_types.get(event_type, event_type)

    def owner_of(self, name: str) -> str:
        """Return the state's field for an event type, or a section's name.

        For an unknown section it is the name itself, or the prefix of the type.

        >>> from hud_components import CODING
        >>> [CODING.owner_of(name) for name in ("file.edit", "note.frobnicate", "files", "risk.add")]
        ['active_files', 'notes', 'active_files', 'risk']
        """
        section_event = self.section_events.get(self.current_type(name))
        prefix = name.rpartition(".")[0] or name
        return (
            self._owners.get(prefix, prefix)
            if section_event is None
            else section_event.section.field
        )

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        return {
            name: section.field
            for section in self.fields.values()
            for name in (*section.former, section.event, section.name, section.field)
        }

    def upcast(
        self, event_type: str, payload: Mapping[str, Any], *, strict: bool = False
    ) -> dict[str, Any]:
        """Return a recorded payload in the form of its type's current model.

        Used for payloads that the model rejects.

        :param event_type: the recorded type.
        :param strict: whether to keep inherited items that are no longer valid, so that they are refused.
        """
        return upcast(self, event_type, payload, strict=strict)

    def left_out(self, payload: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Return the inherited data that a session lost because declarations changed.

        :param payload: the recorded payload of the session's first event.
        :returns: the place of each item or value (``"remedies[2]"``), and the reason.

        >>> from hud_components import CODING
        >>> CODING.left_out({"inherited": {"notes": [{"id": "project:n-2", "contents": "Port 8080"}]}})
        (('notes[0]', 'content: Field required, and 1 more'),)
        """
        return tuple(left_out(self, payload))

    def stored_schemas(self) -> dict[str, dict[str, Any]]:
        """Return the JSON Schema of each event type's payload, for :meth:`stored_changes` of a later version.

        >>> from hud_components import CODING
        >>> CODING.stored_schemas()["note.add"]["required"]
        ['content']
        """
        from ujsx.schema import tool_schema

        return {each: tool_schema(self.payload(each)) for each in self.section_events}

    def stored_changes(
        self, old: Mapping[str, Mapping[str, Any]]
    ) -> list[tuple[str, SchemaChange]]:
        """Return the changes since the event schemas ``old``, by type, and whether each breaks stored events.

        Renamed sections and ``former_fields`` break nothing. The validity of an upcast's result cannot be proved: the
        change stays breaking, and its remedy tells so.

        >>> from hud_components import CODING
        >>> today = CODING.stored_schemas()
        >>> was = {**today["note.add"], "properties": {**today["note.add"]["properties"], "by": {"type": "string"}}}
        >>> [(event, change.pointer, change.remedy) for event, change in CODING.stored_changes({"note.add": was})]
        [('note.add', '/properties/by', "former_fields = {'by': None}")]
        """
        return [*stored_changes(self, old)]

    # --- What events mean ---

    def payload(self, event_type: str) -> type[Payload]:
        """Return the model of this event type's payload, created on demand."""
        found = self._payloads.get(event_type)
        if found is None:
            section, verb = self.section_events[event_type]
            found = self._payloads[event_type] = verb.payload_of(section)
        return found

    if not TYPE_CHECKING:  # a mistake, with the line to write

        def __getitem__(self, name: object) -> NoReturn:
            known = sections_named(str(name), self.fields) or [*self.fields][:1]
            line = f"write domain.fields[{shown(known[0])}]"
            raise CallError(f"the sections of a domain are in fields; {line}")

    def replacement(self, section: type[HudSection]) -> type[Payload]:
        """Return the model of an item in a section that is replaced as a whole."""
        return section.kept or self.payload(self.adding(section).type)

    def clearing(self, section: type[HudSection]) -> Iterator[SectionEvent]:
        """Yield the verbs that leave a section without a value."""
        for verb in verbs_of(section):
            if isinstance(verb, Clear):
                yield SectionEvent(section, verb)

    def adding(self, section: type[HudSection]) -> SectionEvent:
        """Return the verb that adds an item to a section."""
        return SectionEvent(section, adding(section))

    def after(
        self, state: StateT, event_type: str, said: Any, moment: Moment, *, strict: bool = False
    ) -> StateT:
        """Return the state after an event; the same object if nothing changes.

        Never fails: an event that a verb refuses now, unlike when it was recorded, changes nothing, and counts as
        unreadable. With ``strict``, as before recording, the ValueError or LookupError of the event's own verb is
        raised.
        """
        changed: dict[str, object] = {}
        own = self.section_events.get(
            self.current_type(event_type)
        )  # facts of every session have none
        for field, rule in self._rules.get(event_type, ()):
            before = getattr(state, field)
            try:
                after = rule(before, said, moment)
            except Exception:  # an author's function; the replay continues
                is_refused = own is not None and own.section.field == field
                if strict and is_refused:
                    raise
                if is_refused:
                    state = self.after_unreadable(state, event_type, said.__dict__, moment.version)
                    own = None
                continue
            if after is not before:
                changed[field] = after
        if changed:
            if event_type not in self._reports:
                changed["updated_at"] = moment.timestamp
            state = replaced(state, changed)
        return without_overwritten(state, own, said) if state.unreadable else state

    def after_unreadable(
        self, state: StateT, event_type: str, said: object, version: int
    ) -> StateT:
        """Return the state after an unreadable event, whose subjects it counts.

        :param said: the event's payload, as JSON data.

        >>> from hud_components import CODING
        >>> CODING.after_unreadable(CODING.state(), "note.add", {"id": "n-2", "body": "x"}, 2).unreadable
        (Unreadable(section='notes', item='n-2', version=2),)
        """
        found = [*unreadable_in(self, event_type, said, version)]
        if event_type == "section.clear":  # of a section that the domain no longer has
            return without_unreadable(state, [each.section for each in found])
        return with_unreadable(state, found)

    def cleared(self, state: StateT, names: Iterable[str], moment: Moment) -> StateT:
        """Return the state with sections emptied, by the state's fields."""
        empty: dict[str, object] = {
            name: self.fields[name].cleared(getattr(state, name), moment) for name in names
        }
        state = without_unreadable(state, empty)
        changed = {
            name: value for name, value in empty.items() if getattr(state, name) is not value
        }
        return replaced(state, changed) if changed else state

    def replaced(self, state: StateT, field: str, drafts: Any, moment: Moment) -> StateT:
        """Return the state with other items in a section; known ones keep the store's fields."""
        section = self.fields[field]
        before = getattr(state, field)
        after = section.replaced(before, drafts, moment)
        state = without_unreadable(state, [field])
        return state if after is before else replaced(state, {field: after})

    @cached_property
    def _rules(self) -> Mapping[str, tuple[tuple[str, Callable[[Any, Any, Moment], Any]], ...]]:
        rules: dict[str, list[tuple[str, Any]]] = {}
        for section in self.sections:
            for verb in verbs_of(section) if section.field else ():
                rules.setdefault(verb.type_of(section), []).append(
                    (section.field, _applied(self._folded(section), verb))
                )
            for event_type, rule in section.on.items():
                now = self.current_type(event_type)
                rules.setdefault(now, []).append(
                    (section.field, _checked(self._folded(section), rule))
                )
        found = {event_type: tuple(each) for event_type, each in rules.items()}
        return {**found, **{each: found[now] for each, now in self.former_types.items()}}

    @cached_property
    def _reports(self) -> frozenset[str]:
        return frozenset(
            event_type
            for event_type, one in self.section_events.items()
            if one.section.host_reported or one.verb.host_reported
        )

    @cached_property
    def _kinds(self) -> Mapping[type[HudSection], Kind]:
        """The kinds of items with a prefix other than their section's."""
        return dict(_with_own_prefixes(section for section in self.sections if section.field))

    def kind_of(self, section: type[HudSection]) -> Kind | None:
        """Return the kind of a section's items, with their id prefix in this domain."""
        return self._kinds.get(section, section.kind)

    def _folded(self, section: type[HudSection]) -> Any:
        return _WithKind(section, self._kinds[section]) if section in self._kinds else section


class _WithKind:
    """A section with an id prefix unique in the domain, for the domain's verbs."""

    def __init__(self, section: type[HudSection], kind: Kind | None) -> None:
        self._section, self.kind = section, kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._section, name)


def _with_own_prefixes(
    sections: Iterable[type[HudSection]],
) -> Iterator[tuple[type[HudSection], Kind]]:
    """Yield the sections without an author's prefix whose ids would begin like another's, each with a new prefix."""
    named = [section for section in sections if _own(section, "prefix")]
    taken = {_own(section, "prefix") for section in named if _has_own_prefix(section)}
    for section in named:
        kind = section.kind
        if kind is None or _has_own_prefix(section):
            continue
        if kind.prefix in taken:
            kind = replace(kind, prefix=_free(section, "prefix", taken))
            yield section, kind
        taken.add(kind.prefix)


def _applied(section: type[HudSection], verb: Verb) -> Callable[[Any, Any, Moment], Any]:
    if verb.function is not None:
        return _checked(section, verb.function)
    return lambda value, said, moment: verb.apply(cast("Any", section), value, said, moment)


def _checked(
    section: type[HudSection], rule: Callable[[Any, Any, Moment], Any]
) -> Callable[[Any, Any, Moment], Any]:
    return lambda value, said, moment: folded(section, value, rule(value, said, moment), moment)

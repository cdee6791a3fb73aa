"""A domain: the sections of a kind of agent, and all that follows from them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, cast
from zlib import crc32

from typing_extensions import TypeVar

from hud_components.declaring._declare import verbs_of
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import FACTS, State, state_model
from hud_components.folding import Add, Clear, Moment, Payload, Verb, replaced
from ujsx import DefinitionError
from ujsx.errors import did_you_mean, shown

StateT = TypeVar("StateT", bound=State, default=State)

NAME = re.compile(r"[a-z][a-z0-9_-]*")

FACT_EVENTS = frozenset({"session", "context", "compact", "section", "hud", "layout"})
"""What the types of other events begin with: those that tell the facts of every session."""


class Happening(NamedTuple):
    """A verb of a section: what an event type, or an operation, means."""

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


class Domain(Generic[StateT]):
    """A name, and sections in the order in which the HUD shows them.

    :param name: what ``session.start`` has to name it; it stays once something is stored under it.
    :param sections: the sections; those that any turn may change stand last.
    :param state: the class of its states, where type checkers are to know its fields; otherwise one
        is made of the sections.
    :param first: the sections that the tool's operations begin with, by name; the others follow.
    :param example: the name of the section whose call the tool's description shows.
    :param revision: what snapshots are filed under, where it does not follow from the sections.
    :raises DefinitionError: for sections that clash, with what to change.

    >>> from hud_components import NotesSection, TaskSection
    >>> desk = Domain("desk", sections=(TaskSection, NotesSection))
    >>> sorted(desk.happenings)[:2]
    ['note.add', 'note.remove']
    >>> desk.state().notes
    ()
    """

    def __init__(
        self,
        name: str,
        sections: Iterable[type[HudSection]],
        *,
        state: type[StateT] | None = None,
        first: Iterable[str] = (),
        example: str | None = None,
        revision: int | None = None,
    ) -> None:
        if not NAME.fullmatch(name):
            raise DefinitionError(
                f"{shown(name)} is no name of a domain; use lower-case letters, digits, - and _"
            )
        self.name = name
        self.sections: tuple[type[HudSection], ...] = _classes(sections)
        self._first = tuple(first)
        self.example = example
        """The section whose call the tool's description shows; the first list when None."""

        self._check_sections()
        stateful = [section for section in self.sections if section.field]
        if state is None:
            title = "".join(part.title() for part in re.split("[-_]", name))
            self.state = cast("type[StateT]", state_model(f"{title}State", stateful))
        else:
            self.state = state
            missing = {section.field for section in stateful} ^ (
                state.model_fields.keys() - set(FACTS)
            )
            if missing:
                raise DefinitionError(
                    f"{state.__name__} and the sections of {shown(name)} differ in "
                    f"{', '.join(sorted(missing))}; a state has a field for each section"
                )
        by_field = {section.field: section for section in stateful}
        fields = [field for field in self.state.model_fields if field in by_field]
        self.fields: Mapping[str, type[HudSection]] = MappingProxyType(
            {field: by_field[field] for field in fields}
        )
        """The sections that have a value, by the field of the state, in the state's order."""

        self.state.sections = self.sections
        self.state.lists = tuple(name for name, one in self.fields.items() if one.kind is not None)
        known = {section.name for section in stateful}
        for each in self._first:
            if each not in known:
                raise DefinitionError(
                    f"first: no section is named {shown(each)}; {did_you_mean(each, known)}"
                )
        rest = [one for one in stateful if one.name not in self._first]
        by_name = {section.name: section for section in stateful}
        self.tools: tuple[type[HudSection], ...] = (*(by_name[each] for each in self._first), *rest)
        """The sections that have a value, in the order in which a model reads of them."""

        self.happenings: Mapping[str, Happening] = MappingProxyType(self._happenings())
        """What can happen, by the type of the event."""

        self.operations: Mapping[str, Happening] = MappingProxyType(
            {
                f"{section.name}.{verb.name}": Happening(section, verb)
                for section in self.tools
                for verb in verbs_of(section)
            }
        )
        """What an agent can make happen, by the operation's name."""

        self.revision = self._revision() if revision is None else revision
        self._payloads: dict[str, type[Payload]] = {}

    def __repr__(self) -> str:
        names = ", ".join(section.__name__ for section in self.sections)
        return f"Domain({self.name!r}, sections=({names}))"

    def with_sections(self, *sections: type[HudSection], name: str) -> Domain[State]:
        """Return a domain of another name that has these sections, too, behind those with a value.

        >>> from hud_components import CODING, HudItem, ItemsSection, Line
        >>> class Risk(HudItem):
        ...     what: Line
        >>> class Risks(ItemsSection[Risk]):
        ...     name = "risks"
        ...     lines = {"full": "{what}"}
        >>> CODING.with_sections(Risks, name="careful").state().risks
        ()
        """
        place = max(
            (number for number, each in enumerate(self.sections, start=1) if each.field), default=0
        )
        behind = [each for each in sections if not each.field]
        valued = [each for each in sections if each.field]
        return Domain(
            name,
            (*self.sections[:place], *valued, *self.sections[place:], *behind),
            first=self._first,
        )

    # --- What events mean ---

    def payload(self, event_type: str) -> type[Payload]:
        """Return the model of what an event of this type says; it is made when it is asked for."""
        found = self._payloads.get(event_type)
        if found is None:
            section, verb = self.happenings[event_type]
            found = self._payloads[event_type] = verb.payload_of(section)
        return found

    def replacement(self, section: type[HudSection]) -> type[Payload]:
        """Return the model of an item in a section that is replaced as a whole."""
        return section.kept or self.payload(self.adding(section).type)

    def clearing(self, section: type[HudSection]) -> Iterator[Happening]:
        """Yield the verbs that leave a section without a value."""
        for verb in verbs_of(section):
            if isinstance(verb, Clear):
                yield Happening(section, verb)

    def adding(self, section: type[HudSection]) -> Happening:
        """Return the verb that makes a new item of a section."""
        for verb in verbs_of(section):
            if isinstance(verb, Add):
                return Happening(section, verb)
        raise DefinitionError(f"{section.__name__} has no verb that adds an item")

    def after(
        self, state: StateT, event_type: str, said: Any, moment: Moment, *, strict: bool = False
    ) -> StateT:
        """Return the state after something has happened; the very state where nothing changes.

        Never fails: what a verb refuses now, and did not when it was recorded, changes nothing.
        With ``strict``, as before it is recorded, the ValueError or LookupError of the event's own
        verb is raised, and whatever else goes wrong in any function: nothing is recorded then.
        """
        changed: dict[str, object] = {}
        for field, rule in self._rules.get(event_type, ()):
            before = getattr(state, field)
            try:
                after = rule(before, said, moment)
            except Exception as error:  # an author's function may do anything
                is_refusal = isinstance(error, ValueError | LookupError)
                is_own = event_type in self.happenings and (
                    self.happenings[event_type].section.field == field
                )
                if strict and (is_own or not is_refusal):
                    raise
                continue
            if after is not before:
                changed[field] = after
        if not changed:
            return state
        if event_type not in self._reports:
            changed["updated_at"] = moment.timestamp
        return replaced(state, changed)

    def cleared(self, state: StateT, names: Iterable[str]) -> StateT:
        """Return the state with sections emptied, by the state's fields."""
        empty: dict[str, object] = {
            name: None if self.fields[name].kind is None else () for name in names
        }
        changed = {
            name: value for name, value in empty.items() if getattr(state, name) is not value
        }
        return replaced(state, changed) if changed else state

    def replaced(self, state: StateT, field: str, drafts: Any, moment: Moment) -> StateT:
        """Return the state with other items in a section; known ones keep what the store knows."""
        section = self.fields[field]
        before = getattr(state, field)
        after = section.replaced(before, drafts, moment)
        return state if after is before else replaced(state, {field: after})

    @cached_property
    def _rules(self) -> Mapping[str, tuple[tuple[str, Callable[[Any, Any, Moment], Any]], ...]]:
        rules: dict[str, list[tuple[str, Any]]] = {}
        for section in self.sections:
            for verb in verbs_of(section) if section.field else ():
                rules.setdefault(verb.type_of(section), []).append(
                    (section.field, _applied(section, verb))
                )
            for event_type, rule in section.on.items():
                checked = _checked(section, event_type, rule)
                rules.setdefault(event_type, []).append((section.field, checked))
        return {event_type: tuple(each) for event_type, each in rules.items()}

    @cached_property
    def _reports(self) -> frozenset[str]:
        return frozenset(
            event_type for event_type, one in self.happenings.items() if one.section.is_reported
        )

    def _happenings(self) -> dict[str, Happening]:
        found: dict[str, Happening] = {}
        for section in self.tools:
            for verb in verbs_of(section):
                event_type = verb.type_of(section)
                there = found.get(event_type)
                if there is not None:
                    raise DefinitionError(
                        f"{section.__name__} and {there.section.__name__} both have the event "
                        f'"{event_type}"; give one of them another name, or event='
                    )
                found[event_type] = Happening(section, verb)
        return found

    def _check_sections(self) -> None:
        for what in ("name", "field", "event", "prefix", "title"):
            seen: dict[str, type[HudSection]] = {}
            for section in self.sections:
                own = _own(section, what)
                if own in seen and own:
                    raise DefinitionError(
                        f"{section.__name__} and {seen[own].__name__} have the same {what}, "
                        f"{shown(own)}; give one of them another: {what} = …"
                    )
                seen[own] = section
        for section in self.sections:
            if section.field in FACTS or section.field in _TAKEN:
                raise DefinitionError(
                    f"{section.__name__}: the name {shown(section.field)} is that of a fact of "
                    "every session; use another one"
                )
            begins = {verb.type_of(section).partition(".")[0] for verb in verbs_of(section)}
            if taken := begins & FACT_EVENTS:
                raise DefinitionError(
                    f"{section.__name__}: events that begin with {shown(min(taken))} tell the facts "
                    "of every session; use another name, or event ="
                )

    def _revision(self) -> int:
        told = ",".join(f"{each.field}:{each.revision}" for each in self.fields.values())
        return crc32(told.encode()) & 0x7FFFFFFF


def _applied(section: type[HudSection], verb: Verb) -> Callable[[Any, Any, Moment], Any]:
    if verb.function is not None:
        return _checked(section, verb.type_of(cast("Any", section)), verb.function)
    return lambda value, said, moment: verb.apply(cast("Any", section), value, said, moment)


def _own(section: type[HudSection], what: str) -> str:
    if what == "prefix":
        return section.kind.prefix if section.kind is not None and section.kind.key == "id" else ""
    return str(getattr(section, what, "") or "")


_TAKEN = frozenset({"sections", "lists"})


def _checked(
    section: type[HudSection], event_type: str, function: Callable[[Any, Any, Moment], Any]
) -> Callable[[Any, Any, Moment], Any]:
    """A function of the author's that gives what the section's value can be, or fails."""
    has_items, model = section.kind is not None, section.value
    wanted = f"a tuple of {model.__name__}" if has_items else f"a {model.__name__} or None"

    def checked(value: Any, said: Any, moment: Moment) -> Any:
        after = function(value, said, moment)
        if after is value:
            return after
        # Not each item: what a function does would then take longer the more there are.
        if not isinstance(after, tuple if has_items else model | None):
            raise DefinitionError(
                f"{event_type}: {function.__name__} returned {shown(after)}; it returns {wanted}, the"
                " very value that it was given where nothing changes"
            )
        return after

    return checked


def _classes(sections: Iterable[type[HudSection]]) -> tuple[type[HudSection], ...]:
    """The sections, all of which are classes that have what they need."""
    given: Any = sections
    if isinstance(given, type):
        raise DefinitionError(f"sections: {given.__name__} is no tuple; write ({given.__name__},)")
    made = tuple(given)
    for each in made:
        if not (isinstance(each, type) and issubclass(each, HudSection)):
            raise DefinitionError(
                f"sections: {shown(each)} is no class of sections; name the class itself"
            )
        if not hasattr(each, "holds_items"):
            continue  # a view
        if each.value is None:
            written = "ItemsSection[Item]" if each.holds_items else "ValueSection[Value]"
            raise DefinitionError(
                f"{each.__name__} does not say what is in it; write the class in brackets: {written}"
            )
        if not each.name:
            raise DefinitionError(f'{each.__name__} has no name; give it one: name = "…"')
    return made

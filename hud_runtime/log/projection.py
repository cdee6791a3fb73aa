"""Projections: the state folded from a session's events, and the history as text.

In: a state and an event. Out: the next state, or a line that describes the event. Pure; each section
declares the effects of its events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

from pydantic import ValidationError

from hud_components import (
    CODING,
    ContextUsage,
    Domain,
    HudSection,
    HudState,
    Look,
    Moment,
    SessionInfo,
    State,
    Trend,
    UsageReading,
)
from hud_components.declaring import OF_EVERY_VERB, HudModel, age_of_summary
from hud_components.folding import Kind, with_indexes, with_sections, with_values
from hud_components.words import cut, line
from hud_runtime._errors import ProjectionError
from hud_runtime.log.events import Event, SessionStart, Stored, explain
from ujsx.calls import resolving
from ujsx.components import fields_of
from ujsx.errors import did_you_mean
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log.events import (
        CompactAfter,
        ContextSnapshot,
        LayoutReset,
        LayoutSet,
        SectionClear,
        SectionFold,
        SectionPin,
        SectionReplace,
        SectionReset,
        SessionLook,
        SessionTitle,
    )

__all__ = ["Codec"]

on_demand(globals())


# A projection: a pure fold of a session's events into a state.

StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Codec(Generic[StateT]):
    """The conversion of a projection's state to JSON text and back."""

    dump: Callable[[StateT], str]
    load: Callable[[str], StateT]


@dataclass(frozen=True, slots=True)
class Projection(Generic[StateT]):
    """A fold of a session's events into a state.

    >>> from hud_runtime import HudStore
    >>> edits = Projection("edits", 0, lambda count, event: count + (event.type == "file.edit"))
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("file.edit", path="a.py")
    ...     session.projected(edits)
    1
    """

    name: str
    """The name under which its snapshots are stored."""

    initial: StateT
    """The state before the first event. It is shared: do not mutate it."""

    fold: Callable[[StateT, Event], StateT]
    """Returns the state after one more event. Pure: no clock, no disk, no randomness, no mutation."""

    revision: int = 1
    """Increase it when the same events give another state; older snapshots are then ignored."""

    former_revisions: tuple[int, ...] = ()
    """Revisions whose snapshots may still replace lost events, for which there is no other source."""

    codec: Codec[StateT] | None = None
    """Writes snapshots; without one, every start replays all events."""


class ProjectionRegistry:
    """Projections by name; :attr:`HudStore.projections` is one, with "hud" in it.

    >>> registry = ProjectionRegistry(Projection("edits", 0, lambda count, event: count + 1))
    >>> registry["edit"]
    Traceback (most recent call last):
    hud_runtime._errors.ProjectionError: there is no projection "edit"; did you mean "edits"?
    """

    def __init__(self, *projections: Projection[Any]) -> None:
        self._by_name: dict[str, Projection[Any]] = {}
        for projection in projections:
            self.register(projection)

    def register(self, projection: Projection[Any]) -> None:
        """Add a projection. Raises :class:`ProjectionError` for a name in use."""
        if self._by_name.setdefault(projection.name, projection) is not projection:
            raise ProjectionError(f'the projection "{projection.name}" is there; use another name')

    def names(self) -> tuple[str, ...]:
        """Return the names, in the order of their registration."""
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Projection[Any]:
        if name not in self._by_name:
            hint = did_you_mean(name, self._by_name)
            raise ProjectionError(f'there is no projection "{name}"; {hint}')
        return self._by_name[name]


# The trend of the context's growth over its last readings.

READINGS = 5
"""Readings kept for the trend."""

TRENDS: tuple[tuple[float, Trend], ...] = (
    (1.0, "stable"),
    (4.0, "growing"),
    (float("inf"), "growing rapidly"),
)
"""The words for mean growth per reading, each with its upper bound in percent of the limit.

The bounds are our choice; the founding documents define the words and the window of five. At 1 % per turn a
half-full window lasts another 50 turns, at 4 % a dozen.
"""


def trend(readings: Sequence[UsageReading]) -> Trend | None:
    """Return the word for the mean growth per reading; None for fewer than two readings.

    A shrinking context, as after a compaction, is stable.

    >>> trend([UsageReading(used=20_000), UsageReading(used=26_000)])
    'growing'
    """
    if len(readings) < 2:
        return None
    first, last = readings[0], readings[-1]
    # One integer division, so that a growth of exactly 1 % is not rounded below it.
    more = last.used * first.limit - first.used * last.limit
    growth = 100 * more / (first.limit * last.limit * (len(readings) - 1))
    return next(words for bound, words in TRENDS if growth < bound)


# The effects of events on the facts that all sessions have, and on whole sections.

SessionStateT = TypeVar("SessionStateT", bound=State)

Rule: TypeAlias = Callable[[Any, Event, Any, Domain[Any]], Any]
"""The effect of a type of event: takes state, event, payload and domain, and returns the state."""


def unchanged(state: SessionStateT, *_about: object) -> SessionStateT:
    """Change nothing; the event is only logged."""
    return state


def session_start(
    _state: SessionStateT, event: Event, start: SessionStart, domain: Domain[SessionStateT]
) -> SessionStateT:
    """Start the session with its inherited content, and nothing else."""
    info = SessionInfo(
        id=event.session_id, title=start.title, project=start.project, started_at=event.timestamp
    )
    begun: Any = domain.state() if start.inherited is None else start.inherited
    state: SessionStateT = with_sections(
        with_indexes(begun, (*domain.state.lists, "unreadable")), session=info
    )
    return state


def session_title(
    state: SessionStateT, event: Event, named: SessionTitle, _domain: object
) -> SessionStateT:
    """Set the session's title."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(state, session=with_values(info, title=named.title))


def session_look(
    state: SessionStateT, _event: Event, new: SessionLook, _domain: object
) -> SessionStateT:
    """Set the HUD's layout and words."""
    look = Look(layout=new.layout, words=new.words, digest=new.digest)
    return state if state.look == look else with_sections(state, look=look)


def context_snapshot(
    state: SessionStateT, _event: Event, taken: ContextSnapshot, _domain: object
) -> SessionStateT:
    """Set the newest reading; the last few give the trend."""
    reading = UsageReading(used=taken.used, limit=taken.limit, model=taken.model)
    readings = (*state.readings, reading)[-READINGS:]
    usage = ContextUsage(**dict(reading), trend=trend(readings), is_share=taken.is_share)
    return with_sections(state, usage=usage, readings=readings)


def compact_after(
    state: SessionStateT, event: Event, after: CompactAfter, domain: Domain[SessionStateT]
) -> SessionStateT:
    """Keep the summary, count the compaction, mark plans as unconfirmed, and drop earlier readings."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(
        state,
        session=with_values(info, compactions=info.compactions + 1),
        compacted_context=after.summary or state.compacted_context,
        compacted_in=event.turn,
        summary_age=0,
        unconfirmed=tuple(
            field
            for field, section in domain.fields.items()
            if "unconfirmed" in fields_of(section) and getattr(state, field)
        ),
        usage=None,
        readings=(),
    )


def grown_older(state: SessionStateT, event: Event) -> SessionStateT:
    """Update the age of the last compaction's summary."""
    if state.compacted_in is None:
        return state
    age = age_of_summary(event.turn - state.compacted_in)
    return state if age == state.summary_age else with_sections(state, summary_age=age)


def confirmed(state: SessionStateT, event: Event, domain: Domain[SessionStateT]) -> SessionStateT:
    """Mark a plan that an event touches as confirmed."""
    section_event = domain.section_events.get(domain.current_type(event.type))
    payload: Any = event.payload
    if section_event is not None:
        touched = section_event.section.field
    elif event.type in ("section.clear", "section.replace"):
        touched = payload.section
    else:
        return state
    left = tuple(each for each in state.unconfirmed if touched not in (None, each))
    return with_values(state, unconfirmed=left)


def agent_layout(
    state: SessionStateT, _event: Event, new: LayoutSet | LayoutReset, _domain: object
) -> SessionStateT:
    """Set or remove the agent's layout; it is validated on rendering."""
    document = getattr(new, "layout", None)
    return state if state.layout == document else with_sections(state, layout=document)


def section_clear(
    state: SessionStateT, event: Event, cleared: SectionClear, domain: Domain[SessionStateT]
) -> SessionStateT:
    """Empty one section, or all of them."""
    if cleared.section is not None:
        return _dated(state, domain.cleared(state, (cleared.section,), moment_of(event)), event)
    after = domain.cleared(state, domain.fields, moment_of(event))
    return _dated(state, with_sections(after, unreadable=()), event)


def section_shown(
    state: SessionStateT, event: Event, given: SectionPin | SectionFold, _domain: object
) -> SessionStateT:
    """Pin a section, so that it is shown in full, or fold it to its minimum; either ends the other."""
    fields = "pinned_sections", "folded_sections"
    among, instead_of = fields if event.type == "section.pin" else fields[::-1]
    those: tuple[str, ...] = getattr(state, among)
    those = those if given.section in those else (*those, given.section)
    left = _without(getattr(state, instead_of), given.section)
    return with_values(state, **{among: those, instead_of: left})


def section_reset(
    state: SessionStateT, _event: Event, reset: SectionReset, _domain: object
) -> SessionStateT:
    """Unpin and unfold one section, or all of them."""
    field = reset.section
    return with_values(
        state,
        pinned_sections=() if field is None else _without(state.pinned_sections, field),
        folded_sections=() if field is None else _without(state.folded_sections, field),
    )


def _without(fields: tuple[str, ...], one: str) -> tuple[str, ...]:
    return tuple(each for each in fields if each != one)


def section_replace(
    state: SessionStateT, event: Event, new: SectionReplace, domain: Domain[SessionStateT]
) -> SessionStateT:
    """Replace a section's content; known items keep the fields that the store sets."""
    field = new.section
    after = domain.replaced(state, field, getattr(new, field), moment_of(event))
    return _dated(state, after, event)


def moment_of(event: Event) -> Moment:
    """Return the time and the actor of an event."""
    return Moment(event.version, event.turn, event.timestamp, event.actor)


def _dated(before: SessionStateT, after: SessionStateT, event: Event) -> SessionStateT:
    return after if after is before else with_sections(after, updated_at=event.timestamp)


# The fold: from events to the state of the HUD.
#
# :data:`FACTS` has a small function for each type of event that all sessions have; sections declare
# all others. All are pure: no clock, no disk, no randomness. Untouched sections keep the identical
# object. An event about an unknown item changes nothing, so that a replay never fails; an
# unreadable event is counted.

FACTS: Mapping[str, Rule] = MappingProxyType(
    {
        "session.start": session_start,
        "session.title": session_title,
        "session.look": session_look,
        "section.clear": section_clear,
        "section.replace": section_replace,
        "section.pin": section_shown,
        "section.fold": section_shown,
        "section.reset": section_reset,
        "context.snapshot": context_snapshot,
        "context.intervention": unchanged,
        "compact.before": unchanged,
        "compact.after": compact_after,
        "compact.failed": unchanged,
        "layout.set": agent_layout,
        "layout.reset": agent_layout,
        "event.erase": unchanged,  # the erased events themselves have changed
        "session.domain": unchanged,  # the new domain reads the whole log
    }
)
"""The effects of the events that all sessions have."""


@overload
def project(state: HudState, event: Event) -> HudState: ...


@overload
def project(
    state: SessionStateT, event: Event, domain: Domain[SessionStateT], *, strict: bool = ...
) -> SessionStateT: ...


@resolving(
    write="write project(state, event); of events, state_of(events), from hud_runtime import state_of"
)
def project(state: Any, event: Event, domain: Domain[Any] = CODING, *, strict: bool = False) -> Any:
    """Return the state after one more event.

    >>> from hud_runtime.log.events import read_event
    >>> event = read_event({"id": "1", "session_id": "s", "version": 2, "turn": 1,
    ...     "timestamp": 0, "actor": "agent", "type": "note.add",
    ...     "payload": {"content": "Port 8080"}})
    >>> project(HudState(), event).notes
    (Note(content='Port 8080', id='n-2', updated_at=0),)

    :param strict: whether a verb's errors are raised, as before recording an event.
    """
    said = event.payload
    if isinstance(said, Stored):
        return domain.after_unreadable(state, event.type, said.data(), event.version)
    fact = FACTS.get(event.type)
    if fact is not None:
        state = fact(state, event, said, domain)
    state = grown_older(state, event)
    if state.unconfirmed:
        state = confirmed(state, event, domain)
    return domain.after(state, event.type, said, moment_of(event), strict=strict)


def why_unread(state: State, event: Event, domain: Domain[Any]) -> str | None:
    """Return the reason why an event cannot be read, or applied to a state; else None.

    >>> from hud_runtime.log.events import read_event
    >>> event = read_event({"id": "1", "session_id": "s", "version": 2, "turn": 1,
    ...     "timestamp": 0, "actor": "agent", "type": "note.add",
    ...     "payload": {"content": "Port 8080"}})
    >>> why_unread(HudState(), event, CODING)
    """
    if isinstance(event.payload, Stored):
        return event.payload.reason
    try:
        project(state, event, domain, strict=True)
    except ValidationError as error:
        return explain(event.type, type(event.payload), error)
    except Exception as error:  # noqa: BLE001 - a function of the author's
        return f"{type(error).__name__}: {error}"
    return None


def state_of(events: Iterable[Event], state: HudState | None = None) -> HudState:
    """Return the state after all events, from an empty state or ``state``."""
    state = HudState() if state is None else state
    for event in events:
        state = project(state, event)
    return state


def projection_of(domain: Domain[SessionStateT]) -> Projection[SessionStateT]:
    """Return the projection for a domain's HUD."""
    return Projection(
        "hud",
        domain.state(),
        lambda state, event: project(state, event, domain),
        domain.revision,
        domain.former_revisions,
        Codec(domain.state.model_dump_json, partial(_loaded, domain)),
    )


def _loaded(domain: Domain[SessionStateT], text: str) -> SessionStateT:
    # a guess is no stored state
    state: SessionStateT = domain.state.__pydantic_validator__.validate_json(text)
    return with_indexes(state, (*domain.state.lists, "unreadable"))


HUD: Projection[HudState] = projection_of(CODING)
"""The projection for the coding HUD; :func:`project` is its fold."""


# The facts that fill the placeholders in the history's lines.

# Each is computed from an event and the states around it.

WIDTH = 160
"""Characters of a text in a line, as in a compact HUD."""

SHORT = 60
"""Characters of a secondary text, such as an earlier value."""

NAMED = 6
"""Names listed at most."""


class StateChange(NamedTuple):
    """An event and the states before and after it, where known."""

    event: Event
    domain: Domain[Any]
    before: Any = None
    after: Any = None

    @property
    def section(self) -> type[HudSection] | None:
        """The section of the event, if any."""
        section_event = self.domain.section_events.get(self.domain.current_type(self.event.type))
        return None if section_event is None else section_event.section

    @property
    def kind(self) -> Kind | None:
        """The kind that identifies the section's items."""
        return None if self.section is None else self.section.kind


def short(text: object, width: int = WIDTH) -> str:
    """Return a text on one line, cut to ``width``."""
    return cut(line(str(text)), width)


def _behind(text: object) -> str:
    return f": {short(text)}" if text else ""


def _start(change: StateChange) -> str:
    start: Any = change.event.payload
    said = [short(f"{name} {value}", SHORT) for name, value in start if value and name in _ABOUT]
    inherited = start.inherited
    if inherited is not None:
        had, lost = _counts(inherited, change.domain.fields), len(inherited.unreadable)
        said += [f"with {had}"] if had else []
        said += [f"without {lost} that cannot be read"] if lost else []
    return "".join(f", {each}" for each in said)


_ABOUT = ("title", "project", "parent")


def _was(change: StateChange) -> str:
    """Return the earlier value of a section with one value."""
    if change.section is None or change.before is None:
        return ""
    was = getattr(change.before, change.section.field)
    if was is None:
        return ""
    said, before = _first(change, change.event.payload), _first(change, was)
    if said == before:
        return f"; it was {was.origin}'s" if getattr(was, "origin", None) else ""
    return f"; it was: {short(before, SHORT)}"


def _first(change: StateChange, model: object) -> object:
    """Return the main field of a model: an item's text, or a value's first field."""
    section = change.section
    assert section is not None
    name = next(iter(section.draft.model_fields)) if section.kind is None else section.kind.text
    return getattr(model, name, None)


def item_of(change: StateChange) -> Any:
    """Return the earlier item that an operation names, or the section's earlier value."""
    section, kind = change.section, change.kind
    if section is None or change.before is None:
        return None
    if kind is None:
        return getattr(change.before, section.field)
    named: Any = getattr(change.event.payload, kind.key, None)
    items = getattr(change.before, section.field)
    return next((one for one in items if getattr(one, kind.key) == named), None)


def _text(change: StateChange) -> str:
    return short(_first(change, change.event.payload) or "")


def _text_of_item(change: StateChange) -> str:
    item, kind = item_of(change), change.kind
    return "" if item is None or kind is None else _behind(getattr(item, kind.text))


def _changes(change: StateChange) -> str:
    said: Any = change.event.payload
    item = item_of(change)
    values: Mapping[str, object] = said.values()
    text = "" if change.kind is None else change.kind.text
    return ", ".join(_changed(name, value, item, text) for name, value in values.items())


def _changed(name: str, value: object, item: Any, text: str) -> str:
    if isinstance(value, bool):
        return f"{name if value else f'not {name}'}{_behind(getattr(item, text, ''))}"
    was = getattr(item, name, None)
    before = f" (was: {short(was, SHORT)})" if was and was != value else ""
    return f"{name} {short(value)}{before}" if value else f"no {name}{before}"


def _status(change: StateChange) -> str:
    """Return the current status of the named item, or the one in the event."""
    said = getattr(change.event.payload, "status", None)
    item = item_of(change._replace(before=change.after))
    return short(getattr(item, "status", None) or said or "")


def _order(change: StateChange) -> str:
    asked: Any = change.event.payload
    section, kind = change.section, change.kind
    assert section is not None
    assert kind is not None
    if change.before is None or change.after is None:
        return f"{section.name} in another order: {_names(asked.ids)} first"
    old, new = (
        [getattr(item, kind.key) for item in getattr(each, section.field)]
        for each in (change.before, change.after)
    )
    return _moved(old, new) or f"{section.name} in another order: {_names(new)}"


def _said_of(change: StateChange) -> str:
    """Return all fields of an event."""
    said = [(name, value) for name, value in change.event.payload if value not in (None, "", ())]
    return ", ".join(f"{name} {_value(change, value)}" for name, value in said)


def _value(change: StateChange, value: object) -> str:
    """Return a field of an event in short: for several items, their texts."""
    if not isinstance(value, tuple):
        return short(value, SHORT)
    several: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
    return _names([str(_first(change, each) or each) for each in several])


def _moved(old: Sequence[str], new: Sequence[str]) -> str | None:
    """Return the move of the one thing that changed its place; ``None`` for none or several."""
    places = [place for place, pair in enumerate(zip(old, new, strict=True)) if len({*pair}) > 1]
    if not places:
        return None
    first, last = places[0], places[-1]
    was, now = old[first : last + 1], new[first : last + 1]
    if [now[0], *was[:-1]] == [*now]:
        return f"{short(now[0], SHORT)} moved before {short(was[0], SHORT)}"
    if [*was[1:], now[-1]] == [*now]:
        return f"{short(now[-1], SHORT)} moved behind {short(was[-1], SHORT)}"
    return None


def _names(names: Sequence[str]) -> str:
    shown = [short(name, SHORT) for name in names[:NAMED]]
    more = len(names) - len(shown)
    return ", ".join((*shown, f"{more} more") if more else shown)


def _cleared(change: StateChange) -> str:
    section: Any = getattr(change.event.payload, "section", None)
    name = _named(change.event.payload)
    names = (section,) if section else tuple(change.domain.fields)
    had = change.before and _counts(change.before, names)
    if not had:
        return f"{name} cleared"
    return f"{had} cleared" if section else f"{name} cleared: {had}"


def _named(payload: Any) -> str:
    section: str | None = getattr(payload, "section", None)
    return "all sections" if section is None else _title(section)


def _counts(state: State, fields: Iterable[str]) -> str:
    """Return the counts of a state's items by section."""
    found: list[str] = []
    for name in fields:
        value: HudModel | tuple[HudModel, ...] | None = getattr(state, name)
        if isinstance(value, tuple):
            if value:
                found.append(f"{_title(name)} ({len(value)})")
        elif value is not None:
            text = next(iter(vars(value).values()))
            found.append(f"the {_title(name)} {short(text, SHORT)}")
    return ", ".join(found)


def _title(section: str) -> str:
    return section.replace("_", " ")


def _replaced(change: StateChange) -> str:
    payload: Any = change.event.payload
    section: Any = payload.section
    name = _title(section)
    if change.before is None or change.after is None:
        return f"{name} replaced: {len(getattr(payload, section))} now"
    kind = change.domain.fields[section].kind
    assert kind is not None
    key = kind.key
    old, new = (
        {getattr(one, key): one for one in getattr(each, section)}
        for each in (change.before, change.after)
    )
    kept = [each for each in old if each in new]
    changed = sum(_content(old[each], kind) != _content(new[each], kind) for each in kept)
    counts = {
        "new": len(new.keys() - old.keys()),
        "gone": len(old.keys() - new.keys()),
        "changed": changed,
        "as before": len(kept) - changed,
    }
    said = [f"{count} {word}" for word, count in counts.items() if count]
    if [each for each in new if each in old] != kept:
        said.append("in another order")
    return f"{name} replaced: {', '.join(said) or 'nothing'}"


def _content(item: Any, kind: Kind) -> object:
    """Return an item's content without its place, which depends on its neighbors."""
    return item if kind.order is None else item.model_copy(update={kind.order: 0})


def _reading(usage: Any) -> str:
    percentage = ContextUsage(used=usage.used, limit=usage.limit).percentage
    tokens = f" ({usage.used:,} of {usage.limit:,} tokens)"
    return f"{percentage:.1f}%{'' if getattr(usage, 'is_share', False) else tokens}"


def _ended(change: StateChange) -> str:
    usage = None if change.before is None else change.before.usage
    return f" at {_reading(usage)}" if usage else ""


def _lifted(change: StateChange) -> str:
    """Return the outcome for a rule: lifted, or proposed to be by an actor who may not lift it."""
    if change.section is None or change.after is None:
        return "lifted" if change.event.actor == "user" else "lifted, or proposed to be"
    rule: Any = change.event.payload
    left = {each.id for each in getattr(change.after, change.section.field)}
    return "proposed to be lifted" if rule.id in left else "lifted"


def _payload_field(name: str) -> Callable[[StateChange], str]:
    return lambda change: short(getattr(change.event.payload, name, None) or "")


def _look(change: StateChange) -> str:
    given = change.event.payload
    layout, words = getattr(given, "layout", None), getattr(given, "words", {})
    parts = ["a layout"] * (layout is not None) + [f"{len(words)} words"] * bool(words)
    return f"HUD given {' and '.join(parts) or 'the usual look'}"


def _id(change: StateChange) -> str:
    """Return the id of an item, or the section's name for a single value."""
    return _payload_field("id")(change) or (
        "" if change.section is None else _title(change.section.name)
    )


_FIELDS = ("title", "domain", "layout", "path", "name", "value", "result", "goal", "level")

EVENT_FACTS: Mapping[str, Callable[[StateChange], str]] = MappingProxyType(
    {
        **{name: _payload_field(name) for name in _FIELDS},
        "start": _start,
        "look": _look,
        "section": lambda change: _title(change.section.name) if change.section else "",
        "said": _said_of,
        "was": _was,
        "id": _id,
        "text": _text,
        "item": _text_of_item,
        "details": lambda change: _dash(getattr(change.event.payload, "details", "")),
        "done": lambda change: " (done)" if getattr(change.event.payload, "completed", 0) else "",
        "changes": _changes,
        "status": _status,
        "order": _order,
        "lifted": _lifted,
        "named": lambda change: _named(change.event.payload),
        "cleared": _cleared,
        "replaced": _replaced,
        "reading": lambda change: _reading(change.event.payload),
        "reason": lambda change: _behind(getattr(change.event.payload, "reason", "")),
        "ended": _ended,
        "summary": lambda change: _behind(getattr(change.event.payload, "summary", "")),
        "failure": lambda change: _behind(getattr(change.event.payload, "error", "")),
    }
)
"""The facts by placeholder name."""


def told_of(name: str, change: StateChange) -> str:
    """Return the text for a placeholder: a fact, or the payload's field of that name.

    An unknown placeholder stays as it is, so that the history never fails.
    """
    if name in EVENT_FACTS and not _is_own(name, change):
        return EVENT_FACTS[name](change)
    value = getattr(change.event.payload, name, f"{{{name}}}")
    return "" if value is None else short(value)


def _is_own(name: str, change: StateChange) -> bool:
    """Tell whether a placeholder is a field of a section event's payload, which takes precedence."""
    return (
        change.section is not None
        and name not in {*OF_EVERY_VERB, "status"}  # these also need the state
        and name in fields_of(type(change.event.payload))
    )


def _dash(text: str) -> str:
    return f" — {short(text)}" if text else ""


# The history as text: a line for each event.
#
# :data:`WORDS` has a line for every type, and :data:`EVENT_FACTS` fills its placeholders. A line
# names the differences between the states before and after; an event that changed nothing says so.

NOTHING = "; nothing changed"

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "session.start": "session began{start}",
        "session.title": "session named: {title}",
        "session.look": "{look}",
        "section.clear": "{cleared}",
        "section.replace": "{replaced}",
        "section.pin": "{named} pinned open",
        "section.fold": "{named} folded",
        "section.reset": "{named} shown as usual",
        "context.snapshot": "context at {reading}",
        "context.intervention": "the agent told that the context is {level}, at {reading}",
        "compact.before": "conversation about to be compacted{reason}",
        "compact.after": "conversation compacted{ended}{summary}",
        "compact.failed": "compaction failed{failure}",
        "layout.set": "layout set: {layout}",
        "layout.reset": "layout reset",
    }
)
"""The lines of the types that all sessions have; verbs define their own."""


OF_THE_STORE: Mapping[str, str] = MappingProxyType(
    {
        "event.erase": "texts of an event erased",
        "session.domain": "session moved to the domain {domain}",
    }
)
"""The lines of events that only the store records."""


def described(event: Event, domain: Domain[Any] = CODING) -> str:
    """Return a description of an event, on one line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     described(store.session("s").record("note.add", content="Port 8080"))
    'n-2 added: Port 8080'
    """
    return _told(StateChange(event, domain))


def story(
    events: Iterable[Event], state: State, domain: Domain[Any] = CODING
) -> Iterator[tuple[Event, str]]:
    """Yield events, each with a description of its changes.

    :param state: the state before the first one.

    >>> from hud_components import HudState
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for word in "abc":
    ...         _ = session.record("step.add", description=word)
    ...     _ = session.record("step.reorder", ids=["s-4"])
    ...     [*story(session.events(), HudState())][-1][1]
    's-4 moved before s-2'
    """
    for event in events:
        after = project(state, event, domain)
        change = StateChange(event, domain, state, after)
        is_said = _differs(state, after) or isinstance(event.payload, Stored)
        yield event, _told(change) if is_said else f"{_told(change)}{_nothing(change)}"
        state = after


def _nothing(change: StateChange) -> str:
    """Return the words for an event that changed nothing, for instance because its item is unreadable."""
    item = getattr(change.event.payload, "id", None)
    if item is None or item_of(change) is not None:
        return NOTHING
    is_lost = any(one.item == item for one in change.before.unreadable)
    return f"{NOTHING}, as {item} cannot be read" if is_lost else NOTHING


def _told(change: StateChange) -> str:
    event = change.event
    if (unread := _unread(change)) is not None:
        return f"{event.type}, which cannot be {unread}"
    words = WORDS.get(event.type) or OF_THE_STORE.get(event.type)
    if words is None:
        words = (
            change.domain.section_events[change.domain.current_type(event.type)].verb.told
            or f"{event.type}: {{said}}"
        )
    holes = (name for _, name, _, _ in Formatter().parse(words) if name)
    return words.format_map({name: told_of(name, change) for name in holes})


def _unread(change: StateChange) -> str | None:
    """Return the reason why an event cannot be read or applied, and its content."""
    event, payload, before = change.event, change.event.payload, change.before
    if isinstance(payload, Stored):
        how, said = "read", payload.text
    elif before is not None and len(change.after.unreadable) > len(before.unreadable):
        how, said = "applied", payload.model_dump_json(exclude_unset=True)
    else:
        return None
    why = why_unread(before, event, change.domain)
    return (
        None
        if why is None
        else f"{how}: {why.removeprefix(f'{event.type}: ')}; it says {short(said)}"
    )


def _differs(before: State, after: State) -> bool:
    """Tell whether anything but the date of a state changed."""
    return after is not before and after != before.model_copy(
        update={"updated_at": after.updated_at}
    )

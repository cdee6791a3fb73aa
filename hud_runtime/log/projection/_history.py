"""The history in words: a line for each event, made of it and the states around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple

from hud_components import (
    CODING,
    ContextUsage,
    Domain,
    HudModel,
    HudSection,
    State,
)
from hud_components.declaring import OF_EVERY_VERB
from hud_components.folding import Kind
from hud_components.words import cut, line
from hud_runtime.log.events import Event, Stored
from hud_runtime.log.projection._project import project, why_unread
from ujsx.components import fields_of

# The facts of an event and the states around it, hole by hole of its words.

WIDTH = 160
"""Characters of a text in a line, as in a compact HUD."""

SHORT = 60
"""Characters of a text that stands beside another: what something was before."""

NAMED = 6
"""How many of many things are named."""


class StateChange(NamedTuple):
    """An event and the states around it, where they are known."""

    event: Event
    domain: Domain[Any]
    before: Any = None
    after: Any = None

    @property
    def section(self) -> type[HudSection] | None:
        """The section that the event is about, if it is one."""
        happening = self.domain.happenings.get(self.domain.current_type(self.event.type))
        return None if happening is None else happening.section

    @property
    def kind(self) -> Kind | None:
        """The kind that tells the section's items apart."""
        return None if self.section is None else self.section.kind


def short(text: object, width: int = WIDTH) -> str:
    """Return a text on one line, cut where it is longer."""
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
    """What a section of one value said before."""
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
    """What a model says first: the text of an item, the first field of a value."""
    section = change.section
    assert section is not None
    name = next(iter(section.draft.model_fields)) if section.kind is None else section.kind.text
    return getattr(model, name, None)


def item_of(change: StateChange) -> Any:
    """The item that an operation names, or the section's value, as it was before."""
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
    """The status of the item that an operation names, as it is now; else what the event says."""
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
    """All that an event says, field by field."""
    said = [(name, value) for name, value in change.event.payload if value not in (None, "", ())]
    return ", ".join(f"{name} {_value(change, value)}" for name, value in said)


def _value(change: StateChange, value: object) -> str:
    """A field of an event in few words: of several items what each says."""
    if not isinstance(value, tuple):
        return short(value, SHORT)
    several: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
    return _names([str(_first(change, each) or each) for each in several])


def _moved(old: Sequence[str], new: Sequence[str]) -> str | None:
    """How one thing changed its place, if it is one; ``None`` if more did, or none."""
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
    """What a state has in its sections."""
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
    changed = sum(_said(old[each], kind) != _said(new[each], kind) for each in kept)
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


def _said(item: Any, kind: Kind) -> object:
    """What an item says, but for its place, which those beside it change."""
    return item if kind.order is None else item.model_copy(update={kind.order: 0})


def _reading(usage: Any) -> str:
    percentage = ContextUsage(used=usage.used, limit=usage.limit).percentage
    return f"{percentage:.1f}% ({usage.used:,} of {usage.limit:,} tokens)"


def _ended(change: StateChange) -> str:
    usage = None if change.before is None else change.before.usage
    return f" at {_reading(usage)}" if usage else ""


def _given(name: str) -> Callable[[StateChange], str]:
    return lambda change: short(getattr(change.event.payload, name, None) or "")


def _look(change: StateChange) -> str:
    given = change.event.payload
    layout, words = getattr(given, "layout", None), getattr(given, "words", {})
    parts = ["a layout"] * (layout is not None) + [f"{len(words)} words"] * bool(words)
    return f"HUD given {' and '.join(parts) or 'the usual look'}"


def _id(change: StateChange) -> str:
    """The id of an item; a section's one value has none, and goes by the section's name."""
    return _given("id")(change) or ("" if change.section is None else _title(change.section.name))


EVENT_FACTS: Mapping[str, Callable[[StateChange], str]] = MappingProxyType(
    {
        "start": _start,
        "title": _given("title"),
        "domain": _given("domain"),
        "layout": _given("layout"),
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
        "path": _given("path"),
        "name": _given("name"),
        "value": _given("value"),
        "result": _given("result"),
        "goal": _given("goal"),
        "level": _given("level"),
        "status": _status,
        "order": _order,
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
"""What each hole stands for, by its name."""


def told_of(name: str, change: StateChange) -> str:
    """Return what a hole stands for: a fact, or else the field of that name of what the event says.

    A hole that nothing fills stays as it is written: the history is not the place to fail.
    """
    if name in EVENT_FACTS and not _is_own(name, change):
        return EVENT_FACTS[name](change)
    value = getattr(change.event.payload, name, f"{{{name}}}")
    return "" if value is None else short(value)


def _is_own(name: str, change: StateChange) -> bool:
    """Whether a hole is a field of what a section's event says, whatever else has its name."""
    return (
        change.section is not None
        and name not in {*OF_EVERY_VERB, "status"}  # these know of the state, too
        and name in fields_of(type(change.event.payload))
    )


def _dash(text: str) -> str:
    return f" — {short(text)}" if text else ""


# The history in words: a line for each event, made of it and the states around it.
#
# :data:`WORDS` has a line for every type; its holes are filled by :data:`EVENT_FACTS`. The words name
# what the states before and after differ in, and an event that changed nothing says so.

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
"""What each type of event is told as that every session has; verbs say what theirs are."""


OF_THE_STORE: Mapping[str, str] = MappingProxyType(
    {
        "event.erase": "texts of an event erased",
        "session.domain": "session moved to the domain {domain}",
    }
)
"""What the store itself says in a log, and nobody else."""


def described(event: Event, domain: Domain[Any] = CODING) -> str:
    """Return what an event says, on one line.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     described(store.session("s").record("note.add", content="Port 8080"))
    'n-2 added: Port 8080'
    """
    return _told(StateChange(event, domain))


def story(
    events: Iterable[Event], state: State, domain: Domain[Any] = CODING
) -> Iterator[tuple[Event, str]]:
    """Yield events, each with what it changed.

    :param state: that before the first of them.

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
    """The words for an event that changed nothing: the item that it names cannot be read, perhaps."""
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
            change.domain.happenings[change.domain.current_type(event.type)].verb.told
            or f"{event.type}: {{said}}"
        )
    holes = (name for _, name, _, _ in Formatter().parse(words) if name)
    return words.format_map({name: told_of(name, change) for name in holes})


def _unread(change: StateChange) -> str | None:
    """Why an event cannot be read, or not be applied, and what it says all the same."""
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
    """Whether anything but the date of a state changed."""
    return after is not before and after != before.model_copy(
        update={"updated_at": after.updated_at}
    )

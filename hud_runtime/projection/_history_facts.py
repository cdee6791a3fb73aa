"""The facts of an event and the states around it, hole by hole of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from hud_components import ContextUsage, Domain, HudModel, HudSection, State
from hud_components.declaring import OF_EVERY_VERB
from hud_components.folding import Kind
from hud_components.words import cut, line
from hud_runtime.events import Event
from ujsx.components import fields_of

WIDTH = 160
"""Characters of a text in a line, as in a compact HUD."""

SHORT = 60
"""Characters of a text that stands beside another: what something was before."""

NAMED = 6
"""How many of many things are named."""


class Change(NamedTuple):
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


def _start(change: Change) -> str:
    start: Any = change.event.payload
    said = [short(f"{name} {value}", SHORT) for name, value in start if value and name in _ABOUT]
    inherited = start.inherited
    if inherited is not None:
        had, lost = _counts(inherited, change.domain.fields), len(inherited.unreadable)
        said += [f"with {had}"] if had else []
        said += [f"without {lost} that cannot be read"] if lost else []
    return "".join(f", {each}" for each in said)


_ABOUT = ("title", "project", "parent")


def _was(change: Change) -> str:
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


def _first(change: Change, model: object) -> object:
    """What a model says first: the text of an item, the first field of a value."""
    section = change.section
    assert section is not None
    name = next(iter(section.draft.model_fields)) if section.kind is None else section.kind.text
    return getattr(model, name, None)


def item_of(change: Change) -> Any:
    """The item that an operation names, or the section's value, as it was before."""
    section, kind = change.section, change.kind
    if section is None or change.before is None:
        return None
    if kind is None:
        return getattr(change.before, section.field)
    named: Any = getattr(change.event.payload, kind.key, None)
    items = getattr(change.before, section.field)
    return next((one for one in items if getattr(one, kind.key) == named), None)


def _text(change: Change) -> str:
    return short(_first(change, change.event.payload) or "")


def _text_of_item(change: Change) -> str:
    item, kind = item_of(change), change.kind
    return "" if item is None or kind is None else _behind(getattr(item, kind.text))


def _changes(change: Change) -> str:
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


def _status(change: Change) -> str:
    """The status of the item that an operation names, as it is now; else what the event says."""
    said = getattr(change.event.payload, "status", None)
    item = item_of(change._replace(before=change.after))
    return short(getattr(item, "status", None) or said or "")


def _order(change: Change) -> str:
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


def _said_of(change: Change) -> str:
    """All that an event says, field by field."""
    said = [(name, value) for name, value in change.event.payload if value not in (None, "", ())]
    return ", ".join(f"{name} {_value(change, value)}" for name, value in said)


def _value(change: Change, value: object) -> str:
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


def _cleared(change: Change) -> str:
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


def _replaced(change: Change) -> str:
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


def _ended(change: Change) -> str:
    usage = None if change.before is None else change.before.usage
    return f" at {_reading(usage)}" if usage else ""


def _given(name: str) -> Callable[[Change], str]:
    return lambda change: short(getattr(change.event.payload, name, None) or "")


def _look(change: Change) -> str:
    given = change.event.payload
    layout, words = getattr(given, "layout", None), getattr(given, "words", {})
    parts = ["a layout"] * (layout is not None) + [f"{len(words)} words"] * bool(words)
    return f"HUD given {' and '.join(parts) or 'the usual look'}"


def _id(change: Change) -> str:
    """The id of an item; a section's one value has none, and goes by the section's name."""
    return _given("id")(change) or ("" if change.section is None else _title(change.section.name))


FACTS: Mapping[str, Callable[[Change], str]] = MappingProxyType(
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


def told_of(name: str, change: Change) -> str:
    """Return what a hole stands for: a fact, or else the field of that name of what the event says.

    A hole that nothing fills stays as it is written: the history is not the place to fail.
    """
    if name in FACTS and not _is_own(name, change):
        return FACTS[name](change)
    value = getattr(change.event.payload, name, f"{{{name}}}")
    return "" if value is None else short(value)


def _is_own(name: str, change: Change) -> bool:
    """Whether a hole is a field of what a section's event says, whatever else has its name."""
    return (
        change.section is not None
        and name not in {*OF_EVERY_VERB, "status"}  # these know of the state, too
        and name in fields_of(type(change.event.payload))
    )


def _dash(text: str) -> str:
    return f" — {short(text)}" if text else ""

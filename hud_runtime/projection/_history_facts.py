"""What an event and the states around it tell, hole by hole of the words for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from hud_components import ActiveFile, ContextUsage, HudState
from hud_components.words import cut, line
from hud_runtime.events import LISTS, Event
from hud_runtime.projection._kinds import Item, kind_of
from hud_runtime.projection._sections import EMPTY

WIDTH = 160
"""Characters of a text in a line, as in a compact HUD."""

SHORT = 60
"""Characters of a text that stands beside another: what something was before."""

NAMED = 6
"""How many of many things are named."""


class Moment(NamedTuple):
    """An event and the states around it, where they are known."""

    event: Event
    before: HudState | None = None
    after: HudState | None = None


def _short(text: object, width: int = WIDTH) -> str:
    return cut(line(str(text)), width)


def _behind(text: object) -> str:
    return f": {_short(text)}" if text else ""


def _start(moment: Moment) -> str:
    start: Any = moment.event.payload
    said = [_short(f"{name} {value}", SHORT) for name, value in start if value and name in _ABOUT]
    inherited = start.inherited
    return "".join(
        f", {each}" for each in (*said, inherited and f"with {_counts(inherited)}") if each
    )


_ABOUT = ("title", "project", "parent")


def _was_task(moment: Moment) -> str:
    was = None if moment.before is None else moment.before.task
    if was is None:
        return ""
    said: Any = moment.event.payload
    if getattr(said, "description", None) == was.description:
        return f"; it was {was.origin}'s" if was.origin else ""
    return f"; it was: {_short(was.description, SHORT)}"


def _item(moment: Moment) -> Item | None:
    """The item that an operation names, as it was before."""
    kind = kind_of(moment.event.type)
    if kind is None or moment.before is None:
        return None
    payload: Any = moment.event.payload
    return next((one for one in kind.items(moment.before) if one.id == payload.id), None)


def _text(moment: Moment) -> str:
    kind = kind_of(moment.event.type)
    assert kind is not None
    return _short(getattr(moment.event.payload, kind.text))


def _text_of_item(moment: Moment) -> str:
    item, kind = _item(moment), kind_of(moment.event.type)
    return "" if item is None or kind is None else _behind(getattr(item, kind.text))


def _changes(moment: Moment) -> str:
    change: Any = moment.event.payload
    item = _item(moment)
    values: Mapping[str, object] = change.values()
    return ", ".join(_change(name, value, item) for name, value in values.items())


def _change(name: str, value: object, item: Item | None) -> str:
    if isinstance(value, bool):
        return f"{name if value else f'not {name}'}{_behind(getattr(item, 'description', ''))}"
    was = getattr(item, name, None)
    before = f" (was: {_short(was, SHORT)})" if was and was != value else ""
    return f"{name} {_short(value)}{before}" if value else f"no {name}{before}"


def _status(moment: Moment) -> str:
    opened: Any = moment.event.payload
    files: Sequence[ActiveFile] = () if moment.after is None else moment.after.active_files
    status = next((one.status for one in files if one.path == opened.path), opened.status)
    return f" ({status})"


def _order(moment: Moment) -> str:
    asked: Any = moment.event.payload
    if moment.before is None or moment.after is None:
        return f"steps in another order: {_names(asked.ids)} first"
    old, new = ([step.id for step in each.next_steps] for each in (moment.before, moment.after))
    return _moved(old, new) or f"steps in another order: {_names(new)}"


def _moved(old: Sequence[str], new: Sequence[str]) -> str | None:
    """How one thing changed its place, if it is one; ``None`` if more did, or none."""
    places = [place for place, pair in enumerate(zip(old, new, strict=True)) if len({*pair}) > 1]
    if not places:
        return None
    first, last = places[0], places[-1]
    was, now = old[first : last + 1], new[first : last + 1]
    if [now[0], *was[:-1]] == [*now]:
        return f"{_short(now[0], SHORT)} moved before {_short(was[0], SHORT)}"
    if [*was[1:], now[-1]] == [*now]:
        return f"{_short(now[-1], SHORT)} moved behind {_short(was[-1], SHORT)}"
    return None


def _names(names: Sequence[str]) -> str:
    shown = [_short(name, SHORT) for name in names[:NAMED]]
    more = len(names) - len(shown)
    return ", ".join((*shown, f"{more} more") if more else shown)


def _cleared(moment: Moment) -> str:
    section: Any = getattr(moment.event.payload, "section", None)
    name = "all sections" if section is None else _title(section)
    had = moment.before and _counts(moment.before, (section,) if section else (*EMPTY,))
    if not had:
        return f"{name} cleared"
    return f"{had} cleared" if section else f"{name} cleared: {had}"


def _counts(state: HudState, sections: Sequence[str] = ("task", *LISTS)) -> str:
    """What a state has in its sections."""
    found: list[str] = []
    for name in sections:
        value: Any = getattr(state, name)
        if name == "task" and value is not None:
            found.append(f"the task {_short(value.description, SHORT)}")
        elif name != "task" and value:
            found.append(f"{_title(name)} ({len(value)})")
    return ", ".join(found)


def _title(section: str) -> str:
    return section.replace("_", " ")


def _replaced(moment: Moment) -> str:
    payload: Any = moment.event.payload
    section: Any = payload.section
    name = _title(section)
    if moment.before is None or moment.after is None:
        return f"{name} replaced: {len(getattr(payload, section))} now"
    old, new = (
        {getattr(one, "id", None) or one.path: one for one in getattr(each, section)}
        for each in (moment.before, moment.after)
    )
    kept = [key for key in old if key in new]
    changed = sum(_said(old[key]) != _said(new[key]) for key in kept)
    counts = {
        "new": len(new.keys() - old.keys()),
        "gone": len(old.keys() - new.keys()),
        "changed": changed,
        "as before": len(kept) - changed,
    }
    said = [f"{count} {word}" for word, count in counts.items() if count]
    if [key for key in new if key in old] != kept:
        said.append("in another order")
    return f"{name} replaced: {', '.join(said) or 'nothing'}"


def _said(item: Any) -> object:
    """What an item says, but for its place, which those beside it change."""
    return item.model_copy(update={"order": 0}) if hasattr(item, "order") else item


def _reading(usage: Any) -> str:
    percentage = ContextUsage(used=usage.used, limit=usage.limit).percentage
    return f"{percentage:.1f}% ({usage.used:,} of {usage.limit:,} tokens)"


def _ended(moment: Moment) -> str:
    usage = None if moment.before is None else moment.before.usage
    return f" at {_reading(usage)}" if usage else ""


def _given(name: str) -> Callable[[Moment], str]:
    return lambda moment: _short(getattr(moment.event.payload, name) or "")


FACTS: Mapping[str, Callable[[Moment], str]] = MappingProxyType(
    {
        "start": _start,
        "title": _given("title"),
        "task": _given("description"),
        "was_task": _was_task,
        "id": _given("id"),
        "text": _text,
        "item": _text_of_item,
        "details": lambda moment: _dash(getattr(moment.event.payload, "details", "")),
        "done": lambda moment: " (done)" if getattr(moment.event.payload, "completed", 0) else "",
        "changes": _changes,
        "path": _given("path"),
        "status": _status,
        "order": _order,
        "cleared": _cleared,
        "replaced": _replaced,
        "reading": lambda moment: _reading(moment.event.payload),
        "reason": lambda moment: _behind(getattr(moment.event.payload, "reason", "")),
        "ended": _ended,
        "summary": lambda moment: _behind(getattr(moment.event.payload, "summary", "")),
    }
)
"""What each hole stands for, by its name."""


def _dash(text: str) -> str:
    return f" — {_short(text)}" if text else ""

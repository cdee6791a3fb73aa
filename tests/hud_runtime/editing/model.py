"""Edits on a model: what somebody does to a HUD, done to the state that it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from hud_components import Blocker, Decision, HudState, Note, Step, Task

SECTIONS: dict[str, tuple[type[Any], str]] = {
    "decisions": (Decision, "summary"),
    "next_steps": (Step, "description"),
    "notes": (Note, "content"),
    "blockers": (Blocker, "description"),
}


@dataclass(frozen=True)
class Edit:
    """One thing that is done: to the item at a place, counted around."""

    what: str
    section: str
    place: int
    text: str
    other: int = 0


def edits(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[Edit]]:
    """Several edits; what they do to a section that has nothing to do it to, is nothing."""
    actions = (
        "add",
        "add",
        "change",
        "change",
        "remove",
        "done",
        "move",
        "details",
        "task",
        "no task",
    )
    return st.lists(
        st.builds(
            Edit,
            st.sampled_from(actions),
            st.sampled_from([*SECTIONS]),
            st.integers(0, 9),
            texts,
            st.integers(0, 9),
        ),
        min_size=1,
        max_size=8,
    )


def after(state: HudState, done: list[Edit]) -> HudState:
    """Return the state that the edited text shows; new items have no id."""
    for edit in done:
        state = _after(state, edit)
    return state


def _after(state: HudState, edit: Edit) -> HudState:
    if edit.what == "task":
        return _with(state, task=Task(description=edit.text))
    if edit.what == "no task":
        return _with(state, task=None)
    items = [*getattr(state, edit.section)]
    model, field = SECTIONS[edit.section]
    shown = [n for n, item in enumerate(items) if not getattr(item, "resolved", False)]
    if edit.what == "add":
        items.append(model(**{field: edit.text}))
    elif shown:
        place = shown[edit.place % len(shown)]
        item = items[place]
        if edit.what == "change":
            items[place] = _with(item, **{field: edit.text})
        elif edit.what == "remove":
            del items[place]
        elif edit.what == "details" and edit.section == "decisions":
            items[place] = _with(item, details=edit.text.strip() if edit.other % 3 else "")
        elif edit.what == "done" and edit.section == "next_steps":
            items[place] = _with(item, completed=not item.completed)
        elif edit.what == "done" and edit.section == "blockers":
            del items[place]  # the text does not have it any more
        elif edit.what == "move" and edit.section == "next_steps":
            items.insert(edit.other % len(items), items.pop(place))
    if edit.section == "next_steps":
        items = [_with(step, order=n) for n, step in enumerate(items)]
    return _with(state, **{edit.section: tuple(items)})


def _with(model: Any, **values: Any) -> Any:
    """A copy with other values, which are checked as new ones are."""
    return type(model)(**{**{k: getattr(model, k) for k in type(model).model_fields}, **values})


def without_new_ids(state: HudState, wanted: HudState) -> HudState:
    """Return the state as a text shows it that knows only the ids of the wanted state."""
    known = {section: {item.id for item in getattr(wanted, section)} for section in SECTIONS}
    return _with(
        state,
        **{
            section: tuple(
                item if item.id in known[section] else item.model_copy(update={"id": ""})
                for item in getattr(state, section)
            )
            for section in SECTIONS
        },
    )

"""From what somebody wants to record to what can be recorded: ids are given, names resolved.

This is where an operation on something that does not exist is refused. The projector never
refuses: what stands in the log has been through here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TypeVar

from hud_components import HudState
from hud_runtime._errors import EventError, UnknownItemError
from hud_runtime.events import (
    EventDraft,
    EventType,
    FileClose,
    New,
    Payload,
    SectionReplace,
    SessionStart,
    StepReorder,
    Target,
    known_type,
    parse_payload,
)
from hud_runtime.projection import KINDS, Item, Kind, duplicate, kind_of, made_id
from hud_runtime.projection._index import Index, carrying
from ujsx.errors import did_you_mean, listed, quoted

NewT = TypeVar("NewT", bound=New)


def plan(state: HudState, version: int, draft: EventDraft) -> Payload:
    """Return the payload that the event with this version will have.

    A new item gets its id, or that of the item which already says the same. An item may be
    named by its id, by its exact text, or by the beginning of its id where only one begins so.

    Raises :class:`EventError`, or :class:`UnknownItemError` with the nearest id.
    """
    event_type = known_type(draft.type)
    payload = parse_payload(event_type, draft.payload)
    kind = kind_of(event_type)
    if isinstance(payload, SessionStart) and version > 1:
        raise EventError("session.start: the session has begun already")
    if isinstance(payload, FileClose):
        _check_path(state, payload.path)
    if isinstance(payload, SectionReplace):
        return _replacement(state, version, payload)
    if kind is None:
        return payload
    items = kind.items(state)
    index = kind.index(items)
    try:
        return _named(event_type, kind, index, version, payload)
    finally:
        carrying(index, items)


def _named(
    event_type: EventType, kind: Kind, index: Index[Item], version: int, payload: Payload
) -> Payload:
    if isinstance(payload, New):
        return _identified(event_type, kind, index, version, payload)
    if isinstance(payload, Target):
        return payload.model_copy(update={"id": named(event_type, kind, index, payload.id)})
    if isinstance(payload, StepReorder):
        ids = tuple(named(event_type, kind, index, name) for name in payload.ids)
        return payload.model_copy(update={"ids": ids})
    return payload


def meant(draft: EventDraft) -> EventDraft:
    """Return what a draft comes to: a task without words is none.

    >>> meant(EventDraft("task.set", {"description": " "})).type
    'task.clear'
    """
    if draft.type in ("task.set", "task.update") and set(draft.payload) == {"description"}:
        words = draft.payload["description"]
        if words is None or (isinstance(words, str) and not words.strip()):
            return replace(draft, type="task.clear", payload={})
    return draft


def named(event_type: EventType, kind: Kind, index: Index[Item], name: str) -> str:
    """Return the id of the item that ``name`` means.

    >>> from hud_components import Note
    >>> notes = KINDS["note"].index((Note(id="n-12", content="Port 8080"),))
    >>> named("note.remove", KINDS["note"], notes, "Port 8080")
    'n-12'
    """
    if name in index:
        return name
    # The same text may stand in an item that is over and in one that is not.
    for number in (
        *index.saying(name, is_open=True)[:1],
        *index.saying(name, is_open=False)[-1:],
    ):
        return index[number].id
    two = list(islice(index.beginning(name), 2))
    if len(two) == 1:
        return two[0]
    if two:
        begins = [item.id for item in index.items if item.id.startswith(name)]
        raise UnknownItemError(
            f"{event_type}: {quoted(name)} could be any of {listed(begins)}; give the whole id"
        )
    raise UnknownItemError(
        f"{event_type}: there is no {quoted(name)} in {kind.section};"
        f" {did_you_mean(name, (item.id for item in index.items))}"
    )


def _identified(
    event_type: EventType, kind: Kind, index: Index[Item], version: int, new: New
) -> New:
    same = duplicate(kind, index, new)
    if new.id is None:
        item_id = made_id(kind, version, index) if same is None else same.id
        return new.model_copy(update={"id": item_id})
    if same is None and new.id in index:
        raise EventError(
            f"{event_type}: the id {quoted(new.id)} is taken; leave it out, or use another"
        )
    return new


def _replacement(state: HudState, version: int, new: SectionReplace) -> SectionReplace:
    for kind in KINDS.values():
        drafts: tuple[New, ...] | None = getattr(new, kind.section, None)
        if drafts is not None:
            return new.model_copy(
                update={kind.section: _all_identified(kind, kind.items(state), version, drafts)}
            )
    return new


def _all_identified(
    kind: Kind, items: tuple[Item, ...], version: int, drafts: tuple[NewT, ...]
) -> tuple[NewT, ...]:
    index = kind.index(items)
    used = {draft.id for draft in drafts if draft.id is not None}
    taken = used | {item.id for item in items}
    result: list[NewT] = []
    for place, draft in enumerate(drafts, start=1):
        item_id = draft.id
        if item_id is None:
            same = duplicate(kind, index, draft, without=used)
            item_id = made_id(kind, version, taken, place) if same is None else same.id
            used.add(item_id)
            taken.add(item_id)
        result.append(draft.model_copy(update={"id": item_id}))
    carrying(index, items)
    return tuple(result)


def _check_path(state: HudState, path: str) -> None:
    paths = [file.path for file in state.active_files]
    if path not in paths:
        raise UnknownItemError(
            f"file.close: {quoted(path)} is not among the active files; {did_you_mean(path, paths)}"
        )

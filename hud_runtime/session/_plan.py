"""From what somebody wants to record to what can be recorded: ids are given, names resolved.

This is where an operation on something that does not exist is refused. The projector never
refuses: what stands in the log has been through here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from hud_components import Domain, HudSection, State
from hud_components.declaring import can_fold
from hud_components.folding import (
    Index,
    Kind,
    New,
    Payload,
    Set,
    VerbError,
    carrying,
    duplicate,
    is_absolute,
    made_id,
    path_within,
)
from hud_runtime._errors import EventError, UnknownItemError
from hud_runtime.events import (
    Event,
    EventCatalog,
    EventDraft,
    SessionStart,
    explain,
)
from hud_runtime.projection import project
from ujsx.components import fields_of
from ujsx.errors import UjsxError, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from hud_runtime.events import LayoutSet, SectionFold, SectionReplace

NewT = TypeVar("NewT", bound=New)
StateT = TypeVar("StateT", bound=State)


def plan(catalog: EventCatalog, state: State, version: int, draft: EventDraft) -> Payload:
    """Return the payload that the event with this version will have.

    A new item gets its id, or that of the item which already says the same. An item may be
    named by its id, by its exact text, or by the beginning of its id, where that means only one.

    Raises :class:`EventError`, or :class:`UnknownItemError` with the nearest id.
    """
    event_type = draft.type
    payload = catalog.parse(event_type, draft.payload)
    if isinstance(payload, SessionStart) and version > 1:
        raise EventError(
            "session.start: the session has begun already, when the store was asked for it; record what happens in"
            ' it, such as its title: record("session.title", title=…)'
        )
    if event_type == "layout.set":
        check_layout(state, cast("LayoutSet", payload).layout)
        return payload
    if event_type == "section.fold":
        check_fold(catalog.domain, cast("SectionFold", payload).section)
        return payload
    if event_type == "section.replace":
        return _replacement(catalog.domain, state, version, cast("SectionReplace", payload))
    happening = catalog.domain.happenings.get(event_type)
    if happening is None or (kind := happening.section.kind) is None:
        return payload
    section = happening.section
    items = getattr(state, section.field)
    index = kind.index(items)
    try:
        if kind.key == "path":
            return _in_project(state, index, payload)
        if kind.key != "id":
            return payload
        return _named(event_type, section, index, version, payload)
    except UnknownItemError:
        for each in state.unreadable:
            if (each.section, each.item) == (section.field, getattr(payload, "id", None)):
                raise UnknownItemError(
                    f"{event_type}: {quoted(each.item)} is in {section.field}, and cannot be read any"
                    " more; `hud history` tells why: add it anew, or leave it"
                ) from None
        raise
    finally:
        carrying(index, items)


def check_layout(state: State, layout: str) -> None:
    """Refuse a layout of the agent's that could not be shown, or that would take too much.

    Raises :class:`EventError` that tells of its mistakes with their places.
    """
    from hud_components import check_ceiling, read_agent_layout  # few sessions have a layout

    if layout == state.layout:
        return
    try:
        check_ceiling(read_agent_layout(layout, type(state)), state)
    except UjsxError as error:
        raise EventError(f"layout.set: {error}") from None


def check_fold(domain: Domain[Any], field: str) -> None:
    """Refuse to fold what has to be seen.

    Raises :class:`EventError`.
    """
    section = domain.fields[field]
    if not can_fold(section):
        raise EventError(
            f"section.fold: {section.name.replace('_', ' ')} cannot be folded, as they have to be seen"
            " in any case; fold another section"
        )


def _named(
    event_type: str,
    section: type[HudSection],
    index: Index[Any],
    version: int,
    payload: Payload,
) -> Payload:
    kind = section.kind
    if isinstance(payload, New) and kind is not None:
        return _identified(event_type, kind, index, version, payload)

    def resolved(name: str) -> str:
        return named(event_type, section, index, name)

    said = vars(payload)
    if isinstance(said.get("id"), str):
        return payload.model_copy(update={"id": resolved(said["id"])})
    if isinstance(said.get("ids"), tuple):
        return payload.model_copy(update={"ids": tuple(map(resolved, said["ids"]))})
    return payload


def after(domain: Domain[StateT], state: StateT, event: Event) -> StateT:
    """Return the state after an event that is about to be recorded.

    Raises :class:`EventError` for a ValueError of the section's own verb, or for an item that its
    model refuses; :class:`UnknownItemError` for a LookupError.
    """
    try:
        return project(state, event, domain, strict=True)
    except EventError:
        raise
    except (VerbError, StopIteration) as error:
        message = _message(error)
        raise EventError(f"{event.type}: {message}") from error
    except ValidationError as error:
        model = domain.happenings[event.type].section.value
        raise EventError(explain(event.type, model, error)) from None
    except LookupError as error:
        raise UnknownItemError(f"{event.type}: {_message(error)}") from error
    except ValueError as error:
        raise EventError(f"{event.type}: {_message(error)}") from error


def _message(error: Exception) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def meant(domain: Domain[Any], draft: EventDraft) -> EventDraft:
    """Return what a draft comes to: a value that is set to no words is cleared.

    >>> from hud_components import CODING
    >>> meant(CODING, EventDraft("task.set", {"description": " "})).type
    'task.clear'
    """
    happening = domain.happenings.get(draft.type)
    if happening is None or not isinstance(happening.verb, Set) or len(draft.payload) != 1:
        return draft
    section, [(name, words)] = happening.section, draft.payload.items()
    clear = next((each for each in domain.clearing(section)), None)
    if clear is None or name != next(iter(fields_of(section.draft))):
        return draft
    if words is None or (isinstance(words, str) and not words.strip()):
        return replace(draft, type=clear.type, payload={})
    return draft


def named(event_type: str, section: type[HudSection], index: Index[Any], name: str) -> str:
    """Return the id of the item that ``name`` means.

    >>> from hud_components import Note, NotesSection
    >>> notes = NotesSection.kind.index((Note(id="n-12", content="Port 8080"),))
    >>> named("note.remove", NotesSection, notes, "Port 8080")
    'n-12'
    """
    if name in index:
        return name
    # The same text may stand in an item that is over and in one that is not: that one is meant.
    same = index.saying(name, is_open=True) or index.saying(name, is_open=False)
    if len(same) > 1:
        ids = [str(index[number].id) for number in same]
        raise UnknownItemError(
            f"{event_type}: {quoted(name)} is the text of {listed(ids)}; name one by its id"
        )
    if same:
        return str(index[same[0]].id)
    two = list(islice(index.beginning(name), 2))
    if len(two) == 1:
        return two[0]
    if two:
        begins = [item.id for item in index.items if item.id.startswith(name)]
        raise UnknownItemError(
            f"{event_type}: {quoted(name)} could be any of {listed(begins)}; give the whole id"
        )
    raise UnknownItemError(
        f"{event_type}: there is no {quoted(name)} in {section.field};"
        f" {did_you_mean(name, (item.id for item in index.items))}"
    )


def _in_project(state: State, index: Index[Any], payload: Payload) -> Payload:
    """The payload of a file by its path from the project's folder: a file has one name, whoever names it."""
    path = vars(payload)["path"]
    project = None if state.session is None else state.session.project
    if path in index or "://" in path or not is_absolute(project or ""):
        return payload
    return payload.model_copy(update={"path": path_within(path, project)})


def _identified(event_type: str, kind: Kind, index: Index[Any], version: int, new: New) -> New:
    same = duplicate(kind, index, new)
    if new.id is None:
        item_id = made_id(kind, version, index) if same is None else same.id
        return new.model_copy(update={"id": item_id})
    if same is None and new.id in index:
        raise EventError(
            f"{event_type}: the id {quoted(new.id)} is taken; leave it out, or use another"
        )
    return new


def _replacement(
    domain: Domain[Any], state: State, version: int, new: SectionReplace
) -> SectionReplace:
    field = new.section
    kind, drafts = domain.fields[field].kind, getattr(new, field)
    if kind is None or kind.key != "id":
        return new
    items = _all_identified(kind, getattr(state, field), version, drafts)
    return new.model_copy(update={field: items})


def _all_identified(
    kind: Kind, items: tuple[Any, ...], version: int, drafts: tuple[NewT, ...]
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

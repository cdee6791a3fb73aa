"""Recording: from drafts to events, and the state after them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import ValidationError

from hud_components import Domain, HudSection, State
from hud_components.declaring import SectionEvent, can_fold
from hud_components.folding import (
    Append,
    Index,
    Kind,
    Mark,
    New,
    Payload,
    Reopen,
    Reorder,
    Set,
    Update,
    Verb,
    VerbError,
    duplicate,
    is_absolute,
    known_items,
    made_id,
    path_within,
    with_index,
)
from hud_components.words import line
from hud_runtime._errors import EventError, StoreDamagedError, StoreError, UnknownItemError
from hud_runtime._fork import mutex
from hud_runtime._limits import Limits
from hud_runtime.log.events import (
    PAYLOADS,
    Event,
    EventCatalog,
    EventDraft,
    EventType,
    SessionStart,
    catalog_of,
    check_size,
    explain,
)
from hud_runtime.log.projection import Projection, project
from hud_runtime.log.secrets import Secrets
from hud_runtime.log.store import EventIds, EventStore, Snapshot
from ujsx.components import fields_of
from ujsx.errors import UjsxError, listed, quoted
from ujsx.on_demand import late_pattern

if TYPE_CHECKING:
    from hud_runtime.log.events import LayoutSet, SectionFold, SectionReplace

# From a draft to a payload: ids are assigned, names resolved.
#
# An operation on an unknown item is refused here. The projector never refuses: logged events have
# passed this check.

NewT = TypeVar("NewT", bound=New)
StateT = TypeVar("StateT", bound=State)


def plan(catalog: EventCatalog, state: State, version: int, draft: EventDraft) -> Payload:
    """Return the payload of the event with this version.

    A new item gets an id, or the id of an existing item with the same content. An item can be named by its
    id, its exact text, or an unambiguous prefix of its id.

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
    section_event = catalog.domain.section_events.get(event_type)
    if section_event is None or (kind := catalog.domain.kind_of(section_event.section)) is None:
        return payload
    section = section_event.section
    items = getattr(state, section.field)
    index = kind.index(items)
    try:
        if kind.key == "id" and isinstance(payload, New):
            return _identified(event_type, kind, index, version, payload)
        if kind.key == "path":
            return _in_project(state, index, payload)
        if kind.key != "id":
            return payload
        return _named(event_type, section_event, index, payload)
    except UnknownItemError:
        for each in state.unreadable:
            if (each.section, each.item) == (section.field, getattr(payload, "id", None)):
                raise UnknownItemError(
                    f"{event_type}: {quoted(each.item)} is in {section.field}, and cannot be read any"
                    " more; `hud history` tells why: add it anew, or leave it"
                ) from None
        if hint := _elsewhere(catalog.domain, state, section_event, vars(payload).get("id")):
            raise UnknownItemError(f"{event_type}: {hint}") from None
        raise
    finally:
        with_index(index, items)


def check_layout(state: State, layout: str) -> None:
    """Check that an agent's layout is valid, and within its token limit.

    Raises :class:`EventError` with the problems and their places.
    """
    from hud_components import check_ceiling, read_agent_layout  # few sessions have a layout

    if layout == state.layout:
        return
    try:
        check_ceiling(read_agent_layout(layout, type(state)), state)
    except UjsxError as error:
        raise EventError(f"layout.set: {error}") from None


def check_fold(domain: Domain[Any], field: str) -> None:
    """Check that a section may be folded.

    Raises :class:`EventError` for a section that must stay visible.
    """
    section = domain.fields[field]
    if not can_fold(section):
        raise EventError(
            f"section.fold: {section.name.replace('_', ' ')} cannot be folded, as they must stay visible; fold another section"
        )


def _named(
    event_type: str, section_event: SectionEvent, index: Index[Any], payload: Payload
) -> Payload:
    section = section_event.section
    is_kept = isinstance(section_event.verb, Append | Mark | Reopen | Reorder | Update)

    def resolved(name: str) -> str:
        return named(event_type, section, index, name, loosely=is_kept)

    said = vars(payload)
    if isinstance(said.get("id"), str):
        return payload.model_copy(update={"id": resolved(said["id"])})
    if isinstance(said.get("ids"), tuple):
        return payload.model_copy(update={"ids": tuple(map(resolved, said["ids"]))})
    return payload


def after(domain: Domain[StateT], state: StateT, event: Event) -> StateT:
    """Return the state after an event that is about to be recorded.

    Raises :class:`EventError` for a ValueError of the section's own verb, or an item that fails validation;
    :class:`UnknownItemError` for a LookupError.
    """
    try:
        return project(state, event, domain, strict=True)
    except EventError:
        raise
    except (VerbError, StopIteration) as error:
        message = _message(error)
        raise EventError(f"{event.type}: {message}") from error
    except ValidationError as error:
        model = domain.section_events[event.type].section.value
        raise EventError(explain(event.type, model, error)) from None
    except LookupError as error:
        raise UnknownItemError(f"{event.type}: {_message(error)}") from error
    except ValueError as error:
        raise EventError(f"{event.type}: {_message(error)}") from error


def _message(error: Exception) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def resolve_draft(domain: Domain[Any], draft: EventDraft) -> EventDraft:
    """Return the effective draft: setting a value to an empty text clears it.

    >>> from hud_components import CODING
    >>> resolve_draft(CODING, EventDraft("task.set", {"description": " "})).type
    'task.clear'
    """
    section_event = domain.section_events.get(draft.type)
    if section_event is None or not isinstance(section_event.verb, Set) or len(draft.payload) != 1:
        return draft
    section, [(name, words)] = section_event.section, draft.payload.items()
    clear = next((each for each in domain.clearing(section)), None)
    if clear is None or name != next(iter(fields_of(section.draft))):
        return draft
    if words is None or (isinstance(words, str) and not words.strip()):
        return replace(draft, type=clear.type, payload={})
    return draft


def named(
    event_type: str,
    section: type[HudSection],
    index: Index[Any],
    name: str,
    *,
    loosely: bool = False,
) -> str:
    """Return the id of the item that ``name`` refers to.

    :param loosely: whether a text may differ in case, quotes, list marker and final period, for operations
        that keep the item. Otherwise the error asks whether that item is meant.

    >>> from hud_components import Note, NotesSection
    >>> notes = NotesSection.kind.index((Note(id="n-12", content="Port 8080"),))
    >>> named("note.remove", NotesSection, notes, "Port 8080")
    'n-12'
    >>> named("note.update", NotesSection, notes, "- port 8080.", loosely=True)
    'n-12'
    >>> named("note.remove", NotesSection, notes, "the port 8080")
    Traceback (most recent call last):
    hud_runtime._errors.UnknownItemError: note.remove: there is no "the port 8080" in notes; did you mean n-12 "Port 8080"?
    """
    if name in index:
        return name
    # Among items with the same text, an open one takes precedence over a closed one.
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
    is_id = _ID.fullmatch(name) is not None
    alike, is_same = _alike(cast("Kind", section.kind), index, name, least=1 if is_id else CLOSE)
    if is_same and loosely and len(alike) == 1:
        return str(alike[0].id)
    if alike:
        either = " or ".join(_id_and_text(section, item) for item in alike)
        hint = f"did you mean {either}?"
    else:  # an id that is similar is not more likely to be meant than any other
        hint = f"known: {_known(section, index)}" if index.items else "there are none"
    raise UnknownItemError(f"{event_type}: there is no {quoted(name)} in {section.field}; {hint}")


_ID = late_pattern(r"#?([a-z]{1,12}[-_ ]?)?[0-9]{1,9}", re.IGNORECASE)
"""An id, or its number."""

MOST_ALIKE = 3
"""Suggestions in an error."""

CLOSE = 0.7
"""The least similarity of a suggested item's text."""

LONGEST_COMPARED = 200
"""Characters compared for similarity."""

SHORTEST_PART = 4
"""The shortest part of a text that matches an item."""

_AROUND = late_pattern(r"""\A(?:[-*+•]\s+|\(?\d+[.)]\s+|\[[ xX]?\]\s+|["'`“‘])+|[.…"'`”’]+\Z""")
"""A list marker before a text, quotes around it, and punctuation at its end."""


def _bare(text: str) -> str:
    """Return a text casefolded, without surrounding marks."""
    return " ".join(_AROUND.sub("", text.strip()[:LONGEST_COMPARED]).casefold().split())


def _alike(kind: Kind, index: Index[Any], name: str, least: float) -> tuple[list[Any], bool]:
    """Return the items similar to ``name``, and whether they differ only in surrounding marks.

    Open items come before closed ones.

    :param least: the least similarity of a text that does not contain the name.
    """
    from difflib import get_close_matches  # only errors need it

    said = _bare(name)
    by_text: dict[str, Any] = {}
    same: list[Any] = []
    for item in sorted(index.items, key=kind.is_open, reverse=True):
        text = _bare(str(getattr(item, kind.text)))
        if said and text == said and (not same or kind.is_open(item)):
            same.append(item)
        by_text.setdefault(text, item)
    if same or len(said) < SHORTEST_PART:
        return same[:MOST_ALIKE], bool(same)
    parts = [item for text, item in by_text.items() if said in text]
    near = [by_text[text] for text in get_close_matches(said, by_text, MOST_ALIKE, least)]
    return (parts or near)[:MOST_ALIKE], False


def _id_and_text(section: type[HudSection], item: Any) -> str:
    text = "" if section.kind is None else line(str(getattr(item, section.kind.text)))
    return f"{item.id} {quoted(text)}"


def _known(section: type[HudSection], index: Index[Any]) -> str:
    """Return the ids of all items, with their texts if they are few."""
    if len(index.items) > MOST_ALIKE:
        return listed([str(item.id) for item in index.items])
    return ", ".join(_id_and_text(section, item) for item in index.items)


def _elsewhere(domain: Domain[Any], state: State, section_event: SectionEvent, name: object) -> str:
    """Return the sentence about an id of another section, with that section's operation; else ""."""
    for section in domain.fields.values():
        kind = section.kind
        if section is section_event.section or kind is None or kind.key != "id":
            continue
        if any(item.id == name for item in getattr(state, section.field)):
            others = [
                each
                for each in domain.section_events.values()
                if each.section is section and each.verb.is_operation and _is_of_one(domain, each)
            ]
            same = [each for each in others if each.verb.name == section_event.verb.name] or [
                each for each in others if type(each.verb) is type(section_event.verb) is not Verb
            ]
            calls = listed([each.operation for each in same or others])
            hint = f"call {calls}" if same else f"it has {calls}"
            return f"{quoted(str(name))} is in {section.field}, not in {section_event.section.field}; {hint}"
    return ""


def _is_of_one(domain: Domain[Any], section_event: SectionEvent) -> bool:
    target = fields_of(domain.payload(section_event.type)).get("id")
    return target is not None and target.is_required()


def _in_project(state: State, index: Index[Any], payload: Payload) -> Payload:
    """Return a file's payload with its path relative to the project's folder, so that each file has one name."""
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
            f"{event_type}: the id {quoted(new.id)} is taken; update that item, or leave the id out for a new one"
        )
    return new


def _replacement(
    domain: Domain[Any], state: State, version: int, new: SectionReplace
) -> SectionReplace:
    field = new.section
    kind, drafts = domain.kind_of(domain.fields[field]), getattr(new, field)
    if kind is None or kind.key != "id":
        return new
    items = _all_identified(kind, getattr(state, field), version, drafts)
    return new.model_copy(update={field: items})


def _all_identified(
    kind: Kind, items: tuple[Any, ...], version: int, drafts: tuple[NewT, ...]
) -> tuple[NewT, ...]:
    told = [{name: getattr(draft, name) for name in draft.model_fields_set} for draft in drafts]
    taken: set[Any] = {draft.id for draft in drafts} | {item.id for item in items}
    result: list[NewT] = []
    for place, (draft, known) in enumerate(
        zip(drafts, known_items(kind, items, told), strict=True), start=1
    ):
        item_id = draft.id
        if item_id is None:
            item_id = made_id(kind, version, taken, place) if known is None else str(known.id)
            taken.add(item_id)
        result.append(draft.model_copy(update={"id": item_id}))
    return tuple(result)


# A session's projection as far as it has been read, and its snapshots.

ProjectedT = TypeVar("ProjectedT")

BEYOND = 2**62
"""Greater than any version."""


ERASE = "event.erase"
"""The type of the event that records an erasure: earlier events in the log have changed."""


@dataclass(frozen=True, slots=True)
class StateAt(Generic[ProjectedT]):
    """A state, and its place in the log."""

    state: ProjectedT
    version: int = 0
    turn: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """The rule for taking snapshots.

    >>> SnapshotPolicy(every=100).is_due(before=99, events=[])
    False
    """

    every: int = 500
    """Events between two snapshots. Replaying 500 takes some milliseconds, and their rows need more space
    than a snapshot.
    """

    at: frozenset[EventType] = frozenset({"compact.after"})
    """Types of events that are always followed by a snapshot, because earlier events are archived next."""

    def is_due(self, before: int, events: Sequence[Event]) -> bool:
        """Tell whether a snapshot is due after these events, which follow the version ``before``."""
        crossed = (before + len(events)) // self.every > before // self.every
        return crossed or not self.at.isdisjoint([event.type for event in events])


class ProjectionView(Generic[ProjectedT]):
    """A session's projection, kept in memory and updated on demand.

    Safe to share between threads and tasks. Events of a transaction are visible only in it until it
    commits.
    """

    def __init__(
        self,
        session_id: str,
        events: EventStore,
        projection: Projection[ProjectedT],
        policy: SnapshotPolicy,
        catalog: EventCatalog = PAYLOADS,
    ) -> None:
        self._session_id = session_id
        self._events = events
        self._catalog = catalog
        self.projection = projection
        self._policy = policy
        self._lock = mutex()
        self._committed: StateAt[ProjectedT] | None = None
        self._is_overdue = False
        self._read()

    @property
    def known(self) -> StateAt[ProjectedT]:
        """The state visible to the caller: in its own transaction, or as of the last commit."""
        transaction = self._events.transaction()
        within: StateAt[ProjectedT] | None = (
            None if transaction is None else transaction.known(self)
        )
        if within is not None:
            return within
        # A view made within a transaction that was rolled back has read nothing yet.
        return self._committed or self._read()

    def _read(self) -> StateAt[ProjectedT]:
        """Read the log to its end."""
        start, known = self._read_up_to(BEYOND)
        self._is_overdue = known.version - start.version >= self._policy.every
        self._keep(known)
        return known

    def forget(self) -> None:
        """Drop the state of a purged session. The version stays, so that nothing new is recorded under it."""
        known = self.known
        with self._lock:
            self._committed = StateAt(self.projection.initial, known.version, known.turn)

    def publish(self, known: StateAt[ProjectedT]) -> None:
        """Update to a committed state, unless a later one is known."""
        with self._lock:
            if self._committed is None or known.version > self._committed.version:
                self._committed = known

    def _keep(self, known: StateAt[ProjectedT]) -> None:
        transaction = self._events.transaction()
        if transaction is None:
            self.publish(known)
        else:
            transaction.keep(self, known)

    def take(
        self, before: int, known: StateAt[ProjectedT], events: Sequence[Event], *, save: bool
    ) -> None:
        """Continue from a version with ``known``, the state after these events; save a snapshot if one is due."""
        self._keep(known)
        if save and (self._is_overdue or self._policy.is_due(before, events)):
            self._save(known)

    def catch_up(self, *, save: bool) -> ProjectedT:
        """Read the events that others have appended, and return the state."""
        known = self.known
        events = tuple(self._after(known.version))
        if any(event.type == ERASE for event in events):
            # The known state may contain erased texts; read it again from the log.
            known = self._read_up_to(BEYOND)[1]
            self._keep(known)
            return known.state
        if events or (save and self._is_overdue):
            before, known = known.version, self._folded(known, events)
            self.take(before, known, events, save=save)
        return known.state

    def at(self, version: int) -> ProjectedT:
        """Return the state after the event with this version."""
        return self._read_up_to(version)[1].state

    def _read_up_to(self, up_to: int) -> tuple[StateAt[ProjectedT], StateAt[ProjectedT]]:
        """Return the starting point of the read, and the state up to a version."""
        one = self.projection
        start = self._start(up_to, one.revision)
        try:
            return start, self._folded(start, self._after(start.version, up_to))
        except StoreDamagedError:  # a snapshot of a former revision may replace lost events
            for revision in one.former_revisions:
                start = self._start(up_to, revision)
                if start.version:
                    return start, self._folded(start, self._after(start.version, up_to))
            raise

    def _after(self, version: int, up_to: int | None = None) -> Iterator[Event]:
        return self._events.read(self._session_id, version, up_to, catalog=self._catalog)

    def _folded(self, known: StateAt[ProjectedT], events: Iterable[Event]) -> StateAt[ProjectedT]:
        fold, state, last = self.projection.fold, known.state, None
        for last in events:
            state = fold(state, last)
        return known if last is None else StateAt(state, last.version, last.turn)

    def _start(self, up_to: int, revision: int) -> StateAt[ProjectedT]:
        """Return the newest snapshot up to a version, or the initial state."""
        one, beginning = self.projection, StateAt(self.projection.initial)
        if one.codec is None:
            return beginning
        found = self._events.snapshot(self._session_id, one.name, revision, up_to)
        if found is None:
            return beginning
        try:
            return StateAt(one.codec.load(found.state), found.version, found.turn)
        except ValueError:  # of another version of the library; the log has the same content
            return beginning

    def _save(self, known: StateAt[ProjectedT]) -> None:
        one, self._is_overdue = self.projection, False
        if one.codec is None:
            return
        state = one.codec.dump(known.state)
        snapshot = Snapshot(
            self._session_id, known.version, known.turn, one.name, one.revision, state
        )
        # The events are in the log already, so a failed snapshot is not an error.
        with suppress(StoreError):
            self._events.save_snapshot(snapshot)


@dataclass(frozen=True, slots=True)
class RecordPlan(Generic[StateT]):
    """The result of planning drafts."""

    events: tuple[Event, ...]
    known: StateAt[StateT]
    """The state once they are appended."""

    complaints: list[tuple[EventDraft, EventError]]
    """The refused drafts, with the reasons."""


@dataclass(frozen=True, slots=True)
class EventRecorder(Generic[StateT]):
    """Makes the events of one session. It appends nothing, and keeps no state."""

    session_id: str
    domain: Domain[StateT]
    ids: EventIds
    clock: Callable[[], int]
    limits: Limits
    secrets: Secrets

    def planned(
        self,
        known: StateAt[StateT],
        drafts: Iterable[EventDraft],
        *,
        lenient: bool,
        ids: Sequence[str] = (),
    ) -> RecordPlan[StateT]:
        """Return the events of drafts, each based on the state after the one before.

        :param lenient: whether to skip refused drafts.
        :param ids: the ids of the events, if known.
        :raises EventError: for a refused draft, unless ``lenient``.
        """
        events: list[Event] = []
        complaints: list[tuple[EventDraft, EventError]] = []
        for draft, event_id in zip_longest(drafts, ids):
            assert draft is not None
            try:
                event = self._event(known, draft, event_id or self.ids.next())
                state = after(self.domain, known.state, event)
            except EventError as error:
                if not lenient:
                    raise
                complaints.append((draft, error))
                continue
            events.append(event)
            known = StateAt(state, event.version, event.turn)
        return RecordPlan(tuple(events), known, complaints)

    def postable(self, draft: EventDraft) -> EventDraft:
        """Return a draft to store until a state is available: its payload as data, with secrets masked.

        :raises EventError: for an unknown type, invalid fields, or a text that is too long, which every
            state would refuse.
        """
        draft = catalog_of(self.domain).spelt(draft)
        taken = self.secrets.taken(draft.type, draft.payload)
        draft = resolve_draft(self.domain, replace(draft, payload=taken))
        payload = catalog_of(self.domain).parse(draft.type, draft.payload)
        check_size(draft.type, payload, self.limits)
        if isinstance(payload, SessionStart):
            raise EventError(
                "session.start: a session begins in the store, which cannot be reached"
            )
        given = payload.model_dump(mode="json", exclude_unset=True)
        at = self.clock() if draft.timestamp is None else draft.timestamp
        return replace(draft, payload=given, timestamp=at)

    def _event(self, known: StateAt[StateT], draft: EventDraft, event_id: str) -> Event:
        catalog, version = catalog_of(self.domain), known.version + 1
        draft = catalog.spelt(draft)
        taken = self.secrets.taken(draft.type, draft.payload)
        if taken is not draft.payload:
            draft = replace(draft, payload=taken)
        draft = resolve_draft(self.domain, draft)
        envelope: dict[str, object] = {
            "id": event_id,
            "session_id": self.session_id,
            "version": version,
            "turn": known.turn if draft.turn is None else draft.turn,
            "timestamp": self.clock() if draft.timestamp is None else draft.timestamp,
            "actor": draft.actor,
            "type": draft.type,
        }
        payload = plan(catalog, known.state, version, draft)
        check_size(draft.type, _from_outside(payload), self.limits)
        envelope["payload"] = payload
        event = catalog.read(envelope)
        if event.turn < known.turn:
            raise EventError(
                f'{event.type}: turn {event.turn} is over; session "{self.session_id}" is at turn'
                f" {known.turn}"
            )
        return event


def _from_outside(payload: Payload) -> Payload:
    """Return the payload without inherited content, which was checked when it was first stored."""
    if isinstance(payload, SessionStart):
        return payload.model_copy(update={"inherited": None})
    return payload

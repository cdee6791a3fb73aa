"""``SessionLog``: records and reads the events of one session, and keeps their state."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, cast, overload

from typing_extensions import TypeVar

from hud_components import Domain, FactEvent, HudState, State
from hud_components.declaring import in_order, milliseconds_of
from hud_components.levels import Thresholds
from hud_runtime._breaker import tried_again
from hud_runtime._errors import ConcurrencyError, EventError, UnknownItemError
from hud_runtime._limits import Limits
from hud_runtime.log._recording import EventRecorder, ProjectionView, RecordPlan, SnapshotPolicy
from hud_runtime.log.events import (
    Actor,
    Event,
    EventDraft,
    EventType,
    catalog_of,
    draft_of,
    not_drafts,
)
from hud_runtime.log.projection import Projection, ProjectionRegistry, projection_of
from hud_runtime.log.secrets import Secrets
from hud_runtime.log.store import At, EventIds, EventStore, Hit, StoredOutput, SweepRules
from ujsx.calls import Answering, OneByOne, resolving, with_attributes
from ujsx.components import fields_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hud_components import Budget, ContextUsage
    from hud_runtime.log.outbox import QueueReceipt
    from ujsx import DensityLike, Rendered

StateT = TypeVar("StateT", bound=State, default=HudState)
EventT = TypeVar("EventT", bound=str, default=Any)
OtherT = TypeVar("OtherT")

Refused = Callable[[EventDraft, EventError], None]
"""Called with each draft that was not recorded, and the reason."""

TRIES = 8
"""Retries after other writers come first, before locking them out. An append is one statement, so less is
lost with a broken connection than in a transaction.
"""


_EVENT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_IDS = ("id", "ids")
"""The fields of a payload with the ids of items."""

_STARTED = "a session begins with the event session.start; write session.events(after=1) == []"


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """Settings that the logs of all sessions of a store share."""

    clock: Callable[[], int]
    """Returns milliseconds since the epoch."""

    ids: EventIds
    projections: ProjectionRegistry
    snapshots: SnapshotPolicy
    limits: Limits
    secrets: Secrets
    sweeps: SweepRules
    thresholds: Thresholds
    """The start of each context level, and its effects."""


class SessionLog(Answering, Generic[StateT, EventT]):
    """The log of a session: records events, and keeps their state.

    It keeps its state in memory. ``record``, ``state`` and ``refresh`` read the events of other processes.
    Threads and asyncio tasks may share it.
    """

    def __init__(
        self,
        session_id: str,
        events: EventStore,
        domain: Domain[StateT, EventT],
        options: LogOptions,
    ) -> None:
        self.id = session_id
        self.domain = domain
        self.thresholds = options.thresholds
        """The start of each context level, and its effects."""
        self._log_options = options
        self._catalog = catalog_of(domain)
        self._events = events
        self._clock = options.clock
        self._recorder = EventRecorder(
            session_id, domain, options.ids, options.clock, options.limits, options.secrets
        )
        self._hud = ProjectionView(
            session_id, events, projection_of(domain), options.snapshots, self._catalog
        )
        self._views: dict[str, ProjectionView[Any]] = {self._hud.projection.name: self._hud}

    @property
    def log(self) -> EventStore:
        """The log that holds the store's sessions, this one among them."""
        return self._events

    @property
    def version(self) -> int:
        """The version of the last event that the session knows; 0 before the first."""
        return self._hud.known.version

    @property
    def turn(self) -> int:
        """The turn of the last event that the session knows."""
        return self._hud.known.turn

    @property
    def known(self) -> StateT:
        """The state that the session knows, without reading others' events."""
        return self._hud.known.state

    @property
    def parent_id(self) -> str | None:
        """The id of the parent session, if any."""
        parent: str | None = self.begun_with("parent")
        return parent

    @resolving(write='write session.record("…", …)', event_type="type")
    def record(
        self,
        event_type: EventT | FactEvent | BaseModel,
        text: str | float | date | Mapping[str, object] | BaseModel | None = None,
        /,
        *more: object,
        turn: int | None = None,
        timestamp: int | None = None,
        actor: Actor = "agent",
        **payload: object,
    ) -> Event:
        """Append one event, and return it as recorded.

        Type checkers know the event names of the coding HUD, and of domains that declare theirs. For a name
        known only at run time, pass an :class:`EventDraft` to :meth:`record_all`.

        ``turn`` defaults to that of the last event, and cannot be lower: past turns are final.
        ``timestamp`` (milliseconds since the epoch) defaults to now. The other arguments are the payload's
        fields. ``text`` is the first field that must be a text, an item's text or name, or the only required field; a
        mapping there has the fields themselves. ``more`` are the fields that follow it.

        Raises :class:`EventError` for a past turn, and for an unknown type or an invalid payload, with the
        nearest name; :class:`UnknownItemError` for an operation on an unknown item; :class:`StoreError`
        when the store cannot append. Then nothing is recorded.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     event = session.record("decision.record", summary="Use JWT")
        ...     event.version, event.payload.id
        ...     session.record("note.add", "Port 8080").payload.content
        (2, 'd-2')
        'Port 8080'
        """
        given: object = event_type
        if more:
            model = self._catalog[self._catalog.known(event_type)]
            named, text = in_order(model, (text, *more)), None
            if not named:
                known = ", ".join(f"{name}=…" for name in fields_of(model))
                raise EventError(f"{event_type} takes fewer values; its fields are {known}")
            payload = {**named, **payload}
        if text is None and isinstance(given, str):
            draft = EventDraft(given, payload, turn, timestamp, actor)
        else:
            draft = draft_of(self._catalog, (event_type, text, payload), turn, timestamp, actor)
        return self.record_all([draft])[0]

    def record_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...]:
        """Append many events in one transaction: all of them, or none if one is refused.

        ``refused`` is called with each draft that cannot be recorded, and the others are appended.

        Raises as :meth:`record` does.
        """
        return self.append_drafts(listed_drafts(drafts), refused=refused)

    def post_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...] | QueueReceipt:
        """Record many events as :meth:`record_all` does; a session with an outbox queues them while its
        server is away.
        """
        return self.record_all(drafts, refused=refused)

    def append_drafts(
        self,
        drafts: tuple[EventDraft, ...],
        ids: Sequence[str] = (),
        refused: Refused | None = None,
    ) -> tuple[Event, ...]:
        """Append as :meth:`record_all` does, without regard to the outbox; ``ids`` are those of the events."""
        lenient = refused is not None
        try:
            planned = self._appended(drafts, ids, lenient=lenient)
        except (ConcurrencyError, EventError) as why:
            tries = TRIES if isinstance(why, ConcurrencyError) else 0
            meant = tuple(self._naming_items(each) for each in drafts)
            if meant == drafts and not isinstance(why, ConcurrencyError | UnknownItemError):
                raise
            planned = self._appended_behind(meant, ids, tries, lenient=lenient)
        if refused is not None:
            for draft, error in planned.complaints:
                refused(draft, error)
        return planned.events

    @with_attributes
    @resolving(at="version when", at_="turn timestamp")
    def state(self, at: int | At | None = None) -> StateT:
        """Return the current state, or a past one.

        ``at`` is a version, or an :class:`At`: ``At.turn(7)``, ``At.time(ms)``. A turn or a time after the
        last event is the present.

        Raises :class:`EventError` for a version that the session does not have.

        >>> from hud_runtime import At, HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080", turn=1)
        ...     _ = session.record("note.add", content="Port 9090", turn=2)
        ...     len(session.state().notes), len(session.state(at=At.turn(1)).notes)
        (2, 1)
        """
        if at is None:
            return self.refresh()
        return self._hud.at(self._version_at(at))

    @overload
    def projected(self, projection: Projection[OtherT], at: int | At | None = ...) -> OtherT: ...

    @overload
    def projected(self, projection: str, at: int | At | None = ...) -> Any: ...

    def projected(self, projection: Projection[Any] | str, at: int | At | None = None) -> Any:
        """Return the state of another projection of the session, now or at a moment.

        ``projection`` is an object, or the name of one that the store was opened with.

        Raises :class:`ProjectionError` for an unknown name.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     store.session("s").projected("hud") == store.session("s").state()
        True
        """
        one = (
            self._log_options.projections[projection] if isinstance(projection, str) else projection
        )
        if one.name == self._hud.projection.name:
            one = self._hud.projection
        view = self._views.get(one.name)
        if view is None or view.projection is not one:
            view = self._views[one.name] = ProjectionView(
                self.id, self._events, one, self._log_options.snapshots, self._catalog
            )
        if at is None:
            return view.catch_up(save=view is not self._hud)
        return view.at(self._version_at(at))

    @with_attributes
    @resolving(
        after="since start offset",
        types="type event_type event_types kinds",
        instead={
            "limit last n count": "write session.events()[-2:]",
            "reverse desc newest_first": "write session.events()[::-1]",
        },
    )
    def events(
        self,
        after: int = 0,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
    ) -> Iterator[Event]:
        """Yield the session's events with versions greater than ``after``, in order.

        ``types`` restricts them to these types; an index finds all but the most frequent ones. ``checked``
        compares each with its digest, which takes about a quarter longer, and raises
        :class:`StoreDamagedError` at the first one that differs.
        """
        if not isinstance(after, int):  # only types were passed
            after, types = 0, cast("Any", after)
        types = None if types is None else {types} if isinstance(types, str) else {*types}
        read = self._events.read(
            self.id,
            after,
            types=types and {self._catalog.recorded(each) for each in types},
            checked=checked,
            catalog=self._catalog,
        )
        return OneByOne(read, "[*session.events()]", alone="" if after or types else _STARTED)

    def begun_with(self, name: str) -> Any:
        """Return a field of the session's first event, such as its project; None for one that it lacks."""
        first = next(iter(self._events.read(self.id, 0, 1, catalog=self._catalog)), None)
        return None if first is None else getattr(first.payload, name, None)

    @resolving()
    def search(self, query: str, *, limit: int = 20, after: int = 0) -> list[Hit]:
        """Return the session's events that contain all words of ``query``, best first.

        :meth:`EventStore.search` describes queries and paging.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="The worker listens on port 8080")
        ...     [(hit.type, hit.snippet) for hit in session.search("port work")]
        [('note.add', 'The worker listens on port 8080')]
        """
        return self._events.search(query, session=self.id, limit=limit, after=after)

    def forget(self) -> None:
        """Drop the state of a purged session."""
        for view in self._views.values():
            view.forget()

    def latest(self) -> StateT:
        """Return the current state; a session with an outbox returns the last known one while its server is away."""
        return self.refresh()

    def refresh(self) -> StateT:
        """Read the events of other processes, and return the state."""
        # The process that appended them has saved a snapshot if one was due.
        return self._hud.catch_up(save=False)

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        """Store a tool's whole output beside the log, for retrieval by its id.

        Texts of old outputs are deleted over time: :class:`hud_runtime.log.store.SweepRules`.

        :param name: its id, from :func:`hud_runtime.context.pruning.output_id` of the text.
        :param mode: the mode of its pruning.
        :raises EventError: for a text above the read limit, and for a secret where those are refused rather
            than masked.
        :raises StoreError: when the store cannot write it.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     session.keep_output("o-1", "a long list", tool="Bash")
        ...     session.output("o-1").text
        'a long list'
        """
        if len(text) > self._log_options.limits.read:
            raise EventError(
                f"the output {name} {self._log_options.limits.refusal('read', len(text))}"
            )
        text = str(self.taken({"text": text})["text"])
        at = self._clock()
        lines = text.count("\n") + bool(text and not text.endswith("\n"))
        self._events.keep_output(
            StoredOutput(self.id, name, tool, mode, self.turn, at, lines, len(text), text)
        )
        self._events.sweep_outputs(self._log_options.sweeps, at, due=True)

    def taken(self, payload: Mapping[str, object]) -> Mapping[str, object]:
        """Return data as the log would store it, with secrets masked.

        Raises :class:`EventError` for a secret where those are refused.
        """
        return self._log_options.secrets.taken("output", payload)

    def output(self, name: str) -> StoredOutput | None:
        """Return a stored output: None for an unknown id, without text if it was swept."""
        return self._events.output(self.id, name)

    def outputs(self) -> list[StoredOutput]:
        """Return the metadata of the stored outputs, oldest first, without their texts."""
        return self._events.outputs(self.id)

    def now(self) -> int:
        """Return the current time of the store's clock, in milliseconds since the epoch."""
        return self._clock()

    def exclusive(self) -> AbstractContextManager[StateT]:
        """Lock out other writers for the duration of the context, which yields the state.

        Events recorded within, in any session of the store, are committed at the end, or rolled back after
        an error, together with the sessions' states. A nested context can be rolled back alone.

        The lock belongs to the thread and the asyncio task that entered. Other writers wait; readers see
        the last commit. A task of the same thread cannot wait, so its events are refused.

        Raises :class:`StoreLockedError`, which names the holder, when another user keeps the lock too long,
        or is another task of this thread; :class:`StoreUnavailableError` when the connection to a server
        breaks: then nothing of the block was recorded, unless the message says that this is unknown, and
        you may run the block again.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     with session.exclusive() as state:
        ...         if state.task is None:
        ...             _ = session.record("task.set", description="Add login")
        ...     session.version
        2
        """
        return self._exclusively()

    @contextmanager
    def _exclusively(self) -> Generator[StateT]:
        with self._events.exclusive(self.id):
            yield self.refresh()

    def _appended(
        self, drafts: tuple[EventDraft, ...], ids: Sequence[str], *, lenient: bool
    ) -> RecordPlan[StateT]:
        begun = self._hud.known
        if begun.version == 0 and drafts and drafts[0].type != "session.start":
            raise EventError(
                f'session "{self.id}" has not begun, or its beginning was rolled back;'
                f' ask the store for it again: store.session("{self.id}")'
            )
        planned = self._recorder.planned(begun, drafts, lenient=lenient, ids=ids)
        if planned.events:
            self._events.append(self.id, begun.version, planned.events)
            self._hud.take(begun.version, planned.known, planned.events, save=True)
        return planned

    def _naming_items(self, draft: EventDraft) -> EventDraft:
        """Return a draft with the ids of items in place of items, of their events, or of the events' ids."""

        def id_of(given: Any) -> Any:
            if isinstance(given, list | tuple):
                return [id_of(each) for each in cast("Iterable[Any]", given)]
            if isinstance(given, str) and _EVENT_ID.fullmatch(given):
                given = next((each for each in self.events() if each.id == given), given)
            named = getattr(getattr(given, "payload", given), "id", given)
            return str(named) if isinstance(named, int) else named

        given: Mapping[str, Any] = self._catalog.spelt(draft).payload
        return replace(
            draft, payload={**given, **{each: id_of(given[each]) for each in _IDS if each in given}}
        )

    @tried_again
    def _appended_behind(
        self, drafts: tuple[EventDraft, ...], ids: Sequence[str], tries: int, *, lenient: bool
    ) -> RecordPlan[StateT]:
        """Append after a conflict with another writer, who may have added an item that was unknown here."""
        for _ in range(tries):
            self.refresh()
            try:
                return self._appended(drafts, ids, lenient=lenient)
            except ConcurrencyError:
                continue
            except UnknownItemError:
                break
        # With others locked out, it succeeds, or is refused for good.
        with self._events.exclusive(self.id):
            self.refresh()
            return self._appended(drafts, ids, lenient=lenient)

    def _version_at(self, at: int | At) -> int:
        given: object = at
        if isinstance(given, dict) and len(cast("dict[str, Any]", given)) == 1:  # state(turn=7)
            [(measure, value)] = cast("dict[Any, int]", given).items()
            at = At(measure, value)
        if isinstance(given, datetime):
            at = At.time(milliseconds_of(given))
        if isinstance(given, str):  # an event's id
            known = (each.version for each in self.events() if each.id == given)
            at = next(known, cast("Any", given))
        version: Any = getattr(at, "version", at)  # an event means the state after it
        if isinstance(at, int) and not 0 <= at <= self.version:
            last = self._events.head(self.id).version
            if not 0 <= at <= last:
                line = f"session.state(at={last + at if -last <= at < 0 else last})"
                raise EventError(f"there is no version {at}; the last is {last}; write {line}")
        moment = at if isinstance(at, At) else At.version(version)
        return self._events.version_at(self.id, moment)


class ParentSeen(NamedTuple):
    """A child's view of its parent."""

    id: str
    state: State
    """The parent's state, reduced to the child's view."""
    begun: State
    """The parent's state when the child began."""
    version: int
    is_live: bool
    """True if ``state`` is the parent's present one."""


class ToolSession(SessionLog[StateT, EventT], ABC):
    """A session as its tools use it: its log, its HUD, and its parent."""

    @abstractmethod
    def hud(
        self,
        usage: ContextUsage | None = None,
        density: DensityLike | None = None,
        budget: Budget = None,
        *,
        agent_layout: bool = True,
        pins: bool = True,
    ) -> Rendered:
        """Render the HUD of the session's known state, with or without the agent's own settings."""

    @abstractmethod
    def parent_seen(self) -> ParentSeen:
        """Return the child's view of its parent."""

    @abstractmethod
    def hand_back(self, text: str) -> tuple[str, str, bool]:
        """Record a result in the parent's session; return the section, the item's id, and whether it is new."""

    @abstractmethod
    def compaction_prompt(self) -> str:
        """Return the prompt for a summary of the conversation."""

    @abstractmethod
    def compaction_refused(self, percentage: float) -> float | None:
        """Return the least percentage of the context at which compaction pays off, if it is not reached."""


def listed_drafts(drafts: Iterable[EventDraft]) -> tuple[EventDraft, ...]:
    """Return a list's drafts, some of which may be pairs of a type and fields.

    :raises EventError: for any other value, with the line to write.
    """
    is_one = isinstance(drafts, EventDraft | Mapping | str)
    given: list[Any] = [drafts] if is_one else [*drafts]
    for place, each in enumerate(given):
        if is_one or not isinstance(each, EventDraft) or not isinstance(each.payload, Mapping):
            kinds = [*map(type, cast("Any", each))] if type(each) in {tuple, list} else []
            if kinds != [str, dict]:
                raise not_drafts(given)
            given[place] = EventDraft(*cast("Any", each))
    return tuple(given)

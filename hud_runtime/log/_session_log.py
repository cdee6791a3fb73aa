"""``SessionLog``: the events of one session, recorded and read, and the state that they make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, cast, overload

from typing_extensions import TypeVar

from hud_components import Domain, FactEvent, HudState, State
from hud_components.declaring import milliseconds_of
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

if TYPE_CHECKING:
    from hud_components import Budget, ContextUsage
    from hud_runtime.log.outbox import QueueReceipt
    from ujsx import DensityLike, Rendered

StateT = TypeVar("StateT", bound=State, default=HudState)
EventT = TypeVar("EventT", bound=str, default=Any)
OtherT = TypeVar("OtherT")

Refused = Callable[[EventDraft, EventError], None]
"""Told of each draft that was not recorded, and why."""

TRIES = 8
"""Times that a record is tried behind others' before they are kept from writing: it is one statement by itself, and much
less is lost with a connection than in a transaction."""


_STARTED = "a session begins with the event session.start; write session.events(after=1) == []"


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """The settings that the logs of all sessions of a store share."""

    clock: Callable[[], int]
    """Gives milliseconds since the epoch."""

    ids: EventIds
    projections: ProjectionRegistry
    snapshots: SnapshotPolicy
    limits: Limits
    secrets: Secrets
    sweeps: SweepRules
    thresholds: Thresholds
    """From where on each level of the context holds, and what follows from it."""


class SessionLog(Answering, Generic[StateT, EventT]):
    """The log of a session: it records events, and knows the state that they make.

    It keeps its state in memory. ``record``, ``state`` and ``refresh`` catch up with what other
    processes have written. Threads and asyncio tasks may share it.
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
        """From where on each level of the context holds, and what follows from it."""
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
        """The log that the session stands in, with the store's other sessions."""
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
        """The state that the session knows, without a look at what others have written."""
        return self._hud.known.state

    @property
    def parent_id(self) -> str | None:
        """The session that this one is the child of, if any."""
        for first in self.events_up_to(1):
            parent: str | None = getattr(first.payload, "parent", None)
            return parent
        return None

    @resolving(write='write session.record("…", …)', event_type="type")
    def record(
        self,
        event_type: EventT | FactEvent,
        text: str | Mapping[str, object] | None = None,
        /,
        *,
        turn: int | None = None,
        timestamp: int | None = None,
        actor: Actor = "agent",
        **payload: object,
    ) -> Event:
        """Append one event, and return it as it stands in the log.

        Of the coding HUD, and of a domain that says so, type checkers know the names; one that is known
        only when the program runs goes into an :class:`EventDraft`, to :meth:`record_all`.

        ``turn`` is that of the event before when it is not given, and never a lower one: what a
        turn has ended with is not added to. ``timestamp`` (milliseconds since the epoch) is now. The other arguments are the fields of the type's payload.
        ``text`` stands for the first of them that has to be a text: an item's words, or the name of the item; a mapping
        in its place has the fields themselves.

        Raises :class:`EventError` for a turn that is over, and for an unknown type or a payload that
        does not fit, with the nearest name; :class:`UnknownItemError` for an operation on an item that is not there;
        :class:`StoreError` when the store cannot take it. Then nothing is recorded.

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
        if text is None and isinstance(given, str):
            draft = EventDraft(event_type, payload, turn, timestamp, actor)
        else:
            draft = draft_of(self._catalog, (event_type, text, payload), turn, timestamp, actor)
        return self.record_all([draft])[0]

    def record_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...]:
        """Append many events in one transaction: all of them, or none when one is refused.

        With ``refused``, a draft that cannot be recorded is told to it and left out instead.

        Raises as :meth:`record` does.
        """
        return self.append_drafts(listed_drafts(drafts), refused=refused)

    def post_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...] | QueueReceipt:
        """Record many events, as :meth:`record_all` does; a session with an outbox keeps them while its server is away."""
        return self.record_all(drafts, refused=refused)

    def append_drafts(
        self,
        drafts: tuple[EventDraft, ...],
        ids: Sequence[str] = (),
        refused: Refused | None = None,
    ) -> tuple[Event, ...]:
        """Append as :meth:`record_all` does, whatever waits in an outbox; ``ids`` are those of the events."""
        lenient = refused is not None
        try:
            planned = self._appended(drafts, ids, lenient=lenient)
        except (ConcurrencyError, UnknownItemError) as why:
            tries = TRIES if isinstance(why, ConcurrencyError) else 0
            planned = self._appended_behind(drafts, ids, tries, lenient=lenient)
        if refused is not None:
            for draft, error in planned.complaints:
                refused(draft, error)
        return planned.events

    @with_attributes
    @resolving(at="version when", at_="turn timestamp")
    def state(self, at: int | At | None = None) -> StateT:
        """Return the state now, or as it was.

        ``at`` is a version, or an :class:`At`: ``At.turn(7)``, ``At.time(ms)``. What lies
        beyond the last event is the present.

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
        """Return what another projection makes of the session, now or as of a moment.

        ``projection`` is one, or the name of one that the store was opened with.

        Raises :class:`ProjectionError` for a name that is not there.

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
        """Yield the session's events whose version is greater than ``after``, in order.

        With ``types``, only those of these types; an index finds all but the most frequent ones. With ``checked``, each is compared with its digest, which takes about a quarter longer:
        :class:`StoreDamagedError` is raised at the first one that is not as it was written.
        """
        if not isinstance(after, int):  # the types alone
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

    def events_up_to(self, version: int) -> Iterator[Event]:
        """Yield the session's events up to a version, in order."""
        return self._events.read(self.id, 0, version, catalog=self._catalog)

    @resolving()
    def search(self, query: str, *, limit: int = 20, after: int = 0) -> list[Hit]:
        """Return the session's events that say all words of ``query``, the best first.

        What a query may be, and how its answers page: :meth:`EventStore.search`.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="The worker listens on port 8080")
        ...     [(hit.type, hit.snippet) for hit in session.search("port work")]
        [('note.add', 'The worker listens on port 8080')]
        """
        return self._events.search(query, session=self.id, limit=limit, after=after)

    def forget(self) -> None:
        """Let go of what the session knows, once it was purged."""
        for view in self._views.values():
            view.forget()

    def latest(self) -> StateT:
        """Return the state now; a session with an outbox returns the one that it knows while its server is away."""
        return self.refresh()

    def refresh(self) -> StateT:
        """Catch up with what others have written, and return the state."""
        # Whoever appended has saved a snapshot, if it was time.
        return self._hud.catch_up(save=False)

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        """Keep a tool's output whole, beside the log: its id shows it again.

        The texts of old ones go by and by: :class:`hud_runtime.log.store.SweepRules`.

        :param name: its id, as :func:`hud_runtime.context.pruning.output_id` makes it of the text.
        :param mode: how hard it was pruned.
        :raises EventError: for a text above the limit of what is read at once, and for one with a secret
            where those are refused; else they are masked.
        :raises StoreError: when the store cannot take it.

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
        """Return data as the log would take it in: with masks for secrets.

        Raises :class:`EventError` where it has one, and secrets are refused.
        """
        return self._log_options.secrets.taken("output", payload)

    def output(self, name: str) -> StoredOutput | None:
        """Return a kept output with its text: None for an unknown id, without a text where it was swept."""
        return self._events.output(self.id, name)

    def outputs(self) -> list[StoredOutput]:
        """Return what is told of the kept outputs, oldest first, without their texts."""
        return self._events.outputs(self.id)

    def now(self) -> int:
        """Return what time it is by the store's clock, in milliseconds since the epoch."""
        return self._clock()

    def exclusive(self) -> AbstractContextManager[StateT]:
        """Keep all others from recording while the context lasts, and give the state as it is then.

        What is recorded within, in whatever session of the store, is committed at its end, or not
        at all after an error: then every session knows again what it knew before. A context within
        the context can be taken back alone.

        It belongs to the thread and the asyncio task that entered it. What others record in the
        meantime waits; what others read is what was committed before. A task of the same thread
        cannot wait, so what it records is refused.

        Raises :class:`StoreLockedError`, which says who is in it, when somebody else does not let
        go in time, or is another task of this thread; :class:`StoreUnavailableError` when the connection to a
        server breaks: then nothing of the block was recorded, unless the message says that this is not known, and
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

    @tried_again
    def _appended_behind(
        self, drafts: tuple[EventDraft, ...], ids: Sequence[str], tries: int, *, lenient: bool
    ) -> RecordPlan[StateT]:
        """Append what somebody else was in the way of, who may also have made what was not known here."""
        for _ in range(tries):
            self.refresh()
            try:
                return self._appended(drafts, ids, lenient=lenient)
            except ConcurrencyError:
                continue
            except UnknownItemError:
                break
        # While nobody else can write, it gets on, or is refused for good.
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
        if isinstance(given, str):  # the id of an event
            known = (each.version for each in self.events() if each.id == given)
            at = next(known, cast("Any", given))
        version: Any = getattr(at, "version", at)  # an event stands for the state behind it
        moment = at if isinstance(at, At) else At.version(version)
        return self._events.version_at(self.id, moment)


class ParentSeen(NamedTuple):
    """What a child sees of its parent."""

    id: str
    state: State
    """The parent's, as the child may see it."""
    begun: State
    """The parent's as it was when the child began."""
    version: int
    is_live: bool
    """Whether it is how the parent is now."""


class ToolSession(SessionLog[StateT, EventT], ABC):
    """A session as its tools take it: its log, its HUD, and its parent."""

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
        """Render the HUD of the state that the session knows, with what the agent has set or without."""

    @abstractmethod
    def parent_seen(self) -> ParentSeen:
        """Return what a child sees of its parent."""

    @abstractmethod
    def hand_back(self, text: str) -> tuple[str, str, bool]:
        """Record a result in the parent's session: the section, the item's id, and whether it is new."""

    @abstractmethod
    def compaction_prompt(self) -> str:
        """Return the prompt for a summary of the conversation."""

    @abstractmethod
    def compaction_refused(self, percentage: float) -> float | None:
        """Return the percentage of the context below which no compaction is worth it, where it is below."""


def listed_drafts(drafts: Iterable[EventDraft]) -> tuple[EventDraft, ...]:
    """The drafts of a list, some of which may be pairs of a type and its fields.

    :raises EventError: for anything else, with the line to write.
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

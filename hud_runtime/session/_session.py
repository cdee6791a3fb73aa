"""One session: it records events, knows its state, and shows it."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, cast, overload

from typing_extensions import TypeVar

from hud_components import (
    CODING,
    THRESHOLDS,
    ContextUsage,
    Domain,
    FactEvent,
    HudState,
    State,
    Threshold,
    Thresholds,
)
from hud_components.words import NO_TEXTS
from hud_runtime._breaker import tried_again
from hud_runtime._errors import (
    ConcurrencyError,
    DeliveryError,
    EventError,
    StoreUnavailableError,
    UnknownItemError,
)
from hud_runtime._limits import Limits
from hud_runtime._telling import taken_now
from hud_runtime.events import (
    Actor,
    Event,
    EventDraft,
    EventType,
    catalog_of,
    draft_of,
    not_drafts,
)
from hud_runtime.projection import Projection, ProjectionRegistry, projection_of
from hud_runtime.secrets import Secrets
from hud_runtime.session._look import AgentLayouts, HudLook, HudRenderer, StoreSettings
from hud_runtime.session._recording import EventRecorder, Planned, ProjectionView, SnapshotPolicy
from hud_runtime.store import At, EventIds, EventStore, Hit, StoredOutput, SweepRules
from ujsx.calls import BUDGET, READING, Answering, resolving, with_attributes
from ujsx.components import Displayed
from ujsx.errors import shown

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_components.delta import LineReader
    from hud_components.words import Remaining
    from hud_runtime.compaction import Compaction, CompactionPolicy
    from hud_runtime.delivery import (
        Acknowledged,
        Bill,
        Delivery,
        Mode,
        Prices,
        Reanchor,
        RequestMessage,
        ShownHud,
        TurnWords,
    )
    from hud_runtime.observation import ModelLimits
    from hud_runtime.outbox import Posted
    from hud_runtime.pressure import Intervention
    from hud_runtime.session._look import GivenLook, LayoutSource, WordsSource
    from hud_runtime.session._parent import Parents
    from hud_runtime.session._posting import Posting
    from hud_runtime.tools import ContextFigures, HudTools, ParentSeen, Summary
    from ujsx import Child, DensityLike, Rendered, Renderer
    from ujsx.tokens import TokenCounter
    from ujsx.tools import ToolResult

StateT = TypeVar("StateT", bound=State, default=HudState)
EventT = TypeVar("EventT", bound=str, default=Any)
OtherT = TypeVar("OtherT")

Refused = Callable[[EventDraft, EventError], None]
"""Told of each draft that was not recorded, and why."""

HUD = "hud"
"""The tool that a session's call is of where it names none."""

TRIES = 8
"""Times that a record is tried behind others' before they are kept from writing: it is one statement by itself, and much
less is lost with a connection than in a transaction."""


class HudSession(Answering, Displayed, Generic[StateT, EventT]):
    """A session of a store; :meth:`HudStore.session` makes it.

    It keeps its state in memory. ``record``, ``state`` and ``refresh`` catch up with what other
    processes have written; ``hud`` does not touch the disk. Threads and asyncio tasks may share it.
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "session.hud().text": "tomarkdown markdown text show display",
        "session.events()": "history eventlog",
        'session.record("…", …)': "add emit dispatch update",
        'session.tools.definitions("anthropic")': "tooldefinitions tooldefinition toolschemas toolschema gettools schemas definitions",
        "store.close(), of the HudStore": "close",
        "session.state().session.project": "project",
        "session.set_look(…), or the layout of its domain": "setlayout",
    }

    _as_child: ClassVar[str] = "write session.hud().text"

    _also: ClassVar[Mapping[str, str]] = {
        "state": "getstate currentstate",
        "hud": "render renderhud gethud snapshot",
        "record": "recordevent appendevent addevent append",
        "call": "calltool",
        "events": "getevents listevents loadevents",
    }

    @resolving(write='write store.session("…"), of a HudStore')
    def __init__(
        self,
        session_id: str,
        events: EventStore,
        ids: EventIds,
        *,
        clock: Callable[[], int],
        projections: ProjectionRegistry,
        snapshots: SnapshotPolicy,
        limits: Limits | None = None,
        domain: Domain[StateT, EventT] = CODING,  # type: ignore[assignment]
        agent_layouts: AgentLayouts = "show",
        thresholds: Thresholds = THRESHOLDS,
        model_limits: ModelLimits | None = None,
        secrets: Secrets | None = None,
        parents: Parents = "live",
        open_session: Callable[[str], HudSession[Any]] | None = None,
        sweeps: SweepRules | None = None,
        settings: StoreSettings | None = None,
        posting: Posting | None = None,
        usual_looks: Sequence[GivenLook] = (),
    ) -> None:
        self.id = session_id
        self.model_limits = model_limits
        """How many tokens the contexts of models hold, by their names, where a host does not say; the usual table
        when None."""
        self.thresholds = thresholds
        """From where on each level of the context holds, and what follows from it."""
        self.settings = settings or StoreSettings()
        """What the store's user has set."""
        self.domain = domain
        self._catalog = catalog_of(domain)
        self._events = events
        self._ids = ids
        self._clock = clock
        self._projections = projections
        self._snapshots = snapshots
        self._limits = Limits.of_environment() if limits is None else limits
        self._sweeps = sweeps or SweepRules()
        self._secrets = Secrets.of_environment() if secrets is None else secrets
        self._recorder = EventRecorder(session_id, domain, ids, clock, self._limits, self._secrets)
        self._hud = ProjectionView(
            session_id, events, projection_of(domain), snapshots, self._catalog
        )
        self._views: dict[str, ProjectionView[Any]] = {self._hud.projection.name: self._hud}
        self.usual_looks = usual_looks
        """What it is shown with where it is given nothing else: that of the store, and of the domain."""
        self._showing = HudRenderer(agent_layouts, usual_looks)
        self._parents: Parents = parents
        self._open_session = open_session
        self._posting = posting

    @property
    def compaction_policy(self) -> CompactionPolicy:
        """The policy of compaction: as the store's user has set it, or the default."""
        from hud_runtime.compaction import CompactionPolicy

        return self.settings.compaction or CompactionPolicy()

    def __repr__(self) -> str:
        return f"<HudSession {self.id!r}, version {self.version}>"

    def _as_document(self) -> str:
        return self.hud().text

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Leave everything as it is: what is recorded is stored, and the store is closed by whoever opened it."""

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

    def parent_seen(self) -> ParentSeen:
        """Return what the session sees of its parent: as it is now, or was when this one began.

        Which of both, or neither, is the choice of who opens the store: ``HudStore.open(…, parents=…)``.

        Raises :class:`EventError` for a session without a parent, one whose parent is gone or of another
        domain, and where nothing is to be seen.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     parent = store.session("s")
        ...     child = store.session("s/reviewer", parent=parent)
        ...     _ = parent.record("decision.record", summary="Use JWT")
        ...     [each.summary for each in child.parent_seen().state.decisions]
        ['Use JWT']
        """
        from hud_runtime.session._parent import parent_seen

        return parent_seen(self, self._parent(), self._parents)

    def hand_back(self, text: str) -> tuple[str, str, bool]:
        """Record a result in the parent's session; return the section, the item's id, and whether it is new.

        It becomes an item of the first section of the parent's domain that takes results: a note of
        the coding HUD. It is said by a tool, as far as the parent is concerned, and names the child. Handing
        back the same twice is handing it back once.

        Raises :class:`EventError` for a session without a parent, one whose parent is gone, and where no
        section takes results.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     child = store.session("s/reviewer", parent=store.session("s"))
        ...     child.hand_back("Two tests fail."), child.hand_back("Two tests fail.")
        ...     print(store.session("s").hud().text.splitlines()[-3:])
        (('notes', 'n-2', True), ('notes', 'n-2', False))
        ['- Two tests fail. *said by a tool*', '', '  (handed back by reviewer)']
        """
        from hud_runtime.session._parent import hand_back

        return hand_back(self, self._parent(), text)

    def _parent(self) -> HudSession[Any]:
        parent = self.parent_id
        if parent is None:
            raise EventError(f'session "{self.id}" has no parent')
        if self._open_session is None or self._events.head(parent).version == 0:
            raise EventError(
                f'the parent "{parent}" is not there any more; what was inherited stays'
            )
        return self._open_session(parent)

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
        if self._posting is not None and self._events.transaction() is None:
            self._posting.deliver(self.id)  # what was said before stands before
        return self.append_drafts(_listed(drafts), refused=refused)

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

    def post(
        self,
        event_type: EventT | FactEvent,
        text: str | Mapping[str, object] | None = None,
        /,
        *,
        turn: int | None = None,
        timestamp: int | None = None,
        actor: Actor = "agent",
        **payload: object,
    ) -> Event | Posted:
        """Record one event, or keep it on this machine's disk while the store's server cannot be reached.

        With an outbox (``HudStore.open(…, outbox=…)``) it returns the :class:`Event` when it is in the store, and a
        :class:`hud_runtime.outbox.Posted` when it is not: then it has no version yet, and no state and no HUD
        shows it. It is recorded when the server is back, with its time of now, behind what was posted before, as of the
        state that there is then; what that state refuses is kept apart, and `ujsx doctor` names it. Without an
        outbox, and within :meth:`exclusive`, it is :meth:`record`.

        Raises as :meth:`record` does, :class:`StoreFullError` where the outbox has no room. An item that is not there is told
        only where the store is: what waits may still make it.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     store.session("s").post("note.add", content="Port 8080").version
        2
        """
        draft = draft_of(self._catalog, (event_type, text, payload), turn, timestamp, actor)
        done = self.post_all([draft])
        return done[0] if isinstance(done, tuple) else done

    def post_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...] | Posted:
        """Record many events, or keep them while the server is away: all together, or none.

        With ``refused``, each is recorded without regard to the others. See :meth:`post`, and :meth:`record_all`.
        """
        drafts, posting = _listed(drafts), self._posting
        if posting is None or self._events.transaction() is not None:
            return self.append_drafts(drafts, refused=refused)
        taken = taken_now()
        if not drafts and taken is None:
            return ()
        # What breaks off may be recorded all the same: by its ids it is known when it is delivered.
        after, ids = self.version, [self._ids.next() for _ in drafts]
        if taken is None and posting.is_clear(self.id):
            try:
                return self.append_drafts(drafts, ids, refused)
            except StoreUnavailableError as error:
                posting.was_away(error)
        kept: dict[str, EventDraft] = {}
        for event_id, draft in zip(ids, drafts, strict=True):
            try:
                kept[event_id] = self._recorder.postable(draft)
            except EventError as error:
                if refused is None:
                    raise
                refused(draft, error)
        if not kept and taken is None:
            return ()
        return posting.put(
            self.id,
            kept,
            after=after,
            at=self._clock(),
            apart=refused is not None,
            taken=taken,
        )

    def taken_waiting(self) -> list[str]:
        """Return what goes beside the letters that wait for the session, in their order."""
        return [] if self._posting is None else self._posting.letters.taken(self.id)

    @property
    def is_posting(self) -> bool:
        """True if the store's server was away a moment ago, and an outbox keeps what is recorded: :meth:`post`."""
        return self._posting is not None and self._posting.is_away

    def begin_posting(self, error: StoreUnavailableError) -> bool:
        """Remember that the store's server was found to be away; tell whether an outbox keeps what is recorded.

        >>> from hud_runtime import HudStore, StoreUnavailableError
        >>> with HudStore.open(":memory:") as store:
        ...     store.session("s").begin_posting(StoreUnavailableError("the server is away"))
        False
        """
        if self._posting is None:
            return False
        self._posting.was_away(error)
        return True

    def latest(self) -> StateT:
        """Return the state now; with an outbox, while the server is away, the one that the session knows."""
        posting = self._posting
        if posting is None:
            return self._hud.catch_up(save=False)
        if posting.is_clear(self.id):
            try:
                return self.refresh()
            except StoreUnavailableError as error:
                posting.was_away(error)
        return self.known

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

        ``projection`` is one, or the name of one in :attr:`HudStore.projections`.

        Raises :class:`ProjectionError` for a name that is not there.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     store.session("s").projected("hud") == store.session("s").state()
        True
        """
        one = self._projections[projection] if isinstance(projection, str) else projection
        if one.name == self._hud.projection.name:
            one = self._hud.projection
        view = self._views.get(one.name)
        if view is None or view.projection is not one:
            view = self._views[one.name] = ProjectionView(
                self.id, self._events, one, self._snapshots, self._catalog
            )
        if at is None:
            return view.catch_up(save=view is not self._hud)
        return view.at(self._version_at(at))

    @with_attributes
    @resolving(after="since start offset", types="type event_type event_types kinds")
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
        return self._events.read(
            self.id,
            after,
            types=(types,) if isinstance(types, str) else types,
            checked=checked,
            catalog=self._catalog,
        )

    def events_up_to(self, version: int) -> Iterator[Event]:
        """Yield the session's events up to a version, in order."""
        return self._events.read(self.id, 0, version, catalog=self._catalog)

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

    def refresh(self) -> StateT:
        """Catch up with what others have written, and return the state."""
        # Whoever appended has saved a snapshot, if it was time.
        return self._hud.catch_up(save=False)

    @with_attributes
    @resolving(
        write='write session.hud(ContextUsage(percentage=67), "compact", budget=300)',
        instead=NO_TEXTS,
        budget=BUDGET,
        usage_=READING,
        usage="context info context_info contextInfo",
    )
    def hud(
        self,
        usage: ContextUsage | None = None,
        density: DensityLike | None = None,
        budget: Budget = None,
        *,
        now: int | None = None,
        previous: Rendered | None = None,
        layout: Child = None,
        default: Child = None,
        agent_layout: bool = True,
        pins: bool = True,
        tell: Callable[[str], object] | None = None,
        words: Mapping[str, str] | None = None,
        stale_after: int | None = None,
        count_tokens: TokenCounter | None = None,
        thresholds: Iterable[Threshold] | None = None,
        turn: int | None = None,
    ) -> Rendered:
        """Render the HUD of the state that the session knows, without touching the disk; or of an earlier turn.

        What did not change since the last call is not rendered again.

        ``usage`` is the last reading in the log when it is not given; ``density`` follows from
        it, and is full where there is none; ``budget`` is in tokens, and then picks what shows. Where
        it is not given there is a ceiling by density and level, which only what is shown in any case
        can pass: :func:`hud_components.room_for`; "off" is for none. ``previous`` is an earlier
        rendering whose rungs are held while they fit, so that a HUD does not flap. ``words`` replace
        fixed texts by name: another language, no emoji; the words that a person gave the session stand behind them. ``count_tokens`` counts what the ceiling is held
        to, such as :func:`ujsx.tokens.calibrated` by what a provider reports; the estimate where it is not given.
        ``thresholds`` are those of this HUD alone, from where on each level holds; the session's by default.

        ``layout`` is a tree of your own, whose sections take their data from the session. Where there
        is none, the HUD has the layout that the agent has set, if it may and can be shown; then
        ``default``, another tree of yours; then that which the session was given (:meth:`set_look`), and that of the domain. With ``agent_layout=False`` the
        agent's is passed over. ``tell`` is called with a sentence where it cannot be shown;
        otherwise that is logged, once for each reason. Sections that are pinned or folded stand so in
        any layout; with ``pins=False`` as if nobody had done it.

        ``turn`` is the turn at whose end the HUD is shown, as ``state(at=At.turn(turn))`` is: the layout, the reading and the
        pins of that turn as well. What lies beyond the last event is the present.

        ``now`` is what time it is, in milliseconds since the epoch, such as :meth:`now` says:
        with it the HUD tells how old the session is, and when its state has become stale:
        ``stale_after`` is from how many minutes on, 30 where it is not given. A rendering reads no clock, so that the same arguments give the same bytes.

        Raises :class:`RenderError` for a budget that is none, or below 0, and as :meth:`state` does.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:", clock=lambda: 60_000) as store:
        ...     session = store.session("s")
        ...     session.hud(now=43 * 60_000).text.splitlines()[2]
        '**Session:** began 40 min ago'
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080", turn=1)
        ...     _ = session.record("note.add", content="Port 9090", turn=2)
        ...     "9090" in session.hud(turn=1).text, session.hud(turn=2) == session.hud()
        (False, True)
        """
        look = HudLook(
            usage,
            density,
            budget,
            now,
            previous,
            layout,
            default,
            agent_layout,
            pins,
            tell,
            words,
            stale_after,
            count_tokens,
            thresholds,
        )
        state = None if turn is None else self.state(at=At.turn(turn))
        return self.shown(look, state=state).rendered

    def shown(
        self,
        look: HudLook | None = None,
        *,
        state: StateT | None = None,
        renderer: Renderer | None = None,
    ) -> ShownHud:
        """Render the HUD as :meth:`hud` does, and say what it was rendered from.

        ``state`` is the one that is shown, such as that of an earlier turn; the session's when None. ``renderer`` is
        what renders it, with what it keeps, such as the pieces of many turns; the session's when None.

        >>> from hud_runtime import HudStore
        >>> from hud_runtime.session import HudLook
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     shown = session.shown(HudLook(density="compact"))
        ...     shown.rendered == session.hud(density="compact"), shown.room.budget
        (True, 144)
        """
        look = HudLook() if look is None else look
        table = self._thresholds_of(look.thresholds)
        seen = self._hud.known.state if state is None else state
        return self._showing.shown(seen, look, table, renderer)

    @resolving(
        texts="messages",
        budget=BUDGET,
        instead=dict.fromkeys(
            ("usage", "percentage", "used", "context"),
            'record it first: session.record("context.snapshot", percentage=67)',
        ),
    )
    def deliver(
        self,
        *,
        mode: Mode = "append",
        reader: str = "main",
        texts: Iterable[str] | None = None,
        fresh: bool = False,
        retry_of: str | None = None,
        stores: bool = True,
        marked: bool = False,
        reanchor: Reanchor | int | None = None,
        budget: Budget = None,
        layout: Child = None,
        words: Mapping[str, str] | None = None,
        count_tokens: TokenCounter | None = None,
        thresholds: Iterable[Threshold] | None = None,
        intervene: bool = False,
        conversation: Iterable[RequestMessage | str] | None = None,
    ) -> Delivery:
        """Say what is to be sent of the HUD for the next request, and where.

        ``mode`` is "append", where the history gets the whole HUD once, and then what changed, or
        nothing; "tail", all of it behind the history for this request alone; or "system", its static
        part for the system prompt, and the rest behind the history. ``reader`` is who reads the
        history: the main agent, or one of its subagents by a name of yours.

        What was appended is told once :meth:`delivered` says that it was sent. ``texts`` are what the
        model is going to read, message by message: what was appended and is not among them was cut,
        and all is sent again; what is among them was sent. ``fresh`` says that the history begins
        anew. ``retry_of`` is the id of a delivery whose request is made again: it gives the same.

        ``stores=False`` is for a host that keeps none of our words in its history: ``texts`` are then
        its own messages, and the delivery says behind which of them everything goes, ``replay``
        first. ``marked`` confirms that a tail gets a cache breakpoint before it, or needs none.
        ``reanchor`` says when what matters most is said again: after so many tokens of history, or as
        :class:`Reanchor` has it. ``budget`` and ``layout`` are those of :meth:`hud`, and so are ``words``, ``count_tokens`` and
        ``thresholds``.

        ``conversation`` are the messages of the request, oldest first: what the user and the host's summary say, as texts, and
        what the model says, as :class:`RequestMessage`. Of the task, the goal, the user's rules, where the work stands and the
        summary, the words that are there are not told again; they are told as soon as they are not. A delta does not tell an item
        either whose words stand in the last 20,000 tokens: in calls and results, if hosts report such items, else in the agent's own
        calls. Without ``conversation``, and with mode "system", all is told.

        With ``intervene``, what the agent is told once of its context goes along, where that is due
        (:meth:`intervention`): a part of the kind "notice". It is recorded once the delivery was sent.

        A reading of the context that stays on its level is no news in append mode; it leaves the level that was
        told once it is below it by a margin, so that nothing is told twice for going up and down at an edge.

        Raises :class:`DeliveryError` for a tail that nobody confirmed, for a mode that is none, and
        for a retry of what is not kept any more.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     _ = session.delivered(session.deliver().id)
        ...     _ = session.record("note.add", content="Use JWT")
        ...     print(session.deliver().text, end="")
        # HUD changes
        <BLANKLINE>
        ## Notes
        <BLANKLINE>
        - Use JWT
        """
        from hud_runtime.delivery import DeliveryRequest as Asked
        from hud_runtime.delivery import Reanchor, conversation_of, deliver, texts_of

        table = self._thresholds_of(thresholds)

        def show(usage: ContextUsage | None, in_brief: bool, left: Remaining | None) -> ShownHud:
            look = HudLook(
                usage,
                "minimal" if in_brief else None,
                None if in_brief else budget,
                layout=layout,
                words=words,
                count_tokens=count_tokens,
                thresholds=table,
                remaining=left,
            )
            return self.shown(look)

        again = Reanchor(tokens=reanchor) if isinstance(reanchor, int) else reanchor
        asked = Asked(
            *(mode, reader, texts_of(texts), fresh, stores, marked, again, table, intervene),
            self._words(words),
            conversation_of(conversation),
        )
        return deliver(
            self,
            self._events,
            asked,
            show=show,
            reader=self._lines,
            new_id=self._ids.next,
            retry_of=retry_of,
        )

    @resolving(instead=NO_TEXTS)
    def set_look(
        self,
        layout: LayoutSource = None,
        words: WordsSource | None = None,
        *,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        """Give the session's HUD a layout and words of a person's own, from now on.

        They are kept in the log as text, so that whoever shows the session shows what its agent was sent: `ujsx hud`, and
        each host. What the session has already is not recorded again. A :class:`~pathlib.Path` is read now. What is
        not given is that of the store and of the domain.

        ``tell`` is called with a sentence for each thing that cannot be used, with its file and line; otherwise that is
        logged. Then a session that has a look keeps it, and a new one gets the rest.

        Raises :class:`PropError` for what is neither a layout nor words.

        >>> from hud_components import Hud, NotesSection
        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     session.set_look(Hud()[NotesSection()], {"hud.title": "Lage", "notes.title": "Notizen"})
        ...     session.hud().text.split()[:4]
        ['#', 'Lage', '##', 'Notizen']
        """
        from hud_runtime.session._look import GivenLook, check_look, own_components, read_look

        check_look(layout, words)
        given = GivenLook(layout, words)
        self._showing.learn(own_components((given,)))
        look, problems = read_look((given, *self.usual_looks), self.domain)
        say = self._showing.tell if tell is None else tell
        for each in problems:
            say(each)
        known = self.refresh().look
        if look is None or (problems and known) or (known and known.digest == look.digest):
            return
        try:
            self.record_all([EventDraft("session.look", look.model_dump(), actor="host")])
        except (
            EventError
        ) as error:  # a text that is too long, or has a secret where those are refused
            say(f"{error}; this layout and these words are not used")

    def delivered(self, delivery: Delivery | str) -> Acknowledged:
        """Say that a delivery was sent: from now on its reader knows it.

        :param delivery: what :meth:`deliver` gave, or its id.

        Saying so twice is no error, nor of one that says nothing ("known"). One that leaves no trace ("fleeting"), and one that comes
        too late ("superseded": its reader has been sent a later one), change nothing; what the answer
        is of use for is a log. Where a late one matters, the next delivery says everything again.

        Raises :class:`DeliveryError` for an id that no delivery of the session has.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     early, late = session.deliver(), session.deliver(fresh=True)
        ...     session.delivered(late), session.delivered(late.id), session.delivered(early)
        ('sent', 'known', 'superseded')
        """
        from hud_runtime.delivery import delivered

        delivery_id: object = getattr(delivery, "id", delivery)
        if not isinstance(delivery_id, str):
            raise DeliveryError(f"{shown(delivery)} is not a delivery; give what deliver() gave")
        return delivered(self, self._events, delivery_id)

    def is_known_to(self, reader: str) -> bool:
        """Tell whether deliveries were made to this reader before, by any process."""
        return next(iter(self._events.deliveries(self.id, reader)), None) is not None

    def cost(
        self,
        prices: Prices | str = "anthropic",
        *,
        first: int | None = None,
        each: int = 1_500,
        words: Mapping[int, TurnWords] | None = None,
    ) -> Bill:
        """Return what the HUD has cost, turn by turn, and what it would cost in each place.

        ``prices`` are those of a table, or of your own: :data:`hud_runtime.delivery.PRICES`. ``first``
        is how many tokens stand before the history: by default as many as the first reading tells, or 12,000 where there are
        no readings. ``each`` is how many a request adds to it where no reading tells. ``words`` are what each turn added to
        the conversation, such as :meth:`Replayed.words` of a transcript: with them the HUD leaves out what stands there, and
        its tokens are brought to those of the provider. Costs are in tokens of plain input.

        Raises :class:`DeliveryError` for prices that are not in the table.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     for turn in range(1, 40):
        ...         _ = session.record("note.add", content=f"Batch {turn} is done", turn=turn)
        ...     bill = session.cost("anthropic")
        ...     f"{bill.ratio('append'):.2f} {bill.ratio('all in the system prompt'):.2f}", bill.cheapest
        ('1.01 6.33', 'append')
        """
        *_, bill = self.billing(prices, first=first, each=each, words=words)
        assert bill is not None
        return bill

    def billing(
        self,
        prices: Prices | str = "anthropic",
        *,
        first: int | None = None,
        each: int = 1_500,
        words: Mapping[int, TurnWords] | None = None,
    ) -> Iterator[Bill | None]:
        """Count what :meth:`cost` returns, and yield it at last: a long session takes a while.

        Before it comes ``None``, at least once for each turn, so that whoever counts can tell of it, or stop.
        """
        from hud_runtime.delivery import billing, kept_deliveries
        from hud_runtime.store import SqliteEventStore

        sent = kept_deliveries(self._events, self.id)
        with closing(SqliteEventStore(":memory:")) as log:
            past = HudSession(
                self.id,
                log,
                EventIds(self._clock),
                clock=self._clock,
                projections=self._projections,
                snapshots=self._snapshots,
                limits=self._limits,
                domain=self.domain,
                thresholds=self.thresholds,
                usual_looks=self.usual_looks,
            )
            past._showing = self._showing.anew()
            yield from billing(
                past,
                self.events(),
                prices=prices,
                first=first,
                each=each,
                words=words,
                has_hud=any(is_sent and one.mode == "append" for one, is_sent in sent),
            )

    def context(self) -> ContextFigures | None:
        """Return the exact figures of the context, by its last reading; None where none holds.

        A compaction ends what was read before it. What the HUD shows of this changes in steps, or stands
        in a history that goes on.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("context.snapshot", used=142_500, cache_read=140_000)
        ...     figures = session.context()
        ...     figures.percentage, figures.level, figures.cache_read, figures.output
        (71.25, 'yellow', 140000, None)
        """
        from hud_runtime.tools import figures_of

        return figures_of(self)

    @resolving(instead=NO_TEXTS)
    def intervention(
        self, *, take: bool = True, words: Mapping[str, str] | None = None
    ) -> Intervention | None:
        """Return what the agent is told of its context, once for each time that a level is reached; None mostly.

        The rows of :attr:`thresholds` that intervene say which levels: "critical" by default. It is recorded as
        an event, so that nobody tells it again: no other process, and none that goes on with the session later.
        With ``take=False`` it is only looked at. It is due again once the context was left, a margin below the
        level or by a compaction, and the level is reached anew.

        :meth:`deliver` with ``intervene=True`` hands it on. ``words`` are fixed texts by name, in another language.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("context.snapshot", used=186_000)
        ...     made = session.intervention()
        ...     made.level, made.number, made.text.splitlines()[0], session.intervention()
        ('critical', 1, '[Memory Pressure: 93% (critical) - 186,000/200,000 tokens]', None)
        """
        from hud_runtime.pressure import due, intervene

        if take:
            return intervene(self, self._words(words))
        self.refresh()
        return due(self, self._words(words))

    def summaries(self) -> tuple[Summary, ...]:
        """Return what stood for the conversation before each compaction, oldest first.

        The HUD shows the last of them. A compaction that left no summary is not among them.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     for text in ("The schema is done.", "The API is done, too."):
        ...         _ = session.record("compact.after", summary=text)
        ...     [(each.version, each.text) for each in session.summaries()]
        [(2, 'The schema is done.'), (3, 'The API is done, too.')]
        """
        from hud_runtime.tools import summaries_of

        return summaries_of(self)

    def compactions(self) -> tuple[Compaction, ...]:
        """Return what each compaction of the conversation did, oldest first: a log, read off the events.

        Each has the version of ``compact.before``, at which the state is as it was then: ``session.state(at=…)``; what
        led to it, how many tokens and messages there were before and after, and the files that were edited since the one
        before. Those that failed are among them.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("file.edit", path="app.py")
        ...     _ = session.record("context.snapshot", used=170_000)
        ...     _ = session.record("compact.after", summary="The login is done.")
        ...     [each] = session.compactions()
        >>> each.outcome, each.tokens_before, [(file.path, file.edits) for file in each.files]
        ('done', 170000, [('app.py', 1)])
        """
        from hud_runtime.compaction import compactions_of

        return compactions_of(self)

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        """Keep a tool's output whole, beside the log: its id shows it again.

        The texts of old ones go by and by: :class:`hud_runtime.store.SweepRules`.

        :param name: its id, as :func:`hud_runtime.pruning.output_id` makes it of the text.
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
        if len(text) > self._limits.read:
            raise EventError(f"the output {name} {self._limits.refusal('read', len(text))}")
        text = str(self.taken({"text": text})["text"])
        at = self._clock()
        lines = text.count("\n") + bool(text and not text.endswith("\n"))
        self._events.keep_output(
            StoredOutput(self.id, name, tool, mode, self.turn, at, lines, len(text), text)
        )
        self._events.sweep_outputs(self._sweeps, at, due=True)

    def taken(self, payload: Mapping[str, object]) -> Mapping[str, object]:
        """Return data as the log would take it in: with masks for secrets.

        Raises :class:`EventError` where it has one, and secrets are refused.
        """
        return self._secrets.taken("output", payload)

    def output(self, name: str) -> StoredOutput | None:
        """Return a kept output with its text: None for an unknown id, without a text where it was swept."""
        return self._events.output(self.id, name)

    def outputs(self) -> list[StoredOutput]:
        """Return what is told of the kept outputs, oldest first, without their texts."""
        return self._events.outputs(self.id)

    def now(self) -> int:
        """Return what time it is by the store's clock, in milliseconds since the epoch."""
        return self._clock()

    @contextmanager
    def exclusive(self) -> Generator[StateT]:
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
        if self._posting is not None and self._events.transaction() is None:
            self._posting.deliver(self.id)
        with self._events.exclusive(self.id):
            yield self.refresh()

    @resolving(write='write session.call("hud", {"op": "…"})', rest="arguments", tool="name")
    def call(self, tool: str | Mapping[str, object] = HUD, arguments: object = None) -> ToolResult:
        """Answer a call of the tool ``hud`` or ``hud_compact``, as a model made it.

        Arguments alone are those of ``hud``; the name of an operation stands for a tool of its own.

        Every answer ends with the status line. Bad input gives an answer that says what to send,
        never an exception: :meth:`hud_runtime.tools.HudTools.call`.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     print(session.call("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}))
        Added n-2.
        no task · 1 note
        """
        if isinstance(tool, str):
            return self.tools.call(tool, arguments)
        return self.tools.call(HUD, tool)

    def _line_for(self, name: str) -> str:
        with suppress(ValueError):
            return f"session.state().{self.domain.field_of(name)}"
        with suppress(EventError):
            return f'session.record("{self._catalog.known(name)}", …)'
        return ""

    async def acall(
        self, tool: str | Mapping[str, object] = HUD, arguments: object = None
    ) -> ToolResult:
        """Answer a call as :meth:`call` does, in a thread: the event loop goes on meanwhile.

        >>> import asyncio
        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     print(asyncio.run(session.acall("hud", {"op": "notes.add", "content": "Port 8080"})))
        Added n-2.
        no task · 1 note
        """
        import asyncio

        return await asyncio.to_thread(self.call, tool, arguments)

    @cached_property
    def tools(self) -> HudTools:
        """The tools ``hud`` and ``hud_compact`` on this session, with their definitions."""
        from hud_runtime.tools import HudTools

        return HudTools(self, layouts=self._showing.agent_layouts == "offer")

    @cached_property
    def _lines(self) -> LineReader:
        from hud_components.delta import LineReader

        return LineReader()

    def _words(self, given: Mapping[str, str] | None) -> Mapping[str, str]:
        from hud_components.layout import words_of

        return {**words_of(self.known), **(given or {})}

    def _thresholds_of(self, given: Iterable[Threshold] | None) -> Thresholds:
        return self.thresholds if given is None else Thresholds(given)

    def _appended(
        self, drafts: tuple[EventDraft, ...], ids: Sequence[str], *, lenient: bool
    ) -> Planned[StateT]:
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
    ) -> Planned[StateT]:
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
        moment = at if isinstance(at, At) else At.version(at)
        return self._events.version_at(self.id, moment)


def _listed(drafts: Iterable[EventDraft]) -> tuple[EventDraft, ...]:
    """The drafts of a list.

    :raises EventError: for anything else, with the line to write.
    """
    is_one = isinstance(drafts, EventDraft | Mapping | str)
    given: Any = (drafts,) if is_one else tuple(drafts)
    for each in given:
        if is_one or not isinstance(each, EventDraft) or not isinstance(each.payload, Mapping):
            raise not_drafts(given)
    return cast("tuple[EventDraft, ...]", given)

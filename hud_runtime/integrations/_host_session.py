"""A session as seen by the program that runs the agent."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict, TypeVar, Unpack, cast

from hud_runtime import _errors
from hud_runtime import observe as observed
from hud_runtime._breaker import tried_again
from hud_runtime._request_id import RequestId, current_request_id, taking_in
from hud_runtime.context.delivery import Delivery, Mode, texts_of
from hud_runtime.integrations import _sending
from hud_runtime.log.events import EventDraft
from hud_runtime.session import HudSession, HudStore, _offline_queue
from hud_runtime.tools._session import said
from ujsx.tools import ToolResult

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.context.delivery import RequestMessage
    from hud_runtime.context.pruning import Pruning, ToolOutput
    from hud_runtime.log.pressure import Intervention
    from ujsx.tokens import TokenCounter
    from ujsx.tools import Toolset

# The beginning of a history, as reported by a host.

Source: TypeAlias = Literal["startup", "resume", "clear", "fork", "compact"]
"""The cause of a history's beginning: a new session; a resumed one; a new one in place of an old one; a
copy of another; or a summary in place of the messages.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBegan(observed.Observation):
    """The host's history begins, or resumes after a break: the next delivery has the whole HUD."""

    source: Source = "startup"


HostObservation: TypeAlias = observed.AnyObservation | SessionBegan
"""The observations that a host can report."""


# The recorder: the reader of transcripts turns a host's reports into events of its session.

Refusal: TypeAlias = Callable[[EventDraft, _errors.EventError], None]
"""The callback for each draft that a session's domain rejects, with the error."""

WAITING = 10_000
"""Maximum events in memory while the store is unavailable; beyond that the oldest are lost."""


def live(table: observed.ToolTable | None) -> observed.ToolTable:
    """Return a table for a live session: its HUD's own tool has already recorded its calls.

    >>> type(live(None).tool("mcp__hud__hud")).__name__
    'QuietTool'
    """
    given = observed.ToolTable() if table is None else table
    ours = {
        name: observed.QuietTool()
        for name, tool in given.tools.items()
        if isinstance(tool, observed.HudTool)
    }
    return given.extended(
        tools={**ours, "hud_compact": observed.QuietTool(), "memory_compact": observed.QuietTool()}
    )


@dataclass(frozen=True, slots=True)
class SeenAtOnce:
    """The observations of one moment."""

    seen: tuple[observed.AnyObservation, ...] = ()

    telling: RequestId | None = None
    """The id of the request, if it has one: a retry with the same id is ignored."""

    keep: Mapping[str, object] = field(default_factory=dict[str, object])
    """The data to store with it, by key."""


class ObservationRecorder:
    """Records the observations of one session; for one thread at a time, which holds its lock.

    Events that the store cannot take now are recorded with the next ones.
    """

    def __init__(self, table: observed.ToolTable | None = None, limit: int | None = None) -> None:
        self.lock = threading.RLock()
        self._table = live(table)
        self._limit = limit
        self._reader: observed.Reader | None = None
        self._waiting: deque[EventDraft] = deque(maxlen=WAITING)
        self._heard: _offline_queue.ProcessedRequests | None = None
        """The stored requests of the session, as of the last read."""
        self._heard_at: RequestId | None = None
        self._tellings: list[RequestId] = []
        self._keep: dict[str, object] = {}

    def knows(self, session: HudSession[Any], telling: RequestId) -> bool:
        """Return whether a request was processed before, by this process or another one.

        :raises StoreError: if that cannot be read.
        """
        return telling in self._tellings or self._heard_by(session).has(telling)

    def kept(self, session: HudSession[Any], name: str) -> Any:
        """Return the data stored under a key; None for nothing.

        :raises StoreError: if that cannot be read.
        """
        if name in self._keep:
            return self._keep[name]
        return self._heard_by(session).kept.get(name)

    def _heard_by(self, session: HudSession[Any]) -> _offline_queue.ProcessedRequests:
        """The processed requests when the current request began, read once for each request."""
        telling = current_request_id()
        is_fresh = self._heard is not None and telling is not None and telling == self._heard_at
        if not is_fresh:
            waiting = session.taken_waiting()  # first: requests delivered meanwhile are in the row
            found = self._heard or _offline_queue.ProcessedRequests()
            if not session.is_posting:
                try:
                    found = _offline_queue.heard(session)
                except _errors.StoreUnavailableError as error:
                    if not session.begin_posting(error):
                        raise
            for text in waiting:
                found = found.after(_offline_queue.taken_of(text))
            self._heard, self._heard_at = found, telling
        return self._heard or _offline_queue.ProcessedRequests()

    def took(self, seen: SeenAtOnce) -> None:
        """Record that the observations were processed. The next :meth:`flush` stores it."""
        if seen.telling is not None:
            self._tellings.append(seen.telling)
        self._keep |= seen.keep

    @property
    def waiting(self) -> int:
        """The number of events that wait for the store."""
        return len(self._waiting)

    def observe(self, session: HudSession[Any], seen: observed.AnyObservation) -> None:
        """Process an observation. The next :meth:`flush` records it."""
        reader = self._reader
        if reader is None:
            reader = self._reader = observed.Reader(
                self._table,
                limit=self._limit,
                model_limits=session.model_limits,
                domain=session.domain,
            )
            reader.resume(session.known, session.turn)
            if self._heard not in (None, _offline_queue.ProcessedRequests()):
                reader.go_on_from(self._heard.place)
        elif not self._waiting:
            reader.remember(session.known)
        reader.advance(session.turn)
        self._waiting += reader.feed(seen)
        self._waiting += reader.finish()

    def flush(self, session: HudSession[Any], failed: Refusal) -> None:
        """Record all waiting events, or none of them.

        Drafts that the session's domain rejects are omitted and passed to ``failed``. While a server with an
        outbox is unavailable, the events and their data wait in the outbox.

        :raises StoreError: if the store is unavailable; the events stay waiting.
        """
        if not (self._waiting or self._tellings or self._keep):
            return
        has_begun = False

        @tried_again
        def record() -> None:
            nonlocal has_begun
            has_begun = False
            with session.exclusive():
                has_begun = True
                self._record(session, failed)
                before, taken = _offline_queue.heard(session), self._taken
                if self._has_led_to_something(before, taken):
                    self._heard = _offline_queue.keep_heard(session, before, taken)

        try:
            if not (self._tellings or self._keep):
                self._record_alone(session, failed)
            elif session.is_posting:
                self._post(session, failed)
            else:
                record()
        except _errors.StoreUnavailableError as error:
            if has_begun or not session.begin_posting(error):
                raise
            self._post(session, failed)
        self._waiting.clear()
        self._tellings, self._keep = [], {}

    def _post(self, session: HudSession[Any], failed: Refusal) -> None:
        """Store the waiting events and their data in the outbox."""
        if not (self._tellings or self._keep):
            self._record_alone(session, failed)
        elif self._has_led_to_something(
            before := self._heard or _offline_queue.ProcessedRequests(), self._taken
        ):
            taken = self._taken
            with taking_in(_offline_queue.written(session, taken)):
                session.latest()
                self._record(session, failed, is_told=True)
            self._heard = before.after(taken)

    @property
    def _taken(self) -> _offline_queue.RequestRecord:
        place = None if self._reader is None else self._reader.place
        return _offline_queue.RequestRecord(tuple(self._tellings), place=place, keep=self._keep)

    def _has_led_to_something(
        self, before: _offline_queue.ProcessedRequests, taken: _offline_queue.RequestRecord
    ) -> bool:
        """Return whether there is anything to store: events, new data, or a new position."""
        return bool(self._waiting) or (
            {**before.kept, **taken.keep} != before.kept or taken.place not in (None, before.place)
        )

    def _record_alone(self, session: HudSession[Any], failed: Refusal) -> None:
        """Record the waiting events outside of a transaction, after those of other processes."""
        if self._waiting:
            session.latest()
            self._record(session, failed)

    def _record(self, session: HudSession[Any], failed: Refusal, *, is_told: bool = False) -> None:
        if self._waiting or is_told:
            drafts = [_not_before(each, session.turn) for each in self._waiting]
            session.post_all(drafts, refused=failed)


def _not_before(draft: EventDraft, turn: int) -> EventDraft:
    """A draft without its turn, if that is over."""
    return draft if draft.turn is None or draft.turn >= turn else replace(draft, turn=None)


# Tools as a host registers them: the definition for the model, and the handler of calls.


@dataclass(frozen=True, slots=True)
class HostTool:
    """A tool for any host.

    A call takes the arguments as received, an object or its JSON text, broken or not, so that every repair of
    :meth:`ujsx.tools.Toolset.call` works. It never raises: an error is a result with ``is_error``, which the
    host reports in its own form.
    """

    name: str

    definition: Mapping[str, Any]
    """The whole definition, in the shape of the dialect's API."""

    call: Callable[[object], ToolResult] = field(repr=False)

    acall: Callable[[object], Awaitable[ToolResult]] = field(repr=False)
    """The same for asynchronous hosts: disk access runs in a worker thread."""

    @classmethod
    def of(cls, definition: Mapping[str, Any], host: Callable[[], HostSession]) -> HostTool:
        """Return a tool by its definition.

        :param host: returns the session of a call.
        """
        name = str(_inner(definition)["name"])

        def call(arguments: object) -> ToolResult:
            return host().call(name, arguments)

        async def acall(arguments: object) -> ToolResult:
            return await host().acall(name, arguments)

        return cls(name, definition, call, acall)

    @property
    def description(self) -> str:
        """The purpose of the tool."""
        return str(_inner(self.definition).get("description", ""))

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments, in the dialect of the definition."""
        inner = _inner(self.definition)
        found: dict[str, Any] = {}
        return next((inner[each] for each in _PARAMETERS if each in inner), found)


_PARAMETERS = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")


def _inner(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    function = definition.get("function")
    return cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else definition


def check_prunes(prune: object, *, tools: bool) -> None:
    """Raise :class:`PruningError` for pruning without the tool that retrieves an output.

    >>> check_prunes(False, tools=False)
    >>> check_prunes(True, tools=False)
    Traceback (most recent call last):
    hud_runtime._errors.PruningError: prune=True names calls of the tool hud, by which an output is brought back; leave the agent its tools (tools=True), or do not prune
    """
    if prune is not False and not tools:
        raise _errors.PruningError(
            "prune=True names calls of the tool hud, by which an output is brought back; leave the agent its"
            " tools (tools=True), or do not prune"
        )


T = TypeVar("T")

UNSEEN = 10_000
"""Maximum calls of ``observe`` that are stored until the session can be opened."""


class BeforeRequest(TypedDict, total=False):
    """The arguments of :meth:`HostSession.before_request`."""

    texts: Iterable[str] | None
    fresh: bool
    retry_of: str | None
    host_keeps_messages: bool
    sent: bool
    mode: Mode | None
    intervene: bool
    conversation: Iterable[RequestMessage] | None
    count_tokens: TokenCounter | None


@dataclass(frozen=True, slots=True)
class AgentRole:
    """An agent's role in its session, and its parent if it is a subagent."""

    reader: str = _sending.MAIN
    """The reader name under which the session stores the agent's deliveries."""

    recorder: ObservationRecorder | None = None
    """The recorder that it shares with its parent; None for its own."""

    parent: HostSession | None = None
    """The agent whose session also records its work; None if they share one."""


class HostSession(_sending.CompactingHost):
    """A session of a host: an adapter holds one for each agent that it runs.

    Once made, it raises nothing except what stops the process. Errors are logged and reported once, and the
    host continues; events that could not be recorded are recorded later. Threads and asyncio tasks may share
    it; methods with the prefix ``a`` access the disk in a worker thread.

    :param session: the session, or a function that opens it and is retried after a failure.
    :param settings: all settings in one object; keyword arguments override them.
    :param role: the role of a subagent; :meth:`child` gives it.
    :param mode: the placement of the HUD: "append", "tail" or "system"; see :meth:`HudSession.deliver`.
    :param marked: confirms that a tail gets a cache breakpoint before it, or needs none.
    :param children: makes the session of a subagent from its id and its parent's session, which may be a
        subagent's; if None, a subagent is a reader of this session.
    :param on_warning: called with a sentence the first time that a kind of error occurs.
    :param toolsets: your own tools, offered in addition to the HUD's.
    :param intervenes: whether a delivery warns the agent, once each time, that its context has reached a
        level for which the session's thresholds say so: critical, by default.
    :param limit: the size of the model's context in tokens, if the host's readings lack it; None for the size
        in the store's table of models.
    :param watch: called with the figures of deliveries, calls and requests.
    :param longest: the maximum length of a delivery, if the host cuts longer ones: then less is shown.
    :param size: measures that length; in characters by default.
    :param policy: when to compact the conversation, and how to request its summary.
    :param memory_compact: whether to offer the tool ``memory_compact`` in addition to ``hud_compact``.
    :param layout: the layout of the HUD: a tree, or the path of a file, which is read when the session is
        opened. It is stored with the session, as are the words: :meth:`HudSession.set_look`.
    :param words: texts that replace fixed ones, by name: a mapping, or the path of a JSON or TOML file.
    :param table: the meaning of tools, for a host with tools of its own.
    :param prune: the policy that prunes tool outputs; True is the default
        :class:`hud_runtime.context.pruning.Pruning`, and False shows all.
    :raises DeliveryError: for a tail without ``marked``: it costs nine times as much as no HUD.

    >>> from hud_runtime import HudStore
    >>> from hud_runtime.observe import ToolCall, ToolAnswer, UserMessage
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     host = HostSession(store.session("s"))
    ...     host.observe(
    ...         UserMessage(text="Add a login."),
    ...         ToolCall(name="Read", arguments={"file_path": "app.py"}, call_id="1"),
    ...         ToolAnswer(text="import jwt", call_id="1"),
    ...     )
    ...     print(host.before_request().text)
    # HUD
    <BLANKLINE>
    ## Task
    <BLANKLINE>
    Add a login.
    <BLANKLINE>
    ## Active files
    <BLANKLINE>
    - `app.py` (reading)
    <BLANKLINE>
    """

    def __init__(
        self,
        session: HudSession[Any] | Callable[[], HudSession[Any]],
        *,
        children: Callable[[str, HudSession[Any]], HudSession[Any]] | None = None,
        settings: _sending.HostSettings | None = None,
        role: AgentRole = AgentRole(),
        **options: Unpack[_sending.SentOptions],
    ) -> None:
        if settings is None:
            settings = _sending.HostSettings(**options)
        elif options:
            settings = replace(settings, **options)
        recorder = role.recorder or ObservationRecorder(settings.table, settings.limit)
        super().__init__(session, settings, recorder.lock)
        self._children = children
        self._role = role
        self._sending = _sending.Sending(settings, role.reader)
        self._recorder = recorder
        self._figures = _sending.FiguresReport(settings.watch, self._guard)
        self._unseen: deque[SeenAtOnce] = deque(maxlen=UNSEEN)
        self._known_children: dict[str, HostSession] = {}

    @classmethod
    def of(
        cls,
        store: HudStore[Any] | Callable[[], HudStore[Any]],
        session_id: str,
        *,
        project: str | None = None,
        parent: str | None = None,
        settings: _sending.HostSettings | None = None,
        **options: Unpack[_sending.SentOptions],
    ) -> Self:
        """Return a session of a store, whose subagents get sessions of their own.

        :param store: the store, or a function that opens it and is retried after a failure.
        :param settings: those of the class, as are the options.

        >>> with HudStore.open(":memory:") as store:
        ...     reviewer = HostSession.of(store, "s").child("reviewer")
        ...     reviewer.session.id, reviewer.child("reader").session.id
        ('s/reviewer', 's/reviewer/reader')
        """

        def store_of() -> HudStore[Any]:
            return store if isinstance(store, HudStore) else store()  # pyright: ignore[reportUnknownVariableType]

        def opened() -> HudSession[Any]:
            return store_of().session(session_id, project, parent, as_begun=True)

        def child(name: str, works_for: HudSession[Any]) -> HudSession[Any]:
            own = f"{works_for.id}/{name}"
            return store_of().session(own, parent=works_for, as_begun=True)

        return cls(opened, children=child, settings=settings, **options)

    @property
    def mode(self) -> Mode:
        """The placement of the HUD in requests."""
        return self._settings.mode

    @property
    def is_under_way(self) -> bool:
        """True if the HUD was delivered before, by this process or another one."""
        return self.session.is_known_to(self._sending.reader)

    # --- What goes to the model ---

    def before_request(self, **asked: Unpack[BeforeRequest]) -> Delivery:
        """Return the delivery for the next request; an empty one, if that fails.

        :param texts: the texts that the model will read, message by message. A host that passes them need not
            report compactions: a text that is no longer there is delivered again.
        :param fresh: whether the history starts over, for a host that passes no texts.
        :param retry_of: the id of the delivery whose request is retried.
        :param stores: whether what is delivered stays in the host's history; where it does not, the
            delivery's ``replay`` goes into each request again: :func:`interleaved`.
        :param sent: whether the delivery will certainly be sent; else confirm it with :meth:`sent`.
        :param mode: another mode for this request, if the host does not support the session's.
        :param intervene: whether this delivery may warn the agent about its context; False if the host passes
            on :meth:`intervention` itself.
        :param conversation: the words of the user, the model and the host's summary in the request, oldest
            first, which a delivery does not repeat. It is read only if there is something to deliver.
        :param count_tokens: counts tokens for the HUD's budget; None for the estimate.
        """
        given: dict[str, Any] = {**asked, "texts": texts_of(asked.get("texts"))}
        ask = _sending.RequestAsk(**given)

        def deliver() -> Delivery:
            self._flush()
            made = self._sending.next(self.session, ask)
            self._figures.delivered(self.session, made)
            return made

        def unsaid() -> Delivery:
            session = self._session
            if session is not None:
                recall = partial(self._sending.recall, session)
                self._guard.run("read what was delivered", recall, _sending.nothing)
            name = "" if session is None else session.id
            return self._sending.nothing(
                name, ask.texts, host_keeps_messages=ask.host_keeps_messages
            )

        return self._alone("deliver the HUD", deliver, unsaid)

    def sent(self, delivery: Delivery) -> None:
        """Confirm that a delivery was sent, if :meth:`before_request` got ``sent=False``."""

        def say() -> None:
            if delivery.id:
                self._sending.went_out(self.session, delivery)

        self._alone("note what was sent", say, _sending.nothing)

    def intervention(self, *, take: bool = True) -> Intervention | None:
        """Return the warning about the agent's context, for a host that passes it on in its own way.

        Deliveries include it by default. It comes once for each time that a level is reached, and is
        recorded; with ``take=False`` it is only peeked at: see :meth:`HudSession.intervention`.
        """

        def told() -> Intervention | None:
            self._flush()
            return self.session.intervention(take=take)

        return self._alone("tell the agent of its context", told, _sending.nothing)

    # --- What the host tells ---

    def observe(self, *seen: HostObservation, keep: Mapping[str, object] | None = None) -> None:
        """Process observations in order. Those that the store cannot take now are recorded later.

        In a bridge, all observations of one request are processed at once: a retry is recorded only once.

        :param keep: JSON data to store with them, by key: :meth:`kept`.
        """
        with self._lock:
            if any(isinstance(each, SessionBegan) for each in seen):
                self._sending.begins_anew = True
            told = tuple(each for each in seen if not isinstance(each, SessionBegan))
            if told or keep:
                self._unseen.append(SeenAtOnce(told, current_request_id(), keep or {}))
        self.flush()
        for each in seen:
            if (
                isinstance(each, observed.AgentMessage | observed.ContextUsed)
                and each.usage is not None
            ):
                self._figures.used(each.usage)
        parent = self._role.parent
        if parent is not None:
            works = [each for each in seen if self._is_work(each)]
            if works:
                parent.observe(*works)

    @contextmanager
    def undisturbed(self) -> Generator[None]:
        """Hold the lock, so that stored data can be read and changed without other observations in between."""
        with self._lock:
            yield

    def kept(self, name: str) -> Any:
        """Return the data stored under a key, by this process or another one; None for nothing."""

        def kept() -> Any:
            waiting = [each.keep[name] for each in self._unseen if name in each.keep]
            return waiting[-1] if waiting else self._recorder.kept(self.session, name)

        return self._alone("look at what was kept", kept, _sending.nothing)

    @property
    def prunes(self) -> bool:
        """True if outputs of tools are pruned."""
        return self._settings.prune is not False

    @cached_property
    def _pruning(self) -> Pruning | None:
        # The tables are built on the first use.
        prune = self._settings.prune
        session = self.opened if prune is True else None
        own = None if session is None else session.settings.pruning
        return own or _sending.pruning_of(prune)

    def pruned(self, output: ToolOutput) -> str:
        """Return the pruned text of a new tool output.

        The whole output is stored first; if that fails, all of it is shown.
        """
        return self._pruned(lambda policy: policy.new(self.session, output), output.text)

    def pruned_history(self, outputs: Sequence[ToolOutput], *, new: int) -> tuple[str, ...]:
        """Return the pruned text of each output in a history that the host passes whole.

        :param new: the index of the first one that the model has not read.
        """
        whole = tuple(each.text for each in outputs)
        return self._pruned(
            lambda policy: policy.all_of(self.session, outputs, new=new) if outputs else whole,
            whole,
        )

    def _pruned(self, work: Callable[[Pruning], T], whole: T) -> T:
        policy = self._pruning
        if policy is None:
            return whole

        def prune() -> T:
            self._breaker.refuse()
            return work(policy)

        return self._alone("prune the outputs of tools", prune, lambda: whole)

    def _is_work(self, seen: HostObservation) -> bool:
        """Whether the parent records it as well: files and checks yes, a subagent's plan no."""
        if isinstance(seen, observed.ToolCall):
            tool = (self._settings.table or observed.ToolTable()).tool(seen.name)
            return not isinstance(tool, observed.PLANS)
        return isinstance(seen, observed.ToolAnswer)

    def _flush(self) -> None:
        """Process what was observed; its events wait if the store is unavailable."""
        if self._session is None:
            self._breaker.refuse()
        session = self.session
        while self._unseen:
            told = self._unseen[0]
            is_known = told.telling is not None and self._recorder.knows(session, told.telling)
            self._unseen.popleft()
            if is_known:
                continue
            for each in told.seen:
                self._guard.run(
                    "understand what happened",
                    partial(self._recorder.observe, session, each),
                    _sending.nothing,
                )
            self._recorder.took(told)
        self._breaker.refuse()
        self._recorder.flush(session, self._refused)

    def _refused(self, _draft: EventDraft, error: _errors.EventError) -> None:
        """Ignore an observation that the session's domain does not know, such as files in a support case."""
        if self.session.domain.name == "coding":
            self._guard.failed("record an event", error)

    def flush(self) -> int:
        """Record the waiting events, and return the number that still wait."""
        self._alone("record what happened", self._flush, _sending.nothing)
        return self._recorder.waiting + len(self._unseen)

    # --- Tools ---

    def tools(
        self, dialect: str = "json-schema", *, layout: str | None = None
    ) -> tuple[HostTool, ...]:
        """Return the tools to register, in a dialect of :mod:`ujsx.schema`; none, if that fails.

        :param layout: of all of them; None for "signatures" of the HUD's, and "grouped" of the toolsets'.
        """

        def made() -> tuple[HostTool, ...]:
            hud, own = (layout, layout) if layout else ("signatures", "grouped")
            domain: Domain[Any] = self.session.domain
            offered = self._settings.definitions(dialect, domain, hud, own)
            return tuple(HostTool.of(each, lambda: self) for each in offered)

        return self.attempt("offer the HUD's tools", made, tuple)

    def call(self, tool: str, arguments: object, *, toolsets: Iterable[Toolset] = ()) -> ToolResult:
        """Answer a call of one of the tools: the arguments as received, object or text, broken or not.

        In a bridge, a retried call is executed once, and its answer repeated.

        :param toolsets: further ones that may have the tool.
        """

        def answer() -> ToolResult:
            for each in (*self._settings.toolsets, *toolsets):
                if each.has(tool):
                    return each.call(tool, arguments, context=self.session)
            telling = current_request_id()
            if telling is None:
                return self.session.call(tool, arguments)
            return _answered_once(self.session, telling, tool, arguments)

        result = self.attempt("answer a call", answer, partial(_unanswered, tool))
        self._figures.called(result)
        return result

    # --- Beside the event loop ---

    async def abefore_request(self, **asked: Unpack[BeforeRequest]) -> Delivery:
        """The same as :meth:`before_request`, in a worker thread."""
        return await asyncio.to_thread(partial(self.before_request, **asked))

    async def aobserve(self, *seen: HostObservation) -> None:
        """The same as :meth:`observe`, in a worker thread."""
        await asyncio.to_thread(self.observe, *seen)

    async def acall(self, tool: str, arguments: object) -> ToolResult:
        """The same as :meth:`call`; coroutine handlers run on this event loop."""
        for each in self._settings.toolsets:
            if each.has(tool):
                session = self.opened
                if session is None:
                    return _unanswered(tool)
                result = await each.acall(tool, arguments, context=session)
                self._figures.called(result)
                return result
        return await asyncio.to_thread(self.call, tool, arguments)

    async def apruned(self, output: ToolOutput) -> str:
        """The same as :meth:`pruned`, in a worker thread."""
        return await asyncio.to_thread(self.pruned, output) if self.prunes else output.text

    # --- Subagents ---

    def child(self, name: str) -> HostSession:
        """Return the session of a subagent; the same for the same name.

        It begins with its parent's task, decisions and blockers. The parent records its file changes and
        check results, too. It may have subagents of its own.
        """
        with self._lock:
            found = self._known_children.get(name)
            if found is None:
                found = self._known_children[name] = self._child(name)
            return found

    def _child(self, name: str) -> HostSession:
        make = self._children
        if make is None:
            reader = AgentRole(name, recorder=self._recorder)
            return HostSession(self._given, settings=self._settings, role=reader)
        return HostSession(
            lambda: make(name, self.session),
            children=make,
            settings=self._settings,
            role=AgentRole(parent=self),
        )

    @contextmanager
    def running(self) -> Generator[Self]:
        """Make it the :func:`current` session within the context, in which its agent runs."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)


def _answered_once(
    session: HudSession[Any], telling: RequestId, tool: str, arguments: object
) -> ToolResult:
    """Answer a call of the HUD's tools; a retry gets the first answer.

    A call's events and its answer are stored together, also in an outbox while the server is away. A call
    that records nothing is answered again. While the store is locked, the call is answered as if it had no
    id: reads still work.
    """
    key, has_begun = str(telling), False

    @tried_again
    def answer() -> ToolResult:
        nonlocal has_begun
        has_begun = False
        with session.exclusive():
            has_begun = True
            before = _offline_queue.heard(session)
            known = before.answers.get(key)
            if known is not None:
                return ToolResult(known.text, is_error=known.is_error, data=known.data)
            version = session.version
            result = session.call(tool, arguments)
            if session.version != version:
                made = _offline_queue.AnsweredPost(result.text, result.is_error, result.data)
                taken = _offline_queue.RequestRecord(answers={key: made})
                _offline_queue.keep_heard(session, before, taken)
            return result

    try:
        return answer()
    except _errors.StoreLockedError:
        return session.call(tool, arguments)
    except _errors.StoreUnavailableError:
        if has_begun:  # the outcome is unknown
            raise
    kept = said(session, "answer.kept")
    if any(key in _offline_queue.taken_of(text).answers for text in session.taken_waiting()):
        return ToolResult(kept)
    waiting = _offline_queue.RequestRecord(answers={key: _offline_queue.AnsweredPost(kept)})
    with taking_in(_offline_queue.written(session, waiting)):
        return session.call(tool, arguments)


def _unanswered(tool: str) -> ToolResult:
    text = f"{tool} cannot be reached now; go on without, and try again later"
    return ToolResult(text, is_error=True, data={"error": "broken"})


_current: ContextVar[HostSession | None] = ContextVar("current", default=None)


def current() -> HostSession | None:
    """Return the session whose agent runs here, if any: the parent of an agent that starts now."""
    return _current.get()

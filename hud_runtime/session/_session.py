"""One session: records events, renders and delivers its HUD, and answers tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from typing_extensions import TypeVar

from hud_components import ContextUsage, Domain, FactEvent, HudState, State
from hud_components.folding import Mark
from hud_components.levels import Threshold, Thresholds
from hud_components.words import NO_TEXTS
from hud_runtime._errors import DeliveryError, EventError, StoreUnavailableError
from hud_runtime._request_id import current_batch
from hud_runtime.log import LogOptions, ParentSeen, Refused, ToolSession, listed_drafts
from hud_runtime.log.events import Actor, Event, EventDraft, draft_of
from hud_runtime.log.store import At, EventIds, EventStore
from hud_runtime.session._render_options import (
    AgentLayouts,
    GivenLook,
    HudRenderer,
    RenderOptions,
    StoreSettings,
    check_look,
    look_of_domain,
    own_components,
    record_look,
)
from ujsx.calls import READING, resolving, with_attributes
from ujsx.components import Displayable, first_text
from ujsx.errors import CallError, RenderError, shown

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hud_components import Budget
    from hud_components.changes import LineReader
    from hud_components.words import Remaining
    from hud_runtime.context.compaction import Compaction, CompactionPolicy
    from hud_runtime.context.delivery import (
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
    from hud_runtime.log.outbox import QueueReceipt
    from hud_runtime.log.pressure import Intervention
    from hud_runtime.observe import ModelLimits
    from hud_runtime.session._offline_queue import OfflineQueue
    from hud_runtime.session._parent import Parents
    from hud_runtime.session._render_options import LayoutSource, WordsSource
    from hud_runtime.tools import ContextFigures, HudTools, Summary
    from ujsx import Child, DensityLike, Rendered, Renderer
    from ujsx.tokens import TokenCounter
    from ujsx.tools import ToolResult

StateT = TypeVar("StateT", bound=State, default=HudState)
EventT = TypeVar("EventT", bound=str, default=Any)

_READING_FIRST = 'record it first: session.record("context.snapshot", percentage=67)'

HUD = "hud"
"""The default tool of a session's call."""


@dataclass(frozen=True, kw_only=True)
class SessionOptions(LogOptions):
    """Options that all sessions of a store share."""

    settings: StoreSettings
    """The settings of the store's user."""

    model_limits: ModelLimits | None
    agent_layouts: AgentLayouts
    parents: Parents
    look: GivenLook
    """The default look of sessions."""


class RecordingSession(ToolSession[StateT, EventT]):
    """A session that records in its own log and its parent's, or in an outbox while the server is away."""

    options: SessionOptions
    """Options that all sessions of the store share."""
    _open_session: Callable[[str], HudSession[Any]] | None
    _posting: OfflineQueue | None

    def parent_seen(self) -> ParentSeen:
        """Return the session's view of its parent: as it is now, or as it was when this session began.

        ``HudStore.open(…, parents=…)`` selects the view, or switches it off.

        Raises :class:`EventError` for a session without a parent, for a parent that is gone or shares no
        section, and where the view is switched off.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     parent = store.session("s")
        ...     child = store.session("s/reviewer", parent=parent)
        ...     _ = parent.record("decision.record", summary="Use JWT")
        ...     [each.summary for each in child.parent_seen().state.decisions]
        ['Use JWT']
        """
        from hud_runtime.session._parent import parent_seen

        return parent_seen(self, self._parent(), self.options.parents)

    def hand_back(self, text: str) -> tuple[str, str, bool]:
        """Record a result in the parent's session; return the section, the item's id, and whether it is new.

        The result becomes an item of the first section of the parent's domain that accepts results: a note
        in the coding HUD. The parent's log attributes it to a tool, and the text names the child. Handing
        back the same result again has no effect.

        Raises :class:`EventError` for a session without a parent, for a parent that is gone, and where no
        section accepts results.

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

    def post(
        self,
        event_type: EventT | FactEvent | BaseModel,
        text: str | float | date | Mapping[str, object] | BaseModel | None = None,
        /,
        *,
        turn: int | None = None,
        timestamp: int | None = None,
        actor: Actor = "agent",
        **payload: object,
    ) -> Event | QueueReceipt:
        """Record one event, or queue it on disk while the store's server cannot be reached.

        With an outbox (``HudStore.open(…, outbox=…)``) it returns the :class:`Event` once stored, or a
        :class:`hud_runtime.log.outbox.QueueReceipt` for a queued event, which has no version yet and
        appears in no state or HUD. Queued events are recorded in order when the server is back, with their
        original time, and checked against the state of that moment. Refused ones are set aside, and
        `ujsx doctor` lists them. Without an outbox, and within :meth:`exclusive`, it is :meth:`record`.

        Raises as :meth:`record` does, and :class:`StoreFullError` for a full outbox. A missing item is an
        error only when the store is reachable, because a queued event may still add it.

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
    ) -> tuple[Event, ...] | QueueReceipt:
        """Record many events, or queue them while the server is away: all or none.

        With ``refused``, each is recorded independently. See :meth:`post` and :meth:`record_all`.
        """
        drafts, posting = listed_drafts(drafts), self._posting
        if posting is None or self._events.transaction() is not None:
            return self.append_drafts(drafts, refused=refused)
        taken = current_batch()
        if not drafts and taken is None:
            return ()
        # A failed append may still have committed: its ids identify it on delivery.
        after, ids = self.version, [self.options.ids.next() for _ in drafts]
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
            self.id, kept, after=after, at=self._clock(), apart=refused is not None, taken=taken
        )

    def record_all(
        self, drafts: Iterable[EventDraft], *, refused: Refused | None = None
    ) -> tuple[Event, ...]:
        """Append many events in one transaction, after those in the outbox: see :meth:`SessionLog.record_all`."""
        if self._posting is not None:
            self._deliver_posted(self._posting)
        return self.append_drafts(listed_drafts(drafts), refused=refused)

    def exclusive(self) -> AbstractContextManager[StateT]:
        """Lock the session for the duration of the context: see :meth:`SessionLog.exclusive`."""
        if self._posting is not None:
            self._deliver_posted(self._posting)
        return self._exclusively()

    def _deliver_posted(self, posting: OfflineQueue) -> None:
        """Record the events in the outbox first, to keep the order, unless a transaction is open."""
        if self._events.transaction() is None:
            posting.deliver(self.id)

    def taken_waiting(self) -> list[str]:
        """Return the request records of the session's queued events, in order."""
        return [] if self._posting is None else self._posting.letters.taken(self.id)

    @property
    def is_posting(self) -> bool:
        """True if the store's server was away at the last attempt, and an outbox queues events: see :meth:`post`."""
        return self._posting is not None and self._posting.is_away

    def begin_posting(self, error: StoreUnavailableError) -> bool:
        """Remember that the store's server is away; return whether an outbox queues events.

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
        """Return the current state, or the last known one while an outbox is in use and the server is away."""
        posting = self._posting
        if posting is None:
            return self._hud.catch_up(save=False)
        if posting.is_clear(self.id):
            try:
                return self.refresh()
            except StoreUnavailableError as error:
                posting.was_away(error)
        return self.known


_OWN = frozenset(
    {"id", "domain", "thresholds", "options", "settings", "model_limits", "usual_looks"}
)
"""Attributes that a session gets from its store."""


def _asked_by(tool: object) -> tuple[str, object]:
    """Return the tool's name and arguments, also of a call as SDKs represent it."""

    def part(whole: object, name: str) -> Any:
        get: Any = getattr(whole, "get", None) or partial(getattr, whole)
        return get(name, None)

    call = part(tool, "function") or tool
    name = part(call, "name")
    if isinstance(name, str) and part(call, "op") is None:
        for each in ("arguments", "input", "args"):
            if (said := part(call, each)) is not None:
                return name, said
    return HUD, tool


class _Listed(tuple[Any, ...]):  # noqa: SLOT001 - a tuple has no slots that hold something
    """A section's items as ``session.notes`` returns them: a tuple whose verbs record, as in
    ``session.notes.add("…")``.
    """

    if not TYPE_CHECKING:

        def __new__(cls, items: tuple[Any, ...], recording: Callable[[str], Any]) -> Self:
            made = super().__new__(cls, items)
            made._recording = recording
            return made

        def __getattr__(self, verb: str) -> Any:
            if not verb.startswith("_"):
                with suppress(EventError):
                    return self._recording("add" if verb == "append" else verb)
            line = 'write session.record("…", …); session.call("hud", {"op": "help"}) lists what there is'
            raise AttributeError(f"the items of a session have no {verb!r}; {line}")

        def __call__(self, *given: Any, **fields: Any) -> Any:
            return self._recording("add")(*given, **fields) if given or fields else self

        def __eq__(self, other: object) -> bool:
            return tuple(self) == (tuple(other) if isinstance(other, list) else other)

        __hash__ = tuple.__hash__

        def __reduce__(self) -> tuple[object, ...]:
            return tuple, (tuple(self),)


class AnsweringSession(RecordingSession[StateT, EventT]):
    """A session that answers unknown attributes: with the items of a section, an event, or the line to write
    instead.
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "session.deliver(), or from hud_runtime.integrations import …": "messages tomessages asmessages getmessages chathistory "
        "middleware callback callbacks callbackhandler",
        'session.record("…", …), and session.hud().text': "savecontext loadmemoryvariables memoryvariables "
        "addmessage addusermessage addaimessage memory remember",
        "session.hud().text": "markdown text",
        "session.events()": "eventlog log",
        "session.state(), which has each section's items by its name": "items sections",
        "[*session.events()]": "export dump tolist",
        'session.record("…", …)': "emit dispatch",
        'session.tools("openai")': "tool hudtool astools totools toollist listtools bindtools tolangchain aslangchain aslangchaintools toopenai",
        'session.tools("anthropic")': "toanthropic asanthropic",
        'session.tools("gemini")': "togemini asgemini",
        'session.record("…", …, turn=session.turn + 1)': "nextturn newturn startturn endturn beginturn incrementturn setturn tick",
        "session.events()[-1]": "lastevent latestevent",
        "session.events(after=1)": "diff changes compare delta changedsince",
        "session.instructions(), and session.hud().text": "systemprompt prompt",
        'session.record("context.snapshot", used=…, limit=…)': "setusage updateusage updatecontext recordusage trackusage reportusage setcontext tokenusage setpercentage usagereport",
        "session.state().usage": "usage contextusage percentage",
        "session.context(), which has level and percentage": "pressure level status fullness",
        "estimate_tokens(session.hud().text), or session.hud().tokens": "tokens tokencount counttokens",
        "store.close(), of the HudStore": "close",
        'store.session("…", parent=session), of the HudStore': "fork branch",
        "session.state().session.project": "project",
        "session.set_look(…)": "layout words setwords",
        "session.state(at=2)": "asof rewind rollback revert versionat",
        'session.record("section.clear", section="notes")': "clear reset wipe empty clearnotes clearall deleteall removeall",
        "session.parent_id": "parent getparent",
        "session.undo(), which takes back the one before, too": "redo",
        "session.state().session.started_at": "createdat startedat created",
        'session.context() is not None and session.context().level == "critical"': "shouldcompact needscompaction iscompactionneeded",
        'store.keeping.archive("…"), of the HudStore': "archive",
        "session.state().session.title": "title",
        'session.record("session.title", title="…")': "rename settitle",
        "session.state().model_dump()": "todict asdict dict json tojson modeldump modeldumpjson serialize",
        'session.remove("n-2"), or of a session store.keeping.purge("…")': "delete drop destroy",
        "session.edit(text)": "parse readback loadmarkdown",
    }

    _as_child: ClassVar[str] = "write session.hud().text"

    _also: ClassVar[Mapping[str, str]] = {
        "state": "getstate currentstate at stateat",
        "set_look": "setlayout uselayout",
        "hud": "render renderhud gethud snapshot tomarkdown totext show display",
        "record": "recordevent appendevent addevent append",
        "delivered": "markdelivered ack acknowledge confirm confirmdelivery marksent",
        "record_all": "recordmany recordbatch recordevents addall appendall extend bulkrecord",
        "exclusive": "transaction batch atomic begin lock",
        "id": "sessionid name",
        "call": "run calltool handle handletoolcall handletool execute executetool runtool invoke toolcall processtoolcall",
        "acall": "callasync calltoolasync ainvoke",
        "_instructions": "instructions getinstructions",
        "_definitions": "tooldefinitions tooldefinition toolschemas toolschema gettools schemas definitions gettooldefinitions",
        "events": "getevents listevents loadevents history",
        "_compacted": "compact compacted addsummary setsummary summarize",
        "_child": "child spawn subsession createchild newchild childsession",
        "hud_runtime.editing._changes.edited": "edit apply applyedit editmarkdown applymarkdown fromtext frommarkdown",
        "hud_runtime.editing._changes.document_of": "document editable foredit forediting editabletext",
        "hud_runtime.editing._changes.undone": "undo undolast",
    }

    if not TYPE_CHECKING:  # type checkers report unknown attributes themselves

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_"):
                    raise
                for field, section in self.domain.fields.items():
                    if name in {field, section.name}:
                        value = getattr(self.state(), field)
                        is_list = isinstance(value, tuple)
                        return _Listed(value, partial(self._recording, field)) if is_list else value
                with suppress(EventError):
                    if "_" in name:  # such as session.add_note("…"), session.get_notes()
                        verb, noun = name.split("_", 1)
                        if verb in {"get", "list", "read", "show"}:
                            with suppress(ValueError):
                                return partial(getattr, self, self.domain.field_of(noun))
                        if verb in {"set", "replace"}:
                            with suppress(ValueError):
                                field = self.domain.field_of(noun)
                                if field in self.domain.state.lists:
                                    return partial(self._replaced, field)
                        return self._recording(verb, noun)
                with suppress(EventError, ValueError):  # such as session.note("…")
                    field = self.domain.field_of(name)
                    if isinstance(getattr(self.known, field), tuple):
                        return self._recording(field, "add")
                if self._types_of(name):
                    return partial(self._done, name)  # such as session.complete("s-1")
                raise

        def _types_of(self, verb: str) -> list[str]:
            """Return the types of events that a verb alone may mean."""
            known = self.domain.section_events
            if any(verb in names.split() for names in self._instead.values()):
                return []  # it would mean the session
            others = (self._meant(f"{each}.{verb}") for each in self.domain.fields)
            ends = [each for each in others if each in known and isinstance(known[each].verb, Mark)]
            return [each for each in known if known[each].verb.name == verb] or ends

        def _meant(self, name: str) -> str:
            with suppress(EventError):
                return self._catalog.known(name)
            return ""

        def _done(self, verb: str, /, *given: Any, **payload: object) -> Event:
            types = self._types_of(verb)
            named = getattr(given[0], "payload", given[0]) if given else ""  # of an event
            name = str(getattr(named, "id", named))
            meant = self._meant(f"{name}.{verb}")
            if meant and "-" in name:  # an item's id
                return self.record(meant, id=name, **payload)
            if meant:
                return self.record(meant, *given[1:], **payload)
            if len(types) > 1:  # those whose section has the item
                known = self.domain.section_events
                types = [each for each in types if self._holds(known[each].section, name)] or types
            if len(types) == 1:
                return self.record(types[0], *given, **payload)
            lines = [f'session.record("{each}", …)' for each in types]
            raise CallError(f"{verb} can mean several; write {', or '.join(lines)}")

        def _holds(self, section: Any, name: str) -> bool:
            items = getattr(self.known, section.field)
            return any(
                name in {each.id, getattr(each, first_text(type(each)) or "id")} for each in items
            )

        def _child(self, id: str, **options: Any) -> HudSession[Any]:  # noqa: A002 - as the store's
            store = getattr(self._open_session, "__self__", None)
            if store is None:
                raise CallError('write store.session("…", parent=session), of the HudStore')
            return store.session(id, parent=self, **options)

        def _instructions(self, **options: Any) -> str:
            from hud_runtime.tools import instructions_of

            return instructions_of(self.domain, **options)

        def _definitions(self, dialect: Any, **options: Any) -> Any:
            return self.tools.definitions(dialect, **options)

        def _compacted(self, summary: str = "") -> Event:
            if not summary:
                ask = "hud_runtime.context.compaction.compact(messages, ask) asks a model for one"
                raise CallError(f'write session.compact(summary="…"); {ask}')
            return self.record("compact.after", summary=summary)

        def _recording(self, *words: str) -> Callable[..., Event]:
            return partial(self.record, self._catalog.known(".".join(words)))

        def _replaced(self, field: str, items: object) -> Event:
            return self.record("section.replace", **{field: items})

        def __getitem__(self, section: Any) -> Any:
            if isinstance(section, int | slice):
                raise CallError(
                    "a session is not a list; write session.events(), or session.state().notes"
                )
            return self.state()[section]

        def __len__(self) -> int:
            return self[0]

        def __bool__(self) -> bool:
            return True

        def __setattr__(self, name: str, value: object) -> None:
            is_own = name.startswith("_") or name in _OWN or hasattr(type(self), name)
            section = None if is_own else self.domain.fields.get(name)
            if section is not None and section.kind is None and self._meant(f"{name}.set"):
                self._recording(name, "set")(value)
                return
            line = "" if is_own else self._line_that_sets(name)
            if name == "turn":
                line = 'session.record("…", …, turn=3)'
            if line:
                raise CallError(f"{name} follows from the session's events; write {line}")
            if name in RenderOptions.__dataclass_fields__ and not is_own:
                line = f"session.hud({name}={shown(value)})"
                raise CallError(f"a session keeps no {name}; write {line}")
            super().__setattr__(name, value)

    def _line_that_sets(self, name: str) -> str:
        """Return the line that records an attribute's value; empty for an attribute that no event sets."""
        with suppress(ValueError):
            section = self.domain.fields[self.domain.field_of(name)]
            types = [
                key for key, each in self.domain.section_events.items() if each.section is section
            ]
            return f'session.record("{types[0]}", …)' if types else ""
        with suppress(EventError):
            return f'session.record("{self._catalog.known(f"session.{name}")}", {name}=…)'
        lines = (line for line, names in self._instead.items() if name in names.split())
        return next(lines, "")

    def _line_for(self, name: str) -> str:
        with suppress(ValueError):
            field = self.domain.field_of(name)
            line = self._line_that_sets(name)
            return f"session.state().{field}" + (f", or to change it {line}" if line else "")
        return self._catalog.line_for(name)


class HudSession(AnsweringSession[StateT, EventT], Displayable):
    """A session of a store, returned by :meth:`HudStore.session`.

    It keeps its state in memory. ``record``, ``state`` and ``refresh`` read the events of other processes;
    ``hud`` does not read the disk. Threads and asyncio tasks may share a session.
    """

    @resolving(write='write store.session("…"), of a HudStore')
    def __init__(
        self,
        session_id: str,
        events: EventStore,
        domain: Domain[StateT, EventT],
        options: SessionOptions,
        *,
        open_session: Callable[[str], HudSession[Any]] | None = None,
        posting: OfflineQueue | None = None,
    ) -> None:
        super().__init__(session_id, events, domain, options)
        self.options = options
        self.settings = options.settings
        """The settings of the store's user."""
        self.model_limits = options.model_limits
        """Context sizes in tokens by model name, where a host does not report them; the default table when None."""
        self._open_session, self._posting = open_session, posting
        self.usual_looks = (options.look, look_of_domain(domain))
        """The default looks: the store's, then the domain's."""
        self._showing = HudRenderer(options.agent_layouts, self.usual_looks)
        self._made_from: ShownHud | None = None

    @property
    def compaction_policy(self) -> CompactionPolicy:
        """The policy of compaction: the store user's, or the default."""
        from hud_runtime.context.compaction import CompactionPolicy

        return self.settings.compaction or CompactionPolicy()

    def __repr__(self) -> str:
        return f"<HudSession {self.id!r}, version {self.version}>"

    def _as_document(self) -> str:
        return self.hud().text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Do nothing: events are already stored, and the owner of the store closes it."""

    @with_attributes
    def compaction_prompt(self) -> str:
        """Return the prompt for a summary of the conversation, from the session's policy.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     print(store.session("s").compaction_prompt().partition(". ")[0])
        The conversation so far is about to be replaced by a summary
        """
        from hud_runtime.context.compaction import compaction_prompt

        policy = self.compaction_policy
        return compaction_prompt(
            self.state(), replace=policy.prompt, append=policy.append, thresholds=self.thresholds
        )

    def compaction_refused(self, percentage: float) -> float | None:
        """Return the least percentage of the context at which compaction pays off, if it is not reached; else None.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     store.session("s").compaction_refused(31), store.session("s").compaction_refused(80)
        (50.0, None)
        """
        policy = self.compaction_policy
        return policy.least if policy.refuses(percentage) else None

    @with_attributes
    @resolving(
        write='write session.hud(ContextUsage(percentage=67), "compact", budget=300), from hud_components import ContextUsage',
        instead={
            **NO_TEXTS,
            "title": 'write session.hud(words={"hud.title": "…"})',
            "format html": "write render_html(Hud.of(session.state())), from hud_components import Hud, from ujsx import render_html",
            "sections only include exclude hide": "write session.hud(layout=Hud()[NotesSection()]), with the sections that it shows, from hud_components import Hud, NotesSection",
        },
        usage_=READING,
        usage="context info context_info contextInfo",
        budget="tiers budgets",
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
        on_warning: Callable[[str], object] | None = None,
        words: Mapping[str, str] | None = None,
        stale_after: int | None = None,
        count_tokens: TokenCounter | None = None,
        thresholds: Iterable[Threshold] | None = None,
        turn: int | None = None,
        at: int | At | None = None,
    ) -> Rendered:
        """Render the HUD of the session's known state, without reading the disk, or of an earlier moment.

        Unchanged parts are not rendered again.

        ``usage`` is the context reading; the default is the last one in the log. ``density`` follows from
        it, and is full without one. ``budget``, in tokens, selects the content; a mapping has one for each
        density. Without a budget, density and level set a ceiling that only mandatory content can exceed
        (:func:`hud_components.room_for`); "off" removes it. ``previous`` is an earlier rendering whose level of detail is kept while it fits,
        so that a HUD does not flicker. ``words`` replace fixed texts by name, as for another language or no
        emoji; they override the session's words. ``count_tokens`` counts tokens against the ceiling, such
        as :func:`ujsx.tokens.calibrated` from a provider's reports; the default is an estimate.
        ``thresholds`` set the start of each level for this HUD; the default is the session's.

        ``layout`` is your own tree, whose sections take their data from the session. Without it, the HUD
        uses the agent's layout if permitted and valid, then ``default``, then the session's
        (:meth:`set_look`), then the domain's. ``agent_layout=False`` skips the agent's. ``on_warning`` is
        called with a sentence for a layout that cannot be rendered; without it, each reason is logged once.
        Pinned and folded sections stay so in any layout; ``pins=False`` ignores that.

        ``at`` renders the HUD of that moment, a version or an :class:`At`, with its layout, reading and
        pins, as :meth:`state` does; ``turn=2`` is ``at=At.turn(2)``.

        ``now`` is the current time in milliseconds since the epoch, such as :meth:`now` returns. With it
        the HUD shows the session's age, and warns of a state older than ``stale_after`` minutes (default
        30). Rendering reads no clock, so the same arguments produce the same bytes.

        Raises :class:`RenderError` for an invalid budget, a negative budget or turn, and as :meth:`state`
        does.

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
        ...     session.hud(at=2) == session.hud(turn=1)
        (False, True)
        True
        """
        look = RenderOptions(
            usage,
            density,
            budget,
            now,
            previous,
            layout,
            default,
            agent_layout,
            pins,
            on_warning,
            words,
            stale_after,
            count_tokens,
            thresholds,
        )
        if turn is not None and turn < 0:
            raise RenderError(
                f"a turn is at least 0, not {turn}; to count from the present, write session.turn - {-turn}"
            )
        if turn is not None and at is not None:
            raise RenderError("at= and turn= are both given; write one of them")
        moment = at if turn is None else At.turn(turn)
        state = None if moment is None else self.state(at=moment)
        return self.shown(look, state=state).rendered

    def shown(
        self,
        look: RenderOptions | None = None,
        *,
        state: StateT | None = None,
        renderer: Renderer | None = None,
    ) -> ShownHud:
        """Render the HUD as :meth:`hud` does, and return it with its sources.

        ``state`` is the state to render, such as an earlier turn's; the session's when None. ``renderer``
        is used with its cache; the session's when None.

        >>> from hud_runtime import HudStore
        >>> from hud_runtime.session import RenderOptions
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     shown = session.shown(RenderOptions(density="compact"))
        ...     shown.rendered == session.hud(density="compact"), shown.room.budget
        (True, 144)
        """
        look = RenderOptions() if look is None else look
        table = self._thresholds_of(look.thresholds)
        return self._showing.shown(self.known if state is None else state, look, table, renderer)

    @property
    def made_from(self) -> ShownHud | None:
        """The HUD that the last delivery was made from."""
        return self._made_from

    @resolving(
        'write messages += [{"role": "user", "content": part.text} for part in session.deliver()]',
        texts="messages",
        instead={
            "usage percentage used context": _READING_FIRST,
            "density": "write session.deliver(budget=…); or a text, session.hud(density=…).text",
        },
    )
    def deliver(
        self,
        *,
        mode: Mode = "append",
        reader: str = "main",
        texts: Iterable[str] | None = None,
        fresh: bool = False,
        retry_of: str | None = None,
        host_keeps_messages: bool = True,
        has_cache_breakpoint: bool = False,
        reanchor: Reanchor | int | None = None,
        budget: Budget = None,
        layout: Child = None,
        words: Mapping[str, str] | None = None,
        count_tokens: TokenCounter | None = None,
        thresholds: Iterable[Threshold] | None = None,
        intervene: bool = False,
        conversation: Iterable[RequestMessage | str] | None = None,
    ) -> Delivery:
        """Return the HUD's texts for the next request, and their places.

        ``mode`` is "append" to add the whole HUD to the history once, and then only changes; "tail" to send
        all of it after the history in each request; or "system" to put its static part in the system
        prompt, and the rest after the history. ``reader`` names the reader of the history: the main agent,
        or a subagent by a name of yours.

        Appended text counts as read once :meth:`delivered` confirms it. ``texts`` are the messages that the
        model will read: if an appended text is missing from them, it was cut, and all is sent again; if
        present, it was sent. ``fresh`` starts a new history. ``retry_of`` is the id of a delivery whose
        request is retried, and returns the same texts.

        ``host_keeps_messages=False`` is for a host whose history does not store the HUD's messages:
        ``texts`` are then the host's own messages, and the delivery names the one after which all is
        inserted, ``replay`` first. ``has_cache_breakpoint`` confirms that a tail has a cache breakpoint
        before it, or needs none. ``reanchor`` repeats the most important state, after that many tokens of
        history or as :class:`Reanchor` defines. ``budget``, ``layout``, ``words``, ``count_tokens`` and
        ``thresholds`` are those of :meth:`hud`.

        ``conversation`` lists the request's messages, oldest first: the user's and the host's summary as
        texts, the model's as :class:`RequestMessage`. The HUD omits words of the task, the goal, the user's
        rules, the current work and the summary while they are in the conversation. A delta also omits an
        item whose words are in the last 20,000 tokens: in calls and results, if hosts report such items,
        else in the agent's own calls. Without ``conversation``, and with mode "system", nothing is omitted.

        ``intervene`` adds a one-time notice about the context when it is due (:meth:`intervention`), as a
        part of the kind "notice". It is recorded once the delivery was sent.

        In append mode, a context reading within the same level is not sent. The level drops only when the
        reading is a margin below it, so that oscillation around a threshold sends nothing twice.

        Raises :class:`DeliveryError` for an unconfirmed tail, an invalid mode, and a retry of a delivery
        that is no longer stored.

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
        from hud_runtime.context.delivery import DeliveryRequest as Asked
        from hud_runtime.context.delivery import Reanchor, conversation_of, deliver, texts_of

        table = self._thresholds_of(thresholds)
        asked = Asked(
            mode=mode,
            reader=reader,
            texts=texts_of(texts),
            fresh=fresh,
            retry_of=retry_of,
            host_keeps_messages=host_keeps_messages,
            has_cache_breakpoint=has_cache_breakpoint,
            reanchor=Reanchor(tokens=reanchor) if isinstance(reanchor, int) else reanchor,
            thresholds=table,
            intervenes=intervene,
            words=self._words(words),
            conversation=conversation_of(conversation),
        )
        whole = RenderOptions(
            budget=budget, layout=layout, words=words, count_tokens=count_tokens, thresholds=table
        )
        brief = replace(whole, density="minimal", budget=None)

        def show(usage: ContextUsage | None, in_brief: bool, left: Remaining | None) -> ShownHud:
            look = replace(brief if in_brief else whole, usage=usage, remaining=left)
            self._made_from = self.shown(look)
            return self._made_from

        self._made_from = None
        return deliver(self, asked, show=show, reader=self._lines, new_id=self.options.ids.next)

    @resolving(instead={**NO_TEXTS, "budget density": "write session.hud(density=…, budget=…)"})
    def set_look(
        self,
        layout: LayoutSource = None,
        words: WordsSource | None = None,
        *,
        on_warning: Callable[[str], object] | None = None,
    ) -> None:
        """Set the user's layout and words for the session's HUD.

        They are stored in the log as text, so that `ujsx hud` and every host render what the agent was
        sent. An unchanged look is not recorded again. A :class:`~pathlib.Path` is read now. The store and
        the domain supply the rest.

        ``on_warning`` is called with a sentence for each unusable part, with its file and line. A session
        that has a look then keeps it; a new one gets the rest. Problems of the store's or the domain's look
        are logged otherwise.

        Raises :class:`PropError` for an invalid layout or words, and without ``on_warning`` for any
        unusable part.

        >>> from hud_components import Hud, NotesSection
        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     session.set_look(Hud()[NotesSection()], {"hud.title": "Lage", "notes.title": "Notizen"})
        ...     session.hud().text.split()[:4]
        ['#', 'Lage', '##', 'Notizen']
        """
        check_look(layout, words)
        say = self._showing.tell if on_warning is None else on_warning
        given = GivenLook(layout, words)
        self._showing.learn(own_components((given,)))
        is_asked = on_warning is None and given.is_given
        record_look(self, (given, *self.usual_looks), say, is_asked=is_asked)

    @resolving(write="write session.delivered(delivery), of session.deliver()")
    def delivered(self, delivery: Delivery | str) -> Acknowledged:
        """Confirm that a delivery was sent: its reader has now read it.

        :param delivery: the result of :meth:`deliver`, or its id.

        Repeated confirmations and empty deliveries return "known". Deliveries that leave no trace
        ("fleeting") or come too late ("superseded" by a later one to the same reader) change nothing. The
        answer is useful for logs. Where a late one matters, the next delivery sends everything again.

        Raises :class:`DeliveryError` for an unknown id.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("note.add", content="Port 8080")
        ...     early, late = session.deliver(), session.deliver(fresh=True)
        ...     session.delivered(late), session.delivered(late.id), session.delivered(early)
        ('sent', 'known', 'superseded')
        """
        from hud_runtime.context.delivery import delivered

        delivery_id: object = getattr(delivery, "id", delivery)
        if not isinstance(delivery_id, str):
            raise DeliveryError(f"{shown(delivery)} is not a delivery; give what deliver() gave")
        return delivered(self, delivery_id)

    def is_known_to(self, reader: str) -> bool:
        """Tell whether any process has made a delivery to this reader."""
        return next(iter(self._events.deliveries(self.id, reader)), None) is not None

    def cost(
        self,
        prices: Prices | str = "anthropic",
        *,
        first: int | None = None,
        each: int = 1_500,
        words: Mapping[int, TurnWords] | None = None,
    ) -> Bill:
        """Return the HUD's cost, turn by turn, and its cost in each other place.

        ``prices`` names a table, or is your own: :data:`hud_runtime.context.delivery.PRICES`. ``first`` is
        the number of tokens before the history; the default is the first reading, or 12,000 without
        readings. ``each`` is the number that a request adds where there is no reading. ``words`` are the
        words that each turn added to the conversation, such as :meth:`Replayed.words` of a transcript: the
        HUD omits them, and its tokens are scaled to the provider's. Costs are in tokens of plain input.

        Raises :class:`DeliveryError` for an unknown table.

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
        """Yield the result of :meth:`cost` at the end of a long computation.

        Before it, yields ``None`` at least once for each turn, so that the caller can report progress or
        stop.
        """
        from hud_runtime.context.delivery import billing
        from hud_runtime.log.store import SqliteEventStore

        options = replace(self.options, ids=EventIds(self._clock), thresholds=self.thresholds)
        with closing(SqliteEventStore(":memory:")) as log:
            past = HudSession(self.id, log, self.domain, options)
            past._showing = self._showing.anew()
            yield from billing(
                self, past, past.deliver, prices=prices, first=first, each=each, words=words
            )

    @with_attributes
    def context(self) -> ContextFigures | None:
        """Return the exact figures of the last context reading; None if there is no valid one.

        A compaction invalidates earlier readings. The HUD shows these figures in steps, or within an
        append-only history.

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
        """Return the notice about the context that is due, once for each time a level is reached; else None.

        The rows of :attr:`thresholds` that intervene select the levels; by default "critical". The notice
        is recorded as an event, so that no other or later process repeats it. ``take=False`` returns it
        without recording. It is due again once the context has left the level, by a margin or a compaction,
        and reaches it again.

        :meth:`deliver` with ``intervene=True`` sends it. ``words`` replace fixed texts by name, as in
        another language.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     _ = session.record("context.snapshot", used=186_000)
        ...     made = session.intervention()
        ...     made.level, made.number, made.text.splitlines()[0], session.intervention()
        ('critical', 1, '[Memory Pressure: 93% (critical) - 186,000/200,000 tokens]', None)
        """
        from hud_runtime.log.pressure import due, intervene

        if take:
            return intervene(self, self._words(words))
        self.refresh()
        return due(self, self._words(words))

    def summaries(self) -> tuple[Summary, ...]:
        """Return the summaries that replaced the conversation at each compaction, oldest first.

        The HUD shows the last one. A compaction without a summary is not listed.

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
        """Return the compactions of the conversation, oldest first, as read from the events.

        Each has the version of ``compact.before``, for the state at that time (``session.state(at=…)``),
        its trigger, tokens and messages before and after, and the files edited since the one before. Failed
        ones are included.

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
        from hud_runtime.context.compaction import compactions_of

        return compactions_of(self)

    @resolving(write='write session.call("hud", {"op": "…"})', rest="arguments", tool="name")
    def call(self, tool: str | Mapping[str, object] = HUD, arguments: object = None) -> ToolResult:
        """Answer a model's call of the tool ``hud`` or ``hud_compact``.

        A single argument holds the arguments of ``hud``; the name of an operation works as a tool of its
        own. An SDK's call object, with name and arguments, is accepted too.

        Every answer ends with the status line. Bad input gets an answer with the call to send, never an
        exception: :meth:`hud_runtime.tools.HudTools.call`.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     print(session.call("hud", {"call": {"op": "notes.add", "content": "Port 8080"}}))
        Added n-2.
        no task · 1 note
        """
        if isinstance(tool, str):
            return self.tools.call(tool, arguments)
        return self.tools.call(*_asked_by(tool))

    async def acall(
        self, tool: str | Mapping[str, object] = HUD, arguments: object = None
    ) -> ToolResult:
        """Answer a call as :meth:`call` does, in a thread that does not block the event loop.

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
        """The tools ``hud`` and ``hud_compact`` of this session, with their definitions."""
        from hud_runtime.tools import HudTools

        return HudTools(self, layouts=self._showing.agent_layouts == "offer")

    @cached_property
    def _lines(self) -> LineReader:
        from hud_components.changes import LineReader

        return LineReader()

    def _words(self, given: Mapping[str, str] | None) -> Mapping[str, str]:
        from hud_components.layout import words_of

        return {**words_of(self.known), **(given or {})}

    def _thresholds_of(self, given: Iterable[Threshold] | None) -> Thresholds:
        return self.thresholds if given is None else Thresholds(given)

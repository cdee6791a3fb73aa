"""The texts for an agent's model: deliveries, compactions, and their figures."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack, cast

from msgspec.structs import replace

from hud_components import THRESHOLDS, Hud, HudSection, State
from hud_components.declaring._value_section import made_of
from hud_components.folding import with_sections
from hud_components.levels import Thresholds
from hud_components.words import NO_TEXTS
from hud_runtime import observe as observed
from hud_runtime._breaker import LOCKED, Breaker
from hud_runtime._errors import DeliveryError, PruningError, StoreError, StoreLockedError
from hud_runtime.context.delivery import Delivery, Mode, Part
from hud_runtime.context.delivery._deliver import ReaderLedger, counted
from hud_runtime.log.pressure import due
from hud_runtime.session import HudSession
from hud_runtime.session._render_options import LayoutSource, WordsSource, check_look
from ujsx import Rendered, compare
from ujsx.calls import resolving
from ujsx.components import Fragment, fields_of, normalize_children
from ujsx.components._context import Reads
from ujsx.errors import UjsxError
from ujsx.errors import shown as shown_text
from ujsx.rendering import outline, token_budget
from ujsx.text import one_line, visible

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.context.compaction import (
        Ask,
        CompactionDecision,
        CompactionPolicy,
        CompactionResult,
        ModelWindow,
        Write,
    )
    from hud_runtime.context.delivery import Reanchor, RequestMessage, ShownHud
    from hud_runtime.context.pruning import Pruning
    from ujsx.tokens import TokenCounter
    from ujsx.tools import ToolResult, Toolset

# Our texts among a host's own messages, for hosts that store none of ours.

ItemT = TypeVar("ItemT")


def interleaved(
    own: Sequence[ItemT], delivery: Delivery, wrap: Callable[[Part], ItemT]
) -> list[ItemT]:
    """Return a host's messages with ours among them, each at its original position.

    :param own: the host's messages, one for each text of the delivery's request.
    :param wrap: makes a message of the host from one of our parts.

    >>> from hud_runtime.context.delivery import Delivery, Part
    >>> said = Part("# HUD", "whole", "append", behind=1)
    >>> made = Delivery("d", "s", "main", "append", 3, replay=(said,))
    >>> interleaved(["hello", "hi", "go on"], made, lambda part: part.text)
    ['hello', '# HUD', 'hi', 'go on']
    """
    ours = [*delivery.replay, *delivery.parts]
    merged: list[ItemT] = []
    for place in range(len(own) + 1):
        merged += [wrap(each) for each in ours if _place(each, own) == place]
        merged += own[place : place + 1]
    return merged


def digest_of(text: str) -> str:
    """Return a short digest that identifies a message, or a summary."""
    # A program's output may contain halves of surrogate pairs.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _place(part: Part, own: Sequence[object]) -> int:
    """The number of messages before a part; a part without a position comes after all of them."""
    return len(own) if part.behind is None else min(part.behind, len(own))


T = TypeVar("T")
MessageT = TypeVar("MessageT")


# A session's deliveries, calls and requests as figures for metrics, without any of their texts.


@dataclass(frozen=True, slots=True)
class SectionFigures:
    """A section of a HUD as shown."""

    name: str
    """The name of its component's class."""

    tokens: int
    """The tokens of its text; 0 if it is in a line that another section begins, which has them."""

    rung: str
    """The density of its rung, such as "full"; empty where a budget hides it."""

    omitted: int
    """The number of omitted items."""


@dataclass(frozen=True, slots=True)
class DeliveryFigures:
    """A delivery in numbers, with the delivery's own keywords."""

    mode: str
    why: str
    """The reason for the whole HUD, as in :class:`hud_runtime.Delivery`; empty if it is not whole."""

    whole: int
    """The tokens of the parts with the whole HUD."""

    delta: int
    """The tokens of the parts with changes, or with the most important items repeated."""

    hud: int
    """The tokens of the HUD if it were shown as a whole."""

    kept: float
    """The share of the last HUD that is a prefix of the current one; 1 if nothing is repeated."""

    sections: tuple[SectionFigures, ...]


class FiguresWatch(Protocol):
    """A receiver of a session's figures. It may do anything, and raise: the turn continues."""

    def delivered(self, figures: DeliveryFigures) -> None:
        """Receive a delivery."""
        ...

    def called(self, *, repairs: int, is_error: bool) -> None:
        """Receive a call of one of the HUD's tools."""
        ...

    def used(self, usage: observed.Usage) -> None:
        """Receive a request's usage."""
        ...


def figures_of(delivery: Delivery, shown: Rendered, before: Rendered | None) -> DeliveryFigures:
    """Return the figures of a delivery.

    :param shown: the current HUD as a whole.
    :param before: the same at the delivery before.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     made = figures_of(session.deliver(), session.hud(), None)
    >>> made.mode, made.why, [each.name for each in made.sections if each.tokens]
    ('append', 'start', ['NotesSection'])
    """
    kept = 1.0
    if before is not None and delivery.mode != "append":
        kept = compare(before, shown).kept
    tokens = Counter[str]()
    for each in delivery.parts:
        tokens[each.kind] += shown.count_tokens(each.text)
    return DeliveryFigures(
        delivery.mode,
        delivery.why or "",
        tokens["whole"],
        tokens["delta"] + tokens["brief"],
        shown.tokens,
        kept,
        tuple(_sections(shown)),
    )


def _sections(shown: Rendered) -> list[SectionFigures]:
    omitted: dict[str, int] = {}
    for each in shown.omitted:
        omitted[each.section] = omitted.get(each.section, 0) + each.count
    return [
        SectionFigures(
            # A key may contain text of the session.
            each.name.partition("[")[0],
            each.tokens,
            "" if each.rung is None else str(each.rung.density.value),
            omitted.get(each.name, 0),
        )
        for each in shown.sections
    ]


# The guard around our own errors: they end no turn of the host, and are logged and reported once.

_log = logging.getLogger("hud_runtime.integrations")


class Guard:
    """Runs work that may fail.

    :param on_warning: called with one sentence the first time that a kind of error occurs; None for a warning
        in the log.
    """

    def __init__(self, on_warning: Callable[[str], object] | None = None) -> None:
        self._tell = on_warning
        self._told: set[str] = set()

    def run(self, what: str, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Return the result of ``work``, or of ``otherwise`` after an error; the latter may not fail.

        :param what: the attempted action, as in "could not {what}".
        """
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            self.failed(what, error)
            return otherwise()

    def failed(self, what: str, error: Exception) -> None:
        """Log an error, and report it once."""
        _log.debug("could not %s", what, exc_info=error)
        # An unavailable store is reported once, for all attempted actions.
        kind = "the store" if isinstance(error, StoreError) else f"{what} {type(error).__name__}"
        self._say(kind, sentence_of(what, error), None if _is_ours(error) else error)

    def say(self, sentence: str) -> None:
        """Report a sentence, once."""
        self._say(sentence, sentence, None)

    def _say(self, kind: str, sentence: str, error: Exception | None) -> None:
        if kind in self._told:
            return
        self._told.add(kind)
        try:
            if self._tell is None:
                _log.warning("%s", sentence, exc_info=error)
            else:
                self._tell(sentence)
        except Exception:  # noqa: BLE001 - not even this ends the turn
            _log.exception("could not say: %s", sentence)


def nothing() -> None:
    """Return nothing, in place of failed work without a result."""


def sentence_of(what: str, error: Exception) -> str:
    """Return the sentence for the person.

    >>> sentence_of("record", ZeroDivisionError("division by zero"))
    'ujsx could not record, and goes on without (ZeroDivisionError: division by zero)'
    """
    reason = str(error) if isinstance(error, UjsxError) else f"{type(error).__name__}: {error}"
    return f"ujsx could not {what}, and goes on without ({one_line(visible(reason))})"


def _is_ours(error: Exception) -> bool:
    return isinstance(error, UjsxError | StoreError)


class FiguresReport:
    """Reports the figures of one reader to a watch, if any: the turn continues whatever the watch does."""

    def __init__(self, watch: FiguresWatch | None, guard: Guard) -> None:
        self._watch = watch
        self._guard = guard
        self._shown: Rendered | None = None
        """The HUD at the last delivery that was reported."""

    def delivered(self, session: HudSession[Any], made: Delivery) -> None:
        """Report a delivery, unless it adds nothing."""

        def report(watch: FiguresWatch) -> None:
            before, self._shown = self._shown, session.hud()
            watch.delivered(figures_of(made, self._shown, before))

        if made.mode != "append" or made.parts:
            self._report("a delivery", report)

    def called(self, result: ToolResult) -> None:
        """Report a call of one of the HUD's tools."""
        repairs, is_error = len(result.repairs), result.is_error
        self._report("a call", lambda watch: watch.called(repairs=repairs, is_error=is_error))

    def used(self, usage: observed.Usage) -> None:
        """Report a request's usage."""
        self._report("a request", lambda watch: watch.used(usage))

    def _report(self, what: str, report: Callable[[FiguresWatch], None]) -> None:
        watch = self._watch
        if watch is not None:
            self._guard.run(f"count {what}", lambda: report(watch), nothing)


# The settings of a host's session.


class HostOptions(TypedDict, total=False):
    """The options of an adapter's sessions, except their source and mode: see :class:`HostSession`."""

    on_warning: Callable[[str], object] | None
    toolsets: Iterable[Toolset]
    table: observed.ToolTable | None
    budget: int | None
    layout: LayoutSource
    words: WordsSource | None
    reanchor: Reanchor | int | None
    longest: int | None
    size: Callable[[str], int]
    intervenes: bool
    limit: int | None
    watch: FiguresWatch | None
    prune: Pruning | bool
    policy: CompactionPolicy | None
    memory_compact: bool
    monotonic: Callable[[], float]


class SentOptions(HostOptions, total=False):
    """The same, with the placement of the HUD."""

    mode: Mode
    has_cache_breakpoint: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """The settings of a host's session and its subagents' sessions; see :class:`HostSession`.

    >>> HostSettings(budget=300).mode
    'append'
    """

    mode: Mode = "append"
    has_cache_breakpoint: bool = False
    budget: int | None = None
    reanchor: Reanchor | int | None = None
    longest: int | None = None
    size: Callable[[str], int] = len
    intervenes: bool = True
    on_warning: Callable[[str], object] | None = None
    toolsets: Iterable[Toolset] = ()
    table: observed.ToolTable | None = None
    layout: LayoutSource = None
    words: WordsSource | None = None
    limit: int | None = None
    watch: FiguresWatch | None = None
    prune: Pruning | bool = False
    policy: CompactionPolicy | None = None
    memory_compact: bool = False
    monotonic: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if self.mode == "tail" and not self.has_cache_breakpoint:
            raise DeliveryError(
                "a tail makes most providers bill the whole history anew with each request, unless a"
                ' cache breakpoint stands right before it; use mode="append", or confirm the'
                " breakpoint with has_cache_breakpoint=True"
            )
        if self.budget is not None:
            token_budget(self.budget)
        check_look(self.layout, self.words)
        if not isinstance(self.prune, bool):
            pruning_of(self.prune)
        object.__setattr__(self, "toolsets", tuple(self.toolsets))  # each agent iterates over them

    @property
    def has_look(self) -> bool:
        """True if it has a layout or words."""
        return self.layout is not None or self.words is not None

    def definitions(
        self,
        dialect: str,
        domain: Domain[Any] | None,
        hud: str = "signatures",
        own: str = "separate",
    ) -> Iterator[dict[str, Any]]:
        """Yield the HUD's tools and those of the toolsets, each in a layout; see :meth:`HostSession.tools`."""
        from hud_runtime.tools import definitions

        asks = self.memory_compact
        yield from definitions(dialect, layout=hud, domain=domain, memory_compact=asks)
        for each in self.toolsets:
            yield from each.definitions(dialect, layout=own)


if not TYPE_CHECKING:
    HostSettings.__init__ = resolving(instead=NO_TEXTS)(HostSettings.__init__)


def pruning_of(prune: Pruning | bool) -> Pruning | None:
    """Return the policy that an argument asks for.

    Raises :class:`PruningError` for anything else.

    >>> pruning_of(False) is None, pruning_of(True).smart.worth
    (True, 100)
    """
    if prune is False:
        return None
    from hud_runtime.context.pruning import Pruning

    made = Pruning() if prune is True else prune
    if not isinstance(made, Pruning):
        raise PruningError(f"prune is True, False or a Pruning, not {shown_text(made)}")
    return made


# A host's compactions: whether one is due, and the compaction of a host that has none of its own.


class ToCompact(TypedDict, total=False):
    """The further arguments of :meth:`CompactingHost.compact`."""

    decision: CompactionDecision | None
    window: ModelWindow | None
    write: Write | None


class CompactingHost(ABC):
    """The session of :class:`HostSession`, opened on first use, and its compactions.

    Errors end no turn of the host: they are logged, and reported once.
    """

    def __init__(
        self,
        session: HudSession[Any] | Callable[[], HudSession[Any]],
        settings: HostSettings,
        lock: threading.RLock,
    ) -> None:
        self._given = session
        self._settings = settings
        self._lock = lock
        self._session: HudSession[Any] | None = None
        if isinstance(session, HudSession) and not settings.has_look:
            self._session = session
        self._guard = Guard(settings.on_warning)
        self._breaker = Breaker(LOCKED, settings.monotonic)

    @property
    def session(self) -> HudSession[Any]:
        """The session in the log. Unlike all other members, it raises if the store is unavailable."""
        with self._lock:
            if self._session is None:
                opened = self._open()
                if self._settings.has_look:
                    self._set_look(opened)
                self._session = opened
            return self._session

    def _open(self) -> HudSession[Any]:
        given = self._given
        return given if isinstance(given, HudSession) else given()  # pyright: ignore[reportUnknownVariableType]

    def _set_look(self, session: HudSession[Any]) -> None:
        try:
            session.set_look(self._settings.layout, self._settings.words, on_warning=self.say)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - what an author's component raises when it is checked
            self._guard.failed("use the layout", error)

    @property
    def opened(self) -> HudSession[Any] | None:
        """The session in the log, if the store is available."""
        return self.attempt("open the session", lambda: self.session, lambda: None)

    @abstractmethod
    def flush(self) -> int:
        """Record the waiting events."""

    @property
    def policy(self) -> CompactionPolicy:
        """The policy of compaction for the conversation."""
        if self._settings.policy is not None:
            return self._settings.policy
        session = self.opened
        if session is not None:
            return session.compaction_policy
        from hud_runtime.context.compaction import CompactionPolicy

        return CompactionPolicy()

    def compaction(
        self, window: ModelWindow | None = None, *, error: object = None
    ) -> CompactionDecision:
        """Return whether to compact the conversation before the next request; "not", if that fails.

        A decision "now" is noted in the log, and made once: until a summary comes
        (:class:`~hud_runtime.observe.Compacted`, or :meth:`compact`), or it has failed.

        :param window: the limits of the model; None for the limit of the last reading.
        :param error: the provider's error for the last request, if it failed.

        >>> from hud_runtime import HudStore
        >>> from hud_runtime.integrations import HostSession
        >>> from hud_runtime.observe import ContextUsed
        >>> with HudStore.open(":memory:") as store:
        ...     host = HostSession(store.session("s"))
        ...     host.observe(ContextUsed(used=195_000, limit=200_000))
        ...     [host.compaction().verdict for _ in range(2)]
        ['now', 'not']
        """
        from hud_runtime.context.compaction import CompactionDecision as Decision
        from hud_runtime.context.compaction import decided

        def decide() -> Decision:
            self.flush()
            return decided(self.session, self.policy, window, error=error)

        def nothing() -> Decision:
            return Decision(verdict="not", why="the store cannot be used")

        return self.attempt("decide on a compaction", decide, nothing)

    def compact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> CompactionResult[MessageT]:
        """Replace a history with a summary: see :func:`hud_runtime.context.compaction.compact`.

        It is recorded if the store is available; if not, the history is compacted all the same.

        :param options: ``decision``, its cause: after an error, the user's last request is repeated at the
            end; and ``window`` and ``write`` of that function.
        """
        from hud_runtime.context.compaction import compact

        return self._compacted(compact(messages, ask, **self._compacting(**options)))

    async def acompact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> CompactionResult[MessageT]:
        """The same as :meth:`compact`; the models may be coroutine functions."""
        from hud_runtime.context.compaction import acompact

        found = await asyncio.to_thread(self._compacting, **options)
        return self._compacted(await acompact(messages, ask, **found))

    def _compacting(
        self, decision: CompactionDecision | None = None, **options: Any
    ) -> dict[str, Any]:
        from hud_runtime.observe._conversation import summary_in
        from hud_runtime.observe._work import moved_from_summary

        self.flush()
        options |= {"session": self.opened, "policy": self.policy}
        if decision is not None:
            options |= {
                "trigger": decision.trigger,
                "reason": decision.why,
                "replay": decision.replay,
            }
        return {**options, "clean": summary_in, "open_steps": moved_from_summary}

    def _compacted(self, made: CompactionResult[MessageT]) -> CompactionResult[MessageT]:
        if made.error is not None:
            self.say(
                f"could not compact the conversation, and goes on with all of it: {made.error}"
            )
        elif made.unrecorded is not None:
            self.say(f"could not record a compaction: {made.unrecorded}")
        return made

    # --- What goes wrong ---

    def attempt(self, what: str, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Return the result of ``work``, or of ``otherwise`` after an error, which is logged and reported
        once.

        :param what: the attempted action, as in "could not {what}".
        """

        def tried() -> T:
            try:
                return work()
            except StoreLockedError as error:
                self._breaker.failed(error)
                raise

        return self._guard.run(what, tried, otherwise)

    def _alone(self, what: str, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Do the same as :meth:`attempt` while holding the lock."""

        def alone() -> T:
            with self._lock:
                return work()

        return self.attempt(what, alone, otherwise)

    def say(self, sentence: str) -> None:
        """Report a sentence to the person, once."""
        self._guard.say(sentence)


def asks_to_compact(result: ToolResult) -> bool:
    """Return whether an agent requested a compaction with a call, and was not refused.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     asks_to_compact(store.session("s").call("hud_compact", {}))
    True
    """
    data: Any = result.data
    asked = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    return not result.is_error and asked.get("action") == "compact"


class CompactingAgent(ABC):
    """The compactions of a client's adapter, for the running conversation."""

    @property
    @abstractmethod
    def _host(self) -> CompactingHost:
        """The session of that conversation."""

    def compaction(
        self, window: ModelWindow | None = None, *, error: object = None
    ) -> CompactionDecision:
        """Return whether to compact the conversation: see :meth:`HostSession.compaction`."""
        return self._host.compaction(window, error=error)

    def compact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> CompactionResult[MessageT]:
        """Replace messages in your list with a summary: see :meth:`HostSession.compact`."""
        return self._host.compact(messages, ask, **options)

    async def acompact(
        self, messages: Sequence[MessageT], ask: Ask | Sequence[Ask], **options: Unpack[ToCompact]
    ) -> CompactionResult[MessageT]:
        """The same as :meth:`compact`; the models may be coroutine functions."""
        return await self._host.acompact(messages, ask, **options)


# The deliveries to one reader.

BUDGETS = (2_000, 1_400, 900, 500)
"""Token budgets that are tried in turn if a delivery is longer than the host takes."""


LOOKS_AFTER = 10_000
"""Tokens of history after which the request's words are checked again, even without changes."""


MAIN = "main"
"""The reader name of the main agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAsk:
    """The facts of a request; see :meth:`~hud_runtime.integrations.HostSession.before_request`."""

    texts: tuple[str, ...] | None = None
    fresh: bool = False
    retry_of: str | None = None
    host_keeps_messages: bool = True
    sent: bool = True
    mode: Mode | None = None
    intervene: bool = True
    count_tokens: TokenCounter | None = None
    conversation: Iterable[RequestMessage] | None = None
    """The messages of the request, read only if a delivery must be made."""


class Sending:
    """The deliveries to one reader of a session; nothing is rendered if the reader already knows the HUD.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     sending = Sending(HostSettings())
    ...     [sending.next(session).why for _ in range(2)]
    ['start', None]
    """

    def __init__(self, options: HostSettings, reader: str = MAIN) -> None:
        self.options = options
        self.reader = reader
        self.begins_anew = False
        """Whether the next delivery goes out in full, unless the host shows what its model reads."""
        self._budget = options.budget
        self._last: Delivery | None = None
        self._told: KnownHud | None = None
        self._going_out: tuple[str, KnownHud | None] | None = None

    def next(self, session: HudSession[Any], ask: RequestAsk = RequestAsk()) -> Delivery:
        """Return the next delivery.

        :raises DeliveryError: if even the smallest one is longer than the host takes.
        """
        ask = with_changes(
            ask,
            fresh=ask.fresh or (ask.texts is None and self.begins_anew),
            mode=ask.mode or self.options.mode,
            intervene=ask.intervene and self.options.intervenes and self.reader == MAIN,
        )
        is_asked = ask.texts is not None or ask.retry_of is not None or ask.fresh
        may_be_told = ask.mode == "append" and not is_asked
        is_told = may_be_told and self._is_told(session, looks=ask.conversation is not None)
        if is_told and not (ask.intervene and due(session)):
            return self.nothing(session.id, None, host_keeps_messages=ask.host_keeps_messages)
        made = self._made(session, ask)
        told = None if session.made_from is None else KnownHud(session.made_from)
        if ask.sent:
            session.delivered(made.id)
            self.begins_anew = False
        if ask.sent or not made.parts:
            self._last, self._told = made, told
        else:
            self._going_out = (made.id, told)
        return made

    def _made(self, session: HudSession[Any], ask: RequestAsk) -> Delivery:
        """A delivery no longer than the host takes, shown in smaller budgets if necessary."""
        options, budget, length = self.options, self._budget, 0
        conversation = None if ask.conversation is None else (*ask.conversation,)
        ask = with_changes(ask, conversation=conversation)
        smaller = [each for each in BUDGETS if budget is None or each < budget]
        for number, limit in enumerate((budget, *smaller)):
            made = session.deliver(
                mode=ask.mode or options.mode,
                reader=self.reader,
                texts=ask.texts,
                fresh=ask.fresh or number > 0,
                retry_of=ask.retry_of,
                host_keeps_messages=ask.host_keeps_messages,
                has_cache_breakpoint=options.has_cache_breakpoint,
                budget=limit,
                reanchor=options.reanchor,
                intervene=ask.intervene,
                conversation=conversation,
                count_tokens=ask.count_tokens,
            )
            length = options.size(made.text)
            if options.longest is None or length <= options.longest:
                self._budget = limit
                return made
        if ask.intervene:  # the HUD takes precedence over the warning, which is given once
            return self._made(session, with_changes(ask, intervene=False))
        raise DeliveryError(
            f"the HUD is {length:,} long at its smallest, and the host takes"
            f" {options.longest:,}; give it a layout with less in it"
        )

    def went_out(self, session: HudSession[Any], delivery: Delivery) -> None:
        """Note that a delivery was sent, if that was uncertain when it was made."""
        session.delivered(delivery.id)
        self._last, self.begins_anew = delivery, False
        if self._going_out is not None:
            name, told = self._going_out
            self._going_out = None
            if name == delivery.id:
                self._told = told

    def recall(self, session: HudSession[Any]) -> None:
        """Read another process's last delivery, if this process has delivered nothing yet.

        :raises StoreError: if that cannot be read.
        """
        if self._last is None:
            sent = ReaderLedger.of(session.log, session.id, self.reader).sent
            self._last = None if sent is None else sent.delivery

    def nothing(
        self,
        session_id: str,
        texts: tuple[str, ...] | None = None,
        *,
        host_keeps_messages: bool = True,
    ) -> Delivery:
        """Return a delivery without new text; earlier texts in the prompt keep their positions."""
        last = self._last
        if last is None:
            return Delivery("", session_id, self.reader, self.options.mode, 0)
        replay: tuple[Part, ...] = ()
        if not host_keeps_messages and texts is not None:
            replay = tuple(
                each for each in (*last.replay, *last.parts) if (each.behind or 0) <= len(texts)
            )
        return replace(last, id="", parts=(), replay=replay, why=None)

    def _is_told(self, session: HudSession[Any], *, looks: bool) -> bool:
        """Whether the reader knows everything that a session shows, so that no comparison is needed.

        :param looks: whether words of the request may have shown it; in time these are too far back.
        """
        told = self._told
        if told is None or self.options.mode != "append" or self.options.reanchor is not None:
            return False
        if looks and told.state.usage is not None:
            used = 0 if session.known.usage is None else session.known.usage.used
            if used - told.state.usage.used > LOOKS_AFTER:
                return False
        # If the known state has news, there is no need to refresh it: making a delivery does that.
        known, table = session.known, session.thresholds
        return told.tells_all_of(known, table) and (
            session.refresh() is known or told.tells_all_of(session.known, table)
        )


READ = frozenset({"usage", "readings", "updated_at"})
"""Fields of a state with readings and times."""


class KnownHud:
    """A HUD that its reader knows, to be compared with that of a later state.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("file.open", path="a.py")
    ...     known = KnownHud(session.shown())
    ...     _ = session.record("file.open", path="a.py")
    ...     known.tells_all_of(session.known)
    ...     _ = session.record("file.edit", path="a.py")
    ...     known.tells_all_of(session.known)
    True
    False
    """

    def __init__(self, shown: ShownHud) -> None:
        self.state = shown.state
        self._shown = shown

    def tells_all_of(self, now: State, thresholds: Thresholds = THRESHOLDS) -> bool:
        """Return whether a later state shows nothing new: quickly, and False if in doubt.

        A reading of the context within the same level is not new.
        """
        before = self.state
        if before is now:
            return True
        usage = counted(before.usage, now.usage, thresholds)
        if type(before) is not type(now) or usage is not before.usage:
            return False
        sections = {each.field: each for each in now.sections if each.field}
        for name in fields_of(type(now)).keys() - READ:
            section, was, value = sections.get(name), getattr(before, name), getattr(now, name)
            if was is value or (section is not None and section.told_in_changes != "always"):
                continue
            if was != value and not (section and self._shows_alike(section, now)):
                return False
        return True

    def _shows_alike(self, section: type[HudSection], now: State) -> bool:
        """Whether a field's section shows its new value as before, and nothing else shows the field.

        Derived sections, other sections and a layout may show more of the value.
        """
        before, field = self.state, section.field
        if "shows_alike" not in vars(section) or now.layout is not None:
            return False
        reads = {type(before), (type(before), field)}
        if any(reads & each.found.keys() for who, each in self._reads if who is not section):
            return False
        was, value = getattr(before, field), getattr(now, field)
        changed = with_sections(before, **{field: value})
        return section.shows_alike(was, value, in_full=self._is_in_full) and all(
            each is section or made == made_of(each, changed, changed.usage, None)
            for each, made in self._usual.items()
        )

    @cached_property
    def _usual(self) -> dict[type[HudSection], HudSection | None]:
        """The sections with reported changes that may be made from more than their own value."""
        state, usual = self.state, vars(HudSection)["of_state"].__func__
        told: list[Any] = [each for each in state.sections if each.told_in_changes == "always"]
        more = (each for each in told if each.of_state.__func__ is not usual)
        return {each: made_of(each, state, state.usage, None) for each in more}

    @cached_property
    def _is_in_full(self) -> bool:
        """Whether each section shows everything."""
        parts: list[Any] = [each.part for each in self._shown.rendered.sections]
        return all(each.piece.rung == each.piece.ladder.disclosed().top for each in parts)

    @cached_property
    def _reads(self) -> list[tuple[type, Reads]]:
        """The parts of the state that were read, each with the component or the layout that read it."""
        node, rendered, context, *_ = self._shown
        outline(normalize_children(node, Fragment()), (around := Reads()).of(context))
        parts: list[Any] = [each.part for each in rendered.nodes]
        shown = ((each.piece.ladder, (each.instead or each).reads) for each in parts)
        return [(Hud, around), *((type(own), reads) for own, reads in shown if reads is not None)]

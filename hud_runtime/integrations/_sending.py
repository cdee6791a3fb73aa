"""The messages to the model of one agent: each delivery, and what the earlier ones told it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hud_components import THRESHOLDS, State, Thresholds
from hud_runtime._errors import DeliveryError
from hud_runtime.delivery import Delivery, Mode, Part
from hud_runtime.delivery._reading import counted
from hud_runtime.pressure import due
from ujsx.components import fields_of
from ujsx.rendering import token_budget

if TYPE_CHECKING:
    from hud_runtime.delivery import Reanchor, RequestMessage
    from hud_runtime.session import HudSession
    from ujsx.tokens import TokenCounter

BUDGETS = (2_000, 1_400, 900, 500)
"""Tokens that are tried, one after the other, where a delivery is longer than the host takes."""


LOOKS_AFTER = 10_000
"""Tokens of history after which the words of the request are looked at again though nothing has changed."""


MAIN = "main"
"""The reader that is the main agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingOptions:
    """The settings of a host's deliveries; see :class:`~hud_runtime.integrations.HostSession`."""

    mode: Mode = "append"
    marked: bool = False
    budget: int | None = None
    reanchor: Reanchor | int | None = None
    longest: int | None = None
    size: Callable[[str], int] = len
    intervenes: bool = True

    def __post_init__(self) -> None:
        if self.mode == "tail" and not self.marked:
            raise DeliveryError(
                "a tail makes most providers bill the whole history anew with each request, unless a"
                ' cache breakpoint stands right before it; use mode="append", or confirm the'
                " breakpoint with marked=True"
            )
        if self.budget is not None:
            token_budget(self.budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The facts of a request; see :meth:`~hud_runtime.integrations.HostSession.before_request`."""

    texts: tuple[str, ...] | None = None
    fresh: bool = False
    retry_of: str | None = None
    stores: bool = True
    sent: bool = True
    mode: Mode | None = None
    intervene: bool = True
    count_tokens: TokenCounter | None = None
    conversation: Iterable[RequestMessage] | None = None
    """The messages of the request, looked at where a delivery has to be made."""


class Sending:
    """The deliveries to one reader of a session, which is not asked for what is known to be told.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080")
    ...     sending = Sending(SendingOptions())
    ...     [sending.next(session).why for _ in range(2)]
    ['start', None]
    """

    def __init__(self, options: SendingOptions, reader: str = MAIN) -> None:
        self.options = options
        self.reader = reader
        self.begins_anew = False
        """Whether the next delivery goes out in full, unless the host shows what its model reads."""
        self._budget = options.budget
        self._last: Delivery | None = None
        self._told: State | None = None
        self._going_out: tuple[str, State] | None = None

    def next(self, session: HudSession[Any], ask: Ask = Ask()) -> Delivery:
        """Return the next delivery.

        :raises DeliveryError: if it is longer than the host takes, however little is shown.
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
            return self.nothing(session.id, None, stores=ask.stores)
        state = session.known
        made = self._made(session, ask)
        if ask.sent:
            session.delivered(made.id)
            self.begins_anew = False
        if ask.sent or not made.parts:
            self._last, self._told = made, state
        else:
            self._going_out = (made.id, state)
        return made

    def _made(self, session: HudSession[Any], ask: Ask) -> Delivery:
        """A delivery that is no longer than the host takes: with less and less shown, until it is."""
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
                stores=ask.stores,
                marked=options.marked,
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
        if ask.intervene:  # the HUD goes before what is told once
            return self._made(session, with_changes(ask, intervene=False))
        raise DeliveryError(
            f"the HUD is {length:,} long at its smallest, and the host takes"
            f" {options.longest:,}; give it a layout with less in it"
        )

    def went_out(self, session: HudSession[Any], delivery: Delivery) -> None:
        """Note that a delivery was sent, where that was not sure when it was made."""
        session.delivered(delivery.id)
        self._last, self.begins_anew = delivery, False
        if self._going_out is not None:
            name, state = self._going_out
            self._going_out = None
            if name == delivery.id:
                self._told = state

    def nothing(
        self, session_id: str, texts: tuple[str, ...] | None = None, *, stores: bool = True
    ) -> Delivery:
        """Return a delivery that says nothing new; what stands in the prompt already stays where it is."""
        last = self._last
        if last is None:
            return Delivery("", session_id, self.reader, self.options.mode, 0)
        replay: tuple[Part, ...] = ()
        if not stores and texts is not None:
            replay = tuple(
                each for each in (*last.replay, *last.parts) if (each.behind or 0) <= len(texts)
            )
        return replace(last, id="", parts=(), replay=replay, why=None)

    def _is_told(self, session: HudSession[Any], *, looks: bool) -> bool:
        """Whether the reader knows all that a session shows, so that there is nothing to compare.

        :param looks: whether words of the request may have told it, which are far behind some time.
        """
        told = self._told
        if told is None or self.options.mode != "append" or self.options.reanchor is not None:
            return False
        if looks and told.usage is not None:
            used = 0 if session.known.usage is None else session.known.usage.used
            if used - told.usage.used > LOOKS_AFTER:
                return False
        # What is not told as far as is known here need not be read anew: making a delivery does that.
        return shows_the_same(told, session.known, session.thresholds) and shows_the_same(
            told, session.refresh(), session.thresholds
        )


def shows_the_same(before: State, now: State, thresholds: Thresholds = THRESHOLDS) -> bool:
    """Tell whether two states show the same where a reading of the context is no news on its level.

    >>> from hud_components import ContextUsage, HudState
    >>> states = [HudState(usage=ContextUsage(used=used)) for used in (1_000, 2_000, 150_000)]
    >>> [shows_the_same(states[0], each) for each in states]
    [True, True, False]
    """
    if before is now:
        return True
    usage = counted(before.usage, now.usage, thresholds)
    if type(before) is not type(now) or usage is not before.usage:
        return False
    spoken = {each.field for each in type(now).sections if each.told_in_changes != "always"}
    names = (each for each in fields_of(type(now)) if each not in READ and each not in spoken)
    return all(getattr(before, each) == getattr(now, each) for each in names)


READ = frozenset({"usage", "readings", "updated_at"})
"""Fields of a state that tell of readings and times."""

"""The bill of a session's HUD: its cost turn by turn, and what it would have cost elsewhere.

The log tells all of it: the HUD as it was after each turn, what of it a cache could keep, and what
was billed, where the host recorded that. Losses are shown like gains.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from hud_components import Domain
from hud_components.words import RequestMessage
from hud_runtime.delivery._delivery import Delivery, Mode
from hud_runtime.delivery._economy import EACH, WAYS, Course, Turn, cost_of, head_of, reported
from hud_runtime.delivery._prices import Block, Prices, prices_of
from hud_runtime.events import CompactAfter, ContextSnapshot, Event
from hud_runtime.store import EventStore
from hud_runtime.tools import definitions, instructions_of
from ujsx import Rendered, compare
from ujsx.schema import schema_tokens
from ujsx.tokens import estimate_tokens


class _Past(Protocol):
    """A session that lives through another one's log once more, in a store of its own."""

    id: str
    domain: Domain[Any]

    @property
    def log(self) -> EventStore: ...
    def refresh(self) -> object: ...
    def hud(self) -> Rendered: ...
    def deliver(
        self, *, mode: Mode, marked: bool, conversation: Iterable[RequestMessage] | None
    ) -> Delivery: ...
    def delivered(self, delivery: Delivery) -> object: ...


class TurnWords(NamedTuple):
    """The tokens that a turn adds to the history."""

    tokens: int = 0
    """Of all that it adds, as estimated: what is said, calls of tools, and their results."""

    messages: tuple[RequestMessage, ...] = ()
    """The messages of the turn."""

    begins: bool = False
    """Whether it is all that the history has, as after a compaction."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """The HUD after one turn, for the request behind it."""

    turn: int

    tokens: int
    """Of the whole HUD."""

    appended: int
    """Of what is appended to the history in this turn: all of it, a delta, or nothing."""

    kept: float
    """The share of the HUD before that is a prefix of this one; 1 in the first turn."""

    lost: int
    """Tokens of the HUD before behind that prefix."""

    broken_by: str | None
    """The node and the field that broke the prefix: "NotesSection notes[0].content"."""


@dataclass(frozen=True, slots=True)
class Billed:
    """The figures that the host reported of its requests, in tokens."""

    requests: int
    input: int
    cache_read: int
    cache_write: int
    output: int

    cost: float
    """In tokens of plain input."""

    prompts: float
    """Of that, the cost of all but the output: that of the same requests as :attr:`Bill.without`."""

    @property
    def cached(self) -> float:
        """The share of all input that was read from the cache."""
        whole = self.input + self.cache_read + self.cache_write
        return self.cache_read / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of a session's HUD."""

    session: str
    turns: tuple[TurnCost, ...]

    without: float
    """What the requests cost without a HUD, in tokens of plain input, by the model of the cache."""

    ways: Mapping[str, float]
    """What they cost with it, by the way of sending it."""

    billed: Billed | None
    """What was billed; None where no reading keeps cached tokens apart."""

    is_assumed: bool
    """Whether the history's size was assumed, because there are no readings."""

    tools: float
    """The cost of the HUD's tools and instructions, which stand in each request; no way has them in it."""

    tool_tokens: int
    """Tokens of those tools and instructions."""

    head: int
    """Tokens before the history."""

    factor: float
    """Tokens of the provider for one of the estimate's, as the readings show; 1 where no words were given that they
    could be compared with. The HUD's tokens in the costs are those of the provider."""

    def ratio(self, way: str, *, tools: bool = False) -> float:
        """Return how many times as much as without a HUD a way costs.

        :param tools: whether the HUD's tools and instructions are counted as well.
        """
        cost = self.ways[way] + (self.tools if tools else 0)
        return cost / self.without if self.without else 1.0

    @property
    def cheapest(self) -> str:
        """The way that costs least at these prices."""
        return min(self.ways, key=lambda way: self.ways[way])


class _Moment(NamedTuple):
    """The events up to the next request."""

    events: list[Event]
    reading: ContextSnapshot | None
    """The reading among them: of the request before."""

    @property
    def turn(self) -> int:
        return self.events[-1].turn

    @property
    def is_compacted(self) -> bool:
        return any(isinstance(each.payload, CompactAfter) for each in self.events)


COSTS = 2 + len(WAYS)
"""The counts behind the turns: of the requests without a HUD, with its tools, and in each way of sending one."""


def billing(
    past: _Past,
    events: Iterable[Event],
    *,
    prices: Prices | str = "anthropic",
    first: int | None = None,
    each: int = EACH,
    words: Mapping[int, TurnWords] | None = None,
    has_hud: bool = False,
) -> Iterator[Bill | None]:
    """Count what a session's HUD costs, and yield the bill at last: a long session takes a while.

    Before it comes ``None`` for each request, and for each of the costs behind them, so that whoever counts can
    tell of it, do something else meanwhile, or stop. The other parameters are those of :meth:`hud_runtime.HudSession.cost`.

    :param past: lives through the events, and says what is delivered before each request.
    :param has_hud: whether the readings were taken with the HUD in the history.
    :raises DeliveryError: for prices that are not in the table.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for turn in range(1, 4):
    ...         _ = session.record("note.add", content=f"Batch {turn} is done", turn=turn)
    ...     *before, bill = session.billing()
    >>> len(before) - COSTS, [each.appended for each in bill.turns]
    (4, [15, 13, 13, 13])
    """
    charged = prices_of(prices)  # an unknown name is refused before anything is counted
    rows: list[TurnCost] = []
    turns: list[Turn] = []
    readings: list[ContextSnapshot] = []
    said = _Said(words)
    rendered: Rendered | None = None
    version = 0
    for moment in _moments(events):
        past.log.append(past.id, version, moment.events)
        past.refresh()
        version = moment.events[-1].version
        if moment.reading is not None:
            readings.append(moment.reading)
            prompt, kept, _ = _prompt(moment.reading)
            turns[-1:] = [one._replace(prompt=prompt, kept=kept) for one in turns[-1:]]
        before, rendered = rendered, past.hud()
        turns.append(_sent(past, rendered, said.up_to(moment.turn), begins=moment.is_compacted))
        rows.append(_row(moment.turn, before, rendered, turns[-1]))
        yield None
    factor = said.factor(turns)
    tools = round(factor * tool_tokens(past.domain))
    turns = [one.scaled(factor) for one in turns]
    if readings:
        turns = [*reported(turns, tools if has_hud else None)]
    course = Course(turns, head_of(turns, first), each, tools, _is_cached(readings))
    charged = _charged(charged, readings)
    costs: dict[str, float] = {}
    for way in ("none", "tools", *WAYS):
        costs[way] = cost_of(course, way, charged)
        yield None
    without = costs.pop("none")
    yield Bill(
        past.id,
        tuple(rows),
        without,
        costs,
        _billed(readings, charged),
        not readings,
        costs.pop("tools") - without,
        tools,
        course.head,
        factor,
    )


def _moments(events: Iterable[Event]) -> Iterator[_Moment]:
    """The events up to each request: the agent's next turn begins, or another reading tells of one."""
    held: list[Event] = []
    reading: ContextSnapshot | None = None
    is_first = True
    for event in events:
        taken = event.payload if isinstance(event.payload, ContextSnapshot) else None
        is_next = taken is not None and (
            is_first if reading is None else _prompt(taken) != _prompt(reading)
        )  # it measures a request that nothing else tells of
        if held and (event.turn != held[-1].turn or is_next):
            yield _Moment(held, reading)
            held, reading, is_first = [], None, False
        reading = taken or reading
        held.append(event)
    if held:
        yield _Moment(held, reading)


def _prompt(reading: ContextSnapshot) -> tuple[int, int | None, int | None]:
    """The prompt as a reading has it: its tokens, and those that were read from the cache and written to it.

    Readings that say the same tell of one request, while it is answered.
    """
    prompt = max(1, reading.used - (reading.output or 0))
    return prompt, reading.cache_read, reading.cache_write


def _sent(
    past: _Past,
    rendered: Rendered,
    conversation: Sequence[RequestMessage] | None,
    *,
    begins: bool,
) -> Turn:
    """The texts of the next request, in each way."""

    def block(text: str) -> Block:
        return Block(text, rendered.count_tokens(text) if text else 0)

    def made(mode: Mode) -> Delivery:
        return past.deliver(mode=mode, marked=True, conversation=conversation)

    system = made("system")  # first: it renders what was rendered just now
    appended, tail = made("append"), made("tail")
    past.delivered(appended)
    static = [each.text for each in system.parts if each.place == "system"]
    rest = [each.text for each in system.parts if each.place == "tail"]
    return Turn(
        block(rendered.text),
        block(tail.text),
        block("\n".join(static)),
        block("\n".join(rest)),
        tuple(block(each.text) for each in appended.parts),
        begins=begins,
    )


class _Said:
    """The words of a session, as far as they were given."""

    def __init__(self, words: Mapping[int, TurnWords] | None) -> None:
        self._words = words
        self._turns = deque(sorted(words or ()))
        """Those whose words are yet to come."""
        self._conversation: list[RequestMessage] = []
        self._added: list[int | None] = []
        """Tokens that each request adds, as estimated; None where it has all that there is."""

    def up_to(self, turn: int) -> list[RequestMessage] | None:
        """Return the messages of the request behind a turn; None where no words were given."""
        if self._words is None:
            return None
        new: list[TurnWords] = []
        while self._turns and self._turns[0] <= turn:
            new.append(self._words[self._turns.popleft()])
        for each in new:
            if each.begins:
                self._conversation.clear()
            self._conversation += each.messages
        is_whole = any(each.begins for each in new)
        self._added.append(None if is_whole else sum(each.tokens for each in new))
        return self._conversation

    def factor(self, turns: Sequence[Turn]) -> float:
        """Return the provider's tokens for one of ours, by how prompts grow.

        Requests that add much are compared with those that add little, so that what a host adds to each of them does
        not count: of the slopes between them it is the median, by weight.
        """
        grown = sorted(
            (own, new.prompt - old.prompt)
            for own, old, new in zip(self._added[1:], turns, turns[1:], strict=False)
            if own is not None and old.prompt and new.prompt and new.prompt > old.prompt
        )
        pairs = zip(grown, grown[len(grown) // 2 :], strict=False)
        apart = [(b[0] - a[0], b[1] - a[1]) for a, b in pairs if b[0] - a[0] >= FEW]
        slopes = sorted((growth / own, own) for own, growth in apart)
        left = sum(own for _, own in slopes) / 2
        for slope, own in slopes:
            left -= own
            if left <= 0:
                return slope if LEAST <= slope <= MOST else 1.0
        return 1.0


FEW = 100
"""Tokens by which two requests differ at least that are compared."""

LEAST, MOST = 0.75, 1.5
"""Between what a provider's tokens are for one of the estimate's. Anything else comes of what the host adds."""


def _charged(prices: Prices, readings: Iterable[ContextSnapshot]) -> Prices:
    """The prices of what readings tell of: where the cache is read and never written to, writing is nothing of its own."""
    is_read = any(each.cache_read for each in readings)
    is_written = any(each.cache_write for each in readings)
    return replace(prices, write=prices.input) if is_read and not is_written else prices


def _is_cached(readings: Iterable[ContextSnapshot]) -> bool:
    """Whether the provider keeps anything, as far as readings tell."""
    told = [each for each in readings if each.input is not None]
    return not told or any(each.cache_read or each.cache_write for each in told)


def tool_tokens(domain: Domain[Any]) -> int:
    """The tokens of what stands in each request besides the HUD, over MCP."""
    tools = sum(map(schema_tokens, definitions("mcp", domain=domain)))
    return tools + estimate_tokens(instructions_of(domain, is_shown=True))


def _row(turn: int, before: Rendered | None, rendered: Rendered, sent: Turn) -> TurnCost:
    appended = sum(each.tokens for each in sent.appended)
    if before is None:
        return TurnCost(turn, rendered.tokens, appended, 1.0, 0, None)
    found = compare(before, rendered)
    broken = None if found.broken is None else f"{found.broken.node} {found.broken.field}"
    return TurnCost(turn, rendered.tokens, appended, found.kept, found.lost_tokens, broken)


def _billed(readings: Iterable[ContextSnapshot], prices: Prices) -> Billed | None:
    kept = [each for each in readings if each.input is not None]
    if not kept:
        return None
    plain, read, written, output = (
        sum(getattr(each, name) or 0 for each in kept)
        for name in ("input", "cache_read", "cache_write", "output")
    )
    prompts = prices.input * plain + prices.read * read + prices.write * written
    cost = prompts + prices.output * output
    return Billed(len(kept), plain, read, written, output, cost, prompts)

"""What a session's HUD has cost, turn by turn, and what it would have cost elsewhere.

The log tells all of it: the HUD as it was after each turn, what of it a cache could keep, and what
was billed, where the host recorded that. Losses are shown like gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hud_components import Domain
from hud_components.words import RequestMessage
from hud_runtime.delivery._delivery import Delivery, Mode
from hud_runtime.delivery._economy import EACH, FIRST, WAYS, Course, Turn, cost_of
from hud_runtime.delivery._prices import Block, Prices, prices_of
from hud_runtime.events import CompactAfter, ContextSnapshot, Event
from hud_runtime.store import EventStore
from hud_runtime.tools import definitions, instructions_of
from ujsx import Rendered, compare
from ujsx.schema import schema_tokens
from ujsx.tokens import estimate_tokens


class Replaying(Protocol):
    """A session that lives through another one's log once more, in a store of its own."""

    id: str
    domain: Domain[Any]

    @property
    def log(self) -> EventStore:
        """The store that it stands in."""
        ...

    def refresh(self) -> object:
        """Catch up with what was appended to the log."""
        ...

    def hud(self) -> Rendered:
        """Render the HUD."""
        ...

    def deliver(
        self, *, mode: Mode, marked: bool, conversation: Iterable[RequestMessage] | None
    ) -> Delivery:
        """Say what is to be sent of the HUD for the next request."""
        ...

    def delivered(self, delivery: Delivery) -> object:
        """Say that a delivery was sent."""
        ...


class TurnWords(NamedTuple):
    """What a turn adds to the history."""

    tokens: int = 0
    """Of all that it adds, as estimated: what is said, calls of tools, and their results."""

    messages: tuple[RequestMessage, ...] = ()
    """What is said in it."""

    begins: bool = False
    """Whether it is all that the history has, as after a compaction."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """What the HUD was after one turn, for the request behind it."""

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
    """What the host reported of its requests, in tokens."""

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
    """What a session's HUD costs."""

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
    """What the HUD's tools and instructions cost, which stand in each request; no way has them in it."""

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
"""What is counted behind the turns: what the requests cost without a HUD, with its tools, and in each way of sending one."""


def billing(
    past: Replaying,
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
    (4, [15, 13, 16, 24])
    """
    charged = prices_of(prices)
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
            turns[-1:] = [_measured(one, moment.reading) for one in turns[-1:]]
            readings.append(moment.reading)
        before, rendered = rendered, past.hud()
        turns.append(_sent(past, rendered, said.up_to(moment.turn), begins=moment.is_compacted))
        rows.append(_row(moment.turn, before, rendered, turns[-1]))
        yield None
    factor = said.factor(turns)
    tokens = round(factor * tool_tokens(past.domain))
    turns = [one.scaled(factor) for one in turns]
    if readings:
        turns = [*_reported(turns)]
    if has_hud:
        turns = [*_without_hud(turns, tokens)]
    course = _course(turns, first, each, tokens, readings)
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
        tokens,
        course.head,
        factor,
    )


def _moments(events: Iterable[Event]) -> Iterator[_Moment]:
    """What happens up to each request: the agent's next turn begins, or another reading tells of one."""
    held: list[Event] = []
    reading: ContextSnapshot | None = None
    is_measured = True  # what is measured first was a request before all that is told
    for event in events:
        taken = event.payload if isinstance(event.payload, ContextSnapshot) else None
        is_new = is_measured and taken is not None and _prompt(taken) != _prompt(reading)
        if held and (event.turn != held[-1].turn or is_new):
            yield _Moment(held, reading)
            held, reading, is_measured = [], None, False
        if taken is not None:
            reading, is_measured = taken, True
        held.append(event)
    if held:
        yield _Moment(held, reading)


def _prompt(reading: ContextSnapshot | None) -> tuple[int | None, ...] | None:
    """What a reading says of the prompt. Readings that say the same tell of one request while it is answered."""
    if reading is None:
        return None
    written = reading.used - (reading.output or 0)
    return written, reading.cache_read, reading.cache_write


def _sent(
    past: Replaying,
    rendered: Rendered,
    conversation: Sequence[RequestMessage] | None,
    *,
    begins: bool,
) -> Turn:
    """What the next request gets, in each way."""

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


def _measured(turn: Turn, reading: ContextSnapshot) -> Turn:
    """A request with what its reading tells."""
    return turn._replace(
        prompt=max(1, reading.used - (reading.output or 0)), kept=reading.cache_read
    )


class _Said:
    """What was said in a session, as far as it was given."""

    def __init__(self, words: Mapping[int, TurnWords] | None) -> None:
        self._words = words
        self._turn = -1
        self._conversation: list[RequestMessage] = []
        self._added: list[int | None] = []
        """Tokens that each request adds, as estimated; None where it has all that there is."""

    def up_to(self, turn: int) -> list[RequestMessage] | None:
        """Return the messages of the request behind a turn; None where no words were given."""
        if self._words is None:
            return None
        new = [self._words.get(one, TurnWords()) for one in range(self._turn + 1, turn + 1)]
        self._turn = turn
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
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairs if b[0] - a[0] >= FEW]
        slopes = sorted((growth / own, own) for own, growth in steps)
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


def tool_tokens(domain: Domain[Any]) -> int:
    """The tokens of what stands in each request besides the HUD, over MCP."""
    tools = sum(map(schema_tokens, definitions("mcp", domain=domain)))
    return tools + estimate_tokens(instructions_of(domain, is_shown=True))


def _reported(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The requests that readings tell of. What was delivered for another one, which came to nothing, goes with the next."""
    waiting: tuple[Block, ...] = ()
    begins = False
    for turn in turns:
        waiting = turn.appended if turn.begins else (*waiting, *turn.appended)
        begins = begins or turn.begins
        if turn.prompt is not None:
            yield turn._replace(appended=waiting, begins=begins)
            waiting, begins = (), False


def _without_hud(turns: Iterable[Turn], tools: int) -> Iterator[Turn]:
    """The requests with what their readings would be without the HUD that was appended to them."""
    standing = tools
    for turn in turns:
        standing = tools if turn.begins else standing
        kept = None if turn.kept is None else max(0, turn.kept - standing)
        standing += sum(each.tokens for each in turn.appended)
        prompt = None if turn.prompt is None else max(1, turn.prompt - standing)
        yield turn._replace(prompt=prompt, kept=kept)


def _course(
    turns: Sequence[Turn],
    first: int | None,
    each: int,
    tools: int,
    readings: Sequence[ContextSnapshot],
) -> Course:
    """The requests, behind a head that stands in all of them."""
    prompts = [turn.prompt for turn in turns if turn.prompt is not None]
    if prompts:
        head = min(prompts[0] if first is None else first, *prompts)
    else:
        head = FIRST if first is None else first
    is_told = any(each.input is not None for each in readings)
    is_cached = not is_told or any(each.cache_read or each.cache_write for each in readings)
    return Course(turns, max(1, head), each, tools, is_cached)


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

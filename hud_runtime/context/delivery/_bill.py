"""The bill: what a session costs with its HUD, turn by turn, beside the same session without."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from hud_components import Domain
from hud_components.words import RequestMessage
from hud_runtime.context.delivery._delivery import Delivery, Mode
from hud_runtime.context.delivery._prices import CHUNK, Block, Prices, prices_of, spent
from hud_runtime.log.events import CompactAfter, ContextSnapshot, Event
from hud_runtime.log.store import EventStore
from hud_runtime.tools import definitions, instructions_of
from ujsx import Rendered, compare
from ujsx.schema import schema_tokens
from ujsx.tokens import estimate_tokens

# The cost of a session with its HUD in each place, beside the same session without one.

FIRST = 12_000
"""Tokens of the system prompt and the tools, where no reading tells how many there are."""

EACH = 1_500
"""Tokens that a request adds to the history, where no reading tells."""

SLACK = 2 * CHUNK
"""Tokens at the end of a prompt that a cache need not have: fewer are no loss."""


class Turn(NamedTuple):
    """A request: how long the host's own prompt is, and the HUD in each way of sending it."""

    whole: Block
    tail: Block
    """The text behind the history for this request alone."""

    static: Block
    rest: Block
    """The layers behind the static one."""

    appended: tuple[Block, ...] = ()
    """The texts that are appended to the history."""

    prompt: int | None = None
    """Tokens of the request without a HUD; None where no reading tells."""

    kept: int | None = None
    """The number of them that the cache had; None where no reading tells."""

    begins: bool = False
    """Whether the history begins anew, as after a compaction."""

    def scaled(self, factor: float) -> Turn:
        """Return the request with the HUD in a provider's tokens: so many for one of ours."""

        def of(block: Block) -> Block:
            return block._replace(tokens=round(factor * block.tokens))

        whole, tail, static, rest = map(of, self[:4])
        return self._replace(
            whole=whole, tail=tail, static=static, rest=rest, appended=tuple(map(of, self.appended))
        )


class Course(NamedTuple):
    """The requests of a session, in their order."""

    turns: Sequence[Turn]
    head: int = FIRST
    """Tokens that stand before the history."""

    each: int = EACH
    """Tokens that a request adds where no reading tells."""

    tools: int = 0
    """Tokens of the HUD's tools and instructions."""

    is_cached: bool = True
    """Whether the provider keeps anything of a prompt."""


WAYS: Mapping[str, str] = {
    "append": "append",
    "tail, marked": "tail",
    "tail, not marked": "tail",
    "system and tail": "system",
    "all in the system prompt": "system",
}
"""The ways to send a HUD, and the mode of each. Which is the cheapest depends on the prices."""


def reported(turns: Iterable[Turn], tools: int | None) -> Iterator[Turn]:
    """Return the requests that readings tell of, as they are without a HUD.

    What was delivered for another one, which came to nothing, goes with the next.

    :param tools: tokens of the HUD's tools, where the readings were taken with them and with what was appended.
    """
    waiting, begins, standing = list[Block](), False, 0
    for turn in turns:
        if turn.begins:
            waiting, begins, standing = [], True, 0
        waiting += turn.appended
        if turn.prompt is None:
            continue
        ours = 0 if tools is None else tools + standing
        kept = None if turn.kept is None else max(0, turn.kept - ours)
        standing += sum(each.tokens for each in waiting)
        ours = 0 if tools is None else tools + standing
        yield turn._replace(
            appended=tuple(waiting), prompt=max(1, turn.prompt - ours), kept=kept, begins=begins
        )
        waiting, begins = [], False


def head_of(turns: Iterable[Turn], first: int | None) -> int:
    """Return the tokens that stand in all requests: those of the first, if none has fewer.

    :param first: how many it has of them, where somebody says.
    """
    prompts = [turn.prompt for turn in turns if turn.prompt is not None]
    if not prompts:
        return FIRST if first is None else first
    return min(prompts[0] if first is None else first, *prompts)


def cost_of(course: Course, way: str, prices: Prices) -> float:
    """Return what all requests cost in a way, in tokens of plain input.

    :param way: one of :data:`WAYS`; "none" is without a HUD, and "tools" with its tools and instructions alone.
    """
    are_billed: list[bool] = []

    def requests() -> Iterator[list[Block]]:
        for is_billed, blocks in _requests(course, way):
            are_billed.append(is_billed)
            yield blocks

    made = [*compress(spent(requests(), prices.cache), are_billed)]
    if not course.is_cached:
        return prices.input * sum(map(sum, made))
    return sum(each.cost(prices) for each in made)


def _requests(course: Course, way: str) -> Iterator[tuple[bool, list[Block]]]:
    """The requests of a session, each with the breakpoints that its way allows.

    Before them, not billed, stand those that nobody tells of, and that left something in the cache.
    """
    tools = [Block("tools", course.tools, is_marked=True)] if way == "tools" else []
    history = _History(course.head, course.each)
    before, behind = [Block(0, course.head), *tools], list[Block]()
    if course.turns and course.turns[0].kept:
        first = min(course.head, course.turns[0].kept)
        yield False, [Block(0, first, is_marked=True), *tools]
    for turn in course.turns:
        known = before if turn.begins else [*before, *behind]
        found = history.go_on(turn, turn.appended if way == "append" else ())
        if found and way != "tail, not marked":
            yield False, [*known, found]
        before, behind = history.parts()
        before[1:1] = tools  # among what a host begins all its sessions with
        if way == "system and tail":
            before.append(turn.static._replace(is_marked=True))
        elif way == "all in the system prompt":
            before.append(turn.whole)
        if way == "tail, not marked":
            yield True, [*before, *behind, turn.tail._replace(is_marked=True)]
            continue
        hosts = [place for place, each in enumerate(behind) if not isinstance(each.text, str)]
        for place in (*hosts[-2:], -1):  # as hosts do: the newest messages
            behind[place] = behind[place]._replace(is_marked=True)
        last = {"tail, marked": [turn.tail], "system and tail": [turn.rest]}.get(way, [])
        yield True, [*before, *behind, *last]


class _History:
    """The prompt of a host from request to request, with what is appended to it. The host's own blocks are numbers."""

    def __init__(self, head: int, each: int) -> None:
        self._head, self._each = head, each
        self._blocks = [Block(0, head, is_marked=True)]
        self._size = head
        self._numbers = 0

    def go_on(self, turn: Turn, appended: Sequence[Block]) -> Block | None:
        """Be what the next request has; return what of it the cache has that no request is known to have sent."""
        if turn.begins:
            self._blocks, self._size = self.parts()[0], self._head
        size = self._size
        if turn.kept is not None and turn.kept < size - SLACK:
            self._lose(turn.kept)
        prompt = size + self._each if turn.prompt is None else max(turn.prompt, self._head)
        self._cut(size - prompt)
        there = max(0, min(turn.kept or 0, prompt) - size)
        found = self._new(there)._replace(is_marked=True) if there else None
        self._blocks += [found] if found else []
        self._blocks += (self._new(max(0, prompt - size - there)), *appended)
        self._size = prompt
        return found

    def parts(self) -> tuple[list[Block], list[Block]]:
        """Return the head, and what stands behind it."""
        ends = accumulate(_own(each) for each in self._blocks)
        behind = next(place for place, end in enumerate(ends, 1) if end >= self._head)
        return self._blocks[:behind], self._blocks[behind:]

    def _new(self, tokens: int) -> Block:
        self._numbers += 1
        return Block(self._numbers, tokens)

    def _lose(self, kept: int) -> None:
        """Be new behind so many tokens: the cache has no more of it."""
        made: list[Block] = []
        for each in self._blocks:
            stays = min(kept, _own(each))
            kept -= stays
            if stays or not each.tokens or isinstance(each.text, str):
                made.append(each._replace(tokens=stays) if stays else each)
            if _own(each) > stays:
                lost = self._new(each.tokens - stays)
                made.append(lost._replace(is_marked=each.is_marked))
        self._blocks = made

    def _cut(self, tokens: int) -> None:
        """Drop so many tokens of the host's at the end; the HUD's stay."""
        for place in range(len(self._blocks) - 1, 0, -1):
            if tokens <= 0:
                return
            block = self._blocks[place]
            dropped = min(tokens, _own(block))
            self._blocks[place] = block._replace(tokens=block.tokens - dropped)
            tokens -= dropped


def _own(block: Block) -> int:
    """The tokens of a block of the host's."""
    return 0 if isinstance(block.text, str) else block.tokens


class _Past(Protocol):
    """A session that lives through another one's log once more, in a store of its own."""

    id: str
    domain: Domain[Any]

    @property
    def log(self) -> EventStore: ...
    def refresh(self) -> object: ...
    def hud(self) -> Rendered: ...
    def deliver(
        self,
        *,
        mode: Mode,
        has_cache_breakpoint: bool,
        conversation: Iterable[RequestMessage] | None,
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
class ReportedTokens:
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

    billed: ReportedTokens | None
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
    """Tokens of the provider for one of the estimate's, as the readings show. Where no words were given that they could be
    compared with, 1.15 for Claude's models and 1 for others. The HUD's tokens in the costs are those of the provider."""

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
    (4, [15, 12, 12, 12])
    """
    charged = prices_of(prices)  # an unknown name is refused before anything is counted
    rows: list[TurnCost] = []
    turns: list[Turn] = []
    readings: list[ContextSnapshot] = []
    said = _SaidOnce(words)
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
    factor = said.factor(turns, _usual(readings))
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
        return past.deliver(mode=mode, has_cache_breakpoint=True, conversation=conversation)

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


class _SaidOnce:
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

    def factor(self, turns: Sequence[Turn], usual: float) -> float:
        """Return the provider's tokens for one of ours, by how prompts grow.

        :param usual: how many they are where that tells nothing, or nothing likely.

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
                return slope if LEAST <= slope <= MOST else usual
        return usual


FEW = 100
"""Tokens by which two requests differ at least that are compared."""

LEAST, MOST = 0.75, 1.5
"""Between what a provider's tokens are for one of the estimate's. Anything else comes of what the host adds."""

USUAL: Mapping[str, float] = MappingProxyType({"claude": 1.15})
"""A provider's tokens for one of the estimate's, by a part of its models' names: the median of five recorded sessions of
Claude Code, which have 1.10 to 1.19; seven others have 1.08 to 1.18. One for any other model."""


def _usual(readings: Sequence[ContextSnapshot]) -> float:
    """The tokens of a provider for one of ours where its readings do not show them."""
    models = [str(each.model).lower() for each in readings if each.model]
    return next((size for name, size in USUAL.items() if models and name in models[-1]), 1.0)


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


def _billed(readings: Iterable[ContextSnapshot], prices: Prices) -> ReportedTokens | None:
    kept = [each for each in readings if each.input is not None]
    if not kept:
        return None
    plain, read, written, output = (
        sum(getattr(each, name) or 0 for each in kept)
        for name in ("input", "cache_read", "cache_write", "output")
    )
    prompts = prices.input * plain + prices.read * read + prices.write * written
    cost = prompts + prices.output * output
    return ReportedTokens(len(kept), plain, read, written, output, cost, prompts)

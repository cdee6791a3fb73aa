"""The bill: the costs of a session with its HUD, turn by turn, compared with the same session without."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace

from hud_components import Domain
from hud_components.words import RequestMessage
from hud_runtime.context.delivery._deliver import delivered, kept_deliveries
from hud_runtime.context.delivery._delivery import Delivery, Mode
from hud_runtime.context.delivery._prices import CHUNK, Block, Prices, prices_of, spent
from hud_runtime.log import ToolSession
from hud_runtime.log.events import CompactAfter, ContextSnapshot, Event
from hud_runtime.tools import definitions, instructions_of
from ujsx import Rendered, compare
from ujsx.schema import schema_tokens
from ujsx.tokens import estimate_tokens

# The costs of a session with its HUD in each place, compared with the same session without one.

FIRST = 12_000
"""Tokens of the system prompt and the tools, if no reading has them."""

EACH = 1_500
"""Tokens that a request adds to the history, if no reading has them."""

SLACK = 2 * CHUNK
"""Tokens at the end of a prompt that a cache need not have: fewer do not count as a loss."""


class Turn(NamedTuple):
    """A request: the length of the host's own prompt, and the HUD in each way of sending it."""

    whole: Block
    tail: Block
    """The text after the history for this request only."""

    static: Block
    rest: Block
    """The layers after the static one."""

    appended: tuple[Block, ...] = ()
    """The texts that are appended to the history."""

    prompt: int | None = None
    """Tokens of the request without a HUD; None if no reading has them."""

    kept: int | None = None
    """The number of them that the cache had; None if no reading has it."""

    begins: bool = False
    """True if the history starts over, as after a compaction."""

    def scaled(self, factor: float) -> Turn:
        """Return the request with the HUD in a provider's tokens: so many for one of ours."""

        def of(block: Block) -> Block:
            return block._replace(tokens=round(factor * block.tokens))

        whole, tail, static, rest = map(of, self[:4])
        return self._replace(
            whole=whole, tail=tail, static=static, rest=rest, appended=tuple(map(of, self.appended))
        )


class Course(NamedTuple):
    """The requests of a session, in order."""

    turns: Sequence[Turn]
    head: int = FIRST
    """Tokens before the history."""

    each: int = EACH
    """Tokens that a request adds if no reading has them."""

    tools: int = 0
    """Tokens of the HUD's tools and instructions."""

    is_cached: bool = True
    """True if the provider caches any part of a prompt."""


WAYS: Mapping[str, str] = {
    "append": "append",
    "tail, marked": "tail",
    "tail, not marked": "tail",
    "system and tail": "system",
    "all in the system prompt": "system",
}
"""The ways to send a HUD, and the mode of each. Prices determine the cheapest."""


def reported(turns: Iterable[Turn], tools: int | None) -> Iterator[Turn]:
    """Return the requests that have readings, without a HUD.

    Deliveries for a request without a reading are added to the next one.

    :param tools: tokens of the HUD's tools, if the readings include them and the appended texts.
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
    """Return the tokens common to all requests: those of the first, if none has fewer.

    :param first: the tokens of the first request, if known.
    """
    prompts = [turn.prompt for turn in turns if turn.prompt is not None]
    if not prompts:
        return FIRST if first is None else first
    return min(prompts[0] if first is None else first, *prompts)


def cost_of(course: Course, way: str, prices: Prices) -> float:
    """Return the cost of all requests in a way, in tokens of plain input.

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

    Unreported requests, which left something in the cache, precede them and are not billed.
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
        before[1:1] = tools  # part of the start of all the host's sessions
        if way == "system and tail":
            before.append(turn.static._replace(is_marked=True))
        elif way == "all in the system prompt":
            before.append(turn.whole)
        if way == "tail, not marked":
            yield True, [*before, *behind, turn.tail._replace(is_marked=True)]
            continue
        hosts = [place for place, each in enumerate(behind) if not isinstance(each.text, str)]
        for place in (*hosts[-2:], -1):  # as hosts do: at the newest messages
            behind[place] = behind[place]._replace(is_marked=True)
        last = {"tail, marked": [turn.tail], "system and tail": [turn.rest]}.get(way, [])
        yield True, [*before, *behind, *last]


class _History:
    """A host's prompt from request to request, with the texts appended to it. The host's own blocks are numbers."""

    def __init__(self, head: int, each: int) -> None:
        self._head, self._each = head, each
        self._blocks = [Block(0, head, is_marked=True)]
        self._size = head
        self._numbers = 0

    def go_on(self, turn: Turn, appended: Sequence[Block]) -> Block | None:
        """Advance to the next request; return the cached block that no known request has sent."""
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
        """Return the head, and the blocks after it."""
        ends = accumulate(_own(each) for each in self._blocks)
        behind = next(place for place, end in enumerate(ends, 1) if end >= self._head)
        return self._blocks[:behind], self._blocks[behind:]

    def _new(self, tokens: int) -> Block:
        self._numbers += 1
        return Block(self._numbers, tokens)

    def _lose(self, kept: int) -> None:
        """Replace everything after so many tokens with new blocks: the cache no longer has it."""
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
        """Drop so many of the host's tokens at the end; the HUD's stay."""
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


class TurnWords(NamedTuple):
    """The tokens that a turn adds to the history."""

    tokens: int = 0
    """The estimated tokens of everything that it adds: words, tool calls, and their results."""

    messages: tuple[RequestMessage, ...] = ()
    """The messages of the turn."""

    begins: bool = False
    """True if it is the whole history, as after a compaction."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """The HUD after one turn, for the next request."""

    turn: int

    tokens: int
    """Tokens of the whole HUD."""

    appended: int
    """Tokens appended to the history in this turn: the whole HUD, a delta, or nothing."""

    kept: float
    """The share of the previous HUD that is a prefix of this one; 1 in the first turn."""

    lost: int
    """Tokens of the previous HUD after that prefix."""

    broken_by: str | None
    """The node and the field that broke the prefix: "NotesSection notes[0].content"."""


@dataclass(frozen=True, slots=True)
class ReportedTokens:
    """The host's figures for its requests, in tokens."""

    requests: int
    input: int
    cache_read: int
    cache_write: int
    output: int

    cost: float
    """The cost, in tokens of plain input."""

    prompts: float
    """The part of the cost without the output, for the same requests as :attr:`Bill.without`."""

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
    """The cost of the requests without a HUD, in tokens of plain input, by the model of the cache."""

    ways: Mapping[str, float]
    """The cost with it, by the way of sending it."""

    billed: ReportedTokens | None
    """The billed figures; None if no reading has cached tokens separately."""

    is_assumed: bool
    """True if the history's size was assumed, because there are no readings."""

    tools: float
    """The cost of the HUD's tools and instructions, which are in each request; no way includes it."""

    tool_tokens: int
    """Tokens of those tools and instructions."""

    head: int
    """Tokens before the history."""

    factor: float
    """The provider's tokens for one estimated token, according to the readings. Without words to compare
    them with, 1.15 for Claude's models and 1 for others. The HUD's tokens in the costs are the
    provider's.
    """

    def ratio(self, way: str, *, tools: bool = False) -> float:
        """Return the cost of a way divided by the cost without a HUD.

        :param tools: whether to include the HUD's tools and instructions.
        """
        cost = self.ways[way] + (self.tools if tools else 0)
        return cost / self.without if self.without else 1.0

    @property
    def cheapest(self) -> str:
        """The cheapest way at these prices."""
        return min(self.ways, key=lambda way: self.ways[way])


class _Moment(NamedTuple):
    """The events up to the next request."""

    events: list[Event]
    reading: ContextSnapshot | None
    """The reading among them, which is of the previous request."""

    @property
    def turn(self) -> int:
        return self.events[-1].turn

    @property
    def is_compacted(self) -> bool:
        return any(isinstance(each.payload, CompactAfter) for each in self.events)


COSTS = 2 + len(WAYS)
"""The counts after the turns: of the requests without a HUD, with its tools, and in each way of sending one."""


def billing(
    session: ToolSession[Any],
    past: ToolSession[Any],
    deliver: Callable[..., Delivery],
    *,
    prices: Prices | str = "anthropic",
    first: int | None = None,
    each: int = EACH,
    words: Mapping[int, TurnWords] | None = None,
) -> Iterator[Bill | None]:
    """Compute the costs of a session's HUD, and finally yield the bill: a long session takes a while.

    Before the bill comes ``None`` for each request, and for each of the costs after them, so that the caller
    can report progress, do something else meanwhile, or stop. The other parameters are those of
    :meth:`hud_runtime.HudSession.cost`.

    :param past: the same session without events, in a store of its own; the events are replayed in it.
    :param deliver: its delivery before each request, by mode.
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
    charged = prices_of(prices)  # an unknown name is refused first
    sent = kept_deliveries(session.log, session.id)
    has_hud = any(is_sent and one.mode == "append" for one, is_sent in sent)
    rows: list[TurnCost] = []
    turns: list[Turn] = []
    readings: list[ContextSnapshot] = []
    said = _SaidOnce(words)
    rendered: Rendered | None = None
    version = 0
    for moment in _moments(session.events()):
        past.log.append(past.id, version, moment.events)
        past.refresh()
        version = moment.events[-1].version
        if moment.reading is not None:
            readings.append(moment.reading)
            prompt, kept, _ = _prompt(moment.reading)
            turns[-1:] = [one._replace(prompt=prompt, kept=kept) for one in turns[-1:]]
        before, rendered = rendered, past.hud()
        turns.append(
            _sent(past, deliver, rendered, said.up_to(moment.turn), begins=moment.is_compacted)
        )
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
    """The events up to each request, which a new turn of the agent or another reading marks."""
    held: list[Event] = []
    reading: ContextSnapshot | None = None
    is_first = True
    for event in events:
        taken = event.payload if isinstance(event.payload, ContextSnapshot) else None
        is_next = taken is not None and (
            is_first if reading is None else _prompt(taken) != _prompt(reading)
        )  # it measures an unreported request
        if held and (event.turn != held[-1].turn or is_next):
            yield _Moment(held, reading)
            held, reading, is_first = [], None, False
        reading = taken or reading
        held.append(event)
    if held:
        yield _Moment(held, reading)


def _prompt(reading: ContextSnapshot) -> tuple[int, int | None, int | None]:
    """The prompt of a reading: its tokens, and those read from the cache and written to it.

    Equal readings belong to one request, while it is answered.
    """
    prompt = max(1, reading.used - (reading.output or 0))
    return prompt, reading.cache_read, reading.cache_write


def _sent(
    past: ToolSession[Any],
    deliver: Callable[..., Delivery],
    rendered: Rendered,
    conversation: Sequence[RequestMessage] | None,
    *,
    begins: bool,
) -> Turn:
    """The texts of the next request, in each way."""

    def block(text: str) -> Block:
        return Block(text, rendered.count_tokens(text) if text else 0)

    def made(mode: Mode) -> Delivery:
        return deliver(mode=mode, has_cache_breakpoint=True, conversation=conversation)

    system = made("system")  # first: it renders the most recent rendering
    appended, tail = made("append"), made("tail")
    delivered(past, appended.id)
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
    """The known words of a session."""

    def __init__(self, words: Mapping[int, TurnWords] | None) -> None:
        self._words = words
        self._turns = deque(sorted(words or ()))
        """The turns whose words have not been reached."""
        self._conversation: list[RequestMessage] = []
        self._added: list[int | None] = []
        """Estimated tokens that each request adds; None for the whole history."""

    def up_to(self, turn: int) -> list[RequestMessage] | None:
        """Return the messages of the request after a turn; None without any words."""
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
        """Return the provider's tokens for one of ours, by the growth of prompts.

        :param usual: the default, if the growth is unknown or implausible.

        Requests that add much are compared with those that add little, so that a host's constant additions
        cancel out. The result is the weighted median of the slopes between them.
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
"""The minimum difference in tokens between two compared requests."""

LEAST, MOST = 0.75, 1.5
"""The plausible range of a provider's tokens for one estimated token. Anything else results from the
host's additions.
"""

USUAL: Mapping[str, float] = MappingProxyType({"claude": 1.15})
"""A provider's tokens for one estimated token, by a part of its models' names: the median of five recorded
sessions of Claude Code, with 1.10 to 1.19; seven others have 1.08 to 1.18. 1 for any other model.
"""


def _usual(readings: Sequence[ContextSnapshot]) -> float:
    """The provider's tokens for one of ours, if its readings do not show them."""
    models = [str(each.model).lower() for each in readings if each.model]
    return next((size for name, size in USUAL.items() if models and name in models[-1]), 1.0)


def _charged(prices: Prices, readings: Iterable[ContextSnapshot]) -> Prices:
    """The prices for readings: if the cache is read and never written to, writing costs nothing extra."""
    is_read = any(each.cache_read for each in readings)
    is_written = any(each.cache_write for each in readings)
    return replace(prices, write=prices.input) if is_read and not is_written else prices


def _is_cached(readings: Iterable[ContextSnapshot]) -> bool:
    """Whether the provider caches anything, according to the readings."""
    told = [each for each in readings if each.input is not None]
    return not told or any(each.cache_read or each.cache_write for each in told)


def tool_tokens(domain: Domain[Any]) -> int:
    """The tokens of everything in each request besides the HUD, over MCP."""
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

"""What a session's HUD has cost, turn by turn, and what it would have cost elsewhere.

The log tells all of it: the HUD as it was after each turn, what of it a cache could keep, and what
was billed, where the host recorded that. Losses are shown like gains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from hud_components import THRESHOLDS, ContextUsage, Domain, State, Thresholds
from hud_components.delta import LineReader, Told, tell, update
from hud_runtime.delivery._asked import Shown
from hud_runtime.delivery._economy import EACH, FIRST, WAYS, Turn, cost_of
from hud_runtime.delivery._prices import Block, Prices, prices_of
from hud_runtime.delivery._reading import counted
from hud_runtime.events import CompactAfter, ContextSnapshot, Event
from hud_runtime.projection import project
from ujsx import Rendered, Renderer, compare

Show: TypeAlias = Callable[[State, "ContextUsage | None", Renderer], Shown]
"""Renders a session's HUD as it was in a state, at a reading of the context."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """What the HUD was in one turn."""

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

    history: int
    """Tokens that the turn added to the history: by the readings, or as assumed."""


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

    def ratio(self, way: str) -> float:
        """Return how many times as much as without a HUD a way costs."""
        return self.ways[way] / self.without if self.without else 1.0


class _Moment(NamedTuple):
    """A turn's end."""

    turn: int
    state: State
    used: int | None
    """Tokens of the last reading in it, if there was one."""

    is_compacted: bool


COSTS = 1 + len(WAYS)
"""What is counted behind the turns: what the requests cost without a HUD, and in each way of sending one."""


def billing(
    session: str,
    events: Iterable[Event],
    domain: Domain[Any],
    show: Show,
    *,
    prices: Prices | str = "anthropic",
    first: int = FIRST,
    each: int = EACH,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Bill | None]:
    """Count what a session's HUD costs, and yield the bill at last: a long session takes a while.

    Before it comes ``None`` for each turn, that of the start included, and for each of the costs behind them, so that whoever counts can
    tell of it, do something else meanwhile, or stop. The other parameters are those of :meth:`hud_runtime.HudSession.cost`.

    :param show: renders the HUD of a state, with the session's layout and words.
    :raises DeliveryError: for prices that are not in the table.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for turn in range(1, 4):
    ...         _ = session.record("note.add", content=f"Batch {turn} is done", turn=turn)
    ...     *before, bill = session.billing()
    >>> len(before) - COSTS, [each.appended for each in bill.turns]
    (4, [14, 13, 16, 24])
    """
    charged = prices_of(prices)
    readings: list[ContextSnapshot] = []
    renderer, appender = Renderer(), _Appender(show, thresholds)
    previous: Rendered | None = None
    rows: list[TurnCost] = []
    turns: list[Turn] = []
    used: int | None = None
    for moment in _moments(events, domain, readings):
        rendered = show(moment.state, None, renderer).rendered
        text = appender.text(moment.state, renderer, begins=moment.is_compacted)
        appended = _block(text, rendered)
        history = _growth(used, moment, each)
        used = moment.used if moment.used is not None else used
        rows.append(_row(moment.turn, previous, rendered, appended.tokens, history))
        turns.append(_sent(rendered, appended, history, begins=moment.is_compacted))
        previous = rendered
        yield None
    costs: dict[str, float] = {}
    for way in ("none", *WAYS):
        costs[way] = cost_of(turns, way, charged, first)
        yield None
    without = costs.pop("none")
    yield Bill(session, tuple(rows), without, costs, _billed(readings, charged), used is None)


def _row(
    turn: int, before: Rendered | None, rendered: Rendered, appended: int, history: int
) -> TurnCost:
    if before is None:
        return TurnCost(turn, rendered.tokens, appended, 1.0, 0, None, history)
    found = compare(before, rendered)
    broken = None if found.broken is None else f"{found.broken.node} {found.broken.field}"
    return TurnCost(turn, rendered.tokens, appended, found.kept, found.lost_tokens, broken, history)


def _sent(rendered: Rendered, appended: Block, history: int, *, begins: bool) -> Turn:
    static, *others = rendered.layers
    rest = "\n".join(layer.text for layer in others if layer.text)
    return Turn(
        history,
        _block(rendered.text, rendered),
        _block(static.text, rendered),
        _block(rest, rendered),
        (appended,) if appended.text else (),
        begins,
    )


def _moments(
    events: Iterable[Event], domain: Domain[Any], readings: list[ContextSnapshot]
) -> Iterator[_Moment]:
    """The ends of a session's turns; the readings on the way are kept."""
    state: State = domain.state()
    turn, used, is_compacted, is_open = 0, None, False, False
    for event in events:
        if is_open and event.turn != turn:
            yield _Moment(turn, state, used, is_compacted)
            used, is_compacted = None, False
        turn, is_open = event.turn, True
        state = project(state, event, domain)
        said = event.payload
        if isinstance(said, ContextSnapshot):
            used = said.used
            readings.append(said)
        is_compacted = is_compacted or isinstance(said, CompactAfter)
    if is_open:
        yield _Moment(turn, state, used, is_compacted)


def _growth(used: int | None, moment: _Moment, each: int) -> int:
    if moment.used is None:
        return each
    if used is None or moment.is_compacted or moment.used < used:
        return each if used is None else max(1, moment.used - FIRST)
    return max(1, moment.used - used)


def _block(text: str, rendered: Rendered) -> Block:
    return Block(text, rendered.count_tokens(text) if text else 0)


class _Appender:
    """What would have been appended to the history, turn by turn."""

    def __init__(self, show: Show, thresholds: Thresholds) -> None:
        self.show = show
        self.thresholds = thresholds
        self.told: Told | None = None
        self.usage: ContextUsage | None = None
        self.spent = 0
        self.reader = LineReader()

    def text(self, state: State, renderer: Renderer, *, begins: bool) -> str:
        """Return what is appended for a state."""
        held = self.usage
        self.usage = state.usage if begins else counted(held, state.usage, self.thresholds)
        node, rendered, context, _ = self.show(state, self.usage, renderer)
        said = None
        if self.told is not None and not begins:
            said = update(self.told, node, rendered, context, self.reader)
        if said is not None:
            self.spent += rendered.count_tokens(said.text) if said.text else 0
            if not said.text or self.spent <= rendered.tokens:
                self.told = said.told
                return said.text
        self.told, self.spent = tell(node, rendered, context, self.reader), 0
        return rendered.text


def _billed(readings: Iterable[ContextSnapshot], prices: Prices) -> Billed | None:
    kept = [each for each in readings if each.input is not None]
    if not kept:
        return None
    plain, read, written, output = (
        sum(getattr(each, name) or 0 for each in kept)
        for name in ("input", "cache_read", "cache_write", "output")
    )
    cost = (
        prices.input * plain + prices.read * read + prices.write * written + prices.output * output
    )
    return Billed(len(kept), plain, read, written, output, cost)

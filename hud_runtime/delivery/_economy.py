"""What a session costs with its HUD in each place, beside the same session without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hud_runtime.delivery._prices import Block, Prices, spent

FIRST = 12_000
"""Tokens of the system prompt and the tools, where nobody says how many there are."""

EACH = 1_500
"""Tokens that a turn adds to the history, where no reading tells."""


class Turn(NamedTuple):
    """What the HUD was in a turn, in each way of sending it."""

    history: int
    """Tokens that the turn adds to the history."""

    whole: Block
    static: Block
    rest: Block
    """The layers behind the static one."""

    appended: tuple[Block, ...]
    """What was appended to the history."""

    begins: bool = False
    """Whether the history begins anew, as after a compaction."""


WAYS: tuple[str, ...] = (
    "append",
    "tail, marked",
    "tail, not marked",
    "system and tail",
    "all in the system prompt",
)
"""The ways to send a HUD, the cheapest first."""


def ratios(turns: Sequence[Turn], prices: Prices, first: int = FIRST) -> Mapping[str, float]:
    """Return by the way of sending how many times as much as without a HUD the requests cost.

    :param first: the tokens that stand before the history.
    """
    without = _cost(_requests(turns, "none", first), prices)
    return {way: _cost(_requests(turns, way, first), prices) / without for way in WAYS}


def cost_of(turns: Sequence[Turn], way: str, prices: Prices, first: int = FIRST) -> float:
    """Return what all requests cost in a way, in tokens of plain input; "none" is without a HUD."""
    return _cost(_requests(turns, way, first), prices)


def _cost(requests: Iterable[Sequence[Block]], prices: Prices) -> float:
    return sum(each.cost(prices) for each in spent(requests, prices.cache))


def _requests(turns: Sequence[Turn], way: str, first: int) -> Iterator[list[Block]]:
    """The requests of a session, each with the breakpoints that its way allows."""
    head, history = Block("head", first, is_marked=True), list[Block]()
    for number, turn in enumerate(turns):
        if turn.begins:
            history.clear()
        history.append(Block(f"turn {number}", turn.history))
        if way == "append":
            history += turn.appended
        before = [head]
        if way == "system and tail":
            before = [head, turn.static._replace(is_marked=True)]
        elif way == "all in the system prompt":
            before = [head, turn.whole]
        behind = {"tail, marked": turn.whole, "tail, not marked": turn.whole}.get(way)
        behind = turn.rest if way == "system and tail" else behind
        *older, newest = history
        if behind is None:
            yield [*before, *older, newest._replace(is_marked=True)]
        elif way == "tail, not marked":
            yield [*before, *history, behind._replace(is_marked=True)]
        else:
            yield [*before, *older, newest._replace(is_marked=True), behind]

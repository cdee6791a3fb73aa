"""The cost of a session with its HUD in each place, beside the same session without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress
from typing import NamedTuple

from hud_runtime.delivery._prices import CHUNK, Block, Prices, spent

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

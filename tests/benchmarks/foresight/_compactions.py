"""At a compaction: of what comes in the next ten turns, how much is named before it, and how much by what is left.

Before, an agent has its whole conversation since the compaction before, and its HUD; after, the summary and the HUD
alone. Sessions with few recorded compactions are cut at every tenth turn as well, as if no summary had been written:
what is left then is the HUD.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hud_components.folding import with_sections
from tests.benchmarks.foresight._names import Names
from tests.benchmarks.foresight._score import AHEAD, Ahead, found, heard_at, naming
from tests.benchmarks.foresight._story import Turn
from tests.benchmarks.foresight._tellers import Heard, Tellers
from ujsx.tokens import TokenCounter

ROOM = 500
"""Tokens of the HUD: a full one."""

SUMMARY_ROOM = 2_000
"""Tokens of the summary at most; those that are recorded have mostly fewer."""

EVERY = 10
"""Turns from one cut without a summary to the next."""

BEFORE = "before: conversation and HUD"
AFTER = "after: summary and HUD"
SUMMARY = "after: summary alone"
HUD = "after: HUD alone"
CUT_BEFORE = "before a cut: conversation and HUD"
CUT_AFTER = "after a cut without a summary: HUD"

WHO = (BEFORE, AFTER, SUMMARY, HUD, CUT_BEFORE, CUT_AFTER)
"""Who names what, in the order in which it is printed."""


@dataclass
class Kept:
    """How much was named, of how much, over compactions."""

    named: Counter[tuple[str, Ahead]] = field(default_factory=Counter[tuple[str, Ahead]])
    of: Counter[tuple[str, Ahead]] = field(default_factory=Counter[tuple[str, Ahead]])
    compactions: int = 0
    cuts: int = 0

    def share(self, who: str, *kinds: Ahead) -> float | None:
        """Return the share that was named; None where there was nothing to name."""
        of = sum(self.of[who, kind] for kind in kinds)
        return sum(self.named[who, kind] for kind in kinds) / of if of else None

    def add(self, other: Kept) -> None:
        """Add what another session has."""
        self.named += other.named
        self.of += other.of
        self.compactions += other.compactions
        self.cuts += other.cuts


def kept(turns: Sequence[Turn], count: TokenCounter) -> Kept:
    """Return how much of what came was named around each compaction, and around each cut."""
    made, tellers = Kept(), Tellers(count)
    begins, before = 0, ""
    for now, heard in enumerate(heard_at(turns)):
        ahead = found(turns[now + 1 : now + 1 + AHEAD])
        # The HUD shows the beginning of the summary, which is counted as the summary's.
        state = with_sections(heard.state, compacted_context=None)
        hud = tellers.hud(heard._replace(state=state), ROOM)
        is_compacted = bool(turns[now].summary)
        if is_compacted:
            made.compactions += 1
            summary = tellers.summary(heard, SUMMARY_ROOM)
            told = {BEFORE: before, AFTER: f"{summary}\n{hud}", SUMMARY: summary, HUD: hud}
            _count(made, told, ahead)
            begins = len(heard.said)
        conversation = "\n".join(heard.said[begins:])
        if now and now % EVERY == 0 and not is_compacted:
            made.cuts += 1
            _count(made, {CUT_BEFORE: f"{conversation}\n{hud}", CUT_AFTER: hud}, ahead)
        if now + 1 < len(turns) and turns[now + 1].summary:
            before = f"{_since(heard, begins)}\n{hud}"
    return made


def _since(heard: Heard, begins: int) -> str:
    """What was said since the compaction before, whose summary the agent has, too."""
    return "\n".join([heard.summary, *heard.said[begins:]])


def _count(made: Kept, told: dict[str, str], ahead: dict[Ahead, set[str]]) -> None:
    for who, text in told.items():
        names = naming(Names(text))
        for kind, things in ahead.items():
            made.named[who, kind] += sum(map(names[kind], things))
            made.of[who, kind] += len(things)


def table(made: Kept) -> Iterator[str]:
    """Yield the lines of a table: who names how much of the files and errors to come."""
    yield "| | files and errors | files edited | errors met | to be named |"
    yield "| --- | --- | --- | --- | --- |"
    for who in WHO:
        if not any(made.of[who, kind] for kind in ("files", "errors")):
            continue
        shares = (
            made.share(who, "files", "errors"),
            made.share(who, "files"),
            made.share(who, "errors"),
        )
        cells = ["–" if each is None else f"{each:.1%}" for each in shares]
        of = f"{made.of[who, 'files']} files, {made.of[who, 'errors']} errors"
        yield f"| {who} | {' | '.join(cells)} | {of} |"

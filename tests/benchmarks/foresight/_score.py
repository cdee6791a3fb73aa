"""Of what comes in the next ten turns, how much is named at each turn.

A file, command or error counts once at every turn that it is ahead of; the share of a session is of all of
these together. What has been met before is an upper bound for whatever repeats what it knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, TypeAlias, cast

from hud_components import HudState
from hud_runtime import HudSession, HudStore, replay
from tests.benchmarks.foresight._names import Names
from tests.benchmarks.foresight._story import Turn
from tests.benchmarks.foresight._tellers import SUMMARY, TELLERS, Heard, Tellers
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx.tokens import TokenCounter

AHEAD = 10
"""Turns in which what comes counts."""

BUDGETS = (500, 150, 50)
"""Tokens of a full, a compact and a minimal HUD."""

Ahead: TypeAlias = Literal["files", "commands", "errors"]

MET = "met before"
"""What was opened, edited, run or met before the turn: who repeats all that happened names no more but by luck."""


@dataclass
class Score:
    """What was named, of how much."""

    named: Counter[tuple[str, int, Ahead]] = field(default_factory=Counter[tuple[str, int, Ahead]])
    """By who tells, within how many tokens, and what."""

    of: Counter[tuple[str, Ahead]] = field(default_factory=Counter[tuple[str, Ahead]])
    """How much there was to be named, by who tells, and what."""

    unsaid: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Decisions and steps that no HUD of 500 tokens ever showed, and how many there were."""

    def share(self, who: str, budget: int, what: Ahead | None = None) -> float | None:
        """Return the share that was named; None where there was nothing to name."""
        kinds: tuple[Ahead, ...] = ("files", "commands", "errors") if what is None else (what,)
        of = sum(self.of[who, kind] for kind in kinds)
        return sum(self.named[who, budget, kind] for kind in kinds) / of if of else None

    def add(self, other: Score) -> None:
        """Add what another session has."""
        self.named += other.named
        self.of += other.of
        for name, (unsaid, all_) in other.unsaid.items():
            before = self.unsaid.get(name, (0, 0))
            self.unsaid[name] = before[0] + unsaid, before[1] + all_


def score(turns: Sequence[Turn], count: TokenCounter) -> Score:
    """Return how much of what came was named, at each turn but the last."""
    made, tellers, items = Score(), Tellers(count), Items()
    met: dict[Ahead, set[str]] = {"files": set(), "commands": set(), "errors": set()}
    for now, heard in enumerate(heard_at(turns)):
        for kind, each in found(turns[now : now + 1]).items():
            met[kind].update(each)
        met["files"].update(turns[now].files)
        if not now:
            continue
        told = {
            (who, budget): Names(text)
            for budget in BUDGETS
            for who, text in said_by(tellers, heard, budget)
        }
        items.see(heard.state, told["HUD", BUDGETS[0]])
        for kind, ahead in found(turns[now + 1 : now + 1 + AHEAD]).items():
            for (who, budget), names in told.items():
                made.named[who, budget, kind] += sum(map(naming(names)[kind], ahead))
                made.of[who, kind] += len(ahead) if budget == BUDGETS[0] else 0
            if heard.summary:  # the others beside the summary, where there is one
                for budget in BUDGETS:
                    hud = naming(told["HUD", budget])[kind]
                    made.named[BESIDE, budget, kind] += sum(map(hud, ahead))
                made.of[BESIDE, kind] += len(ahead)
            for budget in BUDGETS:
                made.named[MET, budget, kind] += len(ahead & met[kind])
            made.of[MET, kind] += len(ahead)
    made.unsaid = items.unsaid()
    return made


BESIDE = "HUD, at the turns with a summary"


def said_by(tellers: Tellers, heard: Heard, budget: int) -> Iterator[tuple[str, str]]:
    """Yield who tells what at a turn; nobody else has less than the HUD takes."""
    hud = tellers.hud(heard, budget)
    yield "HUD", hud
    room = max(budget, tellers.count(hud))
    for who, teller in TELLERS.items():
        if who != "HUD":
            yield who, teller(tellers, heard, room)
    if heard.summary:
        yield SUMMARY, tellers.summary(heard, room)


def heard_at(turns: Sequence[Turn]) -> Iterator[Heard]:
    """Yield what there is to tell after each turn; each event is recorded once."""
    said: list[str] = []
    files: dict[str, None] = {}
    summary = ""
    with HudStore(ListEventStore(), clock=lambda: 0) as store:
        session = cast("HudSession[Any]", store.session("foresight"))
        for turn in turns:
            replay(turn.drafts, session)
            said += turn.said
            for path in turn.files:
                files.pop(path, None)
                files[path] = None
            summary = turn.summary or summary
            yield Heard(cast("HudState", session.known), said, list(files), summary)


def found(turns: Sequence[Turn]) -> dict[Ahead, set[str]]:
    """Return what happens in turns, each once."""
    return {
        "files": set(chain.from_iterable(turn.edited for turn in turns)),
        "commands": set(chain.from_iterable(turn.commands for turn in turns)),
        "errors": set(chain.from_iterable(turn.errors for turn in turns)),
    }


def naming(names: Names) -> Mapping[Ahead, Any]:
    """Return what tells of each kind whether it is named."""
    return {"files": names.file, "commands": names.command, "errors": names.error}


class Items:
    """The decisions and steps of a session, and which of them a HUD has shown."""

    def __init__(self) -> None:
        self._shown: dict[tuple[str, str], bool] = {}

    def see(self, state: HudState, names: Names) -> None:
        """Take in the state of a turn, and what its HUD says."""
        texts = [("decisions", each.id, each.summary) for each in state.decisions]
        texts += [("steps", each.id, each.description) for each in state.next_steps]
        for kind, number, text in texts:
            key = kind, number
            if not self._shown.get(key):
                self._shown[key] = names.text(text)

    def unsaid(self) -> dict[str, tuple[int, int]]:
        """Return how many were never shown, and how many there were."""
        return {
            name: (
                sum(not shown for (kind, _), shown in self._shown.items() if kind == name),
                sum(kind == name for kind, _ in self._shown),
            )
            for name in ("decisions", "steps")
        }
